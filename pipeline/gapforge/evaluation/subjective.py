"""The same systems on GAP and on its subjective variant: what subjective language changes (Pant and Dadu 2022, 4.3).

Both sets have the same rows with the same labels, so that a change is one of pairs: the two answers of a system to a
row are resampled together, and change places together in the test. The intervals are narrower than those of two sets
that have nothing to do with each other, and the paper, whose Table 8 gives none, calls a change of 0.007 significant.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gapforge.errors import InputError, listed
from gapforge.evaluation.comparison import score_systems
from gapforge.evaluation.files import Predictions
from gapforge.evaluation.gap import WIDTH, Prediction, f1_of, gap_figures, gap_rows
from gapforge.evaluation.gold import Item
from gapforge.evaluation.resampling import Floats, bootstrap, interval, randomisation
from gapforge.evaluation.scoring import defined, nested
from gapforge.evaluation.settings import RESAMPLES

# The figures of Table 8, by the names that the paper has for them.
TABLE_8 = {
    "overall.f1": "F1",
    "overall.precision": "precision",
    "overall.recall": "recall",
    "masculine.f1": "masculine F1",
    "feminine.f1": "feminine F1",
    "bias": "Bias",
}
COMPARED = 2 * WIDTH  # columns of a row of one set


def compare_variants(
    items: Sequence[Item],
    variant_items: Sequence[Item],
    predictions: Mapping[str, Prediction],
    variant_predictions: Mapping[str, Prediction],
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """The figures of Table 8 on both sets and their change, each with its interval; `p` is that of the change of F1.

    InputError where the two sets are not the same rows with the same labels, in whatever order.
    """
    first = gap_rows(items, predictions)
    second = gap_rows(in_order(items, variant_items), variant_predictions)
    rows = np.hstack([first, second])
    exact = both_figures(rows.sum(axis=0))
    samples = bootstrap(rows, both_figures, resamples, seed)
    found: dict[str, Any] = {"instances": len(items)}
    bounds = {}
    for side in ("original", "subjective", "change"):
        names = {f"{side}.{name}": name for name in TABLE_8}
        found[side] = nested({name: defined(exact[full]) for full, name in names.items()})
        bounds[side] = nested({name: interval(samples[full]) for full, name in names.items()})
    return found | {"p": randomisation(first, second, f1_of, resamples, seed), "intervals": bounds}


def in_order(items: Sequence[Item], variants: Sequence[Item]) -> list[Item]:
    """The variant of each item."""
    of = {it.id: it for it in variants}
    ids = {it.id for it in items}
    if strange := sorted(ids ^ of.keys()):
        raise InputError(f"rows of one set without the other: {listed(strange)}; compare GAP with its own variant")
    if other := [it.id for it in items if (it.a, it.b, it.gender) != (of[it.id].a, of[it.id].b, of[it.id].gender)]:
        raise InputError(f"rows with another label or gender: {listed(other)}; compare GAP with its own variant")
    return [of[it.id] for it in items]


def both_figures(sums: Floats) -> dict[str, Floats]:
    before, after = gap_figures(sums[..., :COMPARED]), gap_figures(sums[..., COMPARED:])
    found: dict[str, Floats] = {}
    for name in TABLE_8:
        found |= {f"original.{name}": before[name], f"subjective.{name}": after[name]}
        found[f"change.{name}"] = after[name] - before[name]
    return found


def score_variant(
    items: Sequence[Item],
    variant: Sequence[Item],
    said: Mapping[str, Predictions],
    theirs: Mapping[str, Predictions],
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """The figures on the subjective variant, with what changes since GAP; `said` is of GAP, `theirs` of the variant."""
    result = score_systems(variant, "gap-subjective", theirs, None, resamples, seed, "gap-subjective")
    return with_changes(result, items, variant, said, theirs, resamples, seed)


def with_changes(
    result: Mapping[str, Any],
    items: Sequence[Item],
    variant_items: Sequence[Item],
    systems: Mapping[str, Predictions],
    variant_systems: Mapping[str, Predictions],
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """The figures on the variant, as `score_systems` gives them, with the change of each system since GAP."""

    def changed(name: str, its: Mapping[str, Any]) -> dict[str, Any]:
        said = systems[name].said, variant_systems[name].said
        compared = compare_variants(items, variant_items, *said, resamples, seed)
        change = compared["change"] | {"p": compared["p"]}
        return {**its, "change": change, "intervals": its["intervals"] | {"change": compared["intervals"]["change"]}}

    if "systems" not in result:
        return changed(next(iter(systems)), result)
    return {**result, "systems": {name: changed(name, its) for name, its in result["systems"].items()}}
