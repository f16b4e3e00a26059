"""Who is who: forms of a name joined into people.

Two forms of one gender where one contains the other are one person (80 of 80 published cases,
DEFINITIONS "People"). What is joined on less is marked as doubtful, and kept out of Counter-GAP.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations, product

from gapforge.people.lexicon import name_lexicon
from gapforge.people.mentions import Mention, Reason, mentions_in
from gapforge.people.names import Name, is_given, word_gender
from gapforge.people.outline import Roster
from gapforge.records import Document, Gender, Span


@dataclass(slots=True, eq=False)
class Figure:
    """Somebody in a text: all mentions that are taken for one person, in text order.

    `doubtful`: a form was joined by its surname alone, or might belong to somebody else as well.
    """

    gender: Gender | None
    reason: Reason
    names: list[Name] = field(default_factory=list)
    doubtful: bool = False
    sure: bool = False  # that this is a person at all

    @property
    def fullest(self) -> Name:
        """The form of most words; of several the first."""
        return max(self.names, key=lambda name: len(name.words))


@dataclass(frozen=True, slots=True)
class PersonFound:
    """Somebody in a text, by the fullest form of the name; the gender is None where nothing tells it."""

    name: str
    gender: Gender | None
    reason: Reason
    mentions: list[Span]


def find_people(document: Document, model: str) -> list[PersonFound]:
    """The people of a document, in the order of first mention."""
    _, mentions = mentions_in(document, model)
    people = []
    for figure in join_people(mentions):
        fullest = figure.fullest.span
        name = " ".join(document.text[fullest.start : fullest.end].split())
        people.append(PersonFound(name, figure.gender, figure.reason, [it.span for it in figure.names]))
    return people


def join_people(mentions: Sequence[Mention]) -> list[Figure]:
    """Who is who among the mentions of one scope, in the order of first mention."""
    figures: list[Figure] = []
    placed: dict[str, Figure] = {}
    # Full names first: shorter forms find their owners among them.
    for mention in sorted(mentions, key=lambda it: (-len(it.name.words), not it.name.titles, it.span.start)):
        key = mention.name.form
        if key not in placed:
            placed[key] = place(mention, figures)
        placed[key].names.append(mention.name)
        placed[key].sure |= mention.sure
    for figure in figures:
        figure.names.sort(key=lambda name: name.span.start)
    return sorted(figures, key=lambda figure: figure.names[0].span.start)


def place(mention: Mention, figures: list[Figure]) -> Figure:
    """The figure that a form belongs to, a new one where there is none or more than one."""
    owners = [figure for figure in figures if may_be(mention, figure)]
    if len(owners) == 1:
        owner = owners[0]
        owner.doubtful |= all(not contains(name, mention.name) for name in owner.names) or is_husbands(
            owner, mention.name
        )
        if owner.gender is None:
            owner.gender, owner.reason = mention.gender, mention.reason
        return owner
    figure = Figure(mention.gender, mention.reason, doubtful=bool(owners))
    figures.append(figure)
    return figure


def may_be(mention: Mention, figure: Figure) -> bool:
    if mention.gender and figure.gender and mention.gender != figure.gender:
        return False
    return any(related(name, mention.name) for name in figure.names)


def related(longer: Name, shorter: Name) -> bool:
    """Whether two forms can be of one person: a part of the other, or equal but for what stands in the middle."""
    count = len(shorter.words)
    if clashing(longer, shorter):
        return False
    if count > 1:
        if shorter.words in (longer.words[:count], longer.words[-count:]):
            return True
        # Adam Patch is Adam J. Patch, but Mary Ann Stroud is not Mary Jane Stroud.
        outer = (longer.words[0], longer.words[-1]) == (shorter.words[0], shorter.words[-1])
        return outer and all(part in longer.words for part in shorter.words)
    if is_surname_before(longer, shorter):
        return False
    return shorter.words[0] in longer.words or is_short_for(shorter, longer)


def is_short_for(shorter: Name, longer: Name) -> bool:
    """Tom is Tommy and Val is Valerie; Ann is not Anna, nor Jean Jeanne, which are names of other people as often."""
    if shorter.titles or len(shorter.words) > 1:
        return False
    short, long = sorted((shorter.words[0], longer.words[0]), key=len)
    if len(short) < 3 or len(long) < len(short) + 2 or not long.startswith(short) or "-" in long:
        return False
    return word_gender(short) is not None and word_gender(short) == word_gender(long) and long != short + "ne"


def is_surname_before(longer: Name, shorter: Name) -> bool:
    """ "Patey married John Patey": whoever bears the surname before the full name is met is somebody else."""
    surname = shorter.words[0] == longer.words[-1] != longer.words[0]
    return surname and not shorter.titles and shorter.span.start < longer.span.start


def clashing(longer: Name, shorter: Name) -> bool:
    """Mrs. Gibson is not Miss Gibson."""
    return bool(longer.titles and shorter.titles) and longer.titles != shorter.titles and longer.words == shorter.words


def contains(longer: Name, shorter: Name) -> bool:
    """Whether one form is the other with words left out, and nobody else's: Ann Smith may not be Mary Ann Smith."""
    if len(shorter.words) > 1:
        return longer.words[0] == shorter.words[0] or not is_given(longer.words[0])
    return f" {shorter.form} " in f" {longer.form} " or is_short_for(shorter, longer)


def is_husbands(owner: Figure, bare: Name) -> bool:
    """Whether a bare surname is joined to a woman who is only ever called by a title: it is her husband's as well."""
    if bare.titles or len(bare.words) > 1 or owner.gender != "feminine" or word_gender(bare.words[0]) == "feminine":
        return False
    return all(name.titles and len(name.words) == 1 for name in owner.names)


def is_doubtful(four: Sequence[Figure], figures: Sequence[Figure], roster: Roster) -> bool:
    """Whether a name among four people may be somebody else's, or two of them may be one.

    Somebody of unknown gender who bears one of their names may be one of them; so may two of
    one gender, one called Dan and one Daniel, or one called Molly and one Miss Gibson, where
    the document knows a Molly Gibson.
    """
    words = {word for figure in four for name in figure.names for word in name.words}
    others = (word for it in figures if not it.gender for name in it.names for word in name.words)
    if any(figure.doubtful for figure in four) or any(word in words for word in others):
        return True
    return any(may_be_one(a, b, roster) for a, b in permutations(four, 2) if a.gender == b.gender)


def may_be_one(a: Figure, b: Figure, roster: Roster) -> bool:
    for left, right in product(a.names, b.names):
        first, surname = left.words[0], right.words[-1]
        if len(first) > 2 and len(right.words[0]) > len(first) and right.words[0].startswith(first):
            return True
        untitled = not (left.titles or right.titles)
        if untitled and right.words[0] in name_lexicon().nicknames.get(first, ()):
            return True
        if len(left.words) == 1 < len(right.words) and first == surname and not left.titles:
            return True
        alone = len(left.words) == len(right.words) == 1
        # Where there is a Miss Gibson too, Mrs. Gibson is not Molly.
        if (
            alone
            and roster.is_full(first, surname)
            and not ("Mrs" in right.titles and roster.is_titled("Miss", surname))
        ):
            return True
        # Mrs. Halse and Widow Halse, Mr. Stubbs and Colonel Stubbs; but not Mrs. and Miss Gibson.
        if alone and left.words == right.words and not {"Mrs", "Miss"} <= {*left.titles, *right.titles}:
            return True
    return False
