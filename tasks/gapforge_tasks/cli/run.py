"""`gapforge run` and `status`: build a run, show its stages, and estimate what is not there yet."""

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gapforge.errors import InputError, StageError
from gapforge_tasks.cli.console import AsJson, counted, reported, say, show_table

if TYPE_CHECKING:
    from gapforge.extraction.estimates import CorpusEstimate, StageEstimate

running = typer.Typer()

Config = Annotated[Path | None, typer.Argument(help="TOML file that describes the run; default: the embedded sample.")]
MEGABYTE = 1_000_000
HEADER = ("stage", "sample", "a second", "out", "per million", "CPU", "clock", "disk", "a worker's memory")
REST = "later stages are not estimated: most are small beside these (docs/scale.md)"


@running.command()
@reported
def run(
    config: Config = None,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0 means one for each core.")] = 0,
    engine: Annotated[
        str, typer.Option(help="Where shards are run: local, dask (a cluster on this machine), or dask://HOST:PORT.")
    ] = "local",
    exchange: Annotated[
        str, typer.Option(help="A URL that all machines of a cluster reach (s3://…, gs://…), if they share no disk.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be built, why, and what it would take, and stop.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Build everything that the config describes and that is not there yet."""
    from gapforge_tasks.runs import build, plan

    stages = plan(config, workers, engine, exchange)
    if dry_run:
        plan_ahead(stages, as_json)
        return
    stale = {stage.name for stage in stages if stage.why_stale()}
    # With nothing to do, a read-only folder is fine.
    if stale or os.access(stages[0].run_folder, os.W_OK):
        build(stages)
    rows = [describe(stage) for stage in stages]
    show_stages([it | {"state": "built"} if it["stage"] in stale else it for it in rows], as_json)
    if not as_json:
        ends = {stage.name: stage.folder for stage in stages}
        if "Release" in ends:
            say(f"release: {ends['Release']}")
            say(f"report: {ends['Evaluation'] / 'report.html'}")
        done = "nothing to do: " if not stale else ""
        say(f"{done}{counted(len(stages), 'stage')} up to date in {stages[0].run_folder}")


def plan_ahead(stages: list[Any], as_json: bool) -> None:
    """What is there, and what the rest will take; the state of all stages is shown though an input be bad."""
    from gapforge_tasks.runs import estimate_all

    rows = [describe(stage) for stage in stages]
    if not as_json:
        show_stages(rows, as_json)
    estimates, failed = estimate_all(stages)
    if as_json:
        found = {"stages": rows, "estimates": [estimate_as_json(it) for it in estimates]}
        say(json.dumps(found, ensure_ascii=False))
    else:
        show_estimates(estimates)
    if failed:
        raise StageError("\n".join(failed))


@running.command()
@reported
def status(config: Config = None, as_json: AsJson = False) -> None:
    """Show each stage: done, stale (and why) or missing, with its rows and bytes, and what it cost to build.

    Seconds are by the clock, MB the memory of its largest process at the peak.
    """
    from gapforge_tasks.runs import plan

    show_stages([describe(stage) for stage in plan(config)], as_json)


def describe(stage: Any) -> dict[str, Any]:
    from gapforge.engine.parts import read_manifest, read_notes

    try:
        reason = stage.why_stale()
    except InputError as error:  # One bad input must not hide the state of the other stages.
        reason = str(error)
    manifest = read_manifest(stage.folder)
    return {
        "stage": stage.name,
        "state": "missing" if manifest is None and not stage.folder.exists() else "stale" if reason else "done",
        "reason": "" if reason == "missing" else reason,
        "rows_in": manifest.rows_in if manifest else 0,
        "rows": manifest.rows if manifest else 0,
        "rejects": manifest.rejects if manifest else {},
        "bytes": manifest.bytes if manifest else 0,
        "seconds": manifest.seconds if manifest else 0.0,
        "memory": manifest.memory if manifest else 0,
        "notes": read_notes(stage.folder),
        "folder": str(stage.folder),
    }


def show_stages(stages: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        say(json.dumps({"stages": stages}, ensure_ascii=False))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD)
    for heading in ("stage", "state"):
        table.add_column(heading)
    for heading in ("in", "out", "bytes", "seconds", "MB"):
        table.add_column(heading, justify="right")
    table.add_column("left out, or why stale")
    for it in stages:
        rejects = ", ".join(f"{count:,} {reason}" for reason, count in it["rejects"].items())
        figures = [f"{it['rows_in']:,}", f"{it['rows']:,}", f"{it['bytes']:,}", f"{it['seconds']:.1f}"]
        figures.append(f"{it['memory'] / MEGABYTE:,.0f}")
        table.add_row(it["stage"], it["state"], *figures, escape(it["reason"] or rejects))
    # A log or a pipe has no width of its own; cutting figures to 80 columns there would lose them.
    Console(width=None if sys.stdout.isatty() else 200).print(table)
    for it in stages:
        for note in it["notes"]:
            say(f"{it['stage']}: {note}")


def estimate_as_json(estimate: "CorpusEstimate") -> dict[str, Any]:
    return asdict(estimate) | estimate.totals


def show_estimates(estimates: "list[CorpusEstimate]") -> None:
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


def row_of(it: "StageEstimate") -> tuple[str, ...]:
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
