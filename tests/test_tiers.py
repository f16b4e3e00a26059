"""The tiers of the tests themselves: what runs by default, and what a test may cost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
MODULE = """
import subprocess, sys, time
import pytest

def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

@pytest.fixture(scope="module")
def shared():
    busy(0.6)

@pytest.fixture
def own():
    busy(0.6)

def test_that_computes():
    busy(0.6)

def test_whose_fixture_computes(own):
    pass

def test_whose_process_computes():
    program = "import time\\nwhile time.process_time() < 0.6: pass"
    subprocess.run([sys.executable, "-c", program], check=True)

def test_that_waits():
    time.sleep(0.7)

def test_that_pays_for_the_module(shared):
    pass

@pytest.mark.corpus
def test_of_another_tier():
    busy(0.6)
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run the module with a limit of half a second, and give the outcome by test."""
    folder = tmp_path_factory.mktemp("tiers")
    (folder / "test_it.py").write_text(MODULE, "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    corpus: it\n", "utf-8")

    def call(*arguments):
        command = [sys.executable, "-m", "pytest", "-p", "tiers", "-p", "no:cacheprovider"]
        alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "COLUMNS": "300"}
        environment = {**os.environ, **alone, "PYTHONPATH": str(TESTS)}
        result = subprocess.run(
            [*command, "-rA", "--cpu-limit=0.5", *arguments],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        lines = [line for line in result.stdout.splitlines() if "test_it.py::" in line]
        return {line.partition("::")[2].split(" ")[0]: line for line in lines}

    return call


@pytest.fixture(scope="module")
def default(run):
    return run()


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("test_that_computes", "FAILED"),
        ("test_whose_fixture_computes", "FAILED"),
        ("test_whose_process_computes", "FAILED"),
        ("test_that_waits", "PASSED"),
        ("test_that_pays_for_the_module", "PASSED"),
    ],
)
def test_a_test_of_the_default_tier_may_not_need_more_than_its_limit(default, name, outcome):
    assert default[name].startswith(outcome)
    assert ("CPU seconds, and a test of the default tier may need 0.5" in default[name]) == (outcome == "FAILED")


def test_a_test_of_another_tier_is_left_out(default):
    assert len(default) == 5


@pytest.mark.parametrize("chosen", [["--all", "-k", "tier"], ["-m", "corpus"], ["test_it.py::test_of_another_tier"]])
def test_a_test_of_another_tier_runs_where_it_is_asked_for_and_may_need_more(run, chosen):
    found = run(*chosen)
    assert list(found) == ["test_of_another_tier"]
    assert found["test_of_another_tier"].startswith("PASSED")
