"""GAP's sub-sampling: which candidates go to annotation (Webster et al. 2018, section 3.1).

The page limits come first. Where a page has more than it may give, it gives the scarcest kinds, so that the
limits do not throw away what there is too little of. What remains is drawn by lot from cells, pattern by page entity.

Gender is strict: every cell gives as many feminine as masculine examples, so that no difference between the two
can come from the pattern or the page entity. The other ratios are aims, met as far as the text goes:

1. The size sets what each cell should give: patterns 6:1:1, page entity 1:1.
2. A cell that has less gives all that both genders have; the lack is reported, and no other cell makes up for it.
3. With no size set, it is the largest at which no cell lacks anything, but not below `at_least`.

So no cell gives more than its share of the size, and one that is empty does not empty the sample. Lots are hashes
of seed and id: they depend neither on the order of the candidates nor on the other candidates.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from sys import intern
from typing import NamedTuple, TypeVar, get_args

from gapforge.draws import draw_key
from gapforge.engine.stages import Table
from gapforge.errors import InputError
from gapforge.records import Candidate, Gender, Note, Pattern, Reject

Example = TypeVar("Example", bound=Candidate)
GENDERS: tuple[Gender, ...] = get_args(Gender)
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)


@dataclass(frozen=True, slots=True)
class Patterns:
    """The shares of the patterns (GAP 3.1: 6:1:1); one with share 0 is left out."""

    final: int = 6
    medial: int = 1
    initial: int = 1

    def __post_init__(self) -> None:
        for pattern in PATTERNS:
            if self.share(pattern) < 0:
                raise ValueError(f"{_setting(pattern)} must be at least 0, found {self.share(pattern)}")
        if not any(map(self.share, PATTERNS)):
            raise ValueError("final, medial and initial are all 0; raise one of them")

    def share(self, pattern: Pattern) -> int:
        return {"FINALPRO": self.final, "MEDIALPRO": self.medial, "INITIALPRO": self.initial}[pattern]


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """The `[sampling]` section; limits of 0 are no limits, and a size of 0 follows from the candidates."""

    seed: int = 0
    size: int = 0
    at_least: int = 2000  # the contexts of GAP's test set (4.1: 4,000 examples, two to a context)
    per_page_and_gender: int = 3  # GAP 3.1
    per_page_and_form: int = 1  # GAP 3.2, there after annotation
    patterns: Patterns = Patterns()
    page_entity: bool = True  # whether it is balanced, 1:1 (GAP 3.1)
    readings: int = 1  # how many readings of a pronoun's surroundings may enter

    def __post_init__(self) -> None:
        for name in ("size", "at_least", "per_page_and_gender", "per_page_and_form", "readings"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be at least 0, found {getattr(self, name)}")
        for name in ("size", "at_least"):
            if getattr(self, name) % 2:
                raise ValueError(f"{name} must be even, since each gender gives half, found {getattr(self, name)}")


class Row(NamedTuple):
    """What the choice needs to know of a candidate, without its text; `form` is the pronoun in lower case."""

    id: str
    corpus: str
    document_id: str
    gender: Gender
    pattern: Pattern
    page_entity: bool
    form: str
    reading: int = 0


class Cell(NamedTuple):
    """Candidates that differ in nothing that is balanced but their gender; no page entity where that is not."""

    pattern: Pattern
    page_entity: bool | None

    def describe(self, gender: str = "") -> str:
        entity = {None: "", True: "with page entity", False: "without page entity"}[self.page_entity]
        return " ".join(filter(None, (self.pattern, gender, entity)))


Kind = tuple[Cell, Gender]


@dataclass(frozen=True, slots=True)
class Choice:
    """The ids that were drawn, all others sorted by id, and a line for the report on each kind that the text lacks."""

    chosen: frozenset[str]
    rejects: list[Reject]
    shortfalls: list[str]


def row_of(candidate: Candidate) -> Row:
    return Row(
        candidate.id,
        # Strings that are read from a table are all copies of their own; millions of rows had better share them.
        intern(candidate.corpus),
        intern(candidate.document_id),
        GENDERS[GENDERS.index(candidate.gender)],
        PATTERNS[PATTERNS.index(candidate.pattern)],
        candidate.page_entity,
        intern(candidate.text[candidate.pronoun.start : candidate.pronoun.end].lower()),
        candidate.reading,
    )


def sample(candidates: Iterable[Example], choice: Choice) -> Iterator[Example | Reject]:
    """What was left out, by id, then the drawn candidates in the order of corpus, document and text."""
    yield from choice.rejects
    yield from sorted((candidate for candidate in candidates if candidate.id in choice.chosen), key=place)


def choose(rows: Iterable[Row], settings: SamplingSettings) -> Choice:
    """Draw the sample; raises InputError where an id occurs twice, or where nothing can be drawn."""
    sides = (True, False) if settings.page_entity else (None,)
    cells = [Cell(pattern, side) for pattern in PATTERNS for side in sides]
    pools: dict[Kind, list[str]] = {(cell, gender): [] for cell in cells for gender in GENDERS}
    kept, rejects = limit_pages(rows, settings)
    for row in kept:
        pools[_kind(row, settings)].append(row.id)
    found = {kind: len(pool) for kind, pool in pools.items()}
    pairs = {cell: min(found[cell, gender] for gender in GENDERS) for cell in cells}
    wanted = plan(pairs, settings)
    taken = {cell: min(pairs[cell], wanted[cell]) for cell in cells}
    if not any(taken.values()):
        raise InputError(_nothing_drawn(found, settings))
    chosen: list[str] = []
    for (cell, _), pool in pools.items():
        pool.sort(key=lambda id: draw_key(settings.seed, "draw", id))
        chosen += pool[: taken[cell]]
        detail = f"only {pairs[cell]} of the other gender are {cell.describe()}"
        rejects += (Reject(id, "gender balance", detail) for id in pool[taken[cell] : wanted[cell]])
        reason, detail = _surplus(cell, pairs, settings)
        rejects += (Reject(id, reason, detail) for id in pool[wanted[cell] :])
    rejects.sort(key=lambda reject: reject.id)
    return Choice(frozenset(chosen), rejects, list(_shortfalls(found, wanted, settings)))


def limit_pages(rows: Iterable[Row], settings: SamplingSettings) -> tuple[list[Row], list[Reject]]:
    """The rows that their pages may give, those of the kinds that are scarce for their share first."""
    seen: dict[str, Row] = {}
    for row in rows:
        if row.id in seen:
            raise InputError(
                f"candidate {row.id!r} occurs twice, in the corpora {seen[row.id].corpus!r} and {row.corpus!r}; "
                "leave its document in one of them"
            )
        seen[row.id] = row
    most_readings = settings.readings or inf
    read = [row for row in seen.values() if row.reading < most_readings]
    count = Counter(_kind(row, settings) for row in read)
    shares = _shares({cell for cell, _ in count}, settings)
    abundance = {kind: count[kind] / shares[kind[0]] if shares[kind[0]] else inf for kind in count}

    def turn(row: Row) -> tuple[float, tuple[bytes, str]]:
        return abundance[_kind(row, settings)], draw_key(settings.seed, "page", row.id)

    most_of_gender, most_of_form = settings.per_page_and_gender or inf, settings.per_page_and_form or inf
    by_gender: Counter[tuple[str, str, str]] = Counter()
    by_form: Counter[tuple[str, str, str]] = Counter()
    detail = f"[sampling] readings = {most_readings}"
    rejects = [Reject(row.id, "another reading", detail) for row in seen.values() if row.reading >= most_readings]
    kept = []
    for row in sorted(read, key=turn):
        gender, form = (row.corpus, row.document_id, row.gender), (row.corpus, row.document_id, row.form)
        if by_gender[gender] >= most_of_gender:
            rejects.append(Reject(row.id, "page limit", f"[sampling] per_page_and_gender = {most_of_gender}"))
        elif by_form[form] >= most_of_form:
            rejects.append(Reject(row.id, "pronoun form limit", f"[sampling] per_page_and_form = {most_of_form}"))
        else:
            by_gender[gender] += 1
            by_form[form] += 1
            kept.append(row)
    return kept, rejects


def plan(pairs: Mapping[Cell, int], settings: SamplingSettings) -> dict[Cell, int]:
    """How many each cell should give of each gender, given how many pairs of both genders each has."""
    shares = _shares(pairs, settings)
    whole = sum(shares.values())
    balanced = whole * min(pairs[cell] // share for cell, share in shares.items() if share)
    size = settings.size // 2 or max(settings.at_least // 2, balanced)
    parts = {cell: divmod(size * share, whole) for cell, share in shares.items()}
    # What rounding down leaves goes to the largest remainders.
    left = size - sum(part for part, _ in parts.values())
    favoured = sorted(parts, key=lambda cell: -parts[cell][1])[:left]
    return {cell: part + (cell in favoured) for cell, (part, _) in parts.items()}


def _kind(row: Row, settings: SamplingSettings) -> Kind:
    return Cell(row.pattern, row.page_entity if settings.page_entity else None), row.gender


def _shares(cells: Iterable[Cell], settings: SamplingSettings) -> dict[Cell, int]:
    return {cell: settings.patterns.share(cell.pattern) for cell in cells}


def place(example: Candidate) -> tuple[str, str, int, int, str]:
    return example.corpus, example.document_id, example.start, example.pronoun.start, example.id


def _setting(pattern: Pattern) -> str:
    return pattern.removesuffix("PRO").lower()


def _surplus(cell: Cell, pairs: Mapping[Cell, int], settings: SamplingSettings) -> tuple[str, str]:
    """Why a cell gives no more than is wanted of it: reason and detail."""
    shares = _shares(pairs, settings)
    if not shares[cell]:
        return "pattern balance", f"[sampling] patterns.{_setting(cell.pattern)} = 0"
    if settings.size:
        return "size", f"[sampling] size = {settings.size}"
    rivals = [each for each in pairs if shares[each]]
    scarcest = min(rivals, key=lambda each: (pairs[each] / shares[each], each != cell, each.pattern != cell.pattern))
    reason = "page entity balance" if scarcest.pattern == cell.pattern and scarcest != cell else "pattern balance"
    return reason, f"only {pairs[scarcest]} of a gender are {scarcest.describe()}"


def _shortfalls(found: Mapping[Kind, int], wanted: Mapping[Cell, int], settings: SamplingSettings) -> Iterator[str]:
    for (cell, gender), number in found.items():
        if number < wanted[cell]:
            sides = [each for each in wanted if each.pattern == cell.pattern]
            if sum(found[each, gender] for each in sides) >= sum(wanted[each] for each in sides):
                change = "set [sampling] page_entity = false"
            else:
                size = "size" if settings.size else "at_least"
                change = f"lower [sampling] {size} or patterns.{_setting(cell.pattern)}"
            kind = cell.describe(gender)
            yield f"{kind}: wanted {wanted[cell]}, found {number} within the page limits; add text or {change}"


def _nothing_drawn(found: Mapping[Kind, int], settings: SamplingSettings) -> str:
    kinds = [f"{number} {cell.describe(gender)}" for (cell, gender), number in found.items() if number]
    genders = Counter(pattern for pattern, _ in {(cell.pattern, gender) for (cell, gender), n in found.items() if n})
    change = ""
    if any(all(found[cell, gender] for gender in GENDERS) for cell, _ in found):
        change = f" or raise [sampling] {'size' if settings.size else 'at_least'} or the share of a pattern"
    elif len(GENDERS) in genders.values():
        change = " or set [sampling] page_entity = false"
    have = ", ".join(kinds) or "no candidates"
    return f"cannot draw as many feminine as masculine examples from {have}; add text{change}"


def gap_examples(candidates: Table[Candidate], settings: SamplingSettings) -> Iterator[Candidate | Reject | Note]:
    """The stage GapExamples: the drawn examples; the notes say what the text lacks and what to change."""
    choice = choose(map(row_of, candidates), settings)
    yield from sample(candidates, choice)
    yield from map(Note, choice.shortfalls)
