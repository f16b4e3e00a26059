"""The resolvers of GAP 4.3: on sentences whose answer is plain, on odd input, and held to their scores on GAP."""

import inspect
import json

import pytest

from gapforge.errors import ConfigError
from gapforge.evaluation.gap import gap_figures, gap_rows
from gapforge.evaluation.gold import ANSWERS
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.records import Instance, Span
from gapforge.systems import cues
from gapforge.systems.cues import (
    alike,
    dist,
    expected,
    parallelism,
    parallelism_url,
    random_choice,
    syntactic,
    title_words,
    token_distance,
    topical,
    words_of,
)
from gaprows import all_rows, some_rows
from reference import published

CUES = (random_choice, token_distance, topical, syntactic, parallelism, parallelism_url)


def ask(marked, url="", id="1"):
    """An instance from a text with A and B in <angles>, in this order, and the pronoun in {braces}."""
    text, spans, start = "", {"<": [], "{": []}, 0
    for mark in marked:
        if mark in "<{":
            start = len(text)
        elif mark in ">}":
            spans["<" if mark == ">" else "{"].append(Span(start, len(text)))
        else:
            text += mark
    return Instance(id, text, *spans["{"], *spans["<"], url)


@pytest.mark.parametrize(
    ("resolver", "marked", "expected"),
    [
        (token_distance, "<Mary Smith> met <John Brown>. {He} left.", "B"),
        (token_distance, "When {he} came, <John Brown> met <Carl Reed>.", "A"),
        (token_distance, "<Mary Smith> met Ann Lee near <Sue Reed>. Dora Kell said that {she} left.", "neither"),
        (topical, "<Mary Smith> met Ann Lee. Mary Smith liked <Sue Reed>. {She} left.", "A"),
        (topical, "<Mary Smith> met <Ann Lee>. {She} left.", "B"),  # all are named once: the nearest
        (syntactic, "<John Brown> said that the friend of <Carl Reed> saw {him}.", "A"),  # three arcs, not four
        (syntactic, "<John Brown> thanked <Carl Reed> for {his} help.", "B"),  # four arcs each: the nearest
        (syntactic, "<John Brown> saw {him} when <Carl Reed> came.", "neither"),  # neither can be meant
        (parallelism, "<John Brown> thanked <Carl Reed> warmly. {He} smiled.", "A"),
        (parallelism, "<John Brown> thanked <Carl Reed>, and we thanked {him} too.", "B"),
        (parallelism, "<John Brown> met the whole family there. {He} sang. <Carl Reed> left.", "A"),  # what came before
        (parallelism, "{He} said that <John Brown> thanked <Carl Reed>.", "neither"),
        (parallelism, "<Mary Smith> was born in 1900. Smith met <Ann Lee>. {She} sang.", "A"),  # Smith is a part of it
    ],
)
def test_plain_sentences(resolver, marked, expected):
    assert resolver([ask(marked)]) == [expected]


def test_a_choice_may_answer_for_both():
    assert parallelism([ask("<Mary Smith> met Bo. Then <Smith> sang. {She} left.")]) == ["both"]


def test_of_the_two_one_is_chosen():
    asked = ask("<Mary Smith> met Bo. Then <Smith> sang. {She} left.")
    assert parallelism([asked], gold_two_mentions=True) == ["B"]
    others = ask("<Mary Smith> met <Sue Reed>. Ann Lee said that {she} left.")
    assert token_distance([others]) == ["neither"]
    assert token_distance([others], gold_two_mentions=True) == ["B"]


def test_the_page():
    marked = "<John Brown> thanked <Carl Reed> warmly. {He} smiled."
    assert parallelism_url([ask(marked)]) == ["A"]
    assert parallelism_url([ask(marked, "http://en.wikipedia.org/wiki/Carl_Reed")]) == ["B"]
    assert parallelism_url([ask(marked, "http://en.wikipedia.org/wiki/Carla_Reeds")]) == ["A"]


def test_the_page_is_passed_over_where_it_is_named_farther_away():
    marked = "We met <Carl Reed>. Then <John Brown> sang. {He} smiled."
    assert parallelism_url([ask(marked, "http://en.wikipedia.org/wiki/Carl_Reed")]) == ["B"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://en.wikipedia.org/wiki/John_Smith_(actor)", {"John", "Smith"}),
        ("http://en.wikipedia.org/wiki/Jos%C3%A9_de_la_Sota", {"Jos*", "Sota"}),
        ("http://en.wikipedia.org/wiki/%C3%81lvarez", {"*lvarez"}),
        ("http://en.wikipedia.org/wiki/The_Duke_of_York,_England#Life", {"Duke", "York"}),
        ("https://example.org/pages/Ann_Lee?old=1", {"Ann", "Lee"}),
        ("http://en.wikipedia.org/wiki/AC/DC", {"AC/DC"}),
        ("http://[bad/wiki/%ff_Lee", {"Lee"}),
        ("Jane Eyre", set()),
        ("", set()),
    ],
)
def test_title_words(url, expected):
    assert title_words(url) == expected


def test_words_and_likeness():
    assert words_of("José  Álvarez") == words_of("Jos\u0065\u0301 *lvarez") == {"Jos*", "*lvarez"}
    assert alike("Smith", "Ann Smith") and alike("Ann Smith", "Smith")
    assert not alike("Ann", "Bo") and not alike("", "Bo") and not alike("Ann", "")


THREE = "<Mary Smith> met Ann Lee near <Sue Reed>. {She} left."


def test_expected():
    assert expected([ask(THREE), ask("<It> rained <there>, and {he} slept.")]) == [(1 / 3, 1 / 3), (0.0, 0.0)]
    assert expected([ask(THREE)], gold_two_mentions=True) == [(0.5, 0.5)]
    names = {"1": [Span(0, 10), Span(0, 4), Span(15, 18), Span(29, 30)]}
    assert expected([ask(THREE)], names=names) == [(0.5, 0.25)]


def test_random_choice_depends_on_seed_and_id_alone():
    instances = [ask(THREE, id=str(n)) for n in range(300)]
    labels = random_choice(instances)
    assert {label: round(labels.count(label), -2) for label in set(labels)} == {"A": 100, "B": 100, "neither": 100}
    assert random_choice(instances[::-1]) == labels[::-1]
    assert random_choice(instances[7:9]) == labels[7:9]
    assert random_choice(instances, seed=1) != labels


def test_dist():
    asked = ask("<Ann Lee> met Sue Reed and <Mary Smith> there. {She} left.")
    assert [dist([asked], k=k) for k in (1, 2, 3, 4)] == [["B"], ["neither"], ["A"], ["neither"]]
    names = {"1": [Span(0, 7), Span(23, 27), Span(25, 33)]}  # two of them overlap B, one as near as the pronoun allows
    assert [dist([asked], k=k, names=names) for k in (1, 2, 3)] == [["B"], ["B"], ["A"]]
    assert dist([asked], names={"1": [Span(0, 33)]}) == ["both"]
    assert dist([asked], names={"1": []}) == ["neither"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k is 0; wanted 1 for the nearest name, 2 for the second nearest, and so on"),
        ({"names": {"2": []}}, "no names are given for 1; wanted the spans of every instance, or of none"),
    ],
)
def test_dist_refuses(options, message):
    with pytest.raises(ConfigError) as error:
        dist([ask(THREE)], **options)
    assert str(error.value) == message


def test_options_are_declared():
    assert {it.__name__: set(inspect.signature(it).parameters) - {"instances"} for it in (*CUES, dist, expected)} == {
        "random_choice": {"gold_two_mentions", "model", "seed"},
        "token_distance": {"gold_two_mentions", "model"},
        "topical": {"gold_two_mentions", "model"},
        "syntactic": {"gold_two_mentions", "model"},
        "parallelism": {"gold_two_mentions", "model"},
        "parallelism_url": {"gold_two_mentions", "model"},
        "dist": {"k", "names", "model"},
        "expected": {"gold_two_mentions", "names", "model"},
    }


ODD = [
    Instance("empty", "", Span(0, 0), Span(0, 0), Span(0, 0)),
    Instance("blank", " \n ", Span(0, 1), Span(1, 2), Span(2, 3)),
    Instance("outside", "Ann left.", Span(90, 92), Span(50, 60), Span(70, 80)),
    Instance("alone", "he", Span(0, 2), Span(0, 2), Span(0, 2)),
    Instance("marks", "!!! ... he ***", Span(8, 10), Span(0, 3), Span(11, 14)),
]


@pytest.mark.parametrize("resolver", [*CUES, dist])
def test_odd_input_has_no_answer(resolver):
    assert resolver(ODD[:4]) == ["neither"] * 4
    assert resolver(ODD) == [resolver([it])[0] for it in ODD]
    assert resolver([]) == []


@pytest.mark.parametrize("resolver", [*CUES, dist])
def test_odd_characters_change_nothing(resolver):
    plain = ask("<Mary Smith> met <John Brown> there. {He} left it. Then we left.")
    label = resolver([plain])
    for odd in (" \ud800", " *", " \udc00\ud800", " \U0001f600"):
        changed = Instance("1", plain.text + odd, plain.pronoun, plain.name_a, plain.name_b)
        assert resolver([changed]) == label


def test_long_text():
    asked = ask("<Mary Smith> met <John Brown>. {He} left. " + "Ann Lee told him that Dora Kell had left. " * 1500)
    assert dist([asked]) == ["B"]
    assert parallelism([asked]) == ["A"]


# The published data: what is reached, less one in two hundred or so, so that a change for the worse is seen.


def figures_of(items, said):
    rows = gap_rows(items, {item.id: it for item, it in zip(items, said, strict=True)})
    return {name: float(value) for name, value in gap_figures(rows.sum(axis=0)).items()}


def f1_of(items, said):
    return 100 * figures_of(items, said)["overall.f1"]


def scored(items, resolver, **options):
    return f1_of(items, [ANSWERS[label] for label in resolver([item.instance for item in items], **options)])


SCORED = ["token_distance", "topical", "syntactic", "parallelism", "parallelism_url"]


@pytest.mark.parametrize(
    ("gold_two_mentions", "expected"),
    [
        (False, {"stand-in": [48.28, 45.61, 48.28, 51.72, 37.93], "published": [49.7, 55.29, 79.1, 78.16, 81.82]}),
        (True, {"stand-in": [48.28, 48.28, 44.83, 48.28, 34.48], "published": [37.7, 37.7, 76.76, 74.59, 78.92]}),
    ],
)
def test_scores_on_some_rows_of_gap(reference, gold_two_mentions, expected):
    items = some_rows("test", reference)
    found = [scored(items, getattr(cues, name), gold_two_mentions=gold_two_mentions) for name in SCORED]
    assert found == pytest.approx(expected[reference.name], abs=0.01)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("part", "gold_two_mentions", "least"),
    [
        ("development", False, {"token_distance": 47, "topical": 56, "syntactic": 71, "parallelism": 73.5}),
        ("development", True, {"token_distance": 48, "topical": 48, "syntactic": 71, "parallelism": 73.2}),
        ("test", False, {"token_distance": 46, "topical": 54, "syntactic": 72, "parallelism": 73.8}),
        ("test", True, {"token_distance": 46, "topical": 46, "syntactic": 73, "parallelism": 74.6}),
    ],
)
def test_scores_on_gap(part, gold_two_mentions, least):
    items = all_rows(part)
    reached = {name: scored(items, getattr(cues, name), gold_two_mentions=gold_two_mentions) for name in least}
    assert {name: score for name, score in reached.items() if score < least[name]} == {}
    instances = [item.instance for item in items]
    at_random = f1_of(items, expected(instances, gold_two_mentions=gold_two_mentions))
    assert at_random < reached["token_distance"] + 0.5  # GAP 4.3: hardly better than random, given the two
    assert reached["token_distance"] <= reached["topical"] < reached["syntactic"] < reached["parallelism"]
    page = scored(items, parallelism_url, gold_two_mentions=gold_two_mentions)
    assert page > reached["parallelism"]


@pytest.mark.corpus
def test_random_is_that_of_the_paper():
    figures = figures_of(items := all_rows("development"), expected([item.instance for item in items]))
    paper = {"masculine.f1": 0.436, "feminine.f1": 0.393, "bias": 0.90, "overall.f1": 0.415}  # GAP, Table 6
    assert {name: figures[name] for name in paper} == pytest.approx(paper, abs=0.025)


@pytest.mark.corpus
def test_dist_and_random_are_those_of_the_paper():
    items = all_rows("test")
    path = published("weighting-gap/gap-test-name-spans.json")
    names = {id: [Span(start, end) for start, end, _ in spans] for id, spans in json.loads(path.read_text()).items()}
    instances = [item.instance for item in items]
    said = {f"Dist-{k}": [ANSWERS[label] for label in dist(instances, k=k, names=names)] for k in (1, 2, 3)}
    said["Random"] = expected(instances, names=names)
    figures = {name: figures_of(items, it) for name, it in said.items()}
    # Kocijan et al. 2021, Table 1, "Ground-Truth": F1, accuracy, F1-Bias, acc-Bias.
    paper = {
        "Random": (0.305, 0.224, 0.884, 0.849),
        "Dist-1": (0.463, 0.412, 0.850, 0.776),
        "Dist-2": (0.353, 0.310, 0.923, 0.882),
        "Dist-3": (0.228, 0.156, 1.270, 1.347),
    }
    columns = ("overall.f1", "overall.accuracy", "bias", "acc_bias")
    assert {name: tuple(it[column] for column in columns) for name, it in figures.items()} == {
        name: pytest.approx(row, abs=0.0016) for name, row in paper.items()
    }


def test_the_model_is_the_extractions():
    assert inspect.signature(parallelism).parameters["model"].default == DEFAULT_MODEL
