"""Cosines of embeddings by a small encoder, and by MiniLM where it is installed."""

import sys

import numpy as np
import pytest

from gapforge.errors import ConfigError
from gapforge.nlp.neural import load_pretrained
from gapforge.subjectivity.embedding import cosine, embedding, embeddings
from gapforge.subjectivity.hooks import Threshold, ask, threshold_of

WORDS = ["she", "won", "a", "prize", "in", "town", "."]


def test_threshold():
    assert threshold_of("similarity", "embedding", None) == Threshold(0.8, "chosen")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [([3, 4], [3, 4], 1), ([3, 4], [-6, -8], -1), ([1, 0], [0, 2], 0), ([3, 4], [4, 3], 24 / 25), ([0], [3, 4], 0)],
)
def test_cosine(left, right, expected):
    assert cosine(np.array(left, float), np.array(right, float)) == pytest.approx(expected)


def test_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    load_pretrained.cache_clear()
    with pytest.raises(ConfigError) as caught:
        ask("similarity", "embedding", {}, ["She won."], ["Sadly, she won."])
    assert str(caught.value) == (
        'torch cannot be imported (import of torch halted; None in sys.modules); pip install "gapforge[neural]"'
    )


# --- with the extra


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> str:
    """The folder of an encoder that reads 10 words and adds no special ones."""
    for module in ("torch", "transformers"):
        pytest.importorskip(module, reason="the neural extra is not installed; make neural")
    import tokenizers
    import torch
    import transformers

    folder = tmp_path_factory.mktemp("tiny")
    vocabulary = {word: n for n, word in enumerate(["<pad>", "<unk>", *WORDS])}
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="<pad>", unk_token="<unk>"
    ).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=10,
        initializer_range=0.5,
    )
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        transformers.BertModel(config).save_pretrained(folder)
    return str(folder)


def test_mean_of_the_last_states(tiny):
    import torch

    sentence = "she won ."
    (found,) = embeddings([sentence], tiny, "cpu")
    with torch.inference_mode():
        states = load_pretrained(tiny, "encoder").model(torch.tensor([[2, 3, 8]])).last_hidden_state[0]
    assert found == pytest.approx(states.numpy().mean(axis=0), abs=1e-5)


def test_a_batch_changes_nothing(tiny):
    sources = ["she won .", "she", "", "she won a prize in town . " * 4, "a prize"]
    targets = ["she won .", "won", "she", "she won a prize in town .", "a prize in town"]
    together = ask("similarity", "embedding", {"model": tiny}, sources, targets)
    alone = [embedding([left], [right], model=tiny)[0] for left, right in zip(sources, targets, strict=True)]
    assert together == pytest.approx(alone, abs=1e-5)
    assert together[0] == pytest.approx(1)
    assert together[2] == 0.0  # of nothing
    assert all(-1 <= it <= 1 for it in together)
    assert together[1] < 0.99
    assert embedding([], [], model=tiny) == []


@pytest.mark.soak
def test_a_real_encoder():
    for module in ("torch", "transformers", "all_minilm_l6_v2"):
        pytest.importorskip(module, reason="the neural extra is not installed; make neural")
    source = "She won a prize for her first novel."
    targets = ["She won a great prize for her first novel.", "The train to Leeds was late again.", source]
    near, far, same = ask("similarity", "embedding", {}, [source] * 3, targets)
    assert far < 0.3 < 0.9 < near < 1
    assert same == pytest.approx(1)
