"""Zip archives read without trust: names that climb out, bombs and damage become one clear line.

Nothing is ever written to disk, yet a name that climbs out marks an archive made to do harm, so it is refused.
Sizes in the headers are a claim; the caps count the bytes that really come out.
"""

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

from pipeline.errors import InputError, one_line, shortened

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
