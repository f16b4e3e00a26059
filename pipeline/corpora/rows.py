"""A row of a table or JSONL file as a document, every character kept: offsets into the source stay true."""

import re
from collections.abc import Mapping
from typing import Any

from pipeline.corpora.source import ReadSettings, too_large
from pipeline.records import Document, Reject, Section

# White space that text may hold is left out; U+2028, U+0085 and the like are legal and kept.
CONTROL = re.compile("[\x00-\x08\x0e-\x1f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def to_document(
    row: Mapping[str, Any], settings: ReadSettings, place: str, unnamed: str, default_id: str = ""
) -> Document | Reject:
    """The document that a row holds, or why it holds none.

    `place` ("line 3") names the row in that reason, `unnamed` is the id of a rejected row that has none itself.
    """
    columns = settings.columns
    raw_id = row.get(columns.id)
    id = _word(raw_id) or default_id
    if not id:
        wanted = f"a string or whole number as {columns.id!r}"
        return Reject(unnamed, "no id", f"{place}: wanted {wanted}, found {_kind(raw_id)}")
    if found := _SURROGATE.search(id):
        return Reject(unnamed, "lone surrogate", _holds(place, columns.id, found))
    text = row.get(columns.text)
    if not isinstance(text, str):
        return Reject(id, "no text", f"{place}: wanted a string as {columns.text!r}, found {_kind(text)}")
    if reject := too_large(id, place, len(text), settings):
        return reject
    if not text.strip():
        return Reject(id, "empty", f"{place}: {columns.text!r} holds no characters but white space")
    parts = {}
    for name in (columns.title, columns.author, columns.url):
        value = row.get(name)
        parts[name] = _word(value)
        if value is not None and not isinstance(value, str) and not parts[name]:
            return Reject(id, "wrong type", f"{place}: wanted a string as {name!r}, found {_kind(value)}")
    for name, value in ((columns.id, id), (columns.text, text), *parts.items()):
        if found := CONTROL.search(value):
            return Reject(id, "control character", _holds(place, name, found))
        if found := _SURROGATE.search(value):
            return Reject(id, "lone surrogate", _holds(place, name, found))
    title, author, url = (parts[name] for name in (columns.title, columns.author, columns.url))
    return Document(id, title, author, url, text, whole(text))


def whole(text: str) -> list[Section]:
    """The one section of a text whose headings are unknown."""
    return [Section("", 0, 0, len(text))]


def _holds(place: str, column: str, found: re.Match[str]) -> str:
    return f"{place}: {column!r} holds U+{ord(found[0]):04X} at character {found.start()}"


def _word(value: object) -> str:
    if isinstance(value, str):
        return value
    # Not 1.0, NaN or Infinity, which are spelt in more ways than one and may be no value at all.
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if value == "":
        return "an empty string"
    return f"a value of type {type(value).__name__}"
