"""The import of judgements measured: speed and memory, in each format, on questions and answers made for the purpose.

The questions are as many as GAP put to annotators. Peak memory is that of the whole command, with three annotators and
with twelve, whose answers are 100,000 and more. Exits 1 when a bar is missed.
"""

import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gapforge.annotation import labelstudio, turk
from gapforge.annotation.questions import ask
from gapforge.records import Question, Span
from gapforge.storage.files import json_line
from report import Report

QUESTIONS = 8_604  # GAP 3.2
FEW, MANY = 3, 12  # annotators of each question
SECONDS = 60
GROWTH = 1.2
LABELS = ("A", "B", "neither")


def make_questions() -> list[Question]:
    """Texts of GAP's usual length."""
    shuffle = random.Random(0)
    words = [
        "the",
        "of",
        "and",
        "to",
        "in",
        "a",
        "was",
        "that",
        "for",
        "on",
        "with",
        "as",
        "at",
        "by",
        "had",
        "from",
        "which",
        "or",
        "an",
        "were",
    ]
    made = []
    for number in range(QUESTIONS):
        before = " ".join(shuffle.choices(words, k=50))
        text = f"{before} Ann Lee met Mary Reed {number} times before she left 🙂."
        places = [text.index(name) for name in ("she", "Ann", "Mary")]
        pronoun, a, b = (Span(at, at + n) for at, n in zip(places, (3, 7, 9), strict=True))
        made.append(ask(f"gap-{number}", f"gap-{number}", text, pronoun, (a, b), []))
    return made


def label_of(question: Question, annotator: int) -> str:
    return random.Random(f"{question.instance_id}/{annotator // 2}").choice(LABELS)


def write_label_studio(path: Path, questions: list[Question], annotators: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number, question in enumerate(questions):
            task = labelstudio.task_of(question, 0, "labels") | {"id": number, "predictions": []}
            task["annotations"] = [
                {
                    "id": number * annotators + n,
                    "completed_by": n,
                    "was_cancelled": False,
                    "updated_at": "2026-01-01T00:00:00Z",
                    "result": [
                        {
                            "from_name": "label",
                            "to_name": "text",
                            "type": "choices",
                            "value": {"choices": [label_of(question, n)]},
                        }
                    ],
                }
                for n in range(annotators)
            ]
            file.write(("," if number else "") + json.dumps(task))
        file.write("]")


def write_jsonl(path: Path, questions: list[Question], annotators: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for answer in plain(questions, annotators):
            file.write(json_line(answer) + "\n")


def write_csv(path: Path, questions: list[Question], annotators: int) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ("instance_id", "content_hash", "annotator", "label"))
        writer.writeheader()
        writer.writerows(plain(questions, annotators))


def plain(questions: list[Question], annotators: int):
    for question in questions:
        for n in range(annotators):
            yield {
                "instance_id": question.instance_id,
                "content_hash": question.content_hash,
                "annotator": f"worker {n}",
                "label": label_of(question, n),
            }


def write_turk(path: Path, questions: list[Question], annotators: int) -> None:
    columns = ("WorkerId", "AssignmentStatus", "SubmitTime", "Input.batch", "Input.questions", "Answer.answers")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for start in range(0, len(questions), 10):
            batch = questions[start : start + 10]
            cell = turk.page_cell(batch)
            for n in range(annotators):
                answers = [
                    {"instance_id": it.instance_id, "content_hash": it.content_hash, "label": label_of(it, n)}
                    | {"no_name": False, "highlights": [], "contradiction": ""}
                    for it in batch
                ]
                time_given = "Mon Jan 05 09:12:33 PST 2026"
                writer.writerow([f"W{n}", "Submitted", time_given, str(start), cell, json.dumps(answers)])


FORMATS = {
    "Label Studio": (write_label_studio, ".json"),
    "Mechanical Turk": (write_turk, ".csv"),
    "JSONL": (write_jsonl, ".jsonl"),
    "CSV": (write_csv, ".csv"),
}


def measure(answers: Path, questions: Path) -> tuple[float, float, dict]:
    """Seconds, peak memory in MiB, and what the command says."""
    program = Path(sys.executable).parent / "gapforge"
    output = answers.with_suffix(".parquet")
    options = ["--questions", str(questions), "-o", str(output), "--rejects", str(output.with_name("left.parquet"))]
    started = time.monotonic()
    process = subprocess.Popen(
        [str(program), "annotate", "import", str(answers), *options, "--json"], stdout=subprocess.PIPE
    )
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"the import failed with {process.returncode}")
    return time.monotonic() - started, usage.ru_maxrss / 1024, json.loads(said)


def main() -> None:
    report = Report()
    questions = make_questions()
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "questions.jsonl"
        asked.write_text("".join(json_line(it) + "\n" for it in questions), "utf-8")
        for name, (write, suffix) in FORMATS.items():
            peaks = []
            for annotators in (FEW, MANY):
                answers = Path(folder) / f"{annotators}{suffix}"
                write(answers, questions, annotators)
                seconds, peak, found = measure(answers, asked)
                assert found["judgements"] == QUESTIONS * annotators, found
                peaks.append(peak)
            note = f"{found['judgements']:,} judgements, {answers.stat().st_size >> 20} MiB"
            report.line(f"{name}: seconds", f"{seconds:.1f}", note, f"at most {SECONDS}", seconds <= SECONDS)
            growth = peaks[1] / peaks[0]
            note = f"{peaks[0]:.0f} and {peaks[1]:.0f} MiB"
            times = f"{name}: memory, {MANY // FEW} times"
            report.line(times, f"{growth:.2f}x", note, f"at most {GROWTH}x", growth <= GROWTH)
    sys.exit(f"missed: {', '.join(report.missed)}" if report.missed else 0)


if __name__ == "__main__":
    main()
