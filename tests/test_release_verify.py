"""A release is sound, or what is wrong with it is told by the name of the file."""

import dataclasses
import hashlib
import json
import random
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import releases
from gapforge.errors import InputError
from gapforge.records import LabelledExample, Span, Weight
from gapforge.release import soundness
from gapforge.release.errata import Erratum
from gapforge.release.layout import files_in, logical_hash, read_tables, write_sums
from gapforge.release.provenance import read_provenance
from gapforge.release.verify import Finding, croissant_findings, provenance_findings, row_findings, summary, verify
from gapforge.release.write import render_descriptions
from gapforge.released import ReleasedExample, ReleasedInstance
from gapforge.storage.tables import read_records, write_records

GAP = "gap/test-00000-of-00001.parquet"
VARIED = "gap_subjective/test-00000-of-00001.parquet"
WEIGHED = "gap_weights/test-00000-of-00001.parquet"


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    erratum = Erratum("gap", "wiki-1", "A-coref", "TRUE", "FALSE", "wrong label")
    return releases.write_release(tmp_path_factory.mktemp("whole") / "release", errata=[erratum])


@pytest.fixture
def folder(whole, tmp_path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "release"))


def test_a_release_is_sound(folder):
    assert verify(folder) == []
    assert summary(folder) == {
        "release": str(folder),
        "sound": True,
        "files": 39,
        "rows": 32,
        "version": "1.2.3",
        "findings": [],
    }


def test_notes_of_the_run_and_of_a_hub_are_no_part_of_it(folder):
    (folder / "_manifest.json").write_text("{}", "utf-8")
    (folder / "_notes.txt").write_text("a note\n", "utf-8")
    (folder / ".gitattributes").write_text("what a hub adds\n", "utf-8")
    assert verify(folder) == []


KINDS = [
    "README.md",
    "croissant.json",
    "provenance.json",
    "CITATION.cff",
    "errata.tsv",
    "SHA256SUMS",
    "gap/test-00000-of-00001.parquet",
    "counter_gap/test-00000-of-00001.parquet",
    "gap_subjective/test-00000-of-00001.parquet",
    "gap_weights/test-00000-of-00001.parquet",
    "tsv/gap-validation.tsv",
    "tsv/counter-gap.tsv",
    "tsv/gap-subjective-test.tsv",
    "conll/gap-development.conll",
    "conll/counter-gap.conll",
    "conll/gap-subjective-test.conll",
    "weights/gap-test.json",
    "winobias/test-00000-of-00001.parquet",
    "text/winobias-dev-type1-pro.txt",
    "text/winobias-test-type1-anti.txt",
    "conll/winobias-test-type1-pro.conll",
    "conll/winobias-dev-type1-anti.conll",
]


def test_every_kind_of_file_is_tampered_with(whole):
    def kind(name):
        return re.sub("development|validation|test|dev(?=-)", "*", name)

    assert {kind(name) for name in files_in(whole)} == {kind(name) for name in KINDS}


SHARES = [0.0, 0.3, 0.5, 0.8, 1.0]


def places_to_tamper():
    """Five places of every kind of file; by default one of them, drawn with a seed."""
    draw = random.Random(21)
    for name in KINDS:
        drawn = draw.choice(SHARES)
        for share in SHARES:
            yield pytest.param(name, share, marks=[] if share == drawn else pytest.mark.tamper)


@pytest.mark.parametrize(("name", "share"), list(places_to_tamper()))
def test_one_byte_is_enough(folder, name, share):
    content = bytearray((folder / name).read_bytes())
    place = min(int(share * len(content)), len(content) - 1)
    content[place] ^= 1
    (folder / name).write_bytes(content)
    found = verify(folder)
    assert found, f"byte {place} of {name} was changed, and nothing was found"
    assert {it.file for it in found} == {name}


@pytest.mark.parametrize("name", KINDS)
def test_a_missing_file_is_told(folder, name):
    (folder / name).unlink()
    if name == "SHA256SUMS":
        with pytest.raises(InputError) as error:
            verify(folder)
        assert str(error.value) == f"{folder}: holds no SHA256SUMS; name the folder of a release"
    else:
        assert verify(folder) == [Finding(name, "is listed in SHA256SUMS, and missing")]


def test_a_file_more_is_told(folder):
    (folder / "gap" / "train-00000-of-00001.parquet").write_bytes(b"x")
    (folder / ".hidden").write_bytes(b"x")
    assert verify(folder) == [
        Finding(".hidden", "is not listed in SHA256SUMS"),
        Finding("gap/train-00000-of-00001.parquet", "is not listed in SHA256SUMS"),
    ]
    write_sums(folder)
    assert verify(folder) == [
        Finding(
            "gap/train-00000-of-00001.parquet",
            "is no table of a release that this gapforge knows; verify with the one that made it",
        ),
    ]
    (folder / "gap" / "train-00000-of-00001.parquet").unlink()
    write_sums(folder)
    assert verify(folder) == [Finding(".hidden", "is no part of a release")]


def test_a_link_is_what_it_leads_to(folder, tmp_path):
    """A hub keeps its copies as links."""
    (folder / "errata.tsv").rename(tmp_path / "errata.tsv")
    (folder / "errata.tsv").symlink_to(tmp_path / "errata.tsv")
    assert verify(folder) == []
    (tmp_path / "errata.tsv").unlink()
    assert verify(folder) == [Finding("errata.tsv", "is a link that leads nowhere")]


def test_a_folder_of_any_name_is_read(folder, tmp_path):
    odd = folder.rename(tmp_path / "a: b")
    (odd / "README.md").write_bytes(b"\xff")
    write_sums(odd)
    assert [it.file for it in verify(odd)] == ["README.md"]


@pytest.mark.parametrize("line", ["0" * 64 + "  ../outside", "0" * 64 + "  /etc/passwd", "nonsense", "0" * 64 + " x"])
def test_a_list_that_leads_outside_is_refused(folder, line):
    with (folder / "SHA256SUMS").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    (found,) = verify(folder)
    assert found == Finding("SHA256SUMS", f"line 39: found {line!r}; wanted a sha256, two blanks and a file, once each")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda it: it / "nowhere", "no such folder; name a release, such as output/sample/release"),
        (lambda it: it / "gap", "holds no SHA256SUMS; name the folder of a release"),
        (lambda it: it.parent, "holds no SHA256SUMS; did you mean "),
    ],
)
def test_what_is_no_release_is_told(folder, make, message):
    with pytest.raises(InputError) as error:
        verify(make(folder))
    assert message in str(error.value)


# What follows was changed by somebody who wrote the checksums anew.


def edit(folder, name, old, new):
    path = folder / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    write_sums(folder)


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("tsv/gap-test.tsv", "TRUE", "FALSE", "is not the file that croissant.json describes"),
        ("conll/counter-gap.conll", "slept", "wept", "is not the file that croissant.json describes"),
        ("weights/gap-test.json", "1.0", "2.0", "is not the file that croissant.json describes"),
        ("CITATION.cff", "1.2.3", "1.2.4", "is not the file that croissant.json describes"),
        (
            "README.md",
            "| `gap` | test | 4 | 4 |",
            "| `gap` | test | 5 | 4 |",
            "does not say '| `gap` | test | 4 | 4 |'",
        ),
        (
            "README.md",
            "| neither | 1 | 1 | 2 |",
            "| neither | 2 | 1 | 3 |",
            "does not say '| neither | 1 | 1 | 2 |'",
        ),
        ("README.md", "num_examples: 8", "num_examples: 9", "dataset_info in its metadata is not what the files give"),
        ("README.md", "split: test", "split: train", "configs in its metadata is not what the files give"),
        ("README.md", "---\n", "", "has no metadata; wanted YAML between two lines of ---"),
        ("README.md", "language:", "language: [", "its metadata is no YAML"),
        ("croissant.json", '"sc:Integer"', '"sc:Text"', "is called sc:Text, and gap/development"),
        ("croissant.json", '"column": "pronoun"', '"column": "noun"', "has no column noun"),
        (
            "croissant.json",
            '"@id": "gap_weights/test",',
            '"@id": "gap_weights/tests",',
            "lacks the records gap_weights",
        ),
        (
            "croissant.json",
            '"contentUrl": "errata.tsv"',
            '"contentUrl": "none.tsv"',
            "describes errata.tsv as 'none.tsv', which is missing",
        ),
        (
            "croissant.json",
            '"recordSet": [',
            '"recordSets": [',
            "lacks what a release describes itself by ('recordSet')",
        ),
        ("croissant.json", "{", "[", "not JSON"),
        (
            "provenance.json",
            '"gapforge:rows": 4,\n   "gapforge:logical',
            '"gapforge:rows": 5,\n   "gapforge:logical',
            "counts 5",
        ),
        ("provenance.json", '"entity"', '"entities"', "not the provenance of a release"),
        ("errata.tsv", "wiki-1", "wiki-77", "line 2: gap has no row 'wiki-77'; remove the line"),
    ],
)
def test_a_derived_file_must_say_what_the_tables_say(folder, name, old, new, problem):
    edit(folder, name, old, new)
    assert any(it.file == name and problem in it.problem for it in verify(folder)), verify(folder)


def reconcile(folder):
    """Write every checksum anew, Croissant's too."""
    croissant = json.loads((folder / "croissant.json").read_text("utf-8"))
    for it in croissant["distribution"]:
        it["sha256"] = hashlib.sha256((folder / it["@id"]).read_bytes()).hexdigest()
        it["contentSize"] = f"{(folder / it['@id']).stat().st_size} B"
    (folder / "croissant.json").write_text(json.dumps(croissant, indent=1, ensure_ascii=False) + "\n", "utf-8")
    write_sums(folder)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("tsv/gap-test.tsv", "TRUE", "FALSE"),
        ("conll/counter-gap.conll", "slept", "wept"),
        ("weights/gap-test.json", "1.0", "2.0"),
        ("CITATION.cff", "1.2.3", "1.2.4"),
    ],
)
def test_with_every_checksum_written_anew_the_rows_still_speak(folder, name, old, new):
    edit(folder, name, old, new)
    reconcile(folder)
    assert verify(folder) == [Finding(name, "is not what the tables and provenance.json give")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("holds 8 contexts", "holds 8,000 contexts"),
        ("| GapLabelled | 10 | 8 | 2 page limit |", "| GapLabelled | 10 | 9 | 1 page limit |"),
        ("by the author of the texts", "by ten experts"),
        ("| text of the corpus `wiki` | CC-BY-SA-4.0 |", "| text of the corpus `wiki` | CC0-1.0 |"),
        ("- cc-by-sa-4.0\n", ""),
        ("- expert-generated\n", "- crowdsourced\n"),
        ("1 is listed in `errata.tsv`", "None is listed in `errata.tsv`"),
    ],
)
def test_a_card_may_not_say_otherwise(folder, old, new):
    edit(folder, "README.md", old, new)
    assert [it.file for it in verify(folder)] == ["README.md"]


def test_silver_may_not_become_gold(tmp_path):
    silver = [dataclasses.replace(it, standard="silver") for it in releases.examples()]
    folder = releases.write_release(tmp_path / "release", releases.tables(gap=silver))
    assert verify(folder) == []
    text = (folder / "README.md").read_text("utf-8")
    start, end = text.index("> **Silver labels.**"), text.index("Version 1.2.3")
    (folder / "README.md").write_text(text[:start] + text[end:], "utf-8")
    write_sums(folder)
    assert [it.file for it in verify(folder)] == ["README.md"]


@pytest.mark.parametrize(
    "line", ["d: 2026-02-31", "x: !!int abc", "x: !!bool maybe", "d: !!timestamp foo", "x: [", "- a"]
)
def test_metadata_that_is_no_yaml_is_told(folder, line):
    edit(folder, "README.md", "---\n", f"---\n{line}\n")
    (found, *_) = verify(folder)
    assert found.file == "README.md" and found.problem.startswith("its metadata is no YAML")


def places_in(value, path=()):
    """Every place of a nested value, as the keys that lead to it."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places_in(inner, (*path, key))


def kinds_of_place(value):
    """A place of every kind, by its keys: what lies at another number of the same list is read by the same code."""
    found = {}
    for path in places_in(value):
        found.setdefault(".".join("*" if isinstance(key, int) else key for key in path), path)
    return found


def changed_at(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed_at(value[path[0]], path[1:], new)
    return copy


STRANGE = [None, 7, "x", [], {}, {"x": [7]}, [[]]]


def refused_provenance(folder, values, every=1):
    """At how many places, of every so many, a strange value is refused; elsewhere nothing crashes."""
    path = folder / "provenance.json"
    told, tables = json.loads(path.read_text("utf-8")), read_tables(folder)
    refused = 0
    for n, place in list(enumerate(kinds_of_place(told).values()))[::every]:
        path.write_text(json.dumps(changed_at(told, place, values[n % len(values)])), "utf-8")
        try:
            read = read_provenance(folder)
        except InputError as error:
            refused += 1
            assert str(error).startswith(f"{path}: not the provenance of a release (")
        else:
            render_descriptions(folder, tables, read)
            list(row_findings(tables, read))
            list(provenance_findings(tables, read))
    return refused


def test_what_is_strange_in_the_provenance_is_told_without_a_crash(folder):
    assert refused_provenance(folder, STRANGE, every=16) > 0


# In three rounds each place gets three of the strange values, and each value stands at nearly half of the places.
@pytest.mark.tamper
@pytest.mark.parametrize("round", range(3))
def test_whatever_is_in_the_provenance_is_told_without_a_crash(folder, round):
    assert refused_provenance(folder, STRANGE[round:] + STRANGE[:round]) > 30


# What the files of a release are witness of; descriptions and the like are nobody's business.
FIELDS = ("recordSet.*.field", "recordSet.*.field.*.subField")
SOURCES = ("", ".extract", ".extract.column", ".fileObject", ".fileObject.@id")
WITNESSED = {
    *("", "distribution", "distribution.*", "recordSet", "recordSet.*", "recordSet.*.@id"),
    *(f"distribution.*.{name}" for name in ("@id", "contentUrl", "sha256")),
    *(f"{field}{end}" for field in FIELDS for end in ("", ".*", ".*.dataType", *(f".*.source{it}" for it in SOURCES))),
    *("recordSet.*.field.*.subField.*.source.transform", "recordSet.*.field.*.subField.*.source.transform.jsonPath"),
}


def refused_croissant(folder, new, kinds=None):
    """The kinds of place at which a strange value is found."""
    path = folder / "croissant.json"
    told, tables = json.loads(path.read_text("utf-8")), read_tables(folder)
    refused = set()
    for kind, place in kinds_of_place(told).items():
        if kinds is None or kind in kinds:
            path.write_text(json.dumps(changed_at(told, place, new)), "utf-8")
            if list(croissant_findings(folder, tables)):
                refused.add(kind)
    return refused


def test_what_is_strange_where_the_files_are_witness_is_told(folder):
    assert refused_croissant(folder, {"x": [7]}, WITNESSED) == WITNESSED


@pytest.mark.tamper
@pytest.mark.parametrize("new", [None, "x" * 300, {"x": [7]}], ids=lambda it: str(it)[:9])
def test_whatever_is_in_croissant_is_told_without_a_crash(folder, new):
    assert refused_croissant(folder, new) == WITNESSED


@pytest.mark.parametrize(("name", "record"), [(GAP, ReleasedExample), (WEIGHED, Weight)])
def test_an_unknown_gender_is_told(folder, name, record):
    replace_rows(folder, name, record, lambda row: dataclasses.replace(row, gender="Female"))
    assert name in {it.file for it in verify(folder)}


def test_whoever_publishes_may_add_to_the_card(folder):
    edit(folder, "README.md", "## Licences", "## Thanks\n\nTo everybody.\n\n## Licences")
    assert verify(folder) == []


def replace_rows(folder, name, record, change):
    rows = [change(row) for row in read_records(folder / name, record)]
    write_records(folder / name, rows, record)
    write_sums(folder)


def test_a_changed_row_is_told_by_its_table(folder):
    replace_rows(folder, GAP, ReleasedExample, lambda row: dataclasses.replace(row, url="https://example.org/other"))
    found = verify(folder)
    assert Finding(GAP, "its rows are not those that provenance.json tells of") in found
    other = "not the label, gender, pattern and origin of the row of gap: wiki-5, wiki-6, wiki-7, wiki-8"
    assert Finding(VARIED, other) in found
    assert {it.file for it in found} == {GAP, VARIED, "README.md", "tsv/gap-test.tsv"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda table: table.drop_columns(["url"]), "has other columns: url is missing"),
        (lambda table: table.append_column("more", [["x"] * 4]), "has other columns: more was added"),
        (
            lambda table: table.set_column(3, "pronoun_offset", table["pronoun_offset"].cast("int32")),
            "has other columns: pronoun_offset int32 in the place of pronoun_offset int64 not null",
        ),
        (lambda table: table.slice(0, 0), "holds no rows"),
        (
            lambda table: table.replace_schema_metadata({"pandas": "{}"}),
            "carries metadata of pandas, which no release of gapforge has",
        ),
    ],
)
def test_another_schema_is_told(folder, change, problem):
    table = change(pq.read_table(folder / GAP))
    pq.write_table(table, folder / GAP, compression="zstd")
    write_sums(folder)
    assert verify(folder) == [Finding(GAP, problem)]


def test_another_compression_is_told(folder):
    pq.write_table(pq.read_table(folder / GAP), folder / GAP, compression="snappy")
    write_sums(folder)
    assert verify(folder) == [Finding(GAP, "is compressed by SNAPPY; wanted zstd")]


def test_a_damaged_table_is_told(folder):
    content = bytearray((folder / GAP).read_bytes())
    content[200] ^= 255
    (folder / GAP).write_bytes(content)
    write_sums(folder)
    (found,) = verify(folder)
    assert found.file == GAP and found.problem.startswith("not a readable Parquet file")


def row_of(**changes) -> ReleasedExample:
    rows = releases.tables(instances=[])["gap"]["test"]
    return dataclasses.replace(rows[0], **changes)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"pronoun_offset": 3}, "the pronoun is not at its offset"),
        ({"a_offset": -1}, "A is not at its offset"),
        ({"b": ""}, "B is not at its offset"),
        ({"b": "Ann", "b_offset": 24}, "pronoun and names overlap, or B comes before A"),
        ({"gender": "masculine"}, "the gender is not the pronoun's"),
        ({"pattern": "OTHER"}, "a value is none of its column"),
        ({"agreement": 1.5}, "a value is none of its column"),
        ({"label": "both", "b_coref": True}, "a value is none of its column"),
        ({"a_coref": False}, "the label is not what a_coref and b_coref say"),
    ],
)
def test_rules_of_a_row(changes, rule):
    assert list(soundness.broken_rules([row_of()])) == []
    assert (rule, ["wiki-5"]) in list(soundness.broken_rules([row_of(**changes)]))


def test_an_id_is_there_once():
    assert list(soundness.broken_rules([row_of(), row_of()])) == [("the id occurs twice", ["wiki-5"])]


def instances(change=None) -> list[ReleasedInstance]:
    rows = releases.tables(gap=[], weights=[])["counter_gap"]["test"]
    return [change(row) if change and row.id == "book-1-swap-1" else row for row in rows]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"variant": "control"}, "a quadruple lacks one of its four texts, or has one twice"),
        ({"label": "A"}, "the four texts of a quadruple have different labels"),
    ],
)
def test_rules_of_a_quadruple(changes, rule):
    assert list(soundness.quadruple_faults(instances())) == []
    found = list(soundness.quadruple_faults(instances(lambda row: dataclasses.replace(row, **changes))))
    assert found == [(rule, ["book-1"])]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("lost", "sold", "another word changed"),
        ("his", "her", "another word changed"),
        ("“ring”", "“rings”", "another word changed"),
    ],
)
def test_quadruples_are_minimal_pairs(old, new, fault):
    def change(row):
        assert old in row.text
        return dataclasses.replace(row, text=row.text.replace(old, new))

    (found,) = soundness.quadruple_faults(instances(change))
    assert found == (f"no minimal pairs ({fault})", ["book-1"])


def test_the_four_people_are_in_the_text():
    def change(row):
        people = [dataclasses.replace(row.people[0], mentions=[Span(0, 999)]), *row.people[1:]]
        return dataclasses.replace(row, people=people)

    found = list(soundness.broken_rules(instances(change)))
    assert found == [("the four people are not in the text", ["book-1-swap-1"])]


def released(rows: list[LabelledExample]):
    return releases.tables(gap=rows, instances=[], weights=[])["gap"]


@pytest.mark.parametrize(
    ("second", "shared"),
    [
        ({}, []),
        ({"document_id": "page-1"}, ["wiki/page-1"]),
        ({"text": releases.example(1, "test").text, "name_b": releases.example(1, "test").name_b}, ["wiki/page-1"]),
        ({"document_id": "page-1", "corpus": "other"}, []),
    ],
)
def test_no_document_or_text_is_in_two_splits(second, shared):
    splits = released([releases.example(1, "test"), releases.example(2, "development", **second)])
    assert soundness.shared_documents(splits) == shared


def test_genders_are_counted():
    rows = released(
        [releases.example(1, "test"), releases.example(2, "test"), releases.example(3, "test", "masculine")]
    )
    assert soundness.imbalance_of(rows["test"]) == "2 feminine, 1 masculine"
    assert soundness.imbalance_of(rows["test"][1:]) == ""


WEIGHTS = releases.WEIGHTS


@pytest.mark.parametrize(
    ("weights", "rule", "whom"),
    [
        (WEIGHTS[:3], "not one weight for each row of its split", ["wiki-8"]),
        (
            [Weight("wiki-5", "feminine", 2, 2, 0.5), *WEIGHTS[1:]],
            "the column of weights is not the table of",
            ["wiki-5"],
        ),
        ([Weight("wiki-5", "feminine", 2, 2, 0.5), *WEIGHTS[1:]], "the genders do not weigh the same", ["all"]),
        (
            [Weight("wiki-5", "feminine", 3, 2, 1.0), *WEIGHTS[1:]],
            "the genders do not weigh the same by number",
            ["3", "2"],
        ),
        ([Weight("wiki-5", "feminine", 2, 1, 1.0), *WEIGHTS[1:]], "do not weigh the same by distance", ["1", "2"]),
        ([Weight("wiki-5", "masculine", 2, 2, 1.0), *WEIGHTS[1:]], "the gender is not that of the row", ["wiki-5"]),
    ],
)
def test_rules_of_weights(weights, rule, whom):
    rows = releases.tables(instances=[])["gap"]["test"]
    properties = ("number", "distance", "my.module:other")
    assert list(soundness.weight_faults(rows, WEIGHTS, properties)) == []
    assert any(rule in said and ids == whom for said, ids in soundness.weight_faults(rows, weights, properties))


@pytest.mark.parametrize(
    ("tables", "findings"),
    [
        (
            lambda: releases.tables(gap=[releases.example(1, "test"), releases.example(2, "test")], weights=[]),
            [Finding("gap/", "the genders are not in balance: 2 feminine, 0 masculine")],
        ),
        (
            lambda: releases.tables(instances=releases.quadruple(1)),
            [Finding("counter_gap/", "the genders are not in balance: 1 feminine, 0 masculine")],
        ),
        (
            lambda: releases.tables(
                gap=[
                    releases.example(1, "test"),
                    releases.example(2, "development", "masculine", document_id="page-1"),
                ],
                weights=[],
            ),
            [Finding(f"{name}/", "documents in two splits: wiki/page-1") for name in ("gap", "gap_subjective")],
        ),
        (
            lambda: releases.tables(variants=[releases.variant(it) for it in releases.examples()[:-1]]),
            [Finding(VARIED, "rows of gap without a variant: wiki-8")],
        ),
        (
            lambda: releases.tables(weights=[dataclasses.replace(WEIGHTS[0], weight=2.0), *WEIGHTS[1:]]),
            [
                Finding("gap_weights/test-00000-of-00001.parquet", f"the genders do not weigh the same{by}")
                for by in (": all", " by number: 2", " by distance: 2")
            ],
        ),
    ],
)
def test_sets_as_a_whole(tmp_path, tables, findings):
    assert verify(releases.write_release(tmp_path / "release", tables())) == findings


@pytest.fixture
def foreign(folder):
    """A release that another version of gapforge has made."""
    edit(folder, "provenance.json", '"gapforge:gapforge": "0.1.0"', '"gapforge:gapforge": "9.9.9"')
    reconcile(folder)
    return folder


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("CITATION.cff", "message:", "message: Well,", ""),
        ("README.md", "## Load it", "## Loading", ""),
        (
            "README.md",
            "| `gap` | test | 4 | 4 |",
            "| `gap` | test | 5 | 4 |",
            "does not say '| `gap` | test | 4 | 4 |'",
        ),
        ("tsv/gap-test.tsv", "TRUE", "FALSE", "does not hold the rows of the tables"),
        ("tsv/gap-subjective-test.tsv", "sadly", "gladly", "does not hold the rows of the tables"),
        ("tsv/counter-gap.tsv", "Story", "Tale", "does not hold the rows of the tables"),
        ("tsv/gap-test.tsv", "\t", " ", "no column 'ID'"),
        ("conll/counter-gap.conll", "(book-1)", "(book-9)", "does not hold a document for each row"),
        ("conll/counter-gap.conll", "#end document", "#the end", "has not ended"),
    ],
)
def test_a_release_of_another_version_is_held_against_what_it_says(foreign, name, old, new, problem):
    assert verify(foreign) == []
    edit(foreign, name, old, new)
    reconcile(foreign)
    found = verify(foreign)
    assert [it.file for it in found] == ([name] if problem else [])
    assert all(problem in it.problem for it in found)


def test_the_command_says_what_it_found(folder, gapforge):
    result = gapforge("verify", folder)
    assert (result.returncode, result.stdout) == (0, f"{folder}: sound; version 1.2.3, 39 files, 32 rows\n")
    (folder / "errata.tsv").write_text("changed\n", "utf-8")
    result = gapforge("verify", folder)
    assert result.returncode == 1
    assert result.stdout == f"errata.tsv: was changed: its sha256 is not the one in SHA256SUMS\n{folder}: 1 problem\n"
    result = gapforge("verify", folder, "--json")
    assert result.returncode == 1
    assert [it["file"] for it in json.loads(result.stdout)["findings"]] == ["errata.tsv"]
    result = gapforge("verify", folder / "gap")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"gapforge: {folder / 'gap'}: holds no SHA256SUMS; name the folder of a release\n"


def test_hashes_do_not_depend_on_how_a_table_is_written(folder):
    before = logical_hash(read_records(folder / GAP, ReleasedExample))
    pq.write_table(pq.read_table(folder / GAP), folder / GAP, compression="none", row_group_size=1)
    assert logical_hash(read_records(folder / GAP, ReleasedExample)) == before
