"""The trained ranker: on examples that teach one thing, and held to its scores on GAP."""

import pytest

from gapforge.errors import ConfigError
from gapforge.evaluation.gap import gap_figures, gap_rows
from gapforge.evaluation.gold import ANSWERS
from gapforge.records import Instance, Span
from gapforge.systems.ranker import Example, fit, probabilities, ranker
from gaprows import all_rows, some_rows

NOTHING = "the ranker has nothing to learn from; give it answered instances of which some mean a name"


def make(a, b, pronoun, url=""):
    text = f"{a} thanked {b} warmly. {pronoun.capitalize()} smiled."
    second = len(a) + len(" thanked ")
    start = text.index(". ") + 2
    spans = Span(start, start + len(pronoun)), Span(0, len(a)), Span(second, second + len(b))
    return Instance(text, text, *spans, url)


WOMEN = ("Mary Smith", "Susan Reed", "Emily Stone")
MEN = ("John Brown", "Peter Lee", "Thomas Hill")
MIXED = [
    (make(a, b, pronoun), label)
    for woman, man in zip(WOMEN, MEN, strict=True)
    for a, b, pronoun, label in (
        (woman, man, "she", "A"),
        (woman, man, "he", "B"),
        (man, woman, "he", "A"),
        (man, woman, "she", "B"),
    )
]


@pytest.mark.parametrize("gold_two_mentions", [False, True])
def test_learns_gender(gold_two_mentions):
    asked = [make("Jane Kerr", "David Moore", "he"), make("David Moore", "Jane Kerr", "she")]
    assert ranker(asked, train=MIXED * 5, gold_two_mentions=gold_two_mentions) == ["B", "B"]


def test_learns_a_place():
    first = [(make(*pair, "she"), "A") for pair in zip(WOMEN, WOMEN[1:] + WOMEN[:1], strict=True)]
    last = [(instance, "B") for instance, _ in first]
    asked = [make("Jane Kerr", "Alice Moore", "she")]
    assert ranker(asked, train=first * 5) == ["A"]
    assert ranker(asked, train=last * 5) == ["B"]


def test_learns_the_page_where_it_is_asked_to():
    pairs = list(zip(WOMEN, WOMEN[1:] + WOMEN[:1], strict=True))
    train = [
        (make(*pair, "she", f"https://example.org/wiki/{pair[n].replace(' ', '_')}"), label)
        for pair in pairs
        for n, label in ((0, "A"), (1, "B"))
    ]
    asked = [make("Jane Kerr", "Alice Moore", "she", f"https://example.org/wiki/{page}") for page in ("Kerr", "Moore")]
    assert ranker(asked, train=train * 5, url=True) == ["A", "B"]
    blind = ranker(asked, train=train * 5)
    assert blind[0] == blind[1]


def test_the_order_of_questions_does_not_matter():
    asked = [
        make("Jane Kerr", "David Moore", "he"),
        make("David Moore", "Jane Kerr", "he"),
        make("Ann Lee", "Bo", "she"),
    ]
    labels = ranker(asked, train=MIXED)
    assert ranker(asked[::-1], train=MIXED) == labels[::-1]
    assert [ranker([it], train=MIXED)[0] for it in asked] == labels


@pytest.mark.parametrize(
    "train",
    [
        (),
        [(Instance("1", "It rained, and he slept.", Span(15, 17), Span(0, 2), Span(3, 9)), "A")],
        [(make("Mary Smith", "John Brown", "she"), "not sure")],
    ],
    ids=["none", "no names", "no answer"],
)
def test_nothing_to_learn_from(train):
    with pytest.raises(ConfigError) as error:
        ranker([make("Ann Lee", "Bo Kerr", "she")], train=train)
    assert str(error.value) == NOTHING


def test_odd_questions_have_no_answer():
    asked = [
        Instance("empty", "", Span(0, 0), Span(0, 0), Span(0, 0)),
        Instance("outside", "Ann left.", Span(90, 92), Span(50, 60), Span(70, 80)),
        Instance("nobody", "It rained, and he slept.", Span(15, 17), Span(0, 2), Span(3, 9)),
    ]
    assert ranker(asked, train=MIXED) == ["neither"] * 3
    assert ranker([], train=MIXED) == []


def test_fit_prefers_what_is_right():
    known = [Example([{"x": 1.0}, {"y": 1.0}], [True, False])] * 30 + [
        Example([{"x": 1.0}, {"y": 1.0}], [False, True])
    ] * 10
    weights = fit(known)
    assert weights["x"] > 0 > weights["y"]
    assert weights["x"] == pytest.approx(-weights["y"])  # the two stand for one choice
    chance = probabilities([{"x": 1.0}, {"y": 1.0}], weights)
    # Three of four, drawn towards one half by the penalty: there its slope is that of the loss.
    assert 0.5 < chance[0] < 0.75
    assert 40 * chance[0] - 30 == pytest.approx(-10 * weights["x"], abs=1e-3)
    assert sum(chance) == pytest.approx(1)


def test_probabilities():
    assert probabilities([], {}) == []
    assert probabilities([{"new": 5.0}, {}], {"x": 1.0}) == [0.5, 0.5]
    assert probabilities([{"x": 2000.0}, {"x": -2000.0}], {"x": 1.0}) == [1.0, 0.0]


NAMES = {answer: label for label, answer in ANSWERS.items() if label != "not sure"}


def f1(train, asked, **options):
    """F1 in percent on rows of GAP, after learning from others."""
    known = [(it.instance, NAMES[it.a, it.b]) for it in train]
    labels = ranker([it.instance for it in asked], train=known, **options)
    said = {it.id: ANSWERS[label] for it, label in zip(asked, labels, strict=True)}
    return 100 * float(gap_figures(gap_rows(asked, said).sum(axis=0))["overall.f1"])


SCORES = {"stand-in": [63.16, 75.86, 72.41], "published": [81.11, 78.53, 82.87]}


def test_scores_on_some_rows_of_gap(reference):
    train, asked = some_rows("development", reference), some_rows("test", reference)
    found = [f1(train, asked), f1(train, asked, gold_two_mentions=True), f1(train, asked, url=True)]
    assert found == pytest.approx(SCORES[reference.name], abs=0.01)


@pytest.mark.corpus
def test_scores_on_gap():
    train, asked = [*all_rows("development"), *all_rows("validation")], all_rows("test")
    assert f1(train, asked) > 75.8
    assert f1(train, asked, gold_two_mentions=True) > 76.2
    assert f1(train, asked, url=True) > 76.8
