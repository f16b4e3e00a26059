"""The four hooks by which sentences become subjective (Pant and Dadu 2022, 3.2), and how they are named and called.

| hook | a function over a batch |
|---|---|
| detector | `(sentences) -> floats`: how subjective each is, from 0 to 1 |
| transfer | `(sentences, protected, seed, attempts) -> proposals`: up to so many lists of edits for each, best first |
| fluency | `(sentences) -> floats`: log perplexity in nats a token |
| content | `(sources, targets) -> lists of str`: what of the source each target does not keep |
| similarity | `(sources, targets) -> floats`: cosine of embeddings; asked only where a config names one |

Options of a hook are its keyword-only parameters. A detector, a fluency and a similarity say from which score on a
sentence passes, and where that number comes from, by `@passes(value, source)`; a config may say otherwise.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, Literal, TypeVar, get_args

from pipeline.errors import ConfigError
from pipeline.neural import optional, place_of
from pipeline.plugins import call_plugin, declared_options, fitted_options, load_plugin, parameters_of, plugin_version
from pipeline.records import Span, SubjectiveEdit

Role = Literal["detector", "transfer", "fluency", "content", "similarity"]
ROLES: tuple[Role, ...] = get_args(Role)
HOOKS: Mapping[Role, Mapping[str, str]] = {
    "detector": {
        "lexicon": "pipeline.subjectivity.detector:lexicon",
        "classifier": "pipeline.subjectivity.classifier:classifier",
    },
    "transfer": {
        "rules": "pipeline.subjectivity.transfer:rules",
        "seq2seq": "pipeline.subjectivity.rewriter:seq2seq",
    },
    "fluency": {
        "grammar": "pipeline.subjectivity.grammar:grammar",
        "causal": "pipeline.subjectivity.causal:causal",
    },
    "content": {"invariants": "pipeline.subjectivity.content:invariants"},
    "similarity": {"embedding": "pipeline.subjectivity.embedding:embedding"},
}
NEURAL = ("classifier", "seq2seq", "causal", "embedding")
SOURCE = re.compile(r"paper|chosen|calibrated on .+")
LONGEST_SHOWN = 60

Proposal = list[SubjectiveEdit]
Hook = TypeVar("Hook", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number that decides, and where it comes from: "paper", "chosen" or "calibrated on …"."""

    value: float
    source: str = "chosen"

    def __post_init__(self) -> None:
        if not isfinite(self.value):
            raise ValueError(f"value must be a finite number, found {self.value}")
        if not SOURCE.fullmatch(self.source):
            raise ValueError(f'source must be "paper", "chosen" or "calibrated on …", found {self.source!r}')


def passes(value: float, source: str) -> Callable[[Hook], Hook]:
    """Say of a hook from which score on, or up to which, a sentence passes, and where the number comes from."""

    def mark(hook: Hook) -> Hook:
        hook.threshold = Threshold(value, source)  # type: ignore[attr-defined]
        return hook

    return mark


def find_hook(role: Role, name: str) -> Callable[..., Any]:
    try:
        return load_plugin(name, HOOKS[role])
    except ConfigError as error:
        raise ConfigError(f"[subjectivity] {role}: {error}") from error


def threshold_of(role: Role, name: str, given: Threshold | None, model: str = "") -> Threshold:
    """The threshold of the config where it names one, or else the hook's own; that of a calibration is its model's."""
    own = given or getattr(find_hook(role, name), "threshold", None)
    if not isinstance(own, Threshold):
        raise ConfigError(f"[subjectivity] {role} {name!r} names no threshold of its own; {set_it(role)}")
    is_other = model not in ("", default_model(role, name))
    if is_other and not given and own.source not in ("chosen", "paper"):
        raise ConfigError(
            f"[subjectivity] {role} {name!r}: its threshold was {own.source}, by another model; {set_it(role)}"
        )
    return own


def set_it(role: Role) -> str:
    setting = {"detector": "objective", "fluency": "fluent", "similarity": "similar"}[role]
    return f"set {setting} = {{ value = …, source = … }}, or --threshold {setting}=…"


def default_model(role: Role, name: str) -> str:
    """The model that a hook asks where none is named; empty for a hook without any."""
    model = parameters_of(name, find_hook(role, name)).get("model")
    return model.default if model and isinstance(model.default, str) else ""


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


def takes(role: Role, name: str, option: str) -> bool:
    return option in declared_options(name, find_hook(role, name))


def hook_version(role: Role, name: str) -> str:
    return plugin_version(name, HOOKS[role])


def ask(role: Role, name: str, options: Mapping[str, Any], sentences: Sequence[str], *more: Any) -> list[Any]:
    """What a hook says of each sentence, in order; ConfigError where it fails, or does not answer for each."""
    hook = find_hook(role, name)
    chosen = fitted_options(name, hook, options)
    return call_plugin(name, role, hook, sentences, ("answers", "sentences"), *more, **chosen)


def scores(role: Role, name: str, options: Mapping[str, Any], sentences: Sequence[str], *more: Any) -> list[float]:
    """What a hook that gives numbers says of each sentence, to six digits; ConfigError where one is no number."""
    found = []
    for it in ask(role, name, options, sentences, *more):
        try:
            number = float(it)
        except (TypeError, ValueError):
            number = nan
        if not isfinite(number):
            raise ConfigError(f"{name}: gives {shown(it)}; a {role} gives a finite number for each sentence")
        found.append(round(number, 6))
    return found


def faults(name: str, options: Mapping[str, Any], sources: Sequence[str], targets: Sequence[str]) -> list[list[str]]:
    """What the check of content holds against each target."""
    found = ask("content", name, options, sources, targets)
    for it in found:
        if not isinstance(it, (list, tuple)) or not all(isinstance(reason, str) for reason in it):
            raise ConfigError(f"{name}: gives {shown(it)}; a content gives a list of str for each sentence")
    return [list(it) for it in found]


def proposals_for(
    name: str,
    options: Mapping[str, Any],
    sentences: Sequence[str],
    protected: Sequence[Sequence[Span]],
    seed: int,
    attempts: int,
) -> list[list[Proposal]]:
    """What the transfer proposes for each sentence, at most so many; spans are of the sentence.

    A proposal without edits is none.
    """
    found = ask("transfer", name, options, sentences, protected, seed, attempts)
    for its in found:
        if not is_proposals(its):
            raise ConfigError(f"{name}: gives {shown(its)}; a transfer gives a list of lists of SubjectiveEdit")
    return [[list(edits) for edits in its if edits][:attempts] for its in found]


def is_proposals(its: object) -> bool:
    return isinstance(its, (list, tuple)) and all(
        isinstance(edits, (list, tuple)) and all(isinstance(it, SubjectiveEdit) for it in edits) for edits in its
    )


def shown(value: object) -> str:
    """What a plug-in gave, on one line of bounded length."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
