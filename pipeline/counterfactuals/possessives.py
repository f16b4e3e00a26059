"""Apostrophes after a name or a word in s: possessives by themselves, or the ends of quotations."""

import re

ENDING = re.compile(r"['’]s?$")
WORD_AHEAD = re.compile(r"\s+[^\W_]")
OPENS = re.compile(r"(?<![^\W_])['‘](?=\w)")
CLOSES = re.compile(r"(?<=[\w.,!?;:—-])['’](?![^\W_])")


def without_possessive(cell: str) -> str:
    """A name without the 's or the bare apostrophe that a cell may hold."""
    return ENDING.sub("", cell)


def is_bare(text: str, mark: int) -> bool:
    """Whether an apostrophe is a possessive by itself: a word follows, and no quotation is open that it could close."""
    return WORD_AHEAD.match(text, mark + 1) is not None and not in_quotation(text, mark)


def in_quotation(text: str, mark: int) -> bool:
    """Whether a quotation between single marks was opened before and may end at this one."""
    return len(OPENS.findall(text, 0, mark)) > len(CLOSES.findall(text, 0, mark))
