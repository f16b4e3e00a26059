"""WinoBias: its published files read, answers counted by hand."""

import json
import shutil

import pytest

from gapforge.errors import InputError
from gapforge.evaluation.winobias import census, read_answers, score_winobias
from gapforge.records import Span
from gapforge.winobias.published import Marks, marks_of, read_sentences

PRO = """1 [The cook] met the guard because [she] was hungry.
2 The cook met [the guard] because [he] shouted at [his] dog.
3 The guard fed [the cook] 's cat and thanked [her].
"""
ANTI = """1 [The cook] met the guard because [he] was hungry.
2 The cook met [the guard] because [she] shouted at [her] dog.
3 The guard fed the [ cook] 's cat and thanked [him].
"""
# Sentence 1 of each condition, as tokens.
FIRST = ["The", "cook", "met", "the", "guard", "because", "she", "was", "hungry", "."]
SECOND = ["The", "cook", "met", "the", "guard", "because", "he", "shouted", "at", "his", "dog", "."]
THIRD = ["The", "guard", "fed", "the", "cook", "'s", "cat", "and", "thanked", "her", "."]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pro_stereotyped_type1.txt.dev").write_text(PRO, "utf-8")
    (tmp_path / "anti_stereotyped_type1.txt.dev").write_text(ANTI, "utf-8")
    (tmp_path / "README").write_text("Nothing to score.\n", "utf-8")
    return tmp_path


@pytest.fixture
def pro(folder):
    return read_sentences(folder / "pro_stereotyped_type1.txt.dev")


@pytest.fixture
def write_response(tmp_path):
    def write(*documents, name="response.conll"):
        """Each document: its name, its words, and coreference by token."""
        path = tmp_path / name
        with path.open("w", encoding="utf-8") as file:
            for title, words, cells in documents:
                file.write(f"#begin document ({title}); part 000\n")
                file.writelines(f"{title}\t0\t{n}\t{word}\t{cells.get(n, '-')}\n" for n, word in enumerate(words))
                file.write("\n#end document\n")
        return path

    return write


def message(call, *arguments):
    with pytest.raises(InputError) as caught:
        call(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pro_stereotyped_type1.txt.dev", Marks("dev", "type1", "pro")),
        ("anti_stereotyped_type2.txt.test", Marks("test", "type2", "anti")),
        ("dev_type1_pro_stereotype.v4_auto_conll", Marks("dev", "type1", "pro")),
        ("test_type2_anti_stereotype.v4_auto_conll", Marks("test", "type2", "anti")),
        ("nw/dev_type1/stereotype//0", Marks("dev", "type1", "")),
        ("Type-2 ANTI.txt", Marks("", "type2", "anti")),
        ("protest_latest_antics_type12.txt", Marks("", "", "")),
    ],
)
def test_names(name, expected):
    assert marks_of(name) == expected


def test_text(pro):
    first, second, third = pro
    assert (first.id, second.id, third.id) == ("type1-pro-1", "type1-pro-2", "type1-pro-3")
    assert first.text == "The cook met the guard because she was hungry."
    assert (first.referent, first.pronouns) == (Span(0, 8), (Span(31, 34),))
    assert [second.text[span.start : span.end] for span in second.pronouns] == ["he", "his"]
    assert third.text[third.referent.start : third.referent.end] == "the cook"


def test_blanks_within_brackets_are_no_part_of_a_mention(folder):
    third = read_sentences(folder / "anti_stereotyped_type1.txt.dev")[2]
    assert third.text == "The guard fed the  cook 's cat and thanked him."
    assert third.text[third.referent.start : third.referent.end] == "cook"


def test_a_folder_is_counted(folder):
    sentences = read_sentences(folder)
    assert [sentence.id for sentence in sentences] == [
        *("type1-anti-1", "type1-anti-2", "type1-anti-3"),
        *("type1-pro-1", "type1-pro-2", "type1-pro-3"),
    ]
    # The third pair marks its occupation with and without the article.
    assert census(sentences) == {"instances": 6, "pairs": 3, "several_pronouns": 2, "unlike_pairs": 1}


def test_both_splits_at_once_have_longer_ids(folder):
    shutil.copy(folder / "pro_stereotyped_type1.txt.dev", folder / "pro_stereotyped_type1.txt.test")
    sentences = read_sentences(folder)
    assert [sentence.id for sentence in sentences[::3]] == [
        *("dev-type1-anti-1", "dev-type1-pro-1", "test-type1-pro-1"),
    ]
    assert census(sentences)["pairs"] == 3


def test_text_goes_before_conll(folder, write_response):
    write_response(("nw/dev_type1/stereotype//0", FIRST, {}), name="dev_type1_pro_stereotype.v4_auto_conll")
    assert len(read_sentences(folder)) == 6


def test_conll_gold_is_the_same_as_text(pro, write_response):
    path = write_response(
        ("nw/dev_type1/stereotype//0", FIRST, {0: "(1", 1: "1)", 6: "(1)"}),
        ("nw/dev_type1/stereotype//1", SECOND, {3: "(1", 4: "1)", 6: "(1)", 9: "(1)"}),
    )
    found = read_sentences(path)
    assert [(it.id, it.letters, it.pair) for it in found] == [(it.id, it.letters, it.pair) for it in pro[:2]]
    assert found[1].text[found[1].referent.start : found[1].referent.end] == "the guard"
    assert len(found[1].pronouns) == 2


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[The cook] met the guard.", "'[The cook] met the guard.'; wanted a number and a sentence with [brackets]"),
        ("1 [The cook met [she].", "brackets do not match"),
        (
            "1 The cook met [her].",
            "0 occupations and 1 pronouns marked; wanted one occupation, and a pronoun or more of its referent",
        ),
        (
            "1 [The cook] met [the guard] and [his] dog.",
            "2 occupations and 1 pronouns marked; wanted one occupation, and a pronoun or more of its referent",
        ),
        (
            "1 [The cook] met [].",
            "2 occupations and 0 pronouns marked; wanted one occupation, and a pronoun or more of its referent",
        ),
    ],
)
def test_lines_that_cannot_be_read(tmp_path, line, expected):
    path = tmp_path / "pro_type1.txt"
    path.write_text(f"\n{line}\n", "utf-8")
    assert message(read_sentences, path) == f"{path}: line 2: {expected}"


WANTED = (
    "wanted a name with type1 or type2 and pro or anti in it, such as pro_stereotyped_type1.txt.dev or "
    "dev_type1_anti_stereotype.v4_auto_conll"
)


def test_names_that_say_nothing(tmp_path, write_response):
    assert message(read_sentences, tmp_path) == f"{tmp_path}: no file of WinoBias; {WANTED}"
    path = tmp_path / "sentences.txt"
    path.write_text(PRO, "utf-8")
    assert message(read_sentences, path) == f"{path}: of which type and condition? {WANTED}"
    path = write_response(("d/0", FIRST, {0: "(1", 1: "1)", 6: "(1)"}))
    assert message(read_sentences, path) == (
        f"{path}: line 1: document 'd/0': of which type, condition and number? {WANTED}"
    )


def test_gold_with_other_entities(write_response):
    path = write_response(("nw/dev_type1/stereotype//0", FIRST, {1: "(1)", 4: "(2)"}))
    assert message(read_sentences, path) == (f"{path}: line 1: 2 entities; wanted one, the pronoun and its occupation")


def test_a_sentence_twice(tmp_path):
    path = tmp_path / "pro_type1.txt"
    path.write_text(PRO + PRO, "utf-8")
    assert message(read_sentences, path) == (
        f"{path}: sentence type1-pro-1 is there twice; keep one file of each type and condition"
    )


def test_files_of_one_split_and_of_none(folder):
    (folder / "pro_type2.txt").write_text(PRO, "utf-8")
    assert message(read_sentences, folder) == (
        f"{folder}: type2-pro-1 is of dev or of test? Wanted dev or test in the name of each file"
    )


@pytest.mark.parametrize(
    ("words", "cells", "expected"),
    [
        (FIRST, {0: "(1", 1: "1)", 6: "(1)"}, (True, False)),
        (FIRST, {1: "(1)", 6: "(1)"}, (True, False)),
        (FIRST, {3: "(1", 4: "1)", 6: "(1)"}, (False, True)),
        (FIRST, {0: "(1", 1: "1)", 3: "(1", 4: "1)", 6: "(1)"}, (True, True)),
        (FIRST, {0: "(1", 1: "1)", 3: "(1", 4: "1)"}, (False, False)),
        (FIRST, {}, (False, False)),
        # The occupation with more around it is another mention.
        (FIRST, {0: "(1", 4: "1)", 6: "(1)"}, (False, True)),
        # Both pronouns must be linked, and neither wrongly.
        (SECOND, {3: "(1", 4: "1)", 6: "(1)", 9: "(1)"}, (True, False)),
        (SECOND, {3: "(1", 4: "1)", 6: "(1)"}, (False, False)),
        (SECOND, {3: "(1", 4: "1)", 6: "(1)", 0: "(2", 1: "2)", 9: "(2)"}, (False, True)),
        # A pronoun in the entity is no other occupation.
        (SECOND, {6: "(1)", 9: "(1)"}, (False, False)),
        # The possessive belongs to the mention or not.
        (THIRD, {3: "(1", 5: "1)", 9: "(1)"}, (True, False)),
    ],
)
def test_links(pro, write_response, words, cells, expected):
    place = [FIRST, SECOND, THIRD].index(words)
    path = write_response((pro[place].id, words, cells))
    answers = read_answers([pro[place]], [path])
    assert answers.said == {pro[place].id: expected}


def test_tokens_need_not_be_those_of_the_text(pro, write_response):
    words = ["The cook".replace(" ", ""), "met", "the", "guard", "because", "she", "was", "hun", "gry."]
    path = write_response(("type1-pro-1", words, {0: "(1)", 5: "(1)"}))
    assert read_answers(pro[:1], [path]).said == {"type1-pro-1": (True, False)}


@pytest.mark.parametrize(
    "names",
    [
        ("nw/dev_type1/stereotype//2", "nw/dev_type1/stereotype//0", "nw/dev_type1/stereotype//1"),
        ("type1-pro-3", "type1-pro-1", "type1-pro-2"),
    ],
)
def test_documents_are_found_by_name(pro, write_response, names):
    cells = {3: "(1", 4: "1)", 9: "(1)"}, {}, {3: "(1", 4: "1)", 6: "(1)", 9: "(1)"}
    path = write_response(*zip(names, (THIRD, FIRST, SECOND), cells, strict=True))
    assert read_answers(pro, [path]).said == {
        "type1-pro-1": (False, False),
        "type1-pro-2": (True, False),
        "type1-pro-3": (True, False),
    }


def test_documents_without_such_names_are_taken_in_order(folder, write_response):
    sentences = read_sentences(folder)
    documents = [("a", FIRST, {1: "(1)", 6: "(1)"}), ("b", SECOND, {}), ("c", THIRD, {})]
    path = write_response(*documents, name="pro.conll")
    answers = read_answers(sentences, [path], missing_as_negative=True)
    assert [id for id, (linked, _) in answers.said.items() if linked] == ["type1-pro-1"]
    assert answers.faults == {"missing": 3}
    path = write_response(*documents)
    assert message(read_answers, sentences, [path]) == (
        f"{path}: 3 documents for 6 sentences, and their names do not say which; name each for the id of its "
        "sentence, such as type1-pro-1"
    )


def test_other_words_are_an_error(pro, write_response):
    path = write_response(("type1-pro-1", SECOND, {}))
    assert message(read_answers, pro, [path]) == (
        f"{path}: line 1: document type1-pro-1 part 000 reads 'The cook met the guard because he shouted at his dog "
        ".'; wanted the words of type1-pro-1, 'The cook met the guard because she was hungry.'"
    )


def test_sentences_missing_and_extra(pro, write_response):
    documents = [("nw/dev_type1/stereotype//0", FIRST, {}), ("nw/dev_type1/stereotype//7", FIRST, {})]
    paths = [write_response(*documents), write_response(*documents[:1], name="again.conll")]
    assert message(read_answers, pro, paths) == (
        "sentences: 2 missing: type1-pro-2, type1-pro-3; 1 duplicate: type1-pro-1; 1 extra: "
        "nw/dev_type1/stereotype//7 part 000. Fix the responses, or go on with --missing-as-negative"
    )
    answers = read_answers(pro, paths, missing_as_negative=True)
    assert answers.faults == {"missing": 2, "duplicate": 1, "extra": 1}
    assert answers.said["type1-pro-3"] == (False, False)
    # MUC: two links of the key of the second sentence, none found.
    assert answers.sums["type1-pro-2"][:4] == [0, 2, 0, 0]


def test_scores(folder):
    sentences = read_sentences(folder)
    said = {
        "type1-pro-1": (True, False),
        "type1-pro-2": (True, False),
        "type1-pro-3": (True, True),
        "type1-anti-1": (True, False),
        "type1-anti-2": (False, True),
        "type1-anti-3": (False, False),
    }
    found = score_winobias(sentences, said, rounds=20_000)
    assert found.keys() == {"dataset", "instances", "pairs", "several_pronouns", "unlike_pairs", "type1", "intervals"}
    # Three pairs: any of them three times, so that each figure may be at its own bound.
    assert found["intervals"]["type1"]["anti"] == [0.0, 1.0]
    assert found["intervals"]["type1"]["accuracy"]["pro"] == [0.0, 1.0]
    assert found["intervals"]["type1"]["pro"] == pytest.approx([2 / 3, 1.0])
    # Pro: 3 true, 1 false, none missed. Anti: 1 true, 1 false, 2 missed.
    first = found["type1"]
    assert (first["pro"], first["anti"]) == pytest.approx((6 / 7, 2 / 5))
    assert (first["average"], first["difference"]) == pytest.approx(((6 / 7 + 2 / 5) / 2, 6 / 7 - 2 / 5))
    # The first pair is alike. Of the four ways to swap the others, two part the conditions as far as they are.
    assert first["p"] == pytest.approx(1 / 2, abs=0.02)
    assert first["accuracy"]["pro"] == pytest.approx(2 / 3)
    assert first["accuracy"]["anti"] == pytest.approx(1 / 3)
    # Only the second pair bears on accuracy: either way it is parted.
    assert first["accuracy"]["p"] == 1.0
    assert json.loads(json.dumps(found)) == found


def test_difference_has_no_sign(folder):
    sentences = read_sentences(folder)
    said = {sentence.id: (sentence.marks.condition == "anti", False) for sentence in sentences}
    found = score_winobias(sentences, said, rounds=100)["type1"]
    assert (found["pro"], found["anti"], found["difference"]) == (0.0, 1.0, 1.0)


def test_one_condition_alone_has_no_difference(pro):
    found = score_winobias(pro, {sentence.id: (True, False) for sentence in pro})["type1"]
    assert {name: found[name] for name in ("pro", "anti", "average", "difference", "p")} == {
        "pro": 1.0,
        "anti": None,
        "average": None,
        "difference": None,
        "p": None,
    }


CENSUS = {
    "stand-in": {"instances": 96, "pairs": 48, "several_pronouns": 0, "unlike_pairs": 0},
    "published": {"instances": 1584, "pairs": 792, "several_pronouns": 30, "unlike_pairs": 12},
}


def test_sentences_as_published(reference):
    assert census(read_sentences(reference.path("winobias"))) == CENSUS[reference.name]


@pytest.mark.parametrize("kind", ["type1", "type2"])
def test_text_and_columns_say_the_same(reference, kind):
    folder = reference.path("winobias")
    text = {it.id: it for it in read_sentences(folder / f"pro_stereotyped_{kind}.txt.dev")}
    path = folder / f"dev_{kind}_pro_stereotype.v4_auto_conll"
    columns = {it.id: it for it in read_sentences(path)}
    assert columns.keys() == text.keys()
    assert all(columns[id].letters == text[id].letters for id in text)
    # The gold in columns, as an answer to the gold in text.
    answers = read_answers(list(text.values()), [path])
    assert set(answers.said.values()) == {(True, False)}


@pytest.mark.parametrize("number", [0, 1, 3, 5])
def test_responses_score_as_with_the_reference_scorer(reference, number):
    name = f"winobias-{number}.response"
    expected = json.loads(reference.path("conll-scorer/expected.json").read_text("utf-8"))[name]
    sentences = read_sentences(reference.path("winobias/pro_stereotyped_type1.txt.dev"))
    answers = read_answers(sentences, [reference.path(f"conll-scorer/{name}")])
    found = score_winobias(sentences, answers.said, answers.sums)["type1"]
    assert found["conll_f1"]["pro"] == pytest.approx(expected["average_f1"], abs=5.1e-7)
    # These responses link with the right occupation or not at all, so that every link is precise.
    linked = sum(linked for linked, _ in answers.said.values()) / len(sentences)
    assert found["accuracy"]["pro"] == pytest.approx(linked)
    assert found["pro"] == pytest.approx(2 * linked / (1 + linked))
