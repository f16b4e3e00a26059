"""Words that are swapped."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corruption import WORD, swap_words


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("", ""),
        (" , . ", " , . "),
        ("alone", "alone"),
        ("No, no, NO!", "No, no, NO!"),
        ("he ran", "ran he"),
        ("  He ran. ", "  ran He. "),  # punctuation, blanks and case stay where they are
        ("“Well-known, isn’t it.", None),
        ("the cat the", None),
    ],
)
def test_swap_words(sentence, expected):
    swapped = swap_words(sentence, seed=0)
    if expected is not None:
        assert swapped == expected
    else:
        assert swapped != sentence
        assert Counter(WORD.findall(swapped)) == Counter(WORD.findall(sentence))


def test_every_pair_of_words_has_its_turn():
    found = {swap_words("a b c d", seed) for seed in range(100)}
    assert found == {"b a c d", "c b a d", "d b c a", "a c b d", "a d c b", "a b d c"}
    assert swap_words("a b c d", 3) == swap_words("a b c d", 3)


@given(st.text("aAb ,.-’é\n", max_size=30), st.integers(0, 5))
def test_exactly_two_words_change(sentence, seed):
    before, swapped = WORD.findall(sentence), swap_words(sentence, seed)
    after = WORD.findall(swapped)
    changed = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    assert WORD.sub("", swapped) == WORD.sub("", sentence)
    if len({word.casefold() for word in before}) < 2:
        assert swapped == sentence
    else:
        assert len(changed) == 2
        assert changed[0] == changed[1][::-1]
