"""`gapforge subjective` as a user calls it: what it writes and says, odd rows, and calls that cannot be."""

import csv
import json
import os
import sys
from itertools import islice

import pytest

from commandline import call_as_process
from gapforge.errors import ConfigError, InputError
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.records import SubjectiveProposal, SubjectiveSentence
from gapforge.storage.tsv import Row, read_rows, write_counter_gap, write_gap
from gapforge.subjectivity.decisions import read_scored
from gapforge.subjectivity.hooks import SubjectivitySettings, Threshold
from gapforge.subjectivity.variants import example_of, lost_in
from gapforge_tasks.cli.subjective import make_subjective, parted, settings_from
from reference import published

MARRIED = (
    "Ann Lee was a writer in Paris, and she married the painter John Brown in the autumn of 1990 "
    "after a long stay in Rome."
)
JOINED = (
    "Mary Smith met Bo Reed in London in the spring of 1990 at the house of an old friend. "
    "He joined the club in the summer of the same year with the help of his father."
)
DIED = (
    "Ida Brandt lived with Dora Kell. She died in the winter of 1899 in a house at the end of the road "
    "from Paris to the old town of Rouen."
)
MANY = "the old road to the town and " * 800  # 5,600 words without a full stop
STOPS = "Then the rain fell upon the roofs of the town. " * 520
PLUGINS = """
from gapforge.records import Span, SubjectiveEdit
from gapforge.subjectivity.hooks import passes

def very(sentences, protected, seed, attempts):
    return [[[SubjectiveEdit(Span(0, 0), "Oh, ", "oh", "own")]] for _ in sentences]

@passes(9.0, "chosen")
def flat(sentences):
    return [0.0 for _ in sentences]

def spoilt(sentences, protected, seed, attempts):
    return [[[SubjectiveEdit(it, "X", "x", "own")] for it in spans[:1]] for spans in protected]

def content(sources, targets):
    return [[] for _ in sources]
"""


def make_row(id, text, pronoun, a, b, **changes):
    """A row whose words are where they first occur in the text."""
    places = [max(text.find(it), 0) for it in (pronoun, a, b)]
    values = {
        "id": id,
        "text": text,
        "pronoun": pronoun,
        "pronoun_offset": places[0],
        "a": a,
        "a_offset": places[1],
        "a_coref": True,
        "b": b,
        "b_offset": places[2],
        "b_coref": False,
        "source": f"http://example.org/{id}",
    }
    return Row(**(values | changes))


GOOD = [
    make_row("gap-1", MARRIED, "she", "Ann Lee", "John Brown"),
    make_row("gap-2", JOINED, "He", "Bo Reed", "Mary Smith", a_coref=None, b_coref=None),
    make_row("gap-3", DIED, "She", "Ida Brandt", "Dora Kell", a_coref=False, b_coref=True),
]
ODD = [
    make_row("empty", "", "she", "Ann", "Bo"),
    make_row("one word", "She", "She", "", ""),
    make_row("unsaid", MARRIED, "him", "Ann Lee", "John Brown"),
    make_row("misplaced", MARRIED, "she", "Ann Lee", "John Brown", pronoun_offset=34),
    make_row("no pronoun", "Ann Lee met John Brown, and it rained.", "it", "Ann Lee", "John Brown"),
    make_row("too far", MARRIED, "she", "Ann Lee", "John Brown", a_offset=10_000),
]
LOST = {
    "empty": "pronoun A B",
    "one word": "A B",
    "unsaid": "pronoun",
    "misplaced": "pronoun",
    "no pronoun": "pronoun",
    "too far": "A",
}
LONG = [
    make_row("long", f"Ann Lee met Bo Reed, and she saw {MANY}left.", "she", "Ann Lee", "Bo Reed"),
    make_row("stops", f"Ann Lee met Bo Reed. She left. {STOPS}", "She", "Ann Lee", "Bo Reed"),
]
ROWS = [*GOOD, *ODD]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("subjective")
    write_gap(path / "rows.tsv", ROWS)
    return path


def with_hash_seed(seed):
    return os.environ | {"PYTHONHASHSEED": str(seed)}


@pytest.fixture(scope="module")
def made(folder):
    """What the command wrote and said, called once for this module."""
    arguments = ["-o", "out.tsv", "--proposals", "proposals.jsonl", "--sentences", "sentences.parquet", "--json"]
    done = call_as_process(["subjective", "rows.tsv", *arguments], cwd=folder, env=with_hash_seed(1))
    assert (done.returncode, done.stderr) == (0, "")
    (folder / "told.json").write_text(done.stdout, "utf-8")
    return folder


def read_told(folder):
    return json.loads((folder / "told.json").read_text("utf-8"))


def rebuilt(row, sentences):
    """The row's text with the edits of its kept sentences, put together by hand."""
    edits = [
        (it.span.start + edit.span.start, it.span.start + edit.span.end, edit.new)
        for it in sentences
        if it.kept and it.instance_id == row.id
        for edit in it.edits
    ]
    text, at = "", 0
    for start, end, new in sorted(edits):
        text += row.text[at:start] + new
        at = end
    return text + row.text[at:], bool(edits)


def check_variants(before, after, sentences):
    """What must hold of every row."""
    assert [it.id for it in before] == [it.id for it in after]
    for old, new in zip(before, after, strict=True):
        assert (old.a, old.b, old.a_coref, old.b_coref, old.source) == (
            new.a,
            new.b,
            new.a_coref,
            new.b_coref,
            new.source,
        )
        assert old.pronoun.lower() == new.pronoun.lower()
        assert new.text == rebuilt(old, sentences)[0]
        if not lost_in(old):
            for words, span in ((new.pronoun, new.pronoun_span), (new.a, new.a_span), (new.b, new.b_span)):
                assert new.text[span.start : span.end] == words


# ---- what it writes and says


def test_rows_keep_all_but_their_text(made):
    after = list(read_rows(made / "out.tsv"))
    check_variants(ROWS, after, list(read_scored(made / "sentences.parquet", SubjectiveSentence)))
    changed = {new.id for old, new in zip(ROWS, after, strict=True) if old.text != new.text}
    assert changed == {"gap-1", "gap-2", "gap-3"}
    assert [new for new in after if new.id in LOST] == ODD


def test_what_it_counts(made):
    told = read_told(made)
    assert set(told) == {
        *("rows", "output", "hooks", "sentences", "contexts", "offsets", "refused", "kinds", "phrases", "thresholds"),
        *("subjectivity", "lost", "counterfactuals"),
    }
    assert (told["rows"], told["output"], told["lost"]) == (9, "out.tsv", LOST)
    assert told["offsets"] == {"all": {"contexts": 9, "pronoun": 5, "a": 6, "b": 7, "all": 3}}
    sentences = list(read_scored(made / "sentences.parquet", SubjectiveSentence))
    kept = [it for it in sentences if it.kept]
    assert told["sentences"]["all"]["sentences"] == len(sentences) == 5
    assert told["sentences"]["all"]["final"] == len(kept) == sum(told["kinds"].values()) >= 3
    assert told["contexts"] == {"all": {"contexts": 9, "converted": 3}}
    assert told["hooks"] == {"detector": "lexicon", "transfer": "rules", "fluency": "grammar", "content": "invariants"}
    assert sum(told["refused"].values()) == len(sentences) - len(kept)
    assert told["thresholds"]["gleu_above"] == {"value": 0.8, "source": "paper"}
    assert told["thresholds"]["objective"]["source"].startswith("calibrated on GAP development")


def test_every_sentence_is_in_both_files(made):
    proposals = list(read_scored(made / "proposals.jsonl", SubjectiveProposal))
    sentences = list(read_scored(made / "sentences.parquet", SubjectiveSentence))
    keys = [(it.instance_id, it.number) for it in sentences]
    assert list(dict.fromkeys((it.instance_id, it.number) for it in proposals)) == keys
    assert len(set(keys)) == len(keys)
    texts = {row.id: row.text for row in ROWS}
    assert all(texts[it.instance_id][it.span.start : it.span.end] == it.sentence for it in proposals)


@pytest.mark.process
def test_tables_and_the_same_bytes_under_another_hash_seed(made, gapforge_process):
    arguments = ["-o", "again.tsv", "--proposals", "again.jsonl", "--sentences", "again.parquet"]
    done = gapforge_process("subjective", "rows.tsv", *arguments, cwd=made, env=with_hash_seed(2))
    assert (done.returncode, done.stdout) == (0, "3 of 9 rows made subjective in again.tsv\n")
    for old, new in (
        ("out.tsv", "again.tsv"),
        ("proposals.jsonl", "again.jsonl"),
        ("sentences.parquet", "again.parquet"),
    ):
        assert (made / old).read_bytes() == (made / new).read_bytes(), new
    lines = [" ".join(line.split()) for line in done.stderr.splitlines()]
    for line in (
        "sentences by threshold (GAP-Subjective, Table 2)",
        "split sentences within GLEU within perplexity objective final share",
        "converted contexts (Table 4)",
        "all 9 3 33.33 %",
        "offsets found (Table 7)",
        "all 9 55.56 % 66.67 % 77.78 % 33.33 %",
        "offsets found: 33.33 %",
        "left as they are, since pronoun or names are not where they should be, or the pronoun has no gender: "
        "empty, one word, unsaid, misplaced, no pronoun, too far",
    ):
        assert line in lines


# ---- thresholds held anew


def test_scored_proposals_give_the_same_again(made, gapforge):
    arguments = ["--scored", "proposals.jsonl", "-o", "scored.tsv", "--sentences", "scored.parquet", "--json"]
    done = gapforge("subjective", "rows.tsv", *arguments, cwd=made)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == read_told(made) | {"output": "scored.tsv"}
    assert (made / "scored.tsv").read_bytes() == (made / "out.tsv").read_bytes()
    assert (made / "scored.parquet").read_bytes() == (made / "sentences.parquet").read_bytes()


@pytest.mark.parametrize(
    "thresholds",
    [
        {"gleu_above": 0.1, "fluent": 5.0},
        {"objective": 0.0},
        {"gleu_above": 0.5, "gleu_below": 0.85, "largest_share": 0.5},
    ],
)
def test_new_thresholds_decide_as_in_a_call_of_their_own(made, tmp_path, thresholds):
    settings = settings_from({}, [], [f"{name}={value}" for name, value in thresholds.items()])
    old, new = (
        make_subjective(
            made / "rows.tsv", tmp_path / name, settings, DEFAULT_MODEL, None, scored, tmp_path / f"{name}.jsonl"
        )
        for name, scored in (("fresh.tsv", None), ("scored.tsv", made / "proposals.jsonl"))
    )
    assert old | {"output": ""} == new | {"output": ""}
    assert (tmp_path / "fresh.tsv").read_bytes() == (tmp_path / "scored.tsv").read_bytes()
    assert (tmp_path / "fresh.tsv.jsonl").read_bytes() == (tmp_path / "scored.tsv.jsonl").read_bytes()
    assert new["thresholds"]["gleu_above"]["source"] == ("chosen" if "gleu_above" in thresholds else "paper")
    if thresholds == {"objective": 0.0}:
        assert new["sentences"]["all"]["final"] == 0
        assert (tmp_path / "scored.tsv").read_bytes() == (made / "rows.tsv").read_bytes()


def scored_line(**changes):
    edit = {"span": {"start": 51, "end": 51}, "new": "gifted ", "phrase": "gifted", "kind": "adjective"}
    values = {
        "instance_id": "gap-1",
        "number": 0,
        "attempt": 0,
        "span": {"start": 0, "end": len(MARRIED)},
        "sentence": MARRIED,
        "proposal": MARRIED.replace("painter", "gifted painter"),
        "edits": [edit],
        "subjectivity": 0.1,
        "proposal_subjectivity": 0.2,
        "log_perplexity": 3.0,
        "proposal_log_perplexity": 3.0,
        "gleu": 0.9,
        "cosine": None,
        "broken": [],
    }
    return json.dumps(values | changes)


def edit_of(start, end, new):
    return [{"span": {"start": start, "end": end}, "new": new, "phrase": new, "kind": "own"}]


def plain_line(id, number, text, start, end):
    """A sentence for which nothing is proposed."""
    span = {"start": start, "end": end}
    return scored_line(instance_id=id, number=number, sentence=text[start:end], span=span, proposal=None, edits=[])


PAINTER = scored_line(number=0)
OTHER = plain_line("gap-2", 0, JOINED, 0, 85)
REST = [
    plain_line("gap-2", 1, JOINED, 86, len(JOINED)),
    plain_line("gap-3", 0, DIED, 0, 32),
    plain_line("gap-3", 1, DIED, 33, len(DIED)),
]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([scored_line(instance_id="gap-9")], "gap-9: sentence 0 is not in the input; score it again"),
        ([scored_line(number=1)], "gap-1: sentence 1 is not in the input; score it again"),
        ([scored_line(sentence="Other.")], "gap-1: sentence 0 is not in the input; score it again"),
        ([scored_line(span={"start": 0, "end": 3})], "gap-1: sentence 0 is not in the input; score it again"),
        (
            [PAINTER, OTHER, PAINTER],
            "gap-1: sentence 0 occurs twice, or its proposals are apart; score it again",
        ),
        (
            [scored_line(edits=edit_of(51, 51, "old "))],
            "gap-1: sentence 0: the edits do not make the proposal; score it again",
        ),
        (
            [PAINTER, OTHER, REST[0]],
            "no scores for 2 sentences: gap-3 sentence 0, gap-3 sentence 1; score the input again",
        ),
        (
            [scored_line(edits=edit_of(0, 3, "Bob"))],
            "gap-1: sentence 0: 'Ann Lee' is protected and became 'Bob Lee'; score it again",
        ),
        (
            [scored_line(edits=edit_of(5, 9, "x"))],
            "gap-1: sentence 0: an edit reaches over the edge of the span 0 to 7; score it again",
        ),
        (
            [scored_line(edits=edit_of(0, 999, "x"))],
            "gap-1: sentence 0: an edit is outside the text; score it again",
        ),
    ],
)
def test_scored_proposals_that_do_not_fit(tmp_path, lines, message):
    write_gap(tmp_path / "rows.tsv", GOOD)
    scored = tmp_path / "scored.jsonl"
    scored.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    with pytest.raises(InputError) as caught:
        make_subjective(tmp_path / "rows.tsv", tmp_path / "o.tsv", SubjectivitySettings(), DEFAULT_MODEL, scored=scored)
    assert str(caught.value) == f"{scored}: {message}"
    assert not (tmp_path / "o.tsv").exists()


def test_a_scored_proposal_that_fits(tmp_path):
    write_gap(tmp_path / "rows.tsv", GOOD)
    (tmp_path / "scored.jsonl").write_text("\n".join([PAINTER, OTHER, *REST]) + "\n", "utf-8")
    scored = tmp_path / "scored.jsonl"
    make_subjective(tmp_path / "rows.tsv", tmp_path / "o.tsv", SubjectivitySettings(), DEFAULT_MODEL, scored=scored)
    after = list(read_rows(tmp_path / "o.tsv"))
    assert after[0].text == MARRIED.replace("painter", "gifted painter")
    assert after[0].b_offset == GOOD[0].b_offset + len("gifted ")
    assert after[1:] == GOOD[1:]


# ---- other files


def test_columns_stay_as_they_are(tmp_path):
    """Order, columns of the user's own, labels in small letters, and the form of a file without a source."""
    columns = [
        "note",
        "ID",
        "A",
        "A-offset",
        "A-coref",
        "B",
        "B-offset",
        "B-coref",
        "Pronoun",
        "Pronoun-offset",
        "Text",
    ]
    first = ["mine", "gap-1", "Ann Lee", "0", "true", "John Brown", "59", "", "she", "35", MARRIED]
    second = ["", "gap-2", "Ann", "0", "false", "Bo", "8", "True", "she", "0", "Ann saw Bo."]  # which is not there
    rows, output = tmp_path / "rows.tsv", tmp_path / "o.tsv"
    rows.write_text("".join("\t".join(it) + "\n" for it in (columns, first, second)), "utf-8")
    make_subjective(rows, output, SubjectivitySettings(), DEFAULT_MODEL)
    header, changed, same = (line.split("\t") for line in output.read_text("utf-8").splitlines())
    assert (header, same) == (columns, second)
    after = dict(zip(header, changed, strict=True))
    assert after["Text"] != MARRIED
    assert [after[it] for it in ("note", "ID", "A-coref", "B-coref")] == ["mine", "gap-1", "true", ""]
    for name in ("A", "B", "Pronoun"):
        assert after["Text"].startswith(after[name], int(after[f"{name}-offset"]))


@pytest.mark.parametrize("name", ["A", "An"])
def test_names_that_look_like_articles(tmp_path, name):
    text = f"{name} attacked the army of the north in 1909, and the king of the island arrested her in the same year."
    row = make_row("gap-1", text, "her", name, "king")
    write_gap(tmp_path / "rows.tsv", [row])
    for seed in range(5):
        make_subjective(tmp_path / "rows.tsv", tmp_path / "o.tsv", SubjectivitySettings(seed=seed), DEFAULT_MODEL)
        (after,) = read_rows(tmp_path / "o.tsv")
        assert after.text[after.a_offset :].startswith(f"{name} ")


@pytest.mark.parametrize("row", LONG, ids=lambda row: row.id)
def test_five_thousand_words(tmp_path, row):
    assert len(row.text.split()) > 5_000
    write_gap(tmp_path / "rows.tsv", [row])
    sentences = tmp_path / "sentences.jsonl"
    make_subjective(
        tmp_path / "rows.tsv", tmp_path / "o.tsv", SubjectivitySettings(), DEFAULT_MODEL, sentences=sentences
    )
    decided = list(read_scored(sentences, SubjectiveSentence))
    check_variants([row], list(read_rows(tmp_path / "o.tsv")), decided)
    assert max(len(it.sentence) for it in decided) <= 5_000
    assert sum(len(it.sentence.split()) for it in decided) == len(row.text.split())


@pytest.mark.corpus
def test_published_rows(tmp_path):
    rows = list(islice(read_rows(published("gap/gap-validation.tsv")), 200))
    write_gap(tmp_path / "rows.tsv", rows)
    sentences = tmp_path / "sentences.jsonl"
    told = make_subjective(
        tmp_path / "rows.tsv", tmp_path / "o.tsv", SubjectivitySettings(), DEFAULT_MODEL, None, None, sentences
    )
    decided = list(read_scored(sentences, SubjectiveSentence))
    after = list(read_rows(tmp_path / "o.tsv"))
    check_variants(rows, after, decided)
    assert told["lost"] == {} and told["offsets"]["all"]["all"] == 200
    converted = sum(old.text != new.text for old, new in zip(rows, after, strict=True))
    assert converted == told["contexts"]["all"]["converted"] >= 100
    assert any(old.pronoun != new.pronoun for old, new in zip(rows, after, strict=True))
    assert told["phrases"]["largest_share"] <= 0.03
    assert told["subjectivity"]["raised"] >= 0.8


def test_a_name_across_two_sentences(tmp_path):
    """What a file calls a name has nothing put in, even where a sentence ends in it."""
    text = "She met Ann Smith. Ida Kell died in the winter of 1899 in Paris at the end of the road to the old town."
    rows = [make_row("1", text, "She", "Smith. Ida", "Kell"), make_row("2", text, "She", "Ann Smith", "Ida Kell")]
    write_gap(tmp_path / "rows.tsv", rows)
    settings = settings_from({"attempts": 50}, [], ["gleu_above=0", "fluent=9", "largest_share=1"])
    proposals = tmp_path / "proposals.jsonl"
    make_subjective(tmp_path / "rows.tsv", tmp_path / "o.tsv", settings, DEFAULT_MODEL, proposals)
    opened = {it.instance_id for it in read_scored(proposals, SubjectiveProposal) if ", Ida" in (it.proposal or "")}
    assert opened == {"2"}
    assert [it.a for it in read_rows(tmp_path / "o.tsv")] == ["Smith. Ida", "Ann Smith"]


def test_counter_gap_keeps_its_columns(tmp_path):
    """Book instead of URL, and text quoted as CSV is, with its line ends."""
    text = MARRIED + '\nThen "it" rained.'
    rows = [make_row("7", text, "she", "Ann Lee", "John Brown", source="Tale")]
    write_counter_gap(tmp_path / "rows.tsv", rows)
    make_subjective(tmp_path / "rows.tsv", tmp_path / "o.tsv", SubjectivitySettings(), DEFAULT_MODEL)
    with (tmp_path / "o.tsv").open(encoding="utf-8", newline="") as file:
        header, cells = csv.reader(file, delimiter="\t")
    assert header[-1] == "Book" and cells[-1] == "Tale"
    assert cells[1] != text and cells[1].endswith('\nThen "it" rained.')
    assert [it.id for it in read_rows(tmp_path / "o.tsv")] == ["7"]


# ---- hooks of a user's own


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder with rows and a module of hooks that can be imported; none of them needs a model."""
    (tmp_path / "own_hooks.py").write_text(PLUGINS, "utf-8")
    write_gap(tmp_path / "rows.tsv", GOOD)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_hooks", raising=False)
    return tmp_path


def test_own_hooks(own, gapforge):
    hooks = ["--transfer", "own_hooks:very", "--detector", "own_hooks:flat", "--fluency", "own_hooks:flat"]
    limits = ["--threshold", "largest_share=1", "--threshold", "gleu_above=0.5"]
    done = gapforge("subjective", "rows.tsv", "-o", "o.tsv", *hooks, *limits, "--json", cwd=own)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["thresholds"]["objective"] == {"value": 9.0, "source": "chosen"}
    assert told["kinds"] == {"own": told["sentences"]["all"]["sentences"]} == {"own": 5}
    after = list(read_rows(own / "o.tsv"))
    assert after[0].text == f"Oh, {MARRIED}" and after[0].a_offset == 4
    assert after[2].text.count("Oh, ") == 2 and after[2].pronoun_offset == GOOD[2].pronoun_offset + 8


def test_a_transfer_that_spoils_a_name(own, gapforge):
    hooks = ["--transfer", "own_hooks:spoilt", "--content", "own_hooks:content"]
    done = gapforge("subjective", "rows.tsv", "-o", "o.tsv", *hooks, cwd=own)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"gapforge: own_hooks:spoilt: {MARRIED[:60]!r}: 'she' is protected and became 'X'; fix the transfer\n"
    )
    assert not (own / "o.tsv").exists()


def test_neural_hooks_without_the_extra(own, gapforge_process):
    (own / "torch.py").write_text('raise ImportError("no torch here")\n', "utf-8")
    hooks = ["--transfer", "own_hooks:very", "--fluency", "causal"]
    environment = os.environ | {"PYTHONPATH": str(own)}
    done = gapforge_process("subjective", "rows.tsv", "-o", "o.tsv", *hooks, cwd=own, env=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'gapforge: torch cannot be imported (no torch here); pip install "gapforge[neural]"\n'


# ---- calls that cannot be


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["rows.tsv", "-o", "rows.tsv"],
            2,
            "rows.tsv: is named twice; inputs and outputs must be different files",
        ),
        (
            ["rows.tsv", "-o", "o.tsv", "--proposals", "x.jsonl", "--sentences", "x.jsonl"],
            2,
            "x.jsonl: is named twice; inputs and outputs must be different files",
        ),
        (["none.tsv", "-o", "o.tsv"], 1, "none.tsv: no such file; fix the path"),
        ([".", "-o", "o.tsv"], 1, ".: is a folder; name a file"),
        (["header.tsv", "-o", "o.tsv"], 1, "header.tsv: no rows; there is nothing to make subjective"),
        (["twice.tsv", "-o", "o.tsv"], 1, "twice.tsv: ids occur twice; give each row its own"),
        (["rows.tsv", "-o", "none/o.tsv"], 2, "none/o.tsv: its folder does not exist; make it first"),
        (["rows.tsv", "-o", "o.csv"], 2, "o.csv: unknown kind of output '.csv'; choose from .tsv"),
        (
            ["rows.tsv", "-o", "o.tsv", "--sentences", "s.csv"],
            2,
            "s.csv: unknown kind of output '.csv'; choose from .jsonl, .parquet",
        ),
        (
            ["rows.tsv", "-o", "o.tsv", "--proposals", "none/p.jsonl"],
            2,
            "none/p.jsonl: its folder does not exist; make it first",
        ),
        (["rows.tsv", "-o", "o.tsv", "--scored", "p.jsonl"], 1, "p.jsonl: no such file or folder; fix the path"),
        (
            ["rows.tsv", "-o", "o.tsv", "--transfer", "rulse"],
            2,
            "[subjectivity] transfer: unknown plug-in 'rulse', and no 'package.module:function'; did you mean 'rules'?",
        ),
        (
            ["rows.tsv", "-o", "o.tsv", "--threshold", "objektive=1"],
            2,
            "--threshold objektive: no such threshold; did you mean 'objective'?",
        ),
        (
            ["rows.tsv", "-o", "o.tsv", "--threshold", "objective=high"],
            2,
            "--threshold objective is 'high'; wanted a number",
        ),
        (
            ["rows.tsv", "-o", "o.tsv", "--model", "none"],
            2,
            "'none': no such spaCy model is installed; install it, or name another one or a folder",
        ),
    ],
)
def test_calls_that_cannot_be(gapforge, tmp_path, arguments, code, message):
    write_gap(tmp_path / "rows.tsv", GOOD)
    write_gap(tmp_path / "header.tsv", [])
    write_gap(tmp_path / "twice.tsv", [*GOOD, GOOD[0]])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = gapforge("subjective", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"gapforge: {message}\n")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("hooks", "options", "thresholds", "message"),
    [
        ({}, [], ["objective"], "--threshold 'objective': wanted NAME=VALUE"),
        ({}, [], ["=1"], "--threshold '=1': wanted NAME=VALUE"),
        ({}, [], ["objective="], "--threshold objective is ''; wanted a number"),
        ({}, [], ["objective=nan"], "--threshold objective is 'nan'; wanted a number"),
        ({}, [], ["fluent=inf"], "--threshold fluent is 'inf'; wanted a number"),
        ({}, [], ["largest_share=2"], "largest_share must be above 0 and at most 1, found 2.0"),
        ({}, ["model"], [], "--option 'model': wanted HOOK.NAME=VALUE"),
        ({}, ["model=x"], [], 'options are by "hook.option", such as "fluency.model", found \'model\''),
        ({"attempts": 0}, [], [], "attempts must be 1 or more, found 0"),
        ({"seed": -1}, [], [], "seed must be 0 or more, found -1"),
    ],
)
def test_settings_that_cannot_be(hooks, options, thresholds, message):
    with pytest.raises(ConfigError) as caught:
        settings_from(hooks, options, thresholds)
    assert str(caught.value) == message


def test_settings_of_a_command_line():
    found = settings_from(
        {"fluency": "causal", "attempts": 2}, ["fluency.model=a=b", "transfer.x="], ["fluent=1e-1", "gleu_above= 0.5"]
    )
    assert found == SubjectivitySettings(
        fluency="causal",
        attempts=2,
        options={"fluency.model": "a=b", "transfer.x": ""},
        fluent=Threshold(0.1),
        gleu_above=Threshold(0.5),
    )
    assert parted("a=b=c", "", "") == ("a", "b=c")


@pytest.mark.parametrize("thresholds", [{"similar": Threshold(0.5)}])
def test_a_threshold_without_its_hook(tmp_path, thresholds):
    write_gap(tmp_path / "rows.tsv", GOOD)
    with pytest.raises(ConfigError) as caught:
        make_subjective(tmp_path / "rows.tsv", tmp_path / "o.tsv", SubjectivitySettings(**thresholds), DEFAULT_MODEL)
    assert str(caught.value) == ("[subjectivity] similar is of no hook; name a similarity, or leave it out")


# ---- rows


@pytest.mark.parametrize("row", [*ROWS, *LONG], ids=lambda row: row.id)
def test_what_is_lost_in_a_row(row):
    assert lost_in(row) == LOST.get(row.id, "")


@pytest.mark.parametrize(("pronoun", "gender"), [("Her", "feminine"), ("hers", "feminine"), ("HIM", "masculine")])
def test_a_row_as_an_example(pronoun, gender):
    row = make_row("1", f"Ann met {pronoun} and Bo.", pronoun, "Ann", "Bo")
    example = example_of(row)
    assert lost_in(row) == "" and example.gender == gender
    assert [example.text[it.start : it.end] for it in (example.pronoun, example.name_a, example.name_b)] == [
        pronoun,
        "Ann",
        "Bo",
    ]
