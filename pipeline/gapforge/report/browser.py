"""What the browser of instances in a report shows: texts cut at their pronouns, names and changed words.

A page counts in UTF-16 units and we in code points, so texts are cut here; the page only puts the pieces together. Of
a large set a page holds a part, drawn in a way that depends on ids alone.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, Literal, Protocol, TypeVar

from gapforge.draws import draw_key
from gapforge.evaluation.counter_gap import VARIANTS
from gapforge.evaluation.gold import ANSWERS, released_spans
from gapforge.records import Label, Span, Variant, overlap
from gapforge.released import ReleasedExample, ReleasedInstance, ReleasedRow, ReleasedSubjective

# A page of so many texts of 400 characters is about a megabyte, which a phone opens without a pause.
MOST_EXAMPLES = 500
MOST_QUADRUPLES = 250
SEED, PURPOSE = 0, "report"
WORD = re.compile(r"\w+|[^\w\s]")
# Within a script element "</script>" or "<!--" would end or hide what follows; old readers break lines at U+2028 and 9.
ESCAPED = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}

Kind = Literal["", "pronoun", "A", "B", "name"]
Answers = Mapping[str, Mapping[str, Label]]  # resolver, instance id


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text of one kind, cut where it begins and ends to differ from the original.

    Parts are as in the original and other than there by turns, the first as there. An empty part that is other: here
    words of the original are left out.
    """

    kind: Kind
    parts: list[str]


class Identified(Protocol):
    @property
    def id(self) -> str: ...


Chosen = TypeVar("Chosen", bound=Identified)
Example = TypeVar("Example", ReleasedExample, ReleasedSubjective)


@dataclass(frozen=True, slots=True)
class Quadruple:
    """The texts of a quadruple in the order of variants."""

    id: str
    texts: Mapping[Variant, ReleasedInstance]


def quadruples_in(rows: Iterable[ReleasedInstance]) -> list[Quadruple]:
    """The quadruples in the order in which the first text of each is met."""
    found: dict[str, dict[Variant, ReleasedInstance]] = {}
    for row in rows:
        found.setdefault(row.quadruple_id, {})[row.variant] = row
    return [Quadruple(id, {it: four[it] for it in VARIANTS if it in four}) for id, four in found.items()]


def choose(items: Sequence[Chosen], most: int) -> list[Chosen]:
    """At most so many items, in the order given: an item's turn depends on its id alone."""
    drawn = sorted(items, key=lambda it: draw_key(SEED, PURPOSE, it.id))[:most]
    ids = {it.id for it in drawn}
    return [it for it in items if it.id in ids]


def changes(original: str, text: str, places: Sequence[tuple[Span, Span]] = ()) -> list[Span]:
    """Where words of a text are other than in the original; an empty span is where some are left out.

    `places` are what stands in each other's place, in text order: names that have changed places are compared with
    each other, and never with the next place at which one of them turns up.
    """
    ends = Span(len(original), len(original)), Span(len(text), len(text))
    found: list[Span] = []
    ours = theirs = 0
    for one, other in (*places, ends):
        found += word_changes(original, Span(ours, one.start), text, Span(theirs, other.start))
        found += word_changes(original, one, text, other)
        ours, theirs = one.end, other.end
    return found


def word_changes(original: str, within: Span, text: str, other: Span) -> Iterator[Span]:
    ours = [match[0] for match in WORD.finditer(original, within.start, within.end)]
    theirs = list(WORD.finditer(text, other.start, other.end))
    matcher = SequenceMatcher(None, ours, [match[0] for match in theirs], autojunk=False)
    for operation, _, _, first, last in matcher.get_opcodes():
        if operation == "delete":
            place = theirs[first].start() if first < len(theirs) else other.end
            yield Span(place, place)
        elif operation != "equal":
            yield Span(theirs[first].start(), theirs[last - 1].end())


def places_shared(original: ReleasedInstance, row: ReleasedInstance) -> list[tuple[Span, Span]]:
    """The mentions that stand in each other's place; none where the two texts do not name people in the same order."""
    ours, theirs = (
        sorted((span.start, span.end, person.role) for person in it.people for span in person.mentions)
        for it in (original, row)
    )
    if [role for *_, role in ours] != [role for *_, role in theirs]:
        return []
    pairs = [(Span(*one[:2]), Span(*other[:2])) for one, other in zip(ours, theirs, strict=True)]
    apart = all(not overlap(*spans) for pair in pairwise(pairs) for spans in zip(*pair, strict=True))
    return pairs if apart else []


def places_edited(row: ReleasedSubjective) -> list[tuple[Span, Span]]:
    """Where each edit is made in the original, and where it stands in the text."""
    pairs, moved = [], 0
    for it in row.edits:
        start = it.start + moved
        pairs.append((Span(it.start, it.end), Span(start, start + len(it.new))))
        moved += len(it.new) - (it.end - it.start)
    return pairs


def cut(text: str, marks: Sequence[tuple[Span, Kind]], changed: Sequence[Span] = ()) -> list[Piece]:
    """The whole text in pieces; where marks overlap the first given holds."""
    bounds = {0, len(text), *(place for span, _ in marks for place in (span.start, span.end))}
    kinds: list[tuple[Span, Kind]] = []
    places = sorted(bounds)
    for start, end in pairwise(places):
        kind: Kind = next((kind for span, kind in marks if span.start <= start and end <= span.end), "")
        if kinds and kinds[-1][1] == kind:
            kinds[-1] = Span(kinds[-1][0].start, end), kind
        else:
            kinds.append((Span(start, end), kind))
    return [Piece(kind, parts_of(text, span, changed, last=span.end == len(text))) for span, kind in kinds]


def parts_of(text: str, span: Span, changed: Sequence[Span], last: bool) -> list[str]:
    """The text of a span, unchanged and changed by turns; what is left out counts where the next word begins."""
    parts, place = [], span.start
    for it in changed:
        start, end = max(it.start, span.start), min(it.end, span.end)
        inside = span.start <= it.start < span.end or (last and it.start == span.end)
        if start < end or (it.start == it.end and inside):
            parts += [text[place:start], text[start:end]]
            place = end
    return [*parts, text[place : span.end]]


def pieces_of(row: ReleasedRow, original: ReleasedInstance | None = None) -> list[Piece]:
    """A row's text with its pronoun, its names and, beside the original where it has one, its changes."""
    pronoun, a, b = released_spans(row)
    marks: list[tuple[Span, Kind]] = [(pronoun, "pronoun"), (a, "A"), (b, "B")]
    if isinstance(row, ReleasedSubjective):
        return cut(row.text, marks, changes(row.original_text, row.text, places_edited(row)))
    if not isinstance(row, ReleasedInstance):
        return cut(row.text, marks)
    marks += [(mention, "name") for person in row.people for mention in person.mentions]
    changed = changes(original.text, row.text, places_shared(original, row)) if original else []
    return cut(row.text, marks, changed)


def is_right(said: Label, label: Label) -> bool:
    """Whether an answer counts as right in the figures: both names as gold."""
    return ANSWERS[said] == ANSWERS[label]


def text_of(
    row: ReleasedRow, answers: Answers, resolvers: Sequence[str], original: ReleasedInstance | None = None
) -> dict[str, Any]:
    """One text as the page has it: each resolver's answer and whether it is right, None where none was asked for."""
    said = [answers.get(name, {}).get(row.id) for name in resolvers]
    return {
        "id": row.id,
        "variant": variant_of(row),
        "gender": row.gender,
        "label": row.label,
        "true": [name for name, true in (("A", row.a_coref), ("B", row.b_coref)) if true],
        "said": [[it, is_right(it, row.label)] if it else None for it in said],
        "pieces": [[piece.kind, *piece.parts] for piece in pieces_of(row, original)],
    }


def variant_of(row: ReleasedRow) -> str:
    """Which of several texts of one context this is; nothing where there is one alone."""
    if isinstance(row, ReleasedInstance):
        return row.variant
    return ("subjective" if row.converted else "as in GAP") if isinstance(row, ReleasedSubjective) else ""


def examples_to_browse(
    gap: Mapping[str, Sequence[ReleasedExample]], answers: Answers, resolvers: Sequence[str]
) -> dict[str, Any]:
    """Examples of GAP, each an item of one text."""

    def remarks(row: ReleasedExample) -> list[str]:
        return [] if row.weight is None else [f"weight {row.weight:.2f}"]

    return {"kind": "gap"} | single_texts(gap, remarks, answers, resolvers)


def variants_to_browse(
    subjective: Mapping[str, Sequence[ReleasedSubjective]], answers: Answers, resolvers: Sequence[str]
) -> dict[str, Any]:
    """Subjective variants, each an item of one text with its changes; the same of a large set as of GAP."""

    def remarks(row: ReleasedSubjective) -> list[str]:
        return [f"{it.kind}: {it.phrase}" for it in row.edits]

    return {"kind": "gap-subjective"} | single_texts(subjective, remarks, answers, resolvers)


def single_texts(
    splits: Mapping[str, Sequence[Example]],
    remarks: Callable[[Example], list[str]],
    answers: Answers,
    resolvers: Sequence[str],
) -> dict[str, Any]:
    split_of = {row.id: split for split, rows in splits.items() for row in rows}
    rows = [row for rows in splits.values() for row in rows]
    items = [
        {
            "id": row.id,
            "split": split_of[row.id],
            "pattern": row.pattern,
            "page": "with page entity" if row.page_entity else "without page entity",
            "url": row.url,
            "remarks": remarks(row),
            "texts": [text_of(row, answers, resolvers)],
        }
        for row in choose(rows, MOST_EXAMPLES)
    ]
    return {"unit": "examples", "total": len(rows), "items": items}


def quadruples_to_browse(
    rows: Sequence[ReleasedInstance], answers: Answers, resolvers: Sequence[str]
) -> dict[str, Any]:
    """Quadruples of Counter-GAP, each an item of four texts, the later ones beside the original."""
    found = quadruples_in(rows)
    items = []
    for quadruple in choose(found, MOST_QUADRUPLES):
        first = next(iter(quadruple.texts.values()))
        original = quadruple.texts.get("original")
        items.append(
            {
                "id": quadruple.id,
                "split": "",
                "pattern": first.pattern,
                "page": "",
                "url": first.url,
                "remarks": list(dict.fromkeys(it for row in quadruple.texts.values() for it in row.contradictions)),
                "texts": [
                    text_of(row, answers, resolvers, None if variant == "original" else original)
                    for variant, row in quadruple.texts.items()
                ],
            }
        )
    return {"kind": "counter-gap", "unit": "quadruples", "total": len(found), "items": items}


def as_script(data: Any) -> str:
    """JSON that may stand in a script element whatever texts it holds."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(ESCAPED)
