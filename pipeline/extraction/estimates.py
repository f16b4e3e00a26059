"""What the costly stages of a corpus will take: hours, memory and disk of the whole from what a sample took.

All is taken to grow with the text, which it does (twice the text takes 2.06 times as long). A shard is never split, so
the hours by the clock are those of workers that take one shard after another, and no less than the largest takes.
"""

import heapq
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.corpora.documents import Shard, piece_size, plan_shards
from pipeline.corpora.excerpts import excerpt, why_none
from pipeline.corpora.source import HUB, CorpusSettings
from pipeline.extraction.measuring import Measured, measure_candidates, measure_documents
from pipeline.parts import part_files
from pipeline.tables import column_bytes

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
