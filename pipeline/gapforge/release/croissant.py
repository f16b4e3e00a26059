"""A release described in Croissant 1.0, the vocabulary in which search engines and loaders read of datasets.

Every file of the release is listed with its checksum, and each table is a record set whose fields name their columns,
so that `mlcroissant` and its kin load the rows without knowing us.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from gapforge.errors import InputError, one_line
from gapforge.release.card import meaning_of
from gapforge.release.citation import NOBODY, bibtex_of, papers, spdx_of
from gapforge.release.layout import CARD, CROISSANT, SETS, SUMS, table_name
from gapforge.released import Tables
from gapforge.storage.files import read_text, sha256_of
from gapforge.storage.tables import schema_of

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
# Terms of the vocabulary by the names that stand for them in the file.
CROISSANT_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in CROISSANT_TERMS},
}
TYPES = {pa.string(): "sc:Text", pa.int64(): "sc:Integer", pa.float64(): "sc:Float", pa.bool_(): "sc:Boolean"}
FORMATS = {
    ".parquet": "application/x-parquet",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".conll": "text/plain",
    ".cff": "application/yaml",
}
UNLISTED = (CROISSANT, CARD, SUMS)  # which list this file, or tell of it


def render_croissant(folder: Path, names: Sequence[str], tables: Tables, provenance: Mapping[str, Any]) -> str:
    """croissant.json of the release in a folder whose other files, the card aside, are complete."""
    told = provenance["release"]
    description: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": provenance["name"],
        "alternateName": provenance["title"],
        "description": told["description"]
        or f"{provenance['title']}: ambiguous gendered pronouns with their referents",
        "conformsTo": CONFORMS_TO,
        "version": provenance["version"],
        "license": [spdx_of(it) or it for it in dict.fromkeys([told["license"], *told["text_licenses"].values()])],
        "creator": [{"@type": "sc:Organization", "name": name} for name in told["authors"] or [NOBODY]],
        "citeAs": "\n\n".join(bibtex_of(paper) for paper in papers()),
        "inLanguage": "en",
        "keywords": ["coreference resolution", "gender bias", "fairness"],
        "isLiveDataset": False,
        **({"url": told["homepage"]} if told["homepage"] else {}),
        **({"datePublished": told["date"]} if told["date"] else {}),
        "distribution": [file_object(folder, name) for name in names if is_described(name)],
        "recordSet": [record_set(name, split) for name, splits in tables.items() for split in splits],
    }
    return json.dumps(description, indent=1, ensure_ascii=False) + "\n"


def is_described(name: str) -> bool:
    """Whether a file of the folder is one that a release consists of; a stranger is no reason to describe it."""
    return name not in UNLISTED and Path(name).suffix in FORMATS and not Path(name).name.startswith(".")


def file_object(folder: Path, name: str) -> dict[str, Any]:
    path = folder / name
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": FORMATS[path.suffix],
        "sha256": sha256_of(path),
    }


def record_set(name: str, split: str) -> dict[str, Any]:
    key = "instance_id" if name == "gap_weights" else "id"
    fields = [field_of(name, split, field) for field in schema_of(SETS[name])]
    return {
        "@type": "cr:RecordSet",
        "@id": f"{name}/{split}",
        "name": f"{name}/{split}",
        "description": f"{name}, {split}",
        "key": {"@id": f"{name}/{split}/{key}"},
        "field": fields,
    }


def field_of(name: str, split: str, field: pa.Field) -> dict[str, Any]:
    place = f"{name}/{split}"
    described: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{place}/{field.name}",
        "name": f"{place}/{field.name}",
        "description": meaning_of(name, field.name),
    }
    if not pa.types.is_list(field.type):
        return described | {"dataType": TYPES[field.type], "source": column_of(name, split, field.name)}
    described["repeated"] = True
    if not pa.types.is_struct(field.type.value_type):
        return described | {"dataType": TYPES[field.type.value_type], "source": column_of(name, split, field.name)}
    # Lists within a record of a list, such as the mentions of people, have no place in the vocabulary.
    described["subField"] = [
        {
            "@type": "cr:Field",
            "@id": f"{place}/{field.name}/{inner.name}",
            "name": f"{place}/{field.name}/{inner.name}",
            "dataType": TYPES[inner.type],
            "source": column_of(name, split, field.name) | {"transform": {"jsonPath": f"$.{inner.name}"}},
        }
        for inner in field.type.value_type
        if inner.type in TYPES
    ]
    return described


def column_of(name: str, split: str, column: str) -> dict[str, Any]:
    return {"fileObject": {"@id": table_name(name, split)}, "extract": {"column": column}}


def read_croissant(folder: Path) -> dict[str, Any]:
    path = folder / CROISSANT
    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: not JSON ({one_line(error)}); build the release again") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: holds no object; build the release again")
    return found


def leaf_fields(fields: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The fields that have a source of their own."""
    for field in fields:
        if "subField" in field:
            yield from leaf_fields(field["subField"])
        else:
            yield field
