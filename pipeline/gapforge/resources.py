"""Where the files that come with the package are, such as word lists, page templates and the sample.

A module names each file that it reads by a constant string: the fingerprint of a stage finds these calls in the source
and covers the files.
"""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

# In a wheel they lie within the package, in a checkout beside its source roots.
WITHIN, BESIDE = Path(__file__).parent / "resources", Path(__file__).parents[2] / "resources"
RESOURCES = WITHIN if WITHIN.is_dir() else BESIDE


def resource(name: str) -> Path:
    """The embedded file or folder, by its path below `resources`."""
    return RESOURCES / name


def script_hash(script: str) -> str:
    """The source in a Content-Security-Policy that allows a script element with exactly this text and no other."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
