"""A quadruple as it was published beside what our rules make of its original."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pipeline.counterfactuals.cast import fault_of, find_people
from pipeline.counterfactuals.lexicon import gendered_lexicon
from pipeline.counterfactuals.minimal import ARTICLES, PRONOUN_PARTNERS, are_partners, is_doubtful
from pipeline.counterfactuals.quadruples import COUNTERFACTUALS, Scene, edits_for, overlap
from pipeline.counterfactuals.words import as_key, exchange_words, is_gendered
from pipeline.edits import Edit, Rewriting
from pipeline.extraction.lexicon import name_lexicon
from pipeline.extraction.pronouns import GENDERS
from pipeline.records import OTHER, Person, Role, Span, Variant
from pipeline.tsv import Row

TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
ENDING = re.compile(r"['’]s?$")
GERUND = re.compile(r"\s+(?:not\s+)?\w+ing\b")
QUOTES = str.maketrans("’‘“”", "''\"\"")


@dataclass(frozen=True, slots=True)
class Difference:
    """A place of a published text where something else should stand."""

    kind: str
    start: int
    found: str
    expected: str


def differences(group: dict[Variant, Row], model: str) -> Iterator[tuple[Variant, Difference]]:
    """What the counterfactuals of a quadruple have in the wrong place, in text order."""
    scene = published_scene(group, model)
    if isinstance(scene, str):
        yield "control", Difference(scene, 0, "", "")
        return
    words = exchange_words(scene.text, model)
    for variant in COUNTERFACTUALS:
        edits = edits_for(scene, variant, words)
        for found in compare(scene, edits, group[variant].text):
            yield variant, found


def published_scene(group: dict[Variant, Row], model: str) -> Scene | str:
    """The original with the four people that the file's own cells name; or why there is none."""
    original, control, swap = group["original"], group["control"], group["swap-1"]
    if fault_of(original) in ("no pronoun", "wrong offset"):
        return fault_of(original)
    gender = GENDERS[original.pronoun.lower()]
    # In the control A's name stands in the place of B; in swap-1 both have the others' names.
    cells: dict[Role, tuple[str, str]] = {
        "C1": (original.a, control.b),
        "C2": (original.b, control.a),
        "O1": (swap.a, swap.a),
        "O2": (swap.b, swap.b),
    }
    forms = {role: {bare(it) for it in pair} - {""} for role, pair in cells.items()}
    spans = find_people(original.text, forms, model)
    missing = next((role for role, found in spans.items() if not found), None)
    if missing:
        return "name not in the original"
    people = [
        Person(role, bare(cells[role][1]), gender if role[0] == "C" else OTHER[gender], spans[role]) for role in cells
    ]
    return Scene(original.text, gender, original.pronoun_span, original.a_span, original.b_span, people)


def bare(cell: str) -> str:
    return ENDING.sub("", cell)


def compare(scene: Scene, edits: Sequence[Edit], published: str) -> Iterator[Difference]:
    """Where the published text is not what the edits make of the scene's."""
    expected = Rewriting(scene.text, edits)
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
            yield Difference(kind, place.start, found, wanted)


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
        as_good = wanted.islower() and not is_doubtful(new) and (are_partners(new, key) or are_partners(key, new))
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
