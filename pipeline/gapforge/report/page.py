"""Pages of HTML that need no other file, and the sections, tables and charts they are made of.

Every page is rendered here, that of a run too: its template extends this room's, so that all pages look alike.
"""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from gapforge.report.charts import Point, dot_chart, with_own_ids
from gapforge.resources import RESOURCES, resource, script_hash

# Named one by one, so that all of them are in the fingerprint of a stage that writes a page.
TEMPLATE, STYLE = resource("evaluation/report.html.j2"), resource("evaluation/report.css")
NUMBER = re.compile(r"[-+−]?\d|undefined$|none$|$")  # how a cell begins that is set flush right


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


def dotted(
    rows: Mapping[str, Mapping[str, Point]], axis: str, description: str, line_at: float | None = None
) -> list[Chart]:
    """The chart of the figures that are defined; none where none is."""
    defined = any(value is not None for points in rows.values() for value, _ in points.values())
    return [Chart(dot_chart(rows, axis, line_at=line_at), description)] if defined else []


def render(title: str, sections: Iterable[Section], template: Path = TEMPLATE, **values: Any) -> str:
    """A page without anything from elsewhere; `values` are what its template has beside the sections.

    A template names others, and what it inlines, by their paths below `resources`.
    """
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
    return environment.get_template(template.relative_to(RESOURCES).as_posix()).render(
        title=title, sections=list(sections), **values
    )
