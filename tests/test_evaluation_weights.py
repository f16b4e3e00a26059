"""Weights: small sets by hand, the small program against the paper's own, and the published weights and tables."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weights as bench
from gapforge.config import convert
from gapforge.errors import ConfigError, InputError
from gapforge.evaluation.files import read_weights
from gapforge.evaluation.gap import gap_rows, weighted_figures
from gapforge.evaluation.gold import Item
from gapforge.evaluation.weights import (
    TRIMMED,
    Cell,
    NoBalance,
    WeightSettings,
    choose_properties,
    count_cells,
    downsample,
    is_feasible,
    objective_of,
    parse_rule,
    solve,
    weigh,
)
from gapforge.records import Instance, Span, overlap
from gapforge.systems.antecedents import nearest_first
from reference import published


def make_row(id, gender, number, distance, true=True):
    """An item and its names: so many, the true one at this distance from the pronoun, or not among them."""
    words = ["Xena", *(f"N{n}" for n in range(number))]
    text = " ".join(words) + " she"
    places = [text.index(word) for word in words]
    spans = [Span(at, at + len(word)) for at, word in zip(places, words, strict=True)]
    name = spans[0] if distance is None else spans[-distance]
    instance = Instance(id, text, Span(len(text) - 3, len(text)), name, spans[0])
    pronoun = "she" if gender == "feminine" else "he"
    return Item(id, pronoun, gender, true, False, instance), spans[1:]


def make_set(*rows):
    """Rows of (gender, number, distance) as items and names."""
    made = [make_row(f"r-{n}", {"f": "feminine", "m": "masculine"}[row[0]], *row[1:]) for n, row in enumerate(rows)]
    return [item for item, _ in made], {item.id: spans for item, spans in made}


# One feminine row has 1 name and four have 2; of masculine ones, two and one. Let s be the weight of either group on
# rows with 1 name. Among feminine pairs 6 (4-s)/4 + 4 max(s, (4-s)/4) has its least at s = 0.8, with slopes of 2.5 to
# both sides; among masculine ones s/2 + 2 max(s/2, 4-s) falls by 1.5 until s = 8/3. So s = 0.8.
EIGHT = [("f", 1, 1), *[("f", 2, 1)] * 4, *[("m", 1, 1)] * 2, ("m", 2, 1)]


def test_weights_by_hand():
    items, names = make_set(*EIGHT)
    (found,) = weigh(items, names)
    assert found.groups == ("feminine", "masculine")
    assert found.properties == ("number", "distance")
    assert list(found.weights) == [item.id for item in items]
    assert list(found.weights.values()) == pytest.approx([0.8] * 5 + [0.4, 0.4, 3.2])
    assert found.objective == pytest.approx(10 * 0.8 + 0.4 + 2 * 3.2)
    assert found.rows == {"feminine": 5, "masculine": 3}
    assert [(it.group, it.values, it.rows) for it in found.cells] == [
        ("feminine", (1, 1), 1),
        ("feminine", (2, 1), 4),
        ("masculine", (1, 1), 2),
        ("masculine", (2, 1), 1),
    ]
    assert all(type(weight) is float for weight in found.weights.values())


def test_without_properties_each_group_has_half():
    items, names = make_set(*EIGHT)
    (found,) = weigh(items, names, WeightSettings(properties=[]))
    assert list(found.weights.values()) == pytest.approx([4 / 5] * 5 + [4 / 3] * 3)


def test_one_property_alone():
    """By the rank of the true name all eight rows are alike; by the number of names they are not."""
    items, names = make_set(*EIGHT)
    (by_rank,) = weigh(items, names, WeightSettings(properties=["distance"]))
    assert list(by_rank.weights.values()) == pytest.approx([4 / 5] * 5 + [4 / 3] * 3)
    (by_number,) = weigh(items, names, WeightSettings(properties=["number"]))
    assert list(by_number.weights.values()) == pytest.approx([0.8] * 5 + [0.4, 0.4, 3.2])


def test_rows_without_a_true_name_weigh_nothing():
    items, names = make_set(*EIGHT)
    idle = [make_row(f"idle-{n}", gender, 3, 1, true=False) for n, gender in enumerate(("feminine", "masculine"))]
    (found,) = weigh([idle[0][0], *items, idle[1][0]], names | {item.id: spans for item, spans in idle})
    assert list(found.weights.values()) == pytest.approx([0] + [0.8] * 5 + [0.4, 0.4, 3.2] + [0])
    assert found.left_out == {"no true name": 2, "no group": 0, "trimmed": 0, "another group": 0}


def test_a_true_name_that_is_no_span_is_in_no_set_of_ranks():
    """The first rows share their number of names; the rank of the second pair is balanced by itself."""
    items, names = make_set(("f", 2, None), ("m", 2, 1), ("f", 2, 1), ("m", 2, None))
    (found,) = weigh(items, names)
    assert [it.values for it in found.cells] == [(2, 1), (2, None)] * 2
    assert list(found.weights.values()) == pytest.approx([1, 1, 1, 1])


def test_a_set_of_one_group_weighs_nothing():
    """A masculine row with 3 names has no counterpart: the other four share its weight."""
    items, names = make_set(("f", 1, 1), ("f", 2, 1), ("m", 1, 1), ("m", 2, 1), ("m", 3, 1))
    (found,) = weigh(items, names)
    assert list(found.weights.values()) == pytest.approx([1.25, 1.25, 1.25, 1.25, 0])


def test_the_order_of_rows_changes_nothing():
    items, names = make_set(*EIGHT, ("f", 3, 2), ("m", 3, 2), ("m", 3, 1), ("f", 2, 2))
    (found,) = weigh(items, names)
    (turned,) = weigh(items[::-1], names)
    assert turned.weights == found.weights
    assert turned.cells == found.cells


@pytest.mark.parametrize(
    ("trim", "kept"),
    [
        ([], 6),
        (["number <= 2"], 4),
        (["number<=2", "distance <= 1"], 2),
        (["distance <= 1"], 2),
        (["number >= 3"], 2),
        (["number != 3"], 4),
        (["number != 3.0"], 4),
        (["number != 17"], 6),
        (["number != few"], 6),
    ],
)
def test_trimming(trim, kept):
    """A rank that is not known breaks no rule."""
    items, names = make_set(("f", 2, 2), ("m", 2, 2), ("f", 3, 3), ("m", 3, 3), ("f", 2, None), ("m", 2, None))
    (found,) = weigh(items, names, WeightSettings(trim=trim))
    assert sum(found.rows.values()) == kept
    assert found.left_out["trimmed"] == 6 - kept
    assert sum(found.weights.values()) == pytest.approx(kept)


def test_rows_are_trimmed_by_what_is_not_balanced():
    items, names = make_set(("f", 1, 1), ("m", 1, 1), ("f", 9, 1), ("m", 8, 1))
    (found,) = weigh(items, names, WeightSettings(properties=["distance"], trim=["number <= 8"]))
    assert list(found.weights.values()) == pytest.approx([1.5, 0.75, 0, 0.75])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("number", "trim: 'number' is no rule; write one such as 'number <= 15' or 'topic != sport'"),
        ("number < 3", "trim: 'number < 3' is no rule; write one such as 'number <= 15' or 'topic != sport'"),
        ("number <= few", "trim: 'number <= few': 'few' is no number; only != takes a word"),
        ("number <= nan", "trim: 'number <= nan': 'nan' is no number; only != takes a word"),
        ("number >=", "trim: 'number >=' is no rule; write one such as 'number <= 15' or 'topic != sport'"),
    ],
)
def test_rules_that_cannot_be_used(text, message):
    with pytest.raises(ConfigError) as error:
        WeightSettings(trim=[text])
    assert str(error.value) == message


def test_rules_are_read_with_and_without_spaces():
    assert str(parse_rule("  number<=15 ")) == "number <= 15"
    assert str(parse_rule("my.module:topic != track and field")) == "my.module:topic != track and field"


def test_settings_of_a_config():
    found = convert({"properties": ["number"], "trim": ["number <= 9"]}, WeightSettings, "c.toml: [weights]")
    assert found == WeightSettings(["number"], "gender", ["number <= 9"])
    with pytest.raises(ConfigError) as error:
        convert({"properties": ["number", "number"]}, WeightSettings, "c.toml: [weights]")
    assert str(error.value) == "c.toml: [weights] properties: number is named twice; name it once"


def test_properties_are_chosen():
    assert choose_properties([], []) == ["number", "distance"]
    assert choose_properties(["number"], ["my.module:topic"]) == ["distance", "my.module:topic"]
    assert choose_properties([], ["number"]) == ["number", "distance"]
    with pytest.raises(ConfigError) as error:
        choose_properties(["distanse"], [])
    assert str(error.value) == "unknown property 'distanse' to leave out; did you mean 'distance'?"


PLUGINS = """
def half(items, names): return ["even" if len(names[it.id]) % 2 == 0 else "odd" for it in items]
def region(items, names): return [{"1": "north", "2": "south", "3": "west"}.get(it.id[-1]) for it in items]
"""


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    (tmp_path / "my_weights.py").write_text(PLUGINS, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def test_a_property_of_ones_own(plugins):
    """Of odd numbers there are one and two rows, of even ones four and one: as by hand above."""
    items, names = make_set(("f", 5, 1), *[("f", 2, 1)] * 4, ("m", 1, 1), ("m", 3, 1), ("m", 4, 1))
    (found,) = weigh(items, names, WeightSettings(properties=["my_weights:half"]))
    assert list(found.weights.values()) == pytest.approx([0.8] * 5 + [0.4, 0.4, 3.2])
    with pytest.raises(ConfigError) as error:
        weigh(items, names, WeightSettings(trim=["my_weights:half <= 3"]))
    assert str(error.value) == ("my_weights:half <= 3: the property has the value 'odd', which is no number; use !=")
    (odd,) = weigh(items, names, WeightSettings(properties=[], trim=["my_weights:half != even"]))
    assert odd.rows == {"feminine": 1, "masculine": 2}


def test_three_groups_are_weighed_by_pairs(plugins):
    """North has a row of 1 name, south one of 1 and one of 2, west one of each; a fourth region is nowhere."""
    numbers = {"a1": 1, "b2": 1, "c2": 2, "d3": 1, "e3": 2, "f4": 1}
    rows = [make_row(id, "feminine", number, 1) for id, number in numbers.items()]
    items, names = [item for item, _ in rows], {item.id: spans for item, spans in rows}
    found = weigh(items, names, WeightSettings(group="my_weights:region", properties=["number"]))
    assert [it.groups for it in found] == [("north", "south"), ("north", "west"), ("south", "west")]
    assert [[round(it.weights[id], 6) for id in numbers] for it in found] == [
        [1.5, 1.5, 0, 0, 0, 0],
        [1.5, 0, 0, 1.5, 0, 0],
        [0, 1, 1, 1, 1, 0],
    ]
    assert found[0].left_out == {"no true name": 0, "no group": 1, "trimmed": 0, "another group": 2}


@pytest.mark.parametrize(
    ("rows", "settings", "message"),
    [
        ([], WeightSettings(), "of 0 rows these are left: none; "),
        ([("f", 1, 1)] * 2, WeightSettings(), "of 2 rows these are left: 2 feminine; "),
        (
            [("f", 1, 1), ("m", 3, 1), ("f", 1, 1, False)],
            WeightSettings(trim=["number <= 2"]),
            "of 3 rows these are left: 1 feminine (left out: 1 no true name, 1 trimmed); ",
        ),
    ],
)
def test_one_group_cannot_be_balanced(rows, settings, message):
    items, names = make_set(*rows)
    with pytest.raises(InputError) as error:
        weigh(items, names, settings)
    assert str(error.value) == (
        f"weights balance two groups by gender; {message}add rows of another group or trim less"
    )


def test_rows_that_occur_twice_or_lack_names():
    items, names = make_set(*EIGHT)
    with pytest.raises(InputError) as error:
        weigh([*items, items[3]], names)
    assert str(error.value) == "ids that occur twice: r-3; remove one of each"
    with pytest.raises(InputError, match=r"^names: no names for 1 of 8 rows: r-7; add them, with an empty list"):
        weigh(items, {id: spans for id, spans in names.items() if id != "r-7"})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [("f", 2, 1), ("f", 2, 1), ("m", 3, 1)],
            "by number and distance: number 2 has 2 feminine and 0 masculine, number 3 has 0 feminine and 1 masculine. "
            "Leaving out rows does not help; weigh without number, or by coarser values",
        ),
        (
            [("f", 2, 1), ("m", 3, 2)],
            "by number and distance: number 2 has 1 feminine and 0 masculine, number 3 has 0 feminine and 1 masculine, "
            "distance 1 has 1 feminine and 0 masculine, distance 2 has 0 feminine and 1 masculine. "
            "Leaving out rows does not help; weigh by fewer properties, or by coarser values",
        ),
        (
            # Rank 2 is masculine only, which takes the masculine rows of 2 names, and with them the feminine one.
            [("f", 2, 1), ("m", 2, 2)],
            "by number and distance: distance 1 has 1 feminine and 0 masculine, distance 2 has 0 feminine and 1 "
            "masculine. Leaving out rows does not help; weigh without distance, or by coarser values",
        ),
    ],
)
def test_no_weights_balance_the_groups(rows, message):
    items, names = make_set(*rows)
    with pytest.raises(NoBalance) as error:
        weigh(items, names)
    assert str(error.value) == f"no weights balance feminine and masculine rows {message}"


# Of three properties every set has both groups, and yet: let x, y, z be the weights of the feminine rows and u, v, w
# of the masculine ones. The first property wants x + y = w and z = u + v, the second x = v + w and the third y = u + w.
# Then w = x + y = u + v + 2w: all three are 0.
KNOT = [("f", (2, 2, 1)), ("f", (2, 1, 2)), ("f", (1, 1, 1)), ("m", (1, 1, 2)), ("m", (1, 2, 1)), ("m", (2, 2, 2))]


def test_a_knot_of_three_properties():
    cells = count_cells([group for group, _ in KNOT], [values for _, values in KNOT])
    assert solve(cells) is None
    assert not is_feasible(cells)
    assert bench.solve_pairs(*zip(*KNOT, strict=True)) is None
    assert is_feasible([dataclasses.replace(cell, values=cell.values[:2]) for cell in cells])
    assert downsample(cells) == [0] * 6


def test_objective_by_hand():
    """Pairs of weights 1, 1, 3: 1 + 3 + 3; of the other group 2 and 0.5: 2."""
    cells = [Cell("f", (1,), 2, 1.0), Cell("f", (2,), 1, 3.0), Cell("m", (1,), 1, 2.0), Cell("m", (2,), 1, 0.5)]
    assert objective_of(cells) == 9
    assert bench.objective_of_rows(list("fffmm"), [1, 1, 3, 2, 0.5]) == 9


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        (EIGHT, [1, 1, 1, 1]),
        # No combination of values is in both groups, and yet every set is.
        ([("f", 1, 1), ("f", 2, 2), ("m", 1, 2), ("m", 2, 1)], [1, 1, 1, 1]),
        ([("f", 1, 1), ("f", 2, 2), ("m", 1, 2), ("m", 2, 2)], [0, 1, 0, 1]),
        ([("f", 1, 1), ("m", 2, 2)], [0, 0]),
    ],
)
def test_downsampling_by_hand(rows, kept):
    assert downsample(count_cells([row[0] for row in rows], [row[1:] for row in rows])) == kept


VALUES = st.tuples(st.sampled_from("fm"), st.tuples(st.integers(1, 4), st.sampled_from([None, 1, 2, 3])))


@given(st.lists(VALUES, min_size=2, max_size=24).filter(lambda rows: len({group for group, _ in rows}) == 2))
def test_cells_are_as_good_as_pairs(rows):
    groups, values = zip(*rows, strict=True)
    cells = count_cells(groups, values)
    weights = solve(cells)
    full = bench.solve_pairs(groups, values, "highs-ds")
    assert (weights is None) == (full is None)
    if weights is None:
        return
    cells = [dataclasses.replace(cell, weight=weight) for cell, weight in zip(cells, weights, strict=True)]
    check_balance(cells)
    found = {(cell.group, cell.values): cell.weight for cell in cells}
    objective = bench.objective_of_rows(groups, [found[row] for row in rows])
    assert objective == pytest.approx(objective_of(cells), rel=1e-12)
    assert objective == pytest.approx(bench.objective_of_rows(groups, full), rel=1e-8)


def check_balance(cells):
    """The constraints, worked out one by one."""
    total = sum(cell.rows for cell in cells)
    for group in {cell.group for cell in cells}:
        assert sum(cell.rows * cell.weight for cell in cells if cell.group == group) == pytest.approx(total / 2)
    for n in range(len(cells[0].values)):
        for value in {cell.values[n] for cell in cells} - {None}:
            held = [cell for cell in cells if cell.values[n] == value]
            sums = [sum(it.rows * it.weight for it in held if it.group == group) for group in {c.group for c in cells}]
            assert sums[0] == pytest.approx(sums[1], abs=1e-7)
    assert min(cell.weight for cell in cells) >= 0


@given(st.lists(VALUES, min_size=2, max_size=9).filter(lambda rows: len({group for group, _ in rows}) == 2))
def test_downsampling_keeps_as_many_as_can_be(rows):
    """Every subset tried in turn."""
    kept = sum(downsample(count_cells(*zip(*rows, strict=True))))
    sizes = [
        bin(mask).count("1")
        for mask in range(2 ** len(rows))
        if is_even([r for n, r in enumerate(rows) if mask >> n & 1])
    ]
    assert kept == max(sizes)


def is_even(rows):
    sums = {}
    for group, values in rows:
        for key in ["all", *((n, it) for n, it in enumerate(values) if it is not None)]:
            sums[key] = sums.get(key, 0) + (1 if group == "f" else -1)
    return not any(sums.values())


# Published data, and the same forms.


@pytest.fixture(scope="module")
def gap():
    published(bench.NAMES)
    return bench.read_published(published("."))


@pytest.fixture(scope="module")
def weightings(gap):
    chosen = {
        "W": WeightSettings(),
        "Wnum": WeightSettings(properties=["number"]),
        "Wdist": WeightSettings(properties=["distance"]),
        "Wt": WeightSettings(trim=list(TRIMMED)),
    }
    return {name: weigh(*gap, settings)[0] for name, settings in chosen.items()}


def test_published_weights(gap, weightings):
    weights = read_weights(published(bench.WEIGHTS), gap[0])
    found = weightings["W"].weights
    assert max(abs(found[id] - weight) for id, weight in weights.items()) <= bench.NEAR
    groups, rows = zip(*((item.gender, item.id) for item in gap[0] if item.a or item.b), strict=True)
    ours, theirs = (bench.objective_of_rows(groups, [it[id] for id in rows]) for it in (found, weights))
    assert ours == pytest.approx(theirs, rel=1e-8)
    assert ours <= theirs


@pytest.mark.parametrize("name", ["W", "Wt"])
def test_published_optima(weightings, name):
    assert weightings[name].objective == pytest.approx(bench.OPTIMA[name], abs=0.0006)
    check_balance(weightings[name].cells)


def test_heaviest_weights(weightings):
    """Kocijan et al. 2021, 3.5: the ten heaviest are 6.29 on average, 3.3 when trimmed; under 1 % are 0."""
    ranked = sorted(weightings["W"].weights.values(), reverse=True)
    assert [round(it, 2) for it in ranked[:9]] == [9.72, 9.20, 7.05, 7.05, 6.41, 5.43, 4.97, 4.97, 4.84]
    assert round(sum(ranked[:10]) / 10, 2) == 6.29
    trimmed = sorted(weightings["Wt"].weights.values(), reverse=True)
    assert round(trimmed[0], 2) == 7.68
    assert round(sum(trimmed[:10]) / 10, 1) == 3.3
    assert sum(cell.rows for cell in weightings["W"].cells if cell.weight < 1e-9) / 1773 < 0.01
    assert min(cell.weight for cell in weightings["Wt"].cells) > 0.2


def test_published_trimming(gap, weightings):
    """The published list has the numbers of the rows that are not counted: no true name, or trimmed."""
    ignored = json.loads(published("weighting-gap/ignored_ids.json").read_text("utf-8"))
    counted = {id for id, weight in weightings["Wt"].weights.items() if weight}
    assert {item.id for item in gap[0]} - counted == {f"test-{number}" for number in ignored}
    assert weightings["Wt"].rows == {"feminine": 805, "masculine": 865}
    assert weightings["Wt"].left_out == {"no true name": 227, "no group": 0, "trimmed": 103, "another group": 0}


# Kocijan et al. 2021, Table 1, Ground-Truth: F1, accuracy, F1-Bias, acc-Bias, W-, Wnum-, Wdist- and Wt-Bias.
TABLE = {
    0: (0.305, 0.224, 0.884, 0.849, 1.000, 0.995, 0.899, 1.000),  # Random
    1: (0.463, 0.412, 0.850, 0.776, 1.000, 0.804, 1.000, 1.000),
    2: (0.353, 0.310, 0.923, 0.882, 1.000, 0.920, 1.000, 1.000),
    3: (0.228, 0.156, 1.270, 1.347, 1.006, 1.266, 1.010, 1.007),
}


def test_published_table(gap, weightings):
    items, names = gap
    ranked = {item.id: nearest_first(item.instance, names[item.id]) for item in items}
    exact = 0
    for rank, cells in TABLE.items():
        said = {}
        for item in items:
            spans = ranked[item.id][rank - 1 : rank] if rank else ranked[item.id]
            named = (item.instance.name_a, item.instance.name_b)
            said[item.id] = tuple(sum(overlap(it, name) for it in spans) / (len(spans) or 1) for name in named)
        figures = [weighted_figures(gap_rows(items, said, it.weights).sum(axis=0)) for it in weightings.values()]
        found = [float(figures[0][name]) for name in ("overall.f1", "overall.accuracy", "bias", "acc_bias")]
        found += [float(it["weighted_bias"]) for it in figures]
        rounded = [round(it, 3) for it in found]
        assert rounded == pytest.approx(cells, abs=0.001 + 1e-9)
        exact += sum(ours == theirs for ours, theirs in zip(rounded, cells, strict=True))
    assert exact >= 26


@pytest.mark.parametrize("seed", range(4))
def test_random_rows_are_weighed_as_well_as_by_pairs(gap, seed):
    groups, values = bench.rows_of(*gap)
    drawn = np.random.default_rng(seed).choice(len(groups), 120, replace=False)
    groups, values = [groups[n] for n in drawn], [values[n] for n in drawn]
    cells = count_cells(groups, values)
    weights = solve(cells)
    cells = [dataclasses.replace(cell, weight=weight) for cell, weight in zip(cells, weights, strict=True)]
    full = bench.objective_of_rows(groups, bench.solve_pairs(groups, values))
    assert objective_of(cells) == pytest.approx(full, rel=bench.CLOSE)
