"""What a release was made from and how: inputs with their checksums, settings, versions and counts of every stage.

The terms are those of W3C PROV, laid out as PROV-JSON is: entities (inputs, the records of a stage, the tables of the
release), activities (stages) and agents (the software), and what used, made and derived what. Nothing of the machine
is in it, no time, folder or user: the same inputs and versions give the same bytes.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path, PurePath
from typing import Any

from gapforge.config import convert
from gapforge.engine.parts import Manifest
from gapforge.errors import InputError, one_line
from gapforge.release.layout import PROVENANCE, combined, logical_hashes
from gapforge.release.settings import ReleaseSettings
from gapforge.released import Tables
from gapforge.storage.files import read_text

STAGE = "Release"


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """A finished stage: its manifest, and what it has to say."""

    manifest: Manifest
    notes: list[str]


def provenance_of(
    tables: Tables,
    stages: Mapping[str, Made],
    settings: ReleaseSettings,
    versions: Mapping[str, str],
    errata: Mapping[str, str],
) -> dict[str, Any]:
    """The provenance of a release; `stages` are all that came before it, in order.

    `versions` are those of the software that writes it, `errata` the checksum of the file of known errors, if any.
    """
    hashes = logical_hashes(tables)
    graph = Graph()
    for name, made in stages.items():
        graph.add_stage(name, made)
    graph.add_release(tables, hashes, stages, settings)
    graph.add_inputs(f"run:{STAGE}", errata)
    graph.relate("wasAssociatedWith", activity=f"run:{STAGE}", agent=graph.agent_of(versions))
    return {
        "name": settings.name,
        "title": settings.title,
        "version": settings.version,
        "logical_hash": combined(hashes),
        "release": {name: value for name, value in dataclasses.asdict(settings).items() if name not in COVERED},
        "prefix": {"prov": "http://www.w3.org/ns/prov#", "gapforge": "urn:gapforge:", "run": "urn:gapforge:run:"},
        **graph.relations,
    }


COVERED = ("name", "title", "version", "errata")


class Graph:
    """Collects what PROV-JSON keeps by kind; relations that have no name of their own are numbered."""

    def __init__(self) -> None:
        kinds = ("entity", "activity", "agent", "used", "wasGeneratedBy", "wasAssociatedWith", "wasDerivedFrom")
        self.relations: dict[str, dict[str, dict[str, Any]]] = {kind: {} for kind in kinds}
        self.numbers = {kind: count(1) for kind in kinds}

    def relate(self, kind: str, **ends: str) -> None:
        self.relations[kind][f"_:{kind}{next(self.numbers[kind])}"] = {f"prov:{end}": it for end, it in ends.items()}

    def add_stage(self, name: str, made: Made) -> None:
        manifest = made.manifest
        identity = manifest.identity
        activity, records = f"run:{name}", f"run:{name}.records"
        self.relations["activity"][activity] = {
            "gapforge:settings": without_folders(identity.settings),
            "gapforge:models": without_folders(identity.models),
            "gapforge:code": identity.code.digest,
            "gapforge:packages": identity.code.packages,
            "gapforge:rows_in": manifest.rows_in,
            "gapforge:rejects": manifest.rejects,
            "gapforge:notes": made.notes,
        }
        self.relations["entity"][records] = {
            "gapforge:rows": manifest.rows,
            "gapforge:fingerprint": manifest.fingerprint,
        }
        self.add_inputs(activity, identity.inputs)
        for upstream in identity.upstream:
            self.relate("used", activity=activity, entity=f"run:{upstream}.records")
        self.relate("wasGeneratedBy", entity=records, activity=activity)
        self.relate("wasAssociatedWith", activity=activity, agent=self.agent_of(manifest.versions))

    def add_inputs(self, activity: str, inputs: Mapping[str, str]) -> None:
        for raw, digest in inputs.items():
            told = {"prov:type": "gapforge:Input", "gapforge:sha256": digest}
            entity = f"run:input/{without_folders(raw)}"
            # Two files of one name in two folders are two.
            if self.relations["entity"].setdefault(entity, told) != told:
                entity = f"{entity}#{digest[:8]}"
                self.relations["entity"][entity] = told
            self.relate("used", activity=activity, entity=entity)

    def agent_of(self, versions: Mapping[str, str]) -> str:
        """The software that a stage was built with; another agent for other versions."""
        told = {f"gapforge:{name}": version for name, version in without_patch(versions).items()}
        agents = self.relations["agent"]
        for agent, its in agents.items():
            if its == {"prov:type": "prov:SoftwareAgent", **told}:
                return agent
        name = f"run:software{len(agents) + 1 if agents else ''}"
        agents[name] = {"prov:type": "prov:SoftwareAgent", **told}
        return name

    def add_release(
        self,
        tables: Tables,
        hashes: Mapping[str, str],
        stages: Mapping[str, Made],
        settings: ReleaseSettings,
    ) -> None:
        activity = f"run:{STAGE}"
        self.relations["activity"][activity] = {"gapforge:data_version": settings.version}
        sources = {name: list(sources_of(name, stages)) for name in tables}
        for upstream in dict.fromkeys(it for its in sources.values() for it in its):
            self.relate("used", activity=activity, entity=f"run:{upstream}.records")
        for name, splits in tables.items():
            for split, rows in splits.items():
                entity = f"run:release/{name}/{split}"
                self.relations["entity"][entity] = {
                    "gapforge:rows": len(rows),
                    "gapforge:logical_hash": hashes[f"{name}/{split}"],
                }
                self.relate("wasGeneratedBy", entity=entity, activity=activity)
                for upstream in sources[name]:
                    self.relate("wasDerivedFrom", generatedEntity=entity, usedEntity=f"run:{upstream}.records")


# Which stages the tables of a set are made of.
SOURCES = {
    "gap": ("GapLabelled", "GapWeights"),
    "counter_gap": ("QuadruplesLabelled",),
    "gap_subjective": ("GapSubjective",),
    "winobias": ("WinoBias",),
    "gap_weights": ("GapWeights",),
}


def sources_of(name: str, stages: Mapping[str, Made]) -> Iterator[str]:
    return (stage for stage in SOURCES[name] if stage in stages)


def without_folders(value: Any) -> Any:
    """Settings without the folders of somebody's machine: of an absolute path the last name alone."""
    if isinstance(value, str):
        return PurePath(value).name if value.startswith("/") else value
    if isinstance(value, Mapping):
        return {key: without_folders(it) for key, it in value.items()}
    return [without_folders(it) for it in value] if isinstance(value, (list, tuple)) else value


def without_patch(versions: Mapping[str, str]) -> dict[str, str]:
    """The versions, of Python the first two numbers: the lock file decides the rest, and not which 3.11 it runs on."""
    return {name: ".".join(it.split(".")[:2]) if name == "python" else it for name, it in versions.items()}


def stages_in(provenance: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The stages that a provenance tells of, in order: rows in and out, rejects, settings and notes."""
    found = {}
    for key, activity in provenance["activity"].items():
        name = key.removeprefix("run:")
        if name != STAGE:
            values = {it.removeprefix("gapforge:"): value for it, value in activity.items()}
            found[name] = values | {"rows": provenance["entity"][f"{key}.records"]["gapforge:rows"]}
    return found


def made_by(provenance: Mapping[str, Any]) -> str:
    """The version of gapforge that has written a release; empty where it does not say."""
    for it in provenance["wasAssociatedWith"].values():
        if it["prov:activity"] == f"run:{STAGE}":
            return str(provenance["agent"][it["prov:agent"]].get("gapforge:gapforge", ""))
    return ""


def tables_in(provenance: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What a provenance tells of each table, by `set/split`: rows and hash."""
    prefix = "run:release/"
    entities = provenance["entity"].items()
    return {name.removeprefix(prefix): dict(it) for name, it in entities if name.startswith(prefix)}


def labelled_by(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Who has labelled each set: annotators, the author of the texts, or a panel of resolvers."""
    called = {"file": "annotators", "author": "author", "panel": "panel"}
    stages = stages_in(provenance)
    sets = {"gap": "Judgements-gap", "counter_gap": "Judgements-counter-gap", "gap_subjective": "Judgements-gap"}
    return {name: called[stages[stage]["settings"]["source"]] for name, stage in sets.items() if stage in stages}


# What the thresholds of `SubjectiveSentences` are of.
THRESHOLDS = {
    "objective": "subjectivity of an original sentence, at most",
    "fluent": "rise of log perplexity, at most",
    "similar": "cosine of embeddings, at least",
    "gleu_above": "GLEU, above",
    "gleu_below": "GLEU, below",
    "largest_share": "share of all edits that are one phrase, at most",
}


def subjectivity_in(provenance: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What decided which sentences were made subjective, and how: the hooks, their options, and the thresholds.

    Each with its value and, of a threshold, where it comes from; nothing where there is no subjective variant.
    """
    stages = stages_in(provenance)
    asked, decided = (
        stages.get(name, {}).get("settings", {}) for name in ("SubjectiveProposals", "SubjectiveSentences")
    )
    # Releases of 0.1.0 have a version beside each hook.
    hooks = {role: [hook] if isinstance(hook, str) else list(hook) for role, hook in asked.get("hooks", {}).items()}
    found = [(role, name, "") for role, names in hooks.items() for name in names]
    found += [(f"option {name}", str(value), "") for name, value in asked.get("options", {}).items()]
    thresholds = {name: it for name, it in decided.get("thresholds", {}).items() if it}
    return found + [
        (THRESHOLDS.get(name, name), str(it["value"]), str(it["source"])) for name, it in thresholds.items()
    ]


def read_provenance(folder: Path) -> dict[str, Any]:
    """The provenance of a release; InputError where it is damaged or lacks what the rest is derived from."""
    path = folder / PROVENANCE
    try:
        found = json.loads(read_text(path))
        check_types(found)
    except InputError:
        raise
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not the provenance of a release ({one_line(error)}); build it again") from error
    return dict(found)


def check_types(found: Any) -> None:
    """Raise, in one of the ways of Python, where a provenance does not hold what is read from it."""
    # Nothing is left out, as it may be in a config: everything was decided when the release was made.
    names = [field.name for field in dataclasses.fields(ReleaseSettings) if field.name not in COVERED]
    told = {name: found["release"][name] for name in names} | {key: found[key] for key in COVERED if key != "errata"}
    convert(told, ReleaseSettings, "release")
    wanted: list[tuple[Any, type]] = [(found["logical_hash"], str)]
    for stage in stages_in(found).values():
        wanted += [(stage["rows_in"], int), (stage["rows"], int), (stage["settings"], dict), (stage["notes"], list)]
        wanted += [(count, int) for count in stage["rejects"].values()]
        properties = stage["settings"].get("properties", [])
        # Releases of 0.1.0 have a version beside each property.
        wanted += [(properties, dict if isinstance(properties, dict) else list), *((name, str) for name in properties)]
    for table in tables_in(found).values():
        wanted += [(table["gapforge:rows"], int), (table["gapforge:logical_hash"], str)]
    for value, kind in wanted:
        if not isinstance(value, kind):
            raise TypeError(f"found {value!r} where it holds {kind.__name__}")
    labelled_by(found)
    subjectivity_in(found)
    made_by(found)
