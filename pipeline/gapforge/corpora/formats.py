"""The formats of raw files: which reader takes which, and how a file's format is recognised."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import get_origin, get_type_hints

from gapforge.config import hint
from gapforge.corpora.source import HUB, Piece, RawFile, ReadSettings
from gapforge.errors import ConfigError, InputError, one_line
from gapforge.plugins import load_plugin
from gapforge.records import Document, Reject

Read = Callable[[Piece, ReadSettings], Iterator[Document | Reject]]

READERS = {
    "wikipedia": "gapforge.corpora.wikipedia:read",
    "gutenberg": "gapforge.corpora.gutenberg:read",
    "epub": "gapforge.corpora.epub:read",
    "text": "gapforge.corpora.textfiles:read_text",
    "jsonl": "gapforge.corpora.textfiles:read_jsonl",
    "dataset": "gapforge.corpora.hub:read",
}

# By names too, so that the novels of a run do not rest on the code that cuts dumps, nor the dumps on that of novels.
CUTTERS = {"wikipedia": "gapforge.corpora.wikipedia:cut", "jsonl": "gapforge.corpora.textfiles:cut_jsonl"}
CHOOSERS = {"gutenberg": "gapforge.corpora.gutenberg:best_renderings"}

SUFFIXES = {
    ".xml": "wikipedia",
    ".xml.bz2": "wikipedia",
    ".bz2": "wikipedia",
    ".zip": "gutenberg",
    ".epub": "epub",
    ".jsonl": "jsonl",
    ".jsonl.gz": "jsonl",
    ".jsonl.bz2": "jsonl",
    ".txt": "text",
    ".txt.utf8": "text",
    ".txt.utf-8": "text",
    ".md": "text",
    ".parquet": "dataset",
    ".arrow": "dataset",
    ".csv": "dataset",
    ".tsv": "dataset",
    ".json": "dataset",
}
# In a folder these are more often notes on the texts (a catalogue, a licence list) than texts.
ONLY_BY_NAME = (".csv", ".tsv", ".json")

# Bytes of a raw file that a worker reads at a stretch: more would be lost to a crash, fewer cost more than they spare.
LARGEST_PIECE = 16 << 20
SMALLEST_PIECE = 1 << 20

# What `datasets` leaves in a folder made by save_to_disk.
DATASET_MARKS = ("dataset_info.json", "dataset_dict.json", "state.json")


def suffix_of(path: str) -> str:
    """The longest known ending: `.jsonl.bz2` is not a dump."""
    name = path.lower()
    return max((suffix for suffix in SUFFIXES if name.endswith(suffix)), key=len, default="")


def takes(format: str, name: str) -> bool:
    """Whether a file found in a folder may be of the format; a reader of the user's own takes all."""
    suffix = suffix_of(name)
    found = SUFFIXES.get(suffix, "")
    if format == "auto":
        return bool(found) and suffix not in ONLY_BY_NAME
    return found == format or (format == "gutenberg" and found == "text") or format not in READERS


def chosen(names: list[str], format: str) -> list[str]:
    """The files of a folder that are to be read: of a book that is there in several forms, one."""
    if format not in CHOOSERS:
        return names
    best: list[str] = load_plugin(format, CHOOSERS)(names)
    return best


def is_dataset_folder(path: Path) -> bool:
    return path.is_dir() and any((path / mark).exists() for mark in DATASET_MARKS)


def format_of(path: str, wanted: str) -> str:
    """The format to read a file in: the one that is asked for, or recognised by its name and first bytes."""
    if wanted != "auto":
        return wanted
    if path.startswith(HUB) or is_dataset_folder(Path(path)):
        return "dataset"
    suffix = suffix_of(path)
    if not suffix:
        raise InputError(
            f"{path}: cannot tell its format from its name; give the format ({', '.join(READERS)}) or rename it"
        )
    if suffix.startswith(".txt") and has_gutenberg_header(Path(path)):
        return "gutenberg"
    return SUFFIXES[suffix]


def has_gutenberg_header(path: Path) -> bool:
    with path.open("rb") as file:
        return b"project gutenberg" in file.read(1 << 14).lower()


def pieces_of(file: RawFile, size: int = LARGEST_PIECE) -> list[Piece]:
    """Dumps and JSONL can be read from many places at once, every `size` bytes or so; all else is read whole."""
    if file.format not in CUTTERS:
        return [Piece(file.path, file.name)]
    pieces: list[Piece] = load_plugin(file.format, CUTTERS)(file.path, file.name, size)
    return pieces


def reader(format: str) -> Read:
    """The reader of a format; ConfigError where there is none of that name."""
    if format not in READERS and ":" not in format:
        raise ConfigError(f"unknown format {format!r}{hint(format, ['auto', *READERS])}")
    return load_plugin(format, READERS)


def read_files(raw: Iterable[RawFile], settings: ReadSettings) -> Iterator[tuple[int, Document | Reject]]:
    """What each file holds, with the number of the file; InputError where two documents have one id."""
    seen: set[str] = set()
    for n, file in enumerate(raw):
        for item in read_file(file, settings):
            # The ids of a dump are one to a page; those of files and rows may meet.
            if isinstance(item, Document) and file.format != "wikipedia":
                if item.id in seen:
                    raise InputError(f"{file.path}: a second document {item.id!r}; rename or remove one of them")
                seen.add(item.id)
            yield n, item


def read_file(file: RawFile, settings: ReadSettings) -> Iterator[Document | Reject]:
    for piece in pieces_of(file):
        yield from read_piece(file.format, piece, settings)


def read_piece(format: str, piece: Piece, settings: ReadSettings) -> Iterator[Document | Reject]:
    """What the reader gives of a piece; ConfigError where one of the user's own fails, or gives something else."""
    read = reader(format)
    if format in READERS:
        yield from read(piece, settings)
        return
    try:
        for number, item in enumerate(read(piece, settings), 1):
            check_item(item, number)
            yield item
    except (ConfigError, InputError):
        raise
    except Exception as error:  # Whatever a user's function raises.
        raise ConfigError(
            f"{format}: {piece.name}: {type(error).__name__}: {one_line(error)}; fix the reader"
        ) from error


def check_item(item: object, number: int) -> None:
    """TypeError where what a reader gives is no record, or holds something else than its fields are for."""
    if not isinstance(item, (Document, Reject)):
        raise TypeError(f"item {number} is a {type(item).__name__}, not a Document or Reject")
    for name, kind in get_type_hints(type(item)).items():
        wanted = list if get_origin(kind) is list else kind
        if not isinstance(value := getattr(item, name), wanted):
            raise TypeError(f"item {number} has {name} = {value!r:.60}, not a {wanted.__name__}")
