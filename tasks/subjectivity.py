"""Labelled GAP examples to their subjective variants."""

from functools import partial
from pathlib import Path
from typing import Any

from pipeline.config import load_settings
from pipeline.engine import run_shards
from pipeline.parts import part_files
from pipeline.progress import progress
from pipeline.records import GrammarCount, SubjectiveExample, SubjectiveProposal, SubjectiveSentence
from pipeline.subjectivity.settings import NONE, SubjectivitySettings, located
from pipeline.subjectivity.stages import (
    Scorer,
    classes_identity,
    counts_grammar,
    decision_identity,
    embedded_identity,
    proposals_identity,
    sentences_of_each,
    write_examples,
    write_grammar,
    write_proposals,
    write_sentences,
)
from tasks.annotation import GapLabelled
from tasks.base import Machine, Stage
from tasks.corpora import Documents
from tasks.extraction import corpora_of, model_of


class Grammar(Stage):
    """How often word classes follow each other in the ingested corpora that give GAP examples."""

    record = GrammarCount
    section = "subjectivity"
    settings_type = SubjectivitySettings

    def requires(self) -> list[Stage]:
        return [self.clone(Documents, corpus=name) for name in corpora_of("gap", self.config)]

    def model(self) -> str:
        return classes_identity()

    def fingerprinted_settings(self) -> dict[str, Any]:
        return {"sentences": self.settings.sentences}

    def write(self, folder: Path) -> None:
        parts = [part for stage in self.deps() for part in part_files(stage.folder)]
        most = sentences_of_each(self.settings, len(parts))
        with progress(self.name, len(parts), "parts", "sequences") as report:
            run_shards(partial(write_grammar, most), parts, folder, Machine().engine, report)


class SubjectiveProposals(Stage):
    """Every proposal to make a sentence of a labelled example subjective, with all its scores; nothing is decided."""

    record = SubjectiveProposal
    section = "subjectivity"
    settings_type = SubjectivitySettings

    @property
    def labelled(self) -> GapLabelled:
        found: GapLabelled = self.clone(GapLabelled)
        return found

    @property
    def grammar(self) -> list[Stage]:
        return [self.clone(Grammar)] if counts_grammar(self.settings) else []

    def requires(self) -> list[Stage]:
        return [self.labelled, *self.grammar]

    def sources(self) -> list[Stage]:
        return [self.labelled]

    def model(self) -> str:
        return embedded_identity()

    def fingerprinted_settings(self) -> dict[str, Any]:
        return proposals_identity(self.settings, Path(self.config).parent, model_of(self.config))

    def write(self, folder: Path) -> None:
        grammar = self.grammar[0].folder if self.grammar else None
        settings = located(self.settings, Path(self.config).parent)
        scorer = Scorer(settings, self.labelled.folder, grammar, model_of(self.config))
        shards = range(self.settings.shards)
        with progress(self.name, len(shards), "parts", "proposals") as report:
            run_shards(
                partial(write_proposals, scorer), shards, folder, Machine().engine, report, lambda shard: scorer.folders
            )


class SubjectiveSentences(Stage):
    """What became of each sentence: the proposal that is kept, or the reasons why none is."""

    record = SubjectiveSentence
    section = "subjectivity"
    settings_type = SubjectivitySettings

    def requires(self) -> list[Stage]:
        return [self.clone(SubjectiveProposals)]

    def fingerprinted_settings(self) -> dict[str, Any]:
        return decision_identity(self.settings)

    def write(self, folder: Path) -> None:
        write_sentences(self.deps()[0].folder, self.settings, folder)


class GapSubjective(Stage):
    """The labelled examples with sentences made subjective; those without stay as they were."""

    record = SubjectiveExample
    section = "subjectivity"
    settings_type = SubjectivitySettings

    @property
    def labelled(self) -> GapLabelled:
        found: GapLabelled = self.clone(GapLabelled)
        return found

    @property
    def sentences(self) -> SubjectiveSentences:
        found: SubjectiveSentences = self.clone(SubjectiveSentences)
        return found

    def requires(self) -> list[Stage]:
        return [self.labelled, self.sentences]

    def sources(self) -> list[Stage]:
        return [self.labelled]

    def fingerprinted_settings(self) -> dict[str, Any]:
        """None: what becomes of each sentence is decided before."""
        return {}

    def write(self, folder: Path) -> None:
        write_examples(self.labelled.folder, self.sentences.folder, self.settings, folder)


def wants_subjective(config: str) -> bool:
    return load_settings(config, "subjectivity", SubjectivitySettings).transfer != NONE
