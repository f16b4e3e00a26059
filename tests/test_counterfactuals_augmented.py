"""CoNLL files with counterparts: originals byte for byte, clusters and numbers of tokens as they were."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gapforge.counterfactuals.augmented import METHODS, Counterpart, write_augmented
from gapforge.errors import ConfigError, InputError
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.storage.conll import (
    Mention,
    coreference_cells,
    named_entities,
    read_documents,
    sentences_of,
    write_documents,
)
from gapforge.winobias.published import document_number, read_sentences

SAMPLE = Path(__file__).parents[1] / "resources" / "samples" / "training.conll"

PARTNERS = {"Ann": "Tom", "Tom": "Ann", "Helen": "Kenneth", "Thomas": "Christine", "Maria": "Dan", "James": "Audrey"}


@pytest.fixture
def augment(tmp_path):
    """The text of a file with its counterparts, which can be read; and the counts."""

    def write(content, method="swap", anonymise_originals=False):
        source, output = tmp_path / "in.conll", tmp_path / "out.conll"
        source.write_bytes(content if isinstance(content, bytes) else content.encode())
        counts = write_augmented(source, output, Counterpart(method, PARTNERS, DEFAULT_MODEL), anonymise_originals)
        assert list(read_documents(output))
        return output.read_bytes().decode(), counts

    return write


def make_row(token, word, tag="NN", entity="*", cluster="-", name="nw/x_1", part=0, lemma="-", speaker="-"):
    return f"{name}\t{part}\t{token}\t{word}\t{tag}\t*\t{lemma}\t-\t-\t{speaker}\t{entity}\t{cluster}\n"


def make_text(*rows, name="nw/x_1", part=0):
    return f"#begin document ({name}); part {part:03}\n{''.join(rows)}\n#end document\n"


def words_of(text, path):
    path.write_bytes(text.encode())
    return [" ".join(document.words) for document in read_documents(path)]


def counterparts_of(path):
    """Pairs of an original and its counterpart."""
    documents = list(read_documents(path))
    half = len(documents) // 2
    assert len(documents) == 2 * half
    return list(zip(documents[:half], documents[half:], strict=True))


def assert_alike(original, counterpart, method):
    """All that a counterpart has in common with its original."""
    assert (counterpart.name, counterpart.part) == (f"{original.name}-{method}", original.part)
    assert counterpart.entities == original.entities
    assert sentences_of(counterpart) == sentences_of(original)
    assert counterpart.tags == original.tags
    assert [row[-1] for row in counterpart.rows] == [row[-1] for row in original.rows]
    assert [len(row) for row in counterpart.rows] == [len(row) for row in original.rows]


# As in OntoNotes: words flush right, in columns of each sentence's own width.
ONTONOTES = """#begin document (nw/a/b_0001); part 000
nw/a/b_0001   0   0        Ann    NNP   (S*     -  -  -   Ann_Lee   (PERSON*   (ARG0*   (12|(7
nw/a/b_0001   0   1        Lee    NNP    *      -  -  -   Ann_Lee          *)       *)       7)
nw/a/b_0001   0   2       left    VBD    *)     go 01 -   Ann_Lee          *      (V*)      12)

nw/a/b_0001   0   0        The     DT   (NP*    -  -  -        -           *   (12
nw/a/b_0001   0   1    actress     NN    *   actress  -  -     -           *    12)
nw/a/b_0001   0   2        saw    VBD    *    see  -  -        -           *    -
nw/a/b_0001   0   3        her   PRP$    *      -  -  -        -           *   (3|(12)
nw/a/b_0001   0   4  stepmothers  NNS    *      -  -  -        -           *    3)
nw/a/b_0001   0   5          .      .    *)     -  -  -        -           *    -

#end document
"""
SWAPPED = """#begin document (nw/a/b_0001-swap); part 000
nw/a/b_0001-swap   0   0        Ann    NNP   (S*     -  -  -   Ann_Lee   (PERSON*   (ARG0*   (12|(7
nw/a/b_0001-swap   0   1        Lee    NNP    *      -  -  -   Ann_Lee          *)       *)       7)
nw/a/b_0001-swap   0   2       left    VBD    *)     go 01 -   Ann_Lee          *      (V*)      12)

nw/a/b_0001-swap   0   0        The     DT   (NP*    -  -  -        -           *   (12
nw/a/b_0001-swap   0   1      actor     NN    *     actor  -  -     -           *    12)
nw/a/b_0001-swap   0   2        saw    VBD    *    see  -  -        -           *    -
nw/a/b_0001-swap   0   3        his   PRP$    *      -  -  -        -           *   (3|(12)
nw/a/b_0001-swap   0   4  stepfathers  NNS    *      -  -  -        -           *    3)
nw/a/b_0001-swap   0   5          .      .    *)     -  -  -        -           *    -

#end document
"""


def test_padded_columns_stay_in_their_places(augment):
    text, counts = augment(ONTONOTES)
    assert text == ONTONOTES + SWAPPED
    assert counts == {"documents": 2, "tokens": 18}


def test_names_and_speakers_in_padded_columns(augment):
    text, _ = augment(ONTONOTES, "n-cda")
    swapped = SWAPPED.replace("-swap", "-n-cda").replace("    Ann ", "    Tom ").replace("Ann_Lee", "Tom_Lee")
    assert text == ONTONOTES + swapped
    text, _ = augment(ONTONOTES, "a-cda")
    swapped = SWAPPED.replace("-swap", "-a-cda").replace("    Ann ", "     E1 ").replace("    Lee ", "     E2 ")
    assert text == ONTONOTES + swapped.replace("  Ann_Lee ", "    E1_E2 ")


def test_tab_separated_columns(augment):
    rows = [("He", "PRP", "(1)"), ("saw", "VBD", "-"), ("her", "PRP", "(2)")]
    text, _ = augment(make_text(*(make_row(n, w, t, cluster=c) for n, (w, t, c) in enumerate(rows))))
    rows = [("She", "PRP", "(1)"), ("saw", "VBD", "-"), ("him", "PRP", "(2)")]
    name = "nw/x_1-swap"
    new = make_text(*(make_row(n, w, t, cluster=c, name=name) for n, (w, t, c) in enumerate(rows)), name=name)
    assert text.endswith("#end document\n" + new)


@pytest.mark.parametrize(
    ("content", "counterpart"),
    [
        # Few columns, with words and without.
        ("#begin document (x);\nx 0 0 He (1)\n#end document\n", "#begin document (x-swap);\nx-swap 0 0 She (1)\n"),
        ("#begin document (x);\nx (1)\nx -\n#end document\n", "#begin document (x-swap);\nx-swap (1)\nx-swap -\n"),
        ("# begin document x\nx -\n# end document x\n", "# begin document x-swap\nx-swap -\n"),
        # The first column is the document's id, or something else.
        ("#begin document (x);\nx1 0 0 he -\nx 0 0 he -\n#end document\n",
         "#begin document (x-swap);\nx1 0 0 she -\nx-swap 0 0 she -\n"),
        ("#begin document (x);\n \tx  0 x x -\n#end document\n", "#begin document (x-swap);\n \tx-swap  0 x x -\n"),
        ("#begin document (a.*(b); part 002\na.*(b 2 0 he -\n#end document\n",
         "#begin document (a.*(b-swap); part 002\na.*(b-swap 2 0 she -\n"),
        # A counterpart of an empty document.
        ("#begin document (x); part 001\n#end document\n", "#begin document (x-swap); part 001\n"),
    ],
)  # fmt: skip
def test_a_counterpart_has_another_id_in_its_first_line_and_first_column(augment, content, counterpart):
    text, _ = augment(content)
    end = content.splitlines(keepends=True)[-1]
    assert text == content + counterpart + end


@pytest.mark.parametrize("name", ["d", "document", "begin", "n", "("])
def test_an_id_that_is_part_of_the_words_before_it(augment, name):
    text, _ = augment(make_text(make_row(0, "he", "PRP", name=name), name=name))
    changed = f"{name}-swap"
    assert text.endswith(make_text(make_row(0, "she", "PRP", name=changed), name=changed))


def test_a_document_without_an_id_is_refused(augment):
    with pytest.raises(InputError) as error:
        augment("#begin document (); part 000\nx 0 0 he -\n#end document\n")
    assert str(error.value).endswith(": line 1: a document without an id; give it one")


HE, SHE = (
    "#begin document (x);\nx 0 0 he (1)\n#end document",
    "#begin document (x-swap);\nx-swap 0 0 she (1)\n#end document",
)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"{HE}\n", f"{HE}\n{SHE}\n"),
        (HE, f"{HE}\n{SHE}\n"),
        (f"{HE}\n\n\n", f"{HE}\n\n\n{SHE}\n\n\n"),
        (f"{HE}\n\n# the end", f"{HE}\n\n# the end\n{SHE}\n\n# the end\n"),
        # What is ahead of the first document is there once.
        (f"# by hand\n\n{HE}\n", f"# by hand\n\n{HE}\n{SHE}\n"),
        (f"\ufeff# by hand\n{HE}\n", f"\ufeff# by hand\n{HE}\n{SHE}\n"),
        (f"{HE}\n".replace("\n", "\r\n"), f"{HE}\n{SHE}\n".replace("\n", "\r\n")),
        (f"\ufeff# by hand\n{HE}\n".replace("\n", "\r\n"), f"\ufeff# by hand\n{HE}\n{SHE}\n".replace("\n", "\r\n")),
        pytest.param(
            f"\ufeff{HE}\n",
            f"\ufeff{HE}\n{SHE}\n",
        ),
        pytest.param(
            HE.replace("\n", "\r\n"),
            f"{HE}\n{SHE}\n".replace("\n", "\r\n"),
        ),
    ],
)
def test_marks_ends_and_comments(augment, content, expected):
    assert augment(content)[0] == expected


def test_parts_of_one_document(augment, tmp_path):
    rows = [make_row(0, "Ann", "NNP", "(PERSON)"), make_row(0, "Tom", "NNP", "(PERSON)", part=1)]
    other = make_text(make_row(0, "Tom", "NNP", "(PERSON)", name="nw/x_2"), name="nw/x_2")
    content = make_text(rows[0]) + make_text(rows[1], part=1) + other
    text, _ = augment(content, "a-cda")
    assert words_of(text, tmp_path / "again.conll") == ["Ann", "Tom", "Tom", "E1", "E2", "E1"]
    keys = [document.key for document in read_documents(tmp_path / "again.conll")]
    assert keys[3:] == [("nw/x_1-a-cda", 0), ("nw/x_1-a-cda", 1), ("nw/x_2-a-cda", 0)]


def test_parts_are_counted_as_they_are_read(augment):
    content = make_text(make_row(0, "he", "PRP")) + make_text(make_row(0, "he", "PRP", part=1), part=1)
    text, counts = augment(content)
    assert counts == {"documents": text.count("#begin document"), "tokens": 4}


def test_speakers_have_the_names_of_the_text(augment, tmp_path):
    rows = [
        make_row(0, "Ann", "NNP", "(PERSON*", speaker="Ann_Lee"),
        make_row(1, "Lee", "NNP", "*)", speaker="Ann_Lee"),
        make_row(2, "left", "VBD", speaker="Lee"),
        make_row(3, ".", ".", speaker="Bo_Ann#1"),
        make_row(4, ".", "."),
    ]
    expected = {
        "swap": ["Ann_Lee", "Ann_Lee", "Lee", "Bo_Ann#1", "-"],
        "a-cda": ["E1_E2", "E1_E2", "E2", "Bo_Ann#1", "-"],
        "n-cda": ["Tom_Lee", "Tom_Lee", "Lee", "Bo_Ann#1", "-"],
    }
    for method, speakers in expected.items():
        text, _ = augment(make_text(*rows), method)
        (tmp_path / "again.conll").write_text(text, "utf-8")
        assert [it.speakers for it in read_documents(tmp_path / "again.conll")][1] == speakers


@pytest.mark.parametrize(
    ("word", "lemma", "new_word", "new_lemma"),
    [
        ("mother", "mother", "father", "father"),
        ("Mother", "mother", "Father", "father"),
        ("MOTHER", "MOTHER", "FATHER", "FATHER"),
        ("mothers", "mother", "fathers", "mother"),
        ("mother", "-", "father", "-"),
        ("slept", "sleep", "slept", "sleep"),
    ],
)
def test_the_lemma_follows_where_it_is_the_word(augment, word, lemma, new_word, new_lemma):
    text, _ = augment(make_text(make_row(0, word, lemma=lemma)))
    assert text.endswith(
        make_text(make_row(0, new_word, lemma=new_lemma, name="nw/x_1-swap"), name="nw/x_1-swap")
    )  # fmt: skip


def test_a_wedding_anywhere_in_the_document_makes_a_groom_a_bride_s(augment, tmp_path):
    rows = [make_row(0, "groom"), "\n", make_row(0, "bride")]
    assert words_of(augment(make_text(*rows))[0], tmp_path / "again.conll") == ["groom bride", "bride bridegroom"]
    assert words_of(augment(make_text(rows[0]))[0], tmp_path / "again.conll") == ["groom", "groom"]


def test_names_hold_no_gendered_words(augment, tmp_path):
    rows = [make_row(0, "Billie", "NNP", "(PERSON*"), make_row(1, "King", "NNP", "*)"), make_row(2, "king")]
    for method, expected in (("swap", "Billie King queen"), ("a-cda", "E1 E2 queen")):
        assert words_of(augment(make_text(*rows), method)[0], tmp_path / "again.conll") == [
            "Billie King king",
            expected,
        ]


def test_originals_are_anonymised_with_the_placeholders_of_their_counterparts(augment):
    text, counts = augment(ONTONOTES, "a-cda", anonymise_originals=True)
    plain = (
        ONTONOTES.replace("    Ann ", "     E1 ").replace("    Lee ", "     E2 ").replace("  Ann_Lee ", "    E1_E2 ")
    )
    assert text == plain + augment(ONTONOTES, "a-cda")[0].removeprefix(ONTONOTES)
    assert counts == {"documents": 2, "tokens": 18}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(
            [make_row(0, "a", "DT"), make_row(1, "Lee", "NNP", "(PERSON)"), make_row(2, "aide")],
            ["an E1 aide", "an E1 aide"],
        ),
        pytest.param(
            [make_row(0, "James", "NNP", "(PERSON)"), make_row(1, "'", "POS"), make_row(2, "aide")],
            ["E1 's aide", "E1 's aide"],
        ),
        (
            [make_row(0, "an", "DT"), make_row(1, "Ann", "NNP", "(PERSON)"), make_row(2, "king")],
            ["an E1 king", "an E1 queen"],
        ),
    ],
)
def test_an_original_and_its_counterpart_differ_in_gendered_words_alone(augment, tmp_path, rows, expected):
    text, _ = augment(make_text(*rows), "a-cda", anonymise_originals=True)
    assert words_of(text, tmp_path / "again.conll") == expected


REFUSED = "the counterpart would be {}, which is there already; augment the file without counterparts"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (make_text() + make_text(name="nw/x_1-swap"), "line 1: " + REFUSED.format("nw/x_1-swap")),
        (make_text(name="y") + make_text(name="z-swap") + make_text(name="z"), "line 7: " + REFUSED.format("z-swap")),
        (make_text() + make_text(), "line 4: document nw/x_1 part 000 again, after line 1; keep one of the two"),
        (
            make_text(make_row(0, "he", cluster="(1")),
            "line 2: the mention (1 is never closed in its document",
        ),
        (make_text(make_row(0, "he")) + "x\n", "line 5: a row outside a document; wanted '#begin document' before it"),
        (
            make_text(make_row(0, "he"), "x 0 0 he -\n"),
            "line 3: 5 columns, 12 in the row above; the rows of a sentence have as many",
        ),
        (
            make_text(make_row(0, "he", entity="PERSON")),
            "line 2: named entity is 'PERSON'; wanted *, (PERSON*, *) or (PERSON)",
        ),
        (
            make_text() + make_text(name="y").removesuffix("#end document\n"),
            "(y); part 000, from line 4, has no '#end document'; is the file complete?",
        ),
        (make_text(make_row(0, "é")).encode("latin-1"), "line 2: byte 11: not UTF-8; save it as UTF-8"),
        ("", "no document; wanted '#begin document (name); part 000' before its rows"),
    ],
)
def test_what_cannot_be_augmented_leaves_nothing_behind(augment, tmp_path, content, message):
    with pytest.raises(InputError) as caught:
        augment(content)
    assert str(caught.value) == f"{tmp_path / 'in.conll'}: {message}"
    assert [it.name for it in tmp_path.iterdir()] == ["in.conll"]


def test_an_older_file_is_kept_where_reading_fails(augment, tmp_path):
    (tmp_path / "out.conll").write_text("older", "utf-8")
    with pytest.raises(InputError):
        augment(make_text(make_row(0, "he", cluster="(1")))
    assert (tmp_path / "out.conll").read_text("utf-8") == "older"


@pytest.mark.parametrize(
    ("source", "output", "message"),
    [
        ("lost.conll", "out.conll", "{}/lost.conll: no such file; fix the path"),
        ("folder", "out.conll", "{}/folder: is a folder; name a file"),
        ("in.conll", "folder", "{}/folder: is a folder; name a file"),
        ("in.conll", "none/out.conll", "{}/none/out.conll: its folder does not exist; make it first"),
    ],
)
def test_wrong_places(tmp_path, source, output, message):
    (tmp_path / "folder").mkdir()
    (tmp_path / "in.conll").write_text(make_text(), "utf-8")
    with pytest.raises((ConfigError, InputError)) as caught:
        write_augmented(tmp_path / source, tmp_path / output, Counterpart("swap", {}, DEFAULT_MODEL), False)
    assert str(caught.value) == message.format(tmp_path)
    assert not list(tmp_path.glob("*out*"))


SAMPLE_SENTENCES = {
    "swap": [
        "She thanked her brother Helen , an actor from Leeds , for the mural that he had painted .",
        "`` My brother works harder than anyone , '' Mrs. Reed said .",
        "When Maria works at night , Daniel brings him bread and wishes him luck .",
        "Captain James Holt wrote to Mr. Clara Finch every week .",
    ],
    "a-cda": [
        "She thanked her brother E3 , an actor from Leeds , for the mural that he had painted .",
        "`` My brother works harder than anyone , '' Mrs. E2 said .",
        "When E1 works at night , E3 brings him bread and wishes him luck .",
        "Captain E1 E2 wrote to Mr. E3 E4 every week .",
    ],
    "n-cda": [
        "She thanked her brother Kenneth , an actor from Leeds , for the mural that he had painted .",
        "`` My brother works harder than anyone , '' Mrs. Reed said .",
        "When Dan works at night , Daniel brings him bread and wishes him luck .",
        "Captain Audrey Holt wrote to Mr. Clara Finch every week .",
    ],
}


@pytest.mark.parametrize("method", METHODS)
def test_the_sample(augment, tmp_path, method):
    before = SAMPLE.read_bytes()
    text, counts = augment(before, method)
    assert counts == {"documents": 6, "tokens": 428}
    assert text.encode().startswith(before)
    sentences = []
    for original, counterpart in counterparts_of(tmp_path / "out.conll"):
        assert_alike(original, counterpart, method)
        assert named_entities(counterpart) == named_entities(original)
        sentences += [" ".join(counterpart.words[it.start : it.end]) for it in sentences_of(counterpart)]
    assert [it for it in SAMPLE_SENTENCES[method] if it not in sentences] == []


def test_the_sample_swapped_twice_has_its_words_again(augment, tmp_path):
    augment(SAMPLE.read_bytes())
    once = [counterpart for _, counterpart in counterparts_of(tmp_path / "out.conll")]
    write_documents(tmp_path / "once.conll", once)
    augment((tmp_path / "once.conll").read_bytes())
    twice = [counterpart for _, counterpart in counterparts_of(tmp_path / "out.conll")]
    assert [it.words for it in twice] == [it.words for it in read_documents(SAMPLE)]
    assert [it.name for it in twice] == [f"{it.name}-swap-swap" for it in read_documents(SAMPLE)]


WORDS = ["he", "She", "her", "HIS", "king", "actress", "an", "a", "Mr.", "Ann", "Lee", "King", "slept", "'s", "``", "."]
WORDS += ["é", "\u00a0", "-LRB-", "'", "x"]
TAGS = ["PRP", "PRP$", "NN", "NNP", "VBD", "DT", "POS", "-"]
NAMED = [("PERSON", 1), ("PERSON", 2), ("GPE", 1), ("", 1), ("", 2)]
GAPS = st.sampled_from(["\t", " ", "   "])


@st.composite
def texts(draw):
    """A file of a few documents with random words, names and brackets, in columns of any kind."""
    pieces = []
    names = draw(st.lists(st.sampled_from(["nw/a_1", "x", "é.*", "a(b"]), min_size=1, max_size=3, unique=True))
    for name in names:
        words = draw(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(TAGS)), max_size=9))
        entities: dict[int, tuple[Mention, ...]] = {}
        for entity, start, length in draw(
            st.lists(st.tuples(st.integers(0, 4), st.integers(0, 8), st.integers(1, 3)), max_size=4)
        ):
            if start + length <= len(words):
                kept = entities.get(entity, ())
                if not any(start < it.end and it.start < start + length for it in kept):
                    entities[entity] = tuple(sorted((*kept, Mention(start, start + length))))
        clusters = coreference_cells(entities, len(words))
        named = ["*"] * len(words)
        at = 0
        for kind, length in draw(st.lists(st.sampled_from(NAMED), max_size=6)):
            if kind and at + length <= len(words):
                named[at : at + length] = [f"({kind})"] if length == 1 else [f"({kind}*", "*)"]
            at += length
        gap, ends = draw(GAPS), draw(st.sets(st.integers(0, 8), max_size=2))
        lines = []
        for n, (word, tag) in enumerate(words):
            cells = [name, "0", str(n), word, tag, "*", word.lower(), "-", "-", "Ann_Lee", named[n], clusters[n]]
            lines.append(gap.join(cells) + "\n" + "\n" * (n in ends))
        pieces.append(f"#begin document ({name}); part 000\n{''.join(lines)}\n#end document\n")
    return "".join(pieces), len(names)


@given(made=texts(), method=st.sampled_from(METHODS))
@settings(max_examples=100, deadline=None)
def test_whatever_the_documents_counterparts_have_their_clusters(made, method, tmp_path_factory):
    text, number = made
    folder = tmp_path_factory.mktemp("augmented")
    (folder / "in.conll").write_bytes(text.encode())
    counterpart = Counterpart(method, PARTNERS, DEFAULT_MODEL)
    counts = write_augmented(folder / "in.conll", folder / "out.conll", counterpart, False)
    assert (folder / "out.conll").read_bytes().startswith(text.encode())
    pairs = counterparts_of(folder / "out.conll")
    assert len(pairs) == number == counts["documents"] / 2
    for original, changed in pairs:
        assert_alike(original, changed, method)
        if method == "a-cda":
            assert not {"Ann", "Lee"} & {
                changed.words[it.start] for it, kind in named_entities(changed) if kind == "PERSON"
            }


SENTENCES = {"stand-in": 24, "published": 396}  # in each file


@pytest.mark.parametrize("method", METHODS)
def test_winobias_in_columns(whole_reference, method, tmp_path):
    for source in whole_reference.files("winobias/*_conll"):
        counts = write_augmented(source, tmp_path / "out.conll", Counterpart(method, PARTNERS, DEFAULT_MODEL), False)
        assert (tmp_path / "out.conll").read_bytes().startswith(source.read_bytes())
        pairs = counterparts_of(tmp_path / "out.conll")
        assert counts["documents"] == 2 * len(pairs) == 2 * SENTENCES[whole_reference.name]
        changed = 0
        for original, counterpart in pairs:
            assert_alike(original, counterpart, method)
            changed += original.words != counterpart.words
        assert changed == len(pairs)


def outline(sentence):
    """The letters of a sentence without its marked pronouns."""
    text = sentence.text
    for span in sorted(sentence.pronouns, key=lambda it: -it.start):
        text = f"{text[: span.start]}*{text[span.end :]}"
    return "".join(text.split())


def test_winobias_swapped_is_of_the_other_condition(whole_reference):
    """In a few published pairs a gendered word that is not marked differs, or one of the sentences has an error."""
    same = alike = 0
    counterpart = Counterpart("swap", {}, DEFAULT_MODEL)
    for source in whole_reference.files("winobias/*_conll"):
        kind = "type1" if "type1" in source.name else "type2"
        pro, anti = (
            {it.number: it for it in read_sentences(source.parent / f"{condition}_stereotyped_{kind}.txt.dev")}
            for condition in ("pro", "anti")
        )
        for document in read_documents(source):
            number = document_number(document)
            if number in pro and number in anti and outline(pro[number]) == outline(anti[number]):
                alike += 1
                same += "".join(counterpart.of(document).words) == anti[number].letters
    assert alike >= {"stand-in": 48, "published": 780}[whole_reference.name]
    assert same / alike >= 0.98


@pytest.mark.parametrize("method", METHODS)
def test_files_of_scorers(reference, method, tmp_path):
    files = [*reference.files("conll-scorer/*.key"), *reference.files("conll-scorer/*.response")]
    for source in files:
        write_augmented(source, tmp_path / "out.conll", Counterpart(method, PARTNERS, DEFAULT_MODEL), False)
        pairs = counterparts_of(tmp_path / "out.conll")
        assert (tmp_path / "out.conll").read_bytes().startswith(source.read_bytes())
        for original, counterpart in pairs:
            assert_alike(original, counterpart, method)
