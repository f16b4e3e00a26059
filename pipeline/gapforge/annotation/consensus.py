"""What most annotators said, and which instances stay (GAP 3.2; Counter-GAP 2.2 and 2.3).

Counter-GAP takes the majority for each of the two names by itself, which makes "neither" of three annotators who all
disagree. Here, as in GAP, most annotators must agree on the answer; such an instance has no consensus.

How far annotators agree: per cent, Fleiss' kappa, Krippendorff's alpha (nominal).

Each function takes the votes on every item, label to number. What cannot be computed is None and shown as
"undefined": where everybody gave one label to everything, agreement by chance is complete, and kappa is 0 / 0.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import get_args

from gapforge.annotation.splits import Shares
from gapforge.draws import draw_key
from gapforge.errors import ConfigError
from gapforge.records import (
    OTHER,
    Candidate,
    Gender,
    Judgement,
    Label,
    LabelledInstance,
    QuadrupleInstance,
    Question,
    Reject,
    Standard,
    Variant,
    fields_of,
)

VARIANTS = set(get_args(Variant))


@dataclass(frozen=True, slots=True)
class ConsensusSettings:
    """The `[consensus]` section: how many annotators each question is put to, how many of them must find a text against
    common sense for its quadruple to go, how the splits share the GAP examples, and the seed of all lots."""

    annotators: int = 3
    contradictions: int = 1
    splits: Shares = Shares()
    seed: int = 0

    def __post_init__(self) -> None:
        if self.annotators < 1 or self.annotators % 2 == 0:
            raise ValueError(f"annotators must be odd, so that most of them can agree, found {self.annotators}")
        if self.contradictions < 1:
            raise ValueError(f"contradictions must be at least 1, found {self.contradictions}")


def asked_of(annotators: int) -> ConsensusSettings:
    """The settings for so many annotators, named on the command line; ConfigError where so many cannot decide."""
    try:
        return ConsensusSettings(annotators=annotators)
    except ValueError as error:
        raise ConfigError(str(error)) from error


@dataclass(slots=True)
class Ballot:
    """All that was said of one instance."""

    votes: Counter[Label] = field(default_factory=Counter)
    contradictions: list[str] = field(default_factory=list)
    standard: Standard = "gold"

    @property
    def agreement(self) -> float:
        """The share of the commonest label."""
        return max(self.votes.values()) / self.votes.total()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The label that most annotators gave, or why there is none."""

    label: Label | None
    reason: str
    agreement: float
    standard: Standard


def collect(judgements: Iterable[Judgement]) -> dict[str, Ballot]:
    """The ballots by instance; questions of known answer tested the annotators and are no data."""
    ballots: dict[str, Ballot] = {}
    for judgement in judgements:
        if judgement.known:
            continue
        ballot = ballots.setdefault(judgement.instance_id, Ballot())
        ballot.votes[judgement.label] += 1
        if judgement.contradiction:
            ballot.contradictions.append(judgement.contradiction)
        if judgement.standard == "silver":
            ballot.standard = "silver"
    return ballots


def verdict_on(ballot: Ballot | None, annotators: int) -> Verdict:
    """More than half of those who were asked must agree; where more answered than were asked, more than half of them.

    So two votes that agree decide among three, whatever the third would have been, and two that differ do not.
    """
    if ballot is None:
        return Verdict(None, "no judgement", 0.0, "gold")
    total = ballot.votes.total()
    label, most = ballot.votes.most_common(1)[0]
    needed = max(annotators, total) // 2 + 1
    if most < needed:
        reason = "no consensus" if total >= annotators else "too few judgements"
        return Verdict(None, reason, ballot.agreement, ballot.standard)
    return Verdict(label, "", ballot.agreement, ballot.standard)


@dataclass(frozen=True, slots=True)
class Consensus:
    """The label that most annotators gave to an instance, or the reason why there is none."""

    instance_id: str
    label: Label | None
    reason: str
    agreement: float
    votes: list[str]
    contradictions: list[str]
    standard: Standard


def consensus_on(questions: Iterable[Question], ballots: Mapping[str, Ballot], annotators: int) -> Iterator[Consensus]:
    """What most annotators said of each question of unknown answer, in order."""
    standard = standard_of(ballots)
    for question in questions:
        if question.answer:
            continue
        ballot = ballots.get(question.instance_id)
        verdict = verdict_on(ballot, annotators)
        votes = [f"{label}: {count}" for label, count in sorted(ballot.votes.items())] if ballot else []
        remarks = ballot.contradictions if ballot else []
        yield Consensus(
            question.instance_id, verdict.label, verdict.reason, verdict.agreement, votes, remarks, standard
        )


def standard_of(ballots: Mapping[str, Ballot]) -> Standard:
    """Silver where resolvers have voted on any instance."""
    return "silver" if any(it.standard == "silver" for it in ballots.values()) else "gold"


def judge_gap(candidate: Candidate, ballots: Mapping[str, Ballot], annotators: int) -> Verdict:
    """GAP leaves out what has no consensus, and the labels Both and Not sure (3.2)."""
    verdict = verdict_on(ballots.get(candidate.id), annotators)
    if verdict.label in ("both", "not sure"):
        return Verdict(None, f"label {verdict.label}", verdict.agreement, verdict.standard)
    return verdict


def judge_quadruple(
    four: Sequence[QuadrupleInstance], ballots: Mapping[str, Ballot], settings: ConsensusSettings
) -> Verdict:
    """One verdict on four instances: all must get the same answer by position, and none may contradict common sense.

    The names stand in the same places in all four, so the same position is the same label. A pronoun that is both
    names at once is not ambiguous; the published set holds none.
    """
    verdicts = [verdict_on(ballots.get(it.id), settings.annotators) for it in four]
    share = sum(it.agreement for it in verdicts) / len(verdicts)
    standard: Standard = "silver" if any(it.standard == "silver" for it in verdicts) else "gold"
    undecided = next((it.reason for it in verdicts if it.label is None), "")
    if undecided:
        return Verdict(None, undecided, share, standard)
    if any(len(ballots[it.id].contradictions) >= settings.contradictions for it in four):
        return Verdict(None, "against common sense", share, standard)
    labels = {it.label for it in verdicts}
    if len(labels) > 1:
        return Verdict(None, "different answers", share, standard)
    (label,) = labels
    if label in ("both", "not sure"):
        return Verdict(None, f"label {label}", share, standard)
    return Verdict(label, "", share, standard)


def label_quadruples(
    instances: Iterable[QuadrupleInstance], ballots: Mapping[str, Ballot], settings: ConsensusSettings
) -> Iterator[LabelledInstance | Reject]:
    """The quadruples that stay, as many with a masculine as with a feminine original; the four follow each other."""
    kept: dict[Gender, list[list[LabelledInstance]]] = {"feminine": [], "masculine": []}
    for quadruple_id, group in groupby(instances, key=lambda it: it.quadruple_id):
        four = list(group)
        if len(four) != len(VARIANTS) or {it.variant for it in four} != VARIANTS:
            raise ValueError(f"{quadruple_id}: not the four variants of a quadruple")
        verdict = judge_quadruple(four, ballots, settings)
        if verdict.label is None:
            yield from (Reject(it.id, verdict.reason, quadruple_id) for it in four)
            continue
        label, standard = verdict.label, verdict.standard
        labelled = [
            LabelledInstance(**fields_of(it), label=label, agreement=ballots[it.id].agreement, standard=standard)
            for it in four
        ]
        kept[original_of(four).gender].append(labelled)
    yield from balance_originals(kept, settings.seed)


def original_of(four: Iterable[QuadrupleInstance]) -> QuadrupleInstance:
    return next(it for it in four if it.variant == "original")


def balance_originals(
    kept: Mapping[Gender, list[list[LabelledInstance]]], seed: int
) -> Iterator[LabelledInstance | Reject]:
    """As many of each gender, drawn by lot (Counter-GAP 2.3): the feminine ones first, each gender in its old order."""
    for gender, quadruples in kept.items():
        most = len(kept[OTHER[gender]])
        drawn = sorted(quadruples, key=lambda four: draw_key(seed, "balance", four[0].quadruple_id))[:most]
        chosen = {four[0].quadruple_id for four in drawn}
        for four in quadruples:
            if four[0].quadruple_id in chosen:
                yield from four
            else:
                detail = f"only {most} originals are {OTHER[gender]}"
                yield from (Reject(it.id, "gender balance", detail) for it in four)


def describe_quadruples(labelled: Iterable[LabelledInstance]) -> list[str]:
    """How many quadruples there are of each gender and label."""
    originals = [it for it in labelled if it.variant == "original"]
    counts: Counter[str] = Counter(figure for it in originals for figure in (it.gender, it.label))
    names = ("feminine", "masculine", "A", "B", "neither")
    return [f"{len(originals):,} quadruples; originals: {', '.join(f'{counts[name]:,} {name}' for name in names)}"]


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


def describe_agreement(found: Agreement) -> list[str]:
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
