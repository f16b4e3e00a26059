"""Known errors of a release: a row of the table is a cell of a set that is wrong, and what it should be.

They are written down, not fixed: figures that were measured on a release must stay comparable. The next version of
the data has them right, and `gapforge diff` then gives the erratum as the reason.
"""

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from gapforge.config import hint
from gapforge.counterfactuals.audit import Finding, audit
from gapforge.errors import InputError
from gapforge.release.layout import LABELLED
from gapforge.release.rows import published
from gapforge.released import Tables, rows_in
from gapforge.storage.files import read_text, write_text
from gapforge.storage.tsv import SHARED, cell_of, on_one_line


@dataclasses.dataclass(frozen=True, slots=True)
class Erratum:
    """A cell that is wrong: `found` is what stands there, `expected` what should, `note` the kind of error."""

    config: str
    id: str
    column: str
    found: str
    expected: str
    note: str


# As the published files call them, and as the audit does.
COLUMNS_OF_ROWS = (*SHARED, "URL", "Book")
COLUMNS = tuple(field.name for field in dataclasses.fields(Erratum))


def read_errata(path: Path) -> list[Erratum]:
    """The errata of a file in order; InputError names the line that cannot be read."""
    lines = read_text(path).rstrip("\n").split("\n")
    if tuple(lines[0].rstrip("\r").split("\t")) != COLUMNS:
        raise InputError(
            f"{path}: line 1: found {lines[0][:80]!r}; wanted the columns {', '.join(COLUMNS)}, tabs between"
        )
    errata = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.rstrip("\r").split("\t")
        if len(cells) != len(COLUMNS):
            raise InputError(f"{path}: line {number}: {len(cells)} cells under {len(COLUMNS)} columns; fix the line")
        errata.append(Erratum(*cells))
    return errata


def write_errata(path: Path, errata: Iterable[Erratum]) -> None:
    lines = [COLUMNS, *(dataclasses.astuple(it) for it in errata)]
    write_text(path, "".join("\t".join(map(on_one_line, cells)) + "\n" for cells in lines))


def check_errata(errata: Iterable[Erratum], tables: Tables, place: str) -> None:
    """Refuse an erratum of a row or a cell that is not there, or that says something else."""
    rows = {name: {row.id: published(row) for row in rows_in(tables, name)} for name in LABELLED}
    for number, it in enumerate(errata, 2):
        where = f"{place}: line {number}"
        if it.config not in rows:
            raise InputError(f"{where}: no set {it.config!r}; choose from {', '.join(LABELLED)}")
        if it.id not in rows[it.config]:
            raise InputError(f"{where}: {it.config} has no row {it.id!r}; remove the line")
        if it.column not in COLUMNS_OF_ROWS:
            raise InputError(f"{where}: no column {it.column!r}{hint(it.column, COLUMNS_OF_ROWS)}")
        row = rows[it.config][it.id]
        cells = {"Pronoun": row.pronoun, "A": row.a, "B": row.b, "A-coref": row.a_coref, "B-coref": row.b_coref}
        there = on_one_line(cell_of(cells[it.column])) if it.column in cells else it.found
        if it.found != there:
            raise InputError(f"{where}: {it.column} of {it.id} is {there!r}, not {it.found!r}; fix the line")


def audited(tables: Tables, model: str) -> list[Erratum]:
    """What our own audit finds in the labelled sets."""
    found = []
    for name in LABELLED:
        found += [erratum_of(name, it) for it in audit(map(published, rows_in(tables, name)), model)]
    return found


def erratum_of(name: str, it: Finding) -> Erratum:
    return Erratum(name, it.id, it.column, it.found, it.expected, f"{it.kind} at {it.start}")
