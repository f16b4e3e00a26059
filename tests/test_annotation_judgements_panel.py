"""Resolvers that vote: their labels are silver, and whatever is no label is refused."""

import importlib

import pytest

from gapforge.annotation.answers import Answer, judge
from gapforge.annotation.judgements import BATCH, panel_answers
from gapforge.annotation.questions import ask
from gapforge.errors import ConfigError
from gapforge.records import Judgement, Span

RESOLVERS = """
sizes = []

def first(questions):
    sizes.append(len(questions))
    return ["A" for _ in questions]

def by_text(questions):
    return ("B" if "Ida left" in it.text else "not sure" for it in questions)

def short(questions):
    return ["A"] * (len(questions) - 1)

def long(questions):
    return ["A"] * (len(questions) + 1)

def wrong(questions):
    return ["A"] * (len(questions) - 1) + ["a"]

def nothing(questions):
    return [None for _ in questions]

def fails(questions):
    raise KeyError("a name")

def silent(questions):
    pass

answer = "A"
"""


def make_question(id, text="Ann met Ida. She left."):
    return ask(id, id, text, Span(13, 16), (Span(0, 3), Span(8, 11)), [])


QUESTIONS = [make_question("q-1"), make_question("q-2", "Ann met Ida. She, Ida left.")]


@pytest.fixture
def voters(tmp_path, monkeypatch):
    """A module of resolvers that can be imported, under a name that no other test has."""
    name = f"voters_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(RESOLVERS, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return name


def test_every_resolver_answers_every_question(voters):
    names = [f"{voters}:first", f"{voters}:by_text"]
    answers = list(panel_answers(QUESTIONS, names))
    first, second = QUESTIONS
    assert answers == [
        Answer(names[0], "q-1", first.content_hash, names[0], label="A", standard="silver"),
        Answer(names[0], "q-2", second.content_hash, names[0], label="A", standard="silver"),
        Answer(names[1], "q-1", first.content_hash, names[1], label="not sure", standard="silver"),
        Answer(names[1], "q-2", second.content_hash, names[1], label="B", standard="silver"),
    ]
    judged = [judge(it, {it.instance_id: it for it in QUESTIONS}) for it in answers]
    assert judged[3] == Judgement("q-2", second.content_hash, names[1], "B", [], "", "silver", False)
    assert [it.standard for it in judged] == ["silver"] * 4


def test_questions_come_in_batches(voters):
    questions = [make_question(f"q-{n}") for n in range(2 * BATCH + 1)]
    answers = list(panel_answers(questions, [f"{voters}:first"]))
    assert [it.instance_id for it in answers] == [it.instance_id for it in questions]
    assert importlib.import_module(voters).sizes == [BATCH, BATCH, 1]


def test_no_questions_and_no_resolvers(voters):
    assert list(panel_answers([], [f"{voters}:first"])) == []
    assert list(panel_answers(QUESTIONS, [])) == []


SAYS = "a resolver says A, B, neither, both, not sure"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("short", "{name}: 1 labels for 2 questions; a resolver gives one for each"),
        ("long", "{name}: 3 labels for 2 questions; a resolver gives one for each"),
        ("wrong", "{name}: gives 'a'; " + SAYS),
        ("nothing", "{name}: gives None; " + SAYS),
        ("answer", "cannot use '{name}': it is a str, not a function"),
        (
            "absent",
            "cannot load '{name}' from {file}: module '{voters}' has no attribute 'absent'; "
            "fix it there; a module of your own has to have another name than an installed one",
        ),
    ],
)
def test_resolvers_that_cannot_vote(voters, tmp_path, function, message):
    name = f"{voters}:{function}"
    with pytest.raises(ConfigError) as caught:
        list(panel_answers(QUESTIONS, [name]))
    assert str(caught.value) == message.format(name=name, voters=voters, file=tmp_path / f"{voters}.py")


def test_a_resolver_of_an_unknown_name():
    with pytest.raises(ConfigError, match=r"^unknown plug-in 'nerest', and no 'package\.module:function'"):
        list(panel_answers(QUESTIONS, ["nerest"]))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fails", "KeyError: 'a name'; fix the resolver"),
        ("silent", "TypeError: 'NoneType' object is not iterable; fix the resolver"),
    ],
)
def test_a_resolver_that_fails_is_named(voters, name, message):
    with pytest.raises(ConfigError) as caught:
        list(panel_answers(QUESTIONS, [f"{voters}:{name}"]))
    assert str(caught.value) == f"{voters}:{name}: {message}"
