"""What is wrong with the hooks that a config or a command line names, found before hours of work.

No stage imports it: whether torch is installed changes nothing that is made without it.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from gapforge.errors import ConfigError
from gapforge.nlp.neural import optional, place_of
from gapforge.plugins import fitted_options
from gapforge.subjectivity.hooks import (
    HOOKS,
    NEURAL,
    NONE,
    Role,
    SubjectivitySettings,
    default_model,
    find_hook,
    thresholds_of,
)


def check_subjectivity(settings: SubjectivitySettings, config: str = "") -> None:
    """Find what is wrong with the hooks before hours of work; `config` is the file that named them, if one did."""
    if settings.transfer == NONE:
        return
    try:
        for role in settings.roles():
            check_hook(role, getattr(settings, role), settings.options_for(role, {}))
        thresholds_of(settings)
        if settings.similar and not settings.similarity:
            raise ConfigError("[subjectivity] similar is of no hook; name a similarity, or leave it out")
        strange = [key for key in settings.options if key.partition(".")[0] not in settings.roles()]
        if strange:
            raise ConfigError(f"[subjectivity] option {strange[0]!r} is of no hook that is named; leave it out")
    except ConfigError as error:
        raise ConfigError(f"{config}: {error}" if config else str(error)) from error


def check_hook(role: Role, name: str, options: Mapping[str, Any]) -> None:
    """ConfigError where there is no such hook, it does not take an option, or what it needs is not installed."""
    fitted_options(name, find_hook(role, name), options)
    if name in HOOKS[role] and name in NEURAL:
        for module in ("torch", "transformers"):
            optional(module)
        model = options.get("model") or default_model(role, name)
        if not model:
            raise ConfigError(
                f'[subjectivity] {role} {name!r} needs a model; name it by options = {{ "{role}.model" = "…" }}, or by '
                f"--option {role}.model=…"
            )
        with ExitStack() as stack:
            place_of(model, stack)
