"""Files and folders that are either whole or absent, and their checksums.

Whatever is written goes to a temporary sibling first, is synced, and renamed: a power
cut or a `kill -9` leaves the old file or the new one, never half of one. A temporary
file's name carries the process that writes it, so that what a dead one left can be swept.

Records as lines of JSON, for people and programs that have no Parquet.

One run at a time in one output folder: a lock that names the process holding it.

The lock is the kernel's (flock), so it ends with its process however that ends; the
file's text is only for people.
"""

import fcntl
import hashlib
import json
import os
import shutil
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gapforge.config import hint
from gapforge.errors import ConfigError, InputError, LockedError
from gapforge.progress import progress
from gapforge.records import Reject, fields_of

Write = Callable[[Any], None]

OUTPUTS = (".jsonl", ".parquet")  # files of records
CHUNK = 1 << 20
LONG_TO_HASH = 1 << 28  # bytes that take longer than a moment


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A temporary path that becomes `path` when the block ends well, and vanishes when it does not."""
    sweep(path.parent, path.name)
    temporary = path.parent / f".{path.name}.{os.getpid()}.tmp"
    try:
        yield temporary
        sync(temporary)
        temporary.replace(path)
        sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def check_target(path: Path) -> None:
    """Refuse a file that cannot be written because of its place, before there is any work."""
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: its folder does not exist; make it first")
    if path.is_dir():
        raise ConfigError(f"{path}: is a folder; name a file")


def check_output(path: Path) -> None:
    """Refuse a file of records that cannot be written because of its kind or place, before there is any work."""
    if path.suffix not in OUTPUTS:
        raise ConfigError(f"{path}: unknown kind of output {path.suffix!r}{hint(path.suffix, OUTPUTS)}")
    check_target(path)


def check_apart(inputs: Iterable[str | Path], outputs: Iterable[Path]) -> None:
    """Refuse to write to a file that is read, before there is any work."""
    written = {path.resolve() for path in outputs}
    for path in inputs:
        if Path(path).resolve() in written:
            raise ConfigError(f"{path}: is both input and output; write to another file")


def check_source(path: Path) -> None:
    """Refuse what is no file to read from."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file")
    if not path.exists():
        raise InputError(f"{path}: no such file; fix the path")


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, every character kept but a byte order mark."""
    check_source(path)
    return decode(path.read_bytes(), str(path))


def decode(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: byte {error.start}: not UTF-8; save it as UTF-8") from error


def write_text(path: Path, text: str) -> None:
    with atomic_file(path) as temporary:
        temporary.write_text(text, "utf-8", newline="\n")


def write_json(path: Path, value: object) -> None:
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def sync(path: Path) -> None:
    """Wait until the file or folder is on disk, so that no later rename can outlive its contents."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(folder: Path, name: str) -> None:
    """Remove the temporary files of `name` whose process is gone."""
    for leftover in folder.glob(f".{name}.*.tmp"):
        pid = leftover.name.split(".")[-2]
        if pid.isdigit() and not is_alive(int(pid)):
            leftover.unlink(missing_ok=True)


def sweep_all(folder: Path) -> None:
    """Remove every temporary file in the folder and below; for one that nobody else may be writing to.

    A worker that outlives its killed run for a moment is nobody: what it renames is the
    same bytes, and what it leaves behind would be taken for a part of the folder.
    """
    for leftover in folder.rglob(".*.tmp"):
        leftover.unlink(missing_ok=True)


def is_alive(pid: int) -> bool:
    """Whether the process still runs; one that has ended and was not yet collected by its parent does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):  # No such system here, or gone in between; a wrong "alive" merely sweeps later.
        return True


def publish_folder(finished: Path, final: Path) -> None:
    """Put a finished folder in the place of `final`; a crash between the two renames leaves `finished` whole."""
    sync(finished)
    if final.exists():
        # The old folder goes first because a folder with files in it cannot be renamed over.
        retired = final.parent / f".{final.name}.retired"
        shutil.rmtree(retired, ignore_errors=True)
        final.rename(retired)
        finished.rename(final)
        shutil.rmtree(retired)
    else:
        finished.rename(final)
    sync(final.parent)


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    size = path.stat().st_size
    label = f"checksum of {path.name}"
    shown = progress(label, size, "bytes", "bytes") if size >= LONG_TO_HASH else nullcontext(no_report)
    with path.open("rb") as file, shown as report:
        while block := file.read(CHUNK):
            digest.update(block)
            report(file.tell(), file.tell())
    return digest.hexdigest()


def no_report(parts: int, rows: int) -> None:
    """Progress of what is over before anybody looks."""


def stamp_of(path: Path) -> list[int]:
    """What changes whenever a file is written to: its times can be set back, that of its inode cannot."""
    state = path.stat()
    return [state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino]


CHECKSUM = "sha256"  # a key of its own, in files that hold their own checksum


def write_memory(path: Path, values: Mapping[str, Any]) -> None:
    """Write what was found out, with a checksum; where nothing can be written it is merely found out again."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_checked_json(path, values)


def read_memory(path: Path) -> dict[str, Any]:
    """What `write_memory` wrote; nothing where it is missing or damaged."""
    try:
        return read_checked_json(path)
    except (OSError, ValueError):
        return {}


def write_checked_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write a JSON object with the checksum of all its other values as its last one."""
    write_json(path, {**values, CHECKSUM: hash_of_json(values)})


def read_checked_json(path: Path) -> dict[str, Any]:
    """What `write_checked_json` wrote; ValueError if as much as a digit was changed since."""
    values = json.loads(path.read_text("utf-8"))
    if not isinstance(values, dict) or values.pop(CHECKSUM, None) != hash_of_json(values):
        raise ValueError(f"{path}: was changed after it was written")
    return values


def hash_of_json(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


class Checksums:
    """Checksums of files, remembered on disk as long as size, times and inode stay the same.

    Hashing a dump takes minutes and is asked for at every start; an edit changes the
    file's times and so is noticed without reading it.
    """

    def __init__(self, memory: Path) -> None:
        self.memory = memory
        self.known: dict[str, tuple[list[int], str]] = {}
        self.changed = False
        # A file of another version is ignored.
        with suppress(ValueError, TypeError, AttributeError):
            kept = read_memory(memory).items()
            self.known = {name: (list(stamp), str(digest)) for name, (stamp, digest) in kept}

    def of(self, path: Path) -> str:
        stamp = stamp_of(path)
        key = str(path.resolve())
        if key not in self.known or self.known[key][0] != stamp:
            self.known[key] = (stamp, sha256_of(path))
            self.changed = True
        return self.known[key][1]

    def save(self) -> None:
        """Keep what was learnt, of files that are still there."""
        if self.changed:
            self.known = {name: it for name, it in self.known.items() if Path(name).exists()}
            write_memory(self.memory, self.known)
            self.changed = False


def json_line(record: Any) -> str:
    """A record as one line of JSON; U+2028 and U+2029 are escaped, since many readers take them for line ends."""
    line = json.dumps(record, default=fields_of, ensure_ascii=False)
    return line.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@contextmanager
def open_output(path: Path, record: type) -> Iterator[Write]:
    """A function that writes a record to a `.jsonl` or `.parquet` file, which appears when all is written."""
    check_output(path)
    with atomic_file(path) as temporary:
        if path.suffix == ".jsonl":
            with temporary.open("w", encoding="utf-8", newline="\n") as file:

                def write(item: Any) -> None:
                    file.write(json_line(item) + "\n")

                yield write
        else:
            # Arrow takes longer to load than a small file to read.
            from gapforge.storage.tables import RecordWriter

            writer = RecordWriter(temporary, record)
            yield writer.write
            writer.close()


@contextmanager
def open_rejects(path: Path | None) -> Iterator[Write]:
    """A function that writes a reject; without a file, rejects are only counted."""
    if path is None:
        yield drop
    else:
        with open_output(path, Reject) as write:
            yield write


def drop(item: Any) -> None:
    """Counted, and not asked for."""


@dataclass(slots=True)
class Outputs:
    """Takes records and rejects, writes each kind to its file, and counts them."""

    write: Write
    put_aside: Write
    records: int = 0
    rejects: Counter[str] = field(default_factory=Counter)

    def take(self, item: Any) -> None:
        if isinstance(item, Reject):
            self.rejects[item.reason] += 1
            self.put_aside(item)
        else:
            self.records += 1
            self.write(item)


@contextmanager
def open_outputs(path: Path, record: type, rejects: Path | None) -> Iterator[Outputs]:
    """A file for records and, where it is named, one for rejects; they appear when all is written."""
    with open_output(path, record) as write, open_rejects(rejects) as put_aside:
        yield Outputs(write, put_aside)


held: set[Path] = set()


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; where another holds it, LockedError names that one. May be nested."""
    folder.mkdir(parents=True, exist_ok=True)
    path = (folder / ".lock").resolve()
    if path in held:
        yield
        return
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise LockedError(f"{folder} is being built by {holder(file.read())}; wait for it, or stop it") from None
        file.seek(0)
        file.truncate()
        json.dump(
            {
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "command": " ".join([Path(sys.argv[0]).name, *sys.argv[1:]]),
                "since": time.strftime("%Y-%m-%d %H:%M:%S"),
            },
            file,
        )
        file.flush()
        held.add(path)
        try:
            yield
        finally:
            held.discard(path)


def holder(text: str) -> str:
    try:
        it = json.loads(text)
        return f"process {it['pid']} on {it['host']} ({it['command']}, since {it['since']})"
    except (ValueError, KeyError, TypeError):  # It has the lock and has not yet said who it is.
        return "another process"
