"""Plain text and JSONL, a document per file or line, every character kept: offsets into the source stay true."""

import bz2
import codecs
import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from pipeline.corpora.books import stem
from pipeline.corpora.encodings import decode
from pipeline.corpora.rows import CONTROL, to_document, whole
from pipeline.corpora.source import Piece, ReadSettings
from pipeline.errors import InputError
from pipeline.records import Document, Reject

# A line is held in memory whole, so one without an end must not take all of it.
LINE_BYTES = 256 << 20


def read_text(piece: Piece, settings: ReadSettings) -> Iterator[Document | Reject]:
    """The file as one document; raises InputError where its characters cannot be trusted."""
    text = decode(Path(piece.path).read_bytes(), piece.path, settings.encoding)
    id = stem(piece.name)
    if not text.strip():
        yield Reject(id, "empty", f"{piece.name} holds no characters but white space")
        return
    if found := CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        raise InputError(
            f"{piece.path}: line {line}, column {column}: wanted text, found the control character "
            f"U+{ord(found[0]):04X}; remove it or set [corpora.NAME] encoding"
        )
    yield Document(id, PurePosixPath(id).name, "", "", text, whole(text))


def read_jsonl(piece: Piece, settings: ReadSettings) -> Iterator[Document | Reject]:
    """A document per line, `.gz` and `.bz2` included; raises InputError at a line that is not JSON.

    A piece of an uncompressed file holds the lines that begin within its bytes. Lines end at "\\n" alone:
    JSON strings may hold U+2028 and other characters that `str.splitlines` would break at.
    """
    try:
        with _open(piece.path) as handle:
            if piece.start:
                # From one byte earlier, so that a line which begins exactly at the start is not skipped.
                handle.seek(piece.start - 1)
                handle.readline()
            yield from _read_lines(handle, piece, settings)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"{piece.path}: wanted a whole compressed file, found damage ({error}); get it again"
        ) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise InputError(f"{piece.path}: wanted bz2 data, found damage ({error}); get it again") from error


def _open(path: str) -> IO[bytes]:
    opener: Any = {".gz": gzip.open, ".bz2": bz2.open}.get(Path(path).suffix, open)
    handle: IO[bytes] = opener(path, "rb")
    return handle


def _read_lines(handle: IO[bytes], piece: Piece, settings: ReadSettings) -> Iterator[Document | Reject]:
    position = handle.tell()
    number = _count_lines(piece.path, position) if piece.start else 0
    empty = piece.start == 0
    while (piece.end is None or position < piece.end) and (line := handle.readline(LINE_BYTES + 1)):
        number += 1
        if len(line) > LINE_BYTES:
            raise InputError(
                f"{piece.path}: line {number}: wanted at most {LINE_BYTES} bytes, found more; "
                "put one object on each line"
            )
        content = line if position else line.removeprefix(codecs.BOM_UTF8)
        position += len(line)
        if content.strip():
            empty = False
            yield _read_line(content, number, piece, settings)
    if empty:
        yield Reject(stem(piece.name), "empty", f"{piece.name} holds no lines but blank ones")


def _count_lines(path: str, end: int) -> int:
    count = 0
    with Path(path).open("rb") as handle:
        while end > 0 and (chunk := handle.read(min(end, 1 << 20))):
            count += chunk.count(b"\n")
            end -= len(chunk)
    return count


def _read_line(line: bytes, number: int, piece: Piece, settings: ReadSettings) -> Document | Reject:
    where = f"{piece.path}: line {number}"
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where}, byte {error.start}: wanted UTF-8, found {line[error.start : error.start + 4].hex(' ')}; "
            "convert the file to UTF-8"
        ) from error
    except (ValueError, RecursionError) as error:
        found = "a line cut short" if not line.endswith(b"\n") else "something else"
        reason = " ".join(str(error).split())
        raise InputError(
            f"{where}: wanted a JSON object, found {found} ({reason}); correct the line or get the file again"
        ) from error
    place, unnamed = f"line {number}", f"{piece.name}:{number}"
    if not isinstance(value, dict):
        return Reject(
            unnamed, "not an object", f"{place}: wanted an object, found a value of type {type(value).__name__}"
        )
    return to_document(value, settings.columns, place, unnamed)
