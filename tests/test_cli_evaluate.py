"""`gapforge evaluate`, `resolve` and `weigh` as a user calls them."""

import json
import re
import shutil
from pathlib import Path

import pytest

import releases
from gapforge.errors import ConfigError, InputError
from gapforge_tasks.cli.evaluate import Request, evaluate_files, resolve_file, system_names, weigh_file
from reference import published

# A key of no gendered pronoun, and an answer to it whose scores are known.
SCORED = {"stand-in": ("example.key", "example-2.response"), "published": ("TC-A.key", "TC-A-10.response")}
COLUMNS = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
TEXTS = [
    ("Mary Hill met Jane Ford in Paris. She wrote a book.", "She", "Mary Hill", "TRUE", "Jane Ford", "FALSE"),
    ("Anna Berg saw Lucy Dale, and Lucy Dale saw her.", "her", "Anna Berg", "TRUE", "Lucy Dale", "FALSE"),
    ("John Hill met Paul Ford in Paris. He wrote a book.", "He", "John Hill", "TRUE", "Paul Ford", "FALSE"),
    ("Hans Berg saw Mark Dale, and Mark Dale saw him.", "him", "Hans Berg", "FALSE", "Mark Dale", "TRUE"),
]


def evaluate(*files, **options):
    return evaluate_files(Request(*files, **options))


def gap_line(number, text, pronoun, a, a_coref, b, b_coref):
    places = [text.index(f" {pronoun}") + 1, text.index(a), text.index(b)]
    cells = [f"t-{number}", text, pronoun, places[0], a, places[1], a_coref, b, places[2], b_coref]
    return "\t".join(map(str, [*cells, f"http://example.org/{a.replace(' ', '_')}"]))


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.tsv"
    lines = [gap_line(number, *row) for number, row in enumerate(TEXTS, 1)]
    path.write_text("\n".join([COLUMNS, *lines]) + "\n", "utf-8")
    return path


def said(path, *answers):
    path.write_text("".join(f"t-{n}\t{a}\t{b}\n" for n, (a, b) in enumerate(answers, 1)), "utf-8")
    return path


RIGHT = (("TRUE", "FALSE"), ("TRUE", "FALSE"), ("TRUE", "FALSE"), ("FALSE", "TRUE"))
ALWAYS_A = (("TRUE", "FALSE"),) * 4


def test_one_system(gapforge_process, gold, tmp_path):
    found = gapforge_process("evaluate", gold, said(tmp_path / "p.tsv", *ALWAYS_A), "--json")
    assert found.returncode == 0, found.stderr
    result = json.loads(found.stdout)
    assert result["dataset"] == "gap"
    assert result["feminine"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0, "accuracy": 1.0}
    assert result["masculine"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "accuracy": 0.5}
    assert result["bias"] == result["acc_bias"] == 2.0
    assert {name: it["instances"] for name, it in result["by"]["pattern"].items()} == {"FINALPRO": 4}


def test_a_person_reads_tables(gapforge, gold, tmp_path):
    found = gapforge("evaluate", gold, said(tmp_path / "p.tsv", *ALWAYS_A), "--resamples", "1000")
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("gap: 4 instances\n")
    lines = [line.split() for line in found.stdout.splitlines()]
    assert ["masculine.accuracy", "0.5000", "[0.0000,", "1.0000]"] in lines
    assert next(line[:2] for line in lines if line[:1] == ["bias"]) == ["bias", "2.0000"]


def test_two_systems_and_a_page(gapforge, gold, tmp_path):
    first, second = said(tmp_path / "one.tsv", *RIGHT), said(tmp_path / "two.tsv", *ALWAYS_A)
    page = tmp_path / "r.html"
    found = gapforge("evaluate", gold, first, second, "--json", "--report", page, "--resamples", "1000")
    result = json.loads(found.stdout)
    assert result["systems"]["one"]["overall"]["f1"] == 1.0
    assert [result["contingency"][0][it] for it in ("both", "only_first", "only_second", "neither")] == [3, 1, 0, 0]
    assert result["difficulty"]["overall"]["green"] == 3 and result["difficulty"]["feminine"]["green"] == 2
    text = page.read_text("utf-8")
    assert text.count("<svg") == 1
    assert not re.search(r'(?:src|href|url)[=(]"?(?!"?#)', text)  # nothing is fetched from anywhere
    again = tmp_path / "again.html"
    evaluate(gold, [first, second], report=again, resamples=1000)
    assert again.read_bytes() == page.read_bytes()


def test_a_system_may_be_named_as_html(gold, tmp_path):
    path = said(tmp_path / "<b>$x^2$.tsv", *RIGHT)
    evaluate(gold, [path, said(tmp_path / "two.tsv", *RIGHT)], report=tmp_path / "r.html", resamples=100)
    text = (tmp_path / "r.html").read_text("utf-8")
    assert "<b>" not in text and "&lt;b&gt;$x^2$" in text


def test_what_is_missing_is_listed_or_counted(gapforge, gold, tmp_path):
    path = said(tmp_path / "p.tsv", *RIGHT[:3])
    refused = gapforge("evaluate", gold, path)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (f"gapforge: {path}: 1 missing: t-4. Fix the file, or go on with --missing-as-negative\n")
    found = gapforge("evaluate", gold, path, "--missing-as-negative", "--json")
    result = json.loads(found.stdout)
    assert result["faults"] == {"missing": 1} and result["masculine"]["recall"] == 0.5


def test_weights_give_a_weighted_bias(gapforge, gold, tmp_path):
    weights = {"t-1a": 1.5, "t-1b": 0.0, "t-2a": 0.5, "t-2b": 0, "t-3a": 0.5, "t-3b": 0.0, "t-4a": 0.0, "t-4b": 1.5}
    (tmp_path / "w.json").write_text(json.dumps(weights), "utf-8")
    found = gapforge("evaluate", gold, said(tmp_path / "p.tsv", *ALWAYS_A), "--weights", tmp_path / "w.json", "--json")
    assert json.loads(found.stdout)["weighted_bias"] == pytest.approx(2.0 / 0.5)
    systems = [tmp_path / "p.tsv", said(tmp_path / "q.tsv", *RIGHT)]
    both = gapforge("evaluate", gold, *systems, "--weights", tmp_path / "w.json", "--resamples", "1000")
    line = next(line for line in both.stdout.splitlines() if "p (right)" in line)
    assert [it.strip() for it in line.split("  ") if it.strip()][-3:] == ["p (right)", "p (F1)", "p (W-Bias)"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"resamples": 10}, ConfigError, "resamples must be 100 to 10,000,000, found 10"),
        ({"resamples": 10**11}, ConfigError, "resamples must be 100 to 10,000,000, found 100000000000"),
        ({"seed": -1}, ConfigError, "seed must be 0 or more, found -1"),
        ({"kind": "gab"}, ConfigError, "unknown kind 'gab'; did you mean 'gap'?"),
        ({"kind": "conll", "split": "test"}, ConfigError, "--split test: conll has no splits; leave it out"),
        ({"report": Path("r.txt")}, ConfigError, "r.txt: unknown kind of output '.txt'; choose from .html"),
        (
            {"kind": "counter-gap", "variants": [Path("v.tsv")]},
            ConfigError,
            "--variant: counter-gap has no subjective variant; leave it out",
        ),
        (
            {"variants": [Path("v.tsv"), Path("w.tsv")]},
            ConfigError,
            "--variant: 2 for 1 files of predictions; name one for each, in their order",
        ),
        (
            {"variants": [Path("p.tsv")]},
            ConfigError,
            "--variant p.tsv: is named for GAP too; name what the system says of the variant",
        ),
    ],
)
def test_bad_usage(gold, tmp_path, monkeypatch, options, error, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as raised:
        evaluate(gold, [said(tmp_path / "p.tsv", *RIGHT)], **options)
    assert str(raised.value) == message


def test_files_that_are_not_there(gold, tmp_path):
    with pytest.raises(InputError, match=r"nothing.tsv: no such file or folder; fix the path"):
        evaluate(tmp_path / "nothing.tsv", [gold])
    with pytest.raises((InputError, OSError), match=r"nothing.tsv"):
        evaluate(gold, [tmp_path / "nothing.tsv"])


def test_systems_have_names():
    assert system_names([Path("a/one.tsv"), Path("b/two.tsv")]) == ["one", "two"]
    assert system_names([Path("a/one.tsv"), Path("b/one.tsv")]) == ["a/one.tsv", "b/one.tsv"]
    with pytest.raises(ConfigError, match=r"a/one.tsv: is named twice; name each file of predictions once"):
        system_names([Path("a/one.tsv"), Path("a/one.tsv")])


@pytest.mark.parametrize("resolver", ["random", "token-distance", "topical", "syntactic", "parallelism", "dist-1"])
def test_a_baseline_resolves_and_is_measured(gold, tmp_path, resolver):
    counts = resolve_file(gold, resolver, tmp_path / "p.tsv")
    assert sum(counts["labels"].values()) == counts["instances"] == 4
    lines = (tmp_path / "p.tsv").read_text("utf-8").splitlines()
    assert [line.split("\t")[0] for line in lines] == ["t-1", "t-2", "t-3", "t-4"]  # without a header, as GAP's are
    assert evaluate(gold, [tmp_path / "p.tsv"], resamples=100)["instances"] == 4


def test_answers_to_the_subjective_variant(gapforge, gold, tmp_path):
    files = said(tmp_path / "p.tsv", *RIGHT), said(tmp_path / "v.tsv", *ALWAYS_A)
    page = tmp_path / "r.html"
    chosen = ("--resamples", 1000, "--report", page)
    found = gapforge("evaluate", gold, files[0], "--variant", files[1], "--json", *chosen)
    assert found.returncode == 0, found.stderr
    result = json.loads(found.stdout)
    assert result["dataset"] == "gap" and list(result["datasets"]) == ["gap", "gap-subjective"]
    variant = result["datasets"]["gap-subjective"]
    assert list(variant["by"]) == ["pronoun"]  # distances are those of another text
    assert variant["change"]["overall"] == {"f1": -0.25, "precision": -0.25, "recall": -0.25}
    assert variant["change"]["masculine"] == {"f1": -0.5} and variant["change"]["bias"] == 1.0
    assert variant["intervals"]["change"]["feminine"]["f1"] == [0.0, 0.0]
    assert variant["change"]["p"] == 1.0  # one row: either way is as far
    assert "gap-subjective" in page.read_text("utf-8")
    table = gapforge("evaluate", gold, files[0], "--variant", files[1], "--resamples", 1000)
    assert "change.overall.f1" in table.stdout


def test_the_variant_of_a_release_is_measured_where_it_is_named(tmp_path):
    folder = releases.write_release(tmp_path / "release")
    counts = resolve_file(folder, "token-distance", tmp_path / "p.tsv", split="test")
    assert counts["instances"] == 12  # of GAP and Counter-GAP: its variant has the ids of GAP
    for kind in ("gap", "gap-subjective"):
        counts = resolve_file(folder, "token-distance", tmp_path / f"{kind}.tsv", kind=kind, split="test")
        assert counts["instances"] == 4
        lines = (tmp_path / f"{kind}.tsv").read_text("utf-8").splitlines()
        assert [line.split("\t")[0] for line in lines] == ["wiki-5", "wiki-6", "wiki-7", "wiki-8"]
    found = evaluate(folder, [tmp_path / "gap-subjective.tsv"], "gap-subjective", split="test", resamples=100)
    assert (found["dataset"], found["instances"]) == ("gap-subjective", 4)
    both = evaluate(
        folder, [tmp_path / "gap.tsv"], split="test", resamples=100, variants=[tmp_path / "gap-subjective.tsv"]
    )
    assert list(both["datasets"]) == ["gap", "gap-subjective"]
    assert both["datasets"]["gap-subjective"]["overall"] == found["overall"]
    assert evaluate(folder, [tmp_path / "gap.tsv"], split="test", resamples=100)["datasets"].keys() == {"gap"}
    resolve_file(folder, "token-distance", tmp_path / "c.tsv", kind="counter-gap")
    with pytest.raises(InputError) as error:
        evaluate(folder, [tmp_path / "c.tsv"], resamples=100, variants=[tmp_path / "gap.tsv"])
    assert str(error.value) == f"{folder}: no prediction is for an instance of gap; leave out --variant"


def test_resolve_as_a_command(gapforge, gapforge_process, gold, tmp_path):
    found = gapforge_process(
        "resolve", gold, "--resolver", "parallelism", "--gold-two-mentions", "-o", tmp_path / "p.tsv"
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith(f"4 instances in {tmp_path / 'p.tsv'}: ")
    refused = gapforge("resolve", gold, "--resolver", "parallelism", "--option", "depth=3", "-o", tmp_path / "p.tsv")
    assert refused.returncode == 2 and "parallelism: unknown option 'depth'; it takes " in refused.stderr
    refused = gapforge("resolve", gold, "--resolver", "random", "--option", "seed", "-o", tmp_path / "p.tsv")
    assert (refused.returncode, refused.stderr) == (2, "gapforge: --option 'seed': wanted NAME=VALUE\n")


def test_what_a_server_does_not_answer_is_an_input_that_failed(gapforge, gold, tmp_path):
    options = ["server=http://127.0.0.1:9/v1", "server_model=m", "attempts=1"]
    flags = [flag for option in options for flag in ("--option", option)]
    found = gapforge("resolve", gold, "--resolver", "server", *flags, "-o", tmp_path / "p.tsv")
    assert found.returncode == 1 and found.stderr.startswith("gapforge: http://127.0.0.1:9/v1")
    assert found.stderr.count("\n") == 1 and not (tmp_path / "p.tsv").exists()


def test_a_resolver_does_not_learn_from_what_it_is_asked(gold, tmp_path):
    with pytest.raises(InputError) as error:
        resolve_file(gold, "ranker", tmp_path / "p.tsv", train=[gold])
    assert str(error.value) == f"--train holds instances of {gold} itself: t-1, t-2, t-3, t-4; learn from others"


def test_weights_of_other_groups_give_no_bias_of_gender(gold, tmp_path):
    weights = {"t-1a": 3.0, "t-1b": 0, "t-2a": 0.5, "t-2b": 0, "t-3a": 0.25, "t-3b": 0, "t-4a": 0, "t-4b": 0.25}
    (tmp_path / "w.json").write_text(json.dumps(weights), "utf-8")
    with pytest.raises(InputError) as error:
        evaluate(gold, [said(tmp_path / "p.tsv", *RIGHT)], weights=tmp_path / "w.json")
    assert str(error.value) == (
        f"{tmp_path / 'w.json'}: weighs 3.50 feminine, 0.50 masculine; W-Bias is between the genders, "
        "so weigh the set by gender"
    )


def test_outputs_never_overwrite_inputs(gold):
    before = gold.read_bytes()
    with pytest.raises(ConfigError, match="is both input and output; write to another file"):
        resolve_file(gold, "random", gold)
    assert gold.read_bytes() == before


def test_rows_without_labels_can_be_resolved_but_not_measured(gold, tmp_path):
    gold.write_text(gold.read_text("utf-8").replace("TRUE", "").replace("FALSE", ""), "utf-8")
    assert resolve_file(gold, "token-distance", tmp_path / "p.tsv")["labels"]["B"] == 4
    with pytest.raises(InputError, match="t-1 has no label; gold needs A-coref and B-coref"):
        evaluate(gold, [tmp_path / "p.tsv"])


def test_labels_alone_cannot_be_resolved(tmp_path):
    path = tmp_path / "labels.tsv"
    path.write_text("ID\tPronoun\tA-coref\tB-coref\n1\the\tTRUE\tFALSE\n", "utf-8")
    with pytest.raises(InputError) as error:
        resolve_file(path, "random", tmp_path / "p.tsv")
    assert str(error.value) == (
        f"{path}: labels without texts; a resolver needs a file with the texts and their offsets"
    )


def test_weigh_by_names_that_are_found(gapforge, gapforge_process, gold, tmp_path):
    found = gapforge("weigh", gold, "-o", tmp_path / "w.json", "--write-names", tmp_path / "n.json", "--json")
    assert found.returncode == 0, found.stderr
    names = json.loads((tmp_path / "n.json").read_text("utf-8"))
    assert [it[2] for it in names["t-1"]] == ["Mary Hill", "Jane Ford"]
    weights = json.loads((tmp_path / "w.json").read_text("utf-8"))
    assert list(weights) == ["t-1a", "t-1b", "t-2a", "t-2b", "t-3a", "t-3b", "t-4a", "t-4b"]
    assert sum(weights.values()) == pytest.approx(4)
    again = gapforge_process("weigh", gold, "--names", tmp_path / "n.json", "-o", tmp_path / "again.json")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "w.json").read_bytes()


def test_weigh_refuses_other_outputs(gold, tmp_path):
    with pytest.raises(ConfigError) as error:
        weigh_file(gold, tmp_path / "w.txt")
    assert str(error.value) == f"{tmp_path / 'w.txt'}: unknown kind of output '.txt'; choose from .json"


def test_conll_and_pronoun_names(gapforge, reference):
    folder = reference.path("conll-scorer")
    key, response = SCORED[reference.name]
    expected = json.loads((folder / "expected.json").read_text("utf-8"))[response]
    found = json.loads(gapforge("evaluate", folder / key, folder / response, "--json").stdout)
    assert found["dataset"] == "conll"
    for metric in ("muc", "bcub", "ceafe"):
        assert {name: found[metric][name] for name in expected[metric]} == pytest.approx(expected[metric], abs=1e-6)
    assert found["average"] == pytest.approx(expected["average_f1"], abs=1e-6)
    assert found["pronoun_names"]["bias"] is None  # no gendered pronoun has a name there


def test_two_conll_responses_are_compared(reference, tmp_path):
    folder = reference.path("conll-scorer")
    copied = Path(shutil.copy(folder / "winobias-1.response", tmp_path / "same.response"))
    responses = [folder / "winobias-1.response", folder / "winobias-3.response"]
    key = reference.path("winobias/dev_type1_pro_stereotype.v4_auto_conll")
    found = evaluate(key, responses, resamples=1000)
    assert list(found["systems"]) == ["winobias-1", "winobias-3"]
    assert found["paired"][0]["first"] == "winobias-1" and found["paired"][0]["p"] < 0.01
    same = evaluate(key, [responses[0], copied], resamples=1000)
    assert same["paired"][0]["p"] == 1.0 and same["documents"] == found["documents"]
    assert found["documents"] == {"stand-in": 24, "published": 396}[reference.name]
    page = evaluate(reference.path("winobias"), [responses[0]], missing_as_negative=True, resamples=1000)
    assert page["type1"]["pro"] > page["type1"]["anti"] == 0.0


def test_counter_gap_tables_from_the_command_line(gapforge):
    folder = published("counter-gap")
    systems = [folder / "bert_base_output.tsv", folder / "spanbert_base_output.tsv"]
    found = json.loads(gapforge("evaluate", folder / "gold-labels.tsv", *systems, "--json").stdout)
    values = [found["systems"][path.stem]["delta"]["value"] for path in systems]
    assert [round(100 * value, 2) for value in values] == [4.79, 2.54]
