"""Which modules ran in a block of code, and which of them a fingerprint does not cover."""

import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from gapforge.engine.fingerprint import is_neutral, module_name


@contextmanager
def functions_traced(package: Path) -> Iterator[set[Path]]:
    """Files of the package in which a function runs in this thread during the block; complete when it ends.

    What a module does while it is imported does not count, unless it calls functions.
    """
    ran: set[Path] = set()
    files: set[str] = set()
    before = sys.gettrace()

    # It returns nothing, so that lines are not traced. A profiler would be called for functions in C as well.
    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # which only functions have
            files.add(frame.f_code.co_filename)

    sys.settrace(note)
    try:
        yield ran
    finally:
        sys.settrace(before)
        ran.update(it for it in map(Path, files) if it.is_relative_to(package))


def uncovered(ran: Iterable[Path], code: Mapping[str, str], package: Path) -> list[str]:
    """Modules that ran in a stage and are neither part of its code nor neutral; each is a hole in its fingerprint."""
    modules = {it.relative_to(package.parent).as_posix(): module_name(it, package.parent) for it in ran}
    return sorted(key for key, module in modules.items() if key not in code and not is_neutral(module))
