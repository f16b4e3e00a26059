"""The candidate that attends most to the pronoun (Webster et al. 2018, 4.4: Transformer-Single and Transformer-Multi).

Which head knows of coreference differs from model to model: it is chosen on examples whose answer is known, the
validation file in the paper. Several heads are combined by extra trees over the choice that each of them makes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.errors import ConfigError
from pipeline.evaluation.encoders import Encoded, encode, load_encoder
from pipeline.evaluation.mentions import study
from pipeline.evaluation.resolvers import LABELS, alike
from pipeline.extraction.language import DEFAULT_MODEL
from pipeline.neural import DEFAULT_ENCODER, optional
from pipeline.records import Instance, Label, Span

HEADS = 3  # GAP 4.4
TREES = 100  # the default of the paper's library

Floats = npt.NDArray[np.floating[Any]]
Bools = npt.NDArray[np.bool_]
Example = tuple[Instance, Label]


@dataclass(frozen=True, slots=True)
class View:
    """The candidates of one instance; `scores` is candidate, layer, head: its attention to the pronoun.

    `overlaps` tells of each two candidates whether the text of one holds that of the other, `names` of each whether it
    answers for A and for B.
    """

    scores: Floats
    overlaps: Bools
    names: Bools


def attention(
    instances: Sequence[Instance],
    *,
    gold_two_mentions: bool = False,
    model: str = DEFAULT_MODEL,
    seed: int = 0,
    train: Sequence[Example] = (),
    encoder: str = DEFAULT_ENCODER,
    device: str = "cpu",
    multi: bool = False,
) -> list[Label]:
    """One answer an instance by the best head on `train`, or with `multi` by extra trees over all of them."""
    known = answered(train)
    if not instances:
        return []
    views = views_of([instance for instance, _ in known], gold_two_mentions, model, encoder, device)
    wanted = gold_of([label for _, label in known])
    asked = views_of(instances, gold_two_mentions, model, encoder, device)
    head = best_head(scores_by_head(views, wanted))
    likely = learn(views, wanted, seed)(asked) if multi else [np.zeros(len(view.names)) for view in asked]
    return [answer(view, chances, head) for view, chances in zip(asked, likely, strict=True)]


def table_of_heads(
    examples: Sequence[Example],
    *,
    gold_two_mentions: bool = False,
    model: str = DEFAULT_MODEL,
    encoder: str = DEFAULT_ENCODER,
    device: str = "cpu",
) -> list[list[float]]:
    """Table 8: the F1 of every head by itself, from 0 to 1, a list for each layer."""
    known = answered(examples)
    views = views_of([instance for instance, _ in known], gold_two_mentions, model, encoder, device)
    table = scores_by_head(views, gold_of([label for _, label in known]))
    return [[float(score) for score in layer] for layer in table]


def answered(examples: Sequence[Example]) -> list[Example]:
    known: list[Example] = [(instance, label) for instance, label in examples if label != "not sure"]
    if not any(label != "neither" for _, label in known):
        raise ConfigError(
            f"no head can be chosen: {len(examples)} examples to train on, none of them with a true name; "
            "name a file of answered examples to train on"
        )
    return known


def views_of(
    instances: Sequence[Instance], gold_two_mentions: bool, model: str, encoder: str, device: str
) -> list[View]:
    if gold_two_mentions:
        candidates = [[instance.name_a, instance.name_b] for instance in instances]
    else:
        cases = study(instances, False, model)
        candidates = [[mention.span for mention in case.candidates] if case else [] for case in cases]
    views: dict[int, View] = {}
    for n, encoded in encode(load_encoder(encoder, device), instances, attention=True):
        views[n] = view_of(instances[n], encoded, candidates[n], gold_two_mentions)
    return [views[n] for n in range(len(instances))]


def view_of(instance: Instance, encoded: Encoded, candidates: Sequence[Span], gold_two_mentions: bool) -> View:
    """What the heads say of an instance; a candidate outside what the encoder saw is none."""
    assert encoded.attention is not None
    pronoun = encoded.within(instance.pronoun)
    seen = [(span, places) for span in candidates if pronoun and (places := encoded.within(span))]
    scores = attention_to(encoded.attention, encoded.tokens, pronoun, [places for _, places in seen])
    texts = [instance.text[span.start : span.end] for span, _ in seen]
    names = instance.name_a, instance.name_b
    if gold_two_mentions:
        named = [[span == name for name in names] for span, _ in seen]
    else:
        named = [[alike(text, instance.text[name.start : name.end]) for name in names] for text in texts]
    overlaps = [alike(left, right) for left in texts for right in texts]
    return View(scores, np.array(overlaps, bool).reshape(len(seen), -1 if seen else 0), np.array(named, bool))


def attention_to(
    weights: Floats, tokens: Sequence[str], pronoun: Sequence[int], spans: Sequence[Sequence[int]]
) -> Floats:
    """How much each span attends to the pronoun, in each head: span, layer, head.

    4.4: the mean over all subtokens of the two spans, where between two subtokens counts the sum over all occurrences
    of the same strings in the text. `weights` is layer, head, from, to.
    """
    if not spans:
        return np.zeros((0, *weights.shape[:2]))
    same = np.array([[left == right for right in tokens] for left in tokens], dtype=weights.dtype)
    to_pronoun = weights @ same[:, list(pronoun)].mean(axis=1)  # layer, head, from
    return np.stack([to_pronoun @ same[list(span)].mean(axis=0) for span in spans])


def gold_of(labels: Sequence[Label]) -> Bools:
    """Whether A and B are true, for each label."""
    return np.array([[label in ("A", "both"), label in ("B", "both")] for label in labels], dtype=bool)


def scores_by_head(views: Sequence[View], gold: Bools) -> Floats:
    """F1 over the pairs of name and pronoun of each head that chooses by itself: layer, head."""
    if not any(len(view.names) for view in views):
        raise ConfigError("no head can be chosen: no candidate was found in any example; train on other examples")
    true: Floats = np.zeros(())
    said: Floats = np.zeros(())
    for view, names in zip(views, gold, strict=True):
        if len(view.names):
            predicted = view.names[view.scores.argmax(axis=0)]  # layer, head, name
            true = true + (predicted & names).sum(axis=-1)
            said = said + predicted.sum(axis=-1)
    scores: Floats = 2 * true / (said + gold.sum())
    return scores


def best_head(scores: Floats) -> tuple[int, int]:
    """The layer and the head of the highest score, the first of equals."""
    layer, head = np.unravel_index(int(scores.argmax()), scores.shape)
    return int(layer), int(head)


def features_of(view: View) -> Bools:
    """4.4: one feature a head for each candidate, whether it overlaps with what the head chooses."""
    return view.overlaps[:, view.scores.argmax(axis=0).ravel()]


def learn(views: Sequence[View], gold: Bools, seed: int) -> Callable[[Sequence[View]], list[Floats]]:
    """Extra trees over the three heads that say most by chi-squared; they tell how likely each candidate is true."""
    ensemble, selection = optional("sklearn.ensemble"), optional("sklearn.feature_selection")
    seen = [(view, names) for view, names in zip(views, gold, strict=True) if len(view.names)]
    rows = np.concatenate([features_of(view) for view, _ in seen])
    true = np.concatenate([(view.names & names).any(axis=1) for view, names in seen])
    if true.all() or not true.any():
        raise ConfigError("extra trees need candidates that are true and some that are not; train on more examples")
    heads = selection.SelectKBest(selection.chi2, k=min(HEADS, rows.shape[1])).fit(rows, true)
    trees = ensemble.ExtraTreesClassifier(n_estimators=TREES, random_state=seed).fit(heads.transform(rows), true)

    def likely(asked: Sequence[View]) -> list[Floats]:
        rows = [features_of(view) for view in asked if len(view.names)]
        chances = trees.predict_proba(heads.transform(np.concatenate(rows)))[:, 1] if rows else np.zeros(0)
        return np.split(chances, np.cumsum([len(view.names) for view in asked])[:-1])

    return likely


def answer(view: View, chances: Floats, head: tuple[int, int]) -> Label:
    """The likeliest candidate's name; of equals, and three yes-or-no features leave many, the head decides."""
    order = range(len(view.names))
    chosen = max(order, key=lambda n: (chances[n], view.scores[n][head]), default=None)
    return "neither" if chosen is None else LABELS[bool(view.names[chosen][0]), bool(view.names[chosen][1])]
