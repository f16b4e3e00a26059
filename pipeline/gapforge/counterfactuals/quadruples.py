"""The stages of this room: whose lives a corpus tells, and quadruples of the Counter-GAP candidates."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from gapforge.counterfactuals.minimal import make_checked
from gapforge.counterfactuals.realworld import REAL_PEOPLE, biography_of, contradictions_in, name_forms
from gapforge.counterfactuals.variants import Scene
from gapforge.engine import Tick
from gapforge.engine.parts import Stamps, read_parts, stamps_of, write_part
from gapforge.nlp.reading import model_identity
from gapforge.plugins import load_plugin, plugin_version
from gapforge.records import Biography, CounterGapCandidate, Document, QuadrupleInstance, Reject, Variant, fields_of
from gapforge.resources import resource
from gapforge.storage.files import sha256_of
from gapforge.storage.tables import read_records

WORD_LISTS = ("gendered", "pronouns", "contradictions", "names")


@dataclass(frozen=True, slots=True)
class QuadrupleSettings:
    """The `[quadruples]` section: the hook that knows real people, and names that it should know beside biographies."""

    real_people: str = "listed"
    known: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Maker:
    """What a worker needs to make quadruples of a part of the candidates."""

    settings: QuadrupleSettings
    biographies: list[Path]  # folders
    model: str


def swapper_identity(model: str) -> str:
    """All that decides what is exchanged beside the code."""
    lists = ", ".join(f"{name} {sha256_of(resource(f'lexicons/{name}.toml'))[:16]}" for name in WORD_LISTS)
    return f"{model_identity(model)}, {lists}"


def hook_identity(settings: QuadrupleSettings) -> dict[str, Any]:
    version = plugin_version(settings.real_people, REAL_PEOPLE)
    return dataclasses.asdict(settings) | ({"real_people_version": version} if version else {})


def write_biographies(documents: Path, path: Path, tick: Tick) -> int:
    return write_part(path, Biography, find_biographies(documents), tick)


def find_biographies(documents: Path) -> Iterator[Biography]:
    for document in read_records(documents, Document):
        name = biography_of(document)
        if name:
            yield Biography(name, document.id)


def write_quadruples(maker: Maker, candidates: Path, path: Path, tick: Tick) -> int:
    return write_part(path, QuadrupleInstance, make_quadruples(candidates, maker), tick)


def files_read(maker: Maker, candidates: Path) -> list[Path]:
    """The part of the candidates, and all biographies."""
    return [candidates, *maker.biographies]


def make_quadruples(candidates: Path, maker: Maker) -> Iterator[QuadrupleInstance | Reject]:
    hook = load_plugin(maker.settings.real_people, REAL_PEOPLE)
    known = known_names(tuple(stamps_of(folder) for folder in maker.biographies)) | frozenset(maker.settings.known)
    for candidate in read_records(candidates, CounterGapCandidate):
        # Whether one of the four goes by the name of somebody who lives or lived.
        if any(hook(name_forms(candidate.text, candidate.people), known)):
            yield Reject(candidate.id, "real person", "")
        else:
            yield from quadruple_of(candidate, maker.model)


@lru_cache(1)
def known_names(biographies: tuple[Stamps, ...]) -> frozenset[str]:
    """The names of all biographies, read once in each worker."""
    return frozenset(it.name for stamps in biographies for it in read_parts(stamps.folder, Biography))


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
