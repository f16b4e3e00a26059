"""What people install: the wheel alone, in an environment of its own, beside a user's own modules of any name."""

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from gapforge.release.layout import logical_hashes, read_tables
from gapforge.resources import RESOURCES

ROOT = Path(__file__).parents[1]
# Names that the source roots of this repository have, and so may the folders of users.
OURS = ("pipeline", "tasks", "resources")
NEVER_IMPORTED = 'raise SystemExit("a module of the user was imported")\n'


def run(*call: object, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, call)], capture_output=True, text=True, timeout=300, **options)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    made = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    assert made.returncode == 0, made.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The programs of an environment with the wheel, and the packages that it needs from the one that runs the tests.

    A path in a .pth file is searched, but .pth files in it are not read: so this checkout, which is installed by such a
    file, stays out.
    """
    folder = tmp_path_factory.mktemp("environment")
    made = run(sys.executable, "-m", "venv", "--without-pip", folder)
    assert made.returncode == 0, made.stderr
    programs = folder / "bin"
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    made = run(sys.executable, "-m", "pip", "--python", programs / "python", "install", *options, wheel)
    assert made.returncode == 0, made.stderr
    (site,) = folder.glob("lib/python*/site-packages")
    others = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "needed.pth").write_text("".join(f"{it}\n" for it in sorted(others)), "utf-8")
    return programs


@pytest.fixture
def own_modules(workplace) -> Path:
    """A working folder with modules of the user that have the names of our source roots."""
    (workplace / "tasks.py").write_text(NEVER_IMPORTED, "utf-8")
    for name in ("pipeline", "resources"):
        (workplace / name).mkdir()
        (workplace / name / "__init__.py").write_text(NEVER_IMPORTED, "utf-8")
    return workplace


@pytest.mark.process
def test_the_wheel_has_two_packages_and_what_they_read(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"gapforge", "gapforge_tasks"}
    embedded = {name.removeprefix("gapforge/") for name in names if name.startswith("gapforge/resources/")}
    kept = {it.relative_to(ROOT) for it in (ROOT / "resources").rglob("*") if it.is_file()}
    left_out = {it for it in kept if it.suffix == ".png" or it.is_relative_to("resources/samples/marked")}
    assert len(left_out) > 2
    assert embedded == {it.as_posix() for it in kept - left_out}


@pytest.mark.process
def test_only_our_own_names_can_be_imported(installed, tmp_path):
    (tmp_path / "empty").mkdir()
    where = run(installed / "python", "-c", "import gapforge; print(gapforge.__file__)", cwd=tmp_path / "empty")
    assert where.stdout.startswith(str(installed.parent)), where.stderr
    for name in OURS:
        failed = run(installed / "python", "-c", f"import {name}", cwd=tmp_path / "empty")
        assert f"No module named '{name}'" in failed.stderr


@pytest.mark.process
def test_the_command_runs_beside_modules_of_the_user(installed, own_modules):
    version = run(installed / "gapforge", "--version")
    assert version.stdout.startswith("gapforge "), version.stderr
    made = run(installed / "gapforge", "run", "tiny.toml", "--workers", 2)
    assert made.returncode == 0, made.stderr
    assert made.stdout.endswith("1 stage up to date in output/tiny\n")
    again = run(installed / "gapforge", "run", "tiny.toml")
    assert "nothing to do" in again.stdout, again.stderr


@pytest.mark.process
def test_the_wheel_builds_the_sample_in_an_empty_folder(installed, built_sample, tmp_path):
    """The very release that the checkout makes: configs, samples and lexicons are all in the wheel."""
    made = run(installed / "gapforge", "run", "--workers", 2, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert made.stdout.endswith("stages up to date in output/sample\n")
    here, ours = (folder / "output" / "sample" / "release" for folder in (tmp_path, built_sample))
    assert logical_hashes(read_tables(here)) == logical_hashes(read_tables(ours))


@pytest.mark.process
def test_luigi_runs_beside_modules_of_the_user(installed, own_modules):
    """`python -m` puts the working folder first, for Luigi's workers and those of a stage too."""
    call = [installed / "python", "-m", "luigi", "--module", "gapforge_tasks", "Corpora", "--local-scheduler"]
    made = run(*call, "--config", "tiny.toml", "--workers", 2, "--Machine-workers", 2)
    assert made.returncode == 0, made.stderr
    assert len(list(own_modules.glob("output/tiny/Documents-texts/part-*.parquet"))) == 2


def test_a_checkout_reads_its_own_resources():
    assert RESOURCES == ROOT / "resources"


def test_the_package_is_imported_without_what_is_slow():
    code = "import gapforge, sys; print(gapforge.__version__, *sys.modules, sep='\\n')"
    version, *modules = run(sys.executable, "-c", code).stdout.splitlines()
    assert version[0].isdigit()
    assert not {"luigi", "numpy", "pandas", "pyarrow", "spacy", "typer"} & set(modules)
    assert run(sys.executable, "-c", "import gapforge; gapforge.nothing").returncode == 1
