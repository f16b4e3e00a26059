"""Resolvers that follow one cue each (Webster et al. 2018, 4.3; Kocijan et al. 2021, 3.2), none of them trained.

A resolver chooses one of the candidates, the names of people that it finds in the text, and never looks at the two
names that it is asked about; its choice answers for a name where one of the two strings is a part of the other. With
`gold_two_mentions` it is given the two names to choose from, and its choice is one of them.

Positions of a name from which a pronoun of the same sentence cannot take its reference (GAP 4.3).

The paper leaves the positions open. These are the conditions of binding as far as a dependency tree shows them, and
phrases in which a possessive and a name are kept apart by what they say: "Mary, his wife".
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from gapforge.draws import draw_key
from gapforge.errors import ConfigError
from gapforge.nlp.reading import (
    DEFAULT_MODEL,
    OBJECTS,
    SUBJECTS,
    begins_clause,
    depth,
    is_possessive,
    joined,
    path_between,
    role_of,
    subjects_of,
)
from gapforge.people.lexicon import name_lexicon
from gapforge.plugins import ModelName
from gapforge.records import Instance, Label, Span, overlap
from gapforge.systems.antecedents import Case, Mention, nearest_first, study, within_reach

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


Choose = Callable[[Case], Mention | None]
Names = Mapping[str, Sequence[Span]]  # by the id of the instance

ADDED = re.compile(r"\s*\(.*|,.*", re.DOTALL)  # "John Smith (actor)", "Paris, Texas"
ANCHOR = re.compile(r"[?#].*", re.DOTALL)
BEYOND = re.compile(r"[^\x00-\x7f]")
LABELS: dict[tuple[bool, bool], Label] = {
    (True, False): "A",
    (False, True): "B",
    (True, True): "both",
    (False, False): "neither",
}


def random_choice(
    instances: Sequence[Instance],
    *,
    gold_two_mentions: bool = False,
    model: ModelName = DEFAULT_MODEL,
    seed: int = 0,
) -> list[Label]:
    """Any candidate; which one depends on the seed and the id of the instance alone."""

    def drawn(case: Case) -> Mention | None:
        if not case.candidates:
            return None
        number = int.from_bytes(draw_key(seed, "random resolver", case.instance.id)[0])
        return case.candidates[number % len(case.candidates)]

    return resolve(instances, drawn, gold_two_mentions, model)


def token_distance(
    instances: Sequence[Instance], *, gold_two_mentions: bool = False, model: ModelName = DEFAULT_MODEL
) -> list[Label]:
    """The candidate with the fewest tokens between it and the pronoun; of equals the one before it."""
    return resolve(instances, lambda case: nearest(case.pronoun, case.candidates), gold_two_mentions, model)


def topical(
    instances: Sequence[Instance], *, gold_two_mentions: bool = False, model: ModelName = DEFAULT_MODEL
) -> list[Label]:
    """The nearest candidate with the word that most candidates have."""
    return resolve(instances, most_frequent, gold_two_mentions, model)


def syntactic(
    instances: Sequence[Instance], *, gold_two_mentions: bool = False, model: ModelName = DEFAULT_MODEL
) -> list[Label]:
    """The candidate that is nearest in the trees of the sentences, of those whose position allows it."""
    return resolve(instances, lambda case: closest(case.pronoun, allowed(case)), gold_two_mentions, model)


def parallelism(
    instances: Sequence[Instance], *, gold_two_mentions: bool = False, model: ModelName = DEFAULT_MODEL
) -> list[Label]:
    """For a subject the nearest subject, for a direct object the nearest direct object; else as `syntactic`."""
    return resolve(instances, lambda case: parallel(case.pronoun, allowed(case)), gold_two_mentions, model)


def parallelism_url(
    instances: Sequence[Instance], *, gold_two_mentions: bool = False, model: ModelName = DEFAULT_MODEL
) -> list[Label]:
    """Of candidates that share a word with the title of the page the one nearest in the trees; else `parallelism`.

    One that is farther in the trees than the choice of `parallelism` is passed over: the person of the page is named
    all over it, and preclusion leaves less to fix than there was in the paper.
    """

    def titled(case: Case) -> Mention | None:
        candidates = allowed(case)
        title = title_words(case.instance.url)
        found = closest(case.pronoun, [it for it in candidates if title & words_of(it.text)])
        otherwise = parallel(case.pronoun, candidates)
        if found is None or otherwise is None:
            return found or otherwise
        theirs, others = (syntactic_distance(case.pronoun, it)[:2] for it in (found, otherwise))
        return found if theirs <= others else otherwise

    return resolve(instances, titled, gold_two_mentions, model)


def dist(
    instances: Sequence[Instance],
    *,
    k: int = 1,
    names: Names | None = None,
    model: ModelName = DEFAULT_MODEL,
) -> list[Label]:
    """The names that the k-th nearest span overlaps; nobody where there are fewer.

    Spans are those of `names` by instance id, or the people found in the text. ConfigError where `k` is below 1 or
    `names` lacks an instance.
    """
    if k < 1:
        raise ConfigError(f"k is {k}; wanted 1 for the nearest name, 2 for the second nearest, and so on")
    labels: list[Label] = []
    for instance, spans in zip(instances, spans_of(instances, names, model), strict=True):
        near = nearest_first(instance, within_reach(instance, spans, k))[k - 1 : k]
        labels.append(LABELS[touches(near, instance.name_a), touches(near, instance.name_b)])
    return labels


def expected(
    instances: Sequence[Instance],
    *,
    gold_two_mentions: bool = False,
    names: Names | None = None,
    model: ModelName = DEFAULT_MODEL,
) -> list[tuple[float, float]]:
    """How likely a random choice answers for A and for B: the shares of the candidates that do.

    Given `names`, the candidates are those spans, and a span answers for the name that it overlaps.
    """
    if names is not None:
        each = zip(instances, spans_of(instances, names, model), strict=True)
        return [shares([(overlap(it, one.name_a), overlap(it, one.name_b)) for it in spans]) for one, spans in each]
    cases = study(instances, gold_two_mentions, model)
    return [shares([named_by(case, it, gold_two_mentions) for it in case.candidates] if case else []) for case in cases]


def resolve(instances: Sequence[Instance], choose: Choose, gold_two_mentions: bool, model: str) -> list[Label]:
    """One label an instance, in order, by whichever candidate is chosen; "neither" where none is."""
    labels: list[Label] = []
    for case in study(instances, gold_two_mentions, model):
        chosen = choose(case) if case else None
        labels.append(LABELS[named_by(case, chosen, gold_two_mentions)] if case and chosen else "neither")
    return labels


def named_by(case: Case, chosen: Mention, gold_two_mentions: bool) -> tuple[bool, bool]:
    """Whether a choice answers for A, and for B."""
    instance = case.instance
    if gold_two_mentions:
        return chosen.span == instance.name_a, chosen.span == instance.name_b
    a, b = (instance.text[it.start : it.end] for it in (instance.name_a, instance.name_b))
    return alike(chosen.text, a), alike(chosen.text, b)


def alike(left: str, right: str) -> bool:
    """Whether one string is a part of the other (GAP 4.3); nothing is like an empty one."""
    return bool(left and right) and (left in right or right in left)


def allowed(case: Case) -> list[Mention]:
    return [it for it in case.candidates if not is_precluded(case.pronoun, it)]


def nearest(pronoun: Mention, candidates: Sequence[Mention]) -> Mention | None:
    return min(candidates, key=lambda it: (pronoun.distance(it), it.first > pronoun.first), default=None)


def most_frequent(case: Case) -> Mention | None:
    counts = Counter(word for it in case.candidates for word in words_of(it.text))
    most = max(counts.values(), default=0)
    topics = {word for word, count in counts.items() if count == most}
    return nearest(case.pronoun, [it for it in case.candidates if topics & words_of(it.text)])


def closest(pronoun: Mention, candidates: Sequence[Mention]) -> Mention | None:
    return min(candidates, key=lambda it: syntactic_distance(pronoun, it), default=None)


def syntactic_distance(pronoun: Mention, candidate: Mention) -> tuple[int, int, int, bool]:
    """Sentences apart, those after the pronoun's behind all others; then arcs of the tree, then tokens.

    In another sentence the arcs are those that lead up to its root, as if the trees met there.
    """
    same = pronoun.sentence == candidate.sentence
    arcs = path_between(pronoun.head, candidate.head) if same else depth(candidate.head)
    later = candidate.first > pronoun.first
    return sentences_apart(pronoun, candidate), arcs, pronoun.distance(candidate), later


def sentences_apart(pronoun: Mention, candidate: Mention) -> int:
    """How far back a candidate is; one in a sentence to come is farther than all before."""
    back = pronoun.sentence - candidate.sentence
    return back if back >= 0 else pronoun.sentence - back


def parallel(pronoun: Mention, candidates: Sequence[Mention]) -> Mention | None:
    role = role_of(pronoun.head)
    if role in ("subject", "object") and not is_possessive(pronoun.head):
        same = [it for it in candidates if role_of(it.head) == role]
        # In a sentence to come nobody is meant whom one before it could name.
        known = [it for it in same if it.sentence <= pronoun.sentence]
        if same:
            return nearest(pronoun, known or same)
    return closest(pronoun, candidates)


def words_of(name: str) -> set[str]:
    """The words of a name, letters beyond ASCII as GAP writes them: C*rdoba for Córdoba."""
    return set(BEYOND.sub("*", unicodedata.normalize("NFC", name)).split())


def title_words(url: str) -> set[str]:
    """The words of the page that a URL names, without those of grammar and what tells it from others of its name."""
    address, _, path = url.partition("://")[2].partition("/")
    page = path.partition("wiki/")[2] or path.rpartition("/")[2] if address else ""
    title = unquote(ANCHOR.sub("", page)).replace("_", " ")
    words = words_of(ADDED.sub("", title))
    capital = {word for word in words if word[0].isupper() or (word[0] == "*" and word.strip("*"))}
    return capital - name_lexicon().function


def spans_of(instances: Sequence[Instance], names: Names | None, model: str) -> Iterator[Sequence[Span]]:
    if names is None:
        for case in study(instances, False, model):
            yield [it.span for it in case.candidates] if case else []
        return
    for instance in instances:
        if instance.id not in names:
            raise ConfigError(f"no names are given for {instance.id}; wanted the spans of every instance, or of none")
        yield names[instance.id]


def touches(spans: Sequence[Span], name: Span) -> bool:
    return any(overlap(span, name) for span in spans)


def shares(answers: Sequence[tuple[bool, bool]]) -> tuple[float, float]:
    count = len(answers) or 1
    return sum(a for a, _ in answers) / count, sum(b for _, b in answers) / count
