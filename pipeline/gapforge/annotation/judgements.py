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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from gapforge.annotation.answerfiles import check_kind, placed, read_all
from gapforge.annotation.answers import Answer, judge
from gapforge.annotation.questions import KNOWN, question_of, read_known
from gapforge.engine.stages import Table
from gapforge.errors import ConfigError, InputError
from gapforge.records import Candidate, Instance, Judgement, Label, Note, QuadrupleInstance, Question, Reject, Span
from gapforge.storage.files import read_text
from gapforge.systems import options_of, resolve

KNOWN_ANSWERS = "known answers"  # what the embedded file of them is called among the inputs
JUDGED: dict[str, type[Candidate]] = {"gap": Candidate, "counter-gap": QuadrupleInstance}


@dataclass(frozen=True, slots=True)
class JudgementSettings:
    """The `[judgements]` section: who has judged the examples.

    `file`: the answers of annotators, in the files under `gap` and `counter_gap`. `author`: tables of referents, in the
    same places, for texts whose author marked every pronoun. `panel`: resolvers that vote; their labels are silver.
    `none`: nobody yet, and the run ends with the examples. `known` is a file of questions of known answer, the embedded
    ones where it is left out; who has less than the share `known_right` of them right is removed.
    """

    source: Literal["none", "file", "author", "panel"] = "none"
    gap: list[str] = field(default_factory=list)
    counter_gap: list[str] = field(default_factory=list)
    known: str = ""
    known_right: float = 0.8
    panel: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        files = self.gap + self.counter_gap
        if not 0 <= self.known_right <= 1:
            raise ValueError(f"known_right must be between 0 and 1, found {self.known_right}")
        if self.source in ("file", "author") and not files:
            raise ValueError(f'source is "{self.source}", and neither gap nor counter_gap names a file')
        if self.source in ("none", "panel") and files:
            raise ValueError(f'names {files[0]!r}, which source = "{self.source}" does not read; choose "file"')
        if self.source == "panel" and (len(self.panel) < 3 or len(set(self.panel)) < len(self.panel)):
            raise ValueError(f"panel must name three or more different resolvers, found {self.panel}")
        if self.source != "file" and self.known:
            raise ValueError(f'names known answers, and source is "{self.source}"; only "file" asks for them')
        if self.source != "panel" and self.panel:
            raise ValueError(f'names a panel, and source is "{self.source}"; choose "panel"')

    def files(self, kind: str) -> list[str]:
        return {"gap": self.gap, "counter-gap": self.counter_gap}[kind]

    def known_file(self, base: Path) -> Path:
        return base / self.known if self.known else KNOWN

    def speaks_of(self, kind: str) -> bool:
        return self.source == "panel" or bool(self.files(kind))


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


def judged_answers(read: Read, questions: Mapping[str, Question], found: Survey) -> Iterator[Judgement | Reject]:
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


def check_judgements(settings: JudgementSettings, annotators: int, kinds: Collection[str], config: str) -> None:
    """Refuse answers that nothing asks for, and a panel of another size than was asked for."""
    for kind in JUDGED:
        if settings.files(kind) and kind not in kinds:
            key = kind.replace("-", "_")
            raise ConfigError(f"{config}: [judgements] {key} names answers, and [candidates] {key} names no corpus")
    if settings.source == "panel" and len(settings.panel) != annotators:
        raise ConfigError(
            f"{config}: [judgements] panel names {len(settings.panel)} resolvers, and [consensus] annotators is "
            f"{annotators}; make them equal"
        )
    for name in settings.panel:
        if "train" in options_of(name):
            raise ConfigError(f"{config}: [judgements] panel: {name} learns from labels; name resolvers that need none")


def judgement_files(settings: JudgementSettings, kind: str, base: Path) -> dict[str, Path]:
    """The files of answers and of known answers, by the names that the config gives them."""
    named = {name: base / name for name in settings.files(kind)}
    if settings.source == "file":
        named[settings.known or KNOWN_ANSWERS] = settings.known_file(base)
        for name in settings.files(kind):
            check_kind(Path(name))
    for name, path in named.items():
        if not path.is_file():
            raise ConfigError(f"[judgements] {name}: no such file; paths begin at the config's own folder")
    return named


def deciding_judgements(settings: JudgementSettings) -> dict[str, Any]:
    """The settings that decide the judgements, beside the files, which are known by their checksums."""
    fields: dict[str, Any] = {"source": settings.source}
    if settings.source == "file":
        fields["known_right"] = settings.known_right
    if settings.source == "panel":
        fields["panel"] = settings.panel
    return fields


def judgements(
    examples: Table[Candidate],
    kind: str,
    settings: JudgementSettings,
    files: Mapping[str, Path],
    inputs: Mapping[str, str],
    model: str,
) -> Iterator[Judgement | Reject | Note]:
    """The stage Judgements: every question judged by what the settings name; notes say how the annotators did.

    `files` are the raw files of the settings by name, `inputs` their checksums.
    """
    questions = {it.instance_id: it for it in map(question_of, examples)}
    prefix = ""
    if settings.source == "file":
        prefix = pseudonym_prefix(inputs.values())
        add_known(questions, files[settings.known or KNOWN_ANSWERS])
    answers = [files[name] for name in settings.files(kind)]
    read = partial(answers_of, settings, answers, examples, model, questions)
    if settings.source == "panel":
        voted = list(read())  # Resolvers are slow, and every answer is read twice.
        read = partial(iter, voted)
    found = survey(read, questions, settings.known_right, prefix)
    yield from judged_answers(read, questions, found)
    yield from map(Note, found.notes())


def add_known(questions: dict[str, Question], path: Path) -> None:
    for question in read_known(path):
        if question.instance_id in questions:
            raise ConfigError(f"{path}: {question.instance_id!r} is also an instance to be judged; rename the question")
        questions[question.instance_id] = question


def answers_of(
    settings: JudgementSettings,
    paths: Sequence[Path],
    examples: Table[Candidate],
    model: str,
    questions: Mapping[str, Question],
) -> Iterator[Answer]:
    if settings.source == "panel":
        yield from panel_answers(list(questions.values()), settings.panel, model)
    if settings.source == "file":
        yield from read_all(paths)
    if settings.source == "author":
        for number, path in enumerate(paths, 1):
            for answer in author_answers(examples, read_truths(path)):
                yield placed(answer, path, number)
