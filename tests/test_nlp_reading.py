"""The reader: each sentence is read once, and whatever is remembered is what a fresh reading says."""

import json
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from gapforge.nlp.reading import DEFAULT_MODEL, Reader, load_model, reader_of
from gapforge.people.mentions import mentions_in
from gapforge.records import Document, Instance, Span
from gapforge.systems.cues import parallelism, token_distance

PARTED = "Fran*ois Boucher left early."  # its tree ends a sentence at the asterisk: then the name is not one entity
SENTENCES = [
    "Ann Lee met Bo Ray in Paris on Monday, and she gave him her book.",
    PARTED,
    "Whatever the two had written, nobody read it.",
    "The count  knew \n Mary's house.",
    "Rain!",
    " ",
    "",
]
SOME = SENTENCES[:3]
KINDS = ("entities", "trees", "named_trees", "described_trees")
TREE = ("tok2vec", "tagger", "parser")
PARTS = {
    "entities": ("ner",),
    "trees": TREE,
    "named_trees": (*TREE, "ner"),
    "described_trees": (*TREE, "attribute_ruler", "lemmatizer", "ner"),
}


def as_data(answer, kind):
    """All that the model says, to be compared; of a tree the entities only where they were asked for."""
    if kind == "entities":
        return [list(label) for label in answer]
    words = [
        [it.text, it.tag_, it.dep_, it.head.i, it.is_sent_start, it.pos_, it.lemma_, str(it.morph)] for it in answer
    ]
    return words if kind == "trees" else [words, [[it.ent_iob_, it.ent_type_] for it in answer]]


def labels_in(doc):
    return [(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents]


def read_alone(sentence, kind):
    """What the model says of one sentence, with nothing remembered and nothing beside it."""
    nlp = load_model(DEFAULT_MODEL)
    with nlp.select_pipes(enable=PARTS[kind]):
        doc = nlp(sentence)
    return as_data(labels_in(doc) if kind == "entities" else doc, kind)


@pytest.fixture(scope="module")
def alone():
    return {(kind, sentence): read_alone(sentence, kind) for kind in KINDS for sentence in SENTENCES}


def test_a_sentence_is_read_once():
    reader = Reader(DEFAULT_MODEL)
    first = list(reader.named_trees(SOME))
    again = list(reader.named_trees([*SOME, SOME[0]]))
    assert (reader.readings, reader.different) == (3, 3)
    assert [it is known for it, known in zip(again, [*first, first[0]], strict=True)] == [True] * 4


def test_equal_sentences_of_one_question_are_read_once():
    reader = Reader(DEFAULT_MODEL)
    found = list(reader.entities(["Ann left.", "Bob left.", "Ann left."]))
    assert found == [[(0, 3, "PERSON")], [(0, 3, "PERSON")], [(0, 3, "PERSON")]]
    assert (reader.readings, reader.different) == (2, 2)


def test_only_what_is_missing_is_read():
    reader = Reader(DEFAULT_MODEL)
    list(reader.entities(SOME))
    list(reader.trees(SOME))
    assert (reader.readings, reader.different) == (6, 3)
    list(reader.named_trees(SOME))  # both are known, but for the entities of the tree that has an end in it
    assert (reader.readings, reader.different) == (7, 3)
    for kind in KINDS[:3]:
        list(getattr(reader, kind)(SOME))
    assert (reader.readings, reader.different) == (7, 3)


def test_entities_are_known_from_a_tree_that_is_one_sentence():
    reader = Reader(DEFAULT_MODEL)
    list(reader.named_trees(SOME))
    list(reader.entities(SOME))
    assert (reader.readings, reader.different) == (4, 3)


def test_entities_end_where_a_sentence_of_the_tree_ends(alone):
    (labels,) = Reader(DEFAULT_MODEL).entities([PARTED])
    (tree,) = Reader(DEFAULT_MODEL).named_trees([PARTED])
    assert labels != labels_in(tree)


@pytest.mark.parametrize("order", list(permutations(KINDS)), ids="-".join)
def test_what_was_asked_before_changes_nothing(alone, order):
    reader = Reader(DEFAULT_MODEL)
    for _ in range(2):
        for kind in order:
            for sentence, answer in zip(SENTENCES, getattr(reader, kind)(SENTENCES), strict=True):
                assert as_data(answer, kind) == alone[kind, sentence], (kind, sentence)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.lists(st.sampled_from(SENTENCES), max_size=4)), max_size=6))
def test_any_questions_in_any_order(alone, questions):
    reader = Reader(DEFAULT_MODEL, most=120)  # so that some sentences are forgotten on the way
    for kind, sentences in questions:
        answers = [as_data(it, kind) for it in getattr(reader, kind)(sentences)]
        assert answers == [alone[kind, sentence] for sentence in sentences]
        assert reader.held <= 120


def test_memory_has_an_end():
    reader = Reader(DEFAULT_MODEL, most=20)
    list(reader.entities(["Ann left.", "Bo sat.", "Ann left."]))
    assert (reader.held, reader.different) == (16, 2)
    list(reader.entities(["Ann left."]))  # used again, so that the other one is older
    list(reader.entities(["Cy stood."]))
    assert (reader.held, reader.different) == (18, 3)
    list(reader.entities(["Ann left.", "Cy stood."]))
    assert (reader.held, reader.readings, reader.different) == (18, 3, 3)
    list(reader.entities(["Bo sat."]))
    assert (reader.held, reader.readings, reader.different) == (16, 4, 4)


def test_a_sentence_longer_than_the_memory_is_read_and_forgotten():
    reader = Reader(DEFAULT_MODEL, most=5)
    assert list(reader.entities(["Ann left."])) == [[(0, 3, "PERSON")]]
    assert reader.held == 0
    list(reader.entities(["Ann left."]))
    assert (reader.readings, reader.different) == (2, 2)


def test_many_sentences_are_read_in_batches():
    sentences = [f"Ann saw {number} cats." for number in range(600)]
    reader = Reader(DEFAULT_MODEL)
    found = reader.entities(iter(sentences))
    next(found)
    assert reader.readings == 256  # more are read when they are asked for
    assert len(list(found)) == 599
    assert (reader.readings, reader.different) == (600, 600)


def test_names_and_resolvers_share_what_was_read():
    text = "Ida Moss met Una Gray at the old mill near Ely. Then she walked home."
    instance = Instance("1", text, Span(53, 56), Span(0, 8), Span(13, 21))
    reader = reader_of(DEFAULT_MODEL)
    before = reader.readings
    mentions_in(Document("1", "", "", "", text, []), DEFAULT_MODEL)
    assert reader.readings == before + 2
    token_distance([instance])
    assert reader.readings == before + 4  # their trees
    parallelism([instance])
    token_distance([instance], gold_two_mentions=True)
    mentions_in(Document("2", "", "", "", text, []), DEFAULT_MODEL)
    assert reader.readings == before + 4


SCRIPT = """
import json, sys
from test_nlp_reading import KINDS, SENTENCES, as_data
from gapforge.nlp.reading import DEFAULT_MODEL, Reader

reader = Reader(DEFAULT_MODEL)
order = SENTENCES[::-1]
found = {kind: [as_data(it, kind) for it in getattr(reader, kind)(order)][::-1] for kind in KINDS[::-1]}
print(json.dumps(found, sort_keys=True))
"""


def test_hash_seed_and_order_change_nothing(alone):
    expected = {kind: [alone[kind, sentence] for sentence in SENTENCES] for kind in KINDS}
    environment = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, check=True)
    assert json.loads(done.stdout) == expected


@pytest.mark.process
def test_a_model_may_find_entities_before_the_tree(tmp_path):
    usual = load_model(DEFAULT_MODEL)
    turned = spacy.blank("en", vocab=usual.vocab)
    for part in ("ner", *TREE):
        turned.add_pipe(part, source=usual)
    turned.to_disk(tmp_path / "model")
    reader = Reader(str(tmp_path / "model"))
    (labels,) = reader.entities([PARTED])
    (added,) = reader.named_trees([PARTED])
    (fresh,) = Reader(str(tmp_path / "model")).named_trees([PARTED])
    assert labels == labels_in(added) == labels_in(fresh) == [(0, 16, "PERSON")]
