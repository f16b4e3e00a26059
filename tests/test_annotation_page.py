"""The page of the annotators in a real browser: names are selected with the mouse, and answers end in a file."""

import dataclasses
import json
import re
import shutil

import pytest

from gapforge.annotation.answers import Answer, Highlight, judge
from gapforge.annotation.questions import ask
from gapforge.annotation.turk import filled_page
from gapforge.records import Named, Span

CHROMIUM, CHROMEDRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not (CHROMIUM and CHROMEDRIVER):
    pytest.skip("needs chromium and chromedriver on the path", allow_module_level=True)
webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")

from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.actions.action_builder import ActionBuilder  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

pytestmark = pytest.mark.browser

SECONDS = 10

TEXT = (
    "Mrs. Aldous met Clara Whitfield's aunt at O'Brien's. Then Mrs. Aldous said that Clara was late,\n\n"
    "and nobody at the old mill, not Jean-Luc Roy, not Mr. Brown and not Mr. Grey, knew why she left."
)


def spot(text, form, nth=0):
    start = [match.start() for match in re.finditer(re.escape(form), text)][nth]
    return Span(start, start + len(form))


def make_question(text=TEXT, id="q-1", pronoun="she", a="Mrs. Aldous", b="Clara Whitfield", answer=None, people=()):
    names = spot(text, a), spot(text, b)
    return ask(id, id, text, spot(text, pronoun), names, list(people), answer)


PEOPLE = [
    Named("A", [spot(TEXT, "Mrs. Aldous"), spot(TEXT, "Mrs. Aldous", 1)]),
    Named("B", [spot(TEXT, "Clara Whitfield"), spot(TEXT, "Clara", 1)]),
    Named("other", [spot(TEXT, "Jean-Luc Roy")]),
]
QUESTION = make_question(people=PEOPLE)

# Where a stretch of a text stands in the window: the middles of its first and last characters, by UTF-16 units.
PLACES = """
const [box, start, end] = arguments;
const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
const range = document.createRange();
const middle = (units) => {
  walker.currentNode = box;
  let node = walker.nextNode();
  while (units >= node.length) { units -= node.length; node = walker.nextNode(); }
  range.setStart(node, units);
  range.setEnd(node, units + 1);
  const area = range.getBoundingClientRect();
  return [area.left + area.width / 2, area.top + area.height / 2, area.width];
};
box.scrollIntoView({ block: "center" });
return [middle(start), middle(end - 1)];
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1000,900"):
        options.add_argument(argument)
    profile = tmp_path_factory.mktemp("profile")
    options.add_argument(f"--user-data-dir={profile}")
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    try:
        yield driver
    finally:
        driver.quit()


class Page:
    """A page of questions, by what an annotator does."""

    def __init__(self, driver, folder):
        self.driver = driver
        self.folder = folder
        self.questions = {}

    def open(self, *questions, mode="highlight", search=""):
        self.questions = {it.instance_id: it for it in questions}
        path = self.folder / "page.html"
        path.write_text(filled_page("b-1", questions, mode), "utf-8")
        self.driver.get(path.as_uri() + search)
        return self

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def card(self, number=1):
        return self.driver.find_elements(By.CSS_SELECTOR, "#questions > section")[number - 1]

    def button(self, name, number=1):
        [button] = [it for it in self.card(number).find_elements(By.TAG_NAME, "button") if it.text == name]
        return button

    def text(self, number=1):
        return self.card(number).find_element(By.CLASS_NAME, "text").get_property("textContent")

    def drag(self, form, nth=0, number=1):
        """Select from within the first to within the last character, so that nothing beside them is touched."""
        text = self.text(number)
        span = spot(text, form, nth)
        before, until = (len(text[:at].encode("utf-16-le")) // 2 for at in (span.start, span.end))
        box = self.card(number).find_element(By.CLASS_NAME, "text")
        (left, top, width), (right, bottom, last) = self.driver.execute_script(PLACES, box, before, until)
        actions = ActionBuilder(self.driver, duration=0)
        actions.pointer_action.move_to_location(round(left - width / 3), round(top)).pointer_down()
        actions.pointer_action.move_to_location(round(right + last / 3), round(bottom)).pointer_up()
        actions.perform()

    def click(self, element):
        """Click what may have been hidden below the bar at the bottom."""
        self.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", element)
        element.click()

    def highlight(self, form, nth=0, number=1):
        self.drag(form, nth, number)
        self.click(self.button("Highlight", number))

    def tick(self, number=1):
        self.click(self.card(number).find_element(By.CSS_SELECTOR, "input[type=checkbox]"))

    def choose(self, label, number=1):
        self.click(self.card(number).find_element(By.CSS_SELECTOR, f"input[value='{label}']"))

    def remark(self, text, number=1):
        self.card(number).find_element(By.TAG_NAME, "textarea").send_keys(text)

    def chosen(self, number=1):
        return [it.text for it in self.card(number).find_elements(By.CSS_SELECTOR, "mark.chosen")]

    def problem(self, number=1):
        return self.card(number).find_element(By.CLASS_NAME, "problem").text

    def wait(self, condition):
        return WebDriverWait(self.driver, SECONDS, 0.05).until(lambda _: condition())

    def submit(self):
        """Press the button and wait until the checks are done."""
        self.driver.execute_script("arguments[0].textContent = '';", self.find("#who-problem"))
        self.find("#send").click()
        self.wait(lambda: self.find("#send").is_enabled())

    def refusals(self):
        return self.find("#refusals").get_attribute("value")

    def save(self, annotator="Eve"):
        """Submit, and the answers of the file that was saved, as the import makes them."""
        self.find("#annotator").send_keys(annotator)
        self.submit()
        [path] = self.wait(lambda: list(self.folder.glob("answers-*.jsonl")))
        return path, [json.loads(line) for line in path.read_text("ascii").splitlines()]

    def judged(self, entry):
        marked = tuple(Highlight(it["start"], it["end"], it["text"]) for it in entry["highlights"])
        names = {field.name for field in dataclasses.fields(Answer)} & entry.keys() - {"highlights"}
        return judge(Answer(place="", highlights=marked, **{it: entry[it] for it in names}), self.questions)


@pytest.fixture
def page(browser, tmp_path):
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    yield Page(browser, tmp_path)
    assert [it for it in browser.get_log("browser") if it["level"] == "SEVERE"] == []


NOT_ANSWERED = "Not answered yet. Highlight a name, or tick the box if no name in the text is the right one."
NOT_CHOSEN = "Not answered yet. Choose one of the five answers."
READ_AGAIN = "This answer does not fit the text. Please read the text again and correct your answer."
NOTHING = "Select a name in this text first, then press Highlight."
BOTH_WAYS = "A name is highlighted, and the box says that no name is right. Clear the highlight or untick the box."


def test_a_highlighted_name_is_saved(page):
    page.open(QUESTION)
    page.highlight("Clara", nth=1)
    assert page.chosen() == ["Clara"]
    page.remark(" she is\nher own aunt ")
    path, [entry] = page.save(" Eve ../Ä ")
    assert re.fullmatch(r"answers-b-1-[0-9a-f]{8}\.jsonl", path.name)  # and not the annotator's name
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry.pop("submitted_at"))
    assert entry == {
        "instance_id": "q-1",
        "content_hash": QUESTION.content_hash,
        "label": "",
        "no_name": False,
        "highlights": [{"start": 80, "end": 85, "text": "Clara"}],
        "contradiction": "she is\nher own aunt",
        "annotator": "Eve ../Ä",
    }
    judged = page.judged(entry)
    assert (judged.label, judged.highlights, judged.contradiction) == ("B", [Span(80, 85)], "she is her own aunt")
    assert page.find("#notice").text == (
        f"Thank you. Your answers were saved as {path.name} among your downloads. Please send that file back."
    )
    assert page.refusals() == "0"


def test_a_double_click_takes_a_word(page):
    page.open(make_question("Ann met Ida. She left.", pronoun="She", a="Ann", b="Ida"))
    text = page.find("#q1-text")
    page.driver.execute_script("arguments[0].style.display = 'inline-block'", text)
    ActionChains(page.driver).move_to_element_with_offset(
        text, -text.size["width"] // 2 + 15, 0
    ).double_click().perform()
    page.click(page.button("Highlight"))
    assert page.chosen() == ["Ann"]


@pytest.mark.parametrize(
    ("dragged", "expected"),
    [
        ("Mrs. Aldous", "Mrs. Aldous"),
        ("rs. Ald", "Mrs. Aldous"),
        (" Aldous ", "Aldous"),
        ("lara Whitfield's", "Clara Whitfield"),
        ("Clara Whitfield's ", "Clara Whitfield"),
        ("rien", "O'Brien"),
        ("n-L", "Jean-Luc"),
        (", not Jean-Luc Roy,", "not Jean-Luc Roy"),
        ("Clara was late,\n\nand", "Clara was late,\n\nand"),
    ],
)
def test_selections_become_whole_words(page, dragged, expected):
    page.open(QUESTION)
    page.highlight(dragged)
    assert page.chosen() == [expected]
    assert page.find(".picked").text == f"Highlighted: {expected}".replace("\n\n", " ")
    page.click(page.button("Clear"))
    assert (page.chosen(), page.find(".picked").text) == ([], "Nothing highlighted yet")
    assert page.text() == TEXT


@pytest.mark.parametrize(
    ("dragged", "expected"),
    [
        (["Aldous", "Mrs. Aldous"], ["Mrs. Aldous"]),
        (["Mrs. Aldous", "Aldous"], ["Mrs. Aldous"]),
        (["Jean-Luc", "Roy", "Jean-Luc Roy"], ["Jean-Luc Roy"]),
        (["Roy", "Jean-Luc"], ["Jean-Luc", "Roy"]),
    ],
)
def test_highlights_that_overlap_become_one(page, dragged, expected):
    page.open(QUESTION)
    for form in dragged:
        page.highlight(form)
    assert page.chosen() == expected


NO_NAME = "is not the name of a person. Clear it and highlight a name, or tick the box if there is none."


TWO = "Clear them and highlight one person only."


@pytest.mark.parametrize(
    ("dragged", "expected"),
    [
        ([], NOT_ANSWERED),
        (["she"], "“she” is the pronoun itself. Clear it and highlight the name of the person it stands for."),
        (["she left"], "“she” is the pronoun itself. Clear it and highlight the name of the person it stands for."),
        (
            ["the old mill"],
            f"“the old mill” {NO_NAME}",
        ),
        (
            ["Then"],
            f"“Then” {NO_NAME}",
        ),
        (
            ["Then Mrs. Aldous said that Clara was"],
            "“Then Mrs. Aldous said that Clara was” is more than a name. Clear it and highlight the name alone.",
        ),
        (
            ["Mrs. Aldous", "Clara"],
            f"More than one person is highlighted: “Mrs. Aldous” and “Clara”. {TWO}",
        ),
        (["Aldous said that Clara"], f"More than one person is highlighted: “Aldous said that Clara”. {TWO}"),
        (["Clara", "Jean-Luc"], f"More than one person is highlighted: “Clara” and “Jean-Luc”. {TWO}"),
        (["Mr. Brown", "Clara"], f"More than one person is highlighted: “Clara” and “Mr. Brown”. {TWO}"),
        (["Mr. Brown", "Mr. Grey"], f"More than one person is highlighted: “Mr. Brown” and “Mr. Grey”. {TWO}"),
        (["Mrs. Aldous", ("Aldous", 1)], ""),
        (["Whitfield", ("Clara", 1)], ""),  # known to be one person
        (["Brown", "Mr. Brown"], ""),
    ],
)
def test_checks_of_highlights(page, dragged, expected):
    page.open(QUESTION)
    for it in dragged:
        page.highlight(*(it if isinstance(it, tuple) else (it,)))
    page.submit()
    assert page.problem() == expected
    assert page.refusals() == str(int(expected != ""))
    focused = page.driver.switch_to.active_element
    assert focused == (page.card() if expected else page.find("#annotator"))


def test_a_faulty_highlight_is_told_at_once(page):
    page.open(QUESTION)
    page.highlight("the old mill")
    assert page.problem().startswith("“the old mill” is not the name of a person.")
    page.click(page.button("Clear"))
    assert page.problem() == ""
    page.click(page.button("Highlight"))
    assert page.problem() == NOTHING


def test_the_box_for_no_name(page):
    page.open(QUESTION)
    page.highlight("Clara")
    page.tick()
    page.submit()
    assert page.problem() == BOTH_WAYS
    page.click(page.button("Clear"))
    assert page.problem() == ""
    _, [entry] = page.save()
    assert (entry["no_name"], entry["highlights"], page.judged(entry).label) == (True, [], "neither")
    assert page.refusals() == "1"


@pytest.mark.parametrize(("dragged", "pressed"), [(1, 2), (2, 1)])
def test_a_selection_in_another_text_does_not_count(page, dragged, pressed):
    page.open(QUESTION, dataclasses.replace(QUESTION, instance_id="q-2"))
    page.drag("Clara", number=dragged)
    page.click(page.button("Highlight", pressed))
    assert (page.problem(pressed), page.chosen(1), page.chosen(2)) == (NOTHING, [], [])


def test_the_first_question_that_is_wrong_gets_the_focus(page):
    page.open(*(dataclasses.replace(QUESTION, instance_id=f"q-{n}") for n in range(3)))
    page.highlight("Clara")
    assert page.find("#progress").text == "1 of 3 answered"
    page.submit()
    assert [page.problem(n) for n in (1, 2, 3)] == ["", NOT_ANSWERED, NOT_ANSWERED]
    assert page.find("#summary").text == "2 questions need another look."
    assert page.driver.switch_to.active_element == page.card(2)
    page.tick(2)
    page.submit()
    assert page.find("#summary").text == "1 question needs another look."
    assert page.driver.switch_to.active_element == page.card(3)
    assert page.refusals() == "2"
    assert list(page.folder.glob("answers-*")) == []


@pytest.mark.parametrize("before", ["🙂 ", "👩‍👩‍👧 𝒜 e\u0301 ", "\u2028🙂\n"])
def test_offsets_are_in_code_points(page, before):
    text = f"{before}Ann met Ida 🙂. She left, and Ida 🙂 cried."
    page.open(make_question(text, pronoun="She", a="Ann", b="Ida"))
    page.highlight("Ida")
    page.highlight("Ida", nth=1)
    _, [entry] = page.save()
    spans = [spot(text, "Ida"), spot(text, "Ida", 1)]
    assert [(it["start"], it["end"]) for it in entry["highlights"]] == [(it.start, it.end) for it in spans]
    judged = page.judged(entry)
    assert (judged.label, judged.highlights) == ("B", spans)


HOSTILE = (
    "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'> ${x} </textarea> "
    "\"q\" &quot; 'a'\u2028\u2029 🙂\n\nAnn met Ida. She left."
)


@pytest.mark.parametrize("mode", ["highlight", "labels"])
def test_hostile_text_is_shown_and_does_not_run(page, mode):
    page.open(make_question(HOSTILE, "<b id='hurt'>", "She", "Ann", "Ida"), mode=mode)
    assert page.text() == HOSTILE
    assert "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'>" in page.find("#q1-text").text
    assert page.driver.execute_script("return [window.hurt, document.images.length]") == [None, 0]
    page.highlight("Ann") if mode == "highlight" else page.choose("A")
    page.remark("</textarea><script>window.hurt = 3</script>")
    _, [entry] = page.save()
    assert page.judged(entry).label == "A"
    assert entry["contradiction"] == "</textarea><script>window.hurt = 3</script>"
    assert page.driver.execute_script("return window.hurt") is None


NAME = "<img src=x onerror='window.hurt=4'>"
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')


@pytest.mark.parametrize("mode", ["highlight", "labels"])
def test_escaping_alone_keeps_names_from_running(page, tmp_path, mode):
    text = f"{NAME} met Ida. She left."
    names = [Named("A", [spot(text, NAME)]), Named("B", [spot(text, "Ida")])]
    question = make_question(text, NAME, "She", NAME, "Ida", people=names)
    path = tmp_path / "open.html"
    whole = filled_page("b-1", [question], mode)
    path.write_text(POLICY.sub("", whole), "utf-8")
    assert path.read_text("utf-8") != whole
    page.driver.get(path.as_uri())
    assert page.text() == text
    if mode == "highlight":  # which repeats the name below the text, and in what it complains of
        page.highlight("img src")
        page.submit()
        assert "img src" in page.problem() and "img src" in page.find(".picked").text
    assert page.driver.execute_script("return [window.hurt, document.images.length]") == [None, 0]


@pytest.mark.parametrize("policy", [True, False])
def test_the_policy_alone_keeps_markup_from_running(browser, tmp_path, policy):
    path = tmp_path / "holed.html"
    whole = filled_page("b-1", [QUESTION], "labels").replace('<div id="task">', f'<div id="task">{NAME}')
    hole = whole.replace("<h1>", "<script>window.ran = 1</script><h1>", 1)
    path.write_text(hole if policy else POLICY.sub("", hole), "utf-8")
    browser.get(path.as_uri())
    found = browser.execute_script("return [document.images.length, document.querySelectorAll('#q1-text').length]")
    assert found == [1, 1]  # the page itself works with the hole in it
    assert browser.execute_script("return window.ran") == (None if policy else 1)
    browser.get_log("browser")  # of what was refused, which the next test is not to find


def test_paragraphs_stay_apart(page):
    page.open(QUESTION)
    assert page.find("#q1-text").text == TEXT


KNOWN = {
    answer: make_question("Ann met Ida. She left.", f"k-{answer}", "She", "Ann", "Ida", answer)
    for answer in ("A", "B", "neither", "both")
}


@pytest.mark.parametrize(
    ("answer", "given", "right"),
    [
        ("A", "Ann", True),
        ("A", "Ida", False),
        ("A", None, False),
        ("B", "Ida", True),
        ("neither", None, True),
        ("neither", "Ann", False),
        ("both", "Ann", True),
        ("both", "Ida", True),
        ("both", None, False),
    ],
)
def test_known_answers_by_highlights(page, answer, given, right):
    page.open(KNOWN[answer])
    page.highlight(given) if given else page.tick()
    page.submit()
    assert page.problem() == ("" if right else READ_AGAIN)


@pytest.mark.parametrize("answer", KNOWN)
def test_known_answers_by_labels(page, answer):
    page.open(KNOWN[answer], mode="labels")
    found = {}
    for label in ("A", "B", "neither", "both", "not sure"):
        page.choose(label)
        page.submit()
        found[label] = page.problem()
    assert found == {label: "" if label == answer else READ_AGAIN for label in found}
    assert page.refusals() == "4"


def test_without_cryptography_known_answers_are_not_checked(page):
    page.open(KNOWN["A"], mode="labels")
    page.driver.execute_script("Object.defineProperty(window.crypto, 'subtle', { value: undefined })")
    page.choose("B")
    _, [entry] = page.save()
    assert (entry["label"], page.refusals()) == ("B", "0")


@pytest.mark.parametrize("label", ["A", "B", "neither", "both", "not sure"])
def test_labels(page, label):
    page.open(QUESTION, mode="labels")
    assert [it.text for it in page.card().find_elements(By.CSS_SELECTOR, "label.choice")] == [
        "Name A: Mrs. Aldous",
        "Name B: Clara Whitfield",
        "Neither",
        "Both",
        "Not sure",
    ]
    marks = page.card().find_elements(By.TAG_NAME, "mark")
    assert [(it.text, it.get_attribute("class"), it.get_attribute("data-label")) for it in marks] == [
        ("Mrs. Aldous", "name-a", "A"),
        ("Clara Whitfield", "name-b", "B"),
        ("she", "pronoun", None),
    ]
    page.submit()
    assert (page.problem(), page.refusals()) == (NOT_CHOSEN, "1")
    page.choose(label)
    assert page.problem() == ""
    _, [entry] = page.save()
    assert (entry["label"], entry["no_name"], entry["highlights"]) == (label, False, [])
    assert page.judged(entry).label == label


def test_in_highlight_mode_only_the_pronoun_is_marked(page):
    page.open(QUESTION)
    [mark] = page.card().find_elements(By.TAG_NAME, "mark")
    assert (mark.text, mark.get_attribute("class")) == ("she", "pronoun")
    assert mark.value_of_css_property("background-color") == "rgba(255, 228, 92, 1)"


def test_the_keyboard_is_enough(page):
    page.open(QUESTION)
    page.driver.execute_script("arguments[0].focus()", page.find("#q1-text"))
    keys = ActionChains(page.driver)
    keys.send_keys(Keys.ARROW_RIGHT).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT)
    keys.send_keys(Keys.ENTER).perform()
    assert page.chosen() == ["Mrs. Aldous"]
    ActionChains(page.driver).send_keys(Keys.TAB * 4 + "a remark" + Keys.TAB + "Eve" + Keys.ENTER).perform()
    assert list(page.folder.glob("answers-*")) == []
    ActionChains(page.driver).send_keys(Keys.TAB + Keys.ENTER).perform()
    [path] = page.wait(lambda: list(page.folder.glob("answers-*.jsonl")))
    entry = json.loads(path.read_text("ascii"))
    assert (entry["annotator"], entry["contradiction"], page.judged(entry).label) == ("Eve", "a remark", "A")


def test_a_name_is_asked_for_where_nobody_is_logged_in(page):
    page.open(QUESTION, mode="labels")
    page.choose("A")
    page.submit()
    assert page.find("#who-problem").text == "Please write your name or initials first."
    assert page.driver.switch_to.active_element == page.find("#annotator")
    assert (page.refusals(), list(page.folder.glob("answers-*"))) == ("0", [])


PREVIEW = "This is a preview. Accept the task to answer and submit it."
ELSEWHERE = (
    "The address of this page would send your answers somewhere other than Mechanical Turk, "
    "so they cannot be submitted."
)
# In place of the network: what the form would send, and where to.
CAPTURE = """
HTMLFormElement.prototype.submit = function () {
  window.sent = [this.method, this.action, Object.fromEntries(new FormData(this))];
};
"""


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H1", PREVIEW),
        ("?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&turkSubmitTo=https%3A%2F%2Fwww.mturk.com", PREVIEW),
        ("?assignmentId=A1", ELSEWHERE),
        *(
            (f"?assignmentId=A1&turkSubmitTo={address}", ELSEWHERE)
            for address in [
                "https://example.org",
                "https://mturk.com.example.org",
                "https://evilmturk.com",
                "https://www.mturk.com@example.org",
                "https://example.org/www.mturk.com",
                "http://www.mturk.com",
                "javascript:alert(1)//mturk.com",
                "//www.mturk.com",
                "",
            ]
        ),
        (
            "?turkSubmitTo=https://www.mturk.com",
            "The address of this page names no assignment. Open the task from Mechanical Turk again.",
        ),
    ],
)
def test_pages_that_cannot_be_submitted(page, search, expected):
    page.open(QUESTION, mode="labels", search=search)
    page.driver.execute_script(CAPTURE)
    assert page.find("#notice").text == expected
    assert not page.find("#who").is_displayed()
    page.choose("A")
    page.find("#send").click()
    # Nor by a button that the site puts around the page.
    page.driver.execute_script("document.forms[0].requestSubmit()")
    assert not page.find("#send").is_enabled()
    assert page.driver.execute_script("return window.sent") is None
    assert page.find("#answers").get_attribute("value") == ""
    assert list(page.folder.glob("answers-*")) == []


@pytest.mark.parametrize(
    "address", ["https://www.mturk.com", "https://workersandbox.mturk.com", "https://mturk.com/x?y"]
)
def test_answers_go_to_mechanical_turk(page, address):
    text = "🙂 Ann met Ida. She left."
    page.open(
        make_question(text, "q-é", "She", "Ann", "Ida"), search=f"?assignmentId=A1&workerId=W&turkSubmitTo={address}"
    )
    page.driver.execute_script(CAPTURE)
    page.find("#send").click()
    page.wait(lambda: page.problem() == NOT_ANSWERED)
    page.highlight("Ida")
    page.remark("é 🙂")
    page.find("#send").click()
    method, action, fields = page.wait(lambda: page.driver.execute_script("return window.sent"))
    assert (method, action) == ("post", re.match(r"https://[^/]+", address)[0] + "/mturk/externalSubmit")
    answers = fields.pop("answers")
    assert fields == {"batch": "b-1", "refusals": "1", "assignmentId": "A1"}
    assert answers.isascii()
    [entry] = json.loads(answers)
    assert entry["contradiction"] == "é 🙂"
    assert entry["highlights"] == [{"start": 10, "end": 13, "text": "Ida"}]
    assert page.judged(entry | {"annotator": "W"}).label == "B"
    assert not page.find("#send").is_enabled()


def test_labels_go_to_mechanical_turk(page):
    page.open(QUESTION, mode="labels", search="?assignmentId=A1&turkSubmitTo=https://www.mturk.com")
    page.driver.execute_script(CAPTURE)
    page.choose("not sure")
    page.find("#send").click()
    _, _, fields = page.wait(lambda: page.driver.execute_script("return window.sent"))
    assert sorted(fields) == ["answers", "assignmentId", "batch", "refusals"]
    assert [it["label"] for it in json.loads(fields["answers"])] == ["not sure"]


def test_the_page_within_a_form_of_the_site(page):
    page.open(QUESTION)
    path = page.folder / "page.html"
    before, after = (
        '<body><form method="post"><input type="hidden" name="assignmentId">',
        "<button id=theirs>Submit</button></form>",
    )
    whole = path.read_text("utf-8").replace("<body>", before).replace("<script>\n", after + "<script>\n")
    path.write_text(whole, "utf-8")
    page.driver.get(path.as_uri() + "?assignmentId=A1&turkSubmitTo=https://www.mturk.com")
    page.driver.execute_script(CAPTURE)
    theirs = page.find("#theirs")
    page.driver.execute_script("arguments[0].click()", theirs)
    page.wait(lambda: page.problem() == NOT_ANSWERED)
    page.highlight("Clara")
    page.driver.execute_script("arguments[0].click()", theirs)
    _, _, fields = page.wait(lambda: page.driver.execute_script("return window.sent"))
    assert sorted(fields) == ["answers", "assignmentId", "batch", "refusals"]
    assert fields["assignmentId"] == "A1"


def test_a_template_that_nobody_filled_says_so(page):
    path = page.folder / "page.html"
    page.open(QUESTION)
    path.write_text(re.sub('data-questions="[^"]*"', 'data-questions="$" ', path.read_text("utf-8")), "utf-8")
    page.driver.get(path.as_uri())
    assert page.find("#notice").text == (
        "The questions of this page cannot be read. Please tell whoever gave it to you."
    )
    assert not page.find("#send").is_enabled()


@pytest.mark.parametrize("mode", ["highlight", "labels"])
def test_nothing_is_fetched(page, mode):
    page.open(QUESTION, mode=mode)
    page.highlight("Clara") if mode == "highlight" else page.choose("A")
    page.save()
    entries = page.driver.execute_script("return performance.getEntries().map((it) => [it.entryType, it.name])")
    names = {name for kind, name in entries if kind in ("navigation", "resource")}
    assert names == {(page.folder / "page.html").as_uri()}


@pytest.mark.parametrize("mode", ["highlight", "labels"])
@pytest.mark.parametrize("width", [320, 390, 1200])
def test_the_page_fits_the_window(page, mode, width):
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 1000}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.open(make_question("x" * 300 + " Ann met Ida. She left.", pronoun="She", a="Ann", b="Ida"), mode=mode)
        assert page.driver.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("mode", ["highlight", "labels"])
def test_instructions_fit_the_mode(page, mode):
    page.open(QUESTION, mode=mode)
    details = page.find("details")
    assert details.get_attribute("open") == "true"
    assert ("Highlight Priya." in details.text) == (mode == "highlight")
    assert ("Choose Name A." in details.text) == (mode == "labels")
    page.find("summary").click()
    assert details.text == "Instructions and examples"


@pytest.mark.parametrize("mode", ["highlight", "labels"])
def test_every_control_has_a_name(page, mode):
    page.open(QUESTION, mode=mode)
    controls = page.driver.find_elements(
        By.CSS_SELECTOR, "button, input:not([type=hidden]), textarea, section, [tabindex='0']"
    )
    assert [it.get_attribute("id") for it in controls if not it.accessible_name.strip()] == []
