"""One example a page and form, labels and genders in balance, and where the final set stands."""

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.annotation.balance import Decided, balance, complete, describe, one_per_form, page_of
from gapforge.annotation.consensus import Verdict
from gapforge.annotation.splits import Shares
from gapforge.records import Candidate, LabelledExample, Reject, Span, fields_of

GENDERS = ("feminine", "masculine")
PATTERNS = ("FINALPRO", "MEDIALPRO", "INITIALPRO")
LABELS = ("A", "B", "neither")
BASE = Candidate(
    id="c-0",
    corpus="wiki",
    document_id="d-0",
    url="https://example.org/d-0",
    start=100,
    text="Ann met Eve; Her dog saw her too.",
    pattern="FINALPRO",
    gender="feminine",
    pronoun=Span(13, 16),
    name_a=Span(0, 3),
    name_b=Span(8, 11),
    page_entity=True,
    reading=0,
)


def decide(label="A", agreement=1.0, standard="gold", **changes):
    return Decided(replace(BASE, **changes), label, Verdict(label, "", agreement, standard))


def groups(*wanted):
    """So many of each (label, gender, pattern)."""
    return [
        decide(
            label,
            id=f"{label} {gender} {pattern} {n}",
            document_id=f"{label} {gender} {pattern} {n}",
            gender=gender,
            pattern=pattern,
        )
        for label, gender, pattern, count in wanted
        for n in range(count)
    ]


def parted(items):
    items = list(items)
    return [it for it in items if isinstance(it, Decided)], [it for it in items if isinstance(it, Reject)]


def kind_of(decided):
    return decided.label, decided.example.gender, decided.example.pattern


def test_one_example_of_each_page_and_form():
    text = "Ann met Eve; Her dog saw her, and she hers."
    spans = {"Her": Span(13, 16), "her": Span(25, 28), "she": Span(34, 37), "hers": Span(38, 42)}
    assert {form: text[span.start : span.end] for form, span in spans.items()} == {form: form for form in spans}

    def example(id, form, **changes):
        return decide(id=id, text=text, pronoun=spans[form], **changes)

    alone = [
        example("she", "she"),
        example("hers", "hers"),
        example("other page", "her", document_id="d-1"),
        example("other corpus", "her", corpus="novels"),
    ]
    rivals = [example("upper", "Her"), example("lower", "her"), example("again", "her", start=900)]
    kept, rejects = parted(one_per_form([*alone, *rivals], 0))
    assert [it for it in kept if it not in rivals] == alone
    (winner,) = [it for it in kept if it in rivals]
    left = {it.example.id for it in rivals} - {winner.example.id}
    assert sorted(rejects, key=lambda it: it.id) == [
        Reject(id, "page and form", "another her of its page is taken") for id in sorted(left)
    ]


def test_which_of_a_page_stays_is_drawn_by_lot():
    rivals = [decide(id=f"c-{n}") for n in range(6)]
    winners = {parted(one_per_form(rivals, seed))[0][0].example.id for seed in range(40)}
    assert len(winners) > 3
    for seed in range(5):
        (winner,), _ = parted(one_per_form(rivals, seed))
        assert parted(one_per_form(rivals[::-1], seed))[0] == [winner]
        # Without the others the winner wins all the same.
        assert parted(one_per_form([winner, rivals[0]], seed))[0] == [winner]


FINAL, MEDIAL = "FINALPRO", "MEDIALPRO"


@pytest.mark.parametrize(
    ("found", "kept", "rejects"),
    [
        # The scarcest of the four sets the number of all: 2.
        (
            [
                ("A", "feminine", FINAL, 5),
                ("B", "feminine", FINAL, 3),
                ("A", "masculine", FINAL, 2),
                ("B", "masculine", FINAL, 4),
            ],
            {(label, gender, FINAL): 2 for label in ("A", "B") for gender in GENDERS},
            {
                ("A", "feminine", FINAL, "gender balance", "only 2 FINALPRO masculine have the label A"): 3,
                ("B", "feminine", FINAL, "gender balance", "only 2 FINALPRO masculine have the label A"): 1,
                ("B", "masculine", FINAL, "label balance", "only 2 FINALPRO masculine have the label A"): 2,
            },
        ),
        # Where two are as scarce, the one of the same gender is the reason.
        (
            [
                ("A", "feminine", FINAL, 3),
                ("B", "feminine", FINAL, 1),
                ("A", "masculine", FINAL, 1),
                ("B", "masculine", FINAL, 2),
            ],
            {(label, gender, FINAL): 1 for label in ("A", "B") for gender in GENDERS},
            {
                ("A", "feminine", FINAL, "label balance", "only 1 FINALPRO feminine have the label B"): 2,
                ("B", "masculine", FINAL, "label balance", "only 1 FINALPRO masculine have the label A"): 1,
            },
        ),
        # A label that is missing altogether leaves none of the other.
        (
            [("B", "masculine", MEDIAL, 1), ("A", "feminine", MEDIAL, 1), ("B", "feminine", MEDIAL, 1)],
            {},
            {
                ("B", "masculine", MEDIAL, "label balance", "only 0 MEDIALPRO masculine have the label A"): 1,
                ("A", "feminine", MEDIAL, "gender balance", "only 0 MEDIALPRO masculine have the label A"): 1,
                ("B", "feminine", MEDIAL, "gender balance", "only 0 MEDIALPRO masculine have the label A"): 1,
            },
        ),
        # "neither" is balanced by gender alone, and no other pattern makes up for it.
        (
            [
                ("neither", "feminine", FINAL, 4),
                ("neither", "masculine", FINAL, 1),
                ("neither", "masculine", MEDIAL, 3),
            ],
            {("neither", "feminine", FINAL): 1, ("neither", "masculine", FINAL): 1},
            {
                ("neither", "feminine", FINAL, "gender balance", "only 1 FINALPRO masculine have the label neither"): 3,
                (
                    "neither",
                    "masculine",
                    MEDIAL,
                    "gender balance",
                    "only 0 MEDIALPRO feminine have the label neither",
                ): 3,
            },
        ),
        # What is in balance stays whole.
        (
            [(label, gender, pattern, 2) for label in LABELS for gender in GENDERS for pattern in PATTERNS],
            {(label, gender, pattern): 2 for label in LABELS for gender in GENDERS for pattern in PATTERNS},
            {},
        ),
        ([], {}, {}),
    ],
)
def test_labels_and_genders_are_balanced_in_every_pattern(found, kept, rejects):
    stay, go = parted(balance(groups(*found), 0))
    assert Counter(map(kind_of, stay)) == kept
    assert Counter((*it.id.split()[:3], it.reason, it.detail) for it in go) == rejects


some_decided = st.lists(
    st.tuples(st.sampled_from(LABELS), st.sampled_from(GENDERS), st.sampled_from(PATTERNS)), max_size=60
).map(
    lambda kinds: [
        decide(label, id=f"c-{n}", gender=gender, pattern=pattern) for n, (label, gender, pattern) in enumerate(kinds)
    ]
)


@given(some_decided, st.integers(0, 3))
def test_balance_is_strict_and_takes_no_more_than_it_must(decided, seed):
    kept, rejects = parted(balance(decided, seed))
    assert sorted([*(it.example.id for it in kept), *(it.id for it in rejects)]) == sorted(
        it.example.id for it in decided
    )
    assert all(it in decided for it in kept)
    before, after = (Counter(map(kind_of, each)) for each in (decided, kept))
    for pattern in PATTERNS:
        names = list(product(("A", "B"), GENDERS, [pattern]))
        neither = list(product(["neither"], GENDERS, [pattern]))
        for rivals in (names, neither):
            assert [after[kind] for kind in rivals] == [min(before[kind] for kind in rivals)] * len(rivals)


@given(some_decided, st.randoms(use_true_random=False))
def test_balance_does_not_depend_on_order(decided, dice):
    kept, rejects = parted(balance(decided, 7))
    again, others = parted(balance(dice.sample(decided, len(decided)), 7))
    assert {it.example.id for it in again} == {it.example.id for it in kept}
    assert set(others) == set(rejects)


def test_balance_is_drawn_by_lot():
    found = groups(("neither", "feminine", FINAL, 20), ("neither", "masculine", FINAL, 5))
    draws = {frozenset(it.example.id for it in parted(balance(found, seed))[0]) for seed in range(10)}
    assert {len(each) for each in draws} == {10}
    assert len(draws) > 5


def test_the_final_set_is_in_the_order_of_the_text():
    men = {"gender": "masculine", "text": "Al met Bo; his dog saw him.", "document_id": "d-1"}
    dev, test = "development", "test"
    expected = [
        (decide("A", 2 / 3, "silver", id="9", corpus="novels", document_id="d-9"), test),
        (decide("B", id="8", document_id="d-1", start=90, pronoun=Span(25, 28)), dev),
        (decide("B", 0.75, id="7", start=100, pronoun=Span(11, 14), **men), dev),
        (decide("A", id="6", start=100, pronoun=Span(23, 26), **men), dev),
    ]
    others = [decide("neither", id="2", document_id="d-2"), decide("B", id="1", document_id="d-1", start=95)]
    decided = [*others, *(it for it, _ in expected[::-1])]
    assert list(complete(decided, Shares(1, 0, 1), 0)) == [
        Reject("1", "page and form", "another her of its page is taken"),
        Reject("2", "gender balance", "only 0 FINALPRO masculine have the label neither"),
        *(
            LabelledExample(
                **fields_of(it.example),
                label=it.label,
                agreement=it.verdict.agreement,
                standard=it.verdict.standard,
                split=split,
            )
            for it, split in expected
        ),
    ]


def test_pages_and_forms_come_before_balance():
    """A page's second B is not there to be balanced: one A stays, where the balance of all four would keep two."""
    same = [decide("B", id=f"b-{n}", document_id="page", gender="masculine") for n in range(2)]
    others = groups(("A", "feminine", FINAL, 2), ("B", "feminine", FINAL, 2), ("A", "masculine", FINAL, 2))
    found = list(complete([*same, *others], Shares(), 0))
    assert Counter(it.reason if isinstance(it, Reject) else it.label for it in found) == {
        "page and form": 1,
        "gender balance": 2,
        "label balance": 1,
        "A": 2,
        "B": 2,
    }


@st.composite
def crowded(draw):
    """Examples on a few pages of two corpora, in few forms."""
    kinds = st.tuples(
        st.sampled_from(("wiki", "novels")),
        st.integers(0, 9),
        st.sampled_from((("feminine", "she"), ("feminine", "Her"), ("masculine", "he"), ("masculine", "his"))),
        st.sampled_from(PATTERNS[:2]),
        st.sampled_from(LABELS),
    )
    return [
        decide(
            label,
            id=f"c-{n}",
            corpus=corpus,
            document_id=f"d-{page}",
            gender=gender,
            pattern=pattern,
            text=f"Ann met Eve; {form}",
            pronoun=Span(13, 13 + len(form)),
        )
        for n, (corpus, page, (gender, form), pattern, label) in enumerate(draw(st.lists(kinds, max_size=50)))
    ]


@given(crowded(), st.randoms(use_true_random=False))
def test_the_final_set_keeps_every_promise(decided, dice):
    found = list(complete(decided, Shares(), 1))
    assert sorted(it.id for it in found) == sorted(it.example.id for it in decided)
    kept = [it for it in found if isinstance(it, LabelledExample)]
    cells = Counter((it.pattern, it.label, it.gender) for it in kept)
    for pattern in PATTERNS:
        assert len({cells[pattern, label, gender] for label in ("A", "B") for gender in GENDERS}) == 1
        assert cells[pattern, "neither", "feminine"] == cells[pattern, "neither", "masculine"]
    forms = [(page_of(it), it.text[it.pronoun.start : it.pronoun.end]) for it in kept]
    assert len(set(forms)) == len(forms)
    splits = defaultdict(set)
    for it in kept:
        splits[page_of(it)].add(it.split)
    assert all(len(each) == 1 for each in splits.values())
    assert list(complete(dice.sample(decided, len(decided)), Shares(), 1)) == found


def test_splits_in_words():
    found = groups(("A", "feminine", FINAL, 3), ("B", "masculine", FINAL, 2), ("neither", "feminine", FINAL, 1))
    made = [
        LabelledExample(**fields_of(it.example), label=it.label, agreement=1.0, standard="gold", split=split)
        for it, split in zip(found, ["test"] * 3 + ["development"] * 2 + ["test"], strict=True)
    ]
    assert list(describe(made)) == [
        "development: 2 examples; 0 feminine, 2 masculine, 0 A, 2 B, 0 neither",
        "validation: 0 examples; 0 feminine, 0 masculine, 0 A, 0 B, 0 neither",
        "test: 4 examples; 4 feminine, 0 masculine, 3 A, 0 B, 1 neither",
    ]
    assert next(iter(describe(made * 1000))).startswith("development: 2,000 examples; 0 feminine, 2,000 masculine, ")
