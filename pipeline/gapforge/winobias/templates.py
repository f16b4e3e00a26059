"""Scenes with occupations and pronouns put in: WinoBias by the rules of its authors (Zhao et al. 2018, 2).

In each scene every occupation meets one of the other stereotype and is meant exactly once, with either pronoun. So
each half, pro and anti, has as many right answers for every occupation, and two sentences of a pair differ in the
pronoun alone. Splits part scenes, both ends together: no sentence of one is in the other with other occupations.

The occupations of WinoBias with the share of women who have them (Zhao et al. 2018, Table 1).

The sentences of WinoBias before occupations and pronouns are put in (`resources/winobias/scenes.toml`).

A scene has two ends. In the first the pronoun means the occupation that the sentence begins with, in the second the
other one, so that neither place nor verb gives the answer away.

The stage of this room: scenes and occupations to the sentences of WinoBias.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from gapforge.errors import InputError, one_line
from gapforge.records import Condition, Gender, Kind, Note, Split, WinoBiasSentence
from gapforge.resources import resource
from gapforge.storage.files import read_text
from gapforge.winobias.published import GENDERED

OCCUPATIONS = resource("winobias/occupations.toml")
NAME = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
WANTED_OF_OCCUPATIONS = "wanted a table [women] with lines such as carpenter = 2"


@dataclass(frozen=True, slots=True)
class Occupation:
    """What somebody is called, without an article, and how many of a hundred who are called so are women."""

    name: str
    women: int

    @property
    def stereotype(self) -> Gender:
        return "feminine" if self.women > 50 else "masculine"


def read_occupations(path: Path = OCCUPATIONS) -> list[Occupation]:
    """The occupations in the order of the file; InputError unless as many are of one stereotype as of the other."""
    tables = read_toml(path, WANTED_OF_OCCUPATIONS)
    table = tables.get("women")
    if not isinstance(table, dict) or len(tables) > 1:
        raise InputError(f"{path}: {'not only' if isinstance(table, dict) else 'no'} [women]; {WANTED_OF_OCCUPATIONS}")
    found = [occupation_of(name, women, path) for name, women in table.items()]
    names = [it.name.casefold() for it in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{path}: {twice[0]} is there twice; keep one of the two")
    counts = {it: sum(occupation.stereotype == it for occupation in found) for it in ("feminine", "masculine")}
    if len(set(counts.values())) > 1 or not found:
        told = " and ".join(f"{count} of stereotype {gender}" for gender, count in counts.items())
        raise InputError(f"{path}: {told}; every sentence needs one of each, so there must be as many of either")
    return found


def occupation_of(name: str, women: Any, path: Path) -> Occupation:
    if not isinstance(women, int) or isinstance(women, bool) or not 0 <= women <= 100 or women == 50:
        raise InputError(f"{path}: {name} = {women!r}; wanted the percentage of women, a whole number that is not 50")
    if not NAME.fullmatch(name) or name.lower().split()[0] in ("the", "a", "an"):
        raise InputError(f"{path}: {name!r} is no occupation; wanted words, such as 'construction worker'")
    return Occupation(name, women)


def read_toml(path: Path, wanted: str) -> dict[str, Any]:
    """A TOML file; InputError says what is wanted where it is none."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not TOML ({one_line(error)}); {wanted}") from error


SCENES = resource("winobias/scenes.toml")
WANTED_OF_SCENES = "wanted lists [[type1]] and [[type2]], each with a first and a second sentence"
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
    lists = read_toml(path, WANTED_OF_SCENES)
    if unknown := [name for name in lists if name not in KINDS]:
        raise InputError(f"{path}: unknown list {unknown[0]!r}; {WANTED_OF_SCENES}")
    found = [scene for kind in KINDS for scene in scenes_of(kind, lists.get(kind, []), path)]
    seen: set[str] = set()
    for scene in found:
        for end in ENDS:
            sentence = getattr(scene, end)
            if sentence in seen:
                raise InputError(f"{path}: {scene.name}: {sentence!r} is there twice; keep one of the two")
            seen.add(sentence)
    if not found:
        raise InputError(f"{path}: no scenes; {WANTED_OF_SCENES}")
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


SPLITS: tuple[Split, ...] = ("development", "test")
SHORT: dict[Split, str] = {"development": "dev", "validation": "val", "test": "test"}  # as published files have it
PRONOUNS: dict[Gender, dict[str, str]] = {
    "masculine": {"he": "he", "him": "him", "his": "his"},
    "feminine": {"he": "she", "him": "her", "his": "her"},
}
GENDERS: tuple[Gender, ...] = get_args(Gender)


def expand(scenes: Sequence[Scene], occupations: Sequence[Occupation]) -> Iterator[WinoBiasSentence]:
    """The sentences by split, kind and condition, those of each numbered from 1."""
    for split in SPLITS:
        for kind in dict.fromkeys(scene.kind for scene in scenes):
            chosen = [scene for scene in scenes if scene.kind == kind and split_of(scene) == split]
            for condition in get_args(Condition):
                yield from condition_sentences(chosen, occupations, split, kind, condition)


def split_of(scene: Scene) -> Split:
    return SPLITS[scene.number % len(SPLITS)]


def condition_sentences(
    scenes: Sequence[Scene], occupations: Sequence[Occupation], split: Split, kind: Kind, condition: Condition
) -> Iterator[WinoBiasSentence]:
    number = 0
    for turn, scene in enumerate(scenes):
        for pair in pairs_for(turn, occupations):
            for end in ENDS:
                number += 1
                yield sentence_of(scene, end, pair, split, condition, number)


def pairs_for(turn: int, occupations: Sequence[Occupation]) -> Iterator[tuple[Occupation, Occupation]]:
    """Every occupation once, beside one of the other stereotype; each turn has other pairs.

    Of each pair either comes first by turns: half of the pairs of a turn, and half of the turns of an occupation.
    """
    feminine, masculine = ([it for it in occupations if it.stereotype == gender] for gender in GENDERS)
    for place, one in enumerate(masculine):
        other = feminine[(place + turn) % len(feminine)]
        # By halves of the place, since that of the other has the parity of place and turn.
        yield (one, other) if (place // 2 + turn) % 2 == 0 else (other, one)


def sentence_of(
    scene: Scene, end: End, pair: tuple[Occupation, Occupation], split: Split, condition: Condition, number: int
) -> WinoBiasSentence:
    referent, other = pair if end == "first" else (pair[1], pair[0])
    gender = referent.stereotype if condition == "pro" else other.stereotype
    words = {"A": f"The {pair[0].name}", "B": f"the {pair[1].name}", **PRONOUNS[gender]}
    text, starts = "", {}
    for place, piece in enumerate(PLACE.split(getattr(scene, end))):
        if place % 2:
            starts[piece if piece in ("A", "B") else "pronoun"] = (len(text), words[piece])
        text += words[piece] if place % 2 else piece
    ours, theirs = ("A", "B") if end == "first" else ("B", "A")
    file = f"{SHORT[split]}-{scene.kind}"
    return WinoBiasSentence(
        id=f"{file}-{condition}-{number}",
        text=text,
        pronoun=starts["pronoun"][1],
        pronoun_offset=starts["pronoun"][0],
        referent=starts[ours][1],
        referent_offset=starts[ours][0],
        other=starts[theirs][1],
        other_offset=starts[theirs][0],
        gender=gender,
        kind=scene.kind,
        condition=condition,
        split=split,
        number=number,
        pair_id=f"{file}-{number}",
        scene=scene.name,
        end=end,
        occupation=referent.name,
        women=referent.women,
        other_occupation=other.name,
        other_women=other.women,
    )


@dataclass(frozen=True, slots=True)
class WinoBiasSettings:
    """The `[winobias]` section: whether the set is made, and files of occupations and scenes of the user's own.

    Paths begin at the config's own folder; where one is empty, the embedded file is taken.
    """

    include: bool = False
    occupations: str = ""
    scenes: str = ""


def read_resources(settings: WinoBiasSettings, files: Mapping[str, Path]) -> tuple[list[Scene], list[Occupation]]:
    scenes = read_scenes(files[settings.scenes] if settings.scenes else SCENES)
    return scenes, read_occupations(files[settings.occupations] if settings.occupations else OCCUPATIONS)


def own_files(settings: WinoBiasSettings, base: Path) -> dict[str, Path]:
    """The user's own files by the names that the config gives them; an error in one is reported before any work."""
    files = {name: base / name for name in (settings.occupations, settings.scenes) if name}
    read_resources(settings, files)
    return files


def sentences(settings: WinoBiasSettings, files: Mapping[str, Path]) -> Iterator[WinoBiasSentence | Note]:
    """The stage WinoBias: all sentences, with a note of what they are made of."""
    scenes, occupations = read_resources(settings, files)
    made = list(expand(scenes, occupations))
    yield from made
    counts = ", ".join(f"{sum(it.split == split for it in made):,} {split}" for split in SPLITS)
    yield Note(f"{len(scenes):,} scenes with two ends, {len(occupations):,} occupations: sentences {counts}")
