import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.records import Span
from gapforge.report.browser import (
    Piece,
    as_script,
    changes,
    choose,
    cut,
    examples_to_browse,
    pieces_of,
    places_shared,
    quadruples_in,
    quadruples_to_browse,
    variants_to_browse,
)
from report_scenes import make_example, make_quadruple, make_variant


@pytest.mark.parametrize(
    ("original", "text", "expected"),
    [
        ("She left.", "She left.", []),
        ("She left.", "He left.", ["He"]),
        ("Her aunt met him.", "His uncle met her.", ["His uncle", "her"]),
        ("Ann's hat", "Ida's hat", ["Ida"]),
        ("a man", "an old man", ["an old"]),
        ("Mr. Roy left.", "Roy left.", [""]),
        ("Roy left, sir.", "Roy left", [""]),
        ("one\n\ntwo", "one two", []),
        ("🙂 He left", "🙂 She left", ["She"]),
        ("", "She", ["She"]),
    ],
)
def test_changed_words(original, text, expected):
    assert [text[span.start : span.end] for span in changes(original, text)] == expected


def test_names_that_change_places_are_compared_in_place():
    original, text = "said Bo. Cy thought", "said Cy. Bo thought"
    people = [(Span(5, 7), Span(5, 7)), (Span(9, 11), Span(9, 11))]
    assert changes(original, text, people) == [Span(5, 7), Span(9, 11)]
    assert changes(original, text) != changes(original, text, people)  # the reason for giving the people


@pytest.mark.parametrize(
    ("marks", "changed", "expected"),
    [
        ([], [], [("", ["Ann met Ida."])]),
        ([(Span(0, 3), "A")], [], [("A", ["Ann"]), ("", [" met Ida."])]),
        (
            [(Span(0, 3), "A"), (Span(8, 11), "B")],
            [Span(8, 11)],
            [("A", ["Ann"]), ("", [" met "]), ("B", ["", "Ida", ""]), ("", ["."])],
        ),
        ([(Span(0, 7), "A"), (Span(4, 11), "B")], [], [("A", ["Ann met"]), ("B", [" Ida"]), ("", ["."])]),
        ([], [Span(4, 4)], [("", ["Ann ", "", "met Ida."])]),
        ([], [Span(12, 12)], [("", ["Ann met Ida.", "", ""])]),
        ([(Span(4, 7), "A")], [Span(4, 4)], [("", ["Ann "]), ("A", ["", "", "met"]), ("", [" Ida."])]),
        ([(Span(4, 7), "A")], [Span(0, 11)], [("", ["", "Ann ", ""]), ("A", ["", "met", ""]), ("", ["", " Ida", "."])]),
    ],
)
def test_texts_are_cut(marks, changed, expected):
    assert cut("Ann met Ida.", marks, changed) == [Piece(kind, parts) for kind, parts in expected]


places = st.integers(0, 30)
spans = st.tuples(places, places).map(lambda it: Span(min(it), max(it)))


@given(st.text(max_size=30), st.lists(st.tuples(spans, st.sampled_from("AB")), max_size=4), st.text(max_size=30))
def test_the_pieces_are_the_text(text, marks, original):
    kept = [(span, kind) for span, kind in marks if span.end <= len(text)]
    pieces = cut(text, kept, changes(original, text))
    assert "".join(part for piece in pieces for part in piece.parts) == text
    assert all(len(piece.parts) % 2 == 1 for piece in pieces)


def test_the_four_texts_of_a_quadruple():
    original, control, swap, _ = make_quadruple()
    assert pieces_of(original) == [
        Piece("A", ["Ann"]),
        Piece("", [" told "]),
        Piece("B", ["Ida Roy"]),
        Piece("", [" that "]),
        Piece("name", ["Bo"]),
        Piece("", [" was late. "]),
        Piece("name", ["Cy"]),
        Piece("", [" nodded, and "]),
        Piece("pronoun", ["she"]),
        Piece("", [" left. "]),
        Piece("name", ["Ann"]),
        Piece("", [" wept."]),
    ]
    changed = [[part for piece in pieces_of(it, original) for part in piece.parts[1::2]] for it in (control, swap)]
    assert changed == [
        ["Ida Roy", "Ann", "Cy", "Bo", "Ida Roy"],
        ["Bo", "Cy", "Ann", "Ida Roy", "he", "Bo"],
    ]


def test_people_in_another_order_share_no_places():
    [original, control, *_] = make_quadruple()
    [other, *_] = make_quadruple(scene="{C2} told {C1} that {O1} was late. {O2} nodded, and {she} left. {C1} wept.")
    assert len(places_shared(original, control)) == 5
    assert places_shared(original, other) == []


def test_some_are_chosen_whatever_the_others_are():
    rows = [make_example(f"e-{n}") for n in range(30)]
    chosen = [it.id for it in choose(rows, 10)]
    assert len(chosen) == 10 and chosen != [f"e-{n}" for n in range(10)]
    assert chosen == sorted(chosen, key=[it.id for it in rows].index)
    assert {it.id for it in choose(rows[::-1], 10)} == set(chosen)
    fewer = [it for it in rows if it.id in chosen or it.id < "e-2"]
    assert [it.id for it in choose(fewer, 10)] == chosen
    assert choose(rows, 30) == rows


def test_quadruples_are_put_together():
    rows = [*make_quadruple("q-2"), *make_quadruple("q-1")]
    found = quadruples_in(rows[::-1])
    assert [it.id for it in found] == ["q-1", "q-2"]
    assert [list(it.texts) for it in found] == [["original", "control", "swap-1", "swap-2"]] * 2


def test_examples_with_their_answers():
    gap = {"development": [make_example("e-1")], "test": [make_example("e-2", label="neither", weight=0.5)]}
    found = examples_to_browse(gap, {"x": {"e-2": "not sure"}, "y": {"e-2": "A"}}, ["x", "y"])
    assert (found["total"], [it["split"] for it in found["items"]]) == (2, ["development", "test"])
    texts = [it["texts"][0] for it in found["items"]]
    assert [it["said"] for it in texts] == [[None, None], [["not sure", True], ["A", False]]]
    assert [it["true"] for it in texts] == [["A"], []]
    assert [it["remarks"] for it in found["items"]] == [[], ["weight 0.50"]]
    assert texts[0]["pieces"] == [
        ["A", "Ann"],
        ["", " met "],
        ["B", "Ida"],
        ["", " at noon. "],
        ["pronoun", "She"],
        ["", " left."],
    ]


def test_variants_with_their_changes():
    converted = make_variant(make_example("e-1"), "She", "Sadly, she")
    converted = dataclasses.replace(converted, pronoun="she", pronoun_offset=converted.text.index("she"))
    rows = {"development": [converted], "test": [make_variant(make_example("e-2"))]}
    found = variants_to_browse(rows, {"x": {"e-2": "A"}}, ["x"])
    assert (found["kind"], found["unit"], found["total"]) == ("gap-subjective", "examples", 2)
    assert [(it["split"], it["remarks"]) for it in found["items"]] == [
        ("development", ["adverb: Sadly, she"]),
        ("test", []),
    ]
    texts = [it["texts"][0] for it in found["items"]]
    assert [(it["variant"], it["said"]) for it in texts] == [("subjective", [None]), ("as in GAP", [["A", True]])]
    assert texts[0]["pieces"][3:] == [["", " at noon. ", "Sadly, ", ""], ["pronoun", "", "she", ""], ["", " left."]]
    assert all(len(parts) == 1 for _, *parts in texts[1]["pieces"])


def test_quadruples_with_their_answers():
    found = quadruples_to_browse(make_quadruple(label="B"), {"x": {"q-1": "B", "q-1-swap-2": "A"}}, ["x"])
    [item] = found["items"]
    assert (found["total"], found["unit"], item["pattern"]) == (1, "quadruples", "FINALPRO")
    assert [(it["variant"], it["gender"], it["said"]) for it in item["texts"]] == [
        ("original", "feminine", [["B", True]]),
        ("control", "feminine", [None]),
        ("swap-1", "masculine", [None]),
        ("swap-2", "masculine", [["A", False]]),
    ]


@pytest.mark.parametrize(
    "text", ["</script><!--", "<img onerror=alert(1)> & 'so'", "a\u2028b\u2029c", "🙂 שלום\n\\u003c"]
)
def test_data_within_a_script(text):
    found = as_script({"text": text})
    assert json.loads(found) == {"text": text}
    assert not set(found) & set("<>&\u2028\u2029")
