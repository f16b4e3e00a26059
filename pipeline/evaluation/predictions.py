"""What a system says, read from its file and held against gold: nothing is guessed, and nothing passed over."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.errors import InputError, listed
from pipeline.evaluation.gap import Prediction
from pipeline.files import atomic_file, check_target, read_text

COLUMNS = ("ID", "A-coref", "B-coref")
SAID = {"TRUE": True, "FALSE": False}


@dataclass(frozen=True, slots=True)
class Predictions:
    """One prediction for each gold id; `faults` counts what was amiss, by reason, where that was allowed."""

    said: dict[str, Prediction]
    faults: dict[str, int] = field(default_factory=dict)


def read_predictions(path: Path, ids: Sequence[str], missing_as_negative: bool = False) -> Predictions:
    """The predictions of a TSV file, with or without a header.

    InputError lists what is missing, extra, there twice or malformed; where it is allowed, an instance without exactly
    one readable prediction counts as two negatives, and predictions for other instances are left out.
    """
    return matched(read_lines(path), ids, missing_as_negative, str(path))


def read_lines(path: Path) -> Iterator[tuple[str, Prediction | str]]:
    """Each id with its prediction, or with what is wrong with its line."""
    lines = read_text(path).split("\n")
    header = lines[0].rstrip("\r").split("\t")
    places = {name: header.index(name) for name in COLUMNS if name in header}
    first = 1 if len(places) == len(COLUMNS) else 0
    if not first:
        places = {name: n for n, name in enumerate(COLUMNS)}
    width = len(header) if first else len(COLUMNS)
    for number, line in enumerate(lines[first:], first + 1):
        cells = line.rstrip("\r").split("\t")
        if cells == [""]:
            continue
        id = cells[places["ID"]] if len(cells) > places["ID"] else ""
        if len(cells) != width:
            yield id, f"line {number}: {len(cells)} cells, wanted {width}"
            continue
        said = [cells[places[name]].strip().upper() for name in COLUMNS[1:]]
        wrong = [cell for cell in said if cell not in SAID]
        if wrong:
            yield id, f"line {number}: {wrong[0]!r}, wanted TRUE or FALSE"
        else:
            yield id, (SAID[said[0]], SAID[said[1]])


def matched(
    lines: Iterable[tuple[str, Prediction | str]], ids: Sequence[str], missing_as_negative: bool, place: str
) -> Predictions:
    wanted = set(ids)
    said: dict[str, Prediction] = {}
    twice: dict[str, None] = {}
    extra: dict[str, None] = {}
    malformed: list[str] = []
    for id, prediction in lines:
        if isinstance(prediction, str):
            malformed.append(prediction)
        elif id not in wanted:
            extra[id] = None
        elif id in said:
            twice[id] = None
        else:
            said[id] = prediction
    faults = {
        "malformed": malformed,
        "duplicate": list(twice),
        "missing": [id for id in ids if id not in said],
        "extra": list(extra),
    }
    found = {reason: names for reason, names in faults.items() if names}
    if found and not missing_as_negative:
        listing = "; ".join(f"{len(names):,} {reason}: {listed(names)}" for reason, names in found.items())
        raise InputError(f"{place}: {listing}. Mend the file, or go on with --missing-as-negative")
    for id in faults["missing"] + faults["duplicate"]:
        said[id] = (False, False)
    return Predictions(said, {reason: len(names) for reason, names in found.items()})


def write_predictions(path: Path, said: Mapping[str, Prediction], header: bool) -> None:
    """Write ID, A-coref, B-coref in the order given; the official scorer of GAP wants no header."""
    check_target(path)
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        if header:
            file.write("\t".join(COLUMNS) + "\n")
        for id, (a, b) in said.items():
            file.write(f"{id}\t{str(bool(a)).upper()}\t{str(bool(b)).upper()}\n")
