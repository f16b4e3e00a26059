"""Lines of a plain-text book as paragraphs, whichever way its lines were broken.

Three layouts are met: lines wrapped at a width with blank lines between paragraphs; one line per paragraph, with
or without blank lines; and wrapped lines with no blank lines at all, where only a short last line shows the end
of a paragraph. They are told apart by one measure: of the lines that another follows directly, how many were too
full to take its first word? Nearly all in wrapped text, hardly any where a line is a paragraph. On twelve novels the
two groups lie at 0.79-1.00 and 0.07-0.16.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Layout = Literal["blocks", "lines", "dense"]

_FILLED = 0.5
# Verse has ragged lines that end mid-sentence and stay short; a line that is a paragraph does neither.
_ENDED = 0.5
_LONG_LINE = 120
# With fewer than one blank line for so many others, blank lines do not mark the paragraphs.
_DENSE = 0.96
_DENSE_LINES = 20
_SHORT_HEADING = 50

_SENTENCE_END = re.compile(r"(?:[.!?:;…]|--|—)[\"'”’)\]_*]*$|[\"”]$")
_QUOTE_END = re.compile(r"[.!?,…—-][\"”]$")
_QUOTE_START = re.compile(r"[\"“]\w")
# Closed up on the left, so it is closed up on the right: "the word--\nshe said" was one unbroken run in print.
# A longer dash stands for a name left out ("Lord ----"), and a spaced one keeps its space.
_OPEN_DASH = re.compile(r"[^\s-]--$|\S—$")
_CLOSED_DASH = re.compile(r"--(?=[^\s-])|—(?=\S)")
# Transcribers undo the printer's hyphenation, so a hyphen left at a break is a compound's own ("full-\ngrown"), unless
# the compound is only begun ("two- or three-act").
_COMPOUND_START = re.compile(r"[^\W\d_]-$")
_COMPOUND_END = re.compile(r"(?!(?:and|or|nor|to)\b)[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one paragraph as they stand in the file, without trailing blanks."""

    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The lines as one, single-spaced."""
        return join([" ".join(line.split()) for line in self.lines])


def join(lines: list[str]) -> str:
    """Wrapped lines as one; a dash or a compound at the break stays closed up, every other break is a space."""
    pieces = lines[:1]
    for before, after in pairwise(lines):
        dash = _OPEN_DASH.search(before) or (_CLOSED_DASH.match(after) and before[-1:].isalnum())
        compound = _COMPOUND_START.search(before) and _COMPOUND_END.match(after)
        pieces += [after] if dash or compound else [" ", after]
    return "".join(pieces)


def split(text: str, is_heading: Callable[[str], bool]) -> list[Block]:
    """The paragraphs of a text with "\\n" line ends; `is_heading` tells lines that never belong to a neighbour."""
    lines = [line.rstrip() for line in text.split("\n")]
    layout = detect(lines)
    if layout == "lines":
        return _mend([line for line in lines if line], is_heading)
    if layout == "blocks":
        return [block for run in _runs(lines) for block in _part_headings(run, is_heading)]
    full = _full([line for line in lines if not is_heading(line) and not line.isupper()])
    return [block for run in _runs(lines) for block in _part_dense(run, full, is_heading)]


def detect(lines: list[str]) -> Layout:
    """The layout of lines without trailing blanks; a file of few lines counts as wrapped where both readings agree."""
    pairs = _pairs(lines)
    if not pairs:
        return "blocks"
    lengths = sorted(len(line) for line, _ in pairs)
    width = lengths[len(lengths) * 95 // 100]
    filled = sum(_reach(*pair) > 0.9 * width for pair in pairs) / len(pairs)
    ended = sum(_SENTENCE_END.search(line) is not None for line, _ in pairs) / len(pairs)
    if filled < _FILLED and (ended >= _ENDED or width > _LONG_LINE):
        return "lines"
    count = sum(1 for line in lines if line)
    return "dense" if count >= _DENSE_LINES and len(pairs) > _DENSE * count else "blocks"


def _pairs(lines: list[str]) -> list[tuple[str, str]]:
    return [(line, after) for line, after in pairwise(lines) if line and after]


def _reach(line: str, after: str) -> int:
    """How long the line would be with the first word of the next."""
    return len(line) + 1 + len(after.split(None, 1)[0])


def _runs(lines: list[str]) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for line in lines:
        if line:
            runs[-1].append(line)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _part_headings(run: list[str], is_heading: Callable[[str], bool]) -> list[Block]:
    """A short heading set directly on its text is parted from it; a long one runs on into the next line."""
    count = 0
    while count < len(run) - 1 and len(run[count].strip()) < _SHORT_HEADING and is_heading(run[count]):
        count += 1
    return [Block((line,)) for line in run[:count]] + [Block(tuple(run[count:]))]


def _full(lines: list[str]) -> int:
    """The reach below which a line was ended on purpose, learnt from lines that break off within a sentence."""
    reaches = sorted(_reach(*pair) for pair in _pairs(lines) if not _SENTENCE_END.search(pair[0]))
    return reaches[len(reaches) // 20] if reaches else 0


def _part_dense(run: list[str], full: int, is_heading: Callable[[str], bool]) -> list[Block]:
    blocks: list[list[str]] = [run[:1]]
    # A line within a sentence may read like a heading ("It was" / "I."): one counts after a full stop or in capitals.
    heading = is_heading(run[0])
    for line, after in pairwise(run):
        ended = heading or _SENTENCE_END.search(line) is not None
        next_heading = is_heading(after) and (ended or line.isupper() or (after.isupper() and len(after.strip()) > 5))
        subtitle = heading and after.isupper()
        indented = after[0].isspace() and not line[0].isspace() and not after.lstrip()[0].islower()
        dialogue = _QUOTE_END.search(line) and _QUOTE_START.match(after)
        short = ended and _reach(line, after) < full
        if heading or next_heading or indented or dialogue or short:
            blocks.append([after])
        else:
            blocks[-1].append(after)
        heading = next_heading or subtitle
    return [Block(tuple(block)) for block in blocks]


def _mend(lines: list[str], is_heading: Callable[[str], bool]) -> list[Block]:
    """Lines as paragraphs, except that a sentence which a page break cut in two is put together again."""
    blocks: list[list[str]] = []
    for line in lines:
        before = blocks[-1][-1] if blocks else ""
        if before and line.lstrip()[0].islower() and not _SENTENCE_END.search(before) and not is_heading(before):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return [Block(tuple(block)) for block in blocks]
