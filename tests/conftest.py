"""Factories and places that the tests share."""

import dataclasses
import fcntl
import os
import shutil
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from subprocess import CompletedProcess

import luigi
import pytest

from commandline import call_as_process, call_in_process
from gapforge.nlp.reading import DEFAULT_MODEL, load_model
from gapforge.plugins import search_in
from gapforge.records import Document, Section
from gapforge_tasks.base import begin_run, remembered_checksums
from gapforge_tasks.runs import build, plan
from reference import PUBLISHED, STAND_IN, Reference

pytest_plugins = ["tiers"]

ROOT = Path(__file__).parents[1]


# What comes after documents needs people, and a model.
DOCUMENTS_ONLY = "[candidates]\ngap = []\ncounter_gap = []\n"
TINY = f'{DOCUMENTS_ONLY}[corpora.texts]\ninputs = [{{ path = "raw" }}]\nshards = 2\n'

LEAN_STORIES = ("gutenberg-999002", "gutenberg-999014")
LEAN_SETTINGS = [
    ('counter_gap = ["../samples/referents.tsv"]', 'counter_gap = ["../samples/few.tsv"]'),
    ("include = true", "include = false"),
]
LEAN_EVALUATION = '[evaluation]\nresolvers = ["token-distance"]\nresamples = 1000\n'

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


def forget() -> None:
    """What a process reads or is given once: config, plug-ins, state of inputs, checksums, number of workers."""
    search_in()
    begin_run()
    remembered_checksums.cache_clear()
    luigi.configuration.get_config().remove_section("Machine")


@pytest.fixture(scope="session", autouse=True)
def model():
    """The model that most tests need is loaded once in each of several processes, at the cost of no test."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        load_model(DEFAULT_MODEL)


@pytest.fixture(scope="module", autouse=True)
def fresh_module():
    """What a module builds once for all its tests comes before their own fresh runs."""
    forget()


@pytest.fixture(autouse=True)
def fresh_run():
    forget()


name_of = attrgetter("name")


@pytest.fixture(scope="module", params=[STAND_IN, PUBLISHED], ids=name_of)
def reference(request) -> Reference:
    """Files in published forms: the stand-ins, and the published ones where they are beside the project."""
    return request.param


@pytest.fixture(scope="module", params=[STAND_IN, pytest.param(PUBLISHED, marks=pytest.mark.corpus)], ids=name_of)
def whole_reference(request) -> Reference:
    """The same where a test reads so much that the published files are for the tier `corpus`."""
    return request.param


@pytest.fixture(scope="session")
def documents_only() -> str:
    """The section of a config whose run ends with documents."""
    return DOCUMENTS_ONLY


@pytest.fixture
def next_run():
    """Call it where a test goes on as another run would."""
    return forget


def built_once(tmp_path_factory, name: str, prepare: Callable[[Path], None], workers: int) -> Path:
    """A folder that `prepare` fills and in which config/sample.toml is built, once for all processes of the tests."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # which the processes have in common
    folder, unfinished = base / name, base / f"{name}.unfinished"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            shutil.rmtree(unfinished, ignore_errors=True)
            prepare(unfinished)
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(unfinished)
                forget()
                build(plan(Path("config/sample.toml"), workers=workers))
            forget()
            unfinished.rename(folder)
    return folder


@pytest.fixture(scope="session")
def built_sample(tmp_path_factory) -> Path:
    """A folder with config/sample.toml, samples/ and output/sample/: the embedded sample, built by two processes.

    It takes most of a minute, so there is one for all tests. Nothing may be changed in it; what a test changes is its
    `sample_copy`.
    """

    def prepare(folder: Path) -> None:
        shutil.copytree(ROOT / "resources" / "samples", folder / "samples")
        (folder / "config").mkdir()
        shutil.copy(ROOT / "resources" / "config" / "sample.toml", folder / "config")

    return built_once(tmp_path_factory, "built-sample", prepare, workers=2)


@pytest.fixture(scope="session")
def lean_sample(built_sample, tmp_path_factory) -> Path:
    """The sample as far as candidates and quadruples, then little: two stories judged, no WinoBias, one resolver.

    For tests that build a release and its evaluation again.
    """

    def prepare(folder: Path) -> None:
        shutil.copytree(built_sample, folder)
        header, *lines = (folder / "samples" / "referents.tsv").read_text("utf-8").splitlines(keepends=True)
        few = [header, *(line for line in lines if line.startswith(LEAN_STORIES))]
        (folder / "samples" / "few.tsv").write_text("".join(few), "utf-8")
        config = folder / "config" / "sample.toml"
        text = config.read_text("utf-8")
        for old, new in LEAN_SETTINGS:
            assert old in text
            text = text.replace(old, new)
        config.write_text(f"{text}\n{LEAN_EVALUATION}", "utf-8")

    return built_once(tmp_path_factory, "lean-sample", prepare, workers=1)


def copied(sample: Path, tmp_path: Path, monkeypatch) -> Path:
    folder = tmp_path / "sample"
    shutil.copytree(sample, folder)
    monkeypatch.chdir(folder)
    forget()
    return folder


@pytest.fixture
def sample_copy(built_sample, tmp_path, monkeypatch) -> Path:
    """A copy of the built sample of a test's own, which is the working directory; all of it is up to date."""
    return copied(built_sample, tmp_path, monkeypatch)


@pytest.fixture
def lean_copy(lean_sample, tmp_path, monkeypatch) -> Path:
    """The same of the lean sample."""
    return copied(lean_sample, tmp_path, monkeypatch)


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
def gapforge() -> Callable[..., CompletedProcess[str]]:
    """Call the command line in this process: `gapforge("run", "tiny.toml", input="...", cwd=folder)`.

    What a test sets in the environment counts where the command reads it when it needs it. What is read when Python
    starts, or when a library is loaded, needs `gapforge_process`.
    """

    def call(*arguments: object, **options) -> CompletedProcess[str]:
        return call_in_process(list(map(str, arguments)), forget, **options)

    return call


@pytest.fixture
def gapforge_process() -> Callable[..., CompletedProcess[str]]:
    """Call the installed command, for what is about processes; it takes the options of `subprocess.run`."""

    def call(*arguments: object, **options) -> CompletedProcess[str]:
        return call_as_process(list(map(str, arguments)), **options)

    return call
