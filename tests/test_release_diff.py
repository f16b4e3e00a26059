"""Two small releases on disk, and what `gapforge diff` makes of them."""

import dataclasses
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gapforge.errors import InputError
from gapforge.records import AcceptedEdit, Person, Span, Weight, fields_of
from gapforge.release.diff import by_reason, diff, misfit, next_version, summary
from gapforge.release.layout import write_sums
from gapforge.released import ReleasedExample, ReleasedInstance, ReleasedSubjective
from gapforge.storage.tables import write_records

ERRATA = "config\tid\tcolumn\tfound\texpected\tnote\n"
RECORDS = {"gap": ReleasedExample, "counter_gap": ReleasedInstance, "gap_weights": Weight}
RECORDS |= {"gap_subjective": ReleasedSubjective}


def example(id, document="d-1", **changes):
    text = f"Ann Lee met Bea Roe of {id} when she was ill."
    made = ReleasedExample(
        id=id,
        text=text,
        pronoun="she",
        pronoun_offset=text.index("she"),
        a="Ann Lee",
        a_offset=0,
        a_coref=True,
        b="Bea Roe",
        b_offset=12,
        b_coref=False,
        url=f"https://example.org/{document}",
        gender="feminine",
        pattern="FINALPRO",
        label="A",
        agreement=1.0,
        standard="gold",
        corpus="wiki",
        document_id=document,
        document_offset=40,
        page_entity=False,
        weight=None,
    )
    return dataclasses.replace(made, **changes)


def quadruple(id, **changes):
    variants = {"original": id, "control": f"{id}-control", "swap-1": f"{id}-swap-1", "swap-2": f"{id}-swap-2"}
    shared = {field.name for field in dataclasses.fields(ReleasedInstance)}
    made = []
    for variant, row_id in variants.items():
        row = example(row_id, text=f"Ann Lee met Bea Roe, {variant}, when she was ill.")
        cells = {name: value for name, value in dataclasses.asdict(row).items() if name in shared}
        people = [Person("C1", "Ann Lee", "feminine", [Span(0, 7)])]
        instance = ReleasedInstance(**cells, quadruple_id=id, variant=variant, people=people, contradictions=[])
        made.append(dataclasses.replace(instance, **changes))
    return made


def make_release(folder, tables, version="1.2.0", errata="", files=None, name="tiny"):
    """`tables` is {config: {split: records}}; the rest of a release is beside them, and its checksums last."""
    folder.mkdir()
    for config, splits in tables.items():
        (folder / config).mkdir()
        for split, rows in splits.items():
            table = folder / config / f"{split}-00000-of-00001.parquet"
            if isinstance(rows, pa.Table):
                pq.write_table(rows, table)
            else:
                write_records(table, rows, RECORDS[config])
    texts = {"README.md": "# Tiny\n", "errata.tsv": ERRATA + errata}
    texts["provenance.json"] = json.dumps({"name": name, "version": version})
    for path, text in (texts | (files or {})).items():
        (folder / path).write_text(text, "utf-8")
    write_sums(folder)
    return folder


@pytest.fixture
def compared(tmp_path):
    """The differences between two releases that differ in no more than is said."""

    def compare(old, new, **options):
        old_folder = make_release(tmp_path / "old", old, errata=options.pop("errata", ""))
        return diff(old_folder, make_release(tmp_path / "new", new, **options))

    return compare


def rows(changes):
    return [(it.was, it.id, it.reasons) for it in changes]


def only(found, config):
    (it,) = [it for it in found.configs if it.config == config]
    return it


FOUR = [example(f"g-{n}", f"d-{n % 2}") for n in range(4)]
GAP = {"gap": {"test": FOUR}}


def test_the_same_release_twice(compared):
    found = compared(GAP | {"counter_gap": {"test": quadruple("q")}}, GAP | {"counter_gap": {"test": quadruple("q")}})
    assert (found.level, found.because, found.suggested, found.notes) == ("none", [], "1.2.0", [])
    assert found.files_added == found.files_removed == found.files_changed == []
    assert [it.config for it in found.configs] == ["counter_gap", "gap"]
    assert only(found, "gap").rows == {"old": 4, "new": 4, "added": 0, "removed": 0, "changed": 0}
    assert only(found, "gap").quadruples == {}
    assert only(found, "counter_gap").quadruples == {"old": 1, "new": 1, "added": 0, "removed": 0, "changed": 0}


CHANGES = [
    ({"text": "Another."}, ["text"], ["text"], "major"),
    ({"a": "Ann"}, ["names or pronoun"], ["a"], "major"),
    ({"pronoun_offset": 1, "b_offset": 2}, ["names or pronoun"], ["pronoun_offset", "b_offset"], "major"),
    ({"a_coref": False, "label": "neither"}, ["label"], ["a_coref", "label"], "major"),
    ({"weight": 0.5}, ["weight"], ["weight"], "major"),
    ({"gender": "masculine"}, ["gender"], ["gender"], "major"),
    ({"pattern": "MEDIALPRO"}, ["pattern"], ["pattern"], "major"),
    ({"url": "", "document_offset": 0}, ["origin"], ["url", "document_offset"], "patch"),
    ({"corpus": "books"}, ["origin"], ["corpus"], "patch"),
    ({"agreement": 0.8}, ["agreement"], ["agreement"], "patch"),
    ({"standard": "silver"}, ["standard"], ["standard"], "patch"),
    ({"page_entity": True}, ["page_entity"], ["page_entity"], "patch"),
    ({"agreement": 0.8, "text": "A.", "a": "A"}, ["text", "names or pronoun", "agreement"], None, "major"),
]


@pytest.mark.parametrize(("cells", "reasons", "columns", "level"), CHANGES)
def test_what_changed_in_a_row(compared, cells, reasons, columns, level):
    found = compared(GAP, {"gap": {"test": [*FOUR[:3], dataclasses.replace(FOUR[3], **cells)]}})
    it = only(found, "gap")
    assert rows(it.changed) == [("g-3", "g-3", reasons)]
    assert it.changed[0].columns == (columns or ["text", "a", "agreement"])
    assert (it.added, it.removed, found.level) == ([], [], level)
    assert found.files_changed == ["gap/test-00000-of-00001.parquet"]
    suggested = {"major": "2.0.0", "patch": "1.2.1"}[level]
    assert found.suggested == suggested
    assert found.notes == [f"{found.new.folder} says version 1.2.0; wanted at least {suggested}"]


def test_the_order_of_rows_is_no_change(compared):
    found = compared(GAP, {"gap": {"test": FOUR[::-1]}})
    assert (only(found, "gap").changed, found.level) == ([], "patch")
    assert found.because == ["1 file added, removed or changed"]


def test_what_is_no_number_is_like_itself(compared):
    weights = [Weight("g-1", "feminine", 2, 1, float("nan")), Weight("g-2", "feminine", 2, None, 1.0)]
    found = compared({"gap_weights": {"test": weights}}, {"gap_weights": {"test": weights[::-1]}})
    assert only(found, "gap_weights").changed == []


def test_a_row_in_another_split(compared):
    old = {"gap": {"test": FOUR[:3], "development": FOUR[3:]}}
    found = compared(old, {"gap": {"test": FOUR[:2], "development": FOUR[2:]}})
    (it,) = only(found, "gap").changed
    assert (it.id, it.split, it.reasons, it.columns) == ("g-2", "development", ["split"], ["split"])
    assert (found.level, found.because[0]) == ("major", "gap: split of 1 row changed")


def test_why_rows_come_and_go(compared):
    errata = "gap\tg-1\tlabel\tA\tB\twrong\ngap\tg-3\tlabel\tA\tB\twrong\ncounter_gap\tg-2\ttext\t\t\t\n"
    fixed = dataclasses.replace(FOUR[3], label="B", a_coref=False, b_coref=True)
    later = [example("g-5", "d-1"), example("g-6", "d-9")]
    # d-0 has g-0 and g-2, d-1 g-1 and g-3, d-7 g-7
    old = {"gap": {"test": [*FOUR, example("g-7", "d-7")]}}
    found = compared(old, {"gap": {"test": [FOUR[0], fixed, *later]}}, errata=errata, version="2.0.0")
    it = only(found, "gap")
    assert rows(it.removed) == [
        ("g-1", "g-1", ["erratum"]),
        ("g-2", "g-2", ["selection"]),
        ("g-7", "g-7", ["document gone"]),
    ]
    assert rows(it.added) == [("", "g-5", ["selection"]), ("", "g-6", ["new document"])]
    assert rows(it.changed) == [("g-3", "g-3", ["label", "erratum"])]
    assert it.rows == {"old": 5, "new": 4, "added": 2, "removed": 3, "changed": 1}
    assert by_reason(it.removed) == {"erratum": 1, "selection": 1, "document gone": 1}
    assert (found.level, found.suggested, found.notes) == ("major", "2.0.0", [])
    assert found.because[:3] == ["gap: 3 rows removed", "gap: label of 1 row changed", "gap: 2 rows added"]


def test_a_document_of_another_corpus_is_another(compared):
    found = compared(GAP, {"gap": {"test": [*FOUR, example("g-9", "d-1", corpus="books")]}})
    assert rows(only(found, "gap").added) == [("", "g-9", ["new document"])]


def test_a_document_that_another_config_has_is_not_gone(compared):
    old = {"gap": {"test": [*FOUR, example("g-9", "d-9")]}}
    left = [dataclasses.replace(it, document_id="d-9") for it in quadruple("q")]
    found = compared(old, GAP | {"counter_gap": {"test": left}})
    assert rows(only(found, "gap").removed) == [("g-9", "g-9", ["selection"])]
    assert [reasons for *_, reasons in rows(only(found, "counter_gap").added)] == [["new config"]] * 4


def weights(*ids):
    return [Weight(id, "feminine", 2, 1, 1.0) for id in ids]


def test_renamed_rows_and_their_weights(compared):
    new_names = [dataclasses.replace(it, id=it.id.replace("g-", "h-")) for it in FOUR[:2]]
    new_names[1] = dataclasses.replace(new_names[1], agreement=0.5)
    old = GAP | {"gap_weights": {"test": weights("g-0", "g-1", "g-2")}}
    new = {"gap": {"test": [*new_names, FOUR[2]]}, "gap_weights": {"test": weights("h-0", "h-1")}}
    found = compared(old, new)
    it = only(found, "gap")
    assert rows(it.changed) == [("g-0", "h-0", ["id"]), ("g-1", "h-1", ["id", "agreement"])]
    assert rows(it.removed) == [("g-3", "g-3", ["selection"])]
    assert it.added == []
    it = only(found, "gap_weights")
    assert rows(it.changed) == [("g-0", "h-0", ["id"]), ("g-1", "h-1", ["id"])]
    assert rows(it.removed) == [("g-2", "g-2", ["selection"])]
    assert "gap: 2 rows renamed" in found.because
    assert found.level == "major"


def test_weights_go_with_their_rows(compared):
    old = {"gap": {"test": [*FOUR, example("g-7", "d-7")]}, "gap_weights": {"test": weights("g-1", "g-3", "g-7")}}
    new = {"gap": {"test": [*FOUR[:3], example("g-8", "d-8")]}, "gap_weights": {"test": weights("g-1", "g-8")}}
    found = compared(old, new, errata="gap\tg-3\tlabel\tA\tB\twrong\n")
    it = only(found, "gap_weights")
    assert rows(it.removed) == [("g-3", "g-3", ["erratum"]), ("g-7", "g-7", ["document gone"])]
    assert rows(it.added) == [("", "g-8", ["new document"])]


def variant(row, new="very ", **changes):
    """The subjective variant of a row, with a word before "ill"."""
    place = row.text.index("ill")
    edits = [AcceptedEdit(place, place, new, new.strip(), "adverb", 0, 0.2, 0.7, 0.1, 0.9, None)]
    shared = {name: value for name, value in fields_of(row).items() if name != "weight"}
    told = {"text": row.text.replace("ill", f"{new}ill"), "original_text": row.text, "converted": True, "edits": edits}
    return ReleasedSubjective(**shared | told | changes)


VARIANTS = {"gap_subjective": {"test": [variant(it) for it in FOUR]}}


def test_variants_go_with_their_rows(compared):
    """Under another name a row may be edited in another way: it is known by the row that it is the variant of."""
    renamed = dataclasses.replace(FOUR[0], id="h-0")
    new = {"gap": {"test": [renamed, *FOUR[2:], example("g-8", "d-8")]}}
    new["gap_subjective"] = {"test": [variant(it, "so ") for it in new["gap"]["test"]]}
    found = compared(GAP | VARIANTS, new, errata="gap\tg-1\tlabel\tA\tB\twrong\n")
    it = only(found, "gap_subjective")
    assert rows(it.changed) == [
        ("g-2", "g-2", ["text", "edits"]),
        ("g-3", "g-3", ["text", "edits"]),
        ("g-0", "h-0", ["id", "text", "edits"]),
    ]
    assert rows(it.removed) == [("g-1", "g-1", ["erratum"])]
    assert rows(it.added) == [("", "g-8", ["new document"])]


def test_a_variant_comes_as_a_config_of_its_own(compared):
    found = compared(GAP, GAP | VARIANTS)
    assert by_reason(only(found, "gap_subjective").added) == {"new config": 4}
    assert found.because[0] == "gap_subjective: config added"
    assert found.level == "minor"


def test_what_an_edit_scores_is_measured_by_nobody(compared):
    scored = [dataclasses.replace(it, edits=[dataclasses.replace(it.edits[0], gleu=0.95)]) for it in [variant(FOUR[0])]]
    found = compared(
        {"gap_subjective": {"test": [variant(FOUR[0])]}},
        {"gap_subjective": {"test": scored}},
    )
    assert rows(only(found, "gap_subjective").changed) == [("g-0", "g-0", ["edits"])]
    assert found.level == "patch"


def test_a_weight_of_another_size(compared):
    first, second = weights("g-1", "g-2")
    changed = [dataclasses.replace(first, weight=2.0, rank=None), dataclasses.replace(second, weight=2.0)]
    old, new = {"gap_weights": {"test": [first, second]}}, {"gap_weights": {"test": changed}}
    found = compared(old, new, errata="gap\tg-2\tlabel\tA\tB\twrong\n")
    assert rows(only(found, "gap_weights").changed) == [
        ("g-1", "g-1", ["weight"]),
        ("g-2", "g-2", ["weight", "erratum"]),
    ]
    assert found.level == "major"


def test_rows_that_are_the_same_are_paired_in_order(compared):
    same = dict.fromkeys(("text",), "Ann Lee met Bea Roe when she was ill.")
    old = [example(id, pronoun_offset=25, **same) for id in ("b", "a", "c")]
    new = [example(id, pronoun_offset=25, **same) for id in ("z", "y")]
    it = only(compared({"gap": {"test": old}}, {"gap": {"test": new}}), "gap")
    assert rows(it.changed) == [("a", "y", ["id"]), ("b", "z", ["id"])]
    assert rows(it.removed) == [("c", "c", ["selection"])]


def test_the_same_text_with_another_pronoun_is_another_row(compared):
    it = only(compared(GAP, {"gap": {"test": [*FOUR[:3], dataclasses.replace(FOUR[3], id="h", a_offset=1)]}}), "gap")
    assert (len(it.removed), len(it.added), it.changed) == (1, 1, [])


def test_quadruples_are_counted_and_renamed_whole(compared):
    old = {"counter_gap": {"test": [*quadruple("q-1"), *quadruple("q-2", document_id="d-2", pronoun="her")]}}
    new = {"counter_gap": {"test": quadruple("r-1")}}
    found = compared(old, new)
    it = only(found, "counter_gap")
    assert rows(it.changed) == [(f"q-1{end}", f"r-1{end}", ["id"]) for end in ("", "-control", "-swap-1", "-swap-2")]
    assert {reason for *_, reasons in rows(it.removed) for reason in reasons} == {"document gone"}
    assert it.rows == {"old": 8, "new": 4, "added": 0, "removed": 4, "changed": 4}
    assert it.quadruples == {"old": 2, "new": 1, "added": 0, "removed": 1, "changed": 1}


@pytest.mark.parametrize("named", ["q-swap-1", "q"])
def test_an_error_in_one_of_four_is_one_of_the_quadruple(compared, named):
    old = {"counter_gap": {"test": [*quadruple("q"), *quadruple("p", pronoun="her")]}}
    found = compared(old, {"counter_gap": {"test": []}}, errata=f"counter_gap\t{named}\ttext\t\t\t\n")
    reasons = {it.id: it.reasons for it in only(found, "counter_gap").removed}
    assert reasons["q"] == reasons["q-control"] == reasons["q-swap-1"] == reasons["q-swap-2"] == ["erratum"]
    assert reasons["p"] == ["document gone"]


def test_people_and_quadruples_of_a_row(compared):
    first, *others = quadruple("q")
    people = [dataclasses.replace(first.people[0], mentions=[Span(0, 3)])]
    moved = dataclasses.replace(others[0], quadruple_id="p", contradictions=["widow"])
    new = [dataclasses.replace(first, people=people), moved, *others[1:]]
    it = only(compared({"counter_gap": {"test": [first, *others]}}, {"counter_gap": {"test": new}}), "counter_gap")
    assert rows(it.changed) == [
        ("q", "q", ["names or pronoun"]),
        ("q-control", "q-control", ["quadruple_id", "contradictions"]),
    ]


def test_configs_and_splits_that_come_and_go(compared):
    old = {"gap": {"test": FOUR[:2], "validation": FOUR[2:]}, "counter_gap": {"test": quadruple("q")}}
    new = {"gap": {"test": FOUR[:2], "development": [example("g-9")]}, "gap_weights": {"test": weights("g-0")}}
    found = compared(old, new)
    assert [(it.config, it.found_in) for it in found.configs] == [
        ("counter_gap", "old"),
        ("gap", "both"),
        ("gap_weights", "new"),
    ]
    assert (only(found, "gap").splits_added, only(found, "gap").splits_removed) == (["development"], ["validation"])
    assert only(found, "counter_gap").removed[0].reasons == ["config gone"]
    assert only(found, "gap_weights").added[0].reasons == ["new config"]
    assert found.because == [
        "counter_gap: config removed",
        "gap: split validation removed",
        "gap: 2 rows removed",
        "gap: 1 row added",
        "gap: split development added",
        "gap_weights: config added",
        "4 files added, removed or changed",
    ]


LATER = pa.table({"id": ["w-1", "w-2"], "condition": ["pro", "anti"], "words": pa.array([3, 4], pa.int32())})
COLUMNS = [
    (LATER, LATER.append_column("note", [["", ""]]), (["note"], [], {}), "minor", "winobias: column note added"),
    (LATER, LATER.drop_columns("words"), ([], ["words"], {}), "major", "winobias: column words removed"),
    (
        LATER,
        LATER.set_column(2, "words", [pa.array([3, 4], pa.int64())]),
        ([], [], {"words": ["int32", "int64"]}),
        "major",
        "winobias: column words of type int64, was int32",
    ),
]


@pytest.mark.parametrize(("old", "new", "columns", "level", "because"), COLUMNS)
def test_columns_of_a_config_that_comes_later(compared, old, new, columns, level, because):
    found = compared({"winobias": {"test": old}}, {"winobias": {"test": new}})
    it = only(found, "winobias")
    assert (it.columns_added, it.columns_removed, it.columns_retyped) == columns
    assert (it.added, it.removed, it.changed) == ([], [], [])
    assert (found.level, found.because[0]) == (level, because)


def test_a_column_that_nobody_knows_counts_as_measured(compared):
    new = LATER.set_column(1, "condition", [["anti", "anti"]])
    found = compared({"winobias": {"test": LATER}}, {"winobias": {"test": new}})
    assert rows(only(found, "winobias").changed) == [("w-1", "w-1", ["condition"])]
    assert (found.level, found.because[0]) == ("major", "winobias: condition of 1 row changed")


def test_files_that_are_no_data(compared, tmp_path):
    found = compared(GAP, GAP, files={"README.md": "# Tiny, fixed\n", "CITATION.cff": "a: b\n"}, version="1.2.1")
    assert (found.files_added, found.files_removed) == (["CITATION.cff"], [])
    assert found.files_changed == ["README.md", "provenance.json"]
    assert (found.level, found.suggested, found.notes) == ("patch", "1.2.1", [])


def test_what_the_checksums_do_not_list_is_no_part_of_it(tmp_path):
    folders = [make_release(tmp_path / name, GAP) for name in ("old", "new")]
    (folders[1] / "_manifest.json").write_text("{}")
    (folders[1] / "gap" / "other-00000-of-00001.parquet").write_text("no table")
    assert diff(*folders).level == "none"


def test_releases_of_two_names(compared):
    found = compared(GAP, GAP, name="other", version="2024.1")
    assert found.notes == [
        f"{found.old.folder} is a release of 'tiny', {found.new.folder} one of 'other'",
        f"{found.new.folder} says version '2024.1', which is no three numbers such as 1.2.0",
    ]


def test_an_old_version_that_is_no_three_numbers(tmp_path):
    folders = [make_release(tmp_path / name, GAP, name) for name in ("old", "new")]
    found = diff(*folders)
    assert (found.level, found.suggested) == ("patch", "")
    assert found.notes[0] == (
        f"{folders[0]} says version 'old', which is no three numbers such as 1.2.0; no number can be suggested"
    )


VERSIONS = [
    ("1.2.3", "none", "1.2.3"),
    ("1.2.3", "patch", "1.2.4"),
    ("1.2.9", "minor", "1.3.0"),
    ("1.9.9", "major", "2.0.0"),
    ("0.1.0", "major", "1.0.0"),
    ("1.2", "major", ""),
    ("v1.2.3", "minor", ""),
    ("1.2.3-rc1", "patch", ""),
    ("9" * 5000 + ".0.0", "patch", ""),
    ("١.٢.٣", "patch", ""),
]


@pytest.mark.parametrize(("version", "level", "expected"), VERSIONS)
def test_next_version(version, level, expected):
    assert next_version(version, level) == expected


MISFITS = [
    ("1.3.0", "1.3.0", ""),
    ("2.0.0", "1.3.0", ""),
    ("1.10.0", "1.9.0", ""),
    ("1.2.1", "1.3.0", "says version 1.2.1; wanted at least 1.3.0"),
    ("1.9.0", "1.10.0", "says version 1.9.0; wanted at least 1.10.0"),
    ("1.2.0", "", ""),
    ("one", "", "says version 'one', which is no three numbers such as 1.2.0"),
]


@pytest.mark.parametrize(("version", "suggested", "expected"), MISFITS)
def test_misfit(version, suggested, expected):
    assert misfit(version, suggested) == expected


ids = st.dictionaries(st.integers(0, 12), st.tuples(st.integers(0, 5), st.booleans()), max_size=8)


@given(old=ids, new=ids)
@settings(max_examples=40, deadline=None)
def test_the_differences_lead_from_one_to_the_other(tmp_path_factory, old, new):
    folder = tmp_path_factory.mktemp("pair")

    def release(name, made):
        rows = [
            example(f"g-{id}", f"d-{text}", text=f"Text {text}.", pronoun_offset=0) for id, (text, _) in made.items()
        ]
        tests = [row for row, (_, in_test) in zip(rows, made.values(), strict=True) if in_test]
        rest = [row for row in rows if row not in tests]
        return make_release(folder / name, {"gap": {"test": tests, "development": rest}})

    it = only(diff(release("old", old), release("new", new)), "gap")
    before, after = {f"g-{id}" for id in old}, {f"g-{id}" for id in new}
    left = before - {row.id for row in it.removed} - {row.was for row in it.changed}
    assert left | {row.id for row in it.added} | {row.id for row in it.changed} == after
    assert all(old[int(id[2:])] == new[int(id[2:])] for id in left)
    assert len(it.removed) + len(it.changed) + len(left) == len(before)
    renamed = [(int(row.was[2:]), int(row.id[2:])) for row in it.changed if row.was != row.id]
    assert all(old[was][0] == new[id][0] for was, id in renamed)
    texts = {old[int(row.id[2:])][0] for row in it.removed} & {new[int(row.id[2:])][0] for row in it.added}
    assert not texts  # what could be paired was


def broken(folder, path, content):
    (folder / path).write_bytes(content)
    write_sums(folder)


AGAIN = "get the release again, or build it again"
SUMS_WANTED = "wanted a SHA-256, two spaces and the path of a file below the folder, each once"
TABLE = "gap/test-00000-of-00001.parquet"
LINE = f"{'0' * 64}  "
FAULTS = [
    (lambda it: it.rename(it.parent / "gone"), "{}: no such folder; name a release, such as output/sample/release"),
    (lambda it: (it / "SHA256SUMS").unlink(), "{}: holds no SHA256SUMS; name the folder of a release"),
    (lambda it: (it / "README.md").unlink(), "{}/README.md: no such file; " + AGAIN),
    (
        lambda it: (it / "README.md").write_text("# Edited\n"),
        "{}/README.md: not the file that SHA256SUMS lists; " + AGAIN,
    ),
    (lambda it: (it / TABLE).unlink(), f"{{}}/{TABLE}: no such file; {AGAIN}"),
    (
        lambda it: (it / "SHA256SUMS").write_text("no sums\n"),
        f"{{}}/SHA256SUMS: line 1: {SUMS_WANTED}, found 'no sums'; {AGAIN}",
    ),
    (
        lambda it: (it / "SHA256SUMS").write_text(f"{LINE}../old/README.md\n"),
        f"{{}}/SHA256SUMS: line 1: {SUMS_WANTED}, found '{LINE}../old/README.md'; {AGAIN}",
    ),
    (
        lambda it: (it / "SHA256SUMS").write_text(f"{LINE}/etc/passwd\n"),
        f"{{}}/SHA256SUMS: line 1: {SUMS_WANTED}, found '{LINE}/etc/passwd'; {AGAIN}",
    ),
    (
        lambda it: (it / "SHA256SUMS").write_text(f"{LINE}README.md\n{LINE}README.md\n"),
        f"{{}}/SHA256SUMS: line 2: {SUMS_WANTED}, found '{LINE}README.md'; {AGAIN}",
    ),
    (lambda it: broken(it, "provenance.json", b"[]"), "{}/provenance.json: wanted a JSON object; " + AGAIN),
    (
        lambda it: broken(it, "provenance.json", b'{"version": 1}'),
        '{}/provenance.json: no "version"; wanted one such as "1.2.0"; build the release again',
    ),
    (
        lambda it: broken(it, "provenance.json", b"{"),
        "{}/provenance.json: not JSON (Expecting property name enclosed in double quotes: line 1 column 2 (char 1)); "
        + AGAIN,
    ),
]


@pytest.mark.parametrize("which", ["old", "new"])
@pytest.mark.parametrize(("harm", "message"), FAULTS)
def test_damaged_releases(tmp_path, which, harm, message):
    folders = {name: make_release(tmp_path / name, GAP) for name in ("old", "new")}
    harm(folders[which])
    with pytest.raises(InputError) as caught:
        diff(folders["old"], folders["new"])
    assert str(caught.value) == message.format(folders[which])


def test_a_damaged_table(tmp_path):
    old, new = make_release(tmp_path / "old", GAP), make_release(tmp_path / "new", GAP)
    broken(new, TABLE, b"PAR1 and no more")
    with pytest.raises(InputError) as caught:
        diff(old, new)
    assert str(caught.value).startswith(f"{new}/{TABLE}: not a readable Parquet file (")
    assert str(caught.value).endswith("); build it again")


def test_two_rows_of_one_id(tmp_path):
    old = make_release(tmp_path / "old", GAP)
    new = make_release(tmp_path / "new", {"gap": {"development": FOUR[3:], "test": FOUR}})
    (new / TABLE).rename(new / "gap" / "test-00001-of-00002.parquet")  # else it is the file of the old one
    write_sums(new)
    with pytest.raises(InputError) as caught:
        diff(old, new)
    assert str(caught.value) == (
        f"{new}/gap/test-00001-of-00002.parquet: the id 'g-3' names two rows of gap, in development and test; "
        "build the release again"
    )


def test_rows_without_an_id(tmp_path):
    old = make_release(tmp_path / "old", {"winobias": {"test": LATER}})
    new = make_release(tmp_path / "new", {"winobias": {"test": LATER.drop_columns("id")}})
    with pytest.raises(InputError) as caught:
        diff(old, new)
    path = new / "winobias" / "test-00000-of-00001.parquet"
    assert str(caught.value) == f"{path}: no column id or instance_id, found condition, words; rename one"


def test_everything_by_id_for_scripts(compared):
    found = compared(GAP, {"gap": {"test": [*FOUR[:2], example("g-9", "d-9"), dataclasses.replace(FOUR[3], id="h")]}})
    told = json.loads(json.dumps(summary(found)))
    assert told["level"] == "major" and told["suggested"] == "2.0.0"
    (config,) = told["configs"]
    assert config["removed"] == [
        {"id": "g-2", "was": "g-2", "split": "test", "reasons": ["selection"], "columns": []},
    ]
    assert [it["id"] for it in config["added"]] == ["g-9"]
    assert config["reasons"] == {"added": {"new document": 1}, "removed": {"selection": 1}, "changed": {"id": 1}}


def test_the_command(gapforge, tmp_path):
    old = make_release(tmp_path / "old", GAP | {"counter_gap": {"test": quadruple("q")}})
    later = [dataclasses.replace(FOUR[0], label="B"), dataclasses.replace(FOUR[1], id="h-[1]"), *FOUR[2:3]]
    new = make_release(tmp_path / "new", {"gap": {"test": later}, "counter_gap": {"test": []}}, version="1.3.0")
    result = gapforge("diff", old, new)
    assert (result.returncode, result.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "counter_gap 4 0 0 4 of 1 quadruple: 4 selection 0" in lines
    assert "gap 4 3 0 1: 1 selection 2: 1 label, 1 id" in lines
    assert lines[-11:] == [
        "counter_gap, removed: q, q-control, q-swap-1, q-swap-2",
        "gap, removed: g-3",
        "gap, changed: g-0, g-1 -> h-[1]",
        f"files changed: counter_gap/test-00000-of-00001.parquet, {TABLE}, provenance.json",
        "- counter_gap: 4 rows removed",
        "- gap: 1 row removed",
        "- gap: label of 1 row changed",
        "- gap: 1 row renamed",
        "- 3 files added, removed or changed",
        "suggested version: major: 1.2.0 -> 2.0.0",
        f"note: {new} says version 1.3.0; wanted at least 2.0.0",
    ]
    told = json.loads(gapforge("diff", old, new, "--json").stdout)
    assert [it["id"] for it in told["configs"][1]["changed"]] == ["g-0", "h-[1]"]
    same = gapforge("diff", old, old)
    assert (same.returncode, same.stdout.splitlines()[-1]) == (0, "no difference")


def test_exit_codes_of_the_command(gapforge_process, tmp_path):
    old = make_release(tmp_path / "old", GAP)
    result = gapforge_process("diff", old, tmp_path)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"gapforge: {tmp_path}: holds no SHA256SUMS; name the folder of a release\n"
    assert gapforge_process("diff", old).returncode == 2
