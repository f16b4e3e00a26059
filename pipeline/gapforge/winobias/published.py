"""The sentences of WinoBias (Zhao et al. 2018) with the pronoun and the occupation that each marks.

They are published as text, "1 [The cook] met the guard because [she] was hungry.", and in CoNLL columns, where
sentence 1 is document 0. Of which type and condition they are stands in the names of files and documents only. Some
sentences mark two pronouns of one referent.

Winogender's schemas (Rudinger et al. 2018): a person by occupation, another participant, and a pronoun.

They are published as a table of two columns, `sentid` and `sentence`. The first says it all:
`technician.customer.1.male.txt` is about a technician and a customer, 1 says that the customer is meant (0: the
technician), and the pronoun is a man's. Sentences with "they" measure something else, and are left out.
"""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gapforge.errors import InputError
from gapforge.groups import GENDERS
from gapforge.records import Condition, Gender, Span
from gapforge.storage.conll import Document, read_documents
from gapforge.storage.files import read_text
from gapforge.storage.tsv import read_cells

GENDERED = frozenset(("he", "him", "his", "himself", "she", "her", "hers", "herself"))

NUMBERED = re.compile(r"([0-9]{1,9})[ \t]+(\S.*)")
BRACKETS = re.compile(r"\[([^\[\]]*)\]")
KIND = re.compile(r"type[ _-]?([12])(?![0-9])")
CONDITION = re.compile(r"(?<![a-z])(pro|anti)(?![a-z])")
SPLIT = re.compile(r"(?<![a-z])(dev|test)(?![a-z])")
NUMBER = re.compile(r"/([0-9]{1,9})$")

NAMES_WANTED = (
    "wanted a name with type1 or type2 and pro or anti in it, such as pro_stereotyped_type1.txt.dev or "
    "dev_type1_anti_stereotype.v4_auto_conll"
)


@dataclass(frozen=True, slots=True)
class Marks:
    """What a name says of the sentences under it; empty where it says nothing."""

    split: str
    kind: str
    condition: Condition | Literal[""]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence without its brackets; the spans are of its text. `number` counts from 1 within its file."""

    id: str
    marks: Marks
    number: int
    text: str
    referent: Span
    pronouns: tuple[Span, ...]

    @property
    def gender(self) -> Gender:
        pronoun = self.pronouns[0]
        return "feminine" if self.text[pronoun.start : pronoun.end].lower().startswith(("s", "her")) else "masculine"

    @property
    def letters(self) -> str:
        return "".join(self.text.split())

    @property
    def pair(self) -> tuple[str, str, int]:
        """What a sentence has in common with its other condition."""
        return self.marks.split, self.marks.kind, self.number


def marks_of(name: str) -> Marks:
    lower = name.lower()
    split, kind, condition = SPLIT.search(lower), KIND.search(lower), CONDITION.search(lower)
    said: Condition | Literal[""] = "" if condition is None else "anti" if condition[1] == "anti" else "pro"
    return Marks(split[1] if split else "", f"type{kind[1]}" if kind else "", said)


def document_marks(document: Document) -> Marks:
    """What file and document are named: the file's name decides, a published document's says the rest."""
    outer, inner = marks_of(Path(document.source).name), marks_of(document.name)
    published: Condition | Literal[""] = "pro" if "stereotype" in document.name.lower() else ""
    return Marks(outer.split or inner.split, outer.kind or inner.kind, outer.condition or inner.condition or published)


def document_number(document: Document) -> int | None:
    """The number of the sentence in the published text, where documents count from 0."""
    found = NUMBER.search(document.name)
    return int(found[1]) + 1 if found else None


def read_sentences(path: Path) -> list[Sentence]:
    """The sentences of a file or of the files in a folder; of one with text and CoNLL files, those of the text.

    Ids are `type1-pro-1`, with `dev-` or `test-` ahead where both are read.
    """
    files = gold_files(path) if path.is_dir() else [path]
    found = [sentence for file in files for sentence in file_sentences(file)]
    if len({sentence.marks.split for sentence in found}) > 1:
        found = [with_split(sentence, path) for sentence in found]
    seen: set[str] = set()
    for sentence in found:
        if sentence.id in seen:
            raise InputError(f"{path}: sentence {sentence.id} is there twice; keep one file of each type and condition")
        seen.add(sentence.id)
    if not found:
        raise InputError(f"{path}: no sentences; there is nothing to measure")
    return found


def gold_files(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    marked = [path for path in files if marks_of(path.name).kind and marks_of(path.name).condition]
    if not marked:
        raise InputError(f"{folder}: no file of WinoBias; {NAMES_WANTED}")
    texts = [path for path in marked if not is_conll(path)]
    return texts or marked


def is_conll(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(20).removeprefix(b"\xef\xbb\xbf").startswith(b"#")


def with_split(sentence: Sentence, path: Path) -> Sentence:
    if not sentence.marks.split:
        raise InputError(f"{path}: {sentence.id} is of dev or of test? Wanted dev or test in the name of each file")
    return dataclasses.replace(sentence, id=f"{sentence.marks.split}-{sentence.id}")


def file_sentences(path: Path) -> Iterator[Sentence]:
    if path.is_file() and is_conll(path):
        for document in read_documents(path):
            yield from_document(document)
        return
    marks = marks_of(path.name)
    text = read_text(path)
    if not (marks.kind and marks.condition):
        raise InputError(f"{path}: of which type and condition? {NAMES_WANTED}")
    for line_number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield from_line(line.strip(), marks, f"{path}: line {line_number}")


def from_line(line: str, marks: Marks, place: str) -> Sentence:
    """A line such as "3 [The cook] met the guard because [she] was hungry."."""
    numbered = NUMBERED.fullmatch(line)
    if not numbered:
        raise InputError(f"{place}: {line[:60]!r}; wanted a number and a sentence with [brackets]")
    text, spans = "", []
    for place_in_line, piece in enumerate(BRACKETS.split(numbered[2])):
        if place_in_line % 2:
            bare = piece.strip()
            start = len(text) + piece.index(bare)
            spans.append(Span(start, start + len(bare)))
        elif "[" in piece or "]" in piece:
            raise InputError(f"{place}: brackets do not match")
        text += piece
    return as_sentence(text, spans, marks, int(numbered[1]), place)


def from_document(document: Document) -> Sentence:
    place = f"{document.source}: line {document.line}"
    marks, number = document_marks(document), document_number(document)
    if not (marks.kind and marks.condition and number):
        raise InputError(f"{place}: document {document.name!r}: of which type, condition and number? {NAMES_WANTED}")
    if len(document.entities) != 1:
        raise InputError(f"{place}: {len(document.entities)} entities; wanted one, the pronoun and its occupation")
    words = document.words
    starts = [sum(len(word) + 1 for word in words[:token]) for token in range(len(words))]
    mentions = next(iter(document.entities.values()))
    spans = [Span(starts[it.start], starts[it.end - 1] + len(words[it.end - 1])) for it in mentions]
    return as_sentence(" ".join(words), spans, marks, number, place)


def as_sentence(text: str, spans: Sequence[Span], marks: Marks, number: int, place: str) -> Sentence:
    pronouns = tuple(span for span in spans if text[span.start : span.end].lower() in GENDERED)
    others = [span for span in spans if span not in pronouns]
    if not pronouns or len(others) != 1 or others[0].start == others[0].end:
        raise InputError(
            f"{place}: {len(others)} occupations and {len(pronouns)} pronouns marked; wanted one occupation, and a "
            "pronoun or more of its referent"
        )
    return Sentence(f"{marks.kind}-{marks.condition}-{number}", marks, number, text, others[0], pronouns)


COLUMNS = ("sentid", "sentence")
ID = re.compile(r"([^.]+)\.([^.]+)\.([01])\.(male|female|neutral)(?:\.txt)?")
WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Schema:
    """A sentence with its two people and its pronoun; `answer` is whom the pronoun means."""

    id: str
    text: str
    occupation: Span
    participant: Span
    pronoun: Span
    gender: Gender
    answer: Span


def read_winogender(path: Path) -> list[Schema]:
    """The sentences with a gendered pronoun, in order; InputError names the line that is none of Winogender's."""
    found = [schema for place, cells in read_cells(path, COLUMNS) for schema in schemas_of(cells, place)]
    if not found:
        raise InputError(f"{path}: no sentence with a gendered pronoun; there is nothing to measure")
    return found


def schemas_of(cells: dict[str, str], place: str) -> Iterator[Schema]:
    named = ID.fullmatch(cells["sentid"])
    if not named:
        raise InputError(f"{place}: sentid is {cells['sentid']!r}; wanted one such as technician.customer.1.male.txt")
    if named[4] == "neutral":
        return
    text = cells["sentence"]
    people = [person_in(text, name, place) for name in (named[1], named[2])]
    pronouns = [it for it in WORD.finditer(text) if it[0].lower() in GENDERS]
    wanted: Gender = "masculine" if named[4] == "male" else "feminine"
    if len(pronouns) != 1 or GENDERS[pronouns[0][0].lower()] != wanted:
        raise InputError(f"{place}: {text!r}; wanted one pronoun, {wanted}, as {cells['sentid']} says")
    pronoun = Span(*pronouns[0].span())
    yield Schema(cells["sentid"], text, people[0], people[1], pronoun, wanted, people[int(named[3])])


def person_in(text: str, name: str, place: str) -> Span:
    """Where somebody is mentioned first, with the article; a participant may be called "someone"."""
    found = re.search(rf"\b(?:(?:the|an?)\s+)?{re.escape(name)}\b", text, re.IGNORECASE)
    if not found:
        raise InputError(f"{place}: {text!r} does not mention {name!r}, whom its sentid names")
    return Span(*found.span())
