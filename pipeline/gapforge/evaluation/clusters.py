"""MUC, B-cubed and CEAF-e as the reference coreference scorer, v8.01, counts them (Pradhan et al. 2014).

Each is a pair of numerators and denominators, summed over documents before anything is divided. The scorer's rules:
mentions match by their exact tokens; one without a twin counts against its side, and nothing is added or taken away to
make up for it; entities of one mention count like any other. A response's mention that the key has is kept in the first
of its entities, in the order in which these are met, and dropped from later ones; one that the key has not stays as
often as it is said. In a key that has a mention twice, the mention belongs to the last of its entities.

Pronoun-name F1 by gender on CoNLL files (Webster et al. 2018, Table 5 and footnote 14).

For each gendered pronoun of the key's entities, the system's entity with that pronoun is one true positive where it has
a name of the pronoun's entity, one false positive where it has another name, and one false negative where it has no
name of the pronoun's entity. The footnote leaves three things open. Pronouns are those of GAP, without reflexives. A
false negative needs a name to be missed: a pronoun whose entity has no name can only be a false positive, so that the
key scores 1 against itself. Mentions are aligned by their heads, as the paper does for GAP: a mention is a name where
its head lies in a PERSON of the column of names ("President Clinton", not "Clinton's wife"), and two mentions are the
same name where that PERSON is the same. A key without any named entity is read by its tags instead, a run of proper
nouns standing for a PERSON; without tags it has no names.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy  # whose parts load when they are used

from gapforge.errors import InputError, listed
from gapforge.evaluation.comparison import faulty, together
from gapforge.evaluation.resampling import Floats, randomisation, ratio, share
from gapforge.evaluation.scoring import measured
from gapforge.evaluation.settings import RESAMPLES
from gapforge.groups import GENDERS as GENDER_OF
from gapforge.storage.conll import Document, Mention, named_entities

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
        raise InputError(f"{place}: documents: {listing}. Fix the file, or go on with --missing-as-negative")
    return Paired(pairs, {reason: len(titles) for reason, titles in faults.items()})


def score_clusters(
    key: Sequence[Document],
    responses: Mapping[str, Iterable[Document]],
    missing_as_negative: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """The reference scorer's figures, and pronoun-name F1 by gender (GAP Table 5); of several, whether they differ."""
    both = {name: paired(key, response, missing_as_negative) for name, response in responses.items()}
    sums = {name: document_sums(it.pairs) for name, it in both.items()}
    found: dict[str, dict[str, Any]] = {}
    for name, it in both.items():
        result = measured(sums[name], scores, resamples, seed)
        names = measured(pronoun_sums(it.pairs), pronoun_scores, resamples, seed)
        result["intervals"]["pronoun_names"] = names.pop("intervals")
        found[name] = {"dataset": "conll", "documents": len(key), **result, "pronoun_names": names} | faulty(it.faults)
    result = together("conll", found)
    if len(found) > 1:
        result["paired"] = [
            {
                "first": first,
                "second": second,
                "p": randomisation(sums[first], sums[second], average_f1, resamples, seed),
            }
            for first, second in combinations(sums, 2)
        ]
    return result


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


PRONOUN_GENDERS = ("masculine", "feminine")
# Of each gender: true positives, false positives, false negatives.
PRONOUN_WIDTH = 3

PROPER = ("NNP", "NNPS")
# What ends the part of a noun phrase in which its head stands last; a verb does so behind a noun only.
BOUNDARIES = frozenset((",", ":", "-LRB-", "IN", "TO", "WDT", "WP", "WP$", "WRB"))
POSSESSIVES = frozenset(("'s", "’s", "'", "’"))


def pronoun_sums(pairs: Sequence[Pair]) -> Floats:
    """One line a document, `WIDTH` columns a gender, in the order of `GENDERS`."""
    entities = [named_entities(gold) for gold, _ in pairs]
    names = (
        [[place for place, kind in found if kind == "PERSON"] for found in entities]
        if any(entities)
        else [proper_runs(gold.tags) for gold, _ in pairs]
    )
    rows = np.zeros((len(pairs), len(PRONOUN_GENDERS) * PRONOUN_WIDTH))
    for row, (gold, said), found in zip(rows, pairs, names, strict=True):
        for column in outcomes(gold, said, found):
            row[column] += 1
    return rows


def outcomes(gold: Document, said: Document | None, names: Sequence[Mention]) -> Iterator[int]:
    """The column of each outcome in a document."""
    words, tags = gold.words, gold.tags
    name_at = {token: name for name in names for token in range(*name)}

    def names_of(mentions: Iterable[Mention]) -> set[Mention]:
        heads = (head_of(mention, words, tags) for mention in mentions)
        return {name_at[head] for head in heads if head in name_at}

    chains = list(said.entities.values()) if said else []
    chain_of = {mention: chain for chain in reversed(chains) for mention in chain}
    for entity in gold.entities.values():
        right = names_of(entity)
        for mention in dict.fromkeys(entity):
            gender = GENDER_OF.get(words[mention.start].lower()) if mention.end == mention.start + 1 else None
            if gender is None:
                continue
            start = PRONOUN_WIDTH * PRONOUN_GENDERS.index(gender)
            linked = names_of(chain_of.get(mention, ()))
            if linked & right:
                yield start
            if linked - right:
                yield start + 1
            if right and not linked & right:
                yield start + 2


def head_of(mention: Mention, words: Sequence[str], tags: Sequence[str]) -> int | None:
    """The last word of the mention ahead of what modifies it from behind; None where "and" joins several."""
    if mention.end > len(words):
        return None
    end = mention.end
    noun = False
    for token in range(mention.start, mention.end):
        tag = tags[token]
        if token > mention.start and tag == "CC":
            return None
        if token > mention.start and (tag in BOUNDARIES or words[token] == "," or (noun and tag.startswith("V"))):
            end = token
            break
        noun = noun or tag.startswith("N")
    if end - 1 > mention.start and words[end - 1] in POSSESSIVES:
        end -= 1
    return end - 1


def proper_runs(tags: Sequence[str]) -> list[Mention]:
    """Each run of proper nouns."""
    found: list[Mention] = []
    for token, tag in enumerate(tags):
        if tag in PROPER:
            start = found.pop().start if found and found[-1].end == token else token
            found.append(Mention(start, token + 1))
    return found


def pronoun_scores(sums: Floats) -> dict[str, Floats]:
    """Precision, recall and F1 overall and by gender; `names` counts pronouns with a name to be found.

    Bias is feminine F1 over masculine.
    """
    masculine, feminine = sums[..., :PRONOUN_WIDTH], sums[..., PRONOUN_WIDTH:]
    figures: dict[str, Floats] = {}
    for group, columns in (("overall", masculine + feminine), ("masculine", masculine), ("feminine", feminine)):
        true, false, missed = (columns[..., number] for number in range(PRONOUN_WIDTH))
        figures[f"{group}.precision"] = share(true, true + false)
        figures[f"{group}.recall"] = share(true, true + missed)
        figures[f"{group}.f1"] = share(2 * true, 2 * true + false + missed)
        figures[f"{group}.names"] = true + missed
    there = feminine.sum(axis=-1) > 0  # Without feminine pronouns there is no Bias.
    return figures | {"bias": ratio(figures["feminine.f1"], there * figures["masculine.f1"])}
