"""Where a rule may put a phrase, kind by kind, and where it may not: sentences parsed by the real model."""

import pytest

from gapforge.nlp.reading import DEFAULT_MODEL, reader_of
from gapforge.records import Span
from gapforge.subjectivity.transfer import Slot, capital, find_slots, is_free, load_phrases

# Every place of the kind, "^" where a phrase is put in and "[]" around what it replaces; the last is a phrase that
# fits the first of them.
PLACES = [
    ("stance", "^She ^died in Paris in 1990.", "Unfortunately"),
    ("stance", "^Ann Lee ^died in Paris in 1990.", "Unfortunately"),
    ("stance", "^His father ^died in Paris in 1990.", "Unfortunately"),
    ("stance", "^The king was ^killed in battle.", "Unfortunately"),
    ("stance", "^They ^won the match in 1990.", "Fortunately"),
    ("stance", "^He had ^won the race in 1990.", "Fortunately"),
    ("stance", "^In 1990 she ^won the match.", "Fortunately"),
    ("stance", "^The women's team ^won the match.", "Fortunately"),
    ("stance", "However, she ^died in Paris.", "sadly"),  # it has its opening
    ("stance", "Workers ^died in Paris.", "sadly"),  # the capital might be a name's
    ("stance", "^She died of cancer.", "Unfortunately"),  # what died of would be parted
    ("remark", "^She joined the club in 1990.", "Surprisingly"),
    ("remark", "^Mary Smith joined the club in 1990.", "Surprisingly"),
    ("remark", "^When the war ended, she left Paris.", "Surprisingly"),
    ("remark", "^He was elected mayor of Paris.", "Surprisingly"),
    ("manner", "Mary Smith ^played the queen in Hamlet.", "brilliantly"),
    ("manner", "He was ^defeated by John Brown.", "convincingly"),
    ("manner", "A film ^directed by Ann Lee was shown in Paris.", "brilliantly"),
    ("manner", "He ^served in the army and ^wrote three books.", "loyally"),
    ("manner", "He had ^won the race in 1990.", "deservedly"),
    ("manner", "John Brown and his wife ^left.", "foolishly"),
    ("manner", "Ann Lee ^said that she was tired.", "famously"),
    ("adjective", "He was an ^actor in Paris.", "gifted"),
    ("adjective", "He lived in a ^house in Paris with his ^wife.", "charming"),
    ("adjective", "John Brown's ^father moved to Paris.", "beloved"),
    ("adjective", "He was a ^young writer.", "brilliant"),
    ("adjective", "He was a ^French writer.", "brilliant"),
    ("adjective", "He was a ^political writer.", "brilliant"),
    ("adjective", "She met a ^writer and a ^poet.", "brilliant"),
    ("adjective", "She wrote a ^series in Paris.", "brilliant"),
    ("adjective", "He was the son of a ^poet.", "brilliant"),
    ("adjective", "The writer's ^wife left.", "beloved"),
    ("intensifier", "She was ^successful in Paris.", "extremely"),
    ("intensifier", "She was a ^famous writer.", "extremely"),
    ("intensifier", "His ^popular book sold well.", "extremely"),
    ("intensifier", "She had become ^famous.", "extremely"),
    ("verb", "Ann Lee [said] that she was tired.", "claimed"),
    ("verb", "Ann Lee [says] that she is tired.", "claims"),
    ("verb", "She had [said] that he left.", "claimed"),
    ("verb", "Mary Smith [defeated] Ann Lee in Paris.", "crushed"),
    ("verb", "She [wanted] to leave Paris.", "longed"),
    ("verb", "He has [tried] to leave.", "struggled"),
    ("verb", "He [asked] her to leave Paris.", "begged"),
    ("verb", "She [loved] her husband.", "adored"),
    ("verb", "John Brown [opposed] the plan.", "railed against"),
    ("verb", "He [supported] Ann Lee.", "championed"),
]
# Nothing at all, of any kind.
UNTOUCHED = [
    "She was not a writer.",
    "He was no writer.",
    "She never won the match.",
    "She has never won the match.",
    "She did not die.",
    "Nobody won the match.",
    "None of them won the match.",
    "Neither writer won the match.",
    "She was not successful in Paris.",
    "She was the best writer in Paris.",
    "He was the first actor in Paris.",
    "He is the most successful writer.",
    "He was a more successful writer.",
    "He is very famous in Paris.",
    "He was a self-taught writer.",
    "She met a writer-director.",
    "She met a writer/poet.",
    'She met a "writer" in Paris.',
    "She was said to be tired.",
    "She is his wife.",
    "He was her younger brother.",
    "He was such a writer.",
    "She was as good a writer as John.",
    "He was a brilliant writer.",
    "He was a Writer in Paris.",
    "She lived in half a house.",
    "Both the writers left.",
    "Was she a writer?",
    "Was she successful in Paris?",
    "Did she die in Paris?",
    "Who won the match?",
    "Died in Paris in 1990.",
    "In Paris, 1990.",
    "It was lost in Paris.",
    "She will die in Paris.",
    "She might win the match.",
    "Then she died in Paris.",
    "It died in 1990.",
    "She likes to sing.",
    "She wants him to leave.",
    "He asked if she left.",
    "Paris",
    ".",
]
# Kinds that a sentence does not get, whatever else it gets.
WITHOUT = [
    ("She wrote a series of letters.", "adjective"),
    ("She joined a group of writers.", "adjective"),
    ("She worked as a teacher in Paris.", "adjective"),
    ("Mary Smith, who is his wife, moved to Paris.", "adjective"),
    ("She bought a 12-year-old house.", "adjective"),
    ("The women's team won the match.", "adjective"),
    ("The army defeated Ann Lee.", "manner"),
    ("The army defeated Ann Lee.", "verb"),
    ("The report said that she was tired.", "verb"),
    ("The book was praised by critics.", "verb"),
    ("They defeated the team.", "verb"),  # not a person
    ("He supported the plan.", "verb"),
    ("Ann Lee said it.", "verb"),
    ('Ann Lee said, "She was tired."', "verb"),
    ("She wanted a book.", "verb"),
    ("She bravely died in Paris.", "manner"),
    ("She wrote brilliantly in Paris.", "manner"),
    ("She became a very famous writer.", "intensifier"),
    ("The famous writer left.", "intensifier"),
    ("If she won, he left.", "remark"),
    ("Unless she won, he left.", "remark"),
    ("She died in Paris: her book was lost.", "stance"),
    ("A writer from Paris.", "stance"),
    ("A writer from Paris.", "remark"),
    ("She joined the club", "remark"),
    ("she joined the club.", "remark"),
]


def unmarked(marked):
    """The sentence, and the spans of the places in it."""
    text, spans = "", []
    for mark in marked:
        if mark == "^":
            spans.append(Span(len(text), len(text)))
        elif mark == "[":
            spans.append(Span(len(text), -1))
        elif mark == "]":
            spans[-1] = Span(spans[-1].start, len(text))
        else:
            text += mark
    return text, spans


@pytest.fixture(scope="module")
def docs():
    """Every sentence of this module, parsed."""
    told = [unmarked(marked)[0] for _, marked, _ in PLACES] + UNTOUCHED + [it for it, _ in WITHOUT]
    told += [it for it, _, _ in CAPITALS] + ["Then she joined the club in Paris."]
    unique = list(dict.fromkeys(told))
    return dict(zip(unique, reader_of(DEFAULT_MODEL).described_trees(unique), strict=True))


@pytest.mark.parametrize(("kind", "marked", "phrase"), PLACES)
def test_places(docs, kind, marked, phrase):
    text, spans = unmarked(marked)
    found = [slot for slot in find_slots(docs[text], [], load_phrases()) if slot.kind == kind]
    assert sorted((it.span for it in found), key=lambda it: it.start) == spans
    assert phrase in found[0].phrases


@pytest.mark.parametrize("text", UNTOUCHED)
def test_sentences_that_are_left_alone(docs, text):
    assert find_slots(docs[text], [], load_phrases()) == []


@pytest.mark.parametrize(("text", "kind"), WITHOUT)
def test_kinds_that_a_sentence_does_not_get(docs, text, kind):
    assert kind not in {slot.kind for slot in find_slots(docs[text], [], load_phrases())}


CAPITALS = [
    ("She died in Paris.", [], Span(0, 1)),
    ("She died in Paris.", [Span(0, 3)], Span(0, 1)),  # a pronoun may lose its capital
    ("The king was killed in battle.", [], Span(0, 1)),
    ("In 1990 she won the match.", [], Span(0, 1)),
    ("Ann Lee died in Paris in 1990.", [], None),
    ("Ann Lee died in Paris in 1990.", [Span(0, 7)], None),
    ("Hope died in Paris in 1990.", [], None),
    ("I died in Paris.", [], None),
    ("An Wang died in Boston in 1990.", [Span(0, 7)], "none"),  # what the model takes for an article is a name
    ("He Jie died in Boston in 1990.", [Span(0, 6)], "none"),  # and this for a pronoun
]


@pytest.mark.parametrize(("text", "protected", "lowered"), CAPITALS)
def test_the_capital_behind_an_opening(docs, text, protected, lowered):
    slots = [it for it in find_slots(docs[text], protected, load_phrases()) if it.form == "{}, "]
    assert [it.lowered for it in slots] == ([] if lowered == "none" else [lowered])


@pytest.mark.parametrize(
    ("protected", "kinds"),
    [
        ([], {"remark", "adjective", "manner", "verb"}),
        ([Span(0, 10)], {"remark", "adjective", "manner", "verb"}),  # in front of it, and behind
        ([Span(11, 16)], {"remark", "adjective", "manner"}),
        ([Span(0, 30)], {"remark"}),  # all of it quoted: only what stands before it
        ([Span(3, 15)], {"remark", "adjective"}),
        ([Span(19, 25)], {"remark", "manner", "verb"}),
    ],
)
def test_protected_spans(protected, kinds):
    text = "Mary Smith liked the novel too."
    slots = [
        Slot("remark", Span(0, 0), "{}, ", ("Oddly",)),
        Slot("manner", Span(11, 11), "{} ", ("dearly",)),
        Slot("verb", Span(11, 16), "{}", ("adored",)),
        Slot("adjective", Span(21, 21), "{} ", ("dull",)),
    ]
    assert {slot.kind for slot in slots if is_free(slot, text, protected)} == kinds


@pytest.mark.parametrize(("phrase", "expected"), [("sadly", "Sadly"), ("of course", "Of course"), ("a", "A")])
def test_capital(phrase, expected):
    assert capital(phrase) == expected


@pytest.mark.parametrize(
    ("text", "protected", "expected"),
    [
        ("She died.", [Span(0, 3)], True),  # a pronoun may lose its capital
        ("The king died.", [Span(4, 8)], True),
        ("The king died.", [Span(0, 8)], False),  # a name may not
        ("May died.", [Span(0, 3)], False),
        ("He died.", [Span(0, 3)], False),  # the surname, with the blank behind it
        ("She died.", [Span(0, 3), Span(0, 9)], False),  # nor what is quoted
    ],
)
def test_what_may_lose_its_capital(text, protected, expected):
    assert is_free(Slot("stance", Span(0, 0), "{}, ", ("Sadly",), Span(0, 1)), text, protected) == expected
