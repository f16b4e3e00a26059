"""Scenes written as marked text: "[C1 Ann] saw [O1 Bo] and [his>her] hat"."""

import re

from gapforge.counterfactuals.variants import Scene
from gapforge.counterfactuals.words import begins_with_vowel
from gapforge.edits import Edit
from gapforge.records import OTHER, Person, Span

ROLES = ("C1", "C2", "O1", "O2")
PIECE = re.compile(r"\[(?:(C1|C2|O1|O2|P) )?([^\]>]*)>?([^\]]*)\]|([^\[]+)")


def play(pieces, names):
    """The scene of (kind, text, new) in a row, and the exchanges of its words; kinds are roles, P, word, a and ""."""
    text, words, mentions = "", [], {role: [] for role in ROLES}
    for n, (kind, old, new) in enumerate(pieces):
        span = Span(len(text), len(text) + len(old))
        if kind == "a":  # the article that fits what comes next
            old = " an " if begins_with_vowel(pieces[n + 1][1]) else " a "
        elif kind in ROLES:
            mentions[kind].append(span)
        elif kind:
            words.append(Edit(span, new))
        if kind == "P":
            pronoun = span
        text += old
    gender = "feminine" if text[pronoun.start : pronoun.end].lower() in ("she", "her", "hers") else "masculine"
    genders = {"C1": gender, "C2": gender, "O1": OTHER[gender], "O2": OTHER[gender]}
    people = [Person(role, names[role], genders[role], mentions[role]) for role in ROLES]
    a, b = sorted((mentions["C1"][-1], mentions["C2"][-1]), key=lambda it: it.start)
    return Scene(text, gender, pronoun, a, b, people), words


def read(marked, **names):
    """The scene of a text like "[C1 Ann] saw [O1 Bo] and [his>her] hat"; a name not given is its first form."""
    pieces = [
        (match[1] or "word", match[2], match[3]) if match[4] is None else ("", match[4], "")
        for match in PIECE.finditer(marked)
    ]
    forms = {role: text for role, text, _ in reversed(pieces)}
    return play(pieces, {role: names.get(role, forms[role]) for role in ROLES})
