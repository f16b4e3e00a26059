"""What a whole document says of its names: who bears which surname, and which words are names at all.

Made from the text alone, without a model, so that it costs little and is the same whatever
part of the document is parsed. Names found once (Mr. Gibson, Molly Gibson) are known
wherever a part of them stands.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pipeline.extraction.lexicon import name_lexicon
from pipeline.extraction.names import SAINTS, Name, Run, is_given, read_name, word_gender
from pipeline.extraction.pronouns import find_pronouns
from pipeline.records import OTHER, Gender, Span

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
