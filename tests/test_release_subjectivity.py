"""The sections of a report on GAP-Subjective: Tables 2, 4, 7 and 8 of the paper."""

import dataclasses

import pytest

from gapforge.evaluation.figures import Figure
from gapforge.release.subjectivity import change_section, signed, subjectivity_section
from report_scenes import SUMMARY, make_run


@pytest.fixture(scope="module")
def section():
    run = make_run()
    return subjectivity_section(SUMMARY, run.settings, run.rows("gap-subjective"))


def tables(section):
    return {it.caption: it.rows for it in section.tables}


def test_tables_of_how_it_came_about(section):
    found = tables(section)
    assert found["sentences by threshold (GAP-Subjective, Table 2)"] == [
        ["development", "4", "2", "3", "4", "1", "25.00 %"],
        ["test", "1,200", "400", "700", "1,000", "300", "25.00 %"],
        ["all", "1,204", "402", "703", "1,004", "301", "25.00 %"],
    ]
    assert found["converted contexts (Table 4)"] == [
        ["development", "2", "1", "50.00 %"],
        ["test", "3", "2", "66.67 %"],
        ["all", "5", "3", "60.00 %"],
    ]
    assert found["offsets found (Table 7)"] == [
        ["development", "2", "100.00 %", "100.00 %", "50.00 %", "50.00 %"],
        ["test", "3", "100.00 %", "100.00 %", "100.00 %", "100.00 %"],
        ["all", "5", "100.00 %", "100.00 %", "80.00 %", "80.00 %"],
    ]


def test_what_was_added_and_what_was_refused(section):
    found = tables(section)
    assert found["hooks and thresholds"] == [("transfer", "rules", ""), ("GLEU, above", "0.8", "paper")]
    assert found["sentences that were left, by reason"] == [["gleu", "700"], ["not fluent", "203"]]
    assert found["edits by kind"] == [["adverb", "200"], ["adjective", "101"]]
    assert found["phrases that were added most often"] == [["sadly", "75"], ["famous", "60"]]
    assert [it.folded for it in section.tables] == [False] * 3 + [True] * 4
    assert section.notes[2:] == [
        "The detector's mean score of the edited sentences is 0.210 before and 0.640 after; it rises in 98.5 % of "
        "them.",
        "40 different phrases were added; the most frequent is 25.0 % of all.",
    ]
    assert "no person has judged them" in section.notes[0]


def test_a_set_without_edits():
    empty = SUMMARY | {
        "refused": {},
        "kinds": {},
        "phrases": {"different": 0, "most_common": [], "largest_share": 0.0},
        "subjectivity": {"before": None, "after": None, "raised": None},
    }
    found = subjectivity_section(empty, [], make_run().rows("gap-subjective"))
    assert len(found.tables) == 3 and len(found.notes) == 2


def test_both_sets_side_by_side():
    """Of the test, `second` has 1 of 2 right with 2 false, and in the variant none of 2 with the same 2 false."""
    run = make_run()
    found = change_section(run.results["gap"], run.results["gap-subjective"], run.resolvers, "test")
    both, changed = found.tables
    assert both.caption == "both sets, test (Table 8)"
    assert both.header == ["resolver", "set", "F1", "precision", "recall", "masculine F1", "feminine F1", "Bias"]
    assert both.rows == [
        ["first", "GAP", *["1.000"] * 6],
        ["first", "GAP-Subjective", *["1.000"] * 6],
        ["second", "GAP", "0.400", "0.333", "0.500", "0.000", "0.667", "undefined"],
        ["second", "GAP-Subjective", *["0.000"] * 5, "undefined"],
    ]
    first, second = changed.rows
    assert first[:2] == ["first", "+0.000 [+0.000, +0.000]"] and first[-1] == "1.0000"
    assert [cell.partition(" ")[0] for cell in second[1:6]] == ["-0.400", "-0.333", "-0.500", "+0.000", "-0.667"]
    assert second[6:] == ["undefined", "1.0000"]  # one row that changes may change either way
    [chart] = found.charts
    assert chart.description.startswith("F1 on GAP-Subjective less F1 on GAP, overall and by gender")


def test_one_resolver_alone_goes_by_its_name():
    run = make_run()
    alone = [run.results[kind]["systems"]["second"] for kind in ("gap", "gap-subjective")]
    found = change_section(*alone, ["second"], "")
    assert [row[:2] for row in found.tables[0].rows] == [["second", "GAP"], ["second", "GAP-Subjective"]]
    assert found.tables[0].caption == "both sets (Table 8)"


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        (Figure("f1", -0.00912, [-0.0311, 0.0132]), "-0.009 [-0.031, +0.013]"),
        (Figure("f1", 0.5), "+0.500"),
        (Figure("f1", None), "undefined"),
    ],
)
def test_changes_have_signs(figure, expected):
    assert signed(figure) == expected


def test_splits_that_were_measured():
    run = make_run()
    assert run.measured_splits("gap-subjective") == ["test"]
    assert dataclasses.replace(run, answers={}).measured_splits("gap-subjective") == []
