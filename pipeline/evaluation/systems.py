"""Several systems on one set: what each two have right together (GAP Table 9), and how hard instances are (Table 11).

Correct means both names as gold, so that an instance counts once. Difficulty is told by how many of the systems
agree with gold: all (green), some (yellow), none (red).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import scipy  # whose parts load when they are used

from pipeline.evaluation.counter_gap import is_right
from pipeline.evaluation.gap import Prediction, f1_of, gap_rows
from pipeline.evaluation.gold import Item
from pipeline.evaluation.predictions import Predictions
from pipeline.evaluation.scoring import score_counter_gap, score_gap
from pipeline.evaluation.significance import RESAMPLES, Floats, Statistic, randomisation
from pipeline.records import Gender

GROUPS: tuple[Gender | None, ...] = (None, "masculine", "feminine")


def score_systems(
    items: Sequence[Item],
    kind: str,
    systems: Mapping[str, Predictions],
    weights: Mapping[str, float] | None,
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    """One system's figures as they are; of several, the figures of each, and how they compare."""
    score = score_gap if kind == "gap" else score_counter_gap
    found = {name: score(items, it.said, weights, resamples, seed) for name, it in systems.items()}
    result = together(kind, {name: its | faulty(systems[name].faults) for name, its in found.items()})
    if len(found) > 1:
        result |= {"instances": len(items)}
        result |= compare(items, {name: it.said for name, it in systems.items()}, resamples, seed)
    return result


def together(kind: str, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """One system's figures as they are, those of several by name."""
    return next(iter(found.values())) if len(found) == 1 else {"dataset": kind, "systems": found}


def faulty(faults: Mapping[str, int]) -> dict[str, Any]:
    return {"faults": dict(faults)} if faults else {}


def compare(
    items: Sequence[Item], systems: Mapping[str, Mapping[str, Prediction]], rounds: int = RESAMPLES, seed: int = 0
) -> dict[str, Any]:
    """The contingency of each two systems with paired tests, and the difficulty of the instances."""
    right = {name: [is_right(item, said[item.id]) for item in items] for name, said in systems.items()}
    rows = {name: by_quadruple(items, gap_rows(items, said)) for name, said in systems.items()}
    return {
        "contingency": contingencies(right, rows, f1_of, rounds, seed),
        "difficulty": difficulties(right, [item.gender for item in items]),
    }


def by_quadruple(items: Sequence[Item], rows: Floats) -> Floats:
    """One line a quadruple, whose four instances are not independent; elsewhere one line an item, as it is."""
    numbers: dict[str, int] = {}
    places = [numbers.setdefault(item.quadruple or item.id, len(numbers)) for item in items]
    sums = np.zeros((len(numbers), rows.shape[1]))
    np.add.at(sums, places, rows)
    return sums


def contingencies(
    right: Mapping[str, Sequence[bool]], rows: Mapping[str, Floats], f1: Statistic, rounds: int, seed: int
) -> list[dict[str, Any]]:
    """Each two systems; `p` is of how many they have right, `f1_p` of their F1, by paired approximate randomisation."""
    return [
        contingency(first, second, right[first], right[second])
        | {"f1_p": randomisation(rows[first], rows[second], f1, rounds, seed)}
        for first, second in combinations(right, 2)
    ]


def difficulties(right: Mapping[str, Sequence[bool]], genders: Sequence[Gender]) -> dict[str, Any]:
    """The difficulty of all instances, and of those of each gender."""
    agreeing = [sum(votes) for votes in zip(*right.values(), strict=True)]
    return {
        group or "overall": difficulty(
            [n for n, gender in zip(agreeing, genders, strict=True) if group in (None, gender)], len(right)
        )
        for group in GROUPS
    }


def contingency(first: str, second: str, ours: Sequence[bool], theirs: Sequence[bool]) -> dict[str, Any]:
    """How many instances both have right, only one, or neither; p is McNemar's, exact."""
    counts = Counter(zip(ours, theirs, strict=True))
    one, other = counts[True, False], counts[False, True]
    return {
        "first": first,
        "second": second,
        "both": counts[True, True],
        "only_first": one,
        "only_second": other,
        "neither": counts[False, False],
        "p": float(scipy.stats.binomtest(one, one + other).pvalue) if one + other else 1.0,
    }


def difficulty(agreeing: Sequence[int], systems: int) -> dict[str, Any]:
    """How many instances so many of the systems have right, from all of them down to none."""
    counts = Counter(agreeing)
    return {
        "instances": len(agreeing),
        "green": counts[systems],
        "yellow": sum(counts[n] for n in range(1, systems)),
        "red": counts[0],
        "agreement": {str(n): counts[n] for n in range(systems, -1, -1)},
    }
