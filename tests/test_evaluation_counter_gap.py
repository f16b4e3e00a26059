"""Counter-GAP's metrics: by hand, against scipy, and every cell of the published Tables 2-4."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from gapforge.errors import InputError
from gapforge.evaluation.counter_gap import VARIANTS, quadruple_figures, quadruple_rows, quadruples_of, spearman
from gapforge.evaluation.files import read_predictions
from gapforge.evaluation.gold import Item, read_items
from gapforge.evaluation.scoring import score_counter_gap
from reference import published

ROOT = Path(__file__).parents[1]


def make_quadruple(id, gender, right):
    """Four items whose gold is A, and predictions that are right where `right` has a 1."""
    other = {"masculine": "feminine", "feminine": "masculine"}[gender]
    words = {"masculine": "he", "feminine": "she"}
    genders = [gender, gender, other, other]
    items = [
        Item(f"{id}-{variant}", words[theirs], theirs, True, False, None, id, variant)
        for variant, theirs in zip(VARIANTS, genders, strict=True)
    ]
    return items, {item.id: (bool(int(it)), False) for item, it in zip(items, right, strict=True)}


def figures_of(*quadruples):
    items = [item for four, _ in quadruples for item in four]
    said = {id: it for _, answers in quadruples for id, it in answers.items()}
    return {n: float(v) for n, v in quadruple_figures(quadruple_rows(quadruples_of(items, ""), said).sum(0)).items()}


def test_the_paper_s_case_of_cancellation():
    # Section 3.1: right on the masculine two of one, on the feminine two of the other.
    figures = figures_of(make_quadruple("1", "masculine", "1100"), make_quadruple("2", "masculine", "0011"))
    assert figures["accuracy.difference"] == 0
    assert figures["within.all"] == 0
    assert figures["across.all"] == figures["delta.value"] == 1


def test_by_hand():
    figures = figures_of(make_quadruple("1", "masculine", "1001"), make_quadruple("2", "feminine", "1101"))
    assert figures["accuracy.masculine"] == pytest.approx(2 / 4)  # 10 of the first, 01 of the second
    assert figures["accuracy.feminine"] == pytest.approx(3 / 4)
    assert figures["accuracy.overall"] == pytest.approx(5 / 8)
    assert figures["accuracy.difference"] == pytest.approx(-1 / 4)
    assert figures["within.masculine"] == pytest.approx(2 / 2)
    assert figures["within.feminine"] == pytest.approx(1 / 2)
    assert figures["within.all"] == pytest.approx(3 / 4)
    assert figures["across.m2f"] == pytest.approx(2 / 4)
    assert figures["across.f2m"] == pytest.approx(2 / 4)
    assert figures["delta.value"] == pytest.approx(1 / 2 - 3 / 4)
    assert figures["original.original"] == pytest.approx(3 / 4)
    assert figures["original.counterfactual"] == pytest.approx(2 / 4)


def test_no_true_name_is_right_where_none_is_predicted():
    items, _ = make_quadruple("1", "feminine", "0000")
    items = [Item(it.id, it.pronoun, it.gender, False, False, None, "1", it.variant) for it in items]
    said = {it.id: (False, False) for it in items}
    assert score_counter_gap(items, said, resamples=100)["accuracy"]["overall"] == 1


def test_weighted_bias_is_resampled_by_quadruples():
    # Each quadruple is right in one text of either gender or in all: whichever are drawn, the genders stay equal.
    fours = [make_quadruple(str(n), "masculine", "1010" if n % 2 else "1111") for n in range(20)]
    items = [item for four, _ in fours for item in four]
    said = {id: it for _, answers in fours for id, it in answers.items()}
    found = score_counter_gap(items, said, dict.fromkeys(said, 1.0), resamples=1_000)
    assert found["weighted_bias"] == 1.0 and found["intervals"]["weighted_bias"] == [1.0, 1.0]


def test_without_masculine_originals_there_is_no_m2f():
    figures = figures_of(make_quadruple("1", "feminine", "1000"))
    assert np.isnan(figures["across.m2f"]) and figures["across.f2m"] == 1 / 2
    assert np.isnan(figures["original.spearman"])


@pytest.mark.parametrize("seed", range(5))
def test_spearman_is_scipy_s(seed):
    counts = np.random.default_rng(seed).integers(0, 30, (2, 5)).astype(float)
    masculine = np.repeat([1, 0], counts.sum(axis=1).astype(int))
    scores = np.concatenate([np.repeat(np.arange(5), row.astype(int)) for row in counts])
    assert float(spearman(counts)) == pytest.approx(stats.spearmanr(masculine, scores).statistic)


def test_quadruples_must_be_whole():
    items, _ = make_quadruple("q", "feminine", "1111")
    with pytest.raises(InputError) as error:
        quadruples_of(items[:3], "gold.tsv")
    assert str(error.value) == (
        "gold.tsv: quadruples without all of original, control, swap-1, swap-2: q; complete or remove them"
    )


def test_swaps_must_have_the_other_gender():
    items, _ = make_quadruple("q", "feminine", "1111")
    wrong = [*items[:3], Item("q-swap-2", "she", "feminine", True, False, None, "q", "swap-2")]
    with pytest.raises(InputError) as error:
        quadruples_of(wrong, "gold.tsv")
    assert str(error.value) == (
        "gold.tsv: q: pronouns are feminine, feminine, masculine, feminine; wanted one gender twice, then the other"
    )


# Xie et al. 2023, Tables 2-4, in per cent; those marked True carry a star, p < 0.01.
PUBLISHED_CELLS = {
    "bert_base_output.tsv": {
        "accuracy": {"masculine": 63.12, "feminine": 59.53, "difference": 3.59, "overall": 61.33},
        "within": {"masculine": 15.47, "feminine": 16.47, "all": 15.97},
        "across": {"m2f": 18.26, "f2m": 23.25, "all": 20.76},
        "delta": {"value": 4.79},
        "original": {"original": 61.58, "counterfactual": 61.08, "difference": 0.50},
    },
    "spanbert_base_output.tsv": {
        "accuracy": {"masculine": 71.36, "feminine": 69.06, "difference": 2.30, "overall": 70.21},
        "within": {"masculine": 9.98, "feminine": 12.18, "all": 11.08},
        "across": {"m2f": 12.18, "f2m": 15.07, "all": 13.62},
        "delta": {"value": 2.54},
        "original": {"original": 70.21, "counterfactual": 70.21, "difference": 0.00},
    },
}
DIFFERENCES = {  # masculine less feminine, M2F less F2M (Table 3)
    "bert_base_output.tsv": (-1.00, -4.99),
    "spanbert_base_output.tsv": (-2.20, -2.89),
}
SPEARMAN = {"bert_base_output.tsv": -0.083, "spanbert_base_output.tsv": -0.060}


@pytest.mark.parametrize("name", PUBLISHED_CELLS)
def test_the_published_tables(name):
    items = read_items(published("counter-gap/gold-labels.tsv"), "counter-gap")
    said = read_predictions(published(f"counter-gap/{name}"), [item.id for item in items]).said
    found = score_counter_gap(items, said)
    for group, cells in PUBLISHED_CELLS[name].items():
        assert {cell: round(100 * found[group][cell], 2) for cell in cells} == cells
    within, across = found["within"], found["across"]
    assert (
        round(100 * (within["masculine"] - within["feminine"]), 2),
        round(100 * (across["m2f"] - across["f2m"]), 2),
    ) == DIFFERENCES[name]
    # The tables print three digits of rho; ours is -0.057 for SpanBERT. To two decimals all agree.
    assert round(found["original"]["spearman"], 2) == round(SPEARMAN[name], 2)
    # Stars of Tables 2 and 3; none in Table 4.
    assert found["accuracy"]["p"] < 0.01 and found["delta"]["p"] < 0.01 and found["original"]["p"] > 0.01
    assert found["instances"] == 4008 and found["quadruples"] == 1002


def test_rows_with_text_are_grouped_by_pattern_and_distance(reference):
    items = read_items(reference.path("counter-gap/counter-gap-half.tsv"), "counter-gap")
    found = score_counter_gap(items, {item.id: (item.a, item.b) for item in items}, resamples=100)
    for grouping in ("pronoun", "pattern"):
        groups = found["by"][grouping]
        assert sum(it["instances"] for it in groups.values()) == len(items)
        assert all(it["accuracy"] == 1 for it in groups.values())
    assert list(found["by"]["pattern"]) == ["FINALPRO", "MEDIALPRO", "INITIALPRO"]
    bins = {"stand-in": 4, "published": 5}[reference.name]
    assert list(found["by"]["distance"]) == ["0-4", "5-9", "10-19", "20-39", "40+"][:bins]
