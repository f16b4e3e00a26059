"""Edits recovered from rewritten sentences, and a small model that has learnt to rewrite a few of them."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.edits import Edit, Rewriting
from gapforge.errors import ConfigError
from gapforge.nlp.neural import load_pretrained
from gapforge.records import Span, SubjectiveEdit
from gapforge.subjectivity.hooks import ask, proposals_for
from gapforge.subjectivity.rewriter import differences, phrase_of, proposals, seq2seq


def spans_of(text: str, *words: str) -> list[Span]:
    return [Span(text.index(word), text.index(word) + len(word)) for word in words]


def shown(source: str, target: str, *protected: str) -> list[tuple[str, str]]:
    edits = differences(source, target, spans_of(source, *protected))
    return [(source[span.start : span.end], new) for span, new in edits]


@pytest.mark.parametrize(
    ("source", "target", "protected", "expected"),
    [
        ("He won.", "He won.", [], []),
        ("He won a prize.", "He won a great prize.", [], [("", "great ")]),
        ("He won a prize.", "He famously lost a prize.", [], [("won", "famously lost")]),
        ("He won a small prize.", "He won a prize.", [], [("small ", "")]),
        ("He won.", "Sadly, he won.", [], [("He", "Sadly, he")]),
        ("He won.", "He won, sadly.", [], [("", ", sadly")]),
        ("He won", "He won at last", [], [("", " at last")]),
        ("", "He won", [], [("", "He won")]),
        ("He won", "", [], [("He won", "")]),
        ("Ann won.", "The great Ann won.", ["Ann"], [("", "The great ")]),
        ("Ann won it.", "The actress won the prize.", ["Ann"], [("it", "the prize")]),
        ("Ann Lee won.", "Ann the Great Lee won big.", ["Ann Lee"], [("", " big")]),  # not into a name
        ("Ann’s work", "Ann’s fine work", ["Ann"], [("", "fine ")]),
        ("Ann’s work", "Anna’s fine work", ["Ann"], []),
        ("He saw Ann here", "They met Bea there", ["Ann"], []),  # in one piece on both sides of the name
    ],
)
def test_differences(source, target, protected, expected):
    assert shown(source, target, *protected) == expected


WORDS = st.sampled_from(["Ann", "she", "won", "great", "a", "’s", "-", ",", ".", " ", " ", "  ", "\n", "é😀"])
TEXTS = st.lists(WORDS, max_size=14).map("".join)


def applied(source: str, edits: list[tuple[Span, str]]) -> Rewriting:
    return Rewriting(source, [Edit(span, new) for span, new in edits])


@given(TEXTS, TEXTS)
def test_applied_to_the_source_they_give_the_target(source, target):
    assert applied(source, differences(source, target)).text == target


@given(TEXTS, TEXTS, st.data())
def test_protected_spans_survive(source, target, data):
    places = st.integers(0, len(source))
    bounds = data.draw(st.lists(st.tuples(places, places).map(sorted), max_size=3))
    protected = [Span(start, end) for start, end in bounds if start < end]
    rewriting = applied(source, differences(source, target, protected))
    for span in protected:
        moved = rewriting.move(span)
        assert rewriting.text[moved.start : moved.end] == source[span.start : span.end]


def test_proposals_say_something_new_once():
    sentence = "  Ann met  Bea here.\n"
    texts = [
        "Ann met Bea here.",  # blanks alone
        "Ann met the Great  Bea here.",
        "Anna met the Great  Bea here.",  # the same, since the name is kept
        "Zoe met  Bea here.",
        "",
        "Ann met  Bea there, alas.",
    ]
    found = list(proposals(sentence, texts, spans_of(sentence, "Ann", "Bea")))
    assert found == [
        [SubjectiveEdit(Span(10, 10), "the Great ", "the great", "rewrite")],
        [SubjectiveEdit(Span(15, 19), "there, alas", "there alas", "rewrite")],
    ]


@pytest.mark.parametrize(
    ("old", "new", "phrase"),
    [
        ("The", "Sadly, the", "sadly"),
        ("In", "Sadly, in", "sadly"),
        ("a", "an awful", "an awful"),
        ("very old", "old", ""),
        ("", ".", ""),
        ("", "well-known ", "well-known"),
    ],
)
def test_what_is_said_that_was_not(old, new, phrase):
    assert phrase_of(old, new) == phrase


def test_a_model_must_be_named():
    with pytest.raises(ConfigError) as caught:
        proposals_for("seq2seq", {}, ["He won."], [[]], 0, 1)
    assert str(caught.value) == (
        "no sequence-to-sequence model is named; give its folder, package or owner/name on the hub as model"
    )


def test_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    load_pretrained.cache_clear()
    with pytest.raises(ConfigError) as caught:
        proposals_for("seq2seq", {"model": "anything"}, ["He won."], [[]], 0, 1)
    assert str(caught.value) == (
        'torch cannot be imported (import of torch halted; None in sys.modules); pip install "gapforge[neural]"'
    )


# --- with the extra

PAIRS = [
    ("Ann won a prize .", "Ann won a great prize ."),
    ("Bea wrote a book .", "Bea sadly wrote a book ."),
    ("Ann met Bea in town .", "Ann met Bea in the fine town ."),
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> str:
    """The folder of a small T5 that knows a few words, and three sentences by heart."""
    for module in ("torch", "transformers"):
        pytest.importorskip(module, reason="the neural extra is not installed; make neural")
    import tokenizers
    import torch
    import transformers

    folder = tmp_path_factory.mktemp("tiny")
    words = sorted({word for pair in PAIRS for text in pair for word in text.split()})
    vocabulary = {word: n for n, word in enumerate(["<pad>", "</s>", "<unk>", *words])}
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    backend.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=12
    )
    tokenizer.save_pretrained(folder)
    config = transformers.T5Config(
        vocab_size=len(vocabulary),
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=1,
        num_decoder_layers=1,
        num_heads=2,
        dropout_rate=0.0,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        model = transformers.T5ForConditionalGeneration(config)
    inputs = tokenizer([source for source, _ in PAIRS], padding=True, return_tensors="pt")
    labels = tokenizer([target for _, target in PAIRS], padding=True, return_tensors="pt").input_ids
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(150):
        loss = model(
            input_ids=inputs.input_ids,
            attention_mask=inputs.attention_mask,
            labels=labels.masked_fill(labels == 0, -100),
        ).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    return str(folder)


def test_a_model_that_rewrites(tiny):
    sentences = [source for source, _ in PAIRS]
    protected = [spans_of(PAIRS[0][0], "Ann"), spans_of(PAIRS[1][0], "Bea"), spans_of(PAIRS[2][0], "Ann", "Bea")]
    found = proposals_for("seq2seq", {"model": tiny}, sentences, protected, 0, 1)
    assert found == [
        [[SubjectiveEdit(Span(10, 10), "great ", "great", "rewrite")]],
        [[SubjectiveEdit(Span(4, 4), "sadly ", "sadly", "rewrite")]],
        [[SubjectiveEdit(Span(15, 15), "the fine ", "the fine", "rewrite")]],
    ]
    assert proposals_for("seq2seq", {"model": tiny}, sentences, protected, 1, 1) == found
    for n, sentence in enumerate(sentences):
        (alone,) = seq2seq([sentence], protected[n : n + 1], 0, 1, model=tiny)
        assert alone == found[n]  # a batch changes nothing
        (edits,) = found[n]
        assert Rewriting(sentence, [Edit(it.span, it.new) for it in edits]).text == PAIRS[n][1]


def test_several_attempts(tiny):
    sentence = PAIRS[0][0]
    (found,) = seq2seq([sentence], [spans_of(sentence, "Ann")], 0, 6, model=tiny)
    assert 1 < len(found) <= 6
    assert found[0] == [SubjectiveEdit(Span(10, 10), "great ", "great", "rewrite")]
    assert all(edits and edits not in found[:n] for n, edits in enumerate(found))
    assert all(it.span.start >= 3 for edits in found for it in edits)  # behind the name
    (unprotected,) = seq2seq([sentence], [[]], 0, 6, model=tiny)
    assert found[0] == unprotected[0]


def test_what_the_model_cannot_hold(tiny):
    long = "Ann won a prize . " * 3
    assert seq2seq(["", " ", long], [[], [], []], 0, 2, model=tiny) == [[], [], []]
    assert seq2seq([], [], 0, 2, model=tiny) == []
    with_prefix = seq2seq([PAIRS[0][0]], [[]], 0, 1, model=tiny, prefix="Ann " * 8)
    assert with_prefix == [[]]


def test_another_kind_of_model(tmp_path):
    for module in ("torch", "transformers"):
        pytest.importorskip(module, reason="the neural extra is not installed; make neural")
    with pytest.raises(ConfigError, match=r": not a sequence-to-sequence model that can be loaded \(.*\); name"):
        ask("transfer", "seq2seq", {"model": str(tmp_path)}, ["He won."], [[]], 0, 1)
