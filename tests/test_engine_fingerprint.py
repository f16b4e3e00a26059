import dataclasses
import importlib
import importlib.metadata
import json
import sys
import types
from pathlib import Path

import pytest

from gapforge.engine.fingerprint import (
    DECIDING,
    NEUTRAL,
    CodeIdentity,
    Sources,
    data_of,
    is_neutral,
    module_name,
    packages_of,
    version_of,
)
from gapforge.engine.identity import code_differences
from gapforge.engine.sourcecode import code_hash, code_lines, imports_of, read_facts, resources_of
from gapforge.errors import ConfigError, InputError
from gapforge.storage.files import Checksums, read_memory, sha256_of, write_memory
from tracing import functions_traced, uncovered

PLAIN = """\
import re

LIMIT = 3  # the paper, section 2


def shortest(words):
    text = f"{len(words)}#{LIMIT}"
    page = '''one

    # two
    '''
    return min(words), text, page
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  # the paper, section 2", ""),
        ("section 2", "section 3"),
        ("\n\n\ndef", "\n\n# a rule\ndef"),
        ("\n\n\ndef", "\ndef"),
        ("import re\n", "import re\n\n\n\n"),
        ("import re\n", '"""What and why."""\n\nimport re\n'),
        ("import re\n", "('What '  # a\n 'and why.')  # b\nimport re\n"),
        ("words):\n", 'words):\n    """The shortest — by code points."""  # noqa\n'),
        ("words):\n", 'words):\n    """The shortest.\n\n    # Of all.\n    """\n\n'),
    ],
)
def test_comments_docstrings_and_blank_lines_do_not_change_a_hash(old, new):
    changed = PLAIN.replace(old, new)
    assert changed != PLAIN
    assert code_hash(changed) == code_hash(PLAIN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("shortest", "longest"),
        ("min(", "max("),
        ("}#{", "}-{"),  # what looks like a comment in an f-string
        ("}#{LIMIT}", "}#"),
        ("# two", "# three"),  # and in a string
        ("one\n\n", "one\n"),  # a blank line in a string
        ("# two\n", "# two \n"),
        ("\n    return", "\n    for word in words:\n        word\n    return"),
        ("import re\n", ""),
        ("(words):", "(words: list[str]):"),
        ("words):\n", "words):\n    b'not a docstring'\n"),
        ("words):\n", "words):\n    f'not a docstring'\n"),
        ("    return", "    'not a docstring'\n    return"),
    ],
)
def test_any_other_change_changes_a_hash(old, new):
    changed = PLAIN.replace(old, new)
    assert changed != PLAIN
    assert code_hash(changed) != code_hash(PLAIN)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("", []),
        ("# nothing\n\n", []),
        ('"""nothing"""', []),
        ("class A:\n    '''A.'''\n", ["class A:"]),
        ("async def f(): 'é'; return 'é'  # ü\n", ["async def f(): ; return 'é'"]),
        ("def é(): 'é'; return 'é'\ndef f(): 'f'   \n", ["def é(): ; return 'é'", "def f():"]),
        (r"x = '\d'", [r"x = '\d'"]),  # which Python warns of
        ("class A: '''A\n  # b'''; x = '''c   \n\n'''\n", ["class A:", "; x = '''c   ", "", "'''"]),
        ("x = (  # first\n    1,\n\n    # second\n    2,\n)", ["x = (", "    1,", "    2,", ")"]),
        ("x = f'{1:#x}' f\"{'#'}\"  # hex\n", ["x = f'{1:#x}' f\"{'#'}\""]),
        ("x = f'''\n# {\n1}\n\n{f'#{2}'}''' # end", ["x = f'''", "# {", "1}", "", "{f'#{2}'}'''"]),
    ],
)
def test_lines_of_code(source, lines):
    assert code_lines(source) == lines


def test_another_indentation_changes_a_hash():
    assert code_hash("if a:\n    b()\n    c()") != code_hash("if a:\n    b()\nc()")


def test_hashes_are_the_same_in_all_versions_of_python():
    assert code_hash(PLAIN) == "fe60e3415ca27cec"


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("import house.people", {"house.people"}),
        ("import house.people as p, spacy.tokens", {"house.people", "spacy.tokens"}),
        ("from house.people import names", {"house.people", "house.people.names"}),
        ("from house.people import *", {"house.people"}),
        ("from . import names", {"house.nlp", "house.nlp.names"}),
        ("from .names import first", {"house.nlp.names", "house.nlp.names.first"}),
        ("from ..people import names", {"house.people", "house.people.names"}),
        ("from .. import people", {"house", "house.people"}),
        ("from .... import people", set()),
        ("def f():\n    if x:\n        import lxml", {"lxml"}),
        ("try:\n    import lxml\nexcept ImportError:\n    import html", {"lxml", "html"}),
        ("if TYPE_CHECKING:\n    import lxml\nelse:\n    import html", {"html"}),
        ("if typing.TYPE_CHECKING:\n    import lxml", set()),
        ("if not TYPE_CHECKING:\n    import lxml", {"lxml"}),
        ("torch = optional('torch.nn')", {"torch.nn"}),
        ("importlib.import_module('lxml', package)", {"lxml"}),
        ("import_module('.lxml'), import_module(name), import_module()", set()),
        ("NAME = 'house.people:names'", set()),
    ],
)
def test_imports(statement, found):
    assert imports_of(statement, "house.nlp.reading", False) == found


def test_a_package_imports_from_itself():
    assert imports_of("from .reading import Reader", "house.nlp", True) == {
        "house.nlp.reading",
        "house.nlp.reading.Reader",
    }


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ('resource("lexicons/names.toml")', {"lexicons/names.toml"}),
        ('resource("lexicons", "names.toml")', {"lexicons/names.toml"}),
        ('resources.resource("lexicons") / name', {"lexicons"}),
        ('resource("lexicons", f"{name}.toml")', {"lexicons"}),
        ('def f():\n    return [resource("a.toml"), resource("b.toml")]', {"a.toml", "b.toml"}),
        ("resource(name)", {""}),
        ('resource(name, "names.toml")', {""}),
        ('source("lexicons")', set()),
    ],
)
def test_resources(call, found):
    assert resources_of(call) == found


HOUSE = {
    "house/__init__.py": "",
    "house/errors.py": "import house.records",
    "house/records.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.report import page",
    "house/engine/__init__.py": "",
    "house/engine/parts.py": "from house.storage import tables",
    "house/storage/__init__.py": "",
    "house/storage/files.py": "",
    "house/storage/tables.py": "import house.records, house.storage.files, pyarrow",
    "house/people/__init__.py": "from .lexicon import NAMES",
    "house/people/lexicon.py": 'from house.resources import resource\nNAMES = resource("lexicons/names.toml")',
    "house/people/mentions.py": "def find():\n    from house import errors\n    from .names import first",
    "house/people/names.py": "from house.people import mentions\nimport spacy, re",
    "house/report/__init__.py": "",
    "house/report/page.py": "from house.people import mentions\nfrom house.storage import tables\nimport numpy",
    "house/resources.py": "def resource(*parts):\n    return parts",
    "house/systems/__init__.py": 'SYSTEMS = {"cues": "house.systems.cues:answer"}',
    "house/systems/cues.py": "from house.records import Answer",
}
PEOPLE = ["house/people/__init__.py", "house/people/lexicon.py", "house/people/mentions.py", "house/people/names.py"]
STORAGE = ["house/storage/__init__.py", "house/storage/tables.py"]


@pytest.fixture
def house(tmp_path):
    """A small package, and a folder of what it reads."""
    write(tmp_path, HOUSE | {"resources/lexicons/names.toml": "a", "resources/lexicons/titles.toml": "b"})
    return tmp_path


@pytest.fixture
def importable(tmp_path, monkeypatch):
    """The temporary folder is on the path, and what is imported from it is forgotten afterwards."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in sys.modules.keys() - before:
        if name.partition(".")[0] in ("house", "traced"):
            del sys.modules[name]


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def sources_of(folder, *folders):
    checksums = Checksums(folder / "checksums.json")
    return Sources(folder / "house", folder / "resources", checksums, folder / "code.json", folders)


@pytest.mark.parametrize(
    ("module", "files"),
    [
        ("house.records", ["house/records.py"]),
        ("house.people", PEOPLE[:2]),
        ("house.people.lexicon", PEOPLE[:2]),
        ("house.people.names", PEOPLE),
        ("house.people.mentions", PEOPLE),
        ("house.storage.tables", ["house/records.py", *STORAGE]),
        (
            "house.report.page",
            [*PEOPLE, "house/records.py", "house/report/__init__.py", "house/report/page.py", *STORAGE],
        ),
        ("house.systems", ["house/systems/__init__.py"]),  # a name in a registry is only a string
        ("house.engine.parts", ["house/engine/parts.py", "house/records.py", *STORAGE]),  # what is asked for counts
    ],
)
def test_the_closure_of_a_module(house, module, files):
    assert list(sources_of(house).closure(module)) == files


@pytest.mark.usefixtures("importable")
def test_whatever_an_import_loads_is_in_the_closure_or_neutral(house):
    importlib.import_module("house.report.page")
    loaded = {name: it for name, it in sys.modules.items() if name.partition(".")[0] == "house"}
    assert {"house", "house.people.lexicon", "house.storage.files", "house.storage.tables"} <= loaded.keys()
    closure = sources_of(house).closure("house.report.page")
    code = {key: facts.hash for key, facts in closure.items()}
    assert uncovered([Path(str(it.__file__)) for it in loaded.values()], code, house / "house") == []


def test_neutral_modules_are_few_and_known():
    assert NEUTRAL == {
        "__init__": "names what the public API offers; no stage calls it",
        "errors": "words of messages",
        "config": "reads the settings, which are in the fingerprint themselves",
        "plugins": "finds and calls what the settings name, which is hashed itself",
        "resources": "finds embedded files, which are hashed themselves",
        "progress": "shows how far a stage is",
        "engine": "runs shards and writes the rows that it is given",
        "storage.files": "reads and writes bytes, and hashes them",
    }


@pytest.mark.parametrize(
    ("module", "neutral"),
    [
        ("house", True),
        ("house.engine", True),
        ("house.engine.parts", True),
        ("house.engines", False),
        ("house.storage", False),
        ("house.storage.files", True),
        ("house.people.errors", False),
    ],
)
def test_what_is_neutral(module, neutral):
    assert is_neutral(module) is neutral


def test_packages_that_decide_are_known():
    assert list(DECIDING.values()) == [
        *("datasets", "fastcoref", "gender-guesser", "lxml", "maverick-coref", "nltk", "numpy", "scipy"),
        *("scikit-learn", "spacy", "textblob", "torch", "transformers"),
    ]


def test_versions_of_packages_that_decide():
    spacy, guesser = importlib.metadata.version("spacy"), importlib.metadata.version("gender-guesser")
    imported = ["spacy.tokens.Doc", "gender_guesser.detector", "re", "pyarrow", "numpyro", "house.people.numpy"]
    assert packages_of(imported) == {"gender-guesser": guesser, "spacy": spacy}


def test_every_package_that_a_plugin_imports_may_decide():
    pandas = importlib.metadata.version("pandas")
    assert packages_of(["re"], ["re", "pandas.core", "gapforge.records", "beside"]) == {"pandas": pandas}


def test_a_package_that_is_missing_has_no_version():
    assert version_of("no-such-package") == "not installed"


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ([], {}),
        (["lexicons/names.toml"], {"lexicons/names.toml": "a"}),
        (["lexicons"], {"lexicons/names.toml": "a", "lexicons/titles.toml": "b"}),
        (["lexicons/", "lexicons/names.toml"], {"lexicons/names.toml": "a", "lexicons/titles.toml": "b"}),
        ([""], {"lexicons/names.toml": "a", "lexicons/titles.toml": "b", "page.html": "c"}),
        (["none.toml"], {"none.toml": "missing"}),
    ],
)
def test_hashes_of_embedded_files(house, names, found):
    folder = house / "resources"
    write(folder, {"page.html": "c", ".hidden": "d", "__pycache__/page.pyc": "e", "lexicons/.names.toml.1.tmp": "f"})
    hashes = {text: sha256_of(folder / name)[:16] for name, text in found.items() if (folder / name).exists()}
    expected = {name: hashes.get(text, text) for name, text in found.items()}
    assert data_of(names, folder, Checksums(house / "checksums.json")) == expected


def test_the_code_of_a_stage(house):
    identity = sources_of(house).code_of("house.report.page:write")
    assert list(identity.code) == [
        *(*PEOPLE, "house/records.py", "house/report/__init__.py", "house/report/page.py"),
        *STORAGE,
    ]
    assert identity.code["house/people/names.py"] == code_hash(HOUSE["house/people/names.py"])
    assert identity.data == {"lexicons/names.toml": sha256_of(house / "resources/lexicons/names.toml")[:16]}
    assert list(identity.packages) == ["numpy", "spacy"]
    assert identity == CodeIdentity(**json.loads(json.dumps(dataclasses.asdict(identity))))


@pytest.mark.parametrize(
    ("file", "text", "lines"),
    [
        ("house/people/names.py", "# new\n" + HOUSE["house/people/names.py"], []),
        ("house/systems/cues.py", "", []),
        ("house/errors.py", "", []),
        ("house/engine/parts.py", "", []),
        ("resources/lexicons/titles.toml", "c", []),
        ("house/people/names.py", "import spacy", ["code changed: people/names.py"]),
        ("house/people/names.py", "", ["code changed: people/names.py", "package spacy SPACY -> none"]),
        ("resources/lexicons/names.toml", "c", ["data changed: lexicons/names.toml"]),
        (
            "house/people/mentions.py",
            "from house.systems import cues",
            [
                "code changed: people/mentions.py",
                "code added: systems/__init__.py, systems/cues.py",
                "code removed: people/names.py",
                "package spacy SPACY -> none",
            ],
        ),
    ],
)
def test_an_edit_is_named_where_it_matters(house, file, text, lines):
    before = sources_of(house).code_of("house.report.page:write")
    write(house, {file: text})
    after = sources_of(house).code_of("house.report.page:write")
    expected = [it.replace("SPACY", importlib.metadata.version("spacy")) for it in lines]
    assert list(code_differences(before, after, "house")) == expected


IDENTITY = CodeIdentity({f"house/{it}.py": "0" for it in "abcdefg"}, {"a.toml": "0"}, {"spacy": "3.8.7"})


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        ({}, []),
        ({"code": dict.fromkeys(IDENTITY.code, "1")}, ["code changed: a.py, b.py, c.py and 4 more"]),
        ({"code": IDENTITY.code | {"mine.py": "0"}}, ["code added: mine.py"]),
        ({"data": {"b.toml": "0"}}, ["data added: b.toml", "data removed: a.toml"]),
        ({"packages": {"spacy": "3.8.8", "lxml": "6"}}, ["package lxml none -> 6", "package spacy 3.8.7 -> 3.8.8"]),
    ],
)
def test_differences(change, lines):
    assert list(code_differences(IDENTITY, dataclasses.replace(IDENTITY, **change), "house")) == lines


PLUGINS = {
    "mine/my_cues.py": "import my_words, my_lists.short, numpy\nfrom house.systems.cues import answer",
    "mine/my_words.py": "",
    "mine/my_lists/__init__.py": "",
    "mine/my_lists/short.py": "from . import long",
    "mine/my_lists/long.py": "import random",
    "mine/unused.py": "",
    "mine/random.py": "",
    "mine/whole.py": "import house",
    "site-packages/bought/__init__.py": "",
    "site-packages/bought/cues.py": "import bought.lists, other",
    "site-packages/bought/lists.py": "",
    "site-packages/other.py": "",
    "elsewhere/far.py": "",
}


@pytest.mark.parametrize(
    ("plugin", "files"),
    [
        ("house.systems.cues:answer", ["house/systems/__init__.py", "house/systems/cues.py"]),
        (
            "my_cues:answer",
            [
                *("house/systems/__init__.py", "house/systems/cues.py", "my_cues.py", "my_lists/__init__.py"),
                *("my_lists/long.py", "my_lists/short.py", "my_words.py", "random.py"),
            ],
        ),
        ("my_lists.short:answer", ["my_lists/__init__.py", "my_lists/long.py", "my_lists/short.py", "random.py"]),
        ("bought.cues:answer", ["bought/__init__.py", "bought/cues.py", "bought/lists.py"]),
        ("json:loads", [f"json/{it}.py" for it in ("__init__", "decoder", "encoder", "scanner")]),
        ("whole:answer", [*(it for it in HOUSE if not is_neutral(module_name(Path(it), Path()))), "whole.py"]),
    ],
)
def test_the_code_of_a_plugin(house, plugin, files):
    write(house, PLUGINS)
    sources = sources_of(house, house / "mine", house / "site-packages")
    identity = sources.code_of("house.records:read", [plugin])
    assert list(identity.code) == sorted({"house/records.py", *files})


def test_a_plugin_does_not_change_what_the_package_imports(house):
    """The user's random.py is not the one that the package means."""
    write(house, PLUGINS | {"house/records.py": "import random"})
    sources = sources_of(house, house / "mine")
    assert list(sources.code_of("house.records:read", ["unused:answer"]).code) == ["house/records.py", "unused.py"]


@pytest.mark.parametrize("target", ["far:answer", "bought.none:answer", "house.none:read", "itertools:chain"])
def test_code_that_cannot_be_found_is_an_error(house, target):
    write(house, PLUGINS)
    sources = sources_of(house, house / "site-packages")
    with pytest.raises(ConfigError) as error:
        sources.code_of("house.records:read", [target])
    module, remedy = target.partition(":")[0], "name a module in Python that is installed, or lies in the folder of the"
    assert str(error.value) == f"cannot find the source of {module!r}; {remedy} config"


def test_a_module_that_was_made_by_hand_has_no_source(house, monkeypatch):
    monkeypatch.setitem(sys.modules, "by_hand", types.ModuleType("by_hand"))
    with pytest.raises(ConfigError, match="cannot find the source of 'by_hand'"):
        sources_of(house).closure("by_hand")


@pytest.mark.parametrize("content", [b"def", b"a = '\xff'", b"a = 1\0", b"# coding: none", b"\n\na = 1  # \xff"])
def test_a_file_that_is_not_python_is_named(tmp_path, content):
    path = tmp_path / "mine.py"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"mine\.py: not Python: "):
        read_facts(path, "mine")


def test_line_ends_and_encodings_do_not_change_a_hash(tmp_path):
    for number, content in enumerate([b"a = '\xc3\xa9'\nb = 1\n", b"# coding: latin-1\r\na = '\xe9'\r\nb = 1\r\n"]):
        (tmp_path / f"{number}.py").write_bytes(content)
    assert read_facts(tmp_path / "0.py", "a") == read_facts(tmp_path / "1.py", "a")


def test_what_was_read_is_remembered_until_it_changes(house):
    first = sources_of(house)
    identity = first.code_of("house.report.page:write")
    first.save()
    memory = house / "code.json"
    kept = json.dumps(read_memory(memory)).replace(identity.code["house/people/names.py"], "remembered")
    write_memory(memory, json.loads(kept))
    write(house, {"house/records.py": "changed = True"})
    edited = {"house/people/names.py": "remembered", "house/records.py": code_hash("changed = True")}
    assert sources_of(house).code_of("house.report.page:write").code == identity.code | edited


def test_a_file_under_another_name_is_read_again(house):
    write(house, {"mine/words.py": "from . import short"})
    imports = []
    for name in ("mine.words", "ours.words"):
        sources = sources_of(house)
        imports.append(sources.facts_about(house / "mine/words.py", name).imports)
        sources.save()
    assert imports == [("mine", "mine.short"), ("ours", "ours.short")]


def test_a_run_keeps_the_code_that_it_began_with(house):
    sources = sources_of(house)
    identity = sources.code_of("house.report.page:write")
    write(house, {"house/records.py": "changed = True"})
    assert sources.code_of("house.report.page:write") == identity


def test_a_process_that_lives_on_runs_the_code_that_it_loaded(house):
    """A second run in it reads edited plug-ins, but modules of the package are not loaded again."""
    write(house, {"own/hooks.py": "LIMIT = 1\n"})
    memory, loaded = Checksums(house / "checksums.json"), {}

    def hashes():
        paths = (house / "house", house / "resources", memory, house / "code.json", (house / "own",))
        found = Sources(*paths, loaded).code_of("house.people.names:names", ["hooks:hook"]).code
        return found["house/people/names.py"], found["hooks.py"]

    before = hashes()
    write(house, {"house/people/names.py": "edited = 1\n", "own/hooks.py": "LIMIT = 2\n"})
    after = hashes()
    assert (after[0] == before[0], after[1] == before[1]) == (True, False)


def test_what_is_gone_is_forgotten(house):
    sources = sources_of(house)
    sources.closure("house.people.names")
    (house / "house/people/names.py").unlink()
    sources.save()
    kept = read_memory(house / "code.json")
    assert sorted(kept["modules"]) == [str(house / it) for it in PEOPLE if "names" not in it]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: "{",
        lambda text: "[]",
        lambda text: "{}",
        lambda text: text.replace('"made_by": [', '"made_by": [1, '),
        lambda text: text.replace('"modules": {', '"modules": {"a": 1, '),
        lambda text: text[:-10],
        lambda text: text.replace('"house.people.names"', '"house.people.named"', 1),
        lambda text: text.replace('"sha256": "', '"sha256": "0', 1),
    ],
)
def test_a_damaged_memory_is_ignored(house, change):
    sources = sources_of(house)
    closure = sources.closure("house.people.names")
    sources.save()
    text = (house / "code.json").read_text()
    assert change(text) != text
    (house / "code.json").write_text(change(text))
    again = sources_of(house)
    assert again.known == {}
    assert again.closure("house.people.names") == closure


def test_a_memory_that_cannot_be_written_is_done_without(house):
    (house / "code.json").mkdir()
    sources = sources_of(house)
    closure = sources.closure("house.people.names")
    sources.save()
    assert list(closure) == PEOPLE


TRACED = {
    "traced/__init__.py": "",
    "traced/records.py": "class Record:\n    size = 1\n    def name(self): return 'a'",
    "traced/rules.py": "import traced.limits\ndef rule(): return [it for it in 'a']",
    "traced/limits.py": "class Limits:\n    size = 1",
    "traced/registry.py": "import importlib\ndef find(name): return importlib.import_module('traced.' + name)",
    "traced/errors.py": "def text(): return 'a'",
    "traced/stage.py": """
import traced.records
from traced.errors import text
from traced.registry import find

def rows():
    text()
    yield find("rules").rule()

def other():
    return traced.records.Record().name()
""",
}


@pytest.mark.usefixtures("importable")
def test_modules_that_ran_and_are_not_covered_are_found(tmp_path):
    """An import by a name that is worked out is in no closure, so a trace must find it."""
    write(tmp_path, TRACED)
    package = tmp_path / "traced"
    stage = importlib.import_module("traced.stage")
    sources = Sources(package, tmp_path, Checksums(tmp_path / "checksums.json"), tmp_path / "code.json")
    code = sources.code_of("traced.stage:rows").code
    found = []
    for function in (stage.rows, stage.other):
        with functions_traced(package) as ran:
            list(function())
        found.append((sorted(it.name for it in ran), uncovered(ran, code, package)))
    assert found == [
        (["errors.py", "registry.py", "rules.py", "stage.py"], ["traced/rules.py"]),
        (["records.py", "stage.py"], []),
    ]


def test_tracing_ends_with_its_block(tmp_path):
    before = sys.gettrace()
    with pytest.raises(RuntimeError, match="half way"), functions_traced(tmp_path):
        assert sys.gettrace() is not before
        raise RuntimeError("half way")
    assert sys.gettrace() is before
