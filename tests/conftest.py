"""Factories and places that the tests share."""

import dataclasses
import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from gapforge.config import read_config
from gapforge.plugins import forget_all, search_in
from gapforge.records import Document, Section
from gapforge_tasks.base import known_identity
from gapforge_tasks.runs import build, plan

ROOT = Path(__file__).parents[1]


# What comes after documents needs people, and a model.
DOCUMENTS_ONLY = "[candidates]\ngap = []\ncounter_gap = []\n"
TINY = f'{DOCUMENTS_ONLY}[corpora.texts]\ninputs = [{{ path = "raw" }}]\nshards = 2\n'


PROGRESS = re.compile(r"^[\w-]+: \d+ of \d+ \w+, [\d,]+ \w+, [\d,]+ a second\n", re.MULTILINE)

# Modules that have all of GAP parsed, which takes a minute, and is remembered within a process.
PARSING = {f"tests/test_systems_{name}.py" for name in ("antecedents", "ranker", "cues")}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Where tests are spread by file: those that parse the same are kept in one process too."""
    if config.option.dist != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            module = super()._split_scope(nodeid)
            return "all of GAP" if module in PARSING else module

    return Together(config, log)


def pytest_collection_modifyitems(config, items):
    """Where tests are spread over processes, the quick modules come last, so that the processes end together.

    Of the slow ones, those of whole runs take longest, and are at the end of the alphabet. While the first of them
    builds the sample, another process parses all of GAP, lest it wait for the sample too.
    """
    if hasattr(config, "workerinput"):
        modules = list(dict.fromkeys(item.path for item in items))
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        runs = [path for path in reversed(modules) if path in slow]
        parsing = [path for path in modules if path.relative_to(ROOT).as_posix() in PARSING]
        first = list(dict.fromkeys([*runs[:1], *parsing, *runs]))
        order = {path: n for n, path in enumerate([*first, *(path for path in modules if path not in slow)])}
        items.sort(key=lambda item: order[item.path])


def forget() -> None:
    """What a run reads once: its config, plug-ins and the state of its inputs. Each test is a run or several."""
    search_in()
    forget_all()
    read_config.cache_clear()
    known_identity.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def fresh_module():
    """What a module builds once for all its tests comes before their own fresh runs."""
    forget()


@pytest.fixture(autouse=True)
def fresh_run():
    forget()


@pytest.fixture(scope="session")
def documents_only() -> str:
    """The section of a config whose run ends with documents."""
    return DOCUMENTS_ONLY


@pytest.fixture
def next_run():
    """Call it where a test goes on as another run would."""
    return forget


@pytest.fixture(scope="session")
def built_sample(tmp_path_factory) -> Path:
    """A folder with config/sample.toml, samples/ and output/sample/: the embedded sample, built by two processes.

    It takes most of a minute, so there is one for all tests, also where they are spread over processes. Nothing may be
    changed in it; what a test changes is its `sample_copy`.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # which the processes have in common
    folder, unfinished = base / "built-sample", base / "built-sample.unfinished"
    with (base / "built-sample.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(ROOT / "resources" / "samples", unfinished / "samples")
            (unfinished / "config").mkdir()
            shutil.copy(ROOT / "resources" / "config" / "sample.toml", unfinished / "config")
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(unfinished)
                forget()
                build(plan(Path("config/sample.toml"), workers=2))
            forget()
            unfinished.rename(folder)
    return folder


@pytest.fixture
def sample_copy(built_sample, tmp_path, monkeypatch) -> Path:
    """A copy of the built sample of a test's own, which is the working directory; all of it is up to date."""
    folder = tmp_path / "sample"
    shutil.copytree(built_sample, folder)
    monkeypatch.chdir(folder)
    forget()
    return folder


@pytest.fixture
def make_document() -> Callable[..., Document]:
    text = "Ann met Bo.\n\nShe left."
    base = Document("d-1", "Meeting", "A. Writer", "https://example.org/d-1", text, [Section("", 0, 0, len(text))])
    return lambda **changes: dataclasses.replace(base, **changes)


@pytest.fixture
def raw_folder(tmp_path) -> Path:
    """Six files of different sizes, two of them below a folder, one hidden."""
    sizes = {"b.txt": 40, "a.txt": 10, "sub/c.txt": 30, "sub/d.txt": 20, ".hidden.txt": 5, "e.png": 9}
    for name, size in sizes.items():
        path = tmp_path / "raw" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x" * size)
    return tmp_path


@pytest.fixture
def workplace(tmp_path, monkeypatch) -> Path:
    """An empty folder to run in, with three raw text files of two shards beside a config that ends with documents."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw").mkdir()
    for name in ("a", "b", "c"):
        (tmp_path / "raw" / f"{name}.txt").write_text(f"This is the text of {name}.\n", "utf-8")
    (tmp_path / "tiny.toml").write_text(TINY, "utf-8")
    return tmp_path


@pytest.fixture
def gapforge() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the real command in a process of its own; what it says to standard error is without lines of progress.

    Those come where a step takes more than a few seconds, as each does on a busy machine.
    """
    command = Path(sys.executable).parent / "gapforge"

    def call(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)
        done.stderr = PROGRESS.sub("", done.stderr)
        return done

    return call
