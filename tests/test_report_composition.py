import pytest

from gapforge.report.composition import (
    Mean,
    Spread,
    counter_gap_tallies,
    crossed,
    gap_tallies,
    means,
    spread,
    tally,
    tally_numbers,
    weighed_tallies,
)
from report_scenes import make_example, make_quadruple, make_weight

HE = {"text": "Al met Bo. He left.", "pronoun": "He", "a": "Al", "b": "Bo"}


def counted(tally):
    """The counts as {value: (feminine, masculine)}."""
    return {value: (counts["feminine"], counts["masculine"]) for value, counts in tally.counts.items()}


def by_property(tallies):
    return {it.property: it for it in tallies}


def test_values_come_in_their_order():
    rows = [("B", "feminine"), ("A", "masculine"), (None, "feminine"), ("B", "feminine")]
    found = tally("label", rows, ("A", "B", "neither"))
    assert list(counted(found).items()) == [("A", (0, 1)), ("B", (2, 0))]
    assert found.without == {"feminine": 1, "masculine": 0}
    assert (found.of("feminine"), found.of("masculine")) == ([0, 2], [1, 0])


@pytest.mark.parametrize(
    ("numbers", "most", "expected"),
    [
        ([], 5, {}),
        ([None], 5, {}),
        ([2, 4, 4], 5, {"2": (1, 0), "3": (0, 0), "4": (2, 0)}),
        ([4, 5, 6, 9], 5, {"4": (1, 0), "5": (1, 0), "6+": (2, 0)}),
        ([7, 9], 5, {"6+": (2, 0)}),
    ],
)
def test_numbers_have_no_gaps_and_one_end(numbers, most, expected):
    assert counted(tally_numbers("names", [(it, "feminine") for it in numbers], most)) == expected


def test_gap():
    rows = {
        "development": [make_example("1", label="A"), make_example("2", **HE, label="B", pattern="MEDIALPRO")],
        "test": [make_example("3", label="neither", page_entity=False)],
    }
    found = by_property(gap_tallies(rows))
    assert list(found) == ["split", "label", "pattern", "words to the referent", "page entity"]
    assert counted(found["split"]) == {"development": (1, 1), "test": (1, 0)}
    assert counted(found["label"]) == {"A": (1, 0), "B": (0, 1), "neither": (1, 0)}
    assert counted(found["pattern"]) == {"FINALPRO": (2, 0), "MEDIALPRO": (0, 1)}
    assert counted(found["page entity"]) == {"one of the two": (1, 1), "neither of the two": (1, 0)}
    # Between "Ann" and "She" stand "met Ida at noon."
    assert counted(found["words to the referent"]) == {"0-4": (1, 1)}
    assert found["words to the referent"].without == {"feminine": 1, "masculine": 0}


def test_counter_gap():
    found = by_property(counter_gap_tallies([*make_quadruple("q-1", label="A"), *make_quadruple("q-2", label="B")]))
    assert list(found)[:1] == ["variant"]
    assert counted(found["variant"]) == {
        "original": (2, 0),
        "control": (2, 0),
        "swap-1": (0, 2),
        "swap-2": (0, 2),
    }
    assert counted(found["names in a row"]) == {"5": (4, 4)}
    # "{C1} told {C2} that {O1} was late. {O2} nodded, and {she} left. {C1} wept.": of the first person the last mention
    # is the nearest, but the row's own is the first.
    assert counted(found["rank of the referent"]) == {"4": (2, 2), "5": (2, 2)}


def test_weighed_rows():
    weights = [make_weight("1", "feminine", 2, 1), make_weight("2", "masculine", 17, None)]
    names, ranks = weighed_tallies(weights)
    assert counted(names)["2"] == (1, 0) and counted(names)["16+"] == (0, 1) and len(names.counts) == 15
    assert (counted(ranks), ranks.without) == ({"1": (1, 0)}, {"feminine": 0, "masculine": 1})


def test_combinations_come_in_the_order_of_their_values():
    rows = [make_example("1", label="B"), make_example("2", label="A"), make_example("3", **HE, label="B")]
    keys = [(lambda it: it.pattern, ("FINALPRO",)), (lambda it: it.label, ("A", "B"))]
    assert crossed(rows, keys) == [
        (("FINALPRO", "A"), {"feminine": 1, "masculine": 0}),
        (("FINALPRO", "B"), {"feminine": 1, "masculine": 1}),
    ]


def test_means_before_and_after_weighting():
    weights = [
        make_weight("1", "feminine", 2, 1, 3.0),
        make_weight("2", "feminine", 6, 3, 1.0),
        make_weight("3", "masculine", 4, None, 0.0),
    ]
    assert means(weights) == [
        Mean("names in a row", "feminine", 2, 4.0, 2.0, 3.0),
        Mean("names in a row", "masculine", 1, 4.0, 0.0, None),
        Mean("rank of the referent", "feminine", 2, 2.0, 1.0, 1.5),
    ]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([], Spread([0.0, 0.1], {"feminine": [0], "masculine": [0]}, 0, 0, 0.0)),
        (
            # 0.3 / 0.1 is a little below 3, and belongs into the bin from 0.3 on.
            [("feminine", 1, 0.3), ("masculine", 1, 0.0), ("feminine", None, 0.0), ("feminine", None, 0.05)],
            Spread([0.0, 0.1, 0.2, 0.3, 0.4], {"feminine": [1, 0, 0, 1], "masculine": [1, 0, 0, 0]}, 0, 1, 0.3),
        ),
    ],
)
def test_weights_in_steps(weights, expected):
    assert (
        spread([make_weight(str(n), gender, 2, rank, it) for n, (gender, rank, it) in enumerate(weights)]) == expected
    )


def test_weights_above_the_last_step_are_told_apart():
    found = spread([make_weight("1", weight=4.0), make_weight("2", weight=4.01), make_weight("3", weight=70.0)])
    assert (found.above, found.heaviest, found.edges[-1]) == (2, 70.0, 4.1)
    assert found.counts["feminine"] == [0] * 40 + [1]
