"""A real Dask cluster of processes on loopback, for tests and benchmarks: each can be killed by itself."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DASK = Path(sys.executable).parent / "dask"
LOOPBACK = "127.0.0.1"


class Cluster:
    """A scheduler and its workers, whose logs lie in a folder."""

    def __init__(self, folder: Path, workers: int, memory: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.memory = folder, memory
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start(
            "scheduler", "--host", LOOPBACK, "--port", "0", "--dashboard-address", f"{LOOPBACK}:0"
        )
        self.address = self.said(0, r"Scheduler at: +tcp://(\S+)")
        self.workers = [self.add_worker() for _ in range(workers)]

    @property
    def engine(self) -> str:
        return f"dask://{self.address}"

    @property
    def logs(self) -> list[str]:
        return [path.read_text() for path in sorted(self.folder.glob("*.log"))]

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker, and wait until it is one; its nanny starts the process that works."""
        scratch = self.folder / f"scratch-{len(self.processes)}"
        options = ["--nthreads", "1", "--memory-limit", self.memory, "--local-directory", str(scratch)]
        places = ["--host", LOOPBACK, "--dashboard-address", f"{LOOPBACK}:0"]
        process = self.start("worker", f"tcp://{self.address}", *places, *options)
        self.said(len(self.processes) - 1, r"Registered to: +(\S+)")
        return process

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{len(self.processes)}.log").open("wb") as log:
            # Away from the folder of the run, as on another machine.
            process = subprocess.Popen(
                [DASK, *arguments], cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )
        self.processes.append(process)
        return process

    def said(self, number: int, pattern: str) -> str:
        path = self.folder / f"{number}.log"
        for _ in range(1200):
            if found := re.search(pattern, path.read_text()):
                return found[1]
            assert self.processes[number].poll() is None, path.read_text()
            time.sleep(0.05)
        raise AssertionError(f"waited a minute in vain: {path.read_text()}")

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """As the machine would go: the process, its nanny and whatever they have started."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def cluster(folder: Path, workers: int = 2, memory: str = "2GiB") -> Iterator[Cluster]:
    made = Cluster(folder, workers, memory)
    try:
        yield made
    finally:
        for process in reversed(made.processes):
            if process.poll() is None:
                made.kill(process)
