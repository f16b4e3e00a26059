"""Books of Project Gutenberg, as `.txt` or in a `.zip`: boilerplate off, lines made paragraphs, headings made sections.

The files span fifty years of volunteers' habits, so every rule is for a variant that is out there.

Which books of Project Gutenberg to take, by its catalogue, the file `pg_catalog.csv`.

Which of the files of a Project Gutenberg mirror to read: it holds most books several times over.

A book numbered N lies there as `N-0.txt` or `pgN.txt` (UTF-8), `N.txt` (ASCII) and `N-8.txt` (Latin-1), each
also as a `.zip`, with pages for browsers in `N-h.zip`, and with earlier editions in a folder `old`, where some
have names from the time before there were numbers (`N/old/prprj10.txt`).
"""

import csv
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath

from gapforge.corpora import books
from gapforge.corpora.archives import open_archive, shown
from gapforge.corpora.books import Block, Heading, Paragraph, assemble, clean, fold, is_ornament, stem
from gapforge.corpora.source import MOST_BYTES, Catalog, Piece, ReadSettings, decode_book, too_large
from gapforge.errors import InputError
from gapforge.records import Document, Reject

_COLUMNS = ("Text#", "Type", "Language", "Subjects", "Bookshelves")


def select(catalog: Catalog) -> frozenset[int] | None:
    """The numbers of the books to take; None takes every book, since no catalogue and no ids are named.

    Ids name the books themselves, so languages and subjects do not apply to them; an empty list of either
    takes all. Raises InputError where an id is no text of the catalogue.
    """
    if not catalog.file:
        return frozenset(catalog.ids) or None
    try:
        state = Path(catalog.file).stat()
    except OSError as error:
        raise InputError(
            f"{catalog.file}: wanted the catalogue pg_catalog.csv, found no such file; "
            "download it or change [corpora.NAME.catalog] file"
        ) from error
    # The file's state is part of the key, so that a catalogue replaced in a long-lived process is read anew.
    key = (catalog.file, state.st_mtime_ns, state.st_size)
    return _select(key, tuple(catalog.languages), tuple(catalog.subjects), tuple(catalog.ids))


@lru_cache(maxsize=16)
def _select(
    key: tuple[str, int, int], languages: tuple[str, ...], subjects: tuple[str, ...], ids: tuple[int, ...]
) -> frozenset[int]:
    file = key[0]
    if ids:
        known = {number for number, _, _ in _texts(file)}
        if missing := sorted(set(ids) - known):
            raise InputError(
                f"{file}: wanted the books {', '.join(map(str, missing))}, found no text of that number; "
                "change [corpora.NAME.catalog] ids"
            )
        return frozenset(ids)
    wanted = {language.strip().lower() for language in languages}
    topic = _any_matches(subjects)
    return frozenset(
        number
        for number, spoken, topics in _texts(file)
        if (not wanted or wanted & spoken) and (topic is None or topic.search(topics))
    )


def _any_matches(subjects: tuple[str, ...]) -> re.Pattern[str] | None:
    """Whole words in any case: "fiction" is in "London--Fiction", but not in "nonfiction" or "non-fiction"."""
    words = [re.escape(" ".join(subject.split())) for subject in subjects if subject.strip()]
    return re.compile(rf"(?<!\w)(?<!\w-)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE) if words else None


def _texts(file: str) -> Iterator[tuple[int, set[str], str]]:
    """Number, languages and topics of every entry that is a text, and not music, pictures or data."""
    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as handle:
            rows = csv.DictReader(handle)
            if missing := [column for column in _COLUMNS if column not in (rows.fieldnames or [])]:
                raise InputError(
                    f"{file}: line 1: wanted the columns {', '.join(_COLUMNS)}, found no {', '.join(missing)}; "
                    "download pg_catalog.csv again or change [corpora.NAME.catalog] file"
                )
            for row in rows:
                if (row["Type"] or "").strip() != "Text":
                    continue
                number = (row["Text#"] or "").strip()
                if not (number.isascii() and number.isdigit()):
                    raise InputError(
                        f"{file}: line {rows.line_num}: wanted a book number in column Text#, found {number!r}; "
                        "download pg_catalog.csv again"
                    )
                spoken = {code.strip().lower() for code in (row["Language"] or "").split(";")}
                yield int(number), spoken, f"{row['Subjects'] or ''}; {row['Bookshelves'] or ''}"
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{file}: wanted UTF-8 CSV, found something else ({error}); download pg_catalog.csv again"
        ) from error


_START = re.compile(r"\**\s*START OF (?:THE |THIS )?PROJECT GUTENBERG\b.*", re.IGNORECASE)
# The licence of the 1990s stood before the book, and its last line is where the book begins.
_SMALL_PRINT_END = re.compile(r"\*+\s*END\s*\*?\s*THE SMALL PRINT.*", re.IGNORECASE)
_END = re.compile(r"\**\s*(?:this is )?(?:the )?end of (?:the |this )?project gutenberg\b.*", re.IGNORECASE)
# Later it stood behind the book.
_SMALL_PRINT_START = re.compile(r"\*+\s*START\s*\**\s*THE SMALL PRINT.*", re.IGNORECASE)
_FIELD = re.compile(r"([A-Z][\w ]{2,30}):(?:\s+(.*))?")
_NUMBER = re.compile(r"\[\s*e-?(?:book|text)\s*(?:#|no\.?)\s*(\d{1,9})\s*\]", re.IGNORECASE)
_FIRST_LINE = re.compile(
    r"\W*(?:the )?project gutenberg(?:'s)? (?:e-?text|e-?book)(?:,| of)?\s+"
    r"(?P<title>.+?)(?:,? by (?P<author>.+?))?[\s*]*",
    re.IGNORECASE,
)
_NUMBER_IN_NAME = re.compile(r"(?:pg)?(\d{1,9})(?:-(?:\d|h|t|images))?(?:\.(?:txt|utf-?8|utf8))*", re.IGNORECASE)

_CREDIT = re.compile(
    r"[\[(_*]*(?:(?:this )?(?:e-?text|e-?book|file|text|book) (?:was )?|html version |updated editions? )?"
    r"(?:produced|prepared|transcribed|scanned|typed|proof-?read|created|digiti[sz]ed)\b.{0,300}?\b(?:by|from|for)\b"
    r"|[\[(_*]*transcriber['’]?s['’]? notes?\b",
    re.IGNORECASE | re.DOTALL,
)
_CREDIT_DETAIL = re.compile(r"pgdp\.net|distributed proofread|\(this (?:file|book) was produced from", re.IGNORECASE)
_NOTE_ALONE = re.compile(r"[\[(_*]*transcriber['’]?s['’]? notes?[\])_*:.]*", re.IGNORECASE)
_ABOUT_THE_FILE = re.compile(
    r"spelling|punctuation|typograph|hyphenat|transcri|printer|misprint|italic|footnote|inconsisten|illustration",
    re.IGNORECASE,
)
_PICTURE = re.compile(r"\[illustrations?\b", re.IGNORECASE)
_PAGE_NUMBER = re.compile(r"\[(?:pg|page)\.?[ ]?\w{1,6}\][ ]?", re.IGNORECASE)
# An underscore that opens stands before a word, one that closes after it; inside snake_case it does neither.
_EMPHASIS = re.compile(r"(?<!\w)_++([^\s_](?:[^_]*[^\s_])?)_++(?![^\W_])")

# A picture's caption may hold blank lines, but a bracket never closed must not swallow a chapter.
_CAPTION_BLOCKS = 4
_HEADER_LINES = 400
_TITLE_PAGE_BLOCKS = 8
_SUBTITLE_LENGTH = 80
# Longer ones are no title pages: every paragraph is held against every part of the title.
_TITLE_PAGE_LENGTH = 2000
# "The Ferry; or, The Long Way Home", "The Ferry: A Novel"
_SUBTITLE = re.compile(r"[:;—–]|--|,\s*or\b|\bor,", re.IGNORECASE)
_URL = "https://www.gutenberg.org/ebooks/"


def read(piece: Piece, settings: ReadSettings) -> Iterator[Document | Reject]:
    """The books of a file in the order of its directory; one outside the catalogue's selection is a Reject."""
    selected = select(settings.catalog)
    seen: set[str] = set()
    for name, data in _books(piece):
        book = _read_book(data, piece, name, settings, selected)
        if isinstance(book, Document):
            if book.id in seen:
                book = Reject(book.id, "duplicate", f"{piece.name}: {name} is a book that the archive holds twice")
            seen.add(book.id)
        yield book


def _books(piece: Piece) -> Iterator[tuple[str, bytes]]:
    if PurePosixPath(piece.name).suffix.lower() != ".zip":
        yield piece.name, Path(piece.path).read_bytes()
        return
    with open_archive(piece.path) as archive:
        names = [name for name in archive.names() if name.lower().endswith(".txt")]
        if not names:
            raise InputError(
                f"{piece.path}: wanted an archive of .txt files, found none in it; remove the file, "
                'or set format = "gutenberg" for a folder with several files of a book'
            )
        for name in names:
            # The only book of an archive goes by the archive's name, where its own says nothing.
            alone = len(names) == 1 and _number_in(name) is None
            yield piece.name if alone else f"{stem(piece.name)}/{name}", archive.read(name)


def _read_book(
    data: bytes, piece: Piece, name: str, settings: ReadSettings, selected: frozenset[int] | None
) -> Document | Reject:
    file = piece.path if name == piece.name else f"{piece.path}: entry {shown(name)}"
    # Before there is any work; the book's number is in its text.
    if reject := too_large(f"gutenberg-{stem(name)}", name, len(data) // MOST_BYTES, settings):
        return reject
    text = clean(decode_book(data, file, settings.encoding), file)
    if reject := too_large(f"gutenberg-{stem(name)}", name, len(text), settings):
        return reject
    header, body = cut(text.split("\n"))
    number = _number_of(header, name)
    id = f"gutenberg-{stem(name) if number is None else number}"
    if selected is not None and number not in selected:
        found = "it has no book number" if number is None else f"book {number}"
        return Reject(id, "not selected", f"{name}: {found} is not among those that [corpora.NAME.catalog] selects")
    title, author = describe(header)
    content, sections = assemble(_blocks(body, _title_page(header)))
    if not content:
        return Reject(id, "empty", f"{name}: no text is left without the boilerplate and headings")
    url = "" if number is None else f"{_URL}{number}"
    return Document(id, title or PurePosixPath(stem(name)).name, author, url, content, sections)


def cut(lines: list[str]) -> tuple[list[str], list[str]]:
    """The header and the book itself; a file without markers has no header."""
    start = 0
    marks = [line.strip() for line in lines]
    for position, mark in enumerate(marks[: max(_HEADER_LINES, len(lines) // 2)]):
        # A licence behind the book ends with the same words as one before it.
        if _END.fullmatch(mark) or (start and _SMALL_PRINT_START.fullmatch(mark) and any(marks[start:position])):
            break
        if _START.fullmatch(mark) or _SMALL_PRINT_END.fullmatch(mark):
            start = _marker_end(lines, position)
    ends = (n for n in range(start, len(lines)) if _END.fullmatch(marks[n]) or _SMALL_PRINT_START.fullmatch(marks[n]))
    end = next(ends, len(lines))
    return lines[:start], lines[start:end]


def _marker_end(lines: list[str], position: int) -> int:
    """The line after a marker; one that opens with stars and has no closing ones may go on for a line or two."""
    if lines[position].lstrip().startswith("*") and not lines[position].rstrip().endswith("*"):
        for n in range(position + 1, min(position + 4, len(lines))):
            if not lines[n].strip():
                break
            if lines[n].rstrip().endswith("***"):
                return n + 1
    return position + 1


def describe(header: list[str]) -> tuple[str, str]:
    """Title and author by the header's fields, or else by its first line, as in the 1990s."""
    titles, authors = _names(header)
    # A name is never so long that it is wrapped: each further line is another author.
    return " ".join(titles), ", ".join(authors)


def _names(header: list[str]) -> tuple[list[str], list[str]]:
    """The lines of the title and of the author."""
    fields: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in header:
        if match := _FIELD.fullmatch(line.rstrip()):
            current = fields.setdefault(match[1].lower(), [])
            # Only a field's first mention counts; a second is in the licence.
            current = current if not current else None
            if current is not None:
                current.append(fold(match[2] or ""))
        elif current is not None and line.strip() and line[0].isspace():
            current.append(fold(line))
        else:
            current = None
    titles, authors = (list(filter(None, fields.get(name, []))) for name in ("title", "author"))
    if not titles and (
        match := next(filter(None, map(_FIRST_LINE.fullmatch, [line[:200] for line in header[:20]])), None)
    ):
        titles, authors = [fold(match["title"])], authors or list(filter(None, [fold(match["author"] or "")]))
    return titles, authors


def _title_page(header: list[str]) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """What the title and the author of a title page look like as words (`_words`); None where no title is known."""
    titles, authors = _names(header)
    if not (whole := _words(" ".join(titles))) or len(" ".join([*titles, *authors])) > _TITLE_PAGE_LENGTH:
        return None
    parts = {_words(part) for line in [*titles, " ".join(titles)] for part in _SUBTITLE.split(line)}
    title = _any_of({whole, *parts})
    author = _any_of({_words(part) for line in authors for part in [line, *re.split(r", | and | & ", line)]})
    names = rf"(?:by )?{author}(?: (?:and )?{author})*+"
    # On one line with the title, as in the running head "The Ferry, by Anna Berg".
    titled = rf"{title}(?: (?:or )?{title})*+"
    return re.compile(rf"(?:or )?{titled}(?: by)?(?: {names})?"), re.compile(names)


def _any_of(phrases: set[str]) -> str:
    """A pattern of the phrases, the longest first and never tried twice; of none at all it matches nothing."""
    longest_first = sorted(filter(None, phrases), key=lambda phrase: (-len(phrase), phrase))
    return rf"(?>(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})\b)"


def _words(text: str) -> str:
    return " ".join(re.split(r"[\W_]+", text.casefold())).strip()


def _number_of(header: list[str], name: str) -> int | None:
    found = next(filter(None, map(_NUMBER.search, header)), None)
    return int(found[1]) if found else _number_in(name)


def _number_in(name: str) -> int | None:
    match = _NUMBER_IN_NAME.fullmatch(stem(PurePosixPath(name).name))
    return int(match[1]) if match else None


def _blocks(
    body: list[str], title_page: tuple[re.Pattern[str], re.Pattern[str]] | None
) -> Iterator[Heading | Paragraph]:
    paragraphs = _without_credits(books.split("\n".join(body), books.is_heading))
    blocks = [block for block in _without_pictures(paragraphs) if not is_ornament(block.text)]
    if title_page:
        blocks = blocks[_title_page_length(blocks, *title_page) :]
    for block in books.divide(blocks):
        if isinstance(block, Heading):
            yield Heading(plain(block.title), block.level)
        elif text := plain(block.text):
            yield Paragraph(text)


def plain(text: str) -> str:
    """A paragraph without page numbers and the underscores that stand for italics."""
    return _EMPHASIS.sub(r"\1", _PAGE_NUMBER.sub("", text)).strip()


def _without_credits(blocks: list[Block]) -> list[Block]:
    """The book after the paragraphs on who made the file, which stand directly behind the start marker."""
    position = 0
    while position < len(blocks):
        text = blocks[position].text
        if not (_CREDIT.match(text) or _CREDIT_DETAIL.search(text) or is_ornament(text)):
            break
        position += 1
        if _NOTE_ALONE.fullmatch(text) and position < len(blocks) and _ABOUT_THE_FILE.search(blocks[position].text):
            position += 1
    return blocks[position:]


def _title_page_length(blocks: list[Block], title: re.Pattern[str], author: re.Pattern[str]) -> int:
    """How many paragraphs before the first heading do no more than name the book and its author again."""
    length = 0
    strange = False
    for position, block in enumerate(blocks[:_TITLE_PAGE_BLOCKS]):
        text = block.text
        if books.is_heading(text) or len(text) > _TITLE_PAGE_LENGTH:
            break
        words = _words(text)
        if author.fullmatch(words) or (title.fullmatch(words) and not strange):
            length = position + 1
        elif words in ("by", "or"):
            continue
        elif strange or not length or len(block.lines) > 1 or len(text) > _SUBTITLE_LENGTH:
            break
        else:
            # A subtitle that the header does not have, if the author follows.
            strange = True
    return length


def _without_pictures(blocks: list[Block]) -> Iterator[Block]:
    position = 0
    while position < len(blocks):
        span = _picture_span(blocks, position)
        if not span:
            yield blocks[position]
        position += span or 1


def _picture_span(blocks: list[Block], start: int) -> int:
    """How many paragraphs the picture that begins here takes up, its caption included; 0 where there is none."""
    if not _PICTURE.match(blocks[start].text):
        return 0
    depth = 0
    for count, block in enumerate(blocks[start : start + _CAPTION_BLOCKS], 1):
        depth += block.text.count("[") - block.text.count("]")
        if depth <= 0:
            return count if block.text.endswith("]") else 0
    return 0


# All else after a dash is no rendering but somebody's own name ("12-months.txt").
_NAME = re.compile(
    r"(?P<cache>pg)?(?P<number>\d+)"
    r"(?:-(?P<kind>\d|h|t|x|m|pdf|rst|tei|lit|page-images|images(?:[-.]\w+)*))?"
    r"(?P<inner>(?:\.(?:txt|utf-?8))*)\.(?P<suffix>\w+)",
    re.IGNORECASE,
)
_OLD = re.compile(r"(?:.*/)?(?P<number>\d+)/old/.*", re.IGNORECASE)
# Characters are lost in ASCII, and Latin-1 must be guessed; other digits are encodings of other languages.
_ENCODINGS = {"0": 0, "": 1, "8": 2}
_SUFFIXES = {"txt": 0, "zip": 1}

Rank = tuple[bool, int, int]


def best_renderings(names: Iterable[str]) -> list[str]:
    """One name of each book number, and all names without a number, in their order; the first of equals is taken."""
    kept: list[str | None] = []
    best: dict[int, tuple[Rank, int]] = {}
    for name in names:
        number = _number_in_name(name)
        if number is None:
            kept.append(name)
        elif (rank := _rank(name)) is not None and (number not in best or rank < best[number][0]):
            if number in best:
                kept[best[number][1]] = None
            best[number] = rank, len(kept)
            kept.append(name)
    return [name for name in kept if name is not None]


def _number_in_name(name: str) -> int | None:
    match = _NAME.fullmatch(name.rpartition("/")[2]) or _OLD.fullmatch(name)
    return int(match["number"]) if match else None


def _rank(name: str) -> Rank | None:
    """The smaller the better; None for what holds no plain text."""
    folder, _, file = name.rpartition("/")
    old = "old" in folder.lower().split("/")
    match = _NAME.fullmatch(file)
    if match is None:
        return old, len(_ENCODINGS), len(_SUFFIXES)
    kind = match["kind"] or ("0" if match["cache"] or "utf" in match["inner"].lower() else "")
    if kind and not kind.isdigit():
        return None
    suffix = match["suffix"].lower()
    return old, _ENCODINGS.get(kind, len(_ENCODINGS)), _SUFFIXES.get(suffix, len(_SUFFIXES))
