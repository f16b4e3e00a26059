"""The other gender's form of a pronoun, by syntax: *her* is *his* or *him*, *his* is *her* or *hers*.

The tagger alone is wrong where it matters ("behind her back", "the choice was his"). So the
words around are asked first, then whether a noun follows at all, and the parse where both
readings are left. The word lists are in `resources/lexicons/pronouns.toml`.

What stands around a token: the words that decide what a pronoun before them is.
"""

import re
import tomllib
from collections.abc import Collection
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from gapforge.people.lexicon import MEMORY
from gapforge.resources import resource

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


# Forms that have one partner whatever their place in the sentence.
FIXED = {
    "he": "she",
    "she": "he",
    "him": "her",
    "hers": "his",
    "himself": "herself",
    "herself": "himself",
    "hisself": "herself",
}
PRONOUNS = frozenset((*FIXED, "her", "his"))

COPULAS = ("am", "is", "are", "was", "were", "be", "been", "being")
HEADS = ("nsubj", "nsubjpass", "dobj", "pobj", "attr", "conj", "appos", "poss", "npadvmod", "dative")


def exchange_pronoun(word: str, token: "Token") -> str:
    """The form of the other gender, in small letters; the token is the one that holds the word."""
    if word in FIXED:
        return FIXED[word]
    if word == "her":
        return "his" if her_owns(token) else "him"
    return "her" if his_owns(token) else "hers"


def his_owns(token: "Token") -> bool:
    """Whether *his* stands before its noun, and not alone as in "the choice was his"."""
    following = after(token)
    if following is not None and is_shared(following):
        return True
    if following is None or is_stop(following):
        return False
    if following.lower_ in ("own", "very") or is_compound(following) or is_gerund(following):
        return True
    if stands_for_noun(following):
        return True
    if (is_of_his(token) and begins_clause(following)) or is_subject_alone(token) or is_of_that(token, following):
        return False
    if belongs_to_nobody(following):
        return is_noun_by_verb(following) or (token.dep_ == "poss" and noun_after(following, ADJECTIVES) is not None)
    return noun_after(token) is not None or (owns_head(token) and token.head.i > following.i)


def her_owns(token: "Token") -> bool:
    """Whether *her* stands before its noun, and is not somebody as in "let her drive"."""
    following = after(token)
    if following is not None and is_shared(following):
        return True
    if following is None or is_stop(following):
        return following is not None and following.text == ")" and token.tag_ == "PRP$" and token.dep_ == "poss"
    told = by_words(token, following)
    if told is not None:
        return told
    if noun_after(token) is None:
        parsed = token.tag_ == "PRP$" and token.dep_ == "poss" and token.i == 0
        verb = governing_verb(token)
        free = verb is None or verb.lower_ in COPULAS
        return parsed or owns_head(token) or (stands_for_noun(following) and free)
    # Where tag and dependency agree, they are right; but "it made her worn face look brighter".
    if token.tag_ == "PRP" and token.dep_ in ("dobj", "dative", "nsubj"):
        noun = noun_after(token, ADJECTIVES)
        return token.dep_ == "nsubj" and noun is not None and noun.i > following.i and after_tag(noun) == "VB"
    return following.tag_ in NOUNS or token.tag_ == "PRP$" or token.dep_ == "poss"


def by_words(token: "Token", following: "Token") -> bool | None:
    """What the words around *her* tell for certain; None where they leave it open."""
    word = following.lower_
    verb = governing_verb(token)
    before = token.nbor(-1) if token.i else None
    prepositional = before is not None and before.tag_ in ("IN", "TO") and before.lower_ != "like"
    if word == "own" or (word == "very" and after_is(following, ("own",))):
        return True
    if is_compound(following) and noun_after(token) is None:
        # "her first-born", but "when I call her cross-grained"
        return verb is None and (token.tag_ == "PRP$" or token.dep_ == "poss")
    if is_compound(following) or word == "ex":
        return True
    if word == "back":
        return owns_back(following, verb, prepositional)
    if word == "all":
        return after_is(following, ("to", "for", ".", ",", "in", "but"))
    if is_gerund(following):
        return owns_gerund(token, before, verb)
    if belongs_to_nobody(following):
        return token.dep_ == "poss" and noun_after(following, ADJECTIVES) is not None
    if following.tag_ in ("VBZ", "VBP") and (before is None or before.is_punct):
        return True  # "she, her looks averted": nobody but a subject stands there before a verb
    if following.tag_ in ("PRP", "PRP$", "WP", "WDT", "DT", "PDT", "EX", "MD", "TO", "VBZ", "VBP"):
        return word == "every" and token.dep_ == "poss"
    if prepositional or verb is None:
        return None
    if word == "best" and noun_after(token) is None:
        return is_form_of(verb, "trying")  # "did her best", but "loved her best"
    if word in ("last", "next", "this", "one") and token.tag_ == "PRP":
        return False  # "I saw her last night"
    return None if is_owned(following, verb) else False


def is_owned(following: "Token", verb: "Token") -> bool:
    """Whether the verb before *her* leaves it open that a noun of hers follows; "wished her joy" does not."""
    lists = word_lists()
    word = following.lower_
    if word in lists["actions"] and is_form_of(verb, "causing"):
        # "let her work speak for itself"
        return after_tag(following) in ("VB", "VBP") or (
            not is_form_of(verb, "commanding") and after_tag(following) in NOUNS
        )
    if is_form_of(verb, "giving") and (following.tag_ == "CD" or is_gift(following, lists["gifts"])):
        return False
    if is_form_of(verb, "bestowing") and is_gift(following, lists["presents"]):
        return False
    if word in lists["postures"] and is_form_of(verb, "leaving"):
        return False
    if word == "company" and is_form_of(verb, "keeping"):
        return False
    # "called her Countess", "made her president"
    if (word in lists["ranks"] or following.text.istitle()) and is_form_of(verb, "naming"):
        return False
    return not (word == "home" and is_form_of(verb, "leading"))


def is_gift(following: "Token", gifts: frozenset[str]) -> bool:
    """Whether what somebody is given begins here, and does not go on to somebody else: "gave her money to the poor"."""
    adjective = following.tag_ in ADJECTIVES
    noun = noun_after(following, ADJECTIVES) if adjective else following
    if noun is None or after_tag(noun) in NOUNS:  # "gave her birthday money away"
        return False
    return (noun.lower_ in gifts or noun.text in gifts) and not goes_on_to(noun)


def goes_on_to(noun: "Token") -> bool:
    """Whether "to" and somebody follow; "permission to go" goes on to nobody."""
    to = after(noun)
    return to is not None and to.lower_ in ("to", "into") and after_tag(to) != "VB"


def owns_back(back: "Token", verb: "Token | None", prepositional: bool) -> bool:
    """ "behind her back", "turned her back"; but "gave her back the ring", "called her back"."""
    if after_is(back, word_lists()["before_nouns"]):
        return False
    return prepositional or verb is None or is_form_of(verb, "turning") or after_tag(back) in NOUNS


def owns_gerund(token: "Token", before: "Token | None", verb: "Token | None") -> bool:
    """ "upon her entering", "her being late"; but "heard her coming", "with her waiting"."""
    if before is None or before.is_punct or before.tag_ == "CC":
        return True
    if before.tag_ in ("IN", "TO"):
        return before.lower_ not in ("with", "like", "than", "as") or token.tag_ == "PRP$"
    if verb is not None and is_form_of(verb, "missing"):
        return True
    return verb is None and token.tag_ == "PRP$" and token.dep_ == "poss"


def belongs_to_nobody(token: "Token") -> bool:
    """Whether a word is hardly ever a part of what somebody has, unless it is the noun *will* or *might*."""
    return token.lower_ in word_lists()["after_somebody"] and not (
        token.lower_ in ("will", "might", "can", "must", "may") and token.tag_ in NOUNS
    )


def stands_for_noun(token: "Token") -> bool:
    """Whether a word that is no noun stands for one: "his best", "her beloved"."""
    if token.lower_ == "all":
        return after_tag(token) not in ("DT", "PRP$", *NOUNS) and not after_is(token, ("along",))
    return token.lower_ in word_lists()["nominal"]


def is_noun_by_verb(token: "Token") -> bool:
    """Whether *will* or *might* is a noun, because a verb in the past follows: "his will left everything"."""
    return token.lower_ in ("will", "might") and after_tag(token) in ("VBD", "VBZ", "MD")


def owns_head(token: "Token") -> bool:
    """Whether the parse has a possessive of something that is a subject or an object, whatever its tag."""
    if token.dep_ != "poss" or token.head.i <= token.i or token.head.dep_ not in HEADS:
        return False
    participle = token.head.i == token.i + 1 and token.head.lower_.endswith("ed")
    adjective = token.head.tag_ == "JJ" and not stands_for_noun(token.head)  # "treated her bad"
    return token.head.tag_ not in ("RB", "VBN") and not participle and not adjective


def is_of_his(token: "Token") -> bool:
    """Whether *his* may end "a friend of his" or "a life such as his"."""
    if token.i < 2 or token.nbor(-1).lower_ not in ("of", "as"):
        return False
    before = token.doc[max(0, token.i - 5) : token.i - 1]
    return any(it.lower_ in ("a", "an", "this", "that", "these", "those", "no", "any", "such") for it in before)


def is_of_that(token: "Token", following: "Token") -> bool:
    """ "That laugh of his carries through doors": after a demonstrative, a word in s is a verb, not another owner."""
    before = token.doc[max(0, token.i - 4) : token.i - 1]
    pointed = token.i > 2 and token.nbor(-1).lower_ == "of" and any(it.lower_ in ("this", "that") for it in before)
    end = after(following)
    return pointed and following.lower_.endswith("s") and (end is None or is_stop(end) or end.tag_ == "IN")


def is_subject_alone(token: "Token") -> bool:
    """Whether *his* begins a clause whose only possible verb is the next word: "Our zippers held; his broke"."""
    before = token.nbor(-1) if token.i else None
    contrast = before is not None and before.lower_ == "but" and token.i > 1 and token.nbor(-2).text == ","
    if before is None or not (contrast or before.text == ";"):
        return False
    return not any(it.tag_ in VERBS for it in token.doc[token.i + 1 :])


def begins_clause(token: "Token") -> bool:
    """Whether a verb begins here, whatever its tag: an article follows it, or something else that follows no noun."""
    if token.tag_ in VERBS:
        return True
    return token.lower_.endswith(("s", "ed")) and after_tag(token) in ("DT", "PRP$", "PRP", "RP", "JJ", "RB")
