"""Shards in worker processes of this machine.

A worker that crashes (killed, out of memory, a fault in native code) fails the one shard it held; it is replaced, and
the others go on.

How much memory a stage needed at its peak: of this process, and of the workers it started.

Python's `getrusage` tells the peak of a process's whole life, and under Linux even what its parent held when it was
started; so a stage that needs little would be charged with what an earlier one needed. The kernel's own mark can be
set back, which is done where a stage begins.
"""

import ctypes
import os
import re
import resource
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from gapforge.engine import WritePart, part_path
from gapforge.errors import describe
from gapforge.plugins import named_folders, search_in
from gapforge.progress import Report

STATUS = Path("/proc/self/status")
SET_BACK = Path("/proc/self/clear_refs")
PEAK_ONLY = "5"  # of proc(5): resets the peak resident size, nothing else
MARK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)

_workers: list[int] = []


def begin() -> None:
    """Measure from here on."""
    _workers.clear()
    with suppress(OSError):  # Elsewhere than under Linux the peak is that of the process's life.
        SET_BACK.write_text(PEAK_ONLY, "ascii")


def note_worker(peak: int) -> None:
    """Take in what a worker says of itself."""
    _workers.append(peak)


def own_peak() -> int:
    """The most memory that this process has held at once, in bytes."""
    with suppress(OSError):
        if found := MARK.search(STATUS.read_text("ascii", "replace")):
            return int(found[1]) * 1024
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return usage if sys.platform == "darwin" else usage * 1024


def peak() -> int:
    """The most memory that one process has held since `begin`, in bytes; what earlier work left in it counts."""
    return max(own_peak(), *_workers, 0)


TICK_EVERY = 0.5  # seconds between a worker's messages of progress
PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>
MOST_CRASHES = 3  # one crash is an accident; more are a fault that would eat the whole corpus


@dataclass
class Worker:
    """A process, our end of its pipe, and the shard it holds with the rows it has made of it."""

    process: SpawnProcess
    connection: Connection
    index: int = -1
    rows: int = 0

    def take(self, job: tuple[int, Any], folder: Path) -> None:
        self.index, shard = job
        self.rows = 0
        self.send((shard, part_path(folder, self.index)))

    def send(self, job: tuple[Any, Path] | None) -> None:
        with suppress(BrokenPipeError):  # It has died; the next message read from it says so.
            self.connection.send(job)

    def receive(self) -> tuple[str, Any]:
        try:
            message, value = self.connection.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            return "crashed", f"its worker {how_it_ended(self.process.exitcode)}"
        return message, value


def run_in_processes(
    write_part: WritePart, jobs: Iterable[tuple[int, Any]], folder: Path, workers: int, report: Report
) -> dict[int, str]:
    """Make the parts of numbered shards, and say what went wrong with which.

    Workers are started afresh, so that they inherit no locks and no threads.
    """
    waiting = deque(jobs)
    parts, rows, crashes = 0, 0, 0
    failures: dict[int, str] = {}
    pool: dict[Connection, Worker] = {}
    try:
        while waiting or pool:
            while waiting and len(pool) < workers:
                worker = start_worker(write_part)
                pool[worker.connection] = worker
                worker.take(waiting.popleft(), folder)
            for connection in wait(list(pool), timeout=TICK_EVERY):
                assert isinstance(connection, Connection)
                worker = pool[connection]
                message, value = worker.receive()
                if message == "rows":
                    worker.rows = value
                    continue
                if message == "done":
                    made, peak = value
                    parts += 1
                    rows += made
                    note_worker(peak)
                else:
                    failures[worker.index] = value
                    crashes += message == "crashed"
                    if message == "failed" or crashes == MOST_CRASHES:
                        waiting.clear()
                if message != "crashed" and waiting:
                    worker.take(waiting.popleft(), folder)
                else:
                    worker.send(None)
                    worker.process.join()
                    del pool[connection]
            report(parts, rows + sum(worker.rows for worker in pool.values()))
    finally:
        for worker in pool.values():
            worker.process.kill()
            worker.process.join()
    return failures


def start_worker(write_part: WritePart) -> Worker:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs, write_part, os.getpid(), named_folders()), daemon=True)
    # Ctrl-C reaches the whole group, and the parent decides: a worker inherits the mask and never hears of it. Python's
    # tracker of resources, which starts with the first worker, would lift it.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    theirs.close()  # Held by the worker alone, so that its death is the end of the pipe.
    return Worker(process, ours)


def work(connection: Connection, write_part: WritePart, parent: int, folders: tuple[str, ...]) -> None:
    """The life of a worker: shards from the parent until it says None."""
    die_with(parent)
    search_in(*folders)
    while (job := connection.recv()) is not None:
        shard, path = job
        try:
            rows = write_part(shard, path, Ticker(connection))
            connection.send(("done", (rows, own_peak())))
        except Exception as error:
            connection.send(("failed", describe(error)))


class Ticker:
    """Tells the parent how many rows there are, not more often than it cares to know."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.last = time.monotonic()

    def __call__(self, rows: int) -> None:
        now = time.monotonic()
        if now - self.last >= TICK_EVERY:
            self.last = now
            self.connection.send(("rows", rows))


def die_with(parent: int) -> None:
    """End this process with its parent, however that ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # It had gone before we asked.
            os._exit(1)
    else:
        threading.Thread(target=watch_parent, daemon=True).start()


def watch_parent() -> None:
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def how_it_ended(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        return f"was killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")
    return f"ended with code {code}"
