"""Agreement: figures worked out by hand, published ones, and two packages as oracles."""

import dataclasses
import random
from collections import Counter

import krippendorff
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from gapforge.annotation.consensus import (
    Agreement,
    agreement_of,
    collect,
    describe_agreement,
    fleiss_kappa,
    judge_gap,
    krippendorff_alpha,
    shown,
    totals_of,
)
from gapforge.records import Candidate, Judgement, Span

LABELS = ("A", "B", "neither", "both", "not sure")
# GAP's Table 3, column Raw: what most of three said. 194 more had no consensus (3.2).
RAW = {"A": 2913, "B": 3047, "neither": 1614, "both": 1016, "not sure": 14}
NO_CONSENSUS = 194
FULL = 6423  # 73 % of all 8,798; two of three agree on the 2,181 others with a consensus, which are 25 %

ITEMS = [{"A": 3}, {"A": 2, "B": 1}, {"B": 3}, {"A": 1, "B": 1, "neither": 1}]


def table_of(items):
    return [[votes.get(label, 0) for label in LABELS] for votes in items]


def test_kappa_by_hand():
    """Twelve votes are 6 A, 5 B, 1 neither: by chance (36 + 25 + 1) / 144 = 31/72 of all pairs agree.

    The pairs that do: 1, 1/3, 1 and 0 of the four items, 7/12 on the whole. (7/12 - 31/72) / (1 - 31/72) = 11/41.
    """
    assert fleiss_kappa(ITEMS) == pytest.approx(11 / 41, abs=1e-15)


def test_alpha_by_hand():
    """Pairs that differ, by item: 0, 4/2, 0 and 6/2, which is 5; by chance (6 * 6 + 5 * 7 + 1 * 11) / 11 = 82/11.

    1 - 5 / (82/11) = 27/82. A fifth item with one vote has no pair: it changes nothing.
    """
    assert krippendorff_alpha(ITEMS) == pytest.approx(27 / 82, abs=1e-15)
    assert krippendorff_alpha([*ITEMS, {"both": 1}, {"A": 1}]) == krippendorff_alpha(ITEMS)


@pytest.mark.parametrize(
    ("items", "kappa", "alpha"),
    [
        # Half agree by chance: kappa (1 - 1/2) / (1/2); no pair differs.
        ([{"A": 3}, {"B": 3}], 1.0, 1.0),
        # No pair agrees, half would by chance: (0 - 1/2) / (1/2). All 4 differ, where 4 * 2 / 3 would.
        ([{"A": 1, "B": 1}, {"A": 1, "B": 1}], -1.0, -0.5),
        # One item alone: 1/3 of its pairs agree, by chance 5/9. 2 differ, and 4/2 by chance.
        ([{"A": 2, "B": 1}], -0.5, 0.0),
        # Labels that nobody chose count for nothing.
        ([{"A": 3, "B": 0}, {"B": 3, "not sure": 0}], 1.0, 1.0),
    ],
)
def test_small_tables(items, kappa, alpha):
    assert fleiss_kappa(items) == pytest.approx(kappa, abs=1e-15)
    assert krippendorff_alpha(items) == pytest.approx(alpha, abs=1e-15)


def test_the_table_of_fleiss():
    """Fourteen raters, ten subjects, five categories; the example of the literature, kappa = 0.210."""
    rows = [
        (0, 0, 0, 0, 14),
        (0, 2, 6, 4, 2),
        (0, 0, 3, 5, 6),
        (0, 3, 9, 2, 0),
        (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0),
        (3, 2, 6, 3, 0),
        (2, 5, 3, 2, 2),
        (6, 5, 2, 1, 0),
        (0, 2, 2, 3, 7),
    ]
    kappa = fleiss_kappa([dict(zip(LABELS, row, strict=True)) for row in rows])
    assert kappa == pytest.approx(0.210, abs=0.0005)


def test_the_table_of_krippendorff():
    """Four observers, twelve units, some values missing (Krippendorff 2011, "Computing alpha-reliability", C).

    Of 40 pairable values 9, 13, 10, 5 and 3 are alike. 2 + 4 + 2 pairs differ, by chance 1216/39: 1 - 312/1216, 0.743.
    """
    units = ["111", "2223", "3333", "3333", "2222", "1234", "4444", "1112", "2222", "555", "11", "3"]
    items = [Counter(LABELS[int(value) - 1] for value in unit) for unit in units]
    assert totals_of(items[:-1]) == {"A": 9, "B": 13, "neither": 10, "both": 5, "not sure": 3}
    assert krippendorff_alpha(items) == pytest.approx(113 / 152, abs=1e-15)
    assert round(113 / 152, 3) == 0.743


@pytest.mark.parametrize(
    "items",
    [
        [],
        [{"A": 1}, {"B": 1}],  # no two votes on anything
        [{"A": 3}],
        [{"A": 3}, {"A": 3}],  # agreement by chance is complete: 0 / 0
        [{"A": 3, "B": 0}, {"A": 3}],
    ],
)
def test_undefined(items):
    assert fleiss_kappa(items) is None
    assert krippendorff_alpha(items) is None


def test_alpha_is_undefined_where_only_single_votes_differ():
    assert krippendorff_alpha([{"A": 2}, {"B": 1}]) is None


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([{"A": 3}, {"A": 1, "B": 1}], "[2, 3]"),
        ([{"A": 1, "B": 4}, {"A": 1}, {"A": 3}, {"B": 1}], "[1, 3, 5]"),
        ([{"A": 2}, {}], "[0, 2]"),
    ],
)
def test_kappa_needs_the_same_number_of_votes(items, found):
    with pytest.raises(ValueError) as error:
        fleiss_kappa(items)
    assert str(error.value) == f"Fleiss' kappa needs the same number of votes on every item, found {found}"


@st.composite
def even_items(draw):
    size = draw(st.integers(2, 5))
    votes = st.lists(st.sampled_from(LABELS), min_size=size, max_size=size)
    return [Counter(each) for each in draw(st.lists(votes, min_size=1, max_size=20))]


uneven_items = st.lists(st.lists(st.sampled_from(LABELS), min_size=1, max_size=5).map(Counter), min_size=1, max_size=20)


@given(even_items())
def test_kappa_is_that_of_statsmodels(items):
    if len(totals_of(items)) == 1:
        assert fleiss_kappa(items) is None
    else:
        assert fleiss_kappa(items) == pytest.approx(
            inter_rater.fleiss_kappa(table_of(items), method="fleiss"), abs=1e-9
        )


@given(uneven_items)
def test_alpha_is_that_of_the_krippendorff_package(items):
    if len(totals_of(it for it in items if it.total() > 1)) < 2:
        assert krippendorff_alpha(items) is None
    else:
        oracle = krippendorff.alpha(value_counts=table_of(items), level_of_measurement="nominal")
        assert krippendorff_alpha(items) == pytest.approx(oracle, abs=1e-9)


@given(uneven_items, st.sampled_from((1, 3, 5)))
def test_every_item_with_two_votes_is_counted_once(items, annotators):
    found = agreement_of(items, annotators)
    assert (found.items, found.judgements) == (len(items), sum(it.total() for it in items))
    shared = [it for it in items if it.total() > 1]
    assert found.full + found.most + found.none == len(shared)
    assert found.full == sum(len(it) == 1 for it in shared)
    assert found.kappa_items == sum(it.total() == annotators for it in items)
    assert (found.percent is None) == (not shared)


@pytest.mark.parametrize(
    ("items", "annotators", "expected"),
    [
        ([], 3, Agreement(0, 0, None, 0, 0, 0, None, 0, None)),
        ([{}, {"A": 0}], 3, Agreement(0, 0, None, 0, 0, 0, None, 0, None)),
        ([{"A": 1}, {"B": 1}], 1, Agreement(2, 2, None, 0, 0, 0, None, 2, None)),
        # Shares of the commonest label: 1, 2/3, 1, 1/3, which is 3/4 on the average.
        (ITEMS, 3, Agreement(4, 12, 0.75, 2, 1, 1, 11 / 41, 4, 27 / 82)),
        # Two of four are no majority; an item with one vote and one with four are not kappa's.
        # Of 4 A and 4 B, (2 * 2 + 2 * 2) / 3 pairs differ, and (4 * 4 + 4 * 4) / 7 would by chance.
        (
            [{"A": 2, "B": 2}, {"A": 2}, {"B": 2}, {"neither": 1}],
            2,
            Agreement(4, 9, (0.5 + 1 + 1) / 3, 2, 0, 1, 1.0, 2, 1 - (8 / 3) / (32 / 7)),
        ),
    ],
)
def test_all_figures(items, annotators, expected):
    assert dataclasses.asdict(agreement_of(items, annotators)) == pytest.approx(dataclasses.asdict(expected))


@pytest.mark.parametrize(("figure", "text"), [(None, "undefined"), (0.7436, "0.744"), (1.0, "1.000"), (-0.5, "-0.500")])
def test_figures_are_shown(figure, text):
    assert shown(figure) == text


@pytest.mark.parametrize(
    ("items", "annotators", "lines"),
    [
        (
            ITEMS,
            3,
            [
                "12 judgements on 4 items; of 4 with two or more all agree on 2, most on 1, and 1 have no majority",
                "agreement 0.750, Fleiss' kappa 0.268 (on 4 items), Krippendorff's alpha 0.329",
            ],
        ),
        (
            [{"A": 2}] * 1000 + [{"A": 1}],
            3,
            [
                "2,001 judgements on 1,001 items; of 1,000 with two or more all agree on 1,000, most on 0, "
                "and 0 have no majority",
                "agreement 1.000, Fleiss' kappa undefined (on 0 items), Krippendorff's alpha undefined",
            ],
        ),
        ([{"A": 1}, {"B": 1}], 1, ["2 judgements, no two of them on one item: agreement undefined"]),
        ([], 3, ["0 judgements, no two of them on one item: agreement undefined"]),
    ],
)
def test_agreement_in_words(items, annotators, lines):
    assert describe_agreement(agreement_of(items, annotators)) == lines


def gap_ballots():
    """Three votes on each of 8,798 items, as GAP reports them; a dissenter says what the others say elsewhere."""
    dice = random.Random(2018)
    agreed = [label for label, count in RAW.items() for _ in range(count)]
    dice.shuffle(agreed)
    ballots = []
    for number, label in enumerate(agreed):
        others = [each for each in LABELS if each != label]
        third = label if number < FULL else dice.choices(others, [RAW[each] for each in others])[0]
        ballots.append(dice.sample([label, label, third], 3))
    return ballots + [dice.sample(["A", "B", ("neither", "both")[n % 2]], 3) for n in range(NO_CONSENSUS)]


def test_the_agreement_that_gap_reports():
    ballots = gap_ballots()
    items = [Counter(votes) for votes in ballots]
    found = agreement_of(items, 3)
    assert (found.items, found.judgements, found.kappa_items) == (8798, 26394, 8798)
    assert (found.full, found.most, found.none) == (FULL, 2181, NO_CONSENSUS)
    assert [round(100 * n / found.items) for n in (found.full, found.most, found.none)] == [73, 25, 2]
    assert found.kappa == pytest.approx(inter_rater.fleiss_kappa(table_of(items), method="fleiss"), abs=1e-12)
    assert round(found.kappa, 2) == 0.74
    oracle = krippendorff.alpha(value_counts=table_of(items), level_of_measurement="nominal")
    assert found.alpha == pytest.approx(oracle, abs=1e-12)
    # Each of the 2,181 loses a third, each of the 194 two thirds.
    assert found.percent == pytest.approx(1 - (2181 + 2 * 194) / 3 / 8798, abs=1e-12)


def test_the_labels_that_gap_keeps():
    context = "Ann met Eve when she left."
    base = Candidate(
        "", "w", "d", "", 0, context, "FINALPRO", "feminine", Span(17, 20), Span(0, 3), Span(8, 11), True, 0
    )
    ballots = gap_ballots()
    said = [
        Judgement(f"i-{number}", "", f"annotator-{n}", label, [], "", "gold", False)
        for number, votes in enumerate(ballots)
        for n, label in enumerate(votes)
    ]
    random.Random(1).shuffle(said)
    collected = collect(said)
    examples = [dataclasses.replace(base, id=f"i-{number}") for number in range(len(ballots))]
    verdicts = [judge_gap(it, collected, 3) for it in examples]
    assert Counter(it.label or it.reason for it in verdicts) == {
        "A": 2913,
        "B": 3047,
        "neither": 1614,
        "label both": 1016,
        "label not sure": 14,
        "no consensus": 194,
    }
    assert Counter(round(3 * it.agreement) for it in verdicts) == {3: FULL, 2: 2181, 1: NO_CONSENSUS}
