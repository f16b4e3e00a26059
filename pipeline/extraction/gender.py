"""The gender of first names, by gender-guesser asked without a country.

That is how Counter-GAP decided (section 2.1); it gives 3,209 of the 3,214 published
decisions. `mostly_male` and `mostly_female` count, names given to both do not.
"""

import unicodedata
from functools import cache, lru_cache

from gender_guesser.detector import Detector

from pipeline.records import Gender

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
