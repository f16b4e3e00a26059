"""MUC, B-cubed and CEAF-e as the reference coreference scorer, v8.01, counts them (Pradhan et al. 2014).

Each is a pair of numerators and denominators, summed over documents before anything is divided. The scorer's rules:
mentions match by their exact tokens; one without a twin counts against its side, and nothing is added or taken away to
make up for it; entities of one mention count like any other. A response's mention that the key has is kept in the first
of its entities, in the order in which these are met, and dropped from later ones; one that the key has not stays as
often as it is said. In a key that has a mention twice, the mention belongs to the last of its entities.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # whose parts load when they are used

from pipeline.conll import Document, Mention
from pipeline.errors import InputError, listed
from pipeline.evaluation.significance import Floats, share

METRICS = ("muc", "bcub", "ceafe", "mentions")
# Of each metric: recall's numerator and denominator, then precision's.
WIDTH = 4

Chains = Sequence[Sequence[Mention]]
Pair = tuple[Document, Document | None]


@dataclass(frozen=True, slots=True)
class Paired:
    """The documents of a key in its order, each with the response to it; `faults` counts what was let pass."""

    pairs: list[Pair]
    faults: dict[str, int]


def paired(key: Iterable[Document], response: Iterable[Document], missing_as_negative: bool = False) -> Paired:
    """Key and response by name and part; InputError lists documents that only one of them has.

    Where `missing_as_negative`, a document without a response is one in which nothing was found, and a response to
    none is left out.
    """
    said = {document.key: document for document in response}
    place = next((document.source for document in said.values()), "response")
    pairs = [(document, said.pop(document.key, None)) for document in key]
    unlike = [gold for gold, answer in pairs if answer and len(answer.words) != len(gold.words)]
    pairs = [(gold, None if gold in unlike else answer) for gold, answer in pairs] if unlike else pairs
    found = {
        "of other tokens": [gold.title for gold in unlike],
        "missing": [gold.title for gold, answer in pairs if answer is None],
        "extra": [document.title for document in said.values()],
    }
    faults = {reason: titles for reason, titles in found.items() if titles}
    if faults and not missing_as_negative:
        listing = "; ".join(f"{len(titles):,} {reason}: {listed(titles)}" for reason, titles in faults.items())
        raise InputError(f"{place}: documents: {listing}. Mend the file, or go on with --missing-as-negative")
    return Paired(pairs, {reason: len(titles) for reason, titles in faults.items()})


def document_sums(pairs: Sequence[Pair]) -> Floats:
    """One line a document; `WIDTH` columns a metric, in the order of `METRICS`."""
    sums = [sums_of(chains_of(gold), chains_of(said) if said else []) for gold, said in pairs]
    return np.array(sums, dtype=float).reshape(len(pairs), len(METRICS) * WIDTH)


def chains_of(document: Document) -> Chains:
    return list(document.entities.values())


def sums_of(key: Chains, response: Chains) -> list[float]:
    """The sums of one document."""
    # How often each mention of the key stands in which of its entities.
    places: dict[Mention, Counter[int]] = {}
    for number, entity in enumerate(key):
        for mention in entity:
            places.setdefault(mention, Counter())[number] += 1
    home = {mention: max(found) for mention, found in places.items()}
    said = without_repeats(response, home)
    found = len({mention for entity in said for mention in entity} & home.keys())
    mentions = len({mention for entity in said for mention in entity})

    links = 0
    recalled = precise = 0.0
    similarity = np.zeros((len(key), len(said)))
    for column, entity in enumerate(said):
        homes = Counter(home[mention] for mention in entity if mention in home)
        links += sum(homes.values()) - len(homes)
        common: Counter[int] = Counter()
        for mention in entity:
            for number, times in places.get(mention, {}).items():
                common[number] += 1
                similarity[number, column] += 2 * times / (len(key[number]) + len(entity))
        for number, times in homes.items():
            precise += times * common[number] / len(entity)
            recalled += times * common[number] / len(key[number])
    matched = float(similarity[scipy.optimize.linear_sum_assignment(similarity, maximize=True)].sum())
    of_key, of_said = sum(map(len, key)), sum(map(len, said))
    return [
        *(links, of_key - len(key), links, of_said - len(said)),
        *(recalled, of_key, precise, of_said),
        *(matched, len(key), matched, len(said)),
        *(found, len(home), found, mentions),
    ]


def without_repeats(response: Chains, known: Iterable[Mention]) -> list[list[Mention]]:
    """The response without what it repeats of the key, and without entities that are empty then."""
    fresh = set(known)
    repeated: set[Mention] = set()
    kept = []
    for entity in response:
        chain = []
        for mention in entity:
            if mention not in repeated:
                chain.append(mention)
            if mention in fresh:
                repeated.add(mention)
        kept.append(chain)
    return [chain for chain in kept if chain]


def scores(sums: Floats) -> dict[str, Floats]:
    """Recall, precision and F1 of each metric, and the average of the three F1 that the field reports."""
    figures: dict[str, Floats] = {}
    for number, metric in enumerate(METRICS):
        right, gold, good, said = (sums[..., WIDTH * number + column] for column in range(WIDTH))
        recall, precision = share(right, gold), share(good, said)
        figures[f"{metric}.recall"] = recall
        figures[f"{metric}.precision"] = precision
        figures[f"{metric}.f1"] = share(2 * precision * recall, precision + recall)
    return figures | {"average": (figures["muc.f1"] + figures["bcub.f1"] + figures["ceafe.f1"]) / 3}


def average_f1(sums: Floats) -> Floats:
    return scores(sums)["average"]
