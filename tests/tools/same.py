"""Whether the program still makes what it made: `make same`; ARGS=--freeze takes what it makes now as the measure.

It builds the embedded sample, measures published predictions, and calls each command on fixed inputs, all by the
command line, so that it does not depend on where modules are. What came out is compared with same.json, entry by
entry. An entry is a list of lines: rows of a table as JSON, figures as `path: value`, or the lines of a file.

Not compared, because they may change while the data stay: fingerprints, hashes of code, models and software in
provenance.json and in the report of the evaluation; the checksums that follow from provenance.json; seconds, memory
and bytes of stages, and the report's section of costs; progress.
"""

import argparse
import hashlib
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).parent / "gapforge"
INPUTS = Path(__file__).with_name("inputs")
FROZEN = Path(__file__).with_name("same.json")

GROUPS = ("sample", "published", "commands")
LONGEST_KEPT = 4000  # characters of an entry that is kept whole; of a longer one, marks say where it differs
MOST_MARKS = 200
SHOWN = 5  # differing lines of an entry
WIDTH = 300

Lines = list[str]
Entry = dict[str, Any]

# Steps of a chain run one after another in a folder of their own, beside `inputs`, `samples` and `reference`.
# Where a file of `reference` is absent, the chain is skipped.
COMMANDS = {
    "documents": {
        "documents wikipedia": "documents ../samples/wikipedia.xml -o articles.jsonl --rejects left.jsonl --json",
        "documents gutenberg": "documents ../samples/gutenberg -o books.parquet --json",
    },
    "names": {"names": "names ../samples/gutenberg/pg999001.txt --format gutenberg --json"},
    "extract": {
        "extract gap": "extract ../samples/gutenberg/pg999004.txt --kind gap -o gap.jsonl --rejects left.jsonl --json",
        "extract counter-gap": "extract ../samples/gutenberg/pg999001.txt ../samples/gutenberg/pg999002.txt "
        "--kind counter-gap -o counter-gap.jsonl --rejects left-too.parquet --json",
        "annotate export of candidates": "annotate export counter-gap.jsonl -o pages --format html --json",
    },
    "counterfactual": {
        "counterfactual": "counterfactual ../inputs/originals.tsv -o quadruples.tsv --rejects left.jsonl --json",
        "audit of quadruples": "audit quadruples.tsv --json",
    },
    "subjective": {
        "subjective": "subjective ../inputs/gap.tsv -o variant.tsv --proposals proposals.jsonl "
        "--sentences sentences.jsonl --json",
        "rate export": "rate export sentences.jsonl -o rating --size 12 --json",
        "rate import": "rate import ../inputs/anna.csv ../inputs/bert.csv --key rating --json",
    },
    "audit": {
        "audit of GAP rows": "audit ../inputs/gap.tsv --json",
        "audit of damaged rows": "audit ../inputs/damaged.tsv --json",
    },
    "swap": {"swap": "swap ../samples/gutenberg/pg999003.txt", "swap as JSON": "swap ../inputs/scene.txt --json"},
    "augment": {
        f"augment {method}": f"augment ../samples/training.conll --method {method} -o {method}.conll --json"
        for method in ("swap", "a-cda", "n-cda")
    },
    "lists": {
        "name-pairs": "name-pairs -o pairs.tsv --json",
        "balance": "balance ../inputs/counts.tsv -o balanced.tsv --json",
    },
    "annotate": {
        "annotate export to Label Studio": "annotate export ../inputs/gap.tsv -o labels --json",
        "annotate export to Mechanical Turk": "annotate export ../inputs/gap.tsv -o turk --format mturk --json",
        "annotate import": "annotate import ../inputs/answers.jsonl --questions labels -o judgements.jsonl "
        "--rejects left.jsonl --consensus consensus.jsonl --json",
    },
    "resolve": {
        **{
            f"resolve {name}": f"resolve ../inputs/gap.tsv --resolver {name} -o {name}.tsv --json"
            for name in ("random", "token-distance", "syntactic", "dist-1")
        },
        "resolve quadruples": "resolve ../inputs/quadruples.tsv --resolver parallelism -o quadruples.tsv --json",
        "weigh": "weigh ../inputs/gap.tsv -o weights.json --write-names names.json --json",
        "evaluate": "evaluate ../inputs/gap.tsv random.tsv syntactic.tsv --weights weights.json --json",
        "evaluate for people": "evaluate ../inputs/gap.tsv random.tsv token-distance.tsv",
        "evaluate with a variant": "evaluate ../inputs/gap.tsv random.tsv --variant syntactic.tsv --json",
        "evaluate quadruples": "evaluate ../inputs/quadruples.tsv quadruples.tsv --json",
    },
}

SCORER_KEYS = ["TC-A", "TC-B", "TC-C", "TC-D", "TC-E", "TC-G", "TC-I", "TC-J", "TC-L", "TC-M"]
GAP_NAMES = "--names ../reference/weighting-gap/gap-test-name-spans.json"
PUBLISHED = {
    "GAP": {"GAP": "evaluate ../reference/gap/gap-development.tsv ../reference/gap/scored/*.tsv --json"},
    "Counter-GAP": {
        "Counter-GAP": "evaluate ../reference/counter-gap/gold-labels.tsv ../reference/counter-gap/*_output.tsv --json"
    },
    "WinoBias": {
        f"WinoBias {n}": "evaluate ../reference/winobias/pro_stereotyped_type1.txt.dev "
        f"../reference/conll-scorer/winobias-{n}.response --json"
        for n in (0, 1, 3, 5)
    },
    "WinoBias in columns": {
        "WinoBias in columns": "evaluate ../reference/winobias/dev_type1_pro_stereotype.v4_auto_conll "
        "../reference/conll-scorer/winobias-*.response --kind conll --resamples 10000 --json"
    },
    "weights of GAP": {
        "weights of GAP": f"weigh ../reference/gap/gap-test.tsv {GAP_NAMES} -o weights.json --json",
        "weights of trimmed GAP": f"weigh ../reference/gap/gap-test.tsv {GAP_NAMES} --trim -o trimmed.json --json",
        "nearest name in GAP": f"resolve ../reference/gap/gap-test.tsv {GAP_NAMES} --resolver dist-1 -o d.tsv --json",
        "weighted figures of GAP": "evaluate ../reference/gap/gap-test.tsv d.tsv "
        "--weights ../reference/weighting-gap/linear_weights.json --json",
    },
    "scorer": {
        f"scorer {key}": f"evaluate ../reference/conll-scorer/{key}.key ../reference/conll-scorer/{key}-*.response "
        "--kind conll --resamples 1000 --json"
        for key in SCORER_KEYS
    },
}

SAMPLE = {
    "of the sample": {
        "status": "status ../config/sample.toml --json",
        "verify": "verify ../output/sample/release --json",
        "diff of equals": "diff ../output/sample/release ../output/sample/release --json",
        "resolve a release": "resolve ../output/sample/release --split test --resolver token-distance -o d.tsv --json",
        "evaluate a release": "evaluate ../output/sample/release d.tsv --split test --json",
    },
    "of a changed release": {
        "verify a tampered release": "verify ../tampered --json",
        "diff of different ones": "diff ../output/sample/release ../changed --json",
    },
}


# ---- lines


def canonical(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def rows_of(parts: Iterable[Path]) -> Lines:
    """The rows of a table in parts, whatever the parts are and however they were written."""
    return [canonical(row) for part in parts for row in pq.read_table(part).to_pylist()]


def columns_of(part: Path) -> Lines:
    return [f"{field.name}: {field.type}" for field in pq.read_schema(part)]


def leaves(value: object, path: str = "") -> Iterator[str]:
    """A JSON value as a line for each leaf: `overall.f1: 0.5`."""
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from leaves(value[key], f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for n, item in enumerate(value):
            yield from leaves(item, f"{path}[{n}]")
    else:
        yield f"{path}: {canonical(value)}"


def without(value: Any, names: frozenset[str]) -> Any:
    """A JSON value without the members of these names, at any depth."""
    if isinstance(value, dict):
        return {name: without(it, names) for name, it in value.items() if name not in names}
    return [without(it, names) for it in value] if isinstance(value, list) else value


def lines_of_file(path: Path) -> Lines:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return [f"{len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}"]
    return text.split("\n")


# What says how a release was made, not what it holds; see the head of this file.
MADE_BY = frozenset({"agent"} | {f"gapforge:{it}" for it in ("fingerprint", "code", "packages", "models")})
MEASURED = frozenset({"seconds", "memory", "bytes"})


def provenance_lines(path: Path) -> Lines:
    return list(leaves(without(json.loads(path.read_text("utf-8")), MADE_BY)))


def croissant_lines(path: Path) -> Lines:
    described = json.loads(path.read_text("utf-8"))
    for file in described["distribution"]:
        if file["@id"] == "provenance.json":
            del file["sha256"], file["contentSize"]
    return list(leaves(described))


def sums_lines(path: Path) -> Lines:
    followed = ("  provenance.json", "  croissant.json")
    return [line for line in lines_of_file(path) if not line.endswith(followed)]


def report_lines(path: Path) -> Lines:
    text = re.sub(r'<section id="cost">.*?</section>', "", path.read_text("utf-8"), flags=re.DOTALL)
    text = re.sub(r"\b[0-9a-f]{16}\b", "…", text)
    return [line for line in text.split("\n") if '<td class="words">spacy' not in line]


NORMALISED = {
    "release/provenance.json": provenance_lines,
    "release/croissant.json": croissant_lines,
    "release/SHA256SUMS": sums_lines,
    "evaluation/report.html": report_lines,
    "evaluation/metrics.json": lambda path: list(leaves(json.loads(path.read_text("utf-8")))),
}


def stage_lines(output: Path, folder: Path) -> dict[str, Lines]:
    """Of a stage's folder: columns and rows of its table, rejects, notes, and whatever else it holds."""
    name = folder.relative_to(output).as_posix()
    parts = sorted(folder.glob("part-*.parquet"))
    found = {f"{name}: rows": rows_of(parts), f"{name}: columns": columns_of(parts[0])} if parts else {}
    if rejects := sorted(folder.glob("_rejects/part-*.parquet")):
        found[f"{name}: rejects"] = rows_of(rejects)
    for path in sorted(folder.rglob("*")):
        within = path.relative_to(folder).as_posix()
        if path.is_dir() or path in parts or path in rejects or within == "_manifest.json":
            continue
        kind = "notes" if within == "_notes.txt" else within
        found[f"{name}: {kind}"] = NORMALISED.get(f"{name}/{within}", lines_of_file)(path)
        if path.suffix == ".parquet":  # of a release
            found[f"{name}: {kind}: rows"] = rows_of([path])
    return found


# ---- what is frozen, and what differs from it


def digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def blocks(lines: Lines, size: int) -> list[Lines]:
    return [lines[at : at + size] for at in range(0, len(lines), size)]


def freeze(lines: Lines) -> Entry:
    entry: Entry = {"lines": len(lines), "sha256": digest(lines)}
    if sum(map(len, lines)) <= LONGEST_KEPT:
        return entry | {"text": lines}
    size = -(-len(lines) // MOST_MARKS)
    return entry | {"block": size, "marks": " ".join(digest(it)[:3] for it in blocks(lines, size))}


def cut(line: str | None) -> str:
    return "nothing" if line is None else line if len(line) <= WIDTH else f"{line[:WIDTH]}…"


def difference(frozen: Entry, lines: Lines) -> Lines:
    """What differs, in lines for a person; none where they are the same."""
    if frozen["sha256"] == digest(lines):
        return []
    told = [f"{frozen['lines']:,} lines -> {len(lines):,} lines"]
    if "text" in frozen:
        pairs = enumerate(itertools.zip_longest(frozen["text"], lines), 1)
        other = [f"line {n:,}: {cut(old)} -> {cut(new)}" for n, (old, new) in pairs if old != new]
        more = [f"and {len(other) - SHOWN:,} more lines"] if len(other) > SHOWN else []
        return told + other[:SHOWN] + more
    size = frozen["block"]
    marks, found = frozen["marks"].split(" "), blocks(lines, size)
    for n, (mark, block) in enumerate(itertools.zip_longest(marks, found)):
        if block is None or mark != digest(block)[:3]:
            where = f"line {n + 1:,}" if size == 1 else f"lines {n * size + 1:,} to {(n + 1) * size:,}"
            return [*told, f"the first difference is in {where}, now:", *map(cut, (block or [None])[:SHOWN])]
    return [*told, "no mark says where"]


def compare(frozen: dict[str, Entry], found: dict[str, Lines], skipped: Iterable[str]) -> dict[str, Lines]:
    """Of each entry that differs: what does. An entry under a skipped name is not looked for."""
    prefixes = tuple(f"{name}: " for name in skipped)
    told = {name: difference(frozen[name], lines) for name, lines in found.items() if name in frozen}
    told |= {name: ["is new"] for name in found if name not in frozen}
    told |= {name: ["is gone"] for name in frozen if name not in found and not name.startswith(prefixes)}
    return {name: lines for name, lines in sorted(told.items()) if lines}


# ---- running


PROGRESS = re.compile(r"^.*: (\d+ of \d+ \w+, [\d,]+ \w+, [\d,]+ a second|measuring a sample, .*)\n", re.MULTILINE)


class Workplace:
    """A folder with a copy of the sample's config and texts, fixed inputs, and a link to the published data."""

    def __init__(self, folder: Path, reference: Path) -> None:
        self.folder = folder
        self.started = time.monotonic()
        for name in ("config", "samples"):
            shutil.copytree(ROOT / "resources" / name, folder / name)
        shutil.copytree(INPUTS, folder / "inputs")
        if reference.is_dir():
            (folder / "reference").symlink_to(reference.resolve())

    def say(self, words: str) -> None:
        print(f"{time.monotonic() - self.started:5.0f} s  {words}", flush=True)

    def gapforge(self, arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        settings = {"OMP_NUM_THREADS": "1", "COLUMNS": "120", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        done = subprocess.run(
            [COMMAND, *arguments], cwd=folder, env=environment | settings, capture_output=True, encoding="utf-8"
        )
        if "Traceback" in done.stderr:
            raise SystemExit(f"gapforge {shlex.join(arguments)}\n{done.stderr}")
        return done

    def expand(self, step: str, folder: Path) -> list[str] | None:
        """The arguments of a step; none where it names reference data that are absent."""
        arguments: list[str] = []
        for word in shlex.split(step):
            if not word.startswith("../reference/"):
                arguments.append(word)
                continue
            paths = sorted((folder.parent / "reference").glob(word.removeprefix("../reference/")))
            if not paths:
                return None
            arguments += [f"../reference/{it.relative_to(folder.parent / 'reference').as_posix()}" for it in paths]
        return arguments

    def run_chain(self, group: str, chain: str, steps: dict[str, str]) -> tuple[dict[str, Lines], list[str]]:
        """What each step prints and the files that it writes, by name; and the names of skipped steps."""
        folder = self.folder / chain.replace(" ", "-").casefold()
        folder.mkdir()
        found: dict[str, Lines] = {}
        skipped: list[str] = []
        seen: set[Path] = set()
        for name, step in steps.items():
            arguments = self.expand(step, folder)
            if arguments is None:
                self.say(f"{group}/{name}: skipped, its reference data are not here")
                skipped.append(f"{group}/{name}")
                continue
            done = self.gapforge(arguments, folder)
            files = {path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")}
            found |= {f"{group}/{name}: {kind}": lines for kind, lines in self.printed(done, arguments).items()}
            for path in sorted(files - seen):
                lines = rows_of([path]) if path.suffix == ".parquet" else lines_of_file(path)
                found[f"{group}/{name}: {path.relative_to(folder).as_posix()}"] = lines
            seen |= files
            self.say(f"{group}/{name}")
        return found, skipped

    def printed(self, done: subprocess.CompletedProcess[str], arguments: list[str]) -> dict[str, Lines]:
        """What a command printed: its results, and apart from them its exit code and messages."""
        out, err = (text.replace(str(self.folder), "<folder>") for text in (done.stdout, done.stderr))
        results = out.split("\n")
        if "--json" in arguments and done.stdout:
            values = [without(json.loads(line), MEASURED) for line in results if line]
            results = [line for value in values for line in leaves(value)]
        messages = PROGRESS.sub("", err).splitlines()
        return {"printed": results, "exit code and messages": [f"exit code {done.returncode}", *messages]}

    def build_sample(self) -> dict[str, Lines]:
        self.say("building the sample, which takes a minute or more")
        done = self.gapforge(["run", "config/sample.toml", "--workers", "2"], self.folder)
        if done.returncode:
            raise SystemExit(done.stderr)
        output = self.folder / "output" / "sample"
        folders = sorted(path for path in output.iterdir() if path.is_dir() and not path.name.startswith("."))
        found: dict[str, Lines] = {}
        for folder in folders:
            found |= {f"sample/{name}": lines for name, lines in stage_lines(output, folder).items()}
            self.say(f"sample/{folder.name}")
        self.spoil_release(output / "release")
        return found

    def spoil_release(self, release: Path) -> None:
        """Two copies without the first row of a table: in `changed` its checksum is right again."""
        for name in ("tampered", "changed"):
            copy = self.folder / name
            shutil.copytree(release, copy)
            path = next(copy.glob("gap/test-*.parquet"))
            before = hashlib.sha256(path.read_bytes()).hexdigest()
            pq.write_table(pq.read_table(path).slice(1), path)
            if name == "changed":
                after = hashlib.sha256(path.read_bytes()).hexdigest()
                sums = copy / "SHA256SUMS"
                sums.write_text(sums.read_text("utf-8").replace(before, after), "utf-8")


def observe(workplace: Workplace, groups: list[str]) -> tuple[dict[str, Lines], list[str]]:
    """All entries of these groups, and the names of what was skipped."""
    found = workplace.build_sample() if "sample" in groups else {}
    chains = {"sample": SAMPLE, "published": PUBLISHED, "commands": COMMANDS}
    jobs = [(group, chain, steps) for group in groups for chain, steps in chains[group].items()]
    with ThreadPoolExecutor(2) as threads:
        results = list(threads.map(lambda job: workplace.run_chain(*job), jobs))
    for entries, _ in results:
        found |= entries
    return found, [name for _, skipped in results for name in skipped]


def in_groups(entries: dict[str, Any], groups: list[str]) -> dict[str, Any]:
    return {name: entry for name, entry in entries.items() if name.split("/")[0] in groups}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--freeze", action="store_true", help="take what is made now as the measure")
    parser.add_argument("--only", choices=GROUPS, action="append", help="may be repeated")
    parser.add_argument("--reference", type=Path, default=ROOT.parent / "shared" / "reference")
    options = parser.parse_args()
    groups = options.only or list(GROUPS)
    frozen: dict[str, Entry] = json.loads(FROZEN.read_text("utf-8")) if FROZEN.exists() else {}
    with tempfile.TemporaryDirectory(prefix="gapforge-same-") as folder:
        found, skipped = observe(Workplace(Path(folder).resolve(), options.reference), groups)
    different = compare(in_groups(frozen, groups), found, skipped)
    print()
    for name, lines in different.items():
        print(f"{name}: " + "\n    ".join(lines))
    equal = len(found.keys() & frozen.keys() - different.keys())
    print(f"\n{equal} entries equal, {len(different)} differ, {len(skipped)} steps skipped")
    if options.freeze:
        kept = {name: entry for name, entry in frozen.items() if name in found or name not in different}
        entries = kept | {name: freeze(lines) for name, lines in found.items()}
        text = ",\n".join(f"{canonical(name)}: {canonical(entries[name])}" for name in sorted(entries))
        FROZEN.write_text(f"{{\n{text}\n}}\n", "utf-8")
        print(f"frozen: {len(entries)} entries in {FROZEN.name}")
        return 0
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
