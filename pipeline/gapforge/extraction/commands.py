"""Raw files to people or candidates without a config: what `gapforge names` and `gapforge extract` do."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from gapforge.config import hint
from gapforge.corpora.export import drop, named, open_output, raw_files, read_file, read_files
from gapforge.corpora.inputs import find_files
from gapforge.corpora.source import ReadSettings
from gapforge.errors import ConfigError
from gapforge.extraction.candidates import KINDS, find_candidates, mentions_in
from gapforge.people.identity import join_people
from gapforge.progress import progress
from gapforge.records import Document, Reject


def settings_of(format: str, encoding: str) -> ReadSettings:
    """Without a limit of size: what is asked for by name is not passed over, and only pronouns are counted here."""
    return ReadSettings(format=format, encoding=encoding, largest_document=sys.maxsize)


def name_people(files: list[str], format: str, encoding: str, model: str) -> Iterator[dict[str, Any]]:
    """The people of each document of the files, in order; a file without text has nobody in it."""
    settings = settings_of(format, encoding)
    raw = [file for path in files for file in find_files(named(path), format)]
    for file in raw:
        for item in read_file(file, settings):
            if isinstance(item, Document) or item.reason == "empty":
                people = people_of(item, model) if isinstance(item, Document) else []
                yield {"file": file.path, "document_id": item.id, "people": people}


def people_of(document: Document, model: str) -> list[dict[str, Any]]:
    text = document.text
    _, mentions = mentions_in(document, model)
    people = []
    for figure in join_people(mentions):
        forms = [text[name.span.start : name.span.end] for name in figure.names]
        spans = [
            {"start": name.span.start, "end": name.span.end, "text": form}
            for name, form in zip(figure.names, forms, strict=True)
        ]
        name = figure.fullest.span
        gender = figure.gender or "unknown"
        people.append(
            {
                "name": " ".join(text[name.start : name.end].split()),
                "gender": gender,
                "reason": figure.reason,
                "mentions": spans,
            }
        )
    return people


def extract(
    files: list[str],
    output: Path,
    rejects: Path | None,
    kind: str,
    format: str,
    encoding: str,
    model: str,
) -> dict[str, Any]:
    """Write the candidates of all files in order; the counts, and those of the rejects by reason, come back."""
    if kind not in KINDS:
        raise ConfigError(f"unknown kind {kind!r}{hint(kind, KINDS)}")
    settings = settings_of(format, encoding)
    raw = raw_files(files, format, [output] if rejects is None else [output, rejects])
    reasons: Counter[str] = Counter()
    documents = candidates = 0
    aside = open_output(rejects, Reject) if rejects else nullcontext(drop)
    told = progress("extract", len(raw), "files", "candidates")
    with open_output(output, KINDS[kind].record) as write, aside as put_aside, told as report:
        for n, document in read_files(raw, settings):
            if isinstance(document, Reject):
                continue
            documents += 1
            for item in find_candidates(document, kind, model):
                if isinstance(item, Reject):
                    reasons[item.reason] += 1
                    put_aside(item)
                else:
                    write(item)
                    candidates += 1
            report(n, candidates)
    return {
        "documents": documents,
        "candidates": candidates,
        "rejects": dict(sorted(reasons.items())),
        "output": str(output),
    }
