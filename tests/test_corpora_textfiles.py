import bz2
import gzip
import json
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gapforge.corpora import archives, textfiles
from gapforge.corpora.source import Columns, Piece, ReadSettings
from gapforge.corpora.textfiles import cut_jsonl, read_jsonl, read_text
from gapforge.errors import InputError
from gapforge.records import Document, Reject, Section

SETTINGS = ReadSettings()


@pytest.fixture
def make_piece(tmp_path):
    def make(data, name="notes/day one.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return Piece(str(path), name)

    return make


def test_text_is_kept_to_the_character(make_piece):
    text = "Ann\u2028rowed.\r\n\r\n\tBo\u00a0slept.\u0085\f\v\r"
    (document,) = read_text(make_piece("\ufeff" + text), SETTINGS)
    assert document == Document("notes/day one", "day one", "", "", text, [Section("", 0, 0, len(text))])


@pytest.mark.parametrize(
    ("name", "id", "title"),
    [("a.txt", "a", "a"), ("v1.2/part.3.txt", "v1.2/part.3", "part.3"), ("README", "README", "README")],
)
def test_names(make_piece, name, id, title):
    (document,) = read_text(make_piece("Ann rowed.", name), SETTINGS)
    assert (document.id, document.title) == (id, title)


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"])), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])
)
def test_text_equals_the_decoded_file(tmp_path_factory, text, encoding):
    path = tmp_path_factory.mktemp("texts") / "a.txt"
    data = text.encode(encoding)
    path.write_bytes(data)
    (result,) = read_text(Piece(str(path), "a.txt"), SETTINGS)
    decoded = text.removeprefix("\ufeff") if encoding == "utf-8" else text
    if decoded.strip():
        assert result.text == decoded
        assert result.sections == [Section("", 0, 0, len(decoded))]
    else:
        assert result.reason == "empty"


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b" \r\n\t"])
def test_empty_text(make_piece, data):
    expected = Reject("a", "empty", "a.txt holds no characters but white space")
    assert list(read_text(make_piece(data, "a.txt"), SETTINGS)) == [expected]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"Ann\r\nrow\0ed",
            r"a\.txt: line 2, column 4: wanted text, found the control character U\+0000; remove it or set",
        ),
        (b"\x1b[1mAnn", r"line 1, column 1: wanted text, found the control character U\+001B"),
        (b"Ann\n\nBo\x1a", r"line 3, column 3: wanted text, found the control character U\+001A"),
        (
            b"Ann \xe9",
            r"a\.txt: byte 4: wanted utf-8, found e9 .*; convert .* or set \[corpora\.NAME\] encoding \(--encoding\)",
        ),
    ],
)
def test_bad_text(make_piece, data, message):
    with pytest.raises(InputError, match=message):
        list(read_text(make_piece(data, "a.txt"), SETTINGS))


def test_text_in_another_encoding(make_piece):
    (document,) = read_text(make_piece("Zoë".encode("latin-1")), ReadSettings(encoding="latin-1"))
    assert document.text == "Zoë"


def line(**fields):
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def test_jsonl(make_piece):
    data = b"\xef\xbb\xbf" + line(id="a/1", text="Ann\u2028 rowed.\r\n", title="One", author="B", url="u", more=[1])
    data += b"\r\n  \n" + line(id=7, text="NA", title=None) + line(id="7.0", text="null", title=12).rstrip()
    text = "Ann\u2028 rowed.\r\n"
    assert list(read_jsonl(make_piece(data, "d.jsonl"), SETTINGS)) == [
        Document("a/1", "One", "B", "u", text, [Section("", 0, 0, len(text))]),
        Document("7", "", "", "", "NA", [Section("", 0, 0, 2)]),
        Document("7.0", "12", "", "", "null", [Section("", 0, 0, 4)]),
    ]


def test_jsonl_columns(make_piece):
    settings = ReadSettings(columns=Columns(id="key", text="body", title="name"))
    (document,) = read_jsonl(make_piece(line(key="k", body="Ann rowed.", name="N", title="other")), settings)
    assert (document.id, document.text, document.title) == ("k", "Ann rowed.", "N")


@pytest.mark.parametrize(
    ("row", "id", "reason", "detail"),
    [
        (b"[1]", "d.jsonl:2", "not an object", "line 2: wanted an object, found a value of type list"),
        (b"null", "d.jsonl:2", "not an object", "line 2: wanted an object, found a value of type NoneType"),
        (b'{"text": "t"}', "d.jsonl:2", "no id", "line 2: wanted a string or whole number as 'id', found nothing"),
        (
            b'{"id": "", "text": "t"}',
            "d.jsonl:2",
            "no id",
            "line 2: wanted a string or whole number as 'id', found an empty string",
        ),
        (
            b'{"id": true, "text": "t"}',
            "d.jsonl:2",
            "no id",
            "line 2: wanted a string or whole number as 'id', found a value of type bool",
        ),
        *(
            (
                f'{{"id": {value}, "text": "t"}}'.encode(),
                "d.jsonl:2",
                "no id",
                "line 2: wanted a string or whole number as 'id', found a value of type float",
            )
            for value in ("NaN", "Infinity", "-Infinity", "1.0", "1e3")
        ),
        (b'{"id": "\\ud800", "text": "t"}', "d.jsonl:2", "lone surrogate", "line 2: 'id' holds U+D800 at character 0"),
        (b'{"id": "a"}', "a", "no text", "line 2: wanted a string as 'text', found nothing"),
        (b'{"id": "a", "text": 5}', "a", "no text", "line 2: wanted a string as 'text', found a value of type int"),
        (b'{"id": "a", "text": ""}', "a", "empty", "line 2: 'text' holds no characters but white space"),
        (b'{"id": "a", "text": " \\n"}', "a", "empty", "line 2: 'text' holds no characters but white space"),
        (b'{"id": "a", "text": "x\\u0000"}', "a", "control character", "line 2: 'text' holds U+0000 at character 1"),
        (b'{"id": "a", "text": "\\u001b"}', "a", "control character", "line 2: 'text' holds U+001B at character 0"),
        (b'{"id": "a", "text": "xy\\udc00"}', "a", "lone surrogate", "line 2: 'text' holds U+DC00 at character 2"),
        (
            b'{"id": "a", "text": "t", "url": "\\u0001"}',
            "a",
            "control character",
            "line 2: 'url' holds U+0001 at character 0",
        ),
        (
            b'{"id": "a", "text": "t", "title": {}}',
            "a",
            "wrong type",
            "line 2: wanted a string as 'title', found a value of type dict",
        ),
        (
            b'{"id": "a", "text": "t", "title": NaN}',
            "a",
            "wrong type",
            "line 2: wanted a string as 'title', found a value of type float",
        ),
    ],
)
def test_jsonl_rejects(make_piece, row, id, reason, detail):
    data = line(id="1", text="Ann.") + row + b"\n" + line(id="3", text="Bo.")
    results = list(read_jsonl(make_piece(data, "d.jsonl"), SETTINGS))
    assert results[1] == Reject(id, reason, detail)
    assert [result.id for result in results if isinstance(result, Document)] == ["1", "3"]


def test_paired_surrogates_are_one_character(make_piece):
    (document,) = read_jsonl(make_piece(b'{"id": "a", "text": "\\ud83d\\ude00"}\n'), SETTINGS)
    assert document.text == "\U0001f600"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b'{"id": "a", "te',
            r"line 2, column 13: wanted a JSON object, found a line cut short \(Unterminated string\); cor",
        ),
        (
            b"id,text\n",
            r"d\.jsonl: line 2, column 1: wanted a JSON object, found something else \(Expecting value\); correct",
        ),
        (
            b'{"id": \n',
            r"d\.jsonl: line 2, column 9: wanted a JSON object, found something else \(Expecting value\); cor",
        ),
        (
            b'{"id": 1} {}\n',
            r"d\.jsonl: line 2, column 11: wanted a JSON object, found something else \(Extra data\); cor",
        ),
        (
            b'{"id": "a", "text": "\xe9"}\n',
            r"line 2, byte 21: wanted UTF-8, found e9 22 7d 0a; convert the file to UTF-8",
        ),
        (b"[" * 100_000 + b"\n", r"line 2: wanted a JSON object, found something else \(maximum recursion depth"),
        (
            b'{"id": ' + b"9" * 5000 + b', "text": "t"}\n',
            r"line 2: wanted a JSON object, found something else \(Exceeds",
        ),
    ],
)
def test_bad_jsonl(make_piece, data, message):
    with pytest.raises(InputError, match=message):
        list(read_jsonl(make_piece(line(id="1", text="Ann.") + data, "d.jsonl"), SETTINGS))


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf\n\n"])
def test_empty_jsonl(make_piece, data):
    expected = Reject("d", "empty", "d.jsonl holds no lines but blank ones")
    assert list(read_jsonl(make_piece(data, "d.jsonl"), SETTINGS)) == [expected]


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_compressed_jsonl(make_piece, suffix, compress):
    lines = [line(id=n, text=f"Ann rowed {n} miles.") for n in range(500)]
    packed = compress(b"".join(lines))
    documents = list(read_jsonl(make_piece(packed, "d.jsonl" + suffix), SETTINGS))
    assert [document.id for document in documents] == [str(n) for n in range(500)]
    documents = list(read_jsonl(make_piece(packed + packed, "D.JSONL" + suffix.upper()), SETTINGS))
    assert [document.id for document in documents] == [str(n) for n in range(500)] * 2


TEXT = line(id="1", text="Ann.") * 50


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("d.jsonl.gz", b"", "wanted a gzip file, found an empty one; get it again"),
        ("d.jsonl.gz", b"plain", r"wanted a whole gzip file, found damage \(Not a gzipped file .*\); get it again"),
        ("d.jsonl.gz", gzip.compress(TEXT)[:-9], r"found damage \(Compressed file ended before .*\); get it again"),
        ("d.jsonl.gz", gzip.compress(TEXT)[:-8] + bytes(8), r"found damage \(CRC check failed .*\); get it again"),
        ("d.jsonl.gz", gzip.compress(TEXT)[:12] + b"\xff" * 9, r"wanted a whole gzip file, found damage \(.*\); get"),
        ("d.jsonl.gz", gzip.compress(TEXT) + b"more", r"found damage \(Not a gzipped file .*\); get it again"),
        ("d.jsonl.bz2", b"", "the file is empty; download it again"),
        ("d.jsonl.bz2", b"plain", r"byte 0: wanted a bz2 stream, found b'plain'; is this a \.bz2 file\?"),
        (
            "d.jsonl.bz2",
            bz2.compress(TEXT)[:-9],
            r"byte \d+: the file ends inside the bz2 stream that begins at byte 0",
        ),
        ("d.jsonl.bz2", bz2.compress(TEXT) + b"more", r"byte \d+: found b'more' after the last bz2 stream; remove"),
    ],
    ids=[
        *("gz empty", "gz plain", "gz cut", "gz checksum", "gz damaged", "gz and more"),
        *("bz2 empty", "bz2 plain", "bz2 cut", "bz2 and more"),
    ],
)
def test_bad_compressed_jsonl(make_piece, name, data, message):
    with pytest.raises(InputError, match=rf"{name}: .*{message}"):
        list(read_jsonl(make_piece(data, name), SETTINGS))


@pytest.mark.parametrize("text", [b"\n", b" ", b"x"])
@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_bombs_stop_early_in_bounded_memory(make_piece, monkeypatch, text, suffix, compress):
    monkeypatch.setattr(archives, "BOMB_BYTES", 4 << 20)
    piece = make_piece(compress(text * (64 << 20)), "d.jsonl" + suffix)
    tracemalloc.start()
    try:
        with pytest.raises(
            InputError, match=r"byte \d+: \d+ bytes expand to more than 4 MiB, over 250 times their size"
        ):
            list(read_jsonl(piece, SETTINGS))
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_blank_lines_are_counted(make_piece):
    blank = b"\n" * 1_000_000 + b" \t\r\n" * 300_000
    with pytest.raises(InputError, match=r"d\.jsonl: line 1300001, column 3: wanted a JSON object"):
        list(read_jsonl(make_piece(blank + b"  x\n", "d.jsonl"), SETTINGS))


def test_a_line_without_end(make_piece, monkeypatch):
    monkeypatch.setattr(textfiles, "LINE_BYTES", 1 << 20)
    longest = line(id="1", text="x" * ((1 << 20) - 24))
    assert len(longest) == 1 << 20
    (document,) = read_jsonl(make_piece(longest, "d.jsonl"), SETTINGS)
    assert document.id == "1"
    with pytest.raises(InputError, match=r"d\.jsonl: line 2: wanted at most 1048576 bytes, found more; put one object"):
        list(read_jsonl(make_piece(longest + b" " + longest, "d.jsonl"), SETTINGS))


LINES = st.sampled_from(
    [line(id=7, text="Ann rowed."), b"\n", b" \r\n", b"[1]\n", line(id="\u2028"), line(text="x" * 40)]
)


@given(st.lists(LINES, max_size=12), st.integers(1, 200), st.integers(1, 60), st.booleans(), st.booleans())
@example(lines=[b"\n", b" \r\n"], size=1, read=1, ended=False, marked=True)
def test_pieces_together_give_what_the_whole_file_gives(tmp_path_factory, lines, size, read, ended, marked):
    path = tmp_path_factory.mktemp("lines") / "d.jsonl"
    data = (b"\xef\xbb\xbf" if marked else b"") + b"".join(lines)
    path.write_bytes(data if ended else data.removesuffix(b"\n"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textfiles, "_READ", read)
        pieces = cut_jsonl(str(path), "d.jsonl", size)
        results = [result for piece in pieces for result in read_jsonl(piece, SETTINGS)]
    assert results == list(read_jsonl(Piece(str(path), "d.jsonl"), SETTINGS))


def test_pieces_begin_at_lines(make_piece):
    # Lines of 10, 20, 5 and 15 bytes, and one without an end.
    whole = make_piece(b"".join(b"x" * (n - 1) + b"\n" for n in (10, 20, 5, 15)) + b"x" * 7, "d.jsonl")
    table = {
        1: [(0, 10, 0), (10, 30, 1), (30, 35, 2), (35, 50, 3), (50, None, 4)],
        10: [(0, 10, 0), (10, 30, 1), (30, 50, 2), (50, None, 4)],
        11: [(0, 30, 0), (30, 50, 2), (50, None, 4)],
        35: [(0, 35, 0), (35, None, 3)],
        51: [(0, None, 0)],
    }
    for size, expected in table.items():
        pieces = cut_jsonl(whole.path, "d.jsonl", size)
        assert [(piece.start, piece.end, piece.lines_before) for piece in pieces] == expected


@pytest.mark.parametrize("data", [b"", b"\n\n\n", b"\xef\xbb\xbf\n \n"])
def test_a_blank_file_is_one_piece(make_piece, data):
    piece = make_piece(data, "d.jsonl")
    assert cut_jsonl(piece.path, "d.jsonl", 1) == [piece]


@pytest.mark.parametrize("name", ["d.jsonl.gz", "D.JSONL.BZ2"])
def test_a_compressed_file_is_one_piece(make_piece, name):
    piece = make_piece(TEXT, name)
    assert cut_jsonl(piece.path, name, 10) == [piece]


def test_a_piece_counts_lines_from_the_head_of_the_file(make_piece):
    first = line(id="1", text="Ann.")
    whole = make_piece(first + first + b"{\n", "d.jsonl")
    *_, last = cut_jsonl(whole.path, whole.name, len(first))
    assert last == Piece(whole.path, whole.name, 2 * len(first), None, 2)
    with pytest.raises(InputError, match=r"d\.jsonl: line 3, column \d+: wanted a JSON object"):
        list(read_jsonl(last, SETTINGS))


@given(st.binary(max_size=80))
def test_any_bytes_give_records_or_input_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "a"
    path.write_bytes(data)
    for read in (read_text, read_jsonl):
        try:
            results = list(read(Piece(str(path), "a"), SETTINGS))
        except InputError as error:
            assert str(error).startswith(str(path)) and "\n" not in str(error)
        else:
            assert all(isinstance(result, Document | Reject) for result in results)
