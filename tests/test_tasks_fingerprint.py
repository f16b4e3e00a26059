"""The code of the real stages: all that runs in one counts, and an edit makes those stale that it can change."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from closures import TABLE, closure_rows
from gapforge.engine import part_path
from gapforge.engine.fingerprint import Sources
from gapforge.engine.identity import code_differences
from gapforge.engine.parts import write_part
from gapforge.engine.stages import Shard, make_part
from gapforge.resources import RESOURCES
from gapforge.storage.files import Checksums
from gapforge_tasks.base import PACKAGE, WRITES_ROWS
from gapforge_tasks.runs import plan
from tracing import functions_traced, uncovered

ROOT = Path(__file__).parents[1]
READER = "gapforge.nlp.reading"
CONFIG = Path("config/sample.toml")


def forget_answers():
    """Whatever functions of ours remember: a stage that finds a word list read would not be seen to read it.

    What the model has read stays, since to ask the reader for it is to run the reader.
    """
    ours = [it for name, it in list(sys.modules.items()) if name.startswith("gapforge.") and name != READER]
    for value in [value for module in ours for value in vars(module).values()]:
        if hasattr(value, "cache_clear"):
            value.cache_clear()


def run_some(call, shards, folder):
    """The function of a stage in this process, and what writes its rows: all of them, or the first part."""
    if shards:
        make_part(call, Shard(0, len(shards), shards[0]), part_path(folder, 0), lambda rows: None)
    elif call.record:
        write_part(part_path(folder, 0), call.record, call.items(), lambda rows: None)
    else:
        list(call.items())


opened: set[str] = set()  # embedded files, by this process since it was last cleared


@pytest.fixture(scope="module")
def watched():
    """Whatever Python opens is told to this function from now on; it cannot be taken away again."""

    def note(event, arguments):
        if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(f"{RESOURCES}{os.sep}"):
            opened.add(Path(arguments[0]).relative_to(RESOURCES).as_posix())

    sys.addaudithook(note)


@pytest.mark.process
def test_all_that_runs_or_is_read_in_a_stage_is_in_its_code(sample_copy, tmp_path, watched):
    """This finds imports, and embedded files, by a name that is worked out, which no closure has."""
    found = {}
    for stage in plan(CONFIG):
        folder = tmp_path / "made" / stage.name
        folder.mkdir(parents=True)
        call, shards = stage.call(folder), stage.shards()
        forget_answers()
        opened.clear()
        with functions_traced(PACKAGE) as ran:
            run_some(call, shards, folder)
        assert ran, stage.name
        code = stage.code()
        found[stage.name] = [*uncovered(ran, code.code, PACKAGE), *sorted(opened - code.data.keys())]
    assert {name: files for name, files in found.items() if files} == {}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of all that a checkout installs, to be edited; and what the stages of the sample are, by their names."""
    folder = tmp_path_factory.mktemp("house")
    for root in ("pipeline", "tasks"):
        shutil.copytree(ROOT / root, folder / root, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(RESOURCES, folder / "resources")
    assert changed_stages(folder, folder) == {}  # All modules are parsed here, at the cost of no test.
    return folder


@pytest.fixture
def edited(house):
    """Replace a text in a file of the copy until the test ends."""
    kept = {}

    def edit(file, old, new):
        path = house / file
        kept[path] = text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")

    yield edit
    for path, text in kept.items():
        path.write_text(text, "utf-8")


def changed_stages(house, tmp_path):
    """The stages of the sample whose code is another in the copy, with what has changed."""
    checksums = Checksums(tmp_path / "checksums.json")
    copy = Sources(house / "pipeline" / "gapforge", house / "resources", checksums, tmp_path / "code.json")
    found = {}
    for stage in plan(None):
        changes = list(code_differences(stage.code(), copy.code_of(stage.makes, [WRITES_ROWS, *stage.plugins()])))
        if changes:
            found[stage.name] = changes
    return found


CANDIDATES = ("Candidates-encyclopedia-gap", "Candidates-fiction-counter-gap")
DOCUMENTS = ("Documents-encyclopedia", "Documents-fiction")
SETS = ("gap", "counter-gap", "gap-subjective", "winobias")
SCORES, RESOLUTIONS = ([f"{name}-{it}" for it in SETS] for name in ("Scores", "Resolutions"))
ENDS = ("Release", "Evaluation")  # the release is audited, and the report shows it, so both rest on many rules

# An edited file, and the stages that it makes stale by themselves; those after them follow.
EDITS = {
    "pipeline/gapforge/corpora/wikitext.py": ["Documents-encyclopedia"],
    "pipeline/gapforge/corpora/gutenberg.py": ["Documents-fiction"],
    "pipeline/gapforge/corpora/epub.py": [],
    "pipeline/gapforge/people/mentions.py": [
        *CANDIDATES,
        *("Quadruples-fiction", "GapWeights", *RESOLUTIONS, *SCORES, *ENDS),
    ],
    "pipeline/gapforge/extraction/patterns.py": [*CANDIDATES, "Quadruples-fiction", *ENDS],
    "pipeline/gapforge/extraction/sampling.py": ["GapExamples", "GapLabelled", "QuadruplesLabelled"],
    "pipeline/gapforge/annotation/consensus.py": ["GapLabelled", "QuadruplesLabelled"],
    "pipeline/gapforge/subjectivity/transfer.py": ["SubjectiveProposals"],
    "pipeline/gapforge/systems/cues.py": RESOLUTIONS,
    "pipeline/gapforge/systems/server.py": [],  # no resolver of the sample
    "pipeline/gapforge/evaluation/scoring.py": [*SCORES, "Evaluation"],
    "pipeline/gapforge/report/charts.py": ["Evaluation"],
    "pipeline/gapforge/release/card.py": ENDS,
    "pipeline/gapforge/release/verify.py": [],
    "pipeline/gapforge/errors.py": [],
    "pipeline/gapforge/engine/cluster.py": [],
    "tasks/gapforge_tasks/cli/console.py": [],
    "resources/lexicons/contradictions.toml": [
        *("Biographies-encyclopedia", "Biographies-fiction", "Quadruples-fiction"),
        *ENDS,
    ],
    "resources/release/report.css": ["Evaluation"],
    "resources/subjectivity/transfer.toml": ["SubjectiveProposals"],
    "resources/config/wikipedia.toml": [],
}


@pytest.mark.parametrize("file", EDITS)
def test_an_edited_file_makes_its_stages_stale(house, tmp_path, edited, file):
    assert changed_stages(house, tmp_path) == {}
    folder, _, name = file.partition("/")
    edited(file, (house / file).read_text("utf-8"), (house / file).read_text("utf-8") + "\nEDITED = true\n")
    line = f"data changed: {name}" if folder == "resources" else f"code changed: {name.removeprefix('gapforge/')}"
    assert changed_stages(house, tmp_path) == {stage: [line] for stage in EDITS[file]}


def test_an_edited_comment_makes_nothing_stale(house, tmp_path, edited):
    edited("pipeline/gapforge/people/mentions.py", "\n\n\n", "\n\n\n# Another comment.\n")
    assert changed_stages(house, tmp_path) == {}


@pytest.mark.process
def test_status_names_the_edited_rule_and_all_that_follows(sample_copy, house, edited):
    """The command of the edited copy, in a process, on a folder that the original has built."""
    edited("pipeline/gapforge/systems/cues.py", "\n\n\n", "\n\n\nEDITED = 1\n")
    code = "from gapforge_tasks.cli import main; main()"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(house / "pipeline"), str(house / "tasks")])}
    command = [sys.executable, "-c", code, "status", str(CONFIG), "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    reasons = {it["stage"]: it["reason"] for it in json.loads(done.stdout)["stages"] if it["state"] != "done"}
    assert reasons == {
        **dict.fromkeys(RESOLUTIONS, "code changed: systems/cues.py"),
        "Scores-gap": "stage Resolutions-gap changed",
        "Scores-counter-gap": "stage Resolutions-counter-gap changed",
        "Scores-gap-subjective": "stage Resolutions-gap changed; stage Resolutions-gap-subjective changed",
        "Scores-winobias": "stage Resolutions-winobias changed",
        "Evaluation": "; ".join(f"stage {name} changed" for name in sorted([*RESOLUTIONS, *SCORES])),
    }


def test_closures_are_as_pinned():
    """What each stage rests on, so that growth is seen in review; `make closures` writes the table again."""
    assert closure_rows(plan(None)) == TABLE.read_text("utf-8").splitlines()
