"""Minimal pairs: whether the four texts of a quadruple differ in names and gendered words, and in nothing else.

This looks at the four scenes alone, not at how they were made, so that it also catches what
the making got wrong. A quadruple with a fault is left out; nothing is repaired.

From a scene to its quadruple, made and checked: what the stage, the command and the benchmark share.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from gapforge.counterfactuals.lexicon import SECTIONS, gendered_lexicon
from gapforge.counterfactuals.pronouns import FIXED
from gapforge.counterfactuals.variants import COUNTERFACTUALS, PLACES, SWAPS, Quadruple, Scene, make_quadruple
from gapforge.counterfactuals.words import (
    DOTTED,
    LETTERS,
    as_key,
    exchange_words,
    in_quotation,
    kept_phrases,
    partner_of,
    singulars,
)
from gapforge.extraction.candidates import COUPLE
from gapforge.groups import GENDERS
from gapforge.people.lexicon import cased, name_lexicon
from gapforge.people.names import ENDING
from gapforge.records import Person, Role, Span

# Each form with those that may stand in its place.
PRONOUN_PARTNERS = {word: (partner,) for word, partner in FIXED.items()} | {
    "his": ("her", "hers"),
    "her": ("him", "his"),
}
ARTICLES = ("a", "an")
TOKEN = re.compile(rf"(?<![^\W_])['’][sS]\b|{LETTERS}(?:['’-]{LETTERS})*|\d+|[^\w\s]|_")
BARE_POSSESSIVE = re.compile(r"['’](?=\s+[^\W_])")
PRONOUN = re.compile(rf"(?<![^\W_])(?:{'|'.join(PRONOUN_PARTNERS)})(?![^\W_])", re.IGNORECASE)
POSSESSIVE = "'s"
START = attrgetter("start")
HALF_A_TITLE = ("Great ", "Grand ", "Step ", "Half ", "Great-", "Grand-", "Step-", "Half-")
KIN = re.compile(r"\b(?:[Mm]y|cousin|uncle|aunt|brother|sister|nephew|niece)\s\Z")
SPACE = re.compile(r"\s+")
# Dialect and foreign words of endearment have forms of their own, which no table exchanges.
DIALECT = re.compile(
    r"(?<![^\W_])['’‘](?:[Ii]m|[Ii]mself|[Ii]sself|[Ee]rself|ers?|e|is)\b|\b(?:[Hh]ersel|[Hh]imsel|[Hh]issel|hisn|hern)\b"
    r"|\b[Mm](?:a|on) (?:ch[eé]rie?|ch[eè]re?|belle|mie|bonne|ami|amie)\b"
)
# Somebody goes by two names: "introduced himself as Mr. Adams".
IDENTITY = re.compile(
    r"\b(?:introduced (?:him|her)self|call(?:ed|ing) (?:him|her)self|n[eé]e|alias|better known as|whose real name)\b"
)
SISTERS = re.compile(r"\bthe\s+(?:two\s+|three\s+)?Miss\s")
# God stays God, so the pronouns after the name may not be exchanged.
GODS = re.compile(
    r"(?<!hank )(?<![Mm]y )(?<![Bb]y )(?<!h )\b(?:God|Providence|the Almighty|the Lord|Jesus|Christ)\s+[a-z]+\b"
    r"(?:[^.!?;”\"A-Z]|I\b){0,40}\b(?:he|him|his|himself)\b"
)


def find_fault(quadruple: Quadruple) -> str:
    """The first fault of a quadruple in a few words, the same for each kind; empty where it is minimal."""
    original = quadruple["original"]
    return next((fault for fault in faults(original, quadruple) if fault), "")


@dataclass(frozen=True, slots=True)
class Layout:
    """What a scene has in which place: its mentions in order, and the text before, between and after them.

    `names` are the numbers of the mentions that A and B are (None for what is no mention of C1 or C2), and `pronoun`
    is how many pronouns stand before the scene's own.
    """

    scene: Scene
    mentions: list[Span]
    between: list[str]
    names: list[int | None]
    pronoun: int


def lay_out(scene: Scene) -> Layout:
    mentions = sorted((span for person in scene.people for span in person.mentions), key=START)
    edges = [0, *(edge for span in mentions for edge in (span.start, span.end)), len(scene.text)]
    between = [scene.text[edges[n] : edges[n + 1]] for n in range(0, len(edges), 2)]
    own = [mention for person in scene.people if person.role[0] == "C" for mention in person.mentions]
    names = [mentions.index(name) if name in own else None for name in (scene.name_a, scene.name_b)]
    pronoun = len(PRONOUN.findall(scene.text, 0, scene.pronoun.start))
    return Layout(scene, mentions, between, names, pronoun)


def faults(original: Scene, quadruple: Quadruple) -> Iterator[str]:
    layouts = {variant: lay_out(scene) for variant, scene in quadruple.items()}
    first = layouts["original"]
    yield from faults_of_text(first)
    yield fault_of_offsets(first, first, swapped=False)
    if any(has_two_titles(layout) for layout in layouts.values()):
        yield "title outside the name"
    for variant in COUNTERFACTUALS:
        scene = quadruple[variant]
        yield fault_of_offsets(first, layouts[variant], variant in SWAPS)
        if not all(is_named(scene.text, person) for person in scene.people):
            yield "wrong offset"
        if not has_names(original, scene, PLACES[variant]):
            yield "a name is missing"
    yield from faults_of_words(first.between, layouts["control"].between, swapped=False)
    yield from faults_of_words(layouts["swap-1"].between, layouts["swap-2"].between, swapped=False)
    yield from faults_of_words(first.between, layouts["swap-1"].between, swapped=True)


def faults_of_text(original: Layout) -> Iterator[str]:
    """What in a text no exchange of words and names can do right."""
    text = original.scene.text
    if DIALECT.search(text):
        yield "dialect or foreign form"
    if GODS.search(text):
        yield "pronoun of God"
    if IDENTITY.search(text):
        yield "one person by two names"
    if COUPLE.search(text) or SISTERS.search(text):
        yield "couple"
    if any(leftovers(original)):
        yield "name outside the mentions"
    # Great Aunt Vanessa is exchanged as a whole, or not at all.
    if any(text.endswith(HALF_A_TITLE, 0, mention.start) for mention in original.mentions):
        yield "title outside the name"
    if any(is_unclear(text, mention) for mention in original.mentions):
        yield "possessive or end of a quotation"


def leftovers(original: Layout) -> Iterator[str]:
    """Words of the four people's names that stand outside every mention, as a mention that was overlooked would."""
    lexicon = name_lexicon()
    text = original.scene.text
    forms = " ".join(text[span.start : span.end] for span in original.mentions)
    words = {word for word in re.findall(LETTERS, forms) if word[0].isupper() and len(word) > 1}
    words -= lexicon.titles.keys() | lexicon.function | lexicon.capital_particles
    for piece in original.between:
        for word in re.findall(LETTERS, piece):
            # The Darrells are a family: one of them cannot change the name by himself.
            if word in words or cased(word) in words or (word.endswith("s") and word[:-1] in words):
                yield word


def has_two_titles(layout: Layout) -> bool:
    """Whether a name with a title stands after another word of the kind: "his cousin Uncle Tringle", "my Lady Ann"."""
    text = layout.scene.text
    after_kin = [span for span in layout.mentions if KIN.search(text, max(0, span.start - 10), span.start)]
    return any(text[span.start : span.end].split()[0].rstrip(".") in name_lexicon().titles for span in after_kin)


def is_unclear(text: str, mention: Span) -> bool:
    """Whether an apostrophe after a name in s may be a possessive, or close the quotation that the name stands in."""
    if text[mention.end - 1] not in "sS" or not BARE_POSSESSIVE.match(text, mention.end):
        return False
    return in_quotation(text, mention.end)


def fault_of_offsets(original: Layout, found: Layout, swapped: bool) -> str:
    """Whether pronoun, names, mentions and genders are where the original has them."""
    scene = found.scene
    gender = GENDERS.get(scene.text[scene.pronoun.start : scene.pronoun.end].lower())
    if gender != scene.gender or (scene.gender == original.scene.gender) == swapped:
        return "wrong pronoun"
    if found.pronoun != original.pronoun:
        return "wrong pronoun"
    if any(left.end > right.start for left, right in pairwise(found.mentions)):
        return "mentions overlap"
    if found.names != original.names or None in found.names:
        return "wrong offset"
    if any((person.gender == scene.gender) != (person.role[0] == "C") for person in scene.people):
        return "wrong gender"
    return ""


def is_named(text: str, person: Person) -> bool:
    """Whether every mention is the person's name, in small letters or in capitals."""
    return all(text[span.start : span.end] in (person.name, person.name.upper()) for span in person.mentions)


def has_names(original: Scene, scene: Scene, places: dict[Role, Role]) -> bool:
    names = {person.role: person.name for person in original.people}
    return all(person.name == names[places[person.role]] and person.mentions for person in scene.people)


def faults_of_words(left: Sequence[str], right: Sequence[str], swapped: bool) -> Iterator[str]:
    """What is wrong between the words of two texts, piece by piece; `swapped` where gendered words must differ."""
    if len(left) != len(right):
        yield "texts do not align"
        return
    for old, new in zip(left, right, strict=True):
        if old != new or swapped:
            yield from faults_of_piece(old, new, swapped)


def faults_of_piece(old: str, new: str, swapped: bool) -> Iterator[str]:
    olds, news = tokens_of(old), tokens_of(new)
    if len(olds) != len(news) or SPACE.findall(old) != SPACE.findall(new):
        yield "texts do not align"
        return
    for (before, at), (after, there) in zip(olds, news, strict=True):
        if before == after:
            if swapped and is_left(before, at, old):
                yield "gendered word left"
            length = 1 if before == POSSESSIVE else len(before)
            as_before = old[at : at + length] == new[there : there + length]
        else:
            if swapped and not goes_back(before, after):
                yield "does not swap back"
            exchanged = (swapped and are_partners(before, after)) or (before in ARTICLES and after in ARTICLES)
            as_before = exchanged and old[at].isupper() == new[there].isupper()
        if not as_before:
            yield "another word changed"


def tokens_of(piece: str) -> list[tuple[str, int]]:
    """Words in small letters and marks with their places; possessive endings are all 's, titles have no full stop."""
    found: list[tuple[str, int]] = []
    for match in TOKEN.finditer(piece):
        word, start = match[0], match.start()
        if "'" not in word and "’" not in word:
            # Nearly all words, and every quadruple has hundreds.
            if word != "." or not found or found[-1][0] not in DOTTED:
                found.append((as_key(word), start))
            continue
        key = as_key(word)
        ending = ENDING.search(key)
        if ending and ending.start():
            found += [(key[: ending.start()], start), (ending[0], start + ending.start())]
        elif key == "'" and BARE_POSSESSIVE.match(piece, start):
            found.append((POSSESSIVE, start))
        else:
            found.append((key, start))
    return found


def are_partners(old: str, new: str) -> bool:
    if new in PRONOUN_PARTNERS.get(old, ()):
        return True
    partners = gendered_lexicon().partners
    # Of two that are spoken to together, each takes the other's word: "Sir or Madam".
    if any(partners[it].get(old) == new for it in SECTIONS) or partners["address"].get(new) == old:
        return True
    return new == partner_of(old, address=False, modifier=False)  # of a compound


def is_left(word: str, at: int, piece: str) -> bool:
    """Whether a word is gendered beyond doubt, and should have been exchanged."""
    gendered = word in PRONOUN_PARTNERS or (has_partner(word) and piece[at].islower() and not depends_on_use(word))
    return gendered and not any(phrase.start <= at < phrase.end for phrase in kept_phrases(piece))


def goes_back(old: str, new: str) -> bool:
    """Whether swapping again gives the old word back, where the lexicon has one word for the other."""
    lexicon = gendered_lexicon()
    sections = [it for it in SECTIONS if (it, old, new) in lexicon.mutual]
    return not sections or any(lexicon.partners[it].get(new) == old for it in sections)


def has_partner(word: str) -> bool:
    partners = gendered_lexicon().partners
    if word in partners["noun"] or word in partners["adjective"] or word in partners["adverb"]:
        return True
    return word.endswith(("woman", "women"))


def depends_on_use(word: str) -> bool:
    """Whether a word is gendered in one use and not in another, so that its context must be asked."""
    also = gendered_lexicon().also
    return any(it in also for it in singulars(word)) or word in ("groom", "grooms", "count", "counts")


def make_checked(scene: Scene, model: str) -> tuple[Quadruple, str]:
    """The four scenes, and what is wrong with them in a few words; they are used where nothing is."""
    quadruple = make_quadruple(scene, exchange_words(scene.text, model))
    return quadruple, find_fault(quadruple)
