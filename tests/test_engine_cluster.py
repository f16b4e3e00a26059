"""A real Dask cluster in processes of its own; the functions that workers run stand at module level, for import."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from clusters import cluster
from gapforge.engine import Engine, part_path, run_shards
from gapforge.engine import cluster as engine_room
from gapforge.engine.cluster import Order, own_state
from gapforge.errors import InputError, StageError

# Where workers find this module, by either of the names that pytest gives it.
TESTS = Path(__file__).parent
FINDABLE = os.pathsep.join(map(str, (TESTS.parent, TESTS)))


def no_report(parts, rows):
    pass


def write_number(number, path, tick):
    (path.parent / "_rejects").mkdir(exist_ok=True)
    (path.parent / "_rejects" / path.name).write_text(f"beside {number}")
    path.write_text(f"{number} by {os.getpid()}")
    return number


def write_or_fail(bad, number, path, tick):
    if number in bad:
        raise InputError(f"shard.txt: line {number}: wanted a number, found none; fix it")
    return write_number(number, path, tick)


def write_after_a_while(folder, number, path, tick):
    """Fails by the disk until the third try; each try leaves a file."""
    tries = len(list(Path(folder).glob(f"try-{number}-*"))) + 1
    (Path(folder) / f"try-{number}-{tries}").touch()
    if tries < 3:
        raise OSError(5, "Input/output error", "disk")
    return write_number(number, path, tick)


def take_memory(number, path, tick):
    held = []
    while True:
        held.append(b"x" * 20_000_000)
        time.sleep(0.02)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A cluster of two workers that can import this module, and lets a shard cost no more than one worker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", FINDABLE)
        patch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
        with cluster(tmp_path_factory.mktemp("cluster"), workers=2, memory="400MB") as made:
            yield made


@pytest.fixture(scope="module", autouse=True)
def no_thread_stays():
    """Threads of a client draw from `random`, which Hypothesis takes for a fault of another module's strategies."""
    yield
    engine_room.disconnect()
    assert not [it for it in threading.enumerate() if it.name in (engine_room.LOOP, "IO loop")]


def numbers_in(folder):
    return {path.name: int(path.read_text().split()[0]) for path in sorted(folder.glob("part-*"))}


@pytest.mark.process
def test_every_shard_becomes_its_part(two, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = []
    run_shards(write_number, [10, 20, 30, 40], Path("parts"), Engine(two.engine), lambda *told: seen.append(told))
    assert numbers_in(tmp_path / "parts") == {f"part-0000{n}.parquet": 10 * (n + 1) for n in range(4)}
    assert (tmp_path / "parts" / "_rejects" / "part-00003.parquet").read_text() == "beside 40"
    assert (seen[-1], len(seen)) == ((4, 100), 4)
    assert not list((tmp_path / "parts").rglob(".*"))


@pytest.mark.process
def test_parts_that_are_there_are_not_made_again(two, tmp_path):
    part_path(tmp_path, 1).write_text("7 made before")
    run_shards(write_number, [10, 20, 30], tmp_path, Engine(two.engine), no_report)
    assert numbers_in(tmp_path) == {"part-00000.parquet": 10, "part-00001.parquet": 7, "part-00002.parquet": 30}


@pytest.mark.process
def test_an_error_names_its_part_and_is_not_tried_again(two, tmp_path):
    with pytest.raises(StageError) as error:
        run_shards(partial(write_or_fail, [2]), [1, 2], tmp_path, Engine(two.engine), no_report)
    assert str(error.value) == "part 1: shard.txt: line 2: wanted a number, found none; fix it"


@pytest.mark.process
def test_a_fault_of_the_disk_is_tried_again(two, tmp_path):
    tries = tmp_path / "tries"
    tries.mkdir()
    run_shards(partial(write_after_a_while, str(tries)), [5, 6], tmp_path / "parts", Engine(two.engine), no_report)
    assert numbers_in(tmp_path / "parts") == {"part-00000.parquet": 5, "part-00001.parquet": 6}
    assert len(list(tries.iterdir())) == 6


@pytest.mark.process
def test_a_worker_that_takes_too_much_memory_fails_its_shard(two, tmp_path):
    with pytest.raises(StageError, match=r"^part 0: 1 workers? died at it, the last at tcp://.* \(out of memory\?\)$"):
        run_shards(take_memory, [1], tmp_path, Engine(two.engine), no_report)
    assert not list(tmp_path.iterdir())


RUN = """[candidates]
gap = []
counter_gap = []
[corpora.lines]
inputs = [{ path = "raw/*.jsonl" }]
shards = 6
[corpora.books]
inputs = [{ path = "books" }]
format = "gutenberg"
shards = 2
catalog.file = "books/pg_catalog.csv"
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A run that ends with documents, of rows and of books that a catalogue tells of."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw").mkdir()
    for part in range(6):
        rows = (json.dumps({"id": f"{part}-{n}", "text": f"Text {n} of {part}. " * 20}) for n in range(300))
        (tmp_path / "raw" / f"{part}.jsonl").write_text("\n".join(rows) + "\n")
    shutil.copytree(TESTS.parent / "resources" / "samples" / "gutenberg", tmp_path / "books")
    (tmp_path / "c.toml").write_text(RUN)
    return tmp_path


def parts_of(place):
    return {it.relative_to(place).as_posix(): it.read_bytes() for it in sorted((place / "output").rglob("*.parquet"))}


@pytest.mark.process
def test_a_cluster_of_this_machine_an_exchange_and_no_cluster_give_the_same_bytes(two, place, gapforge):
    runs = {
        "local": ["--workers", 1],
        "shared disk": ["--engine", two.engine],
        "exchange": ["--engine", two.engine, "--exchange", f"file://{place}/exchange/deep"],
        "this machine": ["--engine", "dask", "--workers", 2],
    }
    found = {}
    for name, options in runs.items():
        result = gapforge("run", "c.toml", *options)
        assert result.returncode == 0, result.stderr
        assert result.stderr == ""
        found[name] = parts_of(place)
        shutil.rmtree(place / "output")
    assert len(found["local"]) == 16
    assert all(parts == found["local"] for parts in found.values())
    assert not [path for path in (place / "exchange").rglob("*") if path.is_file()]


def write_or_wait(number, path, tick):
    """The second shard never ends."""
    if number == 2:
        time.sleep(600)
    return write_number(number, path, tick)


@pytest.mark.process
def test_a_scheduler_that_is_killed_is_told_and_what_has_landed_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", FINDABLE)
    with cluster(tmp_path / "cluster", workers=1) as brief:
        engine = Engine(brief.engine)
        told = []

        def report(parts, rows):
            told.append(parts)
            brief.kill(brief.scheduler)

        for _ in range(2):  # The first time it goes while we wait, the second it is known to have gone.
            with pytest.raises(StageError) as error:
                run_shards(write_or_wait, [1, 2], tmp_path / "parts", engine, report)
            assert str(error.value) == (
                f"the scheduler of {brief.engine} has gone; parts that have landed are kept: start it, run again"
            )
    assert told == [1]
    landed = part_path(tmp_path / "parts", 0).read_text()
    run_shards(write_number, [1, 2], tmp_path / "parts", Engine(), no_report)
    assert numbers_in(tmp_path / "parts") == {"part-00000.parquet": 1, "part-00001.parquet": 2}
    assert part_path(tmp_path / "parts", 0).read_text() == landed


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "dask://127.0.0.1:9"], "no Dask scheduler answers at 127.0.0.1:9; start one, or fix --engine"),
        (
            ["--engine", "dask://127.0.0.1"],
            "unknown engine 'dask://127.0.0.1'; choose local, dask, or dask://HOST:PORT",
        ),
        (["--exchange", "s3://x"], "the local engine has no use for the exchange s3://x; leave it out"),
    ],
)
def test_a_wrong_engine_is_told_before_any_work(place, gapforge, monkeypatch, arguments, message):
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
    result = gapforge("run", "c.toml", *arguments)
    assert (result.returncode, result.stderr) == (2, f"gapforge: {message}\n")
    assert not (place / "output").exists()


@pytest.mark.process
def test_a_wrong_exchange_is_told(two, place, gapforge):
    result = gapforge("run", "c.toml", "--engine", two.engine, "--exchange", "nowhere://x")
    assert result.returncode == 2
    assert "nowhere://x" in result.stderr and "name a place that can be written to" in result.stderr
    assert result.stderr.count("\n") == 1


def order(**changes):
    values = {"write_part": write_number, "shard": 1, "name": "part-00000.parquet", "place": "", "base": "/"}
    return Order(**(values | {"sent": None, "state": own_state(), "run": "1", "plugins": ()} | changes))


def test_a_worker_of_other_versions_refuses():
    with pytest.raises(InputError, match="has other versions of gapforge or of packages than this machine; install"):
        engine_room.write(order(state="another"))


def test_a_worker_without_the_folder_of_the_run_refuses(tmp_path):
    with pytest.raises(InputError, match=r"gone: is not on .*; a cluster has to share the folder of the run, or needs"):
        engine_room.enter(str(tmp_path / "gone"))


@pytest.mark.process
def test_the_state_is_that_of_code_and_word_lists():
    """In a process of its own, with another working directory and hash seed, it is the same."""
    program = "from gapforge.engine.cluster import own_state; print(own_state())"
    environment = os.environ | {"PYTHONHASHSEED": "4711"}
    told = subprocess.run([sys.executable, "-c", program], cwd="/", env=environment, capture_output=True, text=True)
    assert told.stdout.strip() == own_state()


@pytest.mark.process
@pytest.mark.parametrize("edited", ["pipeline/gapforge/people/names.py", "resources/lexicons/names.toml"])
def test_another_rule_or_list_is_another_state(tmp_path, edited):
    """A copy of the checkout has the state of the original until something in it is edited."""
    for name in ("pipeline", "resources"):
        shutil.copytree(TESTS.parent / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "samples"))

    def state():
        program = "from gapforge.engine.cluster import own_state; print(own_state())"
        environment = os.environ | {"PYTHONPATH": str(tmp_path / "pipeline")}
        return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True).stdout

    assert state() == f"{own_state()}\n"
    with (tmp_path / edited).open("a", encoding="utf-8") as file:
        file.write("\n# edited\n")
    assert len(state()) == 65 and state() != f"{own_state()}\n"
