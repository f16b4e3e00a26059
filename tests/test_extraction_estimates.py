"""Estimates of hours, memory and disk: the arithmetic on figures worked out by hand, and the real command."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gapforge.engine import Engine, count_workers
from gapforge.engine.parts import write_part
from gapforge.extraction.estimates import (
    CorpusEstimate,
    Measured,
    estimate_stage,
    idle_note,
    makespan,
    stretch_of,
    thinned,
)
from gapforge.records import Document
from gapforge_tasks.cli.run import size, spell

# 200 of some unit in 10 seconds by the clock and 8 of CPU; 4 rows in 1,000 bytes; half a gigabyte.
SAMPLE = Measured(read=200, characters=180, rows=4, bytes=1_000, seconds=10.0, cpu=8.0, memory=500_000_000)


@pytest.mark.parametrize(
    ("shards", "workers", "expected"),
    [
        ([10], 1, 10),
        ([10], 4, 10),
        ([10, 10, 10, 10], 2, 20),
        ([10, 10, 10], 2, 20),
        ([1, 1, 10], 2, 11),
        ([10, 1, 1], 2, 10),
        ([5, 1, 1, 1, 5], 3, 6),  # one is busy till 5, one with two of 1 till 2, one till 1 and with the last till 6
    ],
)
def test_workers_take_one_shard_after_another(shards, workers, expected):
    assert makespan(shards, workers) == expected


@pytest.mark.parametrize(
    ("shards", "workers", "seconds", "cpu"),
    [
        ([400, 200, 200], 1, 3 + 40, 3 + 32),
        ([400, 200, 200], 2, 3 + 20, 6 + 32),
        ([400, 200, 200], 3, 3 + 20, 9 + 32),
        ([400, 200, 200], 99, 3 + 20, 9 + 32),  # no faster than the largest, and only three are started
    ],
)
def test_a_stage_grows_with_its_shards(shards, workers, seconds, cpu):
    """800 of the unit are four times the sample: 40 seconds of work after 3 of start."""
    found = estimate_stage("Candidates-x-gap", "characters", SAMPLE, 3.0, shards, workers)
    assert (found.seconds, found.cpu_seconds) == (pytest.approx(seconds), pytest.approx(cpu))
    assert (found.whole, found.rows, found.bytes, found.memory) == (800, 16, 4_000, 500_000_000)
    assert found.rows_per_million == 20_000


def test_the_sums_of_a_corpus():
    larger = Measured(200, 180, 4, 1_000, 10.0, 8.0, 700_000_000)
    stages = [estimate_stage("a", "bytes", SAMPLE, 1.0, [200, 200], 3)]
    stages += [estimate_stage("b", "characters", larger, 2.0, [100, 100], 3)]
    assert CorpusEstimate("x", 3, 2, stages).totals == {
        "seconds": pytest.approx((1 + 10) + (2 + 5)),
        "cpu_seconds": pytest.approx((2 + 16) + (4 + 8)),
        "memory_of_a_worker": 700_000_000,
        "memory": 1_400_000_000,  # of the two that have a shard
        "bytes": 3_000,
    }


@pytest.mark.parametrize(
    ("shards", "wanted", "workers", "expected"),
    [
        ([10] * 16, 16, 2, ""),
        ([10] * 9, 9, 2, ""),  # a tenth of the time is lost
        (
            [10] * 16,
            16,
            100,
            "84 of 100 workers have nothing to do, as a shard is never split and there are 16, "
            "the largest of them 6% of all; set [corpora.x] shards = 400",
        ),
        (
            [10] * 3,
            3,
            2,
            "workers have nothing to do for 25% of the time, as a shard is never split and there are 3, "
            "the largest of them 33% of all; set [corpora.x] shards = 8",
        ),
        (
            [30, 10],
            16,
            2,
            "workers have nothing to do for 33% of the time, as a shard is never split and there are 2, "
            "the largest of them 75% of all; its files cannot be cut into more: fewer workers will do as well",
        ),
    ],
)
def test_what_to_change_where_workers_idle(shards, wanted, workers, expected):
    assert idle_note("x", shards, wanted, workers) == expected


@pytest.mark.parametrize(
    ("lengths", "wanted", "expected"),
    [
        ([1_000] * 10, 20_000, [1_000] * 10),
        ([1_000] * 10, 5_000, [1_000] * 5),
        ([800_000, 800_000], 400_000, [200_000, 200_000]),
        ([800_000, 800_000], 120_000, [100_000, 100_000]),
        ([800_000, 800_000, 800_000], 60_000, [100_000]),
    ],
)
def test_a_sample_of_documents_is_spread_evenly(tmp_path, make_document, lengths, wanted, expected):
    """Of long ones the middle, no less than 100,000 characters."""
    documents = [make_document(id=str(n), text=chr(97 + n) * length) for n, length in enumerate(lengths)]
    write_part(tmp_path / "part-00000.parquet", Document, documents, lambda rows: None)
    found = list(thinned([tmp_path / "part-00000.parquet"], 8_000_000, wanted))
    assert [len(document.text) for document in found] == pytest.approx(expected, rel=1e-3)


def test_a_stretch_is_the_middle(make_document):
    document = stretch_of(make_document(text="0123456789"), 4)
    assert document.text == "3456"
    assert [(it.start, it.end) for it in document.sections] == [(0, 4)]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.4, "0 s"), (119, "119 s"), (150, "2 min"), (7_199, "120 min"), (7_200, "2.0 h"), (4_500_000, "1,250.0 h")],
)
def test_durations_are_spelt_in_their_unit(seconds, expected):
    assert spell(seconds) == expected


@pytest.mark.parametrize(
    ("count", "expected"),
    [(1_234, "1 kB"), (9_999_000, "9,999 kB"), (12_345_678, "12.3 MB"), (592_000_000, "592 MB"), (1.2e9, "1.2 GB")],
)
def test_sizes_are_spelt_in_their_unit(count, expected):
    assert size(count) == expected


@pytest.mark.parametrize(("name", "workers"), [("local", 3), ("dask", 5)])
def test_an_engine_of_this_machine_has_the_workers_it_is_given(name, workers):
    assert count_workers(Engine(name, workers)) == workers


TALE = (
    "Walter Pym and Edwin Stroud kept the lamp. Dora Kell told Ida Brandt that she had the key. The wind rose. "
    "Walter Pym told Edwin Stroud that he was late. Then Dora Kell met Ida Brandt, and she laughed.\n\n"
)
CONFIG = '[corpora.tales]\ninputs = [{ path = "raw" }]\nshards = 2\n'
FIGURES = ("seconds", "cpu_seconds", "memory", "bytes")


@pytest.fixture
def tales(tmp_path, monkeypatch):
    """A corpus of two shards with two kinds of candidates, and a place for temporary files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    for folder in ("raw", "temporary"):
        (tmp_path / folder).mkdir()
    for name in "abcd":
        (tmp_path / "raw" / f"{name}.txt").write_text(TALE * 20, "utf-8")
    (tmp_path / "tales.toml").write_text(CONFIG, "utf-8")
    return tmp_path


def built_files(folder):
    """What lies in the output folder; checksums that were learnt of the inputs are kept by every command."""
    return [
        path
        for path in (folder / "output").rglob("*")
        if path.is_file() and path.name not in (".checksums.json", ".code.json")
    ]


@pytest.mark.process
def test_a_dry_run_estimates_what_is_not_done(gapforge, tales):
    result = gapforge("run", "tales.toml", "--dry-run", "--workers", 8, "--json")
    assert result.returncode == 0, result.stderr
    assert result.stderr == "tales: measuring a sample, which takes some 25 seconds\n"
    told = json.loads(result.stdout)
    assert {it["state"] for it in told["stages"]} == {"missing"}
    (found,) = told["estimates"]
    assert (found["corpus"], found["workers"], found["shards"]) == ("tales", 8, 2)
    assert all(found[name] > 0 for name in FIGURES)
    assert found["memory"] == 2 * found["memory_of_a_worker"]
    names = ["Documents-tales", "Candidates-tales-gap", "Candidates-tales-counter-gap"]
    assert [it["stage"] for it in found["stages"]] == names
    assert all(it[name] > 0 for it in found["stages"] for name in FIGURES)
    # The sample is all of so small a corpus, and what it gives is what a run gives.
    documents, gap, _ = found["stages"]
    whole = 4 * 20 * len(TALE)
    assert (documents["unit"], documents["whole"], documents["rows"]) == ("bytes", whole, 4)
    assert (gap["unit"], gap["whole"], gap["sample"]["read"]) == ("characters", whole, whole)
    assert gap["rows"] == gap["sample"]["rows"] > 0
    (note,) = found["notes"]
    assert note == (
        "6 of 8 workers have nothing to do, as a shard is never split and there are 2, "
        "the largest of them 50% of all; set [corpora.tales] shards = 32"
    )
    assert built_files(tales) == []
    assert list((tales / "temporary").iterdir()) == []


@pytest.mark.process
def test_what_is_done_is_not_estimated(gapforge, tales):
    only_gap = "[candidates]\ncounter_gap = []\n"
    (tales / "tales.toml").write_text("[candidates]\ngap = []\ncounter_gap = []\n" + CONFIG)
    assert gapforge("run", "tales.toml", "--workers", 1).returncode == 0
    result = gapforge("run", "tales.toml", "--dry-run")
    assert (result.returncode, result.stderr) == (0, "")
    assert "estimate" not in result.stdout
    assert json.loads(gapforge("run", "tales.toml", "--dry-run", "--json").stdout)["estimates"] == []

    (tales / "tales.toml").write_text(only_gap + CONFIG)
    before = {path: path.read_bytes() for path in built_files(tales)}
    result = gapforge("run", "tales.toml", "--dry-run", "--workers", 1)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines.index("tales: estimate for 1 worker, each with a core of its own".ljust(len(lines[-5]))) > 0
    table = result.stdout.partition("estimate for")[2]
    assert "Candidates-tales-gap" in table
    assert "Documents-tales" not in table
    assert lines[-1] == "later stages are not estimated: most are small beside these (docs/scale.md)"
    assert {path: path.read_bytes() for path in built_files(tales)} == before


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.txt", b"abc\xff", "Documents-tales: part 0: raw/bad.txt: byte 3: "),
        ("rows.jsonl", b"{", "Documents-tales: part 0: raw/rows.jsonl: line 1, column 2: wanted a JSON object"),
    ],
)
def test_a_bad_input_is_one_line(gapforge, tales, name, content, message):
    """The state of all stages is told before."""
    (tales / "raw" / name).write_bytes(content)
    result = gapforge("run", "tales.toml", "--dry-run", "--json")
    assert result.returncode == 1
    assert json.loads(result.stdout)["estimates"] == []
    begun, failed = result.stderr.splitlines()
    assert begun == "tales: measuring a sample, which takes some 25 seconds"
    assert failed.startswith(f"gapforge: {message}")
    assert list((tales / "temporary").iterdir()) == []


def test_inputs_that_are_missing_or_not_fetched(gapforge, tales):
    (tales / "tales.toml").write_text('[corpora.tales]\ninputs = [{ path = "none" }]\n')
    result = gapforge("run", "tales.toml", "--dry-run")
    assert result.returncode == 1
    assert result.stderr == "gapforge: Documents-tales: none: no such file or folder; fix the path\n"
    url = "http://127.0.0.1:9/a.txt"
    (tales / "tales.toml").write_text(f'[corpora.tales]\ninputs = [{{ url = "{url}", sha256 = "{"0" * 64}" }}]\n')
    result = gapforge("run", "tales.toml", "--dry-run")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith(f"tales: {url} is not here yet, so there is nothing to estimate by\n")


@pytest.mark.process
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_estimate_leaves_nothing(tales, number, code):
    process = subprocess.Popen(
        [Path(sys.executable).parent / "gapforge", "run", "tales.toml", "--dry-run"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not list((tales / "temporary").glob("gapforge-estimate-*/documents/part-*")):
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in errors
    assert list((tales / "temporary").iterdir()) == []
    assert built_files(tales) == []
