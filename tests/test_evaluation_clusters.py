"""MUC, B-cubed and CEAF-e against the reference scorer, by hand, and by their definitions."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.errors import InputError
from gapforge.evaluation.clusters import METRICS, average_f1, document_sums, paired, scores, sums_of
from gapforge.storage.conll import Document, Mention, read_documents

EXPECTED = {"stand-in": 7, "published": 31}  # files whose scores are known


def chains(*entities):
    """Entities by letters: each letter is a mention of one token."""
    return [[Mention(ord(letter), ord(letter) + 1) for letter in entity] for entity in entities]


def document(name, *entities, part=0):
    found = {number: tuple(chain) for number, chain in enumerate(chains(*entities))}
    return Document(f"{name}.conll", name, part, 1, "", "", (), "", found)


# The example of Pradhan et al. 2014: K = {abc}, {defg}; R = {ab}, {cd}, {fghi}.
PAPER = {
    "muc": [2, 5, 2, 5],
    "bcub": [4 / 3 + 1 / 3 + 1 / 4 + 4 / 4, 7, 4 / 2 + 1 / 2 + 1 / 2 + 4 / 4, 8],
    "ceafe": [4 / 5 + 4 / 8, 2, 4 / 5 + 4 / 8, 3],
    "mentions": [6, 7, 6, 8],
}


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        (("abc", "defg"), ("ab", "cd", "fghi"), PAPER),
        ((), (), {metric: [0, 0, 0, 0] for metric in METRICS}),
        (
            ("ab",),
            (),
            {"muc": [0, 1, 0, 0], "bcub": [0, 2, 0, 0], "ceafe": [0, 1, 0, 0], "mentions": [0, 2, 0, 0]},
        ),
        (
            (),
            ("ab",),
            {"muc": [0, 0, 0, 1], "bcub": [0, 0, 0, 2], "ceafe": [0, 0, 0, 1], "mentions": [0, 0, 0, 2]},
        ),
        # Entities of one mention have no links, and count elsewhere.
        (
            ("a", "b"),
            ("a", "c"),
            {"muc": [0, 0, 0, 0], "bcub": [1, 2, 1, 2], "ceafe": [1, 2, 1, 2], "mentions": [1, 2, 1, 2]},
        ),
        # What the key has is kept in the first entity that has it ...
        (
            ("ab",),
            ("ab", "ac"),
            {"muc": [1, 1, 1, 1], "bcub": [2, 2, 2, 3], "ceafe": [1, 1, 1, 2], "mentions": [2, 2, 2, 3]},
        ),
        # ... an entity left empty is none ...
        (
            ("ab",),
            ("aab", "ba"),
            {"muc": [1, 1, 1, 1], "bcub": [2, 2, 2, 2], "ceafe": [1, 1, 1, 1], "mentions": [2, 2, 2, 2]},
        ),
        # ... and what the key has not stays as often as it is said.
        (
            ("ab",),
            ("ac", "cb"),
            {"muc": [0, 1, 0, 2], "bcub": [1, 2, 1, 4], "ceafe": [0.5, 1, 0.5, 2], "mentions": [2, 2, 2, 3]},
        ),
        # Twice in the key, a belongs to the last entity, and is counted in both.
        (
            ("ab", "ac"),
            ("ab",),
            {"muc": [0, 2, 0, 1], "bcub": [1.5, 4, 1.5, 2], "ceafe": [1, 2, 1, 1], "mentions": [2, 3, 2, 2]},
        ),
        (
            ("aab",),
            ("ab",),
            {"muc": [1, 2, 1, 1], "bcub": [4 / 3, 3, 2, 2], "ceafe": [6 / 5, 1, 6 / 5, 1], "mentions": [2, 2, 2, 2]},
        ),
    ],
)
def test_sums(key, response, expected):
    found = sums_of(chains(*key), chains(*response))
    assert found == pytest.approx([number for metric in METRICS for number in expected[metric]])


def test_scores_of_the_paper():
    figures = scores(np.array(sums_of(chains("abc", "defg"), chains("ab", "cd", "fghi"))))
    percents = {name: round(float(value) * 100, 1) for name, value in figures.items()}
    assert percents == {
        "muc.recall": 40.0,
        "muc.precision": 40.0,
        "muc.f1": 40.0,
        "bcub.recall": 41.7,
        "bcub.precision": 50.0,
        "bcub.f1": 45.5,
        "ceafe.recall": 65.0,
        "ceafe.precision": 43.3,
        "ceafe.f1": 52.0,
        "mentions.recall": 85.7,
        "mentions.precision": 75.0,
        "mentions.f1": 80.0,
        "average": 45.8,
    }


def test_documents_are_summed_before_they_are_divided():
    key = [document("d", "ab"), document("e", "abcdef")]
    response = [document("e", "abcdef"), document("d", "a", "b")]
    sums = document_sums(paired(key, response).pairs)
    assert sums.shape == (2, 16)
    figures = scores(sums.sum(axis=0))
    assert figures["muc.recall"] == pytest.approx(5 / 6)
    assert figures["bcub.recall"] == pytest.approx(7 / 8)
    # 2/3 of document d and 1 of e, over 2 entities of the key and 3 of the response.
    assert figures["ceafe.precision"] == pytest.approx((2 / 3 + 1) / 3)
    by_row = scores(sums)
    assert by_row["muc.recall"].tolist() == [0.0, 1.0]
    assert average_f1(sums)[1] == 1.0


def test_documents_in_one_file_only_are_an_error():
    key = [document("d", "ab"), document("e", "ab"), document("e", "ab", part=1)]
    response = [document("d", "ab"), document("e", "ab"), document("f", "ab"), document("e", "ab", part=2)]
    with pytest.raises(InputError) as caught:
        paired(key, response)
    assert str(caught.value) == (
        "d.conll: documents: 1 missing: e part 001; 2 extra: f part 000, e part 002. "
        "Fix the file, or go on with --missing-as-negative"
    )


def test_a_missing_document_may_count_as_one_without_mentions():
    key = [document("d", "ab"), document("e", "abc")]
    found = paired(key, [document("d", "ab"), document("f", "ab")], missing_as_negative=True)
    assert found.faults == {"missing": 1, "extra": 1}
    figures = scores(document_sums(found.pairs).sum(axis=0))
    assert figures["muc.recall"] == pytest.approx(1 / 3)
    assert figures["muc.precision"] == 1.0
    assert figures["mentions.recall"] == pytest.approx(2 / 5)


def test_no_documents():
    assert document_sums([]).shape == (0, 16)


def partitions(letters):
    """Some of the letters in disjoint entities."""
    places = st.lists(st.integers(0, 3), min_size=len(letters), max_size=len(letters))
    return places.map(
        lambda homes: [
            entity
            for number in range(1, 4)
            if (entity := "".join(it for it, home in zip(letters, homes, strict=True) if home == number))
        ]
    )


@given(partitions("abcdefgh"))
def test_a_key_scores_one_against_itself(entities):
    figures = scores(np.array(sums_of(chains(*entities), chains(*entities))))
    assert figures["bcub.f1"] == pytest.approx(float(bool(entities)))
    assert figures["ceafe.f1"] == pytest.approx(float(bool(entities)))
    assert figures["muc.f1"] == pytest.approx(float(any(len(entity) > 1 for entity in entities)))


@given(partitions("abcdefgh"), partitions("cdefghij"))
def test_precision_of_one_side_is_recall_of_the_other(key, response):
    ours = scores(np.array(sums_of(chains(*key), chains(*response))))
    theirs = scores(np.array(sums_of(chains(*response), chains(*key))))
    for metric in METRICS:
        assert ours[f"{metric}.precision"] == pytest.approx(theirs[f"{metric}.recall"])
        assert ours[f"{metric}.f1"] == pytest.approx(theirs[f"{metric}.f1"])


@given(partitions("abcdefgh"), partitions("cdefghij"))
def test_sums_follow_the_definitions(key, response):
    ours, theirs = [set(entity) for entity in key], [set(entity) for entity in response]

    def of(side, mention):
        return next((entity for entity in side if mention in entity), set())

    # Vilain et al. 1995: an entity's links less the parts in which the other side leaves it.
    parts = [len({frozenset(of(theirs, m) or {m}) for m in entity}) for entity in ours]
    links = sum(len(entity) - part for entity, part in zip(ours, parts, strict=True))
    # Bagga & Baldwin 1998.
    recall = sum(len(of(ours, m) & of(theirs, m)) / len(of(ours, m)) for entity in ours for m in entity)
    precision = sum(len(of(ours, m) & of(theirs, m)) / len(of(theirs, m)) for entity in theirs for m in entity)
    # Luo 2005: the best of all ways to match entities one to one.
    few, many = sorted((ours, theirs), key=len)
    best = max(
        sum(2 * len(a & b) / (len(a) + len(b)) for a, b in zip(few, order, strict=False))
        for order in itertools.permutations(many, len(few))
    )
    found = sums_of(chains(*key), chains(*response))
    assert (found[0], found[4], found[6], found[8]) == pytest.approx((links, recall, precision, best))


def test_the_reference_scorer(reference):
    """What it gives for published files, and what follows by hand for the stand-ins."""
    folder = reference.path("conll-scorer")
    known = json.loads((folder / "expected.json").read_text("utf-8"))
    assert len(known) == EXPECTED[reference.name]
    for name, expected in known.items():
        places = (folder / expected["key"], reference.folder / "winobias" / expected["key"])
        check_scores(next(it for it in places if it.exists()), folder / name, expected)


def check_scores(key_file, response_file, expected):
    key, response = read_documents(key_file), read_documents(response_file)
    figures = scores(document_sums(paired(key, response).pairs).sum(axis=0))
    found = {
        metric: {it: float(figures[f"{metric}.{it}"]) for it in ("recall", "precision", "f1")}
        for metric in ("muc", "bcub", "ceafe")
    }
    for metric, values in found.items():
        assert values == pytest.approx(expected[metric], abs=5.1e-7), response_file.name
    assert float(figures["average"]) == pytest.approx(expected["average_f1"], abs=5.1e-7)
