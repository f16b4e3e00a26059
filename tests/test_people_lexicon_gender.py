"""First names by gender-guesser, and the word lists about names."""

import re
import tomllib
from collections import Counter
from dataclasses import fields
from itertools import combinations

import pytest

from gapforge.people.lexicon import (
    NameLexicon,
    cased,
    first_name_gender,
    is_english,
    is_first_name,
    is_mostly,
    name_lexicon,
)
from gapforge.people.names import is_never
from gapforge.resources import resource

RAW = resource("lexicons/names.toml").read_text("utf-8")
LISTS = tomllib.loads(RAW)
TITLES = LISTS["titles"]
KINDS_OF_TITLE = ("masculine", "feminine", "traditional", "neutral")


@pytest.mark.parametrize(
    ("word", "gender", "on_list", "mostly"),
    [
        ("Dora", "feminine", True, False),
        ("Max", "masculine", True, False),
        ("Mary", "feminine", True, True),
        ("Leslie", "feminine", True, True),
        ("Mackenzie", "feminine", True, True),
        ("Sam", "masculine", True, True),
        ("Taylor", "masculine", True, True),
        ("Jean", "masculine", True, False),  # the French one: no country is asked for
        ("Andrea", "feminine", True, False),
        ("Pat", None, True, False),
        ("Jo", None, True, False),
        ("Þóra", "feminine", True, False),
        ("SALLIE", "feminine", True, False),
        ("MARY", "feminine", True, True),
        ("PAT", None, True, False),
        ("Zbqx", None, False, False),
        ("Stroud", None, False, False),
        ("J", None, False, False),
        ("dora", None, False, False),
        ("", None, False, False),
    ],
)
def test_first_names(word, gender, on_list, mostly):
    assert (first_name_gender(word), is_first_name(word), is_mostly(word)) == (gender, on_list, mostly)


@pytest.mark.parametrize(
    ("word", "english"),
    [("Dora", True), ("DORA", True), ("Max", True), ("Pat", True), ("Ott", False), ("Þóra", False), ("Zbqx", False)],
)
def test_is_english(word, english):
    assert is_english(word) is english


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("DORA", "Dora"),
        ("Dora", "Dora"),
        ("McAdam", "McAdam"),
        ("J", "J"),
        ("ÉLODIE", "Élodie"),
        ("K9", "K9"),
        ("", ""),
    ],
)
def test_cased(word, expected):
    assert cased(word) == expected


@pytest.mark.parametrize(("word", "expected"), [("MARY-ANNE", "Mary-Anne"), ("O'HARA", "O'Hara"), ("O’HARA", "O’Hara")])
def test_each_part_of_a_word_in_capitals_keeps_its_own(word, expected):
    assert cased(word) == expected


@pytest.mark.parametrize("name", [it.name for it in fields(NameLexicon)])
def test_no_list_is_empty(name):
    assert len(getattr(name_lexicon(), name)) > 5


@pytest.mark.parametrize(("left", "right"), list(combinations(KINDS_OF_TITLE, 2)))
def test_every_title_has_one_gender(left, right):
    assert set(TITLES[left].split()) & set(TITLES[right].split()) == set()


@pytest.mark.parametrize("kind", KINDS_OF_TITLE)
def test_titles_carry_their_gender(kind):
    expected = {"masculine": "masculine", "feminine": "feminine", "traditional": "masculine", "neutral": None}[kind]
    assert {name_lexicon().titles[word] for word in TITLES[kind].split()} == {expected}


@pytest.mark.parametrize(
    ("title", "gender"),
    [
        *[(it, "masculine") for it in ("Mr", "Sir", "Lord", "Uncle", "Prince", "King", "Captain", "Rev", "M")],
        *[(it, "feminine") for it in ("Mrs", "Miss", "Ms", "Lady", "Aunt", "Queen", "Princess", "Mme")],
        *[(it, None) for it in ("Dr", "Prof", "Judge", "President", "Inspector", "Cousin")],
    ],
)
def test_titles_of_the_definitions(title, gender):
    assert name_lexicon().titles[title] == gender


def test_titles_count_all_kinds():
    assert len(name_lexicon().titles) == sum(len(set(TITLES[kind].split())) for kind in KINDS_OF_TITLE)


def test_personal_and_traditional_are_titles():
    lexicon = name_lexicon()
    assert lexicon.personal <= lexicon.titles.keys()
    assert lexicon.traditional <= lexicon.titles.keys()
    assert lexicon.of_titles <= lexicon.titles.keys()
    assert lexicon.personal & lexicon.traditional == set()


def test_no_word_of_grammar_is_a_first_name_too():
    assert name_lexicon().function & name_lexicon().double == set()


def test_never_holds_grammar_and_titles_but_not_double_meanings():
    lexicon = name_lexicon()
    assert (lexicon.function | lexicon.titles.keys()) - lexicon.double <= lexicon.never
    assert lexicon.never & lexicon.double == set()
    assert lexicon.capital_particles <= lexicon.never


@pytest.mark.parametrize("word", ["TV", "THE", "XIV"])
def test_what_never_is_a_name_is_found_in_capitals_too(word):
    assert is_never(word)


def test_strong_heads_are_heads():
    assert name_lexicon().strong_heads - name_lexicon().heads == set()


def test_common_surnames_among_kinds_are_known_as_such():
    lexicon = name_lexicon()
    assert (lexicon.kinds & lexicon.surnames) - lexicon.kinds_and_surnames == set()


def test_small_words_are_small_and_names_are_capital():
    lexicon = name_lexicon()
    small = ("abbreviations", "particles", "pasts", "verbs", "before_people", "subordinators", "prepositions")
    for name in small:
        assert {word for word in getattr(lexicon, name) if word != word.lower()} == set(), name
    for name in {it.name for it in fields(NameLexicon)} - set(small):
        assert {word for word in getattr(lexicon, name) if not word[0].isupper()} == set(), name


def test_abbreviations_stand_without_their_full_stop():
    assert {word for word in name_lexicon().abbreviations if word.endswith(".")} == set()


def test_abbreviated_titles_do_not_end_sentences():
    short = [
        "Mr",
        "Mrs",
        "Ms",
        "Dr",
        "Prof",
        "Capt",
        "Col",
        "Maj",
        "Gen",
        "Lieut",
        "Lt",
        "Sgt",
        "Rev",
        "Hon",
        "Mme",
        "Mlle",
        "Messrs",
        "Cmdr",
        "Adm",
    ]
    assert {word for word in short if word.lower() not in name_lexicon().abbreviations} == set()
    assert {word for word in short if word not in name_lexicon().titles} == set()


def test_no_key_stands_twice():
    # tomllib raises for a duplicate within a table; this looks across the two.
    keys = re.findall(r"^(\w+) =", RAW, re.MULTILINE)
    assert [key for key, count in Counter(keys).items() if count > 1] == []
    assert set(keys) == (LISTS.keys() | TITLES.keys()) - {"titles"}
