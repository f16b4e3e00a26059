"""How the embedded sample looks as raw files: a MediaWiki dump, books in the layout of Project Gutenberg, a catalogue.

The sample stands for what the readers meet outside, so it has that variety too: pages a reader must leave out,
hard-wrapped books and books of one line a paragraph, both line ends, an old encoding, a zip archive. Every byte
follows from the front matter and the text: no clock, no locale, no zlib version enters.
"""

import csv
import hashlib
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal
from xml.sax.saxutils import escape

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
    <generator>gapforge, gapforge.corpora.marked</generator>
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
    """Lines of at most WIDTH printed characters, broken at spaces only: a reader could not mend a broken word."""
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
