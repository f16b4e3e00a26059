"""Where everything lies in a release, and how its tables are read.

    release/
      README.md  croissant.json  provenance.json  CITATION.cff  errata.tsv  SHA256SUMS
      gap/test-00000-of-00001.parquet …      a folder for each set, a file for each split
      tsv/  text/  conll/  weights/          the same rows in the forms in which others publish them

The tables are what a release is; whatever else lies there follows from them and from `provenance.json`.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from pipeline.errors import InputError
from pipeline.files import atomic_file, sha256_of, write_text
from pipeline.parts import MANIFEST, NOTES
from pipeline.records import Split, Weight, WinoBiasSentence, fields_of
from pipeline.released import ReleasedExample, ReleasedInstance, ReleasedSubjective
from pipeline.tables import read_records, row_count, split_files, write_records

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

Tables = Mapping[str, Mapping[str, Sequence[Any]]]  # set, split, rows


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


def rows_in(tables: Tables, name: str) -> list[Any]:
    """The rows of all splits of a set, in order; none of a set that is not there."""
    return [row for rows in tables.get(name, {}).values() for row in rows]


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
