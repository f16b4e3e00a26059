"""A part of a raw corpus that stands for the whole: stretches of its files, spread evenly from the first to the last.

It is read by the same readers as the whole, so every stretch is one that they can begin and end at: whole files, whole
streams of a dump, whole lines. A packed file of one stream can only be read from its beginning, to its very end; its
first pages or lines are packed into a file of their own.
"""

import bz2
import dataclasses
import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

from pipeline.corpora import bzip2
from pipeline.corpora.documents import Shard, piece_size, size_of
from pipeline.corpora.source import Piece

EXCERPT = 8 << 20  # bytes of raw files: some seconds of reading, and a full row group of text
STRETCHES = 8
STRETCH = EXCERPT // STRETCHES
HEAD = 2 << 20  # bytes of a packed file that is one stream
MOST_UNPACKED = 64 << 20
LARGEST_WHOLE = 64 << 20  # bytes of a file that is read whole
LONGEST_SEARCH = 16 << 20  # bytes within which a stream or a line has to end

CUT_FORMATS = ("wikipedia", "jsonl")
# What a reader takes for the end of a page or a row, and what closes the file after the last of them.
ENDS = {"wikipedia": (b"</page>", b"</mediawiki>"), "jsonl": (b"\n", b"")}


def excerpt(shards: Sequence[Shard], scratch: Path) -> Shard:
    """Stretches of a corpus, some `EXCERPT` bytes in all, in its order; files that have to be made go to `scratch`."""
    pieces = [it for shard in shards for it in shard]
    worth = [
        min(piece_size(piece), STRETCH) if format in CUT_FORMATS else piece_size(piece) for format, piece in pieces
    ]
    count = EXCERPT * len(pieces) // max(sum(worth), 1)
    chosen = [pieces[n] for n in evenly(len(pieces), count)]
    return [(format, shortened(format, piece, scratch)) for format, piece in chosen]


def evenly(total: int, count: int) -> list[int]:
    """`count` of the numbers below `total`, or all: the middle ones of stretches of equal length; at least one."""
    count = max(1, min(total, count))
    return [(2 * n + 1) * total // (2 * count) for n in range(count)]


def why_none(pieces: Shard) -> str:
    """What keeps these pieces from standing for their corpus; empty where they can."""
    for format, piece in pieces:
        if format == "dataset":
            return f"{piece.path} is a dataset, whose size cannot be told from a part of it"
        if piece_size(piece) > LARGEST_WHOLE:
            return f"{piece.path} cannot be read in part, and has more than {LARGEST_WHOLE >> 20} MiB"
    return ""


def shortened(format: str, piece: Piece, scratch: Path) -> Piece:
    """The first `STRETCH` bytes or so of a piece; all of it where its format, or its size, allows no cut."""
    if format not in CUT_FORMATS or piece_size(piece) <= STRETCH:
        return piece
    end = piece.start + STRETCH
    last = size_of(piece.path) if piece.end is None else piece.end
    with Path(piece.path).open("rb") as file:
        magic = file.read(len(bzip2.MAGIC))
    if magic == bzip2.MAGIC:
        found = bzip2.boundary_between(piece.path, end, min(last, end + LONGEST_SEARCH)) if format != "jsonl" else None
    elif piece.path.lower().endswith(".gz"):
        found = None
    else:
        found = end if format == "wikipedia" else line_after(piece.path, end)
    if found is not None:
        return dataclasses.replace(piece, end=min(found, last))
    return piece if piece.start or piece_size(piece) <= HEAD else packed_head(format, piece, scratch)


def line_after(path: str, position: int) -> int:
    """Where the first line begins after `position`, or so far on that its reader will say what is wrong with it."""
    with Path(path).open("rb") as file:
        file.seek(position)
        return position + len(file.readline(LONGEST_SEARCH))


def packed_head(format: str, piece: Piece, scratch: Path) -> Piece:
    """A file of the first whole pages or lines of a packed one, packed alike, so that reading it costs the same."""
    with Path(piece.path).open("rb") as file:
        packed = file.read(HEAD)
    end, closing = ENDS[format]
    bzip = packed.startswith(bzip2.MAGIC)
    text = unpacked_bz2(packed) if bzip else zlib.decompressobj(wbits=31).decompress(packed, MOST_UNPACKED)
    text = text[: text.rfind(end) + len(end)] + closing
    place = scratch / f"head{len(list(scratch.iterdir()))}-{Path(piece.path).name}"
    place.write_bytes(bz2.compress(text) if bzip else gzip.compress(text, compresslevel=6, mtime=0))
    return Piece(str(place), piece.name)


def unpacked_bz2(packed: bytes) -> bytes:
    """What the first bytes of a bz2 file hold, of however many streams."""
    parts = []
    room = MOST_UNPACKED
    while packed.startswith(bzip2.MAGIC) and room > 0:
        decoder = bz2.BZ2Decompressor()
        parts.append(decoder.decompress(packed, max_length=room))
        room -= len(parts[-1])
        packed = decoder.unused_data
    return b"".join(parts)
