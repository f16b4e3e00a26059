"""First names and their partners of the other gender, as n-CDA exchanges them (Counter-GAP, Xie et al. 2023, A).

Masculine names are matched with feminine ones, and names that are mostly masculine with those that are mostly
feminine, such that the frequencies in 55 countries differ as little as they can in all. Names with the same
frequencies are one row of the problem, which makes an assignment of 18,506 names a transport of 3,308 rows to 3,724
columns. It is a linear program with whole numbers at every corner; prices prove that nothing is cheaper.

The paper takes as many of the more numerous gender as there are of the other, the most frequent ones. Among those that
are tied at the cut-off the published mapping keeps the first of the list, for a cost of 8,103.72 and 903.88 in all.
Here the program chooses among them, which says more than an alphabet does: 7,724.58 and 902.95.
"""

import hashlib
import math
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import scipy  # whose parts load when they are used

from gapforge.people.lexicon import detector
from gapforge.storage.files import write_text

Kind = Literal["always", "mostly"]
Vector = tuple[int, ...]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

VERSION = 1  # of what a cached table says: another number has every table made anew

SIDES: dict[Kind, tuple[str, str]] = {"always": ("male", "female"), "mostly": ("mostly_male", "mostly_female")}

# gender-guesser keeps 56 characters for 55 countries: Great Britain's is the first, and the last is always blank. The
# published mapping was made of the last 55: only so are there its 18,506 and 568 pairs, at its costs to the cent. All
# countries would give 18,508 and 570. A name given in Great Britain alone is without any frequency.
COLUMNS = slice(1, 56)
FREQUENCIES = bytes.maketrans(b" 0123456789ABCD", bytes([0, *range(14)]))

ALPHA = 12 / 11  # Appendix A

# What the linear program begins with, and is given in each round; any numbers end with the same cost, these quickly.
CHEAPEST = 6  # cells of each row and of each column
NEARLY = 0.2  # above its price, where a cell may still be of use in the next round

PRECISION = 1e-9  # below its price, where a cell would make the plan cheaper by rounding alone


@dataclass(frozen=True, slots=True)
class Pair:
    """Two names that are exchanged; `mostly` where both are given to the other gender as well."""

    masculine: str
    feminine: str
    kind: Kind
    cost: float


@dataclass(frozen=True, slots=True)
class Matching:
    """Pairs by masculine name, and what no matching of the same names can cost less than."""

    pairs: list[Pair]
    bound: float


@dataclass(frozen=True, slots=True)
class Side:
    """The names of one gender by frequencies; those of `spare` rows are tied at the cut-off, and some stay alone."""

    vectors: list[Vector]
    names: list[list[str]]
    spare: Flags

    @property
    def counts(self) -> Floats:
        return np.array([float(len(names)) for names in self.names])


@dataclass(frozen=True, slots=True)
class Plan:
    """How many go from which row to which column, in this order, and what no plan can cost less than."""

    amounts: dict[tuple[int, int], int]
    bound: float


def name_table(cache_folder: Path | None = None) -> list[Pair]:
    """All pairs in the order of `match_names`, from the cache where it has them, which saves a quarter of a minute."""
    folder = cache_folder or user_cache()
    return match_names() if folder is None else kept_or_made(folder / f"names-{table_key()}.tsv", match_names)


def partners(pairs: Iterable[Pair]) -> dict[str, str]:
    """The partner of each name, both ways."""
    table = {}
    for pair in pairs:
        table[pair.masculine] = pair.feminine
        table[pair.feminine] = pair.masculine
    return table


def total_cost(pairs: Iterable[Pair], kind: Kind) -> float:
    return math.fsum(pair.cost for pair in pairs if pair.kind == kind)


def match_names() -> list[Pair]:
    """The names of gender-guesser in pairs, `always` before `mostly`, each by masculine name."""
    listed = listed_names()
    matchings = [match(listed[male], listed[female], kind) for kind, (male, female) in SIDES.items()]
    return [pair for matching in matchings for pair in matching.pairs]


def listed_names() -> dict[str, dict[str, Vector]]:
    """The frequencies of each name by gender; of several the one with the largest sum, or else the first, counts."""
    listed: dict[str, dict[str, Vector]] = defaultdict(dict)
    for name, genders in detector().names.items():
        vectors = {gender: tuple(as_bytes(values)) for gender, values in genders.items()}
        gender = max(vectors, key=lambda it: sum(vectors[it]))
        listed[gender][name] = vectors[gender]
    return listed


def as_bytes(values: str) -> bytes:
    return values[COLUMNS].encode("ascii").translate(FREQUENCIES)


def match(masculine: Mapping[str, Vector], feminine: Mapping[str, Vector], kind: Kind) -> Matching:
    """The cheapest full matching of the n most frequent names of either gender, where n is the smaller number."""
    most = min(len(masculine), len(feminine))
    if not most:
        return Matching([], 0.0)
    men, women = most_frequent(masculine, most), most_frequent(feminine, most)
    costs = costs_between(men.vectors, women.vectors)
    plan = transport(costs, men.counts, women.counts, men.spare, women.spare)
    his, hers = [iter(names) for names in men.names], [iter(names) for names in women.names]
    pairs = [
        Pair(next(his[row]), next(hers[column]), kind, float(costs[row, column]))
        for (row, column), amount in plan.amounts.items()
        for _ in range(amount)
    ]
    return Matching(sorted(pairs, key=lambda it: it.masculine), plan.bound)


def most_frequent(names: Mapping[str, Vector], most: int) -> Side:
    """That many names of the largest sums, and all that are tied with the last of them; in order of code points."""
    least = sorted(map(sum, names.values()), reverse=True)[most - 1]
    groups: dict[Vector, list[str]] = defaultdict(list)
    for name in sorted(names):
        if sum(names[name]) >= least:
            groups[names[name]].append(name)
    vectors = sorted(groups)
    tied = sum(map(len, groups.values())) > most
    spare = np.array([tied and sum(vector) == least for vector in vectors])
    return Side(vectors, [groups[vector] for vector in vectors], spare)


def costs_between(rows: list[Vector], columns: list[Vector]) -> Floats:
    """Distance times (12/11 - cosine), which is 0 for a name without any frequency, as in the published costs."""
    # Sums and products of small whole numbers are exact, in whatever order they are computed.
    left, right = np.array(rows, np.float64), np.array(columns, np.float64)
    products = left @ right.T
    left_squares, right_squares = (left**2).sum(axis=1)[:, np.newaxis], (right**2).sum(axis=1)
    lengths = np.sqrt(left_squares * right_squares)
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return np.asarray(np.sqrt(left_squares + right_squares - 2 * products) * (ALPHA - cosines))


def transport(costs: Floats, supply: Floats, demand: Floats, spare_rows: Flags, spare_columns: Flags) -> Plan:
    """The cheapest plan that leaves over as little as it can, and that in spare rows or columns alone.

    The linear program has few of the cells at first. The prices that it finds for rows and columns tell which of the
    others would make it cheaper; where none would, the plan is the best one of all cells.
    """
    # A row and a column that are both left over cost more than to bring them together, so none are.
    waste = np.where(np.concatenate([spare_rows, spare_columns]), 0.0, 2 * costs.max() + 1)
    chosen = cheapest(costs)
    while True:
        amounts, prices = solve(costs, chosen, np.concatenate([supply, demand]), waste)
        row_prices, column_prices = np.split(prices, [len(supply)])
        reduced = np.where(chosen, np.inf, costs - row_prices[:, np.newaxis] - column_prices)
        if reduced.min() >= -PRECISION:
            break
        chosen |= cheapest(reduced) & (reduced < NEARLY)
    whole = np.rint(amounts).astype(int)
    assert np.abs(amounts - whole).max() < 1e-6, "the corners of a transport problem are whole numbers"
    cells = zip(np.argwhere(chosen).tolist(), whole.tolist(), strict=True)
    used = {(row, column): amount for (row, column), amount in cells if amount}
    return Plan(used, lower_bound(costs, supply, demand, row_prices, waste))


def cheapest(costs: Floats) -> Flags:
    """The cheapest cells of each row and of each column, with all that are tied with the last of them."""
    row, column = (min(CHEAPEST, size) - 1 for size in reversed(costs.shape))
    by_row = costs <= np.partition(costs, row, axis=1)[:, row, np.newaxis]
    return np.asarray(by_row | (costs <= np.partition(costs, column, axis=0)[column]))


def solve(costs: Floats, chosen: Flags, sums: Floats, waste: Floats) -> tuple[Floats, Floats]:
    """The cheapest amounts of the chosen cells in order, and the prices of rows and columns; the rest is wasted."""
    rows, columns = np.nonzero(chosen)
    cells, sides = np.arange(len(rows)), np.arange(len(sums))
    places = np.concatenate([rows, len(costs) + columns, sides])
    variables = np.concatenate([cells, cells, len(cells) + sides])
    matrix = scipy.sparse.csc_array((np.ones(len(places)), (places, variables)), shape=(len(sides), variables[-1] + 1))
    # The dual simplex begins with all wasted. Without waste, which a plan of all cells does not need, it takes minutes.
    found = scipy.optimize.linprog(np.concatenate([costs[chosen], waste]), A_eq=matrix, b_eq=sums, method="highs-ds")
    if found.status != 0:
        raise RuntimeError(f"the linear program has no end: {found.message}")
    return np.asarray(found.x[: len(cells)], np.float64), np.asarray(found.eqlin.marginals, np.float64)


def lower_bound(costs: Floats, supply: Floats, demand: Floats, row_prices: Floats, waste: Floats) -> float:
    """What no plan can cost less than, whatever the prices of rows are: columns pay what no cell is too cheap for."""
    row_waste, column_waste = np.split(waste, [len(supply)])
    rows = np.minimum(row_prices, row_waste)
    columns = np.minimum((costs - rows[:, np.newaxis]).min(axis=0), column_waste)
    return math.fsum([*(supply * rows).tolist(), *(demand * columns).tolist()])


def user_cache() -> Path | None:
    """Where the user's programs keep what they can make anew; None where there is no such place."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        # The specification has relative paths ignored.
        return (named if named.is_absolute() else Path.home() / ".cache") / "gapforge"
    except RuntimeError:
        return None


def table_key() -> str:
    """What changes with the list of names, this module's version, and the solver, which may find another of equals."""
    digest = hashlib.sha256(f"{VERSION} {version('scipy')}\n".encode())
    for name, genders in detector().names.items():
        digest.update(f"{name}\t{genders}\n".encode())
    return digest.hexdigest()[:16]


def kept_or_made(path: Path, make: Callable[[], list[Pair]]) -> list[Pair]:
    """The pairs of the table, or new ones, which are kept where that is possible; several processes may do so."""
    pairs = read_pairs(path)
    if pairs is None:
        pairs = make()
        # Without a cache it merely takes longer.
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, as_table(pairs))
    return pairs


def as_table(pairs: Iterable[Pair]) -> str:
    """A line a pair, after one with the checksum of all of them."""
    lines = "".join(f"{it.masculine}\t{it.feminine}\t{it.kind}\t{it.cost!r}\n" for it in pairs)
    return f"{checksum(lines.encode())}\n{lines}"


def read_pairs(path: Path) -> list[Pair] | None:
    """What `as_table` wrote; None where nothing is there, or anything else."""
    try:
        first, _, lines = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if first != checksum(lines).encode():
        return None
    rows = (line.split("\t") for line in lines.decode().split("\n") if line)
    kinds: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
    return [Pair(masculine, feminine, kinds[kind], float(cost)) for masculine, feminine, kind, cost in rows]


def checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
