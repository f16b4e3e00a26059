"""Documents in CoNLL columns with their counterparts, in which every gendered word is of the other gender.

`swap` leaves names as they are, `a-cda` puts placeholders in their places (Zhao et al. 2018, 3.1), `n-cda` exchanges
first names of men and women (Xie et al. 2023, Appendix A). Tokens stay in number and clusters untouched.
"""

import dataclasses
import re
import shutil
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal, get_args

from pipeline.augmentation.names import NameToken, Placeholders, anonymised, exchanged, read_names
from pipeline.augmentation.words import TaggedWords, exchange_in_columns, put_in
from pipeline.conll import BEGIN, FULL_WIDTH, SPEAKER, WORD, Document, read_documents, sentences_of, with_cells
from pipeline.counterfactuals.words import tells_of_wedding
from pipeline.errors import InputError
from pipeline.files import atomic_file, check_target

Method = Literal["swap", "a-cda", "n-cda"]
METHODS: tuple[Method, ...] = get_args(Method)
LEMMA = 6  # of predicates alone (Pradhan et al. 2012, Table 1)
GROOM = re.compile(r"grooms?", re.IGNORECASE)


@dataclasses.dataclass(slots=True)
class Counterpart:
    """Makes counterparts by one method; parts of one document that follow each other share placeholders and surnames.

    `partners` are of n-CDA alone; the model reads sentences that have no tags.
    """

    method: Method
    partners: Mapping[str, str]
    model: str
    document: str = ""
    placeholders: Placeholders = dataclasses.field(default_factory=Placeholders)
    surnames: set[str] = dataclasses.field(default_factory=set)

    def of(self, document: Document) -> Document:
        """The counterpart of a document, under another id."""
        return self.rewritten(document, swapped=True)

    def anonymised(self, document: Document) -> Document:
        """The document itself with placeholders for names."""
        return self.rewritten(document, swapped=False)

    def rewritten(self, document: Document, swapped: bool) -> Document:
        if document.name != self.document:
            self.document, self.placeholders, self.surnames = document.name, Placeholders(), set()
        found = read_names(document, self.surnames)
        names = self.replaced(found.people)
        cells = self.changes(document, {*found.people, *found.things}, names, swapped)
        cells |= self.speakers(document, {found.people[token].word: name for token, name in names.items()})
        cells |= lemma_cells(document, cells)
        changed = with_cells(document, cells)
        return renamed(changed, f"{document.name}-{self.method}") if swapped else changed

    def replaced(self, people: Mapping[int, NameToken]) -> dict[int, str]:
        if self.method == "a-cda":
            return anonymised(people, self.placeholders)
        return exchanged(people, self.partners) if self.method == "n-cda" else {}

    def speakers(self, document: Document, names: Mapping[str, str]) -> dict[tuple[int, int], str]:
        """Speakers by the names that the text gives them: Larry_King is E1_E2 where Larry or King is somebody there."""
        called = {}
        for speaker in dict.fromkeys(document.speakers):
            parts = speaker.split("_")
            if any(part in names for part in parts):
                rest = self.placeholders.of if self.method == "a-cda" else str
                called[speaker] = "_".join(names[part] if part in names else rest(part) for part in parts)
        return {(token, SPEAKER): called[it] for token, it in enumerate(document.speakers) if it in called}

    def changes(
        self, document: Document, kept: Collection[int], names: Mapping[int, str], swapped: bool
    ) -> dict[tuple[int, int], str]:
        words, tags = document.words, document.tags
        wedding = any(map(GROOM.fullmatch, words)) and tells_of_wedding(" ".join(words))
        found = {}
        for start, end in sentences_of(document):
            own = {n - start: names[n] for n in range(start, end) if n in names}
            protected = {n - start for n in range(start, end) if n in kept}
            sentence = TaggedWords(words[start:end], tags[start:end], protected)
            new = exchange_in_columns(sentence, own, wedding, self.model) if swapped else put_in(sentence.words, own)
            for token, word in enumerate(new, start):
                if word != words[token]:
                    found[token, WORD] = word
        return found


def lemma_cells(document: Document, cells: Mapping[tuple[int, int], str]) -> dict[tuple[int, int], str]:
    """The lemma where it is the word itself."""
    found = {}
    for (token, column), word in cells.items():
        row = document.rows[token]
        if column == WORD and len(row) >= FULL_WIDTH and row[LEMMA].lower() == row[WORD].lower():
            found[token, LEMMA] = word.lower() if row[LEMMA].islower() else word
    return found


def renamed(document: Document, name: str) -> Document:
    """The document under another id, in the line that begins it and in the first column."""
    first = re.compile(rf"(^[ \t]*){re.escape(document.name)}(?=[ \t])")
    lines = tuple(first.sub(lambda it: it[1] + name, line) for line in document.lines)
    header = document.header.removeprefix("\ufeff")
    begin = BEGIN.match(header.rstrip("\r\n"))
    named = begin.start(1) if begin else 0
    start = header.index(document.name, named + header.startswith("(", named))
    renewed = f"{header[:start]}{name}{header[start + len(document.name) :]}"
    return dataclasses.replace(document, name=name, header=renewed, lines=lines)


def write_augmented(source: Path, output: Path, counterpart: Counterpart, anonymise_originals: bool) -> dict[str, int]:
    """Write all documents of a file, then their counterparts; how many documents and tokens there are comes back.

    The file is read once, and one document is in memory: counterparts wait in a file without a name. InputError where
    one would have the id of a document that is there.
    """
    check_target(output)
    known: set[str] = set()
    made: dict[str, int] = {}
    documents, tokens, end = 0, 0, ""
    with (
        atomic_file(output) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
        tempfile.TemporaryFile("w+", encoding="utf-8", newline="", dir=output.parent) as waiting,
    ):
        for document in read_documents(source):
            if not document.name:
                raise InputError(f"{source}: line {document.line}: a document without an id; give it one")
            original = counterpart.anonymised(document) if anonymise_originals else document
            file.write(original.text)
            # What comes ahead of the first document is there once, and a last line without an end is given one.
            usual = "\r\n" if document.header.endswith("\r\n") else "\n"
            end = "" if original.text.endswith("\n") else usual
            waiting.write(dataclasses.replace(counterpart.of(document), before="").text + end)
            known.add(document.name)
            documents += 1
            made.setdefault(f"{document.name}-{counterpart.method}", document.line)
            tokens += len(document.rows)
        if taken := [name for name in made if name in known]:
            raise InputError(
                f"{source}: line {made[taken[0]]}: the counterpart would be {taken[0]}, which is there already; "
                "augment the file without counterparts"
            )
        file.write(end)
        waiting.seek(0)
        shutil.copyfileobj(waiting, file)
    return {"documents": 2 * documents, "tokens": 2 * tokens}
