"""An original and its three counterfactuals (Counter-GAP 2.2), each a rewriting of the original's text.

    control   C1 and C2 change places, and O1 and O2
    swap-1    gendered words are exchanged; C1 and O1 change places, and C2 and O2
    swap-2    gendered words are exchanged; C1 and O2 change places, and C2 and O1

Every mention of a person becomes the partner's canonical form, which is the first one met from
the pronoun's sentence backwards. Everything else stays, to the letter.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gapforge.counterfactuals.words import is_bare, with_articles
from gapforge.edits import Edit, Rewriting
from gapforge.records import OTHER, Gender, Person, Role, Span, Variant

# Whose name stands in whose place.
PLACES: dict[Variant, dict[Role, Role]] = {
    "original": {"C1": "C1", "C2": "C2", "O1": "O1", "O2": "O2"},
    "control": {"C1": "C2", "C2": "C1", "O1": "O2", "O2": "O1"},
    "swap-1": {"C1": "O1", "C2": "O2", "O1": "C1", "O2": "C2"},
    "swap-2": {"C1": "O2", "C2": "O1", "O1": "C2", "O2": "C1"},
}
TWO_LETTERS = re.compile(r"[^\W\d_]{2}")
COUNTERFACTUALS: tuple[Variant, ...] = ("control", "swap-1", "swap-2")
SWAPS: tuple[Variant, ...] = ("swap-1", "swap-2")


@dataclass(frozen=True, slots=True)
class Scene:
    """A text with its pronoun, the two names it may refer to, and the four people; roles are places, not persons.

    Whoever stands where C1 stood in the original is C1 in every variant.
    """

    text: str
    gender: Gender
    pronoun: Span
    name_a: Span
    name_b: Span
    people: list[Person]


Quadruple = dict[Variant, Scene]


def make_quadruple(original: Scene, words: Sequence[Edit]) -> Quadruple:
    """The four scenes; `words` are the exchanges of all gendered words of the text, in order."""
    made = {variant: rewrite(original, variant, edits_for(original, variant, words)) for variant in COUNTERFACTUALS}
    return {"original": original, **made}


def edits_for(scene: Scene, variant: Variant, words: Sequence[Edit]) -> list[Edit]:
    """What changes in a variant, in text order.

    A word within a name goes with the name: the Miss of Miss Taylor is never exchanged by itself.
    """
    names = {person.role: person.name for person in scene.people}
    places = PLACES[variant]
    edits = [it for person in scene.people for it in rename(scene.text, person, names[places[person.role]])]
    if variant in SWAPS:
        taken = sorted((edit.span for edit in edits), key=lambda it: it.start)
        edits += outside(words, taken)
    return with_articles(scene.text, sorted(edits, key=lambda it: it.span.start))


def outside(words: Sequence[Edit], taken: Sequence[Span]) -> Iterator[Edit]:
    """The words that overlap nothing taken; both are in text order."""
    starts = [span.start for span in taken]
    for edit in words:
        n = bisect_left(starts, edit.span.end)
        if not n or taken[n - 1].end <= edit.span.start:
            yield edit


def rewrite(scene: Scene, variant: Variant, edits: Sequence[Edit]) -> Scene:
    done = Rewriting(scene.text, edits)
    names = {person.role: person.name for person in scene.people}
    swapped = variant in SWAPS
    people = [
        Person(
            person.role,
            names[PLACES[variant][person.role]],
            OTHER[person.gender] if swapped else person.gender,
            [done.move(mention) for mention in person.mentions],
        )
        for person in scene.people
    ]
    gender = OTHER[scene.gender] if swapped else scene.gender
    return Scene(done.text, gender, done.move(scene.pronoun), done.move(scene.name_a), done.move(scene.name_b), people)


def rename(text: str, person: Person, name: str) -> Iterator[Edit]:
    """Put a name in the place of every mention, in capitals where the mention is; its possessive stays one."""
    for mention in person.mentions:
        old = text[mention.start : mention.end]
        new = name.upper() if is_shouted(old) else name
        yield Edit(mention, new)
        mark = text[mention.end : mention.end + 1]
        # Miss Perkins' dress becomes Polly's.
        if mark and mark in "'’" and old[-1] in "sS" and new[-1] not in "sS" and is_bare(text, mention.end):
            yield Edit(Span(mention.end, mention.end + 1), mark + ("S" if is_shouted(old) else "s"))


def is_shouted(name: str) -> bool:
    """Whether a name is in capitals, which initials alone are not."""
    return name.isupper() and TWO_LETTERS.search(name) is not None
