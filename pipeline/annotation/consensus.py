"""What most annotators said, and which instances stay (GAP 3.2; Counter-GAP 2.2 and 2.3).

Counter-GAP takes the majority for each of the two names by itself, which makes "neither" of three annotators who all
disagree. Here, as in GAP, most annotators must agree on the answer; such an instance has no consensus.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import get_args

from pipeline.annotation.splits import Shares
from pipeline.errors import ConfigError
from pipeline.lots import lot
from pipeline.records import (
    OTHER,
    Candidate,
    Gender,
    Judgement,
    Label,
    LabelledInstance,
    QuadrupleInstance,
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
        drawn = sorted(quadruples, key=lambda four: lot(seed, "balance", four[0].quadruple_id))[:most]
        chosen = {four[0].quadruple_id for four in drawn}
        for four in quadruples:
            if four[0].quadruple_id in chosen:
                yield from four
            else:
                detail = f"only {most} originals are {OTHER[gender]}"
                yield from (Reject(it.id, "gender balance", detail) for it in four)


def describe(labelled: Iterable[LabelledInstance]) -> list[str]:
    """How many quadruples there are of each gender and label."""
    originals = [it for it in labelled if it.variant == "original"]
    counts: Counter[str] = Counter(figure for it in originals for figure in (it.gender, it.label))
    names = ("feminine", "masculine", "A", "B", "neither")
    return [f"{len(originals):,} quadruples; originals: {', '.join(f'{counts[name]:,} {name}' for name in names)}"]
