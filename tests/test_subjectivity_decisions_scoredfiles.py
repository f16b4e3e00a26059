"""Scored sentences read back from every kind of file, and files that are none in words."""

import dataclasses
import json

import pytest

from gapforge.engine import part_path
from gapforge.errors import ConfigError, InputError
from gapforge.records import Reject, Span, SubjectiveEdit, SubjectiveProposal, SubjectiveSentence, fields_of
from gapforge.storage.files import open_output
from gapforge.storage.tables import write_records
from gapforge.subjectivity.decisions import decide, is_sound, is_text, read_scored
from gapforge.subjectivity.hooks import SubjectivitySettings, thresholds_of

WANTED = "wanted what `gapforge subjective --proposals` or the stage SubjectiveProposals writes"
EDIT = SubjectiveEdit(Span(4, 4), "sadly ", "sadly", "manner")
PROPOSALS = [
    SubjectiveProposal(
        *("gap-1", 0, 0, Span(0, 9), "Ann left.", "Ann sadly left.", [EDIT]),
        *(0.25, 0.5, 3.0, 3.05, 0.9, None, []),
    ),
    SubjectiveProposal(
        *("gap-1", 0, 1, Span(0, 9), "Ann left.", "Ann\u2028sadly “left”. 🎻", [EDIT, EDIT]),
        *(0.25, 0.5, 3.0, 4.05, 0.9, 0.75, ["names", "negation"]),
    ),
    SubjectiveProposal(*("gap-2", 3, 0, Span(5, 8), "Yes", None, []), *(0.5, None, 9.0, None, None, None, [])),
]
SENTENCES = list(decide(PROPOSALS, thresholds_of(SubjectivitySettings()), 0))


def write(path, record, records):
    with open_output(path, record) as put:
        for it in records:
            put(it)
    return path


@pytest.fixture(params=["file.jsonl", "file.parquet"])
def path(request, tmp_path):
    return tmp_path / request.param


def test_round_trips(path):
    write(path, SubjectiveProposal, PROPOSALS)
    assert list(read_scored(path, SubjectiveProposal)) == PROPOSALS
    write(path, SubjectiveSentence, SENTENCES)
    assert list(read_scored(path, SubjectiveSentence)) == SENTENCES


def test_thresholds_are_held_against_a_file_as_against_the_proposals(path):
    thresholds = thresholds_of(SubjectivitySettings())
    write(path, SubjectiveProposal, PROPOSALS)
    assert list(decide(read_scored(path, SubjectiveProposal), thresholds, 0)) == SENTENCES


def test_a_stage_and_a_run_that_holds_it(tmp_path):
    folder = tmp_path / "run" / "SubjectiveProposals"
    folder.mkdir(parents=True)
    write_records(part_path(folder, 0), iter(PROPOSALS[:2]), SubjectiveProposal)
    write_records(part_path(folder, 1), iter(PROPOSALS[2:]), SubjectiveProposal)
    for source in (folder, tmp_path / "run"):
        assert list(read_scored(source, SubjectiveProposal)) == PROPOSALS


def test_sentences_are_proposals_too(path):
    """What became of every sentence has all that a proposal has."""
    write(path, SubjectiveSentence, SENTENCES)
    assert [it.proposal for it in read_scored(path, SubjectiveProposal)] == [it.proposal for it in SENTENCES]


def test_an_empty_file_holds_nothing(path):
    write(path, SubjectiveProposal, [])
    assert list(read_scored(path, SubjectiveProposal)) == []


def message(source, record=SubjectiveProposal, error=InputError):
    with pytest.raises(error) as caught:
        list(read_scored(source, record))
    return str(caught.value)


def test_places_where_there_are_none(tmp_path):
    assert message(tmp_path / "none") == f"{tmp_path / 'none'}: no such file or folder; fix the path"
    assert message(tmp_path) == (
        f"{tmp_path}: no part-*.parquet; name the folder of the stage SubjectiveProposals, or of a run that has it"
    )
    (tmp_path / "file.csv").write_text("x")
    assert message(tmp_path / "file.csv", error=ConfigError) == (
        f"{tmp_path / 'file.csv'}: unknown kind of sentences '.csv'; choose from .parquet, .jsonl"
    )


def test_tables_of_something_else(tmp_path):
    path = write(tmp_path / "rejects.parquet", Reject, [])
    assert message(path) == f"{path}: no column 'instance_id'; {WANTED}"
    path = write(tmp_path / "proposals.parquet", SubjectiveProposal, PROPOSALS)
    assert message(path, SubjectiveSentence) == (
        f"{path}: no column 'objective'; "
        "wanted what `gapforge subjective --sentences` or the stage SubjectiveSentences writes"
    )


def line_of(**changes):
    return json.dumps(dataclasses.asdict(PROPOSALS[0]) | changes)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        "null",
        '"text"',
        "{}",
        "[" * 100_000,
        line_of(number="0"),
        line_of(number=True),
        line_of(number=0.0),
        line_of(instance_id=None),
        line_of(sentence=3),
        line_of(proposal=["x"]),
        line_of(sentence="\ud800"),
        line_of(span=[0, 9]),
        line_of(span={"start": 0}),
        line_of(span={"start": "0", "end": 9}),
        line_of(span={"start": -9, "end": 9}),
        line_of(edits=None),
        line_of(edits=[{"span": {"start": 4, "end": 4}, "new": 5, "phrase": "x", "kind": "x"}]),
        line_of(edits=[{"span": {"start": 4, "end": 4}, "new": "x", "phrase": ["x"], "kind": "x"}]),
        line_of(edits=[{"span": {"start": 4, "end": None}, "new": "x", "phrase": "x", "kind": "x"}]),
        line_of(gleu="0.9"),
        line_of(gleu=float("nan")),
        line_of(subjectivity=None),
        line_of(log_perplexity=[3]),
        line_of(proposal_subjectivity=None),
        line_of(broken=None),
        line_of(broken="names"),
        line_of(broken=[1]),
        line_of(cosine="high"),
    ],
)
def test_lines_that_are_no_proposals(tmp_path, line):
    path = tmp_path / "file.jsonl"
    path.write_text(f"{line_of()}\n{line}\n", "utf-8")
    assert message(path) == f"{path}: line 2: not a sentence; {WANTED}"


def test_a_line_that_is_not_utf_8(tmp_path):
    path = tmp_path / "file.jsonl"
    path.write_bytes(b"\xff\n")
    assert message(path) == f"{path}: line 1: byte 0: not UTF-8; save it as UTF-8"


@pytest.mark.parametrize(
    ("value", "expected"), [("", True), ("é🎻", True), ("\ud800", False), (3, False), (None, False)]
)
def test_text(value, expected):
    assert is_text(value) == expected


def test_what_is_sound():
    assert all(map(is_sound, [*PROPOSALS, *SENTENCES]))
    broken = SubjectiveSentence(**fields_of(SENTENCES[0]) | {"kept": "yes"})
    assert not is_sound(broken)
