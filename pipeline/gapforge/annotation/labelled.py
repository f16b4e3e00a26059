"""The stages GapLabelled and QuadruplesLabelled: the labelled sets that follow from judgements."""

from collections.abc import Iterator

from gapforge.annotation import balance, consensus
from gapforge.annotation.consensus import (
    Ballot,
    ConsensusSettings,
    agreement_of,
    collect,
    describe_agreement,
    judge_gap,
    label_quadruples,
)
from gapforge.engine.stages import Table
from gapforge.records import (
    Candidate,
    Judgement,
    LabelledExample,
    LabelledInstance,
    Note,
    QuadrupleInstance,
    Reject,
)


def votes_of(ballot: Ballot | None) -> str:
    return ", ".join(f"{count} {label}" for label, count in sorted(ballot.votes.items())) if ballot else ""


def notes_on(ballots: dict[str, Ballot], settings: ConsensusSettings) -> Iterator[str]:
    if any(ballot.standard == "silver" for ballot in ballots.values()):
        yield "labels are silver: resolvers have voted, and no person has judged them"
    yield from describe_agreement(agreement_of((it.votes for it in ballots.values()), settings.annotators))


def gap_labelled(
    examples: Table[Candidate], judgements: Table[Judgement], settings: ConsensusSettings
) -> Iterator[LabelledExample | Reject | Note]:
    """GAP's final set: examples with a consensus, in balance and in splits."""
    ballots = collect(judgements)
    decided: list[balance.Decided] = []
    for example in examples:
        verdict = judge_gap(example, ballots, settings.annotators)
        if verdict.label is None:
            yield Reject(example.id, verdict.reason, votes_of(ballots.get(example.id)))
        else:
            decided.append(balance.Decided(example, verdict.label, verdict))
    kept = []
    for it in balance.complete(decided, settings.splits, settings.seed):
        yield it
        if isinstance(it, LabelledExample):
            kept.append(it)
    yield from map(Note, [*notes_on(ballots, settings), *balance.describe(kept)])


def quadruples_labelled(
    quadruples: Table[QuadrupleInstance], judgements: Table[Judgement], settings: ConsensusSettings
) -> Iterator[LabelledInstance | Reject | Note]:
    """Counter-GAP's final set: quadruples whose texts are answered alike by position, as many of either gender."""
    ballots = collect(judgements)
    kept = []
    for it in label_quadruples(quadruples, ballots, settings):
        yield it
        if isinstance(it, LabelledInstance):
            kept.append(it)
    yield from map(Note, [*notes_on(ballots, settings), *consensus.describe_quadruples(kept)])
