"""The same systems on GAP and on its subjective variant, against figures worked out by hand."""

import dataclasses

import pytest

from gapforge.errors import InputError
from gapforge.evaluation.comparison import score_systems
from gapforge.evaluation.files import Predictions
from gapforge.evaluation.gold import Item
from gapforge.evaluation.subjective import compare_variants, with_changes

A, B, NEITHER = (True, False), (False, True), (False, False)
# Two masculine rows, two feminine ones and one feminine row without a true name.
ITEMS = [
    Item("m-1", "he", "masculine", *A),
    Item("m-2", "he", "masculine", *B),
    Item("f-1", "she", "feminine", *A),
    Item("f-2", "she", "feminine", *B),
    Item("f-3", "she", "feminine", *NEITHER),
]


def said(*answers):
    return dict(zip((it.id for it in ITEMS), answers, strict=True))


RIGHT = said(A, B, A, B, NEITHER)
BEFORE = said(A, B, A, NEITHER, A)  # all men; of the women one found, one missed, and one named for nobody
AFTER = said(A, A, A, NEITHER, NEITHER)  # one man for another; nobody named for nobody


def test_figures_and_their_change():
    found = compare_variants(ITEMS, ITEMS, BEFORE, AFTER, 1_000)
    # true 3, false 1, missed 1; then true 2, false 1, missed 2
    assert found["original"]["overall"] == pytest.approx({"precision": 3 / 4, "recall": 3 / 4, "f1": 3 / 4})
    assert found["subjective"]["overall"] == pytest.approx({"precision": 2 / 3, "recall": 2 / 4, "f1": 4 / 7})
    assert found["change"]["overall"] == pytest.approx(
        {"precision": 2 / 3 - 3 / 4, "recall": -1 / 4, "f1": 4 / 7 - 3 / 4}
    )
    # Masculine F1 falls from 1 to 1/2, feminine rises from 1/2 to 2/3: Bias from 1/2 to 4/3.
    assert found["change"]["masculine"] == pytest.approx({"f1": -1 / 2})
    assert found["change"]["feminine"] == pytest.approx({"f1": 1 / 6})
    assert found["change"]["bias"] == pytest.approx(4 / 3 - 1 / 2)
    assert found["instances"] == 5
    for side in ("original", "subjective", "change"):
        low, high = found["intervals"][side]["overall"]["f1"]
        assert low <= found[side]["overall"]["f1"] <= high


def test_rows_are_resampled_in_pairs():
    """A system that says the same of both has no change in any resample, however wide its own intervals are."""
    found = compare_variants(ITEMS, ITEMS, BEFORE, BEFORE, 1_000)
    low, high = found["intervals"]["original"]["overall"]["f1"]
    assert high - low > 0.3
    assert found["intervals"]["change"]["overall"]["f1"] == [0.0, 0.0]
    assert found["change"]["overall"] == {"f1": 0.0, "precision": 0.0, "recall": 0.0}
    assert found["p"] == 1.0


def test_the_test_is_paired_and_two_sided():
    """Ten rows that are all right and then all wrong: 2 of the 1,024 assignments are as far apart."""
    items = [Item(str(n), "she", "feminine", *A) for n in range(10)]
    right, wrong = ({it.id: answer for it in items} for answer in (A, B))
    for pair in ((right, wrong), (wrong, right)):
        found = compare_variants(items, items, *pair, 20_000)
        assert found["p"] == pytest.approx(2 / 2**10, abs=0.001)
    assert (found["change"]["overall"]["f1"], found["change"]["masculine"]["f1"]) == (1.0, None)
    assert (found["change"]["bias"], found["intervals"]["change"]["bias"]) == (None, None)


def test_variants_are_matched_by_id():
    there = compare_variants(ITEMS, ITEMS, BEFORE, AFTER, 200)
    assert compare_variants(ITEMS, ITEMS[::-1], BEFORE, AFTER, 200) == there
    assert compare_variants(ITEMS, ITEMS, BEFORE, AFTER, 200) == there  # the seed decides
    assert compare_variants(ITEMS, ITEMS, BEFORE, AFTER, 200, seed=1) != there


@pytest.mark.parametrize(
    ("variants", "message"),
    [
        (ITEMS[1:], "rows of one set without the other: m-1; compare GAP with its own variant"),
        (
            [*ITEMS, dataclasses.replace(ITEMS[0], id="m-9")],
            "rows of one set without the other: m-9; compare GAP with its own variant",
        ),
        (
            [dataclasses.replace(ITEMS[0], b=True), *ITEMS[1:]],
            "rows with another label or gender: m-1; compare GAP with its own variant",
        ),
        (
            [dataclasses.replace(ITEMS[0], gender="feminine"), *ITEMS[1:]],
            "rows with another label or gender: m-1; compare GAP with its own variant",
        ),
    ],
)
def test_other_rows_are_refused(variants, message):
    with pytest.raises(InputError) as error:
        compare_variants(ITEMS, variants, RIGHT, {it.id: A for it in variants}, 100)
    assert str(error.value) == message


@pytest.mark.parametrize("names", [["one"], ["one", "two"]])
def test_changes_stand_beside_the_figures_of_the_variant(names):
    before = {name: Predictions(it) for name, it in zip(names, (RIGHT, BEFORE), strict=False)}
    after = {name: Predictions(it) for name, it in zip(names, (BEFORE, AFTER), strict=False)}
    result = score_systems(ITEMS, "gap-subjective", after, None, 200, 0, "gap-subjective")
    assert result["dataset"] == "gap-subjective"
    found = with_changes(result, ITEMS, ITEMS, before, after, 200)
    one = found["systems"]["one"] if len(names) > 1 else found
    assert one["overall"]["f1"] == pytest.approx(3 / 4) and one["dataset"] == "gap-subjective"
    compared = compare_variants(ITEMS, ITEMS, RIGHT, BEFORE, 200)
    assert one["change"] == compared["change"] | {"p": compared["p"]}
    assert one["change"]["overall"]["f1"] == pytest.approx(-1 / 4)
    assert one["intervals"]["change"] == compared["intervals"]["change"]
    assert set(found) == set(result) | ({"change"} if len(names) == 1 else set())
