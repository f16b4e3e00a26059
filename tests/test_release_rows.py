"""Labelled records as released rows, and these as TSV, CoNLL-2012 and weights."""

import csv
import dataclasses
import io
import json

import pytest

import releases
from gapforge.errors import InputError
from gapforge.evaluation.gold import read_release
from gapforge.records import Person, Span, Weight
from gapforge.release.conllfiles import document_lines, entities_of
from gapforge.release.layout import combined, logical_hash, logical_hashes, read_tables, write_tables
from gapforge.release.rows import released_example, released_instance, tables_of, write_exports
from gapforge.storage.conll import read_documents
from gapforge.storage.tsv import SHARED, read_rows


def test_a_row_has_what_it_is_about_in_words_and_offsets():
    row = released_example(releases.example(3, "test", "masculine", "B"), 0.5)
    assert (row.pronoun, row.a, row.b) == ("he", "Tom Lee", "John Bell")
    assert [row.text[at : at + len(it)] for at, it in ((row.a_offset, row.a), (row.b_offset, row.b))] == [row.a, row.b]
    assert (row.a_coref, row.b_coref, row.label, row.weight) == (False, True, "B", 0.5)
    assert (row.document_id, row.document_offset, row.page_entity) == ("page-3", 30, False)


def test_a_variant_has_its_edits_beside_it():
    (row,) = releases.tables(gap=[releases.example(1, "test")], instances=[], weights=[])["gap_subjective"]["test"]
    assert row.text == 'Letter 1 was sadly "lost".\n\nAnn Lee wrote to Mary Bell when she was shocked.'
    assert row.original_text == 'Letter 1 was "lost".\n\nAnn Lee wrote to Mary Bell when she heard.'
    assert [(it.start, it.end, it.new) for it in row.edits] == [(13, 13, "sadly "), (58, 63, "was shocked")]
    assert (row.converted, row.pronoun_offset, row.a_offset, row.b_offset) == (True, 60, 28, 45)
    assert row.text[60:63] == row.pronoun == "she"
    assert (row.label, row.page_entity) == ("A", False)


def test_tables_keep_splits_apart_and_give_weights_to_one():
    tables = releases.tables()
    assert {name: {split: len(rows) for split, rows in splits.items()} for name, splits in tables.items()} == {
        "gap": {"development": 2, "validation": 2, "test": 4},
        "counter_gap": {"test": 8},
        "gap_subjective": {"development": 2, "validation": 2, "test": 4},
        "winobias": {"development": 4, "test": 4},
        "gap_weights": {"test": 4},
    }
    assert [row.weight for row in tables["gap"]["test"]] == [1.0, 1.0, 0.0, 0.0]
    assert [row.weight for row in tables["gap"]["development"]] == [None, None]


@pytest.mark.parametrize(
    ("gap", "instances", "names"),
    [
        ([], None, ["counter_gap", "winobias"]),
        (None, [], ["gap", "gap_subjective", "winobias"]),
        ([releases.example(1, "test")], [], ["gap", "gap_subjective", "winobias"]),
    ],
)
def test_sets_without_rows_are_absent(gap, instances, names):
    assert list(releases.tables(gap, instances, [])) == names


def test_weights_of_no_row_are_refused():
    with pytest.raises(InputError) as error:
        tables_of(releases.examples(), [], [], [], [Weight("wiki-1", "feminine", 2, 1, 1.0)], "test")
    assert str(error.value) == "weights of wiki-1, which is no row of test; build the weights again"


@pytest.fixture
def exported(tmp_path):
    tables = releases.tables()
    write_exports(tables, tmp_path)
    return tables, tmp_path


def test_gap_s_file_has_the_official_columns_and_needs_no_quoting(exported):
    tables, folder = exported
    content = (folder / "tsv" / "gap-test.tsv").read_text("utf-8")
    lines = content.removesuffix("\n").split("\n")
    assert lines[0].split("\t") == [*SHARED, "URL"]
    assert len(lines) == 5
    assert {line.count("\t") for line in lines} == {10}
    assert lines == content.splitlines()
    # The plainest reader there is, and one that takes no quotation mark for its own.
    read = list(csv.reader(io.StringIO(content), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert read == [line.split("\t") for line in lines]
    for row, cells in zip(tables["gap"]["test"], read[1:], strict=True):
        assert cells[1] == row.text.replace("\n", " ")
        for words, at in ((2, 3), (4, 5), (7, 8)):
            assert cells[1][int(cells[at]) :].startswith(cells[words])


def test_the_files_read_back_as_the_rows(exported):
    tables, folder = exported
    for name, rows in (
        ("gap-test", tables["gap"]["test"]),
        ("gap-subjective-test", tables["gap_subjective"]["test"]),
        ("counter-gap", tables["counter_gap"]["test"]),
    ):
        read = list(read_rows(folder / "tsv" / f"{name}.tsv"))
        assert [(it.id, it.pronoun_offset, it.a_coref, it.b_coref) for it in read] == [
            (row.id, row.pronoun_offset, row.a_coref, row.b_coref) for row in rows
        ]
    assert [it.text for it in read] == [row.text for row in rows]
    assert {it.source for it in read} == {"book-1", "book-2"}


def test_weights_stand_on_the_true_name(exported):
    weights = json.loads((exported[1] / "weights" / "gap-test.json").read_text("utf-8"))
    assert weights["wiki-5a"] == 1.0 and weights["wiki-5b"] == 0.0 and weights["wiki-7a"] == 0.0
    assert len(weights) == 8


def test_conll_marks_whom_the_label_speaks_of(exported):
    _, folder = exported
    documents = list(read_documents(folder / "conll" / "gap-test.conll"))
    assert [document.name for document in documents] == ["wiki-5", "wiki-6", "wiki-7", "wiki-8"]
    marked = [
        [[" ".join(it.words[mention.start : mention.end]) for mention in mentions] for mentions in it.entities.values()]
        for it in documents
    ]
    assert marked == [[["Ann Lee", "she"]], [["Tom Lee", "he"]], [], []]
    assert [word for word in documents[0].words if "\n" in word] == []
    # Of a quadruple everybody's mentions are known; who is named once is no entity.
    original = next(read_documents(folder / "conll" / "counter-gap.conll"))
    assert [[original.words[it.start] for it in mentions] for mentions in original.entities.values()] == [
        ["Mary", "she"]
    ]


def test_a_mention_that_ends_within_a_token_is_cut_out_of_it():
    row = dataclasses.replace(
        released_example(releases.example(1, "test"), None),
        text="AnnieLee’s and Mary Bell’s: she.",
        a="Annie",
        a_offset=0,
        b_offset=15,
        pronoun_offset=28,
    )
    lines = [line.split("\t") for line in document_lines(row, "gap/test")]
    words = [(cells[3], cells[-1].strip()) for cells in lines if len(cells) > 4]
    assert words[:3] == [("Annie", "(0)"), ("Lee", "-"), ("’s", "-")]
    assert words[-2:] == [("she", "(0)"), (".", "-")]


def test_mentions_of_one_person_are_one_entity():
    instance = releases.quadruple(1)[0]
    again = Person("C2", "Mary", "feminine", [instance.people[1].mentions[0], Span(0, 5)])
    row = released_instance(instance)
    row = dataclasses.replace(row, people=[instance.people[0], again, *instance.people[2:]])
    ((first, second, third),) = entities_of(row)
    assert (first, row.text[second.start : second.end], row.text[third.start : third.end]) == (
        Span(0, 5),
        "Mary",
        "she",
    )


def test_a_release_is_gold_for_the_evaluation(tmp_path):
    write_tables(releases.tables(), tmp_path)
    found = read_release(tmp_path)
    assert {kind: len(items) for kind, items in found.items()} == {"gap": 8, "counter-gap": 8, "gap-subjective": 8}
    for kind in ("gap", "gap-subjective"):
        assert [(it.id, it.split) for it in read_release(tmp_path, "validation")[kind]] == [
            ("wiki-3", "validation"),
            ("wiki-4", "validation"),
        ]
    (variant, *_) = found["gap-subjective"]
    assert variant.instance.text == 'Letter 1 was sadly "lost".\n\nAnn Lee wrote to Mary Bell when she was shocked.'
    item = found["counter-gap"][1]
    assert (item.quadruple, item.variant, item.a, item.b, item.split) == ("book-1", "control", False, True, "")
    assert len(read_release(tmp_path / "counter_gap")["counter-gap"]) == 8


def test_the_logical_hash_is_of_what_rows_say(tmp_path):
    tables = releases.tables()
    write_tables(tables, tmp_path)
    read = read_tables(tmp_path)
    assert logical_hashes(read) == logical_hashes(tables)
    assert list(read["gap"]) == ["development", "validation", "test"]
    # As sha256sum gives it for one line: {"gender":"feminine","instance_id":"\\u00e9","names":2,"rank":null,…
    assert logical_hash([Weight("é", "feminine", 2, None, 0.5)]) == (
        "993ebca1760581e39a94f4c8531fbf1d320e50229bf06abf2e3226439adac309"
    )
    hashes = logical_hashes(tables)
    assert combined(dict(reversed(hashes.items()))) == combined(hashes) != combined({**hashes, "gap/test": "0"})
    rows = tables["gap"]["test"]
    assert logical_hash(rows) != logical_hash(rows[::-1])
