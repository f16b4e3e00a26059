"""What a corpus is made of: its settings, its raw files, and the pieces they are read in."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pipeline.records import Reject

HUB = "hf://"
COMMIT = re.compile(r"@[0-9a-f]{40}(?:#|$)")
WEB = re.compile(r"https?://[!-~]+")
LARGEST_DOCUMENT = 20_000_000  # characters: ten times the largest page of Wikipedia, six times War and Peace
SHA256 = re.compile(r"[0-9a-fA-F]{64}")


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
    """How raw files become documents; the same for one corpus.

    `largest_document` is in characters of the source, markup included. Readers are linear in them, so that it bounds
    their time as well; a limit in seconds would make what comes out depend on the machine.
    """

    format: str = "auto"
    encoding: str = ""
    catalog: Catalog = Catalog()
    columns: Columns = Columns()
    largest_document: int = LARGEST_DOCUMENT

    def __post_init__(self) -> None:
        if self.largest_document < 1:
            raise ValueError(f"largest_document must be at least 1, found {self.largest_document}")


@dataclass(frozen=True, slots=True)
class Input:
    """A raw file, a folder, a pattern such as `enwiki-*.bz2`, a dataset `hf://owner/name@commit`, or a URL.

    `sha256` pins the contents: of a file its checksum, of several files that of the
    lines `sha256  name` in the order of their names, as `sha256sum` prints them.
    """

    path: str = ""
    url: str = ""
    sha256: str = ""

    def __post_init__(self) -> None:
        if self.sha256 and not SHA256.fullmatch(self.sha256):
            raise ValueError(f"sha256 must be 64 hexadecimal digits, found {self.sha256!r}")
        if bool(self.path) == bool(self.url):
            raise ValueError("needs either a path or a url")
        if self.url and not (WEB.fullmatch(self.url) and urlsplit(self.url).port != 0):
            raise ValueError(f"url must be http:// or https:// in plain ASCII, found {self.url!r}; write é as %C3%A9")
        if self.url and not self.sha256:
            raise ValueError(f"{self.url} has no sha256; what is fetched must be pinned")
        if self.path.startswith(HUB) and (self.sha256 or not COMMIT.search(self.path)):
            raise ValueError(f"{self.path} must be pinned by its commit; write hf://owner/name@ and its 40 digits")


@dataclass(frozen=True, slots=True)
class CorpusSettings(ReadSettings):
    """One `[corpora.NAME]` section."""

    inputs: list[Input] = field(default_factory=list)
    shards: int = 16

    def __post_init__(self) -> None:
        ReadSettings.__post_init__(self)
        if self.shards < 1:
            raise ValueError(f"shards must be at least 1, found {self.shards}")
        if not self.inputs:
            raise ValueError('names no inputs; add inputs = [{ path = "..." }]')
        if len({(item.path, item.url) for item in self.inputs}) < len(self.inputs):
            raise ValueError("names an input twice; remove one of them")


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
    """A stretch of one raw file that is read by itself: bytes `start` to `end`, or to the end of the file.

    `lines_before` is the number of lines that precede it, where its format counts in lines.
    """

    path: str
    name: str
    start: int = 0
    end: int | None = None
    lines_before: int = 0


# Bytes that a character takes in the usual encodings, UTF-32 among them.
MOST_BYTES = 4


def too_large(id: str, name: str, characters: int, settings: ReadSettings) -> Reject | None:
    """The reject of a document of so many characters or more; None where it is not too large."""
    if characters <= settings.largest_document:
        return None
    wanted = f"wanted at most {settings.largest_document:,} characters, found {characters:,} or more"
    return Reject(id, "too large", f"{name}: {wanted}; raise [corpora.NAME] largest_document (--largest-document)")
