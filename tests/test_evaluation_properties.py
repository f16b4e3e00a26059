"""Properties of test rows: names counted and ranked by hand, plug-ins, and the published figures of GAP."""

import numpy as np
import pytest

from gapforge.errors import ConfigError, InputError
from gapforge.evaluation.files import read_names
from gapforge.evaluation.gold import Item, read_items
from gapforge.evaluation.properties import (
    GROUPS,
    Statistic,
    check_names,
    detect_names,
    distance,
    gender,
    in_order,
    number,
    rank_of_true_name,
    statistics,
    values_of,
)
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.records import Instance, Span, overlap
from reference import published


def span(text, name):
    start = text.index(name)
    return Span(start, start + len(name))


def make_item(text, pronoun, a, b, true="a", id="r-1"):
    instance = Instance(id, text, span(text, pronoun), span(text, a), span(text, b))
    word = "feminine" if pronoun.lower() in ("she", "her") else "masculine"
    return Item(id, pronoun, word, true == "a", true == "b", instance)


MEETING = "Ann Lee met Bea, and Cyd saw Dee before she left with Eve."


@pytest.mark.parametrize(
    ("true", "names", "rank"),
    [
        # Between the pronoun and Dee stands "before"; Eve "left with"; Cyd "saw Dee before"; Bea and Ann are farther.
        ("Dee", ("Ann Lee", "Bea", "Cyd", "Dee", "Eve"), 1),
        ("Eve", ("Ann Lee", "Bea", "Cyd", "Dee", "Eve"), 2),
        ("Ann Lee", ("Ann Lee", "Bea", "Cyd", "Dee", "Eve"), 5),
        ("Ann Lee", ("Eve", "Lee"), 2),  # a part of the name is enough
        ("Ann Lee", ("Ann", "Bea", "Lee"), 2),  # of two parts the nearer counts, after Bea
        ("Bea", ("Ann Lee", "Cyd"), None),
        ("Bea", (), None),
    ],
)
def test_rank_of_the_true_name(true, names, rank):
    other = "Bea" if true != "Bea" else "Cyd"
    item = make_item(MEETING, "she", true, other)
    assert rank_of_true_name(item, [span(MEETING, name) for name in names]) == rank


def test_names_as_near_keep_their_order():
    """One token stands between the pronoun and either name."""
    text = "Ann saw her meet Bea."
    item = make_item(text, "her", "Ann", "Bea", true="b")
    ann, bea = span(text, "Ann"), span(text, "Bea")
    assert rank_of_true_name(item, [ann, bea]) == 2
    assert rank_of_true_name(item, [bea, ann]) == 1


def test_a_number_with_a_word_is_one_token():
    """Three tokens stand before Bob, five behind Ann; were "200-meter" three, both had five, and Ann came first."""
    text = "Ann won a big cup as he ran a 200-meter Bob race."
    item = make_item(text, "he", "Ann", "Bob", true="b")
    assert rank_of_true_name(item, [span(text, "Ann"), span(text, "Bob")]) == 1


def test_no_true_name_has_no_rank():
    item = make_item(MEETING, "she", "Dee", "Eve", true="")
    assert rank_of_true_name(item, [span(MEETING, "Dee")]) is None


def test_properties_of_a_batch():
    items = [make_item(MEETING, "she", "Dee", "Eve", id="r-1"), make_item(MEETING, "she", "Dee", "Eve", "b", "r-2")]
    names = {"r-1": [span(MEETING, "Eve"), span(MEETING, "Dee")], "r-2": [], "r-3": [Span(0, 1)]}
    assert number(items, names) == [2, 0]
    assert distance(items, names) == [1, None]
    assert gender(items, names) == ["feminine", "feminine"]


def test_gold_without_text_has_no_distance():
    item = Item("r-1", "she", "feminine", True, False)
    assert number([item], {"r-1": [Span(0, 3)]}) == [1]
    with pytest.raises(InputError) as error:
        distance([item], {"r-1": [Span(0, 3)]})
    assert str(error.value) == "r-1: the gold has no text; weights need a file with the texts and their offsets"


PLUGINS = """
import numpy as np
def length(items, names): return [len(it.instance.text) for it in items]
def scalars(items, names): return list(np.array([2, 3])) + [np.float64("nan"), float("nan"), np.str_("x")]
def topics(items, names): return ["sport", None]
def few(items, names): return [1]
def lists(items, names): return [[1] for _ in items]
def broken(items, names): return [1 / 0 for _ in items]
def strict(items, names):
    from gapforge.errors import InputError
    raise InputError("r-1: no topic")
"""


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    (tmp_path / "my_properties.py").write_text(PLUGINS, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def two_items():
    return [make_item(MEETING, "she", "Dee", "Eve", id=id) for id in ("r-1", "r-2")]


def test_values_of_plugins(plugins):
    assert values_of("my_properties:length", two_items(), {}) == [58, 58]
    assert values_of("my_properties:topics", two_items(), {}) == ["sport", None]
    values = values_of("my_properties:scalars", [*two_items(), *two_items(), *two_items()[:1]], {})
    assert values == [2, 3, None, None, "x"]
    assert [type(value) for value in values[:2]] == [int, int]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("numbr", "unknown plug-in 'numbr', and no 'package.module:function'; did you mean 'number'?"),
        ("my_properties:few", "my_properties:few: 1 values for 2 rows; a property gives one for each, or None"),
        ("my_properties:lists", "my_properties:lists: TypeError: unhashable type: 'list'; fix the function"),
        ("my_properties:broken", "my_properties:broken: ZeroDivisionError: division by zero; fix the function"),
    ],
)
def test_properties_that_cannot_be_used(plugins, name, message):
    with pytest.raises(ConfigError) as error:
        values_of(name, two_items(), {})
    assert str(error.value) == message


def test_what_a_plugin_says_of_its_input_is_passed_on(plugins):
    with pytest.raises(InputError, match=r"^r-1: no topic$"):
        values_of("my_properties:strict", two_items(), {})


def test_groups_have_a_registry_of_their_own():
    assert values_of("gender", two_items(), {}, GROUPS) == ["feminine", "feminine"]
    with pytest.raises(ConfigError, match="unknown plug-in 'number'"):
        values_of("number", two_items(), {}, GROUPS)


def test_order_of_values():
    values = [None, "b", 10, 2, "a", 2.5, True]
    assert sorted(values, key=in_order) == [2, 2.5, 10, True, "a", "b", None]


def test_missing_names_are_listed():
    with pytest.raises(InputError) as error:
        check_names(two_items(), {"r-3": []}, "spans.json")
    assert str(error.value) == (
        "spans.json: no names for 2 of 2 rows: r-1, r-2; add them, with an empty list where a text has no name"
    )


def test_statistics_by_hand(plugins):
    """Three rows of 1, 2 and 2 names: mean 5/3, variance ((2/3)^2 + 2 (1/3)^2) / 3 = 2/9."""
    rows = [make_item(MEETING, "she", "Dee", "Eve", id=f"r-{n}") for n in range(3)]
    names = {f"r-{n}": [span(MEETING, name) for name in ("Dee", "Eve")[: n + 1]] for n in range(3)}
    counted, ranked = statistics(rows, names)
    assert (counted.property, counted.group, counted.rows) == ("number", "feminine", 3)
    assert (counted.mean, counted.deviation) == pytest.approx((5 / 3, np.sqrt(2) / 3))
    assert ranked == Statistic("distance", "feminine", 3, 1.0, 0.0)
    with pytest.raises(ConfigError) as error:
        statistics(rows[:2], names, ["my_properties:topics"])
    assert str(error.value) == "my_properties:topics: gives 'sport'; only numbers have a mean"


def test_statistics_without_any_value():
    item = make_item(MEETING, "she", "Dee", "Eve")
    assert [it.property for it in statistics([item], {"r-1": []})] == ["number"]


def test_names_are_detected():
    text = "Walter Pym wrote to Dora Kell. Dora told Ida Brandt that she had met Xyqqo in Paris."
    item = make_item(text, "she", "Dora Kell", "Xyqqo")
    found = detect_names([item], DEFAULT_MODEL)
    assert [text[it.start : it.end] for it in found["r-1"]] == [
        "Walter Pym",
        "Dora Kell",
        "Dora",
        "Ida Brandt",
        "Xyqqo",
    ]
    assert detect_names([], DEFAULT_MODEL) == {}


# Published data.


@pytest.fixture(scope="module")
def gap():
    items = read_items(published("gap/gap-test.tsv"), "gap")
    return items, read_names(published("weighting-gap/gap-test-name-spans.json"), items)


def test_published_statistics(gap):
    """Kocijan et al. 2021, 3.3."""
    found = {(it.property, it.group): (it.rows, round(it.mean, 2), round(it.deviation, 2)) for it in statistics(*gap)}
    assert found == {
        ("number", "masculine"): (1000, 5.55, 3.18),
        ("number", "feminine"): (1000, 6.30, 3.44),
        ("distance", "masculine"): (885, 1.86, 1.19),
        ("distance", "feminine"): (879, 2.32, 1.54),
    }


@pytest.mark.parametrize("rows", [60, pytest.param(300, marks=pytest.mark.corpus)])
def test_detected_names_beside_published_ones(gap, rows):
    items, names = gap
    items = items[:rows]
    found = detect_names(items, DEFAULT_MODEL)
    spans = [(it, names[id]) for id, held in found.items() for it in held]
    given = [(it, found[item.id]) for item in items for it in names[item.id]]
    precision, recall = (
        sum(any(overlap(it, other) for other in others) for it, others in pairs) / len(pairs)
        for pairs in (spans, given)
    )
    assert precision >= 0.9
    assert recall >= 0.9
