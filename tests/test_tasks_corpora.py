"""Stages as Luigi runs them: rebuilt when and only when something that matters has changed."""

import luigi
import pytest

from pipeline.config import read_config
from pipeline.errors import LockedError
from pipeline.parts import read_manifest, read_parts
from pipeline.records import Document
from tasks.base import Stage
from tasks.corpora import Corpora, Documents
from tasks.runs import build as build_all
from tasks.runs import plan

pytestmark = pytest.mark.slow


def build(task):
    return luigi.build([task], local_scheduler=True, log_level="CRITICAL", detailed_summary=True).scheduling_succeeded


def change(workplace, old, new):
    config = workplace / "tiny.toml"
    config.write_text(config.read_text().replace(old, new))
    read_config.cache_clear()


@pytest.fixture
def task(workplace):
    return Documents(config="tiny.toml", corpus="texts")


def test_a_corpus_becomes_documents(task, workplace):
    assert task.why_stale() == "missing"
    assert build(Corpora(config="tiny.toml"))
    assert task.complete()
    assert [document.id for document in read_parts(task.folder, Document)] == ["a", "b", "c"]
    assert sorted(path.name for path in (workplace / "output" / "tiny").iterdir()) == [
        ".checksums.json",
        ".lock",
        "Documents-texts",
    ]


def test_only_a_change_that_matters_rebuilds(task, workplace):
    assert build(task)
    before = (task.folder / "_manifest.json").stat().st_mtime_ns
    assert build(task)
    assert (task.folder / "_manifest.json").stat().st_mtime_ns == before
    change(workplace, "shards = 2", "shards = 3")
    assert task.why_stale() == "setting shards: 2 -> 3"
    assert build(task) and task.complete()
    assert read_manifest(task.folder).rows == 3
    (workplace / "raw" / "d.txt").write_text("One more.")
    assert task.why_stale() == "input raw changed"
    assert build(task)
    assert read_manifest(task.folder).rows == 4


def test_to_pin_an_input_rebuilds_nothing(task, workplace):
    assert build(task)
    digest = read_manifest(task.folder).identity.inputs["raw"]
    change(workplace, '"raw" }', f'"raw", sha256 = "{digest}" }}')
    assert task.complete()


def test_a_raised_version_rebuilds(task, monkeypatch):
    assert build(task)
    monkeypatch.setattr(Documents, "version", 2)
    assert task.why_stale() == "stage version 1 -> 2"


def test_damage_is_mended(task):
    assert build(task)
    part = task.folder / "part-00000.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[:-8])
    assert task.why_stale() == "part-00000.parquet was changed after it was built"
    assert build(task)
    assert part.read_bytes() == whole


def test_a_failed_build_keeps_the_old_folder(task, workplace):
    assert build(task)
    (workplace / "raw" / "d.txt").write_bytes(b"\xff\xfe\xff")
    assert not build(task)
    assert [document.id for document in read_parts(task.folder, Document)] == ["a", "b", "c"]
    assert not task.complete()


def test_a_run_with_nothing_to_do_still_sweeps(task, workplace):
    (stage,) = plan("tiny.toml")
    build_all([stage])
    for leftover in (".checksums.json.1.tmp", ".Documents-texts.retired/part-00000.parquet", ".Documents-texts.0a/x"):
        path = stage.run_folder / leftover
        path.parent.mkdir(exist_ok=True)
        path.touch()
    build_all([stage])
    left = sorted(path.name for path in stage.run_folder.iterdir())
    assert left == [".checksums.json", ".lock", "Documents-texts"]


class Counted(Stage):
    """A stage made in one piece of the records of another."""

    record = Document

    def requires(self):
        return self.clone(Documents, corpus="texts")

    def build(self):
        yield from list(read_parts(self.requires().folder, Document))[:2]


def test_a_stage_follows_its_upstream(workplace):
    task = Counted(config="tiny.toml")
    assert build(task)
    manifest = read_manifest(task.folder)
    assert (manifest.rows_in, manifest.rows) == (3, 2)
    assert list(manifest.identity.upstream) == ["Documents-texts"]
    change(workplace, "shards = 2", "shards = 1")
    assert task.why_stale() == "stage Documents-texts changed"


def test_a_stage_needs_the_lock(task, workplace, monkeypatch):
    import fcntl

    (workplace / "output" / "tiny").mkdir(parents=True)
    with (workplace / "output" / "tiny" / ".lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(LockedError, match="is being built by another process"):
            task.run()
