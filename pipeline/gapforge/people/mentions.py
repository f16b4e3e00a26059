"""Mentions of people, with gender and its reason; `aliases` says who is who.

The model alone misses half of the names (DEFINITIONS, "People"). Here a run of capitals is a
mention where a title, a first name, the model or the rest of the document speaks for it, and
nothing speaks against it: a kind of place or body after it, an article before it, a word that
the document writes small elsewhere.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from gapforge.nlp.reading import Label, reader_of
from gapforge.people.lexicon import name_lexicon
from gapforge.people.names import SAINTS, Name, Run, is_given, is_title, read_name, word_gender
from gapforge.people.outline import Outline, Roster, make_outline
from gapforge.records import OTHER, Document, Gender, Span

Reason = Literal["title", "first name", "alias", "pronouns", "unknown"]

# What the model calls things that are no people.
PLACES = frozenset(("GPE", "LOC", "FAC"))
OTHERS = PLACES | {"ORG", "NORP", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE", "DATE", "TIME"}


# Endings of common nouns and adverbs, which begin a sentence without an article.
NOUN = re.compile(
    r"(?:[^s]s|ing|ly|ion|ment|ness|ity|ism|ed|ogy|ence|ance|ure|ship|hood|age|ter|ght|ct|ant|ent|ics|ward|wise|thing|where)$"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A run read as a name, with the labels that the model gives to it."""

    run: Run
    name: Name
    labels: frozenset[str]


@dataclass(frozen=True, slots=True)
class Mention:
    name: Name
    gender: Gender | None
    reason: Reason
    sure: bool  # a title or the model says so, and it is no aside in brackets

    @property
    def span(self) -> Span:
        return self.name.span


def read_names(outline: Outline, numbers: Iterable[int], model: str) -> dict[int, list[Reading]]:
    """The names in these sentences; the model is asked about those that hold a capital at all."""
    numbers = list(numbers)
    asked = [number for number in numbers if outline.runs[number]]
    entities = reader_of(model).entities(outline.text_of(number) for number in asked)
    found = {
        number: read_sentence(outline.runs[number], labels, outline.sentences[number].start)
        for number, labels in zip(asked, entities, strict=True)
    }
    return {number: found.get(number, []) for number in numbers}


def mentions_in(document: Document, model: str) -> tuple[Outline, list[Mention]]:
    """The outline of a document, and every mention of a person in it; the model is asked about all of it."""
    outline = make_outline(document)
    readings = read_names(outline, range(len(outline.sentences)), model)
    return outline, find_mentions([reading for found in readings.values() for reading in found], outline.roster)


def read_sentence(runs: Sequence[Run], entities: Sequence[Label], offset: int) -> list[Reading]:
    """The names in a sentence that begins at `offset`; the model's entities are given with offsets into it."""
    names = [(run, name) for run in runs if (name := read_name(run, words_before_person(run, entities, offset)))]
    return [Reading(run, name, labels_on(name.span, entities, offset)) for run, name in names]


def words_before_person(run: Run, entities: Iterable[Label], offset: int) -> int:
    """How many words of a run stand before the person that the model sees in it: "Sharks Captain Ben Ross"."""
    starts = {start + offset for start, _, label in entities if label == "PERSON"}
    found = next((n for n, word in enumerate(run.words) if word.start in starts), 0)
    return 0 if is_title([word.text for word in run.words], found - 1) else found


def labels_on(span: Span, entities: Iterable[Label], offset: int) -> frozenset[str]:
    return frozenset(label for start, end, label in entities if start < span.end - offset and span.start - offset < end)


def find_mentions(readings: Sequence[Reading], roster: Roster) -> list[Mention]:
    """The mentions of people among the names of one scope; a name vouched for once in it is known all over it."""
    found = vouched(readings, roster)
    return [
        Mention(it.name, *gender_of(it.name, roster), is_sure(it)) for it in readings if is_person(it, roster, found)
    ]


def is_sure(reading: Reading) -> bool:
    return (bool(reading.name.titles) or "PERSON" in reading.labels) and not reading.run.aside


def vouched(readings: Sequence[Reading], roster: Roster) -> frozenset[str]:
    """The words that the model or their company take for names of people more often than for places."""
    votes: Counter[str] = Counter()
    for n, it in enumerate(readings):
        first, last = it.name.words[0], it.name.words[-1]
        if it.name.after_article or is_kind(it.name) or (it.name.initial and roster.is_word(first)):
            continue
        if "PERSON" not in it.labels and is_silent(it):
            continue
        vote = ("PERSON" in it.labels) + 2 * it.run.cued - bool(it.labels & PLACES) - it.run.in_place
        vote += acts_as_person(it) or beside_person(readings, n)
        for word in {first, last} if is_given(first) else {last}:
            votes[word] += vote
    return frozenset(word for word, count in votes.items() if count > 0)


def is_silent(reading: Reading) -> bool:
    """Capitals throughout, or those of a noun at the beginning of a sentence, speak for nobody."""
    word = reading.run.words[-1].text
    return word.isupper() or (
        reading.name.initial and not reading.labels and (len(word) < 5 or NOUN.search(word) is not None)
    )


def acts_as_person(reading: Reading) -> bool:
    """Whether a name that the model calls an organisation, or nothing, does what people do.

    A lone surname is an organisation to the model more often than not.
    """
    alone = len(reading.name.words) == 1 or is_given(reading.name.words[0])
    return alone and reading.run.acting and not reading.labels - {"ORG"}


def beside_person(readings: Sequence[Reading], n: int) -> bool:
    """Whether "and" joins a name to a full one: "Flagstad and Sonja Henie"."""
    beside = [readings[n - 1]] if n and readings[n].run.paired else []
    beside += [it for it in readings[n + 1 : n + 2] if it.run.paired]
    return any("PERSON" in it.labels and is_given(it.name.words[0]) for it in beside)


def is_person(reading: Reading, roster: Roster, found: frozenset[str]) -> bool:
    lexicon = name_lexicon()
    run, name, labels = reading.run, reading.name, reading.labels
    first, last = name.words[0], name.words[-1]
    alone = len(name.words) == 1
    if lexicon.personal.intersection(name.titles):
        return True
    if is_kind(name):
        named = bool(name.titles) or (is_given(first) and "PERSON" in labels and not roster.is_place(name.form))
        return last in lexicon.kinds_and_surnames and named and not labels & OTHERS
    if first in SAINTS and not alone:
        return len(name.words) > 2 or (roster.firsts[first] > 0 and not labels & PLACES)
    if name.titles:
        place = name.titles == ("Saint",) and alone and labels & PLACES  # Saint Louis
        return not place and (alone or first not in lexicon.heads)
    if run.thing or (roster.is_place(name.form) and not run.cued):
        return False
    if name.after_article and (alone or not is_given(first) or not labels & {"PERSON", "ORG"}):
        return False  # "the Clarion", but "the Agatha Christie novel"
    if (first in lexicon.heads and not alone) or (alone and name.initial and roster.is_word(first)):
        return False
    if "PERSON" not in labels and all(word.text.isupper() for word in run.words):
        given = is_given(first) and first not in lexicon.double and len(first) > 2
        return roster.is_known(last) or (given and not labels & OTHERS)
    # A full name has itself put its surname on the roster: that proves nothing.
    known = (roster.is_known(last) if alone else last in roster.titled) or last in found or first in found
    if first in lexicon.places:
        if alone:
            return known or not (name.initial or labels or run.in_place or run.after_to)
        return known or "PERSON" in labels or not labels & OTHERS
    if first in lexicon.double:
        if alone and first in lexicon.titles:  # "for King and country"
            return "PERSON" in labels or known
        return "PERSON" in labels or known or not ((alone and name.initial) or labels & (OTHERS - {"ORG"}))
    return known or is_given(first) or ("PERSON" in labels and not alone)


def is_kind(name: Name) -> bool:
    """Whether a run ends in what makes it a place, a body or a work; Mr. Hall, and Hall by itself, may be people."""
    lexicon = name_lexicon()
    last = name.words[-1]
    return last in lexicon.kinds and not (len(name.words) == 1 and last in lexicon.kinds_and_surnames)


def gender_of(name: Name, roster: Roster) -> tuple[Gender | None, Reason]:
    """By title, else by first name; a surname alone says nothing, whichever girl is called Mackenzie."""
    first = name.words[0]
    titled = name.title_gender
    if titled and not name_lexicon().traditional.issuperset(name.titles):
        return titled, "title"  # Mrs. Joe Gargery is a woman.
    if titled:  # So is Captain Maria Lopez.
        named = word_gender(first) if len(name.words) > 1 else roster.first_names_gender(first)
        if named in (None, titled):
            return titled, "title"
        # Captain Briggs may be Sarah Briggs or her husband.
        return (named, "first name") if len(name.words) > 1 else (None, "unknown")
    if len(name.words) == 1 and (name.titles or roster.is_surname(first)) and not is_masculine_first_name(name, roster):
        gender = roster.owner_gender(first)
        return gender, "alias" if gender else "unknown"
    gender = word_gender(name.words[1] if first in SAINTS and len(name.words) > 1 else first)
    if gender and roster.is_called(first, OTHER[gender]):
        return OTHER[gender], "pronouns"
    return gender, "first name" if gender else "unknown"


def is_masculine_first_name(name: Name, roster: Roster) -> bool:
    """Dr. Mike is called by his first name. Dr. Mackenzie is not, and nothing is concluded from a surname."""
    if name.words[0] in roster.surnames:
        return False
    return (
        bool(name.titles) and word_gender(name.words[0]) == "masculine" and name.words[0] not in name_lexicon().surnames
    )
