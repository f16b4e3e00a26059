"""The records that pass between stages. Every table on disk holds one of these types."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text; `text[start:end]` of the owning record, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and where the text under it begins and ends in its document.

    Headings are no part of the text. The sections of a document follow each other
    without overlap; text before the first heading is a section with an empty title
    and level 0. Levels are the source's own: 2 for a Wikipedia `== heading ==`,
    1 for a chapter.
    """

    title: str
    level: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """One article or book as plain text.

    A blank line ("\\n\\n") parts paragraphs and sections. Readers that clean their
    source put each paragraph on one line; text files and JSONL keep their own
    characters throughout, so that offsets into the source stay true.
    """

    id: str
    title: str
    author: str
    url: str
    text: str
    sections: list[Section]


@dataclass(frozen=True, slots=True)
class Reject:
    """A record that a stage left out: which one, the reason it is counted under, and what a person needs to know."""

    id: str
    reason: str
    detail: str
