"""Judgements and labelled sets as stages: the sample by its author, by files of answers, by a panel, by nobody."""

import csv
import hashlib
import importlib
import json
import shutil
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from gapforge.annotation.questions import KNOWN, question_of, read_known
from gapforge.engine.parts import read_manifest, read_notes, read_parts
from gapforge.errors import ConfigError, StageError
from gapforge.records import Candidate, Judgement, LabelledExample, LabelledInstance, QuadrupleInstance, Reject
from gapforge.storage.files import json_line
from gapforge.storage.tables import read_records
from gapforge_tasks.runs import build, plan

ROOT = Path(__file__).parents[1]
CONFIG = Path("config/sample.toml")
OUTPUT = Path("output/sample")
UPSTREAM = [
    "Documents-encyclopedia",
    "Documents-fiction",
    "Candidates-encyclopedia-gap",
    "GapExamples",
    "Candidates-fiction-counter-gap",
    "Biographies-encyclopedia",
    "Biographies-fiction",
    "Quadruples-fiction",
]
RECORDS = {
    "Judgements-gap": Judgement,
    "GapLabelled": LabelledExample,
    "Judgements-counter-gap": Judgement,
    "QuadruplesLabelled": LabelledInstance,
}
# What the embedded sample gives: the number of records, and the first digits of their sha256.
GOLDEN = {
    "Judgements-gap": (88, "6672ac09fa934327"),
    "GapLabelled": (68, "263ad071ed9dabe5"),
    "Judgements-counter-gap": (1484, "425bba0951fe651c"),
    "QuadruplesLabelled": (1456, "bc055914164c1168"),
}
KINDS = ("Documents", "Candidates", "GapExamples", "Biographies", "Quadruples", "Judgements", "GapLabelled")
VARIANTS = ["original", "control", "swap-1", "swap-2"]


@pytest.fixture
def here(sample_copy):
    """The embedded sample, built as far as its labels."""
    for folder in OUTPUT.glob("[!.]*/"):
        if folder.name not in [*UPSTREAM, *RECORDS]:
            shutil.rmtree(folder)
    return sample_copy


@pytest.fixture
def configure(here, next_run):
    """Put other sections in the place of [judgements] and [consensus], and go on as the next run."""
    kept, found, _ = CONFIG.read_text("utf-8").partition("[judgements]")
    assert found

    def write(text):
        CONFIG.write_text(kept + text, "utf-8")
        next_run()

    return write


def stages_of():
    """The stages as far as labels; the release and its evaluation have tests of their own."""
    return {stage.name: stage for stage in plan(CONFIG) if stage.name.startswith(KINDS)}


def reasons():
    return {name: why for name, stage in stages_of().items() if (why := stage.why_stale())}


def build_times():
    return {path.parent.name: path.stat().st_mtime_ns for path in OUTPUT.glob("*/_manifest.json")}


def rebuilt():
    """Run, and say which stages were built anew."""
    before = build_times()
    build(list(stages_of().values()))
    return sorted(name for name, when in build_times().items() if before.get(name) != when)


def records(name):
    return list(read_parts(OUTPUT / name, RECORDS[name]))


def left_out(name):
    return list(read_records(OUTPUT / name / "_rejects" / "part-00000.parquet", Reject))


def figures(name):
    manifest = read_manifest(OUTPUT / name)
    return manifest.rows_in, manifest.rows, manifest.rejects


def examples():
    return list(read_parts(OUTPUT / "GapExamples", Candidate))


def quadruples():
    return list(read_parts(OUTPUT / "Quadruples-fiction", QuadrupleInstance))


def referents():
    """What the sample's author calls whom a pronoun refers to, by document and place."""
    lines = (ROOT / "resources/samples/referents.tsv").read_text("utf-8").splitlines()
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    return {(row["document_id"], int(row["start"])): (row["pronoun"], row["forms"].split("|")) for row in rows}


def looked_up(instance, table):
    """The label of an original text, from the two names and the table alone."""
    pronoun, forms = table[instance.document_id, instance.start + instance.pronoun.start]
    spans = (instance.pronoun, instance.name_a, instance.name_b)
    shown, name_a, name_b = (" ".join(instance.text[span.start : span.end].split()) for span in spans)
    assert shown == pronoun
    assert not (name_a in forms and name_b in forms)
    return "A" if name_a in forms else "B" if name_b in forms else "neither"


def test_the_sample_is_labelled_by_its_author(here):
    assert list(stages_of()) == [*UPSTREAM, *RECORDS]
    assert reasons() == {}
    found = {}
    for name in stages_of():
        if name in RECORDS:
            lines = "".join(json_line(it) + "\n" for it in records(name))
            found[name] = (len(records(name)), hashlib.sha256(lines.encode()).hexdigest()[:16])
    assert found == GOLDEN
    assert {name: figures(name) for name in RECORDS} == {
        "Judgements-gap": (88, 88, {}),
        "GapLabelled": (88, 68, {"gender balance": 7, "label balance": 13}),
        "Judgements-counter-gap": (1484, 1484, {}),
        "QuadruplesLabelled": (1484, 1456, {"gender balance": 28}),
    }
    assert {name: read_notes(OUTPUT / name) for name in RECORDS} == {
        "Judgements-gap": ["annotators: 1; judgements: 88"],
        "GapLabelled": [
            "88 judgements, no two of them on one item: agreement undefined",
            "development: 30 examples; 15 feminine, 15 masculine, 14 A, 14 B, 2 neither",
            "validation: 8 examples; 4 feminine, 4 masculine, 4 A, 4 B, 0 neither",
            "test: 30 examples; 15 feminine, 15 masculine, 14 A, 14 B, 2 neither",
        ],
        "Judgements-counter-gap": ["annotators: 1; judgements: 1,484"],
        "QuadruplesLabelled": [
            "1,484 judgements, no two of them on one item: agreement undefined",
            "364 quadruples; originals: 182 feminine, 182 masculine, 177 A, 163 B, 24 neither",
        ],
    }


def test_every_label_of_the_sample_is_the_authors(here):
    table = referents()
    for name, everything in (("Judgements-gap", examples()), ("Judgements-counter-gap", quadruples())):
        said = {it.instance_id: it for it in records(name)}
        assert list(said) == [it.id for it in everything]
        assert {(it.annotator, it.standard, it.known) for it in said.values()} == {("author", "gold", False)}
    gap = records("GapLabelled")
    assert [(it.id, it.label) for it in gap] == [(it.id, looked_up(it, table)) for it in gap]
    assert {(it.agreement, it.standard) for it in gap} == {(1.0, "gold")}
    instances = records("QuadruplesLabelled")
    assert [it.variant for it in instances] == VARIANTS * 364
    truth = {it.id: looked_up(it, table) for it in instances if it.variant == "original"}
    assert [it.label for it in instances] == [truth[it.quadruple_id] for it in instances]
    assert Counter(it.gender for it in instances if it.variant == "original") == {"feminine": 182, "masculine": 182}


def test_the_final_examples_are_in_balance_and_no_page_is_in_two_splits(here):
    found = records("GapLabelled")
    cells = Counter((it.pattern, it.gender, it.label) for it in found)
    for pattern in {it.pattern for it in found}:
        names = {cells[pattern, gender, label] for gender in ("feminine", "masculine") for label in ("A", "B")}
        assert len(names) == 1
        assert cells[pattern, "feminine", "neither"] == cells[pattern, "masculine", "neither"]
    splits = defaultdict(set)
    for it in found:
        splits[it.corpus, it.document_id].add(it.split)
    assert {len(each) for each in splits.values()} == {1}
    assert max(Counter((it.corpus, it.document_id) for it in found).values()) > 1
    forms = [(it.document_id, it.text[it.pronoun.start : it.pronoun.end].lower()) for it in found]
    assert len(set(forms)) == len(forms)


def test_the_texts_of_a_labelled_set_are_those_that_were_judged(here):
    for name, everything in (("GapLabelled", examples()), ("QuadruplesLabelled", quadruples())):
        before = {it.id: json.loads(json_line(it)) for it in everything}
        for it in records(name):
            assert before[it.id].items() <= json.loads(json_line(it)).items()


def test_a_second_run_does_nothing(here):
    assert rebuilt() == []


FILES = """\
[judgements]
source = "file"
gap = ["answers.jsonl"]
counter_gap = ["quadruples.jsonl"]
"""


def answer(question, annotator, label, **more):
    values = {"instance_id": question.instance_id, "content_hash": question.content_hash, "annotator": annotator}
    return values | {"label": label, "text": question.text} | more


def write_answers(name, answers):
    (CONFIG.parent / name).write_text("".join(json.dumps(it) + "\n" for it in answers), "utf-8")


def answers_on_examples():
    """Ann says what the author says, Ben is not sure of the first three, and Cy always says B.

    All three answer the 24 questions of known answer too, of which Cy has 10 right.
    """
    table = referents()
    for number, example in enumerate(examples()):
        question, label = question_of(example), looked_up(example, table)
        yield answer(question, "ann@example.org", label)
        yield answer(question, "ben@example.org", "Not sure" if number < 3 else label)
        yield answer(question, "cy@example.org", "B")
    for question in read_known(KNOWN):
        yield answer(question, "ann@example.org", question.answer)
        yield answer(question, "ben@example.org", question.answer)
        yield answer(question, "cy@example.org", "B")


def answers_on_quadruples():
    """Two annotators say what the author says; one finds the third text of the first masculine quadruple absurd."""
    table = referents()
    everything = quadruples()
    truth = {it.id: looked_up(it, table) for it in everything if it.variant == "original"}
    absurd = f"{first_masculine(everything)}-swap-1"
    for instance in everything:
        question, label = question_of(instance), truth[instance.quadruple_id]
        remark = {"contradiction": "a bearded\naunt"} if instance.id == absurd else {}
        yield answer(question, "dot", label, **remark)
        yield answer(question, "eli", label)


def first_masculine(instances):
    return next(it.id for it in instances if it.variant == "original" and it.gender == "masculine")


@pytest.fixture
def answered(here, configure):
    """The sample with files of answers in the author's place, not yet run."""
    write_answers("answers.jsonl", answers_on_examples())
    write_answers("quadruples.jsonl", answers_on_quadruples())
    configure(FILES)
    return here


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_files_of_answers(answered):
    assert rebuilt() == sorted(RECORDS)
    assert rebuilt() == []
    check_answers_on_examples()
    check_answers_on_quadruples()


def check_answers_on_examples():
    digests = f"{checksum(CONFIG.parent / 'answers.jsonl')} {checksum(KNOWN)}"
    prefix = f"annotator-{hashlib.sha256(digests.encode()).hexdigest()[:6]}"
    ann, ben, cy = (f"{prefix}-00{n}" for n in (1, 2, 3))
    said = records("Judgements-gap")
    assert Counter((it.annotator, it.known) for it in said) == {
        (who, known): n for who in (ann, ben) for known, n in ((False, 88), (True, 24))
    }
    assert {it.standard for it in said} == {"gold"}
    refused = left_out("Judgements-gap")
    assert {it.reason for it in refused} == {"known-answer failure"}
    assert (refused[0].id, refused[0].detail) == (
        examples()[0].id,
        f"file 1: line 3: {cy}: 10 of 24 known answers right",
    )
    assert figures("Judgements-gap") == (336, 224, {"known-answer failure": 112})
    assert read_notes(OUTPUT / "Judgements-gap") == [
        "annotators: 3; judgements: 336",
        "questions of known answer: 58 of 72 right",
        f"{cy} removed: 10 of 24 known answers right, 112 judgements",
    ]
    # Two of three are enough where they agree.
    unsure = [it.id for it in examples()[:3]]
    undecided = [it for it in left_out("GapLabelled") if it.reason == "too few judgements"]
    table = referents()
    truth = {it.id: looked_up(it, table) for it in examples()}
    assert [(it.id, it.detail) for it in undecided] == [(id, f"1 {truth[id]}, 1 not sure") for id in unsure]
    labelled = records("GapLabelled")
    assert [it.label for it in labelled] == [truth[it.id] for it in labelled]
    assert {it.agreement for it in labelled} == {1.0}
    decided = Counter((it.pattern, truth[it.id], it.gender) for it in examples()[3:])
    sizes = Counter((it.pattern, it.label, it.gender) for it in labelled)
    for pattern in ("FINALPRO", "MEDIALPRO", "INITIALPRO"):
        for labels in (("A", "B"), ("neither",)):
            cells = [(pattern, label, gender) for label in labels for gender in ("feminine", "masculine")]
            assert {sizes[cell] for cell in cells} == {min(decided[cell] for cell in cells)}
    assert sizes["FINALPRO", "A", "feminine"] > 10
    # Of 88 items 85 have two votes alike.
    assert read_notes(OUTPUT / "GapLabelled")[0] == (
        "176 judgements on 88 items; of 88 with two or more all agree on 85, most on 0, and 3 have no majority"
    )
    assert read_notes(OUTPUT / "GapLabelled")[1].startswith("agreement 0.983, Fleiss' kappa undefined (on 0 items), ")


def check_answers_on_quadruples():
    absurd = first_masculine(quadruples())
    said = records("Judgements-counter-gap")
    assert [(it.instance_id, it.contradiction) for it in said if it.contradiction] == [
        (f"{absurd}-swap-1", "a bearded aunt")
    ]
    assert not any(it.known for it in said)
    # The sample has 182 feminine and 189 masculine quadruples; one of the latter is gone.
    assert figures("QuadruplesLabelled") == (1484, 1456, {"against common sense": 4, "gender balance": 24})
    assert [it for it in left_out("QuadruplesLabelled") if it.reason == "against common sense"] == [
        Reject(absurd + end, "against common sense", absurd) for end in ("", "-control", "-swap-1", "-swap-2")
    ]
    assert {it.detail for it in left_out("QuadruplesLabelled") if it.reason == "gender balance"} == {
        "only 182 originals are feminine"
    }


def test_changed_answers_build_what_follows_from_them_and_nothing_else(answered, next_run):
    assert rebuilt() == sorted(RECORDS)
    first = examples()[5]
    answers = list(answers_on_examples())
    for it in answers:
        if it["instance_id"] == first.id and it["annotator"].startswith("ann"):
            it["label"] = "both"
    write_answers("answers.jsonl", answers)
    next_run()
    assert reasons() == {
        "Judgements-gap": "input answers.jsonl changed",
        "GapLabelled": "stage Judgements-gap changed",
    }
    assert rebuilt() == ["GapLabelled", "Judgements-gap"]
    (undecided,) = [it for it in left_out("GapLabelled") if it.id == first.id]
    assert (undecided.reason, "1 both" in undecided.detail) == ("too few judgements", True)


@pytest.mark.parametrize(
    ("setting", "stale"),
    [
        ("[consensus]\nseed = 5\n", {"GapLabelled": "seed: 0 -> 5", "QuadruplesLabelled": "seed: 0 -> 5"}),
        ("[consensus]\ncontradictions = 2\n", {"QuadruplesLabelled": "contradictions: 1 -> 2"}),
        (
            "[consensus.splits]\nvalidation = 0\n",
            {
                "GapLabelled": "splits: {'development': 2000, 'validation': 454, 'test': 2000} -> "
                "{'development': 2000, 'validation': 0, 'test': 2000}"
            },
        ),
    ],
)
def test_a_setting_makes_stale_what_it_decides(answered, configure, setting, stale):
    assert rebuilt() == sorted(RECORDS)
    configure(FILES + setting)
    assert reasons() == {name: f"setting {why}" for name, why in stale.items()}
    assert rebuilt() == sorted(stale)
    if "contradictions" in setting:
        assert figures("QuadruplesLabelled") == (1484, 1456, {"gender balance": 28})
    if "splits" in setting:
        assert {it.split for it in records("GapLabelled")} == {"development", "test"}


def test_answers_to_one_kind_label_that_kind_alone(answered, configure):
    configure('[judgements]\nsource = "file"\ngap = ["answers.jsonl"]\n')
    assert list(stages_of()) == [*UPSTREAM, "Judgements-gap", "GapLabelled"]
    assert rebuilt() == ["GapLabelled", "Judgements-gap"]


def test_known_right_is_the_share_that_must_be_right(answered, configure):
    configure(FILES.replace("gap = [", "known_right = 0.4\ngap = [", 1))
    build(list(stages_of().values()))
    # 10 of 24 are more than 40 %: Cy stays, and decides with Ann where Ben is not sure and the answer is B.
    assert figures("Judgements-gap") == (336, 336, {})
    table = referents()
    unsure = {it.id: looked_up(it, table) for it in examples()[:3]}
    undecided = [it.id for it in left_out("GapLabelled") if it.reason == "no consensus"]
    assert undecided == [id for id, label in unsure.items() if label != "B"]


PANEL = """\
[judgements]
source = "panel"
panel = ["voters_of_a_test:first", "voters_of_a_test:second", "voters_of_a_test:third"]
"""
VOTERS = """\
def first(questions):
    return ["A"] * len(questions)


def second(questions):
    return ["B"] * len(questions)


def third(questions):
    return {}
"""
# Alike for the four of a quadruple, whose ids end with -control and the like.
BY_LENGTH = '["A" if len(it.id.split("-c")[0].split("-s")[0]) % 2 else "B" for it in questions]'


@pytest.fixture
def vote(here, monkeypatch, next_run):
    """Write the module of resolvers, whose third one answers by an expression, and go on as the next run."""
    monkeypatch.syspath_prepend(str(here))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(expression):
        Path("voters_of_a_test.py").write_text(VOTERS.format(expression), "utf-8")
        sys.modules.pop("voters_of_a_test", None)
        importlib.invalidate_caches()
        next_run()

    yield write
    sys.modules.pop("voters_of_a_test", None)


SILVER = "labels are silver: resolvers have voted, and no person has judged them"


def test_a_panel_of_resolvers(vote, configure, next_run):
    configure(PANEL)
    vote(BY_LENGTH)
    assert rebuilt() == sorted(RECORDS)
    for name, count in (("Judgements-gap", 88), ("Judgements-counter-gap", 1484)):
        said = records(name)
        assert Counter((it.annotator, it.standard, it.known) for it in said) == {
            (f"voters_of_a_test:{which}", "silver", False): count for which in ("first", "second", "third")
        }
        assert read_notes(OUTPUT / name) == [
            f"annotators: 3; judgements: {3 * count:,}",
            "judgements are silver: resolvers have voted, and no person has judged",
        ]
    gap, four = records("GapLabelled"), records("QuadruplesLabelled")
    assert len(gap) >= 8
    assert len(four) >= 8
    assert {(it.standard, it.agreement) for it in [*gap, *four]} == {("silver", 2 / 3)}
    assert [it.label for it in gap] == ["A" if len(it.id) % 2 else "B" for it in gap]
    assert [it.label for it in four] == ["A" if len(it.quadruple_id) % 2 else "B" for it in four]
    for name, count in (("GapLabelled", 88), ("QuadruplesLabelled", 1484)):
        assert read_notes(OUTPUT / name)[:2] == [
            SILVER,
            f"{3 * count:,} judgements on {count:,} items; of {count:,} with two or more all agree on 0, "
            f"most on {count:,}, and 0 have no majority",
        ]
    next_run()
    assert rebuilt() == []


def test_a_changed_resolver_builds_anew(vote, configure):
    configure(PANEL)
    vote(BY_LENGTH)
    build(list(stages_of().values()))
    vote('["neither"] * len(questions)')
    found = reasons()
    assert sorted(found) == sorted(RECORDS)
    for kind, name in (("gap", "GapLabelled"), ("counter-gap", "QuadruplesLabelled")):
        assert found[f"Judgements-{kind}"].startswith("code changed: voters_of_a_test.py")
        assert found[name] == f"stage Judgements-{kind} changed"
    assert rebuilt() == sorted(RECORDS)
    assert figures("GapLabelled") == (88, 0, {"no consensus": 88})
    assert {it.detail for it in left_out("GapLabelled")} == {"1 A, 1 B, 1 neither"}
    assert figures("QuadruplesLabelled") == (1484, 0, {"no consensus": 1484})


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (
            '["A name"] * len(questions)',
            "voters_of_a_test:third: gives 'A name'; a resolver says A, B, neither, both, not sure",
        ),
        ('["A"] * 5', "voters_of_a_test:third: 5 labels for 88 questions; a resolver gives one for each"),
    ],
)
def test_a_resolver_that_gives_no_label_for_each_question(vote, configure, expression, message):
    configure(PANEL)
    vote(expression)
    with pytest.raises(ConfigError) as error:
        build(list(stages_of().values()))
    assert str(error.value) == message


def test_where_nobody_has_judged_a_run_ends_with_the_examples(here, configure):
    configure("")
    assert list(stages_of()) == UPSTREAM
    assert rebuilt() == []
    configure('[judgements]\nsource = "none"\n')
    assert list(stages_of()) == UPSTREAM


SECTION = "config/sample.toml: [judgements] "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[judgements]\ngap = ["answers.jsonl"]',
            SECTION + 'names \'answers.jsonl\', which source = "none" does not read; choose "file"',
        ),
        (
            PANEL + 'counter_gap = ["q.csv"]',
            SECTION + 'names \'q.csv\', which source = "panel" does not read; choose "file"',
        ),
        (
            '[judgements]\nsource = "file"',
            SECTION + 'source is "file", and neither gap nor counter_gap names a file',
        ),
        (
            '[judgements]\nsource = "author"',
            SECTION + 'source is "author", and neither gap nor counter_gap names a file',
        ),
        (
            '[judgements]\nsource = "panel"\npanel = ["a:b", "a:c"]',
            SECTION + "panel must name three or more different resolvers, found ['a:b', 'a:c']",
        ),
        (
            '[judgements]\nsource = "panel"\npanel = ["a:b", "a:c", "a:b"]',
            SECTION + "panel must name three or more different resolvers, found ['a:b', 'a:c', 'a:b']",
        ),
        (
            '[judgements]\nsource = "file"\ngap = ["a.jsonl"]\npanel = ["a:b", "a:c", "a:d"]',
            SECTION + 'names a panel, and source is "file"; choose "panel"',
        ),
        (
            PANEL + "[consensus]\nannotators = 5",
            SECTION + "panel names 3 resolvers, and [consensus] annotators is 5; make them equal",
        ),
        (
            '[judgements]\nsource = "panel"\npanel = ["nowhere.to_be:a", "nowhere.to_be:b", "nowhere.to_be:c"]',
            "cannot load 'nowhere.to_be:a': no module 'nowhere' is installed, and none is in HERE/config or HERE; "
            "install the package, or put the module into one of these folders",
        ),
        (
            '[judgements]\nsource = "file"\ngap = ["missing.jsonl"]',
            "[judgements] missing.jsonl: no such file; paths begin at the config's own folder",
        ),
        (
            '[judgements]\nsource = "author"\ncounter_gap = ["../samples/missing.tsv"]',
            "[judgements] ../samples/missing.tsv: no such file; paths begin at the config's own folder",
        ),
        (
            '[judgements]\nsource = "file"\nknown = "missing.tsv"\ngap = ["../samples/referents.tsv"]',
            "[judgements] missing.tsv: no such file; paths begin at the config's own folder",
        ),
        (
            '[judgements]\nsource = "file"\ngap = ["sample.toml"]',
            "sample.toml: unknown kind of answers '.toml'; choose from .json, .jsonl, .csv, .tsv",
        ),
        (
            '[judgements]\nsource = "author"\ngap = ["../samples/referents.tsv"]\nknown = "known.tsv"',
            SECTION + 'names known answers, and source is "author"; only "file" asks for them',
        ),
        ('[judgements]\nsource = "fil"', SECTION + "source is 'fil'; did you mean 'file'?"),
        ("[judgements]\nknown_right = 1.5", SECTION + "known_right must be between 0 and 1, found 1.5"),
        ('[judgements]\ncounter-gap = ["a"]', SECTION + "has no setting 'counter-gap'; did you mean 'counter_gap'?"),
        (
            "[judgments]",
            "config/sample.toml: no stage reads [judgments]; did you mean 'judgements'?",
        ),
        (
            "[consensus]\nannotators = 2",
            "config/sample.toml: [consensus] annotators must be odd, so that most of them can agree, found 2",
        ),
    ],
)
def test_a_wrong_config_stops_a_run_before_it_builds(here, configure, text, message):
    configure(text + "\n")
    before = build_times()
    with pytest.raises(ConfigError) as error:
        build(plan(CONFIG))
    assert str(error.value).replace(str(Path.cwd()), "HERE") == message
    assert build_times() == before


def test_answers_of_another_project(here, configure):
    configure('[judgements]\nsource = "file"\ngap = ["answers.jsonl"]\n')
    strangers = [question_of(it) for it in quadruples()[:2]]
    write_answers("answers.jsonl", [answer(it, "ann", "A") for it in strangers])
    before = build_times()
    with pytest.raises(StageError) as error:
        build(list(stages_of().values()))
    assert str(error.value) == (
        "Judgements-gap: 2 answers to 112 questions, and none that counts (2 unknown instance); "
        "are they another project's?"
    )
    assert build_times() == before


def test_a_known_question_is_none_of_those_to_be_judged(answered, configure):
    configure(FILES + 'known = "known.tsv"\n')
    rows = list(csv.reader(KNOWN.read_text("utf-8").splitlines(), delimiter="\t"))
    rows[1][0] = examples()[7].id
    with Path("config/known.tsv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t").writerows(rows)
    with pytest.raises(ConfigError) as error:
        build(list(stages_of().values()))
    assert str(error.value) == (
        f"config/known.tsv: {examples()[7].id!r} is also an instance to be judged; rename the question"
    )


def test_answers_that_nothing_asks_for(here, configure):
    configure('[judgements]\nsource = "author"\ngap = ["../samples/referents.tsv"]\n')
    CONFIG.write_text(CONFIG.read_text("utf-8").replace('gap = ["encyclopedia"]', "gap = []", 1), "utf-8")
    with pytest.raises(ConfigError) as error:
        plan(CONFIG)
    assert (
        str(error.value) == "config/sample.toml: [judgements] gap names answers, and [candidates] gap names no corpus"
    )
