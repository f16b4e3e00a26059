"""Personal names of a document: which tokens they are, given names and surnames, and what stands for them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gapforge.counterfactuals.augmented import Counterpart
from gapforge.counterfactuals.columns import NameToken, Placeholders, anonymised, exchanged, is_title, read_names
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.storage.conll import Document

FIRST, SURNAME = True, False


def people_in(document):
    return read_names(document, set()).people


def make_document(*sentences, name="d/1", part=0):
    """Words as "Ann|NNP|(PERSON)", where the tag is NN and the entity * unless they are told."""
    lines = []
    for sentence in sentences:
        for n, cell in enumerate(sentence.split()):
            word, tag, entity, *_ = f"{cell}|*|".split("|") if "|" in cell else (cell, "NN", "*")
            lines.append(f"{name}\t{part}\t{n}\t{word}\t{tag}\t*\t-\t-\t-\t-\t{entity}\t-\n")
        lines.append("\n")
    header = f"#begin document ({name}); part {part:03}\n"
    return Document("a.conll", name, part, 1, "", header, tuple(lines), "#end document\n", {})


def names_of(*sentences):
    """The words that are names, and whether each is a given name."""
    return [(it.word, it.first) for it in people_in(make_document(*sentences)).values()]


BILL = "Bill|NNP|(PERSON* Clinton|NNP|*) left|VBD"
FULL = [
    ([BILL], [("Bill", FIRST), ("Clinton", SURNAME)]),
    (["Bill|NNP|(PER* Clinton|NNP|*)"], [("Bill", FIRST), ("Clinton", SURNAME)]),
    (
        ["George|NNP|(PERSON* W.|NNP|* Bush|NNP|*)"],
        [("George", FIRST), ("W.", FIRST), ("Bush", SURNAME)],
    ),
    # Words in small letters, marks and endings are no names.
    (["Oscar|NNP|(PERSON* de|NNP|* la|NNP|* Cruz|NNP|*)"], [("Oscar", FIRST), ("Cruz", SURNAME)]),
    (["Bill|NNP|(PERSON* Clinton|NNP|* 's|POS|*)"], [("Bill", FIRST), ("Clinton", SURNAME)]),
    (["Al|NNP|(PERSON* Gore|NNP|* ,|,|* Jr.|NNP|*)"], [("Al", FIRST), ("Gore", SURNAME)]),
    (["Al|NNP|(PERSON* Gore|NNP|* III|NNP|*)"], [("Al", FIRST), ("Gore", SURNAME)]),
    (["Al|NNP|(PERSON* ``|``|* Ace|NNP|* ''|''|* Gore|NNP|*)"], [("Al", FIRST), ("Ace", FIRST), ("Gore", SURNAME)]),
]
ALONE = [
    (["Bill|NNP|(PERSON) left|VBD"], [("Bill", FIRST)]),
    (["Bill|NNP|(PERSON* 's|POS|*)"], [("Bill", FIRST)]),
    # What is a surname elsewhere in the document, before or after.
    ([BILL, "Clinton|NNP|(PERSON) slept|VBD"], [("Bill", FIRST), ("Clinton", SURNAME), ("Clinton", SURNAME)]),
    (["Clinton|NNP|(PERSON) slept|VBD", BILL], [("Clinton", SURNAME), ("Bill", FIRST), ("Clinton", SURNAME)]),
    ([BILL, "Bill|NNP|(PERSON)"], [("Bill", FIRST), ("Clinton", SURNAME), ("Bill", FIRST)]),
    pytest.param(
        ["Mr.|NNP Thomas|NNP|(PERSON) slept|VBD", "Thomas|NNP|(PERSON) slept|VBD"],
        [("Thomas", SURNAME), ("Thomas", SURNAME)],
    ),
    pytest.param(
        ["Clarence|NNP|(PERSON* Thomas|NNP|*)", "THOMAS|NNP|(PERSON)"],
        [("Clarence", FIRST), ("Thomas", SURNAME), ("THOMAS", SURNAME)],
    ),
]
TITLES = [
    (["Mr.|NNP Clinton|NNP|(PERSON)"], [("Clinton", SURNAME)]),
    (["Mr.|NNP|(PERSON* Clinton|NNP|*)"], [("Clinton", SURNAME)]),
    (["President|NNP Clinton|NNP|(PERSON)"], [("Clinton", SURNAME)]),
    (["Mrs.|NNP Hillary|NNP|(PERSON* Clinton|NNP|*)"], [("Hillary", FIRST), ("Clinton", SURNAME)]),
    (["Mrs.|NNP|(PERSON* Hillary|NNP|* Clinton|NNP|*)"], [("Hillary", FIRST), ("Clinton", SURNAME)]),
    # Some go by the given name.
    (["Queen|NNP Elizabeth|NNP|(PERSON)"], [("Elizabeth", FIRST)]),
    (["Queen|NNP|(PERSON* Elizabeth|NNP|* II|NNP|*)"], [("Elizabeth", FIRST)]),
    (["Pope|NNP John|NNP|(PERSON* Paul|NNP|* II|NNP|*)"], [("John", FIRST), ("Paul", FIRST)]),
    (["Pope|NNP|(PERSON* John|NNP|* Paul|NNP|* II|NNP|*)"], [("John", FIRST), ("Paul", FIRST)]),
    (["her|PRP$ uncle|NN John|NNP|(PERSON)"], [("John", FIRST)]),
    (["Mr.|NNP|(PERSON)"], []),
    # A pope's second name is nobody's surname.
    (
        ["Pope|NNP John|NNP|(PERSON* Paul|NNP|*)", "Paul|NNP|(PERSON)"],
        [("John", FIRST), ("Paul", FIRST), ("Paul", FIRST)],
    ),
    pytest.param(
        ["Larry|NNP|(PERSON* King|NNP|*)", "King|NNP|(PERSON)"],
        [("Larry", FIRST), ("King", SURNAME), ("King", SURNAME)],
    ),
    pytest.param(
        ["Larry|NNP|(PERSON* King|NNP|*)", "Mr.|NNP King|NNP|(PERSON)"],
        [("Larry", FIRST), ("King", SURNAME), ("King", SURNAME)],
    ),
]
BEYOND = [
    # A name that the column of entities misses, where it is tagged as one.
    ([BILL, "Clinton|NNP slept|VBD"], [("Bill", FIRST), ("Clinton", SURNAME), ("Clinton", SURNAME)]),
    (["Clinton|NNP slept|VBD", BILL], [("Clinton", SURNAME), ("Bill", FIRST), ("Clinton", SURNAME)]),
    (["the|DT Hales|NNPS", "Hales|NNPS|(PERSON)"], [("Hales", FIRST), ("Hales", FIRST)]),
    ([BILL, "the|DT bill|NN", "a|DT Bill|NN"], [("Bill", FIRST), ("Clinton", SURNAME)]),
    ([BILL, "Gore|NNP slept|VBD"], [("Bill", FIRST), ("Clinton", SURNAME)]),
    # What is named after somebody keeps its name.
    (
        ["George|NNP|(PERSON* Washington|NNP|*)", "Washington|NNP|(GPE)", "Washington|NNP|(ORG* Post|NNP|*)"],
        [("George", FIRST), ("Washington", SURNAME)],
    ),
    (["Bill|NNP|(WORK_OF_ART)"], []),
    ([], []),
]


@pytest.mark.parametrize(("sentences", "names"), FULL + ALONE + TITLES + BEYOND)
def test_names_of_a_document(sentences, names):
    assert names_of(*sentences) == names


def test_names_are_told_by_their_tokens():
    document = make_document("Then|RB Mr.|NNP Hale|NNP|(PERSON) left|VBD", "Hale|NNP")
    assert people_in(document) == {2: NameToken("Hale", SURNAME), 4: NameToken("Hale", SURNAME)}


def test_without_a_column_of_entities_there_are_no_names():
    lines = ("d 0 0 Ann -\n", "d 0 1 Lee -\n")
    assert people_in(Document("a", "d", 0, 1, "", "#begin document (d);\n", lines, "#end document\n", {})) == {}


@pytest.mark.parametrize(
    ("word", "title"), [("Mr.", True), ("Mr", True), ("Queen", True), ("Pope", True), ("Bill", False), ("Jr.", False)]
)
def test_titles(word, title):
    assert is_title(word) is title


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (
            ["Barack|NNP|(PERSON* Obama|NNP|*) met|VBD Obama|NNP|(PERSON) .|."],
            "E1 E2 met E2 .",
        ),
        (
            ["Obama|NNP|(PERSON) met|VBD Barack|NNP|(PERSON* Obama|NNP|*)", "Ann|NNP|(PERSON) met|VBD OBAMA|NNP|(PER)"],
            "E1 met E2 E1 E3 met E1",
        ),
        (["Mr.|NNP Hale|NNP|(PERSON) and|CC Mrs.|NNP Hale|NNP|(PERSON)"], "Mr. E1 and Mrs. E1"),
        (["Al|NNP|(PERSON* Gore|NNP|* ,|,|* Jr.|NNP|*) left|VBD"], "E1 E2 , Jr. left"),
    ],
)  # fmt: skip
def test_the_same_word_has_the_same_placeholder(sentences, expected):
    document = make_document(*sentences)
    new = anonymised(people_in(document), Placeholders())
    assert " ".join(new.get(token, word) for token, word in enumerate(document.words)) == expected


def test_placeholders_go_on_over_the_parts_of_a_document_and_begin_anew_with_the_next():
    first = make_document("Ann|NNP|(PERSON* Lee|NNP|*)", part=0)
    second = make_document("Bo|NNP|(PERSON* Lee|NNP|*)", part=1)
    other = make_document("Bo|NNP|(PERSON* Lee|NNP|*)", name="d/2")
    counterpart = Counterpart("a-cda", {}, DEFAULT_MODEL)
    assert [counterpart.of(it).words for it in (first, second, other)] == [["E1", "E2"], ["E3", "E2"], ["E1", "E2"]]
    # The original and its counterpart have them in common, whichever is made first.
    assert counterpart.anonymised(other).words == ["E1", "E2"]


PARTNERS = {"Tom": "Ann", "Ann": "Tom", "Al": "Mary Ann", "J": "Kay", "O'Neil": "Zoë"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (NameToken("Tom", FIRST), {0: "Ann"}),
        (NameToken("TOM", FIRST), {0: "ANN"}),
        (NameToken("O'NEIL", FIRST), {0: "ZOË"}),
        # One letter is an initial, not a name in capitals.
        (NameToken("J", FIRST), {0: "Kay"}),
        (NameToken("Tom", SURNAME), {}),
        (NameToken("Bo", FIRST), {}),
        # A name of two words is no token.
        (NameToken("Al", FIRST), {}),
    ],
)
def test_given_names_are_exchanged_by_their_partners(name, expected):
    assert exchanged({0: name}, PARTNERS) == expected


WORDS = st.sampled_from(["Ann", "Lee", "LEE", "Mr.", "King", "Queen", "Jr.", "de", "'s", "Pope", "Tom", "V", "Dr", "é"])
MENTIONS = st.lists(st.tuples(WORDS, st.sampled_from(["NNP", "NN"])), min_size=1, max_size=4)
KINDS = st.sampled_from(["PERSON", "GPE", ""])


@given(st.lists(st.tuples(MENTIONS, KINDS), max_size=5))
@settings(deadline=None)
def test_whatever_the_mentions_names_are_words_of_them(mentions):
    cells, people = [], set()
    for words, kind in mentions:
        for n, (word, tag) in enumerate(words):
            opening, closing = f"({kind}" if n == 0 and kind else "", ")" if n == len(words) - 1 and kind else ""
            people |= {len(cells)} if kind != "GPE" else set()
            cells.append(f"{word}|{tag}|{opening}*{closing}")
    document = make_document(" ".join(cells))
    found = people_in(document)
    assert list(found) == sorted(found)
    assert set(found) <= people
    assert all(it.word == document.words[token] for token, it in found.items())
    assert not {it.word for it in found.values()} & {"de", "'s", "Jr.", "Mr."}
    placed = anonymised(found, Placeholders())
    by_word = {(document.words[token].casefold(), new) for token, new in placed.items()}
    # One placeholder for one word, numbered without a gap in the order of the text.
    assert len({word for word, _ in by_word}) == len({new for _, new in by_word}) == len(by_word)
    assert list(dict.fromkeys(placed.values())) == [f"E{n + 1}" for n in range(len(by_word))]


def test_surnames_of_an_earlier_part_are_known():
    surnames = set()
    read_names(make_document("Paul|NNP|(PERSON* Martin|NNP|*)"), surnames)
    found = read_names(make_document("Martin|NNP|(PERSON) left|VBD"), surnames)
    assert (found.people, surnames) == ({0: NameToken("Martin", SURNAME)}, {"martin"})


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Jean-Claude|NNP|(PERSON* Van|NNP|* Damme|NNP|*)", {"Jean-Claude": FIRST, "Van": SURNAME, "Damme": SURNAME}),
        ("john|NN|(PERSON* van|NN|* smith|NN|*)", {"john": FIRST, "smith": SURNAME}),
        ("Abu|NNP|(PERSON* al-Sadr|NNP|*)", {"Abu": FIRST, "al-Sadr": SURNAME}),
    ],
)
def test_particles_and_small_letters(sentence, expected):
    assert {it.word: it.first for it in people_in(make_document(sentence)).values()} == expected


def test_a_title_is_not_the_name_that_it_is_elsewhere():
    document = make_document("Larry|NNP|(PERSON* King|NNP|*) met|VBD King|NNP Abdullah|NNP|(PERSON)")
    assert [(it.word, it.first) for it in people_in(document).values()] == [
        ("Larry", FIRST),
        ("King", SURNAME),
        ("Abdullah", FIRST),
    ]


def test_words_in_names_of_things_are_told():
    document = make_document("Boys|NNP|(ORG* of|IN|* Leeds|NNP|*) met|VBD Leeds|NNP|(GPE) women|NNS")
    assert read_names(document, set()).things == {0, 1, 2, 4}
