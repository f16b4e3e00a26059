"""Questions for annotators: a folder for Label Studio, for Mechanical Turk, or of pages that a browser opens from disk.

questions.jsonl      what was asked, with the known answers: for the import, and for nobody else's eyes
instructions.html    what annotators are told
label-studio         project.json (the body that makes a project), config.xml, tasks-00000.json … a file a batch
mturk                page.html (the template), batches.csv (its cells, a row a batch), preview.html
html                 batch-00000.html …, each complete; it saves the answers as a file
"""

import dataclasses
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import jinja2

from gapforge.annotation import labelstudio, turk
from gapforge.annotation.consensus import asked_of
from gapforge.annotation.questions import Mode, batches, check, content_hash, question_of, question_of_row, read_known
from gapforge.config import hint
from gapforge.counterfactuals.audit import quadruples_in
from gapforge.engine.parts import part_files
from gapforge.errors import ConfigError, InputError
from gapforge.records import Candidate, CounterGapCandidate, QuadrupleInstance, Question
from gapforge.resources import resource
from gapforge.storage.files import decode, json_line, publish_folder, read_text, write_json, write_text
from gapforge.storage.tables import builder, read_records, schema_of, schema_on_disk
from gapforge.storage.tsv import read_rows

Format = Literal["label-studio", "mturk", "html"]
FORMATS: tuple[Format, ...] = ("label-studio", "mturk", "html")
# Counter-GAP put ten questions on a page (appendix B); Label Studio takes files of any length.
BATCH_SIZES: dict[Format, int] = {"label-studio": 500, "mturk": 10, "html": 10}
KNOWN_EVERY = 10  # questions to one of known answer
RECORDS: tuple[type, ...] = (QuadrupleInstance, CounterGapCandidate, Candidate)
SOURCES = (".parquet", ".jsonl", ".tsv")
QUESTIONS = "questions.jsonl"
INSTRUCTIONS = resource("annotation/instructions.html.j2")


@dataclasses.dataclass(frozen=True, slots=True)
class ExportSettings:
    """How questions are put; a batch size of 0 is the usual one of the format."""

    format: Format = "label-studio"
    mode: Mode | Literal["auto"] = "auto"
    title: str = "gapforge"
    annotators: int = 3
    batch_size: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ConfigError(f"unknown format {self.format!r}{hint(self.format, FORMATS)}")
        if self.mode not in ("auto", "labels", "highlight"):
            raise ConfigError(f"unknown mode {self.mode!r}{hint(self.mode, ('auto', 'labels', 'highlight'))}")
        asked_of(self.annotators)


def export(source: Path, output: Path, known: Path | None, settings: ExportSettings) -> dict[str, Any]:
    """Write the folder, which must not be there yet; the counts come back."""
    if output.exists():
        raise ConfigError(f"{output}: is there already; annotators may be at work with it: name another folder")
    if not output.parent.is_dir():
        raise ConfigError(f"{output}: its folder does not exist; make it first")
    questions, quadruples = read_questions(source)
    check(questions, str(source))
    if not questions:
        raise InputError(f"{source}: holds nothing to be judged")
    tests = read_known(known) if known else []
    if clash := {it.instance_id for it in tests} & {it.instance_id for it in questions}:
        raise ConfigError(f"{known}: {min(clash)!r} is also to be judged; rename the question")
    mode: Mode = settings.mode if settings.mode != "auto" else "highlight" if quadruples else "labels"
    size = settings.batch_size or BATCH_SIZES[settings.format]
    if mode == "highlight" and (odd := next((it for it in tests if it.answer in ("both", "not sure")), None)):
        raise ConfigError(f"{known}: {odd.instance_id}: nobody can answer {odd.answer!r} by highlighting a name")
    # A Label Studio project is one, whatever its files; who takes several pages meets a known answer again.
    again = settings.format != "label-studio"
    asked = list(batches(questions, tests, size, KNOWN_EVERY, again, settings.seed))
    working = output.parent / f".{output.name}.working"
    shutil.rmtree(working, ignore_errors=True)
    working.mkdir()
    try:
        used = write(working, questions, tests, asked, mode, settings)
        publish_folder(working, output)
    finally:
        shutil.rmtree(working, ignore_errors=True)
    return {
        "questions": len(questions),
        "known": used,
        "batches": len(asked),
        "annotators": settings.annotators,
        "mode": mode,
        "format": settings.format,
        "output": str(output),
    }


def write(
    working: Path,
    questions: list[Question],
    tests: list[Question],
    asked: Sequence[Sequence[Question]],
    mode: Mode,
    settings: ExportSettings,
) -> int:
    """All files of the folder; how many questions of known answer were used comes back."""
    instructions = instructions_page(mode, settings.annotators)
    write_text(working / "instructions.html", instructions)
    used = {it.instance_id for batch in asked for it in batch}
    kept = [*questions, *(it for it in tests if it.instance_id in used)]
    write_text(working / QUESTIONS, "".join(json_line(it) + "\n" for it in kept))
    if settings.format == "label-studio":
        write_label_studio(working, asked, mode, instructions, settings)
    elif settings.format == "mturk":
        write_turk(working, asked, mode)
    else:
        write_pages(working, asked, mode)
    return len(kept) - len(questions)


def instructions_page(mode: Mode, annotators: int) -> str:
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    return environment.from_string(INSTRUCTIONS.read_text("utf-8")).render(mode=mode, annotators=annotators)


def write_label_studio(
    folder: Path, asked: Sequence[Sequence[Question]], mode: Mode, instructions: str, settings: ExportSettings
) -> None:
    main = instructions.partition("<main>")[2].partition("</main>")[0]
    write_json(folder / "project.json", labelstudio.project_of(settings.title, mode, settings.annotators, main))
    write_text(folder / "config.xml", labelstudio.label_config(mode))
    for number, batch in enumerate(asked):
        tasks = [labelstudio.task_of(question, number, mode) for question in batch]
        write_json(folder / f"tasks-{number:05}.json", tasks)


def write_turk(folder: Path, asked: Sequence[Sequence[Question]], mode: Mode) -> None:
    named = [(f"batch-{number:05}", batch) for number, batch in enumerate(asked)]
    write_text(folder / "page.html", turk.template())
    turk.write_batches(folder / "batches.csv", named, mode)
    write_text(folder / "preview.html", turk.filled_page(*named[0], mode))


def write_pages(folder: Path, asked: Sequence[Sequence[Question]], mode: Mode) -> None:
    for number, batch in enumerate(asked):
        name = f"batch-{number:05}"
        write_text(folder / f"{name}.html", turk.filled_page(name, batch, mode))


def read_questions(source: Path) -> tuple[list[Question], bool]:
    """The questions of a stage's folder, of candidates or of published rows, and whether they are Counter-GAP's."""
    if not source.exists():
        raise InputError(f"{source}: no such file or folder; fix the path")
    if source.suffix == ".tsv":
        rows = list(read_rows(source))
        groups = {row.id: next(iter(four.values())).id for four in quadruples_in(rows) for row in four.values()}
        asked = [question_of_row(row, str(source), groups.get(row.id, "")) for row in rows]
        # Labels that a file already has are not given away.
        return [dataclasses.replace(it, answer="") for it in asked], bool(groups)
    instances = list(read_instances(source))
    return [question_of(it) for it in instances], any(isinstance(it, CounterGapCandidate) for it in instances)


def asked_file(path: Path) -> Path:
    """The file of an export that says what was asked, which its folder may stand for."""
    return path / QUESTIONS if path.is_dir() else path


def read_asked(path: Path) -> list[Question]:
    """The questions that an export asked, from its folder or its `questions.jsonl`."""
    path = asked_file(path)
    build = builder(Question)
    questions: list[Question] = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line:
            try:
                questions.append(build(json.loads(line)))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise InputError(f"{path}: line {number}: not a question; take the export's own file") from error
    check(questions, str(path))
    if changed := [it.instance_id for it in questions if it.content_hash != hash_of(it)]:
        raise InputError(f"{path}: {changed[0]}: was changed after the export; take the export's own file")
    return questions


def hash_of(question: Question) -> str:
    return content_hash(question.text, question.pronoun, question.name_a, question.name_b)


def read_instances(source: Path) -> Iterator[Candidate]:
    paths = part_files(source) if source.is_dir() else [source]
    if not paths:
        raise InputError(f"{source}: no part-*.parquet; name the folder of a stage, such as GapExamples")
    for path in paths:
        if path.suffix == ".parquet":
            columns = set(schema_on_disk(path).names)
            yield from read_records(path, record_of(columns, str(path)))
        elif path.suffix == ".jsonl":
            yield from read_lines(path)
        else:
            raise ConfigError(f"{path}: unknown kind of candidates {path.suffix!r}{hint(path.suffix, SOURCES)}")


def read_lines(path: Path) -> Iterator[Candidate]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            place = f"{path}: line {number}"
            text = decode(line, place)
            try:
                values = json.loads(text)
                record = record_of(values.keys(), place)
                made: Candidate = builder(record)({name: values[name] for name in schema_of(record).names})
                question_of(made)  # What is unsound fails here.
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                if isinstance(error, InputError):
                    raise
                raise InputError(f"{place}: not a candidate; wanted what `gapforge extract` writes") from error
            yield made


def record_of(columns: Iterable[str], place: str) -> type:
    """The most special record all of whose fields are there."""
    found = set(columns)
    for record in RECORDS:
        if set(schema_of(record).names) <= found:
            return record
    missing = [name for name in schema_of(Candidate).names if name not in found]
    raise InputError(f"{place}: no column {missing[0]!r}; wanted what `gapforge extract` or a stage writes")
