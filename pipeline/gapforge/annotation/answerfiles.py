"""The files in which answers come back: by suffix and, for CSV, by columns.

Our own form, as JSONL or as a table with a header, has `instance_id`, `content_hash`, `annotator`, and `label` or
`highlights` or `no_name`; `text`, `contradiction` and `submitted_at` may be there.
"""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from gapforge.annotation import labelstudio, turk
from gapforge.annotation.answers import Answer, Highlight, plain, text_of, time_of
from gapforge.config import hint
from gapforge.errors import ConfigError, InputError, one_line, quoted
from gapforge.records import Standard
from gapforge.storage.files import check_source, decode
from gapforge.storage.tsv import LONGEST_FIELD

LONGEST_HEADER = 100_000  # characters
NEEDED = ("instance_id", "content_hash", "annotator")
TRUTH = {"": False, "false": False, "0": False, "no": False, "true": True, "1": True, "yes": True}


def read_answers(path: Path) -> Iterator[Answer]:
    """The answers of a file in order; a file that cannot be read whole raises InputError."""
    check_source(path)
    check_kind(path)
    return READERS[path.suffix.lower()](path)


def check_kind(path: Path) -> None:
    """Refuse a file of an unknown kind, before there is any work."""
    if path.suffix.lower() not in READERS:
        raise ConfigError(f"{path}: unknown kind of answers {path.suffix!r}{hint(path.suffix, READERS)}")


def read_all(paths: Iterable[Path]) -> Iterator[Answer]:
    """The answers of several files, placed by the number of the file: its name may be that of an annotator."""
    for number, path in enumerate(paths, 1):
        for answer in read_answers(path):
            yield placed(answer, path, number)


def placed(answer: Answer, path: Path, number: int) -> Answer:
    return replace(answer, place=answer.place.replace(str(path), f"file {number}", 1))


def read_jsonl(path: Path) -> Iterator[Answer]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            place = f"{path}: line {number}"
            text = decode(line, place)
            if not text.strip():
                continue
            try:
                values = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise InputError(f"{place}: not JSON ({one_line(error)}); is the file cut off?") from error
            if not isinstance(values, dict):
                raise InputError(f"{place}: wanted an object, found {text.strip()[:40]!r}")
            yield answer_of(values, place, certain=True)


def read_csv(path: Path) -> Iterator[Answer]:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        header = next(csv.reader([file.readline(LONGEST_HEADER)]), [])
    if "annotation_id" in header:
        raise InputError(f"{path}: Label Studio's CSV, which leaves out what was shown; export it as JSON")
    return turk.read_answers(path) if "WorkerId" in header else read_table(path, ",")


def read_table(path: Path, delimiter: str) -> Iterator[Answer]:
    csv.field_size_limit(LONGEST_FIELD)
    with path.open("rb") as file:
        lines = (decode(line, f"{path}: line {number}") for number, line in enumerate(file, 1))
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            header = next(rows, [])
            if repeated := [name for name, count in Counter(header).items() if count > 1]:
                raise InputError(f"{path}: line 1: two columns {quoted(repeated[0])}; remove one of them")
            missing = [name for name in NEEDED if name not in header]
            if missing:
                raise InputError(f"{path}: line 1: no column {missing[0]!r}; wanted {', '.join(NEEDED)} and label")
            for cells in rows:
                place = f"{path}: line {rows.line_num}"
                if len(cells) != len(header):
                    if not any(cells):
                        continue
                    raise InputError(f"{place}: {len(cells)} cells under {len(header)} columns; is the file cut off?")
                yield answer_of(dict(zip(header, map(plain, cells), strict=True)), place, certain=False)
        except csv.Error as error:
            raise InputError(f"{path}: line {rows.line_num}: {one_line(error)}; quote cells as CSV does") from error


def answer_of(values: dict[str, Any], place: str, certain: bool) -> Answer:
    """The answer of a row or object; what has the wrong type becomes a label that `judge` refuses."""

    def words(name: str) -> str:
        return text_of(values.get(name))

    no_name = False if values.get("no_name") is None else values["no_name"]
    if isinstance(no_name, str):
        no_name = TRUTH.get(no_name.strip().lower(), no_name)
    highlights = highlights_of(values.get("highlights"), certain)
    label = words("label")
    if highlights is None or not isinstance(no_name, bool):
        label = f"highlights {words('highlights')}" if highlights is None else f"no_name {words('no_name')}"
    standard: Standard = "silver" if values.get("standard") == "silver" else "gold"
    if values.get("standard") not in (None, "", "gold", "silver"):
        label = f"standard {words('standard')}"
    return Answer(
        place=place,
        instance_id=words("instance_id"),
        content_hash=words("content_hash"),
        annotator=words("annotator").strip(),
        shown=words("text") if values.get("text") else None,
        label=label,
        no_name=no_name is True,
        highlights=highlights or (),
        contradiction=words("contradiction"),
        time=time_of(values.get("submitted_at")),
        standard=standard,
    )


def highlights_of(value: Any, certain: bool) -> tuple[Highlight, ...] | None:
    """Highlights from a list of objects with start, end and perhaps text, or its JSON; None where it is none."""
    if value in (None, "", []):
        return ()
    try:
        items = json.loads(value) if isinstance(value, str) else value
        made = [Highlight(it["start"], it["end"], it.get("text"), certain) for it in items]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
    sound = all(type(it.start) is int and type(it.end) is int and isinstance(it.text, str | None) for it in made)
    return tuple(made) if sound else None


READERS: dict[str, Callable[[Path], Iterator[Answer]]] = {
    ".json": labelstudio.read_answers,
    ".jsonl": read_jsonl,
    ".csv": read_csv,
    ".tsv": partial(read_table, delimiter="\t"),
}
