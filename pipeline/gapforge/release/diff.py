"""What changed between two releases: rows, columns, files, and the version that the new one should carry for it.

What differs between one config of a release and the same config of another, row by row and with the reasons.

Rows are matched by id. Where one went and another with the same text, pronoun and names came, it was renamed.

Which number a release should carry, given what changed since the one before.

The data version is semantic. *Major*: figures measured on the old release do not compare with those on the new one,
or code that reads the old one may fail on it. So it is where rows are removed or renamed, where what a figure is
measured on changes in a row, such as its text, spans, label, split or gender, and where a config, split or column is
removed or a column has another type. A changed weight is of this kind as well, since W-Bias is made of them (Kocijan
et al. 2021, 3.4). A column that is not known here counts as measured: a number too high does less harm than figures
that silently do not compare. *Minor*: rows, columns, configs or splits are added. *Patch*: whatever else differs, such
as where a row comes from, how far annotators agreed, what an edit scores, the card, the errata, or the bytes of files
that say the same.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from gapforge.release.errata import read_errata
from gapforge.release.layout import (
    ERRATA,
    Contents,
    Document,
    Located,
    Table,
    check_sums,
    count_rows_of,
    document_in,
    documents_of,
    key_of,
    read_contents,
    rows_of,
    table_of,
)

# What the columns of a row are about; any other column is told by its own name.
ASPECTS = {
    "text": ("text", "original_text"),
    "names or pronoun": ("pronoun", "pronoun_offset", "a", "a_offset", "b", "b_offset", "people"),
    "label": ("a_coref", "b_coref", "label"),
    "edits": ("converted", "edits"),
    "weight": ("weight", "names", "rank"),
    "origin": ("url", "corpus", "document_id", "document_offset"),
}
ASPECT_OF = {column: aspect for aspect, columns in ASPECTS.items() for column in columns}
IDENTITY = ("text", "pronoun", "pronoun_offset", "a", "a_offset", "b", "b_offset")
QUADRUPLE = "quadruple_id"

Rows = Mapping[str, Located]


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that is not alike in both releases, and why; `was` is its id in the old one, empty for an added row.

    Why it was added or removed: "erratum", "new config" or "config gone", "new document" or "document gone", else
    "selection". Why it counts as changed: the aspects in which it differs, "id" first where it was renamed, and
    "erratum" last. `columns` are those whose values differ, `split` is where it stands, or stood.
    """

    id: str
    was: str
    split: str
    reasons: list[str]
    columns: list[str]


@dataclass(frozen=True, slots=True)
class ConfigDiff:
    """All that differs in one config; each list of rows is sorted by id.

    `rows` counts those of the old and the new release and the three kinds of change. `quadruples` counts quadruples
    likewise, changed being those with at least one such row; it is empty where rows stand alone.
    """

    config: str
    found_in: Literal["both", "old", "new"]
    rows: dict[str, int]
    quadruples: dict[str, int]
    splits_added: list[str]
    splits_removed: list[str]
    columns_added: list[str]
    columns_removed: list[str]
    columns_retyped: dict[str, list[str]]
    added: list[RowChange]
    removed: list[RowChange]
    changed: list[RowChange]


@dataclass(frozen=True, slots=True)
class Known:
    """What the reasons are taken from: the documents of either release, the ids that the old one's errata name, and,
    for weights and subjective variants, the differences in the config that their rows are of.
    """

    old_documents: set[Document]
    new_documents: set[Document]
    errata: set[str]
    followed: ConfigDiff | None = None


def compare_tables(old: Table, new: Table, known: Known) -> ConfigDiff:
    """Compare a config; files with the same checksum in both releases hold the same rows and are not read."""
    same = {path for path in old.files if old.release.sums[path] == new.release.sums.get(path)}
    before, after = rows_of(old, same), rows_of(new, same)
    keys = {key_of(table) for table in (old, new) if table.files}
    shared = [name for name in old.columns if name in new.columns and name not in keys]
    renamed = followed_renames(before, after, known.followed) if known.followed else renames(before, after, shared)
    errata = errata_among(before, after, known.errata)

    removed = {id: it for id, it in before.items() if id not in after and id not in renamed}
    new_names = set(renamed.values())
    added = {id: it for id, it in after.items() if id not in before and id not in new_names}
    kinds = {
        "added": came(added, known, errata, "" if old.files else "new config"),
        "removed": went(removed, known, errata, "" if new.files else "config gone"),
        "changed": changes(before, after, renamed, shared, errata),
    }
    counts = {kind: len(found) for kind, found in kinds.items()}
    (old_rows, old_units), (new_rows, new_units) = count_rows_of(old, QUADRUPLE), count_rows_of(new, QUADRUPLE)
    units = {kind: len({unit_of(it, before, after) for it in found}) for kind, found in kinds.items()}
    in_quadruples = QUADRUPLE in old.columns or QUADRUPLE in new.columns
    return ConfigDiff(
        config=old.config,
        found_in="both" if old.files and new.files else "old" if old.files else "new",
        rows={"old": old_rows, "new": new_rows} | counts,
        quadruples={"old": old_units, "new": new_units} | units if in_quadruples else {},
        splits_added=sorted(new.splits - old.splits),
        splits_removed=sorted(old.splits - new.splits),
        columns_added=[name for name in new.columns if name not in old.columns],
        columns_removed=[name for name in old.columns if name not in new.columns],
        columns_retyped={
            name: [kind, new.columns[name]] for name, kind in old.columns.items() if new.columns.get(name, kind) != kind
        },
        added=kinds["added"],
        removed=kinds["removed"],
        changed=kinds["changed"],
    )


def renames(before: Rows, after: Rows, shared: Iterable[str]) -> dict[str, str]:
    """The new id of each row that goes by another; rows that are the same but for their ids are paired in order.

    Without a text in both releases nothing tells that two rows are the same.
    """
    columns = [name for name in IDENTITY if name in shared]
    if "text" not in columns:
        return {}

    def identity(it: Located) -> tuple[Any, ...]:
        return tuple(it.row.get(name) for name in columns)

    came: dict[tuple[Any, ...], list[str]] = {}
    for id in sorted(after.keys() - before.keys(), reverse=True):
        came.setdefault(identity(after[id]), []).append(id)
    found = {}
    for id in sorted(before.keys() - after.keys()):
        if candidates := came.get(identity(before[id])):
            found[id] = candidates.pop()
    return found


def followed_renames(before: Rows, after: Rows, followed: ConfigDiff) -> dict[str, str]:
    names = {it.was: it.id for it in followed.changed if it.was != it.id}
    gone, new = before.keys() - after.keys(), after.keys() - before.keys()
    return {was: id for was, id in names.items() if was in gone and id in new}


def errata_among(before: Rows, after: Rows, named: set[str]) -> set[str]:
    """The ids that an erratum is about: an error in one row of a quadruple is one of all four."""
    rows = [*before.items(), *after.items()]
    units = {it.row.get(QUADRUPLE) for id, it in rows if id in named or it.row.get(QUADRUPLE) in named} - {None}
    return {id for id, it in rows if id in named or it.row.get(QUADRUPLE) in units}


def came(rows: Rows, known: Known, errata: set[str], config_reason: str) -> list[RowChange]:
    reasons = reasons_for(rows, known, errata, config_reason, "new document", known.old_documents)
    return [RowChange(id, "", rows[id].split, reasons[id], []) for id in sorted(rows)]


def went(rows: Rows, known: Known, errata: set[str], config_reason: str) -> list[RowChange]:
    reasons = reasons_for(rows, known, errata, config_reason, "document gone", known.new_documents)
    return [RowChange(id, id, rows[id].split, reasons[id], []) for id in sorted(rows)]


def reasons_for(
    rows: Rows, known: Known, errata: set[str], config_reason: str, document_reason: str, elsewhere: set[Document]
) -> dict[str, list[str]]:
    """Why rows are in one release alone; `elsewhere` are the documents of the other."""
    followed = known.followed
    told = (
        {id: it for kind in ("changed", "removed", "added") for id, it in told_in(followed, kind)} if followed else {}
    )

    def reason(id: str, it: Located) -> list[str]:
        document = document_in(it.row)
        if id in errata:
            return ["erratum"]
        if config_reason:
            return [config_reason]
        if id in told:
            return told[id]
        return [document_reason if document and document not in elsewhere else "selection"]

    return {id: reason(id, it) for id, it in rows.items()}


def told_in(followed: ConfigDiff, kind: str) -> Iterable[tuple[str, list[str]]]:
    for it in getattr(followed, kind):
        yield from ((id, it.reasons) for id in {it.id, it.was} - {""})


def changes(
    before: Rows, after: Rows, renamed: Mapping[str, str], shared: Sequence[str], errata: set[str]
) -> list[RowChange]:
    """Rows that are in both releases and differ."""
    found = []
    for was, one in before.items():
        id = renamed.get(was, was)
        if id not in after:
            continue
        other = after[id]
        # A quadruple is named after its original, and goes by another name where that one does.
        compared = [name for name in shared if id == was or name != QUADRUPLE]
        columns = [name for name in compared if not alike(one.row.get(name), other.row.get(name))]
        if one.split != other.split and "split" not in columns:
            columns.append("split")
        if columns or id != was:
            aspects = dict.fromkeys(ASPECT_OF.get(name, name) for name in columns)
            reasons = ["id"] * (id != was) + [*aspects] + ["erratum"] * (was in errata)
            found.append(RowChange(id, was, other.split, reasons, columns))
    return sorted(found, key=lambda it: it.id)


def alike(one: Any, other: Any) -> bool:
    """Whether two values are the same; one that is no number is the same as itself."""
    return bool(one == other or (one != one and other != other))


def unit_of(it: RowChange, before: Rows, after: Rows) -> Any:
    return (before[it.was] if it.was else after[it.id]).row.get(QUADRUPLE)


def by_reason(found: Iterable[RowChange]) -> dict[str, int]:
    """How many rows there are for each reason, the most frequent first; a row with several counts for each."""
    return dict(Counter(reason for it in found for reason in it.reasons).most_common())


Level = Literal["none", "patch", "minor", "major"]
LEVELS: tuple[Level, ...] = ("none", "patch", "minor", "major")
Cause = tuple[Level, str]

# Aspects and columns of a row that no figure is measured on.
UNMEASURED = {"origin", "agreement", "standard", "page_entity", "contradictions", "edits"}
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})", re.ASCII)


def causes_in(it: ConfigDiff) -> Iterator[Cause]:
    """What in one config calls for a new version, and how high."""
    name = it.config
    if it.found_in == "old":
        yield "major", f"{name}: config removed"
    elif it.found_in == "new":
        yield "minor", f"{name}: config added"
    else:
        yield from (("major", f"{name}: split {split} removed") for split in it.splits_removed)
        yield from (("major", f"{name}: column {column} removed") for column in it.columns_removed)
        for column, (before, after) in it.columns_retyped.items():
            yield "major", f"{name}: column {column} of type {after}, was {before}"
        if it.removed:
            yield "major", f"{name}: {rows(len(it.removed))} removed"
        for reason, count in by_reason(it.changed).items():
            if reason == "id":
                yield "major", f"{name}: {rows(count)} renamed"
            elif reason != "erratum":
                yield "patch" if reason in UNMEASURED else "major", f"{name}: {reason} of {rows(count)} changed"
        if it.added:
            yield "minor", f"{name}: {rows(len(it.added))} added"
        yield from (("minor", f"{name}: split {split} added") for split in it.splits_added)
        yield from (("minor", f"{name}: column {column} added") for column in it.columns_added)


def rows(count: int) -> str:
    return f"{count:,} row" + ("" if count == 1 else "s")


def highest(causes: list[Cause]) -> Level:
    return max((level for level, _ in causes), key=LEVELS.index, default="none")


def numbers_in(version: str) -> tuple[int, int, int] | None:
    """The three numbers of a version, None where it is made of anything else."""
    found = _VERSION.fullmatch(version)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def next_version(version: str, level: Level) -> str:
    """The lowest version after this one that says so much has changed; empty where this one is no three numbers."""
    numbers = numbers_in(version)
    if numbers is None:
        return ""
    major, minor, patch = numbers
    raised = {
        "none": numbers,
        "patch": (major, minor, patch + 1),
        "minor": (major, minor + 1, 0),
        "major": (major + 1, 0, 0),
    }
    return ".".join(map(str, raised[level]))


def misfit(version: str, suggested: str) -> str:
    """What is wrong with the version that a release carries; empty where it is as high as suggested, or higher."""
    lowest, numbers = numbers_in(suggested), numbers_in(version)
    if numbers is None:
        return f"says version {version!r}, which is no three numbers such as 1.2.0"
    if lowest and numbers < lowest:
        return f"says version {version}; wanted at least {suggested}"
    return ""


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
