"""Documents to candidates, and GAP candidates to the examples that are annotated."""

from functools import partial
from pathlib import Path
from typing import Any

import luigi

from pipeline.config import check_sections, load_settings
from pipeline.corpora.inputs import corpus_names
from pipeline.engine import run_shards
from pipeline.extraction.candidates import KINDS
from pipeline.extraction.sampling import SamplingSettings
from pipeline.extraction.stages import (
    CandidateSettings,
    corpora_for,
    find_model,
    reader_identity,
    write_examples,
    write_shard,
)
from pipeline.parts import part_files
from pipeline.progress import progress
from pipeline.records import Candidate
from tasks.base import Machine, Stage
from tasks.corpora import SECTIONS, Corpora, Documents


class Candidates(Stage):
    """Ambiguous pronouns of a corpus with their two names: one record for each."""

    corpus = luigi.Parameter(description="the NAME of a [corpora.NAME] section")
    kind = luigi.ChoiceParameter(choices=tuple(KINDS), description="gap or counter-gap")

    section = "candidates"
    settings_type = CandidateSettings
    version = 2

    @property
    def record(self) -> type:
        return KINDS[self.kind].record

    def requires(self) -> list[Documents]:
        return [self.clone(Documents)]

    def model(self) -> str:
        return reader_identity(model_of(self.config))

    def fingerprinted_settings(self) -> dict[str, Any]:
        """None: the model is known by its identity, and which corpora are read says the stage's name."""
        return {}

    def write(self, folder: Path) -> None:
        parts = part_files(self.deps()[0].folder)
        with progress(self.name, len(parts), "parts", "candidates") as report:
            task = partial(write_shard, self.kind, self.corpus, model_of(self.config))
            run_shards(task, parts, folder, Machine().engine, report)


class GapExamples(Stage):
    """The GAP candidates that go to annotation: balanced by gender, pattern and page entity."""

    record = Candidate
    section = "sampling"
    settings_type = SamplingSettings

    def requires(self) -> list[Candidates]:
        return [self.clone(Candidates, corpus=name, kind="gap") for name in corpora_of("gap", self.config)]

    def write(self, folder: Path) -> None:
        write_examples([stage.folder for stage in self.deps()], self.settings, folder)


class Extraction(luigi.WrapperTask):
    """The documents, candidates and examples of every corpus that the config names."""

    config = Stage.config

    def requires(self) -> list[luigi.Task]:
        check_sections(self.config, SECTIONS)
        counter_gap = corpora_of("counter-gap", self.config)
        return [
            self.clone(Corpora),
            *([self.clone(GapExamples)] if corpora_of("gap", self.config) else []),
            *(self.clone(Candidates, corpus=name, kind="counter-gap") for name in counter_gap),
        ]


def corpora_of(kind: str, config: str) -> list[str]:
    return corpora_for(kind, load_settings(config, "candidates", CandidateSettings), corpus_names(config), config)


def model_of(config: str) -> str:
    return find_model(load_settings(config, "candidates", CandidateSettings), Path(config).parent)
