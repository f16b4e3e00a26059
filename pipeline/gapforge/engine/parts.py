"""The folder of a stage: part files, the rejects beside them, and the manifest that makes it complete.

    Documents-novels/
      part-00000.parquet …     the records
      _rejects/part-00000.parquet …   what was left out, with the reason
      _notes.txt               what a person should know, in stages that have something to say
      _manifest.json           written last

Names with an underscore are passed over by readers of Parquet folders, so that the
folder itself is a table to pandas and pyarrow, and `part-*.parquet` one to DuckDB and
`datasets`. Every figure of the manifest is counted from the files, never remembered from
the run that wrote them.
"""

import dataclasses
import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gapforge.engine import Tick
from gapforge.engine.identity import Identity, differences, identity_of
from gapforge.records import Note, Reject
from gapforge.storage.files import Checksums, atomic_file, read_checked_json, stamp_of, write_checked_json
from gapforge.storage.tables import Record, RecordWriter, read_column, read_records, row_count

MANIFEST = "_manifest.json"
REJECTS = "_rejects"
NOTES = "_notes.txt"
# What may change what comes out.
REPORTED_VERSIONS = (
    *("gapforge", "datasets", "gender-guesser", "jinja2", "luigi", "lxml", "matplotlib", "nltk", "numpy"),
    *("pyarrow", "pyyaml", "scipy", "spacy", "textblob"),
)


@dataclasses.dataclass(frozen=True)
class Manifest:
    """What a finished stage says of itself."""

    identity: Identity
    fingerprint: str
    rows_in: int
    rows: int
    rejects: dict[str, int]
    seconds: float
    memory: int  # bytes that its largest process held at the peak; 0 where that is not known
    versions: dict[str, str]
    files: dict[str, tuple[int, str]]  # name: bytes, sha256

    @property
    def bytes(self) -> int:
        return sum(size for size, _ in self.files.values())


def write_part(path: Path, record: type, items: Iterable[Any], tick: Tick) -> int:
    """Write the records and, beside them, the rejects of one shard, and notes; the part appears last and whole.

    Only a stage of one part has notes: they are about all of its records.
    """
    rejects_path = path.parent / REJECTS / path.name
    rejects_path.parent.mkdir(parents=True, exist_ok=True)
    rows = 0
    notes: list[str] = []
    # Contexts end in reverse order: the rejects are in place before the part that marks the shard as done.
    with atomic_file(path) as part_file, atomic_file(rejects_path) as rejects_file:
        part, rejects = RecordWriter(part_file, record), RecordWriter(rejects_file, Reject)
        for item in items:
            if isinstance(item, Reject):
                rejects.write(item)
            elif isinstance(item, Note):
                notes.append(item.text)
            else:
                part.write(item)
                rows += 1
                tick(rows)
        part.close()
        rejects.close()
    if notes:
        write_notes(path.parent, notes)
    return rows


def part_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.parquet"))


def data_files(folder: Path) -> dict[str, Path]:
    """What a stage has made, by its names in the folder: every file but its manifest and hidden ones."""
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: path for name, path in paths.items() if name != MANIFEST and not name.startswith(".")}


@dataclasses.dataclass(frozen=True)
class Stamps:
    """The state of a stage's parts: to remember what was read of them, in workers that outlive a run, only as long."""

    folder: Path
    parts: tuple[tuple[int, ...], ...]


def stamps_of(folder: Path) -> Stamps:
    return Stamps(folder, tuple(tuple(stamp_of(path)) for path in part_files(folder)))


def count_rows(folder: Path) -> int:
    return sum(map(row_count, part_files(folder)))


def count_rejects(folder: Path) -> dict[str, int]:
    """How many records were left out, by reason."""
    if not part_files(folder / REJECTS):
        return {}
    counts = read_column(part_files(folder / REJECTS), "reason").value_counts().to_pylist()
    return dict(sorted((row["values"], row["counts"]) for row in counts))


def write_notes(folder: Path, notes: Iterable[str]) -> None:
    with atomic_file(folder / NOTES) as file:
        file.write_text("".join(f"{note}\n" for note in notes), "utf-8")


def read_notes(folder: Path) -> list[str]:
    path = folder / NOTES
    return path.read_text("utf-8").splitlines() if path.exists() else []


def read_parts(folder: Path, record: type[Record]) -> Iterator[Record]:
    """All records of a stage, in the order of its parts."""
    for path in part_files(folder):
        yield from read_records(path, record)


def current_versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in REPORTED_VERSIONS}}


def finish(
    folder: Path,
    identity: Identity,
    rows: int,
    upstream_rows: int | None,
    seconds: float,
    memory: int,
    checksums: Checksums,
) -> None:
    """Write the manifest of a folder that holds so many rows."""
    rejects = count_rejects(folder)
    manifest = Manifest(
        identity=identity,
        fingerprint=identity.fingerprint,
        rows_in=rows + sum(rejects.values()) if upstream_rows is None else upstream_rows,
        rows=rows,
        rejects=rejects,
        seconds=round(seconds, 3),
        memory=memory,
        versions=current_versions(),
        files={name: (path.stat().st_size, checksums.of(path)) for name, path in data_files(folder).items()},
    )
    write_checked_json(folder / MANIFEST, dataclasses.asdict(manifest))


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a finished stage; None where there is none, or a damaged one."""
    try:
        values = read_checked_json(folder / MANIFEST)
        return Manifest(
            identity=identity_of(values["identity"]),
            fingerprint=str(values["fingerprint"]),
            rows_in=int(values["rows_in"]),
            rows=int(values["rows"]),
            rejects={str(reason): int(count) for reason, count in values["rejects"].items()},
            seconds=float(values["seconds"]),
            memory=int(values.get("memory", 0)),
            versions=dict(values["versions"]),
            files={name: (int(size), str(digest)) for name, (size, digest) in values["files"].items()},
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def why_stale(folder: Path, identity: Identity, checksums: Checksums) -> str:
    """What makes the folder out of date, in a few words; empty where it is complete and unchanged."""
    manifest = read_manifest(folder)
    if manifest is None:
        return "missing" if not folder.exists() else "its manifest is missing or damaged"
    if manifest.fingerprint != identity.fingerprint:
        return "; ".join(differences(manifest.identity, identity)) or "its fingerprint was changed"
    for name, (size, digest) in manifest.files.items():
        path = folder / name
        if not path.exists():
            return f"{name} is missing"
        if path.stat().st_size != size or checksums.of(path) != digest:
            return f"{name} was changed after it was built"
    # A reader of the folder as a table takes every part in it.
    strangers = {path.relative_to(folder).as_posix() for path in folder.rglob("*.parquet")} - manifest.files.keys()
    return f"{min(strangers)} was added after it was built" if strangers else ""
