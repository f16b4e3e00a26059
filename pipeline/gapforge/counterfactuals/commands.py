"""What `gapforge counterfactual`, `swap` and `audit` do with files of rows and of text, without a config."""

import dataclasses
import io
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from gapforge.corpora.export import drop, open_output
from gapforge.counterfactuals.audit import audit as find_errors
from gapforge.counterfactuals.audit import with_repeats
from gapforge.counterfactuals.cast import cast
from gapforge.counterfactuals.minimal import make_checked
from gapforge.counterfactuals.realworld import contradictions_in
from gapforge.counterfactuals.variants import Scene
from gapforge.counterfactuals.words import swap_text
from gapforge.errors import ConfigError
from gapforge.records import Reject, Variant
from gapforge.storage.files import decode, read_text
from gapforge.storage.tsv import Row, quadruple_of, read_rows, write_counter_gap


def counterfactual(source: Path, output: Path, rejects: Path | None, model: str) -> dict[str, Any]:
    """Write four rows for each original row that gives a quadruple; the counts and what is flagged come back."""
    targets = [output, *([rejects] if rejects else [])]
    if source.resolve() in {target.resolve() for target in targets}:
        raise ConfigError(f"{source}: is both input and output; write to another file")
    reasons: Counter[str] = Counter()
    flagged: dict[str, list[str]] = {}
    count = 0

    def rows() -> Iterator[Row]:
        nonlocal count
        with open_output(rejects, Reject) if rejects else nullcontext(drop) as put_aside:
            for made in quadruples_of(read_rows(source), model):
                if isinstance(made, Reject):
                    reasons[made.reason] += 1
                    put_aside(made)
                    continue
                four, contradictions = made
                count += 1
                if contradictions:
                    flagged[four[0].id] = contradictions
                yield from four

    write_counter_gap(output, rows())
    return {
        "originals": count + reasons.total(),
        "quadruples": count,
        "rejects": dict(sorted(reasons.items())),
        "flagged": flagged,
        "output": str(output),
    }


def quadruples_of(rows: Iterator[Row], model: str) -> Iterator[tuple[list[Row], list[str]] | Reject]:
    """The four rows of each original with the words to look at, or the reason why there are none."""
    for row, repeated, first in with_repeats(rows):
        if repeated:
            yield Reject(row.id, repeated, f"the same text and pronoun as {first}" if first != row.id else "")
            continue
        if quadruple_of(row.id)[1] != "original":
            yield Reject(row.id, "no original", "the id says that it is a counterfactual itself")
            continue
        scene = cast(row, model)
        if isinstance(scene, Reject):
            yield scene
            continue
        quadruple, fault = make_checked(scene, model)
        if fault:
            yield Reject(row.id, fault, "")
            continue
        yield [as_row(row, variant, it) for variant, it in quadruple.items()], contradictions_in(scene)


def as_row(original: Row, variant: Variant, scene: Scene) -> Row:
    """A scene in the columns of its original; the labels go with the places."""
    text = scene.text
    return dataclasses.replace(
        original,
        id=original.id if variant == "original" else f"{original.id}-{variant}",
        text=text,
        pronoun=text[scene.pronoun.start : scene.pronoun.end],
        pronoun_offset=scene.pronoun.start,
        a=text[scene.name_a.start : scene.name_a.end],
        a_offset=scene.name_a.start,
        b=text[scene.name_b.start : scene.name_b.end],
        b_offset=scene.name_b.start,
    )


def swap(source: Path | None, model: str) -> Iterator[str]:
    """The text of a file or of standard input with its gendered words exchanged, in paragraphs as they are done."""
    text = read_text(source) if source else decode(sys.stdin.buffer.read(), "standard input")
    yield from (swap_text(paragraph, model) for paragraph in paragraphs(io.StringIO(text, newline="")))


def paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """Stretches that end with a blank line, every character kept."""
    held: list[str] = []
    for line in lines:
        held.append(line)
        if not line.strip():
            yield "".join(held)
            held = []
    yield "".join(held)


def audit(source: Path, model: str) -> dict[str, Any]:
    """The findings of a file, and how many there are of each kind."""
    rows = list(read_rows(source))
    findings = list(find_errors(rows, model))
    return {
        "file": str(source),
        "rows": len(rows),
        "kinds": dict(sorted(Counter(finding.kind for finding in findings).items())),
        "findings": [dataclasses.asdict(finding) for finding in findings],
    }
