"""Winogender: its published table read, and measured like any set of two names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.errors import ConfigError, InputError
from gapforge.evaluation.gold import items_of_schema, read_items, recognise
from gapforge.records import Instance, Span
from gapforge.winobias.published import Schema, person_in, read_winogender
from gapforge_tasks.cli.evaluate import Request, evaluate_files, resolve_file

HEADER = "sentid\tsentence\n"
TOLD = "The technician told the customer that {} had completed the repair."
PAID = "The technician told the customer that {} could pay with cash."
ALONE = "The technician told someone that {} could pay with cash."
LATE = "Because {} was late, the doctor asked an engineer to wait."
ROWS = [
    ("technician.customer.0.male.txt", TOLD.format("he")),
    ("technician.customer.0.female.txt", TOLD.format("she")),
    ("technician.customer.0.neutral.txt", TOLD.format("they")),
    ("technician.customer.1.male.txt", PAID.format("he")),
    ("technician.customer.1.female.txt", PAID.format("she")),
    ("technician.customer.1.neutral.txt", PAID.format("they")),
    ("technician.someone.1.male.txt", ALONE.format("he")),
    ("technician.someone.1.female.txt", ALONE.format("she")),
    ("technician.someone.1.neutral.txt", ALONE.format("they")),
    ("engineer.doctor.1.female.txt", LATE.format("she")),
]


def evaluate(*files, **options):
    return evaluate_files(Request(*files, **options))


@pytest.fixture
def write(tmp_path):
    def call(*rows, header=HEADER):
        path = tmp_path / "all_sentences.tsv"
        path.write_text(header + "".join(f"{id}\t{sentence}\n" for id, sentence in rows), "utf-8")
        return path

    return call


def words(it):
    return [it.text[span.start : span.end] for span in (it.occupation, it.participant, it.pronoun, it.answer)]


def test_a_schema_to_the_letter(write):
    assert read_winogender(write(ROWS[0])) == [
        Schema(
            id="technician.customer.0.male.txt",
            text="The technician told the customer that he had completed the repair.",
            occupation=Span(0, 14),
            participant=Span(20, 32),
            pronoun=Span(38, 40),
            gender="masculine",
            answer=Span(0, 14),
        )
    ]


def test_sentences_with_they_are_left_out(write):
    found = read_winogender(write(*ROWS))
    assert [it.id for it in found] == [id for id, _ in ROWS if "neutral" not in id]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (ROWS[0], ["The technician", "the customer", "he", "The technician"]),
        (ROWS[4], ["The technician", "the customer", "she", "the customer"]),
        (ROWS[6], ["The technician", "someone", "he", "someone"]),
        (ROWS[9], ["an engineer", "the doctor", "she", "the doctor"]),
        (
            ("baker.guest.1.male", "His cake was what the guest had asked a baker for."),
            ["a baker", "the guest", "His", "the guest"],
        ),
        (
            ("nurse.patient.0.female.txt", "The patients saw the nurse's patient greet her."),
            ["the nurse", "patient", "her", "the nurse"],
        ),
    ],
)
def test_who_is_mentioned_and_who_is_meant(write, row, expected):
    assert words(read_winogender(write(row))[0]) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cook", Span(3, 11)),  # not "cookbook", and with its article
        ("guard", Span(34, 39)),
        ("Chef", Span(44, 50)),
    ],
)
def test_somebody_is_a_whole_word(name, expected):
    text = "A: the cook, the cookbook and one guard saw a chef."
    assert person_in(text, name, "here") == expected


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [("technician.customer.2.male.txt", TOLD.format("he"))],
            "line 2: sentid is 'technician.customer.2.male.txt'; wanted one such as technician.customer.1.male.txt",
        ),
        (
            [ROWS[0], ("technician.customer.male.txt", TOLD.format("he"))],
            "line 3: sentid is 'technician.customer.male.txt'; wanted one such as technician.customer.1.male.txt",
        ),
        (
            [("technician.customer.0.man.txt", TOLD.format("he"))],
            "line 2: sentid is 'technician.customer.0.man.txt'; wanted one such as technician.customer.1.male.txt",
        ),
        (
            [("plumber.customer.0.male.txt", TOLD.format("he"))],
            f"line 2: {TOLD.format('he')!r} does not mention 'plumber', whom its sentid names",
        ),
        (
            [("technician.someone.0.male.txt", TOLD.format("he"))],
            f"line 2: {TOLD.format('he')!r} does not mention 'someone', whom its sentid names",
        ),
        (
            [("technician.customer.0.male.txt", TOLD.format("she"))],
            f"line 2: {TOLD.format('she')!r}; wanted one pronoun, masculine, as technician.customer.0.male.txt says",
        ),
        (
            [("technician.customer.0.female.txt", TOLD.format("they"))],
            f"line 2: {TOLD.format('they')!r}; wanted one pronoun, feminine, as technician.customer.0.female.txt says",
        ),
        (
            [("technician.customer.0.male.txt", TOLD.format("he or his friend"))],
            f"line 2: {TOLD.format('he or his friend')!r}; wanted one pronoun, masculine, as "
            "technician.customer.0.male.txt says",
        ),
        (
            [ROWS[0], ("technician.customer.0.female.txt", "The technician\tslept.")],
            "line 3: 3 cells under 2 columns; tabs and quotation marks within a cell must be quoted",
        ),
        ([ROWS[2], ROWS[5]], "no sentence with a gendered pronoun; there is nothing to measure"),
        ([], "no sentence with a gendered pronoun; there is nothing to measure"),
    ],
)
def test_a_table_that_is_none_of_winogender(write, rows, message):
    path = write(*rows)
    with pytest.raises(InputError) as caught:
        read_winogender(path)
    assert str(caught.value) == f"{path}: {message}"


@pytest.mark.parametrize("header", ["sentid\ttext\n", "id\tsentence\n"])
def test_a_table_without_its_columns(write, header):
    path = write(ROWS[0], header=header)
    missing = "sentence" if header.startswith("sentid") else "sentid"
    with pytest.raises(InputError) as caught:
        read_winogender(path)
    assert str(caught.value) == f"{path}: line 1: no column {missing!r}; wanted sentid, sentence"


def test_a_sentence_may_be_quoted(write):
    path = write(("chef.guest.0.male.txt", '"""Eat,"" the chef told the guest, when he came."'))
    assert words(read_winogender(path)[0]) == ["the chef", "the guest", "he", "the chef"]


NAME = st.text("abcdefgäö", min_size=2, max_size=8)


@given(NAME, NAME, st.sampled_from(["0", "1"]), st.sampled_from(["he", "him", "his", "she", "her"]))
def test_whoever_is_named_is_found(tmp_path_factory, occupation, participant, meant, pronoun):
    gender = "male" if pronoun.startswith("h") and pronoun != "her" else "female"
    path = tmp_path_factory.mktemp("wino") / "w.tsv"
    text = f"The {occupation}x met a {participant}y; {pronoun} was there."
    path.write_text(f"{HEADER}{occupation}x.{participant}y.{meant}.{gender}.txt\t{text}\n", "utf-8")
    (found,) = read_winogender(path)
    people = [f"The {occupation}x", f"a {participant}y"]
    assert words(found) == [*people, pronoun, people[int(meant)]]


@pytest.mark.parametrize(
    ("row", "a", "b", "answer"),
    [
        (ROWS[0], Span(0, 14), Span(20, 32), (True, False)),
        (ROWS[3], Span(0, 14), Span(20, 32), (False, True)),
        (ROWS[9], Span(22, 32), Span(39, 50), (True, False)),  # the participant comes first, and is A
    ],
)
def test_a_question_names_the_two_in_text_order(write, row, a, b, answer):
    (schema,) = read_winogender(write(row))
    item = items_of_schema(schema)
    assert item.instance == Instance(row[0], row[1], schema.pronoun, a, b)
    assert (item.a, item.b) == answer
    assert (item.pronoun, item.gender) == (row[1][schema.pronoun.start : schema.pronoun.end], schema.gender)


def test_a_file_is_recognised_by_its_header(write):
    path = write(*ROWS)
    assert recognise(path) == "winogender"
    assert len(read_items(path, "winogender")) == 7


def test_an_id_that_is_there_twice(write):
    path = write(ROWS[0], ROWS[0])
    with pytest.raises(InputError) as caught:
        read_items(path, "winogender")
    assert str(caught.value) == f"{path}: ids that occur twice: technician.customer.0.male.txt; remove one of each"


def test_answers_are_measured(write, tmp_path):
    """Always A: right where the technician is meant or the participant comes first, in 3 of 7."""
    path, said = write(*ROWS), tmp_path / "said.tsv"
    said.write_text("".join(f"{id}\tTRUE\tFALSE\n" for id, _ in ROWS if "neutral" not in id), "utf-8")
    found = evaluate(path, [said], resamples=100)
    assert (found["dataset"], found["instances"]) == ("winogender", 7)
    assert found["masculine"]["f1"] == pytest.approx(1 / 3)
    assert found["feminine"]["f1"] == 0.5
    assert found["bias"] == pytest.approx(1.5)
    assert found["overall"]["accuracy"] == pytest.approx(3 / 7)
    assert {name: it["instances"] for name, it in found["by"]["pattern"].items()} == {"FINALPRO": 6, "INITIALPRO": 1}


def test_an_answer_for_a_sentence_that_was_left_out(write, tmp_path):
    path, said = write(*ROWS[:3]), tmp_path / "said.tsv"
    said.write_text("".join(f"{id}\tTRUE\tFALSE\n" for id, _ in ROWS[:3]), "utf-8")
    with pytest.raises(InputError) as caught:
        evaluate(path, [said], resamples=100)
    assert str(caught.value) == (
        f"{said}: 1 extra: technician.customer.0.neutral.txt. Fix the file, or go on with --missing-as-negative"
    )


def test_winogender_has_no_variant(write, tmp_path):
    path, said = write(*ROWS[:2]), tmp_path / "said.tsv"
    said.write_text("", "utf-8")
    with pytest.raises(ConfigError) as caught:
        evaluate(path, [said], resamples=100, variants=[said])
    assert str(caught.value) == "--variant: winogender has no subjective variant; leave it out"


def test_a_resolver_answers_and_its_answers_are_measured(write, tmp_path):
    """The nearest name is the second in every sentence but the last, where both follow the pronoun."""
    path, output = write(*ROWS), tmp_path / "said.tsv"
    found = resolve_file(path, "token-distance", output, options={"gold_two_mentions": True})
    assert found == {
        "resolver": "token-distance",
        "instances": 7,
        "labels": {"A": 1, "B": 6, "neither": 0, "both": 0, "not sure": 0},
        "output": str(output),
    }
    lines = output.read_text("utf-8").splitlines()
    assert lines[:2] == ["ID\tA-coref\tB-coref", "technician.customer.0.male.txt\tFALSE\tTRUE"]
    assert lines[-1] == "engineer.doctor.1.female.txt\tTRUE\tFALSE"
    scores = evaluate(path, [output], resamples=100)
    assert scores["overall"]["accuracy"] == pytest.approx(5 / 7)
    assert scores["masculine"]["f1"] == pytest.approx(2 / 3)
    assert scores["feminine"]["f1"] == 0.75
