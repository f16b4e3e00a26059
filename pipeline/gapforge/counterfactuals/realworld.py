"""What speaks against a quadruple as a reader sees it: contradictions with common sense, and real people.

Contradictions are flagged for annotators (Counter-GAP 2.3 asks them), since a list of words
cannot decide. Real people are left out: nobody should read that Anna Karenina's author was
somebody else's wife because a corpus named them together.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from gapforge.counterfactuals.variants import Scene
from gapforge.engine.stages import Table
from gapforge.people.lexicon import name_lexicon
from gapforge.people.names import is_given
from gapforge.records import Biography, Document, Person
from gapforge.resources import resource

# How the article of somebody's life begins, after the name.
LIFE = re.compile(r"[^.]{0,200}?(?:\((?:born|b\.|c\.|\d)|\b(?:was|is|were)\s+(?:an?|the|one)\b(?P<what>[^.]{0,80}))")
# What a name is also given to.
WORK = re.compile(
    r"\b(?:novel|novella|film|play|song|album|book|poem|opera|ballet|musical|series|sitcom|comic|character|ship|schooner|yacht|steamer|street"
    r"|road|river|lake|mountain|bridge|village|town|city|suburb|school|college|award|prize|company|band|horse|painting|magazine)\b",
    re.IGNORECASE,
)
TITLE_NOTE = re.compile(r"\s*\(.*|,.*", re.DOTALL)

REAL_PEOPLE: Mapping[str, str] = {
    "listed": "gapforge.counterfactuals.realworld:listed",
    "none": "gapforge.counterfactuals.realworld:nobody",
}


@cache
def word_lists() -> dict[str, str]:
    return tomllib.loads(resource("lexicons/contradictions.toml").read_text("utf-8"))


@cache
def contradiction_pattern() -> re.Pattern[str]:
    lists = word_lists()
    words = [re.escape(word).replace(r"\*", r"\w*") for word in f"{lists['bodies']} {lists['customs']}".split()]
    phrases = [r"\s+".join(map(re.escape, line.split())) for line in lists["phrases"].strip().splitlines()]
    return re.compile(rf"\b(?:{'|'.join(phrases + words)})\b", re.IGNORECASE)


@cache
def historic_people() -> frozenset[str]:
    return frozenset(word_lists()["historic"].strip().splitlines())


def contradictions_in(scene: Scene) -> list[str]:
    """The words of the text, and the names of known people, that an annotator should look at; each once, sorted."""
    words = {" ".join(it.lower().split()) for it in contradiction_pattern().findall(scene.text)}
    names = {person.name for person in scene.people}.union(name_forms(scene.text, scene.people))
    return sorted(words) + sorted(names & historic_people())


def name_forms(text: str, people: Iterable[Person]) -> list[str]:
    """Every form of the names that the people of a text go by, sorted."""
    return sorted({" ".join(text[span.start : span.end].split()) for person in people for span in person.mentions})


def listed(names: Sequence[str], known: frozenset[str]) -> list[bool]:
    """Whether each name is one of the known ones."""
    return [name in known for name in names]


def nobody(names: Sequence[str], known: frozenset[str]) -> list[bool]:
    return [False for _ in names]


def biography_of(document: Document) -> str:
    """Whose life a document tells: a title of two words or more, and an opening that says who that is; else empty."""
    name = TITLE_NOTE.sub("", document.title)
    words = name.split()
    lexicon = name_lexicon()
    if len(words) < 2 or not is_given(words[0]) or words[-1] in lexicon.kinds - lexicon.kinds_and_surnames:
        return ""
    life = LIFE.match(document.text) if words[-1] in document.text[:200] else None
    if life is None or WORK.search(document.title.removeprefix(name)) or WORK.search(life["what"] or ""):
        return ""
    return name


def biographies(documents: Table[Document]) -> Iterator[Biography]:
    """The stage Biographies: the people whose lives a corpus tells, by the titles of its documents."""
    for document in documents:
        name = biography_of(document)
        if name:
            yield Biography(name, document.id)
