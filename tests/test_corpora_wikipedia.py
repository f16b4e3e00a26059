import bz2
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gapforge.corpora import wikipedia
from gapforge.corpora.source import Piece, ReadSettings
from gapforge.errors import InputError
from gapforge.records import Document, Reject, Section
from reference import published

ROOT = Path(__file__).parents[1]

HEAD = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n'
    "  <siteinfo>\n    <base>https://en.wikipedia.org/wiki/Main_Page</base>\n"
    '    <namespaces>\n      <namespace key="0" case="first-letter" />\n'
    '      <namespace key="1" case="first-letter">Talk</namespace>\n    </namespaces>\n  </siteinfo>\n'
)
TAIL = "</mediawiki>\n"


def page(number, title="Ann", text="Ann met Bo.", ns="<ns>0</ns>", extra=""):
    return (
        f"  <page>\n    <title>{title}</title>\n    {ns}\n    <id>{number}</id>\n    {extra}\n    <revision>\n"
        f"      <id>{number}9</id>\n"
        f'      <text bytes="9" xml:space="preserve">{text}</text>\n    </revision>\n  </page>\n'
    )


def dump(*pages):
    return (HEAD + "".join(pages) + TAIL).encode()


def many(count):
    return [page(number, f"Title {number}", f"Text of page {number}. " * (number % 7 + 1)) for number in range(count)]


def read(path, size=1 << 24):
    """What all pieces of a file give, one after another."""
    pieces = wikipedia.cut(str(path), Path(path).name, size)
    return [record for piece in pieces for record in wikipedia.read(piece, ReadSettings())]


@pytest.fixture
def read_dump(tmp_path):
    def call(data):
        path = tmp_path / "dump.xml"
        path.write_bytes(data)
        return read(path)

    return call


def test_a_page_becomes_a_document(read_dump):
    text = "'''Ann''' met [[Bo]].\n== Life ==\nShe &amp;amp; he left.&lt;ref&gt;No&lt;/ref&gt;"
    assert read_dump(dump(page(12, "Ann &amp; Bo", text))) == [
        Document(
            "wikipedia-12",
            "Ann & Bo",
            "",
            "https://en.wikipedia.org/wiki/Ann_%26_Bo",
            "Ann met Bo.\n\nShe & he left.",
            [Section("", 0, 0, 11), Section("Life", 2, 13, 27)],
        )
    ]


def test_comments_and_instructions_part_no_text(read_dump):
    text = "Ann <!-- in haste -->met <?x y?>Bo.<![CDATA[ <!-- a -->She]]> left."
    (document,) = read_dump(dump(page(1, text=text)))
    assert document.text == "Ann met Bo. She left."


@pytest.mark.parametrize(
    ("title", "url"),
    [
        ("Schrödinger's cat", "Schr%C3%B6dinger%27s_cat"),
        ("AC/DC: Live (album), $1!*@;~", "AC/DC:_Live_(album),_$1!*@;~"),
        ("What? 100% C++", "What%3F_100%25_C%2B%2B"),
    ],
)
def test_urls_are_quoted_as_on_wikipedia(read_dump, title, url):
    (document,) = read_dump(dump(page(1, title)))
    assert document.url == "https://en.wikipedia.org/wiki/" + url
    assert document.title == title


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("<base>http://w.example/index.php?title=Main_Page</base>", "http://w.example/index.php?title=Ann"),
        ("<base>http://w.example/index.php/Home</base>", "http://w.example/index.php/Ann"),
        ("", ""),
    ],
)
def test_urls_follow_the_base_of_the_site(read_dump, base, url):
    data = dump(page(1)).replace(b"<base>https://en.wikipedia.org/wiki/Main_Page</base>", base.encode())
    (document,) = read_dump(data)
    assert document.url == url


@pytest.mark.parametrize(
    ("reason", "left_out"),
    [
        ("namespace", page(7, "Talk:Ann", ns="<ns>1</ns>")),
        ("namespace", page(7, "Talk:Ann", ns="")),
        ("redirect", page(7, extra='<redirect title="Bo" />')),
        ("redirect", page(7, text="#REDIRECT [[Bo]]")),
        ("redirect", page(7, text="#redirect[[Bo]]")),
        ("disambiguation", page(7, "Ann (disambiguation)")),
        ("disambiguation", page(7, text="Ann is a name.\n{{Disambiguation|human name}}")),
        ("disambiguation", page(7, text="Ann is a name.\n{{hndis}}")),
        ("disambiguation", page(7, text="Ann is a name.\n{{ airport disambig }}")),
        ("disambiguation", page(7, text="Ann is a name. __DISAMBIG__")),
        ("list", page(7, "List of Anns")),
        ("list", page(7, "Lists of Anns")),
        ("list", page(7, "Index of Ann articles")),
        ("list", page(7, text="Ships called Ann.\n{{Set index article}}")),
        ("empty", page(7, text="* [[Bo]]\n{{Infobox|Ann}}")),
        ("empty", page(7, text="")),
    ],
)
def test_pages_left_out_say_why(read_dump, reason, left_out):
    rejected, kept = read_dump(dump(left_out, page(8)))
    assert (rejected.id, rejected.reason) == ("wikipedia-7", reason)
    assert rejected.detail == re.search("<title>(.*)</title>", left_out)[1]
    assert kept.id == "wikipedia-8"


@pytest.mark.parametrize(("length", "reason"), [(30, ""), (31, "too large")])
def test_pages_of_more_characters_than_wanted_are_left_out(tmp_path, length, reason):
    path = tmp_path / "dump.xml"
    path.write_bytes(dump(page(7, text="é" * length), page(8)))
    settings = ReadSettings(largest_document=30)
    first, second = wikipedia.read(Piece(str(path), "dump.xml"), settings)
    if reason:
        detail = (
            "Ann: wanted at most 30 characters, found 31 or more; raise [corpora.NAME] largest_document "
            "(--largest-document)"
        )
        assert first == Reject("wikipedia-7", reason, detail)
    else:
        assert first.text == "é" * length
    assert second.id == "wikipedia-8"


@pytest.mark.parametrize(
    "kept",
    [
        page(7, "Talk: a story"),
        page(7, "Talk: a story", ns=""),
        page(7, "Listing", text="See [[Bo]].{{disambiguation needed|date=May}}"),
        page(7, "Index of Economic Freedom"),
    ],
    ids=["colon", "colon without ns", "remark", "index"],
)
def test_pages_that_only_look_so_are_kept(read_dump, kept):
    # "Talk: a story" has a space that the namespace "Talk" followed by a title would not have kept.
    (document,) = read_dump(dump(kept).replace(b">Talk<", b">Talk page<"))
    assert document.id == "wikipedia-7"


@pytest.mark.parametrize("version", ["0.3", "0.10", "0.11", "0.99"])
def test_any_export_version_is_read(read_dump, version):
    data = dump(page(1)).replace(b"export-0.11", f"export-{version}".encode())
    assert [document.id for document in read_dump(data)] == ["wikipedia-1"]


def test_a_dump_without_namespace_or_header_is_read(read_dump):
    (document,) = read_dump(b"<mediawiki>" + page(1).encode() + b"</mediawiki>")
    assert (document.id, document.url) == ("wikipedia-1", "")


def test_the_last_revision_counts(read_dump):
    revisions = "".join(f"<revision><id>{number}</id><text>Text {number}.</text></revision>" for number in range(5))
    (document,) = read_dump(dump(f"<page><title>A</title><ns>0</ns><id>3</id>{revisions}</page>"))
    assert (document.id, document.text) == ("wikipedia-3", "Text 4.")


def expected(count):
    return [f"wikipedia-{number}" for number in range(count)]


@pytest.mark.parametrize("size", [1, 100, 1000, 5000, 10**6])
def test_plain_pieces_give_the_whole(tmp_path, size):
    path = tmp_path / "dump.xml"
    data = dump(*many(40))
    path.write_bytes(data)
    pieces = wikipedia.cut(str(path), "d/dump.xml", size=size)
    assert {piece.name for piece in pieces} == {"d/dump.xml"}
    assert pieces[0].start == 0
    assert [piece.end for piece in pieces] == [*(piece.start for piece in pieces[1:]), None]
    assert all(data[piece.start :].startswith(b"<page>") for piece in pieces[1:])
    assert len(pieces) == {1: 41, 10**6: 1}.get(size, len(pieces))
    assert read(path, size=size) == read(path)
    assert [document.id for document in read(path)] == expected(40)


def test_plain_pieces_are_found_across_reads(tmp_path, monkeypatch):
    path = tmp_path / "dump.xml"
    path.write_bytes(dump(*many(10)))
    whole = read(path)
    monkeypatch.setattr(wikipedia, "_READ", 7)
    assert len(wikipedia.cut(str(path), "dump.xml", size=1)) == 11
    assert read(path, size=1) == whole


def multistream(data, cuts):
    edges = [0, *sorted(cuts), len(data)]
    return b"".join(bz2.compress(data[start:end]) for start, end in pairwise(edges))


def test_wikipedia_multistream_pieces_give_the_whole(tmp_path):
    """As published: the header, runs of pages and the closing tag, a stream each."""
    pages = many(30)
    parts = [HEAD, *("".join(pages[start : start + 4]) for start in range(0, 30, 4)), TAIL]
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(b"".join(bz2.compress(part.encode()) for part in parts))
    assert len(wikipedia.cut(str(path), "dump.xml.bz2", size=1)) == len(parts)
    for size in (1, 200, 700):
        assert [document.id for document in read(path, size=size)] == expected(30)
        assert read(path, size=size) == read(path)
    assert read(path)[3].url == "https://en.wikipedia.org/wiki/Title_3"


WHOLE = dump(*many(12))


@settings(deadline=None, max_examples=60)
@given(cuts=st.sets(st.integers(1, len(WHOLE) - 1), max_size=30), size=st.integers(1, 400))
def test_streams_cut_anywhere_give_the_whole(tmp_path_factory, cuts, size):
    path = tmp_path_factory.mktemp("streams") / "dump.xml.bz2"
    path.write_bytes(multistream(WHOLE, cuts))
    assert [document.id for document in read(path, size=size)] == expected(12)
    assert read(path, size=size) == read(path)


def test_streams_cut_inside_every_tag_of_a_page_give_the_whole(tmp_path):
    start = WHOLE.index(b"<page>", WHOLE.index(b"<page>") + 1)
    path = tmp_path / "dump.xml.bz2"
    for cut in range(start - 2, start + 8):
        path.write_bytes(multistream(WHOLE, {cut, cut + 1}))
        assert [document.id for document in read(path, size=1)] == expected(12)


def test_one_stream_is_one_piece(tmp_path):
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(bz2.compress(WHOLE))
    assert wikipedia.cut(str(path), "dump.xml.bz2", size=1) == [Piece(str(path), "dump.xml.bz2")]
    assert [document.id for document in read(path)] == expected(12)


GOOD = dump(page(1), page(2))
BAD = {
    "empty": (b"", "the file is empty; download it again"),
    "text": (b"hello", "byte 0: wanted a MediaWiki dump, which begins with <mediawiki>, found b'hello'; is this a"),
    "gzip": (b"\x1f\x8b\x08", r"byte 0: wanted a MediaWiki dump, which begins with <mediawiki>, found b'\x1f\x8b\x08'"),
    "html": (b"<html></html>", "byte 0: wanted a MediaWiki dump, which begins with <mediawiki>, found <html>; is this"),
    "doctype": (
        b'<?xml version="1.0"?>\n<!DOCTYPE mediawiki [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]>' + GOOD,
        "byte 22: found a document type declaration, which dumps do not have and which can hide entity bombs; remove",
    ),
    "doctype after a comment": (b"<!-- a --> <!DOCTYPE x>" + GOOD, "byte 11: found a document type declaration"),
    "entity": (GOOD.replace(b"Ann met", b"&bomb;"), "line 16: Entity 'bomb' not defined; download the file again or"),
    "malformed": (GOOD.replace(b"</title>", b"</titel>", 1), "line 10: Opening and ending tag mismatch"),
    "no end": (GOOD[: -len(TAIL)], "line 29: the dump ends before </mediawiki>; download the file again or fix it"),
    "torn": (GOOD[:-60], "line 26: the dump ends before </mediawiki>; download the file again or fix it"),
    "more": (
        GOOD + b"<page/>",
        "line 30: Extra content at the end of the document; download the file again or fix it",
    ),
    "utf-8": (GOOD.replace(b"Ann met", b"Ann\xff met", 1), "byte 466: invalid UTF-8: invalid start byte; download the"),
    "latin-1": (
        b'<?xml version="1.0" encoding="ISO-8859-1"?>' + GOOD.replace(b"Bo.", b"Bo\xe9.", 1),
        "byte 516: invalid UTF-8: invalid continuation byte; download the file again or fix it",
    ),
    "nul": (GOOD.replace(b"Ann met", b"Ann\0 met", 1), "line 16: "),
    "control": (GOOD.replace(b"Ann met", b"Ann\x07 met", 1), "line 16: PCDATA invalid Char value 7; download the file"),
    "no id": (GOOD.replace(b"<id>2</id>", b""), "before byte 699: a <page> without title or id, found ['ns', 'title']"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=BAD)
def test_bad_dumps_name_the_place(tmp_path, data, message):
    path = tmp_path / "dump.xml"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_bad_xml_in_a_later_piece_says_where_it_counts_from(tmp_path):
    path = tmp_path / "dump.xml.bz2"
    first, second = dump(page(1))[: -len(TAIL)], (page(2).replace("</title>", "</t>") + TAIL).encode()
    path.write_bytes(bz2.compress(first) + bz2.compress(second))
    start = len(bz2.compress(first))
    place = f"line 2 of the decompressed XML, counted from the first page after byte {start} of the file: Opening"
    with pytest.raises(InputError, match=re.escape(f"{path}: {place}")):
        read(path, size=1)


@pytest.mark.parametrize("size", [1, 10**9])
def test_bz2_errors_are_met_whatever_the_pieces(tmp_path, size):
    path = tmp_path / "dump.xml.bz2"
    whole = multistream(WHOLE, {300, 900, 1500})
    path.write_bytes(whole + b"garbage")
    with pytest.raises(InputError, match=f"byte {len(whole)}: found b'garbage' after the last bz2 stream"):
        read(path, size=size)
    path.write_bytes(whole[:-10])
    with pytest.raises(InputError, match=f"byte {len(whole) - 10}: the file ends inside the bz2 stream"):
        read(path, size=size)


@pytest.mark.parametrize("size", [1, 10**9])
def test_a_dump_without_its_last_streams_is_not_whole(tmp_path, size):
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(multistream(WHOLE[: -len(TAIL)], {900, 1500}))
    with pytest.raises(InputError, match=r"the dump ends before </mediawiki>"):
        read(path, size=size)


def test_xml_without_pages_is_not_gathered(tmp_path, monkeypatch):
    monkeypatch.setattr(wikipedia, "LARGEST_XML", 1 << 20)
    path = tmp_path / "dump.xml"
    path.write_bytes(HEAD.encode() + b"<page>" + b"<x/>" * 400_000 + b"</page></mediawiki>")
    with pytest.raises(
        InputError, match=r"dump.xml: byte \d+: no page ends within 1 MiB of XML; download the file again"
    ):
        read(path)


PEAK = """
import resource, sys
from gapforge.corpora import wikipedia
from gapforge.corpora.source import ReadSettings
count = 0
for piece in wikipedia.cut(sys.argv[1], "dump", size=1 << 18):
    for record in wikipedia.read(piece, ReadSettings()):
        count += 1
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(path):
    """Records and peak memory of a process that reads the dump."""
    # A process inherits the peak of the one that started it: the shell's is small, that of the tests is not.
    command = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", PEAK, path]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120).stdout
    count, memory = map(int, output.split())
    return count, memory


@pytest.mark.soak
@pytest.mark.parametrize("suffix", [".xml", ".xml.bz2"])
def test_memory_does_not_grow_with_the_dump(tmp_path, suffix):
    body = "".join(page(number, f"T {number}", f"Words of {number}. " * 2000) for number in range(40))
    measured = []
    for times in (1, 10):
        path = tmp_path / f"dump{times}{suffix}"
        parts = [HEAD, *[body] * times, TAIL]
        pack = bz2.compress if suffix.endswith("bz2") else bytes
        path.write_bytes(b"".join(pack(part.encode()) for part in parts))
        measured.append(peak(path))
    (once, small), (tenfold, large) = measured
    assert (once, tenfold) == (40, 400)
    # The tenfold dump is 15 MB of XML: held as a tree, it would double the peak.
    assert large < 1.1 * small


def test_the_real_sample_is_read_clean():
    records = read(published("wikipedia/enwiki-sample-pages-articles.xml.bz2"))
    documents = [record for record in records if isinstance(record, Document)]
    assert len(records) == 206
    assert len(documents) == 96
    reasons = [record.reason for record in records if isinstance(record, Reject)]
    assert {reason: reasons.count(reason) for reason in set(reasons)} == {
        "redirect": 99,
        "disambiguation": 8,
        "list": 2,
        "namespace": 1,
    }
    text = "\n".join(document.text for document in documents)
    words = len(text.split())
    assert 400_000 < words < 410_000
    leftovers = re.findall(
        r"\[\[|\]\]|\{\{|\}\}|\{\||\|\}|''|</?[a-z]+[ />]|&#?\w+;|thumb\||\|\||\( ?[,;]|\[https?:|^[*#:|=]|__[A-Z]",
        text,
    )
    assert leftovers == []
    lincoln = next(document for document in documents if document.title == "Abraham Lincoln")
    assert lincoln.url == "https://en.wikipedia.org/wiki/Abraham_Lincoln"
    assert lincoln.text.startswith(
        "Abraham Lincoln (February 12, 1809 – April 15, 1865) was the 16th President of the United States, serving from"
    )
    assert [section.title for section in lincoln.sections][:3] == [
        "",
        "Family and childhood",
        "Early life and family ancestry",
    ]
