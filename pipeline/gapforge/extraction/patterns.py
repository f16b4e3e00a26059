"""GAP's three patterns (GAP 3.1, Counter-GAP 2.1): where a pronoun stands among the names that it may refer to.

FINALPRO needs no syntax. MEDIALPRO and INITIALPRO ask whether the pronoun is in an initial
subordinate clause, or a possessive in an initial prepositional phrase.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gapforge.people.identity import Figure
from gapforge.people.lexicon import name_lexicon
from gapforge.records import Pattern, Span

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

SUBORDINATORS = name_lexicon().subordinators
PREPOSITIONS = name_lexicon().prepositions
# Left children of a verb that may stand before an initial clause: "In 1887, encouraged by her sister, …".
FRONTED = frozenset(("prep", "npadvmod", "advcl", "advmod", "cc", "punct", "intj", "mark", "dep", "nmod"))


@dataclass(frozen=True, slots=True)
class Placed:
    """A mention of somebody at its place; `certain` where the pronoun's gender is known to be theirs."""

    span: Span
    figure: Figure
    certain: bool


@dataclass(frozen=True, slots=True)
class Fit:
    """A pattern with its two names in text order, and how many sentences it takes."""

    pattern: Pattern
    a: Placed
    b: Placed
    sentences: int


def find_patterns(
    pronoun: Span, here: Sequence[Placed], previous: Sequence[Placed], is_initial: Callable[[], bool]
) -> Iterator[Fit]:
    """The patterns that fit mentions in the pronoun's sentence and in the one before it, each in text order.

    FINALPRO within the sentence comes first, then INITIALPRO, MEDIALPRO, and FINALPRO over
    two (DEFINITIONS, "Patterns"). `is_initial` parses, so it is asked only where names fit.
    """
    before = [it for it in here if it.span.end <= pronoun.start]
    after = [it for it in here if it.span.start >= pronoun.end]
    for near, far in pairs(before[::-1]):
        yield Fit("FINALPRO", far, near, 1)
    # Somebody before the pronoun stands between it and a name of the sentence before, not between it and those after.
    alone = not any(it.certain for it in before)
    initial, medial = list(pairs(after)), list(around(previous[::-1], after)) if alone else []
    if (initial or medial) and is_initial():
        yield from (Fit("INITIALPRO", near, far, 1) for near, far in initial)
        yield from (Fit("MEDIALPRO", left, right, 2) for left, right in medial)
    for near, far in pairs(previous[::-1]):
        if not any(it.certain for it in before if it.figure not in (near.figure, far.figure)):
            yield Fit("FINALPRO", far, near, 2)


def pairs(outward: Sequence[Placed]) -> Iterator[tuple[Placed, Placed]]:
    """Two people each, without an intruder: nobody else who is certain to fit stands nearer to the pronoun.

    Somebody of unknown gender may be one of the two, or no intruder at all: both readings
    are given. Where everybody is certain, there is one pair.
    """
    people = nearest(outward)
    for n, far in enumerate(people):
        for near in people[:n]:
            if not any(it.certain for it in people[:n] if it is not near):
                yield near, far


def around(left: Sequence[Placed], right: Sequence[Placed]) -> Iterator[tuple[Placed, Placed]]:
    """The same for one name on either side."""
    for a in up_to_certain(nearest(left)):
        for b in up_to_certain(nearest(right)):
            if a.figure is not b.figure:
                yield a, b


def nearest(outward: Sequence[Placed]) -> list[Placed]:
    """Everybody at the mention nearest to the pronoun."""
    seen: dict[int, Placed] = {}
    for it in outward:
        seen.setdefault(id(it.figure), it)
    return list(seen.values())


def up_to_certain(people: Sequence[Placed]) -> Sequence[Placed]:
    last = next((n for n, it in enumerate(people) if it.certain), len(people))
    return people[: last + 1]


def is_initial(doc: "Doc", start: int) -> bool:
    """Whether the pronoun at this offset is in an initial subordinate clause, or a possessive in an initial phrase."""
    token = next(token for token in doc if token.idx <= start < token.idx + len(token))
    possessive = token.dep_ == "poss" or token.tag_ == "PRP$"
    chain = [it for it in token.ancestors if subordinates(it, possessive)]
    return any(map(opens_sentence, chain)) or in_opening_words(doc, token, possessive)


def subordinates(head: "Token", possessive: bool) -> bool:
    if head.dep_ in ("advcl", "csubj", "csubjpass"):
        return True
    if head.dep_ in ("prep", "agent"):
        return possessive or any(child.dep_ == "pcomp" for child in head.children)
    return False


def opens_sentence(phrase: "Token") -> bool:
    """Whether the phrase stands before its main clause, and nothing before it but adverbs and other such phrases.

    It may hang on an adverb ("prior to her appointment") or on the subject ("one of his pupils").
    """
    while phrase.head.dep_ in ("advmod", "nsubj", "nsubjpass") and phrase.head.i < phrase.i:
        phrase = phrase.head
    main = phrase.head
    first = next(token.i for token in phrase.doc if not token.is_punct and not token.is_space)
    # A clause joined by "and" begins anew.
    if phrase.right_edge.i >= main.i or (main.left_edge.i > first and main.dep_ != "conj"):
        return False
    return all(child.dep_ in FRONTED for child in main.lefts if child.i < phrase.i)


def in_opening_words(doc: "Doc", pronoun: "Token", possessive: bool) -> bool:
    """Whether the sentence begins with "when", or "after" before a possessive, and a comma and a clause follow.

    The parser takes the subordinate clause for the main one now and then; the words do not lie.
    """
    opener = next(token for token in doc if not token.is_punct and not token.is_space).lower_
    if opener not in SUBORDINATORS and not (possessive and opener in PREPOSITIONS):
        return False
    comma = next((token.i for token in doc[pronoun.i :] if token.text == ","), None)
    if comma is None or any(token.text == "," for token in doc[: pronoun.i]):
        return False
    return any(token.dep_ in ("nsubj", "nsubjpass") for token in doc[comma:])
