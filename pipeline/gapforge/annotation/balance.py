"""From examples with a consensus to GAP's final set: one per page and pronoun form, in balance, in three splits.

Balance is strict in every pattern: as many examples refer to name A as to name B (Webster et al. 2018, 3.1,
Coreferent Name), and each label has as many feminine as masculine ones (3.2). So neither the order of the names nor the
kind of sentence tells a model the gender or the answer.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gapforge.annotation.consensus import Verdict
from gapforge.annotation.splits import SPLITS, Entry, Page, Shares, split_pages
from gapforge.draws import draw_key
from gapforge.extraction.sampling import GENDERS, place
from gapforge.records import Candidate, Gender, Label, LabelledExample, Pattern, Reject, fields_of

NAMES: tuple[Label, Label] = ("A", "B")


class Decided(NamedTuple):
    """An example with its label."""

    example: Candidate
    label: Label
    verdict: Verdict


def complete(decided: Iterable[Decided], shares: Shares, seed: int) -> Iterator[LabelledExample | Reject]:
    """What is left out, by id, then the final set in the order of corpus, document and text."""
    rejects: list[Reject] = []
    kept = thin(one_per_form(decided, seed), rejects)
    kept = thin(balance(kept, seed), rejects)
    entries = [Entry(page_of(it.example), it.example.gender, it.label) for it in kept]
    splits = split_pages(entries, shares, seed)
    yield from sorted(rejects, key=lambda it: it.id)
    for it in sorted(kept, key=lambda it: place(it.example)):
        yield LabelledExample(
            **fields_of(it.example),
            label=it.label,
            agreement=it.verdict.agreement,
            standard=it.verdict.standard,
            split=splits[page_of(it.example)],
        )


def thin(items: Iterable[Decided | Reject], rejects: list[Reject]) -> list[Decided]:
    """Those that stay; the others are put aside."""
    kept: list[Decided] = []
    for item in items:
        if isinstance(item, Reject):
            rejects.append(item)
        else:
            kept.append(item)
    return kept


def page_of(example: Candidate) -> Page:
    return example.corpus, example.document_id


def one_per_form(decided: Iterable[Decided], seed: int) -> Iterator[Decided | Reject]:
    """One example for each page and form of the pronoun (GAP 3.2), drawn by lot."""
    groups: defaultdict[tuple[Page, str], list[Decided]] = defaultdict(list)
    for it in decided:
        form = it.example.text[it.example.pronoun.start : it.example.pronoun.end].lower()
        groups[page_of(it.example), form].append(it)
    for (_, form), group in groups.items():
        first, *others = sorted(group, key=lambda it: draw_key(seed, "form", it.example.id))
        yield first
        yield from (Reject(it.example.id, "page and form", f"another {form} of its page is taken") for it in others)


def balance(decided: Iterable[Decided], seed: int) -> Iterator[Decided | Reject]:
    """As many A as B of each gender in every pattern, and as many "neither" of both genders, drawn by lot."""
    groups: defaultdict[tuple[Pattern, Label, Gender], list[Decided]] = defaultdict(list)
    for it in decided:
        groups[it.example.pattern, it.label, it.example.gender].append(it)
    for (pattern, label, gender), group in groups.items():
        rivals = [(each, sex) for each in (NAMES if label in NAMES else (label,)) for sex in GENDERS]
        found = {rival: len(groups.get((pattern, *rival), ())) for rival in rivals}
        scarcest = min(rivals, key=lambda rival: (found[rival], rival[1] != gender))
        drawn = sorted(group, key=lambda it: draw_key(seed, "balance", it.example.id))
        yield from drawn[: found[scarcest]]
        reason = "label balance" if scarcest[1] == gender else "gender balance"
        detail = f"only {found[scarcest]} {pattern} {scarcest[1]} have the label {scarcest[0]}"
        yield from (Reject(it.example.id, reason, detail) for it in drawn[found[scarcest] :])


def describe(labelled: Iterable[LabelledExample]) -> Iterator[str]:
    """How many of each label and gender every split holds; what could not be balanced is plain to see."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for it in labelled:
        counts[it.split].update([it.gender, it.label])
    for split in SPLITS:
        found = counts[split]
        names = ("feminine", "masculine", "A", "B", "neither")
        total = found["feminine"] + found["masculine"]
        yield f"{split}: {total:,} examples; {', '.join(f'{found[name]:,} {name}' for name in names)}"
