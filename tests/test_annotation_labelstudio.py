"""Questions as Label Studio tasks, and the answers in its export; `test_annotation_labelstudio_server` asks a real one.

The results of a highlight here are what a browser sent to Label Studio 1.23.2.
"""

import dataclasses
import html
import json
import re
import tracemalloc
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.annotation.answers import LABELS, Highlight, judge
from gapforge.annotation.labelstudio import (
    annotator_of,
    display,
    displayed,
    label_config,
    project_of,
    read_answers,
    task_of,
    time_of,
)
from gapforge.annotation.questions import ask, content_hash
from gapforge.errors import ConfigError, InputError
from gapforge.records import Judgement, Question, Reject, Span


def make_question(text="Ann met Ida. She left.", id="q-1", pronoun="She", a="Ann", b="Ida", answer=None):
    def place(form):
        return Span(text.index(form), text.index(form) + len(form))

    return ask(id, id, text, place(pronoun), (place(a), place(b)), [], answer)


QUESTION = make_question()
# As shown in a browser: an emoji of one code point and one of three, markup, two paragraphs, a name across two lines.
EMOJI = make_question(
    '😀 Ann  Lee (<script>alert("x")</script> & co) met\r\nBea\tRoe\xa0there.\n\nThe next\nday she saw Ann\r\nLee and '
    "Cléo 👩\u200d🚀 Ng.\u2028 Bea  laughed at C:\\new &amp; <b>Bea</b>\r\n\r\nEnd Ann.",
    "emoji",
    "she",
    "Ann  Lee",
    "Bea\tRoe",
)
QUESTIONS = {it.instance_id: it for it in (QUESTION, EMOJI)}


def chosen(*labels, **changes):
    return {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": list(labels)}} | changes


def remark(text):
    return {"from_name": "contradiction", "to_name": "text", "type": "textarea", "value": {"text": text}}


def no_name(choices=("no name",)):
    return {"from_name": "no_name", "to_name": "text", "type": "choices", "value": {"choices": list(choices)}}


def region(start, end, text, **changes):
    paths = {"start": "/div[1]/text()[1]", "startOffset": 0, "end": "/div[1]/text()[2]", "endOffset": 1}
    value = {**paths, "globalOffsets": {"start": start, "end": end}, "text": text, "labels": ["Name"]} | changes
    return {"from_name": "name", "to_name": "text", "type": "labels", "origin": "manual", "value": value}


def annotation(*result, **changes):
    fields = {
        "id": 7,
        "completed_by": 3,
        "result": list(result),
        "was_cancelled": False,
        "created_at": "2026-11-16T21:23:22.799263Z",
        "updated_at": "2026-11-16T21:30:23Z",
        "prediction": {},
    }
    return fields | changes


def exported(*annotations, question=QUESTION, mode="labels", **data):
    """A task as the export holds it."""
    task = task_of(question, 0, mode)
    fields = {"id": 1, "annotations": list(annotations), "drafts": [], "predictions": []}
    return fields | {"data": task["data"] | data}


@pytest.fixture
def read(tmp_path):
    """The answers in an export of these tasks."""

    def answers(*tasks):
        path = tmp_path / "export.json"
        path.write_text(json.dumps(tasks), "utf-8")
        return list(read_answers(path))

    return answers


@pytest.fixture
def verdict(read):
    """The label of an answer of these results, or the reason why it is refused."""

    def judged(*result, question=QUESTION, mode="labels", data=None, **changes):
        (answer,) = read(exported(annotation(*result, **changes), question=question, mode=mode, **data or {}))
        found = judge(answer, QUESTIONS)
        return found.label if isinstance(found, Judgement) else found.reason

    return judged


# The interface


def controls(mode):
    return {it.get("name"): it for it in ElementTree.fromstring(label_config(mode)).iter() if it.get("name")}


@pytest.mark.parametrize(
    ("mode", "names"),
    [("labels", {"text", "label", "contradiction"}), ("highlight", {"text", "name", "no_name", "contradiction"})],
)
def test_controls_of_a_mode(mode, names):
    found = controls(mode)
    assert set(found) == names
    assert found["text"].attrib == {"name": "text", "value": "$html", "valueType": "text"}
    assert {it.get("toName") for name, it in found.items() if name != "text"} == {"text"}
    assert found["contradiction"].tag == "TextArea"
    assert found["contradiction"].get("required") is None


def test_five_labels_of_which_one_must_be_chosen():
    choices = controls("labels")["label"]
    assert (choices.get("choice"), choices.get("required")) == ("single-radio", "true")
    assert {it.get("value"): it.get("alias") for it in choices} == {
        "Name A": "A",
        "Name B": "B",
        "Neither": "neither",
        "Both": "both",
        "Not sure": "not sure",
    }


def test_one_label_to_highlight_with_and_a_box_for_none():
    found = controls("highlight")
    assert [it.get("value") for it in found["name"]] == ["Name"]
    assert [it.attrib for it in found["no_name"]] == [
        {"value": "No name in the text is the right one", "alias": "no name"}
    ]


def test_project():
    assert project_of("GAP, batch 1", "labels", 3, "<p>Read.</p>") == {
        "title": "GAP, batch 1",
        "label_config": label_config("labels"),
        "maximum_annotations": 3,
        "expert_instruction": "<p>Read.</p>",
        "show_instruction": True,
        "show_skip_button": True,
        "enable_empty_annotation": False,
        "show_collab_predictions": False,
        "sampling": "Sequential sampling",
    }


@pytest.mark.parametrize("title", ["ab", "a" * 51])
def test_a_title_that_the_server_refuses(title):
    with pytest.raises(ConfigError) as caught:
        project_of(title, "labels", 3, "")
    assert str(caught.value) == (f"the project title {title!r} has {len(title)} characters; Label Studio takes 3 to 50")


# Tasks


def marked(shown):
    """The stretches within marks, by their colour."""
    return re.findall(r'<mark style="background-color: (#\w+)[^"]*">(.*?)</mark>', shown, re.DOTALL)


def text_in(shown):
    """The text that a browser holds: no tags, no letters of the names, no entities."""
    return html.unescape(re.sub(r"<sup>.*?</sup>|<[^>]*>", "", shown))


def test_task():
    task = task_of(QUESTION, 4, "labels")
    assert list(task) == ["data"]
    shown = task["data"].pop("html")
    assert marked(shown) == [
        ("#bfe0ff", "Ann<sup><b>A</b></sup>"),
        ("#c4f0b8", "Ida<sup><b>B</b></sup>"),
        ("#ffe600", "She"),
    ]
    assert len(task["data"].pop("display_hash")) == 16
    assert task["data"] == {
        "text": "Ann met Ida. She left.",
        "instance_id": "q-1",
        "content_hash": QUESTION.content_hash,
        "batch": 4,
    }


def test_only_the_pronoun_is_marked_where_names_are_highlighted():
    assert marked(display(QUESTION, "highlight")) == [("#ffe600", "She")]


@pytest.mark.parametrize("mode", ["labels", "highlight"])
def test_a_known_answer_does_not_show(mode):
    known = dataclasses.replace(QUESTION, answer="A")
    assert task_of(known, 0, mode) == task_of(QUESTION, 0, mode)


def test_markup_in_a_text_is_shown_as_text():
    shown = display(EMOJI, "highlight")
    assert "(&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; co)" in shown
    assert "&amp;amp; &lt;b&gt;Bea&lt;/b&gt;" in shown
    assert set(re.findall(r"</?(\w+)", shown)) == {"div", "mark"}


def test_marks_that_overlap_are_nested():
    text = "Ann Lee met her."
    nested = Question(
        "q",
        content_hash(text, Span(12, 15), Span(0, 7), Span(4, 7)),
        "q",
        text,
        Span(12, 15),
        Span(0, 7),
        Span(4, 7),
        [],
        "",
    )
    shown = display(nested, "labels")
    ElementTree.fromstring(shown)
    assert text_in(shown) == text
    assert re.findall(r"<sup><b>(.)</b></sup>", shown) == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\nb", "a\n\nb"),
        ("a\r\nb", "a \nb"),
        ("a\rb\r\r\nc", "a\nb\n \nc"),
        ("a\0b", "a\N{REPLACEMENT CHARACTER}b"),
    ],
)
def test_characters_that_browsers_change(text, expected):
    assert displayed(text) == expected


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=6), st.sampled_from(["labels", "highlight"]))
def test_every_text_keeps_its_length_and_characters(text, mode):
    question = ask("q", "q", text, Span(2, 3), (Span(0, 1), Span(4, 6)), [])
    shown = display(question, mode)
    # HTML's entities, not Python's reading of them, which drops control characters.
    plain = re.sub(r"<sup>.*?</sup>|<[^>]*>", "", shown)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&amp;", "&")):
        plain = plain.replace(entity, character)
    assert plain == displayed(text)
    assert len(plain) == len(text)
    assert "\r" not in plain


# Answers


@pytest.mark.parametrize("label", LABELS)
def test_label(verdict, label):
    assert verdict(chosen(label)) == label


def test_answer(read):
    (answer,) = read(exported(annotation(chosen("A"), remark(["a man", "gives birth"]))))
    assert answer.place.endswith("/export.json: task 1, annotation 7")
    assert (answer.instance_id, answer.content_hash) == ("q-1", QUESTION.content_hash)
    assert answer.annotator == "label-studio:3"
    assert answer.shown == "Ann met Ida. She left."
    assert answer.label == "A"
    assert answer.contradiction == "a man gives birth"
    assert answer.time == "2026-11-16T21:30:23.000000+00:00"
    assert (answer.withdrawn, answer.no_name, answer.highlights) == ("", False, ())


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ([], "no answer"),
        ([chosen()], "no answer"),
        ([remark(["only a remark"])], "no answer"),
        ([chosen("C")], "unknown label"),
        ([chosen("A", "B")], "unknown label"),
        ([chosen("A", "A")], "unknown label"),
        ([chosen("A"), chosen("B")], "unknown label"),
        ([chosen("A"), chosen("A", from_name="mood")], "unknown label"),
        ([chosen("A", type="rating")], "unknown label"),
        ([chosen("A"), {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"}], "unknown label"),
        ([chosen("A"), "text"], "unknown label"),
        ([chosen(1)], "unknown label"),
        ([chosen("A"), remark([5])], "unknown label"),
        ([no_name(["something else"])], "unknown label"),
        ([region(0, 3, "Ann", labels=["Person"])], "unknown label"),
        ([no_name()], "neither"),
        ([region(0, 3, "Ann"), no_name()], "contradictory answer"),
        ([chosen("B"), region(0, 3, "Ann")], "contradictory answer"),
        ([chosen("A"), region(0, 3, "Ann")], "A"),
        ([region(0, 3, "Ann", labels=None, hypertextlabels=["Name"])], "A"),
        ([region(8, 11, "Ida"), region(0, 3, "Ann")], "both"),
        ([region(13, 16, "She")], "bad span"),
        ([region(0, 3, "Bob")], "bad span"),
        ([region(5000, 5003, "Ann")], "bad span"),
        ([region(-22, -19, "Ann")], "bad span"),
        ([region(0, 3, "Ann", globalOffsets={"start": "0", "end": "3"})], "bad span"),
        ([region(0, 3, "Ann", globalOffsets=None)], "bad span"),
        ([region(0, 3, None)], "bad span"),
    ],
)
def test_what_of_a_result_counts(verdict, result, expected):
    assert verdict(*result) == expected


def test_an_odd_result_is_named(read):
    (answer,) = read(exported(annotation(chosen("A"), chosen("good", from_name="mood"))))
    found = judge(answer, QUESTIONS)
    assert isinstance(found, Reject)
    assert found.detail.startswith(f'{answer.place}: \'A and {{"from_name": "mood", ')


@pytest.mark.parametrize(("result", "expected"), [(None, "no answer"), ({"label": "A"}, "unknown label")])
def test_a_result_that_is_no_list(verdict, result, expected):
    assert verdict(result=result) == expected


def test_a_region_without_global_offsets_has_only_paths(read):
    item = region(0, 3, "Ann")
    del item["value"]["globalOffsets"]
    (answer,) = read(exported(annotation(item)))
    assert answer.highlights == (Highlight(-1, -1, "Ann"),)


def test_a_region_of_a_plain_text(verdict):
    assert verdict(region(0, 0, "Ann") | {"value": {"start": 0, "end": 3, "text": "Ann", "labels": ["Name"]}}) == "A"


def test_a_region_that_does_not_tell_its_text(verdict):
    item = region(8, 11, "")
    del item["value"]["text"]
    assert verdict(item) == "B"


@pytest.mark.parametrize(
    ("start", "end", "text", "expected"),
    [
        (2, 10, "Ann  Lee", "Ann  Lee"),
        (51, 64, "Bea\tRoe\xa0there", "Bea\tRoe\xa0there"),
        (88, 96, "Ann \\nLee", "Ann\r\nLee"),
        (101, 105, "Cléo", "Cléo"),
        (110, 112, "Ng", "Ng"),
        (131, 137, "C:\\new", "C:\\new"),
        (147, 150, "Bea", "Bea"),
        (162, 165, "Ann", "Ann"),
        # UTF-16 units, as other versions count.
        (3, 11, "Ann  Lee", "Ann  Lee"),
        (165, 168, "Ann", "Ann"),
        (89, 97, "Ann \nLee", "Ann\r\nLee"),
    ],
)
def test_a_highlight_after_emoji_and_line_breaks(read, start, end, text, expected):
    (answer,) = read(exported(annotation(region(start, end, text)), question=EMOJI, mode="highlight"))
    found = judge(answer, QUESTIONS)
    assert isinstance(found, Judgement)
    assert [EMOJI.text[at.start : at.end] for at in found.highlights] == [expected]


def test_a_highlight_after_emoji_names_its_person(verdict):
    assert verdict(region(2, 10, "Ann  Lee"), question=EMOJI, mode="highlight") == "A"
    assert verdict(region(51, 58, "Bea\tRoe"), question=EMOJI, mode="highlight") == "B"
    assert verdict(region(101, 105, "Cléo"), question=EMOJI, mode="highlight") == "neither"
    assert verdict(region(2, 10, "Ann Lee"), question=EMOJI, mode="highlight") == "bad span"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({}, "A"),
        ({"text": "Ann met Ida. She stayed."}, "text differs"),
        ({"html": display(QUESTION, "labels").replace("left", "stayed")}, "text differs"),
        ({"html": display(QUESTION, "labels").replace("#ffe600", "#ffffff")}, "text differs"),
        ({"html": QUESTION.text + " "}, "text differs"),
        ({"html": None}, "text differs"),
        ({"text": None}, "text differs"),
        ({"content_hash": "0" * 16}, "text differs"),
        ({"content_hash": None}, "no content hash"),
        ({"instance_id": "other"}, "unknown instance"),
        ({"instance_id": 5}, "no instance id"),
    ],
)
def test_what_was_shown(verdict, data, expected):
    assert verdict(chosen("A"), data=data) == expected


def test_the_ids_of_the_tool_are_of_no_account(read):
    first, second = exported(annotation(chosen("A"), id=1)), exported(annotation(chosen("B"), id=1))
    answers = read(first | {"id": 900, "inner_id": 5, "project": 77}, second)
    assert [(it.instance_id, it.label) for it in answers] == [("q-1", "A"), ("q-1", "B")]
    assert [it.place.partition(": ")[2] for it in answers] == ["task 1, annotation 1", "task 2, annotation 1"]


def test_a_skipped_task_is_withdrawn(verdict):
    assert verdict(chosen("A"), was_cancelled=True) == "cancelled"


def test_predictions_and_drafts_are_nobodys_answer(read):
    guess = {"id": 1, "result": [chosen("B")], "model_version": "guess"}
    task = exported(annotation(chosen("A"), prediction=guess))
    (answer,) = read(task | {"predictions": [guess], "drafts": [{"id": 4, "user": "x", "result": [chosen("B")]}]})
    assert answer.label == "A"
    assert read(exported() | {"predictions": [guess], "drafts": [guess]}) == []


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        (3, "label-studio:3"),
        ({"id": 3, "email": "eve@example.org", "first_name": ""}, "label-studio:3"),
        ({"email": "eve@example.org"}, "label-studio:eve@example.org"),
        (None, ""),
        (True, ""),
        ({}, ""),
    ],
)
def test_annotator(user, expected):
    assert annotator_of(user) == expected


def test_an_answer_of_nobody(verdict):
    assert verdict(chosen("A"), completed_by=None) == "no annotator"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-16T21:30:23.125090Z", "2026-11-16T21:30:23.125090+00:00"),
        ("2026-11-16T23:30:23+02:00", "2026-11-16T21:30:23.000000+00:00"),
        ("2026-11-16T21:30:23", "2026-11-16T21:30:23.000000+00:00"),
        ("0001-01-01T00:00:00+10:00", ""),
        ("yesterday", ""),
        (None, ""),
        (1794863921, ""),
    ],
)
def test_time(value, expected):
    assert time_of(value) == expected


def test_the_time_of_making_counts_where_there_was_no_change(read):
    (answer,) = read(exported(annotation(chosen("A"), updated_at=None)))
    assert answer.time == "2026-11-16T21:23:22.799263+00:00"


# Files

WHOLE = json.dumps(exported()).encode()
SHAPE = 'has no "annotations" and "data"; export it from Label Studio as "JSON", not JSON-MIN or another format'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty; export it again"),
        (b" \n", "empty; export it again"),
        (b'{"tasks": []}', 'not a list of tasks; export it from Label Studio as "JSON"'),
        (b'"id","label"\r\n1,"A"\r\n', 'not a list of tasks; export it from Label Studio as "JSON"'),
        (b"[null]", f"task 1 {SHAPE}"),
        (b'[{"text": "Ann", "label": "A", "annotator": 1, "annotation_id": 6}]', f"task 1 {SHAPE}"),
        (b'[{"data": {}, "completions": []}]', f"task 1 {SHAPE}"),
        (b"[" + WHOLE + b', {"annotations": [], "data": []}]', f"task 2 {SHAPE}"),
        (
            b'[{"data": {}, "annotations": [5, 6]}]',
            'task 1 holds no annotations but their ids; export it from Label Studio as "JSON"',
        ),
    ],
)
def test_a_file_of_another_format(tmp_path, content, message):
    path = tmp_path / "export.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_answers(path))
    assert str(caught.value) == f"{path}: {message}"


@pytest.mark.parametrize(
    ("content", "tasks"),
    [
        (b"[", 0),
        (b"[" + WHOLE, 1),
        (b"[" + WHOLE + b"," + WHOLE[:-40], 1),
        (b"[" + WHOLE + b"," + WHOLE + b', {"data": nonsense}]', 2),
        (b"[" + WHOLE + b"] more", 1),
        (b"[" + WHOLE + b', {"a": "\xff"}]', 1),
    ],
)
def test_a_broken_file(tmp_path, content, tasks):
    path = tmp_path / "export.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_answers(path))
    message = str(caught.value)
    # What the parser says between the two differs by its version, and is one line.
    assert re.fullmatch(rf"{path}: broken after task {tasks}: [^\n^]+; export it again", message), message


def test_what_stands_before_the_break_is_read(tmp_path):
    path = tmp_path / "export.json"
    path.write_text(f"[{json.dumps(exported(annotation(chosen('A'))))},", "utf-8")
    answers = read_answers(path)
    assert next(answers).label == "A"
    with pytest.raises(InputError):
        next(answers)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_an_export_without_tasks(tmp_path, mark):
    path = tmp_path / "export.json"
    path.write_bytes(mark + b"[]\n")
    assert list(read_answers(path)) == []


@pytest.mark.soak
def test_memory_stays_flat(tmp_path):
    path = tmp_path / "export.json"
    task = json.dumps(exported(*(annotation(chosen("A"), id=n) for n in range(3))))
    path.write_text(f"[{','.join([task] * 4_000)}]", "utf-8")
    assert path.stat().st_size > 4_000_000
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_answers(path)) == 12_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("task", "message"),
    [
        # ijson's own reader of items takes gigabytes for this.
        (b"[" * 100_000 + b"]" * 100_000, "task 2 is nested more than 64 deep; remove it"),
        (b'{"annotations": [{"id": ' + b"[" * 70 + b"]" * 70, "task 2 is nested more than 64 deep; remove it"),
        (
            b'{"annotations": [{"id": 1, "result": []}], "data": {"html": "\\udc00"}}',
            "broken after task 1: what is no character, such as half a surrogate pair; fix or remove the task",
        ),
    ],
    ids=["task", "id", "surrogate"],
)
def test_a_task_that_cannot_be_held(tmp_path, task, message):
    path = tmp_path / "export.json"
    path.write_bytes(b"[" + json.dumps(exported(annotation(chosen("A")))).encode() + b"," + task + b"]")
    answers = read_answers(path)
    assert next(answers).label == "A"
    with pytest.raises(InputError) as caught:
        next(answers)
    assert str(caught.value) == f"{path}: {message}"


def test_members_that_are_no_tasks(tmp_path):
    path = tmp_path / "export.json"
    for member in ("1", '"a"', "null", "[]", "{}", "[[1], {}]"):
        path.write_text(f"[{member}]", "utf-8")
        with pytest.raises(InputError, match=r'task 1 has no "annotations" and "data"'):
            list(read_answers(path))
