"""Wikipedia ingestion beside wikiextractor on one dump: CPU seconds, leftovers of markup, documents, memory.

Both programs are run in turn on the same machine, so that what else runs there slows both alike; the median of
the runs counts. The whole commands are judged; our start-up, paid once and not per page, is shown beside. Exits 1
when a bar is missed.
"""

import argparse
import bz2
import json
import multiprocessing
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT.parent / "shared" / "reference" / "wikipedia" / "enwiki-sample-pages-articles.xml.bz2"

SPEED = 2.0
LEFTOVERS = 5.0
MEMORY = 1.1
REPEATS = 10

MARKUP = re.compile(r"\[\[|\]\]|\{\{|\}\}|\{\||\|\}|''+|<ref|</?[a-z]+>|&[a-z]+;|thumb\||\|\|")


def measure(command: list[str]) -> tuple[float, int]:
    """CPU seconds and peak memory in KiB of a command with all its processes; raises where it fails."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{output.read().decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def repeat_dump(dump: Path, times: int, path: Path) -> None:
    """Write a multistream dump with the pages of another several times over, each time with ids of their own."""
    data = dump.read_bytes()
    xml = bz2.decompress(data) if data.startswith(b"BZh") else data
    begin, end = xml.index(b"<page>"), xml.rindex(b"</mediawiki>")
    with path.open("wb") as file:
        file.write(bz2.compress(xml[:begin]))
        for number in range(times):
            pages = re.sub(rb"(</ns>\s*<id>)", rb"\g<1>%03d" % (number + 1), xml[begin:end])
            file.write(bz2.compress(pages))
        file.write(bz2.compress(xml[end:]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dump", nargs="?", type=Path, default=SAMPLE, help="a MediaWiki dump, plain or bz2")
    parser.add_argument("--wikiextractor", default="wikiextractor", help="the program to compare with (3.1.0)")
    parser.add_argument("--gapforge", default=str(Path(sys.executable).parent / "gapforge"), help="our program")
    parser.add_argument("--runs", type=int, default=3, help="runs of each program")
    arguments = parser.parse_args()
    if not arguments.dump.exists():
        parser.error(f"{arguments.dump} does not exist; name a dump")

    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        ours: list[float] = []
        theirs: list[float] = []
        for run in range(arguments.runs):
            documents = work / f"{run}.jsonl"
            ours.append(measure([arguments.gapforge, "documents", str(arguments.dump), "-o", str(documents)])[0])
            other = [arguments.wikiextractor, "--json", "--processes", "1", "-o", str(work / f"{run}")]
            theirs.append(measure([*other, str(arguments.dump)])[0])
        start = statistics.median(measure([arguments.gapforge, "--version"])[0] for _ in range(arguments.runs))

        peaks = []
        for times in (1, REPEATS):
            dump = work / f"times{times}.xml.bz2"
            # A process inherits the peak of the one that starts it, so that this one must stay small.
            maker = multiprocessing.get_context("spawn").Process(target=repeat_dump, args=(arguments.dump, times, dump))
            maker.start()
            maker.join()
            peaks.append(measure([arguments.gapforge, "documents", str(dump), "-o", str(work / "times.jsonl")])[1])

        texts = [json.loads(line)["text"] for line in documents.read_text("utf-8").split("\n") if line]

    words = sum(len(text.split()) for text in texts)
    leftovers = sum(len(MARKUP.findall(text)) for text in texts) / words * 100_000
    mine, other_seconds = statistics.median(ours), statistics.median(theirs)
    gross, net = other_seconds / mine, other_seconds / max(0.01, mine - start)
    memory = peaks[1] / peaks[0]
    rows = [
        ("documents", f"{len(texts)}", f"{words} words", ""),
        ("CPU seconds, gapforge", f"{mine:.2f}", f"of them {start:.2f} to start", ""),
        ("CPU seconds, wikiextractor", f"{other_seconds:.2f}", "", ""),
        ("speed", f"{gross:.2f}x", f"{net:.2f}x without the start", f"at least {SPEED:g}x"),
        ("leftovers per 100,000 words", f"{leftovers:.1f}", "", f"at most {LEFTOVERS:g}"),
        ("peak memory, dump once", f"{peaks[0] / 1024:.0f} MiB", "", ""),
        (f"peak memory, {REPEATS} times", f"{peaks[1] / 1024:.0f} MiB", f"{memory:.2f}x", f"at most {MEMORY:g}x"),
    ]
    for name, value, note, bar in rows:
        print(f"{name:<28}{value:>10}   {note:<26}{bar}".rstrip())
    missed = [
        name
        for name, met in (
            ("speed", gross >= SPEED),
            ("leftovers", leftovers <= LEFTOVERS),
            ("memory", memory <= MEMORY),
        )
        if not met
    ]
    if missed:
        print(f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
