"""Where everything lies in a release, and how its tables are read.

    release/
      README.md  croissant.json  provenance.json  CITATION.cff  errata.tsv  SHA256SUMS
      gap/test-00000-of-00001.parquet …      a folder for each set, a file for each split
      tsv/  text/  conll/  weights/          the same rows in the forms in which others publish them

The tables are what a release is; whatever else lies there follows from them and from `provenance.json`.

What a release folder holds, as its own files say: checksums, version, and rows by config and split.

Only what `SHA256SUMS` lists is the release. A note of the run or a hub's `.gitattributes` beside it is not.
"""

import hashlib
import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from gapforge.engine.parts import MANIFEST, NOTES
from gapforge.errors import InputError, one_line
from gapforge.records import Split, Weight, WinoBiasSentence, fields_of
from gapforge.released import ReleasedExample, ReleasedInstance, ReleasedSubjective, Tables
from gapforge.storage.files import atomic_file, read_text, sha256_of, write_text
from gapforge.storage.tables import GROUP_ROWS, read_records, row_count, schema_on_disk, split_files, write_records

CARD, CROISSANT, PROVENANCE = "README.md", "croissant.json", "provenance.json"
CITATION, ERRATA, SUMS = "CITATION.cff", "errata.tsv", "SHA256SUMS"

SUM = re.compile(r"(?P<sum>[0-9a-f]{64})  (?P<path>.+)")
OF_HUBS = (".gitattributes", ".git", ".cache")

# The sets of a release and what their tables hold; the last is about rows of the first.
SETS: dict[str, type] = {
    "gap": ReleasedExample,
    "counter_gap": ReleasedInstance,
    "gap_subjective": ReleasedSubjective,
    "winobias": WinoBiasSentence,
    "gap_weights": Weight,
}
LABELLED = ("gap", "counter_gap", "gap_subjective")  # whose rows have two names and a label
INSTANCES = (*LABELLED, "winobias")  # whose rows are questions to a system
SPLITS: tuple[Split, ...] = ("development", "validation", "test")


def table_name(name: str, split: str) -> str:
    return f"{name}/{split}-00000-of-00001.parquet"


def write_tables(tables: Tables, folder: Path) -> None:
    for name, splits in tables.items():
        (folder / name).mkdir(exist_ok=True)
        for split, rows in splits.items():
            with atomic_file(folder / table_name(name, split)) as temporary:
                write_records(temporary, rows, SETS[name])


def read_tables(folder: Path) -> dict[str, dict[str, list[Any]]]:
    """The rows of every set, splits in their usual order; InputError where a table cannot be read."""
    found: dict[str, dict[str, list[Any]]] = {}
    for name, record in SETS.items():
        files = split_files(folder / name)
        order = [split for split in SPLITS if split in files]
        if order:
            found[name] = {split: list(read_records(files[split], record)) for split in order}
    return found


def stem_of(name: str, split: str) -> str:
    """What the published forms of a table are called; Counter-GAP has one split, and its files name none."""
    return "counter-gap" if name == "counter_gap" else f"{name.replace('_', '-')}-{split}"


def count_rows(folder: Path) -> int:
    """How many instances a release holds."""
    return sum(row_count(path) for name in INSTANCES for path in split_files(folder / name).values())


def logical_hash(rows: Iterable[Any]) -> str:
    """A hash of what the rows say, in order: no version of a file format or library is in it."""
    digest = hashlib.sha256()
    for row in rows:
        line = json.dumps(row, default=fields_of, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        digest.update(line.encode("ascii") + b"\n")
    return digest.hexdigest()


def logical_hashes(tables: Tables) -> dict[str, str]:
    """The hash of each table by `set/split`."""
    return {f"{name}/{split}": logical_hash(rows) for name, splits in tables.items() for split, rows in splits.items()}


def combined(hashes: Mapping[str, str]) -> str:
    """One hash for all tables, whatever their order."""
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(hashes.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def files_in(folder: Path) -> list[str]:
    """The files of a release by name, sorted.

    The notes of the run that made it are none of them, nor is what a hub adds to a copy.
    """
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return sorted(name for name in names if name not in (MANIFEST, NOTES) and name.split("/")[0] not in OF_HUBS)


def write_sums(folder: Path) -> None:
    """List the checksum of every other file, as `sha256sum` does."""
    lines = (f"{sha256_of(folder / name)}  {name}\n" for name in files_in(folder) if name != SUMS)
    write_text(folder / SUMS, "".join(lines))


def sum_lines(text: str) -> Iterator[tuple[int, str, tuple[str, str] | None]]:
    """Each line of `SHA256SUMS` with its number, and the file and checksum that it lists.

    None where it lists none: it is broken, names a file again, or leads out of the folder.
    """
    seen: set[str] = set()
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        found = SUM.fullmatch(line)
        fits = found and stays_within(found["path"]) and found["path"] not in seen
        if found:
            seen.add(found["path"])
        yield number, line, (found["path"], found["sum"]) if found and fits else None


def stays_within(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return path == "/".join(parts) and not path.startswith("/") and ".." not in parts


def check_is_release(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; name a release, such as output/sample/release")
    if not (folder / SUMS).is_file():
        inner = folder / "release"
        remedy = f"did you mean {inner}?" if (inner / SUMS).is_file() else "name the folder of a release"
        raise InputError(f"{folder}: holds no {SUMS}; {remedy}")


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


def count_rows_of(table: Table, column: str) -> tuple[int, int]:
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
