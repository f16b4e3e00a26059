"""The personal names of a document: which tokens they are, and what stands in their places.

Which words are names, the column of named entities says. A name that it misses elsewhere in the document is found by
its word where it is tagged as one. a-CDA replaces every name by a placeholder, the same for the same word; n-CDA
exchanges first names by their partners, and leaves surnames (Xie et al. 2023, 5).

Gendered words in CoNLL columns, exchanged by the tags that the file has (Zhao et al. 2018, 3.1).

The rules are those of running text (`counterfactuals.words`). What they ask of a parse, the column of tags answers, so
that a million tokens take seconds; sentences without tags are read by the spaCy model.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from gapforge.counterfactuals.lexicon import gendered_lexicon
from gapforge.counterfactuals.pronouns import exchange_pronoun
from gapforge.counterfactuals.words import (
    CURLY,
    exchange_in_sentence,
    exchanged_by,
    may_be_gendered,
    uses_in,
    with_articles,
    with_ending,
)
from gapforge.edits import Edit, Rewriting
from gapforge.nlp.reading import plain_english
from gapforge.people.lexicon import MEMORY, cased, name_lexicon
from gapforge.records import Span
from gapforge.storage.conll import Document, Mention, named_entities

if TYPE_CHECKING:
    from spacy.tokens import Token

PERSON = frozenset(("PERSON", "PER"))
THINGS = frozenset(("ORG", "GPE", "LOC", "FAC", "FACILITY", "PRODUCT", "WORK_OF_ART", "EVENT", "LAW"))
PROPER = frozenset(("NNP", "NNPS"))
ENDINGS = frozenset(("jr", "sr", "ii", "iii", "iv", "v", "vi", "vii", "viii", "esq"))
# What a surname of several words begins with.
PARTICLES = frozenset("van von de del della der den di da dos du la le el al abu ben bin ibn st.".split())  # noqa: SIM905
# Titles with which somebody goes by the first name; with others it is the surname.
REIGNING = frozenset(("king", "queen", "prince", "princess", "emperor", "empress", "sultan", "tsar", "emir", "pope"))
REIGNING |= {"saint", "st", "sir", "dame", "aunt", "uncle", "sister", "brother", "cousin", "grandma", "grandpa"}


@dataclass(frozen=True, slots=True)
class NameToken:
    """A token of somebody's name; `first` where it is a given name rather than a surname."""

    word: str
    first: bool


@dataclass(frozen=True, slots=True)
class Names:
    """The tokens that are personal names, and those that are of names of things, in which no word is gendered."""

    people: dict[int, NameToken]
    things: set[int]


@dataclass(slots=True)
class Placeholders:
    """E1, E2 … for the words of names in the order in which a document has them."""

    given: dict[str, str] = field(default_factory=dict)

    def of(self, word: str) -> str:
        return self.given.setdefault(word.casefold(), f"E{len(self.given) + 1}")


def read_names(document: Document, surnames: set[str]) -> Names:
    """The names in a document; surnames met so far are known, in small letters, and new ones are added."""
    words, tags = document.words, document.tags
    entities = named_entities(document)
    people = [bare(mention, words) for mention, kind in entities if kind in PERSON]
    inside = {token for it in people for token in range(it.start, it.end)}
    # A word before a mention that is somebody's name itself is no title of the next: "… Larry King. King …"
    mentions = {it: words[it.start - 1] if it.start and it.start - 1 not in inside else "" for it in people}
    surnames |= {words[it.end - 1].casefold() for it, title in mentions.items() if ends_with_surname(it, title)}
    found: dict[int, NameToken] = {}
    for it, title in mentions.items():
        found |= parts_of(it, words, title, surnames)
    known = {it.word: it for it in found.values()}
    within = {token for mention, _ in entities for token in range(mention.start, mention.end)}
    for token, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if token not in within and tag in PROPER and word in known and not is_title(word):
            found[token] = known[word]
    things = {token for it, kind in entities if kind in THINGS for token in range(it.start, it.end)}
    return Names(dict(sorted(found.items())), things)


def bare(mention: Mention, words: Sequence[str]) -> Mention:
    """A mention without titles before the name, and without endings and marks behind it; one word alone is a name."""
    start, end = mention
    small = not any(is_written_large(word) for word in words[start:end])
    while start < end - 1 and is_title(words[start]):
        start += 1
    while end > start and not is_name_word(words[end - 1], small):
        end -= 1
    return Mention(start, end)


def is_title(word: str) -> bool:
    plain = word.rstrip(".")
    return plain in name_lexicon().titles or gendered_lexicon().partner(plain.lower(), "title") is not None


def is_written_large(word: str) -> bool:
    return any(map(str.isupper, word))


def is_name_word(word: str, small: bool) -> bool:
    """Whether a token within a mention is a word of the name: it has a capital, and is no Mr., Jr. or III.

    In a mention that is written small throughout, every word is one but particles.
    """
    plain = word.rstrip(".")
    if plain.lower() in ENDINGS or (plain != word and is_title(word)):
        return False
    return is_written_large(word) or (small and word.isalpha() and word not in name_lexicon().particles)


def ends_with_surname(mention: Mention, title: str) -> bool:
    """Whether somebody is called by first name and surname, or by a title and the surname."""
    return (
        mention.end > mention.start and not is_reigning(title) and (mention.end - mention.start > 1 or is_title(title))
    )


def is_reigning(title: str) -> bool:
    return title.rstrip(".").lower() in REIGNING


def parts_of(mention: Mention, words: Sequence[str], title: str, surnames: set[str]) -> Iterator[tuple[int, NameToken]]:
    """The words of one mention: the last of several is the surname, and one alone is what it is elsewhere."""
    small = not any(is_written_large(word) for word in words[mention.start : mention.end])
    last = mention.end - 1
    # Behind the first word a particle begins the surname: Jean-Claude Van Damme.
    surname = next((n for n in range(mention.start + 1, mention.end) if words[n].lower() in PARTICLES), last)
    for token in range(mention.start, mention.end):
        word = words[token]
        if is_name_word(word, small):
            alone = mention.start == last and word.casefold() not in surnames
            yield token, NameToken(word, token < surname or alone or is_reigning(title))


def anonymised(names: Mapping[int, NameToken], placeholders: Placeholders) -> dict[int, str]:
    """A placeholder for each token of a name."""
    return {token: placeholders.of(it.word) for token, it in names.items()}


def exchanged(names: Mapping[int, NameToken], partners: Mapping[str, str]) -> dict[int, str]:
    """The partner of each first name that has one, in its case."""
    found = {}
    for token, it in names.items():
        small = it.word.islower()
        partner = partners.get(it.word.title() if small else cased(it.word)) if it.first else None
        # A name of two words would be a token with a blank.
        if partner and " " not in partner:
            loud = it.word.isupper() and len(it.word) > 1
            found[token] = partner.lower() if small else partner.upper() if loud else partner
    return found


# How the Penn Treebank and OntoNotes write marks, and what a reader would see.
MARKS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": "“", "''": "”"}
MARKS |= {"/.": ".", "/?": "?", "/-": "-"}
CLOSING = frozenset(".,:;?!%)]}”…")
OPENING = frozenset("([{“$#")
BY_TAG = {("her", "PRP$"): "his", ("her", "PRP"): "him", ("his", "PRP"): "hers"}
NO_TAGS = frozenset(("", "-", "_", "*", "XX"))


class TaggedSentence:
    """The tokens of a sentence as the rules ask for them, with the tags of a file and nothing of a model."""

    def __init__(self, words: list[str], tags: list[str], spaces: list[bool], starts: list[int]) -> None:
        from spacy.tokens import Doc

        # XX is what OntoNotes tags a word that nobody could; most are nouns.
        known = ["NN" if tag == "XX" else tag for tag in tags]
        self.doc: Doc = Doc(plain_english().vocab, words=words, tags=known, spaces=spaces)
        self.starts = starts

    def token_at(self, start: int) -> "Token":
        return self.doc[bisect_right(self.starts, start) - 1]

    def exchange(self, pronoun: str, start: int) -> str:
        """By the tag where it tells; whether *his* stands alone is told by what follows."""
        token = self.token_at(start)
        return BY_TAG.get((pronoun, token.tag_)) or exchange_pronoun(pronoun, token)


@dataclass(frozen=True, slots=True)
class TaggedWords:
    """The tokens of a sentence in a file; those that are `protected` are parts of names, where no word is gendered."""

    words: list[str]
    tags: list[str]
    protected: Collection[int]


class Text:
    """Tokens as running text, with where each begins."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.read = [MARKS.get(word, word) for word in words]
        following = [*self.read[1:], "."]
        self.spaces = [not is_attached(*pair) for pair in zip(self.read, following, strict=True)]
        self.starts, self.text = [], ""
        for word, space in zip(self.read, self.spaces, strict=True):
            self.starts.append(len(self.text))
            self.text += word + " " * space

    def token_at(self, start: int) -> int:
        return bisect_right(self.starts, start) - 1

    def token_changed_by(self, edit: Edit) -> int:
        """The token that an edit is about; an apostrophe is changed for the sake of the word before it."""
        is_ending = edit.span.end - edit.span.start == 1 and self.text[edit.span.start] in "'’"
        return self.token_at(edit.span.start - is_ending)

    def name_edits(self, names: Mapping[int, str]) -> list[Edit]:
        """Names in the places of tokens, and the possessive endings that they need."""
        spans = {token: Span(self.starts[token], self.starts[token] + len(self.read[token])) for token in names}
        return [edit for token, new in names.items() for edit in with_ending(self.text, Edit(spans[token], new))]

    def applied(self, edits: Sequence[Edit]) -> list[str]:
        """The tokens with the edits in each; of one that reaches over the end of a token, the next stays whole.

        What a and an have to be follows.
        """
        curly = any(map(CURLY.search, self.words))
        by_token: dict[int, list[Edit]] = {}
        for edit in with_articles(self.text, sorted(edits, key=lambda it: it.span.start)):
            token = self.token_at(edit.span.start)
            start, length = self.starts[token], len(self.read[token])
            span = Span(edit.span.start - start, min(edit.span.end - start, length))
            # Marks of the treebank are read as curly ones, which is no reason to write such an apostrophe.
            by_token.setdefault(token, []).append(Edit(span, edit.new if curly else edit.new.replace("’", "'")))
        return [
            Rewriting(word, by_token[token]).text if token in by_token and self.read[token] == word else word
            for token, word in enumerate(self.words)
        ]


def exchange_in_columns(sentence: TaggedWords, names: Mapping[int, str], wedding: bool, model: str) -> list[str]:
    """The words of a sentence with every gendered one exchanged, and `names` put in by the numbers of their tokens."""
    if not any(is_suspect(word) for word in sentence.words):
        return put_in(sentence.words, names)
    text = Text(sentence.words)
    if all(tag in NO_TAGS for tag in sentence.tags):
        found = exchange_in_sentence(text.text, wedding, model)
    else:
        parse = partial(TaggedSentence, text.read, sentence.tags, text.spaces, text.starts)
        found = exchanged_by(parse, text.text, wedding)
    edits = [it for it in found if text.token_changed_by(it) not in sentence.protected]
    return text.applied([*edits, *text.name_edits(names)])


def put_in(words: list[str], names: Mapping[int, str]) -> list[str]:
    """The words with names in the places of tokens."""
    if not names:
        return words
    text = Text(words)
    return text.applied(text.name_edits(names))


def is_attached(left: str, right: str) -> bool:
    """Whether no blank stands between two tokens in running text: John 's, do n't, an end of the sentence."""
    return right[0] in CLOSING or right.lower() == "n't" or right[0] in "'’" or left[-1] in OPENING


@lru_cache(MEMORY)
def is_suspect(word: str) -> bool:
    """Whether a token may be gendered, whatever stands around it."""
    return any(may_be_gendered(use) for use in uses_in(word))
