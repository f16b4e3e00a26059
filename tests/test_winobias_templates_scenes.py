"""The scenes of WinoBias: how many there are, what each sentence must hold, and what a file of one's own may not."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.counterfactuals.words import partner_of, uses_in
from gapforge.errors import InputError
from gapforge.winobias.published import GENDERED
from gapforge.winobias.templates import ENDS, Scene, check_sentence, read_scenes

SCENES = read_scenes()
SENTENCES = [(scene.name, end, getattr(scene, end)) for scene in SCENES for end in ENDS]
LISTS = "wanted lists [[type1]] and [[type2]], each with a first and a second sentence"
ENTRY = "wanted a first and a second sentence, and no more"
PLACES = "wanted {A}, {B}, and then one of {he}, {him} and {his}"
ONE = "wanted one sentence that begins with {A}, with single blanks"
BRACKETS = "brackets are for the places of people and pronoun"


def place_names(sentence):
    return re.findall(r"\{(.*?)\}", sentence)


def plain(sentence):
    """The words of a scene alone: something of no gender stands in each of its places."""
    return re.sub(r"\{.*?\}", "it", sentence)


def test_there_are_as_many_templates_as_the_set_needs():
    assert {kind: count for kind, count in Counter(name[:5] for name, _, _ in SENTENCES).items() if count < 60} == {}
    assert sorted({scene.kind for scene in SCENES}) == ["type1", "type2"]


def test_scenes_are_numbered_within_their_kind():
    for kind in ("type1", "type2"):
        its = [scene for scene in SCENES if scene.kind == kind]
        assert [scene.number for scene in its] == list(range(len(its)))
        assert [scene.name for scene in its] == [f"{kind}-{n:02}" for n in range(1, len(its) + 1)]


def test_no_template_is_there_twice():
    assert len({sentence for _, _, sentence in SENTENCES}) == len(SENTENCES)


def test_every_sentence_has_two_people_and_then_a_pronoun():
    wrong = [
        (name, end)
        for name, end, sentence in SENTENCES
        if place_names(sentence) not in (["A", "B", "he"], ["A", "B", "him"], ["A", "B", "his"])
        or not sentence.startswith("{A} ")
        or not sentence.endswith(".")
    ]
    assert wrong == []


def test_both_ends_of_a_scene_have_the_pronoun_in_the_same_case():
    """Else its form would tell which of the two is meant."""
    assert [it.name for it in SCENES if place_names(it.first)[2] != place_names(it.second)[2]] == []


def test_pronouns_of_type_2_are_objects():
    assert {place_names(sentence)[2] for name, _, sentence in SENTENCES if name.startswith("type2")} == {"him"}


def gendered_words(sentence):
    """Pronouns, and words that have another for the other gender: "champion" is said of either."""
    keys = [use.key for use in uses_in(plain(sentence))]
    return [key for key in keys if key in GENDERED or partner_of(key, address=False, modifier=False)]


def test_no_sentence_holds_a_gendered_word_beside_its_pronoun():
    assert [(name, end, found) for name, end, it in SENTENCES if (found := gendered_words(it))] == []


@pytest.mark.parametrize("word", ["he", "herself", "actress", "policewoman", "wife", "king", "sons"])
def test_a_gendered_word_would_be_seen(word):
    assert gendered_words(f"{{A}} met {{B}} and the {word} because {{he}} slept.") == [word]


def test_no_article_is_left_before_a_place():
    """ "The" and "the" come with the occupation, and "a" before one would have to fit it."""
    assert [it for it in SENTENCES if re.search(r"\b(?:the|an?)\s\{", it[2], re.IGNORECASE)] == []


@pytest.fixture
def read(tmp_path):
    def call(text):
        path = tmp_path / "own.toml"
        path.write_text(text, "utf-8")
        return read_scenes(path)

    return call


def entry(kind="type1", first="{A} met {B} because {he} slept.", second="{A} met {B} because {he} woke."):
    return f"[[{kind}]]\nfirst = {first!r}\nsecond = {second!r}\n"


def test_a_file_of_one_s_own(read):
    text = entry("type2", "{A} saw {B} greet {him}.", "{A} saw {B} and greeted {him}.")
    text += entry() + entry("type1", "{A} hit {B}: {his} aim was bad.", "{A} hit {B}: {his} day was bad.")
    assert read(text) == [
        Scene("type1", 0, "{A} met {B} because {he} slept.", "{A} met {B} because {he} woke."),
        Scene("type1", 1, "{A} hit {B}: {his} aim was bad.", "{A} hit {B}: {his} day was bad."),
        Scene("type2", 0, "{A} saw {B} greet {him}.", "{A} saw {B} and greeted {him}."),
    ]


def test_one_kind_is_enough(read):
    assert [scene.name for scene in read(entry("type2"))] == ["type2-01"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"no scenes; {LISTS}"),
        ("type1 = []\n", f"no scenes; {LISTS}"),
        (entry("type3"), f"unknown list 'type3'; {LISTS}"),
        (entry() + "[women]\ncook = 38\n", f"unknown list 'women'; {LISTS}"),
        ("type1 = 3\n", f"type1 number 1: {ENTRY}"),
        ('type1 = ["{A} met {B} because {he} slept."]\n', f"type1 number 1: {ENTRY}"),
        (entry() + "[[type2]]\nfirst = '{A} saw {B} greet {him}.'\n", f"type2 number 1: {ENTRY}"),
        (entry() + entry("type1", "{A} led {B}, and {he} fell.", "{A} led {B}, and {he} rose.") + "third = ''\n",
         f"type1 number 2: {ENTRY}"),
        (entry() + entry("type2", second="{A} met {B} and left {him}."),
         "type2-01: '{A} met {B} because {he} slept.' is there twice; keep one of the two"),
        (entry(second="{A} met {B} because {he} slept."),
         "type1-01: '{A} met {B} because {he} slept.' is there twice; keep one of the two"),
        ("[[type1]\n", "not TOML (Expected ']]' at the end of an array declaration (at line 1, column 8)); " + LISTS),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used(read, tmp_path, text, message):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value) == f"{tmp_path / 'own.toml'}: {message}"


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("{A} met {B}.", PLACES),
        ("{A} met somebody because {he} slept.", PLACES),
        ("{B} met {A} because {he} slept.", PLACES),
        ("{A} met {he} because {B} slept.", PLACES),
        ("{A} met {B} because {she} slept.", PLACES),
        ("{A} met {B} because {He} slept.", PLACES),
        ("{A} met {B} because { he } slept.", PLACES),
        ("{A} met {B} because {} slept.", PLACES),
        ("{A} met {B} because {he} lost {his} key.", PLACES),
        ("{A} met {B} and {A} because {he} slept.", PLACES),
        ("", PLACES),
        ("Because {A} met {B}, {he} slept.", ONE),
        ("{A}, who met {B}, said that {he} slept.", ONE),
        ("{A}'s friend met {B} because {he} slept.", ONE),
        ("{A} met {B}  because {he} slept.", ONE),
        ("{A} met {B} because {he} slept. ", ONE),
        ("{A} met\t{B} because {he} slept.", ONE),
        ("{A} met {B}\u00a0because {he} slept.", ONE),
        ("{A} met [{B}] because {he} slept.", BRACKETS),
        ("{A} met {B} because {he} slept].", BRACKETS),
        ("{A} met {B} because {he} slept}.", BRACKETS),
        ("{A} met {B} because {{he} slept.", BRACKETS),
    ],
)
def test_a_sentence_that_is_no_template(sentence, wanted):
    with pytest.raises(InputError) as caught:
        check_sentence(sentence, "here")
    assert str(caught.value) == f"here: {sentence!r}; {wanted}"


@pytest.mark.parametrize(("value", "shown"), [("3", "3"), ("['{A} met {B} because {he} slept.']", None)])
def test_what_is_no_text_is_no_sentence(read, tmp_path, value, shown):
    with pytest.raises(InputError) as caught:
        read(entry() + f"[[type1]]\nfirst = {value}\nsecond = '{{A}} met {{B}} because {{he}} woke.'\n")
    assert str(caught.value) == f"{tmp_path / 'own.toml'}: type1 number 2, first: {shown or value}; {PLACES}"


@given(st.lists(st.sampled_from(["{A}", "{B}", "{he}", "{him}", "{his}", "met", "and"]), max_size=6))
def test_whatever_the_order_of_places_one_alone_is_taken(pieces):
    sentence = " ".join(pieces)
    placed = [it for it in pieces if it.startswith("{")]
    sound = len(placed) == 3 and placed[:2] == ["{A}", "{B}"] and placed[2] not in ("{A}", "{B}") and pieces[0] == "{A}"
    try:
        check_sentence(sentence, "here")
    except InputError as error:
        assert not sound
        assert str(error).startswith(f"here: {sentence!r}; wanted ")
    else:
        assert sound
