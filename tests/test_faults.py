"""Killed at any moment, on a full disk, edited from outside: a run goes on and ends in the bytes of an undisturbed one.

How often each is tried stands in the README's table of faults.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gapforge.config import read_config
from gapforge_tasks.base import begin_run
from gapforge_tasks.runs import build, plan
from waiting import until

pytestmark = pytest.mark.process

BIN = Path(sys.executable).parent
KILLS = 200
DAMAGES = 50
NOT_ROOT = "only root can mount a file system of its own size"


def contents(output):
    """Every file that a run leaves, by name; of the manifests all but what it cost, and the checksum of that."""
    found = {}
    for path in sorted(output.rglob("*")):
        name = path.relative_to(output).as_posix()
        if path.name == "_manifest.json":
            found[name] = json.loads(path.read_text("utf-8")) | {"seconds": None, "memory": None, "sha256": None}
        elif path.is_file() and path.name not in (".lock", ".checksums.json", ".code.json"):
            found[name] = path.read_bytes()
    return found


@pytest.fixture(scope="module")
def runs(tmp_path_factory, documents_only):
    """Text that takes two workers about a second, cut in two ways: of each the config and the bytes, undisturbed."""
    folder = tmp_path_factory.mktemp("faults")
    for part in range(10):
        lines = (json.dumps({"id": f"{part}-{n}", "text": f"Text {n} of {part}. " * 20}) for n in range(2000))
        (folder / f"{part}.jsonl").write_text("\n".join(lines) + "\n")
    found = []
    for shards in (10, 5):
        config = folder / f"{shards}" / "c.toml"
        config.parent.mkdir()
        corpus = f'[corpora.lines]\ninputs = [{{ path = "../*.jsonl" }}]\nshards = {shards}\n'
        config.write_text(documents_only + corpus)
        subprocess.run([BIN / "gapforge", "run", config], cwd=config.parent, check=True, capture_output=True)
        found.append((config, contents(config.parent / "output")))
    return found


def processes_below(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children")
    try:
        below = [int(child) for child in children.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []
    return below + [each for child in below for each in processes_below(child)]


def is_writing(output):
    return any(True for _ in output.rglob(".*.tmp"))


def start(config, folder):
    return subprocess.Popen(
        [BIN / "gapforge", "run", config, "--workers", "2"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def strike(process, chance):
    """Kill the run, its group, or more often one of its workers, who are replaced; whom is told."""
    if process.poll() is not None:
        return None
    below = processes_below(process.pid)
    target = chance.choice(["parent", "group", *["worker"] * 4]) if below else chance.choice(["parent", "group"])
    try:
        if target == "group":
            os.killpg(process.pid, signal.SIGKILL)
        elif target == "worker":
            os.kill(chance.choice(below), signal.SIGKILL)
        else:
            process.kill()
    except ProcessLookupError:  # It was through before the blow.
        return None
    return target


def test_killed_anywhere_the_bytes_are_the_same(runs, tmp_path):
    """Whichever of two configs comes next builds into the same folder: what a killed run left is of the other one too.

    The first blow of most runs waits until there are workers; before that, a run only reads. Some wait for a write.
    """
    chance = random.Random(1)
    within_a_write = finished = 0
    kills = {"parent": 0, "worker": 0, "group": 0}
    output = tmp_path / "output"
    while sum(kills.values()) < KILLS:
        config, expected = chance.choice(runs)
        process = start(config, tmp_path)
        if chance.random() < 0.9:
            until(lambda it=process: it.poll() is not None or processes_below(it.pid))
        while process.poll() is None:
            if chance.random() < 0.3:
                until(lambda it=process: it.poll() is not None or is_writing(output))
            else:
                time.sleep(chance.uniform(0, 0.5))
            writing = is_writing(output)
            target = strike(process, chance)
            if target:
                kills[target] += 1
                within_a_write += writing
            if target != "worker":
                process.wait()
        if process.returncode == 0:  # In spite of the blows, or without any.
            finished += 1
            assert contents(output) == expected
    assert within_a_write >= KILLS // 10
    assert min(kills.values()) > 10
    for config, expected in runs:
        last = subprocess.run([BIN / "gapforge", "run", config], cwd=tmp_path, capture_output=True, text=True)
        assert last.returncode == 0, last.stderr
        assert contents(output) == expected


def again(config):
    """A run in this process, as the next one would be."""
    read_config.cache_clear()
    begin_run()
    build(plan(config, workers=1))


def damage(path, chance):
    """Remove, cut or change a file, or set its time back or forth; what was done is told."""
    kind = chance.choice(["removed", "cut", "changed", "old", "new"])
    content = path.read_bytes()
    if kind == "removed":
        path.unlink()
    elif kind == "cut":
        path.write_bytes(content[: chance.randrange(len(content) + 1)])
    elif kind == "changed" and content:
        at = chance.randrange(len(content))
        path.write_bytes(content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :])
    else:
        year = {"old": 1980, "new": 2100}.get(kind, 2000)
        os.utime(path, (time.mktime((year, 1, 1, 0, 0, 0, 0, 0, 0)),) * 2)
    return kind


def test_whatever_is_damaged_between_runs_is_made_again(tmp_path, monkeypatch, documents_only):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw").mkdir()
    for name in ("a", "b", "c"):
        (tmp_path / "raw" / f"{name}.txt").write_text(f"This is the text of {name}.\n")
    config = tmp_path / "c.toml"
    config.write_text(f'{documents_only}[corpora.texts]\ninputs = [{{ path = "raw" }}]\nshards = 3\n')
    again(config)
    expected = contents(tmp_path / "output")
    chance = random.Random(2)
    kinds = {}
    for _ in range(DAMAGES):
        files = [it for it in (tmp_path / "output").rglob("*") if it.is_file() and it.name != ".lock"]
        kind = damage(chance.choice(sorted(files)), chance)
        kinds[kind] = kinds.get(kind, 0) + 1
        again(config)
        assert contents(tmp_path / "output") == expected, kind
    assert len(kinds) == 5 and min(kinds.values()) >= 3


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own, and what gives it another size."""
    if os.geteuid():
        pytest.skip(NOT_ROOT)
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], capture_output=True).returncode:
        pytest.skip(NOT_ROOT)
    yield place, lambda size: subprocess.run(["mount", "-o", f"remount,size={size}k", place], check=True)
    subprocess.run(["umount", "--lazy", place], check=True)


WINOBIAS = """[winobias]
include = true
[evaluation]
resolvers = ["token-distance"]
resamples = 100
[release]
name = "w"
version = "1.0.0"
license = "cc-by-4.0"
"""


def full_disk(gapforge, place):
    """The stages that a run could not write, each told in a line; none where the disk was large enough."""
    result = gapforge("run", "w.toml", cwd=place)
    if result.returncode == 0:
        return []
    assert result.returncode == 1
    assert "Traceback" not in result.stderr, result.stderr
    lines = result.stderr.removeprefix("gapforge: ").splitlines()
    assert all(line.endswith("No space left on device; make room and run again") for line in lines), lines
    assert not list((place / "output").rglob("*.tmp"))
    return [line.split(":")[0] for line in lines]


def test_a_full_disk_at_every_kind_of_write_is_one_line_and_leaves_nothing_half_written(
    small_disk, tmp_path, gapforge_process
):
    """The disk grows from run to run, so that it is full at a part, a table, a text, an archive, a page.

    Each run is a process: this one would keep files open that are removed, and they fill the disk until it lets go.
    """
    place, resize = small_disk
    (tmp_path / "w.toml").write_text(WINOBIAS)
    assert gapforge_process("run", "w.toml", cwd=tmp_path).returncode == 0
    expected = contents(tmp_path / "output")
    shutil.copy(tmp_path / "w.toml", place)
    size, stages = 64, []
    while told := full_disk(gapforge_process, place):
        stages += told
        size *= 2
        resize(size)
    assert len(stages) >= 5 and {"WinoBias", "Release"} <= set(stages)
    # The evaluation needs little beside the release, and is full by itself.
    shutil.rmtree(place / "output" / "w" / "evaluation")
    resize(int(subprocess.check_output(["du", "-k", "-s", place]).split()[0]) + 40)
    assert full_disk(gapforge_process, place) == ["Evaluation"]
    resize(size)
    assert full_disk(gapforge_process, place) == []
    found = contents(place / "output")
    # The report tells what the run has cost, and the manifest beside it has its checksum.
    told = {"w/evaluation/report.html", "w/evaluation/_manifest.json"}
    assert found.keys() == expected.keys()
    assert {name: found[name] for name in found.keys() - told} == {name: expected[name] for name in found.keys() - told}


def test_a_file_that_may_not_grow_is_one_line_and_leaves_nothing_half_written(runs, tmp_path):
    config, expected = runs[0]
    limit = "ulimit -f 20; exec " + str(BIN / "gapforge") + f" run {config} --workers 1"
    result = subprocess.run(["bash", "-c", limit], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr, result.stderr
    assert "part 0:" in result.stderr
    assert not list((tmp_path / "output").rglob("*.tmp"))
    assert not list((tmp_path / "output").rglob("part-*"))
    subprocess.run([BIN / "gapforge", "run", config], cwd=tmp_path, check=True, capture_output=True)
    assert contents(tmp_path / "output") == expected


def test_folders_that_cannot_be_written_to_are_told_before_any_work(runs, small_disk, gapforge):
    config, _ = runs[0]
    place, _ = small_disk
    subprocess.run(["mount", "-o", "remount,ro", place], check=True)
    result = gapforge("run", config, cwd=place)
    assert (result.returncode, result.stderr) == (
        1,
        "gapforge: output: Read-only file system; the disk is read-only; run in another folder\n",
    )
