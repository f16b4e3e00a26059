"""The `[subjectivity]` section: which hooks make sentences subjective, and which proposals are kept.

Every threshold says where it comes from: the paper, a calibration, or somebody's choice. Those of the detector, of
fluency and of similarity belong to the hook that gives the score, and are its own unless the config names others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError
from pipeline.subjectivity.hooks import ROLES, Role, Threshold, check_hook, hook_version, takes, threshold_of

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


def hook_identity(settings: SubjectivitySettings) -> dict[str, Any]:
    """What decides on proposals and their scores."""
    hooks = {role: {getattr(settings, role): hook_version(role, getattr(settings, role))} for role in settings.roles()}
    return {"hooks": hooks, "options": dict(settings.options), "seed": settings.seed, "attempts": settings.attempts}
