"""Questions as Label Studio tasks, and a Label Studio export as answers.

Written against Label Studio 1.23.2 as it behaves in a browser:

- `HyperText` shows a text with its pronoun marked; `Text` cannot, and collapses white space in what it reports.
- A region's `globalOffsets` count code points of the displayed text, its `startOffset` and `endOffset` UTF-16 units of
  one DOM node; a line break in its `text` is written as a backslash and an n.
- Browsers turn "\r\n" into "\n", and HTML has no NUL, so the display puts as many other characters there.
- The server stores whatever its API is given: labels that the config does not have, spans beyond the text.

GAP 3.2 asks for one of five labels, Counter-GAP 2.3 for the name itself, highlighted; hence the two modes.
"""

import hashlib
import html
import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import quoteattr

import ijson

from gapforge.annotation.answers import Answer, Highlight, in_code_points, time_of
from gapforge.annotation.questions import LABELS, Mode
from gapforge.errors import ConfigError, InputError, shortened
from gapforge.records import Label, Question, Span

# What stands beside each button; the label itself is stored (`alias`).
CAPTIONS: dict[Label, str] = {
    "A": "Name A",
    "B": "Name B",
    "neither": "Neither",
    "both": "Both",
    "not sure": "Not sure",
}
NO_NAME = "no name"
NAME = "Name"

_TITLE = range(3, 51)  # the lengths that Label Studio takes
_LONGEST = 200
_DEEPEST = 64  # of its own exports; what is deeper could be neither shown nor compared

# Its own colours, since the dark theme leaves the text black on black.
_TEXT = (
    "white-space: pre-wrap; font-family: sans-serif; font-size: 16px; line-height: 1.6; "
    "color: #000000; background-color: #ffffff; padding: 8px"
)
_YELLOW = "background-color: #ffe600; font-weight: bold"
_BLUE = "background-color: #bfe0ff"
_GREEN = "background-color: #c4f0b8"


def label_config(mode: Mode) -> str:
    """The labelling interface as XML; what it shows comes from the task's `html`."""
    text = '<HyperText name="text" value="$html" valueType="text"/>'
    if mode == "labels":
        choices = "".join(f"<Choice value={quoteattr(CAPTIONS[label])} alias={quoteattr(label)}/>" for label in LABELS)
        body = (
            '<Header value="Whom does the pronoun marked yellow refer to?"/>'
            f"{text}"
            '<Choices name="label" toName="text" choice="single-radio" showInline="true" required="true" '
            f'requiredMessage="Choose one of the five answers.">{choices}</Choices>'
        )
    else:
        body = (
            '<Header value="Highlight the name that the pronoun marked yellow refers to."/>'
            f'<Labels name="name" toName="text"><Label value="{NAME}" background="#2e8b57" selected="true"/></Labels>'
            f"{text}"
            '<Choices name="no_name" toName="text" choice="multiple">'
            f'<Choice value="No name in the text is the right one" alias="{NO_NAME}"/></Choices>'
        )
    remark = (
        '<Header value="What in the text contradicts common sense? Leave empty if nothing does." size="5"/>'
        '<TextArea name="contradiction" toName="text" rows="2" maxSubmissions="1" editable="true" '
        'placeholder="What contradicts common sense"/>'
    )
    return f"<View>{body}{remark}</View>"


def project_of(title: str, mode: Mode, annotators: int, instructions_html: str) -> dict[str, Any]:
    """The body of `POST /api/projects`; ConfigError where Label Studio would refuse it."""
    if len(title) not in _TITLE:
        raise ConfigError(
            f"the project title {title!r} has {len(title)} characters; "
            f"Label Studio takes {_TITLE.start} to {_TITLE.stop - 1}"
        )
    return {
        "title": title,
        "label_config": label_config(mode),
        "maximum_annotations": annotators,
        "expert_instruction": instructions_html,
        "show_instruction": True,
        "show_skip_button": True,
        "enable_empty_annotation": False,
        "show_collab_predictions": False,  # nobody is to see a guess beforehand
        "sampling": "Sequential sampling",  # the order of the batch
    }


def task_of(question: Question, batch: int, mode: Mode) -> dict[str, Any]:
    """A task for `POST /api/projects/{id}/import`; whether the answer is known is not in it."""
    shown = display(question, mode)
    return {
        "data": {
            "html": shown,
            "text": question.text,
            "instance_id": question.instance_id,
            "content_hash": question.content_hash,
            "display_hash": digest(shown),
            "batch": batch,
        }
    }


def display(question: Question, mode: Mode) -> str:
    """The text as HTML with its pronoun marked, in mode "labels" also the two names, each with its letter."""
    marks = [(question.pronoun, _YELLOW, "")]
    if mode == "labels":
        # The letters stand beside the colours for those who do not tell these apart.
        marks += [(question.name_a, _BLUE, "A"), (question.name_b, _GREEN, "B")]
    text = displayed(question.text)
    cuts = sorted({0, len(text), *(place for span, _, _ in marks for place in (span.start, span.end))})
    parts = [f'<div style="{_TEXT}">']
    for start, end in pairwise(cuts):
        part = html.escape(text[start:end])
        for span, style, letter in marks:
            if span.start <= start and end <= span.end:
                sign = f"<sup><b>{letter}</b></sup>" if letter and end == span.end else ""
                part = f'<mark style="{style}">{part}{sign}</mark>'
        parts.append(part)
    return "".join([*parts, "</div>"])


def displayed(text: str) -> str:
    """The text as a browser keeps it, character for character: see the top of this module."""
    return text.replace("\r\n", " \n").replace("\r", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")


def digest(shown: str) -> str:
    return hashlib.sha256(shown.encode()).hexdigest()[:16]


def read_answers(path: Path) -> Iterator[Answer]:
    """Every annotation of an export in format "JSON", in the file's order, one task in memory at a time.

    Predictions and drafts are nobody's answer and are passed over. What no control of ours can have written becomes
    a label that `judge` refuses. InputError where the file is broken or of another format.
    """
    number = 0
    with path.open("rb") as file:
        check_list(file, path)
        try:
            for task in tasks_in(file, path):
                number += 1
                yield from answers_of(task, path, number)
        except ijson.JSONError as error:
            raise InputError(f"{path}: broken after task {number}: {first_line(error)}; export it again") from error
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path}: broken after task {number}: what is no character, such as half a surrogate pair; fix or "
                "remove the task"
            ) from error


def tasks_in(file: IO[bytes], path: Path) -> Iterator[object]:
    """The members of the list, one in memory at a time; InputError where one is nested without measure.

    ijson's own `items` holds the path to every level that is open, which takes gigabytes for a file of kilobytes.
    """
    depth = number = 0
    task = ijson.ObjectBuilder()
    for event, value in ijson.basic_parse(file, use_float=True):
        ends = event in ("end_map", "end_array")
        depth -= ends
        if depth:
            task.event(event, value)
        depth += event in ("start_map", "start_array")
        if depth > _DEEPEST:
            raise InputError(f"{path}: task {number + 1} is nested more than {_DEEPEST} deep; remove it")
        if depth == 1 and event != "start_array":
            number += 1
            yield task.value
            task = ijson.ObjectBuilder()


def check_list(file: IO[bytes], path: Path) -> None:
    """InputError where the file is not a JSON list; the file stands at its beginning afterwards, past a mark."""
    start = file.read(1024)
    file.seek(len(BOM_UTF8) if start.startswith(BOM_UTF8) else 0)
    content = start.removeprefix(BOM_UTF8).lstrip()
    if not content:
        raise InputError(f"{path}: empty; export it again")
    if not content.startswith(b"["):
        raise InputError(f'{path}: not a list of tasks; export it from Label Studio as "JSON"')


def first_line(error: Exception) -> str:
    """What the parser found; the lines below draw the place, with text around it that is nobody's business."""
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(error)
    return text.strip().partition("\n")[0].rstrip(" .") or type(error).__name__


def answers_of(task: object, path: Path, number: int) -> Iterator[Answer]:
    match task:
        case {"annotations": list(annotations), "data": dict(data)}:
            pass
        case _:
            raise InputError(
                f'{path}: task {number} has no "annotations" and "data"; export it from Label Studio as "JSON", '
                "not JSON-MIN or another format"
            )
    for annotation in annotations:
        if not isinstance(annotation, dict):
            raise InputError(
                f'{path}: task {number} holds no annotations but their ids; export it from Label Studio as "JSON"'
            )
        yield answer_of(annotation, data, f"{path}: task {number}, annotation {shortened(str(annotation.get('id')))}")


def answer_of(annotation: Mapping[str, Any], data: Mapping[str, Any], place: str) -> Answer:
    labels: list[str] = []
    no_name = False
    highlights: list[Highlight] = []
    remarks: list[str] = []
    text = string(data.get("text"))
    result = annotation.get("result")
    for item in result if isinstance(result, list) else [result] if result else []:
        match item:
            case {"from_name": "label", "type": "choices", "value": {"choices": list(choices)}}:
                labels += [choice if isinstance(choice, str) else odd(choice) for choice in choices]
            case {"from_name": "no_name", "type": "choices", "value": {"choices": [str(choice)]}} if choice == NO_NAME:
                no_name = True
            case {"from_name": "name", "type": "labels" | "hypertextlabels", "value": dict(value)} if names(value):
                highlights.append(highlight_of(value, text))
            case {"from_name": "contradiction", "type": "textarea", "value": {"text": str(remark)}}:
                remarks.append(remark)
            case {"from_name": "contradiction", "type": "textarea", "value": {"text": list(texts)}} if all(
                isinstance(it, str) for it in texts
            ):
                remarks += texts
            case _:
                labels.append(odd(item))
    return Answer(
        place=place,
        instance_id=string(data.get("instance_id")),
        content_hash=string(data.get("content_hash")),
        annotator=annotator_of(annotation.get("completed_by")),
        shown=shown_of(data),
        # More than one is no label, whichever they are.
        label=" and ".join(labels),
        no_name=no_name,
        highlights=tuple(highlights),
        contradiction=" ".join(remarks),
        time=time_of(annotation.get("updated_at")) or time_of(annotation.get("created_at")),
        withdrawn="cancelled" if annotation.get("was_cancelled") else "",
    )


def string(value: object) -> str:
    return value if isinstance(value, str) else ""


def odd(item: object) -> str:
    """What no control of ours writes, to be refused as a label and read by a person."""
    text = json.dumps(item, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def names(value: Mapping[str, Any]) -> bool:
    return [NAME] in (value.get("labels"), value.get("hypertextlabels"))


def highlight_of(value: Mapping[str, Any], text: str) -> Highlight:
    """A region with what it marks in `text`; where no reading of its offsets does, as it is, for `judge` to refuse."""
    # Regions of a `Text` have their offsets directly; the paths of a region without global ones lead to no offset.
    match value.get("globalOffsets", value):
        case {"start": int(start), "end": int(end)}:
            pass
        case _:
            start = end = -1
    if "text" not in value:
        return Highlight(start, end, None)
    marked = string(value["text"])
    shown = displayed(text)
    for span in (Span(start, end), in_code_points(text, start, end) if 0 <= start <= end else None):
        if span and marked in (shown[span.start : span.end], shown[span.start : span.end].replace("\n", "\\n")):
            return Highlight(start, end, text[span.start : span.end])
    return Highlight(start, end, marked)


def annotator_of(user: object) -> str:
    """Who answered, by the number that the server knows them by; their address may change."""
    match user:
        case bool():
            return ""
        case int(id) | {"id": int(id)}:
            return f"label-studio:{id}"
        case {"email": str(email)}:
            return f"label-studio:{email}"
        case _:
            return ""


def shown_of(data: Mapping[str, Any]) -> str:
    """The text that was shown; the HTML itself where it was edited, which equals no text."""
    shown = string(data.get("html"))
    return string(data.get("text")) if digest(shown) == data.get("display_hash") else shown
