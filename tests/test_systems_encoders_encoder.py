"""Encoders by folder and package, and the classifier over their states.

The tests that need the neural extra build an encoder of their own: a few random weights, and a tokenizer that knows
letters.
"""

import shutil
import socket
import string
from collections import Counter

import numpy as np
import pytest

from gapforge.errors import ConfigError
from gapforge.nlp.neural import DEFAULT_ENCODER, load_pretrained
from gapforge.records import Instance, Label, Span
from gapforge.storage.tsv import read_rows
from gapforge.systems.encoders import (
    Encoded,
    chosen,
    encode,
    encoder,
    load_encoder,
    pooled,
    state_features,
    states_of,
    window,
)
from reference import published

NEURAL = ("torch", "transformers", "sklearn")


def make_instance(text: str = "Ann met Bea when she left.", name_a: str = "Ann", name_b: str = "Bea") -> Instance:
    def first(words: str) -> Span:
        return Span(text.index(words), text.index(words) + len(words))

    return Instance("i-1", text, first("she"), first(name_a), first(name_b))


# --- without the extra


@pytest.mark.parametrize(
    ("length", "room", "pronoun", "names", "expected"),
    [
        (10, 20, [5], [[1], [8]], (0, 10)),  # all of it
        (100, 10, [50], [[48], [52]], (46, 56)),  # both names and the pronoun, in the middle
        (100, 10, [50, 51], [[45], [90]], (44, 54)),  # the far name does not fit
        (100, 10, [2], [[0], [4]], (0, 10)),
        (100, 10, [98], [[95], [99]], (90, 100)),
        (100, 10, [50], [[20], [80]], (46, 56)),  # neither fits
        (100, 10, [50], [[], [41]], (41, 51)),  # just fits
        (100, 10, [], [[], []], (0, 10)),
    ],
)
def test_window(length, room, pronoun, names, expected):
    assert window(length, room, pronoun, names) == expected


def test_within():
    offsets = [Span(0, 0), Span(0, 3), Span(3, 6), Span(7, 9), Span(0, 0)]
    encoded = Encoded(["^", "ann", "lee", "me", "$"], offsets, np.zeros((1, 5, 1), np.float32), None)
    assert encoded.within(Span(0, 6)) == [1, 2]
    assert encoded.within(Span(4, 8)) == [2, 3]
    assert encoded.within(Span(6, 7)) == []
    assert encoded.within(Span(0, 1)) == [1]


def test_pooled():
    states = np.array([[[1, 2], [3, 4], [5, 6]], [[0, 0], [2, 2], [4, 4]]], np.float32)
    assert pooled(states, [0, 2]).tolist() == [[3, 4], [2, 2]]
    assert pooled(states, []).tolist() == [[0, 0], [0, 0]]


def test_features():
    instance = make_instance()
    offsets = [instance.name_a, instance.name_b, instance.pronoun]
    encoded = Encoded(["ann", "bea", "she"], offsets, np.array([[[2, 3], [5, 7], [10, 100]]], np.float32), None)
    assert state_features(instance, encoded).tolist() == [[10, 100, 2, 3, 5, 7, 20, 300, 50, 700]]


@pytest.mark.parametrize(
    ("labels", "counts"),
    [([], "0 A, 0 B, 0 neither"), (["A", "A"], "2 A, 0 B, 0 neither"), (["both", "B"], "0 A, 1 B, 0 neither")],
)
def test_too_little_to_train_on(labels, counts):
    with pytest.raises(ConfigError) as caught:
        encoder([make_instance()], train=[(make_instance(), label) for label in labels])
    assert str(caught.value) == (
        f"the classifier cannot be trained: {len(labels)} examples ({counts}), wanted two answers or more; "
        "name a file of answered examples to train on"
    )


# --- with it


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> str:
    """The folder of an encoder with two layers of two heads that reads at most 40 subtokens, letters and words."""
    for module in NEURAL:
        pytest.importorskip(module, reason="the neural extra is not installed; make neural")
    import tokenizers
    import torch
    import transformers

    folder = tmp_path_factory.mktemp("tiny")
    letters = [*string.ascii_letters, *(f"##{it}" for it in string.ascii_letters), ".", ",", "é"]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "Ann", "Bea", "met", "she", "left", "when", *letters]
    pieces = tokenizers.models.WordPiece({word: n for n, word in enumerate(words)}, unk_token="[UNK]")
    backend = tokenizers.Tokenizer(pieces)
    backend.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    backend.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    backend.enable_truncation(8)  # as sentence encoders do
    backend.enable_padding(length=8)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=40,
        initializer_range=0.5,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return str(folder)


def test_offsets_states_and_attention(tiny):
    loaded = load_encoder(tiny)
    assert loaded.limit == 40
    ((n, encoded),) = encode(loaded, [make_instance("Ann met Bea é Zoe when she left.")], attention=True)
    text = "Ann met Bea é Zoe when she left."
    assert n == 0
    assert encoded.tokens == ["[CLS]", "Ann", "met", "Bea", "é", "Z", "##o", "##e", "when", "she", "left", ".", "[SEP]"]
    assert [text[it.start : it.end] for it in encoded.offsets] == [
        "",
        *["Ann", "met", "Bea", "é", "Z", "o", "e", "when", "she", "left", "."],
        "",
    ]
    assert encoded.states.shape == (3, 13, 16)
    assert encoded.attention is not None
    assert encoded.attention.shape == (2, 2, 13, 13)
    assert encoded.attention.sum(axis=-1) == pytest.approx(np.ones((2, 2, 13)), abs=1e-5)


def test_a_batch_changes_nothing(tiny):
    loaded = load_encoder(tiny)
    instances = [make_instance(f"Ann met Bea {'x' * n} when she left.") for n in (9, 1, 5)]
    together = dict(encode(loaded, instances, attention=True))
    assert sorted(together) == [0, 1, 2]
    for n, instance in enumerate(instances):
        ((_, alone),) = encode(loaded, [instance], attention=True)
        assert together[n].tokens == alone.tokens
        assert together[n].states == pytest.approx(alone.states, abs=1e-4)
        assert together[n].attention == pytest.approx(alone.attention, abs=1e-5)


def test_of_a_long_text_the_part_around_the_pronoun(tiny):
    text = f"{'met ' * 50}Ann met Bea {'when ' * 10}she left. {'met ' * 50}"
    instance = make_instance(text)
    ((_, encoded),) = encode(load_encoder(tiny), [instance])
    assert len(encoded.tokens) == 40
    for span, words in ((instance.pronoun, "she"), (instance.name_a, "Ann"), (instance.name_b, "Bea")):
        (place,) = encoded.within(span)
        assert encoded.tokens[place] == text[span.start : span.end] == words
    far = make_instance(f"Ann {'met ' * 50}Bea when she left.")
    ((_, encoded),) = encode(load_encoder(tiny), [far])
    assert encoded.within(far.name_a) == []
    assert len(encoded.within(far.name_b)) == 1
    assert not state_features(far, encoded)[:, 16:32].any()  # A, which was not seen


def test_a_folder_never_touches_the_network(tiny, monkeypatch, tmp_path):
    def refuse(*arguments):
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    shutil.copytree(tiny, tmp_path / "copy")
    assert load_encoder(str(tmp_path / "copy")).limit == 40
    (tmp_path / "copy" / "tokenizer.json").unlink()
    (tmp_path / "copy" / "tokenizer_config.json").unlink()
    load_pretrained.cache_clear()
    with pytest.raises(
        ConfigError, match=r"copy: its tokenizer knows no words; is tokenizer.json beside the model\? name"
    ):
        load_encoder(str(tmp_path / "copy"))
    (tmp_path / "copy" / "config.json").write_text("{")
    with pytest.raises(ConfigError, match=r"copy: not an encoder that can be loaded \(.*\); name a folder"):
        load_encoder(str(tmp_path / "copy"))


def test_no_pickle(tiny, tmp_path):
    import torch
    from safetensors.torch import load_file

    shutil.copytree(tiny, tmp_path / "copy")
    weights = tmp_path / "copy" / "model.safetensors"
    torch.save(load_file(weights), tmp_path / "copy" / "pytorch_model.bin")
    weights.unlink()
    with pytest.raises(ConfigError, match=r"copy: not an encoder that can be loaded \(.*safetensors.*\)"):
        load_encoder(str(tmp_path / "copy"))


def test_unknown_device(tiny):
    with pytest.raises(ConfigError, match=r"^device 'warp' cannot be used \(.*\); cpu always can$"):
        load_encoder(tiny, "warp")


def lesson(count: int) -> list[tuple[Instance, Label]]:
    """A rule that states can tell: "when" points to A, a comma to B, "met" to neither."""
    words: list[tuple[str, Label]] = [("when", "A"), (",", "B"), ("met", "neither")]
    return [
        (make_instance(f"Ann met {string.ascii_letters[n // 3]} Bea {word} she left."), label)
        for n, (word, label) in enumerate(words * (count // 3))
    ]


def test_classifier_learns_a_rule_and_repeats_itself(tiny):
    examples = lesson(60)
    train, asked = examples[:45], examples[45:]
    instances = [instance for instance, _ in asked]
    found = encoder(instances, train=train, encoder=tiny)
    right = sum(label == gold for label, (_, gold) in zip(found, asked, strict=True))
    assert right >= 12  # of 15, where a guess has 5; its weights are random, after all
    assert encoder(instances, train=train, encoder=tiny) == found
    assert encoder([], train=train, encoder=tiny) == []
    assert encoder(instances[:1], train=train[:3], encoder=tiny)[0] in ("A", "B", "neither")  # too few to hold out


def test_layers(tiny):
    train = lesson(30)
    with pytest.raises(ConfigError) as caught:
        encoder([make_instance()], train=train, encoder=tiny, layer=3)
    assert str(caught.value) == f"{tiny} has no layer 3; choose from 0 to 2, or -1 to have it chosen"
    # The embeddings of the three words are the same whatever stands between them, but for their places.
    states = states_of([instance for instance, _ in train], tiny, "cpu")
    assert states.shape == (30, 3, 80)
    assert chosen(states, [label for _, label in train], range(3), seed=0)[0] > 0
    assert chosen(states[:3], ["A", "B", "neither"], range(3), seed=0) == (1, 1e-3)
    assert encoder([make_instance()], train=train, encoder=tiny, layer=0)[0] in ("A", "B", "neither")


def gap(name: str) -> list[tuple[Instance, Label]]:
    return [
        (
            Instance(row.id, row.text, row.pronoun_span, row.a_span, row.b_span, row.source),
            "A" if row.a_coref else "B" if row.b_coref else "neither",
        )
        for row in read_rows(published(f"gap/gap-{name}.tsv"))
    ]


@pytest.mark.corpus
def test_a_real_encoder_from_its_package():
    for module in (*NEURAL, "all_minilm_l6_v2"):
        pytest.importorskip(module, reason="the neural extra is not installed; make neural")
    examples = gap("validation")
    train, asked = examples[:300], examples[300:]
    assert load_encoder(DEFAULT_ENCODER).limit == 512
    found = encoder([instance for instance, _ in asked], train=train)
    right = sum(label == gold for label, (_, gold) in zip(found, asked, strict=True))
    commonest = max(Counter(gold for _, gold in asked).values())
    assert right > 1.2 * commonest
