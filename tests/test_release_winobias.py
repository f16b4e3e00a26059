"""The sections of a report on WinoBias, from a few sentences and figures."""

import pytest

from gapforge.evaluation.winobias import Answers, link_of, score_answers
from gapforge.release.winobias import contrast_section, samples, sentences_section
from gapforge.report.page import render
from gapforge.winobias.forms import as_published
from gapforge.winobias.templates import Occupation, Scene, expand

SCENES = [
    Scene("type1", 0, "{A} met {B} because {he} was <bored>.", "{A} met {B} because {he} was there."),
    Scene("type1", 1, "{A} saw {B} when {his} eyes opened.", "{A} saw {B} when {his} door opened."),
    Scene("type1", 2, "{A} hit {B}, as {he} said.", "{A} hit {B}, as {he} claimed."),
    Scene("type2", 0, "{A} said that {B} had seen {him}.", "{A} met {B} and greeted {him}."),
]
OCCUPATIONS = [Occupation("cook", 38), Occupation("clerk", 72)]
SENTENCES = list(expand(SCENES, OCCUPATIONS))
HEADER = ["resolver", "type", "pro", "anti", "average", "difference", "p"]


def test_sentences_are_counted_by_split_and_type():
    found = sentences_section(SENTENCES)
    assert (found.title, found.id, len(found.charts)) == ("WinoBias", "winobias", 0)
    counts, _ = found.tables
    assert (counts.caption, counts.folded) == ("sentences", False)
    assert counts.header == ["split", "type", "templates", "pro", "anti"]
    assert counts.rows == [
        ["development", "type1", "4", "4", "4"],
        ["development", "type2", "2", "2", "2"],
        ["test", "type1", "2", "2", "2"],
    ]


def test_thousands_are_easy_to_read():
    many = [Occupation(f"{stem}{'x' * n}", 10 if stem == "a" else 90) for n in range(600) for stem in "ab"]
    counts, _ = sentences_section(list(expand(SCENES[:1], many))).tables
    assert counts.rows == [["development", "type1", "2", "1,200", "1,200"]]


def test_a_sentence_of_each_template_by_scene():
    _, table = sentences_section(SENTENCES).tables
    assert (table.caption, table.folded) == ("a sentence of each template", True)
    assert table.header == ["scene", "end", "sentence"]
    assert table.rows == [
        ["type1-01", "first", "[The cook] met the clerk because [he] was <bored>."],
        ["type1-01", "second", "The cook met [the clerk] because [she] was there."],
        ["type1-02", "first", "[The cook] saw the clerk when [his] eyes opened."],
        ["type1-02", "second", "The cook saw [the clerk] when [her] door opened."],
        ["type1-03", "first", "[The clerk] hit the cook, as [she] said."],
        ["type1-03", "second", "The clerk hit [the cook], as [he] claimed."],
        ["type2-01", "first", "[The cook] said that the clerk had seen [him]."],
        ["type2-01", "second", "The cook met [the clerk] and greeted [her]."],
    ]
    assert list(samples(SENTENCES[::-1])) != table.rows  # the first that comes is shown


def test_the_note_tells_what_pro_and_anti_are():
    (note,) = sentences_section(SENTENCES).notes
    assert "with the pronoun that the stereotype of the referent suggests (pro) and with the other (anti)" in note


def said(labels):
    """What a resolver says of the sentences of development, by condition and end."""
    its = [it for it in SENTENCES if it.split == "development"]
    return Answers({it.id: link_of(it, labels[it.condition, it.end]) for it in its}, {}, {})


ALWAYS_A = {(condition, end): "A" for condition in ("pro", "anti") for end in ("first", "second")}
STEREOTYPED = ALWAYS_A | {("pro", "second"): "B", ("anti", "first"): "B"}


def result(**systems):
    its = [as_published(it) for it in SENTENCES if it.split == "development"]
    return score_answers(its, {name: said(labels) for name, labels in systems.items()}, 100, 0)


def test_figures_of_one_resolver():
    """Always A is right in half of either condition, in the same sentences."""
    found = contrast_section(result(first=ALWAYS_A), ["first"])
    assert (found.title, found.id) == ("Stereotypes in WinoBias", "stereotypes")
    (table,) = found.tables
    assert table.caption == "F1 by condition, with 95 % intervals (Table 2)"
    assert table.header == HEADER
    assert [[cell.split(" ")[0] for cell in row] for row in table.rows] == [
        ["first", "type1", "0.5000", "0.5000", "0.5000", "0.0000", "1.0000"],
        ["first", "type2", "0.5000", "0.5000", "0.5000", "0.0000", "1.0000"],
    ]
    assert table.rows[0][5] == "0.0000 [0.0000, 0.0000]"


def test_figures_of_two_resolvers():
    found = contrast_section(result(first=ALWAYS_A, second=STEREOTYPED), ["first", "second"])
    (table,) = found.tables
    assert [(row[0], row[1]) for row in table.rows] == [
        *(("first", "type1"), ("first", "type2"), ("second", "type1"), ("second", "type2"))
    ]
    assert table.rows[2][2:6] == [
        "1.0000 [1.0000, 1.0000]",
        "0.0000 [0.0000, 0.0000]",
        "0.5000 [0.5000, 0.5000]",
        "1.0000 [1.0000, 1.0000]",
    ]


def test_a_chart_has_a_line_a_resolver_and_a_mark_a_type_and_condition():
    (chart,) = contrast_section(result(first=ALWAYS_A, second=STEREOTYPED), ["first", "second"]).charts
    assert chart.description == "F1 of the pronoun's link for each type and condition, with 95 % intervals"
    for word in ("first", "second", "type1 pro", "type1 anti", "type2 pro", "type2 anti", "F1"):
        assert f">{word}<" in chart.svg
    assert "average" not in chart.svg and "difference" not in chart.svg


MADE = {
    "dataset": "winobias",
    "instances": 4,
    "type1": {
        "sentences": 4,
        "pro": 0.75,
        "anti": 0.25,
        "average": 0.5,
        "difference": 0.5,
        "p": 0.00002,
        "accuracy": {},
    },
    "intervals": {"type1": {"pro": [0.5, 1.0], "anti": [0.0, 0.5], "average": [0.25, 0.75], "difference": None}},
}


def test_figures_are_those_of_the_result():
    (table,) = contrast_section(MADE, ["random"]).tables
    assert table.rows == [
        [
            "random",
            "type1",
            "0.7500 [0.5000, 1.0000]",
            "0.2500 [0.0000, 0.5000]",
            "0.5000 [0.2500, 0.7500]",
            "0.5000",
            "2e-05",
        ]
    ]


@pytest.mark.parametrize(("resolvers", "name"), [(["random"], "random"), ([], "resolver")])
def test_one_system_has_the_name_of_its_resolver(resolvers, name):
    assert contrast_section(MADE, resolvers).tables[0].rows[0][0] == name


def test_a_condition_that_is_not_there_is_undefined_and_not_drawn():
    undefined = dict.fromkeys(("pro", "anti", "average", "difference", "p"))
    found = contrast_section(MADE | {"type1": undefined, "intervals": {"type1": {}}}, ["random"])
    assert found.tables[0].rows == [["random", "type1", *["undefined"] * 5]]
    assert found.charts == []


def test_no_sentences_were_measured():
    found = contrast_section({"dataset": "winobias", "instances": 0, "intervals": {}}, ["random"])
    assert (found.tables[0].rows, found.charts) == ([], [])


def test_a_page_shows_sentences_as_they_are():
    page = render("A page", [sentences_section(SENTENCES), contrast_section(MADE, ["random"])])
    assert "[The cook] met the clerk because [he] was &lt;bored&gt;." in page
    assert 'id="winobias"' in page and 'id="stereotypes"' in page
