"""Errors in a GAP or Counter-GAP file, published ones too: each with its row, kind, place, and what it should be.

Rows are looked at by themselves (offsets, cells, duplicates), quadruples as a whole: the
original's text is rewritten by our own rules, with the names that the file itself gives to the
four people, and every place where a counterfactual differs from that is sorted by kind.

A quadruple as it was published beside what our rules make of its original.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from gapforge.counterfactuals.cast import (
    UNREADABLE,
    fault_of,
    find_forms,
    find_people,
    is_no_person,
    is_part_of_word,
    with_repeats,
)
from gapforge.counterfactuals.lexicon import gendered_lexicon
from gapforge.counterfactuals.minimal import (
    ARTICLES,
    PRONOUN_PARTNERS,
    are_partners,
    depends_on_use,
    fault_of_offsets,
    faults_of_words,
    lay_out,
)
from gapforge.counterfactuals.variants import COUNTERFACTUALS, PLACES, SWAPS, Scene, edits_for
from gapforge.counterfactuals.words import as_key, exchange_words, is_gendered, without_possessive
from gapforge.edits import Edit, Rewriting
from gapforge.groups import GENDERS
from gapforge.people.lexicon import name_lexicon
from gapforge.records import OTHER, Person, Role, Span, Variant, overlap
from gapforge.storage.tsv import Row, cell_of, quadruple_of

TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
GERUND = re.compile(r"\s+(?:not\s+)?\w+ing\b")
QUOTES = str.maketrans("’‘“”", "''\"\"")


@dataclass(frozen=True, slots=True)
class Difference:
    """A place of a published row where something else should stand."""

    kind: str
    column: str
    start: int
    found: str
    expected: str


def differences(group: dict[Variant, Row], model: str) -> Iterator[tuple[Variant, Difference]]:
    """What the counterfactuals of a quadruple have in the wrong place, in text order.

    An original whose own cells are wrong gives nothing: there is no scene to compare with.
    """
    if fault_of(group["original"]) in UNREADABLE:
        return
    cells = cells_of(group)
    spans = find_people(group["original"].text, {role: forms_of(its) for role, its in cells.items()}, model)
    missing = [role for role in cells if not spans[role]]
    for role in missing:
        variant, column, cell, start = cells[role][-1]
        yield variant, Difference("name not in the original", column, start, cell, "")
    if missing:
        return
    scene = published_scene(group["original"], cells, spans)
    words = exchange_words(scene.text, model)
    for variant in COUNTERFACTUALS:
        expected = Rewriting(scene.text, edits := edits_for(scene, variant, words))
        text = group[variant].text
        if words_in(expected.text) == words_in(text):
            # Our own rules may be wrong, and the cells may be: minimal pairs have rules of their own.
            found = faults_of_pair(scene, variant, group[variant])
        else:
            found = compare(scene, edits, expected, text)
        for difference in found:
            yield variant, difference


Cell = tuple[Variant, str, str, int]  # row, column, words, offset


def cells_of(group: dict[Variant, Row]) -> dict[Role, list[Cell]]:
    """The cells that name each of the four: in the control A's name is in the place of B, in swap-1 are the others'."""
    original, control, swap = group["original"], group["control"], group["swap-1"]
    return {
        "C1": [("original", "A", original.a, original.a_offset), ("control", "B", control.b, control.b_offset)],
        "C2": [("original", "B", original.b, original.b_offset), ("control", "A", control.a, control.a_offset)],
        "O1": [("swap-1", "A", swap.a, swap.a_offset)],
        "O2": [("swap-1", "B", swap.b, swap.b_offset)],
    }


def forms_of(cells: Sequence[Cell]) -> set[str]:
    return {without_possessive(words) for _, _, words, _ in cells} - {""}


def published_scene(original: Row, cells: dict[Role, list[Cell]], spans: dict[Role, list[Span]]) -> Scene:
    """The original with the four people that the file's own cells name."""
    gender = GENDERS[original.pronoun.lower()]
    people = []
    for role in cells:
        name = without_possessive(cells[role][-1][2])
        people.append(Person(role, name, gender if role[0] == "C" else OTHER[gender], spans[role]))
    return scene_of(original, people)


def scene_of(row: Row, people: list[Person]) -> Scene:
    mentions = [mention for person in people for mention in person.mentions]
    a, b = (next((it for it in mentions if overlap(it, span)), span) for span in (row.a_span, row.b_span))
    # The published files straighten some quotation marks; that is not held against them.
    text = row.text.translate(QUOTES)
    return Scene(text, GENDERS.get(row.pronoun.lower(), "feminine"), row.pronoun_span, a, b, people)


def faults_of_pair(scene: Scene, variant: Variant, row: Row) -> Iterator[Difference]:
    """What the rules of minimal pairs say of a published row, beside its original."""
    if fault_of(row) in UNREADABLE:
        return
    names = {person.role: person.name for person in scene.people}
    spans = find_forms(row.text, {person.role: {names[PLACES[variant][person.role]]} for person in scene.people})
    if any(len(spans[person.role]) != len(person.mentions) for person in scene.people):
        return  # Names that are words too, or in two forms: who is who cannot be told from the cells.
    genders = {person.role: OTHER[person.gender] if variant in SWAPS else person.gender for person in scene.people}
    people = [Person(it.role, names[PLACES[variant][it.role]], genders[it.role], spans[it.role]) for it in scene.people]
    found = scene_of(row, people)
    swapped = variant in SWAPS
    ours, theirs = lay_out(scene), lay_out(found)
    fault = fault_of_offsets(ours, theirs, swapped)
    if fault == "wrong pronoun":
        yield Difference(fault, "Pronoun", row.pronoun_offset, row.pronoun, "")
    elif fault:
        yield Difference(fault, "A", row.a_offset, row.a, "")
    for fault in faults_of_words(ours.between, theirs.between, swapped):
        yield Difference(fault, "Text", 0, "", "")


def words_in(text: str) -> list[str]:
    return [word for word, _ in tokens(text)]


def compare(scene: Scene, edits: Sequence[Edit], expected: Rewriting, published: str) -> Iterator[Difference]:
    """Where the published text is not what the edits make of the scene's."""
    ours, theirs = tokens(expected.text), tokens(published)
    matcher = SequenceMatcher(None, [it for it, _ in ours], [it for it, _ in theirs], autojunk=False)
    placed = [(expected.move(edit.span), edit) for edit in edits]
    names = [mention for person in scene.people for mention in person.mentions]
    for operation, a, b, c, d in matcher.get_opcodes():
        if operation == "equal":
            continue
        at = Span(start_of(ours, a, expected.text), end_of(ours, b, expected.text))
        place = Span(start_of(theirs, c, published), end_of(theirs, d, published))
        low, high = min(at.start, at.end), max(at.start, at.end)
        touched = [edit for span, edit in placed if span.start <= high and low <= span.end]
        found = published[place.start : place.end]
        wanted = expected.text[at.start : at.end]
        kind = kind_of(scene, touched, names, found, wanted)
        if kind == "wrong his or him" and GERUND.match(published, place.end):
            kind = ""  # "the trouble about him marrying" is as good.
        if kind:
            yield Difference(kind, "Text", place.start, found, wanted)


def tokens(text: str) -> list[tuple[str, Span]]:
    plain = text.translate(QUOTES)
    return [(match[0], Span(*match.span())) for match in TOKEN.finditer(plain)]


def start_of(found: Sequence[tuple[str, Span]], n: int, text: str) -> int:
    return found[n][1].start if n < len(found) else len(text)


def end_of(found: Sequence[tuple[str, Span]], n: int, text: str) -> int:
    return found[n - 1][1].end if n else 0


def kind_of(scene: Scene, touched: Sequence[Edit], names: Sequence[Span], found: str, wanted: str) -> str:
    """What is wrong with words that should be others; empty where they are as good."""
    new, key = as_key(wanted), as_key(found)
    if {new, key} == {"s", ""}:
        return "wrong possessive"
    if any(overlap(edit.span, name) for edit in touched for name in names):
        return kind_of_name(scene.text, touched, names, found)
    if not touched:
        # A nickname that our rules take for somebody else, or a neutral word for a gendered one.
        named = found in {person.name for person in scene.people} and wanted[:1].isupper()
        as_good = wanted.islower() and not depends_on_use(new) and (are_partners(new, key) or are_partners(key, new))
        return "" if named or as_good else "word changed"
    old = as_key(scene.text[touched[0].span.start : touched[0].span.end])
    if key in ARTICLES and new in ARTICLES:
        return "wrong article"
    if old in PRONOUN_PARTNERS:
        return kind_of_pronoun(old, new, key)
    if key == old or not key:
        return "gendered word left"
    genders = gendered_lexicon().genders
    return "" if genders.get(key) == genders.get(new) and is_gendered(key) else "wrong word"


def kind_of_name(text: str, touched: Sequence[Edit], names: Sequence[Span], found: str) -> str:
    """A mention that was left as it is, whose title alone was changed, or that has another name."""
    old = next(text[edit.span.start : edit.span.end] for edit in touched if any(overlap(edit.span, it) for it in names))
    words = old.split()
    lexicon = name_lexicon()
    offices = {word for word, gender in lexicon.titles.items() if gender is None} | lexicon.traditional
    if found and offices.issuperset(word.rstrip(".") for word in found.split()):
        return ""  # An office may stay in its place.
    if found and found in old:
        return "mention left"
    if len(words) > 1 and words[0].rstrip(".") in lexicon.titles and found.rstrip(".").endswith(words[-1]):
        return "title changed alone"
    return "wrong name"


def kind_of_pronoun(old: str, wanted: str, found: str) -> str:
    if found == old:
        return "hers left" if old == "hers" else "pronoun left"
    if {found, wanted} == {"his", "him"}:
        return "wrong his or him"
    if {found, wanted} == {"her", "hers"}:
        return "wrong her or hers"
    return "wrong word"


PARTS_OF_NAMES = name_lexicon().particles | {"of", "the", "and"}


@dataclass(frozen=True, slots=True)
class Finding:
    """An error: in which row and column, what kind, where in the row's text, what is there and what should be."""

    id: str
    kind: str
    column: str
    start: int
    found: str
    expected: str


def audit(rows: Iterable[Row], model: str) -> Iterator[Finding]:
    """All findings, those of rows first, then those of quadruples, each in the order of the file."""
    rows = list(rows)
    yield from audit_repeats(rows)
    for row in rows:
        yield from audit_cells(row)
    for quadruple in quadruples_in(rows):
        yield from audit_quadruple(quadruple, model)


def audit_repeats(rows: Iterable[Row]) -> Iterator[Finding]:
    for row, kind, first in with_repeats(rows):
        if kind:
            column, start = ("ID", 0) if kind == "duplicate id" else ("Text", row.pronoun_offset)
            yield Finding(row.id, kind, column, start, first, "")


def audit_cells(row: Row) -> Iterator[Finding]:
    if row.pronoun.lower() not in GENDERS:
        yield Finding(row.id, "no pronoun", "Pronoun", row.pronoun_offset, row.pronoun, "")
    for column, cell, start in (
        ("Pronoun", row.pronoun, row.pronoun_offset),
        ("A", row.a, row.a_offset),
        ("B", row.b, row.b_offset),
    ):
        if not cell.strip():
            yield Finding(row.id, "empty cell", column, start, cell, "")
            continue
        there = row.text[start : start + len(cell)]
        if there != cell:
            yield Finding(row.id, "wrong offset", f"{column}-offset", start, there, nearest(row.text, cell, start))
        elif is_part_of_word(row.text, Span(start, start + len(cell))):
            yield Finding(row.id, "part of a word", f"{column}-offset", start, cell, "")
        bare = without_possessive(cell)
        if column != "Pronoun" and bare != cell and is_possessive(row.text, cell, start):
            yield Finding(row.id, "possessive in name", column, start, cell, bare)
        if column != "Pronoun" and bare and is_no_person(bare):
            yield Finding(row.id, "no name", column, start, cell, "")
        small = [word for word in bare.split() if is_common(word)]
        if column != "Pronoun" and small:
            yield Finding(
                row.id, "word in name", column, start, cell, " ".join(it for it in bare.split() if it not in small)
            )
    if row.a_coref and row.b_coref:
        yield Finding(row.id, "both names true", "B-coref", row.b_offset, "TRUE", "FALSE")


def is_common(word: str) -> bool:
    """Whether a word within a name is none of it; a star stands for a letter in GAP's own files."""
    return word.islower() and word.isalpha() and len(word) > 2 and word not in PARTS_OF_NAMES


def is_possessive(text: str, cell: str, start: int) -> bool:
    """Whether the cell ends in a possessive, not in the closing mark of a quotation."""
    return cell.endswith("s") or text[start + len(cell) : start + len(cell) + 1] == " "


def nearest(text: str, cell: str, start: int) -> str:
    """The offset of the cell that is nearest to the one given; empty where the text has no such words."""
    found = [match.start() for match in re.finditer(re.escape(cell), text)] if cell else []
    return str(min(found, key=lambda it: abs(it - start))) if found else ""


Group = dict[Variant, Row]


def quadruples_in(rows: Sequence[Row]) -> Iterator[Group]:
    """The rows that belong together by their ids, in the order of the originals; files of originals have none."""
    groups: dict[str, Group] = defaultdict(dict)
    for row in rows:
        stem, variant = quadruple_of(row.id)
        groups[stem].setdefault(variant, row)
    yield from (group for group in groups.values() if len(group) > 1)


def audit_quadruple(group: Group, model: str) -> Iterator[Finding]:
    first = next(iter(group.values()))
    missing = [variant for variant in ("original", *COUNTERFACTUALS) if variant not in group]
    if missing:
        yield Finding(first.id, "incomplete quadruple", "ID", 0, "", missing[0])
        return
    original = group["original"]
    for variant in COUNTERFACTUALS:
        row = group[variant]
        for column, start, label, wanted in (
            ("A-coref", row.a_offset, row.a_coref, original.a_coref),
            ("B-coref", row.b_offset, row.b_coref, original.b_coref),
        ):
            if label != wanted:
                yield Finding(row.id, "other label", column, start, cell_of(label), cell_of(wanted))
    for variant, found in differences(group, model):
        yield Finding(group[variant].id, found.kind, found.column, found.start, found.found, found.expected)
