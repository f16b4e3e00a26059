"""What may differ between the groups of a test set without being bias (Kocijan et al. 2021, 2.1 and 3.4).

A property is a function over a batch, `(items, names) -> one value an item`; items of one value are a set, and None is
in no set. The number of personal names in a text gives the sets N_k, the rank of the true name among them, from the
pronoun outwards, the sets D_k. A group is the same kind of function.
"""

import math
import statistics as figures
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from gapforge.errors import ConfigError, InputError, listed, one_line
from gapforge.evaluation.gold import Item
from gapforge.people.mentions import mentions_in
from gapforge.plugins import load_plugin
from gapforge.records import Document, Gender, Instance, Section, Span, overlap
from gapforge.systems.antecedents import nearest_first

Names = Mapping[str, Sequence[Span]]
Value = Hashable | None
Property = Callable[[Sequence[Item], Names], Sequence[Value]]

PROPERTIES: Mapping[str, str] = {
    "number": "gapforge.evaluation.properties:number",
    "distance": "gapforge.evaluation.properties:distance",
}
GROUPS: Mapping[str, str] = {"gender": "gapforge.evaluation.properties:gender"}


@dataclass(frozen=True, slots=True)
class Statistic:
    """A property in one group: over how many rows, their mean, and the standard deviation of just these rows."""

    property: str
    group: str
    rows: int
    mean: float
    deviation: float


def number(items: Sequence[Item], names: Names) -> list[int]:
    """How many personal names each text holds."""
    return [len(names[item.id]) for item in items]


def distance(items: Sequence[Item], names: Names) -> list[int | None]:
    """Where the true name stands among all names, 1 being the nearest to the pronoun."""
    return [rank_of_true_name(item, names[item.id]) for item in items]


def gender(items: Sequence[Item], names: Names) -> list[Gender]:
    return [item.gender for item in items]


def rank_of_true_name(item: Item, spans: Sequence[Span]) -> int | None:
    """The rank of the nearest span that overlaps the true name; None where no name is true, or no span is it."""
    if not (item.a or item.b):
        return None
    instance = text_of(item)
    true = instance.name_a if item.a else instance.name_b
    ranked = enumerate(nearest_first(instance, spans), 1)
    return next((rank for rank, span in ranked if overlap(span, true)), None)


def text_of(item: Item) -> Instance:
    if item.instance is None:
        raise InputError(f"{item.id}: the gold has no text; weights need a file with the texts and their offsets")
    return item.instance


def values_of(
    name: str, items: Sequence[Item], names: Names, builtin: Mapping[str, str] = PROPERTIES
) -> list[Hashable | None]:
    """The values of a property by its name or path; ConfigError where a plug-in fails or gives no value for each."""
    measure: Property = load_plugin(name, builtin)
    if name in builtin:
        return list(measure(items, names))
    try:
        values = list(measure(items, names))
        hash(tuple(values))
    except (ConfigError, InputError):
        raise
    except Exception as error:  # Whatever a user's function raises.
        raise ConfigError(f"{name}: {type(error).__name__}: {one_line(error)}; fix the function") from error
    if len(values) != len(items):
        raise ConfigError(f"{name}: {len(values)} values for {len(items)} rows; a property gives one for each, or None")
    return [plain(value) for value in values]


def plain(value: Value) -> Value:
    """A number of numpy as one of Python, not-a-number and infinity as no value."""
    item = getattr(value, "item", None)
    value = item() if callable(item) and type(value).__module__ == "numpy" else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def in_order(value: Value) -> tuple[int, float, str]:
    """A key to sort values by: numbers by size, then all others by their text, no value last."""
    if value is None:
        return 2, 0.0, ""
    return (0, value, "") if isinstance(value, (int, float)) and is_number(value) else (1, 0.0, str(value))


def check_names(items: Sequence[Item], names: Names, place: str) -> None:
    """Refuse names that lack a row; one without any name has an empty list."""
    missing = [item.id for item in items if item.id not in names]
    if missing:
        raise InputError(
            f"{place}: no names for {len(missing):,} of {len(items):,} rows: {listed(missing)}; "
            f"add them, with an empty list where a text has no name"
        )


def detect_names(items: Sequence[Item], model: str) -> dict[str, list[Span]]:
    """The personal names in each text, in text order: those that the extraction finds, and the two of the row."""
    return {item.id: names_in(text_of(item), model) for item in items}


def names_in(instance: Instance, model: str) -> list[Span]:
    whole = [Section("", 0, 0, len(instance.text))]
    document = Document(instance.id, "", "", instance.url, instance.text, whole)
    _, mentions = mentions_in(document, model)
    spans = [it.span for it in mentions if not overlap(it.span, instance.pronoun)]
    for given in (instance.name_a, instance.name_b):
        if not any(overlap(given, span) for span in spans):
            spans.append(given)
    return sorted(set(spans), key=lambda span: (span.start, span.end))


def statistics(
    items: Sequence[Item], names: Names, properties: Sequence[str] = tuple(PROPERTIES), group: str = "gender"
) -> list[Statistic]:
    """Mean and deviation of each property in each group, over all rows that have a value (Kocijan 3.3)."""
    groups = values_of(group, items, names, GROUPS)
    found = []
    for name in properties:
        values = values_of(name, items, names)
        for one in sorted({it for it in groups if it is not None}, key=in_order):
            held = [it for it, of in zip(values, groups, strict=True) if of == one and it is not None]
            sizes = [float(it) for it in held if isinstance(it, (int, float))]
            if len(sizes) < len(held):
                wrong = next(it for it in held if not isinstance(it, (int, float)))
                raise ConfigError(f"{name}: gives {wrong!r}; only numbers have a mean")
            if sizes:
                mean, deviation = figures.fmean(sizes), figures.pstdev(sizes)
                found.append(Statistic(name, str(one), len(sizes), mean, deviation))
    return found
