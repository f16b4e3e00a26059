"""Stages as Luigi runs them: rebuilt when and only when something that matters has changed."""

import dataclasses
import hashlib
from pathlib import Path

import luigi
import pytest

from gapforge.corpora.documents import documents_of, held_still, plan_shards
from gapforge.corpora.source import Catalog, Columns, CorpusSettings, Input
from gapforge.engine.parts import read_manifest, read_notes, read_parts
from gapforge.errors import InputError, LockedError
from gapforge.records import Document
from gapforge.storage.files import json_line
from gapforge_tasks.base import Stage
from gapforge_tasks.graph import Corpora, Documents
from gapforge_tasks.runs import build as build_all
from gapforge_tasks.runs import plan

GOLDEN = {"encyclopedia": "883c587fa2523d85", "fiction": "e41ad372946494c4"}


def build(task):
    return luigi.build([task], local_scheduler=True, log_level="CRITICAL", detailed_summary=True).scheduling_succeeded


@pytest.fixture
def change(workplace, next_run):
    """Edit the config, and go on as the next run."""

    def edit(old, new):
        config = workplace / "tiny.toml"
        config.write_text(config.read_text().replace(old, new))
        next_run()

    return edit


@pytest.fixture
def task(workplace):
    luigi.configuration.get_config().set("Machine", "workers", "1")  # each takes a second of imports
    return Documents(config="tiny.toml", corpus="texts")


def test_a_corpus_becomes_documents(task, workplace):
    assert task.why_stale() == "missing"
    assert build(Corpora(config="tiny.toml"))
    assert task.complete()
    assert [document.id for document in read_parts(task.folder, Document)] == ["a", "b", "c"]
    assert sorted(path.name for path in (workplace / "output" / "tiny").iterdir()) == [
        ".checksums.json",
        ".code.json",
        ".lock",
        "Documents-texts",
    ]


@pytest.mark.process
def test_only_a_change_that_matters_rebuilds(task, workplace, change, next_run):
    assert build(task)
    before = (task.folder / "_manifest.json").stat().st_mtime_ns
    assert build(task)
    assert (task.folder / "_manifest.json").stat().st_mtime_ns == before
    change("shards = 2", "shards = 3")
    assert task.why_stale() == "setting shards: 2 -> 3"
    assert build(task) and task.complete()
    assert read_manifest(task.folder).rows == 3
    (workplace / "raw" / "d.txt").write_text("One more.")
    next_run()
    assert task.why_stale() == "input raw changed"
    assert build(task)
    assert read_manifest(task.folder).rows == 4


def test_to_pin_an_input_rebuilds_nothing(task, change):
    assert build(task)
    digest = read_manifest(task.folder).identity.inputs["raw"]
    change('"raw" }', f'"raw", sha256 = "{digest}" }}')
    assert task.complete()


def test_damage_is_mended(task):
    assert build(task)
    part = task.folder / "part-00000.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[:-8])
    assert task.why_stale() == "part-00000.parquet was changed after it was built"
    assert build(task)
    assert part.read_bytes() == whole


def test_a_failed_build_keeps_the_old_folder(task, workplace, next_run):
    assert build(task)
    (workplace / "raw" / "d.txt").write_bytes(b"\xff\xfe\xff")
    next_run()
    assert not build(task)
    assert [document.id for document in read_parts(task.folder, Document)] == ["a", "b", "c"]
    assert not task.complete()


def test_a_run_with_nothing_to_do_still_sweeps(task, workplace):
    (stage,) = plan(Path("tiny.toml"))
    build_all([stage])
    for leftover in (".checksums.json.1.tmp", ".Documents-texts.retired/part-00000.parquet", ".Documents-texts.0a/x"):
        path = stage.run_folder / leftover
        path.parent.mkdir(exist_ok=True)
        path.touch()
    build_all([stage])
    left = sorted(path.name for path in stage.run_folder.iterdir())
    assert left == [".checksums.json", ".code.json", ".lock", "Documents-texts"]


def test_every_setting_but_the_inputs_is_in_the_fingerprint():
    """A new setting must be told apart here, or parts made with another value would be taken for done."""
    other = {
        "format": "text",
        "encoding": "latin-1",
        "catalog": Catalog(ids=[1]),
        "columns": Columns(text="body"),
        "shards": 3,
        "largest_document": 200,
    }
    assert {field.name for field in dataclasses.fields(CorpusSettings)} == {*other, "inputs"}
    for name, value in other.items():
        settings = dataclasses.replace(CorpusSettings(inputs=[Input("raw")]), **{name: value})
        with_it = Documents(config="c.toml", corpus="x")
        fingerprinted = fingerprinted_settings_of(with_it, settings)
        assert fingerprinted != fingerprinted_settings_of(with_it, CorpusSettings(inputs=[Input("raw")])), name
        assert "inputs" not in fingerprinted


def fingerprinted_settings_of(task, settings):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Documents, "settings", settings)
        return task.deciding()


def test_parts_of_other_settings_are_not_gone_on_with(task, workplace, change):
    (workplace / "raw" / "c.txt").write_bytes(b"\xff")  # In the second of two parts: the first is finished and kept.
    assert not build(task)
    assert list((workplace / "output" / "tiny").glob(".Documents-texts.*/part-00000.parquet"))
    (workplace / "raw" / "c.txt").write_text("This is the text of c.\n")
    change("shards = 2", "shards = 1")
    assert build(task)
    assert [document.id for document in read_parts(task.folder, Document)] == ["a", "b", "c"]
    assert len(list(task.folder.glob("part-*"))) == 1


def test_a_run_killed_while_it_finishes_makes_no_part_again(task, workplace, monkeypatch):
    """To hash the parts of a large corpus takes minutes; the hours before them must not be lost there."""

    def killed(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("gapforge_tasks.base.finish", killed)
        task.run()
    (working,) = (workplace / "output" / "tiny").glob(".Documents-texts.*")
    made = {path.name: path.stat().st_mtime_ns for path in working.glob("part-*")}
    assert len(made) == 2
    assert build(task)
    assert {path.name: path.stat().st_mtime_ns for path in task.folder.glob("part-*")} == made
    assert not list(task.folder.glob(".*"))


def test_a_stray_part_makes_a_stage_stale(task):
    assert build(task)
    (task.folder / "part-00007.parquet").write_bytes((task.folder / "part-00000.parquet").read_bytes())
    assert task.why_stale() == "part-00007.parquet was added after it was built"
    assert build(task)
    assert read_manifest(task.folder).rows == 3
    assert not (task.folder / "part-00007.parquet").exists()


def test_an_input_that_changes_while_it_is_read_stops_the_stage(task, workplace, monkeypatch):
    write = Documents.write

    def write_and_edit(stage, folder):
        write(stage, folder)
        (workplace / "raw" / "a.txt").write_text("Edited.")

    monkeypatch.setattr(Documents, "write", write_and_edit)
    with pytest.raises(InputError, match="an input changed before it was read; run again"):
        task.run()
    assert not list((workplace / "output" / "tiny").glob("*Documents*"))


def test_parts_of_another_state_of_the_inputs_are_thrown_away(raw_folder, tmp_path):
    """Also where the contents are the same again in the end, as after a repair during an interruption."""
    settings = CorpusSettings(inputs=[Input(str(raw_folder / "raw"))])
    folder = tmp_path / "working"
    folder.mkdir()
    with pytest.raises(KeyboardInterrupt), held_still(folder, settings):
        (folder / "part-00000.parquet").touch()
        raise KeyboardInterrupt
    with held_still(folder, settings):
        assert [path.name for path in sorted(folder.iterdir())] == [".inputs.json", "part-00000.parquet"]
    (raw_folder / "raw" / "a.txt").write_text("x" * 10)  # The same contents, written anew.
    with pytest.raises(InputError, match="an input changed while it was read; run again"), held_still(folder, settings):
        assert [path.name for path in folder.iterdir()] == [".inputs.json"]
        (raw_folder / "raw" / "a.txt").write_text("x" * 10)
    assert not folder.exists()


def test_the_sample_gives_the_documents_it_gave():
    found = {}
    for corpus in ("encyclopedia", "fiction"):
        settings = Documents(corpus=corpus).found
        digest = hashlib.sha256()
        for shard in plan_shards(settings):
            for item in documents_of(shard, settings):
                digest.update(json_line(item).encode())
        found[corpus] = digest.hexdigest()[:16]
    assert found == GOLDEN


class Counted(Stage):
    """A stage made in one piece of the records of another."""

    record = Document
    makes = "own_stage:first_two"

    def requires(self):
        return {"documents": [self.clone(Documents, corpus="texts")]}


OWN_STAGE = """
from gapforge.records import Note

def first_two(documents, config_is_not_given="default"):
    yield from list(documents)[:2]
    yield Note(f"two of {len(list(documents))}, {config_is_not_given}")
"""


def test_a_stage_follows_its_upstream_and_its_code(workplace, change, monkeypatch, next_run):
    (workplace / "own_stage.py").write_text(OWN_STAGE, "utf-8")
    monkeypatch.syspath_prepend(workplace)
    task = Counted(config="tiny.toml")
    assert build(task)
    manifest = read_manifest(task.folder)
    assert (manifest.rows_in, manifest.rows) == (3, 2)
    assert read_notes(task.folder) == ["two of 3, default"]
    assert list(manifest.identity.upstream) == ["Documents-texts"]
    (workplace / "own_stage.py").write_text(OWN_STAGE.replace("[:2]", "[:1]"), "utf-8")
    next_run()
    assert task.why_stale() == "code changed: own_stage.py"
    (workplace / "own_stage.py").write_text(f"# A comment decides nothing.\n{OWN_STAGE}", "utf-8")
    next_run()
    assert task.complete()
    change("shards = 2", "shards = 1")
    assert task.why_stale() == "stage Documents-texts changed"


def test_a_stage_needs_the_lock(task, workplace, monkeypatch):
    import fcntl

    (workplace / "output" / "tiny").mkdir(parents=True)
    with (workplace / "output" / "tiny" / ".lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(LockedError, match="is being built by another process"):
            task.run()
