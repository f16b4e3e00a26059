"""What every stage shares: its config, its folder, and when that folder is out of date."""

import dataclasses
import os
import shutil
import time
from functools import cache
from pathlib import Path
from typing import Any

import luigi
from gapforge.config import load_settings
from gapforge.engine import LOCAL, Engine, part_path
from gapforge.engine import processes as memory
from gapforge.engine.parts import Identity, count_rows, finish, read_manifest, why_stale, write_part
from gapforge.errors import InputError
from gapforge.resources import resource
from gapforge.storage.files import Checksums, publish_folder, run_lock, sweep_all

from gapforge_tasks.parameters import ConfigFile

OUTPUT = Path("output")
DOWNLOADS = OUTPUT / ".downloads"  # hidden: plan refuses a config of such a name
SAMPLE = resource("config/sample.toml")


# Luigi's own exit codes are 0 whatever happens; a scheduler must learn of a failure. A luigi.cfg that sets them wins.
RETCODES = {
    "task_failed": 1,
    "missing_data": 1,
    "not_run": 1,
    "scheduling_error": 2,
    "already_running": 3,
    "unhandled_exception": 4,
}


def set_defaults(config: luigi.configuration.LuigiConfigParser) -> None:
    # Luigi's own lock knows only the command line: the same relative config in two folders would collide. Ours is
    # the folder's.
    if not config.has_option("core", "no_lock"):
        config.set("core", "no_lock", "true")
    for name, code in RETCODES.items():
        if not config.has_option("retcode", name):
            config.set("retcode", name, str(code))


set_defaults(luigi.configuration.get_config())


class Machine(luigi.Config):
    """What this machine gives to a run; it never changes what comes out, so it is in no fingerprint."""

    workers = luigi.IntParameter(default=0, description="worker processes; 0 means one for each core")
    where = luigi.Parameter(default=LOCAL, description="local, dask, or dask://HOST:PORT")
    exchange = luigi.Parameter(
        default="", description="a URL that all machines of a cluster reach, if no disk is shared"
    )

    @property
    def engine(self) -> Engine:
        processes = int(self.workers) if self.workers > 0 else len(os.sched_getaffinity(0))
        return Engine(self.where, processes, self.exchange)


@cache
def remembered_checksums(folder: Path) -> Checksums:
    return Checksums(folder / ".checksums.json")


@cache
def known_identity(stage: "Stage") -> Identity:
    """The identity of a stage, worked out once per run: it asks for the state of every raw file."""
    return stage.current_identity()


class Stage(luigi.Task):
    """Builds one folder of records by calling one function of `pipeline`.

    Luigi takes a file that exists for a task that is done. A stage compares the identity
    kept in its manifest with what it would be now, so a changed setting, input, model,
    upstream stage or `version` rebuilds it, and nothing else does.
    """

    config = ConfigFile(default=str(SAMPLE), description="the TOML file that describes the run")

    settings_type: type | None = None
    version = 1

    # Luigi takes one of each resource to run a task: with `luigi --workers 2`, too, stages follow each other, and the
    # engine keeps all cores busy within one.
    resources = {"run": 1}  # noqa: RUF012 (Luigi's own form)

    @property
    def record(self) -> type:
        """What the stage's table holds."""
        raise NotImplementedError(f"{type(self).__name__} must name its record")

    @property
    def section(self) -> str:
        """Where the stage's settings stand in the config."""
        return ""

    @property
    def settings(self) -> Any:
        return load_settings(self.config, self.section, self.settings_type) if self.settings_type else None

    @property
    def name(self) -> str:
        which = self.to_str_params(only_significant=True)
        return "-".join([self.task_family, *(value for key, value in which.items() if key != "config")])

    @property
    def run_folder(self) -> Path:
        return OUTPUT / Path(self.config).stem

    @property
    def checksums(self) -> Checksums:
        return remembered_checksums(self.run_folder.resolve())

    @property
    def folder(self) -> Path:
        return self.run_folder / self.name

    def output(self) -> luigi.LocalTarget:
        return luigi.LocalTarget(str(self.folder))

    def sources(self) -> list["Stage"]:
        """The stages whose records this one takes in; others may be needed to judge them."""
        return list(self.deps())

    def upstream(self) -> list["Stage"]:
        """Every stage that this one rests on, each after those it needs."""
        return [stage for stage in stages_below(self) if stage.name != self.name]

    def inputs(self) -> dict[str, str]:
        """The raw files that the stage reads, with their checksums."""
        return {}

    def model(self) -> str:
        """The name and version of the model that the stage uses."""
        return ""

    def fingerprinted_settings(self) -> dict[str, Any]:
        """The settings that decide what comes out."""
        return dataclasses.asdict(self.settings) if self.settings_type else {}

    def identity(self) -> Identity:
        return known_identity(self)

    def current_identity(self) -> Identity:
        return Identity(
            stage=self.name,
            version=self.version,
            settings=self.fingerprinted_settings(),
            inputs=self.inputs(),
            upstream={stage.name: stage.identity().fingerprint for stage in self.deps()},
            model=self.model(),
        )

    def why_stale(self) -> str:
        reason = why_stale(self.folder, self.identity(), self.checksums)
        self.checksums.save()  # To hash a dump takes minutes; what was learnt is kept, however the run ends.
        return reason

    def complete(self) -> bool:
        return not self.why_stale()

    def build(self) -> Any:
        """The records of a stage that is made in one piece; a sharded stage overrides `write`."""
        raise NotImplementedError(f"{type(self).__name__} must define build or write")

    def write(self, folder: Path) -> None:
        write_part(part_path(folder, 0), self.record, self.build(), lambda rows: None)

    def count(self, folder: Path) -> int:
        """How many records the folder holds."""
        return count_rows(folder)

    def run(self) -> None:
        """Write into a hidden sibling that is gone on with after a crash, and put it in place when it is whole."""
        started = time.monotonic()
        memory.begin()
        with run_lock(self.run_folder):
            identity = self.identity()
            self.sweep(identity)
            working = self.working_folder(identity)
            working.mkdir(exist_ok=True)
            self.write(working)
            if self.inputs() != identity.inputs:
                shutil.rmtree(working)
                raise InputError("an input changed before it was read; run again")
            upstream = [read_manifest(stage.folder) for stage in self.sources()]
            rows_in = sum(manifest.rows for manifest in upstream if manifest) if upstream else None
            spent = time.monotonic() - started
            finish(working, identity, self.count(working), rows_in, spent, memory.peak(), self.checksums)
            for note in working.glob(".*"):  # What only the work needed; until here, a killed run goes on.
                note.unlink()
            publish_folder(working, self.folder)
            self.complete()  # Learn the checksums in their final place while the files are still in memory.

    def working_folder(self, identity: Identity) -> Path:
        return self.run_folder / f".{self.name}.{identity.fingerprint}"

    def sweep(self, identity: Identity) -> None:
        """Remove what a killed run left, but for parts that can be gone on with; only under the run's lock."""
        sweep_all(self.run_folder)
        for leftover in self.run_folder.glob(f".{self.name}.*"):
            if leftover.is_dir() and leftover != self.working_folder(identity):
                shutil.rmtree(leftover)


def stages_below(root: luigi.Task) -> list[Stage]:
    """The stages that a task needs, itself included, each after those it needs and once."""
    found: dict[str, Stage] = {}

    def visit(task: luigi.Task) -> None:
        if isinstance(task, Stage) and task.name in found:
            return  # Stages rest on each other in many ways; each is looked into once.
        for needed in task.deps():
            visit(needed)
        if isinstance(task, Stage):
            found.setdefault(task.name, task)

    visit(root)
    return list(found.values())
