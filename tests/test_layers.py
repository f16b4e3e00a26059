"""The logic knows nothing of Luigi, the tasks hold no logic, and no module outgrows its reader."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PIPELINE = sorted((ROOT / "pipeline").rglob("*.py"))
TASKS = sorted((ROOT / "tasks").rglob("*.py"))
# The ground floor imports from no room; a room imports from the rooms above it only.
ROOMS = ["corpora", "extraction", "counterfactuals", "annotation", "subjectivity", "winobias", "augmentation"]
ROOMS += ["evaluation", "release"]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def calls(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


@pytest.mark.parametrize("path", PIPELINE, ids=name_of)
def test_pipeline_does_not_import_luigi(path):
    assert not {"luigi", "tasks"} & {name.split(".")[0] for name in imports(path)}


@pytest.mark.parametrize("path", PIPELINE, ids=name_of)
def test_rooms_import_only_from_above(path):
    room = path.relative_to(ROOT / "pipeline").parts[0]
    above = ROOMS[: ROOMS.index(room) + 1] if room in ROOMS else []
    used = {name.split(".")[1] for name in imports(path) if name.startswith("pipeline.")} & set(ROOMS)
    assert used <= set(above)


COMMAND_LINE = ("cli.py", "cli_annotation.py", "cli_augmentation.py", "cli_estimates.py", "cli_evaluation.py")
COMMAND_LINE += ("cli_release.py", "cli_subjectivity.py", "console.py")


@pytest.mark.parametrize("path", [p for p in TASKS if p.name not in ("base.py", *COMMAND_LINE)], ids=name_of)
def test_tasks_only_wire(path):
    allowed = {"functools", "luigi", "pathlib", "pipeline", "sys", "tasks", "typing"}
    assert {name.split(".")[0] for name in imports(path)} <= allowed
    assert "open" not in calls(path)


@pytest.mark.parametrize("path", PIPELINE + TASKS, ids=name_of)
def test_modules_stay_readable(path):
    assert path.read_text("utf-8").count("\n") <= 400
