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

The `[subjectivity]` section: which hooks make sentences subjective, and which proposals are kept.

Every threshold says where it comes from: the paper, a calibration, or somebody's choice. Those of the detector, of
fluency and of similarity belong to the hook that gives the score, and are its own unless the config names others.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isfinite, nan
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from gapforge.engine.identity import model_state
from gapforge.errors import ConfigError
from gapforge.plugins import (
    call_plugin,
    declared_options,
    fitted_options,
    load_plugin,
    named_models,
    parameters_of,
    target_of,
)
from gapforge.records import Span, SubjectiveEdit

Role = Literal["detector", "transfer", "fluency", "content", "similarity"]
ROLES: tuple[Role, ...] = get_args(Role)
HOOKS: Mapping[Role, Mapping[str, str]] = {
    "detector": {
        "lexicon": "gapforge.subjectivity.detector:lexicon",
        "classifier": "gapforge.subjectivity.classifier:classifier",
    },
    "transfer": {
        "rules": "gapforge.subjectivity.transfer:rules",
        "seq2seq": "gapforge.subjectivity.rewriter:seq2seq",
    },
    "fluency": {
        "grammar": "gapforge.subjectivity.fluency:grammar",
        "causal": "gapforge.subjectivity.causal:causal",
    },
    "content": {"invariants": "gapforge.subjectivity.content:invariants"},
    "similarity": {"embedding": "gapforge.subjectivity.embedding:embedding"},
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


def takes(role: Role, name: str, option: str) -> bool:
    return option in declared_options(name, find_hook(role, name))


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


NONE = "none"
MODEL = ".model"  # how the options end that name a model


@dataclass(frozen=True, slots=True)
class SubjectivitySettings:
    """The hooks by name; `options` are by "hook.option", such as "fluency.model".

    `attempts` is how many proposals of a sentence are looked at; `largest_share` what part of all edits may be the same
    phrase; `sentences` how many of the ingested corpus are counted for the check of grammar; `shards` in how many
    parts sentences are scored. `transfer = "none"` makes no subjective variant at all.
    """

    detector: str = "lexicon"
    transfer: str = "rules"
    fluency: str = "grammar"
    content: str = "invariants"
    similarity: str = ""
    options: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    attempts: int = 4
    shards: int = 8
    sentences: int = 100_000
    objective: Threshold | None = None
    fluent: Threshold | None = None
    similar: Threshold | None = None
    gleu_above: Threshold = Threshold(0.8, "paper")  # GAP-Subjective 3.2.3
    gleu_below: Threshold = Threshold(1.0, "paper")
    largest_share: Threshold = Threshold(0.03, "chosen")

    def __post_init__(self) -> None:
        for name in ("attempts", "shards", "sentences"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, found {getattr(self, name)}")
        for wanted in ROLES:
            if wanted != "similarity" and not getattr(self, wanted):
                raise ValueError(f"{wanted} must be the name of a hook, found nothing; leave it out for the default")
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, found {self.seed}")
        if self.gleu_above.value >= self.gleu_below.value:
            raise ValueError(f"gleu_above must be below gleu_below, found {self.gleu_above.value}")
        if not 0 < self.largest_share.value <= 1:
            raise ValueError(f"largest_share must be above 0 and at most 1, found {self.largest_share.value}")
        for key in self.options:
            role, _, name = key.partition(".")
            if role not in ROLES or not name:
                raise ValueError(f'options are by "hook.option", such as "fluency.model", found {key!r}')

    def roles(self) -> list[Role]:
        return [role for role in ROLES if getattr(self, role)]

    def options_for(self, role: Role, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a hook, and what is given to whichever takes it."""
        name = getattr(self, role)
        found = {key: value for key, value in given.items() if value and takes(role, name, key)}
        prefix = f"{role}."
        return found | {key.removeprefix(prefix): it for key, it in self.options.items() if key.startswith(prefix)}


def located(settings: SubjectivitySettings, base: Path) -> SubjectivitySettings:
    """The settings with models that lie beside the config named by where they are."""
    options = {
        key: str(base / value) if key.endswith(MODEL) and (base / value).exists() else value
        for key, value in settings.options.items()
    }
    return replace(settings, options=options)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a proposal is held against; a score equal to a bound passes, but for those of GLEU, which are open."""

    objective: Threshold
    fluent: Threshold
    similar: Threshold | None
    gleu_above: Threshold
    gleu_below: Threshold
    largest_share: Threshold


def thresholds_of(settings: SubjectivitySettings) -> Thresholds:
    models = {role: settings.options.get(f"{role}{MODEL}", "") for role in ROLES}
    similar = (
        threshold_of("similarity", settings.similarity, settings.similar, models["similarity"])
        if settings.similarity
        else None
    )
    return Thresholds(
        threshold_of("detector", settings.detector, settings.objective, models["detector"]),
        threshold_of("fluency", settings.fluency, settings.fluent, models["fluency"]),
        similar,
        settings.gleu_above,
        settings.gleu_below,
        settings.largest_share,
    )


def counts_grammar(settings: SubjectivitySettings) -> bool:
    """Whether the hook of fluency is one that learns from the ingested corpus."""
    return takes("fluency", settings.fluency, "counts")


def deciding_proposals(settings: SubjectivitySettings) -> dict[str, Any]:
    """The settings that decide on proposals and their scores."""
    hooks = {role: getattr(settings, role) for role in settings.roles()}
    return {
        "hooks": hooks,
        "options": dict(settings.options),
        "seed": settings.seed,
        "attempts": settings.attempts,
        "shards": settings.shards,
    }


def deciding_sentences(settings: SubjectivitySettings) -> dict[str, Any]:
    """The settings that decide which proposals are kept."""
    return {"thresholds": asdict(thresholds_of(settings)), "seed": settings.seed}


def hook_targets(settings: SubjectivitySettings) -> list[str]:
    """Where each hook is defined, as "module:function"."""
    return [target_of(getattr(settings, role), HOOKS[role]) for role in settings.roles()]


def hook_models(settings: SubjectivitySettings, spacy_model: str) -> dict[str, str]:
    """Every model that a hook asks, with its state."""
    models = {}
    for role in settings.roles():
        name = getattr(settings, role)
        defaults = {"model": default_model(role, name), "spacy_model": spacy_model}
        asked = {option: default for option, default in defaults.items() if takes(role, name, option)}
        for option, default in (named_models(name, find_hook(role, name)) | asked).items():
            if model := settings.options.get(f"{role}.{option}", default):
                models[f"{role}.{option}"] = model_state(model)
    return models
