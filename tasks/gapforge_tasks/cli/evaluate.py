"""`gapforge evaluate`, `resolve` and `weigh`: systems measured on any set, baselines, and weights for a set."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from gapforge.errors import ConfigError

from gapforge_tasks.cli.console import DEFAULT_MODEL, AsJson, counted, reported, say, show_table

evaluation = typer.Typer()

Gold = Annotated[
    Path,
    typer.Argument(
        help="GAP or Counter-GAP rows (.tsv), WinoBias text or a folder of it, Winogender, CoNLL-2012, or a release.",
        metavar="GOLD",
    ),
]
Rows = Annotated[Path, typer.Argument(help="GAP, Counter-GAP or Winogender rows (.tsv), or a release.", metavar="GOLD")]
Kind = Annotated[
    str,
    typer.Option(
        help="gap, counter-gap, gap-subjective, winobias, winogender, conll or release; default: recognised from the "
        "file, the subjective variant of GAP as gap."
    ),
]
Split = Annotated[str, typer.Option(help="development, validation or test, of the GAP examples of a release.")]
Report = Annotated[Path | None, typer.Option(help="Write the figures with charts to this .html file.")]


@evaluation.command()
@reported
def evaluate(
    gold: Gold,
    predictions: Annotated[
        list[Path], typer.Argument(help="ID, A-coref, B-coref (.tsv), or CoNLL; several files are compared.")
    ],
    kind: Kind = "",
    weights: Annotated[Path | None, typer.Option(help="Weights of the gold's rows, as `gapforge weigh` makes.")] = None,
    missing_as_negative: Annotated[
        bool, typer.Option("--missing-as-negative", help="Count what is missing or malformed as naming nobody.")
    ] = False,
    variant: Annotated[
        list[Path] | None,
        typer.Option(
            help="What a system says of the subjective variant of GAP (.tsv); repeated in the order of the predictions."
        ),
    ] = None,
    split: Split = "",
    report: Report = None,
    resamples: Annotated[int, typer.Option(help="Of the bootstrap, and rounds of paired tests.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Of the resampling.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure predictions: every metric that fits the set, each figure with its 95 % interval."""
    from gapforge.evaluation.commands import evaluate as measure

    chosen = kind, weights, missing_as_negative, split, report, resamples, seed, variant or ()
    found = measure(gold, predictions, *chosen)
    if as_json:
        say(json.dumps(found, ensure_ascii=False))
        return
    sets = found.get("datasets", {found["dataset"]: found})
    if variant:
        from gapforge.release.subjectivity import change_section

        for table in change_section(sets["gap"], sets["gap-subjective"], [predictions[0].stem], split).tables:
            show_table(table.caption, table.header, table.rows)
    for name, result in sets.items():
        show(name, result, predictions[0].stem)


def show(name: str, result: dict[str, Any], system: str) -> None:
    from gapforge.report.page import comparison_tables, figure_table, group_tables, notes_on

    say(f"{name}: {'; '.join(notes_on(result))}")
    for table in (figure_table(result, system), *comparison_tables(result), *group_tables(result)):
        show_table(table.caption, table.header, table.rows)


@evaluation.command()
@reported
def resolve(
    gold: Rows,
    resolver: Annotated[
        str,
        typer.Option(
            help="random, token-distance, topical, syntactic, parallelism, parallelism-url, dist-K, ranker; attention, "
            "encoder; fastcoref, maverick, spacy-coref, server; or your own package.module:function."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="PREDICTIONS.tsv")],
    gold_two_mentions: Annotated[
        bool, typer.Option("--gold-two-mentions", help="Choose among the two given names alone.")
    ] = False,
    train: Annotated[
        list[Path] | None, typer.Option(help="Labelled rows to learn from, or to choose a head on; may be repeated.")
    ] = None,
    names: Annotated[
        Path | None, typer.Option(help="Spans of every personal name, for dist-K; default: found in the text.")
    ] = None,
    model: Annotated[str, typer.Option(help="An installed spaCy model, or a folder that holds one.")] = "",
    seed: Annotated[int | None, typer.Option(help="Of a resolver that draws or learns.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE, an option of the resolver; may be repeated.")
    ] = None,
    kind: Kind = "",
    split: Split = "",
    as_json: AsJson = False,
) -> None:
    """Resolve the pronouns of a set with a baseline, a neural resolver, a server or a plug-in."""
    from gapforge.evaluation.commands import resolve_file

    options: dict[str, Any] = dict(map(option_of, option or []))
    given = {"gold_two_mentions": gold_two_mentions or None, "model": model or None, "seed": seed}
    options |= {name: value for name, value in given.items() if value is not None}
    found = resolve_file(gold, resolver, output, kind, train or [], names, options, split)
    if as_json:
        say(json.dumps(found, ensure_ascii=False))
        return
    labels = ", ".join(f"{count:,} {label}" for label, count in found["labels"].items() if count)
    say(f"{counted(found['instances'], 'instance')} in {output}: {labels}")


def option_of(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ConfigError(f"--option {text!r}: wanted NAME=VALUE")
    return name, value


@evaluation.command()
@reported
def weigh(
    gold: Rows,
    output: Annotated[Path, typer.Option("-o", "--output", help="WEIGHTS.json")],
    names: Annotated[
        Path | None, typer.Option(help="Spans of every personal name (.json); default: found in the texts.")
    ] = None,
    trim: Annotated[
        bool, typer.Option("--trim", help="Leave out rows with over 15 names, or a true name beyond the 4th.")
    ] = False,
    keep: Annotated[
        list[str] | None, typer.Option(help="A rule of trimming, such as 'number <= 12'; may be repeated.")
    ] = None,
    without: Annotated[list[str] | None, typer.Option(help="Do not balance number or distance.")] = None,
    property: Annotated[
        list[str] | None, typer.Option(help="Balance this as well: your own package.module:function; may be repeated.")
    ] = None,
    group: Annotated[str, typer.Option(help="Between which groups: gender, or package.module:function.")] = "gender",
    model: Annotated[str, typer.Option(help="The spaCy model that finds names.")] = DEFAULT_MODEL,
    write_names: Annotated[Path | None, typer.Option(help="Write the spans that were used to this .json file.")] = None,
    report: Report = None,
    kind: Kind = "",
    split: Split = "",
    as_json: AsJson = False,
) -> None:
    """Weigh the rows of a test set, so that what is no bias differs no more between two groups."""
    from gapforge.evaluation.weighing import weigh_file

    rules = keep or (), without or (), property or ()
    found = weigh_file(gold, output, names, trim, *rules, group, model, write_names, report, kind, split)
    if as_json:
        say(json.dumps(found, ensure_ascii=False))
        return
    for it in found["statistics"]:
        say(f"{it['property']}, {it['group']}: mean {it['mean']:.2f}, deviation {it['deviation']:.2f}")
    for it in found["weightings"]:
        for note in it["notes"]:
            say(note)
        say(f"weights: {it['output']}")
