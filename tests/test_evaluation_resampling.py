"""Resampling: against exact enumeration, closed forms and scipy, never against itself."""

import numpy as np
import pytest
from scipy import stats

from gapforge.evaluation.resampling import at_most_zero, bootstrap, interval, portions, randomisation, ratio, share


def mean(sums):
    return {"mean": sums[..., 0] / sums[..., 1]}


def rows_of(values):
    return np.column_stack([values, np.ones(len(values))]).astype(float)


def test_a_resample_of_three_rows_is_one_of_27():
    # The sums of three draws from (0, 0, 1): binomial with n = 3, p = 1/3.
    samples = bootstrap(rows_of([0, 0, 1]), mean, 200_000)["mean"]
    for ones in range(4):
        assert (np.isclose(samples, ones / 3)).mean() == pytest.approx(stats.binom.pmf(ones, 3, 1 / 3), abs=0.004)


def test_the_interval_of_a_mean_is_that_of_scipy():
    values = np.random.default_rng(5).normal(3, 2, 400).round(2)
    low, high = interval(bootstrap(rows_of(values), mean, 20_000)["mean"])
    expected = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=1).confidence_interval
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=0.02)


def test_rows_are_drawn_whole():
    # Two columns that are always equal stay so in every resample.
    rows = np.array([[n, n] for n in range(50)], float)
    samples = bootstrap(rows, lambda sums: {"gap": sums[..., 0] - sums[..., 1]}, 1_000)["gap"]
    assert (samples == 0).all()


def test_the_seed_decides():
    rows = rows_of(range(30))
    first, again, other = (bootstrap(rows, mean, 500, seed)["mean"] for seed in (0, 0, 1))
    assert (first == again).all() and (first != other).any()


def test_memory_does_not_change_the_number_of_resamples():
    assert list(portions(10, 1_000_000)) == [4, 4, 2]
    assert list(portions(3, 10**9)) == [1, 1, 1]
    assert list(portions(5, 0)) == [5]


def test_an_interval_leaves_out_what_is_undefined():
    assert interval(np.array([np.nan, 1.0, 2.0, np.inf, 3.0]), 0.5) == [1.5, 2.5]
    assert interval(np.array([np.nan, np.nan])) is None


def test_p_is_the_share_at_or_below_zero():
    assert at_most_zero(np.array([-1.0, 0.0, 1e-15, 0.5])) == 0.75


def test_quotients_over_nothing():
    over, under = np.array([1.0, 0.0, 3.0]), np.array([0.0, 0.0, 4.0])
    assert share(over, under).tolist() == [0.0, 0.0, 0.75]
    assert np.isnan(ratio(over, under)).tolist() == [True, True, False]


@pytest.mark.parametrize("differences", [[1, 1, 1, 1], [1, 1, 1, -1], [3, -1, 2, 0], [1, -1, 1, -1]])
def test_randomisation_counts_what_enumeration_counts(differences):
    first = np.array([[max(it, 0)] for it in differences], float)
    second = np.array([[max(-it, 0)] for it in differences], float)
    signs = np.array(np.meshgrid(*[[1, -1]] * len(differences))).reshape(len(differences), -1)
    totals = abs(np.array(differences) @ signs)
    exact = (totals >= abs(sum(differences))).mean()
    found = randomisation(first, second, lambda sums: sums[..., 0], 100_000)
    assert found == pytest.approx(exact, abs=0.005)


def test_equal_systems_do_not_differ_and_no_p_is_zero():
    rows = np.ones((20, 1))
    assert randomisation(rows, rows, lambda sums: sums[..., 0], 1_000) == 1.0
    assert randomisation(rows, 0 * rows, lambda sums: sums[..., 0], 999) == pytest.approx(1 / 1000, abs=0.002)
    assert randomisation(np.ones((200, 1)), np.zeros((200, 1)), lambda sums: sums[..., 0], 999) == 1 / 1000
