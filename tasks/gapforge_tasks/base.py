"""What every stage shares: its config, its folder, and when that folder is out of date."""

import dataclasses
import os
import shutil
import time
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import luigi

import gapforge
from gapforge.config import load_settings, read_config
from gapforge.engine import LOCAL, Engine, part_path, processes, run_shards
from gapforge.engine.fingerprint import Sources, Stamped
from gapforge.engine.identity import CodeIdentity, Identity, model_state
from gapforge.engine.parts import count_rows, finish, read_manifest, why_stale, write_notes, write_part
from gapforge.engine.stages import Call, Shard, Table, files_read, make_part
from gapforge.errors import InputError
from gapforge.plugins import forget_all
from gapforge.progress import progress
from gapforge.records import Note
from gapforge.resources import RESOURCES, resource
from gapforge.storage.files import Checksums, publish_folder, run_lock, sweep_all
from gapforge_tasks.parameters import ConfigFile

OUTPUT = Path("output")
DOWNLOADS = OUTPUT / ".downloads"  # hidden: plan refuses a config of such a name
SAMPLE = resource("config/sample.toml")
PACKAGE = Path(gapforge.__file__).parent
# Every stage writes its rows with it, whether or not its function imports it.
WRITES_ROWS = "gapforge.storage.tables"


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


# The modules of the package as this process loaded them: one that lives on runs that code, though it was edited since.
known_modules: dict[Path, Stamped] = {}


@cache
def read_sources(folder: Path, base: Path) -> Sources:
    """The code of all stages as it is at the start of a run; plug-ins may lie beside the config."""
    checksums = remembered_checksums(folder)
    return Sources(PACKAGE, RESOURCES, checksums, folder / ".code.json", (base, Path.cwd()), known_modules)


@cache
def known_identity(stage: "Stage") -> Identity:
    """The identity of a stage, worked out once per run: it asks for the state of every raw file."""
    return stage.current_identity()


def begin_run() -> None:
    """Forget the config, identities and plug-ins of an earlier run of this process."""
    read_config.cache_clear()
    known_identity.cache_clear()
    forget_all()
    read_sources.cache_clear()


class Stage(luigi.Task):
    """Builds one folder of records by calling one function of `gapforge`.

    Luigi takes a file that exists for a task that is done. A stage compares the identity kept in its manifest with what
    it would be now, so a changed setting, input, model, upstream stage or piece of its code rebuilds it, and nothing
    else does.

    A subclass names its function, what it reads and what decides; `requires` gives the stages by the names of the
    function's parameters. Everything else (lock, working folder, shards, parts, rejects, notes, manifest) is here.
    """

    config = ConfigFile(default=str(SAMPLE), description="the TOML file that describes the run")

    makes = ""  # "module:function"
    settings_type: type | None = None
    matters: tuple[str, ...] | None = None  # the settings that decide what comes out; None where all of them do
    shard_by = ""  # the input that is read a part at a time, each by its own worker
    counts = "records"  # what its progress counts
    reads: tuple[str, ...] | None = None  # the inputs whose rows go through it; others only help to judge them

    # Luigi takes one of each resource to run a task: with `luigi --workers 2`, too, stages follow each other, and the
    # engine keeps all cores busy within one.
    resources = {"run": 1}  # noqa: RUF012 (Luigi's own form)

    @property
    def record(self) -> type | None:
        """What the stage's table holds; None for a stage that writes other files."""
        return None

    @property
    def section(self) -> str:
        """Where the stage's settings stand in the config."""
        return ""

    @property
    def settings(self) -> Any:
        return load_settings(self.config, self.section, self.settings_type) if self.settings_type else None

    @property
    def base(self) -> Path:
        """The config's own folder, where relative paths begin."""
        return Path(self.config).parent

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
    def code_sources(self) -> Sources:
        return read_sources(self.run_folder.resolve(), self.base.resolve())

    @property
    def folder(self) -> Path:
        return self.run_folder / self.name

    def output(self) -> luigi.LocalTarget:
        return luigi.LocalTarget(str(self.folder))

    def requires(self) -> dict[str, list["Stage"]]:
        """The stages that it takes in, by the parameters of its function."""
        return {}

    def sources(self) -> list["Stage"]:
        """The stages whose rows go through this one."""
        needed = self.requires()
        return [stage for name in (needed if self.reads is None else self.reads) for stage in needed.get(name, [])]

    def upstream(self) -> list["Stage"]:
        """Every stage that this one rests on, each after those it needs."""
        return [stage for stage in stages_below(self) if stage.name != self.name]

    def files(self) -> dict[str, Path]:
        """The raw files that the function reads, by the names that the config gives them."""
        return {}

    def inputs(self) -> dict[str, str]:
        """The raw files with their checksums."""
        return {name: self.checksums.of(path) for name, path in self.files().items()}

    def deciding(self) -> dict[str, Any]:
        """The settings that decide what comes out."""
        if not self.settings_type:
            return {}
        fields = dataclasses.asdict(self.settings)
        return {name: value for name, value in fields.items() if self.matters is None or name in self.matters}

    def model(self) -> str:
        """The spaCy model that the function is given; empty where it needs none."""
        return ""

    def models(self) -> dict[str, str]:
        """Every model that decides, with its version or a hash of its files."""
        return {"model": model_state(self.model())} if self.model() else {}

    def plugins(self) -> list[str]:
        """The "module:function" of each plug-in that the settings name, ours and the user's."""
        return []

    def more(self) -> dict[str, Any]:
        """What else the function is given, beside its tables, settings, files and model."""
        return {}

    def identity(self) -> Identity:
        return known_identity(self)

    def current_identity(self) -> Identity:
        return Identity(
            stage=self.name,
            settings=self.deciding(),
            inputs=self.inputs(),
            upstream={stage.name: stage.identity().fingerprint for stage in self.deps()},
            code=self.code(),
            models=self.models(),
        )

    def code(self) -> CodeIdentity:
        return self.code_sources.code_of(self.makes, [WRITES_ROWS, *self.plugins()])

    def why_stale(self) -> str:
        reason = why_stale(self.folder, self.identity(), self.checksums)
        self.checksums.save()  # To hash a dump takes minutes; what was learnt is kept, however the run ends.
        self.code_sources.save()
        return reason

    def complete(self) -> bool:
        return not self.why_stale()

    def tables(self) -> dict[str, Any]:
        """The records of the stages that it takes in, by the parameters of its function."""
        return {name: table_of(stages) for name, stages in self.requires().items()}

    def call(self, folder: Path) -> Call:
        """The stage function, with all that it may ask for."""
        given = {
            **self.to_given_parameters(),
            **self.tables(),
            "settings": self.settings,
            "model": self.model(),
            "files": self.files(),
            "folder": folder,
            **self.more(),
        }
        return Call(self.makes, self.record, given, self.shard_by)

    def to_given_parameters(self) -> dict[str, str]:
        return {name: value for name, value in self.to_str_params().items() if name != "config"}

    def shards(self) -> Sequence[Any] | None:
        """What each part is made from; None for a stage of one part, which this process makes."""
        if not self.shard_by:
            return None
        table: Table[Any] = self.tables()[self.shard_by]
        return table.each_part()

    def write(self, folder: Path) -> None:
        call = self.call(folder)
        shards = self.shards()
        if shards is not None:
            self.write_shards(call, shards, folder)
        elif self.record:
            write_part(part_path(folder, 0), self.record, call.items(), lambda rows: None)
        else:
            notes = [it.text for it in call.items() if isinstance(it, Note)]
            if notes:
                write_notes(folder, notes)

    def write_shards(self, call: Call, sources: Sequence[Any], folder: Path) -> None:
        call = call.for_workers()
        shards = [Shard(number, len(sources), source) for number, source in enumerate(sources)]
        with progress(self.name, len(shards), "parts", self.counts) as report:
            run_shards(
                partial(make_part, call), shards, folder, Machine().engine, report, partial(self.files_of_shard, call)
            )

    def files_of_shard(self, call: Call, shard: Shard) -> list[Path]:
        """The files that a shard is made from, for machines that do not share them."""
        return files_read(call, shard)

    def count(self, folder: Path) -> int:
        """How many records the folder holds."""
        return count_rows(folder)

    def run(self) -> None:
        """Write into a temporary folder, resumed after a crash, and put it in place when it is complete."""
        started = time.monotonic()
        processes.begin()
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
            finish(working, identity, self.count(working), rows_in, spent, processes.peak(), self.checksums)
            for note in working.glob(".*"):  # What only the work needed; until here, a killed run can be resumed.
                note.unlink()
            publish_folder(working, self.folder)
            self.complete()  # Learn the checksums in their final place while the files are still in memory.

    def working_folder(self, identity: Identity) -> Path:
        return self.run_folder / f".{self.name}.{identity.fingerprint}"

    def sweep(self, identity: Identity) -> None:
        """Remove what a killed run left, except parts that can be used; only under the run's lock."""
        sweep_all(self.run_folder)
        for leftover in self.run_folder.glob(f".{self.name}.*"):
            if leftover.is_dir() and leftover != self.working_folder(identity):
                shutil.rmtree(leftover)


def table_of(stages: Sequence[Stage]) -> Table[Any]:
    """The records of these stages, one after the other; an empty table where there are none."""
    kinds = {stage.record for stage in stages if stage.record}
    assert len(kinds) <= 1, "stages of one input make one kind of record"
    return Table.of(kinds.pop() if kinds else object, [stage.folder for stage in stages])


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
