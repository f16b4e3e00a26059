"""A row and its subjective variant are one question, or what differs is told."""

import dataclasses

import pytest

import releases
from gapforge.release.rows import released_example, released_subjective
from gapforge.release.variants import has_the_same_pronoun, variant_faults
from gapforge.released import ReleasedExample, ReleasedSubjective

ROW = released_example(releases.example(1, "test"), None)
VARIANT = released_subjective(releases.variant(releases.example(1, "test")))
LABEL = "not the label, gender, pattern and origin of the row of gap"
MOVED = "pronoun or names are not where the edits move them"
EDITED = "the edits do not turn original_text into text"


def faults(**changes):
    return list(variant_faults([ROW], [dataclasses.replace(VARIANT, **changes)]))


def test_a_variant_is_sound():
    assert faults() == []
    example = releases.example(4, "test")  # which has no edits
    variants = [released_subjective(releases.variant(example))]
    assert list(variant_faults([released_example(example, None)], variants)) == []


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({"label": "B"}, [LABEL]),
        ({"a_coref": False}, [LABEL]),
        ({"gender": "masculine"}, [LABEL]),
        ({"pattern": "MEDIALPRO"}, [LABEL]),
        ({"standard": "silver"}, [LABEL]),
        ({"document_id": "another"}, [LABEL]),
        ({"page_entity": True}, [LABEL]),
        ({"a": "Ann"}, ["not the names of the row of gap", MOVED]),
        ({"b": "Bell", "b_offset": VARIANT.b_offset + 5}, ["not the names of the row of gap", MOVED]),
        ({"pronoun": "her"}, ["not the pronoun of the row of gap"]),
        ({"pronoun": "She"}, []),
        ({"converted": False}, ["converted does not say whether there are edits"]),
        ({"text": VARIANT.text.replace("sadly", "badly")}, [EDITED]),
        ({"edits": []}, ["converted does not say whether there are edits", EDITED, MOVED]),
        ({"edits": VARIANT.edits[::-1]}, [EDITED, MOVED]),
        ({"edits": [dataclasses.replace(it, end=900) for it in VARIANT.edits]}, [EDITED, MOVED]),
        ({"original_text": ROW.text + " "}, ["original_text is not the text of the row of gap", EDITED]),
        ({"a_offset": ROW.a_offset}, [MOVED]),
        ({"pronoun_offset": VARIANT.pronoun_offset + 1}, [MOVED]),
    ],
    ids=str,
)
def test_what_a_variant_must_share(changes, rules):
    assert faults(**changes) == [(rule, ["wiki-1"]) for rule in rules]


def test_every_row_has_its_variant_in_the_same_split():
    other = dataclasses.replace(VARIANT, id="wiki-9")
    assert list(variant_faults([ROW], [other])) == [
        ("rows of gap without a variant", ["wiki-1"]),
        ("variants of no row of gap in the same split", ["wiki-9"]),
    ]


def beginning(text: str, pronoun: str, at: int, edits) -> ReleasedSubjective:
    """A variant whose first sentence begins with the pronoun."""
    row = dataclasses.replace(VARIANT, text=text, pronoun=pronoun, pronoun_offset=at, edits=edits)
    return dataclasses.replace(row, a="Ann", a_offset=text.index("Ann"), b="Ida", b_offset=text.index("Ida"))


FIRST: ReleasedExample = dataclasses.replace(
    ROW, text="She saw Ann and Ida.", pronoun="She", pronoun_offset=0, a="Ann", a_offset=8, b="Ida", b_offset=16
)


@pytest.mark.parametrize(
    ("text", "at", "edits"),
    [
        ("Sadly, she saw Ann and Ida.", 7, [releases.edit(0, 0, "Sadly, "), releases.edit(0, 1, "s")]),
        ("She sadly saw Ann and poor Ida.", 0, [releases.edit(4, 4, "sadly "), releases.edit(16, 16, "poor ")]),
    ],
)
def test_a_pronoun_that_began_a_sentence_may_be_written_small(text, at, edits):
    first = dataclasses.replace(FIRST, a_offset=8, b_offset=16)
    variant = beginning(text, text[at : at + 3], at, edits)
    variant = dataclasses.replace(variant, original_text=first.text)
    assert list(variant_faults([first], [variant])) == []
    assert has_the_same_pronoun(first, variant)


@pytest.mark.parametrize(
    "edits",
    [
        [releases.edit(0, 3, "Sadly, she")],  # the pronoun within more words
        [releases.edit(0, 7, "Sadly, she saw")],  # over the edge of the pronoun
    ],
)
def test_an_edit_tells_where_the_pronoun_is(edits):
    variant = beginning("Sadly, she saw Ann and Ida.", "she", 7, edits)
    variant = dataclasses.replace(variant, original_text=FIRST.text)
    assert list(variant_faults([FIRST], [variant])) == [(MOVED, ["wiki-1"])]
