"""Gendered words with their partners (`resources/lexicons/gendered.toml`), as tables for quick look-up."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from gapforge.records import Gender
from gapforge.resources import resource

Section = Literal["noun", "title", "adjective", "adverb", "address"]
SECTIONS: tuple[Section, ...] = ("noun", "title", "adjective", "adverb", "address")

HISSING = re.compile(r"(?:s|x|z|ch|sh)$")
CONSONANT_Y = re.compile(r"(?<=[^aeiou])y$")


@dataclass(frozen=True, slots=True)
class Entry:
    """A pair as it stands in the lexicon, with plurals (empty where none is exchanged); the sign is =, > or <."""

    section: Section
    masculine: str
    masculine_plural: str
    sign: str
    feminine: str
    feminine_plural: str

    @property
    def pairs(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Singulars and plurals, masculine first."""
        return (self.masculine, self.feminine), (self.masculine_plural, self.feminine_plural)


@dataclass(frozen=True, slots=True)
class GenderedLexicon:
    """Words in small letters, with a straight apostrophe."""

    entries: tuple[Entry, ...]
    partners: dict[Section, dict[str, str]]
    genders: dict[str, Gender]  # every word, exchanged or not
    also: dict[str, frozenset[str]]  # word: parts of speech in which it is something else
    kept: dict[str, tuple[tuple[str, ...], ...]]  # first word of a phrase: phrases in which nothing is exchanged
    capital_kept: frozenset[str]
    mutual: frozenset[tuple[Section, str, str]]  # pairs that are exchanged both ways, each way round

    def partner(self, word: str, *sections: Section) -> str | None:
        return next((self.partners[it][word] for it in sections if word in self.partners[it]), None)


@cache
def gendered_lexicon() -> GenderedLexicon:
    lists: dict[str, str] = tomllib.loads(resource("lexicons/gendered.toml").read_text("utf-8"))
    entries = tuple(entry for section in SECTIONS for entry in read_entries(section, lists[section]))
    partners: dict[Section, dict[str, str]] = {section: {} for section in SECTIONS}
    genders: dict[str, Gender] = {}
    for entry in entries:
        table = partners[entry.section]
        for masculine, feminine in entry.pairs:
            genders |= {masculine: "masculine", feminine: "feminine"}
            if masculine and feminine and entry.sign != "<":
                table.setdefault(masculine, feminine)
            if masculine and feminine and entry.sign != ">":
                table.setdefault(feminine, masculine)
    genders.pop("", None)
    phrases: dict[str, tuple[tuple[str, ...], ...]] = {}
    for line in lists["kept"].strip().splitlines():
        words = tuple(word.rstrip("'") for word in line.replace("-", " ").split())
        phrases[words[0]] = (*phrases.get(words[0], ()), words)
    also = {word: frozenset(parts) for word, *parts in map(str.split, lists["also"].strip().splitlines())}
    both = [entry for entry in entries if entry.sign == "="]
    pairs = [(it.section, *pair) for it in both for pair in it.pairs]
    mutual = frozenset(pairs) | {(section, feminine, masculine) for section, masculine, feminine in pairs}
    capital_kept = frozenset(lists["capital_kept"].split())
    return GenderedLexicon(entries, partners, genders, also, phrases, capital_kept, mutual)


def read_entries(section: Section, lines: str) -> Iterator[Entry]:
    for line in lines.strip().splitlines():
        masculine, sign, feminine = line.split()
        forms = [*inflect(masculine, section), *inflect(feminine, section)]
        yield Entry(section, forms[0], forms[1], sign, forms[2], forms[3])


def inflect(word: str, section: Section) -> tuple[str, str]:
    """A word of the list and its plural, which is regular where none is given after the slash."""
    singular, _, plural = word.partition("/")
    if section not in ("noun", "address") or plural == "-":
        return singular, ""
    return singular, plural or plural_of(singular)


def plural_of(noun: str) -> str:
    if CONSONANT_Y.search(noun):
        return noun[:-1] + "ies"
    return noun + ("es" if HISSING.search(noun) else "s")
