"""Biographies and quadruples as stages: four records of each candidate, but for those that name real people."""

import hashlib
import shutil
import sys
from pathlib import Path

import pytest

from gapforge.engine.parts import read_manifest, read_parts
from gapforge.errors import ConfigError
from gapforge.groups import GENDERS
from gapforge.records import OTHER, Biography, QuadrupleInstance, Reject
from gapforge.storage.files import json_line
from gapforge.storage.tables import read_records
from gapforge_tasks.runs import build, plan

TALES = {
    "raw/lamp.txt": "Walter Pym and Edwin Stroud kept the lamp. Dora Kell told Ida Brandt that she had the key. "
    "The wind rose. Walter Pym told Edwin Stroud that he was late.\n",
    "raw/mill.txt": "Hugh Farrow sat with Giles Penrose by the mill. Nora Holt met Clara Finch there, and she laughed. "
    "Then Hugh Farrow asked Giles Penrose whether he was cold. She left.\n",
    "lives/Agnes Moss.txt": "Agnes Moss (born 1850) was a painter of the coast.\n",
    "lives/rain.txt": "It rained.\n",
}
CONFIG = """\
[corpora.texts]
inputs = [{ path = "raw" }]
shards = 2

[corpora.lives]
inputs = [{ path = "lives" }]

[candidates]
gap = []
counter_gap = ["texts"]

[quadruples]
known = []
"""
STAGES = [
    "Documents-texts",
    "Documents-lives",
    "Candidates-texts-counter-gap",
    "Biographies-texts",
    "Biographies-lives",
    "Quadruples-texts",
]
ORIGINALS = ["texts-lamp-74-43-58", "texts-lamp-140-106-122", "texts-mill-85-48-62", "texts-mill-143-103-121"]
OF_LAMP, OF_MILL = ORIGINALS[:2], ORIGINALS[2:]
# What the embedded sample gives: the version of Quadruples, the number of its records, and the first digits of their
# sha256. Where it changes on purpose, raise the version, so that users' quadruples count as stale, and pin anew.
GOLDEN = (1484, "8c27db4503dfd8a0")
VARIANTS = ["original", "control", "swap-1", "swap-2"]


def write_tales(folder):
    for name, text in TALES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    (folder / "tales.toml").write_text(CONFIG, "utf-8")


@pytest.fixture(scope="module")
def built_once(tmp_path_factory):
    """A folder in which the tales are built; each test has a copy of it."""
    folder = tmp_path_factory.mktemp("built")
    write_tales(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        build(plan(Path("tales.toml"), workers=1))
    return folder


@pytest.fixture
def built(built_once, tmp_path, monkeypatch):
    folder = tmp_path / "here"
    shutil.copytree(built_once, folder)
    monkeypatch.chdir(folder)
    return folder


def stages_of():
    return {stage.name: stage for stage in plan(Path("tales.toml"), workers=1)}


def reasons():
    return {name: why for name, stage in stages_of().items() if (why := stage.why_stale())}


def build_times():
    return {path.parent.name: path.stat().st_mtime_ns for path in Path("output/tales").glob("*/_manifest.json")}


def rebuilt():
    """Run, and say which stages were built anew."""
    before = build_times()
    build(list(stages_of().values()))
    return sorted(name for name, when in build_times().items() if before.get(name) != when)


@pytest.fixture
def change(next_run):
    """Edit the config, and go on as the next run."""

    def edit(old, new):
        config = Path("tales.toml")
        assert old in config.read_text()
        config.write_text(config.read_text().replace(old, new))
        next_run()

    return edit


def quadruples():
    return list(read_parts(Path("output/tales/Quadruples-texts"), QuadrupleInstance))


def left_out():
    parts = sorted(Path("output/tales/Quadruples-texts/_rejects").glob("*.parquet"))
    return [item for part in parts for item in read_records(part, Reject)]


def made():
    """The originals that have a quadruple, and the ids of the others with their reasons."""
    ids = list(dict.fromkeys(it.quadruple_id for it in quadruples()))
    return ids, [(it.id, it.reason) for it in left_out()]


def test_candidates_become_quadruples(built):
    assert list(stages_of()) == STAGES
    assert reasons() == {}
    found = quadruples()
    assert [(it.quadruple_id, it.variant) for it in found] == [(it, kind) for it in ORIGINALS for kind in VARIANTS]
    assert [it.id for it in found[:4]] == [ORIGINALS[0] + end for end in ("", "-control", "-swap-1", "-swap-2")]
    assert [it.text for it in found[:4]] == [
        "Walter Pym and Edwin Stroud kept the lamp. Dora Kell told Ida Brandt that she had the key.",
        "Edwin Stroud and Walter Pym kept the lamp. Ida Brandt told Dora Kell that she had the key.",
        "Dora Kell and Ida Brandt kept the lamp. Walter Pym told Edwin Stroud that he had the key.",
        "Ida Brandt and Dora Kell kept the lamp. Edwin Stroud told Walter Pym that he had the key.",
    ]
    women, men = ["feminine"] * 2, ["masculine"] * 2
    assert [it.gender for it in found[:8]] == [*women, *men, *men, *women]
    assert [[person.name for person in it.people] for it in found[:4]] == [
        ["Dora Kell", "Ida Brandt", "Walter Pym", "Edwin Stroud"],
        ["Ida Brandt", "Dora Kell", "Edwin Stroud", "Walter Pym"],
        ["Walter Pym", "Edwin Stroud", "Dora Kell", "Ida Brandt"],
        ["Edwin Stroud", "Walter Pym", "Ida Brandt", "Dora Kell"],
    ]
    assert {(it.corpus, it.document_id) for it in found} == {("texts", "lamp"), ("texts", "mill")}
    check_spans(found)


def check_spans(instances):
    """Every span holds its mention, and what a variant keeps of its original is kept."""
    for it in instances:
        names = {person.role: person.name for person in it.people}
        assert list(names) == ["C1", "C2", "O1", "O2"]
        genders = {person.role: person.gender for person in it.people}
        assert genders == dict.fromkeys(("C1", "C2"), it.gender) | dict.fromkeys(("O1", "O2"), OTHER[it.gender])
        for person in it.people:
            shown = {" ".join(it.text[span.start : span.end].split()) for span in person.mentions}
            assert person.mentions, it.id
            if it.variant != "original":  # where a person goes by one name
                assert shown <= {person.name, person.name.upper()}, it.id
            assert person.name in shown or person.name.upper() in shown, it.id
        mentions = [span for person in it.people if person.role in ("C1", "C2") for span in person.mentions]
        assert it.name_a in mentions
        assert it.name_b in mentions
        assert GENDERS[it.text[it.pronoun.start : it.pronoun.end].lower()] == it.gender, it.id


@pytest.mark.process
def test_a_stage_is_built_with_all_that_it_needs(tmp_path, monkeypatch):
    write_tales(tmp_path)
    monkeypatch.chdir(tmp_path)
    build([stages_of()["Quadruples-texts"]])
    assert reasons() == {}
    assert made() == (ORIGINALS, [])


def test_biographies_are_names_of_documents(built):
    stages = stages_of()
    assert list(read_parts(stages["Biographies-lives"].folder, Biography)) == [Biography("Agnes Moss", "Agnes Moss")]
    assert list(read_parts(stages["Biographies-texts"].folder, Biography)) == []


def test_manifests_count_rows(built):
    figures = {}
    for name, stage in stages_of().items():
        manifest = read_manifest(stage.folder)
        figures[name] = (manifest.rows_in, manifest.rows, manifest.rejects)
    assert {name: figures[name] for name in STAGES[3:]} == {
        "Biographies-texts": (2, 0, {}),
        "Biographies-lives": (2, 1, {}),
        "Quadruples-texts": (4, 16, {}),
    }


def test_each_part_of_the_candidates_is_a_part_of_the_quadruples(built):
    folder = stages_of()["Quadruples-texts"].folder
    parts = sorted(path.name for path in folder.glob("part-*"))
    assert parts == ["part-00000.parquet", "part-00001.parquet"]
    assert [{it.document_id for it in read_records(folder / name, QuadrupleInstance)} for name in parts] == [
        {"lamp"},
        {"mill"},
    ]


def test_a_second_run_does_nothing(built):
    assert rebuilt() == []


@pytest.mark.process
def test_known_people_are_left_out(built, change):
    change("known = []", 'known = ["Ida Brandt"]')
    assert reasons() == {"Quadruples-texts": "setting known: [] -> ['Ida Brandt']"}
    assert rebuilt() == ["Quadruples-texts"]
    assert made() == (OF_MILL, [(it, "real person") for it in OF_LAMP])
    manifest = read_manifest(Path("output/tales/Quadruples-texts"))
    assert (manifest.rows_in, manifest.rows, manifest.rejects) == (4, 8, {"real person": 2})
    assert reasons() == {}


@pytest.mark.process
def test_those_whose_lives_a_corpus_tells_are_left_out(built, next_run):
    Path("lives/Clara Finch.txt").write_text("Clara Finch (born 1860) was a singer.\n")
    next_run()
    assert rebuilt() == ["Biographies-lives", "Documents-lives", "Quadruples-texts"]
    names = [it.name for it in read_parts(Path("output/tales/Biographies-lives"), Biography)]
    assert sorted(names) == ["Agnes Moss", "Clara Finch"]
    assert made() == (OF_LAMP, [(it, "real person") for it in OF_MILL])


@pytest.mark.process
def test_where_nobody_is_real_no_biographies_are_read(built, change):
    change("known = []", 'known = ["Ida Brandt"]\nreal_people = "none"')
    assert list(stages_of()) == [it for it in STAGES if not it.startswith("Biographies")]
    assert list(reasons()) == ["Quadruples-texts"]
    assert rebuilt() == ["Quadruples-texts"]
    assert made() == (ORIGINALS, [])


HOOK = """\
def living(names, known):
    assert "Agnes Moss" in known
    return [name == "{}" for name in names]
"""


@pytest.mark.process
def test_a_hook_of_the_users_own_is_called_and_its_source_counts(built, change, next_run, monkeypatch):
    monkeypatch.syspath_prepend(str(built))
    Path("acquaintances").mkdir()
    Path("acquaintances/__init__.py").touch()
    source = Path("acquaintances/alive.py")
    source.write_text(HOOK.format("Hugh Farrow"))
    change("known = []", 'real_people = "acquaintances.alive:living"')
    try:
        assert rebuilt() == ["Quadruples-texts"]
        assert made() == (OF_LAMP, [(it, "real person") for it in OF_MILL])
        next_run()
        assert rebuilt() == []
        source.write_text(HOOK.format("Dora Kell"))
        next_run()
        assert reasons()["Quadruples-texts"] == "code changed: acquaintances/alive.py"
        assert rebuilt() == ["Quadruples-texts"]
        assert made() == (OF_MILL, [(it, "real person") for it in OF_LAMP])
    finally:
        for name in ("acquaintances.alive", "acquaintances"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (
            'real_people = "lited"',
            "unknown plug-in 'lited', and no 'package.module:function'; did you mean 'listed'?",
        ),
        (
            'real_people = "everybody"',
            "unknown plug-in 'everybody', and no 'package.module:function'; choose from listed, none",
        ),
        (
            'real_people = "nowhere.to_be:found"',
            "cannot load 'nowhere.to_be:found': no module 'nowhere' is installed, and none is in HERE; "
            "install the package, or put the module into one of these folders",
        ),
        (
            'real_people = "gapforge.counterfactuals.realworld:TITLE_NOTE"',
            "cannot use 'gapforge.counterfactuals.realworld:TITLE_NOTE': it is a Pattern, not a function",
        ),
        ('knwon = ["Ida"]', "tales.toml: [quadruples] has no setting 'knwon'; did you mean 'known'?"),
    ],
)
def test_a_wrong_config_stops_a_run_before_it_builds(built, change, new, message):
    change("known = []", new)
    before = build_times()
    with pytest.raises(ConfigError) as error:
        build(plan(Path("tales.toml"), workers=1))
    assert str(error.value).replace(str(Path.cwd()), "HERE") == message
    assert build_times() == before
    assert [it.quadruple_id for it in quadruples()][::4] == ORIGINALS


def test_corpora_without_counter_gap_candidates_have_no_quadruples(built, change):
    change('counter_gap = ["texts"]', "counter_gap = []")
    assert list(stages_of()) == ["Documents-texts", "Documents-lives"]


@pytest.mark.process
def test_the_number_of_workers_changes_no_byte(built_once, tmp_path, gapforge):
    write_tales(tmp_path)
    result = gapforge("run", "tales.toml", "--workers", 2, cwd=tmp_path)
    assert result.returncode == 0, result.stderr

    def contents(folder):
        return {path.relative_to(folder): path.read_bytes() for path in (folder / "output").rglob("*.parquet")}

    assert contents(tmp_path) == contents(built_once)
    assert len(contents(tmp_path)) == 24


def test_the_sample_has_quadruples_whose_spans_hold_their_mentions(sample_copy):
    stages = {stage.name: stage for stage in plan(Path("config/sample.toml"))}
    assert [name for name in stages if name.startswith(("Biographies-", "Quadruples-"))] == [
        "Biographies-encyclopedia",
        "Biographies-fiction",
        "Quadruples-fiction",
    ]
    found = list(read_parts(stages["Quadruples-fiction"].folder, QuadrupleInstance))
    assert [it.variant for it in found] == VARIANTS * (len(found) // 4)
    digest = hashlib.sha256("".join(json_line(it) + "\n" for it in found).encode()).hexdigest()
    assert (len(found), digest[:16]) == GOLDEN
    check_spans(found)
    names = {it.name for it in read_parts(stages["Biographies-encyclopedia"].folder, Biography)}
    assert len(names) >= 10
    shown = {" ".join(it.text[span.start : span.end].split()) for it in found for p in it.people for span in p.mentions}
    assert sorted(shown & names) == []
