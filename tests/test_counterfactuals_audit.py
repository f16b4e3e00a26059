"""Errors in published files: each kind by a small quadruple in which one thing is wrong, and all of them at large."""

import csv
import dataclasses
import re
from pathlib import Path

import pytest

from gapforge.counterfactuals.audit import Finding, audit, nearest
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.storage.tsv import Row
from gapforge_tasks.cli.texts import audit_file, write_quadruples
from reference import published

ROOT = Path(__file__).parents[1]

# A and B in <angles>, the pronoun in {braces}.
ORIGINAL = (
    "Sir Walter Pym and Edwin Stroud met an earl's uncle. <Dora Kell> told <Ida Brandt> that {she} had lost her key; "
    "the lamp was hers, the boy was his, and we saw her."
)
CONTROL = (
    "Edwin Stroud and Sir Walter Pym met an earl's uncle. <Ida Brandt> told <Dora Kell> that {she} had lost her key; "
    "the lamp was hers, the boy was his, and we saw her."
)
SWAP_1 = (
    "Dora Kell and Ida Brandt met a countess's aunt. <Sir Walter Pym> told <Edwin Stroud> that {he} had lost his key; "
    "the lamp was his, the girl was hers, and we saw him."
)
SWAP_2 = (
    "Ida Brandt and Dora Kell met a countess's aunt. <Edwin Stroud> told <Sir Walter Pym> that {he} had lost his key; "
    "the lamp was his, the girl was hers, and we saw him."
)
MARKED = {"7": ORIGINAL, "7-control": CONTROL, "7-swap-1": SWAP_1, "7-swap-2": SWAP_2}
MARK = re.compile(r"[<>{}]")


def make_row(name, marked, **changes):
    cells = []
    for match in re.finditer(r"<([^>]*)>|\{([^}]*)\}", marked):
        cells.append((match[1] or match[2], match.start() - len(MARK.findall(marked[: match.start()]))))
    (a, a_start), (b, b_start), (pronoun, start) = cells
    row = Row(name, MARK.sub("", marked), pronoun, start, a, a_start, True, b, b_start, False, "A Book")
    return dataclasses.replace(row, **changes)


def make_rows(name="", old="", new="", **changes):
    """The four rows, with a change in the text or in the cells of one of them."""
    rows = []
    for it, marked in MARKED.items():
        assert it != name or marked.count(old) == 1 or changes
        text = marked.replace(old, new) if it == name and old else marked
        rows.append(make_row(it, text, **(changes if it == name else {})))
    return rows


def findings_in(rows):
    return [dataclasses.astuple(it) for it in audit(rows, DEFAULT_MODEL)]


def test_a_good_quadruple_has_no_finding():
    assert findings_in(make_rows()) == []


@pytest.mark.parametrize(
    ("row", "old", "new", "kind", "start", "found", "expected"),
    [
        ("7-control", "Edwin Stroud and", "Sir Walter Pym and", "mention left", 0, "Sir Walter Pym", "Edwin Stroud"),
        ("7-swap-1", "Dora Kell and", "Lady Pym and", "title changed alone", 0, "Lady Pym", "Dora Kell"),
        ("7-swap-1", "Dora Kell and", "Clara Finch and", "wrong name", 0, "Clara Finch", "Dora Kell"),
        ("7-swap-2", "lost his", "lost him", "wrong his or him", 98, "him", "his"),
        ("7-swap-2", "saw him", "saw his", "wrong his or him", 155, "his", "him"),
        ("7-swap-1", "was hers", "was her", "wrong her or hers", 138, "her", "hers"),
        ("7-swap-1", "lamp was his", "lamp was hers", "hers left", 120, "hers", "his"),
        ("7-swap-1", "girl was hers", "girl was his", "pronoun left", 138, "his", "hers"),
        ("7-swap-1", "saw him", "saw her", "pronoun left", 155, "her", "him"),
        ("7-swap-1", "girl", "boy", "gendered word left", 129, "boy", "girl"),
        ("7-swap-2", "aunt", "uncle", "gendered word left", 42, "uncle", "aunt"),
        ("7-swap-1", "girl", "governor", "wrong word", 129, "governor", "girl"),
        ("7-swap-1", "saw him", "saw he", "wrong word", 155, "he", "him"),
        ("7-swap-2", "a countess's", "an countess's", "wrong article", 29, "an", "a"),
        ("7-swap-2", "countess's", "countess'", "wrong possessive", 41, "", "s"),
        ("7-control", "lamp", "lamb", "word changed", 110, "lamb", "lamp"),
        ("7-swap-1", "lamp", "lamb", "word changed", 111, "lamb", "lamp"),
        ("7-control", "earl", "count", "word changed", 39, "count", "earl"),
    ],
)
def test_a_wrong_word_in_a_text_is_one_finding(row, old, new, kind, start, found, expected):
    rows = make_rows(row, old, new)
    assert findings_in(rows) == [(row, kind, "Text", start, found, expected)]
    (text,) = (it.text for it in rows if it.id == row)
    assert text[start : start + len(found)] == found


@pytest.mark.parametrize(
    ("row", "old", "new"),
    [
        # As good: another word of the same gender, other quotation marks.
        ("7-swap-1", "girl", "lass"),
        ("7-swap-1", "countess's", "countess’s"),
    ],
)
def test_what_is_as_good_is_no_finding(row, old, new):
    assert findings_in(make_rows(row, old, new)) == []


def test_a_name_that_the_original_does_not_hold():
    rows = make_rows("7-swap-1", "<Edwin Stroud>", "<Hugh Farrow>")
    start = rows[2].b_offset
    assert findings_in(rows) == [("7-swap-1", "name not in the original", "B", start, "Hugh Farrow", "")]


def test_a_cell_that_points_elsewhere():
    """The texts are as they should be, and a cell points to another pronoun."""
    for row, text in (("7-control", MARKED["7-control"]), ("7-swap-1", MARKED["7-swap-1"])):
        plain = MARK.sub("", text)
        pronoun = "her" if row == "7-control" else "his"
        other = plain.index(f" {pronoun} ") + 1
        assert findings_in(make_rows(row, pronoun=pronoun, pronoun_offset=other)) == [
            (row, "wrong pronoun", "Pronoun", other, pronoun, "")
        ]


def test_white_space_is_part_of_a_pair():
    rows = make_rows("7-swap-2", " and we saw", "  and we saw")
    assert findings_in(rows) == [("7-swap-2", "texts do not align", "Text", 0, "", "")]


def test_a_cell_within_a_word():
    rows = [dataclasses.replace(make_rows()[0], text="Dora Kell saw himself, and Ida", a="Dora Kell", a_offset=0)]
    rows = [dataclasses.replace(rows[0], b="Ida", b_offset=27, pronoun="him", pronoun_offset=14)]
    assert findings_in(rows) == [("7", "part of a word", "Pronoun-offset", 14, "him", "")]


@pytest.mark.parametrize(
    ("row", "changes", "findings"),
    [
        ("7-control", {"pronoun_offset": 80}, [("wrong offset", "Pronoun-offset", 80, "hat", "84")]),
        ("7-swap-1", {"a_offset": 0}, [("wrong offset", "A-offset", 0, "Dora Kell and ", "48")]),
        ("7-swap-2", {"b_offset": 999}, [("wrong offset", "B-offset", 999, "", "66")]),
        (
            "7-control",
            {"pronoun": "that", "pronoun_offset": 79},
            [("no pronoun", "Pronoun", 79, "that", "")],
        ),
        ("7-swap-1", {"a_coref": False}, [("other label", "A-coref", 48, "FALSE", "TRUE")]),
        ("7-swap-1", {"a_coref": None}, [("other label", "A-coref", 48, "", "TRUE")]),
        (
            "7-swap-2",
            {"a": "Edwin Stroud told", "b": "Pym", "b_offset": 77},
            [
                ("word in name", "A", 48, "Edwin Stroud told", "Edwin Stroud"),
            ],
        ),
    ],
)
def test_wrong_cells_are_found(row, changes, findings):
    assert findings_in(make_rows(row, **changes)) == [(row, *it) for it in findings]


@pytest.mark.parametrize(
    ("text", "cell", "bare"),
    [
        ("Ida saw Dora's dog, and she left.", "Dora's", "Dora"),
        ("Ida saw Dora’s dog, and she left.", "Dora’s", "Dora"),
        ("Ida saw Jones' dog, and she left.", "Jones'", "Jones"),
        ("Ida saw 'Dora', and she left.", "Dora'", None),
        ("Ida saw Dora, and she left.", "Dora", None),
    ],
)
def test_possessives_in_cells_of_rows_by_themselves(text, cell, bare):
    row = Row("1", text, "she", text.index("she"), "Ida", 0, False, cell, text.index(cell), True, "")
    wanted = [("1", "possessive in name", "B", text.index(cell), cell, bare)] if bare else []
    assert findings_in([row]) == wanted


@pytest.mark.parametrize(
    ("cell", "bare"),
    [
        ("Ludwig van Beethoven", None),
        ("Philip of Spain", None),
        ("Delilah wiles", "Delilah"),
        ("Ida the tall", "Ida the"),
    ],
)
def test_words_in_names(cell, bare):
    row = Row(
        "1", f"{cell} saw Dora, and he left.", "he", 15 + len(cell), cell, 0, True, "Dora", 5 + len(cell), None, ""
    )
    row = dataclasses.replace(row, pronoun_offset=row.text.index(" he ") + 1)
    assert findings_in([row]) == ([("1", "word in name", "A", 0, cell, bare)] if bare else [])


@pytest.mark.parametrize(("a", "b"), [(True, True), (True, False), (False, False), (None, None), (True, None)])
def test_at_most_one_name_is_true(a, b):
    row = make_row("7", ORIGINAL, a_coref=a, b_coref=b)
    assert findings_in([row]) == ([("7", "both names true", "B-coref", 68, "TRUE", "FALSE")] if a and b else [])


def test_rows_that_are_there_twice():
    first, *others = make_rows()
    again = dataclasses.replace(first, id="8")
    assert findings_in([first, *others, again]) == [("8", "duplicate instance", "Text", 84, "7", "")]
    assert findings_in([first, *others, first]) == [("7", "duplicate id", "ID", 0, "7", "")]


@pytest.mark.parametrize(
    ("missing", "finding"),
    [
        ("7", ("7-control", "incomplete quadruple", "ID", 0, "", "original")),
        ("7-control", ("7", "incomplete quadruple", "ID", 0, "", "control")),
        ("7-swap-1", ("7", "incomplete quadruple", "ID", 0, "", "swap-1")),
        ("7-swap-2", ("7", "incomplete quadruple", "ID", 0, "", "swap-2")),
    ],
)
def test_a_quadruple_of_three(missing, finding):
    assert findings_in([row for row in make_rows() if row.id != missing]) == [finding]


def test_an_original_that_cannot_be_read_is_told_once():
    """By its own cell; nothing can be compared with it."""
    assert findings_in(make_rows("7", a_offset=52)) == [("7", "wrong offset", "A-offset", 52, " Dora Kel", "53")]


def test_findings_of_rows_come_before_those_of_quadruples():
    rows = make_rows("7-swap-1", "girl", "boy")
    rows[3] = dataclasses.replace(rows[3], a_offset=47)
    found = list(audit(rows, DEFAULT_MODEL))
    assert found == [
        Finding("7-swap-2", "wrong offset", "A-offset", 47, " Edwin Strou", "48"),
        Finding("7-swap-1", "gendered word left", "Text", 129, "boy", "girl"),
    ]


@pytest.mark.parametrize(("cell", "start", "place"), [("Ann", 3, "0"), ("Ann", 7, "9"), ("Tom", 0, ""), ("", 0, "")])
def test_the_nearest_place_of_a_cell(cell, start, place):
    assert nearest("Ann met, Ann.", cell, start) == place


def test_a_gap_file_is_audited_row_by_row(tmp_path):
    path = tmp_path / "gap.tsv"
    path.write_text(
        "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
        'test-1\t"Ann" met Sue; she left.\tshe\t15\tAnn\t1\tTRUE\tSue\t10\tFALSE\thttp://example.org\n'
        'test-2\t"Ann" met Sue; she left.\tshe\t15\tAnn\t0\tTRUE\tSue\t10\tFALSE\thttp://example.org\n',
        "utf-8",
    )
    assert audit_file(path, DEFAULT_MODEL) == {
        "file": str(path),
        "rows": 2,
        "kinds": {"duplicate instance": 1, "wrong offset": 1},
        "findings": [
            dataclasses.asdict(Finding("test-2", "duplicate instance", "Text", 15, "test-1", "")),
            dataclasses.asdict(Finding("test-2", "wrong offset", "A-offset", 0, '"An', "1")),
        ],
    }


# Published data.


@pytest.fixture(scope="module")
def half():
    return published("counter-gap/counter-gap-half.tsv")


@pytest.fixture(scope="module")
def ours(half, tmp_path_factory):
    """Our own quadruples of the shared half's originals."""
    output = tmp_path_factory.mktemp("ours") / "ours.tsv"
    made = write_quadruples(half, output, None, DEFAULT_MODEL)
    assert made["quadruples"] >= 430, made["rejects"]
    return output


@pytest.mark.corpus
def test_our_own_quadruples_have_no_finding(ours):
    found = audit_file(ours, DEFAULT_MODEL)
    assert found["findings"] == []
    assert found["rows"] >= 4 * 430


# The errors that DEFINITIONS counts in the published set, by the kind under which the audit tells them.
COUNTED = {
    "mention left": 1,
    "wrong his or him": 10,
    "hers left": 5,
    "wrong her or hers": 2,
    "gendered word left": 30,
    "possessive in name": 60,
    "title changed alone": 1,
    "word changed": 4,
}


@pytest.mark.corpus
def test_published_errors_are_found(half):
    found = audit_file(half, DEFAULT_MODEL)
    assert {
        kind: found["kinds"].get(kind, 0) for kind, least in COUNTED.items() if found["kinds"].get(kind, 0) < least
    } == {}
    changed = {it["found"] for it in found["findings"] if it["kind"] == "word changed"}
    assert "Godess" in changed
    assert "wrong offset" not in found["kinds"]


@pytest.mark.corpus
def test_most_of_gap_is_without_finding():
    found = audit_file(published("gap/gap-validation.tsv"), DEFAULT_MODEL)
    assert found["rows"] == 454
    assert found["kinds"].keys() <= {"word in name", "no name"}
    assert len(found["findings"]) <= 5


def read_plainly(path):
    """The rows of a file by Python's own reader, in quadruples: original, control, swap-1, swap-2."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [rows[n : n + 4] for n in range(0, len(rows), 4)]


# What may stand in the place of each pronoun, and words that are gendered wherever they stand.
OTHERS = {
    "she": {"he"},
    "hers": {"his"},
    "herself": {"himself"},
    "her": {"him", "his"},
    "he": {"she"},
    "him": {"her"},
    "himself": {"herself"},
    "his": {"her", "hers"},
}
GENDERED = {"woman", "women", "girl", "boy", "wife", "husband", "daughter", "heiress", "lady", "gentleman", "niece"}
# him for his, and a verb that became a noun.
ODD = re.compile(
    r"\bhim (?:own|hand|hands|head|face|eyes|heart|voice|mother|father|wife|husband|house|room|life)\b"
    r"|\b(?:to|will|not|would|shall|you|I) (?:sirs?|lads?)\b|[Gg]odess|\bheros\b"
)


def words_of(row, names):
    """The words of a text in which each of these names, canonical as they are, is one word."""
    found = re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))
    return found.sub("NAME", row["Text"]).split()


@pytest.mark.corpus
def test_our_own_quadruples_hold_no_published_error(ours):
    """Looked for in the plain text, without anything that made it.

    The control has the names of the swaps, so that its words and theirs stand in the same places.
    """
    wrong, compared = [], 0
    for original, control, *swaps in read_plainly(ours):
        four = [original, control, *swaps]
        assert [it["ID"] for it in four] == [original["ID"] + end for end in ("", "-control", "-swap-1", "-swap-2")]
        for row in four:
            for cell in ("A", "B", "Pronoun"):
                if not row["Text"].startswith(row[cell], int(row[f"{cell}-offset"])):
                    wrong.append((row["ID"], "offset", row[cell]))
            wrong += [(row["ID"], "possessive", row[it]) for it in "AB" if re.search(r"['’]s?$", row[it])]
        names = {row[it] for row in (control, swaps[0]) for it in "AB"}
        wrong += [(row["ID"], "odd", found[0]) for row in swaps if (found := ODD.search(row["Text"]))]
        for row in swaps:
            # "Sir Fairfax": a title of the other gender before a name that has taken the place of another.
            for name in (control["A"], control["B"], swaps[0]["A"], swaps[0]["B"]):
                titled = rf"\b(?:Sir|Dame|Mr\.?|Mrs\.?|Miss) {re.escape(name)}\b"
                before, after = (set(re.findall(titled, it["Text"])) for it in (control, row))
                wrong += [(row["ID"], "title alone", it) for it in after - before]
            old, new = words_of(control, names), words_of(row, names)
            if len(old) != len(new):
                wrong.append((row["ID"], "words", f"{len(old)} and {len(new)}"))
                continue
            for n, (left, right) in enumerate(zip(old, new, strict=True)):
                a, b = (re.sub(r"^\W+|\W+$", "", it) for it in (left, right))
                if a.lower() in OTHERS and not (a.istitle() and n and old[n - 1][-1].isalnum()):
                    compared += 1
                    if b.lower() not in OTHERS[a.lower()] or a.istitle() != b.istitle():
                        wrong.append((row["ID"], "pronoun", f"{left} {right}"))
                    if re.search(r"\bhis[.;!?]", left) and not re.search(r"\bhers[.;!?]", right):
                        wrong.append((row["ID"], "her for hers", f"{left} {right}"))
                if a in GENDERED and a == b:
                    wrong.append((row["ID"], "gendered word", f"{old[n - 1]} {left}"))
    assert wrong == []
    assert compared >= 5_000
