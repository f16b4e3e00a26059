"""Texts to sentences with what is protected in them, and to records with every score."""

import dataclasses

import pytest

from gapforge.records import LabelledExample, Span
from gapforge.subjectivity.content import gleu, invariants
from gapforge.subjectivity.detector import lexicon
from gapforge.subjectivity.fluency import grammar
from gapforge.subjectivity.hooks import SubjectivitySettings
from gapforge.subjectivity.proposals import Passage, passage_of, score_passages, sentences_of, within

TEXT = "Ann Lee died in Paris in 1990. She was a writer. Bo said: ``He won a match. She left'' and slept."
NAMES = (Span(31, 34), Span(0, 7), Span(49, 51))


def make_example(text, pronoun, a, b):
    spans = [Span(text.index(it), text.index(it) + len(it)) for it in (pronoun, a, b)]
    return LabelledExample(
        *("1", "gap", "d", "", 0, text, "FINALPRO", "feminine"),
        *(*spans, False, 0, "A", 1.0, "gold", "test"),
    )


@pytest.fixture(scope="module")
def scored():
    return list(score_passages([Passage("1", TEXT, NAMES), Passage("2", "", ())], SubjectivitySettings(), {}))


def test_sentences_and_what_is_protected_in_each():
    found = sentences_of(Passage("1", TEXT, NAMES))
    assert [it.text for it in found][:2] == ["Ann Lee died in Paris in 1990.", "She was a writer."]
    assert [it.number for it in found] == list(range(len(found)))
    protected = [[it.text[span.start : span.end] for span in it.protected] for it in found]
    assert protected[:2] == [["Ann Lee"], ["She"]]
    # A quotation that goes over several sentences is protected in each.
    assert [it for its in protected[2:] for it in its if it != "Bo"] == ["``He won a match.", "She left''"]


def test_a_quotation_of_several_sentences_has_nothing_put_between_them():
    """The name at the beginning of the second would take an opening where it is not quoted."""
    died = "Ann Lee died in Paris in 1990."
    quoted, plain = (f"Bo wrote {mark}He won. {died} She left{end}." for mark, end in (("``", "''"), ("", "")))
    for text, amid in ((quoted, False), (plain, True)):
        settings = SubjectivitySettings(attempts=50)
        found = [it.proposal or "" for it in score_passages([Passage("1", text, ())], settings, {}) if it.number == 1]
        assert any(it.endswith(f", {died}") for it in found) == amid
    edges = [it.edges for it in sentences_of(Passage("1", quoted, ()))]
    assert edges == [{len("Bo wrote ``He won.")}, {0, len(died)}, {0}]


@pytest.mark.parametrize(
    ("span", "sentence", "expected"),
    [
        (Span(5, 8), Span(2, 20), Span(3, 6)),
        (Span(0, 8), Span(2, 20), Span(0, 6)),
        (Span(5, 30), Span(2, 20), Span(3, 18)),
        (Span(0, 30), Span(2, 20), Span(0, 18)),
    ],
)
def test_the_part_of_a_span_within_a_sentence(span, sentence, expected):
    assert within(span, sentence) == expected


def test_a_passage_holds_pronoun_and_names():
    example = make_example("Ann met Bo. She left.", "She", "Ann", "Bo")
    assert passage_of(example) == Passage("1", "Ann met Bo. She left.", (Span(12, 15), Span(0, 3), Span(8, 10)))


def test_the_surname_he_is_no_pronoun():
    """It keeps its capital, though the model and its letters say otherwise."""
    example = make_example("He died in Boston in 1990. Ann met her.", "her", "He", "Ann")
    settings = SubjectivitySettings(attempts=20)
    found = [it.proposal for it in score_passages([passage_of(example)], settings, {}) if it.number == 0]
    assert found and all("He " in it for it in found)


def test_records_are_of_their_sentences(scored):
    assert {it.instance_id for it in scored} == {"1"}
    for it in scored:
        assert TEXT[it.span.start : it.span.end] == it.sentence
    numbers = [(it.number, it.attempt) for it in scored]
    assert numbers == sorted(numbers) and len(set(numbers)) == len(numbers)
    assert {number for number, _ in numbers} == {0, 1, 2, 3}
    assert max(attempt for _, attempt in numbers) <= 3


def test_scores_are_what_the_hooks_say(scored):
    made = [it for it in scored if it.proposal is not None]
    assert len(made) >= 5
    for it in made:
        assert [it.subjectivity, it.proposal_subjectivity] == lexicon([it.sentence, it.proposal])
        assert [it.log_perplexity, it.proposal_log_perplexity] == grammar([it.sentence, it.proposal])
        assert it.gleu == gleu(it.sentence, it.proposal)
        assert it.broken == invariants([it.sentence], [it.proposal])[0] == []
        assert it.cosine is None and it.edits


def test_a_sentence_without_a_proposal_has_one_record(scored):
    (record,) = [it for it in scored if it.number == 3]
    assert record.sentence == "She left'' and slept."
    assert (record.attempt, record.proposal, record.edits, record.gleu, record.broken) == (0, None, [], None, [])
    assert (record.proposal_subjectivity, record.proposal_log_perplexity, record.cosine) == (None, None, None)
    assert record.subjectivity == lexicon([record.sentence])[0]


def test_the_texts_around_do_not_matter(scored):
    other = Passage("0", "He wrote a novel in Rome.", ())
    found = list(score_passages([other, Passage("1", TEXT, NAMES), other], SubjectivitySettings(), {}))
    assert [it for it in found if it.instance_id == "1"] == scored


def test_no_texts():
    assert list(score_passages([], SubjectivitySettings(), {})) == []
    assert list(score_passages([Passage("1", " \n ", ())], SubjectivitySettings(), {})) == []


def test_another_seed_gives_other_proposals(scored):
    settings = dataclasses.replace(SubjectivitySettings(), seed=1)
    found = list(score_passages([Passage("1", TEXT, NAMES)], settings, {}))
    assert [it.proposal for it in found] != [it.proposal for it in scored]
