"""Cells of CoNLL columns: parted where CoNLL parts them, and changed without moving their neighbours."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.storage.conll import (
    CELL,
    SPEAKER,
    WORD,
    Document,
    Mention,
    cells_of,
    padded,
    read_documents,
    with_cells,
    write_documents,
)

PADDED = """#begin document (nw/a/b_0001); part 000
nw/a/b_0001   0   0       Ann    NNP   *   -   -   -   Bo_Lee   (PERSON)   (12)
nw/a/b_0001   0   1      left    VBD   *   -   -   -   Bo_Lee          *      -

nw/a/b_0001   0   0   actress     NN   *   -   -   -        -          *   (12)

#end document
"""


def make_document(*lines):
    return Document("a.conll", "d", 0, 1, "", "#begin document (d);\n", lines, "#end document\n", {})


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text(PADDED, "utf-8")
    [document] = read_documents(path)
    return document


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("d 0 1 her -\n", ["d", "0", "1", "her", "-"]),
        ("d\t0\t1\ther\t-\r\n", ["d", "0", "1", "her", "-"]),
        ("  d \t 0  ", ["d", "0"]),
        ("d 0 Zoë -", ["d", "0", "Zoë", "-"]),
        # Other blanks part no columns: some words of newswire and of the web hold them.
        ("d 0 5\u00a01/2 -", ["d", "0", "5\u00a01/2", "-"]),
        ("d 0 a\u2028b\u3000c -", ["d", "0", "a\u2028b\u3000c", "-"]),
        ("d 0 a\x0bb\x0cc\x1cd\x85e -", ["d", "0", "a\x0bb\x0cc\x1cd\x85e", "-"]),
        ("\n", []),
        ("", []),
    ],
)
def test_blanks_and_tabs_part_cells(line, cells):
    assert cells_of(line) == cells


@given(st.text(st.sampled_from("ab \t\r\x0b\x1c\x85\u00a0\u2028é'"), max_size=20).map(lambda it: it + "\n"))
def test_whatever_the_line_its_cells_are_what_blanks_part(line):
    assert cells_of(line) == [it for it in re.split("[ \t\r\n]", line) if it]


@pytest.mark.parametrize(
    ("line", "column", "value", "expected"),
    [
        # Set flush right: blanks before the cell are taken or added.
        ("d   0      her   PRP   -\n", 2, "himself", "d   0  himself   PRP   -\n"),
        ("d   0   actress   NN   -\n", 2, "actor", "d   0     actor   NN   -\n"),
        ("d   0   her   PRP   -\n", 2, "him", "d   0   him   PRP   -\n"),
        # One blank stays before it, and then those behind it are taken.
        ("d   0   her   PRP   -\n", 2, "grand", "d   0 grand   PRP   -\n"),
        ("d   0   her   PRP   -\n", 2, "grandp", "d   0 grandp  PRP   -\n"),
        ("d   0   her   PRP   -\n", 2, "grandpa", "d   0 grandpa PRP   -\n"),
        # Where there are too few, what follows moves.
        ("d   0   her   PRP   -\n", 2, "grandmother", "d   0 grandmother PRP   -\n"),
        # Single blanks and tabs are no padding.
        ("d 0 her PRP -\n", 2, "himself", "d 0 himself PRP -\n"),
        ("d 0 actress NN -\n", 2, "he", "d 0 he NN -\n"),
        ("d\t0\ther\tPRP\t-\r\n", 2, "himself", "d\t0\thimself\tPRP\t-\r\n"),
        ("d  \t0\t  her \t PRP -\n", 2, "he", "d  \t0\t  he \t PRP -\n"),
        # The first column is as wide in all lines.
        ("  d   0   her   -\n", 0, "longer", "  longer   0   her   -\n"),
        ("d/long   0   her   -\n", 0, "d", "d   0   her   -\n"),
    ],
)
def test_another_cell_leaves_the_others_in_their_places(line, column, value, expected):
    assert padded(line, column, value) == expected


BLANKS = st.one_of(st.just("\t"), st.integers(1, 6).map(lambda size: " " * size))
WORDS = st.text(st.sampled_from("abé(*-)/"), min_size=1, max_size=9)


@given(st.lists(st.tuples(WORDS, BLANKS), min_size=3, max_size=6), st.integers(0, 4), WORDS)
def test_whatever_the_line_one_cell_is_changed(pairs, column, value):
    column = min(column, len(pairs) - 2)
    line = "".join(cell + blanks for cell, blanks in pairs)
    cells = [cell for cell, _ in pairs]
    changed = padded(line, column, value)
    assert cells_of(changed) == [*cells[:column], value, *cells[column + 1 :]]
    assert padded(line, column, cells[column]) == line
    # Between blanks, what follows stays in its place as long as there is room.
    before, after = pairs[column - 1][1] if column else "", pairs[column][1]
    room = before.count(" ") + after.count(" ")
    if column and "\t" not in before + after and room > 2 and len(value) <= len(cells[column]) + room - 2:
        assert list(CELL.finditer(changed))[column + 1].start() == list(CELL.finditer(line))[column + 1].start()


def test_cells_by_token_and_column(document):
    changed = with_cells(document, {(0, WORD): "Robert", (0, SPEAKER): "E1_E2", (2, WORD): "actor", (1, SPEAKER): "-"})
    assert changed.text == (
        "#begin document (nw/a/b_0001); part 000\n"
        "nw/a/b_0001   0   0    Robert    NNP   *   -   -   -    E1_E2   (PERSON)   (12)\n"
        "nw/a/b_0001   0   1      left    VBD   *   -   -   -        -          *      -\n"
        "\n"
        "nw/a/b_0001   0   0     actor     NN   *   -   -   -        -          *   (12)\n"
        "\n"
        "#end document\n"
    )
    assert changed.entities == document.entities == {12: (Mention(0, 1), Mention(2, 3))}
    assert (changed.words, changed.speakers) == (["Robert", "left", "actor"], ["E1_E2", "-", "-"])
    # What was read of the old one is not taken for the new one's.
    assert document.words == ["Ann", "left", "actress"]


def test_no_cells_no_change(document):
    assert with_cells(document, {}) == document


@pytest.mark.parametrize("value", ["", "a b", "a\tb", "a\n", " "])
def test_a_cell_holds_no_blank(value):
    document = make_document("d\t0\t0\tw\t-\n", "\n", "d\t0\t0\tw\t-\n")
    with pytest.raises(ValueError) as caught:
        with_cells(document, {(1, WORD): value})
    assert str(caught.value) == f"a.conll: line 4: no cell can hold {value!r}"


def test_rows_are_the_lines_that_hold_tokens():
    document = make_document("\n", "d 0 a -\n", " \t\r\n", "d\t1 b (1)\r\n")
    assert document.rows == [["d", "0", "a", "-"], ["d", "1", "b", "(1)"]]


@pytest.mark.parametrize("pattern", ["conll-scorer/*.key", "conll-scorer/*.response", "winobias/*_conll"])
def test_files_are_written_again_with_the_same_bytes(reference, pattern, tmp_path):
    files = reference.files(pattern)
    assert files
    for path in files:
        changed = tmp_path / "again.conll"
        write_documents(changed, (with_cells(it, same_words(it)) for it in read_documents(path)))
        assert changed.read_bytes() == path.read_bytes(), path.name


def same_words(document):
    return {(token, WORD): word for token, word in enumerate(document.words) if word}
