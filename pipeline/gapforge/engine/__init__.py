"""Run a function over shards, each shard its own part file: in processes of this machine, or on a Dask cluster.

A part file that is there is done: it was renamed into place whole. So a run that was stopped goes on where it was,
shard by shard, whichever engine it had before, and the parent keeps no state but the list of shards. What comes out
is the same bytes by either.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gapforge.errors import ConfigError, StageError
from gapforge.progress import Report
from gapforge.storage.files import sweep_all

Tick = Callable[[int], None]
WritePart = Callable[[Any, Path, Tick], int]
Reads = Callable[[Any], Iterable[Path]]

LOCAL, DASK = "local", "dask"
ADDRESS = re.compile(r"dask://((?:\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):[0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class Engine:
    """Where shards are run: `local`, `dask` for a cluster on this machine, or `dask://HOST:PORT` for one that is there.

    `workers` are processes of this machine. `exchange` is a place that all machines of a cluster reach, such as
    s3://bucket/folder; where it is empty, they share the disk of this one.
    """

    name: str = LOCAL
    workers: int = 1
    exchange: str = ""

    def __post_init__(self) -> None:
        if self.name not in (LOCAL, DASK) and not ADDRESS.fullmatch(self.name):
            raise ConfigError(f"unknown engine {self.name!r}; choose local, dask, or dask://HOST:PORT")
        if self.exchange and self.name == LOCAL:
            raise ConfigError(f"the local engine has no use for the exchange {self.exchange}; leave it out")

    @property
    def scheduler(self) -> str:
        """HOST:PORT of the cluster; empty where it is to be started here."""
        found = ADDRESS.fullmatch(self.name)
        return found[1] if found else ""


def check_engine(engine: Engine) -> None:
    """Find out before any work whether the engine can be used: its packages are there, and its scheduler answers."""
    if engine.name != LOCAL:
        from gapforge.engine.cluster import connected

        if engine.scheduler:
            connected(engine)


def count_workers(engine: Engine) -> int:
    """How many shards the engine runs at once; of a cluster that nobody has joined yet, one."""
    if not engine.scheduler:
        return engine.workers
    from gapforge.engine.cluster import connected

    return max(1, len(connected(engine).scheduler_info(n_workers=-1)["workers"]))


def part_path(folder: Path, index: int) -> Path:
    return folder / f"part-{index:05}.parquet"


def the_shard(shard: Any) -> list[Path]:
    """What a shard that is a file reads."""
    return [shard]


def run_shards(
    write_part: WritePart, shards: Sequence[Any], folder: Path, engine: Engine, report: Report, reads: Reads = the_shard
) -> None:
    """Call `write_part(shard, path, tick)` for each shard whose part is missing; StageError lists those that failed.

    `write_part` returns its number of rows and must be importable (a function of a module, or a partial of one):
    workers are started afresh. `reads` names the files that a shard is made of, for machines that do not share them.
    After an error no further shard is started, since the next would most likely meet the same one. The caller holds
    the run's lock: nobody else writes to the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sweep_all(folder)
    missing = [(n, shard) for n, shard in enumerate(shards) if not part_path(folder, n).exists()]
    done = len(shards) - len(missing)

    def told(parts: int, rows: int) -> None:
        report(done + parts, rows)

    try:
        failures = run_missing(write_part, missing, folder, engine, told, reads) if missing else {}
    finally:
        sweep_all(folder)
    if failures:
        raise StageError("\n".join(f"part {index}: {why}" for index, why in sorted(failures.items())))


def run_missing(
    write_part: WritePart, missing: list[tuple[int, Any]], folder: Path, engine: Engine, report: Report, reads: Reads
) -> dict[int, str]:
    # Each engine is loaded where it is used: Dask takes longer than all the rest of the start.
    if engine.name == LOCAL:
        from gapforge.engine.processes import run_in_processes

        return run_in_processes(write_part, missing, folder, engine.workers, report)
    from gapforge.engine.cluster import run_on_cluster

    return run_on_cluster(write_part, missing, folder, engine, report, reads)
