"""Documents in CoNLL columns with their counterparts, in which every gendered word is of the other gender.

`swap` leaves names as they are, `a-cda` puts placeholders in their places (Zhao et al. 2018, 3.1), `n-cda` exchanges
first names of men and women (Xie et al. 2023, Appendix A). Tokens stay in number and clusters untouched.

What `gapforge augment` and `name-pairs` do with files, without a config.

Gender lists with the counts of both genders made equal (Zhao et al. 2018, 3.2).

Such a list says how often a noun phrase was met as masculine, feminine, neutral and plural (Bergsma and Lin 2006): a
phrase and a tab, then the counts. Systems that learn from it learn its bias.

The stage of this room: CoNLL files to augmented ones, by each method that the config names.
"""

import dataclasses
import gzip
import re
import shutil
import tempfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from gapforge.config import hint
from gapforge.counterfactuals.columns import (
    NameToken,
    Placeholders,
    TaggedWords,
    anonymised,
    exchange_in_columns,
    exchanged,
    put_in,
    read_names,
)
from gapforge.counterfactuals.matching import SIDES, name_table, partners, total_cost
from gapforge.counterfactuals.words import tells_of_wedding
from gapforge.errors import ConfigError, InputError
from gapforge.records import Note
from gapforge.storage.conll import BEGIN, FULL_WIDTH, SPEAKER, WORD, Document, read_documents, sentences_of, with_cells
from gapforge.storage.files import atomic_file, check_source, check_target, decode, write_text

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


def check_method(method: str) -> Method:
    for known in METHODS:
        if method == known:
            return known
    raise ConfigError(f"unknown method {method!r}{hint(method, METHODS)}")


def augment_file(source: Path, output: Path, method: str, anonymise_originals: bool, model: str) -> dict[str, Any]:
    """Write the documents of a file and their counterparts; the counts come back."""
    if source.resolve() == output.resolve():
        raise ConfigError(f"{source}: is both input and output; write to another file")
    check_source(source)
    check_target(output)
    counterpart = counterpart_for(check_method(method), anonymise_originals, model)
    counts = write_augmented(source, output, counterpart, anonymise_originals)
    return {"method": method, **counts, "output": str(output)}


def counterpart_for(method: Method, anonymise_originals: bool, model: str) -> Counterpart:
    if anonymise_originals and method != "a-cda":
        raise ConfigError(f"only a-cda puts placeholders in the places of names, and this is {method}; leave it out")
    return Counterpart(method, partners(name_table()) if method == "n-cda" else {}, model)


def write_name_pairs(output: Path) -> dict[str, Any]:
    """Write the names that n-CDA exchanges as a table; how many pairs there are of each kind, and their costs."""
    check_target(output)
    pairs = name_table()
    lines = (f"{it.masculine}\t{it.feminine}\t{it.kind}\t{it.cost:.6f}\n" for it in pairs)
    write_text(output, "masculine\tfeminine\tkind\tcost\n" + "".join(lines))
    counts = {kind: sum(it.kind == kind for it in pairs) for kind in SIDES}
    kinds = {kind: {"pairs": counts[kind], "cost": round(total_cost(pairs, kind), 6)} for kind in SIDES}
    return {"pairs": len(pairs), "kinds": kinds, "output": str(output)}


LINE = re.compile(r"([^\t]*\t[ \t]*)([0-9]{1,18})([ \t]+)([0-9]{1,18})((?:[ \t]+[0-9]+)*[ \t]*\r?\n?)")


def balance_list(source: Path, output: Path) -> dict[str, Any]:
    """Write the list with both counts of each phrase at their mean, rounded up; how many have changed comes back.

    Files that end in .gz are compressed, on either side.
    """
    check_source(source)
    check_target(output)
    if source.resolve() == output.resolve():
        raise ConfigError(f"{source}: is both input and output; write to another file")
    counts: Counter[str] = Counter()
    with atomic_file(output) as temporary, temporary.open("wb") as file:
        # Without a time and a name, the same list gives the same bytes.
        packed = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if output.suffix == ".gz" else None
        with packed or file as target:
            for line, changed in balanced_lines(source):
                counts["phrases"] += 1
                counts["changed"] += changed
                target.write(line.encode())
    return {"phrases": counts["phrases"], "changed": counts["changed"], "output": str(output)}


def balanced_lines(source: Path) -> Iterator[tuple[str, bool]]:
    """Each line with its counts in balance, and whether they were not before; empty lines are left out."""
    for number, line in enumerate(raw_lines(source), 1):
        text = decode(line, f"{source}: line {number}")
        if not text.strip():
            continue
        found = LINE.fullmatch(text)
        if not found:
            raise InputError(
                f"{source}: line {number}: {text.strip()[:60]!r}; wanted a phrase, a tab, and the counts of its "
                "masculine and feminine uses"
            )
        phrase, masculine, between, feminine, rest = found.groups()
        # Rounded up, so that a phrase that was met once is not taken for one that was never met.
        mean = -(-(int(masculine) + int(feminine)) // 2)
        yield f"{phrase}{mean}{between}{mean}{rest}", masculine != feminine


def raw_lines(source: Path) -> Iterable[bytes]:
    if source.suffix != ".gz":
        with source.open("rb") as file:
            yield from file
        return
    try:
        with gzip.open(source, "rb") as packed:
            yield from packed
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{source}: not a whole gzip file ({error}); get it again") from error


@dataclass(frozen=True, slots=True)
class AugmentationSettings:
    """The `[augmentation]` section: CoNLL-2012 files, and how counterparts are made of their documents.

    Paths begin at the config's own folder. `anonymise_originals`: a-cda puts placeholders into the originals as well.
    """

    inputs: list[str] = field(default_factory=list)
    methods: list[Method] = field(default_factory=lambda: ["n-cda"])
    anonymise_originals: bool = False

    def __post_init__(self) -> None:
        for name in ("inputs", "methods"):
            values: list[str] = getattr(self, name)
            if len(set(values)) < len(values):
                raise ValueError(f"{name} must be different, found {values}")
        stems = [Path(name).name for name in self.inputs]
        if len(set(stems)) < len(stems):
            raise ValueError(f"inputs must have different names, found {stems}")
        if self.inputs and not self.methods:
            raise ValueError("methods must name one of swap, a-cda and n-cda")
        if self.anonymise_originals and "a-cda" not in self.methods:
            raise ValueError("anonymise_originals is of a-cda, which is no method here")


def corpus_files(settings: AugmentationSettings, base: Path) -> dict[str, Path]:
    """The CoNLL files by the names that the config gives them."""
    for name in settings.inputs:
        if not (base / name).is_file():
            raise ConfigError(f"[augmentation] inputs {name}: no such file; paths begin at the config's own folder")
    return {name: base / name for name in settings.inputs}


def output_name(source: str, method: str) -> str:
    """Such as train-n-cda.conll, of train.conll; whatever the name ends in stays its end."""
    path = Path(source)
    return f"{path.stem}-{method}{path.suffix}"


def count_documents(settings: AugmentationSettings, folder: Path) -> int:
    names = [output_name(source, method) for source in settings.inputs for method in settings.methods]
    return sum(1 for name in names for _ in read_documents(folder / name))


def augmented_corpus(
    settings: AugmentationSettings, files: Mapping[str, Path], model: str, folder: Path
) -> Iterator[Note]:
    """The stage AugmentedCorpus: a file for each input and method, one document in memory at a time."""
    for method in settings.methods:
        anonymise = settings.anonymise_originals and method == "a-cda"
        for source, path in files.items():
            counterpart = counterpart_for(method, anonymise, model)
            name = output_name(source, method)
            counts = write_augmented(path, folder / name, counterpart, anonymise)
            yield Note(f"{name}: {counts['documents']:,} documents, {counts['tokens']:,} tokens")
