"""From the raw files that a config names to shards of documents."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.corpora.fetch import FetchSettings, fetch
from pipeline.corpora.formats import pieces_of, reader
from pipeline.corpora.inputs import find_files
from pipeline.corpora.source import CorpusSettings, Piece, ReadSettings
from pipeline.engine import Tick
from pipeline.errors import InputError
from pipeline.parts import part_files, write_part
from pipeline.records import Document, Reject
from pipeline.tables import read_column

Shard = list[tuple[str, Piece]]  # format, piece


def fetch_inputs(settings: CorpusSettings, fetching: FetchSettings) -> None:
    for item in settings.inputs:
        if item.url:
            fetch(item.url, item.sha256, Path(item.path), fetching)


def plan_shards(settings: CorpusSettings) -> list[Shard]:
    """Cut the corpus into at most `shards` runs of pieces of about equal size; the same files give the same cut."""
    pieces = [
        (file.format, piece)
        for item in settings.inputs
        for file in find_files(item, settings.format)
        for piece in pieces_of(file)
    ]
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
    if piece.end is not None:
        return piece.end - piece.start
    path = Path(piece.path)
    return path.stat().st_size if path.is_file() else 0


def read_shard(shard: Sequence[tuple[str, Piece]], settings: ReadSettings) -> Iterator[Document | Reject]:
    for format, piece in shard:
        yield from reader(format)(piece, settings)


def write_shard(settings: ReadSettings, shard: Shard, path: Path, tick: Tick) -> int:
    return write_part(path, Document, read_shard(shard, settings), tick)


def check_ids(folder: Path) -> None:
    """Refuse two documents of one id: every later record is known by it."""
    # Imported here because it takes a quarter of a second, which every worker would spend for nothing.
    import pyarrow.compute as pc

    counts = pc.value_counts(read_column(part_files(folder), "id"))
    twice = counts.filter(pc.greater(counts.field("counts"), 1))
    if len(twice):
        shown = ", ".join(sorted(row["values"] for row in twice.to_pylist())[:5])
        raise InputError(
            f"{len(twice)} document ids occur more than once ({shown}); does the config name a file twice?"
        )
