"""Published data, which lie beside the project, and small stand-ins for them, which are part of it.

The stand-ins in tests/data/reference have the names and forms of the published files, and hold texts of the embedded
sample. A test of a form or of a reader takes the fixture `reference` and runs on both. A test of a published figure
asks for `published(...)` and is skipped, by name, where those files are absent.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True)
class Reference:
    """One of the two folders; what it lacks skips the test."""

    name: str
    folder: Path

    def path(self, part: str) -> Path:
        path = self.folder / part
        if not path.exists():
            pytest.skip(f"{part} is absent: published data are not part of the project")
        return path

    def files(self, pattern: str) -> list[Path]:
        return sorted(self.path(pattern.partition("/")[0]).parent.glob(pattern))


STAND_IN = Reference("stand-in", Path(__file__).parent / "data" / "reference")
PUBLISHED = Reference("published", Path(__file__).parents[2] / "shared" / "reference")


def published(part: str) -> Path:
    return PUBLISHED.path(part)
