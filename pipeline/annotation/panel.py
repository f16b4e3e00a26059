"""Resolvers that vote in the place of people.

Their labels are *silver* wherever they appear: no person has judged them. They see what an annotator sees, so none
is told the page that a text comes from.
"""

from collections.abc import Iterator, Sequence

from pipeline.annotation.answers import Answer
from pipeline.records import Instance, Question
from pipeline.resolving import options_of, resolve

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
