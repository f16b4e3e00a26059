"""Scenes with occupations and pronouns put in: WinoBias by the rules of its authors (Zhao et al. 2018, 2).

In each scene every occupation meets one of the other stereotype and is meant exactly once, with either pronoun. So
each half, pro and anti, has as many right answers for every occupation, and two sentences of a pair differ in the
pronoun alone. Splits part scenes, both ends together: no sentence of one is in the other with other occupations.
"""

from collections.abc import Iterator, Sequence
from typing import get_args

from pipeline.records import Condition, Gender, Kind, Split, WinoBiasSentence
from pipeline.winobias.occupations import Occupation
from pipeline.winobias.scenes import ENDS, PLACE, End, Scene

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
