"""What a release folder holds, as its own files say: checksums, version, and rows by config and split.

Only what `SHA256SUMS` lists is the release. A note of the run or a hub's `.gitattributes` beside it is not.
"""

import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import InputError, one_line
from pipeline.files import read_text, sha256_of
from pipeline.release.layout import PROVENANCE, SUMS, check_is_release, sum_lines
from pipeline.tables import GROUP_ROWS, row_count, schema_on_disk

KEYS = ("id", "instance_id")
Document = tuple[str, str]

_DATA = re.compile(r"(?P<config>[^/]+)/(?P<split>[^/]+)-\d{5}-of-\d{5}\.parquet")


@dataclass(frozen=True, slots=True)
class Contents:
    """A release: where it lies, the checksum of each of its files by path, and what it calls itself."""

    folder: Path
    sums: dict[str, str]
    name: str
    version: str

    def data(self) -> Iterator[tuple[str, str, str]]:
        """Config, split and path of each file of rows, in the order of the paths."""
        for path in self.sums:
            if found := _DATA.fullmatch(path):
                yield found["config"], found["split"], path


def read_contents(folder: Path) -> Contents:
    """What the release says of itself; its files are not looked into, but have to be there."""
    check_is_release(folder)
    sums = read_sums(folder / SUMS)
    missing = [path for path in (PROVENANCE, *sums) if not (folder / path).is_file()]
    if missing:
        raise InputError(f"{folder / missing[0]}: no such file; get the release again, or build it again")
    stated = read_object(folder / PROVENANCE)
    version, name = stated.get("version"), stated.get("name")
    if not isinstance(version, str) or not version:
        raise InputError(f'{folder / PROVENANCE}: no "version"; wanted one such as "1.2.0"; build the release again')
    return Contents(folder, sums, name if isinstance(name, str) else "", version)


def read_sums(path: Path) -> dict[str, str]:
    """The checksums by path, sorted; a path that leads out of the folder raises InputError as a broken line does."""
    sums = {}
    for number, line, found in sum_lines(read_text(path)):
        if not found:
            raise InputError(
                f"{path}: line {number}: wanted a SHA-256, two spaces and the path of a file below the folder, each "
                f"once, found {line[:100]!r}; get the release again, or build it again"
            )
        sums[found[0]] = found[1]
    return dict(sorted(sums.items()))


def read_object(path: Path) -> dict[str, object]:
    """A JSON object; what more it has to hold is not asked, since an earlier release may have told less."""
    try:
        stated = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({one_line(error)}); get the release again, or build it again") from error
    if not isinstance(stated, dict):
        raise InputError(f"{path}: wanted a JSON object; get the release again, or build it again")
    return stated


def check_sums(release: Contents) -> None:
    """Raise InputError at the first file that is not what the release says it is; every file is read."""
    for path, wanted in release.sums.items():
        if sha256_of(release.folder / path) != wanted:
            raise InputError(
                f"{release.folder / path}: not the file that {SUMS} lists; get the release again, or build it again"
            )


@dataclass(frozen=True, slots=True)
class Table:
    """One config of one release: the split of each file by path, and the type of each column by name.

    Both are empty where the release has no such config.
    """

    release: Contents
    config: str
    files: dict[str, str]
    columns: dict[str, str]

    @property
    def splits(self) -> set[str]:
        return set(self.files.values())


@dataclass(frozen=True, slots=True)
class Located:
    """A row as the file has it, and the split that it is in."""

    split: str
    row: dict[str, Any]


def table_of(release: Contents, config: str) -> Table:
    files = {path: split for name, split, path in release.data() if name == config}
    columns: dict[str, str] = {}
    for path in files:
        for field in schema_on_disk(release.folder / path):
            known = columns.setdefault(field.name, str(field.type))
            if str(field.type) not in known.split(" or "):  # Files of one config should agree, but nobody makes them.
                columns[field.name] = f"{known} or {field.type}"
    return Table(release, config, files, columns)


def key_of(table: Table) -> str:
    """The column that names a row."""
    found = [name for name in KEYS if name in table.columns]
    if not found:
        place = table.release.folder / next(iter(table.files))
        raise InputError(f"{place}: no column {' or '.join(KEYS)}, found {', '.join(table.columns)}; rename one")
    return found[0]


def rows_of(table: Table, skipped: Container[str]) -> dict[str, Located]:
    """The rows by id but for those of the skipped files; InputError where one id names two of them."""
    rows: dict[str, Located] = {}
    for path, split in table.files.items():
        if path in skipped:
            continue
        key = key_of(table)
        for row in read_rows(table.release.folder / path):
            id = str(row[key])
            if id in rows:
                raise InputError(
                    f"{table.release.folder / path}: the {key} {id!r} names two rows of {table.config}, in "
                    f"{rows[id].split} and {split}; build the release again"
                )
            rows[id] = Located(split, row)
    return rows


def count_rows(table: Table, column: str) -> tuple[int, int]:
    """How many rows there are, and how many different values in the column; 0 without it."""
    values: set[Any] = set()
    for path in table.files if column in table.columns else ():
        values.update(row[column] for row in read_rows(table.release.folder / path, [column]))
    return sum(row_count(table.release.folder / path) for path in table.files), len(values)


def documents_of(release: Contents) -> set[Document]:
    """Every document that a row of the release comes from."""
    found: set[Document] = set()
    for _, _, path in release.data():
        names = set(schema_on_disk(release.folder / path).names)
        if "document_id" in names:
            rows = read_rows(release.folder / path, sorted(names & {"corpus", "document_id"}))
            found.update(document for row in rows if (document := document_in(row)))
    return found


def document_in(row: Mapping[str, Any]) -> Document | None:
    """The document that a row comes from, by corpus and id; None where the row does not say."""
    document = row.get("document_id")
    return None if document is None else (str(row.get("corpus", "")), str(document))


def read_rows(path: Path, columns: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of any Parquet file in order; unlike `read_records` it asks for no columns of its own."""
    try:
        for batch in pq.ParquetFile(path).iter_batches(GROUP_ROWS, columns=columns):
            yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: not a readable Parquet file ({one_line(error)}); build it again") from error
