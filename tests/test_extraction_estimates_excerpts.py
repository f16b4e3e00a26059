"""Stretches that stand for a corpus: where they lie, that readers can read them, and that packed ones are cut."""

import bz2
import gzip
import json
import random
import string

import pytest

from gapforge.corpora.documents import documents_of, piece_size, plan_shards
from gapforge.corpora.source import CorpusSettings, Input, Piece
from gapforge.extraction.estimates import EXCERPT, HEAD, LARGEST_WHOLE, STRETCH, evenly, excerpt, why_none
from gapforge.records import Document

HEADER = "<mediawiki><siteinfo><base>https://en.example.org/wiki/Main_Page</base></siteinfo>\n"
draw = random.Random(0)


def noise(length):
    """Text that no packing makes much smaller."""
    return "".join(draw.choices(string.ascii_letters, k=length))


def page(number, length):
    text = f"<revision><text>{noise(length)}</text></revision>"
    return f"<page><title>T{number}</title><ns>0</ns><id>{number}</id>{text}</page>\n"


def sampled(path, scratch, format="auto", shards=16):
    """The excerpt of a corpus that is one file or folder, and the documents in it."""
    settings = CorpusSettings(inputs=[Input(str(path))], format=format, shards=shards)
    scratch.mkdir()
    pieces = excerpt(plan_shards(settings), scratch)
    return pieces, list(documents_of(pieces, settings))


@pytest.mark.parametrize(
    ("total", "count", "expected"),
    [
        (1, 8, [0]),
        (5, 0, [2]),
        (5, 1, [2]),
        (12, 3, [2, 6, 10]),
        (12, 8, [0, 2, 3, 5, 6, 8, 9, 11]),
        (4, 4, [0, 1, 2, 3]),
    ],
)
def test_evenly(total, count, expected):
    assert evenly(total, count) == expected


def test_small_files_are_taken_whole_from_everywhere(tmp_path):
    (tmp_path / "raw").mkdir()
    for n in range(32):
        (tmp_path / "raw" / f"{n:02}.txt").write_text("x" * (EXCERPT // 16))
    pieces, documents = sampled(tmp_path / "raw", tmp_path / "scratch")
    assert [piece.name for _, piece in pieces] == [f"{n:02}.txt" for n in range(1, 32, 2)]
    assert sum(len(document.text) for document in documents) == EXCERPT


@pytest.mark.soak
def test_a_dump_of_many_streams_is_cut_where_streams_begin(tmp_path):
    """Of each eighth of the file a stretch that begins and ends with a stream: its bytes are those that it reads."""
    streams = [bz2.compress(HEADER.encode())]
    streams += [bz2.compress(page(n, 300_000).encode()) for n in range(96)]
    streams += [bz2.compress(b"</mediawiki>")]
    (tmp_path / "wiki.xml.bz2").write_bytes(b"".join(streams))
    starts = {sum(map(len, streams[:n])) for n in range(len(streams))}
    pieces, documents = sampled(tmp_path / "wiki.xml.bz2", tmp_path / "scratch", shards=8)
    assert len(pieces) == 8
    assert {piece.start for _, piece in pieces} | {piece.end for _, piece in pieces} <= starts
    assert all(STRETCH <= piece_size(piece) < STRETCH + max(map(len, streams)) for _, piece in pieces)
    mean = sum(map(len, streams[1:-1])) / 96
    assert len(documents) == pytest.approx(sum(piece_size(piece) for _, piece in pieces) / mean, abs=0.5)
    assert not list((tmp_path / "scratch").iterdir())


def test_a_plain_dump_is_cut_anywhere(tmp_path):
    (tmp_path / "wiki.xml").write_text(HEADER + "".join(page(n, 10_000) for n in range(1_000)) + "</mediawiki>")
    pieces, documents = sampled(tmp_path / "wiki.xml", tmp_path / "scratch", shards=4)
    assert [piece_size(piece) for _, piece in pieces] == [STRETCH] * 4
    assert len(documents) == pytest.approx(4 * STRETCH / 10_100, abs=4)


def test_a_dump_of_one_stream_gives_its_first_pages(tmp_path):
    """No part of it can be read by itself: what is left is a file of the same kind, of whole pages."""
    packed = bz2.compress((HEADER + "".join(page(n, 50_000) for n in range(120)) + "</mediawiki>").encode())
    assert len(packed) > 2 * HEAD
    (tmp_path / "wiki.xml.bz2").write_bytes(packed)
    ((_, piece),), documents = sampled(tmp_path / "wiki.xml.bz2", tmp_path / "scratch")
    assert piece.path.startswith(str(tmp_path / "scratch"))
    assert [document.id for document in documents] == [f"wikipedia-{n}" for n in range(len(documents))]
    assert len(documents) / 120 == pytest.approx(piece_size(piece) / len(packed), rel=0.05)


def test_lines_are_whole(tmp_path):
    rows = [json.dumps({"id": str(n), "text": "x" * 20_000}) + "\n" for n in range(2_000)]
    (tmp_path / "rows.jsonl").write_text("".join(rows))
    pieces, documents = sampled(tmp_path / "rows.jsonl", tmp_path / "scratch", shards=8)
    assert len(pieces) == 8
    assert len(documents) == sum(piece_size(piece) for _, piece in pieces) / len(rows[-1]) // 1 + 1
    assert all(isinstance(document, Document) and len(document.text) == 20_000 for document in documents)


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_packed_lines_are_whole_too(tmp_path, suffix, pack):
    packed = pack("".join(json.dumps({"id": str(n), "text": noise(5_000)}) + "\n" for n in range(1_000)).encode())
    (tmp_path / f"rows.jsonl{suffix}").write_bytes(packed)
    ((_, piece),), documents = sampled(tmp_path / f"rows.jsonl{suffix}", tmp_path / "scratch")
    assert [document.id for document in documents] == [str(n) for n in range(len(documents))]
    assert len(documents) / 1_000 == pytest.approx(piece_size(piece) / len(packed), rel=0.05)


def test_what_cannot_stand_for_a_corpus(tmp_path):
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(LARGEST_WHOLE + 1)
    assert why_none([("text", Piece(str(large), "large.txt", 0, 10))]) == ""
    assert why_none([("text", Piece(str(large), "large.txt"))]) == (
        f"{large} cannot be read in part, and has more than 64 MiB"
    )
    assert why_none([("dataset", Piece("rows.parquet", "rows.parquet"))]) == (
        "rows.parquet is a dataset, whose size cannot be told from a part of it"
    )
