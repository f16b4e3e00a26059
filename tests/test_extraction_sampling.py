import dataclasses
import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.config import load_settings
from gapforge.errors import ConfigError, InputError
from gapforge.extraction.sampling import (
    Cell,
    Choice,
    Patterns,
    Row,
    SamplingSettings,
    choose,
    limit_pages,
    plan,
    row_of,
    sample,
)
from gapforge.records import Candidate, Reject, Span

GENDERS = ("feminine", "masculine")
PATTERNS = ("FINALPRO", "MEDIALPRO", "INITIALPRO")
FORMS = {"feminine": ("she", "her", "hers"), "masculine": ("he", "him", "his")}
BASE = Candidate(
    id="c-0",
    corpus="wiki",
    document_id="d-0",
    url="https://example.org/d-0",
    start=100,
    text="Ann met Eve; Her dog ran.",
    pattern="FINALPRO",
    gender="feminine",
    pronoun=Span(13, 16),
    name_a=Span(0, 3),
    name_b=Span(8, 11),
    page_entity=True,
    reading=0,
)


def make_rows(counts):
    """So many rows of each (pattern, gender, page entity), each on a page of its own."""
    return [
        Row(f"{pattern}-{gender}-{entity}-{n}", "wiki", f"{pattern}{gender}{entity}{n}", gender, pattern, entity, "x")
        for (pattern, gender, entity), count in counts.items()
        for n in range(count)
    ]


def everywhere(final, medial, initial):
    """The same number of a pattern in both genders, with and without page entity."""
    numbers = zip(PATTERNS, (final, medial, initial), strict=True)
    return {(p, gender, entity): n for p, n in numbers for gender in GENDERS for entity in (True, False)}


def drawn(rows, choice):
    """How many of each (pattern, gender, page entity) were drawn."""
    return Counter((row.pattern, row.gender, row.page_entity) for row in rows if row.id in choice.chosen)


@st.composite
def some_rows(draw):
    """Rows on a few pages, so that every limit is met."""
    kinds = st.tuples(
        st.sampled_from(("wiki", "novels")),
        st.integers(0, 3),
        st.sampled_from(GENDERS),
        st.sampled_from(PATTERNS),
        st.booleans(),
        st.integers(0, 2),
    )
    return [
        Row(f"c-{n}", corpus, f"d-{page}", gender, pattern, entity, FORMS[gender][form])
        for n, (corpus, page, gender, pattern, entity, form) in enumerate(draw(st.lists(kinds, max_size=60)))
    ]


some_settings = st.builds(
    SamplingSettings,
    seed=st.integers(0, 3),
    size=st.sampled_from((0, 2, 10, 40)),
    at_least=st.sampled_from((0, 6, 2000)),
    per_page_and_gender=st.integers(0, 4),
    per_page_and_form=st.integers(0, 2),
    patterns=st.sampled_from((Patterns(), Patterns(1, 1, 1), Patterns(2, 0, 1))),
    page_entity=st.booleans(),
)


def choose_or_nothing(rows, settings):
    try:
        return choose(rows, settings)
    except InputError:
        return Choice(frozenset(), [], [])


@given(some_rows(), some_settings)
def test_genders_and_limits_always_hold(rows, settings):
    choice = choose_or_nothing(rows, settings)
    chosen = [row for row in rows if row.id in choice.chosen]
    cells = Counter((row.pattern, row.page_entity if settings.page_entity else None, row.gender) for row in chosen)
    for pattern, side in product(PATTERNS, (True, False, None)):
        assert cells[pattern, side, "feminine"] == cells[pattern, side, "masculine"]
    by_gender = Counter((row.corpus, row.document_id, row.gender) for row in chosen)
    by_form = Counter((row.corpus, row.document_id, row.form) for row in chosen)
    assert not settings.per_page_and_gender or all(n <= settings.per_page_and_gender for n in by_gender.values())
    assert not settings.per_page_and_form or all(n <= settings.per_page_and_form for n in by_form.values())
    assert not settings.size or len(chosen) <= settings.size


@given(some_rows(), some_settings)
def test_no_candidate_is_lost(rows, settings):
    choice = choose_or_nothing(rows, settings)
    if choice.chosen:
        left_out = [reject.id for reject in choice.rejects]
        assert left_out == sorted(left_out)
        assert sorted([*choice.chosen, *left_out]) == sorted(row.id for row in rows)


@given(some_rows(), some_settings, st.randoms(use_true_random=False))
def test_order_does_not_matter(rows, settings, shuffle):
    assert choose_or_nothing(shuffle.sample(rows, len(rows)), settings) == choose_or_nothing(rows, settings)


@given(some_rows())
def test_one_pair_is_enough(rows):
    settings = SamplingSettings(per_page_and_gender=0, per_page_and_form=0)
    kinds = {(row.pattern, row.page_entity, row.gender) for row in rows}
    pair = any({(*cell, "feminine"), (*cell, "masculine")} <= kinds for cell in product(PATTERNS, (True, False)))
    assert bool(choose_or_nothing(rows, settings).chosen) == pair


@pytest.mark.parametrize(
    ("counts", "settings", "expected"),
    [
        # Exactly 6:1:1 where nothing is wanted beyond it.
        (everywhere(20, 3, 2), SamplingSettings(at_least=0), everywhere(12, 2, 2)),
        (everywhere(5, 3, 2), SamplingSettings(at_least=0, patterns=Patterns(1, 1, 1)), everywhere(2, 2, 2)),
        (everywhere(5, 3, 0), SamplingSettings(at_least=0, patterns=Patterns(1, 1, 0)), everywhere(3, 3, 0)),
        # A size is met exactly, 6:1:1, and 1:1 in each of them.
        (everywhere(90, 20, 20), SamplingSettings(size=320), everywhere(60, 10, 10)),
        # What one pattern lacks, the others do not make up for.
        (everywhere(90, 4, 20), SamplingSettings(size=320), everywhere(60, 4, 10)),
        (everywhere(90, 0, 0), SamplingSettings(size=320), everywhere(60, 0, 0)),
        # Below the least size, the ratios give way; above it, they do not.
        (everywhere(40, 2, 0), SamplingSettings(at_least=2000), everywhere(40, 2, 0)),
        (everywhere(40, 2, 0), SamplingSettings(at_least=160), everywhere(30, 2, 0)),
        (everywhere(40, 6, 6), SamplingSettings(at_least=160), everywhere(36, 6, 6)),
        # Nine men to a woman, as in Wikipedia (GAP 3.1).
        (
            {("FINALPRO", "feminine", True): 5, ("FINALPRO", "masculine", True): 45},
            SamplingSettings(),
            {("FINALPRO", "feminine", True): 5, ("FINALPRO", "masculine", True): 5},
        ),
        # The genders are equal with and without page entity.
        (
            {
                ("FINALPRO", "feminine", True): 5,
                ("FINALPRO", "feminine", False): 2,
                ("FINALPRO", "masculine", True): 3,
                ("FINALPRO", "masculine", False): 8,
            },
            SamplingSettings(),
            {
                ("FINALPRO", "feminine", True): 3,
                ("FINALPRO", "feminine", False): 2,
                ("FINALPRO", "masculine", True): 3,
                ("FINALPRO", "masculine", False): 2,
            },
        ),
    ],
)
def test_sizes(counts, settings, expected):
    rows = make_rows(counts)
    assert drawn(rows, choose(rows, settings)) == {kind: n for kind, n in expected.items() if n}


def test_page_entity_need_not_be_balanced():
    rows = make_rows({("FINALPRO", gender, False): 90 for gender in GENDERS})
    assert len(choose(rows, SamplingSettings(size=80)).chosen) == 15 * 2
    choice = choose(rows, SamplingSettings(size=80, page_entity=False))
    assert drawn(rows, choice) == {("FINALPRO", gender, False): 30 for gender in GENDERS}


@pytest.mark.parametrize(
    ("size", "patterns", "expected"),
    [
        (16, Patterns(), [3, 3, 1, 1, 0, 0]),
        (32, Patterns(), [6, 6, 1, 1, 1, 1]),
        (34, Patterns(), [7, 6, 1, 1, 1, 1]),
        (20, Patterns(1, 1, 1), [2, 2, 2, 2, 1, 1]),
        (6, Patterns(0, 1, 0), [0, 0, 2, 1, 0, 0]),
    ],
)
def test_a_size_is_shared_out_whole(size, patterns, expected):
    cells = [Cell(pattern, side) for pattern in PATTERNS for side in (True, False)]
    wanted = plan(dict.fromkeys(cells, 0), SamplingSettings(size=size, patterns=patterns))
    assert list(wanted.items()) == list(zip(cells, expected, strict=True))
    assert sum(expected) * 2 == size


FINAL_SHE, FINAL_HER, MEDIAL_HER = ("FINALPRO", "she"), ("FINALPRO", "her"), ("MEDIALPRO", "her")
INITIAL_SHE, INITIAL_HER = ("INITIALPRO", "she"), ("INITIALPRO", "her")


@pytest.mark.parametrize(
    ("page", "settings", "kept", "reasons"),
    [
        ([FINAL_SHE, MEDIAL_HER], {}, [FINAL_SHE, MEDIAL_HER], {}),
        # Rather the scarce patterns than the common one.
        (
            [*[FINAL_SHE] * 20, INITIAL_SHE, MEDIAL_HER],
            {"per_page_and_gender": 2, "per_page_and_form": 0},
            [INITIAL_SHE, MEDIAL_HER],
            {("page limit", "[sampling] per_page_and_gender = 2"): 20},
        ),
        (
            [*[FINAL_HER] * 9, INITIAL_HER, FINAL_SHE],
            {},
            [INITIAL_HER, FINAL_SHE],
            {("pronoun form limit", "[sampling] per_page_and_form = 1"): 9},
        ),
        # At 6:1, three of the one are scarcer than one of the other.
        (
            [MEDIAL_HER, *[FINAL_SHE] * 3],
            {"per_page_and_gender": 1},
            [FINAL_SHE],
            {("page limit", "[sampling] per_page_and_gender = 1"): 3},
        ),
        # What is not wanted takes nothing's place.
        (
            [INITIAL_HER, *[FINAL_HER] * 8],
            {"patterns": Patterns(initial=0)},
            [FINAL_HER],
            {("pronoun form limit", "[sampling] per_page_and_form = 1"): 8},
        ),
        ([FINAL_SHE] * 5, {"per_page_and_gender": 0, "per_page_and_form": 0}, [FINAL_SHE] * 5, {}),
    ],
)
def test_a_page_gives_what_is_scarce(page, settings, kept, reasons):
    rows = [Row(f"c-{n}", "wiki", "d", "feminine", pattern, True, form) for n, (pattern, form) in enumerate(page)]
    found, rejects = limit_pages(rows, SamplingSettings(**settings))
    assert Counter((row.pattern, row.form) for row in found) == Counter(kept)
    assert Counter((reject.reason, reject.detail) for reject in rejects) == reasons


def test_pages_genders_and_forms_have_limits_of_their_own():
    rows = [
        Row(f"{corpus}-{page}-{form}-{n}", corpus, page, gender, "FINALPRO", True, form)
        for corpus, page, (gender, forms), n in product(("a", "b"), ("1", "2"), FORMS.items(), range(2))
        for form in forms
    ]
    found, _ = limit_pages(rows, SamplingSettings(per_page_and_gender=2))
    assert set(Counter((row.corpus, row.document_id, row.gender) for row in found).items()) == {
        ((corpus, page, gender), 2) for corpus, page, gender in product(("a", "b"), ("1", "2"), GENDERS)
    }
    assert len({(row.corpus, row.document_id, row.form) for row in found}) == len(found)


def test_lots_follow_the_seed():
    rows = make_rows(everywhere(60, 10, 10))
    first, again, other = (choose(rows, SamplingSettings(seed=seed, size=32)).chosen for seed in (0, 0, 1))
    assert first == again
    assert len(first & other) < len(first) == 32


def test_lots_are_the_same_everywhere():
    rows = make_rows({("FINALPRO", "feminine", True): 9, ("FINALPRO", "masculine", True): 2})
    chosen = choose(rows, SamplingSettings()).chosen
    assert {id for id in chosen if "feminine" in id} == {"FINALPRO-feminine-True-0", "FINALPRO-feminine-True-6"}


def test_one_gender_does_not_change_the_lots_of_the_other():
    few, many = (make_rows({("FINALPRO", "feminine", True): 20, ("FINALPRO", "masculine", True): n}) for n in (5, 6))
    few_chosen, many_chosen = (choose(rows, SamplingSettings()).chosen for rows in (few, many))
    assert {id for id in few_chosen if "feminine" in id} < {id for id in many_chosen if "feminine" in id}


@pytest.mark.parametrize(
    ("counts", "settings", "expected"),
    [
        (
            {("MEDIALPRO", "feminine", True): 2, ("MEDIALPRO", "masculine", True): 9},
            SamplingSettings(size=80, patterns=Patterns(0, 1, 0)),
            {("gender balance", "only 2 of the other gender are MEDIALPRO with page entity"): 7},
        ),
        (everywhere(7, 2, 1), SamplingSettings(size=32), {("size", "[sampling] size = 32"): 8}),
        (
            everywhere(7, 2, 1),
            SamplingSettings(at_least=0),
            {("pattern balance", "only 1 of a gender are INITIALPRO with page entity"): 8},
        ),
        (
            everywhere(6, 1, 1),
            SamplingSettings(patterns=Patterns(initial=0)),
            {("pattern balance", "[sampling] patterns.initial = 0"): 4},
        ),
        (
            everywhere(6, 1, 1) | {("MEDIALPRO", gender, False): 3 for gender in GENDERS},
            SamplingSettings(at_least=0),
            {("page entity balance", "only 1 of a gender are MEDIALPRO with page entity"): 4},
        ),
        # Seven are not twice six.
        (
            everywhere(7, 2, 2),
            SamplingSettings(at_least=0),
            {
                ("pattern balance", "only 7 of a gender are FINALPRO with page entity"): 2 + 8,
                ("pattern balance", "only 7 of a gender are FINALPRO without page entity"): 2,
            },
        ),
        # Books have no page entity.
        (
            {(pattern, gender, False): 4 for pattern in PATTERNS for gender in GENDERS},
            SamplingSettings(at_least=32),
            {
                ("page entity balance", "only 0 of a gender are MEDIALPRO with page entity"): 6,
                ("page entity balance", "only 0 of a gender are INITIALPRO with page entity"): 6,
            },
        ),
    ],
)
def test_why_candidates_are_left_out(counts, settings, expected):
    rejects = choose(make_rows(counts), settings).rejects
    assert Counter((reject.reason, reject.detail) for reject in rejects) == expected


@pytest.mark.parametrize(
    ("counts", "settings", "expected"),
    [
        (everywhere(60, 10, 10), SamplingSettings(size=320), []),
        (everywhere(60, 1, 9), SamplingSettings(at_least=0), []),
        (
            everywhere(60, 10, 10) | {("MEDIALPRO", "feminine", entity): 3 for entity in (True, False)},
            SamplingSettings(size=320),
            [
                "MEDIALPRO feminine with page entity: wanted 10, found 3 within the page limits; "
                "add text or lower [sampling] size or patterns.medial",
                "MEDIALPRO feminine without page entity: wanted 10, found 3 within the page limits; "
                "add text or lower [sampling] size or patterns.medial",
            ],
        ),
        (
            everywhere(60, 10, 10) | {("INITIALPRO", "masculine", True): 0, ("INITIALPRO", "masculine", False): 20},
            SamplingSettings(at_least=320),
            [
                "INITIALPRO masculine with page entity: wanted 10, found 0 within the page limits; "
                "add text or set [sampling] page_entity = false",
            ],
        ),
        (
            everywhere(59, 10, 10),
            SamplingSettings(at_least=320, page_entity=False, patterns=Patterns(initial=0)),
            [
                "FINALPRO feminine: wanted 137, found 118 within the page limits; "
                "add text or lower [sampling] at_least or patterns.final",
                "FINALPRO masculine: wanted 137, found 118 within the page limits; "
                "add text or lower [sampling] at_least or patterns.final",
                "MEDIALPRO feminine: wanted 23, found 20 within the page limits; "
                "add text or lower [sampling] at_least or patterns.medial",
                "MEDIALPRO masculine: wanted 23, found 20 within the page limits; "
                "add text or lower [sampling] at_least or patterns.medial",
            ],
        ),
    ],
)
def test_shortfalls_say_what_to_change(counts, settings, expected):
    assert choose(make_rows(counts), settings).shortfalls == expected


@pytest.mark.parametrize(
    ("counts", "settings", "message"),
    [
        ({}, SamplingSettings(), "no candidates; add text"),
        (
            {("FINALPRO", "masculine", True): 12, ("MEDIALPRO", "feminine", False): 1},
            SamplingSettings(),
            "12 FINALPRO masculine with page entity, 1 MEDIALPRO feminine without page entity; add text",
        ),
        (
            {("FINALPRO", "masculine", True): 2, ("FINALPRO", "feminine", False): 1},
            SamplingSettings(),
            "2 FINALPRO masculine with page entity, 1 FINALPRO feminine without page entity; "
            "add text or set [sampling] page_entity = false",
        ),
        (
            {("FINALPRO", "masculine", True): 2, ("FINALPRO", "feminine", False): 1},
            SamplingSettings(page_entity=False, at_least=0),
            "1 FINALPRO feminine, 2 FINALPRO masculine; "
            "add text or raise [sampling] at_least or the share of a pattern",
        ),
        (
            {("INITIALPRO", gender, True): 1 for gender in GENDERS},
            SamplingSettings(size=2),
            "1 INITIALPRO feminine with page entity, 1 INITIALPRO masculine with page entity; "
            "add text or raise [sampling] size or the share of a pattern",
        ),
    ],
)
def test_nothing_to_draw_is_an_error(counts, settings, message):
    with pytest.raises(InputError) as error:
        choose(make_rows(counts), settings)
    assert str(error.value) == f"cannot draw as many feminine as masculine examples from {message}"


def test_an_id_occurs_once():
    row = row_of(BASE)
    with pytest.raises(InputError) as error:
        choose([row, row._replace(corpus="novels")], SamplingSettings())
    assert str(error.value) == (
        "candidate 'c-0' occurs twice, in the corpora 'wiki' and 'novels'; leave its document in one of them"
    )


def test_the_form_is_the_pronoun_in_lower_case():
    assert row_of(BASE) == Row("c-0", "wiki", "d-0", "feminine", "FINALPRO", True, "her")


def test_a_sample_is_in_the_order_of_the_text():
    def candidate(id, corpus="wiki", document_id="d-0", start=100, pronoun=13):
        span = Span(pronoun, pronoun + 3)
        return dataclasses.replace(BASE, id=id, corpus=corpus, document_id=document_id, start=start, pronoun=span)

    ordered = [
        candidate("7", corpus="novels", document_id="d-9"),
        candidate("6", start=90, pronoun=20),
        candidate("5", start=100, pronoun=8),
        candidate("4", start=100, pronoun=13),
        candidate("1", document_id="d-1", start=0),
    ]
    rejects = [Reject("2", "size", ""), Reject("3", "size", "")]
    choice = Choice(frozenset("14567"), rejects, [])
    shuffled = random.Random(1).sample([*ordered, candidate("2"), candidate("3")], 7)
    assert list(sample(shuffled, choice)) == [*rejects, *ordered]


def load(folder, text):
    path = folder / "c.toml"
    path.write_text(text, "utf-8")
    return load_settings(str(path), "sampling", SamplingSettings)


def test_settings_are_read(tmp_path):
    text = "[sampling]\nseed = 7\nsize = 100\npatterns = { final = 4 }\npage_entity = false"
    expected = SamplingSettings(seed=7, size=100, patterns=Patterns(4, 1, 1), page_entity=False)
    assert load(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size = -2", "size must be at least 0, found -2"),
        ("size = 7", "size must be even, since each gender gives half, found 7"),
        ("at_least = 7", "at_least must be even, since each gender gives half, found 7"),
        ("per_page_and_gender = -1", "per_page_and_gender must be at least 0, found -1"),
        ("per_page_and_form = -1", "per_page_and_form must be at least 0, found -1"),
        ("patterns = { medial = -1 }", "patterns medial must be at least 0, found -1"),
        (
            "patterns = { final = 0, medial = 0, initial = 0 }",
            "patterns final, medial and initial are all 0; raise one of them",
        ),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, text, message):
    with pytest.raises(ConfigError) as error:
        load(tmp_path, f"[sampling]\n{text}")
    assert str(error.value) == f"{tmp_path}/c.toml: [sampling] {message}"
