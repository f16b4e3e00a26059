"""The gender of first names, by gender-guesser asked without a country.

That is how Counter-GAP decided (section 2.1); it gives 3,209 of the 3,214 published
decisions. `mostly_male` and `mostly_female` count, names given to both do not.
"""

from functools import cache

from gender_guesser.detector import Detector

from pipeline.records import Gender

GENDERS: dict[str, Gender] = {
    "male": "masculine",
    "mostly_male": "masculine",
    "female": "feminine",
    "mostly_female": "feminine",
}


@cache
def detector() -> Detector:
    return Detector()


@cache
def is_first_name(word: str) -> bool:
    """Whether the word is on the list at all, for whatever gender; SALLIE is as good as Sallie."""
    return bool(detector().get_gender(cased(word)) != "unknown")


@cache
def first_name_gender(word: str) -> Gender | None:
    return GENDERS.get(detector().get_gender(cased(word)))


@cache
def is_mostly(word: str) -> bool:
    """Whether a name is given to the other gender as well, though less often: Jean, Leslie, Kay."""
    return str(detector().get_gender(cased(word))).startswith("mostly")


@cache
def is_english(word: str) -> bool:
    """Whether a name is given in Great Britain, Ireland or the USA, the first three columns of the list."""
    return any(values[:3].strip() for values in detector().names.get(cased(word), {}).values())


def cased(word: str) -> str:
    return word.capitalize() if word.isupper() and len(word) > 1 else word
