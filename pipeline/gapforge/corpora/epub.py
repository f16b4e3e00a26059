"""EPUB 2 and 3 books: the XHTML of the spine in reading order, its headings as sections.

Nothing in a book is trusted: no DTD is loaded, a document that declares entities is refused, and
the archive is read through the caps of `archives`.
"""

import posixpath
import re
from collections.abc import Iterator
from html import escape
from html.entities import html5
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from lxml import etree

from gapforge.corpora.archives import Archive, open_archive, shown
from gapforge.corpora.books import Heading, Paragraph, assemble, clean, fold, is_ornament, stem
from gapforge.corpora.source import Piece, ReadSettings, known, too_large
from gapforge.errors import ConfigError, InputError, one_line, quoted, shortened
from gapforge.records import Document, Reject

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
_OPS_TYPE = "{http://www.idpf.org/2007/ops}type"
_OPF_ROLE = "{http://www.idpf.org/2007/opf}role"
# Fonts garbled against copying leave the text as it is.
_FONT_OBFUSCATION = {"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"}
_XHTML = {"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"}

_DECLARATION = re.compile(r"\A\s*<\?xml\b[^>]*\?>")
_DECLARED = re.compile(rb"\A\s*<\?xml\b[^>]*?encoding\s*=\s*[\"']([\w.:-]+)[\"']")
# Declarations count before the root alone; further on, the words are an example in a book on XML.
_SUBSET = re.compile(
    r"\A(?:\s++|<!--.*?-->|<\?.*?\?>)*+<!DOCTYPE(?:[^>\[\"']++|\"[^\"]*+\"|'[^']*+')*+\[", re.IGNORECASE | re.DOTALL
)
# What begins a section of plain characters and does not end runs to the end, lest each look for it anew.
_REFERENCE = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?:#(1[2-5][0-9])|([^\W\d][\w.:-]*));", re.DOTALL)

_XML_ENTITIES = {"amp", "apos", "gt", "lt", "quot"}

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset",
    "figure", "footer", "form", "header", "hgroup", "hr", "html", "li", "main", "nav", "ol", "p", "pre", "section",
    "summary", "table", "ul",
}  # fmt: skip
_LEFT_OUT = {
    "audio", "canvas", "figure", "form", "head", "iframe", "img", "map", "math", "nav", "noscript", "object",
    "script", "select", "style", "svg", "table", "template", "textarea", "title", "video",
}  # fmt: skip
# A page number, the mark of a footnote, or what reading systems show apart from the text.
_LEFT_OUT_TYPES = {
    "endnote", "endnotes", "footnote", "footnotes", "landmarks", "noteref", "page-list", "pagebreak", "rearnote",
    "rearnotes", "toc",
}  # fmt: skip
_LEFT_OUT_CLASSES = {"fnanchor", "noteref", "pagenum", "pageno", "pagebreak", "pg-boilerplate"}


def read(piece: Piece, settings: ReadSettings) -> Iterator[Document | Reject]:
    """The book as one document; raises InputError where it is encrypted, damaged or not an EPUB."""
    id = f"epub-{stem(piece.name)}"
    with open_archive(piece.path) as archive:
        _refuse_encryption(archive)
        package_name = _package_name(archive)
        package = _parse_xml(archive, package_name)
        blocks: list[Heading | Paragraph] = []
        length = 0
        for name in _spine(package, package_name, archive):
            page = _characters(archive, name)
            length += len(page)
            if reject := too_large(id, piece.name, length, settings):
                yield reject
                return
            blocks += _blocks(archive, name, page)
    text, sections = assemble(blocks)
    if not text:
        yield Reject(id, "empty", f"{piece.name}: no text is left without tables, figures and headings")
        return
    titles, identifiers = _metadata(package, "title"), _metadata(package, "identifier")
    title = titles[0] if titles else PurePosixPath(stem(piece.name)).name
    url = next((value for value in identifiers if re.match(r"https?://\S+$", value)), "")
    yield Document(id, title, ", ".join(_authors(package)), url, text, sections)


def _refuse_encryption(archive: Archive) -> None:
    if ENCRYPTION not in archive.names():
        return
    for method in _named(_parse_xml(archive, ENCRYPTION), "EncryptionMethod"):
        if (algorithm := method.get("Algorithm", "")) not in _FONT_OBFUSCATION:
            raise InputError(
                f"{archive.file}: wanted a readable book, found one encrypted by {shown(algorithm)}; "
                "use a copy without DRM"
            )


def _package_name(archive: Archive) -> str:
    if CONTAINER not in archive.names():
        raise InputError(f"{archive.file}: wanted an EPUB, found an archive without {CONTAINER}; get the file again")
    for rootfile in _named(_parse_xml(archive, CONTAINER), "rootfile"):
        if path := rootfile.get("full-path", ""):
            return str(path)
    raise InputError(f"{archive.file}: entry {CONTAINER}: wanted a rootfile, found none; get the file again")


def _spine(package: Any, package_name: str, archive: Archive) -> list[str]:
    """The names of the entries to read, in reading order; each once, without tables of contents."""
    items = {item.get("id", ""): item for item in _named(package, "item")}
    contents = {
        _entry_name(package_name, reference.get("href", ""))
        for reference in _named(package, "reference")
        if reference.get("type") == "toc"
    }
    names: dict[str, None] = {}
    for itemref in _named(package, "itemref"):
        idref = itemref.get("idref", "")
        if (item := items.get(idref)) is None:
            raise InputError(
                f"{archive.file}: entry {shown(package_name)}: wanted an item {quoted(idref)} that the spine "
                "names, found none; get the file again"
            )
        left_out = itemref.get("linear") == "no" or "nav" in item.get("properties", "").split()
        name = _entry_name(package_name, item.get("href", ""))
        if not left_out and item.get("media-type") in _XHTML and name not in contents:
            names[name] = None
    return list(names)


def _entry_name(package_name: str, href: str) -> str:
    # By hand, since urlsplit raises for what it takes for a wrong address.
    path = unquote(href.partition("#")[0].partition("?")[0].strip())
    return posixpath.normpath(posixpath.join(posixpath.dirname(package_name), path))


def _metadata(package: Any, name: str) -> list[str]:
    return [value for element in _named(package, name) if (value := _text(element))]


def _text(element: Any) -> str:
    # Again, since references hid soft hyphens and the like until now.
    return fold(clean("".join(element.itertext()), element.tag))


def _authors(package: Any) -> list[str]:
    """Those with the role of author, or all creators where no roles are given."""
    refined = {
        meta.get("refines", "").removeprefix("#"): (meta.text or "").strip()
        for meta in _named(package, "meta")
        if meta.get("property") == "role"
    }
    creators = []
    for element in _named(package, "creator"):
        role = element.get(_OPF_ROLE) or refined.get(element.get("id", "-"), "")
        if name := _text(element):
            creators.append((name, role))
    return [name for name, role in creators if role == "aut"] or [name for name, _ in creators]


def _blocks(archive: Archive, name: str, page: str) -> Iterator[Heading | Paragraph]:
    """The headings and paragraphs of one document, in the order of its elements and however deeply they nest."""
    root = _parse_page(archive, name, page)
    if root is None:
        return
    parts: list[str] = []
    level = 0
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        if event in ("comment", "pi"):
            parts.append(element.tail or "")
            continue
        if element.tag is etree.Entity:
            parts.append(element.text if event == "start" else element.tail or "")
            continue
        tag = _local(element.tag)
        left_out = _is_left_out(element, tag)
        if tag in _BLOCKS or tag in _HEADINGS:
            yield from _paragraph(parts, level, name)
            parts = []
        if event == "start":
            if left_out:
                walk.skip_subtree()
            else:
                level = _HEADINGS.get(tag, level)
                parts.append(" " if tag == "br" else element.text or "")
        else:
            level = 0 if tag in _HEADINGS else level
            parts.append(element.tail or "")
    yield from _paragraph(parts, level, name)


def _paragraph(parts: list[str], level: int, name: str) -> Iterator[Heading | Paragraph]:
    # As in _text.
    text = fold(clean("".join(parts), name))
    if not is_ornament(text):
        yield Heading(text, level) if level else Paragraph(text)


def _is_left_out(element: Any, tag: str) -> bool:
    types = (element.get(_OPS_TYPE) or element.get("epub:type") or "").split()
    role = element.get("role", "").removeprefix("doc-")
    classes = set(element.get("class", "").split())
    return (
        tag in _LEFT_OUT
        or bool(_LEFT_OUT_TYPES.intersection(types) or role in _LEFT_OUT_TYPES or classes & _LEFT_OUT_CLASSES)
        or element.get("hidden") is not None
        or _is_raised_link(element, tag)
    )


def _is_raised_link(element: Any, tag: str) -> bool:
    """A superscript that is a link, or the reverse: the mark of a footnote. A raised "th" is neither."""
    inner = {"sup": "a", "a": "sup"}.get(tag)
    if inner is None or (element.text or "").strip() or len(element) != 1:
        return False
    child = element[0]
    linked = element if tag == "a" else child
    return (
        isinstance(child.tag, str)
        and _local(child.tag) == inner
        and "href" in linked.attrib
        and not (child.tail or "").strip()
    )


def _parse_xml(archive: Archive, name: str) -> Any:
    """A file of the package itself, which must be well-formed."""
    try:
        return _parse(_characters(archive, name))
    except etree.XMLSyntaxError as error:
        raise InputError(
            f"{archive.file}: entry {shown(name)}: wanted XML, found {one_line(error)}; get the file again"
        ) from error


def _parse_page(archive: Archive, name: str, text: str) -> Any:
    """A page of the book, which is often HTML of a kind that only a recovering parser takes."""
    if not text.strip():
        return None
    try:
        return _parse(text)
    except etree.XMLSyntaxError:
        pass
    parser = etree.HTMLParser(no_network=True, huge_tree=True, encoding="utf-8", remove_pis=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise InputError(
            f"{archive.file}: entry {shown(name)}: wanted XHTML, found {one_line(error)}; get the file again"
        ) from error
    # It recovers from all but its own limits, where it would silently drop the rest of the page.
    for entry in parser.error_log:
        if entry.level_name == "FATAL" and "depth" in entry.message.lower():
            found = shortened(" ".join(entry.message.split()))
            raise InputError(
                f"{archive.file}: entry {shown(name)}: wanted XHTML, found {found}; repair or remove the book"
            )
    return root


def _parse(text: str) -> Any:
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, dtd_validation=False, no_network=True, huge_tree=True, encoding="utf-8"
    )
    return etree.fromstring(text.encode("utf-8", "replace"), parser)


def _characters(archive: Archive, name: str) -> str:
    """The document with its references resolved, without its declaration; InputError where it declares entities."""
    data = archive.read(name)
    where = f"{archive.file}: entry {shown(name)}"
    text = _DECLARATION.sub("", clean(_decode(data, where), where))
    if _SUBSET.search(text):
        raise InputError(
            f"{where}: wanted a document without declarations of its own, found a DOCTYPE that declares entities; "
            "do not use this book"
        )
    return _REFERENCE.sub(_character, text)


def _decode(data: bytes, where: str) -> str:
    declared = _DECLARED.match(data)
    encoding = (
        "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else declared[1].decode("ascii") if declared else "utf-8"
    )
    try:
        return data.decode(known(encoding))
    except ConfigError as error:
        raise InputError(
            f"{where}: wanted a known encoding, found {quoted(encoding)} declared; repair the book"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where}: byte {error.start}: wanted {encoding}, found {data[error.start : error.start + 4].hex(' ')}; "
            "repair the book"
        ) from error


def _character(match: re.Match[str]) -> str:
    """What a reference stands for, or itself as text where it has no meaning; what XML knows is left to its parser."""
    code, name = match[1], match[2]
    if code:
        # Numbers 128-159 are controls, but were written for the quotation marks and dashes of cp1252.
        return bytes([int(code)]).decode("cp1252", "replace") if 128 <= int(code) < 160 else match[0]
    if name is None or name in _XML_ENTITIES:
        return match[0]
    return escape(html5.get(f"{name};", match[0]))


def _named(root: Any, name: str) -> list[Any]:
    return [element for element in root.iter() if isinstance(element.tag, str) and _local(element.tag) == name.lower()]


def _local(tag: str) -> str:
    return tag.rpartition("}")[2].lower() if "}" in tag else tag.lower()
