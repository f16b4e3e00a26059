"""Charts as SVG, the same bytes for the same figures: no date, no random ids, text left as text.

A chart takes its colours from the page that holds it, so that one drawing does for a light and a dark theme: text and
axes are `currentColor`, what is drawn in them are variables of CSS that fall back to the light theme's. Groups differ
in their marks as well as in colour. Charts are as wide as a phone shows without making their text too small to read;
on a wide screen two stand side by side.
"""

import io
import re
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

INK, GRID = "#1b232c", "#d5dade"
SETTINGS: Any = {
    "svg.hashsalt": "gapforge",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the room for text is the same everywhere
    "font.size": 9,
    "text.parse_math": False,  # a $ in the name of a system is a $
    "axes.unicode_minus": True,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
}
COLOURS = {"overall": "#444f5a", "masculine": "#a85104", "feminine": "#542788"}
OTHER_COLOURS = ("#1b6e34", "#1f5f9e", "#8c510a", "#96246a")
MARKS = {"overall": "o", "masculine": "s", "feminine": "D"}
OTHER_MARKS = ("o", "^", "X", "v")
# What a colour is called in the style sheet of a page.
VARIABLES = {GRID: "grid"} | {colour: f"group-{group}" for group, colour in COLOURS.items()}
VARIABLES |= {colour: f"group-{number}" for number, colour in enumerate(OTHER_COLOURS, 1)}
WIDTH = 4.4  # inches
LABEL = 26  # characters of a label on one line
LEGEND_LINE = 60  # characters in a line of a legend, the room for its marks included
FEWEST = 3  # values that a chart of bars has room for: one alone is no wall
NUMBERED = 9  # bars that have room for their number above them

# Text in a drawing may say anything, but holds no "<".
TAG = re.compile(r"<[^<>]*>")
STYLE = re.compile(r'style="[^"]*"')
REFERENCE = re.compile(r'(?<=[("])#([^")]*)(?=[")])')

Point = tuple[float | None, Sequence[float] | None]  # a figure and its interval


def dot_chart(
    rows: Mapping[str, Mapping[str, Point]],
    axis: str,
    scale: Literal["linear", "symlog"] = "linear",
    line_at: float | None = None,
) -> str:
    """A line for each row, with a dot and its interval for each group; a figure that is undefined is left out.

    "symlog" is for counts that differ a thousandfold, and still shows 0. `line_at`: where nothing differs.
    """
    groups = list(dict.fromkeys(group for points in rows.values() for group in points))

    def draw(axes: Any) -> None:
        axes.set_xscale(scale, **({"linthresh": 1} if scale == "symlog" else {}))
        if line_at is not None:
            axes.axvline(line_at, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        for number, group in enumerate(groups):
            colour, mark = colour_of(group, number), mark_of(group, number)
            shift = (number - (len(groups) - 1) / 2) * 0.22
            seen = [(n + shift, points[group]) for n, points in enumerate(rows.values()) if group in points]
            for place, (value, bounds) in seen:
                if value is None:
                    continue
                if bounds:
                    axes.plot(bounds, [place, place], color=colour, linewidth=1.4, solid_capstyle="butt")
                axes.plot([value], [place], mark, color=colour, markersize=4.5)
            if len(groups) > 1:
                axes.plot([], [], f"{mark}-", color=colour, markersize=4.5, label=group)
        axes.set_yticks(range(len(rows)), [wrapped(row) for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(axis)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        if scale == "symlog":
            axes.set_xlim(left=-0.5)
            axes.xaxis.set_major_formatter(lambda count, _: rounded(count))
        if len(groups) > 1:
            add_legend(axes, groups)

    return drawn(draw, height=0.9 + 0.42 * len(rows))


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
        add_legend(axes, list(counts))

    return drawn(draw, height=2.8)


def bar_chart(values: Sequence[str], counts: Mapping[str, Sequence[int]], axis: str) -> str:
    """For each value a bar of each group, with its number where there is room for it."""

    def draw(axes: Any) -> None:
        width = 0.8 / len(counts)
        for number, (group, heights) in enumerate(counts.items()):
            centres = [n + (number - (len(counts) - 1) / 2) * width for n in range(len(values))]
            bars = axes.bar(centres, heights, width * 0.92, color=colour_of(group, number), label=group)
            if len(values) * len(counts) <= NUMBERED:
                axes.bar_label(bars, [f"{height:,}" for height in heights], padding=1.5, fontsize=8)
        axes.set_xticks(range(len(values)), values)
        spare = max(0, FEWEST - len(values)) / 2
        axes.set_xlim(-0.6 - spare, len(values) - 0.4 + spare)
        axes.set_xlabel(axis)
        axes.set_ylabel("rows")
        axes.margins(y=0.12)  # for the numbers
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.yaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
        axes.grid(axis="y", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        add_legend(axes, list(counts))

    return drawn(draw, height=2.5)


def length_chart(lengths: Mapping[str, float], axis: str) -> str:
    """A bar across for each row, longest where there is most."""

    labels = [wrapped(row) for row in lengths]
    lines = max((label.count("\n") + 1 for label in labels), default=1)

    def draw(axes: Any) -> None:
        axes.barh(range(len(lengths)), list(lengths.values()), 0.6, color=OTHER_COLOURS[1])
        axes.set_yticks(range(len(lengths)), labels)
        axes.set_ylim(len(lengths) - 0.5, -0.5)
        axes.set_xlim(left=0)
        axes.set_xlabel(axis)
        axes.xaxis.set_major_formatter(lambda length, _: f"{length:,g}")
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)

    return drawn(draw, height=0.7 + (0.14 + 0.14 * lines) * len(lengths))


def add_legend(axes: Any, groups: Sequence[str]) -> None:
    """Above the axes and their labels, in as many columns as there is room for."""
    columns = max(1, min(len(groups), LEGEND_LINE // (max(map(len, groups)) + 5)))
    axes.figure.legend(
        loc="outside upper left",
        ncols=columns,
        frameon=False,
        borderaxespad=0.2,
        borderpad=0.2,
        columnspacing=1.2,
        handlelength=1.4,
    )


def colour_of(group: str, number: int) -> str:
    """The colour of a group; "within feminine" has that of "feminine"."""
    return COLOURS.get(group.rpartition(" ")[2], OTHER_COLOURS[number % len(OTHER_COLOURS)])


def mark_of(group: str, number: int) -> str:
    return MARKS.get(group.rpartition(" ")[2], OTHER_MARKS[number % len(OTHER_MARKS)])


def rounded(count: float) -> str:
    """A power of ten in a few letters: 10k, 1M."""
    return f"{count / 1e6:g}M" if count >= 1e6 else f"{count / 1e3:g}k" if count >= 1e3 else f"{count:g}"


def wrapped(label: str) -> str:
    return textwrap.fill(label, LABEL)


def drawn(draw: Any, height: float) -> str:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        axes = figure.add_subplot()
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        draw(axes)
        buffer = io.StringIO()
        # Names of systems are in any script; the reader's browser has the letters that matplotlib's font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(buffer, format="svg", transparent=True, metadata=metadata)
    text = buffer.getvalue()
    return themed(text[text.index("<svg") :])  # Within a page an SVG has no declaration of its own.


def themed(svg: str) -> str:
    """The drawing with colours and font of its page, and without rules that would hold for all of the page."""
    svg = re.sub(r"\s*<defs>\s*<style.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL)
    return TAG.sub(lambda tag: STYLE.sub(lambda style: themed_style(style[0]), tag[0]), svg)


def themed_style(style: str) -> str:
    style = re.sub(r" font-family: [^;\"]*;?", "", style)
    return re.sub(r"#[0-9a-f]{6}", lambda colour: named_colour(colour[0]), style)


def named_colour(colour: str) -> str:
    if colour == INK:
        return "currentColor"
    return f"var(--{VARIABLES[colour]}, {colour})" if colour in VARIABLES else colour


def with_own_ids(svg: str, prefix: str) -> str:
    """The drawing with the ids that something in it refers to, each with the prefix; several drawings share a page."""
    used = dict.fromkeys(name for tag in TAG.findall(svg) for name in REFERENCE.findall(tag))
    names = {name: f"{prefix}-{n}" for n, name in enumerate(used)}

    def rename(tag: re.Match[str]) -> str:
        named = re.sub(r' id="([^"]*)"', lambda it: f' id="{names[it[1]]}"' if it[1] in names else "", tag[0])
        return REFERENCE.sub(lambda it: it[0].replace(it[1], names[it[1]]), named)

    return TAG.sub(rename, svg)
