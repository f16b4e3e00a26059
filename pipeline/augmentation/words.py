"""Gendered words in CoNLL columns, exchanged by the tags that the file has (Zhao et al. 2018, 3.1).

The rules are those of running text (`counterfactuals.words`). What they ask of a parse, the column of tags answers, so
that a million tokens take seconds; sentences without tags are read by the spaCy model.
"""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from pipeline.counterfactuals.articles import with_articles
from pipeline.counterfactuals.pronouns import exchange_pronoun
from pipeline.counterfactuals.words import (
    CURLY,
    exchange_in_sentence,
    exchanged_by,
    may_be_gendered,
    uses_in,
    with_ending,
)
from pipeline.edits import Edit, Rewriting
from pipeline.extraction.gender import MEMORY
from pipeline.extraction.language import plain_english
from pipeline.records import Span

if TYPE_CHECKING:
    from spacy.tokens import Token

# How the Penn Treebank and OntoNotes write marks, and what a reader would see.
MARKS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": "“", "''": "”"}
MARKS |= {"/.": ".", "/?": "?", "/-": "-"}
CLOSING = frozenset(".,:;?!%)]}”…")
OPENING = frozenset("([{“$#")
BY_TAG = {("her", "PRP$"): "his", ("her", "PRP"): "him", ("his", "PRP"): "hers"}
NO_TAGS = frozenset(("", "-", "_", "*", "XX"))


class TaggedSentence:
    """The tokens of a sentence as the rules ask for them, with the tags of a file and nothing of a model."""

    def __init__(self, words: list[str], tags: list[str], spaces: list[bool], starts: list[int]) -> None:
        from spacy.tokens import Doc

        # XX is what OntoNotes tags a word that nobody could; most are nouns.
        known = ["NN" if tag == "XX" else tag for tag in tags]
        self.doc: Doc = Doc(plain_english().vocab, words=words, tags=known, spaces=spaces)
        self.starts = starts

    def token_at(self, start: int) -> "Token":
        return self.doc[bisect_right(self.starts, start) - 1]

    def exchange(self, pronoun: str, start: int) -> str:
        """By the tag where it tells; whether *his* stands alone is told by what follows."""
        token = self.token_at(start)
        return BY_TAG.get((pronoun, token.tag_)) or exchange_pronoun(pronoun, token)


@dataclass(frozen=True, slots=True)
class TaggedWords:
    """The tokens of a sentence in a file; those that are `protected` are parts of names, where no word is gendered."""

    words: list[str]
    tags: list[str]
    protected: Collection[int]


class Text:
    """Tokens as running text, with where each begins."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.read = [MARKS.get(word, word) for word in words]
        following = [*self.read[1:], "."]
        self.spaces = [not is_attached(*pair) for pair in zip(self.read, following, strict=True)]
        self.starts, self.text = [], ""
        for word, space in zip(self.read, self.spaces, strict=True):
            self.starts.append(len(self.text))
            self.text += word + " " * space

    def token_at(self, start: int) -> int:
        return bisect_right(self.starts, start) - 1

    def name_edits(self, names: Mapping[int, str]) -> list[Edit]:
        """Names in the places of tokens, and the possessive endings that they need."""
        spans = {token: Span(self.starts[token], self.starts[token] + len(self.read[token])) for token in names}
        return [edit for token, new in names.items() for edit in with_ending(self.text, Edit(spans[token], new))]

    def applied(self, edits: Sequence[Edit]) -> list[str]:
        """The tokens with the edits in each; of one that reaches over the end of a token, the next stays whole.

        What a and an have to be follows.
        """
        curly = any(map(CURLY.search, self.words))
        by_token: dict[int, list[Edit]] = {}
        for edit in with_articles(self.text, sorted(edits, key=lambda it: it.span.start)):
            token = self.token_at(edit.span.start)
            start, length = self.starts[token], len(self.read[token])
            span = Span(edit.span.start - start, min(edit.span.end - start, length))
            # Marks of the treebank are read as curly ones, which is no reason to write such an apostrophe.
            by_token.setdefault(token, []).append(Edit(span, edit.new if curly else edit.new.replace("’", "'")))
        return [
            Rewriting(word, by_token[token]).text if token in by_token and self.read[token] == word else word
            for token, word in enumerate(self.words)
        ]


def exchange_in_columns(sentence: TaggedWords, names: Mapping[int, str], wedding: bool, model: str) -> list[str]:
    """The words of a sentence with every gendered one exchanged, and `names` put in by the numbers of their tokens."""
    if not any(is_suspect(word) for word in sentence.words):
        return put_in(sentence.words, names)
    text = Text(sentence.words)
    if all(tag in NO_TAGS for tag in sentence.tags):
        found = exchange_in_sentence(text.text, wedding, model)
    else:
        parse = partial(TaggedSentence, text.read, sentence.tags, text.spaces, text.starts)
        found = exchanged_by(parse, text.text, wedding)
    edits = [it for it in found if text.token_at(it.span.start) not in sentence.protected]
    return text.applied([*edits, *text.name_edits(names)])


def put_in(words: list[str], names: Mapping[int, str]) -> list[str]:
    """The words with names in the places of tokens."""
    if not names:
        return words
    text = Text(words)
    return text.applied(text.name_edits(names))


def is_attached(left: str, right: str) -> bool:
    """Whether no blank stands between two tokens in running text: John 's, do n't, an end of the sentence."""
    return right[0] in CLOSING or right.lower() == "n't" or right[0] in "'’" or left[-1] in OPENING


@lru_cache(MEMORY)
def is_suspect(word: str) -> bool:
    """Whether a token may be gendered, whatever stands around it."""
    return any(may_be_gendered(use) for use in uses_in(word))
