"""Whether the four texts of a quadruple differ in names and gendered words alone: good ones, and ways to break one."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.counterfactuals.minimal import find_fault
from gapforge.counterfactuals.variants import make_quadruple
from gapforge.records import OTHER, Span
from marked_scenes import ROLES, read


def quadruple_of(marked, **names):
    return make_quadruple(*read(marked, **names))


def breaking(variant, **changes):
    """The good quadruple with something else in one of its scenes."""
    quadruple = quadruple_of(GOOD)
    return quadruple | {variant: replace(quadruple[variant], **changes)}


def people_of(variant, role, **changes):
    return [replace(it, **changes) if it.role == role else it for it in quadruple_of(GOOD)[variant].people]


# Control: Ida told Max ... swap-1: Bo told Ann ... swap-2: Max told Ida ...
GOOD = (
    "[C1 Ann] told [O1 Bo] that [C2 Ida]'s [aunt>uncle] knew [O2 Max]. [P She>He] left at 8, with a lamp. No one saw."
)
FOUR = " [C1 Ann], [C2 Ida], [O1 Bo], [O2 Max]: [P she>he]."


@pytest.mark.parametrize(
    "marked",
    [
        GOOD,
        "[C1 Bo] told [O1 Ann] that [C2 Max]'s [uncle>aunt] knew [O2 Ida]. [P His>Hers] was gone.",
        "[Her>Him] and [her>his] and [hers>his] and [herself>himself] and [him>her] and [his>her] and [his>hers]."
        + FOUR,
        "[HE>SHE] and [He>She]'s and [she>he]’d." + FOUR,
        "[ladies>gentlemen] and [Girls>Boys], a [wife>husband]'s and two [wives>husbands]' hats." + FOUR,
        "a [girl-friend>boy-friend] of the [fisherwoman>fisherman]" + FOUR,
        # a and an go with the word.
        "an [C1 Ann], a [C2 Clara], an [O1 Igor], a [O2 Max], an [uncle>aunt], [P she>he]",
        "[An>A] [earl>countess], [an>a] [earl>countess]’s [son>daughter]" + FOUR,
        # A full stop goes with the title.
        "[Miss>Mr.] World, [Mrs.>Mr] Orr, [Mr>Mrs.] Orr, [Mlle>M.] Orr, [Dr.>Dr] Orr, [Mr.>Mrs.] X." + FOUR,
        # So does the ending of a possessive.
        "[C1 Jess]' hat, [C2 Ida]'s hat, [O1 James]’ hat, [O2 Max]’s hat, [P her>his]",
        "the [princess>prince]['>'s] crown, the [princess>prince][’>’s] crown" + FOUR,
        "[C1 ALICE], [C2 Ida], [O1 Bo], [O2 Max]: [P she>he], 1.5 _x_ — “y”\r\n\n*z*",
        # Names in several forms, across lines, of words that are no names.
        "[C1 Miss\nPerkins], [C1 Jane], [C2 Lady Ann], [O1 Mr. Orr], [O2 Sir Max]: [P she>he]. Miss Sunday. Sir!",
        "[C1 Rose], [C2 Ida], [O1 Will the Great], [O2 Max]: the roses [P she>he] rose for; a Rosemary. The end.",
        # What is not gendered beyond doubt may stay.
        "a man-of-war, the man in the moon, no man's land" + FOUR,
        "Princess Street, the Duchess, Aunts" + FOUR,
        "count the votes, miss the train, a maiden speech, the groom, my fellow" + FOUR,
        "an author, a poet, a teacher, a person, they, themselves" + FOUR,
    ],
)
def test_minimal_quadruples(marked):
    assert find_fault(quadruple_of(marked)) == ""


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("the aunt" + FOUR, "gendered word left"),
        ("two princesses" + FOUR, "gendered word left"),
        ("the aunt's hat" + FOUR, "gendered word left"),
        ("female" + FOUR, "gendered word left"),
        ("his" + FOUR, "gendered word left"),
        ("Hers" + FOUR, "gendered word left"),
        ("HIMSELF" + FOUR, "gendered word left"),
        ("she's gone" + FOUR, "gendered word left"),
        ("the aunt of a man-of-war" + FOUR, "gendered word left"),  # the idiom is another one's
        ("the [aunt>aunt]" + FOUR, "gendered word left"),
        ("an applewoman" + FOUR, "gendered word left"),
        ("the [Aunt>uncle]" + FOUR, "another word changed"),
        ("the [tree’s>tree's] top" + FOUR, "another word changed"),
        ("the [No>NO] one" + FOUR, "another word changed"),
        ("the [aunt>nephew]" + FOUR, "another word changed"),
        ("the [aunt>uncles]" + FOUR, "another word changed"),
        ("[her>she]" + FOUR, "another word changed"),
        ("[he>her]" + FOUR, "another word changed"),
        ("[him>his]" + FOUR, "another word changed"),
        ("the [author>authoress]" + FOUR, "another word changed"),
        ("the [tree>house]" + FOUR, "another word changed"),
        ("[a>the] tree" + FOUR, "another word changed"),
        ("[8>9] trees" + FOUR, "another word changed"),
        ("trees[,>;]" + FOUR, "another word changed"),
        ("[tree>tree.]" + FOUR, "texts do not align"),
        ("the [aunt>good uncle]" + FOUR, "texts do not align"),
        ("the [old >]tree" + FOUR, "texts do not align"),
        ("the tree[ >  ]fell" + FOUR, "texts do not align"),
        ("the tree[\n> ]fell" + FOUR, "texts do not align"),
        ("[Prof.>Prof] Orr" + FOUR, "texts do not align"),
        ("tree['s>] top" + FOUR, "texts do not align"),
        ("[C1 Ann], [C2 Ida], [O1 Bo], [O2 Max]: [P she>she].", "wrong pronoun"),
        ("[C1 Ann], [C2 Ida], [O1 Bo], [O2 Max]: [P she>they].", "wrong pronoun"),
        ("[C1 Ann], [C2 Ida], [O1 Bo], [O2 Max]: [P herself>himself].", "wrong pronoun"),
        ("[C1 Ann], [C2 Ida], [O1 Bo], [O2 Max]: [P her>him] [P book>book].", "wrong pronoun"),
        # Where the making goes wrong the words are not looked at any more.
        ("the aunt. [C1 Ann], [C2 Ida], [O1 Bo], [O2 Max]: [P she>she].", "wrong pronoun"),
    ],
)
def test_words_and_pronouns(marked, expected):
    assert find_fault(quadruple_of(marked)) == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("Ann sat.", "name outside the mentions"),
        ("Ann's hat.", "name outside the mentions"),
        ("ANN sat.", "name outside the mentions"),
        ("the Idas sat.", "name outside the mentions"),
        ("_Ida_, ex-Bo.", "name outside the mentions"),
        ("Anna sat, and Idaho.", ""),
        ("ida sat.", ""),
    ],
)
def test_names_outside_the_mentions(before, expected):
    assert find_fault(quadruple_of(before + FOUR)) == expected
    after = FOUR.strip() + " " + before
    assert find_fault(quadruple_of(after)) == expected


@pytest.mark.parametrize("before", ["Great ", "Great-", "Step-"])
def test_half_a_title_is_no_name(before):
    marked = f"{before}[C1 Aunt Ann] slept. " + FOUR.replace("Ann", "Aunt Ann")
    assert find_fault(quadruple_of(marked)) == "title outside the name"


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("[her>his] cousin [C1 Ann], [C2 Ida], [O1 Uncle Bo], [O2 Max]: [P she>he].", "title outside the name"),
        ("my [C1 Lady Ann], [C2 Ida], [O1 Bo], [O2 Max]: [P she>he].", "title outside the name"),
        ("[her>his] cousin [C1 Ann], [C2 Ida], [O1 Bo], [O2 Max]: [P she>he].", ""),
        ("my dear [C1 Lady Ann], [C2 Ida], [O1 Bo], [O2 Max]: [P she>he].", ""),
    ],
)
def test_two_titles(marked, expected):
    assert find_fault(quadruple_of(marked)) == expected


LATE = "[C1 Ann] saw [C2 Ida]. [C1 Ann], [O1 Bo], [O2 Max]: [her>him] [P she>he] [she>he]."


@pytest.mark.parametrize("variant", ["original", "control", "swap-1", "swap-2"])
def test_names_and_pronoun_are_those_of_the_original(variant):
    quadruple = quadruple_of(LATE)
    scene = quadruple[variant]
    mentions = {person.role: person.mentions for person in scene.people}
    pronouns = [Span(*match.span()) for match in re.finditer(r"\b(?:s?he|him|her)\b", scene.text)]
    assert find_fault(quadruple) == ""
    for changes, expected in (
        ({"name_a": mentions["C1"][0]}, "wrong offset"),
        ({"name_a": scene.name_b, "name_b": scene.name_a}, "wrong offset"),
        ({"name_b": mentions["O1"][0]}, "wrong offset"),
        ({"pronoun": pronouns[2]}, "wrong pronoun"),
        ({"pronoun": mentions["O1"][0]}, "wrong pronoun"),
        ({"people": [replace(it, gender="feminine") for it in scene.people]}, "wrong gender"),
    ):
        assert find_fault(quadruple | {variant: replace(scene, **changes)}) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("'I saw [C1 Jess]' dress, [C2 Ida], [O1 Bo], [O2 Max]: [P she>he].'", "possessive or end of a quotation"),
        (
            "'I saw [C1 Jess].' '[C1 Jess]' dress, [C2 Ida], [O1 Bo], [O2 Max]: [P she>he].'",
            "possessive or end of a quotation",
        ),
        ("‘Here.’ [C1 Jess]’ dress, [C2 Ida], [O1 Bo], [O2 Max]: [P she>he].", ""),
        ("[C1 MISS PERKINS]' dress, [C2 Ida], [O1 Bo], [O2 Max]: [P she>he].", ""),
    ],
)
def test_apostrophes(marked, expected):
    assert find_fault(quadruple_of(marked)) == expected


@pytest.mark.parametrize(
    ("form", "outside", "expected"),
    [
        ("Jane Perkins", "Perkins sat.", "name outside the mentions"),
        ("Jane Perkins", "Jane sat.", "name outside the mentions"),
        ("Mary-Ann Orr", "Mary sat.", "name outside the mentions"),
        ("Miss Perkins", "Miss Sunday sat.", ""),
        ("Jane de Perkins", "de Sunday sat.", ""),
        ("Mary J. Orr", "J. Sunday sat.", ""),
        ("Jane of the Hill", "of the house", ""),
    ],
)
def test_any_word_of_a_name_counts_but_titles_and_small_ones(form, outside, expected):
    marked = f"[C1 {form}], [C2 Ida], [O1 Bo], [O2 Max]: [P she>he]. {outside}"
    assert find_fault(quadruple_of(marked)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I saw 'im", "dialect or foreign form"),
        ("I saw ’im, ’Imself", "dialect or foreign form"),
        ("by 'erself", "dialect or foreign form"),
        ("'isself", "dialect or foreign form"),
        ("by himsel or hersel", "dialect or foreign form"),
        ("that is hisn", "dialect or foreign form"),
        ("that is hern", "dialect or foreign form"),
        ("‘im", "dialect or foreign form"),
        ("'e took 'is hat", "dialect or foreign form"),
        ("off 'er, that is 'ers", "dialect or foreign form"),
        ("Non, ma chérie", "dialect or foreign form"),
        ("They introduced herself", "one person by two names"),
        ("Mr. and Mrs. Orr", "couple"),
        ("the two Miss Orrs", "couple"),
        ("Thank God [he>she] came", ""),
        ("By God it was [his>hers]", ""),
        ("Oui, ma chère", "dialect or foreign form"),
        ("Mon ami", "dialect or foreign form"),
        ("'imagine that", ""),
        ("northern hernia", ""),
        ("Monday, a common bonnet", ""),
        ("don't", ""),
        ("God knows what [he>she] does", "pronoun of God"),
        ("Christ and [his>her] kingdom", "pronoun of God"),
        ("God knows. [He>She] came", ""),
        ("[he>she] swore to God", ""),
        ("the [goddess>god] and [his>her] kingdom", ""),
    ],
)
def test_forms_that_no_table_exchanges(text, expected):
    assert find_fault(quadruple_of(text + FOUR)) == expected


@pytest.mark.parametrize("variant", ["control", "swap-1", "swap-2"])
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("with a lamp", "with a lump", "another word changed"),
        ("with a lamp", "with a big lamp", "texts do not align"),
        ("with a lamp", "with lamp", "texts do not align"),
        ("with a lamp", "with  a lamp", "texts do not align"),
        ("with a lamp", "with a\nlamp", "texts do not align"),
        ("No one saw.", "No one saw", "texts do not align"),
        ("No one saw.", "No one saw!", "another word changed"),
        ("at 8,", "at 9,", "another word changed"),
        ("with a lamp", "with an lamp", ""),  # which of the two a word needs is not asked here
        ("told", "tell", "another word changed"),
    ],
)
def test_a_word_that_one_of_the_texts_has_for_itself(variant, old, new, expected):
    before, after = quadruple_of(GOOD)[variant].text.split(old)
    assert find_fault(breaking(variant, text=before + new + after)) == expected


@pytest.mark.parametrize("variant", ["control", "swap-1", "swap-2"])
def test_spans_that_are_not_where_they_should_be(variant):
    scene = quadruple_of(GOOD)[variant]
    first = scene.people[0].mentions[0]
    behind = Span(first.start, first.end + 1)

    def find(**changes):
        return find_fault(breaking(variant, **changes))

    assert find(pronoun=Span(scene.pronoun.start + 1, scene.pronoun.end + 1)) == "wrong pronoun"
    assert find(pronoun=Span(scene.pronoun.start, scene.pronoun.start)) == "wrong pronoun"
    assert find(gender=OTHER[scene.gender]) == "wrong pronoun"
    assert find(name_a=behind) == "wrong offset"
    assert find(name_b=Span(scene.name_b.start + 1, scene.name_b.end + 1)) == "wrong offset"
    assert find(name_b=Span(0, 0)) == "wrong offset"
    assert find(name_a=behind, people=people_of(variant, "C1", mentions=[behind])) == "wrong offset"
    assert find(people=people_of(variant, "O2", mentions=[Span(0, 1)])) == "mentions overlap"
    assert find(people=people_of(variant, "O2", mentions=[first])) == "mentions overlap"
    assert find(people=people_of(variant, "O2", name="Eve")) == "wrong offset"
    assert find(people=people_of(variant, "O2", mentions=[])) == "a name is missing"
    assert find(people=people_of(variant, "C1", mentions=[])) == "wrong offset"  # name A is nobody's


def test_a_pronoun_and_its_label_of_the_wrong_gender():
    swapped = quadruple_of(GOOD)["swap-1"]
    assert find_fault(breaking("swap-1", gender="feminine")) == "wrong pronoun"
    assert find_fault(breaking("swap-1", gender="feminine", text=swapped.text.replace("He", "Hi"))) == "wrong pronoun"
    # Text and label agree, and neither is exchanged.
    start = swapped.pronoun.start
    kept = swapped.text[:start] + "She" + swapped.text[start + 2 :]
    changes = {"gender": "feminine", "text": kept, "pronoun": Span(start, start + 3)}
    assert find_fault(breaking("swap-1", **changes)) == "wrong pronoun"


@pytest.mark.parametrize(
    ("variant", "taken", "expected"),
    [
        ("control", "original", "a name is missing"),
        ("swap-1", "swap-2", "a name is missing"),
        ("swap-2", "swap-1", "a name is missing"),
        ("control", "swap-1", "wrong pronoun"),
        ("swap-2", "original", "wrong pronoun"),
    ],
)
def test_one_text_in_the_place_of_another(variant, taken, expected):
    quadruple = quadruple_of(GOOD)
    assert find_fault(quadruple | {variant: quadruple[taken]}) == expected


@pytest.mark.parametrize("variant", ["control", "swap-1", "swap-2"])
def test_a_mention_that_was_overlooked_in_one_text(variant):
    quadruple = quadruple_of(GOOD + " [O2 Max] too.")
    people = [replace(it, mentions=it.mentions[:1]) for it in quadruple[variant].people]
    broken = quadruple | {variant: replace(quadruple[variant], people=people)}
    assert find_fault(quadruple) == ""
    assert find_fault(broken) == "texts do not align"


NAMES = st.permutations(["Ann", "Ida", "Bo", "Max", "Miss Perkins", "O’Neil", "Zoë Ångström"])
PLAIN = st.text(st.sampled_from(list("xyé .,\n-_“”🙂9")), max_size=6) | st.sampled_from(["'s x", "’s y", " to\r\n"])
APART = st.sampled_from([" ", ", ", "—", "\n"])  # so that two words are never one
WORDS = st.sampled_from(["[boy>girl]", "[his>her]", "[Lady>Gentleman]", "[HE>SHE]", "[women>men]", "[Kings>Queens]"])


@st.composite
def marked_texts(draw):
    names = dict(zip(ROLES, draw(NAMES), strict=False))
    more = st.lists(st.sampled_from(ROLES) | WORDS, max_size=6)
    marked = draw(PLAIN)
    for kind in draw(st.permutations([*ROLES, "P", *draw(more)])):
        name = names.get(kind, "")
        form = f"[{kind} {name.upper() if draw(st.booleans()) else name}]" if name else kind
        marked += draw(APART) + ("[P she>he]" if kind == "P" else form) + draw(APART) + draw(PLAIN)
    return marked, names


@given(marked_texts())
def test_what_is_made_of_any_text_is_minimal(case):
    marked, names = case
    assert find_fault(quadruple_of(marked, **names)) == ""


@given(marked_texts(), st.sampled_from(["original", "control", "swap-1", "swap-2"]), st.data())
def test_any_broken_character_is_found(case, variant, data):
    marked, names = case
    quadruple = quadruple_of(marked, **names)
    scene = quadruple[variant]
    # The original's own mentions may be any form of the name.
    free = {n for it in scene.people for span in it.mentions for n in range(span.start, span.end)}
    places = [n for n in range(len(scene.text)) if variant != "original" or n not in free]
    at = data.draw(st.sampled_from(places))
    broken = replace(scene, text=scene.text[:at] + "#" + scene.text[at + 1 :])
    assert find_fault(quadruple | {variant: broken}) in (
        "wrong pronoun",
        "wrong offset",
        "texts do not align",
        "another word changed",
    )


@given(
    marked_texts(),
    st.sampled_from(["control", "swap-1", "swap-2"]),
    st.sampled_from([*ROLES, "pronoun", "name_a", "name_b"]),
    st.sampled_from([(1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0)]),
)
def test_any_shifted_span_is_found(case, variant, which, shift):
    marked, names = case
    quadruple = quadruple_of(marked, **names)
    scene = quadruple[variant]

    def shifted(span):
        return Span(span.start + shift[0], span.end + shift[1])

    if which in ROLES:
        people = [
            replace(it, mentions=[shifted(it.mentions[0]), *it.mentions[1:]]) if it.role == which else it
            for it in scene.people
        ]
        broken, expected = replace(scene, people=people), ("wrong offset", "mentions overlap")
    else:
        broken = replace(scene, **{which: shifted(getattr(scene, which))})
        expected = ("wrong pronoun",) if which == "pronoun" else ("wrong offset",)
    assert find_fault(quadruple | {variant: broken}) in expected
