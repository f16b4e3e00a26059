"""Files as a crawl of the world holds them: whole ones by their grammar, then cut, doubled, garbled and stuffed."""

import json
import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from gapforge.errors import InputError

SCALE = int(os.environ.get("GAPFORGE_FUZZ", "1"))
USUAL = 100  # examples of a profile that changes no number

# What breaks readers: line ends of all kinds, marks of order, what has no width, controls, bytes that are no UTF-8.
STUFFING = [
    b"\r", b"\n", b"\r\n", b"\n\n", b"\t", b" ", b"\x0b", b"\x0c", b"\x85", b"\0", b"\x01", b"\x1a", b"\x1c", b"\x7f",
    b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbf\xbe", b"\xef\xbb\xbf", b"\xff\xfe", b"\xf0\x9f\x98\x80",
    "\u2028".encode(), "\u200b".encode(), "\u0660".encode(), b'"', b"'", b"\\", b"<", b">", b"&", b"&#0;", b"&#55296;",
    b"&nbsp;", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?", b"?>", b"<!DOCTYPE a [", b"]", b"[", b"{", b"}", b"(",
    b")", b"|", b"#", b"*", b"-1", b"9" * 30, b"9" * 5000, b"1e999", b"NaN", b"\\ud800", b"\\udc00", b"\\u0000",
    b" " * 3000,
]  # fmt: skip


def fuzz(examples):
    """The settings of a test by the number of its files, which the profile scales: nothing looks at the clock."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    number = examples * SCALE * settings.default.max_examples // USUAL
    return settings(deadline=None, max_examples=number, suppress_health_check=checks)


def read(path, function, *arguments):
    """What a reader gives, None where it refuses the file in one line that names it."""
    try:
        return list(function(*arguments))
    except InputError as error:
        message = str(error)
        assert message.startswith(f"{path}: "), message
        assert "\n" not in message
        assert len(message) < 1000, message
        return None


@st.composite
def damaged(draw, files, stuffing=()):
    """A file with up to six faults, none among them."""
    data = draw(files)
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 60)))
        match draw(st.sampled_from(["flip", "delete", "double", "move", "cut", "stuff", "stuff"])):
            case "flip" if start < len(data):
                data = data[:start] + bytes([data[start] ^ (1 << draw(st.integers(0, 7)))]) + data[start + 1 :]
            case "delete":
                data = data[:start] + data[end:]
            case "double":
                data = data[:end] + data[start:end] * draw(st.integers(1, 3)) + data[end:]
            case "move":
                data = data[end:] + data[start:end] + data[:start]
            case "cut":
                data = data[:start] if draw(st.booleans()) else data[start:]
            case "stuff":
                data = data[:start] + draw(st.sampled_from([*STUFFING, *stuffing])) + data[start:]
    return data


WORD_LIST = (
    "Ann met Bo . She , he left “her” CHAPTER I. PART THE END Contents 12 naïve 😀 -- — _so_ [Illustration] * * * "
    "Produced by 's & < ( ) \u00ad \u2028 \u00a0 e\u0301"
)
PROSE = st.lists(st.sampled_from(WORD_LIST.split(" ")), max_size=25).map(" ".join)
LINES = st.lists(st.sampled_from(["", "\n"]).flatmap(lambda end: PROSE.map(lambda text: text + end)), max_size=8)
BOOK = LINES.map("\n".join)

# Markup of wikitext, opening and closing by turns and by chance.
MARKUP = (
    "{{ }} {{{ }}} [[ ]] [ ] {| |} | || |- |+ ! !! = == === '' ''' ''''' < > <ref> </ref> <ref/> <ref <!-- --> "
    "<nowiki> </nowiki> <nowiki/> <math> </math> <math <table> </table> <table <br> <div </div> <li> <span\u2028a= "
    "<p/> * # : ; & &amp; &#10; &#0; &#xD800; &#9999999; &lt; __TOC__ __DISAMBIG__ ---- ( ) , . [[File: "
    "[[Category: [[fr: {{nowrap| {{convert| {{quote| {{lang|fr| {{as\xa0of| {{frac| {{val| {{formatnum: {{#if: "
    "{{Template: {{! {{hndis}} #REDIRECT [http:// [mailto: http:// or and a Ann 1 9 \x00 \x01 \x02 \x03 \x1f \x85 "
    "\u2028 \u200b \ufeff é 😀 \ud800 \uffff"
)
PIECES = MARKUP.split(" ")
ATOMS = st.one_of(st.sampled_from([*PIECES, " ", "\n", "\n\n", "\r\n", "\t"]), st.text(max_size=4))
NESTED = st.recursive(
    st.lists(ATOMS, max_size=6).map("".join),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(PIECES), inner, st.sampled_from(PIECES)).map("".join),
        st.lists(inner, max_size=4).map("".join),
        # Deeper than any stack, and wide.
        st.tuples(st.sampled_from(PIECES), inner, st.integers(1, 400)).map(lambda it: (it[0] + it[1][:20]) * it[2]),
    ),
    max_leaves=8,
)

VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
        st.sampled_from(["\ud800", "\udc00", "\0", "q-1", "A", "label", "choices", "no name"]),
        st.sampled_from([10**20, -(10**18), 10**4000]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["id", "text", "start", "end", "labels", "value", "email"]), inner, max_size=4),
        st.tuples(inner, st.integers(1, 90)).map(lambda it: nest(*it)),
    ),
    max_leaves=6,
)  # fmt: skip


def nest(value, depth):
    for _ in range(depth):
        value = [value]
    return value


def mostly(usual, *others):
    """The usual value, and now and then another."""
    return st.sampled_from([usual] * 2 * len(others) + list(others))


def or_odd(strategy):
    """What belongs there, and now and then something else."""
    return st.one_of(strategy, strategy, strategy, VALUES)


def as_json(value):
    return json.dumps(value).encode()
