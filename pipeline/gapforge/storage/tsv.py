"""The published files of GAP and Counter-GAP: one row an instance, offsets in code points.

They look alike and are read differently. GAP's text stands as it is, with quotation marks of
its own (Webster et al. 2018); Counter-GAP's is quoted as CSV is (Xie et al. 2023), and read
without that a third of its rows break. The last column tells them apart.
"""

import csv
import dataclasses
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import get_args

from gapforge.errors import ConfigError, InputError, one_line, quoted
from gapforge.records import Span, Variant
from gapforge.storage.files import atomic_file, check_target, read_text

SHARED = ("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref")
LABELS: dict[str, bool | None] = {"TRUE": True, "FALSE": False, "": None}
MOST_DIGITS = 12
# What `str.splitlines` takes for line ends, and the tab.
BREAKS = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
LONGEST_FIELD = 10_000_000  # characters; Python's own limit is below what a chapter takes


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One instance as published; a label is None where nobody has given one. `source` is a URL or a book."""

    id: str
    text: str
    pronoun: str
    pronoun_offset: int
    a: str
    a_offset: int
    a_coref: bool | None
    b: str
    b_offset: int
    b_coref: bool | None
    source: str

    @property
    def pronoun_span(self) -> Span:
        return Span(self.pronoun_offset, self.pronoun_offset + len(self.pronoun))

    @property
    def a_span(self) -> Span:
        return Span(self.a_offset, self.a_offset + len(self.a))

    @property
    def b_span(self) -> Span:
        return Span(self.b_offset, self.b_offset + len(self.b))


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a GAP or Counter-GAP file in order; InputError names the line that cannot be read."""
    for place, cells in read_cells(path, SHARED, " and Book or URL"):
        yield as_row(cells, place)


def read_cells(path: Path, wanted: Sequence[str], others: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Each line after the header with its place, by column; InputError where a wanted column is missing."""
    csv.field_size_limit(LONGEST_FIELD)
    file = io.StringIO(read_text(path), newline="")
    header = columns_in(file.readline())
    if twice := [name for name, count in Counter(header).items() if count > 1]:
        raise InputError(f"{path}: line 1: column {quoted(twice[0])} twice; keep one of the two")
    missing = [name for name in wanted if name not in header]
    if missing:
        raise InputError(f"{path}: line 1: no column {missing[0]!r}; wanted {', '.join(wanted)}{others}")
    as_csv = is_quoted(header)
    lines = (
        csv.reader(file, delimiter="\t", strict=True)
        if as_csv
        else csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    )
    remedy = "tabs and quotation marks within a cell must be quoted" if as_csv else "a cell of GAP may hold no tab"
    try:
        for cells in lines:
            if not cells:
                continue
            place = f"{path}: line {lines.line_num + 1}"
            if len(cells) != len(header):
                raise InputError(f"{place}: {len(cells)} cells under {len(header)} columns; {remedy}")
            yield place, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise InputError(f"{path}: line {lines.line_num + 1}: {one_line(error)}; {remedy}") from error


def header_of(path: Path) -> list[str]:
    return columns_in(io.StringIO(read_text(path), newline="").readline())


def columns_in(first_line: str) -> list[str]:
    return first_line.rstrip("\r\n").split("\t")


def is_quoted(header: Sequence[str]) -> bool:
    return "URL" not in header


def as_row(values: dict[str, str], place: str) -> Row:
    def number(column: str) -> int:
        if not (values[column].isdecimal() and values[column].isascii() and len(values[column]) < MOST_DIGITS):
            raise InputError(f"{place}: {column} is {quoted(values[column])}; wanted a whole number of characters")
        return int(values[column])

    return Row(
        id=values["ID"],
        text=values["Text"],
        pronoun=values["Pronoun"],
        pronoun_offset=number("Pronoun-offset"),
        a=values["A"],
        a_offset=number("A-offset"),
        a_coref=label_in(values, "A-coref", place),
        b=values["B"],
        b_offset=number("B-offset"),
        b_coref=label_in(values, "B-coref", place),
        source=values.get("Book", values.get("URL", "")),
    )


def quadruple_of(id: str) -> tuple[str, Variant]:
    """The id of the original and which of the four a row is; published files say so in the id alone."""
    for variant in get_args(Variant):
        if id.endswith(f"-{variant}"):
            return id.removesuffix(f"-{variant}"), variant
    return id, "original"


def label_in(values: dict[str, str], column: str, place: str) -> bool | None:
    if values[column].upper() not in LABELS:
        raise InputError(f"{place}: {column} is {quoted(values[column])}; wanted TRUE, FALSE or nothing")
    return LABELS[values[column].upper()]


def write_counter_gap(path: Path, rows: Iterable[Row]) -> None:
    """Write rows in Counter-GAP's columns, quoted as CSV is; the file appears when all is written."""
    if path.suffix != ".tsv":
        raise ConfigError(f"{path}: unknown kind of output {path.suffix!r}; choose from .tsv")
    write_lines(path, (*SHARED, "Book"), (map(cell_of, dataclasses.astuple(row)) for row in rows))


def write_gap(path: Path, rows: Iterable[Row]) -> None:
    """Write rows in GAP's columns, as they are: readers of GAP know no quoting, so a cell may hold no line end or tab.

    Each of those becomes a blank, which leaves every offset as it is. The file appears when all is written.
    """
    write_lines(path, (*SHARED, "URL"), (map(cell_of, dataclasses.astuple(row)) for row in rows))


def write_like(source: Path, path: Path, rows: Iterable[Row]) -> None:
    """Write rows into the columns of the file that they come from; all but texts, words and offsets stays as it is.

    There is a row for each line of the file, in order.
    """
    lines = (cells for _, cells in read_cells(source, SHARED))
    changed = (cells | rewritten(row) for cells, row in zip(lines, rows, strict=True))
    write_lines(path, header_of(source), (cells.values() for cells in changed))


def rewritten(row: Row) -> dict[str, str]:
    """The cells in which a row whose text was edited differs from what it was."""
    offsets = {"Pronoun": row.pronoun_offset, "A": row.a_offset, "B": row.b_offset}
    words = {"Text": row.text, "Pronoun": row.pronoun, "A": row.a, "B": row.b}
    return words | {f"{name}-offset": str(offset) for name, offset in offsets.items()}


def write_lines(path: Path, header: Sequence[str], lines: Iterable[Iterable[str]]) -> None:
    """A header and its lines, quoted unless they are GAP's; the file appears when all is written."""
    check_target(path)
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        if is_quoted(header):
            # As published; a lone \r is quoted then.
            csv.writer(file, delimiter="\t", lineterminator="\r\n").writerows(chain([header], lines))
        else:
            file.writelines("\t".join(map(on_one_line, cells)) + "\n" for cells in chain([header], lines))


def on_one_line(text: str) -> str:
    """The text with a blank for each character that parts cells or lines in some reader."""
    return BREAKS.sub(" ", text)


def cell_of(value: str | int | bool | None) -> str:
    if value is None:
        return ""
    return str(value).upper() if isinstance(value, bool) else str(value)
