"""Attention by hand on small arrays; then, with the neural extra, real heads of a real encoder."""

import numpy as np
import pytest

from gapforge.errors import ConfigError
from gapforge.nlp.neural import DEFAULT_ENCODER
from gapforge.records import Instance, Label, Span
from gapforge.storage.tsv import read_rows
from gapforge.systems.encoders import (
    Encoded,
    View,
    answer,
    answered,
    attention,
    attention_features,
    attention_to,
    best_head,
    gold_of,
    learn,
    scores_by_head,
    table_of_heads,
    view_of,
)
from reference import published

# Five subtokens, of which the first and the last are the same string, and a row of attention from each.
TOKENS = ["ann", "met", "bea", "she", "ann"]
WEIGHTS = np.array(
    [
        [0.1, 0.2, 0.3, 0.4, 0.0],
        [0.2, 0.2, 0.2, 0.2, 0.2],
        [0.0, 0.0, 0.5, 0.5, 0.0],
        [0.7, 0.1, 0.1, 0.1, 0.0],
        [0.3, 0.3, 0.0, 0.1, 0.3],
    ]
)


@pytest.mark.parametrize(
    ("tokens", "pronoun", "span", "expected"),
    [
        (["a", "b", "c", "d", "e"], [3], [0], 0.4),  # one pair: from the name to the pronoun, not back
        (["a", "b", "c", "d", "e"], [3], [0, 2], (0.4 + 0.5) / 2),  # the mean over a name of two subtokens
        (["a", "b", "c", "d", "e"], [2, 3], [0], (0.3 + 0.4) / 2),  # and over a pronoun of two
        (TOKENS, [3], [0], 0.4 + 0.1),  # "ann" at both places, added up
        (TOKENS, [3], [4], 0.4 + 0.1),
        (TOKENS, [3], [0, 1], ((0.4 + 0.1) + 0.2) / 2),
        (["ann", "she", "bea", "she", "ann"], [3], [2], 0.0 + 0.5),  # "she" at both places
        (["ann", "she", "bea", "she", "ann"], [1], [0], (0.2 + 0.4) + (0.3 + 0.1)),
        (["x", "x", "y", "z", "z"], [3, 4], [0, 1], (0.4 + 0.0) + (0.2 + 0.2)),  # a name of one string twice
    ],
)
def test_attention_to(tokens, pronoun, span, expected):
    found = attention_to(WEIGHTS[None, None], tokens, pronoun, [span])
    assert found.shape == (1, 1, 1)
    assert found[0, 0, 0] == pytest.approx(expected)


def test_attention_by_layer_and_head():
    weights = np.stack([np.stack([WEIGHTS, WEIGHTS.T, WEIGHTS * 2]), np.stack([WEIGHTS * 3, WEIGHTS * 4, WEIGHTS * 5])])
    found = attention_to(weights, TOKENS, [3], [[2], [1]])
    assert found == pytest.approx(np.array([[[0.5, 0.1, 1.0], [1.5, 2.0, 2.5]], [[0.2, 0.1, 0.4], [0.6, 0.8, 1.0]]]))
    assert attention_to(weights, TOKENS, [3], []).shape == (0, 2, 3)


TEXT = "Ann Lee met Ann when she left"
#       0   4   8   12  16   21  25
OFFSETS = [Span(0, 3), Span(4, 7), Span(8, 11), Span(12, 15), Span(16, 20), Span(21, 24), Span(25, 29)]


def see(candidates: list[Span], gold_two_mentions: bool, shown: int = 7) -> View:
    instance = Instance("i-1", TEXT, Span(21, 24), Span(0, 7), Span(12, 15))
    weights = np.arange(49, dtype=float).reshape(1, 1, 7, 7)[..., :shown, :shown]
    encoded = Encoded([f"t{n}" for n in range(shown)], OFFSETS[:shown], np.zeros((1, shown, 1)), weights)
    return view_of(instance, encoded, candidates, gold_two_mentions)


def test_view_of_people():
    view = see([Span(0, 7), Span(8, 11)], False)
    assert view.scores.ravel().tolist() == [(5 + 12) / 2, 19]
    assert view.names.tolist() == [[True, True], [False, False]]  # "Ann" is a part of "Ann Lee"
    assert view.overlaps.tolist() == [[True, False], [False, True]]


def test_view_of_the_two():
    view = see([Span(0, 7), Span(12, 15)], True)
    assert view.names.tolist() == [[True, False], [False, True]]  # a choice of one name is never one of the other


def test_what_the_encoder_did_not_see():
    view = see([Span(0, 7), Span(25, 29)], False, shown=6)
    assert view.scores.shape == (1, 1, 1)
    empty = see([Span(0, 7)], False, shown=5)  # not even the pronoun
    assert (len(empty.names), empty.overlaps.shape, empty.scores.shape) == (0, (0, 0), (0, 1, 1))
    assert answer(empty, np.zeros(0), (0, 0)) == "neither"


def make_view(scores: list[list[float]], names: list[list[bool]], overlaps: list[list[bool]] | None = None) -> View:
    """Scores by candidate and head, in one layer."""
    same = np.eye(len(names), dtype=bool) if overlaps is None else np.array(overlaps)
    return View(np.array(scores)[:, None, :], same, np.array(names))


A, B, OTHER = [True, False], [False, True], [False, False]
VIEWS = [
    make_view([[3, 1, 1], [1, 3, 2], [2, 2, 3]], [A, B, OTHER]),
    make_view([[1, 2, 1], [2, 1, 2]], [A, B]),
    make_view([[9, 1, 9], [1, 9, 1]], [A, OTHER]),
    View(np.zeros((0, 1, 3)), np.zeros((0, 0), bool), np.zeros((0, 2), bool)),
]
LABELS: list[Label] = ["A", "B", "neither", "A"]


def test_scores_by_head():
    # Head 0 says A, B, A and nothing: two of three right, three true in all. Head 1: B, A, other; head 2: other, B, A.
    assert scores_by_head(VIEWS, gold_of(LABELS)).tolist() == [[2 * 2 / (3 + 3), 0.0, 2 * 1 / (2 + 3)]]


def test_gold_of():
    assert gold_of(["A", "B", "both", "neither"]).tolist() == [A, B, [True, True], OTHER]


def test_best_head():
    assert best_head(np.array([[0.1, 0.4, 0.2], [0.4, 0.3, 0.0]])) == (0, 1)


def test_features():
    view = make_view([[3, 1], [1, 3], [2, 2]], [A, B, OTHER], [[True, False, True], [False, True, False], [True] * 3])
    assert attention_features(view).tolist() == [[True, False], [False, True], [True, True]]


def test_equal_chances_are_left_to_the_head():
    view = VIEWS[0]
    assert answer(view, np.zeros(3), (0, 0)) == "A"
    assert answer(view, np.zeros(3), (0, 2)) == "neither"
    assert answer(view, np.array([0.2, 0.9, 0.9]), (0, 2)) == "neither"
    assert answer(view, np.array([0.2, 0.9, 0.9]), (0, 1)) == "B"
    assert answer(make_view([[1.0]], [[True, True]]), np.zeros(1), (0, 0)) == "both"


@pytest.mark.parametrize("train", [[], ["neither", "not sure"]])
@pytest.mark.parametrize("multi", [False, True])
def test_nothing_to_train_on(train, multi):
    instance = Instance("i-1", TEXT, Span(21, 24), Span(0, 7), Span(12, 15))
    with pytest.raises(ConfigError) as caught:
        attention([instance], train=[(instance, label) for label in train], multi=multi)
    assert str(caught.value) == (
        f"no head can be chosen: {len(train)} examples to train on, none of them with a true name; "
        "name a file of answered examples to train on"
    )


def test_unsure_answers_teach_nothing():
    instance = Instance("i-1", TEXT, Span(21, 24), Span(0, 7), Span(12, 15))
    assert answered([(instance, "A"), (instance, "not sure"), (instance, "both")]) == [
        (instance, "A"),
        (instance, "both"),
    ]


def test_no_candidates_to_train_on():
    with pytest.raises(ConfigError) as caught:
        scores_by_head(VIEWS[3:], gold_of(["A"]))
    assert str(caught.value) == (
        "no head can be chosen: no candidate was found in any example; train on other examples"
    )


def test_extra_trees_follow_the_head_that_knows():
    pytest.importorskip("sklearn", reason="the neural extra is not installed; make neural")
    draw = np.random.default_rng(0)
    views, labels = [], []
    for n in range(60):
        scores = draw.random((2, 6))
        scores[:, 4] = [1, 0] if n % 2 else [0, 1]  # head 4 is always right, the others guess
        views.append(make_view(scores.tolist(), [A, B]))
        labels.append("A" if n % 2 else "B")
    likely = learn(views, gold_of(labels), seed=0)(views)
    assert [answer(view, chances, (0, 0)) for view, chances in zip(views, likely, strict=True)] == labels
    again = learn(views, gold_of(labels), seed=0)(views)
    assert all((left == right).all() for left, right in zip(likely, again, strict=True))
    with pytest.raises(ConfigError) as caught:
        learn(VIEWS[:1], gold_of(["neither"]), seed=0)
    assert str(caught.value) == (
        "extra trees need candidates that are true and some that are not; train on more examples"
    )


@pytest.fixture(scope="module")
def validation() -> list[tuple[Instance, Label]]:
    for module in ("torch", "transformers", "sklearn", "all_minilm_l6_v2"):
        pytest.importorskip(module, reason="the neural extra is not installed; make neural")
    return [
        (
            Instance(row.id, row.text, row.pronoun_span, row.a_span, row.b_span, row.source),
            "A" if row.a_coref else "B" if row.b_coref else "neither",
        )
        for row in read_rows(published("gap/gap-validation.tsv"))
    ]


def f1(labels: list[Label], examples: list[tuple[Instance, Label]]) -> float:
    said, gold = gold_of(labels), gold_of([label for _, label in examples])
    return float(2 * (said & gold).sum() / (said.sum() + gold.sum()))


@pytest.mark.corpus
def test_heads_of_a_real_encoder(validation):
    table = table_of_heads(validation, gold_two_mentions=True)
    assert [len(layer) for layer in table] == [12] * 6
    assert best_head(np.array(table)) == (4, 11)
    assert table[4][11] == pytest.approx(0.674, abs=0.01)
    assert all(0.35 < score < 0.69 for layer in table for score in layer)


@pytest.mark.corpus
def test_single_and_multi_on_unseen_examples(validation):
    train, asked = validation[:300], validation[300:]
    instances = [instance for instance, _ in asked]
    single = attention(instances, train=train, gold_two_mentions=True, encoder=DEFAULT_ENCODER)
    multi = attention(instances, train=train, gold_two_mentions=True, multi=True)
    assert set(single) | set(multi) <= {"A", "B"}
    assert f1(single, asked) > 0.58  # the paper's on development, of another model: 0.581 and 0.623
    assert f1(multi, asked) > 0.62
    people = attention(instances, train=train)
    assert f1(people, asked) > 0.48  # 0.550 there, 0.415 at random; on so few examples one head is a matter of luck
    assert "neither" in people
