"""Gold answers, read from any set that is evaluated, in one form."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from gapforge.annotation.questions import label_of
from gapforge.config import hint
from gapforge.engine.parts import part_files, read_parts
from gapforge.errors import ConfigError, InputError, listed
from gapforge.groups import GENDERS
from gapforge.records import (
    Candidate,
    Gender,
    Instance,
    Label,
    LabelledExample,
    LabelledInstance,
    Pattern,
    Span,
    Split,
    SubjectiveExample,
    Variant,
    WinoBiasSentence,
)
from gapforge.released import ReleasedExample, ReleasedInstance, ReleasedRow, ReleasedSubjective
from gapforge.storage.conll import BEGIN
from gapforge.storage.files import check_source, read_text
from gapforge.storage.tables import read_records, schema_of, schema_on_disk, split_files
from gapforge.storage.tsv import SHARED, Row, label_in, quadruple_of, read_cells, read_rows
from gapforge.winobias.published import COLUMNS as WINOGENDER
from gapforge.winobias.published import Schema, marks_of, read_winogender

Kind = Literal["gap", "counter-gap", "gap-subjective", "winobias", "winogender", "conll", "release"]
LABELS_ONLY = ("ID", "Pronoun", "A-coref", "B-coref")
ANSWERS: dict[Label, tuple[bool, bool]] = {
    "A": (True, False),
    "B": (False, True),
    "neither": (False, False),
    "both": (True, True),
    "not sure": (False, False),
}
ROWS = ("gap", "counter-gap", "gap-subjective", "winogender", "release")  # kinds that mark two names in each row
NUMBERED = re.compile(r"\d+ .*\[.+\]")  # a line of WinoBias
FIRST_LINES = 100  # of which one says what a file holds
# In words between the pronoun and the true name.
DISTANCES = ((0, 4), (5, 9), (10, 19), (20, 39), (40, None))


@dataclass(frozen=True, slots=True)
class Item:
    """One instance with its gold answer; `instance` is None where a file gives labels without a text.

    `quadruple` is the id of the original, and `variant` which of the four this is; both are empty outside Counter-GAP.
    `split` is known of what a run has labelled.
    """

    id: str
    pronoun: str
    gender: Gender
    a: bool
    b: bool
    instance: Instance | None = None
    quadruple: str = ""
    variant: Variant | Literal[""] = ""
    split: Split | Literal[""] = ""


def recognise(path: Path) -> Kind:
    """What a gold file holds, by its first line; what a folder holds, by its files."""
    if path.is_dir():
        marks = [marks_of(it.name) for it in path.iterdir() if it.is_file()]
        return "winobias" if any(it.kind and it.condition for it in marks) else "release"
    check_source(path)
    with path.open("rb") as file:
        lines = (file.readline(1_000_000).decode("utf-8", "replace").removeprefix("\ufeff") for _ in range(FIRST_LINES))
        first = next((line.rstrip("\r\n") for line in lines if line.strip()), "")
    if BEGIN.match(first):
        return "conll"
    if NUMBERED.match(first):
        return "winobias"
    header = first.split("\t")
    if header == list(WINOGENDER):
        return "winogender"
    if "ID" not in header:
        raise InputError(
            f"{path}: line 1: neither the columns of GAP or Counter-GAP, nor a WinoBias sentence, nor CoNLL's "
            f"#begin document; fix the file, or name what it is with --kind"
        )
    if "URL" in header:
        return "gap"
    ids = [cells["ID"] for _, cells in read_cells(path, ("ID",))]
    return "counter-gap" if "Book" in header or any(quadruple_of(id)[1] != "original" for id in ids) else "gap"


def check_kind(kind: str) -> Kind:
    for known in get_args(Kind):
        if kind == known:
            return known  # type: ignore[no-any-return]
    raise ConfigError(f"unknown kind {kind!r}{hint(kind, list(get_args(Kind)))}")


def read_items(path: Path, kind: str, labelled: bool = True) -> list[Item]:
    """The items of a GAP or Counter-GAP file in order; InputError where one has no label, or two have one id.

    Where labels are not needed, a row without one is read as if no name were true.
    """
    if kind == "winogender":
        return checked([items_of_schema(it) for it in read_winogender(path)], str(path))
    with_text = set(SHARED) <= set(header_of(path))
    items = list(items_of_rows(path, kind, labelled) if with_text else items_of_labels(path, kind))
    return checked(items, str(path))


def header_of(path: Path) -> list[str]:
    return read_text(path).partition("\n")[0].rstrip("\r").split("\t")


def items_of_rows(path: Path, kind: str, labelled: bool) -> Iterator[Item]:
    for row in read_rows(path):
        label = label_of(row)
        if label is None and labelled:
            raise InputError(f"{path}: {row.id} has no label; gold needs A-coref and B-coref")
        yield item_of(row.id, row.pronoun, label or "neither", kind, str(path), instance_of(row, str(path)))


def items_of_labels(path: Path, kind: str) -> Iterator[Item]:
    for place, cells in read_cells(path, LABELS_ONLY):
        a, b = label_in(cells, "A-coref", place), label_in(cells, "B-coref", place)
        if a is None or b is None:
            raise InputError(f"{path}: {cells['ID']} has no label; gold needs A-coref and B-coref")
        label = next(label for label, answer in ANSWERS.items() if answer == (a, b))
        yield item_of(cells["ID"], cells["Pronoun"], label, kind, place, None)


def instance_of(row: Row, place: str) -> Instance:
    """What a resolver is asked about a row; InputError where an offset leads elsewhere."""
    for words, span in ((row.pronoun, row.pronoun_span), (row.a, row.a_span), (row.b, row.b_span)):
        found = row.text[span.start : span.end]
        if not words or found != words:
            raise InputError(f"{place}: {row.id}: {words!r} is not at {span.start}, but {found!r}; fix the offset")
    url = row.source if "://" in row.source else ""
    return Instance(row.id, row.text, row.pronoun_span, row.a_span, row.b_span, url)


def instance_of_candidate(it: Candidate) -> Instance:
    return Instance(it.id, it.text, it.pronoun, it.name_a, it.name_b, it.url)


def item_of(id: str, pronoun: str, label: Label, kind: str, place: str, instance: Instance | None) -> Item:
    gender = GENDERS.get(pronoun.lower())
    if gender is None:
        raise InputError(f"{place}: {id}: the pronoun is {pronoun!r}; wanted {', '.join(GENDERS)}")
    item = Item(id, pronoun, gender, *ANSWERS[label], instance)
    if kind != "counter-gap":
        return item
    quadruple, variant = quadruple_of(id)
    return replace(item, quadruple=quadruple, variant=variant)


def items_of_example(it: LabelledExample) -> Item:
    word = it.text[it.pronoun.start : it.pronoun.end]
    return Item(it.id, word, it.gender, *ANSWERS[it.label], instance_of_candidate(it), split=it.split)


def items_of_instance(it: LabelledInstance) -> Item:
    word = it.text[it.pronoun.start : it.pronoun.end]
    gender = GENDERS[word.lower()]  # of this text; the record's is the same
    return Item(it.id, word, gender, *ANSWERS[it.label], instance_of_candidate(it), it.quadruple_id, it.variant)


def items_of_schema(it: Schema) -> Item:
    """A sentence of Winogender as a question between two names: A is whoever is mentioned first."""
    first, second = sorted((it.occupation, it.participant), key=lambda span: span.start)
    word = it.text[it.pronoun.start : it.pronoun.end]
    instance = Instance(it.id, it.text, it.pronoun, first, second, "")
    return Item(it.id, word, it.gender, it.answer == first, it.answer == second, instance)


# The labelled records of a release, the more special first.
LABELLED: dict[str, tuple[Any, Callable[..., Item]]] = {
    "counter-gap": (LabelledInstance, items_of_instance),
    "gap-subjective": (SubjectiveExample, items_of_example),
    "gap": (LabelledExample, items_of_example),
}


def items_of_released(row: ReleasedRow, split: str = "") -> Item:
    """The item of a row of a release; `split` is that of its table."""
    quadruple, variant = (row.quadruple_id, row.variant) if isinstance(row, ReleasedInstance) else ("", "")
    instance = Instance(row.id, row.text, *released_spans(row), row.url)
    return Item(row.id, row.pronoun, row.gender, row.a_coref, row.b_coref, instance, quadruple, variant, split)  # type: ignore[arg-type]


def released_spans(row: ReleasedRow) -> tuple[Span, Span, Span]:
    """Where pronoun, A and B stand."""
    places = (row.pronoun_offset, row.pronoun), (row.a_offset, row.a), (row.b_offset, row.b)
    pronoun, a, b = (Span(start, start + len(words)) for start, words in places)
    return pronoun, a, b


# The tables of a release; Counter-GAP has one split, which is all of it.
RELEASED: dict[str, type[ReleasedRow]] = {
    "counter-gap": ReleasedInstance,
    "gap-subjective": ReleasedSubjective,
    "gap": ReleasedExample,
}


def read_release(folder: Path, split: str = "") -> dict[str, list[Item]]:
    """The labelled sets in a folder or its folders, each with its items: those of a release, a run or one stage.

    Of a set that has splits, the one named is taken, where one is.
    """
    if split not in ("", *get_args(Split)):
        raise ConfigError(f"unknown split {split!r}{hint(split, get_args(Split))}")
    found: dict[str, list[Item]] = {}
    for path in sorted(it for it in (folder, *folder.iterdir()) if it.is_dir() and not it.name.startswith(".")):
        for kind, items in labelled_in(path):
            if kind in found:
                raise InputError(f"{folder}: two labelled sets of {kind}; name the folder of one")
            found[kind] = checked([it for it in items if not split or it.split in ("", split)], str(path))
    if not found:
        wanted = "name a release, a run, or a stage such as GapLabelled"
        if (folder / "text").is_dir():
            wanted = f"its sentences of WinoBias are measured by {folder / 'text'}"
        raise InputError(f"{folder}: no labelled set; {wanted}")
    return found


def kind_of(gold: Path, kind: str) -> Kind:
    if not gold.exists():
        raise InputError(f"{gold}: no such file or folder; fix the path")
    return check_kind(kind) if kind else recognise(gold)


def read_sets(gold: Path, kind: Kind, split: str = "", labelled: bool = True) -> dict[str, list[Item]]:
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


def read_examples(path: Path) -> list[tuple[Instance, Label]]:
    """What a resolver learns from: instances with their labels."""
    items = [item for its in read_sets(path, kind_of(path, "")).values() for item in its]
    label_of = {answer: label for label, answer in reversed(ANSWERS.items())}
    return [(it, label_of[item.a, item.b]) for it, item in zip(instances_of(items, str(path)), items, strict=True)]


def labelled_in(folder: Path) -> Iterator[tuple[str, list[Item]]]:
    """The labelled set of a stage's folder, or of a release's, with its kind."""
    parts, tables = part_files(folder), split_files(folder)
    for kind, (record, build) in LABELLED.items():
        if parts and holds(parts[0], record):
            yield kind, [build(it) for it in read_parts(folder, record)]
            return
    for kind, released in RELEASED.items():
        if tables and all(holds(path, released) for path in tables.values()):
            rows = ((it, split) for split, path in tables.items() for it in read_records(path, released))
            yield kind, [items_of_released(it, split if kind != "counter-gap" else "") for it, split in rows]
            return


def holds(path: Path, record: type) -> bool:
    return set(schema_of(record).names) <= set(schema_on_disk(path).names)


def checked(items: list[Item], place: str) -> list[Item]:
    if not items:
        raise InputError(f"{place}: no instances; there is nothing to measure")
    seen: set[str] = set()
    twice = [item.id for item in items if item.id in seen or seen.add(item.id)]  # type: ignore[func-returns-value]
    if twice:
        raise InputError(f"{place}: ids that occur twice: {listed(twice)}; remove one of each")
    return items


def instances_of(items: Sequence[Item], place: str) -> list[Instance]:
    """What a resolver is asked; InputError where the gold has labels alone."""
    found = [item.instance for item in items if item.instance]
    if len(found) < len(items):
        raise InputError(f"{place}: labels without texts; a resolver needs a file with the texts and their offsets")
    return found


def pattern_of(item: Item) -> Pattern | None:
    """Where the pronoun stands among the two names (GAP 3.1)."""
    if item.instance is None:
        return None
    starts = sorted((item.instance.name_a.start, item.instance.name_b.start))
    at = item.instance.pronoun.start
    return "FINALPRO" if at > starts[1] else "INITIALPRO" if at < starts[0] else "MEDIALPRO"


def distance_of(item: Item) -> str | None:
    """How many words stand between the pronoun and the true name, as a range; None where no name is true."""
    if item.instance is None or not (item.a or item.b):
        return None
    name, pronoun = item.instance.name_a if item.a else item.instance.name_b, item.instance.pronoun
    between = item.instance.text[min(name.end, pronoun.end) : max(name.start, pronoun.start)]
    words = len(between.split())
    for low, high in DISTANCES:
        if high is None:
            return f"{low}+"
        if words <= high:
            return f"{low}-{high}"
    raise AssertionError("the last range is open")


# What figures are given by, beside gender: each a function from an item to its group.
GROUPINGS: dict[str, Callable[[Item], str | None]] = {
    "pronoun": lambda item: item.pronoun.lower(),
    "pattern": pattern_of,
    "distance": distance_of,
}


def groups_of(items: Sequence[Item], grouping: str) -> dict[str, list[int]]:
    """The places of the items in each group, groups in order."""
    found: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        if group := GROUPINGS[grouping](item):
            found.setdefault(group, []).append(place)
    order = {name: n for n, name in enumerate((*GENDERS, *get_args(Pattern)))}
    return dict(sorted(found.items(), key=lambda it: (order.get(it[0], 0), int(re.match(r"\d*", it[0])[0] or 0))))  # type: ignore[index]


def measured_items(labelled: Iterable[Any], kind: str, split: str, name: str) -> list[Item]:
    """What is measured of a labelled set; nothing of one that is empty, so that other sets are still measured."""
    _, build = LABELLED[kind]
    every = [build(it) for it in labelled]
    items = [it for it in every if it.split in ("", split)]
    if every and not items:
        raise InputError(f"{name}: no instances in {split}; add text, or choose another [evaluation] split")
    return items


def measured_sentences(sentences: Iterable[WinoBiasSentence], split: str, name: str) -> list[WinoBiasSentence]:
    """The sentences of WinoBias that are measured."""
    found = [it for it in sentences if is_measured(it, split)]
    if not found:
        raise InputError(f"{name}: no sentences in {split}; add scenes, or choose another [evaluation] split")
    return found


def is_measured(it: WinoBiasSentence, split: str) -> bool:
    """Whether a sentence is in what is measured: WinoBias has no validation split, and development stands in for it."""
    return it.split == ("test" if split == "test" else "development")
