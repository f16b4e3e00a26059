"""The other gender's form of a pronoun, by syntax: *her* is *his* or *him*, *his* is *her* or *hers*.

The tagger alone is wrong where it matters ("behind her back", "the choice was his"). So the
words around are asked first, then whether a noun follows at all, and the parse where both
readings are left. The word lists are in `resources/lexicons/pronouns.toml`.
"""

from typing import TYPE_CHECKING

from pipeline.counterfactuals.surroundings import (
    ADJECTIVES,
    NOUNS,
    VERBS,
    after,
    after_is,
    after_tag,
    governing_verb,
    is_compound,
    is_form_of,
    is_gerund,
    is_shared,
    is_stop,
    noun_after,
    word_lists,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

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
