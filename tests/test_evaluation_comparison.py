"""Systems side by side: contingency, tests and difficulty, by hand."""

import pytest

from gapforge.evaluation.comparison import compare
from gapforge.evaluation.gold import Item

ITEMS = [Item(str(n), "she", "feminine", True, False) for n in range(4)] + [
    Item(str(n), "he", "masculine", False, True) for n in range(4, 6)
]


def system(right):
    """Predictions that are as gold where there is a 1, and name the other one where there is a 0."""
    return {item.id: (item.a, item.b) if it == "1" else (item.b, item.a) for item, it in zip(ITEMS, right, strict=True)}


def test_two_systems():
    found = compare(ITEMS, {"one": system("111100"), "two": system("110001")}, rounds=2_000)
    (cells,) = found["contingency"]
    assert {name: cells[name] for name in ("first", "second", "both", "only_first", "only_second", "neither")} == {
        "first": "one", "second": "two", "both": 2, "only_first": 2, "only_second": 1, "neither": 1,
    }  # fmt: skip
    assert cells["p"] == pytest.approx(1.0)  # 2 against 1: as even as three can be
    # The pair of the true name counts: a system that is right has it, one that names the other has not.
    assert found["difficulty"] == {
        "overall": {
            "instances": 6, "green": 2, "yellow": 3, "red": 1, "agreement": {"2": 2, "1": 3, "0": 1},
        },
        "masculine": {"instances": 2, "green": 0, "yellow": 1, "red": 1, "agreement": {"2": 0, "1": 1, "0": 1}},
        "feminine": {"instances": 4, "green": 2, "yellow": 2, "red": 0, "agreement": {"2": 2, "1": 2, "0": 0}},
    }  # fmt: skip


def test_mcnemar_is_exact():
    items = [Item(str(n), "she", "feminine", True, False) for n in range(10)]
    always = {item.id: (True, False) for item in items}
    never = {item.id: (False, True) for item in items}
    (cells,) = compare(items, {"a": always, "b": never}, rounds=20_000)["contingency"]
    assert cells["p"] == pytest.approx(2 / 2**10)
    # All ten in one direction, or all in the other: nothing else is as far apart.
    assert cells["f1_p"] == pytest.approx(2 / 2**10, abs=0.001)


def test_three_systems_are_compared_by_twos():
    found = compare(ITEMS, {"a": system("111111"), "b": system("111111"), "c": system("000000")}, rounds=100)
    assert [(it["first"], it["second"], it["both"]) for it in found["contingency"]] == [
        ("a", "b", 6), ("a", "c", 0), ("b", "c", 0),
    ]  # fmt: skip
    assert found["contingency"][0]["p"] == found["contingency"][0]["f1_p"] == 1.0
    assert found["difficulty"]["overall"]["agreement"] == {"3": 0, "2": 6, "1": 0, "0": 0}
    assert found["difficulty"]["overall"]["yellow"] == 6


def test_a_gender_that_is_not_there():
    found = compare(ITEMS[:4], {"a": system("111111"), "b": system("110000")}, rounds=100)
    nobody = {"2": 0, "1": 0, "0": 0}
    assert found["difficulty"]["masculine"] == {"instances": 0, "green": 0, "yellow": 0, "red": 0, "agreement": nobody}


def test_quadruples_change_places_whole():
    variants = ("original", "control", "swap-1", "swap-2")
    items = [
        Item(f"{q}-{variant}", "she", "feminine", True, False, None, q, variant) for q in "xy" for variant in variants
    ]
    always, never = ({item.id: (said, not said) for item in items} for said in (True, False))
    (cells,) = compare(items, {"a": always, "b": never}, rounds=20_000)["contingency"]
    # Eight instances, but two quadruples: both in one direction has a chance of one half.
    assert cells["f1_p"] == pytest.approx(1 / 2, abs=0.02)
    assert cells["p"] == pytest.approx(1 / 2, abs=0.02)


def test_where_no_name_is_true_both_pairs_tell_difficulty():
    items = [Item("1", "she", "feminine", False, False), Item("2", "he", "masculine", True, False)]
    first = {
        "1": (True, False),
        "2": (True, True),
    }  # one pair of the first row is right, and the true name of the second
    second = {"1": (True, True), "2": (False, False)}
    found = compare(items, {"a": first, "b": second}, rounds=100)["difficulty"]
    assert found["feminine"]["agreement"] == {"2": 0, "1": 1, "0": 1}
    assert found["masculine"]["agreement"] == {"2": 0, "1": 1, "0": 0}
    assert found["overall"]["instances"] == 3


def test_weighted_bias_is_tested_too():
    items = [Item(str(n), "she", "feminine", True, False) for n in range(8)]
    items += [Item(str(n), "he", "masculine", True, False) for n in range(8, 16)]
    fair = {item.id: (True, False) for item in items}
    unfair = {item.id: (item.gender == "masculine" or item.id == "0", False) for item in items}
    weights = dict.fromkeys(fair, 1.0)
    (cells,) = compare(items, {"a": fair, "b": unfair}, weights, rounds=5_000)["contingency"]
    assert cells["weighted_bias_p"] < 0.05
    (same,) = compare(items, {"a": fair, "b": fair}, weights, rounds=100)["contingency"]
    assert same["weighted_bias_p"] == 1.0
