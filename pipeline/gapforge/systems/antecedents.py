"""Candidate antecedents (GAP 4.3): names of people, found by the model and repaired with runs of proper nouns.

The model alone finds four of five names that GAP asks about. Read as the extraction reads a document, where a title,
a first name or another mention speaks for a name as well, it is nineteen of twenty.

Which name is how near to a pronoun, as the weights of GAP count it (Kocijan et al. 2021, 3.2).
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from gapforge.nlp.reading import Sentence, labels_of, parse_texts, readable
from gapforge.people.mentions import find_mentions, read_sentence
from gapforge.people.outline import outline_of
from gapforge.records import Document, Gender, Instance, Span, overlap

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

NAMES = frozenset(("NNP", "NNPS"))
BATCH = 500  # texts read at a time
MEMORY = 10_000  # texts whose names are kept for the next resolver; GAP has 4,454


@dataclass(frozen=True, slots=True, eq=False)
class Mention:
    """Words at their place in a text: `first` and `last` are tokens of the text, `head` is one of its sentence."""

    span: Span
    text: str
    sentence: int
    head: "Token"
    first: int
    last: int
    gender: Gender | None = None

    def distance(self, other: "Mention") -> int:
        """How many tokens stand between the two (GAP 4.3)."""
        return max(0, self.first - other.last - 1, other.first - self.last - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A text as read: its sentences, and the people named in it in text order."""

    sentences: list[Sentence]
    people: list[Mention]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """An instance as a resolver sees it: the pronoun and the candidates in text order."""

    instance: Instance
    pronoun: Mention
    candidates: list[Mention]


def study(instances: Sequence[Instance], gold_two_mentions: bool, model: str) -> Iterator[Case | None]:
    """Every instance with its candidates; None where the text has no word at the pronoun's place.

    With `gold_two_mentions` the two names given are the only candidates (GAP 4.3, Table 7).
    """
    for start in range(0, len(instances), BATCH):
        batch = instances[start : start + BATCH]
        for instance, reading in zip(batch, read_texts([it.text for it in batch], model), strict=True):
            pronoun = place(instance.text, instance.pronoun, reading.sentences)
            candidates = the_two(instance, reading) if gold_two_mentions else reading.people
            apart = [it for it in candidates if not overlap(it.span, instance.pronoun)]
            yield Case(instance, pronoun, apart) if pronoun else None


def the_two(instance: Instance, reading: Reading) -> list[Mention]:
    """The names given, with the gender of whom the text is read to name there."""
    found = []
    for span in (instance.name_a, instance.name_b):
        gender = next((it.gender for it in reading.people if overlap(it.span, span)), None)
        found.append(place(instance.text, span, reading.sentences, gender))
    return sorted(filter(None, found), key=lambda it: it.span.start)


def read_texts(texts: Sequence[str], model: str) -> list[Reading]:
    """Texts as read, in order; the reader knows the sentences that were asked for before."""
    return [
        Reading(sentences, find_people(text, sentences, model))
        for text, sentences in zip(texts, parse_texts(texts, model), strict=True)
    ]


def find_people(text: str, sentences: Sequence[Sentence], model: str) -> list[Mention]:
    """The people named in a text, in order, at their places in its sentences."""
    placed = (place(text, span, sentences, gender) for span, gender in names_in(text, model))
    return sorted(filter(None, placed), key=lambda it: it.span.start)


@lru_cache(MEMORY)
def names_in(text: str, model: str) -> tuple[tuple[Span, Gender | None], ...]:
    """The names of people in a text, each with the gender that the text or a list of first names gives it."""
    [sentences] = parse_texts([text], model)
    spans = [Span(it.start, it.end) for it in sentences]
    outline = outline_of(Document("", "", "", "", text, []), spans)
    readings = [
        reading
        for runs, sentence in zip(outline.runs, sentences, strict=True)
        for reading in read_sentence(runs, labels_of(sentence.doc), sentence.start)
    ]
    genders = {it.span: it.gender for it in find_mentions(readings, outline.roster)}
    taken = sorted(genders, key=lambda it: it.start)
    genders |= {span: None for span in entities_of_people(sentences) if is_free(span, taken)}
    return tuple(genders.items())


def is_free(span: Span, taken: Sequence[Span]) -> bool:
    """Whether a span touches none of others that are in order and apart."""
    before = bisect_right(taken, span.start, key=lambda it: it.start)
    return not any(overlap(span, it) for it in taken[max(0, before - 1) : before + 1])


def entities_of_people(sentences: Sequence[Sentence]) -> Iterator[Span]:
    """What the model takes for people, from the first proper noun to the last."""
    for sentence in sentences:
        for ent in sentence.doc.ents:
            proper = [token for token in ent if token.tag_ in NAMES]
            if ent.label_ == "PERSON" and proper:
                yield Span(sentence.start + proper[0].idx, sentence.start + proper[-1].idx + len(proper[-1]))


def place(text: str, span: Span, sentences: Sequence[Sentence], gender: Gender | None = None) -> Mention | None:
    """A span on the tokens that it touches, those of the first sentence where it reaches into several."""
    number = max(0, bisect_right(sentences, span.start, key=lambda it: it.start) - 1)
    for n, sentence in enumerate(sentences[number : number + 2], number):
        tokens = sentence.tokens(span)
        if tokens:
            head = sentence.doc[tokens[0].i : tokens[-1].i + 1].root
            first, last = sentence.first + tokens[0].i, sentence.first + tokens[-1].i
            return Mention(span, text[span.start : span.end], n, head, first, last, gender)
    return None


SPARE = 5  # spans


@cache
def fragment_tokenizer() -> "Callable[[str], Doc]":
    """spaCy's for English, with the hyphen of "200-meter" left whole as it was when the weights were published."""
    import spacy
    from spacy.lang.punctuation import TOKENIZER_INFIXES
    from spacy.util import compile_infix_regex

    nlp = spacy.blank("en")
    infixes = compile_infix_regex(TOKENIZER_INFIXES)  # those of most languages
    setattr(nlp.tokenizer, "infix_finditer", infixes.finditer)  # noqa: B010
    return nlp.tokenizer


def tokens_between(text: str, span: Span, pronoun: Span) -> int:
    """How many tokens stand between the two, read as a text of its own; those that touch have none."""
    between = text[span.end : pronoun.start] if span.start < pronoun.start else text[pronoun.end : span.start]
    return len(fragment_tokenizer()(readable(between.strip())))


def nearest_first(instance: Instance, spans: Iterable[Span]) -> list[Span]:
    """Spans from the nearest to the pronoun to the farthest; of equals the first given comes first."""
    return sorted(spans, key=lambda span: tokens_between(instance.text, span, instance.pronoun))


def within_reach(instance: Instance, spans: Sequence[Span], rank: int) -> list[Span]:
    """Those of which one has this rank, in the order given: in a book all others need not be counted.

    Whoever stands behind `rank` others on the same side has their tokens between, give or take one where words meet.
    """
    before = sorted((it for it in spans if it.start < instance.pronoun.start), key=lambda it: -it.end)
    after = sorted((it for it in spans if it.start >= instance.pronoun.start), key=lambda it: it.start)
    kept = {*before[: rank + SPARE], *after[: rank + SPARE]}
    return [it for it in spans if it in kept]
