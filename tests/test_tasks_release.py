"""The release and the evaluation as stages, on the sample: what comes out, who reads it, and what makes it stale."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from clusters import cluster
from gapforge.engine.parts import read_manifest
from gapforge.errors import ConfigError, StageError
from gapforge.records import Score
from gapforge.release.layout import logical_hashes, read_tables
from gapforge.release.verify import verify
from gapforge.released import ReleasedExample, ReleasedInstance, ReleasedSubjective
from gapforge.storage.tables import read_records, split_files
from gapforge.storage.tsv import read_rows
from gapforge_tasks.runs import build, plan
from waiting import until

CONFIG = Path("config/sample.toml")
RELEASE = Path("output/sample/release")
EVALUATION = Path("output/sample/evaluation")
COUNTS = {
    "gap": {"development": 30, "validation": 8, "test": 30},
    "counter_gap": {"test": 1456},
    "gap_subjective": {"development": 30, "validation": 8, "test": 30},
    "winobias": {"development": 2800, "test": 2800},
    "gap_weights": {"test": 30},
}
# What the embedded sample gives, by the rows alone. Where one changes on purpose, pin it anew.
HASHES = {
    "gap/development": "c0398fef30821705",
    "gap/validation": "599874b0873e8a3b",
    "gap/test": "314cde0fe0e9db71",
    "counter_gap/test": "b01330154adf8926",
    "gap_subjective/development": "9b4f01e47cdac7fc",
    "gap_subjective/validation": "c27f4a5f7ab4f9fd",
    "gap_subjective/test": "c163da0f75be12ca",
    "winobias/development": "64793cd6d0f7e47f",
    "winobias/test": "19dcf066be2abc17",
    "gap_weights/test": "01edb35faaf4a627",
}


def stale():
    return {stage.name for stage in plan(CONFIG) if stage.why_stale()}


def replace_in_config(old, new):
    text = CONFIG.read_text("utf-8")
    assert old in text
    CONFIG.write_text(text.replace(old, new), "utf-8")


def build_release():
    """All but the evaluation, whose charts take longest."""
    build([stage for stage in plan(CONFIG) if stage.name != "Evaluation"])


@pytest.mark.process
def test_the_sample_s_release_is_sound(built_sample):
    assert verify(built_sample / RELEASE) == []


def test_the_sample_s_release_is_pinned(built_sample):
    release = built_sample / RELEASE
    tables = read_tables(release)
    assert {name: {split: len(rows) for split, rows in its.items()} for name, its in tables.items()} == COUNTS
    assert {name: digest[:16] for name, digest in logical_hashes(tables).items()} == HASHES
    assert (release / "errata.tsv").read_text("utf-8") == "config\tid\tcolumn\tfound\texpected\tnote\n"


def test_the_checksums_are_those_of_sha256sum(built_sample):
    result = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=built_sample / RELEASE, check=False)
    assert result.returncode == 0


LOAD = """
import json, os, sys
import datasets
datasets.disable_progress_bars()
folder, cache = sys.argv[1:]
found = {}
configs = ["gap", "counter_gap", "gap_subjective", "winobias", "gap_weights"]
for config in configs:
    loaded = datasets.load_dataset(folder, config, cache_dir=cache)
    streamed = datasets.load_dataset(folder, config, streaming=True)
    found[config] = {split: [len(rows), sum(1 for _ in streamed[split]), rows[0]] for split, rows in loaded.items()}
assert datasets.get_dataset_config_names(folder) == configs
print(json.dumps(found))
"""


@pytest.mark.process
def test_datasets_loads_every_set_and_split_without_a_network(built_sample, tmp_path):
    command = [sys.executable, "-c", LOAD, str(built_sample / RELEASE), str(tmp_path / "cache")]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    assert {name: {split: it[0] for split, it in its.items()} for name, its in found.items()} == COUNTS
    assert {name: {split: it[1] for split, it in its.items()} for name, its in found.items()} == COUNTS
    first = found["counter_gap"]["test"][2]
    assert first["text"][first["a_offset"] :].startswith(first["a"])
    assert [person["role"] for person in first["people"]] == ["C1", "C2", "O1", "O2"]
    variant = found["gap_subjective"]["test"][2]
    assert variant["converted"] == bool(variant["edits"]) == (variant["text"] != variant["original_text"])


def test_pandas_and_duckdb_read_the_tables(built_sample):
    pandas, duckdb = pytest.importorskip("pandas"), pytest.importorskip("duckdb")
    for name, splits in COUNTS.items():
        for split, path in split_files(built_sample / RELEASE / name).items():
            frame = pandas.read_parquet(path)
            assert len(frame) == splits[split]
            assert duckdb.sql(f"select count(*) from '{path}'").fetchall() == [(splits[split],)]
    pattern = built_sample / RELEASE / "counter_gap" / "*.parquet"
    query = f"select gender, count(distinct quadruple_id) from '{pattern}' where variant = 'original' group by all"
    assert dict(duckdb.sql(query).fetchall()) == {"feminine": 182, "masculine": 182}


@pytest.mark.process
def test_the_reference_reader_takes_the_croissant(built_sample, tmp_path):
    pytest.importorskip("mlcroissant")
    code = (
        "import sys, mlcroissant\n"
        "dataset = mlcroissant.Dataset(jsonld=sys.argv[1])\n"
        "assert not dataset.metadata.ctx.issues.errors and not dataset.metadata.ctx.issues.warnings\n"
        "print({it.id: sum(1 for _ in dataset.records(record_set=it.id)) for it in dataset.metadata.record_sets})"
    )
    command = [sys.executable, "-c", code, str(built_sample / RELEASE / "croissant.json")]
    environment = os.environ | {"HOME": str(tmp_path)}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == str(
        {f"{name}/{split}": n for name, its in COUNTS.items() for split, n in its.items()}
    )


def test_files_in_the_published_forms_hold_the_rows(built_sample):
    release = built_sample / RELEASE
    sets = [("gap", ReleasedExample), ("gap_subjective", ReleasedSubjective)]
    for name, record, split, path in [(*it, *file) for it in sets for file in split_files(release / it[0]).items()]:
        lines = (release / "tsv" / f"{name.replace('_', '-')}-{split}.tsv").read_text("utf-8").splitlines()
        read = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
        rows = list(read_records(path, record))
        assert [(it["ID"], it["A-coref"], it["URL"]) for it in read] == [
            (row.id, str(row.a_coref).upper(), row.url) for row in rows
        ]
        assert all(it["Text"][int(it["Pronoun-offset"]) :].startswith(it["Pronoun"]) for it in read)
    rows = read_records(split_files(release / "counter_gap")["test"], ReleasedInstance)
    assert [(it.id, it.text) for it in read_rows(release / "tsv" / "counter-gap.tsv")] == [
        (row.id, row.text) for row in rows
    ]


def test_the_release_s_own_files_can_be_evaluated(built_sample, tmp_path, gapforge):
    release, said = built_sample / RELEASE, tmp_path / "said.tsv"
    for gold in (release, release / "tsv" / "gap-test.tsv"):
        chosen = ("--kind", "gap", "--split", "test") if gold == release else ()
        result = gapforge("resolve", gold, "--resolver", "token-distance", "-o", said, *chosen)
        assert result.returncode == 0, result.stderr
        weights = release / "weights" / "gap-test.json"
        result = gapforge("evaluate", gold, said, "--weights", weights, "--json", "--resamples", 100, *chosen)
        assert result.returncode == 0, result.stderr
        figures = json.loads(result.stdout)
        metrics = json.loads((built_sample / EVALUATION / "metrics.json").read_text("utf-8"))
        expected = metrics["datasets"]["gap"]["systems"]["token-distance"]
        assert (figures["overall"], figures["weighted_bias"]) == (expected["overall"], expected["weighted_bias"])


def test_metrics_say_of_what_they_are(built_sample):
    metrics = json.loads((built_sample / EVALUATION / "metrics.json").read_text("utf-8"))
    provenance = json.loads((built_sample / RELEASE / "provenance.json").read_text("utf-8"))
    assert metrics["release"] == {key: provenance[key] for key in ("name", "version", "logical_hash")}
    assert metrics["settings"] == {"split": "test", "resamples": 100_000, "seed": 0}
    scores = read_records(built_sample / EVALUATION / "part-00000.parquet", Score)
    value = next(it.value for it in scores if (it.system, it.figure) == ("topical", "overall.f1"))
    assert metrics["datasets"]["gap"]["systems"]["topical"]["overall"]["f1"] == value


def test_stages_tell_what_they_cost(sample_copy, gapforge):
    manifest = read_manifest(sample_copy / RELEASE)
    assert manifest.seconds > 0 and manifest.memory > 50 << 20
    result = gapforge("status", CONFIG, "--json", cwd=sample_copy)
    stages = {it["stage"]: it for it in json.loads(result.stdout)["stages"]}
    assert stages["Release"]["memory"] == manifest.memory
    assert stages["Release"]["rows"] == 7192
    assert all(it["memory"] > 0 for it in stages.values())


# Manifests tell seconds and memory, and checksums are remembered with the times of their files.
COSTS = ("_manifest.json", ".checksums.json", ".code.json")


def without_cost(page):
    """The report but for what a stage took, which is another in every run."""
    found, count = re.subn(r'<section id="cost".*?</section>', "", page, flags=re.DOTALL)
    assert count == 1
    return found


ELSEWHERE = {"PYTHONHASHSEED": "4711", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONUTF8": "0"}
ELSEWHERE |= {"TZ": "Pacific/Kiritimati"}


@pytest.mark.process
def test_another_folder_engine_seed_locale_and_time_zone_change_no_byte(built_sample, tmp_path, monkeypatch):
    """Nor does a worker of the cluster that is killed in the midst of the candidates."""
    for name, value in ELSEWHERE.items():
        monkeypatch.setenv(name, value)
    with cluster(tmp_path / "cluster", workers=2) as machines:
        command = [Path(sys.executable).parent / "gapforge", "run", "--engine", machines.engine]
        with (tmp_path / "told").open("w") as told:
            run = subprocess.Popen(command, cwd=tmp_path, stdout=told, stderr=told)
            until(
                lambda: run.poll() is not None or list(tmp_path.glob("output/sample/.Candidates-*/part-*")), minutes=5
            )
            assert run.poll() is None, (tmp_path / "told").read_text()
            machines.kill(machines.workers[0])
            assert run.wait() == 0, (tmp_path / "told").read_text()
        written = Counter(line for log in machines.logs for line in re.findall("gapforge has written (.*)", log))
    # At most the shard that the dead one was at has been written before.
    assert len(written) >= 20 and max(written.values()) <= 2 and list(written.values()).count(2) <= 1
    sums = (tmp_path / RELEASE / "SHA256SUMS").read_bytes()
    assert sums == (built_sample / RELEASE / "SHA256SUMS").read_bytes()
    for line in sums.decode().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((tmp_path / RELEASE / name).read_bytes()).hexdigest() == digest

    def contents(folder):
        kinds = (".parquet", ".txt", ".html", ".json", ".tsv", ".conll", ".md", ".cff")
        files = [it for it in (folder / "output").rglob("*") if it.suffix in kinds and it.name not in COSTS]
        read = {it.relative_to(folder).as_posix(): it.read_bytes() for it in files}
        report = (EVALUATION / "report.html").as_posix()
        return read | {report: without_cost(read[report].decode())}

    found = contents(tmp_path)
    assert found == contents(built_sample)
    wanted = [
        "GapLabelled/part-00000.parquet",
        "GapLabelled/_notes.txt",
        "evaluation/metrics.json",
        "release/README.md",
    ]
    assert {f"output/sample/{name}" for name in wanted} <= found.keys()


def test_a_second_run_does_nothing(sample_copy):
    assert stale() == set()


@pytest.mark.parametrize(
    ("name", "content"),
    [("README.md", b"mine"), ("tsv/gap-test.tsv", b""), ("gap/test-00000-of-00001.parquet", b"x")],
)
def test_a_changed_file_is_made_again(lean_copy, next_run, name, content):
    before = (RELEASE / "SHA256SUMS").read_bytes()
    (RELEASE / name).write_bytes(content)
    next_run()
    assert stale() == {"Release"}
    build_release()
    assert verify(RELEASE) == [] and (RELEASE / "SHA256SUMS").read_bytes() == before


def test_a_new_version_rebuilds_the_release_and_its_report_alone(lean_copy, next_run):
    text = CONFIG.read_text("utf-8")
    CONFIG.write_text(text.replace('version = "0.1.0"', 'version = "0.2.0"'), "utf-8")
    next_run()
    assert stale() == {"Release", "Evaluation"}


@pytest.fixture
def known_error(lean_copy, next_run) -> tuple[str, str]:
    """The id of a row of the lean sample's release, and the table of known errors that lists it."""
    (row, *_) = read_records(RELEASE / "gap" / "test-00000-of-00001.parquet", ReleasedExample)
    label = str(row.a_coref).upper()
    lines = f"config\tid\tcolumn\tfound\texpected\tnote\ngap\t{row.id}\tA-coref\t{label}\t\twrong label\n"
    Path("config/errata.tsv").write_text(lines, "utf-8")
    replace_in_config("[release]\n", '[release]\nerrata = "errata.tsv"\n')
    next_run()
    return row.id, lines


@pytest.mark.process
def test_known_errors_are_told_in_the_report(known_error):
    build(plan(CONFIG))
    assert "Known errors in errata.tsv: 1." in (EVALUATION / "report.html").read_text("utf-8")


def test_known_errors_are_listed(known_error, next_run):
    id, lines = known_error
    assert stale() == {"Release", "Evaluation"}
    build_release()
    assert (RELEASE / "errata.tsv").read_text("utf-8") == lines
    assert "1 is listed in `errata.tsv`" in (RELEASE / "README.md").read_text("utf-8")
    assert verify(RELEASE) == []
    Path("config/errata.tsv").write_text(lines.replace(id, "nobody"), "utf-8")
    next_run()
    with pytest.raises(StageError, match=r"Release: errata\.tsv: line 2: gap has no row 'nobody'; remove the line"):
        build_release()
    assert (RELEASE / "errata.tsv").read_text("utf-8") == lines  # the old release is still there, whole


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[release]\n", '[release]\nerrata = "none.tsv"\n', "[release] errata none.tsv: no such file; paths begin at"),
        (
            "fiction = ",
            "fictions = ",
            "[release.text_licenses] fictions: no such corpus; there are encyclopedia, fiction, winobias",
        ),
        ('version = "0.1.0"', 'version = "v1"', "[release] version must be three numbers such as"),
    ],
)
def test_a_bad_setting_is_found_before_the_work(sample_copy, next_run, old, new, message):
    CONFIG.write_text(CONFIG.read_text("utf-8").replace(old, new), "utf-8")
    next_run()
    with pytest.raises(ConfigError) as error:
        [stage.why_stale() for stage in plan(CONFIG)]
    assert message in str(error.value)


@pytest.mark.process
def test_without_resolvers_there_is_a_report_all_the_same(lean_copy, next_run):
    replace_in_config('resolvers = ["token-distance"]', "resolvers = []")
    next_run()
    names = [stage.name for stage in plan(CONFIG)]
    assert names[-2:] == ["Release", "Evaluation"] and "Resolutions-gap" not in names
    build(plan(CONFIG))
    assert json.loads((EVALUATION / "metrics.json").read_text("utf-8"))["datasets"] == {}
    assert "<!doctype html>" in (EVALUATION / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("other", "wanted"),
    [
        ('counter_gap = ["../samples/few.tsv"]\n', {"gap", "gap_subjective", "gap_weights"}),
        ('gap = ["../samples/referents.tsv"]\n', {"counter_gap"}),
    ],
    ids=["gap", "counter_gap"],
)
def test_one_set_alone_is_released(lean_copy, next_run, other, wanted):
    replace_in_config(other, "")
    next_run()
    shutil.rmtree(RELEASE)
    build_release()
    assert set(read_tables(RELEASE)) == wanted
    assert verify(RELEASE) == []


@pytest.mark.process
@pytest.mark.parametrize(
    ("other", "wanted"),
    [
        ('counter_gap = ["../samples/few.tsv"]\n', {"gap", "gap-subjective"}),
        ('gap = ["../samples/referents.tsv"]\n', {"counter-gap"}),
    ],
    ids=["gap", "counter_gap"],
)
def test_one_set_alone_is_measured(lean_copy, next_run, other, wanted):
    replace_in_config(other, "")
    next_run()
    build(plan(CONFIG))
    assert set(json.loads((EVALUATION / "metrics.json").read_text("utf-8"))["datasets"]) == wanted
    assert "<!doctype html>" in (EVALUATION / "report.html").read_text("utf-8")


@pytest.fixture
def without_transfer(lean_copy, next_run):
    replace_in_config("[evaluation]\n", '[subjectivity]\ntransfer = "none"\n[evaluation]\n')
    next_run()


def test_without_a_transfer_there_is_no_subjective_variant(without_transfer):
    assert not [stage.name for stage in plan(CONFIG) if "ubjective" in stage.name or stage.name == "Grammar"]
    build_release()
    assert set(read_tables(RELEASE)) == {"gap", "counter_gap", "gap_weights"}
    assert verify(RELEASE) == []


@pytest.mark.process
def test_without_a_transfer_the_report_tells_of_no_variant(without_transfer):
    build(plan(CONFIG))
    assert set(json.loads((EVALUATION / "metrics.json").read_text("utf-8"))["datasets"]) == {"gap", "counter-gap"}
    assert 'id="subjective"' not in (EVALUATION / "report.html").read_text("utf-8")


@pytest.fixture
def only_women(lean_copy, next_run):
    """No GAP example is left where only women were judged."""
    header, *lines = Path("samples/referents.tsv").read_text("utf-8").splitlines(keepends=True)
    women = [line for line in lines if re.search("\t(she|her|hers)\t", line, re.IGNORECASE)]
    Path("samples/women.tsv").write_text("".join([header, *women]), "utf-8")
    replace_in_config('\ngap = ["../samples/referents.tsv"]', '\ngap = ["../samples/women.tsv"]')
    next_run()


def test_an_empty_set_hinders_no_other(only_women):
    build_release()
    assert read_manifest(Path("output/sample/GapLabelled")).rows == 0
    assert set(read_tables(RELEASE)) == {"counter_gap"}
    assert verify(RELEASE) == []


@pytest.mark.process
def test_an_empty_set_has_no_figures(only_women):
    build(plan(CONFIG))
    assert read_manifest(Path("output/sample/Resolutions-gap")).rows == 0
    assert set(json.loads((EVALUATION / "metrics.json").read_text("utf-8"))["datasets"]) == {"counter-gap"}


def test_a_config_of_any_name_gives_a_release(lean_copy, next_run):
    config = CONFIG.rename("config/my run.toml")
    config.write_text(config.read_text("utf-8").replace('name = "gapforge-sample"\n', ""), "utf-8")
    Path("output/sample").rename("output/my run")
    next_run()
    (release,) = [stage for stage in plan(config) if stage.name == "Release"]
    build([release])
    assert json.loads((release.folder / "provenance.json").read_text("utf-8"))["name"] == "my-run"
    assert verify(release.folder) == []
