"""Parsed sentences, and what their trees say of a word: its role, who does what its verb says, how far another is.

Every sentence is given to the model by itself, as in the extraction.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pipeline.extraction.language import BATCH, load_model, needed
from pipeline.extraction.sentences import split_sentences
from pipeline.records import Span

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Role = Literal["subject", "object", "possessive", "other"]

PARTS = ("tagger", "parser", "ner")
LONE = re.compile("[\ud800-\udfff]")  # half a character
SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj", "csubjpass"))
ROLES: dict[str, Role] = {
    "nsubj": "subject",
    "nsubjpass": "subject",
    "csubj": "subject",
    "csubjpass": "subject",
    "dobj": "object",
    "poss": "possessive",
}
# Of two names joined by "and" or set side by side, the second has the role of the first.
SHARED = frozenset(("conj", "appos"))
FINITE = frozenset(("VBD", "VBZ", "VBP", "MD"))
AUXILIARIES = frozenset(("aux", "auxpass"))
MAIN = frozenset(("ROOT", "conj", "ccomp", "advcl"))
# A verb in one of these places, without a subject of its own, has that of the verb above it.
DEPENDENT = frozenset(("conj", "xcomp", "advcl", "pcomp", "prep"))
OBJECTS = frozenset(("dobj", "dative"))
RELATIVE = frozenset(("WP", "WDT"))


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence with its tree: where it begins in its text, and how many tokens stand before it."""

    start: int
    first: int
    doc: "Doc"

    @property
    def end(self) -> int:
        return self.start + len(self.doc.text)

    def tokens(self, span: Span) -> list["Token"]:
        """The tokens that a span of the text touches."""
        start, end = span.start - self.start, max(span.end, span.start + 1) - self.start
        return [token for token in self.doc if token.idx < end and start < token.idx + len(token)]


def parse_texts(texts: Sequence[str], model: str) -> Iterator[list[Sentence]]:
    """The sentences of each text, with tags, trees and entities."""
    nlp = load_model(model)
    clean = [readable(text) for text in texts]
    spans = [split_sentences(text) for text in clean]
    pieces = (text[it.start : it.end] for text, each in zip(clean, spans, strict=True) for it in each)
    with nlp.select_pipes(enable=needed(nlp, PARTS)):
        docs = nlp.pipe(pieces, batch_size=BATCH)
        for each in spans:
            yield list(in_order(each, docs))


def readable(text: str) -> str:
    """A text of the same length that the model can read."""
    return LONE.sub("\ufffd", text)


def in_order(spans: Iterable[Span], docs: Iterator["Doc"]) -> Iterator[Sentence]:
    first = 0
    for span in spans:
        doc = next(docs)
        doc.tensor = doc.tensor[:0]  # most of its memory, and not asked for again
        yield Sentence(span.start, first, doc)
        first += len(doc)


def is_possessive(pronoun: "Token") -> bool:
    return pronoun.tag_ == "PRP$" or pronoun.dep_ == "poss"


def joined(token: "Token") -> "Token":
    """The first of the words that a word is joined to by "and", or set beside."""
    while token.dep_ in SHARED and token.head != token and not begins_clause(token):
        token = token.head
    return token


def begins_clause(token: "Token") -> bool:
    """Whether a finite verb that has no subject follows: then the word is its subject, whatever the parser says.

    "In his book, Ann says" is often parsed as if Ann were the book.
    """
    if token.dep_ in SUBJECTS:
        return False
    following = next((it for it in token.doc[token.i + 1 :] if it.tag_ != "RB"), None)
    if following is None or following.tag_ not in FINITE:
        return False
    verb = following.head if following.dep_ in AUXILIARIES else following
    return verb.dep_ in MAIN and not any(it.dep_ in SUBJECTS for it in verb.children)


def role_of(token: "Token") -> Role:
    """The grammatical argument that a word is, or shares with the word it is joined to."""
    token = joined(token)
    return "subject" if begins_clause(token) else ROLES.get(token.dep_, "other")


def subjects_of(verb: "Token") -> list["Token"]:
    """Who does what a verb says, by name or understood: "John came and saw", "John, who saw", "asked John to see"."""
    for _ in verb.doc:  # no word is passed twice
        own = [joined(it) for it in verb.children if it.dep_ in SUBJECTS]
        relative = verb.dep_ == "relcl" and bool(own) and own[0].tag_ in RELATIVE
        if relative or (verb.dep_ == "acl" and not own):
            return [joined(verb.head)]
        asked = [it for it in verb.head.rights if it.dep_ in OBJECTS and it.i < verb.i and verb.dep_ == "xcomp"]
        if own or asked or verb.dep_ not in DEPENDENT:
            return own or asked
        verb = verb.head
    return []


def path_between(left: "Token", right: "Token") -> int:
    """How many arcs of the tree lead from one word of a sentence to another."""
    steps = {token.i: n for n, token in enumerate((left, *left.ancestors))}
    ways = (n + steps[it.i] for n, it in enumerate((right, *right.ancestors)) if it.i in steps)
    return next(ways, len(left.doc))  # two trees in one sentence: farther than any word of one


def depth(token: "Token") -> int:
    """How many arcs lead from a word up to the root of its sentence."""
    return sum(1 for _ in token.ancestors)
