"""What annotators are asked: hashes, people, questions of known answer, and how questions are dealt into batches."""

import collections
import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.annotation.questions import (
    KNOWN,
    ask,
    batches,
    check,
    content_hash,
    label_of,
    namesakes,
    question_of,
    question_of_row,
    read_known,
)
from gapforge.errors import InputError
from gapforge.records import Candidate, CounterGapCandidate, Named, Person, QuadrupleInstance, Question, Span, fields_of
from gapforge.storage.tsv import Row

TEXT = "Ann met Ida. She left."
SHE, ANN, IDA = Span(13, 16), Span(0, 3), Span(8, 11)
CANDIDATE = Candidate(
    "c-1", "tales", "d-1", "https://example.org/d-1", 7, TEXT, "FINALPRO", "feminine", SHE, ANN, IDA, False, 0
)
SCENE = "Tom and Ned saw Ann. Ann met Ida Brandt. Ida told Tom that she left."
PEOPLE = [
    Person("C1", "Ida", "feminine", [Span(29, 39), Span(41, 44)]),
    Person("C2", "Ann", "feminine", [Span(16, 19), Span(21, 24)]),
    Person("O1", "Tom", "masculine", [Span(0, 3), Span(50, 53)]),
    Person("O2", "Ned", "masculine", [Span(8, 11)]),
]
FOUR = CounterGapCandidate(
    *("c-2", "tales", "d-1", "", 0, SCENE, "FINALPRO", "feminine"),
    *(Span(59, 62), Span(21, 24), Span(41, 44), False, 0, PEOPLE),
)
SWAPPED = QuadrupleInstance(
    **fields_of(FOUR) | {"id": "c-2-swap-1"}, quadruple_id="c-2", variant="swap-1", contradictions=[]
)
HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tBook\n"


def make_row(a_coref=None, b_coref=None):
    return Row("r-1", TEXT, "She", 13, "Ann", 0, a_coref, "Ida", 8, b_coref, "A Book")


def make_question(id, group="", answer=""):
    return Question(id, content_hash(TEXT, SHE, ANN, IDA), group or id, TEXT, SHE, ANN, IDA, [], answer)


def test_the_hash_of_what_is_shown():
    assert content_hash(TEXT, SHE, ANN, IDA) == "73f9a44606f4e207"


@pytest.mark.parametrize(
    "changed",
    [
        (TEXT + " ", SHE, ANN, IDA),
        (TEXT.replace("Ida", "Ada"), SHE, ANN, IDA),
        (TEXT, Span(12, 16), ANN, IDA),
        (TEXT, Span(13, 15), ANN, IDA),
        (TEXT, SHE, Span(1, 3), IDA),
        (TEXT, SHE, Span(0, 2), IDA),
        (TEXT, SHE, ANN, Span(7, 11)),
        (TEXT, SHE, ANN, Span(8, 12)),
        (TEXT, SHE, IDA, ANN),
        (TEXT, ANN, SHE, IDA),
        # Digits at the edge of the text are no part of the places.
        ("1" + TEXT, SHE, ANN, IDA),
    ],
)
def test_the_hash_changes_with_the_text_and_every_span(changed):
    assert content_hash(*changed) != content_hash(TEXT, SHE, ANN, IDA)


def test_question_of_a_candidate():
    assert question_of(CANDIDATE) == Question(
        instance_id="c-1",
        content_hash="73f9a44606f4e207",
        group="c-1",
        text=TEXT,
        pronoun=SHE,
        name_a=ANN,
        name_b=IDA,
        people=[Named("A", [ANN]), Named("B", [IDA])],
        answer="",
    )


@pytest.mark.parametrize(("instance", "group"), [(FOUR, "c-2"), (SWAPPED, "c-2")])
def test_question_of_four_people(instance, group):
    asked = question_of(instance)
    assert (asked.instance_id, asked.group, asked.answer) == (instance.id, group, "")
    assert asked.people == [
        Named("B", [Span(29, 39), Span(41, 44)]),
        Named("A", [Span(16, 19), Span(21, 24)]),
        Named("other", [Span(0, 3), Span(50, 53)]),
        Named("other", [Span(8, 11)]),
    ]
    assert asked.content_hash == content_hash(SCENE, Span(59, 62), Span(21, 24), Span(41, 44))


@pytest.mark.parametrize(
    ("a_coref", "b_coref", "label"),
    [
        (True, False, "A"),
        (False, True, "B"),
        (False, False, "neither"),
        (True, True, "both"),
        (None, None, None),
        (None, True, None),
        (False, None, None),
    ],
)
def test_question_of_a_published_row(a_coref, b_coref, label):
    row = make_row(a_coref, b_coref)
    assert label_of(row) == label
    assert question_of_row(row, "a file") == dataclasses.replace(
        question_of(CANDIDATE), instance_id="r-1", group="r-1", answer=label or ""
    )


@pytest.mark.parametrize(
    ("text", "a", "b", "of_a", "of_b"),
    [
        ("Ann met Ida. Ann left Ida.", (0, 3), (8, 11), [(0, 3), (13, 16)], [(8, 11), (22, 25)]),
        # Whole words only.
        ("Ann met Ida. Anna and JoAnn left Idaho.", (0, 3), (8, 11), [(0, 3)], [(8, 11)]),
        ("Ann’s hat, ‘Ann’ and Ida-Ida.", (0, 3), (21, 24), [(0, 3), (12, 15)], [(21, 24), (25, 28)]),
        ("Zoé met Ida. Zoéx left Zoé.", (0, 3), (8, 11), [(0, 3), (23, 26)], [(8, 11)]),
        # The case tells a name from a word.
        ("Rose met Ida. A rose fell.", (0, 4), (9, 12), [(0, 4)], [(9, 12)]),
        # Marks that mean something in a pattern.
        ("Mr. A. met Mr. Ab. Mr. A. left.", (0, 6), (11, 17), [(0, 6), (19, 25)], [(11, 17)]),
        # One name is part of the other, whichever comes first.
        ("Ann met Ann Lee. Ann left Ann Lee.", (0, 3), (8, 15), [(0, 3), (17, 20)], [(8, 15), (26, 33)]),
        ("Ann Lee met Ann. Ann left Ann Lee.", (0, 7), (12, 15), [(0, 7), (26, 33)], [(12, 15), (17, 20)]),
        ("Lee met Ann Lee. Lee left.", (0, 3), (8, 15), [(0, 3), (17, 20)], [(8, 15)]),
        # The name that is asked about stays, even within the other.
        ("Ann Lee met Ann Lee.", (0, 3), (12, 19), [(0, 3)], [(0, 7), (12, 19)]),
        ("Ann Lee met Ann Lee.", (0, 7), (12, 15), [(0, 7), (12, 19)], [(12, 15)]),
        # A span that cuts a word stands all the same.
        ("Annas met Ida. Anna left.", (0, 4), (10, 13), [(0, 4), (15, 19)], [(10, 13)]),
        # Offsets count code points.
        ("😀 Ann met Ida. Ann left.", (2, 5), (10, 13), [(2, 5), (15, 18)], [(10, 13)]),
    ],
)
def test_namesakes(text, a, b, of_a, of_b):
    assert namesakes(text, Span(*a), Span(*b)) == [
        Named("A", [Span(*at) for at in of_a]),
        Named("B", [Span(*at) for at in of_b]),
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [
                f"k-1\t{TEXT}\tShe\t13\tAnn\t0\tTRUE\tIda\t8\tFALSE\tx",
                f"k-2\t{TEXT}\tShe\t13\tAnn\t0\tTRUE\tIda\t8\t\tx",
            ],
            "k-2 has no label; a known answer needs A-coref and B-coref",
        ),
        (
            [f"k-1\t{TEXT}\tShe\t13\tAnn\t0\tTRUE\tIda\t8\tFALSE\tx"] * 2,
            "two questions with the id 'k-1'; remove one of them",
        ),
        (
            [f"k-1\t{TEXT}\tShe\t20\tAnn\t0\tTRUE\tIda\t8\tFALSE\tx"],
            "k-1: 'She' is not at 20, but 't.'; fix the offset",
        ),
        (
            [f"k-1\t{TEXT}\tShe\t13\tAnn\t22\tTRUE\tIda\t8\tFALSE\tx"],
            "k-1: 'Ann' is not at 22, but ''; fix the offset",
        ),
        (
            [f"k-1\t{TEXT}\tShe\t13\tAnn\t0\tTRUE\t\t8\tFALSE\tx"],
            "k-1: '' is not at 8, but ''; fix the offset",
        ),
        (
            [f"k-1\t{TEXT}\tShe\t13\tAnn\t0\tYES\tIda\t8\tFALSE\tx"],
            "line 2: A-coref is 'YES'; wanted TRUE, FALSE or nothing",
        ),
    ],
)
def test_known_answers_that_cannot_be_used(tmp_path, rows, message):
    path = tmp_path / "known.tsv"
    path.write_text(HEADER + "\n".join(rows) + "\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_known(path)
    assert str(caught.value) == f"{path}: {message}"


def test_known_answers_of_a_file(tmp_path):
    path = tmp_path / "known.tsv"
    path.write_text(f"{HEADER}k-1\t{TEXT}\tShe\t13\tAnn\t0\tFALSE\tIda\t8\tTRUE\tx\n", "utf-8")
    assert read_known(path) == [dataclasses.replace(question_of(CANDIDATE), instance_id="k-1", group="k-1", answer="B")]


def test_the_last_place_of_a_text_is_within_it():
    check([make_question("q-1"), ask("q-2", "q-2", "Ann, Ida: she", Span(10, 13), (Span(0, 3), Span(5, 8)), [])], "x")
    with pytest.raises(InputError, match=r"^x: q-2: Span\(start=-1, end=3\) is not in its text of 22$"):
        check([dataclasses.replace(make_question("q-2"), name_a=Span(-1, 3))], "x")


def test_the_embedded_known_answers():
    known = read_known(KNOWN)
    pronouns = [it.text[it.pronoun.start : it.pronoun.end] for it in known]
    feminine = [it.lower() in ("she", "her", "hers") for it in pronouns]
    assert len(known) == 24
    assert {it.lower() for it in pronouns} == {"she", "her", "hers", "he", "him", "his"}
    assert (feminine.count(True), feminine.count(False)) == (12, 12)
    assert collections.Counter(it.answer for it in known) == {"A": 10, "B": 10, "neither": 4}
    # Neither the place of a name nor the gender tells the answer.
    by_gender = collections.Counter((it.answer, is_feminine) for it, is_feminine in zip(known, feminine, strict=True))
    assert set(by_gender.values()) == {2, 5}
    assert [it.instance_id for it in known if not re.fullmatch("[0-9a-f]{12}", it.instance_id)] == []
    for question in known:
        words = re.compile(r"\w+(\. \w+| \w+)?")
        for span in (question.pronoun, question.name_a, question.name_b):
            form = question.text[span.start : span.end]
            assert words.fullmatch(form), (question.instance_id, form)
            assert re.search(rf"(?<!\w){re.escape(form)}(?!\w)", question.text[max(span.start - 1, 0) : span.end + 1])
        assert question.name_a.start < question.name_b.start, question.instance_id


questions_of_groups = st.lists(st.integers(0, 6), max_size=40).map(
    lambda groups: [make_question(f"q-{n}", f"g-{group}") for n, group in enumerate(groups)]
)


@given(questions_of_groups, st.integers(0, 5), st.integers(1, 12), st.integers(1, 12), st.integers(0, 3), st.randoms())
def test_every_question_once_and_no_two_of_a_group_in_a_batch(questions, tests, size, every, seed, random):
    known = [make_question(f"k-{n}", answer="A") for n in range(tests)]
    dealt = list(batches(questions, known, size, every, True, seed))
    ordinary = [[it for it in batch if not it.answer] for batch in dealt]
    assert sorted(it.instance_id for batch in ordinary for it in batch) == sorted(it.instance_id for it in questions)
    for batch, asked in zip(dealt, ordinary, strict=True):
        mixed_in = [it.instance_id for it in batch if it.answer]
        assert 1 <= len(asked) <= size
        assert len({it.group for it in asked}) == len(asked)
        assert len(set(mixed_in)) == len(mixed_in) == min((len(asked) + every - 1) // every, tests)
    shuffled = random.sample(questions, len(questions))
    assert list(batches(iter(shuffled), known, size, every, True, seed)) == dealt


def ids_of(dealt):
    return [[it.instance_id for it in batch] for batch in dealt]


def test_batches_in_the_order_of_their_lots():
    questions = [make_question(f"q-{n}") for n in range(5)]
    known = [make_question(f"k-{n}", answer="B") for n in range(3)]
    first, second = (ids_of(batches(questions, known, 2, 2, True, seed)) for seed in (0, 1))
    assert first == [["k-0", "q-2", "q-4"], ["q-1", "k-1", "q-3"], ["q-0", "k-2"]]
    assert second == [["q-4", "q-0", "k-0"], ["k-1", "q-1", "q-2"], ["q-3", "k-2"]]


@pytest.mark.parametrize(
    ("size", "every", "turns"),
    [
        (2, 2, ["0", "1", "2", "0"]),
        (4, 2, ["01", "02"]),
        (4, 1, ["012", "012"]),  # as many as there are
        (7, 7, ["0"]),
        (5, 4, ["01", "2"]),
    ],
)
def test_known_answers_take_turns(size, every, turns):
    known = [make_question(f"k-{n}", answer="B") for n in range(3)]
    dealt = ids_of(batches([make_question(f"q-{n}") for n in range(7)], known, size, every, True, 0))
    assert ["".join(sorted(id[2:] for id in batch if id[0] == "k")) for batch in dealt] == turns


def test_known_answers_stand_anywhere_in_a_batch():
    questions = [make_question(f"q-{n}") for n in range(1000)]
    known = [make_question(f"k-{n}", answer="B") for n in range(7)]
    places = [[bool(it.answer) for it in batch].index(True) for batch in batches(questions, known, 10, 10, True, 0)]
    assert len(places) == 100
    assert set(places) == set(range(11))


@pytest.mark.parametrize(
    ("count", "size", "sizes"),
    [(0, 10, []), (1, 10, [1]), (10, 10, [10]), (11, 10, [10, 1]), (3, 1, [1, 1, 1])],
)
def test_sizes_of_batches(count, size, sizes):
    dealt = batches([make_question(f"q-{n}") for n in range(count)], [], size, 10, True, 0)
    assert [len(batch) for batch in dealt] == sizes


def test_the_four_of_a_quadruple_are_four_batches():
    questions = [make_question(f"q-{n}-{variant}", f"q-{n}") for n in range(3) for variant in "abcd"]
    dealt = list(batches(questions, [], 10, 10, True, 0))
    assert [sorted(it.group for it in batch) for batch in dealt] == [["q-0", "q-1", "q-2"]] * 4


def test_a_known_answer_is_used_once_unless_it_may_come_again():
    questions = [make_question(f"q-{n}") for n in range(40)]
    known = [make_question(f"k-{n}", answer="A") for n in range(3)]

    def used(again):
        return [sum(bool(it.answer) for it in batch) for batch in batches(questions, known, 10, 5, again, 0)]

    assert used(True) == [2, 2, 2, 2]
    assert used(False) == [2, 1, 0, 0]
