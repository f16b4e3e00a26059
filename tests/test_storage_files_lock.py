import subprocess
import sys

import pytest

from gapforge.errors import LockedError
from gapforge.storage.files import run_lock

HOLD = """
import sys
from pathlib import Path
from gapforge.storage.files import run_lock
with run_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(folder):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    return process


def test_the_holder_is_named(tmp_path):
    with hold(tmp_path) as other:
        named = f"is being built by process {other.pid} on .*; wait for it, or stop it"
        with pytest.raises(LockedError, match=named), run_lock(tmp_path):
            pass
        other.stdin.close()
    with run_lock(tmp_path):
        pass


def test_the_lock_dies_with_its_process(tmp_path):
    with hold(tmp_path) as other:
        other.kill()
    with run_lock(tmp_path), run_lock(tmp_path):  # Once more within the same process is fine.
        pass
