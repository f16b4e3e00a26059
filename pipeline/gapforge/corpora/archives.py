"""Zip archives read without trust: names that climb out, bombs and damage become one clear line.

Nothing is ever written to disk, yet a name that climbs out marks an archive made to do harm, so it is refused.
Sizes in the headers are a claim; the caps count the bytes that really come out.

bzip2 files: the places where they can be cut, and their contents as a stream with a cap.

A multistream file is several complete bzip2 streams one after the other; Wikipedia publishes its dumps so.
Each stream can be decompressed without those before it, which is what makes reading in several processes
possible. The standard library's `bz2.open` would do for reading, but it ignores garbage after the last
stream and gives no positions; a dump that was damaged on the way must not pass for a shorter one.
"""

import bz2
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from gapforge.errors import InputError, one_line, shortened

CHUNK = 1 << 20
# What zipfile and the decompressors below it raise on damaged or hostile bytes.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError, RuntimeError,
    ValueError, OverflowError, OSError,
)  # fmt: skip
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes that may come out of one member and of one archive, and their ratio to the bytes that went in."""

    member: int = 256 << 20
    archive: int = 1 << 30
    ratio: int = 200
    ratio_from: int = 1 << 20


class Archive:
    """An open zip whose entries have been checked; `read` counts what it gives out against the limits."""

    def __init__(self, file: str, zipped: zipfile.ZipFile, limits: Limits) -> None:
        self.file = file
        self._zip = zipped
        self._limits = limits
        self._given = 0
        self._entries = _checked(file, zipped)

    def names(self) -> list[str]:
        """The names of the files inside, in the order of the archive's directory."""
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """All bytes of one member; raises InputError where it is damaged or larger than the limits allow."""
        if (entry := self._entries.get(name)) is None:
            raise InputError(
                f"{self.file}: wanted an entry {shown(name)}, found none of that name; the archive is incomplete"
            )
        where = f"{self.file}: entry {shown(name)}"
        chunks = []
        size = 0
        try:
            with self._zip.open(entry) as member:
                while chunk := member.read(CHUNK):
                    size += len(chunk)
                    self._given += len(chunk)
                    self._check(where, size, entry.compress_size)
                    chunks.append(chunk)
        except InputError:
            raise
        except _DAMAGE as error:
            raise InputError(
                f"{where}: wanted readable zip data, found damage ({one_line(error)}); get the file again"
            ) from error
        return b"".join(chunks)

    def _check(self, where: str, size: int, compressed: int) -> None:
        limits = self._limits
        if size > limits.member:
            raise InputError(f"{where}: wanted at most {limits.member} bytes, found more; remove it from the archive")
        if self._given > limits.archive:
            raise InputError(
                f"{where}: wanted at most {limits.archive} bytes in the whole archive, found more; split the archive"
            )
        if size > limits.ratio_from and size > limits.ratio * compressed:
            raise InputError(
                f"{where}: wanted text, found more than {limits.ratio} bytes for each compressed one, "
                "as in a decompression bomb; remove it from the archive"
            )


@contextmanager
def open_archive(path: str, limits: Limits | None = None) -> Iterator[Archive]:
    """An archive to read from; raises InputError where the file is no zip or an entry's name climbs out."""
    if Path(path).stat().st_size == 0:
        raise InputError(f"{path}: wanted a zip archive, found an empty file; get the file again")
    try:
        zipped = zipfile.ZipFile(path)
    except _DAMAGE as error:
        raise InputError(f"{path}: {_opening(path)} ({one_line(error)}); get the file again") from error
    with zipped:
        yield Archive(path, zipped, limits or Limits())


def shown(name: str) -> str:
    """The name of an entry as a message can hold it: on one line, whatever a hostile archive calls it."""
    return shortened(repr(name)[1:-1])


def _opening(path: str) -> str:
    with Path(path).open("rb") as handle:
        begins_well = handle.read(4) == b"PK\x03\x04"
    wanted = "wanted a zip archive, found "
    return wanted + ("a truncated or damaged one" if begins_well else "something else")


def _checked(file: str, zipped: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    entries: dict[str, zipfile.ZipInfo] = {}
    for entry in zipped.infolist():
        # `filename` is cut at a NUL; the original shows what another program would have seen.
        name = entry.orig_filename
        where = f"{file}: entry {shortened(ascii(name)[1:-1])}"
        if fault := _fault(name):
            raise InputError(
                f"{where}: wanted a name below the archive's own folder, found {fault}; do not use this archive"
            )
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise InputError(
                f"{where}: wanted a file, found a symbolic link; make the archive again with the file itself"
            )
        if entry.is_dir():
            continue
        if entry.flag_bits & 0x1:
            raise InputError(f"{where}: wanted readable data, found an encrypted entry; decrypt the archive first")
        if entry.filename in entries:
            raise InputError(f"{where}: wanted each name once, found it twice; remove one of them from the archive")
        entries[entry.filename] = entry
    return entries


def _fault(name: str) -> str:
    if "\\" in name:
        return "a backslash"
    if name.startswith("/"):
        return "an absolute path"
    if _DRIVE.match(name):
        return "a drive letter"
    if ".." in name.split("/"):
        return "a step upwards (..)"
    return "a NUL" if "\0" in name else ""


MAGIC = b"BZh"
_STREAM = re.compile(rb"BZh[1-9]1AY&SY")
_STREAM_LENGTH = 10
# The mark that ends a stream: 48 bits, then 32 bits of checksum, then zero bits up to the next byte.
_FOOTER = 0x177245385090
_FOOTER_BYTES = 11

_READ = 1 << 18
_WRITE = 1 << 18

# A dump expands 3 to 30 times. Past the first figure, more than the second is no text but an attack or a mistake.
BOMB_BYTES = 64 << 20
BOMB_RATIO = 250


def boundaries(path: str, size: int) -> list[int]:
    """Where streams begin, the first of them at each full `size` bytes after the last; 0 is not among them."""
    found: list[int] = []
    length = Path(path).stat().st_size
    with Path(path).open("rb") as file:
        target = size
        while target < length:
            start = _next_stream(file, target, length)
            if start is None:
                break
            found.append(start)
            target = start + size
    return found


def boundary_between(path: str, start: int, end: int) -> int | None:
    """The first place from `start` on, but before `end`, where a stream begins."""
    with Path(path).open("rb") as file:
        return _next_stream(file, start, end)


def _next_stream(file: BinaryIO, start: int, end: int) -> int | None:
    """The first stream that begins at or after byte `start` and before `end`, where another one ends."""
    file.seek(start)
    offset, tail = start, b""
    stop = end + _STREAM_LENGTH - 1  # where the mark of a stream ends that begins right before `end`
    while data := file.read(min(_READ, max(0, stop - offset))):
        window = tail + data
        for match in _STREAM.finditer(window):
            position = offset - len(tail) + match.start()
            if _stream_ends(file, position):
                return position
        file.seek(offset + len(data))
        offset += len(data)
        tail = window[-(_STREAM_LENGTH - 1) :]
    return None


def _stream_ends(file: BinaryIO, position: int) -> bool:
    """Whether a stream ends right before `position`: the ten bytes of a beginning may occur inside one by chance."""
    if position < _FOOTER_BYTES:
        return False
    file.seek(position - _FOOTER_BYTES)
    bits = int.from_bytes(file.read(_FOOTER_BYTES), "big")
    return any(bits & ((1 << pad) - 1) == 0 and (bits >> (pad + 32)) & ((1 << 48) - 1) == _FOOTER for pad in range(8))


def decompress(path: str, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """The contents from byte `start` on, each block with the byte at which its stream begins.

    Raises InputError where the file is truncated, damaged, followed by something else, or expands without measure.
    """
    with Path(path).open("rb") as file:
        file.seek(start)
        produced = 0
        taken = start
        pending = file.read(_READ)
        taken += len(pending)
        if not pending and not start:
            raise InputError(f"{path}: the file is empty; download it again")
        while pending:
            origin = taken - len(pending)
            pending += file.read(max(0, len(MAGIC) - len(pending)))
            taken = max(taken, origin + len(pending))
            if not pending.startswith(MAGIC):
                raise InputError(_foreign(path, origin, start, pending))
            decoder = bz2.BZ2Decompressor()
            while not decoder.eof:
                if decoder.needs_input and not pending:
                    pending = file.read(_READ)
                    taken += len(pending)
                    if not pending:
                        raise InputError(
                            f"{path}: byte {taken}: the file ends inside the bz2 stream that begins at byte {origin}; "
                            "download it again"
                        )
                try:
                    block = decoder.decompress(pending, max_length=_WRITE)
                except OSError as error:
                    raise InputError(
                        f"{path}: damaged bz2 data between bytes {origin} and {taken}; download it again"
                    ) from error
                pending = b""
                produced += len(block)
                refuse_bomb(path, taken, taken - start, produced)
                if block:
                    yield origin, block
            pending = decoder.unused_data
            if not pending:
                pending = file.read(_READ)
                taken += len(pending)


def refuse_bomb(path: str, position: int, taken: int, produced: int) -> None:
    """Raise InputError where the `taken` bytes before `position` gave so much more that they are no text."""
    if produced > BOMB_BYTES and produced > BOMB_RATIO * taken:
        raise InputError(
            f"{path}: byte {position}: {taken} bytes expand to more than {produced >> 20} MiB, over "
            f"{BOMB_RATIO} times their size; this is no dump of text, remove the file"
        )


def _foreign(path: str, position: int, start: int, found: bytes) -> str:
    if position == start:
        return f"{path}: byte {position}: wanted a bz2 stream, found {found[:8]!r}; is this a .bz2 file?"
    return (
        f"{path}: byte {position}: found {found[:8]!r} after the last bz2 stream; "
        "remove what follows that byte or download the file again"
    )
