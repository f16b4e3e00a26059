"""Whether provenance, Croissant and card say of the tables what the tables say themselves.

These compare meaning, not letters, so that they hold for a release that another version of gapforge has made, and for
a card to which somebody has added. Each problem comes with the file that it is found in.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from pipeline.errors import InputError, one_line
from pipeline.files import read_text, sha256_of
from pipeline.release.balance import balance_tables, markdown
from pipeline.release.card import front_matter, set_lines
from pipeline.release.croissant import TYPES, leaf_fields, read_croissant
from pipeline.release.layout import CARD, CROISSANT, PROVENANCE, Tables, combined, logical_hashes, table_name
from pipeline.release.writing import sizes_in

Problem = tuple[str, str]  # file, what is wrong with it


def provenance_findings(tables: Tables, provenance: Mapping[str, Any]) -> Iterator[Problem]:
    """Tables whose rows are not those that the provenance tells of."""
    hashes = logical_hashes(tables)
    prefix = "run:release/"
    told = {name.removeprefix(prefix): it for name, it in provenance["entity"].items() if name.startswith(prefix)}
    for name in sorted(told.keys() - hashes.keys()):
        yield PROVENANCE, f"tells of {name}, which has no table"
    for name, digest in hashes.items():
        set_name, _, split = name.partition("/")
        if name not in told:
            yield table_name(set_name, split), f"is a table that {PROVENANCE} does not tell of"
        elif told[name].get("gapforge:logical_hash") != digest:
            yield table_name(set_name, split), f"its rows are not those that {PROVENANCE} tells of"
        elif told[name].get("gapforge:rows") != len(tables[set_name][split]):
            yield PROVENANCE, f"counts {told[name].get('gapforge:rows')} rows of {name}; there are others"
    if combined(hashes) != provenance["logical_hash"] and {it["gapforge:logical_hash"] for it in told.values()} == set(
        hashes.values()
    ):
        yield PROVENANCE, "its logical_hash is not that of the rows"


def croissant_findings(folder: Path, tables: Tables) -> Iterator[Problem]:
    """Whether every file and record set that Croissant describes is there, and its records can be read by it."""
    try:
        description = read_croissant(folder)
        files = {it["@id"]: it for it in description["distribution"]}
        sets = {it["@id"]: it for it in description["recordSet"]}
        for name, it in files.items():
            path = folder / it["contentUrl"]
            if not path.is_file():
                yield CROISSANT, f"describes {name}, which is missing"
            elif it["sha256"] != sha256_of(path):
                yield CROISSANT, f"has another sha256 for {name}"
        wanted = {f"{name}/{split}" for name, splits in tables.items() for split in splits}
        for name in sorted(wanted ^ sets.keys()):
            yield CROISSANT, f"{'lacks' if name in wanted else 'describes'} the records {name}"
        for name in sorted(wanted & sets.keys()):
            set_name, _, split = name.partition("/")
            yield from record_findings(folder, sets[name], files, len(tables[set_name][split]))
    except InputError as error:
        yield CROISSANT, str(error).partition(": ")[2]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        yield CROISSANT, f"lacks what a release describes itself by ({one_line(error)})"


def record_findings(
    folder: Path, described: Mapping[str, Any], files: Mapping[str, Any], rows: int
) -> Iterator[Problem]:
    """Read the records by their description alone."""
    for field in leaf_fields(described["field"]):
        name, column = field["source"]["fileObject"]["@id"], field["source"]["extract"]["column"]
        path = folder / files[name]["contentUrl"]
        if column not in pq.read_schema(path).names:
            yield CROISSANT, f"{field['@id']}: {name} has no column {column}"
            continue
        read = pq.read_table(path, columns=[column]).column(column)
        kind = read.type
        if "transform" in field["source"]:
            inner = field["source"]["transform"]["jsonPath"].removeprefix("$.")
            kind = kind.value_type.field(inner).type
        elif field.get("repeated"):
            kind = kind.value_type
        if TYPES.get(kind) != field["dataType"]:
            yield CROISSANT, f"{field['@id']}: is called {field['dataType']}, and {name} holds {kind}"
        if len(read) != rows:
            yield CROISSANT, f"{field['@id']}: gives {len(read):,} records of {rows:,}"


def card_findings(folder: Path, tables: Tables, provenance: Mapping[str, Any]) -> Iterator[Problem]:
    """Whether the card's metadata and tables are those of the files; what somebody has added to it is not looked at."""
    try:
        text = read_text(folder / CARD)
    except InputError as error:
        yield CARD, str(error).partition(": ")[2]
        return
    opening, _, rest = text.removeprefix("---\n").partition("\n---\n")
    try:
        told = yaml.safe_load(opening) if text.startswith("---\n") else None
    except yaml.YAMLError as error:
        yield CARD, f"its metadata is no YAML ({one_line(error)})"
        return
    if not isinstance(told, dict):
        yield CARD, "has no metadata; wanted YAML between two lines of ---"
        return
    for key, value in front_matter(tables, provenance, sizes_in(folder, tables)).items():
        if key in COMPARED and told.get(key) != value:
            yield CARD, f"{key} in its metadata is not what the files give"
    for line in set_lines(tables):
        if line not in rest:
            yield CARD, f"does not say {line!r}, which the files give"
    for table in balance_tables(tables):
        if markdown(table) not in rest:
            yield CARD, f"its table {table.caption!r} is not what the files give"
    if provenance["logical_hash"] not in rest:
        yield CARD, "does not name the hash of the rows"


# Metadata that follows from the files; whoever publishes a release may name other tags, or a better licence.
COMPARED = ("configs", "dataset_info", "size_categories")
