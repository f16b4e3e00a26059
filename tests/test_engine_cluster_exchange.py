"""Files through a place that machines have in common, and shards whose paths are those of another machine."""

from functools import partial
from pathlib import Path

import pytest

from gapforge.corpora.source import Catalog, Piece, ReadSettings
from gapforge.counterfactuals.quadruples import QuadrupleSettings
from gapforge.engine.cluster import Exchange, bring, put, relocated
from gapforge.engine.stages import Call, Shard, Table, files_read
from gapforge.errors import ConfigError
from gapforge.records import Biography

BASE = Path("/runs")
PLACES = {
    Path("/runs/out/D/part-0.parquet"): Path("/here/runs/out/D/part-0.parquet"),
    Path("/runs/out/D"): Path("/here/runs/out/D"),
    Path("/runs/raw/a.txt"): Path("/here/runs/raw/a.txt"),
    Path("/runs/catalog.csv"): Path("/here/runs/catalog.csv"),
    Path("/runs/novels"): Path("/here/runs/novels"),
}


def write(maker, shard):
    """What a worker would call."""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Path("out/D/part-0.parquet"), Path("/here/runs/out/D/part-0.parquet")),
        (Path("/runs/out/D"), Path("/here/runs/out/D")),
        (Path("elsewhere"), Path("elsewhere")),
        ("novels", "novels"),  # the name of a corpus, though a folder is called so
        (3, 3),
        (
            [("text", Piece("raw/a.txt", "raw/a.txt", 5, 9))],
            [("text", Piece("/here/runs/raw/a.txt", "raw/a.txt", 5, 9))],
        ),
        (ReadSettings(catalog=Catalog("catalog.csv")), ReadSettings(catalog=Catalog("/here/runs/catalog.csv"))),
        (ReadSettings(catalog=Catalog("")), ReadSettings(catalog=Catalog(""))),
        (
            Table(Biography, (Path("out/D/part-0.parquet"),)),
            Table(Biography, (Path("/here/runs/out/D/part-0.parquet"),)),
        ),
        (
            Call("a:b", Biography, {"settings": QuadrupleSettings(), "files": {"jobs": Path("out/D")}}),
            Call("a:b", Biography, {"settings": QuadrupleSettings(), "files": {"jobs": Path("/here/runs/out/D")}}),
        ),
    ],
)
def test_paths_are_those_of_the_worker(value, expected):
    assert relocated(value, PLACES, BASE) == expected


def test_what_is_done_with_a_shard_has_its_paths_too():
    found = relocated(partial(write, Path("out/D"), shard=Path("raw/a.txt")), PLACES, BASE)
    assert (found.func, found.args, found.keywords) == (
        write,
        (Path("/here/runs/out/D"),),
        {"shard": Path("/here/runs/raw/a.txt")},
    )


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run's folder with a file and a folder of parts, and an exchange beside it in which something was left."""
    (tmp_path / "run" / "parts").mkdir(parents=True)
    (tmp_path / "run" / "a.txt").write_text("one")
    for n in range(2):
        (tmp_path / "run" / "parts" / f"part-{n}").write_text(f"part {n}")
    (tmp_path / "exchange" / "stage").mkdir(parents=True)
    (tmp_path / "exchange" / "stage" / "part-9").write_text("of an earlier run")
    monkeypatch.chdir(tmp_path / "run")
    return tmp_path


def test_files_go_there_and_parts_come_back(run):
    exchange = Exchange(f"file://{run}/exchange/", "stage")
    assert not (run / "exchange" / "stage" / "part-9").exists()
    sent = exchange.send([Path("a.txt"), Path("parts")])
    assert sorted(Path(name).relative_to(run).as_posix() for name in sent) == [
        "run/a.txt",
        "run/parts/part-0",
        "run/parts/part-1",
    ]
    before = {it.name: it.stat().st_mtime_ns for it in (run / "exchange" / "stage" / "reads").iterdir()}
    assert exchange.send([Path("a.txt")]) == {str(run / "run" / "a.txt"): sent[str(run / "run" / "a.txt")]}
    assert {it.name: it.stat().st_mtime_ns for it in (run / "exchange" / "stage" / "reads").iterdir()} == before

    places = bring(sent, run / "worker")
    assert places[run / "run" / "a.txt"].read_text() == "one"
    assert sorted(it.read_text() for it in places[run / "run" / "parts"].iterdir()) == ["part 0", "part 1"]
    (run / "worker" / "_rejects").mkdir()
    (run / "worker" / "_rejects" / "part-3").write_text("rejects")
    (run / "worker" / "part-3").write_text("rows")
    put(run / "worker", ["_rejects/part-3", "part-3"], exchange.url)

    exchange.collect(["_rejects/part-3", "part-3"], run / "run")
    assert (run / "run" / "part-3").read_text() == "rows"
    assert (run / "run" / "_rejects" / "part-3").read_text() == "rejects"
    assert not list((run / "exchange").rglob("part-3"))
    exchange.remove()
    assert not list((run / "exchange").iterdir())


@pytest.mark.parametrize("url", ["nowhere://x", "/proc/nobody/writes/here"])
def test_a_place_that_cannot_be_used_is_told(url):
    with pytest.raises(ConfigError, match=rf"^--exchange {url}: .*; name a place that can be written to$"):
        Exchange(url, "stage")


def test_a_part_is_made_from_its_own_part_of_a_table(run):
    """Each worker of a cluster without a shared disk would else fetch the whole corpus."""
    parts = tuple(Path("parts") / f"part-{n}" for n in range(2))
    given = {"rows": Table(object, parts), "others": Table(object, (Path("others"),)), "files": {"a": Path("a.txt")}}
    call = Call("nowhere:rows", object, {**given, "folder": Path("out")}, shard_by="rows").for_workers()
    shards = [Shard(number, 2, part) for number, part in enumerate(given["rows"].each_part())]
    assert [files_read(call, it) for it in shards] == [[Path("others"), Path("a.txt"), part] for part in parts]
