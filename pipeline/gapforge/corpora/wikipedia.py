"""MediaWiki XML dumps, plain, bz2 and multistream bz2, read page by page in flat memory.

A dump is cut into pieces which are read independently. A page belongs to the piece in which its `<page>` tag
begins: a reader skips to the first such tag of its piece and reads on past the end of the piece until the last
page is complete. So streams may be cut anywhere, in the middle of a page or of a tag, and the pieces
together give exactly what the whole file gives.
"""

import codecs
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from lxml import etree

from gapforge.corpora import archives, wikitext
from gapforge.corpora.source import Piece, ReadSettings, too_large
from gapforge.errors import InputError, shortened
from gapforge.records import Document, Reject

# Between two revisions stand a few tags. More XML than this without one is no dump, and would be held in memory;
# MediaWiki itself refuses pages above 2 MiB.
LARGEST_XML = 64 << 20
_HEADER = 1 << 20
_READ = 1 << 18

# Text holds no bare "<", so that these bytes are a tag wherever they stand.
_PAGE = re.compile(rb"<page[\s>]")
_PAGE_LENGTH = 6
_PROLOG = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?:(?:<\?.*?\?>|<!--.*?-->)\s*+)*+", re.DOTALL)
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([\w.-]+)[\s/>]")
_WHERE = re.compile(r" ?, line \d+, column \d+$")
_END = re.compile(rb"</(?:[\w.-]+:)?mediawiki\s*>")
_TAIL = 1 << 10
_BASE = re.compile(rb"<base>([^<]*)</base>")
_NAMESPACE = re.compile(rb'<namespace key="-?[1-9]\d*"[^>]*>([^<]+)<')

_REDIRECT = re.compile(r"\s*#redirect\b", re.IGNORECASE)
# The template that makes a page a disambiguation page; "disambiguation needed" is a remark on a link.
_DISAMBIGUATION = re.compile(
    r"\{\{\s*+(?:template:)?(?:[^{}|\n]{0,40}?disambig(?!uation needed|uation link)[^{}|\n]{0,40}|dab|disamb|hndis"
    r"|geodis|hospitaldis|schooldis|roaddis|mathdab|numberdis|callsigndis|tndis|mil-unit-dis|placedis|wpdis)\s*+[|}]",
    re.IGNORECASE,
)
_SET_INDEX = re.compile(
    r"\{\{\s*+(?:set index(?: article)?|sia|shipindex|ship index|mountainindex|roadindex|sportindex|storm index)"
    r"\s*+[|}]",
    re.IGNORECASE,
)
# What Wikipedia counts among its list articles (Wikipedia:Stand-alone lists).
_LIST_TITLE = re.compile(r"(?:Lists? of|Outline of|Timeline of|Glossary of) |Index of .* articles$")
# What wfUrlencode of MediaWiki leaves as it is, beside letters, digits and "-_.".
_URL_SAFE = ";@$!*(),/~:"


@dataclass(frozen=True, slots=True)
class Site:
    """What the header of a dump says: where its pages live, and how the other namespaces are called."""

    base: str
    namespaces: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Place:
    """How to tell a person where in the file something stands."""

    piece: Piece
    packed: bool

    def error(
        self, kind: str, number: int, found: str, remedy: str = "download the file again or fix it"
    ) -> InputError:
        where = f"{kind} {number}"
        if self.packed:
            where += " of the decompressed XML"
        if self.piece.start:
            where += f", counted from the first page after byte {self.piece.start} of the file"
        return InputError(f"{self.piece.path}: {where}: {found}; {remedy}")


def cut(path: str, name: str, size: int) -> list[Piece]:
    """The pieces of a dump in order: runs of bz2 streams, or of pages of plain XML, of about `size` bytes."""
    starts = [0, *(archives.boundaries(path, size) if _is_bz2(path) else _page_boundaries(path, size))]
    ends = [*starts[1:], None]
    return [Piece(path, name, start, end) for start, end in zip(starts, ends, strict=True)]


def _is_bz2(path: str) -> bool:
    with Path(path).open("rb") as file:
        head = file.read(len(archives.MAGIC))
    if not head:
        raise InputError(f"{path}: the file is empty; download it again")
    # A file that is called .bz2 and is not gets the message of the bz2 reader.
    return head == archives.MAGIC or path.lower().endswith(".bz2")


def _page_boundaries(path: str, size: int) -> list[int]:
    found: list[int] = []
    length = Path(path).stat().st_size
    with Path(path).open("rb") as file:
        target = size
        while target < length:
            file.seek(target)
            window, offset, match = b"", target, None
            while match is None and (data := file.read(_READ)):
                window = window[-(_PAGE_LENGTH - 1) :]
                offset = file.tell() - len(data) - len(window)
                window += data
                match = _PAGE.search(window)
            if match is None:
                break
            found.append(offset + match.start())
            target = found[-1] + size
    return found


def read(piece: Piece, settings: ReadSettings) -> Iterator[Document | Reject]:
    """The pages that begin in the piece, in order: articles as documents, all others as rejects with the reason."""
    packed = _is_bz2(piece.path)
    blocks = _blocks(piece, packed)
    if piece.start:
        whole = Piece(piece.path, piece.name)
        site, _ = _header(_blocks(whole, packed), _Place(whole, packed))
        pages = _pages_between(blocks)
    else:
        site, begun = _header(blocks, _Place(piece, packed))
        pages = _until_boundary(_chain(begun, blocks))
    for title, page_id, namespace, redirect, text in _parse(pages, _Place(piece, packed)):
        yield _page(site, settings, title, page_id, namespace, redirect, text)


def _page(
    site: Site, settings: ReadSettings, title: str, page_id: str, namespace: str, redirect: bool, text: str
) -> Document | Reject:
    document_id = f"wikipedia-{page_id}"
    if namespace != "0" if namespace else title.partition(":")[0] in site.namespaces:
        return Reject(document_id, "namespace", title)
    if redirect or _REDIRECT.match(text):
        return Reject(document_id, "redirect", title)
    if reject := too_large(document_id, title, len(text), settings):
        return reject
    if title.endswith("(disambiguation)") or "__DISAMBIG__" in text or _DISAMBIGUATION.search(text):
        return Reject(document_id, "disambiguation", title)
    if _LIST_TITLE.match(title) or _SET_INDEX.search(text):
        return Reject(document_id, "list", title)
    cleaned, sections = wikitext.clean(text)
    if not cleaned:
        return Reject(document_id, "empty", title)
    url = site.base and site.base + quote(title.replace(" ", "_"), safe=_URL_SAFE)
    return Document(document_id, title, "", url, cleaned, sections)


def _blocks(piece: Piece, packed: bool) -> Iterator[tuple[bool, bytes]]:
    """The XML from the piece's first byte to the end of the file; each block with whether it still is the piece's."""
    if packed:
        for origin, block in archives.decompress(piece.path, piece.start):
            yield piece.end is None or origin < piece.end, block
        return
    with Path(piece.path).open("rb") as file:
        position = file.seek(piece.start)
        while data := file.read(_READ):
            own = len(data) if piece.end is None else max(0, piece.end - position)
            if own:
                yield True, data[:own]
            if own < len(data):
                yield False, data[own:]
            position += len(data)


def _chain(begun: list[tuple[bool, bytes]], rest: Iterator[tuple[bool, bytes]]) -> Iterator[tuple[bool, bytes]]:
    yield from begun
    yield from rest


def _header(blocks: Iterator[tuple[bool, bytes]], place: _Place) -> tuple[Site, list[tuple[bool, bytes]]]:
    """What precedes the first page, and the blocks that had to be read for it; refuses all that is no dump."""
    taken: list[tuple[bool, bytes]] = []
    head = b""
    for own, block in blocks:
        taken.append((own, block))
        head += block
        if b"</siteinfo>" in head or _PAGE.search(head) or len(head) > _HEADER:
            break
    prolog = _PROLOG.match(head)
    begin = prolog.end() if prolog else 0
    if head.startswith(b"<!", begin) and not head.startswith(b"<!--", begin):
        found = "found a document type declaration, which dumps do not have and which can hide entity bombs"
        raise place.error("byte", begin, found, "remove it")
    root = _ROOT.match(head, begin)
    if root is None or root[1] != b"mediawiki":
        found = f"<{shortened(root[1].decode(errors='replace'))}>" if root else repr(head[begin : begin + 12])
        found = f"wanted a MediaWiki dump, which begins with <mediawiki>, found {found}"
        raise place.error("byte", begin, found, "is this a pages-articles dump?")
    page = _PAGE.search(head)
    head = head[: page.start()] if page else head
    base = _BASE.search(head)
    names = (html.unescape(name.decode(errors="replace")) for name in _NAMESPACE.findall(head))
    return Site(_page_base(base[1].decode(errors="replace")) if base else "", frozenset(names)), taken


def _page_base(main_page: str) -> str:
    """The part of the main page's address to which the titles of other pages are appended."""
    address = html.unescape(main_page).strip()
    before, mark, _ = address.partition("?title=")
    return before + mark if mark else address[: address.rfind("/") + 1]


def _pages_between(blocks: Iterator[tuple[bool, bytes]]) -> Iterator[bytes]:
    """The pages of a piece that does not begin the file, in a root of their own."""
    tail = b""
    for own, block in blocks:
        data = tail + block
        page = _PAGE.search(data)
        if page and (own or page.start() < len(tail)):
            yield b"<mediawiki>"
            split = page.start()
            if own:
                yield from _until_boundary(_chain([(True, data[split:])], blocks))
            else:
                rest = len(tail)
                yield from _until_boundary(_chain([(True, data[split:rest]), (False, data[rest:])], blocks))
            return
        if not own:
            return
        tail = data[-(_PAGE_LENGTH - 1) :]


def _until_boundary(blocks: Iterator[tuple[bool, bytes]]) -> Iterator[bytes]:
    """The blocks up to the first page that begins after the piece, or to the end of the file."""
    tail = b""
    for own, block in blocks:
        if own:
            yield block
            continue
        data = tail + block
        page = _PAGE.search(data)
        if page:
            yield data[: page.start()] + b"</mediawiki>"
            return
        tail = data[-(_PAGE_LENGTH - 1) :]
        yield data[: -len(tail)]
    yield tail


def _parse(blocks: Iterator[bytes], place: _Place) -> Iterator[tuple[str, str, str, bool, str]]:
    """Title, id, namespace, whether it is a redirect, and wikitext of each page; nothing of a page stays in memory."""
    # huge_tree lifts libxml2's limit on text, which real pages pass; LARGEST_XML takes its place. No entity can have
    # been declared, since the header was found to have no document type: one that is used is an error.
    parser = etree.XMLPullParser(
        events=("end",),
        tag=("{*}page", "{*}revision"),
        encoding="utf-8",
        huge_tree=True,
        no_network=True,
        load_dtd=False,
        # Either would part the text of a page, of which only the first part would be read.
        remove_comments=True,
        remove_pis=True,
    )
    # libxml2 passes over some invalid bytes, and tells no offset.
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    fed = since = 0
    tail = b""
    for block in blocks:
        tail = (tail + block)[-_TAIL:] if len(block) < _TAIL else block[-_TAIL:]
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            # The decoder keeps the first bytes of a character that was split between blocks.
            invalid = fed + error.start - (len(error.object) - len(block))
            raise place.error("byte", invalid, f"invalid UTF-8: {error.reason}") from error
        fed += len(block)
        since += len(block)
        try:
            parser.feed(block)
        except etree.XMLSyntaxError as error:
            raise _malformed(error, place) from error
        for _, element in parser.read_events():
            since = 0
            assert isinstance(element, etree._Element)
            parent = element.getparent()
            if element.tag.endswith("revision"):
                # The last revision counts; a history dump holds thousands.
                previous = element.getprevious()
                if parent is not None and previous is not None and previous.tag == element.tag:
                    parent.remove(previous)
                continue
            yield _fields(element, place, fed)
            element.clear()
            while parent is not None and parent[0] is not element:
                del parent[0]
        if since > LARGEST_XML:
            raise place.error("byte", fed, f"no page ends within {LARGEST_XML >> 20} MiB of XML")
    if not fed:
        # No page begins in this piece.
        return
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        # libxml2 has a dozen ways of saying that there is no more, and says so only now.
        if not _END.search(tail):
            raise place.error("line", error.lineno or 0, "the dump ends before </mediawiki>") from error
        raise _malformed(error, place) from error


def _malformed(error: etree.XMLSyntaxError, place: _Place) -> InputError:
    reason = _WHERE.sub("", " ".join((error.msg or "malformed XML").split()))
    return place.error("line", error.lineno or 0, shortened(reason))


def _fields(page: etree._Element, place: _Place, fed: int) -> tuple[str, str, str, bool, str]:
    values: dict[str, str] = {}
    text = ""
    for child in page:
        tag = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        if tag == "revision":
            text = child.findtext("{*}text") or ""
        else:
            values.setdefault(tag, child.text or "")
    if not values.get("id") or not values.get("title"):
        raise place.error(
            "before byte", fed, f"a <page> without title or id, found {shortened(str(sorted(filter(None, values))))}"
        )
    return values["title"], values["id"], values.get("ns", ""), "redirect" in values, text
