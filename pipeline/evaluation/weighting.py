"""Weights of test rows under which no listed property differs between two groups (Kocijan et al. 2021, 2 and 3.4).

In every set of rows with one value of a property both groups weigh the same; all weights sum to the number of rows, and
half of that is on each group. Of such weights those are taken that add least noise: the sum of max(w_i, w_j) over all
pairs of one group is smallest (Theorem 2.1).
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from pipeline.config import hint
from pipeline.errors import ConfigError, InputError, listed
from pipeline.evaluation.cells import Cell, count_cells, is_feasible, objective_of, rows_of, sets_of, solve
from pipeline.evaluation.gold import Item
from pipeline.evaluation.properties import (
    GROUPS,
    PROPERTIES,
    Names,
    Value,
    check_names,
    is_number,
    values_of,
)

TRIMMED = ("number <= 15", "distance <= 4")  # Kocijan 3.5: over 15 names, and k >= 5, are left out
RULE = re.compile(r"\s*(\S+?)\s*(<=|>=|!=)\s*(\S(?:.*\S)?)\s*")


class NoBalance(InputError):
    """No weights balance the groups of a set: there are no two, or a set of rows has only one of them."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Which rows are kept: those whose value of a property is within a bound, and those without a value."""

    property: str
    sign: str
    bound: str

    def __str__(self) -> str:
        return f"{self.property} {self.sign} {self.bound}"

    def keeps(self, value: Value) -> bool:
        if value is None:
            return True
        size = value if isinstance(value, (int, float)) and is_number(value) else None
        if self.sign == "!=":
            return str(value) != self.bound and (size is None or size != as_number(self.bound))
        if size is None:
            raise ConfigError(f"{self}: the property has the value {value!r}, which is no number; use !=")
        return size <= float(self.bound) if self.sign == "<=" else size >= float(self.bound)


@dataclass(frozen=True, slots=True)
class WeightSettings:
    """The `[weights]` section: the properties to balance, between which groups, and which rows are kept.

    `trim` holds rules such as "number <= 15"; rows that break one weigh nothing and are not counted.
    """

    properties: list[str] = field(default_factory=lambda: list(PROPERTIES))
    group: str = "gender"
    trim: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        twice = [name for name, count in Counter(self.properties).items() if count > 1]
        if twice:
            raise ConfigError(f"properties: {twice[0]} is named twice; name it once")
        for rule in self.trim:
            parse_rule(rule)


@dataclass(frozen=True, slots=True)
class Weighting:
    """Weights that balance two groups; of a bias the first is the numerator.

    `weights` has every item in order, those that are not counted with 0, and `left_out` counts these by reason.
    `objective` is the sum of max(w_i, w_j) over all pairs of rows of one group.
    """

    groups: tuple[str, str]
    properties: tuple[str, ...]
    weights: dict[str, float]
    cells: list[Cell]
    objective: float
    left_out: dict[str, int]

    @property
    def rows(self) -> dict[str, int]:
        """How many rows of each group are counted."""
        return rows_of(self.cells, self.groups)


def as_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def parse_rule(text: str) -> Rule:
    found = RULE.fullmatch(text)
    if not found:
        raise ConfigError(f"trim: {text!r} is no rule; write one such as 'number <= 15' or 'topic != sport'")
    rule = Rule(*found.groups())
    if rule.sign != "!=" and as_number(rule.bound) is None:
        raise ConfigError(f"trim: {text!r}: {rule.bound!r} is no number; only != takes a word")
    return rule


def choose_properties(without: Sequence[str], added: Sequence[str]) -> list[str]:
    """The built-in properties but those named, then those added; dropping one gives the paper's ablations (3.4)."""
    for name in without:
        if name not in PROPERTIES:
            raise ConfigError(f"unknown property {name!r} to leave out{hint(name, PROPERTIES)}")
    return [name for name in PROPERTIES if name not in without] + [name for name in added if name not in PROPERTIES]


def weigh(items: Sequence[Item], names: Names, settings: WeightSettings = WeightSettings()) -> list[Weighting]:
    """One weighting for each pair of groups, in the order of their names; each counts the rows of its pair alone.

    Rows without a true name are not counted (Kocijan 3.1). NoBalance where there are no two groups, or no weights
    balance a pair.
    """
    twice = [id for id, count in Counter(item.id for item in items).items() if count > 1]
    if twice:
        raise InputError(f"ids that occur twice: {listed(twice)}; remove one of each")
    check_names(items, names, "names")
    true = [item for item in items if item.a or item.b]
    rules = [parse_rule(rule) for rule in settings.trim]
    measured = {name: values_of(name, true, names) for name in [*settings.properties, *(it.property for it in rules)]}
    groups = values_of(settings.group, true, names, GROUPS)
    kept = [
        n
        for n, group in enumerate(groups)
        if group is not None and all(rule.keeps(measured[rule.property][n]) for rule in rules)
    ]
    ids = [true[n].id for n in kept]
    members = [str(groups[n]) for n in kept]
    values = [tuple(measured[name][n] for name in settings.properties) for n in kept]
    ungrouped = sum(group is None for group in groups)
    left_out = {"no true name": len(items) - len(true), "no group": ungrouped}
    left_out["trimmed"] = len(true) - ungrouped - len(kept)
    return [
        weigh_pair(items, pair, settings.properties, ids, members, values, left_out)
        for pair in combinations(two_or_more(members, settings.group, len(items), left_out), 2)
    ]


def two_or_more(members: Sequence[str], group: str, rows: int, left_out: Mapping[str, int]) -> list[str]:
    counts = Counter(members)
    if len(counts) < 2:
        found = ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"
        aside = ", ".join(f"{count:,} {reason}" for reason, count in left_out.items() if count)
        raise NoBalance(
            f"weights balance two groups by {group}; of {rows:,} rows these are left: {found}"
            f"{f' (left out: {aside})' if aside else ''}; add rows of another group or trim less"
        )
    return sorted(counts)


def weigh_pair(
    items: Sequence[Item],
    pair: tuple[str, str],
    properties: Sequence[str],
    ids: Sequence[str],
    members: Sequence[str],
    values: Sequence[tuple[Value, ...]],
    left_out: Mapping[str, int],
) -> Weighting:
    rows = [(id, group, held) for id, group, held in zip(ids, members, values, strict=True) if group in pair]
    counted = count_cells([group for _, group, _ in rows], [held for _, _, held in rows])
    solved = solve(counted)
    if solved is None:
        raise NoBalance(why_not(counted, pair, properties))
    cells = [replace(cell, weight=weight) for cell, weight in zip(counted, solved, strict=True)]
    weight_of = {(cell.group, cell.values): cell.weight for cell in cells}
    weights = {item.id: 0.0 for item in items} | {id: weight_of[group, held] for id, group, held in rows}
    others = dict(left_out) | {"another group": len(ids) - len(rows)}
    return Weighting(pair, tuple(properties), weights, cells, objective_of(cells), others)


def why_not(cells: Sequence[Cell], pair: tuple[str, str], properties: Sequence[str]) -> str:
    """What stands in the way of balance, and which property to give up.

    Leaving rows out cannot mend it: weights of the rest, and 0 for those, would have been a solution.
    """
    lone = []
    for n, value in sets_of(cells):
        rows = rows_of([cell for cell in cells if cell.values[n] == value], pair)
        if 0 in rows.values():
            lone.append(f"{properties[n]} {value} has {' and '.join(f'{rows[it]:,} {it}' for it in pair)}")
    reason = listed(lone, 10) if lone else "every set has rows of both"
    mending = [name for n, name in enumerate(properties) if is_feasible([drop(cell, n) for cell in cells])]
    remedy = f"weigh without {' or without '.join(mending)}" if mending else "weigh by fewer properties"
    return (
        f"no weights balance {pair[0]} and {pair[1]} rows by {' and '.join(properties)}: {reason}. Leaving out rows "
        f"does not help; {remedy}, or by coarser values"
    )


def drop(cell: Cell, number: int) -> Cell:
    return replace(cell, values=cell.values[:number] + cell.values[number + 1 :])
