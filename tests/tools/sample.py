"""The embedded sample and its true referents, built from texts in which each pronoun is marked by hand.

A label is only worth something if it sits on the very pronoun that a later stage finds, and offsets typed by hand
would not survive one correction of the prose. So authors mark pronouns in the source (`she~marta`), and the builder
finds their places in the cleaned text with the readers themselves: it lays the raw files out twice, once as they are
published and once with a private-use character behind every pronoun, reads both, and takes the places of those
characters. The two readings must agree in every other character, or the build stops.

The sample stands for what the readers meet outside, so its raw files have that variety too: a MediaWiki dump with pages
a reader must leave out, books in the layout of Project Gutenberg, hard-wrapped or of one line a paragraph, both line
ends, an old encoding, a zip archive, a catalogue. Every byte follows from the front matter and the text: no clock, no
locale, no zlib version enters.

`make samples` turns `resources/samples/marked/` into the dump, the books, their catalogue and `referents.tsv`.
"""

import argparse
import csv
import dataclasses
import hashlib
import io
import re
import sys
import tempfile
import tomllib
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar
from xml.sax.saxutils import escape

from gapforge.config import convert
from gapforge.corpora import gutenberg, wikipedia
from gapforge.corpora.source import Piece, ReadSettings
from gapforge.errors import ConfigError, InputError
from gapforge.records import Document, Reject
from gapforge.storage.files import atomic_file

# The raw files

WIDTH = 72
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
LANGUAGES = {"en": "English", "fr": "French"}
# The shelves of English and of French literature in the Library of Congress.
SHELVES = {"en": "PR", "fr": "PQ"}

# A chapter stands further from the text above it than one paragraph from another, as in most books of the collection.
HEADING = re.compile(r"(?:CHAPTER|PART|BOOK)\b.*|[IVXLC]+\.?|[A-Z][A-Z ,.'’—-]+", re.DOTALL)

REDIRECT = re.compile(r"#REDIRECT\s*\[\[([^\[\]|#]+)", re.IGNORECASE)

NAMESPACES = {0: "", 1: "Talk", 2: "User", 4: "Sample wiki", 6: "File", 10: "Template", 14: "Category"}

SITE = """\
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.mediawiki.org/xml/export-0.11/ http://www.mediawiki.org/xml/export-0.11.xsd" \
version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Sample wiki</sitename>
    <dbname>samplewiki</dbname>
    <base>https://sample.example/wiki/Main_Page</base>
    <generator>gapforge, pipeline.corpora.marked</generator>
    <case>first-letter</case>
    <namespaces>
{namespaces}
    </namespaces>
  </siteinfo>
"""

PAGE = """\
  <page>
    <title>{title}</title>
    <ns>{ns}</ns>
    <id>{id}</id>
{redirect}\
    <revision>
      <id>{revision}</id>
      <timestamp>{timestamp}</timestamp>
      <contributor>
        <username>Sample author</username>
        <id>1</id>
      </contributor>
      <comment>written for the sample</comment>
      <origin>{revision}</origin>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text bytes="{bytes}" sha1="{sha1}" xml:space="preserve">{text}</text>
      <sha1>{sha1}</sha1>
    </revision>
  </page>
"""

# Worded for this sample: the real header and licence belong to Project Gutenberg, only their layout is wanted here.
BOOK = """\
{title}: a text of the embedded sample of gapforge

It was written for that sample and comes under the licence of gapforge.
Only its layout is that of a Project Gutenberg eBook.

Title: {indented}

{author}\
Release date: {released} [eBook #{id}]

Language: {language}

Character set encoding: {charset}


*** START OF THE PROJECT GUTENBERG EBOOK {shouted} ***




{shouted}

{byline}\


{text}




*** END OF THE PROJECT GUTENBERG EBOOK {shouted} ***

Here ends a text of the embedded sample of gapforge.
"""


@dataclass(frozen=True, slots=True)
class Page:
    """The front matter of a wiki page."""

    id: int
    title: str
    ns: int = 0


@dataclass(frozen=True, slots=True)
class Book:
    """The front matter of a book; one with `file = false` is only listed in the catalogue."""

    id: int
    title: str
    author: str = ""
    language: str = "en"
    type: str = "Text"
    subjects: str = "Fiction"
    shelves: str = ""
    layout: Literal["wrapped", "lines"] = "wrapped"
    encoding: Literal["UTF-8", "ISO-8859-1"] = "UTF-8"
    zip: bool = False
    file: bool = True


def dump(pages: Iterable[tuple[Page, str]]) -> str:
    """A MediaWiki export of the pages and their wikitext, in the order of their ids as in a real one."""
    namespaces = "\n".join(
        f'      <namespace key="{key}" case="first-letter">{name}</namespace>'.replace("></namespace>", " />")
        for key, name in NAMESPACES.items()
    )
    ordered = sorted(pages, key=lambda page: page[0].id)
    return SITE.format(namespaces=namespaces) + "".join(page_xml(*page) for page in ordered) + "</mediawiki>\n"


def page_xml(page: Page, text: str) -> str:
    raw = text.encode()
    target = REDIRECT.match(text)
    return PAGE.format(
        title=quoted(page.title),
        ns=page.ns,
        id=page.id,
        redirect=f'    <redirect title="{quoted(target[1])}" />\n' if target else "",
        revision=10_000 + page.id,
        timestamp=(datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=page.id)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        bytes=len(raw),
        sha1=base36(int(hashlib.sha1(raw, usedforsecurity=False).hexdigest(), 16)),
        text=quoted(text),
    )


def quoted(text: str) -> str:
    return escape(text, {'"': "&quot;"})


def base36(number: int) -> str:
    """Thirty-one digits: how MediaWiki writes a SHA-1."""
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits.rjust(31, "0")


def book_text(book: Book, text: str) -> str:
    """The whole book with header and footer, its lines ended by "\\n"."""
    first, *rest = book.title.split("\n")
    issued = issue_date(book)
    return BOOK.format(
        id=book.id,
        title=first,
        indented="\n       ".join([first, *rest]),
        author=f"Author: {book.author}\n\n" if book.author else "",
        released=f"{MONTHS[issued.month - 1]} {issued.day}, {issued.year}",
        language=LANGUAGES.get(book.language, book.language),
        charset=book.encoding,
        shouted=first.upper(),
        byline=f"by {book.author}\n" if book.author else "",
        text="\n\n".join(laid_out(paragraph, book.layout) for paragraph in re.split(r"\n{2,}", text)),
    )


def laid_out(paragraph: str, layout: str) -> str:
    words = paragraph.split()
    lines = [" ".join(words)] if layout == "lines" else wrapped(words)
    return ("\n\n" if HEADING.fullmatch(printed(paragraph)) else "") + "\n".join(lines)


def wrapped(words: Iterable[str]) -> list[str]:
    """Lines of at most WIDTH printed characters, broken at spaces only: a reader could not fix a broken word."""
    lines: list[str] = []
    room = 0
    for word in words:
        width = len(printed(word))
        if lines and width < room:
            lines[-1] += " " + word
            room -= width + 1
        else:
            lines.append(word)
            room = WIDTH - width
    return lines


def printed(text: str) -> str:
    """The text as a reader sees it: the private-use characters by which the builder marks places take no room."""
    return "".join(character for character in text if unicodedata.category(character) != "Co")


def book_file(book: Book, text: str) -> tuple[str, bytes]:
    """Name and bytes of the book; UnicodeEncodeError where its encoding lacks a character."""
    # Both kinds of line end, and files with and without a byte order mark, occur in the collection; the id decides.
    whole = book_text(book, text).replace("\n", "\r\n" if book.id % 3 == 0 else "\n")
    raw = whole.encode("UTF-8-SIG" if book.encoding == "UTF-8" and book.id % 4 == 1 else book.encoding)
    if not book.zip:
        return f"pg{book.id}.txt", raw
    archive = io.BytesIO()
    # Stored, not deflated: the compressed bytes differ from one zlib to the next.
    member = zipfile.ZipInfo(f"pg{book.id}.txt", (2024, 1, 1, 0, 0, 0))
    member.external_attr = 0o644 << 16
    member.create_system = 3
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as file:
        file.writestr(member, raw)
    return f"pg{book.id}.zip", archive.getvalue()


def catalogue(books: Iterable[Book]) -> str:
    """`pg_catalog.csv`, with the columns of the real one."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["Text#", "Type", "Issued", "Title", "Language", "Authors", "Subjects", "LoCC", "Bookshelves"])
    for book in sorted(books, key=lambda book: book.id):
        *given, family = book.author.split(" ")
        author = f"{family}, {' '.join(given)}" if given else family
        issued = issue_date(book).isoformat()
        locc = SHELVES.get(book.language, "") if "Fiction" in book.subjects else ""
        writer.writerow(
            [book.id, book.type, issued, book.title, book.language, author, book.subjects, locc, book.shelves]
        )
    return table.getvalue()


def issue_date(book: Book) -> date:
    return date(2024, 1, 1) + timedelta(days=book.id % 1000)


# Marks and places

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
    parser = argparse.ArgumentParser(prog="tests/tools/sample.py", description=__doc__.partition("\n")[0])
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
