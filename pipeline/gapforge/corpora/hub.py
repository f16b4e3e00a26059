"""Any dataset that the `datasets` library can open, read as a stream so that memory stays flat.

A name `hf://owner/name@commit#config/split` is the only thing here that may touch the network. Config and split may
be left out; the split is then "train". A path is a folder made by `save_to_disk`, a folder of
Parquet, CSV or JSONL files, or one such file.
"""

import logging
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gapforge.corpora.books import stem
from gapforge.corpora.source import HUB, Columns, Piece, ReadSettings
from gapforge.corpora.textfiles import to_document
from gapforge.errors import InputError, one_line
from gapforge.records import Document, Reject

SPLIT = "train"
_NAME = re.compile(
    r"hf://(?P<name>[\w.-]+(?:/[\w.-]+)?)(?:@(?P<revision>[^@#\s]+))?(?:#(?:(?P<config>[^/#\s]+)/)?(?P<split>[^/#\s]+))?"
)
# Which of the library's loaders opens a file; "tsv" is its CSV loader with another separator.
_LOADERS = {
    ".parquet": "parquet", ".arrow": "arrow", ".csv": "csv", ".tsv": "tsv", ".json": "json", ".jsonl": "json",
}  # fmt: skip
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_SPLITS = {
    "train": SPLIT, "training": SPLIT, "test": "test", "testing": "test", "eval": "test", "evaluation": "test",
    "validation": "validation", "valid": "validation", "val": "validation", "dev": "validation",
}  # fmt: skip
_SPLIT_WORD = re.compile(rf"(?<![a-z])(?:{'|'.join(_SPLITS)})(?![a-z])")

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HubName:
    """Where a dataset lies on the hub; an empty revision or config is the hub's own default."""

    name: str
    revision: str = ""
    config: str = ""
    split: str = SPLIT


def parse_name(text: str) -> HubName:
    """The parts of `hf://owner/name@revision#config/split`, or of `#split` alone."""
    match = _NAME.fullmatch(text)
    if not match:
        raise InputError(
            f"{text}: wanted a name such as hf://owner/name@revision#config/split; change the input's path"
        )
    return HubName(match["name"], match["revision"] or "", match["config"] or "", match["split"] or SPLIT)


def read(piece: Piece, settings: ReadSettings) -> Iterator[Document | Reject]:
    """The rows as documents; one without an id is named by its number, counted from 0 in the dataset's order."""
    columns = settings.columns
    prefix = parse_name(piece.path).name.replace("/", "-") if piece.path.startswith(HUB) else stem(piece.name)
    with _rows(piece.path, columns) as rows:
        for number, row in enumerate(_without_errors(piece.path, rows)):
            if number == 0 and columns.text not in row:
                raise InputError(
                    f"{piece.path}: wanted a column {columns.text!r}, found {', '.join(row)}; "
                    "set [corpora.NAME.columns] text to one of them"
                )
            id = f"{prefix}-{number}"
            yield to_document(row, settings, f"row {number}", id, id)


@contextmanager
def _rows(path: str, columns: Columns) -> Iterator[Iterator[Row]]:
    # Loading the library takes seconds, which only its own readers should pay.
    import datasets
    from huggingface_hub.utils import logging as hub_logging

    datasets.disable_progress_bars()
    # What they log, each retry among it, they also raise in the end, and one line is enough.
    datasets.logging.set_verbosity(logging.CRITICAL)
    hub_logging.set_verbosity(logging.CRITICAL)
    # The library makes a cache folder for whatever it opens; what is streamed has no use for one.
    with tempfile.TemporaryDirectory() as cache:
        try:
            rows = iter(_open_hub(path, cache, columns) if path.startswith(HUB) else _open_local(path, cache, columns))
        except InputError:
            raise
        except Exception as error:  # the library raises whatever its many backends raise
            remedy = "check the name and the connection" if path.startswith(HUB) else "get it again"
            raise InputError(
                f"{path}: wanted a dataset, found none that opens ({one_line(error)}); {remedy}"
            ) from error
        yield rows


def _without_errors(path: str, rows: Iterator[Row]) -> Iterator[Row]:
    number = 0
    while True:
        try:
            row = next(rows, None)
        except Exception as error:  # as above, and each backend has its own for damaged files
            raise InputError(
                f"{path}: row {number}: wanted a row, found damage ({one_line(error)}); get it again"
            ) from error
        if row is None:
            return
        yield row
        number += 1


def _open_hub(path: str, cache: str, columns: Columns) -> Any:
    from datasets import load_dataset_builder

    hub = parse_name(path)
    builder = load_dataset_builder(hub.name, hub.config or None, revision=hub.revision or None, cache_dir=cache)
    return _stream(builder, hub.split, columns)


def _open_local(path: str, cache: str, columns: Columns) -> Any:
    from datasets import load_dataset_builder, load_from_disk

    place = Path(path)
    if not place.exists():
        raise InputError(
            f"{path}: wanted a dataset, found no such file or folder; check the path, or write hf://owner/name"
        )
    with _offline():
        if (place / "dataset_dict.json").exists():
            splits = load_from_disk(path)
            return splits[_choose(path, list(splits))]
        if (place / "state.json").exists():
            return load_from_disk(path)
        loader, files = _data_files(place)
        options = {"sep": "\t"} if loader == "tsv" else {}
        builder = load_dataset_builder(
            "csv" if loader == "tsv" else loader, data_files={SPLIT: files}, cache_dir=cache, **options
        )
        return _stream(builder, SPLIT, columns)


def _stream(builder: Any, split: str, columns: Columns) -> Any:
    if hasattr(builder.config, "converters"):
        # Without these, a CSV column loses the strings "NA" and "null", and the id 007 becomes the number 7.
        names = (columns.id, columns.title, columns.author, columns.url, columns.text)
        builder.config.converters = dict.fromkeys(names, str)
        builder.config.keep_default_na = False
    return builder.as_streaming_dataset(split=split)


def _data_files(place: Path) -> tuple[str, list[str]]:
    """The loader and the files of one split, in the order of their names.

    A folder's README may name files and addresses elsewhere, which the library would follow, so it is not asked:
    the split shows in a file's path ("train-00000.parquet", "data/test/1.csv"), and one without any is "train".
    """
    if place.is_file():
        loader = _loader_of(place)
        if not loader:
            raise InputError(f"{place}: wanted a file that ends in {', '.join(_LOADERS)}, found another; rename it")
        return loader, [str(place.resolve())]
    files = [file for file in sorted(place.rglob("*")) if _is_data(file, place)]
    loaders = sorted({_loader_of(file) for file in files})
    if len(loaders) != 1:
        raise InputError(
            f"{place}: wanted data files of one kind ({', '.join(_LOADERS)}), found {' and '.join(loaders) or 'none'}; "
            "name a folder with one kind"
        )
    splits: dict[str, list[str]] = {}
    for file in files:
        words = _SPLIT_WORD.findall(file.relative_to(place).as_posix().lower())
        splits.setdefault(_SPLITS[words[0]] if words else SPLIT, []).append(str(file.resolve()))
    return loaders[0], splits[_choose(str(place), list(splits))]


def _loader_of(file: Path) -> str:
    plain = file.with_suffix("") if file.suffix.lower() in _COMPRESSED else file
    return _LOADERS.get(plain.suffix.lower(), "")


def _is_data(file: Path, folder: Path) -> bool:
    """Names that begin with "_" or "." are bookkeeping by a custom of Parquet folders, our own stages among them."""
    aside = any(part.startswith(("_", ".")) for part in file.relative_to(folder).parts)
    return not aside and file.is_file() and bool(_loader_of(file))


def _choose(path: str, splits: list[str]) -> str:
    if SPLIT in splits:
        return SPLIT
    if len(splits) == 1:
        return splits[0]
    raise InputError(
        f"{path}: wanted the split {SPLIT!r}, found {', '.join(splits) or 'none'}; name the folder or file of one"
    )


@contextmanager
def _offline() -> Iterator[None]:
    """Nothing asks the hub within: the library otherwise looks there for what it thinks may be a name."""
    from datasets import config
    from huggingface_hub import constants

    before = config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE
    config.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE = before
