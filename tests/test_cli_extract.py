"""`gapforge names` and `gapforge extract` as a user calls them, and what they find in published data."""

import dataclasses
import json
from pathlib import Path

import pytest

import extract as bench
from gapforge.records import Candidate, CounterGapCandidate, Reject
from gapforge.storage.tables import read_records
from reference import published

ROOT = Path(__file__).parents[1]

TALE = (
    "Walter Pym and Edwin Stroud kept the lamp. Dora Kell told Ida Brandt that she had the key.\n\n"
    "Qorin Voss slept. Ida met Dora, and Dora’s dog saw him.\n"
)
NOBODY = "it rained all day, and nobody said so.\n"


@pytest.fixture
def tales(tmp_path, monkeypatch):
    """A folder to work in, with the tale in three forms, a text without people and one without text."""
    monkeypatch.chdir(tmp_path)
    for name, data in {
        "tale.txt": TALE.encode(),
        "marked.txt": b"\xef\xbb\xbf" + TALE.encode(),
        "crlf.txt": TALE.replace("\n", "\r\n").encode(),
        "nobody.txt": NOBODY.encode(),
        "empty.txt": b"",
    }.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def mention(start, text):
    return {"start": start, "end": start + len(text), "text": text}


def people_of_tale(shift=0):
    """Those of the tale, where so many characters are between its paragraphs beyond two."""
    second = TALE.index("Qorin") + shift
    return [
        {
            "name": "Walter Pym",
            "gender": "masculine",
            "reason": "first name",
            "mentions": [mention(0, "Walter Pym")],
        },
        {
            "name": "Edwin Stroud",
            "gender": "masculine",
            "reason": "first name",
            "mentions": [mention(15, "Edwin Stroud")],
        },
        {
            "name": "Dora Kell",
            "gender": "feminine",
            "reason": "first name",
            "mentions": [mention(43, "Dora Kell"), mention(second + 26, "Dora"), mention(second + 36, "Dora")],
        },
        {
            "name": "Ida Brandt",
            "gender": "feminine",
            "reason": "first name",
            "mentions": [mention(58, "Ida Brandt"), mention(second + 18, "Ida")],
        },
        {
            "name": "Qorin Voss",
            "gender": "unknown",
            "reason": "unknown",
            "mentions": [mention(second, "Qorin Voss")],
        },
    ]


def test_names_as_json(gapforge, tales):
    """Offsets count the characters of the file, line ends as they are and a byte order mark not counted."""
    names = ["tale.txt", "marked.txt", "crlf.txt", "nobody.txt", "empty.txt"]
    result = gapforge("names", *names, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert lines_of(result.stdout) == [
        {"file": "tale.txt", "document_id": "tale", "people": people_of_tale()},
        {"file": "marked.txt", "document_id": "marked", "people": people_of_tale()},
        {"file": "crlf.txt", "document_id": "crlf", "people": people_of_tale(shift=2)},
        {"file": "nobody.txt", "document_id": "nobody", "people": []},
        {"file": "empty.txt", "document_id": "empty", "people": []},
    ]
    first = lines_of(result.stdout)[0]
    assert list(first) == ["file", "document_id", "people"]
    assert list(first["people"][0]) == ["name", "gender", "reason", "mentions"]
    assert list(first["people"][0]["mentions"][0]) == ["start", "end", "text"]


def test_names_for_people(gapforge_process, tales):
    result = gapforge_process("names", "tale.txt", "nobody.txt")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (
        "tale.txt: tale\n"
        "  Walter Pym (masculine, first name): 1 mention; Walter Pym\n"
        "  Edwin Stroud (masculine, first name): 1 mention; Edwin Stroud\n"
        "  Dora Kell (feminine, first name): 3 mentions; Dora Kell, Dora\n"
        "  Ida Brandt (feminine, first name): 2 mentions; Ida Brandt, Ida\n"
        "  Qorin Voss (unknown): 1 mention; Qorin Voss\n"
        "nobody.txt: nobody\n"
    )


EXTRACTED = "Walter Pym and Edwin Stroud kept the lamp. Dora Kell told Ida Brandt that she had the key."
CANDIDATE = {
    "id": "tale-74-43-58",
    "corpus": "",
    "document_id": "tale",
    "url": "",
    "start": 0,
    "text": EXTRACTED,
    "pattern": "FINALPRO",
    "gender": "feminine",
    "pronoun": {"start": 74, "end": 77},
    "name_a": {"start": 43, "end": 52},
    "name_b": {"start": 58, "end": 68},
    "page_entity": False,
    "reading": 0,
}
PEOPLE = [
    {"role": "C1", "name": "Dora Kell", "gender": "feminine", "mentions": [{"start": 43, "end": 52}]},
    {"role": "C2", "name": "Ida Brandt", "gender": "feminine", "mentions": [{"start": 58, "end": 68}]},
    {"role": "O1", "name": "Walter Pym", "gender": "masculine", "mentions": [{"start": 0, "end": 10}]},
    {"role": "O2", "name": "Edwin Stroud", "gender": "masculine", "mentions": [{"start": 15, "end": 27}]},
]


def test_extract_in_a_process(gapforge_process, tales):
    result = gapforge_process("extract", "nobody.txt", "--kind", "gap", "-o", "out.jsonl")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "0 candidates from 1 document in out.jsonl; other pronouns: none\n"
    assert (tales / "out.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    ("kind", "record", "expected"),
    [("gap", Candidate, CANDIDATE), ("counter-gap", CounterGapCandidate, CANDIDATE | {"people": PEOPLE})],
)
def test_extract_writes_jsonl_and_parquet(gapforge, tales, kind, record, expected):
    left_out = {"id": f"tale-{TALE.index('him')}", "reason": "no pattern", "detail": ""}
    result = gapforge(
        "extract", "tale.txt", "nobody.txt", "empty.txt", "--kind", kind, "-o", "out.jsonl", "--rejects", "left.parquet"
    )
    assert result.returncode == 0
    # A slow machine hears of progress, and nothing else.
    assert all(line.startswith("extract: 0 of 3 files") for line in result.stderr.splitlines())
    assert result.stdout == "1 candidate from 2 documents in out.jsonl; other pronouns: 1 no pattern\n"
    (line,) = (tales / "out.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line) == expected
    assert list(json.loads(line)) == list(expected)
    assert list(read_records(tales / "left.parquet", Reject)) == [Reject(**left_out)]

    result = gapforge("extract", "tale.txt", "--kind", kind, "-o", "out.parquet", "--rejects", "left.jsonl", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    summary = {"documents": 1, "candidates": 1, "rejects": {"no pattern": 1}, "output": "out.parquet"}
    assert result.stdout == json.dumps(summary) + "\n"
    (candidate,) = read_records(tales / "out.parquet", record)
    assert dataclasses.asdict(candidate) == expected
    assert lines_of((tales / "left.jsonl").read_text("utf-8")) == [left_out]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["extract", "tale.txt", "--kind", "gpa", "-o", "x.jsonl"], 2, "unknown kind 'gpa'; did you mean 'gap'?"),
        (
            ["extract", "tale.txt", "--kind", "novel", "-o", "x.jsonl"],
            2,
            "unknown kind 'novel'; choose from gap, counter-gap",
        ),
        (
            ["extract", "tale.txt", "--kind", "gap", "-o", "x.jsonl", "--model", "nonsense"],
            2,
            "'nonsense': no such spaCy model is installed; install it, or name another one or a folder",
        ),
        (
            ["names", "tale.txt", "--model", "nonsense"],
            2,
            "'nonsense': no such spaCy model is installed; install it, or name another one or a folder",
        ),
        (
            ["extract", "tale.txt", "--kind", "gap", "-o", "none/x.jsonl"],
            2,
            "none/x.jsonl: its folder does not exist; make it first",
        ),
        (
            ["extract", "tale.txt", "--kind", "gap", "-o", "x.tsv"],
            2,
            "x.tsv: unknown kind of output '.tsv'; choose from .jsonl, .parquet",
        ),
        (
            ["extract", "rows.jsonl", "--kind", "gap", "-o", "rows.jsonl"],
            2,
            "rows.jsonl: is both input and output; write to another file",
        ),
        (
            ["extract", "tale.txt", "--kind", "gap", "-o", "x.jsonl", "--rejects", "x.jsonl"],
            2,
            "x.jsonl: is both output and rejects; write them to two files",
        ),
        (
            ["extract", "lost.txt", "--kind", "gap", "-o", "x.jsonl"],
            1,
            "lost.txt: no such file or folder; fix the path",
        ),
        (["names", "lost.txt"], 1, "lost.txt: no such file or folder; fix the path"),
        (["names", "tale.txt", "--format", "epbu"], 2, "unknown format 'epbu'; did you mean 'epub'?"),
    ],
)
def test_a_wrong_call_is_one_line_and_an_exit_code(gapforge, tales, arguments, code, message):
    (tales / "rows.jsonl").write_text('{"id": "1", "text": "Ann."}\n')
    before = {path.name: path.read_bytes() for path in tales.iterdir()}
    result = gapforge(*arguments)
    assert (result.returncode, result.stdout, result.stderr) == (code, "", f"gapforge: {message}\n")
    assert {path.name: path.read_bytes() for path in tales.iterdir()} == before


# Texts that nobody would write; "gap" and "counter-gap" say what comes of their pronouns.

FOUND = "FINALPRO she: Dora Kell, Ida Brandt"
SENTENCE = "Dora Kell thanked Ida Brandt because she had kept the key."
FEW = "too few names near"
LONG = "missing sentence break"
WORDS = "the rain fell and the wind rose while nobody slept "

ODD = {
    "empty": ("", [], []),
    "blank": (" \n\t\n \r\n", [], []),
    "nobody": ("it rained all day, and she said so.", [FEW], [FEW]),
    "emoji": (
        f"🙂 Dora Kell 👩‍🚀 thanked Ida Brandt 🎉 because she 🙃 had kept it. {SENTENCE}",
        [FOUND, FOUND],
        [FEW, FEW],
    ),
    "rtl": (f"אמרה לו שלום. {SENTENCE} وقال لها ذلك \u202eDora Kell\u202c.", [FOUND], [FEW]),
    "ends": (
        f"Nobody sat.\r\nThe wind rose.\rShe left.\u2028{SENTENCE}\u2029It rained.\n\r\nShe woke.",
        [FEW, FOUND, FEW],
        [FEW, FEW, FEW],
    ),
    "combining": (
        f"The cafe\u0301 shut. {SENTENCE} O\u0301\u0302\u0303! It rained. And she left.",
        [FOUND, FEW],
        [FEW, FEW],
    ),
    "lower": ((WORDS * 100_000)[:4_000_000] + " she", [LONG], [LONG]),
    "stops": ("." * 1_000_000, [], []),
    "capitals": ("ABCDEFGHIJ" * 50_000, [], []),
}


@pytest.fixture
def odd(tmp_path):
    folder = tmp_path / "odd"
    folder.mkdir()
    for name, (text, _, _) in ODD.items():
        (folder / f"{name}.txt").write_bytes(text.encode())
    return folder


@pytest.mark.parametrize("kind", ["gap", "counter-gap"])
def test_odd_texts_give_what_they_hold(gapforge, odd, tmp_path, kind):
    out, left = tmp_path / "out.jsonl", tmp_path / "left.jsonl"
    result = gapforge("extract", odd, "--kind", kind, "-o", out, "--rejects", left, "--json")
    assert result.returncode == 0, result.stderr
    found = {name: {} for name in ODD}
    for item in lines_of(left.read_text("utf-8")):
        name, start = item["id"].rsplit("-", 1)
        assert ODD[name][0][int(start) :].lower().startswith(("she", "he")), item
        found[name][int(start)] = item["reason"]
    for item in lines_of(out.read_text("utf-8")):
        text, start = ODD[item["document_id"]][0], item["start"]
        assert text[start : start + len(item["text"])] == item["text"]
        pronoun, a, b = (item["text"][it["start"] : it["end"]] for it in map(item.get, ("pronoun", "name_a", "name_b")))
        found[item["document_id"]][start + item["pronoun"]["start"]] = f"{item['pattern']} {pronoun}: {a}, {b}"
    assert {name: [its[start] for start in sorted(its)] for name, its in found.items()} == {
        name: expected[("gap", "counter-gap").index(kind)] for name, (_, *expected) in ODD.items()
    }
    assert json.loads(result.stdout)["documents"] == len(ODD) - 2


def test_names_in_odd_texts_stand_where_they_are_said_to(gapforge, odd):
    (odd / "lower.txt").unlink()
    result = gapforge("names", odd, "--json")
    assert result.returncode == 0, result.stderr
    found = {}
    for line in lines_of(result.stdout):
        for person in line["people"]:
            for it in person["mentions"]:
                assert ODD[line["document_id"]][0][it["start"] : it["end"]] == it["text"], it
        found[line["document_id"]] = [person["name"] for person in line["people"]]
    both = ["Dora Kell", "Ida Brandt"]
    some = {"emoji": both, "rtl": both, "ends": both, "combining": both}
    assert found == {name: some.get(name, []) for name in ODD if name != "lower"}


# Published data, measured as `make bench-extract` does.


@pytest.fixture(scope="module")
def gap_development(reference):
    """A quarter of the published rows, or all of the stand-ins; `make bench-extract` measures all."""
    rows = bench.read_published(reference.path(bench.GAP))
    return bench.measure_recall(rows[::4] if len(rows) > 500 else rows, "gap")


def test_triples_of_gap_are_found(gap_development, reference):
    print(gap_development)
    assert gap_development.rows == {"stand-in": 30, "published": 500}[reference.name]
    assert gap_development.triples / gap_development.rows >= bench.GAP_RECALL


def test_both_names_of_gap_are_found(gap_development):
    assert gap_development.both / gap_development.rows >= bench.GAP_BOTH


def test_triples_of_counter_gap_are_found(whole_reference):
    found = bench.measure_recall(bench.read_published(whole_reference.path(bench.COUNTER_GAP)), "counter-gap")
    print(found)
    assert found.rows == {"stand-in": 24, "published": 495}[whole_reference.name]
    assert found.triples / found.rows >= bench.COUNTER_GAP_RECALL


@pytest.mark.corpus
def test_people_in_fiction_are_found():
    people = bench.measure_people(published(bench.FICTION))
    print(people)
    assert people.gold == 1_326
    assert people.precision >= bench.PEOPLE
    assert people.recall >= bench.PEOPLE
