"""Rows to scenes: the four people of an original in their roles, or the reason why there are not four."""

import dataclasses
import re

import pytest

from gapforge.counterfactuals.cast import cast, fault_of, find_people, given_name, widest
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.records import OTHER, Reject, Span
from gapforge.storage.tsv import Row

KEEPERS = "Walter Pym and Edwin Stroud kept the lamp. "
MARK = re.compile(r"[<>{}]")


def make_row(marked):
    """A row of a text in which A and B stand in <angles> and the pronoun in {braces}."""
    text = MARK.sub("", marked)
    places = {}
    for match in re.finditer(r"<([^>]*)>|\{([^}]*)\}", marked):
        start = match.start() - len(MARK.findall(marked[: match.start()]))
        places.setdefault("<{".index(match[0][0]), []).append((match[1] or match[2] or "", start))
    (a, b), (pronoun,) = places[0], places[1]
    return Row("r", text, pronoun[0], pronoun[1], a[0], a[1], True, b[0], b[1], False, "A Book")


def people_of(scene):
    """Role: name, and its mentions as they stand in the text."""
    return {it.role: (it.name, [scene.text[m.start : m.end] for m in it.mentions]) for it in scene.people}


def names_of(scene):
    return [scene.text[span.start : span.end] for span in (scene.name_a, scene.name_b)]


def test_a_row_becomes_a_scene():
    row = make_row(KEEPERS + "<Dora Kell> told <Ida Brandt> that {she} had the key.")
    scene = cast(row, DEFAULT_MODEL)
    assert (scene.text, scene.gender, scene.pronoun) == (row.text, "feminine", Span(74, 77))
    assert (scene.name_a, scene.name_b) == (Span(43, 52), Span(58, 68))
    assert [(it.role, it.name, it.gender, it.mentions) for it in scene.people] == [
        ("C1", "Dora Kell", "feminine", [Span(43, 52)]),
        ("C2", "Ida Brandt", "feminine", [Span(58, 68)]),
        ("O1", "Walter Pym", "masculine", [Span(0, 10)]),
        ("O2", "Edwin Stroud", "masculine", [Span(15, 27)]),
    ]


@pytest.mark.parametrize(
    ("marked", "names", "roles"),
    [
        # From the pronoun's sentence backwards, left to right within a sentence.
        (
            "Edwin Stroud slept. Walter Pym slept. <Ida Brandt> saw <Dora Kell>. {She} left.",
            ["Ida Brandt", "Dora Kell"],
            {
                "C1": ("Ida Brandt", ["Ida Brandt"]),
                "C2": ("Dora Kell", ["Dora Kell"]),
                "O1": ("Walter Pym", ["Walter Pym"]),
                "O2": ("Edwin Stroud", ["Edwin Stroud"]),
            },
        ),
        (
            KEEPERS + "<Dora Kell> told <Ida Brandt> that {she} had seen Edwin Stroud.",
            ["Dora Kell", "Ida Brandt"],
            {
                "C1": ("Dora Kell", ["Dora Kell"]),
                "C2": ("Ida Brandt", ["Ida Brandt"]),
                "O1": ("Edwin Stroud", ["Edwin Stroud", "Edwin Stroud"]),
                "O2": ("Walter Pym", ["Walter Pym"]),
            },
        ),
        # A and B are where the row says, whoever is met first; a name is the form met first.
        (
            KEEPERS + "<Dora Kell> saw <Ida Brandt>. It rained. {She} left, and Ida slept.",
            ["Dora Kell", "Ida Brandt"],
            {
                "C1": ("Ida", ["Ida Brandt", "Ida"]),
                "C2": ("Dora Kell", ["Dora Kell"]),
                "O1": ("Walter Pym", ["Walter Pym"]),
                "O2": ("Edwin Stroud", ["Edwin Stroud"]),
            },
        ),
        (
            KEEPERS + "<Dora Kell> told <Ida Brandt> that {she} had Pym's key.",
            ["Dora Kell", "Ida Brandt"],
            {
                "C1": ("Dora Kell", ["Dora Kell"]),
                "C2": ("Ida Brandt", ["Ida Brandt"]),
                "O1": ("Pym", ["Walter Pym", "Pym"]),
                "O2": ("Edwin Stroud", ["Edwin Stroud"]),
            },
        ),
        # A man's pronoun.
        (
            "Dora Kell and Ida Brandt kept the lamp. <Walter Pym> told <Edwin Stroud> that {he} had the key.",
            ["Walter Pym", "Edwin Stroud"],
            {
                "C1": ("Walter Pym", ["Walter Pym"]),
                "C2": ("Edwin Stroud", ["Edwin Stroud"]),
                "O1": ("Dora Kell", ["Dora Kell"]),
                "O2": ("Ida Brandt", ["Ida Brandt"]),
            },
        ),
        # Titles belong to the name, an office before a full name does not.
        (
            "Sir Walter Pym and Lord Edwin kept the lamp. <Lady Dora> told <Aunt Ida> that {she} had the key.",
            ["Lady Dora", "Aunt Ida"],
            {
                "C1": ("Lady Dora", ["Lady Dora"]),
                "C2": ("Aunt Ida", ["Aunt Ida"]),
                "O1": ("Sir Walter Pym", ["Sir Walter Pym"]),
                "O2": ("Lord Edwin", ["Lord Edwin"]),
            },
        ),
        (
            "Mr. Hale met Edwin Stroud. <Miss Taylor> told <Mrs. Weston> that {she} was late.",
            ["Miss Taylor", "Mrs. Weston"],
            {
                "C1": ("Miss Taylor", ["Miss Taylor"]),
                "C2": ("Mrs. Weston", ["Mrs. Weston"]),
                "O1": ("Mr. Hale", ["Mr. Hale"]),
                "O2": ("Edwin Stroud", ["Edwin Stroud"]),
            },
        ),
        *(
            (
                KEEPERS + marked + " told <Ida Brandt> that {she} was late.",
                ["Pam Greer", "Ida Brandt"],
                {
                    "C1": ("Pam Greer", ["Pam Greer"]),
                    "C2": ("Ida Brandt", ["Ida Brandt"]),
                    "O1": ("Walter Pym", ["Walter Pym"]),
                    "O2": ("Edwin Stroud", ["Edwin Stroud"]),
                },
            )
            for marked in ("Officer <Pam Greer>", "<Officer Pam Greer>")
        ),
        # Names that only the cell vouches for: nobody knows them, or they are no names at all to us.
        (
            KEEPERS + "<Dora Kell> told <Qorin> that {she} was late.",
            ["Dora Kell", "Qorin"],
            {
                "C1": ("Dora Kell", ["Dora Kell"]),
                "C2": ("Qorin", ["Qorin"]),
                "O1": ("Walter Pym", ["Walter Pym"]),
                "O2": ("Edwin Stroud", ["Edwin Stroud"]),
            },
        ),
        (
            KEEPERS + "<dora> told <Ida Brandt> that {she} was late.",
            ["dora", "Ida Brandt"],
            {
                "C1": ("dora", ["dora"]),
                "C2": ("Ida Brandt", ["Ida Brandt"]),
                "O1": ("Walter Pym", ["Walter Pym"]),
                "O2": ("Edwin Stroud", ["Edwin Stroud"]),
            },
        ),
        # Possessive endings are no part of a name, though the cell may hold them.
        *(
            (
                KEEPERS + f"<Dora Kell> saw <{cell}> dog, and {{she}} left.",
                ["Dora Kell", name],
                {
                    "C1": ("Dora Kell", ["Dora Kell"]),
                    "C2": (name, [name]),
                    "O1": ("Walter Pym", ["Walter Pym"]),
                    "O2": ("Edwin Stroud", ["Edwin Stroud"]),
                },
            )
            for cell, name in [
                ("Ida Brandt's", "Ida Brandt"),
                ("Ida Brandt’s", "Ida Brandt"),
                ("Mrs. Jones'", "Mrs. Jones"),
                ("zillah's", "zillah"),
            ]
        ),
        # A name that only the cell vouches for is known all over the text.
        (
            "Walter Pym and Edwin Stroud slept. <zillah> told <Ida Brandt> that zillah slept and {she} woke.",
            ["zillah", "Ida Brandt"],
            {
                "C1": ("zillah", ["zillah", "zillah"]),
                "C2": ("Ida Brandt", ["Ida Brandt"]),
                "O1": ("Walter Pym", ["Walter Pym"]),
                "O2": ("Edwin Stroud", ["Edwin Stroud"]),
            },
        ),
        # A name over the end of a line is written with a space.
        (
            KEEPERS + "<Dora\nKell> told <Ida Brandt> that {she} was late.",
            ["Dora\nKell", "Ida Brandt"],
            {
                "C1": ("Dora Kell", ["Dora\nKell"]),
                "C2": ("Ida Brandt", ["Ida Brandt"]),
                "O1": ("Walter Pym", ["Walter Pym"]),
                "O2": ("Edwin Stroud", ["Edwin Stroud"]),
            },
        ),
    ],
)
def test_people_in_their_roles(marked, names, roles):
    row = make_row(marked)
    scene = cast(row, DEFAULT_MODEL)
    assert people_of(scene) == roles
    assert names_of(scene) == names
    genders = {it.role: it.gender for it in scene.people}
    assert genders == dict.fromkeys(("C1", "C2"), scene.gender) | dict.fromkeys(("O1", "O2"), OTHER[scene.gender])


KELL_AND_BRANDT = "Dora Kell: feminine; Ida Brandt: feminine"
PYM_AND_STROUD = "Walter Pym: masculine; Edwin Stroud: masculine"


@pytest.mark.parametrize(
    ("marked", "reason", "people"),
    [
        (KEEPERS + "<Dora Kell> told <Ida Brandt> that {it} was late.", "no pronoun", ""),
        (KEEPERS + "<Dora Kell> told <Ida Brandt> that they saw {herself}.", "no pronoun", ""),
        (KEEPERS + "<Dora Kell> saw <Percy Street>, and {she} was late.", "no name", ""),
        (
            KEEPERS + "<Dora Kell> told Ida Brandt that <Dora> slept, and {she} left.",
            "both names are one person",
            f"{PYM_AND_STROUD}; {KELL_AND_BRANDT}",
        ),
        ("<Dora Kell> told <Ida Brandt> that {she} had the key.", "not two women and two men", KELL_AND_BRANDT),
        (
            "Walter Pym slept. <Dora Kell> told <Ida Brandt> that {she} had the key.",
            "not two women and two men",
            f"Walter Pym: masculine; {KELL_AND_BRANDT}",
        ),
        (
            KEEPERS + "Clara Finch slept. <Dora Kell> told <Ida Brandt> that {she} had the key.",
            "not two women and two men",
            f"{PYM_AND_STROUD}; Clara Finch: feminine; {KELL_AND_BRANDT}",
        ),
        (
            "Dan Pym and Daniel Stroud kept the lamp. <Dora Kell> told <Ida Brandt> that {she} had the key.",
            "unclear whose name",
            f"Dan Pym: masculine; Daniel Stroud: masculine; {KELL_AND_BRANDT}",
        ),
        (
            KEEPERS + "Qorin Kell slept. <Dora Kell> told <Ida Brandt> that {she} was late.",
            "unclear whose name",
            f"{PYM_AND_STROUD}; Qorin Kell: unknown gender; {KELL_AND_BRANDT}",
        ),
    ],
)
def test_rows_without_a_scene_say_why(marked, reason, people):
    assert cast(make_row(marked), DEFAULT_MODEL) == Reject("r", reason, people)


PLACED = {"pronoun": "she", "pronoun_offset": 17, "a": "Ida", "a_offset": 0, "b": "God", "b_offset": 8}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, ""),
        ({"pronoun": "She"}, "wrong offset"),
        ({"pronoun": "him", "pronoun_offset": 74}, "wrong offset"),
        ({"pronoun_offset": 75}, "wrong offset"),
        ({"a_offset": 42}, "wrong offset"),
        ({"b_offset": 1_000}, "wrong offset"),
        ({"b": ""}, "wrong offset"),
        ({"b": " ", "b_offset": 54}, "wrong offset"),
        ({"b": "Kell", "b_offset": 48}, "both names are one person"),
        ({"a": "dora Kell"}, "wrong offset"),
        ({"pronoun": ""}, "no pronoun"),
        ({"pronoun": "that", "pronoun_offset": 69}, "no pronoun"),
        ({"text": "Ida saw God, and she left.", **PLACED}, "no name"),
    ],
)
def test_wrong_cells_are_told(changes, reason):
    row = dataclasses.replace(make_row(KEEPERS + "<Dora Kell> told <Ida Brandt> that {she} had the key."), **changes)
    assert fault_of(row) == reason
    if reason:
        assert cast(row, DEFAULT_MODEL) == Reject("r", reason, "")


@pytest.mark.parametrize(
    ("text", "forms", "found"),
    [
        (
            "Ann Lee met Ann Poe. Ann slept. Tom met Bob Hale and Mr. Hale.",
            {"C1": ["Ann Lee"], "C2": ["Ann Poe"], "O1": ["Tom"], "O2": ["Bob Hale"]},
            {"C1": ["Ann Lee"], "C2": ["Ann Poe"], "O1": ["Tom"], "O2": ["Bob Hale", "Mr. Hale"]},
        ),
        (
            "Dora Kell met Ida. Dora slept. Walter Pym met Mr. Stroud, and Pym told Stroud.",
            {"C1": ["Dora Kell"], "C2": ["Ida"], "O1": ["Walter Pym"], "O2": ["Mr. Stroud"]},
            {"C1": ["Dora Kell", "Dora"], "C2": ["Ida"], "O1": ["Walter Pym", "Pym"], "O2": ["Mr. Stroud", "Stroud"]},
        ),
        (
            "Ann Lee met Sue. ANN LEE slept. Annabel Lee, Tom and Bob's dog ate.",
            {"C1": ["Ann Lee", "Ann"], "C2": ["Sue"], "O1": ["Tom"], "O2": ["Bob"]},
            {"C1": ["Ann Lee", "ANN LEE"], "C2": ["Sue"], "O1": ["Tom"], "O2": ["Bob"]},
        ),
        (
            "Jean-Luc met Jean. Sue slept. Tom met Bob.",
            {"C1": ["Jean"], "C2": ["Bob"], "O1": ["Sue"], "O2": ["Tom"]},
            {"C1": ["Jean"], "C2": ["Bob"], "O1": ["Sue"], "O2": ["Tom"]},
        ),
        (
            "the nurse met _Ida_, and Idas met the nurse's dog.",
            {"C1": ["nurse"], "C2": ["Ida"], "O1": ["Walter Pym"], "O2": []},
            {"C1": ["nurse", "nurse"], "C2": ["Ida"], "O1": [], "O2": []},
        ),
    ],
)
def test_find_people_by_their_forms(text, forms, found):
    spans = find_people(text, forms, DEFAULT_MODEL)
    assert {role: [text[it.start : it.end] for it in its] for role, its in spans.items()} == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ida Brandt's", ("Ida", "Brandt")),
        ("Ida Brandt’s", ("Ida", "Brandt")),
        ("Jones'", ("Jones",)),
        ("Jones’", ("Jones",)),
        ("O'Hara", ("O'Hara",)),
    ],
)
def test_given_names_have_no_possessive_ending(text, words):
    name = given_name(f"- {text}", Span(2, 2 + len(text)))
    assert (name.titles, name.words, name.span) == ((), words, Span(2, 2 + len(" ".join(words))))


def test_the_widest_of_spans_that_overlap():
    spans = [Span(0, 3), Span(0, 8), Span(5, 9), Span(9, 12), Span(9, 12)]
    assert sorted(widest(spans), key=lambda it: it.start) == [Span(0, 8), Span(9, 12)]
