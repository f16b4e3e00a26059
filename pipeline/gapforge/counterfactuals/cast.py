"""The four people of an original that was given as a row, and its quadruple.

Only the pronoun and two names are marked in a row. They settle what the text leaves open: both are people, and of the
pronoun's gender.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gapforge.counterfactuals.minimal import make_checked
from gapforge.counterfactuals.realworld import contradictions_in
from gapforge.counterfactuals.variants import Scene
from gapforge.counterfactuals.words import without_possessive
from gapforge.extraction.candidates import in_roles
from gapforge.groups import GENDERS
from gapforge.people.identity import Figure, is_doubtful, join_people
from gapforge.people.lexicon import is_first_name, name_lexicon
from gapforge.people.mentions import Mention, mentions_in
from gapforge.people.names import SAINTS, Name
from gapforge.records import Document, Gender, Reject, Role, Span, Variant, overlap
from gapforge.storage.tsv import Row, quadruple_of

# Faults of cells with which nothing can be compared.
UNREADABLE = ("no pronoun", "wrong offset", "part of a word")


def quadruples_of(rows: Iterable[Row], model: str) -> Iterator[tuple[list[Row], list[str]] | Reject]:
    """The four rows of each original with the words to look at, or the reason why there are none."""
    for row, repeated, first in with_repeats(rows):
        if repeated:
            yield Reject(row.id, repeated, f"the same text and pronoun as {first}" if first != row.id else "")
            continue
        if quadruple_of(row.id)[1] != "original":
            yield Reject(row.id, "no original", "the id says that it is a counterfactual itself")
            continue
        scene = cast(row, model)
        if isinstance(scene, Reject):
            yield scene
            continue
        quadruple, fault = make_checked(scene, model)
        if fault:
            yield Reject(row.id, fault, "")
            continue
        yield [as_row(row, variant, it) for variant, it in quadruple.items()], contradictions_in(scene)


def as_row(original: Row, variant: Variant, scene: Scene) -> Row:
    """A scene in the columns of its original; the labels go with the places."""
    text = scene.text
    return replace(
        original,
        id=original.id if variant == "original" else f"{original.id}-{variant}",
        text=text,
        pronoun=text[scene.pronoun.start : scene.pronoun.end],
        pronoun_offset=scene.pronoun.start,
        a=text[scene.name_a.start : scene.name_a.end],
        a_offset=scene.name_a.start,
        b=text[scene.name_b.start : scene.name_b.end],
        b_offset=scene.name_b.start,
    )


def with_repeats(rows: Iterable[Row]) -> Iterator[tuple[Row, str, str]]:
    """Each row, with the kind of repetition where an earlier one has its id, or its text and pronoun, and whose."""
    ids: set[str] = set()
    places: dict[tuple[str, int], str] = {}
    for row in rows:
        first = places.setdefault((row.text, row.pronoun_offset), row.id)
        kind = "duplicate id" if row.id in ids else "duplicate instance" if first != row.id else ""
        ids.add(row.id)
        yield row, kind, first if kind == "duplicate instance" else row.id


def cast(row: Row, model: str) -> Scene | Reject:
    """The scene of an original row, or why it is none."""
    fault = fault_of(row)
    if fault:
        return Reject(row.id, fault, "")
    gender = GENDERS[row.pronoun.lower()]
    outline, found = mentions_in(Document(row.id, "", "", "", row.text, []), model)
    figures = join_people(settle(found, row, gender))
    a, b = (owner(figures, span) for span in (row.a_span, row.b_span))
    who = describe(figures)
    if a is b:
        return Reject(row.id, "both names are one person", who)
    genders = Counter(figure.gender for figure in figures)
    if genders["feminine"] != 2 or genders["masculine"] != 2:
        return Reject(row.id, "not two women and two men", who)
    four = [figure for figure in figures if figure.gender]
    if is_doubtful(four, figures, outline.roster):
        return Reject(row.id, "unclear whose name", who)
    number = next(
        n for n in reversed(range(len(outline.sentences))) if outline.sentences[n].start <= row.pronoun_offset
    )
    people = in_roles(outline, four, number, gender, 0)
    spans = [mention for person in people for mention in person.mentions]
    name_a, name_b = (next(it for it in spans if overlap(it, span)) for span in (row.a_span, row.b_span))
    return Scene(row.text, gender, row.pronoun_span, name_a, name_b, people)


def describe(figures: Iterable[Figure]) -> str:
    """Whom we found, for a person who wonders why a row was left out."""
    return "; ".join(f"{figure.fullest.form}: {figure.gender or 'unknown gender'}" for figure in figures)


def fault_of(row: Row) -> str:
    """What is wrong with the cells of a row; empty where nothing is."""
    if row.pronoun.lower() not in GENDERS:
        return "no pronoun"
    cells = ((row.pronoun, row.pronoun_span), (row.a, row.a_span), (row.b, row.b_span))
    if any(not cell.strip() or row.text[span.start : span.end] != cell for cell, span in cells):
        return "wrong offset"
    if any(is_part_of_word(row.text, span) for _, span in cells):
        return "part of a word"
    if overlap(row.a_span, row.b_span):
        return "both names are one person"
    return "no name" if is_no_person(row.a) or is_no_person(row.b) else ""


def is_part_of_word(text: str, span: Span) -> bool:
    """Whether a cell ends or begins within a word: the him of himself."""
    return any(
        0 < edge < len(text) and text[edge - 1].isalpha() and text[edge].isalpha() for edge in (span.start, span.end)
    )


def is_no_person(name: str) -> bool:
    """Whether a cell names a place, a thing or a people for certain: Percy Street, Monte Carlo, Heaven."""
    lexicon = name_lexicon()
    first, *others = name.split() or [""]
    if not others:
        # Al and Li are names too.
        return first == "God" or (first in lexicon.never and (len(first) > 4 or not is_first_name(first)))
    last = others[-1]
    if first.rstrip(".") in lexicon.titles:
        return False
    return (last in lexicon.kinds and last not in lexicon.kinds_and_surnames) or first in lexicon.heads - SAINTS


def settle(mentions: Sequence[Mention], row: Row, gender: Gender) -> list[Mention]:
    """The mentions with what the row itself says: its two names are people, and of the pronoun's gender."""
    given = []
    for span in (row.a_span, row.b_span):
        at = next((it for it in mentions if overlap(it.span, span)), None)
        given.append(at.name if at else given_name(row.text, span))
    forms = {name.form for name in given}
    known = [replace(it, gender=gender, reason="alias") if it.name.form in forms else it for it in mentions]
    missed = [name for name in given if not any(overlap(it.span, name.span) for it in mentions)]
    for name in missed:
        places = [Span(*match.span()) for match in form_pattern(" ".join(name.words)).finditer(row.text)]
        free = [it for it in places if not any(overlap(it, other.span) for other in known)]
        known += [Mention(replace(name, span=it), gender, "alias", True) for it in free]
    return known


def form_pattern(form: str) -> re.Pattern[str]:
    """A form of a name as whole words, as it is written or in capitals; the Jean of Jean-Luc is another name's."""
    return re.compile(rf"(?<![^\W_])(?<![^\W_]-)(?:{re.escape(form)}|{re.escape(form.upper())})(?![^\W_]|-[^\W_])")


def given_name(text: str, span: Span) -> Name:
    """A name that only the row's cell vouches for, without the possessive ending that the cell may hold."""
    name = without_possessive(text[span.start : span.end])
    return Name((), tuple(name.split()), Span(span.start, span.start + len(name)))


def widest(spans: Iterable[Span]) -> list[Span]:
    """Of spans that overlap the longest, each once."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda it: it.start - it.end):
        if not any(overlap(span, other) for other in kept):
            kept.append(span)
    return kept


def owner(figures: Sequence[Figure], span: Span) -> Figure | None:
    return next((it for it in figures if any(overlap(name.span, span) for name in it.names)), None)


def find_forms(text: str, forms: Mapping[Role, Collection[str]]) -> dict[Role, list[Span]]:
    """Where the forms of names stand in a text, in text order."""
    spans: dict[Role, list[Span]] = {role: [] for role in forms}
    # Longer forms first: the Ann of Ann Lee is no mention of somebody called Ann.
    given = sorted(((form, role) for role in forms for form in forms[role]), key=lambda it: (-len(it[0]), it))
    for form, role in given:
        for match in form_pattern(form).finditer(text):
            span = Span(*match.span())
            if not any(overlap(span, other) for found in spans.values() for other in found):
                spans[role].append(span)
    return {role: sorted(found, key=lambda it: it.start) for role, found in spans.items()}


def find_people(text: str, forms: Mapping[Role, Collection[str]], model: str) -> dict[Role, list[Span]]:
    """Every mention of people whose names are given, by the forms themselves and by other forms of the same names."""
    spans = find_forms(text, forms)
    for figure in join_people(mentions_in(Document("", "", "", "", text, []), model)[1]):
        names = [name.span for name in figure.names]
        owners = {role for role, own in spans.items() if any(overlap(it, name) for it in own for name in names)}
        if len(owners) == 1:
            (role,) = owners
            spans[role] = widest(names + spans[role])
    return {role: sorted(found, key=lambda it: it.start) for role, found in spans.items()}
