import dataclasses
import json
from pathlib import Path

import pytest

from gapforge.engine.identity import CodeIdentity, Identity
from gapforge.engine.parts import count_rows, finish, read_manifest, read_parts, why_stale, write_notes, write_part
from gapforge.records import Document, Reject
from gapforge.storage.files import Checksums, read_checked_json, write_checked_json
from gapforge.storage.tables import read_records

INPUTS = {"a.txt": "11", "b.txt": "22"}
CODE = CodeIdentity({"gapforge/corpora/epub.py": "1"}, {"lexicons/names.toml": "1"}, {"spacy": "3.8.7"})
IDENTITY = Identity("Documents-x", {"shards": 2, "format": "auto"}, INPUTS, {"Up": "u"}, CODE, {"model": "md 3.7"})


@pytest.fixture
def folder(tmp_path, make_document):
    """A finished stage of two parts with three documents and two rejects."""
    items = [make_document(id="1"), Reject("2", "empty", "b.txt"), make_document(id="3"), Reject("4", "redirect", "")]
    ticks = []
    assert write_part(tmp_path / "part-00000.parquet", Document, items, ticks.append) == 2
    assert ticks == [1, 2]
    write_part(
        tmp_path / "part-00001.parquet", Document, [make_document(id="5"), Reject("6", "empty", "")], ticks.append
    )
    finish(tmp_path, IDENTITY, count_rows(tmp_path), None, 1.23456, 7 << 20, checksums(tmp_path))
    return tmp_path


def checksums(folder):
    return Checksums(folder.parent / "checksums.json")


def test_records_and_rejects_lie_apart(folder):
    assert [document.id for document in read_parts(folder, Document)] == ["1", "3", "5"]
    rejects = list(read_records(folder / "_rejects" / "part-00000.parquet", Reject))
    assert rejects == [Reject("2", "empty", "b.txt"), Reject("4", "redirect", "")]


def test_the_manifest_counts_the_files(folder):
    manifest = read_manifest(folder)
    assert (manifest.rows_in, manifest.rows, manifest.rejects) == (6, 3, {"empty": 2, "redirect": 1})
    assert (manifest.seconds, manifest.memory) == (1.235, 7 << 20)
    assert manifest.fingerprint == IDENTITY.fingerprint
    assert manifest.bytes == sum(path.stat().st_size for path in folder.rglob("*.parquet"))
    assert {"gapforge", "python", "pyarrow"} <= manifest.versions.keys()


def test_the_folder_is_a_table_to_others(folder):
    import pandas

    assert list(pandas.read_parquet(folder)["id"]) == ["1", "3", "5"]


def test_nothing_is_stale_that_is_unchanged(folder):
    assert why_stale(folder, IDENTITY, checksums(folder)) == ""


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"models": {}}, "model md 3.7 -> none"),
        ({"code": dataclasses.replace(CODE, code={"gapforge/corpora/epub.py": "2"})}, "code changed: corpora/epub.py"),
        ({"code": dataclasses.replace(CODE, data={})}, "data removed: lexicons/names.toml"),
        ({"code": dataclasses.replace(CODE, packages={"spacy": "3.8.8"})}, "package spacy 3.8.7 -> 3.8.8"),
        ({"settings": {"shards": 4, "format": "auto"}}, "setting shards: 2 -> 4"),
        ({"inputs": {"a.txt": "11", "b.txt": "33"}}, "input b.txt changed"),
        ({"inputs": {"a.txt": "11"}}, "input b.txt removed"),
        ({"inputs": {"b.txt": "22", "a.txt": "11"}}, "the order of its inputs changed"),
        ({"inputs": INPUTS | {"c.txt": "1"}}, "input c.txt added"),
        ({"upstream": {"Up": "v"}}, "stage Up changed"),
        ({"models": {}, "upstream": {}}, "model md 3.7 -> none; stage Up removed"),
    ],
)
def test_a_change_of_identity_is_named(folder, change, reason):
    assert why_stale(folder, dataclasses.replace(IDENTITY, **change), checksums(folder)) == reason


def test_edited_truncated_and_lost_files_are_named(folder):
    path = folder / "part-00001.parquet"
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert why_stale(folder, IDENTITY, checksums(folder)) == "part-00001.parquet was changed after it was built"
    path.write_bytes(data[:-1])
    assert why_stale(folder, IDENTITY, checksums(folder)) == "part-00001.parquet was changed after it was built"
    path.unlink()
    assert why_stale(folder, IDENTITY, checksums(folder)) == "part-00001.parquet is missing"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "{}", '{"files": 3}', json.dumps({"files": {}, "identity": {}}), '{"rows": "x"}']
)
def test_a_damaged_manifest_is_no_manifest(folder, text):
    (folder / "_manifest.json").write_text(text)
    assert read_manifest(folder) is None
    assert why_stale(folder, IDENTITY, checksums(folder)) == "its manifest is missing or damaged"


@pytest.mark.parametrize(("old", "new"), [('"rows": 3', '"rows": 4'), ('"seconds": 1.235', '"seconds": 1.335')])
def test_a_manifest_with_another_figure_is_no_manifest(folder, old, new):
    """Nothing else tells that it was changed: figures of the manifest stand in the card and the report."""
    path = folder / "_manifest.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert read_manifest(folder) is None


def test_a_manifest_with_a_figure_that_is_none_is_no_manifest(folder):
    """Its own checksum fits, as after an edit by somebody who knows how to write it."""
    values = read_checked_json(folder / "_manifest.json")
    write_checked_json(folder / "_manifest.json", values)
    assert read_manifest(folder) is not None
    write_checked_json(folder / "_manifest.json", values | {"rows": "x"})
    assert read_manifest(folder) is None


def test_changed_notes_are_named(folder):
    write_notes(folder, ["3 of 6 documents"])
    finish(folder, IDENTITY, count_rows(folder), None, 1.0, 1, checksums(folder))
    assert why_stale(folder, IDENTITY, checksums(folder)) == ""
    write_notes(folder, ["4 of 6 documents"])
    assert why_stale(folder, IDENTITY, checksums(folder)) == "_notes.txt was changed after it was built"


def test_a_stage_that_was_never_built_is_missing(tmp_path):
    assert why_stale(tmp_path / "none", IDENTITY, checksums(tmp_path)) == "missing"


def test_a_part_appears_after_its_rejects(tmp_path, make_document, monkeypatch):
    """The part marks the shard as done: rejects that came later could be lost to a crash between the two."""
    placed = []
    replace = Path.replace

    def note(self, target):
        placed.append(Path(target).relative_to(tmp_path).as_posix())
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", note)
    write_part(tmp_path / "part-00000.parquet", Document, [make_document()], lambda rows: None)
    assert placed == ["_rejects/part-00000.parquet", "part-00000.parquet"]
