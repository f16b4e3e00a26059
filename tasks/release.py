"""Labelled sets to a release, and the release to its evaluation and report."""

from pathlib import Path
from typing import Any

import luigi

from pipeline.config import check_sections, load_settings
from pipeline.corpora.inputs import corpus_names
from pipeline.evaluation.stages import EvaluationSettings, check_evaluation, check_weights
from pipeline.evaluation.weighting import WeightSettings
from pipeline.extraction.stages import reader_identity
from pipeline.records import Score
from pipeline.release.evaluating import write_evaluation
from pipeline.release.layout import count_rows
from pipeline.release.settings import ReleaseSettings
from pipeline.release.writing import Sources, check_release, errata_inputs, release_identity, write_release
from pipeline.subjectivity.settings import SubjectivitySettings, check_subjectivity, located
from tasks.annotation import Annotation
from tasks.augmentation import AugmentedCorpus, wants_augmentation
from tasks.base import Stage
from tasks.corpora import SECTIONS
from tasks.evaluation import LABELLED, GapWeights, Resolutions, labelled_kinds, released_kinds
from tasks.extraction import model_of


class Release(Stage):
    """The folder that people load, cite, check and publish; `gapforge verify` says whether it is whole."""

    section = "release"
    version = 2
    settings_type = ReleaseSettings

    @property
    def folder(self) -> Path:
        return self.run_folder / "release"

    @property
    def weights(self) -> list[Stage]:
        return [self.clone(GapWeights)] if "gap" in labelled_kinds(self.config) else []

    def requires(self) -> list[Stage]:
        return [*self.sources(), *self.weights]

    def sources(self) -> list[Stage]:
        return [self.clone(LABELLED[kind]) for kind in released_kinds(self.config)]

    def inputs(self) -> dict[str, str]:
        return errata_inputs(self.settings, Path(self.config).parent, self.checksums)

    def model(self) -> str:
        return reader_identity(model_of(self.config))

    def fingerprinted_settings(self) -> dict[str, Any]:
        return release_identity(self.settings, self.run_folder.name)

    def count(self, folder: Path) -> int:
        return count_rows(folder)

    def write(self, folder: Path) -> None:
        labelled = {kind: self.clone(LABELLED[kind]).folder for kind in released_kinds(self.config)}
        sources = Sources(
            gap=labelled.get("gap"),
            counter_gap=labelled.get("counter-gap"),
            subjective=labelled.get("gap-subjective"),
            winobias=labelled.get("winobias"),
            weights=self.weights[0].folder if self.weights else None,
            weighed=load_settings(self.config, "evaluation", EvaluationSettings).split,
            stages={stage.name: stage.folder for stage in self.upstream()},
        )
        name = self.run_folder.name
        write_release(sources, self.settings, name, Path(self.config).parent, model_of(self.config), folder)


class Evaluation(Stage):
    """Every figure of every resolver on the sets of the release, and the report of the run."""

    record = Score
    section = "evaluation"
    version = 2
    settings_type = EvaluationSettings

    @property
    def folder(self) -> Path:
        return self.run_folder / "evaluation"

    @property
    def release(self) -> Release:
        found: Release = self.clone(Release)
        return found

    @property
    def resolutions(self) -> dict[str, Stage]:
        kinds = released_kinds(self.config) if self.settings.resolvers else []
        return {kind: self.clone(Resolutions, kind=kind) for kind in kinds}

    def requires(self) -> list[Stage]:
        return [self.release, *self.resolutions.values()]

    def sources(self) -> list[Stage]:
        return list(self.resolutions.values())

    def write(self, folder: Path) -> None:
        resolutions = {kind: stage.folder for kind, stage in self.resolutions.items()}
        stages = {stage.name: stage.folder for stage in self.upstream()}
        write_evaluation(self.release.folder, resolutions, stages, self.settings, folder)


class Everything(luigi.WrapperTask):
    """All stages of a config: up to the evaluation, or, where nobody has judged yet, to what is to be judged."""

    config = Stage.config

    def requires(self) -> list[luigi.Task]:
        check_sections(self.config, SECTIONS)
        kinds = labelled_kinds(self.config)
        check_evaluation(load_settings(self.config, "evaluation", EvaluationSettings), kinds, self.config)
        check_weights(load_settings(self.config, "weights", WeightSettings), self.config)
        settings = load_settings(self.config, "subjectivity", SubjectivitySettings)
        check_subjectivity(located(settings, Path(self.config).parent), self.config)
        check_release(load_settings(self.config, "release", ReleaseSettings), corpus_names(self.config), self.config)
        return [
            self.clone(Annotation),
            *([self.clone(AugmentedCorpus)] if wants_augmentation(self.config) else []),
            *([self.clone(Evaluation)] if released_kinds(self.config) else []),
        ]
