"""Counterfactual augmentation measured: WinoBias swapped, names matched, and how fast CoNLL is augmented.

The corpus is made of the published novels, tagged and with their names found, as often as it takes for two sizes, of
which the larger is twice the smaller. Speed counts the tokens that are read; peak memory is that of the whole command.
Exits 1 when a bar is missed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gapforge.counterfactuals.matching import SIDES, match_names, total_cost
from gapforge.counterfactuals.words import swap_text
from gapforge.nlp.reading import DEFAULT_MODEL, load_model
from gapforge.nlp.sentences import split_sentences
from gapforge.storage.conll import read_documents
from gapforge.winobias.published import Sentence, read_sentences
from report import REFERENCE, Report

TOKENS = 500_000  # of the smaller corpus
PER_MINUTE = 1_000_000
GROWTH = 1.2
SWAPPED = 0.98
PUBLISHED = {"always": (18_506, 8_103.72), "mostly": (568, 903.88)}  # Counter-GAP's own mapping
# A process is charged with what the one that started it held; a small one stands between.
WATCH = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
PASSAGE = 60_000  # characters of each novel


def outline(it: Sentence) -> str:
    """The sentence without its marked pronouns."""
    text = it.text
    for span in sorted(it.pronouns, key=lambda span: -span.start):
        text = f"{text[: span.start]}*{text[span.end :]}"
    return " ".join(text.split())


def swap_winobias(folder: Path, report: Report) -> None:
    """Pro sentences swapped against the anti ones, where the two differ in marked pronouns alone."""
    sentences = read_sentences(folder)
    anti = {it.pair: it for it in sentences if it.marks.condition == "anti"}
    pairs = [(it, anti[it.pair]) for it in sentences if it.marks.condition == "pro" and it.pair in anti]
    alike = [(pro, other) for pro, other in pairs if outline(pro) == outline(other)]
    same = sum(swap_text(pro.text, DEFAULT_MODEL) == other.text for pro, other in alike)
    report.at_least("WinoBias, pro swapped is anti", same / len(alike), SWAPPED, f"{same} of {len(alike)}")


def match(report: Report) -> None:
    started = time.monotonic()
    pairs = match_names()
    report.line("names matched: seconds", f"{time.monotonic() - started:.1f}", "", "aim 60, at most 600")
    for kind in SIDES:
        wanted, published = PUBLISHED[kind]
        count, cost = sum(it.kind == kind for it in pairs), total_cost(pairs, kind)
        note = f"{count:,} pairs"
        met = count == wanted and cost <= published
        report.line(f"names {kind}: cost", f"{cost:,.2f}", note, f"at most {published:,.2f} for {wanted:,}", met)


def tagged_documents(folder: Path) -> list[list[list[tuple[str, str, str]]]]:
    """Sentences of each novel as words with tags and named entities."""
    nlp = load_model(DEFAULT_MODEL)
    found = []
    for path in sorted(folder.glob("*.txt")):
        text = path.read_text("utf-8")[20_000 : 20_000 + PASSAGE]
        sentences = [" ".join(text[it.start : it.end].split()) for it in split_sentences(text)]
        with nlp.select_pipes(disable=[it for it in ("parser", "lemmatizer") if it in nlp.pipe_names]):
            found.append([[row_of(token) for token in doc if not token.is_space] for doc in nlp.pipe(sentences)])
    return found


def row_of(token) -> tuple[str, str, str]:
    begins = f"({token.ent_type_}" if token.ent_iob_ == "B" else ""
    following = token.nbor(1) if token.i + 1 < len(token.doc) else None
    ends = ")" if token.ent_type_ and (following is None or following.ent_iob_ != "I") else ""
    return token.text, token.tag_, f"{begins}*{ends}"


def write_corpus(path: Path, documents: list[list[list[tuple[str, str, str]]]], tokens: int) -> int:
    """As many documents as it takes, each under an id of its own; how many tokens there are comes back."""
    written = number = 0
    with path.open("w", encoding="utf-8") as file:
        while written < tokens:
            name = f"nw/novels/{number:05}"
            file.write(f"#begin document ({name}); part 000\n")
            for sentence in documents[number % len(documents)]:
                for place, (word, tag, entity) in enumerate(sentence):
                    file.write(
                        f"{name}   0   {place:>3}   {word:>20}   {tag:>5}   *   -   -   -   -   {entity:>12}   -\n"
                    )
                written += len(sentence)
                file.write("\n")
            file.write("#end document\n")
            number += 1
    return written


def measure(corpus: Path, method: str) -> tuple[float, float]:
    """Seconds and peak memory in MiB."""
    program = Path(sys.executable).parent / "gapforge"
    output = corpus.with_suffix(f".{method}")
    started = time.monotonic()
    command = [str(program), "augment", "--method", method, str(corpus), "-o", str(output), "--json"]
    said = subprocess.run([sys.executable, "-c", WATCH, *command], stdout=subprocess.PIPE, check=True, text=True).stdout
    summary, peak = said.splitlines()
    seconds = time.monotonic() - started
    assert sum(1 for _ in read_documents(output)) == json.loads(summary)["documents"]
    output.unlink()
    return seconds, int(peak) / 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--reference", type=Path, default=REFERENCE)
    reference = parser.parse_args().reference
    report = Report()
    swap_winobias(reference / "winobias", report)
    match(report)
    documents = tagged_documents(reference / "novels")
    with tempfile.TemporaryDirectory() as folder:
        corpora = []
        for times in (1, 2):
            corpus = Path(folder) / f"{times}.conll"
            corpora.append((corpus, write_corpus(corpus, documents, TOKENS * times)))
        for method in ("swap", "a-cda", "n-cda"):
            peaks = []
            for corpus, _ in corpora:
                seconds, peak = measure(corpus, method)
                peaks.append(peak)
            tokens = corpora[-1][1]
            speed = 60 * tokens / seconds
            note = f"{tokens:,} tokens in {seconds:.0f} s"
            bar = f"at least {PER_MINUTE:,}"
            report.line(f"{method}: tokens a minute", f"{speed:,.0f}", note, bar, speed >= PER_MINUTE)
            growth = peaks[1] / peaks[0]
            note = f"{peaks[0]:.0f} and {peaks[1]:.0f} MiB"
            report.line(
                f"{method}: memory, twice the size", f"{growth:.2f}x", note, f"at most {GROWTH}x", growth <= GROWTH
            )
    sys.exit(f"missed: {', '.join(report.missed)}" if report.missed else 0)


if __name__ == "__main__":
    main()
