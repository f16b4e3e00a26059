"""The list of licences says what is locked and installed, and holds nothing that gapforge may not be built on."""

import pytest

from licences import (
    LIST,
    TOLERATED,
    UNKNOWN,
    Line,
    as_text,
    closure,
    current,
    fault_of,
    licence_of,
    lines_of,
    locked,
    needs_of,
    read_list,
)

LINES = read_list()


def test_the_list_is_up_to_date():
    assert LIST.read_text("utf-8") == as_text(current()), "run make licences and commit what changed"


def test_every_runtime_licence_goes_together_with_ours():
    assert [fault for it in LINES if it.use == "runtime" and (fault := fault_of(it))] == []


def test_what_is_tolerated_is_still_there():
    held = {(it.package, part) for it in LINES for part in it.licence.split(" AND ")}
    assert set(TOLERATED) <= held


@pytest.mark.parametrize(
    ("package", "use"),
    [
        ("luigi", "runtime"),
        ("distributed", "runtime"),  # of the extra cluster
        ("regex", "runtime"),  # by way of nltk
        ("zipp", "runtime"),  # by way of dask, for one version of Python
        ("pysocks", "development"),  # an extra of urllib3 that selenium alone asks for
        ("pytest", "development"),
    ],
)
def test_use(package, use):
    assert {it.use for it in LINES if it.package == package} == {use}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rich==15.0.0 \\\n    --hash=sha256:00\n", {"rich": ["15.0.0"]}),
        ("Jinja2==3.1.6 \\\n", {"jinja2": ["3.1.6"]}),
        (
            "numpy==2.4.6 ; python_full_version < '3.12' \\\nnumpy==2.5.4 ; python_full_version >= '3.12' \\\n",
            {"numpy": ["2.4.6", "2.5.4"]},
        ),
        ("colorama==0.4.6 ; sys_platform == 'win32' \\\n", {}),
        ("librt==0.16.0 ; platform_python_implementation != 'PyPy' \\\n", {"librt": ["0.16.0"]}),
        ("hf-xet==1.8.0 ; platform_machine == 'aarch64' \\\n", {"hf-xet": ["1.8.0"]}),
    ],
)
def test_what_is_locked_for_a_supported_machine(text, expected):
    assert locked(text) == expected


OSI = "License :: OSI Approved :: "


@pytest.mark.parametrize(
    ("name", "expression", "field", "classifiers", "expected"),
    [
        ("a", "MIT AND ISC", "BSD", [f"{OSI}BSD License"], "MIT AND ISC"),
        ("a", None, "BSD-3-Clause", [f"{OSI}BSD License"], "BSD-3-Clause"),
        ("a", None, "MIT OR Apache-2.0", [], "MIT OR Apache-2.0"),
        ("a", None, "GPLv3", [], "GPL-3.0-only"),
        ("a", None, "The Long Licence\n\nYou may …", [f"{OSI}MIT License"], "MIT"),
        ("a", None, None, [f"{OSI}Odd License", "Topic :: Text Processing"], "Odd License"),
        ("a", None, "Dual License", [f"{OSI}BSD License", f"{OSI}Apache Software License"], UNKNOWN),
        ("python-dateutil", None, "Dual License", [f"{OSI}BSD License"], "Apache-2.0 OR BSD-3-Clause"),
        ("a", None, None, [], UNKNOWN),
    ],
)
def test_licences_of_metadata(name, expression, field, classifiers, expected):
    assert licence_of(name, expression, field, classifiers) == expected


WHAT_TO_DO = "not known to go together with GPL-3.0-or-later; add it to COMPATIBLE if it does, else replace the package"


@pytest.mark.parametrize(
    ("package", "licence", "expected"),
    [
        ("a", "MIT", ""),
        ("a", "BSD-3-Clause AND ISC", ""),
        ("a", "SSPL-1.0 OR Apache-2.0", ""),
        ("a", "MIT AND SSPL-1.0", f"a 1.0: SSPL-1.0 is {WHAT_TO_DO}"),
        ("a", "GPL-2.0-only", f"a 1.0: GPL-2.0-only is {WHAT_TO_DO}"),
        ("regex", "Apache-2.0 AND CNRI-Python", ""),
        ("a", "CNRI-Python", f"a 1.0: CNRI-Python is {WHAT_TO_DO}"),
        ("a", UNKNOWN, "a 1.0: its licence is unknown; find it out and add it to BY_HAND"),
    ],
)
def test_what_may_be_part_of_gapforge(package, licence, expected):
    assert fault_of(Line(package, "1.0", licence, "runtime", "")) == expected


@pytest.mark.parametrize(
    ("requirement", "extras", "expected"),
    [
        ("rich>=13", (), ["rich"]),
        ('zipp; python_version < "3.12"', (), ["zipp"]),
        ('zipp; python_version < "3.8"', (), []),
        ('colorama; platform_system == "Windows"', (), []),
        ('aiohttp; extra == "http"', (), []),
        ('aiohttp; extra == "http"', ("http",), ["aiohttp"]),
    ],
)
def test_what_a_package_needs(requirement, extras, expected):
    assert [it.name for it in needs_of([requirement], extras)] == expected


PROJECT = {"dependencies": ["a>=1"], "optional-dependencies": {"cluster": ["b"]}}
LOCKED = {"a": ["1"], "b": ["2"], "c": ["3"], "d": ["4"]}


def test_what_is_installed_elsewhere_keeps_its_line():
    a, c = Line("a", "1", "MIT", "runtime", "c"), Line("c", "3", "ISC", "development", "")
    gone = Line("a", "0", "MIT", "runtime", "d")
    b, d = Line("b", "2", UNKNOWN, "runtime", ""), Line("d", "4", UNKNOWN, "development", "")
    c_used = Line("c", "3", "ISC", "runtime", "")
    assert lines_of(LOCKED, [], [gone, a, c], PROJECT) == [a, b, c_used, d]


def test_needs_are_followed_and_rings_end():
    lines = [Line("a", "1", "", "", "b c"), Line("c", "1", "", "", "a d"), Line("e", "1", "", "", "a")]
    assert closure(["a"], lines) == {"a", "b", "c", "d"}
