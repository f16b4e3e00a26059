"""What the readers of books share: characters folded, and headings and paragraphs put together as a document's text.

Lines of a plain-text book as paragraphs, whichever way its lines were broken.

Three layouts are met: lines wrapped at a width with blank lines between paragraphs; one line per paragraph, with
or without blank lines; and wrapped lines with no blank lines at all, where only a short last line shows the end
of a paragraph. They are told apart by one measure: of the lines that another follows directly, how many were too
full to take its first word? Nearly all in wrapped text, hardly any where a line is a paragraph. On twelve novels the
two groups lie at 0.79-1.00 and 0.07-0.16.

Chapter headings and tables of contents among the paragraphs of a book.

The rules lean to one side: a heading left in the text is a blemish, a paragraph taken for one is lost prose.
So a heading is a paragraph of its own, and its wording must leave no doubt.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Literal

from gapforge.errors import InputError
from gapforge.records import Section

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


_UNITS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth last"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_WORDS = "|".join(f"{_UNITS} eighteen nineteen {_ORDINALS}".split())
_ROMAN = r"(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,4})(?:IX|IV|V?I{0,4})"
_SPELLED = rf"(?:{_TENS})(?:[ -](?:{_WORDS}))?|{_WORDS}|\w{{3,9}}teenth|\w{{3,7}}tieth"
_NUMBER = rf"(?:\d{{1,3}}|{_ROMAN}|(?i:(?:the[ ])?(?:{_SPELLED})))"
_DIVISION = r"CHAPTER|CHAP\.?|BOOK|PART|VOLUME|VOL\.?|SECTION|CANTO|STAVE|LETTER|EPISODE|PHASE|ACT|SCENE"
_NUMBERED = re.compile(
    rf"(?P<word>(?i:{_DIVISION}))[ ](?P<number>{_NUMBER})(?P<end>[.:,;]*[ ]?[—–-]*)"
    r"(?:(?:[ ]|(?<=[.:—–-]))(?P<title>[^\s—–-].*))?"
)
_NAMED = re.compile(
    r"(?i:(?:author's )?(?:prologue|epilogue|preface|introduction|introductory|foreword|afterword|conclusion|appendix|"
    r"interlude|postscript|dedication))(?P<end>[.:]?[ ]?[—–-]*)(?:[ ](?P<title>\S.*))?"
)
_BARE_NUMERAL = re.compile(rf"{_ROMAN}[.:]?")
# "I. The Ferry"; a single C, D, L or M there is more likely somebody's initial.
_NUMERAL_TITLE = re.compile(rf"(?![CL]\.)({_ROMAN})[.:][ ](?P<title>\S.*)")
_CONTENTS = re.compile(
    r"(?i:(?:table of )?contents(?: of (?:vol|part|book|the)\b.{0,40})?|(?:list of )?illustrations)[.:]?"
)
# A lone "I" and a space begin a sentence, not an entry.
_ENTRY = re.compile(
    rf"\s*(?:(?i:{_DIVISION})\b|{_ROMAN}(?:[.:)]|\s\s|\s?[—–-])|[IVXLC]{{2,}}\b|\d{{1,3}}\b).*"
    r"|.*(?:\s\s|\.\.\s*)(?:\d+|[ivxlc]+)"
)
_SMALL_WORDS = {
    "about", "after", "against", "among", "before", "between", "from", "into", "over", "than", "that", "through",
    "under", "upon", "with",
}  # fmt: skip
_INITIAL = re.compile(r"[A-Z]\.")
_END = re.compile(r"(?i:the end|finis)[.!]?")

_TITLE_LENGTH = 80
_WRAPPED_TITLE_LENGTH = 250
# So many headings with no text between them are a table of contents without its name.
_HEADING_RUN = 5


def is_heading(line: str) -> bool:
    """Whether a line alone names a part of a book ("CHAPTER I.", "Chapter 12", "II", "PROLOGUE")."""
    if len(line) > 2 * _TITLE_LENGTH:
        return False
    text = _bare(line)
    if not text or len(text) > _TITLE_LENGTH:
        return False
    return _BARE_NUMERAL.fullmatch(text) is not None or _names_a_part(text)


def _names_a_part(text: str) -> bool:
    if match := _NUMBERED.fullmatch(text):
        title, word = match["title"], match["word"]
        return word[0].isupper() and (
            not title or word.isupper() or _is_title(title, parted=bool(match["end"].strip()))
        )
    if match := _NAMED.fullmatch(text):
        title = match["title"]
        return text[0].isupper() and (
            not title or (bool(match["end"].strip()) and _is_title(title, parted=True)) or text.isupper()
        )
    if match := _NUMERAL_TITLE.fullmatch(text):
        title = match["title"]
        named = title.isupper() or (" " in title and _in_title_case(title))
        return named and not _INITIAL.match(title)
    return False


def _is_title(title: str, *, parted: bool) -> bool:
    return title.isupper() or _in_title_case(title) or (parted and title[0].isupper() and title[-1] not in '.!?"”,;')


def _in_title_case(text: str) -> bool:
    """Whether every long word has its capital and nothing ends a sentence."""
    words = [word.strip("\"'“”‘’(),;:") for word in text.split()]
    long = [word for word in words if len(word) > 3 and word not in _SMALL_WORDS]
    return (
        not _ends_sentence(text)
        and words[0][:1].isupper()
        and all(word[0].isupper() or not word[0].isalpha() for word in long)
    )


def _ends_sentence(text: str) -> bool:
    return text.rstrip("\"'”’")[-1:] in tuple(".!?,;:…-—")


def _bare(line: str) -> str:
    return " ".join(line.split()).strip("_*= ")


def divide(blocks: list[Block]) -> Iterator[Heading | Paragraph]:
    """Headings, with the line that names them, and paragraphs; tables of contents and a closing "THE END" are gone."""
    blocks = _without_contents(blocks)
    if blocks and _END.fullmatch(_bare(blocks[-1].text)):
        blocks = blocks[:-1]
    heading = ""
    for block in blocks:
        text = block.text
        if _is_heading_block(block):
            # Printed on a leaf of its own and again above the chapter, it is one heading.
            if heading and heading != _bare(text):
                yield Heading(heading, 1)
            heading = _bare(text)
        elif heading and not _is_named(heading) and _is_subtitle(block):
            yield Heading(heading + (" " if heading[-1] in ".:,;—–-" else ". ") + _bare(text), 1)
            heading = ""
        else:
            if heading:
                yield Heading(heading, 1)
                heading = ""
            yield Paragraph(text)
    if heading:
        yield Heading(heading, 1)


def _is_named(heading: str) -> bool:
    match = _NUMBERED.fullmatch(heading) or _NUMERAL_TITLE.fullmatch(heading)
    return match is not None and match["title"] is not None


def _is_heading_block(block: Block) -> bool:
    if len(block.lines) == 1:
        return is_heading(block.lines[0])
    # A title may run over several lines, but then its first word must be in capitals: "Part two of the plan" is prose.
    if len(block.lines) > 4:
        return False
    text = _bare(block.text)
    if len(text) > _WRAPPED_TITLE_LENGTH:
        return False
    match = _NUMBERED.fullmatch(text)
    return match is not None and match["word"].isupper() and bool(match["end"].strip() or text.isupper())


def _is_subtitle(block: Block) -> bool:
    text = _bare(block.text)
    if len(block.lines) > 3 or len(text) > _WRAPPED_TITLE_LENGTH:
        return False
    if text.isupper():
        return True
    # Speech ends its sentence before it closes its quotation marks; a quotation that is a title does not.
    quoted = text[0] in '"“' and text[-1] in '"”' and not _ends_sentence(text)
    return len(block.lines) == 1 and len(text) <= _TITLE_LENGTH and " " in text and (quoted or _in_title_case(text))


def _without_contents(blocks: list[Block]) -> list[Block]:
    kept: list[Block] = []
    position = 0
    while position < len(blocks):
        named = _names_contents(blocks[position])
        end = position + named
        while end < len(blocks) and (_is_entry(blocks[end]) if named else _is_heading_block(blocks[end])):
            end += 1
        if named or end - position >= _HEADING_RUN:
            position = _resume(blocks, position + named, end)
        end = max(end, position + 1 - named)
        kept += blocks[position:end]
        position = end
    return kept


def _resume(blocks: list[Block], start: int, end: int) -> int:
    """Where the book goes on after its contents: at the first entry met again, else at the last heading before text."""
    seen: set[str] = set()
    for position in range(start, end):
        key = re.sub(r"\W+", " ", blocks[position].text.casefold()).strip()
        if key in seen:
            return position
        seen.add(key)
    position = end
    while position > start and not _is_heading_block(blocks[position - 1]):
        position -= 1
    return position - 1 if position > start else end


def _names_contents(block: Block) -> bool:
    first, *rest = block.lines
    if len(first) > 2 * _TITLE_LENGTH or not _CONTENTS.fullmatch(_bare(first)) or not _bare(first)[0].isupper():
        return False
    return not rest or _is_entry(Block(tuple(rest)))


def _is_entry(block: Block) -> bool:
    if any(len(line) > 2 * _TITLE_LENGTH for line in block.lines):
        return False
    if len(block.lines) == 1:
        text = _bare(block.text)
        ended = text[-1:] in tuple(".!?\"”'’,;:")
        return len(text) <= _TITLE_LENGTH and (
            not ended or is_heading(text) or text.isupper() or _ENTRY.fullmatch(block.lines[0]) is not None
        )
    entries = sum(_ENTRY.fullmatch(line) is not None for line in block.lines)
    return entries >= 0.6 * len(block.lines)
