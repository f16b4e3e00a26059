"""WinoBias as a stage: a run of templates alone, files of one's own, and a release that others read."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

from gapforge.engine.parts import read_manifest, read_notes, read_parts
from gapforge.errors import ConfigError, InputError
from gapforge.records import Resolution, Score, WinoBiasSentence
from gapforge.release.layout import read_tables, write_sums, write_tables
from gapforge.release.verify import verify
from gapforge.winobias.published import read_sentences
from gapforge.winobias.templates import (
    Occupation,
    WinoBiasSettings,
    expand,
    own_files,
    read_occupations,
    read_resources,
    read_scenes,
)
from gapforge_tasks.cli.evaluate import Request, evaluate_files, resolve_file
from gapforge_tasks.graph import wants_winobias
from gapforge_tasks.runs import build, plan

CONFIG = Path("wino.toml")
OUTPUT = Path("output/wino")
RELEASE = OUTPUT / "release"
EVALUATED = '[evaluation]\nresolvers = ["token-distance"]\nresamples = 100\n'
EMBEDDED = f"[winobias]\ninclude = true\n{EVALUATED}"
OWN = f'[winobias]\ninclude = true\noccupations = "own/jobs.toml"\nscenes = "own/scenes.toml"\n{EVALUATED}'
JOBS = "[women]\ncook = 38\nguard = 22\nbaker = 65\nclerk = 72\n"
SCENES = """[[type1]]
first = "{A} met {B} because {he} was early."
second = "{A} met {B} because {he} was late."
[[type1]]
first = "{A} saw {B} when {his} eyes opened."
second = "{A} saw {B} when {his} door opened."
[[type2]]
first = "{A} said that {B} had seen {him}."
second = "{A} met {B} and greeted {him}."
[[type2]]
first = "{A} knew that {B} liked {him}."
second = "{A} met {B} and thanked {him}."
"""
NAMES = ["WinoBias", "Release", "Resolutions-winobias", "Scores-winobias", "Evaluation"]


def write_place(folder, config):
    """A config, and files of occupations and scenes in a folder beside it."""
    (folder / "own").mkdir()
    (folder / CONFIG).write_text(config, "utf-8")
    (folder / "own" / "jobs.toml").write_text(JOBS, "utf-8")
    (folder / "own" / "scenes.toml").write_text(SCENES, "utf-8")


def evaluate(*files, **options):
    return evaluate_files(Request(*files, **options))


@pytest.fixture(scope="module", params=[EMBEDDED, OWN], ids=["embedded", "own"])
def built(request, tmp_path_factory):
    """A folder with a config and the run that it gives; nothing may be changed in it."""
    folder = tmp_path_factory.mktemp("built")
    write_place(folder, request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        build(plan(CONFIG))
    return folder


@pytest.fixture(scope="module")
def built_own(tmp_path_factory):
    """The same of the small files, for what each test needs a copy of."""
    folder = tmp_path_factory.mktemp("own")
    write_place(folder, OWN)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        build(plan(CONFIG))
    return folder


@pytest.fixture
def copy(built_own, tmp_path, monkeypatch, next_run):
    """A copy of a test's own, which is the working directory."""
    shutil.copytree(built_own, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    next_run()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder where nothing is built yet, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    write_place(tmp_path, OWN)
    return tmp_path


def sentences_of(folder):
    own = "own/" in (folder / CONFIG).read_text("utf-8")
    if not own:
        return list(expand(read_scenes(), read_occupations()))
    scenes, occupations = read_scenes(folder / "own/scenes.toml"), read_occupations(folder / "own/jobs.toml")
    return list(expand(scenes, occupations))


def stale():
    return [stage.name for stage in plan(CONFIG) if stage.why_stale()]


def test_a_run_without_corpora(built):
    sentences = sentences_of(built)
    assert sorted(it.name for it in (built / OUTPUT).iterdir() if not it.name.startswith(".")) == [
        *("Resolutions-winobias", "Scores-winobias", "WinoBias", "evaluation", "release")
    ]
    assert list(read_parts(built / OUTPUT / "WinoBias", WinoBiasSentence)) == sentences
    assert read_manifest(built / OUTPUT / "WinoBias").rows == len(sentences)
    tables = read_tables(built / RELEASE)
    assert list(tables) == ["winobias"]
    assert tables["winobias"] == {
        split: [it for it in sentences if it.split == split] for split in ("development", "test")
    }


def test_the_notes_tell_what_the_sentences_are_made_of(built):
    sentences = sentences_of(built)
    scenes, occupations = len({it.scene for it in sentences}), len({it.occupation for it in sentences})
    half = f"{len(sentences) // 2:,}"
    told = f"{scenes} scenes with two ends, {occupations} occupations: sentences {half} development, {half} test"
    assert read_notes(built / OUTPUT / "WinoBias") == [told]


def test_the_test_split_is_measured(built):
    """The nearest of two is the second, whatever the pronoun: right in half, and without a difference."""
    wanted = [it for it in sentences_of(built) if it.split == "test"]
    found = list(read_parts(built / OUTPUT / "Resolutions-winobias", Resolution))
    assert found == [Resolution(it.id, "token-distance", "B") for it in wanted]
    scores = {it.figure: it.value for it in read_parts(built / OUTPUT / "evaluation", Score)}
    for kind in ("type1", "type2"):
        assert [scores[f"{kind}.{name}"] for name in ("pro", "anti", "difference", "p")] == [0.5, 0.5, 0.0, 1.0]
    assert read_notes(built / OUTPUT / "Scores-winobias") == [
        f"winobias {kind}, token-distance: F1 0.500 pro, 0.500 anti" for kind in ("type1", "type2")
    ]


def test_the_report_has_its_sections(built):
    page = (built / OUTPUT / "evaluation" / "report.html").read_text("utf-8")
    assert 'id="winobias"' in page and 'id="stereotypes"' in page
    metrics = json.loads((built / OUTPUT / "evaluation" / "metrics.json").read_text("utf-8"))
    assert list(metrics["datasets"]) == ["winobias"]
    assert metrics["datasets"]["winobias"]["instances"] == len(sentences_of(built)) // 2


def test_a_second_run_does_nothing(built, gapforge, monkeypatch):
    before = {path: path.stat().st_mtime_ns for path in (built / OUTPUT).rglob("*.parquet")}
    found = gapforge("run", CONFIG, cwd=built)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.splitlines()[-1] == "nothing to do: 5 stages up to date in output/wino"
    assert {path: path.stat().st_mtime_ns for path in (built / OUTPUT).rglob("*.parquet")} == before
    monkeypatch.chdir(built)
    assert stale() == []


def test_the_release_is_sound(built, gapforge_process):
    found = gapforge_process("verify", RELEASE, cwd=built)
    assert (found.returncode, found.stderr) == (0, "")
    rows, files = len(sentences_of(built)), len([it for it in (built / RELEASE).rglob("*") if it.is_file()])
    # The manifest of the stage is no part of a release.
    assert found.stdout == f"output/wino/release: sound; version 0.1.0, {files - 1} files, {rows:,} rows\n"


@pytest.mark.parametrize("form", ["text", "conll"])
def test_the_published_forms_name_sentences_as_the_tables_do(built, form):
    found = read_sentences(built / RELEASE / form)
    assert sorted(it.id for it in found) == sorted(it.id for it in sentences_of(built))


def test_a_table_of_answers_is_measured_against_the_text(built, gapforge, tmp_path):
    """All of pro linked rightly, all of anti with the other: what a system does that knows stereotypes alone."""
    said = tmp_path / "stereotypes.tsv"
    ids = [it.id for it in sentences_of(built)]
    lines = [f"{id}\tTRUE\tFALSE\n" if "-pro-" in id else f"{id}\tFALSE\tTRUE\n" for id in ids]
    said.write_text("".join(lines), "utf-8")
    found = gapforge("evaluate", RELEASE / "text", said, "--json", "--resamples", "100", cwd=built)
    assert (found.returncode, found.stderr) == (0, "")
    result = json.loads(found.stdout)
    assert (result["dataset"], result["instances"], result["pairs"]) == ("winobias", len(ids), len(ids) // 2)
    assert (result["several_pronouns"], result["unlike_pairs"]) == (0, 0)
    for kind in ("type1", "type2"):
        assert [result[kind][name] for name in ("pro", "anti", "average", "difference")] == [1.0, 0.0, 0.5, 1.0]


def test_the_release_s_own_columns_are_a_perfect_response(built):
    found = evaluate(built / RELEASE / "text", [built / RELEASE / "conll"], resamples=100)
    for kind in ("type1", "type2"):
        assert (found[kind]["pro"], found[kind]["anti"], found[kind]["conll_f1"]["average"]) == (1.0, 1.0, 1.0)


def test_answers_that_are_missing_are_named(built_own, tmp_path):
    said = tmp_path / "said.tsv"
    ids = [it.id for it in sentences_of(built_own)]
    said.write_text("".join(f"{id}\tTRUE\tFALSE\n" for id in [*ids[1:], "type1-pro-1"]), "utf-8")
    with pytest.raises(InputError) as caught:
        evaluate(built_own / RELEASE / "text", [said], resamples=100)
    assert str(caught.value) == (
        f"{said}: 1 missing: dev-type1-pro-1; 1 extra: type1-pro-1. Fix the file, or go on with --missing-as-negative"
    )


def test_the_text_is_no_question_between_two_names(built_own, tmp_path):
    with pytest.raises(ConfigError) as caught:
        resolve_file(built_own / RELEASE / "text", "random", tmp_path / "said.tsv")
    assert str(caught.value) == (
        f"{built_own / RELEASE / 'text'}: winobias marks no two names; name a GAP or Counter-GAP file, or a release"
    )


def tamper(changes):
    """Another first row in the table of development, under new checksums."""
    tables = read_tables(RELEASE)
    rows = tables["winobias"]["development"]
    rows[0] = dataclasses.replace(rows[0], **changes)
    write_tables(tables, RELEASE)
    write_sums(RELEASE)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"pronoun_offset": 30}, "the pronoun is not at its offset"),
        ({"pronoun_offset": 9000}, "the pronoun is not at its offset"),
        ({"pronoun": ""}, "the pronoun is not at its offset"),
        ({"women": 99}, "the condition is not what the shares of women say"),
        ({"scene": "type1-02"}, "the two sentences of a pair differ in more than the pronoun"),
    ],
    ids=str,
)
def test_a_release_that_was_tampered_with(copy, changes, found):
    tamper(changes)
    told = [str(it) for it in verify(RELEASE)]
    assert any("winobias/development" in it and found in it for it in told)


def test_a_scene_in_two_splits_is_found(copy):
    tables = read_tables(RELEASE)
    rows = tables["winobias"]["development"]
    tables["winobias"]["development"] = [
        dataclasses.replace(it, scene="type1-02") if it.scene == "type1-01" else it for it in rows
    ]
    write_tables(tables, RELEASE)
    write_sums(RELEASE)
    assert [str(it) for it in verify(RELEASE) if "scenes" in str(it)] == [
        "winobias/: scenes in two splits: type1-02",
    ]


def test_a_split_that_does_not_exist_is_found(copy):
    tamper({"split": "train"})
    assert any("the split is not that of its table" in str(it) for it in verify(RELEASE))


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("own/jobs.toml", "cook = 38", "cook = 37", NAMES),
        ("own/scenes.toml", "was early", "was tired", NAMES),
        ("own/scenes.toml", "[[type1]]\nfirst", "# Ours.\n[[type1]]\nfirst", NAMES),  # a file is its bytes
        ("wino.toml", 'occupations = "own/jobs.toml"\n', "", NAMES),
        ("wino.toml", 'scenes = "own/scenes.toml"\n', "", NAMES),
        ("wino.toml", '["token-distance"]', '["random"]', ["Resolutions-winobias", "Scores-winobias", "Evaluation"]),
        ("wino.toml", "resamples = 100", "resamples = 101", ["Scores-winobias", "Evaluation"]),
        ("wino.toml", "[winobias]", "# Ours.\n[winobias]", []),
    ],
)
def test_what_makes_which_stage_stale(copy, next_run, name, old, new, expected):
    assert stale() == []
    text = Path(name).read_text("utf-8")
    assert old in text
    Path(name).write_text(text.replace(old, new, 1), "utf-8")
    next_run()
    assert sorted(stale()) == sorted(expected)


def test_why_a_stage_is_stale(copy, next_run):
    Path("own/jobs.toml").write_text(JOBS.replace("38", "37"), "utf-8")
    next_run()
    told = {stage.name: stage.why_stale() for stage in plan(CONFIG)}
    assert told["WinoBias"] == "input own/jobs.toml changed"


def test_own_files_are_found_from_the_config_and_not_from_the_folder_of_the_run(place, monkeypatch):
    (place / "elsewhere").mkdir()
    monkeypatch.chdir(place / "elsewhere")
    stages = {stage.name: stage for stage in plan(Path("../wino.toml"))}
    assert sorted(stages) == sorted(NAMES)
    assert sorted(stages["WinoBias"].identity().inputs) == ["own/jobs.toml", "own/scenes.toml"]


@pytest.mark.parametrize(
    ("settings", "scenes", "occupations"),
    [
        (WinoBiasSettings(), len(read_scenes()), 40),
        (WinoBiasSettings(occupations="own/jobs.toml"), len(read_scenes()), 4),
        (WinoBiasSettings(scenes="own/scenes.toml"), 4, 40),
        (WinoBiasSettings(True, "own/jobs.toml", "own/scenes.toml"), 4, 4),
    ],
)
def test_what_is_read(place, settings, scenes, occupations):
    found = read_resources(settings, own_files(settings, place))
    assert (len(found[0]), len(found[1])) == (scenes, occupations)
    if settings.occupations:
        assert found[1][0] == Occupation("cook", 38)


BROKEN = {
    "own/jobs.toml": (
        "guard = 22",
        "guard = 50",
        "guard = 50; wanted the percentage of women, a whole number that is not 50",
    ),
    "own/scenes.toml": (
        "thanked {him}",
        "thanked {her}",
        "type2 number 2, second: '{A} met {B} and thanked {her}.'; "
        "wanted {A}, {B}, and then one of {he}, {him} and {his}",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_told_in_a_line_before_any_work(place, gapforge, name):
    old, new, message = BROKEN[name]
    text = Path(name).read_text("utf-8")
    Path(name).write_text(text.replace(old, new), "utf-8")
    found = gapforge("run", CONFIG)
    assert (found.returncode, found.stdout, found.stderr) == (1, "", f"gapforge: {name}: {message}\n")
    assert list(place.rglob("*.parquet")) == []


def test_a_broken_file_hinders_what_comes_before_it_too(workplace, gapforge):
    """Corpora are not read first, for hours, to find that the templates cannot be used."""
    (workplace / "jobs.toml").write_text("[women]\ncook = 38\n", "utf-8")
    config = (workplace / "tiny.toml").read_text("utf-8")
    (workplace / "tiny.toml").write_text(config + '[winobias]\ninclude = true\noccupations = "jobs.toml"\n', "utf-8")
    found = gapforge("run", "tiny.toml")
    assert found.returncode == 1
    assert found.stderr == (
        "gapforge: jobs.toml: 0 of stereotype feminine and 1 of stereotype masculine; "
        "every sentence needs one of each, so there must be as many of either\n"
    )
    assert list(workplace.rglob("*.parquet")) == []


def test_a_file_that_is_not_there(place, gapforge):
    Path("own/jobs.toml").unlink()
    found = gapforge("run", CONFIG)
    assert (found.returncode, found.stderr) == (1, "gapforge: own/jobs.toml: no such file; fix the path\n")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("include = 1", "include must be true or false, found 1"),
        ("scene = 'x'", "has no setting 'scene'; did you mean 'scenes'?"),
        ("occupations = ['x']", "occupations must be a string, found ['x']"),
    ],
)
def test_a_bad_setting(place, lines, message):
    CONFIG.write_text(f"[winobias]\n{lines}\n", "utf-8")
    with pytest.raises(ConfigError) as caught:
        plan(CONFIG)
    assert str(caught.value) == f"wino.toml: [winobias] {message}"


def test_without_the_section_there_is_no_winobias(place, workplace, next_run):
    assert wants_winobias(str(CONFIG))
    CONFIG.write_text('[winobias]\noccupations = "own/jobs.toml"\n', "utf-8")
    next_run()
    assert not wants_winobias(str(CONFIG))
    assert "WinoBias" not in {stage.name for stage in plan(Path("tiny.toml"))}


def test_a_resolver_that_learns_has_nothing_to_learn_from(place):
    CONFIG.write_text(OWN.replace("token-distance", "ranker"), "utf-8")
    with pytest.raises(ConfigError) as caught:
        plan(CONFIG)
    assert str(caught.value) == (
        "wino.toml: [evaluation] ranker learns from labelled GAP examples, and there are none; leave it out"
    )
