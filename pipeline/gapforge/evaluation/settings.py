"""The settings of an evaluation, apart from what measures: an edited metric must not make the answers stale."""

from dataclasses import dataclass, field
from typing import Literal

from gapforge.errors import ConfigError

BASELINES = ("random", "token-distance", "topical", "syntactic", "parallelism", "parallelism-url")
RESAMPLES = 100_000  # Counter-GAP 4, after Graham et al. 2014
FEWEST = 100  # fewer say nothing about the ends of an interval
MOST = 10_000_000


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """The `[evaluation]` section: which resolvers are measured, and on what.

    GAP is measured on one split, Counter-GAP as a whole; a resolver that learns does so from the other splits of GAP.
    `gold_two_mentions`: those that can choose among the two given names alone do. `options` are "RESOLVER NAME=VALUE".
    """

    resolvers: list[str] = field(default_factory=lambda: list(BASELINES))
    split: Literal["development", "validation", "test"] = "test"
    gold_two_mentions: bool = False
    options: list[str] = field(default_factory=list)
    resamples: int = RESAMPLES
    seed: int = 0

    def __post_init__(self) -> None:
        if len(set(self.resolvers)) < len(self.resolvers):
            raise ValueError(f"resolvers must be different, found {self.resolvers}")
        for option in self.options:
            resolver, _, pair = option.partition(" ")
            if resolver not in self.resolvers or not pair.partition("=")[1]:
                raise ValueError(f"options must be 'RESOLVER NAME=VALUE' of a resolver that is named, found {option!r}")
        check_resampling(self.resamples, self.seed)

    def options_for(self, resolver: str) -> dict[str, str]:
        pairs = [
            pair.partition("=") for name, _, pair in (it.partition(" ") for it in self.options) if name == resolver
        ]
        return {name: value for name, _, value in pairs}


def check_resampling(resamples: int, seed: int) -> None:
    """Refuse numbers that say nothing, or take all memory."""
    if not FEWEST <= resamples <= MOST:
        raise ConfigError(f"resamples must be {FEWEST} to {MOST:,}, found {resamples}")
    if seed < 0:
        raise ConfigError(f"seed must be 0 or more, found {seed}")
