"""How far annotators agree: per cent, Fleiss' kappa, Krippendorff's alpha (nominal).

Each function takes the votes on every item, label to number. What cannot be computed is None and shown as
"undefined": where everybody gave one label to everything, agreement by chance is complete, and kappa is 0 / 0.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.records import Label

Votes = Mapping[Label, int]


@dataclass(frozen=True, slots=True)
class Agreement:
    """`percent` is the mean share of annotators who gave the commonest label (Counter-GAP 2.3, footnote 8).

    `full`, `most` and `none` count the items on which all, more than half, or no more agree (GAP 3.2). Kappa needs the
    same number of votes on every item: `kappa_items` are those that have as many as were asked for.
    """

    items: int
    judgements: int
    percent: float | None
    full: int
    most: int
    none: int
    kappa: float | None
    kappa_items: int
    alpha: float | None


def agreement_of(ballots: Iterable[Votes], annotators: int) -> Agreement:
    voted = [votes for votes in ballots if sum(votes.values())]
    shared = [votes for votes in voted if sum(votes.values()) > 1]
    tops = [(max(votes.values()), sum(votes.values())) for votes in shared]
    even = [votes for votes in voted if sum(votes.values()) == annotators]
    return Agreement(
        items=len(voted),
        judgements=sum(sum(votes.values()) for votes in voted),
        percent=sum(top / total for top, total in tops) / len(tops) if tops else None,
        full=sum(top == total for top, total in tops),
        most=sum(total > top > total / 2 for top, total in tops),
        none=sum(top <= total / 2 for top, total in tops),
        kappa=fleiss_kappa(even),
        kappa_items=len(even),
        alpha=krippendorff_alpha(voted),
    )


def fleiss_kappa(items: Sequence[Votes]) -> float | None:
    """Fleiss' kappa; ValueError where the items have different numbers of votes."""
    sizes = {sum(votes.values()) for votes in items}
    if len(sizes) > 1:
        raise ValueError(f"Fleiss' kappa needs the same number of votes on every item, found {sorted(sizes)}")
    size = next(iter(sizes), 0)
    if size < 2:
        return None
    totals = totals_of(items)
    by_chance = sum((count / (size * len(items))) ** 2 for count in totals.values())
    pairs = size * (size - 1)
    observed = sum(sum(n * (n - 1) for n in votes.values()) / pairs for votes in items) / len(items)
    return (observed - by_chance) / (1 - by_chance) if len(totals) > 1 else None


def krippendorff_alpha(items: Iterable[Votes]) -> float | None:
    """Krippendorff's alpha for nominal labels; an item with a single vote, which nothing agrees with, is left out."""
    pairable = [votes for votes in items if sum(votes.values()) > 1]
    totals = totals_of(pairable)
    values = sum(totals.values())
    if len(totals) < 2:
        return None
    disagreement = 0.0
    for votes in pairable:
        size = sum(votes.values())
        disagreement += sum(n * (size - n) for n in votes.values()) / (size - 1)
    expected = sum(n * (values - n) for n in totals.values()) / (values - 1)
    return 1 - disagreement / expected


def totals_of(items: Iterable[Votes]) -> Counter[Label]:
    totals: Counter[Label] = Counter()
    for votes in items:
        totals.update(votes)
    return +totals


def describe(found: Agreement) -> list[str]:
    """The figures in words, for a report."""
    shared = found.full + found.most + found.none
    if not shared:
        return [f"{found.judgements:,} judgements, no two of them on one item: agreement undefined"]
    return [
        f"{found.judgements:,} judgements on {found.items:,} items; of {shared:,} with two or more all agree on "
        f"{found.full:,}, most on {found.most:,}, and {found.none:,} have no majority",
        f"agreement {shown(found.percent)}, Fleiss' kappa {shown(found.kappa)} (on {found.kappa_items:,} items), "
        f"Krippendorff's alpha {shown(found.alpha)}",
    ]


def shown(figure: float | None) -> str:
    return "undefined" if figure is None else f"{figure:.3f}"
