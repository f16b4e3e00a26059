"""Counter-GAP candidates to quadruples, but for those that name real people."""

from functools import partial
from pathlib import Path
from typing import Any

import luigi

from pipeline.config import check_sections
from pipeline.corpora.inputs import corpus_names
from pipeline.counterfactuals.stages import (
    Maker,
    QuadrupleSettings,
    files_read,
    hook_identity,
    swapper_identity,
    write_biographies,
    write_quadruples,
)
from pipeline.engine import run_shards
from pipeline.parts import part_files
from pipeline.progress import progress
from pipeline.records import Biography, QuadrupleInstance
from tasks.base import Machine, Stage
from tasks.corpora import SECTIONS, Documents
from tasks.extraction import Candidates, Extraction, corpora_of, model_of


class Biographies(Stage):
    """The people whose lives a corpus tells, by the titles of its documents."""

    corpus = luigi.Parameter(description="the NAME of a [corpora.NAME] section")

    record = Biography

    def requires(self) -> list[Documents]:
        return [self.clone(Documents)]

    def write(self, folder: Path) -> None:
        parts = part_files(self.deps()[0].folder)
        with progress(self.name, len(parts), "parts", "names") as report:
            run_shards(write_biographies, parts, folder, Machine().engine, report)


class Quadruples(Stage):
    """Originals with their control and two gender-swapped texts: four records each."""

    corpus = luigi.Parameter(description="the NAME of a [corpora.NAME] section")

    record = QuadrupleInstance
    section = "quadruples"
    settings_type = QuadrupleSettings

    @property
    def candidates(self) -> Candidates:
        found: Candidates = self.clone(Candidates, kind="counter-gap")
        return found

    @property
    def biographies(self) -> list[Biographies]:
        wanted = corpus_names(self.config) if self.settings.real_people != "none" else []
        return [self.clone(Biographies, corpus=name) for name in wanted]

    def requires(self) -> list[Stage]:
        return [self.candidates, *self.biographies]

    def sources(self) -> list[Stage]:
        return [self.candidates]

    def model(self) -> str:
        return swapper_identity(model_of(self.config))

    def fingerprinted_settings(self) -> dict[str, Any]:
        return hook_identity(self.settings)

    def write(self, folder: Path) -> None:
        maker = Maker(self.settings, [stage.folder for stage in self.biographies], model_of(self.config))
        parts = part_files(self.candidates.folder)
        with progress(self.name, len(parts), "parts", "instances") as report:
            run_shards(
                partial(write_quadruples, maker), parts, folder, Machine().engine, report, partial(files_read, maker)
            )


class Counterfactuals(luigi.WrapperTask):
    """Everything up to the quadruples of every corpus that gives Counter-GAP candidates."""

    config = Stage.config

    def requires(self) -> list[luigi.Task]:
        check_sections(self.config, SECTIONS)
        quadruples = [self.clone(Quadruples, corpus=name) for name in corpora_of("counter-gap", self.config)]
        return [self.clone(Extraction), *quadruples]
