"""`gapforge augment`, `name-pairs` and `balance`: training data in which gender tells nothing."""

import json
from pathlib import Path
from typing import Annotated

import typer

from gapforge_tasks.cli.console import DEFAULT_MODEL, AsJson, counted, reported, say

augmentation = typer.Typer()


@augmentation.command()
@reported
def augment(
    corpus: Annotated[Path, typer.Argument(help="CoNLL-2012 columns, as OntoNotes has them.", metavar="IN.conll")],
    output: Annotated[Path, typer.Option("-o", "--output", help="OUT.conll")],
    method: Annotated[
        str,
        typer.Option(help="swap: gendered words; a-cda: and names to E1, E2 …; n-cda: and first names to partners."),
    ],
    anonymise_originals: Annotated[
        bool, typer.Option("--anonymise-originals", help="a-cda: put placeholders into the originals as well.")
    ] = False,
    model: Annotated[
        str, typer.Option(help="The spaCy model that reads sentences without tags, or a folder that holds one.")
    ] = DEFAULT_MODEL,
    as_json: AsJson = False,
) -> None:
    """Write the documents of a CoNLL file and then their gender-swapped counterparts; clusters stay as they are."""
    from gapforge.counterfactuals.augmented import augment_file

    summary = augment_file(corpus, output, method, anonymise_originals, model)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
    else:
        size = f"{counted(summary['documents'], 'document')}, {counted(summary['tokens'], 'token')}"
        say(f"{size} in {output}, half of them counterparts by {method}")


@augmentation.command("name-pairs")
@reported
def name_pairs(
    output: Annotated[Path, typer.Option("-o", "--output", help="OUT.tsv")],
    as_json: AsJson = False,
) -> None:
    """Write the first names of men and women that n-cda exchanges, in pairs, with what each pair costs."""
    from gapforge.counterfactuals.augmented import write_name_pairs

    summary = write_name_pairs(output)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
    else:
        costs = ", ".join(f"{it['pairs']:,} {kind} at {it['cost']:,.2f}" for kind, it in summary["kinds"].items())
        say(f"{counted(summary['pairs'], 'pair')} in {output}: {costs}")


@augmentation.command()
@reported
def balance(
    counts: Annotated[Path, typer.Argument(help="A phrase, a tab, then masculine, feminine and other counts.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The same list; compressed where it ends in .gz.")],
    as_json: AsJson = False,
) -> None:
    """Make the masculine and feminine counts of a gender list equal, phrase by phrase."""
    from gapforge.counterfactuals.augmented import balance_list

    summary = balance_list(counts, output)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
    else:
        say(f"{counted(summary['phrases'], 'phrase')} in {output}, {summary['changed']:,} of them changed")
