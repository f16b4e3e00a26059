"""What the stages that are not done yet will take: each corpus estimated by itself."""

from pathlib import Path

from pipeline.engine import count_workers
from pipeline.errors import ConfigError, InputError, StageError
from pipeline.extraction.estimates import CorpusEstimate, Order, estimate
from tasks.base import Machine, Stage
from tasks.corpora import Documents
from tasks.extraction import Candidates, model_of


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
