"""A whole run: every stage of a config in order, built by Luigi under the run's lock."""

from pathlib import Path

import luigi

from pipeline.engine import LOCAL, check_engine
from pipeline.errors import ConfigError, LockedError, StageError, describe
from pipeline.lock import run_lock
from tasks.base import SAMPLE, Machine, Stage, known_identity, stages_below
from tasks.release import Everything

failures: list[tuple[Stage, BaseException]] = []


Stage.event_handler(luigi.Event.FAILURE)(lambda stage, error: failures.append((stage, error)))


def plan(config: Path | None, workers: int = 0, engine: str = LOCAL, exchange: str = "") -> list[Stage]:
    """The stages of a config, each after those it needs; what is wrong with the config is found here."""
    if config and config.name.startswith("."):
        raise ConfigError(f"{config}: begins with a dot, and would build into a hidden folder; rename it")
    known_identity.cache_clear()
    for name, value in (("workers", str(workers)), ("where", engine), ("exchange", exchange)):
        luigi.configuration.get_config().set("Machine", name, value)
    check_engine(Machine().engine)
    return stages_below(Everything(config=str(config or SAMPLE)))


def build(stages: list[Stage]) -> None:
    """Build what is stale; StageError says what failed, with a traceback only where the fault is ours."""
    failures.clear()
    with run_lock(stages[0].run_folder):
        for stage in stages:
            stage.sweep(stage.identity())
        # Luigi's log would print every failure as a traceback; they are reported here, in a line each.
        result = luigi.build(stages, local_scheduler=True, log_level="CRITICAL", detailed_summary=True)
    for _, error in failures:
        if isinstance(error, (ConfigError, LockedError)):
            raise error
    if failures:
        raise StageError("\n".join(f"{stage.name}: {describe(error)}" for stage, error in failures))
    if not result.scheduling_succeeded or result.status is not luigi.LuigiStatusCode.SUCCESS:
        raise StageError(f"the run did not finish: {result.one_line_summary}")
