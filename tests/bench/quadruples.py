"""Quadruples measured on published data: how many, how equal to the published ones and why not, and how fast.

A word is compared with its published fellow place by place; places where either side has a gendered word do not count
as differences outside of them. A difference is set down to them where `gapforge audit` finds an error in the published
quadruple, which takes our rules for right. Exits 1 when a bar is missed.
"""

import argparse
import re
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from gapforge.counterfactuals.audit import TOKEN, Group, audit, audit_cells, differences, quadruples_in
from gapforge.counterfactuals.cast import cast, with_repeats
from gapforge.counterfactuals.minimal import find_fault, make_checked
from gapforge.counterfactuals.variants import COUNTERFACTUALS, Quadruple, Scene, make_quadruple
from gapforge.counterfactuals.words import exchange_words, is_gendered
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.records import Reject
from gapforge.storage.tsv import Row, read_rows
from report import REFERENCE, Report

COUNTER_GAP = Path("counter-gap") / "counter-gap-half.tsv"
COMPLETE = 0.88
CONTROL = 0.93
SWAPS = 0.93
ORDER = 0.95
PER_SECOND = 1_000

PRONOUNS = frozenset(["he", "him", "his", "she", "her", "hers", "himself", "herself"])


def plain(text: str) -> str:
    """A text with straight apostrophes: the published file has straightened some of its own."""
    return text.translate(str.maketrans("’‘", "''"))


def words_of(text: str) -> list[str]:
    return TOKEN.findall(plain(text))


def equal_outside_gendered(ours: str, theirs: str) -> bool:
    left, right = words_of(ours), words_of(theirs)
    return len(left) == len(right) and all(
        a == b or may_differ(a) or may_differ(b) for a, b in zip(left, right, strict=True)
    )


def may_differ(word: str) -> bool:
    key = word.lower()
    return key in PRONOUNS or is_gendered(key)


def quadruple_of(row: Row) -> tuple[Scene, Quadruple] | str:
    scene = cast(row, DEFAULT_MODEL)
    if isinstance(scene, Reject):
        return scene.reason
    quadruple, fault = make_checked(scene, DEFAULT_MODEL)
    return fault or (scene, quadruple)


def speed_of(scenes: list[Scene]) -> float:
    """Quadruples a second of CPU time, made and checked, after their sentences were parsed."""
    words = [exchange_words(scene.text, DEFAULT_MODEL) for scene in scenes]
    rounds = 5
    started = time.process_time()
    for _ in range(rounds):
        for scene, edits in zip(scenes, words, strict=True):
            find_fault(make_quadruple(scene, edits))
    return rounds * len(scenes) / (time.process_time() - started)


@dataclass
class Tally:
    """Our quadruples beside the published ones."""

    originals: int = 0
    scenes: list[Scene] = field(default_factory=list)
    control: int = 0
    swaps: int = 0
    order: int = 0
    rejects: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)

    def take(self, group: Group, repeated: bool) -> None:
        self.originals += 1
        found = "duplicate instance" if repeated else quadruple_of(group["original"])
        if isinstance(found, str):
            self.rejects[found] += 1
            return
        scene, quadruple = found
        self.scenes.append(scene)
        ours = {variant: quadruple[variant].text for variant in COUNTERFACTUALS}
        theirs = {variant: group[variant].text for variant in COUNTERFACTUALS}
        control = plain(ours["control"]) == plain(theirs["control"])
        straight = all(equal_outside_gendered(ours[it], theirs[it]) for it in ("swap-1", "swap-2"))
        crossed = all(
            equal_outside_gendered(ours[it], theirs[that]) for it, that in (("swap-1", "swap-2"), ("swap-2", "swap-1"))
        )
        self.control += control
        self.swaps += straight or crossed
        self.order += straight
        if any(words_of(ours[it]) != words_of(theirs[it]) for it in COUNTERFACTUALS):
            self.causes.update(causes_of(group, crossed and not straight, control and straight))


def causes_of(group: Group, reordered: bool, equal: bool) -> list[str]:
    """What sets a quadruple apart from the published one: errors of theirs, or a choice of ours."""
    if reordered:
        return ["ours: the other order"]
    kinds = {difference.kind for _, difference in differences(group, DEFAULT_MODEL)}
    kinds = kinds or {finding.kind for row in group.values() for finding in audit_cells(row)} - {"possessive in name"}
    if kinds:
        return [f"theirs: {kind}" for kind in sorted(kinds)]
    return ["either: another gendered word, as good" if equal else "ours: other people or other mentions"]


def show_findings(report: Report, rows: list[Row]) -> None:
    print("\nfindings of the audit in the published file, and quadruples that hold them")
    holders: dict[str, list[str]] = defaultdict(list)
    for finding in audit(rows, DEFAULT_MODEL):
        holders[finding.kind].append(re.sub(r"-(?:control|swap-\d)$", "", finding.id))
    for kind, ids in sorted(holders.items(), key=lambda it: -len(it[1])):
        report.line(f"  {kind}", str(len(ids)), f"in {len(set(ids))}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--reference", type=Path, default=REFERENCE, help="the folder of the published data")
    path = parser.parse_args().reference / COUNTER_GAP
    if not path.exists():
        print(f"{path} is absent: nothing to measure")
        return 0
    report = Report()
    rows = list(read_rows(path))
    tally = Tally()
    repeated = {row.id for row, kind, _ in with_repeats(rows) if kind}
    for group in quadruples_in(rows):
        tally.take(group, group["original"].id in repeated)
    count = len(tally.scenes)
    report.at_least("complete quadruples", count / tally.originals, COMPLETE, f"of {tally.originals}")
    report.at_least("control equal, apostrophes aside", tally.control / count, CONTROL, f"of {count}")
    report.at_least("swaps equal but for gendered words", tally.swaps / count, SWAPS, f"of {count}")
    report.at_least("of these in the published order", tally.order / max(1, tally.swaps), ORDER, f"of {tally.swaps}")
    rate = speed_of(tally.scenes)
    report.line("quadruples a second", f"{rate:.0f}", "made and checked", f"at least {PER_SECOND}", rate >= PER_SECOND)
    print("\noriginals without a quadruple")
    for reason, number in tally.rejects.most_common():
        report.line(f"  {reason}", str(number))
    print("\nquadruples that differ from the published ones, by cause (a quadruple may have several)")
    for cause, number in sorted(tally.causes.items(), key=lambda it: (it[0].partition(":")[0], -it[1])):
        report.line(f"  {cause}", str(number))
    show_findings(report, rows)
    if report.missed:
        print(f"missed: {', '.join(report.missed)}")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
