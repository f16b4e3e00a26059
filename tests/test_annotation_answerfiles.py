"""Files of answers in our own form: what is read from them, what is refused, and what the import wrote itself."""

import csv
import io
import json

import pytest

from gapforge.annotation.answerfiles import read_answers
from gapforge.annotation.answers import Answer, Highlight, judge
from gapforge.annotation.questions import ask
from gapforge.errors import ConfigError, InputError
from gapforge.records import Judgement, Reject, Span
from gapforge.storage.files import json_line
from gapforge_tasks.cli.annotate import import_answers

TEXT = "Ann met Ida. She left."
QUESTION = ask("q-1", "q-1", TEXT, Span(13, 16), (Span(0, 3), Span(8, 11)), [])
EMOJI = "😀 Ann met Ida. She left."
AFTER_EMOJI = ask("q-2", "q-2", EMOJI, Span(15, 18), (Span(2, 5), Span(10, 13)), [])
QUESTIONS = {"q-1": QUESTION, "q-2": AFTER_EMOJI}
HASH = QUESTION.content_hash
WANTED = "wanted one of A, B, neither, both, not sure"
HEADER = "instance_id,content_hash,annotator,label\n"
BASE = {"instance_id": "q-1", "content_hash": HASH, "annotator": "anna"}
FULL = BASE | {
    "label": "A",
    "text": TEXT,
    "no_name": False,
    "highlights": [{"start": 0, "end": 3, "text": "Ann"}],
    "contradiction": "Ann is a “father”, 😀",
    "submitted_at": "2026-01-02T03:04:05.678000+00:00",
}


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def table(*rows, delimiter=","):
    """Rows of cells as a spreadsheet saves them; the first is the header."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return file.getvalue()


def as_table(values, delimiter=","):
    cells = [it if isinstance(it, str) else json.dumps(it) for it in values.values()]
    return table(list(values), cells, delimiter=delimiter)


def read_one(folder, name, content):
    (answer,) = read_answers(write(folder, name, content))
    return answer


@pytest.mark.parametrize(
    ("name", "content", "line", "certain"),
    [
        ("f.jsonl", json.dumps(FULL), 1, True),
        ("f.jsonl", "\n \n" + json.dumps(FULL, ensure_ascii=False) + "\r\n", 3, True),
        ("f.jsonl", b"\xef\xbb\xbf" + json.dumps(FULL).encode(), 1, True),
        ("F.JSONL", json.dumps(FULL), 1, True),
        ("f.csv", as_table(FULL), 2, False),
        ("f.csv", "\ufeff" + as_table(FULL), 2, False),
        ("f.csv", as_table(FULL).replace("\r\n", "\n"), 2, False),
        ("f.csv", as_table(dict(reversed(FULL.items())) | {"remark": "x"}), 2, False),
        ("f.tsv", as_table(FULL, "\t"), 2, False),
    ],
)
def test_an_answer_of_our_own_form(tmp_path, name, content, line, certain):
    assert read_one(tmp_path, name, content) == Answer(
        place=f"{tmp_path / name}: line {line}",
        instance_id="q-1",
        content_hash=HASH,
        annotator="anna",
        shown=TEXT,
        label="A",
        no_name=False,
        highlights=(Highlight(0, 3, "Ann", certain),),
        contradiction="Ann is a “father”, 😀",
        time="2026-01-02T03:04:05.678000+00:00",
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("f.jsonl", json.dumps(BASE)),
        ("f.jsonl", json.dumps(BASE | {"label": None, "highlights": None, "text": None, "submitted_at": None})),
        ("f.jsonl", json.dumps(BASE | {"label": "", "highlights": [], "text": "", "standard": ""})),
        ("f.csv", as_table(BASE)),
        ("f.csv", as_table(BASE | {"label": "", "highlights": "", "no_name": "", "text": "", "standard": "gold"})),
    ],
)
def test_what_may_be_left_out(tmp_path, name, content):
    line = 2 if name == "f.csv" else 1
    assert read_one(tmp_path, name, content) == Answer(f"{tmp_path / name}: line {line}", "q-1", HASH, "anna")


@pytest.mark.parametrize("name", ["f.jsonl", "f.csv", "f.tsv"])
def test_an_empty_file(tmp_path, name):
    path = write(tmp_path, name, "")
    if name == "f.jsonl":
        assert list(read_answers(path)) == []
    else:
        with pytest.raises(InputError) as caught:
            list(read_answers(path))
        wanted = "wanted instance_id, content_hash, annotator and label"
        assert str(caught.value) == f"{path}: line 1: no column 'instance_id'; {wanted}"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "f.jsonl",
            json.dumps(BASE) + "\n" + json.dumps(FULL)[:60],
            "line 2: not JSON (Unterminated string starting at: line 1 column 60 (char 59)); is the file cut off?",
        ),
        (
            "f.jsonl",
            "\n{'a': 1}",
            "line 2: not JSON (Expecting property name enclosed in double quotes: line 1 column 2 (char 1)); "
            "is the file cut off?",
        ),
        ("f.jsonl", '["q-1", "A"]\n', 'line 1: wanted an object, found \'["q-1", "A"]\''),
        ("f.jsonl", '"' + "x" * 50 + '"', f"line 1: wanted an object, found '\"{'x' * 39}'"),
        ("f.jsonl", "null", "line 1: wanted an object, found 'null'"),
        ("f.jsonl", json.dumps(BASE).encode() + b'\n{"label": "\xff"}', "line 2: byte 11: not UTF-8; save it as UTF-8"),
        (
            "f.csv",
            "instance_id,annotator,label\nq-1,anna,A\n",
            "line 1: no column 'content_hash'; wanted instance_id, content_hash, annotator and label",
        ),
        (
            "f.csv",
            HEADER.replace(",", ";"),
            "line 1: no column 'instance_id'; wanted instance_id, content_hash, annotator and label",
        ),
        ("f.csv", HEADER + "q-1,x,anna,A\n\nq-1,x\n", "line 4: 2 cells under 4 columns; is the file cut off?"),
        ("f.csv", HEADER + "q-1,x,anna,A,B\n", "line 2: 5 cells under 4 columns; is the file cut off?"),
        ("f.csv", HEADER + 'q-1,x,anna,"A\n', "line 2: unexpected end of data; quote cells as CSV does"),
        ("f.csv", HEADER + 'q-1,x,anna,"A"B\n', "line 2: ',' expected after '\"'; quote cells as CSV does"),
        ("f.csv", HEADER.encode()[:-1] + b"\xff\n", "line 1: byte 40: not UTF-8; save it as UTF-8"),
        ("f.tsv", HEADER, "line 1: no column 'instance_id'; wanted instance_id, content_hash, annotator and label"),
        (
            "f.tsv",
            HEADER.replace(",", "\t") + "q-1\tx\tanna\n",
            "line 2: 3 cells under 4 columns; is the file cut off?",
        ),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, content, message):
    path = write(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        list(read_answers(path))
    assert str(caught.value) == f"{path}: {message}"


def test_the_line_that_is_not_utf_8(tmp_path):
    path = write(tmp_path, "f.csv", HEADER.encode() + b"q-1,x,anna,A\nq-1,x,\xff,A\n")
    with pytest.raises(InputError, match=r": line 3: (byte \d+: )?not UTF-8; save it as UTF-8$"):
        list(read_answers(path))


def test_a_header_that_never_ends(tmp_path):
    before = csv.field_size_limit(131_072)  # Python's own, as at the start of a process
    path = write(tmp_path, "f.csv", '"' + "x" * 200_000)
    try:
        with pytest.raises(InputError) as caught:
            list(read_answers(path))
    finally:
        csv.field_size_limit(before)
    assert str(caught.value) == f"{path}: line 1: unexpected end of data; quote cells as CSV does"


@pytest.mark.parametrize("name", ["f.jsonl", "f.csv"])
def test_highlights_nested_without_end(tmp_path, name):
    values = BASE | {"highlights": "[" * 100_000}
    answer = read_one(tmp_path, name, json.dumps(values) if name == "f.jsonl" else as_table(values))
    assert answer.label == "highlights " + "[" * 100_000


def test_a_line_nested_without_end(tmp_path):
    path = write(tmp_path, "f.jsonl", "[" * 100_000)
    with pytest.raises(InputError) as caught:
        list(read_answers(path))
    assert str(caught.value).startswith(f"{path}: line 1: not JSON (")


def test_what_stands_before_the_fault_is_read(tmp_path):
    answers = read_answers(write(tmp_path, "f.jsonl", json.dumps(BASE) + "\n{"))
    assert next(answers).instance_id == "q-1"
    with pytest.raises(InputError):
        next(answers)


def test_the_csv_of_label_studio(tmp_path):
    path = write(tmp_path, "f.csv", "annotation_id,annotator,content_hash,instance_id,label\n1,1,x,q-1,A\n")
    with pytest.raises(InputError) as caught:
        read_answers(path)
    assert str(caught.value) == f"{path}: Label Studio's CSV, which leaves out what was shown; export it as JSON"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("f.txt", "'.txt'; choose from .json, .jsonl, .csv, .tsv"),
        ("f.jsonll", "'.jsonll'; did you mean '.jsonl'?"),
        ("f", "''; choose from .json, .jsonl, .csv, .tsv"),
    ],
)
def test_unknown_kinds_of_files(tmp_path, name, hint):
    path = write(tmp_path, name, json.dumps(BASE))
    with pytest.raises(ConfigError) as caught:
        read_answers(path)
    assert str(caught.value) == f"{path}: unknown kind of answers {hint}"


@pytest.mark.parametrize("name", ["f.jsonl", "f.json", "f.csv"])
def test_a_file_that_is_not_there(tmp_path, name):
    with pytest.raises(InputError) as caught:
        read_answers(tmp_path / name)
    assert str(caught.value) == f"{tmp_path / name}: no such file; fix the path"


def test_cells_with_line_breaks_and_quotation_marks(tmp_path):
    remark = 'Ann is\na "father",\r\nsays Ida'
    row = [*BASE.values(), "A", remark]
    path = write(tmp_path, "f.csv", table([*BASE, "label", "contradiction"], row, [*row[:-1], ""]))
    first, second = read_answers(path)
    assert (first.place, first.contradiction) == (f"{path}: line 4", remark)
    assert (second.place, second.contradiction) == (f"{path}: line 5", "")
    assert judge(first, QUESTIONS) == Judgement(
        "q-1", HASH, "anna", "A", [], 'Ann is a "father", says Ida', "gold", False
    )


LINK = '=HYPERLINK("http://example.org","A")'


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (LINK, LINK),
        ("'" + LINK, LINK),
        ("=1+1", "=1+1"),
        ("'=1+1", "=1+1"),
        ("'+1", "+1"),
        ("'-1", "-1"),
        ("'@SUM(A1)", "@SUM(A1)"),
        ("''=1+1", "''=1+1"),
        ("'A'", "'A'"),
        ("'", "'"),
    ],
)
def test_formulas_of_spreadsheets(tmp_path, cell, text):
    as_label = read_one(tmp_path, "f.csv", as_table(BASE | {"label": cell}))
    place = f"{tmp_path / 'f.csv'}: line 2"
    assert judge(as_label, QUESTIONS) == Reject("q-1", "unknown label", f"{place}: {text!r}, {WANTED}")
    as_remark = read_one(tmp_path, "f.csv", as_table(BASE | {"label": "A", "contradiction": cell}))
    assert judge(as_remark, QUESTIONS) == Judgement("q-1", HASH, "anna", "A", [], text, "gold", False)


def test_a_line_of_json_keeps_its_apostrophe(tmp_path):
    assert read_one(tmp_path, "f.jsonl", json.dumps(BASE | {"contradiction": "'=1+1"})).contradiction == "'=1+1"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('[{"start": 8, "end": 11}]', [(8, 11, None)]),
        ('[{"start": 8, "end": 11, "text": null}]', [(8, 11, None)]),
        ('[{"end": 11, "start": 8, "text": "Ida", "id": 7}, {"start": 0, "end": 3}]', [(8, 11, "Ida"), (0, 3, None)]),
        ("[]", []),
        ("", []),
    ],
)
@pytest.mark.parametrize("name", ["f.csv", "f.tsv", "f.jsonl"])
def test_highlights_as_json_in_a_cell(tmp_path, name, value, expected):
    values = BASE | {"highlights": value}
    content = json.dumps(values) if name == "f.jsonl" else as_table(values, "\t" if name == "f.tsv" else ",")
    found = read_one(tmp_path, name, content)
    assert found.highlights == tuple(Highlight(*it, name == "f.jsonl") for it in expected)
    assert found.label == ""


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("Ann", "highlights Ann"),
        ([{"start": 0}], 'highlights [{"start": 0}]'),
        ([{"start": "0", "end": "3"}], 'highlights [{"start": "0", "end": "3"}]'),
        ([{"start": 0.0, "end": 3}], 'highlights [{"start": 0.0, "end": 3}]'),
        ([{"start": 0, "end": 3.0}], 'highlights [{"start": 0, "end": 3.0}]'),
        ([{"start": False, "end": 3}], 'highlights [{"start": false, "end": 3}]'),
        ([{"start": 0, "end": 3, "text": 5}], 'highlights [{"start": 0, "end": 3, "text": 5}]'),
        ([[0, 3]], "highlights [[0, 3]]"),
        (["Ann"], 'highlights ["Ann"]'),
        ([None], "highlights [null]"),
        (7, "highlights 7"),
        (False, "highlights false"),
        ({"start": 0, "end": 3}, 'highlights {"start": 0, "end": 3}'),
        ('[{"start": 0, "end": 3}', 'highlights [{"start": 0, "end": 3}'),
    ],
)
@pytest.mark.parametrize("label", ["A", ""])
def test_broken_highlights_are_refused(tmp_path, value, shown, label):
    answer = read_one(tmp_path, "f.jsonl", json.dumps(BASE | {"label": label, "highlights": value}))
    place = f"{tmp_path / 'f.jsonl'}: line 1"
    assert judge(answer, QUESTIONS) == Reject("q-1", "unknown label", f"{place}: {shown!r}, {WANTED}")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("f.jsonl", True, True),
        ("f.jsonl", False, False),
        ("f.jsonl", "yes", True),
        *(("f.csv", cell, True) for cell in ("true", "TRUE", " True ", "1", "yes", "Yes")),
        *(("f.csv", cell, False) for cell in ("", "false", "FALSE", "0", "no", " ")),
        ("f.jsonl", None, False),
    ],
)
def test_no_name(tmp_path, name, value, expected):
    values = BASE | {"no_name": value}
    answer = read_one(tmp_path, name, json.dumps(values) if name == "f.jsonl" else as_table(values))
    assert (answer.no_name, answer.label) == (expected, "")


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("f.jsonl", 1, "no_name 1"),
        ("f.jsonl", [], "no_name []"),
        ("f.jsonl", "perhaps", "no_name perhaps"),
        ("f.csv", "x", "no_name x"),
    ],
)
def test_no_name_that_is_neither_true_nor_false(tmp_path, name, value, shown):
    values = BASE | {"label": "A", "no_name": value}
    answer = read_one(tmp_path, name, json.dumps(values) if name == "f.jsonl" else as_table(values))
    assert (answer.no_name, answer.label) == (False, shown)


@pytest.mark.parametrize(
    ("values", "field", "expected"),
    [
        ({"label": ["A"]}, "label", '["A"]'),
        ({"label": 1}, "label", "1"),
        ({"label": True}, "label", "true"),
        ({"annotator": 17}, "annotator", "17"),
        ({"annotator": None}, "annotator", ""),
        ({"instance_id": 5}, "instance_id", "5"),
        ({"contradiction": ["a", "b"]}, "contradiction", '["a", "b"]'),
        ({"text": 5}, "shown", "5"),
        ({"standard": "silver"}, "standard", "silver"),
        ({"standard": "Silver"}, "standard", "gold"),
        ({"standard": ["silver"]}, "standard", "gold"),
    ],
)
def test_values_of_another_type(tmp_path, values, field, expected):
    assert getattr(read_one(tmp_path, "f.jsonl", json.dumps(BASE | values)), field) == expected


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2026-01-01T09:59:00.000Z", "2026-01-01T10:00:00.000Z"),
        ("2026-01-01T09:59:00.000Z", "2026-01-01T10:00:00+00:00"),
        ("", "2026-01-01T10:00:00Z"),
        ("2026-01-01T11:00:00+02:00", "2026-01-01T10:00:00Z"),
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00.500Z"),
        ("last Monday", "2026-01-01T10:00:00Z"),
    ],
)
def test_times_sort_as_text(tmp_path, earlier, later):
    lines = [json.dumps(BASE | {"submitted_at": time}) for time in (earlier, later)]
    first, second = read_answers(write(tmp_path, "f.jsonl", "\n".join(lines)))
    assert first.time < second.time


def test_the_same_in_every_form(tmp_path):
    by_name = {
        name: judge(read_one(tmp_path, name, content), QUESTIONS)
        for name, content in [
            ("f.jsonl", json.dumps(FULL)),
            ("f.csv", as_table(FULL)),
            ("f.tsv", as_table(FULL, "\t")),
        ]
    }
    wanted = Judgement("q-1", HASH, "anna", "A", [Span(0, 3)], "Ann is a “father”, 😀", "gold", False)
    assert by_name == dict.fromkeys(by_name, wanted)


def take(files, asked, output, **changes):
    wanted = {"rejects": None, "consensus": None, "annotators": 3, "known_right": 0.8} | changes
    return import_answers(files, asked, output, **wanted)


def read_lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_judgements_are_read_again(tmp_path):
    """What the import wrote is a file of answers; offsets in it count code points, and silver stays silver."""
    asked = write(tmp_path, "questions.jsonl", "".join(json_line(it) + "\n" for it in QUESTIONS.values()))
    later = {"instance_id": "q-2", "content_hash": AFTER_EMOJI.content_hash, "annotator": "bert"}
    answers = [
        FULL,
        later | {"highlights": [{"start": 11, "end": 14, "text": "Ida"}], "contradiction": "x"},
        later | {"annotator": "carl", "no_name": True, "standard": "silver"},
    ]
    first = write(tmp_path, "f.jsonl", "".join(json.dumps(it) + "\n" for it in answers))
    take([first], asked, tmp_path / "once.jsonl")
    summary = take([tmp_path / "once.jsonl"], asked, tmp_path / "twice.jsonl")
    assert (summary["answers"], summary["judgements"], summary["rejects"]) == (3, 3, {})
    once, twice = (read_lines(tmp_path / f"{name}.jsonl") for name in ("once", "twice"))
    assert [it | {"annotator": ""} for it in twice] == [it | {"annotator": ""} for it in once]
    assert [(it["label"], it["highlights"], it["contradiction"], it["standard"]) for it in twice] == [
        ("A", [{"start": 0, "end": 3}], "Ann is a “father”, 😀", "gold"),
        ("B", [{"start": 10, "end": 13}], "x", "gold"),
        ("neither", [], "", "silver"),
    ]
    assert [it["annotator"][-4:] for it in twice] == ["-001", "-002", "-003"]
    assert {it["annotator"] for it in once}.isdisjoint(it["annotator"] for it in twice)


@pytest.mark.parametrize("values", [{"contradiction": "\ud83d"}, {"instance_id": "\ud83d"}])
def test_half_a_surrogate_pair(tmp_path, values):
    """JSON may hold one, and no file of ours can: it becomes a question mark, as in Mechanical Turk's answers."""
    asked = write(tmp_path, "questions.jsonl", json_line(QUESTION) + "\n")
    lines = [FULL | {"annotator": "bert"}, FULL | values]
    path = write(tmp_path, "f.jsonl", "".join(json.dumps(it) + "\n" for it in lines))
    summary = take([path], asked, tmp_path / "out.jsonl", rejects=tmp_path / "left.jsonl")
    assert summary["answers"] == summary["judgements"] + sum(summary["rejects"].values()) == 2
    written = read_lines(tmp_path / "out.jsonl")[1:] + read_lines(tmp_path / "left.jsonl")
    assert [it.get("contradiction", it.get("id")) for it in written] == ["?"]


@pytest.mark.parametrize("standard", ["Silver", "bronze", ["silver"]])
def test_a_standard_that_is_none_is_refused(tmp_path, standard):
    """Silver is never taken for gold."""
    assert read_one(tmp_path, "f.jsonl", json.dumps(BASE | {"standard": standard})).label.startswith("standard ")


def test_a_column_that_comes_twice(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("instance_id,content_hash,annotator,label,label\nq,h,anna,A,B\n", "utf-8")
    with pytest.raises(InputError) as caught:
        list(read_answers(path))
    assert str(caught.value) == f"{path}: line 1: two columns 'label'; remove one of them"


def test_a_line_of_nothing_but_columns(tmp_path):
    # Where each is held against all before it, this takes minutes.
    path = tmp_path / "f.csv"
    path.write_text("," * 1_000_000, "utf-8")
    with pytest.raises(InputError, match=r"line 1: two columns ''; remove one of them"):
        list(read_answers(path))
