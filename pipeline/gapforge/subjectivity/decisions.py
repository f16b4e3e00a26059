"""Which proposals are kept: those within every threshold, and no phrase too often (GAP-Subjective 3.2.3).

The paper asks three things of a sentence: that the original be objective, that it stay fluent, and that it keep its
content. Each is told of every sentence, so that Table 2 can be drawn up, and thresholds changed, from the table alone.

Scored sentences and proposals, read back from wherever a run or a command has put them.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite
from pathlib import Path
from typing import TypeVar

from gapforge.config import hint
from gapforge.draws import draw_key
from gapforge.engine.parts import part_files
from gapforge.engine.stages import Table
from gapforge.errors import ConfigError, InputError
from gapforge.records import Span, SubjectiveProposal, SubjectiveSentence, fields_of
from gapforge.storage.files import decode
from gapforge.storage.tables import builder, read_records, schema_of, schema_on_disk
from gapforge.subjectivity.hooks import SubjectivitySettings, Thresholds, thresholds_of

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
        """What the edits say; one that only cuts or fixes says nothing."""
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
    return draw_key(seed, "variety", f"{proposal.instance_id}/{proposal.number}")


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


SUFFIXES = (".parquet", ".jsonl")
# The stage that makes each kind of record, and the option by which a command writes it.
MAKERS: dict[type, tuple[str, str]] = {
    SubjectiveProposal: ("SubjectiveProposals", "--proposals"),
    SubjectiveSentence: ("SubjectiveSentences", "--sentences"),
}

Scored = TypeVar("Scored", bound=SubjectiveProposal)


def read_scored(source: Path, record: type[Scored]) -> Iterator[Scored]:
    """The records of a stage's folder, of a run that holds it, or of a file; InputError where they are none."""
    stage, _ = MAKERS[record]
    if not source.exists():
        raise InputError(f"{source}: no such file or folder; fix the path")
    folder = source / stage if (source / stage).is_dir() else source
    paths = part_files(folder) if folder.is_dir() else [source]
    if not paths:
        raise InputError(f"{folder}: no part-*.parquet; name the folder of the stage {stage}, or of a run that has it")
    for path in paths:
        if path.suffix not in SUFFIXES:
            raise ConfigError(f"{path}: unknown kind of sentences {path.suffix!r}{hint(path.suffix, SUFFIXES)}")
        yield from read_lines(path, record) if path.suffix == ".jsonl" else read_table(path, record)


def wanted(record: type) -> str:
    stage, option = MAKERS[record]
    return f"wanted what `gapforge subjective {option}` or the stage {stage} writes"


def names_of(record: type) -> list[str]:
    return list(schema_of(record).names)


def read_table(path: Path, record: type[Scored]) -> Iterator[Scored]:
    missing = [name for name in names_of(record) if name not in schema_on_disk(path).names]
    if missing:
        raise InputError(f"{path}: no column {missing[0]!r}; {wanted(record)}")
    for number, found in enumerate(read_records(path, record), 1):
        if not is_sound(found):
            raise InputError(f"{path}: row {number}: not a sentence; {wanted(record)}")
        yield found


def read_lines(path: Path, record: type[Scored]) -> Iterator[Scored]:
    build, names = builder(record), names_of(record)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            place = f"{path}: line {number}"
            text = decode(line, place)
            try:
                values = json.loads(text)
                found = build({name: values[name] for name in names})
                sound = is_sound(found)
            except (ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
                raise InputError(f"{place}: not a sentence; {wanted(record)}") from error
            if not sound:
                raise InputError(f"{place}: not a sentence; {wanted(record)}")
            yield found


def is_sound(it: SubjectiveProposal) -> bool:
    """Whether a record has the types that it should have, whatever wrote the file."""
    texts = (it.instance_id, it.sentence) if it.proposal is None else (it.instance_id, it.sentence, it.proposal)
    scores = (it.subjectivity, it.log_perplexity)
    proposed = (it.proposal_subjectivity, it.proposal_log_perplexity, it.gleu)
    kept = it.kept if isinstance(it, SubjectiveSentence) else False
    return (
        type(it.number) is int
        and type(kept) is bool
        and all(map(is_text, texts))
        and is_span(it.span)
        and all(map(is_number, scores if it.proposal is None else (*scores, *proposed)))
        and (it.cosine is None or is_number(it.cosine))
        and isinstance(it.broken, list)
        and all(map(is_text, it.broken))
        and isinstance(it.edits, list)
        and bool(it.edits) == (it.proposal is not None)
        and all(is_span(edit.span) and all(map(is_text, (edit.new, edit.phrase, edit.kind))) for edit in it.edits)
    )


def is_span(span: Span) -> bool:
    return type(span.start) is int and type(span.end) is int and 0 <= span.start <= span.end


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and type(value) is not bool and isfinite(value)


def is_text(value: object) -> bool:
    """Whether it is text that can be written: JSON may hold half a surrogate pair."""
    return isinstance(value, str) and value.encode("utf-8", "replace").decode() == value


def sentences(proposals: Table[SubjectiveProposal], settings: SubjectivitySettings) -> Iterator[SubjectiveSentence]:
    """The stage SubjectiveSentences: what became of every sentence."""
    yield from decide(proposals, thresholds_of(settings), settings.seed)
