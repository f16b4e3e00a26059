"""CoNLL-2012 files: a token a row, coreference in the last column (Pradhan et al. 2012).

Every line is kept as it stands, so that a file read and written again has the same bytes; what changes is a cell, and
the blanks around it stay. Brackets are read as the reference scorer (v8.01) reads them: within a cell mentions of one
token come first, then those that begin, then those that end, and an end closes the mention of its entity begun last.
"""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from gapforge.errors import InputError, quoted, shortened
from gapforge.records import Span, overlap
from gapforge.storage.files import atomic_file, check_source, check_target, decode

BEGIN = re.compile(r"#\s*begin document\s(.*)")
END = re.compile(r"#\s*end document")
# Blanks are taken whole ("++"), and digits below: tried in every split, a long line that does not match would take for
# ever.
NAME = re.compile(r"\((.*)\)\s*+;?\s*+(?:part\s++([0-9]{1,9}))?\s*+")
CELL = re.compile(r"[^ \t\r\n]+")
NO_MENTION = frozenset("-_*")
MENTIONS = re.compile(r"(?:(?:\([0-9]++(?:\+[0-9]\)|\))?|[0-9]++\))\|?)+")
# An antecedent of two entities, "(3+1)", which the scorer leaves out.
DOUBLE = re.compile(r"\([0-9]+\+[0-9]\)")
BRACKET = re.compile(r"(\()?([0-9]+)(\))?")
MOST_DIGITS = 18
NAMED = re.compile(r"(?:\(([^()*|]+))?\*?(\))?")

# Columns by their place (Pradhan et al. 2012, Table 1). Between the names and the last column stand the arguments of
# each predicate, so that sentences differ in width.
WORD, TAG, SPEAKER, NAMES = 3, 4, 9, 10
WORD_WIDTH, FULL_WIDTH = 5, 12


class Mention(NamedTuple):
    """A stretch of tokens, counted from the start of the document; `end` is behind the last."""

    start: int
    end: int


Entities = Mapping[int, tuple[Mention, ...]]


@dataclass(frozen=True)
class Document:
    """One part of a document as its file has it.

    `lines` lie between the line that begins it, number `line`, and the one that ends it, with which `after` starts:
    that runs to the next document. `before` is what comes ahead of the first. `entities` are mentions in text order by
    the number of their entity, entities in the order in which they are met.
    """

    source: str
    name: str
    part: int
    line: int
    before: str
    header: str
    lines: tuple[str, ...]
    after: str
    entities: Entities

    @cached_property
    def rows(self) -> list[list[str]]:
        """The cells of each token, in order."""
        return [cells_of(line) for _, line in rows_of(self.lines)]

    @property
    def key(self) -> tuple[str, int]:
        return self.name, self.part

    @property
    def title(self) -> str:
        return f"{self.name} part {self.part:03}"

    @property
    def text(self) -> str:
        return "".join((self.before, self.header, *self.lines, self.after))

    @property
    def words(self) -> list[str]:
        """The words; empty ones where a file has no column of them."""
        return column_of(self, WORD, WORD_WIDTH)

    @property
    def tags(self) -> list[str]:
        return column_of(self, TAG, FULL_WIDTH)

    @property
    def speakers(self) -> list[str]:
        return column_of(self, SPEAKER, FULL_WIDTH)


def column_of(document: Document, column: int, width: int) -> list[str]:
    """One cell a token; empty in rows narrower than `width`, where the column holds something else."""
    return [cells[column] if len(cells) >= width else "" for cells in document.rows]


def cells_of(line: str) -> list[str]:
    # str.split parts at more than CoNLL does; a line that holds none of that is parted by it in a fraction of the time.
    plain = line.rstrip("\r\n").replace("\t", " ")
    return plain.split() if plain.isascii() and plain.isprintable() else CELL.findall(line)


def rows_of(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines that hold a token, with their places among all."""
    return ((place, line) for place, line in enumerate(lines) if line.strip(" \t\r\n"))


def sentences_of(document: Document) -> list[Mention]:
    """Where each sentence begins and ends, in tokens; a blank line parts them."""
    found: list[Mention] = []
    previous = -2
    for token, (place, _) in enumerate(rows_of(document.lines)):
        start = found.pop().start if place == previous + 1 else token
        found.append(Mention(start, token + 1))
        previous = place
    return found


def read_documents(path: Path) -> Iterator[Document]:
    """The documents of a file, one at a time; InputError names the line that cannot be read."""
    check_source(path)
    source = str(path)
    seen: dict[tuple[str, int], int] = {}
    with path.open("rb") as file:
        lines = ((number, decode_line(line, number, source)) for number, line in enumerate(file, 1))
        for document in documents_of(lines, source):
            if document.key in seen:
                raise InputError(
                    f"{source}: line {document.line}: document {shortened(document.title)} again, after line "
                    f"{seen[document.key]}; keep one of the two"
                )
            seen[document.key] = document.line
            yield document
    if not seen:
        raise InputError(f"{source}: no document; wanted '#begin document (name); part 000' before its rows")


def decode_line(line: bytes, number: int, source: str) -> str:
    try:
        return line.decode("utf-8")  # The byte order mark stays: what is read is written again.
    except UnicodeDecodeError:
        return decode(line, f"{source}: line {number}")


def documents_of(lines: Iterable[tuple[int, str]], source: str) -> Iterator[Document]:
    before, header, name = "", "", ""
    begun = 0  # the line on which the open document begins
    body: list[str] = []
    finished: Document | None = None
    outside: list[str] = []
    for number, line in lines:
        bare = line.removeprefix("\ufeff")
        begin = BEGIN.match(bare.rstrip("\r\n"))
        if begun and begin:
            raise InputError(
                f"{source}: line {number}: a document begins, but {shortened(name)}, from line {begun}, has not ended; "
                "wanted '#end document' between them"
            )
        if begin:
            if finished:
                yield dataclasses.replace(finished, after=finished.after + "".join(outside))
            before, outside = "" if finished else "".join(outside), []
            finished, begun, header, name, body = None, number, line, begin[1].strip(), []
        elif begun and END.match(line):
            finished = as_document(source, before, header, name, begun, body, line)
            begun = 0
        elif begun:
            body.append(line)
        elif bare.strip(" \t\r\n") and not bare.startswith("#"):
            raise InputError(f"{source}: line {number}: a row outside a document; wanted '#begin document' before it")
        else:
            outside.append(line)
    if begun:
        raise InputError(
            f"{source}: {shortened(name)}, from line {begun}, has no '#end document'; is the file complete?"
        )
    if finished:
        yield dataclasses.replace(finished, after=finished.after + "".join(outside))


def as_document(
    source: str, before: str, header: str, name: str, line: int, body: Sequence[str], after: str
) -> Document:
    named = NAME.fullmatch(name)
    rows = [(place, cells_of(text)) for place, text in rows_of(body)]
    check_widths(rows, source, line)
    return Document(
        source=source,
        name=named[1] if named else name,
        part=int(named[2] or 0) if named else 0,
        line=line,
        before=before,
        header=header,
        lines=tuple(body),
        after=after,
        entities=entities_of(rows, source, line),
    )


Rows = Iterable[tuple[int, Sequence[str]]]  # the cells of each token, with the place of its line


def check_widths(rows: Rows, source: str, begun: int) -> None:
    width, previous = 0, -2
    for place, cells in rows:
        found = len(cells)
        if place == previous + 1 and found != width:
            raise InputError(
                f"{source}: line {begun + 1 + place}: {found} columns, {width} in the row above; "
                "the rows of a sentence have as many"
            )
        width, previous = found, place


def entities_of(rows: Rows, source: str, begun: int) -> dict[int, tuple[Mention, ...]]:
    """The mentions of the last column by their entity; InputError for brackets that do not match."""
    entities: dict[int, list[Mention]] = {}
    open_at: dict[int, list[tuple[int, int]]] = {}
    for token, (place, cells) in enumerate(rows):
        cell = cells[-1]
        if cell in NO_MENTION:
            continue
        number = begun + 1 + place
        single, begins, ends = brackets_of(cell, f"{source}: line {number}")
        for entity in single:
            entities.setdefault(entity, []).append(Mention(token, token + 1))
        for entity in begins:
            entities.setdefault(entity, [])
            open_at.setdefault(entity, []).append((token, number))
        for entity in ends:
            if not open_at.get(entity):
                raise InputError(f"{source}: line {number}: {entity}) closes a mention that nothing opens")
            entities[entity].append(Mention(open_at[entity].pop()[0], token + 1))
    unclosed = [(number, entity) for entity, places in open_at.items() for _, number in places]
    if unclosed:
        number, entity = min(unclosed)
        raise InputError(f"{source}: line {number}: the mention ({entity} is never closed in its document")
    return {entity: tuple(sorted(mentions)) for entity, mentions in entities.items()}


def brackets_of(cell: str, place: str) -> tuple[list[int], list[int], list[int]]:
    """The entities with a mention of this one token, one that begins here, and one that ends here."""
    if not MENTIONS.fullmatch(cell):
        raise InputError(f"{place}: coreference is {quoted(cell)}; wanted - or brackets such as (3, 3), (3)|(12")
    sorts: tuple[list[int], list[int], list[int]] = ([], [], [])
    for opening, entity, closing in BRACKET.findall(DOUBLE.sub("", cell)):
        if len(entity) > MOST_DIGITS:
            raise InputError(
                f"{place}: coreference is {quoted(cell)}; an entity's number has at most {MOST_DIGITS} digits"
            )
        sorts[0 if opening and closing else 1 if opening else 2].append(int(entity))
    return sorts


def named_entities(document: Document) -> list[tuple[Mention, str]]:
    """The named entities of the column of names with their types, in text order; none where it has no such column."""
    found: list[tuple[Mention, str]] = []
    opened: list[tuple[int, str]] = []
    places = [place for place, _ in rows_of(document.lines)]
    for token, (place, cells) in enumerate(zip(places, document.rows, strict=True)):
        cell = cells[NAMES] if len(cells) >= FULL_WIDTH else "*"
        if cell in NO_MENTION:
            continue
        where = f"{document.source}: line {document.line + 1 + place}"
        match = NAMED.fullmatch(cell)
        if not match:
            raise InputError(f"{where}: named entity is {quoted(cell)}; wanted *, (PERSON*, *) or (PERSON)")
        if match[1]:
            opened.append((token, match[1]))
        if match[2]:
            if not opened:
                raise InputError(f"{where}: named entity {quoted(cell)} closes one that nothing opens")
            start, kind = opened.pop()
            found.append((Mention(start, token + 1), kind))
    if opened:
        line = document.line + 1 + places[opened[0][0]]
        raise InputError(
            f"{document.source}: line {line}: the named entity ({shortened(opened[0][1])}* is never closed"
        )
    return sorted(found)


def with_column(document: Document, column: int, values: Sequence[str]) -> Document:
    """The document with other cells in a column, one a token; blanks between cells stay as they are."""
    lines = list(document.lines)
    for (place, line), value in zip(list(rows_of(document.lines)), values, strict=True):
        check_cell(value, document, place)
        cell = list(CELL.finditer(line))[column]
        lines[place] = line[: cell.start()] + value + line[cell.end() :]
    rows = [(place, cells_of(line)) for place, line in rows_of(lines)]
    entities = entities_of(rows, document.source, document.line)
    return dataclasses.replace(document, lines=tuple(lines), entities=entities)


def check_cell(value: str, document: Document, place: int) -> None:
    if not CELL.fullmatch(value):
        raise ValueError(f"{document.source}: line {document.line + 1 + place}: no cell can hold {value!r}")


def with_cells(document: Document, values: Mapping[tuple[int, int], str]) -> Document:
    """The document with other cells, by token and column; columns that are padded with blanks keep their places.

    The last column is none of them: entities stay as they are.
    """
    wanted: dict[int, list[tuple[int, str]]] = {}
    for (token, column), value in values.items():
        wanted.setdefault(token, []).append((column, value))
    lines = list(document.lines)
    for token, (place, line) in enumerate(rows_of(document.lines)):
        for column, value in wanted.get(token, ()):
            check_cell(value, document, place)
            line = padded(line, column, value)
        lines[place] = line
    return dataclasses.replace(document, lines=tuple(lines))


def padded(line: str, column: int, value: str) -> str:
    """The line with another cell, the cells after it where they were, as far as the blanks around the old one allow.

    Blanks before a cell are taken or added first, since OntoNotes sets words flush right. Tabs stay, and so does what
    follows the first column, which is the same in all lines.
    """
    cells = list(CELL.finditer(line))
    start, end = cells[column].span()
    before, after = cells[column - 1].end() if column else start, cells[column + 1].start()
    left, right = line[before:start], line[end:after]
    if column and set(left + right) == {" "} and len(left + right) > 2:
        growth = len(value) - (end - start)
        taken = min(growth, len(left) - 1)
        left, right = " " * (len(left) - taken), " " * max(1, len(right) - (growth - taken))
    return line[:before] + left + value + right + line[after:]


def with_entities(document: Document, entities: Entities) -> Document:
    """The document with other mentions in its last column."""
    tokens = sum(1 for _ in rows_of(document.lines))
    return with_column(document, -1, coreference_cells(entities, tokens))


def mention_of(span: Span, tokens: Sequence[Span]) -> Mention:
    """The tokens that a span of the text touches; it must touch one."""
    within = [n for n, token in enumerate(tokens) if overlap(span, token)]
    return Mention(within[0], within[-1] + 1)


def coreference_cells(entities: Entities, tokens: int) -> list[str]:
    """The last column: what begins before what ends, the longer mention outside.

    ValueError where two mentions of one entity cross, for which there are no brackets.
    """
    begins: list[list[tuple[int, str]]] = [[] for _ in range(tokens)]
    ends: list[list[tuple[int, str]]] = [[] for _ in range(tokens)]
    for entity, mentions in entities.items():
        for mention in mentions:
            if any(mention.start < other.start < mention.end < other.end for other in mentions):
                raise ValueError(f"mentions of entity {entity} cross at tokens {mention.start} to {mention.end}")
            if mention.end == mention.start + 1:
                begins[mention.start].append((mention.end, f"({entity})"))
            else:
                begins[mention.start].append((mention.end, f"({entity}"))
                ends[mention.end - 1].append((mention.start, f"{entity})"))
    cells = []
    for opening, closing in zip(begins, ends, strict=True):
        opening.sort(key=lambda it: -it[0])
        closing.sort(key=lambda it: -it[0])
        cells.append("|".join(text for _, text in opening + closing) or "-")
    return cells


def write_documents(path: Path, documents: Iterable[Document]) -> None:
    """Write documents with every line as it stands; the file appears when all is written."""
    check_target(path)
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        for document in documents:
            file.write(document.text)
