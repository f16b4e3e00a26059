"""What `gapforge evaluate` and `gapforge resolve` do, without a config."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from gapforge.errors import ConfigError, InputError, listed
from gapforge.evaluation import clusters
from gapforge.evaluation import clusters as pronoun_names
from gapforge.evaluation.comparison import faulty, score_systems, together
from gapforge.evaluation.files import read_lines, read_names, read_predictions, read_weights, write_predictions
from gapforge.evaluation.gold import ANSWERS, Item, Kind, check_kind, instances_of, read_items, read_release, recognise
from gapforge.evaluation.resampling import RESAMPLES, check_resampling, randomisation
from gapforge.evaluation.scoring import measured
from gapforge.evaluation.subjective import with_changes
from gapforge.evaluation.winobias import Answers, read_answers, score_answers
from gapforge.records import Instance, Label
from gapforge.report.page import evaluation_section, render
from gapforge.storage.conll import read_documents
from gapforge.storage.files import check_source, check_target, write_text
from gapforge.systems import options_of, resolve
from gapforge.winobias.published import Sentence, is_conll, read_sentences

ROWS = ("gap", "counter-gap", "gap-subjective", "winogender", "release")  # kinds that mark two names in each row
UNEVEN = 0.001  # of the weights of one gender; published ones are rounded


def evaluate(
    gold: Path,
    predictions: Sequence[Path],
    kind: str = "",
    weights: Path | None = None,
    missing_as_negative: bool = False,
    split: str = "",
    report: Path | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    variants: Sequence[Path] = (),
) -> dict[str, Any]:
    """Every figure that fits the gold, for one system or for several.

    `variants` are what the systems say of the subjective variant of GAP, in the order of the predictions.
    """
    check_resampling(resamples, seed)
    if report:
        check_file(report, ".html", [gold, *predictions, *variants, *([weights] if weights else [])])
    known = kind_of(gold, kind)
    if variants and known not in ("gap", "release"):
        raise ConfigError(f"--variant: {known} has no subjective variant; leave it out")
    if variants and len(variants) != len(predictions):
        raise ConfigError(
            f"--variant: {len(variants)} for {len(predictions)} files of predictions; name one for each, in their order"
        )
    for first, second in zip(predictions, variants, strict=False):
        if first.resolve() == second.resolve():
            raise ConfigError(f"--variant {second}: is named for GAP too; name what the system says of the variant")
    if split and known in ("conll", "winobias"):
        raise ConfigError(f"--split {split}: {known} has no splits; leave it out")
    if weights and known not in ROWS:
        raise ConfigError(f"--weights: {known} has no weighted figures; leave it out")
    for path in (*predictions, *variants):
        if not (known == "winobias" and path.is_dir()):  # responses may be several files
            check_source(path)
    systems = dict(zip(system_names(predictions), predictions, strict=True))
    if known in ("conll", "winobias"):
        score = score_conll if known == "conll" else score_sentences
        result = score(gold, systems, missing_as_negative, resamples, seed)
        sets: dict[str, dict[str, Any]] = {known: result}
    else:
        found = sets_in(gold, known, split)
        sets = score_sets(found, systems, weights, missing_as_negative, resamples, seed, str(gold))
        if variants:
            if "gap" not in sets:
                raise InputError(f"{gold}: no prediction is for an instance of gap; leave out --variant")
            both = {name: (systems[name], path) for name, path in zip(systems, variants, strict=True)}
            items, variant = found["gap"], variant_of(gold, split, found["gap"])
            sets["gap-subjective"] = score_variant(items, variant, both, missing_as_negative, resamples, seed)
        result = {"dataset": known, "datasets": sets} if known == "release" or variants else sets[known]
    if report:
        sections = [evaluation_section(name, its, next(iter(systems))) for name, its in sets.items()]
        write_text(report, render(f"Evaluation of {', '.join(systems)}", sections))
    return result


def kind_of(gold: Path, kind: str) -> Kind:
    if not gold.exists():
        raise InputError(f"{gold}: no such file or folder; mend the path")
    return check_kind(kind) if kind else recognise(gold)


def check_file(target: Path, suffix: str, inputs: Sequence[Path]) -> None:
    """Refuse a target of another kind, or one that is an input, before any work."""
    if target.suffix != suffix:
        raise ConfigError(f"{target}: unknown kind of output {target.suffix!r}; choose from {suffix}")
    if target.resolve() in {path.resolve() for path in inputs}:
        raise ConfigError(f"{target}: is both input and output; write to another file")
    check_target(target)


def system_names(paths: Sequence[Path]) -> list[str]:
    """A name for each file of predictions: its stem, or its path where two stems are the same."""
    stems = [path.stem for path in paths]
    names = [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths, strict=True)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(f"{twice}: is named twice; name each file of predictions once")
    return names


def score_sets(
    sets: Mapping[str, list[Item]],
    systems: Mapping[str, Path],
    weights: Path | None,
    missing_as_negative: bool,
    resamples: int,
    seed: int,
    place: str,
) -> dict[str, dict[str, Any]]:
    """The figures of each set; of several sets, those that no file says anything about are left out."""
    ids = {kind: [item.id for item in items] for kind, items in sets.items()}
    if len(sets) > 1:
        said = {id for path in systems.values() for id, _ in read_lines(path)}
        ids = {kind: of for kind, of in ids.items() if not said.isdisjoint(of)}
        if not ids:
            raise InputError(f"{place}: no prediction is for an instance of {listed(list(sets))}; compare the ids")
    every = [id for of in ids.values() for id in of]
    read = {name: read_predictions(path, every, missing_as_negative) for name, path in systems.items()}
    chosen = read_balanced(weights, [it for kind in ids for it in sets[kind]]) if weights else None
    return {kind: score_systems(sets[kind], kind, read, chosen, resamples, seed, place) for kind in ids}


def variant_of(gold: Path, split: str, items: list[Item]) -> list[Item]:
    """The subjective variant where the gold has it; of a file of GAP its ids and labels, since the texts are others."""
    told = [replace(item, instance=None) for item in items]
    return read_release(gold, split).get("gap-subjective", told) if gold.is_dir() else told


def score_variant(
    items: Sequence[Item],
    variant: Sequence[Item],
    systems: Mapping[str, tuple[Path, Path]],
    missing_as_negative: bool,
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    """The figures on the subjective variant, with what changes since GAP; each system has a file for either."""
    ids = [it.id for it in items]
    said, theirs = (
        {name: read_predictions(files[n], ids, missing_as_negative) for name, files in systems.items()} for n in (0, 1)
    )
    result = score_systems(variant, "gap-subjective", theirs, None, resamples, seed, "gap-subjective")
    return with_changes(result, items, variant, said, theirs, resamples, seed)


def read_balanced(path: Path, items: Sequence[Item]) -> dict[str, float]:
    """Weights under which the genders are in balance; those of other groups would give a W-Bias that means nothing."""
    weights = read_weights(path, items)
    sums = {gender: sum(weights[it.id] for it in items if it.gender == gender) for gender in ("feminine", "masculine")}
    if abs(sums["feminine"] - sums["masculine"]) > UNEVEN * max(sums.values()):
        found = ", ".join(f"{total:.2f} {gender}" for gender, total in sums.items())
        raise InputError(f"{path}: weighs {found}; W-Bias is between the genders, so weigh the set by gender")
    return weights


def score_conll(
    gold: Path, systems: Mapping[str, Path], missing_as_negative: bool, resamples: int, seed: int
) -> dict[str, Any]:
    """The reference scorer's figures, and pronoun-name F1 by gender (GAP Table 5); of several, whether they differ."""
    key = list(read_documents(gold))
    both = {name: clusters.paired(key, read_documents(path), missing_as_negative) for name, path in systems.items()}
    sums = {name: clusters.document_sums(it.pairs) for name, it in both.items()}
    found: dict[str, dict[str, Any]] = {}
    for name, it in both.items():
        result = measured(sums[name], clusters.scores, resamples, seed)
        names = measured(pronoun_names.pronoun_sums(it.pairs), pronoun_names.pronoun_scores, resamples, seed)
        result["intervals"]["pronoun_names"] = names.pop("intervals")
        found[name] = {"dataset": "conll", "documents": len(key), **result, "pronoun_names": names} | faulty(it.faults)
    result = together("conll", found)
    if len(found) > 1:
        result["paired"] = [
            {
                "first": first,
                "second": second,
                "p": randomisation(sums[first], sums[second], clusters.average_f1, resamples, seed),
            }
            for first, second in combinations(sums, 2)
        ]
    return result


def score_sentences(
    gold: Path, systems: Mapping[str, Path], missing_as_negative: bool, resamples: int, seed: int
) -> dict[str, Any]:
    """WinoBias, from tables of answers or from CoNLL responses."""
    sentences = read_sentences(gold)
    answers = {name: read_links(sentences, path, missing_as_negative) for name, path in systems.items()}
    return score_answers(sentences, answers, resamples, seed)


def read_links(sentences: Sequence[Sentence], path: Path, missing_as_negative: bool) -> Answers:
    if path.is_dir():
        files = sorted(it for it in path.iterdir() if it.is_file() and not it.name.startswith("."))
        return read_answers(sentences, files, missing_as_negative)
    if is_conll(path):
        return read_answers(sentences, [path], missing_as_negative)
    read = read_predictions(path, [it.id for it in sentences], missing_as_negative)
    return Answers({id: (bool(a), bool(b)) for id, (a, b) in read.said.items()}, {}, read.faults)


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
    check_file(output, ".tsv", [gold, *train, *([names] if names else [])])
    known = kind_of(gold, kind)
    sets = sets_in(gold, known, split, labelled=False)
    items = [item for its in sets.values() for item in its]
    instances = instances_of(items, str(gold))
    given = dict(options or {})
    if train:
        given["train"] = [pair for path in train for pair in examples_in(path)]
        asked = {it.id for it in instances}
        if seen := [it.id for it, _ in given["train"] if it.id in asked]:
            raise InputError(f"--train holds instances of {gold} itself: {listed(seen)}; learn from others")
    if names:
        given["names"] = read_names(names, items)
    if known == "winogender" and "gold_two_mentions" in options_of(resolver):
        given.setdefault("gold_two_mentions", True)  # Occupations are no names that a resolver finds by itself.
    labels = resolve(resolver, instances, given)
    said = {it.id: ANSWERS[label] for it, label in zip(instances, labels, strict=True)}
    write_predictions(output, said, header=known not in ("gap", "gap-subjective"))
    counts = {label: labels.count(label) for label in ("A", "B", "neither", "both", "not sure")}
    return {"resolver": resolver, "instances": len(instances), "labels": counts, "output": str(output)}


def sets_in(gold: Path, kind: Kind, split: str = "", labelled: bool = True) -> dict[str, list[Item]]:
    """The sets of a GAP or Counter-GAP file, or of a release; of that, the one of the kind where one is named.

    The subjective variant of GAP has the ids of GAP, and an answer does not say to which of the two texts it is one:
    beside GAP, the variant is taken only where it is named.
    """
    if kind not in ROWS:
        raise ConfigError(f"{gold}: {kind} marks no two names; name a GAP or Counter-GAP file, or a release")
    if not gold.is_dir():
        if kind == "release":
            raise ConfigError(f"{gold}: is a file, and a release is a folder; name another kind")
        if split:
            raise ConfigError(f"{gold}: --split {split}: a file has no splits; name a release, or leave it out")
        return {kind: read_items(gold, kind, labelled)}
    found = read_release(gold, split)
    if kind != "release" and kind not in found:
        raise InputError(f"{gold}: no labelled set of {kind}, but {', '.join(found)}; name another kind")
    if kind != "release":
        return {kind: found[kind]}
    return {name: its for name, its in found.items() if name != "gap-subjective" or "gap" not in found}


def examples_in(path: Path) -> list[tuple[Instance, Label]]:
    """What a resolver learns from: instances with their labels."""
    items = [item for its in sets_in(path, kind_of(path, "")).values() for item in its]
    label_of = {answer: label for label, answer in reversed(ANSWERS.items())}
    return [(it, label_of[item.a, item.b]) for it, item in zip(instances_of(items, str(path)), items, strict=True)]
