"""Raw files to one file of documents, without a config: what `gapforge documents` does."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.config import hint
from pipeline.corpora.formats import pieces_of, reader
from pipeline.corpora.inputs import find_files
from pipeline.corpora.source import Input, ReadSettings
from pipeline.errors import ConfigError
from pipeline.files import atomic_file
from pipeline.jsonl import json_line
from pipeline.progress import progress
from pipeline.records import Document, Reject

OUTPUTS = (".jsonl", ".parquet")


def export_documents(files: list[str], output: Path, format: str, encoding: str) -> dict[str, Any]:
    """Write the documents of all files in order; the counts by reason of what was left out come back."""
    settings = ReadSettings(format=format, encoding=encoding)
    raw = [file for path in files for file in find_files(Input(path=path), format)]
    rejects: Counter[str] = Counter()
    count = 0
    with open_output(output) as write, progress("documents", len(raw), "files", "documents") as report:
        for n, file in enumerate(raw):
            for piece in pieces_of(file):
                for item in reader(file.format)(piece, settings):
                    if isinstance(item, Reject):
                        rejects[item.reason] += 1
                    else:
                        write(item)
                        count += 1
                        report(n, count)
    return {"documents": count, "rejects": dict(sorted(rejects.items())), "output": str(output)}


@contextmanager
def open_output(path: Path) -> Iterator[Callable[[Document], None]]:
    """A function that writes a document to a `.jsonl` or `.parquet` file, which appears when all is written."""
    if path.suffix not in OUTPUTS:
        raise ConfigError(f"{path}: unknown kind of output {path.suffix!r}{hint(path.suffix, OUTPUTS)}")
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: its folder does not exist; make it first")
    with atomic_file(path) as temporary:
        if path.suffix == ".jsonl":
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                yield lambda document: void(file.write(json_line(document) + "\n"))
        else:
            # Arrow takes longer to load than a small file to read.
            from pipeline.tables import RecordWriter

            writer = RecordWriter(temporary, Document)
            yield writer.write
            writer.close()


def void(value: object) -> None:
    """Call for effect."""
