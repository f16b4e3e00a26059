"""Files of a run for machines that do not share its disk: through any place that fsspec knows (s3, gs, a mount).

What a shard reads is put there once, under its checksum; a worker takes it to a folder of its own, in which paths
are those of the run's machine, writes its part beside it and puts that there too. The run's machine collects it.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import fsspec

from pipeline.errors import ConfigError, one_line
from pipeline.files import atomic_file, sha256_of

# Settings and pieces of files hold paths as text in fields of these names.
TEXT_PATHS = frozenset(("path", "file"))


class Exchange:
    """A folder of one stage in the place that all machines reach; whatever an earlier run left in it is removed."""

    def __init__(self, url: str, name: str) -> None:
        try:
            self.files, root = fsspec.core.url_to_fs(url)
            self.root = f"{root.rstrip('/')}/{name}"
            self.remove()
            self.files.makedirs(f"{self.root}/reads", exist_ok=True)
        except (ImportError, ValueError, OSError) as error:
            raise ConfigError(f"--exchange {url}: {one_line(error)}; name a place that can be written to") from error
        self.url = f"{url.rstrip('/')}/{name}"
        self.sent: dict[Path, str] = {}

    def remove(self) -> None:
        if self.files.exists(self.root):
            self.files.rm(self.root, recursive=True)

    def send(self, paths: Iterable[Path]) -> dict[str, str]:
        """Put files and those of folders there, each once; the absolute path of each, and what it is called there."""
        found = {}
        for path in paths:
            for file in sorted(it for it in path.rglob("*") if it.is_file()) if path.is_dir() else [path]:
                place = file.absolute()
                if place not in self.sent:
                    self.sent[place] = f"{self.url}/reads/{sha256_of(place)}"
                    self.files.put_file(str(place), f"{self.root}/reads/{self.sent[place].rpartition('/')[2]}")
                found[str(place)] = self.sent[place]
        return found

    def collect(self, names: Iterable[str], folder: Path) -> None:
        """Bring files that a worker has delivered into the folder, in this order, each whole or not at all."""
        for name in names:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with atomic_file(target) as temporary:
                self.files.get_file(f"{self.root}/{name}", str(temporary))
            self.files.rm_file(f"{self.root}/{name}")


def bring(sent: Mapping[str, str], root: Path) -> dict[Path, Path]:
    """Take files to below a folder: where they and the folders above them are on the run's machine, and where here."""
    places = {}
    for name, url in sent.items():
        path = Path(name)
        local = root.joinpath(*path.parts[1:])
        local.parent.mkdir(parents=True, exist_ok=True)
        if not local.exists():
            with atomic_file(local) as temporary:
                files, remote = fsspec.core.url_to_fs(url)
                files.get_file(remote, str(temporary))
        places[path] = local
        places |= dict(zip(path.parents, local.parents, strict=False))
    return places


def put(folder: Path, names: Iterable[str], url: str) -> None:
    """Put files of a folder there, in this order."""
    files, root = fsspec.core.url_to_fs(url)
    for name in names:
        remote = f"{root}/{name}"
        files.makedirs(remote.rpartition("/")[0], exist_ok=True)
        files.put_file(str(folder / name), remote)


def relocated(value: Any, places: Mapping[Path, Path], base: Path) -> Any:
    """A shard, or what is done with it, with every path of the run's machine as it is here.

    A path is a `Path`, or text in a field of settings that is called so; relative ones begin at `base`.
    """

    def again(it: Any) -> Any:
        return relocated(it, places, base)

    if isinstance(value, Path):
        return places.get(base / value, value)
    if isinstance(value, partial):
        return partial(value.func, *map(again, value.args), **{name: again(it) for name, it in value.keywords.items()})
    if isinstance(value, (list, tuple)):
        return type(value)(map(again, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for field in dataclasses.fields(value):
            old = getattr(value, field.name)
            as_text = isinstance(old, str) and old and field.name in TEXT_PATHS
            changed[field.name] = str(again(Path(old))) if as_text and base / old in places else again(old)
        return dataclasses.replace(value, **changed)
    return value
