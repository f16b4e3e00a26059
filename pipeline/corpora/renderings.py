"""Which of the files of a Project Gutenberg mirror to read: it holds most books several times over.

A book numbered N lies there as `N-0.txt` or `pgN.txt` (UTF-8), `N.txt` (ASCII) and `N-8.txt` (Latin-1), each
also as a `.zip`, with pages for browsers in `N-h.zip`, and with earlier editions in a folder `old`, where some
have names from the time before there were numbers (`N/old/prprj10.txt`).
"""

import re
from collections.abc import Iterable

# All else after a dash is no rendering but somebody's own name ("12-months.txt").
_NAME = re.compile(
    r"(?P<cache>pg)?(?P<number>\d+)"
    r"(?:-(?P<kind>\d|h|t|x|m|pdf|rst|tei|lit|page-images|images(?:[-.]\w+)*))?"
    r"(?P<inner>(?:\.(?:txt|utf-?8))*)\.(?P<suffix>\w+)",
    re.IGNORECASE,
)
_OLD = re.compile(r"(?:.*/)?(?P<number>\d+)/old/.*", re.IGNORECASE)
# Characters are lost in ASCII, and Latin-1 must be guessed; other digits are encodings of other languages.
_ENCODINGS = {"0": 0, "": 1, "8": 2}
_SUFFIXES = {"txt": 0, "zip": 1}

Rank = tuple[bool, int, int]


def best_renderings(names: Iterable[str]) -> list[str]:
    """One name of each book number, and all names without a number, in their order; the first of equals is taken."""
    kept: list[str | None] = []
    best: dict[int, tuple[Rank, int]] = {}
    for name in names:
        number = _number_of(name)
        if number is None:
            kept.append(name)
        elif (rank := _rank(name)) is not None and (number not in best or rank < best[number][0]):
            if number in best:
                kept[best[number][1]] = None
            best[number] = rank, len(kept)
            kept.append(name)
    return [name for name in kept if name is not None]


def _number_of(name: str) -> int | None:
    match = _NAME.fullmatch(name.rpartition("/")[2]) or _OLD.fullmatch(name)
    return int(match["number"]) if match else None


def _rank(name: str) -> Rank | None:
    """The smaller the better; None for what holds no plain text."""
    folder, _, file = name.rpartition("/")
    old = "old" in folder.lower().split("/")
    match = _NAME.fullmatch(file)
    if match is None:
        return old, len(_ENCODINGS), len(_SUFFIXES)
    kind = match["kind"] or ("0" if match["cache"] or "utf" in match["inner"].lower() else "")
    if kind and not kind.isdigit():
        return None
    suffix = match["suffix"].lower()
    return old, _ENCODINGS.get(kind, len(_ENCODINGS)), _SUFFIXES.get(suffix, len(_SUFFIXES))
