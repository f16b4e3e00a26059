"""Resolvers that vote in the place of people.

Their labels are *silver* wherever they appear: no person has judged them. A resolver is a function over a batch,
`(list of Question) -> list of labels`, "A", "B", "neither", "both" or "not sure".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pipeline.annotation.answers import Answer
from pipeline.annotation.questions import LABELS
from pipeline.errors import ConfigError, one_line
from pipeline.plugins import load_plugin, plugin_version
from pipeline.records import Question

RESOLVERS: Mapping[str, str] = {}

BATCH = 1_000


def panel_answers(questions: Sequence[Question], resolvers: Sequence[str]) -> Iterator[Answer]:
    """Each resolver's answer to each question; ConfigError where one gives no label for each."""
    for name in resolvers:
        resolver = load_plugin(name, RESOLVERS)
        for start in range(0, len(questions), BATCH):
            batch = list(questions[start : start + BATCH])
            for question, label in zip(batch, ask(name, resolver, batch), strict=True):
                yield Answer(
                    place=name,
                    instance_id=question.instance_id,
                    content_hash=question.content_hash,
                    annotator=name,
                    label=label,
                    standard="silver",
                )


def ask(name: str, resolver: Callable[..., Any], batch: list[Question]) -> list[str]:
    try:
        labels = list(resolver(batch))
    except Exception as error:  # Whatever a user's function raises.
        raise ConfigError(f"{name}: {type(error).__name__}: {one_line(error)}; mend the resolver") from error
    if len(labels) != len(batch):
        raise ConfigError(f"{name}: {len(labels)} labels for {len(batch)} questions; a resolver gives one for each")
    for label in labels:
        if label not in LABELS:
            raise ConfigError(f"{name}: gives {label!r}; a resolver says {', '.join(LABELS)}")
    return labels


def resolver_versions(resolvers: Sequence[str]) -> dict[str, str]:
    """What tells one state of each resolver from another."""
    return {name: plugin_version(name, RESOLVERS) for name in resolvers}
