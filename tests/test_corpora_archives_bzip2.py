import bz2
import re
from itertools import pairwise

import pytest

from gapforge.corpora import archives
from gapforge.errors import InputError

# The bytes that begin a stream, which may stand inside one by chance.
MAGIC = b"BZh91AY&SY"


def streams(parts):
    """The compressed file, and where each stream begins."""
    packed = [bz2.compress(part) for part in parts]
    return b"".join(packed), [sum(map(len, packed[:number])) for number in range(len(packed))]


def contents(path, start=0):
    return b"".join(block for _, block in archives.decompress(str(path), start))


@pytest.fixture
def lines():
    return [f"line {number} of the text\n".encode() * (number + 1) for number in range(40)]


def test_streams_are_read_as_one(tmp_path, lines):
    path = tmp_path / "a.bz2"
    path.write_bytes(streams(lines)[0])
    assert contents(path) == b"".join(lines)


def test_reading_starts_at_any_stream(tmp_path, lines):
    path = tmp_path / "a.bz2"
    packed, starts = streams(lines)
    path.write_bytes(packed)
    for number, start in enumerate(starts):
        assert contents(path, start) == b"".join(lines[number:])


def test_blocks_name_their_stream(tmp_path, lines):
    path = tmp_path / "a.bz2"
    packed, starts = streams(lines)
    path.write_bytes(packed)
    assert [origin for origin, _ in archives.decompress(str(path))] == starts


def test_empty_streams_are_allowed(tmp_path):
    path = tmp_path / "a.bz2"
    path.write_bytes(streams([b"", b"text", b"", b"more"])[0])
    assert contents(path) == b"textmore"


def test_a_stream_larger_than_the_buffers_is_whole(tmp_path):
    text = b"".join(b"%d %d\n" % (number, number * number) for number in range(120_000))
    path = tmp_path / "a.bz2"
    path.write_bytes(bz2.compress(text) + bz2.compress(b"end"))
    assert contents(path) == text + b"end"


@pytest.mark.parametrize("size", [1, 50, 300, 1000])
def test_boundaries_are_the_first_streams_after_each_size(tmp_path, lines, size):
    path = tmp_path / "a.bz2"
    packed, starts = streams(lines)
    path.write_bytes(packed)
    expected = []
    for start in starts[1:]:
        if start >= (expected[-1] if expected else 0) + size:
            expected.append(start)
    assert archives.boundaries(str(path), size) == expected


def test_boundaries_are_found_across_reads(tmp_path, monkeypatch, lines):
    path = tmp_path / "a.bz2"
    packed, starts = streams(lines)
    path.write_bytes(packed)
    monkeypatch.setattr(archives, "_READ", 13)
    assert archives.boundaries(str(path), 1) == starts[1:]


@pytest.mark.parametrize("read", [13, 1 << 18])
def test_a_boundary_is_sought_between_two_places(tmp_path, monkeypatch, lines, read):
    path = tmp_path / "a.bz2"
    packed, starts = streams(lines)
    path.write_bytes(packed)
    monkeypatch.setattr(archives, "_READ", read)
    for before, start in pairwise(starts):
        assert archives.boundary_between(str(path), before + 1, start) is None
        assert archives.boundary_between(str(path), before + 1, start + 1) == start
    assert archives.boundary_between(str(path), starts[-1] + 1, len(packed)) is None


def test_one_stream_has_no_boundary(tmp_path):
    path = tmp_path / "a.bz2"
    path.write_bytes(bz2.compress(b"text" * 1000))
    assert archives.boundaries(str(path), 1) == []


def test_the_magic_inside_a_stream_is_no_boundary(tmp_path):
    first, second = bz2.compress(b"one"), bz2.compress(b"two")
    path = tmp_path / "a.bz2"
    # Not a valid file: the search must not even look at it as one.
    path.write_bytes(first[:14] + MAGIC + first[14:] + second)
    assert archives.boundaries(str(path), 1) == [len(first) + len(MAGIC)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty; download it again"),
        (b"hello", "byte 0: wanted a bz2 stream, found b'hello'; is this a .bz2 file?"),
        (b"B", "byte 0: wanted a bz2 stream, found b'B'; is this a .bz2 file?"),
        (
            bz2.compress(b"text")[:-3],
            "byte 37: the file ends inside the bz2 stream that begins at byte 0; download it again",
        ),
        (
            bz2.compress(b"text") + bz2.compress(b"text")[:20],
            "byte 60: the file ends inside the bz2 stream that begins at byte 40; download it again",
        ),
        (
            bz2.compress(b"text") + b"\0\0\0\0",
            r"byte 40: found b'\x00\x00\x00\x00' after the last bz2 stream; "
            "remove what follows that byte or download the file again",
        ),
        (
            bz2.compress(b"text") + b"BZ",
            "byte 40: found b'BZ' after the last bz2 stream; remove what follows that byte or download the file again",
        ),
        (
            bz2.compress(b"text")[:20] + b"\xff\xff" + bz2.compress(b"text")[22:],
            "damaged bz2 data between bytes 0 and 40; download it again",
        ),
    ],
    ids=["empty", "text", "one byte", "truncated", "second truncated", "zeros after", "letters after", "damaged"],
)
def test_bad_files_name_the_place(tmp_path, data, message):
    path = tmp_path / "a.bz2"
    path.write_bytes(data)
    with pytest.raises(InputError, match=re.escape(f"{path}: {message}") + r"\Z"):
        contents(path)


def test_a_bomb_is_refused_when_it_passes_the_cap(tmp_path):
    path = tmp_path / "a.bz2"
    path.write_bytes(bz2.compress(bytes(archives.BOMB_BYTES + (1 << 20))))
    size = path.stat().st_size
    read = 0
    message = (
        f"byte {size}: {size} bytes expand to more than 64 MiB, over 250 times their size; this is no dump of text"
    )
    with pytest.raises(InputError, match=re.escape(message)):
        for _, block in archives.decompress(str(path)):
            read += len(block)
    assert read == archives.BOMB_BYTES


def test_repetitive_text_below_the_cap_is_read(tmp_path):
    path = tmp_path / "a.bz2"
    path.write_bytes(bz2.compress(bytes(1 << 20)))
    assert contents(path) == bytes(1 << 20)


def test_a_stream_too_near_the_beginning_to_follow_another(tmp_path):
    path = tmp_path / "a.bz2"
    path.write_bytes(b"\r" + bz2.compress(b"Ann met Bo."))
    assert archives.boundaries(str(path), 1) == []
