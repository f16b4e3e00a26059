"""GAP's scores: by hand, with expected counts, and as the official scorer gives them."""

import json
from pathlib import Path

import numpy as np
import pytest

from gapforge.evaluation.files import read_predictions
from gapforge.evaluation.gap import gap_figures, gap_rows, group_figures, weighted_figures
from gapforge.evaluation.gold import Item, read_items
from gapforge.evaluation.scoring import score_gap

ROOT = Path(__file__).parents[1]

ITEMS = [
    Item("1", "she", "feminine", True, False),
    Item("2", "her", "feminine", False, True),
    Item("3", "Her", "feminine", False, False),
    Item("4", "he", "masculine", True, False),
    Item("5", "his", "masculine", False, True),
]
SAID = {
    "1": (True, True),  # one right, one false; the true name is named
    "2": (True, False),  # one false, one missed
    "3": (False, True),  # one false
    "4": (True, False),
    "5": (False, False),  # one missed
}


def figures_of(items, said, weights=None):
    figures = weighted_figures if weights else gap_figures
    return {name: float(value) for name, value in figures(gap_rows(items, said, weights).sum(axis=0)).items()}


def test_by_hand():
    figures = figures_of(ITEMS, SAID)
    assert {name: value for name, value in figures.items() if name.startswith("feminine")} == pytest.approx(
        {
            "feminine.precision": 1 / 4,
            "feminine.recall": 1 / 2,
            "feminine.f1": 1 / 3,
            "feminine.accuracy": 1 / 2,  # of the two rows with a true name
        }
    )
    assert figures["masculine.precision"] == 1 and figures["masculine.recall"] == 1 / 2
    assert figures["masculine.f1"] == pytest.approx(2 / 3)
    assert figures["overall.precision"] == pytest.approx(2 / 5) and figures["overall.recall"] == 1 / 2
    assert figures["overall.f1"] == pytest.approx(4 / 9)
    assert figures["overall.accuracy"] == 2 / 4
    assert figures["bias"] == pytest.approx(1 / 2)
    assert figures["acc_bias"] == pytest.approx((1 / 2) / (1 / 2))


def test_nothing_predicted_gives_zeros_and_no_bias():
    figures = figures_of(ITEMS, dict.fromkeys("12345", (False, False)))
    assert [figures[f"overall.{it}"] for it in ("precision", "recall", "f1", "accuracy")] == [0, 0, 0, 0]
    assert np.isnan(figures["bias"]) and np.isnan(figures["acc_bias"])


def test_probabilities_give_expected_counts():
    # A coin for each row: the mean over all outcomes of the pairs counted, not of the scores.
    figures = figures_of(ITEMS, dict.fromkeys("12345", (0.5, 0.5)))
    assert figures["overall.precision"] == pytest.approx(2 / 5)  # 4 of 10 pairs are true, half of each predicted
    assert figures["overall.recall"] == pytest.approx(1 / 2)
    assert figures["overall.accuracy"] == pytest.approx(1 / 2)


def test_weights_count_correct_rows():
    # Correct are 1 (feminine) and 4 (masculine); a row without a true name has no weight whatever it is given.
    weights = {"1": 3.0, "2": 1.0, "3": 9.0, "4": 2.0, "5": 5.0}
    assert figures_of(ITEMS, SAID, weights)["weighted_bias"] == pytest.approx(3 / 2)


def test_without_feminine_rows_no_bias_is_zero():
    weights = dict.fromkeys("12345", 1.0)
    figures = figures_of(ITEMS[3:], SAID, weights)
    assert all(np.isnan(figures[name]) for name in ("bias", "acc_bias", "weighted_bias"))
    # A feminine row without a true name can be wrong, but not accurate.
    figures = figures_of(ITEMS[2:], SAID, weights)
    assert figures["bias"] == 0 and np.isnan(figures["acc_bias"]) and np.isnan(figures["weighted_bias"])


def test_a_group_of_one_gender_has_no_bias():
    for items, f1 in ((ITEMS[:3], 1 / 3), (ITEMS[3:], 2 / 3)):
        figures = group_figures(gap_rows(items, SAID).sum(axis=0))
        assert float(figures["f1"]) == pytest.approx(f1) and np.isnan(figures["bias"])


def test_the_json_of_a_set():
    found = score_gap(ITEMS, SAID, resamples=1_000)
    assert found["dataset"] == "gap" and found["instances"] == 5
    assert list(found["overall"]) == ["precision", "recall", "f1", "accuracy"]
    low, high = found["intervals"]["overall"]["f1"]
    assert 0 <= low < found["overall"]["f1"] < high <= 1
    assert list(found["by"]) == ["pronoun"]  # without a text there is no pattern and no distance
    assert {name: it["instances"] for name, it in found["by"]["pronoun"].items()} == {
        "he": 1, "his": 1, "she": 1, "her": 2,
    }  # fmt: skip
    assert found["by"]["pronoun"]["her"]["recall"] == 0
    assert "weighted_bias" not in found
    assert json.loads(json.dumps(found)) == found


def test_the_official_figures(reference):
    """Those of the official scorer, and for the stand-ins what tests/tools/standins.py counts by its definition."""
    scored = reference.path("gap/scored")
    expected = json.loads((scored / "expected.json").read_text("utf-8"))
    items = read_items(reference.path("gap/gap-development.tsv"), "gap")
    ids = [item.id for item in items]
    assert len(expected) == 5
    for name, official in expected.items():
        found = score_gap(items, read_predictions(scored / name, ids).said, resamples=100)
        for group in ("overall", "masculine", "feminine"):
            ours = {figure: round(found[group][figure], 6) for figure in official[group]}
            assert ours == official[group], (name, group)
        # The official Bias is a quotient of rounded scores: it may be off by two in the sixth digit.
        rounded = {group: round(found[group]["f1"], 6) for group in ("feminine", "masculine")}
        if official["bias"] is None:
            assert found["bias"] is None
        else:
            assert round(rounded["feminine"] / rounded["masculine"], 6) == official["bias"]
            assert found["bias"] == pytest.approx(official["bias"], abs=3e-6)
