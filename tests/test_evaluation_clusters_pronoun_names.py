"""Pronoun-name F1 on small documents, counted by hand."""

import pytest

from gapforge.evaluation.clusters import head_of, paired, pronoun_scores, pronoun_sums, proper_runs
from gapforge.storage.conll import Mention, read_documents

# word, tag, named entity; coreference is given by each test
STORY = [
    ("President", "NNP", "*"),
    ("Ann", "NNP", "(PERSON*"),
    ("Lee", "NNP", "*)"),
    ("met", "VBD", "*"),
    ("Bo", "NNP", "(PERSON)"),
    ("'s", "POS", "*"),
    ("wife", "NN", "*"),
    (".", ".", "*"),
    ("She", "PRP", "*"),
    ("saw", "VBD", "*"),
    ("him", "PRP", "*"),
    ("in", "IN", "*"),
    ("Paris", "NNP", "(GPE)"),
    (".", ".", "*"),
]
GOLD = {0: "(1", 2: "1)", 4: "(2)|(3", 6: "3)", 8: "(1)", 10: "(2)"}


@pytest.fixture
def pairs_of(tmp_path):
    def make(gold, said, story=STORY):
        documents = []
        for name, cells in (("key", gold), ("response", said)):
            rows = (
                f"d 0 {n} {word} {tag} - - - - - {entity} * {cells.get(n, '-')}\n"
                for n, (word, tag, entity) in enumerate(story)
            )
            path = tmp_path / name
            path.write_text(f"#begin document (d); part 000\n{''.join(rows)}#end document\n", "utf-8")
            documents.append(read_documents(path))
        return paired(*documents).pairs

    return make


@pytest.mark.parametrize(
    ("said", "masculine", "feminine"),
    [
        (GOLD, [1, 0, 0], [1, 0, 0]),
        ({}, [0, 0, 1], [0, 0, 1]),
        # The name without its title is the same name; one with its possessive too.
        ({1: "(1", 2: "1)", 8: "(1)", 4: "(2", 5: "2)", 10: "(2)"}, [1, 0, 0], [1, 0, 0]),
        # Both linked with Bo: one right, one wrong and missed.
        ({4: "(2)", 8: "(2)", 10: "(2)"}, [1, 0, 0], [0, 1, 1]),
        # All in one entity: right and wrong at once.
        ({0: "(1", 2: "1)", 4: "(1)", 8: "(1)", 10: "(1)"}, [1, 1, 0], [1, 1, 0]),
        # "Bo's wife" names nobody, and Paris is no person.
        ({4: "(3", 6: "3)", 8: "(3)", 12: "(2)", 10: "(2)"}, [0, 0, 1], [0, 0, 1]),
    ],
)
def test_outcomes(pairs_of, said, masculine, feminine):
    assert pronoun_sums(pairs_of(GOLD, said)).tolist() == [masculine + feminine]


@pytest.mark.parametrize(
    ("gold", "said", "expected"),
    [
        # An entity without a name can only be linked wrongly.
        ({6: "(3)", 8: "(3)"}, {6: "(3)", 8: "(3)"}, [0, 0, 0, 0, 0, 0]),
        ({6: "(3)", 8: "(3)"}, {4: "(3)", 8: "(3)"}, [0, 0, 0, 0, 1, 0]),
        # A pronoun in no entity of the key is not asked about.
        ({0: "(1", 2: "1)"}, {4: "(3)", 8: "(3)"}, [0, 0, 0, 0, 0, 0]),
    ],
)
def test_pronouns_without_a_name_to_find(pairs_of, gold, said, expected):
    assert pronoun_sums(pairs_of(gold, said)).tolist() == [expected]


def test_reflexives_are_not_counted(pairs_of):
    story = [("Ann", "NNP", "(PERSON)"), ("hurt", "VBD", "*"), ("herself", "PRP", "*")]
    assert pronoun_sums(pairs_of({0: "(1)", 2: "(1)"}, {}, story)).tolist() == [[0, 0, 0, 0, 0, 0]]


def test_without_named_entities_proper_nouns_are_names(pairs_of):
    story = [(word, tag, "*") for word, tag, _ in STORY]
    assert pronoun_sums(pairs_of(GOLD, {12: "(2)", 10: "(2)"}, story)).tolist() == [[0, 1, 1, 0, 0, 1]]
    untagged = [(word, "-", "*") for word, _, _ in STORY]
    assert pronoun_sums(pairs_of(GOLD, GOLD, untagged)).tolist() == [[0, 0, 0, 0, 0, 0]]


def test_a_missing_document_is_all_missed(pairs_of):
    [(gold, _)] = pairs_of(GOLD, GOLD)
    assert pronoun_sums([(gold, None)]).tolist() == [[0, 0, 1, 0, 0, 1]]


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("Ann/NNP", "Ann"),
        ("the/DT late/JJ Ann/NNP Lee/NNP", "Lee"),
        ("Ann/NNP 's/POS", "Ann"),
        ("Ann/NNP 's/POS wife/NN", "wife"),
        ("Ann/NNP Lee/NNP ,/, the/DT cook/NN", "Lee"),
        ("Ann/NNP of/IN Paris/NNP", "Ann"),
        ("Ann/NNP ,/, the/DT cook/NN and/CC guard/NN", "Ann"),
        ("Ann/NNP and/CC Bo/NNP", None),
        ("a/DT man/NN named/VBN Bo/NNP", "man"),
        ("retired/VBN general/NN Bo/NNP", "Bo"),
        ("Ann/- Lee/- ,/- the/- cook/-", "Lee"),
    ],
)
def test_heads(phrase, expected):
    words, tags = zip(*(token.rsplit("/", 1) for token in phrase.split()), strict=True)
    head = head_of(Mention(0, len(words)), words, tags)
    assert (None if head is None else words[head]) == expected


def test_runs_of_proper_nouns():
    assert proper_runs(["NNP", "NNPS", "VBD", "NNP"]) == [(0, 2), (3, 4)]


def test_scores(pairs_of):
    right = pronoun_sums(pairs_of(GOLD, GOLD))
    wrong = pronoun_sums(pairs_of(GOLD, {4: "(2)", 8: "(2)", 10: "(2)"}))
    figures = pronoun_scores((right + wrong).sum(axis=0))
    # Masculine 2, 0, 0; feminine 1, 1, 1.
    assert {name: float(value) for name, value in figures.items()} == pytest.approx(
        {
            "overall.precision": 3 / 4,
            "overall.recall": 3 / 4,
            "overall.f1": 6 / 8,
            "overall.names": 4,
            "masculine.precision": 1,
            "masculine.recall": 1,
            "masculine.f1": 1,
            "masculine.names": 2,
            "feminine.precision": 1 / 2,
            "feminine.recall": 1 / 2,
            "feminine.f1": 1 / 2,
            "feminine.names": 2,
            "bias": 1 / 2,
        }
    )
