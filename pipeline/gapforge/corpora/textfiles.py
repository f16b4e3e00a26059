"""Plain text and JSONL, a document per file or line, every character kept: offsets into the source stay true.

A row of a table or JSONL file as a document, every character kept: offsets into the source stay true.
"""

import codecs
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from gapforge.corpora import archives
from gapforge.corpora.books import stem
from gapforge.corpora.source import MOST_BYTES, Piece, ReadSettings, decode, too_large
from gapforge.errors import InputError, one_line
from gapforge.records import Document, Reject, Section

# White space that text may hold is left out; U+2028, U+0085 and the like are legal and kept.
CONTROL = re.compile("[\x00-\x08\x0e-\x1f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def to_document(
    row: Mapping[str, Any], settings: ReadSettings, place: str, unnamed: str, default_id: str = ""
) -> Document | Reject:
    """The document that a row holds, or why it holds none.

    `place` ("line 3") names the row in that reason, `unnamed` is the id of a rejected row that has none itself.
    """
    columns = settings.columns
    raw_id = row.get(columns.id)
    id = _word(raw_id) or default_id
    if not id:
        wanted = f"a string or whole number as {columns.id!r}"
        return Reject(unnamed, "no id", f"{place}: wanted {wanted}, found {_kind(raw_id)}")
    if found := _SURROGATE.search(id):
        return Reject(unnamed, "lone surrogate", _holds(place, columns.id, found))
    text = row.get(columns.text)
    if not isinstance(text, str):
        return Reject(id, "no text", f"{place}: wanted a string as {columns.text!r}, found {_kind(text)}")
    if reject := too_large(id, place, len(text), settings):
        return reject
    if not text.strip():
        return Reject(id, "empty", f"{place}: {columns.text!r} holds no characters but white space")
    parts = {}
    for name in (columns.title, columns.author, columns.url):
        value = row.get(name)
        parts[name] = _word(value)
        if value is not None and not isinstance(value, str) and not parts[name]:
            return Reject(id, "wrong type", f"{place}: wanted a string as {name!r}, found {_kind(value)}")
    for name, value in ((columns.id, id), (columns.text, text), *parts.items()):
        if found := CONTROL.search(value):
            return Reject(id, "control character", _holds(place, name, found))
        if found := _SURROGATE.search(value):
            return Reject(id, "lone surrogate", _holds(place, name, found))
    title, author, url = (parts[name] for name in (columns.title, columns.author, columns.url))
    return Document(id, title, author, url, text, whole(text))


def whole(text: str) -> list[Section]:
    """The one section of a text whose headings are unknown."""
    return [Section("", 0, 0, len(text))]


def _holds(place: str, column: str, found: re.Match[str]) -> str:
    return f"{place}: {column!r} holds U+{ord(found[0]):04X} at character {found.start()}"


def _word(value: object) -> str:
    if isinstance(value, str):
        return value
    # Not 1.0, NaN or Infinity, which are spelt in more ways than one and may be no value at all.
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if value == "":
        return "an empty string"
    return f"a value of type {type(value).__name__}"


# A line is held in memory whole, so one without an end must not take all of it.
LINE_BYTES = 256 << 20

_READ = 1 << 18
_SIP = 1 << 13
_PACKED = (".gz", ".bz2")
# A few bytes can expand to millions of these, which would take minutes one by one.
_BLANK_LINES = re.compile(rb"(?:[ \t\r\v\f]*+\n)++")
_PLACE_FOLLOWS = re.compile(r"(?: starting)? at$")


def read_text(piece: Piece, settings: ReadSettings) -> Iterator[Document | Reject]:
    """The file as one document; raises InputError where its characters cannot be trusted."""
    id = stem(piece.name)
    # Before it is read: memory may not hold it.
    if reject := too_large(id, piece.name, Path(piece.path).stat().st_size // MOST_BYTES, settings):
        yield reject
        return
    text = decode(Path(piece.path).read_bytes(), piece.path, settings.encoding)
    if reject := too_large(id, piece.name, len(text), settings):
        yield reject
        return
    if not text.strip():
        yield Reject(id, "empty", f"{piece.name} holds no characters but white space")
        return
    if found := CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        raise InputError(
            f"{piece.path}: line {line}, column {column}: wanted text, found the control character "
            f"U+{ord(found[0]):04X}; remove it or set [corpora.NAME] encoding (--encoding)"
        )
    yield Document(id, PurePosixPath(id).name, "", "", text, whole(text))


def cut_jsonl(path: str, name: str, size: int) -> list[Piece]:
    """The pieces of a file in order, each of whole lines and about `size` bytes; a compressed file is one piece."""
    whole_file = [Piece(path, name)]
    if _suffix(path) in _PACKED:
        return whole_file
    length = Path(path).stat().st_size
    starts = [(0, 0)]
    position = lines = 0
    blank = True
    with Path(path).open("rb") as handle:
        mark = len(codecs.BOM_UTF8) if handle.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else 0
    for block in _plain(path, 0, None):
        blank = blank and not block[max(0, mark - position) :].strip()
        counted = 0
        while (found := block.find(b"\n", max(counted, starts[-1][0] + size - 1 - position))) >= 0:
            lines += block.count(b"\n", counted, found + 1)
            counted = found + 1
            if position + counted < length:
                starts.append((position + counted, lines))
        lines += block.count(b"\n", counted)
        position += len(block)
    # Only a piece that is the whole file can tell that there is nothing in it.
    if blank:
        return whole_file
    ends = [*(start for start, _ in starts[1:]), None]
    return [Piece(path, name, start, end, lines) for (start, lines), end in zip(starts, ends, strict=True)]


def read_jsonl(piece: Piece, settings: ReadSettings) -> Iterator[Document | Reject]:
    """A document per line, `.gz` and `.bz2` included; raises InputError at a line that is not JSON.

    Lines end at "\\n" alone: JSON strings may hold U+2028 and other characters that `str.splitlines` would break at.
    """
    empty = piece.start == 0 and piece.end is None
    for number, line in _lines(piece):
        content = line if number > 1 else line.removeprefix(codecs.BOM_UTF8)
        if content.strip():
            empty = False
            yield _read_line(content, number, piece, settings)
    if empty:
        yield Reject(stem(piece.name), "empty", f"{piece.name} holds no lines but blank ones")


def _lines(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """The lines with their ends, each with its number in the file, but for some of the blank ones."""
    number = piece.lines_before
    begun: list[bytes] = []
    size = 0
    for block in _blocks(piece):
        position = 0
        while position < len(block):
            if not begun and (blank := _BLANK_LINES.match(block, position)):
                number += block.count(b"\n", position, blank.end())
                position = blank.end()
            line = block[position : block.find(b"\n", position) + 1 or len(block)]
            position += len(line)
            size += len(line)
            if size > LINE_BYTES:
                raise InputError(
                    f"{piece.path}: line {number + 1}: wanted at most {LINE_BYTES} bytes, found more; "
                    "put one object on each line"
                )
            if line:
                begun.append(line)
            if line.endswith(b"\n"):
                number += 1
                yield number, b"".join(begun)
                begun.clear()
                size = 0
    if begun:
        yield number + 1, b"".join(begun)


def _blocks(piece: Piece) -> Iterator[bytes]:
    match _suffix(piece.path):
        case ".gz":
            return _gunzip(piece.path)
        case ".bz2":
            return (block for _, block in archives.decompress(piece.path))
        case _:
            return _plain(piece.path, piece.start, piece.end)


def _suffix(path: str) -> str:
    return Path(path).suffix.lower()


def _plain(path: str, start: int, end: int | None) -> Iterator[bytes]:
    with Path(path).open("rb") as handle:
        position = handle.seek(start)
        while block := handle.read(_READ if end is None else min(_READ, end - position)):
            yield block
            position += len(block)


class _Sips(io.FileIO):
    """A file read a little at a time: what gzip takes ahead would be counted against a bomb as if it were used."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(_SIP if size is None or size < 0 else min(size, _SIP))


def _gunzip(path: str) -> Iterator[bytes]:
    """The contents in blocks; raises InputError where the file is damaged or expands without measure."""
    with _Sips(path) as packed, gzip.GzipFile(fileobj=packed) as handle:
        produced = 0
        while True:
            try:
                block = handle.read(_READ)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise InputError(
                    f"{path}: wanted a whole gzip file, found damage ({one_line(error)}); get it again"
                ) from error
            taken = packed.tell()
            if not taken:
                raise InputError(f"{path}: wanted a gzip file, found an empty one; get it again")
            produced += len(block)
            archives.refuse_bomb(path, taken, taken, produced)
            if not block:
                return
            yield block


def _read_line(line: bytes, number: int, piece: Piece, settings: ReadSettings) -> Document | Reject:
    where = f"{piece.path}: line {number}"
    found = "something else" if line.endswith(b"\n") else "a line cut short"
    remedy = "correct the line or get the file again"
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where}, byte {error.start}: wanted UTF-8, found {line[error.start : error.start + 4].hex(' ')}; "
            "convert the file to UTF-8"
        ) from error
    except json.JSONDecodeError as error:
        # Its own text counts lines from this one on, and columns after the line's end.
        where += f", column {error.pos + 1}"
        reason = _PLACE_FOLLOWS.sub("", error.msg)
        raise InputError(f"{where}: wanted a JSON object, found {found} ({reason}); {remedy}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: wanted a JSON object, found {found} ({one_line(error)}); {remedy}") from error
    place, unnamed = f"line {number}", f"{piece.name}:{number}"
    if not isinstance(value, dict):
        return Reject(
            unnamed, "not an object", f"{place}: wanted an object, found a value of type {type(value).__name__}"
        )
    return to_document(value, settings, place, unnamed)
