"""Files of names and weights: what is read and written, and what is said of files that cannot be used."""

import json

import pytest

from gapforge.errors import ConfigError, InputError
from gapforge.evaluation.files import names_as_json, read_names, read_weights, write_weights
from gapforge.evaluation.gold import Item, read_items
from gapforge.records import Instance, Span

TEXT = "Zoë met Ann, and 🙂 she left."


def make_item(id, true="a", text=TEXT):
    instance = Instance(id, text, Span(19, 22), Span(0, 3), Span(8, 11)) if text else None
    return Item(id, "she", "feminine", true == "a", true == "b", instance)


ITEMS = [make_item("r-1"), make_item("r-2", "b"), make_item("r-3", "")]


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def test_names_are_read_in_the_order_of_the_file(tmp_path):
    """Offsets count characters, whatever their bytes; the text of a span may be left out, and other rows be there."""
    content = {"x": None, "r-3": [], "r-2": [[8, 11], [0, 3]], "r-1": [[0, 3, "Zoë"], [17, 18, "🙂"]]}
    names = read_names(write(tmp_path / "names.json", content), ITEMS)
    assert names == {"r-1": [Span(0, 3), Span(17, 18)], "r-2": [Span(8, 11), Span(0, 3)], "r-3": []}
    assert list(names) == ["r-1", "r-2", "r-3"]


def test_without_a_text_offsets_are_taken_as_they_are(tmp_path):
    path = write(tmp_path / "names.json", {"r-1": [[100, 103, "Ann"]]})
    assert read_names(path, [make_item("r-1", text="")]) == {"r-1": [Span(100, 103)]}


def test_names_go_out_as_they_come_in(tmp_path):
    names = {"r-1": [Span(0, 3), Span(8, 11)], "r-2": [], "other": [Span(0, 1)]}
    found = names_as_json(names, ITEMS)
    assert found == {"r-1": [[0, 3, "Zoë"], [8, 11, "Ann"]], "r-2": []}
    assert read_names(write(tmp_path / "names.json", found), ITEMS[:2]) == {"r-1": names["r-1"], "r-2": []}


WANTED = "wanted one object of id and spans"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", f"not JSON: Expecting value: line 1 column 1 (char 0); {WANTED}"),
        ('{"r-1": [[0, 3]', f"not JSON: Expecting ',' delimiter: line 1 column 16 (char 15); {WANTED}"),
        ("[[0, 3]]", f"found [[0, 3]]; {WANTED}"),
        ("{}", f"holds nothing; {WANTED}"),
        ('{"r-1": [], "r-2": [], "r-1": [], "r-2": []}', "keys that occur twice: r-1, r-2; remove one of each"),
        (
            {"r-9": []},
            "no names for 1 of 1 rows: r-1; add them, with an empty list where a text has no name",
        ),
        ({"r-1": None}, "r-1: found null; wanted a list of [start, end, text]"),
        ({"r-1": [3]}, "r-1: found 3; wanted [start, end, text]"),
        ({"r-1": [[0]]}, "r-1: found [0]; wanted [start, end, text]"),
        ({"r-1": [[0, 3, "Zoë", 1]]}, 'r-1: found [0, 3, "Zoë", 1]; wanted [start, end, text]'),
        ({"r-1": [["0", 3, "Zoë"]]}, 'r-1: found ["0", 3, "Zoë"]; wanted [start, end, text]'),
        ({"r-1": [[False, 3]]}, "r-1: found [false, 3]; wanted [start, end, text]"),
        ({"r-1": [[0.0, 3]]}, "r-1: found [0.0, 3]; wanted [start, end, text]"),
        ({"r-1": [[0, 3, None]]}, "r-1: found [0, 3, null]; wanted [start, end, text]"),
        ({"r-1": [[-3, 3]]}, "r-1: [-3, 3] is no stretch of a text; wanted 0 <= start < end"),
        ({"r-1": [[3, 3]]}, "r-1: [3, 3] is no stretch of a text; wanted 0 <= start < end"),
        ({"r-1": [[26, 29]]}, "r-1: [26, 29] ends behind the text, which has 28 characters"),
        (
            {"r-1": [[9, 12, "Ann"]]},
            "r-1: 'Ann' is not at 9, but 'nn,'; fix the offsets, which count characters, "
            "or take the names of this gold",
        ),
        ({"r-1": [[0, 3], [8, 11], [0, 3]]}, "r-1: [0, 3] is there twice; remove one"),
        ({"r-1": "x" * 200}, f'r-1: found "{"x" * 78}…; wanted a list of [start, end, text]'),
    ],
)
def test_names_that_cannot_be_used(tmp_path, content, message):
    path = write(tmp_path / "names.json", content)
    with pytest.raises(InputError) as error:
        read_names(path, ITEMS[:1])
    assert str(error.value) == f"{path}: {message}"


def test_brackets_without_end(tmp_path):
    path = write(tmp_path / "names.json", "[" * 100_000)
    with pytest.raises(InputError) as error:
        read_names(path, ITEMS[:1])
    assert str(error.value).startswith(f"{path}: not JSON: maximum recursion depth exceeded")
    assert str(error.value).endswith(f"; {WANTED}")


def test_missing_rows_are_listed_up_to_twenty(tmp_path):
    items = [make_item(f"r-{n}") for n in range(1, 31)]
    path = write(tmp_path / "names.json", {"r-1": []})
    with pytest.raises(InputError) as error:
        read_names(path, items)
    listing = ", ".join(f"r-{n}" for n in range(2, 22))
    assert str(error.value).startswith(f"{path}: no names for 29 of 30 rows: {listing} and 9 more; add them")


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="no such file; fix the path"):
        read_names(tmp_path / "none.json", ITEMS)


def test_weights_stand_on_the_true_name(tmp_path):
    path = tmp_path / "w.json"
    write_weights(path, ITEMS, {"r-1": 0.857726861234, "r-2": 1.0, "r-3": 0.0})
    assert path.read_text("utf-8") == (
        '{\n "r-1a": 0.85772686,\n "r-1b": 0.0,\n "r-2a": 0.0,\n "r-2b": 1.0,\n "r-3a": 0.0,\n "r-3b": 0.0\n}\n'
    )
    assert read_weights(path, ITEMS) == {"r-1": 0.85772686, "r-2": 1.0, "r-3": 0.0}


def test_where_both_names_are_true_the_weight_stands_on_a(tmp_path):
    both = Item("r-1", "she", "feminine", True, True)
    write_weights(tmp_path / "w.json", [both], {"r-1": 2.0})
    assert json.loads((tmp_path / "w.json").read_text("utf-8")) == {"r-1a": 2.0, "r-1b": 0.0}
    assert read_weights(tmp_path / "w.json", [both]) == {"r-1": 2.0}


def test_no_weight_is_below_zero_and_none_is_minus_zero(tmp_path):
    write_weights(tmp_path / "w.json", ITEMS[:1], {"r-1": -1e-17})
    assert '"r-1a": 0.0,' in (tmp_path / "w.json").read_text("utf-8")


def test_weights_of_other_rows_are_left_out(tmp_path):
    path = write(tmp_path / "w.json", {"x": "y", "r-1a": 1, "r-1b": 0, "other-1a": 2.0})
    assert read_weights(path, ITEMS[:1]) == {"r-1": 1.0}


RIGHT = {"r-1a": 1.0, "r-1b": 0.0, "r-2a": 0.0, "r-2b": 1.0, "r-3a": 0.0, "r-3b": 0.0}
ODD = "wanted a number, 0 or more"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"r-1a": -1}, f"r-1a: the weight is -1; {ODD}"),
        ({"r-1a": "1"}, f'r-1a: the weight is "1"; {ODD}'),
        ({"r-1a": True}, f"r-1a: the weight is true; {ODD}"),
        ({"r-1a": None}, f"r-1a: the weight is null; {ODD}"),
        ({"r-1a": float("nan")}, f"r-1a: the weight is NaN; {ODD}"),
        ({"r-1a": float("inf")}, f"r-1a: the weight is Infinity; {ODD}"),
        ({"r-1a": 10**400}, f"r-1a: the weight is 1{'0' * 78}…; {ODD}"),
        ({"r-1b": 0.5}, "r-1b weighs 0.5, and the true name is A; take the weights of this gold"),
        ({"r-2a": 0.5}, "r-2a weighs 0.5, and the true name is B; take the weights of this gold"),
        ({"r-3b": 0.5}, "r-3b weighs 0.5, and the true name is neither; take the weights of this gold"),
        ({"r-1a": 0.0, "r-2b": 0.0}, "every weight is 0; take the weights of this gold"),
    ],
)
def test_weights_that_cannot_be_used(tmp_path, change, message):
    path = write(tmp_path / "w.json", RIGHT | change)
    with pytest.raises(InputError) as error:
        read_weights(path, ITEMS)
    assert str(error.value) == f"{path}: {message}"


def test_missing_weights_are_listed(tmp_path):
    path = write(tmp_path / "w.json", {"r-1a": 1.0, "r-1b": 0.0, "r-2b": 1.0})
    with pytest.raises(InputError) as error:
        read_weights(path, ITEMS)
    assert str(error.value) == f"{path}: no weights for 2 of 3 rows: r-2, r-3; a row has two, such as r-2a and r-2b"


def test_weights_that_are_no_json(tmp_path):
    path = write(tmp_path / "w.json", "r-1a\t1.0\n")
    with pytest.raises(InputError) as error:
        read_weights(path, ITEMS)
    assert str(error.value) == (
        f"{path}: not JSON: Expecting value: line 1 column 1 (char 0); wanted one object of letter and weight"
    )


def test_a_target_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="its folder does not exist; make it first"):
        write_weights(tmp_path / "no" / "w.json", ITEMS, {})


def test_files_go_out_as_they_came_in(reference, tmp_path):
    items = read_items(reference.path("gap/gap-test.tsv"), "gap")
    weights = reference.path("weighting-gap/linear_weights.json")
    write_weights(tmp_path / "w.json", items, read_weights(weights, items))
    ours, theirs = (json.loads(path.read_text("utf-8")) for path in (tmp_path / "w.json", weights))
    assert list(ours) == list(theirs)
    assert ours == {key: round(weight, 8) for key, weight in theirs.items()}
    names = reference.path("weighting-gap/gap-test-name-spans.json")
    assert names_as_json(read_names(names, items), items) == json.loads(names.read_text("utf-8"))
