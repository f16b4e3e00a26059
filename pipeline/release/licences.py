"""Licences by the names that people, dataset hubs and citation files call them.

A release has two kinds: that of the labels, which whoever publishes it decides, and those of the texts, which their
authors decided long before.
"""

from collections.abc import Iterable, Mapping

from pipeline.release.settings import TEXT_LICENSES, UNKNOWN

# Names that dataset hubs know, with their SPDX identifiers.
KNOWN = {
    "apache-2.0": "Apache-2.0",
    "cc-by-4.0": "CC-BY-4.0",
    "cc-by-nc-4.0": "CC-BY-NC-4.0",
    "cc-by-nc-sa-4.0": "CC-BY-NC-SA-4.0",
    "cc-by-sa-3.0": "CC-BY-SA-3.0",
    "cc-by-sa-4.0": "CC-BY-SA-4.0",
    "cc0-1.0": "CC0-1.0",
    "gfdl": "GFDL-1.3-or-later",
    "gpl-3.0": "GPL-3.0-or-later",
    "mit": "MIT",
    "odbl": "ODbL-1.0",
    "odc-by": "ODC-By-1.0",
    "pddl": "PDDL-1.0",
}
OTHER = "other"


def hub_name(licence: str) -> str:
    """What a dataset hub calls a licence; `other` where it has no name for it."""
    key = licence.lower().removesuffix("-or-later").removesuffix("-only")
    return key if key in KNOWN else UNKNOWN if key == UNKNOWN else OTHER


def spdx_of(licence: str) -> str | None:
    """The SPDX identifier; None where it has none."""
    return licence if licence in KNOWN.values() else KNOWN.get(hub_name(licence))


def text_licences(corpora: Iterable[str], given: Mapping[str, str], formats: Mapping[str, str]) -> dict[str, str]:
    """The licence of each corpus's text: as given, else what is usual for where it comes from."""
    return {name: given.get(name) or TEXT_LICENSES.get(formats.get(name, ""), UNKNOWN) for name in corpora}


def hub_names(licences: Iterable[str]) -> list[str]:
    """All of them as a hub lists them, each once, in order."""
    return list(dict.fromkeys(map(hub_name, licences)))
