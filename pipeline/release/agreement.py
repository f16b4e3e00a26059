"""Whether provenance, Croissant and card say of the tables what the tables say themselves.

These compare meaning, not letters, so that they hold for a release that another version of gapforge has made, and for
a card to which somebody has added. Each problem comes with the file that it is found in.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from pipeline.conll import read_documents
from pipeline.errors import InputError, one_line
from pipeline.files import read_text, sha256_of
from pipeline.records import WinoBiasSentence
from pipeline.release.balance import balance_tables, markdown
from pipeline.release.card import front_matter, set_lines
from pipeline.release.croissant import TYPES, leaf_fields, read_croissant
from pipeline.release.layout import (
    CARD,
    CROISSANT,
    LABELLED,
    PROVENANCE,
    Tables,
    combined,
    logical_hashes,
    stem_of,
    table_name,
)
from pipeline.release.provenance import tables_in
from pipeline.release.rows import published
from pipeline.release.writing import sizes_in
from pipeline.tsv import Row, on_one_line, read_rows
from pipeline.winobias.forms import as_published, by_file
from pipeline.winobias.published import file_sentences

Problem = tuple[str, str]  # file, what is wrong with it


def provenance_findings(tables: Tables, provenance: Mapping[str, Any]) -> Iterator[Problem]:
    """Tables whose rows are not those that the provenance tells of."""
    hashes, told = logical_hashes(tables), tables_in(provenance)
    for name in sorted(told.keys() - hashes.keys()):
        yield PROVENANCE, f"tells of {name}, which has no table"
    for name, digest in hashes.items():
        set_name, _, split = name.partition("/")
        if name not in told:
            yield table_name(set_name, split), f"is a table that {PROVENANCE} does not tell of"
        elif told[name]["gapforge:logical_hash"] != digest:
            yield table_name(set_name, split), f"its rows are not those that {PROVENANCE} tells of"
        elif told[name]["gapforge:rows"] != len(tables[set_name][split]):
            yield PROVENANCE, f"counts {told[name]['gapforge:rows']} rows of {name}; there are others"
    if combined({name: it["gapforge:logical_hash"] for name, it in told.items()}) != provenance["logical_hash"]:
        yield PROVENANCE, "its logical_hash is not that of its tables"


def croissant_findings(folder: Path, tables: Tables) -> Iterator[Problem]:
    """Whether every file and record set that Croissant describes is there, and its records can be read by it."""
    try:
        description = read_croissant(folder)
        files = {it["@id"]: it for it in description["distribution"]}
        sets = {it["@id"]: it for it in description["recordSet"]}
        for name, it in files.items():
            path = folder / it["contentUrl"]
            if it["contentUrl"] != name or not path.is_file():
                yield CROISSANT, f"describes {name} as {it['contentUrl']!r}, which is missing"
            elif it["sha256"] != sha256_of(path):
                yield name, f"is not the file that {CROISSANT} describes: its sha256 is another"
        wanted = {f"{name}/{split}" for name, splits in tables.items() for split in splits}
        for name in sorted(wanted ^ sets.keys()):
            yield CROISSANT, f"{'lacks' if name in wanted else 'describes'} the records {name}"
        for name in sorted(wanted & sets.keys()):
            set_name, _, split = name.partition("/")
            yield from record_findings(folder, sets[name], files, len(tables[set_name][split]))
    except InputError as error:
        yield CROISSANT, str(error).partition(": ")[2]
    except (KeyError, TypeError, AttributeError, ValueError, OSError) as error:
        yield CROISSANT, f"lacks what a release describes itself by ({one_line(error)})"


def record_findings(
    folder: Path, described: Mapping[str, Any], files: Mapping[str, Any], rows: int
) -> Iterator[Problem]:
    """Whether the files hold the fields that are described, as many, and of these types; their footers tell."""
    for field in leaf_fields(described["field"]):
        name, column = field["source"]["fileObject"]["@id"], field["source"]["extract"]["column"]
        path = folder / files[name]["contentUrl"]
        footer = pq.read_metadata(path)
        schema = footer.schema.to_arrow_schema()
        if column not in schema.names:
            yield CROISSANT, f"{field['@id']}: {name} has no column {column}"
            continue
        kind = schema.field(column).type
        if "transform" in field["source"]:
            inner = field["source"]["transform"]["jsonPath"].removeprefix("$.")
            kind = kind.value_type.field(inner).type
        elif field.get("repeated"):
            kind = kind.value_type
        if TYPES.get(kind) != field["dataType"]:
            yield CROISSANT, f"{field['@id']}: is called {field['dataType']}, and {name} holds {kind}"
        if footer.num_rows != rows:
            yield CROISSANT, f"{field['@id']}: gives {footer.num_rows:,} records of {rows:,}"


def card_findings(
    folder: Path, tables: Tables, provenance: Mapping[str, Any], rendered: str | None
) -> Iterator[Problem]:
    """Whether the card says what the files give, in their order; whoever publishes a release may add to it.

    `rendered` is the card as this gapforge writes it; None where another version has made the release, of whose card
    only the metadata and the tables are known.
    """
    try:
        text = read_text(folder / CARD)
    except InputError as error:
        yield CARD, str(error).partition(": ")[2]
        return
    try:
        told = yaml.safe_load(metadata_in(text))
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError) as error:
        yield CARD, f"its metadata is no YAML ({one_line(error)})"
        return
    if not isinstance(told, dict):
        yield CARD, "has no metadata; wanted YAML between two lines of ---"
        return
    for key, value in front_matter(tables, provenance, sizes_in(folder, tables)).items():
        if key in COMPARED and told.get(key) != value:
            yield CARD, f"{key} in its metadata is not what the files give"
    wanted = body_of(rendered).split("\n") if rendered else [*set_lines(tables), *balance_lines(tables)]
    lines = iter(body_of(text).split("\n"))
    for line in wanted:
        if line.strip() and line not in lines:  # which goes on behind the line that it finds
            yield CARD, f"does not say {line!r}, which the files give, or not in its place"
            return


def metadata_in(card: str) -> str:
    return card.removeprefix("---\n").partition("\n---\n")[0] if card.startswith("---\n") else ""


def body_of(card: str) -> str:
    return card.removeprefix("---\n").partition("\n---\n")[2]


def balance_lines(tables: Tables) -> Iterator[str]:
    return (line for _, tally in balance_tables(tables) for line in markdown(tally).split("\n"))


# Metadata that follows from the files; whoever publishes a release may name other tags or a better title.
COMPARED = ("annotations_creators", "configs", "dataset_info", "license", "size_categories")


def export_findings(folder: Path, tables: Tables) -> Iterator[Problem]:
    """Whether the published forms hold the rows, for a release whose files another version has written."""
    for name, splits in tables.items():
        for split, rows in splits.items():
            if name in LABELLED:
                stem = stem_of(name, split)
                yield from rows_findings(folder, f"tsv/{stem}.tsv", [flat(published(row)) for row in rows])
                yield from documents_findings(folder, f"conll/{stem}.conll", [row.id for row in rows])
            elif name == "winobias":
                yield from sentence_findings(folder, rows)


def sentence_findings(folder: Path, rows: Sequence[WinoBiasSentence]) -> Iterator[Problem]:
    for stem, sentences in by_file(rows).items():
        for name in (f"text/{stem}.txt", f"conll/{stem}.conll"):
            try:
                found = [(it.number, it.letters) for it in file_sentences(folder / name)]
                if found != [(it.number, as_published(it).letters) for it in sentences]:
                    yield name, "does not hold the sentences of the tables"
            except InputError as error:
                yield name, str(error).removeprefix(f"{folder / name}: ")


def flat(row: Row) -> Row:
    return dataclasses.replace(row, text=on_one_line(row.text), a=on_one_line(row.a), b=on_one_line(row.b))


def rows_findings(folder: Path, name: str, wanted: Sequence[Row]) -> Iterator[Problem]:
    try:
        if [flat(row) for row in read_rows(folder / name)] != wanted:
            yield name, "does not hold the rows of the tables"
    except InputError as error:
        yield name, str(error).removeprefix(f"{folder / name}: ")


def documents_findings(folder: Path, name: str, wanted: Sequence[str]) -> Iterator[Problem]:
    try:
        if [document.name for document in read_documents(folder / name)] != wanted:
            yield name, "does not hold a document for each row of the tables"
    except InputError as error:
        yield name, str(error).removeprefix(f"{folder / name}: ")
