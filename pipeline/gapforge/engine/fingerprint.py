"""The code that decides what a stage makes: its modules, the embedded files they read, and installed packages.

A stage is out of date when its code has changed. Its code is the module of its function and all that this module
imports, and theirs in turn, also inside functions: finer than "the whole package", so that an edited chart leaves hours
of answers alone, and coarser than single functions, which would have to trust that names tell all. Modules are read,
never imported. Registries of lazy targets are strings and are not followed: a plug-in counts when the settings name it.
"""

import importlib.metadata
import importlib.util
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from itertools import accumulate
from pathlib import Path
from typing import Any

from gapforge.engine.identity import CodeIdentity
from gapforge.engine.sourcecode import DIGITS, READER, Facts, read_facts
from gapforge.errors import ConfigError
from gapforge.storage.files import Checksums, read_memory, stamp_of, write_memory

# Modules of the package that move data and never change it, and why. Neither they nor what they alone import is part of
# a stage's code. Their submodules are included.
NEUTRAL = {
    "__init__": "names what the public API offers; no stage calls it",
    "errors": "words of messages",
    "config": "reads the settings, which are in the fingerprint themselves",
    "plugins": "finds and calls what the settings name, which is hashed itself",
    "resources": "finds embedded files, which are hashed themselves",
    "progress": "shows how far a stage is",
    "engine": "runs shards and writes the rows that it is given",
    "storage.files": "reads and writes bytes, and hashes them",
}

# Packages whose version can change rows or figures, by the name they are imported under. Not among them are those that
# fetch, store or draw what is decided elsewhere: huggingface-hub, ijson, pyarrow, pyyaml, jinja2, matplotlib. The spaCy
# model is a setting, so its version is in the fingerprint with the other models.
DECIDING = {
    "datasets": "datasets",  # reads the rows of a corpus on the hub
    "fastcoref": "fastcoref",  # a resolver
    "gender_guesser": "gender-guesser",  # genders of first names
    "lxml": "lxml",  # text of books and dumps
    "maverick": "maverick-coref",  # a resolver
    "nltk": "nltk",  # sentence GLEU
    "numpy": "numpy",  # random draws, and figures
    "scipy": "scipy",  # optimal weights and matchings, tests
    "sklearn": "scikit-learn",  # classifiers over encoders
    "spacy": "spacy",  # entities and trees
    "textblob": "textblob",  # the lexicon of opinions
    "torch": "torch",  # neural systems and hooks
    "transformers": "transformers",  # the same
}


Stamped = tuple[list[Any], Facts]  # what a file holds, and its state when it was read


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that modules are imported from: only the package `top`, or all packages if `top` is empty."""

    folder: Path
    top: str = ""


def with_parents(module: str) -> list[str]:
    """The packages around a module, and itself: importing "a.b.c" runs "a" and "a.b" first."""
    return list(accumulate(module.split("."), "{}.{}".format))


def module_file(root: Root, module: str) -> Path | None:
    """The source of a module; None where there is none."""
    parts = module.split(".")
    if root.top not in ("", parts[0]):
        return None
    place = root.folder.joinpath(*parts)
    choices = (place / "__init__.py", place.with_name(f"{parts[-1]}.py"))
    return next((it for it in choices if it.is_file()), None)


def module_name(path: Path, folder: Path) -> str:
    """What a file is imported as, from the folder that its package lies in."""
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_neutral(module: str) -> bool:
    inside = module.partition(".")[2] or "__init__"
    return any(inside == it or inside.startswith(f"{it}.") for it in NEUTRAL)


def packages_of(imported: Iterable[str], by_plugins: Iterable[str] = ()) -> dict[str, str]:
    """Versions of those packages that decide, among all that is imported; of a user's plug-in each may decide."""
    found = {DECIDING[it] for it in tops_of(imported) & DECIDING.keys()}
    if others := tops_of(by_plugins):
        found |= {name for top in others for name in distributions().get(top, ())} - {"gapforge"}
    return {name: version_of(name) for name in sorted(found)}


def tops_of(modules: Iterable[str]) -> set[str]:
    return {it.partition(".")[0] for it in modules}


@cache
def distributions() -> Mapping[str, list[str]]:
    """The installed packages by the names that they are imported under."""
    return importlib.metadata.packages_distributions()


@cache
def version_of(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def data_of(names: Iterable[str], folder: Path, checksums: Checksums) -> dict[str, str]:
    """Hashes of embedded files, and of all files in embedded folders; what is missing counts as missing."""
    found: dict[str, str] = {}
    for name in names:
        place = folder / name
        if not place.exists():
            found[name] = "missing"
        for path in (place, *place.rglob("*")):
            inside = path.relative_to(folder)
            if path.is_file() and not any(it.startswith((".", "__")) for it in inside.parts):
                found[inside.as_posix()] = checksums.of(path)[:DIGITS]
    return dict(sorted(found.items()))


def installed_spec(top: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(top)
    except ValueError:  # What is loaded without one, such as __main__.
        return None


def is_installed(folder: Path) -> bool:
    """Whether modules in the folder have nothing to do with each other."""
    return folder.name in ("site-packages", "dist-packages") or folder == Path(sysconfig.get_path("stdlib"))


@cache
def facts_in(path: Path, stamp: tuple[Any, ...]) -> Facts:
    """The facts about a file in this state, whose stamp ends with the module's name; read once in a process."""
    return read_facts(path, stamp[-1])


class Sources:
    """The modules of a package and of plug-ins: what their code is, as it was when first asked for.

    Each file is read once, and remembered on disk in `memory` as long as its size, times and inode stay the same. A run
    keeps one of these, so that code edited in the middle of a run belongs to the next one, as settings do.
    """

    def __init__(
        self,
        package: Path,
        resources: Path,
        checksums: Checksums,
        memory: Path,
        folders: Sequence[Path] = (),
        loaded: dict[Path, Stamped] | None = None,
    ) -> None:
        """`package` and `resources` are folders; plug-ins that are not installed are looked for in `folders`.

        `loaded` are modules of the package as this process has them; those that are asked for are added.
        """
        self.package = package
        self.home = Root(package.parent, package.name)
        self.resources = resources
        self.checksums = checksums
        self.memory = memory
        self.folders = folders
        self.files: dict[tuple[Root, str], Path | None] = {}
        self.facts: dict[Path, Facts] = {}
        self.loaded = {} if loaded is None else loaded
        self.known: dict[str, Stamped] = {}
        self.changed = False
        # A file of another version is ignored.
        with suppress(ValueError, TypeError, AttributeError, KeyError):
            kept = read_memory(memory)
            if kept["made_by"] == stamp_of(READER):
                self.known = {
                    name: (list(stamp), Facts(str(digest), strings(imports), strings(resources)))
                    for name, (stamp, digest, imports, resources) in kept["modules"].items()
                }

    def save(self) -> None:
        """Write the memory; where that is impossible, files are read again next time."""
        if self.changed:
            kept = {
                name: (stamp, it.hash, it.imports, it.resources)
                for name, (stamp, it) in self.known.items()
                if Path(name).exists()
            }
            write_memory(self.memory, {"made_by": stamp_of(READER), "modules": kept})
            self.changed = False

    def facts_about(self, path: Path, module: str) -> Facts:
        if path not in self.facts:
            key = str(path)
            if path not in self.loaded:
                # The name counts too: relative imports depend on it.
                stamp = [*stamp_of(path), module]
                known = self.known.get(key)
                kept = known if known and known[0] == stamp else (stamp, facts_in(path, tuple(stamp)))
            else:
                kept = self.loaded[path]
            if self.known.get(key) != kept:
                self.known[key] = kept
                self.changed = True
            if path.is_relative_to(self.package):
                self.loaded[path] = kept
            self.facts[path] = kept[1]
        return self.facts[path]

    def file_of(self, root: Root, module: str) -> Path | None:
        if (root, module) not in self.files:
            self.files[root, module] = module_file(root, module)
        return self.files[root, module]

    def root_of(self, module: str) -> Root | None:
        """Where a stage or plug-in lies: in the package, installed, or in one of the folders; None if nowhere."""
        top = module.partition(".")[0]
        if top == self.home.top:
            return self.home
        spec = installed_spec(top) or PathFinder.find_spec(top, [str(it) for it in self.folders])
        if spec and spec.submodule_search_locations:
            # A package without an __init__.py may lie in several folders.
            folders = [Path(it).parent for it in spec.submodule_search_locations]
            folder = next((it for it in folders if module_file(Root(it), module)), folders[0])
        elif spec and spec.origin and spec.has_location:
            folder = Path(spec.origin).parent
        else:
            return None
        return Root(folder, top if is_installed(folder) else "")

    def closure(self, *modules: str) -> dict[str, Facts]:
        """The modules and all that they import, by their files; without neutral ones, and what those alone import.

        Imports are followed within the package, and from a plug-in to what lies beside it.
        """
        todo: list[tuple[str, Root]] = []
        for module in modules:
            root = self.root_of(module)
            if root is None or self.file_of(root, module) is None:
                raise ConfigError(
                    f"cannot find the source of {module!r}; name a module in Python that is installed, or lies in the "
                    "folder of the config"
                )
            todo.append((module, root))
        found: dict[str, Facts] = {}
        while todo:
            last, root = todo.pop()
            for module in with_parents(last):
                path = self.file_of(root, module)
                key = "" if path is None else path.relative_to(root.folder).as_posix()
                if path is None or key in found or (root == self.home and module not in modules and is_neutral(module)):
                    continue
                found[key] = self.facts_about(path, module)
                tops = {it: it.partition(".")[0] for it in found[key].imports}
                todo += [(it, self.home if top == self.home.top else root) for it, top in tops.items()]
                if root != self.home and self.home.top in tops:  # The public API loads what it needs by name.
                    todo += [(module_name(it, self.home.folder), self.home) for it in self.package.rglob("*.py")]
        return dict(sorted(found.items()))

    def is_ours(self, key: str) -> bool:
        """Whether a file of the closure is one of the package, not of a plug-in."""
        return key.startswith(f"{self.home.top}/")

    def code_of(self, target: str, plugins: Sequence[str] = ()) -> CodeIdentity:
        """The code of a stage "module:function", and of each plug-in that its settings name, in the same form."""
        found = self.closure(*(it.partition(":")[0] for it in (target, *plugins)))
        names = {name for it in found.values() for name in it.resources}
        return CodeIdentity(
            code={key: it.hash for key, it in found.items()},
            data=data_of(names, self.resources, self.checksums),
            packages=packages_of(
                (name for it in found.values() for name in it.imports),
                (name for key, it in found.items() if not self.is_ours(key) for name in it.imports),
            ),
        )


def strings(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(map(str, values))
