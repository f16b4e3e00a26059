"""A whole run: every stage of a config in order, built by Luigi under the run's lock.

What the stages that are not done yet will take: each corpus estimated by itself.
"""

from pathlib import Path

import luigi

from gapforge.engine import LOCAL, check_engine, count_workers
from gapforge.errors import ConfigError, InputError, LockedError, StageError, describe
from gapforge.extraction.estimates import CorpusEstimate, Order, estimate
from gapforge.storage.files import run_lock
from gapforge_tasks.base import SAMPLE, Machine, Stage, begin_run, stages_below
from gapforge_tasks.graph import Candidates, Documents, Everything, model_of

failures: list[tuple[Stage, BaseException]] = []


Stage.event_handler(luigi.Event.FAILURE)(lambda stage, error: failures.append((stage, error)))


def plan(config: Path | None, workers: int = 0, engine: str = LOCAL, exchange: str = "") -> list[Stage]:
    """The stages of a config, each after those it needs; what is wrong with the config is found here."""
    if config and config.name.startswith("."):
        raise ConfigError(f"{config}: begins with a dot, and would build into a hidden folder; rename it")
    begin_run()
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


def estimate_all(stages: list[Stage]) -> tuple[list[CorpusEstimate], list[str]]:
    """Estimates of all corpora with something to make, and what went wrong with others, a line each."""
    workers = count_workers(Machine().engine)
    found, failed = [], []
    for documents in stages:
        if isinstance(documents, Documents):
            try:
                order = order_for(documents, stages, workers)
                if order.kinds or not order.made:
                    found.append(estimate(order))
            except (InputError, StageError, ConfigError) as error:
                failed.append(f"{documents.name}: {error}")
    return found, failed


def order_for(documents: Documents, stages: list[Stage], workers: int) -> Order:
    candidates = [it for it in stages if isinstance(it, Candidates) and it.corpus == documents.corpus]
    named = zip(documents.found.inputs, documents.settings.inputs, strict=True)
    return Order(
        corpus=documents.corpus,
        settings=documents.found,
        made=documents.folder if documents.complete() else None,
        kinds=[it.kind for it in candidates if not it.complete()],
        model=model_of(documents.config),
        workers=workers,
        unfetched=next((it.url for place, it in named if it.url and not Path(place.path).exists()), ""),
    )
