"""Word lists about names (`resources/lexicons/names.toml`), as sets for quick look-up."""

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from pipeline.records import Gender
from pipeline.resources import resource


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
