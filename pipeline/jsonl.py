"""Records as lines of JSON, for people and programs that have no Parquet."""

import dataclasses
import json
from typing import Any


def json_line(record: Any) -> str:
    """A record as one line of JSON; U+2028 and U+2029 are escaped, since many readers take them for line ends."""
    line = json.dumps(record, default=fields_of, ensure_ascii=False)
    return line.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def fields_of(record: Any) -> dict[str, Any]:
    """One level of a record; the encoder asks again for records within, which is faster than copying them all first."""
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
