"""Which name is how near to a pronoun, counted by hand."""

import pytest

from gapforge.records import Instance, Span
from gapforge.systems.antecedents import nearest_first, tokens_between, within_reach


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann met her", 1),
        ("Ann her", 0),
        ("Ann, and then her", 3),
        ("Ann's dog bit her", 3),
        ("Ann won the 200-meter race near her", 5),  # one token, where the newest tokeniser makes three
        ("Ann likes well-known men, not her", 7),
        ("Ann\ud800 met her", 2),
    ],
)
def test_tokens_between(text, expected):
    name, pronoun = Span(0, 3), Span(len(text) - 3, len(text))
    assert tokens_between(text, name, pronoun) == expected
    behind = f"her{text[3:-3]}Ann"
    if "'s" not in text:
        assert tokens_between(behind, Span(len(text) - 3, len(text)), Span(0, 3)) == expected


TEXT = "Ann met Bob and Cyd, and he left Dan with Eve."
NAMES = {name: Span(TEXT.index(name), TEXT.index(name) + 3) for name in ("Ann", "Bob", "Cyd", "Dan", "Eve")}
INSTANCE = Instance("1", TEXT, Span(25, 27), NAMES["Ann"], NAMES["Bob"])


def test_nearest_first():
    # Tokens between: Ann 6, Bob 4, Cyd 2, Dan 1, Eve 3.
    ordered = nearest_first(INSTANCE, NAMES.values())
    assert [TEXT[it.start : it.end] for it in ordered] == ["Dan", "Cyd", "Eve", "Bob", "Ann"]


def test_equals_stay_as_given():
    text = "Ann saw her near Bob"
    ann, bob = Span(0, 3), Span(17, 20)
    instance = Instance("1", text, Span(8, 11), ann, bob)
    assert nearest_first(instance, [bob, ann]) == [bob, ann]
    assert nearest_first(instance, [ann, bob]) == [ann, bob]


def test_within_reach_keeps_whoever_may_have_the_rank():
    text = " ".join(f"N{n}" for n in range(40)) + " he " + " ".join(f"M{n}" for n in range(40))
    spans = [Span(text.index(word), text.index(word) + len(word)) for word in text.split() if word != "he"]
    instance = Instance("1", text, Span(text.index("he"), text.index("he") + 2), spans[0], spans[1])
    kept = within_reach(instance, spans, 3)
    assert kept == spans[32:48]
    assert nearest_first(instance, kept)[:6] == nearest_first(instance, spans)[:6]
