import csv
import io
import re
import zipfile
from pathlib import Path

import pytest

import sample
from gapforge.corpora import gutenberg, wikipedia
from gapforge.corpora.source import Piece, ReadSettings
from gapforge.errors import InputError
from gapforge.records import Document
from sample import Book, Page, book_file, catalogue, dump, wrapped

SAMPLE = Path(__file__).parent.parent / "resources" / "samples"

ARTICLE = """\
+++
id = 101
title = "Marta Ellingham"
[cast]
marta = ["Marta Ellingham", "Ellingham"]
judith = ["Judith Crane"]
+++
{{Infobox person|name=Marta Ellingham|known_for=her lectures}}
'''Marta Ellingham''' was a binder.<ref>''His Own Press'', p. 3.</ref>

== Work ==
After [[Judith Crane]] handed the archive to Ellingham, she~judith moved to [[Lisbon]]; HER~none Majesty's ship
"Swan" brought it &ndash; and her~marta&nbsp;press.
"""

BOOK = """\
+++
id = 90001
title = "The Ferry"
author = "Ann Orme Dale"
encoding = "ISO-8859-1"
[cast]
paul = ["Paul Renner", "Mr. Renner"]
+++
CHAPTER I. HIS BOAT

Paul Renner sat in the café by the landing with his~paul boots against the stove, and would not be moved by anybody.

"Mr. Renner," said the boy, "he~none has come." _He~paul_ slept.
"""


def write_marked(folder, article=ARTICLE, book=BOOK):
    for room, text in (("wikipedia", article), ("gutenberg", book)):
        (folder / "marked" / room).mkdir(parents=True)
        (folder / "marked" / room / "one.txt").write_text(text, "utf-8")
    return folder


def read_sample(folder):
    """Every document of a built sample by id, as the readers give it."""
    pieces = [(wikipedia.read, folder / "wikipedia.xml")]
    pieces += [(gutenberg.read, path) for path in sorted((folder / "gutenberg").glob("pg[0-9]*"))]
    records = [record for read, path in pieces for record in read(Piece(str(path), path.name), ReadSettings())]
    return {record.id: record for record in records if isinstance(record, Document)}


def read_referents(folder):
    return list(csv.DictReader(io.StringIO((folder / "referents.tsv").read_text("utf-8")), delimiter="\t"))


# Marks


def test_marks_are_taken_off_and_numbered():
    text = sample.parse(
        "a.txt", '+++\nid = 1\ntitle = "T"\n[cast]\nann = ["Ann"]\n+++\n\nHe~none\'d met her~ann.\n', Page
    )
    assert text.text == "He\U000f0000'd met her\U000f0001."
    assert text.marks == [sample.Mark(8, "He", "none"), sample.Mark(8, "her", "ann")]
    assert text.cast == {"ann": sample.Person(["Ann"], 5)}
    assert text.front == Page(1, "T")


@pytest.mark.parametrize(
    ("text", "pronouns"),
    [
        ("Hers~ann, HIS~ann, himself~ann", ["Hers", "HIS", "himself"]),
        ("the theme of others, where Sheila's hero is here", []),
        ("_her~ann_ and (she~ann)--him~ann-like", ["her", "she", "him"]),
    ],
)
def test_pronouns_are_whole_words_of_any_case(text, pronouns):
    found = sample.parse("a.txt", f'+++\nid = 1\ntitle = "T"\n[cast]\nann = ["Ann"]\n+++\n{text}\n', Page)
    assert [(mark.pronoun, mark.key) for mark in found.marks] == [(pronoun, "ann") for pronoun in pronouns]


HEAD = '+++\nid = 1\ntitle = "T"\n'


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("id = 1\n", "a.txt:1: no front matter; begin the file with TOML between two lines of +++"),
        (HEAD + "ns = \n+++\n", "a.txt:4: the front matter is not TOML: Invalid value (at line 3, column 6)"),
        ("+++\nid = 1\n+++\n", "a.txt:1: the front matter lacks title; add it"),
        (HEAD + "nss = 1\n+++\n", "a.txt:1: the front matter has no setting 'nss'; did you mean 'ns'?"),
        (HEAD + 'ns = "x"\n+++\n', "a.txt:1: the front matter ns must be a whole number, found 'x'"),
        (HEAD + "cast = 3\n+++\n", "a.txt:4: cast must be a table; write [cast], the people below it"),
        (
            HEAD + '[cast]\nAnn = ["Ann"]\n+++\n',
            "a.txt:5: 'Ann' cannot be a key of [cast]; use a-z, 0-9 and _, and not 'none'",
        ),
        (
            HEAD + '[cast]\nnone = ["Ann"]\n+++\n',
            "a.txt:5: 'none' cannot be a key of [cast]; use a-z, 0-9 and _, and not 'none'",
        ),
        (
            HEAD + '[cast]\nann = "Ann"\n+++\n',
            'a.txt:5: ann wants a list of names; write ann = ["Full Name", "Surname"]',
        ),
        (
            HEAD + '[cast]\nann = ["A|B"]\n+++\n',
            "a.txt:5: the form 'A|B' holds a bar, tab or line break; write it without",
        ),
        (
            HEAD + '[cast]\nann = ["Ann"]\nbea = ["Bea", "Ann"]\n+++\n',
            "a.txt:6: 'Ann' is a form of ann too; leave it with one of them",
        ),
        (HEAD + "+++\n\nAnd he~tom.\n", "a.txt:6: he~tom: no tom in [cast]; add the person or write ~none"),
        (HEAD + "+++\nAnd he~ went.\n", "a.txt:5: he~ has no key; write the key of [cast] right after the ~"),
        (HEAD + "+++\nA\n~30 ships\n", "a.txt:6: a ~ that follows no gendered pronoun; remove it"),
        (HEAD + "+++\nA \U000f0000\n", "a.txt:5: the character U+F0000 marks places here; write another one"),
    ],
)
def test_a_bad_marked_file_is_named_with_its_line(raw, message):
    with pytest.raises(InputError) as error:
        sample.parse("a.txt", raw, Page)
    assert str(error.value) == message


# The build


def test_places_are_those_in_the_cleaned_text(tmp_path):
    sample.write(tmp_path, sample.build(write_marked(tmp_path)))
    documents = read_sample(tmp_path)
    assert set(documents) == {"wikipedia-101", "gutenberg-90001"}
    rows = read_referents(tmp_path)
    assert [list(row.values())[3:] for row in rows] == [
        ["she", "Judith Crane", "Judith Crane"],
        ["HER", "", ""],
        ["her", "Marta Ellingham", "Marta Ellingham|Ellingham"],
        ["his", "Paul Renner", "Paul Renner|Mr. Renner"],
        ["he", "", ""],
        ["He", "Paul Renner", "Paul Renner|Mr. Renner"],
    ]
    for row in rows:
        assert documents[row["document_id"]].text[int(row["start"]) : int(row["end"])] == row["pronoun"]
    text = documents["wikipedia-101"].text
    assert text[: int(rows[0]["start"])].endswith("After Judith Crane handed the archive to Ellingham, ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("Lisbon]]; HER~none", "Lisbon]]; her"), "wikipedia/one.txt:12: 'her' is not marked; write her~ and a key"),
        (
            ("for=her lectures", "for=her~marta lectures"),
            "wikipedia/one.txt:8: her~marta stands in text that the reader removes; take the mark off, or move the "
            "pronoun out of the template, table, note, caption, list or heading",
        ),
        (
            ('"Ellingham"]', '"Ellingham", "Marta"]\nzoe = ["Zoe"]'),
            "wikipedia/one.txt:6: zoe is never called 'Zoe' in the text; remove the form",
        ),
        (
            ("'''Marta Ellingham''' was", "{{disambiguation}}'''Marta Ellingham''' was"),
            "wikipedia/one.txt:1: the reader gives no document wikipedia-101; see why it leaves it out",
        ),
        (("[cast]", "[people]"), "wikipedia/one.txt:1: the front matter has no setting 'people'"),
    ],
)
def test_a_mark_that_does_not_fit_the_cleaned_text_stops_the_build(tmp_path, change, message):
    write_marked(tmp_path, article=ARTICLE.replace(*change))
    with pytest.raises(InputError) as error:
        sample.build(tmp_path)
    assert str(error.value).removeprefix(f"{tmp_path.as_posix()}/marked/").startswith(message)


def test_a_page_without_a_cast_must_be_one_that_is_left_out(tmp_path):
    page = '+++\nid = 7\ntitle = "A"\n+++\nA is the first letter of the alphabet, and stands before all others.\n'
    write_marked(tmp_path, article=page)
    with pytest.raises(InputError, match=r"one\.txt:1: the reader takes this page; give it a \[cast\]$"):
        sample.build(tmp_path)


def test_two_files_of_one_id_are_refused(tmp_path):
    write_marked(tmp_path)
    (tmp_path / "marked" / "wikipedia" / "two.txt").write_text(ARTICLE, "utf-8")
    with pytest.raises(InputError, match=r"two\.txt:1: the id 101 is taken by .*one\.txt; give another one$"):
        sample.build(tmp_path)


def test_a_character_outside_the_encoding_is_refused(tmp_path):
    write_marked(tmp_path, book=BOOK.replace("café", "cafe\u2014"))
    with pytest.raises(
        InputError, match=r"one\.txt:1: ISO-8859-1 has no '—'; write it otherwise or set another encoding$"
    ):
        sample.build(tmp_path)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"marked/wikipedia: no marked files; name the folder that holds marked/$"):
        sample.build(tmp_path)


def test_books_that_left_the_sample_are_removed(tmp_path):
    (tmp_path / "gutenberg").mkdir()
    (tmp_path / "gutenberg" / "pg7.txt").write_text("old")
    sample.write(tmp_path, sample.build(write_marked(tmp_path)))
    assert sorted(path.name for path in (tmp_path / "gutenberg").iterdir()) == ["pg90001.txt", "pg_catalog.csv"]


def test_the_command_says_what_it_built_or_what_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["sample", str(write_marked(tmp_path))])
    assert sample.main() == 0
    assert capsys.readouterr().out == f"{tmp_path.as_posix()}: 4 files, 6 marked pronouns\n"
    (tmp_path / "marked" / "wikipedia" / "one.txt").write_text("text")
    assert sample.main() == 1
    assert capsys.readouterr().err.endswith("no front matter; begin the file with TOML between two lines of +++\n")


# The raw files


def test_pages_stand_in_the_order_of_their_ids():
    xml = dump([(Page(9, "B & <C>"), 'a "quote"'), (Page(3, "Talk:A", 1), "#REDIRECT [[B & <C>#Part]]")])
    assert re.findall(r"<id>(\d+)</id>\n(?: *<redirect|    <rev)", xml) == ["3", "9"]
    assert '<redirect title="B &amp; &lt;C&gt;" />' in xml
    assert ">a &quot;quote&quot;</text>" in xml
    assert "<timestamp>2024-01-01T09:00:00Z</timestamp>" in xml
    assert '<namespace key="0" case="first-letter" />' in xml


def test_lines_are_filled_but_words_not_broken():
    assert wrapped(["a" * 40, "b" * 31, "c", "d" * 80, "e"]) == ["a" * 40 + " " + "b" * 31, "c", "d" * 80, "e"]
    assert wrapped(["a" * 40, "b" * 31 + "\U000f0000", "c"]) == ["a" * 40 + " " + "b" * 31 + "\U000f0000", "c"]


@pytest.mark.parametrize(
    ("book", "expected"),
    [
        (Book(90002, "T", "A"), b"CHAPTER I.\n\n" + b"word " * 13 + b"word\nword word\n"),
        (Book(90003, "T", "A"), b"CHAPTER I.\r\n\r\n" + b"word " * 13 + b"word\r\nword word\r\n"),
        (Book(90002, "T", "A", layout="lines"), b"CHAPTER I.\n\n" + b"word " * 15 + b"word\n"),
    ],
)
def test_layouts_of_books(book, expected):
    name, raw = book_file(book, "CHAPTER I.\n\n" + "word " * 16)
    assert name == f"pg{book.id}.txt"
    assert expected in raw


def test_a_book_has_the_header_of_its_collection():
    raw = book_file(Book(90001, "The Café\nor, Coffee", "Ann Dale"), "Text.")[1]
    assert raw.startswith(b"\xef\xbb\xbf")
    text = raw.decode("utf-8-sig")
    assert (
        "Title: The Café\n       or, Coffee\n\nAuthor: Ann Dale\n\nRelease date: January 2, 2024 [eBook #90001]\n"
        in text
    )
    assert "Language: English\n\nCharacter set encoding: UTF-8\n" in text
    assert "\n*** START OF THE PROJECT GUTENBERG EBOOK THE CAFÉ ***\n" in text
    assert "\n*** END OF THE PROJECT GUTENBERG EBOOK THE CAFÉ ***\n" in text


def test_a_zipped_book_is_the_same_whenever_it_is_made():
    name, raw = book_file(Book(90002, "T", "A", zip=True), "Text.")
    member = zipfile.ZipFile(io.BytesIO(raw)).infolist()[0]
    assert (name, member.filename, member.date_time) == ("pg90002.zip", "pg90002.txt", (2024, 1, 1, 0, 0, 0))
    assert (member.compress_type, member.external_attr >> 16, member.create_system) == (zipfile.ZIP_STORED, 0o644, 3)


def test_the_catalogue_names_authors_family_first():
    assert catalogue([Book(90002, "B\nC", "Ann Orme Dale", subjects="Gardening"), Book(90001, "A", "Homer")]) == (
        "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n"
        "90001,Text,2024-01-02,A,en,Homer,Fiction,PR,\n"
        '90002,Text,2024-01-03,"B\nC",en,"Dale, Ann Orme",Gardening,,\n'
    )


# The embedded sample itself


@pytest.fixture(scope="module")
def rebuilt():
    return sample.build(SAMPLE)


def test_the_sample_is_what_its_marked_files_give(rebuilt):
    made = {path.relative_to(SAMPLE).as_posix() for path in SAMPLE.rglob("*") if path.is_file()}
    written_by_hand = {"training.conll"}
    assert {name for name in made if not name.startswith("marked/")} == set(rebuilt) | written_by_hand
    changed = [name for name, content in rebuilt.items() if (SAMPLE / name).read_bytes() != content]
    assert not changed, "run `make samples`"


def test_the_referents_of_the_sample_stand_on_pronouns():
    documents = read_sample(SAMPLE)
    rows = read_referents(SAMPLE)
    for row in rows:
        assert documents[row["document_id"]].text[int(row["start"]) : int(row["end"])] == row["pronoun"], row
        assert row["referent"] == row["forms"].split("|")[0]
    labelled = {row["document_id"] for row in rows}
    assert len([name for name in labelled if name.startswith("wikipedia-")]) >= 40
    assert len([name for name in labelled if name.startswith("gutenberg-")]) >= 15


def test_redirects_of_the_sample_lead_to_its_pages(rebuilt):
    xml = rebuilt["wikipedia.xml"].decode()
    targets = re.findall('<redirect title="([^"]+)" />', xml)
    assert len(targets) >= 3
    assert set(targets) <= set(re.findall("<title>(.+)</title>", xml))


def test_the_sample_has_the_variety_of_real_files(rebuilt):
    books = {name: content for name, content in rebuilt.items() if re.search(r"pg\d+\.(txt|zip)$", name)}
    texts = [content for name, content in books.items() if name.endswith(".txt")]
    assert len(books) - len(texts) == 1
    assert 0 < sum(b"\r\n" in text for text in texts) < len(texts)
    assert 0 < sum(text.startswith(b"\xef\xbb\xbf") for text in texts) < len(texts)
    assert any(b"encoding: ISO-8859-1" in text and not is_utf8(text) for text in texts)
    longest = [max(map(len, text.decode("latin-1").splitlines())) for text in texts]
    assert any(width > 200 for width in longest)
    assert sum(width <= 150 for width in longest) > len(texts) / 2


def is_utf8(raw):
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
