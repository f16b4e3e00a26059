"""One run at a time in one output folder: a lock that names the process holding it.

The lock is the kernel's (flock), so it ends with its process however that ends; the
file's text is only for people.
"""

import fcntl
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import LockedError

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
