"""The raw files that a config names: where they lie, and whether they are the pinned ones.

Fetch a raw file that a config names by URL: once, resumably, not too fast, and only if it is the pinned one.

This is the one place where raw files come from the network.
"""

import dataclasses
import hashlib
import re
import time
from dataclasses import dataclass
from glob import has_magic
from http.client import HTTPException, HTTPResponse
from math import inf
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

from gapforge.config import section_of
from gapforge.corpora.formats import READERS, format_of, is_dataset_folder, reader, takes
from gapforge.corpora.gutenberg import best_renderings
from gapforge.corpora.source import HUB, CorpusSettings, Input, RawFile, known
from gapforge.errors import ConfigError, InputError
from gapforge.plugins import target_of
from gapforge.progress import progress
from gapforge.storage.files import Checksums, run_lock, sha256_of, sync

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
        raise InputError(f"{path}: no such file or folder; mend the path")
    for name in names:
        if SURROGATE.search(name):
            raise InputError(f"{path}: the file name {name!a} is not UTF-8; rename the file")
    if not names:
        raise InputError(f"{item.path}: holds no file to read; mend the path")
    return [RawFile(str(path / name), name, format_of(str(path / name), format)) for name in names]


def names_below(folder: Path, pattern: str, format: str) -> list[str]:
    """The files below a folder that the format may lie in, sorted; hidden and private ones do not count."""
    try:
        found = list(folder.glob(pattern))
    except ValueError as error:
        raise InputError(f"{folder / pattern}: no pattern for files ({error}); mend the path") from error
    names = []
    for file in found:
        below = file.relative_to(folder)
        if file.is_file() and takes(format, file.name) and not any(part[0] in "._" for part in below.parts):
            names.append(below.as_posix())
    return best_renderings(sorted(names)) if format == "gutenberg" else sorted(names)


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
            raise InputError(f"{catalog}: no such catalogue; mend catalog.file in the config")
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


AGENT = "gapforge (dataset builder; one connection, rate-limited)"
CHUNK = 1 << 16
ASK_LATER = (408, 425, 429)  # of the 400s, which else mean that the server understood and said no


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """The `[fetch]` section."""

    bytes_per_second: int = 5_000_000
    pause: float = 2.0  # seconds before every request, for the server's sake
    attempts: int = 5
    timeout: float = 60.0

    def __post_init__(self) -> None:
        sane = 0 <= self.pause < inf and 0 < self.timeout < inf  # nan is neither
        if self.bytes_per_second < 1 or self.attempts < 1 or not sane:
            raise ValueError("needs bytes_per_second and attempts of at least 1, a pause of at least 0 and a timeout")


def fetch(url: str, sha256: str, target: Path, settings: FetchSettings, checksums: Checksums) -> None:
    """Bring `url` to `target` unless the pinned file is there; a partial download is kept and gone on with."""
    with run_lock(target.parent):  # Several runs may want the same file.
        if target.exists():
            if checksums.of(target) == sha256:
                return
            target.unlink()  # It was whole once; somebody or something has changed it since.
        partial = target.parent / f".{target.name}.partial"
        resumed = partial.exists()
        for attempt in range(1, settings.attempts + 1):
            time.sleep(settings.pause * attempt)
            try:
                download(url, partial, settings)
                break
            except HTTPError as error:
                final = 400 <= error.code < 500 and error.code not in ASK_LATER
                if final or attempt == settings.attempts:
                    remedy = "mend the url" if final else "run again later"
                    raise InputError(f"{url}: the server answers {error.code} {error.reason}; {remedy}") from error
            except (URLError, HTTPException, OSError) as error:
                if attempt == settings.attempts:
                    raise InputError(
                        f"{url}: {error} after {attempt} attempts; run again to go on from byte {size_of(partial)}"
                    ) from error
        found = sha256_of(partial)
        if found != sha256:
            partial.unlink()
            if resumed:  # What an earlier run had begun may have been the wrong half: all of it once more.
                return fetch(url, sha256, target, settings, checksums)
            raise InputError(
                f"{url}: sha256 is {found}, but the config pins {sha256}; mend the url, or pin the new contents"
            )
        sync(partial)
        partial.replace(target)
        sync(target.parent)


def download(url: str, partial: Path, settings: FetchSettings) -> None:
    """One request for what is still missing; raises where the connection ends before the announced length."""
    have = size_of(partial)
    headers = {"User-Agent": AGENT} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        answer: HTTPResponse = urlopen(Request(url, headers=headers), timeout=settings.timeout)  # noqa: S310 (settings admit http and https only)
    except HTTPError as error:
        if error.code == 416 and have:  # Nothing is left beyond what we have; the checksum decides.
            error.close()
            return
        raise
    with answer:
        if answer.status != 206:
            have = 0  # The server sends everything again.
        length = answer.headers.get("Content-Length")
        end = have + int(length) if length else 0
        started = time.monotonic()
        received = 0
        with partial.open("ab" if have else "wb") as file, progress(f"fetch {url}", end, "bytes", "bytes") as report:
            while block := answer.read(CHUNK):
                file.write(block)
                received += len(block)
                report(have + received, received)
                ahead = received / settings.bytes_per_second - (time.monotonic() - started)
                if ahead > 0:
                    time.sleep(ahead)
        if end and have + received < end:
            raise URLError(f"the connection ended at byte {have + received} of {end}")


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def reader_targets(settings: CorpusSettings) -> list[str]:
    """Where the readers of a resolved corpus are, as "module:function"; all of ours until its files are here."""
    if settings.format != "auto":
        return [target_of(settings.format, READERS)]
    try:
        formats = {file.format for item in settings.inputs for file in find_files(item, settings.format)}
    except InputError:
        formats = set(READERS)
    return [target_of(format, READERS) for format in sorted(formats)]
