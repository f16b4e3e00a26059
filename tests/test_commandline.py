"""What the tests rely on: a call in process says what the installed command says, and leaves nothing behind."""

import os
import signal
import sys
import tempfile
from pathlib import Path

import luigi
import pytest

CALLS = [
    [],
    ["--help"],
    ["run", "--help"],
    ["run", "--wrokers", "2"],
    ["nonsense"],
    ["documents", "raw", "-o", "out.csv"],
    ["documents", "raw", "-o", "out.jsonl", "--largest-document", "0"],
    ["status", "tiny.toml"],
    ["audit", "lost.tsv"],
]


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
def test_a_call_in_process_says_what_the_command_says(gapforge, gapforge_process, workplace, arguments):
    here, there = gapforge(*arguments), gapforge_process(*arguments)
    assert (here.returncode, here.stdout, here.stderr) == (there.returncode, there.stdout, there.stderr)
    assert here.stdout + here.stderr


def state_of_process():
    streams = sys.stdin, sys.stdout, sys.stderr, *(os.fstat(number).st_ino for number in (0, 1, 2))
    handlers = sys.excepthook, signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    machine = luigi.configuration.get_config().has_section("Machine")
    return streams, handlers, sys.argv, dict(os.environ), Path.cwd(), tempfile.tempdir, machine


@pytest.mark.parametrize("arguments", [["status", "tiny.toml"], ["run", "lost.toml"], ["nonsense"]], ids=" ".join)
def test_a_call_leaves_nothing_behind(gapforge, workplace, tmp_path_factory, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    before = state_of_process()
    gapforge(*arguments, cwd=workplace)
    assert state_of_process() == before


def test_the_next_call_sees_what_has_changed(gapforge, workplace):
    def why_stale():
        return gapforge("status", "tiny.toml").stdout

    assert "missing" in why_stale()
    (workplace / "tiny.toml").write_text("[corprora.texts]", "utf-8")
    assert gapforge("status", "tiny.toml").stderr.startswith("gapforge: tiny.toml: no stage reads [corprora]")


def test_what_is_written_past_python_is_caught(gapforge, workplace, monkeypatch):
    """As worker processes and libraries in C write."""
    (workplace / "loud.py").write_text("import os\nos.write(1, b'out')\nos.write(2, b'heard ')\n", "utf-8")
    (workplace / "rows.tsv").touch()
    monkeypatch.syspath_prepend(workplace)
    monkeypatch.delitem(sys.modules, "loud", raising=False)
    result = gapforge("subjective", "rows.tsv", "-o", "o.tsv", "--transfer", "loud:nothing")
    assert (result.returncode, result.stdout) == (2, "out")
    assert result.stderr.startswith("heard gapforge: [subjectivity] transfer: cannot load 'loud:nothing'")
