"""Progress of a long step, on standard error: a bar on a terminal, elsewhere a plain line every few seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LINE_EVERY = 5.0  # seconds between plain lines: enough for a log, few enough to read

Report = Callable[[int, int], None]


@contextmanager
def progress(label: str, total: int, unit: str, rows: str = "rows") -> Iterator[Report]:
    """Give a function that is told (parts done, rows so far); `total` is in parts."""
    if sys.stderr.isatty():
        with bar(label, total, unit, rows) as report:
            yield report
    else:
        yield plain(label, total, unit, rows)


@contextmanager
def bar(label: str, total: int, unit: str, rows: str) -> Iterator[Report]:
    # Imported here because it is slow, and most runs are unattended.
    from rich import progress as rich_progress
    from rich.console import Console

    columns = (
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TextColumn(unit, markup=False),
        rich_progress.TextColumn("{task.fields[rows]:,} " + rows),
        rich_progress.TimeElapsedColumn(),
        rich_progress.TimeRemainingColumn(),
    )
    with rich_progress.Progress(*columns, console=Console(stderr=True)) as shown:
        task = shown.add_task(label, total=total, rows=0)
        yield lambda done, count: shown.update(task, completed=done, rows=count)


def plain(label: str, total: int, unit: str, rows: str) -> Report:
    started = last = time.monotonic()

    def report(done: int, count: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= LINE_EVERY:
            last = now
            rate = count / (now - started)
            sys.stderr.write(f"{label}: {done} of {total} {unit}, {count:,} {rows}, {rate:,.0f} a second\n")
            sys.stderr.flush()

    return report
