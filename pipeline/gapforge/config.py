"""One TOML file describes one run; each section becomes the settings of one stage.

Defaults live in the settings dataclasses, so a config states only what differs. A
misspelt key is an error with a hint: a setting that is silently ignored would make a
release that nobody asked for.
"""

import dataclasses
import datetime
import difflib
import tomllib
import types
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from gapforge.errors import ConfigError

Settings = TypeVar("Settings")

KINDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


@cache
def read_config(path: str) -> dict[str, Any]:
    """The TOML file as a dict, read once per process: an edit in the middle of a run belongs to the next one."""
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start}: not UTF-8; save the file as UTF-8") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; name an existing config file") from error


def section_of(path: str, section: str) -> dict[str, Any]:
    """The table `[section]` as it stands; dots lead inwards, an absent one is empty."""
    values: Any = read_config(path)
    for name in section.split("."):
        values = values.get(name, {})
        if not isinstance(values, dict):
            raise ConfigError(f"{path}: [{section}] must be a table; write [{section}] and its settings below it")
    return dict(values)


def load_settings(path: str, section: str, settings: type[Settings]) -> Settings:
    """The settings of `[section]`; keys left out keep their defaults."""
    converted: Settings = convert(section_of(path, section), settings, f"{path}: [{section}]")
    return converted


def check_sections(path: str, known: Iterable[str]) -> None:
    """Refuse a section that no stage reads."""
    known = sorted(known)
    for section in read_config(path):
        if section not in known:
            raise ConfigError(f"{path}: no stage reads [{section}]{hint(section, known)}")


def convert(value: Any, wanted: Any, place: str) -> Any:
    """`value` as the type `wanted`; anything else is a ConfigError that begins with the place."""
    if isinstance(wanted, type) and dataclasses.is_dataclass(wanted):
        if not isinstance(value, dict):
            raise ConfigError(f"{place} must be a table, found {value!r}")
        hints = get_type_hints(wanted)
        known = [field.name for field in dataclasses.fields(wanted)]
        for key in value:
            if key not in known:
                raise ConfigError(f"{place} has no setting {key!r}{hint(key, known)}")
        settings = {key: convert(item, hints[key], f"{place} {key}") for key, item in value.items()}
        try:
            return wanted(**settings)
        except ValueError as error:  # Settings check themselves when they are made.
            raise ConfigError(f"{place} {error}") from error
    if get_origin(wanted) is types.UnionType:  # `| None`: a setting that may be left out
        (wanted,) = set(get_args(wanted)) - {type(None)}
        return convert(value, wanted, place)
    if get_origin(wanted) is list:
        if not isinstance(value, list):
            raise ConfigError(f"{place} must be a list, found {value!r}")
        (kind,) = get_args(wanted)
        return [convert(item, kind, f"{place} item {n}") for n, item in enumerate(value, 1)]
    if get_origin(wanted) is dict:
        if not isinstance(value, dict):
            raise ConfigError(f"{place} must be a table, found {value!r}")
        return {key: convert(item, get_args(wanted)[1], f"{place} {key}") for key, item in value.items()}
    if get_origin(wanted) is Literal:
        if value not in get_args(wanted):
            raise ConfigError(f"{place} is {value!r}{hint(str(value), map(str, get_args(wanted)))}")
        return value
    if wanted is float and type(value) is int:
        return float(value)
    if wanted is str and isinstance(value, (datetime.date, datetime.time)):
        raise ConfigError(f"{place} must be a string; put {value} in quotation marks")
    if type(value) is not wanted:
        raise ConfigError(f"{place} must be {KINDS[wanted]}, found {value!r}")
    return value


def hint(word: str, choices: Iterable[str]) -> str:
    """What to say after naming a word that is not among the choices."""
    choices = list(choices)
    near = difflib.get_close_matches(word, choices, 1, 0.6)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; choose from {', '.join(choices)}" if choices else ""
