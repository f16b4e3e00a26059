"""gapforge regenerates gender-bias coreference datasets (GAP, Counter-GAP, GAP-Subjective, WinoBias) from raw corpora,
and measures models on them.

Names load when they are first used: `import gapforge` takes no time, and loads neither spaCy nor pandas.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version

        return version("gapforge")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
