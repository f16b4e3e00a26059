"""The command line: a thin layer over the same functions that the tasks call.

Exit codes: 0 done, 1 a stage or an input failed, 2 bad usage or config, 3 another run
holds the lock, 130 interrupted, 141 standard output closed, 143 terminated. Results go to standard output, progress
and errors to standard error.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from gapforge.corpora.source import LARGEST_DOCUMENT, ReadSettings
from gapforge.errors import InputError, StageError

from gapforge_tasks.cli.annotate import annotation
from gapforge_tasks.cli.augment import augmentation
from gapforge_tasks.cli.console import DEFAULT_MODEL, FAILED, AsJson, counted, reported, say, terminate
from gapforge_tasks.cli.evaluate import evaluation
from gapforge_tasks.cli.release import release
from gapforge_tasks.cli.subjective import rating, subjectivity

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Regenerates gender-bias coreference datasets from raw corpora, and measures models on them.",
    epilog="Exit codes: 0 done, 1 a stage or an input failed, 2 bad usage or config, 3 another run holds the lock, "
    "130 interrupted, 141 standard output closed, 143 terminated.",
)

Config = Annotated[Path | None, typer.Argument(help="TOML file that describes the run; default: the embedded sample.")]
Files = Annotated[
    list[str], typer.Argument(help="Text, JSONL, EPUB, Gutenberg or Wikipedia files, or folders of them.")
]
Model = Annotated[str, typer.Option(help="An installed spaCy model, or a folder that holds one.")]
Format = Annotated[str, typer.Option(help="auto, wikipedia, gutenberg, epub, text, jsonl or dataset.")]
MEGABYTE = 1_000_000
Encoding = Annotated[str, typer.Option(help="Encoding of text files that are not UTF-8.")]
Largest = Annotated[int, typer.Option(min=1, help="Characters above which a page, book or row is left out.")]


def main() -> None:
    signal.signal(signal.SIGTERM, terminate)
    app()


def show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"gapforge {version('gapforge')}")
        raise typer.Exit


@app.callback()
def options(
    show: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options that hold for every command."""


@app.command()
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
    from gapforge_tasks.cli import estimates as cli_estimates
    from gapforge_tasks.runs import estimate_all

    rows = [describe(stage) for stage in stages]
    if not as_json:
        show_stages(rows, as_json)
    estimates, failed = estimate_all(stages)
    if as_json:
        found = {"stages": rows, "estimates": [cli_estimates.as_json(it) for it in estimates]}
        say(json.dumps(found, ensure_ascii=False))
    else:
        cli_estimates.show_estimates(estimates)
    if failed:
        raise StageError("\n".join(failed))


@app.command()
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


@app.command()
@reported
def documents(
    files: Annotated[list[str], typer.Argument(help="Dumps, books, EPUB, text, JSONL, datasets, or folders of them.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="OUT.jsonl or OUT.parquet")],
    format: Format = "auto",
    encoding: Encoding = "",
    largest_document: Largest = LARGEST_DOCUMENT,
    rejects: Annotated[Path | None, typer.Option(help="Write what was left out, and why, to this .jsonl file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Clean raw files into documents: one record each with id, title, author, url, text and sections."""
    from gapforge.corpora.export import export_documents

    settings = ReadSettings(format=format, encoding=encoding, largest_document=largest_document)
    summary = export_documents(files, output, rejects, settings)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
    else:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in summary["rejects"].items()) or "none"
        say(f"{counted(summary['documents'], 'document')} in {output}; left out: {reasons}")


@app.command()
@reported
def names(
    files: Files,
    format: Format = "auto",
    encoding: Encoding = "",
    model: Model = DEFAULT_MODEL,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line for each document.")] = False,
) -> None:
    """Find the people in texts: mentions, the names they go by, and their gender with the reason for it."""
    from gapforge.extraction.commands import name_people
    from gapforge.storage.files import json_line

    for found in name_people(files, format, encoding, model):
        if as_json:
            say(json_line(found))
            continue
        say(f"{found['file']}: {found['document_id']}")
        for person in found["people"]:
            forms = dict.fromkeys(" ".join(mention["text"].split()) for mention in person["mentions"])
            known = f"{person['gender']}, {person['reason']}" if person["gender"] != "unknown" else "unknown"
            say(f"  {person['name']} ({known}): {counted(len(person['mentions']), 'mention')}; {', '.join(forms)}")


@app.command()
@reported
def extract(
    files: Files,
    kind: Annotated[str, typer.Option(help="gap or counter-gap.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="OUT.jsonl or OUT.parquet")],
    rejects: Annotated[
        Path | None,
        typer.Option(help="Write every pronoun that is no candidate, and why, to this .jsonl or .parquet file."),
    ] = None,
    format: Format = "auto",
    encoding: Encoding = "",
    model: Model = DEFAULT_MODEL,
    as_json: AsJson = False,
) -> None:
    """Find ambiguous pronouns with their two names: one record a candidate."""
    from gapforge.extraction.commands import extract as extract_candidates

    summary = extract_candidates(files, output, rejects, kind, format, encoding, model)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
    else:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in summary["rejects"].items()) or "none"
        found = counted(summary["candidates"], "candidate")
        say(f"{found} from {counted(summary['documents'], 'document')} in {output}; other pronouns: {reasons}")


@app.command()
@reported
def counterfactual(
    rows: Annotated[Path, typer.Argument(help="Original instances in Counter-GAP's columns.", metavar="IN.tsv")],
    output: Annotated[Path, typer.Option("-o", "--output", help="OUT.tsv")],
    rejects: Annotated[
        Path | None,
        typer.Option(help="Write the originals without a quadruple, and why, to this .jsonl or .parquet file."),
    ] = None,
    model: Model = DEFAULT_MODEL,
    as_json: AsJson = False,
) -> None:
    """Make quadruples of original instances: the original, its control and two gender-swapped texts."""
    from gapforge.counterfactuals.commands import counterfactual as make

    summary = make(rows, output, rejects, model)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
        return
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in summary["rejects"].items()) or "none"
    say(f"{counted(summary['quadruples'], 'quadruple')} in {output}; left out: {reasons}")
    if summary["flagged"]:
        say(f"{len(summary['flagged']):,} of them hold words to check against common sense; --json lists them")


@app.command()
@reported
def swap(
    file: Annotated[Path | None, typer.Argument(help="A text file; default: standard input.")] = None,
    model: Model = DEFAULT_MODEL,
    as_json: AsJson = False,
) -> None:
    """Exchange the gendered words of a text, names excepted; the result goes to standard output."""
    from gapforge.counterfactuals.commands import swap as swap_parts

    parts = swap_parts(file, model)
    if as_json:
        say(json.dumps({"text": "".join(parts)}, ensure_ascii=False))
        return
    for part in parts:
        sys.stdout.write(part)


@app.command()
@reported
def audit(
    file: Annotated[Path, typer.Argument(help="A GAP or Counter-GAP file.", metavar="FILE.tsv")],
    model: Model = DEFAULT_MODEL,
    as_json: AsJson = False,
) -> None:
    """Find errors in a GAP or Counter-GAP file; exit code 1 where there are any."""
    from gapforge.counterfactuals.commands import audit as find

    found = find(file, model)
    if as_json:
        say(json.dumps(found, ensure_ascii=False))
    else:
        for it in found["findings"]:
            say(
                f"{it['id']}: {it['kind']}, {it['column']} at {it['start']}: {it['found']!r}, wanted {it['expected']!r}"
            )
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in found["kinds"].items()) or "none"
        say(f"{counted(found['rows'], 'row')}, {counted(len(found['findings']), 'finding')}: {kinds}")
    if found["findings"]:
        sys.exit(FAILED)


app.add_typer(annotation, name="annotate")
app.add_typer(augmentation)
app.add_typer(evaluation)
app.add_typer(release)
app.add_typer(subjectivity)
app.add_typer(rating, name="rate")
