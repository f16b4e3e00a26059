"""Features of sentences worked out by hand, and scores that are probabilities for any text."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.subjectivity.detector import (
    Regression,
    auc,
    cross_validate,
    feature_names,
    features_in,
    features_of,
    fit,
    forms_of,
    lexicon,
    load_lexicons,
    load_regression,
    logistic,
    measured,
)
from gapforge.subjectivity.hooks import Threshold, threshold_of

PLAIN = "She was born in Paris and moved to London in the spring."


def feature(name, sentence):
    return dict(zip(feature_names(), features_in(sentence), strict=True))[name]


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("claim", {"claim", "claims", "claimed", "claiming"}),
        ("admit", {"admit", "admits", "admitted", "admitting"}),
        ("state", {"state", "states", "stated", "stating"}),
        ("deny", {"deny", "denies", "denied", "denying"}),
        ("convey", {"convey", "conveys", "conveyed", "conveying"}),
        ("express", {"express", "expresses", "expressed", "expressing"}),
        ("agree", {"agree", "agrees", "agreed"}),
    ],
)
def test_forms_of_a_verb(verb, forms):
    assert forms <= forms_of(verb)
    assert all(it.startswith(verb[:-1]) for it in forms_of(verb))


def test_verbs_are_listed_with_their_forms_and_other_words_as_they_are():
    lists = load_lexicons()
    assert {"insist", "insisted", "denied", "denying"} <= lists["assertive_verbs"]
    assert "brilliant" in lists["praise"] and "brilliants" not in lists["praise"]
    assert all(word == word.lower() for words in lists.values() for word in words)


@pytest.mark.parametrize(
    ("name", "sentence", "expected"),
    [
        ("praise", "A brilliant man.", 1 / sqrt(3)),
        ("praise", "A brilliant, BRILLIANT man won.", 2 / sqrt(5)),
        ("praise", "A man.", 0),
        ("blame", "An awful man.", 1 / sqrt(3)),
        ("hedges", "Perhaps she left.", 1 / sqrt(3)),
        ("assertive_verbs", "Ann insisted so.", 1 / sqrt(3)),
        ("log words", "Ann met Bo, in 1990.", log(4)),
        ("log words", "", 0),
        ("-ly", "Ann sadly left early.", 2 / sqrt(4)),
        ("evaluative endings", "A famous, careful woman.", 2 / sqrt(4)),
        ("numbers", "In 1990 and 1991 she won.", 2 / sqrt(4)),
        ("quotation", 'He said "no".', 1),
        ("quotation", "He said ``no''.", 1),
        ("quotation", "He said “no”.", 1),
        ("quotation", "He said 'no'.", 0),
        ("exclamations", "No! Why?!", 3),
        ("brackets", "Ann (Bo) left.", 1),
        ("commas", "Ann, Bo, Cy, Di left", 3 / sqrt(5)),
        ("letters a word", "An actor met.", 10 / 3),
        ("letters a word", "1990", 0),
        ("highest subjectivity", "A table.", 0),
        ("highest subjectivity", "An awful table.", 1),
        ("polarity", "An awful table.", -1 / sqrt(3)),
        ("strength of polarity", "An awful table.", 1 / sqrt(3)),
        ("subjectivity", "An awful table.", 1 / sqrt(3)),
    ],
)
def test_features_by_hand(name, sentence, expected):
    assert feature(name, sentence) == pytest.approx(expected)


def test_a_line_for_each_sentence():
    sentences = [PLAIN, "", "Ann left!"]
    found = features_of(sentences)
    assert found.shape == (3, len(feature_names()))
    assert found.tolist() == [features_in(it) for it in sentences]
    assert load_regression().names == feature_names()


def test_a_score_by_hand():
    """(3 - 1) / 2 * 0.5 + (1 - 1) / 4 * 9 - 0.5 is 0, and so the chance a half."""
    ours = Regression(("x", "y"), np.array([1.0, 1.0]), np.array([2.0, 4.0]), np.array([0.5, 9.0]), -0.5)
    assert ours.score(np.array([[3.0, 1.0], [5.0, 1.0]])) == pytest.approx([0.5, 1 / (1 + np.exp(-0.5))])


def test_chances_of_large_odds():
    assert logistic(np.array([-1e5, -2.0, 0.0, 2.0, 1e5])) == pytest.approx([0, 0.119203, 0.5, 0.880797, 1], abs=1e-6)


@pytest.mark.parametrize(
    "sentences",
    [
        (PLAIN, "She was born in beautiful Paris and moved to London in the spring."),
        (
            "She was born in beautiful Paris and moved to London in the spring.",
            "She was born in beautiful Paris and moved to legendary London in the spring.",
        ),
        ("He wrote a novel in 1990.", "He wrote a brilliant novel in 1990."),
        ("He wrote a novel in 1990.", "Unfortunately, he wrote a dreadful novel in 1990."),
        ("He defeated Bo in the match.", "He brutally crushed Bo in the match."),
    ],
)
def test_more_loaded_words_score_higher(sentences):
    scores = lexicon(sentences)
    assert scores[0] < scores[1]


def test_the_others_do_not_matter():
    sentences = [PLAIN, "A brilliant man!", ""]
    assert lexicon(sentences) == [lexicon([it])[0] for it in sentences]
    assert lexicon([]) == []


@given(st.lists(st.text(max_size=80), max_size=4))
def test_scores_are_probabilities(sentences):
    scores = lexicon(sentences)
    assert len(scores) == len(sentences)
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize("text", ["!" * 100_000, "," * 100_000, "great " * 5_000, "7 " * 50_000, "İ" * 500, "\ud800"])
def test_odd_text_is_scored_without_a_warning(text):
    (score,) = lexicon([text])
    assert 0 <= score <= 1


def test_threshold():
    expected = Threshold(0.592, "calibrated on GAP development: 86 % of sentences objective")
    assert threshold_of("detector", "lexicon", None) == expected


def test_a_fit_by_hand():
    """Three of four with the feature are subjective, and one of four without: the log odds are ln 3 on either side."""
    subjective, objective = np.array([[1.0], [1.0], [1.0], [0.0]]), np.array([[1.0], [0.0], [0.0], [0.0]])
    learnt = fit(subjective, objective, ["x"], ridge=1e-9)
    assert learnt.score(np.array([[1.0], [0.0]])) == pytest.approx([0.75, 0.25], abs=1e-4)
    assert (learnt.means, learnt.scales, learnt.intercept) == pytest.approx((0.5, 0.5, 0), abs=1e-4)
    assert fit(subjective, objective, ["x"], ridge=100).score(np.array([[1.0]]))[0] < 0.55


def test_a_feature_that_never_varies():
    learnt = fit(np.array([[1.0, 2.0], [1.0, 3.0]]), np.array([[1.0, 0.0], [1.0, 1.0]]), ["x", "y"], ridge=1)
    assert learnt.weights[0] == 0 and learnt.weights[1] > 0
    assert np.isfinite(learnt.score(np.array([[1.0, 2.0]]))).all()


@pytest.mark.parametrize(
    ("subjective", "objective", "expected"),
    [
        ([0.9, 0.6], [0.4, 0.1], {"accuracy": 1, "auc": 1, "pair accuracy": 1}),
        ([0.9, 0.4], [0.6, 0.4], {"accuracy": 0.5, "auc": 0.625, "pair accuracy": 0.75}),  # a tie is half right
        ([0.5, 0.5], [0.5, 0.5], {"accuracy": 0.5, "auc": 0.5, "pair accuracy": 0.5}),
    ],
)
def test_measures_by_hand(subjective, objective, expected):
    assert measured(np.array(subjective), np.array(objective), paired=True) == expected
    assert "pair accuracy" not in measured(np.array(subjective), np.array(objective), paired=False)


def test_cross_validation_tells_plain_from_loaded():
    loaded = [f"He wrote a brilliant {noun} in {n}." for n, noun in enumerate(["book", "play", "song"] * 10)]
    plain = [it.replace("brilliant", "new") for it in loaded]
    found = cross_validate(loaded, plain, paired=True)
    assert found == {"accuracy": 1.0, "auc": 1.0, "pair accuracy": 1.0}


@pytest.mark.parametrize(
    ("positive", "negative", "expected"),
    [
        ([3, 4], [1, 2], 1.0),
        ([1, 2], [3, 4], 0.0),
        ([1, 3], [2], 0.5),
        ([2, 3], [1, 2], 3.5 / 4),  # a tie counts half
        ([1, 1, 1], [1], 0.5),
        ([0.5], [0.4, 0.6, 0.5], 1.5 / 3),
    ],
)
def test_auc(positive, negative, expected):
    assert auc(positive, negative) == pytest.approx(expected)


def test_auc_needs_both_sides():
    with pytest.raises(ValueError, match=r"^the area under a curve needs both sides, found 0 and 2 scores$"):
        auc([], [1, 2])
