from pathlib import Path

import pytest

from gapforge.corpora.formats import format_of, read_file, reader, takes
from gapforge.corpora.source import RawFile, ReadSettings
from gapforge.corpora.textfiles import read_jsonl
from gapforge.errors import ConfigError, InputError
from gapforge.plugins import forget_all
from gapforge.records import Document, Section

README = Path(__file__).parents[1] / "README.md"
DOCUMENT = 'Document("1", "", "", "", "Text.", [])'


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("enwiki-pages-articles1.xml-p1p41242.bz2", "wikipedia"),
        ("dump.xml", "wikipedia"),
        ("dump.XML.BZ2", "wikipedia"),
        ("1342-0.zip", "gutenberg"),
        ("book.epub", "epub"),
        ("rows.jsonl", "jsonl"),
        ("rows.jsonl.bz2", "jsonl"),
        ("rows.jsonl.gz", "jsonl"),
        ("train-00000-of-00001.parquet", "dataset"),
        ("hf://owner/name@main", "dataset"),
        ("table.csv", "dataset"),
    ],
)
def test_a_format_shows_in_the_name(name, format):
    assert format_of(name, "auto") == format


def test_a_gutenberg_header_shows_in_the_first_bytes(tmp_path):
    (tmp_path / "book.txt").write_bytes(b"\xef\xbb\xbfThe Project Gutenberg eBook of Nothing\r\n")
    (tmp_path / "note.txt").write_text("Only a note.")
    assert format_of(str(tmp_path / "book.txt"), "auto") == "gutenberg"
    assert format_of(str(tmp_path / "note.txt"), "auto") == "text"
    assert format_of(str(tmp_path / "book.txt"), "text") == "text"


def test_a_saved_dataset_shows_in_its_files(tmp_path):
    (tmp_path / "state.json").touch()
    assert format_of(str(tmp_path), "auto") == "dataset"


def test_an_unknown_format_is_named():
    with pytest.raises(ConfigError, match=r"unknown format 'jsnol'; did you mean 'jsonl'\?"):
        reader("jsnol")
    with pytest.raises(InputError, match=r"x\.doc: cannot tell its format from its name; give the format \(wikipedia"):
        format_of("x.doc", "auto")


@pytest.mark.parametrize(
    ("format", "name", "taken"),
    [
        ("auto", "a.txt", True),
        ("auto", "pg_catalog.csv", False),
        ("auto", "cover.jpg", False),
        ("gutenberg", "a.txt", True),
        ("gutenberg", "a.zip", True),
        ("gutenberg", "a.epub", False),
        ("epub", "a.epub", True),
        ("my_package.module:read", "a.doc", True),
    ],
)
def test_of_a_folder_only_files_of_the_format_count(format, name, taken):
    assert takes(format, name) is taken


def test_a_reader_may_be_the_users_own():
    assert reader("jsonl") is read_jsonl
    assert reader("gapforge.corpora.textfiles:read_jsonl") is read_jsonl


@pytest.fixture
def own_reader(tmp_path, monkeypatch):
    """Writes a module of the user, and reads a file by it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("Text.")

    def read_by(source):
        (tmp_path / "mine.py").write_text(source)
        return list(read_file(RawFile("a.txt", "a.txt", "mine:read"), ReadSettings()))

    yield read_by
    forget_all()


def test_the_reader_in_the_readme(own_reader):
    text = README.read_text("utf-8")
    source = text[text.index("from pathlib import Path\n\nfrom gapforge.records import Document, Section") :]
    found = own_reader(source.partition("```")[0])
    assert found == [Document("a.txt", "a.txt", "", "", "Text.", [Section("", 0, 0, 5)])]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (f"yield {DOCUMENT}\n    1 / 0", "ZeroDivisionError: division by zero"),
        ("yield 'Text.'", "TypeError: item 1 is a str, not a Document or Reject"),
        (f"return [{DOCUMENT}, None]", "TypeError: item 2 is a NoneType, not a Document or Reject"),
        ("return None", "TypeError: 'NoneType' object is not iterable"),
        ('yield Document(3, "", "", "", "Text.", [])', "TypeError: item 1 has id = 3, not a str"),
        ('yield Document("1", "", "", "", "Text.", None)', "TypeError: item 1 has sections = None, not a list"),
    ],
)
def test_a_reader_of_the_users_own_that_fails_is_named(own_reader, body, reason):
    with pytest.raises(ConfigError) as error:
        own_reader(f"from gapforge.records import Document\n\ndef read(piece, settings):\n    {body}\n")
    assert str(error.value) == f"mine:read: a.txt: {reason}; fix the reader"
