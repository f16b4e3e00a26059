"""Labelled sets to resolvers' answers, GAP's weights, and every figure that follows."""

from pathlib import Path
from typing import Any

import luigi

from pipeline.annotation.stages import KINDS, JudgementSettings
from pipeline.config import check_sections, load_settings
from pipeline.evaluation.stages import (
    EvaluationSettings,
    Measured,
    check_evaluation,
    check_weights,
    learns,
    resolution_identity,
    weights_identity,
    write_gap_weights,
    write_resolutions,
    write_scores,
)
from pipeline.evaluation.weighting import WeightSettings
from pipeline.extraction.stages import reader_identity
from pipeline.records import Resolution, Score, Weight
from tasks.annotation import Annotation, GapLabelled, QuadruplesLabelled
from tasks.base import Stage
from tasks.corpora import SECTIONS
from tasks.extraction import corpora_of, model_of

LABELLED = {"gap": GapLabelled, "counter-gap": QuadruplesLabelled}


class Resolutions(Stage):
    """What each resolver says of every instance of a labelled set."""

    kind = luigi.ChoiceParameter(choices=tuple(KINDS), description="gap or counter-gap")

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


class Evaluation(Stage):
    """Every figure of every resolver on every labelled set, and a report."""

    record = Score
    section = "evaluation"
    settings_type = EvaluationSettings

    def requires(self) -> list[Stage]:
        kinds = labelled_kinds(self.config)
        weights = [self.clone(GapWeights)] if "gap" in kinds else []
        return [*(self.clone(Resolutions, kind=kind) for kind in kinds), *weights]

    def sources(self) -> list[Stage]:
        return [self.clone(Resolutions, kind=kind) for kind in labelled_kinds(self.config)]

    def write(self, folder: Path) -> None:
        sets = []
        for kind in labelled_kinds(self.config):
            resolutions = self.clone(Resolutions, kind=kind)
            weights = self.clone(GapWeights).folder if kind == "gap" else None
            sets.append(Measured(kind, resolutions.labelled.folder, resolutions.folder, weights))
        write_scores(sets, self.settings, folder)


class Everything(luigi.WrapperTask):
    """All stages of a config: up to the evaluation, or, where nobody has judged yet, to what is to be judged."""

    config = Stage.config

    def requires(self) -> list[luigi.Task]:
        check_sections(self.config, SECTIONS)
        settings = load_settings(self.config, "evaluation", EvaluationSettings)
        kinds = labelled_kinds(self.config)
        check_evaluation(settings, kinds, self.config)
        check_weights(load_settings(self.config, "weights", WeightSettings), self.config)
        measured = [self.clone(Evaluation)] if kinds and settings.resolvers else []
        return [self.clone(Annotation), *measured]


def labelled_kinds(config: str) -> list[str]:
    settings = load_settings(config, "judgements", JudgementSettings)
    return [kind for kind in KINDS if corpora_of(kind, config) and settings.speaks_of(kind)]
