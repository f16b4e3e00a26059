"""The rules that sentences of WinoBias keep in a release: a sound set breaks none, and each breach is told."""

import dataclasses
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.records import OTHER
from gapforge.release.sentences import RULES, sentence_faults, shared_scenes
from gapforge.winobias.templates import Occupation, Scene, expand

OCCUPATIONS = [
    Occupation(name, women) for name, women in (("cook", 38), ("night guard", 22), ("baker", 65), ("clerk", 72))
]
SCENES = [
    Scene("type1", 0, "{A} met {B} because {he} was bored.", "{A} met {B} because {he} was there."),
    Scene("type1", 1, "{A} saw {B} when {his} eyes opened.", "{A} saw {B} when {his} door opened."),
    Scene("type2", 0, "{A} said that {B} had seen {him}.", "{A} met {B} and greeted {him}."),
    Scene("type2", 1, "{A} knew that {B} liked {him}.", "{A} met {B} and thanked {him}."),
]
SENTENCES = list(expand(SCENES, OCCUPATIONS))
ROWS = [it for it in SENTENCES if it.split == "development"]
FIRST = ROWS[0]  # [The cook] met the baker because [he] was bored.

PRONOUN = "the pronoun is not at its offset"
REFERENT = "the referent is not at its offset"
OTHER_ONE = "the other one is not at its offset"
OVERLAP = "pronoun and occupations overlap"
GENDER = "the gender is not the pronoun's"
NAMED = "a mention does not name its occupation"
SHARES = "the condition is not what the shares of women say"
ID = "the id is not of split, kind, condition and number"
SPLIT = "the split is not that of its table"
TWICE = "the id occurs twice"
LONE = "not one sentence of each condition"
UNLIKE = "the two sentences of a pair differ in more than the pronoun"


def faults(rows):
    return list(sentence_faults(rows, "development"))


def with_first(**changes):
    return [dataclasses.replace(FIRST, **changes), *ROWS[1:]]


def test_the_first_sentence_is_the_one_that_is_changed():
    assert FIRST.text == "The cook met the baker because he was bored."
    assert (FIRST.id, FIRST.pronoun_offset, FIRST.other_offset) == ("dev-type1-pro-1", 31, 13)


@pytest.mark.parametrize("split", ["development", "test"])
def test_a_sound_set(split):
    rows = [it for it in SENTENCES if it.split == split]
    assert len(rows) == 16
    assert list(sentence_faults(rows, split)) == []
    assert list(sentence_faults(rows[::-1], split)) == []


def test_no_sentences_break_no_rule():
    assert faults([]) == []


def test_every_rule_of_a_sentence_has_its_breach_below():
    assert set(RULES) == {PRONOUN, REFERENT, OTHER_ONE, OVERLAP, GENDER, NAMED, SHARES, ID}


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({"pronoun": "she"}, [PRONOUN, GENDER]),
        ({"pronoun": ""}, [PRONOUN, GENDER]),
        ({"pronoun_offset": 30}, [PRONOUN]),
        ({"pronoun_offset": -13}, [PRONOUN]),  # which Python would count from the end
        ({"referent": "A cook"}, [REFERENT]),
        ({"referent_offset": 1}, [REFERENT]),
        ({"other": "The baker"}, [OTHER_ONE]),
        ({"other_offset": 14}, [OTHER_ONE]),
        ({"text": "the cook met the baker because he was bored."}, [REFERENT]),
        ({"pronoun": "he", "pronoun_offset": 1}, [OVERLAP]),  # that of "The"
        ({"other": "The cook", "other_offset": 0, "other_occupation": "cook"}, [OVERLAP]),
        ({"gender": "feminine"}, [GENDER, SHARES]),
        ({"pronoun": "h"}, [GENDER]),
        ({"occupation": "clerk"}, [NAMED]),
        ({"other_occupation": "aker"}, [NAMED]),
        ({"occupation": "Cook"}, [NAMED]),
        ({"women": 62}, [SHARES]),
        ({"other_women": 35}, [SHARES]),
        ({"women": 62, "other_women": 35}, [SHARES]),  # then he would be anti
        ({"condition": "anti"}, [SHARES, ID]),
        ({"id": "type1-pro-1"}, [ID]),
        ({"pair_id": "dev-type1-2"}, [ID]),
        ({"number": 2}, [ID]),
        ({"kind": "type2"}, [ID]),
        ({"split": "test"}, [ID, SPLIT]),
        ({"split": "test", "id": "test-type1-pro-1", "pair_id": "test-type1-1"}, [SPLIT]),
    ],
    ids=str,
)
def test_a_sentence_that_breaks_a_rule(changes, rules):
    rows = with_first(**changes)
    assert faults(rows) == [(rule, [rows[0].id]) for rule in rules]


def test_each_rule_is_told_once_with_all_who_break_it():
    rows = [dataclasses.replace(it, gender=OTHER[it.gender]) if it.number < 3 else it for it in ROWS]
    changed = [it.id for it in ROWS if it.number < 3]
    assert len(changed) == 8
    assert faults(rows) == [(GENDER, changed), (SHARES, changed)]


def test_an_id_that_is_there_twice():
    assert faults([*ROWS, FIRST, FIRST]) == [(TWICE, ["dev-type1-pro-1", "dev-type1-pro-1"])]


def test_an_unknown_split_is_told():
    rows = with_first(split="train")
    assert faults(rows) == [(ID, ["dev-type1-pro-1"]), (SPLIT, ["dev-type1-pro-1"])]


def pair_of(number, **changes):
    """The rows with other values in both sentences of a pair of type 1."""
    return [
        dataclasses.replace(it, **changes) if (it.kind, it.number) == ("type1", number) else it for it in ROWS
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"text": FIRST.text.replace("bored", "tired")}, UNLIKE),
        ({"text": FIRST.text.removesuffix(".")}, UNLIKE),
        ({"text": FIRST.text.replace("met", "saw")}, UNLIKE),
        ({"scene": "type1-03"}, UNLIKE),
        ({"end": "second"}, UNLIKE),
        ({"women": 37}, UNLIKE),
        ({"other_women": 66}, UNLIKE),
        ({"number": 9, "id": "dev-type1-pro-9", "pair_id": "dev-type1-9"}, LONE),
    ],
    ids=str,
)
def test_a_pair_that_differs_in_more_than_the_pronoun(changes, rule):
    expected = ["dev-type1-1"] if rule == UNLIKE else ["dev-type1-9", "dev-type1-1"]
    assert faults(with_first(**changes)) == [(rule, expected)]


def test_what_both_of_a_pair_share_is_no_difference():
    assert faults(pair_of(1, scene="type1-03", women=37)) == []


def test_a_sentence_alone_is_no_pair():
    found = faults(ROWS[1:])
    assert found[0] == (LONE, ["dev-type1-1"])
    assert found[1] == ("type1 pro: occupations are not meant as often as others", ["cook"])
    assert len(found) == 2


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        (
            [("type1", 1)],
            [
                ("type1 pro: occupations are not meant as often as others", ["cook"]),
                ("type1 anti: occupations are not meant as often as others", ["cook"]),
            ],
        ),
        (
            [("type2", 2), ("type2", 4)],
            [
                ("type2 pro: occupations are not meant as often as others", ["baker", "clerk"]),
                ("type2 anti: occupations are not meant as often as others", ["baker", "clerk"]),
            ],
        ),
        ([("type1", 1), ("type1", 2), ("type1", 3), ("type1", 4)], []),  # a kind that is not there
    ],
    ids=str,
)
def test_occupations_that_are_meant_more_often_than_others(left_out, expected):
    found = faults([it for it in ROWS if (it.kind, it.number) not in left_out])
    assert [(rule, sorted(names)) for rule, names in found] == expected


def test_an_occupation_that_is_only_ever_the_other_one():
    rows = [it for it in ROWS if it.occupation != "cook"]
    assert "cook" in {it.other_occupation for it in rows}
    assert [names for _, names in faults(rows)] == [["cook"]] * 4


def test_pairs_are_looked_at_only_where_every_sentence_is_sound():
    rows = [dataclasses.replace(it, gender="feminine") if it is FIRST else it for it in ROWS[:-1]]
    assert [rule for rule, _ in faults(rows)] == [GENDER, SHARES]


def test_scenes_in_two_splits():
    splits = {name: list(its) for name, its in groupby(SENTENCES, key=lambda it: it.split)}
    assert list(splits) == ["development", "test"]
    assert shared_scenes(splits) == []
    splits["test"] += [it for it in ROWS if it.scene == "type2-01" and it.end == "first"]
    splits["test"] += [it for it in ROWS if it.scene == "type1-01"]
    assert shared_scenes(splits) == ["type1-01", "type2-01"]
    assert shared_scenes({}) == []


OFFSETS = {"pronoun_offset": PRONOUN, "referent_offset": REFERENT, "other_offset": OTHER_ONE}


@given(st.integers(0, len(ROWS) - 1), st.sampled_from(sorted(OFFSETS)), st.integers(-50, 50).filter(bool))
def test_no_offset_can_be_moved_unnoticed(place, name, by):
    row = dataclasses.replace(ROWS[place], **{name: getattr(ROWS[place], name) + by})
    rules = {rule for rule, _ in faults([*ROWS[:place], row, *ROWS[place + 1 :]])}
    assert rules
    assert rules <= {OFFSETS[name], OVERLAP, UNLIKE}  # "there" holds "he": then the other of its pair tells


@given(st.permutations(ROWS))
def test_the_order_of_rows_does_not_matter(rows):
    assert faults(rows) == []
