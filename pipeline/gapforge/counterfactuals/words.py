"""Gendered words of a sentence, and what stands in their places when the genders are exchanged.

Words come from the lexicon, pronouns from the parse (`pronouns`). What is gendered in one use
is not in another: the noun *count* is exchanged, the verb is not; a *miss* with a name is, a
near miss is not; Queen Street stays where it is.

*a* and *an* before a word or a name that was exchanged: an earl becomes a countess.

Apostrophes after a name or a word in s: possessives by themselves, or the ends of quotations.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gapforge.counterfactuals.lexicon import Section, gendered_lexicon
from gapforge.counterfactuals.pronouns import PRONOUNS, exchange_pronoun
from gapforge.edits import Edit, Rewriting
from gapforge.nlp.reading import reader_of
from gapforge.nlp.sentences import split_sentences
from gapforge.people.lexicon import name_lexicon
from gapforge.people.names import ENDING
from gapforge.records import Span

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# Within a sentence a capital A is a letter: "Section A Bob".
ARTICLE = re.compile(r"(?<![^\W_])((?<![^\W_] )An?|AN|an?)\s+[\"'“‘_*]*$")
# Written with a vowel and spoken with a consonant, and the other way round.
SPOKEN_CONSONANT = re.compile(r"(?:uni|eu|ew|one\b|use|usu|u\b|uk|ura|uri|uti|uly)", re.IGNORECASE)
SPOKEN_VOWEL = re.compile(r"(?:heir|honest|honou?r|hour)", re.IGNORECASE)
LONGEST = 12  # characters from an article to its word


def with_articles(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits, and those of the articles before them that no longer fit."""
    found: list[Edit] = []
    for edit in edits:
        before = ARTICLE.search(text, max(0, edit.span.start - LONGEST), edit.span.start)
        # Where nothing is replaced, the article was that of the next word.
        old = text[edit.span.start : edit.span.end] or text[edit.span.end : edit.span.end + LONGEST]
        if before and begins_with_vowel(edit.new) != begins_with_vowel(old):
            span = Span(*before.span(1))
            article = "an" if begins_with_vowel(edit.new) else "a"
            if before[1].lower() != article and not (found and found[-1].span.end > span.start):
                loud = before[1].isupper() and edit.new.isupper() and len(edit.new) > 1
                found.append(Edit(span, article.upper() if loud else before[1][0] + article[1:]))
        found.append(edit)
    return found


def begins_with_vowel(word: str) -> bool:
    if not word or SPOKEN_VOWEL.match(word):
        return bool(word)
    letter = unicodedata.normalize("NFD", word[0].lower())[0]
    return letter in "aeiouæøœ" and not SPOKEN_CONSONANT.match(word)


POSSESSIVE_ENDING = re.compile(r"['’]s?$")
WORD_AHEAD = re.compile(r"\s+[^\W_]")
OPENS = re.compile(r"(?<![^\W_])['‘](?=\w)")
CLOSES = re.compile(r"(?<=[\w.,!?;:—-])['’](?![^\W_])")


def without_possessive(cell: str) -> str:
    """A name without the 's or the bare apostrophe that a cell may hold."""
    return POSSESSIVE_ENDING.sub("", cell)


def is_bare(text: str, mark: int) -> bool:
    """Whether an apostrophe is a possessive by itself: a word follows, and no quotation is open that it could close."""
    return WORD_AHEAD.match(text, mark + 1) is not None and not in_quotation(text, mark)


def in_quotation(text: str, mark: int) -> bool:
    """Whether a quotation between single marks was opened before and may end at this one."""
    return len(OPENS.findall(text, 0, mark)) > len(CLOSES.findall(text, 0, mark))


LETTERS = r"[^\W\d_]+"
WORD = re.compile(rf"{LETTERS}(?:['’-]{LETTERS})*")
PART = re.compile(rf"{LETTERS}(?:['’]{LETTERS})*")
NAME_AHEAD = re.compile(rf"(\.?)\s{{1,3}}({LETTERS})")
PARTS_OF_SPEECH = {"V": "verb", "M": "verb", "J": "adjective", "R": "adverb", "U": "interjection", "N": "noun"}
DOTTED = frozenset(("mr", "mrs", "ms", "dr", "messrs", "m", "mme", "mlle", "mdlle"))
UNDOTTED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr)\s")
# A groom belongs to a bride, or to a stable.
WEDDING = re.compile(r"\b(?:brid(?:e|es|al|esmaids?)|weddings?|altar|honeymoon|best man)\b", re.I)
STABLE = re.compile(
    r"\b(?:horses?|stables?|mares?|saddle[ds]?|stalls?|reins|carriages?|coachm[ae]n|pon(?:y|ies)|bridles?|stirrups?|trap|gig)\b",
    re.IGNORECASE,
)
DEITY = frozenset(("god", "lord"))
# "the count of votes" is no nobleman.
COUNT_OF = re.compile(r"\s+of\s+[a-z\d]")
DASHES = re.compile(r"-{2,}")
# What stands around somebody who is spoken to, and what may stand before: "my dear fellow".
CLOSES_ADDRESS = re.compile(r"\s*(?:[,.!?;:—”\"…)]|['’](?!s)|--|$)")
OPENS_ADDRESS = frozenset(",“\"‘'—-(!?.:;…")
WARM = frozenset(
    ("my", "dear", "old", "good", "young", "poor", "dearest", "fine", "sweet", "noble", "kind", "great", "gracious")
)
# What a gendered word may be joined to by a hyphen and still be gendered: "women-friends".
SECONDS = frozenset(
    ("in", "like", "elect", "friend", "friends", "servant", "servants", "cousin", "cousins", "child", "doctor")
)
COUPLING = re.compile(r"\s?/\s?|\s(?:or|and)\s", re.IGNORECASE)
WITHIN_SENTENCE = re.compile(r"(?:[^\W_],?|&)[ \n]+$")
CURLY = re.compile("[’‘“”]")
MARKS = str.maketrans("_*\n\r\t\u2028\u2029", "       ")


@dataclass(frozen=True, slots=True)
class Use:
    """A word as it stands in its sentence: without its ending, small and with a straight apostrophe in `key`."""

    span: Span
    text: str
    key: str


class Parse(Protocol):
    """Whatever knows the token at a place of its sentence, and the other gender's form of a pronoun there."""

    def token_at(self, start: int) -> "Token": ...

    def exchange(self, pronoun: str, start: int) -> str: ...


@dataclass(frozen=True, slots=True)
class Context:
    """A sentence with its words and its parse; `wedding` where the text around it tells of one."""

    sentence: str
    words: list[Use]
    parsed: Parse
    wedding: bool

    def token(self, use: Use) -> "Token":
        return self.parsed.token_at(use.span.start)


def exchange_words(text: str, model: str) -> list[Edit]:
    """The exchange of every gendered word of a text, in order; each sentence is read by itself."""
    wedding = tells_of_wedding(text)
    edits = []
    for sentence in split_sentences(text):
        found = exchange_in_sentence(text[sentence.start : sentence.end], wedding, model)
        edits += [Edit(Span(it.span.start + sentence.start, it.span.end + sentence.start), it.new) for it in found]
    return edits


def swap_text(text: str, model: str) -> str:
    """The text with every gendered word exchanged, and a and an as they need to be; names stay."""
    return Rewriting(text, with_articles(text, exchange_words(text, model))).text


def exchange_in_sentence(sentence: str, wedding: bool, model: str) -> tuple[Edit, ...]:
    return exchanged_by(lambda: ParsedSentence(sentence, model), sentence, wedding)


def exchanged_by(parse: Callable[[], Parse], sentence: str, wedding: bool) -> tuple[Edit, ...]:
    """The exchanges in a sentence, which is parsed only where a word of it may be gendered."""
    words = list(uses_in(sentence))
    if not any(may_be_gendered(use) for use in words):
        return ()
    return tuple(exchanges(Context(sentence, words, parse(), wedding)))


def tells_of_wedding(text: str) -> bool:
    """Whether a groom in this text is a bride's rather than a stable's."""
    return WEDDING.search(text) is not None and STABLE.search(text) is None


def readable(sentence: str) -> str:
    """The sentence as the model reads it best, every character in its place: _her_ and HER are her, -- is a dash."""
    plain = DASHES.sub(lambda it: it[0][1:].replace("-", " ") + "—", sentence.translate(MARKS))
    return WORD.sub(lambda it: it[0].lower() if it[0].isupper() and it[0].lower() in PRONOUNS else it[0], plain)


class ParsedSentence:
    """The parse of a sentence, asked by places of the sentence as it is written.

    The model reads it with single spaces: a line end before a pronoun would be a token between it and its verb.
    """

    def __init__(self, sentence: str, model: str) -> None:
        plain = readable(sentence)
        self.places = [n for n, mark in enumerate(plain) if mark != " " or plain[n - 1 : n] != " "]
        self.doc: Doc = reader_of(model).tree("".join(plain[n] for n in self.places))
        self.starts = [token.idx for token in self.doc]

    def token_at(self, start: int) -> "Token":
        """The token that holds the character at this place of the sentence."""
        return self.doc[bisect_right(self.starts, bisect_left(self.places, start)) - 1]

    def exchange(self, pronoun: str, start: int) -> str:
        return exchange_pronoun(pronoun, self.token_at(start))


def uses_in(sentence: str) -> Iterator[Use]:
    for match in WORD.finditer(sentence):
        ending = ENDING.search(match[0])
        text = match[0][: ending.start()] if ending else match[0]
        yield Use(Span(match.start(), match.start() + len(text)), text, as_key(text))


def as_key(text: str) -> str:
    small = text.lower()
    if small.isascii():
        return small
    return (small if len(small) == len(text) else text).replace("’", "'")


def may_be_gendered(use: Use) -> bool:
    return use.key in PRONOUNS or any(is_gendered(part) for part in (use.key, *use.key.split("-")))


def is_gendered(word: str) -> bool:
    return word in gendered_lexicon().genders or word.endswith(("woman", "women"))


def exchanges(context: Context) -> Iterator[Edit]:
    kept = kept_phrases(context.sentence)
    for n, use in enumerate(context.words):
        if any(phrase.start <= use.span.start < phrase.end for phrase in kept):
            continue
        if use.key not in PRONOUNS:
            if may_be_gendered(use):
                yield from exchange_word(context, n)
        elif not is_reverent(context, use):
            new = context.parsed.exchange(use.key, use.span.start)
            yield Edit(use.span, in_case_of(use.text, new, context.sentence))


def is_reverent(context: Context, use: Use) -> bool:
    """Whether a pronoun within a sentence has a capital: God's is not exchanged. Nor is half of "S/he"."""
    if use.key == "he" and context.sentence[: use.span.start].lower().endswith("s/"):
        return True
    return use.text.istitle() and is_within(context, use)


def is_within(context: Context, use: Use) -> bool:
    """Whether a word stands where a sentence or a quotation has begun before, so that its capital says something."""
    return WITHIN_SENTENCE.search(context.sentence, 0, use.span.start) is not None


def kept_phrases(sentence: str) -> list[Span]:
    """Where an idiom stands in which nothing is exchanged."""
    kept = gendered_lexicon().kept
    parts = [(as_key(match[0]), match.span()) for match in PART.finditer(sentence)]
    found = []
    for n, (word, (start, _)) in enumerate(parts):
        for phrase in kept.get(word, ()):
            words = [it for it, _ in parts[n : n + len(phrase)]]
            if tuple(words) == phrase or (*words[:-1], ENDING.sub("", words[-1])) == phrase:
                found.append(Span(start, parts[n + len(phrase) - 1][1][1]))
    return found


def exchange_word(context: Context, n: int) -> Iterator[Edit]:
    use = context.words[n]
    title = title_edit(context, n)
    if title:
        yield title
        return
    if is_part_of_name(context, n) or is_something_else(context, n):
        return
    polite = n > 0 and context.words[n - 1].key in ("my", "your")
    address = polite if use.key == "lady" else is_address(context, n)
    new = coupled(context, n) or partner_of(use.key, address, is_modifier(context.token(use)))
    if new:
        yield from with_ending(context.sentence, Edit(use.span, in_case_of(use.text, new, context.sentence)))


def coupled(context: Context, n: int) -> str | None:
    """The word of the other gender that one is coupled with, which need not be its usual partner: Sir or Madam."""
    use, partners = context.words[n], gendered_lexicon().partners.values()
    for other in (*context.words[max(n - 2, 0) : n], *context.words[n + 1 : n + 3]):
        left, right = sorted((use.span, other.span), key=lambda span: span.start)
        joined = COUPLING.fullmatch(context.sentence, left.end, right.start)
        if joined and any(it.get(use.key) == other.key or it.get(other.key) == use.key for it in partners):
            return other.key
    return None


def title_edit(context: Context, n: int) -> Edit | None:
    """The exchange of a title that stands before a name: Mr. Hale, Aunt Polly."""
    use = context.words[n]
    new = gendered_lexicon().partner(use.key, "title")
    ahead = NAME_AHEAD.match(context.sentence, use.span.end)
    if not new or not ahead or not use.text[0].isupper() or not is_name(ahead[2]):
        return None
    dotted = bool(ahead[1])
    end = use.span.end + (dotted and new not in DOTTED)
    dot = (
        "." if new in DOTTED and not dotted and use.key not in DOTTED and not UNDOTTED.search(context.sentence) else ""
    )
    return Edit(Span(use.span.start, end), in_case_of(use.text, new, context.sentence) + dot)


def is_name(word: str) -> bool:
    """Whether a word can be the name that a title belongs to."""
    lexicon = name_lexicon()
    if word in lexicon.kinds and word not in lexicon.kinds_and_surnames:
        return False
    return word[0].isupper() and word not in lexicon.function and word not in ("God", "I")


def is_part_of_name(context: Context, n: int) -> bool:
    """Whether a word with a capital belongs to other capitals: Queen Street, King's Cross, Stephen King."""
    use = context.words[n]
    if not use.text[0].isupper() or context.sentence.isupper():
        return False
    before, after = context.words[n - 1] if n else None, context.words[n + 1] if n + 1 < len(context.words) else None
    if after and after.text[0].isupper() and is_joined(context.sentence, use, after) and after.key.split("'")[0] != "i":
        return True
    if before is None or not before.text[0].isupper() or not is_joined(context.sentence, before, use):
        return False
    # Mrs. King is no queen, but "Dear Father" is a father.
    return before.text not in name_lexicon().never or before.text in name_lexicon().titles


def is_joined(sentence: str, left: Use, right: Use) -> bool:
    return sentence[left.span.end : right.span.start] in (" ", "'s ", "’s ", "' ", "’ ", ". ", "-")


def is_something_else(context: Context, n: int) -> bool:
    """Whether a word is no gendered word here: another part of speech, a stable groom, a count of votes."""
    use = context.words[n]
    lexicon = gendered_lexicon()
    if use.key in lexicon.capital_kept and use.text.istitle() and (is_within(context, use) or use.key in DEITY):
        return not (n and context.words[n - 1].key in ("my", "your"))  # "Yes, my Lord"
    if use.key in ("groom", "grooms") and not context.wedding:
        return True
    if use.key in ("count", "counts") and COUNT_OF.match(context.sentence, use.span.end):
        return True
    others = next((lexicon.also[it] for it in singulars(use.key) if it in lexicon.also), None)
    if not others:
        return False
    token = context.token(use)
    part = PARTS_OF_SPEECH.get(token.tag_[0], "")
    if part == "verb" and (is_address(context, n) or after_noun_marker(token)):
        part = "noun"  # "Yes, miss", "a saucy young miss"
    return part in others or ("adjective" in others and is_modifier(token))


def singulars(word: str) -> tuple[str, ...]:
    """A word and what it may be the plural of, or another form in s: misses is of miss."""
    return (word, word.removesuffix("s"), word.removesuffix("es"))


def after_noun_marker(token: "Token") -> bool:
    return token.i > 0 and token.nbor(-1).tag_ in ("DT", "JJ", "PRP$", "CD")


def is_address(context: Context, n: int) -> bool:
    """Whether somebody is spoken to by a word: it stands between marks, with no more than "my dear" before it."""
    use = context.words[n]
    if not CLOSES_ADDRESS.match(context.sentence, use.span.end):
        return False
    first = n
    while (
        first
        and context.words[first - 1].key in WARM
        and context.sentence[context.words[first - 1].span.end : context.words[first].span.start] == " "
    ):
        first -= 1
    before = context.sentence[: context.words[first].span.start].rstrip()
    return not before or before[-1] in OPENS_ADDRESS or (first < n and context.words[first].key == "my")


def is_modifier(token: "Token") -> bool:
    return token.tag_[0] == "J" or token.dep_ in ("compound", "amod")


def partner_of(word: str, address: bool, modifier: bool) -> str | None:
    """The partner of a word by itself, or of the gendered parts of a compound; None where it has none."""
    lexicon = gendered_lexicon()
    order: tuple[Section, ...] = ("adjective", "noun") if modifier else ("noun", "adjective")
    order = ("address", *order, "adverb", "title") if address else (*order, "adverb", "title", "address")
    found = lexicon.partner(word, *order)
    if found:
        return found
    *parts, last = word.split("-")
    if parts and (lexicon.partner(last, "noun") or last in SECONDS):
        exchanged = [lexicon.partner(part, "noun") or part for part in (*parts, last)]
        return "-".join(exchanged) if exchanged != [*parts, last] else None
    if word.endswith("woman"):
        return word.removesuffix("woman") + "man"
    if word.endswith("women"):
        return word.removesuffix("women") + "men"
    return None


def in_case_of(old: str, new: str, sentence: str) -> str:
    """A word in capitals or with a capital as the old one is, its apostrophe as the sentence's are."""
    if CURLY.search(sentence) and "'" not in sentence:
        new = new.replace("'", "’")
    parts, olds = new.split("-"), old.split("-")
    if len(parts) == len(olds) > 1:
        # What is not exchanged of a compound stays to the letter.
        pairs = zip(olds, parts, strict=True)
        return "-".join(it if as_key(it) == part else in_case_of(it, part, sentence) for it, part in pairs)
    if old.isupper() and (len(old) > 1 or sentence.isupper()):
        return new.upper()
    return new[0].upper() + new[1:] if old[0].isupper() else new


def with_ending(sentence: str, edit: Edit) -> Iterator[Edit]:
    """The edit with the possessive ending that the new word needs: the princess' crown is the prince's crown."""
    yield edit
    mark = edit.span.end
    bare = sentence[mark : mark + 1] in ("'", "’") and is_bare(sentence, mark)
    if bare and sentence[mark - 1] in "sS" and edit.new[-1] not in "sS":
        yield Edit(Span(mark, mark + 1), sentence[mark] + ("S" if sentence[mark - 1] == "S" else "s"))
