"""An original and its three counterfactuals, from scenes and exchanges of words that are built by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.counterfactuals.variants import COUNTERFACTUALS, PLACES, SWAPS, is_shouted, make_quadruple, outside
from gapforge.edits import Edit
from gapforge.records import OTHER, Span, overlap
from marked_scenes import ROLES, play, read


def texts_of(scene, words):
    quadruple = make_quadruple(scene, words)
    return [quadruple[variant].text for variant in COUNTERFACTUALS]


def at(scene, span):
    return scene.text[span.start : span.end]


END = " [O1 Bo], [O2 Max]: [P she>he]."


@pytest.mark.parametrize(
    ("marked", "names", "control", "swap_1", "swap_2"),
    [
        (
            "[C1 Ann] told [O1 Bo] that [C2 Ida]'s [aunt>uncle] knew [O2 Max]. [P She>He] left with [O1 Bo].",
            {},
            "Ida told Max that Ann's aunt knew Bo. She left with Max.",
            "Bo told Ann that Max's uncle knew Ida. He left with Ann.",
            "Max told Ida that Bo's uncle knew Ann. He left with Ida.",
        ),
        (
            "[O1 Ann] saw [O2 Ida] with [C2 Max]. [Her>His] [brother>sister], [C1 Bo], took [P his>her] hat.",
            {},
            "Ida saw Ann with Bo. Her brother, Max, took his hat.",
            "Bo saw Max with Ida. His sister, Ann, took her hat.",
            "Max saw Bo with Ann. His sister, Ida, took her hat.",
        ),
        # Every form of a name becomes the partner's canonical one.
        (
            "[C1 Miss Perkins] and [C1 Perkins] and [C1 Jane Perkins]; [C2 Polly];" + END,
            {"C1": "Jane Perkins"},
            "Polly and Polly and Polly; Jane Perkins; Max, Bo: she.",
            "Bo and Bo and Bo; Max; Jane Perkins, Polly: he.",
            "Max and Max and Max; Bo; Polly, Jane Perkins: he.",
        ),
        # Possessives.
        (
            "[C1 Miss Perkins]' dress, [C2 Polly]'s hat," + END,
            {},
            "Polly's dress, Miss Perkins's hat, Max, Bo: she.",
            "Bo's dress, Max's hat, Miss Perkins, Polly: he.",
            "Max's dress, Bo's hat, Polly, Miss Perkins: he.",
        ),
        (
            "[C1 Miss Perkins]’ dress, [C2 Polly]’s hat, [O1 James]’ and [O2 Max]’s coats. [P She>He] sat.",
            {},
            "Polly’s dress, Miss Perkins’s hat, Max’s and James’s coats. She sat.",
            "James’ dress, Max’s hat, Miss Perkins’ and Polly’s coats. He sat.",
            "Max’s dress, James’s hat, Polly’s and Miss Perkins’s coats. He sat.",
        ),
        (
            "[C1 Miss Perkins]'\ndress, [C1 MISS PERKINS]' DRESS, [C1 Perkins]' Sunday hat, [C2 Polly]," + END,
            {},
            "Polly's\ndress, POLLY'S DRESS, Polly's Sunday hat, Miss Perkins, Max, Bo: she.",
            "Bo's\ndress, BO'S DRESS, Bo's Sunday hat, Max, Miss Perkins, Polly: he.",
            "Max's\ndress, MAX'S DRESS, Max's Sunday hat, Bo, Polly, Miss Perkins: he.",
        ),
        # No possessive, or none for certain: the end of a quotation, another apostrophe.
        (
            "'It was [C1 Jess].' '[C1 Jess]' [C2 Ida] cried. [C1 Jess]'d come. ‘[C2 Ida]’ they said." + END,
            {},
            "'It was Ida.' 'Ida' Jess cried. Ida'd come. ‘Jess’ they said. Max, Bo: she.",
            "'It was Bo.' 'Bo' Max cried. Bo'd come. ‘Max’ they said. Jess, Ida: he.",
            "'It was Max.' 'Max' Bo cried. Max'd come. ‘Bo’ they said. Ida, Jess: he.",
        ),
        (
            "'I saw [C1 Miss Perkins]' they said. [C2 Polly];" + END,
            {},
            "'I saw Polly' they said. Miss Perkins; Max, Bo: she.",
            "'I saw Bo' they said. Max; Miss Perkins, Polly: he.",
            "'I saw Max' they said. Bo; Polly, Miss Perkins: he.",
        ),
        # Capitals.
        (
            "[C1 T.J.], [C2 Ida], [C1 T.J.]" + END,
            {},
            "Ida, T.J., Ida Max, Bo: she.",
            "Bo, Max, Bo T.J., Ida: he.",
            "Max, Bo, Max Ida, T.J.: he.",
        ),
        (
            "[C1 ALICE] met [C2 Ida]. [C1 Alice] sat. [C1 MISS ALICE]" + END,
            {"C1": "Alice"},
            "IDA met Alice. Ida sat. IDA Max, Bo: she.",
            "BO met Max. Bo sat. BO Alice, Ida: he.",
            "MAX met Bo. Max sat. MAX Ida, Alice: he.",
        ),
        (
            "[C1 PERKINS]' dress, [C1 PERKINS]'S DRESS, [C2 K]," + END,  # one letter is no capitals
            {"C1": "Miss Perkins"},
            "K'S dress, K'S DRESS, Miss Perkins, Max, Bo: she.",
            "BO'S dress, BO'S DRESS, Max, Miss Perkins, K: he.",
            "MAX'S dress, MAX'S DRESS, Bo, K, Miss Perkins: he.",
        ),
        # Hyphens, underscores and other marks that touch a name.
        (
            "[C1 Mary-Ann]-like, _[C2 Ida]_, ex-[O1 Bo], “[O2 Max]”--[P she>he]—[C2 Ida]…",
            {},
            "Ida-like, _Mary-Ann_, ex-Max, “Bo”--she—Mary-Ann…",
            "Bo-like, _Max_, ex-Mary-Ann, “Ida”--he—Max…",
            "Max-like, _Bo_, ex-Ida, “Mary-Ann”--he—Bo…",
        ),
        # Line breaks within a name go with it, all others stay.
        (
            "[C1 Miss\nPerkins] sat,\r\n[C2 Jane\r\nAusten]\n\nrose." + END,
            {"C1": "Miss Perkins", "C2": "Jane Austen"},
            "Jane Austen sat,\r\nMiss Perkins\n\nrose. Max, Bo: she.",
            "Bo sat,\r\nMax\n\nrose. Miss Perkins, Jane Austen: he.",
            "Max sat,\r\nBo\n\nrose. Jane Austen, Miss Perkins: he.",
        ),
        # a and an, before names and before words.
        (
            "an [C1 Ann], a [C2 Clara], an [uncle>aunt], a [king>queen], a [lady>earl]," + END,
            {},
            "a Clara, an Ann, an uncle, a king, a lady, Max, Bo: she.",
            "a Bo, a Max, an aunt, a queen, an earl, Ann, Clara: he.",
            "a Max, a Bo, an aunt, a queen, an earl, Clara, Ann: he.",
        ),
        # Names that are the same in part, or stand side by side.
        (
            "[C1 Ann Lee][C2 Ann] [O1 Lee][O2 Lee Ann]. [P Hers>His]",
            {},
            "AnnAnn Lee Lee AnnLee. Hers",
            "LeeLee Ann Ann LeeAnn. His",
            "Lee AnnLee AnnAnn Lee. His",
        ),
        (
            "[C1 Zoë 🙂], [C2 Ида]," + END,
            {},
            "Ида, Zoë 🙂, Max, Bo: she.",
            "Bo, Max, Zoë 🙂, Ида: he.",
            "Max, Bo, Ида, Zoë 🙂: he.",
        ),
    ],
)
def test_texts(marked, names, control, swap_1, swap_2):
    assert texts_of(*read(marked, **names)) == [control, swap_1, swap_2]


def test_a_word_within_a_name_goes_with_the_name():
    scene, words = read("[C1 Miss Ann] and [C2 Queen Ida], not Miss World," + END)
    inside = [Edit(Span(start, start + 4), "Mr.") for start in (scene.text.index(it) for it in ("Miss A", "Miss W"))]
    inside.insert(1, Edit(Span(scene.text.index("Queen"), scene.text.index("Queen") + 5), "King"))
    assert texts_of(scene, [*inside, *words]) == [
        "Queen Ida and Miss Ann, not Miss World, Max, Bo: she.",
        "Bo and Max, not Mr. World, Miss Ann, Queen Ida: he.",
        "Max and Bo, not Mr. World, Queen Ida, Miss Ann: he.",
    ]


def test_an_ending_that_follows_a_name_is_not_exchanged_twice():
    scene, words = read("[C1 Jess]' hat, [C2 Ida]," + END)
    assert texts_of(scene, [Edit(Span(4, 5), "'s"), *words])[1] == "Bo's hat, Max, Jess, Ida: he."


def test_roles_are_places_and_genders_follow_the_pronoun():
    quadruple = make_quadruple(
        *read("[C1 Ann] met [O1 Bo]. [C2 Ida] left [O2 Maximilian], and [P she>he] saw [O1 Bo].")
    )
    found = {
        variant: [
            (it.role, it.name, it.gender, [(span.start, span.end) for span in it.mentions]) for it in scene.people
        ]
        for variant, scene in quadruple.items()
    }
    assert found == {
        "original": [
            ("C1", "Ann", "feminine", [(0, 3)]),
            ("C2", "Ida", "feminine", [(12, 15)]),
            ("O1", "Bo", "masculine", [(8, 10), (45, 47)]),
            ("O2", "Maximilian", "masculine", [(21, 31)]),
        ],
        "control": [
            ("C1", "Ida", "feminine", [(0, 3)]),
            ("C2", "Ann", "feminine", [(20, 23)]),
            ("O1", "Maximilian", "masculine", [(8, 18), (45, 55)]),
            ("O2", "Bo", "masculine", [(29, 31)]),
        ],
        "swap-1": [
            ("C1", "Bo", "masculine", [(0, 2)]),
            ("C2", "Maximilian", "masculine", [(12, 22)]),
            ("O1", "Ann", "feminine", [(7, 10), (44, 47)]),
            ("O2", "Ida", "feminine", [(28, 31)]),
        ],
        "swap-2": [
            ("C1", "Maximilian", "masculine", [(0, 10)]),
            ("C2", "Bo", "masculine", [(20, 22)]),
            ("O1", "Ida", "feminine", [(15, 18), (44, 47)]),
            ("O2", "Ann", "feminine", [(28, 31)]),
        ],
    }
    assert [it.gender for it in quadruple.values()] == ["feminine", "feminine", "masculine", "masculine"]
    assert [(at(it, it.name_a), at(it, it.name_b), at(it, it.pronoun)) for it in quadruple.values()] == [
        ("Ann", "Ida", "she"),
        ("Ida", "Ann", "she"),
        ("Bo", "Maximilian", "he"),
        ("Maximilian", "Bo", "he"),
    ]


def test_the_original_is_as_it_was():
    scene, words = read("[C1 Ann], [C2 Ida]," + END)
    quadruple = make_quadruple(scene, words)
    assert list(quadruple) == ["original", "control", "swap-1", "swap-2"]
    assert quadruple["original"] == read("[C1 Ann], [C2 Ida]," + END)[0]


@pytest.mark.parametrize("variant", PLACES)
def test_whoever_takes_a_place_gives_it_back(variant):
    places = PLACES[variant]
    assert {role: places[places[role]] for role in ROLES} == {role: role for role in ROLES}
    assert [places[role][0] == role[0] for role in ROLES] == [variant not in SWAPS] * 4


def test_the_swaps_are_each_other_after_a_control():
    assert {role: PLACES["swap-1"][PLACES["control"][role]] for role in ROLES} == PLACES["swap-2"]


@pytest.mark.parametrize(
    ("words", "taken", "expected"),
    [
        ([(0, 2)], [(2, 4)], [(0, 2)]),
        ([(4, 6)], [(2, 4)], [(4, 6)]),
        ([(0, 3)], [(2, 4)], []),
        ([(3, 6)], [(2, 4)], []),
        ([(2, 4)], [(2, 4)], []),
        ([(0, 9)], [(2, 4)], []),
        ([(0, 2), (3, 4), (5, 6), (8, 9)], [(2, 4), (5, 7)], [(0, 2), (8, 9)]),
        ([(0, 2)], [], [(0, 2)]),
        ([], [(0, 2)], []),
    ],
)
def test_outside(words, taken, expected):
    found = outside([Edit(Span(*it), "x") for it in words], [Span(*it) for it in taken])
    assert [(it.span.start, it.span.end) for it in found] == expected


# Any text at all: only what a name is replaced by, and where, is known beforehand.

LETTER = st.characters(categories=["L"])
FORMS = st.builds(str.__add__, LETTER, st.text(max_size=5)) | st.sampled_from(["Miss Perkins", "ALICE", "Jess", "A a"])
FILLER = st.text(max_size=8) | st.sampled_from([" a ", "' is ", "’ hat", " an “", "'s "])
PRONOUN = st.sampled_from([("he", "she"), ("Him", "Her"), ("his", "hers"), ("SHE", "HE"), ("her", "him")])


@st.composite
def any_scenes(draw):
    roles = draw(st.permutations([*ROLES, "P", *draw(st.lists(st.sampled_from(ROLES), max_size=4))]))
    pieces = []
    for role in roles:
        pieces += [("", draw(FILLER), ""), (role, *(draw(PRONOUN) if role == "P" else (draw(FORMS), "")))]
    scene, words = play([*pieces, ("", draw(FILLER), "")], {role: draw(FORMS) for role in ROLES})
    bounds = sorted(draw(st.sets(st.integers(0, len(scene.text)), max_size=12)))
    spans = [Span(*it) for it in zip(bounds[::2], bounds[1::2], strict=False)]
    more = [Edit(it, draw(st.text(max_size=5))) for it in spans if not overlap(it, scene.pronoun)]
    return scene, sorted([*words, *more], key=lambda it: it.span.start), words[0].new


@given(any_scenes())
def test_no_text_breaks_an_offset(case):
    original, words, pronoun = case
    names = {person.role: person.name for person in original.people}
    quadruple = make_quadruple(original, words)
    for variant in COUNTERFACTUALS:
        scene, swapped = quadruple[variant], variant in SWAPS
        assert at(scene, scene.pronoun) == (pronoun if swapped else at(original, original.pronoun))
        assert scene.gender == (OTHER[original.gender] if swapped else original.gender)
        for old, new in zip(original.people, scene.people, strict=True):
            name = names[PLACES[variant][old.role]]
            assert (new.role, new.name) == (old.role, name)
            shouted = [is_shouted(at(original, it)) for it in old.mentions]
            assert [at(scene, it) for it in new.mentions] == [name.upper() if loud else name for loud in shouted]
            for span, moved in zip(old.mentions, new.mentions, strict=True):
                assert (span == original.name_a) is (moved == scene.name_a)
                assert (span == original.name_b) is (moved == scene.name_b)


# Quiet text, with no apostrophe to judge and the articles that its words need: every variant is known to the letter.

QUIET = st.text(st.sampled_from(list("xé .,\n-_“”🙂")), max_size=5) | st.sampled_from(["'s x", "’s ", " x\r\n"])
CAST = st.permutations(["Ann", "Bo", "Miss Perkins", "Eugene", "Ida Lee", "Zoë", "O’Neil", "Ann Lee"])
PAIRS = [
    ("aunt", "uncle"),
    ("earl", "countess"),
    ("Sister", "Brother"),
    ("he", "she"),
    ("HIS", "HER"),
    ("heir", "maid"),
]
WORDS = st.sampled_from([*PAIRS, *((new, old) for old, new in PAIRS)])


@st.composite
def quiet_scenes(draw):
    names = dict(zip(ROLES, draw(CAST), strict=False))
    kinds = draw(st.permutations([*ROLES, "P", *draw(st.lists(st.sampled_from([*ROLES, "word"]), max_size=6))]))
    pieces = []
    for kind in kinds:
        pieces.append(("", draw(QUIET), ""))
        if kind != "P" and draw(st.booleans()):
            pieces.append(("a", "", ""))
        if kind in names:
            pieces.append((kind, names[kind].upper() if draw(st.booleans()) else names[kind], ""))
        else:
            pieces.append((kind, *draw(WORDS if kind == "word" else PRONOUN)))
    return pieces, names


def told(pieces, names, variant):
    """The pieces and the names of a variant."""
    new_names = {role: names[PLACES[variant][role]] for role in ROLES}
    made = []
    for kind, old, new in pieces:
        if kind in ROLES:
            made.append((kind, new_names[kind].upper() if old.isupper() else new_names[kind], ""))
        else:
            made.append((kind, new, old) if variant in SWAPS and kind in ("P", "word") else (kind, old, new))
    return made, new_names


@given(quiet_scenes())
def test_every_variant_of_quiet_text_to_the_letter(case):
    quadruple = make_quadruple(*play(*case))
    for variant in COUNTERFACTUALS:
        assert quadruple[variant] == play(*told(*case, variant))[0]


@given(quiet_scenes(), st.sampled_from(COUNTERFACTUALS))
def test_the_variant_of_a_variant_is_the_original(case, variant):
    scene, words = play(*case)
    back = play(*told(*case, variant))[1]
    assert make_quadruple(make_quadruple(scene, words)[variant], back)[variant] == scene


@given(quiet_scenes())
def test_a_control_changes_no_word(case):
    scene, words = play(*case)
    assert make_quadruple(scene, words)["control"] == make_quadruple(scene, [])["control"]


@given(quiet_scenes())
def test_the_order_of_the_people_given_changes_no_text(case):
    scene, words = play(*case)
    other = replace(scene, people=scene.people[::-1])
    assert texts_of(other, words) == texts_of(scene, words)
