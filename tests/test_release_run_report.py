"""What the report of a run says; how it looks is seen in a browser by `test_release_report_page.py`."""

import dataclasses
import re

import pytest
from lxml import html

from gapforge.release.run_report import (
    Run,
    built_section,
    cards_of,
    cost_section,
    duration,
    funnel_section,
    inconsistency_sections,
    render_report,
    size,
)
from gapforge.report.charts import bar_chart, dot_chart, histogram, length_chart, with_own_ids
from gapforge.report.page import Table
from gapforge.resources import script_hash
from report_scenes import make_example, make_manifest, make_quadruple, make_run, measure

EVERY_SECTION = [
    "built",
    "funnel",
    "composition-gap",
    "composition-counter-gap",
    "subjective",
    "weights",
    "winobias",
    "resolvers-gap",
    "resolvers-counter-gap",
    "resolvers-gap-subjective",
    "resolvers-winobias",
    "inconsistency",
    "subjective-change",
    "stereotypes",
    "instances",
    "cost",
]
COST = re.compile(r'<section id="cost">.*?</section>', re.DOTALL)
EMPTY = Run("empty", "", {}, {}, [], {}, [], {}, [], {}, {}, [], {}, [])


@pytest.fixture(scope="module")
def text():
    return render_report(make_run())


@pytest.fixture(scope="module")
def page(text):
    return html.fromstring(text)


def sections(text):
    return re.findall(r'<section id="([^"]+)">', text)


def rows_of(page, section, caption):
    """The cells of a table by its caption."""
    [table] = [
        it for it in page.xpath(f'//section[@id="{section}"]//table') if it.findtext("caption").startswith(caption)
    ]
    return [[cell.text_content() for cell in row.xpath("th|td")] for row in table.xpath("tbody/tr")]


def test_every_section_is_there_and_in_the_contents(page, text):
    assert sections(text) == EVERY_SECTION
    assert page.xpath("//nav//a/@href") == [f"#{it}" for it in EVERY_SECTION]


@pytest.mark.parametrize(
    ("changes", "absent"),
    [
        ({"gap": {}, "weights": []}, {"composition-gap", "weights"}),
        ({"counter_gap": []}, {"composition-counter-gap"}),
        (
            {"results": {}},
            {
                "resolvers-gap",
                "resolvers-counter-gap",
                "resolvers-gap-subjective",
                "resolvers-winobias",
                "inconsistency",
                "subjective-change",
                "stereotypes",
            },
        ),
        ({"winobias": []}, {"winobias"}),
        ({"subjective": {}}, {"subjective"}),
        ({"summary": {}}, {"subjective"}),
        ({"stages": {}}, {"funnel", "cost"}),
        ({"weights": []}, {"weights"}),
        (
            {"gap": {}, "counter_gap": [], "subjective": {}},
            {"composition-gap", "composition-counter-gap", "subjective", "instances"},
        ),
    ],
)
def test_sections_without_data_are_left_out(changes, absent):
    found = sections(render_report(make_run(**changes)))
    assert found == [it for it in EVERY_SECTION if it not in absent]


def test_a_run_of_nothing_is_a_page():
    text = render_report(EMPTY)
    assert sections(text) == []
    assert "<h1>empty</h1>" in text and "<script" not in text and "<nav" not in text


def test_the_same_run_has_the_same_bytes(text):
    assert render_report(make_run()) == text


@pytest.mark.process
def test_cost_alone_differs_between_runs_that_made_the_same(text):
    stages = {name: dataclasses.replace(it, seconds=77.7, memory=10**9) for name, it in make_run().stages.items()}
    other = render_report(make_run(stages=stages))
    assert other != text
    assert COST.sub("", other) == COST.sub("", text)
    assert len(COST.findall(text)) == 1


def test_what_was_built(page):
    assert rows_of(page, "built", "sets and splits") == [
        ["GAP", "development", "2", "1", "1", "1", "by annotators", "gold"],
        ["GAP", "test", "3", "2", "1", "1", "by annotators", "gold"],
        ["Counter-GAP", "all", "12", "6", "6", "1", "by the author of the texts", "gold"],
        ["GAP-Subjective", "development", "2", "1", "1", "1", "as in GAP", "gold"],
        ["GAP-Subjective", "test", "3", "2", "1", "1", "as in GAP", "gold"],
        ["WinoBias", "development", "4", "2", "2", "", "by templates", "gold"],
    ]
    assert page.xpath('//section[@id="built"]/p/text()') == ["Made by hand."]
    assert page.xpath('//p[@class="version"]/text()') == ["Data version 0.1.0"]


def test_documents_of_two_corpora_are_two_whatever_their_ids():
    run = make_run()
    rows = list(run.gap["test"])
    moved = [dataclasses.replace(rows[0], corpus="another"), *rows[1:]]
    (table,) = built_section(make_run(gap={"test": moved}, counter_gap=[])).tables
    assert table.rows[0][:6] == ["GAP", "test", "3", "2", "1", "2"]


def test_numbers_at_the_top():
    found = [(it.number, it.what, it.detail, it.standard) for it in cards_of(make_run())]
    assert found == [
        ("5", "GAP examples", "2 development · 3 test", "gold"),
        ("3", "Counter-GAP quadruples", "12 texts, four of each", "gold"),
        ("60%", "GAP examples made subjective", "3 of 5 are GAP-Subjective, the rest as they were", ""),
        ("53%", "feminine", "9 of 17 pronouns", ""),
        ("4", "WinoBias sentences", "2 pairs that differ in the pronoun alone", ""),
        ("2", "resolvers measured", "on GAP, Counter-GAP, GAP-Subjective and WinoBias", ""),
        ("2", "stages", "3 rows rejected, each with a reason", ""),
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"labelled_by": {"gap": "panel", "counter-gap": "author"}},
        {"gap": {"test": [make_example("e-3", standard="silver"), make_example("e-4"), make_example("e-5")]}},
    ],
)
def test_silver_is_told_at_the_top_and_beside_the_figures(changes):
    page = html.fromstring(render_report(make_run(**changes, subjective={}, winobias=[])))
    told = "silver: resolvers have voted, so that figures say how far resolvers agree, not how far they are right."
    assert page.xpath('//header/p[@class="notice"]/text()') == [f"The labels of GAP are {told}"]
    assert page.xpath('//header//span[contains(@class, "standard")]/text()') == ["silver labels", "gold labels"]
    assert page.xpath('//section[@id="resolvers-gap"]/p[1]/text()') == [f"Labels are {told}"]
    assert [row[-1] for row in rows_of(page, "built", "sets")] == [
        *["silver"] * (len(rows_of(page, "built", "sets")) - 1),
        "gold",
    ]


def test_sets_with_silver_labels_are_told_together():
    panel = {"gap": "panel", "counter-gap": "author", "gap-subjective": "panel"}
    page = html.fromstring(render_report(make_run(labelled_by=panel)))
    [notice] = page.xpath('//header/p[@class="notice"]/text()')
    assert notice.startswith("The labels of GAP and GAP-Subjective are silver: resolvers have voted")


def test_gold_is_not_called_silver(text):
    assert "silver labels" not in text and 'class="notice">The labels' not in text


def test_the_funnel(page):
    [first, second] = rows_of(page, "funnel", "stages")
    assert first == ["Documents", "10", "7", "3", make_manifest().fingerprint]
    assert second[:4] == ["Candidates", "7", "12", "0"]
    assert rows_of(page, "funnel", "rejected rows by reason") == [["Documents", "too short", "3", "100%"]]


def test_a_funnel_without_rejects_has_no_reasons():
    section = funnel_section({"Documents": make_manifest(rejects={}, model="md 3.7")})
    assert [it.caption for it in section.tables] == ["stages", "models and word lists"]
    assert len(section.charts) == 1


def test_only_the_most_frequent_reasons_are_drawn():
    section = funnel_section({"Documents": make_manifest(rejects={f"r{n}": n for n in range(1, 20)})})
    assert section.charts[1].description == "reasons for which rows were rejected, the 12 most frequent"
    assert "r19" in section.charts[1].svg and "r8<" in section.charts[1].svg and "r7<" not in section.charts[1].svg
    assert len(section.tables[1].rows) == 19


def test_composition(page):
    found = {row[0]: row[1:] for row in rows_of(page, "composition-gap", "rows by property")}
    assert found["split: test"] == ["2", "1", "3", "67%"]
    assert found["rank of the referent: 2"] == ["1", "0", "1", "100%"]
    assert found["rank of the referent: none"] == ["1", "0", "1", "100%"]
    assert rows_of(page, "composition-counter-gap", "rows by variant")[:2] == [
        ["original", "FINALPRO", "A", "1", "0", "1", "100%"],
        ["original", "FINALPRO", "B", "1", "0", "1", "100%"],
    ]


def test_weights(page):
    assert rows_of(page, "weights", "before and after weighting") == [
        ["names in a row, feminine", "2", "2.0000", "0.0000", "2.0000"],
        ["names in a row, masculine", "1", "2.0000", "0.0000", "2.0000"],
        ["rank of the referent, feminine", "1", "2.0000", "0.0000", "2.0000"],
        ["rank of the referent, masculine", "1", "1.0000", "0.0000", "1.0000"],
    ]


def test_figures_of_resolvers(page):
    found = {row[0]: row[1:] for row in rows_of(page, "resolvers-gap", "every figure")}
    assert found["overall.f1"][0] == "1.0000 [0.0000, 1.0000]"
    found = {row[0]: row[1:] for row in rows_of(page, "inconsistency", "inconsistency")}
    assert found["first"] == ["0.0000 [0.0000, 0.0000]"] * 2 + ["undefined"] + ["0.0000 [0.0000, 0.0000]"] * 2


def test_what_is_undefined_is_not_drawn():
    figures = {
        "dataset": "counter-gap",
        "within": {"masculine": None, "feminine": None},
        "across": {"m2f": None, "f2m": None},
        "delta": {"value": 0.25},
        "intervals": {"delta": {"value": [0.1, 0.4]}},
    }
    [section] = inconsistency_sections(figures, ["alone"])
    assert section.tables[0].rows == [["alone", *["undefined"] * 4, "0.2500 [0.1000, 0.4000]"]]
    [chart] = section.charts
    assert chart.description.startswith("what a change of gender adds")


def test_cost():
    section = cost_section({"a": make_manifest(seconds=59.94), "b": make_manifest(seconds=3600.0, memory=0)})
    assert section.notes == [
        "All stages together took 1 h 1 min, 250.0 MB at most in one process; what was up to date was not built again."
    ]
    assert section.tables[0].rows == [["a", "59.9", "250.0 MB", "2.0 kB"], ["b", "3,600.0", "unknown", "2.0 kB"]]
    assert len(section.charts) == 2
    assert len(cost_section({"b": make_manifest(memory=0)}).charts) == 1


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, "0.0 s"), (59.94, "59.9 s"), (60, "1 min 0 s"), (119.6, "2 min 0 s"), (7500, "2 h 5 min")],
)
def test_durations(seconds, expected):
    assert duration(seconds) == expected


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (2_540_000, "2.5 MB"), (10**12, "1,000.0 GB")]
)
def test_sizes(count, expected):
    assert size(count) == expected


NASTY = '</script><img src=x onerror="boom()"> & $x^2$'


def test_texts_are_escaped():
    run = make_run(
        title=NASTY,
        notes=[NASTY],
        gap={"test": [make_example(NASTY, text=f"{NASTY} Ann met Ida. She left.", url=NASTY)]},
        resolvers=[NASTY],
        stages={NASTY: make_manifest(rejects={NASTY: 1})},
        results={},
    )
    text = render_report(run)
    assert "<img" not in text and text.count("</script>") == 2
    page = html.fromstring(text)
    assert page.xpath("//h1/text()") == [NASTY]


def test_nothing_is_fetched(text):
    assert set(re.findall(r'(?:src|href)="?(.)', text)) == {"#", "d"}  # places in the page, and an icon of no bytes
    assert re.findall(r"url\(([^)#]*)", text) == [""] * text.count("url(")
    assert "@import" not in text
    [policy] = html.fromstring(text).xpath('//meta[@http-equiv="Content-Security-Policy"]/@content')
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {script_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def test_ids_occur_once(page):
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert {it.lstrip("#") for it in page.xpath("//@href") if it.startswith("#")} <= set(ids)


def test_every_figure_says_what_it_shows(page):
    figures = page.xpath("//figure")
    assert len(figures) == 27
    for figure in figures:
        assert figure.get("role") == "img"
        assert figure.get("aria-label") == figure.findtext("figcaption") != ""


CHARTS = [
    dot_chart({"x": {"feminine": (0.5, [0.4, 0.6]), "masculine": (0.4, None), "other": (None, None)}}, "F1", line_at=0),
    dot_chart({"x": {"rows in": (0, None), "rows out": (20_000, None)}}, "rows", scale="symlog"),
    histogram([0, 0.1, 0.2], {"feminine": [3, 1], "masculine": [0, 2]}, "weight"),
    bar_chart(["A", "B"], {"feminine": [3, 1], "masculine": [0, 2]}, "label"),
    length_chart({"Documents": 3.5, "Candidates": 0}, "seconds"),
]


@pytest.mark.parametrize("svg", CHARTS)
def test_charts_take_the_colours_of_their_page(svg):
    colours = set(re.findall(r"(?:fill|stroke): ([^;\"]+)", svg))
    assert "currentColor" in colours
    assert all(re.fullmatch(r"currentColor|none|var\(--[\w-]+, #[0-9a-f]{6}\)", it) for it in colours)
    assert "font-family" not in svg and "<style" not in svg


def test_the_colours_of_charts_are_those_of_the_style_sheet(text):
    defined = dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", text.partition("@media")[0]))
    used = dict(re.findall(r"var\((--[\w-]+), (#[0-9a-f]{6})\)", "".join(CHARTS)))
    assert {"--group-feminine", "--group-masculine", "--grid"} <= used.keys()
    assert used == {name: defined[name] for name in used}


def luminance(colour):
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (it / 12.92 if it <= 0.04045 else ((it + 0.055) / 1.055) ** 2.4 for it in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast_of_both_themes(text, theme):
    light, dark = re.findall(r":root \{(.*?)\}", text, re.DOTALL)[:2]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", light if theme == "light" else dark))
    for ground in ("page", "card", "shade"):
        for name in ("ink", "soft", "brand", *(it for it in colours if it.startswith("group-"))):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)  # WCAG 2.2, 1.4.3
    assert contrast(colours["warn"], colours["warn-shade"]) >= 4.5


DRAWING = """<svg><g{figure}><path id="{mark}"/><use xlink:href="#{mark}" clip-path="url(#{clip})"/></g>
<text>#m1 id="m1"</text><clipPath id="{clip}"/></svg>"""


def test_drawings_have_ids_of_their_own():
    svg = DRAWING.format(figure=' id="figure_1"', mark="m1", clip="p2")
    assert with_own_ids(svg, "c") == DRAWING.format(figure="", mark="c-0", clip="c-1")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["a", "1", "x"], ["b", "2,000", "3"]], {0, 2}),
        ([["a", "0.5 [0.1, 0.9]", "undefined"], ["b", "", "-1"]], {0}),
        ([], set()),
    ],
)
def test_columns_of_words(rows, expected):
    assert Table("", ["", "", ""], rows).word_columns() == expected


def test_a_single_resolver_goes_by_its_name():
    run = make_run()
    only = {kind: {"first": its["first"]} for kind, its in run.answers.items()}
    results = {"counter-gap": measure(run.counter_gap, "counter-gap", only["counter-gap"])}
    page = html.fromstring(render_report(make_run(results=results, answers=only, resolvers=["first"])))
    assert rows_of(page, "inconsistency", "inconsistency")[0][0] == "first"


def test_a_part_of_a_large_set_is_in_the_page():
    rows = [row for n in range(251) for row in make_quadruple(f"q-{n}")]
    text = render_report(dataclasses.replace(EMPTY, counter_gap=rows))
    assert text.count('"variant":"swap-1"') == 250 and '"total":251' in text
