"""`gapforge counterfactual`, `gapforge swap` and `gapforge audit` as a user calls them."""

import csv
import json

import pytest

from gapforge.records import Reject
from gapforge.storage.tables import read_records

COLUMNS = ["ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "Book"]
KEEPERS = "Walter Pym and Edwin Stroud kept the lamp. "
LAMP = KEEPERS + "Dora Kell told Ida Brandt that she had the key."
SHAVED = KEEPERS + 'Dora Kell said\nto Ida Brandt: "The beard of his uncle suits her."'
TWO = "Dora Kell told Ida Brandt that she had the key."
FOUND = "Dora Kell: feminine; Ida Brandt: feminine"


def make_row(name, text, pronoun, a="Dora Kell", b="Ida Brandt", labels=("TRUE", "FALSE"), **changes):
    """The cells of a row; the pronoun is the last of its kind in the text."""
    cells = [
        name,
        text,
        pronoun,
        text.rindex(pronoun),
        a,
        text.index(a),
        labels[0],
        b,
        text.index(b),
        labels[1],
        "Tale",
    ]
    return list((dict(zip(COLUMNS, cells, strict=True)) | changes).values())


ROWS = [
    make_row("1", LAMP, "she"),
    make_row("2", SHAVED, "her", labels=("", "")),
    make_row("3", TWO, "she"),
    make_row("3", KEEPERS + "Dora Kell saw Ida Brandt, and she left.", "she"),
    make_row("4", LAMP, "she", a="Ida Brandt", b="Dora Kell"),
    make_row("5-control", KEEPERS + "Dora Kell met Ida Brandt, and she left.", "she"),
    make_row("6", LAMP + " It rained.", "she", **{"A-offset": 44}),
]
MADE = [
    ["1", LAMP, "she", "74", "Dora Kell", "43", "TRUE", "Ida Brandt", "58", "FALSE", "Tale"],
    [
        "1-control",
        "Edwin Stroud and Walter Pym kept the lamp. Ida Brandt told Dora Kell that she had the key.",
        *("she", "74", "Ida Brandt", "43", "TRUE", "Dora Kell", "59", "FALSE", "Tale"),
    ],
    [
        "1-swap-1",
        "Dora Kell and Ida Brandt kept the lamp. Walter Pym told Edwin Stroud that he had the key.",
        *("he", "74", "Walter Pym", "40", "TRUE", "Edwin Stroud", "56", "FALSE", "Tale"),
    ],
    [
        "1-swap-2",
        "Ida Brandt and Dora Kell kept the lamp. Edwin Stroud told Walter Pym that he had the key.",
        *("he", "74", "Edwin Stroud", "40", "TRUE", "Walter Pym", "58", "FALSE", "Tale"),
    ],
    ["2", SHAVED, "her", "103", "Dora Kell", "43", "", "Ida Brandt", "61", "", "Tale"],
    [
        "2-control",
        'Edwin Stroud and Walter Pym kept the lamp. Ida Brandt said\nto Dora Kell: "The beard of his uncle suits her."',
        *("her", "103", "Ida Brandt", "43", "", "Dora Kell", "62", "", "Tale"),
    ],
    [
        "2-swap-1",
        'Dora Kell and Ida Brandt kept the lamp. Walter Pym said\nto Edwin Stroud: "The beard of her aunt suits him."',
        *("him", "102", "Walter Pym", "40", "", "Edwin Stroud", "59", "", "Tale"),
    ],
    [
        "2-swap-2",
        'Ida Brandt and Dora Kell kept the lamp. Edwin Stroud said\nto Walter Pym: "The beard of her aunt suits him."',
        *("him", "102", "Edwin Stroud", "40", "", "Walter Pym", "61", "", "Tale"),
    ],
]
LEFT = [
    {"id": "3", "reason": "not two women and two men", "detail": FOUND},
    {"id": "3", "reason": "duplicate id", "detail": ""},
    {"id": "4", "reason": "duplicate instance", "detail": "the same text and pronoun as 1"},
    {"id": "5-control", "reason": "no original", "detail": "the id says that it is a counterfactual itself"},
    {"id": "6", "reason": "wrong offset", "detail": ""},
]
SUMMARY = {
    "originals": 7,
    "quadruples": 2,
    "rejects": {
        "duplicate id": 1,
        "duplicate instance": 1,
        "no original": 1,
        "not two women and two men": 1,
        "wrong offset": 1,
    },
    "flagged": {"2": ["beard"]},
    "output": "out.tsv",
}
KING = "The king saw his sister.\r\n\r\nShe left\n\n\n  “Yes, sir.”"
QUEEN = "The queen saw her brother.\r\n\r\nHe left\n\n\n  “Yes, ma’am.”"


def write_rows(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([COLUMNS, *rows])


def read_cells(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t"))


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """A folder to work in, with rows that give quadruples and rows that do not, and files that cannot be read."""
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "in.tsv", ROWS)
    write_rows(tmp_path / "made.tsv", MADE)
    (tmp_path / "king.txt").write_bytes(KING.encode())
    (tmp_path / "latin.txt").write_bytes(b"The king \xff slept.")
    (tmp_path / "latin.tsv").write_bytes(b"\t".join(it.encode() for it in COLUMNS) + b"\n\xff\n")
    (tmp_path / "other.tsv").write_text("ID\tText\n")
    return tmp_path


def test_counterfactual_writes_four_rows_of_each_original(gapforge, rows):
    result = gapforge("counterfactual", "in.tsv", "-o", "out.tsv", "--rejects", "left.jsonl", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == json.dumps(SUMMARY) + "\n"
    assert read_cells(rows / "out.tsv") == [COLUMNS, *MADE]
    assert [json.loads(line) for line in (rows / "left.jsonl").read_text("utf-8").splitlines()] == LEFT
    for cells in read_cells(rows / "out.tsv")[1:]:
        row = dict(zip(COLUMNS, cells, strict=True))
        for column in ("Pronoun", "A", "B"):
            start = int(row[f"{column}-offset"])
            assert row["Text"][start : start + len(row[column])] == row[column], row["ID"]


def test_counterfactual_for_people(gapforge, rows):
    result = gapforge("counterfactual", "in.tsv", "-o", "out.tsv", "--rejects", "left.parquet")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (
        "2 quadruples in out.tsv; left out: 1 duplicate id, 1 duplicate instance, 1 no original, "
        "1 not two women and two men, 1 wrong offset\n"
        "1 of them hold words to check against common sense; --json lists them\n"
    )
    assert list(read_records(rows / "left.parquet", Reject)) == [Reject(**it) for it in LEFT]
    write_rows(rows / "one.tsv", ROWS[:1])
    result = gapforge("counterfactual", "one.tsv", "-o", "out.tsv")
    assert (result.returncode, result.stdout) == (0, "1 quadruple in out.tsv; left out: none\n")
    assert read_cells(rows / "out.tsv") == [COLUMNS, *MADE[:4]]


def test_counterfactual_reads_gap_files(gapforge, rows):
    """Their quotation marks are text, and their URL becomes the source."""
    text = '"' + LAMP
    cells = ["g-1", text, "she", "75", "Dora Kell", "44", "TRUE", "Ida Brandt", "59", "FALSE", "http://example.org/g"]
    (rows / "gap.tsv").write_text("\t".join([*COLUMNS[:-1], "URL"]) + "\n" + "\t".join(cells) + "\n", "utf-8")
    result = gapforge("counterfactual", "gap.tsv", "-o", "out.tsv", "--json")
    assert (result.returncode, json.loads(result.stdout)["quadruples"]) == (0, 1), result.stderr
    made = read_cells(rows / "out.tsv")
    assert [made[0], made[1]] == [COLUMNS, cells]
    assert [it[0] for it in made[2:]] == ["g-1-control", "g-1-swap-1", "g-1-swap-2"]
    assert {it[-1] for it in made[1:]} == {"http://example.org/g"}


def test_nothing_but_a_header_gives_nothing_but_a_header(gapforge_process, rows):
    write_rows(rows / "none.tsv", [])
    result = gapforge_process("counterfactual", "none.tsv", "-o", "out.tsv")
    assert (result.returncode, result.stdout) == (0, "0 quadruples in out.tsv; left out: none\n")
    assert read_cells(rows / "out.tsv") == [COLUMNS]


def test_swap_from_a_file(gapforge, rows):
    result = gapforge("swap", "king.txt", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {"text": QUEEN}
    result = gapforge("swap", "king.txt")
    assert (result.returncode, result.stdout, result.stderr) == (0, QUEEN, "")


def test_swap_of_standard_input(gapforge_process, rows):
    result = gapforge_process("swap", input=KING)
    assert (result.returncode, result.stdout, result.stderr) == (0, QUEEN, "")


@pytest.mark.parametrize(
    ("given", "swapped"), [("", ""), ("\n", "\n"), ("He", "She"), ("It rained.\n", "It rained.\n")]
)
def test_swap_of_little(gapforge, rows, given, swapped):
    result = gapforge("swap", input=given)
    assert (result.returncode, result.stdout, result.stderr) == (0, swapped, "")


def test_swap_of_standard_input_that_is_no_utf8(gapforge, rows):
    result = gapforge("swap", input=b"The king \xff slept.")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "gapforge: standard input: byte 9: not UTF-8; save it as UTF-8\n"


def test_audit_of_a_good_file(gapforge, rows):
    result = gapforge("audit", "made.tsv")
    assert (result.returncode, result.stdout, result.stderr) == (0, "8 rows, 0 findings: none\n", "")
    result = gapforge("audit", "made.tsv", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == json.dumps({"file": "made.tsv", "rows": 8, "kinds": {}, "findings": []}) + "\n"


def test_audit_of_a_file_with_errors(gapforge, gapforge_process, rows):
    spoiled = [list(cells) for cells in MADE]
    spoiled[2][1] = spoiled[2][1].replace("Dora Kell and", "Walter Pym and")
    spoiled[2][3], spoiled[2][5], spoiled[2][8] = "75", "41", "57"
    spoiled[5][5] = "44"
    write_rows(rows / "spoiled.tsv", spoiled)
    findings = [
        ("2-control", "wrong offset", "A-offset", 44, "da Brandt ", "43"),
        ("1-swap-1", "mention left", "Text", 0, "Walter Pym", "Dora Kell"),
    ]
    result = gapforge_process("audit", "spoiled.tsv")
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout == (
        "2-control: wrong offset, A-offset at 44: 'da Brandt ', wanted '43'\n"
        "1-swap-1: mention left, Text at 0: 'Walter Pym', wanted 'Dora Kell'\n"
        "8 rows, 2 findings: 1 mention left, 1 wrong offset\n"
    )
    result = gapforge("audit", "spoiled.tsv", "--json")
    keys = ("id", "kind", "column", "start", "found", "expected")
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout == (
        json.dumps(
            {
                "file": "spoiled.tsv",
                "rows": 8,
                "kinds": {"mention left": 1, "wrong offset": 1},
                "findings": [dict(zip(keys, it, strict=True)) for it in findings],
            }
        )
        + "\n"
    )


NOT_UTF8 = "byte {}: not UTF-8; save it as UTF-8"
COLUMNS_WANTED = ", ".join(COLUMNS[:-1])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        *(
            ([*call, "lost.tsv", *more], 1, "lost.tsv: no such file; fix the path")
            for call, more in ((["counterfactual"], ["-o", "x.tsv"]), (["swap"], []), (["audit"], []))
        ),
        (["counterfactual", "latin.tsv", "-o", "x.tsv"], 1, f"latin.tsv: {NOT_UTF8.format(74)}"),
        (["audit", "latin.tsv"], 1, f"latin.tsv: {NOT_UTF8.format(74)}"),
        (["swap", "latin.txt"], 1, f"latin.txt: {NOT_UTF8.format(9)}"),
        (["swap", "."], 1, ".: is a folder; name a file"),
        (
            ["counterfactual", "in.tsv", "-o", "in.tsv"],
            2,
            "in.tsv: is both input and output; write to another file",
        ),
        (
            ["counterfactual", "in.tsv", "-o", "./made.tsv", "--rejects", "../" + "{here}/in.tsv"],
            2,
            "in.tsv: is both input and output; write to another file",
        ),
        (["counterfactual", "in.tsv", "-o", "none/x.tsv"], 2, "none/x.tsv: its folder does not exist; make it first"),
        (["counterfactual", "in.tsv", "-o", "x.csv"], 2, "x.csv: unknown kind of output '.csv'; choose from .tsv"),
        (
            ["counterfactual", "in.tsv", "-o", "x.tsv", "--rejects", "x.txt"],
            2,
            "x.txt: unknown kind of output '.txt'; choose from .jsonl, .parquet",
        ),
        (
            ["counterfactual", "other.tsv", "-o", "x.tsv"],
            1,
            f"other.tsv: line 1: no column 'Pronoun'; wanted {COLUMNS_WANTED} and Book or URL",
        ),
        (
            ["audit", "other.tsv"],
            1,
            f"other.tsv: line 1: no column 'Pronoun'; wanted {COLUMNS_WANTED} and Book or URL",
        ),
        *(
            ([*call, "--model", "nonsense"], 2, "'nonsense': no such spaCy model is installed; "
             "install it, or name another one or a folder")
            for call in (["counterfactual", "in.tsv", "-o", "x.tsv"], ["swap", "king.txt"], ["audit", "made.tsv"])
        ),
    ],
)  # fmt: skip
def test_a_wrong_call_is_one_line_and_an_exit_code(gapforge, rows, arguments, code, message):
    before = {path.name: path.read_bytes() for path in rows.iterdir()}
    result = gapforge(*(it.replace("{here}", rows.name) for it in arguments))
    assert (result.returncode, result.stdout, result.stderr) == (code, "", f"gapforge: {message}\n")
    assert {path.name: path.read_bytes() for path in rows.iterdir()} == before
