"""The stage that ends a run: resolvers measured on the sets of the release, every figure as JSON, and a report."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.engine import part_path
from pipeline.errors import InputError
from pipeline.evaluation.gold import Item, items_of_released
from pipeline.evaluation.stages import (
    REPORT,
    EvaluationSettings,
    is_measured,
    notes_on,
    records_of,
    said_in,
    scores_of,
    winobias_scores,
)
from pipeline.evaluation.subjective import with_changes
from pipeline.files import write_json, write_text
from pipeline.parts import read_manifest, read_parts, write_notes, write_part
from pipeline.records import Label, Resolution, Score, SubjectiveExample, SubjectiveSentence, Weight
from pipeline.release.card import is_silver
from pipeline.release.errata import read_errata
from pipeline.release.layout import ERRATA, Tables, read_tables, rows_in
from pipeline.release.provenance import labelled_by, read_provenance, subjectivity_in
from pipeline.release.report import Run, render_report
from pipeline.subjectivity.summary import summarise

METRICS = "metrics.json"
# What an evaluation calls a set, and what a release does.
SETS = {"gap": "gap", "counter-gap": "counter_gap", "gap-subjective": "gap_subjective", "winobias": "winobias"}
NAMED = ("gap", "counter-gap", "gap-subjective")  # whose rows have two names and a label
SILVER = "labels are silver: resolvers have voted, and the figures say how far resolvers agree"


def write_evaluation(
    release: Path,
    resolutions: Mapping[str, Path],
    stages: Mapping[str, Path],
    settings: EvaluationSettings,
    folder: Path,
) -> None:
    """Every figure of every resolver on every set of a release, as records, as JSON and as a report for people.

    `resolutions` are the answers to each kind of set, `stages` all that came before, in order.
    """
    tables, provenance = read_tables(release), read_provenance(release)
    weights: list[Weight] = tables.get("gap_weights", {}).get(settings.split, [])
    weight_of = {it.instance_id: it.weight for it in weights}
    asked = [kind for kind in NAMED if kind in resolutions and SETS[kind] in tables]
    items = {kind: items_in(tables, kind, settings.split) for kind in asked}
    results = {
        kind: scores_of(its, kind, resolutions[kind], weight_of if kind == "gap" else {}, settings)
        for kind, its in items.items()
    }
    if "gap" in items and "gap-subjective" in items:
        results["gap-subjective"] = compared(results["gap-subjective"], items, resolutions, settings)
    if "winobias" in resolutions:
        sentences = [it for it in rows_in(tables, "winobias") if is_measured(it, settings.split)]
        results["winobias"] = winobias_scores(sentences, resolutions["winobias"], settings)
    alone = settings.resolvers[0] if settings.resolvers else ""
    write_part(part_path(folder, 0), Score, records_of(results, alone), lambda rows: None)
    release_told = {key: provenance[key] for key in ("name", "version", "logical_hash")}
    measured = {"split": settings.split, "resamples": settings.resamples, "seed": settings.seed}
    write_json(folder / METRICS, {"release": release_told, "settings": measured, "datasets": results})
    silver = list(silver_notes(tables))
    run = Run(
        title=provenance["title"],
        version=provenance["version"],
        stages={name: manifest for name, path in stages.items() if (manifest := read_manifest(path))},
        gap=tables.get("gap", {}),
        counter_gap=rows_in(tables, "counter_gap"),
        subjective=tables.get("gap_subjective", {}),
        winobias=rows_in(tables, "winobias"),
        weights=weights,
        summary=summary_of(stages),
        settings=subjectivity_in(provenance),
        results=results,
        answers={kind: answers_in(path) for kind, path in resolutions.items()},
        resolvers=settings.resolvers,
        labelled_by={kind: by for kind, name in SETS.items() if (by := labelled_by(provenance).get(name))},
        notes=[f"Known errors in {ERRATA}: {len(errata):,}."] if (errata := read_errata(release / ERRATA)) else [],
    )
    write_text(folder / REPORT, render_report(run))
    write_notes(folder, [*silver, *notes_on(results, alone)])


def compared(
    result: Mapping[str, Any],
    items: Mapping[str, list[Item]],
    resolutions: Mapping[str, Path],
    settings: EvaluationSettings,
) -> dict[str, Any]:
    """The figures on the subjective variant, with what changes since GAP."""
    original, variant = items["gap"], items["gap-subjective"]
    said, theirs = (said_in(resolutions[kind], settings) for kind in ("gap", "gap-subjective"))
    return with_changes(result, original, variant, said, theirs, settings.resamples, settings.seed)


def summary_of(stages: Mapping[str, Path]) -> dict[str, Any]:
    """How the subjective variant came about; nothing where there is none."""
    if "SubjectiveSentences" not in stages or "GapSubjective" not in stages:
        return {}
    sentences = read_parts(stages["SubjectiveSentences"], SubjectiveSentence)
    return summarise(sentences, read_parts(stages["GapSubjective"], SubjectiveExample))


def items_in(tables: Tables, kind: str, split: str) -> list[Item]:
    """What is measured of a set: of GAP and its variant one split, of Counter-GAP all."""
    rows = rows_in(tables, SETS[kind]) if kind == "counter-gap" else tables[SETS[kind]].get(split, [])
    items = [items_of_released(row) for row in rows]
    if not items:
        raise InputError(f"{kind}: no rows in {split}; add text, or choose another [evaluation] split")
    return items


def silver_notes(tables: Tables) -> Iterator[str]:
    for kind, name in ((kind, SETS[kind]) for kind in NAMED):
        if is_silver(rows_in(tables, name)):
            yield f"{kind}: {SILVER}"


def answers_in(folder: Path) -> dict[str, dict[str, Label]]:
    """What each resolver said of each instance."""
    found: dict[str, dict[str, Label]] = {}
    for it in read_parts(folder, Resolution):
        found.setdefault(it.resolver, {})[it.instance_id] = it.label
    return found
