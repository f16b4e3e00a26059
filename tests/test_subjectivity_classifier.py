"""A classifier trained on sentences with clear cues, saved, loaded and asked about others."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from gapforge.errors import ConfigError
from gapforge.nlp.neural import load_pretrained
from gapforge.subjectivity.classifier import class_number, classifier, train_classifier
from gapforge.subjectivity.hooks import Threshold, ask, threshold_of

CUES = ["great", "sadly", "brilliant", "awful"]
PLAIN = ["old", "later", "second", "large"]
NAMES = ["ann", "bea", "cleo", "dora", "eve", "fay"]
OTHERS = ["she", "won", "a", "prize", "wrote", "book", "the", "met", "in", "town", "."]


def sentences(words: list[str], names: list[str]) -> list[str]:
    frames = ["{name} won a {word} prize .", "the {word} {name} wrote a book .", "in town {name} {word} met bea ."]
    return [frame.format(name=name, word=word) for name in names for word in words for frame in frames]


def test_threshold():
    assert threshold_of("detector", "classifier", None) == Threshold(0.5, "chosen")


@pytest.mark.parametrize(
    ("label", "expected"), [("", 2), ("objective", 0), ("Subjective", 1), ("0", 0), ("2", 2), ("UNSURE", 2)]
)
def test_class_number(label, expected):
    assert class_number("m", {0: "OBJECTIVE", 1: "subjective", 2: "Unsure"}, label) == expected


def test_unknown_class():
    with pytest.raises(ConfigError) as caught:
        class_number("my/model", {0: "objective", 1: "subjective"}, "biased")
    assert str(caught.value) == "my/model: no class 'biased'; choose from 0 (objective), 1 (subjective)"


def test_a_model_must_be_named():
    with pytest.raises(ConfigError) as caught:
        ask("detector", "classifier", {}, ["He won."])
    assert str(caught.value) == "no classifier is named; give its folder, package or owner/name on the hub as model"


def test_missing_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch", None)
    load_pretrained.cache_clear()
    message = 'torch cannot be imported (import of torch halted; None in sys.modules); pip install "gapforge[neural]"'
    with pytest.raises(ConfigError) as caught:
        ask("detector", "classifier", {"model": "anything"}, ["He won."])
    assert str(caught.value) == message
    with pytest.raises(ConfigError) as caught:
        train_classifier(["a"], ["b"], "anything", tmp_path / "model", epochs=1)
    assert str(caught.value) == message


@pytest.mark.parametrize(("subjective", "objective", "counts"), [([], ["a"], (0, 1)), (["a", "b"], [], (2, 0))])
def test_nothing_to_train_on(subjective, objective, counts, tmp_path):
    with pytest.raises(ConfigError) as caught:
        train_classifier(subjective, objective, "anything", tmp_path / "model", epochs=1)
    assert str(caught.value) == (
        f"a classifier cannot be trained on {counts[0]} subjective and {counts[1]} objective sentences; "
        "give some of both"
    )


def test_no_other_folder_is_written_over(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError) as caught:
        train_classifier(["a"], ["b"], "anything", tmp_path, epochs=1)
    assert str(caught.value) == f"{tmp_path}: a folder with other things than a model; name a new one"
    with pytest.raises(ConfigError, match=r"its folder does not exist; make it first$"):
        train_classifier(["a"], ["b"], "anything", tmp_path / "nowhere" / "model", epochs=1)


# --- with the extra


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> str:
    """The folder of an untrained encoder that knows a few words and reads 12 of them."""
    for module in ("torch", "transformers"):
        pytest.importorskip(module, reason="the neural extra is not installed; make neural")
    import tokenizers
    import torch
    import transformers

    folder = tmp_path_factory.mktemp("tiny")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *CUES, *PLAIN, *NAMES, *OTHERS]
    pieces = tokenizers.models.WordPiece({word: n for n, word in enumerate(words)}, unk_token="[UNK]")
    backend = tokenizers.Tokenizer(pieces)
    backend.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    backend.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    tokenizer.save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=12,
    )
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        transformers.BertModel(config).save_pretrained(folder)
    return str(folder)


def train(tiny: str, folder: Path) -> list[float]:
    return train_classifier(
        sentences(CUES, NAMES[:3]), sentences(PLAIN, NAMES[:3]), tiny, folder, epochs=12, learning_rate=2e-3, seed=1
    )


@pytest.fixture(scope="module")
def trained(tiny, tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("trained") / "model"
    losses = train(tiny, folder)
    assert len(losses) == 12
    assert losses[-1] < 0.1 < 0.5 < losses[0]
    return str(folder)


def test_it_tells_sentences_apart_that_it_has_not_seen(trained):
    subjective, objective = sentences(CUES, NAMES[3:]), sentences(PLAIN, NAMES[3:])
    found = ask("detector", "classifier", {"model": trained}, [*subjective, *objective])
    assert min(found[: len(subjective)]) > 0.9
    assert max(found[len(subjective) :]) < 0.1
    against = ask("detector", "classifier", {"model": trained, "label": "objective"}, [*subjective, *objective])
    assert against == pytest.approx([1 - it for it in found])
    assert classifier(subjective[:2], model=trained, label="1") == pytest.approx(found[:2], abs=1e-5)


def test_the_folder_holds_no_pickle(trained):
    names = {path.name for path in Path(trained).iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= names
    assert not any(name.endswith((".bin", ".pt", ".pkl")) for name in names)
    assert json.loads(Path(trained, "config.json").read_text())["id2label"] == {"0": "objective", "1": "subjective"}
    assert [path.name for path in Path(trained).parent.iterdir()] == ["model"]


def test_the_same_seed_gives_the_same_weights(tiny, trained, tmp_path):
    import torch

    torch.manual_seed(99)  # of others, and none of its business
    before = torch.random.get_rng_state()
    train(tiny, tmp_path / "again")
    assert torch.equal(torch.random.get_rng_state(), before)
    assert (tmp_path / "again" / "model.safetensors").read_bytes() == Path(trained, "model.safetensors").read_bytes()


def test_a_model_trained_anew_is_the_one_that_is_asked(tiny, tmp_path):
    cue, plain = sentences(CUES[:1], NAMES), sentences(PLAIN[:1], NAMES)
    train_classifier(cue, plain, tiny, tmp_path / "model", epochs=8, learning_rate=5e-3)
    first = classifier(cue[:1], model=str(tmp_path / "model"))
    train_classifier(plain, cue, tiny, tmp_path / "model", epochs=8, learning_rate=5e-3)
    assert first[0] > 0.5 > classifier(cue[:1], model=str(tmp_path / "model"))[0]


def test_a_batch_and_a_long_sentence_change_nothing(trained):
    asked = ["ann won .", "", "ann sadly won a great prize in town .", "bea " + "met the old bea " * 20]
    together = classifier(asked, model=trained)
    assert together == pytest.approx([classifier([it], model=trained)[0] for it in asked], abs=1e-5)
    assert together[3] == pytest.approx(classifier(["bea " + "met the old bea " * 30], model=trained)[0], abs=1e-5)
    assert classifier([], model=trained) == []


def test_a_single_class_has_a_probability_of_its_own(trained, tmp_path):
    import transformers

    shutil.copytree(trained, tmp_path / "one")
    config = transformers.BertConfig.from_pretrained(tmp_path / "one", num_labels=1)
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path / "one")
    found = classifier(["ann won .", "sadly ."], model=str(tmp_path / "one"))
    assert all(0 < it < 1 for it in found)
    assert found[0] != found[1]


def test_a_classifier_without_a_trained_head(tiny):
    with pytest.raises(ConfigError) as caught:
        classifier(["ann won ."], model=tiny)
    assert str(caught.value) == f"{tiny}: not trained as a classifier, it lacks classifier.bias; name one that is"
