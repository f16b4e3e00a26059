"""Kept sentences back into their texts: spans move with the text, whatever is changed around them."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.errors import InputError
from gapforge.records import AcceptedEdit, LabelledExample, Span, SubjectiveEdit, SubjectiveSentence
from gapforge.subjectivity.variants import is_found, subjective_examples

TEXT = "Ann met Bo in Paris. She left him. It rained."


def make_example(text=TEXT, pronoun="She", a="Ann", b="Bo", id="1", **changes):
    spans = [Span(text.index(it), text.index(it) + len(it)) for it in (pronoun, a, b)]
    example = LabelledExample(
        *(id, "gap", "d", "", 0, text, "FINALPRO", "feminine"),
        *(*spans, False, 0, "A", 1.0, "gold", "test"),
    )
    return dataclasses.replace(example, **changes)


def make_sentence(start, sentence, edits, id="1", number=0, kept=True):
    return SubjectiveSentence(
        *(id, number, 0, Span(start, start + len(sentence)), sentence, "new", edits),
        *(0.25, 0.75, 3.0, 3.1, 0.9, None, []),
        *(True, True, True, kept, [] if kept else ["not fluent"]),
    )


def words(example):
    return [example.text[it.start : it.end] for it in (example.pronoun, example.name_a, example.name_b)]


OPENED = make_sentence(
    21,
    "She left him.",
    [SubjectiveEdit(Span(0, 0), "Sadly, ", "sadly", "stance"), SubjectiveEdit(Span(0, 1), "s", "sadly", "stance")],
    number=1,
)
RAINED = make_sentence(35, "It rained.", [SubjectiveEdit(Span(3, 9), "poured", "poured", "verb")], number=2)


def test_a_variant():
    (made,) = subjective_examples([make_example()], [OPENED, RAINED])
    assert made.text == "Ann met Bo in Paris. Sadly, she left him. It poured."
    assert made.original_text == TEXT and made.converted
    assert words(made) == ["she", "Ann", "Bo"]
    assert (made.pronoun, made.name_a, made.name_b) == (Span(28, 31), Span(0, 3), Span(8, 10))
    assert made.label == "A" and made.id == "1" and made.split == "test"
    scores = {"subjectivity_before": 0.25, "subjectivity_after": 0.75, "log_perplexity_change": 0.1, "gleu": 0.9}
    assert made.edits == [
        AcceptedEdit(21, 21, "Sadly, ", "sadly", "stance", 1, **scores, cosine=None),
        AcceptedEdit(21, 22, "s", "sadly", "stance", 1, **scores, cosine=None),
        AcceptedEdit(38, 44, "poured", "poured", "verb", 2, **scores, cosine=None),
    ]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, [True, True, True]),
        ({"pronoun": Span(21, 24)}, [False, True, True]),  # "Sad"
        ({"pronoun": Span(20, 23)}, [False, True, True]),
        ({"name_a": Span(0, 0)}, [True, False, True]),
        ({"name_b": Span(46, 49)}, [True, True, False]),  # within "poured"
        ({"text": "Ann met Bo in Paris. Sadly, He left him. It poured."}, [False, True, True]),
        ({"text": "Anx met Bo in Paris. Sadly, she left him. It poured."}, [True, False, True]),
    ],
)
def test_words_are_found_where_edits_moved_them(changes, found):
    (made,) = subjective_examples([make_example()], [OPENED, RAINED])
    changed = dataclasses.replace(made, **changes)
    assert [is_found(changed, name) for name in ("pronoun", "name_a", "name_b")] == found


def test_the_order_of_sentences_does_not_matter():
    (one,), (other,) = (list(subjective_examples([make_example()], it)) for it in ([OPENED, RAINED], [RAINED, OPENED]))
    assert one == other


def test_an_example_without_a_kept_sentence_stays_as_it_is():
    refused = dataclasses.replace(OPENED, kept=False, reasons=["not fluent"])
    of_others = dataclasses.replace(RAINED, instance_id="2")
    (made,) = subjective_examples([make_example()], [refused, of_others])
    assert (made.text, made.converted, made.edits) == (TEXT, False, [])
    assert words(made) == ["She", "Ann", "Bo"]


def test_every_example_has_one_variant_in_order():
    examples = [make_example(id=name) for name in ("b", "a", "c")]
    made = list(subjective_examples(examples, [dataclasses.replace(RAINED, instance_id="a")]))
    assert [(it.id, it.converted) for it in made] == [("b", False), ("a", True), ("c", False)]


@pytest.mark.parametrize(
    "sentence",
    [
        dataclasses.replace(RAINED, span=Span(34, 44)),
        dataclasses.replace(RAINED, sentence="It snowed."),
        dataclasses.replace(RAINED, span=Span(100, 110)),
    ],
)
def test_sentences_of_another_text(sentence):
    with pytest.raises(InputError) as caught:
        list(subjective_examples([make_example()], [sentence]))
    assert str(caught.value) == "1: sentence 2 is not in the text; score the sentences again"


def test_sentences_that_were_not_kept_are_not_looked_for():
    sentence = dataclasses.replace(RAINED, sentence="It snowed.", kept=False)
    (made,) = subjective_examples([make_example()], [sentence])
    assert not made.converted


@given(st.data())
def test_spans_move_with_the_text(data):
    """Any edits between pronoun and names, also right before and behind them, leave each at its span."""
    gaps = data.draw(st.lists(st.text(alphabet="ab é🎻.\n", max_size=12), min_size=4, max_size=4))
    names = data.draw(st.permutations(["Ann", "Bo Lee", "her"]))
    text = "".join(gap + name for gap, name in zip(gaps, [*names, ""], strict=True))
    starts = {name: sum(map(len, gaps[: n + 1])) + sum(map(len, names[:n])) for n, name in enumerate(names)}
    spans = {name: Span(start, start + len(name)) for name, start in starts.items()}
    edits, pieces, at = [], [], 0
    for gap, name in zip(gaps, [*names, ""], strict=True):
        cuts = sorted(data.draw(st.lists(st.integers(0, len(gap)), max_size=4)))
        put = data.draw(st.text(alphabet="xyz ,🎻", min_size=1, max_size=8))
        changed = gap
        for start, end in reversed(list(zip(cuts[::2], cuts[1::2], strict=False))):
            edits.append(SubjectiveEdit(Span(at + start, at + end), put, "x", "own"))
            changed = changed[:start] + put + changed[end:]
        pieces.append(changed + name)
        at += len(gap) + len(name)
    edits.sort(key=lambda it: (it.span.start, it.span.end))
    example = dataclasses.replace(
        make_example(), text=text, pronoun=spans["her"], name_a=spans["Ann"], name_b=spans["Bo Lee"]
    )
    (made,) = subjective_examples([example], [make_sentence(0, text, edits)])
    assert made.text == "".join(pieces)
    assert words(made) == ["her", "Ann", "Bo Lee"]
    assert made.converted == bool(edits)


def test_edits_of_several_sentences_are_by_offsets_into_the_text():
    text = "It rained. It rained. Ann met Bo. She left."
    sentences = [
        make_sentence(start, "It rained.", [SubjectiveEdit(Span(3, 9), new, new, "verb")], number=n)
        for n, (start, new) in enumerate([(0, "poured"), (11, "drizzled")])
    ]
    (made,) = subjective_examples([make_example(text)], sentences)
    assert made.text == "It poured. It drizzled. Ann met Bo. She left."
    assert words(made) == ["She", "Ann", "Bo"]
    assert [(it.start, it.end, it.sentence) for it in made.edits] == [(3, 9, 0), (14, 20, 1)]
