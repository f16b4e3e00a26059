"""The stage of this room: CoNLL files to augmented ones, by each method that the config names."""

from dataclasses import dataclass, field
from pathlib import Path

from pipeline.augmentation.commands import counterpart_for
from pipeline.augmentation.documents import Method, write_augmented
from pipeline.augmentation.matching import table_key
from pipeline.conll import read_documents
from pipeline.counterfactuals.stages import swapper_identity
from pipeline.errors import ConfigError
from pipeline.files import Checksums
from pipeline.parts import write_notes


@dataclass(frozen=True, slots=True)
class AugmentationSettings:
    """The `[augmentation]` section: CoNLL-2012 files, and how counterparts are made of their documents.

    Paths begin at the config's own folder. `anonymise_originals`: a-cda puts placeholders into the originals as well.
    """

    inputs: list[str] = field(default_factory=list)
    methods: list[Method] = field(default_factory=lambda: ["n-cda"])
    anonymise_originals: bool = False

    def __post_init__(self) -> None:
        for name in ("inputs", "methods"):
            values: list[str] = getattr(self, name)
            if len(set(values)) < len(values):
                raise ValueError(f"{name} must be different, found {values}")
        stems = [Path(name).name for name in self.inputs]
        if len(set(stems)) < len(stems):
            raise ValueError(f"inputs must have different names, found {stems}")
        if self.inputs and not self.methods:
            raise ValueError("methods must name one of swap, a-cda and n-cda")
        if self.anonymise_originals and "a-cda" not in self.methods:
            raise ValueError("anonymise_originals is of a-cda, which is no method here")


def corpus_inputs(settings: AugmentationSettings, base: Path, checksums: Checksums) -> dict[str, str]:
    """The CoNLL files with their checksums."""
    for name in settings.inputs:
        if not (base / name).is_file():
            raise ConfigError(f"[augmentation] inputs {name}: no such file; paths begin at the config's own folder")
    return {name: checksums.of(base / name) for name in settings.inputs}


def augmenter_identity(settings: AugmentationSettings, model: str) -> str:
    """All that decides what is exchanged beside the code."""
    names = f", pairs {table_key()}" if "n-cda" in settings.methods else ""
    return swapper_identity(model) + names


def output_name(source: str, method: str) -> str:
    """Such as train-n-cda.conll, of train.conll; whatever the name ends in stays its end."""
    path = Path(source)
    return f"{path.stem}-{method}{path.suffix}"


def write_corpora(settings: AugmentationSettings, base: Path, model: str, folder: Path) -> None:
    """A file for each input and method, one document in memory at a time."""
    notes = []
    for method in settings.methods:
        anonymise = settings.anonymise_originals and method == "a-cda"
        for source in settings.inputs:
            counterpart = counterpart_for(method, anonymise, model)
            name = output_name(source, method)
            counts = write_augmented(base / source, folder / name, counterpart, anonymise)
            notes.append(f"{name}: {counts['documents']:,} documents, {counts['tokens']:,} tokens")
    write_notes(folder, notes)


def count_documents(settings: AugmentationSettings, folder: Path) -> int:
    names = [output_name(source, method) for source in settings.inputs for method in settings.methods]
    return sum(1 for name in names for _ in read_documents(folder / name))
