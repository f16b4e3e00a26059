"""A small trained resolver: a conditional logit over the candidates of an instance.

It weighs the cues that the other resolvers follow one at a time (Webster et al. 2018, 4.3), and gender, which they
leave out. The weights are fitted where they are used, from answered instances, and kept nowhere; the same instances
give the same weights.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from gapforge.errors import ConfigError
from gapforge.groups import GENDERS
from gapforge.nlp.reading import DEFAULT_MODEL, depth, is_possessive, joined, path_between, role_of
from gapforge.plugins import ModelName
from gapforge.records import Gender, Instance, Label
from gapforge.systems.antecedents import Case, Mention, study
from gapforge.systems.cues import (
    LABELS,
    RULES,
    alike,
    allowed,
    closest,
    most_frequent,
    named_by,
    nearest,
    parallel,
    resolve,
    title_words,
    words_of,
)

Floats = NDArray[np.float64]
Features = dict[str, float]  # those that are not here are 0
Cues = Iterator[tuple[str, float]]
Train = Sequence[tuple[Instance, Label]]

PENALTY = 10.0  # on half the squared weights; of 1, 3 and 10 the best between the halves of GAP's development set
STEPS = 300
FAR = 3  # sentences: what is farther away counts as this far
LONG = 3  # words


@dataclass(frozen=True, slots=True)
class Example:
    """The candidates of an answered instance, and which of them give the answer."""

    features: list[Features]
    right: list[bool]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What a candidate is held against: the pronoun, what other resolvers choose, and how often words are in names."""

    pronoun: Mention
    kind: str
    gender: Gender | None
    candidates: list[Mention]
    chosen: dict[str, Mention | None]
    counts: Counter[str]
    title: set[str]


def ranker(
    instances: Sequence[Instance],
    *,
    train: Train = (),
    gold_two_mentions: bool = False,
    url: bool = False,
    model: ModelName = DEFAULT_MODEL,
) -> list[Label]:
    """The candidate for which the cues together speak most, all mentions of a name counted together.

    `url` adds the title of the page to the cues (page context, GAP 4.3). ConfigError where no example can be learned
    from: `train` holds instances with their gold labels.
    """
    weights = fit(list(examples(train, gold_two_mentions, url, model)))

    def best(case: Case) -> Mention | None:
        chances = probabilities(describe(case, url), weights)
        together: defaultdict[str, float] = defaultdict(float)
        for it, chance in zip(case.candidates, chances, strict=True):
            together[it.text] += chance
        named = {one: sum(chance for other, chance in together.items() if alike(one, other)) for one in together}
        ranked = sorted(zip(case.candidates, chances, strict=True), key=lambda it: (named[it[0].text], it[1]))
        return ranked[-1][0] if ranked else None

    return resolve(instances, best, gold_two_mentions, model)


def examples(train: Train, gold_two_mentions: bool, url: bool, model: str) -> Iterator[Example]:
    """The instances that teach something: those where some candidates are right and others wrong."""
    cases = study([instance for instance, _ in train], gold_two_mentions, model)
    for case, (_, label) in zip(cases, train, strict=True):
        if case is not None:
            right = [LABELS[named_by(case, it, gold_two_mentions)] == label for it in case.candidates]
            if any(right) and not all(right):
                yield Example(describe(case, url), right)


def describe(case: Case, url: bool) -> list[Features]:
    """The features of every candidate, in order."""
    pronoun = case.pronoun
    free = allowed(case)
    view = View(
        pronoun=pronoun,
        kind="possessive" if is_possessive(pronoun.head) else role_of(pronoun.head),
        gender=GENDERS.get(pronoun.text.lower()),
        candidates=case.candidates,
        chosen={
            "nearest": nearest(pronoun, free),
            "closest": closest(pronoun, free),
            "parallel": parallel(pronoun, free),
            "topical": most_frequent(case),
        },
        counts=Counter(word for it in case.candidates for word in words_of(it.text)),
        title=title_words(case.instance.url) if url else set(),
    )
    return [dict((*of_position(it, view), *of_choices(it, view), *of_name(it, view))) for it in case.candidates]


def side_of(it: Mention, pronoun: Mention) -> str:
    before = it.first < pronoun.first
    if it.sentence == pronoun.sentence:
        return "before" if before else "after"
    return "back" if before else "later"


def of_position(it: Mention, view: View) -> Cues:
    """Where a candidate stands, and how that fits the pronoun."""
    pronoun, kind = view.pronoun, view.kind
    side, role = side_of(it, pronoun), role_of(it.head)
    yield f"{side} {role}", 1
    yield f"{kind} {side}", 1
    yield f"{kind} {side} {role}", 1
    yield f"{side} sentences {min(FAR, abs(it.sentence - pronoun.sentence))}", 1
    yield f"dependency {joined(it.head).dep_}", 1
    yield f"{kind} own dependency {it.head.dep_}", 1
    if it.head.dep_ == "pobj":
        yield f"{side} preposition {it.head.head.lower_}", 1
    yield from by_kind("tokens", math.log1p(pronoun.distance(it)), f"{kind} {side}")
    yield from by_kind("rivals", math.log1p(rivals(it, view)), f"{kind} {side}")
    if it.sentence != pronoun.sentence:
        yield "depth", math.log1p(depth(it.head))
        return
    yield from by_kind("path", math.log1p(path_between(pronoun.head, it.head)), f"{kind} {side}")
    broken = [rule.__name__ for rule in RULES if rule(pronoun.head, it.head)]
    yield "precluded", float(bool(broken))
    for rule in broken:
        yield f"rule {rule}", 1


def by_kind(name: str, value: float, kind: str) -> Cues:
    """A feature for all, and once more for those of a kind."""
    yield name, value
    yield f"{name} {kind}", value


def rivals(it: Mention, view: View) -> int:
    """How many names of others stand between a candidate and the pronoun."""
    first, last = sorted((it.first, view.pronoun.first))
    return sum(first < other.first < last and not alike(other.text, it.text) for other in view.candidates)


def of_choices(it: Mention, view: View) -> Cues:
    for name, chosen in view.chosen.items():
        if chosen is not None and alike(chosen.text, it.text):
            yield from by_kind(f"named by {name}", 1, view.kind)
        if chosen is it:
            yield f"{view.kind} chosen by {name}", 1


def of_name(it: Mention, view: View) -> Cues:
    side = side_of(it, view.pronoun)
    words = words_of(it.text)
    agrees = "unknown" if it.gender is None or view.gender is None else it.gender == view.gender
    yield f"gender {agrees}", 1
    yield from by_kind("times", math.log(max((view.counts[word] for word in words), default=1)), side)
    yield "words", min(LONG, len(words))
    yield "first candidate", float(it is view.candidates[0])
    yield "first word", float(it.first == 0)
    if view.title & words:
        yield from by_kind("title", 1, f"{view.kind} {side}")


def fit(known: Sequence[Example]) -> dict[str, float]:
    """The weights under which right candidates are likeliest, by L-BFGS from zero.

    An instance may have several right candidates, all mentions of the name: what counts is their probability together.
    """
    if not known:
        raise ConfigError("the ranker has nothing to learn from; give it answered instances of which some mean a name")
    names = sorted({name for example in known for features in example.features for name in features})
    column = {name: n for n, name in enumerate(names)}
    candidates = [features for example in known for features in example.features]
    table = np.zeros((len(candidates), len(names)))
    for row, features in zip(table, candidates, strict=True):
        row[[column[name] for name in features]] = list(features.values())
    right = np.array([it for example in known for it in example.right], dtype=np.float64)
    sizes = np.array([len(example.right) for example in known])
    starts = np.cumsum(sizes) - sizes

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = table @ weights
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        odds = np.exp(np.maximum(scores, -500))  # a right candidate must keep some chance, lest its logarithm be lost
        every, good = np.add.reduceat(odds, starts), np.add.reduceat(odds * right, starts)
        slope = odds / np.repeat(every, sizes) - odds * right / np.repeat(good, sizes)
        value = np.log(every / good).sum() + PENALTY / 2 * weights @ weights
        return float(value), table.T @ slope + PENALTY * weights

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return dict(zip(names, found.x.tolist(), strict=True))


def probabilities(candidates: Sequence[Features], weights: Mapping[str, float]) -> list[float]:
    """How likely each candidate is; a feature that was never met says nothing."""
    scores = [sum(weights.get(name, 0.0) * value for name, value in it.items()) for it in candidates]
    odds = [math.exp(score - max(scores)) for score in scores]
    return [it / sum(odds) for it in odds]
