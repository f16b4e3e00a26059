"""Runs over novels measured: two machines of a cluster beside one, and a long run in which nothing may grow.

Both clusters are real Dask workers, each a process of its own on loopback, and take the same novels in turn in one
call; the run's own start and the model's loading count. The long run reads the novels again and again under other ids,
and once a quarter as often: memory of the largest process, time, and what is left open or running are compared. Exits 1
when a bar is missed; the speed of two is worth something where two cores are free.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clusters import cluster
from report import REFERENCE, Report

GAPFORGE = Path(sys.executable).parent / "gapforge"
SPEED_UP = 1.7
GROWTH = 1.2  # of memory, in four times the text
LINEAR = 4.4  # times the seconds in four times the text, at most
WORDS = 20_000_000
CONFIG = """[candidates]
gap = [{gap}]
[corpora.novels]
inputs = [{{ path = "novels" }}]
shards = {shards}
"""


def lay_out(folder: Path, novels: list[Path], copies: int, gap: bool) -> int:
    """A config and so many copies of each novel, each of which says which it is; how many words there are."""
    (folder / "novels").mkdir(parents=True)
    words = 0
    for novel in novels:
        text = novel.read_text("utf-8")
        words += copies * len(text.split())
        for copy in range(copies):
            (folder / "novels" / f"{novel.stem}-{copy:03}.txt").write_text(f"Copy {copy}.\n\n{text}", "utf-8")
    config = CONFIG.format(gap='"*"' if gap else "", shards=max(24, 12 * copies))
    (folder / "c.toml").write_text(config, "utf-8")
    return words


def run(folder: Path, *options: str) -> tuple[float, int]:
    """Seconds by the clock, and the memory in KiB of the largest process."""
    watch = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    started = time.monotonic()
    command = [sys.executable, "-c", watch, GAPFORGE, "run", "c.toml", *options]
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return time.monotonic() - started, int(done.stdout)


def sums(folder: Path) -> dict[str, str]:
    parts = sorted((folder / "output").rglob("*.parquet"))
    return {it.relative_to(folder).as_posix(): hashlib.sha256(it.read_bytes()).hexdigest() for it in parts}


def compare(novels: list[Path], work: Path, report: Report) -> None:
    """The novels by one worker and by two: seconds, and the same bytes."""
    seconds, found = {}, {}
    for workers in (1, 2):
        folder = work / f"{workers}"
        words = lay_out(folder, novels, 1, gap=True)
        with cluster(work / f"cluster-{workers}", workers) as machines:
            seconds[workers], _ = run(folder, "--engine", machines.engine)
        found[workers] = sums(folder)
        report.line(f"{workers} worker{'s' * (workers > 1)}: seconds", f"{seconds[workers]:.1f}", f"{words:,} words")
    report.at_least("two workers beside one", seconds[1] / seconds[2], SPEED_UP, "times as fast")
    same = found[1] == found[2]
    report.line("the same bytes", "yes" if same else "no", f"{len(found[1])} files", "yes", same)


def processes() -> set[str]:
    return {it.name for it in Path("/proc").iterdir() if it.name.isdigit()}


def soak(novels: list[Path], work: Path, words: int, report: Report) -> None:
    """A quarter of the words and all of them: memory, seconds, and what is left behind."""
    once = sum(len(it.read_text("utf-8").split()) for it in novels)
    copies = -(-words // once)
    measured = {}
    for name, many in (("quarter", -(-copies // 4)), ("all", -(-copies // 4) * 4)):
        folder = work / name
        count = lay_out(folder, novels, many, gap=False)
        measured[name] = run(folder)
        seconds, memory = measured[name]
        told = f"{count / seconds:,.0f} words a second, {memory // 1024} MiB"
        report.line(f"long run, {count:,} words: seconds", f"{seconds:.1f}", told)
        strays = [it for it in folder.rglob(".*") if it.name not in (".lock", ".checksums.json", ".code.json")]
        report.at_most(f"long run, {name}: files left behind", len(strays), 0)
    (quarter, small), (whole, large) = measured["quarter"], measured["all"]
    report.at_most("memory, four times the text", large / small, GROWTH, f"{small // 1024} and {large // 1024} MiB")
    report.at_most("seconds, four times the text", whole / quarter, LINEAR)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", type=Path, default=REFERENCE)
    parser.add_argument("--words", type=int, default=WORDS, help="of the long run; 0 leaves it out")
    arguments = parser.parse_args()
    novels = sorted((arguments.reference / "novels").glob("*.txt"))
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        before = processes()
        compare(novels, Path(name), report)
        if arguments.words:
            soak(novels, Path(name), arguments.words, report)
        left = [it for it in processes() - before if "gapforge" in command_of(it)]
        report.at_most("processes left behind", len(left), 0)
    sys.exit(f"missed: {', '.join(report.missed)}" if report.missed else 0)


def command_of(pid: str) -> str:
    try:
        return (Path("/proc") / pid / "cmdline").read_text("utf-8", "replace")
    except OSError:
        return ""


if __name__ == "__main__":
    main()
