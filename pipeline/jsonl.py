"""Records as lines of JSON, for people and programs that have no Parquet."""

import json
from typing import Any

from pipeline.records import fields_of


def json_line(record: Any) -> str:
    """A record as one line of JSON; U+2028 and U+2029 are escaped, since many readers take them for line ends."""
    line = json.dumps(record, default=fields_of, ensure_ascii=False)
    return line.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
