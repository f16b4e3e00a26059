"""Rows of GAP for tests: all of a part, or those that the default tier reads."""

import random

from gapforge.evaluation.gold import Item, read_items
from reference import PUBLISHED, Reference

SOME = 100


def all_rows(part: str, reference: Reference = PUBLISHED) -> list[Item]:
    return read_items(reference.path(f"gap/gap-{part}.tsv"), "gap")


def some_rows(part: str, reference: Reference) -> list[Item]:
    """At most a hundred rows, always the same, so that their figures can be pinned."""
    rows = all_rows(part, reference)
    return random.Random(21).sample(rows, SOME) if len(rows) > SOME else rows
