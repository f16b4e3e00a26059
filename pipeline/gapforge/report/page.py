"""The figures of an evaluation for people: tables for a terminal, and a page of HTML that needs no other file.

Every page is rendered here, that of a run too: its template extends this room's, so that all pages look alike.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import jinja2
from markupsafe import Markup

from gapforge.report.charts import Point, dot_chart, with_own_ids
from gapforge.resources import RESOURCES, script_hash

TEMPLATE = "evaluation/report.html.j2"
# What the chart of a set shows, and of whom.
SHOWN = dict.fromkeys(("gap", "gap-subjective", "winogender"), ("f1", "F1"))
SHOWN["counter-gap"] = ("accuracy", "accuracy")
GROUPS = ("overall", "masculine", "feminine")
# Keys of a result that hold no figures of the whole set.
SIZES = ("instances", "quadruples", "documents", "sentences", "pairs", "several_pronouns", "unlike_pairs")
NUMBER = re.compile(r"[-+−]?\d|undefined$|none$|$")  # how a cell begins that is set flush right
ASIDE = frozenset(("dataset", "by", "intervals", "systems", "faults", "contingency", "difficulty", "paired", *SIZES))


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure by its full name, such as overall.f1, with its interval where it has one."""

    name: str
    value: float | None
    interval: Sequence[float] | None = None

    def __str__(self) -> str:
        return shown(self.value) + (f" [{shown(self.interval[0])}, {shown(self.interval[1])}]" if self.interval else "")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below a header; one that is folded shows its caption alone until a reader opens it."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    folded: bool = False

    def word_columns(self) -> set[int]:
        """The columns that hold words rather than figures, by number."""
        return {n for row in self.rows for n, cell in enumerate(row) if not NUMBER.match(cell)}


@dataclass(frozen=True, slots=True)
class Chart:
    svg: str
    description: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page; `id` is its address within it, its number where empty."""

    title: str
    notes: Sequence[str] = ()
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = field(default_factory=tuple)
    id: str = ""


def shown(value: float | None) -> str:
    """A figure with as many digits as one reads: four, and fewer zeros for a small p."""
    if value is None:
        return "undefined"
    return (
        f"{value:,}"
        if isinstance(value, int)
        else f"{value:.4f}"
        if abs(value) >= 0.0001 or not value
        else f"{value:.1g}"
    )


def figures_in(result: Mapping[str, Any]) -> list[Figure]:
    """Every figure of the whole set in a result of one system."""
    return list(walk({key: value for key, value in result.items() if key not in ASIDE}, result.get("intervals", {})))


def walk(values: Mapping[str, Any], intervals: Any, prefix: str = "") -> Iterator[Figure]:
    for name, value in values.items():
        bounds = intervals.get(name) if isinstance(intervals, Mapping) else None
        if isinstance(value, Mapping):
            yield from walk(value, bounds, f"{prefix}{name}.")
        else:
            yield Figure(prefix + name, value, bounds)


def systems_in(result: Mapping[str, Any], name: str = "") -> dict[str, Mapping[str, Any]]:
    """The results by system; that of one alone under the name given."""
    return dict(result["systems"]) if "systems" in result else {name: result}


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


def pick(result: Mapping[str, Any], name: str) -> Figure:
    return next(it for it in figures_in(result) if it.name == name)


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


def dotted(
    rows: Mapping[str, Mapping[str, Point]], axis: str, description: str, line_at: float | None = None
) -> list[Chart]:
    """The chart of the figures that are defined; none where none is."""
    defined = any(value is not None for points in rows.values() for value, _ in points.values())
    return [Chart(dot_chart(rows, axis, line_at=line_at), description)] if defined else []


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


def render(title: str, sections: Iterable[Section], template: str = TEMPLATE, **values: Any) -> str:
    """A page without anything from elsewhere; `values` are what its template has beside the sections."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(RESOURCES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    numbers = itertools.count(1)
    values |= {
        "drawing": lambda chart: Markup(with_own_ids(chart.svg, f"chart-{next(numbers)}")),  # noqa: S704
        "inlined": lambda name: Markup((RESOURCES / name).read_text("utf-8")),  # noqa: S704
        "script_hash": lambda name: Markup(script_hash((RESOURCES / name).read_text("utf-8"))),  # noqa: S704
    }
    return environment.get_template(template).render(title=title, sections=list(sections), **values)
