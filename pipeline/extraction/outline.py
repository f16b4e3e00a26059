"""A document as the extraction sees it before any model: sentences, sections, runs of capitals, and the roster."""

import re
from bisect import bisect_right
from dataclasses import dataclass

from pipeline.extraction.names import Run, find_runs
from pipeline.extraction.roster import Roster, make_roster
from pipeline.extraction.sentences import split_sentences
from pipeline.records import Document, Span

TOKEN = re.compile(r"\w+|[^\w\s]")
HEADING = re.compile(
    r"(?:CHAPTER|BOOK|PART|VOLUME|Chapter|Book|Part)\s+[IVXLC\d]+[.:]?|[^a-z]*[A-Z]{2}[^a-z]*\s[^a-z]*[A-Z]{2}[^a-z]*"
)


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
    text = document.text
    sentences = split_sentences(text, document.sections)
    runs = [find_runs(text, sentence) for sentence in sentences]
    roster = make_roster(text, (run for each in runs for run in each))
    return Outline(document, sentences, number_sections(document, sentences), runs, roster)


def number_sections(document: Document, sentences: list[Span]) -> list[int]:
    """The section of each sentence; a heading within the text of a plain file ends one, and is one by itself."""
    starts = sorted(section.start for section in document.sections)
    numbers, ended = [], 0
    for sentence in sentences:
        heading = HEADING.fullmatch(document.text, sentence.start, sentence.end) is not None
        ended += heading
        numbers.append(bisect_right(starts, sentence.start) + ended)
        ended += heading
    return numbers
