"""Who is who: which forms of a name are one person, and where that is in doubt."""

import pytest

from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.nlp.sentences import split_sentences
from gapforge.people.identity import Figure, PersonFound, contains, find_people, is_doubtful, join_people, related
from gapforge.people.mentions import find_mentions, read_sentence
from gapforge.people.names import find_runs, read_name
from gapforge.people.outline import make_roster
from gapforge.records import Document, Span


def read(text, scope=None, *entities):
    """The roster of a text, and the mentions in a part of it: all of it, or its first sentences."""
    sentences = split_sentences(text)
    runs = [find_runs(text, sentence) for sentence in sentences]
    readings = []
    for sentence, found in list(zip(sentences, runs, strict=True))[:scope]:
        begins = [(text.find(words, sentence.start, sentence.end), words, label) for words, label in entities]
        labels = [
            (at - sentence.start, at - sentence.start + len(words), label) for at, words, label in begins if at >= 0
        ]
        readings += read_sentence(found, labels, sentence.start)
    roster = make_roster(text, sentences, runs)
    return roster, find_mentions(readings, roster)


def figures_of(text, scope=None):
    return join_people(read(text, scope)[1])


def forms_of(text, figure):
    return [text[name.span.start : name.span.end] for name in figure.names]


def doubtful(text, scope=None):
    roster, mentions = read(text, scope)
    figures = join_people(mentions)
    return is_doubtful([figure for figure in figures if figure.gender], figures, roster)


def name_of(text):
    return read_name(find_runs(text, Span(0, len(text)))[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dora Stroud met Dora.", [["Dora Stroud", "Dora"]]),
        ("Dora met Dora Stroud.", [["Dora", "Dora Stroud"]]),
        ("Dora Stroud sat. Stroud rose.", [["Dora Stroud", "Stroud"]]),
        ("Dora Stroud sat. Miss Stroud rose.", [["Dora Stroud", "Miss Stroud"]]),
        ("Miss Dora Stroud sat. Miss Stroud rose.", [["Miss Dora Stroud", "Miss Stroud"]]),
        ("Dora sat. Aunt Dora rose. Dora left.", [["Dora", "Aunt Dora", "Dora"]]),
        ("Dora Ann Stroud met Dora Stroud.", [["Dora Ann Stroud", "Dora Stroud"]]),
        ("Max Stroud met MAX STROUD.", [["Max Stroud", "MAX STROUD"]]),
        ("Dora met Max. Dora left Max.", [["Dora", "Dora"], ["Max", "Max"]]),
        ("Dr. Stroud met Dr. Stroud.", [["Dr. Stroud", "Dr. Stroud"]]),
        # Kept apart.
        ("Mr. Stroud met Mrs. Stroud.", [["Mr. Stroud"], ["Mrs. Stroud"]]),
        ("Miss Stroud met Mrs. Stroud.", [["Miss Stroud"], ["Mrs. Stroud"]]),
        ("Queen Dora met Princess Dora.", [["Queen Dora"], ["Princess Dora"]]),
        ("Dora Stroud met Dora Pell.", [["Dora Stroud"], ["Dora Pell"]]),
        ("Dora Stroud met Max Stroud.", [["Dora Stroud"], ["Max Stroud"]]),
        ("Dora Stroud met Ida Stroud.", [["Dora Stroud"], ["Ida Stroud"]]),
        ("Mr. Stroud met Mrs. Stroud. Stroud left.", [["Mr. Stroud"], ["Mrs. Stroud"], ["Stroud"]]),
        ("Stroud married Max Stroud.", [["Stroud"], ["Max Stroud"]]),
        ("Stroud, who met Max Stroud, sat. Stroud left.", [["Stroud", "Stroud"], ["Max Stroud"]]),
        ("Dora Stroud met Dora Pell. Dora left.", [["Dora Stroud"], ["Dora Pell"], ["Dora"]]),
        ("Mr. Stroud met Dora Stroud.", [["Mr. Stroud"], ["Dora Stroud"]]),
        ("Dan met Daniel.", [["Dan", "Daniel"]]),
        ("Daniel met Dan.", [["Daniel", "Dan"]]),
        ("Tommy Orr met Tom.", [["Tommy Orr", "Tom"]]),
        ("Carl met Carlo.", [["Carl"], ["Carlo"]]),
        ("Jean met Jeanne.", [["Jean"], ["Jeanne"]]),
        ("Mr. Dan met Daniel.", [["Mr. Dan", "Daniel"]]),
        ("", []),
    ],
)
def test_join_people(text, expected):
    assert [forms_of(text, figure) for figure in figures_of(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dora Stroud met Dora.", [("feminine", "first name", "Dora Stroud")]),
        ("Mr. Stroud sat. Stroud rose.", [("masculine", "title", "Mr Stroud")]),
        ("Dora Stroud sat. Dr. Stroud rose.", [("feminine", "first name", "Dora Stroud")]),
        ("Pat Stroud met Mrs. Stroud.", [("feminine", "title", "Pat Stroud")]),
        ("Mrs. Stroud met Dora Stroud.", [("feminine", "first name", "Dora Stroud")]),
        ("Dr. Stroud met Dr. Pell.", [(None, "unknown", "Dr Stroud"), (None, "unknown", "Dr Pell")]),
    ],
)
def test_gender_and_fullest_form(text, expected):
    assert [(it.gender, it.reason, it.fullest.form) for it in figures_of(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dora Stroud met Dora.", [False]),
        ("Dora Stroud sat. Stroud rose.", [False]),
        ("Miss Dora Stroud sat. Miss Stroud rose.", [True]),  # Miss Stroud may be a sister
        ("Dora Stroud sat. Miss Stroud rose.", [True]),
        ("Miss Dora sat. Dora rose.", [False]),
        ("Mr. Stroud sat. Stroud rose.", [False]),
        ("Mrs. Stroud sat. Stroud rose.", [True]),
        ("Miss Dora sat. Dora rose. Max sat.", [False, False]),
        ("Dora Stroud met Dora Pell. Dora left.", [False, False, True]),
        ("Mr. Stroud met Mrs. Stroud. Stroud left.", [False, False, True]),
        ("Dora Ann Stroud met Dora Stroud.", [False]),
        ("Miss Stroud met Mrs. Stroud.", [False, False]),
    ],
)
def test_doubtful_marks(text, expected):
    assert [figure.doubtful for figure in figures_of(text)] == expected


@pytest.mark.parametrize(
    ("text", "entities", "expected"),
    [
        ("Dora sat. Dora rose.", [], [False]),
        ("Dora sat. Aunt Dora rose.", [], [True]),
        ("We saw Dora. Max sat.", [("Dora", "PERSON")], [True, False]),
    ],
)
def test_one_sure_mention_makes_a_figure_sure(text, entities, expected):
    assert [figure.sure for figure in join_people(read(text, None, *entities)[1])] == expected


def test_order_of_mentions_given_does_not_matter():
    text = "Mrs. Stroud met Max. Dora Pell left with Stroud. Dora saw Max Stroud and Miss Pell."
    mentions = read(text)[1]
    forward, backward = join_people(mentions), join_people(mentions[::-1])
    assert [(it.names, it.gender, it.reason, it.doubtful) for it in forward] == [
        (it.names, it.gender, it.reason, it.doubtful) for it in backward
    ]


@pytest.mark.parametrize(
    ("longer", "shorter", "expected"),
    [
        ("Dora Stroud", "Dora", True),
        ("Dora Stroud", "Miss Stroud", True),
        ("Dora Ann Stroud", "Ann", True),
        ("Dora Ann Stroud", "Dora Stroud", True),
        ("Dora Ann Stroud", "Ann Stroud", True),
        ("Dora Ann Stroud", "Dora Ann", True),
        ("Dora Stroud", "Dora Pell", False),
        ("Dora Stroud", "Ida Stroud", False),
        ("Mrs. Stroud", "Miss Stroud", False),
        ("Mrs. Stroud", "Stroud", True),
        ("Mrs. Stroud", "Mrs. Pell", False),
    ],
)
def test_related(longer, shorter, expected):
    assert related(name_of(longer), name_of(shorter)) is expected


def test_two_middle_names_are_two_people():
    text = "Mary Ann Stroud met Mary Jane Stroud."
    assert [forms_of(text, figure) for figure in figures_of(text)] == [["Mary Ann Stroud"], ["Mary Jane Stroud"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Dora Stroud, Stroud", True), ("Stroud, Dora Stroud", False), ("Miss Stroud, Dora Stroud", True)],
)
def test_a_bare_surname_is_related_only_after_the_full_name(text, expected):
    shorter, longer = sorted(
        (read_name(run) for run in find_runs(text, Span(0, len(text)))), key=lambda it: len(it.words)
    )
    assert related(longer, shorter) is expected


@pytest.mark.parametrize(
    ("longer", "shorter", "expected"),
    [
        ("Dora Stroud", "Stroud", True),
        ("Miss Stroud", "Stroud", True),
        ("Miss Dora Stroud", "Miss Dora", True),
        ("Miss Dora Stroud", "Miss Stroud", False),
        ("Dora Stroud", "Miss Stroud", False),
        ("Dorabella Stroud", "Dora", False),
        ("Dora Ann Stroud", "Dora Stroud", True),
    ],
)
def test_contains(longer, shorter, expected):
    assert contains(name_of(longer), name_of(shorter)) is expected


FOUR = "Ida met Leo. Then Jill met Karl."


@pytest.mark.parametrize(
    ("text", "scope", "expected"),
    [
        (FOUR, None, False),
        # Two of one gender may be one.
        ("Carl met Carlo. Then Ida met Jill.", None, True),
        ("Carlo met Carl. Then Ida met Jill.", None, True),
        ("Dan Pell met Daniel Stroud. Then Ida met Jill.", None, True),
        ("Al met Alfred. Then Ida met Jill.", None, False),  # two letters begin too many names
        ("Dan met Danielle. Then Ida met Karl.", None, False),  # not of one gender
        ("Molly met Leo. Then Miss Gibson met Karl. Molly Gibson had gone.", 2, True),
        ("Molly met Leo. Then Mrs. Gibson met Karl. Molly Gibson had gone.", 2, True),
        ("Molly met Leo. Then Mrs. Gibson met Karl. Molly Gibson was that Miss Gibson.", 2, False),
        ("Molly met Leo. Then Miss Gibson met Karl. Molly Gibson was no Mrs. Gibson.", 2, True),
        ("Molly met Leo. Then Miss Gibson met Karl.", 2, False),
        ("Molly met Leo. Then Mr. Gibson met Ida. Molly Gibson had gone.", 2, False),
        ("Leo met Molly. Then Mr. Gibson met Ida. Leo Gibson had gone.", 2, True),
        # One surname after two titles.
        ("Mrs. Stroud met Widow Stroud. Then Leo met Karl.", None, True),
        ("Mr. Stroud met Colonel Stroud. Then Ida met Jill.", None, True),
        ("Mrs. Stroud met Miss Stroud. Then Leo met Karl.", None, False),
        ("Mr. Stroud met Mrs. Stroud. Then Leo met Ida.", None, False),
        # A form that was joined by its surname alone.
        ("Dora Stroud met Leo. Then Miss Stroud met Karl, and Ida sat.", None, True),
        # Somebody of unknown gender bears a name of theirs.
        (FOUR + " Dr. Stroud left.", None, False),
        ("Ida Stroud met Leo Stroud. Then Jill met Karl. Dr. Stroud left.", None, True),
        ("Ida Pell met Leo. Then Jill met Karl. Pat Pell left.", None, True),
        ("Ida Pell met Leo. Then Jill met Karl. Pat Stroud left.", None, False),
    ],
)
def test_is_doubtful(text, scope, expected):
    assert doubtful(text, scope) is expected


def test_only_the_four_are_judged():
    roster, mentions = read("Carl met Carlo. Then Ida met Jill.")
    figures = join_people(mentions)
    assert is_doubtful(figures[1:], figures, roster) is False


def test_figures_are_told_apart_by_identity():
    assert Figure("feminine", "title") != Figure("feminine", "title")


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Vincent van Stroud sat. Van Stroud rose.", 1),
        ("Sir Walter Stroud met Mr. Walter Stroud.", 2),
        ("Captain Stroud met Colonel Stroud.", 2),
        ('Walter "Wally" Stroud sat. Wally Stroud rose. Walter left.', 1),
    ],
)
def test_particles_titles_and_nicknames(text, people):
    assert len(figures_of(text)) == people


def test_people_of_a_document():
    text = "Qorin Voss slept. Dora\n Kell met Walter Pym, and Dora left."
    found = find_people(Document("d-1", "", "", "", text, []), DEFAULT_MODEL)
    assert found == [
        PersonFound("Qorin Voss", None, "unknown", [Span(0, 10)]),
        PersonFound("Dora Kell", "feminine", "first name", [Span(18, 28), Span(49, 53)]),
        PersonFound("Walter Pym", "masculine", "first name", [Span(33, 43)]),
    ]
    assert find_people(Document("d-2", "", "", "", "it rained all day.", []), DEFAULT_MODEL) == []
