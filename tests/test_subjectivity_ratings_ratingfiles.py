"""Sheets for raters, what comes back from spreadsheet programs, and `gapforge rate` as users call it."""

import csv
import io
import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gapforge.errors import ConfigError, InputError
from gapforge.records import Reject, Span, SubjectiveEdit, SubjectiveSentence
from gapforge.storage.files import json_line
from gapforge.storage.tables import write_records
from gapforge.subjectivity.decisions import read_scored
from gapforge.subjectivity.ratings import (
    COLUMNS,
    TOLD,
    Half,
    RatedSentence,
    Rating,
    draw,
    export_sheet,
    guarded,
    import_sheets,
    read_key,
    read_sheet,
    sheet_of,
    unguarded,
    write_folder,
)


def make_sentence(id, number):
    return SubjectiveSentence(
        *(id, number, 0, Span(0, 9), f"Ann left {id} {number}.", f"Ann sadly left {id} {number}."),
        [SubjectiveEdit(Span(4, 4), "sadly ", "sadly", "manner")],
        *(0.1, 0.9, 3.0, 3.1, 0.8, None, []),
        *(True, True, True, True, []),
    )


SENTENCES = [make_sentence(f"gap-{n}", k) for n in range(4) for k in range(3)]
KEYED = [
    RatedSentence("r1", "original", "a", 0, "Ann left."),
    RatedSentence("r2", "transferred", "b", 0, '"Sadly, Bo stayed; why?"'),
    RatedSentence("r3", "original", "c", 1, "-5 °C was measured."),
    RatedSentence("r4", "transferred", "d", 2, "The  awful\nend."),
]
ASKED = {it.id: it for it in KEYED}
FILLED = [Rating("r1", 5, 1), Rating("r2", 4, 3, "odd"), Rating("r3", None, 2), Rating("r4", 2, None)]


def table_of(rows, delimiter=",", header=COLUMNS):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, lineterminator="\r\n").writerows([header, *rows])
    return file.getvalue()


def rows_for(ratings):
    def cell(mark):
        return "" if mark is None else str(mark)

    return [
        [it.id, guarded(ASKED[it.id].sentence), cell(it.fluency), cell(it.subjectivity), it.remark] for it in ratings
    ]


ROWS = rows_for(FILLED)


def read(text, encoding="utf-8"):
    return read_sheet(text.encode(encoding), "sheet.csv", ASKED)


# ---- what goes to raters


def test_the_sheet():
    assert sheet_of(KEYED) == (
        "\ufeffid,sentence,fluency,subjectivity,remark\r\n"
        "r1,Ann left.,,,\r\n"
        'r2,"""Sadly, Bo stayed; why?""",,,\r\n'
        "r3,'-5 °C was measured.,,,\r\n"
        'r4,"The  awful\nend.",,,\r\n'
    )


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("Ann left.", "Ann left."),
        ("", ""),
        ("'Tis so.", "'Tis so."),
        ("=1+1", "'=1+1"),
        ("+44 was dialled.", "'+44 was dialled."),
        ("-5 degrees.", "'-5 degrees."),
        ("@ann left.", "'@ann left."),
        ("＝1", "'＝1"),
        (" \t=1+1", "' \t=1+1"),
        ("'=1+1", "''=1+1"),
        ("''-x", "'''-x"),
    ],
)
def test_formulas_are_defused(text, cell):
    assert guarded(text) == cell
    assert unguarded(cell) == text


def test_the_folder(tmp_path):
    write_folder(tmp_path / "out", KEYED, 7)
    assert sorted(it.name for it in tmp_path.rglob("*")) == ["instructions.txt", "key.json", "out", "sheet.csv"]
    assert (tmp_path / "out" / "sheet.csv").read_bytes() == sheet_of(KEYED).encode()
    assert (tmp_path / "out" / "instructions.txt").read_text("utf-8") == TOLD
    key = json.loads((tmp_path / "out" / "key.json").read_text("utf-8"))
    assert key["seed"] == 7
    assert key["sentences"][3] == {
        "id": "r4",
        "form": "transferred",
        "instance_id": "d",
        "number": 2,
        "sentence": "The  awful\nend.",
        "sha256": sha256(b"The  awful\nend.").hexdigest(),
    }
    assert read_key(tmp_path / "out") == (KEYED, 7)
    assert read_key(tmp_path / "out" / "key.json") == (KEYED, 7)


def test_raters_are_told_the_scales_and_not_where_sentences_come_from():
    for line in ("  1  poor", "  5  perfect", "  1  highly objective", "  5  highly subjective"):
        assert line in TOLD
    assert [word for word in ("transfer", "original", "machine", "rewritten", "half") if word in TOLD] == []
    assert TOLD.isascii()
    assert max(map(len, TOLD.splitlines())) <= 120


# ---- what comes back


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (table_of(ROWS), "utf-8"),
        (table_of(ROWS), "utf-8-sig"),
        (table_of(ROWS), "utf-16"),
        (table_of(ROWS, ";"), "utf-8-sig"),
        (table_of(ROWS, "\t"), "utf-8"),
        (table_of(ROWS, "\t"), "utf-16"),
        (table_of(ROWS).replace("\r\n", "\n"), "utf-8"),
        (table_of(ROWS).rstrip("\r\n"), "utf-8"),
        # In another order, with columns of the rater's own.
        (table_of([row[::-1] for row in ROWS], header=COLUMNS[::-1]), "utf-8"),
        (table_of([["x", *row, "5"] for row in ROWS], header=["", *COLUMNS, "mood"]), "utf-8"),
        (table_of([["x", *row, ""] for row in ROWS], ";", ["", *COLUMNS, ""]), "utf-8"),
        (table_of(ROWS, header=["ID", " Sentence", "Fluency ", "SUBJECTIVITY", "Remark"]), "utf-8"),
        # Rows without anything, and cells that nobody filled at the end of a row.
        (table_of([*ROWS, ["", "", "", "", ""], [], [" ", ""]]), "utf-8"),
        (table_of([*ROWS[:3], ROWS[3][:3]]), "utf-8"),
        (table_of([[*row, "", ""] for row in ROWS]), "utf-8"),
        # Numbers as spreadsheets format them, the other white space of an editor, an apostrophe less.
        (
            table_of([[*row[:2], row[2] and f" {row[2]}.0 ", row[3] and f"{row[3]},00", row[4]] for row in ROWS]),
            "utf-8",
        ),
        (table_of([[f" {row[0]} ", " ".join(row[1].split()), *row[2:]] for row in ROWS]), "utf-8"),
        (table_of([[row[0], unguarded(row[1]), *row[2:]] for row in ROWS]), "utf-8"),
        # Tabs without any quoting, as Google saves them.
        ("\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in [COLUMNS, *ROWS]), "utf-8"),
    ],
)
def test_sheets_as_programs_save_them(text, encoding):
    assert read(text, encoding) == FILLED


def test_half_filled_sheets():
    assert read(table_of(ROWS[1:2])) == FILLED[1:2]
    unmarked = [replace(it, fluency=None, subjectivity=None) for it in FILLED]
    assert read(table_of(rows_for([FILLED[0], *unmarked[1:]]))) == [FILLED[0], *unmarked[1:]]


def test_a_sheet_without_remarks():
    text = table_of([row[:4] for row in ROWS], header=COLUMNS[:4])
    assert read(text) == [replace(it, remark="") for it in FILLED]


HEAD = "id,sentence,fluency,subjectivity,remark\r\n"
NEEDS = "wanted id, sentence, fluency, subjectivity"
KEYS = "wanted one of the key's: take the key of this sheet"
EDITED = "the sentence of {} was edited; wanted {!r}, found {!r}; put it back or clear the row"
WHOLE = "wanted a whole number from 1 to 5, or nothing"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"sheet.csv: line 1: no column 'id'; {NEEDS}"),
        ("id,sentence,fluency\r\n", f"sheet.csv: line 1: no column 'subjectivity'; {NEEDS}"),
        ("id;sentence;fluency,x\r\n", f"sheet.csv: line 1: no column 'fluency'; {NEEDS}"),
        (
            "id,sentence,fluency,Fluency,subjectivity\r\n",
            "sheet.csv: line 1: two columns 'fluency'; remove one of them",
        ),
        (HEAD, "sheet.csv: 0 sentences, and no rating; fill it in or leave it out"),
        (sheet_of(KEYED), "sheet.csv: 4 sentences, and no rating; fill it in or leave it out"),
        (HEAD + "r1,Ann left.,,,fine\r\n", "sheet.csv: 1 sentences, and no rating; fill it in or leave it out"),
        (HEAD + "r9,Ann left.,5,1,\r\n", f"sheet.csv: line 2: unknown id 'r9'; {KEYS}"),
        (HEAD + ",,5,1,\r\n", f"sheet.csv: line 2: unknown id ''; {KEYS}"),
        (
            HEAD + 'r4,"The awful\nend.",5,1,\r\nr1,Ann left.,5,1,\r\nr1,Ann left.,4,1,\r\n',
            "sheet.csv: line 5: r1 is there twice, first in line 4; remove one of the rows",
        ),
        (
            HEAD + "r1,Ann has left.,5,1,\r\n",
            "sheet.csv: line 2: " + EDITED.format("r1", "Ann left.", "Ann has left."),
        ),
        (
            HEAD + "r1,Ann left. ,5,1,\r\nr3,#NAME?,5,1,\r\n",
            "sheet.csv: line 3: " + EDITED.format("r3", "-5 °C was measured.", "#NAME?"),
        ),
        (HEAD + "r1,Ann left.,6,1,\r\n", f"sheet.csv: line 2: fluency of r1 is '6'; {WHOLE}"),
        (HEAD + "r1,Ann left.,5,0,\r\n", f"sheet.csv: line 2: subjectivity of r1 is '0'; {WHOLE}"),
        (HEAD + "r1,Ann left.,4.5,1,\r\n", f"sheet.csv: line 2: fluency of r1 is '4.5'; {WHOLE}"),
        (HEAD + 'r1,Ann left.,"4,5",1,\r\n', f"sheet.csv: line 2: fluency of r1 is '4,5'; {WHOLE}"),
        (HEAD + "r1,Ann left.,4-5,1,\r\n", f"sheet.csv: line 2: fluency of r1 is '4-5'; {WHOLE}"),
        (HEAD + "r1,Ann left.,four,1,\r\n", f"sheet.csv: line 2: fluency of r1 is 'four'; {WHOLE}"),
        (HEAD + "r1,Ann left.,-1,1,\r\n", f"sheet.csv: line 2: fluency of r1 is '-1'; {WHOLE}"),
        (HEAD + "r1,Ann left.,٣,1,\r\n", f"sheet.csv: line 2: fluency of r1 is '٣'; {WHOLE}"),
        (HEAD.replace(",", "\t") + "r1\tAnn left.\t9\t1\r\n", f"sheet.csv: line 2: fluency of r1 is '9'; {WHOLE}"),
        (HEAD + "r1,Ann left.,5,1,good,but\r\n", "sheet.csv: line 2: 6 cells under 5 columns; quote cells as CSV does"),
        (HEAD + 'r1,"Ann left.,5,1,\r\n', "sheet.csv: line 2: unexpected end of data; quote cells as CSV does"),
        (HEAD + 'r1,"Ann" left.,5,1,\r\n', "sheet.csv: line 2: ',' expected after '\"'; quote cells as CSV does"),
    ],
)
def test_sheets_that_cannot_be_used(text, message):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value) == message


def test_of_a_long_sentence_the_message_quotes_what_differs():
    asked = {"r1": RatedSentence("r1", "original", "a", 0, "word " * 50 + "end " + "more " * 50)}
    text = table_of([["r1", "word " * 50 + "END " + "more " * 50, "1", "1", ""]])
    with pytest.raises(InputError) as caught:
        read_sheet(text.encode(), "s.csv", asked)
    before, after = "word word word word", "more more more more more more more …"
    assert str(caught.value) == "s.csv: line 2: " + EDITED.format(
        "r1", f"{before} end {after}", f"{before} END {after}"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            HEAD.encode() + "r3,'-5 °C was measured.,5,1,\r\n".encode("cp1252"),
            "s.csv: byte 48: not UTF-8; save it as UTF-8",
        ),
        (HEAD.encode("utf-16") + b"x", "s.csv: byte 84: not UTF-16; save it as UTF-8"),
        (b"PK\x03\x04\xff\xff", "s.csv: byte 4: not UTF-8; save it as UTF-8"),
    ],
)
def test_sheets_in_other_encodings(content, message):
    with pytest.raises(InputError) as caught:
        read_sheet(content, "s.csv", ASKED)
    assert str(caught.value) == message


def fill(sheet, delimiter):
    """The rows of a sheet as a spreadsheet program would save them, every sentence rated 3 and 4."""
    rows = list(csv.reader(io.StringIO(sheet.removeprefix("\ufeff"), newline="")))
    return table_of([[*row[:2], "3", "4", ""] for row in rows[1:]], delimiter)


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5),
    st.sampled_from(",;\t"),
)
@example(['"', '""', ",", "a\r\nb", "=1"], ",")
@example(["'=1", "''", " =x", "'\t-", "-"], ";")
@example(["\r", "\n", "\x00", "\u2028é", "\ufeff"], "\t")
def test_any_sentence_survives(texts, delimiter):
    sentences = [RatedSentence(f"r{n}", "original", "a", n, text) for n, text in enumerate(texts)]
    sheet = sheet_of(sentences)
    rows = list(csv.DictReader(io.StringIO(sheet.removeprefix("\ufeff"), newline="")))
    assert [unguarded(row["sentence"]) for row in rows] == texts
    assert not any(row["sentence"].lstrip().startswith(("=", "+", "-", "@")) for row in rows)
    found = read_sheet(fill(sheet, delimiter).encode(), "s.csv", {it.id: it for it in sentences})
    assert found == [Rating(it.id, 3, 4) for it in sentences]


# ---- the key


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder to work in, with sentences in every form, and a folder for raters with two filled sheets."""
    monkeypatch.chdir(tmp_path)
    for folder in (Path("run/SubjectiveSentences"), Path("empty")):
        folder.mkdir(parents=True)
    write_records(Path("run/SubjectiveSentences/part-00000.parquet"), SENTENCES[:5], SubjectiveSentence)
    write_records(Path("run/SubjectiveSentences/part-00001.parquet"), SENTENCES[5:], SubjectiveSentence)
    write_records(Path("s.parquet"), SENTENCES, SubjectiveSentence)
    write_records(Path("rejects.parquet"), [Reject("x", "y", "z")], Reject)
    Path("s.jsonl").write_text("".join(json_line(it) + "\n" for it in SENTENCES), "utf-8")
    write_folder(Path("rated"), KEYED, 0)
    Path("one.csv").write_text(table_of(ROWS), "utf-8")
    second = [Rating("r4", 3, 5), Rating("r1", 4, 1), Rating("r2", 4, 5)]
    Path("two.tsv").write_text(table_of(rows_for(second), "\t"), "utf-8")
    return tmp_path


def changed_key(**changes):
    key = json.loads(Path("rated/key.json").read_text("utf-8"))
    key["sentences"][1] |= changes
    return json.dumps(key)


CHANGED = "k.json: r2: was changed after the export; take the export's own file"
NO_KEY = "k.json: not the key of a sheet; take the export's own file"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lambda: "", NO_KEY),
        (lambda: "[]", NO_KEY),
        (lambda: "{}", NO_KEY),
        (lambda: '{"seed": 0, "sentences": []}', NO_KEY),
        (lambda: '{"seed": -1, "sentences": []}', NO_KEY),
        (lambda: '{"seed": 0, "sentences": {"r1": 1}}', NO_KEY),
        (lambda: changed_key(form="other"), NO_KEY),
        (lambda: changed_key(id="r1"), NO_KEY),
        (lambda: changed_key(id=2), NO_KEY),
        (lambda: changed_key(sentence=None), NO_KEY),
        (lambda: changed_key(sentence="\ud800"), NO_KEY),
        (lambda: changed_key(more=1), NO_KEY),
        (lambda: changed_key(sentence="Bo left."), CHANGED),
        (lambda: changed_key(sha256=""), CHANGED),
    ],
)
def test_keys_that_cannot_be_used(place, content, message):
    Path("k.json").write_text(content(), "utf-8")
    with pytest.raises(InputError) as caught:
        read_key(Path("k.json"))
    assert str(caught.value) == message


# ---- export


@pytest.mark.parametrize("source", ["run", "run/SubjectiveSentences", "s.parquet", "s.jsonl"])
def test_sources_of_sentences(place, source):
    assert list(read_scored(Path(source), SubjectiveSentence)) == SENTENCES
    assert export_sheet(Path(source), Path("out"), 12, 3) == {
        "sentences": 12,
        "original": 6,
        "transferred": 6,
        "seed": 3,
        "output": "out",
    }
    assert read_key(Path("out")) == (draw(SENTENCES, 12, 3), 3)


def test_the_same_seed_gives_the_same_bytes(place):
    Path("reversed.jsonl").write_text("".join(json_line(it) + "\n" for it in SENTENCES[::-1]), "utf-8")
    for output, source, seed in (("a", "run", 0), ("b", "reversed.jsonl", 0), ("c", "run", 1)):
        export_sheet(Path(source), Path(output), 10, seed)
    contents = {name: {it.name: it.read_bytes() for it in Path(name).iterdir()} for name in "abc"}
    assert contents["a"] == contents["b"]
    assert [name for name, content in sorted(contents["a"].items()) if contents["c"][name] != content] == [
        "key.json",
        "sheet.csv",
    ]


def test_an_empty_folder_is_taken_and_what_a_crash_left_is_swept(place):
    Path(".empty.working").mkdir()
    Path(".empty.working/half.csv").write_text("half")
    export_sheet(Path("run"), Path("empty"), 2, 0)
    assert sorted(it.name for it in Path("empty").iterdir()) == ["instructions.txt", "key.json", "sheet.csv"]
    assert [it.name for it in place.iterdir() if it.name.startswith(".")] == []


WRITES = "wanted what `gapforge subjective --sentences` or the stage SubjectiveSentences writes"
NO_SENTENCE = f"f.jsonl: line 1: not a sentence; {WRITES}"
LINE = json.loads(json_line(SENTENCES[0]))


@pytest.mark.parametrize(
    ("source", "content", "error", "message"),
    [
        ("nix", None, InputError, "nix: no such file or folder; fix the path"),
        (
            "empty",
            None,
            InputError,
            "empty: no part-*.parquet; name the folder of the stage SubjectiveSentences, or of a run that has it",
        ),
        ("rejects.parquet", None, InputError, f"rejects.parquet: no column 'instance_id'; {WRITES}"),
        ("s.tsv", "", ConfigError, "s.tsv: unknown kind of sentences '.tsv'; choose from .parquet, .jsonl"),
        ("f.jsonl", "\n", InputError, NO_SENTENCE),
        ("f.jsonl", "[]\n", InputError, NO_SENTENCE),
        ("f.jsonl", '{"instance_id": "x"}\n', InputError, NO_SENTENCE),
        ("f.jsonl", json.dumps(LINE | {"kept": "yes"}), InputError, NO_SENTENCE),
        ("f.jsonl", json.dumps(LINE | {"number": True}), InputError, NO_SENTENCE),
        ("f.jsonl", json.dumps(LINE | {"proposal": 5}), InputError, NO_SENTENCE),
        ("f.jsonl", json.dumps(LINE | {"sentence": "\ud800"}), InputError, NO_SENTENCE),
        ("f.jsonl", json.dumps(LINE) + "\n{\n", InputError, f"f.jsonl: line 2: not a sentence; {WRITES}"),
        (
            "f.jsonl",
            "",
            InputError,
            "f.jsonl: cannot draw 2 different sentences from 0 that were kept; take a larger set",
        ),
    ],
)
def test_sources_that_cannot_be_used(place, source, content, error, message):
    if content is not None:
        Path(source).write_text(content, "utf-8")
    with pytest.raises(error) as caught:
        export_sheet(Path(source), Path("out"), 2, 0)
    assert str(caught.value) == message
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("rated", "rated: is not empty; raters may be at work with it: name another folder"),
        ("s.jsonl", "s.jsonl: is a file; name a new folder"),
        ("no/where", "no/where: its folder does not exist; make it first"),
    ],
)
def test_folders_that_cannot_be_written(place, output, message):
    with pytest.raises(ConfigError) as caught:
        export_sheet(Path("run"), Path(output), 2, 0)
    assert str(caught.value) == message


def test_the_folder_one_is_in(place, monkeypatch):
    monkeypatch.chdir("empty")
    with pytest.raises(ConfigError) as caught:
        export_sheet(Path("../run"), Path(), 2, 0)
    assert str(caught.value) == ".: is the folder you are in; name a new one"


# ---- import


def test_two_sheets(place):
    found = import_sheets([Path("one.csv"), Path("two.tsv")], Path("rated"))
    fluency, subjectivity = found.pop("table")
    assert found == {
        "sentences": 4,
        "raters": [{"fluency": 3, "subjectivity": 3}, {"fluency": 3, "subjectivity": 3}],
        "ratings": 12,
        "missing": 4,
        "paper": {
            "fluency": {"original": 4.578, "transferred": 4.343},
            "subjectivity": {"original": 1.657, "transferred": 2.872},
        },
        "remarks": [{"rater": 1, "id": "r2", "form": "transferred", "remark": "odd"}],
    }
    # r1 5 and 4, r3 never; r2 4 and 4, r4 2 and 3.
    assert (fluency.original, fluency.transferred) == (Half(1, 2, 4.5), Half(2, 4, 3.25))
    # r1 1 and 1, r3 2; r2 3 and 5, r4 5.
    assert (subjectivity.original, subjectivity.transferred) == (Half(2, 3, 1.5), Half(2, 3, 4.5))


ONCE = "name the sheet of each rater once"
KINDS = "choose from .csv, .tsv, .txt"


@pytest.mark.parametrize(
    ("paths", "error", "message"),
    [
        (["one.csv", "two.tsv", "one.csv"], InputError, f"one.csv: is named twice; {ONCE}"),
        (["one.csv", "rated/../one.csv"], InputError, f"rated/../one.csv: is named twice; {ONCE}"),
        (["one.csv", "copy.csv"], InputError, f"copy.csv: is a copy of one.csv; {ONCE}"),
        (["nix.csv"], InputError, "nix.csv: no such file; fix the path"),
        (["rated"], InputError, "rated: is a folder; name a file"),
        (["one.csv", "one.xlsx"], ConfigError, f"one.xlsx: unknown kind of sheet '.xlsx'; {KINDS}"),
        (["rated/sheet.csv"], InputError, "rated/sheet.csv: 4 sentences, and no rating; fill it in or leave it out"),
    ],
)
def test_sheets_that_are_refused(place, paths, error, message):
    Path("copy.csv").write_bytes(Path("one.csv").read_bytes())
    Path("one.xlsx").write_bytes(b"PK")
    with pytest.raises(error) as caught:
        import_sheets([Path(path) for path in paths], Path("rated"))
    assert str(caught.value) == message


# ---- the command line


def test_export_and_import_by_the_command_line(gapforge, gapforge_process, place):
    result = gapforge_process("rate", "export", "run", "-o", "out", "--size", "4")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (
        "4 sentences, 2 original and 2 transferred: out\n"
        "give each rater out/sheet.csv and out/instructions.txt\n"
        "keep out/key.json: the import needs it, and raters must not see it\n"
    )
    result = gapforge("rate", "export", "s.jsonl", "-o", "more", "--size", "2", "--seed", "5", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout) == export_sheet(Path("s.jsonl"), Path("again"), 2, 5) | {"output": "more"}

    # Alpha of fluency: 5 4, 4 4 and 2 3, 1 - 4 / (64 / 5); of subjectivity: 1 1 and 3 5, 1 - 8 / (88 / 3).
    result = gapforge("rate", "import", "one.csv", "two.tsv", "--key", "rated")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (
        "12 ratings of 4 sentences by 2 raters\n"
        "fluency            mean   paper  sentences  ratings\n"
        "original          4.500   4.578          1        2\n"
        "transferred       3.250   4.343          2        4\n"
        "difference       -1.250  -0.235  95 % interval undefined\n"
        "alpha             0.688\n"
        "subjectivity       mean   paper  sentences  ratings\n"
        "original          1.500   1.657          2        3\n"
        "transferred       4.500   2.872          2        3\n"
        "difference       +3.000  +1.215  95 % interval +2.000 to +4.000\n"
        "alpha             0.727\n"
        "rater 1: 2 of 8 ratings missing\n"
        "rater 2: 2 of 8 ratings missing\n"
        "1 remark; --json lists them\n"
    )
    result = gapforge_process("rate", "import", "one.csv", "--key", "rated/key.json", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    summary = json.loads(result.stdout)
    assert summary["table"][0] == {
        "scale": "fluency",
        "original": {"sentences": 1, "ratings": 1, "mean": 5.0},
        "transferred": {"sentences": 2, "ratings": 2, "mean": 3.0},
        "difference": -2.0,
        "low": None,
        "high": None,
        "alpha": None,
    }
    assert (summary["raters"], summary["missing"]) == ([{"fluency": 3, "subjectivity": 3}], 2)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["export", "run", "-o", "rated"],
            2,
            "rated: is not empty; raters may be at work with it: name another folder",
        ),
        (
            ["export", "run", "-o", "out", "--size", "3"],
            2,
            "size must be even and 2 or more, for two equal halves, found 3",
        ),
        (
            ["export", "run", "-o", "out"],
            1,
            "run: cannot draw 68 different sentences from 12 that were kept; lower --size to 12 or take a larger set",
        ),
        (["import", "one.csv", "--key", "nix"], 1, "nix: no such file; fix the path"),
        (["import", "one.csv", "--key", "run"], 1, "run/key.json: no such file; fix the path"),
        (["import", "one.csv", "one.csv", "--key", "rated"], 1, f"one.csv: is named twice; {ONCE}"),
        (["import", "s.jsonl", "--key", "rated"], 2, f"s.jsonl: unknown kind of sheet '.jsonl'; {KINDS}"),
    ],
)
def test_calls_that_are_refused(gapforge, place, arguments, code, message):
    result = gapforge("rate", *arguments)
    assert (result.returncode, result.stdout, result.stderr) == (code, "", f"gapforge: {message}\n")
    assert not Path("out").exists()
