"""Sentences of raw text, by rules alone.

The parser could part sentences too, but only after it has read them, and not the same way
for the same sentence in another stretch of text. Rules cost next to nothing and depend on
nothing but the text around a full stop: what is ruled out before parsing (see `scan`) and
what is parsed are then the same sentences.
"""

import re
import statistics
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise

from gapforge.records import Section, Span
from gapforge.resources import resource

CLOSING = "\"'”’»)\\]_*"
OPENING = "\"'“‘«(\\[_*—–\\-"

# A full stop (or several), what closes with it, and white space: perhaps the end of a sentence.
# Possessive throughout: a file of nothing but full stops must not take all day.
STOP = re.compile(rf"(?<![.!?…])[.!?…]++(?:[ ]\.)*+[{CLOSING}]*+(\s++)(?=[{OPENING}\s]*+(\w++|\S))")
LAST_WORD = re.compile(r"([^\W_]+(?:\.[^\W_]+)*)\.$")
# A wide gap within a line parts paragraphs as well, where their line ends were lost.
GAP = r"|[ \t]{4,}|(?<![^\W_])CHAPTER\s+[IVXLC\d]+[.:]?(?P<gap>\s{2,})"
BLANK_LINE = re.compile(r"\n[ \t\r]*\n\s*" + GAP)
LINE_BREAK = re.compile(r"[\r\n\u2028\u2029]\s*" + GAP)

# A book whose lines hardly ever exceed this was wrapped by a typesetter: its line ends mean nothing.
WRAPPED_AT = 90

DOTTED = re.compile(r"(?:[^\W_]\.)+[^\W_]")
# Characters; what is longer lacks its full stops, and would not fit into the model.
LONGEST = 5_000
# Abbreviations that end a sentence as easily as not.
ENDS_TOO = frozenset(
    ("etc", "a.m", "p.m", "inc", "ltd", "co", "jr", "sr", "esq", "u.s", "u.k", "d.c", "ph.d", "m.d", "no", "fig")
)


def split_sentences(text: str, sections: Iterable[Section] = ()) -> list[Span]:
    """The sentences of a text in order, without the white space around them; none crosses a section."""
    breaks = sorted({0, len(text), *(it for section in sections for it in (section.start, section.end))})
    line_ends = BLANK_LINE if is_wrapped(text) else LINE_BREAK
    found: list[Span] = []
    for start, end in pairwise(breaks):
        for paragraph in parted(text, start, end, line_ends):
            found.extend(parted_at_stops(text, paragraph))
    return found


def is_wrapped(text: str) -> bool:
    """Whether the lines are a typesetter's, so that only a blank line parts paragraphs."""
    lengths = [len(line) for line in text[:200_000].split("\n") if line.strip()]
    return len(lengths) > 1 and statistics.quantiles(lengths, n=20)[-1] <= WRAPPED_AT


def parted(text: str, start: int, end: int, between: re.Pattern[str]) -> Iterator[Span]:
    for match in between.finditer(text, start, end):
        first, last = match.span("gap") if match["gap"] else match.span()
        if first > start:
            yield Span(start, first)
        start = last
    if start < end:
        yield Span(start, end)


def parted_at_stops(text: str, paragraph: Span) -> Iterator[Span]:
    start = paragraph.start
    for match in STOP.finditer(text, paragraph.start, paragraph.end):
        if ends_sentence(text, start, match):
            yield from trimmed(text, start, match.start(1))
            start = match.end(1)
    yield from trimmed(text, start, paragraph.end)


def trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    """The stretch without white space around it, cut at white space where no sentence is so long."""
    if end - start > LONGEST:
        pieces = -((start - end) // LONGEST)
        size = -((start - end) // pieces)  # as long as each other: none should look like a sentence
        while end - start > size * 1.5:
            cut = max(text.rfind(mark, start + 1, start + size) for mark in " \n")
            cut = cut if cut > start + size // 2 else start + size
            yield from trimmed(text, start, cut)
            start = cut
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Span(start, end)


@cache
def word_list(name: str) -> frozenset[str]:
    """One of the lists of words about names, which the room of people reads as a whole."""
    words: str = tomllib.loads(resource("lexicons/names.toml").read_text("utf-8"))[name]
    return frozenset(words.split())


def ends_sentence(text: str, start: int, stop: re.Match[str]) -> bool:
    """Not after `Mr.` or an initial, nor before a small letter; after `U.S.` only where a word of grammar follows."""
    following = stop[2]
    if following[0].islower():
        return False
    if text[stop.start() : stop.start(1)] != ".":
        return True
    word = LAST_WORD.search(text, max(start, stop.start() - 20), stop.start() + 1)
    if word is None:
        return True
    last = word[1].lower()
    if last in ENDS_TOO or DOTTED.fullmatch(last):
        return following in word_list("function")
    if len(last) == 1 and last.isalpha():
        return last == "i" and text[max(start, word.start() - 2) : word.start()] != ". "
    return last not in word_list("abbreviations")
