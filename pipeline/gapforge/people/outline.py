"""A document as the extraction sees it before any model: sentences, sections, runs of capitals, and the roster.

What a whole document says of its names: who bears which surname, and which words are names at all.

Made from the text alone, without a model, so that it costs little and is the same whatever
part of the document is parsed. Names found once (Mr. Gibson, Molly Gibson) are known
wherever a part of them stands.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gapforge.groups import find_pronouns
from gapforge.nlp.sentences import split_sentences
from gapforge.people.lexicon import name_lexicon
from gapforge.people.names import SAINTS, Name, Run, find_runs, is_given, read_name, word_gender
from gapforge.records import OTHER, Document, Gender, Span

ENOUGH = 5  # times that a name follows "in" or "to" before it is called a place: people are spoken to as well
CLEARLY = 4  # sentences
SMALL = re.compile(r"(?<![^\W_])[a-z]+(?![^\W_])")


@dataclass(slots=True)
class Roster:
    """Counts over a document."""

    titled: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # word: titles before it
    surnames: dict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )  # word: first names before it
    firsts: Counter[str] = field(default_factory=Counter)
    untitled: Counter[str] = field(default_factory=Counter)  # forms of names without a title
    placed: Counter[str] = field(default_factory=Counter)  # those of them after "in", "to" and the like
    within: Counter[str] = field(default_factory=Counter)  # capitalised though within a sentence
    small: Counter[str] = field(default_factory=Counter)  # written small
    # First word of a name: sentences that name nobody else, by the pronouns that follow in them.
    pronouns: dict[str, Counter[Gender]] = field(default_factory=lambda: defaultdict(Counter))

    def is_called(self, word: str, gender: Gender) -> bool:
        """Whether pronouns speak against a name's own gender: Demi may be a boy, whatever the list of names says."""
        if word not in self.pronouns:
            return False
        votes = self.pronouns[word]
        return votes[gender] >= CLEARLY and votes[gender] >= 3 * votes[OTHER[gender]]

    def is_word(self, word: str) -> bool:
        """Whether the document uses a word mostly small: capital only where a sentence begins."""
        return self.small[word.lower()] > self.within[word]

    def is_surname(self, word: str) -> bool:
        """Whether a word follows titles and first names, and is no first name itself."""
        return (word in self.titled or word in self.surnames) and not self.firsts[word]

    def is_known(self, word: str) -> bool:
        """Whether somebody bears the word, as a surname or after a title, and it is not Lord Hollingford's town."""
        return (word in self.titled or word in self.surnames) and self.placed[word] * 4 <= self.untitled[word]

    def is_place(self, form: str) -> bool:
        """Whether the document goes to it and is in it more often than not."""
        return self.placed[form] >= ENOUGH and self.placed[form] * 2 > self.untitled[form]

    def is_full(self, first: str, last: str) -> bool:
        return last in self.surnames and first in self.surnames[last]

    def is_titled(self, title: str, word: str) -> bool:
        return word in self.titled and title in self.titled[word]

    def owner_gender(self, word: str) -> Gender | None:
        """The gender of those who bear a surname, where it is one.

        A woman who is only ever Mrs. Shelfer does not lend hers: Shelfer is her husband.
        """
        titles = {name_lexicon().titles[title] for title in self.titled.get(word, ())}
        firsts = self.genders_before(word)
        genders = (titles - {None}) | firsts
        if (
            len(genders) != 1
            or None in genders
            or (not firsts and "feminine" in genders and word_gender(word) != "feminine")
        ):
            return None
        return genders.pop()

    def first_names_gender(self, word: str) -> Gender | None:
        """The gender of all whose first names stand before a surname, where it is one."""
        genders = self.genders_before(word)
        return genders.pop() if len(genders) == 1 else None

    def genders_before(self, word: str) -> set[Gender | None]:
        return {word_gender(first) for first in self.surnames.get(word, ())}


def make_roster(text: str, sentences: Iterable[Span], runs: Iterable[Sequence[Run]]) -> Roster:
    """The roster of a text; the runs of each sentence stand together."""
    roster = Roster(small=Counter(SMALL.findall(text)))
    for sentence, each in zip(sentences, runs, strict=True):
        names = []
        for run in each:
            roster.within.update(word.text for word in run.words[1 if run.initial else 0 :])
            name = read_name(run)
            if name:
                names.append(name)
            if name and not name.after_article and not run.thing:
                add_name(roster, name)
                if not name.titles:
                    roster.untitled[name.form] += 1
                    roster.placed[name.form] += run.in_place or run.after_to
        if len(names) == 1 and not names[0].titles:
            add_pronouns(roster, names[0], text, sentence)
    return roster


def add_pronouns(roster: Roster, name: Name, text: str, sentence: Span) -> None:
    """Count a sentence that names one person and goes on with pronouns of one gender."""
    genders = {gender for _, gender in find_pronouns(text, Span(name.span.end, sentence.end))}
    if len(genders) == 1:
        roster.pronouns[name.words[0]][genders.pop()] += 1


def add_name(roster: Roster, name: Name) -> None:
    lexicon = name_lexicon()
    last = name.words[-1]
    if last in lexicon.kinds:
        return
    if name.titles and len(name.words) == 1:
        roster.titled[last][name.titles[-1]] += 1
    elif len(name.words) > 1 and (
        name.titles or is_given(name.words[0]) or (name.words[0] in SAINTS and len(name.words) > 2)
    ):
        roster.surnames[last][name.words[0]] += 1
        roster.firsts[name.words[0]] += 1


TOKEN = re.compile(r"\w+|[^\w\s]")
HEADING = re.compile(r"(?:chapter|book|part|volume)\s+[ivxlc\d]+[.:]?", re.IGNORECASE)
LONGEST_SENTENCE = 1_500  # characters; what is longer lacks its full stops
LONGEST_HEADING = 100  # characters
LINE_START = re.compile(r"(?:^|[\r\n])[ \t]*\Z")
LINE_END = re.compile(r"[ \t]*(?:\Z|[\r\n])")
STRETCH = 20_000  # sentences: a long novel
OVERLAP = 100  # sentences: no context reaches further back, as each has a token at least


@dataclass(frozen=True, slots=True)
class Outline:
    """Lists run parallel: sentence n, the section it is in, its runs."""

    document: Document
    sentences: list[Span]
    sections: list[int]
    runs: list[list[Run]]
    roster: Roster

    def first_of(self, number: int, count: int) -> int:
        """The first of at most `count` sentences that end with this one, within its section."""
        first = max(0, number - count + 1)
        while self.sections[first] != self.sections[number]:
            first += 1
        return first

    def first_before(self, number: int, tokens: int) -> int:
        """The first of the whole sentences before this one that hold at least so many tokens, within its section."""
        first, held = number, 0
        while held < tokens and first > 0 and self.sections[first - 1] == self.sections[number]:
            first -= 1
            held += len(TOKEN.findall(self.text_of(first)))
        return first

    def text_of(self, number: int) -> str:
        sentence = self.sentences[number]
        return self.document.text[sentence.start : sentence.end]


def make_outline(document: Document) -> Outline:
    """The outline of a whole document."""
    return outline_of(document, split_sentences(document.text, document.sections))


def outline_of(document: Document, sentences: list[Span]) -> Outline:
    runs = [find_runs(document.text, sentence) for sentence in sentences]
    roster = make_roster(document.text, sentences, runs)
    return Outline(document, sentences, number_sections(document, sentences), runs, roster)


def stretches(document: Document) -> Iterator[tuple[Outline, int]]:
    """The outline in stretches, so that a book of any size fits into memory.

    With each comes the number of its sentences that were in the stretch before, and are there again as context.
    """
    sentences = split_sentences(document.text, document.sections)
    if len(sentences) <= STRETCH:
        yield outline_of(document, sentences), 0
        return
    sections = number_sections(document, sentences)
    roster = make_roster(document.text, sentences, (find_runs(document.text, it) for it in sentences))
    for start in range(0, len(sentences), STRETCH):
        first = max(0, start - OVERLAP)
        part = slice(first, start + STRETCH)
        runs = [find_runs(document.text, sentence) for sentence in sentences[part]]
        yield Outline(document, sentences[part], sections[part], runs, roster), start - first


def number_sections(document: Document, sentences: list[Span]) -> list[int]:
    """The section of each sentence.

    A heading within the text of a plain file ends a section and is one by itself. So is what is
    too long for a sentence: no context should hold it.
    """
    starts = sorted(section.start for section in document.sections)
    numbers, ended = [], 0
    for sentence in sentences:
        apart = is_too_long(sentence) or is_heading(document.text, sentence)
        ended += apart
        numbers.append(bisect_right(starts, sentence.start) + ended)
        ended += apart
    return numbers


def is_too_long(sentence: Span) -> bool:
    return sentence.end - sentence.start > LONGEST_SENTENCE


def is_heading(text: str, sentence: Span) -> bool:
    """Whether a sentence stands on lines of its own and is a chapter's number, or all in capitals."""
    if sentence.end - sentence.start > LONGEST_HEADING:
        return False
    words = text[sentence.start : sentence.end]
    if HEADING.fullmatch(words) is None and not (words.isupper() and len(words.split()) > 1):
        return False
    return (
        LINE_START.search(text, max(0, sentence.start - LONGEST_HEADING), sentence.start) is not None
        and LINE_END.match(text, sentence.end) is not None
    )
