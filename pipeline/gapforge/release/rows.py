"""Labelled records as the rows that users load, and these rows in the forms in which others publish them."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gapforge.errors import InputError
from gapforge.evaluation.files import write_weights
from gapforge.evaluation.gold import ANSWERS, items_of_released
from gapforge.records import LabelledExample, LabelledInstance, SubjectiveExample, Weight, WinoBiasSentence, fields_of
from gapforge.release.conllfiles import write_conll
from gapforge.release.layout import LABELLED, SPLITS, stem_of
from gapforge.released import ReleasedExample, ReleasedInstance, ReleasedRow, ReleasedSubjective, Tables
from gapforge.storage.tsv import Row, write_counter_gap, write_gap
from gapforge.winobias.forms import write_forms

WHOLE = "test"  # the one split of a set that has no others


def released_example(it: LabelledExample, weight: float | None) -> ReleasedExample:
    return ReleasedExample(**fields_of(shared(it)), page_entity=it.page_entity, weight=weight)


def released_instance(it: LabelledInstance) -> ReleasedInstance:
    return ReleasedInstance(
        **fields_of(shared(it)),
        quadruple_id=it.quadruple_id,
        variant=it.variant,
        people=it.people,
        contradictions=it.contradictions,
    )


def released_subjective(it: SubjectiveExample) -> ReleasedSubjective:
    return ReleasedSubjective(
        **fields_of(shared(it)),
        page_entity=it.page_entity,
        original_text=it.original_text,
        converted=it.converted,
        edits=it.edits,
    )


def shared(it: LabelledExample | LabelledInstance) -> ReleasedRow:
    """The columns that every labelled row has."""
    pronoun, a, b = (it.text[span.start : span.end] for span in (it.pronoun, it.name_a, it.name_b))
    a_coref, b_coref = ANSWERS[it.label]
    return ReleasedRow(
        id=it.id,
        text=it.text,
        pronoun=pronoun,
        pronoun_offset=it.pronoun.start,
        a=a,
        a_offset=it.name_a.start,
        a_coref=a_coref,
        b=b,
        b_offset=it.name_b.start,
        b_coref=b_coref,
        url=it.url,
        gender=it.gender,
        pattern=it.pattern,
        label=it.label,
        agreement=it.agreement,
        standard=it.standard,
        corpus=it.corpus,
        document_id=it.document_id,
        document_offset=it.start,
    )


def tables_of(
    examples: Iterable[LabelledExample],
    instances: Iterable[LabelledInstance],
    subjective: Iterable[SubjectiveExample],
    sentences: Iterable[WinoBiasSentence],
    weights: Iterable[Weight],
    weighed: str,
) -> Tables:
    """The tables of a release in order, sets without rows left out; `weighed` is the split that the weights are of."""
    weight_of = {it.instance_id: it for it in weights}
    gap: dict[str, list[ReleasedExample]] = {split: [] for split in SPLITS}
    for it in examples:
        weight = weight_of[it.id].weight if it.id in weight_of else None
        gap[it.split].append(released_example(it, weight))
    variants: dict[str, list[ReleasedSubjective]] = {split: [] for split in SPLITS}
    for variant in subjective:
        variants[variant.split].append(released_subjective(variant))
    winobias: dict[str, list[WinoBiasSentence]] = {split: [] for split in SPLITS}
    for sentence in sentences:
        winobias[sentence.split].append(sentence)
    unknown = weight_of.keys() - {row.id for row in gap[weighed]}
    if unknown:
        raise InputError(f"weights of {min(unknown)}, which is no row of {weighed}; build the weights again")
    tables: dict[str, dict[str, Sequence[object]]] = {
        "gap": {split: rows for split, rows in gap.items() if rows},
        "counter_gap": {WHOLE: [released_instance(it) for it in instances]},
        "gap_subjective": {split: rows for split, rows in variants.items() if rows},
        "winobias": {split: rows for split, rows in winobias.items() if rows},
        "gap_weights": {weighed: list(weight_of.values())},
    }
    return {name: splits for name, splits in tables.items() if any(splits.values())}


def published(row: ReleasedRow) -> Row:
    """The row in GAP's columns; what Counter-GAP calls its book is the document here."""
    source = row.document_id if isinstance(row, ReleasedInstance) else row.url
    return Row(
        row.id,
        row.text,
        row.pronoun,
        row.pronoun_offset,
        row.a,
        row.a_offset,
        row.a_coref,
        row.b,
        row.b_offset,
        row.b_coref,
        source,
    )


def write_exports(tables: Tables, folder: Path) -> None:
    """The rows in their published forms: TSV in the columns of GAP and Counter-GAP, WinoBias as bracketed text, both as
    CoNLL-2012, and weights as JSON.
    """
    forms = {"tsv": any(name in tables for name in LABELLED), "conll": True, "text": "winobias" in tables}
    for form in (form for form, wanted in forms.items() if wanted):
        (folder / form).mkdir(exist_ok=True)
    for rows in tables.get("winobias", {}).values():
        write_forms(rows, folder / "text", folder / "conll")
    for name, write in (("gap", write_gap), ("counter_gap", write_counter_gap), ("gap_subjective", write_gap)):
        for split, rows in tables.get(name, {}).items():
            stem = stem_of(name, split)
            write(folder / "tsv" / f"{stem}.tsv", map(published, rows))
            write_conll(folder / "conll" / f"{stem}.conll", rows, f"{name}/{split}")
    for split, weights in tables.get("gap_weights", {}).items():
        (folder / "weights").mkdir(exist_ok=True)
        write_weight_file(folder / "weights" / f"{stem_of('gap', split)}.json", tables["gap"][split], weights)


def write_weight_file(path: Path, rows: Sequence[ReleasedExample], weights: Sequence[Weight]) -> None:
    of: Mapping[str, float] = {it.instance_id: it.weight for it in weights}
    write_weights(path, [items_of_released(row) for row in rows], of)
