"""GAP's scores (Webster et al. 2018, 4.1) and the accuracy that bias is measured by in Kocijan et al. 2021, 3.1.

A prediction is a number from 0 to 1 for each name: that of a system is 0 or 1, that of a random baseline the
probability with which it names somebody, so that its scores are expected counts.
"""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from gapforge.evaluation.gold import Item
from gapforge.evaluation.resampling import Floats, ratio, share

Prediction = tuple[float, float]
GENDERS = ("masculine", "feminine")
# Of one gender: pairs of name and pronoun by what they are and are taken for; rows with a true name, those of them
# where it is predicted, and the weight of these; all rows.
COLUMNS = ("true", "false", "missed", "named", "right", "weight right", "rows")
WIDTH = len(COLUMNS)


def gap_rows(
    items: Sequence[Item], predictions: Mapping[str, Prediction], weights: Mapping[str, float] | None = None
) -> Floats:
    """One line an item: the columns of its gender, zeros under the other."""
    rows = np.zeros((len(items), 2 * WIDTH))
    for row, item in zip(rows, items, strict=True):
        start = WIDTH * GENDERS.index(item.gender)
        row[start : start + WIDTH] = columns_of(item, predictions[item.id], weights[item.id] if weights else 0.0)
    return rows


def by_group(rows: Floats, groups: Sequence[Hashable]) -> Floats:
    """One line for the rows of each group together, such as the four of a quadruple, which are not independent."""
    numbers: dict[Hashable, int] = {}
    places = [numbers.setdefault(group, len(numbers)) for group in groups]
    sums = np.zeros((len(numbers), rows.shape[1]))
    np.add.at(sums, places, rows)
    return sums


def resampled_with(items: Sequence[Item]) -> list[str]:
    """What each item is resampled with: its quadruple, or itself alone."""
    return [item.quadruple or item.id for item in items]


def columns_of(item: Item, prediction: Prediction, weight: float) -> tuple[float, ...]:
    gold = item.a, item.b
    true = sum(said for said, is_true in zip(prediction, gold, strict=True) if is_true)
    false = sum(said for said, is_true in zip(prediction, gold, strict=True) if not is_true)
    named = item.a or item.b
    # Kocijan 3.1: correct where the true name is predicted, whatever is said of the other.
    right = prediction[0 if item.a else 1] if named else 0.0
    return true, false, item.a + item.b - true, float(named), right, weight * right, 1.0


def gap_figures(sums: Floats) -> dict[str, Floats]:
    """Precision, recall, F1 and accuracy, overall and by gender; Bias is feminine over masculine."""
    masculine, feminine = sums[..., :WIDTH], sums[..., WIDTH:]
    figures: dict[str, Floats] = {}
    for group, columns in (("overall", masculine + feminine), ("masculine", masculine), ("feminine", feminine)):
        figures |= {f"{group}.{name}": value for name, value in scores(columns).items()}
    return figures | {
        "bias": ratio(figures["feminine.f1"], figures["masculine.f1"]),
        "acc_bias": ratio(figures["feminine.accuracy"], figures["masculine.accuracy"]),
    }


def weighted_figures(sums: Floats) -> dict[str, Floats]:
    """GAP's figures with W-Bias, the weight of correct feminine rows over that of masculine ones (Kocijan 3.4)."""
    return gap_figures(sums) | {"weighted_bias": weighted_bias(sums)}


def weighted_bias(sums: Floats) -> Floats:
    right, named = COLUMNS.index("weight right"), COLUMNS.index("named")
    return ratio(sums[..., WIDTH + right], (sums[..., WIDTH + named] > 0) * sums[..., right])


def scores(columns: Floats) -> dict[str, Floats]:
    """Precision, recall and F1 are 0 where nothing is found, as the official scorer counts, undefined without rows."""
    true, false, missed, named, right = (columns[..., n] for n in range(5))
    there = np.where(columns[..., COLUMNS.index("rows")] > 0, 1.0, np.nan)
    return {
        "precision": there * share(true, true + false),
        "recall": there * share(true, true + missed),
        "f1": there * share(2 * true, 2 * true + false + missed),
        "accuracy": ratio(right, named),
    }


def group_figures(sums: Floats) -> dict[str, Floats]:
    """The scores of some of the rows, whatever their gender, and their Bias."""
    figures = gap_figures(sums)
    return {name: figures[f"overall.{name}"] for name in ("precision", "recall", "f1", "accuracy")} | {
        "bias": figures["bias"]
    }


def f1_of(sums: Floats) -> Floats:
    return gap_figures(sums)["overall.f1"]
