"""Weights measured: the published ones of GAP, and the small program beside the paper's with a variable for each pair.

Both programs get the same random rows in the same run, and the same solver and method. Exits 1 when a bar is missed.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from gapforge.evaluation.files import read_names, read_weights
from gapforge.evaluation.gold import read_items
from gapforge.evaluation.properties import values_of
from gapforge.evaluation.weights import TRIMMED, WeightSettings, count_cells, solve, weigh
from report import REFERENCE, Report

GOLD = "gap/gap-test.tsv"
NAMES = "weighting-gap/gap-test-name-spans.json"
WEIGHTS = "weighting-gap/linear_weights.json"
ROWS = 400
AGAIN = 5  # the small program takes so little that one measurement says nothing
TIMES = 50
SECONDS = 15
CLOSE = 1e-8  # of an objective
NEAR = 2e-4  # of a published weight
OPTIMA = {"W": 871690.888, "Wt": 754175.300}


def solve_pairs(groups, values, method="highs-ipm"):
    """Weights by the paper's own program (Kocijan et al. 2021, 2.2): w_i of each row, m_ij of each pair of one group.

    None where there are none.
    """
    count = len(groups)
    one = min(groups)
    sign = np.array([1.0 if group == one else -1.0 for group in groups])
    first, second = np.triu_indices(count, 1)
    same = sign[first] == sign[second]
    first, second = first[same], second[same]
    pairs = len(first)
    # w_i - m_ij <= 0 and w_j - m_ij <= 0
    at = np.arange(2 * pairs)
    places = np.concatenate([at, at]), np.concatenate([first, second, np.tile(count + np.arange(pairs), 2)])
    below = coo_array((np.repeat([1.0, -1.0], 2 * pairs), places), shape=(2 * pairs, count + pairs)).tocsr()
    sets = [(n, value) for n in range(len(values[0])) for value in {it[n] for it in values} - {None}]
    lines = [np.ones(count), sign] + [sign * [it[n] == value for it in values] for n, value in sets]
    equal = coo_array(np.hstack([np.array(lines), np.zeros((len(lines), pairs))])).tocsr()
    sums = np.zeros(len(lines))
    sums[0] = count
    cost = np.concatenate([np.zeros(count), np.ones(pairs)])
    found = linprog(cost, A_ub=below, b_ub=np.zeros(2 * pairs), A_eq=equal, b_eq=sums, method=method)
    return None if found.status else found.x[:count]


def objective_of_rows(groups, weights):
    """The sum of max(w_i, w_j) over all pairs of one group, pair by pair."""
    groups, weights = np.array(groups), np.array(weights)
    first, second = np.triu_indices(len(groups), 1)
    same = groups[first] == groups[second]
    return float(np.maximum(weights[first], weights[second])[same].sum())


def read_published(reference):
    items = read_items(reference / GOLD, "gap")
    return items, read_names(reference / NAMES, items)


def rows_of(items, names):
    """The group and the values of each row with a true name."""
    true = [item for item in items if item.a or item.b]
    columns = [values_of(name, true, names) for name in ("number", "distance")]
    return [item.gender for item in true], list(zip(*columns, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", type=Path, default=REFERENCE, help="the folder of the published data")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if not (arguments.reference / NAMES).exists():
        sys.exit(f"{arguments.reference / NAMES} is not here; name the folder of the published data with --reference")
    report = Report()
    started = time.monotonic()
    items, names = read_published(arguments.reference)
    (found,) = weigh(items, names)
    seconds = time.monotonic() - started
    note = f"{sum(found.rows.values()):,} rows in {len(found.cells)} cells"
    report.line("W: seconds, with reading", f"{seconds:.1f}", note, f"at most {SECONDS}", seconds <= SECONDS)
    (trimmed,) = weigh(items, names, WeightSettings(trim=list(TRIMMED)))
    for name, it in (("W", found), ("Wt", trimmed)):
        met = abs(it.objective - OPTIMA[name]) <= 0.001
        report.line(f"{name}: objective", f"{it.objective:.3f}", "", f"{OPTIMA[name]:.3f}", met)
    published = read_weights(arguments.reference / WEIGHTS, items)
    apart = max(abs(found.weights[id] - weight) for id, weight in published.items())
    report.line("W: farthest from a published weight", f"{apart:.1e}", "", f"at most {NEAR:g}", apart <= NEAR)

    groups, values = rows_of(items, names)
    drawn = np.random.default_rng(arguments.seed).choice(len(groups), ROWS, replace=False)
    groups, values = [groups[n] for n in drawn], [values[n] for n in drawn]
    times = []
    for _ in range(AGAIN):
        started = time.monotonic()
        cells = count_cells(groups, values)
        solved = solve(cells)
        times.append(time.monotonic() - started)
    small = statistics.median(times)
    weight_of = {(cell.group, cell.values): weight for cell, weight in zip(cells, solved, strict=True)}
    report.line(f"{ROWS} rows: seconds by cells", f"{small:.3f}", f"{len(cells)} cells")
    started = time.monotonic()
    weights = solve_pairs(groups, values)
    full = time.monotonic() - started
    report.line(f"{ROWS} rows: seconds by pairs", f"{full:.1f}")
    report.line(f"{ROWS} rows: times", f"{full / small:.0f}x", "", f"at least {TIMES}x", full >= TIMES * small)
    one = objective_of_rows(groups, [weight_of[it] for it in zip(groups, values, strict=True)])
    other = objective_of_rows(groups, weights)
    apart = abs(one - other) / other
    report.line(f"{ROWS} rows: objectives apart", f"{apart:.0e}", f"{one:.4f}", f"at most {CLOSE:g}", apart <= CLOSE)
    sys.exit(f"missed: {', '.join(report.missed)}" if report.missed else 0)


if __name__ == "__main__":
    main()
