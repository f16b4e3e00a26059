"""A rating's sheet as CSV: as it goes to raters, and as their spreadsheet programs save it.

It goes in UTF-8 with a byte order mark, without which Excel takes it for the system's own encoding, and comes back with
commas, semicolons or tabs, by the rater's program and language. A sentence that begins as a formula does has an
apostrophe in front, which is taken off again.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any

from pipeline.config import hint
from pipeline.errors import ConfigError, InputError, one_line
from pipeline.files import check_source, decode
from pipeline.subjectivity.ratings import SCALES, RatedSentence, Rating, Scale, folded
from pipeline.tsv import LONGEST_FIELD

COLUMNS = ("id", "sentence", *SCALES, "remark")
NEEDED = COLUMNS[:-1]
KINDS = (".csv", ".tsv", ".txt")
DELIMITERS = ",;\t"
# As a spreadsheet takes them, whatever apostrophes are in front already: what is put there can be taken off.
FORMULA = re.compile(r"[\s']*[=+\-@＝＋－＠]")
QUOTED, BEFORE = 60, 20  # characters of a quotation, and how many of them are before what differs
WHOLE = re.compile(r"([1-5])(?:[.,]0+)?")


def sheet_of(sentences: Sequence[RatedSentence]) -> str:
    """The sheet as CSV with a byte order mark; nothing in it tells the form of a sentence."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")  # With it a lone \r is quoted as well.
    writer.writerow(COLUMNS)
    writer.writerows((it.id, guarded(it.sentence), "", "", "") for it in sentences)
    return codecs.BOM_UTF8.decode() + file.getvalue()


def guarded(text: str) -> str:
    """A text that no spreadsheet runs: an apostrophe in front of what might be a formula."""
    return f"'{text}" if FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def read_sheets(paths: Sequence[Path], sentences: Sequence[RatedSentence]) -> list[list[Rating]]:
    """The ratings of each sheet, one rater's; InputError where a sheet is there twice."""
    for path in paths:
        check_source(path)
        if path.suffix.lower() not in KINDS:
            raise ConfigError(f"{path}: unknown kind of sheet {path.suffix!r}{hint(path.suffix, KINDS)}")
    first: dict[str, Path] = {}
    asked = {it.id: it for it in sentences}
    sheets = []
    for path in paths:
        content = path.read_bytes()
        digest = sha256(content).hexdigest()
        # By content: a copy under another name would count one rater twice.
        if digest in first:
            same = path.resolve() == first[digest].resolve()
            raise InputError(
                f"{path}: {'is named twice' if same else f'is a copy of {first[digest]}'}; "
                "name the sheet of each rater once"
            )
        first[digest] = path
        sheets.append(read_sheet(content, str(path), asked))
    return sheets


def read_sheet(content: bytes, name: str, asked: Mapping[str, RatedSentence]) -> list[Rating]:
    """The rows of a filled sheet in its own order; InputError names the line that cannot be used."""
    text = characters(content, name)
    delimiter = delimiter_of(text)
    try:
        ratings = list(ratings_in(rows_of(text, name, delimiter, csv.QUOTE_MINIMAL), asked))
    except InputError:
        if delimiter != "\t":
            raise
        try:  # Google's tables parted by tabs quote nothing: quotation marks are those of the sentence.
            ratings = list(ratings_in(rows_of(text, name, delimiter, csv.QUOTE_NONE), asked))
        except InputError:
            ratings = []
        if not ratings:
            raise
    if all(it.on(scale) is None for it in ratings for scale in SCALES):
        raise InputError(f"{name}: {len(ratings)} sentences, and no rating; fill it in or leave it out")
    return ratings


def characters(content: bytes, name: str) -> str:
    """The text of a sheet: UTF-8, or UTF-16 with its mark, as Excel saves "Unicode text"."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError as error:
            raise InputError(f"{name}: byte {error.start}: not UTF-16; save it as UTF-8") from error
    return decode(content, name)


def delimiter_of(text: str) -> str:
    """What parts the most columns that we know; a comma where none is known."""
    header = next(iter(text.splitlines()), "")

    def known(delimiter: str) -> int:
        return len(set(COLUMNS) & {name_of(cell) for cell in header.split(delimiter)})

    return max(DELIMITERS, key=known)


def name_of(cell: str) -> str:
    return cell.strip(' "').lower()


def rows_of(text: str, name: str, delimiter: str, quoting: Any) -> Iterator[tuple[str, dict[str, str]]]:
    """The cells of our columns in each row that has any, with the row's place."""
    csv.field_size_limit(LONGEST_FIELD)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True)
    line = 1
    try:
        header = [name_of(cell) for cell in next(lines, [])]
        for column in COLUMNS:
            if header.count(column) > 1:
                raise InputError(f"{name}: line 1: two columns {column!r}; remove one of them")
            if column in NEEDED and column not in header:
                raise InputError(f"{name}: line 1: no column {column!r}; wanted {', '.join(NEEDED)}")
        while True:
            line = lines.line_num + 1  # where the row begins; its sentence may go over several
            cells = next(lines, None)
            if cells is None:
                return
            place = f"{name}: line {line}"
            if any(cell.strip() for cell in cells[len(header) :]):
                raise InputError(f"{place}: {len(cells)} cells under {len(header)} columns; quote cells as CSV does")
            cells += [""] * (len(header) - len(cells))  # Programs leave out empty cells at the end.
            row = {column: cells[header.index(column)] for column in COLUMNS if column in header}
            if any(cell.strip() for cell in row.values()):
                yield place, row
    except csv.Error as error:
        raise InputError(f"{name}: line {line}: {one_line(error)}; quote cells as CSV does") from error


def ratings_in(rows: Iterator[tuple[str, dict[str, str]]], asked: Mapping[str, RatedSentence]) -> Iterator[Rating]:
    seen: dict[str, str] = {}
    for place, row in rows:
        id = row["id"].strip()
        if id not in asked:
            raise InputError(f"{place}: unknown id {cut(id)}; wanted one of the key's: take the key of this sheet")
        if id in seen:
            raise InputError(f"{place}: {id} is there twice, first in {seen[id]}; remove one of the rows")
        seen[id] = place.rpartition(": ")[2]
        wanted, found = folded(asked[id].sentence), folded(unguarded(row["sentence"]))
        # Some programs take the apostrophe for their own, and save the sentence without it.
        if wanted not in (found, folded(row["sentence"])):
            differs = next(n for n, (ours, theirs) in enumerate(zip_longest(wanted, found)) if ours != theirs)
            at = max(0, differs - BEFORE)
            raise InputError(
                f"{place}: the sentence of {id} was edited; wanted {cut(wanted[at:])}, found {cut(found[at:])}; "
                "put it back or clear the row"
            )
        yield Rating(
            id=id,
            fluency=mark_in(row, "fluency", place),
            subjectivity=mark_in(row, "subjectivity", place),
            remark=folded(row.get("remark", "")),
        )


def mark_in(row: Mapping[str, str], scale: Scale, place: str) -> int | None:
    cell = row[scale].strip()
    if not cell:
        return None
    if not (match := WHOLE.fullmatch(cell)):
        raise InputError(
            f"{place}: {scale} of {row['id'].strip()} is {cut(cell)}; wanted a whole number from 1 to 5, or nothing"
        )
    return int(match[1])


def cut(text: str) -> str:
    """A quotation of bounded length."""
    return repr(text if len(text) <= QUOTED else text[: QUOTED - 1] + "…")
