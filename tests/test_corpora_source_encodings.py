import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.corpora.source import decode, decode_book
from gapforge.errors import ConfigError, InputError

TEXT = "“Zoë”—naïve"
PLAIN = "Zoë naïve"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (TEXT.encode(), TEXT),
        (b"\xef\xbb\xbf" + TEXT.encode(), TEXT),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), TEXT),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), TEXT),
        (TEXT.encode("cp1252"), TEXT),
        (PLAIN.encode("latin-1"), PLAIN),
        # a label of Latin-1 on a file that holds the quotation marks of cp1252
        (
            b"Character set encoding: ISO-8859-1\n" + TEXT.encode("cp1252"),
            "Character set encoding: ISO-8859-1\n" + TEXT,
        ),
        (b"Character set encoding: MacRoman\n" + TEXT.encode("mac-roman"), "Character set encoding: MacRoman\n" + TEXT),
        (b"Character set encoding: Codepage 850\nZo\x89", "Character set encoding: Codepage 850\nZoë"),
        # a header that went stale when the file was converted
        (b"Character set encoding: Codepage 850\n" + TEXT.encode(), "Character set encoding: Codepage 850\n" + TEXT),
        (b"Character set encoding: Klingon\nZo\xeb", "Character set encoding: Klingon\nZoë"),
        # a notation, which would make half a surrogate pair of this
        (
            b"Character set encoding: unicode-escape\nZo\xeb \\ud800",
            "Character set encoding: unicode-escape\nZoë \\ud800",
        ),
        # 81 is in neither UTF-8 nor cp1252
        (b"Zo\xeb \x81", "Zoë \x81"),
    ],
)
def test_books_decode_by_the_first_encoding_that_fits(data, expected):
    assert decode_book(data, "b.txt") == expected


def test_the_setting_wins():
    assert decode_book(TEXT.encode("cp1252"), "b.txt", "latin-1") == TEXT.encode("cp1252").decode("latin-1")
    assert decode("ё".encode("koi8-r"), "b.txt", "koi8-r") == "ё"
    assert decode(b"\xef\xbb\xbfa\xef\xbb\xbf", "b.txt", "utf-8") == "a\ufeff"


def test_nul_is_no_book():
    with pytest.raises(InputError, match=r"b\.txt: byte 1: wanted text, found NUL, .*UTF-16 without its mark; remove"):
        decode_book("Zoë".encode("utf-16-le"), "b.txt")


@pytest.mark.parametrize("name", ["klingon", "rot13", "hex", "a\0b", "idna", "punycode", "unicode_escape"])
def test_unknown_encoding(name):
    with pytest.raises(ConfigError, match=r"encoding: wanted a text encoding such as utf-8, cp1252"):
        decode(b"abc", "b.txt", name)


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (
            b"ab\xffcd",
            "",
            r"b\.txt: byte 2: wanted utf-8, found ff 63 64 \(invalid start byte\); convert the file or set",
        ),
        (b"\xef\xbb\xbfab\xff", "", r"b\.txt: byte 5: wanted utf-8, found ff \(invalid start byte\)"),
        (b"a +2AA-", "utf-7", r"b\.txt: character 2: wanted utf-7, found the lone surrogate U\+D800; convert the file"),
        (b"\xff\xfea\x00b", "", r"b\.txt: byte 4: wanted utf-16-le, found 62 \(truncated data\)"),
        (
            b"a\x81",
            "cp1252",
            r"b\.txt: byte 1: wanted cp1252, found 81 .*set \[corpora\.NAME\] encoding \(--encoding\)",
        ),
    ],
)
def test_bytes_that_do_not_fit(data, encoding, message):
    with pytest.raises(InputError, match=message):
        decode(data, "b.txt", encoding)


@given(st.text(st.characters(codec="utf-8")), st.sampled_from(["utf-8-sig", "utf-16"]))
def test_marked_text_survives(text, encoding):
    assert decode(text.encode(encoding), "b.txt") == text


@given(st.binary())
def test_any_bytes_decode_or_hold_nul(data):
    try:
        assert isinstance(decode_book(data, "b.txt"), str)
    except InputError:
        assert b"\0" in data or data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:3] == b"\xef\xbb\xbf"
