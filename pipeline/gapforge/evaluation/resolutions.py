"""The stage Resolutions: what each resolver answers to the instances of a labelled set."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gapforge.engine.identity import model_state
from gapforge.engine.stages import Table
from gapforge.errors import ConfigError
from gapforge.evaluation.gold import instances_of, items_of_example, measured_items, measured_sentences
from gapforge.evaluation.settings import EvaluationSettings
from gapforge.records import Instance, Label, LabelledExample, Resolution
from gapforge.systems import check_options, options_of, resolve, resolver_models
from gapforge.winobias.forms import instance_of


def learns(settings: EvaluationSettings) -> bool:
    return any("train" in options_of(name) for name in settings.resolvers)


def check_evaluation(settings: EvaluationSettings, kinds: Collection[str], config: str) -> None:
    """Find what is wrong with the resolvers before hours of work."""
    for name in settings.resolvers:
        check_options(name, settings.options_for(name))
    if "gap" not in kinds and learns(settings):
        learner = next(name for name in settings.resolvers if "train" in options_of(name))
        raise ConfigError(
            f"{config}: [evaluation] {learner} learns from labelled GAP examples, and there are none; leave it out"
        )


def deciding_answers(settings: EvaluationSettings, kind: str) -> dict[str, Any]:
    """The settings that decide the answers: the resolvers and their options."""
    fields: dict[str, Any] = {
        "resolvers": settings.resolvers,
        "gold_two_mentions": settings.gold_two_mentions,
        "options": list(settings.options),
        "seed": settings.seed,
    }
    if kind == "winobias":  # Occupations are not names that a resolver finds by itself.
        fields["gold_two_mentions"] = True
    if kind != "counter-gap" or learns(settings):
        fields["split"] = settings.split
    return fields


def resolutions(
    labelled: Table[Any], learned: Table[LabelledExample], kind: str, settings: EvaluationSettings, model: str
) -> Iterator[Resolution]:
    """Each resolver's answer to every instance of a set, one resolver after the other.

    `learned` are the examples of GAP, for resolvers that learn.
    """
    if kind == "winobias":
        instances = [instance_of(it) for it in measured_sentences(labelled, settings.split, kind)]
    else:
        instances = instances_of(measured_items(labelled, kind, settings.split, kind), kind)
    given = {
        "gold_two_mentions": settings.gold_two_mentions or kind == "winobias",
        "model": model,
        "seed": settings.seed,
        "train": examples_for(learned, settings),
    }
    if instances:
        yield from answers_of(instances, settings, given)


def examples_for(labelled: Iterable[LabelledExample], settings: EvaluationSettings) -> list[tuple[Instance, Label]]:
    others = [it for it in labelled if it.split != settings.split]
    instances = instances_of([items_of_example(it) for it in others], "gap")
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


def located_answers(settings: EvaluationSettings, base: Path) -> EvaluationSettings:
    """The settings with models of resolvers that lie beside the config named by where they are."""
    options = []
    for it in settings.options:
        resolver, _, pair = it.partition(" ")
        name, _, value = pair.partition("=")
        beside = name in resolver_models(resolver) and value and (base / value).exists()
        options.append(f"{resolver} {name}={base / value}" if beside else it)
    return replace(settings, options=options)


def models_asked(resolvers: Iterable[str], options: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The models of resolvers beside the spaCy model that all are given, each with its state."""
    found = {}
    for name in resolvers:
        given = options.get(name, {})
        for option, default in resolver_models(name).items():
            if option != "model" or option in given:
                found[f"{name} {option}"] = model_state(given.get(option, default))
    return found
