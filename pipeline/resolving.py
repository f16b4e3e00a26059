"""Resolvers by name: who says of each instance whether the pronoun means A, B, neither or both.

A resolver is a function over a batch, `(list of Instance) -> list of Label`. The options that it takes are its
keyword-only parameters; others are refused. Baselines, neural resolvers and adapters are imported only
when they are named.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args, get_type_hints

from pipeline.errors import ConfigError, InputError, one_line
from pipeline.plugins import load_plugin, plugin_version
from pipeline.records import Instance, Label

RESOLVERS: Mapping[str, str] = {
    "random": "pipeline.evaluation.resolvers:random_choice",
    "token-distance": "pipeline.evaluation.resolvers:token_distance",
    "topical": "pipeline.evaluation.resolvers:topical",
    "syntactic": "pipeline.evaluation.resolvers:syntactic",
    "parallelism": "pipeline.evaluation.resolvers:parallelism",
    "parallelism-url": "pipeline.evaluation.resolvers:parallelism_url",
    "dist-K": "pipeline.evaluation.resolvers:dist",
    "ranker": "pipeline.evaluation.ranker:ranker",
    "attention": "pipeline.evaluation.attention:attention",
    "encoder": "pipeline.evaluation.encoder:encoder",
    "fastcoref": "pipeline.evaluation.adapters:fastcoref",
    "maverick": "pipeline.evaluation.adapters:maverick",
    "spacy-coref": "pipeline.evaluation.adapters:spacy_coref",
    "server": "pipeline.evaluation.server:server",
}
RANKED = re.compile(r"dist-([1-9]\d{0,2})")
LABELS: tuple[Label, ...] = get_args(Label)


def resolve(name: str, instances: Sequence[Instance], options: Mapping[str, Any] | None = None) -> list[Label]:
    """A resolver's answer to each instance, in order.

    ConfigError where it does not know an option, fails, or gives no label for each. Options given as text become what
    the resolver declares them to be.
    """
    given = dict(options or {})
    ranked = RANKED.fullmatch(name)
    if ranked:
        given["k"] = int(ranked[1])
    resolver = find(name)
    chosen = fitted(name, resolver, given)
    try:
        labels = list(resolver(list(instances), **chosen))
    except (ConfigError, InputError):
        raise
    except Exception as error:  # Whatever a user's function raises.
        raise ConfigError(f"{name}: {type(error).__name__}: {one_line(error)}; mend the resolver") from error
    if len(labels) != len(instances):
        raise ConfigError(f"{name}: {len(labels)} labels for {len(instances)} questions; a resolver gives one for each")
    for label in labels:
        if not isinstance(label, str) or label not in LABELS:
            raise ConfigError(f"{name}: gives {label!r}; a resolver says {', '.join(LABELS)}")
    return labels


def find(name: str) -> Callable[..., Any]:
    if name == "dist-K":
        raise ConfigError("dist-K: K is a number; write dist-1 for the closest name")
    return load_plugin("dist-K" if RANKED.fullmatch(name) else name, RESOLVERS)


def options_of(name: str) -> set[str]:
    """The options that a resolver declares by name."""
    parameters = parameters_of(name, find(name))
    return {key for key, it in parameters.items() if it.kind is it.KEYWORD_ONLY}


def parameters_of(name: str, resolver: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(resolver).parameters
    except (TypeError, ValueError) as error:  # Some of what can be called does not say with what.
        raise ConfigError(f"{name}: {one_line(error)}; name a function over a list of instances") from error


def check_options(name: str, given: Mapping[str, Any]) -> None:
    """ConfigError where there is no such resolver, or it does not take an option."""
    fitted(name, find(name), given)


def fitted(name: str, resolver: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    parameters = parameters_of(name, resolver)
    known = [key for key, it in parameters.items() if it.kind is it.KEYWORD_ONLY]
    takes_any = any(it.kind is it.VAR_KEYWORD for it in parameters.values())
    strange = [key for key in given if key not in known]
    if strange and not takes_any:
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        raise ConfigError(f"{name}: unknown option {strange[0]!r}; {takes}")
    unfit = [key for key in ("train", "names") if isinstance(given.get(key), str)]
    if unfit:
        raise ConfigError(f"{name}: option {unfit[0]} is no text; name files with --{unfit[0]}")
    try:
        hints = get_type_hints(resolver)
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


def resolver_versions(names: Sequence[str]) -> dict[str, str]:
    """What tells one state of each resolver from another."""
    return {name: "" if RANKED.fullmatch(name) else plugin_version(name, RESOLVERS) for name in names}
