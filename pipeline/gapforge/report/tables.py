"""Figures and weights as tables, for a terminal and for a page."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from gapforge.evaluation.figures import SIZES, figures_in, pick, shown, systems_in
from gapforge.evaluation.weights import Weighting, describe, property_table
from gapforge.evaluation.weights import histogram as weight_histogram
from gapforge.report.charts import Point, histogram
from gapforge.report.page import Chart, Section, Table, dotted

# What the chart of a set shows, and of whom.
SHOWN = dict.fromkeys(("gap", "gap-subjective", "winogender"), ("f1", "F1"))
SHOWN["counter-gap"] = ("accuracy", "accuracy")
GROUPS = ("overall", "masculine", "feminine")


def figure_table(result: Mapping[str, Any], name: str = "") -> Table:
    """A row a figure, a column a system."""
    found = {system: {it.name: it for it in figures_in(its)} for system, its in systems_in(result, name).items()}
    names = dict.fromkeys(figure for figures in found.values() for figure in figures)
    rows = [[it, *(str(figures[it]) if it in figures else "" for figures in found.values())] for it in names]
    return Table(f"{result['dataset']}, with 95 % intervals", ["figure", *found], rows)


def group_tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """For each grouping, a row a group: of one system all figures, of several that by which sets are compared."""
    systems = systems_in(result)
    first = next(iter(systems.values()))
    figure = SHOWN.get(str(result["dataset"]), ("f1", ""))[0]
    for grouping, groups in first.get("by", {}).items():
        if len(systems) == 1:
            names = [it.name for it in figures_in(next(iter(groups.values())))]
            header = [grouping, "instances", *names]
            rows = [[group, f"{its['instances']:,}", *map(str, figures_in(its))] for group, its in groups.items()]
        else:
            header = [grouping, "instances", *systems]
            rows = [
                [group, f"{its['instances']:,}"]
                + [str(pick(system["by"][grouping][group], figure)) for system in systems.values()]
                for group, its in groups.items()
            ]
        yield Table(f"by {grouping}" + (f": {figure}" if len(systems) > 1 else ""), header, rows)


def comparison_tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """The contingency of each two systems and the difficulty of instances, where a result has them."""
    if result.get("contingency"):
        header = ["first", "second", "both right", "only first", "only second", "neither", "p (right)", "p (F1)"]
        header += ["p (W-Bias)"] * ("weighted_bias_p" in result["contingency"][0])
        rows = [
            [value if isinstance(value, str) else shown(value) for value in it.values()] for it in result["contingency"]
        ]
        yield Table("instances that two systems have right", header, rows)
    if result.get("paired"):
        rows = [[it["first"], it["second"], shown(it["p"])] for it in result["paired"]]
        yield Table("whether two systems differ in average F1", ["first", "second", "p"], rows)
    if result.get("difficulty"):
        counts = result["difficulty"]
        header = ["group", "instances", "green (all)", "yellow (some)", "red (none)"]
        header += [f"{n} right" for n in counts["overall"]["agreement"]]
        rows = []
        for group, it in counts.items():
            numbers = [it["instances"], it["green"], it["yellow"], it["red"], *it["agreement"].values()]
            rows.append([group, *(f"{n:,}" for n in numbers)])
        yield Table("instances by how many systems have them right", header, rows)


def evaluation_section(title: str, result: Mapping[str, Any], name: str = "system") -> Section:
    dataset = str(result["dataset"])
    further = [replace(table, folded=True) for table in (*comparison_tables(result), *group_tables(result))]
    charts = []
    if dataset in SHOWN:
        figure, axis = SHOWN[dataset]
        rows = {system: points_of(dataset, its, figure) for system, its in systems_in(result, name).items()}
        charts = dotted(rows, axis, f"{axis} of each system on {title}, overall and by gender, with 95 % intervals")
    return Section(title, list(notes_on(result)), [figure_table(result, name), *further], charts)


def points_of(dataset: str, result: Mapping[str, Any], figure: str) -> dict[str, Point]:
    def names(group: str) -> tuple[str, str]:
        return (figure, group) if dataset == "counter-gap" else (group, figure)

    points: dict[str, Point] = {}
    for group in GROUPS:
        outer, inner = names(group)
        points[group] = result[outer][inner], result["intervals"][outer][inner]
    return points


def notes_on(result: Mapping[str, Any]) -> Iterator[str]:
    sizes = [f"{result[key]:,} {key.replace('_', ' ')}" for key in SIZES if key in result]
    yield ", ".join(sizes)
    for name, its in systems_in(result).items():
        if faults := its.get("faults"):
            counts = ", ".join(f"{count:,} {reason}" for reason, count in faults.items())
            yield f"{name + ': ' if name else ''}predictions {counts}; what was missing counts as negative"


def weights_section(weighting: Weighting) -> Section:
    """What was balanced: notes, every set with its rows and weights, and how the weights are spread."""
    first, second = weighting.groups
    rows = []
    for it in property_table(weighting):
        sizes = [f"{it.rows[group]:,}" for group in weighting.groups]
        value = "none" if it.value is None else it.value
        rows.append([f"{it.property} {value}", *sizes, *(shown(it.weight[group]) for group in weighting.groups)])
    header = ["set", f"{first} rows", f"{second} rows", f"{first} weight", f"{second} weight"]
    bins = weight_histogram(weighting)
    edges = [it["from"] for it in bins] + [bins[-1]["to"]]
    counts = {group: [it["rows"][group] for it in bins] for group in weighting.groups}
    chart = Chart(histogram(edges, counts, "weight"), f"how many {first} and {second} rows have which weight")
    notes = list(describe(weighting))
    return Section(f"Weights of {first} and {second} rows", notes, [Table("sets", header, rows)], [chart])
