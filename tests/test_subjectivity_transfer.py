"""Proposals by rules: what they make of a sentence, and that they depend on nothing but seed and sentence."""

import random

import pytest

from gapforge.edits import Edit, Rewriting
from gapforge.records import Span, SubjectiveEdit
from gapforge.subjectivity.transfer import Slot, as_edits, by_lot, in_turns, load_phrases, rules

SENTENCES = [
    "She died in Paris in 1990.",
    "Ann Lee died in Paris in 1990.",
    "He lived in a house in Paris with his wife.",
    "He was an actor in Paris.",
    "Mary Smith defeated Ann Lee in Paris.",
    "She joined the club in 1990, and he wrote a novel.",
    "Ann Lee said that she was a famous writer.",
    "He served in the army and wrote three books.",
    "She loved her husband.",
    "She was not a writer.",
    "",
    "In 1990 she won the match, and her father moved to a village with a popular singer.",
]


def propose(sentences, protected=None, seed=0, attempts=4):
    return rules(sentences, protected or [()] * len(sentences), seed, attempts)


def applied(sentence, edits):
    return Rewriting(sentence, [Edit(it.span, it.new) for it in edits]).text


@pytest.fixture(scope="module")
def proposed():
    return dict(zip(SENTENCES, propose(SENTENCES), strict=True))


# ---- edits


@pytest.mark.parametrize(
    ("text", "slot", "phrase", "expected"),
    [
        (
            "He was a printer.",
            Slot("adjective", Span(9, 9), "{} ", ()),
            "outstanding",
            "He was an outstanding printer.",
        ),
        ("He was an actor.", Slot("adjective", Span(10, 10), "{} ", ()), "brilliant", "He was a brilliant actor."),
        ("He was an actor.", Slot("adjective", Span(10, 10), "{} ", ()), "admired", "He was an admired actor."),
        ("An actor died.", Slot("adjective", Span(3, 3), "{} ", ()), "brilliant", "A brilliant actor died."),
        ("A printer died.", Slot("adjective", Span(2, 2), "{} ", ()), "outstanding", "An outstanding printer died."),
        ("An honest man.", Slot("intensifier", Span(3, 3), "{} ", ()), "truly", "A truly honest man."),
        (
            "He was a rich man.",
            Slot("intensifier", Span(9, 9), "{} ", ()),
            "unusually",
            "He was an unusually rich man.",
        ),
        ("His father left.", Slot("adjective", Span(4, 4), "{} ", ()), "unlucky", "His unlucky father left."),
        ("She died.", Slot("stance", Span(0, 0), "{}, ", (), Span(0, 1)), "Sadly", "Sadly, she died."),
        ("A man died.", Slot("stance", Span(0, 0), "{}, ", (), Span(0, 1)), "Sadly", "Sadly, a man died."),
        ("Ann died.", Slot("stance", Span(0, 0), "{}, ", ()), "Sadly", "Sadly, Ann died."),
        ("She said so.", Slot("verb", Span(4, 8), "{}", ()), "claimed", "She claimed so."),
    ],
)
def test_edits(text, slot, phrase, expected):
    edits = as_edits(slot, phrase, text)
    assert applied(text, edits) == expected
    assert {(it.phrase, it.kind) for it in edits} == {(phrase.lower(), slot.kind)}


def test_an_opening_is_two_edits():
    assert as_edits(Slot("stance", Span(0, 0), "{}, ", (), Span(0, 1)), "Sadly", "She died.") == [
        SubjectiveEdit(Span(0, 0), "Sadly, ", "sadly", "stance"),
        SubjectiveEdit(Span(0, 1), "s", "sadly", "stance"),
    ]


# ---- sentences


def test_each_proposal_is_one_phrase_in_its_place(proposed):
    """Every proposal of a sentence with two places, the phrases taken from the lists by hand."""
    text = "He lived in a house in Paris with his wife."
    phrases = load_phrases()
    house = {
        f"He lived in a{'n' * (word[0] in 'aeiou')} {word} house in Paris with his wife."
        for word in phrases.adjectives["house", "a"]
    }
    wife = {f"He lived in a house in Paris with his {word} wife." for word in phrases.adjectives["wife", "possessor"]}
    made = [applied(text, edits) for edits in proposed[text]]
    assert len(set(made)) == 4 and set(made) <= house | wife
    assert [len(set(it) & house) for it in (made[:2], made[2:])] == [1, 1]  # either place before one has its second


@pytest.mark.parametrize(
    ("text", "name", "opened"),
    [
        ("Ann Lee died in Paris in 1990.", "Ann Lee", True),
        ("Hope joined the club in 1990.", "Hope", True),
        ("An Wang died in Boston in 1990.", "An Wang", False),  # an article to the model
        ("May Day joined the club in 1990.", "May Day", True),
        ("Will joined the club in 1990.", "Will", False),  # an auxiliary
    ],
)
def test_names_keep_their_capitals(text, name, opened):
    made = [applied(text, edits) for seed in range(8) for edits in propose([text], [[Span(0, len(name))]], seed)[0]]
    assert made and all(name in it for it in made)
    assert any(it.endswith(f", {text}") for it in made) == opened


def test_a_pronoun_loses_its_capital():
    text = "She died in Paris in 1990."
    made = [applied(text, edits) for seed in range(8) for edits in propose([text], [[Span(0, 3)]], seed)[0]]
    opened = {it for it in made if not it.startswith("She")}
    assert {it[it.index(",") :] for it in opened} == {", she died in Paris in 1990."}
    assert {it.partition(",")[0].lower() for it in opened} <= set(load_phrases().stance["bad"])


def test_quotations_stay_as_they_are():
    text = 'He said that "she was a famous writer and joined the club" in Paris.'
    quoted = Span(text.index('"'), text.rindex('"') + 1)
    assert any(edits[0].span.start > quoted.start for edits in propose([text], attempts=9)[0])
    for edits in propose([text], [[quoted]], attempts=9)[0]:
        assert text[quoted.start : quoted.end] in applied(text, edits)


# ---- what they depend on


def test_at_most_so_many(proposed):
    assert max(map(len, proposed.values())) == 4
    for attempts in (1, 2, 9):
        found = propose(SENTENCES, attempts=attempts)
        assert max(map(len, found)) <= attempts
        if attempts < 4:
            assert found == [proposed[text][:attempts] for text in SENTENCES]
        else:
            assert [its[:4] for its in found] == [proposed[text] for text in SENTENCES]


def test_nothing_from_nothing(proposed):
    assert proposed[""] == proposed["She was not a writer."] == []
    assert propose([]) == []


def test_no_phrase_twice_within_a_sentence():
    for seed in range(4):
        for its in propose(SENTENCES, seed=seed, attempts=20):
            phrases = [edits[0].phrase for edits in its]
            assert len(set(phrases)) == len(phrases)
            assert all(len({edit.phrase for edit in edits}) == 1 for edits in its)


def test_kinds_take_turns():
    """Each kind once before any comes again, and what says least behind the others."""
    remarks = 0
    for its in propose(SENTENCES, attempts=20):
        kinds = [edits[0].kind for edits in its]
        there = set(kinds) - {"remark"}
        assert set(kinds[: len(there)]) == there
        remarks += "remark" in kinds
    assert remarks >= 2


@pytest.mark.parametrize("order", [1, 2])
def test_the_other_sentences_do_not_matter(proposed, order):
    shuffled = random.Random(order).sample(SENTENCES, len(SENTENCES))
    assert propose(shuffled) == [proposed[text] for text in shuffled]
    assert propose([SENTENCES[2]]) == [proposed[SENTENCES[2]]]
    assert propose([SENTENCES[0], SENTENCES[2], SENTENCES[2]])[1:] == [proposed[SENTENCES[2]]] * 2


def test_another_seed_gives_others():
    assert len({str(propose([SENTENCES[-1]], seed=seed)) for seed in range(5)}) == 5


def test_lots():
    choices = ("a", "b", "c", "d")
    assert sorted(by_lot(choices, "text", 0)) == list(choices)
    assert by_lot(choices, "text", 0) == by_lot(choices[::-1], "text", 0)
    assert len({tuple(by_lot(choices, "text", seed)) for seed in range(20)}) > 5
    slots = [Slot("verb", Span(n, n + 1), "{}", ("x",)) for n in range(3)]
    slots.append(Slot("remark", Span(0, 0), "{}, ", ("x",)))
    turns = list(in_turns(slots, "text", 0))
    assert turns == list(in_turns(slots[::-1], "text", 0))
    assert turns[-1].kind == "remark" and set(turns) == set(slots)
