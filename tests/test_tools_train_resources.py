"""That the embedded coefficients are what the command makes of the published pairs, and how good they are."""

import json

import pytest

import train_resources
from gapforge.errors import InputError
from gapforge.records import GrammarCount
from gapforge.storage.tables import read_records
from gapforge.subjectivity.detector import COEFFICIENTS
from reference import published
from train_resources import main, read_pairs

PAIRS = ("subjectivity/wnc-train.pre", "subjectivity/wnc-train.post")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """What the command says, and what it writes."""
    files = map(published, PAIRS)
    target = tmp_path_factory.mktemp("trained") / "detector.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train_resources, "COEFFICIENTS", target)
        return main(["detector", *map(str, files)]), json.loads(target.read_text("utf-8"))


def test_how_well_the_detector_does(trained):
    told, written = trained
    assert told == {key: written[key] for key in ("trained_on", "cross_validated")}
    assert told["trained_on"] == "1,000 pairs of the Wiki Neutrality Corpus"
    reached = told["cross_validated"]
    assert reached["auc"] >= 0.60 and reached["accuracy"] >= 0.57 and reached["pair accuracy"] >= 0.63


def test_the_embedded_coefficients_are_what_the_command_makes(trained):
    embedded, written = json.loads(COEFFICIENTS.read_text("utf-8")), trained[1]
    assert list(written["features"]) == list(embedded["features"])
    assert written["intercept"] == pytest.approx(embedded["intercept"], abs=1e-4)
    for name, values in embedded["features"].items():
        assert written["features"][name] == pytest.approx(values, abs=1e-4), name
    assert written["cross_validated"] == pytest.approx(embedded["cross_validated"], abs=1e-3)


def write_pairs(folder, biased, neutral):
    paths = folder / "biased", folder / "neutral"
    for path, text in zip(paths, (biased, neutral), strict=True):
        path.write_text(text, "utf-8")
    return paths


@pytest.mark.parametrize(
    ("biased", "neutral", "expected"),
    [
        ("a\nb\n", "c\nd\n", (["a", "b"], ["c", "d"])),
        ("a\nb", "c\nd\n", (["a", "b"], ["c", "d"])),
        ("a\n\nb\n", "c\n\nd\n", (["a", "b"], ["c", "d"])),
        ("a\n\nb\n", "c\nx\nd\n", (["a", "b"], ["c", "d"])),  # a blank side leaves the others aligned
        ("\na\nb\n", "c\nd\n\n", (["a"], ["d"])),
    ],
)
def test_pairs(tmp_path, biased, neutral, expected):
    assert read_pairs(*write_pairs(tmp_path, biased, neutral)) == expected


def test_pairs_that_are_none(tmp_path):
    one, other = write_pairs(tmp_path, "a\nb\n", "c\n")
    with pytest.raises(InputError) as caught:
        read_pairs(one, other)
    assert str(caught.value) == f"{one} has 2 lines, and {other} 1; wanted a pair in each line"
    one, other = write_pairs(tmp_path, "", "\n")
    with pytest.raises(InputError) as caught:
        read_pairs(one, other)
    assert str(caught.value) == f"{one}: no sentences; there is nothing to learn from"
    with pytest.raises(InputError, match=r"missing: no such file; fix the path$"):
        read_pairs(tmp_path / "missing", other)


@pytest.mark.parametrize("arguments", [[], ["detector"], ["detector", "a"], ["grammar"], ["fluency", "a", "b"]])
def test_calls_that_are_none(arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert str(caught.value).startswith("What made the coefficients and counts")


def test_counts_of_a_small_corpus(tmp_path, monkeypatch):
    (tmp_path / "tale.txt").write_text("The king met the queen. The king left. The king slept.\n", "utf-8")
    monkeypatch.setattr(train_resources, "COUNTS", tmp_path / "grammar.parquet")
    told = main(["grammar", str(tmp_path / "tale.txt")])
    records = list(read_records(tmp_path / "grammar.parquet", GrammarCount))
    words = [it.key for it in records if it.kind == "word"]
    assert words == [". .", "king king", "the the"]  # three times or more; so few are all common
    counted = {it.key: it.count for it in records if it.kind == "sequence"}
    assert counted["<s> <s> the"] == 3 and counted["<s> the king"] == 3 and counted["UNK . </s>"] == 3
    assert told == {"sentences": 3, "words": 3, "sequences": len(counted)}
