"""What a corpus is made of: its settings, its raw files, and the pieces they are read in.

Bytes to characters: strictly where offsets must stay true, by the habits of old books where they need not.
"""

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from gapforge.errors import ConfigError, InputError
from gapforge.records import Reject

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


_BOMS = [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")]
# Python's own notations for names of hosts and for source code, which it counts among the encodings of text.
_NOTATIONS = {"idna", "punycode", "raw-unicode-escape", "unicode-escape"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_DECLARED = re.compile(rb"character set encoding:[ \t]*([^\r\n]*)", re.IGNORECASE)
# The header stands at the head of a file; a mention of the phrase deep in a book is not one.
_HEADER_BYTES = 20_000


def decode(data: bytes, file: str, encoding: str = "") -> str:
    """The characters after any byte order mark, unchanged: by `encoding`, else UTF-8, or UTF-16 with its mark."""
    if encoding:
        return _decode_as(data, known(encoding), file)
    bom, name = next((pair for pair in _BOMS if data.startswith(pair[0])), (b"", "utf-8"))
    return _decode_as(data, name, file, len(bom))


def decode_book(data: bytes, file: str, encoding: str = "") -> str:
    """The characters of a Gutenberg book by the first that fits: mark, UTF-8, the header's word, cp1252, Latin-1.

    UTF-8 comes before the header because headers went stale when files were converted, while text in another
    encoding is practically never valid UTF-8.
    """
    if encoding or any(data.startswith(bom) for bom, _ in _BOMS):
        return decode(data, file, encoding)
    # The last candidate fits any bytes, and would turn a binary file into a book.
    if (position := data.find(b"\0")) >= 0:
        raise InputError(
            f"{file}: byte {position}: wanted text, found NUL, as in binary files or UTF-16 without its mark; "
            "remove the file or set [corpora.NAME] encoding (--encoding)"
        )
    for name in ("utf-8", *_declared(data), "cp1252"):
        try:
            return data.decode(name)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def known(encoding: str) -> str:
    """The codec's own name; raises ConfigError where Python has no such text encoding."""
    try:
        # The empty string would not do: Python decodes it without asking the codec.
        with suppress(UnicodeDecodeError):
            b"a".decode(encoding)
        name = codecs.lookup(encoding).name
        if name in _NOTATIONS:
            raise LookupError(name)
        return name
    except (LookupError, ValueError) as error:
        raise ConfigError(
            f"encoding: wanted a text encoding such as utf-8, cp1252 or latin-1, found {encoding!r}"
        ) from error


def _declared(data: bytes) -> list[str]:
    found = _DECLARED.search(data[:_HEADER_BYTES])
    if not found:
        return []
    words = found[1].decode("latin-1").strip().lower()
    # Windows programs labelled cp1252 as Latin-1, whose own characters 80-9F are controls that no book holds.
    if re.search(r"8859-1\b|latin-?1\b|ascii", words):
        return ["cp1252"]
    name = re.sub(r"^(?:windows|codepage|code page)[ -]?(?=\d)", "cp", words).replace(" ", "-")
    try:
        return [known(name)]
    except ConfigError:
        return []


def _decode_as(data: bytes, name: str, file: str, skip: int = 0) -> str:
    try:
        # A decoder given the mark as data keeps it as U+FEFF, in every Unicode encoding that states its byte order.
        text = data[skip:].decode(name).removeprefix("" if skip else "\ufeff")
    except UnicodeError as error:
        if not isinstance(error, UnicodeDecodeError):  # Some codecs do not say where.
            raise InputError(
                f"{file}: wanted {name}, found something else ({error}); set [corpora.NAME] encoding (--encoding)"
            ) from error
        position = skip + error.start
        raise InputError(
            f"{file}: byte {position}: wanted {name}, found {data[position : position + 4].hex(' ')} ({error.reason}); "
            "convert the file or set [corpora.NAME] encoding (--encoding)"
        ) from error
    # UTF-7 can spell half a pair, which nothing can be written as.
    if found := _SURROGATE.search(text):
        raise InputError(
            f"{file}: character {found.start()}: wanted {name}, found the lone surrogate U+{ord(found[0]):04X}; "
            "convert the file or set [corpora.NAME] encoding (--encoding)"
        )
    return text
