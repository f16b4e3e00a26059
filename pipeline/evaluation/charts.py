"""Charts as SVG, the same bytes for the same figures: no date, no random ids, text left as text."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

SETTINGS: Any = {
    "svg.hashsalt": "gapforge",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.parse_math": False,  # a $ in the name of a system is a $
}
COLOURS = {"overall": "#444444", "masculine": "#b35806", "feminine": "#542788"}
OTHER_COLOURS = ("#1b7837", "#2166ac", "#8c510a", "#762a83")

Point = tuple[float | None, Sequence[float] | None]  # a figure and its interval


def dot_chart(rows: Mapping[str, Mapping[str, Point]], axis: str) -> str:
    """A line for each row, with a dot and its interval for each group; a figure that is undefined is left out."""
    groups = list(dict.fromkeys(group for points in rows.values() for group in points))

    def draw(axes: Any) -> None:
        for number, group in enumerate(groups):
            colour = colour_of(group, number)
            shift = (number - (len(groups) - 1) / 2) * 0.22
            seen = [(n + shift, points[group]) for n, points in enumerate(rows.values()) if group in points]
            for place, (value, bounds) in seen:
                if value is None:
                    continue
                if bounds:
                    axes.plot(bounds, [place, place], color=colour, linewidth=1.4, solid_capstyle="butt")
                axes.plot([value], [place], "o", color=colour, markersize=4.5)
            axes.plot([], [], "o-", color=colour, markersize=4.5, label=group)
        axes.set_yticks(range(len(rows)), list(rows))
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(axis)
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.legend(frameon=False, ncols=len(groups), loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)

    return drawn(draw, height=0.8 + 0.42 * len(rows))


def histogram(edges: Sequence[float], counts: Mapping[str, Sequence[int]], axis: str) -> str:
    """How many rows of each group lie between each two edges."""

    def draw(axes: Any) -> None:
        width = (edges[-1] - edges[0]) / max(1, len(edges) - 1) / (len(counts) + 0.5)
        for number, (group, heights) in enumerate(counts.items()):
            left = [edge + width * number for edge in edges[:-1]]
            axes.bar(left, heights, width, align="edge", color=colour_of(group, number), label=group)
        axes.set_xlabel(axis)
        axes.set_ylabel("rows")
        axes.set_yscale("log")  # A few rows carry most of the weight, beside hundreds of ordinary ones.
        axes.set_ylim(bottom=0.7)
        axes.yaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
        axes.yaxis.set_minor_formatter(lambda count, _: "")
        axes.legend(frameon=False)

    return drawn(draw, height=2.8)


def colour_of(group: str, number: int) -> str:
    return COLOURS.get(group, OTHER_COLOURS[number % len(OTHER_COLOURS)])


def drawn(draw: Any, height: float) -> str:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(7.2, height), layout="constrained")
        axes = figure.add_subplot()
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        draw(axes)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    text = buffer.getvalue()
    return text[text.index("<svg") :]  # Within a page an SVG has no declaration of its own.
