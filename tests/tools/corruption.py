"""Sentences with two words in each other's place.

A fluency hook is there to refuse what nobody would write (GAP-Subjective 3.2.3). Whether it can is measured on pairs of
a neutral and a biased sentence of people: the change of log perplexity has to be smaller to the biased sentence than to
the same one with two of its words swapped, which keeps its words and its length.
"""

import re

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
