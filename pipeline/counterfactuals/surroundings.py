"""What stands around a token: the words that decide what a pronoun before them is."""

import re
import tomllib
from collections.abc import Collection
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from pipeline.extraction.gender import MEMORY
from pipeline.resources import resource

if TYPE_CHECKING:
    from spacy.tokens import Token

NOUNS = frozenset(["NN", "NNS", "NNP", "NNPS"])
VERBS = frozenset(["VBD", "VBZ", "VBP", "VB", "MD"])
ADJECTIVES = frozenset(["JJ", "JJR", "JJS", "CD", "VBN", "HYPH"])
# Between a possessive and its noun: "her two much loved, rather old 'friends'".
MODIFIERS = ADJECTIVES | frozenset(["RB", "RBR", "RBS", "VBG", "``", "''", "POS", "FW", "AFX", "NFP", "$"])
OPENING = frozenset("'\"“‘«")
STOPS = frozenset(".,;:?!)]}”’…—–-/")


@cache
def read_lists() -> dict[str, str]:
    return tomllib.loads(resource("lexicons/pronouns.toml").read_text("utf-8"))


@cache
def word_lists() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in read_lists().items()}


def after(token: "Token") -> "Token | None":
    """The next token; of "her (and only her) fault" the one after the brackets."""
    place = token.i + 1
    doc = token.doc
    if place < len(doc) and doc[place].text == "(":
        place = next((it.i + 1 for it in doc[place:] if it.text == ")"), place)
    while place < len(doc) and doc[place].is_space:
        place += 1
    return doc[place] if place < len(doc) else None


def after_is(token: "Token", words: Collection[str]) -> bool:
    following = after(token)
    return following is not None and following.lower_ in words


def after_tag(token: "Token") -> str:
    following = after(token)
    return following.tag_ if following is not None else ""


def governing_verb(token: "Token") -> "Token | None":
    """The verb directly before the pronoun, adverbs and particles passed over."""
    place = token.i - 1
    while place >= 0 and token.doc[place].tag_ in ("RB", "RP"):
        place -= 1
    found = token.doc[place] if place >= 0 else None
    return found if found is not None and found.tag_[0] == "V" else None


def is_stop(token: "Token") -> bool:
    """Whether a mark ends what came before it; an opening quotation mark does not."""
    if token.text[0] in OPENING and token.i + 1 < len(token.doc) and not token.whitespace_:
        return False
    return token.text[0] in STOPS or token.is_punct


def is_gerund(token: "Token") -> bool:
    """A form in -ing that is what somebody does, or its negation: "not knowing"; the noun comes later or never."""
    if token.lower_ == "not":
        return after_tag(token) == "VBG"
    if token.lower_ in ("considering", "concerning", "regarding", "including", "excepting"):
        return False
    return token.tag_ == "VBG" and noun_after(token, frozenset(("JJ", "CD", "HYPH"))) is None


def is_compound(token: "Token") -> bool:
    """Whether a word is the beginning of one with hyphens: "her down-at-heel lodgings"."""
    following = token.nbor(1) if token.i + 1 < len(token.doc) else None
    return following is not None and following.text == "-" and not token.whitespace_ and not following.whitespace_


def noun_after(token: "Token", modifiers: frozenset[str] = MODIFIERS) -> "Token | None":
    """The noun that a possessive here would belong to; None where something else comes first."""
    first = after(token)
    if first is None:
        return None
    for it in token.doc[first.i :]:
        if it.tag_ in NOUNS:
            return it
        listed = (
            modifiers is MODIFIERS
            and it.i > first.i
            and (it.text == "," or it.tag_ == "CC" or (it.tag_ in ("IN", "DT", "TO") and is_compound(it)))
        )
        inside = it.tag_ in modifiers or it.is_space or it.text[0] in OPENING or is_compound(it)
        inside = inside or it.lower_ == "every" or (it.lower_ == "near" and after_tag(it) == "JJ")
        if not (inside or listed):
            return None
    return None


def is_shared(token: "Token") -> bool:
    """Whether another possessive shares the noun: "his or her signature", "her and her husband's papers"."""
    if token.lower_ not in ("and", "or", "/"):
        return False
    second = after(token)
    if second is None or second.tag_ != "PRP$" or noun_after(second) is None:
        return False
    first = token.nbor(-1)
    if first.lower_ == "his" or token.text == "/" or is_anothers(second):
        return True
    return first.tag_ == "PRP$" and second.lower_ in ("his", "their")


def is_anothers(possessive: "Token") -> bool:
    noun = noun_after(possessive)
    return noun is not None and after_tag(noun) == "POS"


def is_form_of(verb: "Token", name: str) -> bool:
    """Whether a verb is one of a word list, in whatever form."""
    return not word_lists()[name].isdisjoint(base_forms(verb.lower_))


@lru_cache(MEMORY)
def base_forms(word: str) -> frozenset[str]:
    """What a form may be the form of: "turned" of turn and turne; only one of them is in a list."""
    if word in irregular_forms():
        return frozenset((irregular_forms()[word],))
    found = {word}
    for ending in ("s", "es", "d", "ed", "ing"):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            found |= {stem, stem + "e", re.sub(r"i$", "y", stem), re.sub(r"(.)\1$", r"\1", stem)}
    return frozenset(found)


@cache
def irregular_forms() -> dict[str, str]:
    lines = [line.split() for line in read_lists()["irregular"].strip().splitlines()]
    return {form: base for base, *forms in lines for form in (base, *forms)}
