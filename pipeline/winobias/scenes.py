"""The sentences of WinoBias before occupations and pronouns are put in (`resources/winobias/scenes.toml`).

A scene has two ends. In the first the pronoun means the occupation that the sentence begins with, in the second the
other one, so that neither place nor verb gives the answer away.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pipeline.errors import InputError
from pipeline.records import Kind
from pipeline.resources import resource
from pipeline.winobias.occupations import read_toml
from pipeline.winobias.published import GENDERED

SCENES = resource("winobias/scenes.toml")
WANTED = "wanted lists [[type1]] and [[type2]], each with a first and a second sentence"
PLACE = re.compile(r"\{([^{}]*)\}")
PEOPLE = ("A", "B")
CASES = ("he", "him", "his")
End = Literal["first", "second"]
ENDS: tuple[End, ...] = get_args(End)
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Scene:
    """Two sentences with the places {A} and {B} and one of {he}, {him} and {his}; `number` counts its kind from 0."""

    kind: Kind
    number: int
    first: str
    second: str

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number + 1:02}"


def read_scenes(path: Path = SCENES) -> list[Scene]:
    """The scenes of a file by kind, in its order; InputError names the sentence that is no template."""
    lists = read_toml(path, WANTED)
    if unknown := [name for name in lists if name not in KINDS]:
        raise InputError(f"{path}: unknown list {unknown[0]!r}; {WANTED}")
    found = [scene for kind in KINDS for scene in scenes_of(kind, lists.get(kind, []), path)]
    seen: set[str] = set()
    for scene in found:
        for end in ENDS:
            sentence = getattr(scene, end)
            if sentence in seen:
                raise InputError(f"{path}: {scene.name}: {sentence!r} is there twice; keep one of the two")
            seen.add(sentence)
    if not found:
        raise InputError(f"{path}: no scenes; {WANTED}")
    return found


def scenes_of(kind: Kind, entries: Any, path: Path) -> Iterator[Scene]:
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries]):
        if not isinstance(entry, dict) or sorted(entry) != sorted(ENDS):
            raise InputError(f"{path}: {kind} number {number + 1}: wanted a first and a second sentence, and no more")
        for end in ENDS:
            check_sentence(entry[end], f"{path}: {kind} number {number + 1}, {end}")
        yield Scene(kind, number, entry["first"], entry["second"])


def check_sentence(sentence: Any, place: str) -> None:
    """Raise InputError unless a sentence has the places of two people, A before B, and of one pronoun behind them."""
    places = PLACE.findall(sentence) if isinstance(sentence, str) else []
    if tuple(places[:2]) != PEOPLE or len(places) != 3 or places[2] not in CASES:
        raise InputError(f"{place}: {sentence!r}; wanted {{A}}, {{B}}, and then one of {{he}}, {{him}} and {{his}}")
    if not sentence.startswith("{A} ") or sentence != " ".join(sentence.split()):
        raise InputError(f"{place}: {sentence!r}; wanted one sentence that begins with {{A}}, with single blanks")
    words = re.findall(r"\w+", PLACE.sub("", sentence).lower())
    if re.search(r"\w\{|\}\w|\}\{", sentence) or not GENDERED.isdisjoint(words):
        raise InputError(f"{place}: {sentence!r}; wanted places that stand alone, and no other gendered pronoun")
    if "[" in sentence or "]" in sentence or re.search(r"[{}]", PLACE.sub("", sentence)):
        raise InputError(f"{place}: {sentence!r}; brackets are for the places of people and pronoun")
