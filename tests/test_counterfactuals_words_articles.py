"""a and an before what was exchanged."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.counterfactuals.words import begins_with_vowel, with_articles
from gapforge.edits import Edit, Rewriting
from gapforge.records import Span


def exchange(text, *pairs):
    """The text with the first place of each old word given to the new one, and the articles that go with it."""
    edits = [Edit(Span(text.index(old), text.index(old) + len(old)), new) for old, new in pairs]
    return Rewriting(text, with_articles(text, edits)).text


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("He was an earl.", "earl", "countess", "He was a countess."),
        ("She was a countess.", "countess", "earl", "She was an earl."),
        ("She was a waitress.", "waitress", "waiter", "She was a waiter."),
        ("He was an actor.", "actor", "actress", "He was an actress."),
        ("An uncle came.", "uncle", "niece", "A niece came."),
        ("A niece came.", "niece", "uncle", "An uncle came."),
        ("AN EARL CAME.", "EARL", "COUNTESS", "A COUNTESS CAME."),
        ("A COUNTESS CAME.", "COUNTESS", "EARL", "AN EARL CAME."),
        ("A BO", "BO", "ANN", "AN ANN"),
        ("Section A Bob", "Bob", "Alice", "Section A Alice"),
        ("She said: “A Bob”", "Bob", "Alice", "She said: “An Alice”"),
        ("a Bo", "Bo", "Uriah", "a Uriah"),
        ("a Bo", "Bo", "Åsa", "an Åsa"),
        ("He was an Earl.", "Earl", "Countess", "He was a Countess."),
        ("an Alice Brown", "Alice Brown", "Bo", "a Bo"),
        ("a Bo", "Bo", "Élodie", "an Élodie"),
        # By sound, not by letter.
        ("She was a maid.", "maid", "heiress", "She was an heiress."),
        ("She was an heiress.", "heiress", "heir", "She was an heir."),
        ("a Bo", "Bo", "Honora", "an Honora"),
        ("a Bo", "Bo", "Hannah", "a Hannah"),
        ("an Ann", "Ann", "Eugene", "a Eugene"),
        ("a Eugene", "Eugene", "Ursula", "an Ursula"),
        ("an Ann", "Ann", "Una", "an Una"),
        ("an Ann", "Ann", "Eunice", "a Eunice"),
        # Marks and line ends between the two.
        ("an “earl”", "earl", "countess", "a “countess”"),
        ("an _earl_", "earl", "countess", "a _countess_"),
        ("an\nearl", "earl", "countess", "a\ncountess"),
        ("an \n “_earl_", "earl", "countess", "a \n “_countess_"),
        ('"An earl"', "earl", "countess", '"A countess"'),
        ("_an earl_", "earl", "countess", "_a countess_"),
        # No article of this word.
        ("the earl", "earl", "countess", "the countess"),
        ("an old earl", "old earl", "young countess", "a young countess"),
        ("an old earl", "earl", "countess", "an old countess"),
        ("human earl", "earl", "countess", "human countess"),
        ("Santa Ann", "Ann", "Bo", "Santa Bo"),
        ("an, earl", "earl", "countess", "an, countess"),
        ("an-earl", "earl", "countess", "an-countess"),
        ("an" + " " * 20 + "earl", "earl", "countess", "an" + " " * 20 + "countess"),
        # What was wrong stays as it was unless the sound changes.
        ("a earl", "earl", "uncle", "a uncle"),
        ("an countess", "countess", "duchess", "an duchess"),
        ("a earl", "earl", "countess", "a countess"),
        ("an countess", "countess", "earl", "an earl"),
        ("earl", "earl", "countess", "countess"),
    ],
)
def test_articles(text, old, new, expected):
    assert exchange(text, (old, new)) == expected


@pytest.mark.parametrize(
    ("text", "pairs", "expected"),
    [
        ("an earl and a maid", [("earl", "countess"), ("maid", "heir")], "a countess and an heir"),
        ("a Miss An Bo", [("Miss An", "Mr. Orr"), ("Bo", "Ida")], "a Mr. Orr Ida"),  # the An is a part of a name
        ("an earl a countess", [("earl a", "lady a"), ("countess", "earl")], "a lady a earl"),
    ],
)
def test_an_article_within_another_edit_is_left_to_it(text, pairs, expected):
    assert exchange(text, *pairs) == expected


def test_the_edits_stand_in_text_order():
    text = "an earl met a countess"
    edits = [Edit(Span(3, 7), "countess"), Edit(Span(14, 22), "earl")]
    assert with_articles(text, edits) == [Edit(Span(0, 2), "a"), edits[0], Edit(Span(12, 13), "an"), edits[1]]


def test_no_edits_change_no_articles():
    assert with_articles("a earl met an countess", []) == []


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("aunt", True),
        ("Earl", True),
        ("INFANTA", True),
        ("ogress", True),
        ("uncle", True),
        ("Élodie", True),
        ("Ángel", True),
        ("heir", True),
        ("Heiress", True),
        ("honest", True),
        ("Honoria", True),
        ("honourable", True),
        ("hour", True),
        ("duke", False),
        ("Yvonne", False),
        ("hero", False),
        ("Howard", False),
        ("Eunice", False),
        ("European", False),
        ("Ewan", False),
        ("unicorn", False),
        ("Una", True),
        ("usurper", False),
        ("usher", True),
        ("one", False),
        ("Oneida", True),
        ("U", False),
        ("UK", False),
        ("", False),
        ("'aunt", False),
        ("8", False),
    ],
)
def test_begins_with_vowel(word, expected):
    assert begins_with_vowel(word) is expected


WORDS = st.sampled_from(["earl", "countess", "uncle", "duke", "heir", "maid", "Eugene", "Ann", "Bo", "Honora", "Una"])
FILLER = st.text(st.sampled_from(list("anA bt.,\n\"“_'")), max_size=6)


@st.composite
def texts_with_words(draw):
    """Words and names with anything before and after them, articles and what looks like one too, and their edits."""
    text, edits = "", []
    for old, new in draw(st.lists(st.tuples(WORDS, WORDS), max_size=5)):
        text += draw(FILLER | st.sampled_from([" a ", " an ", "A ", "An “"]))
        edits.append(Edit(Span(len(text), len(text) + len(old)), new))
        text += old
    return text + draw(FILLER), edits


@given(texts_with_words())
def test_only_articles_change_whatever_stands_around(case):
    text, edits = case
    made = with_articles(text, edits)
    Rewriting(text, made)  # raises where they overlap
    assert [it for it in made if it in edits] == edits
    for article, word in pairwise(made):
        if article not in edits:
            old = text[article.span.start : article.span.end]
            assert re.fullmatch(r"\s+[\"“_']*", text[article.span.end : word.span.start])
            assert (old.lower(), article.new.lower()) == (("a", "an") if begins_with_vowel(word.new) else ("an", "a"))
            assert old[0] == article.new[0]


@given(WORDS, WORDS, st.sampled_from(["", "“", "_", "'"]), st.booleans())
def test_there_and_back_again(old, new, mark, capital):
    article = "an" if begins_with_vowel(old) else "a"
    text = f"Once {article.capitalize() if capital else article} {mark}{old} came."
    assert exchange(exchange(text, (old, new)), (new, old)) == text
