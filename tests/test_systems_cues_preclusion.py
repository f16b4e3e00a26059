"""Which positions keep a name from being meant; sentences are parsed by hand, and a few by the model."""

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from gapforge.nlp.reading import DEFAULT_MODEL, begins_clause, depth, joined, path_between, role_of, subjects_of
from gapforge.records import Instance, Span
from gapforge.systems import cues
from gapforge.systems.antecedents import study


def make_doc(written):
    """A parsed sentence from "word/head/dependency/tag", heads by index; a tag may be left out."""
    parts = [(*word.split("/"), "X")[:4] for word in written.split()]
    words, heads, deps, tags = zip(*parts, strict=True)
    return Doc(Vocab(), words=list(words), heads=[int(it) for it in heads], deps=list(deps), tags=list(tags))


def token(doc, word):
    return next(it for it in doc if it.text == word)


HIS_FRIEND_JOHN = "We/1/nsubj met/1/ROOT his/4/poss/PRP$ friend/4/compound John/1/dobj"
JOHN_AND_HIS_WIFE = "John/4/nsubj and/0/cc his/3/poss/PRP$ wife/0/conj left/4/ROOT/VBD"
HE_AND_JOHN = "He/3/nsubj and/0/cc John/0/conj left/3/ROOT/VBD"
JOHN_SAW_HIM = "John/1/nsubj saw/1/ROOT/VBD him/1/dobj"
JOHN_SPOKE_TO_HIM = "John/1/nsubj spoke/1/ROOT/VBD to/1/prep him/2/pobj"
JOHN_SAW_HIS_AUNT = "John/1/nsubj saw/1/ROOT/VBD his/3/poss/PRP$ aunt/1/dobj"
JOHN_KNEW_HE_LEFT = "John/1/nsubj knew/1/ROOT/VBD that/4/mark he/4/nsubj left/1/ccomp/VBD"
JOHN_CAME_AND_SAW_HIM = "John/1/nsubj came/1/ROOT/VBD and/1/cc saw/1/conj/VBD him/3/dobj"
JOHN_CAME_AND_HE_LEFT = "John/1/nsubj came/1/ROOT/VBD and/1/cc he/4/nsubj left/1/conj/VBD"
JOHN_WANTED_TO_SEE_HIM = "John/1/nsubj wanted/1/ROOT/VBD to/3/aux see/1/xcomp/VB him/3/dobj"
JOHN_ASKED_BOB_TO_SEE_HIM = "John/1/nsubj asked/1/ROOT/VBD Bob/1/dobj to/4/aux see/1/xcomp/VB him/4/dobj"
JOHN_LEFT_LEAVING_HIM = "John/1/nsubj fled/1/ROOT/VBD ,/1/punct leaving/1/advcl/VBG him/3/dobj"
JOHN_WON_BY_BEATING_HIM = "John/1/nsubj won/1/ROOT/VBD by/1/prep beating/2/pcomp/VBG him/3/dobj"
JOHN_WHO_SAW_HIM = "John/5/nsubj ,/0/punct who/3/nsubj/WP saw/0/relcl/VBD him/3/dobj left/5/ROOT/VBD"
THE_MAN_WHO_SAW_HIM = "John/1/nsubj hit/1/ROOT/VBD men/1/dobj who/4/nsubj/WP saw/2/relcl/VBD him/4/dobj"
HE_SAID_JOHN_LEFT = "He/1/nsubj said/1/ROOT/VBD John/3/nsubj left/1/ccomp/VBD"
WHEN_HE_LEFT_JOHN_CRIED = "When/2/advmod he/2/nsubj left/5/advcl/VBD ,/5/punct John/5/nsubj cried/5/ROOT/VBD"
HIS_BOOK_ABOUT_JOHN = "In/5/prep his/2/poss/PRP$ book/0/pobj about/2/prep John/3/pobj fell/5/ROOT/VBD rain/5/nsubj"
IN_HIS_BOOK_JOHN_SAYS = "In/5/prep his/2/poss/PRP$ book/0/pobj ,/5/punct John/5/nsubj says/5/ROOT/VBZ"
HIS_BOOK_JOHNS_WIFE = (
    "In/7/prep his/2/poss/PRP$ book/0/pobj ,/7/punct John/6/poss 's/4/case wife/7/nsubj says/7/ROOT/VBZ"
)
MARY_HIS_WIFE = "Mary/5/nsubj ,/0/punct his/3/poss/PRP$ wife/0/appos ,/0/punct left/5/ROOT/VBD"
HIS_WIFE_MARY = "his/1/poss/PRP$ wife/4/nsubj ,/1/punct Mary/1/appos left/4/ROOT/VBD"
HIS_WIFE_COMMA_MARY = "We/1/nsubj met/1/ROOT his/3/poss/PRP$ wife/1/dobj ,/3/punct Mary/3/appos"
MARY_IS_HIS_WIFE = "Mary/1/nsubj is/1/ROOT/VBZ his/3/poss/PRP$ wife/1/attr"
MARY_LOVES_HER_DOG = "Mary/1/nsubj loves/1/ROOT/VBZ her/3/poss/PRP$ dog/1/dobj"
# The parser takes Ann for the book.
IN_HER_BOOK_ANN = "In/5/prep her/2/poss/PRP$ book/0/pobj ,/2/punct Ann/2/appos says/5/ROOT/VBZ"


@pytest.mark.parametrize(
    ("rule", "sentence", "pronoun", "name", "expected"),
    [
        ("contains", HIS_FRIEND_JOHN, "his", "John", True),
        ("contains", JOHN_AND_HIS_WIFE, "his", "John", False),
        ("contains", JOHN_SAW_HIS_AUNT, "his", "John", False),
        ("contains", JOHN_SAW_HIM, "him", "him", True),
        ("coordinated", HE_AND_JOHN, "He", "John", True),
        ("coordinated", JOHN_AND_HIS_WIFE, "his", "John", False),
        ("coordinated", JOHN_SAW_HIM, "him", "John", False),
        ("co_argument", JOHN_SAW_HIM, "him", "John", True),
        ("co_argument", JOHN_SPOKE_TO_HIM, "him", "John", True),
        ("co_argument", JOHN_SAW_HIS_AUNT, "his", "John", False),
        ("co_argument", JOHN_KNEW_HE_LEFT, "he", "John", False),
        ("co_argument", JOHN_CAME_AND_SAW_HIM, "him", "John", False),
        ("shared_subject", JOHN_CAME_AND_SAW_HIM, "him", "John", True),
        ("shared_subject", JOHN_WANTED_TO_SEE_HIM, "him", "John", True),
        ("shared_subject", JOHN_LEFT_LEAVING_HIM, "him", "John", True),
        ("shared_subject", JOHN_WON_BY_BEATING_HIM, "him", "John", True),
        ("shared_subject", JOHN_WHO_SAW_HIM, "him", "John", True),
        ("shared_subject", JOHN_ASKED_BOB_TO_SEE_HIM, "him", "Bob", True),
        ("shared_subject", JOHN_ASKED_BOB_TO_SEE_HIM, "him", "John", False),
        ("shared_subject", THE_MAN_WHO_SAW_HIM, "him", "John", False),
        ("shared_subject", JOHN_CAME_AND_HE_LEFT, "he", "John", False),
        ("shared_subject", JOHN_SAW_HIS_AUNT, "his", "John", False),
        ("commanded", HE_SAID_JOHN_LEFT, "He", "John", True),
        ("commanded", WHEN_HE_LEFT_JOHN_CRIED, "he", "John", False),
        ("commanded", JOHN_KNEW_HE_LEFT, "he", "John", False),
        ("commanded", IN_HIS_BOOK_JOHN_SAYS, "his", "John", False),
        ("cataphoric", HIS_BOOK_ABOUT_JOHN, "his", "John", True),
        ("cataphoric", IN_HIS_BOOK_JOHN_SAYS, "his", "John", False),
        ("cataphoric", HIS_BOOK_JOHNS_WIFE, "his", "John", False),
        ("cataphoric", IN_HER_BOOK_ANN, "her", "Ann", False),
        ("cataphoric", JOHN_SAW_HIM, "him", "John", False),
        ("kept_apart", MARY_HIS_WIFE, "his", "Mary", True),
        ("kept_apart", HIS_WIFE_COMMA_MARY, "his", "Mary", True),
        ("kept_apart", HIS_WIFE_MARY, "his", "Mary", True),
        ("kept_apart", MARY_IS_HIS_WIFE, "his", "Mary", True),
        ("kept_apart", MARY_LOVES_HER_DOG, "her", "Mary", False),
        ("kept_apart", JOHN_AND_HIS_WIFE, "his", "John", False),
        ("kept_apart", IN_HER_BOOK_ANN, "her", "Ann", False),
        ("kept_apart", JOHN_SAW_HIM, "him", "John", False),
    ],
)
def test_rules(rule, sentence, pronoun, name, expected):
    doc = make_doc(sentence)
    assert getattr(cues, rule)(token(doc, pronoun), token(doc, name)) is expected


def test_every_rule_is_asked():
    rules = ["contains", "coordinated", "co_argument", "shared_subject", "commanded", "cataphoric", "kept_apart"]
    assert [rule.__name__ for rule in cues.RULES] == rules


# A trees' own questions.


@pytest.mark.parametrize(
    ("sentence", "word", "expected"),
    [
        (JOHN_SAW_HIM, "John", "subject"),
        (JOHN_SAW_HIM, "him", "object"),
        (HE_AND_JOHN, "John", "subject"),
        (HIS_WIFE_COMMA_MARY, "Mary", "object"),
        (JOHN_SPOKE_TO_HIM, "him", "other"),
        (HIS_BOOK_JOHNS_WIFE, "John", "possessive"),
        ("Ann/2/nsubjpass was/2/auxpass/VBD seen/2/ROOT/VBN", "Ann", "subject"),
        (IN_HER_BOOK_ANN, "Ann", "subject"),
        ("Ann/0/ROOT", "Ann", "other"),
    ],
)
def test_role_of(sentence, word, expected):
    assert role_of(token(make_doc(sentence), word)) == expected


@pytest.mark.parametrize(
    ("sentence", "word", "expected"),
    [
        (IN_HER_BOOK_ANN, "Ann", True),
        ("In/6/prep her/2/poss book/0/pobj Ann/2/appos never/6/neg/RB had/6/aux/VBD said/6/ROOT/VBN", "Ann", True),
        (HIS_WIFE_MARY, "Mary", False),  # his wife left, and is Mary
        (HIS_WIFE_COMMA_MARY, "Mary", False),
        (JOHN_SAW_HIM, "John", False),
    ],
)
def test_begins_clause(sentence, word, expected):
    assert begins_clause(token(make_doc(sentence), word)) is expected


def test_joined():
    doc = make_doc("Ann/5/nsubj ,/0/punct Bo/0/conj and/2/cc Cy/2/conj left/5/ROOT/VBD")
    assert joined(token(doc, "Cy")) == doc[0]
    assert joined(doc[0]) == doc[0]


@pytest.mark.parametrize(
    ("sentence", "verb", "expected"),
    [
        (JOHN_SAW_HIM, "saw", ["John"]),
        (JOHN_CAME_AND_HE_LEFT, "left", ["he"]),
        (JOHN_WHO_SAW_HIM, "saw", ["John"]),
        (THE_MAN_WHO_SAW_HIM, "saw", ["men"]),
        (JOHN_ASKED_BOB_TO_SEE_HIM, "see", ["Bob"]),
        ("men/3/nsubj praising/0/acl/VBG him/1/dobj left/3/ROOT/VBD", "praising", ["men"]),
        ("Go/0/ROOT/VB", "Go", []),
        ("It/1/nsubj shows/1/ROOT/VBZ seeing/1/ccomp/VBG", "seeing", []),
    ],
)
def test_subjects_of(sentence, verb, expected):
    assert [it.text for it in subjects_of(token(make_doc(sentence), verb))] == expected


def test_path_and_depth():
    doc = make_doc(JOHN_SAW_HIS_AUNT)  # John <- saw -> aunt -> his
    assert path_between(token(doc, "his"), token(doc, "John")) == 3
    assert path_between(token(doc, "his"), token(doc, "his")) == 0
    assert [depth(it) for it in doc] == [1, 0, 2, 1]
    two_trees = make_doc("Ann/0/ROOT Bo/1/ROOT sat/1/dep")
    assert path_between(two_trees[0], two_trees[2]) == 3


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("<John> saw {him} near <Bob>.", ["John", "Bob"]),
        ("<John> thanked <Bob> for {his} help.", []),
        ("{He} said that <John> met <Bob>.", ["John", "Bob"]),
        ("<Mary> and {her} sister <Ann> left early.", ["Ann"]),
        ("When {she} arrived, <Mary> greeted <Ann>.", ["Ann"]),
        ("<John> saw <Bob>. We thanked {him}.", []),  # another sentence
    ],
)
def test_sentences_as_the_model_parses_them(marked, expected):
    text = marked.translate(str.maketrans("", "", "<>{}"))
    spans = []
    for opening, closing in (("{", "}"), ("<", ">")):
        start = -1
        while (start := marked.find(opening, start + 1)) >= 0:
            end = marked.find(closing, start)
            before = sum(mark in "<>{}" for mark in marked[: start + 1])
            spans.append(Span(start + 1 - before, end - before))
    [case] = study([Instance("1", text, *spans)], True, DEFAULT_MODEL)
    assert case.pronoun.text == marked[marked.find("{") + 1 : marked.find("}")]
    assert [it.text for it in case.candidates if cues.is_precluded(case.pronoun, it)] == expected
