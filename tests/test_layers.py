"""The logic knows nothing of Luigi, a room imports only from rooms before it, and the tasks hold no logic."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "pipeline" / "gapforge"
PIPELINE = sorted((ROOT / "pipeline").rglob("*.py"))
TASKS = sorted((ROOT / "tasks").rglob("*.py"))

GROUND_FLOOR = {"records", "errors", "edits", "draws", "progress", "resources", "groups", "config", "plugins"}
GROUND_FLOOR |= {"released"}
ROOMS = ["storage", "engine", "nlp", "people", "corpora", "extraction", "counterfactuals", "systems", "annotation"]
ROOMS += ["subjectivity", "winobias", "evaluation", "report", "sets", "release"]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(source: str) -> set[str]:
    """Every module that is imported, anywhere in the source, and every name that is taken from one."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return found


def calls(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


def forbidden(room: str, source: str) -> set[str]:
    """The rooms that a module of this room, or of the ground floor, imports from though it may not."""
    used = {name.split(".")[1] for name in imports(source) if name.startswith("gapforge.")} & set(ROOMS)
    return used - set(ROOMS[: ROOMS.index(room) + 1] if room in ROOMS else [])


@pytest.mark.parametrize(
    ("room", "source", "expected"),
    [
        ("people", "from gapforge.nlp.reading import tagged", set()),
        ("people", "from gapforge.people.names import join\nfrom gapforge.records import Span", set()),
        ("people", "import gapforge.corpora.books", {"corpora"}),
        ("people", "def late():\n    from gapforge import release", {"release"}),
        ("config", "from gapforge.errors import ConfigError", set()),
        ("config", "from gapforge.storage.files import sync", {"storage"}),
    ],
)
def test_the_rule_of_rooms(room, source, expected):
    assert forbidden(room, source) == expected


def test_every_module_has_its_place():
    tops = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PIPELINE}
    assert tops <= GROUND_FLOOR | set(ROOMS) | {"__init__"}


@pytest.mark.parametrize("path", PIPELINE, ids=name_of)
def test_the_logic_does_not_import_tasks_and_imports_by_full_names(path):
    tops = {name.split(".")[0] for name in imports(path.read_text("utf-8"))}
    assert not {"luigi", "gapforge_tasks", "pipeline", "tasks", "resources", ""} & tops


def test_rooms_import_only_from_rooms_before_them():
    found = set()
    for path in PIPELINE:
        place = path.relative_to(PACKAGE)
        rooms = forbidden(place.parts[0].removesuffix(".py"), path.read_text("utf-8"))
        found |= {(place.as_posix(), room) for room in rooms}
    assert found == set()


def wires(path: Path) -> bool:
    """The base of all stages and the command line do more than wire."""
    return path.name != "base.py" and "cli" not in path.parts


@pytest.mark.parametrize("path", list(filter(wires, TASKS)), ids=name_of)
def test_tasks_only_wire(path):
    allowed = {"functools", "luigi", "pathlib", "gapforge", "gapforge_tasks", "sys", "typing"}
    assert {name.split(".")[0] for name in imports(path.read_text("utf-8"))} <= allowed
    assert "open" not in calls(path)


def test_modules_stay_readable():
    """The longest one has room to grow by a function, not by a second subject."""
    lines = {name_of(path): path.read_text("utf-8").count("\n") for path in PIPELINE + TASKS}
    assert {name: count for name, count in lines.items() if count > 700} == {}
