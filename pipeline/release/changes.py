"""What differs between one config of a release and the same config of another, row by row and with the reasons.

Rows are matched by id. Where one went and another with the same text, pronoun and names came, it was renamed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pipeline.release.contents import Document, Located, Table, count_rows, document_in, key_of, rows_of

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
    (old_rows, old_units), (new_rows, new_units) = count_rows(old, QUADRUPLE), count_rows(new, QUADRUPLE)
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
