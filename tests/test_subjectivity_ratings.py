"""Which sentences are rated, and Table 6 worked out by hand."""

import math
import random
from itertools import pairwise

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.errors import ConfigError, InputError
from gapforge.records import Span, SubjectiveSentence
from gapforge.subjectivity.ratings import (
    FORMS,
    PAPER,
    SIZE,
    Comparison,
    Half,
    RatedSentence,
    Rating,
    describe,
    difference_interval,
    draw,
    interval_alpha,
    table,
)


def make_sentence(id, number=0, sentence=None, proposal="", kept=True):
    sentence = f"Ann left {id} {number}." if sentence is None else sentence
    proposal = sentence.replace("left", "sadly left") if proposal == "" else proposal
    return SubjectiveSentence(
        *(id, number, 0, Span(0, len(sentence)), sentence, proposal, []),
        *(0.1, 0.9, 3.0, 3.1, 0.8, None, []),
        *(True, True, True, kept, [] if kept else ["fluency"]),
    )


MANY = [make_sentence(f"gap-{n}", k) for n in range(20) for k in range(5)]


# ---- the draw


@pytest.mark.parametrize("size", [2, 10, 68, 100])
def test_halves_are_equal_and_of_different_sentences(size):
    drawn = draw(MANY, size, 0)
    assert [sum(it.form == form for it in drawn) for form in FORMS] == [size // 2, size // 2]
    assert len({(it.instance_id, it.number) for it in drawn}) == size
    records = {(it.instance_id, it.number): it for it in MANY}
    for it in drawn:
        record = records[it.instance_id, it.number]
        assert it.sentence == (record.proposal if it.form == "transferred" else record.sentence)


@pytest.mark.parametrize(("size", "first", "last"), [(2, "r01", "r02"), (SIZE, "r01", "r68"), (100, "r001", "r100")])
def test_ids_number_the_rows_and_tell_nothing(size, first, last):
    drawn = draw(MANY, size, 0)
    assert (drawn[0].id, drawn[-1].id) == (first, last)
    assert [int(it.id[1:]) for it in drawn] == list(range(1, size + 1))


def test_the_forms_are_mixed():
    forms = [it.form for it in draw(MANY, SIZE, 0)]
    changes = sum(one != other for one, other in pairwise(forms))
    assert 20 < changes < 48  # of 67; 33.5 are to be expected


def test_a_draw_is_the_same_in_any_order_of_records():
    shuffled = random.Random(1).sample(MANY, len(MANY))
    assert draw(iter(shuffled), SIZE, 3) == draw(MANY, SIZE, 3)
    assert draw(MANY, SIZE, 4) != draw(MANY, SIZE, 3)


def test_what_was_not_kept_does_not_matter():
    others = [make_sentence("other", n, kept=False) for n in range(50)]
    unproposed = [make_sentence("none", n, proposal=None) for n in range(50)]
    assert draw([*others, *MANY, *unproposed], SIZE, 0) == draw(MANY, SIZE, 0)


@pytest.mark.parametrize(
    "pair",
    [
        (make_sentence("a", 0, "Ann left."), make_sentence("b", 0, "Ann left.", "Ann luckily left.")),
        (make_sentence("a", 0, "Ann left."), make_sentence("b", 0, " Ann\n left.  ")),
        (make_sentence("a", 0, "Ann left."), make_sentence("b", 0, "Ann sadly left.", "Ann very sadly left.")),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_nobody_sees_one_sentence_twice(pair, seed):
    with pytest.raises(InputError, match=r"^cannot draw 2 different sentences from 1 that were kept; take a larger"):
        draw(pair, 2, seed)
    assert len({it.instance_id for it in draw([*pair, make_sentence("c")], 2, seed)} & {"a", "b"}) == 1


@pytest.mark.parametrize(
    ("sentences", "size", "error", "message"),
    [
        (MANY, 67, ConfigError, "size must be even and 2 or more, for two equal halves, found 67"),
        (MANY, 0, ConfigError, "size must be even and 2 or more, for two equal halves, found 0"),
        (MANY, -2, ConfigError, "size must be even and 2 or more, for two equal halves, found -2"),
        (
            MANY[:41],
            68,
            InputError,
            "cannot draw 68 different sentences from 41 that were kept; lower --size to 40 or take a larger set",
        ),
        ([], 68, InputError, "cannot draw 68 different sentences from 0 that were kept; take a larger set"),
        (
            [*MANY, make_sentence("gap-3", 2, kept=False)],
            68,
            InputError,
            "two records of sentence 2 of 'gap-3'; remove one of them",
        ),
    ],
)
def test_draws_that_cannot_be_made(sentences, size, error, message):
    with pytest.raises(error) as caught:
        draw(sentences, size, 0)
    assert str(caught.value) == message


def test_a_seed_below_zero():
    with pytest.raises(ConfigError) as caught:
        draw(MANY, 2, -1)
    assert str(caught.value) == "seed must be 0 or more, found -1"


# ---- Table 6

FOUR = [
    RatedSentence("r1", "original", "a", 0, "A."),
    RatedSentence("r2", "transferred", "b", 0, "B."),
    RatedSentence("r3", "original", "c", 0, "C."),
    RatedSentence("r4", "transferred", "d", 0, "D."),
]
SHEETS = [
    [Rating("r1", 5, 1), Rating("r2", 4, 3), Rating("r3", 4, 2), Rating("r4", 3, 5)],
    [Rating("r4", 3, 4), Rating("r2", 3, None), Rating("r1", 5, 1)],
]


def test_table_6_by_hand():
    """Fluency: (5 + 4) / 2 and (3.5 + 3) / 2; subjectivity: (1 + 2) / 2 and (3 + 4.5) / 2.

    Alpha of fluency: r1 5 5, r2 4 3, r4 3 3 differ by 2, as ordered pairs; all six by 2 * (6 * 93 - 23 ** 2) = 58, a
    fifth of which is to be expected: 1 - 2 / 11.6. Of subjectivity: r1 1 1 and r4 5 4 differ by 2, all four by
    2 * (4 * 43 - 11 ** 2) = 102, a third of which is 34.
    """
    fluency, subjectivity = table(FOUR, SHEETS, 0)
    assert (fluency.scale, fluency.original, fluency.transferred) == ("fluency", Half(2, 3, 4.5), Half(2, 4, 3.25))
    assert (fluency.difference, fluency.alpha) == (-1.25, pytest.approx(1 - 2 / 11.6))
    assert (subjectivity.original, subjectivity.transferred) == (Half(2, 3, 1.5), Half(2, 3, 3.75))
    assert (subjectivity.difference, subjectivity.alpha) == (2.25, pytest.approx(1 - 2 / 34))
    # The means of two draws of two: 5, 4.5, 4 against 3.5, 3.25, 3; both ends have a chance of 1/16, above 2.5 %.
    assert (fluency.low, fluency.high) == (-2.0, -0.5)
    assert (subjectivity.low, subjectivity.high) == (1.0, 3.5)


def test_a_mean_is_over_sentences_and_not_over_ratings():
    sheets = [[Rating("r1", 5, None), Rating("r3", 1, None)], [Rating("r1", 5, None)], [Rating("r1", 5, None)]]
    assert table(FOUR, sheets, 0)[0].original == Half(2, 4, 3.0)


@pytest.mark.parametrize(
    ("sheets", "expected"),
    [
        ([], Comparison("fluency", Half(0, 0, None), Half(0, 0, None), None, None, None, None)),
        (
            [[Rating("r1", 4, 1), Rating("r3", 2, 1)]],
            Comparison("fluency", Half(2, 2, 3.0), Half(0, 0, None), None, None, None, None),
        ),
        # A single sentence says nothing of how sentences vary.
        (
            [[Rating("r1", 4, 1), Rating("r2", 2, 1), Rating("r4", 3, 1)]],
            Comparison("fluency", Half(1, 1, 4.0), Half(2, 2, 2.5), -1.5, None, None, None),
        ),
        ([[Rating("r1", None, 1)]], Comparison("fluency", Half(0, 0, None), Half(0, 0, None), None, None, None, None)),
    ],
)
def test_figures_that_are_undefined(sheets, expected):
    assert table(FOUR, sheets, 0)[0] == expected


def test_the_interval_follows_from_the_seed_alone():
    before, after = [1 + n * n / 256 for n in range(30)], [1 + n * n / 213 for n in range(28)]
    found = difference_interval(before, after, 0)
    assert difference_interval(before[::-1], after[::-1], 0) == found
    assert difference_interval(before, after, 1) != found


def test_the_interval_is_near_that_of_normal_means():
    """Of 500 sentences each, that of the bootstrap is 1.96 standard errors to either side."""
    generator = np.random.default_rng(7)
    before, after = generator.integers(1, 6, 500).tolist(), generator.integers(2, 6, 500).tolist()
    error = math.sqrt((np.var(before) + np.var(after)) / 500)
    middle = np.mean(after) - np.mean(before)
    assert difference_interval(before, after, 0) == pytest.approx(
        (middle - 1.96 * error, middle + 1.96 * error), abs=0.1 * error
    )


@pytest.mark.parametrize(
    "items",
    [
        [],
        [[3]],
        [[1], [5]],  # no two ratings of anything
        [[4, 4], [4, 4, 4]],  # nothing differs, by chance or otherwise
        [[4, 4], [1]],
    ],
)
def test_alpha_that_is_undefined(items):
    assert interval_alpha(items) is None


def test_the_table_of_krippendorff():
    """Four observers, twelve units (Krippendorff 2011, "Computing alpha-reliability"): 0.849 for interval data."""
    units = ["111", "2223", "3333", "3333", "2222", "1234", "4444", "1112", "2222", "555", "11", "3"]
    assert interval_alpha([list(map(int, unit)) for unit in units]) == pytest.approx(0.849, abs=0.0005)


@given(st.lists(st.lists(st.integers(1, 5), max_size=4), min_size=1, max_size=12))
def test_alpha_is_that_of_the_krippendorff_package(items):
    pairable = {value for values in items if len(values) > 1 for value in values}
    if len(pairable) < 2:
        assert interval_alpha(items) is None
    else:
        counts = np.array([[values.count(n) for n in range(1, 6)] for values in items if values])
        oracle = krippendorff.alpha(value_counts=counts, value_domain=[1, 2, 3, 4, 5], level_of_measurement="interval")
        assert interval_alpha(items) == pytest.approx(oracle, abs=1e-9)


# ---- for people


def test_a_comparison_beside_the_paper():
    fluency, subjectivity = table(FOUR, SHEETS, 0)
    assert describe(fluency) == [
        "fluency            mean   paper  sentences  ratings",
        "original          4.500   4.578          2        3",
        "transferred       3.250   4.343          2        4",
        "difference       -1.250  -0.235  95 % interval -2.000 to -0.500",
        "alpha             0.828",
    ]
    assert describe(subjectivity)[3] == "difference       +2.250  +1.215  95 % interval +1.000 to +3.500"


def test_an_undefined_comparison():
    assert describe(table(FOUR, [], 0)[1]) == [
        "subjectivity       mean   paper  sentences  ratings",
        "original      undefined   1.657          0        0",
        "transferred   undefined   2.872          0        0",
        "difference    undefined  +1.215  95 % interval undefined",
        "alpha         undefined",
    ]


def test_the_paper_s_own_differences():
    """3.2.4: 1.21 points more on subjectivity, 0.23 less on fluency."""
    apart = {scale: means["transferred"] - means["original"] for scale, means in PAPER.items()}
    assert apart == {"fluency": pytest.approx(-0.235), "subjectivity": pytest.approx(1.215)}
