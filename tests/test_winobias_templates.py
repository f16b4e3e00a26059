"""Scenes with occupations put in: whatever they are, two sentences of a pair differ in the pronoun, and all is even."""

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.counterfactuals.words import swap_text
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.records import OTHER, WinoBiasSentence
from gapforge.release.sentences import sentence_faults, shared_scenes
from gapforge.winobias.templates import (
    ENDS,
    Occupation,
    Scene,
    expand,
    pairs_for,
    read_occupations,
    read_scenes,
    sentence_of,
    split_of,
)

SCENES = read_scenes()
OCCUPATIONS = read_occupations()
SENTENCES = list(expand(SCENES, OCCUPATIONS))
# The pronoun in each case, and by gender.
FORMS = {
    "{he}": {"masculine": "he", "feminine": "she"},
    "{him}": {"masculine": "him", "feminine": "her"},
    "{his}": {"masculine": "his", "feminine": "her"},
}
COOK, GUARD, BAKER, CLERK = (
    Occupation(*it) for it in (("cook", 38), ("guard", 22), ("baker", 65), ("clerk", 72))
)  # two of each stereotype
SCENE = Scene("type1", 0, "{A} woke {B} because {he} was bored.", "{A} woke {B} because {his} alarm was out of order.")


def groups(sentences):
    found = defaultdict(list)
    for it in sentences:
        found[it.split, it.kind, it.condition].append(it)
    return found


def pairs_in(sentences):
    """The two sentences of each pair, pro first."""
    found = defaultdict(dict)
    for it in sentences:
        found[it.pair_id][it.condition] = it
    return [(its["pro"], its["anti"]) for its in found.values()]


def without_pronoun(it):
    return it.text[: it.pronoun_offset] + "_" + it.text[it.pronoun_offset + len(it.pronoun) :]


def test_there_are_at_least_as_many_sentences_as_in_the_paper():
    assert len(SENTENCES) >= 3160
    assert len(SENTENCES) == 2 * len(SCENES) * 2 * len(OCCUPATIONS) / 2
    counts = Counter(it.split for it in SENTENCES)
    assert set(counts) == {"development", "test"}
    assert counts["development"] == counts["test"] >= 1580


def test_a_sentence_to_the_letter():
    assert sentence_of(SCENE, "second", (COOK, CLERK), "test", "anti", 7) == WinoBiasSentence(
        id="test-type1-anti-7",
        text="The cook woke the clerk because his alarm was out of order.",
        pronoun="his",
        pronoun_offset=32,
        referent="the clerk",
        referent_offset=14,
        other="The cook",
        other_offset=0,
        gender="masculine",
        kind="type1",
        condition="anti",
        split="test",
        number=7,
        pair_id="test-type1-7",
        scene="type1-01",
        end="second",
        occupation="clerk",
        women=72,
        other_occupation="cook",
        other_women=38,
    )


@pytest.mark.parametrize(
    ("end", "pair", "condition", "text"),
    [
        ("first", (COOK, CLERK), "pro", "The cook woke the clerk because he was bored."),
        ("first", (COOK, CLERK), "anti", "The cook woke the clerk because she was bored."),
        ("first", (CLERK, COOK), "pro", "The clerk woke the cook because she was bored."),
        ("first", (CLERK, COOK), "anti", "The clerk woke the cook because he was bored."),
        ("second", (COOK, CLERK), "pro", "The cook woke the clerk because her alarm was out of order."),
        ("second", (CLERK, COOK), "pro", "The clerk woke the cook because his alarm was out of order."),
        ("second", (CLERK, COOK), "anti", "The clerk woke the cook because her alarm was out of order."),
    ],
)
def test_whose_stereotype_the_pronoun_follows(end, pair, condition, text):
    assert sentence_of(SCENE, end, pair, "test", condition, 1).text == text


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (0, [(COOK, BAKER), (GUARD, CLERK)]),
        (1, [(CLERK, COOK), (BAKER, GUARD)]),
        (2, [(COOK, BAKER), (GUARD, CLERK)]),
    ],
)
def test_each_turn_has_its_pairs(turn, expected):
    assert list(pairs_for(turn, [COOK, GUARD, BAKER, CLERK])) == expected
    assert list(pairs_for(turn, [BAKER, COOK, CLERK, GUARD])) == expected


def test_a_scene_in_order():
    found = [(it.id, it.text) for it in expand([SCENE], [COOK, GUARD, BAKER, CLERK])]
    assert found == [
        ("dev-type1-pro-1", "The cook woke the baker because he was bored."),
        ("dev-type1-pro-2", "The cook woke the baker because her alarm was out of order."),
        ("dev-type1-pro-3", "The guard woke the clerk because he was bored."),
        ("dev-type1-pro-4", "The guard woke the clerk because her alarm was out of order."),
        ("dev-type1-anti-1", "The cook woke the baker because she was bored."),
        ("dev-type1-anti-2", "The cook woke the baker because his alarm was out of order."),
        ("dev-type1-anti-3", "The guard woke the clerk because she was bored."),
        ("dev-type1-anti-4", "The guard woke the clerk because his alarm was out of order."),
    ]


def test_every_sentence_is_its_scene_with_occupations_and_the_right_form_of_the_pronoun():
    """Put together by another way than the expansion's: place for place."""
    scenes = {scene.name: scene for scene in SCENES}
    wrong = []
    for it in SENTENCES:
        template = getattr(scenes[it.scene], it.end)
        first, second = (it.referent, it.other) if it.end == "first" else (it.other, it.referent)
        (case,) = (case for case in FORMS if case in template)
        text = template.replace("{A}", first).replace("{B}", second).replace(case, FORMS[case][it.gender])
        if it.text != text or it.pronoun != FORMS[case][it.gender] or scenes[it.scene].kind != it.kind:
            wrong.append(it.id)
    assert wrong == []


def test_each_case_is_there_for_each_gender():
    assert {it.pronoun for it in SENTENCES} == {"he", "him", "his", "she", "her"}


def test_mentions_are_at_their_offsets_with_their_articles():
    for it in SENTENCES:
        for words, start in (
            (it.pronoun, it.pronoun_offset),
            (it.referent, it.referent_offset),
            (it.other, it.other_offset),
        ):
            assert it.text[start : start + len(words)] == words
        article, other = ("The", "the") if it.end == "first" else ("the", "The")
        assert (it.referent, it.other) == (f"{article} {it.occupation}", f"{other} {it.other_occupation}")


def test_the_two_of_a_pair_differ_in_the_pronoun_alone():
    pairs = pairs_in(SENTENCES)
    assert len(pairs) * 2 == len(SENTENCES)
    for pro, anti in pairs:
        assert without_pronoun(pro) == without_pronoun(anti)
        assert pro.pronoun != anti.pronoun
        assert (pro.referent_offset, pro.other_offset) == (anti.referent_offset, anti.other_offset)
        assert (pro.number, pro.scene, pro.end, pro.occupation) == (anti.number, anti.scene, anti.end, anti.occupation)
        assert pro.gender == OTHER[anti.gender]


def test_the_condition_follows_from_the_share_of_women_and_the_pronoun():
    women = {it.name: it.women for it in OCCUPATIONS}
    for it in SENTENCES:
        assert (it.women, it.other_women) == (women[it.occupation], women[it.other_occupation])
        assert (it.women > 50) != (it.other_women > 50)
        suggested = "feminine" if it.women > 50 else "masculine"
        assert it.condition == ("pro" if it.gender == suggested else "anti")


def test_each_occupation_is_meant_as_often_as_any_other_in_each_part():
    found = groups(SENTENCES)
    assert len(found) == 8
    for its in found.values():
        counts = Counter(it.occupation for it in its)
        assert len(counts) == len(OCCUPATIONS)
        assert len(set(counts.values())) == 1
        assert Counter(it.other_occupation for it in its) == counts
        assert Counter(it.gender for it in its) == dict.fromkeys(("feminine", "masculine"), len(its) // 2)
        assert Counter(it.end for it in its) == dict.fromkeys(ENDS, len(its) // 2)


@pytest.mark.parametrize("stereotype", ["masculine", "feminine"])
def test_each_occupation_begins_about_as_many_sentences_as_any_other(stereotype):
    names = [it.name for it in OCCUPATIONS if it.stereotype == stereotype]
    for its in groups(SENTENCES).values():
        begins = Counter(it.occupation for it in its if it.end == "first")
        scenes = len({it.scene for it in its})
        assert {name: begins[name] for name in names if begins[name] not in (scenes // 2, (scenes + 1) // 2)} == {}


def test_no_two_occupations_meet_twice_in_a_part():
    """There are fewer scenes of a kind in a split than occupations of a stereotype."""
    for its in groups(SENTENCES).values():
        met = Counter((it.occupation, it.other_occupation) for it in its)
        assert set(met.values()) == {1}


def test_splits_share_no_scene():
    by_split = {split: {it.scene for it in SENTENCES if it.split == split} for split in ("development", "test")}
    assert by_split["development"] & by_split["test"] == set()
    assert by_split["development"] | by_split["test"] == {scene.name for scene in SCENES}
    assert [split_of(scene) for scene in SCENES[:3]] == ["development", "test", "development"]


def test_ids_are_unique_and_numbers_without_gaps():
    assert len({it.id for it in SENTENCES}) == len(SENTENCES)
    for (split, kind, condition), its in groups(SENTENCES).items():
        short = {"development": "dev", "test": "test"}[split]
        assert [it.id for it in its] == [f"{short}-{kind}-{condition}-{n}" for n in range(1, len(its) + 1)]
        assert [it.pair_id for it in its] == [f"{short}-{kind}-{n}" for n in range(1, len(its) + 1)]


def test_no_text_is_there_twice():
    assert len({it.text for it in SENTENCES}) == len(SENTENCES)


def test_the_same_files_give_the_same_sentences():
    assert list(expand(read_scenes(), read_occupations())) == SENTENCES
    assert list(expand(tuple(SCENES), tuple(OCCUPATIONS))) == SENTENCES


def test_the_order_of_kinds_in_a_list_changes_no_sentence():
    turned = [*(it for it in SCENES if it.kind == "type2"), *(it for it in SCENES if it.kind == "type1")]
    assert sorted(expand(turned, OCCUPATIONS), key=lambda it: it.id) == sorted(SENTENCES, key=lambda it: it.id)


# The first pair of each template.
CHOSEN = {(pro.scene, pro.end): (pro.text, anti.text) for pro, anti in reversed(pairs_in(SENTENCES))}


def test_there_is_a_pair_of_each_template():
    assert len(CHOSEN) == 2 * len(SCENES)


@pytest.mark.parametrize("scene", [it.name for it in SCENES])
def test_gender_swapping_turns_one_condition_into_the_other(scene):
    """The exchange of gendered words, which knows nothing of templates, finds the pronoun and nothing else."""
    for end in ENDS:
        pro, anti = CHOSEN[scene, end]
        assert (swap_text(pro, DEFAULT_MODEL), swap_text(anti, DEFAULT_MODEL)) == (anti, pro)


NAMES = st.text("abcdefgé", min_size=1, max_size=8)


@st.composite
def occupations(draw):
    """As many of either stereotype, in any order."""
    half = draw(st.integers(1, 7))
    names = draw(st.lists(NAMES, min_size=2 * half, max_size=2 * half, unique=True))
    shares = [draw(st.integers(51, 100)) for _ in range(half)] + [draw(st.integers(0, 49)) for _ in range(half)]
    return draw(st.permutations([Occupation(*it) for it in zip(names, shares, strict=True)]))


@st.composite
def scenes(draw):
    """Any number of either kind, and any case of the pronoun."""
    found = []
    for kind in ("type1", "type2"):
        for number in range(draw(st.integers(0, 9))):
            cases = [draw(st.sampled_from(["{he}", "{him}", "{his}"])) for _ in ENDS]
            first, second = (
                f"{{A}} {kind} {number} {{B}} {end} {case} x." for end, case in zip(ENDS, cases, strict=True)
            )
            found.append(Scene(kind, number, first, second))
    return found


@given(scenes(), occupations())
def test_any_scenes_and_occupations_are_in_balance(scenes, occupations):
    found = list(expand(scenes, occupations))
    assert len(found) == len(scenes) * 2 * len(occupations)
    names = {it.name for it in occupations}
    for (split, kind, _), its in groups(found).items():
        chosen = [scene for scene in scenes if scene.kind == kind and split_of(scene) == split]
        assert Counter(it.occupation for it in its) == dict.fromkeys(names, len(chosen))
        assert {it.scene for it in its} == {scene.name for scene in chosen}
    for pro, anti in pairs_in(found):
        assert without_pronoun(pro) == without_pronoun(anti)


@given(scenes(), occupations())
def test_any_expansion_is_sound_as_a_part_of_a_release(scenes, occupations):
    splits = {"development": [], "test": []}
    for it in expand(scenes, occupations):
        splits[it.split].append(it)
    assert [fault for split, its in splits.items() for fault in sentence_faults(its, split)] == []
    assert shared_scenes(splits) == []


@given(occupations(), st.integers(0, 30))
def test_in_any_turn_everyone_meets_one_of_the_other_stereotype(occupations, turn):
    pairs = list(pairs_for(turn, occupations))
    assert sorted(it.name for pair in pairs for it in pair) == sorted(it.name for it in occupations)
    assert all(one.stereotype != other.stereotype for one, other in pairs)
    half = len(pairs)
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in pairs_for(turn + half, occupations)}
    if half > 1:
        assert {frozenset(it) for it in pairs}.isdisjoint(map(frozenset, pairs_for(turn + 1, occupations)))
