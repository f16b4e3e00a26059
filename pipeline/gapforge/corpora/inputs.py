"""The raw files that a config names: where they lie, and whether they are the pinned ones."""

import dataclasses
import hashlib
import re
from collections.abc import Iterable, Sequence
from glob import has_magic
from pathlib import Path
from urllib.parse import unquote, urlsplit

from gapforge.config import section_of
from gapforge.corpora.formats import READERS, chosen, format_of, is_dataset_folder, reader, takes
from gapforge.corpora.source import HUB, CorpusSettings, Input, RawFile, known
from gapforge.errors import ConfigError, InputError
from gapforge.plugins import target_of
from gapforge.storage.files import Checksums, check_apart

# How Python shows the bytes of a file name that are not UTF-8.
SURROGATE = re.compile("[\ud800-\udfff]")


# Sections whose stages need no raw corpus.
WITHOUT_CORPUS = ("winobias", "augmentation")


def corpus_names(config: str) -> list[str]:
    """The NAMEs of the `[corpora.NAME]` sections, in the order of the file."""
    names = section_of(config, "corpora")
    for name, table in names.items():
        catalog = table.get("catalog") if isinstance(table, dict) else None
        if isinstance(catalog, dict) and catalog and not {"file", "ids"} & catalog.keys():
            raise ConfigError(f"{config}: [corpora.{name}] catalog names no file; it selects by pg_catalog.csv")
        if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
            raise ConfigError(f"{config}: [corpora.{name}] is no name for a folder; use letters, digits, - and _")
    if not names and not any(section_of(config, section) for section in WITHOUT_CORPUS):
        raise ConfigError(f"{config}: names no corpus; add a section [corpora.NAME] with inputs")
    return list(names)


def resolve(settings: CorpusSettings, base: Path, downloads: Path, place: str) -> CorpusSettings:
    """The settings with every path made findable: relative ones start at the config's own folder.

    What cannot work is refused here, before anything is fetched or read.
    """
    try:
        if settings.format != "auto":
            reader(settings.format)
        if settings.encoding:
            known(settings.encoding)
    except ConfigError as error:
        raise ConfigError(f"{place} {error}") from error
    inputs = []
    for item in settings.inputs:
        path = item.path
        if item.url:
            path = str(download_path(item, downloads))
        elif not path.startswith(HUB):
            path = str(base / path)
        inputs.append(dataclasses.replace(item, path=path, url="", sha256=item.sha256.lower()))
    catalog = settings.catalog
    if catalog.file:
        catalog = dataclasses.replace(catalog, file=str(base / catalog.file))
    try:
        return dataclasses.replace(settings, inputs=inputs, catalog=catalog)
    except ValueError as error:  # Two ways to write one path.
        raise ConfigError(f"{place} {error}") from error


def download_path(item: Input, downloads: Path) -> Path:
    """Where a URL's file is kept: under its checksum, so that two URLs of one name never meet."""
    name = Path(unquote(urlsplit(item.url).path)).name
    return downloads / item.sha256.lower()[:16] / (name if name.strip(".") else "download")


def find_files(item: Input, format: str) -> list[RawFile]:
    """The raw files of one resolved input, in the order of their names."""
    path = Path(item.path)
    if item.path.startswith(HUB) or is_dataset_folder(path) or (path.is_dir() and format == "dataset"):
        return [RawFile(item.path, path.name, "dataset")]
    if path.is_dir():
        names = names_below(path, "**/*", format)
    elif path.exists():
        path, names = path.parent, [path.name]
    elif has_magic(item.path):
        plain = next(n for n, part in enumerate(path.parts) if has_magic(part))
        path, pattern = Path(*path.parts[:plain]), str(Path(*path.parts[plain:]))
        names = names_below(path, pattern, format)
    else:
        raise InputError(f"{path}: no such file or folder; fix the path")
    for name in names:
        if SURROGATE.search(name):
            raise InputError(f"{path}: the file name {name!a} is not UTF-8; rename the file")
    if not names:
        raise InputError(f"{item.path}: holds no file to read; fix the path")
    return [RawFile(str(path / name), name, format_of(str(path / name), format)) for name in names]


def files_to_read(paths: Iterable[str], format: str, outputs: Sequence[Path] = ()) -> list[RawFile]:
    """The files that are named on a command line; what an earlier call wrote into the same folder is none of them."""
    paths = list(paths)
    ours = {path.resolve() for path in outputs}
    if len(ours) < len(outputs):
        raise ConfigError(f"{outputs[0]}: is both output and rejects; write them to two files")
    check_apart(paths, outputs)
    found = [file for path in paths for file in find_files(named(path), format)]
    return [file for file in found if Path(file.path).resolve() not in ours]


def named(path: str) -> Input:
    try:
        return Input(path=path)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def names_below(folder: Path, pattern: str, format: str) -> list[str]:
    """The files below a folder that the format may lie in, sorted; hidden and private ones do not count."""
    try:
        found = list(folder.glob(pattern))
    except ValueError as error:
        raise InputError(f"{folder / pattern}: no pattern for files ({error}); fix the path") from error
    names = []
    for file in found:
        below = file.relative_to(folder)
        if file.is_file() and takes(format, file.name) and not any(part[0] in "._" for part in below.parts):
            names.append(below.as_posix())
    return chosen(sorted(names), format)


def input_checksums(settings: CorpusSettings, written: CorpusSettings, checksums: Checksums) -> dict[str, str]:
    """The sha256 of every input under the name the config gives it; a pin that does not fit raises InputError.

    Nothing is fetched for this: of a URL the pin is known, and the file is checked before it is read.
    """
    result = {}
    for item, named in zip(settings.inputs, written.inputs, strict=True):
        if named.url:
            result[named.url] = item.sha256
        elif item.path.startswith(HUB):
            result[named.path] = ""
        else:
            digest = checksum_of(item, settings.format, checksums)
            if item.sha256 and digest != item.sha256:
                raise InputError(
                    f"{item.path}: sha256 is {digest}, but the config pins {item.sha256}; "
                    "restore the file, or pin the new contents"
                )
            result[named.path] = digest
    if settings.catalog.file:
        catalog = Path(settings.catalog.file)
        if not catalog.exists():
            raise InputError(f"{catalog}: no such catalogue; fix catalog.file in the config")
        result[written.catalog.file] = checksums.of(catalog)
    return result


def checksum_of(item: Input, format: str, checksums: Checksums) -> str:
    """The checksum of a file, or of the lines `sha256  name` of several."""
    if Path(item.path).is_file():
        return checksums.of(Path(item.path))
    lines = []
    for file in find_files(item, format):
        path = Path(file.path)
        members = sorted(it for it in path.rglob("*") if it.is_file()) if path.is_dir() else [path]
        for member in members:
            name = file.name if member == path else member.relative_to(path).as_posix()
            lines.append(f"{checksums.of(member)}  {name}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def reader_targets(settings: CorpusSettings, written: CorpusSettings) -> list[str]:
    """Where the readers of a resolved corpus are, as "module:function".

    A file of a URL may not be here yet, and a second run must find what the first one found. So where its format is
    to be recognised, all our readers count.
    """
    if settings.format != "auto":
        return [target_of(settings.format, READERS)]
    if any(item.url for item in written.inputs):
        return sorted(READERS.values())
    formats = {file.format for item in settings.inputs for file in find_files(item, settings.format)}
    return [target_of(format, READERS) for format in sorted(formats)]
