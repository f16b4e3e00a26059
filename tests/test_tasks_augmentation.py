"""Augmented CoNLL files as a stage: a config of nothing else, and what makes it stale."""

import json
import shutil
from pathlib import Path

import pytest

from gapforge.engine.parts import read_manifest, read_notes
from gapforge.errors import ConfigError, StageError
from gapforge.storage.conll import read_documents
from gapforge_tasks.runs import build, plan

SAMPLE = Path(__file__).parents[1] / "resources" / "samples" / "training.conll"
CONFIG = Path("config/run.toml")
FOLDER = Path("output/run/AugmentedCorpus")
TEXT = "#begin document (x); part 000\nx 0 0 {} (1)\n\n#end document\n"


@pytest.fixture
def configure(tmp_path, monkeypatch, next_run):
    """Write the config's one section, and go on as the next run; data/ holds two files to augment."""
    monkeypatch.chdir(tmp_path)
    Path("config").mkdir()
    Path("data").mkdir()
    shutil.copy(SAMPLE, "data/train.v4_gold_conll")
    Path("data/small.conll").write_text(TEXT.format("He"), "utf-8")

    def write(more):
        CONFIG.write_text(f"[augmentation]\n{more}\n", "utf-8")
        next_run()

    return write


BOTH = 'inputs = ["../data/train.v4_gold_conll", "../data/small.conll"]\nmethods = ["swap", "a-cda"]'
SMALL = 'inputs = ["../data/small.conll"]\nmethods = ["swap"]'


def stale():
    return {stage.name: reason for stage in plan(CONFIG) if (reason := stage.why_stale())}


def test_a_file_for_each_input_and_method(configure, next_run):
    configure(BOTH)
    stages = plan(CONFIG)
    assert [stage.name for stage in stages] == ["AugmentedCorpus"]
    build(stages)
    names = {it.name for it in FOLDER.iterdir() if not it.name.startswith("_")}
    assert names == {"train-swap.v4_gold_conll", "train-a-cda.v4_gold_conll", "small-swap.conll", "small-a-cda.conll"}
    assert (FOLDER / "train-swap.v4_gold_conll").read_bytes().startswith(SAMPLE.read_bytes())
    assert [it.words for it in read_documents(FOLDER / "small-swap.conll")] == [["He"], ["She"]]
    assert read_notes(FOLDER) == [
        "train-swap.v4_gold_conll: 6 documents, 428 tokens",
        "small-swap.conll: 2 documents, 2 tokens",
        "train-a-cda.v4_gold_conll: 6 documents, 428 tokens",
        "small-a-cda.conll: 2 documents, 2 tokens",
    ]
    assert read_manifest(FOLDER).rows == 16
    next_run()
    assert stale() == {}


def test_a_second_run_does_nothing_and_a_changed_input_rebuilds(configure, next_run):
    configure(SMALL)
    build(plan(CONFIG))
    made = FOLDER / "small-swap.conll"
    before = made.stat().st_mtime_ns, made.stat().st_ino
    next_run()
    build(plan(CONFIG))
    assert (made.stat().st_mtime_ns, made.stat().st_ino) == before
    Path("data/small.conll").write_text(TEXT.format("Her"), "utf-8")
    next_run()
    assert stale() == {"AugmentedCorpus": "input ../data/small.conll changed"}
    build(plan(CONFIG))
    assert [it.words for it in read_documents(made)] == [["Her"], ["Him"]]
    next_run()
    assert stale() == {}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ('inputs = ["../data/small.conll"]\nmethods = ["a-cda"]', "setting methods: ['swap'] -> ['a-cda']"),
        (
            'inputs = ["../data/small.conll", "../data/train.v4_gold_conll"]\nmethods = ["swap"]',
            "input ../data/train.v4_gold_conll added",
        ),
        (SMALL + "\nanonymise_originals = false", ""),
    ],
)
def test_a_setting_makes_the_stage_stale(configure, more, reason):
    configure(SMALL)
    build(plan(CONFIG))
    configure(more)
    assert stale() == ({"AugmentedCorpus": reason} if reason else {})


def test_originals_are_anonymised_by_one_method_alone(configure):
    configure(
        'inputs = ["../data/train.v4_gold_conll"]\nmethods = ["swap", "a-cda"]\nanonymise_originals = true',
    )
    build(plan(CONFIG))
    assert (FOLDER / "train-swap.v4_gold_conll").read_bytes().startswith(SAMPLE.read_bytes())
    first = next(read_documents(FOLDER / "train-a-cda.v4_gold_conll"))
    assert (first.name, first.words[:3]) == ("nw/gapforge/00/harbour_0001", ["Mayor", "E1", "E2"])


def test_no_inputs_no_stage(configure):
    configure("inputs = []")
    assert [stage.name for stage in plan(CONFIG)] == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            'inputs = ["a.conll", "a.conll"]',
            "[augmentation] inputs must be different, found ['a.conll', 'a.conll']",
        ),
        (
            'inputs = ["one/a.conll", "two/a.conll"]',
            "[augmentation] inputs must have different names, found ['a.conll', 'a.conll']",
        ),
        (
            'inputs = ["a.conll"]\nmethods = ["swap", "swap"]',
            "[augmentation] methods must be different, found ['swap', 'swap']",
        ),
        ('inputs = ["a.conll"]\nmethods = []', "[augmentation] methods must name one of swap, a-cda and n-cda"),
        (
            'inputs = ["a.conll"]\nmethods = ["swap"]\nanonymise_originals = true',
            "[augmentation] anonymise_originals is of a-cda, which is no method here",
        ),
        (
            'inputs = ["a.conll"]\nmethods = ["swpa"]',
            "[augmentation] methods item 1 is 'swpa'; did you mean 'swap'?",
        ),
        ('inputs = "a.conll"', "[augmentation] inputs must be a list, found 'a.conll'"),
        ('input = ["a.conll"]', "[augmentation] has no setting 'input'; did you mean 'inputs'?"),
        ("anonymise_originals = 1", "[augmentation] anonymise_originals must be true or false, found 1"),
    ],
)
def test_a_bad_setting_is_found_before_the_work(configure, more, message):
    configure(more)
    with pytest.raises(ConfigError) as caught:
        plan(CONFIG)
    assert str(caught.value) == f"{CONFIG}: {message}"


def test_a_file_that_cannot_be_read_leaves_no_stage_behind(configure):
    configure(SMALL)
    Path("data/small.conll").write_text(TEXT.format("He").replace("(1)", "(1"), "utf-8")
    with pytest.raises(StageError) as caught:
        build(plan(CONFIG))
    assert str(caught.value) == (
        "AugmentedCorpus: config/../data/small.conll: line 2: the mention (1 is never closed in its document"
    )
    assert not FOLDER.exists()


MISSING = "[augmentation] inputs ../data/lost.conll: no such file; paths begin at the config's own folder"


def test_a_missing_input_is_one_line_before_any_work(configure, gapforge):
    configure('inputs = ["../data/small.conll", "../data/lost.conll"]\nmethods = ["swap"]')
    result = gapforge("run", CONFIG)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"gapforge: {MISSING}\n")
    assert not FOLDER.exists()


def test_run_and_status_of_a_user(configure, gapforge):
    configure(BOTH)

    def state(command, *options):
        result = gapforge(command, CONFIG, "--json", *options)
        assert (result.returncode, result.stderr) == (0, "")
        (stage,) = json.loads(result.stdout)["stages"]
        return stage["stage"], stage["state"], stage["rows"]

    assert state("status") == ("AugmentedCorpus", "missing", 0)
    assert state("run") == ("AugmentedCorpus", "built", 16)
    assert state("status") == ("AugmentedCorpus", "done", 16)
    result = gapforge("run", CONFIG)
    assert (result.returncode, result.stderr) == (0, "")
    assert "AugmentedCorpus: train-swap.v4_gold_conll: 6 documents, 428 tokens\n" in result.stdout
    assert result.stdout.endswith("nothing to do: 1 stage up to date in output/run\n")
    Path("data/small.conll").unlink()
    result = gapforge("status", CONFIG)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"gapforge: {MISSING.replace('lost', 'small')}\n"
