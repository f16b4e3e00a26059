"""`gapforge annotate export` and `gapforge annotate import` as a user calls them."""

import csv
import dataclasses
import hashlib
import html
import json
import re
from pathlib import Path

import pytest

from gapforge.annotation.consensus import Consensus
from gapforge.annotation.export import FORMATS, ExportSettings, export, read_asked
from gapforge.annotation.questions import KNOWN, question_of, read_known
from gapforge.errors import ConfigError, InputError
from gapforge.records import (
    Candidate,
    CounterGapCandidate,
    Judgement,
    LabelledExample,
    Person,
    QuadrupleInstance,
    Reject,
    Span,
    fields_of,
)
from gapforge.storage.files import json_line
from gapforge.storage.tables import read_records, write_records
from gapforge_tasks.cli.annotate import import_answers

NAMES = ["Ann", "Eva", "Una", "Amy", "Zoe", "Kay", "Fay", "May", "Sue", "Liz", "Pam", "Meg"]
COLUMNS = ["ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "Book"]
KNOWN_TEXTS = {
    "7f3a91": ("Ada rang Ivy, and she spoke.", "B"),
    "b04c5d": ("Ada and Ivy saw the queen: she sat.", "neither"),
}


def make_candidate(n):
    text = f"{NAMES[n]} met Ida in May {n}. She left 😀."
    she = Span(text.index("She"), text.index("She") + 3)
    return Candidate(
        *(f"tales-{n}", "tales", f"d-{n}", "", 0, text, "FINALPRO", "feminine"),
        *(she, Span(0, 3), Span(8, 11), False, 0),
    )


def make_four(n):
    """Four texts in which everybody stands in the same place."""
    for variant, pair, others, pronoun in [
        ("original", (NAMES[n], "Ida"), ("Tom", "Ned"), "she"),
        ("control", ("Ida", NAMES[n]), ("Ned", "Tom"), "she"),
        ("swap-1", ("Tom", "Ned"), (NAMES[n], "Ida"), "he"),
        ("swap-2", ("Ned", "Tom"), ("Ida", NAMES[n]), "he"),
    ]:
        text = f"{others[0]} and {others[1]} saw {pair[0]} and {pair[1]} when {pronoun} left in 190{n}."
        spans = [Span(text.index(name), text.index(name) + 3) for name in (*pair, *others)]
        at = text.index(f" {pronoun} ") + 1
        roles = zip(("C1", "C2", "O1", "O2"), spans, strict=True)
        people = [Person(role, "", "feminine", [span]) for role, span in roles]
        id = f"tales-{n}" if variant == "original" else f"tales-{n}-{variant}"
        candidate = CounterGapCandidate(
            *(id, "tales", f"d-{n}", "", 0, text, "FINALPRO", "feminine", Span(at, at + len(pronoun))),
            *(spans[0], spans[1], False, 0, people),
        )
        yield QuadrupleInstance(
            **fields_of(candidate), quadruple_id=f"tales-{n}", variant=variant, contradictions=["beard"]
        )


CANDIDATES = [make_candidate(n) for n in range(12)]
QUADRUPLES = [it for n in range(3) for it in make_four(n)]


def row_of(id, text, pronoun, labels):
    a, b = ("Ada", "Ivy") if "Ada" in text else (text[:3], "Ida")
    cells = [id, text, pronoun, text.index(pronoun), a, text.index(a), labels[0], b, text.index(b), labels[1], "Tale"]
    return list(map(str, cells))


def write_rows(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([COLUMNS, *rows])


def write_known(path, **answers):
    labels = {"A": ("TRUE", "FALSE"), "B": ("FALSE", "TRUE"), "neither": ("FALSE", "FALSE")}
    rows = [row_of(id, text, "she", labels[answers.get(f"k{id}", it)]) for id, (text, it) in KNOWN_TEXTS.items()]
    write_rows(path, rows)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder to work in, with what can be exported."""
    monkeypatch.chdir(tmp_path)
    stage = tmp_path / "GapExamples"
    stage.mkdir()
    write_records(stage / "part-00000.parquet", CANDIDATES[:7], Candidate)
    write_records(stage / "part-00001.parquet", CANDIDATES[7:], Candidate)
    write_records(stage / "rejects-00000.parquet", [Reject("x", "y", "z")], Reject)
    write_records(tmp_path / "four.parquet", QUADRUPLES, QuadrupleInstance)
    write_records(tmp_path / "none.parquet", [], Candidate)
    write_records(tmp_path / "rejects.parquet", [], Reject)
    (tmp_path / "c.jsonl").write_text("".join(json_line(it) + "\n" for it in CANDIDATES), "utf-8")
    (tmp_path / "four.jsonl").write_text("".join(json_line(it) + "\n" for it in QUADRUPLES), "utf-8")
    (tmp_path / "three.jsonl").write_text("".join(json_line(it) + "\n" for it in CANDIDATES[:3]), "utf-8")
    rows = [row_of(it.id, it.text, "She", ("TRUE", "FALSE")) for it in CANDIDATES]
    write_rows(tmp_path / "rows.tsv", rows)
    write_known(tmp_path / "known.tsv")
    return tmp_path


def put(source, output="out", known=KNOWN, **settings):
    return export(Path(source), Path(output), Path(known) if known else None, ExportSettings(**settings))


def names_in(folder):
    return sorted(it.name for it in Path(folder).iterdir())


def tasks_of(folder):
    return [json.loads(path.read_text("utf-8")) for path in sorted(Path(folder).glob("tasks-*.json"))]


def cells_of(folder):
    with (Path(folder) / "batches.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# ---- export

FILES = {
    "label-studio": ["config.xml", "instructions.html", "project.json", "questions.jsonl"],
    "mturk": ["batches.csv", "instructions.html", "page.html", "preview.html", "questions.jsonl"],
    "html": ["instructions.html", "questions.jsonl"],
}


@pytest.mark.parametrize(
    ("source", "format", "mode", "known", "batches"),
    [
        ("GapExamples", "label-studio", "labels", 2, 1),
        ("GapExamples", "mturk", "labels", 2, 2),
        ("GapExamples", "html", "labels", 2, 2),
        ("c.jsonl", "label-studio", "labels", 2, 1),
        ("c.jsonl", "html", "labels", 2, 2),
        ("rows.tsv", "label-studio", "labels", 2, 1),
        ("rows.tsv", "mturk", "labels", 2, 2),
        ("GapExamples/part-00001.parquet", "html", "labels", 1, 1),
        # The four of a quadruple are never in one batch.
        ("four.parquet", "label-studio", "highlight", 4, 4),
        ("four.parquet", "mturk", "highlight", 4, 4),
        ("four.jsonl", "html", "highlight", 4, 4),
    ],
)
def test_export_in_every_format(place, source, format, mode, known, batches):
    count = 5 if "part" in source else 12
    assert put(source, format=format) == {
        "questions": count,
        "known": known,
        "batches": batches,
        "annotators": 3,
        "mode": mode,
        "format": format,
        "output": "out",
    }
    numbered = {"label-studio": "tasks-{:05}.json", "mturk": "", "html": "batch-{:05}.html"}[format]
    files = [numbered.format(n) for n in range(batches)] if numbered else []
    assert names_in("out") == sorted(FILES[format] + files)
    asked = read_asked(Path("out"))
    instances = {"four": QUADRUPLES, "c.js": CANDIDATES, "rows": CANDIDATES, "GapE": CANDIDATES}[source[:4]]
    assert asked[:count] == [question_of(it) for it in instances[-count:]]
    assert {it.instance_id for it in asked[count:]} <= {it.instance_id for it in read_known(KNOWN)}
    assert [it.answer == "" for it in asked] == [True] * count + [False] * known
    if format == "label-studio":
        shown = [task["data"]["instance_id"] for tasks in tasks_of("out") for task in tasks]
    elif format == "mturk":
        shown = [it["instance_id"] for row in cells_of("out") for it in json.loads(html.unescape(row["questions"]))]
    else:
        pages = "".join(Path(f"out/{name}").read_text("utf-8") for name in files)
        shown = re.findall(r"instance_id&quot;:&quot;([^&]*)&quot;", pages)
    assert sorted(shown) == sorted(it.instance_id for it in asked)


def test_the_label_of_a_row_is_not_given_away(place):
    put("rows.tsv", known=None)
    assert [it.answer for it in read_asked(Path("out"))] == [""] * 12


def test_the_words_of_a_label_studio_project(place):
    put("four.parquet", title="Whom?", annotators=5)
    project = json.loads(Path("out/project.json").read_text("utf-8"))
    assert (project["title"], project["maximum_annotations"]) == ("Whom?", 5)
    assert project["label_config"] == Path("out/config.xml").read_text("utf-8")
    page = Path("out/instructions.html").read_text("utf-8")
    assert f"<main>{project['expert_instruction']}</main>" in page
    assert "Every text is judged by 5 people." in page


def test_batches_of_mechanical_turk(place):
    put("c.jsonl", format="mturk", batch_size=5, known="known.tsv")
    rows = cells_of("out")
    assert [(row["batch"], row["mode"]) for row in rows] == [(f"batch-{n:05}", "labels") for n in range(3)]
    assert [len(json.loads(html.unescape(row["questions"]))) for row in rows] == [6, 6, 3]
    assert rows[0]["questions"] in Path("out/preview.html").read_text("utf-8")


@pytest.mark.parametrize("format", FORMATS)
def test_the_seed_decides_the_order_and_nothing_else(place, format):
    for output, seed in (("one", 0), ("again", 0), ("other", 1)):
        put("c.jsonl", output, format=format, seed=seed, batch_size=12, known="known.tsv")
    contents = {name: {it.name: it.read_bytes() for it in Path(name).iterdir()} for name in ("one", "again", "other")}
    assert contents["one"] == contents["again"]
    varied = [name for name, content in contents["one"].items() if contents["other"][name] != content]
    assert (
        sorted(varied)
        == {
            "label-studio": ["tasks-00000.json"],
            "mturk": ["batches.csv", "preview.html"],
            "html": ["batch-00000.html"],
        }[format]
    )


@pytest.mark.parametrize("mode", ["labels", "highlight"])
@pytest.mark.parametrize(("annotators", "words"), [(1, "1 person."), (3, "3 people.")])
def test_instructions_are_rendered(place, mode, annotators, words):
    put("c.jsonl", mode=mode, annotators=annotators)
    page = Path("out/instructions.html").read_text("utf-8")
    assert [mark for mark in ("{{", "}}", "{%", "%}", "{#", "#}", "Undefined") if mark in page] == []
    assert f"Every text is judged by {words}" in page
    assert ("Choose one of the five labels" in page, "press <b>Highlight</b>" in page) == (
        mode == "labels",
        mode == "highlight",
    )


def shown_in(folder, known):
    """What annotators get, with a # for every hash of a known answer."""
    files = {path.name: path.read_text("utf-8") for path in Path(folder).iterdir() if path.name != "questions.jsonl"}
    hashes = [hashlib.sha256(f"{id}:{answer}".encode()).hexdigest() for id, answer in known.items()]
    pattern = "|".join(hashes) or "no hash"
    return {name: re.sub(pattern, "#", content) for name, content in files.items()}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("mode", ["labels", "highlight"])
def test_nothing_that_annotators_get_depends_on_a_known_answer(place, format, mode):
    write_known(place / "other.tsv", k7f3a91="neither", kb04c5d="A")
    for name in ("known", "other"):
        put("c.jsonl", name, known=f"{name}.tsv", format=format, mode=mode)
    answers = [{it.instance_id: it.answer for it in read_known(Path(f"{name}.tsv"))} for name in ("known", "other")]
    assert answers == [{"7f3a91": "B", "b04c5d": "neither"}, {"7f3a91": "neither", "b04c5d": "A"}]
    assert shown_in("known", answers[0]) == shown_in("other", answers[1])
    hashed = sum(it.count("#") for it in shown_in("known", answers[0]).values())
    plain = sum(it.count("#") for it in shown_in("known", {}).values())
    # A batch of ten and one of two have one each; the preview shows the first once more.
    assert hashed - plain == {"label-studio": 0, "mturk": 3, "html": 2}[format]


def test_a_task_does_not_tell_that_its_answer_is_known(place):
    put("c.jsonl", known="known.tsv")
    ((*tasks,),) = tasks_of("out")
    assert {tuple(task) for task in tasks} == {("data",)}
    keys = ("html", "text", "instance_id", "content_hash", "display_hash", "batch")
    assert {tuple(task["data"]) for task in tasks} == {keys}
    known = [task["data"] for task in tasks if task["data"]["instance_id"] in KNOWN_TEXTS]
    assert sorted(task["text"] for task in known) == sorted(text for text, _ in KNOWN_TEXTS.values())
    assert [word for word in ("known", "answer", "gold", "neither", "test") if word in json.dumps(known)] == []


def test_a_page_tells_known_answers_as_hashes_alone(place):
    put("c.jsonl", format="mturk", known="known.tsv")
    shown = [it for row in cells_of("out") for it in json.loads(html.unescape(row["questions"]))]
    assert {it["instance_id"]: it["known"] for it in shown if it["known"]} == {
        id: hashlib.sha256(f"{id}:{answer}".encode()).hexdigest() for id, (_, answer) in KNOWN_TEXTS.items()
    }
    keys = ("instance_id", "content_hash", "text", "pronoun", "name_a", "name_b", "people", "known")
    assert {tuple(it) for it in shown} == {keys}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"format": "labelstudio"}, "unknown format 'labelstudio'; did you mean 'label-studio'?"),
        ({"format": "xml"}, "unknown format 'xml'; choose from label-studio, mturk, html"),
        ({"mode": "highlights"}, "unknown mode 'highlights'; did you mean 'highlight'?"),
        ({"mode": "x"}, "unknown mode 'x'; choose from auto, labels, highlight"),
        ({"annotators": 2}, "annotators must be odd, so that most of them can agree, found 2"),
        ({"annotators": -1}, "annotators must be odd, so that most of them can agree, found -1"),
        ({"title": "x"}, "the project title 'x' has 1 characters; Label Studio takes 3 to 50"),
        (
            {"output": "GapExamples"},
            "GapExamples: is there already; annotators may be at work with it: name another folder",
        ),
        ({"output": "c.jsonl"}, "c.jsonl: is there already; annotators may be at work with it: name another folder"),
        ({"output": "no/where"}, "no/where: its folder does not exist; make it first"),
        (
            {"source": "known.tsv", "known": "known.tsv"},
            "known.tsv: '7f3a91' is also to be judged; rename the question",
        ),
        ({"source": "page.html"}, "page.html: unknown kind of candidates '.html'; choose from .parquet, .jsonl, .tsv"),
    ],
)
def test_settings_that_cannot_be_used(place, settings, message):
    (place / "page.html").write_text("")
    before = names_in(".")
    with pytest.raises(ConfigError) as caught:
        put(**{"source": "c.jsonl"} | settings)
    assert str(caught.value) == message
    assert [name for name in names_in(".") if not name.startswith(".")] == before


LONG = "{}: line 1: not a candidate; wanted what `gapforge extract` writes"
WRITES = "wanted what `gapforge extract` or a stage writes"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.parquet", None, "{}: holds nothing to be judged"),
        ("rejects.parquet", None, "{}: no column 'corpus'; " + WRITES),
        ("nix.parquet", None, "{}: no such file or folder; fix the path"),
        ("nix", None, "{}: no such file or folder; fix the path"),
        ("empty.jsonl", "", "{}: holds nothing to be judged"),
        ("f.jsonl", "{", LONG),
        ("f.jsonl", "[]\n", LONG),
        ("f.jsonl", "\n", LONG),
        ("f.jsonl", '{"id": "x"}\n', "{}: line 1: no column 'corpus'; " + WRITES),
        ("f.jsonl", json_line(CANDIDATES[0]).replace('"end": 3', '"ende": 3') + "\n", LONG),
        (
            "f.jsonl",
            (json_line(CANDIDATES[0]) + "\n") * 2,
            "{}: two questions with the id 'tales-0'; remove one of them",
        ),
        (
            "f.jsonl",
            json_line(dataclasses.replace(CANDIDATES[0], name_b=Span(80, 83))),
            "{}: tales-0: Span(start=80, end=83) is not in its text of 33",
        ),
        (
            "f.tsv",
            "ID\tText\n",
            "{}: line 1: no column 'Pronoun'; wanted ID, Text, Pronoun, Pronoun-offset, A, A-offset, A-coref, "
            "B, B-offset, B-coref and Book or URL",
        ),
        ("f.tsv", "\t".join(COLUMNS) + "\n", "{}: holds nothing to be judged"),
    ],
)
def test_sources_that_cannot_be_asked(place, name, content, message):
    if content is not None:
        (place / name).write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        put(name)
    assert str(caught.value) == message.format(name)
    assert not Path("out").exists()


def test_a_folder_without_parts(place):
    (place / "stage").mkdir()
    with pytest.raises(InputError) as caught:
        put("stage")
    assert str(caught.value) == "stage: no part-*.parquet; name the folder of a stage, such as GapExamples"


def test_candidates_that_are_not_utf_8(place):
    (place / "f.jsonl").write_bytes(json_line(CANDIDATES[0]).encode() + b"\n\xff\n")
    with pytest.raises(InputError, match=r"^f\.jsonl: .*not UTF-8; save it as UTF-8$"):
        put("f.jsonl")


@pytest.mark.parametrize("values", [{"pronoun": None}, {"text": 5}, {"name_a": {"start": "0", "end": "3"}}])
def test_candidates_of_other_types(place, values):
    (place / "f.jsonl").write_text(json.dumps(json.loads(json_line(CANDIDATES[0])) | values))
    with pytest.raises(InputError) as caught:
        put("f.jsonl")
    assert str(caught.value) == LONG.format("f.jsonl")


def test_labelled_examples_are_asked_again(place):
    labelled = [
        LabelledExample(**fields_of(it), label="A", agreement=1.0, standard="gold", split="test") for it in CANDIDATES
    ]
    write_records(place / "labelled.parquet", labelled, LabelledExample)
    assert put("labelled.parquet", known=None)["questions"] == 12
    assert read_asked(Path("out")) == [question_of(it) for it in CANDIDATES]


def test_rows_whose_offsets_lead_elsewhere(place):
    row = row_of("r-1", CANDIDATES[0].text, "She", ("", ""))
    row[COLUMNS.index("A-offset")] = "1"
    write_rows(place / "f.tsv", [row])
    with pytest.raises(InputError, match=r"^f\.tsv: r-1: '\w+' is not at 1, but '.*'; fix the offset$"):
        put("f.tsv")


def test_what_a_crashed_export_left_is_swept(place):
    (place / ".out.working").mkdir()
    (place / ".out.working" / "tasks-00009.json").write_text("half")
    (place / ".out.working" / ".config.xml.1.tmp").write_text("half")
    put("c.jsonl")
    assert names_in("out") == sorted([*FILES["label-studio"], "tasks-00000.json"])
    assert not (place / ".out.working").exists()


def test_export_by_the_command_line(gapforge, gapforge_process, place):
    result = gapforge_process(
        "annotate", "export", "GapExamples", "-o", "out", "--format", "html", "--known", "known.tsv"
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (
        "12 questions and 2 of known answer in 2 batches: out\n"
        "keep out/questions.jsonl: the import needs it, and annotators must not see it\n"
    )
    options = ("--no-known", "--batch-size", "12", "--mode", "highlight", "--annotators", "1", "--json")
    result = gapforge("annotate", "export", "three.jsonl", "-o", "more", *options)
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {
        "questions": 3,
        "known": 0,
        "batches": 1,
        "annotators": 1,
        "mode": "highlight",
        "format": "label-studio",
        "output": "more",
    }


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["c.jsonl", "-o", "GapExamples"],
            2,
            "GapExamples: is there already; annotators may be at work with it: name another folder",
        ),
        (["c.jsonl", "-o", "out", "--format", "htm"], 2, "unknown format 'htm'; did you mean 'html'?"),
        (["c.jsonl", "-o", "out", "--mode", "label"], 2, "unknown mode 'label'; did you mean 'labels'?"),
        (
            ["c.jsonl", "-o", "out", "--known", "known.tsv", "--no-known"],
            2,
            "--known and --no-known contradict each other; choose one",
        ),
        (["none.parquet", "-o", "out"], 1, "none.parquet: holds nothing to be judged"),
        (["nix.jsonl", "-o", "out"], 1, "nix.jsonl: no such file or folder; fix the path"),
        (["c.jsonl", "-o", "out", "--known", "nix.tsv"], 1, "nix.tsv: no such file; fix the path"),
    ],
)
def test_exports_that_are_refused(gapforge, place, arguments, code, message):
    result = gapforge("annotate", "export", *arguments)
    assert (result.returncode, result.stdout, result.stderr) == (code, "", f"gapforge: {message}\n")
    assert not Path("out").exists()


# ---- import


@pytest.fixture
def asked(place):
    """An export of three questions and one of known answer, and what came back."""
    put("three.jsonl", "asked", known="known.tsv")
    questions = {it.instance_id: it for it in read_asked(Path("asked"))}
    assert list(questions) == ["tales-0", "tales-1", "tales-2", "7f3a91"]
    labels = {"anna": ["A", "B", "neither", "B"], "bert": ["A", "A", "not sure", "B"], "carl": ["B", "B", "B", "A"]}
    lines = [
        {
            "instance_id": id,
            "content_hash": it.content_hash,
            "annotator": name,
            "label": given[n],
            "submitted_at": f"2026-01-0{n + 2}T00:00:00Z",
        }
        for name, given in labels.items()
        for n, (id, it) in enumerate(questions.items())
    ]
    lines[0]["contradiction"] = "  Ida is a\nfather "
    lines.append(lines[0] | {"label": "B", "submitted_at": "2026-01-01T00:00:00Z"})
    lines.append(lines[0] | {"label": "C", "annotator": "dora"})
    (place / "back.jsonl").write_text("".join(json.dumps(it) + "\n" for it in lines), "utf-8")
    return place


def pseudonyms(*files):
    """As they follow from the files: two imports must not share people."""
    sums = " ".join(hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files)
    return [f"annotator-{hashlib.sha256(sums.encode()).hexdigest()[:6]}-{n:03}" for n in (1, 2, 3)]


def read_lines(path):
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


OUTPUTS = ("-o", "out.jsonl", "--rejects", "left.jsonl", "--consensus", "said.jsonl")


def test_import_by_the_command_line(gapforge, asked):
    result = gapforge("annotate", "import", "back.jsonl", "--questions", "asked", *OUTPUTS, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    first, second, third = pseudonyms("back.jsonl")
    summary = json.loads(result.stdout)
    agreement = summary.pop("agreement")
    assert summary == {
        "answers": 14,
        "judgements": 8,
        "rejects": {"duplicate vote": 1, "known-answer failure": 4, "unknown label": 1},
        "annotators": [
            {"pseudonym": first, "judgements": 4, "asked": 1, "right": 1, "removed": False},
            {"pseudonym": second, "judgements": 4, "asked": 1, "right": 1, "removed": False},
            {"pseudonym": third, "judgements": 4, "asked": 1, "right": 0, "removed": True},
        ],
        "consensus": {"A": 1, "too few judgements": 2},
        "contradictions": 1,
        "standard": "gold",
        "output": "out.jsonl",
    }
    # Six votes, three of them A: two items disagree by 2 each, and chance would give 24 / 5; 1 - 4 / 4.8.
    assert agreement == {
        "items": 3,
        "judgements": 6,
        "percent": pytest.approx(2 / 3),
        "full": 1,
        "most": 0,
        "none": 2,
        "kappa": None,
        "kappa_items": 0,
        "alpha": pytest.approx(1 / 6),
    }
    written = read_lines("out.jsonl")
    assert [(it["instance_id"], it["annotator"], it["label"], it["known"]) for it in written] == [
        ("tales-0", first, "A", False),
        ("tales-1", first, "B", False),
        ("tales-2", first, "neither", False),
        ("7f3a91", first, "B", True),
        ("tales-0", second, "A", False),
        ("tales-1", second, "A", False),
        ("tales-2", second, "not sure", False),
        ("7f3a91", second, "B", True),
    ]
    assert written[0] == {
        "instance_id": "tales-0",
        "content_hash": question_of(CANDIDATES[0]).content_hash,
        "annotator": first,
        "label": "A",
        "highlights": [],
        "contradiction": "Ida is a father",
        "standard": "gold",
        "known": False,
    }
    failed = f"{third}: 0 of 1 known answers right"
    assert read_lines("left.jsonl") == [
        {"id": "tales-0", "reason": "known-answer failure", "detail": f"file 1: line 9: {failed}"},
        {"id": "tales-1", "reason": "known-answer failure", "detail": f"file 1: line 10: {failed}"},
        {"id": "tales-2", "reason": "known-answer failure", "detail": f"file 1: line 11: {failed}"},
        {"id": "7f3a91", "reason": "known-answer failure", "detail": f"file 1: line 12: {failed}"},
        {"id": "tales-0", "reason": "duplicate vote", "detail": f"file 1: line 13: {first} gave a later answer"},
        {
            "id": "tales-0",
            "reason": "unknown label",
            "detail": "file 1: line 14: 'C', wanted one of A, B, neither, both, not sure",
        },
    ]
    assert read_lines("said.jsonl") == [
        {
            "instance_id": "tales-0",
            "label": "A",
            "reason": "",
            "agreement": 1.0,
            "votes": ["A: 2"],
            "contradictions": ["Ida is a father"],
            "standard": "gold",
        },
        {
            "instance_id": "tales-1",
            "label": None,
            "reason": "too few judgements",
            "agreement": 0.5,
            "votes": ["A: 1", "B: 1"],
            "contradictions": [],
            "standard": "gold",
        },
        {
            "instance_id": "tales-2",
            "label": None,
            "reason": "too few judgements",
            "agreement": 0.5,
            "votes": ["neither: 1", "not sure: 1"],
            "contradictions": [],
            "standard": "gold",
        },
    ]
    everything = "".join(Path(name).read_text("utf-8") for name in ("out.jsonl", "left.jsonl", "said.jsonl"))
    assert [name for name in ("anna", "bert", "carl", "dora") if name in everything + result.stdout] == []


def test_import_for_people(gapforge_process, asked):
    options = ("--questions", "asked/questions.jsonl", "-o", "out.parquet", "--rejects", "left.parquet")
    result = gapforge_process("annotate", "import", "back.jsonl", *options, "--known-right", "0")
    first, second, third = pseudonyms("back.jsonl")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (
        "12 judgements in out.parquet; refused: 1 duplicate vote, 1 unknown label\n"
        f"{first}: 4 judgements, 1 of 1 known answers right\n"
        f"{second}: 4 judgements, 1 of 1 known answers right\n"
        f"{third}: 4 judgements, 0 of 1 known answers right\n"
        "9 judgements on 3 items; of 3 with two or more all agree on 0, most on 2, and 1 have no majority\n"
        "agreement 0.556, Fleiss' kappa -0.167 (on 3 items), Krippendorff's alpha -0.037\n"
        "consensus: 1 A, 1 B, 1 no consensus\n"
    )
    made = list(read_records(asked / "out.parquet", Judgement))
    assert [(it.annotator, it.label) for it in made[-4:]] == [(third, "B"), (third, "B"), (third, "B"), (third, "A")]
    assert [it.reason for it in read_records(asked / "left.parquet", Reject)] == ["duplicate vote", "unknown label"]


def test_what_nobody_judged_is_told(gapforge, asked):
    Path("one.jsonl").write_text(Path("back.jsonl").read_text("utf-8").splitlines()[1])
    result = gapforge("annotate", "import", "one.jsonl", "--questions", "asked", *OUTPUTS)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (
        "1 judgement in out.jsonl; refused: none\n"
        f"{pseudonyms('one.jsonl')[0]}: 1 judgement, 0 of 0 known answers right\n"
        "1 judgements, no two of them on one item: agreement undefined\n"
        "consensus: 2 no judgement, 1 too few judgements\n"
    )
    assert [(it["instance_id"], it["label"], it["reason"], it["votes"]) for it in read_lines("said.jsonl")] == [
        ("tales-0", None, "no judgement", []),
        ("tales-1", None, "too few judgements", ["B: 1"]),
        ("tales-2", None, "no judgement", []),
    ]
    assert Path("left.jsonl").read_bytes() == b""


def test_several_files_are_read_in_order(asked):
    lines = Path("back.jsonl").read_text("utf-8").splitlines(keepends=True)
    Path("one.jsonl").write_text(lines[0].replace('"submitted_at": "2026-01-02T00:00:00Z"', '"submitted_at": ""'))
    Path("two.jsonl").write_text(
        lines[0].replace('"label": "A", "submitted_at": "2026-01-02T00:00:00Z"', '"label": "B"')
    )
    for files, label in ((["one", "two"], "B"), (["two", "one"], "A")):
        paths = [Path(f"{name}.jsonl") for name in files]
        import_answers(paths, Path("asked"), Path("out.jsonl"), Path("left.jsonl"), None, 3, 0.8)
        assert [(it["label"], it["annotator"]) for it in read_lines("out.jsonl")] == [(label, pseudonyms(*paths)[0])]
        assert [it["detail"] for it in read_lines("left.jsonl")] == [
            f"file 1: line 1: {pseudonyms(*paths)[0]} gave a later answer"
        ]


BACK = ["back.jsonl", "--questions", "asked", "-o", "out.jsonl"]
OTHERS = "{} answers to 4 questions, and none that counts{}; are they another project's?"
ASKED = "asked/questions.jsonl"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nix.jsonl", *BACK], 1, "nix.jsonl: no such file; fix the path"),
        (["asked", *BACK], 1, "asked: is a folder; name a file"),
        (["back.jsonl", "--questions", "nix", "-o", "out.jsonl"], 1, "nix: no such file; fix the path"),
        (
            ["back.jsonl", "--questions", "GapExamples", "-o", "out.jsonl"],
            1,
            "GapExamples/questions.jsonl: no such file; fix the path",
        ),
        (
            ["back.jsonl", "--questions", "c.jsonl", "-o", "out.jsonl"],
            1,
            "c.jsonl: line 1: not a question; take the export's own file",
        ),
        (["other.jsonl", "--questions", "asked", "-o", "out.jsonl"], 1, OTHERS.format(1, " (1 unknown instance)")),
        (["empty.jsonl", "--questions", "asked", "-o", "out.jsonl"], 1, OTHERS.format(0, "")),
        (
            ["cut.jsonl", "--questions", "asked", "-o", "out.jsonl"],
            1,
            "cut.jsonl: line 2: not JSON (Expecting property name enclosed in double quotes: line 1 column 2 "
            "(char 1)); is the file cut off?",
        ),
        (
            ["known.tsv", "--questions", "asked", "-o", "out.jsonl"],
            1,
            "known.tsv: line 1: no column 'instance_id'; wanted instance_id, content_hash, annotator and label",
        ),
        (
            ["four.parquet", "--questions", "asked", "-o", "out.jsonl"],
            2,
            "four.parquet: unknown kind of answers '.parquet'; choose from .json, .jsonl, .csv, .tsv",
        ),
        (
            ["back.jsonl", "--questions", "asked", "-o", "back.jsonl"],
            2,
            "back.jsonl: is both input and output; write to another file",
        ),
        (
            ["back.jsonl", "--questions", ASKED, "-o", ASKED],
            2,
            "asked/questions.jsonl: is both input and output; write to another file",
        ),
        (
            [*BACK, "--rejects", "../{folder}/back.jsonl"],
            2,
            "back.jsonl: is both input and output; write to another file",
        ),
        ([*BACK, "--consensus", "back.jsonl"], 2, "back.jsonl: is both input and output; write to another file"),
        ([*BACK, "--rejects", "out.jsonl"], 2, "out.jsonl: is named for two outputs; write them to different files"),
        ([*BACK, "--annotators", "2"], 2, "annotators must be odd, so that most of them can agree, found 2"),
        ([*BACK, "--known-right", "80"], 2, "known-right must be between 0 and 1, found 80.0"),
        (
            ["back.jsonl", "--questions", "asked", "-o", "out.csv"],
            2,
            "out.csv: unknown kind of output '.csv'; choose from .jsonl, .parquet",
        ),
        (
            ["back.jsonl", "--questions", "asked", "-o", "no/out.jsonl"],
            2,
            "no/out.jsonl: its folder does not exist; make it first",
        ),
    ],
)
def test_imports_that_are_refused(gapforge, asked, arguments, code, message):
    answer = json.loads(Path("back.jsonl").read_text("utf-8").splitlines()[0])
    Path("other.jsonl").write_text(json.dumps(answer | {"instance_id": "z-1"}))
    Path("empty.jsonl").write_text("\n")
    Path("cut.jsonl").write_text(json.dumps(answer) + "\n{")
    before = {path.name: path.read_bytes() for path in [*Path().iterdir(), *Path("asked").iterdir()] if path.is_file()}
    result = gapforge("annotate", "import", *(it.format(folder=asked.name) for it in arguments))
    assert (result.returncode, result.stdout, result.stderr) == (code, "", f"gapforge: {message}\n")
    after = {path.name: path.read_bytes() for path in [*Path().iterdir(), *Path("asked").iterdir()] if path.is_file()}
    assert after == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Ann met Ida", "Ann saw Ida", "tales-0: was changed after the export; take the export's own file"),
        (
            '"name_a": {"start": 0, "end": 3}',
            '"name_a": {"start": 0, "end": 2}',
            "tales-0: was changed after the export; take the export's own file",
        ),
        (
            '"name_a": {"start": 0, "end": 3}',
            '"name_a": {"start": 0, "end": 99}',
            "tales-0: Span(start=0, end=99) is not in its text of 33",
        ),
        ('"tales-1", "content', '"tales-0", "content', "two questions with the id 'tales-0'; remove one of them"),
        ('"group": "tales-1", ', "", "line 2: not a question; take the export's own file"),
        (
            '"group": "tales-1", ',
            '"group": "tales-1", "x": 1, ',
            "line 2: not a question; take the export's own file",
        ),
        ('"answer": ""}', '"answer": ""', "line 1: not a question; take the export's own file"),
    ],
)
def test_questions_that_were_edited(asked, old, new, message):
    text = Path(ASKED).read_text("utf-8")
    assert old in text
    Path(ASKED).write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(InputError) as caught:
        read_asked(Path("asked"))
    assert str(caught.value) == f"{ASKED}: {message}"


@pytest.mark.parametrize("values", [{"pronoun": None}, {"text": 5}, {"people": None}])
def test_questions_of_other_types(asked, values):
    lines = read_lines(ASKED)
    Path(ASKED).write_text("".join(json.dumps(it | values) + "\n" for it in lines))
    with pytest.raises(InputError) as caught:
        read_asked(Path("asked"))
    assert str(caught.value) == f"{ASKED}: tales-0: not a text with spans; build it again"


def test_the_questions_of_a_folder_are_no_output(asked):
    before = Path(ASKED).read_bytes()
    with pytest.raises(ConfigError) as caught:
        import_answers([Path("back.jsonl")], Path("asked"), Path(ASKED), None, None, 3, 0.8)
    assert str(caught.value) == "asked/questions.jsonl: is both input and output; write to another file"
    assert Path(ASKED).read_bytes() == before


def test_consensus_as_a_table(asked):
    import_answers([Path("back.jsonl")], Path("asked"), Path("out.jsonl"), None, Path("said.parquet"), 3, 0.8)
    assert [(it.instance_id, it.label) for it in read_records(asked / "said.parquet", Consensus)] == [
        ("tales-0", "A"),
        ("tales-1", None),
        ("tales-2", None),
    ]


@pytest.mark.parametrize("target", ["said.txt", "no/said.jsonl"])
def test_a_consensus_that_cannot_be_written_stops_the_import(asked, target):
    with pytest.raises(ConfigError):
        import_answers([Path("back.jsonl")], Path("asked"), Path("out.jsonl"), None, Path(target), 3, 0.8)
    assert not Path("out.jsonl").exists()


def test_the_name_of_a_file_tells_nobody(asked):
    """It may be that of an annotator."""
    Path("Anna-Bell.jsonl").write_text(Path("back.jsonl").read_text("utf-8"), "utf-8")
    import_answers([Path("Anna-Bell.jsonl")], Path("asked"), Path("out.jsonl"), Path("left.jsonl"), None, 3, 0.8)
    assert read_lines("left.jsonl")
    assert "Anna-Bell" not in Path("out.jsonl").read_text("utf-8") + Path("left.jsonl").read_text("utf-8")


def test_the_four_rows_of_a_published_quadruple_are_apart(place):
    rows = [row_of(f"1{end}", CANDIDATES[0].text, "She", ("", "")) for end in ("", "-control", "-swap-1", "-swap-2")]
    write_rows(place / "f.tsv", rows)
    summary = put("f.tsv", known=None)
    assert (summary["mode"], summary["batches"]) == ("highlight", 4)
    assert {it.group for it in read_asked(Path("out"))} == {"1"}


def test_a_known_answer_that_nobody_can_give(place):
    write_rows(place / "known.tsv", [row_of("k-9", CANDIDATES[0].text, "She", ("TRUE", "TRUE"))])
    with pytest.raises(ConfigError) as caught:
        export(place / "GapExamples", Path("out"), Path("known.tsv"), ExportSettings(mode="highlight"))
    assert str(caught.value) == "known.tsv: k-9: nobody can answer 'both' by highlighting a name"
    assert not Path("out").exists()
