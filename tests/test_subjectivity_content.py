"""GLEU by hand, what a sentence must keep, and where somebody is quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.records import Span
from gapforge.subjectivity.content import gleu, invariants, is_gendered, is_negation, is_number, quotations


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # 14 n-grams up to four of the 5 words are all among the 22 of 7 words.
        ("She died in Paris.", "Sadly, she died in Paris.", 14 / 22),
        # Of 10 and 14: four words and two pairs.
        ("a b c d", "a b x c d", 6 / 14),
        ("a b x c d", "a b c d", 6 / 14),
        # Of 6 and 6: two words and one pair.
        ("a b c", "a b x", 3 / 6),
        ("a b c", "d e f", 0),
        # One word more in twelve: 42 n-grams of 46, less what the new word parts.
        ("a b c d e f g h i j k l", "x a b c d e f g h i j k l", 42 / 46),
        ("a b c d e f g h i j k l", "a b c d e f x g h i j k l", (12 + 10 + 8 + 6) / 46),
        ("He won.", "She won.", 3 / 6),
        ("Ann won.", "ann WON .", 1),  # case and blanks aside
        ("well-known", "well known", 0),  # a word is one with its hyphen
        ("don't", "do not", 0),
        ("", "", 1),
        ("", "a", 0),
        ("a", "", 0),
    ],
)
def test_gleu_by_hand(source, target, expected):
    assert gleu(source, target) == pytest.approx(expected, abs=5e-7)


@given(st.text(max_size=60), st.text(max_size=60))
def test_gleu_is_between_0_and_1_either_way(source, target):
    assert 0 <= gleu(source, target) <= 1
    assert gleu(source, target) == gleu(target, source)
    assert gleu(source, source) == 1


@pytest.mark.parametrize(
    ("source", "target", "broken"),
    [
        ("Ann met Bo.", "Sadly, Ann met Bo.", []),
        ("She left.", "Oddly, she left.", []),
        ("The king left.", "Of course, the king left.", []),
        ("An actor met Bo.", "A brilliant actor met Bo.", []),
        ("Ann met Bo.", "Ann met Cy.", ["names"]),
        ("Ann met Bo.", "Ann met.", ["names"]),
        ("Ann met Bo.", "Ann met Bo and Bo.", ["names"]),
        ("Ann met Bo.", "Ann met Bo in Paris.", ["names"]),
        ("Ann met Bo.", "Sadly, ann met Bo.", []),  # the first word alone has its capital by its place
        ("Later Ann met Bo.", "Later ann met Bo.", ["names"]),
        ("He left.", "She left.", ["pronouns"]),
        ("She saw him.", "She saw her.", ["pronouns"]),
        ("She saw him.", "He saw her.", ["pronouns"]),
        ("Ann saw him.", "Ann saw his.", ["pronouns"]),
        ("Ann left.", "Ann, she left.", ["pronouns"]),
        ("She left.", "She herself left.", ["pronouns"]),
        ("Ann won 2 games.", "Ann won 3 games.", ["numbers"]),
        ("Ann won two games.", "Ann won 2 games.", ["numbers"]),
        ("Ann won 2 games in 1990.", "Ann won 2 games.", ["numbers"]),
        ("Ann won the second.", "Ann won the third.", ["numbers"]),
        ("Ann won Twice.", "Ann won twice.", ["names"]),
        ("Ann left.", "Ann never left.", ["negation"]),
        ("Ann did leave.", "Ann didn't leave.", ["negation"]),
        ("Ann did leave.", "Ann didn’t leave.", ["negation"]),
        ("Ann didn't leave.", "Ann didn’t leave.", ["negation"]),
        ("Ann left with Bo.", "Ann left without Bo.", ["negation"]),
        ("Ann could leave.", "Ann cannot leave.", ["negation"]),
        ("Ann left him 2 books.", "Bo never left her 3 books.", ["names", "pronouns", "numbers", "negation"]),
        ("Anna met the old director.", "Maria met the old director.", ["names"]),
        ("Ann beat Joan.", "Joan beat Ann.", ["names"]),
        ("She left Ann.", "Sadly She left Ann.", []),
        ("Rose rose early.", "Rose rose early.", []),
        ("Rose rose early.", "Rose wisely rose early.", []),
        ("Rose rose early.", "Sadly, Rose rose early.", []),
        ("Roses fell.", "Sadly, roses fell.", []),
        ("𝓐 left.", "𝓐 wisely left.", []),  # a capital without a small letter
        ("She rarely sang.", "She often sang.", ["negation"]),
        ("At home Ann left him 2 books.", "At home Bo never left her 3.", ["names", "pronouns", "numbers", "negation"]),
        ("", "", []),
    ],
)
def test_invariants(source, target, broken):
    assert invariants([source, "Ann."], [target, "Ann."]) == [broken, []]


@given(st.text(max_size=60))
def test_every_text_keeps_what_it_has(text):
    assert invariants([text], [text]) == [[]]


@pytest.mark.parametrize(
    ("holds", "words", "others"),
    [
        (is_gendered, ["He", "HERS", "himself"], ["they", "it", "the", "hero", ""]),
        (is_number, ["1990s", "3", "Two", "first", "x2", "²"], ["once-off", "tow", "a", ""]),
        (is_negation, ["No", "isn't", "ISN’T", "Cannot", "nor"], ["note", "want", "know", "unhappy", ""]),
    ],
)
def test_words(holds, words, others):
    assert [it for it in words if not holds(it)] == []
    assert [it for it in others if holds(it)] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He said "a b" and "c d".', ['"a b"', '"c d"']),
        ("He said “a b”, then «c».", ["“a b”", "«c»"]),
        ("``She died'', he said.", ["``She died''"]),
        ("``One'' and ``two''.", ["``One''", "``two''"]),
        ('He said "she left.', ['"she left.']),  # never closed: to the end
        ("He said ``she left.", ["``she left."]),
        ("she died'' he said.", ["she died''"]),  # never opened: from the beginning
        ("left” she “right", ["left”", "“right"]),
        ("“He said «no» twice” again", ["“He said «no»", "“He said «no» twice”"]),
        ('“He said" again', ['“He said"']),
        ("the players' union", []),
        ("the players' union and the owners' club", []),
        ("Ann's book isn't his", []),
        ("the '90s and the '80s", []),
        ("‘Yes’, she said", ["‘Yes’"]),
        ("'Yes', she said", ["'Yes'"]),
        ("He said 'I don't know' and left", ["'I don't know'"]),
        ("He said ‘I don’t know’ and left", ["‘I don’t know’"]),
        ("He read 'The Book' and 'The Film'.", ["'The Book'", "'The Film'"]),
        ("rock 'n' roll", ["'n'"]),
        ("", []),
        ("plain", []),
    ],
)
def test_quotations(text, expected):
    assert [text[span.start : span.end] for span in quotations(text)] == expected


@given(st.text(alphabet="ab \"'`“”‘’«»\n", max_size=40))
def test_quotations_are_of_the_text_and_hold_every_double_mark(text):
    spans = quotations(text)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    marks = {n for n, letter in enumerate(text) if letter in '"“”«»'}
    assert marks <= {n for span in spans for n in range(span.start, span.end)}


def test_spans_are_by_code_points():
    assert quotations('🎻 "x"') == [Span(2, 5)]
