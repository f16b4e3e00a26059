"""The stages of this room: resolvers' answers to the labelled sets, weights for GAP, and the figures that follow."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from gapforge.engine import part_path
from gapforge.engine.parts import read_parts, write_notes, write_part
from gapforge.errors import ConfigError, InputError
from gapforge.evaluation import weights as imbalance
from gapforge.evaluation.comparison import score_systems
from gapforge.evaluation.figures import figures_in, systems_in
from gapforge.evaluation.files import DECIMALS, Predictions
from gapforge.evaluation.gold import ANSWERS, LABELLED, Item, instances_of, items_of_example
from gapforge.evaluation.properties import GROUPS, PROPERTIES, Names, detect_names, distance
from gapforge.evaluation.resampling import RESAMPLES, check_resampling
from gapforge.evaluation.weights import NoBalance, Weighting, WeightSettings, weigh
from gapforge.evaluation.winobias import KINDS as WINOBIAS_KINDS
from gapforge.evaluation.winobias import Answers, instance_of, link_of, score_answers
from gapforge.plugins import plugin_version
from gapforge.records import Instance, Label, LabelledExample, Reject, Resolution, Score, Weight, WinoBiasSentence
from gapforge.report.page import render
from gapforge.report.tables import weights_section
from gapforge.storage.files import write_text
from gapforge.systems import check_options, options_of, resolve, resolver_versions
from gapforge.winobias.forms import as_published

BASELINES = ("random", "token-distance", "topical", "syntactic", "parallelism", "parallelism-url")
REPORT = "report.html"


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """The `[evaluation]` section: which resolvers are measured, and on what.

    GAP is measured on one split, Counter-GAP as a whole; a resolver that learns does so from the other splits of GAP.
    `gold_two_mentions`: those that can choose among the two given names alone do. `options` are "RESOLVER NAME=VALUE".
    """

    resolvers: list[str] = field(default_factory=lambda: list(BASELINES))
    split: Literal["development", "validation", "test"] = "test"
    gold_two_mentions: bool = False
    options: list[str] = field(default_factory=list)
    resamples: int = RESAMPLES
    seed: int = 0

    def __post_init__(self) -> None:
        if len(set(self.resolvers)) < len(self.resolvers):
            raise ValueError(f"resolvers must be different, found {self.resolvers}")
        for option in self.options:
            resolver, _, pair = option.partition(" ")
            if resolver not in self.resolvers or not pair.partition("=")[1]:
                raise ValueError(f"options must be 'RESOLVER NAME=VALUE' of a resolver that is named, found {option!r}")
        check_resampling(self.resamples, self.seed)

    def options_for(self, resolver: str) -> dict[str, str]:
        pairs = [
            pair.partition("=") for name, _, pair in (it.partition(" ") for it in self.options) if name == resolver
        ]
        return {name: value for name, _, value in pairs}


def resolution_identity(settings: EvaluationSettings, kind: str) -> dict[str, Any]:
    """What decides the answers: the resolvers and their options."""
    fields: dict[str, Any] = {
        "resolvers": resolver_versions(settings.resolvers),
        "gold_two_mentions": settings.gold_two_mentions,
        "options": list(settings.options),
        "seed": settings.seed,
    }
    if kind == "winobias":  # Occupations are no names that a resolver finds by itself.
        fields["gold_two_mentions"] = True
    if kind != "counter-gap" or learns(settings):
        fields["split"] = settings.split
    return fields


def weights_identity(settings: WeightSettings, split: str) -> dict[str, Any]:
    """What decides the weights: the settings, and the state of the user's own functions."""
    properties = {name: plugin_version(name, PROPERTIES) for name in settings.properties}
    group = {settings.group: plugin_version(settings.group, GROUPS)}
    return {"properties": properties, "group": group, "trim": list(settings.trim), "split": split}


def learns(settings: EvaluationSettings) -> bool:
    return any("train" in options_of(name) for name in settings.resolvers)


def check_weights(settings: WeightSettings, config: str) -> None:
    if settings.group != "gender":
        raise ConfigError(f"{config}: [weights] group is {settings.group!r}; W-Bias in a run is between the genders")


def check_evaluation(settings: EvaluationSettings, kinds: Collection[str], config: str) -> None:
    """Find what is wrong with the resolvers before hours of work."""
    for name in settings.resolvers:
        check_options(name, settings.options_for(name))
    if "gap" not in kinds and learns(settings):
        learner = next(name for name in settings.resolvers if "train" in options_of(name))
        raise ConfigError(
            f"{config}: [evaluation] {learner} learns from labelled GAP examples, and there are none; leave it out"
        )


def items_in(labelled: Path, kind: str, split: str) -> list[Item]:
    """What is measured of a labelled set; nothing of one that is empty, which hinders no other set."""
    record, build = LABELLED[kind]
    every = [build(it) for it in read_parts(labelled, record)]
    items = [it for it in every if it.split in ("", split)]
    if every and not items:
        raise InputError(f"{labelled.name}: no instances in {split}; add text, or choose another [evaluation] split")
    return items


def sentences_in(folder: Path, split: str) -> list[WinoBiasSentence]:
    """The sentences of WinoBias that are measured."""
    found = [it for it in read_parts(folder, WinoBiasSentence) if is_measured(it, split)]
    if not found:
        raise InputError(f"{folder.name}: no sentences in {split}; add scenes, or choose another [evaluation] split")
    return found


def is_measured(it: WinoBiasSentence, split: str) -> bool:
    """Whether a sentence is in what is measured: WinoBias has no validation split, and development stands in for it."""
    return it.split == ("test" if split == "test" else "development")


def write_resolutions(
    labelled: Path, kind: str, settings: EvaluationSettings, learned: Path | None, model: str, folder: Path
) -> None:
    """Each resolver's answer to every instance of a set, one resolver after the other."""
    if kind == "winobias":
        instances = [instance_of(it) for it in sentences_in(labelled, settings.split)]
    else:
        instances = instances_of(items_in(labelled, kind, settings.split), str(labelled))
    train = examples_for(learned, settings) if learned else []
    given = {
        "gold_two_mentions": settings.gold_two_mentions or kind == "winobias",
        "model": model,
        "seed": settings.seed,
        "train": train,
    }
    answers = answers_of(instances, settings, given) if instances else ()
    write_part(part_path(folder, 0), Resolution, answers, lambda rows: None)


def examples_for(labelled: Path, settings: EvaluationSettings) -> list[tuple[Instance, Label]]:
    others = [it for it in read_parts(labelled, LabelledExample) if it.split != settings.split]
    instances = instances_of([items_of_example(it) for it in others], str(labelled))
    return [(instance, it.label) for instance, it in zip(instances, others, strict=True)]


def answers_of(
    instances: Sequence[Instance], settings: EvaluationSettings, given: Mapping[str, Any]
) -> Iterator[Resolution]:
    for name in settings.resolvers:
        declared = options_of(name)
        options = {key: value for key, value in given.items() if key in declared} | settings.options_for(name)
        labels = resolve(name, instances, options)
        for instance, label in zip(instances, labels, strict=True):
            yield Resolution(instance.id, name, label)


def write_gap_weights(labelled: Path, settings: WeightSettings, split: str, model: str, folder: Path) -> None:
    """What each example counts; where no weights balance the set, every example is a reject, and a note says why."""
    items = items_in(labelled, "gap", split)
    names = detect_names(items, model)
    weighting = balanced(items, names, settings)
    write_part(part_path(folder, 0), Weight, weights_of(items, names, weighting), lambda rows: None)
    notes = [weighting] if isinstance(weighting, str) else imbalance.describe(weighting)
    write_notes(folder, notes)
    if isinstance(weighting, Weighting):
        write_text(folder / REPORT, render("Weights of GAP", [weights_section(weighting)]))


def balanced(items: Sequence[Item], names: Names, settings: WeightSettings) -> Weighting | str:
    """The weights, or why there are none."""
    try:
        (weighting,) = weigh(items, names, settings)
    except NoBalance as error:  # A small set may have none; the rest of the run does not depend on it.
        return str(error)
    return weighting


def weights_of(items: Sequence[Item], names: Names, weighting: Weighting | str) -> Iterator[Weight | Reject]:
    ranks = distance(items, names)
    for item, rank in zip(items, ranks, strict=True):
        if isinstance(weighting, str):
            yield Reject(item.id, "no balance", "")
        else:
            weight = round(weighting.weights[item.id], DECIMALS) + 0.0
            yield Weight(item.id, item.gender, len(names[item.id]), rank, weight)


def scores_of(
    items: Sequence[Item], kind: str, resolutions: Path, weights: Mapping[str, float], settings: EvaluationSettings
) -> dict[str, Any]:
    """Every figure of every resolver on the items of a set; answers to other items do not count."""
    said = said_in(resolutions, settings)
    return score_systems(items, kind, said, weights or None, settings.resamples, settings.seed, kind)


def winobias_scores(
    sentences: Sequence[WinoBiasSentence], resolutions: Path, settings: EvaluationSettings
) -> dict[str, Any]:
    """Every figure of every resolver on sentences of WinoBias."""
    of = {it.id: it for it in sentences}
    answers = {name: Answers({}, {}, {}) for name in settings.resolvers}
    for it in read_parts(resolutions, Resolution):
        answers[it.resolver].said[it.instance_id] = link_of(of[it.instance_id], it.label)
    return score_answers([as_published(it) for it in sentences], answers, settings.resamples, settings.seed)


def said_in(resolutions: Path, settings: EvaluationSettings) -> dict[str, Predictions]:
    """What each resolver says of each instance."""
    said: dict[str, Predictions] = {name: Predictions({}) for name in settings.resolvers}
    for it in read_parts(resolutions, Resolution):
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
