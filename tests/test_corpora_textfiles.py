import bz2
import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.corpora.source import Columns, Piece, ReadSettings
from pipeline.corpora.textfiles import read_jsonl, read_text
from pipeline.errors import InputError
from pipeline.records import Document, Reject, Section

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
        (b"Ann \xe9", r"a\.txt: byte 4: wanted utf-8, found e9 .*; convert the file or set \[corpora\.NAME\] encoding"),
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
        (b'{"text": "t"}', "d.jsonl:2", "no id", "line 2: wanted a string or number as 'id', found nothing"),
        (
            b'{"id": "", "text": "t"}',
            "d.jsonl:2",
            "no id",
            "line 2: wanted a string or number as 'id', found an empty string",
        ),
        (
            b'{"id": true, "text": "t"}',
            "d.jsonl:2",
            "no id",
            "line 2: wanted a string or number as 'id', found a value of type bool",
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
        (b'{"id": "a", "te', r"line 2: wanted a JSON object, found a line cut short \(Unterminated string"),
        (
            b"id,text\n",
            r"d\.jsonl: line 2: wanted a JSON object, found something else \(Expecting value: line 1 column 1",
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
    for damaged in (packed[:-9], b"plain", packed[:20] + b"\0\0\0\0" + packed[24:]):
        with pytest.raises(InputError, match=r"d\.jsonl\.\w+: wanted .*, found damage .*; get it again"):
            list(read_jsonl(make_piece(damaged, "d.jsonl" + suffix), SETTINGS))


@given(st.lists(st.text(max_size=5), max_size=6), st.lists(st.integers(0, 200), max_size=4), st.booleans())
def test_pieces_of_a_file_hold_each_line_once(tmp_path_factory, texts, cuts, ended):
    path = tmp_path_factory.mktemp("lines") / "d.jsonl"
    data = b"".join(line(id=n, text="Ann " + text) for n, text in enumerate(texts))
    path.write_bytes(data if ended else data.rstrip(b"\n"))
    bounds = sorted({0, *(cut for cut in cuts if cut < len(data))})
    pieces = [Piece(str(path), "d.jsonl", a, b) for a, b in zip(bounds, [*bounds[1:], None], strict=True)]
    results = [result for piece in pieces for result in read_jsonl(piece, SETTINGS)]
    assert [result.id for result in results if result.id != "d"] == [str(n) for n in range(len(texts))]


def test_a_piece_counts_lines_from_the_head_of_the_file(make_piece):
    first = line(id="1", text="Ann.")
    piece = make_piece(first + first + b"{\n", "d.jsonl")
    with pytest.raises(InputError, match=r"d\.jsonl: line 3: wanted a JSON object"):
        list(read_jsonl(Piece(piece.path, piece.name, len(first) + 1), SETTINGS))


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
