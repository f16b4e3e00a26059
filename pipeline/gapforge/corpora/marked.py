"""The embedded sample and its true referents, built from texts in which each pronoun is marked by hand.

A label is only worth something if it sits on the very pronoun that a later stage finds, and offsets typed by hand
would not survive one correction of the prose. So authors mark pronouns in the source (`she~marta`), and the builder
finds their places in the cleaned text with the readers themselves: it lays the raw files out twice, once as they are
published and once with a private-use character behind every pronoun, reads both, and takes the places of those
characters. The two readings must agree in every other character, or the build stops.

`python -m pipeline.corpora.marked resources/samples` (`make samples`) turns `marked/` in that folder into the dump,
the books, their catalogue and `referents.tsv`.
"""

import argparse
import dataclasses
import re
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from gapforge.config import convert
from gapforge.corpora import gutenberg, wikipedia
from gapforge.corpora.source import Piece, ReadSettings
from gapforge.corpora.specimens import Book, Page, book_file, catalogue, dump
from gapforge.errors import ConfigError, InputError
from gapforge.records import Document, Reject
from gapforge.storage.files import atomic_file

Front = TypeVar("Front", Page, Book)
Reader = Callable[[Piece, ReadSettings], Iterator[Document | Reject]]

FRONT_MATTER = re.compile(r"\+\+\+\n(.*?\n)\+\+\+\n", re.DOTALL)
KEY = r"[a-z0-9]+(?:_[a-z0-9]+)*"
# Not \b: an underscore is a letter to it, and italics to the authors of books.
PRONOUN = re.compile(rf"(?<![^\W_])(he|him|his|she|her|hers|himself|herself)(?![^\W_])(?:(~)({KEY})?)?", re.IGNORECASE)
NOBODY = "none"

# The second private plane is as good as unused; the first one, U+E000, is where software puts placeholders of its own.
FIRST_CODE = 0xF0000
CODES = re.compile("[\U000f0000-\U000ffffd]")

COLUMNS = ("document_id", "start", "end", "pronoun", "referent", "forms")


@dataclass(frozen=True, slots=True)
class Mark:
    """A gendered pronoun of a marked file and the key of its referent; `key` is None where the author gave none."""

    line: int
    pronoun: str
    key: str | None


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of the cast: every form under which the text names the person, and the line that lists them."""

    forms: list[str]
    line: int


@dataclass(frozen=True, slots=True)
class MarkedText(Generic[Front]):
    """A marked file taken apart; in `text` the n-th code of the private plane stands behind the pronoun of `marks[n]`.

    Without a `[cast]` it is one of the texts that a reader or a selection leaves out, and nothing in it needs a mark.
    """

    name: str
    front: Front
    cast: dict[str, Person] | None
    text: str
    marks: list[Mark]


@dataclass(frozen=True, slots=True)
class Referent:
    """A pronoun of a document and whom it stands for: the first form of the person, and all of them."""

    document_id: str
    start: int
    end: int
    pronoun: str
    referent: str
    forms: list[str]


def parse(name: str, raw: str, kind: type[Front]) -> MarkedText[Front]:
    """Take a marked file apart; an InputError names file and line."""
    header = FRONT_MATTER.match(raw)
    if not header:
        raise InputError(f"{name}:1: no front matter; begin the file with TOML between two lines of +++")
    if unwanted := CODES.search(raw):
        line = line_of(raw, unwanted.start())
        raise InputError(f"{name}:{line}: the character U+{ord(unwanted[0]):X} marks places here; write another one")
    front, table = front_matter(name, header[1], kind)
    cast = None if table is None else read_cast(name, header[0], table)
    body = header.end()
    marks: list[Mark] = []

    def code(match: re.Match[str]) -> str:
        mark = Mark(line_of(raw, body + match.start()), match[1], match[3])
        if match[2] and mark.key is None:
            raise InputError(f"{name}:{mark.line}: {match[0]} has no key; write the key of [cast] right after the ~")
        if mark.key is not None and mark.key != NOBODY and mark.key not in (cast or {}):
            raise InputError(
                f"{name}:{mark.line}: {match[0]}: no {mark.key} in [cast]; add the person or write ~{NOBODY}"
            )
        marks.append(mark)
        return match[1] + chr(FIRST_CODE + len(marks) - 1)

    text = raw[:body] + PRONOUN.sub(code, raw[body:])
    if (stray := text.find("~", body)) >= 0:
        raise InputError(f"{name}:{line_of(text, stray)}: a ~ that follows no gendered pronoun; remove it")
    return MarkedText(name, front, cast, text[body:].strip("\n"), marks)


def front_matter(name: str, toml: str, kind: type[Front]) -> tuple[Front, Any]:
    """The typed front matter, and its cast as TOML has it."""
    try:
        values = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        line = int(place[1]) + 1 if place else toml.count("\n") + 1
        raise InputError(f"{name}:{line}: the front matter is not TOML: {error}") from error
    cast = values.pop("cast", None)
    for key in ("id", "title"):
        if key not in values:
            raise InputError(f"{name}:1: the front matter lacks {key}; add it")
    try:
        return convert(values, kind, f"{name}:1: the front matter"), cast
    except ConfigError as error:
        raise InputError(str(error)) from error


def read_cast(name: str, header: str, table: Any) -> dict[str, Person]:
    """The cast; InputError where a name could mean two people, or the table of referents could not hold it."""
    if not isinstance(table, dict):
        raise InputError(
            f"{name}:{entry_line(header, 'cast')}: cast must be a table; write [cast], the people below it"
        )
    owners: dict[str, str] = {}
    cast: dict[str, Person] = {}
    for key, forms in table.items():
        line = entry_line(header, key)
        place = f"{name}:{line}"
        if not re.fullmatch(KEY, key) or key == NOBODY:
            raise InputError(f"{place}: {key!r} cannot be a key of [cast]; use a-z, 0-9 and _, and not {NOBODY!r}")
        if not isinstance(forms, list) or not forms or not all(isinstance(form, str) and form for form in forms):
            raise InputError(f'{place}: {key} wants a list of names; write {key} = ["Full Name", "Surname"]')
        for form in forms:
            if re.search(r"[|\t\n]", form):
                raise InputError(f"{place}: the form {form!r} holds a bar, tab or line break; write it without")
            if form in owners:
                raise InputError(f"{place}: {form!r} is a form of {owners[form]} too; leave it with one of them")
            owners[form] = key
        cast[key] = Person(forms, line)
    return cast


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def entry_line(header: str, key: str) -> int:
    entry = re.search(rf'^\s*\[?"?{re.escape(key)}\b', header, re.MULTILINE)
    return line_of(header, entry.end()) if entry else 1


def referents(marked: MarkedText[Any], coded: Document, published: Document) -> Iterator[Referent]:
    """Where the marked pronouns stand in the published document, in text order."""
    cast = marked.cast or {}
    plain = CODES.sub("", coded.text)
    if plain != published.text:
        at = next((n for n, (a, b) in enumerate(zip(plain, published.text, strict=False)) if a != b), len(plain))
        raise InputError(
            f"{marked.name}:1: the reader gives another text where pronouns carry a place-holder, "
            f"from {published.text[at : at + 40]!r} on; move markup away from the pronouns before it"
        )
    for key, person in cast.items():
        for form in person.forms:
            if not re.search(rf"(?<!\w){re.escape(form)}(?!\w)", plain):
                raise InputError(
                    f"{marked.name}:{person.line}: {key} is never called {form!r} in the text; remove the form"
                )
    found = [ord(code[0]) - FIRST_CODE for code in CODES.finditer(coded.text)]
    check_marks(marked, set(found))
    for n, code in enumerate(CODES.finditer(coded.text)):
        mark = marked.marks[found[n]]
        end = code.start() - n
        start = end - len(mark.pronoun)
        assert plain[start:end] == mark.pronoun, (marked.name, mark)
        forms = cast[mark.key].forms if mark.key in cast else []
        yield Referent(published.id, start, end, mark.pronoun, forms[0] if forms else "", forms)


def check_marks(marked: MarkedText[Any], found: set[int]) -> None:
    """Every pronoun of the cleaned text is marked, and no mark was lost on the way to it."""
    for n, mark in enumerate(marked.marks):
        if mark.key is None and n in found:
            raise InputError(
                f"{marked.name}:{mark.line}: {mark.pronoun!r} is not marked; write {mark.pronoun}~ and a key"
            )
        if mark.key is not None and n not in found:
            raise InputError(
                f"{marked.name}:{mark.line}: {mark.pronoun}~{mark.key} stands in text that the reader removes; "
                "take the mark off, or move the pronoun out of the template, table, note, caption, list or heading"
            )


def read_marked(folder: Path, kind: type[Front]) -> list[MarkedText[Front]]:
    """All marked files of a folder, by id."""
    texts: dict[int, MarkedText[Front]] = {}
    for path in sorted(folder.glob("*.txt")):
        marked = parse(path.as_posix(), path.read_text("utf-8"), kind)
        if other := texts.get(marked.front.id):
            raise InputError(f"{marked.name}:1: the id {marked.front.id} is taken by {other.name}; give another one")
        texts[marked.front.id] = marked
    if not texts:
        raise InputError(f"{folder.as_posix()}: no marked files; name the folder that holds marked/")
    return [texts[number] for number in sorted(texts)]


def build(folder: Path) -> dict[str, bytes]:
    """All files of the sample in `folder` by their names below it, from its `marked/`; writes nothing there."""
    pages = read_marked(folder / "marked" / "wikipedia", Page)
    books = read_marked(folder / "marked" / "gutenberg", Book)
    published = {"wikipedia.xml": dump((page.front, CODES.sub("", page.text)) for page in pages).encode()}
    coded = {"wikipedia.xml": dump((page.front, page.text) for page in pages).encode()}
    for book in books:
        if book.front.file:
            name, content = published_book(book)
            published[f"gutenberg/{name}"] = content
            # No other encoding has the place-holders.
            coded[f"gutenberg/{name}"] = book_file(dataclasses.replace(book.front, encoding="UTF-8"), book.text)[1]
    rows: list[Referent] = []
    before, after = read_files(published), read_files(coded)
    for room, texts in (("wikipedia", pages), ("gutenberg", books)):
        for marked in texts:
            number = f"{room}-{marked.front.id}"
            document, with_codes = before.get(number), after.get(number)
            if marked.cast is None:
                if document and room == "wikipedia":
                    raise InputError(f"{marked.name}:1: the reader takes this page; give it a [cast]")
            elif document is None or with_codes is None:
                raise InputError(f"{marked.name}:1: the reader gives no document {number}; see why it leaves it out")
            else:
                rows += referents(marked, with_codes, document)
    published["gutenberg/pg_catalog.csv"] = catalogue(book.front for book in books).encode()
    published["referents.tsv"] = table(rows).encode()
    return published


def published_book(book: MarkedText[Book]) -> tuple[str, bytes]:
    try:
        return book_file(book.front, CODES.sub("", book.text))
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise InputError(
            f"{book.name}:1: {book.front.encoding} has no {character!r}; write it otherwise or set another encoding"
        ) from error


def read_files(files: dict[str, bytes]) -> dict[str, Document]:
    """The documents of raw files by id, as the readers give them."""
    documents: dict[str, Document] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in files.items():
            path = Path(scratch, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            read: Reader = wikipedia.read if name.endswith(".xml") else gutenberg.read
            for record in read(Piece(str(path), path.name), ReadSettings()):
                if isinstance(record, Document):
                    documents[record.id] = record
    return documents


def table(rows: Sequence[Referent]) -> str:
    lines = ["\t".join(COLUMNS)]
    for row in rows:
        lines.append(f"{row.document_id}\t{row.start}\t{row.end}\t{row.pronoun}\t{row.referent}\t{'|'.join(row.forms)}")
    return "\n".join(lines) + "\n"


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Put the files in their places, and remove books that are no longer part of the sample."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as temporary:
            temporary.write_bytes(content)
    for path in (folder / "gutenberg").glob("pg*.*"):
        if f"gutenberg/{path.name}" not in files:
            path.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m gapforge.corpora.marked", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="the folder that holds marked/; the sample is written beside it")
    folder: Path = parser.parse_args().folder
    try:
        files = build(folder)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    write(folder, files)
    rows = files["referents.tsv"].count(b"\n") - 1
    sys.stdout.write(f"{folder.as_posix()}: {len(files)} files, {rows} marked pronouns\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
