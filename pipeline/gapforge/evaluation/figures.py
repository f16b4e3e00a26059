"""Figures in the results of an evaluation, each under its full name, such as overall.f1."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Keys of a result that hold no figures of the whole set.
SIZES = ("instances", "quadruples", "documents", "sentences", "pairs", "several_pronouns", "unlike_pairs")
ASIDE = frozenset(("dataset", "by", "intervals", "systems", "faults", "contingency", "difficulty", "paired", *SIZES))


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure by its full name, such as overall.f1, with its interval where it has one."""

    name: str
    value: float | None
    interval: Sequence[float] | None = None

    def __str__(self) -> str:
        return shown(self.value) + (f" [{shown(self.interval[0])}, {shown(self.interval[1])}]" if self.interval else "")


def figures_in(result: Mapping[str, Any]) -> list[Figure]:
    """Every figure of the whole set in a result of one system."""
    return list(walk({key: value for key, value in result.items() if key not in ASIDE}, result.get("intervals", {})))


def walk(values: Mapping[str, Any], intervals: Any, prefix: str = "") -> Iterator[Figure]:
    for name, value in values.items():
        bounds = intervals.get(name) if isinstance(intervals, Mapping) else None
        if isinstance(value, Mapping):
            yield from walk(value, bounds, f"{prefix}{name}.")
        else:
            yield Figure(prefix + name, value, bounds)


def systems_in(result: Mapping[str, Any], name: str = "") -> dict[str, Mapping[str, Any]]:
    """The results by system; that of one alone under the name given."""
    return dict(result["systems"]) if "systems" in result else {name: result}


def pick(result: Mapping[str, Any], name: str) -> Figure:
    return next(it for it in figures_in(result) if it.name == name)


def shown(value: float | None) -> str:
    """A figure with as many digits as one reads: four, and fewer zeros for a small p."""
    if value is None:
        return "undefined"
    return (
        f"{value:,}"
        if isinstance(value, int)
        else f"{value:.4f}"
        if abs(value) >= 0.0001 or not value
        else f"{value:.1g}"
    )
