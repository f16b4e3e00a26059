"""From the raw files that a config names to shards of documents."""

import dataclasses
import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.config import section_of
from pipeline.corpora.fetch import FetchSettings, fetch
from pipeline.corpora.formats import HUB, format_of, is_dataset_folder, pieces_of, reader, takes
from pipeline.corpora.source import CorpusSettings, Input, Piece, RawFile, ReadSettings
from pipeline.engine import Tick
from pipeline.errors import ConfigError, InputError
from pipeline.files import Checksums
from pipeline.parts import part_files, write_part
from pipeline.records import Document, Reject

Shard = list[tuple[str, Piece]]  # format, piece


def corpus_names(config: str) -> list[str]:
    """The NAMEs of the `[corpora.NAME]` sections, in the order of the file."""
    names = list(section_of(config, "corpora"))
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
            raise ConfigError(f"{config}: [corpora.{name}] is no name for a folder; use letters, digits, - and _")
    if not names:
        raise ConfigError(f"{config}: names no corpus; add a section [corpora.NAME] with inputs")
    return names


def resolve(settings: CorpusSettings, base: Path, downloads: Path, place: str) -> CorpusSettings:
    """The settings with every path made findable: relative ones start at the config's own folder."""
    if not settings.inputs:
        raise ConfigError(f'{place} names no inputs; add inputs = [{{ path = "..." }}]')
    if settings.shards < 1:
        raise ConfigError(f"{place} shards must be at least 1, found {settings.shards}")
    inputs = []
    for n, item in enumerate(settings.inputs, 1):
        if bool(item.path) == bool(item.url):
            raise ConfigError(f"{place} inputs item {n} needs either a path or a url")
        if item.url and not item.sha256:
            raise ConfigError(f"{place} inputs item {n}: {item.url} has no sha256; what is fetched must be pinned")
        if item.path.startswith(HUB) and "@" not in item.path:
            raise ConfigError(f"{place} inputs item {n}: {item.path} names no revision; write hf://owner/name@revision")
        path = item.path
        if item.url:
            path = str(download_path(item, downloads))
        elif not path.startswith(HUB):
            path = str(base / path)
        inputs.append(dataclasses.replace(item, path=path))
    catalog = settings.catalog
    if catalog.file:
        catalog = dataclasses.replace(catalog, file=str(base / catalog.file))
    return dataclasses.replace(settings, inputs=inputs, catalog=catalog)


def download_path(item: Input, downloads: Path) -> Path:
    """Where a URL's file is kept: under its checksum, so that two URLs of one name never meet."""
    return downloads / item.sha256[:16] / (unquote(Path(urlsplit(item.url).path).name) or "download")


def find_files(item: Input, format: str) -> list[RawFile]:
    """The raw files of one resolved input, in the order of their names."""
    path = Path(item.path)
    if item.path.startswith(HUB) or is_dataset_folder(path):
        return [RawFile(item.path, path.name, "dataset")]
    if path.is_dir():
        if format == "dataset":
            return [RawFile(item.path, path.name, "dataset")]
        found = [(file, file.relative_to(path).as_posix()) for file in path.rglob("*") if is_raw(file, path, format)]
    elif "*" in path.name:
        found = [(file, file.name) for file in path.parent.glob(path.name) if is_raw(file, path.parent, format)]
    elif path.exists():
        found = [(path, path.name)]
    else:
        raise InputError(f"{path}: no such file or folder; mend inputs in the config")
    if not found:
        raise InputError(f"{path}: holds no file to read; mend inputs in the config")
    return [
        RawFile(str(file), name, format_of(str(file), format)) for file, name in sorted(found, key=lambda it: it[1])
    ]


def is_raw(file: Path, folder: Path, format: str) -> bool:
    """Below a folder, files that the format may lie in count; hidden ones do not."""
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return file.is_file() and not hidden and takes(format, file.name)


def input_checksums(settings: CorpusSettings, written: CorpusSettings, checksums: Checksums) -> dict[str, str]:
    """The sha256 of every input under the name the config gives it; a pin that does not fit raises InputError.

    Nothing is fetched for this: of a URL the pin is known, and the file is checked when it arrives.
    """
    result = {}
    for item, named in zip(settings.inputs, written.inputs, strict=True):
        if item.url:
            result[item.url] = item.sha256
        elif item.path.startswith(HUB):
            result[item.path] = item.sha256
        else:
            digest = checksum_of(item, settings.format, checksums)
            if item.sha256 and digest != item.sha256.lower():
                raise InputError(
                    f"{item.path}: sha256 is {digest}, but the config pins {item.sha256}; "
                    "restore the file, or pin the new contents"
                )
            result[named.path] = digest
    if settings.catalog.file:
        catalog = Path(settings.catalog.file)
        if not catalog.exists():
            raise InputError(f"{catalog}: no such catalogue; mend catalog.file in the config")
        result[written.catalog.file] = checksums.of(catalog)
    return result


def checksum_of(item: Input, format: str, checksums: Checksums) -> str:
    files = find_files(item, format)
    if len(files) == 1 and Path(files[0].path).is_file() and Path(item.path).is_file():
        return checksums.of(Path(files[0].path))
    lines = []
    for file in files:
        path = Path(file.path)
        members = sorted(path.rglob("*")) if path.is_dir() else [path]
        for member in members:
            if member.is_file():
                name = file.name if member == path else member.relative_to(path).as_posix()
                lines.append(f"{checksums.of(member)}  {name}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def fetch_inputs(settings: CorpusSettings, fetching: FetchSettings) -> None:
    for item in settings.inputs:
        if item.url:
            fetch(item.url, item.sha256, Path(item.path), fetching)


def plan_shards(settings: CorpusSettings) -> list[Shard]:
    """Cut the corpus into at most `shards` runs of pieces of about equal size; the same files give the same cut."""
    pieces = [
        (file.format, piece)
        for item in settings.inputs
        for file in find_files(item, settings.format)
        for piece in pieces_of(file)
    ]
    sizes = [piece_size(piece) for _, piece in pieces]
    total = sum(sizes)
    shards: list[Shard] = []
    seen, last = 0, -1
    for piece, size in zip(pieces, sizes, strict=True):
        # The shard in whose share of all bytes the piece's middle lies.
        number = min(settings.shards - 1, (seen + size // 2) * settings.shards // max(total, 1))
        if number != last:
            shards.append([])
            last = number
        shards[-1].append(piece)
        seen += size
    return shards


def piece_size(piece: Piece) -> int:
    if piece.end is not None:
        return piece.end - piece.start
    path = Path(piece.path)
    return path.stat().st_size if path.is_file() else 0


def read_shard(shard: Sequence[tuple[str, Piece]], settings: ReadSettings) -> Iterator[Document | Reject]:
    for format, piece in shard:
        yield from reader(format)(piece, settings)


def write_shard(settings: ReadSettings, shard: Shard, path: Path, tick: Tick) -> int:
    return write_part(path, Document, read_shard(shard, settings), tick)


def check_ids(folder: Path) -> None:
    """Refuse two documents of one id: every later record is known by it."""
    ids = pq.read_table(part_files(folder), columns=["id"]).column("id")
    counts = pc.value_counts(ids)
    twice = counts.filter(pc.greater(counts.field("counts"), 1))
    if len(twice):
        shown = ", ".join(sorted(row["values"] for row in twice.to_pylist())[:5])
        raise InputError(
            f"{len(twice)} document ids occur more than once ({shown}); does the config name a file twice?"
        )
