"""Questions as cells of a Mechanical Turk batch, and the answers in its results."""

import csv
import hashlib
import html
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.annotation import turk
from gapforge.annotation.answers import Answer, Highlight, judge
from gapforge.annotation.questions import ask
from gapforge.annotation.turk import filled_page, page_cell, read_answers, template, utc_time, write_batches
from gapforge.errors import ConfigError, InputError
from gapforge.records import Judgement, Reject, Span


def make_question(text="Ann met Ida. She left.", id="q-1", pronoun="She", a="Ann", b="Ida", answer=None):
    def place(form):
        return Span(text.index(form), text.index(form) + len(form))

    return ask(id, id, text, place(pronoun), (place(a), place(b)), [], answer)


QUESTION = make_question()
KNOWN = make_question("Eva rang Una, and she answered.", "k-1", "she", "Eva", "Una", "B")
QUESTIONS = {it.instance_id: it for it in (QUESTION, KNOWN)}

HOSTILE = [
    "<script>alert(1)</script>",
    "${x}",
    "${questions}",
    "</textarea>",
    "\"quoted\" 'and' `ticked`",
    "&quot;&lt;&amp;#39;",
    "🙂 𝒜",
    "\u2028\u2029\x85",
    "two\n\nparagraphs\r\nand\ttab",
    "\\u003c \\\\ \\n",
    "=cmd|' /C calc'!A0",
    "\x00\x1f\x7f",
]


def as_page_reads(cell):
    """What JSON.parse gets: the browser undoes the entities of an attribute."""
    return json.loads(html.unescape(cell))


def test_cell_of_a_question():
    assert as_page_reads(page_cell([QUESTION, KNOWN])) == [
        {
            "instance_id": "q-1",
            "content_hash": QUESTION.content_hash,
            "text": "Ann met Ida. She left.",
            "pronoun": [13, 16],
            "name_a": [0, 3],
            "name_b": [8, 11],
            "people": [{"role": "A", "mentions": [[0, 3]]}, {"role": "B", "mentions": [[8, 11]]}],
            "known": "",
        },
        {
            "instance_id": "k-1",
            "content_hash": KNOWN.content_hash,
            "text": "Eva rang Una, and she answered.",
            "pronoun": [18, 21],
            "name_a": [0, 3],
            "name_b": [9, 12],
            "people": [{"role": "A", "mentions": [[0, 3]]}, {"role": "B", "mentions": [[9, 12]]}],
            "known": hashlib.sha256(b"k-1:B").hexdigest(),
        },
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_harmless_in_a_cell(text):
    question = make_question(f"{text} Ann met Ida. She left.", id=f"id {text}")
    cell = page_cell([question])
    assert re.fullmatch(r"[ -~]+", cell)
    assert not set("<>'\"$") & set(cell)
    assert set(re.findall("&[^;]*;?", cell)) == {"&quot;"}
    assert [(it["text"], it["instance_id"]) for it in as_page_reads(cell)] == [(question.text, f"id {text}")]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_from_its_cell(text):
    cell = page_cell([make_question(f"Ann met Ida. She left. {text}")])
    assert re.fullmatch(r"[ !#%(-;=?-~]+", cell.replace("&quot;", ""))
    assert as_page_reads(cell)[0]["text"] == f"Ann met Ida. She left. {text}"


def test_template_has_each_cell_once_and_nothing_else_to_fill():
    page = template()
    assert sorted(re.findall(r"\$\{.*?\}", page)) == ["${batch}", "${mode}", "${questions}"]
    assert page.count("${") == 3
    assert page.isascii()
    assert "]]>" not in page  # Mechanical Turk keeps the page as CDATA


def test_template_asks_for_nothing_from_elsewhere():
    assert re.findall(r"(?:src|href)\s*=|@import|url\(|<link|<img|<iframe", template()) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_filled_page_differs_from_its_template_in_three_cells(text):
    question = make_question(f"{text} Ann met Ida. She left.")
    before, after = template().split('data-batch="${batch}" data-mode="${mode}" data-questions="${questions}"')
    page = filled_page("b-1", [question], "labels")
    cells = f'data-batch="b-1" data-mode="labels" data-questions="{page_cell([question])}"'
    assert page == before + cells + after


def test_batches_are_rows(tmp_path):
    path = tmp_path / "batches.csv"
    write_batches(path, [("b-1", [QUESTION]), ("b-2", [KNOWN, QUESTION])], "highlight")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["batch", "mode", "questions"],
        ["b-1", "highlight", page_cell([QUESTION])],
        ["b-2", "highlight", page_cell([KNOWN, QUESTION])],
    ]
    assert path.read_bytes().isascii()
    assert [it.name for it in tmp_path.iterdir()] == ["batches.csv"]


@pytest.mark.parametrize("name", ["", "a b", '"><script>', "=1+1", "${mode}", "../up", ".hidden", "b\n", "Zoë"])
def test_names_of_batches_are_plain(tmp_path, name):
    message = f"batch {name!r}: a name has letters, digits, '.', '_' and '-' only; rename it"
    for call in (
        lambda: write_batches(tmp_path / "b.csv", [("b-1", [QUESTION]), (name, [QUESTION])], "labels"),
        lambda: filled_page(name, [QUESTION], "labels"),
    ):
        with pytest.raises(ConfigError) as caught:
            call()
        assert str(caught.value) == message
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_mechanical_turk_would_not_take(tmp_path):
    path = tmp_path / "b.csv"
    room = turk.MOST_BYTES - len(filled_page("b-1", [make_question()], "labels").encode())
    assert room > 30_000  # ten questions of Counter-GAP take half of it
    write_batches(path, [("b-1", [make_question("Ann met Ida. She left." + "." * room)])], "labels")
    before = path.read_bytes()
    with pytest.raises(ConfigError) as caught:
        write_batches(path, [("b-1", [make_question("Ann met Ida. She left." + "." * (room + 1))])], "labels")
    assert str(caught.value) == (
        "b-1 makes a page of 65001 bytes, and Mechanical Turk takes 65000; put fewer questions into a batch"
    )
    assert path.read_bytes() == before  # the file stays as it was


# ---- results

ROW = {
    "HITId": "H1",
    "HITTypeId": "T1",
    "AssignmentId": "A1",
    "WorkerId": "W1",
    "AssignmentStatus": "Submitted",
    "SubmitTime": "Mon Nov 16 09:12:33 PST 2026",
    "Input.batch": "b-1",
    "Input.mode": "highlight",
    "Input.questions": page_cell([QUESTION]),
    "Answer.answers": "[]",
    "Answer.batch": "b-1",
    "Answer.refusals": "0",
    "Approve": "",
    "Reject": "",
}


def entry(question=QUESTION, **changes):
    base = {"label": "", "no_name": False, "highlights": [], "contradiction": ""}
    return {"instance_id": question.instance_id, "content_hash": question.content_hash, **base, **changes}


@pytest.fixture
def results(tmp_path):
    def write(*rows, without=()):
        path = tmp_path / "Batch_1_batch_results.csv"
        columns = [name for name in ROW if name not in without]
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            writer.writerow(columns)
            for row in rows:
                full = ROW | row
                if not isinstance(full["Answer.answers"], str):
                    full["Answer.answers"] = json.dumps(full["Answer.answers"])
                writer.writerow([full[name] for name in columns])
        return path

    return write


def test_an_answer_with_all_that_is_known_of_it(results):
    marked = [{"start": 0, "end": 3, "text": "Ann"}]
    path = results({"Answer.answers": [entry(highlights=marked, contradiction="none of it")]})
    assert list(read_answers(path)) == [
        Answer(
            place=f"{path}: line 2",
            instance_id="q-1",
            content_hash=QUESTION.content_hash,
            annotator="W1",
            shown="Ann met Ida. She left.",
            highlights=(Highlight(0, 3, "Ann", in_code_points=True),),
            contradiction="none of it",
            time="2026-11-16T17:12:33.000000+00:00",
        )
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"highlights": [{"start": 0, "end": 3, "text": "Ann"}]}, "A"),
        ({"highlights": [{"start": 8, "end": 11, "text": "Ida"}]}, "B"),
        ({"no_name": True}, "neither"),
        ({"label": "both"}, "both"),
        ({"label": "not sure"}, "not sure"),
        ({}, "no answer"),
        ({"label": "C"}, "unknown label"),
        ({"label": 5}, "unknown label"),
        ({"label": ["A"]}, "unknown label"),
        ({"no_name": True, "label": "A"}, "contradictory answer"),
        ({"no_name": "yes"}, "no answer"),
        ({"content_hash": "0"}, "text differs"),
        ({"content_hash": None}, "no content hash"),
        ({"instance_id": "other"}, "unknown instance"),
        ({"instance_id": "k-1", "content_hash": KNOWN.content_hash, "label": "A"}, "text differs"),  # was not asked
        ({"instance_id": None}, "no instance id"),
        ({"instance_id": "\ud800"}, "unknown instance"),
        ({"highlights": [{"start": 0, "end": 3, "text": "Ida"}]}, "bad span"),
        ({"highlights": [{"start": 0, "end": 10**30, "text": "Ann"}]}, "bad span"),
        ({"highlights": [{"start": True, "end": 3, "text": "nn "}]}, "bad span"),
        ({"highlights": [{"start": 0.0, "end": 3, "text": "Ann"}]}, "bad span"),
        ({"highlights": [{"start": 13, "end": 16, "text": "She"}]}, "bad span"),
        ({"highlights": ["Ann"]}, "bad span"),
        ({"highlights": "Ann"}, "bad span"),
        ({"highlights": {"start": 0, "end": 3, "text": "Ann"}}, "A"),
        ({"highlights": None, "label": "A"}, "A"),
    ],
)
def test_answers_through_judge(results, changes, expected):
    first, *rest = read_answers(results({"Answer.answers": [entry(**changes)]}))
    judged = judge(first, QUESTIONS)
    assert (judged.label if isinstance(judged, Judgement) else judged.reason) == expected
    # A question that the page asked and the answers pass over is there all the same.
    passed_over = changes.get("instance_id", "q-1") != "q-1"
    assert [judge(it, QUESTIONS).reason for it in rest] == ["no answer"] * passed_over


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "{}",
        "null",
        "[]",
        "[1]",
        '["text"]',
        "not JSON",
        "[",
        "{'a': 1}",
        "[" * 100_000,
        "1" * 5000,
        "&quot;",
        "NaN",
    ],
)
def test_what_is_not_ours_is_refused_and_does_not_stop_the_file(results, cell):
    path = results({"Answer.answers": cell}, {"Answer.answers": [entry(label="B")]})
    wrong, right = (judge(it, QUESTIONS) for it in read_answers(path) if it.instance_id or "line 2" in it.place)
    assert wrong == Reject("", "no instance id", f"{path}: line 2")
    assert right.label == "B"


def test_every_question_of_every_assignment_in_order(results):
    both = {"Input.questions": page_cell([QUESTION, KNOWN])}
    path = results(
        both | {"Answer.answers": [entry(label="A"), entry(KNOWN, label="B")]},
        both | {"Answer.answers": [entry(KNOWN, label="A")], "WorkerId": " W2 "},
        both | {"Answer.answers": "", "WorkerId": "W3"},
    )
    found = [(it.place.rpartition(" ")[2], it.annotator, it.instance_id, it.label) for it in read_answers(path)]
    assert found == [
        ("2", "W1", "q-1", "A"),
        ("2", "W1", "k-1", "B"),
        ("3", "W2", "k-1", "A"),
        ("3", "W2", "q-1", ""),
        ("4", "W3", "", ""),
    ]


@pytest.mark.parametrize(
    ("changes", "withdrawn"),
    [
        ({"AssignmentStatus": "Submitted"}, ""),
        ({"AssignmentStatus": "Approved", "Approve": "x"}, ""),
        ({"AssignmentStatus": "Rejected"}, "assignment rejected"),
        ({"AssignmentStatus": "Submitted", "Reject": "all the same"}, "assignment rejected"),
    ],
)
def test_rejected_assignments_are_withdrawn(results, changes, withdrawn):
    [answer] = read_answers(results(changes | {"Answer.answers": [entry(label="A")]}))
    assert answer.withdrawn == withdrawn


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (page_cell([QUESTION]), "Ann met Ida. She left."),
        (html.unescape(page_cell([QUESTION])), "Ann met Ida. She left."),
        (page_cell([make_question("Ann met Eva. She left.", b="Eva")]), "Ann met Eva. She left."),
        (page_cell([KNOWN]), ""),
        (page_cell([QUESTION])[:-5], None),  # a spreadsheet cuts long cells
        ("", None),
    ],
)
def test_the_text_that_was_shown(results, cell, expected):
    first, *_ = read_answers(results({"Input.questions": cell, "Answer.answers": [entry(label="A")]}))
    assert first.shown == expected


def test_without_the_column_of_questions_nothing_is_known_of_the_text(results):
    [answer] = read_answers(results({"Answer.answers": [entry(label="A")]}, without=["Input.questions", "Input.batch"]))
    assert (answer.shown, judge(answer, QUESTIONS).label) == (None, "A")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_goes_round(results, text):
    question = make_question(f"{text} Ann met Ida. She left.")
    start = question.name_b.start
    marked = [{"start": start, "end": start + 3, "text": "Ida"}]
    cells = {
        "Input.questions": page_cell([question]),
        "Answer.answers": [entry(question, highlights=marked, contradiction=text)],
    }
    [answer] = read_answers(results(cells))
    judged = judge(answer, {question.instance_id: question})
    assert (judged.label, judged.highlights) == ("B", [question.name_b])
    assert judged.contradiction == " ".join(text.split())


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("=W1", "=W1"),
        ("'=W1", "=W1"),
        ("'+W1", "+W1"),
        ("'-W1", "-W1"),
        ("'@W1", "@W1"),
        ("@SUM(1)", "@SUM(1)"),
        ("'W1", "'W1"),
        ("'", "'"),
    ],
)
def test_cells_that_look_like_formulas_are_text(results, cell, expected):
    [answer] = read_answers(results({"WorkerId": cell, "Answer.answers": [entry(label="A")]}))
    assert answer.annotator == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("Mon Nov 16 09:12:33 PST 2026", "2026-11-16T17:12:33.000000+00:00"),
        ("Thu Jul 02 23:30:00 PDT 2026", "2026-07-03T06:30:00.000000+00:00"),
        ("Thu Jul  2 23:30:00 UTC 2026", "2026-07-02T23:30:00.000000+00:00"),
        (" Thu Jul 2 23:30:00 GMT 2026 ", "2026-07-02T23:30:00.000000+00:00"),
        ("2019-12-01T13:04:59Z", "2019-12-01T13:04:59.000000+00:00"),
        ("2019-12-01T13:04:59.5-08:00", "2019-12-01T21:04:59.500000+00:00"),
        ("2019-12-01T13:04:59", "2019-12-01T13:04:59.000000+00:00"),  # no zone is UTC
        ("Mon Nov 16 09:12:33 IST 2026", ""),
        ("Mon Nov 31 09:12:33 PST 2026", ""),
        ("Fri Dec 31 23:12:33 PST 9999", ""),
        ("11/16/2026 9:12", ""),
        ("", ""),
    ],
)
def test_times(cell, expected):
    assert utc_time(cell) == expected


@pytest.mark.parametrize("column", ["WorkerId", "AssignmentStatus", "SubmitTime", "Answer.answers"])
def test_a_missing_column(results, column):
    path = results({}, without=[column])
    with pytest.raises(InputError) as caught:
        list(read_answers(path))
    assert str(caught.value) == (
        f"{path}: line 1: no column {column!r}; wanted WorkerId, AssignmentStatus, SubmitTime, Answer.answers"
    )


HEADER = "WorkerId,AssignmentStatus,SubmitTime,Answer.answers,Approve,Reject\n"
LINE = 'W1,Submitted,,"[{""instance_id"": ""q-1""}]",,\n'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (HEADER, []),
        (HEADER + LINE, ["q-1"]),
        ("\ufeff" + HEADER + LINE, ["q-1"]),
        ((HEADER + LINE).replace("\n", "\r\n"), ["q-1"]),
        (HEADER + "\n" + LINE + "\n\n" + LINE, ["q-1", "q-1"]),
        (HEADER + LINE.replace(",,\n", "\n"), ["q-1"]),  # ends before what the requester fills in
    ],
)
def test_ways_to_write_results(tmp_path, content, expected):
    path = tmp_path / "results.csv"
    path.write_bytes(content.encode())
    assert [it.instance_id for it in read_answers(path)] == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "line 1: no column 'WorkerId'; wanted WorkerId, AssignmentStatus, SubmitTime, Answer.answers"),
        ((HEADER + LINE + "W1,Submitted,\n").encode(), "line 3: 3 cells under 6 columns; download the results again"),
        ((HEADER + "W1,,,[],,,more\n").encode(), "line 2: 7 cells under 6 columns; download the results again"),
        (
            (HEADER + LINE + 'W1,"Submitted" by,,[],,\n').encode(),
            "line 3: ',' expected after '\"'; download the results again",
        ),
        ((HEADER + 'W1,,,"[\n').encode(), "line 2: unexpected end of data; download the results again"),
        ((HEADER + LINE).encode() + b"W\xff,,,[],,\n", "after line 0: not UTF-8; save it as UTF-8"),
    ],
)
def test_results_that_cannot_be_read(tmp_path, content, expected):
    path = tmp_path / "results.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_answers(path))
    assert str(caught.value) == f"{path}: {expected}"
