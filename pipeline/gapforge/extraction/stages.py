"""The stages of this room: candidates of a corpus, a part of its documents at a time, and examples drawn from them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from gapforge.config import hint
from gapforge.engine import Tick, part_path
from gapforge.engine.parts import read_parts, write_notes, write_part
from gapforge.errors import ConfigError
from gapforge.extraction.candidates import KINDS, find_candidates
from gapforge.extraction.sampling import SamplingSettings, choose, row_of, sample
from gapforge.nlp.reading import DEFAULT_MODEL, model_identity
from gapforge.records import Candidate, Document, Reject
from gapforge.resources import resource
from gapforge.storage.files import sha256_of
from gapforge.storage.tables import read_records

EVERY = "*"


@dataclass(frozen=True, slots=True)
class CandidateSettings:
    """The `[candidates]` section: the corpora for each kind, `*` for all and an empty list for none; the model."""

    gap: list[str] = field(default_factory=lambda: [EVERY])
    counter_gap: list[str] = field(default_factory=lambda: [EVERY])
    model: str = DEFAULT_MODEL


def corpora_for(kind: str, settings: CandidateSettings, corpora: list[str], config: str) -> list[str]:
    """The corpora that give candidates of a kind; ConfigError where one is named that the config does not have."""
    key = kind.replace("-", "_")
    named: list[str] = getattr(settings, key)
    for name in named:
        if name not in (*corpora, EVERY):
            raise ConfigError(f"{config}: [candidates] {key} names the corpus {name!r}{hint(name, corpora)}")
    return corpora if EVERY in named else named


def find_model(settings: CandidateSettings, folder: Path) -> str:
    """The model by its name, or the folder that holds it, which is named from the config's own folder."""
    return str(folder / settings.model) if (folder / settings.model).is_dir() else settings.model


def reader_identity(model: str) -> str:
    """All that decides what is found beside the code: the model, the list of first names, the word lists."""
    words = sha256_of(resource("lexicons/names.toml"))[:16]
    return (
        f"{model_identity(model)}, spacy {version('spacy')}, gender-guesser {version('gender-guesser')}, names {words}"
    )


def write_candidates(kind: str, corpus: str, model: str, documents: Path, path: Path, tick: Tick) -> int:
    return write_part(path, KINDS[kind].record, find_in(documents, kind, corpus, model), tick)


def find_in(documents: Path, kind: str, corpus: str, model: str) -> Iterator[Candidate | Reject]:
    for document in read_records(documents, Document):
        yield from find_candidates(document, kind, model, corpus)


def write_examples(candidates: list[Path], settings: SamplingSettings, folder: Path) -> None:
    """Draw the examples from the candidates of all corpora; the notes say what the text lacks and what to change."""

    def read() -> Iterator[Candidate]:
        for source in candidates:
            yield from read_parts(source, Candidate)

    choice = choose(map(row_of, read()), settings)
    write_part(part_path(folder, 0), Candidate, sample(read(), choice), lambda rows: None)
    write_notes(folder, choice.shortfalls)
