"""From the clusters of a coreference system to an answer: which of the two names does the pronoun's cluster hold?

GAP 4.2 aligns mentions with the annotated names by their heads: "Mary Smith, the actress" is Mary Smith, and "Mary's
father" is not Mary.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pipeline.evaluation.resolvers import LABELS
from pipeline.evaluation.syntax import Sentence, parse_texts
from pipeline.records import Instance, Label, Span, overlap

if TYPE_CHECKING:
    from spacy.tokens import Token

# One mention of a cluster as text[start:end].
Mention = tuple[int, int]
Cluster = Sequence[Mention]

ENDINGS = ("'s", "’s")


def answers(instances: Sequence[Instance], clusters: Iterable[Sequence[Cluster]], model: str) -> list[Label]:
    """One answer an instance from the clusters of its text; `model` is the spaCy model that tells heads."""
    found = list(clusters)
    parsed = parse_texts([instance.text for instance in instances], model)
    return [answer(*case) for case in zip(instances, found, parsed, strict=True)]


def answer(instance: Instance, clusters: Sequence[Cluster], sentences: Sequence[Sentence]) -> Label:
    mentions = mentions_with(instance, clusters, sentences)
    a, b = (
        any(aligned(instance.text, mention, name, sentences) for mention in mentions)
        for name in (instance.name_a, instance.name_b)
    )
    return LABELS[a, b]


def mentions_with(instance: Instance, clusters: Sequence[Cluster], sentences: Sequence[Sentence]) -> list[Span]:
    """The mentions of the pronoun's cluster: of the one that holds just it, else one that has it as a head."""
    spans = [[trimmed(instance.text, Span(*mention)) for mention in cluster] for cluster in clusters]
    for exactly in (True, False):
        for cluster in spans:
            for mention in cluster:
                if mention == instance.pronoun or (
                    not exactly and aligned(instance.text, mention, instance.pronoun, sentences)
                ):
                    return [it for it in cluster if it is not mention]
    return []


def trimmed(text: str, span: Span) -> Span:
    """A mention without the blanks, marks and possessive ending around it."""
    start, end = max(0, span.start), min(len(text), span.end)
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    return Span(start, end - 2 if text[start:end].endswith(ENDINGS) else end)


def aligned(text: str, mention: Span, name: Span, sentences: Sequence[Sentence]) -> bool:
    """Whether a mention is one of the name: within it, or with its head there."""
    name = trimmed(text, name)
    if not overlap(mention, name):
        return False
    if name.start <= mention.start and mention.end <= name.end:
        return True
    return any(name.start <= place < name.end for place in head_places(mention, sentences))


def head_places(mention: Span, sentences: Sequence[Sentence]) -> list[int]:
    """Where the words begin that the mention as a whole may stand for; none of "Ann and Bea", who are two."""
    for sentence in sentences:
        tokens = sentence.tokens(mention)
        if tokens:
            inside = {token.i for token in tokens}
            head = sentence.doc[tokens[0].i : tokens[-1].i + 1].root
            if any(child.dep_ == "conj" and child.i in inside for child in head.children):
                return []
            return [sentence.start + token.idx for token in same_as(head, inside)]
    return []


def same_as(head: "Token", inside: set[int]) -> list["Token"]:
    """A head with what is set beside it, and with the rest of the person's name that ends in it."""
    found = [head]
    for token in found:
        found += [child for child in token.children if child.dep_ == "appos" and child.i in inside]
    people = [ent for ent in head.doc.ents if ent.label_ == "PERSON"]
    return found + [part for token in found for ent in people if ent.root.i == token.i for part in ent]
