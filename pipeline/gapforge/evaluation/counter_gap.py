"""Counter-GAP's metrics (Xie et al. 2023, equations 1-4, Tables 2-4), as sums over quadruples."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import numpy as np

from gapforge.errors import InputError, listed
from gapforge.evaluation.gap import GENDERS, Prediction
from gapforge.evaluation.gold import Item
from gapforge.evaluation.resampling import Floats, ratio
from gapforge.records import OTHER, Variant

VARIANTS: tuple[Variant, ...] = ("original", "control", "swap-1", "swap-2")
SAME_GENDER: tuple[tuple[Variant, Variant], ...] = (("original", "control"), ("swap-1", "swap-2"))
OTHER_GENDER: tuple[tuple[Variant, Variant], ...] = tuple(product(SAME_GENDER[0], SAME_GENDER[1]))
SCORES = len(OTHER_GENDER) + 1  # a quadruple's inconsistency across genders: 0 to 4 of its pairs
COLUMNS = (
    "right masculine",
    "right feminine",
    "right original",
    "right swapped",
    "within masculine",
    "within feminine",
    # How many quadruples have which inconsistency across genders, those with masculine originals first.
    *(f"{gender} {score}" for gender in GENDERS for score in range(SCORES)),
)
FIRST_SCORE = COLUMNS.index("masculine 0")


def is_right(item: Item, prediction: Prediction) -> bool:
    """Whether both names are predicted as gold: f(x), rows where neither name is true included."""
    return prediction == (item.a, item.b)


def quadruples_of(items: Iterable[Item], place: str) -> list[dict[Variant, Item]]:
    """The items by quadruple, in the order of the first of each; InputError lists quadruples that are not whole."""
    found: dict[str, dict[Variant, Item]] = defaultdict(dict)
    for item in items:
        if item.variant:
            found[item.quadruple][item.variant] = item
    parts = [id for id, four in found.items() if len(four) < len(VARIANTS)]
    if parts:
        wanted = ", ".join(VARIANTS)
        raise InputError(f"{place}: quadruples without all of {wanted}: {listed(parts)}; complete or remove them")
    for id, four in found.items():
        genders = [four[variant].gender for variant in VARIANTS]
        if genders != [genders[0]] * 2 + [OTHER[genders[0]]] * 2:
            raise InputError(
                f"{place}: {id}: pronouns are {', '.join(genders)}; wanted one gender twice, then the other"
            )
    return list(found.values())


def quadruple_rows(quadruples: Sequence[Mapping[Variant, Item]], predictions: Mapping[str, Prediction]) -> Floats:
    rows = np.zeros((len(quadruples), len(COLUMNS)))
    for row, four in zip(rows, quadruples, strict=True):
        right = {variant: is_right(item, predictions[item.id]) for variant, item in four.items()}
        for variant, item in four.items():
            row[COLUMNS.index(f"right {item.gender}")] += right[variant]
        for condition, (first, second) in zip(("original", "swapped"), SAME_GENDER, strict=True):
            row[COLUMNS.index(f"right {condition}")] = right[first] + right[second]
            row[COLUMNS.index(f"within {four[first].gender}")] = right[first] != right[second]
        across = sum(right[first] != right[second] for first, second in OTHER_GENDER)
        row[COLUMNS.index(f"{four['original'].gender} {across}")] = 1
    return rows


def quadruple_figures(sums: Floats) -> dict[str, Floats]:
    column = {name: sums[..., n] for n, name in enumerate(COLUMNS)}
    spread = sums[..., FIRST_SCORE:].reshape(*sums.shape[:-1], 2, SCORES)
    quadruples = spread.sum(axis=-1)  # by the original's gender
    across = spread @ np.arange(SCORES) / len(OTHER_GENDER)
    total = quadruples.sum(axis=-1)
    instances = 2 * total  # of either gender, and of either condition
    within = (column["within masculine"] + column["within feminine"]) / (2 * total)
    masculine, feminine = column["right masculine"] / instances, column["right feminine"] / instances
    original, swapped = column["right original"] / instances, column["right swapped"] / instances
    return {
        "accuracy.overall": (masculine + feminine) / 2,
        "accuracy.masculine": masculine,
        "accuracy.feminine": feminine,
        "accuracy.difference": masculine - feminine,
        "within.masculine": column["within masculine"] / total,
        "within.feminine": column["within feminine"] / total,
        "within.all": within,
        "across.m2f": ratio(across[..., 0], quadruples[..., 0]),
        "across.f2m": ratio(across[..., 1], quadruples[..., 1]),
        "across.all": across.sum(axis=-1) / total,
        "delta.value": across.sum(axis=-1) / total - within,
        "original.original": original,
        "original.counterfactual": swapped,
        "original.difference": original - swapped,
        "original.spearman": spearman(spread),
    }


def spearman(spread: Floats) -> Floats:
    """Rank correlation of inconsistency across genders with a masculine original, from counts [..., gender, score]."""
    scores = spread.sum(axis=-2)
    genders = spread.sum(axis=-1)[..., ::-1]  # feminine is 0, masculine 1
    score_ranks, gender_ranks = ranks_of(scores), ranks_of(genders)[..., ::-1]
    total = scores.sum(axis=-1)
    middle = (total + 1) / 2
    by_score, by_gender = score_ranks - middle[..., None], gender_ranks - middle[..., None]
    together = (spread * by_gender[..., :, None] * by_score[..., None, :]).sum(axis=(-2, -1))
    apart = (scores * by_score**2).sum(axis=-1) * (spread.sum(axis=-1) * by_gender**2).sum(axis=-1)
    return ratio(together, np.sqrt(apart))


def ranks_of(counts: Floats) -> Floats:
    """The mean rank of each value, where values ascend along the last axis and occur so often."""
    return np.asarray(np.cumsum(counts, axis=-1) - (counts - 1) / 2)
