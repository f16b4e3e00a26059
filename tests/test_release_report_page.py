"""The report of a run in a real browser: drawn, readable in both themes and on a phone, and deaf to the network."""

import dataclasses
import json
import re
import shutil

import pytest

from gapforge.release.run_report import render_report
from gapforge.report.page import Section, Table, render
from gapforge.report.tables import evaluation_section
from report_scenes import (
    make_example,
    make_manifest,
    make_quadruple,
    make_run,
    make_variant,
    measure,
    measure_change,
)

CHROMIUM, CHROMEDRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not (CHROMIUM and CHROMEDRIVER):
    pytest.skip("needs chromium and chromedriver on the path", allow_module_level=True)
webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")

from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

pytestmark = pytest.mark.browser

SCRIPT = "</script><script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">"
NASTY = [
    make_example("nasty-1", text=f"{SCRIPT} Ann met Ida. She left."),
    make_example(
        "nasty-2", text="🙂👩‍👩‍👧 Ann met Ida 𝒜.\n\nThen she left, 🙂\u2028said Bo.", pronoun="she", label="B"
    ),
    make_example("nasty-3", text="שלום עולם Ann met Ida العربية. She left."),
    make_example("nasty-4", text="x" * 400 + " Ann met Ida. She left.", url="javascript:alert(1)"),
    make_example(SCRIPT, text="Al met Bo & Cy. He left.", pronoun="He", a="Al", b="Bo", label="neither", weight=0.25),
]
PLAIN = [make_example(f"plain-{n:02}") for n in range(12)]
RESOLVERS = ["always-A", "<b>never</b>"]
VARIANTS = {
    "development": [make_variant(PLAIN[0], "noon", "that awful noon"), *map(make_variant, PLAIN[1:])],
    "test": [
        make_variant(NASTY[0], "left", f"left {SCRIPT}"),
        make_variant(NASTY[1], "said", "boldly said"),
        make_variant(NASTY[2], "met", "sadly met"),
        *map(make_variant, NASTY[3:]),
    ],
}


def made_run():
    gap = {"development": PLAIN, "test": NASTY}
    quadruples = [*make_quadruple("q-1"), *make_quadruple("q-2", label="B", pattern="MEDIALPRO")]
    answers = {
        "gap": {
            name: {row.id: label for row in NASTY} for name, label in zip(RESOLVERS, ("A", "neither"), strict=True)
        },
        "counter-gap": {
            RESOLVERS[0]: {row.id: "A" for row in quadruples},
            RESOLVERS[1]: {row.id: "A" if row.variant == "original" else "neither" for row in quadruples},
        },
        "gap-subjective": {
            name: {row.id: label for row in NASTY} for name, label in zip(RESOLVERS, ("B", "neither"), strict=True)
        },
    }
    rows = {"gap": NASTY, "counter-gap": quadruples}
    results = {kind: measure(rows[kind], kind, answers[kind]) for kind in rows}
    said = answers["gap"], answers["gap-subjective"]
    results["gap-subjective"] = measure_change(NASTY, VARIANTS["test"], *said)
    return make_run(
        title=f"made {SCRIPT}",
        gap=gap,
        counter_gap=quadruples,
        subjective=VARIANTS,
        answers=answers,
        results=results,
        resolvers=RESOLVERS,
        labelled_by={"gap": "panel", "counter-gap": "author"},
        notes=["A_note_without_a_space_" * 20],
    )


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_report(made_run()), "utf-8")
    return path


class Page:
    """A report, by what a reader does."""

    def __init__(self, driver, path):
        self.driver = driver
        self.path = path
        self.open()

    def open(self, width=1280, **media):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 1000}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": media.get("theme", "light")}]
        told = {"media": media.get("media", "screen"), "features": features}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", told)
        self.driver.get(self.path.as_uri())
        return self

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return [it.get_property("textContent") for it in self.all(selector)]

    def choose(self, **filters):
        for name, value in filters.items():
            Select(self.driver.find_element(By.ID, f"by-{name}")).select_by_visible_text(value)
        return self

    def offered(self, name):
        return [it.text for it in Select(self.driver.find_element(By.ID, f"by-{name}")).options]

    def shown(self):
        """The ids of the items on the page."""
        return [it.removesuffix(" source") for it in self.texts("#items .item > h3")]

    def count(self):
        [count] = self.texts("#count")
        return count


@pytest.fixture
def page(browser, path):
    browser.get_log("browser"), browser.get_log("performance")
    yield Page(browser, path)
    assert browser.get_log("browser") == []  # not an error, nor a warning


def test_the_network_is_left_alone(page):
    messages = [json.loads(it["message"])["message"] for it in page.driver.get_log("performance")]
    asked = {it["params"]["request"]["url"] for it in messages if it["method"] == "Network.requestWillBeSent"}
    assert asked <= {page.path.as_uri(), "data:,"} and page.path.as_uri() in asked


def test_every_figure_is_drawn(page):
    boxes = page.run("""return [...document.querySelectorAll("figure")].map((figure) => {
        const drawing = figure.querySelector("svg");
        const marks = [...drawing.querySelectorAll("path")].map((it) => it.getBoundingClientRect());
        return [drawing.getBoundingClientRect().width, drawing.getBoundingClientRect().height,
                marks.filter((it) => it.width || it.height).length, drawing.querySelectorAll("text").length];
    })""")
    assert len(boxes) == 26
    for width, height, paths, texts in boxes:
        assert width > 300 and height > 80 and paths >= 4 and texts >= 4


def test_nothing_of_the_data_is_run(page):
    assert page.driver.title == f"made {SCRIPT}"
    page.choose(split="test")
    assert page.driver.title == f"made {SCRIPT}"
    assert page.all("img") == [] and page.all("b") == []
    assert page.run("return document.scripts.length") == 2
    assert page.shown()[-1] == SCRIPT


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 400, 1280])
@pytest.mark.parametrize("kind", ["GAP", "Counter-GAP", "GAP-Subjective"])
def test_the_page_fits_the_window(page, width, theme, kind):
    page.open(width, theme=theme).choose(set=kind)
    page.run("for (const it of document.querySelectorAll('details')) it.open = true")
    assert page.run("return document.documentElement.scrollWidth") <= width
    # What is wider than the page scrolls in a box of its own.
    wide = page.run("""const width = document.documentElement.clientWidth;
        return [...document.querySelectorAll("body *:not(svg *)")]
          .filter((it) => !it.closest(".wide, .drawing, nav ul, .unseen"))
          .filter((it) => it.getBoundingClientRect().right > width + 1)
          .map((it) => it.outerHTML.slice(0, 80))""")
    assert wide == []


def test_text_in_charts_can_be_read_on_a_phone(page):
    page.open(400)
    sizes = page.run("""return [...document.querySelectorAll("figure svg")].map((it) =>
        9 * it.getBoundingClientRect().width / it.viewBox.baseVal.width)""")  # 9 units a letter
    assert min(sizes) >= 9


GROUND = "return getComputedStyle(document.body).backgroundColor"
FILL = "return getComputedStyle(document.querySelector('#composition-gap svg path[style*=feminine]')).fill"
INK = "return getComputedStyle(document.querySelector('figure svg text')).fill"


def test_both_themes(page):
    light = [page.open(theme="light").run(it) for it in (GROUND, FILL, INK)]
    dark = [page.open(theme="dark").run(it) for it in (GROUND, FILL, INK)]
    assert light == ["rgb(247, 248, 246)", "rgb(84, 39, 136)", "rgb(27, 35, 44)"]
    assert dark == ["rgb(17, 22, 26)", "rgb(195, 166, 242)", "rgb(227, 232, 236)"]


def test_print_is_black_on_white_without_controls(page):
    page.open(720, media="print", theme="dark")
    assert page.run(GROUND) == "rgb(255, 255, 255)"
    assert page.run(INK) == "rgb(0, 0, 0)"
    assert [it.is_displayed() for it in page.all("nav, .controls, .pager")] == [False] * 3
    assert page.run("return document.documentElement.scrollWidth") <= 720
    seen = "return [...document.querySelectorAll('details table')].map((it) => it.checkVisibility() && it.offsetHeight)"
    assert len(page.run(seen)) == 25 and all(page.run(seen))
    assert not any(page.open().run(seen))
    page.open(720, media="print")
    assert page.run("return getComputedStyle(document.querySelector('figure')).breakInside") == "avoid"


def test_silver_is_in_sight(page):
    [notice] = page.all("header .notice")
    assert notice.is_displayed() and notice.text.startswith("The labels of GAP are silver: resolvers have voted")
    assert [it.text for it in page.all("header .standard")] == ["silver labels", "gold labels"]


def test_pages_of_instances(page):
    assert page.count() == "17 examples"
    assert page.shown() == [f"plain-{n:02}" for n in range(10)]
    [place, previous, forward] = [page.all(it)[0] for it in ("#place", "#previous", "#next")]
    assert (place.text, previous.is_enabled(), forward.is_enabled()) == ("1–10 of 17", False, True)
    forward.send_keys(Keys.ENTER)
    assert (place.text, previous.is_enabled(), forward.is_enabled()) == ("11–17 of 17", True, False)
    assert page.shown()[:3] == ["plain-10", "plain-11", "nasty-1"]
    previous.send_keys(Keys.SPACE)
    assert place.text == "1–10 of 17"


@pytest.mark.parametrize(
    ("filters", "words", "expected"),
    [
        ({"split": "test"}, "", ["nasty-1", "nasty-2", "nasty-3", "nasty-4", SCRIPT]),
        ({"gender": "masculine"}, "", [SCRIPT]),
        ({"label": "B"}, "", ["nasty-2"]),
        ({"answers": "always-A is wrong"}, "", ["nasty-2", SCRIPT]),
        ({"answers": "<b>never</b> is wrong"}, "", ["nasty-1", "nasty-2", "nasty-3", "nasty-4"]),
        ({"answers": "all are wrong"}, "", ["nasty-2"]),
        ({"answers": "all are right"}, "", []),
        ({"answers": "always-A is wrong", "gender": "feminine"}, "", ["nasty-2"]),
        ({}, "PLAIN-07", ["plain-07"]),
        ({}, "</script>", ["nasty-1", SCRIPT]),
        ({}, "ida 𝒜.\n", ["nasty-2"]),
        ({"split": "test"}, "العربية", ["nasty-3"]),
    ],
)
def test_filters_of_examples(page, filters, words, expected):
    page.choose(**filters)
    page.run(
        "const it = document.getElementById('by-text'); it.value = arguments[0]; it.dispatchEvent(new Event('input'))",
        words,
    )
    assert page.shown() == expected
    assert page.count() == f"17 examples; {len(expected)} of them as asked for"
    page.all("#reset")[0].click()
    assert page.count() == "17 examples"


def test_filters_that_leave_no_choice_are_hidden(page):
    seen = [it.get_attribute("data-filter") for it in page.all(".controls [data-filter]") if it.is_displayed()]
    assert seen == ["split", "gender", "label", "answers"]
    page.choose(set="Counter-GAP")
    seen = [it.get_attribute("data-filter") for it in page.all(".controls [data-filter]") if it.is_displayed()]
    assert seen == ["variant", "gender", "pattern", "label", "answers"]
    assert page.offered("variant") == ["any", "original", "control", "swap-1", "swap-2"]
    page.choose(set="GAP-Subjective")
    seen = [it.get_attribute("data-filter") for it in page.all(".controls [data-filter]") if it.is_displayed()]
    assert seen == ["split", "variant", "gender", "label", "answers"]
    assert page.offered("variant") == ["any", "subjective", "as in GAP"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"pattern": "MEDIALPRO"}, ["q-2"]),
        ({"variant": "swap-2"}, ["q-1", "q-2"]),
        ({"label": "A"}, ["q-1"]),
        ({"answers": "always-A is wrong"}, ["q-2"]),
        ({"answers": "always-A is inconsistent"}, []),
        ({"answers": "<b>never</b> is inconsistent"}, ["q-1"]),
        ({"answers": "<b>never</b> is wrong", "variant": "original"}, ["q-2"]),
        ({"variant": "original", "gender": "masculine"}, []),
    ],
)
def test_filters_of_quadruples(page, filters, expected):
    page.choose(set="Counter-GAP", **filters)
    assert page.shown() == expected


def test_pronoun_and_names_are_marked(page):
    page.choose(split="test", label="neither")
    assert page.texts("#items mark") == ["AlA", "BoB", "HeP"]
    page.choose(label="B")
    assert page.texts("#items mark") == ["AnnA", "IdaB\u00a0✓", "sheP"]
    [text] = page.texts("#items .text")
    assert text == "🙂👩‍👩‍👧 AnnA met IdaB\u00a0✓ 𝒜.\n\nThen sheP left, 🙂\u2028said Bo."
    styles = (
        "return [...document.querySelectorAll('#items mark')].map((it) => getComputedStyle(it).textDecorationStyle)"
    )
    assert page.run(styles) == ["solid", "double", "wavy"]
    assert page.run("return getComputedStyle(document.querySelector('#items .text')).whiteSpace") == "pre-line"
    assert page.texts("#items .answers li") == ["always-A: A ✗ wrong", "<b>never</b>: neither ✗ wrong"]
    assert page.texts("#items .chips:not(.answers) li") == [
        "test",
        "feminine",
        "FINALPRO",
        "true: B",
        "with page entity",
    ]


def test_only_addresses_of_the_web_become_links(page):
    page.choose(split="test")
    assert [it.get_attribute("href") for it in page.all("#items a")] == ["https://example.org/d-1"] * 4
    assert page.shown()[3] == "nasty-4"


def test_differences_of_a_quadruple_are_marked(page):
    page.choose(set="Counter-GAP", label="A")
    assert page.texts(".four h4") == ["original", "control", "swap-1", "swap-2"]
    changed = [[it.text for it in text.find_elements(By.TAG_NAME, "ins")] for text in page.all("#items .text")]
    assert changed == [
        [],
        ["Ida Roy", "Ann", "Cy", "Bo", "Ida Roy"],
        ["Bo", "Cy", "Ann", "Ida Roy", "he", "Bo"],
        ["Cy", "Bo", "Ida Roy", "Ann", "he", "Cy"],
    ]
    assert page.texts("#items .four > :nth-child(3) .answers li") == [
        "always-A: A ✓ right",
        "<b>never</b>: neither ✗ wrong",
    ]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"variant": "subjective"}, ["plain-00", "nasty-1", "nasty-2", "nasty-3"]),
        ({"variant": "as in GAP", "split": "test"}, ["nasty-4", SCRIPT]),
        ({"variant": "subjective", "answers": "always-A is wrong"}, ["nasty-1", "nasty-3"]),
    ],
)
def test_filters_of_subjective_examples(page, filters, expected):
    page.choose(set="GAP-Subjective", **filters)
    assert page.shown() == expected


def test_edits_are_marked(page):
    page.choose(set="GAP-Subjective", variant="subjective")
    changed = [[it.text for it in text.find_elements(By.TAG_NAME, "ins")] for text in page.all("#items .text")]
    assert changed == [["that awful"], [SCRIPT], ["boldly"], ["sadly"]]
    assert page.all("img") == []
    [first, *_] = page.all("#items .item")
    assert [it.text for it in first.find_elements(By.CSS_SELECTOR, ".chips li")][-1] == "adverb: that awful noon"
    assert [it.is_displayed() for it in page.all(".only-changed, .only-four")] == [False, True]
    page.choose(set="GAP")
    assert [it.is_displayed() for it in page.all(".only-changed, .only-four")] == [False, False]


@pytest.mark.parametrize(("width", "columns"), [(1280, 2), (400, 1)])
def test_four_texts_stand_side_by_side_where_there_is_room(page, width, columns):
    page.open(width).choose(set="Counter-GAP")
    lefts = page.run("return [...document.querySelectorAll('.item:first-child .four > *')].map((it) => it.offsetLeft)")
    assert len(lefts) == 4 and len(set(lefts)) == columns


def test_a_part_of_a_set_says_so(browser, tmp_path):
    rows = [make_example(f"e-{n}") for n in range(501)]
    target = tmp_path / "report.html"
    run = make_run(gap={"test": rows}, counter_gap=[], weights=[], results={}, answers={}, stages={})
    target.write_text(render_report(run), "utf-8")
    page = Page(browser, target)
    assert page.count() == "500 of 501 examples are in this page"
    assert page.all("label[data-filter=answers]")[0].is_displayed() is False


def test_without_scripts_all_but_the_instances_is_there(browser, path):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(path.as_uri())
        [notice] = browser.find_elements(By.CSS_SELECTOR, "noscript .notice")
        assert notice.text == "Browsing the instances needs JavaScript; nothing else on this page does."
        assert not browser.find_element(By.ID, "browser").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


# Out of whatever it stands in, an attribute, a title, a style, a drawing or a script, and then every way to run.
HURT = (
    "x\"'></title></style></textarea></text></svg></script>--><script>window.hurt = 1</script>"
    "<img src=x onerror='window.hurt = 2'><svg onload='window.hurt = 3'></svg>\u2028window.hurt = 4;\u2029"
    "<iframe srcdoc='<script>parent.hurt = 5</script>'></iframe>{{ 7 * 7 }}<!--<script>"
)
# As long as a line beside a chart is, so that it is not broken.
NAME = "<img src=x onerror=hurt=7>"
ADDRESSES = ["javascript:window.hurt=6", " JaVaScRiPt:window.hurt=6", "data:text/html,<script>1</script>", HURT]
FOREIGN = "img, iframe, base, object, embed, form, link[rel=stylesheet], [onerror], [onload], a[href^=javascript i]"
POLICY = re.compile(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>")


def hostile_report():
    """A run in which every text that somebody else may have written is hostile."""
    rows = [make_example(f"{n} {HURT}", f"{HURT} Ann met Ida. She left.", url=url) for n, url in enumerate(ADDRESSES)]
    named = make_example("named", f"{HURT} met Ida. She left.", a=HURT, url=ADDRESSES[1])
    four = make_quadruple(f"q {HURT}", names=("Ann", f"Ida {HURT}", "Bo", "Cy"), url=ADDRESSES[0])
    four = [dataclasses.replace(it, contradictions=[HURT]) for it in four]
    variants = [make_variant(rows[0], "left", f"left {HURT}"), *map(make_variant, [*rows[1:], named])]
    answers = {kind: {NAME: {it.id: "A" for it in its}} for kind, its in (("gap", rows), ("counter-gap", four))}
    run = make_run(
        title=HURT,
        version=HURT,
        stages={NAME: make_manifest(NAME, rejects={HURT: 3})},
        gap={NAME: [*rows, named]},
        counter_gap=four,
        subjective={NAME: variants},
        settings=[(HURT, HURT, HURT)],
        results={kind: measure(its, kind, answers[kind]) for kind, its in (("gap", rows), ("counter-gap", four))},
        answers=answers,
        resolvers=[NAME],
        notes=[HURT],
    )
    return render_report(run)


def hostile_evaluation():
    rows = [make_example("e-1"), make_example("e-2", label="B")]
    answers = {name: {it.id: "A" for it in rows} for name in (NAME, f"other {NAME}")}
    section = evaluation_section(HURT, measure(rows, "gap", answers))
    return render(
        HURT, [section, Section(HURT, [HURT], [Table(HURT, [HURT, "n"], [[HURT, f"1 [{HURT}"]], folded=True)])]
    )


@pytest.mark.parametrize(("rendered", "scripts"), [(hostile_report, 2), (hostile_evaluation, 0)])
@pytest.mark.parametrize("walls", ["escaping alone", "escaping and policy"])
def test_no_field_of_a_page_becomes_markup(browser, tmp_path, rendered, scripts, walls):
    target = tmp_path / "report.html"
    text = rendered()
    assert len(POLICY.findall(text)) == 1
    target.write_text(text if walls == "escaping and policy" else POLICY.sub("", text), "utf-8")
    page = Page(browser, target)
    for kind in ("GAP", "Counter-GAP", "GAP-Subjective") if scripts else ():
        page.choose(set=kind)
        assert page.all("#items .item") and page.all("#items a") == []
        assert "<script>window.hurt = 1</script>" in page.texts("#items .item")[0]
    found = page.run(f"return [window.hurt, document.scripts.length, document.querySelectorAll('{FOREIGN}').length]")
    assert found == [None, scripts, 0]
    assert page.texts("h1") == [HURT]


@pytest.mark.parametrize("rendered", [hostile_report, hostile_evaluation])
def test_the_policy_alone_keeps_markup_from_running(browser, tmp_path, rendered):
    target = tmp_path / "report.html"
    holed = rendered().replace("<main>", f"<main>{HURT.removesuffix('<!--<script>')}")
    target.write_text(POLICY.sub("", holed), "utf-8")
    assert Page(browser, target).run("return window.hurt") is not None  # so that the hole is one
    target.write_text(holed, "utf-8")
    page = Page(browser, target)
    assert page.run("return [window.hurt, document.images.length]") == [None, 1]
