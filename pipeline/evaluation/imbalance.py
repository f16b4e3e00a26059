"""What a weighting had to balance: its sets and weights for a report, what is far from balance, and what would mend it.

A set is uneven where its share of one group is over four times that of the other. On GAP's test set these are the
sets that the authors left out by eye: more than 15 names, and true names that are the fifth or farther (Kocijan et al.
2021, 3.5).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import median
from typing import Any

from pipeline.errors import listed
from pipeline.evaluation.cells import Cell, downsample, rows_of, solve
from pipeline.evaluation.properties import Value, in_order, is_number
from pipeline.evaluation.weighting import Rule, Weighting

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
    """Rules that leave out the uneven sets and mend the heavy weights; None where a quarter of the rows is not enough.

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
    """What was weighed, what is far from balance, what would mend it, and what downsampling would have left."""
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
