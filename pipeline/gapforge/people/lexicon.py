"""Word lists about names (`resources/lexicons/names.toml`), as sets for quick look-up.

The gender of first names, by gender-guesser asked without a country.

That is how Counter-GAP decided (section 2.1); it gives 3,209 of the 3,214 published
decisions. `mostly_male` and `mostly_female` count, names given to both do not.
"""

import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from gender_guesser.detector import Detector

from gapforge.records import Gender
from gapforge.resources import resource


@dataclass(frozen=True, slots=True)
class NameLexicon:
    """Words as they stand within a sentence; `titles` gives the gender, or None where a title says nothing of it."""

    titles: dict[str, Gender | None]
    personal: frozenset[str]
    traditional: frozenset[str]
    abbreviations: frozenset[str]
    particles: frozenset[str]
    capital_particles: frozenset[str]
    of_titles: frozenset[str]
    function: frozenset[str]
    never: frozenset[str]  # titles and words of grammar included
    double: frozenset[str]
    openers: frozenset[str]
    places: frozenset[str]
    heads: frozenset[str]
    strong_heads: frozenset[str]
    surnames: frozenset[str]
    pasts: frozenset[str]
    verbs: frozenset[str]
    before_people: frozenset[str]
    subordinators: frozenset[str]
    prepositions: frozenset[str]
    kinds: frozenset[str]
    kinds_and_surnames: frozenset[str]
    nicknames: dict[str, frozenset[str]]  # a name: others of the same person


@cache
def name_lexicon() -> NameLexicon:
    lists: dict[str, Any] = tomllib.loads(resource("lexicons/names.toml").read_text("utf-8"))
    by_gender = lists.pop("titles")
    groups = [frozenset(line.split()) for line in lists.pop("nicknames").strip().splitlines()]
    nicknames: dict[str, frozenset[str]] = {}
    for group in groups:
        for name in group:
            nicknames[name] = nicknames.get(name, frozenset()) | group - {name}
    titles: dict[str, Gender | None] = dict.fromkeys(by_gender["neutral"].split())
    titles |= dict.fromkeys(by_gender["traditional"].split(), "masculine")
    titles |= dict.fromkeys(by_gender["masculine"].split(), "masculine")
    titles |= dict.fromkeys(by_gender["feminine"].split(), "feminine")
    sets = {name: frozenset(words.split()) for name, words in lists.items()}
    sets["never"] = (sets["never"] | sets["function"] | titles.keys()) - sets["double"]
    sets |= {name: frozenset(by_gender[name].split()) for name in ("personal", "traditional")}
    return NameLexicon(titles=titles, nicknames=nicknames, **sets)


GENDERS: dict[str, Gender] = {
    "male": "masculine",
    "mostly_male": "masculine",
    "female": "feminine",
    "mostly_female": "feminine",
}


MEMORY = 100_000  # words looked up that are kept; a dump has millions


@cache
def detector() -> Detector:
    return Detector()


@lru_cache(MEMORY)
def guessed(word: str) -> str:
    """What gender-guesser says; SALLIE is as good as Sallie, and Élodie as Elodie, which is what it knows."""
    answer = str(detector().get_gender(cased(word)))
    return answer if answer != "unknown" else str(detector().get_gender(plain(cased(word))))


def is_first_name(word: str) -> bool:
    """Whether the word is on the list at all, for whatever gender."""
    return guessed(word) != "unknown"


def first_name_gender(word: str) -> Gender | None:
    return GENDERS.get(guessed(word))


def is_mostly(word: str) -> bool:
    """Whether a name is given to the other gender as well, though less often: Jean, Leslie, Kay."""
    return guessed(word).startswith("mostly")


@lru_cache(MEMORY)
def is_english(word: str) -> bool:
    """Whether a name is given in Great Britain, Ireland or the USA, the first three columns of the list."""
    return any(values[:3].strip() for values in detector().names.get(cased(word), {}).values())


def cased(word: str) -> str:
    """A word as it would stand in running text: O'Hara for O'HARA."""
    return word.title() if word.isupper() and len(word) > 1 else word


def plain(word: str) -> str:
    return "".join(it for it in unicodedata.normalize("NFD", word) if not unicodedata.combining(it))
