"""What changed between two releases: rows, columns, files, and the version that the new one should carry for it."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pipeline.release.changes import ConfigDiff, Known, by_reason, compare_tables
from pipeline.release.contents import (
    Contents,
    check_sums,
    documents_of,
    read_contents,
    table_of,
)
from pipeline.release.errata import read_errata
from pipeline.release.layout import ERRATA
from pipeline.release.versions import LEVELS, Level, causes_in, highest, misfit, next_version, numbers_in

FOLLOWING = ("_weights", "_subjective")  # how a config is named that is about the rows of another


@dataclass(frozen=True, slots=True)
class Edition:
    """What a release calls itself."""

    folder: str
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """All that differs; `because` has what calls for the level first.

    `suggested` is empty where the old version is no three numbers. `notes` is what a person should look at.
    """

    old: Edition
    new: Edition
    configs: list[ConfigDiff]
    files_added: list[str]
    files_removed: list[str]
    files_changed: list[str]
    level: Level
    because: list[str]
    suggested: str
    notes: list[str]


def diff(old_folder: Path, new_folder: Path) -> ReleaseDiff:
    """Compare two releases; InputError where one is damaged, which their checksums tell. Rows of one config at a time
    are in memory.
    """
    old, new = read_contents(old_folder), read_contents(new_folder)
    for release in (old, new):
        check_sums(release)
    configs = diff_configs(old, new)
    causes = [cause for it in configs for cause in causes_in(it)]
    changed = sorted(path for path in old.sums.keys() & new.sums.keys() if old.sums[path] != new.sums[path])
    added, removed = sorted(new.sums.keys() - old.sums.keys()), sorted(old.sums.keys() - new.sums.keys())
    if files := len(added) + len(removed) + len(changed):
        causes.append(("patch", f"{files:,} file{'s' * (files > 1)} added, removed or changed"))
    causes.sort(key=lambda cause: LEVELS.index(cause[0]), reverse=True)
    level = highest(causes)
    suggested = next_version(old.version, level)
    return ReleaseDiff(
        old=Edition(str(old.folder), old.name, old.version),
        new=Edition(str(new.folder), new.name, new.version),
        configs=configs,
        files_added=added,
        files_removed=removed,
        files_changed=changed,
        level=level,
        because=[text for _, text in causes],
        suggested=suggested,
        notes=notes_on(old, new, suggested),
    )


def diff_configs(old: Contents, new: Contents) -> list[ConfigDiff]:
    """The differences in every config of either release, by name; those without any are there too."""
    configs = {config for release in (old, new) for config, _, _ in release.data()}
    documents = documents_of(old), documents_of(new)
    errata = read_errata(old.folder / ERRATA) if ERRATA in old.sums else []
    found: dict[str, ConfigDiff] = {}
    # Weights and subjective variants go by the ids of rows that they are of, and come and go with these: weights have
    # neither texts nor documents, and what is edited in a text may depend on its id.
    for config in sorted(configs, key=lambda name: (name.endswith(FOLLOWING), name)):
        followed = config
        for ending in FOLLOWING:
            followed = followed.removesuffix(ending)
        named = {it.id for it in errata if it.config in (config, followed)}
        known = Known(*documents, named, found.get(followed))
        found[config] = compare_tables(table_of(old, config), table_of(new, config), known)
    return [found[config] for config in sorted(found)]


def notes_on(old: Contents, new: Contents, suggested: str) -> list[str]:
    notes = []
    if old.name != new.name:
        notes.append(f"{old.folder} is a release of {old.name!r}, {new.folder} one of {new.name!r}")
    if numbers_in(old.version) is None:
        notes.append(f"{old.folder} {misfit(old.version, '')}; no number can be suggested")
    if wrong := misfit(new.version, suggested):
        notes.append(f"{new.folder} {wrong}")
    return notes


def summary(found: ReleaseDiff) -> dict[str, Any]:
    """Everything by id, for a script; each config with the number of rows for each reason."""
    told = asdict(found)
    for it, config in zip(found.configs, told["configs"], strict=True):
        kinds = {"added": it.added, "removed": it.removed, "changed": it.changed}
        config["reasons"] = {kind: by_reason(rows) for kind, rows in kinds.items()}
    return told
