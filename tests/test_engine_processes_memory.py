"""Peaks of memory are a stage's own: set back at its start, workers counted, an earlier stage not."""

import subprocess
import sys
from pathlib import Path

import pytest

from gapforge.engine import Engine, processes, run_shards

MEBIBYTE = 1 << 20

linux = pytest.mark.skipif(not processes.STATUS.exists(), reason="needs /proc, where a peak can be set back")


def run(code):
    """The memory that a fresh process prints."""
    command = [sys.executable, "-c", f"from gapforge.engine import processes as memory\n{code}\nprint(memory.peak())"]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@linux
def test_what_was_given_back_before_the_start_does_not_count():
    spent = "held = bytearray(200 << 20); del held"
    kept = run(f"memory.begin()\n{spent}")
    before = run(f"{spent}\nmemory.begin()")
    assert kept > 200 * MEBIBYTE
    assert before < 150 * MEBIBYTE


@linux
def test_a_process_is_not_charged_with_its_parent_s_memory():
    held = bytearray(300 << 20)
    found = run("memory.begin()")
    assert found < 150 * MEBIBYTE < len(held)


def write_much(shard, path, tick):
    held = bytearray(shard * MEBIBYTE)
    path.write_bytes(b"x")
    return len(held) // MEBIBYTE


@pytest.mark.process
@linux
def test_the_largest_worker_counts(tmp_path):
    processes.begin()
    idle = processes.peak()  # of a process that has run many tests
    more = idle // MEBIBYTE + 300
    run_shards(write_much, [1, more, 2], tmp_path, Engine(workers=2), lambda parts, rows: None)
    assert processes.peak() > more * MEBIBYTE
    processes.begin()
    assert processes.peak() < more * MEBIBYTE


def test_without_proc_the_peak_of_the_process_s_life_is_told(monkeypatch):
    monkeypatch.setattr(processes, "STATUS", Path("/nonexistent"))
    monkeypatch.setattr(processes, "SET_BACK", Path("/nonexistent/too"))
    processes.begin()
    assert processes.peak() > MEBIBYTE
