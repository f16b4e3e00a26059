"""Bad input as a user meets it: one line that names file and place, exit code 1, and nothing half-written."""

import bz2
import gzip
import json
import zipfile

import pytest

HEAD = b'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><base>https://w.example/wiki/X</base></siteinfo>'
PAGE = b"<page><title>Ann</title><ns>0</ns><id>%d</id><revision><id>1</id><text>%s</text></revision></page>"
DUMP = HEAD + b"".join(PAGE % (n, b"Ann met Bo in the town. " * 200) for n in range(1, 40)) + b"</mediawiki>"
BOMB = b'<!DOCTYPE m [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def zipped(name: str, data: bytes, method: int = zipfile.ZIP_DEFLATED):
    def write(path):
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr(zipfile.ZipInfo(name), data, method)

    return write


def plain(data: bytes):
    return lambda path: path.write_bytes(data)


@pytest.mark.parametrize(
    ("name", "write", "place", "found"),
    [
        (
            "cut.xml.bz2",
            plain(bz2.compress(DUMP)[:-100]),
            "byte ",
            "the file ends inside the bz2 stream that begins at byte 0",
        ),
        ("tail.xml.bz2", plain(bz2.compress(DUMP) + b"garbage"), "byte ", "found b'garbage' after the last bz2 stream"),
        ("not.xml.bz2", plain(DUMP), "byte 0: ", "wanted a bz2 stream"),
        ("torn.xml", plain(DUMP[:30_000]), "line 1: ", "the dump ends before </mediawiki>"),
        ("broken.xml", plain(DUMP.replace(b"<id>7</id>", b"<id>7<id>")), "line 1: ", "Opening and ending tag mismatch"),
        ("dtd.xml", plain(BOMB + DUMP), "byte 0: ", "found a document type declaration"),
        (
            "entity.xml",
            plain(BOMB + DUMP.replace(b"Ann met", b"&b;", 1)),
            "byte 0: ",
            "found a document type declaration",
        ),
        (
            "other.xml",
            plain(b"<html><page/></html>"),
            "byte 0: ",
            "wanted a MediaWiki dump, which begins with <mediawiki>, found <html>",
        ),
        ("latin.xml", plain(DUMP.replace(b"Ann met", b"Ann\xe9 met", 1)), "byte 192: ", "invalid UTF-8"),
        (
            "bomb.xml.bz2",
            plain(bz2.compress(HEAD + PAGE % (1, b"a" * 150_000_000))),
            "byte ",
            "over 250 times their size",
        ),
        ("empty.xml", plain(b""), "", "the file is empty"),
        ("empty.xml.bz2", plain(b""), "", "the file is empty"),
        ("empty.zip", plain(b""), "", "found an empty file"),
        ("climb.zip", zipped("../book.txt", b"text"), "entry ../book.txt: ", "found a step upwards (..)"),
        ("climb.epub", zipped("/etc/book.xhtml", b"text"), "entry /etc/book.xhtml: ", "found an absolute path"),
        ("bomb.zip", zipped("book.txt", b"a" * 300_000_000), "entry book.txt: ", "as in a decompression bomb"),
        ("cut.zip", plain(b"PK\x03\x04 and no more"), "", "found a truncated or damaged one"),
        ("utf8.txt", plain(b"Caf\xe9 au lait"), "byte 3: ", "wanted utf-8"),
        ("nul.txt", plain(b"Ann\nmet\0Bo"), "line 2, column 4: ", "found the control character U+0000"),
        ("bell.txt", plain(b"Ann\nmet\x07Bo"), "line 2, column 4: ", "found the control character U+0007"),
        (
            "cut.jsonl",
            plain(b'{"id": "1", "text": "Ann."}\n{"id": "2", "te'),
            "line 2, column 13: ",
            "found a line cut short",
        ),
        ("utf8.jsonl", plain(b'{"id": "1", "text": "Caf\xe9"}\n'), "line 1, byte 24: ", "wanted UTF-8"),
        (
            "tail.jsonl.bz2",
            plain(bz2.compress(b'{"id": "1", "text": "Ann."}') + b"x"),
            "byte ",
            "after the last bz2 stream",
        ),
        ("bomb.jsonl.gz", plain(gzip.compress(b"\n" * 100_000_000)), "", "over 250 times"),
        (
            "cut.jsonl.bz2",
            plain(bz2.compress(b'{"id": "1", "text": "Ann."}\n')[:-5]),
            "byte ",
            "the file ends inside the bz2 stream",
        ),
    ],
)
def test_a_bad_file_is_one_line(gapforge, tmp_path, name, write, place, found):
    write(tmp_path / name)
    result = gapforge("documents", name, "-o", "out.jsonl", cwd=tmp_path)
    assert result.returncode == 1, result.stdout
    assert result.stderr.startswith(f"gapforge: {name}: {place}"), result.stderr
    assert found in result.stderr
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"id": "1", "text": "Ann\0"}, "control character"),
        ({"id": "1", "text": "Ann \ud800"}, "lone surrogate"),
        ({"id": "1", "text": ""}, "empty"),
        ({"id": "1"}, "no text"),
        ({"text": "Ann"}, "no id"),
        (["Ann"], "not an object"),
    ],
)
def test_a_bad_record_is_counted(gapforge, tmp_path, record, reason):
    lines = json.dumps(record) + "\n" + json.dumps({"id": "2", "text": "Bo\u2028left.\r\n"}) + "\n"
    (tmp_path / "rows.jsonl").write_text(lines)
    result = gapforge("documents", "rows.jsonl", "-o", "out.jsonl", "--json", cwd=tmp_path)
    assert json.loads(result.stdout) == {"documents": 1, "rejects": {reason: 1}, "output": "out.jsonl"}
    (kept,) = (tmp_path / "out.jsonl").read_bytes().splitlines()
    assert json.loads(kept)["text"] == "Bo\u2028left.\r\n"


BOOK = "*** START OF THE PROJECT GUTENBERG EBOOK 7 ***\n\n%s\n\n*** END OF THE PROJECT GUTENBERG EBOOK 7 ***"
CONTAINER = b'<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>'
PACKAGE = (
    b'<package><manifest><item id="a" href="a.html" media-type="text/html"/></manifest>'
    b'<spine><itemref idref="a"/></spine></package>'
)


def epub(page: str):
    def write(path):
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in [("META-INF/container.xml", CONTAINER), ("a.opf", PACKAGE), ("a.html", page)]:
                archive.writestr(name, data)

    return write


# What each holds is longer than 200 characters by one paragraph or another.
LARGE = "Ann met Bo. " * 20
TOO_LARGE = [
    (
        "dump.xml",
        plain(HEAD + PAGE % (1, LARGE.encode()) + PAGE % (2, b"Bo left.") + b"</mediawiki>"),
        "wikipedia-1",
        1,
    ),
    # Characters count, not bytes, unless there are so many that it cannot be otherwise.
    ("fits.txt", plain(b"\xc3\xa9" * 200), "", 1),
    ("large.txt", plain(LARGE.encode()), "large", 0),
    ("larger.txt", plain(b"\xff" * 5000), "larger", 0),
    ("rows.jsonl", plain(json.dumps({"id": "a", "text": LARGE}).encode() + b'\n{"id": "b", "text": "Bo."}'), "a", 1),
    ("pg7.txt", plain((BOOK % LARGE).encode()), "gutenberg-pg7", 0),
    ("books.zip", zipped("7.txt", (BOOK % LARGE).encode()), "gutenberg-books/7", 0),
    # Markup counts as well: it is what takes the time.
    ("book.epub", epub("<p>Ann.</p>" + "<br/>" * 60), "epub-book", 0),
    ("short.epub", epub("<p>Ann.</p>" + "<br/>" * 30), "", 1),
]


@pytest.mark.parametrize(("name", "write", "left_out", "kept"), TOO_LARGE, ids=[name for name, *_ in TOO_LARGE])
def test_what_is_too_large_is_counted(gapforge, tmp_path, name, write, left_out, kept):
    write(tmp_path / name)
    limit = ["--largest-document", "200", "--rejects", "left.jsonl", "--json"]
    result = gapforge("documents", name, "-o", "out.jsonl", *limit, cwd=tmp_path)
    counts = {"too large": 1} if left_out else {}
    assert json.loads(result.stdout) == {"documents": kept, "rejects": counts, "output": "out.jsonl"}, result.stderr
    rejects = [json.loads(line) for line in (tmp_path / "left.jsonl").read_text("utf-8").splitlines()]
    assert [it["id"] for it in rejects] == ([left_out] if left_out else [])
    for it in rejects:
        assert "wanted at most 200 characters, found " in it["detail"]
        assert it["detail"].endswith(" or more; raise [corpora.NAME] largest_document (--largest-document)")


def test_a_page_too_large_for_any_wiki_is_left_out_without_being_asked(gapforge, tmp_path):
    page = PAGE % (1, b"{{a|" * 5_000_001)
    (tmp_path / "dump.xml").write_bytes(HEAD + page + PAGE % (2, b"Bo left.") + b"</mediawiki>")
    result = gapforge("documents", "dump.xml", "-o", "out.jsonl", "--json", cwd=tmp_path)
    assert json.loads(result.stdout) == {"documents": 1, "rejects": {"too large": 1}, "output": "out.jsonl"}


def test_a_config_says_what_is_too_large(gapforge, tmp_path):
    (tmp_path / "a.txt").write_text(LARGE)
    (tmp_path / "b.txt").write_text("Bo left.")
    config = (
        '[candidates]\ngap = []\ncounter_gap = []\n[corpora.x]\ninputs = [{ path = "?.txt" }]\nlargest_document = 200\n'
    )
    (tmp_path / "c.toml").write_text(config)
    assert gapforge("run", "c.toml", cwd=tmp_path).returncode == 0
    stages = json.loads(gapforge("status", "c.toml", "--json", cwd=tmp_path).stdout)["stages"]
    (documents,) = [it for it in stages if it["stage"].startswith("Documents")]
    assert (documents["rows"], documents["rejects"]) == (1, {"too large": 1})
    (tmp_path / "c.toml").write_text(config.replace("200", "0"))
    result = gapforge("run", "c.toml", cwd=tmp_path)
    assert result.returncode == 2
    assert "largest_document must be at least 1, found 0" in result.stderr


def test_pathological_wikitext_is_only_text(gapforge, tmp_path):
    nested = b"Before. " + b"{{a|" * 50_000 + b"[[b|" * 50_000 + b"\n\nAfter {{a|[[b]]}} it."
    (tmp_path / "deep.xml").write_bytes(HEAD + PAGE % (1, nested) + b"</mediawiki>")
    result = gapforge("documents", "deep.xml", "-o", "out.jsonl", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    text = json.loads((tmp_path / "out.jsonl").read_text("utf-8"))["text"]
    assert text.startswith("Before.")
    assert text.endswith("After it.")


def test_a_wrong_checksum_stops_the_run(gapforge, tmp_path):
    (tmp_path / "a.txt").write_text("Ann met Bo.")
    (tmp_path / "c.toml").write_text(f'[corpora.x]\ninputs = [{{ path = "a.txt", sha256 = "{"0" * 64}" }}]')
    result = gapforge("run", "c.toml", cwd=tmp_path)
    assert result.returncode == 1
    assert "a.txt: sha256 is " in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.rglob("*.parquet"))
