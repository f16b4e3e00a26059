"""All that decides what a stage's files hold, and what has changed in it."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gapforge.errors import listed
from gapforge.storage.files import sha256_of

NAMED = 3  # files in a line about changes


@dataclass(frozen=True, slots=True)
class CodeIdentity:
    """All code that decides what a stage makes; equal where the same is made of the same."""

    code: dict[str, str]  # file of a module, such as "gapforge/people/mentions.py": hash
    data: dict[str, str]  # embedded file: hash
    packages: dict[str, str]  # installed package: version

    @property
    def digest(self) -> str:
        """One hash of all modules and embedded files."""
        return hashlib.sha256(json.dumps([self.code, self.data]).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Identity:
    """All that decides what a stage's files hold; where two are equal, the files need not be made again.

    The order of inputs and upstream stages counts: records follow it.
    """

    stage: str
    settings: dict[str, Any]
    inputs: dict[str, str]  # raw file: sha256
    upstream: dict[str, str]  # stage: fingerprint
    code: CodeIdentity
    models: dict[str, str]  # setting: name and version, or hash of its files

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:16]


def identity_of(values: Mapping[str, Any]) -> Identity:
    """An identity as a manifest holds it; TypeError or KeyError if it is not one."""
    return Identity(**{**values, "code": CodeIdentity(**values["code"])})


def differences(old: Identity, new: Identity) -> Iterator[str]:
    """What has changed, in a few words each; files of the package are named without its folder."""
    for name in sorted(old.models.keys() | new.models.keys()):
        before, after = old.models.get(name), new.models.get(name)
        if before != after:
            yield f"{name} {before or 'none'} -> {after or 'none'}"
    for name in sorted(old.settings.keys() | new.settings.keys()):
        before, after = old.settings.get(name), new.settings.get(name)
        if before != after:
            yield f"setting {name}: {before!r} -> {after!r}"
    yield from code_differences(old.code, new.code)
    for what, before_all, after_all in (("input", old.inputs, new.inputs), ("stage", old.upstream, new.upstream)):
        for name in sorted(before_all.keys() | after_all.keys()):
            if name not in after_all:
                yield f"{what} {name} removed"
            elif name not in before_all:
                yield f"{what} {name} added"
            elif before_all[name] != after_all[name]:
                yield f"{what} {name} changed"
        if before_all == after_all and list(before_all) != list(after_all):
            yield f"the order of its {what}s changed"


def code_differences(old: CodeIdentity, new: CodeIdentity, package: str = "gapforge") -> Iterator[str]:
    for what, before, after in (("code", old.code, new.code), ("data", old.data, new.data)):
        changed = [name for name in before if name in after and before[name] != after[name]]
        added, removed = after.keys() - before.keys(), before.keys() - after.keys()
        for verb, names in (("changed", changed), ("added", added), ("removed", removed)):
            if names:
                yield f"{what} {verb}: {listed(sorted(it.removeprefix(f'{package}/') for it in names), NAMED)}"
    for name in sorted(old.packages.keys() | new.packages.keys()):
        version, now = old.packages.get(name, "none"), new.packages.get(name, "none")
        if version != now:
            yield f"package {name} {version} -> {now}"


def model_state(name: str) -> str:
    """A model's name with its version, or with a hash of its files; a name that is only known to a hub stays alone."""
    place = Path(name)
    if not name or not place.exists():
        with suppress(PackageNotFoundError, ValueError):
            return f"{name} {version(name)}"
        return name
    files = sorted(it for it in place.rglob("*") if it.is_file()) if place.is_dir() else [place]
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(place).as_posix()} {sha256_of(path)}\n".encode())
    return f"{place.name} {digest.hexdigest()[:16]}"
