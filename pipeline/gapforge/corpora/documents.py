"""From the raw files that a config names to shards of documents."""

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gapforge.corpora.formats import LARGEST_PIECE, SMALLEST_PIECE, pieces_of, read_piece
from gapforge.corpora.inputs import find_files
from gapforge.corpora.source import CorpusSettings, Piece, ReadSettings
from gapforge.engine.parts import count_rejects, part_files
from gapforge.errors import InputError
from gapforge.records import Document, Reject
from gapforge.storage.files import stamp_of, write_json
from gapforge.storage.tables import read_column

STAMPS = ".inputs.json"

Shard = list[tuple[str, Piece]]  # format, piece


@contextmanager
def held_still(folder: Path, settings: CorpusSettings) -> Iterator[None]:
    """Make sure that all parts in `folder` are read from the same state of the inputs, also across runs.

    Their stamps are kept beside the parts, for as long as the folder is worked on. Where they
    differ from those of an earlier run that was broken off, its parts are thrown away; where
    they differ at the end, all are.
    """
    kept = folder / STAMPS
    before = input_stamps(settings)
    if not kept.exists() or json.loads(kept.read_text("utf-8")) != before:
        shutil.rmtree(folder)
        folder.mkdir()
        write_json(kept, before)
    yield
    if input_stamps(settings) != before:
        shutil.rmtree(folder)
        raise InputError("an input changed while it was read; run again")


def input_stamps(settings: CorpusSettings) -> dict[str, list[int]]:
    """The state of every raw file, and of the catalogue."""
    files = [Path(file.path) for item in settings.inputs for file in find_files(item, settings.format)]
    if settings.catalog.file:
        files.append(Path(settings.catalog.file))
    within = [each for file in files if file.is_dir() for each in sorted(file.rglob("*"))]
    return {str(file): stamp_of(file) for file in files + within if file.is_file()}


def plan_shards(settings: CorpusSettings) -> list[Shard]:
    """Cut the corpus into at most `shards` runs of pieces of about equal size; the same files give the same cut."""
    files = [file for item in settings.inputs for file in find_files(item, settings.format)]
    share = sum(size_of(file.path) for file in files) // settings.shards
    cut_every = min(max(share, SMALLEST_PIECE), LARGEST_PIECE)
    pieces = [(file.format, piece) for file in files for piece in pieces_of(file, cut_every)]
    sizes = [piece_size(piece) for _, piece in pieces]
    total = sum(sizes)
    shards: list[Shard] = []
    seen, last = 0, -1
    for piece, size in zip(pieces, sizes, strict=True):
        # The shard in whose share of all bytes the piece's middle lies.
        number = min(settings.shards - 1, (seen + size // 2) * settings.shards // max(total, 1))
        if number != last:
            shards.append([])
            last = number
        shards[-1].append(piece)
        seen += size
    return shards


def piece_size(piece: Piece) -> int:
    return (size_of(piece.path) if piece.end is None else piece.end) - piece.start


def size_of(path: str) -> int:
    return Path(path).stat().st_size if Path(path).is_file() else 0


def documents_of(pieces: Sequence[tuple[str, Piece]], settings: ReadSettings) -> Iterator[Document | Reject]:
    """The stage Documents: what a shard of the raw files holds, in order."""
    for format, piece in pieces:
        yield from read_piece(format, piece, settings)


def raw_files(settings: ReadSettings, shard: Shard) -> list[Path]:
    """What a shard reads; of a dataset on a hub nothing, which a worker loads by itself."""
    catalog = [settings.catalog.file] if settings.catalog.file else []
    return [path for path in map(Path, [*catalog, *(piece.path for _, piece in shard)]) if path.exists()]


def check_documents(folder: Path) -> None:
    """Refuse a corpus without documents, and two documents of one id: every later record is known by it."""
    ids = read_column(part_files(folder), "id")
    if not len(ids):
        reasons = ", ".join(f"{count} {reason}" for reason, count in count_rejects(folder).items()) or "nothing"
        raise InputError(
            f"its inputs give no document; left out: {reasons}; "
            "fix its inputs, format, columns or catalog, or the reader if it is your own"
        )
    twice = sorted(row["values"] for row in ids.value_counts().to_pylist() if row["counts"] > 1)
    if twice:
        raise InputError(
            f"{len(twice)} document ids occur more than once ({', '.join(twice[:5])}); rename or remove the files or "
            "rows that share one, or make a corpus of each"
        )
