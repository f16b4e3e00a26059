import json
import os
import subprocess
import sys

import pytest

from gapforge.errors import ConfigError
from gapforge.records import Reject, Span
from gapforge.storage import files
from gapforge.storage.files import (
    Checksums,
    atomic_file,
    check_apart,
    is_alive,
    open_outputs,
    publish_folder,
    sha256_of,
    sweep,
    sweep_all,
    write_text,
)

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_whole(tmp_path):
    with atomic_file(tmp_path / "a") as temporary:
        temporary.write_text("new")
        assert names(tmp_path) == [f".a.{os.getpid()}.tmp"]
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "new"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    write_text(tmp_path / "a", "old")
    with pytest.raises(RuntimeError, match="half way"), atomic_file(tmp_path / "a") as temporary:
        temporary.write_text("half")
        raise RuntimeError("half way")
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_sweep_takes_what_the_dead_left_and_nothing_else(tmp_path):
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True)
    for name in (f".a.{gone.stdout.strip()}.tmp", f".a.{os.getpid()}.tmp", ".a.b.tmp", "a.tmp", ".hidden"):
        (tmp_path / name).touch()
    sweep(tmp_path, "a")
    assert names(tmp_path) == [f".a.{os.getpid()}.tmp", ".a.b.tmp", ".hidden", "a.tmp"]


def test_sweep_all_takes_every_temporary_file_below(tmp_path):
    (tmp_path / "_rejects").mkdir()
    for name in (f".a.{os.getpid()}.tmp", "_rejects/.b.1.tmp", "_rejects/b", ".lock"):
        (tmp_path / name).touch()
    sweep_all(tmp_path)
    assert names(tmp_path) == [".lock", "_rejects"]
    assert names(tmp_path / "_rejects") == ["b"]


def test_a_process_that_has_ended_is_not_alive():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert is_alive(process.pid)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # It has ended, and nobody has collected it.
        assert not is_alive(process.pid)
    assert not is_alive(process.pid)


def test_a_folder_takes_the_place_of_the_old_one(tmp_path):
    for name, text in (("work", "new"), ("final", "old")):
        (tmp_path / name).mkdir()
        write_text(tmp_path / name / "a", text)
    write_text(tmp_path / "final" / "only-old", "")
    publish_folder(tmp_path / "work", tmp_path / "final")
    assert names(tmp_path) == ["final"]
    assert names(tmp_path / "final") == ["a"]
    assert (tmp_path / "final" / "a").read_text() == "new"


def test_checksums_are_remembered_until_the_file_changes(tmp_path, monkeypatch):
    file = tmp_path / "a"
    file.touch()
    first = Checksums(tmp_path / "memory.json")
    assert first.of(file) == sha256_of(file) == EMPTY
    first.save()
    hashed = []
    monkeypatch.setattr(files, "sha256_of", lambda path: hashed.append(path.name) or "hashed again")
    second = Checksums(tmp_path / "memory.json")
    assert second.of(file) == EMPTY
    file.write_text("x")
    os.utime(file, ns=(0, 0))  # Times can be set back; the inode's own time cannot.
    assert second.of(file) == "hashed again"
    assert hashed == ["a"]


@pytest.mark.parametrize("memory", ["{", "[]", '{"x": 3}', "null", '{"x": [1, 2, 3]}'])
def test_a_damaged_memory_of_checksums_is_no_harm(tmp_path, memory):
    (tmp_path / "memory.json").write_text(memory)
    (tmp_path / "a").touch()
    assert Checksums(tmp_path / "memory.json").of(tmp_path / "a") == EMPTY


def test_no_file_is_both_read_and_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_apart(["a.txt", "b.txt"], [tmp_path / "c.txt"])
    with pytest.raises(ConfigError, match=r"^x/\.\./b\.txt: is both input and output; write to another file$"):
        check_apart(["a.txt", "x/../b.txt"], [tmp_path / "c.txt", tmp_path / "b.txt"])


def test_records_and_rejects_are_parted_and_counted(tmp_path):
    with open_outputs(tmp_path / "spans.jsonl", Span, tmp_path / "rejects.jsonl") as written:
        for item in (Span(1, 2), Reject("r-1", "odd", ""), Span(3, 4), Reject("r-2", "odd", "")):
            written.take(item)
        assert names(tmp_path) == [f".rejects.jsonl.{os.getpid()}.tmp", f".spans.jsonl.{os.getpid()}.tmp"]
    assert (written.records, written.rejects) == (2, {"odd": 2})
    assert (tmp_path / "spans.jsonl").read_text() == '{"start": 1, "end": 2}\n{"start": 3, "end": 4}\n'
    assert [json.loads(line)["id"] for line in (tmp_path / "rejects.jsonl").read_text().splitlines()] == ["r-1", "r-2"]


def test_rejects_without_a_file_are_counted(tmp_path):
    with open_outputs(tmp_path / "spans.jsonl", Span, None) as written:
        written.take(Reject("r-1", "odd", ""))
    assert (written.records, written.rejects, names(tmp_path)) == (0, {"odd": 1}, ["spans.jsonl"])
