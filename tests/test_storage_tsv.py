"""The published files of GAP and Counter-GAP, written here and as published."""

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.errors import ConfigError, InputError
from gapforge.records import Span
from gapforge.storage import tsv
from gapforge.storage.tsv import Row, read_rows, write_counter_gap, write_like

COLUMNS = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref"
GAP = f"{COLUMNS}\tURL\n"
COUNTER_GAP = f"{COLUMNS}\tBook\n"
# The cells behind the text of ROW.
REST = "She\t13\tAnn\t0\tTRUE\tIda\t8\tFALSE"
ROW = Row("1", "Ann met Ida. She left.", "She", 13, "Ann", 0, True, "Ida", 8, False, "b.txt")


@pytest.fixture
def make_file(tmp_path):
    def make(content):
        path = tmp_path / "rows.tsv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def read(path):
    return list(read_rows(path))


def message(path):
    with pytest.raises(InputError) as caught:
        read(path)
    return str(caught.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("Ann met Ida.", "Ann met Ida."),
        ('Ann "the cook" met Ida.', 'Ann "the cook" met Ida.'),
        ('"Ann met Ida," said Bo.', '"Ann met Ida," said Bo.'),
        ('"Ann met Ida."', '"Ann met Ida."'),
        ('"Ann met Ida.', '"Ann met Ida.'),
        ('""Ann"" met Ida.', '""Ann"" met Ida.'),
        ("`Ann' \\n met Ida\\", "`Ann' \\n met Ida\\"),
        (" Ann  met Ida. ", " Ann  met Ida. "),
        ("Ann\u2028met\u0085Ida\x0c.", "Ann\u2028met\u0085Ida\x0c."),
        ("Zoë 🙂", "Zoë 🙂"),
        ("", ""),
    ],
)
def test_the_text_of_gap_stands_as_it_is(make_file, cell, expected):
    path = make_file(f"{GAP}1\t{cell}\t{REST}\thttp://x\n2\tB\t{REST}\thttp://y\n")
    assert [(row.id, row.text, row.source) for row in read(path)] == [
        ("1", expected, "http://x"),
        ("2", "B", "http://y"),
    ]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("Ann met Ida.", "Ann met Ida."),
        ('"Ann met Ida."', "Ann met Ida."),
        ('"Ann ""the cook"" met Ida."', 'Ann "the cook" met Ida.'),
        ('"""Ann met Ida,"" said Bo."', '"Ann met Ida," said Bo.'),
        ('"Ann\tmet\nIda.\n\n"', "Ann\tmet\nIda.\n\n"),
        ('"Ann\r\nmet\rIda."', "Ann\r\nmet\rIda."),
        ('Ann "the cook" met Ida.', 'Ann "the cook" met Ida.'),  # a mark within needs no quoting
        ('""', ""),
        ("Ann\u2028met\u0085Ida\x0c.", "Ann\u2028met\u0085Ida\x0c."),
    ],
)
def test_the_text_of_counter_gap_is_quoted_as_csv_is(make_file, cell, expected):
    path = make_file(f"{COUNTER_GAP}1\t{cell}\t{REST}\tb.txt\n2\tB\t{REST}\tc.txt\n")
    assert [(row.id, row.text, row.source) for row in read(path)] == [("1", expected, "b.txt"), ("2", "B", "c.txt")]


LINE = f"1\tAnn met Ida. She left.\t{REST}\tb.txt"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (COUNTER_GAP + LINE + "\n", [ROW]),
        (COUNTER_GAP + LINE, [ROW]),
        (COUNTER_GAP.replace("Book", "URL") + LINE, [ROW]),
        (f"{COLUMNS}\n{LINE}".removesuffix("\tb.txt"), [dataclasses.replace(ROW, source="")]),
        ("\ufeff" + COUNTER_GAP + LINE, [ROW]),
        ((COUNTER_GAP + LINE + "\n").replace("\n", "\r\n"), [ROW]),
        ((GAP + LINE + "\n").replace("\n", "\r\n"), [ROW]),
        (f"{COUNTER_GAP}\n{LINE}\n\n\n{LINE}\n\n", [ROW, ROW]),
        (COUNTER_GAP, []),
        (f"Book\tNote\t{COLUMNS}\nb.txt\tn\t{LINE}".removesuffix("\tb.txt"), [ROW]),
    ],
)
def test_ways_to_write_a_file(make_file, content, expected):
    assert read(make_file(content)) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("TRUE", True), ("true", True), ("True", True), ("FALSE", False), ("False", False), ("", None)],
)
def test_labels(make_file, cell, expected):
    path = make_file(f"{COUNTER_GAP}1\tA\tshe\t0\tA\t0\t{cell}\tB\t0\t{cell}\tb\n")
    assert [(row.a_coref, row.b_coref) for row in read(path)] == [(expected, expected)]


def test_spans_of_a_row():
    assert (ROW.pronoun_span, ROW.a_span, ROW.b_span) == (Span(13, 16), Span(0, 3), Span(8, 11))


WANTED = "wanted ID, Text, Pronoun, Pronoun-offset, A, A-offset, A-coref, B, B-offset, B-coref and Book or URL"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", f"line 1: no column 'ID'; {WANTED}"),
        ("\n", f"line 1: no column 'ID'; {WANTED}"),
        (COUNTER_GAP.replace("A-coref\t", "").replace("Text\t", ""), f"line 1: no column 'Text'; {WANTED}"),
        (COUNTER_GAP.replace("B-coref", "b-coref"), f"line 1: no column 'B-coref'; {WANTED}"),
        (COUNTER_GAP.replace("\t", ","), f"line 1: no column 'ID'; {WANTED}"),
        (LINE, f"line 1: no column 'ID'; {WANTED}"),
        (
            f"{COUNTER_GAP}{LINE}\textra\n",
            "line 2: 12 cells under 11 columns; tabs and quotation marks within a cell must be quoted",
        ),
        (f"{GAP}{LINE}\n1\tAnn\n", "line 3: 2 cells under 11 columns; a cell of GAP may hold no tab"),
        (
            f'{COUNTER_GAP}1\t"a\n\nb"\t{REST}\tb\n2\tA\tB\n',
            "line 5: 3 cells under 11 columns; tabs and quotation marks within a cell must be quoted",
        ),
        (
            f'{GAP}1\t"a\tb"\t{REST}\tb\n',  # GAP has no quoting
            "line 2: 12 cells under 11 columns; a cell of GAP may hold no tab",
        ),
        (
            f'{COUNTER_GAP}{LINE}\n1\t"Ann" met Ida.\t{REST}\tb\n',
            "line 3: ' ' expected after '\"'; tabs and quotation marks within a cell must be quoted",
        ),
        (
            f'{COUNTER_GAP}{LINE}\n2\t"Ann met Ida.\t{REST}\tb\n3\tIda\t{REST}\tb\n',
            "line 4: unexpected end of data; tabs and quotation marks within a cell must be quoted",
        ),
    ],
)
def test_files_that_cannot_be_read(make_file, content, expected):
    assert message(make_file(content)) == expected


NUMBER = "wanted a whole number of characters"
LABEL = "wanted TRUE, FALSE or nothing"


@pytest.mark.parametrize(
    ("column", "cell", "expected"),
    [
        ("Pronoun-offset", "twelve", f"Pronoun-offset is 'twelve'; {NUMBER}"),
        ("A-offset", "", f"A-offset is ''; {NUMBER}"),
        ("A-offset", "-1", f"A-offset is '-1'; {NUMBER}"),
        ("B-offset", "8.0", f"B-offset is '8.0'; {NUMBER}"),
        ("B-offset", " 8", f"B-offset is ' 8'; {NUMBER}"),
        ("B-offset", "1_0", f"B-offset is '1_0'; {NUMBER}"),
        ("B-offset", "٨", f"B-offset is '٨'; {NUMBER}"),
        ("B-offset", "²", f"B-offset is '²'; {NUMBER}"),
        ("B-offset", "1" * 13, f"B-offset is '{'1' * 13}'; {NUMBER}"),
        ("A-coref", "yes", f"A-coref is 'yes'; {LABEL}"),
        ("A-coref", "1", f"A-coref is '1'; {LABEL}"),
        ("B-coref", "TRUE ", f"B-coref is 'TRUE '; {LABEL}"),
        ("B-coref", "None", f"B-coref is 'None'; {LABEL}"),
    ],
)
@pytest.mark.parametrize("header", [GAP, COUNTER_GAP])
def test_cells_that_cannot_be_read(make_file, header, column, cell, expected):
    cells = dict(zip(header.split("\t"), LINE.split("\t"), strict=True)) | {column: cell}
    assert message(make_file(header + LINE + "\n" + "\t".join(cells.values()) + "\n")) == f"line 3: {expected}"


def test_rows_before_a_wrong_one_are_read(make_file):
    rows = read_rows(make_file(f"{COUNTER_GAP}{LINE}\n{LINE}\n2\n"))
    assert [next(rows), next(rows)] == [ROW, ROW]
    with pytest.raises(InputError, match=r"rows\.tsv: line 4: 1 cells under 11 columns"):
        next(rows)


@pytest.mark.parametrize("before", ["", COUNTER_GAP, COUNTER_GAP + LINE + "\n"])
def test_a_file_that_is_not_utf_8_is_named(make_file, before):
    place = len(before) + 2
    expected = f"byte {place}: not UTF-8; save it as UTF-8"
    assert message(make_file(before.encode() + "Zoë\n".encode("latin-1"))) == expected


def test_a_cell_as_long_as_a_chapter_is_read(make_file):
    text = "Ann met Ida. " * 50_000
    path = make_file(f"{COUNTER_GAP}1\t{text}\t{REST}\tb\n")
    assert [row.text for row in read(path)] == [text]


def test_a_cell_beyond_every_measure_is_refused(make_file):
    path = make_file(f"{COUNTER_GAP}1\t{'x' * (tsv.LONGEST_FIELD + 1)}\t{REST}\tb\n")
    remedy = "tabs and quotation marks within a cell must be quoted"
    assert message(path) == f"line 2: field larger than field limit (10000000); {remedy}"


def test_counter_gap_as_written(tmp_path):
    path = tmp_path / "out.tsv"
    quoted = dataclasses.replace(ROW, id="2", text='Ann\t"x"\n', a_coref=None, b_coref=True)
    write_counter_gap(path, [ROW, quoted])
    assert path.read_bytes().decode() == (
        f"{COUNTER_GAP}{LINE}\n".replace("\n", "\r\n") + '2\t"Ann\t""x""\n"\tShe\t13\tAnn\t0\t\tIda\t8\tTRUE\tb.txt\r\n'
    )
    assert [it.name for it in tmp_path.iterdir()] == ["out.tsv"]


def test_no_rows_are_a_header(tmp_path):
    write_counter_gap(tmp_path / "out.tsv", [])
    assert (tmp_path / "out.tsv").read_text("utf-8") == COUNTER_GAP


def test_a_folder_that_is_missing_is_named(tmp_path):
    path = tmp_path / "nowhere" / "out.tsv"
    with pytest.raises(ConfigError, match=rf"^{re.escape(str(path))}: its folder does not exist; make it first$"):
        write_counter_gap(path, [ROW])


def test_a_failure_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.tsv"
    path.write_text("old", "utf-8")

    def rows():
        yield ROW
        raise KeyError("gone")

    with pytest.raises(KeyError):
        write_counter_gap(path, rows())
    assert [(it.name, it.read_text("utf-8")) for it in tmp_path.iterdir()] == [("out.tsv", "old")]


CELLS = st.text(st.characters(exclude_categories=["Cs"]))
MARKS = st.text(st.sampled_from(list("ab\t\"\n\r'’\u2028\u2029\x85\x0b\x0c\0\ufeff,;\\")))
LABELS = st.sampled_from([True, False, None])
ROWS = st.builds(
    Row,
    id=CELLS,
    text=CELLS | MARKS,
    pronoun=CELLS,
    pronoun_offset=st.integers(0, 10**11 - 1),
    a=CELLS | MARKS,
    a_offset=st.integers(0, 10**11 - 1),
    a_coref=LABELS,
    b=CELLS,
    b_offset=st.integers(0, 10**11 - 1),
    b_coref=LABELS,
    source=CELLS | MARKS,
)


@given(st.lists(ROWS, max_size=4))
def test_any_rows_come_back_as_they_were(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("rows") / "out.tsv"
    write_counter_gap(path, rows)
    assert read(path) == rows


PLAIN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"))


@given(st.lists(st.tuples(PLAIN, PLAIN, PLAIN), min_size=1, max_size=4))
def test_any_cells_of_gap_come_back_as_they_were(tmp_path_factory, cells):
    path = tmp_path_factory.mktemp("rows") / "gap.tsv"
    lines = [f"{number}\t{text}\t{REST}\t{url}\n" for number, text, url in cells]
    path.write_bytes((GAP + "".join(lines)).encode())
    assert [(row.id, row.text, row.source) for row in read(path)] == cells


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        (
            "gap/gap-development.tsv",
            {
                "stand-in": (30, "development-1", "development-30"),
                "published": (2000, "development-1", "development-2000"),
            },
        ),
        ("gap/gap-test.tsv", {"stand-in": (30, "test-1", "test-30"), "published": (2000, "test-1", "test-2000")}),
        (
            "gap/gap-validation.tsv",
            {"stand-in": (8, "validation-1", "validation-8"), "published": (454, "validation-1", "validation-454")},
        ),
        (
            "counter-gap/counter-gap-half.tsv",
            {"stand-in": (96, "0", "23-swap-2"), "published": (1980, "2", "2799-swap-2")},
        ),
    ],
)
def test_files_as_published(reference, tmp_path, name, ends):
    """The number of rows, the first and the last id: a reader that passes one over would shift all answers."""
    found = read(reference.path(name))
    assert (len(found), found[0].id, found[-1].id) == ends[reference.name]
    cells = [
        (row.text[span.start : span.end], cell)
        for row in found
        for cell, span in ((row.pronoun, row.pronoun_span), (row.a, row.a_span), (row.b, row.b_span))
    ]
    assert [pair for pair in cells if pair[0] != pair[1]] == []  # the offsets of all four files are right
    write_counter_gap(tmp_path / "again.tsv", found)
    assert read(tmp_path / "again.tsv") == found


def test_a_column_that_is_there_twice(tmp_path):
    (tmp_path / "rows.tsv").write_text("ID\tText\tID\n", "utf-8")
    with pytest.raises(InputError) as caught:
        list(read_rows(tmp_path / "rows.tsv"))
    assert str(caught.value) == f"{tmp_path / 'rows.tsv'}: line 1: column 'ID' twice; keep one of the two"


def test_a_line_of_nothing_but_columns(make_file):
    # Where each is counted by itself, this takes minutes.
    assert message(make_file("\t" * 1_000_000)) == "line 1: column '' twice; keep one of the two"


def test_line_ends_of_old_are_written_anew(make_file, tmp_path):
    source = make_file((COUNTER_GAP + LINE + "\n").replace("\r", "").replace("\n", "\r"))
    write_like(source, tmp_path / "out.tsv", [ROW])
    assert list(read_rows(tmp_path / "out.tsv")) == [ROW]


def test_messages_have_bounds(make_file):
    line = LINE.replace("\tTRUE\t", f"\t{'x' * 5000}\t", 1)
    expected = f"line 2: A-coref is '{'x' * 298}…; wanted TRUE, FALSE or nothing"
    assert message(make_file(f"{COUNTER_GAP}{line}\n")) == expected
