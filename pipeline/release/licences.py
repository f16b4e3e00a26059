"""Licences by the names that people, dataset hubs and citation files call them.

A release has two kinds: that of the labels, which whoever publishes it decides, and those of the texts, which their
authors decided long before.
"""

from collections.abc import Iterable, Mapping

from pipeline.release.settings import TEXT_LICENSES, UNKNOWN

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
