"""Which books of Project Gutenberg to take, by its catalogue, the file `pg_catalog.csv`."""

import csv
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pipeline.corpora.source import Catalog
from pipeline.errors import InputError

_COLUMNS = ("Text#", "Type", "Language", "Subjects", "Bookshelves")


def select(catalog: Catalog) -> frozenset[int] | None:
    """The numbers of the books to take; None takes every book, since no catalogue and no ids are named.

    Ids name the books themselves, so languages and subjects do not apply to them; an empty list of either
    takes all. Raises InputError where an id is no text of the catalogue.
    """
    if not catalog.file:
        return frozenset(catalog.ids) or None
    try:
        state = Path(catalog.file).stat()
    except OSError as error:
        raise InputError(
            f"{catalog.file}: wanted the catalogue pg_catalog.csv, found no such file; "
            "download it or change [corpora.NAME.catalog] file"
        ) from error
    # The file's state is part of the key, so that a catalogue replaced in a long-lived process is read anew.
    key = (catalog.file, state.st_mtime_ns, state.st_size)
    return _select(key, tuple(catalog.languages), tuple(catalog.subjects), tuple(catalog.ids))


@lru_cache(maxsize=16)
def _select(
    key: tuple[str, int, int], languages: tuple[str, ...], subjects: tuple[str, ...], ids: tuple[int, ...]
) -> frozenset[int]:
    file = key[0]
    if ids:
        known = {number for number, _, _ in _texts(file)}
        if missing := sorted(set(ids) - known):
            raise InputError(
                f"{file}: wanted the books {', '.join(map(str, missing))}, found no text of that number; "
                "change [corpora.NAME.catalog] ids"
            )
        return frozenset(ids)
    wanted = {language.strip().lower() for language in languages}
    topic = _any_of(subjects)
    return frozenset(
        number
        for number, spoken, topics in _texts(file)
        if (not wanted or wanted & spoken) and (topic is None or topic.search(topics))
    )


def _any_of(subjects: tuple[str, ...]) -> re.Pattern[str] | None:
    """Whole words in any case: "fiction" is in "London--Fiction", but not in "nonfiction" or "non-fiction"."""
    words = [re.escape(" ".join(subject.split())) for subject in subjects if subject.strip()]
    return re.compile(rf"(?<!\w)(?<!\w-)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE) if words else None


def _texts(file: str) -> Iterator[tuple[int, set[str], str]]:
    """Number, languages and topics of every entry that is a text, and not music, pictures or data."""
    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as handle:
            rows = csv.DictReader(handle)
            if missing := [column for column in _COLUMNS if column not in (rows.fieldnames or [])]:
                raise InputError(
                    f"{file}: line 1: wanted the columns {', '.join(_COLUMNS)}, found no {', '.join(missing)}; "
                    "download pg_catalog.csv again or change [corpora.NAME.catalog] file"
                )
            for row in rows:
                if (row["Type"] or "").strip() != "Text":
                    continue
                number = (row["Text#"] or "").strip()
                if not (number.isascii() and number.isdigit()):
                    raise InputError(
                        f"{file}: line {rows.line_num}: wanted a book number in column Text#, found {number!r}; "
                        "download pg_catalog.csv again"
                    )
                spoken = {code.strip().lower() for code in (row["Language"] or "").split(";")}
                yield int(number), spoken, f"{row['Subjects'] or ''}; {row['Bookshelves'] or ''}"
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{file}: wanted UTF-8 CSV, found something else ({error}); download pg_catalog.csv again"
        ) from error
