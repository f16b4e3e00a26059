"""The evaluation as stages, on the embedded sample: figures, weights, a report, and what makes them stale."""

import hashlib
from collections import Counter
from pathlib import Path

import pytest

from gapforge.engine.parts import read_manifest, read_notes, read_parts
from gapforge.errors import ConfigError
from gapforge.evaluation.gold import read_release
from gapforge.records import LabelledExample, Resolution, Score, Weight
from gapforge.storage.files import json_line
from gapforge_tasks.runs import build, plan

CONFIG = Path("config/sample.toml")
OUTPUT = Path("output/sample")
STAGES = {
    "Resolutions-gap": Resolution,
    "Resolutions-counter-gap": Resolution,
    "Resolutions-gap-subjective": Resolution,
    "Resolutions-winobias": Resolution,
    "GapWeights": Weight,
    "Evaluation": Score,
}
RESOLUTIONS = [name for name in STAGES if name.startswith("Resolutions-")]
SCORES = [name.replace("Resolutions", "Scores") for name in RESOLUTIONS]
RESOLVERS = ["random", "token-distance", "topical", "syntactic", "parallelism", "parallelism-url"]
# What the embedded sample gives: the number of records, and the first digits of their sha256.
GOLDEN = {
    "Resolutions-gap": (180, "a0050842f57fa0be"),
    "Resolutions-counter-gap": (8736, "985bbb35956ad05c"),
    "Resolutions-gap-subjective": (180, "a0050842f57fa0be"),
    "Resolutions-winobias": (16800, "7f9d266dbf19e378"),
    "GapWeights": (30, "6e087ae7f0c7fa09"),
    "Evaluation": (1080, "4baeb9cbe0186eca"),
}


@pytest.fixture
def configure(sample_copy, next_run):
    """Add sections to the config, and go on as the next run."""
    text = CONFIG.read_text("utf-8")
    others = text.partition("[judgements]")[0]

    def write(more):
        kept = others if "[judgements]" in more else text
        CONFIG.write_text(f"{kept}\n{more}\n", "utf-8")
        next_run()

    return write


@pytest.fixture
def configure_lean(lean_copy, next_run):
    """The same of the lean sample, whose last section is the one on its evaluation."""
    text = CONFIG.read_text("utf-8").partition("[evaluation]")[0]

    def write(more):
        CONFIG.write_text(f"{text}\n{more}\n", "utf-8")
        next_run()

    return write


def stale():
    return {stage.name for stage in plan(CONFIG) if stage.why_stale()}


def folder_of(name):
    return OUTPUT / ("evaluation" if name == "Evaluation" else name)


def records(name):
    return list(read_parts(folder_of(name), STAGES[name]))


def test_the_sample_s_figures_are_pinned(sample_copy):
    found = {}
    for stage in plan(CONFIG):
        if stage.name in STAGES:
            lines = [json_line(it) for it in records(stage.name)]
            digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
            found[stage.name] = (len(lines), digest)
    assert found == GOLDEN


def test_every_resolver_answers_every_instance_of_its_set(sample_copy):
    sets = read_release(OUTPUT)
    tested = {it.id for it in read_parts(OUTPUT / "GapLabelled", LabelledExample) if it.split == "test"}
    whole = {it.id for it in sets["counter-gap"]}
    for name, ids in (("gap", tested), ("counter-gap", whole), ("gap-subjective", tested)):
        answers = Counter((it.resolver, it.instance_id) for it in records(f"Resolutions-{name}"))
        assert answers == {(resolver, id): 1 for resolver in RESOLVERS for id in ids}


def test_the_scores_follow_from_the_answers(sample_copy):
    scores = {(it.dataset, it.system, it.group, it.figure): it for it in records("Evaluation")}
    gold = {it.id: it for it in read_release(OUTPUT)["counter-gap"]}
    for resolver in RESOLVERS:
        labels = {it.instance_id: it.label for it in records("Resolutions-counter-gap") if it.resolver == resolver}
        right = sum(
            (labels[id] in ("A", "both"), labels[id] in ("B", "both")) == (it.a, it.b) for id, it in gold.items()
        )
        found = scores["counter-gap", resolver, "", "accuracy.overall"]
        assert found.value == pytest.approx(right / len(gold))
        assert found.low < found.value < found.high


def test_the_change_since_gap_is_the_difference_of_both_scores(sample_copy):
    scores = {(it.dataset, it.system, it.figure): it for it in records("Evaluation") if not it.group}
    for resolver in RESOLVERS:
        for figure in ("overall.f1", "masculine.f1", "feminine.f1", "bias"):
            gap, variant = (scores[dataset, resolver, figure].value for dataset in ("gap", "gap-subjective"))
            change = scores["gap-subjective", resolver, f"change.{figure}"]
            assert change.value == pytest.approx(variant - gap)
            assert change.low <= change.value <= change.high
        assert 0 < scores["gap-subjective", resolver, "change.p"].value <= 1
    told = [line for line in read_notes(OUTPUT / "Scores-gap-subjective") if line.startswith("gap-subjective, ")]
    assert len(told) == len(RESOLVERS)
    change = scores["gap-subjective", "parallelism", "change.overall.f1"]
    f1 = scores["gap-subjective", "parallelism", "overall.f1"].value
    said = f"F1 {f1:.3f} (change {change.value:+.3f}, {change.low:+.3f} to {change.high:+.3f})"
    assert f"gap-subjective, parallelism: {said}" in told


def test_weights_are_in_balance(sample_copy):
    weights = records("GapWeights")
    sums = {gender: sum(it.weight for it in weights if it.gender == gender) for gender in ("feminine", "masculine")}
    assert sums["feminine"] == pytest.approx(sums["masculine"]) == pytest.approx(14)
    assert any(it.figure == "weighted_bias" for it in records("Evaluation"))


def test_the_report_is_part_of_its_stage(sample_copy, next_run):
    page = folder_of("Evaluation") / "report.html"
    assert "report.html" in read_manifest(folder_of("Evaluation")).files
    assert page.read_text("utf-8").startswith("<!doctype html>")
    page.write_text("changed", "utf-8")
    next_run()
    assert stale() == {"Evaluation"}


def test_a_second_run_does_nothing(sample_copy):
    assert stale() == set()


@pytest.mark.parametrize(
    ("section", "names"),
    [
        ("[evaluation]\nresamples = 1000", {*SCORES, "Evaluation"}),
        ('[weights]\nproperties = ["number"]', {"GapWeights", "Scores-gap", "Release", "Evaluation"}),
        (
            '[evaluation]\nresolvers = ["topical"]',
            {*RESOLUTIONS, *SCORES, "Evaluation"},
        ),
        (
            '[evaluation]\nsplit = "development"',
            {*RESOLUTIONS, *SCORES, "GapWeights", "Release", "Evaluation"} - {"Resolutions-counter-gap"},
        ),
        (
            "[subjectivity]\ngleu_above = { value = 0.9 }",
            {
                "SubjectiveSentences",
                "GapSubjective",
                "Resolutions-gap-subjective",
                "Scores-gap-subjective",
                "Release",
                "Evaluation",
            },
        ),
    ],
)
def test_a_changed_setting_rebuilds_only_what_it_touches(configure, section, names):
    configure(section)
    assert stale() == names


def test_a_resolver_that_learns_takes_the_other_splits(configure_lean):
    configure_lean('[evaluation]\nresolvers = ["ranker"]\nresamples = 100')
    build([stage for stage in plan(CONFIG) if stage.name != "Evaluation"])
    assert {it.resolver for it in records("Resolutions-gap")} == {"ranker"}
    assert len(records("Resolutions-gap-subjective")) == 30
    assert len(records("Resolutions-counter-gap")) == 112


def test_one_resolver_alone_has_scores_of_its_name(lean_copy):
    assert {it.system for it in records("Evaluation")} == {"token-distance"}


@pytest.fixture
def without_balance(configure_lean):
    weights = '[weights]\nproperties = ["distance"]\ntrim = ["distance <= 0"]'
    configure_lean(f'{weights}\n[evaluation]\nresolvers = ["token-distance"]\nresamples = 100')


def test_a_set_without_balance_has_no_weights_and_says_why(without_balance):
    build([stage for stage in plan(CONFIG) if stage.name == "GapWeights"])
    assert records("GapWeights") == []
    assert read_manifest(OUTPUT / "GapWeights").rejects == {"no balance": 30}
    (note,) = read_notes(OUTPUT / "GapWeights")
    assert note.startswith("weights balance two groups by gender; of 30 rows these are left: none")


@pytest.mark.process
def test_a_set_without_balance_has_no_weighted_figures(without_balance):
    build(plan(CONFIG))
    assert not any(it.figure == "weighted_bias" for it in records("Evaluation"))


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ('[evaluation]\nresolvers = ["paralelism"]', "unknown plug-in 'paralelism'"),
        ('[evaluation]\nresolvers = ["random", "random"]', "resolvers must be different, found ['random', 'random']"),
        ('[weights]\ngroup = "my:groups"', "[weights] group is 'my:groups'; W-Bias in a run is between the genders"),
        (
            '[evaluation]\nresolvers = ["topical"]\noptions = ["topical depth=3"]',
            "topical: unknown option 'depth'; it takes gold_two_mentions, model",
        ),
        (
            '[evaluation]\nresolvers = ["topical"]\noptions = ["random seed=3"]',
            "options must be 'RESOLVER NAME=VALUE' of a resolver that is named, found 'random seed=3'",
        ),
        (
            '[judgements]\nsource = "panel"\npanel = ["random", "topical", "ranker"]\n[consensus]\nannotators = 3',
            "[judgements] panel: ranker learns from labels; name resolvers that need none",
        ),
        ("[evaluation]\nseed = -1", "seed must be 0 or more, found -1"),
        ("[evaluation]\nresamples = 10", "resamples must be 100 to 10,000,000, found 10"),
        ('[evaluation]\nsplits = "test"', "did you mean 'split'"),
        ('[weights]\nproperties = ["names"]', "unknown plug-in 'names'"),
        ('[subjectivity]\ntransfer = "rule"', "[subjectivity] transfer: unknown plug-in 'rule'"),
        ('[weights]\ntrim = ["number"]', "trim: 'number' is no rule"),
    ],
)
def test_a_bad_setting_is_found_before_the_work(configure, section, message):
    configure(section)
    with pytest.raises(ConfigError) as error:
        [stage.why_stale() for stage in plan(CONFIG)]
    assert message in str(error.value)
