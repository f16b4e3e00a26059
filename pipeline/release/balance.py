"""How many rows of what kind a set holds: the tables of the card, and what `gapforge verify` holds against them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pipeline.records import Gender, Label, Pattern, ReleasedInstance, Split, Variant
from pipeline.release.layout import Tables

# What lines and columns are sorted by, where there is a usual order.
ORDER = {it: n for n, it in enumerate(it for kind in (Gender, Pattern, Label, Split, Variant) for it in get_args(kind))}


@dataclass(frozen=True, slots=True)
class CrossTable:
    """Counts of rows by two of their properties, with sums at the end of each line and below."""

    caption: str
    corner: str
    columns: list[str]
    lines: list[tuple[str, list[int]]]


def cross_table(
    caption: str, corner: str, rows: Sequence[Any], down: Callable[[Any], str], across: Callable[[Any], str]
) -> CrossTable:
    counts = Counter((down(row), across(row)) for row in rows)
    columns = sorted({column for _, column in counts}, key=place_of)
    names = sorted({line for line, _ in counts}, key=place_of)
    lines = [(name, [counts[name, column] for column in columns]) for name in names]
    sums = [sum(it) for it in zip(*(values for _, values in lines), strict=True)]
    total = [*lines, ("all", sums)] if len(lines) > 1 else lines
    return CrossTable(caption, corner, [*columns, "all"], [(name, [*values, sum(values)]) for name, values in total])


def place_of(value: str) -> tuple[int, str]:
    return ORDER.get(value, len(ORDER)), value


def balance_tables(tables: Tables) -> Iterator[CrossTable]:
    """The balance of each labelled set: labels, patterns and page entities by gender."""

    def gender(row: Any) -> str:
        return str(row.gender)

    gap = [(split, row) for split, rows in tables.get("gap", {}).items() for row in rows]
    if gap:
        rows = [row for _, row in gap]
        split_of = {row.id: split for split, row in gap}
        yield cross_table("`gap`, gender by split", "split", rows, lambda it: split_of[it.id], gender)
        yield cross_table("`gap`, gender by label", "label", rows, lambda it: it.label, gender)
        yield cross_table("`gap`, gender by pattern", "pattern", rows, lambda it: it.pattern, gender)
        yield cross_table("`gap`, gender by page entity", "page entity", rows, page_entity, gender)
    instances: list[ReleasedInstance] = [row for rows in tables.get("counter_gap", {}).values() for row in rows]
    if instances:
        originals = [row for row in instances if row.variant == "original"]
        yield cross_table("`counter_gap`, gender by variant", "variant", instances, lambda it: it.variant, gender)
        yield cross_table("`counter_gap`, originals by label", "label", originals, lambda it: it.label, gender)
        yield cross_table("`counter_gap`, originals by pattern", "pattern", originals, lambda it: it.pattern, gender)


def page_entity(row: Any) -> str:
    return "one of the two" if row.page_entity else "neither"


def markdown(table: CrossTable) -> str:
    """The table as a card shows it."""
    header = [table.corner, *table.columns]
    lines = [header, ["---", *["---:"] * len(table.columns)]]
    lines += [[name, *(f"{value:,}" for value in values)] for name, values in table.lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
