"""Shards on a Dask cluster: one that is there, or one of this machine's processes.

A worker writes its part into its own scratch folder and puts it in place when it is whole. So a worker that is killed
leaves nothing, the scheduler gives its shard to another, and one that was only thought dead writes the same bytes.
Nothing but small messages passes through the scheduler; futures are let go as their parts land.

Dask runs what it is sent: only connect to a scheduler that nobody else can reach, or that asks for certificates
(Dask's own `distributed.comm.require-encryption`).

Files of a run for machines that do not share its disk: through any place that fsspec knows (s3, gs, a mount).

What a shard reads is put there once, under its checksum; a worker takes it to a folder of its own, in which paths
are those of the run's machine, writes its part beside it and puts that there too. The run's machine collects it.
"""

import asyncio
import atexit
import dataclasses
import hashlib
import logging
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import fsspec

from gapforge.engine import Engine, Reads, WritePart, part_path, processes
from gapforge.engine.parts import current_versions
from gapforge.errors import ConfigError, InputError, StageError, describe, one_line
from gapforge.plugins import forget_all, named_folders, search_in
from gapforge.progress import Report
from gapforge.resources import resource
from gapforge.storage.files import atomic_file, sha256_of, sync

# Settings and pieces of files hold paths as text in fields of these names.
TEXT_PATHS = frozenset(("path", "file"))


class Exchange:
    """A folder of one stage in the place that all machines reach; whatever an earlier run left in it is removed."""

    def __init__(self, url: str, name: str) -> None:
        try:
            self.files, root = fsspec.core.url_to_fs(url)
            self.root = f"{root.rstrip('/')}/{name}"
            self.remove()
            self.files.makedirs(f"{self.root}/reads", exist_ok=True)
        except (ImportError, ValueError, OSError) as error:
            raise ConfigError(f"--exchange {url}: {one_line(error)}; name a place that can be written to") from error
        self.url = f"{url.rstrip('/')}/{name}"
        self.sent: dict[Path, str] = {}

    def remove(self) -> None:
        if self.files.exists(self.root):
            self.files.rm(self.root, recursive=True)

    def send(self, paths: Iterable[Path]) -> dict[str, str]:
        """Put files and those of folders there, each once; the absolute path of each, and what it is called there."""
        found = {}
        for path in paths:
            for file in sorted(it for it in path.rglob("*") if it.is_file()) if path.is_dir() else [path]:
                place = file.absolute()
                if place not in self.sent:
                    self.sent[place] = f"{self.url}/reads/{sha256_of(place)}"
                    self.files.put_file(str(place), f"{self.root}/reads/{self.sent[place].rpartition('/')[2]}")
                found[str(place)] = self.sent[place]
        return found

    def collect(self, names: Iterable[str], folder: Path) -> None:
        """Bring files that a worker has delivered into the folder, in this order, each whole or not at all."""
        for name in names:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with atomic_file(target) as temporary:
                self.files.get_file(f"{self.root}/{name}", str(temporary))
            self.files.rm_file(f"{self.root}/{name}")


def bring(sent: Mapping[str, str], root: Path) -> dict[Path, Path]:
    """Take files to below a folder: where they and the folders above them are on the run's machine, and where here."""
    places = {}
    for name, url in sent.items():
        path = Path(name)
        local = root.joinpath(*path.parts[1:])
        local.parent.mkdir(parents=True, exist_ok=True)
        if not local.exists():
            with atomic_file(local) as temporary:
                files, remote = fsspec.core.url_to_fs(url)
                files.get_file(remote, str(temporary))
        places[path] = local
        places |= dict(zip(path.parents, local.parents, strict=False))
    return places


def put(folder: Path, names: Iterable[str], url: str) -> None:
    """Put files of a folder there, in this order."""
    files, root = fsspec.core.url_to_fs(url)
    for name in names:
        remote = f"{root}/{name}"
        files.makedirs(remote.rpartition("/")[0], exist_ok=True)
        files.put_file(str(folder / name), remote)


def relocated(value: Any, places: Mapping[Path, Path], base: Path) -> Any:
    """A shard, or what is done with it, with every path of the run's machine as it is here.

    A path is a `Path`, or text in a field of settings that is called so; relative ones begin at `base`.
    """

    def again(it: Any) -> Any:
        return relocated(it, places, base)

    if isinstance(value, Path):
        return places.get(base / value, value)
    if isinstance(value, partial):
        return partial(value.func, *map(again, value.args), **{name: again(it) for name, it in value.keywords.items()})
    if isinstance(value, (list, tuple)):
        return type(value)(map(again, value))
    if isinstance(value, dict):
        return {name: again(it) for name, it in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for field in dataclasses.fields(value):
            old = getattr(value, field.name)
            as_text = isinstance(old, str) and old and field.name in TEXT_PATHS
            changed[field.name] = str(again(Path(old))) if as_text and base / old in places else again(old)
        return dataclasses.replace(value, **changed)
    return value


try:
    import dask
    import distributed
    from distributed.comm.core import CommClosedError
    from tornado.ioloop import IOLoop
except ImportError as error:
    raise ConfigError("the dask engine needs distributed; pip install 'gapforge[cluster]'") from error

RETRIES = 2  # of a shard that failed by a fault of disk or network, which may pass
LOOPBACK = "127.0.0.1"
LOOP = "loop of a Dask client"
PATIENCE = 30  # seconds until a loop has begun or ended; a run must not wait for one that hangs

LOST = (CancelledError, distributed.client.FutureCancelledError, CommClosedError)

log = logging.getLogger("distributed.worker")  # which a worker shows without being asked to

# A process works at one shard at a time, however many threads it has: each needs the memory of a model and a part, and
# the working directory is the process's.
one_at_a_time = threading.Lock()


@dataclass(frozen=True, slots=True)
class Order:
    """What a worker is asked to do: one shard, and where its part goes.

    `place` is the run's folder on a disk that is shared, or a URL of the exchange; `sent` are the files that the shard
    reads, by their names in the exchange. `base` is the run's working directory, `plugins` are the folders beside it in
    which the run finds plug-ins.
    """

    write_part: WritePart
    shard: Any
    name: str
    place: str
    base: str
    sent: dict[str, str] | None
    state: str
    run: str
    plugins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a worker has made: rows, files in the order in which they were put in place, its memory; or what failed."""

    rows: int = 0
    files: tuple[str, ...] = ()
    peak: int = 0
    failure: str = ""


def run_on_cluster(
    write_part: WritePart, jobs: list[tuple[int, Any]], folder: Path, engine: Engine, report: Report, reads: Reads
) -> dict[int, str]:
    """Make the parts of numbered shards, and say what went wrong with which."""
    client = connected(engine)
    if client.status != "running":  # An earlier stage has lost it.
        raise gone(engine)
    if not client.scheduler_info(n_workers=-1)["workers"]:
        sys.stderr.write(f"{engine.name} has no worker yet; waiting for one\n")
    exchange = Exchange(engine.exchange, folder.name.strip(".")) if engine.exchange else None
    run = uuid4().hex[:12]
    futures: dict[Any, int] = {}
    for index, shard in jobs:
        order = Order(
            write_part=write_part,
            shard=shard,
            name=part_path(folder, index).name,
            place=exchange.url if exchange else str(folder.absolute()),
            base=str(Path.cwd()),
            sent=exchange.send(reads(shard)) if exchange else None,
            state=own_state(),
            run=run,
            plugins=named_folders(),
        )
        key = f"gapforge-{folder.name.strip('.')}-{run}-{index:05}"
        futures[client.submit(work, order, key=key, pure=False, retries=RETRIES, priority=-index)] = index
    try:
        failures = land(client, futures, folder, exchange, engine, report)
    finally:
        if client.status == "running":
            client.cancel(list(futures), force=True)
    if exchange:
        exchange.remove()
    return failures


def land(
    client: Any, futures: dict[Any, int], folder: Path, exchange: Exchange | None, engine: Engine, report: Report
) -> dict[int, str]:
    """Wait for the parts; those of the futures that are through leave the table."""
    rows = 0
    failures: dict[int, str] = {}
    for parts, future in enumerate(distributed.as_completed(list(futures), loop=client.loop), 1):
        index = futures.pop(future)
        outcome = outcome_of(future, engine)
        if not outcome.failure:
            if exchange:
                exchange.collect(outcome.files, folder)
            if not part_path(folder, index).exists():
                where = "a cluster has to share this folder, or needs --exchange"
                outcome = Outcome(failure=f"a worker has written it, but not into {folder.absolute()}: {where}")
        if outcome.failure:
            failures[index] = outcome.failure
            break  # The next would most likely fail alike.
        rows += outcome.rows
        processes.note_worker(outcome.peak)
        report(parts, rows)
    return failures


def outcome_of(future: Any, engine: Engine) -> Outcome:
    try:
        outcome: Outcome = future.result()
    except distributed.KilledWorker as error:
        died = f"{error.allowed_failures + 1} workers died at it, the last at {error.last_worker.address}"
        return Outcome(failure=f"{died} (out of memory?)")
    except LOST as error:
        raise gone(engine) from error
    except OSError as error:  # Tried more than once.
        return Outcome(failure=describe(error))
    return outcome


def gone(engine: Engine) -> StageError:
    return StageError(f"the scheduler of {engine.name} has gone; parts that have landed are kept: start it, run again")


connections = ExitStack()  # open clients and clusters, and the loops in which they work


@cache
def connected(engine: Engine) -> Any:
    """A client of the engine's cluster, the same for all stages; a cluster of our own is started with it.

    It lives until `disconnect`, or until the process ends.
    """
    for name in ("distributed", "distributed.client"):  # What matters of their logs is told by us, in a line.
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    loop = connections.enter_context(loop_in_thread())
    if engine.scheduler:
        scheme = "tls" if dask.config.get("distributed.comm.require-encryption") else "tcp"
        try:
            client = distributed.Client(f"{scheme}://{engine.scheduler}", set_as_default=False, loop=loop)
        except (OSError, TimeoutError) as error:
            raise ConfigError(f"no Dask scheduler answers at {engine.scheduler}; start one, or fix --engine") from error
    else:
        # Bound to loopback: whoever reaches a scheduler can run code.
        cluster = distributed.LocalCluster(
            n_workers=engine.workers,
            threads_per_worker=1,
            host=LOOPBACK,
            dashboard_address=f"{LOOPBACK}:0",
            silence_logs=logging.CRITICAL,  # Workers that end beside their scheduler call it an error.
            loop=loop,
        )
        connections.callback(cluster.close)
        client = distributed.Client(cluster, set_as_default=False, loop=loop)
    connections.callback(client.close)
    return client


@contextmanager
def loop_in_thread() -> Iterator[IOLoop]:
    """An event loop for a client. One that the client starts itself never ends if its scheduler dies or is silent."""
    ready: Future[tuple[IOLoop, asyncio.Event]] = Future()

    async def until_stopped() -> None:
        stop = asyncio.Event()
        ready.set_result((IOLoop.current(), stop))
        await stop.wait()

    thread = threading.Thread(target=asyncio.run, args=(until_stopped(),), name=LOOP, daemon=True)
    thread.start()
    loop, stop = ready.result(PATIENCE)
    try:
        yield loop
    finally:
        loop.add_callback(stop.set)
        thread.join(PATIENCE)


@atexit.register
def disconnect() -> None:
    """Close all clients and clusters of our own; the threads in which they work end with them."""
    connected.cache_clear()
    connections.close()


def work(order: Order) -> Outcome:
    """The part of one shard, by a worker; a fault of disk or network is raised, so that it is tried again."""
    with one_at_a_time:
        try:
            return write(order)
        except OSError:
            raise
        except Exception as error:
            return Outcome(failure=describe(error))


def write(order: Order) -> Outcome:
    if order.state != own_state():
        raise InputError(
            f"the worker at {socket.gethostname()} has other versions of gapforge or of packages than this machine; "
            "install the same lock file there and start it anew"
        )
    enter_run(order.run, order.plugins)
    processes.begin()
    scratch = distributed.get_worker().local_directory
    with tempfile.TemporaryDirectory(dir=scratch, prefix="gapforge-") as name:
        folder = Path(name) / "part"
        folder.mkdir()
        if order.sent is None:
            enter(order.base)
            rows = order.write_part(order.shard, folder / order.name, no_tick)
            files = files_of(folder, order.name)
            move_in(folder, files, Path(order.place))
        else:
            places = bring(order.sent, Path(name) / "reads")
            task, shard = (relocated(it, places, Path(order.base)) for it in (order.write_part, order.shard))
            rows = task(shard, folder / order.name, no_tick)
            files = files_of(folder, order.name)
            put(folder, files, order.place)
    log.info("gapforge has written %s of %s", order.name, order.place)
    return Outcome(rows, tuple(files), processes.peak())


@lru_cache(maxsize=1)
def enter_run(run: str, folders: tuple[str, ...]) -> None:
    """Once for each run: a worker outlives runs, and plug-ins may have been edited since the last one."""
    forget_all()
    search_in(*folders)


def no_tick(rows: int) -> None:
    """Rows are told when a part has landed: a message for each step would all pass through the scheduler."""


def enter(base: str) -> None:
    """Go to the run's working directory, where its relative paths begin."""
    try:
        os.chdir(base)
    except OSError as error:
        raise InputError(
            f"{base}: is not on {socket.gethostname()}; a cluster has to share the folder of the run, or needs "
            "--exchange with a place that all its machines reach"
        ) from error


def files_of(folder: Path, last: str) -> list[str]:
    """What was written into the folder; the part itself comes last, since it says that all is there."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return [*(name for name in names if name != last), last]


def move_in(folder: Path, names: Iterable[str], target: Path) -> None:
    """Copy files to the shared disk, each whole or not at all.

    Names of temporary files are by no process number, which another machine could have too.
    """
    for name in names:
        place = target / name
        place.parent.mkdir(exist_ok=True)
        temporary = place.parent / f".{place.name}.w{uuid4().hex}.tmp"
        try:
            shutil.copyfile(folder / name, temporary)
            sync(temporary)
            temporary.replace(place)
            sync(place.parent)
        finally:
            temporary.unlink(missing_ok=True)


@cache
def own_state() -> str:
    """The code, word lists and versions by which this process works: the same everywhere, or bytes may differ."""
    package = Path(__file__).parents[1]
    python = ".".join(map(str, sys.version_info[:2]))
    digest = hashlib.sha256(repr(sorted({**current_versions(), "python": python}.items())).encode())
    for folder, pattern in ((package, "*.py"), (resource("lexicons"), "*"), (resource("subjectivity"), "*")):
        for path in sorted(folder.rglob(pattern)):
            if path.is_file():
                digest.update(f"{path.relative_to(folder).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()
