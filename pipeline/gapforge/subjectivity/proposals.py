"""Texts to sentences, and every sentence to its proposals with all their scores (GAP-Subjective 3.2.1 to 3.2.3).

Nothing is decided here: thresholds are held against the scores afterwards, so that they can be changed without asking a
detector, a transfer or a language model again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from gapforge.edits import Edit, Rewriting
from gapforge.engine.stages import Table
from gapforge.errors import ConfigError, InputError, listed
from gapforge.nlp.sentences import split_sentences
from gapforge.records import GrammarCount, LabelledExample, Span, SubjectiveProposal, overlap
from gapforge.subjectivity import hooks
from gapforge.subjectivity.content import gleu, is_gendered, quotations
from gapforge.subjectivity.hooks import Proposal, Role, SubjectivitySettings, proposals_for

BATCH = 200  # texts whose sentences are put to a hook together
SCORING: tuple[Role, ...] = ("detector", "fluency")  # the hooks that score originals and proposals alike


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with the spans of it that no edit may touch, beside quotations: the pronoun and the names."""

    id: str
    text: str
    kept: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage; protected spans are of the sentence.

    At its `edges`, the beginning or the end, something protected goes on: a quotation of several sentences.
    """

    passage: Passage
    number: int
    span: Span
    protected: tuple[Span, ...]
    edges: frozenset[int]

    @property
    def text(self) -> str:
        return self.passage.text[self.span.start : self.span.end]


def passage_of(example: LabelledExample) -> Passage:
    names = (name_within(it, example.text) for it in (example.name_a, example.name_b))
    return Passage(example.id, example.text, (example.pronoun, *names))


def name_within(span: Span, text: str) -> Span:
    """A name; the surname He has the blank behind it too, lest it be taken for a pronoun and lose its capital."""
    return Span(span.start, min(span.end + 1, len(text))) if is_gendered(text[span.start : span.end]) else span


def sentences_of(passage: Passage) -> list[Sentence]:
    kept = [*passage.kept, *quotations(passage.text)]
    found = []
    for number, span in enumerate(split_sentences(passage.text)):
        near = [it for it in kept if overlap(it, span)]
        edges = [0 for it in near if it.start < span.start] + [
            span.end - span.start for it in near if it.end > span.end
        ]
        found.append(Sentence(passage, number, span, tuple(within(it, span) for it in near), frozenset(edges)))
    return found


def within(span: Span, sentence: Span) -> Span:
    """The part of a span that is in the sentence, by offsets into it."""
    return Span(max(span.start, sentence.start) - sentence.start, min(span.end, sentence.end) - sentence.start)


def score_passages(
    passages: Iterable[Passage], settings: SubjectivitySettings, given: Mapping[str, Any]
) -> Iterator[SubjectiveProposal]:
    """Every proposal for every sentence, in order; `given` are options that hooks get where they take them."""
    rest = iter(passages)
    while batch := list(islice(rest, BATCH)):
        yield from score([it for passage in batch for it in sentences_of(passage)], settings, given)


def score(
    sentences: Sequence[Sentence], settings: SubjectivitySettings, given: Mapping[str, Any]
) -> Iterator[SubjectiveProposal]:
    texts = [it.text for it in sentences]
    options = {role: settings.options_for(role, given) for role in settings.roles()}
    protected = [it.protected for it in sentences]
    proposed = proposals_for(settings.transfer, options["transfer"], texts, protected, settings.seed, settings.attempts)
    pairs = [
        (n, attempt, edits, rewritten(sentences[n], edits, settings.transfer))
        for n, its in enumerate(proposed)
        for attempt, edits in enumerate(it for it in its if not is_amid(sentences[n], it))
    ]
    sources, targets = [texts[n] for n, *_ in pairs], [target for *_, target in pairs]
    scores = {role: hooks.scores(role, getattr(settings, role), options[role], [*texts, *targets]) for role in SCORING}
    cosines = (
        hooks.scores("similarity", settings.similarity, options["similarity"], sources, targets)
        if settings.similarity
        else None
    )
    faults = hooks.faults(settings.content, options["content"], sources, targets)
    later = {role: iter(values[len(texts) :]) for role, values in scores.items()}
    by_sentence: dict[int, list[SubjectiveProposal]] = {}
    for place, (n, attempt, edits, target) in enumerate(pairs):
        by_sentence.setdefault(n, []).append(
            SubjectiveProposal(
                **told_of(sentences[n], scores, n),
                attempt=attempt,
                proposal=target,
                edits=edits,
                proposal_subjectivity=next(later["detector"]),
                proposal_log_perplexity=next(later["fluency"]),
                gleu=gleu(texts[n], target),
                cosine=cosines[place] if cosines else None,
                broken=faults[place],
            )
        )
    for n, sentence in enumerate(sentences):
        yield from by_sentence.get(n) or [without_proposal(sentence, scores, n)]


def told_of(sentence: Sentence, scores: Mapping[Role, Sequence[float]], n: int) -> dict[str, Any]:
    """What every record of a sentence has."""
    return {
        "instance_id": sentence.passage.id,
        "number": sentence.number,
        "span": sentence.span,
        "sentence": sentence.text,
        "subjectivity": scores["detector"][n],
        "log_perplexity": scores["fluency"][n],
    }


def without_proposal(sentence: Sentence, scores: Mapping[Role, Sequence[float]], n: int) -> SubjectiveProposal:
    return SubjectiveProposal(
        **told_of(sentence, scores, n),
        attempt=0,
        proposal=None,
        edits=[],
        proposal_subjectivity=None,
        proposal_log_perplexity=None,
        gleu=None,
        cosine=None,
        broken=[],
    )


def is_amid(sentence: Sentence, edits: Proposal) -> bool:
    """Whether something is put in between two sentences of the same quotation; the transfer sees but one of them."""
    return any(it.span.start == it.span.end and it.span.start in sentence.edges for it in edits)


def rewritten(sentence: Sentence, edits: Proposal, transfer: str) -> str:
    """The sentence with the edits; ConfigError where a transfer proposes what cannot be done."""
    try:
        return applied(sentence, edits)
    except ValueError as error:
        raise ConfigError(f"{transfer}: {sentence.text[:60]!r}: {error}; fix the transfer") from error


def applied(sentence: Sentence, edits: Proposal) -> str:
    """The sentence with the edits; ValueError where they overlap, or do not keep what is protected.

    A pronoun may lose the capital of a sentence's first word.
    """
    made = Rewriting(sentence.text, [Edit(it.span, it.new) for it in edits])
    for span in sentence.protected:
        moved = made.move(span)
        before, after = sentence.text[span.start : span.end], made.text[moved.start : moved.end]
        if before != after and not (is_gendered(before) and before.lower() == after.lower()):
            raise ValueError(f"{before[:60]!r} is protected and became {after[:60]!r}")
    return made.text


def proposals(
    labelled: Table[LabelledExample],
    grammar: Table[GrammarCount],
    settings: SubjectivitySettings,
    model: str,
    shard: int,
    shards: int,
) -> Iterator[SubjectiveProposal]:
    """The stage SubjectiveProposals: the scored proposals of one of so many parts of the examples, in order."""
    examples = list(labelled)
    size = -(-len(examples) // shards)
    passages = map(passage_of, examples[shard * size : (shard + 1) * size])
    counts = str(grammar.parts[0].parent) if grammar.parts else ""
    yield from score_passages(passages, settings, {"spacy_model": model, "counts": counts})


def fitting(
    proposals: Iterable[SubjectiveProposal], examples: Iterable[LabelledExample], source: str
) -> Iterator[SubjectiveProposal]:
    """Proposals of an earlier call; InputError where they are not those of these examples, each sentence once."""
    asked = {(it.id, one.number): one for it in examples for one in sentences_of(passage_of(it))}
    seen: set[tuple[str, int]] = set()
    last = None
    for it in proposals:
        place, key = f"{source}: {it.instance_id}: sentence {it.number}", (it.instance_id, it.number)
        sentence = asked.get(key)
        if sentence is None or (sentence.span, sentence.text) != (it.span, it.sentence):
            raise InputError(f"{place} is not in the input; score it again")
        if key != last and key in seen:
            raise InputError(f"{place} occurs twice, or its proposals are apart; score it again")
        if it.proposal is not None and made_of(sentence, it, place) != it.proposal:
            raise InputError(f"{place}: the edits do not make the proposal; score it again")
        seen.add(key)
        last = key
        yield it
    if missing := [f"{id} sentence {number}" for id, number in asked if (id, number) not in seen]:
        raise InputError(
            f"{source}: no scores for {len(missing):,} sentences: {listed(missing)}; score the input again"
        )


def made_of(sentence: Sentence, proposal: SubjectiveProposal, place: str) -> str:
    try:
        return applied(sentence, proposal.edits)
    except ValueError as error:
        raise InputError(f"{place}: {error}; score it again") from error
