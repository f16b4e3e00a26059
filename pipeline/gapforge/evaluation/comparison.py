"""Several systems on one set: what each two have right together (GAP Table 9), and how hard instances are (Table 11).

Correct means both names as gold, so that an instance counts once. Difficulty is told by how many of the systems
agree with gold: all (green), some (yellow), none (red); there GAP counts pairs of name and pronoun, as the paper does.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import scipy  # whose parts load when they are used

from gapforge.evaluation.counter_gap import is_right
from gapforge.evaluation.files import Predictions
from gapforge.evaluation.gap import Prediction, by_group, f1_of, gap_rows, resampled_with, weighted_bias
from gapforge.evaluation.gold import Item
from gapforge.evaluation.resampling import Floats, Statistic, randomisation
from gapforge.evaluation.scoring import score_counter_gap, score_gap
from gapforge.evaluation.settings import RESAMPLES
from gapforge.records import Gender

GROUPS: tuple[Gender | None, ...] = (None, "masculine", "feminine")


def score_systems(
    items: Sequence[Item],
    kind: str,
    systems: Mapping[str, Predictions],
    weights: Mapping[str, float] | None,
    resamples: int,
    seed: int,
    place: str,
) -> dict[str, Any]:
    """One system's figures as they are; of several, the figures of each, and how they compare."""

    def score(said: Mapping[str, Prediction]) -> dict[str, Any]:
        if kind == "counter-gap":
            return score_counter_gap(items, said, weights, resamples, seed, place)
        return score_gap(items, said, weights, resamples, seed) | {"dataset": kind}

    found = {name: score(it.said) for name, it in systems.items()}
    result = together(kind, {name: its | faulty(systems[name].faults) for name, its in found.items()})
    if len(found) > 1:
        result |= compare(items, {name: it.said for name, it in systems.items()}, weights, resamples, seed)
    return result


def together(kind: str, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """One system's figures as they are; those of several by name, below the sizes of the set."""
    first = next(iter(found.values()))
    sizes = {name: value for name, value in first.items() if isinstance(value, int)}
    return first if len(found) == 1 else {"dataset": kind, **sizes, "systems": found}


def faulty(faults: Mapping[str, int]) -> dict[str, Any]:
    return {"faults": dict(faults)} if faults else {}


def compare(
    items: Sequence[Item],
    systems: Mapping[str, Mapping[str, Prediction]],
    weights: Mapping[str, float] | None = None,
    rounds: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """The contingency of each two systems with paired tests, and the difficulty of the instances."""
    right = {name: [is_right(item, said[item.id]) for item in items] for name, said in systems.items()}
    groups = resampled_with(items)
    rows = {name: by_group(gap_rows(items, said, weights), groups) for name, said in systems.items()}
    found = contingencies(right, rows, f1_of, groups, rounds, seed)
    if weights:
        for it in found:
            pair = rows[it["first"]], rows[it["second"]]
            it["weighted_bias_p"] = randomisation(*pair, weighted_bias, rounds, seed)
    return {"contingency": found, "difficulty": difficulties(*judged_pairs(items, systems))}


def judged_pairs(
    items: Sequence[Item], systems: Mapping[str, Mapping[str, Prediction]]
) -> tuple[dict[str, list[bool]], list[Gender]]:
    """What each system has right of what tells difficulty, and the gender of each.

    Of GAP that is the pair of the true name, or both pairs where no name is true, since the two pairs of a row depend
    on each other (GAP 5, footnote 21); of Counter-GAP the instance.
    """
    if any(item.quadruple for item in items):
        right = {name: [is_right(item, said[item.id]) for item in items] for name, said in systems.items()}
        return right, [item.gender for item in items]
    pairs = [(item, n) for item in items for n in (0, 1) if (item.a, item.b)[n] or not (item.a or item.b)]
    right = {
        name: [bool(said[item.id][n]) == (item.a, item.b)[n] for item, n in pairs] for name, said in systems.items()
    }
    return right, [item.gender for item, _ in pairs]


def contingencies(
    right: Mapping[str, Sequence[bool]],
    rows: Mapping[str, Floats],
    f1: Statistic,
    groups: Sequence[Hashable],
    rounds: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Each two systems; `p` is of how many they have right, `f1_p` of their F1, by paired approximate randomisation.

    Where each instance is a group of its own, `p` is McNemar's, exact; otherwise groups change places whole.
    """
    alone = len(set(groups)) == len(groups)
    counts = {name: by_group(np.array(it, float)[:, None], groups) for name, it in right.items()}
    return [
        contingency(first, second, right[first], right[second])
        | {
            "p": mcnemar(right[first], right[second])
            if alone
            else randomisation(counts[first], counts[second], lambda sums: sums[..., 0], rounds, seed),
            "f1_p": randomisation(rows[first], rows[second], f1, rounds, seed),
        }
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
    """How many instances both have right, only one, or neither."""
    counts = Counter(zip(ours, theirs, strict=True))
    return {
        "first": first,
        "second": second,
        "both": counts[True, True],
        "only_first": counts[True, False],
        "only_second": counts[False, True],
        "neither": counts[False, False],
    }


def mcnemar(ours: Sequence[bool], theirs: Sequence[bool]) -> float:
    one = sum(left and not right for left, right in zip(ours, theirs, strict=True))
    other = sum(right and not left for left, right in zip(ours, theirs, strict=True))
    return float(scipy.stats.binomtest(one, one + other).pvalue) if one + other else 1.0


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
