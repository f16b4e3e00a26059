"""Find a reader, hook or resolver by name.

A registry is a dictionary of lazy targets, so that naming a plug-in costs nothing and
only the one in use is imported.
"""

import pkgutil
from collections.abc import Callable, Mapping
from typing import Any

from pipeline.config import hint
from pipeline.errors import ConfigError


def load_plugin(name: str, builtin: Mapping[str, str]) -> Callable[..., Any]:
    """Return the callable for a built-in name, or for a path like "my_package.hooks:irony"."""
    target = builtin.get(name, name)
    if ":" not in target:
        raise ConfigError(f"unknown plug-in {name!r}{hint(name, sorted(builtin))}, or write 'package.module:function'")
    found: Callable[..., Any] = pkgutil.resolve_name(target)
    return found
