"""Readers of published sets and of answers on damaged files; see `test_fuzz_readers`."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damage import PROSE, VALUES, as_json, damaged, fuzz, or_odd, read
from gapforge.annotation import answerfiles
from gapforge.annotation.answers import judge
from gapforge.annotation.questions import ask
from gapforge.records import Judgement, Reject, Span
from gapforge.storage import conll, tsv
from gapforge.storage.files import json_line


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged")


CELLS = st.one_of(PROSE, st.sampled_from(["TRUE", "FALSE", "", "3", "Ann", '"', '""', 'a "b" c']))
INSTANCE = st.builds(
    lambda text, *cells: "\t".join(["x-1", text, "She", "3", "Ann", "0", "TRUE", "Bo", "8", *cells]),
    CELLS,
    st.sampled_from(["FALSE", "TRUE", "", "false"]),
    CELLS,
)
SETS = st.builds(
    lambda last, rows, end: end.join(["\t".join([*tsv.SHARED, last]), *rows, ""]).encode(),
    st.sampled_from(["URL", "Book"]),
    st.lists(INSTANCE, max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
)


@fuzz(400)
@given(damaged(SETS, [b"\t" * 11, b'"\t"', b"TRUE", b"ID\t"]))
def test_tsv(place, data):
    path, copy = place / "set.tsv", place / "copy.tsv"
    path.write_bytes(data)
    rows = read(path, tsv.read_rows, path)
    if rows is None:
        return
    assert all(min(row.pronoun_offset, row.a_offset, row.b_offset) >= 0 for row in rows)
    tsv.write_counter_gap(copy, rows)
    assert list(tsv.read_rows(copy)) == rows
    tsv.write_like(path, copy, rows)
    again = list(tsv.read_rows(copy))
    assert [row.text for row in again] == [
        row.text if tsv.is_quoted(tsv.header_of(path)) else tsv.on_one_line(row.text) for row in rows
    ]


TOKEN = st.builds(
    lambda blank, word, name, cell: blank.join(["d", "0", "0", word, "NN", "*", "-", "-", "-", "s", name, cell]),
    st.sampled_from([" ", "   ", "\t"]),
    st.sampled_from(["Ann", "met", "é", "\u2028", "#", "/."]),
    st.sampled_from(["*", "*", "(PERSON)", "(PERSON*", "*)"]),
    st.sampled_from(["-", "-", "-", "(1)", "(1", "1)", "(2|(1", "1)|2)", "(1)|(2)", "(3+1)", "_"]),
)
SENTENCES = st.lists(st.one_of(TOKEN, TOKEN, TOKEN, st.just("")), max_size=10)
TITLES = [
    "(a/b); part 000",
    "(a/b); part 001",
    "(c)",
    "d",
    "(a)" + " " * 9000 + "x",
    "(e) " * 3000,
    "()",
    "",
    "(f); part",
]
CORPORA = st.builds(
    lambda parts, end: end.join(
        line for name, body in parts for line in (f"#begin document {name}", *body, "#end document", "")
    ).encode(),
    st.lists(st.tuples(st.sampled_from(TITLES), SENTENCES), max_size=3),
    st.sampled_from(["\n", "\r\n"]),
)


@fuzz(600)
@given(damaged(CORPORA, [b"#begin document (a)", b"#end document\n", b"(1", b"1)", b"|", b"\n\n"]))
def test_conll(place, data):
    path, copy = place / "c.conll", place / "copy.conll"
    path.write_bytes(data)
    found = read(path, conll.read_documents, path)
    if found is None:
        return
    conll.write_documents(copy, found)
    assert copy.read_bytes() == data
    for document in found:
        tokens = len(document.rows)
        assert [len(cells) for cells in (document.words, document.tags, document.speakers)] == [tokens] * 3
        assert all(0 <= it.start < it.end <= tokens for mentions in document.entities.values() for it in mentions)
        read(path, conll.named_entities, document)
        assert conll.with_entities(document, document.entities).entities == document.entities


RESULTS = st.one_of(
    st.fixed_dictionaries(
        {
            "from_name": or_odd(st.sampled_from(["label", "no_name", "name", "contradiction"])),
            "type": or_odd(st.sampled_from(["choices", "labels", "textarea"])),
            "value": or_odd(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "choices": or_odd(st.lists(or_odd(st.sampled_from(["A", "B", "no name"])), max_size=2)),
                        "labels": or_odd(st.just(["Name"])),
                        "text": or_odd(st.sampled_from(["Ann", "no"])),
                        "globalOffsets": or_odd(
                            st.fixed_dictionaries({"start": or_odd(st.just(0)), "end": or_odd(st.just(3))})
                        ),
                    },
                )
            ),
        }
    ),
    VALUES,
)
QUESTION = ask("q-1", "q-1", "Ann met Ida. She left.", Span(13, 16), (Span(0, 3), Span(8, 11)), [], None)
ANNOTATIONS = st.fixed_dictionaries(
    {"result": or_odd(st.lists(RESULTS, max_size=3)), "completed_by": or_odd(st.integers(1, 3))},
    optional={"id": VALUES, "updated_at": or_odd(st.just("2024-01-01T00:00:00Z")), "was_cancelled": VALUES},
)
DATA = st.fixed_dictionaries(
    {
        "instance_id": or_odd(st.just("q-1")),
        "content_hash": or_odd(st.just(QUESTION.content_hash)),
        "text": or_odd(st.just(QUESTION.text)),
        "html": VALUES,
    }
)
TASKS = st.fixed_dictionaries({"annotations": or_odd(st.lists(or_odd(ANNOTATIONS), max_size=3)), "data": or_odd(DATA)})
EXPORTS = st.lists(or_odd(TASKS), max_size=3).map(as_json)


def check_answers(path, data):
    path.write_bytes(data)
    for answer in read(path, answerfiles.read_answers, path) or []:
        assert answer.place.startswith(f"{path}: ")
        judged = judge(answer, {QUESTION.instance_id: QUESTION})
        assert isinstance(judged, Judgement | Reject)
        json_line(judged).encode()
        if isinstance(judged, Judgement):
            assert all(0 <= it.start < it.end <= len(QUESTION.text) for it in judged.highlights)


@fuzz(500)
@given(damaged(EXPORTS))
def test_label_studio(place, data):
    check_answers(place / "export.json", data)


COLUMNS = ["instance_id", "content_hash", "annotator", "label", "highlights", "no_name"]
ANSWERS = st.fixed_dictionaries(
    {"instance_id": or_odd(st.just("q-1")), "content_hash": or_odd(st.just(QUESTION.content_hash))},
    optional={
        "annotator": or_odd(st.just("Bo")),
        "label": or_odd(st.sampled_from(["A", "B", "Neither"])),
        "highlights": or_odd(st.just([{"start": 0, "end": 3, "text": "Ann"}])),
        "no_name": or_odd(st.booleans()),
    },
)
SHEETS = st.lists(ANSWERS, max_size=3).map(
    lambda rows: "\n".join([",".join(COLUMNS), *(cells_of(row) for row in rows)]).encode("utf-8", "replace")
)


def cells_of(row):
    return ",".join('"' + json.dumps(row.get(name, "")).strip('"').replace('"', '""') + '"' for name in COLUMNS)


@fuzz(250)
@given(st.one_of(st.tuples(st.just("answers.csv"), damaged(SHEETS)), st.tuples(st.just("answers.jsonl"), damaged(
    st.lists(ANSWERS, max_size=3).map(lambda rows: b"\n".join(map(as_json, rows)))
))))  # fmt: skip
def test_answer_files(place, file):
    name, data = file
    check_answers(place / name, data)
