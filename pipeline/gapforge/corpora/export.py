"""Raw files to one file of documents, without a config: what `gapforge documents` does."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from gapforge.config import hint
from gapforge.corpora.formats import pieces_of, reader
from gapforge.corpora.inputs import find_files
from gapforge.corpora.source import Input, RawFile, ReadSettings, known
from gapforge.errors import ConfigError, InputError
from gapforge.progress import progress
from gapforge.records import Document, Reject
from gapforge.storage.files import atomic_file, check_target, json_line

Write = Callable[[Any], None]

OUTPUTS = (".jsonl", ".parquet")


def export_documents(files: list[str], output: Path, rejects: Path | None, settings: ReadSettings) -> dict[str, Any]:
    """Write the documents of all files in order; the counts by reason of what was left out come back."""
    if settings.encoding:
        known(settings.encoding)
    if settings.format != "auto":
        reader(settings.format)
    targets = [output] if rejects is None else [output, rejects]
    raw = raw_files(files, settings.format, targets)
    reasons: Counter[str] = Counter()
    count = 0
    aside = open_output(rejects, Reject) if rejects else nullcontext(drop)
    told = progress("documents", len(raw), "files", "documents")
    with open_output(output, Document) as write, aside as put_aside, told as report:
        for n, item in read_files(raw, settings):
            if isinstance(item, Reject):
                reasons[item.reason] += 1
                put_aside(item)
            else:
                write(item)
                count += 1
                report(n, count)
    return {"documents": count, "rejects": dict(sorted(reasons.items())), "output": str(output)}


def raw_files(paths: list[str], format: str, targets: list[Path]) -> list[RawFile]:
    """The files to read; what an earlier call wrote into the same folder is none of them."""
    ours = {target.resolve() for target in targets}
    if len(ours) < len(targets):
        raise ConfigError(f"{targets[0]}: is both output and rejects; write them to two files")
    if clash := [path for path in paths if Path(path).resolve() in ours]:
        raise ConfigError(f"{clash[0]}: is both input and output; write to another file")
    found = [file for path in paths for file in find_files(named(path), format)]
    return [file for file in found if Path(file.path).resolve() not in ours]


def named(path: str) -> Input:
    try:
        return Input(path=path)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def read_files(raw: list[RawFile], settings: ReadSettings) -> Iterator[tuple[int, Document | Reject]]:
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
        yield from reader(file.format)(piece, settings)


def check_output(path: Path) -> None:
    """Refuse a file that cannot be written because of its kind or place, before there is any work."""
    if path.suffix not in OUTPUTS:
        raise ConfigError(f"{path}: unknown kind of output {path.suffix!r}{hint(path.suffix, OUTPUTS)}")
    check_target(path)


@contextmanager
def open_output(path: Path, record: type) -> Iterator[Write]:
    """A function that writes a record to a `.jsonl` or `.parquet` file, which appears when all is written."""
    check_output(path)
    with atomic_file(path) as temporary:
        if path.suffix == ".jsonl":
            with temporary.open("w", encoding="utf-8", newline="\n") as file:

                def write(item: Any) -> None:
                    file.write(json_line(item) + "\n")

                yield write
        else:
            # Arrow takes longer to load than a small file to read.
            from gapforge.storage.tables import RecordWriter

            writer = RecordWriter(temporary, record)
            yield writer.write
            writer.close()


def drop(item: Any) -> None:
    """Counted, and not asked for."""
