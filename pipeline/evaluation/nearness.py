"""Which name is how near to a pronoun, as the weights of GAP count it (Kocijan et al. 2021, 3.2)."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from pipeline.evaluation.syntax import readable
from pipeline.records import Instance, Span

if TYPE_CHECKING:
    from spacy.tokens import Doc

SPARE = 5  # spans


@cache
def fragment_tokenizer() -> "Callable[[str], Doc]":
    """spaCy's for English, with the hyphen of "200-meter" left whole as it was when the weights were published."""
    import spacy
    from spacy.lang.punctuation import TOKENIZER_INFIXES
    from spacy.util import compile_infix_regex

    nlp = spacy.blank("en")
    infixes = compile_infix_regex(TOKENIZER_INFIXES)  # those of most languages
    setattr(nlp.tokenizer, "infix_finditer", infixes.finditer)  # noqa: B010
    return nlp.tokenizer


def tokens_between(text: str, span: Span, pronoun: Span) -> int:
    """How many tokens stand between the two, read as a text of its own; those that touch have none."""
    between = text[span.end : pronoun.start] if span.start < pronoun.start else text[pronoun.end : span.start]
    return len(fragment_tokenizer()(readable(between.strip())))


def nearest_first(instance: Instance, spans: Iterable[Span]) -> list[Span]:
    """Spans from the nearest to the pronoun to the farthest; of equals the first given comes first."""
    return sorted(spans, key=lambda span: tokens_between(instance.text, span, instance.pronoun))


def within_reach(instance: Instance, spans: Sequence[Span], rank: int) -> list[Span]:
    """Those of which one has this rank, in the order given: in a book all others need not be counted.

    Whoever stands behind `rank` others on the same side has their tokens between, give or take one where words meet.
    """
    before = sorted((it for it in spans if it.start < instance.pronoun.start), key=lambda it: -it.end)
    after = sorted((it for it in spans if it.start >= instance.pronoun.start), key=lambda it: it.start)
    kept = {*before[: rank + SPARE], *after[: rank + SPARE]}
    return [it for it in spans if it in kept]
