"""Which answers count: pseudonyms, the last of several answers, and annotators who fail the known ones."""

import dataclasses
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.annotation.answers import Answer
from gapforge.annotation.judgements import Annotator, judged_answers, survey
from gapforge.annotation.questions import ask
from gapforge.errors import InputError
from gapforge.records import Judgement, Reject, Span

TEXT = "Ann met Ida. She left."
ORDINARY = [f"q-{n}" for n in range(4)]
TESTS = [f"k-{n}" for n in range(5)]
QUESTIONS = {
    id: ask(id, id, TEXT, Span(13, 16), (Span(0, 3), Span(8, 11)), [], "B" if id in TESTS else None)
    for id in [*ORDINARY, *TESTS]
}
HASH = QUESTIONS["q-0"].content_hash


def answers_of(*rows):
    """(instance, annotator, label, and perhaps a time); each stands in the line of its number."""
    return [
        Answer(f"f: line {n}", id, HASH, annotator, label=label, time="".join(time))
        for n, (id, annotator, label, *time) in enumerate(rows, 1)
    ]


def take(answers, known_right=0.8, prefix="annotator-0a1b2c"):
    read = partial(iter, answers)
    found = survey(read, QUESTIONS, known_right, prefix)
    return found, list(judged_answers(read, QUESTIONS, found))


def brief(items):
    return [
        (it.instance_id, it.annotator[-3:], it.label) if isinstance(it, Judgement) else (it.id, it.reason, it.detail)
        for it in items
    ]


def test_annotators_get_numbers_in_the_order_in_which_they_appear():
    answers = answers_of(("q-0", "zoe@example.org", "A"), ("q-0", "anna", "B"), ("q-1", "zoe@example.org", "A"))
    found, made = take(answers)
    assert made == [
        Judgement("q-0", HASH, "annotator-0a1b2c-001", "A", [], "", "gold", False),
        Judgement("q-0", HASH, "annotator-0a1b2c-002", "B", [], "", "gold", False),
        Judgement("q-1", HASH, "annotator-0a1b2c-001", "A", [], "", "gold", False),
    ]
    assert list(found.annotators.values()) == [
        Annotator("annotator-0a1b2c-001", judgements=2),
        Annotator("annotator-0a1b2c-002", judgements=1),
    ]
    assert found.notes() == ["annotators: 2; judgements: 3"]


def test_without_a_prefix_annotators_keep_their_names():
    found, made = take(answers_of(("q-0", "author", "A")), prefix="")
    assert [it.annotator for it in made] == ["author"]
    assert list(found.annotators) == ["author"]


def test_who_gives_no_judgement_gets_no_number():
    found, made = take(answers_of(("q-0", "anna", "C"), ("q-0", "bert", "A")))
    assert brief(made) == [
        ("q-0", "unknown label", "f: line 1: 'C', wanted one of A, B, neither, both, not sure"),
        ("q-0", "001", "A"),
    ]
    assert list(found.annotators) == ["bert"]


def test_nobody_is_called_by_name():
    secret = "worker-A1B2C3@example.org"
    rows = [(id, secret, "A") for id in [*ORDINARY, *TESTS]]
    rows += [("q-0", secret, "B"), ("q-1", secret, "C"), ("q-1", secret, ""), ("q-9", secret, "A")]
    found, made = take([*answers_of(*rows), *answers_of(("q-0", "bert", "A"), ("q-0", "bert", "B"))])
    assert {it.reason for it in made if isinstance(it, Reject)} == {
        *("known-answer failure", "unknown label", "no answer", "unknown instance", "duplicate vote"),
    }
    assert secret not in repr(made)
    assert secret not in repr(found.notes())
    assert secret not in repr(list(found.annotators.values()))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # Without times the last of the file.
        (
            [("q-0", "anna", "A"), ("q-0", "anna", "B"), ("q-0", "anna", "neither")],
            [
                ("q-0", "duplicate vote", "f: line 1: annotator-0a1b2c-001 gave a later answer"),
                ("q-0", "duplicate vote", "f: line 2: annotator-0a1b2c-001 gave a later answer"),
                ("q-0", "001", "neither"),
            ],
        ),
        # The later time, wherever it stands.
        (
            [
                ("q-0", "anna", "A", "2026-01-02"),
                ("q-0", "anna", "B", "2026-01-03"),
                ("q-0", "anna", "both", "2026-01-01"),
            ],
            [
                ("q-0", "duplicate vote", "f: line 1: annotator-0a1b2c-001 gave a later answer"),
                ("q-0", "001", "B"),
                ("q-0", "duplicate vote", "f: line 3: annotator-0a1b2c-001 gave a later answer"),
            ],
        ),
        # The same time: the last of the file.
        (
            [("q-0", "anna", "A", "2026-01-02"), ("q-0", "anna", "A", "2026-01-02")],
            [("q-0", "duplicate vote", "f: line 1: annotator-0a1b2c-001 gave a later answer"), ("q-0", "001", "A")],
        ),
        # A known time before an unknown one.
        (
            [("q-0", "anna", "A", "2026-01-02"), ("q-0", "anna", "B")],
            [("q-0", "001", "A"), ("q-0", "duplicate vote", "f: line 2: annotator-0a1b2c-001 gave a later answer")],
        ),
        # Another annotator, another question: no duplicates.
        (
            [("q-0", "anna", "A"), ("q-0", "bert", "A"), ("q-1", "anna", "A")],
            [("q-0", "001", "A"), ("q-0", "002", "A"), ("q-1", "001", "A")],
        ),
        # What is no judgement replaces none.
        (
            [("q-0", "anna", "A", "2026-01-02"), ("q-0", "anna", "", "2026-01-03")],
            [("q-0", "001", "A"), ("q-0", "no answer", "f: line 2")],
        ),
    ],
)
def test_the_last_answer_counts(rows, expected):
    found, made = take(answers_of(*rows))
    assert brief(made) == expected
    assert sum(it.judgements for it in found.annotators.values()) == sum(isinstance(it, Judgement) for it in made)


@pytest.mark.parametrize(
    ("labels", "known_right", "right", "removed"),
    [
        ("BBBBB", 0.8, 5, False),
        ("BBBBA", 0.8, 4, False),
        ("BBBAA", 0.8, 3, True),
        ("AAAAA", 0.8, 0, True),
        ("A", 0.8, 0, True),
        ("B", 1.0, 1, False),
        ("BBBBA", 1.0, 4, True),
        ("AAAAA", 0.0, 0, False),
        ("", 1.0, 0, False),  # was asked none
    ],
)
def test_known_answers_decide_whether_an_annotator_stays(labels, known_right, right, removed):
    rows = [(f"k-{n}", "anna", label) for n, label in enumerate(labels)] + [("q-0", "anna", "A"), ("q-0", "bert", "B")]
    found, made = take(answers_of(*rows), known_right)
    asked = len(labels)
    pseudonym = "annotator-0a1b2c-001"
    assert found.annotators["anna"] == Annotator(pseudonym, asked + 1, asked, right, removed)
    assert made[-1] == Judgement("q-0", HASH, "annotator-0a1b2c-002", "B", [], "", "gold", False)
    notes = [f"annotators: 2; judgements: {asked + 2}"]
    notes += [f"questions of known answer: {right} of {asked} right"] if asked else []
    if removed:
        detail = f"{pseudonym}: {right} of {asked} known answers right"
        assert made[:-1] == [
            Reject(id, "known-answer failure", f"f: line {n}: {detail}") for n, (id, *_) in enumerate(rows[:-1], 1)
        ]
        notes.append(f"{pseudonym} removed: {right} of {asked} known answers right, {asked + 1} judgements")
    else:
        assert made[:-1] == [
            Judgement(id, HASH, pseudonym, label, [], "", "gold", id in TESTS) for id, _, label in rows[:-1]
        ]
    assert found.notes() == notes


def test_the_share_itself_is_enough():
    """14 of 25 is 0.56, though 0.56 * 25 is a little more than 14."""
    many = {f"k-{n}": dataclasses.replace(QUESTIONS["k-0"], instance_id=f"k-{n}") for n in range(25)}
    answers = answers_of(*((id, "anna", "B" if n < 14 else "A") for n, id in enumerate(many)))
    found = survey(partial(iter, answers), many, 0.56, "a")
    assert found.annotators["anna"] == Annotator("a-001", 25, 25, 14, False)


def test_a_known_answer_counts_whenever_it_is_given():
    """The same question may come in several batches; an answer to it is never a duplicate."""
    wrong, right = ("k-0", "anna", "A"), ("k-0", "anna", "B")
    for drawn in ((wrong, right), (right, wrong)):
        found, made = take(answers_of(*drawn), 0.5)
        assert found.annotators["anna"] == Annotator("annotator-0a1b2c-001", 2, 2, 1, False)
        assert brief(made) == [("k-0", "001", label) for _, _, label in drawn]
    assert take(answers_of(wrong, right), 0.51)[0].annotators["anna"].removed is True


def test_duplicates_of_somebody_removed_are_failures_too():
    _, made = take(answers_of(("q-0", "anna", "A"), ("q-0", "anna", "B"), ("k-0", "anna", "A"), ("q-1", "anna", "C")))
    detail = "annotator-0a1b2c-001: 0 of 1 known answers right"
    assert brief(made) == [
        ("q-0", "known-answer failure", f"f: line 1: {detail}"),
        ("q-0", "known-answer failure", f"f: line 2: {detail}"),
        ("k-0", "known-answer failure", f"f: line 3: {detail}"),
        ("q-1", "unknown label", "f: line 4: 'C', wanted one of A, B, neither, both, not sure"),
    ]


def test_notes_count_by_thousands():
    questions = {f"q-{n}": dataclasses.replace(QUESTIONS["q-0"], instance_id=f"q-{n}") for n in range(1200)}
    answers = answers_of(*((id, "anna", "A") for id in questions))
    assert survey(partial(iter, answers), questions, 0.8, "x").notes() == ["annotators: 1; judgements: 1,200"]


def test_answers_to_other_questions():
    answers = answers_of(("z-0", "anna", "A"), ("z-1", "bert", "B"))
    with pytest.raises(InputError) as caught:
        take(answers)
    assert (
        str(caught.value)
        == "2 answers to 9 questions, and none that counts (2 unknown instance); are they another project's?"
    )
    # One that counts is enough.
    _, made = take([*answers, *answers_of(("q-0", "anna", "A"))])
    assert [isinstance(it, Judgement) for it in made] == [False, False, True]


def test_no_answers_at_all():
    with pytest.raises(InputError) as caught:
        take([])
    assert str(caught.value) == "0 answers to 9 questions, and none that counts; are they another project's?"


def test_no_questions_and_no_answers():
    found = survey(partial(iter, []), {}, 0.8, "x")
    assert (found.answers, found.notes()) == (0, ["annotators: 0; judgements: 0"])
    assert list(judged_answers(partial(iter, []), {}, found)) == []


rows = st.lists(
    st.tuples(
        st.sampled_from([*ORDINARY, *TESTS, "z-1", ""]),
        st.sampled_from(["anna", "bert", "carl", ""]),
        st.sampled_from(["A", "B", "neither", "C", ""]),
        st.sampled_from(["", "2026-01-01", "2026-01-02"]),
    ),
    max_size=40,
).map(lambda drawn: [("q-0", "dora", "A", ""), *drawn])


@given(rows, st.sampled_from([0.0, 0.5, 0.8, 1.0]))
def test_every_answer_is_a_judgement_or_a_reject(drawn, known_right):
    answers = answers_of(*drawn)
    found, made = take(answers, known_right)
    assert found.answers == len(made) == len(answers)
    for answer, item in zip(answers, made, strict=True):  # in the order of the files
        if isinstance(item, Judgement):
            assert (item.instance_id, item.label) == (answer.instance_id, answer.label)
            assert item.annotator == found.annotators[answer.annotator].pseudonym
            assert item.known == (item.instance_id in TESTS)
        else:
            assert item.id == answer.instance_id
            assert item.detail.split(": ")[:2] == answer.place.split(": ")
    kept = [(it.annotator, it.instance_id) for it in made if isinstance(it, Judgement)]
    votes = [(it.annotator, it.instance_id) for it in made if isinstance(it, Judgement) and not it.known]
    assert len(set(votes)) == len(votes)
    removed = {it.pseudonym for it in found.annotators.values() if it.removed}
    assert removed.isdisjoint(annotator for annotator, _ in kept)
    # Whoever stays keeps one judgement for each question that was judged, and every known answer.
    assert len(kept) == sum(it.judgements for it in found.annotators.values() if not it.removed)
