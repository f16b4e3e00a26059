"""The author's own truth: referents by document and place, and the answers that follow from them."""

import dataclasses

import pytest

from gapforge.annotation.answers import Answer, judge
from gapforge.annotation.judgements import Truth, author_answers, read_truths
from gapforge.annotation.questions import question_of
from gapforge.errors import InputError
from gapforge.records import Candidate, CounterGapCandidate, Judgement, Person, QuadrupleInstance, Span, fields_of

HEADER = "document_id\tstart\tend\tpronoun\treferent\tforms\n"
TEXT = "Ann Lee met Ida\nBrandt. She left. Ann slept."
# The context begins at 100 in its document, so the pronoun stands at 124.
CANDIDATE = Candidate(
    *("c-1", "tales", "d-1", "", 100, TEXT, "FINALPRO", "feminine"),
    *(Span(24, 27), Span(0, 7), Span(12, 22), False, 0),
)


def make_truth(*forms, pronoun="She"):
    return {("d-1", 124): Truth("t.tsv: line 2", pronoun, frozenset(forms))}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("", {}),
        ("d-1\t124\t127\tShe\tAnn\tAnn|Ann Lee\n", {("d-1", 124): ("She", {"Ann", "Ann Lee"})}),
        ("d-1\t124\t127\tShe\tnobody\t\n", {("d-1", 124): ("She", set())}),
        ("d-1\t124\t127\tShe\tAnn\t|Ann||\n", {("d-1", 124): ("She", {"Ann"})}),
        (
            'd-1\t1\t3\the\tx\t"Red" Tom\nd-2\t1\t3\the\tx\tTom\n',
            {("d-1", 1): ("he", {'"Red" Tom'}), ("d-2", 1): ("he", {"Tom"})},
        ),
    ],
)
def test_truths_of_a_table(tmp_path, rows, expected):
    path = tmp_path / "t.tsv"
    path.write_text(HEADER + rows, "utf-8")
    assert read_truths(path) == {
        key: Truth(f"{path}: line {line}", pronoun, frozenset(forms))
        for line, (key, (pronoun, forms)) in enumerate(expected.items(), 2)
    }


WANTED = "wanted document_id, start, end, pronoun, referent, forms"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", f"line 1: no column 'document_id'; {WANTED}"),
        (HEADER.replace("\tforms", ""), f"line 1: no column 'forms'; {WANTED}"),
        (HEADER.replace("\t", ","), f"line 1: no column 'document_id'; {WANTED}"),
        (HEADER + "d-1\tx\t3\the\tTom\tTom\n", f"line 2: {WANTED} with a number for start"),
        (HEADER + "d-1\t\t3\the\tTom\tTom\n", f"line 2: {WANTED} with a number for start"),
        (HEADER + "d-1\t1\t3\the\tTom\tTom\nd-1\t9\t12\the\tTom\n", f"line 3: {WANTED} with a number for start"),
        (HEADER + "d-1\n", f"line 2: {WANTED} with a number for start"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path, content, message):
    path = tmp_path / "t.tsv"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        read_truths(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_table_that_is_not_there(tmp_path):
    with pytest.raises(InputError) as caught:
        read_truths(tmp_path / "t.tsv")
    assert str(caught.value) == f"{tmp_path / 't.tsv'}: no such file; fix the path"


def test_a_table_that_is_not_utf_8(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_bytes(HEADER.encode() + b"d-1\t1\t3\the\tTom\t\xff\n")
    with pytest.raises(InputError) as caught:
        read_truths(path)
    assert str(caught.value) == f"{path}: byte 60: not UTF-8; save it as UTF-8"


@pytest.mark.parametrize(
    ("forms", "label"),
    [
        (["Ann Lee"], "A"),
        (["Ann Lee", "Ann"], "A"),
        (["Ida Brandt"], "B"),  # wrapped in the text
        (["Ida Brandt", "Ann Lee"], "both"),
        (["Eva"], "neither"),
        (["Ann"], "neither"),  # somebody else of the same first name
        (["ann lee"], "neither"),
        ([], "neither"),
    ],
)
def test_which_name_is_a_form_of_the_referent(forms, label):
    question = question_of(CANDIDATE)
    (answer,) = author_answers([CANDIDATE], make_truth(*forms))
    assert answer == Answer("t.tsv: line 2", "c-1", question.content_hash, "author", shown=TEXT, label=label)
    assert judge(answer, {"c-1": question}) == Judgement(
        "c-1", question.content_hash, "author", label, [], "", "gold", False
    )


@pytest.mark.parametrize(
    "changes",
    [{"document_id": "d-2"}, {"start": 99}, {"pronoun": Span(25, 27)}],
)
def test_a_pronoun_that_is_not_marked_has_no_answer(changes):
    assert list(author_answers([dataclasses.replace(CANDIDATE, **changes)], make_truth("Ann Lee"))) == []


def test_a_pronoun_that_differs():
    with pytest.raises(InputError) as caught:
        list(author_answers([CANDIDATE], make_truth("Ann Lee", pronoun="she")))
    assert str(caught.value) == "t.tsv: line 2: 'she', but c-1 has 'She' there; rebuild the table"


def make_four():
    """A quadruple whose names and pronouns change and whose places do not matter to the author."""
    texts = {
        "original": ("Tom and Ned saw Ann. Ann met Ida: she left.", "feminine"),
        "control": ("Ned and Tom saw Ida. Ida met Ann: she left.", "feminine"),
        "swap-1": ("Ann and Ida saw Tom. Tom met Ned: he left.", "masculine"),
        "swap-2": ("Ida and Ann saw Ned. Ned met Tom: he left.", "masculine"),
    }
    people = [
        Person("C1", "", "feminine", [Span(16, 19), Span(21, 24)]),
        Person("C2", "", "feminine", [Span(29, 32)]),
        Person("O1", "", "masculine", [Span(0, 3)]),
        Person("O2", "", "masculine", [Span(8, 11)]),
    ]
    for variant, (text, gender) in texts.items():
        id = "c-1" if variant == "original" else f"c-1-{variant}"
        pronoun = Span(34, 37 if gender == "feminine" else 36)
        candidate = CounterGapCandidate(
            *(id, "tales", "d-1", "", 90, text, "FINALPRO", gender, pronoun),
            *(Span(21, 24), Span(29, 32), False, 0, people),
        )
        yield QuadrupleInstance(**fields_of(candidate), quadruple_id="c-1", variant=variant, contradictions=[])


@pytest.mark.parametrize(("forms", "label"), [(["Ann"], "A"), (["Ida"], "B"), (["Tom"], "neither"), ([], "neither")])
def test_counterfactuals_have_the_answer_of_their_original(forms, label):
    four = list(make_four())
    answers = list(author_answers(four, make_truth(*forms, pronoun="she")))
    assert [(it.instance_id, it.label, it.place, it.shown) for it in answers] == [
        (it.id, label, "t.tsv: line 2", it.text) for it in four
    ]
    assert [it.content_hash for it in answers] == [question_of(it).content_hash for it in four]


def test_a_mention_elsewhere_in_the_text_is_a_form_of_the_name():
    """Of four people every mention is known: Ann Lee is whom the table calls Ann."""
    text = "Tom and Ned saw Ann. Ann Lee met Ida: she left."
    people = [
        Person("C1", "Ann", "feminine", [Span(16, 19), Span(21, 28)]),
        Person("C2", "Ida", "feminine", [Span(33, 36)]),
        Person("O1", "Tom", "masculine", [Span(0, 3)]),
        Person("O2", "Ned", "masculine", [Span(8, 11)]),
    ]
    candidate = CounterGapCandidate(
        *("c-1", "tales", "d-1", "", 86, text, "FINALPRO", "feminine", Span(38, 41)),
        *(Span(21, 28), Span(33, 36), False, 0, people),
    )
    (answer,) = author_answers([candidate], make_truth("Ann", pronoun="she"))
    assert answer.label == "A"


def test_counterfactuals_of_an_unmarked_original_have_no_answer():
    assert list(author_answers(make_four(), {})) == []
    # Not even where their own pronoun stands in a marked place.
    rest = [it for it in make_four() if it.variant != "original"]
    assert list(author_answers(rest, make_truth("Ann", pronoun="she"))) == []
