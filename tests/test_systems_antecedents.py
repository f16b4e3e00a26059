"""Candidate antecedents: names found in small texts, their places, and how many names of GAP are among them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.nlp.reading import DEFAULT_MODEL, reader_of
from gapforge.records import Instance, Span, overlap
from gapforge.systems.antecedents import read_texts, study
from gaprows import all_rows, some_rows

TEXT = "Mary Smith met Dr. John Brown in Paris. Then Brown's wife left, and she saw Mary."


def span_of(text, words, nth=0):
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    return Span(start, start + len(words))


def make_instance(text=TEXT, pronoun="she", a="Mary Smith", b="John Brown", url=""):
    return Instance("1", text, *(span_of(text, words) for words in (pronoun, a, b)), url)


def studied(instance, gold_two_mentions=False):
    [case] = study([instance], gold_two_mentions, DEFAULT_MODEL)
    return case


def test_candidates_are_people_in_text_order():
    case = studied(make_instance())
    assert [it.text for it in case.candidates] == ["Mary Smith", "John Brown", "Brown", "Mary"]
    assert [it.sentence for it in case.candidates] == [0, 0, 1, 1]
    assert [it.gender for it in case.candidates] == ["feminine", "masculine", "masculine", "feminine"]


def test_the_two_are_the_only_candidates():
    case = studied(make_instance(), gold_two_mentions=True)
    assert [it.text for it in case.candidates] == ["Mary Smith", "John Brown"]
    assert [it.gender for it in case.candidates] == ["feminine", "masculine"]


def test_the_two_stand_in_text_order():
    case = studied(make_instance(a="John Brown", b="Mary Smith"), gold_two_mentions=True)
    assert [it.text for it in case.candidates] == ["Mary Smith", "John Brown"]


def test_places_count_tokens_over_sentences():
    case = studied(make_instance(), gold_two_mentions=True)
    # Mary Smith met Dr. John Brown in Paris . Then Brown 's wife left , and she
    assert (case.pronoun.first, case.pronoun.last, case.pronoun.sentence) == (16, 16, 1)
    mary, john = case.candidates
    assert (mary.first, mary.last, john.first, john.last) == (0, 1, 4, 5)
    assert (mary.distance(case.pronoun), case.pronoun.distance(john)) == (14, 10)
    assert mary.distance(mary) == 0
    assert (mary.head.text, john.head.text) == ("Smith", "Brown")


def test_a_span_within_a_token_stands_for_it():
    text = "Mary left. She sat."
    instance = Instance("1", text, Span(12, 13), Span(1, 3), Span(0, 0))
    case = studied(instance, gold_two_mentions=True)
    assert case.pronoun.head.text == "She"
    assert [(it.head.text, it.text) for it in case.candidates] == [("Mary", ""), ("Mary", "ar")]


def test_a_name_that_touches_the_pronoun_is_no_candidate():
    text = "Her Mary left."
    case = studied(Instance("1", text, Span(0, 3), Span(0, 8), Span(4, 8)), gold_two_mentions=True)
    assert [it.text for it in case.candidates] == ["Mary"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained.", []),
        ("Ann Mart*nez met Bo.", ["Ann Mart*nez", "Bo"]),
        ("We saw Mrs. Gibson's house.", ["Mrs. Gibson"]),
        ("Katniss said that Peeta was hungry.", ["Katniss", "Peeta"]),
        ("We went from London to Paris with the Times.", []),
    ],
)
def test_names(text, expected):
    [reading] = read_texts([text], DEFAULT_MODEL)
    assert [it.text for it in reading.people] == expected


def test_texts_share_the_sentences_that_they_have_in_common():
    texts = ["Ann met a cat nobody knew. She sang.", "Bo met a dog nobody knew. She sang."]
    first, second = read_texts(texts, DEFAULT_MODEL)
    assert first.sentences[1].doc is second.sentences[1].doc
    assert (first.sentences[1].start, second.sentences[1].start) == (27, 26)
    before = reader_of(DEFAULT_MODEL).readings
    (again,) = read_texts(["She sang. Ann met a cat nobody knew."], DEFAULT_MODEL)
    assert reader_of(DEFAULT_MODEL).readings == before
    assert [(it.text, it.sentence, it.first) for it in again.people] == [("Ann", 1, 3)]


def test_a_sentence_that_comes_twice_has_two_places():
    text = "Ann left. He saw Bo. Ann left."
    (reading,) = read_texts([text], DEFAULT_MODEL)
    assert [(it.text, it.span.start, it.sentence) for it in reading.people] == [
        ("Ann", 0, 0),
        ("Bo", 17, 1),
        ("Ann", 21, 2),
    ]


@pytest.mark.parametrize(
    ("text", "pronoun"),
    [("", Span(0, 0)), ("  \n ", Span(1, 2)), ("Ann left.", Span(100, 102)), ("Ann. \n\n Bo.", Span(5, 6))],
)
def test_no_word_at_the_pronouns_place(text, pronoun):
    assert studied(Instance("1", text, pronoun, Span(0, 1), Span(0, 1))) is None


@given(
    st.lists(st.sampled_from([*"Ab *.,'\"\n\t\x00é—\ud800\udc00😀", "Ann ", "he ", "Mr. ", "Bob's "]), max_size=25),
    st.lists(st.integers(0, 60), min_size=6, max_size=6),
)
def test_whatever_the_text(pieces, places):
    text = "".join(pieces)
    spans = [Span(*sorted(places[n : n + 2])) for n in (0, 2, 4)]
    for gold_two_mentions in (False, True):
        case = studied(Instance("1", text, *spans), gold_two_mentions)
        for it in [] if case is None else [case.pronoun, *case.candidates]:
            assert it.text == text[it.span.start : it.span.end]
            assert it.first <= it.last


def found_names(items):
    """For each name of the rows, whether it is among the candidates."""
    return [
        any(overlap(name, it.span) for it in case.candidates)
        for case in study([item.instance for item in items], False, DEFAULT_MODEL)
        for name in (case.instance.name_a, case.instance.name_b)
    ]


def test_names_of_some_rows_are_candidates(reference):
    found = found_names(some_rows("development", reference))
    assert (sum(found), len(found)) == {"stand-in": (60, 60), "published": (190, 200)}[reference.name]


# Of the test part `make bench-resolvers` tells.
@pytest.mark.corpus
def test_nineteen_of_twenty_names_of_gap_are_candidates():
    found = found_names(all_rows("development"))
    assert len(found) == 4000
    assert sum(found) / len(found) > 0.945
