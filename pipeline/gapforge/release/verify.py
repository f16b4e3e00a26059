"""Whether a release is what it says it is: checksums, tables, rows, and everything that is derived from them.

Checksums come first. Where one does not fit, that is the answer: a second witness tells whether the file was changed
or the list. Where all fit, somebody may still have changed a file and written its checksum anew; so the rows are held
against the rules that every release keeps, and every other file against what the rows give.

Whether provenance, Croissant and card say of the tables what the tables say themselves.

These compare meaning, not letters, so that they hold for a release that another version of gapforge has made, and for
a card to which somebody has added. Each problem comes with the file that it is found in.
"""

import dataclasses
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from gapforge.errors import InputError, listed, one_line
from gapforge.records import WinoBiasSentence
from gapforge.release import soundness
from gapforge.release.card import front_matter, set_lines
from gapforge.release.citation import citation_file
from gapforge.release.croissant import TYPES, leaf_fields, read_croissant
from gapforge.release.errata import check_errata, read_errata
from gapforge.release.layout import (
    CARD,
    CITATION,
    CROISSANT,
    ERRATA,
    LABELLED,
    PROVENANCE,
    SETS,
    SPLITS,
    SUMS,
    check_is_release,
    combined,
    count_rows,
    files_in,
    logical_hashes,
    read_tables,
    stem_of,
    sum_lines,
    table_name,
)
from gapforge.release.provenance import made_by, read_provenance, stages_in, tables_in
from gapforge.release.rows import published, write_exports
from gapforge.release.sentences import sentence_faults, shared_scenes
from gapforge.release.variants import variant_faults
from gapforge.release.write import render_descriptions, sizes_in
from gapforge.released import ReleasedInstance, Tables, rows_in
from gapforge.report.composition import balance_tables, markdown
from gapforge.storage.conll import read_documents
from gapforge.storage.files import read_text, sha256_of
from gapforge.storage.tables import (
    COMPRESSION,
    compressions,
    read_records,
    row_count,
    schema_of,
    schema_on_disk,
    split_files,
)
from gapforge.storage.tsv import Row, on_one_line, read_rows
from gapforge.winobias.forms import as_published, by_file
from gapforge.winobias.published import file_sentences

Problem = tuple[str, str]  # file, what is wrong with it


def provenance_findings(tables: Tables, provenance: Mapping[str, Any]) -> Iterator[Problem]:
    """Tables whose rows are not those that the provenance tells of."""
    hashes, told = logical_hashes(tables), tables_in(provenance)
    for name in sorted(told.keys() - hashes.keys()):
        yield PROVENANCE, f"tells of {name}, which has no table"
    for name, digest in hashes.items():
        set_name, _, split = name.partition("/")
        if name not in told:
            yield table_name(set_name, split), f"is a table that {PROVENANCE} does not tell of"
        elif told[name]["gapforge:logical_hash"] != digest:
            yield table_name(set_name, split), f"its rows are not those that {PROVENANCE} tells of"
        elif told[name]["gapforge:rows"] != len(tables[set_name][split]):
            yield PROVENANCE, f"counts {told[name]['gapforge:rows']} rows of {name}; there are others"
    if combined({name: it["gapforge:logical_hash"] for name, it in told.items()}) != provenance["logical_hash"]:
        yield PROVENANCE, "its logical_hash is not that of its tables"


def croissant_findings(folder: Path, tables: Tables) -> Iterator[Problem]:
    """Whether every file and record set that Croissant describes is there, and its records can be read by it."""
    try:
        description = read_croissant(folder)
        files = {it["@id"]: it for it in description["distribution"]}
        sets = {it["@id"]: it for it in description["recordSet"]}
        for name, it in files.items():
            path = folder / it["contentUrl"]
            if it["contentUrl"] != name or not path.is_file():
                yield CROISSANT, f"describes {name} as {it['contentUrl']!r}, which is missing"
            elif it["sha256"] != sha256_of(path):
                yield name, f"is not the file that {CROISSANT} describes: its sha256 is another"
        wanted = {f"{name}/{split}" for name, splits in tables.items() for split in splits}
        for name in sorted(wanted ^ sets.keys()):
            yield CROISSANT, f"{'lacks' if name in wanted else 'describes'} the records {name}"
        for name in sorted(wanted & sets.keys()):
            set_name, _, split = name.partition("/")
            yield from record_findings(folder, sets[name], files, len(tables[set_name][split]))
    except InputError as error:
        yield CROISSANT, str(error).partition(": ")[2]
    except (KeyError, TypeError, AttributeError, ValueError, OSError) as error:
        yield CROISSANT, f"lacks what a release describes itself by ({one_line(error)})"


def record_findings(
    folder: Path, described: Mapping[str, Any], files: Mapping[str, Any], rows: int
) -> Iterator[Problem]:
    """Whether the files hold the fields that are described, as many, and of these types; their footers tell."""
    for field in leaf_fields(described["field"]):
        name, column = field["source"]["fileObject"]["@id"], field["source"]["extract"]["column"]
        path = folder / files[name]["contentUrl"]
        footer = pq.read_metadata(path)
        schema = footer.schema.to_arrow_schema()
        if column not in schema.names:
            yield CROISSANT, f"{field['@id']}: {name} has no column {column}"
            continue
        kind = schema.field(column).type
        if "transform" in field["source"]:
            inner = field["source"]["transform"]["jsonPath"].removeprefix("$.")
            kind = kind.value_type.field(inner).type
        elif field.get("repeated"):
            kind = kind.value_type
        if TYPES.get(kind) != field["dataType"]:
            yield CROISSANT, f"{field['@id']}: is called {field['dataType']}, and {name} holds {kind}"
        if footer.num_rows != rows:
            yield CROISSANT, f"{field['@id']}: gives {footer.num_rows:,} records of {rows:,}"


def card_findings(
    folder: Path, tables: Tables, provenance: Mapping[str, Any], rendered: str | None
) -> Iterator[Problem]:
    """Whether the card says what the files give, in their order; whoever publishes a release may add to it.

    `rendered` is the card as this gapforge writes it; None where another version has made the release, of whose card
    only the metadata and the tables are known.
    """
    try:
        text = read_text(folder / CARD)
    except InputError as error:
        yield CARD, str(error).partition(": ")[2]
        return
    try:
        told = yaml.safe_load(metadata_in(text))
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError) as error:
        yield CARD, f"its metadata is no YAML ({one_line(error)})"
        return
    if not isinstance(told, dict):
        yield CARD, "has no metadata; wanted YAML between two lines of ---"
        return
    for key, value in front_matter(tables, provenance, sizes_in(folder, tables)).items():
        if key in COMPARED and told.get(key) != value:
            yield CARD, f"{key} in its metadata is not what the files give"
    wanted = body_of(rendered).split("\n") if rendered else [*set_lines(tables), *balance_lines(tables)]
    lines = iter(body_of(text).split("\n"))
    for line in wanted:
        if line.strip() and line not in lines:  # which goes on behind the line that it finds
            yield CARD, f"does not say {line!r}, which the files give, or not in its place"
            return


def metadata_in(card: str) -> str:
    return card.removeprefix("---\n").partition("\n---\n")[0] if card.startswith("---\n") else ""


def body_of(card: str) -> str:
    return card.removeprefix("---\n").partition("\n---\n")[2]


def balance_lines(tables: Tables) -> Iterator[str]:
    return (line for _, tally in balance_tables(tables) for line in markdown(tally).split("\n"))


# Metadata that follows from the files; whoever publishes a release may name other tags or a better title.
COMPARED = ("annotations_creators", "configs", "dataset_info", "license", "size_categories")


def export_findings(folder: Path, tables: Tables) -> Iterator[Problem]:
    """Whether the published forms hold the rows, for a release whose files another version has written."""
    for name, splits in tables.items():
        for split, rows in splits.items():
            if name in LABELLED:
                stem = stem_of(name, split)
                yield from rows_findings(folder, f"tsv/{stem}.tsv", [flat(published(row)) for row in rows])
                yield from documents_findings(folder, f"conll/{stem}.conll", [row.id for row in rows])
            elif name == "winobias":
                yield from sentence_findings(folder, rows)


def sentence_findings(folder: Path, rows: Sequence[WinoBiasSentence]) -> Iterator[Problem]:
    for stem, sentences in by_file(rows).items():
        for name in (f"text/{stem}.txt", f"conll/{stem}.conll"):
            try:
                found = [(it.number, it.letters) for it in file_sentences(folder / name)]
                if found != [(it.number, as_published(it).letters) for it in sentences]:
                    yield name, "does not hold the sentences of the tables"
            except InputError as error:
                yield name, str(error).removeprefix(f"{folder / name}: ")


def flat(row: Row) -> Row:
    return dataclasses.replace(row, text=on_one_line(row.text), a=on_one_line(row.a), b=on_one_line(row.b))


def rows_findings(folder: Path, name: str, wanted: Sequence[Row]) -> Iterator[Problem]:
    try:
        if [flat(row) for row in read_rows(folder / name)] != wanted:
            yield name, "does not hold the rows of the tables"
    except InputError as error:
        yield name, str(error).removeprefix(f"{folder / name}: ")


def documents_findings(folder: Path, name: str, wanted: Sequence[str]) -> Iterator[Problem]:
    try:
        if [document.name for document in read_documents(folder / name)] != wanted:
            yield name, "does not hold a document for each row of the tables"
    except InputError as error:
        yield name, str(error).removeprefix(f"{folder / name}: ")


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
