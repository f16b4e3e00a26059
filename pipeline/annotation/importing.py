"""Answers of annotators to judgements: which of them count, and under whose pseudonym.

The files are read twice, so that memory does not grow with the answers but by a few numbers each. The first reading
learns who answered what, which of several answers of one annotator to one question is the last, and how well each
annotator did on questions of known answer. The second writes the judgements, and a reject for every other answer.

The last answer counts: by the time that the tool recorded, or else by the order of the files. An annotator whose
share of right known answers is below the limit is removed with all judgements.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from pipeline.annotation.answers import Answer, judge
from pipeline.errors import InputError
from pipeline.records import Judgement, Question, Reject

Read = Callable[[], Iterable[Answer]]


@dataclass(slots=True)
class Annotator:
    """One annotator's work: judgements, and of the answers to questions of known answer those that are right."""

    pseudonym: str
    judgements: int = 0
    asked: int = 0
    right: int = 0
    removed: bool = False


@dataclass(slots=True)
class Survey:
    """What the first reading found; `last` is the number of the answer that counts, by annotator and question."""

    annotators: dict[str, Annotator] = field(default_factory=dict)
    last: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    answers: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    silver: bool = False

    def notes(self) -> list[str]:
        """What a person should know of the annotators."""
        people = self.annotators.values()
        lines = [f"annotators: {len(people):,}; judgements: {sum(it.judgements for it in people):,}"]
        if self.silver:
            lines.append("judgements are silver: resolvers have voted, and no person has judged")
        asked, right = sum(it.asked for it in people), sum(it.right for it in people)
        if asked:
            lines.append(f"questions of known answer: {right:,} of {asked:,} right")
        lines += [
            f"{it.pseudonym} removed: {it.right} of {it.asked} known answers right, {it.judgements:,} judgements"
            for it in people
            if it.removed
        ]
        return lines


def pseudonym_prefix(checksums: Iterable[str]) -> str:
    """Another for other files: pseudonyms of two imports must not be taken for the same people."""
    return f"annotator-{sha256(' '.join(checksums).encode()).hexdigest()[:6]}"


def survey(read: Read, questions: Mapping[str, Question], known_right: float, prefix: str) -> Survey:
    """Read once; annotators are numbered in the order in which they appear, and called as they are without a prefix.

    InputError where not one answer counts: a labelled set without labels is no answer to anybody.
    """
    found = Survey()
    for number, answer in enumerate(read()):
        found.answers += 1
        judged = judge(answer, questions)
        if isinstance(judged, Reject):
            found.reasons[judged.reason] += 1
            continue
        # The strings of the questions and of the first answer are shared: an answer costs a few numbers.
        instance_id = questions[judged.instance_id].instance_id
        pseudonym = f"{prefix}-{len(found.annotators) + 1:03}" if prefix else answer.annotator
        annotator = found.annotators.setdefault(answer.annotator, Annotator(pseudonym))
        found.silver |= judged.standard == "silver"
        if judged.known:  # The same one may come in several batches: every answer tells.
            annotator.judgements += 1
            annotator.asked += 1
            annotator.right += judged.label == questions[instance_id].answer
            continue
        key = (annotator.pseudonym, instance_id)
        found.last[key] = max((answer.time, number), found.last.get(key, ("", -1)))
    if questions and not found.annotators:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(found.reasons.items()))
        raise InputError(
            f"{found.answers:,} answers to {len(questions):,} questions, and none that counts"
            f"{f' ({reasons})' if reasons else ''}; are they another project's?"
        )
    people = {it.pseudonym: it for it in found.annotators.values()}
    for pseudonym, _ in found.last:
        people[pseudonym].judgements += 1
    for annotator in people.values():
        annotator.removed = annotator.asked > 0 and annotator.right / annotator.asked < known_right
    return found


def judgements(read: Read, questions: Mapping[str, Question], found: Survey) -> Iterator[Judgement | Reject]:
    """Read again; every answer becomes a judgement or a reject, in the order of the files."""
    for number, answer in enumerate(read()):
        judged = judge(answer, questions)
        if isinstance(judged, Reject):
            yield judged
            continue
        annotator = found.annotators[answer.annotator]
        if annotator.removed:
            detail = f"{annotator.pseudonym}: {annotator.right} of {annotator.asked} known answers right"
            yield Reject(judged.instance_id, "known-answer failure", f"{answer.place}: {detail}")
        elif not judged.known and found.last[annotator.pseudonym, judged.instance_id] != (answer.time, number):
            detail = f"{annotator.pseudonym} gave a later answer"
            yield Reject(judged.instance_id, "duplicate vote", f"{answer.place}: {detail}")
        else:
            yield replace(judged, annotator=annotator.pseudonym)
