"""From an objective sentence to a subjective one by rules on its parse (GAP-Subjective 3.2.2, without a model).

Which of the places and phrases that fit is taken depends on the seed and the sentence alone: not on the sentences
around it, their order, or how they are spread over processes.

Where in a parsed sentence a rule may make it subjective, and by which phrases.

Kinds of change, after those that editors of Wikipedia undo (Recasens et al. 2013; GAP-Subjective, Table 3): a stance
towards something good or bad ("unfortunately"), a remark on anything else ("surprisingly"), a judgement of what
somebody does ("bravely", a manner), an evaluative adjective, an intensifier, and a loaded verb for a neutral one. A
rule that is in doubt leaves the sentence alone: there is mostly another place.

The words that the rules of transfer put into sentences, and the words that they may stand beside.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any

from gapforge.counterfactuals.words import with_articles
from gapforge.draws import draw_key
from gapforge.edits import Edit
from gapforge.nlp.reading import DEFAULT_MODEL, reader_of
from gapforge.records import Span, SubjectiveEdit, overlap
from gapforge.resources import resource
from gapforge.subjectivity.content import is_gendered, is_negation
from gapforge.subjectivity.hooks import Proposal

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

PHRASES = resource("subjectivity/transfer.toml")
FORMS = {"VB": 0, "VBP": 0, "VBZ": 1, "VBD": 2, "VBN": 3}


@dataclass(frozen=True, slots=True)
class Manner:
    """Adverbs that judge what a verb tells of; `tags` and `needs` say in which form and company of the verb."""

    adverbs: tuple[str, ...]
    passive: bool
    tags: tuple[str, ...]
    needs: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """Loaded verbs in the place of a neutral one, each in four forms, and what has to follow."""

    forms: tuple[tuple[str, ...], ...]
    needs: str


@dataclass(frozen=True, slots=True)
class Phrases:
    """Everything by the word that it depends on; adjectives by noun and by what stands before it."""

    stance: Mapping[str, tuple[str, ...]]
    stance_of_verb: Mapping[str, str]
    manner: Mapping[str, Manner]
    loaded: Mapping[str, Loaded]
    adjectives: Mapping[tuple[str, str], tuple[str, ...]]
    counting: frozenset[str]
    blocking: frozenset[str]
    evaluative: frozenset[str]
    intensifiers: tuple[str, ...]
    gradable: frozenset[str]


@cache
def load_phrases() -> Phrases:
    told = tomllib.loads(PHRASES.read_text("utf-8"))
    adjectives: dict[tuple[str, str], tuple[str, ...]] = {}
    for group in told["noun"]:
        for key in ((noun, after) for noun in group["nouns"] for after in group["after"]):
            adjectives.setdefault(key, tuple(group["adjectives"]))
    return Phrases(
        stance={kind: tuple(words) for kind, words in told["stance"].items()},
        stance_of_verb={verb: kind for kind, verbs in told["stance_verbs"].items() for verb in verbs},
        manner=by_verb(told["manner"], as_manner),
        loaded=by_verb(told["verb"], as_loaded),
        adjectives=adjectives,
        counting=frozenset(told["counting"]["nouns"]),
        blocking=frozenset(told["blocking"]["words"]),
        evaluative=frozenset(word for group in told["noun"] for word in group["adjectives"])
        | frozenset(told["intensifiers"]["adjectives"]),
        intensifiers=tuple(told["intensifiers"]["words"]),
        gradable=frozenset(told["intensifiers"]["adjectives"]),
    )


def by_verb(groups: list[dict[str, Any]], build: Any) -> dict[str, Any]:
    """The group of each verb: the first that lists it."""
    found: dict[str, Any] = {}
    for group in groups:
        for verb in group["verbs"]:
            found.setdefault(verb, build(group))
    return found


def as_manner(group: dict[str, Any]) -> Manner:
    tags = tuple(group.get("tags", ("VBD", "VBZ", "VBN")))
    return Manner(tuple(group["adverbs"]), group.get("passive", False), tags, group.get("needs", ""))


def as_loaded(group: dict[str, Any]) -> Loaded:
    return Loaded(tuple(tuple(forms) for forms in group["loaded"]), group["needs"])


NAMED = frozenset(("PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "EVENT", "PRODUCT", "WORK_OF_ART", "LAW", "LANGUAGE"))
SUBJECTS = frozenset(("nsubj", "nsubjpass"))
CLAUSES = frozenset(("ROOT", "conj", "relcl", "advcl", "ccomp"))
HEADS = frozenset(("nsubj", "nsubjpass", "dobj", "pobj", "attr", "appos", "conj", "dative", "oprd", "ROOT"))
MODIFIERS = frozenset(("amod", "compound", "nmod", "punct"))
PEOPLE = frozenset(("he", "she", "they", "who"))
DEGREES = frozenset(
    ("more", "most", "less", "least", "very", "so", "too", "as", "how", "quite", "rather", "that", "this")
)
# A stance towards something neither good nor bad: it says least, and fits where nothing else does.
REMARK = "remark"
GRAMMATICAL = frozenset(("PRP", "PRP$", "DT", "PDT", "IN", "TO", "EX", "WDT", "WP", "WP$", "WRB"))
RELATIONAL = ("al", "ic", "ary")  # endings of adjectives that tell of which kind a thing is
# Openings after which a stance would be one word too many.
OPENINGS = frozenset(
    ("nsubj", "nsubjpass", "det", "poss", "prep", "mark", "amod", "compound", "nummod", "advmod", "aux")
)
CIRCUMSTANCES = frozenset(("GPE", "LOC", "DATE", "PERSON", "ORG", "FAC"))  # "In London", "After May"
CONNECTIVES = frozenset(("however", "therefore", "moreover", "furthermore", "nevertheless", "also", "then", "thus"))
NEAR = 6  # words from the beginning, among which one of those would meet the stance
CONDITIONS = frozenset(("if", "unless", "whether"))


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one of several phrases: `span` is what they replace, empty where they are put in.

    `form` says how a phrase stands there; `lowered` is the capital that is one no more behind an opening phrase.
    """

    kind: str
    span: Span
    form: str
    phrases: tuple[str, ...]
    lowered: Span | None = None


def find_slots(doc: "Doc", protected: Sequence[Span], phrases: Phrases) -> list[Slot]:
    """Every place in text order of its kind; none within a protected span or a name, nor in a question."""
    if doc.text.endswith("?"):
        return []
    rules = (opening_stances, inner_stances, manners, adjectives, intensifiers, loaded_verbs)
    return [slot for rule in rules for slot in rule(doc, phrases) if is_free(slot, doc.text, protected)]


def is_free(slot: Slot, text: str, protected: Sequence[Span]) -> bool:
    """Whether nothing that must stay is replaced or parted; what is put in front of a name parts nothing.

    A pronoun may lose its capital, a name may not.
    """
    if slot.lowered and any(overlap(it, slot.lowered) and not is_gendered(text[it.start : it.end]) for it in protected):
        return False
    if slot.span.start == slot.span.end:
        return not any(it.start < slot.span.start < it.end for it in protected)
    return not any(overlap(it, slot.span) for it in protected)


def opening_stances(doc: "Doc", phrases: Phrases) -> Iterator[Slot]:
    root, first = root_of(doc), doc[0]
    stance = phrases.stance_of_verb.get(root.lemma_.lower()) if root is not None else None
    if root is None or stance is None or not is_plain_sentence(doc, root):
        return
    if first.dep_ not in OPENINGS or first.pos_ in ("ADV", "CCONJ", "INTJ", "VERB") or not first.text[0].isalpha():
        return
    if any(token.lower_ in CONNECTIVES for token in doc[:NEAR]):
        return
    # What else has a capital there may be a name that the model does not know.
    if first.lower_ in CONDITIONS or may_be_name(first) or (first.tag_ not in GRAMMATICAL and not is_name(first)):
        return
    lowered = Span(first.idx, first.idx + 1) if not is_name(first) and first.text != "I" else None
    kind = REMARK if stance == "neutral" else "stance"
    yield Slot(kind, Span(0, 0), "{}, ", tuple(capital(it) for it in phrases.stance[stance]), lowered)


def may_be_name(first: "Token") -> bool:
    """Whether a word with its capital may begin a title, "The Long Shed sold well", or be a name: "An accepted"."""
    if is_name(first) or first.i + 1 == len(first.doc):
        return False
    following = first.nbor()
    if first.lower_ in ("a", "an") and following.pos_ in ("VERB", "AUX"):
        return True
    is_circumstance = first.tag_ in ("IN", "TO") and following.ent_type_ in CIRCUMSTANCES
    return following.text[0].isupper() and not is_circumstance


def inner_stances(doc: "Doc", phrases: Phrases) -> Iterator[Slot]:
    root = root_of(doc)
    stance = phrases.stance_of_verb.get(root.lemma_.lower()) if root is not None else None
    adverbs = phrases.stance.get(f"inner_{stance}")
    if root is not None and adverbs is not None and is_plain_sentence(doc, root) and takes_adverb(root):
        yield Slot("stance", before(root), "{} ", adverbs)


def manners(doc: "Doc", phrases: Phrases) -> Iterator[Slot]:
    for token in doc:
        manner = phrases.manner.get(token.lemma_.lower()) if token.pos_ == "VERB" else None
        if manner is None or not token.text.islower() or token.tag_ not in manner.tags:
            continue
        if is_passive(token) and not manner.passive:
            continue
        if manner.needs and not is_passive(token) and (object_of(token) is None) == (manner.needs == "object"):
            continue
        if takes_adverb(token) and (is_passive(token) or acts(token)):
            yield Slot("manner", before(token), "{} ", manner.adverbs)


def adjectives(doc: "Doc", phrases: Phrases) -> Iterator[Slot]:
    for noun in doc:
        if noun.tag_ not in ("NN", "NNS") or not noun.text.islower() or noun.dep_ not in HEADS or is_name(noun):
            continue
        found = place_before(noun)
        if found is None or is_negated(noun) or is_joined(noun):
            continue
        place, after = found
        # Who is whose father is told here, not what he is like.
        if after == "possessor" and noun.dep_ in ("attr", "oprd"):
            continue
        words = phrases.adjectives.get((noun.text, after))
        following = noun.nbor().lower_ if noun.i + 1 < len(doc) else ""
        if words is None or (following == "of" and noun.text in phrases.counting):
            continue
        between = doc[place : noun.i]
        parted = any(left.dep_ == "compound" and right.pos_ == "ADJ" for left, right in pairwise(between))
        if parted or any(blocks(token, phrases) for token in between) or doc[place].ent_iob_ == "I":
            continue
        yield Slot("adjective", before(doc[place]), "{} ", words)


def intensifiers(doc: "Doc", phrases: Phrases) -> Iterator[Slot]:
    for token in doc:
        if token.tag_ != "JJ" or token.text not in phrases.gradable or token.dep_ not in ("amod", "acomp"):
            continue
        if token.i == 0 or is_name(token) or is_negated(token) or is_joined(token):
            continue
        previous = token.nbor(-1)
        if any(child.dep_ in ("advmod", "npadvmod") for child in token.lefts) or previous.lower_ in DEGREES:
            continue
        is_open = previous.lower_ in ("a", "an") or previous.tag_ in ("PRP$", "POS", "IN")
        if token.dep_ == "acomp" or is_open:
            yield Slot("intensifier", before(token), "{} ", phrases.intensifiers)


def loaded_verbs(doc: "Doc", phrases: Phrases) -> Iterator[Slot]:
    for token in doc:
        loaded = phrases.loaded.get(token.lemma_.lower()) if token.pos_ == "VERB" else None
        if loaded is None or not token.text.islower() or token.tag_ not in FORMS or is_passive(token):
            continue
        if is_negated(token) or is_joined(token) or not acts(token) or not has(token, loaded.needs):
            continue
        words = tuple(dict.fromkeys(forms[FORMS[token.tag_]] for forms in loaded.forms))
        yield Slot("verb", Span(token.idx, token.idx + len(token)), "{}", words)


def root_of(doc: "Doc") -> "Token | None":
    """The verb of a sentence that is one."""
    roots = [token for token in doc if token.dep_ == "ROOT"]
    return roots[0] if len(roots) == 1 and roots[0].pos_ == "VERB" else None


def is_plain_sentence(doc: "Doc", root: "Token") -> bool:
    """Whether somebody does, or something is done to somebody, in a whole statement without a negation."""
    subject = next((child for child in root.lefts if child.dep_ in SUBJECTS), None)
    if subject is None or root.tag_ not in ("VBD", "VBZ", "VBN", "VBP") or is_negated(root):
        return False
    if doc[0].text[0].islower() or doc[-1].text != "." or subject.lower_ in ("it", "this", "that", "there", "which"):
        return False
    modal = any(child.tag_ == "MD" or child.lower_ in ("did", "do", "does") for child in root.lefts)
    return not modal and not any(token.text in ("?", "*", "|", ":", "..", "...") for token in doc)


def takes_adverb(verb: "Token") -> bool:
    """Whether an adverb may stand right before the verb: behind its subject or auxiliary, with no other adverb near."""
    if verb.dep_ not in CLAUSES and not is_reduced(verb):
        return False
    if verb.i == 0 or is_negated(verb) or is_joined(verb) or any(child.dep_ == "agent" for child in verb.lefts):
        return False
    if verb.i + 1 < len(verb.doc) and verb.nbor().lower_ == "of":  # "composed of", "died of"
        return False
    near = [child for child in verb.children if abs(child.i - verb.i) <= 2]
    if any(child.dep_ in ("advmod", "npadvmod", "expl") for child in near):
        return False
    if any(child.lower_ in ("did", "do", "does", "to") or child.tag_ in ("MD", "VB") for child in verb.lefts):
        return False  # nor where it is not said to have happened: "would help him be elected"
    previous = verb.nbor(-1)
    if is_reduced(verb):
        return True
    if previous.dep_ in ("aux", "auxpass"):
        return previous.head.i == verb.i and verb.tag_ == "VBN"
    if verb.tag_ == "VBN":
        return False
    if previous.pos_ == "CCONJ":
        return verb.dep_ == "conj"
    subject = next((child for child in verb.lefts if child.dep_ in SUBJECTS), None)
    return subject is not None and subject.right_edge.i == previous.i and not previous.is_punct


def is_reduced(verb: "Token") -> bool:
    """A participle with its agent: "a film directed by …"."""
    return verb.dep_ == "acl" and verb.tag_ == "VBN" and verb.i + 1 < len(verb.doc) and verb.nbor().lower_ == "by"


def is_passive(verb: "Token") -> bool:
    return is_reduced(verb) or any(child.dep_ in ("auxpass", "nsubjpass") for child in verb.lefts)


def acts(verb: "Token") -> bool:
    """Whether the subject is somebody: a name, or a pronoun of people; of a second verb that of the first."""
    subject = next((child for child in verb.lefts if child.dep_ in SUBJECTS), None)
    if subject is None:
        return verb.dep_ == "conj" and verb.head.i != verb.i and acts(verb.head)
    return subject.lower_ in PEOPLE or (subject.pos_ == "PROPN" and subject.ent_type_ in ("PERSON", ""))


def object_of(verb: "Token") -> "Token | None":
    return next((child for child in verb.rights if child.dep_ == "dobj"), None)


def has(verb: "Token", needed: str) -> bool:
    """Whether what a loaded verb needs follows this one."""
    following = verb.nbor() if verb.i + 1 < len(verb.doc) else None
    if needed == "clause":
        said = following is not None and not following.is_punct and following.text not in ("``", "''")
        return said and any(child.dep_ == "ccomp" for child in verb.rights) and object_of(verb) is None
    if needed == "infinitive":
        return following is not None and following.lower_ == "to" and any(it.dep_ == "xcomp" for it in verb.rights)
    if needed == "object infinitive":
        clauses = [child for child in verb.rights if child.dep_ in ("xcomp", "ccomp")]
        begins = following is not None and following.lower_ not in ("to", "for", "if", "whether")
        return begins and any(it.dep_ == "aux" and it.lower_ == "to" for clause in clauses for it in clause.lefts)
    found = object_of(verb)
    if found is None or following is None or following.i > found.i:
        return False
    return needed == "object" or found.pos_ == "PROPN" or found.lower_ in ("him", "her", "them")


def place_before(noun: "Token") -> tuple[int, str] | None:
    """The number of the token before which an adjective stands, and behind what: "a", "the" or "possessor"."""
    for child in noun.lefts:
        if child.dep_ == "predet":
            return None
    for child in noun.lefts:
        if child.dep_ == "det" and child.lower_ in ("a", "an", "the"):
            # "worked as a teacher" tells what, not what kind; "so good a poet" has its adjective.
            if child.i and (child.nbor(-1).lower_ == "as" or child.nbor(-1).pos_ == "ADJ"):
                return None
            return child.i + 1, "the" if child.lower_ == "the" else "a"
        if child.dep_ == "poss" and child.tag_ != "NNS":  # The women's team is no team of some women.
            return child.right_edge.i + 1, "possessor"
    return None


def blocks(token: "Token", phrases: Phrases) -> bool:
    """Whether a modifier would not go with an adjective before it."""
    if token.lower_ in phrases.blocking or token.lower_ in phrases.evaluative or token.dep_ not in MODIFIERS:
        return True
    if token.tag_ == "JJ" and not (token.text[0].isupper() or token.text.endswith(RELATIONAL) or token.text == "young"):
        return True
    return (
        token.tag_ in ("JJS", "JJR", "RBS", "RBR", "CD", "CC", "VBG", "VBN") or is_joined(token) or not token.is_alpha
    )


def is_name(token: "Token") -> bool:
    return token.pos_ == "PROPN" or token.ent_type_ in NAMED


def is_joined(token: "Token") -> bool:
    """Whether a hyphen, a slash or a quotation mark stands right beside the word."""
    doc = token.doc
    beside = [doc[n] for n in (token.i - 1, token.i + 1) if 0 <= n < len(doc)]
    return any(it.text in ("-", "–", "/", "'", '"', "“", "”", "``", "''", "&", "+") for it in beside)


def is_negated(token: "Token") -> bool:
    """Whether the word, the verb that it hangs on, or who does it ("nobody", "no writer") is negated or in doubt."""
    governor = token
    while governor.pos_ not in ("VERB", "AUX") and governor.head.i != governor.i:
        governor = governor.head
    of_subjects = [it for child in governor.lefts if child.dep_ in SUBJECTS for it in child.lefts]
    around = (*token.children, *governor.children, *of_subjects)
    return any(it.dep_ == "neg" or is_negation(it.lower_) or it.lower_ in CONDITIONS for it in around)


def before(token: "Token") -> Span:
    return Span(token.idx, token.idx)


def capital(phrase: str) -> str:
    return phrase[0].upper() + phrase[1:]


PURPOSE = "subjective"
QUALIFYING = ("adjective", "intensifier")  # what stands behind an article


def rules(
    sentences: Sequence[str],
    protected: Sequence[Sequence[Span]],
    seed: int,
    attempts: int,
    *,
    spacy_model: str = DEFAULT_MODEL,
) -> list[list[Proposal]]:
    """Up to so many proposals for each sentence, each of one change, of different kinds as far as there are any."""
    phrases = load_phrases()
    docs = reader_of(spacy_model).described_trees(sentences)
    return [propose(doc, spans, seed, attempts, phrases) for doc, spans in zip(docs, protected, strict=True)]


def propose(doc: "Doc", protected: Sequence[Span], seed: int, attempts: int, phrases: Phrases) -> list[Proposal]:
    """Every place in turn with its first phrase, then with its second, and so on; no phrase twice."""
    if not doc:
        return []
    slots = list(in_turns(find_slots(doc, protected, phrases), doc.text, seed))
    lots = [by_lot(slot.phrases, f"{doc.text}/{slot.span.start}", seed) for slot in slots]
    found: dict[str, Proposal] = {}
    for turn in zip_longest(*lots):
        for slot, phrase in zip(slots, turn, strict=True):
            if phrase and len(found) < attempts:
                edits = as_edits(slot, phrase, doc.text)
                # Somebody may be called An.
                if not any(overlap(it.span, name) for it in edits if it.span != slot.lowered for name in protected):
                    found.setdefault(phrase.lower(), edits)
    return list(found.values())


def in_turns(slots: Sequence[Slot], text: str, seed: int) -> Iterator[Slot]:
    """The slots of a sentence, a kind after the other: kinds in the order of their lots, and so those of one kind.

    What says least comes last.
    """
    kinds = by_lot(tuple(dict.fromkeys(slot.kind for slot in slots)), text, seed)
    places = [
        sorted((it for it in slots if it.kind == kind), key=lambda it: draw_key(seed, PURPOSE, f"{text}/{it.span}"))
        for kind in kinds
    ]
    turns = [slot for turn in zip_longest(*places) for slot in turn if slot is not None]
    yield from sorted(turns, key=lambda slot: slot.kind == REMARK)


def by_lot(choices: Sequence[str], key: str, seed: int) -> list[str]:
    return sorted(choices, key=lambda it: draw_key(seed, PURPOSE, f"{key}/{it}"))


def as_edits(slot: Slot, phrase: str, text: str) -> Proposal:
    """The edits that put a phrase into its place, an article before it and a capital behind it among them."""
    edits = [Edit(slot.span, slot.form.format(phrase))]
    if slot.kind in QUALIFYING:
        edits = with_articles(text, edits)
    if slot.lowered:
        edits.append(Edit(slot.lowered, text[slot.lowered.start : slot.lowered.end].lower()))
    return [SubjectiveEdit(edit.span, edit.new, phrase.lower(), slot.kind) for edit in edits]
