"""What must hold of the rows of a release, whatever made them: each rule gives the ids of the rows that break it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isclose
from typing import Any, get_args

from gapforge.counterfactuals.minimal import find_fault
from gapforge.counterfactuals.variants import Scene
from gapforge.evaluation.gold import ANSWERS, released_spans
from gapforge.groups import GENDERS
from gapforge.records import Gender, Pattern, Role, Standard, Variant, Weight, overlap
from gapforge.released import ReleasedExample, ReleasedInstance, ReleasedRow

VARIANTS: tuple[Variant, ...] = get_args(Variant)
VOCABULARY = {"gender": get_args(Gender), "pattern": get_args(Pattern), "standard": get_args(Standard)}
LABELS = ("A", "B", "neither")  # those that a labelled set holds
ROUNDING = 1e-5  # weights are kept to eight decimals, and thousands of them are summed up

Broken = tuple[str, list[str]]  # a rule in a few words, and whom it is broken by


def broken_rules(rows: Sequence[ReleasedRow]) -> Iterator[Broken]:
    """The rules of a single row that some row breaks."""
    for rule, holds in RULES.items():
        if broken := [row.id for row in rows if not holds(row)]:
            yield rule, broken
    seen: set[str] = set()
    if twice := [row.id for row in rows if row.id in seen or seen.add(row.id)]:  # type: ignore[func-returns-value]
        yield "the id occurs twice", twice


def is_at(text: str, words: str, offset: int) -> bool:
    return bool(words) and offset >= 0 and text[offset : offset + len(words)] == words


def are_apart(row: ReleasedRow) -> bool:
    pronoun, a, b = released_spans(row)
    return not (overlap(a, b) or overlap(pronoun, a) or overlap(pronoun, b)) and a.start < b.start


def uses_known_words(row: ReleasedRow) -> bool:
    known = all(getattr(row, name) in values for name, values in VOCABULARY.items())
    return known and row.label in LABELS and 0 < row.agreement <= 1


def has_four_people(row: ReleasedRow) -> bool:
    """Whether the four people of a quadruple's text are there, with mentions within it, A and B among them."""
    if not isinstance(row, ReleasedInstance):
        return True
    _, a, b = released_spans(row)
    spans = [span for person in row.people for span in person.mentions]
    own = [span for person in row.people if person.gender == row.gender for span in person.mentions]
    within = all(0 <= span.start < span.end <= len(row.text) for span in spans)
    roles = tuple(person.role for person in row.people)
    return within and roles == get_args(Role) and a in own and b in own and row.variant in VARIANTS


RULES: Mapping[str, Callable[[ReleasedRow], bool]] = {
    "the pronoun is not at its offset": lambda row: is_at(row.text, row.pronoun, row.pronoun_offset),
    "A is not at its offset": lambda row: is_at(row.text, row.a, row.a_offset),
    "B is not at its offset": lambda row: is_at(row.text, row.b, row.b_offset),
    "pronoun and names overlap, or B comes before A": are_apart,
    "the gender is not the pronoun's": lambda row: GENDERS.get(row.pronoun.lower()) == row.gender,
    "a value is none of its column": uses_known_words,
    "the label is not what a_coref and b_coref say": lambda row: ANSWERS.get(row.label) == (row.a_coref, row.b_coref),
    "the four people are not in the text": has_four_people,
}


def quadruple_faults(rows: Iterable[ReleasedInstance]) -> Iterator[Broken]:
    """Quadruples that are not whole, not answered alike, or no minimal pairs, by their faults."""
    groups: defaultdict[str, list[ReleasedInstance]] = defaultdict(list)
    for row in rows:
        groups[row.quadruple_id].append(row)
    found: defaultdict[str, list[str]] = defaultdict(list)
    for id, group in groups.items():
        if fault := fault_of(group):
            found[fault].append(id)
    yield from found.items()


def fault_of(group: Sequence[ReleasedInstance]) -> str:
    if sorted(row.variant for row in group) != sorted(VARIANTS):
        return "a quadruple lacks one of its four texts, or has one twice"
    if len({row.label for row in group}) > 1:
        return "the four texts of a quadruple have different labels"
    four = {row.variant: row for row in group}
    fault = find_fault({variant: scene_of(four[variant]) for variant in VARIANTS})
    return f"no minimal pairs ({fault})" if fault else ""


def scene_of(row: ReleasedInstance) -> Scene:
    return Scene(row.text, row.gender, *released_spans(row), row.people)


def shared_documents(splits: Mapping[str, Sequence[ReleasedRow]]) -> list[str]:
    """Documents, or texts word for word, that are in two splits."""
    first: dict[tuple[str, ...], str] = {}
    shared: dict[str, None] = {}
    for split, rows in splits.items():
        for row in rows:
            for key in ((row.corpus, row.document_id), (row.text,)):
                if first.setdefault(key, split) != split:
                    shared[f"{row.corpus}/{row.document_id}"] = None
    return list(shared)


def imbalance_of(rows: Iterable[ReleasedRow]) -> str:
    """What is said where a set has not as many rows of either gender; empty where it has."""
    found = Counter(row.gender for row in rows)
    counts = {gender: found[gender] for gender in get_args(Gender)}
    different = len(set(counts.values())) > 1
    return ", ".join(f"{count:,} {gender}" for gender, count in counts.items()) if different else ""


def weight_faults(
    rows: Sequence[ReleasedExample], weights: Sequence[Weight], properties: Iterable[str]
) -> Iterator[Broken]:
    """What is wrong with the weights of a split: whom they are of, and whether they balance what they should."""
    table = {it.instance_id: it.weight for it in weights}
    if strange := sorted({row.id for row in rows} ^ table.keys()):
        yield "not one weight for each row of its split", strange
        return
    if other := [row.id for row in rows if row.weight != table[row.id]]:
        yield "the column of weights is not the table of weights", other
    genders = {row.id: row.gender for row in rows}
    if other := [it.instance_id for it in weights if it.gender != genders[it.instance_id]]:
        yield "the gender is not that of the row", other
        return
    values: dict[str, Callable[[Weight], Any]] = {"number": lambda it: it.names, "distance": lambda it: it.rank}
    # Rows without a true name weigh nothing; those whose true name is no span are in no set by its rank.
    groupings = {"": lambda it: "all", **{name: values[name] for name in properties if name in values}}
    for name, value in groupings.items():
        sums: defaultdict[tuple[Any, str], float] = defaultdict(float)
        for it in weights:
            sums[value(it), it.gender] += it.weight
        keys = dict.fromkeys(key for key, _ in sums if key is not None)
        uneven = [str(key) for key in keys if not is_even([sums[key, gender] for gender in get_args(Gender)])]
        if uneven:
            yield f"the genders do not weigh the same{name and f' by {name}'}", uneven


def is_even(weights: Sequence[float]) -> bool:
    return isclose(*weights, abs_tol=ROUNDING, rel_tol=ROUNDING)
