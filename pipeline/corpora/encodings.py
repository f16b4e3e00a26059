"""Bytes to characters: strictly where offsets must stay true, by the habits of old books where they need not."""

import codecs
import re
from contextlib import suppress

from pipeline.errors import ConfigError, InputError

_BOMS = [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")]
# Python's own notations for names of hosts and for source code, which it counts among the encodings of text.
_NOTATIONS = {"idna", "punycode", "raw-unicode-escape", "unicode-escape"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_DECLARED = re.compile(rb"character set encoding:[ \t]*([^\r\n]*)", re.IGNORECASE)
# The header stands at the head of a file; a mention of the phrase deep in a book is not one.
_HEADER_BYTES = 20_000


def decode(data: bytes, file: str, encoding: str = "") -> str:
    """The characters after any byte order mark, unchanged: by `encoding`, else UTF-8, or UTF-16 with its mark."""
    if encoding:
        return _decode_as(data, known(encoding), file)
    bom, name = next((pair for pair in _BOMS if data.startswith(pair[0])), (b"", "utf-8"))
    return _decode_as(data, name, file, len(bom))


def decode_book(data: bytes, file: str, encoding: str = "") -> str:
    """The characters of a Gutenberg book by the first that fits: mark, UTF-8, the header's word, cp1252, Latin-1.

    UTF-8 comes before the header because headers went stale when files were converted, while text in another
    encoding is practically never valid UTF-8.
    """
    if encoding or any(data.startswith(bom) for bom, _ in _BOMS):
        return decode(data, file, encoding)
    # The last candidate fits any bytes, and would turn a binary file into a book.
    if (position := data.find(b"\0")) >= 0:
        raise InputError(
            f"{file}: byte {position}: wanted text, found NUL, as in binary files or UTF-16 without its mark; "
            "remove the file or set [corpora.NAME] encoding (--encoding)"
        )
    for name in ("utf-8", *_declared(data), "cp1252"):
        try:
            return data.decode(name)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def known(encoding: str) -> str:
    """The codec's own name; raises ConfigError where Python has no such text encoding."""
    try:
        # The empty string would not do: Python decodes it without asking the codec.
        with suppress(UnicodeDecodeError):
            b"a".decode(encoding)
        name = codecs.lookup(encoding).name
        if name in _NOTATIONS:
            raise LookupError(name)
        return name
    except (LookupError, ValueError) as error:
        raise ConfigError(
            f"encoding: wanted a text encoding such as utf-8, cp1252 or latin-1, found {encoding!r}"
        ) from error


def _declared(data: bytes) -> list[str]:
    found = _DECLARED.search(data[:_HEADER_BYTES])
    if not found:
        return []
    words = found[1].decode("latin-1").strip().lower()
    # Windows programs labelled cp1252 as Latin-1, whose own characters 80-9F are controls that no book holds.
    if re.search(r"8859-1\b|latin-?1\b|ascii", words):
        return ["cp1252"]
    name = re.sub(r"^(?:windows|codepage|code page)[ -]?(?=\d)", "cp", words).replace(" ", "-")
    try:
        return [known(name)]
    except ConfigError:
        return []


def _decode_as(data: bytes, name: str, file: str, skip: int = 0) -> str:
    try:
        # A decoder given the mark as data keeps it as U+FEFF, in every Unicode encoding that states its byte order.
        text = data[skip:].decode(name).removeprefix("" if skip else "\ufeff")
    except UnicodeError as error:
        if not isinstance(error, UnicodeDecodeError):  # Some codecs do not say where.
            raise InputError(
                f"{file}: wanted {name}, found something else ({error}); set [corpora.NAME] encoding (--encoding)"
            ) from error
        position = skip + error.start
        raise InputError(
            f"{file}: byte {position}: wanted {name}, found {data[position : position + 4].hex(' ')} ({error.reason}); "
            "convert the file or set [corpora.NAME] encoding (--encoding)"
        ) from error
    # UTF-7 can spell half a pair, which nothing can be written as.
    if found := _SURROGATE.search(text):
        raise InputError(
            f"{file}: character {found.start()}: wanted {name}, found the lone surrogate U+{ord(found[0]):04X}; "
            "convert the file or set [corpora.NAME] encoding (--encoding)"
        )
    return text
