"""The occupations of WinoBias: the paper's table, and what a file of one's own must hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.counterfactuals.words import partner_of, uses_in
from gapforge.errors import InputError
from gapforge.winobias.templates import Occupation, read_occupations

# Zhao et al. 2018, Table 1, column by column.
PAPER = {
    "carpenter": 2,
    "mechanician": 4,
    "construction worker": 4,
    "laborer": 4,
    "driver": 6,
    "sheriff": 14,
    "mover": 18,
    "developer": 20,
    "farmer": 22,
    "guard": 22,
    "chief": 27,
    "janitor": 34,
    "lawyer": 35,
    "cook": 38,
    "physician": 38,
    "ceo": 39,
    "analyst": 41,
    "manager": 43,
    "supervisor": 44,
    "salesperson": 48,
    "editor": 52,
    "designers": 54,
    "accountant": 61,
    "auditor": 61,
    "writer": 63,
    "baker": 65,
    "clerk": 72,
    "cashier": 73,
    "counselors": 73,
    "attendant": 76,
    "teacher": 78,
    "sewer": 80,
    "librarian": 84,
    "assistant": 85,
    "cleaner": 89,
    "housekeeper": 89,
    "nurse": 90,
    "receptionist": 90,
    "hairdressers": 92,
    "secretary": 95,
}
# What the published sentences call them: in the singular, and two by other words.
CALLED = {
    "mechanician": "mechanic",
    "ceo": "CEO",
    "designers": "designer",
    "counselors": "counselor",
    "sewer": "tailor",
    "hairdressers": "hairdresser",
}
OCCUPATIONS = read_occupations()
UNEVEN = "every sentence needs one of each, so there must be as many of either"
TABLE = "wanted a table [women] with lines such as carpenter = 2"
PERCENTAGE = "wanted the percentage of women, a whole number that is not 50"
WORDS = "is no occupation; wanted words, such as 'construction worker'"


def test_the_occupations_are_those_of_the_paper_in_its_order():
    wanted = [(CALLED.get(name, name), women) for name, women in PAPER.items()]
    assert [(it.name, it.women) for it in OCCUPATIONS] == wanted


def test_half_of_them_are_of_each_stereotype():
    genders = [it.stereotype for it in OCCUPATIONS]
    assert genders == ["masculine"] * 20 + ["feminine"] * 20


def test_no_occupation_has_another_name_for_the_other_gender():
    words = [use.key for it in OCCUPATIONS for use in uses_in(it.name)]
    assert [word for word in words if partner_of(word, address=False, modifier=False)] == []


@given(st.integers(0, 100).filter(lambda women: women != 50))
def test_more_women_than_men_make_a_feminine_stereotype(women):
    assert Occupation("cook", women).stereotype == ("feminine" if women > 100 - women else "masculine")


@pytest.fixture
def read(tmp_path):
    def call(text):
        path = tmp_path / "own.toml"
        path.write_text(text, "utf-8")
        return read_occupations(path)

    return call


def test_a_file_of_one_s_own_keeps_its_order(read):
    text = '\ufeff# Ours.\n[women]\nclerk = 100\n"co-pilot" = 0\n"night nurse" = 51\n"Bäcker" = 49\n'
    assert read(text) == [
        Occupation("clerk", 100),
        Occupation("co-pilot", 0),
        Occupation("night nurse", 51),
        Occupation("Bäcker", 49),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"no [women]; {TABLE}"),
        ("women = 4\n", f"no [women]; {TABLE}"),
        ("[men]\ncook = 38\n", f"no [women]; {TABLE}"),
        ("[women]\n", f"0 of stereotype feminine and 0 of stereotype masculine; {UNEVEN}"),
        ("[women]\ncook = 38\n", f"0 of stereotype feminine and 1 of stereotype masculine; {UNEVEN}"),
        (
            "[women]\ncook = 38\nclerk = 72\nbaker = 65\n",
            f"2 of stereotype feminine and 1 of stereotype masculine; {UNEVEN}",
        ),
        ("[women]\ncook = 50\n", f"cook = 50; {PERCENTAGE}"),
        ("[women]\ncook = -1\n", f"cook = -1; {PERCENTAGE}"),
        ("[women]\ncook = 101\n", f"cook = 101; {PERCENTAGE}"),
        ("[women]\ncook = 38.0\n", f"cook = 38.0; {PERCENTAGE}"),
        ("[women]\ncook = true\n", f"cook = True; {PERCENTAGE}"),
        ('[women]\ncook = "38"\n', f"cook = '38'; {PERCENTAGE}"),
        ("[women.cook]\nshare = 38\n", f"cook = {{'share': 38}}; {PERCENTAGE}"),
        ('[women]\n"" = 38\n', f"'' {WORDS}"),
        ('[women]\n"-" = 38\n', f"'-' {WORDS}"),
        ('[women]\n" cook" = 38\n', f"' cook' {WORDS}"),
        ('[women]\n"night  nurse" = 38\n', f"'night  nurse' {WORDS}"),
        ('[women]\n"night\\tnurse" = 38\n', f"'night\\tnurse' {WORDS}"),
        ('[women]\n"[cook]" = 38\n', f"'[cook]' {WORDS}"),
        ('[women]\n"{A}" = 38\n', f"'{{A}}' {WORDS}"),
        ('[women]\n"agent 7" = 38\n', f"'agent 7' {WORDS}"),
        (
            "[women]\ncook = 38\ncook = 39\n",
            f"not TOML (Cannot overwrite a value (at line 3, column 10)); {TABLE}",
        ),
        ("[women\n", f"not TOML (Expected ']' at the end of a table declaration (at line 1, column 7)); {TABLE}"),
    ],
)
def test_a_file_that_cannot_be_used(read, tmp_path, text, message):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value) == f"{tmp_path / 'own.toml'}: {message}"


def test_a_file_that_is_not_there_or_is_no_text(tmp_path):
    with pytest.raises(InputError) as caught:
        read_occupations(tmp_path / "none.toml")
    assert str(caught.value) == f"{tmp_path / 'none.toml'}: no such file; fix the path"
    (tmp_path / "latin.toml").write_bytes('[women]\n"Bäcker" = 38\n'.encode("latin-1"))
    with pytest.raises(InputError) as caught:
        read_occupations(tmp_path / "latin.toml")
    assert str(caught.value) == f"{tmp_path / 'latin.toml'}: byte 10: not UTF-8; save it as UTF-8"
