"""Resampling: how sure a figure is, and whether a difference is more than chance.

Every metric here is a function of sums over independent rows (a GAP example, a quadruple, a document). Rows that
are alike are interchangeable, and a corpus has few kinds of them: 32 kinds of quadruples, however many there are.
So a resample is one draw of how often each kind occurs, and 100,000 of them take a moment.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from gapforge.evaluation.settings import RESAMPLES

Floats = NDArray[np.float64]
# From sums of the columns, which are the last axis, to figures by name; other axes are resamples.
Figures = Callable[[Floats], dict[str, Floats]]
Statistic = Callable[[Floats], Floats]

CONFIDENCE = 0.95
MOST_CELLS = 4_000_000  # of the draws held in memory at a time
ROUNDING = 1e-12
DIGITS = 10  # of a figure; those after depend on the processor


def bootstrap(rows: Floats, figures: Figures, resamples: int = RESAMPLES, seed: int = 0) -> dict[str, Floats]:
    """The figures of so many resamples of the rows, drawn with replacement."""
    kinds, counts = kinds_of(rows)
    generator = np.random.default_rng(seed)
    chances = counts / counts.sum()
    drawn = [generator.multinomial(len(rows), chances, size) @ kinds for size in portions(resamples, len(kinds))]
    return figures(np.concatenate(drawn))


def randomisation(first: Floats, second: Floats, statistic: Statistic, rounds: int = RESAMPLES, seed: int = 0) -> float:
    """How often chance alone parts two systems on the same rows as far as they are, or farther: paired, two-sided.

    In each round the two change places in about half of the rows. The observed assignment counts as one of the
    rounds, so that no p is 0.
    """
    totals = first.sum(axis=0), second.sum(axis=0)
    observed = abs(statistic(totals[0]) - statistic(totals[1]))
    differences = second - first
    moves, counts = kinds_of(differences[differences.any(axis=1)])  # rows answered alike change nothing
    generator = np.random.default_rng(seed)
    reached = 0
    for size in portions(rounds, len(moves)):
        moved = generator.binomial(counts, 0.5, (size, len(moves))) @ moves
        apart = abs(statistic(totals[0] + moved) - statistic(totals[1] - moved))
        reached += int((apart >= observed - ROUNDING).sum())
    return (reached + 1) / (rounds + 1)


def kinds_of(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The different rows, and how often each occurs."""
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    return kinds, counts


def portions(total: int, width: int) -> Iterator[int]:
    """`total` in parts whose draws fit into memory."""
    size = max(1, MOST_CELLS // max(1, width))
    for start in range(0, total, size):
        yield min(size, total - start)


def interval(samples: Floats, confidence: float = CONFIDENCE) -> list[float] | None:
    """The middle share of the resamples as [low, high]; None where a figure is undefined in all of them."""
    defined = samples[np.isfinite(samples)]
    if not len(defined):
        return None
    tail = (1 - confidence) / 2
    return [round(float(bound), DIGITS) for bound in np.quantile(defined, (tail, 1 - tail))]


def at_most_zero(samples: Floats) -> float:
    """One-sided p of a difference above 0: the share of resamples at or below it (Counter-GAP 4)."""
    return float((samples <= ROUNDING).mean())


def ratio(over: Floats, under: Floats) -> Floats:
    """A quotient that is undefined, NaN, where nothing is under it."""
    return np.where(under == 0, np.nan, over / np.where(under == 0, 1.0, under))


def share(over: Floats, under: Floats) -> Floats:
    """A quotient that is 0 where nothing is under it, as official scorers count."""
    return np.where(under == 0, 0.0, over / np.where(under == 0, 1.0, under))
