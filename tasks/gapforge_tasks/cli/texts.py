"""Commands on texts and corpora without a config: documents, people, candidates, counterfactuals, training data.

A command reads and checks files; what it does with their records is a function of the room that it imports. Rooms are
imported where they are used, since most load models or tables, and `--help` needs none of them.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gapforge.config import hint
from gapforge.corpora.source import LARGEST_DOCUMENT, ReadSettings, known
from gapforge.errors import ConfigError
from gapforge.progress import progress
from gapforge.records import Document, Reject
from gapforge.storage.files import (
    check_apart,
    check_source,
    check_target,
    decode,
    json_line,
    open_outputs,
    open_rejects,
    read_text,
    write_text,
)
from gapforge_tasks.cli.console import DEFAULT_MODEL, FAILED, AsJson, counted, reported, say

if TYPE_CHECKING:
    from gapforge.people.identity import PersonFound

texts = typer.Typer()
augmentation = typer.Typer()

Files = Annotated[
    list[str], typer.Argument(help="Text, JSONL, EPUB, Gutenberg or Wikipedia files, or folders of them.")
]
Model = Annotated[str, typer.Option(help="An installed spaCy model, or a folder that holds one.")]
Format = Annotated[str, typer.Option(help="auto, wikipedia, gutenberg, epub, text, jsonl or dataset.")]
Encoding = Annotated[str, typer.Option(help="Encoding of text files that are not UTF-8.")]
Largest = Annotated[int, typer.Option(min=1, help="Characters above which a page, book or row is left out.")]


@texts.command()
@reported
def documents(
    files: Annotated[list[str], typer.Argument(help="Dumps, books, EPUB, text, JSONL, datasets, or folders of them.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="OUT.jsonl or OUT.parquet")],
    format: Format = "auto",
    encoding: Encoding = "",
    largest_document: Largest = LARGEST_DOCUMENT,
    rejects: Annotated[Path | None, typer.Option(help="Write what was left out, and why, to this .jsonl file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Clean raw files into documents: one record each with id, title, author, url, text and sections."""
    settings = ReadSettings(format=format, encoding=encoding, largest_document=largest_document)
    summary = write_documents(files, output, rejects, settings)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
    else:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in summary["rejects"].items()) or "none"
        say(f"{counted(summary['documents'], 'document')} in {output}; left out: {reasons}")


def write_documents(files: Sequence[str], output: Path, rejects: Path | None, settings: ReadSettings) -> dict[str, Any]:
    """Write the documents of all files in order; the counts by reason of what was left out come back."""
    from gapforge.corpora.formats import read_files, reader
    from gapforge.corpora.inputs import files_to_read

    if settings.encoding:
        known(settings.encoding)
    if settings.format != "auto":
        reader(settings.format)
    raw = files_to_read(files, settings.format, [output, *([rejects] if rejects else [])])
    told = progress("documents", len(raw), "files", "documents")
    with open_outputs(output, Document, rejects) as written, told as report:
        for n, item in read_files(raw, settings):
            written.take(item)
            if isinstance(item, Document):
                report(n, written.records)
    return {"documents": written.records, "rejects": sorted_counts(written.rejects), "output": str(output)}


def sorted_counts(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


@texts.command()
@reported
def names(
    files: Files,
    format: Format = "auto",
    encoding: Encoding = "",
    model: Model = DEFAULT_MODEL,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line for each document.")] = False,
) -> None:
    """Find the people in texts: mentions, the names they go by, and their gender with the reason for it."""
    for found in people_by_document(files, format, encoding, model):
        if as_json:
            say(json_line(found))
            continue
        say(f"{found['file']}: {found['document_id']}")
        for person in found["people"]:
            forms = dict.fromkeys(" ".join(mention["text"].split()) for mention in person["mentions"])
            known = f"{person['gender']}, {person['reason']}" if person["gender"] != "unknown" else "unknown"
            say(f"  {person['name']} ({known}): {counted(len(person['mentions']), 'mention')}; {', '.join(forms)}")


def people_by_document(files: Sequence[str], format: str, encoding: str, model: str) -> Iterator[dict[str, Any]]:
    """The people of each document of the files, in order; a file without text has nobody in it."""
    from gapforge.corpora.formats import read_file
    from gapforge.corpora.inputs import files_to_read
    from gapforge.people.identity import find_people

    settings = reading_all(format, encoding)
    for file in files_to_read(files, format):
        for item in read_file(file, settings):
            if isinstance(item, Document):
                people = [as_values(it, item.text) for it in find_people(item, model)]
            elif item.reason == "empty":
                people = []
            else:
                continue
            yield {"file": file.path, "document_id": item.id, "people": people}


def as_values(person: "PersonFound", text: str) -> dict[str, Any]:
    spans = [{"start": it.start, "end": it.end, "text": text[it.start : it.end]} for it in person.mentions]
    gender = person.gender or "unknown"
    return {"name": person.name, "gender": gender, "reason": person.reason, "mentions": spans}


def reading_all(format: str, encoding: str) -> ReadSettings:
    """Without a limit of size: what is asked for by name is not passed over, and only pronouns are counted here."""
    return ReadSettings(format=format, encoding=encoding, largest_document=sys.maxsize)


@texts.command()
@reported
def extract(
    files: Files,
    kind: Annotated[str, typer.Option(help="gap or counter-gap.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="OUT.jsonl or OUT.parquet")],
    rejects: Annotated[
        Path | None,
        typer.Option(help="Write every pronoun that is no candidate, and why, to this .jsonl or .parquet file."),
    ] = None,
    format: Format = "auto",
    encoding: Encoding = "",
    model: Model = DEFAULT_MODEL,
    as_json: AsJson = False,
) -> None:
    """Find ambiguous pronouns with their two names: one record a candidate."""
    summary = write_candidates(files, output, rejects, kind, format, encoding, model)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
    else:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in summary["rejects"].items()) or "none"
        found = counted(summary["candidates"], "candidate")
        say(f"{found} from {counted(summary['documents'], 'document')} in {output}; other pronouns: {reasons}")


def write_candidates(
    files: Sequence[str], output: Path, rejects: Path | None, kind: str, format: str, encoding: str, model: str
) -> dict[str, Any]:
    """Write the candidates of all files in order; the counts, and those of the rejects by reason, come back."""
    from gapforge.corpora.formats import read_files
    from gapforge.corpora.inputs import files_to_read
    from gapforge.extraction.candidates import KINDS, find_candidates

    if kind not in KINDS:
        raise ConfigError(f"unknown kind {kind!r}{hint(kind, KINDS)}")
    raw = files_to_read(files, format, [output, *([rejects] if rejects else [])])
    documents = 0
    told = progress("extract", len(raw), "files", "candidates")
    with open_outputs(output, KINDS[kind].record, rejects) as written, told as report:
        for n, document in read_files(raw, reading_all(format, encoding)):
            if isinstance(document, Reject):
                continue
            documents += 1
            for item in find_candidates(document, kind, model):
                written.take(item)
            report(n, written.records)
    return {
        "documents": documents,
        "candidates": written.records,
        "rejects": sorted_counts(written.rejects),
        "output": str(output),
    }


@texts.command()
@reported
def counterfactual(
    rows: Annotated[Path, typer.Argument(help="Original instances in Counter-GAP's columns.", metavar="IN.tsv")],
    output: Annotated[Path, typer.Option("-o", "--output", help="OUT.tsv")],
    rejects: Annotated[
        Path | None,
        typer.Option(help="Write the originals without a quadruple, and why, to this .jsonl or .parquet file."),
    ] = None,
    model: Model = DEFAULT_MODEL,
    as_json: AsJson = False,
) -> None:
    """Make quadruples of original instances: the original, its control and two gender-swapped texts."""
    summary = write_quadruples(rows, output, rejects, model)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
        return
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in summary["rejects"].items()) or "none"
    say(f"{counted(summary['quadruples'], 'quadruple')} in {output}; left out: {reasons}")
    if summary["flagged"]:
        say(f"{len(summary['flagged']):,} of them hold words to check against common sense; --json lists them")


def write_quadruples(source: Path, output: Path, rejects: Path | None, model: str) -> dict[str, Any]:
    """Write four rows for each original row that gives a quadruple; the counts and what is flagged come back."""
    from gapforge.counterfactuals.cast import quadruples_of
    from gapforge.storage.tsv import Row, read_rows, write_counter_gap

    check_apart([source], [output, *([rejects] if rejects else [])])
    reasons: Counter[str] = Counter()
    flagged: dict[str, list[str]] = {}
    count = 0

    def rows() -> Iterator[Row]:
        nonlocal count
        with open_rejects(rejects) as put_aside:
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
        "rejects": sorted_counts(reasons),
        "flagged": flagged,
        "output": str(output),
    }


@texts.command()
@reported
def swap(
    file: Annotated[Path | None, typer.Argument(help="A text file; default: standard input.")] = None,
    model: Model = DEFAULT_MODEL,
    as_json: AsJson = False,
) -> None:
    """Exchange the gendered words of a text, names excepted; the result goes to standard output."""
    from gapforge.counterfactuals.words import swap_paragraphs

    text = read_text(file) if file else decode(sys.stdin.buffer.read(), "standard input")
    parts = swap_paragraphs(text, model)
    if as_json:
        say(json.dumps({"text": "".join(parts)}, ensure_ascii=False))
        return
    for part in parts:
        sys.stdout.write(part)


@texts.command()
@reported
def audit(
    file: Annotated[Path, typer.Argument(help="A GAP or Counter-GAP file.", metavar="FILE.tsv")],
    model: Model = DEFAULT_MODEL,
    as_json: AsJson = False,
) -> None:
    """Find errors in a GAP or Counter-GAP file; exit code 1 where there are any."""
    found = audit_file(file, model)
    if as_json:
        say(json.dumps(found, ensure_ascii=False))
    else:
        for it in found["findings"]:
            say(
                f"{it['id']}: {it['kind']}, {it['column']} at {it['start']}: {it['found']!r}, wanted {it['expected']!r}"
            )
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in found["kinds"].items()) or "none"
        say(f"{counted(found['rows'], 'row')}, {counted(len(found['findings']), 'finding')}: {kinds}")
    if found["findings"]:
        sys.exit(FAILED)


def audit_file(source: Path, model: str) -> dict[str, Any]:
    """The findings of a file, and how many there are of each kind."""
    from gapforge.counterfactuals.audit import audit as find_errors
    from gapforge.storage.tsv import read_rows

    rows = list(read_rows(source))
    findings = list(find_errors(rows, model))
    return {
        "file": str(source),
        "rows": len(rows),
        "kinds": sorted_counts(Counter(finding.kind for finding in findings)),
        "findings": [asdict(finding) for finding in findings],
    }


@augmentation.command()
@reported
def augment(
    corpus: Annotated[Path, typer.Argument(help="CoNLL-2012 columns, as OntoNotes has them.", metavar="IN.conll")],
    output: Annotated[Path, typer.Option("-o", "--output", help="OUT.conll")],
    method: Annotated[
        str,
        typer.Option(help="swap: gendered words; a-cda: and names to E1, E2 …; n-cda: and first names to partners."),
    ],
    anonymise_originals: Annotated[
        bool, typer.Option("--anonymise-originals", help="a-cda: put placeholders into the originals as well.")
    ] = False,
    model: Annotated[
        str, typer.Option(help="The spaCy model that reads sentences without tags, or a folder that holds one.")
    ] = DEFAULT_MODEL,
    as_json: AsJson = False,
) -> None:
    """Write the documents of a CoNLL file and then their gender-swapped counterparts; clusters stay as they are."""
    summary = augment_file(corpus, output, method, anonymise_originals, model)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
    else:
        size = f"{counted(summary['documents'], 'document')}, {counted(summary['tokens'], 'token')}"
        say(f"{size} in {output}, half of them counterparts by {method}")


def augment_file(source: Path, output: Path, method: str, anonymise_originals: bool, model: str) -> dict[str, Any]:
    """Write the documents of a file and their counterparts; the counts come back."""
    from gapforge.counterfactuals.augmented import check_method, counterpart_for, write_augmented

    check_apart([source], [output])
    check_source(source)
    check_target(output)
    counterpart = counterpart_for(check_method(method), anonymise_originals, model)
    counts = write_augmented(source, output, counterpart, anonymise_originals)
    return {"method": method, **counts, "output": str(output)}


@augmentation.command("name-pairs")
@reported
def name_pairs(
    output: Annotated[Path, typer.Option("-o", "--output", help="OUT.tsv")],
    as_json: AsJson = False,
) -> None:
    """Write the first names of men and women that n-cda exchanges, in pairs, with what each pair costs."""
    summary = write_name_pairs(output)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
    else:
        costs = ", ".join(f"{it['pairs']:,} {kind} at {it['cost']:,.2f}" for kind, it in summary["kinds"].items())
        say(f"{counted(summary['pairs'], 'pair')} in {output}: {costs}")


def write_name_pairs(output: Path) -> dict[str, Any]:
    """Write the names that n-CDA exchanges as a table; how many pairs there are of each kind, and their costs."""
    from gapforge.counterfactuals.matching import SIDES, name_table, total_cost

    check_target(output)
    pairs = name_table()
    lines = (f"{it.masculine}\t{it.feminine}\t{it.kind}\t{it.cost:.6f}\n" for it in pairs)
    write_text(output, "masculine\tfeminine\tkind\tcost\n" + "".join(lines))
    counts = {kind: sum(it.kind == kind for it in pairs) for kind in SIDES}
    kinds = {kind: {"pairs": counts[kind], "cost": round(total_cost(pairs, kind), 6)} for kind in SIDES}
    return {"pairs": len(pairs), "kinds": kinds, "output": str(output)}


@augmentation.command()
@reported
def balance(
    counts: Annotated[Path, typer.Argument(help="A phrase, a tab, then masculine, feminine and other counts.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The same list; compressed where it ends in .gz.")],
    as_json: AsJson = False,
) -> None:
    """Make the masculine and feminine counts of a gender list equal, phrase by phrase."""
    from gapforge.counterfactuals.augmented import balance_list

    summary = balance_list(counts, output)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
    else:
        say(f"{counted(summary['phrases'], 'phrase')} in {output}, {summary['changed']:,} of them changed")
