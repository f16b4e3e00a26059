"""What must hold between a row of `gap` and its subjective variant: the same question, put in edited words."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from gapforge.edits import Edit, Rewriting
from gapforge.evaluation.gold import released_spans
from gapforge.records import Span
from gapforge.release.soundness import Broken
from gapforge.released import ReleasedExample, ReleasedSubjective

# What edits leave alone; pronoun, names and their places are looked at one by one.
KEPT = (
    *("a_coref", "b_coref", "label", "agreement", "standard"),
    *("gender", "pattern", "url", "corpus", "document_id", "document_offset", "page_entity"),
)

Rule = Callable[[ReleasedExample, ReleasedSubjective], bool]


def variant_faults(rows: Sequence[ReleasedExample], variants: Sequence[ReleasedSubjective]) -> Iterator[Broken]:
    """The rules that variants of one split break; the ids of both are each there once."""
    originals = {row.id: row for row in rows}
    known = {it.id for it in variants}
    if missing := [id for id in originals if id not in known]:
        yield "rows of gap without a variant", missing
    if extra := [it.id for it in variants if it.id not in originals]:
        yield "variants of no row of gap in the same split", extra
    for rule, holds in RULES.items():
        if broken := [it.id for it in variants if it.id in originals and not holds(originals[it.id], it)]:
            yield rule, broken


def keeps_the_rest(row: ReleasedExample, variant: ReleasedSubjective) -> bool:
    return all(getattr(row, name) == getattr(variant, name) for name in KEPT)


def has_the_same_pronoun(row: ReleasedExample, variant: ReleasedSubjective) -> bool:
    """Whether the pronouns are the same but for the case of the first letter: words may come before one that began a
    sentence.
    """
    ours, theirs = row.pronoun, variant.pronoun
    return ours[:1].lower() == theirs[:1].lower() and ours[1:] == theirs[1:]


def rewriting_of(variant: ReleasedSubjective) -> Rewriting | None:
    """The original with the edits; None where they are not in order, overlap, or lead out of it."""
    try:
        return Rewriting(variant.original_text, [Edit(Span(it.start, it.end), it.new) for it in variant.edits])
    except ValueError:
        return None


def edits_give_the_text(_: ReleasedExample, variant: ReleasedSubjective) -> bool:
    rewriting = rewriting_of(variant)
    return rewriting is not None and rewriting.text == variant.text


def is_where_edits_move_it(row: ReleasedExample, variant: ReleasedSubjective) -> bool:
    rewriting = rewriting_of(variant)
    if rewriting is None:
        return False
    try:
        return tuple(map(rewriting.move, released_spans(row))) == released_spans(variant)
    except ValueError:  # an edit reaches over the edge of one of them
        return False


RULES: Mapping[str, Rule] = {
    "not the label, gender, pattern and origin of the row of gap": keeps_the_rest,
    "not the pronoun of the row of gap": has_the_same_pronoun,
    "not the names of the row of gap": lambda row, it: (row.a, row.b) == (it.a, it.b),
    "original_text is not the text of the row of gap": lambda row, it: row.text == it.original_text,
    "converted does not say whether there are edits": lambda _, it: it.converted == bool(it.edits),
    "the edits do not turn original_text into text": edits_give_the_text,
    "pronoun or names are not where the edits move them": is_where_edits_move_it,
}
