"""How a release is cited: itself, and the papers whose systems made it.

Licences by the names that people, dataset hubs and citation files call them.

A release has two kinds: that of the labels, which whoever publishes it decides, and those of the texts, which their
authors decided long before.
"""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import yaml

from gapforge.release.settings import TEXT_LICENSES, UNKNOWN
from gapforge.resources import resource

# SPDX identifiers, with what dataset hubs call them. Where a hub has one name for two, the stricter stands first.
KNOWN = {
    "Apache-2.0": "apache-2.0",
    "BSD-3-Clause": "bsd-3-clause",
    "CC-BY-3.0": "cc-by-3.0",
    "CC-BY-4.0": "cc-by-4.0",
    "CC-BY-NC-4.0": "cc-by-nc-4.0",
    "CC-BY-NC-SA-4.0": "cc-by-nc-sa-4.0",
    "CC-BY-SA-3.0": "cc-by-sa-3.0",
    "CC-BY-SA-4.0": "cc-by-sa-4.0",
    "CC0-1.0": "cc0-1.0",
    "GFDL-1.3-only": "gfdl",
    "GFDL-1.3-or-later": "gfdl",
    "GPL-3.0-only": "gpl-3.0",
    "GPL-3.0-or-later": "gpl-3.0",
    "MIT": "mit",
    "ODbL-1.0": "odbl",
    "ODC-By-1.0": "odc-by",
    "PDDL-1.0": "pddl",
    "Unlicense": "unlicense",
}
OTHER = "other"


def spdx_of(licence: str) -> str | None:
    """The SPDX identifier of a licence that is called by it, or by a hub's name; None where there is none."""
    wanted = licence.casefold()
    names = {hub: spdx for spdx, hub in reversed(KNOWN.items())} | {spdx.casefold(): spdx for spdx in KNOWN}
    return names.get(wanted)


def hub_name(licence: str) -> str:
    """What a dataset hub calls a licence; `other` where it has no name for it."""
    spdx = spdx_of(licence)
    return KNOWN[spdx] if spdx else UNKNOWN if licence.casefold() == UNKNOWN else OTHER


def text_licences(corpora: Iterable[str], given: Mapping[str, str], formats: Mapping[str, str]) -> dict[str, str]:
    """The licence of each corpus's text: as given, else what is usual for where it comes from."""
    return {name: given.get(name) or TEXT_LICENSES.get(formats.get(name, ""), UNKNOWN) for name in corpora}


def hub_names(licences: Iterable[str]) -> list[str]:
    """All of them as a hub lists them, each once, in order."""
    return list(dict.fromkeys(map(hub_name, licences)))


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
