"""Chances of word classes by hand and as a distribution, and whether they tell muddled sentences from written ones."""

from math import isfinite, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corruption import swap_words
from gapforge.engine import part_path
from gapforge.engine.parts import stamps_of
from gapforge.records import GrammarCount
from gapforge.storage.tables import write_records
from gapforge.subjectivity.detector import auc
from gapforge.subjectivity.fluency import (
    BEGIN,
    COMMON_WORDS,
    END,
    as_records,
    classes_of,
    count_sequences,
    grammar,
    guess,
    load_classes,
    load_model,
    model_of,
    sequences_in,
    usual_classes,
)
from gapforge.subjectivity.hooks import Threshold, ask, threshold_of
from reference import published
from train_resources import read_pairs

PAIRS = ("subjectivity/wnc-train.pre", "subjectivity/wnc-train.post")
SMALL = {"a": "A", "b": "B", "c": "C"}
SENTENCES = ["a b", "a b c", "b a", "c", "a", "a a a b"]


def small_model():
    return model_of(count_sequences(SENTENCES, SMALL))


# ---- the model


def test_chances_by_hand():
    """Two sentences "a" and one "b".

    The classes A, B and the end follow 1, 1 and 2 different ones; a fourth is unseen. Of A at the beginning, from the
    lowest order up: (1/4 + 3/4 * 3 * 1/4) / 4, then (1/4 + 3/4 * 2 * that) / 2, then (5/4 + 3/4 * 2 * that) / 3. Of the
    end after it: (5/4 + 9/16) / 4, then 1/4 + 3/4 * that, then (5/4 + 3/4 * that) / 2.
    """
    model = model_of(count_sequences(["a", "a", "b"], SMALL))
    opening = (1.25 + 1.5 * (0.25 + 1.5 * 0.203125) / 2) / 3
    ending = (1.25 + 0.75 * (0.25 + 0.75 * 0.453125)) / 2
    assert model.chance((BEGIN, BEGIN, "A")) == pytest.approx(opening) == pytest.approx(0.555339, abs=1e-6)
    assert model.chance((BEGIN, "A", END)) == pytest.approx(ending) == pytest.approx(0.846191, abs=1e-6)
    assert model.log_perplexity(["A"]) == pytest.approx(-(log(opening) + log(ending)) / 2)


def test_an_unseen_class_by_hand():
    """Of what was never seen there is 3/4 * 3 * 1/4 / 4, then 3/4 of that, then half of that."""
    model = model_of(count_sequences(["a", "a", "b"], SMALL))
    lowest = 0.75 * 3 * 0.25 / 4
    assert model.chance((BEGIN, BEGIN, "Z")) == pytest.approx(0.75 * 2 / 3 * 0.75 * lowest)
    assert model.chance(("Z", "Z", "Z")) == pytest.approx(lowest)


HISTORIES = st.tuples(*[st.sampled_from([BEGIN, "A", "B", "C", END, "Z"])] * 2)


@given(st.lists(st.text(alphabet="abcz ", max_size=8), min_size=1, max_size=6), HISTORIES)
def test_chances_sum_to_one(sentences, history):
    model = model_of(count_sequences(sentences, SMALL))
    classes = [name for (name,) in model.counts[0]]
    assert "unseen" not in classes
    assert sum(model.chance((*history, name)) for name in [*classes, "unseen"]) == pytest.approx(1, abs=1e-9)


@given(HISTORIES)
def test_chances_of_the_embedded_model_sum_to_one(history):
    model = load_model(None)
    classes = [name for (name,) in model.counts[0]]
    assert sum(model.chance((*history, name)) for name in [*classes, "unseen"]) == pytest.approx(1, abs=1e-9)


def test_what_was_seen_more_often_is_likelier():
    model = small_model()
    assert model.log_perplexity(["A", "B"]) < model.log_perplexity(["B", "A"]) < model.log_perplexity(["C", "Z"])


# ---- words and counts


def test_sequences():
    assert count_sequences(["a b", "a"], SMALL) == {
        (BEGIN, BEGIN, "A"): 2,
        (BEGIN, "A", "B"): 1,
        ("A", "B", END): 1,
        (BEGIN, "A", END): 1,
    }
    assert count_sequences([""], SMALL) == {(BEGIN, BEGIN, END): 1}
    assert count_sequences([], SMALL) == {}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("1990s", "CD"),
        ("b2b", "CD"),
        ("quizzically", "RB"),
        ("fly", "UNK"),  # too short for an ending
        ("zigging", "VBG"),
        ("zorbed", "VBN"),
        ("quarrelous", "JJ"),
        ("zorbs", "NNS"),
        ("zorb", "UNK"),
        ("--", "--"),
        ("......", ".."),
        ("🎻", "🎻"),
    ],
)
def test_words_that_nobody_counted(word, expected):
    assert guess(word) == expected


def test_classes_of_a_sentence():
    assert classes_of("A zorb, b ;  C", SMALL) == ["A", "UNK", ",", "B", ";", "C"]
    assert classes_of(" \n\t ", SMALL) == []


def test_usual_classes():
    common = [[(f"w{n}", "NN")] * 10 for n in range(COMMON_WORDS)]
    seldom = [[("run", "VB"), ("run", "NN"), ("run", "VB"), ("rare", "JJ"), ("rare", "JJ")]]
    found = usual_classes([*common, *seldom])
    assert found["w0"] == "w0" and found["run"] == "VB"
    assert "rare" not in found and len(found) == COMMON_WORDS + 1


@given(st.lists(st.text(max_size=30), max_size=4))
def test_counts_are_read_as_they_were_written(sentences):
    counted = count_sequences(sentences, SMALL)
    records = list(as_records(counted, SMALL))
    assert sequences_in(records) == counted
    assert [it.key for it in records if it.kind == "word"] == ["a A", "b B", "c C"]


def test_the_embedded_counts():
    classes = load_classes()
    assert classes["the"] == "the" and classes["village"] == "NN" and classes["walked"] == "VBD"
    assert sum(word == name for word, name in classes.items()) >= COMMON_WORDS - 5
    assert all(" " not in word for word in classes)


# ---- the hook


def test_a_folder_of_counts_is_added(tmp_path):
    odd, usual = "Zorb zorb zorb zorb.", "She went to the town."
    write_records(part_path(tmp_path, 0), as_records(count_sequences([odd] * 500, load_classes())), GrammarCount)
    write_records(part_path(tmp_path, 1), as_records(count_sequences([odd] * 500, load_classes())), GrammarCount)
    before, after = grammar([odd, usual]), grammar([odd, usual], counts=str(tmp_path))
    assert after[0] < before[0] - 0.5
    assert after[1] != before[1] and abs(after[1] - before[1]) < 0.2
    own = load_model(None).counts[-1][BEGIN, BEGIN, "UNK"]
    assert load_model(stamps_of(tmp_path)).counts[-1][BEGIN, BEGIN, "UNK"] == own + 1000


@pytest.mark.parametrize(
    ("written", "muddled"),
    [
        ("She was born in the town in 1990.", "She in born was the town in 1990."),
        ("He won the race for the club.", "He race the won for the club."),
        ("His father was a famous writer.", "His a father was famous writer."),
    ],
)
def test_muddled_sentences_score_worse(written, muddled):
    scores = grammar([written, muddled])
    assert scores[0] + 0.2 < scores[1]


def test_the_others_do_not_matter():
    sentences = ["She left.", "", "A brilliant man!"]
    assert grammar(sentences) == [grammar([it])[0] for it in sentences]
    assert grammar([]) == []


@given(st.text(max_size=60))
def test_any_text_has_a_finite_score(text):
    (score,) = grammar([text])
    assert isfinite(score) and score > 0


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\ufeff", "e\u0301", "🎻🎻", "\x00", "a" * 10_000, "( " * 5_000])
def test_odd_text(text):
    (score,) = ask("fluency", "grammar", {}, [text])
    assert isfinite(score) and score > 0


def test_threshold():
    expected = Threshold(0.125, "calibrated on WNC: 90 % of human edits within the GLEU band pass")
    assert threshold_of("fluency", "grammar", None) == expected


def test_swapped_words_are_told_from_what_people_wrote():
    biased, neutral = read_pairs(*map(published, PAIRS))
    swapped = [swap_words(sentence, 0) for sentence in neutral]
    size = len(neutral)
    scores = grammar([*neutral, *biased, *swapped])
    before = scores[:size]
    human = [after - first for after, first in zip(scores[size : 2 * size], before, strict=True)]
    broken = [after - first for after, first in zip(scores[2 * size :], before, strict=True)]
    assert size == 1_000
    assert auc(broken, human) >= 0.75
