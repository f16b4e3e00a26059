"""What `make same` reports: a changed row, figure or file by its place, and nothing where all is the same."""

import importlib.util
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

TOOL = Path(__file__).parent / "tools" / "same.py"


def load_tool():
    spec = importlib.util.spec_from_file_location("same", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


same = load_tool()

ROWS = [{"id": f"d-{n}", "text": f"Ann met Bo {n} times. " * 5, "places": [n, n + 1]} for n in range(300)]


def write_stage(folder, rows, parts=3, **options):
    """A stage's folder with its rows in so many parts, one reject and a note."""
    (folder / "_rejects").mkdir(parents=True, exist_ok=True)
    size = -(-len(rows) // parts)
    for n in range(parts):
        table = pa.Table.from_pylist(rows[n * size : (n + 1) * size])
        pq.write_table(table, folder / f"part-{n:05}.parquet", **options)
    pq.write_table(pa.Table.from_pylist([{"id": "d-x", "reason": "list"}]), folder / "_rejects" / "part-00000.parquet")
    (folder / "_notes.txt").write_text("300 documents\n", "utf-8")
    (folder / "_manifest.json").write_text(json.dumps({"seconds": 1.5}), "utf-8")
    return folder


@pytest.fixture
def stage(tmp_path):
    return write_stage(tmp_path / "Documents", ROWS)


def freeze_all(found):
    return {name: same.freeze(lines) for name, lines in found.items()}


def test_a_stage_has_these_entries(stage, tmp_path):
    found = same.stage_lines(tmp_path, stage)
    assert list(found) == ["Documents: rows", "Documents: columns", "Documents: rejects", "Documents: notes"]
    assert len(found["Documents: rows"]) == 300
    assert found["Documents: columns"] == ["id: string", "text: string", "places: list<element: int64>"]


def test_rows_are_the_same_however_they_are_written(stage, tmp_path):
    frozen = freeze_all(same.stage_lines(tmp_path, stage))
    for part in stage.glob("part-*.parquet"):
        part.unlink()
    write_stage(stage, ROWS, parts=5, compression="none", use_dictionary=False)
    assert same.compare(frozen, same.stage_lines(tmp_path, stage), []) == {}


def test_a_tampered_row_is_reported_by_its_place(stage, tmp_path):
    frozen = freeze_all(same.stage_lines(tmp_path, stage))
    write_stage(stage, [*ROWS[:140], ROWS[140] | {"places": [140, 142]}, *ROWS[141:]])
    different = same.compare(frozen, same.stage_lines(tmp_path, stage), [])
    assert list(different) == ["Documents: rows"]
    count, place, *rows = different["Documents: rows"]
    assert count == "300 lines -> 300 lines"
    assert place == "the first difference is in lines 141 to 142, now:"
    assert [row[:40] for row in rows] == [
        '{"id": "d-140", "places": [140, 142], "t',
        '{"id": "d-141", "places": [141, 142], "t',
    ]


def test_a_missing_last_row_is_reported(stage, tmp_path):
    frozen = freeze_all(same.stage_lines(tmp_path, stage))
    write_stage(stage, ROWS[:-2])
    assert same.compare(frozen, same.stage_lines(tmp_path, stage), [])["Documents: rows"] == [
        "300 lines -> 298 lines",
        "the first difference is in lines 299 to 300, now:",
        "nothing",
    ]


def test_rejects_notes_and_columns_are_entries_of_their_own(stage, tmp_path):
    frozen = freeze_all(same.stage_lines(tmp_path, stage))
    write_stage(stage, [{"id": it["id"], "body": it["text"], "places": it["places"]} for it in ROWS])
    (stage / "_notes.txt").write_text("301 documents\n", "utf-8")
    pq.write_table(pa.Table.from_pylist([{"id": "d-y", "reason": "list"}]), stage / "_rejects" / "part-00000.parquet")
    different = same.compare(frozen, same.stage_lines(tmp_path, stage), [])
    assert list(different) == ["Documents: columns", "Documents: notes", "Documents: rejects", "Documents: rows"]
    assert different["Documents: columns"][1:] == ["line 2: text: string -> body: string"]
    assert different["Documents: notes"][1:] == ["line 1: 300 documents -> 301 documents"]


def test_a_figure_is_reported_by_its_path_to_the_last_digit():
    old = list(same.leaves({"overall": {"f1": 0.5555555556, "p": None}, "bias": [1.0, 2.0], "by": {}}))
    new = list(same.leaves({"overall": {"p": None, "f1": 0.5555555557}, "bias": [1.0, 2.0], "by": {}}))
    assert same.difference(same.freeze(old), new) == [
        "5 lines -> 5 lines",
        "line 4: overall.f1: 0.5555555556 -> overall.f1: 0.5555555557",
    ]


def test_of_many_differing_lines_the_first_are_shown():
    old, new = [f"a {n}" for n in range(9)], [f"b {n}" for n in range(8)]
    told = same.difference(same.freeze(old), new)
    assert told[1] == "line 1: a 0 -> b 0" and len(told) == 7 and told[-1] == "and 4 more lines"


def test_new_and_gone_entries_are_reported_but_for_skipped_ones():
    frozen = freeze_all({"published/GAP: printed": ["f1: 1.0"], "commands/swap: printed": ["He left."]})
    found = {"commands/names: printed": ["Ann"]}
    assert same.compare(frozen, found, ["published/GAP"]) == {
        "commands/names: printed": ["is new"],
        "commands/swap: printed": ["is gone"],
    }


def test_what_a_release_is_made_by_is_left_out(tmp_path):
    release = tmp_path / "release"
    release.mkdir()

    def write(fingerprint, software, rows):
        made = {"gapforge:rows": rows, "gapforge:fingerprint": fingerprint}
        (release / "provenance.json").write_text(json.dumps({"agent": software, "entity": {"run:A": made}}), "utf-8")
        described = {"@id": "provenance.json", "sha256": fingerprint, "contentSize": "9 B"}
        listed = {"@id": "README.md", "sha256": "ab"}
        (release / "croissant.json").write_text(json.dumps({"distribution": [described, listed]}), "utf-8")
        (release / "SHA256SUMS").write_text(f"ab  README.md\n{fingerprint}  provenance.json\n", "utf-8")
        return same.stage_lines(tmp_path, release)

    frozen = freeze_all(write("75960a7a6edb4565", {"numpy": "2"}, 48))
    assert same.compare(frozen, write("f06b11dcd199ec6a", {"numpy": "3"}, 48), []) == {}
    assert list(same.compare(frozen, write("f06b11dcd199ec6a", {}, 49), [])) == ["release: provenance.json"]
    (release / "SHA256SUMS").write_text("ac  README.md\n", "utf-8")
    assert "release: SHA256SUMS" in same.compare(frozen, same.stage_lines(tmp_path, release), [])


def test_costs_and_models_in_the_report_are_left_out(tmp_path):
    def lines(seconds, spacy, f1):
        cost = f'<section id="cost">\n<p>{seconds} s</p>\n</section>'
        model = f'<tr><td class="words">spacy {spacy}</td></tr>'
        path = tmp_path / "report.html"
        path.write_text(f"<td>{f1}</td>\n{cost}\n{model}\n<td>75960a7a6edb4565</td>\n", "utf-8")
        return same.report_lines(path)

    assert lines(66, "3.8.18", 0.5) == lines(70, "3.8.19", 0.5) == ["<td>0.5</td>", "", "<td>…</td>", ""]
    assert lines(66, "3.8.18", 0.5) != lines(66, "3.8.18", 0.6)


def test_the_state_is_frozen():
    frozen = json.loads(TOOL.with_name("same.json").read_text("utf-8"))
    assert {name.split("/")[0] for name in frozen} == set(same.GROUPS)
    steps = {name.split(": ")[0].split("/")[1] for name in frozen}
    for chains in (same.SAMPLE, same.PUBLISHED, same.COMMANDS):
        assert {step for chain in chains.values() for step in chain} <= steps
