"""A document before any model is asked: its sections, its contexts, and which pronouns can be candidates at all."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.extraction.patterns import Placed, find_patterns
from gapforge.extraction.scan import Pronoun, all_pronouns, forms_of, possible_counter_gap, possible_gap
from gapforge.people.identity import join_people
from gapforge.people.mentions import find_mentions, read_sentence
from gapforge.people.outline import make_outline
from gapforge.records import Document, Section, Span


@pytest.fixture
def outline_of(make_document):
    """The outline of a text, in sections that begin where "|" stands in it."""

    def make(marked):
        parts = marked.split("|")
        text, sections = "", []
        for part in parts:
            sections.append(Section("", 1, len(text), len(text) + len(part)))
            text += part
        return make_outline(make_document(text=text, sections=sections))

    return make


def sentences_of(outline):
    return [outline.text_of(n) for n in range(len(outline.sentences))]


def groups_of(outline):
    """How many sentences each section holds, in order."""
    numbers = outline.sections
    assert numbers == sorted(numbers)
    return [numbers.count(number) for number in dict.fromkeys(numbers)]


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("Dora sat. Max rose.", [2]),
        ("Dora sat.\n\nMax rose.", [2]),
        ("Dora sat. Ida sat.\n\n|Max rose.", [2, 1]),
        ("Dora sat.\n\n|Max rose.\n\n|Ida sat.", [1, 1, 1]),
        ("Dora sat.\n\n||Max rose.", [1, 1]),
        ("Dora sat.\n\nCHAPTER II\n\nMax rose. Ida sat.", [1, 1, 2]),
        ("Dora sat.\n\nChapter 12.\n\nMax rose.", [1, 1, 1]),
        ("Dora sat.\n\nPart IV:\n\nMax rose.", [1, 1, 1]),
        ("BOOK I\n\nCHAPTER I\n\nDora sat. Max rose.", [1, 1, 2]),
        ("Dora sat.\n\nTHE OLD HOUSE\n\nMax rose.", [1, 1, 1]),
        ("Dora sat.\n\nTHE HOUSE, 1880!\n\nMax rose.", [1, 1, 1]),
        ("Dora sat.\n\nCHAPTER II\n\n|Max rose.", [1, 1, 1]),
        # No headings.
        ("Dora sat.\n\nTHE\n\nMax rose.", [3]),
        ("Dora sat.\n\nChapter and verse\n\nMax rose.", [3]),
        ("Dora sat.\n\nTHE OLD House\n\nMax rose.", [3]),
        ("Dora sat in CHAPTER II. Max rose.", [2]),
        ("Dora sat.\n\n1880\n\nMax rose.", [3]),
        ("Dora sat.\n\n" + "THE HOUSE " * 20 + "\n\nMax rose.", [3]),
        ("הלכה הביתה. הוא נשאר.", [2]),
    ],
)
def test_sections(outline_of, text, groups):
    assert groups_of(outline_of(text)) == groups


@pytest.mark.parametrize("text", ["CHAPTER IV.  Dora sat. Max rose.", "Dora sat.    CHAPTER V.  Max rose."])
def test_a_heading_has_a_line_of_its_own(outline_of, text):
    outline = outline_of(text)
    assert any(sentence in ("CHAPTER IV.", "CHAPTER V.") for sentence in sentences_of(outline))
    assert len(set(outline.sections)) == 1


def test_capitals_throughout_do_not_hang(outline_of):
    outline = outline_of("DORA STROUD MET MAX " * 20 + "here")
    assert outline.sections == [1]


def test_an_empty_document(outline_of):
    outline = outline_of("")
    assert (outline.sentences, outline.sections, outline.runs) == ([], [], [])
    assert list(all_pronouns(outline)) == []


def test_runs_and_roster_are_of_the_whole_document(outline_of):
    outline = outline_of("Dora Stroud sat.\n\n|Stroud rose with Max.")
    runs = [[outline.document.text[run.span.start : run.span.end] for run in each] for each in outline.runs]
    assert runs == [["Dora Stroud"], ["Stroud", "Max"]]
    assert outline.roster.is_full("Dora", "Stroud")


SEVEN = "Ann sat. Bo sat. Cy sat.\n\n|Di sat. Ed sat. Flo sat. Gus sat."


@pytest.mark.parametrize(
    ("number", "count", "first"),
    [(0, 1, 0), (0, 5, 0), (2, 2, 1), (2, 5, 0), (3, 1, 3), (3, 2, 3), (4, 2, 3), (6, 2, 5), (6, 4, 3), (6, 5, 3)],
)
def test_first_of(outline_of, number, count, first):
    assert outline_of(SEVEN).first_of(number, count) == first


@pytest.mark.parametrize(
    ("number", "tokens", "first"),
    [
        (6, 0, 6),
        (6, 1, 5),
        (6, 3, 5),  # "Flo", "sat" and the full stop
        (6, 4, 4),
        (6, 9, 3),
        (6, 10, 3),  # never across the section
        (3, 50, 3),
        (2, 50, 0),
        (0, 50, 0),
    ],
)
def test_first_before(outline_of, number, tokens, first):
    assert outline_of(SEVEN).first_before(number, tokens) == first


def test_all_pronouns_in_text_order(outline_of):
    outline = outline_of("She met him. Her Majesty slept.\n\n|His cat left her.")
    assert list(all_pronouns(outline)) == [
        Pronoun(0, Span(0, 3), "feminine"),
        Pronoun(0, Span(8, 11), "masculine"),
        Pronoun(2, Span(33, 36), "masculine"),
        Pronoun(2, Span(46, 49), "feminine"),
    ]


@pytest.mark.parametrize(
    ("text", "feminine", "masculine", "unknown"),
    [
        ("Dora met Max and Stroud.", {"Dora"}, {"Max"}, {"Stroud"}),
        ("Mr. Stroud met Mrs. Stroud.", {"Mrs Stroud"}, {"Mr Stroud"}, {"Stroud"}),
        ("Sharks Ben Stroud sat.", set(), {"Ben Stroud"}, {"Sharks Ben Stroud", "Stroud"}),
        ("DORA met Dora.", {"Dora"}, set(), set()),
        ("The rain fell.", set(), set(), set()),
    ],
)
def test_forms(outline_of, text, feminine, masculine, unknown):
    (forms,) = forms_of(outline_of(text))
    assert (forms.feminine, forms.masculine, forms.unknown) == (feminine, masculine, unknown)


def answers(outline, possible):
    """What is said of each pronoun, in text order."""
    ask = possible(outline)
    return [ask(pronoun) for pronoun in all_pronouns(outline)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dora met Ida when she sat.", [True]),
        ("Dora met Max when she sat.", [True]),  # genders are decided later
        ("Dora met Stroud when she sat.", [True]),
        ("Dora sat when she sang.", [False]),
        ("Dora met Dora when she sat.", [False]),
        ("Then she sat.", [False]),
        ("Dora met Ida. Then she sat.", [True]),
        ("Dora sat. When she rose, Ida left.", [True]),
        ("Dora sat. Then she rose.", [False]),
        ("Dora met Ida. It rained. Then she sat.", [False]),
        ("Dora met Ida.\n\nThen she sat.", [True]),
        ("Dora met Ida.\n\n|Then she sat.", [False]),
        ("Dora sat.\n\n|When she rose, Ida left.", [False]),
        ("Dora met Ida.\n\nCHAPTER II\n\nThen she sat.", [False]),
        ("She met Dora. He met Dora and Ida, and he left.", [False, True, True]),
    ],
)
def test_possible_gap(outline_of, text, expected):
    assert answers(outline_of(text), possible_gap) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dora and Ida met Max and Leo when she sang.", [True]),
        ("Dora and Ida met Max and Leo when she saw him.", [True, True]),
        ("Max met Leo. Dora met Ida when she sang.", [True]),
        ("Max met Leo. It rained. It poured. It dripped. Dora met Ida when she sang.", [True]),
        ("Max met Leo. It rained. It poured. It dripped. It stopped. Dora met Ida when she sang.", [False]),
        ("Max met Leo.\n\n|Dora met Ida when she sang.", [False]),
        ("Max met Leo.\n\nDora met Ida when she sang.", [True]),
        ("Max met Leo.\n\nCHAPTER II\n\nDora met Ida when she sang.", [False]),
        # Three of one gender, one of the other.
        ("Dora and Ida met Jill and Max when she sang.", [False]),
        ("Dora met Max, Leo and Karl when she sang.", [False]),
        # Three of one, two of the other: a shorter context may hold four.
        ("Jill met Max. Leo met Dora and Ida when she sang.", [True]),
        # Of the pronoun's gender there is nobody near enough.
        ("Dora met Ida. It rained. Max met Leo when she sang.", [False]),
        ("Dora met Ida. It rained. Max met Leo when he sang.", [True]),
        ("Dora met Ida. Max met Leo when she sang.", [True]),
        # Whose gender nothing shows may bear a pattern, but is no woman.
        ("Dora and Stroud met Max and Leo when she sang.", [False]),
        ("Dora met Ida. It rained. Stroud and Pell met Max and Leo when she sang.", [True]),
        ("Dora and Dora met Max and Leo when she sang.", [False]),
        ("Dora met Max. Ida met Leo.", []),
    ],
)
def test_possible_counter_gap(outline_of, text, expected):
    assert answers(outline_of(text), possible_counter_gap) == expected


# What the scan rules out could not come through, whatever the model says of the names.

NAMES = st.sampled_from(
    [
        *(
            "Dora",
            "Ida",
            "Max",
            "Leo",
            "Stroud",
            "Dora Stroud",
            "Max Stroud",
            "Ida Pell",
            "Pat Pell",
            "LEO",
            "Will",
            "May",
        ),
        *(
            "Mr. Stroud",
            "Mrs. Stroud",
            "Miss Pell",
            "Dr. Pell",
            "Captain Stroud",
            "Captain Ida Pell",
            "Sharks Leo Pell",
        ),
    ]
)
SENTENCES = st.one_of(
    st.builds("{} met {}.".format, NAMES, NAMES),
    st.builds("{} and {} saw {} and {} when she sang.".format, NAMES, NAMES, NAMES, NAMES),
    st.builds("When he sang, {} said that {} left {}.".format, NAMES, NAMES, NAMES),
    st.builds("Then {} saw her ({}) in {}.".format, NAMES, NAMES, NAMES),
    st.sampled_from(["It rained.", "Then she left.", "CHAPTER II.", "His cat slept."]),
)


@st.composite
def outlines(draw):
    """A document of such sentences, and labels as the model might give them to its words."""
    text = " ".join(draw(st.lists(SENTENCES, min_size=2, max_size=6)))
    outline = make_outline(Document("d", "", "", "", text, []))
    labels = []
    for runs, sentence in zip(outline.runs, outline.sentences, strict=True):
        words = [word for run in runs for word in run.words]
        drawn = draw(
            st.lists(st.sampled_from(["", "PERSON", "PERSON", "ORG"]), min_size=len(words), max_size=len(words))
        )
        spans = [(word.start - sentence.start, word.end - sentence.start) for word in words]
        labels.append([(*span, label) for span, label in zip(spans, drawn, strict=True) if label])
    return outline, labels


def mentions_in(outline, labels, first, last):
    readings = [
        reading
        for number in range(first, last + 1)
        for reading in read_sentence(outline.runs[number], labels[number], outline.sentences[number].start)
    ]
    return find_mentions(readings, outline.roster)


def fits(outline, pronoun, figures):
    placed = sorted(
        (Placed(it.span, figure, False) for figure in figures for it in figure.names), key=lambda it: it.span.start
    )
    here = outline.sentences[pronoun.sentence].start
    previous = outline.sentences[outline.first_of(pronoun.sentence, 2)].start
    return list(
        find_patterns(
            pronoun.span,
            [it for it in placed if it.span.start >= here],
            [it for it in placed if previous <= it.span.start < here],
            lambda: True,
        )
    )


@given(outlines())
def test_gap_scan_loses_nothing(made):
    outline, labels = made
    possible = possible_gap(outline)
    for pronoun in all_pronouns(outline):
        figures = join_people(mentions_in(outline, labels, 0, pronoun.sentence))
        assert possible(pronoun) or not fits(outline, pronoun, figures)


@given(outlines())
def test_counter_gap_scan_loses_nothing(made):
    outline, labels = made
    possible = possible_counter_gap(outline)
    for pronoun in all_pronouns(outline):
        last = pronoun.sentence
        for first in range(outline.first_of(last, 5), last + 1):
            figures = join_people(mentions_in(outline, labels, first, last))
            genders = Counter(figure.gender for figure in figures)
            if genders["feminine"] == genders["masculine"] == 2:
                chosen = [figure for figure in figures if figure.gender == pronoun.gender]
                assert possible(pronoun) or not fits(outline, pronoun, chosen)
