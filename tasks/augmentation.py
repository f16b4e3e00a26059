"""CoNLL files to counterfactually augmented training data."""

from pathlib import Path
from typing import Any

from pipeline.augmentation.stages import (
    AugmentationSettings,
    augmenter_identity,
    corpus_inputs,
    count_documents,
    write_corpora,
)
from pipeline.config import load_settings
from tasks.base import Stage
from tasks.extraction import model_of


class AugmentedCorpus(Stage):
    """The documents of CoNLL files with their gender-swapped counterparts: a file for each input and method."""

    section = "augmentation"
    settings_type = AugmentationSettings

    def inputs(self) -> dict[str, str]:
        return corpus_inputs(self.settings, Path(self.config).parent, self.checksums)

    def model(self) -> str:
        return augmenter_identity(self.settings, model_of(self.config))

    def fingerprinted_settings(self) -> dict[str, Any]:
        """All but the inputs, which are known by their names and checksums."""
        settings = super().fingerprinted_settings()
        del settings["inputs"]
        return settings

    def count(self, folder: Path) -> int:
        return count_documents(self.settings, folder)

    def write(self, folder: Path) -> None:
        write_corpora(self.settings, Path(self.config).parent, model_of(self.config), folder)


def wants_augmentation(config: str) -> bool:
    return bool(load_settings(config, "augmentation", AugmentationSettings).inputs)
