"""What a rewritten sentence must keep: nearly all its words (GLEU), and what a coreference label depends on.

GLEU and embeddings miss what matters here: one pronoun of the other gender, or a "not", leaves both near 1. So names,
gendered pronouns, numbers and negations are compared as well, and have to be the same.
"""

import re
from collections.abc import Iterator, Sequence

from gapforge.people.lexicon import name_lexicon
from gapforge.records import Span

WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
GENDERED = frozenset(("he", "him", "his", "himself", "she", "her", "hers", "herself"))
NEGATIONS = frozenset(
    (
        "not",
        "no",
        "never",
        "none",
        "nobody",
        "nothing",
        "nowhere",
        "neither",
        "nor",
        "without",
        "hardly",
        "scarcely",
        "rarely",
        "seldom",
        "barely",
        "cannot",
    )
)
NUMBERS = frozenset(
    (
        *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
        *(
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
            "thirty",
            "forty",
        ),
        *("fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "thousand", "million", "billion", "dozen"),
        *(
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "once",
            "twice",
        ),
    )
)
# What opens and closes a quotation; a straight mark does both by turns.
OPENING, CLOSING, STRAIGHT = frozenset(("“", "«", "``")), frozenset(("”", "»", "''")), '"'
MARK = re.compile(r"``|''|[“”«»\"]")
# A single mark between two letters is an apostrophe: 'I don't know'.
SINGLE = re.compile(r"(?<![\w'])['‘](?=\w)(?:[^'‘’\n]|(?<=\w)['’](?=\w)){1,300}['’](?!\w)")


def gleu(source: str, target: str) -> float:
    """Sentence GLEU of the target against the source, from 0 to 1: the same n-grams, up to four words, case aside."""
    from nltk.translate.gleu_score import sentence_gleu

    words = [[word.casefold() for word in WORD.findall(it)] for it in (source, target)]
    return round(float(sentence_gleu([words[0]], words[1])), 6) if all(words) else float(source == target)


def invariants(sources: Sequence[str], targets: Sequence[str]) -> list[list[str]]:
    """What each target does not keep of its source: names, pronouns, numbers, negations; nothing where it keeps all."""
    return [list(broken(source, target)) for source, target in zip(sources, targets, strict=True)]


def broken(source: str, target: str) -> Iterator[str]:
    ours, theirs = WORD.findall(source), WORD.findall(target)
    if not names_kept(ours, theirs):
        yield "names"
    for what, holds in (("pronouns", is_gendered), ("numbers", is_number), ("negation", is_negation)):
        if [it.casefold() for it in ours if holds(it)] != [it.casefold() for it in theirs if holds(it)]:
            yield what


def names_kept(source: Sequence[str], target: Sequence[str]) -> bool:
    """Whether words with a capital are the same, in order.

    The first word has one by its place: it is no name where it is a word of grammar, where the other sentence has it in
    lower case once more, or where it is the opening that was put before the source.
    """
    grammar = name_lexicon().function
    lowered = source[0].lower() if source else ""
    is_name = source and source[0] not in grammar and source.count(lowered) >= target.count(lowered)
    ours = source if is_name else source[1:]
    theirs = target if target and target[0] not in grammar and target[0] in source else target[1:]
    opening = grammar & set(source[:1])  # keeps its capital behind an opening where a transfer does not mind it
    before, after = ([it for it in words if it[0].isupper() and it not in opening] for words in (ours, theirs))
    return before == after


def is_gendered(word: str) -> bool:
    return word.casefold() in GENDERED


def is_number(word: str) -> bool:
    return any(letter.isdigit() for letter in word) or word.casefold() in NUMBERS


def is_negation(word: str) -> bool:
    return word.casefold() in NEGATIONS or word.casefold().endswith(("n't", "n’t"))


def quotations(text: str) -> list[Span]:
    """Where somebody is quoted, marks included; one that is not closed reaches to the end, one not opened begins it."""
    found: list[Span] = []
    start: int | None = None
    for mark in MARK.finditer(text):
        opens = mark[0] in OPENING or (mark[0] == STRAIGHT and start is None)
        if opens and start is None:
            start = mark.start()
        elif not opens:
            found.append(Span(0 if start is None else start, mark.end()))
            start = None
    if start is not None:
        found.append(Span(start, len(text)))
    return found + [Span(*match.span()) for match in SINGLE.finditer(text)]
