"""From an objective sentence to a subjective one by rules on its parse (GAP-Subjective 3.2.2, without a model).

Which of the places and phrases that fit is taken depends on the seed and the sentence alone: not on the sentences
around it, their order, or how they are spread over processes.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from pipeline.counterfactuals.articles import with_articles
from pipeline.edits import Edit
from pipeline.extraction.language import DEFAULT_MODEL, parse_all
from pipeline.lots import lot
from pipeline.records import Span, SubjectiveEdit, overlap
from pipeline.subjectivity.hooks import Proposal
from pipeline.subjectivity.phrases import Phrases, load_phrases
from pipeline.subjectivity.slots import REMARK, Slot, find_slots

if TYPE_CHECKING:
    from spacy.tokens import Doc

PURPOSE = "subjective"
QUALIFYING = ("adjective", "intensifier")  # what stands behind an article


def rules(
    sentences: Sequence[str],
    protected: Sequence[Sequence[Span]],
    seed: int,
    attempts: int,
    *,
    spacy_model: str = DEFAULT_MODEL,
) -> list[list[Proposal]]:
    """Up to so many proposals for each sentence, each of one change, of different kinds as far as there are any."""
    phrases = load_phrases()
    docs = parse_all(sentences, spacy_model)
    return [propose(doc, spans, seed, attempts, phrases) for doc, spans in zip(docs, protected, strict=True)]


def propose(doc: "Doc", protected: Sequence[Span], seed: int, attempts: int, phrases: Phrases) -> list[Proposal]:
    """Every place in turn with its first phrase, then with its second, and so on; no phrase twice."""
    if not doc:
        return []
    slots = list(in_turns(find_slots(doc, protected, phrases), doc.text, seed))
    lots = [by_lot(slot.phrases, f"{doc.text}/{slot.span.start}", seed) for slot in slots]
    found: dict[str, Proposal] = {}
    for turn in zip_longest(*lots):
        for slot, phrase in zip(slots, turn, strict=True):
            if phrase and len(found) < attempts:
                edits = as_edits(slot, phrase, doc.text)
                # Somebody may be called An.
                if not any(overlap(it.span, name) for it in edits if it.span != slot.lowered for name in protected):
                    found.setdefault(phrase.lower(), edits)
    return list(found.values())


def in_turns(slots: Sequence[Slot], text: str, seed: int) -> Iterator[Slot]:
    """The slots of a sentence, a kind after the other: kinds in the order of their lots, and so those of one kind.

    What says least comes last.
    """
    kinds = by_lot(tuple(dict.fromkeys(slot.kind for slot in slots)), text, seed)
    places = [
        sorted((it for it in slots if it.kind == kind), key=lambda it: lot(seed, PURPOSE, f"{text}/{it.span}"))
        for kind in kinds
    ]
    turns = [slot for turn in zip_longest(*places) for slot in turn if slot is not None]
    yield from sorted(turns, key=lambda slot: slot.kind == REMARK)


def by_lot(choices: Sequence[str], key: str, seed: int) -> list[str]:
    return sorted(choices, key=lambda it: lot(seed, PURPOSE, f"{key}/{it}"))


def as_edits(slot: Slot, phrase: str, text: str) -> Proposal:
    """The edits that put a phrase into its place, an article before it and a capital behind it among them."""
    edits = [Edit(slot.span, slot.form.format(phrase))]
    if slot.kind in QUALIFYING:
        edits = with_articles(text, edits)
    if slot.lowered:
        edits.append(Edit(slot.lowered, text[slot.lowered.start : slot.lowered.end].lower()))
    return [SubjectiveEdit(edit.span, edit.new, phrase.lower(), slot.kind) for edit in edits]
