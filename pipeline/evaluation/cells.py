"""Rows that weights cannot tell apart, counted in cells, and the programs over them.

One finds weights (Kocijan et al. 2021, 2.2). The paper's has a variable for each pair of rows, 787,000 for GAP. Here
rows with the same group and the same values are one cell and share a weight. Nothing is lost: the constraints do not
tell them apart, so that swapping two of them keeps a solution one, and since the objective is convex the mean of all
such swaps is no worse. The other finds how many rows downsampling would leave.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # whose parts load when they are used

from pipeline.evaluation.properties import Value, in_order
from pipeline.evaluation.significance import Floats


@dataclass(frozen=True, slots=True)
class Cell:
    """The rows of one group with one combination of values, which share a weight."""

    group: str
    values: tuple[Value, ...]
    rows: int
    weight: float = 0.0


def count_cells(groups: Sequence[str], values: Sequence[tuple[Value, ...]]) -> list[Cell]:
    """The cells of rows, in an order that does not depend on theirs."""
    counts = Counter(zip(groups, values, strict=True))
    order = sorted(counts, key=lambda it: (it[0], [in_order(value) for value in it[1]]))
    return [Cell(group, held, counts[group, held]) for group, held in order]


def rows_of(cells: Iterable[Cell], groups: Sequence[str]) -> dict[str, int]:
    counts = dict.fromkeys(groups, 0)
    for cell in cells:
        counts[cell.group] += cell.rows
    return counts


def objective_of(cells: Sequence[Cell]) -> float:
    """The sum of max(w_i, w_j) over all pairs of rows of one group: in order of weight, each row beats those before."""
    total = 0.0
    for group in sorted({cell.group for cell in cells}):
        before = 0
        for cell in sorted((cell for cell in cells if cell.group == group), key=lambda cell: cell.weight):
            total += cell.weight * cell.rows * (before + (cell.rows - 1) / 2)
            before += cell.rows
    return total


def sets_of(cells: Sequence[Cell]) -> list[tuple[int, Hashable]]:
    """Every set: the number of its property and the value."""
    width = len(cells[0].values) if cells else 0
    found = {(n, cell.values[n]) for cell in cells for n in range(width) if cell.values[n] is not None}
    return sorted(found, key=lambda it: (it[0], in_order(it[1])))


def balance_matrix(cells: Sequence[Cell]) -> Any:
    """One line for all rows and one for each set, one column a cell: 1 for the first group's cells, -1 for the other's.

    Times numbers of rows, or their weights, it is zero where the groups are in balance.
    """
    lines = {one: line for line, one in enumerate(sets_of(cells), 1)}
    first = min((cell.group for cell in cells), default="")
    places = [
        (line, column, 1.0 if cell.group == first else -1.0)
        for column, cell in enumerate(cells)
        for line in [0, *(lines[n, it] for n, it in enumerate(cell.values) if it is not None)]
    ]
    at, column, sign = zip(*places, strict=True)
    return scipy.sparse.csr_array((sign, (at, column)), shape=(len(lines) + 1, len(cells)))


def solve(cells: Sequence[Cell]) -> list[float] | None:
    """The best weight of a row of each cell; None where no weights balance the two groups.

    `over` has, for each pair of cells of one group, by how much the second weighs more than the first, if at all: then
    max(w_a, w_b) is w_a + over_ab. The work grows with the cube of the number of cells: 167 take half a second.
    """
    rows = np.array([float(cell.rows) for cell in cells])
    constraints, sums = constraints_on(cells, rows)
    if not is_feasible(cells):  # Known at once, and else only at the end of the work.
        return None
    group = np.array([cell.group for cell in cells])
    first, second = np.triu_indices(len(cells), 1)
    same = group[first] == group[second]
    first, second = first[same], second[same]
    pairs = rows[first] * rows[second]
    cost = rows * (rows - 1) / 2 + np.bincount(first, pairs, len(cells))
    one, line = np.ones(len(pairs)), np.arange(len(pairs))
    over = scipy.sparse.csr_array(
        (
            np.concatenate([one, -one, -one]),
            (np.tile(line, 3), np.concatenate([second, first, len(cells) + line])),
        ),
        shape=(len(pairs), len(cells) + len(pairs)),
    )
    wide = scipy.sparse.hstack([constraints, scipy.sparse.csr_array((constraints.shape[0], len(pairs)))], format="csr")
    found = minimise(np.concatenate([cost, pairs]), wide, sums, over)
    assert found is not None, "balanced weights were found before"
    return [max(0.0, float(weight)) for weight in found[: len(cells)]]


def constraints_on(cells: Sequence[Cell], rows: Floats) -> tuple[Any, Floats]:
    """What weights must obey: balance, and a sum that is the number of rows."""
    matrix = scipy.sparse.vstack(
        [balance_matrix(cells) * rows, scipy.sparse.csr_array(rows[np.newaxis, :])], format="csr"
    )
    sums = np.zeros(matrix.shape[0])
    sums[-1] = rows.sum()
    return matrix, sums


def minimise(cost: Floats, equal: Any, sums: Floats, below: Any = None) -> Floats | None:
    """The cheapest numbers of 0 or more with `equal @ x = sums` and `below @ x <= 0`; None where there are none."""
    limits = None if below is None else np.zeros(below.shape[0])
    # The interior point method is twice as fast; the simplex is asked where it does not come to an end.
    for method in ("highs-ipm", "highs-ds"):
        found = scipy.optimize.linprog(cost, A_ub=below, b_ub=limits, A_eq=equal, b_eq=sums, method=method)
        if found.status == 0:
            return np.asarray(found.x, np.float64)
    if found.status != 2:
        raise RuntimeError(f"the linear program has no end: {found.message}")
    return None


def is_feasible(cells: Sequence[Cell]) -> bool:
    """Whether any weights balance the two groups."""
    constraints, sums = constraints_on(cells, np.array([float(cell.rows) for cell in cells]))
    return minimise(np.zeros(len(cells)), constraints, sums) is not None


def downsample(cells: Sequence[Cell]) -> list[int]:
    """How many rows of each cell the largest subset keeps in which every set has as many rows of both groups.

    Up to two properties this is a flow between their sets, and whole numbers come by themselves.
    """
    rows = np.array([float(cell.rows) for cell in cells])
    balanced = scipy.optimize.LinearConstraint(balance_matrix(cells), 0, 0)
    whole = np.ones(len(cells))
    found = scipy.optimize.milp(
        -whole,
        integrality=whole,
        bounds=scipy.optimize.Bounds(0, rows),
        constraints=balanced,
        options={"mip_rel_gap": 0.0},
    )
    if found.status != 0:
        raise RuntimeError(f"the integer program has no end: {found.message}")
    return [round(float(it)) for it in found.x]
