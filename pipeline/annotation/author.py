"""The author's own truth as an annotator: texts in which every pronoun's referent was marked when they were written.

A table of referents has one row a pronoun: document_id, start, end, pronoun, referent, and forms, all that the referent
is called in the document, parted by "|". An answer says which of the two names is one of them.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.annotation.answers import Answer
from pipeline.annotation.questions import question_of
from pipeline.errors import InputError
from pipeline.files import read_text
from pipeline.records import Candidate, Label, QuadrupleInstance, Span

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
