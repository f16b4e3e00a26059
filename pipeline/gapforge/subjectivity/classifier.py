"""Subjective or not by any sentence classifier of the transformers library, and the training of one.

GAP-Subjective 3.2.1 fine-tunes RoBERTa on the Wiki Neutrality Corpus; what the paper says of it are the defaults here.
It leaves open how often the sentences are seen and how many at once.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gapforge.errors import ConfigError
from gapforge.nlp.neural import Pretrained, batches, load_fresh, load_pretrained, optional, padded, subtoken_ids
from gapforge.storage.files import check_target, publish_folder, sync
from gapforge.subjectivity.hooks import passes

LEARNING_RATE = 2e-5  # GAP-Subjective 3.2.1
LONGEST = 50  # subtokens of a sentence to train on, 3.2.1
WEIGHT_DECAY = 0.01  # 3.2.1
EPOCHS, BATCH = 3, 16  # chosen
CLASSES = ("objective", "subjective")


@passes(0.5, "chosen")
def classifier(sentences: Sequence[str], *, model: str = "", label: str = "", device: str = "cpu") -> list[float]:
    """The probability that each sentence is subjective.

    `label` is the name or the number of that class, the last one unless it is given. A sentence that is too long for
    the model is read as far as it goes.
    """
    if not model:
        raise ConfigError("no classifier is named; give its folder, package or owner/name on the hub as model")
    torch = optional("torch")
    pretrained = load_pretrained(model, "classifier", device)
    wanted = class_number(model, dict(pretrained.model.config.id2label), str(label))
    rows = subtoken_ids(pretrained, sentences, pretrained.limit)
    found = [0.0] * len(rows)
    for batch in batches([len(row) for row in rows]):
        with torch.inference_mode():
            logits = pretrained.model(**padded(pretrained, [rows[n] for n in batch])).logits.double()
        for n, probability in zip(batch, probabilities(pretrained, logits)[:, wanted], strict=True):
            found[n] = float(probability)
    return found


def class_number(model: str, names: dict[int, str], label: str) -> int:
    """The number of a class by its name, whatever its case, or by that number; the last one for an empty label."""
    numbers = {name.lower(): number for number, name in names.items()} | {str(number): number for number in names}
    if label and label.lower() not in numbers:
        choices = ", ".join(f"{number} ({name})" for number, name in sorted(names.items()))
        raise ConfigError(f"{model}: no class {label!r}; choose from {choices}")
    return numbers[label.lower()] if label else max(names)


def probabilities(pretrained: Pretrained, logits: Any) -> Any:
    """By sentence and class; a model whose classes do not exclude each other, or with a single one, has a sigmoid."""
    config = pretrained.model.config
    several = config.num_labels == 1 or config.problem_type == "multi_label_classification"
    return logits.sigmoid() if several else logits.softmax(1)


def train_classifier(
    subjective: Sequence[str],
    objective: Sequence[str],
    encoder: str,
    output: Path,
    *,
    epochs: int = EPOCHS,
    learning_rate: float = LEARNING_RATE,
    longest: int = LONGEST,
    weight_decay: float = WEIGHT_DECAY,
    batch: int = BATCH,
    seed: int = 0,
    device: str = "cpu",
) -> list[float]:
    """Fine-tune an encoder and save it as a folder that `classifier` loads; the mean loss of every epoch.

    The same sentences, seed and number of threads give the same weights on the same processor.
    """
    if not subjective or not objective:
        raise ConfigError(
            f"a classifier cannot be trained on {len(subjective)} subjective and {len(objective)} objective sentences; "
            "give some of both"
        )
    check_output(output)
    torch = optional("torch")
    devices = list(range(torch.cuda.device_count())) if device.startswith("cuda") else []
    with torch.random.fork_rng(devices):
        torch.manual_seed(seed)  # before the new head is made
        pretrained = load_fresh(encoder, "classifier", device, num_labels=len(CLASSES))
        pretrained.model.config.id2label = dict(enumerate(CLASSES))
        pretrained.model.config.label2id = {name: number for number, name in enumerate(CLASSES)}
        rows = subtoken_ids(pretrained, [*objective, *subjective], min(longest, pretrained.limit))
        labels = [0] * len(objective) + [1] * len(subjective)
        optimizer = torch.optim.AdamW(pretrained.model.parameters(), lr=learning_rate, weight_decay=weight_decay)
        losses = [train_once(pretrained, optimizer, rows, labels, batch) for _ in range(epochs)]
    save(pretrained, output)
    return losses


def check_output(output: Path) -> None:
    if output.is_dir() and any(output.iterdir()) and not (output / "config.json").exists():
        raise ConfigError(f"{output}: a folder with other things than a model; name a new one")
    if not output.is_dir():
        check_target(output)


def train_once(
    pretrained: Pretrained, optimizer: Any, rows: Sequence[list[int]], labels: Sequence[int], batch: int
) -> float:
    """Every sentence once in random order; the mean loss."""
    torch = optional("torch")
    pretrained.model.train()
    total = 0.0
    for numbers in chunks(torch.randperm(len(rows)).tolist(), batch):
        gold = torch.tensor([labels[n] for n in numbers], device=pretrained.model.device)
        logits = pretrained.model(**padded(pretrained, [rows[n] for n in numbers])).logits
        loss = torch.nn.functional.cross_entropy(logits, gold)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += float(loss.detach()) * len(numbers)
    pretrained.model.eval()
    return total / len(rows)


def chunks(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (numbers[start : start + size] for start in range(0, len(numbers), size))


def save(pretrained: Pretrained, output: Path) -> None:
    """Model and tokenizer as a whole folder, which takes the place of an older one."""
    temporary = output.parent / f".{output.name}.{os.getpid()}.tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        pretrained.model.save_pretrained(temporary)
        pretrained.tokenizer.save_pretrained(temporary)
        for file in temporary.iterdir():
            sync(file)
        publish_folder(temporary, output)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    load_pretrained.cache_clear()  # lest what lay there before be asked
