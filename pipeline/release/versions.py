"""Which number a release should carry, given what changed since the one before.

The data version is semantic. *Major*: figures measured on the old release do not compare with those on the new one,
or code that reads the old one may fail on it. So it is where rows are removed or renamed, where what a figure is
measured on changes in a row, such as its text, spans, label, split or gender, and where a config, split or column is
removed or a column has another type. A changed weight is of this kind as well, since W-Bias is made of them (Kocijan
et al. 2021, 3.4). A column that is not known here counts as measured: a number too high does less harm than figures
that silently do not compare. *Minor*: rows, columns, configs or splits are added. *Patch*: whatever else differs, such
as where a row comes from, how far annotators agreed, what an edit scores, the card, the errata, or the bytes of files
that say the same.
"""

import re
from collections.abc import Iterator
from typing import Literal

from pipeline.release.changes import ConfigDiff, by_reason

Level = Literal["none", "patch", "minor", "major"]
LEVELS: tuple[Level, ...] = ("none", "patch", "minor", "major")
Cause = tuple[Level, str]

# Aspects and columns of a row that no figure is measured on.
UNMEASURED = {"origin", "agreement", "standard", "page_entity", "contradictions", "edits"}
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})", re.ASCII)


def causes_in(it: ConfigDiff) -> Iterator[Cause]:
    """What in one config calls for a new version, and how high."""
    name = it.config
    if it.found_in == "old":
        yield "major", f"{name}: config removed"
    elif it.found_in == "new":
        yield "minor", f"{name}: config added"
    else:
        yield from (("major", f"{name}: split {split} removed") for split in it.splits_removed)
        yield from (("major", f"{name}: column {column} removed") for column in it.columns_removed)
        for column, (before, after) in it.columns_retyped.items():
            yield "major", f"{name}: column {column} of type {after}, was {before}"
        if it.removed:
            yield "major", f"{name}: {rows(len(it.removed))} removed"
        for reason, count in by_reason(it.changed).items():
            if reason == "id":
                yield "major", f"{name}: {rows(count)} renamed"
            elif reason != "erratum":
                yield "patch" if reason in UNMEASURED else "major", f"{name}: {reason} of {rows(count)} changed"
        if it.added:
            yield "minor", f"{name}: {rows(len(it.added))} added"
        yield from (("minor", f"{name}: split {split} added") for split in it.splits_added)
        yield from (("minor", f"{name}: column {column} added") for column in it.columns_added)


def rows(count: int) -> str:
    return f"{count:,} row" + ("" if count == 1 else "s")


def highest(causes: list[Cause]) -> Level:
    return max((level for level, _ in causes), key=LEVELS.index, default="none")


def numbers_in(version: str) -> tuple[int, int, int] | None:
    """The three numbers of a version, None where it is made of anything else."""
    found = _VERSION.fullmatch(version)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def next_version(version: str, level: Level) -> str:
    """The lowest version after this one that says so much has changed; empty where this one is no three numbers."""
    numbers = numbers_in(version)
    if numbers is None:
        return ""
    major, minor, patch = numbers
    raised = {
        "none": numbers,
        "patch": (major, minor, patch + 1),
        "minor": (major, minor + 1, 0),
        "major": (major + 1, 0, 0),
    }
    return ".".join(map(str, raised[level]))


def misfit(version: str, suggested: str) -> str:
    """What is wrong with the version that a release carries; empty where it is as high as suggested, or higher."""
    lowest, numbers = numbers_in(suggested), numbers_in(version)
    if numbers is None:
        return f"says version {version!r}, which is no three numbers such as 1.2.0"
    if lowest and numbers < lowest:
        return f"says version {version}; wanted at least {suggested}"
    return ""
