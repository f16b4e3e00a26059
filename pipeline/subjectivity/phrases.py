"""The words that the rules of transfer put into sentences, and the words that they may stand beside."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pipeline.resources import resource

PHRASES = resource("subjectivity/transfer.toml")
FORMS = {"VB": 0, "VBP": 0, "VBZ": 1, "VBD": 2, "VBN": 3}


@dataclass(frozen=True, slots=True)
class Manner:
    """Adverbs that judge what a verb tells of; `tags` and `needs` say in which form and company of the verb."""

    adverbs: tuple[str, ...]
    passive: bool
    tags: tuple[str, ...]
    needs: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """Loaded verbs in the place of a neutral one, each in four forms, and what has to follow."""

    forms: tuple[tuple[str, ...], ...]
    needs: str


@dataclass(frozen=True, slots=True)
class Phrases:
    """Everything by the word that it depends on; adjectives by noun and by what stands before it."""

    stance: Mapping[str, tuple[str, ...]]
    stance_of_verb: Mapping[str, str]
    manner: Mapping[str, Manner]
    loaded: Mapping[str, Loaded]
    adjectives: Mapping[tuple[str, str], tuple[str, ...]]
    counting: frozenset[str]
    blocking: frozenset[str]
    evaluative: frozenset[str]
    intensifiers: tuple[str, ...]
    gradable: frozenset[str]


@cache
def load_phrases() -> Phrases:
    told = tomllib.loads(PHRASES.read_text("utf-8"))
    adjectives: dict[tuple[str, str], tuple[str, ...]] = {}
    for group in told["noun"]:
        for key in ((noun, after) for noun in group["nouns"] for after in group["after"]):
            adjectives.setdefault(key, tuple(group["adjectives"]))
    return Phrases(
        stance={kind: tuple(words) for kind, words in told["stance"].items()},
        stance_of_verb={verb: kind for kind, verbs in told["stance_verbs"].items() for verb in verbs},
        manner=by_verb(told["manner"], as_manner),
        loaded=by_verb(told["verb"], as_loaded),
        adjectives=adjectives,
        counting=frozenset(told["counting"]["nouns"]),
        blocking=frozenset(told["blocking"]["words"]),
        evaluative=frozenset(word for group in told["noun"] for word in group["adjectives"])
        | frozenset(told["intensifiers"]["adjectives"]),
        intensifiers=tuple(told["intensifiers"]["words"]),
        gradable=frozenset(told["intensifiers"]["adjectives"]),
    )


def by_verb(groups: list[dict[str, Any]], build: Any) -> dict[str, Any]:
    """The group of each verb: the first that lists it."""
    found: dict[str, Any] = {}
    for group in groups:
        for verb in group["verbs"]:
            found.setdefault(verb, build(group))
    return found


def as_manner(group: dict[str, Any]) -> Manner:
    tags = tuple(group.get("tags", ("VBD", "VBZ", "VBN")))
    return Manner(tuple(group["adverbs"]), group.get("passive", False), tags, group.get("needs", ""))


def as_loaded(group: dict[str, Any]) -> Loaded:
    return Loaded(tuple(tuple(forms) for forms in group["loaded"]), group["needs"])
