"""Readers of corpora on damaged files: documents that hold what they promise, or one line that names the file.

Each test reads some hundreds of files; GAPFORGE_FUZZ=50 makes that fifty times as many, for a search by hand. What it
finds belongs into the tests of its reader. Nothing here looks at the clock: what does not end, does not pass.
"""

import bz2
import gzip
import io
import re
import zipfile
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damage import ATOMS, BOOK, NESTED, PROSE, as_json, damaged, fuzz, mostly, or_odd, read
from gapforge.corpora import epub, gutenberg, textfiles, wikipedia, wikitext
from gapforge.corpora.formats import pieces_of
from gapforge.corpora.source import RawFile, ReadSettings
from gapforge.records import Document, Reject
from gapforge.storage.files import json_line

CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u200b\u2028\u2029\ufeff\ud800-\udfff]")
REASONS = {
    "control character", "disambiguation", "duplicate", "empty", "list", "lone surrogate", "namespace", "no id",
    "no text", "not an object", "redirect", "too large", "wrong type",
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged")


def documents(path, data, reader, format, size=1 << 24, **changes):
    """The documents of a file, after a look at all that comes out."""
    path.write_bytes(data)

    def records():
        for piece in pieces_of(RawFile(str(path), path.name, format), size):
            yield from reader(piece, ReadSettings(largest_document=5000, **changes))

    found = read(path, records) or []
    for item in found:
        assert item.id
        json_line(item).encode()
        if isinstance(item, Reject):
            assert item.reason in REASONS
            assert item.detail
        else:
            check_sections(item.text, item.sections)
    return [item for item in found if isinstance(item, Document)]


def check_sections(text, sections):
    assert text.strip()
    end = 0
    for section in sections:
        assert end <= section.start <= section.end <= len(text)
        end = section.end
    assert "\n\n".join(filter(None, (text[it.start : it.end] for it in sections))) == text


def check_prose(text):
    for paragraph in text.split("\n\n"):
        assert paragraph == " ".join(paragraph.split()) != ""
        assert not CONTROLS.search(paragraph)


@fuzz(700)
@given(NESTED)
def test_wikitext(source):
    text, sections = wikitext.clean(source)
    if text:
        check_sections(text, sections)
        check_prose(text)
    for section in sections:
        assert not CONTROLS.search(section.title)


PAGE = st.builds(
    "<page><title>{}</title>{}<id>{}</id>{}<revision><id>1</id><text>{}</text></revision></page>\n".format,
    st.one_of(st.sampled_from(["Ann", "Talk:Ann", "List of Anns", "A &amp; B"]), PROSE.map(escape)),
    st.sampled_from(["<ns>0</ns>", "<ns>0</ns>", "<ns>0</ns>", "<ns>1</ns>", "", "<ns/>"]),
    st.integers(0, 99),
    st.sampled_from(["", "", "", '<redirect title="Bo" />']),
    st.lists(ATOMS, max_size=30).map(lambda it: "Ann met Bo. " + escape("".join(it))),
)
HEAD = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><base>https://w.example/X</base></siteinfo>'
)
DUMPS = st.lists(PAGE, max_size=4).map(lambda it: f"{HEAD}{''.join(it)}</mediawiki>".encode("utf-8", "replace"))
TAGS = [b"<page>", b"</page>", b"<revision>", b"</text>", b"<a:b>", b"<page", b"</mediawiki>", b"<id>x</id>", b"&b;"]


@fuzz(500)
@given(damaged(DUMPS, TAGS), st.integers(1, 2000))
def test_dumps(place, data, size):
    for document in documents(place / "dump.xml", data, wikipedia.read, "wikipedia", size):
        check_prose(document.text)


@fuzz(150)
@given(damaged(damaged(DUMPS).map(bz2.compress)), st.integers(1, 2000))
def test_compressed_dumps(place, data, size):
    documents(place / "dump.xml.bz2", data, wikipedia.read, "wikipedia", size)


CONTAINER = b'<container><rootfiles><rootfile full-path="o/p.opf"/></rootfiles></container>'
PACKAGE = (
    b'<?xml version="1.0" encoding="utf-8"?><package xmlns:dc="d" xmlns:opf="http://www.idpf.org/2007/opf"><metadata>'
    b'<dc:title>Ann</dc:title><dc:creator id="c" opf:role="aut">Bo</dc:creator><dc:identifier>http://a.b</dc:identifier>'
    b'<meta refines="#c" property="role">aut</meta></metadata><manifest><item id="a" href="a.xhtml" media-type='
    b'"application/xhtml+xml"/><item id="b" href="b%20b.xhtml#x" media-type="text/html"/></manifest><spine>'
    b'<itemref idref="a"/><itemref idref="b"/></spine><guide><reference type="toc" href="c.xhtml"/></guide></package>'
)
HTML = (
    "<p> </p> <h1> </h2> <div> </div> <br/> <br> <sup><a\u00a0href=''>1</a></sup> <table> </table> "
    "<span\u00a0class='pagenum'> </span> <!-- --> <![CDATA[ ]]> <?x ?> &amp; &nbsp; &eacute; &#150; &#x0; &#1; &no; & "
    "< > Ann met\u00a0Bo. * <body> </body> <p\u00a0epub:type='noteref'> <svg> <!DOCTYPE\u00a0html> <script> </script>"
).replace("\u00a0", " ")
PAGES = st.lists(st.one_of(st.sampled_from(HTML.split(" ")), PROSE), max_size=25).map(" ".join)
NAMES = ["latin-1", "utf-7", "punycode", "idna", "unicode-escape", "utf-16", "x", "hex", "cp437", "9" * 500]
DECLARATIONS = [f'<?xml encoding="{name}"?>'.encode() for name in NAMES]
XHTML = st.builds(
    lambda declared, page: declared + f"<html><body><p>Ann</p>{page}</body></html>".encode(),
    mostly(b"", *DECLARATIONS),
    PAGES,
)
ENTRIES = [b"http://[", b"a%0Ab", b"%00", b"//[x", b"../a.xhtml", b"", b"&#10;", b"/", b"http://a:b/c", b"9" * 500]
PACKAGES = mostly(b"a.xhtml", *ENTRIES).map(lambda href: PACKAGE.replace(b"a.xhtml", href))


def zipped(container, package, first, second, method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in [("META-INF/container.xml", container), ("o/p.opf", package), ("o/a.xhtml", first)]:
            archive.writestr(name, data)
        archive.writestr("o/b b.xhtml", second)
    return file.getvalue()


PAGE_FILES = damaged(XHTML, DECLARATIONS)
BOOKS = st.builds(
    zipped,
    mostly(b"o/p.opf", *ENTRIES).map(lambda name: CONTAINER.replace(b"o/p.opf", name)),
    st.one_of(PACKAGES, damaged(PACKAGES, [*ENTRIES, *DECLARATIONS])),
    PAGE_FILES,
    PAGE_FILES,
    st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
)
SOUND_PACKAGES = st.builds(
    zipped, *map(st.just, (CONTAINER, PACKAGE)), PAGE_FILES, PAGE_FILES, st.just(zipfile.ZIP_STORED)
)


@fuzz(400)
@given(st.one_of(SOUND_PACKAGES, BOOKS, damaged(SOUND_PACKAGES, [b"PK\3\4", b"PK\1\2", b"PK\5\6", b"\0\0\0\0"])))
def test_epub(place, data):
    for document in documents(place / "b.epub", data, epub.read, "epub"):
        check_prose(document.text)
        assert not CONTROLS.search(document.title + document.author + document.url)


GUTENBERG = st.builds(
    (
        "{}Title: {}\n  {}\nAuthor: {}\n\n[eBook #{}]\nCharacter set encoding: {}\n\n"
        "{}\n{}\n\n*** END OF THE PROJECT GUTENBERG\n"
    ).format,
    st.sampled_from(["", "The Project Gutenberg eBook of Ann, by Bo\n\n", "\ufeff"]),
    PROSE,
    PROSE,
    PROSE,
    mostly("12", "9" * 5000, "\u0663", "-1"),
    mostly("UTF-8", "ISO-8859-1", *NAMES),
    st.sampled_from(["*** START OF THE PROJECT GUTENBERG EBOOK ANN ***", "*END*THE SMALL PRINT", ""]),
    BOOK,
)
GUTENBERG_FILES = st.tuples(GUTENBERG, st.sampled_from(["utf-8", "latin-1", "utf-16"])).map(
    lambda it: (it[0] + "é \\ud800").encode(it[1], "replace")
)
MARKERS = [
    b"CHAPTER I\n",
    b"[Illustration: ",
    b"CONTENTS\n\n",
    b"*** START OF",
    b"[eBook #",
    b"\n\n\n",
    b"_",
    b"*** END",
]


@fuzz(400)
@given(damaged(GUTENBERG_FILES, MARKERS), st.sampled_from(["", "", "", "cp1252", "utf-16", "utf-7"]))
def test_gutenberg(place, data, encoding):
    for document in documents(place / "b.txt", data, gutenberg.read, "gutenberg", encoding=encoding):
        check_prose(document.text)


@fuzz(150)
@given(
    damaged(BOOK.map(str.encode), [b"+2AA-", b"+"]),
    st.sampled_from(["", "", "latin-1", "utf-7", "utf-16", "shift_jis"]),
)
def test_text_files(place, data, encoding):
    for document in documents(place / "t.txt", data, textfiles.read_text, "text", encoding=encoding):
        assert document.text.encode()


ROWS = st.fixed_dictionaries(
    {"id": or_odd(st.integers(0, 9)), "text": or_odd(PROSE)}, optional={"title": or_odd(PROSE)}
)
TABLES = st.lists(ROWS, max_size=4).map(lambda rows: b"\n".join(map(as_json, rows)))


@fuzz(300)
@given(damaged(TABLES), st.integers(1, 200), st.booleans())
def test_jsonl(place, data, size, packed):
    path = place / ("rows.jsonl.gz" if packed else "rows.jsonl")
    documents(path, gzip.compress(data, 1) if packed else data, textfiles.read_jsonl, "jsonl", size)


@fuzz(100)
@given(damaged(TABLES.map(gzip.compress)))
def test_damaged_gzip(place, data):
    documents(place / "rows.jsonl.gz", data, textfiles.read_jsonl, "jsonl")
