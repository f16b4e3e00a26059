"""CoNLL columns: brackets as the reference scorer reads them, and files that keep their bytes."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.errors import ConfigError, InputError
from gapforge.storage.conll import (
    SPEAKER,
    WORD,
    Document,
    Mention,
    coreference_cells,
    named_entities,
    read_documents,
    sentences_of,
    with_column,
    with_entities,
    write_documents,
)

# As in OntoNotes: columns padded with blanks, and as many arguments in a sentence as it has predicates.
FULL = """#begin document (nw/a/b_0001); part 003
nw/a/b_0001   3   0    Ann    NNP   (S*  -  -  -   Bo    (PERSON*   (ARG0*   (12|(7
nw/a/b_0001   3   1    Lee    NNP    *   -  -  -   Bo           *)       *)       7)
nw/a/b_0001   3   2   left    VBD    *)  go 01 -   Bo           *       (V*)     12)

nw/a/b_0001   3   0    She    PRP   (S*  -  -  -   Cy           *   (12)
nw/a/b_0001   3   1     in    IN     *   -  -  -   Cy           *   -
nw/a/b_0001   3   2  Paris    NNP    *)  -  -  -   Cy        (GPE)  -

#end document
"""


@pytest.fixture
def make_file(tmp_path):
    def make(content):
        path = tmp_path / "a.conll"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def narrow(*cells, name="d"):
    rows = "".join(f"{name}\t0\t{n}\tw{n}\t{cell}\n" for n, cell in enumerate(cells))
    return f"#begin document ({name}); part 000\n{rows}\n#end document\n"


def message(path):
    with pytest.raises(InputError) as caught:
        list(read_documents(path))
    return str(caught.value).removeprefix(f"{path}: ")


def test_a_full_document(make_file):
    [document] = read_documents(make_file(FULL))
    assert (document.name, document.part, document.line) == ("nw/a/b_0001", 3, 1)
    assert document.title == "nw/a/b_0001 part 003"
    assert document.words == ["Ann", "Lee", "left", "She", "in", "Paris"]
    assert document.tags == ["NNP", "NNP", "VBD", "PRP", "IN", "NNP"]
    assert document.speakers == ["Bo", "Bo", "Bo", "Cy", "Cy", "Cy"]
    assert document.entities == {12: (Mention(0, 3), Mention(3, 4)), 7: (Mention(0, 2),)}
    assert named_entities(document) == [(Mention(0, 2), "PERSON"), (Mention(5, 6), "GPE")]
    assert sentences_of(document) == [Mention(0, 3), Mention(3, 6)]
    assert document.text == FULL


def test_few_columns_have_no_words(make_file):
    [document] = read_documents(make_file("#begin document (d);\nd (1)\nd -\n#end document\n"))
    assert (document.key, document.words, document.speakers) == (("d", 0), ["", ""], ["", ""])
    assert document.entities == {1: (Mention(0, 1),)}
    assert named_entities(document) == []


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["-", "_", "*"], {}),
        (["(1)"], {1: [(0, 1)]}),
        (["(1", "-", "1)"], {1: [(0, 3)]}),
        (["(1|(2)", "1)"], {2: [(0, 1)], 1: [(0, 2)]}),
        # Without bars, and with one too many.
        (["(1(2", "2)1)|"], {1: [(0, 2)], 2: [(0, 2)]}),
        # An end closes what was begun last.
        (["(1", "(1", "1)", "1)"], {1: [(0, 4), (1, 3)]}),
        # What begins is read before what ends, whichever stands first.
        (["(1", "1)|(1", "1)"], {1: [(0, 3), (1, 2)]}),
        (["(1)|(1)"], {1: [(0, 1), (0, 1)]}),
        (["(1)|(2)"], {1: [(0, 1)], 2: [(0, 1)]}),
        # One of two entities at once is left out.
        (["(1+2)", "(3)"], {3: [(1, 2)]}),
        (["(0", "0)"], {0: [(0, 2)]}),
    ],
)
def test_brackets(make_file, cells, expected):
    [document] = read_documents(make_file(narrow(*cells)))
    assert {entity: list(map(tuple, found)) for entity, found in document.entities.items()} == expected
    assert list(document.entities) == list(expected)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (narrow("(1", "-"), "line 2: the mention (1 is never closed in its document"),
        (narrow("(1", "(1", "1)"), "line 2: the mention (1 is never closed in its document"),
        (narrow("-", "1)"), "line 3: 1) closes a mention that nothing opens"),
        (narrow("(1", "2)"), "line 3: 2) closes a mention that nothing opens"),
        (narrow("12"), "line 2: coreference is '12'; wanted - or brackets such as (3, 3), (3)|(12"),
        (narrow("(x)"), "line 2: coreference is '(x)'; wanted - or brackets such as (3, 3), (3)|(12"),
        (narrow("(1)||(2)"), "line 2: coreference is '(1)||(2)'; wanted - or brackets such as (3, 3), (3)|(12"),
        (
            narrow("(1234567890123456789)"),
            "line 2: coreference is '(1234567890123456789)'; an entity's number has at most 18 digits",
        ),
        (
            "#begin document (d); part 000\nd 0 -\nd -\n#end document\n",
            "line 3: 2 columns, 3 in the row above; the rows of a sentence have as many",
        ),
        (
            "#begin document (d); part 000\nd -\n",
            "(d); part 000, from line 1, has no '#end document'; is the file complete?",
        ),
        (
            "#begin document (d); part 000\nd -\n#begin document (e); part 000\n",
            "line 3: a document begins, but (d); part 000, from line 1, has not ended; "
            "wanted '#end document' between them",
        ),
        (narrow("-") + narrow("-"), "line 5: document d part 000 again, after line 1; keep one of the two"),
        ("d -\n", "line 1: a row outside a document; wanted '#begin document' before it"),
        ("", "no document; wanted '#begin document (name); part 000' before its rows"),
        ("#begin document (d);\nd \xe9\n".encode("latin-1"), "line 2: byte 2: not UTF-8; save it as UTF-8"),
    ],
)
def test_what_cannot_be_read(make_file, content, expected):
    assert message(make_file(content)) == expected


def test_a_long_cell_that_does_not_match_is_refused_at_once(make_file):
    assert message(make_file(narrow("(123)" * 500 + "x"))).startswith("line 2: coreference is")


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match=r"b\.conll: no such file; fix the path$"):
        next(read_documents(tmp_path / "b.conll"))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("PERSON", "line 2: named entity is 'PERSON'; wanted *, (PERSON*, *) or (PERSON)"),
        ("*)", "line 2: named entity '*)' closes one that nothing opens"),
        ("(GPE*", "line 2: the named entity (GPE* is never closed"),
    ],
)
def test_named_entities_that_do_not_match(make_file, cell, expected):
    path = make_file(FULL)
    [document] = read_documents(path)
    cells = [cell, "*", "*", "*", "*", "*"]
    with pytest.raises(InputError) as caught:
        named_entities(with_column(document, 10, cells))
    assert str(caught.value) == f"{path}: {expected}"


@pytest.mark.parametrize(
    "content",
    [
        FULL,
        FULL.replace("\n", "\r\n"),
        "\ufeff# made by hand\n\n" + FULL + "\n\n" + narrow("(1)", name="é") + "\n# the end",
        "\ufeff" + FULL,
        "#begin document (d); \n\n \t\nd\t-\t\n\n\nd\t-\n#end document",
        "# begin document d\nd -\n# end document d\n",
        "#begin document (d); part 001\n#end document\n",
    ],
)
def test_written_again_a_file_has_the_same_bytes(make_file, content, tmp_path):
    path = make_file(content)
    write_documents(tmp_path / "b.conll", read_documents(path))
    assert (tmp_path / "b.conll").read_bytes() == content.encode()


def test_nothing_is_written_where_reading_fails(make_file, tmp_path):
    path = make_file(narrow("-") + narrow("(1", name="e"))
    with pytest.raises(InputError):
        write_documents(tmp_path / "b.conll", read_documents(path))
    assert [it.name for it in tmp_path.iterdir()] == ["a.conll"]


def test_a_folder_is_no_place_to_write(tmp_path):
    with pytest.raises(ConfigError, match=r"is a folder; name a file$"):
        write_documents(tmp_path, [])


def test_documents_come_one_at_a_time(make_file):
    path = make_file(narrow("(1)") + narrow("(2)", name="e") + narrow("(3", name="f"))
    first, second = itertools.islice(read_documents(path), 2)
    assert (first.name, second.name, second.line) == ("d", "e", 5)


def test_other_words_leave_the_rest_alone(make_file):
    [document] = read_documents(make_file(FULL))
    changed = with_column(document, WORD, ["Bob", "Lee", "left", "He", "in", "Paris"])
    assert changed.text == FULL.replace("Ann ", "Bob ").replace(" She ", " He ")
    assert changed.entities == document.entities
    assert with_column(document, SPEAKER, ["-"] * 6).speakers == ["-"] * 6


@pytest.mark.parametrize("value", ["", "a b", "a\n"])
def test_a_cell_holds_no_blank(make_file, value):
    [document] = read_documents(make_file(narrow("-")))
    with pytest.raises(ValueError, match=r"a\.conll: line 2: no cell can hold "):
        with_column(document, WORD, [value])


def test_other_entities(make_file):
    [document] = read_documents(make_file(narrow("(1", "1)", "(1)")))
    changed = with_entities(document, {5: (Mention(0, 3), Mention(1, 2)), 2: (Mention(0, 2),)})
    assert [line.split("\t")[-1] for line in changed.lines] == ["(5|(2\n", "(5)|2)\n", "5)\n", "\n"]
    assert changed.entities == {5: (Mention(0, 3), Mention(1, 2)), 2: (Mention(0, 2),)}
    assert with_entities(changed, document.entities) == document


def test_mentions_of_one_entity_that_cross_have_no_brackets():
    with pytest.raises(ValueError, match="mentions of entity 4 cross at tokens 0 to 2"):
        coreference_cells({4: (Mention(0, 2), Mention(1, 3))}, 3)


def crossing(mentions):
    return any(a.start < b.start < a.end < b.end for a in mentions for b in mentions)


PLACES = st.builds(lambda start, length: Mention(start, start + length), st.integers(0, 6), st.integers(1, 4))
CHAINS = st.lists(PLACES, min_size=1, max_size=5).filter(lambda it: not crossing(it))


@given(st.dictionaries(st.integers(0, 20), CHAINS.map(lambda it: tuple(sorted(it))), max_size=4))
def test_brackets_written_are_read_the_same(entities):
    rows = tuple(f"d\t0\t{n}\tw\t-\n" for n in range(10))
    empty = Document("a", "d", 0, 1, "", "#begin document (d);\n", rows, "#end document\n", {})
    assert with_entities(empty, entities).entities == entities


@pytest.mark.parametrize("pattern", ["conll-scorer/*.key", "conll-scorer/*.response", "winobias/*_conll"])
def test_files_keep_their_bytes(reference, pattern):
    files = reference.files(pattern)
    assert files
    for path in files:
        assert "".join(document.text for document in read_documents(path)).encode() == path.read_bytes()


def test_a_header_of_blanks_is_a_name(make_file):
    # Tried in every split of the blanks, this would take for ever.
    name = "(a)" + " " * 100_000 + "x"
    [document] = read_documents(make_file(f"#begin document {name}\n#end document\n"))
    assert (document.name, document.part) == (name, 0)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"#begin document (d)\nd {'x' * 5000}\n#end document\n", f"line 2: coreference is '{'x' * 298}…; wanted - or"),
        (f"#begin document {'x' * 5000}\n", f"{'x' * 299}…, from line 1, has no '#end document'"),
    ],
)
def test_messages_have_bounds(make_file, content, expected):
    assert message(make_file(content)).startswith(expected)
