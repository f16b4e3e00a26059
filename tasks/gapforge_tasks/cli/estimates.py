"""How estimates are printed: a table of stages for each corpus, the sums in a line, and what to change."""

import dataclasses
from typing import Any

from gapforge.extraction.estimates import CorpusEstimate, StageEstimate

from gapforge_tasks.cli.console import counted, say, show_table

HEADER = ("stage", "sample", "a second", "out", "per million", "CPU", "clock", "disk", "a worker's memory")
REST = "later stages are not estimated: most are small beside these (docs/scale.md)"


def as_json(estimate: CorpusEstimate) -> dict[str, Any]:
    return dataclasses.asdict(estimate) | estimate.totals


def show_estimates(estimates: list[CorpusEstimate]) -> None:
    for it in estimates:
        if it.stages:
            caption = f"{it.corpus}: estimate for {counted(it.workers, 'worker')}, each with a core of its own"
            show_table(caption, HEADER, [row_of(stage) for stage in it.stages])
            sums = it.totals
            say(
                f"{it.corpus}: {spell(sums['seconds'])} by the clock, {spell(sums['cpu_seconds'])} of CPU; "
                f"memory for {counted(it.busy, 'worker')} {size(sums['memory'])}; disk {size(sums['bytes'])}"
            )
        for note in it.notes:
            say(f"{it.corpus}: {note}")
    if any(it.stages for it in estimates):
        say(REST)


def row_of(it: StageEstimate) -> tuple[str, ...]:
    rate = it.sample.read / max(it.sample.seconds, 1e-9)
    return (
        it.stage,
        f"{it.sample.read:,} {it.unit}",
        f"{rate:,.0f}",
        f"{it.rows:,}",
        f"{it.rows_per_million:,.0f}",
        spell(it.cpu_seconds),
        spell(it.seconds),
        size(it.bytes),
        size(it.memory),
    )


def spell(seconds: float) -> str:
    """A duration in the unit in which it has two digits or so."""
    if seconds < 120:
        return f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"


def size(count: float) -> str:
    """Bytes in kB, MB or GB of powers of ten."""
    for unit, power in (("GB", 1e9), ("MB", 1e6)):
        if count >= 10 * power or (unit == "GB" and count >= power):
            return f"{count / power:,.1f} {unit}" if count < 100 * power else f"{count / power:,.0f} {unit}"
    return f"{count / 1e3:,.0f} kB"
