"""Resolvers by name: who says of each instance whether the pronoun means A, B, neither or both.

A resolver is a function over a batch, `(list of Instance) -> list of Label`. The options that it takes are its
keyword-only parameters; others are refused. Baselines, neural resolvers and adapters are imported only
when they are named.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from gapforge.errors import ConfigError
from gapforge.plugins import (
    call_plugin,
    declared_options,
    fitted_options,
    load_plugin,
    named_models,
    target_of,
)
from gapforge.records import Instance, Label

RESOLVERS: Mapping[str, str] = {
    "random": "gapforge.systems.cues:random_choice",
    "token-distance": "gapforge.systems.cues:token_distance",
    "topical": "gapforge.systems.cues:topical",
    "syntactic": "gapforge.systems.cues:syntactic",
    "parallelism": "gapforge.systems.cues:parallelism",
    "parallelism-url": "gapforge.systems.cues:parallelism_url",
    "dist-K": "gapforge.systems.cues:dist",
    "ranker": "gapforge.systems.ranker:ranker",
    "attention": "gapforge.systems.encoders:attention",
    "encoder": "gapforge.systems.encoders:encoder",
    "fastcoref": "gapforge.systems.adapters:fastcoref",
    "maverick": "gapforge.systems.adapters:maverick",
    "spacy-coref": "gapforge.systems.adapters:spacy_coref",
    "server": "gapforge.systems.server:server",
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
    chosen = fitted_options(name, resolver, checked_texts(name, given))
    labels = call_plugin(name, "resolver", resolver, instances, ("labels", "questions"), **chosen)
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
    return declared_options(name, find(name))


def check_options(name: str, given: Mapping[str, Any]) -> None:
    """ConfigError where there is no such resolver, or it does not take an option."""
    fitted_options(name, find(name), checked_texts(name, given))


def checked_texts(name: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options, none of which names a file where it has to hold what is in it."""
    unfit = [key for key in ("train", "names") if isinstance(given.get(key), str)]
    if unfit:
        raise ConfigError(f"{name}: option {unfit[0]} is no text; name files with --{unfit[0]}")
    return given


def resolver_target(name: str) -> str:
    """Where a resolver is defined, as "module:function"."""
    return target_of("dist-K" if RANKED.fullmatch(name) else name, RESOLVERS)


def resolver_models(name: str) -> dict[str, str]:
    """The options of a resolver that name a model, each with its default."""
    return named_models(name, find(name))
