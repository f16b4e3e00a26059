"""The personal names of a document: which tokens they are, and what stands in their places.

Which words are names, the column of named entities says. A name that it misses elsewhere in the document is found by
its word where it is tagged as one. a-CDA replaces every name by a placeholder, the same for the same word; n-CDA
exchanges first names by their partners, and leaves surnames (Xie et al. 2023, 5).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.conll import Document, Mention, named_entities
from pipeline.counterfactuals.lexicon import gendered_lexicon
from pipeline.extraction.gender import cased
from pipeline.extraction.lexicon import name_lexicon

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
