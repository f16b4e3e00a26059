"""Gendered words exchanged in columns: by the tags of the file, token for token."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gapforge.counterfactuals.columns import TaggedWords, exchange_in_columns, is_attached, is_suspect
from gapforge.counterfactuals.lexicon import gendered_lexicon
from gapforge.nlp.reading import DEFAULT_MODEL


def swap(tagged, names=None, protected=(), wedding=False):
    """The words of "He/PRP slept/VBD" exchanged; the last slash is before the tag."""
    pairs = [it.rpartition("/") for it in tagged.split()]
    words, tags = [word for word, _, _ in pairs], [tag for _, _, tag in pairs]
    return " ".join(exchange_in_columns(TaggedWords(words, tags, protected), names or {}, wedding, DEFAULT_MODEL))


def swap_untagged(text, tag="-"):
    words = text.split()
    return " ".join(exchange_in_columns(TaggedWords(words, [tag] * len(words), ()), {}, False, DEFAULT_MODEL))


PRONOUNS = [
    ("He/PRP brings/VBZ her/PRP bread/NN ./.", "She brings him bread ."),
    ("He/PRP brings/VBZ her/PRP$ bread/NN ./.", "She brings his bread ."),
    ("He/PRP saw/VBD her/PRP ./.", "She saw him ."),
    ("She/PRP gave/VBD him/PRP his/PRP$ book/NN ./.", "He gave her her book ."),
    ("The/DT book/NN was/VBD his/PRP ./.", "The book was hers ."),
    ("The/DT book/NN was/VBD his/PRP$ ./.", "The book was hers ."),
    ("The/DT book/NN was/VBD hers/PRP ./.", "The book was his ."),
    ("The/DT book/NN was/VBD hers/JJ ./.", "The book was his ."),
    ("He/PRP himself/PRP met/VBD herself/PRP ./.", "She herself met himself ."),
    ("They/PRP saw/VBD it/PRP and/CC me/PRP ./.", "They saw it and me ."),
]
CAPITALS = [
    ("I/PRP saw/VBD HER/PRP ./.", "I saw HIM ."),
    ("HER/PRP$ BOOK/NN IS/VBZ HERS/PRP ./.", "HIS BOOK IS HIS ."),
    ("Her/PRP$ book/NN fell/VBD ./.", "His book fell ."),
    ("Her/PRP$ Majesty/NNP slept/VBD ./.", "His Majesty slept ."),
    ("Mother/NN and/CC the/DT KING/NN slept/VBD ./.", "Father and the QUEEN slept ."),
]
TITLES = [
    ("Mr./NNP Hale/NNP met/VBD Mrs./NNP Dane/NNP ./.", "Mrs. Hale met Mr. Dane ."),
    ("Mr/NNP Hale/NNP met/VBD Ms/NNP Dane/NNP ./.", "Mrs Hale met Mr Dane ."),
    ("Miss/NNP Hale/NNP slept/VBD ./.", "Mr. Hale slept ."),
    ("Queen/NNP Anne/NNP slept/VBD ./.", "King Anne slept ."),
    # A full stop by itself stays by itself.
    ("Mr/NNP ./. Hale/NNP slept/VBD ./.", "Mrs . Hale slept ."),
]
ARTICLES = [
    ("an/DT actress/NN met/VBD an/DT earl/NN", "an actor met a countess"),
    ("a/DT governess/NN met/VBD an/DT heiress/NN", "a tutor met an heir"),
    ("AN/DT EARL/NN SLEPT/VBD ./.", "A COUNTESS SLEPT ."),
    ("a/DT ``/`` nephew/NN ''/''", "a `` niece ''"),
    ("an/DT ``/`` uncle/NN ''/''", "an `` aunt ''"),
    ("An/DT ``/`` earl/NN ''/''", "A `` countess ''"),
]
MARKS = [
    ("``/`` She/PRP left/VBD ,/, ''/'' he/PRP said/VBD ./.", "`` He left , '' she said ."),
    ("-LRB-/-LRB- He/PRP left/VBD -RRB-/-RRB- /./.", "-LRB- She left -RRB- /."),
    ("-LSB-/-LRB- his/PRP$ -RSB-/-RRB- -LCB-/-LRB- her/PRP -RCB-/-RRB-", "-LSB- hers -RSB- -LCB- him -RCB-"),
    ("Did/VBD she/PRP see/VB him/PRP /?/.", "Did he see her /?"),
    ("He/PRP /-/: she/PRP said/VBD /-/: left/VBD", "She /- he said /- left"),
    ("[/-LRB- he/PRP ]/-RRB- $/$ she/PRP", "[ she ] $ he"),
    ("``/`` Yes/UH ,/, sir/NN ,/, it/PRP 's/VBZ late/JJ ./. ''/''", "`` Yes , ma'am , it 's late . ''"),
    ("“/`` Yes/UH ,/, sir/NN ./. ”/''", "“ Yes , ma’am . ”"),
    pytest.param(
        "``/`` Yes/UH ,/, sir/NN ./. ''/''",
        "`` Yes , ma'am . ''",
    ),
]
PARTED = [
    ("He/PRP did/VBD n't/RB see/VB her/PRP ./.", "She did n't see him ."),
    ("She/PRP 's/VBZ late/JJ and/CC he/PRP 'll/MD wait/VB ./.", "He 's late and she 'll wait ."),
    ("the/DT king/NN 's/POS horse/NN", "the queen 's horse"),
    ("the/DT princess/NN '/POS crown/NN", "the prince 's crown"),
    ("the/DT princesses/NNS '/POS crowns/NNS", "the princes ' crowns"),
    ("the/DT ladies/NNS '/POS hats/NNS", "the gentlemen 's hats"),
    ("her/PRP$ mother-in-law/NN 's/POS ex-husband/NN", "his father-in-law 's ex-wife"),
    ("his/PRP$ father/NN -/HYPH in/IN -/HYPH law/NN", "her mother - in - law"),
    ("Tell/VB 'em/PRP she/PRP left/VBD", "Tell 'em he left"),
]
NOUNS = [
    ("They/PRP count/VBP on/IN the/DT count/NN ./.", "They count on the countess ."),
    ("Larry/NNP King/NNP left/VBD Queen/NNP Street/NNP ./.", "Larry King left Queen Street ."),
    ("The/DT groom/NN slept/VBD ./.", "The groom slept ."),
    ("It/PRP rained/VBD ./.", "It rained ."),
    ("", ""),
]


@pytest.mark.parametrize(
    ("tagged", "swapped"), PRONOUNS + CAPITALS + TITLES + ARTICLES + MARKS + PARTED + NOUNS
)  # fmt: skip
def test_swapped_by_tags(tagged, swapped):
    assert swap(tagged) == swapped


def test_a_groom_is_a_bride_s_where_the_document_tells_of_a_wedding():
    assert swap("The/DT groom/NN slept/VBD ./.", wedding=True) == "The bride slept ."


@pytest.mark.parametrize("tag", ["-", "_", "*", "XX", ""])
def test_without_tags_the_model_reads_the_sentence(tag):
    for text, swapped in [
        ("He saw her .", "She saw him ."),
        ("He lost her book .", "She lost his book ."),
        ("The book on his desk was his .", "The book on her desk was hers ."),
        ("`` She left , '' he said .", "`` He left , '' she said ."),
        ("Mr. Hale did n't see the king 's wife /.", "Mrs. Hale did n't see the queen 's husband /."),
    ]:
        assert swap_untagged(text, tag) == swapped


def test_one_tag_is_enough_to_go_by_tags():
    """The model takes bread for hers, and is not asked."""
    assert swap_untagged("He brings her bread .") == "She brings his bread ."
    assert swap("He/- brings/- her/PRP bread/- ./-") == "She brings him bread ."


@pytest.mark.parametrize(
    ("tagged", "names", "protected", "swapped"),
    [
        ("King/NNP saw/VBD the/DT king/NN ./.", {}, {0}, "King saw the queen ."),
        ("King/NNP saw/VBD the/DT king/NN ./.", {}, (), "Queen saw the queen ."),
        ("Earl/NNP 's/POS wife/NN", {}, {0}, "Earl 's husband"),
        ("Tom/NNP saw/VBD her/PRP ./.", {0: "Ann"}, {0}, "Ann saw him ."),
        ("Tom/NNP rained/VBD", {0: "E1"}, {0}, "E1 rained"),
        ("King/NNP slept/VBD", {0: "E1"}, {0}, "E1 slept"),
        # What a and an have to be follows from names as well.
        ("a/DT Clinton/NNP aide/NN", {1: "E1"}, {1}, "an E1 aide"),
        ("an/DT Ann/NNP Hale/NNP", {1: "Tom"}, {1, 2}, "a Tom Hale"),
        ("an/DT Ann/NNP Hale/NNP", {1: "Eunice"}, {1, 2}, "a Eunice Hale"),
        ("James/NNP '/POS wife/NN", {0: "Ann"}, {0}, "Ann 's husband"),
        ("James/NNP '/POS wife/NN", {0: "Agnes"}, {0}, "Agnes ' husband"),
        pytest.param(
            *("James/NNP '/POS wife/NN", {0: "E1"}, {0}, "E1 's husband"),
        ),
        ("-LRB-/-LRB- Tom/NNP -RRB-/-RRB-", {1: "Ann"}, {1}, "-LRB- Ann -RRB-"),
        # The ending follows the name, though the word in its place has a gender too.
        ("The/DT actress/NNP '/POS book/NN fell/VBD ./.", {1: "E1"}, {1}, "The E1 's book fell ."),
        ("The/DT actress/NNP '/POS book/NN fell/VBD ./.", {1: "Ross"}, {1}, "The Ross ' book fell ."),
    ],
)
def test_names_are_put_in_and_hold_no_gendered_word(tagged, names, protected, swapped):
    assert swap(tagged, names, protected) == swapped


@pytest.mark.parametrize(
    ("left", "right", "attached"),
    [
        ("John", "'s", True),
        ("John", "’s", True),
        ("do", "n't", True),
        ("DO", "N'T", True),
        ("(", "he", True),
        ("he", ")", True),
        ("“", "He", True),
        ("left", "”", True),
        ("left", ".", True),
        ("$", "5", True),
        ("he", "left", False),
        ("-", "he", False),
        (".", "(", False),
    ],
)
def test_tokens_that_no_blank_parts(left, right, attached):
    assert is_attached(left, right) is attached


@pytest.mark.parametrize(
    ("word", "suspect"), [("her", True), ("HERS", True), ("boy-king", True), ("policewoman", True), ("'s", False)]
)
def test_words_that_may_be_gendered(word, suspect):
    assert is_suspect(word) is suspect


def test_words_of_one_partner_come_back():
    pairs = [
        (tag, *pair)
        for entry in gendered_lexicon().entries
        if entry.section == "noun" and entry.sign == "="
        for tag, pair in (
            ("NN", (entry.masculine, entry.feminine)),
            ("NNS", (entry.masculine_plural, entry.feminine_plural)),
        )
        if all(pair) and " " not in "".join(pair)
    ]
    assert len(pairs) >= 600
    wrong = []
    for tag, masculine, feminine in pairs:
        for one, other in ((masculine, feminine), (feminine, masculine)):
            once = swap(f"The/DT {one}/{tag} slept/VBD ./.")
            twice = swap(f"The/DT {once.split()[1]}/{tag} slept/VBD ./.")
            if (once, twice) != (f"The {other} slept .", f"The {one} slept ."):
                wrong.append((one, once, twice))
    assert wrong == []


GENDERED = ["he", "she", "him", "her", "his", "hers", "HER", "Her", "king", "Queens", "actress", "earl", "Mr.", "Mrs"]
GENDERED += ["Miss", "sir", "lady", "boy-king", "ma'am", "M.", "princess", "groom", "count", "woman", "lady's-maid"]
PLAIN = ["a", "an", "A", "AN", "Hale", "Tom", "of", "my", "slept", "saw", "the", "I", "E1", "-", "--", ".", ",", "5"]
PLAIN += ["``", "''", "`", "'", "’", "'s", "’s", "n't", "'ll", "-LRB-", "-RRB-", "/.", "/?", "/-", "(", ")", "“", "”"]
STRANGE = [
    "🙂",
    "İ",
    "ſ",
    "ß",
    "\u2028",
    "\u00a0",
    "\u00adher",
    "her\u200b",
    "he\u00a0she",
    "\x85",
    "\x0b",
    "s/he",
    "_her_",
]
STRANGE += ["é", "\u0301", "\u202ehe", "ﬁ", "her.", "'her'", "his/her", "he--she", "[he]", "%", "#", "\ufeff", "\x00"]
ANY = st.text(st.characters(exclude_characters=" \t\r\n", exclude_categories=["Cs"]), min_size=1, max_size=6)
TOKENS = st.one_of(st.sampled_from(GENDERED), st.sampled_from(PLAIN), st.sampled_from(STRANGE), ANY)
TAGS = st.sampled_from(["PRP", "PRP$", "NN", "NNS", "NNP", "JJ", "VBD", "VB", "DT", "IN", "POS", ".", ",", "-", "XX"])
SENTENCES = st.lists(st.tuples(TOKENS, TAGS), max_size=12)
NAMES = st.sampled_from(["E1", "E20", "Ann", "TOM", "Eunice", "James"])


def is_cell(word):
    return bool(word) and not set(word) & set(" \t\r\n")


@given(sentence=SENTENCES, names=st.dictionaries(st.integers(0, 11), NAMES), wedding=st.booleans(), data=st.data())
@settings(max_examples=200, deadline=None)
def test_whatever_the_tokens_their_number_stays(sentence, names, wedding, data):
    words, tags = [word for word, _ in sentence], [tag for _, tag in sentence]
    # A token of a name begins with a capital.
    names = {token: new for token, new in names.items() if token < len(words) and words[token][0].isupper()}
    others = data.draw(st.sets(st.integers(0, 11)))
    found = exchange_in_columns(TaggedWords(words, tags, {*names, *others}), names, wedding, DEFAULT_MODEL)
    assert len(found) == len(words)
    assert [word for word in found if not is_cell(word)] == []
    articles = {"a", "an", "A", "An", "AN"}
    for token, (old, new) in enumerate(zip(words, found, strict=True)):
        if token in others - set(names) and old not in articles and "'" not in old and "’" not in old:
            assert new == old
        if not is_suspect(old) and token not in names and old not in articles and new != old:
            assert (old, new) in {("'", "'s"), ("’", "’s"), ("'", "'S"), ("’", "’S")}


@given(sentence=st.lists(TOKENS, max_size=8))
@settings(max_examples=60, deadline=None)
def test_whatever_the_tokens_their_number_stays_without_tags(sentence):
    found = exchange_in_columns(TaggedWords(sentence, ["-"] * len(sentence), ()), {}, False, DEFAULT_MODEL)
    assert len(found) == len(sentence)
    assert [word for word in found if not is_cell(word)] == []


FIXED = [("he", "PRP"), ("she", "PRP"), ("himself", "PRP"), ("herself", "PRP"), ("king", "NN"), ("queens", "NNS")]
FIXED += [("Nephew", "NN"), ("AUNT", "NN"), ("slept", "VBD"), ("the", "DT"), (",", ","), ("``", "``"), ("''", "''")]


@given(sentence=st.lists(st.sampled_from(FIXED), max_size=12))
@settings(max_examples=150, deadline=None)
def test_swapped_twice_words_of_one_partner_are_back(sentence):
    words, tags = ["it", *(word for word, _ in sentence)], ["PRP", *(tag for _, tag in sentence)]
    once = exchange_in_columns(TaggedWords(words, tags, ()), {}, False, DEFAULT_MODEL)
    assert exchange_in_columns(TaggedWords(once, tags, ()), {}, False, DEFAULT_MODEL) == words
    small = [word for word, _ in sentence if word.islower() and is_suspect(word)]
    assert all(new != old for old, new in zip(words, once, strict=True) if old in small)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("She/PRP paid/VBD her/PRP$ bail/NN", "He paid his bail"),
        ("She/PRP told/VBD her/PRP$ stories/NNS", "He told his stories"),
        ("She/PRP called/VBD her/PRP$ captain/NN", "He called his captain"),
        ("They/PRP put/VBD her/PRP back/RB in/IN jail/NN", "They put him back in jail"),
        ("They/PRP keep/VBP her/PRP all/DT to/TO themselves/PRP", "They keep him all to themselves"),
        ("She/PRP saw/VBD his/PRP$ father/XX", "He saw her mother"),
        ("She/PRP saw/VBD her/PRP$ brother/XX", "He saw his sister"),
    ],
)
def test_the_tag_of_her_decides(words, expected):
    tokens, tags = zip(*(it.rsplit("/", 1) for it in words.split()), strict=True)
    sentence = TaggedWords(list(tokens), list(tags), ())
    assert " ".join(exchange_in_columns(sentence, {}, False, DEFAULT_MODEL)) == expected
