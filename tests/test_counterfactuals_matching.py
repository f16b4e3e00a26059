"""Names and their partners: matchings worked out by hand, the optimum, the whole list, and the table that is kept."""

import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from gapforge.counterfactuals.matching import (
    SIDES,
    Pair,
    as_table,
    costs_between,
    kept_or_made,
    listed_names,
    match,
    name_table,
    partners,
    read_pairs,
    table_key,
    total_cost,
    user_cache,
)
from gapforge.people.lexicon import detector

ROOT = Path(__file__).parents[1]

# Pairs and cost of the published mapping.
PUBLISHED = {"always": (18_506, 8_103.72), "mostly": (568, 903.88)}

FEW = [Pair("Adam", "Eva", "always", 0.1 + 0.2), Pair("Abdel Aziz", "Ann-Marie", "mostly", 0.0)]


def couples(matching):
    return [(pair.masculine, pair.feminine) for pair in matching.pairs]


@pytest.mark.parametrize(
    ("left", "right", "cost"),
    [
        ((3, 4), (3, 4), 0),
        ((1, 0), (9, 0), 8 / 11),
        ((1, 0), (0, 1), math.sqrt(2) * 12 / 11),
        ((1, 1), (1, 0), 12 / 11 - 1 / math.sqrt(2)),
        ((4, 3), (3, 4), math.sqrt(2) * (12 / 11 - 24 / 25)),
        ((0, 0), (0, 2), 2 * 12 / 11),
        ((0, 0), (0, 0), 0),
        ((13,), (10,), 3 / 11),
    ],
)
def test_costs(left, right, cost):
    assert costs_between([left], [right])[0, 0] == pytest.approx(cost, abs=1e-12)
    assert costs_between([right], [left])[0, 0] == costs_between([left], [right])[0, 0]


@pytest.mark.parametrize(
    ("masculine", "feminine", "expected"),
    [
        ({"Adam": (1, 0), "Bert": (0, 1)}, {"Anna": (0, 1), "Eva": (1, 0)}, [("Adam", "Eva"), ("Bert", "Anna")]),
        # Appendix A: rather with a popular name of the same country than with a rare one of another.
        ({"Rare": (1, 0), "Else": (0, 1)}, {"Popular": (9, 0), "Few": (0, 2)}, [("Else", "Few"), ("Rare", "Popular")]),
        # Ed and Una alone would be the cheapest pair (1/11), but leave Al and Zoe (7/11); these cost 2/11 and 4/11.
        ({"Al": (8,), "Ed": (5,)}, {"Una": (6,), "Zoe": (1,)}, [("Al", "Una"), ("Ed", "Zoe")]),
        # The most frequent ones take part, whatever it costs.
        ({"Max": (5, 0), "Ott": (0, 1)}, {"Eva": (0, 1)}, [("Max", "Eva")]),
        ({"Max": (0, 1)}, {"Eva": (5, 0), "Ute": (0, 1)}, [("Max", "Eva")]),
        # Of those tied at the cut-off the cheapest ones do, not the first of the alphabet.
        ({"Ab": (1, 0), "Ott": (0, 1)}, {"Eva": (0, 1)}, [("Ott", "Eva")]),
        ({"Ott": (0, 1)}, {"Ada": (1, 0), "Eva": (0, 1)}, [("Ott", "Eva")]),
        # Ada has to take part, and costs 12/11 less 1/√2 with Ott, against √17 times that with Max.
        (
            {"Max": (5, 0), "Ott": (0, 1)},
            {"Ada": (1, 1), "Eva": (0, 1), "Ute": (1, 0)},
            [("Max", "Ute"), ("Ott", "Ada")],
        ),
        ({"Ab": (0, 0), "Ott": (0, 1)}, {"Eva": (0, 0), "Ute": (0, 1)}, [("Ab", "Eva"), ("Ott", "Ute")]),
        # Names of equal frequencies go in order of code points, and the last of them stay alone.
        ({"Jo": (1,), "Émile": (1,), "Al": (1,)}, {"Zoe": (1,), "Ada": (1,)}, [("Al", "Ada"), ("Jo", "Zoe")]),
        ({"Adam": (1,)}, {}, []),
        ({}, {"Eva": (1,)}, []),
        ({}, {}, []),
    ],
)
def test_matchings_by_hand(masculine, feminine, expected):
    assert couples(match(masculine, feminine, "always")) == expected


def test_a_pair_knows_its_kind_and_cost():
    assert match({"Rare": (1, 0)}, {"Popular": (9, 0)}, "mostly").pairs == [
        Pair("Rare", "Popular", "mostly", pytest.approx(8 / 11))
    ]


def test_the_order_in_which_names_are_given_does_not_matter():
    masculine = {"Jo": (1, 0), "Al": (1, 0), "Max": (0, 3), "Ott": (2, 2)}
    feminine = {"Ute": (1, 1), "Ada": (0, 1), "Eva": (1, 0), "Zoe": (2, 0), "Una": (1, 0)}
    turned = match(dict(reversed(masculine.items())), dict(reversed(feminine.items())), "always")
    assert turned == match(masculine, feminine, "always")


def cheapest_by_assignment(masculine, feminine):
    """The cost by scipy's dense assignment of single names: names above the cut-off must take part, tied ones may."""
    most = min(len(masculine), len(feminine))
    sides = []
    for names in (masculine, feminine):
        vectors = sorted(names.values(), key=sum, reverse=True)
        least = sum(vectors[most - 1])
        sides.append(([it for it in vectors if sum(it) >= least], sum(sum(it) > least for it in vectors)))
    (rows, must_rows), (columns, must_columns) = sides
    matrix = costs_between(rows, columns)
    drawn = matrix.copy()
    drawn[:must_rows] -= 1_000
    drawn[:, :must_columns] -= 1_000
    chosen = linear_sum_assignment(drawn)
    assert len(chosen[0]) == most
    return matrix[chosen].sum()


def named(prefix, vectors):
    return {f"{prefix}{number:03}": tuple(vector) for number, vector in enumerate(vectors)}


VECTORS = st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=1, max_size=25)


@given(VECTORS, VECTORS)
def test_small_matchings_cost_what_an_assignment_of_single_names_costs(men, women):
    masculine, feminine = named("m", men), named("f", women)
    matching = match(masculine, feminine, "always")
    cost = total_cost(matching.pairs, "always")
    assert cost == pytest.approx(cheapest_by_assignment(masculine, feminine), abs=1e-7)
    assert cost == pytest.approx(matching.bound, abs=1e-7)
    assert len(matching.pairs) == min(len(men), len(women))
    assert len(partners(matching.pairs)) == 2 * len(matching.pairs)


# So large that the linear program begins with a tenth of the cells, and needs others.
@pytest.mark.parametrize(("men", "women", "seed"), [(400, 400, 1), (450, 380, 2), (380, 450, 3)])
def test_larger_matchings_cost_what_an_assignment_of_single_names_costs(men, women, seed):
    random = np.random.default_rng(seed)
    masculine = named("m", (random.integers(0, 6, (men, 12)) * random.integers(0, 2, (men, 12))).tolist())
    feminine = named("f", (random.integers(0, 9, (women, 12)) * random.integers(0, 2, (women, 12))).tolist())
    matching = match(masculine, feminine, "always")
    cost = total_cost(matching.pairs, "always")
    assert cost == pytest.approx(cheapest_by_assignment(masculine, feminine), abs=1e-6)
    assert cost == pytest.approx(matching.bound, abs=1e-6)


@pytest.mark.parametrize(
    ("gender", "names", "vectors", "without"),
    [
        ("male", 19_419, 3_309, 342),
        ("female", 18_506, 3_724, 261),
        ("mostly_male", 761, 166, 18),
        ("mostly_female", 568, 148, 12),
    ],
)
def test_names_and_their_frequencies_are_as_many_as_were_published(gender, names, vectors, without):
    listed = listed_names()[gender]
    assert {len(vector) for vector in listed.values()} == {55}
    assert (len(listed), len(set(listed.values()))) == (names, vectors)
    assert sum(not any(vector) for vector in listed.values()) == without


def test_the_column_left_out_is_that_of_great_britain_and_none_is_after_the_last():
    assert detector().COUNTRIES[0] == "great_britain"
    values = [values for genders in detector().names.values() for values in genders.values()]
    assert {len(it) for it in values} == {len(detector().COUNTRIES) + 1}
    assert {it[-1] for it in values} == {" "}


@pytest.mark.parametrize(
    ("name", "gender", "country", "frequency"),
    [
        ("Dora", "female", "usa", 3),
        ("Dora", "female", "greece", 4),
        ("Mary", "mostly_female", "malta", 10),
        ("Mary", "mostly_female", "ireland", 9),
        ("Nino", "female", "georgia", 11),
    ],
)
def test_frequencies_of_countries(name, gender, country, frequency):
    assert listed_names()[gender][name][detector().COUNTRIES.index(country) - 1] == frequency


def test_the_published_cost_comes_of_the_first_of_the_list_among_tied_names():
    male, female = (listed_names()[gender] for gender in SIDES["mostly"])
    first = sorted(male, key=lambda name: sum(male[name]), reverse=True)[: len(female)]
    matching = match({name: male[name] for name in first}, female, "mostly")
    assert round(total_cost(matching.pairs, "mostly"), 2) == PUBLISHED["mostly"][1]


@pytest.fixture(scope="module")
def matchings():
    listed = listed_names()
    return {kind: match(listed[male], listed[female], kind) for kind, (male, female) in SIDES.items()}


@pytest.fixture(scope="module")
def pairs(matchings):
    return [pair for matching in matchings.values() for pair in matching.pairs]


@pytest.mark.corpus
@pytest.mark.parametrize("kind", SIDES)
def test_the_whole_list_costs_no_more_than_published_and_nothing_is_cheaper(matchings, pairs, kind):
    count, published = PUBLISHED[kind]
    cost = total_cost(pairs, kind)
    assert len(matchings[kind].pairs) == count
    assert cost <= published
    assert round(cost, 2) == {"always": 7_724.58, "mostly": 902.95}[kind]
    assert cost - matchings[kind].bound == pytest.approx(0, abs=1e-6)


@pytest.mark.corpus
def test_each_name_is_there_once_and_exchanging_twice_is_nothing(pairs):
    names = Counter(name for pair in pairs for name in (pair.masculine, pair.feminine))
    assert set(names.values()) == {1}
    table = partners(pairs)
    assert len(table) == 2 * len(pairs) == 2 * (18_506 + 568)
    assert {name: table[table[name]] for name in table} == {name: name for name in table}


@pytest.mark.corpus
def test_partners_are_of_opposite_genders_and_cost_what_they_say(pairs):
    listed = listed_names()
    for pair in pairs:
        male, female = SIDES[pair.kind]
        vectors = listed[male][pair.masculine], listed[female][pair.feminine]
        assert pair.cost == costs_between([vectors[0]], [vectors[1]])[0, 0]


@pytest.mark.corpus
def test_the_most_frequent_names_take_part(pairs):
    table = partners(pairs)
    for sides in SIDES.values():
        for gender in sides:
            vectors = listed_names()[gender]
            alone = [sum(vectors[name]) for name in vectors if name not in table]
            assert max(alone, default=0) <= min(sum(vectors[name]) for name in vectors if name in table)


@pytest.mark.corpus
def test_pairs_are_in_order(pairs):
    assert pairs == sorted(pairs, key=lambda it: (list(SIDES).index(it.kind), it.masculine))


@pytest.mark.corpus
def test_another_process_with_other_hashes_makes_and_keeps_the_same_table(pairs, tmp_path):
    program = "import sys, pathlib, gapforge.counterfactuals.matching as it; it.name_table(pathlib.Path(sys.argv[1]))"
    environment = os.environ | {"PYTHONHASHSEED": "4711"}
    subprocess.run([sys.executable, "-c", program, tmp_path / "new"], cwd=ROOT, env=environment, check=True)
    (path,) = (tmp_path / "new").iterdir()
    assert path.name == f"names-{table_key()}.tsv"
    assert path.read_bytes() == as_table(pairs).encode()
    assert name_table(tmp_path / "new") == pairs


def test_a_list_with_another_name_has_a_table_of_its_own(monkeypatch):
    before = table_key()
    monkeypatch.setitem(detector().names, "Zbqx", {"male": " " * 56})
    assert table_key() != before


def never():
    raise AssertionError("the table is there")


def test_a_table_is_kept_and_read_again(tmp_path):
    path = tmp_path / "cache" / "gapforge" / "names.tsv"
    assert kept_or_made(path, lambda: FEW) == FEW
    assert kept_or_made(path, never) == FEW
    assert [it.name for it in path.parent.iterdir()] == ["names.tsv"]


def test_a_table_has_a_checksum_and_a_line_for_each_pair():
    checksum, *lines = as_table(FEW).split("\n")
    assert len(checksum) == 64
    assert lines == ["Adam\tEva\talways\t0.30000000000000004", "Abdel Aziz\tAnn-Marie\tmostly\t0.0", ""]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: content.replace(b"Eva", b"Ewa"),
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content.partition(b"\n")[2],
        lambda content: content + b"Max\tMia\talways\t0.0\n",
        lambda content: b"\xff\x00" * 50,
        lambda content: bytes(len(content)),
    ],
    ids=["empty", "no end", "half", "a letter", "line ends", "no checksum", "a line more", "no text", "zeros"],
)
def test_a_damaged_table_is_made_anew(tmp_path, damage):
    path = tmp_path / "names.tsv"
    content = as_table(FEW).encode()
    path.write_bytes(damage(content))
    assert read_pairs(path) is None
    assert kept_or_made(path, lambda: FEW) == FEW
    assert path.read_bytes() == content


def test_where_nothing_can_be_kept_it_is_made_each_time(tmp_path):
    (tmp_path / "file").write_text("no folder")
    assert kept_or_made(tmp_path / "file" / "names.tsv", lambda: FEW) == FEW
    (tmp_path / "folder").mkdir()
    assert kept_or_made(tmp_path / "folder", lambda: FEW) == FEW
    assert sorted(it.name for it in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("/var/cache", "/var/cache/gapforge"),
        ("", "/home/someone/.cache/gapforge"),
        ("here", "/home/someone/.cache/gapforge"),
    ],
)
def test_the_cache_is_where_the_user_wants_it(monkeypatch, named, expected):
    monkeypatch.setenv("XDG_CACHE_HOME", named)
    monkeypatch.setenv("HOME", "/home/someone")
    assert user_cache() == Path(expected)


def test_the_table_is_looked_for_in_the_cache_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert kept_or_made(tmp_path / "gapforge" / f"names-{table_key()}.tsv", lambda: FEW) == FEW
    assert name_table() == FEW


def test_partners_go_both_ways():
    assert partners(FEW) == {"Adam": "Eva", "Eva": "Adam", "Abdel Aziz": "Ann-Marie", "Ann-Marie": "Abdel Aziz"}


def test_total_cost_is_of_one_kind():
    assert (total_cost(FEW, "always"), total_cost(FEW, "mostly")) == (0.1 + 0.2, 0.0)
