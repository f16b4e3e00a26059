"""The phrases that come with the project: what no list of them may hold, and how they are looked up."""

import re
from itertools import chain

import pytest

from gapforge.subjectivity.content import is_gendered, is_negation, is_number
from gapforge.subjectivity.transfer import FORMS, load_phrases

PHRASES = load_phrases()
PLAIN = re.compile(r"[a-zé]+(?:[- ][a-z]+)*")
LISTS = {
    **{f"stance {kind}": words for kind, words in PHRASES.stance.items()},
    **{f"manner of {verb}": manner.adverbs for verb, manner in PHRASES.manner.items()},
    **{f"{noun} after {after}": words for (noun, after), words in PHRASES.adjectives.items()},
    **{f"loaded for {verb}": tuple(chain(*loaded.forms)) for verb, loaded in PHRASES.loaded.items()},
    "intensifiers": PHRASES.intensifiers,
}


def test_there_are_many():
    assert len(LISTS) > 500
    assert len(set(chain(*LISTS.values()))) > 500


def test_nothing_that_the_content_check_would_refuse():
    words = {word for phrase in chain(*LISTS.values()) for word in re.split("[- ]", phrase)}
    assert [word for word in sorted(words) if is_negation(word) or is_number(word) or is_gendered(word)] == []


def test_every_phrase_is_plain_lower_case():
    strange = {phrase for phrase in chain(*LISTS.values()) if not PLAIN.fullmatch(phrase)}
    assert strange == set()
    assert [it for it in PHRASES.gradable if not PLAIN.fullmatch(it)] == []


def test_no_list_names_a_phrase_twice():
    doubled = {name for name, words in LISTS.items() if len(set(words)) < len(words) and not name.startswith("loaded")}
    assert doubled == set()
    assert {verb for verb, it in PHRASES.loaded.items() if len(set(it.forms)) < len(it.forms)} == set()


def test_loaded_verbs_have_four_forms():
    for verb, loaded in PHRASES.loaded.items():
        assert {len(forms) for forms in loaded.forms} == {4}, verb
        for base, third, past, participle in loaded.forms:
            stem = base.split()[0]
            assert third.split()[0] in (f"{stem}s", f"{stem}es", f"{stem[:-1]}ies"), verb
            regular = past == participle and past.split()[0].endswith("ed")
            assert regular or (past, participle) == ("strove", "striven"), verb
            assert {it.split()[1:] == base.split()[1:] for it in (third, past, participle)} == {True}, verb


def test_no_verb_is_loaded_with_itself():
    assert {verb for verb, it in PHRASES.loaded.items() if verb in chain(*it.forms)} == set()


@pytest.mark.parametrize(("tag", "form"), [("VB", "strive"), ("VBP", "strive"), ("VBZ", "strives"), ("VBD", "strove")])
def test_forms_by_tag(tag, form):
    assert PHRASES.loaded["try"].forms[1][FORMS[tag]] == form
    assert PHRASES.loaded["try"].forms[1][FORMS["VBN"]] == "striven"


def test_every_need_is_known():
    needs = {"clause", "infinitive", "object infinitive", "object", "person"}
    assert {it.needs for it in PHRASES.loaded.values()} == needs
    assert {it.needs for it in PHRASES.manner.values()} == {"", "object", "no object"}


def test_every_stance_has_its_phrases():
    assert set(PHRASES.stance_of_verb.values()) == {"bad", "good", "neutral"}
    assert set(PHRASES.stance) == {"bad", "good", "neutral", "inner_bad", "inner_good"}
    assert set(PHRASES.stance["inner_bad"]) <= set(PHRASES.stance["bad"])
    assert set(PHRASES.stance["inner_good"]) <= set(PHRASES.stance["good"])


@pytest.mark.parametrize(
    ("verb", "passive", "tags", "needs", "adverb"),
    [
        ("win", False, ("VBD", "VBZ", "VBN"), "", "deservedly"),
        ("direct", True, ("VBD", "VBZ", "VBN"), "object", "brilliantly"),
        ("say", False, ("VBD",), "", "famously"),
        ("return", False, ("VBD", "VBZ", "VBN"), "no object", "memorably"),
        ("beat", True, ("VBD", "VBZ", "VBN"), "", "convincingly"),
    ],
)
def test_manners(verb, passive, tags, needs, adverb):
    found = PHRASES.manner[verb]
    assert (found.passive, found.tags, found.needs) == (passive, tags, needs)
    assert adverb in found.adverbs


def test_adjectives_by_what_stands_before():
    assert "beloved" in PHRASES.adjectives["wife", "possessor"]
    assert ("wife", "a") not in PHRASES.adjectives
    assert {after for _, after in PHRASES.adjectives} == {"a", "the", "possessor"}


def test_lower_case_nouns_and_blocking_words():
    assert [noun for noun, _ in PHRASES.adjectives if not PLAIN.fullmatch(noun)] == []
    assert [word for word in PHRASES.blocking | PHRASES.counting if not PLAIN.fullmatch(word)] == []
    assert set(chain(*PHRASES.adjectives.values())) <= PHRASES.evaluative
