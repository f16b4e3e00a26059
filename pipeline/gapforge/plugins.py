"""Find a reader, hook or resolver by name.

A registry is a dictionary of lazy targets, so that naming a plug-in costs nothing and
only the one in use is imported.
"""

import inspect
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NewType, get_args, get_type_hints

from gapforge.config import hint
from gapforge.errors import ConfigError, InputError, one_line

# An option or setting of this type names a model: its version, or a hash of its files, is in the fingerprint.
ModelName = NewType("ModelName", str)


def load_plugin(name: str, builtin: Mapping[str, str]) -> Callable[..., Any]:
    """Return the callable for a built-in name, or for a path like "my_package.hooks:irony"."""
    target = builtin.get(name, name)
    if ":" not in target:
        raise ConfigError(f"unknown plug-in {name!r}, and no 'package.module:function'{hint(name, sorted(builtin))}")
    try:
        found = pkgutil.resolve_name(target)
    except Exception as error:  # Importing a user's module runs it.
        raise ConfigError(f"cannot load {name!r}: {one_line(error)}; install the package, or mend it") from error
    if not callable(found):
        raise ConfigError(f"cannot use {name!r}: it is a {type(found).__name__}, not a function")
    plugin: Callable[..., Any] = found
    return plugin


def target_of(name: str, builtin: Mapping[str, str]) -> str:
    """Where a plug-in is defined, as "module:function"."""
    return builtin.get(name, name)


def named_models(name: str, plugin: Callable[..., Any]) -> dict[str, str]:
    """The options that are annotated as names of models, each with its default."""
    hints = get_type_hints(plugin) if inspect.isfunction(plugin) else {}
    parameters = parameters_of(name, plugin)
    return {
        key: it.default for key, it in parameters.items() if hints.get(key) is ModelName and isinstance(it.default, str)
    }


def call_plugin(
    name: str,
    role: str,
    plugin: Callable[..., Any],
    asked: Sequence[Any],
    units: tuple[str, str],
    /,  # an option may have any of these names
    *more: Any,
    **options: Any,
) -> list[Any]:
    """What a plug-in says of each of a batch, in order; ConfigError where it fails, or does not answer for each.

    `units` are what it gives and is given, such as labels and questions.
    """
    try:
        found = list(plugin(list(asked), *more, **options))
    except (ConfigError, InputError):
        raise
    except Exception as error:  # Whatever a user's function raises.
        raise ConfigError(f"{name}: {type(error).__name__}: {one_line(error)}; mend the {role}") from error
    if len(found) != len(asked):
        given, wanted = units
        raise ConfigError(f"{name}: {len(found)} {given} for {len(asked)} {wanted}; a {role} gives one for each")
    return found


def parameters_of(name: str, plugin: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(plugin).parameters
    except (TypeError, ValueError) as error:  # Some of what can be called does not say with what.
        raise ConfigError(f"{name}: {one_line(error)}; name a function over a batch") from error


def declared_options(name: str, plugin: Callable[..., Any]) -> set[str]:
    """The options that a plug-in declares: its keyword-only parameters."""
    return {key for key, it in parameters_of(name, plugin).items() if it.kind is it.KEYWORD_ONLY}


def fitted_options(name: str, plugin: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the plug-in declares them, text become numbers; ConfigError where it does not take one."""
    parameters = parameters_of(name, plugin)
    known = [key for key, it in parameters.items() if it.kind is it.KEYWORD_ONLY]
    takes_any = any(it.kind is it.VAR_KEYWORD for it in parameters.values())
    strange = [key for key in given if key not in known]
    if strange and not takes_any:
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        raise ConfigError(f"{name}: unknown option {strange[0]!r}; {takes}")
    try:
        hints = get_type_hints(plugin)
    except Exception:  # Whatever names a user's annotations have; text stays text then.
        hints = {}
    defaults = {key: type(it.default) for key, it in parameters.items()}
    wanted = {key: plain_type(hints.get(key), defaults.get(key)) for key in given}
    return {key: converted(name, key, value, wanted[key]) for key, value in given.items()}


def plain_type(hint: Any, default: type | None) -> Any:
    """What an option is to be: as annotated, `| None` aside, or else as its default is."""
    choices = [it for it in get_args(hint) if it is not type(None)] or [hint]
    return default if hint is None else choices[0] if len(choices) == 1 else hint


def converted(name: str, key: str, value: Any, wanted: Any) -> Any:
    """An option given as text, as the number or truth value that it is to be."""
    if not isinstance(value, str) or wanted not in (int, float, bool):
        return value
    try:
        return {"true": True, "false": False}[value.lower()] if wanted is bool else wanted(value)
    except (ValueError, KeyError) as error:
        kinds = {int: "a whole number", float: "a number", bool: "true or false"}
        raise ConfigError(f"{name}: option {key} is {value!r}; wanted {kinds[wanted]}") from error
