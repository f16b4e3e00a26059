"""Questions on Mechanical Turk, or on the same page opened from disk, and what comes back (Counter-GAP, appendix B).

`resources/annotation/page.html` is the whole task: Mechanical Turk puts the cells of a row into it as they are, so a
cell must be harmless in HTML. The questions therefore travel as JSON in ASCII, where no character means anything to
HTML or to the template. A file of results holds one assignment a row, with the answers as JSON that a worker could
have written by hand: whatever it holds becomes answers for `judge` to refuse, none is lost on the way.
"""

import csv
import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, replace
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path

from gapforge.annotation.answers import Answer, Highlight, plain, text_of, time_of
from gapforge.annotation.questions import Mode
from gapforge.errors import ConfigError, InputError, one_line
from gapforge.records import Question
from gapforge.resources import resource, script_hash
from gapforge.storage.files import atomic_file, check_target, read_text
from gapforge.storage.tsv import LONGEST_FIELD

PAGE = resource("annotation/page.html")
HASH = "SCRIPT_HASH"  # where the page admits its script
COLUMNS = ("batch", "mode", "questions")
MOST_BYTES = 65_000  # of a page; Mechanical Turk takes 65,535 in a HIT, with the XML around the page
NEEDED = ("WorkerId", "AssignmentStatus", "SubmitTime", "Answer.answers")
REVIEW = ("Approve", "Reject")  # for the requester to fill in; rows may end before them
BATCH_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
ESCAPES = str.maketrans({mark: f"\\u{ord(mark):04x}" for mark in "<>&'$\x7f"} | {'"': "&quot;"})
HOURS = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}


def template() -> str:
    """The page with `${batch}`, `${mode}` and `${questions}` still to be put in, as the requester site wants it."""
    page = read_text(PAGE)
    # Of the page without its questions: what they hold can never be admitted as a script.
    script = page.partition("<script>")[2].partition("</script>")[0]
    return page.replace(HASH, script_hash(script))


def filled_page(batch_name: str, questions: Sequence[Question], mode: Mode) -> str:
    """The page for a colleague, who opens it from disk and sends back the file that it saves."""
    page = template()
    for column, cell in zip(COLUMNS, cells_of(batch_name, questions, mode), strict=True):
        page = page.replace(f"${{{column}}}", cell)
    return page


def write_batches(path: Path, batches: Iterable[tuple[str, Sequence[Question]]], mode: Mode) -> None:
    """Write the CSV that is uploaded beside the template, a batch a row; ConfigError where a page gets too large."""
    check_target(path)
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for name, questions in batches:
            size = len(filled_page(name, questions, mode))
            if size > MOST_BYTES:
                raise ConfigError(
                    f"{name} makes a page of {size} bytes, and Mechanical Turk takes {MOST_BYTES}; "
                    "put fewer questions into a batch"
                )
            writer.writerow(cells_of(name, questions, mode))


def cells_of(batch_name: str, questions: Sequence[Question], mode: Mode) -> tuple[str, str, str]:
    if not BATCH_NAME.fullmatch(batch_name):
        raise ConfigError(f"batch {batch_name!r}: a name has letters, digits, '.', '_' and '-' only; rename it")
    return batch_name, mode, page_cell(questions)


def page_cell(questions: Sequence[Question]) -> str:
    """The questions as the page reads them, safe within an attribute in double quotes and unchanged by the template.

    A known answer goes along as a hash with the id, which keeps it from the eye, not from somebody who tries all.
    """
    shown = [
        {
            "instance_id": question.instance_id,
            "content_hash": question.content_hash,
            "text": question.text,
            "pronoun": astuple(question.pronoun),
            "name_a": astuple(question.name_a),
            "name_b": astuple(question.name_b),
            "people": [{"role": it.role, "mentions": list(map(astuple, it.mentions))} for it in question.people],
            "known": question.answer and sha256(f"{question.instance_id}:{question.answer}".encode()).hexdigest(),
        }
        for question in questions
    ]
    return json.dumps(shown, separators=(",", ":")).translate(ESCAPES)


def read_answers(path: Path) -> Iterator[Answer]:
    """The answers of a file of batch results in order, one for each question of each assignment, unchecked.

    An assignment whose answers cannot be read gives one answer without an id. InputError where the file itself
    is not what Mechanical Turk writes.
    """
    csv.field_size_limit(LONGEST_FIELD)
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = csv.reader(file, strict=True)
        try:
            header = next(lines, [])
            missing = [column for column in NEEDED if column not in header]
            if missing:
                raise InputError(f"{path}: line 1: no column {missing[0]!r}; wanted {', '.join(NEEDED)}")
            for cells in lines:
                place = f"{path}: line {lines.line_num}"
                if cells:
                    yield from answers_of(as_row(header, cells, place), place)
        except csv.Error as error:
            raise InputError(f"{path}: line {lines.line_num}: {one_line(error)}; download the results again") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: after line {lines.line_num}: not UTF-8; save it as UTF-8") from error


def as_row(header: list[str], cells: list[str], place: str) -> dict[str, str]:
    if len(cells) > len(header) or not set(header[len(cells) :]) <= set(REVIEW):
        raise InputError(f"{place}: {len(cells)} cells under {len(header)} columns; download the results again")
    return dict(zip(header, [*map(plain, cells), *[""] * (len(header) - len(cells))], strict=True))


def answers_of(row: dict[str, str], place: str) -> Iterator[Answer]:
    """Every answer of an assignment, then an empty one for each question of its page that has none."""
    rejected = row["AssignmentStatus"] == "Rejected" or row.get("Reject", "") != ""
    assignment = Answer(
        place,
        instance_id="",
        content_hash="",
        annotator=row["WorkerId"].strip(),
        time=utc_time(row["SubmitTime"]),
        withdrawn="assignment rejected" if rejected else "",
    )
    page = parsed(html.unescape(row.get("Input.questions", "")))
    asked = {text_of(it.get("instance_id")): it for it in page if isinstance(it, dict)} if page else None
    answers = [answer_of(entry, assignment, asked) for entry in parsed(row["Answer.answers"])] or [assignment]
    yield from answers
    if asked and answers != [assignment]:
        answered = {it.instance_id for it in answers}
        yield from (answer_of(it, assignment, asked) for name, it in asked.items() if name not in answered)


def answer_of(entry: object, assignment: Answer, asked: dict[str, dict[str, object]] | None) -> Answer:
    if not isinstance(entry, dict):
        return assignment
    instance_id = text_of(entry.get("instance_id"))
    highlights = entry.get("highlights") or []
    return replace(
        assignment,
        instance_id=instance_id,
        content_hash=text_of(entry.get("content_hash")),
        # A worker cannot answer what the page did not ask.
        shown=None if asked is None else text_of(asked.get(instance_id, {}).get("text")),
        label=text_of(entry.get("label")),
        no_name=entry.get("no_name") is True,
        highlights=tuple(map(highlight_of, highlights if isinstance(highlights, list) else [highlights])),
        contradiction=text_of(entry.get("contradiction")),
    )


def highlight_of(value: object) -> Highlight:
    """A highlight as it stands; what is none becomes one that lies nowhere, which `judge` refuses."""
    if isinstance(value, dict) and type(value.get("start")) is int and type(value.get("end")) is int:
        return Highlight(value["start"], value["end"], text_of(value.get("text")), in_code_points=True)
    return Highlight(-1, -1, text_of(value))


def parsed(cell: str) -> list[object]:
    """A cell as a list of JSON; empty where it is none."""
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        return []
    return value if isinstance(value, list) else []


def utc_time(cell: str) -> str:
    """A time as Mechanical Turk writes it, or ISO 8601 with its zone, as ISO 8601 in UTC; empty where it is neither."""
    words = cell.split()
    if len(words) != 6 or words[4] not in HOURS:
        return time_of(cell.strip())
    zone = timezone(timedelta(hours=HOURS[words.pop(4)]))
    try:
        return time_of(datetime.strptime(" ".join(words), "%a %b %d %H:%M:%S %Y").replace(tzinfo=zone).isoformat())
    except ValueError:
        return ""
