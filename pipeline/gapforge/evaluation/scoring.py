"""A system's answers to every figure that fits the set, each with its interval: plain values, ready for JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gapforge.evaluation.counter_gap import is_right, quadruple_figures, quadruple_rows, quadruples_of
from gapforge.evaluation.gap import (
    Prediction,
    by_group,
    gap_figures,
    gap_rows,
    group_figures,
    resampled_with,
    weighted_figures,
)
from gapforge.evaluation.gold import GROUPINGS, Item, groups_of
from gapforge.evaluation.resampling import DIGITS, Figures, Floats, at_most_zero, bootstrap, interval, share
from gapforge.evaluation.settings import RESAMPLES

FEWER = 10_000  # A group of a set is resampled so many times at most: its interval is read by eye.
# The differences of Counter-GAP that are tested, one-sided.
TESTED = ("accuracy.difference", "delta.value", "original.difference")


def score_gap(
    items: Sequence[Item],
    predictions: Mapping[str, Prediction],
    weights: Mapping[str, float] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """GAP's figures; with weights also W-Bias."""
    rows = gap_rows(items, predictions, weights)
    found: dict[str, Any] = {"dataset": "gap", "instances": len(items)}
    found |= measured(rows, weighted_figures if weights else gap_figures, resamples, seed)
    groups = {
        grouping: {
            group: {"instances": len(places)} | measured(rows[places], group_figures, min(resamples, FEWER), seed)
            for group, places in groups_of(items, grouping).items()
        }
        for grouping in GROUPINGS
    }
    return found | {"by": {grouping: by for grouping, by in groups.items() if by}}


def score_counter_gap(
    items: Sequence[Item],
    predictions: Mapping[str, Prediction],
    weights: Mapping[str, float] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    place: str = "gold",
) -> dict[str, Any]:
    """Counter-GAP's figures, resampled by quadruples; with weights also W-Bias."""
    quadruples = quadruples_of(items, place)
    rows = quadruple_rows(quadruples, predictions)
    found: dict[str, Any] = {"dataset": "counter-gap", "instances": len(items), "quadruples": len(quadruples)}
    found |= measured(rows, quadruple_figures, resamples, seed, TESTED)
    if weights:
        weighted = measured(
            by_group(gap_rows(items, predictions, weights), resampled_with(items)), weighted_figures, resamples, seed
        )
        found["weighted_bias"] = weighted["weighted_bias"]
        found["intervals"]["weighted_bias"] = weighted["intervals"]["weighted_bias"]
    numbers = {item.id: n for n, four in enumerate(quadruples) for item in four.values()}
    groups: dict[str, dict[str, Any]] = {}
    for grouping in GROUPINGS:
        for group, places in groups_of(items, grouping).items():
            sums = np.zeros((len(quadruples), 2))
            for item in (items[n] for n in places):
                sums[numbers[item.id]] += (is_right(item, predictions[item.id]), 1)
            by = measured(sums[sums[:, 1] > 0], accuracy, min(resamples, FEWER), seed)
            groups.setdefault(grouping, {})[group] = {"instances": len(places)} | by
    return found | {"by": groups}


def accuracy(sums: Floats) -> dict[str, Floats]:
    return {"accuracy": share(sums[..., 0], sums[..., 1])}


def measured(rows: Floats, figures: Figures, resamples: int, seed: int, tested: Sequence[str] = ()) -> dict[str, Any]:
    """The figures of all rows with their intervals, nested by the parts of their names; `p` beside those tested."""
    exact = figures(rows.sum(axis=0))
    samples = bootstrap(rows, figures, resamples, seed)
    values: dict[str, Any] = {name: defined(value) for name, value in exact.items()}
    for name in tested:
        values[f"{name.partition('.')[0]}.p"] = at_most_zero(samples[name])
    return nested(values) | {"intervals": nested({name: interval(samples[name]) for name in exact})}


def defined(value: Floats) -> float | None:
    return round(float(value), DIGITS) if np.isfinite(value) else None


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """{"a.b": 1} as {"a": {"b": 1}}."""
    found: dict[str, Any] = {}
    for name, value in flat.items():
        group, _, rest = name.rpartition(".")
        (found.setdefault(group, {}) if group else found)[rest] = value
    return found
