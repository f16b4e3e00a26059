"""A document as the extraction sees it before any model: sentences, sections, runs of capitals, and the roster."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.extraction.names import Run, find_runs
from pipeline.extraction.roster import Roster, make_roster
from pipeline.extraction.sentences import split_sentences
from pipeline.records import Document, Span

TOKEN = re.compile(r"\w+|[^\w\s]")
HEADING = re.compile(r"(?:chapter|book|part|volume)\s+[ivxlc\d]+[.:]?", re.IGNORECASE)
LONGEST_SENTENCE = 1_500  # characters; what is longer lacks its full stops
LONGEST_HEADING = 100  # characters
LINE_START = re.compile(r"(?:^|[\r\n])[ \t]*\Z")
LINE_END = re.compile(r"[ \t]*(?:\Z|[\r\n])")
STRETCH = 20_000  # sentences: a long novel
OVERLAP = 100  # sentences: no context reaches further back, as each has a token at least


@dataclass(frozen=True, slots=True)
class Outline:
    """Lists run parallel: sentence n, the section it is in, its runs."""

    document: Document
    sentences: list[Span]
    sections: list[int]
    runs: list[list[Run]]
    roster: Roster

    def first_of(self, number: int, count: int) -> int:
        """The first of at most `count` sentences that end with this one, within its section."""
        first = max(0, number - count + 1)
        while self.sections[first] != self.sections[number]:
            first += 1
        return first

    def first_before(self, number: int, tokens: int) -> int:
        """The first of the whole sentences before this one that hold at least so many tokens, within its section."""
        first, held = number, 0
        while held < tokens and first > 0 and self.sections[first - 1] == self.sections[number]:
            first -= 1
            held += len(TOKEN.findall(self.text_of(first)))
        return first

    def text_of(self, number: int) -> str:
        sentence = self.sentences[number]
        return self.document.text[sentence.start : sentence.end]


def make_outline(document: Document) -> Outline:
    """The outline of a whole document."""
    return outline_of(document, split_sentences(document.text, document.sections))


def outline_of(document: Document, sentences: list[Span]) -> Outline:
    runs = [find_runs(document.text, sentence) for sentence in sentences]
    roster = make_roster(document.text, sentences, runs)
    return Outline(document, sentences, number_sections(document, sentences), runs, roster)


def stretches(document: Document) -> Iterator[tuple[Outline, int]]:
    """The outline in stretches, so that a book of any size fits into memory.

    With each comes the number of its sentences that were in the stretch before, and are there again as context.
    """
    sentences = split_sentences(document.text, document.sections)
    if len(sentences) <= STRETCH:
        yield outline_of(document, sentences), 0
        return
    sections = number_sections(document, sentences)
    roster = make_roster(document.text, sentences, (find_runs(document.text, it) for it in sentences))
    for start in range(0, len(sentences), STRETCH):
        first = max(0, start - OVERLAP)
        part = slice(first, start + STRETCH)
        runs = [find_runs(document.text, sentence) for sentence in sentences[part]]
        yield Outline(document, sentences[part], sections[part], runs, roster), start - first


def number_sections(document: Document, sentences: list[Span]) -> list[int]:
    """The section of each sentence.

    A heading within the text of a plain file ends a section and is one by itself. So is what is
    too long for a sentence: no context should hold it.
    """
    starts = sorted(section.start for section in document.sections)
    numbers, ended = [], 0
    for sentence in sentences:
        apart = is_too_long(sentence) or is_heading(document.text, sentence)
        ended += apart
        numbers.append(bisect_right(starts, sentence.start) + ended)
        ended += apart
    return numbers


def is_too_long(sentence: Span) -> bool:
    return sentence.end - sentence.start > LONGEST_SENTENCE


def is_heading(text: str, sentence: Span) -> bool:
    """Whether a sentence stands on lines of its own and is a chapter's number, or all in capitals."""
    if sentence.end - sentence.start > LONGEST_HEADING:
        return False
    words = text[sentence.start : sentence.end]
    if HEADING.fullmatch(words) is None and not (words.isupper() and len(words.split()) > 1):
        return False
    return (
        LINE_START.search(text, max(0, sentence.start - LONGEST_HEADING), sentence.start) is not None
        and LINE_END.match(text, sentence.end) is not None
    )
