import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.corpora.books import detect, is_heading, join, split

PARAGRAPHS = [
    "Marta Lindqvist had rowed the ferry for nineteen years, and in all that time she had never once been late, "
    "whatever the parish clerk might say when he had been at the cider.",
    '"You are early," said the miller.',
    "She did not answer him, because the rope had caught on the post again and the current was pulling the stern "
    "round; besides, he said so every morning. It was his way of wishing her well, and she knew it, and he knew that "
    "she knew.",
    '"Will you take the boy across?" he asked at last.',
    '"If he sits still."',
    "The boy sat still. He had never been on the river before, and he looked at the water as other children look at "
    "a dog which they have been told is friendly.",
]


def wrapped(width=65):
    return [textwrap.fill(paragraph, width) for paragraph in PARAGRAPHS]


def texts(text):
    return [block.text for block in split(text, is_heading)]


@pytest.mark.parametrize("width", [50, 65, 72, 130])
def test_blank_lines_between_wrapped_paragraphs(width):
    text = "\n\n".join(wrapped(width))
    assert detect(text.split("\n")) == "blocks"
    assert texts(text) == PARAGRAPHS


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n \n\n"])
def test_one_line_per_paragraph(gap):
    assert texts(gap.join(PARAGRAPHS)) == PARAGRAPHS


# At some widths a last line is full by chance, and no rule could tell.
@pytest.mark.parametrize("width", [60, 65, 72])
def test_wrapped_without_blank_lines(width):
    text = "\n".join(wrapped(width) * 4)
    assert detect(text.split("\n")) == "dense"
    assert texts(text) == PARAGRAPHS * 4


def test_wrapped_with_indented_paragraphs():
    text = "\n".join(textwrap.fill(paragraph, 60, initial_indent="   ") for paragraph in PARAGRAPHS * 4)
    assert texts(text) == PARAGRAPHS * 4


def test_trailing_blanks_change_nothing():
    assert texts("\n \n".join(wrapped()).replace("\n", "   \n")) == PARAGRAPHS


def test_verse_stays_joined():
    verse = "The river is wide\n  and the ferry is small,\nand none who would ride\n  ever gave her a call"
    assert texts("\n\n".join([*wrapped(), verse])) == [*PARAGRAPHS, " ".join(verse.split())]


def test_a_sentence_cut_by_a_page_break_is_mended():
    cut = ["The boy looked at the", "water as if it were a dog.", *PARAGRAPHS]
    assert texts("\n".join(cut)) == ["The boy looked at the water as if it were a dog.", *PARAGRAPHS]


@pytest.mark.parametrize("layout", ["blocks", "dense", "lines"])
def test_headings_stand_alone_in_every_layout(layout):
    paragraphs = PARAGRAPHS if layout == "lines" else wrapped()
    gap = "\n\n" if layout == "blocks" else "\n"
    text = gap.join(["CHAPTER I", *paragraphs, "CHAPTER II", *paragraphs])
    assert detect(text.split("\n")) == layout
    assert texts(text) == ["CHAPTER I", *PARAGRAPHS, "CHAPTER II", *PARAGRAPHS]


def test_a_heading_set_on_its_text_is_parted_from_it():
    text = "\n\n".join(["CHAPTER I\n" + wrapped()[0], *wrapped()[1:]])
    assert texts(text) == ["CHAPTER I", *PARAGRAPHS]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["the rope", "broke"], "the rope broke"),
        (["the rope--", "it broke"], "the rope--it broke"),
        (["the rope", "--it broke"], "the rope--it broke"),
        (["the rope --", "it broke"], "the rope -- it broke"),
        (["the rope,", "-- it broke"], "the rope, -- it broke"),
        (["the rope—", "it broke"], "the rope—it broke"),
        (["Lord ----", "broke it"], "Lord ---- broke it"),
        (["full-", "grown"], "full-grown"),
        (["Anglo-", "Saxon"], "Anglo-Saxon"),
        (["a two-", "or three-act play"], "a two- or three-act play"),
        (["page 12-", "and on"], "page 12- and on"),
        (["one"], "one"),
        ([], ""),
    ],
)
def test_join(lines, expected):
    assert join(lines) == expected


@given(st.text(st.sampled_from("ab AB.\"'-_I\n \t\u00a0é"), max_size=300))
def test_no_character_but_white_space_is_lost(text):
    assert "".join("".join(texts(text)).split()) == "".join(text.split())
