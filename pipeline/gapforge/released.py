"""The rows of a release as users load them: the published columns of each set, and where a row comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gapforge.records import AcceptedEdit, Gender, Label, Pattern, Person, Standard, Variant

Tables = Mapping[str, Mapping[str, Sequence[Any]]]  # set, split, rows


def rows_in(tables: Tables, name: str) -> list[Any]:
    """The rows of all splits of a set, in order; none of a set that is not there."""
    return [row for rows in tables.get(name, {}).values() for row in rows]


@dataclass(frozen=True, slots=True)
class ReleasedRow:
    """A labelled row as users load it: GAP's own columns first, offsets in code points, then where it comes from.

    `document_offset` is where `text` begins in the cleaned text of its document.
    """

    id: str
    text: str
    pronoun: str
    pronoun_offset: int
    a: str
    a_offset: int
    a_coref: bool
    b: str
    b_offset: int
    b_coref: bool
    url: str
    gender: Gender
    pattern: Pattern
    label: Label
    agreement: float
    standard: Standard
    corpus: str
    document_id: str
    document_offset: int


@dataclass(frozen=True, slots=True)
class ReleasedExample(ReleasedRow):
    """A row of the set `gap`; its weight is None in splits that are not weighed."""

    page_entity: bool
    weight: float | None


@dataclass(frozen=True, slots=True)
class ReleasedSubjective(ReleasedRow):
    """A row of the set `gap_subjective`: the subjective variant of the row of `gap` with the same id."""

    page_entity: bool
    original_text: str
    converted: bool
    edits: list[AcceptedEdit]


@dataclass(frozen=True, slots=True)
class ReleasedInstance(ReleasedRow):
    """A row of the set `counter_gap`: one of the four texts of a quadruple, with the four people in it."""

    quadruple_id: str
    variant: Variant
    people: list[Person]
    contradictions: list[str]
