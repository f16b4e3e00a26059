"""Small stand-ins for the published files that tests read, so that most tests run where those are absent.

`make stand-ins` builds the embedded sample and writes tests/data/reference. The texts are those of the sample's own
release; names, columns, quoting and numbering are those of the published files. Expected figures do not come from the
package: those of GAP are counted here, those of clusters follow from the definitions by hand.
"""

import csv
import hashlib
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).parents[2]
RELEASE = ROOT / "output" / "sample" / "release"
TARGET = ROOT / "tests" / "data" / "reference"
COMMAND = Path(sys.executable).parent / "gapforge"

GAP_PARTS = ("development", "validation", "test")
QUADRUPLES = 24
SENTENCES = 24  # of each kind and condition of WinoBias
MASCULINE = ("he", "him", "his")

Row = list[str]
Answer = tuple[bool, bool]
LETTERS: dict[bool, str] = {True: "TRUE", False: "FALSE"}


def written(name: str, text: str) -> Path:
    path = TARGET / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="")
    return path


def tab_separated(rows: Iterable[Sequence[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


# ---- GAP


def gap_rows(part: str) -> list[Row]:
    """The rows of a part, numbered as in GAP: development-1, development-2 and so on."""
    lines = (RELEASE / "tsv" / f"gap-{part}.tsv").read_text("utf-8").split("\n")[:-1]
    header, *rows = [line.split("\t") for line in lines]
    return [header, *([f"{part}-{number}", *row[1:]] for number, row in enumerate(rows, 1))]


def write_gap() -> None:
    parts = {part: gap_rows(part) for part in GAP_PARTS}
    for part, rows in parts.items():
        written(f"gap/gap-{part}.tsv", tab_separated(rows))
    rows = parts["development"][1:]
    expected = {}
    for name, answer in PREDICTORS.items():
        answers = [answer(row[0], labels_of(row)) for row in rows]
        lines = ([row[0], LETTERS[a], LETTERS[b]] for row, (a, b) in zip(rows, answers, strict=True))
        written(f"gap/scored/{name}", tab_separated(lines))
        expected[name] = figures_of(rows, answers)
    written("gap/scored/expected.json", json.dumps(expected, indent=1) + "\n")


def labels_of(row: Row) -> Answer:
    return row[6] == "TRUE", row[9] == "TRUE"


def coin(id: str, labels: Answer) -> Answer:
    heads = hashlib.sha256(id.encode()).digest()[0] % 2 == 0
    return heads, not heads


PREDICTORS = {
    "always-a.tsv": lambda id, labels: (True, False),
    "both.tsv": lambda id, labels: (True, True),
    "coin.tsv": coin,
    "mostly-right.tsv": lambda id, labels: coin(id, labels) if id.endswith("7") else labels,
    "none.tsv": lambda id, labels: (False, False),
}


def figures_of(rows: Sequence[Row], answers: Sequence[Answer]) -> dict[str, object]:
    """GAP's figures by the definition of its scorer: each of the two names of a row is a decision of its own."""
    pairs = list(zip(rows, answers, strict=True))
    groups = {
        "overall": pairs,
        "masculine": [it for it in pairs if it[0][2].lower() in MASCULINE],
        "feminine": [it for it in pairs if it[0][2].lower() not in MASCULINE],
    }
    found: dict[str, object] = {name: scores(group) for name, group in groups.items()}
    f1 = {name: scores(group)["f1"] for name, group in groups.items()}
    return found | {"bias": round(f1["feminine"] / f1["masculine"], 6) if f1["masculine"] else None}


def scores(pairs: Iterable[tuple[Row, Answer]]) -> dict[str, float]:
    decisions = [it for row, answer in pairs for it in zip(labels_of(row), answer, strict=True)]
    right, true, said = decisions.count((True, True)), sum(it[0] for it in decisions), sum(it[1] for it in decisions)
    precision, recall = right / said if said else 0.0, right / true if true else 0.0
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return {"precision": round(precision, 6), "recall": round(recall, 6), "f1": round(f1, 6)}


# ---- Weights


def write_weights() -> None:
    """Names as our own extraction finds them, and our own weights: their form is what is tested."""
    gold, folder = TARGET / "gap" / "gap-test.tsv", TARGET / "weighting-gap"
    folder.mkdir(parents=True, exist_ok=True)
    weights, names = folder / "linear_weights.json", folder / "gap-test-name-spans.json"
    subprocess.run([COMMAND, "weigh", gold, "-o", weights, "--write-names", names], check=True)


# ---- Counter-GAP


def write_counter_gap() -> None:
    with (RELEASE / "tsv" / "counter-gap.tsv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t", strict=True)
    # Some of each book, so that they differ.
    by_book = {book: list(it) for book, it in itertools.groupby(rows, key=lambda row: row[-1])}
    groups = [[book[at : at + 4] for at in range(0, len(book), 4)] for book in by_book.values()]
    chosen = [it for level in itertools.zip_longest(*groups) for it in level if it][:QUADRUPLES]
    path = written("counter-gap/counter-gap-half.tsv", "")
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\r\n")
        table.writerow(header)
        for number, group in enumerate(sorted(chosen)):
            ends = ("", "-control", "-swap-1", "-swap-2")
            table.writerows([f"{number}{end}", *row[1:]] for end, row in zip(ends, group, strict=True))


# ---- WinoBias


def write_winobias() -> None:
    for kind, condition in itertools.product(("type1", "type2"), ("pro", "anti")):
        lines = (RELEASE / "text" / f"winobias-dev-{kind}-{condition}.txt").read_text("utf-8").split("\n")
        written(f"winobias/{condition}_stereotyped_{kind}.txt.dev", "\n".join([*lines[:SENTENCES], ""]))
    for kind in ("type1", "type2"):
        documents = list(columns_of(kind))
        written(f"winobias/dev_{kind}_pro_stereotype.v4_auto_conll", "".join(documents))
        if kind == "type1":
            for number, linked in LINKED.items():
                answered = (it if linked(n) else without_entities(it) for n, it in enumerate(documents))
                written(f"conll-scorer/winobias-{number}.response", "".join(answered))


def columns_of(kind: str) -> Iterator[str]:
    """The first documents in the columns that WinoBias is published in, which has three more than ours."""
    text = (RELEASE / "conll" / f"winobias-dev-{kind}-pro.conll").read_text("utf-8")
    documents = re.findall(r"#begin document .*?\n#end document\n", text, re.DOTALL)
    for number, document in enumerate(documents[:SENTENCES]):
        name = f"nw/dev_{kind}/stereotype//{number}"
        rows = [line.split("\t") for line in document.split("\n")[1:] if "\t" in line]
        lines = tab_separated([name, "0", *row[2:-1], "*", "*", "*", row[-1]] for row in rows)
        yield f"#begin document ({name}); part 000\n{lines}\n#end document\n"


def without_entities(document: str) -> str:
    return re.sub(r"\t[^\t\n]*\n", "\t-\n", document)


# Answers for the sentences of type 1: which documents are linked. The rest have no mention.
LINKED = {
    0: lambda n: False,
    1: lambda n: True,
    3: lambda n: n % 3 == 0,
    5: lambda n: n % 5 == 0,
}


# ---- Clusters


# The example of Pradhan et al. 2014: entities by letters, each a mention of one token.
EXAMPLE = ("abc", "defg")
RESPONSES = {"example-1": EXAMPLE, "example-2": ("ab", "cd", "fghi"), "example-3": ()}
BY_HAND = {
    "example-1": {metric: (Fraction(1), Fraction(1)) for metric in ("muc", "bcub", "ceafe")},
    "example-2": {
        "muc": (Fraction(2, 5), Fraction(2, 5)),
        "bcub": (Fraction(35, 12) / 7, Fraction(4) / 8),
        "ceafe": (Fraction(13, 10) / 2, Fraction(13, 10) / 3),
    },
    "example-3": {metric: (Fraction(0), Fraction(0)) for metric in ("muc", "bcub", "ceafe")},
}


def write_clusters() -> None:
    written("conll-scorer/example.key", entities_in_columns(EXAMPLE))
    expected = {}
    for name, entities in RESPONSES.items():
        written(f"conll-scorer/{name}.response", entities_in_columns(entities))
        expected[f"{name}.response"] = expectation("example.key", BY_HAND[name])
    for number, linked in LINKED.items():
        # A sentence is linked as in the key or has no mention, so each metric finds this share of everything.
        share = Fraction(sum(map(linked, range(SENTENCES))), SENTENCES)
        figures = {metric: (share, Fraction(share > 0)) for metric in ("muc", "bcub", "ceafe")}
        expected[f"winobias-{number}.response"] = expectation("dev_type1_pro_stereotype.v4_auto_conll", figures)
    written("conll-scorer/expected.json", json.dumps(expected, indent=1) + "\n")


def entities_in_columns(entities: Sequence[str]) -> str:
    entity_of = {letter: number for number, entity in enumerate(entities) for letter in entity}
    cells = [f"({entity_of[it]})" if it in entity_of else "-" for it in "abcdefghi"]
    rows = tab_separated(["example", "0", str(n), "abcdefghi"[n], cell] for n, cell in enumerate(cells))
    return f"#begin document (example); part 000\n{rows}\n#end document\n"


def expectation(key: str, figures: dict[str, tuple[Fraction, Fraction]]) -> dict[str, object]:
    found: dict[str, object] = {"key": key}
    f1 = {}
    for metric, (recall, precision) in figures.items():
        both = recall + precision
        f1[metric] = 2 * recall * precision / both if both else Fraction(0)
        named = {"recall": recall, "precision": precision, "f1": f1[metric]}
        found[metric] = {name: round(float(value), 6) for name, value in named.items()}
    return found | {"average_f1": round(float(sum(f1.values()) / 3), 6)}


if __name__ == "__main__":
    write_gap()
    write_weights()
    write_counter_gap()
    write_winobias()
    write_clusters()
    files = [it for it in TARGET.rglob("*") if it.is_file()]
    print(f"{len(files)} files, {sum(it.stat().st_size for it in files):,} bytes in {TARGET.relative_to(ROOT)}")
