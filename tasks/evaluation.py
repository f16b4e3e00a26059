"""Labelled sets to resolvers' answers, and GAP's weights."""

from pathlib import Path
from typing import Any

import luigi

from pipeline.annotation.stages import KINDS, JudgementSettings
from pipeline.config import load_settings
from pipeline.evaluation.stages import (
    EvaluationSettings,
    learns,
    resolution_identity,
    weights_identity,
    write_gap_weights,
    write_resolutions,
)
from pipeline.evaluation.weighting import WeightSettings
from pipeline.extraction.stages import reader_identity
from pipeline.records import Resolution, Weight
from tasks.annotation import GapLabelled, QuadruplesLabelled
from tasks.base import Stage
from tasks.extraction import corpora_of, model_of
from tasks.subjectivity import GapSubjective, wants_subjective
from tasks.winobias import WinoBias, wants_winobias

LABELLED = {
    "gap": GapLabelled,
    "counter-gap": QuadruplesLabelled,
    "gap-subjective": GapSubjective,
    "winobias": WinoBias,
}


class Resolutions(Stage):
    """What each resolver says of every instance of a labelled set."""

    kind = luigi.ChoiceParameter(choices=tuple(LABELLED), description="gap, counter-gap, gap-subjective or winobias")

    record = Resolution
    section = "evaluation"
    settings_type = EvaluationSettings

    @property
    def labelled(self) -> Stage:
        found: Stage = self.clone(LABELLED[self.kind])
        return found

    @property
    def learned(self) -> Stage | None:
        """The set that resolvers learn from, where one does."""
        return self.clone(GapLabelled) if learns(self.settings) else None

    def requires(self) -> list[Stage]:
        others = [self.learned] if self.learned and self.kind != "gap" else []
        return [self.labelled, *others]

    def sources(self) -> list[Stage]:
        return [self.labelled]

    def model(self) -> str:
        return reader_identity(model_of(self.config))

    def fingerprinted_settings(self) -> dict[str, Any]:
        return resolution_identity(self.settings, self.kind)

    def write(self, folder: Path) -> None:
        learned = self.learned.folder if self.learned else None
        model = model_of(self.config)
        write_resolutions(self.labelled.folder, self.kind, self.settings, learned, model, folder)


class GapWeights(Stage):
    """What each GAP example counts, so that its number of names and their distance differ no more between genders."""

    record = Weight
    section = "weights"
    version = 2
    settings_type = WeightSettings

    @property
    def split(self) -> str:
        return load_settings(self.config, "evaluation", EvaluationSettings).split

    def requires(self) -> list[Stage]:
        return [self.clone(GapLabelled)]

    def model(self) -> str:
        return reader_identity(model_of(self.config))

    def fingerprinted_settings(self) -> dict[str, Any]:
        return weights_identity(self.settings, self.split)

    def write(self, folder: Path) -> None:
        write_gap_weights(self.deps()[0].folder, self.settings, self.split, model_of(self.config), folder)


def labelled_kinds(config: str) -> list[str]:
    """The sets that somebody has judged."""
    settings = load_settings(config, "judgements", JudgementSettings)
    return [kind for kind in KINDS if corpora_of(kind, config) and settings.speaks_of(kind)]


def released_kinds(config: str) -> list[str]:
    """Those sets, the subjective variant of GAP where it is wanted, and WinoBias, which nobody has to judge."""
    kinds = labelled_kinds(config)
    subjective = ["gap-subjective"] if "gap" in kinds and wants_subjective(config) else []
    return [*kinds, *subjective, *(["winobias"] if wants_winobias(config) else [])]
