"""Clusters of mentions become answers where their heads are those of the names."""

import pytest

from gapforge.nlp.reading import DEFAULT_MODEL, parse_texts
from gapforge.records import Instance, Span
from gapforge.systems.adapters import aligned, answers, trimmed


def span_of(text: str, words: str, nth: int = 0) -> Span:
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    return Span(start, start + len(words))


# A text, a mention in it, a name, and whether the mention is one of the name.
HEADS = [
    ("Mary Smith left.", "Mary Smith", "Mary Smith", True),
    ("Mary Smith left.", "Smith", "Mary Smith", True),
    ("Mary Smith's brother left.", "Mary Smith's", "Mary Smith", True),
    ("Mary's father met Bob.", "Mary's father", "Mary", False),
    ("Mary's father met Bob.", "Bob", "Mary", False),
    ("The mother of Ann left.", "The mother of Ann", "Ann", False),
    ("Mary Smith, the actress, left.", "Mary Smith, the actress", "Mary Smith", True),
    ("President Obama spoke.", "President Obama", "Obama", True),
    ("The actress Mary Smith spoke to him.", "The actress Mary Smith", "Mary Smith", True),
    ("The young Ann left.", "The young Ann", "Ann", True),
    ("Dr. Jane Roe left.", "Dr. Jane Roe", "Jane", True),
    ("Dr. Jane Roe left.", "Dr. Jane Roe", "Roe", True),
    ("Maria Eva Duarte de Perón left.", "Maria Eva Duarte de Perón", "Eva", True),
    ("Ann, who was ill, left.", "Ann, who was ill", "Ann", True),
    ("Ann of Cleves left.", "Ann of Cleves", "Ann", True),
    ("Ann Lee (born 1950) is a nurse.", "Ann Lee (born 1950)", "Ann Lee", True),
    ("Ann herself left.", "Ann herself", "Ann", True),
    ("His wife, Mary, left him.", "His wife, Mary", "Mary", True),
    ("Ann's brother, John, left.", "Ann's brother, John", "John", True),
    ("Ann's brother, John, left.", "Ann's brother, John", "Ann", False),
    ("Ann's brother John left.", "Ann's brother John", "John", True),
    ("Ann's brother John left.", "Ann's brother John", "Ann", False),
    ("Shakespeare's Juliet dies.", "Shakespeare's Juliet", "Juliet", True),
    ("Shakespeare's Juliet dies.", "Shakespeare's Juliet", "Shakespeare", False),
    ("The man who killed Ann fled.", "The man who killed Ann", "Ann", False),
    ("Ann and Bea left.", "Ann and Bea", "Ann", False),
    ("Ann and Bea left.", "Ann and Bea", "Bea", False),
    ("The Smith family left.", "The Smith family", "Smith", False),
    ("Smith Street is long.", "Smith Street", "Smith", False),
    ("The Obama administration fell.", "The Obama administration", "Obama", False),
    ("Then Ann Lee, a nurse, left.", "Lee, a nurse", "Ann Lee", True),
    ("It rained. Ann Lee, a nurse, left.", "Ann Lee, a nurse,", "Ann Lee", True),
]


@pytest.mark.parametrize(("text", "mention", "name", "expected"), HEADS)
def test_alignment_by_head(text, mention, name, expected):
    (sentences,) = parse_texts([text], DEFAULT_MODEL)
    assert aligned(text, trimmed(text, span_of(text, mention)), span_of(text, name), sentences) is expected


@pytest.mark.parametrize(
    ("text", "span", "expected"),
    [
        ("Ann left", Span(0, 4), "Ann"),
        ("“Ann”, she", Span(0, 6), "Ann"),
        ("Ann's cat", Span(0, 5), "Ann"),
        ("Ann’s cat", Span(0, 5), "Ann"),
        ("Ann", Span(-3, 9), "Ann"),
        ("Ann …", Span(3, 5), ""),
        ("'s", Span(0, 2), "s"),
    ],
)
def test_trimmed(text, span, expected):
    found = trimmed(text, span)
    assert text[found.start : found.end] == expected


TEXT = "Ann Lee, a nurse, met Bea Roe's mother when she was ill. Bea wept, and she slept."
ANN, BEA = span_of(TEXT, "Ann Lee"), span_of(TEXT, "Bea Roe")

# Clusters as words, with which of several occurrences where it is not the first; the answer for the first "she".
CLUSTERS = [
    ([], "neither"),
    ([["Ann Lee", "she"]], "A"),
    ([["Ann Lee, a nurse,", "she"]], "A"),
    ([["Bea Roe", "she"]], "B"),
    ([["Bea Roe's mother", "she"]], "neither"),
    ([["Bea Roe's mother", "she"], ["Bea Roe", ("Bea", 1)]], "neither"),
    ([["Ann Lee", ("she", 1)]], "neither"),
    ([["Ann Lee"], ["Bea Roe", "she", ("she", 1)]], "B"),
    ([["Ann Lee", "Bea Roe", "she"]], "both"),
    ([["a nurse", "she"]], "neither"),
    ([[("Bea", 1), "she"]], "neither"),  # another mention of Bea, which the system did not link with the name asked for
    ([["she"]], "neither"),
    ([[], ["she ", "Ann"]], "A"),
]


@pytest.mark.parametrize(("clusters", "label"), CLUSTERS)
def test_answers(clusters, label):
    instance = Instance("i-1", TEXT, span_of(TEXT, "she"), ANN, BEA)
    spans = [[span_of(TEXT, *([it] if isinstance(it, str) else it)) for it in cluster] for cluster in clusters]
    assert answers([instance], [[[(it.start, it.end) for it in cluster] for cluster in spans]], DEFAULT_MODEL) == [
        label
    ]


def test_a_mention_with_the_pronoun_for_its_head():
    text = "Ann met Bea, and she herself wept."
    instance = Instance("i-1", text, span_of(text, "she"), span_of(text, "Ann"), span_of(text, "Bea"))
    herself, bea = span_of(text, "she herself"), span_of(text, "Bea")
    clusters = [[(bea.start, bea.end), (herself.start, herself.end)]]
    assert answers([instance], [clusters], DEFAULT_MODEL) == ["B"]


def test_every_instance_in_its_turn():
    instances = [Instance(f"i-{n}", TEXT, span_of(TEXT, "she", n), ANN, BEA) for n in range(2)]
    found = [[[(it.start, it.end) for it in (ANN, span_of(TEXT, "she"))]]] * 2
    assert answers(instances, found, DEFAULT_MODEL) == ["A", "neither"]
    assert answers([], [], DEFAULT_MODEL) == []
