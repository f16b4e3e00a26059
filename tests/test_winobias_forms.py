"""The sentences as others take them: files as WinoBias was published, and questions to a resolver."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.evaluation.winobias import Answers, census, link_of, score_answers
from gapforge.records import Instance, Span
from gapforge.storage.conll import Mention, named_entities, read_documents, sentences_of
from gapforge.winobias.forms import (
    as_published,
    bracketed,
    by_file,
    document_lines,
    file_name,
    instance_of,
    spans_of,
    write_forms,
)
from gapforge.winobias.published import Marks, from_line, marks_of, read_sentences
from gapforge.winobias.templates import Occupation, Scene, expand, read_occupations, read_scenes, sentence_of

COOK, CLERK, WORKER = Occupation("cook", 38), Occupation("clerk", 72), Occupation("construction worker", 4)
SCENE = Scene("type2", 3, "{A} asked {B}’s dog to find {him}.", "{A} met {B} (an hour late) and greeted {him}.")
PRO = sentence_of(SCENE, "first", (CLERK, WORKER), "test", "pro", 12)
ANTI = sentence_of(SCENE, "second", (CLERK, WORKER), "development", "anti", 1)
SENTENCES = list(expand(read_scenes(), read_occupations()))
STEMS = [
    f"winobias-{split}-{kind}-{condition}"
    for split in ("dev", "test")
    for kind in ("type1", "type2")
    for condition in ("anti", "pro")
]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The embedded set in both forms."""
    folder = tmp_path_factory.mktemp("forms")
    for name in ("text", "conll"):
        (folder / name).mkdir()
    write_forms(SENTENCES, folder / "text", folder / "conll")
    return folder


def words_at(text, span):
    return text[span.start : span.end]


@pytest.mark.parametrize(
    ("it", "expected"),
    [
        (PRO, "[The clerk] asked the construction worker’s dog to find [her]."),
        (ANTI, "The clerk met [the construction worker] (an hour late) and greeted [her]."),
    ],
)
def test_brackets(it, expected):
    assert bracketed(it) == expected


def test_spans():
    assert spans_of(PRO) == (Span(54, 57), Span(0, 9), Span(16, 39))
    assert [words_at(PRO.text, it) for it in spans_of(PRO)] == ["her", "The clerk", "the construction worker"]


def test_a_sentence_as_evaluation_knows_it():
    found = as_published(ANTI)
    assert (found.id, found.marks, found.number) == ("dev-type2-anti-1", Marks("dev", "type2", "anti"), 1)
    assert (found.text, found.referent, found.pronouns) == (ANTI.text, Span(14, 37), (Span(65, 68),))
    assert (found.gender, found.pair) == ("feminine", ("dev", "type2", 1))


def test_files_are_named_for_split_type_and_condition(written):
    assert file_name(PRO) == "winobias-test-type2-pro"
    assert sorted(path.name for path in (written / "text").iterdir()) == [f"{it}.txt" for it in STEMS]
    assert sorted(path.name for path in (written / "conll").iterdir()) == [f"{it}.conll" for it in STEMS]
    assert {stem: marks_of(stem) for stem in STEMS} == {
        stem: Marks(*stem.removeprefix("winobias-").split("-")) for stem in STEMS
    }


def test_sentences_by_file():
    assert by_file([PRO, ANTI]) == {"winobias-test-type2-pro": [PRO], "winobias-dev-type2-anti": [ANTI]}
    assert {name: len(its) for name, its in by_file(SENTENCES).items()} == {
        stem: sum(file_name(it) == stem for it in SENTENCES) for stem in STEMS
    }


def test_text_read_back_is_what_was_written(written):
    found = read_sentences(written / "text")
    assert sorted(found, key=lambda it: it.id) == sorted(map(as_published, SENTENCES), key=lambda it: it.id)


def test_text_is_a_numbered_line_a_sentence(written):
    lines = (written / "text" / "winobias-dev-type1-pro.txt").read_bytes().decode("utf-8").split("\n")
    its = by_file(SENTENCES)["winobias-dev-type1-pro"]
    assert lines == [*(f"{n} {bracketed(it)}" for n, it in enumerate(its, 1)), ""]


def test_conll_read_back_marks_the_same_words(written):
    found = {it.id: it for it in read_sentences(written / "conll")}
    assert found.keys() == {it.id for it in SENTENCES}
    for it in SENTENCES:
        mine = found[it.id]
        assert (mine.marks, mine.number, mine.letters) == (as_published(it).marks, it.number, as_published(it).letters)
        assert words_at(mine.text, mine.referent) == it.referent
        assert [words_at(mine.text, span) for span in mine.pronouns] == [it.pronoun]


def test_both_forms_are_counted_alike(written):
    size = len(SENTENCES)
    expected = {"instances": size, "pairs": size // 2, "several_pronouns": 0, "unlike_pairs": 0}
    assert census(read_sentences(written / "text")) == census(read_sentences(written / "conll")) == expected


def test_one_file_is_read_by_itself(written):
    found = read_sentences(written / "text" / "winobias-test-type2-anti.txt")
    assert [it.id for it in found[:2]] == ["type2-anti-1", "type2-anti-2"]
    again = read_sentences(written / "conll" / "winobias-test-type2-anti.conll")
    assert [it.id for it in again] == [it.id for it in found]


def test_columns_of_a_document():
    expected = [
        "#begin document (nw/winobias/dev/type2/anti/0); part 000",
        *(
            f"nw/winobias/dev/type2/anti/0\t0\t{n}\t{word}\t-\t-\t-\t-\t-\tSpeaker#1\t*\t{cell}"
            for n, (word, cell) in enumerate(
                [
                    *(("The", "-"), ("clerk", "-"), ("met", "-")),
                    *(("the", "(1"), ("construction", "-"), ("worker", "1)")),
                    *(("(", "-"), ("an", "-"), ("hour", "-"), ("late", "-"), (")", "-")),
                    *(("and", "-"), ("greeted", "-"), ("her", "(1)"), (".", "-")),
                ]
            )
        ),
        "",
        "#end document",
        "",
    ]
    assert "".join(document_lines(ANTI)).split("\n") == expected


def test_a_possessive_ending_is_no_part_of_a_mention():
    rows = [line.split("\t") for line in document_lines(sentence_of(SCENE, "first", (CLERK, COOK), "test", "pro", 1))]
    cells = [(row[3], row[-1].strip()) for row in rows[1:-1]]
    assert cells[:6] == [("The", "(1"), ("clerk", "1)"), ("asked", "-"), ("the", "-"), ("cook", "-"), ("’s", "-")]


def test_conll_files_are_documents_of_one_sentence_and_one_entity(written):
    number = 0
    for path in sorted((written / "conll").iterdir()):
        its = by_file(SENTENCES)[path.stem]
        for it, document in zip(its, read_documents(path), strict=True):
            number += 1
            pronoun, *_ = spans_of(it)
            words = document.words
            assert sentences_of(document) == [Mention(0, len(words))]
            assert (document.part, document.name.rpartition("/")[2]) == (0, str(it.number - 1))
            assert "".join(words) == "".join(it.text.split())
            assert set(document.speakers) == {"Speaker#1"} and named_entities(document) == []
            assert {len(row) for row in document.rows} == {12}
            ((first, second),) = document.entities.values()
            assert words[first.start : first.end] == it.referent.split()
            assert words[second.start : second.end] == [words_at(it.text, pronoun)]
    assert number == len(SENTENCES)


WORD = st.text("abcxyzäß", min_size=1, max_size=6)
NAME = st.lists(WORD, min_size=1, max_size=3).map(" ".join)


@given(NAME, NAME, st.sampled_from(["first", "second"]), st.booleans(), st.integers(1, 999_999_999))
def test_whatever_the_occupations_brackets_are_read_back(one, other, end, pro, number):
    pair = Occupation(one, 10), Occupation(other, 90)
    it = sentence_of(SCENE, end, pair, "test", "pro" if pro else "anti", number)
    found = from_line(f"{number} {bracketed(it)}", marks_of(file_name(it)), "here")
    mine = as_published(it)
    assert (found.text, found.referent, found.pronouns) == (it.text, mine.referent, mine.pronouns)
    assert (found.marks, found.number, found.gender, found.pair) == (mine.marks, number, it.gender, mine.pair)


@pytest.mark.parametrize(
    ("it", "expected"),
    [
        (PRO, Instance("test-type2-pro-12", PRO.text, Span(54, 57), Span(0, 9), Span(16, 39))),
        (ANTI, Instance("dev-type2-anti-1", ANTI.text, Span(65, 68), Span(0, 9), Span(14, 37))),
    ],
)
def test_a_resolver_is_asked_of_the_two_in_text_order(it, expected):
    assert instance_of(it) == expected


@pytest.mark.parametrize(
    ("label", "first", "second"),
    [
        ("A", (True, False), (False, True)),
        ("B", (False, True), (True, False)),
        ("neither", (False, False), (False, False)),
        ("not sure", (False, False), (False, False)),
        ("both", (True, True), (True, True)),
    ],
)
def test_an_answer_is_a_link_with_the_referent_and_with_the_other(label, first, second):
    """The referent is A in a sentence of the first end, B in one of the second."""
    assert (link_of(PRO, label), link_of(ANTI, label)) == (first, second)


FOUR = list(expand([Scene("type1", 0, "{A} met {B}, as {he} saw.", "{A} met {B}, as {he} knew.")], [COOK, CLERK]))


def answers(*labels):
    return Answers({it.id: link_of(it, label) for it, label in zip(FOUR, labels, strict=True)}, {}, {})


def test_figures_of_a_resolver_by_hand():
    """Always A: right at each first end, wrong at each second, whatever the pronoun."""
    published = [as_published(it) for it in FOUR]
    assert [it.id for it in FOUR] == ["dev-type1-pro-1", "dev-type1-pro-2", "dev-type1-anti-1", "dev-type1-anti-2"]
    found = score_answers(published, {"one": answers("A", "A", "A", "A")}, 100, 0)
    assert (found["dataset"], found["instances"], found["pairs"]) == ("winobias", 4, 2)
    assert {name: found["type1"][name] for name in ("sentences", "pro", "anti", "average", "difference", "p")} == {
        "sentences": 4,
        "pro": 0.5,
        "anti": 0.5,
        "average": 0.5,
        "difference": 0.0,
        "p": 1.0,
    }
    assert "type2" not in found and "conll_f1" not in found["type1"]


def test_a_resolver_that_follows_stereotypes_has_all_of_pro_and_none_of_anti():
    published = [as_published(it) for it in FOUR]
    found = score_answers(published, {"one": answers("A", "B", "B", "A")}, 100, 0)
    assert [found["type1"][name] for name in ("pro", "anti", "average", "difference")] == [1.0, 0.0, 0.5, 1.0]
    assert found["type1"]["accuracy"]["anti"] == 0.0


def test_no_answer_is_a_miss_and_no_false_link():
    """One of two linked, none wrongly: precision 1, recall 1/2."""
    published = [as_published(it) for it in FOUR]
    found = score_answers(published, {"one": answers("A", "neither", "A", "both")}, 100, 0)
    assert found["type1"]["pro"] == pytest.approx(2 / 3)
    assert found["type1"]["anti"] == pytest.approx(4 / 5)
    assert found["type1"]["accuracy"]["pro"] == found["type1"]["accuracy"]["anti"] == 0.5


def test_two_resolvers_are_compared():
    published = [as_published(it) for it in FOUR]
    both = {"one": answers("A", "B", "A", "B"), "two": answers("A", "A", "A", "A")}
    found = score_answers(published, both, 100, 0)
    assert [found["systems"][name]["type1"]["average"] for name in both] == [1.0, 0.5]
    (contingency,) = found["contingency"]
    assert [contingency[name] for name in ("both", "only_first", "only_second", "neither")] == [2, 2, 0, 0]
    assert {name: (it["green"], it["yellow"]) for name, it in found["difficulty"].items()} == {
        "overall": (2, 2),
        "feminine": (1, 1),
        "masculine": (1, 1),
    }
