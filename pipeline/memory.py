"""How much memory a stage needed at its peak: of this process, and of the workers it started.

Python's `getrusage` tells the peak of a process's whole life, and under Linux even what its parent held when it was
started; so a stage that needs little would be charged with what an earlier one needed. The kernel's own mark can be
set back, which is done where a stage begins.
"""

import re
import resource
import sys
from contextlib import suppress
from pathlib import Path

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
