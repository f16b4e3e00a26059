import os
import pty
import re
import subprocess
import sys

import pytest

from gapforge import progress

STEP = """
from gapforge.progress import progress
with progress("Documents-x", 4, "parts", "documents") as report:
    for n in range(5):
        report(n, 1000 * n)
"""


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets by hand."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_log_gets_a_plain_line_every_few_seconds(clock, capsys):
    with progress.progress("Documents-x", 4, "parts", "documents") as report:
        for second in range(12):
            clock[0] = 100.0 + second
            report(second // 3, 1000 * second)
    assert capsys.readouterr().err.splitlines() == [
        "Documents-x: 1 of 4 parts, 5,000 documents, 1,000 a second",
        "Documents-x: 3 of 4 parts, 10,000 documents, 1,000 a second",
    ]


def test_a_short_step_says_nothing_to_a_log(capsys):
    with progress.progress("Documents-x", 1, "parts") as report:
        report(1, 10)
    assert capsys.readouterr().err == ""


def test_a_terminal_gets_a_bar():
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    subprocess.run([sys.executable, "-c", STEP], stderr=theirs, env=environment, check=True)
    os.close(theirs)
    shown = b""
    try:
        while block := os.read(ours, 4096):
            shown += block
    except OSError:  # The other end is closed.
        pass
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert "Documents-x" in text
    assert "4/4 parts" in text
    assert "4,000 documents" in text
