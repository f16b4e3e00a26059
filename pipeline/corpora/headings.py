"""Chapter headings and tables of contents among the paragraphs of a book.

The rules lean to one side: a heading left in the text is a blemish, a paragraph taken for one is lost prose.
So a heading is a paragraph of its own, and its wording must leave no doubt.
"""

import re
from collections.abc import Iterator

from pipeline.corpora.books import Heading, Paragraph
from pipeline.corpora.layout import Block

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
