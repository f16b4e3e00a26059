"""Candidates: pronouns in one of the patterns, with the conditions of GAP (3.1) and of Counter-GAP (2.1).

The work is a cascade, since the model is nearly all the cost: the scan rules out most pronouns
from the text alone; names are asked for only in what is left; a sentence is parsed only where
its names already fit. Every pronoun ends as a candidate or as a reject with its reason.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from gapforge.config import hint
from gapforge.engine.stages import Table
from gapforge.errors import ConfigError
from gapforge.extraction.patterns import Fit, Placed, find_patterns, is_initial
from gapforge.extraction.scan import (
    LONGEST_CONTEXT,
    Possible,
    Pronoun,
    all_pronouns,
    possible_counter_gap,
    possible_gap,
)
from gapforge.nlp.reading import DEFAULT_MODEL, check_model, reader_of
from gapforge.people.identity import Figure, is_doubtful, join_people
from gapforge.people.lexicon import is_english, is_mostly, name_lexicon
from gapforge.people.mentions import Mention, Reading, find_mentions, read_names
from gapforge.people.names import word_gender
from gapforge.people.outline import Outline, Roster, is_too_long, stretches
from gapforge.records import OTHER, Candidate, CounterGapCandidate, Document, Gender, Person, Reject, Role, Span

EVERY = "*"


@dataclass(frozen=True, slots=True)
class CandidateSettings:
    """The `[candidates]` section: the corpora for each kind, `*` for all and an empty list for none; the model."""

    gap: list[str] = field(default_factory=lambda: [EVERY])
    counter_gap: list[str] = field(default_factory=lambda: [EVERY])
    model: str = DEFAULT_MODEL


PRECEDING = 50  # tokens of whole sentences before the pattern (GAP 3.2)
GLUED = re.compile(r"[a-z]{2}[.!?][A-Z][a-z]+\s")
BULLET = re.compile(r"^[ \t]*(?:[*•·-]|\d+[.)])\s", re.MULTILINE)
# "Mr. and Mrs. Weston" are two, and only one of them has a name.
COUPLE = re.compile(
    r"\b(?:Mr|Dr|Sir|Lord|Captain|Colonel|Uncle)\.?\s+and\s+(?:Mrs|Miss|Lady|Aunt)\b|\b(?:Misses|Messrs)\b"
)

Found = Candidate | Reject


@dataclass(frozen=True, slots=True)
class Source:
    """What a candidate is made from: the outline, and the names as read where they were asked for."""

    corpus: str
    outline: Outline
    readings: dict[int, list[Reading]]
    model: str

    def mentions(self, first: int, last: int) -> list[Mention]:
        """The mentions of people in sentences first to last."""
        scope = [reading for number in range(first, last + 1) for reading in self.readings[number]]
        return find_mentions(scope, self.outline.roster)


def find_candidates(document: Document, kind: str, model: str, corpus: str = "", scan: bool = True) -> Iterator[Found]:
    """The candidates of a document and the reasons of all other pronouns, in text order.

    `scan = False` asks the model about everything; the candidates are the same.
    """
    for outline, passed in stretches(document):
        yield from find_in(outline, passed, KINDS[kind], model, corpus, scan)


def find_in(outline: Outline, passed: int, kind: "Kind", model: str, corpus: str, scan: bool) -> Iterator[Found]:
    pronouns = [pronoun for pronoun in all_pronouns(outline) if pronoun.sentence >= passed]
    possible = kind.possible(outline) if scan else lambda pronoun: True
    ruled_out = [rule_out(outline, pronoun, possible) for pronoun in pronouns]
    needed = {
        n for pronoun, it in zip(pronouns, ruled_out, strict=True) if not it for n in kind.scope(outline, pronoun)
    }
    source = Source(corpus, outline, read_names(outline, sorted(needed), model), model)
    for pronoun, why in zip(pronouns, ruled_out, strict=True):
        found = why or kind.judge(source, pronoun)
        if isinstance(found, str):
            yield Reject(identify(source, pronoun.span), found, "")
        else:
            yield from found


def rule_out(outline: Outline, pronoun: Pronoun, possible: Possible) -> str:
    """Why a pronoun can be no candidate, from the text alone; empty where it can."""
    if is_too_long(outline.sentences[pronoun.sentence]):
        return "missing sentence break"
    return "" if possible(pronoun) else "too few names near"


def identify(source: Source, *spans: Span) -> str:
    """Corpus, document, and where in it the pronoun and the names begin."""
    return "-".join(filter(None, (source.corpus, source.outline.document.id, *(str(span.start) for span in spans))))


def gap_scope(outline: Outline, pronoun: Pronoun) -> range:
    """The sentences in which names matter: those that a pattern can take, and the whole context before them."""
    return range(outline.first_before(outline.first_of(pronoun.sentence, 2), PRECEDING), pronoun.sentence + 1)


def judge_gap(source: Source, pronoun: Pronoun) -> list[Candidate] | str:
    """GAP candidates of a pronoun, or why there are none; several where unknown genders allow several readings."""
    outline, last = source.outline, pronoun.sentence
    figures = join_people(source.mentions(gap_scope(outline, pronoun).start, last))
    fits = list(readings_of(source, pronoun, figures))
    apart = [(n, fit) for n, fit in fits if head_of(fit.a) != head_of(fit.b)]
    if not apart:
        return "names share a head" if fits else "no pattern"
    firsts = [outline.first_before(last - fit.sentences + 1, PRECEDING) for _, fit in apart]
    faults = [fault_in(outline, first, last) for first in firsts]
    if all(faults):
        return faults[0]
    good = [it for it, fault in zip(zip(apart, firsts, strict=True), faults, strict=True) if not fault]
    return [Candidate(**describe(source, pronoun, fit, first, n)) for (n, fit), first in good]


def readings_of(source: Source, pronoun: Pronoun, figures: Sequence[Figure]) -> Iterator[tuple[int, Fit]]:
    """The patterns that fit, each two names once, numbered.

    0 is the first that fits where everybody whose gender is unknown is a rival. Others follow:
    those where they are none, and those with names whose gender is not as sure as it seems.
    """
    known = [figure for figure in figures if figure.gender in (pronoun.gender, None)]
    open_ones = [it for it in figures if it in known or leaves_open(it, source.outline.roster)]
    first = list(fit_patterns(source, pronoun, known, strict=True))[:1]
    seen: set[tuple[Span, Span]] = set()
    for fit in chain(first, fit_patterns(source, pronoun, known), fit_patterns(source, pronoun, open_ones)):
        if (fit.a.span, fit.b.span) not in seen:
            yield len(seen) + (not first), fit
            seen.add((fit.a.span, fit.b.span))


def leaves_open(figure: Figure, roster: Roster) -> bool:
    """Whether all that tells the gender is a first name given to both, or a lone word that is a surname as well."""
    if any(name.titles for name in figure.names):
        return False
    firsts = {name.words[0] for name in figure.names}
    alone = all(len(name.words) == 1 for name in figure.names)
    if figure.reason == "alias":
        return alone and all(word_gender(word) != figure.gender for word in firsts)
    surnames = all(it in name_lexicon().surnames or not is_english(it) for it in firsts)
    if alone and surnames and not any(roster.firsts[word] for word in firsts):
        return True
    return all(is_mostly(word) for word in firsts)


def head_of(mention: Placed) -> str:
    return next(name.words[-1] for name in mention.figure.names if name.span == mention.span)


def counter_gap_scope(outline: Outline, pronoun: Pronoun) -> range:
    return range(outline.first_of(pronoun.sentence, LONGEST_CONTEXT), pronoun.sentence + 1)


def judge_counter_gap(source: Source, pronoun: Pronoun) -> list[Candidate] | str:
    """The Counter-GAP candidate with as much context as holds exactly two women and two men, or why there is none."""
    scope = counter_gap_scope(source.outline, pronoun)
    mentions = source.mentions(scope.start, scope.stop - 1)
    why = "not two women and two men"
    here = source.outline.sentences[pronoun.sentence]
    for first in scope:
        start = source.outline.sentences[first].start
        figures = join_people([it for it in mentions if it.span.start >= start])
        genders = Counter(figure.gender for figure in figures)
        if genders["feminine"] != 2 or genders["masculine"] != 2:
            continue
        four = [figure for figure in figures if figure.gender]
        if is_doubtful(four, figures, source.outline.roster):
            why = "unclear whose name"
            continue
        fit = next(fit_patterns(source, pronoun, [it for it in four if it.gender == pronoun.gender]), None)
        if fit is None or pronoun.sentence - fit.sentences + 1 < first:
            why = "no pattern"
            continue
        fault = fault_in(source.outline, first, pronoun.sentence)
        if not fault and COUPLE.search(source.outline.document.text, start, here.end):
            fault = "couple"
        if fault:
            why = fault
            continue
        people = in_roles(source.outline, four, pronoun.sentence, pronoun.gender, start)
        return [CounterGapCandidate(**describe(source, pronoun, fit, first, 0), people=people)]
    return why


def in_roles(outline: Outline, four: Sequence[Figure], last: int, gender: Gender, start: int) -> list[Person]:
    """C1, C2, O1, O2, in the order in which they are met backwards from the last sentence, the pronoun's (DEFINITIONS).

    The gender is the pronoun's; `start` is where the context begins.
    """
    text = outline.document.text

    def met(span: Span) -> tuple[int, int]:
        number = next(n for n in range(last, -1, -1) if outline.sentences[n].start <= span.start)
        return -number, span.start

    people = []
    for letter, theirs in (("C", gender), ("O", OTHER[gender])):
        spans = [sorted((name.span for name in it.names), key=met) for it in four if it.gender == theirs]
        for number, forms in enumerate(sorted(spans, key=lambda it: met(it[0])), 1):
            role: Role = f"{letter}{number}"  # type: ignore[assignment]
            name = " ".join(text[forms[0].start : forms[0].end].split())
            mentions = [Span(it.start - start, it.end - start) for it in sorted(forms, key=lambda it: it.start)]
            people.append(Person(role, name, theirs, mentions))
    return people


def fit_patterns(source: Source, pronoun: Pronoun, figures: Iterable[Figure], strict: bool = False) -> Iterator[Fit]:
    """The patterns of these people; `strict` where each of them is taken for a rival of the others."""
    outline, number = source.outline, pronoun.sentence
    placed = [
        Placed(name.span, it, strict or (it.sure and it.gender == pronoun.gender))
        for it in figures
        for name in it.names
    ]
    placed.sort(key=lambda it: it.span.start)
    here, previous = outline.sentences[number], outline.sentences[outline.first_of(number, 2)]
    return find_patterns(
        pronoun.span,
        [it for it in placed if it.span.start >= here.start],
        [it for it in placed if previous.start <= it.span.start < here.start],
        lambda: stands_initial(outline.text_of(number), pronoun.span.start - here.start, source.model),
    )


def stands_initial(sentence: str, start: int, model: str) -> bool:
    return is_initial(reader_of(model).tree(sentence), start)


def fault_in(outline: Outline, first: int, last: int) -> str:
    """What makes sentences unfit for a context; empty where nothing does."""
    context = outline.sentences[first : last + 1]
    text = outline.document.text[context[0].start : context[-1].end]
    if GLUED.search(text):
        return "missing sentence break"
    return "list" if BULLET.search(text) else ""


def describe(source: Source, pronoun: Pronoun, fit: Fit, first: int, reading: int) -> dict[str, Any]:
    """The fields that both kinds of candidate have."""
    document = source.outline.document
    start = source.outline.sentences[first].start
    end = source.outline.sentences[pronoun.sentence].end

    def within(span: Span) -> Span:
        return Span(span.start - start, span.end - start)

    return {
        "id": identify(source, pronoun.span, fit.a.span, fit.b.span),
        "corpus": source.corpus,
        "document_id": document.id,
        "url": document.url,
        "start": start,
        "text": document.text[start:end],
        "pattern": fit.pattern,
        "gender": pronoun.gender,
        "pronoun": within(pronoun.span),
        "name_a": within(fit.a.span),
        "name_b": within(fit.b.span),
        "page_entity": any(is_entity(document.title, figure) for figure in (fit.a.figure, fit.b.figure)),
        "reading": reading,
    }


def is_entity(title: str, figure: Figure) -> bool:
    """Whether the page is about somebody: by the full name, or by its last word where no more is said."""
    entity = re.sub(r"\s*\(.*|,.*", "", title).split()
    words = figure.fullest.words
    if len(words) == 1:
        return words[0] in entity[-1:]
    return bool(entity) and (set(words) <= set(entity) or set(entity) <= set(words))


@dataclass(frozen=True, slots=True)
class Kind:
    possible: Callable[[Outline], Possible]
    scope: Callable[[Outline, Pronoun], range]
    judge: Callable[[Source, Pronoun], list[Candidate] | str]
    record: type[Candidate]


KINDS = {
    "gap": Kind(possible_gap, gap_scope, judge_gap, Candidate),
    "counter-gap": Kind(possible_counter_gap, counter_gap_scope, judge_counter_gap, CounterGapCandidate),
}


def corpora_for(kind: str, settings: CandidateSettings, corpora: list[str], config: str) -> list[str]:
    """The corpora that give candidates of a kind; ConfigError where one is named that the config does not have."""
    key = kind.replace("-", "_")
    named: list[str] = getattr(settings, key)
    for name in named:
        if name not in (*corpora, EVERY):
            raise ConfigError(f"{config}: [candidates] {key} names the corpus {name!r}{hint(name, corpora)}")
    return corpora if EVERY in named else named


def find_model(settings: CandidateSettings, folder: Path) -> str:
    """The model by its name, or the folder that holds it, which is named from the config's own folder."""
    beside = folder / settings.model
    name = str(beside) if beside.is_dir() else settings.model
    check_model(name)
    return name


def candidates(documents: Table[Document], corpus: str, kind: str, model: str) -> Iterator[Candidate | Reject]:
    """The stage Candidates: the candidates of one kind in a corpus, and why all other pronouns are none."""
    for document in documents:
        yield from find_candidates(document, kind, model, corpus)
