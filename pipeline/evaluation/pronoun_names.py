"""Pronoun-name F1 by gender on CoNLL files (Webster et al. 2018, Table 5 and footnote 14).

For each gendered pronoun of the key's entities, the system's entity with that pronoun is one true positive where it has
a name of the pronoun's entity, one false positive where it has another name, and one false negative where it has no
name of the pronoun's entity. The footnote leaves three things open. Pronouns are those of GAP, without reflexives. A
false negative needs a name to be missed: a pronoun whose entity has no name can only be a false positive, so that the
key scores 1 against itself. Mentions are aligned by their heads, as the paper does for GAP: a mention is a name where
its head lies in a PERSON of the column of names ("President Clinton", not "Clinton's wife"), and two mentions are the
same name where that PERSON is the same. A key without any named entity is read by its tags instead, a run of proper
nouns standing for a PERSON; without tags it has no names.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pipeline.conll import Document, Mention, named_entities
from pipeline.evaluation.clusters import Pair
from pipeline.evaluation.significance import Floats, ratio, share
from pipeline.extraction.pronouns import GENDERS as GENDER_OF

GENDERS = ("masculine", "feminine")
# Of each gender: true positives, false positives, false negatives.
WIDTH = 3

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
    rows = np.zeros((len(pairs), len(GENDERS) * WIDTH))
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
            start = WIDTH * GENDERS.index(gender)
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
    masculine, feminine = sums[..., :WIDTH], sums[..., WIDTH:]
    figures: dict[str, Floats] = {}
    for group, columns in (("overall", masculine + feminine), ("masculine", masculine), ("feminine", feminine)):
        true, false, missed = (columns[..., number] for number in range(WIDTH))
        figures[f"{group}.precision"] = share(true, true + false)
        figures[f"{group}.recall"] = share(true, true + missed)
        figures[f"{group}.f1"] = share(2 * true, 2 * true + false + missed)
        figures[f"{group}.names"] = true + missed
    there = feminine.sum(axis=-1) > 0  # Without feminine pronouns there is no Bias.
    return figures | {"bias": ratio(figures["feminine.f1"], there * figures["masculine.f1"])}
