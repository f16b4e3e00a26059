"""The occupations of WinoBias with the share of women who have them (Zhao et al. 2018, Table 1)."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import InputError, one_line
from pipeline.files import read_text
from pipeline.records import Gender
from pipeline.resources import resource

OCCUPATIONS = resource("winobias/occupations.toml")
NAME = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
WANTED = "wanted a table [women] with lines such as carpenter = 2"


@dataclass(frozen=True, slots=True)
class Occupation:
    """What somebody is called, without an article, and how many of a hundred who are called so are women."""

    name: str
    women: int

    @property
    def stereotype(self) -> Gender:
        return "feminine" if self.women > 50 else "masculine"


def read_occupations(path: Path = OCCUPATIONS) -> list[Occupation]:
    """The occupations in the order of the file; InputError unless as many are of one stereotype as of the other."""
    tables = read_toml(path, WANTED)
    table = tables.get("women")
    if not isinstance(table, dict) or len(tables) > 1:
        raise InputError(f"{path}: {'not only' if isinstance(table, dict) else 'no'} [women]; {WANTED}")
    found = [occupation_of(name, women, path) for name, women in table.items()]
    names = [it.name.casefold() for it in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{path}: {twice[0]} is there twice; keep one of the two")
    counts = {it: sum(occupation.stereotype == it for occupation in found) for it in ("feminine", "masculine")}
    if len(set(counts.values())) > 1 or not found:
        told = " and ".join(f"{count} of stereotype {gender}" for gender, count in counts.items())
        raise InputError(f"{path}: {told}; every sentence needs one of each, so there must be as many of either")
    return found


def occupation_of(name: str, women: Any, path: Path) -> Occupation:
    if not isinstance(women, int) or isinstance(women, bool) or not 0 <= women <= 100 or women == 50:
        raise InputError(f"{path}: {name} = {women!r}; wanted the percentage of women, a whole number that is not 50")
    if not NAME.fullmatch(name) or name.lower().split()[0] in ("the", "a", "an"):
        raise InputError(f"{path}: {name!r} is no occupation; wanted words, such as 'construction worker'")
    return Occupation(name, women)


def read_toml(path: Path, wanted: str) -> dict[str, Any]:
    """A TOML file; InputError says what is wanted where it is none."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not TOML ({one_line(error)}); {wanted}") from error
