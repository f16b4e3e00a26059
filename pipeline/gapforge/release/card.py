"""The dataset card of a release, written from its own files: what they hold, how they came about, what to beware of.

A card that is written by hand drifts from the data; this one is rendered from the tables and `provenance.json`, and
`gapforge verify` holds every figure of it against them again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
import pyarrow as pa
import yaml

from gapforge.release.citation import OTHER, bibtex_of, hub_names, own_bibtex, papers
from gapforge.release.errata import Erratum
from gapforge.release.layout import INSTANCES, LABELLED, SETS, table_name
from gapforge.release.provenance import labelled_by, stages_in, subjectivity_in
from gapforge.released import Tables, rows_in
from gapforge.report.composition import balance_tables, markdown
from gapforge.resources import resource
from gapforge.storage.tables import schema_of

TEMPLATE = resource("release/card.md.j2")
# Bounds of the hub's classes of size, and their names.
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
# What the sets are called in the literature.
TAGS = {"gap": "GAP", "counter_gap": "Counter-GAP", "gap_subjective": "GAP-Subjective", "winobias": "WinoBias"}
DTYPES = {pa.string(): "string", pa.int64(): "int64", pa.float64(): "float64", pa.bool_(): "bool"}
MEANINGS = {
    "id": "stable: derived from corpus, document and offsets",
    "text": "the context; paragraphs are parted by a blank line",
    "pronoun": "the ambiguous pronoun as it stands in the text",
    "pronoun_offset": "where it begins, in code points",
    "a": "the first candidate name",
    "a_offset": "where it begins, in code points",
    "a_coref": "whether the pronoun refers to A",
    "b": "the second candidate name",
    "b_offset": "where it begins, in code points",
    "b_coref": "whether the pronoun refers to B",
    "url": "the page or book that the text comes from",
    "gender": "of the pronoun: feminine or masculine",
    "pattern": "FINALPRO, MEDIALPRO or INITIALPRO (GAP, section 3.1)",
    "label": "A, B or neither",
    "agreement": "share of the annotators who gave the label",
    "standard": "gold where people stand behind the label, silver where resolvers have voted",
    "corpus": "which corpus of the run it comes from",
    "document_id": "which document of the corpus",
    "document_offset": "where the text begins in the cleaned document",
    "page_entity": "whether A or B is whom the page is about",
    "weight": "what the row counts in W-Bias, 0 where it does not; null in splits that are not weighed",
    "gap_weights.weight": "what the row counts in W-Bias, 0 where it does not",
    "quadruple_id": "the id of the original; the four texts of a quadruple share it",
    "variant": "original, control, swap-1 or swap-2",
    "people": "the four people in the roles C1, C2 (of the pronoun's gender), O1, O2, with every mention",
    "contradictions": "words that a reader may find against common sense in one of the four texts",
    "instance_id": "the `id` of a row of `gap`",
    "names": "how many personal names the text holds",
    "rank": "where the true name stands among them, 1 being the nearest to the pronoun",
    "gap_subjective.id": "that of the row of `gap` whose variant it is",
    "gap_subjective.text": "the context with its edits; that of `gap` where there are none",
    "original_text": "the context as `gap` has it",
    "converted": "whether there are edits",
    "winobias.id": "split, type, condition and number, as evaluation names the sentences of the published files",
    "winobias.text": "the sentence",
    "winobias.pronoun": "as it stands in the sentence",
    "referent": "whom the pronoun means, with the article, as it stands in the sentence",
    "referent_offset": "where it begins, in code points",
    "other": "the other one, with the article, as it stands in the sentence",
    "other_offset": "where it begins, in code points",
    "kind": "type1, where the circumstance tells who is meant, or type2, where syntax does (WinoBias, section 2)",
    "condition": "pro, where the pronoun is of the gender of most people in the referent's occupation, or anti",
    "split": "development or test: a scene is in one of them",
    "number": "of the sentence among those of its split, type and condition",
    "pair_id": "shared with the sentence that differs in the pronoun alone",
    "scene": "the template; its two ends are in the same split",
    "end": "first, where the pronoun means whom the sentence begins with, or second",
    "occupation": "of the referent",
    "women": "percentage of women in that occupation (WinoBias, Table 1)",
    "other_occupation": "of the other one",
    "other_women": "percentage of women in that occupation",
    "edits": "what was changed, in order: `new` in the place of `original_text[start:end]`, with its scores",
}


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of a table: its file, and its columns in memory."""

    file: int
    memory: int


def render_card(
    tables: Tables, provenance: Mapping[str, Any], errata: Sequence[Erratum], sizes: Mapping[str, Sizes]
) -> str:
    """README.md of a release; `sizes` are by file name."""
    environment = jinja2.Environment(  # noqa: S701 (Markdown, not HTML)
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["plain"] = plain
    template = environment.from_string(TEMPLATE.read_text("utf-8"))
    told = provenance["release"]
    return template.render(
        front_matter=yaml.safe_dump(front_matter(tables, provenance, sizes), sort_keys=False, allow_unicode=True),
        provenance=provenance,
        told=told,
        sets=list(set_lines(tables)),
        counts=counts_of(tables),
        balance=[(f"{caption} {tally.property}", markdown(tally)) for caption, tally in balance_tables(tables)],
        fields={name: list(field_lines(name)) for name in tables},
        stages=list(stage_lines(provenance)),
        labelled=labelled_by(provenance),
        silver=[name for name in LABELLED if is_silver(rows_in(tables, name))],
        notes={name: stages_in(provenance).get(stage, {}).get("notes", []) for name, stage in LABELLED_STAGES.items()},
        errata=len(errata),
        entries=[own_bibtex(provenance), *(bibtex_of(paper) for paper in papers())],
        license=plain(told["license"]),
        text_licences={corpus: plain(licence) for corpus, licence in told["text_licenses"].items()},
        weighed=next(iter(tables.get("gap_weights", {})), ""),
        weighed_by=weighed_by(provenance),
        encyclopedic=is_encyclopedic(tables, provenance),
        converted=list(converted_lines(tables)),
        subjective=[f"| {' | '.join(map(plain, it))} |" for it in subjectivity_in(provenance)],
    )


# Marks by which Markdown makes links, images, code, emphasis and cells; HTML may stand anywhere in it.
MARKS = {ord(mark): f"\\{mark}" for mark in "\\`*[]|"}
MARKS |= {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}


def plain(text: Any) -> str:
    """Text that Markdown shows as it is, in a line or in a cell; of a tampered provenance, whatever stands for it."""
    return str(text).translate(MARKS)


# What weights may balance, in words.
BALANCED = {"number": "the number of names in a text", "distance": "the place of the true name among them"}


def weighed_by(provenance: Mapping[str, Any]) -> list[str]:
    """What the weights balance, in words; of a property of the user's own its name."""
    properties = stages_in(provenance).get("GapWeights", {}).get("settings", {}).get("properties", {})
    return [BALANCED.get(name, f"`{name}`") for name in properties]


def is_encyclopedic(tables: Tables, provenance: Mapping[str, Any]) -> bool:
    """Whether rows of GAP come from Wikipedia, whose pages tell of people who live."""
    corpora = {row.corpus for row in rows_in(tables, "gap")}
    stages = stages_in(provenance)
    formats = [stages.get(f"Documents-{it}", {}).get("settings", {}).get("format") for it in corpora]
    return "wikipedia" in formats


LABELLED_STAGES = {"gap": "GapLabelled", "counter_gap": "QuadruplesLabelled", "gap_subjective": "GapSubjective"}


def is_silver(rows: Sequence[Any]) -> bool:
    """Whether resolvers have voted on a label in the place of people."""
    return any(row.standard == "silver" for row in rows)


def front_matter(tables: Tables, provenance: Mapping[str, Any], sizes: Mapping[str, Sizes]) -> dict[str, Any]:
    """The YAML that dataset hubs read: licences, size, and which file is which split of which set."""
    told = provenance["release"]
    licences = hub_names([told["license"], *told["text_licenses"].values()])
    rows = sum(len(rows_in(tables, name)) for name in INSTANCES)
    creators = creators_of(tables, provenance)
    found: dict[str, Any] = {
        "language": ["en"],
        "license": licences,
        "pretty_name": provenance["title"],
        "size_categories": [next((name for bound, name in SIZES if rows < bound), "n>1M")],
        "task_categories": ["token-classification"],
        **({"annotations_creators": creators} if creators else {}),
        "source_datasets": ["original"],
        "multilinguality": ["monolingual"],
        "tags": ["coreference-resolution", "gender-bias", "fairness", *(TAGS[name] for name in tables if name in TAGS)],
        "configs": [
            {
                "config_name": name,
                "data_files": [{"split": split, "path": table_name(name, split)} for split in splits],
                **({"default": True} if name == next(iter(tables)) else {}),
            }
            for name, splits in tables.items()
        ],
        "dataset_info": [info_of(name, splits, sizes) for name, splits in tables.items()],
    }
    return found | ({"license_name": "see-below"} if OTHER in licences else {})


def creators_of(tables: Tables, provenance: Mapping[str, Any]) -> list[str]:
    return sorted({CREATORS[by] for name, by in labelled_by(provenance).items() if name in tables and by in CREATORS})


# Who annotators are, experts or a crowd, their answers do not say.
CREATORS = {"author": "expert-generated", "panel": "machine-generated"}


def info_of(name: str, splits: Mapping[str, Sequence[Any]], sizes: Mapping[str, Sizes]) -> dict[str, Any]:
    of = {split: sizes[table_name(name, split)] for split in splits}
    return {
        "config_name": name,
        "features": [feature_of(field) for field in schema_of(SETS[name])],
        "splits": [
            {"name": split, "num_bytes": of[split].memory, "num_examples": len(rows)} for split, rows in splits.items()
        ],
        "download_size": sum(it.file for it in of.values()),
        "dataset_size": sum(it.memory for it in of.values()),
    }


def feature_of(field: pa.Field) -> dict[str, Any]:
    return {"name": field.name, **feature_type(field.type)}


def feature_type(kind: pa.DataType) -> dict[str, Any]:
    """A column's type as `datasets` writes it into cards."""
    if pa.types.is_list(kind):
        inner = feature_type(kind.value_type)
        return {"list": inner.get("dtype") or inner["struct"]}
    if pa.types.is_struct(kind):
        return {"struct": [feature_of(it) for it in kind]}
    return {"dtype": DTYPES[kind]}


def counts_of(tables: Tables) -> dict[str, int]:
    counts = {name: sum(map(len, splits.values())) for name, splits in tables.items()}
    return counts | {
        "quadruples": len({row.quadruple_id for row in rows_in(tables, "counter_gap")}),
        "templates": len({(row.scene, row.end) for row in rows_in(tables, "winobias")}),
        "occupations": len({row.occupation for row in rows_in(tables, "winobias")}),
        "converted": sum(row.converted for row in rows_in(tables, "gap_subjective")),
    }


def set_lines(tables: Tables) -> Iterator[str]:
    """A line of the table of sets for each split."""
    for name, splits in tables.items():
        for split, rows in splits.items():
            documents = {(row.corpus, row.document_id) for row in rows} if name in LABELLED else ()
            yield f"| `{name}` | {split} | {len(rows):,} | {f'{len(documents):,}' if documents else ''} |"


def converted_lines(tables: Tables) -> Iterator[str]:
    """A line for each split of `gap_subjective`: how many of its contexts are converted."""
    for split, rows in tables.get("gap_subjective", {}).items():
        converted = sum(row.converted for row in rows)
        yield f"| {split} | {len(rows):,} | {converted:,} | {converted / len(rows):.1%} |"


def field_lines(name: str) -> Iterator[str]:
    for field in schema_of(SETS[name]):
        kind = feature_type(field.type)
        shown = kind.get("dtype") or ("list of text" if kind.get("list") == "string" else "list")
        null = ", may be null" if field.nullable else ""
        yield f"| `{field.name}` | {shown}{null} | {meaning_of(name, field.name)} |"


def meaning_of(name: str, column: str) -> str:
    """What a column of a set holds."""
    return MEANINGS.get(f"{name}.{column}") or MEANINGS[column]


def stage_lines(provenance: Mapping[str, Any]) -> Iterator[str]:
    for name, stage in stages_in(provenance).items():
        rejects = ", ".join(f"{count:,} {plain(reason)}" for reason, count in stage["rejects"].items())
        yield f"| {plain(name)} | {stage['rows_in']:,} | {stage['rows']:,} | {rejects} |"
