"""Answers held against their questions: the judgement that each is, or why it is none."""

import dataclasses
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gapforge.annotation.answers import LABELS, Answer, Highlight, in_code_points, judge, label_of_highlights, span_of
from gapforge.annotation.questions import ask
from gapforge.records import Judgement, Named, Reject, Span

#       0   4   8   12  16  20  24  28  32  36  40
TEXT = "Tom saw Ann. Miss Ann Lee met Ida. She left."
PEOPLE = [
    Named("other", [Span(0, 3)]),
    Named("A", [Span(8, 11), Span(13, 25)]),
    Named("B", [Span(30, 33)]),
]
QUESTION = ask("q-1", "q-1", TEXT, Span(35, 38), (Span(13, 25), Span(30, 33)), PEOPLE)
KNOWN = ask("k-1", "k-1", TEXT, Span(35, 38), (Span(8, 11), Span(30, 33)), PEOPLE, "B")
QUESTIONS = {"q-1": QUESTION, "k-1": KNOWN}
JUDGEMENT = Judgement("q-1", QUESTION.content_hash, "anna", "A", [], "", "gold", False)
EMOJI = "😀 Ann met Ida. She left."  # Ann is 2 to 5 in code points, 3 to 6 in UTF-16 units
WANTED = "wanted one of A, B, neither, both, not sure"


def make_answer(**changes):
    return dataclasses.replace(Answer("f.jsonl: line 1", "q-1", QUESTION.content_hash, "anna", label="A"), **changes)


def marked(*spans):
    """An answer by highlighting alone."""
    return {"label": "", "highlights": tuple(Highlight(*span, TEXT[slice(*span)]) for span in spans)}


@pytest.mark.parametrize(
    ("changes", "id", "reason", "detail"),
    [
        ({"withdrawn": "cancelled"}, "q-1", "cancelled", ""),
        ({"withdrawn": "assignment rejected", "label": "C"}, "q-1", "assignment rejected", ""),
        ({"instance_id": ""}, "", "no instance id", ""),
        ({"instance_id": "q-2"}, "q-2", "unknown instance", "no question of this set; is it another project's?"),
        ({"content_hash": ""}, "q-1", "no content hash", ""),
        (
            {"content_hash": KNOWN.content_hash},
            *("q-1", "text differs", f"content hash {KNOWN.content_hash}, wanted {QUESTION.content_hash}"),
        ),
        ({"shown": TEXT + " "}, "q-1", "text differs", "the text was edited in the tool"),
        ({"shown": ""}, "q-1", "text differs", "the text was edited in the tool"),
        ({"annotator": ""}, "q-1", "no annotator", ""),
        ({"highlights": (Highlight(0, 3, "Ann"),)}, "q-1", "bad span", "0 to 3 is not 'Ann'"),
        ({"highlights": (Highlight(40, 45, None),)}, "q-1", "bad span", "40 to 45 is not None"),
        ({"highlights": (Highlight(-1, 3, "Tom"),)}, "q-1", "bad span", "-1 to 3 is not 'Tom'"),
        ({"highlights": (Highlight(3, 3, ""),)}, "q-1", "bad span", "3 to 3 is not ''"),
        ({"highlights": (Highlight(3, 0, "Tom"),)}, "q-1", "bad span", "3 to 0 is not 'Tom'"),
        (marked((8, 11), (35, 38)), "q-1", "bad span", "the pronoun itself is highlighted"),
        (marked((30, 36)), "q-1", "bad span", "the pronoun itself is highlighted"),
        (marked((39, 43)), "q-1", "bad span", "'left' is no name"),
        (marked((12, 13)), "q-1", "bad span", "' ' is no name"),
        (marked((25, 30)), "q-1", "bad span", "' met ' is no name"),
        ({"highlights": (Highlight(10**30, 10**30 + 1, None),)}, "q-1", "bad span", "its place is not None"),
        ({"label": "C"}, "q-1", "unknown label", f"'C', {WANTED}"),
        ({"label": "A B"}, "q-1", "unknown label", f"'A B', {WANTED}"),
        ({"label": "Ann"}, "q-1", "unknown label", f"'Ann', {WANTED}"),
        ({"label": "=1+1"}, "q-1", "unknown label", f"'=1+1', {WANTED}"),
        ({"label": "С"}, "q-1", "unknown label", f"'С', {WANTED}"),  # a Cyrillic letter
        ({"label": ""}, "q-1", "no answer", ""),
        (
            {"no_name": True},
            *("q-1", "contradictory answer", "a name, and that no name is the right one"),
        ),
        (
            {"label": "not sure", "no_name": True},
            *("q-1", "contradictory answer", "a name, and that no name is the right one"),
        ),
        (
            marked((0, 3)) | {"no_name": True},
            *("q-1", "contradictory answer", "a name, and that no name is the right one"),
        ),
        (
            marked((30, 33)) | {"label": "name a"},
            *("q-1", "contradictory answer", "'name a' is chosen, and another name highlighted"),
        ),
        (
            marked((8, 11)) | {"label": "both"},
            *("q-1", "contradictory answer", "'both' is chosen, and another name highlighted"),
        ),
    ],
)
def test_why_an_answer_is_refused(changes, id, reason, detail):
    place = f"f.jsonl: line 1: {detail}" if detail else "f.jsonl: line 1"
    assert judge(make_answer(**changes), QUESTIONS) == Reject(id, reason, place)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"withdrawn": "cancelled", "instance_id": ""}, "cancelled"),
        ({"instance_id": "", "content_hash": ""}, "no instance id"),
        ({"instance_id": "q-2", "content_hash": ""}, "unknown instance"),
        ({"content_hash": "", "shown": ""}, "no content hash"),
        ({"content_hash": "x", "annotator": ""}, "text differs"),
        ({"annotator": "", "label": "C"}, "no annotator"),
        ({"highlights": (Highlight(0, 99, None),), "label": "C"}, "bad span"),
        ({"label": "C", "no_name": True}, "unknown label"),
    ],
)
def test_the_first_of_several_reasons(changes, reason):
    assert judge(make_answer(**changes), QUESTIONS).reason == reason


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        *((label, label) for label in LABELS),
        ("a", "A"),
        ("b", "B"),
        (" A ", "A"),
        ("Name A", "A"),
        ("name  b", "B"),
        ("NAME B\n", "B"),
        ("Neither", "neither"),
        ("NEITHER", "neither"),
        ("Both", "both"),
        ("Not sure", "not sure"),
        ("not\tsure", "not sure"),
        ("Not\xa0Sure", "not sure"),
    ],
)
def test_labels_in_other_spellings(label, expected):
    assert judge(make_answer(label=label), QUESTIONS) == dataclasses.replace(JUDGEMENT, label=expected)


@pytest.mark.parametrize(
    ("changes", "label", "highlights"),
    [
        (marked((13, 25)), "A", [(13, 25)]),
        (marked((8, 11)), "A", [(8, 11)]),  # by another mention
        (marked((18, 21)), "A", [(18, 21)]),  # by a part of the name
        (marked((30, 33)), "B", [(30, 33)]),
        (marked((26, 34)), "B", [(26, 34)]),  # with words around it
        (marked((30, 33), (8, 11)), "both", [(8, 11), (30, 33)]),
        (marked((13, 33)), "both", [(13, 33)]),
        (marked((0, 3)), "neither", [(0, 3)]),  # a third person
        (marked((0, 3), (8, 11)), "A", [(0, 3), (8, 11)]),
        (marked((8, 11), (8, 11), (13, 25)), "A", [(8, 11), (13, 25)]),
        (marked((8, 11)) | {"label": "a"}, "A", [(8, 11)]),
        (marked((0, 3)) | {"label": "neither"}, "neither", [(0, 3)]),
        (marked((8, 11), (30, 33)) | {"label": "Both"}, "both", [(8, 11), (30, 33)]),
        ({"label": "", "no_name": True}, "neither", []),
        ({"label": "neither", "no_name": True}, "neither", []),
        ({"label": "not sure"}, "not sure", []),
    ],
)
def test_highlights_to_labels(changes, label, highlights):
    spans = [Span(*span) for span in highlights]
    assert judge(make_answer(**changes), QUESTIONS) == dataclasses.replace(JUDGEMENT, label=label, highlights=spans)


def test_nothing_marked_is_no_label():
    assert label_of_highlights([], False, QUESTION) == ""
    assert label_of_highlights([], True, QUESTION) == "neither"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"contradiction": "  Ann is \n a\tfather  "}, {"contradiction": "Ann is a father"}),
        ({"contradiction": " \n\t "}, {"contradiction": ""}),
        ({"contradiction": "=1+1\u2028no"}, {"contradiction": "=1+1 no"}),
        ({"standard": "silver"}, {"standard": "silver"}),
        ({"shown": TEXT}, {}),
        ({"shown": None}, {}),
        ({"time": "2026-01-01T00:00:00Z"}, {}),
        ({"annotator": " an na "}, {"annotator": " an na "}),
        (
            {"instance_id": "k-1", "content_hash": KNOWN.content_hash},
            {"instance_id": "k-1", "content_hash": KNOWN.content_hash, "known": True},
        ),
    ],
)
def test_what_a_judgement_carries(changes, expected):
    assert judge(make_answer(**changes), QUESTIONS) == dataclasses.replace(JUDGEMENT, **expected)


@pytest.mark.parametrize(
    ("text", "highlight", "expected"),
    [
        ("Ann met Ida.", (0, 3, "Ann"), (0, 3)),
        ("Ann met Ida.", (8, 11, "Ida"), (8, 11)),
        ("Ann met Ida.", (8, 12, "Ida."), (8, 12)),
        ("Ann met Ida.", (8, 13, "Ida."), None),
        ("Ann met Ida.", (90, 93, ""), None),
        ("Ann met Ida.", (8, 11, "Ann"), None),
        ("Ann met Ida.", (8, 11, "ida"), None),
        ("Ann met Ida.", (8, 11, ""), None),
        # Code points and UTF-16 units; what was marked tells which.
        (EMOJI, (2, 5, "Ann"), (2, 5)),
        (EMOJI, (3, 6, "Ann"), (2, 5)),
        (EMOJI, (10, 13, "Ida"), (10, 13)),
        (EMOJI, (11, 14, "Ida"), (10, 13)),
        (EMOJI, (4, 7, "Ann"), None),
        (EMOJI, (0, 2, "😀"), (0, 1)),
        (EMOJI, (0, 1, "😀"), (0, 1)),
        ("Ann 😀", (0, 3, "Ann"), (0, 3)),
        ("Ann 😀😀", (4, 8, "😀😀"), (4, 6)),
        ("Ann 😀😀", (4, 6, "😀😀"), (4, 6)),
        ("Ann 😀😀 Ida", (9, 12, "Ida"), (7, 10)),
        # In UTF-16 units these cut the pair; in code points they say something else.
        (EMOJI, (1, 6, "😀 Ann"), None),
        (EMOJI, (1, 3, " A"), (1, 3)),
        (EMOJI, (0, 1, "\ud83d"), None),
        # Both readings give the same words at two places: nobody knows which was meant.
        ("😀AnAn Ida", (3, 5, "An"), (3, 5)),
        ("😀aaaa Ida", (2, 4, "aa"), None),
        ("😀aaaa Ida", (1, 3, "aa"), (1, 3)),
        # Nothing is told of the words: certain where both readings are one.
        ("Ann met Ida.", (8, 11, None), (8, 11)),
        ("Ann met Ida.", (8, 13, None), None),
        ("Ann 😀 Ida", (0, 3, None), (0, 3)),
        ("Ann 😀 Ida", (6, 9, None), None),
        ("Ann 😀", (4, 6, None), None),
        ("Ann 😀", (4, 5, None), None),
        # The rest of the basic plane is one unit a character.
        ("Ōë→\u200d Ann", (5, 8, None), (5, 8)),
        ("", (0, 1, None), None),
    ],
)
def test_highlights_in_code_points(text, highlight, expected):
    assert span_of(Highlight(*highlight), text) == (expected and Span(*expected))


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        ("Ann 😀 Ida", 6, 9, (6, 9)),
        ("Ann 😀 Ida", 4, 5, (4, 5)),
        ("😀 Ann", 2, 5, (2, 5)),
        ("😀 Ann", 3, 6, None),
        ("😀 Ann", -1, 2, None),
        ("😀 Ann", 2, 2, None),
    ],
)
def test_offsets_that_are_known_to_count_code_points(text, start, end, expected):
    assert span_of(Highlight(start, end, None, in_code_points=True), text) == (expected and Span(*expected))


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 2, (0, 1)), (2, 6, (1, 5)), (0, 25, (0, 24)), (0, 26, None), (1, 2, None), (0, 1, None), (1, 6, None)],
)
def test_utf_16_units_to_code_points(start, end, expected):
    assert in_code_points(EMOJI, start, end) == (expected and Span(*expected))


def units(text):
    return len(text.encode("utf-16-le")) // 2


alphabets = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text(st.sampled_from("a😀")),  # where the two readings often meet
)


@st.composite
def spans(draw):
    text = draw(alphabets.filter(bool))
    start = draw(st.integers(0, len(text) - 1))
    return text, start, draw(st.integers(start + 1, len(text)))


@given(spans())
@example(("😀", 0, 1))
def test_a_span_comes_back_from_utf_16_units(drawn):
    text, start, end = drawn
    wanted = text[start:end]
    in_units = (units(text[:start]), units(text[:end]))
    found = span_of(Highlight(*in_units, wanted), text)
    two_places = in_units != (start, end) and in_units[1] <= len(text) and text[slice(*in_units)] == wanted
    assert found == (None if two_places else Span(start, end))
    assert in_code_points(text, *in_units) == Span(start, end)


@given(alphabets, st.integers(-3, 30), st.integers(-3, 30), st.none() | alphabets)
@example("Ann", 0, 4, "Ann")
def test_what_is_found_is_what_was_marked(text, start, end, wanted):
    found = span_of(Highlight(start, end, wanted), text)
    if found:
        assert 0 <= found.start < found.end <= len(text)
        assert wanted in (None, text[found.start : found.end])
        assert Span(start, end) in (found, Span(units(text[: found.start]), units(text[: found.end])))


def test_highlights_after_an_emoji_become_code_points():
    question = ask("q-1", "q-1", EMOJI, Span(15, 18), (Span(2, 5), Span(10, 13)), [])
    by_browser = make_answer(content_hash=question.content_hash, label="", highlights=(Highlight(11, 14, "Ida"),))
    assert judge(by_browser, {"q-1": question}) == dataclasses.replace(
        JUDGEMENT, content_hash=question.content_hash, label="B", highlights=[Span(10, 13)]
    )
    untold = dataclasses.replace(by_browser, highlights=(Highlight(11, 14, None),))
    assert judge(untold, {"q-1": question}) == Reject("q-1", "bad span", "f.jsonl: line 1: 11 to 14 is not None")


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("Lawrence Tibbet met Mr. Stannard. Then Tibbet said he left.", "Then Tibbet", "A"),
        ("Lawrence Tibbet met Stannard, and he left Mr. Stannard's house.", "Mr. Stannard's", "B"),
        ("Mr. Tibbet met Mr. Stannard, and he saw Mr. Lee.", "Mr. Lee", "neither"),  # a title is no name
        ("Ann Lee met Ida Lee, and she saw Miss Lee.", "Miss Lee", "neither"),  # whose?
        ("Ann Lee met Ida Roe, and she went to Leeds.", "Leeds", "neither"),
    ],
)
def test_another_form_of_a_name_stands_for_its_person(text, words, expected):
    """Of GAP's examples and of published rows nothing is known but the two names."""
    names = re.findall(r"(?:Mr\. )?[A-Z]\w+(?: [A-Z]\w+)?", text)[:2]
    a, b = (Span(text.index(name), text.index(name) + len(name)) for name in names)
    pronoun = re.search(r"\b(s?he|He)\b", text)
    question = ask("q", "q", text, Span(*pronoun.span()), (a, b), [])
    start = text.rindex(words)
    marks = (Highlight(start, start + len(words), words),)
    found = judge(Answer("f", "q", question.content_hash, "anna", highlights=marks), {"q": question})
    assert found.label == expected


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("No", ""),
        (" none. ", ""),
        ("N/A", ""),
        ("-", ""),
        ("Nothing!", ""),
        ("No man gives birth", "No man gives birth"),
        ("a king\n is a duchess", "a king is a duchess"),
    ],
)
def test_nothing_to_say_is_no_remark(written, kept):
    assert judge(make_answer(contradiction=written), QUESTIONS).contradiction == kept
