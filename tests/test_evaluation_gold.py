"""Gold: every set in one form, and what is wrong with a file said by name."""

import dataclasses

import pytest

from gapforge.engine import part_path
from gapforge.engine.parts import write_part
from gapforge.errors import ConfigError, InputError
from gapforge.evaluation.gold import (
    Item,
    check_kind,
    distance_of,
    groups_of,
    pattern_of,
    read_items,
    read_release,
    recognise,
)
from gapforge.records import Instance, LabelledExample, LabelledInstance, Span, SubjectiveExample

HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\t"
GAP = HEADER + "URL\nt-1\tAnn met Ida. She left.\tShe\t13\tAnn\t0\tTRUE\tIda\t8\tFALSE\thttp://example.org/Ann\n"
COUNTER = HEADER + "Book\nt-1\tAnn met Ida. She left.\tShe\t13\tAnn\t0\tTRUE\tIda\t8\tFALSE\ta.epub\n"
LABELS = "ID\tPronoun\tA-coref\tB-coref\n7\the\tFALSE\tTRUE\n7-control\this\tFALSE\tFALSE\n"


def written(tmp_path, text, name="gold.tsv"):
    (tmp_path / name).write_text(text, "utf-8")
    return tmp_path / name


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (GAP, "gap"),
        ("\ufeff" + GAP, "gap"),
        (COUNTER, "counter-gap"),
        (LABELS, "counter-gap"),
        (LABELS.replace("-control", "0"), "gap"),
        ("1 [The clerk] met the nurse because [he] was late.\n", "winobias"),
        ("#begin document (a); part 000\n", "conll"),
        ("\n# begin document (a); part 000\n", "conll"),
    ],
)
def test_the_kind_is_recognised(tmp_path, text, kind):
    assert recognise(written(tmp_path, text)) == kind


def test_what_is_not_recognised(tmp_path):
    path = written(tmp_path, "She left.\n")
    with pytest.raises(InputError) as error:
        recognise(path)
    assert str(error.value) == (
        f"{path}: line 1: neither the columns of GAP or Counter-GAP, nor a WinoBias sentence, nor CoNLL's "
        "#begin document; fix the file, or name what it is with --kind"
    )
    with pytest.raises(ConfigError, match="unknown kind 'gab'; did you mean 'gap'"):
        check_kind("gab")


def test_a_gap_file(tmp_path):
    assert read_items(written(tmp_path, GAP), "gap") == [
        Item(
            "t-1",
            "She",
            "feminine",
            True,
            False,
            Instance("t-1", "Ann met Ida. She left.", Span(13, 16), Span(0, 3), Span(8, 11), "http://example.org/Ann"),
        )
    ]


def test_a_book_is_no_url(tmp_path):
    assert read_items(written(tmp_path, COUNTER), "counter-gap")[0].instance.url == ""


def test_labels_without_text(tmp_path):
    assert read_items(written(tmp_path, LABELS), "counter-gap") == [
        Item("7", "he", "masculine", False, True, None, "7", "original"),
        Item("7-control", "his", "masculine", False, False, None, "7", "control"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GAP.replace("She\t13", "She\t12"), "t-1: 'She' is not at 12, but ' Sh'; fix the offset"),
        (GAP.replace("\tTRUE", "\t"), "t-1 has no label; gold needs A-coref and B-coref"),
        (LABELS.replace("TRUE", ""), "7 has no label; gold needs A-coref and B-coref"),
        (LABELS.replace("\the", "\tthey"), "line 2: 7: the pronoun is 'they'; wanted he, him, his, she, her, hers"),
        (LABELS.replace("7-control", "7"), "ids that occur twice: 7; remove one of each"),
        (LABELS.partition("\n")[0], "no instances; there is nothing to measure"),
        (LABELS.replace("Pronoun", "Word"), "line 1: no column 'Pronoun'; wanted ID, Pronoun, A-coref, B-coref"),
    ],
)
def test_a_bad_file(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_items(path, "counter-gap")
    assert str(error.value) == f"{path}: {message}"


def instance(text, pronoun, a, b):
    spans = [Span(text.index(word), text.index(word) + len(word)) for word in (pronoun, a, b)]
    return Instance("i", text, *spans)


@pytest.mark.parametrize(
    ("text", "pattern", "distance"),
    [
        ("Ann met Ida. She left.", "FINALPRO", "0-4"),
        ("After Ann came and She left, Ida went.", "MEDIALPRO", "0-4"),
        ("When She left, Ann met Ida.", "INITIALPRO", "0-4"),
        ("Ann, one two three four five six with Ida. She left.", "FINALPRO", "5-9"),
        ("Ann " + "so " * 39 + "Ida She", "FINALPRO", "40+"),
        ("Ann " + "so " * 38 + "Ida She", "FINALPRO", "20-39"),
    ],
)
def test_where_the_pronoun_stands(text, pattern, distance):
    item = Item("i", "She", "feminine", True, False, instance(text, "She", "Ann", "Ida"))
    assert (pattern_of(item), distance_of(item)) == (pattern, distance)


def test_without_a_true_name_there_is_no_distance():
    item = Item("i", "She", "feminine", False, False, instance("Ann met Ida. She left.", "She", "Ann", "Ida"))
    assert distance_of(item) is None and pattern_of(item) == "FINALPRO"
    assert groups_of([item], "distance") == {}


def test_groups_are_in_order():
    items = [Item(str(n), word, "feminine", True, False) for n, word in enumerate(("hers", "She", "her", "she"))]
    assert groups_of(items, "pronoun") == {"she": [1, 3], "her": [2], "hers": [0]}


EXAMPLE = LabelledExample(
    id="e-1", corpus="w", document_id="d", url="http://example.org/d", start=0, text="Ann met Ida. She left.",
    pattern="FINALPRO", gender="feminine", pronoun=Span(13, 16), name_a=Span(0, 3), name_b=Span(8, 11),
    page_entity=False, reading=0, label="B", agreement=1.0, standard="gold", split="test",
)  # fmt: skip


def test_the_sets_of_a_run(tmp_path):
    shared = {
        field.name: getattr(EXAMPLE, field.name) for field in dataclasses.fields(EXAMPLE) if field.name != "split"
    }
    one = LabelledInstance(**shared, people=[], quadruple_id="q", variant="swap-1", contradictions=[])
    told = {"original_text": EXAMPLE.text, "converted": True, "edits": [], "text": "Ann met Ida. She sadly left."}
    variant = SubjectiveExample(**shared | told, split="test")
    for folder, record in (("GapLabelled", EXAMPLE), ("QuadruplesLabelled", one), ("GapSubjective", variant)):
        (tmp_path / folder).mkdir()
        write_part(part_path(tmp_path / folder, 0), type(record), [record], lambda rows: None)
    (tmp_path / ".GapLabelled.old").mkdir()
    item = Item(
        "e-1", "She", "feminine", False, True,
        Instance("e-1", EXAMPLE.text, Span(13, 16), Span(0, 3), Span(8, 11), "http://example.org/d"),
    )  # fmt: skip
    assert read_release(tmp_path) == {
        "gap": [dataclasses.replace(item, split="test")],
        "counter-gap": [dataclasses.replace(item, quadruple="q", variant="swap-1")],
        "gap-subjective": [
            dataclasses.replace(
                item, split="test", instance=dataclasses.replace(item.instance, text="Ann met Ida. She sadly left.")
            )
        ],
    }
    assert list(read_release(tmp_path / "GapLabelled", "test")) == ["gap"]
    with pytest.raises(InputError, match="GapLabelled: no instances; there is nothing to measure"):
        read_release(tmp_path / "GapLabelled", "development")
    with pytest.raises(ConfigError, match="unknown split 'tests'; did you mean 'test'"):
        read_release(tmp_path, "tests")


def test_a_folder_without_a_set(tmp_path):
    with pytest.raises(InputError) as error:
        read_release(tmp_path)
    assert str(error.value) == f"{tmp_path}: no labelled set; name a release, a run, or a stage such as GapLabelled"
