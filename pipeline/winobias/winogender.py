"""Winogender's schemas (Rudinger et al. 2018): a person by occupation, another participant, and a pronoun.

They are published as a table of two columns, `sentid` and `sentence`. The first says it all:
`technician.customer.1.male.txt` is about a technician and a customer, 1 says that the customer is meant (0: the
technician), and the pronoun is a man's. Sentences with "they" measure something else, and are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import InputError
from pipeline.extraction.pronouns import GENDERS
from pipeline.records import Gender, Span
from pipeline.tsv import read_cells

COLUMNS = ("sentid", "sentence")
ID = re.compile(r"([^.]+)\.([^.]+)\.([01])\.(male|female|neutral)(?:\.txt)?")
WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Schema:
    """A sentence with its two people and its pronoun; `answer` is whom the pronoun means."""

    id: str
    text: str
    occupation: Span
    participant: Span
    pronoun: Span
    gender: Gender
    answer: Span


def read_winogender(path: Path) -> list[Schema]:
    """The sentences with a gendered pronoun, in order; InputError names the line that is none of Winogender's."""
    found = [schema for place, cells in read_cells(path, COLUMNS) for schema in schemas_of(cells, place)]
    if not found:
        raise InputError(f"{path}: no sentence with a gendered pronoun; there is nothing to measure")
    return found


def schemas_of(cells: dict[str, str], place: str) -> Iterator[Schema]:
    named = ID.fullmatch(cells["sentid"])
    if not named:
        raise InputError(f"{place}: sentid is {cells['sentid']!r}; wanted one such as technician.customer.1.male.txt")
    if named[4] == "neutral":
        return
    text = cells["sentence"]
    people = [person_in(text, name, place) for name in (named[1], named[2])]
    pronouns = [it for it in WORD.finditer(text) if it[0].lower() in GENDERS]
    wanted: Gender = "masculine" if named[4] == "male" else "feminine"
    if len(pronouns) != 1 or GENDERS[pronouns[0][0].lower()] != wanted:
        raise InputError(f"{place}: {text!r}; wanted one pronoun, {wanted}, as {cells['sentid']} says")
    pronoun = Span(*pronouns[0].span())
    yield Schema(cells["sentid"], text, people[0], people[1], pronoun, wanted, people[int(named[3])])


def person_in(text: str, name: str, place: str) -> Span:
    """Where somebody is mentioned first, with the article; a participant may be called "someone"."""
    found = re.search(rf"\b(?:(?:the|an?)\s+)?{re.escape(name)}\b", text, re.IGNORECASE)
    if not found:
        raise InputError(f"{place}: {text!r} does not mention {name!r}, whom its sentid names")
    return Span(*found.span())
