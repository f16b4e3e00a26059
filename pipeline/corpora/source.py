"""What a corpus is made of: its settings, its raw files, and the pieces they are read in."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Catalog:
    """Which books of a Gutenberg corpus to take, by its catalogue (`pg_catalog.csv`)."""

    file: str = ""
    languages: list[str] = field(default_factory=lambda: ["en"])
    subjects: list[str] = field(default_factory=lambda: ["fiction"])
    ids: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a JSONL file or `datasets` dataset that hold the parts of a document; absent ones stay empty."""

    id: str = "id"
    title: str = "title"
    author: str = "author"
    url: str = "url"
    text: str = "text"


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How raw files become documents; the same for one corpus."""

    format: str = "auto"
    encoding: str = ""
    catalog: Catalog = Catalog()
    columns: Columns = Columns()


@dataclass(frozen=True, slots=True)
class Input:
    """A raw file, a folder, a pattern such as `enwiki-*.bz2`, a dataset `hf://owner/name@revision`, or a URL.

    `sha256` pins the contents: of a file its checksum, of several files that of the
    lines `sha256  name` in the order of their names, as `sha256sum` prints them.
    """

    path: str = ""
    url: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class CorpusSettings(ReadSettings):
    """One `[corpora.NAME]` section."""

    inputs: list[Input] = field(default_factory=list)
    shards: int = 16


@dataclass(frozen=True, slots=True)
class RawFile:
    """A raw file as found: where it lies, and its name below the input that the config names.

    The name, with forward slashes, is what ids may derive from: it does not depend on where the corpus lies.
    """

    path: str
    name: str
    format: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one raw file that is read by itself: bytes `start` to `end`, or to the end of the file."""

    path: str
    name: str
    start: int = 0
    end: int | None = None
