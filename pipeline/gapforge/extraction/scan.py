"""Which pronouns can be candidates at all, decided from the text alone.

Nothing that is ruled out here could come through later: a run of capitals gives at most one
mention, mentions of one wording are one person, and everybody whose gender is known is
mentioned by a name that shows it (`people.gender_of` asks no model). So where fewer than two
different names could be women, or no names stand where a pattern has them, there is no
candidate, whatever the model might say.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gapforge.groups import find_pronouns
from gapforge.people.mentions import gender_of
from gapforge.people.names import read_name
from gapforge.people.outline import Outline, is_too_long
from gapforge.records import Gender, Span

LONGEST_CONTEXT = 5  # sentences of a Counter-GAP context (Counter-GAP 2.1)


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A gendered pronoun in sentence number so-and-so."""

    sentence: int
    span: Span
    gender: Gender


@dataclass(frozen=True, slots=True)
class Forms:
    """The names that may stand in a sentence, by the gender that each would have, if it shows one."""

    feminine: frozenset[str]
    masculine: frozenset[str]
    unknown: frozenset[str]


Possible = Callable[[Pronoun], bool]


def all_pronouns(outline: Outline) -> Iterator[Pronoun]:
    for number, sentence in enumerate(outline.sentences):
        for span, gender in find_pronouns(outline.document.text, sentence):
            yield Pronoun(number, span, gender)


def forms_of(outline: Outline) -> list[Forms]:
    return [forms_in(outline, number) for number in range(len(outline.sentences))]


def forms_in(outline: Outline, number: int) -> Forms:
    # The model may find somebody in the last words of a run: every way to read it counts.
    runs = [] if is_too_long(outline.sentences[number]) else outline.runs[number]
    ways = [(run, skip) for run in runs for skip in range(len(run.words))]
    names = [name for way in ways if (name := read_name(*way))]
    genders = [(name.form, gender_of(name, outline.roster)[0]) for name in names]
    by_gender = {
        it: frozenset(form for form, gender in genders if gender == it) for it in (None, "feminine", "masculine")
    }
    return Forms(by_gender["feminine"], by_gender["masculine"], by_gender[None])


def possible_gap(outline: Outline) -> Possible:
    """Whether two names could stand where a pattern has them."""
    # Whose gender a name leaves open is decided later, so here every name counts.
    forms = [it.feminine | it.masculine | it.unknown for it in forms_of(outline)]
    return lambda pronoun: in_pattern(outline, forms, pronoun.sentence)


def in_pattern(outline: Outline, forms: Sequence[frozenset[str]], number: int) -> bool:
    """Whether two names stand in this sentence, in the one before, or one in each."""
    here = forms[number]
    if len(here) >= 2:
        return True
    first = outline.first_of(number, 2)
    before = forms[first] if first < number else frozenset()
    return len(before) >= 2 or bool(here and before)


def possible_counter_gap(outline: Outline) -> Possible:
    """The same, among at least two women and two men within five sentences."""
    forms = forms_of(outline)
    fitting: dict[Gender, list[frozenset[str]]] = {
        "feminine": [it.feminine | it.unknown for it in forms],
        "masculine": [it.masculine | it.unknown for it in forms],
    }

    def possible(pronoun: Pronoun) -> bool:
        if not in_pattern(outline, fitting[pronoun.gender], pronoun.sentence):
            return False
        window = forms[outline.first_of(pronoun.sentence, LONGEST_CONTEXT) : pronoun.sentence + 1]
        women = frozenset().union(*(it.feminine for it in window))
        men = frozenset().union(*(it.masculine for it in window))
        return len(women) >= 2 and len(men) >= 2

    return possible
