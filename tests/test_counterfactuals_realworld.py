"""What speaks against a quadruple: words that annotators should look at, and people who live or lived."""

import re
import tomllib

import pytest

from gapforge.counterfactuals.realworld import (
    REAL_PEOPLE,
    biography_of,
    contradictions_in,
    historic_people,
    listed,
    name_forms,
    nobody,
)
from gapforge.counterfactuals.variants import Scene
from gapforge.plugins import load_plugin
from gapforge.records import Person, Span
from gapforge.resources import resource


def make_scene(text, *names):
    """A scene of people who are called so, wherever they are mentioned."""
    people = [Person("C1", name, "feminine", []) for name in names]
    return Scene(text, "feminine", Span(0, 0), Span(0, 0), Span(0, 0), people)


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("It rained.", [], []),
        ("Dora told Ida that she had the key.", ["Dora", "Ida"], []),
        # Bodies: whole words, and those that begin so.
        ("His beard was grey.", [], ["beard"]),
        ("The bearded man saw two BEARDS and a beard.", [], ["beard", "bearded", "beards"]),
        ("She was pregnant; her pregnancy was hard.", [], ["pregnancy", "pregnant"]),
        ("He was unshaven, for he never shaved.", [], ["shaved", "unshaven"]),
        ("The tenor sang.", [], ["tenor"]),
        ("The tenors sang of the tenure.", [], []),
        # Phrases, over any white space.
        ("She gave birth.", [], ["gave birth"]),
        ("She gave\n  birth.", [], ["gave birth"]),
        ("She was With Child.", [], ["with child"]),
        ("She was with a child.", [], []),
        ("She gave birthday cake.", [], []),
        # Customs.
        ("The pope wrote to the nunnery.", [], ["nunnery", "pope"]),
        ("The regiments left Sandhurst.", [], ["regiments", "sandhurst"]),
        # Within a word nothing is meant.
        ("The upbeard slept.", [], []),
        ("Wombwell is a town.", [], []),
        # Those whom everybody knows, after the words; a name counts as a whole.
        ("It rained.", ["Robin Hood", "Dora Kell"], ["Robin Hood"]),
        ("It rained.", ["Robin", "Hood", "Robin Hoods"], []),
        ("Zeus shaved the beard.", ["Zeus", "Adam", "Ann"], ["beard", "shaved", "Adam", "Zeus"]),
        ("Zeus saw Robin Hood.", [], []),
    ],
)
def test_contradictions(text, names, found):
    assert contradictions_in(make_scene(text, *names)) == found


def test_every_word_of_the_lists_is_found():
    lists = tomllib.loads(resource("lexicons/contradictions.toml").read_text("utf-8"))
    words = [*f"{lists['bodies']} {lists['customs']}".split(), *lists["phrases"].strip().splitlines()]
    assert len(words) >= 70
    lacking = []
    for word in words:
        shown = word.replace("*", "xyz")
        if contradictions_in(make_scene(f"The {shown}, he said.")) != [shown]:
            lacking.append(word)
    assert lacking == []


def test_historic_people_are_names():
    assert len(historic_people()) >= 60
    assert [name for name in historic_people() if not re.fullmatch(r"[A-Z]\w+(?: [A-Z]\w+| of| the)*", name)] == []
    assert {"Jane Austen", "Napoleon", "Queen Victoria", "Alexander the Great"} <= historic_people()


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        # Documents that tell a life.
        ("Ada Lovelace", "Ada Lovelace (10 December 1815 – 27 November 1852) was an English writer.", "Ada Lovelace"),
        ("Ada Lovelace", "Augusta Ada King, Countess of Lovelace, was a writer.", "Ada Lovelace"),
        ("Ada Lovelace", "Ada Lovelace (b. 1815) wrote.", "Ada Lovelace"),
        ("Ada Lovelace", "Ada Lovelace (c. 1815) wrote.", "Ada Lovelace"),
        ("Ada Lovelace", "Ada Lovelace (born Byron) wrote.", "Ada Lovelace"),
        ("Ada Lovelace", "Ada Lovelace is the mathematician.", "Ada Lovelace"),
        ("Ada Lovelace", "Lovelace\n\nwas one of the first.", "Ada Lovelace"),
        ("Ada Lovelace (mathematician)", "Ada Lovelace was a mathematician.", "Ada Lovelace"),
        ("Ada Lovelace, Countess", "Ada Lovelace was a mathematician.", "Ada Lovelace"),
        ("Elizabeth II", "Elizabeth II (born 1926) was Queen.", "Elizabeth II"),
        # A title of one word, or of none.
        ("Lovelace", "Ada Lovelace was a mathematician.", ""),
        ("Madonna", "Madonna is an American singer.", ""),
        ("", "", ""),
        # No first name.
        ("List of people", "List of people is a list.", ""),
        ("The Lamp", "The Lamp is a novel.", ""),
        # What bears somebody's name.
        ("Jane Eyre", "Jane Eyre is a novel by Charlotte Brontë.", ""),
        ("Ada Lovelace (film)", "Ada Lovelace (born Byron) is told of.", ""),
        ("Charlotte Street", "Charlotte Street is a way.", ""),
        ("Mary River", "Mary River is a stream.", ""),
        ("Lucy Walker", "Lucy Walker was a steamer.", ""),
        ("Sarah Hill", "Sarah Hill was a writer.", "Sarah Hill"),
        # A beginning that says nothing of the kind, or of somebody else.
        ("Ada Lovelace", "", ""),
        ("Ada Lovelace", "It rained all day. Lovelace was a mathematician.", ""),
        ("Ada Lovelace", "The life of Lovelace began with rain.", ""),
        ("Ada Lovelace", "Ada Byron was a mathematician.", ""),
        ("Ada Lovelace", "Charles Babbage was a friend. " * 7 + "Ada Lovelace was a writer.", ""),
    ],
)
def test_biographies(make_document, title, text, name):
    assert biography_of(make_document(title=title, text=text)) == name


@pytest.mark.parametrize(
    ("hook", "found"),
    [
        ("listed", [True, False, False, True]),
        ("none", [False, False, False, False]),
        ("gapforge.counterfactuals.realworld:listed", [True, False, False, True]),
    ],
)
def test_hooks_by_name(hook, found):
    names = ["Ada Lovelace", "Ada", "ada lovelace", "Zeus"]
    assert load_plugin(hook, REAL_PEOPLE)(names, frozenset(["Ada Lovelace", "Zeus", "Bo"])) == found


def test_nobody_asked_is_nobody_known():
    assert listed([], frozenset(["Ada"])) == []
    assert nobody([], frozenset(["Ada"])) == []
    assert listed(["Ada"], frozenset()) == [False]


def test_forms_are_each_given_once_and_on_one_line():
    text = "Ada met Bo. Ada\nLovelace saw Ada and Bo."
    ada = Person("C1", "Ada", "feminine", [Span(0, 3), Span(12, 24), Span(29, 32)])
    bo = Person("O1", "Bo", "masculine", [Span(8, 10), Span(37, 39)])
    assert name_forms(text, [bo, ada]) == ["Ada", "Ada Lovelace", "Bo"]
    assert name_forms(text, []) == []
