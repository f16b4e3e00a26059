"""What a weighting had to balance: tables, uneven sets and their remedy by hand, and those of GAP as published."""

import dataclasses
import json

import pytest

from gapforge.evaluation.files import read_names
from gapforge.evaluation.gold import read_items
from gapforge.evaluation.weights import (
    TRIMMED,
    Cell,
    Downsampling,
    SetRows,
    Weighting,
    WeightSettings,
    count_cells,
    describe,
    downsampling,
    find_uneven,
    heavy_cells,
    histogram,
    objective_of,
    property_table,
    solve,
    suggest_trimming,
    summary,
    trimmed,
    weigh,
)
from reference import published

NONE_LEFT_OUT = {"no true name": 0, "no group": 0, "trimmed": 0, "another group": 0}


def weighed(counts, properties=("number",)):
    """The weighting of so many rows of each (group, values)."""
    rows = [(group, values) for (group, *values), count in counts.items() for _ in range(count)]
    counted = count_cells([group for group, _ in rows], [tuple(values) for _, values in rows])
    weights = solve(counted)
    cells = [Cell(it.group, it.values, it.rows, weight) for it, weight in zip(counted, weights, strict=True)]
    return Weighting(("f", "m"), properties, {}, cells, objective_of(cells), dict(NONE_LEFT_OUT))


# The weights of this set are worked out in the tests of the weights: 0.8 for f, 0.4 and 3.2 for m.
EIGHT = {("f", 1): 1, ("f", 2): 4, ("m", 1): 2, ("m", 2): 1}


def test_property_table():
    first, second = property_table(weighed(EIGHT))
    assert (first.property, first.value, first.rows) == ("number", 1, {"f": 1, "m": 2})
    assert first.weight == pytest.approx({"f": 0.8, "m": 0.8})
    assert (second.property, second.value, second.rows) == ("number", 2, {"f": 4, "m": 1})
    assert second.weight == pytest.approx({"f": 3.2, "m": 3.2})


def test_rows_in_no_set_stand_last_in_the_table():
    table = property_table(weighed({("f", None): 1, ("m", None): 1, ("f", 3): 1, ("m", 3): 1}))
    assert [(it.value, it.rows) for it in table] == [(3, {"f": 1, "m": 1}), (None, {"f": 1, "m": 1})]


def test_histogram():
    found = histogram(weighed(EIGHT))
    assert len(found) == 33
    assert (found[0]["from"], found[0]["to"], found[-1]["from"], found[-1]["to"]) == (0.0, 0.1, 3.2, 3.3)
    rows = {it["from"]: it["rows"] for it in found if any(it["rows"].values())}
    assert rows == {0.4: {"f": 0, "m": 2}, 0.8: {"f": 5, "m": 0}, 3.2: {"f": 0, "m": 1}}


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        (EIGHT, []),  # 4/5 is 2.4 times 1/3
        # A share of 1/10 and 4/10 is four times; of 1/9 and 4/8 more.
        ({("f", 1): 9, ("f", 2): 1, ("m", 1): 6, ("m", 2): 4}, []),
        ({("f", 1): 8, ("f", 2): 1, ("m", 1): 4, ("m", 2): 4}, [("number <= 1", [2], {"f": 1, "m": 4})]),
        # One group only, above and below the middle; what is even beyond a bound goes with it.
        (
            {("f", 3): 9, ("m", 3): 9, ("f", 1): 1, ("m", 5): 1, ("f", 6): 2, ("m", 6): 2},
            [("number >= 3", [1], {"f": 1, "m": 0}), ("number <= 3", [5], {"f": 2, "m": 3})],
        ),
        # In the middle itself
        (
            {("f", 2): 5, ("f", 1): 2, ("f", 3): 2, ("m", 1): 2, ("m", 3): 2},
            [("number != 2", [2], {"f": 5, "m": 0})],
        ),
        # What has no order
        (
            {("f", "sport"): 2, ("m", "sport"): 2, ("f", "art"): 1, ("m", "war"): 1},
            [("number != art", ["art"], {"f": 1, "m": 0}), ("number != war", ["war"], {"f": 0, "m": 1})],
        ),
        # In no set is not uneven.
        ({("f", 1): 2, ("m", 1): 2, ("m", None): 0, ("f", None): 3}, []),
    ],
)
def test_uneven_sets(counts, found):
    weighting = weighed(counts)
    assert [(str(it.rule), [one.value for one in it.sets], it.rows) for it in find_uneven(weighting)] == found


def test_trimming_is_tried():
    """Without the set of one group all rows weigh 1; with it, a sixth more, and it nothing."""
    weighting = weighed({("f", 1): 3, ("m", 1): 3, ("f", 2): 3, ("m", 2): 3, ("f", 3): 2})
    trimming = suggest_trimming(weighting, find_uneven(weighting))
    assert [str(rule) for rule in trimming.rules] == ["number <= 2"]
    assert trimming.rows == {"f": 6, "m": 6}
    assert trimming.heaviest == pytest.approx(1)


# Rows by number of names and rank of the true one, fewer masculine ones as it is farther.
FEMININE = {(2, 1): 35, (2, 2): 18, (3, 1): 33, (3, 2): 13, (3, 3): 4, (4, 1): 19, (4, 2): 15, (4, 3): 6, (4, 4): 2}
MASCULINE = {(2, 1): 30, (2, 2): 15, (3, 1): 26, (3, 2): 7, (3, 3): 1, (4, 1): 13, (4, 2): 7, (4, 3): 1}


def test_bounds_are_drawn_in_until_trimming_helps():
    """Rank 4 is feminine only. Without it the masculine rows of rank 3 weigh still more; without both none is heavy."""
    counts = {("f", *values): rows for values, rows in FEMININE.items()}
    counts |= {("m", *values): rows for values, rows in MASCULINE.items()}
    weighting = weighed(counts, ("number", "distance"))
    assert max(cell.weight for cell in weighting.cells) == pytest.approx(6.9126, abs=1e-4)
    findings = find_uneven(weighting)
    assert [str(it.rule) for it in findings] == ["distance <= 3"]
    assert trimmed(weighting, [it.rule for it in findings]).heaviest == pytest.approx(7.0981, abs=1e-4)
    trimming = suggest_trimming(weighting, findings)
    assert [str(rule) for rule in trimming.rules] == ["distance <= 2"]
    assert trimming.rows == {"f": 133, "m": 98}
    assert trimming.heaviest == pytest.approx(1.9699, abs=1e-4)


def test_no_trimming_is_suggested_where_too_much_would_go():
    weighting = weighed({("f", 1): 5, ("m", 1): 5, ("f", 2): 9, ("m", 3): 9})
    assert [str(it.rule) for it in find_uneven(weighting)] == ["number != 2", "number <= 2"]
    assert suggest_trimming(weighting, find_uneven(weighting)) is None
    assert suggest_trimming(weighting, []) is None


def test_downsampling():
    assert downsampling(weighed(EIGHT)) == Downsampling(rows=4, jointly=4, of={"f": 5, "m": 3})
    crossed = {("f", 1, 1): 1, ("f", 2, 2): 1, ("m", 1, 2): 1, ("m", 2, 1): 1}
    assert downsampling(weighed(crossed, ("number", "distance"))) == Downsampling(4, 0, {"f": 2, "m": 2})


def test_description():
    """Of 50 rows f has 25/38 on each row of 1 and 2 names, so that the m row of 2 names weighs ten times that.

    Without the row of 9 names all is 49/50 of it.
    """
    assert list(describe(weighed({("f", 1): 28, ("m", 1): 10, ("f", 2): 10, ("m", 2): 1, ("f", 9): 1}))) == [
        "50 rows weighed: 39 f, 11 m",
        "heaviest weight 6.58; weights above 4: 1; weights of 0: 1",
        "heavy: 6.58 (1 m, number 2)",
        "uneven: number 9 (1 f, 0 m); 'number <= 2' leaves out 1 f, 0 m",
        "trimmed to number <= 2: 38 f, 11 m, heaviest weight 6.45",
        "downsampling would leave 22 of 50 rows, 11 of each group; 22 with every combination of values in balance",
    ]


def test_description_of_what_is_balanced():
    weighting = dataclasses.replace(weighed({("f", 1): 2, ("m", 1): 2}), left_out={"no true name": 3, "trimmed": 1})
    assert list(describe(weighting)) == [
        "4 rows weighed: 2 f, 2 m; left out: 3 (no true name) and 1 (trimmed)",
        "heaviest weight 1.00; weights above 4: 0; weights of 0: 0",
        "downsampling would leave 4 of 4 rows, 2 of each group; 4 with every combination of values in balance",
    ]


def test_summary_is_plain_data():
    """A value that JSON does not know is given by its text."""
    counts = {("f", (1, 2)): 28, ("m", (1, 2)): 10, ("f", "b"): 10, ("m", "b"): 1, ("f", 9): 1, ("f", None): 0}
    found = summary(weighed(counts))
    assert json.loads(json.dumps(found)) == found
    bins = found.pop("histogram")
    assert bins[6] == {"from": 0.6, "to": 0.7, "rows": {"f": 38, "m": 0}}
    assert found == {
        "groups": ["f", "m"],
        "properties": ["number"],
        "rows": {"f": 39, "m": 11},
        "left_out": NONE_LEFT_OUT,
        "objective": pytest.approx(25 / 38 * (38 * 39 / 2) + 25 * 2.8 / 38 * 45 + 250 / 38 * 10),
        "heaviest": 6.578947,
        "rows_of_weight_0": 1,
        "heavy": [{"group": "m", "rows": 1, "weight": 6.578947, "values": {"number": "b"}}],
        "sets": [
            {"property": "number", "value": 9, "rows": {"f": 1, "m": 0}, "weight": {"f": 0.0, "m": 0.0}},
            {"property": "number", "value": "(1, 2)", "rows": {"f": 28, "m": 10}}
            | {"weight": {"f": 18.421053, "m": 18.421053}},
            {"property": "number", "value": "b", "rows": {"f": 10, "m": 1}, "weight": {"f": 6.578947, "m": 6.578947}},
        ],
        "uneven": [{"rule": "number != 9", "rows": {"f": 1, "m": 0}, "sets": [9]}],
        "trimming": {"rules": ["number != 9"], "rows": {"f": 38, "m": 11}, "heaviest": 6.447368},
        "downsampling": {"rows": 22, "jointly": 22, "of": 50},
    }


# Published data.


@pytest.fixture(scope="module")
def gap():
    items = read_items(published("gap/gap-test.tsv"), "gap")
    return items, read_names(published("weighting-gap/gap-test-name-spans.json"), items)


@pytest.fixture(scope="module")
def weighting(gap):
    return weigh(*gap)[0]


def test_uneven_sets_of_gap_are_those_that_its_authors_left_out(weighting):
    """Kocijan et al. 2021, 3.5: more than 15 names, k >= 5; 1,670 rows stay, and the heaviest then weighs 7.68."""
    findings = find_uneven(weighting)
    assert tuple(str(it.rule) for it in findings) == TRIMMED
    trimming = suggest_trimming(weighting, findings)
    assert trimming.rows == {"feminine": 805, "masculine": 865}
    assert round(trimming.heaviest, 2) == 7.68


def test_downsampling_of_gap(gap, weighting):
    """Kocijan et al. 2021, 3.4, of 2,000 rows: 75 % by one property, below 70 % by both; the latter by combinations."""
    assert downsampling(weighting) == Downsampling(1496, 1396, {"feminine": 884, "masculine": 889})
    sizes = [downsampling(weigh(*gap, WeightSettings(properties=[name]))[0]) for name in ("number", "distance")]
    assert [(it.rows, it.jointly) for it in sizes] == [(1548, 1548), (1516, 1516)]


def test_histogram_of_gap(weighting):
    """Figure 1: nine masculine weights above 4; most rows about 1."""
    found = histogram(weighting)
    assert sum(sum(it["rows"].values()) for it in found) == 1773
    assert sum(it["rows"]["masculine"] for it in found if it["from"] >= 4) == 9
    assert sum(it["rows"]["feminine"] for it in found if it["from"] >= 4) == 0
    assert [round(it.weight, 2) for it in heavy_cells(weighting)] == [9.72, 9.20, 7.05, 6.41, 5.43, 4.97, 4.84]


def test_sets_of_gap(weighting):
    table = {(it.property, it.value): it for it in property_table(weighting)}
    assert table["distance", 5].rows == {"feminine": 37, "masculine": 9}
    assert isinstance(table["number", 47], SetRows)
    for it in table.values():
        if it.value is not None:
            assert it.weight["feminine"] == pytest.approx(it.weight["masculine"], abs=1e-6)
