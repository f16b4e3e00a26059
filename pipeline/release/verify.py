"""Whether a release is what it says it is: checksums, tables, rows, and everything that is derived from them.

Checksums come first. Where one does not fit, that is the answer: a second witness tells whether the file was changed
or the list. Where all fit, somebody may still have changed a file and written its checksum anew; so the rows are held
against the rules that every release keeps, and every other file against what the rows give.
"""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipeline.errors import InputError, listed
from pipeline.files import read_text, sha256_of
from pipeline.release import soundness
from pipeline.release.agreement import (
    card_findings,
    croissant_findings,
    export_findings,
    provenance_findings,
)
from pipeline.release.citation import citation_file
from pipeline.release.croissant import read_croissant
from pipeline.release.errata import check_errata, read_errata
from pipeline.release.layout import (
    CARD,
    CITATION,
    CROISSANT,
    ERRATA,
    LABELLED,
    PROVENANCE,
    SETS,
    SPLITS,
    SUMS,
    Tables,
    check_is_release,
    count_rows,
    files_in,
    read_tables,
    rows_in,
    sum_lines,
    table_name,
)
from pipeline.release.provenance import made_by, read_provenance, stages_in
from pipeline.release.rows import write_exports
from pipeline.release.sentences import sentence_faults, shared_scenes
from pipeline.release.variants import variant_faults
from pipeline.release.writing import render_descriptions
from pipeline.released import ReleasedInstance
from pipeline.tables import (
    COMPRESSION,
    compressions,
    read_records,
    row_count,
    schema_of,
    schema_on_disk,
    split_files,
)

SHOWN = 5  # ids in a finding


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a file of a release."""

    file: str
    problem: str

    def __str__(self) -> str:
        return f"{self.file}: {self.problem}"


def verify(folder: Path) -> list[Finding]:
    """Everything that is wrong with a release; nothing where it is sound. InputError where it is no release at all."""
    check_is_release(folder)
    if found := list(checksum_findings(folder)):
        return found
    if found := list(table_findings(folder)):
        return found
    try:
        tables, provenance = read_tables(folder), read_provenance(folder)
        check_errata(read_errata(folder / ERRATA), tables, str(folder / ERRATA))
        ours = made_by(provenance) == version("gapforge")
        rendered = render_descriptions(folder, tables, provenance) if ours else {}
    except InputError as error:
        return [finding_of(error, folder)]
    found = [*row_findings(tables, provenance)]
    unwritable = any(it.file.startswith("winobias/") for it in found)
    found += [Finding(*it) for it in provenance_findings(tables, provenance)]
    described = [Finding(*it) for it in croissant_findings(folder, tables)]
    found += described
    found += [Finding(*it) for it in card_findings(folder, tables, provenance, rendered.get(CARD))]
    if unwritable:  # A sentence without its pronoun cannot be written in the other forms.
        return found
    if not ours:
        return found + [Finding(*it) for it in export_findings(folder, tables)]
    # What Croissant has to say of other files is said; that it is not as it was made would say it again.
    known = {file: text for file, text in rendered.items() if file != CARD and not (described and file == CROISSANT)}
    told = {it.file for it in found}
    return found + [it for it in derived_findings(folder, tables, provenance, known) if it.file not in told]


def summary(folder: Path) -> dict[str, Any]:
    """What `gapforge verify` prints: the findings, and what was looked at."""
    findings = verify(folder)
    return {
        "release": str(folder),
        "sound": not findings,
        "files": len(files_in(folder)),
        "rows": 0 if findings else count_rows(folder),
        "version": "" if findings else read_provenance(folder)["version"],
        "findings": [{"file": it.file, "problem": it.problem} for it in findings],
    }


def finding_of(error: InputError, folder: Path) -> Finding:
    """An error of reading as a finding; its message begins with the path."""
    file, _, problem = str(error).removeprefix(f"{folder}/").partition(": ")
    return Finding(file, problem)


def checksum_findings(folder: Path) -> Iterator[Finding]:
    """Files that are changed, missing, or not listed."""
    listed_sums: dict[str, str] = {}
    try:
        text = read_text(folder / SUMS)
    except InputError as error:
        yield finding_of(error, folder)
        return
    for number, line, found in sum_lines(text):
        if found:
            listed_sums[found[0]] = found[1]
        else:
            yield Finding(
                SUMS, f"line {number}: found {line[:100]!r}; wanted a sha256, two blanks and a file, once each"
            )
    there = set(files_in(folder)) - {SUMS}
    missing, unlisted = sorted(listed_sums.keys() - there), sorted(there - listed_sums.keys())
    for name in list(unlisted):
        # Under another name in the list alone: everything else calls it by its own.
        there_is = (folder / name).is_file()
        called = next((it for it in missing if there_is and listed_sums[it] == sha256_of(folder / name)), None)
        if called and is_vouched_for(folder, name):
            yield Finding(SUMS, f"lists {called!r}, which is {name}")
            missing.remove(called)
            unlisted.remove(name)
    yield from (Finding(name, f"is listed in {SUMS}, and missing") for name in missing)
    yield from (Finding(name, f"is not listed in {SUMS}") for name in unlisted)
    for name in sorted(there & listed_sums.keys()):
        if not (folder / name).is_file():
            yield Finding(name, "is a link that leads nowhere")
        elif sha256_of(folder / name) != listed_sums[name]:
            yield blame(folder, name)


def blame(folder: Path, name: str) -> Finding:
    """Whose fault it is that a checksum does not fit: the file's, or the list's where another witness speaks for it."""
    if is_vouched_for(folder, name):
        return Finding(SUMS, f"lists another sha256 for {name}, which is as the rest of the release has it")
    return Finding(name, f"was changed: its sha256 is not the one in {SUMS}")


def is_vouched_for(folder: Path, name: str) -> bool:
    """Whether the rest of the release says that a file is as it was made: Croissant's checksum, or its derivation."""
    try:
        if name in (CARD, CROISSANT):
            derived = render_descriptions(folder, read_tables(folder), read_provenance(folder))[name]
            return (folder / name).read_bytes() == derived.encode()
        files = {it["@id"]: it["sha256"] for it in read_croissant(folder)["distribution"]}
        return bool(files[name] == sha256_of(folder / name))
    except Exception:  # Whatever a file that was tampered with makes of it, it vouches for nothing.
        return False


def table_findings(folder: Path) -> Iterator[Finding]:
    """Tables of another form than this version of gapforge writes."""
    for name in files_in(folder):
        if name.endswith(".parquet") and name not in known_tables(folder):
            yield Finding(name, "is no table of a release that this gapforge knows; verify with the one that made it")
    for name, (path, record) in known_tables(folder).items():
        try:
            schema = schema_on_disk(path)
            if not schema.equals(schema_of(record)):
                yield Finding(name, f"has other columns: {column_difference(schema, schema_of(record))}")
                continue
            if b"pandas" in (schema.metadata or {}):
                yield Finding(name, "carries metadata of pandas, which no release of gapforge has")
            elif row_count(path) == 0:
                yield Finding(name, "holds no rows")
            elif other := compressions(path) - {COMPRESSION.upper()}:
                yield Finding(name, f"is compressed by {', '.join(sorted(other))}; wanted {COMPRESSION}")
            for _ in read_records(path, record):  # Damaged pages are found by reading them.
                pass
        except InputError as error:
            yield finding_of(error, folder)


def known_tables(folder: Path) -> dict[str, tuple[Path, type]]:
    return {
        table_name(name, split): (path, record)
        for name, record in SETS.items()
        for split, path in split_files(folder / name).items()
        if split in SPLITS and path == folder / table_name(name, split)
    }


def column_difference(found: pa.Schema, wanted: pa.Schema) -> str:
    for field in wanted:
        if field.name not in found.names:
            return f"{field.name} is missing"
        if not found.field(field.name).equals(field):
            return f"{described(found.field(field.name))} in the place of {described(field)}"
    extra = [name for name in found.names if name not in wanted.names]
    return f"{extra[0]} was added" if extra else "in another order"


def described(field: pa.Field) -> str:
    return f"{field.name} {field.type}{'' if field.nullable else ' not null'}"


def row_findings(tables: Tables, provenance: Mapping[str, Any]) -> Iterator[Finding]:
    """Rows that break a rule, by table."""
    for name in LABELLED:
        splits = tables.get(name, {})
        for split, rows in splits.items():
            yield from broken(table_name(name, split), soundness.broken_rules(rows))
        if shared := soundness.shared_documents(splits):
            yield Finding(f"{name}/", f"documents in two splits: {listed(shared, SHOWN)}")
    # A set whose rows are at fault by themselves is not looked at as a whole: one fault would be told many times.
    instances: list[ReleasedInstance] = rows_in(tables, "counter_gap")
    if instances and not any(soundness.broken_rules(instances)):
        yield from broken("counter_gap/", soundness.quadruple_faults(instances))
    originals = [row for row in instances if row.variant == "original"]
    for name, whole in (("gap", rows_in(tables, "gap")), ("counter_gap", originals)):
        if uneven := soundness.imbalance_of(whole):
            yield Finding(f"{name}/", f"the genders are not in balance: {uneven}")
    yield from variant_findings(tables)
    for split, sentences in tables.get("winobias", {}).items():
        yield from broken(table_name("winobias", split), sentence_faults(sentences, split))
    if shared := shared_scenes(tables.get("winobias", {})):
        yield Finding("winobias/", f"scenes in two splits: {listed(shared, SHOWN)}")
    properties = stages_in(provenance).get("GapWeights", {}).get("settings", {}).get("properties", {})
    for split, weights in tables.get("gap_weights", {}).items():
        rows = tables.get("gap", {}).get(split, [])
        yield from broken(table_name("gap_weights", split), soundness.weight_faults(rows, weights, properties))
        others = (row for it, rows in tables.get("gap", {}).items() if it != split for row in rows)
        if strange := [row.id for row in others if row.weight is not None]:
            yield Finding("gap/", f"weights outside of {split}: {listed(strange, SHOWN)}")


def variant_findings(tables: Tables) -> Iterator[Finding]:
    """What is wrong between `gap` and its subjective variant, which has the balance of `gap` where it has its rows."""
    gap, variants = tables.get("gap", {}), tables.get("gap_subjective", {})
    both = [rows_in(tables, name) for name in ("gap", "gap_subjective")]
    if not variants or any(any(soundness.broken_rules(rows)) for rows in both):
        return
    for split in SPLITS:
        faults = variant_faults(gap.get(split, ()), variants.get(split, ()))
        yield from broken(table_name("gap_subjective", split), faults)


def broken(file: str, rules: Iterator[soundness.Broken]) -> Iterator[Finding]:
    return (Finding(file, f"{rule}: {listed(ids, SHOWN)}") for rule, ids in rules)


def derived_findings(
    folder: Path, tables: Tables, provenance: Mapping[str, Any], rendered: Mapping[str, str]
) -> Iterator[Finding]:
    """Files that are not, to the letter, what the tables and the provenance give."""
    there = set(files_in(folder))
    with tempfile.TemporaryDirectory() as temporary:
        target = Path(temporary)
        write_exports(tables, target)
        expected = {name: (target / name).read_bytes() for name in files_in(target)}
    expected |= {name: text.encode() for name, text in rendered.items()}
    expected[CITATION] = citation_file(provenance).encode()
    for name, content in expected.items():
        if name not in there:
            yield Finding(name, "is missing")
        elif (folder / name).read_bytes() != content:
            yield Finding(name, f"is not what the tables and {PROVENANCE} give")
    known = {*expected, *known_tables(folder), CARD, CROISSANT, ERRATA, PROVENANCE, SUMS}
    yield from (Finding(name, "is no part of a release") for name in sorted(there - known))
