"""The list of gendered words: one partner for each way, plurals, and a sentence of the test data for every entry."""

from collections import defaultdict
from pathlib import Path

import pytest

from gapforge.counterfactuals.lexicon import SECTIONS, Entry, gendered_lexicon, inflect, plural_of, read_entries

PAIRS = Path(__file__).parent / "data" / "gendered_pairs.tsv"

LEXICON = gendered_lexicon()


def forms_of(entry):
    """Singulars and plurals that are exchanged, masculine first."""
    both = ((entry.masculine, entry.feminine), (entry.masculine_plural, entry.feminine_plural))
    return [(masculine, feminine) for masculine, feminine in both if masculine and feminine]


def words_of(*sides):
    return {word for entry in LEXICON.entries for side in sides if (word := getattr(entry, side))}


MASCULINE = words_of("masculine", "masculine_plural")
FEMININE = words_of("feminine", "feminine_plural")


def test_the_list_is_long():
    assert len(LEXICON.entries) >= 400
    counts = {section: sum(entry.section == section for entry in LEXICON.entries) for section in SECTIONS}
    assert {section for section, count in counts.items() if count < 10} == set()


def test_each_entry_is_there_once():
    seen = [(entry.section, entry.masculine, entry.feminine) for entry in LEXICON.entries]
    assert len(seen) == len(set(seen))


def test_a_word_has_one_partner_for_each_way_and_section():
    partners = defaultdict(set)
    for entry in LEXICON.entries:
        for masculine, feminine in forms_of(entry):
            if entry.sign != "<":
                partners[entry.section, masculine].add(feminine)
            if entry.sign != ">":
                partners[entry.section, feminine].add(masculine)
    assert {key: found for key, found in partners.items() if len(found) > 1} == {}
    assert {(section, word): {LEXICON.partners[section][word]} for section, word in partners} == partners
    assert sum(map(len, LEXICON.partners.values())) == len(partners)


def test_what_is_exchanged_both_ways_comes_back():
    wrong = []
    for entry in LEXICON.entries:
        table = LEXICON.partners[entry.section]
        if entry.sign == "=":
            wrong += [(m, f) for m, f in forms_of(entry) if table[m] != f or table[f] != m]
    assert wrong == []


def test_signs_are_three_and_say_which_way():
    assert {entry.sign for entry in LEXICON.entries} == {"=", ">", "<"}
    nouns = LEXICON.partners["noun"]
    assert {word: nouns.get(word) for word in ("chap", "poet", "poetess", "cow", "bull", "chaps", "poetesses")} == {
        "chap": "woman",
        "poet": None,
        "poetess": "poet",
        "cow": None,
        "bull": "cow",
        "chaps": "women",
        "poetesses": "poets",
    }


def test_no_word_is_of_both_genders():
    assert sorted(MASCULINE & FEMININE) == []
    assert LEXICON.genders == dict.fromkeys(MASCULINE, "masculine") | dict.fromkeys(FEMININE, "feminine")


def test_words_are_small_and_their_apostrophes_straight():
    assert [word for word in MASCULINE | FEMININE if word != word.lower() or "’" in word] == []


def test_both_of_a_pair_have_a_plural_or_neither():
    found = [it for it in LEXICON.entries if bool(it.masculine_plural) != bool(it.feminine_plural)]
    assert found == []


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("boy", "boys"),
        ("guy", "guys"),
        ("lady", "ladies"),
        ("granny", "grannies"),
        ("princess", "princesses"),
        ("witch", "witches"),
        ("fox", "foxes"),
        ("waltz", "waltzes"),
        ("lush", "lushes"),
        ("fiancé", "fiancés"),
        ("marquise", "marquises"),
        ("monk", "monks"),
        ("y", "ys"),
    ],
)
def test_regular_plurals(noun, plural):
    assert plural_of(noun) == plural


@pytest.mark.parametrize(
    ("word", "section", "forms"),
    [
        ("man/men", "noun", ("man", "men")),
        ("boy", "noun", ("boy", "boys")),
        ("bro/-", "noun", ("bro", "")),
        ("lad", "address", ("lad", "lads")),
        ("sir/-", "address", ("sir", "")),
        ("king", "title", ("king", "")),
        ("manly", "adjective", ("manly", "")),
        ("manfully", "adverb", ("manfully", "")),
        ("father-in-law/fathers-in-law", "noun", ("father-in-law", "fathers-in-law")),
    ],
)
def test_a_word_and_its_plural(word, section, forms):
    assert inflect(word, section) == forms


def test_lines_become_entries():
    lines = "\nman/men = woman/women\nbro/- = sis/-\nchap > woman/women\n"
    assert list(read_entries("noun", lines)) == [
        Entry("noun", "man", "men", "=", "woman", "women"),
        Entry("noun", "bro", "", "=", "sis", ""),
        Entry("noun", "chap", "chaps", ">", "woman", "women"),
    ]


@pytest.mark.parametrize(
    ("word", "sections", "partner"),
    [
        ("lord", ("noun",), "lady"),
        ("lady", ("noun",), "gentleman"),
        ("lady", ("title",), "lord"),
        ("lady", ("address", "noun"), "lord"),
        ("master", ("title", "noun"), "miss"),
        ("master", ("noun", "title"), "mistress"),
        ("miss", ("title",), "mr"),
        ("miss", ("address",), "sir"),
        ("miss", ("noun",), "lad"),
        ("table", ("noun", "title", "adjective", "adverb", "address"), None),
    ],
)
def test_sections_are_asked_in_order(word, sections, partner):
    assert LEXICON.partner(word, *sections) == partner


def test_every_entry_has_its_sentences_in_the_order_of_the_list():
    header, *lines = PAIRS.read_text("utf-8").splitlines()
    assert header.split("\t") == ["masculine", "sign", "feminine", "masculine_sentence", "feminine_sentence"]
    rows = [line.split("\t") for line in lines]
    assert {len(row) for row in rows} == {5}
    assert [row[:3] for row in rows] == [[it.masculine, it.sign, it.feminine] for it in LEXICON.entries]


def test_the_sentences_of_an_entry_hold_its_words():
    lines = PAIRS.read_text("utf-8").splitlines()[1:]
    lacking = []
    for entry, line in zip(LEXICON.entries, lines, strict=True):
        *_, masculine, feminine = line.lower().replace("’", "'").split("\t")
        pairs = forms_of(entry) or [(entry.masculine, entry.feminine)]
        if not any(m in masculine and f in feminine for m, f in pairs):
            lacking.append((entry.masculine, entry.feminine))
    assert lacking == []


def test_kept_phrases_hold_a_gendered_word():
    lacking = []
    for first, phrases in LEXICON.kept.items():
        for phrase in phrases:
            assert phrase[0] == first
            bare = {word.removesuffix("'s") for word in phrase}
            if not bare & LEXICON.genders.keys() and not any(word.endswith(("woman", "women")) for word in bare):
                lacking.append(" ".join(phrase))
    assert lacking == []
    assert sum(map(len, LEXICON.kept.values())) >= 400


@pytest.mark.parametrize(
    "phrase",
    [
        ("man", "of", "war"),
        ("no", "man's", "land"),
        ("old", "wives", "tale"),
        ("men", "o", "war"),
        ("god", "forbid"),
    ],
)
def test_phrases_are_parted_at_hyphens_and_have_no_mark_at_the_end_of_a_word(phrase):
    assert phrase in LEXICON.kept[phrase[0]]


def test_words_of_another_part_of_speech():
    parts = {part for found in LEXICON.also.values() for part in found}
    assert parts == {"verb", "adjective", "adverb", "interjection"}
    assert set(LEXICON.also) - LEXICON.genders.keys() == set()
    assert {word: LEXICON.also[word] for word in ("count", "prior", "lord")} == {
        "count": {"verb"},
        "prior": {"adjective", "adverb"},
        "lord": {"verb", "interjection"},
    }
