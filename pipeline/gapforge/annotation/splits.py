"""Development, validation and test: a page or book is in one of them only.

A model that was tuned on one half of an article would be tested on the other. The proportions are GAP's own
(Webster et al. 2018, 4.1).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

from gapforge.draws import draw_key
from gapforge.records import Gender, Label, Split

SPLITS: tuple[Split, ...] = get_args(Split)

Page = tuple[str, str]  # corpus and document


class Entry(NamedTuple):
    """What the splits need to know of an example."""

    page: Page
    gender: Gender
    label: Label


@dataclass(frozen=True, slots=True)
class Shares:
    """How the examples are shared out; the numbers of contexts in GAP's own files (4.1)."""

    development: int = 2000
    validation: int = 454
    test: int = 2000

    def __post_init__(self) -> None:
        for split in SPLITS:
            if self.of(split) < 0:
                raise ValueError(f"{split} must be at least 0, found {self.of(split)}")
        if not any(map(self.of, SPLITS)):
            raise ValueError("development, validation and test are all 0; raise one of them")

    def of(self, split: Split) -> int:
        return {"development": self.development, "validation": self.validation, "test": self.test}[split]


# What a split should hold its share of: both genders alike, counted in whole examples, and each label of each.
Trait = tuple[Gender] | tuple[Gender, Label]
Kind = tuple[tuple[Trait, int], ...]  # all that matters of a page: how many examples of each trait
ROUNDING = 1e-6  # what is less than that is no gain
GENDER_WEIGHT = 100  # an example too many of a gender is worse than any mixture of labels


def split_pages(entries: Iterable[Entry], shares: Shares, seed: int) -> dict[Page, Split]:
    """A split for each page, so that every split has its share of each gender and label, as far as whole pages allow.

    Pages with the same examples are alike to this aim, so it is decided how many of each kind a split gets; which
    ones is drawn by lot. The kinds with most examples are placed first, while there is room; then single pages are
    moved or exchanged as long as that brings the splits nearer to their shares.
    """
    traits: defaultdict[Page, Counter[Trait]] = defaultdict(Counter)
    for page, gender, label in entries:
        traits[page].update([(gender,), (gender, label)])
    kinds: defaultdict[Kind, list[Page]] = defaultdict(list)
    for page, counts in traits.items():
        kinds[tuple(sorted(counts.items()))].append(page)
    wanted = wanted_of(traits.values(), shares)
    dealt = improve(deal(kinds, wanted), wanted)
    chosen: dict[Page, Split] = {}
    for kind, pages in kinds.items():
        pages.sort(key=lambda page: draw_key(seed, "split", "/".join(page)))
        turns = [each for each in SPLITS for _ in range(dealt[each][kind])]
        chosen.update(zip(pages, turns, strict=True))
    return chosen


Wanted = dict[Split, dict[Trait, float]]
Dealt = dict[Split, Counter[Kind]]


def wanted_of(pages: Iterable[Counter[Trait]], shares: Shares) -> Wanted:
    totals: Counter[Trait] = Counter()
    for page in pages:
        totals.update(page)
    open_splits = [each for each in SPLITS if shares.of(each)]
    whole = sum(map(shares.of, open_splits))
    wanted: Wanted = {each: {} for each in open_splits}
    for trait, count in totals.items():
        exact = {each: count * shares.of(each) / whole for each in open_splits}
        # Genders in whole numbers, so that both get the same; what rounding leaves goes to the largest remainders.
        if len(trait) == 1:
            rest = count - sum(map(int, exact.values()))
            favoured = sorted(open_splits, key=lambda each: int(exact[each]) - exact[each])[:rest]
            exact = {each: float(int(exact[each]) + (each in favoured)) for each in open_splits}
        for each in open_splits:
            wanted[each][trait] = exact[each]
    return wanted


def deal(kinds: Mapping[Kind, Sequence[Page]], wanted: Wanted) -> Dealt:
    dealt: Dealt = {each: Counter() for each in SPLITS}
    lacks = {each: dict(wanted[each]) for each in wanted}
    for kind in sorted(kinds, key=lambda kind: (-sum(count for _, count in kind), kind)):
        for _ in kinds[kind]:
            best = min(wanted, key=lambda each: change(lacks[each], kind, 1))
            dealt[best][kind] += 1
            give(lacks[best], kind, 1)
    return dealt


def improve(dealt: Dealt, wanted: Wanted) -> Dealt:
    """Move a page, or exchange two, as long as that helps."""
    lacks = {each: dict(wanted[each]) for each in wanted}
    for each in wanted:
        for kind, count in dealt[each].items():
            give(lacks[each], kind, count)
    moves = [(source, target) for source in wanted for target in wanted if source != target]
    improved = True
    while improved:
        improved = False
        for source, target in moves:
            for kind in sorted(dealt[source]):
                back: list[Kind] = [(), *sorted(it for it in dealt[target] if dealt[target][it])]
                gains = {it: gain_of(lacks, source, target, net(kind, it)) for it in back}
                best = max(gains, key=lambda it: gains[it])
                if not dealt[source][kind] or gains[best] < ROUNDING:
                    continue
                improved = True
                for each, sign in ((target, 1), (source, -1)):
                    dealt[each][kind] += sign
                    if best:
                        dealt[each][best] -= sign
                    give(lacks[each], net(kind, best), sign)
    return dealt


def gain_of(lacks: Mapping[Split, Mapping[Trait, float]], source: Split, target: Split, moved: Kind) -> float:
    """How much nearer both splits get to their shares."""
    return -change(lacks[target], moved, 1) - change(lacks[source], moved, -1)


def net(given: Kind, taken: Kind) -> Kind:
    counts = dict(given)
    for trait, count in taken:
        counts[trait] = counts.get(trait, 0) - count
    return tuple((trait, count) for trait, count in counts.items() if count)


def change(lacks: Mapping[Trait, float], kind: Kind, sign: int) -> float:
    """How much farther from its share a split gets by a page more (sign 1) or less (sign -1), in squares."""
    total = 0.0
    for trait, count in kind:
        weight = GENDER_WEIGHT if len(trait) == 1 else 1
        total += weight * ((lacks[trait] - sign * count) ** 2 - lacks[trait] ** 2)
    return total


def give(lacks: dict[Trait, float], kind: Kind, times: int) -> None:
    for trait, count in kind:
        lacks[trait] -= times * count
