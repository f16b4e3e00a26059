"""Killed at any moment, a run goes on and ends in the same bytes as one that nobody disturbed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BIN = Path(sys.executable).parent
TRIALS = 24


def contents(output):
    """Every file that a run leaves, by name; of the manifests all but what it cost."""
    found = {}
    for path in sorted(output.rglob("*")):
        name = path.relative_to(output).as_posix()
        if path.name == "_manifest.json":
            found[name] = json.loads(path.read_text("utf-8")) | {"seconds": None, "memory": None}
        elif path.is_file() and path.name not in (".lock", ".checksums.json"):
            found[name] = path.read_bytes()
    return found


@pytest.fixture(scope="module")
def runs(tmp_path_factory, documents_only):
    """Text that takes a worker about a second, cut in two ways: of each the bytes and the seconds, undisturbed."""
    folder = tmp_path_factory.mktemp("faults")
    for part in range(10):
        lines = (json.dumps({"id": f"{part}-{n}", "text": f"Text {n} of {part}. " * 20}) for n in range(4000))
        (folder / f"{part}.jsonl").write_text("\n".join(lines) + "\n")
    found = []
    for shards in (10, 5):
        config = folder / f"{shards}" / "c.toml"
        config.parent.mkdir()
        corpus = f'[corpora.lines]\ninputs = [{{ path = "../*.jsonl" }}]\nshards = {shards}\n'
        config.write_text(documents_only + corpus)
        start = time.monotonic()
        subprocess.run([BIN / "gapforge", "run", config], cwd=config.parent, check=True, capture_output=True)
        found.append((config, contents(config.parent / "output"), time.monotonic() - start))
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


def test_killed_anywhere_the_bytes_are_the_same(runs, tmp_path):
    """Two configs take turns in one output folder, so that folders are also replaced while they are shot at."""
    chance = random.Random(1)
    within_a_write = finished = 0
    kills = {"parent": 0, "worker": 0, "group": 0}
    while sum(kills.values()) < TRIALS:
        config, expected, seconds = runs[finished % 2]
        process = subprocess.Popen(
            [BIN / "gapforge", "run", config, "--workers", "2"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            # In proportion, so that on a busy machine too some blows fall on workers, and some within a write.
            process.wait(timeout=seconds * chance.uniform(0.15, 1.2))
        except subprocess.TimeoutExpired:
            target = chance.choice(list(kills))
            below = processes_below(process.pid)
            within_a_write += is_writing(tmp_path)
            if target == "group":
                os.killpg(process.pid, signal.SIGKILL)
            elif target == "worker" and below:
                os.kill(chance.choice(below), signal.SIGKILL)
            else:
                target = "parent"
                process.kill()
            kills[target] += 1
            process.wait()
        if process.returncode == 0:  # Done before the blow, or in spite of it.
            finished += 1
            assert contents(tmp_path / "output") == expected
    assert within_a_write > 0
    assert all(kills.values())
    for config, expected, _ in runs:
        last = subprocess.run([BIN / "gapforge", "run", config], cwd=tmp_path, capture_output=True, text=True)
        assert last.returncode == 0, last.stderr
        assert contents(tmp_path / "output") == expected


def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(runs, tmp_path):
    config, expected, _ = runs[0]
    limit = "ulimit -f 20; exec " + str(BIN / "gapforge") + f" run {config} --workers 1"
    result = subprocess.run(["bash", "-c", limit], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr, result.stderr
    assert "part 0:" in result.stderr
    assert not list((tmp_path / "output").rglob("*.tmp"))
    assert not list((tmp_path / "output").rglob("part-*"))
    subprocess.run([BIN / "gapforge", "run", config], cwd=tmp_path, check=True, capture_output=True)
    assert contents(tmp_path / "output") == expected
