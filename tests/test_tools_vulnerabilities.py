"""`make audit` is never content with packages that were not looked at."""

import json

import pytest

from vulnerabilities import FOUND, NOT_AUDITED, UNREACHED, reported

SOUND = {"name": "rich", "version": "15.0.0", "vulns": []}
FAULTY = {
    "name": "lxml",
    "version": "4.6.2",
    "vulns": [
        {"id": "PYSEC-2021-19", "fix_versions": ["4.6.3"], "aliases": [], "description": "…"},
        {"id": "PYSEC-0", "fix_versions": [], "aliases": [], "description": "…"},
    ],
}
PASSED = {"name": "a", "skip_reason": "Dependency not found on PyPI and could not be audited: a (1.0)"}
FAULTS = ["lxml 4.6.2: PYSEC-2021-19, fixed in 4.6.3", "lxml 4.6.2: PYSEC-0, fixed in no version yet"]
NOT_KNOWN = "not audited, since the vulnerability service does not know them: a"


@pytest.mark.parametrize(
    ("packages", "code", "lines"),
    [
        ([SOUND], 0, ["1 packages, no known vulnerability"]),
        ([SOUND, FAULTY], FOUND, FAULTS),
        ([SOUND, PASSED], NOT_AUDITED, [NOT_KNOWN]),
        ([FAULTY, PASSED], FOUND, [*FAULTS, NOT_KNOWN]),
        ([PASSED, PASSED], NOT_AUDITED, [UNREACHED]),
        ([], NOT_AUDITED, [UNREACHED]),
    ],
)
def test_verdicts(packages, code, lines):
    assert reported(json.dumps({"dependencies": packages, "fixes": []})) == (code, lines)


@pytest.mark.parametrize("output", ["", "Traceback (most recent call last):\n"])
def test_no_report_is_no_audit(output):
    assert reported(output) == (NOT_AUDITED, [UNREACHED])
