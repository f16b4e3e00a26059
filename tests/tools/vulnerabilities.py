"""What pip-audit says of the locked packages: `make audit` runs it, from an environment of its own.

Where its service does not know a package, pip-audit passes it over and still reports success, so that behind a mirror
that carries files alone it would pass everything. What was passed over counts as a failure here.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOUND, NOT_AUDITED = 1, 2  # exit codes
LOCK = Path(__file__).parents[2] / "requirements.lock"
OPTIONS = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
UNREACHED = "the vulnerability service cannot be reached from here, so nothing was audited; run make audit elsewhere"


def verdict(report: Mapping[str, Any]) -> tuple[int, list[str]]:
    """The exit code, and the lines that say why, by a report in pip-audit's JSON."""
    packages = report["dependencies"]
    passed = [it["name"] for it in packages if "skip_reason" in it]
    lines = [
        f"{it['name']} {it['version']}: {vulnerability['id']}, fixed in "
        f"{', '.join(vulnerability['fix_versions']) or 'no version yet'}"
        for it in packages
        for vulnerability in it.get("vulns", ())
    ]
    if not packages or len(passed) == len(packages):
        return NOT_AUDITED, [UNREACHED]
    if passed:
        lines.append(f"not audited, since the vulnerability service does not know them: {', '.join(passed)}")
    if len(lines) > bool(passed):
        return FOUND, lines
    return (NOT_AUDITED, lines) if passed else (0, [f"{len(packages)} packages, no known vulnerability"])


def reported(output: str) -> tuple[int, list[str]]:
    """The verdict on what pip-audit has written; it writes no report where it is cut off from the network."""
    try:
        return verdict(json.loads(output))
    except json.JSONDecodeError:
        return NOT_AUDITED, [UNREACHED]


if __name__ == "__main__":
    [program] = sys.argv[1:]
    told = subprocess.run([program, *OPTIONS, "--requirement", str(LOCK)], capture_output=True, text=True)
    code, lines = reported(told.stdout)
    print("\n".join(lines), file=sys.stderr if code else sys.stdout)
    sys.exit(code)
