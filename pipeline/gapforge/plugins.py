"""Find a reader, hook or resolver by name.

A registry is a dictionary of lazy targets, so that naming a plug-in costs nothing and
only the one in use is imported.

A plug-in of the user's own is looked for in installed packages first, then in the folder of the config that names it,
then in the working folder. Such a folder is added at the end of Python's search path, and only when a plug-in is found
in it: so a user's own `datasets.py` never hides an installed package.
"""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NewType, get_args, get_type_hints

from gapforge.config import hint
from gapforge.errors import ConfigError, InputError, one_line

# An option or setting of this type names a model: its version, or a hash of its files, is in the fingerprint.
ModelName = NewType("ModelName", str)

_named: list[str] = []  # the folders to search before the working folder
_added: list[str] = []  # the folders that were added to Python's search path


def search_in(*folders: Path | str) -> None:
    """Look for plug-ins in these folders too, before the working folder; they replace those of an earlier call."""
    _named[:] = [str(Path(folder).resolve()) for folder in folders]


def named_folders() -> tuple[str, ...]:
    """The folders of the last `search_in`, for workers that are to find the same plug-ins."""
    return tuple(_named)


def searched_folders() -> list[str]:
    """Where plug-ins are looked for after installed packages, in order."""
    return list(dict.fromkeys([*_named, str(Path.cwd())]))


def load_plugin(name: str, builtin: Mapping[str, str]) -> Callable[..., Any]:
    """Return the callable for a built-in name, or for a path like "my_package.hooks:irony"."""
    target = target_of(name, builtin)
    place = target if name in builtin else find_module(name)
    try:
        found = pkgutil.resolve_name(target)
    except Exception as error:  # Importing a user's module runs it.
        raise ConfigError(f"cannot load {name!r} from {place}: {one_line(error)}; {advice(name, place)}") from error
    if not callable(found):
        raise ConfigError(f"cannot use {name!r}: it is a {type(found).__name__}, not a function")
    plugin: Callable[..., Any] = found
    return plugin


def advice(name: str, place: str) -> str:
    """How to go on where a plug-in that was found in a place cannot be loaded."""
    module, _, function = name.partition(":")
    if str(Path(place).parent) not in searched_folders():
        return "fix it there; a module of your own has to have another name than an installed one"
    defined = vars(sys.modules[module]).items() if module in sys.modules else ()
    own = [key for key, value in defined if getattr(value, "__module__", "") == module]
    return f"fix that file, or the name{'' if function in own else hint(function, own)}"


def find_module(name: str) -> str:
    """Where the module or package of a plug-in is, which can be imported from now on; ConfigError if nowhere."""
    top = name.partition(":")[0].partition(".")[0]
    folders = searched_folders()
    forget([folder for folder in _added if folder not in folders])
    if not top.isidentifier():
        raise ConfigError(
            f"cannot load {name!r}: {top!r} is not a valid name of a module; write 'package.module:function'"
        )
    if top in sys.modules:
        return place_of(getattr(sys.modules[top], "__spec__", None))
    importlib.invalidate_caches()  # The file may be newer than what Python remembers of its folder.
    if spec := find_spec(top):
        return place_of(spec)
    for folder in folders:
        if spec := PathFinder.find_spec(top, [folder]):
            sys.path.append(folder)
            _added.append(folder)
            return place_of(spec)
    raise ConfigError(
        f"cannot load {name!r}: no module {top!r} is installed, and none is in {' or '.join(folders)}; "
        "install the package, or put the module into one of these folders"
    )


def place_of(spec: ModuleSpec | None) -> str:
    """The file of a module, or the folder of a package; empty for what is made of neither."""
    if spec is None:
        return ""
    folders = spec.submodule_search_locations
    return str(next(iter(folders), "")) if folders is not None else spec.origin or ""


def forget(folders: Sequence[str]) -> None:
    """Undo the import of plug-ins from these folders: another config may have other ones of the same name."""
    for folder in folders:
        _added.remove(folder)
        if folder in sys.path:
            sys.path.remove(folder)
    # Only what lies directly in a folder: a whole environment of packages may be somewhere below it.
    tops = {
        name
        for name, module in sys.modules.items()
        if "." not in name and str(Path(place_of(getattr(module, "__spec__", None))).parent) in folders
    }
    for name in [it for it in sys.modules if it.partition(".")[0] in tops]:
        del sys.modules[name]


def forget_all() -> None:
    """For a process that outlives a run: plug-ins are imported again, since they may have been edited."""
    forget(list(_added))


def target_of(name: str, builtin: Mapping[str, str]) -> str:
    """Where a plug-in is defined, as "module:function"; nothing is imported. ConfigError for an unknown name."""
    target = builtin.get(name, name)
    if ":" not in target:
        raise ConfigError(f"unknown plug-in {name!r}, and no 'package.module:function'{hint(name, sorted(builtin))}")
    return target


def named_models(name: str, plugin: Callable[..., Any]) -> dict[str, str]:
    """The options that are annotated as names of models, each with its default."""
    hints = hints_of(plugin)
    return {
        key: it.default
        for key, it in parameters_of(name, plugin).items()
        if hints.get(key, it.annotation) in (ModelName, ModelName.__name__) and isinstance(it.default, str)
    }


def hints_of(plugin: Callable[..., Any]) -> dict[str, Any]:
    """The types of its parameters; none where a user's annotations have names that are not there."""
    try:
        return get_type_hints(plugin)
    except Exception:  # Looking up a name runs whatever the user wrote.
        return {}


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
        raise ConfigError(f"{name}: {type(error).__name__}: {one_line(error)}; fix the {role}") from error
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
    hints = hints_of(plugin)  # Without them text stays text.
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
