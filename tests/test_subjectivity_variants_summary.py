"""Tables 2, 4 and 7 of a set made by hand."""

import dataclasses

import pytest

from gapforge.records import Span, SubjectiveEdit, SubjectiveExample, SubjectiveSentence
from gapforge.subjectivity.hooks import SubjectivitySettings, Threshold, thresholds_of
from gapforge.subjectivity.variants import describe, percent, summarise, tables_in

TEXT = "Ann met Bo. She left."


def make_variant(id, split, converted):
    return SubjectiveExample(
        *(id, "gap", "d", "", 0, TEXT, "FINALPRO", "feminine", Span(12, 15), Span(0, 3), Span(8, 10), False, 0),
        *("A", 1.0, "gold", split, TEXT, converted, []),
    )


def make_sentence(id, number, objective, fluent, preserved, reasons, phrase="sadly", kind="stance", scores=(0.2, 0.5)):
    edits = [SubjectiveEdit(Span(0, 0), phrase, phrase, kind), SubjectiveEdit(Span(0, 1), "s", phrase, kind)]
    proposed = fluent is not None
    return SubjectiveSentence(
        *(id, number, 0, Span(0, 11), "Ann met Bo.", "new" if proposed else None, edits if proposed else []),
        *(scores[0], scores[1] if proposed else None, 3.0, 3.0, 0.9, None, []),
        *(objective, fluent, preserved, not reasons, reasons),
    )


VARIANTS = [
    make_variant("a", "test", True),
    make_variant("b", "test", False),
    make_variant("c", "development", True),
    make_variant("d", "development", True),
]
SENTENCES = [
    make_sentence("a", 0, True, True, True, []),
    make_sentence("a", 1, True, None, None, ["no proposal"]),
    make_sentence("b", 0, False, True, True, ["already subjective"]),
    make_sentence("b", 1, True, False, False, ["not fluent", "too different"]),
    make_sentence("c", 0, True, True, True, [], phrase="brilliant", kind="adjective", scores=(0.4, 0.4)),
    make_sentence("d", 0, True, True, True, [], scores=(0.3, 0.9)),
    make_sentence("d", 1, True, True, True, ["phrase too frequent"]),
    make_sentence("d", 2, True, True, False, ["unchanged"]),
]


@pytest.fixture(scope="module")
def summary():
    return summarise(SENTENCES, VARIANTS, thresholds_of(SubjectivitySettings(objective=Threshold(0.5))))


def test_table_2(summary):
    keys = ("sentences", "within_gleu", "within_perplexity", "objective", "final")
    assert {name: tuple(its[key] for key in keys) for name, its in summary["sentences"].items()} == {
        "development": (4, 3, 4, 4, 2),
        "test": (4, 2, 2, 3, 1),
        "all": (8, 5, 6, 7, 3),
    }


def test_table_4(summary):
    assert summary["contexts"] == {
        "development": {"contexts": 2, "converted": 2},
        "test": {"contexts": 2, "converted": 1},
        "all": {"contexts": 4, "converted": 3},
    }


def test_table_7(summary):
    assert summary["offsets"]["all"] == {"contexts": 4, "pronoun": 4, "a": 4, "b": 4, "all": 4}
    assert list(summary["offsets"]) == ["development", "test", "all"]


def test_an_empty_span_is_not_found():
    lost = dataclasses.replace(VARIANTS[0], name_a=Span(3, 3))
    found = summarise([], [lost, VARIANTS[1]])["offsets"]["all"]
    assert found == {"contexts": 2, "pronoun": 2, "a": 1, "b": 2, "all": 1}


@pytest.mark.parametrize(
    ("lost", "expected"),
    [
        ([], (4, 4, 4, 4, 4)),
        (["pronoun"], (5, 4, 5, 5, 4)),
        (["A B"], (5, 5, 4, 4, 4)),
        (["pronoun", "pronoun A B", "B"], (7, 5, 6, 5, 4)),
    ],
)
def test_what_is_lost_in_a_file(lost, expected):
    found = summarise(SENTENCES, VARIANTS, None, lost)
    assert list(found["sentences"]) == list(found["contexts"]) == list(found["offsets"]) == ["all"]
    assert tuple(found["offsets"]["all"][key] for key in ("contexts", "pronoun", "a", "b", "all")) == expected


def test_reasons_kinds_and_phrases(summary):
    assert summary["refused"] == {
        "already subjective": 1,
        "no proposal": 1,
        "not fluent": 1,  # the first reason of each
        "phrase too frequent": 1,
        "unchanged": 1,
    }
    assert summary["kinds"] == {"adjective": 1, "stance": 2}
    assert summary["phrases"] == {
        "different": 2,
        "most_common": [["sadly", 2], ["brilliant", 1]],
        "largest_share": 0.666667,
    }
    assert summary["subjectivity"] == {"before": 0.3, "after": 0.6, "raised": 0.666667}
    assert summary["thresholds"]["objective"] == {"value": 0.5, "source": "chosen"}
    assert summary["thresholds"]["similar"] is None


def test_nothing_at_all():
    found = summarise([], [])
    assert found["sentences"] == {
        "all": {"sentences": 0, "within_gleu": 0, "within_perplexity": 0, "objective": 0, "final": 0}
    }
    assert found["phrases"] == {"different": 0, "most_common": [], "largest_share": 0.0}
    assert found["subjectivity"] == {"before": None, "after": None, "raised": None}
    assert list(describe(found)) == [
        "all: 0 of 0 sentences (undefined), 0 of 0 contexts (undefined) made subjective",
        "offsets found: undefined",
    ]


def test_tables_as_they_are_shown(summary):
    two, four, seven = tables_in(summary)
    assert two == (
        "sentences by threshold (GAP-Subjective, Table 2)",
        ["split", "sentences", "within GLEU", "within perplexity", "objective", "final", "share"],
        [
            ["development", "4", "3", "4", "4", "2", "50.00 %"],
            ["test", "4", "2", "2", "3", "1", "25.00 %"],
            ["all", "8", "5", "6", "7", "3", "37.50 %"],
        ],
    )
    assert four[0] == "converted contexts (Table 4)"
    assert four[2][1:] == [["test", "2", "1", "50.00 %"], ["all", "4", "3", "75.00 %"]]
    assert seven == (
        "offsets found (Table 7)",
        ["split", "contexts", "pronoun", "A", "B", "all"],
        [[name, count, *["100.00 %"] * 4] for name, count in (("development", "2"), ("test", "2"), ("all", "4"))],
    )


def test_in_words(summary):
    assert list(describe(summary)) == [
        "development: 2 of 4 sentences (50.00 %), 2 of 2 contexts (100.00 %) made subjective",
        "test: 1 of 4 sentences (25.00 %), 1 of 2 contexts (50.00 %) made subjective",
        "all: 3 of 8 sentences (37.50 %), 3 of 4 contexts (75.00 %) made subjective",
        "offsets found: 100.00 %",
        "2 different phrases; the commonest has 66.7 % of all",
    ]


@pytest.mark.parametrize(
    ("count", "total", "expected"), [(1, 3, "33.33 %"), (0, 5, "0.00 %"), (0, 0, "undefined"), (7, 7, "100.00 %")]
)
def test_percent(count, total, expected):
    assert percent(count, total) == expected
