"""Gender lists with the counts of both genders made equal (Zhao et al. 2018, 3.2).

Such a list says how often a noun phrase was met as masculine, feminine, neutral and plural (Bergsma and Lin 2006): a
phrase and a tab, then the counts. Systems that learn from it learn its bias.
"""

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError, InputError
from pipeline.files import atomic_file, check_source, check_target, decode

LINE = re.compile(r"([^\t]*\t[ \t]*)([0-9]{1,18})([ \t]+)([0-9]{1,18})((?:[ \t]+[0-9]+)*[ \t]*\r?\n?)")


def balance_list(source: Path, output: Path) -> dict[str, Any]:
    """Write the list with both counts of each phrase at their mean, rounded up; how many have changed comes back.

    Files that end in .gz are compressed, on either side.
    """
    check_source(source)
    check_target(output)
    if source.resolve() == output.resolve():
        raise ConfigError(f"{source}: is both input and output; write to another file")
    counts: Counter[str] = Counter()
    with atomic_file(output) as temporary, temporary.open("wb") as file:
        # Without a time and a name, the same list gives the same bytes.
        packed = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if output.suffix == ".gz" else None
        with packed or file as target:
            for line, changed in balanced_lines(source):
                counts["phrases"] += 1
                counts["changed"] += changed
                target.write(line.encode())
    return {"phrases": counts["phrases"], "changed": counts["changed"], "output": str(output)}


def balanced_lines(source: Path) -> Iterator[tuple[str, bool]]:
    """Each line with its counts in balance, and whether they were not before; empty lines are left out."""
    for number, line in enumerate(raw_lines(source), 1):
        text = decode(line, f"{source}: line {number}")
        if not text.strip():
            continue
        found = LINE.fullmatch(text)
        if not found:
            raise InputError(
                f"{source}: line {number}: {text.strip()[:60]!r}; wanted a phrase, a tab, and the counts of its "
                "masculine and feminine uses"
            )
        phrase, masculine, between, feminine, rest = found.groups()
        # Rounded up, so that a phrase that was met once is not taken for one that was never met.
        mean = -(-(int(masculine) + int(feminine)) // 2)
        yield f"{phrase}{mean}{between}{mean}{rest}", masculine != feminine


def raw_lines(source: Path) -> Iterable[bytes]:
    if source.suffix != ".gz":
        with source.open("rb") as file:
            yield from file
        return
    try:
        with gzip.open(source, "rb") as packed:
            yield from packed
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{source}: not a whole gzip file ({error}); get it again") from error
