"""Which sentences people rate for fluency and subjectivity, and what follows from their ratings (Pant and Dadu 2022).

The paper's judges rated 34 original and 34 transferred sentences from 1 to 5 on both scales (3.2.4, Table 6). Here both
halves are drawn from the sentences whose transfer was kept, so that the form alone tells them apart, and no sentence
is drawn in both forms: whoever has seen the one would rate the other by it.

A rating's sheet as CSV: as it goes to raters, and as their spreadsheet programs save it.

It goes in UTF-8 with a byte order mark, without which Excel takes it for the system's own encoding, and comes back with
commas, semicolons or tabs, by the rater's program and language. A sentence that begins as a formula does has an
apostrophe in front, which is taken off again.

The files of a rating: a folder with a sheet for raters, and the filled sheets as spreadsheet programs save them.

sheet.csv           a sentence a row, with empty cells for fluency, subjectivity and a remark
instructions.txt    what raters are told
key.json            which sentence is which: for the import, and for no rater's eyes
"""

import codecs
import csv
import io
import json
import re
import shutil
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from gapforge.config import hint
from gapforge.draws import draw_key
from gapforge.errors import ConfigError, InputError, one_line
from gapforge.records import SubjectiveSentence, fields_of
from gapforge.storage.files import check_source, decode, publish_folder, read_text, write_json, write_text
from gapforge.storage.tsv import LONGEST_FIELD
from gapforge.subjectivity.decisions import is_text, read_scored

Form = Literal["original", "transferred"]
Scale = Literal["fluency", "subjectivity"]
FORMS: tuple[Form, ...] = get_args(Form)
SCALES: tuple[Scale, ...] = get_args(Scale)

SIZE = 68  # 3.2.4
# Table 6.
PAPER: Mapping[Scale, Mapping[Form, float]] = {
    "fluency": {"original": 4.578, "transferred": 4.343},
    "subjectivity": {"original": 1.657, "transferred": 2.872},
}
RESAMPLES = 10_000
CONFIDENCE = 0.95
DIGITS = 10  # of a bound; those after depend on the processor

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RatedSentence:
    """A sentence of a sheet; its id tells nothing, the rest is for the key."""

    id: str
    form: Form
    instance_id: str
    number: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Rating:
    """What one rater says of one sentence; None where the cell was left empty."""

    id: str
    fluency: int | None
    subjectivity: int | None
    remark: str = ""

    def on(self, scale: Scale) -> int | None:
        return self.fluency if scale == "fluency" else self.subjectivity


@dataclass(frozen=True, slots=True)
class Half:
    """The sentences of one form that anybody rated; `mean` is over sentences, of the mean over raters."""

    sentences: int
    ratings: int
    mean: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A column of Table 6; None where a figure is undefined.

    `difference` is transferred - original, with its 95 % interval by resampling the sentences of each form; `alpha` is
    Krippendorff's, for the interval scale.
    """

    scale: Scale
    original: Half
    transferred: Half
    difference: float | None
    low: float | None
    high: float | None
    alpha: float | None


def check_draw(size: int, seed: int) -> None:
    """Refuse numbers that no draw can have, before there is any work."""
    if size < 2 or size % 2:
        raise ConfigError(f"size must be even and 2 or more, for two equal halves, found {size}")
    if seed < 0:
        raise ConfigError(f"seed must be 0 or more, found {seed}")


def draw(sentences: Iterable[SubjectiveSentence], size: int, seed: int) -> list[RatedSentence]:
    """Half transferred and half original sentences in random order, whatever the order of the records.

    InputError where too few different ones were kept, or a record is there twice.
    """
    check_draw(size, seed)
    kept = kept_sentences(sentences)
    turns = sorted(kept, key=lambda name: draw_key(seed, "rated", name))
    chosen = list(islice(different(turns, kept), size))
    if len(chosen) < size:
        most = len(chosen) // 2 * 2
        remedy = f"lower --size to {most} or take a larger set" if most else "take a larger set"
        raise InputError(f"cannot draw {size} different sentences from {len(chosen)} that were kept; {remedy}")
    transferred = set(chosen[: size // 2])
    mixed = sorted(chosen, key=lambda name: draw_key(seed, "order of the sheet", name))
    width = max(2, len(str(size)))
    return [
        rated(f"r{n:0{width}}", "transferred" if name in transferred else "original", kept[name])
        for n, name in enumerate(mixed, 1)
    ]


def kept_sentences(sentences: Iterable[SubjectiveSentence]) -> dict[str, SubjectiveSentence]:
    """The sentences whose transfer was kept, by an id of their own."""
    kept: dict[str, SubjectiveSentence] = {}
    seen: set[str] = set()
    for it in sentences:
        name = f"{it.instance_id}/{it.number}"
        if name in seen:
            raise InputError(f"two records of sentence {it.number} of {it.instance_id!r}; remove one of them")
        seen.add(name)
        if it.kept and it.proposal is not None:
            kept[name] = it
    return kept


def different(names: Iterable[str], kept: Mapping[str, SubjectiveSentence]) -> Iterator[str]:
    """The names in order, without those whose text was there before: contexts of one page share sentences."""
    seen: set[str] = set()
    for name in names:
        forms = {folded(kept[name].sentence), folded(kept[name].proposal or "")}
        if not forms & seen:
            seen |= forms
            yield name


def rated(id: str, form: Form, it: SubjectiveSentence) -> RatedSentence:
    text = it.sentence if form == "original" else it.proposal or ""
    return RatedSentence(id, form, it.instance_id, it.number, text)


def folded(text: str) -> str:
    """A text whose white space is single blanks: spreadsheets and editors change it, and no rater sees it."""
    return " ".join(text.split())


def table(sentences: Sequence[RatedSentence], sheets: Sequence[Sequence[Rating]], seed: int) -> list[Comparison]:
    """Table 6, a comparison for each scale, of the sheets of one rater each."""
    return [compare(scale, sentences, sheets, seed) for scale in SCALES]


def compare(
    scale: Scale, sentences: Sequence[RatedSentence], sheets: Sequence[Sequence[Rating]], seed: int
) -> Comparison:
    given: dict[str, list[int]] = {it.id: [] for it in sentences}
    for sheet in sheets:
        for rating in sheet:
            if (value := rating.on(scale)) is not None:
                given[rating.id].append(value)
    by_form = {form: [given[it.id] for it in sentences if it.form == form and given[it.id]] for form in FORMS}
    original, transferred = (half_of(by_form[form]) for form in FORMS)
    low, high = difference_interval(means_of(by_form["original"]), means_of(by_form["transferred"]), seed)
    return Comparison(
        scale=scale,
        original=original,
        transferred=transferred,
        difference=None if original.mean is None or transferred.mean is None else transferred.mean - original.mean,
        low=low,
        high=high,
        alpha=interval_alpha(given.values()),
    )


def half_of(values: Sequence[Sequence[int]]) -> Half:
    mean = statistics.fmean(means_of(values)) if values else None
    return Half(sentences=len(values), ratings=sum(map(len, values)), mean=mean)


def means_of(values: Iterable[Sequence[int]]) -> list[float]:
    return [statistics.fmean(each) for each in values]


def difference_interval(
    original: Sequence[float], transferred: Sequence[float], seed: int
) -> tuple[float | None, float | None]:
    """The middle 95 % of the differences of resampled means; None where a form has a single sentence or none."""
    if min(len(original), len(transferred)) < 2:
        return None, None
    generator = np.random.default_rng(seed)
    before, after = resampled_means(original, generator), resampled_means(transferred, generator)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(after - before, (tail, 1 - tail))
    return round(float(low), DIGITS), round(float(high), DIGITS)


def resampled_means(values: Sequence[float], generator: np.random.Generator) -> Floats:
    """Means of as many values, drawn with replacement; equal values are drawn as one, so their order is nothing."""
    kinds, counts = np.unique(np.asarray(values, np.float64), return_counts=True)
    drawn = generator.multinomial(len(values), counts / len(values), RESAMPLES)
    means: Floats = drawn @ kinds / len(values)
    return means


def interval_alpha(items: Iterable[Sequence[int]]) -> float | None:
    """Krippendorff's alpha with squared differences, of the ratings of each item; None where nothing can differ.

    An item with a single rating, which nothing agrees with, is left out.
    """
    pairable = [values for values in items if len(values) > 1]
    everything = [value for values in pairable for value in values]
    expected = squares(everything)
    if not expected:
        return None
    observed = sum(squares(values) / (len(values) - 1) for values in pairable)
    return 1 - observed * (len(everything) - 1) / expected


def squares(values: Sequence[int]) -> int:
    """The squared difference of every ordered pair of values, summed."""
    return 2 * (len(values) * sum(value * value for value in values) - sum(values) ** 2)


def describe(found: Comparison) -> list[str]:
    """A comparison as lines of a table beside the paper's figures."""
    paper = PAPER[found.scale]
    lines = [f"{found.scale:<12}       mean   paper  sentences  ratings"]
    for form, half in zip(FORMS, (found.original, found.transferred), strict=True):
        counts = f"{half.sentences:>9,}  {half.ratings:>7,}"
        lines.append(f"{form:<12}  {shown(half.mean):>9}  {paper[form]:>6.3f}  {counts}")
    apart = paper["transferred"] - paper["original"]
    sure = "undefined" if found.low is None else f"{shown(found.low, '+')} to {shown(found.high, '+')}"
    lines.append(f"{'difference':<12}  {shown(found.difference, '+'):>9}  {apart:>+6.3f}  95 % interval {sure}")
    return [*lines, f"{'alpha':<12}  {shown(found.alpha):>9}"]


def shown(figure: float | None, sign: Literal["", "+"] = "") -> str:
    return "undefined" if figure is None else f"{figure:{sign}.3f}"


COLUMNS = ("id", "sentence", *SCALES, "remark")
NEEDED = COLUMNS[:-1]
KINDS = (".csv", ".tsv", ".txt")
DELIMITERS = ",;\t"
# As a spreadsheet takes them, whatever apostrophes are in front already: what is put there can be taken off.
FORMULA = re.compile(r"[\s']*[=+\-@＝＋－＠]")
QUOTED, BEFORE = 60, 20  # characters of a quotation, and how many of them are before what differs
WHOLE = re.compile(r"([1-5])(?:[.,]0+)?")


def sheet_of(sentences: Sequence[RatedSentence]) -> str:
    """The sheet as CSV with a byte order mark; nothing in it tells the form of a sentence."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")  # With it a lone \r is quoted as well.
    writer.writerow(COLUMNS)
    writer.writerows((it.id, guarded(it.sentence), "", "", "") for it in sentences)
    return codecs.BOM_UTF8.decode() + file.getvalue()


def guarded(text: str) -> str:
    """A text that no spreadsheet runs: an apostrophe in front of what might be a formula."""
    return f"'{text}" if FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def read_sheets(paths: Sequence[Path], sentences: Sequence[RatedSentence]) -> list[list[Rating]]:
    """The ratings of each sheet, one rater's; InputError where a sheet is there twice."""
    for path in paths:
        check_source(path)
        if path.suffix.lower() not in KINDS:
            raise ConfigError(f"{path}: unknown kind of sheet {path.suffix!r}{hint(path.suffix, KINDS)}")
    first: dict[str, Path] = {}
    asked = {it.id: it for it in sentences}
    sheets = []
    for path in paths:
        content = path.read_bytes()
        digest = sha256(content).hexdigest()
        # By content: a copy under another name would count one rater twice.
        if digest in first:
            same = path.resolve() == first[digest].resolve()
            raise InputError(
                f"{path}: {'is named twice' if same else f'is a copy of {first[digest]}'}; "
                "name the sheet of each rater once"
            )
        first[digest] = path
        sheets.append(read_sheet(content, str(path), asked))
    return sheets


def read_sheet(content: bytes, name: str, asked: Mapping[str, RatedSentence]) -> list[Rating]:
    """The rows of a filled sheet in its own order; InputError names the line that cannot be used."""
    text = characters(content, name)
    delimiter = delimiter_of(text)
    try:
        ratings = list(ratings_in(rows_of(text, name, delimiter, csv.QUOTE_MINIMAL), asked))
    except InputError:
        if delimiter != "\t":
            raise
        try:  # Google's tables parted by tabs quote nothing: quotation marks are those of the sentence.
            ratings = list(ratings_in(rows_of(text, name, delimiter, csv.QUOTE_NONE), asked))
        except InputError:
            ratings = []
        if not ratings:
            raise
    if all(it.on(scale) is None for it in ratings for scale in SCALES):
        raise InputError(f"{name}: {len(ratings)} sentences, and no rating; fill it in or leave it out")
    return ratings


def characters(content: bytes, name: str) -> str:
    """The text of a sheet: UTF-8, or UTF-16 with its mark, as Excel saves "Unicode text"."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError as error:
            raise InputError(f"{name}: byte {error.start}: not UTF-16; save it as UTF-8") from error
    return decode(content, name)


def delimiter_of(text: str) -> str:
    """What parts the most columns that we know; a comma where none is known."""
    header = next(iter(text.splitlines()), "")

    def known(delimiter: str) -> int:
        return len(set(COLUMNS) & {name_of(cell) for cell in header.split(delimiter)})

    return max(DELIMITERS, key=known)


def name_of(cell: str) -> str:
    return cell.strip(' "').lower()


def rows_of(text: str, name: str, delimiter: str, quoting: Any) -> Iterator[tuple[str, dict[str, str]]]:
    """The cells of our columns in each row that has any, with the row's place."""
    csv.field_size_limit(LONGEST_FIELD)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True)
    line = 1
    try:
        header = [name_of(cell) for cell in next(lines, [])]
        for column in COLUMNS:
            if header.count(column) > 1:
                raise InputError(f"{name}: line 1: two columns {column!r}; remove one of them")
            if column in NEEDED and column not in header:
                raise InputError(f"{name}: line 1: no column {column!r}; wanted {', '.join(NEEDED)}")
        while True:
            line = lines.line_num + 1  # where the row begins; its sentence may go over several
            cells = next(lines, None)
            if cells is None:
                return
            place = f"{name}: line {line}"
            if any(cell.strip() for cell in cells[len(header) :]):
                raise InputError(f"{place}: {len(cells)} cells under {len(header)} columns; quote cells as CSV does")
            cells += [""] * (len(header) - len(cells))  # Programs leave out empty cells at the end.
            row = {column: cells[header.index(column)] for column in COLUMNS if column in header}
            if any(cell.strip() for cell in row.values()):
                yield place, row
    except csv.Error as error:
        raise InputError(f"{name}: line {line}: {one_line(error)}; quote cells as CSV does") from error


def ratings_in(rows: Iterator[tuple[str, dict[str, str]]], asked: Mapping[str, RatedSentence]) -> Iterator[Rating]:
    seen: dict[str, str] = {}
    for place, row in rows:
        id = row["id"].strip()
        if id not in asked:
            raise InputError(f"{place}: unknown id {cut(id)}; wanted one of the key's: take the key of this sheet")
        if id in seen:
            raise InputError(f"{place}: {id} is there twice, first in {seen[id]}; remove one of the rows")
        seen[id] = place.rpartition(": ")[2]
        wanted, found = folded(asked[id].sentence), folded(unguarded(row["sentence"]))
        # Some programs take the apostrophe for their own, and save the sentence without it.
        if wanted not in (found, folded(row["sentence"])):
            differs = next(n for n, (ours, theirs) in enumerate(zip_longest(wanted, found)) if ours != theirs)
            at = max(0, differs - BEFORE)
            raise InputError(
                f"{place}: the sentence of {id} was edited; wanted {cut(wanted[at:])}, found {cut(found[at:])}; "
                "put it back or clear the row"
            )
        yield Rating(
            id=id,
            fluency=mark_in(row, "fluency", place),
            subjectivity=mark_in(row, "subjectivity", place),
            remark=folded(row.get("remark", "")),
        )


def mark_in(row: Mapping[str, str], scale: Scale, place: str) -> int | None:
    cell = row[scale].strip()
    if not cell:
        return None
    if not (match := WHOLE.fullmatch(cell)):
        raise InputError(
            f"{place}: {scale} of {row['id'].strip()} is {cut(cell)}; wanted a whole number from 1 to 5, or nothing"
        )
    return int(match[1])


def cut(text: str) -> str:
    """A quotation of bounded length."""
    return repr(text if len(text) <= QUOTED else text[: QUOTED - 1] + "…")


SHEET, INSTRUCTIONS, KEY = "sheet.csv", "instructions.txt", "key.json"

TOLD = """\
How to rate the sentences of the sheet

Each row holds one sentence. Read it by itself, without regard to the other rows, and give it two marks: whole numbers
from 1 to 5, in the columns "fluency" and "subjectivity".

fluency: is it good English?
  1  poor: ungrammatical, or hard to understand
  2
  3  understandable, with a fault or two
  4
  5  perfect: nothing to fix

subjectivity: does it say what is so, or what somebody thinks of it?
  1  highly objective: bare facts
  2
  3  facts, coloured by a word or two
  4
  5  highly subjective: judgement, praise, blame, feeling, speculation

Two examples
  "The bridge was opened in May 1931 and is 240 metres long."             fluency 5, subjectivity 1
  "Sadly this bridge are clearly the most hideous one ever been built."   fluency 2, subjectivity 5

The two marks have nothing to do with each other: a perfect sentence may be wholly subjective. Whether a sentence is
true, or whether you agree with it, does not matter. Leave a cell empty where you cannot decide; anything worth saying
goes into "remark". An apostrophe before a sign such as - or = at the start of a cell belongs to the sheet, not to the
sentence.

Change neither the ids nor the sentences. Rate alone. Save the sheet under another name as CSV in UTF-8 ("CSV UTF-8" in
Excel). Where the program shows all columns in one, open the sheet by its import of text: UTF-8, parted by commas.
"""


def export_sheet(source: Path, output: Path, size: int, seed: int) -> dict[str, Any]:
    """Draw sentences and write the folder for raters; the counts come back."""
    check_draw(size, seed)
    check_folder(output)
    records = list(read_scored(source, SubjectiveSentence))
    try:
        sentences = draw(records, size, seed)
    except InputError as error:
        raise InputError(f"{source}: {error}") from error
    write_folder(output, sentences, seed)
    return {"sentences": size, "original": size // 2, "transferred": size // 2, "seed": seed, "output": str(output)}


def import_sheets(paths: Sequence[Path], key: Path) -> dict[str, Any]:
    """Table 6 of filled sheets; raters go by the number of their sheet, whose name may be their own."""
    sentences, seed = read_key(key)
    sheets = read_sheets(paths, sentences)
    counts = [{scale: sum(it.on(scale) is not None for it in sheet) for scale in SCALES} for sheet in sheets]
    ratings = sum(sum(count.values()) for count in counts)
    forms = {it.id: it.form for it in sentences}
    return {
        "sentences": len(sentences),
        "raters": counts,
        "ratings": ratings,
        "missing": len(sheets) * len(sentences) * len(SCALES) - ratings,
        "table": table(sentences, sheets, seed),
        "paper": PAPER,
        "remarks": [
            {"rater": n, "id": it.id, "form": forms[it.id], "remark": it.remark}
            for n, sheet in enumerate(sheets, 1)
            for it in sheet
            if it.remark
        ],
    }


def check_folder(folder: Path) -> None:
    """Refuse a folder that is not to be written to: raters may be at work with what is in it."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: is a file; name a new folder")
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder}: is not empty; raters may be at work with it: name another folder")
    # It is put in place whole, and a shell must not be left in the one that was there.
    if folder.resolve() == Path.cwd():
        raise ConfigError(f"{folder}: is the folder you are in; name a new one")
    if not folder.parent.is_dir():
        raise ConfigError(f"{folder}: its folder does not exist; make it first")


def write_folder(folder: Path, sentences: Sequence[RatedSentence], seed: int) -> None:
    """Write sheet, instructions and key into a new or empty folder, which appears when all is written."""
    check_folder(folder)
    working = folder.parent / f".{folder.name}.working"
    shutil.rmtree(working, ignore_errors=True)
    working.mkdir()
    try:
        write_text(working / SHEET, sheet_of(sentences))
        write_text(working / INSTRUCTIONS, TOLD)
        write_json(working / KEY, key_of(sentences, seed))
        publish_folder(working, folder)
    finally:
        shutil.rmtree(working, ignore_errors=True)


def key_of(sentences: Sequence[RatedSentence], seed: int) -> dict[str, Any]:
    return {"seed": seed, "sentences": [fields_of(it) | {"sha256": hash_of(it.sentence)} for it in sentences]}


def hash_of(sentence: str) -> str:
    return sha256(sentence.encode()).hexdigest()


def read_key(path: Path) -> tuple[list[RatedSentence], int]:
    """The sentences that an export drew, and its seed, from its folder or its `key.json`."""
    path = path / KEY if path.is_dir() else path
    text = read_text(path)
    try:
        values = json.loads(text)
        seed, entries = values["seed"], values["sentences"]
        hashes = [it.pop("sha256") for it in entries]
        sentences = [RatedSentence(**it) for it in entries]
        sound = type(seed) is int and seed >= 0 and all(map(is_sound, sentences))
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path}: not the key of a sheet; take the export's own file") from error
    if not sound or not sentences or len({it.id for it in sentences}) < len(sentences):
        raise InputError(f"{path}: not the key of a sheet; take the export's own file")
    for it, digest in zip(sentences, hashes, strict=True):
        if hash_of(it.sentence) != digest:
            raise InputError(f"{path}: {it.id}: was changed after the export; take the export's own file")
    return sentences, seed


def is_sound(it: RatedSentence) -> bool:
    return is_text(it.id) and is_text(it.sentence) and it.form in FORMS
