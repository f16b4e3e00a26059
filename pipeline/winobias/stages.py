"""The stage of this room: scenes and occupations to the sentences of WinoBias."""

from dataclasses import dataclass
from pathlib import Path

from pipeline.engine import part_path
from pipeline.files import Checksums, sha256_of
from pipeline.parts import write_notes, write_part
from pipeline.records import WinoBiasSentence
from pipeline.winobias.expansion import SPLITS, expand
from pipeline.winobias.occupations import OCCUPATIONS, Occupation, read_occupations
from pipeline.winobias.scenes import SCENES, Scene, read_scenes


@dataclass(frozen=True, slots=True)
class WinoBiasSettings:
    """The `[winobias]` section: whether the set is made, and files of occupations and scenes of the user's own.

    Paths begin at the config's own folder; where one is empty, the embedded file is taken.
    """

    include: bool = False
    occupations: str = ""
    scenes: str = ""


def read_resources(settings: WinoBiasSettings, base: Path) -> tuple[list[Scene], list[Occupation]]:
    scenes = read_scenes(base / settings.scenes if settings.scenes else SCENES)
    return scenes, read_occupations(base / settings.occupations if settings.occupations else OCCUPATIONS)


def own_files(settings: WinoBiasSettings, base: Path, checksums: Checksums) -> dict[str, str]:
    """The user's own files with their checksums; what is wrong with one is told before any work."""
    read_resources(settings, base)
    return {name: checksums.of(base / name) for name in (settings.occupations, settings.scenes) if name}


def embedded_identity(settings: WinoBiasSettings) -> str:
    """The state of the embedded files that are taken."""
    taken = [path for path, own in ((OCCUPATIONS, settings.occupations), (SCENES, settings.scenes)) if not own]
    return ", ".join(f"{path.stem} {sha256_of(path)[:16]}" for path in taken)


def write_sentences(settings: WinoBiasSettings, base: Path, folder: Path) -> None:
    """All sentences as one part, with a note of what they are made of."""
    scenes, occupations = read_resources(settings, base)
    sentences = list(expand(scenes, occupations))
    write_part(part_path(folder, 0), WinoBiasSentence, sentences, lambda rows: None)
    counts = ", ".join(f"{sum(it.split == split for it in sentences):,} {split}" for split in SPLITS)
    write_notes(folder, [f"{len(scenes):,} scenes with two ends, {len(occupations):,} occupations: sentences {counts}"])
