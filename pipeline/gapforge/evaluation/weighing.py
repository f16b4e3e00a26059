"""What `gapforge weigh` does, and the section of a report that shows what was balanced."""

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gapforge.errors import ConfigError
from gapforge.evaluation import weights
from gapforge.evaluation.commands import check_file, kind_of, sets_in
from gapforge.evaluation.files import names_as_json, read_names, write_weights
from gapforge.evaluation.properties import PROPERTIES, detect_names, statistics
from gapforge.evaluation.weights import TRIMMED, Weighting, WeightSettings, choose_properties, weigh
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.report.charts import histogram
from gapforge.report.page import Chart, Section, Table, render, shown
from gapforge.storage.files import write_json, write_text

GROUP = "gender"


def weigh_file(
    gold: Path,
    output: Path,
    names: Path | None = None,
    trim: bool = False,
    rules: Sequence[str] = (),
    without: Sequence[str] = (),
    properties: Sequence[str] = (),
    group: str = GROUP,
    model: str = DEFAULT_MODEL,
    write_names: Path | None = None,
    report: Path | None = None,
    kind: str = "",
    split: str = "",
) -> dict[str, Any]:
    """Write the weights of a set, one file for each two groups; what they balance comes back.

    Without names, they are found in the texts. Of more than two groups, the file's name is given those of each two.
    """
    inputs = [gold, *([names] if names else [])]
    check_file(output, ".json", inputs)
    if write_names:
        check_file(write_names, ".json", [*inputs, output])
    if report:
        check_file(report, ".html", inputs)
    sets = sets_in(gold, kind_of(gold, kind), split)
    if len(sets) > 1:
        raise ConfigError(f"{gold}: holds {' and '.join(sets)}; name the folder of one, or say which with --kind")
    items = next(iter(sets.values()))
    settings = WeightSettings(choose_properties(without, properties), group, [*(TRIMMED if trim else ()), *rules])
    spans = read_names(names, items) if names else detect_names(items, model)
    if write_names:
        write_json(write_names, names_as_json(spans, items))
    weightings = weigh(items, spans, settings)
    found = []
    taken: list[Path] = []
    for number, weighting in enumerate(weightings, 1):
        path = output if len(weightings) == 1 else named_for(output, weighting)
        path = path.with_stem(f"{path.stem}-{number}") if path in taken else path
        taken.append(path)
        check_file(path, ".json", inputs)
        write_weights(path, items, weighting.weights)
        found.append(weights.summary(weighting) | {"notes": list(weights.describe(weighting)), "output": str(path)})
    if report:
        write_text(report, render(f"Weights of {gold.name}", [weights_section(it) for it in weightings]))
    means = [dataclasses.asdict(it) for it in statistics(items, spans, numeric(settings.properties), group)]
    return {"instances": len(items), "statistics": means, "weightings": found}


def numeric(properties: Sequence[str]) -> list[str]:
    """The properties that have a mean: ours do, a plug-in's values may be anything."""
    return [name for name in properties if name in PROPERTIES]


def named_for(output: Path, weighting: Weighting) -> Path:
    groups = "-".join(re.sub(r"\W+", "_", group) for group in weighting.groups)
    return output.with_stem(f"{output.stem}-{groups}")


def weights_section(weighting: Weighting) -> Section:
    """What was balanced: notes, every set with its rows and weights, and how the weights are spread."""
    first, second = weighting.groups
    rows = []
    for it in weights.property_table(weighting):
        sizes = [f"{it.rows[group]:,}" for group in weighting.groups]
        value = "none" if it.value is None else it.value
        rows.append([f"{it.property} {value}", *sizes, *(shown(it.weight[group]) for group in weighting.groups)])
    header = ["set", f"{first} rows", f"{second} rows", f"{first} weight", f"{second} weight"]
    bins = weights.histogram(weighting)
    edges = [it["from"] for it in bins] + [bins[-1]["to"]]
    counts = {group: [it["rows"][group] for it in bins] for group in weighting.groups}
    chart = Chart(histogram(edges, counts, "weight"), f"how many {first} and {second} rows have which weight")
    notes = list(weights.describe(weighting))
    return Section(f"Weights of {first} and {second} rows", notes, [Table("sets", header, rows)], [chart])
