"""What the readers of books share: characters folded, and headings and paragraphs put together as a document's text."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from pipeline.errors import InputError
from pipeline.records import Section

# What no reader sees on the page: soft hyphens, and the zero-width space, joiners and no-break space.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_CONTROLS = {code: " " for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n"}
_LINE_BREAK = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
# No word would be lost with a paragraph of these alone: rows of stars and rules that part scenes.
_ORNAMENT = re.compile(r"[\s*=~#_+•·⁂—-]*")


@dataclass(frozen=True, slots=True)
class Heading:
    title: str
    level: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


def clean(text: str, file: str) -> str:
    """Fold the characters that only a printer or a terminal needs; every line break becomes "\\n"."""
    if (position := text.find("\0")) >= 0:
        raise InputError(
            f"{file}: character {position}: wanted text, found NUL, as in binary files or UTF-16 read as bytes; "
            "remove the file or set [corpora.NAME] encoding (--encoding)"
        )
    return _LINE_BREAK.sub("\n", text.rstrip("\x1a")).translate(_INVISIBLE).translate(_CONTROLS)


def fold(text: str) -> str:
    """One line, with single spaces; no-break and other wide spaces count as spaces."""
    return " ".join(text.split())


def is_ornament(text: str) -> bool:
    return _ORNAMENT.fullmatch(text) is not None


def assemble(blocks: Iterable[Heading | Paragraph]) -> tuple[str, list[Section]]:
    """The text of a book and its sections, each `text[start:end]` the paragraphs under one heading."""
    paragraphs: list[str] = []
    sections: list[Section] = []
    title, level, start, position = "", 0, 0, 0

    def close() -> None:
        if position > start or level:
            sections.append(Section(title, level, start, position))

    for block in blocks:
        if isinstance(block, Heading):
            close()
            title, level, start = block.title, block.level, position
        else:
            if position:
                position += 2
            if start == position - 2:
                start = position
            paragraphs.append(block.text)
            position += len(block.text)
    close()
    return "\n\n".join(paragraphs), sections


def stem(name: str) -> str:
    """A name without the suffix of its last part; folders stay, since two of them may hold files of one name."""
    return str(PurePosixPath(name).with_suffix("")) if PurePosixPath(name).suffix else name
