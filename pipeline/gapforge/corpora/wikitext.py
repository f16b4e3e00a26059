"""Wikitext to plain prose: paragraphs on one line each, headings as sections, all else that is no prose left out.

GAP takes its contexts from running text and leaves list environments out (Webster et al. 2018, section 3), so
tables, boxes, lists, captions and footnotes go, and what stays are the sentences a reader of the page reads.
Nothing recurses and every step is linear in the length of the page, whatever it holds.
"""

import re

from gapforge.corpora.markup import (
    BLOCK,
    INLINE,
    MARKS,
    UNSEEN,
    decode_entities,
    hide_marks,
    show_external_links,
    show_links,
    show_nowiki,
    strip_elements,
    strip_files,
    strip_tables,
    strip_tags,
)
from gapforge.corpora.templates import show_templates
from gapforge.records import Section

# Lines that are items of lists; ":" indents, which articles use for hatnotes ("For other uses, see"), displayed
# formulas, verse and the steps of arguments, hardly ever for prose of its own; "|" and "!" are what is left of broken
# tables and templates.
_NOT_PROSE = "*#;:|!"
# A space begins program text, which is shown without wrapping. In a line too long for that it is a slip.
_PROGRAM_LINE = 120
_BEFORE_TEXT = " \t" + MARKS

_QUOTES = re.compile(r"'{2,}")
_LEFTOVERS = ["[[", "]]", "{{", "}}", "{|", "|}", "||", "''"]
# Controls and what has no width, except the white space that is folded. Surrogates and noncharacters are no text.
_NOISE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ufdd0-\ufdef\ud800-\udfff\ufffe\uffff]"
)

# Tidying, only around marks: the author's own "()" and ", ," stay. Runs of marks are made one beforehand and the
# other runs are bounded, so that no pattern looks at a run again from each of its places.
_RUN = re.compile(r"\x00([\x00 ]++)")
_EMPTY_BRACKETS = re.compile(r"\([ ,;:]*+\x00[\x00 ,;:]*+(?:(?:or|and)\b[\x00 ,;:]*+)?\)")
_OPEN_BRACKET = re.compile(r"\([ ,;:]*+\x00[\x00 ,;:]*+")
_CLOSE_BRACKET = re.compile(r"[,;:]?\x00[\x00 ,;:]{0,16}\)")
_DOUBLED = re.compile(r"[,;:]\x00 ?(?=[,;:.])")
# Patterns that begin with a mark are found ten times as fast: these tell whether those above can match.
_MAY_CLOSE = re.compile(r"\x00[\x00 ,;:]{0,16}\)")
_MAY_DOUBLE = re.compile(r"\x00(?<=[,;:]\x00) ?[,;:.]")
# Words that only a footnote mark or a remark kept apart: "one.[1]Two".
_GLUED = re.compile(r"\x00(?<=[^\W\d_]\x00|[.,;:!?)\"”]\x00)(?=[^\W\d_])")
_BEFORE_PUNCTUATION = re.compile(r"\x00 ?(?=[,.;:!?)\]])")


def clean(wikitext: str) -> tuple[str, list[Section]]:
    """The prose of a page and its sections; never raises, and the same wikitext gives the same text."""
    source, hidden = strip_elements(hide_marks(wikitext))
    if "&nbsp;" in source:
        source = source.replace("&nbsp;", " ")
    paragraphs: list[str] = []
    sections: list[Section] = []
    end = 0
    for title, level, body in _split_sections(source):
        found = _paragraphs(body, hidden)
        if found:
            start = end + 2 if paragraphs else 0
            end = start + sum(map(len, found)) + 2 * (len(found) - 1)
            paragraphs += found
        else:
            start = end
        sections.append(Section(_title(title, hidden), level, start, end))
    return "\n\n".join(paragraphs), sections


def _split_sections(source: str) -> list[tuple[str, int, str]]:
    """Title, level and wikitext of each section; a heading ends whatever markup is still open before it."""
    first, *rest = ("\n" + source).split("\n=")
    sections: list[tuple[str, int, list[str]]] = [("", 0, [first])]
    for part in rest:
        line, _, body = part.partition("\n")
        heading = "=" + line.rstrip(_BEFORE_TEXT)
        inner = heading.strip("=")
        if not heading.endswith("=") or not inner.strip(_BEFORE_TEXT):
            # A line of nothing but "=" is a failed heading; others are text that happens to begin so.
            sections[-1][2].append("\n=" + part if inner.strip(_BEFORE_TEXT) else "\n" + body)
            continue
        left = len(heading) - len(heading.lstrip("="))
        right = len(heading) - len(heading.rstrip("="))
        level = min(left, right, 6)
        sections.append((heading[level:-level], level, [body]))
    return [(title, level, "".join(body)) for title, level, body in sections]


def _title(title: str, hidden: bool) -> str:
    return _finish(strip_tags(show_templates(title)), hidden)


def _paragraphs(source: str, hidden: bool) -> list[str]:
    """The paragraphs of a section: consecutive lines of prose, joined."""
    source = strip_tags(strip_files(strip_tables(show_templates(source))))
    found: list[str] = []
    lines: list[str] = []
    for line in source.split("\n"):
        start = line.lstrip(_BEFORE_TEXT) if line and line[0] in MARKS else line
        if start and start[0] not in _NOT_PROSE and not (start[0] in " -" and _is_program_or_rule(start)):
            lines.append(line)
        elif lines and (start or not line or BLOCK in line):
            # A line that held only a comment or a reference does not part paragraphs; a box or a picture does.
            found.append("\n".join(lines))
            lines = []
    if lines:
        found.append("\n".join(lines))
    return [text for text in (_finish(paragraph, hidden) for paragraph in found) if text]


def _is_program_or_rule(line: str) -> bool:
    return len(line) < _PROGRAM_LINE if line[0] == " " else line.startswith("----")


def _finish(text: str, hidden: bool) -> str:
    """One paragraph on one line: inline markup shown, entities decoded, noise and what removals left tidied."""
    if "[" in text:
        text = show_external_links(show_links(text))
    if "''" in text:
        text = _strip_quotes(text) if "'''" in text else text.replace("''", "")
    if "\n" in text:
        text = text.replace("\n", " ")
    if UNSEEN in text:
        text = text.replace(UNSEEN, "")
    if INLINE in text or BLOCK in text:
        text = _tidy(text)
    # Single characters are searched for much faster than pairs, and most paragraphs have none of these.
    if "|" in text or "[" in text or "]" in text or "{" in text or "}" in text or "''" in text:
        for leftover in _LEFTOVERS:
            # A space, since what stood on its two sides may make another one.
            text = text.replace(leftover, " ")
    if "&" in text:
        text = decode_entities(text)
    # Not printable are controls, marks without width and all white space but the plain space.
    if not text.isprintable():
        if hidden:
            text = show_nowiki(text)
        text = " ".join(_NOISE.sub("", text).split())
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip()


def _strip_quotes(text: str) -> str:
    """The text without marks of bold and italics, but with apostrophes beside them, by MediaWiki's rule.

    Four marks are an apostrophe and bold. Where a line has an odd number of both bold and italic marks, one of its
    bold ones is an apostrophe and italics: L'''amour'', or ''Hamlet'''s.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        runs = [len(run) for run in _QUOTES.findall(line)]
        bold = sum(length != 2 for length in runs)
        italic = sum(length == 2 or length > 4 for length in runs)
        if bold % 2 and italic % 2:
            line = _keep_apostrophe(line)
        lines[number] = line.replace("'''''", "").replace("'''", "").replace("''", "")
    return "\n".join(lines)


def _keep_apostrophe(line: str) -> str:
    """Makes a plain apostrophe of the first mark in a bold run after one letter, else after a word, else any."""
    chosen, best = None, 3
    for match in _QUOTES.finditer(line):
        start = match.start()
        if match.end() - start == 3:
            one_letter = start > 0 and line[start - 1] != " " and (start < 2 or line[start - 2] == " ")
            rank = 0 if one_letter else 1 if start > 0 and line[start - 1] != " " else 2
            if rank < best:
                chosen, best = start, rank
    return line if chosen is None else f"{line[:chosen]}'{UNSEEN}{line[chosen + 1 :]}"


def _tidy(text: str) -> str:
    """The text without marks and without the spaces, commas and brackets that stood around what they stand for."""
    text = _RUN.sub(_one_mark, text.replace(BLOCK, INLINE).replace(" " + INLINE, INLINE + " "))
    if "(" in text:
        text = _OPEN_BRACKET.sub("(", _EMPTY_BRACKETS.sub(INLINE, text))
        if _MAY_CLOSE.search(text):
            text = _CLOSE_BRACKET.sub(")", text)
        text = _RUN.sub(_one_mark, text.replace(" " + INLINE, INLINE + " "))
    if _MAY_DOUBLE.search(text):
        text = _DOUBLED.sub("", text)
    text = _GLUED.sub(" ", _BEFORE_PUNCTUATION.sub("", text))
    return text.replace(INLINE, "").lstrip(" ,;")


def _one_mark(match: re.Match[str]) -> str:
    return INLINE + " " if " " in match[1] else INLINE
