"""Scored sentences and proposals, read back from wherever a run or a command has put them."""

import json
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import TypeVar

from pipeline.config import hint
from pipeline.errors import ConfigError, InputError
from pipeline.files import decode
from pipeline.parts import part_files
from pipeline.records import Span, SubjectiveProposal, SubjectiveSentence
from pipeline.tables import builder, read_records, schema_of, schema_on_disk

SUFFIXES = (".parquet", ".jsonl")
# The stage that makes each kind of record, and the option by which a command writes it.
MAKERS: dict[type, tuple[str, str]] = {
    SubjectiveProposal: ("SubjectiveProposals", "--proposals"),
    SubjectiveSentence: ("SubjectiveSentences", "--sentences"),
}

Scored = TypeVar("Scored", bound=SubjectiveProposal)


def read_scored(source: Path, record: type[Scored]) -> Iterator[Scored]:
    """The records of a stage's folder, of a run that holds it, or of a file; InputError where they are none."""
    stage, _ = MAKERS[record]
    if not source.exists():
        raise InputError(f"{source}: no such file or folder; mend the path")
    folder = source / stage if (source / stage).is_dir() else source
    paths = part_files(folder) if folder.is_dir() else [source]
    if not paths:
        raise InputError(f"{folder}: no part-*.parquet; name the folder of the stage {stage}, or of a run that has it")
    for path in paths:
        if path.suffix not in SUFFIXES:
            raise ConfigError(f"{path}: unknown kind of sentences {path.suffix!r}{hint(path.suffix, SUFFIXES)}")
        yield from read_lines(path, record) if path.suffix == ".jsonl" else read_table(path, record)


def wanted(record: type) -> str:
    stage, option = MAKERS[record]
    return f"wanted what `gapforge subjective {option}` or the stage {stage} writes"


def names_of(record: type) -> list[str]:
    return list(schema_of(record).names)


def read_table(path: Path, record: type[Scored]) -> Iterator[Scored]:
    missing = [name for name in names_of(record) if name not in schema_on_disk(path).names]
    if missing:
        raise InputError(f"{path}: no column {missing[0]!r}; {wanted(record)}")
    for number, found in enumerate(read_records(path, record), 1):
        if not is_sound(found):
            raise InputError(f"{path}: row {number}: not a sentence; {wanted(record)}")
        yield found


def read_lines(path: Path, record: type[Scored]) -> Iterator[Scored]:
    build, names = builder(record), names_of(record)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            place = f"{path}: line {number}"
            text = decode(line, place)
            try:
                values = json.loads(text)
                found = build({name: values[name] for name in names})
                sound = is_sound(found)
            except (ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
                raise InputError(f"{place}: not a sentence; {wanted(record)}") from error
            if not sound:
                raise InputError(f"{place}: not a sentence; {wanted(record)}")
            yield found


def is_sound(it: SubjectiveProposal) -> bool:
    """Whether a record has the types that it should have, whatever wrote the file."""
    texts = (it.instance_id, it.sentence) if it.proposal is None else (it.instance_id, it.sentence, it.proposal)
    scores = (it.subjectivity, it.log_perplexity)
    proposed = (it.proposal_subjectivity, it.proposal_log_perplexity, it.gleu)
    kept = it.kept if isinstance(it, SubjectiveSentence) else False
    return (
        type(it.number) is int
        and type(kept) is bool
        and all(map(is_text, texts))
        and is_span(it.span)
        and all(map(is_number, scores if it.proposal is None else (*scores, *proposed)))
        and (it.cosine is None or is_number(it.cosine))
        and isinstance(it.broken, list)
        and all(map(is_text, it.broken))
        and isinstance(it.edits, list)
        and bool(it.edits) == (it.proposal is not None)
        and all(is_span(edit.span) and all(map(is_text, (edit.new, edit.phrase, edit.kind))) for edit in it.edits)
    )


def is_span(span: Span) -> bool:
    return type(span.start) is int and type(span.end) is int and 0 <= span.start <= span.end


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and type(value) is not bool and isfinite(value)


def is_text(value: object) -> bool:
    """Whether it is text that can be written: JSON may hold half a surrogate pair."""
    return isinstance(value, str) and value.encode("utf-8", "replace").decode() == value
