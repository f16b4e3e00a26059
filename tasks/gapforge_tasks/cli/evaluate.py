"""`gapforge evaluate`, `resolve` and `weigh`: systems measured on any set, baselines, and weights for a set."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gapforge.errors import ConfigError, InputError, listed
from gapforge.evaluation.settings import RESAMPLES, check_resampling
from gapforge.storage.files import check_apart, check_source, check_target, write_json, write_text
from gapforge_tasks.cli.console import DEFAULT_MODEL, AsJson, counted, reported, say, show_table

if TYPE_CHECKING:
    from gapforge.evaluation.gold import Item
    from gapforge.evaluation.gold import Kind as GoldKind
    from gapforge.evaluation.weights import Weighting

evaluation = typer.Typer()


Gold = Annotated[
    Path,
    typer.Argument(
        help="GAP or Counter-GAP rows (.tsv), WinoBias text or a folder of it, Winogender, CoNLL-2012, or a release.",
        metavar="GOLD",
    ),
]
Rows = Annotated[Path, typer.Argument(help="GAP, Counter-GAP or Winogender rows (.tsv), or a release.", metavar="GOLD")]
Kind = Annotated[
    str,
    typer.Option(
        help="gap, counter-gap, gap-subjective, winobias, winogender, conll or release; default: recognised from the "
        "file, the subjective variant of GAP as gap."
    ),
]
Split = Annotated[str, typer.Option(help="development, validation or test, of the GAP examples of a release.")]
Report = Annotated[Path | None, typer.Option(help="Write the figures with charts to this .html file.")]


@evaluation.command()
@reported
def evaluate(
    gold: Gold,
    predictions: Annotated[
        list[Path], typer.Argument(help="ID, A-coref, B-coref (.tsv), or CoNLL; several files are compared.")
    ],
    kind: Kind = "",
    weights: Annotated[Path | None, typer.Option(help="Weights of the gold's rows, as `gapforge weigh` makes.")] = None,
    missing_as_negative: Annotated[
        bool, typer.Option("--missing-as-negative", help="Count what is missing or malformed as naming nobody.")
    ] = False,
    variant: Annotated[
        list[Path] | None,
        typer.Option(
            help="What a system says of the subjective variant of GAP (.tsv); repeated in the order of the predictions."
        ),
    ] = None,
    split: Split = "",
    report: Report = None,
    resamples: Annotated[int, typer.Option(help="Of the bootstrap, and rounds of paired tests.")] = RESAMPLES,
    seed: Annotated[int, typer.Option(help="Of the resampling.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure predictions: every metric that fits the set, each figure with its 95 % interval."""
    chosen = kind, weights, missing_as_negative, split, report, resamples, seed, variant or ()
    found = evaluate_files(Request(gold, predictions, *chosen))
    if as_json:
        say(json.dumps(found, ensure_ascii=False))
        return
    sets = found.get("datasets", {found["dataset"]: found})
    if variant:
        from gapforge.release.subjectivity import change_section

        for table in change_section(sets["gap"], sets["gap-subjective"], [predictions[0].stem], split).tables:
            show_table(table.caption, table.header, table.rows)
    for name, result in sets.items():
        show(name, result, predictions[0].stem)


@dataclass(frozen=True, slots=True)
class Request:
    """What is measured, and how.

    `variants` are what the systems say of the subjective variant of GAP, in the order of the predictions.
    """

    gold: Path
    predictions: Sequence[Path]
    kind: str = ""
    weights: Path | None = None
    missing_as_negative: bool = False
    split: str = ""
    report: Path | None = None
    resamples: int = RESAMPLES
    seed: int = 0
    variants: Sequence[Path] = ()


def evaluate_files(asked: Request) -> dict[str, Any]:
    """Every figure that fits the gold, for one system or for several."""
    from gapforge.evaluation.gold import kind_of

    check_resampling(asked.resamples, asked.seed)
    if asked.report:
        weights = [asked.weights] if asked.weights else []
        check_file(asked.report, ".html", [asked.gold, *asked.predictions, *asked.variants, *weights])
    kind = kind_of(asked.gold, asked.kind)
    check_request(asked, kind)
    systems = dict(zip(system_names(asked.predictions), asked.predictions, strict=True))
    sets = score_files(asked, kind, systems)
    if asked.report:
        write_page(asked.report, sets, list(systems))
    return {"dataset": kind, "datasets": sets} if kind == "release" or asked.variants else sets[kind]


def score_files(asked: Request, kind: "GoldKind", systems: Mapping[str, Path]) -> dict[str, dict[str, Any]]:
    if kind == "conll":
        return {"conll": score_responses(asked, systems)}
    if kind == "winobias":
        return {"winobias": score_sentences(asked, systems)}
    return score_rows(asked, kind, systems)


def check_request(asked: Request, kind: str) -> None:
    """Refuse options that do not fit the gold or each other, and files that are not there."""
    from gapforge.evaluation.gold import ROWS

    if asked.variants and kind not in ("gap", "release"):
        raise ConfigError(f"--variant: {kind} has no subjective variant; leave it out")
    if asked.variants and len(asked.variants) != len(asked.predictions):
        raise ConfigError(
            f"--variant: {len(asked.variants)} for {len(asked.predictions)} files of predictions; "
            "name one for each, in their order"
        )
    for first, second in zip(asked.predictions, asked.variants, strict=False):
        if first.resolve() == second.resolve():
            raise ConfigError(f"--variant {second}: is named for GAP too; name what the system says of the variant")
    if asked.split and kind in ("conll", "winobias"):
        raise ConfigError(f"--split {asked.split}: {kind} has no splits; leave it out")
    if asked.weights and kind not in ROWS:
        raise ConfigError(f"--weights: {kind} has no weighted figures; leave it out")
    for path in (*asked.predictions, *asked.variants):
        if not (kind == "winobias" and path.is_dir()):  # responses may be several files
            check_source(path)


def check_file(target: Path, suffix: str, inputs: Sequence[Path]) -> None:
    """Refuse a target of another kind, or one that is an input, before any work."""
    if target.suffix != suffix:
        raise ConfigError(f"{target}: unknown kind of output {target.suffix!r}; choose from {suffix}")
    check_apart(inputs, [target])
    check_target(target)


def system_names(paths: Sequence[Path]) -> list[str]:
    """A name for each file of predictions: its stem, or its path where two stems are the same."""
    stems = [path.stem for path in paths]
    names = [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths, strict=True)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(f"{twice}: is named twice; name each file of predictions once")
    return names


def score_responses(asked: Request, systems: Mapping[str, Path]) -> dict[str, Any]:
    """CoNLL documents."""
    from gapforge.evaluation.clusters import score_clusters
    from gapforge.storage.conll import read_documents

    key = list(read_documents(asked.gold))
    responses = {name: read_documents(path) for name, path in systems.items()}
    return score_clusters(key, responses, asked.missing_as_negative, asked.resamples, asked.seed)


def score_sentences(asked: Request, systems: Mapping[str, Path]) -> dict[str, Any]:
    """WinoBias, from tables of answers or from CoNLL responses."""
    from gapforge.evaluation.winobias import read_links, score_answers
    from gapforge.winobias.published import read_sentences

    sentences = read_sentences(asked.gold)
    answers = {name: read_links(sentences, path, asked.missing_as_negative) for name, path in systems.items()}
    return score_answers(sentences, answers, asked.resamples, asked.seed)


def score_rows(asked: Request, kind: "GoldKind", systems: Mapping[str, Path]) -> dict[str, dict[str, Any]]:
    """Each set of two names a row; of several sets, those that no file says anything about are left out."""
    from gapforge.evaluation.comparison import score_systems
    from gapforge.evaluation.files import read_balanced, read_lines, read_predictions
    from gapforge.evaluation.gold import read_sets

    sets = read_sets(asked.gold, kind, asked.split)
    ids = {name: [item.id for item in items] for name, items in sets.items()}
    if len(sets) > 1:
        said = {id for path in systems.values() for id, _ in read_lines(path)}
        ids = {name: its for name, its in ids.items() if not said.isdisjoint(its)}
        if not ids:
            raise InputError(f"{asked.gold}: no prediction is for an instance of {listed(list(sets))}; compare the ids")
    every = [id for its in ids.values() for id in its]
    read = {name: read_predictions(path, every, asked.missing_as_negative) for name, path in systems.items()}
    chosen = read_balanced(asked.weights, [it for name in ids for it in sets[name]]) if asked.weights else None
    place = str(asked.gold)
    found = {name: score_systems(sets[name], name, read, chosen, asked.resamples, asked.seed, place) for name in ids}
    if asked.variants:
        if "gap" not in found:
            raise InputError(f"{asked.gold}: no prediction is for an instance of gap; leave out --variant")
        found["gap-subjective"] = score_subjective(asked, sets["gap"], systems)
    return found


def score_subjective(asked: Request, items: "list[Item]", systems: Mapping[str, Path]) -> dict[str, Any]:
    """The subjective variant of GAP; each system has a file for either."""
    from gapforge.evaluation.files import read_predictions
    from gapforge.evaluation.gold import read_release
    from gapforge.evaluation.subjective import score_variant

    # A file of GAP gives ids and labels of its variant, whose texts are others.
    variant = [replace(item, instance=None) for item in items]
    if asked.gold.is_dir():
        variant = read_release(asked.gold, asked.split).get("gap-subjective", variant)
    ids = [it.id for it in items]
    said = {name: read_predictions(path, ids, asked.missing_as_negative) for name, path in systems.items()}
    files = dict(zip(systems, asked.variants, strict=True))
    theirs = {name: read_predictions(path, ids, asked.missing_as_negative) for name, path in files.items()}
    return score_variant(items, variant, said, theirs, asked.resamples, asked.seed)


def write_page(path: Path, sets: Mapping[str, dict[str, Any]], systems: Sequence[str]) -> None:
    from gapforge.report.page import render
    from gapforge.report.tables import evaluation_section

    sections = [evaluation_section(name, result, systems[0]) for name, result in sets.items()]
    write_text(path, render(f"Evaluation of {', '.join(systems)}", sections))


def show(name: str, result: dict[str, Any], system: str) -> None:
    from gapforge.report.tables import comparison_tables, figure_table, group_tables, notes_on

    say(f"{name}: {'; '.join(notes_on(result))}")
    for table in (figure_table(result, system), *comparison_tables(result), *group_tables(result)):
        show_table(table.caption, table.header, table.rows)


@evaluation.command()
@reported
def resolve(
    gold: Rows,
    resolver: Annotated[
        str,
        typer.Option(
            help="random, token-distance, topical, syntactic, parallelism, parallelism-url, dist-K, ranker; attention, "
            "encoder; fastcoref, maverick, spacy-coref, server; or your own package.module:function."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="PREDICTIONS.tsv")],
    gold_two_mentions: Annotated[
        bool, typer.Option("--gold-two-mentions", help="Choose among the two given names alone.")
    ] = False,
    train: Annotated[
        list[Path] | None, typer.Option(help="Labelled rows to learn from, or to choose a head on; may be repeated.")
    ] = None,
    names: Annotated[
        Path | None, typer.Option(help="Spans of every personal name, for dist-K; default: found in the text.")
    ] = None,
    model: Annotated[str, typer.Option(help="An installed spaCy model, or a folder that holds one.")] = "",
    seed: Annotated[int | None, typer.Option(help="Of a resolver that draws or learns.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE, an option of the resolver; may be repeated.")
    ] = None,
    kind: Kind = "",
    split: Split = "",
    as_json: AsJson = False,
) -> None:
    """Resolve the pronouns of a set with a baseline, a neural resolver, a server or a plug-in."""
    options: dict[str, Any] = dict(map(option_of, option or []))
    given = {"gold_two_mentions": gold_two_mentions or None, "model": model or None, "seed": seed}
    options |= {name: value for name, value in given.items() if value is not None}
    found = resolve_file(gold, resolver, output, kind, train or [], names, options, split)
    if as_json:
        say(json.dumps(found, ensure_ascii=False))
        return
    labels = ", ".join(f"{count:,} {label}" for label, count in found["labels"].items() if count)
    say(f"{counted(found['instances'], 'instance')} in {output}: {labels}")


def resolve_file(
    gold: Path,
    resolver: str,
    output: Path,
    kind: str = "",
    train: Sequence[Path] = (),
    names: Path | None = None,
    options: Mapping[str, Any] | None = None,
    split: str = "",
) -> dict[str, Any]:
    """Write a resolver's predictions for a GAP or Counter-GAP file or folder; the counts of its labels come back."""
    from gapforge.evaluation.files import read_names, write_predictions
    from gapforge.evaluation.gold import ANSWERS, instances_of, kind_of, read_examples, read_sets
    from gapforge.systems import options_of
    from gapforge.systems import resolve as ask

    check_file(output, ".tsv", [gold, *train, *([names] if names else [])])
    known = kind_of(gold, kind)
    sets = read_sets(gold, known, split, labelled=False)
    items = [item for its in sets.values() for item in its]
    instances = instances_of(items, str(gold))
    given = dict(options or {})
    if train:
        given["train"] = [pair for path in train for pair in read_examples(path)]
        asked = {it.id for it in instances}
        if seen := [it.id for it, _ in given["train"] if it.id in asked]:
            raise InputError(f"--train holds instances of {gold} itself: {listed(seen)}; learn from others")
    if names:
        given["names"] = read_names(names, items)
    if known == "winogender" and "gold_two_mentions" in options_of(resolver):
        given.setdefault("gold_two_mentions", True)  # Occupations are no names that a resolver finds by itself.
    labels = ask(resolver, instances, given)
    said = {it.id: ANSWERS[label] for it, label in zip(instances, labels, strict=True)}
    write_predictions(output, said, header=known not in ("gap", "gap-subjective"))
    counts = {label: labels.count(label) for label in ("A", "B", "neither", "both", "not sure")}
    return {"resolver": resolver, "instances": len(instances), "labels": counts, "output": str(output)}


def option_of(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ConfigError(f"--option {text!r}: wanted NAME=VALUE")
    return name, value


@evaluation.command()
@reported
def weigh(
    gold: Rows,
    output: Annotated[Path, typer.Option("-o", "--output", help="WEIGHTS.json")],
    names: Annotated[
        Path | None, typer.Option(help="Spans of every personal name (.json); default: found in the texts.")
    ] = None,
    trim: Annotated[
        bool, typer.Option("--trim", help="Leave out rows with over 15 names, or a true name beyond the 4th.")
    ] = False,
    keep: Annotated[
        list[str] | None, typer.Option(help="A rule of trimming, such as 'number <= 12'; may be repeated.")
    ] = None,
    without: Annotated[list[str] | None, typer.Option(help="Do not balance number or distance.")] = None,
    property: Annotated[
        list[str] | None, typer.Option(help="Balance this as well: your own package.module:function; may be repeated.")
    ] = None,
    group: Annotated[str, typer.Option(help="Between which groups: gender, or package.module:function.")] = "gender",
    model: Annotated[str, typer.Option(help="The spaCy model that finds names.")] = DEFAULT_MODEL,
    write_names: Annotated[Path | None, typer.Option(help="Write the spans that were used to this .json file.")] = None,
    report: Report = None,
    kind: Kind = "",
    split: Split = "",
    as_json: AsJson = False,
) -> None:
    """Weigh the rows of a test set, so that what is no bias differs no more between two groups."""
    rules = keep or (), without or (), property or ()
    found = weigh_file(gold, output, names, trim, *rules, group, model, write_names, report, kind, split)
    if as_json:
        say(json.dumps(found, ensure_ascii=False))
        return
    for it in found["statistics"]:
        say(f"{it['property']}, {it['group']}: mean {it['mean']:.2f}, deviation {it['deviation']:.2f}")
    for it in found["weightings"]:
        for note in it["notes"]:
            say(note)
        say(f"weights: {it['output']}")


def weigh_file(
    gold: Path,
    output: Path,
    names: Path | None = None,
    trim: bool = False,
    rules: Sequence[str] = (),
    without: Sequence[str] = (),
    properties: Sequence[str] = (),
    group: str = "gender",
    model: str = DEFAULT_MODEL,
    write_names: Path | None = None,
    report: Path | None = None,
    kind: str = "",
    split: str = "",
) -> dict[str, Any]:
    """Write the weights of a set, one file for each two groups; what they balance comes back.

    Without names, they are found in the texts. Of more than two groups, the file's name is given those of each two.
    """
    from gapforge.evaluation.files import names_as_json, read_names, write_weights
    from gapforge.evaluation.gold import kind_of, read_sets
    from gapforge.evaluation.properties import PROPERTIES, detect_names, statistics
    from gapforge.evaluation.weights import TRIMMED, WeightSettings, choose_properties, describe, summary
    from gapforge.evaluation.weights import weigh as weigh_items

    inputs = [gold, *([names] if names else [])]
    check_file(output, ".json", inputs)
    if write_names:
        check_file(write_names, ".json", [*inputs, output])
    if report:
        check_file(report, ".html", inputs)
    sets = read_sets(gold, kind_of(gold, kind), split)
    if len(sets) > 1:
        raise ConfigError(f"{gold}: holds {' and '.join(sets)}; name the folder of one, or say which with --kind")
    items = next(iter(sets.values()))
    settings = WeightSettings(choose_properties(without, properties), group, [*(TRIMMED if trim else ()), *rules])
    spans = read_names(names, items) if names else detect_names(items, model)
    if write_names:
        write_json(write_names, names_as_json(spans, items))
    weightings = weigh_items(items, spans, settings)
    found = []
    taken: list[Path] = []
    for number, weighting in enumerate(weightings, 1):
        path = output if len(weightings) == 1 else named_for(output, weighting)
        path = path.with_stem(f"{path.stem}-{number}") if path in taken else path
        taken.append(path)
        check_file(path, ".json", inputs)
        write_weights(path, items, weighting.weights)
        found.append(summary(weighting) | {"notes": list(describe(weighting)), "output": str(path)})
    if report:
        write_weights_page(report, gold.name, weightings)
    numeric = [name for name in settings.properties if name in PROPERTIES]  # a plug-in's values may be anything
    means = [asdict(it) for it in statistics(items, spans, numeric, group)]
    return {"instances": len(items), "statistics": means, "weightings": found}


def named_for(output: Path, weighting: "Weighting") -> Path:
    groups = "-".join(re.sub(r"\W+", "_", group) for group in weighting.groups)
    return output.with_stem(f"{output.stem}-{groups}")


def write_weights_page(path: Path, name: str, weightings: "Sequence[Weighting]") -> None:
    from gapforge.report.page import render
    from gapforge.report.tables import weights_section

    write_text(path, render(f"Weights of {name}", [weights_section(it) for it in weightings]))
