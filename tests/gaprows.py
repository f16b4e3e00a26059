"""Rows of GAP for tests: all of a part, or some drawn with a seed, which the default tier reads."""

import random
from pathlib import Path

import pytest

from gapforge.evaluation.gold import Item, read_items

GAP = Path(__file__).parents[2] / "shared" / "reference" / "gap"


def all_rows(part: str) -> list[Item]:
    path = GAP / f"gap-{part}.tsv"
    if not path.is_file():
        pytest.skip(f"{path} is not here: published data are no part of the repository")
    return read_items(path, "gap")


def some_rows(part: str) -> list[Item]:
    """A hundred rows, always the same, so that their figures can be pinned."""
    return random.Random(21).sample(all_rows(part), 100)
