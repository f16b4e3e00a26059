"""Examples and quadruples to labelled sets, by the judgements that the config names."""

from pathlib import Path
from typing import Any

import luigi

from pipeline.annotation.consensus import ConsensusSettings
from pipeline.annotation.stages import (
    KINDS,
    JudgementSettings,
    check_judgements,
    consensus_identity,
    judgement_identity,
    judgement_inputs,
    write_counter_gap,
    write_gap,
    write_judgements,
)
from pipeline.config import check_sections, load_settings
from pipeline.extraction.stages import reader_identity
from pipeline.records import Judgement, LabelledExample, LabelledInstance
from tasks.base import Stage
from tasks.corpora import SECTIONS
from tasks.counterfactuals import Counterfactuals, Quadruples
from tasks.extraction import GapExamples, corpora_of, model_of


class Judgements(Stage):
    """What annotators, the author or a panel of resolvers said of every example or quadruple: one record an answer."""

    kind = luigi.ChoiceParameter(choices=tuple(KINDS), description="gap or counter-gap")

    record = Judgement
    section = "judgements"
    settings_type = JudgementSettings

    def requires(self) -> list[Stage]:
        return examples_of(self, self.kind)

    def sources(self) -> list[Stage]:
        return []  # Its records are answers, from files of their own.

    def inputs(self) -> dict[str, str]:
        return judgement_inputs(self.settings, self.kind, Path(self.config).parent, self.checksums)

    def model(self) -> str:
        return reader_identity(model_of(self.config)) if self.settings.source == "panel" else ""

    def fingerprinted_settings(self) -> dict[str, Any]:
        return judgement_identity(self.settings)

    def write(self, folder: Path) -> None:
        examples = [stage.folder for stage in self.deps()]
        write_judgements(
            self.settings, self.kind, self.inputs(), Path(self.config).parent, examples, model_of(self.config), folder
        )


class GapLabelled(Stage):
    """GAP examples on which annotators agree, in balance, in development, validation and test."""

    record = LabelledExample
    section = "consensus"
    settings_type = ConsensusSettings

    @property
    def examples(self) -> GapExamples:
        found: GapExamples = self.clone(GapExamples)
        return found

    @property
    def judgements(self) -> Judgements:
        found: Judgements = self.clone(Judgements, kind="gap")
        return found

    def requires(self) -> list[Stage]:
        return [self.examples, self.judgements]

    def sources(self) -> list[Stage]:
        return [self.examples]

    def fingerprinted_settings(self) -> dict[str, Any]:
        return consensus_identity(self.settings, "gap")

    def write(self, folder: Path) -> None:
        write_gap(self.examples.folder, self.judgements.folder, self.settings, folder)


class QuadruplesLabelled(Stage):
    """Quadruples whose four texts are answered alike, as many with feminine as with masculine originals."""

    record = LabelledInstance
    section = "consensus"
    settings_type = ConsensusSettings

    @property
    def judgements(self) -> Judgements:
        found: Judgements = self.clone(Judgements, kind="counter-gap")
        return found

    def requires(self) -> list[Stage]:
        return [*self.sources(), self.judgements]

    def sources(self) -> list[Stage]:
        return examples_of(self, "counter-gap")

    def fingerprinted_settings(self) -> dict[str, Any]:
        return consensus_identity(self.settings, "counter-gap")

    def write(self, folder: Path) -> None:
        quadruples = [stage.folder for stage in self.sources()]
        write_counter_gap(quadruples, self.judgements.folder, self.settings, folder)


class Annotation(luigi.WrapperTask):
    """Everything up to the labelled sets; where nobody has judged yet, everything up to what is to be judged."""

    config = Stage.config

    def requires(self) -> list[luigi.Task]:
        check_sections(self.config, SECTIONS)
        settings = load_settings(self.config, "judgements", JudgementSettings)
        annotators = load_settings(self.config, "consensus", ConsensusSettings).annotators
        kinds = [kind for kind in KINDS if corpora_of(kind, self.config)]
        check_judgements(settings, annotators, kinds, self.config)
        labelled = {"gap": GapLabelled, "counter-gap": QuadruplesLabelled}
        wanted = [labelled[kind] for kind in kinds if settings.speaks_of(kind)]
        return [self.clone(Counterfactuals), *map(self.clone, wanted)]


def examples_of(stage: Stage, kind: str) -> list[Stage]:
    """The stages whose records are judged."""
    if kind == "gap":
        return [stage.clone(GapExamples)]
    return [stage.clone(Quadruples, corpus=name) for name in corpora_of(kind, stage.config)]
