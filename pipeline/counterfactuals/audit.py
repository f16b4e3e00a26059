"""Errors in a GAP or Counter-GAP file, published ones too: each with its row, kind, place, and what it should be.

Rows are looked at by themselves (offsets, cells, duplicates), quadruples as a whole: the
original's text is rewritten by our own rules, with the names that the file itself gives to the
four people, and every place where a counterfactual differs from that is sorted by kind.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.counterfactuals.cast import is_no_person, is_part_of_word
from pipeline.counterfactuals.comparison import differences
from pipeline.counterfactuals.possessives import without_possessive
from pipeline.counterfactuals.quadruples import COUNTERFACTUALS
from pipeline.extraction.lexicon import name_lexicon
from pipeline.extraction.pronouns import GENDERS
from pipeline.records import Span, Variant
from pipeline.tsv import Row, cell_of, quadruple_of

PARTS_OF_NAMES = name_lexicon().particles | {"of", "the", "and"}


@dataclass(frozen=True, slots=True)
class Finding:
    """An error: in which row and column, what kind, where in the row's text, what is there and what should be."""

    id: str
    kind: str
    column: str
    start: int
    found: str
    expected: str


def audit(rows: Iterable[Row], model: str) -> Iterator[Finding]:
    """All findings, those of rows first, then those of quadruples, each in the order of the file."""
    rows = list(rows)
    yield from audit_repeats(rows)
    for row in rows:
        yield from audit_cells(row)
    for quadruple in quadruples_in(rows):
        yield from audit_quadruple(quadruple, model)


def with_repeats(rows: Iterable[Row]) -> Iterator[tuple[Row, str, str]]:
    """Each row, with the kind of repetition where an earlier one has its id, or its text and pronoun, and whose."""
    ids: set[str] = set()
    places: dict[tuple[str, int], str] = {}
    for row in rows:
        first = places.setdefault((row.text, row.pronoun_offset), row.id)
        kind = "duplicate id" if row.id in ids else "duplicate instance" if first != row.id else ""
        ids.add(row.id)
        yield row, kind, first if kind == "duplicate instance" else row.id


def audit_repeats(rows: Iterable[Row]) -> Iterator[Finding]:
    for row, kind, first in with_repeats(rows):
        if kind:
            column, start = ("ID", 0) if kind == "duplicate id" else ("Text", row.pronoun_offset)
            yield Finding(row.id, kind, column, start, first, "")


def audit_cells(row: Row) -> Iterator[Finding]:
    if row.pronoun.lower() not in GENDERS:
        yield Finding(row.id, "no pronoun", "Pronoun", row.pronoun_offset, row.pronoun, "")
    for column, cell, start in (
        ("Pronoun", row.pronoun, row.pronoun_offset),
        ("A", row.a, row.a_offset),
        ("B", row.b, row.b_offset),
    ):
        if not cell.strip():
            yield Finding(row.id, "empty cell", column, start, cell, "")
            continue
        there = row.text[start : start + len(cell)]
        if there != cell:
            yield Finding(row.id, "wrong offset", f"{column}-offset", start, there, nearest(row.text, cell, start))
        elif is_part_of_word(row.text, Span(start, start + len(cell))):
            yield Finding(row.id, "part of a word", f"{column}-offset", start, cell, "")
        bare = without_possessive(cell)
        if column != "Pronoun" and bare != cell and is_possessive(row.text, cell, start):
            yield Finding(row.id, "possessive in name", column, start, cell, bare)
        if column != "Pronoun" and bare and is_no_person(bare):
            yield Finding(row.id, "no name", column, start, cell, "")
        small = [word for word in bare.split() if is_common(word)]
        if column != "Pronoun" and small:
            yield Finding(
                row.id, "word in name", column, start, cell, " ".join(it for it in bare.split() if it not in small)
            )
    if row.a_coref and row.b_coref:
        yield Finding(row.id, "both names true", "B-coref", row.b_offset, "TRUE", "FALSE")


def is_common(word: str) -> bool:
    """Whether a word within a name is none of it; a star stands for a letter in GAP's own files."""
    return word.islower() and word.isalpha() and len(word) > 2 and word not in PARTS_OF_NAMES


def is_possessive(text: str, cell: str, start: int) -> bool:
    """Whether the cell ends in a possessive, not in the closing mark of a quotation."""
    return cell.endswith("s") or text[start + len(cell) : start + len(cell) + 1] == " "


def nearest(text: str, cell: str, start: int) -> str:
    """The offset of the cell that is nearest to the one given; empty where the text has no such words."""
    found = [match.start() for match in re.finditer(re.escape(cell), text)] if cell else []
    return str(min(found, key=lambda it: abs(it - start))) if found else ""


Group = dict[Variant, Row]


def quadruples_in(rows: Sequence[Row]) -> Iterator[Group]:
    """The rows that belong together by their ids, in the order of the originals; files of originals have none."""
    groups: dict[str, Group] = defaultdict(dict)
    for row in rows:
        stem, variant = quadruple_of(row.id)
        groups[stem].setdefault(variant, row)
    yield from (group for group in groups.values() if len(group) > 1)


def audit_quadruple(group: Group, model: str) -> Iterator[Finding]:
    first = next(iter(group.values()))
    missing = [variant for variant in ("original", *COUNTERFACTUALS) if variant not in group]
    if missing:
        yield Finding(first.id, "incomplete quadruple", "ID", 0, "", missing[0])
        return
    original = group["original"]
    for variant in COUNTERFACTUALS:
        row = group[variant]
        for column, start, label, wanted in (
            ("A-coref", row.a_offset, row.a_coref, original.a_coref),
            ("B-coref", row.b_offset, row.b_coref, original.b_coref),
        ):
            if label != wanted:
                yield Finding(row.id, "other label", column, start, cell_of(label), cell_of(wanted))
    for variant, found in differences(group, model):
        yield Finding(group[variant].id, found.kind, found.column, found.start, found.found, found.expected)
