"""Real worker processes; the functions they run stand at module level because workers import them afresh."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from gapforge.engine import Engine, part_path, run_shards
from gapforge.errors import InputError, StageError
from gapforge.storage.files import atomic_file, is_alive, write_text
from waiting import until


def no_report(parts, rows):
    pass


def write_number(number, path, tick):
    tick(number)
    write_text(path, f"{number} by {os.getpid()}")
    return number


def write_or_fail(bad, number, path, tick):
    if number == bad:
        raise InputError(f"shard.txt: line {number}: wanted a number, found none; fix it")
    return write_number(number, path, tick)


def write_or_break(number, path, tick):
    if number == 1:
        raise KeyError("a fault of ours")
    return write_number(number, path, tick)


def write_or_die(dying, number, path, tick):
    if number in dying:
        with atomic_file(path) as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    return write_number(number, path, tick)


def write_for_ever(folder, number, path, tick):
    write_text(Path(folder) / f"pid-{number}", str(os.getpid()))
    time.sleep(600)


def contents(folder):
    return {path.name: int(path.read_text().split()[0]) for path in sorted(folder.glob("*"))}


@pytest.mark.parametrize("workers", [1, 3])
def test_every_shard_becomes_its_part(tmp_path, workers):
    seen = []
    run_shards(write_number, [10, 20, 30, 40], tmp_path, Engine(workers=workers), lambda *told: seen.append(told))
    assert contents(tmp_path) == {f"part-0000{n}.parquet": 10 * (n + 1) for n in range(4)}
    assert seen[-1] == (4, 100)
    assert len({path.read_text().split()[-1] for path in tmp_path.iterdir()}) <= workers


def test_parts_that_are_there_are_not_made_again(tmp_path):
    write_text(part_path(tmp_path, 1), "7 made before")
    run_shards(write_number, [10, 20, 30], tmp_path, Engine(workers=2), no_report)
    assert contents(tmp_path) == {"part-00000.parquet": 10, "part-00001.parquet": 7, "part-00002.parquet": 30}


def test_an_error_names_its_part_and_starts_no_more(tmp_path):
    with pytest.raises(StageError) as error:
        run_shards(partial(write_or_fail, 2), [1, 2, 3, 4], tmp_path, Engine(workers=1), no_report)
    assert str(error.value) == "part 1: shard.txt: line 2: wanted a number, found none; fix it"
    assert contents(tmp_path) == {"part-00000.parquet": 1}


def test_a_fault_of_ours_keeps_its_traceback(tmp_path):
    with pytest.raises(StageError, match=r"(?s)part 0: Traceback .*in write_or_break.*KeyError: 'a fault of ours'"):
        run_shards(write_or_break, [1], tmp_path, Engine(workers=1), no_report)


def test_a_crashed_worker_fails_its_shard_alone(tmp_path):
    with pytest.raises(StageError) as error:
        run_shards(partial(write_or_die, [2]), [1, 2, 3, 4], tmp_path, Engine(workers=1), no_report)
    assert str(error.value) == "part 1: its worker was killed by SIGKILL (out of memory?)"
    assert contents(tmp_path) == {"part-00000.parquet": 1, "part-00002.parquet": 3, "part-00003.parquet": 4}
    assert not list(tmp_path.glob(".*"))  # What the dead one had half written is swept.
    run_shards(write_number, [1, 2, 3, 4], tmp_path, Engine(workers=1), no_report)
    assert contents(tmp_path)["part-00001.parquet"] == 2


def test_crash_after_crash_ends_the_run(tmp_path):
    with pytest.raises(StageError) as error:
        run_shards(partial(write_or_die, range(100)), list(range(100)), tmp_path, Engine(workers=1), no_report)
    assert str(error.value).count("killed by SIGKILL") == 3


def test_workers_die_with_their_parent(tmp_path):
    code = (
        "import sys; from functools import partial; from pathlib import Path; sys.path.insert(0, sys.argv[2])\n"
        "from gapforge.engine import Engine, run_shards; import test_engine\n"
        "folder = Path(sys.argv[1])\n"
        "wait = partial(test_engine.write_for_ever, str(folder))\n"
        "if __name__ == '__main__':\n"
        "    run_shards(wait, [0, 1], folder / 'parts', Engine(workers=2), test_engine.no_report)\n"
    )
    script = tmp_path / "parent.py"
    script.write_text(code)
    parent = subprocess.Popen([sys.executable, script, tmp_path, Path(__file__).parent])
    workers = [
        until(lambda n=n: (tmp_path / f"pid-{n}").exists() and (tmp_path / f"pid-{n}").read_text()) for n in (0, 1)
    ]
    parent.kill()
    parent.wait()
    until(lambda: not any(is_alive(int(pid)) for pid in workers))
