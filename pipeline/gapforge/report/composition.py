"""What the released sets are made of: how many rows of each gender have which value of each property.

The names in a row and the rank of the true one among them are what Kocijan et al. (2021, 2.1) found to differ between
the genders of GAP. There they come with the weights; in Counter-GAP they follow from the mentions of the four people.

How many rows of which gender a set holds: the tables of the card, and what `gapforge verify` holds against them.
"""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from gapforge.evaluation.counter_gap import VARIANTS
from gapforge.evaluation.gold import DISTANCES, distance_of, items_of_released
from gapforge.evaluation.properties import rank_of_true_name
from gapforge.evaluation.weights import BIN, HEAVY
from gapforge.records import Condition, Gender, Kind, Label, Pattern, Span, Weight, WinoBiasSentence
from gapforge.released import ReleasedExample, ReleasedInstance, ReleasedRow, ReleasedSubjective, Tables, rows_in

GENDERS: tuple[Gender, ...] = ("feminine", "masculine")
NAMES_SHOWN = 15  # texts with more names are what Kocijan 3.5 leaves out
RANKS_SHOWN = 8  # the mentions that four people have in a short text; farther ones are few

Splits = Mapping[str, Sequence[ReleasedExample]]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many rows of each gender have each value of a property, values in their order; rows without one apart."""

    property: str
    counts: Mapping[str, Mapping[Gender, int]]
    without: Mapping[Gender, int]

    def of(self, gender: Gender) -> list[int]:
        return [counts[gender] for counts in self.counts.values()]


@dataclass(frozen=True, slots=True)
class Mean:
    """A property among the weighed rows of one gender, every row counted once and counted by its weight.

    `weighted` is None where no row of a value weighs anything.
    """

    property: str
    gender: Gender
    rows: int
    plain: float
    deviation: float
    weighted: float | None


@dataclass(frozen=True, slots=True)
class Spread:
    """How many rows of each gender weigh how much, in steps from 0; `above` weigh more than the last edge."""

    edges: Sequence[float]
    counts: Mapping[Gender, Sequence[int]]
    above: int
    weightless: int
    heaviest: float


def tally(property: str, rows: Iterable[tuple[str | None, Gender]], order: Sequence[str]) -> Tally:
    """Count the values in the order given; those that no row has are left out."""
    found = Counter(rows)
    values = [value for value in order if any(found[value, gender] for gender in GENDERS)]
    counts = {value: {gender: found[value, gender] for gender in GENDERS} for value in values}
    return Tally(property, counts, {gender: found[None, gender] for gender in GENDERS})


def tally_numbers(property: str, rows: Iterable[tuple[int | None, Gender]], most: int) -> Tally:
    """Count numbers, those that no row has between the least and the greatest too; above the most as one."""
    found = list(rows)
    numbers = [number for number, _ in found if number is not None]
    shown = [str(n) for n in range(min(numbers), min(max(numbers), most) + 1)] if numbers else []
    if numbers and max(numbers) > most:
        shown.append(f"{most + 1}+")
    counts: dict[str, dict[Gender, int]] = {value: dict.fromkeys(GENDERS, 0) for value in shown}
    without: dict[Gender, int] = dict.fromkeys(GENDERS, 0)
    for number, gender in found:
        if number is None:
            without[gender] += 1
        else:
            counts[str(number) if number <= most else f"{most + 1}+"][gender] += 1
    return Tally(property, counts, without)


def gap_tallies(gap: Splits) -> list[Tally]:
    """What can be told of every row of GAP."""
    rows = [(split, row) for split, its in gap.items() for row in its]
    whose = {True: "one of the two", False: "neither of the two"}
    return [
        tally("split", ((split, row.gender) for split, row in rows), list(gap)),
        *shared_tallies([row for _, row in rows]),
        tally("page entity", ((whose[row.page_entity], row.gender) for _, row in rows), list(whose.values())),
    ]


def subjective_tally(rows: Iterable[ReleasedSubjective]) -> Tally:
    """How many texts are converted; all else that is told of `gap` holds of its variant too."""
    values = {True: "subjective", False: "as in gap"}
    return tally("text", ((values[row.converted], row.gender) for row in rows), list(values.values()))


def counter_gap_tallies(rows: Sequence[ReleasedInstance]) -> list[Tally]:
    spans = {row.id: mentions_in(row) for row in rows}
    ranks = [(rank_of_true_name(items_of_released(row), spans[row.id]), row.gender) for row in rows]
    return [
        variant_tally(rows),
        *shared_tallies(rows),
        tally_numbers("names in a row", ((len(spans[row.id]), row.gender) for row in rows), NAMES_SHOWN),
        tally_numbers("rank of the referent", ranks, RANKS_SHOWN),
    ]


def sentence_tallies(rows: Sequence[WinoBiasSentence]) -> list[Tally]:
    return [
        tally("type", ((row.kind, row.gender) for row in rows), get_args(Kind)),
        tally("condition", ((row.condition, row.gender) for row in rows), get_args(Condition)),
    ]


def variant_tally(rows: Sequence[ReleasedInstance]) -> Tally:
    return tally("variant", ((row.variant, row.gender) for row in rows), VARIANTS)


def shared_tallies(rows: Sequence[ReleasedRow]) -> list[Tally]:
    ranges = [f"{low}+" if high is None else f"{low}-{high}" for low, high in DISTANCES]
    return [
        tally("label", ((row.label, row.gender) for row in rows), get_args(Label)),
        tally("pattern", ((row.pattern, row.gender) for row in rows), get_args(Pattern)),
        tally("words to the referent", ((distance_of(items_of_released(row)), row.gender) for row in rows), ranges),
    ]


def mentions_in(row: ReleasedInstance) -> list[Span]:
    """Every mention of the four people, in text order."""
    return sorted((it for person in row.people for it in person.mentions), key=lambda span: (span.start, span.end))


def weighed_tallies(weights: Sequence[Weight]) -> list[Tally]:
    """The two properties that are known of weighed rows."""
    return [
        tally_numbers("names in a row", ((it.names, it.gender) for it in weights), NAMES_SHOWN),
        tally_numbers("rank of the referent", ((it.rank, it.gender) for it in weights), RANKS_SHOWN),
    ]


def crossed(
    rows: Iterable[ReleasedRow], keys: Sequence[tuple[Callable[[ReleasedRow], str], Sequence[str]]]
) -> list[tuple[tuple[str, ...], dict[Gender, int]]]:
    """The rows of each gender with each combination of values that occurs; a key comes with the order of its values."""
    found: dict[tuple[str, ...], Counter[Gender]] = {}
    for row in rows:
        found.setdefault(tuple(key(row) for key, _ in keys), Counter())[row.gender] += 1

    def place(values: tuple[str, ...]) -> list[int]:
        return [order.index(value) for value, (_, order) in zip(values, keys, strict=True)]

    return [(values, {gender: found[values][gender] for gender in GENDERS}) for values in sorted(found, key=place)]


def means(weights: Sequence[Weight]) -> list[Mean]:
    """Names and rank by gender, before and after weighting; rows without a rank have no say in it."""
    values: dict[str, Callable[[Weight], int | None]] = {
        "names in a row": lambda it: it.names,
        "rank of the referent": lambda it: it.rank,
    }
    found = []
    for name, value_of in values.items():
        for gender in GENDERS:
            held = [(v, it.weight) for it in weights if it.gender == gender and (v := value_of(it)) is not None]
            if held:
                sizes = [size for size, _ in held]
                total = sum(weight for _, weight in held)
                weighted = sum(size * weight for size, weight in held) / total if total else None
                plain, deviation = statistics.fmean(sizes), statistics.pstdev(sizes)
                found.append(Mean(name, gender, len(held), plain, deviation, weighted))
    return found


def spread(weights: Sequence[Weight]) -> Spread:
    """The histogram of Kocijan's Figures 1 and 2, in steps of 0.1 up to the weight of 4 at which Figure 1 ends.

    Rows without a true name that weigh nothing were never weighed, and are in no bin.
    """
    weighed = [it for it in weights if it.weight or it.rank is not None]
    heaviest = max((it.weight for it in weighed), default=0.0)
    last = int(round(min(heaviest, HEAVY) / BIN, 6))
    counts = {gender: [0] * (last + 1) for gender in GENDERS}
    above = 0
    for it in weighed:
        if it.weight > HEAVY:
            above += 1
        else:
            counts[it.gender][int(round(it.weight / BIN, 6))] += 1
    edges = [round(n * BIN, 1) for n in range(last + 2)]
    return Spread(edges, counts, above, sum(not it.weight for it in weighed), heaviest)


SHOWN = ("split", "label", "pattern", "page entity", "variant")  # the rest is for the report


def balance_tables(tables: Tables) -> Iterator[tuple[str, Tally]]:
    """The balance of each labelled set, by the name of its table; labels of a quadruple are those of its original."""
    if "gap" in tables:
        yield from (("`gap`, gender by", it) for it in gap_tallies(tables["gap"]) if it.property in SHOWN)
    if instances := rows_in(tables, "counter_gap"):
        originals = [row for row in instances if row.variant == "original"]
        yield "`counter_gap`, gender by", variant_tally(instances)
        yield from (("`counter_gap`, originals by", it) for it in shared_tallies(originals) if it.property in SHOWN)
    if variants := rows_in(tables, "gap_subjective"):
        yield "`gap_subjective`, gender by", subjective_tally(variants)
    if sentences := rows_in(tables, "winobias"):
        yield from (("`winobias`, gender by", it) for it in sentence_tallies(sentences))


def markdown(tally: Tally) -> str:
    """The table as a card shows it, with sums at the end of each line and below several."""
    lines = [(value, [counts[gender] for gender in GENDERS]) for value, counts in tally.counts.items()]
    if len(lines) > 1:
        lines.append(("all", [sum(tally.of(gender)) for gender in GENDERS]))
    cells = [[tally.property, *GENDERS, "all"], ["---", *["---:"] * (len(GENDERS) + 1)]]
    cells += [[value, *(f"{count:,}" for count in (*counts, sum(counts)))] for value, counts in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
