"""What a sample of a corpus costs: documents and candidates made of it as a run would make them, in one worker process.

Each worker tells what it read, made, took and held by a record in the part that it leaves; what it made lies beside it
and is thrown away with the folder.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TypeVar

from pipeline import memory
from pipeline.corpora.documents import Shard, piece_size, read_shard
from pipeline.corpora.excerpts import STRETCHES, evenly
from pipeline.corpora.formats import reader
from pipeline.corpora.rows import whole
from pipeline.corpora.source import ReadSettings
from pipeline.engine import LOCAL, Engine, Tick, WritePart, part_path, run_shards
from pipeline.extraction.candidates import KINDS, find_candidates
from pipeline.files import no_report
from pipeline.lots import lot
from pipeline.parts import data_files, write_part
from pipeline.records import Document, Reject
from pipeline.tables import column_bytes, read_records

READ_CHARACTERS = 8_000_000  # of documents, of which those for the candidates are taken
SAMPLE_CHARACTERS = 600_000  # for each kind of candidates
SAMPLE_SECONDS = 12.0  # after which no further document is begun: models and machines may be slow
# A document longer than this gives a stretch of its middle, so that the sample is of many books. Who is who is learnt
# from all of a book: stretches of half this length were read a quarter to a half faster than their books.
LONG_DOCUMENT = 100_000

Item = TypeVar("Item", Document, Document | Reject)

# It has every word list loaded, as the first document of a worker would.
FIRST = "Ann Lee met Jane Roe by the old mill. Ann Lee told Jane Roe that she was late."


@dataclass(frozen=True, slots=True)
class Measured:
    """What one worker did: bytes of raw files or characters that it read, and what came of them.

    `bytes` are those on disk, rejects included; `seconds` are by the clock, without the start of the worker.
    """

    read: int
    characters: int
    rows: int
    bytes: int
    seconds: float
    cpu: float
    memory: int


class Meter:
    """Counts the characters of documents that pass, and the time since it was made."""

    def __init__(self) -> None:
        self.characters = 0
        self.clock = time.monotonic()
        self.cpu = time.process_time()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.clock

    def passing(self, items: Iterable[Item]) -> Iterator[Item]:
        for item in items:
            if isinstance(item, Document):
                self.characters += len(item.text)
            yield item

    def result(self, read: int, rows: int, folder: Path) -> Measured:
        on_disk = sum(path.stat().st_size for path in data_files(folder).values())
        cpu = time.process_time() - self.cpu
        return Measured(read, self.characters, rows, on_disk, self.seconds, cpu, memory.own_peak())


def measure_documents(settings: ReadSettings, shard: Shard, folder: Path) -> tuple[Measured, float]:
    """Make the documents of a shard in `folder / "made"`; how long the worker took to start comes with the figures."""
    return measure(partial(write_documents, settings), shard, folder)


def measure_candidates(kind: str, corpus: str, model: str, parts: list[Path], folder: Path) -> tuple[Measured, float]:
    """Make candidates of a sample of the documents in these parts; with how long the worker took to load the model."""
    return measure(partial(write_candidates, kind, corpus, model), parts, folder)


def measure(task: WritePart, shard: object, folder: Path) -> tuple[Measured, float]:
    started = time.monotonic()
    run_shards(task, [shard], folder, Engine(LOCAL, 1), no_report)
    (measured,) = read_records(part_path(folder, 0), Measured)
    return measured, max(0.0, time.monotonic() - started - measured.seconds)


def write_documents(settings: ReadSettings, shard: Shard, path: Path, tick: Tick) -> int:
    for format in {format for format, _ in shard}:
        reader(format)  # Loaded before the clock starts.
    made = place_for_made(path)
    meter = Meter()
    rows = write_part(made, Document, meter.passing(read_shard(shard, settings)), tick)
    read = sum(piece_size(piece) for _, piece in shard)
    return write_part(path, Measured, [meter.result(read, rows, made.parent)], tick)


def write_candidates(kind: str, corpus: str, model: str, parts: list[Path], path: Path, tick: Tick) -> int:
    list(find_candidates(Document("", "", "", "", FIRST, whole(FIRST)), kind, model))
    made = place_for_made(path)
    meter = Meter()
    # In random order, so that those which there is time for are from everywhere.
    sample = sorted(thinned(parts, READ_CHARACTERS, SAMPLE_CHARACTERS), key=lambda it: lot(0, "estimate", it.id))
    begun = meter.passing(takewhile(lambda _: meter.seconds < SAMPLE_SECONDS, sample))
    found = (item for document in begun for item in find_candidates(document, kind, model, corpus))
    rows = write_part(made, KINDS[kind].record, found, tick)
    return write_part(path, Measured, [meter.result(meter.characters, rows, made.parent)], tick)


def place_for_made(path: Path) -> Path:
    made = path.parent / "made" / path.name
    made.parent.mkdir()
    return made


def thinned(parts: Sequence[Path], seen: int, wanted: int) -> Iterator[Document]:
    """Documents of some `wanted` characters, spread evenly over the first of each of a few parts, `seen` in all.

    Of a long document a stretch of the middle is taken.
    """
    chosen = [parts[n] for n in evenly(len(parts), STRETCHES)]
    most = [min(column_bytes(path, "text"), seen // len(chosen)) for path in chosen]
    share = min(1.0, wanted / max(sum(most), 1))
    passed = taken = 0
    for path, limit in zip(chosen, most, strict=True):
        begin = passed
        for document in read_records(path, Document):
            if passed - begin >= limit:
                break
            passed += len(document.text)
            due = round(passed * share) - taken
            if due > 0:
                taken_now = stretch_of(document, max(due, LONG_DOCUMENT))
                taken += len(taken_now.text)
                yield taken_now


def stretch_of(document: Document, length: int) -> Document:
    """The document, or its middle where it is longer."""
    if len(document.text) <= length:
        return document
    start = (len(document.text) - length) // 2
    text = document.text[start : start + length]
    return replace(document, text=text, sections=whole(text))
