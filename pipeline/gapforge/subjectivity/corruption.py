"""Sentences with two words in each other's place, and how well a score tells them from what people wrote.

A fluency hook is there to refuse what nobody would write (GAP-Subjective 3.2.3). Whether it can is measured on pairs of
a neutral and a biased sentence of people: the change of log perplexity has to be smaller to the biased sentence than to
the same one with two of its words swapped, which keeps its words and its length.
"""

import re
from collections.abc import Sequence

import numpy as np

from gapforge.draws import draw_key

WORD = re.compile(r"\w+(?:[-'’.]\w+)*")


def swap_words(sentence: str, seed: int) -> str:
    """The sentence with two words that differ in more than case exchanged; as it is where there are none."""
    words = sorted(WORD.finditer(sentence), key=lambda word: draw_key(seed, "swap", f"{word.start()}/{sentence}"))
    for other in words[1:]:
        if words[0][0].casefold() != other[0].casefold():
            left, right = sorted((words[0], other), key=lambda word: word.start())
            between = sentence[left.end() : right.start()]
            return sentence[: left.start()] + right[0] + between + left[0] + sentence[right.end() :]
    return sentence


def auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The chance that a positive score is above a negative one, a tie counting half; both sides need some."""
    if not len(positive) or not len(negative):
        raise ValueError(f"the area under a curve needs both sides, found {len(positive)} and {len(negative)} scores")
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([positive, negative]))
    above = float(ranks[: len(positive)].sum()) - len(positive) * (len(positive) + 1) / 2
    return above / (len(positive) * len(negative))
