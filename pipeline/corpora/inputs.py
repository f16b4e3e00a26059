"""The raw files that a config names: where they lie, and whether they are the pinned ones."""

import dataclasses
import hashlib
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pipeline.config import section_of
from pipeline.corpora.formats import HUB, format_of, is_dataset_folder, takes
from pipeline.corpora.source import CorpusSettings, Input, RawFile
from pipeline.errors import ConfigError, InputError
from pipeline.files import Checksums


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
