import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gapforge.corpora.hub import HubName, parse_name, read
from gapforge.corpora.source import Columns, Piece, ReadSettings
from gapforge.engine.parts import write_part
from gapforge.errors import InputError
from gapforge.records import Document, Reject, Section

ROOT = Path(__file__).parents[1]
SETTINGS = ReadSettings()
ROWS = [
    {"id": "007", "text": "Marta\u2028rowed.", "title": "null"},
    {"id": "NA", "text": "NA", "title": "nan"},
    {"id": "2020-01-01", "text": "1e5", "title": ""},
]


def section(text):
    return [Section("", 0, 0, len(text))]


DOCUMENTS = [Document(row["id"], row["title"], "", "", row["text"], section(row["text"])) for row in ROWS]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hf://owner/name", HubName("owner/name", "", "", "train")),
        ("hf://name", HubName("name")),
        ("hf://owner/na.me-1@abc123", HubName("owner/na.me-1", "abc123")),
        ("hf://owner/name@refs/pr/1#test", HubName("owner/name", "refs/pr/1", "", "test")),
        ("hf://owner/name#20220301.en/train", HubName("owner/name", "", "20220301.en", "train")),
        ("hf://owner/name@v1#plain/validation", HubName("owner/name", "v1", "plain", "validation")),
    ],
)
def test_names(text, expected):
    assert parse_name(text) == expected


@pytest.mark.parametrize(
    "text", ["hf://", "hf://a/b/c", "owner/name", "hf://a b/c", "hf://a/b#c/d/e", "hf://a/b@", "hf://a/b#"]
)
def test_bad_names(text):
    with pytest.raises(
        InputError, match="wanted a name such as hf://owner/name@revision#config/split; change the input"
    ):
        parse_name(text)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Every kind of local dataset, made by the library itself where it has a way to."""
    import datasets

    datasets.disable_progress_bars()
    base = tmp_path_factory.mktemp("sets")
    rows, other = datasets.Dataset.from_list(ROWS), datasets.Dataset.from_list([{"id": "x", "text": "Other."}])
    rows.save_to_disk(base / "disk")
    datasets.DatasetDict({"test": other, "train": rows}).save_to_disk(base / "dict")
    datasets.DatasetDict({"only": rows}).save_to_disk(base / "single")
    datasets.DatasetDict({"a": rows, "b": other}).save_to_disk(base / "neither")
    for folder in (
        "parquet", "csv", "jsonl", "tsv", "validation", "mixed", "split", "empty", "remote", "damaged", "void", "aside",
        "aside/_rejects", "aside/.cache", "packed",
    ):  # fmt: skip
        (base / folder).mkdir()
    rows.to_parquet(base / "parquet" / "train-00000-of-00001.parquet")
    other.to_parquet(base / "parquet" / "test-00000-of-00001.parquet")
    rows.to_csv(base / "csv" / "data.csv")
    rows.to_csv(base / "tsv" / "data.tsv", sep="\t")
    (base / "jsonl" / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    rows.to_parquet(base / "validation" / "dev.parquet")
    rows.to_parquet(base / "mixed" / "a.parquet")
    rows.to_csv(base / "mixed" / "a.csv")
    for name in ("test", "dev"):
        rows.to_parquet(base / "split" / f"{name}.parquet")
    remote = "---\nconfigs:\n- config_name: default\n  data_files: https://example.invalid/x.csv\n---\n"
    (base / "remote" / "README.md").write_text(remote)
    (base / "damaged" / "a.parquet").write_bytes(b"PAR1 and no more")
    (base / "void" / "a.parquet").write_bytes(b"")
    rows.to_parquet(base / "aside" / "part-00000.parquet")
    other.to_parquet(base / "aside" / "_rejects" / "part-00000.parquet")
    other.to_parquet(base / "aside" / ".cache" / "part-00000.parquet")
    (base / "aside" / "_manifest.json").write_text("{}")
    (base / "packed" / "A.JSONL.GZ").write_bytes(gzip.compress((base / "jsonl" / "data.jsonl").read_bytes()))
    return base


LOCAL = [
    "disk", "dict", "dict/train", "single", "parquet", "parquet/train-00000-of-00001.parquet", "csv", "csv/data.csv",
    "tsv", "tsv/data.tsv", "jsonl", "jsonl/data.jsonl", "validation", "aside",
    "packed",
]  # fmt: skip


@pytest.mark.parametrize("name", LOCAL)
def test_local_datasets(places, name):
    assert list(read(Piece(str(places / name), name), SETTINGS)) == DOCUMENTS


KINDS = r"\.parquet, \.arrow, \.csv, \.tsv, \.json, \.jsonl"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("neither", "wanted the split 'train', found a, b; name the folder or file of one"),
        ("split", "wanted the split 'train', found validation, test; name the folder or file of one"),
        ("mixed", rf"wanted data files of one kind \({KINDS}\), found csv and parquet; name a folder with one kind"),
        ("empty", rf"wanted data files of one kind \({KINDS}\), found none; name a folder with one kind"),
        ("remote", rf"wanted data files of one kind \({KINDS}\), found none; name a folder with one kind"),
        ("remote/README.md", rf"wanted a file that ends in {KINDS}, found another; rename it"),
        ("damaged", r"wanted a dataset, found none that opens \(Parquet magic bytes not found.*\); get it again"),
        ("void", r"wanted a dataset, found none that opens \(.*\); get it again"),
        ("nowhere", "wanted a dataset, found no such file or folder; check the path, or write hf://owner/name"),
    ],
)
def test_what_is_no_dataset(places, name, message):
    with pytest.raises(InputError, match=rf"{name}: {message}"):
        list(read(Piece(str(places / name), name), SETTINGS))


def test_missing_text_column(places):
    piece = Piece(str(places / "disk"), "disk")
    expected = (
        r"disk: wanted a column 'body', found id, text, title; set \[corpora\.NAME\.columns\] text to one of them"
    )
    with pytest.raises(InputError, match=expected):
        list(read(piece, ReadSettings(columns=Columns(text="body"))))


def test_columns_and_ids_by_row(places):
    settings = ReadSettings(columns=Columns(id="key", text="title", title="id"))
    first, second, third = read(Piece(str(places / "csv" / "data.csv"), "csv/data.csv"), settings)
    assert first == Document("csv/data-0", "007", "", "", "null", section("null"))
    assert (second.id, second.title, second.text) == ("csv/data-1", "NA", "nan")
    assert third == Reject("csv/data-2", "empty", "row 2: 'title' holds no characters but white space")


def test_rows_without_text(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    ids, texts = [3, None, 5, 6], ["Marta rowed.", "Bo slept.", None, "bell \x07"]
    pq.write_table(pa.table({"id": ids, "text": texts}), tmp_path / "a.parquet")
    results = list(read(Piece(str(tmp_path / "a.parquet"), "a.parquet"), SETTINGS))
    assert [(result.id, getattr(result, "text", "")) for result in results[:2]] == [
        ("3", "Marta rowed."),
        ("a-1", "Bo slept."),
    ]
    assert results[2:] == [
        Reject("5", "no text", "row 2: wanted a string as 'text', found nothing"),
        Reject("6", "control character", "row 3: 'text' holds U+0007 at character 5"),
    ]


def run(code, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


GUARDED = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise AssertionError(event)
sys.addaudithook(refuse)
from pathlib import Path
from gapforge.corpora.hub import read
from gapforge.corpora.source import Piece, ReadSettings
for path in sys.argv[1:]:
    print(len(list(read(Piece(path, Path(path).name), ReadSettings()))))
print(sorted(Path.home().iterdir()))
"""


def test_local_datasets_touch_no_network_and_no_home(places, tmp_path):
    result = run(GUARDED, *(places / name for name in LOCAL), HOME=str(tmp_path))
    assert (result.stdout, result.stderr) == ("3\n" * len(LOCAL) + "[]\n", "")


UNREACHABLE = """
from gapforge.corpora.hub import read
from gapforge.corpora.source import Piece, ReadSettings
from gapforge.errors import InputError
from gapforge.engine.parts import write_part
try:
    list(read(Piece("hf://no-such-owner/no-such-name@main", "no-such-name"), ReadSettings()))
except InputError as error:
    print(error)
"""


# Nothing listens at the port of the second; the library tries it for half a minute.
@pytest.mark.parametrize("environment", [{"HF_HUB_OFFLINE": "1"}, {"HF_ENDPOINT": "http://127.0.0.1:9"}])
def test_a_hub_name_that_cannot_be_reached(tmp_path, environment):
    result = run(UNREACHABLE, HOME=str(tmp_path), **environment)
    start = "hf://no-such-owner/no-such-name@main: wanted a dataset, found none that opens ("
    assert result.stdout.startswith(start) and result.stdout.endswith("; check the name and the connection\n")
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""


def test_a_stage_is_a_dataset(tmp_path, make_document):
    documents = [make_document(id="1", title="One"), make_document(id="2", text="Bo slept.")]
    write_part(
        tmp_path / "part-00000.parquet",
        Document,
        [documents[0], Reject("9", "empty", ""), documents[1]],
        lambda _: None,
    )
    results = list(read(Piece(str(tmp_path), "stage"), SETTINGS))
    assert [(result.id, result.title, result.text) for result in results] == [
        (document.id, document.title, document.text) for document in documents
    ]


def test_the_library_is_loaded_only_when_a_dataset_is_read():
    code = "import sys, gapforge.corpora.hub; print('datasets' in sys.modules)"
    assert run(code).stdout == "False\n"
