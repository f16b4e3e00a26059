"""The stage Scores: every figure of every resolver on one labelled set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gapforge.engine.stages import Table
from gapforge.evaluation.comparison import score_systems
from gapforge.evaluation.figures import figures_in, systems_in
from gapforge.evaluation.files import Predictions
from gapforge.evaluation.gold import ANSWERS, Item, measured_items, measured_sentences
from gapforge.evaluation.settings import EvaluationSettings
from gapforge.evaluation.subjective import with_changes
from gapforge.evaluation.winobias import KINDS as WINOBIAS_KINDS
from gapforge.evaluation.winobias import Answers, link_of, score_answers
from gapforge.records import LabelledExample, Note, Resolution, Score, Weight, WinoBiasSentence
from gapforge.storage.files import write_json
from gapforge.winobias.forms import as_published

FIGURES = "figures.json"


def scores(
    labelled: Table[Any],
    resolutions: Table[Resolution],
    weights: Table[Weight],
    original: Table[LabelledExample],
    resolutions_of_original: Table[Resolution],
    kind: str,
    settings: EvaluationSettings,
    folder: Path,
) -> Iterator[Score | Note]:
    """All figures as records, and as nested JSON for the report; the notes give those by which systems are compared.

    `weights` are those of GAP. Where a set is a variant of GAP, `original` is GAP, and the figures say what changes.
    """
    result = result_of(labelled, resolutions, weights, original, resolutions_of_original, kind, settings)
    if result:
        write_json(folder / FIGURES, result)
        alone = settings.resolvers[0] if settings.resolvers else ""
        yield from records_of({kind: result}, alone)
        yield from map(Note, notes_on({kind: result}, alone))


def result_of(
    labelled: Table[Any],
    resolutions: Table[Resolution],
    weights: Table[Weight],
    original: Table[LabelledExample],
    resolutions_of_original: Table[Resolution],
    kind: str,
    settings: EvaluationSettings,
) -> dict[str, Any]:
    """The nested figures; empty where the set is."""
    if kind == "winobias":
        return winobias_scores(measured_sentences(labelled, settings.split, kind), resolutions, settings)
    items = measured_items(labelled, kind, settings.split, kind)
    if not items:
        return {}
    result = scores_of(items, kind, resolutions, {it.instance_id: it.weight for it in weights}, settings)
    before = measured_items(original, "gap", settings.split, "gap")
    if not before:
        return result
    said_before, said = said_in(resolutions_of_original, settings), said_in(resolutions, settings)
    return with_changes(result, before, items, said_before, said, settings.resamples, settings.seed)


def scores_of(
    items: Sequence[Item],
    kind: str,
    resolutions: Iterable[Resolution],
    weights: Mapping[str, float],
    settings: EvaluationSettings,
) -> dict[str, Any]:
    """Every figure of every resolver on the items of a set; answers to other items do not count."""
    said = said_in(resolutions, settings)
    return score_systems(items, kind, said, weights or None, settings.resamples, settings.seed, kind)


def winobias_scores(
    sentences: Sequence[WinoBiasSentence], resolutions: Iterable[Resolution], settings: EvaluationSettings
) -> dict[str, Any]:
    """Every figure of every resolver on sentences of WinoBias."""
    of = {it.id: it for it in sentences}
    answers = {name: Answers({}, {}, {}) for name in settings.resolvers}
    for it in resolutions:
        answers[it.resolver].said[it.instance_id] = link_of(of[it.instance_id], it.label)
    return score_answers([as_published(it) for it in sentences], answers, settings.resamples, settings.seed)


def said_in(resolutions: Iterable[Resolution], settings: EvaluationSettings) -> dict[str, Predictions]:
    """What each resolver says of each instance."""
    said: dict[str, Predictions] = {name: Predictions({}) for name in settings.resolvers}
    for it in resolutions:
        said[it.resolver].said[it.instance_id] = ANSWERS[it.label]
    return said


def records_of(results: Mapping[str, Mapping[str, Any]], alone: str) -> Iterator[Score]:
    for dataset, result in results.items():
        for system, figures in systems_in(result, alone).items():
            groups = {("", ""): figures} | {
                (grouping, group): its for grouping, by in figures.get("by", {}).items() for group, its in by.items()
            }
            for (grouping, group), its in groups.items():
                for it in figures_in(its):
                    low, high = it.interval or (None, None)
                    yield Score(dataset, system, grouping, group, it.name, it.value, low, high)


def notes_on(results: Mapping[str, Mapping[str, Any]], alone: str) -> Iterator[str]:
    """The figure of each set by which systems are compared."""
    for dataset, result in results.items():
        for system, its in systems_in(result, alone).items():
            if dataset == "winobias":
                for kind in (it for it in WINOBIAS_KINDS if it in its):
                    pro, anti = its[kind]["pro"], its[kind]["anti"]
                    yield f"winobias {kind}, {system}: F1 {pro:.3f} pro, {anti:.3f} anti"
            elif dataset == "counter-gap":
                delta = its["delta"]["value"]
                yield f"counter-gap, {system}: accuracy {its['accuracy']['overall']:.3f}, delta I {delta:+.3f}"
            elif "change" in its:
                change, (low, high) = its["change"]["overall"]["f1"], its["intervals"]["change"]["overall"]["f1"]
                told = f"change {change:+.3f}, {low:+.3f} to {high:+.3f}"
                yield f"{dataset}, {system}: F1 {its['overall']['f1']:.3f} ({told})"
            else:
                yield f"{dataset}, {system}: F1 {its['overall']['f1']:.3f}, Bias {shown_bias(its['bias'])}"


def shown_bias(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
