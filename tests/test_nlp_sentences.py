"""Sentences by rules: what each table row splits into, and what holds for any text."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gapforge.nlp.sentences import is_wrapped, split_sentences
from gapforge.records import Section

LONG = "Dora walked along the river with Max until the lamps of the town were lit and the last boat had gone home"


def sentences(text, sections=()):
    return [text[it.start : it.end] for it in split_sentences(text, sections)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Alder met Mrs. Finch. They spoke.", ["Mr. Alder met Mrs. Finch.", "They spoke."]),
        ("Dr. Oram came. He sat.", ["Dr. Oram came.", "He sat."]),
        ("Prof. Ott met Capt. Pell. She left.", ["Prof. Ott met Capt. Pell.", "She left."]),
        ("MR. OTT CAME. MRS. PELL LEFT.", ["MR. OTT CAME.", "MRS. PELL LEFT."]),
        ("It was Mr.\nOtt. He sat.", ["It was Mr.\nOtt.", "He sat."]),
        ("No. 5 was empty. Nos. 6 and 7 were not.", ["No. 5 was empty.", "Nos. 6 and 7 were not."]),
        ("In Nov. 1880 she met Sen. Ward. He left.", ["In Nov. 1880 she met Sen. Ward.", "He left."]),
        ("See Ott, vol. 2, pp. 3-5. She left.", ["See Ott, vol. 2, pp. 3-5.", "She left."]),
        ("She was born c. 1880 in Ulm. He was not.", ["She was born c. 1880 in Ulm.", "He was not."]),
        ("Some birds, e.g. Finches, sing. i.e. they do.", ["Some birds, e.g. Finches, sing. i.e. they do."]),
    ],
)
def test_abbreviations_do_not_end_sentences(text, expected):
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She moved to the U.S. He stayed.", ["She moved to the U.S.", "He stayed."]),
        ("She joined the U.S. Navy. He stayed.", ["She joined the U.S. Navy.", "He stayed."]),
        ("She moved to the U.S. Ellen stayed.", ["She moved to the U.S. Ellen stayed."]),
        ("Pens, ink, etc. The clerk came.", ["Pens, ink, etc.", "The clerk came."]),
        ("Pens, ink, etc. Dora came.", ["Pens, ink, etc. Dora came."]),
        ("It was 5 p.m. She stayed.", ["It was 5 p.m.", "She stayed."]),
        ("At 5 p.m. Dora left.", ["At 5 p.m. Dora left."]),
        ("Max Voss Jr. Then Dora came.", ["Max Voss Jr.", "Then Dora came."]),
        ("Max Voss Jr. Hall was wet.", ["Max Voss Jr. Hall was wet."]),
        ("She became Dora Ott, M.D. After that he left.", ["She became Dora Ott, M.D.", "After that he left."]),
        ("The Q.E.D. Of Dora.", ["The Q.E.D.", "Of Dora."]),
    ],
)
def test_abbreviations_that_may_end_sentences(text, expected):
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("J. R. Voss wrote it. Then he left.", ["J. R. Voss wrote it.", "Then he left."]),
        ("It was read by J. R. Voss. Then he left.", ["It was read by J. R. Voss.", "Then he left."]),
        ("A.M. Voss left. He met Prof. A. B. Ott.", ["A.M. Voss left.", "He met Prof. A. B. Ott."]),
        ("It was I. Max had left.", ["It was I.", "Max had left."]),
        ("Once J. I. Voss left, it was still.", ["Once J. I. Voss left, it was still."]),
        ("Dora saw É. Zola. He sat.", ["Dora saw É. Zola.", "He sat."]),
        ("It was 5. She left.", ["It was 5.", "She left."]),
        ("It rained in 1990. In 1991 it did not.", ["It rained in 1990.", "In 1991 it did not."]),
    ],
)
def test_initials(text, expected):
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"Go!" she said. "Why?" he asked.', ['"Go!" she said.', '"Why?" he asked.']),
        ("“Go!” she said. “Why?” he asked.", ["“Go!” she said.", "“Why?” he asked."]),
        ("“Go.” Dora left. “Why?” Max asked.", ["“Go.”", "Dora left.", "“Why?”", "Max asked."]),
        ("‘Go.’ Dora left. 'No.' Max left.", ["‘Go.’", "Dora left.", "'No.'", "Max left."]),
        ("«Go.» Dora left.", ["«Go.»", "Dora left."]),
        ("He said 'No.' then left.", ["He said 'No.' then left."]),
        ("Dora left. 'Twas late.", ["Dora left.", "'Twas late."]),
        ("He left. (She was ill.) Max stayed.", ["He left.", "(She was ill.)", "Max stayed."]),
        ("_Dora left._ *Max left.* He sat.", ["_Dora left._", "*Max left.*", "He sat."]),
        ("Dora left. — Max stayed.", ["Dora left.", "— Max stayed."]),
        ("Who is there? —nobody at all.", ["Who is there? —nobody at all."]),
    ],
)
def test_quotes_and_brackets(text, expected):
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She waited… Then he came.", ["She waited…", "Then he came."]),
        ("She waited... Then he came.", ["She waited...", "Then he came."]),
        ("She waited... then he came.", ["She waited... then he came."]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        ("He sat. she left.", ["He sat. she left."]),
        ("It was an iPhone. eBay had it. Dora left.", ["It was an iPhone. eBay had it.", "Dora left."]),
        ("Dora left.Max stayed.", ["Dora left.Max stayed."]),
        ("It cost 3.50 in all. Dora paid.", ["It cost 3.50 in all.", "Dora paid."]),
        ("Dora left", ["Dora left"]),
        (".", ["."]),
    ],
)
def test_stops(text, expected):
    assert sentences(text) == expected


def test_a_spaced_ellipsis_makes_no_sentences_of_its_own():
    assert sentences("She waited. . . . Then he came.") == ["She waited. . . .", "Then he came."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dora asked, and Max said no. She left.", ["Dora asked, and Max said no.", "She left."]),
        ("Dora ate a fig. Then she left.", ["Dora ate a fig.", "Then she left."]),
    ],
)
def test_words_that_look_like_abbreviations_end_sentences_before_a_word_of_grammar(text, expected):
    assert sentences(text) == expected


WRAPPED = "Dora walked along the river\nwith Max. They saw the\nlamps of the town.\n\nIt was late. Max\nleft.\n"


@pytest.mark.parametrize(
    ("text", "wrapped"),
    [
        (WRAPPED, True),
        (WRAPPED.replace("\n", "\r\n"), True),
        (f"{LONG}.\n{LONG}.\n{LONG}.\n", False),
        (f"Short.\n{LONG}.\n", False),
        ("x" * 90 + "\n" + "x" * 90, True),
        ("x" * 91 + "\n" + "x" * 91, False),
        ("Dora left.", False),
        ("", False),
        ("\n\n \n", False),
        # One line in forty beyond the width is a typesetter's slip.
        ("Dora walked along.\n" * 39 + LONG, True),
    ],
)
def test_is_wrapped(text, wrapped):
    assert is_wrapped(text) is wrapped


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            WRAPPED,
            [
                "Dora walked along the river\nwith Max.",
                "They saw the\nlamps of the town.",
                "It was late.",
                "Max\nleft.",
            ],
        ),
        (
            WRAPPED.replace("\n", "\r\n"),
            [
                "Dora walked along the river\r\nwith Max.",
                "They saw the\r\nlamps of the town.",
                "It was late.",
                "Max\r\nleft.",
            ],
        ),
        (f"{LONG}\n{LONG}. Max left\n{LONG}", [LONG, f"{LONG}.", "Max left", LONG]),
        (f"{LONG}\r\n\r\n{LONG}", [LONG, LONG]),
        ("Dora left\n\n\n  \n\nMax stayed", ["Dora left", "Max stayed"]),
        ("Dora left\n \t\nMax stayed", ["Dora left", "Max stayed"]),
        ("Dora left\u2028Max stayed\u2029Ida slept", ["Dora left", "Max stayed", "Ida slept"]),
        ("Dora left.    Max stayed.", ["Dora left.", "Max stayed."]),
        ("Dora left    Max stayed", ["Dora left", "Max stayed"]),
        ("Dora left   Max stayed", ["Dora left   Max stayed"]),
        ("Dora left\t\t\t\tMax stayed", ["Dora left", "Max stayed"]),
    ],
)
def test_lines_and_gaps(text, expected):
    assert sentences(text) == expected


def test_a_gap_after_a_chapter_number_loses_no_text():
    assert sentences("CHAPTER IV.  Dora left the house. Max stayed.") == [
        "CHAPTER IV.",
        "Dora left the house.",
        "Max stayed.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t \r\n\u2028\u00a0", []),
        ("😀 Dora left. 😀 Max stayed.", ["😀 Dora left.", "😀 Max stayed."]),
        ("הלכה הביתה. הוא נשאר.", ["הלכה הביתה.", "הוא נשאר."]),
        ("ذهبت. بقي.", ["ذهبت.", "بقي."]),
        ("Élodie left. Ørsted stayed. élan vital.", ["Élodie left.", "Ørsted stayed. élan vital."]),
        ("Dora\u00a0left.\u00a0Max stayed.", ["Dora\u00a0left.", "Max stayed."]),
        ("\ufeffDora left. Max stayed.", ["\ufeffDora left.", "Max stayed."]),
    ],
)
def test_odd_text(text, expected):
    assert sentences(text) == expected


def test_sections_are_never_crossed():
    text = "Dora met Mr. Ott and left. Max stayed"
    cut = text.index("Ott")
    sections = [Section("", 0, 0, cut), Section("Later", 1, cut, len(text))]
    assert sentences(text, sections) == ["Dora met Mr.", "Ott and left.", "Max stayed"]


def test_text_outside_of_sections_is_read_too():
    text = "Dora sat. Max stood. Ida slept."
    assert sentences(text, [Section("", 1, 10, 20)]) == ["Dora sat.", "Max stood.", "Ida slept."]


def test_a_very_long_line():
    text = "Dora met Mr. Voss in the town. " * 20_000
    found = split_sentences(text)
    assert len(found) == 20_000
    assert {text[it.start : it.end] for it in found} == {"Dora met Mr. Voss in the town."}


@pytest.mark.parametrize(
    "text", ["Dora" + "." * 2_000_000 + "5", "?" * 2_000_000, "." + "'" * 2_000_000, ".-" * 1_000_000]
)
def test_a_long_leader_of_dots_does_not_hang(text):
    assert "".join(sentences(text)) == text


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("x" * 5_000, [5_000]),
        ("x" * 12_000, [4_000, 4_000, 4_000]),
        ("word " * 1_000, [4_999]),
        ("word " * 2_500, [4_164, 4_164, 4_169]),
        ("Dora sat. " + "X" * 6_000 + ". Max rose.", [9, 3_001, 3_000, 9]),
    ],
)
def test_no_sentence_is_longer_than_the_model_bears(text, lengths):
    assert [len(it) for it in sentences(text)] == lengths


PIECES = st.sampled_from(
    [
        *(
            "Dora",
            "Max",
            "she",
            "left",
            "Mr.",
            "U.S.",
            "J.",
            "etc.",
            "I.",
            "CHAPTER IV.",
            "CHAPTER ",
            "no.",
            "42",
            "É",
            "😀",
        ),
        *(".", "...", "…", "?", "!", '"', "“", "”", "’", "(", ")", "—", "-", "_", "*", "[", "]"),
        *(" ", "  ", "     ", "\n", "\n\n", "\r\n", "\t", "\u2028", "\u00a0", "\x1c", LONG),
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


@given(TEXTS, st.lists(st.integers(0, 60), max_size=4))
@example("CHAPTER IV.  Dora left.", [])
@example("Dora left. . . . Max stayed.\r\n\r\n\u2028 ", [5])
def test_sentences_are_ordered_trimmed_and_lose_nothing(text, cuts):
    ends = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    sections = [Section("", 1, start, end) for start, end in pairwise(ends)]
    found = split_sentences(text, sections)
    assert all(it.start < it.end for it in found)
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert all(text[it.start : it.end] == text[it.start : it.end].strip() for it in found)
    assert not any(it.start < cut < it.end for it in found for cut in ends)
    covered = {n for it in found for n in range(it.start, it.end)}
    assert [text[n] for n in range(len(text)) if n not in covered and not text[n].isspace()] == []


@given(TEXTS)
def test_one_section_is_as_good_as_none(text):
    assert split_sentences(text) == split_sentences(text, [Section("", 0, 0, len(text))])
