"""All stages of a run on one page: what each makes, from what, and which settings decide.

Documents -> Candidates -> GapExamples -> Judgements -> GapLabelled -> GapSubjective and GapWeights
                        -> Quadruples  -> Judgements -> QuadruplesLabelled
WinoBias needs no corpus. All labelled sets -> Resolutions -> Scores; Release; Evaluation.
"""

from pathlib import Path
from typing import Any

import luigi

from gapforge.annotation.consensus import ConsensusSettings
from gapforge.annotation.judgements import JUDGED, JudgementSettings, check_judgements, deciding_judgements
from gapforge.annotation.judgements import judgement_files as files_of_judgements
from gapforge.config import check_sections, load_settings
from gapforge.corpora.documents import check_documents, held_still, plan_shards, raw_files
from gapforge.corpora.fetch import FetchSettings, fetch_inputs
from gapforge.corpora.inputs import corpus_names, input_checksums, reader_targets, resolve
from gapforge.corpora.source import CorpusSettings
from gapforge.counterfactuals.augmented import AugmentationSettings, corpus_files, count_documents
from gapforge.counterfactuals.quadruples import QuadrupleSettings
from gapforge.counterfactuals.realworld import REAL_PEOPLE
from gapforge.engine.stages import Call, Shard
from gapforge.evaluation.properties import GROUPS, PROPERTIES
from gapforge.evaluation.resolutions import check_evaluation, deciding_answers, learns, located_answers, models_asked
from gapforge.evaluation.settings import EvaluationSettings
from gapforge.evaluation.weights import WeightSettings, check_weights
from gapforge.extraction.candidates import KINDS, CandidateSettings, corpora_for, find_model
from gapforge.extraction.sampling import SamplingSettings
from gapforge.plugins import load_plugin, target_of
from gapforge.records import (
    Biography,
    Candidate,
    Document,
    GrammarCount,
    Judgement,
    LabelledExample,
    LabelledInstance,
    QuadrupleInstance,
    Resolution,
    Score,
    SubjectiveExample,
    SubjectiveProposal,
    SubjectiveSentence,
    Weight,
    WinoBiasSentence,
)
from gapforge.release.layout import count_rows
from gapforge.release.settings import ReleaseSettings
from gapforge.release.write import check_release, deciding_release, errata_files
from gapforge.subjectivity.checks import check_subjectivity
from gapforge.subjectivity.hooks import (
    NONE,
    SubjectivitySettings,
    counts_grammar,
    deciding_proposals,
    deciding_sentences,
    hook_models,
    hook_targets,
    located,
)
from gapforge.systems import resolver_target
from gapforge.winobias.templates import WinoBiasSettings, own_files
from gapforge_tasks.base import DOWNLOADS, Stage, table_of

CORPUS = luigi.Parameter(description="the NAME of a [corpora.NAME] section")
WHICH_KIND = "gap or counter-gap"


class Documents(Stage):
    """Cleaned text with titles, sections and paragraphs."""

    corpus = CORPUS
    makes = "gapforge.corpora.documents:documents_of"
    record, settings_type, counts, shard_by = Document, CorpusSettings, "documents", "pieces"

    @property
    def section(self) -> str:
        return f"corpora.{self.corpus}"

    @property
    def found(self) -> CorpusSettings:
        return resolve(self.settings, self.base, DOWNLOADS, f"{self.config}: [{self.section}]")

    def inputs(self) -> dict[str, str]:
        return input_checksums(self.found, self.settings, self.checksums)

    def deciding(self) -> dict[str, Any]:
        """All but the inputs: their names and checksums are known, so to pin one rebuilds nothing."""
        return {name: value for name, value in super().deciding().items() if name != "inputs"}

    def plugins(self) -> list[str]:
        return reader_targets(self.found, self.settings)

    def more(self) -> dict[str, Any]:
        return {"settings": self.found}

    def shards(self) -> list[Any]:
        return plan_shards(self.found)

    def files_of_shard(self, call: Call, shard: Shard) -> list[Path]:
        return raw_files(call.given["settings"], shard.source)

    def write(self, folder: Path) -> None:
        fetch_inputs(self.found, self.settings, load_settings(self.config, "fetch", FetchSettings), self.checksums)
        with held_still(folder, self.found):
            super().write(folder)
        check_documents(folder)


class Candidates(Stage):
    """Ambiguous pronouns of a corpus with their two names: one record for each."""

    corpus = CORPUS
    kind = luigi.ChoiceParameter(choices=tuple(KINDS), description=WHICH_KIND)
    makes = "gapforge.extraction.candidates:candidates"
    settings_type, section, counts, shard_by = CandidateSettings, "candidates", "candidates", "documents"
    matters = ()  # the model is in the fingerprint by its version, and the corpora are in the stage's name

    @property
    def record(self) -> type:
        return KINDS[self.kind].record

    def requires(self) -> dict[str, list[Stage]]:
        return {"documents": [self.clone(Documents)]}

    def model(self) -> str:
        return model_of(self.config)


class GapExamples(Stage):
    """The GAP candidates that go to annotation: balanced by gender, pattern and page entity."""

    makes = "gapforge.extraction.sampling:gap_examples"
    record, settings_type, section = Candidate, SamplingSettings, "sampling"

    def requires(self) -> dict[str, list[Stage]]:
        corpora = corpora_of("gap", self.config)
        return {"candidates": [self.clone(Candidates, corpus=name, kind="gap") for name in corpora]}


class Biographies(Stage):
    """The people whose lives a corpus tells, by the titles of its documents."""

    corpus = CORPUS
    makes = "gapforge.counterfactuals.realworld:biographies"
    record, counts, shard_by = Biography, "names", "documents"

    def requires(self) -> dict[str, list[Stage]]:
        return {"documents": [self.clone(Documents)]}


class Quadruples(Stage):
    """Originals with their control and two gender-swapped texts: four records each."""

    corpus = CORPUS
    makes = "gapforge.counterfactuals.quadruples:quadruples"
    record, settings_type, section = QuadrupleInstance, QuadrupleSettings, "quadruples"
    counts, shard_by, reads = "instances", "candidates", ("candidates",)

    def requires(self) -> dict[str, list[Stage]]:
        known = corpus_names(self.config) if self.settings.real_people != "none" else []
        return {
            "candidates": [self.clone(Candidates, kind="counter-gap")],
            "biographies": [self.clone(Biographies, corpus=name) for name in known],
        }

    def model(self) -> str:
        return model_of(self.config)

    def plugins(self) -> list[str]:
        load_plugin(self.settings.real_people, REAL_PEOPLE)  # An unknown name is reported before any work.
        return [target_of(self.settings.real_people, REAL_PEOPLE)]


class Judgements(Stage):
    """What annotators, the author or a panel of resolvers said of every example or quadruple: one record an answer."""

    kind = luigi.ChoiceParameter(choices=tuple(JUDGED), description=WHICH_KIND)
    makes = "gapforge.annotation.judgements:judgements"
    record, settings_type, section = Judgement, JudgementSettings, "judgements"
    reads = ()  # its records are answers, from files of their own

    def requires(self) -> dict[str, list[Stage]]:
        return {"examples": examples_of(self, self.kind)}

    def files(self) -> dict[str, Path]:
        return files_of_judgements(self.settings, self.kind, self.base)

    def deciding(self) -> dict[str, Any]:
        return deciding_judgements(self.settings)

    def model(self) -> str:
        return model_of(self.config) if self.settings.source == "panel" else ""

    def models(self) -> dict[str, str]:
        return super().models() | models_asked(self.settings.panel, {})

    def plugins(self) -> list[str]:
        return [resolver_target(name) for name in self.settings.panel]

    def more(self) -> dict[str, Any]:
        return {"inputs": self.inputs()}


class GapLabelled(Stage):
    """GAP examples on which annotators agree, in balance, in development, validation and test."""

    makes = "gapforge.annotation.labelled:gap_labelled"
    record, settings_type, section, reads = LabelledExample, ConsensusSettings, "consensus", ("examples",)

    def requires(self) -> dict[str, list[Stage]]:
        return {"examples": examples_of(self, "gap"), "judgements": [self.clone(Judgements, kind="gap")]}

    def deciding(self) -> dict[str, Any]:
        return {name: value for name, value in super().deciding().items() if name != "contradictions"}


class QuadruplesLabelled(Stage):
    """Quadruples whose four texts are answered alike, as many with feminine as with masculine originals."""

    makes = "gapforge.annotation.labelled:quadruples_labelled"
    record, settings_type, section, reads = LabelledInstance, ConsensusSettings, "consensus", ("quadruples",)

    def requires(self) -> dict[str, list[Stage]]:
        judged = self.clone(Judgements, kind="counter-gap")
        return {"quadruples": examples_of(self, "counter-gap"), "judgements": [judged]}

    def deciding(self) -> dict[str, Any]:
        return {name: value for name, value in super().deciding().items() if name != "splits"}


class Grammar(Stage):
    """How often word classes follow each other in the ingested corpora that give GAP examples."""

    makes = "gapforge.subjectivity.fluency:grammar_counts"
    record, settings_type, section = GrammarCount, SubjectivitySettings, "subjectivity"
    matters, counts, shard_by = ("sentences",), "sequences", "documents"

    def requires(self) -> dict[str, list[Stage]]:
        return {"documents": [self.clone(Documents, corpus=name) for name in corpora_of("gap", self.config)]}


class SubjectiveProposals(Stage):
    """Every proposal to make a sentence of a labelled example subjective, with all its scores; nothing is decided."""

    makes = "gapforge.subjectivity.proposals:proposals"
    record, settings_type, section = SubjectiveProposal, SubjectivitySettings, "subjectivity"
    counts, reads = "proposals", ("labelled",)

    def requires(self) -> dict[str, list[Stage]]:
        grammar = [self.clone(Grammar)] if counts_grammar(self.settings) else []
        return {"labelled": [self.clone(GapLabelled)], "grammar": grammar}

    def deciding(self) -> dict[str, Any]:
        return deciding_proposals(self.settings)

    def model(self) -> str:
        return model_of(self.config)

    def models(self) -> dict[str, str]:
        return hook_models(located(self.settings, self.base), self.model())

    def plugins(self) -> list[str]:
        return hook_targets(self.settings)

    def more(self) -> dict[str, Any]:
        return {"settings": located(self.settings, self.base)}

    def shards(self) -> range:
        return range(self.settings.shards)


class SubjectiveSentences(Stage):
    """What became of each sentence: the proposal that is kept, or the reasons why none is."""

    makes = "gapforge.subjectivity.decisions:sentences"
    record, settings_type, section = SubjectiveSentence, SubjectivitySettings, "subjectivity"

    def requires(self) -> dict[str, list[Stage]]:
        return {"proposals": [self.clone(SubjectiveProposals)]}

    def deciding(self) -> dict[str, Any]:
        return deciding_sentences(self.settings)


class GapSubjective(Stage):
    """The labelled examples with sentences made subjective; those without stay as they were."""

    makes = "gapforge.subjectivity.variants:gap_subjective"
    record, settings_type, section = SubjectiveExample, SubjectivitySettings, "subjectivity"
    matters, reads = (), ("labelled",)  # what becomes of each sentence is decided before

    def requires(self) -> dict[str, list[Stage]]:
        return {"labelled": [self.clone(GapLabelled)], "sentences": [self.clone(SubjectiveSentences)]}


class WinoBias(Stage):
    """Sentences of two occupations and a pronoun, with the pronoun that stereotypes suggest and with the other one."""

    makes = "gapforge.winobias.templates:sentences"
    record, settings_type, section = WinoBiasSentence, WinoBiasSettings, "winobias"

    def files(self) -> dict[str, Path]:
        return own_files(self.settings, self.base)


class AugmentedCorpus(Stage):
    """The documents of CoNLL files with their gender-swapped counterparts: a file for each input and method."""

    makes = "gapforge.counterfactuals.augmented:augmented_corpus"
    settings_type, section, matters = AugmentationSettings, "augmentation", ("methods", "anonymise_originals")

    def files(self) -> dict[str, Path]:
        return corpus_files(self.settings, self.base)

    def model(self) -> str:
        return model_of(self.config)

    def count(self, folder: Path) -> int:
        return count_documents(self.settings, folder)


LABELLED: dict[str, type[Stage]] = {
    "gap": GapLabelled,
    "counter-gap": QuadruplesLabelled,
    "gap-subjective": GapSubjective,
    "winobias": WinoBias,
}
WHICH_SET = "gap, counter-gap, gap-subjective or winobias"


class Resolutions(Stage):
    """What each resolver says of every instance of a labelled set."""

    kind = luigi.ChoiceParameter(choices=tuple(LABELLED), description=WHICH_SET)
    makes = "gapforge.evaluation.resolutions:resolutions"
    record, settings_type, section, reads = Resolution, EvaluationSettings, "evaluation", ("labelled",)

    def requires(self) -> dict[str, list[Stage]]:
        """The set, and the one that resolvers learn from, where one does."""
        learned = [self.clone(GapLabelled)] if learns(self.settings) else []
        return {"labelled": [self.clone(LABELLED[self.kind])], "learned": learned}

    def deciding(self) -> dict[str, Any]:
        return deciding_answers(self.settings, self.kind)

    def model(self) -> str:
        return model_of(self.config)

    def models(self) -> dict[str, str]:
        settings = self.more()["settings"]
        options = {name: settings.options_for(name) for name in settings.resolvers}
        return super().models() | models_asked(settings.resolvers, options)

    def more(self) -> dict[str, Any]:
        return {"settings": located_answers(self.settings, self.base)}

    def plugins(self) -> list[str]:
        return [resolver_target(name) for name in self.settings.resolvers]


class GapWeights(Stage):
    """What each GAP example counts, so that its number of names and their distance no longer differ between genders."""

    makes = "gapforge.evaluation.weights:gap_weights"
    record, settings_type, section = Weight, WeightSettings, "weights"

    def requires(self) -> dict[str, list[Stage]]:
        return {"labelled": [self.clone(GapLabelled)]}

    def deciding(self) -> dict[str, Any]:
        return super().deciding() | self.more()

    def model(self) -> str:
        return model_of(self.config)

    def plugins(self) -> list[str]:
        properties = [target_of(name, PROPERTIES) for name in self.settings.properties]
        return [*properties, target_of(self.settings.group, GROUPS)]

    def more(self) -> dict[str, Any]:
        return {"split": load_settings(self.config, "evaluation", EvaluationSettings).split}


class Scores(Stage):
    """Every figure of every resolver on one labelled set."""

    kind = luigi.ChoiceParameter(choices=tuple(LABELLED), description=WHICH_SET)
    makes = "gapforge.evaluation.scores:scores"
    record, settings_type, section, reads = Score, EvaluationSettings, "evaluation", ("resolutions",)

    def requires(self) -> dict[str, list[Stage]]:
        is_variant = self.kind == "gap-subjective"
        return {
            "labelled": [self.clone(LABELLED[self.kind])],
            "resolutions": [self.clone(Resolutions)],
            "weights": [self.clone(GapWeights)] if self.kind == "gap" else [],
            "original": [self.clone(GapLabelled)] if is_variant else [],
            "resolutions_of_original": [self.clone(Resolutions, kind="gap")] if is_variant else [],
        }


class Release(Stage):
    """The folder that people load, cite, check and publish; `gapforge verify` says whether it is whole."""

    makes = "gapforge.release.write:release"
    settings_type, section = ReleaseSettings, "release"
    reads = ("gap", "counter_gap", "subjective", "winobias")

    @property
    def folder(self) -> Path:
        return self.run_folder / "release"

    def requires(self) -> dict[str, list[Stage]]:
        released = released_kinds(self.config)
        names = {"gap": "gap", "counter-gap": "counter_gap", "gap-subjective": "subjective", "winobias": "winobias"}
        labelled = {name: [self.clone(LABELLED[kind])] if kind in released else [] for kind, name in names.items()}
        return {**labelled, "weights": [self.clone(GapWeights)] if "gap" in released else []}

    def files(self) -> dict[str, Path]:
        return errata_files(self.settings, self.base)

    def model(self) -> str:
        return model_of(self.config)

    def deciding(self) -> dict[str, Any]:
        return deciding_release(self.settings, self.run_folder.name)

    def more(self) -> dict[str, Any]:
        return {
            "name": self.run_folder.name,
            "split": load_settings(self.config, "evaluation", EvaluationSettings).split,
            "stages": {stage.name: stage.folder for stage in self.upstream()},
        }

    def count(self, folder: Path) -> int:
        return count_rows(folder)


class Evaluation(Stage):
    """Every figure of every resolver on the sets of the release, and the report of the run."""

    makes = "gapforge.release.run_report:evaluation"
    record, settings_type, section, reads = Score, EvaluationSettings, "evaluation", ("resolutions",)

    @property
    def folder(self) -> Path:
        return self.run_folder / "evaluation"

    def requires(self) -> dict[str, list[Stage]]:
        kinds = released_kinds(self.config) if self.settings.resolvers else []
        return {
            "release": [self.clone(Release)],
            "scores": [self.clone(Scores, kind=kind) for kind in kinds],
            "resolutions": [self.clone(Resolutions, kind=kind) for kind in kinds],
        }

    def tables(self) -> dict[str, Any]:
        needed = self.requires()
        return {
            "release": needed["release"][0].folder,
            "scores": {stage.param_kwargs["kind"]: stage.folder for stage in needed["scores"]},
            "resolutions": {stage.param_kwargs["kind"]: table_of([stage]) for stage in needed["resolutions"]},
        }

    def more(self) -> dict[str, Any]:
        return {"stages": {stage.name: stage.folder for stage in self.upstream()}}


class Corpora(luigi.WrapperTask):
    """The documents of every corpus that the config names."""

    config = Stage.config

    def requires(self) -> list[luigi.Task]:
        check(self.config)
        return [self.clone(Documents, corpus=name) for name in corpus_names(self.config)]


class Everything(luigi.WrapperTask):
    """All stages of a config: up to the evaluation, or, where nobody has judged yet, to what is to be judged."""

    config = Stage.config

    def requires(self) -> list[luigi.Task]:
        config = self.config
        check(config)
        judged, released = labelled_kinds(config), released_kinds(config)
        return [
            self.clone(Corpora),
            *([self.clone(GapExamples)] if corpora_of("gap", config) else []),
            *(self.clone(Quadruples, corpus=name) for name in corpora_of("counter-gap", config)),
            *(self.clone(LABELLED[kind]) for kind in judged),
            *([self.clone(AugmentedCorpus)] if wants_augmentation(config) else []),
            *([self.clone(Evaluation)] if released else []),
        ]


def settings_sections() -> list[str]:
    """Every section of a config that a stage reads."""
    own = {vars(stage).get("section") for stage in Stage.__subclasses__()}
    return sorted({"corpora", "fetch", *(it for it in own if isinstance(it, str))})


def check(config: str) -> None:
    """Refuse a config that cannot work, before any stage is looked at."""
    check_sections(config, settings_sections())
    load_settings(config, "fetch", FetchSettings)
    corpora = corpus_names(config)
    kinds = [kind for kind in JUDGED if corpora_of(kind, config)]
    annotators = load_settings(config, "consensus", ConsensusSettings).annotators
    check_judgements(load_settings(config, "judgements", JudgementSettings), annotators, kinds, config)
    check_evaluation(load_settings(config, "evaluation", EvaluationSettings), labelled_kinds(config), config)
    check_weights(load_settings(config, "weights", WeightSettings), config)
    subjectivity = load_settings(config, "subjectivity", SubjectivitySettings)
    check_subjectivity(located(subjectivity, Path(config).parent), config)
    check_release(load_settings(config, "release", ReleaseSettings), corpora, config)


def corpora_of(kind: str, config: str) -> list[str]:
    return corpora_for(kind, load_settings(config, "candidates", CandidateSettings), corpus_names(config), config)


def model_of(config: str) -> str:
    return find_model(load_settings(config, "candidates", CandidateSettings), Path(config).parent)


def examples_of(stage: Stage, kind: str) -> list[Stage]:
    """The stages whose records are judged."""
    if kind == "gap":
        return [stage.clone(GapExamples)]
    return [stage.clone(Quadruples, corpus=name) for name in corpora_of(kind, stage.config)]


def labelled_kinds(config: str) -> list[str]:
    """The sets that somebody has judged."""
    settings = load_settings(config, "judgements", JudgementSettings)
    return [kind for kind in JUDGED if corpora_of(kind, config) and settings.speaks_of(kind)]


def released_kinds(config: str) -> list[str]:
    """Those sets, the subjective variant of GAP where it is wanted, and WinoBias, which nobody has to judge."""
    kinds = labelled_kinds(config)
    subjective = ["gap-subjective"] if "gap" in kinds and wants_subjective(config) else []
    return [*kinds, *subjective, *(["winobias"] if wants_winobias(config) else [])]


def wants_subjective(config: str) -> bool:
    return load_settings(config, "subjectivity", SubjectivitySettings).transfer != NONE


def wants_winobias(config: str) -> bool:
    return load_settings(config, "winobias", WinoBiasSettings).include


def wants_augmentation(config: str) -> bool:
    return bool(load_settings(config, "augmentation", AugmentationSettings).inputs)
