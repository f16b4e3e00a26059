"""The stage Quadruples: four texts of each Counter-GAP candidate, except those that name real people."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from gapforge.counterfactuals.minimal import make_checked
from gapforge.counterfactuals.realworld import REAL_PEOPLE, contradictions_in, name_forms
from gapforge.counterfactuals.variants import Scene
from gapforge.engine.stages import Table
from gapforge.plugins import load_plugin
from gapforge.records import Biography, CounterGapCandidate, QuadrupleInstance, Reject, Variant, fields_of


@dataclass(frozen=True, slots=True)
class QuadrupleSettings:
    """The `[quadruples]` section: the hook that knows real people, and names that it should know beside biographies."""

    real_people: str = "listed"
    known: list[str] = field(default_factory=list)


def quadruples(
    candidates: Table[CounterGapCandidate], biographies: Table[Biography], settings: QuadrupleSettings, model: str
) -> Iterator[QuadrupleInstance | Reject]:
    """The four instances of each candidate, or the reason why there are none."""
    hook = load_plugin(settings.real_people, REAL_PEOPLE)
    known = known_names(biographies, biographies.stamps) | frozenset(settings.known)
    for candidate in candidates:
        # Whether one of the four goes by the name of somebody who lives or lived.
        if any(hook(name_forms(candidate.text, candidate.people), known)):
            yield Reject(candidate.id, "real person", "")
        else:
            yield from quadruple_of(candidate, model)


@lru_cache(1)
def known_names(biographies: Table[Biography], stamps: object) -> frozenset[str]:
    """The names of all biographies, read once in each worker as long as the files stay the same."""
    return frozenset(it.name for it in biographies)


def quadruple_of(candidate: CounterGapCandidate, model: str) -> Iterator[QuadrupleInstance | Reject]:
    """The four instances of a candidate, or the reason why there are none."""
    scene = Scene(
        candidate.text,
        candidate.gender,
        candidate.pronoun,
        candidate.name_a,
        candidate.name_b,
        candidate.people,
    )
    quadruple, fault = make_checked(scene, model)
    if fault:
        yield Reject(candidate.id, fault, "")
        return
    contradictions = contradictions_in(scene)
    for variant, made in quadruple.items():
        yield as_instance(candidate, variant, made, contradictions)


def as_instance(
    candidate: CounterGapCandidate, variant: Variant, scene: Scene, contradictions: list[str]
) -> QuadrupleInstance:
    fields = fields_of(candidate) | fields_of(scene)
    fields["id"] = candidate.id if variant == "original" else f"{candidate.id}-{variant}"
    return QuadrupleInstance(**fields, quadruple_id=candidate.id, variant=variant, contradictions=contradictions)
