"""Runs of capitalised words, read as names: what the text itself says before any model is asked.

A run gives at most one mention of a person, and its gender comes from words of the run or
from what the whole document says of them (`roster`). `scan` relies on that.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from gapforge.people.lexicon import MEMORY, cased, first_name_gender, is_first_name, name_lexicon
from gapforge.records import Gender, Span


@cache
def uppercase_class() -> str:
    """The inside of a character class for all capitals of Unicode; `re` has none of its own."""
    capitals = [n for n in range(sys.maxunicode + 1) if chr(n).isupper()]
    ranges: list[list[int]] = []
    for n in capitals:
        if ranges and ranges[-1][1] == n - 1:
            ranges[-1][1] = n
        else:
            ranges.append([n, n])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


LETTER = r"[^\W\d_]"
ACCENT = "[\u0300-\u036f]"  # letters may be written in two parts
# GAP's own files have * for letters beyond ASCII.
WORD = re.compile(
    rf"(?<!{LETTER})[{uppercase_class()}](?:{LETTER}|{ACCENT}|\d|\*(?={LETTER}))*(?:['’-](?:{LETTER}|{ACCENT}|\d)+)*"
)
ENDING = re.compile(r"['’](?:s|d|m|re|ve|ll)$", re.IGNORECASE)
GOES_ON = re.compile(r"[,;'’]|\s+[a-z]")
NEGATED = re.compile(r"n['’]t$", re.IGNORECASE)
PARTICLES = "|".join(sorted(map(re.escape, name_lexicon().particles)))
# What may stand between two words of one name: white space, and small words such as "van der" or "d'".
BETWEEN = re.compile(rf"(\.?)\s{{1,3}}(?:(?:{PARTICLES})\s|(of\s))*(?:[dl]['’])?")
OPENING = "\"“‘'([—–-:;…>/"
INSIDE = frozenset(("in", "at", "near", "into", "throughout", "across", "outside", "around", "through", "from"))
ASKS = name_lexicon().before_people
ROLES = frozenset(("as", "playing", "plays", "played", "portrays", "portraying", "portrayed"))
CLAUSES = frozenset(("by", "that", "when", "while", "whether", "because", "although", "though"))
VERBS = "|".join(sorted(name_lexicon().verbs))
KIN = "wife|husband|mother|father|brother|sister|son|daughter|parents|children|uncle|aunt|nephew|niece|widow"
BODY = "face|eyes|voice|hand|hands|lips|hair|head|heart|mind|career|death|marriage"
# What follows a name and can follow nothing but a name of a person, or hardly.
AFTER = re.compile(
    rf"\s+(?:himself|herself)\b|,?\s+(?:(?:with|for|to|by)\s)?(?:who|whom|whose)\b|\s?['’]s\s+(?:\w+\s)?(?:{KIN}|{BODY})\b|\s+and\s+(?:his|her)\b"
    rf"|\s+(?:had\s|also\s|later\s|then\s|never\s|was\s(?=born|married|appointed|elected|educated)){{0,2}}"
    rf"(?:{VERBS}|born|married|appointed|elected|educated)\b"
)
PASTS = "|".join(sorted(name_lexicon().pasts))
ACTING = re.compile(
    rf"\s?['’]s\s+[a-z]+\b(?!\s+[A-Z])|\s+(?:(?:was|is|had|has|would|could|did|does)(?:n['’]t)?|never|also|[a-z]+ed|{PASTS})\b"
)
LAST_WORD = re.compile(r"[^\W_]*$")
OPENS_NICKNAME = tuple('"“(')
NICKNAME_OPENS = re.compile(r'\s["“(]')
NICKNAME_CLOSES = re.compile(r'["”)]\s[A-Z]')
LONGEST_RUN = 12  # words; a name has fewer, and a file of capitals must not become one
WORKS = frozenset(
    (
        "film",
        "novel",
        "play",
        "opera",
        "song",
        "album",
        "ship",
        "yacht",
        "schooner",
        "steamer",
        "frigate",
        "hms",
        "uss",
        "ss",
    )
)
JUNIORS = frozenset(("Jr", "Sr"))
SAINTS = frozenset(("St", "Saint"))
NUMERAL = re.compile(r"[IVX]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A capitalised word, its possessive ending left outside."""

    start: int
    end: int
    text: str
    ended: bool  # by 's or the like: no name goes on after it
    dotted: bool  # a single letter with its full stop


@dataclass(frozen=True, slots=True)
class Run:
    """Capitalised words that follow each other within a sentence; `initial` where the first would be capital anyway."""

    words: tuple[Word, ...]
    initial: bool
    after_article: bool  # "the", "a" or "an"
    in_place: bool  # after "in", "near" and the like
    after_to: bool
    cued: bool  # by what only people do or have: "X said", "X's wife", "X, who"
    acting: bool  # it does or has something: "X had", "X's book", "by X", "that X"
    paired: bool  # after "and", directly behind another run
    aside: bool  # in brackets or after "as": the actor behind a character, or the character
    thing: bool  # after "film", "ship" and the like, or the place of "William of Malmesbury"

    @property
    def span(self) -> Span:
        return Span(self.words[0].start, self.words[-1].end)


@dataclass(frozen=True, slots=True)
class Name:
    """A run read as a name: its titles and the words that follow them."""

    titles: tuple[str, ...]
    words: tuple[str, ...]
    span: Span
    initial: bool = False  # its first word would be capital anyway
    after_article: bool = False

    @property
    def title_gender(self) -> Gender | None:
        genders = name_lexicon().titles
        return next((genders[title] for title in self.titles if genders[title]), None)

    @property
    def form(self) -> str:
        return " ".join(self.titles + self.words)


def find_runs(text: str, sentence: Span) -> list[Run]:
    runs: list[Run] = []
    words: list[Word] = []
    for word in capitalised(text, sentence):
        if words and (len(words) == LONGEST_RUN or not belong_together(text, words[-1], word)):
            runs.append(as_run(text, words, sentence, runs))
            words = []
        words.append(word)
    if words:
        runs.append(as_run(text, words, sentence, runs))
    return runs


def capitalised(text: str, sentence: Span) -> Iterator[Word]:
    for match in WORD.finditer(text, sentence.start, sentence.end):
        ending = ENDING.search(match[0])
        word = match[0][: ending.start()] if ending else match[0]
        end = match.start() + len(word)
        dotted = len(word) == 1 and text[end : end + 1] == "."
        # The full stop of "Thomas J. went home" or "Louis XIV. was" is the name's, unless the sentence may end with it.
        stops = dotted or (text[end : end + 1] == "." and NUMERAL.fullmatch(word) is not None)
        end += stops and GOES_ON.match(text, end + 1, sentence.end) is not None
        yield Word(match.start(), end, word, ending is not None, dotted)


def belong_together(text: str, left: Word, right: Word) -> bool:
    if left.ended:
        return False
    if left.dotted and text[left.end : right.start] in (".", ".-"):
        return True
    if is_nickname(text, left, right):
        return True
    between = BETWEEN.fullmatch(text, left.end, right.start)
    if between is None or (between[2] and cased(left.text) not in name_lexicon().of_titles):
        return False
    # A full stop within a name follows an initial or an abbreviated title.
    return not between[1] or len(left.text) == 1 or left.text.lower() in name_lexicon().abbreviations


def is_nickname(text: str, left: Word, right: Word) -> bool:
    """Whether one of the two stands in quotes or brackets within a name: William "Bill" Clinton."""
    between = text[left.end : right.start]
    if NICKNAME_OPENS.fullmatch(between):
        return NICKNAME_CLOSES.match(text, right.end) is not None
    return bool(NICKNAME_CLOSES.fullmatch(between + "A")) and text[left.start - 1 : left.start] in OPENS_NICKNAME


def as_run(text: str, words: list[Word], sentence: Span, earlier: list[Run]) -> Run:
    first, last = words[0].start, words[-1].end
    before = " ".join(text[max(sentence.start, first - 16) : first].split()).rstrip("_*")
    initial = not any(map(str.isalnum, text[sentence.start : first])) or before[-1:] in OPENING
    previous = (LAST_WORD.findall(before) or [""])[0].lower()
    cued = previous in ASKS or AFTER.match(text, last, sentence.end) is not None
    acting = previous in CLAUSES or before.endswith("ccording to") or ACTING.match(text, last, sentence.end) is not None
    paired = bool(earlier) and text[earlier[-1].span.end : first].strip() in ("and", "&")
    aside = previous in ROLES or text.rfind("(", sentence.start, first) > text.rfind(")", sentence.start, first)
    thing = previous in WORKS or (bool(earlier) and is_place_of(text, earlier[-1], first))
    flags = (previous in ("the", "a", "an"), previous in INSIDE, previous == "to", cued, acting, paired, aside, thing)
    return Run(tuple(words), initial, *flags)


def is_place_of(text: str, earlier: Run, first: int) -> bool:
    """Whether a run is the place in William of Malmesbury."""
    alone = len(earlier.words) == 1 and is_given(earlier.words[0].text)
    return alone and text[earlier.span.end : first].split() == ["of"]


def read_name(run: Run, skip: int = 0) -> Name | None:
    """The name in a run after so many words, without what cannot belong to it; None where nothing is left.

    "When Miss Taylor" gives the title Miss and the word Taylor.
    """
    lexicon = name_lexicon()
    shown = run.words[skip:]
    words = [cased(word.text) for word in shown]
    titled = [n for n in range(len(words)) if is_title(words, n)]
    named = [n for n, word in enumerate(shown) if is_initial_of_name(shown, n) or not is_never(word.text)]
    if not (titled or named):
        return None
    # "New York Mayor Michael Bloomberg" is named from the title on.
    first = min(titled or named)
    if is_opener(words, first):
        first += 1
    if first and words[first - 1] in lexicon.strong_heads:
        # St. John Rivers is a person, St. James's is none.
        if words[first - 1] not in SAINTS or len(words) - first < 2:
            return None
        first -= 1
    begin = first
    while is_title(words, begin):
        begin += 1
    while begin == first > 0 and words[first - 1] in lexicon.capital_particles:
        begin = first = first - 1
    end = begin + 1
    while end < len(words) and not is_title(words, end):
        if words[end] in lexicon.function and not is_initial_of_name(shown, end):
            break
        end += 1
    last = end
    while end > begin + 1 and words[end - 1] in lexicon.capital_particles | JUNIORS:
        end -= 1
    last = last if words[last - 1] in JUNIORS else end
    # "Queen Mother" is no name, Mr. Deacon is.
    if is_office(words[first:begin], words[begin:end]):
        return None
    titles = tuple(words[first:begin])
    # An office before a full name is no part of it: Officer Pam Greer is Pam Greer.
    offices = begin - first if end - begin > 1 and word_gender(words[begin]) and is_neutral(titles) else 0
    span = Span(shown[first + offices].start, shown[last - 1].end)
    # Van Gogh is Vincent van Gogh.
    while begin < end - 1 and words[begin] in lexicon.capital_particles:
        begin += 1
    place = skip + first
    article = cased(run.words[place - 1].text) == "The" if place else run.after_article
    return Name(titles, tuple(words[begin:end]), span, initial=run.initial and place == 0, after_article=article)


def is_initial_of_name(words: tuple[Word, ...], n: int) -> bool:
    """Whether a letter is the A. of A. A. Milne."""
    return words[n].dotted and n + 1 < len(words)


def is_opener(words: list[str], n: int) -> bool:
    """Whether a word that could be a first name begins a question or an order here: "Will Dora come?"."""
    lexicon = name_lexicon()
    if words[n] not in lexicon.openers or n + 1 == len(words):
        return False
    return is_given(words[n + 1]) and words[n + 1] not in lexicon.surnames


def is_neutral(titles: tuple[str, ...]) -> bool:
    return all(name_lexicon().titles[title] is None for title in titles)


def is_office(titles: list[str], words: list[str]) -> bool:
    lexicon = name_lexicon()
    return bool(titles) and not lexicon.personal.intersection(titles) and lexicon.titles.keys() >= set(words)


def is_title(words: list[str], n: int) -> bool:
    """Whether a word is a title here: a name must follow, though it may look like a common word (Captain Good)."""
    lexicon = name_lexicon()
    if not 0 <= n < len(words) - 1 or (words[n] == "M" and n):  # "M. Dupont", but "Florence M. Fagan"
        return False
    if words[n + 1] in JUNIORS:
        return False
    return cased(words[n]) in lexicon.titles and cased(words[n + 1]) not in lexicon.function


@lru_cache(MEMORY)
def is_never(word: str) -> bool:
    """Whether a word is no name by itself, as it is written or as it would be in running text."""
    lexicon = name_lexicon()
    if NEGATED.search(word) or NUMERAL.fullmatch(word) or {word, cased(word)} & lexicon.never:
        return True
    if "-" in word and word.rpartition("-")[2].islower() and not is_first_name(word):
        return True  # "Clinton-era"
    part = cased(word).split("-")[0]
    return part != cased(word) and part in lexicon.function and part not in lexicon.particles


@lru_cache(MEMORY)
def word_gender(word: str) -> Gender | None:
    """The gender of a first name, or of the first part of a double one such as Mary-Anne."""
    return first_name_gender(word) or first_name_gender(first_part(word))


@lru_cache(MEMORY)
def is_given(word: str) -> bool:
    """Whether the word is a first name of somebody somewhere."""
    return not is_never(word) and (is_first_name(word) or is_first_name(first_part(word)))


def first_part(word: str) -> str:
    """Mary of Mary-Anne; "Red-haired" has none."""
    first, _, second = word.partition("-")
    return first if second.istitle() else word
