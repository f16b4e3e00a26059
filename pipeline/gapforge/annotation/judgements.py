"""Answers of annotators to judgements: which of them count, and under whose pseudonym.

The files are read twice, so that memory does not grow with the answers but by a few numbers each. The first reading
learns who answered what, which of several answers of one annotator to one question is the last, and how well each
annotator did on questions of known answer. The second writes the judgements, and a reject for every other answer.

The last answer counts: by the time that the tool recorded, or else by the order of the files. An annotator whose
share of right known answers is below the limit is removed with all judgements.

The author's own truth as an annotator: texts in which every pronoun's referent was marked when they were written.

A table of referents has one row a pronoun: document_id, start, end, pronoun, referent, and forms, all that the referent
is called in the document, parted by "|". An answer says which of the two names is one of them.

Resolvers that vote in the place of people.

Their labels are *silver* wherever they appear: no person has judged them. They see what an annotator sees, so none
is told the page that a text comes from.
"""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from gapforge.annotation.answers import Answer, judge
from gapforge.annotation.questions import question_of
from gapforge.errors import InputError
from gapforge.records import Candidate, Instance, Judgement, Label, QuadrupleInstance, Question, Reject, Span
from gapforge.storage.files import read_text
from gapforge.systems import options_of, resolve

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


COLUMNS = ("document_id", "start", "end", "pronoun", "referent", "forms")


@dataclass(frozen=True, slots=True)
class Truth:
    """Where the row stands, the pronoun, and all that its referent is called; nothing where nobody is named."""

    place: str
    pronoun: str
    forms: frozenset[str]


Truths = dict[tuple[str, int], Truth]


def read_truths(path: Path) -> Truths:
    """The referents by document and offset of the pronoun."""
    found: Truths = {}
    rows = csv.DictReader(io.StringIO(read_text(path), newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    missing = [name for name in COLUMNS if name not in (rows.fieldnames or [])]
    if missing:
        raise InputError(f"{path}: line 1: no column {missing[0]!r}; wanted {', '.join(COLUMNS)}")
    for row in rows:
        place = f"{path}: line {rows.line_num}"
        try:
            key = (row["document_id"], int(row["start"]))
            found[key] = Truth(place, row["pronoun"], frozenset(filter(None, row["forms"].split("|"))))
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"{place}: wanted {', '.join(COLUMNS)} with a number for start") from error
    return found


def author_answers(instances: Iterable[Candidate], truths: Truths) -> Iterator[Answer]:
    """One answer for each instance whose pronoun is marked.

    The counterfactual texts of a quadruple have the answer of their original: everybody stands in the same place.
    An original comes before its counterfactuals, as its stage writes them.
    """
    originals: dict[str, tuple[Truth, Label]] = {}
    for instance in instances:
        known: tuple[Truth, Label] | None
        if isinstance(instance, QuadrupleInstance) and instance.variant != "original":
            known = originals.get(instance.quadruple_id)
        else:
            truth = truths.get((instance.document_id, instance.start + instance.pronoun.start))
            known = (truth, label_of(instance, truth)) if truth else None
            if known:
                originals[instance.id] = known
        if known is None:
            continue
        question = question_of(instance)
        yield Answer(
            place=known[0].place,
            instance_id=question.instance_id,
            content_hash=question.content_hash,
            annotator="author",
            shown=question.text,
            label=known[1],
        )


def label_of(instance: Candidate, truth: Truth) -> Label:
    """Which name is a form of the referent; InputError where the table speaks of another text."""
    if words(instance.text, instance.pronoun) != truth.pronoun:
        found = words(instance.text, instance.pronoun)
        raise InputError(f"{truth.place}: {truth.pronoun!r}, but {instance.id} has {found!r} there; rebuild the table")
    people = {it.role: it.mentions for it in question_of(instance).people}
    is_a, is_b = (any(words(instance.text, at) in truth.forms for at in people[role]) for role in ("A", "B"))
    return "both" if is_a and is_b else "A" if is_a else "B" if is_b else "neither"


def words(text: str, span: Span) -> str:
    """A stretch of text on one line: a name may be wrapped."""
    return " ".join(text[span.start : span.end].split())


BATCH = 1_000


def panel_answers(questions: Sequence[Question], resolvers: Sequence[str], model: str = "") -> Iterator[Answer]:
    """Each resolver's answer to each question; ConfigError where one gives no label for each."""
    for name in resolvers:
        options = {"model": model} if model and "model" in options_of(name) else {}
        for start in range(0, len(questions), BATCH):
            batch = questions[start : start + BATCH]
            for question, label in zip(batch, resolve(name, [seen(it) for it in batch], options), strict=True):
                yield Answer(
                    place=name,
                    instance_id=question.instance_id,
                    content_hash=question.content_hash,
                    annotator=name,
                    label=label,
                    standard="silver",
                )


def seen(question: Question) -> Instance:
    return Instance(question.instance_id, question.text, question.pronoun, question.name_a, question.name_b)
