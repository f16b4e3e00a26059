"""Every baseline on GAP's development and test sets, choosing among all candidates and among the two given names.

F1 in per cent, masculine, feminine, Bias and overall, beside the paper's (Webster et al. 2018, Tables 6, 7 and 10).
Exits 1 when a bar is missed.
"""

import argparse
import sys
from pathlib import Path

from gapforge.evaluation.gap import gap_figures, gap_rows
from gapforge.evaluation.gold import ANSWERS, instances_of, read_examples, read_items
from gapforge.systems import options_of, resolve
from gapforge.systems.cues import expected
from report import REFERENCE, Report

BASELINES = ("token-distance", "topical", "syntactic", "parallelism", "parallelism-url")
# The paper's overall F1, by set and whether the two names are given.
PAPER = {
    ("development", False): {
        "random": 41.5, "token-distance": 46.4, "topical": 47.7, "syntactic": 59.7, "parallelism": 65.2,
        "parallelism-url": 69.0,
    },
    ("development", True): {
        "random": 49.0, "token-distance": 49.1, "topical": 48.8, "syntactic": 66.7, "parallelism": 69.2,
        "parallelism-url": 72.9,
    },
    ("test", False): {"parallelism": 66.9, "parallelism-url": 70.6},
}  # fmt: skip
BARS = {
    ("development", False, "parallelism"): 70,
    ("test", False, "parallelism"): 69,
    ("development", True, "parallelism"): 72,
    ("test", True, "parallelism"): 72,
    ("test", False, "ranker"): 73,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", type=Path, default=REFERENCE, help="folder of the published data")
    folder = parser.parse_args().reference / "gap"
    report = Report()
    train = [pair for name in ("development", "validation") for pair in read_examples(folder / f"gap-{name}.tsv")]
    for split in ("development", "test"):
        items = read_items(folder / f"gap-{split}.tsv", "gap")
        instances = instances_of(items, split)
        for given in (False, True):
            print(f"{split}, {'the two names given' if given else 'all candidates'}")
            chances = expected(instances, gold_two_mentions=given)
            said = {"random": dict(zip((it.id for it in instances), chances, strict=True))}
            for name in (*BASELINES, *(["ranker"] if split == "test" else [])):
                options = {"gold_two_mentions": given, "train": train}
                known = {key: value for key, value in options.items() if key in options_of(name)}
                labels = resolve(name, instances, known)
                said[name] = {it.id: ANSWERS[label] for it, label in zip(instances, labels, strict=True)}
            for name, answers in said.items():
                show(report, items, split, given, name, answers)
    for name in report.missed:
        print(f"missed: {name}")
    sys.exit(bool(report.missed))


def show(report, items, split, given, name, answers) -> None:
    figures = gap_figures(gap_rows(items, answers).sum(axis=0))
    masculine, feminine, overall = (100 * float(figures[f"{it}.f1"]) for it in ("masculine", "feminine", "overall"))
    note = f"M {masculine:.1f}, F {feminine:.1f}, Bias {float(figures['bias']):.2f}"
    published = PAPER.get((split, given), {}).get(name)
    bar = BARS.get((split, given, name))
    beside = " ".join([f"paper {published}" if published else "", f"at least {bar}" if bar else ""]).strip()
    report.line(f"  {name}", f"{overall:.1f}", note, beside, bar is None or overall >= bar)


if __name__ == "__main__":
    main()
