"""Count what the spaCy model reads while the embedded sample is built: `python tests/tools/readings.py`.

A line for each stage: how many sentences the model was given, how many of them are different; the same for its two
large parts, the tree (tagger and parser) and the names (ner), where a sentence read by both counts twice; and seconds.
Worker processes are counted too. Rules that only add lemmas are not counted.
"""

import argparse
import json
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import luigi
from spacy.language import Language
from spacy.tokens import Doc

from gapforge import engine
from gapforge_tasks.base import Stage, read_manifest
from gapforge_tasks.runs import build, plan

ROOT = Path(__file__).parents[2]
PARTS = ("parser", "ner")  # the tagger comes with the parser, and all others only serve these

Reading = tuple[str, str]  # the hash of a sentence, the parts of the model that read it

read: list[Reading] = []  # by this process


def count_readings() -> None:
    """Note every text that a model is given in this process from here on."""
    pipe, call = Language.pipe, Language.__call__

    def counted_pipe(nlp: Language, texts: Iterable[Any], **options: Any) -> Iterator[Any]:
        return pipe(nlp, (note(nlp, text) for text in texts), **options)

    def counted_call(nlp: Language, text: Any, **options: Any) -> Doc:
        return call(nlp, note(nlp, text), **options)

    Language.pipe, Language.__call__ = counted_pipe, counted_call  # type: ignore[method-assign, assignment]


def note(nlp: Language, text: Any) -> Any:
    words = text.text if isinstance(text, Doc) else text
    parts = " ".join(name for name in nlp.pipe_names if name in PARTS)
    if parts:
        read.append((blake2b(words.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest(), parts))
    return text


def write_counted(write_part: engine.WritePart, notes: Path, shard: Any, path: Path, tick: engine.Tick) -> int:
    """Write a part in a worker, and then what was read for it."""
    if Language.pipe.__name__ != "counted_pipe":
        count_readings()
    read.clear()
    rows = write_part(shard, path, tick)
    stage = path.parent.name[1:].rpartition(".")[0]  # the hidden folder of a stage that is being made
    (notes / f"{stage}.{path.name}.json").write_text(json.dumps(read), "utf-8")
    return rows


def count_in_workers(notes: Path) -> None:
    run_missing = engine.run_missing

    def run_counted(write_part: engine.WritePart, *others: Any) -> dict[int, str]:
        return run_missing(partial(write_counted, write_part, notes), *others)

    engine.run_missing = run_counted


def build_counted(folder: Path, workers: int) -> dict[str, list[Reading]]:
    """Build the sample in a folder; what was read for each stage, in their order."""
    found: dict[str, list[Reading]] = defaultdict(list)
    notes = folder / "readings"
    notes.mkdir()
    count_readings()
    count_in_workers(notes)

    @Stage.event_handler(luigi.Event.START)
    def begin(stage: Stage) -> None:
        read.clear()

    @Stage.event_handler(luigi.Event.SUCCESS)
    def end(stage: Stage) -> None:
        found[stage.name] += read
        for path in sorted(notes.glob(f"{stage.name}.part-*.json")):
            found[stage.name] += [(digest, parts) for digest, parts in json.loads(path.read_text("utf-8"))]

    shutil.copytree(ROOT / "resources" / "samples", folder / "samples")
    (folder / "config").mkdir()
    shutil.copy(ROOT / "resources" / "config" / "sample.toml", folder / "config")
    before = Path.cwd()
    os.chdir(folder)
    try:
        build(plan(Path("config/sample.toml"), workers=workers))
    finally:
        os.chdir(before)
    return dict(found)


def show(found: dict[str, list[Reading]], seconds: Callable[[str], float]) -> None:
    print(f"{'stage':32}{'read':>8}{'different':>11}{'by parts':>11}{'different':>11}{'seconds':>9}")
    for name, readings in found.items():
        print(line(name, readings, seconds(name)))
    everything = [it for readings in found.values() for it in readings]
    rest = [it for name, readings in found.items() if "winobias" not in name.lower() for it in readings]
    total = sum(map(seconds, found))
    print(line("all without WinoBias", rest, total - sum(seconds(it) for it in found if "winobias" in it.lower())))
    print(line("all", everything, total))


def line(name: str, readings: list[Reading], seconds: float) -> str:
    different = len({sentence for sentence, _ in readings})
    parts = [(sentence, part) for sentence, named in readings for part in named.split()]
    return f"{name:32}{len(readings):8,}{different:11,}{len(parts):11,}{len(set(parts)):11,}{seconds:9.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="build in this folder, which must not exist, and leave it there")
    parser.add_argument("--workers", type=int, default=1, help="worker processes (default: 1)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary) / "sample"
        folder.mkdir(parents=True)
        found = build_counted(folder, given.workers)

        def seconds(name: str) -> float:
            manifest = read_manifest(folder / "output" / "sample" / name)
            return manifest.seconds if manifest else 0.0

        show(found, seconds)


if __name__ == "__main__":
    main()
