"""The command as a user calls it: its output, its exit codes, and what becomes of its processes."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent
KEPT = "nothing half-written is left, and `gapforge run` goes on with the parts it had finished"


def test_version(gapforge_process):
    from importlib.metadata import version

    result = gapforge_process("--version")
    assert (result.returncode, result.stdout) == (0, f"gapforge {version('gapforge')}\n")


def test_run_builds_then_does_nothing(gapforge, gapforge_process, workplace):
    first = gapforge_process("run", "tiny.toml", "--workers", "1", "--json")
    assert first.returncode == 0, first.stderr
    (stage,) = json.loads(first.stdout)["stages"]
    assert (stage["stage"], stage["state"], stage["rows"]) == ("Documents-texts", "built", 3)
    second = gapforge("run", "tiny.toml")
    assert second.returncode == 0
    assert "nothing to do: 1 stage up to date in output/tiny" in second.stdout


def test_status_tells_what_is_missing_stale_and_done(gapforge, workplace):
    def state():
        result = gapforge("status", "tiny.toml", "--json")
        assert result.returncode == 0, result.stderr
        (stage,) = json.loads(result.stdout)["stages"]
        return stage["state"], stage["reason"], stage["rows"]

    assert state() == ("missing", "", 0)
    assert gapforge("run", "tiny.toml", "--dry-run").returncode == 0
    assert state() == ("missing", "", 0)
    assert gapforge("run", "tiny.toml", "--workers", 1).returncode == 0
    assert state() == ("done", "", 3)
    (workplace / "raw" / "a.txt").write_text("Edited.")
    assert state() == ("stale", "input raw changed", 3)
    (workplace / "raw").rename(workplace / "elsewhere")
    assert state() == ("stale", "raw: no such file or folder; fix the path", 3)


@pytest.mark.process
def test_the_number_of_workers_changes_no_byte(gapforge, workplace):
    bytes_of = {}
    for workers in (1, 2):
        folder = workplace / f"with-{workers}"
        folder.mkdir()
        result = gapforge("run", workplace / "tiny.toml", "--workers", workers, cwd=folder)
        assert result.returncode == 0, result.stderr
        bytes_of[workers] = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*.parquet")}
    assert bytes_of[1] == bytes_of[2]
    assert len(bytes_of[1]) == 4


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (
            '[corpora.texts]\ninputs = [{ path = "raw" }]\nshrads = 2',
            2,
            "has no setting 'shrads'; did you mean 'shards'?",
        ),
        ("[corprora.texts]", 2, "no stage reads [corprora]; did you mean 'corpora'?"),
        ('[corpora.texts]\ninputs = [{ path = "raw" }]\nformat = "wikipdia"', 2, "did you mean 'wikipedia'?"),
        ('[corpora.texts]\ninputs = [{ path = "none" }]', 1, "none: no such file or folder; fix the path"),
        ('[corpora.texts]\ninputs = [{ path = "bad.txt" }]', 1, "bad.txt: byte 3: "),
        ('[corpora.texts]\ninputs = [{ path = "raw" }]\nencoding = "latin-99"', 2, "found 'latin-99'"),
        ('[corpora.texts]\ninputs = [{ path = "raw" }]\n[fetch]\npuase = 1', 2, "did you mean 'pause'?"),
        ('[corpora.texts]\ninputs = [{ path = "empty.txt" }]', 1, "its inputs give no document; left out: 1 empty"),
    ],
)
def test_failures_are_one_line_and_an_exit_code(gapforge, workplace, text, code, message):
    (workplace / "bad.txt").write_bytes(b"abc\xff")
    (workplace / "empty.txt").touch()
    (workplace / "bad.toml").write_text(text)
    result = gapforge("run", "bad.toml")
    assert result.returncode == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["run", "--wrokers", "2"], ["nonsense"], ["run", "tiny.toml", "--engine", "spark"]]
)
def test_bad_usage_is_code_2(gapforge, workplace, arguments):
    assert gapforge(*arguments).returncode == 2


def test_a_second_run_is_told_who_holds_the_lock(gapforge, workplace):
    hold = "import sys; from pathlib import Path; from gapforge.storage.files import run_lock\n"
    hold += "with run_lock(Path('output/tiny')): print(flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        result = gapforge("run", "tiny.toml")
        assert (result.returncode, result.stdout) == (3, "")
        assert f"output/tiny is being built by process {holder.pid} on" in result.stderr
        holder.stdin.close()


@pytest.mark.process
@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_an_interrupted_run_ends_cleanly_and_goes_on(gapforge, workplace, documents_only, number, code, word):
    lines = (json.dumps({"id": str(n), "text": "Text."}) + "\n" for n in range(100_000))
    (workplace / "long.jsonl").write_text("".join(lines))
    (workplace / "long.toml").write_text(documents_only + '[corpora.texts]\ninputs = [{ path = "long.jsonl" }]')
    # In a group of its own, and with Ctrl-C in force even where the tests run in the background of a script.
    process = subprocess.Popen(
        [BIN / "gapforge", "run", "long.toml"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not list((workplace / "output").glob("long/.Documents-texts.*/.part-*.tmp")):
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (code, f"gapforge: {word}; {KEPT}\n")
    assert not list((workplace / "output").rglob("*.tmp"))
    assert gapforge("run", "long.toml").returncode == 0


@pytest.mark.process
@pytest.mark.parametrize("workers", ["1", "2"])
def test_luigi_runs_the_same_stages(workplace, workers):
    config = (workplace / "tiny.toml").read_text("utf-8").replace("shards = 2", "shards = 1")
    (workplace / "tiny.toml").write_text(config + '[corpora.again]\ninputs = [{ path = "raw" }]\n', "utf-8")
    call = [BIN / "luigi", "--module", "gapforge_tasks", "Corpora", "--local-scheduler", "--config", "tiny.toml"]
    result = subprocess.run([*call, "--workers", workers], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    for name in ("texts", "again"):
        assert (workplace / "output" / "tiny" / f"Documents-{name}" / "_manifest.json").exists()


def test_a_url_is_fetched_and_read(gapforge, workplace, documents_only):
    """A config with a URL, from a server of this test's own on this machine."""
    (workplace / "served").mkdir()
    (workplace / "served" / "a.txt").write_text("From afar.")
    digest = hashlib.sha256(b"From afar.").hexdigest()
    handler = partial(SimpleHTTPRequestHandler, directory=workplace / "served")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/a.txt"
        config = documents_only
        config += f'[fetch]\npause = 0.0\n[corpora.far]\ninputs = [{{ url = "{url}", sha256 = "{digest}" }}]\n'
        (workplace / "far.toml").write_text(config)
        result = gapforge("run", "far.toml")
        assert result.returncode == 0, result.stderr
        server.shutdown()
    again = gapforge("run", "far.toml")
    assert "nothing to do: 1 stage up to date in output/far" in again.stdout
    import pandas

    assert list(pandas.read_parquet(workplace / "output" / "far" / "Documents-far")["text"]) == ["From afar."]
    (kept,) = (workplace / "output" / ".downloads").rglob("a.txt")
    kept.write_text("Tampered.")
    (workplace / "far.toml").write_text(config + "shards = 2\n")
    result = gapforge("run", "far.toml")
    assert result.returncode == 1  # The server is gone, and what is here is not the pinned file.
    assert "Connection refused" in result.stderr


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"raw/a.txt": b"\xff"}, 1),
        ({"tiny.toml": b'[corpora.texts]\ninputs = [{ path = "none" }]'}, 2),
        ({"tiny.toml": b"[fetsh]"}, 2),
    ],
)
def test_luigi_never_ends_with_0_on_failure(workplace, files, code):
    for name, data in files.items():
        (workplace / name).write_bytes(data)
    call = [BIN / "luigi", "--module", "gapforge_tasks", "Corpora", "--local-scheduler", "--config", "tiny.toml"]
    assert subprocess.run(call, capture_output=True).returncode == code


def test_documents_writes_jsonl_and_parquet(gapforge, workplace):
    for name in ("out.jsonl", "out.parquet"):
        result = gapforge("documents", "raw", "-o", name)
        assert (result.returncode, result.stdout) == (0, f"3 documents in {name}; left out: none\n"), result.stderr
    lines = [json.loads(line) for line in (workplace / "out.jsonl").read_text("utf-8").splitlines()]
    assert lines[0] == {
        "id": "a",
        "title": "a",
        "author": "",
        "url": "",
        "text": "This is the text of a.\n",
        "sections": [{"title": "", "level": 0, "start": 0, "end": 23}],
    }
    import pandas

    assert list(pandas.read_parquet(workplace / "out.parquet")["id"]) == ["a", "b", "c"]


def test_documents_leaves_nothing_half_written(gapforge_process, workplace):
    (workplace / "raw" / "b.txt").write_bytes(b"abc\xff")
    result = gapforge_process("documents", "raw", "-o", "out.jsonl")
    assert result.returncode == 1
    assert result.stderr.startswith("gapforge: raw/b.txt: byte 3: ")
    assert not list(workplace.glob("*out*"))


def test_documents_keeps_what_it_left_out(gapforge, workplace):
    (workplace / "raw" / "b.txt").write_text(" ")
    result = gapforge("documents", "raw", "-o", "out.jsonl", "--rejects", "left.jsonl")
    assert result.stdout == "2 documents in out.jsonl; left out: 1 empty\n", result.stderr
    (line,) = (workplace / "left.jsonl").read_text().splitlines()
    assert (json.loads(line)["id"], json.loads(line)["reason"]) == ("b", "empty")


def test_documents_does_not_read_what_it_wrote(gapforge, workplace):
    for _ in range(2):
        assert gapforge("documents", "raw", "-o", "raw/out.jsonl").stdout.startswith("3 documents")
    result = gapforge("documents", "raw/out.jsonl", "-o", "raw/out.jsonl")
    assert (result.returncode, result.stderr) == (
        2,
        "gapforge: raw/out.jsonl: is both input and output; write to another file\n",
    )


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("out", "out: unknown kind of output ''; choose from .jsonl, .parquet"),
        ("out.csv", "out.csv: unknown kind of output '.csv'; choose from .jsonl, .parquet"),
        ("none/out.jsonl", "none/out.jsonl: its folder does not exist; make it first"),
    ],
)
def test_documents_refuses_a_wrong_output(gapforge, workplace, output, message):
    result = gapforge("documents", "raw", "-o", output)
    assert (result.returncode, result.stderr) == (2, f"gapforge: {message}\n")


def test_completion_is_offered(gapforge_process):
    result = gapforge_process(env={**os.environ, "_GAPFORGE_COMPLETE": "source_bash"})
    assert "_GAPFORGE_COMPLETE=complete_bash" in result.stdout, result.stderr


@pytest.mark.parametrize(
    ("rejects", "message"),
    [
        ("rows.jsonl", "rows.jsonl: is both input and output; write to another file"),
        ("out.jsonl", "out.jsonl: is both output and rejects; write them to two files"),
    ],
)
def test_documents_overwrites_nothing(gapforge, workplace, rejects, message):
    (workplace / "rows.jsonl").write_text('{"id": "1", "text": "Ann."}\n')
    result = gapforge("documents", "rows.jsonl", "-o", "out.jsonl", "--rejects", rejects)
    assert (result.returncode, result.stderr) == (2, f"gapforge: {message}\n")
    assert (workplace / "rows.jsonl").stat().st_size > 0


def test_documents_refuses_two_of_one_id(gapforge, workplace):
    (workplace / "raw" / "b.md").write_text("Another b.")
    result = gapforge("documents", "raw", "-o", "out.jsonl")
    assert result.returncode == 1
    assert "a second document 'b'; rename or remove one of them" in result.stderr
    assert not (workplace / "out.jsonl").exists()
