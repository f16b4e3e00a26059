"""WinoBias (Zhao et al. 2018): is a pronoun linked with the occupation that the sentence calls for?

Each sentence stands twice, with the pronoun that stereotypes suggest for the occupation ("pro") and with the other one
("anti"). Its answer is two yes-or-no's: linked with the marked occupation, and linked with another. The first without
the second is correct. The first is a true positive, its lack a false negative, the second a false positive. Where two
pronouns are marked, both must be linked with the occupation, and neither with another.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gapforge.errors import InputError, listed
from gapforge.evaluation.clusters import average_f1, sums_of
from gapforge.evaluation.comparison import contingencies, difficulties, faulty, together
from gapforge.evaluation.files import read_predictions
from gapforge.evaluation.gap import by_group
from gapforge.evaluation.gold import ANSWERS
from gapforge.evaluation.resampling import (
    DIGITS,
    Floats,
    Statistic,
    bootstrap,
    interval,
    randomisation,
    share,
)
from gapforge.evaluation.settings import RESAMPLES
from gapforge.records import Label, Span, WinoBiasSentence, overlap
from gapforge.storage.conll import Document, Mention, read_documents
from gapforge.winobias.published import GENDERED, Marks, Sentence, document_marks, document_number, is_conll

CONDITIONS = ("pro", "anti")
KINDS = ("type1", "type2")
# Mentions that name nobody: a pronoun in the same entity is neither the occupation nor another.
PRONOUNS = GENDERED | {"it", "its", "itself", "they", "them", "their", "theirs", "themselves", "who", "whom", "whose"}
ARTICLES = frozenset(("the", "a", "an"))
POSSESSIVES = frozenset(("'s", "’s", "'", "’"))


@dataclass(frozen=True, slots=True)
class Answers:
    """By the id of each sentence: linked with the marked occupation, linked with another; and the scorer's sums."""

    said: dict[str, tuple[bool, bool]]
    sums: dict[str, list[float]]
    faults: dict[str, int]


def read_links(sentences: Sequence[Sentence], path: Path, missing_as_negative: bool) -> Answers:
    """A system's answers: a table, a CoNLL response, or a folder of responses."""
    if path.is_dir():
        files = sorted(it for it in path.iterdir() if it.is_file() and not it.name.startswith("."))
        return read_answers(sentences, files, missing_as_negative)
    if is_conll(path):
        return read_answers(sentences, [path], missing_as_negative)
    read = read_predictions(path, [it.id for it in sentences], missing_as_negative)
    return Answers({id: (bool(a), bool(b)) for id, (a, b) in read.said.items()}, {}, read.faults)


def read_answers(sentences: Sequence[Sentence], paths: Iterable[Path], missing_as_negative: bool = False) -> Answers:
    """What CoNLL responses say of the sentences, found by the names of documents or, where they have none, by order.

    InputError where the words differ, and for sentences missing or not in the gold unless `missing_as_negative`.
    """
    answers = Answers({}, {}, {})
    extra: list[str] = []
    twice: list[str] = []
    for path in paths:
        documents = list(read_documents(path))
        for sentence, document in zip(matched(sentences, documents), documents, strict=True):
            if sentence is None:
                extra.append(document.title)
            elif sentence.id in answers.said:
                twice.append(sentence.id)
            else:
                answers.said[sentence.id], answers.sums[sentence.id] = answer_of(sentence, document)
    missing = [sentence.id for sentence in sentences if sentence.id not in answers.said]
    reasons = (("missing", missing), ("duplicate", twice), ("extra", extra))
    faults = {reason: names for reason, names in reasons if names}
    if faults and not missing_as_negative:
        listing = "; ".join(f"{len(names):,} {reason}: {listed(names)}" for reason, names in faults.items())
        raise InputError(f"sentences: {listing}. Fix the responses, or go on with --missing-as-negative")
    for sentence in sentences:
        if sentence.id not in answers.said:
            answers.said[sentence.id] = (False, False)
            entity = [Mention(n, n + 1) for n in range(1 + len(sentence.pronouns))]
            answers.sums[sentence.id] = sums_of([entity], [])
    answers.faults.update({reason: len(names) for reason, names in faults.items()})
    return answers


def matched(sentences: Sequence[Sentence], documents: Sequence[Document]) -> list[Sentence | None]:
    """The sentence of each document of a file: by its id or published name, else all by their order."""
    by_id = {sentence.id: sentence for sentence in sentences}
    if all(document.name in by_id for document in documents):
        return [by_id[document.name] for document in documents]
    marks = [document_marks(document) for document in documents]
    numbers = [document_number(document) for document in documents]
    if not all(it.kind and it.condition and number for it, number in zip(marks, numbers, strict=True)):
        return in_order(sentences, documents, marks[0])
    wanted = {(*sentence.pair, sentence.marks.condition): sentence for sentence in sentences}
    splits = {sentence.marks.split for sentence in sentences}
    # Gold of one split may not say of which; that the words are the same is seen to later.
    only = splits.pop() if len(splits) == 1 else None
    keys = [
        (it.split if only is None else only, it.kind, number or 0, it.condition)
        for it, number in zip(marks, numbers, strict=True)
    ]
    return [wanted.get(key) for key in keys]


def in_order(sentences: Sequence[Sentence], documents: Sequence[Document], marks: Marks) -> list[Sentence | None]:
    """The sentences that a file's name leaves, one a document."""
    left = [
        sentence
        for sentence in sentences
        if marks.kind in ("", sentence.marks.kind)
        and marks.condition in ("", sentence.marks.condition)
        and (not marks.split or sentence.marks.split in ("", marks.split))
    ]
    if len(left) != len(documents):
        raise InputError(
            f"{documents[0].source}: {len(documents):,} documents for {len(left):,} sentences, and their names do not "
            "say which; name each for the id of its sentence, such as type1-pro-1"
        )
    return list(left)


def answer_of(sentence: Sentence, document: Document) -> tuple[tuple[bool, bool], list[float]]:
    words = document.words
    if "".join(words) != sentence.letters:
        raise InputError(
            f"{document.source}: line {document.line}: document {document.title} reads {' '.join(words)!r}; wanted "
            f"the words of {sentence.id}, {sentence.text!r}"
        )
    referent = tokens_of(sentence, sentence.referent, words)
    pronouns = [tokens_of(sentence, pronoun, words) for pronoun in sentence.pronouns]
    chains = list(document.entities.values())
    chain_of = {mention: chain for chain in reversed(chains) for mention in chain}
    wanted = bare(referent, words)
    linked, other = True, False
    for pronoun in pronouns:
        named = {
            bare(mention, words)
            for mention in chain_of.get(pronoun, ())
            if mention.end > mention.start + 1 or words[mention.start].lower() not in PRONOUNS
        }
        linked = linked and wanted in named
        other = other or bool(named - {wanted})
    return (linked, other), sums_of([[referent, *pronouns]], chains)


def tokens_of(sentence: Sentence, span: Span, words: Sequence[str]) -> Mention:
    """The tokens under a span, whatever blanks the text has between its letters."""
    start = len("".join(sentence.text[: span.start].split()))
    place = Span(start, start + len("".join(sentence.text[span.start : span.end].split())))
    ends = np.cumsum([len(word) for word in words]).tolist()
    inside = [n for n, end in enumerate(ends) if overlap(Span(end - len(words[n]), end), place)]
    return Mention(inside[0], inside[-1] + 1)


def bare(mention: Mention, words: Sequence[str]) -> Mention:
    """A mention without its article and without a possessive ending."""
    start, end = mention
    while start < end - 1 and words[start].lower() in ARTICLES:
        start += 1
    return Mention(start, end - 1 if end - 1 > start and words[end - 1] in POSSESSIVES else end)


def link_rows(sentences: Sequence[Sentence], said: Mapping[str, tuple[float, float]]) -> Floats:
    """One line a sentence: true positive, false positive, false negative, correct, and 1."""
    rows = np.zeros((len(sentences), 5))
    for row, sentence in zip(rows, sentences, strict=True):
        linked, other = said[sentence.id]
        row[:] = linked, other, 1 - linked, linked * (1 - other), 1
    return rows


def link_f1(sums: Floats) -> Floats:
    true, false, missed = (sums[..., number] for number in range(3))
    return share(2 * true, 2 * true + false + missed)


def link_accuracy(sums: Floats) -> Floats:
    return share(sums[..., 3], sums[..., 4])


def score_winobias(
    sentences: Sequence[Sentence],
    said: Mapping[str, tuple[float, float]],
    sums: Mapping[str, Sequence[float]] | None = None,
    rounds: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """F1 and accuracy of the link for each type, and with `sums` the average F1 of the reference scorer, as published.

    Difference is absolute (Zhao et al. 2018, 4); p is that of a paired approximate randomisation over pro and anti;
    intervals come from resampling pairs.
    """
    found: dict[str, Any] = {"dataset": "winobias"} | census(sentences) | {"intervals": {}}
    for kind in KINDS:
        chosen = [sentence for sentence in sentences if sentence.marks.kind == kind]
        if not chosen:
            continue
        links = link_rows(chosen, said)
        figures, bounds = contrast(chosen, links, link_f1, rounds, seed)
        accuracy, accuracy_bounds = contrast(chosen, links, link_accuracy, rounds, seed)
        found[kind] = {"sentences": len(chosen), **figures, "accuracy": accuracy}
        found["intervals"][kind] = {**bounds, "accuracy": accuracy_bounds}
        if sums is not None:
            clusters = np.array([sums[sentence.id] for sentence in chosen], dtype=float)
            published = contrast(chosen, clusters, average_f1, rounds, seed)
            found[kind]["conll_f1"], found["intervals"][kind]["conll_f1"] = published
    return found


Contrast = tuple[dict[str, float | None], dict[str, list[float] | None]]


def contrast(sentences: Sequence[Sentence], rows: Floats, statistic: Statistic, rounds: int, seed: int) -> Contrast:
    """A figure under each condition, None where a condition is not there; and the intervals of the same names."""
    width = rows.shape[1]
    sides = {
        condition: {it.pair: row for it, row in zip(sentences, rows, strict=True) if it.marks.condition == condition}
        for condition in CONDITIONS
    }
    there = [condition for condition in CONDITIONS if sides[condition]]

    def figures(sums: Floats) -> dict[str, Floats]:
        found = {it: statistic(sums[..., n * width : (n + 1) * width]) for n, it in enumerate(there)}
        if len(there) == 2:
            pro, anti = found.values()
            found |= {"average": (pro + anti) / 2, "difference": abs(pro - anti)}
        return found

    pairs = dict.fromkeys(it.pair for it in sentences)
    nothing = np.zeros(width)
    together = np.array([np.concatenate([sides[it].get(pair, nothing) for it in there]) for pair in pairs])
    empty: dict[str, float | None] = dict.fromkeys((*CONDITIONS, "average", "difference"))
    values = empty | {name: round(float(value), DIGITS) for name, value in figures(together.sum(axis=0)).items()}
    bounds = {name: interval(samples) for name, samples in bootstrap(together, figures, rounds, seed).items()}
    both = [pair for pair in pairs if all(pair in side for side in sides.values())]
    if not both:
        return {**values, "p": None}, bounds
    first, second = (np.array([sides[condition][pair] for pair in both]) for condition in CONDITIONS)
    return {**values, "p": randomisation(first, second, statistic, rounds, seed)}, bounds


def score_answers(
    sentences: Sequence[Sentence], answers: Mapping[str, Answers], resamples: int, seed: int
) -> dict[str, Any]:
    """The figures of each system by name; of several, how they compare as well."""
    found = {
        name: score_winobias(sentences, it.said, it.sums or None, resamples, seed) | faulty(it.faults)
        for name, it in answers.items()
    }
    result = together("winobias", found)
    if len(found) > 1:
        right = {
            name: [it.said[sentence.id] == (True, False) for sentence in sentences] for name, it in answers.items()
        }
        rows = {name: link_rows(sentences, it.said) for name, it in answers.items()}
        pairs = [sentence.pair for sentence in sentences]
        grouped = {name: by_group(its, pairs) for name, its in rows.items()}
        result["contingency"] = contingencies(right, grouped, link_f1, pairs, resamples, seed)
        result["difficulty"] = difficulties(right, [sentence.gender for sentence in sentences])
    return result


def link_of(it: WinoBiasSentence, label: Label) -> tuple[bool, bool]:
    """A resolver's answer: linked with the occupation that is meant, linked with the other one."""
    a, b = ANSWERS[label]
    return (a, b) if it.referent_offset < it.other_offset else (b, a)


def census(sentences: Sequence[Sentence]) -> dict[str, int]:
    """How many sentences there are, mark several pronouns, and differ from their pair in more than the pronoun."""
    outlines: dict[tuple[str, str, int], list[str]] = {}
    for sentence in sentences:
        outlines.setdefault(sentence.pair, []).append(outline(sentence))
    pairs = [found for found in outlines.values() if len(found) == 2]
    return {
        "instances": len(sentences),
        "pairs": len(pairs),
        "several_pronouns": sum(len(sentence.pronouns) > 1 for sentence in sentences),
        "unlike_pairs": sum(pro != anti for pro, anti in pairs),
    }


def outline(sentence: Sentence) -> str:
    """The sentence with its marks and without its pronouns."""
    text = sentence.text
    for span in sorted((sentence.referent, *sentence.pronouns), key=lambda it: -it.start):
        inner = "" if span in sentence.pronouns else text[span.start : span.end]
        text = f"{text[: span.start]}[{inner}]{text[span.end :]}"
    return text
