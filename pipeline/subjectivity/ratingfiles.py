"""The files of a rating: a folder with a sheet for raters, and the filled sheets as spreadsheet programs save them.

sheet.csv           a sentence a row, with empty cells for fluency, subjectivity and a remark
instructions.txt    what raters are told
key.json            which sentence is which: for the import, and for no rater's eyes
"""

import json
import shutil
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError, InputError
from pipeline.files import publish_folder, read_text, write_json, write_text
from pipeline.records import SubjectiveSentence, fields_of
from pipeline.subjectivity.ratings import FORMS, PAPER, SCALES, RatedSentence, check_draw, draw, table
from pipeline.subjectivity.ratingsheets import read_sheets, sheet_of
from pipeline.subjectivity.scoredfiles import is_text, read_scored

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
  5  perfect: nothing to mend

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
