"""Raw corpora to documents: one stage for each `[corpora.NAME]` of the config."""

from functools import partial
from pathlib import Path
from typing import Any

import luigi

from pipeline.config import check_sections, load_settings
from pipeline.corpora.documents import check_documents, fetch_inputs, held_still, plan_shards, raw_files, write_shard
from pipeline.corpora.fetch import FetchSettings
from pipeline.corpora.inputs import corpus_names, input_checksums, resolve
from pipeline.corpora.source import CorpusSettings
from pipeline.engine import run_shards
from pipeline.progress import progress
from pipeline.records import Document
from tasks.base import DOWNLOADS, Machine, Stage

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
