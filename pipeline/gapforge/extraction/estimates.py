"""What the costly stages of a corpus will take: hours, memory and disk of the whole from what a sample took.

All is taken to grow with the text, which it does (twice the text takes 2.06 times as long). A shard is never split, so
the hours by the clock are those of workers that take one shard after another, and no less than the largest takes.

What a sample of a corpus costs: documents and candidates made of it as a run would make them, in one worker process.

Each worker tells what it read, made, took and held by a record in the part that it leaves; what it made lies beside it
and is thrown away with the folder.

A part of a raw corpus that stands for the whole: stretches of its files, spread evenly from the first to the last.

It is read by the same readers as the whole, so every stretch is one that they can begin and end at: whole files, whole
streams of a dump, whole lines. A packed file of one stream can only be read from its beginning, to its very end; its
first pages or lines are packed into a file of their own.
"""

import bz2
import dataclasses
import gzip
import heapq
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TypeVar

from gapforge.corpora import archives
from gapforge.corpora.documents import Shard, documents_of, piece_size, plan_shards, size_of
from gapforge.corpora.formats import reader
from gapforge.corpora.source import HUB, CorpusSettings, Piece, ReadSettings
from gapforge.corpora.textfiles import whole
from gapforge.draws import draw_key
from gapforge.engine import LOCAL, Engine, Tick, WritePart, part_path, processes, run_shards
from gapforge.engine.parts import data_files, part_files, write_part
from gapforge.extraction.candidates import KINDS, find_candidates
from gapforge.records import Document, Reject
from gapforge.storage.files import no_report
from gapforge.storage.tables import column_bytes, read_records

EXCERPT = 8 << 20  # bytes of raw files: some seconds of reading, and a full row group of text
STRETCHES = 8
STRETCH = EXCERPT // STRETCHES
HEAD = 2 << 20  # bytes of a packed file that is one stream
MOST_UNPACKED = 64 << 20
LARGEST_WHOLE = 64 << 20  # bytes of a file that is read whole
LONGEST_SEARCH = 16 << 20  # bytes within which a stream or a line has to end

CUT_FORMATS = ("wikipedia", "jsonl")
# What a reader takes for the end of a page or a row, and what closes the file after the last of them.
ENDS = {"wikipedia": (b"</page>", b"</mediawiki>"), "jsonl": (b"\n", b"")}


def excerpt(shards: Sequence[Shard], scratch: Path) -> Shard:
    """Stretches of a corpus, some `EXCERPT` bytes in all, in its order; files that have to be made go to `scratch`."""
    pieces = [it for shard in shards for it in shard]
    worth = [
        min(piece_size(piece), STRETCH) if format in CUT_FORMATS else piece_size(piece) for format, piece in pieces
    ]
    count = EXCERPT * len(pieces) // max(sum(worth), 1)
    chosen = [pieces[n] for n in evenly(len(pieces), count)]
    return [(format, shortened(format, piece, scratch)) for format, piece in chosen]


def evenly(total: int, count: int) -> list[int]:
    """`count` of the numbers below `total`, or all: the middle ones of stretches of equal length; at least one."""
    count = max(1, min(total, count))
    return [(2 * n + 1) * total // (2 * count) for n in range(count)]


def why_none(pieces: Shard) -> str:
    """What keeps these pieces from standing for their corpus; empty where they can."""
    for format, piece in pieces:
        if format == "dataset":
            return f"{piece.path} is a dataset, whose size cannot be told from a part of it"
        if piece_size(piece) > LARGEST_WHOLE:
            return f"{piece.path} cannot be read in part, and has more than {LARGEST_WHOLE >> 20} MiB"
    return ""


def shortened(format: str, piece: Piece, scratch: Path) -> Piece:
    """The first `STRETCH` bytes or so of a piece; all of it where its format, or its size, allows no cut."""
    if format not in CUT_FORMATS or piece_size(piece) <= STRETCH:
        return piece
    end = piece.start + STRETCH
    last = size_of(piece.path) if piece.end is None else piece.end
    with Path(piece.path).open("rb") as file:
        magic = file.read(len(archives.MAGIC))
    if magic == archives.MAGIC:
        end_of_search = min(last, end + LONGEST_SEARCH)
        found = archives.boundary_between(piece.path, end, end_of_search) if format != "jsonl" else None
    elif piece.path.lower().endswith(".gz"):
        found = None
    else:
        found = end if format == "wikipedia" else line_after(piece.path, end)
    if found is not None:
        return dataclasses.replace(piece, end=min(found, last))
    return piece if piece.start or piece_size(piece) <= HEAD else packed_head(format, piece, scratch)


def line_after(path: str, position: int) -> int:
    """Where the first line begins after `position`, or so far on that its reader will say what is wrong with it."""
    with Path(path).open("rb") as file:
        file.seek(position)
        return position + len(file.readline(LONGEST_SEARCH))


def packed_head(format: str, piece: Piece, scratch: Path) -> Piece:
    """A file of the first whole pages or lines of a packed one, packed alike, so that reading it costs the same."""
    with Path(piece.path).open("rb") as file:
        packed = file.read(HEAD)
    end, closing = ENDS[format]
    bzip = packed.startswith(archives.MAGIC)
    text = unpacked_bz2(packed) if bzip else zlib.decompressobj(wbits=31).decompress(packed, MOST_UNPACKED)
    text = text[: text.rfind(end) + len(end)] + closing
    place = scratch / f"head{len(list(scratch.iterdir()))}-{Path(piece.path).name}"
    place.write_bytes(bz2.compress(text) if bzip else gzip.compress(text, compresslevel=6, mtime=0))
    return Piece(str(place), piece.name)


def unpacked_bz2(packed: bytes) -> bytes:
    """What the first bytes of a bz2 file hold, of however many streams."""
    parts = []
    room = MOST_UNPACKED
    while packed.startswith(archives.MAGIC) and room > 0:
        decoder = bz2.BZ2Decompressor()
        parts.append(decoder.decompress(packed, max_length=room))
        room -= len(parts[-1])
        packed = decoder.unused_data
    return b"".join(parts)


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
        return Measured(read, self.characters, rows, on_disk, self.seconds, cpu, processes.own_peak())


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
    rows = write_part(made, Document, meter.passing(documents_of(shard, settings)), tick)
    read = sum(piece_size(piece) for _, piece in shard)
    return write_part(path, Measured, [meter.result(read, rows, made.parent)], tick)


def write_candidates(kind: str, corpus: str, model: str, parts: list[Path], path: Path, tick: Tick) -> int:
    list(find_candidates(Document("", "", "", "", FIRST, whole(FIRST)), kind, model))
    made = place_for_made(path)
    meter = Meter()
    # In random order, so that those which there is time for are from everywhere.
    sample = sorted(thinned(parts, READ_CHARACTERS, SAMPLE_CHARACTERS), key=lambda it: draw_key(0, "estimate", it.id))
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


IDLE = 0.2  # of the workers' time that may be lost before it is worth a word
SHARDS_PER_WORKER = 4  # with so many, workers that end early find another one
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be estimated: a corpus, its raw files where its documents are not made, the kinds of candidates.

    `made` is the folder of the documents that are there. `unfetched` names what has to be fetched first.
    """

    corpus: str
    settings: CorpusSettings
    made: Path | None
    kinds: list[str]
    model: str
    workers: int
    unfetched: str = ""


@dataclass(frozen=True, slots=True)
class StageEstimate:
    """A stage of a whole corpus; `unit` is what it reads (bytes or characters), `sample` what was measured of it.

    `seconds` are by the clock for the workers asked for, `cpu_seconds` those of all of them together, both with
    `start`, what a worker takes before its first shard. `memory` is that of one worker at its peak.
    """

    stage: str
    unit: str
    sample: Measured
    start: float
    whole: int
    rows: int
    rows_per_million: float
    seconds: float
    cpu_seconds: float
    memory: int
    bytes: int


@dataclass(frozen=True, slots=True)
class CorpusEstimate:
    """The stages of a corpus that are to be made, one after another; `notes` say what is left out or to be changed."""

    corpus: str
    workers: int
    shards: int
    stages: list[StageEstimate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def busy(self) -> int:
        """Workers that have something to do."""
        return min(self.workers, self.shards)

    @property
    def totals(self) -> dict[str, float]:
        """Of all stages: seconds and bytes added up; memory of the largest worker, and of all at once."""
        memory = max((it.memory for it in self.stages), default=0)
        return {
            "seconds": sum(it.seconds for it in self.stages),
            "cpu_seconds": sum(it.cpu_seconds for it in self.stages),
            "memory_of_a_worker": memory,
            "memory": memory * self.busy,
            "bytes": sum(it.bytes for it in self.stages),
        }


def estimate_stage(
    stage: str, unit: str, sample: Measured, start: float, shards: Sequence[float], workers: int
) -> StageEstimate:
    """The whole of a stage whose shards have these sizes in the unit of the sample, which must have read something."""
    whole = sum(shards)
    times = whole / sample.read
    return StageEstimate(
        stage=stage,
        unit=unit,
        sample=sample,
        start=start,
        whole=round(whole),
        rows=round(sample.rows * times),
        rows_per_million=sample.rows * MILLION / sample.read,
        seconds=start + makespan(shards, workers) * sample.seconds / sample.read,
        cpu_seconds=start * min(workers, len(shards)) + sample.cpu * times,
        memory=sample.memory,
        bytes=round(sample.bytes * times),
    )


def makespan(shards: Sequence[float], workers: int) -> float:
    """When the last of the workers is done, each taking the next shard as it becomes free; in the unit of the sizes."""
    ends = [0.0] * workers
    for size in shards:
        heapq.heapreplace(ends, ends[0] + size)
    return max(ends)


def idle_note(corpus: str, shards: Sequence[float], wanted: int, workers: int) -> str:
    """What to change where workers would wait for the largest shards; empty where they hardly do.

    `wanted` is the setting, of which there may be fewer shards where files cannot be cut.
    """
    idle = 1 - sum(shards) / (workers * makespan(shards, workers))
    if idle < IDLE:
        return ""
    if len(shards) < workers:
        found = f"{workers - len(shards):,} of {workers:,} workers have nothing to do, as a shard is never split"
    else:
        found = f"workers have nothing to do for {idle:.0%} of the time, as a shard is never split"
    found += f" and there are {len(shards):,}, the largest of them {max(shards) / sum(shards):.0%} of all"
    enough = SHARDS_PER_WORKER * workers
    if len(shards) == wanted < enough:
        return f"{found}; set [corpora.{corpus}] shards = {enough}"
    return f"{found}; its files cannot be cut into more: fewer workers will do as well"


def estimate(order: Order) -> CorpusEstimate:
    """Measure a sample in a temporary folder, which vanishes however this ends; StageError where the sample fails."""
    hub = [item.path for item in order.settings.inputs if item.path.startswith(HUB)]
    if order.made is None and (order.unfetched or hub):
        why = f"{order.unfetched or hub[0]} is not here yet, so there is nothing to estimate by"
        return CorpusEstimate(order.corpus, order.workers, 0, notes=[why])
    shards = [] if order.made else plan_shards(order.settings)
    with tempfile.TemporaryDirectory(prefix="gapforge-estimate-") as name:
        scratch = Path(name)
        sample = excerpt(shards, scratch) if shards else []
        if why := why_none(sample):
            return CorpusEstimate(order.corpus, order.workers, len(shards), notes=[f"no estimate: {why}"])
        sys.stderr.write(f"{order.corpus}: measuring a sample, which takes some {expected(order)} seconds\n")
        sys.stderr.flush()
        return estimate_in(order, shards, sample, scratch)


def expected(order: Order) -> int:
    """Seconds that measuring takes on a machine of these days."""
    return (0 if order.made else 5) + 10 * len(order.kinds)


def estimate_in(order: Order, shards: list[Shard], sample: Shard, scratch: Path) -> CorpusEstimate:
    stages: list[StageEstimate] = []
    parts = part_files(order.made) if order.made else []
    sizes: list[float] = [column_bytes(part, "text") for part in parts]
    if not order.made:
        measured, start = measure_documents(order.settings, sample, scratch / "documents")
        if not measured.characters:
            note = "no estimate: nothing in the sample became a document"
            return CorpusEstimate(order.corpus, order.workers, len(shards), notes=[note])
        raw = [sum(piece_size(piece) for _, piece in shard) for shard in shards]
        name = f"Documents-{order.corpus}"
        stages.append(estimate_stage(name, "bytes", measured, start, raw, order.workers))
        parts = part_files(scratch / "documents" / "made")
        sizes = [size * measured.characters / measured.read for size in raw]
    for kind in order.kinds:
        measured, start = measure_candidates(kind, order.corpus, order.model, parts, scratch / kind)
        name = f"Candidates-{order.corpus}-{kind}"
        stages.append(estimate_stage(name, "characters", measured, start, sizes, order.workers))
    note = idle_note(order.corpus, sizes, order.settings.shards, order.workers)
    return CorpusEstimate(order.corpus, order.workers, len(sizes), stages, [note] if note else [])
