"""Weights of test rows under which no listed property differs between two groups (Kocijan et al. 2021, 2 and 3.4).

In every set of rows with one value of a property both groups weigh the same; all weights sum to the number of rows, and
half of that is on each group. Of such weights those are taken that add least noise: the sum of max(w_i, w_j) over all
pairs of one group is smallest (Theorem 2.1).

Rows that weights cannot tell apart, counted in cells, and the programs over them.

One finds weights (Kocijan et al. 2021, 2.2). The paper's has a variable for each pair of rows, 787,000 for GAP. Here
rows with the same group and the same values are one cell and share a weight. Nothing is lost: the constraints do not
tell them apart, so that swapping two of them keeps a solution one, and since the objective is convex the mean of all
such swaps is no worse. The other finds how many rows downsampling would leave.

What a weighting had to balance: its sets and weights for a report, what is far from balance, and what would fix it.

A set is uneven where its share of one group is over four times that of the other. On GAP's test set these are the
sets that the authors left out by eye: more than 15 names, and true names that are the fifth or farther (Kocijan et al.
2021, 3.5).
"""

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf
from statistics import median
from typing import Any

import numpy as np
import scipy  # whose parts load when they are used

from gapforge.config import hint
from gapforge.engine.stages import Table
from gapforge.errors import ConfigError, InputError, listed
from gapforge.evaluation.files import DECIMALS
from gapforge.evaluation.gold import Item, measured_items
from gapforge.evaluation.properties import (
    GROUPS,
    PROPERTIES,
    Names,
    Value,
    check_names,
    detect_names,
    distance,
    in_order,
    is_number,
    values_of,
)
from gapforge.evaluation.resampling import Floats
from gapforge.records import LabelledExample, Note, Reject, Weight


@dataclass(frozen=True, slots=True)
class Cell:
    """The rows of one group with one combination of values, which share a weight."""

    group: str
    values: tuple[Value, ...]
    rows: int
    weight: float = 0.0


def count_cells(groups: Sequence[str], values: Sequence[tuple[Value, ...]]) -> list[Cell]:
    """The cells of rows, in an order that does not depend on theirs."""
    counts = Counter(zip(groups, values, strict=True))
    order = sorted(counts, key=lambda it: (it[0], [in_order(value) for value in it[1]]))
    return [Cell(group, held, counts[group, held]) for group, held in order]


def rows_of(cells: Iterable[Cell], groups: Sequence[str]) -> dict[str, int]:
    counts = dict.fromkeys(groups, 0)
    for cell in cells:
        counts[cell.group] += cell.rows
    return counts


def objective_of(cells: Sequence[Cell]) -> float:
    """The sum of max(w_i, w_j) over all pairs of rows of one group: in order of weight, each row beats those before."""
    total = 0.0
    for group in sorted({cell.group for cell in cells}):
        before = 0
        for cell in sorted((cell for cell in cells if cell.group == group), key=lambda cell: cell.weight):
            total += cell.weight * cell.rows * (before + (cell.rows - 1) / 2)
            before += cell.rows
    return total


def sets_of(cells: Sequence[Cell]) -> list[tuple[int, Hashable]]:
    """Every set: the number of its property and the value."""
    width = len(cells[0].values) if cells else 0
    found = {(n, cell.values[n]) for cell in cells for n in range(width) if cell.values[n] is not None}
    return sorted(found, key=lambda it: (it[0], in_order(it[1])))


def balance_matrix(cells: Sequence[Cell]) -> Any:
    """One line for all rows and one for each set, one column a cell: 1 for the first group's cells, -1 for the other's.

    Times numbers of rows, or their weights, it is zero where the groups are in balance.
    """
    lines = {one: line for line, one in enumerate(sets_of(cells), 1)}
    first = min((cell.group for cell in cells), default="")
    places = [
        (line, column, 1.0 if cell.group == first else -1.0)
        for column, cell in enumerate(cells)
        for line in [0, *(lines[n, it] for n, it in enumerate(cell.values) if it is not None)]
    ]
    at, column, sign = zip(*places, strict=True)
    return scipy.sparse.csr_array((sign, (at, column)), shape=(len(lines) + 1, len(cells)))


def solve(cells: Sequence[Cell]) -> list[float] | None:
    """The best weight of a row of each cell; None where no weights balance the two groups.

    `over` has, for each pair of cells of one group, by how much the second weighs more than the first, if at all: then
    max(w_a, w_b) is w_a + over_ab. The work grows with the cube of the number of cells: 167 take half a second.
    """
    rows = np.array([float(cell.rows) for cell in cells])
    constraints, sums = constraints_on(cells, rows)
    if not is_feasible(cells):  # Known at once, and else only at the end of the work.
        return None
    group = np.array([cell.group for cell in cells])
    first, second = np.triu_indices(len(cells), 1)
    same = group[first] == group[second]
    first, second = first[same], second[same]
    pairs = rows[first] * rows[second]
    cost = rows * (rows - 1) / 2 + np.bincount(first, pairs, len(cells))
    one, line = np.ones(len(pairs)), np.arange(len(pairs))
    over = scipy.sparse.csr_array(
        (
            np.concatenate([one, -one, -one]),
            (np.tile(line, 3), np.concatenate([second, first, len(cells) + line])),
        ),
        shape=(len(pairs), len(cells) + len(pairs)),
    )
    wide = scipy.sparse.hstack([constraints, scipy.sparse.csr_array((constraints.shape[0], len(pairs)))], format="csr")
    found = minimise(np.concatenate([cost, pairs]), wide, sums, over)
    assert found is not None, "balanced weights were found before"
    return [max(0.0, float(weight)) for weight in found[: len(cells)]]


def constraints_on(cells: Sequence[Cell], rows: Floats) -> tuple[Any, Floats]:
    """What weights must obey: balance, and a sum that is the number of rows."""
    matrix = scipy.sparse.vstack(
        [balance_matrix(cells) * rows, scipy.sparse.csr_array(rows[np.newaxis, :])], format="csr"
    )
    sums = np.zeros(matrix.shape[0])
    sums[-1] = rows.sum()
    return matrix, sums


def minimise(cost: Floats, equal: Any, sums: Floats, below: Any = None) -> Floats | None:
    """The cheapest numbers of 0 or more with `equal @ x = sums` and `below @ x <= 0`; None where there are none."""
    limits = None if below is None else np.zeros(below.shape[0])
    # The interior point method is twice as fast; the simplex is asked where it does not come to an end.
    for method in ("highs-ipm", "highs-ds"):
        found = scipy.optimize.linprog(cost, A_ub=below, b_ub=limits, A_eq=equal, b_eq=sums, method=method)
        if found.status == 0:
            return np.asarray(found.x, np.float64)
    if found.status != 2:
        raise RuntimeError(f"the linear program has no end: {found.message}")
    return None


def is_feasible(cells: Sequence[Cell]) -> bool:
    """Whether any weights balance the two groups."""
    constraints, sums = constraints_on(cells, np.array([float(cell.rows) for cell in cells]))
    return minimise(np.zeros(len(cells)), constraints, sums) is not None


def downsample(cells: Sequence[Cell]) -> list[int]:
    """How many rows of each cell the largest subset keeps in which every set has as many rows of both groups.

    Up to two properties this is a flow between their sets, and whole numbers come by themselves.
    """
    rows = np.array([float(cell.rows) for cell in cells])
    balanced = scipy.optimize.LinearConstraint(balance_matrix(cells), 0, 0)
    whole = np.ones(len(cells))
    found = scipy.optimize.milp(
        -whole,
        integrality=whole,
        bounds=scipy.optimize.Bounds(0, rows),
        constraints=balanced,
        options={"mip_rel_gap": 0.0},
    )
    if found.status != 0:
        raise RuntimeError(f"the integer program has no end: {found.message}")
    return [round(float(it)) for it in found.x]


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

    Leaving rows out cannot fix it: weights of the rest, and 0 for those, would have been a solution.
    """
    lone = []
    for n, value in sets_of(cells):
        rows = rows_of([cell for cell in cells if cell.values[n] == value], pair)
        if 0 in rows.values():
            lone.append(f"{properties[n]} {value} has {' and '.join(f'{rows[it]:,} {it}' for it in pair)}")
    reason = listed(lone, 10) if lone else "every set has rows of both"
    remedies = [name for n, name in enumerate(properties) if is_feasible([drop(cell, n) for cell in cells])]
    remedy = f"weigh without {' or without '.join(remedies)}" if remedies else "weigh by fewer properties"
    return (
        f"no weights balance {pair[0]} and {pair[1]} rows by {' and '.join(properties)}: {reason}. Leaving out rows "
        f"does not help; {remedy}, or by coarser values"
    )


def drop(cell: Cell, number: int) -> Cell:
    return replace(cell, values=cell.values[:number] + cell.values[number + 1 :])


UNEVEN = 4.0
FEWEST = 0.75  # of the rows must stay
HEAVY = 4.0  # Kocijan, Figure 1, leaves out weights above
BIN = 0.1  # Kocijan, Figures 1 and 2
SHOWN = 10  # cells or sets on one line
NOTHING = 1e-6  # a weight below is 0 to a reader


@dataclass(frozen=True, slots=True)
class SetRows:
    """The rows with one value of a property and what they weigh, by group; those with no value are in no set."""

    property: str
    value: Value
    rows: dict[str, int]
    weight: dict[str, float]


@dataclass(frozen=True, slots=True)
class Finding:
    """Uneven sets, the rule that would leave them out, and how many rows of each group that would cost."""

    rule: Rule
    sets: list[SetRows]
    rows: dict[str, int]


@dataclass(frozen=True, slots=True)
class Trimming:
    """What all rules together would do: the rows that stay, by group, and the heaviest weight then."""

    rules: list[Rule]
    rows: dict[str, int]
    heaviest: float


@dataclass(frozen=True, slots=True)
class Downsampling:
    """How many rows stay in the largest subset that needs no weights, as many of both groups.

    `rows`: every set has as many rows of both. `jointly`: so has every combination of values.
    """

    rows: int
    jointly: int
    of: dict[str, int]


def property_table(weighting: Weighting) -> list[SetRows]:
    """Every set of every property, by value."""
    table = []
    for n, name in enumerate(weighting.properties):
        for value in sorted({cell.values[n] for cell in weighting.cells}, key=in_order):
            held = [cell for cell in weighting.cells if cell.values[n] == value]
            weight = dict.fromkeys(weighting.groups, 0.0)
            for cell in held:
                weight[cell.group] += cell.rows * cell.weight
            table.append(SetRows(name, value, rows_of(held, weighting.groups), weight))
    return table


def histogram(weighting: Weighting) -> list[dict[str, Any]]:
    """How many rows of each group weigh how much, in steps of 0.1 from 0 to the heaviest."""
    steps = [int(round(cell.weight / BIN, 6)) for cell in weighting.cells]
    bins = [dict.fromkeys(weighting.groups, 0) for _ in range(max(steps) + 1)]
    for cell, step in zip(weighting.cells, steps, strict=True):
        bins[step][cell.group] += cell.rows
    return [{"from": round(n * BIN, 1), "to": round((n + 1) * BIN, 1), "rows": rows} for n, rows in enumerate(bins)]


def unevenness(rows: dict[str, int], totals: dict[str, int]) -> float:
    """How many times the share of one group is that of the other."""
    low, high = sorted(rows[group] / totals[group] for group in totals)
    return high / low if low else inf


def find_uneven(weighting: Weighting) -> list[Finding]:
    """The uneven sets, each under the rule that leaves it out: a bound where they are at one end of a scale."""
    table = [it for it in property_table(weighting) if it.value is not None]
    findings = []
    for n, name in enumerate(weighting.properties):
        sets = [it for it in table if it.property == name]
        uneven = [it for it in sets if unevenness(it.rows, weighting.rows) > UNEVEN]
        for rule in rules_against(name, [it.value for it in uneven], sets):
            lost = [cell for cell in weighting.cells if not rule.keeps(cell.values[n])]
            named = [it for it in uneven if not rule.keeps(it.value)]
            findings.append(Finding(rule, named, rows_of(lost, weighting.groups)))
    return findings


def rules_against(name: str, uneven: Sequence[Value], sets: Sequence[SetRows]) -> list[Rule]:
    scale = [it.value for it in sets if isinstance(it.value, (int, float)) and is_number(it.value)]
    if len(scale) < len(sets) or not uneven:
        return [Rule(name, "!=", str(value)) for value in uneven]
    middle = median(value for it, value in zip(sets, scale, strict=True) for _ in range(sum(it.rows.values())))
    low = [value for value in scale if value in uneven and value < middle]
    high = [value for value in scale if value in uneven and value > middle]
    rules = [Rule(name, "!=", str(value)) for value in scale if value in uneven and value == middle]
    if low:
        rules.append(Rule(name, ">=", str(min(value for value in scale if value > max(low)))))
    if high:
        rules.append(Rule(name, "<=", str(max(value for value in scale if value < min(high)))))
    return rules


def suggest_trimming(weighting: Weighting, findings: Sequence[Finding]) -> Trimming | None:
    """Rules that leave out the uneven sets and fix the heavy weights; None where a quarter of the rows is not enough.

    Without its uneven sets a set next to them may be worse off than before: then the upper bounds are drawn in, the
    one with the most uneven set below it first.
    """
    rules = [finding.rule for finding in findings]
    heaviest = max(cell.weight for cell in weighting.cells)
    while rules:
        trimming = trimmed(weighting, rules)
        if trimming is None or sum(trimming.rows.values()) < FEWEST * sum(weighting.rows.values()):
            return None
        if trimming.heaviest <= max(HEAVY, heaviest - NOTHING):
            return trimming
        rules = drawn_in(weighting, rules)
    return None


def trimmed(weighting: Weighting, rules: Sequence[Rule]) -> Trimming | None:
    places = {name: n for n, name in enumerate(weighting.properties)}
    cells = [it for it in weighting.cells if all(rule.keeps(it.values[places[rule.property]]) for rule in rules)]
    rows = rows_of(cells, weighting.groups)
    weights = solve(cells) if all(rows.values()) else None
    return Trimming(list(rules), rows, max(weights)) if weights else None


def drawn_in(weighting: Weighting, rules: Sequence[Rule]) -> list[Rule]:
    """The rules with one upper bound lowered by a set; none where no bound can be."""
    table = [it for it in property_table(weighting) if it.value is not None]
    steps: list[tuple[float, Rule, Rule]] = []
    for rule in rules:
        kept = [it for it in table if it.property == rule.property and rule.sign == "<=" and rule.keeps(it.value)]
        if len(kept) > 1:
            steps.append((unevenness(kept[-1].rows, weighting.rows), rule, replace(rule, bound=str(kept[-2].value))))
    if not steps:
        return []
    _, old, new = max(steps, key=lambda step: step[0])
    return [new if rule == old else rule for rule in rules]


def downsampling(weighting: Weighting) -> Downsampling:
    pairs: dict[tuple[Value, ...], list[int]] = {}
    for cell in weighting.cells:
        pairs.setdefault(cell.values, []).append(cell.rows)
    jointly = sum(2 * min(rows) for rows in pairs.values() if len(rows) == 2)
    return Downsampling(sum(downsample(weighting.cells)), jointly, weighting.rows)


def heavy_cells(weighting: Weighting) -> list[Cell]:
    """The cells whose rows weigh over four times the mean, the heaviest first."""
    return sorted((it for it in weighting.cells if it.weight > HEAVY), key=lambda it: -it.weight)


def weightless_rows(weighting: Weighting) -> int:
    return sum(cell.rows for cell in weighting.cells if cell.weight < NOTHING)


def describe(weighting: Weighting) -> Iterator[str]:
    """What was weighed, what is far from balance, what would fix it, and what downsampling would have left."""
    total = sum(weighting.rows.values())
    aside = " and ".join(f"{count:,} ({reason})" for reason, count in weighting.left_out.items() if count)
    yield f"{total:,} rows weighed: {counted(weighting.rows)}{f'; left out: {aside}' if aside else ''}"
    heavy = heavy_cells(weighting)
    yield (
        f"heaviest weight {max(cell.weight for cell in weighting.cells):.2f}; weights above {HEAVY:g}: "
        f"{sum(it.rows for it in heavy):,}; weights of 0: {weightless_rows(weighting):,}"
    )
    if heavy:
        yield f"heavy: {listed([describe_cell(cell, weighting.properties) for cell in heavy], SHOWN)}"
    findings = find_uneven(weighting)
    for finding in findings:
        yield describe_finding(finding)
    trimming = suggest_trimming(weighting, findings)
    if trimming:
        rules = " and ".join(str(rule) for rule in trimming.rules)
        yield f"trimmed to {rules}: {counted(trimming.rows)}, heaviest weight {trimming.heaviest:.2f}"
    left = downsampling(weighting)
    yield (
        f"downsampling would leave {left.rows:,} of {total:,} rows, {left.rows // 2:,} of each group; "
        f"{left.jointly:,} with every combination of values in balance"
    )


def describe_cell(cell: Cell, properties: Sequence[str]) -> str:
    values = ", ".join(f"{name} {it}" for name, it in zip(properties, cell.values, strict=True))
    return f"{cell.weight:.2f} ({cell.rows:,} {cell.group}{values and f', {values}'})"


def describe_finding(finding: Finding) -> str:
    sets = listed([f"{it.value} ({counted(it.rows)})" for it in finding.sets], SHOWN)
    return f"uneven: {finding.rule.property} {sets}; '{finding.rule}' leaves out {counted(finding.rows)}"


def counted(rows: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {group}" for group, count in rows.items())


def summary(weighting: Weighting) -> dict[str, Any]:
    """All of it as plain data, for JSON or a report."""
    findings = find_uneven(weighting)
    trimming = suggest_trimming(weighting, findings)
    left = downsampling(weighting)
    return {
        "groups": list(weighting.groups),
        "properties": list(weighting.properties),
        "rows": weighting.rows,
        "left_out": dict(weighting.left_out),
        "objective": round(weighting.objective, 6),
        "heaviest": round(max(cell.weight for cell in weighting.cells), 6),
        "rows_of_weight_0": weightless_rows(weighting),
        "heavy": [
            {"group": it.group, "rows": it.rows, "weight": round(it.weight, 6)}
            | {"values": dict(zip(weighting.properties, map(shown, it.values), strict=True))}
            for it in heavy_cells(weighting)
        ],
        "sets": [set_as_data(it) for it in property_table(weighting)],
        "histogram": histogram(weighting),
        "uneven": [
            {"rule": str(it.rule), "rows": it.rows, "sets": [shown(each.value) for each in it.sets]} for it in findings
        ],
        "trimming": trimming
        and {
            "rules": [str(it) for it in trimming.rules],
            "rows": trimming.rows,
            "heaviest": round(trimming.heaviest, 6),
        },
        "downsampling": {"rows": left.rows, "jointly": left.jointly, "of": sum(left.of.values())},
    }


def set_as_data(it: SetRows) -> dict[str, Any]:
    weight = {group: round(value, 6) for group, value in it.weight.items()}
    return {"property": it.property, "value": shown(it.value), "rows": it.rows, "weight": weight}


def shown(value: Value) -> str | int | float | bool | None:
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def check_weights(settings: WeightSettings, config: str) -> None:
    if settings.group != "gender":
        raise ConfigError(f"{config}: [weights] group is {settings.group!r}; W-Bias in a run is between the genders")


def gap_weights(
    labelled: Table[LabelledExample], settings: WeightSettings, split: str, model: str
) -> Iterator[Weight | Reject | Note]:
    """The stage GapWeights: what each example of a split counts.

    Where no weights balance the set, every example is a reject, and a note says why.
    """
    items = measured_items(labelled, "gap", split, "gap")
    names = detect_names(items, model)
    weighting = balanced(items, names, settings)
    yield from weights_of(items, names, weighting)
    yield from map(Note, [weighting] if isinstance(weighting, str) else describe(weighting))


def balanced(items: Sequence[Item], names: Names, settings: WeightSettings) -> Weighting | str:
    """The weights, or why there are none."""
    try:
        (weighting,) = weigh(items, names, settings)
    except NoBalance as error:  # A small set may have none; the rest of the run does not depend on it.
        return str(error)
    return weighting


def weights_of(items: Sequence[Item], names: Names, weighting: Weighting | str) -> Iterator[Weight | Reject]:
    ranks = distance(items, names)
    for item, rank in zip(items, ranks, strict=True):
        if isinstance(weighting, str):
            yield Reject(item.id, "no balance", "")
        else:
            weight = round(weighting.weights[item.id], DECIMALS) + 0.0
            yield Weight(item.id, item.gender, len(names[item.id]), rank, weight)
