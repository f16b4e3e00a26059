"""Splits: whole pages, as many of each gender as the shares say, labels alike."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.annotation.splits import SPLITS, Entry, Shares, split_pages

GENDERS = ("feminine", "masculine")
LABELS = ("A", "B", "neither")

some_shares = st.sampled_from((Shares(), Shares(1, 1, 1), Shares(8, 1, 1), Shares(1, 0, 2), Shares(0, 0, 5)))


def pages_of(kinds):
    """An entry for each (page, gender, label)."""
    return [Entry(("wiki", f"d-{page}"), gender, label) for page, gender, label in kinds]


some_entries = st.lists(
    st.builds(
        Entry,
        st.tuples(st.sampled_from(("wiki", "novels")), st.integers(0, 9).map("d-{}".format)),
        st.sampled_from(GENDERS),
        st.sampled_from(LABELS),
    ),
    max_size=50,
)
single_pages = st.lists(st.tuples(st.sampled_from(GENDERS), st.sampled_from(LABELS)), max_size=60).map(
    lambda kinds: pages_of((n, *kind) for n, kind in enumerate(kinds))
)


def counts(entries, splits):
    """How many of each gender, and of each label, every split holds."""
    found = Counter()
    for entry in entries:
        split = splits[entry.page]
        found.update([split, (split, entry.gender), (split, entry.label)])
    return found


@given(some_entries, some_shares)
def test_every_page_is_in_one_split_that_has_a_share(entries, shares):
    splits = split_pages(entries, shares, 0)
    assert splits.keys() == {entry.page for entry in entries}
    assert set(splits.values()) <= {split for split in SPLITS if shares.of(split)}


@given(single_pages, some_shares)
def test_single_pages_come_out_within_one_example_of_the_share(entries, shares):
    found = counts(entries, split_pages(entries, shares, 0))
    whole = sum(map(shares.of, SPLITS))
    genders = Counter(entry.gender for entry in entries)
    for split in SPLITS:
        for gender in GENDERS:
            assert abs(found[split, gender] - genders[gender] * shares.of(split) / whole) < 1


@given(single_pages, some_shares)
def test_single_pages_of_both_genders_are_in_balance_everywhere(entries, shares):
    """Where every feminine example has a masculine one, every split has as many of both."""
    mirrored = [
        Entry(("mirror", entry.page[1]), "feminine" if entry.gender == "masculine" else "masculine", entry.label)
        for entry in entries
    ]
    found = counts([*entries, *mirrored], split_pages([*entries, *mirrored], shares, 0))
    for split in SPLITS:
        assert found[split, "feminine"] == found[split, "masculine"]


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        (Shares(2000, 454, 2000), {"development": 20, "validation": 4, "test": 20}),
        (Shares(1, 1, 0), {"development": 22, "validation": 22}),
        (Shares(0, 0, 7), {"test": 44}),
        (Shares(0, 3, 1), {"validation": 34, "test": 10}),  # 16.5 and 5.5 of each gender: the first gets the half
    ],
)
def test_shares_of_0_leave_a_split_empty(shares, expected):
    entries = pages_of((n, GENDERS[n % 2], "A") for n in range(44))
    assert Counter(split_pages(entries, shares, 0).values()) == expected


def test_what_rounding_leaves_goes_to_the_largest_rests():
    # Of 34 of each gender: 15.27, 3.47 and 15.27, so that validation gets one more.
    entries = pages_of((n, GENDERS[n % 2], "A") for n in range(68))
    found = counts(entries, split_pages(entries, Shares(), 0))
    assert [found[split] for split in SPLITS] == [30, 8, 30]
    assert [found[split, "feminine"] for split in SPLITS] == [15, 4, 15]


def test_pages_of_several_examples_stay_whole_and_others_make_up_for_them():
    # Two pages with three women each, and twelve single men and women: nine of each gender, and 1:1:1 is possible.
    kinds = [(page, "feminine", "A") for page in (0, 0, 0, 1, 1, 1)]
    kinds += [(n, "feminine", "A") for n in range(2, 5)] + [(n, "masculine", "A") for n in range(5, 14)]
    entries = pages_of(kinds)
    splits = split_pages(entries, Shares(1, 1, 1), 0)
    found = counts(entries, splits)
    assert [(found[split, "feminine"], found[split, "masculine"]) for split in SPLITS] == [(3, 3)] * 3
    assert splits["wiki", "d-0"] != splits["wiki", "d-1"]


def test_labels_are_shared_out_too():
    kinds = [(f"{gender}{label}{n}", gender, label) for gender in GENDERS for label in LABELS for n in range(10)]
    found = counts(entries := pages_of(kinds), split_pages(entries, Shares(2, 1, 2), 0))
    assert {split: [found[split, label] for label in LABELS] for split in SPLITS} == {
        "development": [8, 8, 8],
        "validation": [4, 4, 4],
        "test": [8, 8, 8],
    }


def gap_entries():
    """As many contexts as GAP has, by gender and label (Table 3: 1,979 A, 1,985 B, 490 neither), 1 to 3 a page."""
    dice = random.Random(2018)
    labels = ["A"] * 1979 + ["B"] * 1985 + ["neither"] * 490
    dice.shuffle(labels)
    kinds = [(GENDERS[n % 2], label) for n, label in enumerate(labels)]
    entries, page = [], 0
    while kinds:
        page += 1
        for _ in range(min(dice.choice((1, 1, 1, 2, 3)), len(kinds))):
            entries.append((page, *kinds.pop(dice.randrange(len(kinds)))))
    return pages_of(entries)


def test_a_set_of_the_size_of_gap():
    entries = gap_entries()
    assert len(entries) == 4454
    sizes = Counter(Counter(entry.page for entry in entries).values())
    assert min(sizes[1], sizes[2], sizes[3]) > 300
    splits = split_pages(entries, Shares(), 0)
    found = counts(entries, splits)
    assert [found[split] for split in SPLITS] == [2000, 454, 2000]
    assert [found[split, "feminine"] for split in SPLITS] == [1000, 227, 1000]
    assert [found[split, "masculine"] for split in SPLITS] == [1000, 227, 1000]
    for label, total in (("A", 1979), ("B", 1985), ("neither", 490)):
        for split in SPLITS:
            assert abs(found[split, label] - total * Shares().of(split) / 4454) <= 2


@given(some_entries, some_shares, st.randoms(use_true_random=False))
def test_order_does_not_matter(entries, shares, dice):
    assert split_pages(dice.sample(entries, len(entries)), shares, 5) == split_pages(entries, shares, 5)


def test_which_pages_go_where_is_drawn_by_lot():
    entries = pages_of((n, GENDERS[n % 2], "A") for n in range(40))
    draws = [split_pages(entries, Shares(1, 0, 1), seed) for seed in range(6)]
    assert [sum(split == "test" for split in each.values()) for each in draws] == [20] * 6
    assert len({tuple(sorted(each.items())) for each in draws}) == 6
    assert split_pages(entries, Shares(1, 0, 1), 3) == draws[3]


def test_the_corpus_is_part_of_a_page():
    entries = [Entry((corpus, "d-0"), "feminine", "A") for corpus in ("wiki", "novels")]
    splits = split_pages(entries, Shares(1, 0, 1), 0)
    assert sorted(splits.values()) == ["development", "test"]


def test_nothing_is_split_into_nothing():
    assert split_pages([], Shares(), 0) == {}


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ((-1, 454, 2000), "development must be at least 0, found -1"),
        ((2000, -454, 2000), "validation must be at least 0, found -454"),
        ((2000, 454, -3), "test must be at least 0, found -3"),
        ((0, 0, 0), "development, validation and test are all 0; raise one of them"),
    ],
)
def test_wrong_shares(shares, message):
    with pytest.raises(ValueError) as error:
        Shares(*shares)
    assert str(error.value) == message
