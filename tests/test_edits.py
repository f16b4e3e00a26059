"""Replacements in a text, and where spans of the old text are in the new one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.edits import Edit, Rewriting
from gapforge.records import Span

TEXT = "Ann met Bo."  # Ann 0-3, met 4-7, Bo 8-10


def edit(start, end, new):
    return Edit(Span(start, end), new)


@pytest.mark.parametrize(
    ("text", "edits", "expected"),
    [
        (TEXT, [], TEXT),
        ("", [], ""),
        ("", [edit(0, 0, "Ann")], "Ann"),
        (TEXT, [edit(0, 3, "Bo"), edit(8, 10, "Ann")], "Bo met Ann."),
        (TEXT, [edit(0, 11, "")], ""),
        (TEXT, [edit(3, 7, "")], "Ann Bo."),
        (TEXT, [edit(4, 4, "once ")], "Ann once met Bo."),
        (TEXT, [edit(11, 11, " So did I.")], "Ann met Bo. So did I."),
        (TEXT, [edit(4, 4, "once "), edit(4, 7, "saw")], "Ann once saw Bo."),
        (TEXT, [edit(4, 7, "saw"), edit(7, 7, " little")], "Ann saw little Bo."),
        (TEXT, [edit(4, 4, "x"), edit(4, 4, "y")], "Ann xymet Bo."),
        (TEXT, [edit(0, 3, "Bo"), edit(3, 4, "-"), edit(4, 7, "met")], "Bo-met Bo."),
        ("É🙂é", [edit(1, 2, "e")], "Éeé"),  # offsets count code points
        ("a\r\nb", [edit(1, 3, "\n")], "a\nb"),
    ],
)
def test_the_text_with_its_edits(text, edits, expected):
    assert Rewriting(text, edits).text == expected


@pytest.mark.parametrize(
    ("edits", "span", "expected"),
    [
        ([], (4, 7), (4, 7)),
        # Before, behind and in the place of a span.
        ([edit(0, 3, "Margaret")], (4, 7), (9, 12)),
        ([edit(0, 3, "")], (4, 7), (1, 4)),
        ([edit(8, 10, "Margaret")], (4, 7), (4, 7)),
        ([edit(4, 7, "disliked")], (4, 7), (4, 12)),
        ([edit(4, 7, "")], (4, 7), (4, 4)),
        ([edit(0, 3, "Bo"), edit(8, 10, "Ann")], (0, 3), (0, 2)),
        ([edit(0, 3, "Bo"), edit(8, 10, "Ann")], (8, 10), (7, 10)),
        ([edit(0, 3, "Bo"), edit(8, 10, "Ann")], (0, 11), (0, 11)),
        # Edits that touch a span are no part of it.
        ([edit(3, 4, "---")], (0, 3), (0, 3)),
        ([edit(3, 4, "---")], (4, 7), (6, 9)),
        ([edit(4, 4, "once ")], (4, 7), (9, 12)),
        ([edit(7, 7, " once")], (4, 7), (4, 7)),
        ([edit(4, 4, "once "), edit(4, 7, "saw it"), edit(7, 7, " not")], (4, 7), (9, 15)),
        # Within a span.
        ([edit(5, 6, "oo")], (4, 7), (4, 8)),
        ([edit(5, 5, "oo")], (4, 7), (4, 9)),
        ([edit(4, 5, "p"), edit(6, 7, "g")], (4, 7), (4, 7)),
        # Places without text.
        ([edit(0, 3, "Margaret")], (4, 4), (9, 9)),
        ([edit(4, 4, "once ")], (4, 4), (9, 9)),
        ([edit(4, 7, "disliked")], (4, 4), (4, 4)),
        ([edit(4, 7, "disliked")], (7, 7), (12, 12)),
        ([edit(0, 3, "Margaret")], (11, 11), (16, 16)),
    ],
)
def test_move(edits, span, expected):
    assert Rewriting(TEXT, edits).move(Span(*span)) == Span(*expected)


@pytest.mark.parametrize("span", [Span(2, 1), Span(1, 4), Span(-1, 1)])
def test_edits_outside_the_text_are_refused(span):
    with pytest.raises(ValueError, match=r"^an edit is outside the text$"):
        Rewriting("abc", [Edit(span, "x")])


@pytest.mark.parametrize(
    "edits",
    [
        [edit(0, 5, "x"), edit(4, 7, "y")],
        [edit(0, 7, "x"), edit(4, 5, "y")],
        [edit(4, 7, "x"), edit(4, 7, "y")],
        [edit(4, 7, "x"), edit(0, 3, "y")],
        [edit(4, 7, "x"), edit(4, 4, "y")],
        [edit(5, 5, "x"), edit(4, 4, "y")],
        [edit(0, 3, "x"), edit(8, 10, "y"), edit(4, 7, "z")],
    ],
)
def test_edits_that_overlap_or_are_out_of_order_are_refused(edits):
    with pytest.raises(ValueError, match=r"^edits overlap or are out of order$"):
        Rewriting(TEXT, edits)


@pytest.mark.parametrize(
    ("edits", "span"),
    [
        ([edit(4, 7, "saw")], (3, 5)),
        ([edit(4, 7, "saw")], (5, 10)),
        ([edit(4, 7, "saw")], (5, 6)),
        ([edit(4, 7, "saw")], (4, 6)),
        ([edit(4, 7, "saw")], (5, 7)),
        ([edit(4, 7, "saw")], (5, 5)),
        ([edit(0, 2, "Ja"), edit(3, 5, "-")], (0, 4)),
        ([edit(0, 2, "Ja"), edit(4, 7, "saw")], (1, 7)),
        ([edit(0, 2, "Ja"), edit(4, 7, "saw"), edit(8, 10, "Al")], (5, 10)),
    ],
)
def test_a_span_that_an_edit_cuts_has_no_place(edits, span):
    rewriting = Rewriting(TEXT, edits)
    with pytest.raises(ValueError, match=rf"^an edit reaches over the edge of the span {span[0]} to {span[1]}$"):
        rewriting.move(Span(*span))


@st.composite
def texts_with_edits(draw):
    """Any text with any edits in text order, insertions and edits side by side among them."""
    text = draw(st.text(max_size=30))
    bounds = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    pairs = zip(bounds[::2], bounds[1::2], strict=False)
    return text, [edit(start, end, draw(st.text(max_size=4))) for start, end in pairs]


def replaced(text, edits):
    for it in reversed(edits):
        text = text[: it.span.start] + it.new + text[it.span.end :]
    return text


@given(texts_with_edits())
def test_any_edits_are_replacements_from_the_right(case):
    text, edits = case
    assert Rewriting(text, edits).text == replaced(text, edits)


@given(texts_with_edits(), st.data())
def test_any_span_reads_as_its_own_text_with_its_own_edits(case, data):
    text, edits = case
    start = data.draw(st.integers(0, len(text)))
    span = Span(start, data.draw(st.integers(start, len(text))))
    rewriting = Rewriting(text, edits)
    inside = [it for it in edits if it.span.end > span.start and it.span.start < span.end]
    if any(it.span.start < span.start or it.span.end > span.end for it in inside):
        with pytest.raises(ValueError, match=rf"^an edit reaches over the edge of the span {start} to {span.end}$"):
            rewriting.move(span)
    else:
        own = [edit(it.span.start - start, it.span.end - start, it.new) for it in inside]
        moved = rewriting.move(span)
        assert rewriting.text[moved.start : moved.end] == replaced(text[start : span.end], own)
        # What stands before is as long as its own replacements make it.
        assert moved.start == len(replaced(text[:start], [it for it in edits if it.span.end <= start]))


@given(texts_with_edits())
def test_every_edit_is_found_where_its_old_text_was(case):
    text, edits = case
    rewriting = Rewriting(text, edits)
    places = [rewriting.move(it.span) for it in edits if it.span.start < it.span.end]
    expected = [it.new for it in edits if it.span.start < it.span.end]
    assert [rewriting.text[it.start : it.end] for it in places] == expected
    assert places == sorted(places, key=lambda it: it.start)


@given(texts_with_edits().filter(lambda it: len(it[1]) > 1 and it[1][0].span.start < it[1][-1].span.end))
def test_edits_from_the_right_are_refused(case):
    text, edits = case
    with pytest.raises(ValueError, match=r"^edits overlap or are out of order$"):
        Rewriting(text, edits[::-1])


@given(st.lists(st.integers(0, 20), min_size=3, max_size=3, unique=True), st.integers(1, 5))
def test_two_edits_of_one_place_are_refused(bounds, beyond):
    first, second, end = sorted(bounds)
    with pytest.raises(ValueError, match=r"^edits overlap or are out of order$"):
        Rewriting("x" * 30, [edit(first, end, "a"), edit(second, end + beyond, "b")])
