"""Positions of a name from which a pronoun of the same sentence cannot take its reference (GAP 4.3).

The paper leaves the positions open. These are the conditions of binding as far as a dependency tree shows them, and
phrases in which a possessive and a name are kept apart by what they say: "Mary, his wife".
"""

from typing import TYPE_CHECKING

from pipeline.evaluation.mentions import Mention
from pipeline.evaluation.syntax import OBJECTS, SUBJECTS, begins_clause, is_possessive, joined, role_of, subjects_of

if TYPE_CHECKING:
    from spacy.tokens import Token

PREDICATES = frozenset(("attr", "oprd", "acomp"))
ARGUMENTS = SUBJECTS | OBJECTS | PREDICATES
BEFORE_NAMES = frozenset(("prep", "agent", "dative"))
BESIDE = frozenset(("appos", "compound", "nmod"))


def contains(pronoun: "Token", name: "Token") -> bool:
    """ "His friend John", where John heads the phrase; but "John and his friend" is John's."""
    return pronoun == name or (pronoun.i < name.i and pronoun in name.subtree)


def coordinated(pronoun: "Token", name: "Token") -> bool:
    """ "He and John"; but John may be "his" in "John and his wife"."""
    return not is_possessive(pronoun) and name in pronoun.conjuncts


def co_argument(pronoun: "Token", name: "Token") -> bool:
    """ "John saw him"; but "John saw his mother", and "John knew that he left"."""
    verb = None if is_possessive(pronoun) else verb_of(pronoun)
    return verb is not None and verb == verb_of(name)


def shared_subject(pronoun: "Token", name: "Token") -> bool:
    """ "John came and saw him", "John wanted to see him", "John left, leaving him"; but "John came and he left"."""
    verb = None if is_possessive(pronoun) or role_of(pronoun) == "subject" else verb_of(pronoun)
    return verb is not None and joined(name) in subjects_of(verb)


def commanded(pronoun: "Token", name: "Token") -> bool:
    """ "He said that John left"; but "When he left, John cried", as "left" hangs on "cried"."""
    if is_possessive(pronoun) or role_of(pronoun) not in ("subject", "object") or name.i < pronoun.i:
        return False
    verb = verb_of(pronoun)
    return verb is not None and verb in name.ancestors


def cataphoric(pronoun: "Token", name: "Token") -> bool:
    """ "In his book about John"; but "In his book, John says": what follows a pronoun is meant only as a subject.

    One name of ten that follows a possessive in another place is meant by it, of subjects four of five.
    """
    return name.i > pronoun.i and role_of(name) not in ("subject", "possessive")


def kept_apart(pronoun: "Token", name: "Token") -> bool:
    """ "Mary, his wife", "his wife, Mary", "Mary is his wife"; but "Mary and her husband"."""
    if not is_possessive(pronoun):
        return False
    owned = pronoun.head
    if owned.dep_ == "appos" and name == owned.head:
        return True
    if name.i > owned.i and name.dep_ in BESIDE and name.head in (owned, *owned.conjuncts):
        return not begins_clause(name)
    name = joined(name)
    return owned.dep_ in PREDICATES and name.dep_ in SUBJECTS and name.head == owned.head


RULES = (contains, coordinated, co_argument, shared_subject, commanded, cataphoric, kept_apart)


def is_precluded(pronoun: Mention, candidate: Mention) -> bool:
    if candidate.sentence != pronoun.sentence:
        return False
    return any(rule(pronoun.head, candidate.head) for rule in RULES)


def verb_of(token: "Token") -> "Token | None":
    """The verb that a word is an argument of, itself or through a preposition."""
    token = joined(token)
    if token.dep_ in ARGUMENTS:
        return token.head
    if token.dep_ == "pobj" and token.head.dep_ in BEFORE_NAMES:
        return token.head.head
    return None
