"""The stage of this room: labelled sets and weights to a folder that people can load, cite, check and publish.

Tables are written first; everything else follows from them and from the provenance, and the checksums close it.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from gapforge.engine.parts import current_versions, read_manifest, read_notes
from gapforge.engine.stages import Table
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
    files_in,
    table_name,
    write_sums,
    write_tables,
)
from gapforge.release.provenance import Made, provenance_of
from gapforge.release.rows import tables_of, write_exports
from gapforge.release.settings import WINOBIAS, ReleaseSettings, name_from
from gapforge.released import Tables, rows_in
from gapforge.storage.files import sha256_of, write_json, write_text


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


def errata_files(settings: ReleaseSettings, base: Path) -> dict[str, Path]:
    """The file of known errors; an error in it is reported before any work."""
    if not settings.errata:
        return {}
    if not (base / settings.errata).is_file():
        raise ConfigError(f"[release] errata {settings.errata}: no such file; paths begin at the config's own folder")
    read_errata(base / settings.errata)
    return {settings.errata: base / settings.errata}


def check_release(settings: ReleaseSettings, corpora: Iterable[str], config: str) -> None:
    """Refuse the licence of a corpus that the config does not name."""
    known = [*corpora, WINOBIAS]
    for name in settings.text_licenses:
        if name not in known:
            raise ConfigError(f"{config}: [release.text_licenses] {name}: no such corpus; there are {', '.join(known)}")


def release(
    gap: Table[LabelledExample],
    counter_gap: Table[LabelledInstance],
    subjective: Table[SubjectiveExample],
    winobias: Table[WinoBiasSentence],
    weights: Table[Weight],
    split: str,
    stages: Mapping[str, Path],
    settings: ReleaseSettings,
    name: str,
    files: Mapping[str, Path],
    model: str,
    folder: Path,
) -> None:
    """The stage Release: all files of a release, in an empty folder; an erratum about a missing row raises InputError.

    Sets that are not wanted are empty tables. `split` is the split of GAP that the weights are for, `stages` are the
    folders of all stages before this one, in order. `name` is used where the settings give none; `files` holds the
    errata.
    """
    tables = tables_of(gap, counter_gap, subjective, winobias, weights, split)
    if not tables:
        raise ConfigError("no labelled row is left to release; add text, or ask less in [sampling] and [consensus]")
    made = dict(read_stages(stages))
    known = [erratum for path in files.values() for erratum in read_errata(path)]
    check_errata(known, tables, settings.errata)
    inputs = {source: sha256_of(path) for source, path in files.items()}
    told = completed(settings, name, tables, made)
    provenance = provenance_of(tables, made, told, current_versions(), inputs)
    write_tables(tables, folder)
    write_exports(tables, folder)
    write_json(folder / PROVENANCE, provenance)
    write_errata(folder / ERRATA, dict.fromkeys([*known, *audited(tables, model)]))
    write_text(folder / CITATION, citation_file(provenance))
    for file, text in render_descriptions(folder, tables, provenance).items():
        write_text(folder / file, text)
    write_sums(folder)


def deciding_release(settings: ReleaseSettings, name: str) -> dict[str, Any]:
    """The settings that decide the release; the errata are known by their checksum."""
    fields = dataclasses.asdict(settings) | {"name": settings.name or name_from(name)}
    del fields["errata"]
    return fields
