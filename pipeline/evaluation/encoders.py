"""Text encoders of the transformers library: hidden states and attention by subtoken, with offsets into the text.

Which models there are, and how they are named and loaded, is told in `pipeline.neural`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.errors import ConfigError
from pipeline.neural import REMEDY, Pretrained, batches, load_pretrained, optional, padded
from pipeline.records import Instance, Span

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as the encoder sees it; the offsets are into the whole text, empty for special subtokens.

    `states` is layer (the embeddings first), subtoken, width; `attention` layer, head, from, to, and None unless asked
    for.
    """

    tokens: list[str]
    offsets: list[Span]
    states: Floats
    attention: Floats | None

    def within(self, span: Span) -> list[int]:
        """The subtokens of a span; none where the text was too long for the encoder and the span fell outside."""
        return [n for n, it in enumerate(self.offsets) if it.start < span.end and span.start < it.end]


def load_encoder(name: str, device: str = "cpu") -> Pretrained:
    encoder = load_pretrained(name, "encoder", device)
    if not encoder.tokenizer.is_fast:
        raise ConfigError(f"{name}: its tokenizer gives no offsets into the text; choose one with a fast tokenizer")
    return encoder


def encode(
    encoder: Pretrained, instances: Sequence[Instance], attention: bool = False
) -> Iterator[tuple[int, Encoded]]:
    """Each instance by its number, short ones first: what is wanted of one is best taken before the next.

    Of a text that is too long the encoder sees the part around the pronoun, with both names where they fit.
    """
    inputs = [tokenize(encoder, instance) for instance in instances]
    for batch in batches([len(tokens.ids) for tokens in inputs]):
        yield from zip(batch, forward(encoder, [inputs[n] for n in batch], attention), strict=True)


@dataclass(frozen=True, slots=True)
class Tokens:
    ids: list[int]
    texts: list[str]
    offsets: list[Span]


def tokenize(encoder: Pretrained, instance: Instance) -> Tokens:
    whole = subtokens(encoder, instance.text, 0)
    if len(whole.ids) <= encoder.limit:
        return whole
    content = [span for span in whole.offsets if span.end > span.start]
    room = encoder.limit - (len(whole.ids) - len(content))
    pronoun, *names = [
        [n for n, it in enumerate(content) if it.start < span.end and span.start < it.end]
        for span in (instance.pronoun, instance.name_a, instance.name_b)
    ]
    # A text cut in another place may come apart otherwise there: what exceeds the limit once more is left off.
    for spare in range(room):
        first, last = window(len(content), room - spare, pronoun, names)
        start, end = content[first].start, content[last - 1].end
        part = subtokens(encoder, instance.text[start:end], start)
        if len(part.ids) <= encoder.limit:
            return part
    raise ConfigError(f"{encoder.name}: reads {encoder.limit} subtokens at once, too few for any text; {REMEDY}")


def subtokens(encoder: Pretrained, text: str, start: int) -> Tokens:
    found = encoder.tokenizer(text, return_offsets_mapping=True, truncation=False, padding=False, verbose=False)
    ids = list(found["input_ids"])
    offsets = [Span(start + left, start + right) for left, right in found["offset_mapping"]]
    return Tokens(ids, encoder.tokenizer.convert_ids_to_tokens(ids), offsets)


def window(length: int, room: int, pronoun: Sequence[int], names: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Where `room` of `length` subtokens begin and end: around the pronoun and as many names as fit, the nearest first.

    The pronoun and the names are given by their subtokens.
    """
    first, last = (pronoun[0], pronoun[-1] + 1) if pronoun else (0, 0)
    for name in sorted(filter(None, names), key=lambda name: max(first - name[0], name[-1] + 1 - last)):
        wider = min(first, name[0]), max(last, name[-1] + 1)
        if wider[1] - wider[0] <= room:
            first, last = wider
    start = max(0, min(length - room, first - (room - (last - first)) // 2))
    return start, min(length, start + room)


def forward(encoder: Pretrained, inputs: Sequence[Tokens], attention: bool) -> Iterator[Encoded]:
    torch = optional("torch")
    batch = padded(encoder, [tokens.ids for tokens in inputs])
    with torch.inference_mode():
        output = encoder.model(**batch, output_hidden_states=True, output_attentions=attention)
        states = torch.stack(output.hidden_states).cpu().numpy()
        weights = torch.stack(output.attentions).cpu().numpy() if attention else None
    for n, tokens in enumerate(inputs):
        size = len(tokens.ids)
        yield Encoded(
            tokens.texts,
            tokens.offsets,
            states[:, n, :size],
            None if weights is None else weights[:, n, :, :size, :size],
        )
