"""What a system says, read from its file and held against gold: nothing is guessed, and nothing passed over.

The files around test-set weights, in the form in which those of GAP were published (Kocijan et al. 2021).

Names are `{"test-1": [[58, 64, "Dehner"], ...]}`, offsets in code points, the text as a check that may be left out.
Weights are `{"test-1a": 0.0, "test-1b": 0.85772686, ...}`: the weight of a row stands on the letter of its true name.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gapforge.errors import InputError, listed, one_line
from gapforge.evaluation.gap import Prediction
from gapforge.evaluation.gold import Item
from gapforge.evaluation.properties import check_names
from gapforge.records import Span
from gapforge.storage.files import atomic_file, check_target, read_text, write_json

COLUMNS = ("ID", "A-coref", "B-coref")
UNEVEN = 0.001  # of the weights of one gender; published ones are rounded
SAID = {"TRUE": True, "FALSE": False}


@dataclass(frozen=True, slots=True)
class Predictions:
    """One prediction for each gold id; `faults` counts what was amiss, by reason, where that was allowed."""

    said: dict[str, Prediction]
    faults: dict[str, int] = field(default_factory=dict)


def read_predictions(path: Path, ids: Sequence[str], missing_as_negative: bool = False) -> Predictions:
    """The predictions of a TSV file, with or without a header.

    InputError lists what is missing, extra, there twice or malformed; where it is allowed, an instance without exactly
    one readable prediction counts as two negatives, and predictions for other instances are left out.
    """
    return matched(read_lines(path), ids, missing_as_negative, str(path))


def read_lines(path: Path) -> Iterator[tuple[str, Prediction | str]]:
    """Each id with its prediction, or with what is wrong with its line."""
    lines = read_text(path).split("\n")
    header = lines[0].rstrip("\r").split("\t")
    places = {name: header.index(name) for name in COLUMNS if name in header}
    first = 1 if len(places) == len(COLUMNS) else 0
    if not first:
        places = {name: n for n, name in enumerate(COLUMNS)}
    width = len(header) if first else len(COLUMNS)
    for number, line in enumerate(lines[first:], first + 1):
        cells = line.rstrip("\r").split("\t")
        if cells == [""]:
            continue
        id = cells[places["ID"]] if len(cells) > places["ID"] else ""
        if len(cells) != width:
            yield id, f"line {number}: {len(cells)} cells, wanted {width}"
            continue
        said = [cells[places[name]].strip().upper() for name in COLUMNS[1:]]
        wrong = [cell for cell in said if cell not in SAID]
        if wrong:
            yield id, f"line {number}: {wrong[0]!r}, wanted TRUE or FALSE"
        else:
            yield id, (SAID[said[0]], SAID[said[1]])


def matched(
    lines: Iterable[tuple[str, Prediction | str]], ids: Sequence[str], missing_as_negative: bool, place: str
) -> Predictions:
    wanted = set(ids)
    said: dict[str, Prediction] = {}
    twice: dict[str, None] = {}
    extra: dict[str, None] = {}
    malformed: list[str] = []
    for id, prediction in lines:
        if isinstance(prediction, str):
            malformed.append(prediction)
        elif id not in wanted:
            extra[id] = None
        elif id in said:
            twice[id] = None
        else:
            said[id] = prediction
    faults = {
        "malformed": malformed,
        "duplicate": list(twice),
        "missing": [id for id in ids if id not in said],
        "extra": list(extra),
    }
    found = {reason: names for reason, names in faults.items() if names}
    if found and not missing_as_negative:
        listing = "; ".join(f"{len(names):,} {reason}: {listed(names)}" for reason, names in found.items())
        raise InputError(f"{place}: {listing}. Fix the file, or go on with --missing-as-negative")
    for id in faults["missing"] + faults["duplicate"]:
        said[id] = (False, False)
    return Predictions(said, {reason: len(names) for reason, names in found.items()})


def write_predictions(path: Path, said: Mapping[str, Prediction], header: bool) -> None:
    """Write ID, A-coref, B-coref in the order given; the official scorer of GAP wants no header."""
    check_target(path)
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        if header:
            file.write("\t".join(COLUMNS) + "\n")
        for id, (a, b) in said.items():
            file.write(f"{id}\t{str(bool(a)).upper()}\t{str(bool(b)).upper()}\n")


DECIMALS = 8  # as published
LETTERS = ("a", "b")
SHOWN = 80  # characters of a value in an error


def read_names(path: Path, items: Sequence[Item]) -> dict[str, list[Span]]:
    """The spans of each item, in the order of the file; those of other rows are left out.

    InputError where a row is missing, or a span is no stretch of its text, is there twice or has another text there.
    """
    found = read_object(path, "id and spans")
    check_names(items, found, str(path))
    return {item.id: spans_of(found[item.id], item, f"{path}: {item.id}") for item in items}


def spans_of(value: Any, item: Item, place: str) -> list[Span]:
    if not isinstance(value, list):
        raise InputError(f"{place}: found {shown(value)}; wanted a list of [start, end, text]")
    spans = [span_of(it, item, place) for it in value]
    twice = [span for n, span in enumerate(spans) if span in spans[:n]]
    if twice:
        raise InputError(f"{place}: [{twice[0].start}, {twice[0].end}] is there twice; remove one")
    return spans


def span_of(value: Any, item: Item, place: str) -> Span:
    is_span = isinstance(value, list) and len(value) in (2, 3)
    if not is_span or not all(type(it) is int for it in value[:2]) or not all(isinstance(it, str) for it in value[2:]):
        raise InputError(f"{place}: found {shown(value)}; wanted [start, end, text]")
    start, end = value[:2]
    if not 0 <= start < end:
        raise InputError(f"{place}: {shown(value)} is no stretch of a text; wanted 0 <= start < end")
    if item.instance:
        text = item.instance.text
        if end > len(text):
            raise InputError(f"{place}: {shown(value)} ends behind the text, which has {len(text):,} characters")
        if value[2:] and text[start:end] != value[2]:
            raise InputError(
                f"{place}: {value[2][:SHOWN]!r} is not at {start}, but {text[start:end][:SHOWN]!r}; "
                f"fix the offsets, which count characters, or take the names of this gold"
            )
    return Span(start, end)


def names_as_json(names: Mapping[str, Sequence[Span]], items: Sequence[Item]) -> dict[str, list[list[int | str]]]:
    """Names in the published form, the text of each as a check."""
    texts = {item.id: item.instance.text if item.instance else "" for item in items}
    return {
        id: [[it.start, it.end, texts[id][it.start : it.end]] for it in spans]
        for id, spans in names.items()
        if id in texts
    }


def write_weights(path: Path, items: Sequence[Item], weights: Mapping[str, float]) -> None:
    """Write both letters of every item, in order."""
    check_target(path)
    write_json(path, weights_as_json(items, weights))


def weights_as_json(items: Sequence[Item], weights: Mapping[str, float]) -> dict[str, float]:
    found = {}
    for item in items:
        on = true_letter(item)
        for letter in LETTERS:
            weight = weights.get(item.id, 0.0) if letter == on else 0.0
            found[item.id + letter] = round(weight, DECIMALS) + 0.0  # no -0.0
    return found


def true_letter(item: Item) -> str:
    """The letter of the true name, A where both are; empty where none is."""
    return "a" if item.a else "b" if item.b else ""


def read_weights(path: Path, items: Sequence[Item]) -> dict[str, float]:
    """The weight of each item; those of other rows are left out.

    InputError where a row is missing, or a weight stands on a name that is not true in this gold.
    """
    found = read_object(path, "letter and weight")
    missing = [item.id for item in items if any(item.id + letter not in found for letter in LETTERS)]
    if missing:
        raise InputError(
            f"{path}: no weights for {len(missing):,} of {len(items):,} rows: {listed(missing)}; "
            f"a row has two, such as {missing[0]}a and {missing[0]}b"
        )
    weights = {}
    for item in items:
        on = true_letter(item)
        for letter in LETTERS:
            weight = weight_of(found[item.id + letter], f"{path}: {item.id}{letter}")
            if letter == on:
                weights[item.id] = weight
            elif weight:
                true = f"is {on.upper()}" if on else "is neither"
                raise InputError(
                    f"{path}: {item.id}{letter} weighs {weight:g}, and the true name {true}; "
                    f"take the weights of this gold"
                )
        weights.setdefault(item.id, 0.0)
    if not any(weights.values()):
        raise InputError(f"{path}: every weight is 0; take the weights of this gold")
    return weights


def weight_of(value: Any, place: str) -> float:
    if type(value) not in (int, float) or not 0 <= value <= sys.float_info.max:
        raise InputError(f"{place}: the weight is {shown(value)}; wanted a number, 0 or more")
    return float(value)


def read_object(path: Path, held: str) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        known = dict(pairs)
        if len(known) < len(pairs):
            twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
            raise InputError(f"{path}: keys that occur twice: {listed(twice)}; remove one of each")
        return known

    text = read_text(path)
    try:
        found = json.loads(text, object_pairs_hook=unique)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {one_line(error)}; wanted one object of {held}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: found {shown(found)}; wanted one object of {held}")
    if not found:
        raise InputError(f"{path}: holds nothing; wanted one object of {held}")
    return found


def shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def read_balanced(path: Path, items: Sequence[Item]) -> dict[str, float]:
    """Weights under which the genders are in balance; those of other groups would give a W-Bias that means nothing."""
    weights = read_weights(path, items)
    sums = {gender: sum(weights[it.id] for it in items if it.gender == gender) for gender in ("feminine", "masculine")}
    if abs(sums["feminine"] - sums["masculine"]) > UNEVEN * max(sums.values()):
        found = ", ".join(f"{total:.2f} {gender}" for gender, total in sums.items())
        raise InputError(f"{path}: weighs {found}; W-Bias is between the genders, so weigh the set by gender")
    return weights
