"""What `gapforge resolve`, `weigh` and `evaluate` do, without a config."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError, InputError
from pipeline.evaluation.gold import ANSWERS, Item, Kind, check_kind, read_items, read_release, recognise
from pipeline.evaluation.predictions import Predictions, read_predictions, write_predictions
from pipeline.evaluation.scoring import score_counter_gap, score_gap
from pipeline.evaluation.significance import RESAMPLES
from pipeline.evaluation.systems import compare
from pipeline.files import check_source, check_target
from pipeline.records import Instance, Label
from pipeline.resolving import options_of, resolve

FEWEST_RESAMPLES = 100


def kind_of(gold: Path, kind: str) -> Kind:
    if not gold.exists():
        raise InputError(f"{gold}: no such file or folder; mend the path")
    return check_kind(kind) if kind else recognise(gold)


def read_sets(gold: Path, kind: Kind) -> dict[str, list[Item]]:
    """The sets of instances in a gold file or folder, by their kind."""
    return read_release(gold) if kind == "release" else {kind: read_items(gold, kind)}


def system_names(paths: Sequence[Path]) -> list[str]:
    """A name for each file of predictions: its stem, with its folder where two stems are the same."""
    stems = [path.name.removesuffix(".tsv") for path in paths]
    names = [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths, strict=True)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(f"{twice}: is named twice; name each file of predictions once")
    return names


def score_systems(
    items: Sequence[Item],
    kind: str,
    systems: Mapping[str, Predictions],
    weights: Mapping[str, float] | None,
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    """One system's figures as they are; of several, the figures of each, and how they compare."""
    score = score_gap if kind == "gap" else score_counter_gap
    found = {name: score(items, it.said, weights, resamples, seed) for name, it in systems.items()}
    for name, it in systems.items():
        if it.faults:
            found[name]["faults"] = it.faults
    if len(found) == 1:
        return next(iter(found.values()))
    return {"dataset": kind, "instances": len(items), "systems": found} | compare(
        items, {name: it.said for name, it in systems.items()}, resamples, seed
    )
