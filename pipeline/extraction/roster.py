"""What a whole document says of its names: who bears which surname, and which words are names at all.

Made from the text alone, without a model, so that it costs little and is the same whatever
part of the document is parsed. Names found once (Mr. Gibson, Molly Gibson) are known
wherever a part of them stands.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from pipeline.extraction.lexicon import name_lexicon
from pipeline.extraction.names import Name, Run, is_given, read_name, word_gender
from pipeline.records import Gender

SMALL = re.compile(r"(?<![^\W_])[a-z]+(?![^\W_])")


@dataclass(slots=True)
class Roster:
    """Counts over a document."""

    titled: dict[str, Counter[Gender | None]] = field(default_factory=lambda: defaultdict(Counter))
    surnames: dict[str, Counter[Gender | None]] = field(default_factory=lambda: defaultdict(Counter))
    firsts: Counter[str] = field(default_factory=Counter)
    within: Counter[str] = field(default_factory=Counter)  # capitalised though within a sentence
    small: Counter[str] = field(default_factory=Counter)  # written small

    def is_word(self, word: str) -> bool:
        """Whether the document uses a word mostly small: capital only where a sentence begins."""
        return self.small[word.lower()] > self.within[word]

    def is_surname(self, word: str) -> bool:
        """Whether a word follows titles and first names, and is no first name itself."""
        return (word in self.titled or word in self.surnames) and not self.firsts[word]

    def is_known(self, word: str) -> bool:
        return word in self.titled or word in self.surnames

    def owner_gender(self, word: str) -> Gender | None:
        """The gender of those who bear a surname, where it is one."""
        genders = {gender for table in (self.titled, self.surnames) for gender in table.get(word, ()) if gender}
        return genders.pop() if len(genders) == 1 else None


def make_roster(text: str, runs: Iterable[Run]) -> Roster:
    roster = Roster(small=Counter(SMALL.findall(text)))
    for run in runs:
        roster.within.update(word.text for word in run.words[1 if run.initial else 0 :])
        name = read_name(run)
        if name and not run.after_article:
            add_name(roster, name)
    return roster


def add_name(roster: Roster, name: Name) -> None:
    lexicon = name_lexicon()
    last = name.words[-1]
    if last in lexicon.kinds:
        return
    if name.titles and len(name.words) == 1:
        roster.titled[last][name.title_gender] += 1
    elif len(name.words) > 1 and (name.titles or is_given(name.words[0])):
        gender = name.title_gender or word_gender(name.words[0])
        roster.surnames[last][gender] += 1
        roster.firsts[name.words[0]] += 1
