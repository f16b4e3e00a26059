"""From the raw files that a config names to shards of documents."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.corpora.fetch import FetchSettings, fetch
from pipeline.corpora.formats import LARGEST_PIECE, SMALLEST_PIECE, pieces_of, reader
from pipeline.corpora.inputs import find_files
from pipeline.corpora.source import CorpusSettings, Piece, ReadSettings
from pipeline.engine import Tick
from pipeline.errors import InputError
from pipeline.files import Checksums
from pipeline.parts import count_rejects, part_files, write_part
from pipeline.records import Document, Reject
from pipeline.tables import read_column

Shard = list[tuple[str, Piece]]  # format, piece


def fetch_inputs(
    settings: CorpusSettings, written: CorpusSettings, fetching: FetchSettings, checksums: Checksums
) -> None:
    """Bring every URL of the config to its place."""
    for item, named in zip(settings.inputs, written.inputs, strict=True):
        if named.url:
            fetch(named.url, item.sha256, Path(item.path), fetching, checksums)


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


def read_shard(shard: Sequence[tuple[str, Piece]], settings: ReadSettings) -> Iterator[Document | Reject]:
    for format, piece in shard:
        yield from reader(format)(piece, settings)


def write_shard(settings: ReadSettings, shard: Shard, path: Path, tick: Tick) -> int:
    return write_part(path, Document, read_shard(shard, settings), tick)


def check_documents(folder: Path) -> None:
    """Refuse a corpus without documents, and two documents of one id: every later record is known by it."""
    ids = read_column(part_files(folder), "id")
    if not len(ids):
        reasons = ", ".join(f"{count} {reason}" for reason, count in count_rejects(folder).items()) or "nothing"
        raise InputError(
            f"its inputs give no document; left out: {reasons}; mend its inputs, format, columns or catalog"
        )
    twice = sorted(row["values"] for row in ids.value_counts().to_pylist() if row["counts"] > 1)
    if twice:
        raise InputError(
            f"{len(twice)} document ids occur more than once ({', '.join(twice[:5])}); rename or remove the files or "
            "rows that share one, or make a corpus of each"
        )
