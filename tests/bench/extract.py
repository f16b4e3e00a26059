"""Extraction measured on published data: recall, people, speed beside plain spaCy, growth with the text.

Speed is in CPU seconds, both sides in this one run. Plain spaCy is `nlp.pipe` with all that the default model does,
over every eighth paragraph of the novels; ours is the whole command over all of them. Its start, which is the loading
of the model, counts against us in speed, and is taken off where growth is judged. What is absent is said and passed
over; exits 1 when a bar is missed.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from gapforge.storage.tsv import Row, read_rows
from report import REFERENCE, Report

COUNTER_GAP = Path("counter-gap") / "counter-gap-half.tsv"
GAP = Path("gap") / "gap-development.tsv"
FICTION = Path("fiction")
NOVELS = Path("novels")

# What each figure must at least be, or at most.
COUNTER_GAP_RECALL = 0.90
GAP_RECALL = 0.75
GAP_BOTH = 0.85
PEOPLE = 0.88
SPEED = 4.0
GROWTH = 2.1
MEMORY = 1.2

EVERY = 8  # paragraphs, of which one is read by plain spaCy
PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=\S)")
TINY = "Dora Kell thanked Ida Brandt because she had kept the key.\n"


class Place(NamedTuple):
    """A stretch of a text."""

    start: int
    end: int

    def meets(self, other: "Place") -> bool:
        return self.start < other.end and other.start < self.end


class Published(NamedTuple):
    """A published context with its pronoun and names."""

    id: str
    text: str
    pronoun: int
    a: Place
    b: Place


class Recall(NamedTuple):
    """Of so many contexts: those with both names among the people found, those with the triple among the candidates."""

    rows: int
    both: int
    triples: int
    candidates: int


class People(NamedTuple):
    precision: float
    recall: float
    gold: int


def read_published(path: Path) -> list[Published]:
    """The contexts of a GAP or Counter-GAP file; of a quadruple the original."""
    rows = [row for row in read_rows(path) if path.name.startswith("gap-") or "-" not in row.id]
    return [as_published(row) for row in rows]


def as_published(row: Row) -> Published:
    a, b = (Place(span.start, span.end) for span in (row.a_span, row.b_span))
    return Published(row.id, row.text, row.pronoun_offset, a, b)


def measure_recall(rows: Iterable[Published], kind: str) -> Recall:
    """Each context is a document; a name is found where a mention overlaps it."""
    from gapforge.extraction.candidates import find_candidates
    from gapforge.nlp.reading import DEFAULT_MODEL
    from gapforge.people.identity import find_people
    from gapforge.records import Candidate, Document, Section

    count = both = triples = candidates = 0
    for row in rows:
        document = Document(row.id, "", "", "", row.text, [Section("", 0, 0, len(row.text))])
        people = find_people(document, DEFAULT_MODEL)
        named = [Place(it.start, it.end) for person in people for it in person.mentions]
        found = [it for it in find_candidates(document, kind, DEFAULT_MODEL) if isinstance(it, Candidate)]
        count += 1
        both += all(any(it.meets(gold) for it in named) for gold in (row.a, row.b))
        triples += any(is_triple(it, row) for it in found)
        candidates += len(found)
    return Recall(count, both, triples, candidates)


def is_triple(candidate, row: Published) -> bool:
    if candidate.start + candidate.pronoun.start != row.pronoun:
        return False
    a, b = (Place(candidate.start + it.start, candidate.start + it.end) for it in (candidate.name_a, candidate.name_b))
    return (a.meets(row.a) and b.meets(row.b)) or (a.meets(row.b) and b.meets(row.a))


def measure_people(folder: Path) -> People:
    """Mentions that overlap a name annotated by hand, and the reverse."""
    from gapforge.nlp.reading import DEFAULT_MODEL
    from gapforge_tasks.cli.texts import people_by_document

    right = wrong = missed = total = 0
    files = sorted(map(str, folder.glob("*.txt")))
    for found in people_by_document(files, "text", "", DEFAULT_MODEL):
        ours = [Place(it["start"], it["end"]) for person in found["people"] for it in person["mentions"]]
        gold = list(annotated(Path(found["file"]).with_suffix(".ann")))
        hits = sum(any(it.meets(other) for other in gold) for it in ours)
        right, wrong = right + hits, wrong + len(ours) - hits
        missed += sum(not any(it.meets(other) for other in ours) for it in gold)
        total += len(gold)
    return People(right / max(1, right + wrong), 1 - missed / max(1, total), total)


def annotated(path: Path) -> Iterator[Place]:
    """The names in a file of the brat format."""
    for line in path.read_text("utf-8").splitlines():
        _, start, end = line.split("\t")[1].split()[:3]
        yield Place(int(start), int(end))


def measure_command(command: list[str]) -> tuple[float, int]:
    """CPU seconds and peak memory in KiB of a command; raises where it fails."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{output.read().decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def measure_plain(novels: list[Path]) -> tuple[float, int]:
    """CPU seconds that plain spaCy would take for all paragraphs, and the number of words."""
    from gapforge.nlp.reading import DEFAULT_MODEL, load_model

    texts = [path.read_text("utf-8", errors="replace") for path in novels]
    paragraphs = [it for text in texts for it in PARAGRAPHS.split(text) if it.strip()]
    words = [len(it.split()) for it in paragraphs]
    nlp = load_model(DEFAULT_MODEL)
    started = time.process_time()
    for _ in nlp.pipe(paragraphs[::EVERY], batch_size=256):
        pass
    return (time.process_time() - started) * sum(words) / sum(words[::EVERY]), sum(words)


def bench_novels(report: Report, novels: list[Path], gapforge: str) -> None:
    """Speed and growth. The commands come before the model is loaded here: a process inherits its parent's peak."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        again = [Path(shutil.copy(path, work / f"again_{path.name}")) for path in novels]
        (work / "tiny.txt").write_text(TINY, "utf-8")

        def extract(files: list[Path]) -> tuple[float, int, int]:
            output = work / "candidates.jsonl"
            command = [gapforge, "extract", *map(str, files), "--kind", "counter-gap", "-o", str(output)]
            seconds, peak = measure_command(command)
            with output.open("rb") as file:
                return seconds, peak, sum(1 for _ in file)

        start = statistics.median(extract([work / "tiny.txt"])[0] for _ in range(3))
        once, once_peak, candidates = extract(novels)
        twice, twice_peak, twice_candidates = extract([*novels, *again])
    if twice_candidates != 2 * candidates:
        raise SystemExit(f"the novels gave {candidates} candidates, and twice in one call {twice_candidates}")
    plain, words = measure_plain(novels)
    growth, memory = (twice - start) / max(0.01, once - start), twice_peak / once_peak
    report.line("novels", f"{len(novels)}", f"{words} words")
    report.line("Counter-GAP candidates in them", f"{candidates}")
    report.line("CPU seconds, plain spaCy", f"{plain:.1f}", f"from every {EVERY}th paragraph")
    report.line("CPU seconds, gapforge extract", f"{once:.1f}", f"of them {start:.1f} to start")
    net = f"{plain / max(0.01, once - start):.1f}x without the start"
    report.line("speed", f"{plain / once:.1f}x", net, f"at least {SPEED:g}x", plain / once >= SPEED)
    report.line("growth, twice the text", f"{growth:.2f}x", "CPU seconds", f"at most {GROWTH:g}x", growth <= GROWTH)
    report.line("peak memory, novels once", f"{once_peak / 1024:.0f} MiB")
    peak = f"{twice_peak / 1024:.0f} MiB"
    report.line("peak memory, novels twice", peak, f"{memory:.2f}x", f"at most {MEMORY:g}x", memory <= MEMORY)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--reference", type=Path, default=REFERENCE, help="the folder of the published data")
    parser.add_argument("--novels", type=Path, nargs="*", help="text files instead of the folder's novels")
    parser.add_argument("--gapforge", default=str(Path(sys.executable).parent / "gapforge"), help="our program")
    arguments = parser.parse_args()
    report = Report()

    def present(part: Path) -> Path | None:
        path = arguments.reference / part
        if not path.exists():
            print(f"{path} is absent: passed over")
        return path if path.exists() else None

    novels = arguments.novels
    if novels is None and (folder := present(NOVELS)):
        novels = sorted(folder.glob("*.txt"))
    if novels:
        bench_novels(report, novels, arguments.gapforge)
    if path := present(COUNTER_GAP):
        found = measure_recall(read_published(path), "counter-gap")
        note = f"of {found.rows}; {found.candidates} candidates"
        report.line("Counter-GAP half, both names", f"{found.both / found.rows:.3f}", f"of {found.rows}")
        report.at_least("Counter-GAP half, triple", found.triples / found.rows, COUNTER_GAP_RECALL, note)
    if path := present(GAP):
        found = measure_recall(read_published(path), "gap")
        note = f"of {found.rows}; {found.candidates} candidates"
        report.at_least("GAP development, both names", found.both / found.rows, GAP_BOTH, f"of {found.rows}")
        report.at_least("GAP development, triple", found.triples / found.rows, GAP_RECALL, note)
    if folder := present(FICTION):
        people = measure_people(folder)
        report.at_least("people in fiction, precision", people.precision, PEOPLE, "plain NER of this model: 0.829")
        report.at_least("people in fiction, recall", people.recall, PEOPLE, f"of {people.gold} names; plain NER: 0.808")
    if report.missed:
        print(f"missed: {', '.join(report.missed)}")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
