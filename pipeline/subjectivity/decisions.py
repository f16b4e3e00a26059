"""Which proposals are kept: those within every threshold, and no phrase too often (GAP-Subjective 3.2.3).

The paper asks three things of a sentence: that the original be objective, that it stay fluent, and that it keep its
content. Each is told of every sentence, so that Table 2 can be drawn up, and thresholds changed, from the table alone.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pipeline.lots import lot
from pipeline.records import SubjectiveProposal, SubjectiveSentence, fields_of
from pipeline.subjectivity.settings import Thresholds

TOO_SUBJECTIVE, NO_PROPOSAL, NOT_FLUENT = "already subjective", "no proposal", "not fluent"
UNCHANGED, TOO_DIFFERENT, NOT_SIMILAR, TOO_FREQUENT = "unchanged", "too different", "not similar", "phrase too frequent"


@dataclass(frozen=True, slots=True)
class Judged:
    """A proposal with what it is within, and all that speaks against it."""

    proposal: SubjectiveProposal
    objective: bool
    fluent: bool | None
    preserved: bool | None
    reasons: list[str]

    @property
    def phrases(self) -> set[str]:
        """What the edits say; one that only cuts or mends says nothing."""
        return {edit.phrase for edit in self.proposal.edits if edit.phrase}


def judge(proposal: SubjectiveProposal, thresholds: Thresholds) -> Judged:
    objective = proposal.subjectivity <= thresholds.objective.value
    reasons = [] if objective else [TOO_SUBJECTIVE]
    if proposal.proposal is None or proposal.proposal_log_perplexity is None or proposal.gleu is None:
        return Judged(proposal, objective, None, None, [*reasons, NO_PROPOSAL])
    change = proposal.proposal_log_perplexity - proposal.log_perplexity
    fluent = change <= thresholds.fluent.value
    preserved = thresholds.gleu_above.value < proposal.gleu < thresholds.gleu_below.value
    if not fluent:
        reasons.append(NOT_FLUENT)
    if not preserved:
        reasons.append(UNCHANGED if proposal.gleu >= thresholds.gleu_below.value else TOO_DIFFERENT)
    if thresholds.similar and proposal.cosine is not None and proposal.cosine < thresholds.similar.value:
        reasons.append(NOT_SIMILAR)
    return Judged(proposal, objective, fluent, preserved, [*reasons, *(f"changed {it}" for it in proposal.broken)])


def decide(proposals: Iterable[SubjectiveProposal], thresholds: Thresholds, seed: int) -> Iterator[SubjectiveSentence]:
    """One record a sentence, in order: its first proposal that passes and whose phrases are still to be had.

    Proposals of a sentence follow each other. Where phrases run out, who comes first depends on seed and sentence
    alone.
    """
    groups = groupby(proposals, key=lambda it: (it.instance_id, it.number))
    judged = [[judge(it, thresholds) for it in group] for _, group in groups]
    chosen = choose(judged, thresholds.largest_share.value, seed)
    for number, attempts in enumerate(judged):
        yield record_of(attempts, chosen.get(number))


def choose(judged: Sequence[Sequence[Judged]], largest_share: float, seed: int) -> dict[int, Judged]:
    """The proposal that is kept of each sentence that has one, by the sentence's number.

    How often a phrase may occur depends on how many edits there are, and that on how often it may: the bound is
    lowered until it holds.
    """
    passing = {n: [it for it in attempts if not it.reasons] for n, attempts in enumerate(judged)}
    order = sorted((n for n in passing if passing[n]), key=lambda n: turn_of(passing[n][0].proposal, seed))
    most = max(1, int(largest_share * len(order)))
    while True:
        used: Counter[str] = Counter()
        chosen: dict[int, Judged] = {}
        for n in order:
            for it in passing[n]:
                if all(used[phrase] < most for phrase in it.phrases):
                    used.update(it.phrases)
                    chosen[n] = it
                    break
        if most == 1 or max(used.values(), default=0) <= largest_share * len(chosen):
            return chosen
        most = max(1, min(most - 1, int(largest_share * len(chosen))))


def turn_of(proposal: SubjectiveProposal, seed: int) -> tuple[bytes, str]:
    return lot(seed, "variety", f"{proposal.instance_id}/{proposal.number}")


def record_of(attempts: Sequence[Judged], chosen: Judged | None) -> SubjectiveSentence:
    shown = chosen or next((it for it in attempts if not it.reasons), attempts[0])
    reasons = [] if chosen else shown.reasons or [TOO_FREQUENT]
    return SubjectiveSentence(
        **fields_of(shown.proposal),
        objective=shown.objective,
        fluent=shown.fluent,
        preserved=shown.preserved,
        kept=chosen is not None,
        reasons=reasons,
    )
