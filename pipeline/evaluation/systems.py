"""Several systems on one set: what each two have right together (GAP Table 9), and how hard instances are (Table 11).

Correct means both names as gold, so that an instance counts once. Difficulty is told by how many of the systems
agree with gold: all (green), some (yellow), none (red).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from scipy.stats import binomtest

from pipeline.evaluation.counter_gap import is_right
from pipeline.evaluation.gap import Prediction, f1_of, gap_rows
from pipeline.evaluation.gold import Item
from pipeline.evaluation.significance import RESAMPLES, randomisation
from pipeline.records import Gender

Systems = Mapping[str, Mapping[str, Prediction]]
GROUPS: tuple[Gender | None, ...] = (None, "masculine", "feminine")


def compare(items: Sequence[Item], systems: Systems, rounds: int = RESAMPLES, seed: int = 0) -> dict[str, Any]:
    """The contingency of each two systems with paired tests, and the difficulty of the instances."""
    right = {name: [is_right(item, said[item.id]) for item in items] for name, said in systems.items()}
    return {
        "contingency": [
            contingency(first, second, right[first], right[second])
            | {"f1_p": f1_p(items, systems[first], systems[second], rounds, seed)}
            for first, second in combinations(systems, 2)
        ],
        "difficulty": {
            gender or "overall": difficulty(
                [sum(it[n] for it in right.values()) for n, item in enumerate(items) if gender in (None, item.gender)],
                len(systems),
            )
            for gender in GROUPS
        },
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
        "p": float(binomtest(one, one + other).pvalue) if one + other else 1.0,
    }


def f1_p(
    items: Sequence[Item], ours: Mapping[str, Prediction], theirs: Mapping[str, Prediction], rounds: int, seed: int
) -> float:
    """Whether two systems differ in F1: paired approximate randomisation."""
    return randomisation(gap_rows(items, ours), gap_rows(items, theirs), f1_of, rounds, seed)


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
