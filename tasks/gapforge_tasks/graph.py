"""Raw corpora to documents: one stage for each `[corpora.NAME]` of the config.

Documents to candidates, and GAP candidates to the examples that are annotated.

Counter-GAP candidates to quadruples, but for those that name real people.

Examples and quadruples to labelled sets, by the judgements that the config names.

Labelled GAP examples to their subjective variants.

Scenes and occupations to the sentences of WinoBias.

Labelled sets to resolvers' answers, and GAP's weights.

CoNLL files to counterfactually augmented training data.

Labelled sets to a release, and the release to its evaluation and report.
"""

from functools import partial
from pathlib import Path
from typing import Any

import luigi
from gapforge.annotation.consensus import ConsensusSettings
from gapforge.annotation.stages import (
    JUDGED,
    JudgementSettings,
    check_judgements,
    consensus_identity,
    judgement_identity,
    judgement_inputs,
    write_counter_gap,
    write_gap,
    write_judgements,
)
from gapforge.config import check_sections, load_settings
from gapforge.corpora.documents import check_documents, fetch_inputs, held_still, plan_shards, raw_files, write_shard
from gapforge.corpora.inputs import FetchSettings, corpus_names, input_checksums, resolve
from gapforge.corpora.source import CorpusSettings
from gapforge.counterfactuals.augmented import (
    AugmentationSettings,
    augmenter_identity,
    corpus_inputs,
    count_documents,
    write_corpora,
)
from gapforge.counterfactuals.quadruples import (
    Maker,
    QuadrupleSettings,
    files_read,
    hook_identity,
    swapper_identity,
    write_biographies,
    write_quadruples,
)
from gapforge.engine import run_shards
from gapforge.engine.parts import part_files
from gapforge.evaluation.stages import (
    EvaluationSettings,
    check_evaluation,
    check_weights,
    learns,
    resolution_identity,
    weights_identity,
    write_gap_weights,
    write_resolutions,
)
from gapforge.evaluation.weights import WeightSettings
from gapforge.extraction.candidates import KINDS
from gapforge.extraction.sampling import SamplingSettings
from gapforge.extraction.stages import (
    CandidateSettings,
    corpora_for,
    find_model,
    reader_identity,
    write_candidates,
    write_examples,
)
from gapforge.progress import progress
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
from gapforge.release.run_report import write_evaluation
from gapforge.release.settings import ReleaseSettings
from gapforge.release.write import Sources, check_release, errata_inputs, release_identity, write_release
from gapforge.subjectivity.hooks import NONE, SubjectivitySettings, check_subjectivity, located
from gapforge.subjectivity.stages import (
    Scorer,
    classes_identity,
    counts_grammar,
    decision_identity,
    embedded_identity,
    proposals_identity,
    sentences_of_each,
    write_decisions,
    write_grammar,
    write_proposals,
    write_subjective,
)
from gapforge.winobias.templates import WinoBiasSettings, occupations_identity, own_files, write_sentences

from gapforge_tasks.base import DOWNLOADS, Machine, Stage

# Every section that a stage reads.
SECTIONS = (
    "corpora",
    "fetch",
    "candidates",
    "sampling",
    "quadruples",
    "judgements",
    "consensus",
    "subjectivity",
    "winobias",
    "augmentation",
    "evaluation",
    "weights",
    "release",
)


class Documents(Stage):
    """Cleaned text with titles, sections and paragraphs."""

    corpus = luigi.Parameter(description="the NAME of a [corpora.NAME] section")

    record = Document
    settings_type = CorpusSettings

    @property
    def section(self) -> str:
        return f"corpora.{self.corpus}"

    @property
    def found(self) -> CorpusSettings:
        return resolve(self.settings, Path(self.config).parent, DOWNLOADS, f"{self.config}: [{self.section}]")

    def inputs(self) -> dict[str, str]:
        return input_checksums(self.found, self.settings, self.checksums)

    def fingerprinted_settings(self) -> dict[str, Any]:
        """All but the inputs: their names and checksums are known, so to pin one rebuilds nothing."""
        settings = super().fingerprinted_settings()
        del settings["inputs"]
        return settings

    def write(self, folder: Path) -> None:
        fetching = load_settings(self.config, "fetch", FetchSettings)
        fetch_inputs(self.found, self.settings, fetching, self.checksums)
        shards = plan_shards(self.found)
        told = progress(self.name, len(shards), "parts", "documents")
        with held_still(folder, self.found), told as report:
            run_shards(
                partial(write_shard, self.found),
                shards,
                folder,
                Machine().engine,
                report,
                partial(raw_files, self.found),
            )
        check_documents(folder)


class Corpora(luigi.WrapperTask):
    """The documents of every corpus that the config names."""

    config = Stage.config

    def requires(self) -> list[Documents]:
        check_sections(self.config, SECTIONS)
        load_settings(self.config, "fetch", FetchSettings)
        return [self.clone(Documents, corpus=name) for name in corpus_names(self.config)]


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
            task = partial(write_candidates, self.kind, self.corpus, model_of(self.config))
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


class Judgements(Stage):
    """What annotators, the author or a panel of resolvers said of every example or quadruple: one record an answer."""

    kind = luigi.ChoiceParameter(choices=tuple(JUDGED), description="gap or counter-gap")

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
        kinds = [kind for kind in JUDGED if corpora_of(kind, self.config)]
        check_judgements(settings, annotators, kinds, self.config)
        labelled = {"gap": GapLabelled, "counter-gap": QuadruplesLabelled}
        wanted = [labelled[kind] for kind in kinds if settings.speaks_of(kind)]
        return [self.clone(Counterfactuals), *map(self.clone, wanted)]


def examples_of(stage: Stage, kind: str) -> list[Stage]:
    """The stages whose records are judged."""
    if kind == "gap":
        return [stage.clone(GapExamples)]
    return [stage.clone(Quadruples, corpus=name) for name in corpora_of(kind, stage.config)]


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
        write_decisions(self.deps()[0].folder, self.settings, folder)


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
        write_subjective(self.labelled.folder, self.sentences.folder, self.settings, folder)


def wants_subjective(config: str) -> bool:
    return load_settings(config, "subjectivity", SubjectivitySettings).transfer != NONE


class WinoBias(Stage):
    """Sentences of two occupations and a pronoun, with the pronoun that stereotypes suggest and with the other one."""

    record = WinoBiasSentence
    section = "winobias"
    settings_type = WinoBiasSettings

    def inputs(self) -> dict[str, str]:
        return own_files(self.settings, Path(self.config).parent, self.checksums)

    def model(self) -> str:
        return occupations_identity(self.settings)

    def write(self, folder: Path) -> None:
        write_sentences(self.settings, Path(self.config).parent, folder)


def wants_winobias(config: str) -> bool:
    return load_settings(config, "winobias", WinoBiasSettings).include


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
    return [kind for kind in JUDGED if corpora_of(kind, config) and settings.speaks_of(kind)]


def released_kinds(config: str) -> list[str]:
    """Those sets, the subjective variant of GAP where it is wanted, and WinoBias, which nobody has to judge."""
    kinds = labelled_kinds(config)
    subjective = ["gap-subjective"] if "gap" in kinds and wants_subjective(config) else []
    return [*kinds, *subjective, *(["winobias"] if wants_winobias(config) else [])]


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
