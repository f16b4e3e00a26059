"""The stage of this room: labelled sets and weights to a folder that people can load, cite, check and publish.

Tables are written first; everything else follows from them and from the provenance, and the checksums close it.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from gapforge.engine.parts import current_versions, read_manifest, read_notes, read_parts
from gapforge.errors import ConfigError
from gapforge.records import LabelledExample, LabelledInstance, SubjectiveExample, Weight, WinoBiasSentence
from gapforge.release.card import Sizes, render_card
from gapforge.release.citation import citation_file, text_licences
from gapforge.release.croissant import render_croissant
from gapforge.release.errata import audited, check_errata, read_errata, write_errata
from gapforge.release.layout import (
    CARD,
    CITATION,
    CROISSANT,
    ERRATA,
    LABELLED,
    PROVENANCE,
    Tables,
    files_in,
    rows_in,
    table_name,
    write_sums,
    write_tables,
)
from gapforge.release.provenance import Made, provenance_of
from gapforge.release.rows import tables_of, write_exports
from gapforge.release.settings import WINOBIAS, ReleaseSettings, name_from
from gapforge.storage.files import Checksums, sha256_of, write_json, write_text


@dataclass(frozen=True, slots=True)
class Sources:
    """The folders that a release is made of, where there are any, and every stage before it, in order.

    `weighed` is the split of GAP that the weights are of.
    """

    gap: Path | None
    counter_gap: Path | None
    subjective: Path | None
    winobias: Path | None
    weights: Path | None
    weighed: str
    stages: Mapping[str, Path]


def write_release(sources: Sources, settings: ReleaseSettings, name: str, base: Path, model: str, folder: Path) -> None:
    """Write a release into an empty folder; an erratum of a row that is not there raises InputError.

    `name` is what it is called where the settings give it none; paths of the settings begin at `base`.
    """
    tables = tables_of(
        read_parts(sources.gap, LabelledExample) if sources.gap else (),
        read_parts(sources.counter_gap, LabelledInstance) if sources.counter_gap else (),
        read_parts(sources.subjective, SubjectiveExample) if sources.subjective else (),
        read_parts(sources.winobias, WinoBiasSentence) if sources.winobias else (),
        read_parts(sources.weights, Weight) if sources.weights else (),
        sources.weighed,
    )
    if not tables:
        raise ConfigError("no labelled row is left to release; add text, or ask less in [sampling] and [consensus]")
    stages = dict(read_stages(sources.stages))
    known = read_errata(base / settings.errata) if settings.errata else []
    check_errata(known, tables, settings.errata)
    inputs = {settings.errata: sha256_of(base / settings.errata)} if settings.errata else {}
    told = completed(settings, name, tables, stages)
    provenance = provenance_of(tables, stages, told, current_versions(), inputs)
    write_tables(tables, folder)
    write_exports(tables, folder)
    write_json(folder / PROVENANCE, provenance)
    write_errata(folder / ERRATA, dict.fromkeys([*known, *audited(tables, model)]))
    write_text(folder / CITATION, citation_file(provenance))
    for file, text in render_descriptions(folder, tables, provenance).items():
        write_text(folder / file, text)
    write_sums(folder)


def render_descriptions(folder: Path, tables: Tables, provenance: Mapping[str, Any]) -> dict[str, str]:
    """The files that tell of all others, by name, from a folder that holds those."""
    errata = read_errata(folder / ERRATA)
    return {
        CROISSANT: render_croissant(folder, files_in(folder), tables, provenance),
        CARD: render_card(tables, provenance, errata, sizes_in(folder, tables)),
    }


def sizes_in(folder: Path, tables: Tables) -> dict[str, Sizes]:
    found = {}
    for name in (table_name(name, split) for name, splits in tables.items() for split in splits):
        found[name] = Sizes((folder / name).stat().st_size, pq.read_table(folder / name).nbytes)
    return found


def read_stages(folders: Mapping[str, Path]) -> Iterable[tuple[str, Made]]:
    for name, folder in folders.items():
        if manifest := read_manifest(folder):
            yield name, Made(manifest, read_notes(folder))


def completed(settings: ReleaseSettings, name: str, tables: Tables, stages: Mapping[str, Made]) -> ReleaseSettings:
    """The settings with what was left out: a name, a title, and the licence of each text that is in the release."""
    name = settings.name or name_from(name)
    corpora = sorted({row.corpus for set_name in LABELLED for row in rows_in(tables, set_name)})
    formats = {
        corpus: stages[stage].manifest.identity.settings.get("format", "")
        for corpus in corpora
        if (stage := f"Documents-{corpus}") in stages
    }
    if "winobias" in tables:
        own = "WinoBias" in stages and stages["WinoBias"].manifest.identity.settings.get("scenes")
        corpora, formats = [*corpora, WINOBIAS], formats | {WINOBIAS: "" if own else WINOBIAS}
    licences = text_licences(corpora, settings.text_licenses, formats)
    return dataclasses.replace(settings, name=name, title=settings.title or name, text_licenses=licences)


def release_identity(settings: ReleaseSettings, name: str) -> dict[str, Any]:
    """What decides the release beside its sources; the errata are known by their checksum."""
    fields = dataclasses.asdict(settings) | {"name": settings.name or name_from(name)}
    del fields["errata"]
    return fields


def errata_inputs(settings: ReleaseSettings, base: Path, checksums: Checksums) -> dict[str, str]:
    """The file of known errors with its checksum; what is wrong with it is told before any work."""
    if not settings.errata:
        return {}
    if not (base / settings.errata).is_file():
        raise ConfigError(f"[release] errata {settings.errata}: no such file; paths begin at the config's own folder")
    read_errata(base / settings.errata)
    return {settings.errata: checksums.of(base / settings.errata)}


def check_release(settings: ReleaseSettings, corpora: Iterable[str], config: str) -> None:
    """Refuse the licence of a corpus that the config does not name."""
    known = [*corpora, WINOBIAS]
    for name in settings.text_licenses:
        if name not in known:
            raise ConfigError(f"{config}: [release.text_licenses] {name}: no such corpus; there are {', '.join(known)}")
