import csv
from dataclasses import replace

import pytest

from gapforge.corpora import gutenberg
from gapforge.corpora.gutenberg import select
from gapforge.corpora.source import Catalog, Piece, ReadSettings
from gapforge.errors import InputError
from gapforge.records import Reject

HEADER = ["Text#", "Type", "Issued", "Title", "Language", "Authors", "Subjects", "LoCC", "Bookshelves"]
ROWS = [
    (1, "Text", "The Ferry", "en", "Ferries -- Fiction", ""),
    (2, "Text", "Le Bac", "fr", "Ferries -- Fiction", ""),
    (3, "Text", "Two Tongues\nin one book", "en; fr", "Love stories", "Historical Fiction"),
    (4, "Text", "Boats", "en", "Nonfiction; Boats", "Non-fiction"),
    (5, "Sound", "The Ferry, read aloud", "en", "Ferries -- Fiction", ""),
    (6, "Text", "Sagas", "en", "Iceland--FICTION", ""),
    (7, "Text", "Fictional", "en", "Fictionalised lives", ""),
]


@pytest.fixture
def make_catalog(tmp_path):
    def make(header=HEADER, rows=ROWS):
        path = tmp_path / "pg_catalog.csv"
        with path.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, header, extrasaction="ignore")
            writer.writeheader()
            for number, type, title, language, subjects, shelves in rows:
                writer.writerow({
                    "Text#": number, "Type": type, "Issued": "2001-01-01", "Title": title, "Language": language,
                    "Authors": "Berg, Anna", "Subjects": subjects, "LoCC": "PZ", "Bookshelves": shelves,
                })  # fmt: skip
        return Catalog(file=str(path))

    return make


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {1, 3, 6}),
        ({"languages": ["FR"]}, {2, 3}),
        ({"languages": []}, {1, 2, 3, 6}),
        ({"subjects": []}, {1, 3, 4, 6, 7}),
        ({"subjects": ["love  stories", "boats"]}, {3, 4}),
        ({"ids": [2, 4]}, {2, 4}),
        ({"subjects": ["c++ (language)"]}, set()),
    ],
)
def test_select(make_catalog, changes, expected):
    assert select(replace(make_catalog(), **changes)) == expected


def test_without_a_catalogue():
    assert select(Catalog()) is None
    assert select(Catalog(ids=[3])) == {3}


def test_a_replaced_catalogue_is_read_again(make_catalog):
    assert select(make_catalog(rows=ROWS[:1])) == {1}
    assert select(make_catalog(rows=[*ROWS, (12345, "Text", "More", "en", "Fiction", "")])) == {1, 3, 6, 12345}


def test_unknown_ids(make_catalog):
    with pytest.raises(
        InputError, match=r"pg_catalog\.csv: wanted the books 5, 99, found no text of that number; chang"
    ):
        select(replace(make_catalog(), ids=[1, 5, 99]))


def test_missing_column(make_catalog):
    catalog = make_catalog(header=[name for name in HEADER if name != "Bookshelves"])
    with pytest.raises(
        InputError, match=r"line 1: wanted the columns Text#, .*, found no Bookshelves; download pg_cat"
    ):
        select(catalog)


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: wanted the catalogue pg_catalog\.csv, found no such file; downl"):
        select(Catalog(file=str(tmp_path / "none.csv")))


def test_bad_number(make_catalog):
    with pytest.raises(InputError, match=r"line 3: wanted a book number in column Text#, found 'x'; download"):
        select(make_catalog(rows=[ROWS[0], ("x", *ROWS[0][1:])]))


def test_not_text(tmp_path):
    (tmp_path / "c.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"c\.csv: wanted UTF-8 CSV, found something else"):
        select(Catalog(file=str(tmp_path / "c.csv")))


def test_books_outside_the_selection_are_rejected(make_catalog, tmp_path):
    settings = ReadSettings(catalog=make_catalog())
    results = []
    for name in ("pg1.txt", "2-0.txt", "story.txt"):
        (tmp_path / name).write_text("She took the ferry home.\n")
        results += gutenberg.read(Piece(str(tmp_path / name), name), settings)
    first, second, third = results
    assert (first.id, first.text) == ("gutenberg-1", "She took the ferry home.")
    where = "is not among those that [corpora.NAME.catalog] selects"
    assert second == Reject("gutenberg-2", "not selected", f"2-0.txt: book 2 {where}")
    assert third == Reject("gutenberg-story", "not selected", f"story.txt: it has no book number {where}")
