"""Find a reader, hook or resolver by name.

A registry is a dictionary of lazy targets, so that naming a plug-in costs nothing and
only the one in use is imported.
"""

import inspect
import pkgutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pipeline.config import hint
from pipeline.errors import ConfigError, one_line
from pipeline.files import sha256_of


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


def plugin_version(name: str, builtin: Mapping[str, str]) -> str:
    """What tells one state of a user's plug-in from another: the checksum of its source file; built-ins have none.

    Theirs is the version of the stage that uses them.
    """
    if name in builtin:
        return ""
    try:
        source = inspect.getsourcefile(inspect.unwrap(load_plugin(name, builtin)))
    except TypeError:  # Not written in Python, or a partial of something.
        source = None
    return sha256_of(Path(source)) if source else ""
