"""How a release is cited: itself, and the papers whose systems made it."""

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

from pipeline.release.licences import spdx_of
from pipeline.resources import resource

PAPERS = resource("release/papers.toml")
NOBODY = "The authors of this release"
# CFF has journals for articles, and proceedings as a collection.
VENUES = {"article": "journal", "conference-paper": "collection-title"}
ESCAPES = {it: f"\\{it}" for it in "{}%&_#$"} | {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
}
BIBTEX = {"article": ("article", "journal"), "conference-paper": ("inproceedings", "booktitle")}


@cache
def papers() -> list[dict[str, Any]]:
    return list(tomllib.loads(PAPERS.read_text("utf-8"))["papers"])


def citation_file(provenance: Mapping[str, Any]) -> str:
    """CITATION.cff of a release (Citation File Format 1.2.0)."""
    told = provenance["release"]
    fields = {
        "cff-version": "1.2.0",
        "title": provenance["title"],
        "message": "If you use this dataset, please cite it together with the papers below.",
        "type": "dataset",
        "authors": [{"name": name} for name in told["authors"] or [NOBODY]],
        "version": provenance["version"],
        "date-released": told["date"] or None,
        "url": told["homepage"] or None,
        "license": spdx_of(told["license"]),
        "abstract": told["description"] or None,
        "identifiers": [
            {
                "type": "other",
                "value": f"sha256:{provenance['logical_hash']}",
                "description": "hash of the rows",
            }
        ],
        "references": [reference_of(paper) for paper in papers()],
    }
    given = {name: value for name, value in fields.items() if value is not None}
    return str(yaml.safe_dump(given, sort_keys=False, allow_unicode=True, width=1000))


def reference_of(paper: Mapping[str, Any]) -> dict[str, Any]:
    names = [it.split(", ") for it in paper["authors"]]
    return {
        "type": paper["type"],
        "title": paper["title"],
        "authors": [{"family-names": family, "given-names": given} for family, given in names],
        VENUES[paper["type"]]: paper["venue"],
        "year": paper["year"],
    }


def bibtex_of(paper: Mapping[str, Any]) -> str:
    kind, venue = BIBTEX[paper["type"]]
    fields = {
        "title": f"{{{tex(paper['title'])}}}",
        "author": " and ".join(map(tex, paper["authors"])),
        venue: tex(paper["venue"]),
        "year": paper["year"],
    }
    return entry(kind, paper["key"], fields)


def own_bibtex(provenance: Mapping[str, Any]) -> str:
    """The entry of a release itself; authors are names as a whole, of people or of an organisation."""
    told = provenance["release"]
    fields = {
        "title": f"{{{tex(provenance['title'])}}}",
        "author": " and ".join(f"{{{tex(it)}}}" for it in told["authors"] or [NOBODY]),
        "note": f"Version {provenance['version']}",
        **({"year": told["date"][:4]} if told["date"] else {}),
        **({"howpublished": f"\\url{{{told['homepage']}}}"} if told["homepage"] else {}),
    }
    return entry("misc", f"{provenance['name'].lower()}-{provenance['version']}", fields)


def entry(kind: str, key: str, fields: Mapping[str, Any]) -> str:
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"


def tex(text: str) -> str:
    """Plain text with what TeX takes for its own written out."""
    return "".join(ESCAPES.get(character, character) for character in text)
