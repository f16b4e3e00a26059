"""The default tier of tests, what one of its tests may cost, and where the CPU seconds go.

`pytest` runs what has none of the marks below, `--all` runs everything. A test named by its id or chosen by `-m` is
always run. CPU seconds are those of this process and of the processes it started that have ended, so a busy machine
makes no test fail. What fixtures of a module or a session take is counted apart: the first test that needs them pays.

Property tests try 50 examples by default and 200 with `--all`; `--hypothesis-profile soak` tries 1,000.
"""

import csv
import importlib.util
import math
import os
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import settings

TIERS = ("corpus", "process", "tamper", "browser", "soak")
DURATIONS = Path(__file__).parent / "durations.tsv"
COSTLIEST = 30

SHARED = pytest.StashKey[float]()  # seconds that shared fixtures took in this process so far
BEFORE = pytest.StashKey[tuple[float, float]]()  # both clocks when the test began
COST = "CPU seconds"

# No deadlines, since nothing here looks at the clock. The seed is another in every run, and a failure prints its own.
USUAL = 50
for profile, examples in (("ci", USUAL), ("all", 4 * USUAL), ("soak", 20 * USUAL)):
    settings.register_profile(profile, deadline=None, max_examples=examples, derandomize=False, print_blob=True)


LIMIT = 3.0  # CPU seconds


def limit(all_tiers: bool) -> float:
    """What a test may need. There is no limit where torch is installed: loading it takes longer than the limit allows.

    Twice as much in a run of all tiers, where the other process may start clusters and browsers meanwhile: caches are
    shared, and the same test then takes up to half as long again.
    """
    return math.inf if importlib.util.find_spec("torch") else LIMIT * (2 if all_tiers else 1)


def pytest_addoption(parser):
    group = parser.getgroup("tiers")
    group.addoption("--all", action="store_true", help="run the tests of all tiers")
    group.addoption("--cpu-limit", type=float, help="CPU seconds that a test without a tier may need")
    group.addoption(
        "--cpu-seconds", action="store_true", help=f"show the {COSTLIEST} costliest tests, and write a table"
    )


def pytest_configure(config):
    config.stash[SHARED] = 0.0
    if config.option.cpu_limit is None:
        config.option.cpu_limit = limit(config.option.all)
    if not config.getoption("--hypothesis-profile", None):
        settings.load_profile("all" if config.option.all else "ci")
    if config.option.cpu_seconds and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Costs())


def tier_of(item) -> str:
    """The mark by which a test is left out by default, or nothing."""
    return next((name for name in TIERS if item.get_closest_marker(name)), "")


def pytest_collection_modifyitems(config, items):
    leave_out_tiers(config, items)
    if hasattr(config, "workerinput"):
        items[:] = longest_first(items)


def leave_out_tiers(config, items):
    if config.option.all or config.option.markexpr or any("::" in it for it in config.args):
        return
    config.hook.pytest_deselected(items=[it for it in items if tier_of(it)])
    items[:] = [it for it in items if not tier_of(it)]


def longest_first(items):
    """Tests by module, those that take longest first, so that two processes end together.

    The first module of all builds the sample. Three without it come next, so that no other process waits for it.
    """
    seconds, by_module = seconds_by_module(), defaultdict(list)
    for item in items:
        by_module[item.nodeid.partition("::")[0]].append(item)
    modules = sorted(by_module, key=lambda it: -seconds.get(it, 0))
    with_sample = {it for it in modules if any("built_sample" in item.fixturenames for item in by_module[it])}
    builds = [it for it in modules if it in with_sample][:1]
    meanwhile = [it for it in modules if it not in with_sample][:3]
    return [item for module in dict.fromkeys([*builds, *meanwhile, *modules]) for item in by_module[module]]


def cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    seconds, shared = cpu_seconds(), request.config.stash[SHARED]
    try:
        return (yield)
    finally:
        if fixturedef.scope != "function":
            # From where it began, since a shared fixture may ask for another one.
            request.config.stash[SHARED] = shared + cpu_seconds() - seconds


def cost_of(item) -> tuple[float, float]:
    """The seconds that a test took so far, and those that shared fixtures took for it."""
    seconds, shared = item.stash[BEFORE]
    shared = item.config.stash[SHARED] - shared
    return cpu_seconds() - seconds - shared, shared


def most_of(item) -> float:
    """What a test of the default tier may need; property tests may need more where they try more examples."""
    is_property = getattr(item.obj, "is_hypothesis_test", False)
    return float(item.config.option.cpu_limit) * (settings.default.max_examples / USUAL if is_property else 1)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    item.stash[BEFORE] = cpu_seconds(), item.config.stash[SHARED]
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    result = yield
    seconds, most = cost_of(item)[0], most_of(item)
    if seconds > most and not tier_of(item):
        pytest.fail(
            f"needed {seconds:.1f} CPU seconds, and a test of the default tier may need {most:g}; "
            f"make it cheaper, or mark it as {', '.join(TIERS[:-1])} or {TIERS[-1]}",
            pytrace=False,
        )
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    try:
        return (yield)
    finally:
        item.user_properties.append((COST, (*cost_of(item), tier_of(item))))


class Costs:
    """What all tests of a run took, told by the processes that ran them."""

    def __init__(self):
        self.tests: list[tuple[str, float, float, str]] = []

    def pytest_runtest_logreport(self, report):
        if report.when == "teardown":
            self.tests += [(report.nodeid, *it) for name, it in report.user_properties if name == COST]

    def pytest_sessionfinish(self):
        modules = defaultdict(list)
        for name, seconds, shared, tier in self.tests:
            modules[name.partition("::")[0], tier].append((seconds, shared))
        rows = [
            (round(sum(map(sum, costs)), 1), round(sum(shared for _, shared in costs), 1), len(costs), tier, module)
            for (module, tier), costs in modules.items()
        ]
        with DURATIONS.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, delimiter="\t", lineterminator="\n")
            table.writerow(["seconds", "of them shared", "cases", "tier", "module"])
            table.writerows(sorted(rows, key=lambda row: (-row[0], row[3:])))

    def pytest_terminal_summary(self, terminalreporter):
        total = sum(seconds + shared for _, seconds, shared, _ in self.tests)
        terminalreporter.section(f"{total:.0f} CPU seconds, {len(self.tests)} cases; the costliest")
        for name, seconds, shared, tier in sorted(self.tests, key=lambda it: -it[1])[:COSTLIEST]:
            terminalreporter.line(f"{seconds:7.2f} {shared:7.2f} {tier or 'default':8} {name}")


def seconds_by_module() -> dict[str, float]:
    """The seconds of each module at its last measurement, all tiers together."""
    found: dict[str, float] = defaultdict(float)
    if DURATIONS.is_file():
        with DURATIONS.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                found[row["module"]] += float(row["seconds"])
    return found
