"""What annotators are asked, made from candidates, quadruples or published rows.

An answer is joined to its question by the id of the instance and by a hash of what was shown, never by an id that
an annotation tool gives: those change from project to project, and a text may be edited in the tool.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, get_args

from gapforge.draws import draw_key
from gapforge.errors import InputError
from gapforge.records import (
    Candidacy,
    Candidate,
    CounterGapCandidate,
    Label,
    Named,
    Person,
    QuadrupleInstance,
    Question,
    Span,
    overlap,
)
from gapforge.resources import resource
from gapforge.storage.tsv import Row, read_rows

LABELS: tuple[Label, ...] = get_args(Label)
# GAP's five labels, or the names marked in the text (Counter-GAP).
Mode = Literal["labels", "highlight"]

KNOWN = resource("annotation/known.tsv")


def content_hash(text: str, pronoun: Span, name_a: Span, name_b: Span) -> str:
    """What tells one state of a question from another."""
    places = [place for span in (pronoun, name_a, name_b) for place in (span.start, span.end)]
    return hashlib.sha256(f"{places} {text}".encode()).hexdigest()[:16]


def question_of(instance: Candidate) -> Question:
    group = instance.quadruple_id if isinstance(instance, QuadrupleInstance) else instance.id
    people = named(instance) if isinstance(instance, CounterGapCandidate) else []
    return ask(instance.id, group, instance.text, instance.pronoun, (instance.name_a, instance.name_b), people)


def question_of_row(row: Row, place: str, group: str = "") -> Question:
    """The question of a published row; its labels, where it has any, are the known answer.

    InputError where an offset leads elsewhere: annotators would be asked about other words.
    """
    for words, span in ((row.pronoun, row.pronoun_span), (row.a, row.a_span), (row.b, row.b_span)):
        found = row.text[span.start : span.end]
        if not words or found != words:
            raise InputError(f"{place}: {row.id}: {words!r} is not at {span.start}, but {found!r}; fix the offset")
    return ask(row.id, group or row.id, row.text, row.pronoun_span, (row.a_span, row.b_span), [], label_of(row))


def label_of(row: Row) -> Label | None:
    """The label that the two columns of a row say together; None where one of them is empty."""
    if row.a_coref is None or row.b_coref is None:
        return None
    labels: dict[tuple[bool, bool], Label] = {
        (True, False): "A",
        (False, True): "B",
        (False, False): "neither",
        (True, True): "both",
    }
    return labels[row.a_coref, row.b_coref]


def ask(
    id: str,
    group: str,
    text: str,
    pronoun: Span,
    names: tuple[Span, Span],
    people: list[Named],
    answer: Label | None = None,
) -> Question:
    return Question(
        instance_id=id,
        content_hash=content_hash(text, pronoun, *names),
        group=group,
        text=text,
        pronoun=pronoun,
        name_a=names[0],
        name_b=names[1],
        people=people or namesakes(text, *names),
        answer=answer or "",
    )


def named(instance: CounterGapCandidate) -> list[Named]:
    """The four people of an instance, by whether they are A, B or somebody else."""

    def role_of(person: Person) -> Candidacy:
        return "A" if instance.name_a in person.mentions else "B" if instance.name_b in person.mentions else "other"

    return [Named(role_of(person), person.mentions) for person in instance.people]


def namesakes(text: str, name_a: Span, name_b: Span) -> list[Named]:
    """A and B with every place where the same name stands as whole words; nothing more is known of a row."""

    def places(name: Span) -> list[Span]:
        form = re.escape(text[name.start : name.end])
        found = {Span(*match.span()) for match in re.finditer(rf"(?<!\w){form}(?!\w)", text)}
        return sorted(found | {name}, key=lambda span: span.start)

    if text[name_a.start : name_a.end] == text[name_b.start : name_b.end]:
        return [Named("A", [name_a]), Named("B", [name_b])]
    mentions = {"A": places(name_a), "B": places(name_b)}
    # Where one name is part of the other, a place belongs to the longer.
    if name_a.end - name_a.start < name_b.end - name_b.start:
        mentions["A"] = [it for it in mentions["A"] if it == name_a or not any(overlap(it, b) for b in mentions["B"])]
    else:
        mentions["B"] = [it for it in mentions["B"] if it == name_b or not any(overlap(it, a) for a in mentions["A"])]
    return [Named("A", mentions["A"]), Named("B", mentions["B"])]


def read_known(path: Path) -> list[Question]:
    """Questions whose answers are known, from a file in GAP's or Counter-GAP's columns; each row must be labelled."""
    questions = [question_of_row(row, str(path)) for row in read_rows(path)]
    for question in questions:
        if not question.answer:
            raise InputError(f"{path}: {question.instance_id} has no label; a known answer needs A-coref and B-coref")
    check(questions, str(path))
    return questions


def check(questions: Iterable[Question], place: str) -> None:
    """InputError where two questions have one id, or one is not sound: a span outside its text, an unknown answer."""
    seen: set[str] = set()
    for question in questions:
        if question.instance_id in seen:
            raise InputError(f"{place}: two questions with the id {question.instance_id!r}; remove one of them")
        seen.add(question.instance_id)
        try:
            spans = [question.pronoun, question.name_a, question.name_b]
            spans += [span for person in question.people for span in person.mentions]
            outside = next((it for it in spans if not 0 <= it.start < it.end <= len(question.text)), None)
        except (TypeError, AttributeError) as error:
            raise InputError(f"{place}: {question.instance_id}: not a text with spans; build it again") from error
        if outside:
            raise InputError(f"{place}: {question.instance_id}: {outside} is not in its text of {len(question.text)}")
        if question.answer not in ("", *LABELS):
            known = ", ".join(LABELS)
            raise InputError(f"{place}: {question.instance_id}: the answer {question.answer!r} is none of {known}")


def batches(
    questions: Iterable[Question], known: list[Question], size: int, every: int, again: bool, seed: int
) -> Iterator[list[Question]]:
    """Lists of at most `size` questions in random order, with one of known answer mixed in for every so many.

    No batch holds two questions of one group: each annotator takes a batch, and four variants of one text would
    answer each other. Questions of known answer are used in turn, each once, or `again` from the first.
    """
    rounds: list[list[Question]] = []
    seen: dict[str, int] = {}
    for question in sorted(questions, key=lambda it: draw_key(seed, "ask", it.instance_id)):
        turn = seen.get(question.group, 0)
        seen[question.group] = turn + 1
        if turn == len(rounds):
            rounds.append([])
        rounds[turn].append(question)
    asked = [each[at : at + size] for each in rounds for at in range(0, len(each), size)]
    used = 0
    for number, batch in enumerate(asked):
        wanted = min(-(-len(batch) // every), len(known) if again else len(known) - used)
        tests = [known[(used + n) % len(known)] for n in range(wanted)]  # so that none is twice in one batch
        used += wanted
        yield sorted([*batch, *tests], key=lambda it: draw_key(seed, f"mix {number}", it.instance_id))
