"""Gender lists whose two counts are made equal: every other byte stays."""

import gzip
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gapforge.counterfactuals.augmented import balance_list
from gapforge.errors import ConfigError, InputError


@pytest.fixture
def balance(tmp_path):
    """The bytes of a list after its counts were made equal, and the summary of it."""
    source, output = tmp_path / "counts.txt", tmp_path / "balanced.txt"

    def write(content):
        source.write_bytes(content if isinstance(content, bytes) else content.encode())
        summary = balance_list(source, output)
        assert summary.pop("output") == str(output)
        return output.read_bytes().decode(), (summary["phrases"], summary["changed"])

    return write


@pytest.mark.parametrize(
    ("content", "balanced", "counts"),
    [
        # An odd sum is rounded up: what was met once is not what was never met.
        ("nurse\t1 0 0 0\n", "nurse\t1 1 0 0\n", (1, 1)),
        ("nurse\t3 8 1 2\n", "nurse\t6 6 1 2\n", (1, 1)),
        ("nurse\t2 8 1 2\n", "nurse\t5 5 1 2\n", (1, 1)),
        ("nurse\t0 0 5 5\n", "nurse\t0 0 5 5\n", (1, 0)),
        ("nurse\t7 7\n", "nurse\t7 7\n", (1, 0)),
        ("nurse\t999999999999999999 1\n", "nurse\t500000000000000000 500000000000000000\n", (1, 1)),
        # Further columns, however they are parted.
        ("the head nurse\t1\t3\t0\t9\t12\n", "the head nurse\t2\t2\t0\t9\t12\n", (1, 1)),
        ("nurse\t 1  3\t 4 \n", "nurse\t 2  2\t 4 \n", (1, 1)),
        ("! ! zoë 12\t1 3\n", "! ! zoë 12\t2 2\n", (1, 1)),
        ("a\u2028b\x0bc\u00a0d\t1 3\n", "a\u2028b\x0bc\u00a0d\t2 2\n", (1, 1)),
        # Ends of lines.
        ("a\t1 3\r\nb\t2 2\r\n", "a\t2 2\r\nb\t2 2\r\n", (2, 1)),
        ("a\t1 3\nb\t1 3", "a\t2 2\nb\t2 2", (2, 2)),
        ("\na\t1 3\n \t\r\nb\t1 3\n\n", "a\t2 2\nb\t2 2\n", (2, 2)),
        ("\ufeffa\t1 3\n", "a\t2 2\n", (1, 1)),
        ("", "", (0, 0)),
        ("\n\n", "", (0, 0)),
    ],
)
def test_counts_are_balanced(balance, content, balanced, counts):
    assert balance(content) == (balanced, counts)


WANTED = "wanted a phrase, a tab, and the counts of its masculine and feminine uses"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nurse 1 2\n", f"line 1: 'nurse 1 2'; {WANTED}"),
        ("a\t1 2\nnurse\t1\n", f"line 2: 'nurse\\t1'; {WANTED}"),
        ("a\t1 2\n\n\nnurse\n", f"line 4: 'nurse'; {WANTED}"),
        ("nurse\t1 -2\n", f"line 1: 'nurse\\t1 -2'; {WANTED}"),
        ("nurse\t1.5 2\n", f"line 1: 'nurse\\t1.5 2'; {WANTED}"),
        ("nurse\t1 2 x\n", f"line 1: 'nurse\\t1 2 x'; {WANTED}"),
        ("nurse\t١ 2\n", f"line 1: 'nurse\\t١ 2'; {WANTED}"),
        ("the\tnurse\t1 2\n", f"line 1: 'the\\tnurse\\t1 2'; {WANTED}"),
        ("nurse\t1 2\rguard\t1 2\r", f"line 1: 'nurse\\t1 2\\rguard\\t1 2'; {WANTED}"),
        (f"nurse\t{'9' * 19} 1\n", f"line 1: 'nurse\\t{'9' * 19} 1'; {WANTED}"),
        (f"{'x' * 100}\n", f"line 1: '{'x' * 60}'; {WANTED}"),
        (b"a\t1 2\nz\xff\t1 2\n", "line 2: byte 1: not UTF-8; save it as UTF-8"),
    ],
)
def test_a_line_that_is_no_count_is_named(balance, tmp_path, content, message):
    with pytest.raises(InputError) as caught:
        balance(content)
    assert str(caught.value) == f"{tmp_path / 'counts.txt'}: {message}"
    assert [it.name for it in tmp_path.iterdir()] == ["counts.txt"]


def test_a_list_is_compressed_on_either_side(tmp_path):
    plain, packed = tmp_path / "counts.txt", tmp_path / "counts.gz"
    plain.write_bytes(b"nurse\t1 3 0 0\r\nguard\t4 1 0 0")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    for source in (plain, packed):
        for name in ("out.txt", "out.gz"):
            summary = balance_list(source, tmp_path / name)
            assert summary == {"phrases": 2, "changed": 2, "output": str(tmp_path / name)}
        assert (tmp_path / "out.txt").read_bytes() == b"nurse\t2 2 0 0\r\nguard\t3 3 0 0"
        assert gzip.decompress((tmp_path / "out.gz").read_bytes()) == b"nurse\t2 2 0 0\r\nguard\t3 3 0 0"


def test_the_same_list_gives_the_same_compressed_bytes(tmp_path):
    """A gzip file tells its own name and the time unless it is told not to."""
    source = tmp_path / "counts.txt"
    source.write_bytes(b"nurse\t1 3\n")
    made = []
    for name in ("one.gz", "other.gz"):
        balance_list(source, tmp_path / name)
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]
    assert made[0][3:8] == bytes(5)  # no name, no time


def packed_list():
    return gzip.compress("".join(f"phrase {n * 7919 % 1009}\t{n} {n * n}\n" for n in range(400)).encode(), mtime=0)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (packed_list()[:-20], "Compressed file ended before the end-of-stream marker was reached"),
        (b"nurse\t1 3\n", r"Not a gzipped file \(b'nu'\)"),
        (packed_list()[:-8] + bytes(8), "CRC check failed 0x0+ != 0x[0-9a-f]+"),
        pytest.param(
            packed_list()[:10] + b"\xff" * 40 + packed_list()[50:],
            "Error -3 while decompressing data: invalid .*",
        ),
    ],
)
def test_a_broken_gzip_file_is_told(tmp_path, content, reason):
    source = tmp_path / "counts.gz"
    source.write_bytes(content)
    with pytest.raises(InputError) as caught:
        balance_list(source, tmp_path / "out.gz")
    message = rf"{re.escape(str(source))}: not a whole gzip file \({reason}\); get it again"
    assert re.fullmatch(message, str(caught.value))
    assert [it.name for it in tmp_path.iterdir()] == ["counts.gz"]


def test_a_list_is_not_written_over_itself(tmp_path):
    source = tmp_path / "counts.txt"
    source.write_bytes(b"nurse\t1 3\n")
    for output in (source, tmp_path / "." / "x" / ".." / "counts.txt"):
        (tmp_path / "x").mkdir(exist_ok=True)
        with pytest.raises(ConfigError) as caught:
            balance_list(source, output)
        assert str(caught.value) == f"{source}: is both input and output; write to another file"
    assert source.read_bytes() == b"nurse\t1 3\n"


@pytest.mark.parametrize(
    ("source", "output", "message"),
    [
        ("lost.txt", "out.txt", "{}/lost.txt: no such file; fix the path"),
        ("folder", "out.txt", "{}/folder: is a folder; name a file"),
        ("counts.txt", "folder", "{}/folder: is a folder; name a file"),
        ("counts.txt", "none/out.txt", "{}/none/out.txt: its folder does not exist; make it first"),
    ],
)
def test_wrong_places(tmp_path, source, output, message):
    (tmp_path / "folder").mkdir()
    (tmp_path / "counts.txt").write_bytes(b"nurse\t1 3\n")
    with pytest.raises((ConfigError, InputError)) as caught:
        balance_list(tmp_path / source, tmp_path / output)
    assert str(caught.value) == message.format(tmp_path)


PHRASES = st.text(st.characters(exclude_characters="\t\n\r\ufeff", exclude_categories=["Cs"]), min_size=1, max_size=9)
COUNTS = st.integers(0, 10**17)


@given(rows=st.lists(st.tuples(PHRASES, st.lists(COUNTS, min_size=2, max_size=5)), max_size=6))
@settings(deadline=None)
def test_whatever_the_counts_both_are_the_mean(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lists")
    (folder / "in.txt").write_bytes("".join(f"{it}\t{' '.join(map(str, row))}\n" for it, row in rows).encode())
    summary = balance_list(folder / "in.txt", folder / "out.txt")
    written = (folder / "out.txt").read_bytes().decode().split("\n")[:-1]
    assert len(written) == len(rows) == summary["phrases"]
    for line, (phrase, (masculine, feminine, *others)) in zip(written, rows, strict=True):
        name, _, counts = line.partition("\t")
        mean, same, *rest = map(int, counts.split(" "))
        assert (name, mean, rest) == (phrase, same, others)
        assert masculine + feminine <= 2 * mean <= masculine + feminine + 1
    # A list in balance stays.
    assert balance_list(folder / "out.txt", folder / "again.txt")["changed"] == 0
    assert (folder / "again.txt").read_bytes() == (folder / "out.txt").read_bytes()
