"""`gapforge verify`, `diff` and `publish`: is a release sound, what changed since another, and off it goes."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gapforge_tasks.cli.console import FAILED, AsJson, counted, reported, say

if TYPE_CHECKING:
    from gapforge.release.diff import ConfigDiff, ReleaseDiff, RowChange
    from gapforge.release.publish import Upload, Uploaded

release = typer.Typer()

FIRST = 10  # ids, files and the like that a person is shown of many; --json has all of them


@release.command()
@reported
def verify(
    folder: Annotated[Path, typer.Argument(help="The folder of a release.", metavar="RELEASE")],
    as_json: AsJson = False,
) -> None:
    """Check a release: checksums, schemas, offsets, minimal pairs, splits, balance, card and Croissant.

    Exit code 1 where anything is wrong; each problem is told by the name of the file.
    """
    from gapforge.release.verify import summary

    found = summary(folder)
    if as_json:
        say(json.dumps(found, ensure_ascii=False))
    else:
        for it in found["findings"]:
            say(f"{it['file']}: {it['problem']}")
        sizes = f"version {found['version']}, {counted(found['files'], 'file')}, {counted(found['rows'], 'row')}"
        problems = counted(len(found["findings"]), "problem")
        say(f"{folder}: {f'sound; {sizes}' if found['sound'] else problems}")
    if not found["sound"]:
        sys.exit(FAILED)


@release.command()
@reported
def diff(
    old: Annotated[Path, typer.Argument(help="The folder of the earlier release.", metavar="OLD")],
    new: Annotated[Path, typer.Argument(help="The folder of the later one.", metavar="NEW")],
    as_json: AsJson = False,
) -> None:
    """Show the rows added, removed and changed between two releases, why, and the version that this calls for.

    Exit code 0 whether they differ or not: a difference is a result.
    """
    from gapforge.release.diff import diff as compare
    from gapforge.release.diff import summary

    found = compare(old, new)
    if as_json:
        say(json.dumps(summary(found), ensure_ascii=False))
    else:
        show_diff(found)


def show_diff(found: "ReleaseDiff") -> None:
    from gapforge.errors import listed

    show_configs(found.configs)
    for it in found.configs:
        for kind, rows in (("added", it.added), ("removed", it.removed), ("changed", it.changed)):
            if rows:
                say(f"{it.config}, {kind}: {listed([name_of(row) for row in rows], FIRST)}")
    files = {"added": found.files_added, "removed": found.files_removed, "changed": found.files_changed}
    for kind, paths in files.items():
        if paths:
            say(f"files {kind}: {listed(paths, FIRST)}")
    for reason in found.because:
        say(f"- {reason}")
    number = f": {found.old.version} -> {found.suggested}" if found.suggested else ""
    say(f"suggested version: {found.level}{number}" if found.level != "none" else "no difference")
    for note in found.notes:
        say(f"note: {note}")


def show_configs(configs: "list[ConfigDiff]") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("config", box=SIMPLE_HEAD)
    for heading in ("old", "new"):
        table.add_column(heading, justify="right")
    for heading in ("added", "removed", "changed"):
        table.add_column(heading)
    for it in configs:
        totals = [f"{it.rows[side]:,}" for side in ("old", "new")]
        kinds = {"added": it.added, "removed": it.removed, "changed": it.changed}
        cells = [cell(rows, it.quadruples.get(kind)) for kind, rows in kinds.items()]
        table.add_row(*map(escape, [it.config, *totals, *cells]))
    # A log or a pipe has no width of its own; cutting figures to 80 columns there would lose them.
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def cell(rows: "list[RowChange]", quadruples: int | None) -> str:
    from gapforge.release.diff import by_reason

    if not rows:
        return "0"
    of = f" of {counted(quadruples, 'quadruple')}" if quadruples else ""
    return f"{len(rows):,}{of}: " + ", ".join(f"{count:,} {reason}" for reason, count in by_reason(rows).items())


def name_of(row: "RowChange") -> str:
    return f"{row.was} -> {row.id}" if row.was and row.was != row.id else row.id


@release.command()
@reported
def publish(
    folder: Annotated[Path, typer.Argument(help="The folder of a release.", metavar="RELEASE")],
    repo: Annotated[str, typer.Option(help="OWNER/NAME of the dataset on the Hugging Face Hub.")],
    dry_run: Annotated[bool, typer.Option(help="Show what would go, and stop.")] = True,
    public: Annotated[
        bool, typer.Option("--public/--private", help="Of a repo that is made now; one that exists stays as it is.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Upload a release to the Hugging Face Hub once it is verified; without --no-dry-run, show what would go.

    The files go in one commit, tagged with the version, which is published once. The token is that of
    `hf auth login` or of HF_TOKEN.
    """
    from gapforge.release.publish import publish as send

    upload, uploaded = send(folder, repo, not public, dry_run)
    if as_json:
        say(json.dumps(publication(upload, uploaded), ensure_ascii=False))
    else:
        show_upload(upload, uploaded)


def publication(upload: "Upload", uploaded: "Uploaded | None") -> dict[str, Any]:
    from dataclasses import asdict

    done = asdict(uploaded) if uploaded else {"commit": "", "deleted": [], "notes": []}
    return asdict(upload) | {"bytes": upload.bytes, "dry_run": uploaded is None} | done


def show_upload(upload: "Upload", uploaded: "Uploaded | None") -> None:
    for it in upload.files:
        say(f"{it.bytes:>15,}  {it.path}")
    total = f"{counted(len(upload.files), 'file')}, {upload.bytes:,} bytes"
    if uploaded is None:
        kind = "private" if upload.private else "public"
        say(f"{total}, would go to {upload.repo}, branch {upload.revision}, tag {upload.tag}; a new repo is {kind}")
        say("nothing was uploaded; add --no-dry-run to upload")
        return
    for path in uploaded.deleted:
        say(f"{'deleted':>15}  {path}")
    for note in uploaded.notes:
        say(f"note: {note}")
    say(f"{total}, uploaded to {upload.repo}, branch {upload.revision}, tag {upload.tag}: {uploaded.commit}")
