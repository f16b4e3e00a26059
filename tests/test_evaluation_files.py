"""Predictions against gold: what is missing, extra, there twice or malformed is listed."""

import pytest

from gapforge.errors import InputError
from gapforge.evaluation.files import Predictions, read_predictions, write_predictions

IDS = ["1", "2", "3"]
WHOLE = "1\tTRUE\tFALSE\n2\tFALSE\tTRUE\n3\tFALSE\tFALSE\n"
SAID = {"1": (True, False), "2": (False, True), "3": (False, False)}


def read(tmp_path, text, **options):
    path = tmp_path / "p.tsv"
    path.write_text(text, "utf-8", newline="")
    return read_predictions(path, IDS, **options)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        "ID\tA-coref\tB-coref\n" + WHOLE,
        "\ufeff" + WHOLE.rstrip("\n"),
        WHOLE.replace("\n", "\r\n") + "\r\n",
        WHOLE.replace("TRUE", "True").replace("FALSE", "false"),
        "B-coref\tText\tID\tA-coref\nFALSE\tShe.\t1\tTRUE\nTRUE\t\t2\tFALSE\nFALSE\tx\t3\tFALSE\n",
    ],
)
def test_a_whole_file(tmp_path, text):
    assert read(tmp_path, text) == Predictions(SAID)


@pytest.mark.parametrize(
    ("text", "message", "said", "faults"),
    [
        (
            "1\tTRUE\tFALSE\n",
            "2 missing: 2, 3",
            {"1": (True, False), "2": (False, False), "3": (False, False)},
            {"missing": 2},
        ),
        (WHOLE + "4\tTRUE\tTRUE\n4\tTRUE\tTRUE\n", "1 extra: 4", SAID, {"extra": 1}),
        (WHOLE + "1\tTRUE\tFALSE\n", "1 duplicate: 1", SAID | {"1": (False, False)}, {"duplicate": 1}),
        (
            WHOLE.replace("2\tFALSE\tTRUE", "2\tmaybe\tTRUE"),
            "1 malformed: line 2: 'MAYBE', wanted TRUE or FALSE; 1 missing: 2",
            SAID | {"2": (False, False)},
            {"malformed": 1, "missing": 1},
        ),
        (
            WHOLE.replace("\tFALSE\tFALSE", "\tFALSE"),
            "1 malformed: line 3: 2 cells, wanted 3; 1 missing: 3",
            SAID,
            {"malformed": 1, "missing": 1},
        ),
        ("", "3 missing: 1, 2, 3", dict.fromkeys(IDS, (False, False)), {"missing": 3}),
    ],
)
def test_faults_are_listed_or_counted(tmp_path, text, message, said, faults):
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    path = tmp_path / "p.tsv"
    assert str(error.value) == f"{path}: {message}. Fix the file, or go on with --missing-as-negative"
    assert read(tmp_path, text, missing_as_negative=True) == Predictions(said, faults)


def test_many_faults_are_shortened(tmp_path):
    ids = [str(n) for n in range(25)]
    (tmp_path / "p.tsv").write_text("", "utf-8")
    with pytest.raises(InputError, match=r"25 missing: 0, 1, .*, 19 and 5 more. Fix"):
        read_predictions(tmp_path / "p.tsv", ids)


@pytest.mark.parametrize("header", [True, False])
def test_what_is_written_is_read_again(tmp_path, header):
    write_predictions(tmp_path / "o.tsv", SAID, header)
    text = (tmp_path / "o.tsv").read_text("utf-8")
    assert text == ("ID\tA-coref\tB-coref\n" if header else "") + WHOLE
    assert read_predictions(tmp_path / "o.tsv", IDS).said == SAID
