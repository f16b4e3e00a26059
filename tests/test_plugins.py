"""Plug-ins by name: built in, installed, or in the folder of the config or the working folder, in this order."""

import json
import string
import subprocess
import sys
from pathlib import Path

import pytest

from clusters import cluster
from gapforge.corpora.formats import reader
from gapforge.counterfactuals.quadruples import REAL_PEOPLE
from gapforge.engine.parts import read_parts
from gapforge.errors import ConfigError
from gapforge.plugins import load_plugin, named_folders, search_in, searched_folders, target_of
from gapforge.records import Document
from gapforge.subjectivity.hooks import ROLES, find_hook
from gapforge.systems import find
from gapforge_tasks.graph import Documents

BUILTIN = {"dumps": "json:dumps"}
READER = """\
from gapforge.records import Document, Section

def read(piece, settings):
    text = "{} " + open(piece.path, encoding="utf-8").read()
    yield Document(piece.name, piece.name, "", "", text, [Section("", 0, 0, len(text))])
"""
OWN = "[corpora.texts]\ninputs = [{ path = '../raw' }]\nformat = 'own_reader:read'\nshards = 2\n"


def write_module(folder: Path, says: str, name: str = "own_hooks") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(f"def says(*given): return [{says!r}]\n", "utf-8")
    return folder


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Folders of installed packages, of the config and to work in; a test writes modules into them."""
    for name in ("installed", "config", "work"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.syspath_prepend(tmp_path / "installed")
    yield tmp_path
    for name in ("own_hooks", "helper_of_own_hooks"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["dumps", "json:dumps"])
def test_plugin_is_found(name):
    assert load_plugin(name, BUILTIN) is json.dumps


def test_unknown_plugin_lists_choices():
    with pytest.raises(
        ConfigError, match=r"unknown plug-in 'dump', and no 'package.module:function'; did you mean 'dumps'\?"
    ):
        load_plugin("dump", BUILTIN)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "no_such_package.hooks:f",
            "cannot load 'no_such_package.hooks:f': no module 'no_such_package' is installed, and none is in "
            "{config} or {work}; install the package, or put the module into one of these folders",
        ),
        (
            "json:nothing",
            f"cannot load 'json:nothing' from {Path(json.__file__).parent}: module 'json' has no attribute 'nothing'; "
            "fix it there; a module of your own has to have another name than an installed one",
        ),
        (
            "string:digit",
            "cannot load 'string:digit' from {string}: module 'string' has no attribute 'digit'; "
            "fix it there; a module of your own has to have another name than an installed one",
        ),
        (
            "typo:shoot",
            "cannot load 'typo:shoot' from {work}/typo.py: module 'typo' has no attribute 'shoot'; "
            "fix that file, or the name; did you mean 'shout'?",
        ),
        (
            "broken:f",
            "cannot load 'broken:f' from {work}/broken.py: division by zero; fix that file, or the name",
        ),
        ("string:digits", "cannot use 'string:digits': it is a str, not a function"),
        (":f", "cannot load ':f': '' is not a valid name of a module; write 'package.module:function'"),
        (
            "own-hooks:f",
            "cannot load 'own-hooks:f': 'own-hooks' is not a valid name of a module; write 'package.module:function'",
        ),
    ],
)
def test_a_plugin_that_cannot_be_used_is_named(folders, name, message):
    (folders / "work" / "broken.py").write_text("1 / 0\n")
    (folders / "work" / "typo.py").write_text("from pathlib import Path\n\ndef shout(batch): ...\n")
    search_in(folders / "config")
    with pytest.raises(ConfigError) as error:
        load_plugin(name, BUILTIN)
    assert str(error.value) == message.format(config=folders / "config", work=folders / "work", string=string.__file__)


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (["work"], "work"),
        (["config", "work"], "config"),
        (["installed", "config", "work"], "installed"),
        (["installed", "work"], "installed"),
    ],
)
def test_the_order_of_places(folders, where, found):
    for name in where:
        write_module(folders / name, name)
    search_in(folders / "config")
    assert load_plugin("own_hooks:says", BUILTIN)() == [found]


def test_a_module_of_the_user_hides_no_installed_one(folders):
    write_module(folders / "work", "mine", name="textblob")
    write_module(folders / "work", "mine")
    load_plugin("own_hooks:says", BUILTIN)
    import textblob

    assert not textblob.__file__.startswith(str(folders))


def test_a_plugin_imports_what_is_beside_it_even_later(folders):
    late = "def says():\n    from helper_of_own_hooks import word\n    return word\n"
    (folders / "config" / "own_hooks.py").write_text(late)
    (folders / "config" / "helper_of_own_hooks.py").write_text("word = 'helped'\n")
    search_in(folders / "config")
    assert load_plugin("own_hooks:says", BUILTIN)() == "helped"


def test_another_config_has_plugins_of_its_own(folders):
    before = list(sys.path)
    for name in ("config", "other"):
        write_module(folders / name, name)
        search_in(folders / name)
        assert load_plugin("own_hooks:says", BUILTIN)() == [name]
    search_in()
    with pytest.raises(ConfigError, match="no module 'own_hooks' is installed"):
        load_plugin("own_hooks:says", BUILTIN)
    assert sys.path == before


def test_a_folder_is_searched_once(folders):
    search_in(folders / "work", folders / "config", Path("../config"))
    assert named_folders() == tuple(str(folders / it) for it in ("work", "config", "config"))
    assert searched_folders() == [str(folders / "work"), str(folders / "config")]


def test_a_task_makes_the_folder_of_its_config_known(folders):
    Documents(config="../config/run.toml", corpus="texts")
    assert searched_folders() == [str(folders / "config"), str(folders / "work")]


@pytest.mark.parametrize("place", ["config", "work"])
def test_every_kind_of_plugin_is_found(folders, place):
    write_module(folders / place, "mine")
    search_in(folders / "config")
    name = "own_hooks:says"
    assert reader(name)() == ["mine"]
    assert load_plugin(name, REAL_PEOPLE)() == ["mine"]
    assert [find_hook(role, name)() for role in ROLES] == [["mine"]] * len(ROLES)
    assert find(name)() == ["mine"]


def test_where_a_plugin_is_defined():
    assert target_of("dumps", BUILTIN) == "json:dumps"
    assert target_of("own_reader:read", BUILTIN) == "own_reader:read"


# ---- real runs


@pytest.fixture
def place(folders):
    """A config with a reader beside it, for two worker processes; the working folder is another one."""
    (folders / "raw").mkdir()
    for name in ("a", "b"):
        (folders / "raw" / f"{name}.txt").write_text(name, "utf-8")
    (folders / "config" / "run.toml").write_text(f"[candidates]\ngap = []\ncounter_gap = []\n{OWN}", "utf-8")
    (folders / "config" / "own_reader.py").write_text(READER.format("first"), "utf-8")
    return folders


def texts_of(folder: Path) -> list[str]:
    return [it.text for it in read_parts(folder / "output" / "run" / "Documents-texts", Document)]


def check_runs(gapforge, place, *options):
    """A run, and one after an edit of the plug-in, which makes its stage stale."""
    assert (done := gapforge("run", "../config/run.toml", *options)).returncode == 0, done.stderr
    assert texts_of(place / "work") == ["first a", "first b"]
    (place / "config" / "own_reader.py").write_text(READER.format("edited"), "utf-8")
    (stage,) = json.loads(gapforge("status", "../config/run.toml", "--json").stdout)["stages"]
    assert stage["state"] == "stale"
    assert (done := gapforge("run", "../config/run.toml", *options)).returncode == 0, done.stderr
    assert texts_of(place / "work") == ["edited a", "edited b"]


@pytest.mark.process
def test_worker_processes_find_a_plugin_beside_the_config(gapforge, place):
    check_runs(gapforge, place, "--workers", 2)


@pytest.mark.process
def test_workers_of_a_cluster_find_it_too_and_notice_an_edit(gapforge, place):
    with cluster(place / "cluster", workers=1) as made:
        check_runs(gapforge, place, "--engine", made.engine)


@pytest.mark.process
def test_luigi_finds_a_plugin_beside_the_config(place):
    call = [Path(sys.executable).parent / "luigi", "--module", "gapforge_tasks", "Corpora", "--local-scheduler"]
    done = subprocess.run([*call, "--config", "../config/run.toml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert texts_of(place / "work") == ["first a", "first b"]


GOLD = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n" + "".join(
    f"r-{n}\tAnn met Ida. {pronoun} left.\t{pronoun}\t13\tAnn\t0\tTRUE\tIda\t8\tFALSE\thttp://x\n"
    for n, pronoun in enumerate(("She", "He"))
)
OF_COMMANDS = """\
def resolver(questions): return ["B" for _ in questions]
def length(items, names): return [1 for _ in items]
"""


@pytest.mark.process
def test_commands_find_plugins_in_the_working_folder(gapforge, folders):
    Path("mine.py").write_text(OF_COMMANDS, "utf-8")
    Path("gold.tsv").write_text(GOLD, "utf-8")
    done = gapforge("resolve", "gold.tsv", "--resolver", "mine:resolver", "-o", "answers.tsv")
    assert done.returncode == 0, done.stderr
    answers = Path("answers.tsv").read_text("utf-8").splitlines()
    assert [line.casefold() for line in answers[-2:]] == ["r-0\tfalse\ttrue", "r-1\tfalse\ttrue"]
    done = gapforge("weigh", "gold.tsv", "--property", "mine:length", "-o", "weights.json")
    assert done.returncode == 0, done.stderr
    done = gapforge("weigh", "gold.tsv", "--property", "yours:length", "-o", "other.json")
    assert done.returncode == 2
    assert f"no module 'yours' is installed, and none is in {folders / 'work'}; install" in done.stderr
