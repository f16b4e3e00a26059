"""How subjective a sentence is, by a logistic regression over lexicons (after Recasens et al. 2013).

It needs no weights but two dozen coefficients, which `make train-detector` makes from pairs of sentences that
editors of Wikipedia changed to be neutral (the Wiki Neutrality Corpus, GAP-Subjective 3.1.2). What it can know is
bounded by its lexicons: take its scores for a sieve, not for a verdict. How well it does is measured by
cross-validation.
"""

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gapforge.resources import resource
from gapforge.subjectivity.hooks import passes

LEXICONS = resource("subjectivity/lexicons.toml")
COEFFICIENTS = resource("subjectivity/detector.json")
VERBS = "_verbs"  # lists of base forms
WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
EVALUATIVE_ENDINGS = ("est", "ful", "ous", "ive", "able", "less")
# Beside the lexicons: textblob's scores of the words, and what a glance at the sentence tells.
OTHERS = (
    *("subjectivity", "highest subjectivity", "polarity", "strength of polarity"),
    *(
        "log words",
        "-ly",
        "evaluative endings",
        "numbers",
        "quotation",
        "exclamations",
        "brackets",
        "commas",
        "letters a word",
    ),
)

RIDGE = 100.0  # chosen by cross-validation among 10, 100 and 300; the figures hardly differ
FOLDS = 10

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Regression:
    """Coefficients of standardised features by name, and the intercept."""

    names: tuple[str, ...]
    means: Floats
    scales: Floats
    weights: Floats
    intercept: float

    def score(self, features: Floats) -> Floats:
        """The probability that a sentence is subjective, for each line of features."""
        log_odds = ((features - self.means) / self.scales) @ self.weights + self.intercept
        return logistic(log_odds)


def logistic(log_odds: Floats) -> Floats:
    """Chances for log odds, however large these are."""
    return np.exp(-np.logaddexp(0, -log_odds))


# 86 % of sentences of GAP are objective in the paper (3.2.1): so many are below this score in GAP's development set.
@passes(0.592, "calibrated on GAP development: 86 % of sentences objective")
def lexicon(sentences: Sequence[str]) -> list[float]:
    """The score of each sentence, from 0 to 1, by the coefficients that come with the project."""
    if not sentences:
        return []
    return [round(float(it), 6) for it in load_regression().score(features_of(sentences))]


@cache
def load_regression(path: Path = COEFFICIENTS) -> Regression:
    told = json.loads(path.read_text("utf-8"))
    names = tuple(told["features"])
    means, scales, weights = (
        np.array([told["features"][name][key] for name in names]) for key in ("mean", "scale", "weight")
    )
    return Regression(names, means, scales, weights, told["intercept"])


def feature_names() -> tuple[str, ...]:
    return (*load_lexicons(), *OTHERS)


def features_of(sentences: Sequence[str]) -> Floats:
    """One line a sentence; counts are over the square root of its words, lest long sentences seem opinionated."""
    return np.array([features_in(sentence) for sentence in sentences], dtype=np.float64).reshape(len(sentences), -1)


def features_in(sentence: str) -> list[float]:
    words = WORD.findall(sentence.lower())
    size = max(1, len(words))
    root = size**0.5
    found = [sum(word in lexicon for word in words) / root for lexicon in load_lexicons().values()]
    opinions = [opinion_of(word) for word in words]
    return [
        *found,
        sum(subjectivity for _, subjectivity in opinions) / root,
        max((subjectivity for _, subjectivity in opinions), default=0.0),
        sum(polarity for polarity, _ in opinions) / root,
        sum(abs(polarity) for polarity, _ in opinions) / root,
        float(np.log(size)),
        sum(word.endswith("ly") for word in words) / root,
        sum(word.endswith(EVALUATIVE_ENDINGS) for word in words) / root,
        len(re.findall(r"\d+", sentence)) / root,
        float('"' in sentence or "``" in sentence or "“" in sentence),
        float(sentence.count("!") + sentence.count("?")),
        float("(" in sentence),
        sentence.count(",") / root,
        sum(map(len, words)) / size,
    ]


@cache
def load_lexicons() -> dict[str, frozenset[str]]:
    told = tomllib.loads(LEXICONS.read_text("utf-8"))
    lists = {name: words.split() for name, words in told.items()}
    return {
        name: frozenset(form for word in words for form in (forms_of(word) if name.endswith(VERBS) else (word,)))
        for name, words in lists.items()
    }


def forms_of(verb: str) -> set[str]:
    """A verb with all that its regular inflections may look like; forms that do not exist harm nobody."""
    if re.search("[^aeiou]y$", verb):
        return {verb, f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"}
    stem = verb.removesuffix("e")
    doubled = verb + verb[-1]
    return {verb, f"{verb}s", f"{verb}es", f"{stem}ed", f"{stem}ing", f"{doubled}ed", f"{doubled}ing"}


@cache
def opinion_of(word: str) -> tuple[float, float]:
    """Polarity from -1 to 1 and subjectivity from 0 to 1 of a word, by textblob's lexicon."""
    from textblob.en import sentiment

    polarity, subjectivity = sentiment(word)[:2]
    return float(polarity), float(subjectivity)


def fit(subjective: Floats, objective: Floats, names: Sequence[str], ridge: float = RIDGE) -> Regression:
    """A logistic regression with an L2 penalty on the weights of standardised features."""
    from scipy.optimize import minimize

    features = np.concatenate([subjective, objective])
    means, scales = features.mean(axis=0), features.std(axis=0)
    scales[scales == 0] = 1.0
    design = np.column_stack([(features - means) / scales, np.ones(len(features))])
    wanted = np.concatenate([np.ones(len(subjective)), np.zeros(len(objective))])
    penalty = np.append(np.full(len(names), ridge), 0.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        log_odds = design @ weights
        value = (np.logaddexp(0, log_odds) - wanted * log_odds).sum() + (penalty * weights**2).sum() / 2
        return float(value), design.T @ (logistic(log_odds) - wanted) + penalty * weights

    found = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B").x
    return Regression(tuple(names), means, scales, found[:-1], float(found[-1]))


def cross_validate(subjective: Sequence[str], objective: Sequence[str], paired: bool) -> dict[str, float]:
    """Accuracy at 0.5, AUC and, of pairs, how often the subjective one scores higher; a pair is in one fold."""
    scores = [np.zeros(len(subjective)), np.zeros(len(objective))]
    features = [features_of(subjective), features_of(objective)]
    for fold in range(FOLDS):
        held = [np.arange(len(it)) % FOLDS == fold for it in features]
        learnt = fit(features[0][~held[0]], features[1][~held[1]], feature_names())
        for score, it, out in zip(scores, features, held, strict=True):
            score[out] = learnt.score(it[out])
    return measured(scores[0], scores[1], paired)


def measured(subjective: Floats, objective: Floats, paired: bool) -> dict[str, float]:
    right = (subjective > 0.5).sum() + (objective <= 0.5).sum()
    found = {"accuracy": right / (len(subjective) + len(objective)), "auc": auc(list(subjective), list(objective))}
    if paired:
        found["pair accuracy"] = float(((subjective > objective) + (subjective == objective) / 2).mean())
    return {name: round(float(value), 4) for name, value in found.items()}


def auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The chance that a positive score is above a negative one, a tie counting half; both sides need some."""
    if not len(positive) or not len(negative):
        raise ValueError(f"the area under a curve needs both sides, found {len(positive)} and {len(negative)} scores")
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([positive, negative]))
    above = float(ranks[: len(positive)].sum()) - len(positive) * (len(positive) + 1) / 2
    return above / (len(positive) * len(negative))
