import hashlib

import pytest

from pipeline.corpora.documents import (
    check_ids,
    corpus_names,
    find_files,
    input_checksums,
    plan_shards,
    read_shard,
    resolve,
)
from pipeline.corpora.source import Catalog, CorpusSettings, Input
from pipeline.errors import ConfigError, InputError
from pipeline.files import Checksums, sha256_of
from pipeline.parts import write_part
from pipeline.records import Document

PIN = "ab" * 32


@pytest.fixture
def folder(tmp_path):
    """Six files of different sizes, two of them below a folder, one hidden."""
    for name, size in {
        "b.txt": 40,
        "a.txt": 10,
        "sub/c.txt": 30,
        "sub/d.txt": 20,
        ".hidden.txt": 5,
        "e.png": 9,
    }.items():
        path = tmp_path / "raw" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x" * size)
    return tmp_path


def settled(folder, **changes):
    settings = CorpusSettings(**({"inputs": [Input("raw")]} | changes))
    return resolve(settings, folder, folder / "downloads", "c.toml: [corpora.x]")


def test_a_folder_gives_its_files_in_the_order_of_their_names(folder):
    files = find_files(Input(str(folder / "raw")), "auto")
    assert [(file.name, file.format) for file in files] == [
        ("a.txt", "text"),
        ("b.txt", "text"),
        ("sub/c.txt", "text"),
        ("sub/d.txt", "text"),
    ]


def test_a_pattern_gives_what_fits_it(folder):
    assert [file.name for file in find_files(Input(str(folder / "raw" / "*.txt")), "auto")] == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none.txt", r"none\.txt: no such file or folder; mend inputs in the config"),
        ("none*.txt", r"none\*\.txt: holds no file to read; mend inputs in the config"),
        ("e.png", r"e\.png: cannot tell its format from its name; give the format \(wikipedia, gutenberg"),
    ],
)
def test_what_cannot_be_found_is_named(folder, path, message):
    with pytest.raises(InputError, match=message):
        find_files(Input(str(folder / "raw" / path)), "auto")


@pytest.mark.parametrize(
    ("shards", "cut"),
    [
        (1, [["a.txt", "b.txt", "sub/c.txt", "sub/d.txt"]]),
        (2, [["a.txt", "b.txt"], ["sub/c.txt", "sub/d.txt"]]),
        (4, [["a.txt"], ["b.txt"], ["sub/c.txt"], ["sub/d.txt"]]),
        (99, [["a.txt"], ["b.txt"], ["sub/c.txt"], ["sub/d.txt"]]),
    ],
)
def test_shards_are_of_about_equal_size(folder, shards, cut):
    planned = plan_shards(settled(folder, shards=shards))
    assert [[piece.name for _, piece in shard] for shard in planned] == cut


def test_a_shard_gives_its_documents_in_order(folder):
    (shard,) = plan_shards(settled(folder, shards=1))
    documents = list(read_shard(shard, settled(folder)))
    assert [(document.id, len(document.text)) for document in documents] == [
        ("a", 10),
        ("b", 40),
        ("sub/c", 30),
        ("sub/d", 20),
    ]


def test_checksums_of_a_file_and_of_several(folder):
    checksums = Checksums(folder / "memory")
    one, all_of_them = Input("raw/a.txt"), Input("raw")
    found = settled(folder, inputs=[one, all_of_them])
    written = CorpusSettings(inputs=[one, all_of_them])
    names = ["a.txt", "b.txt", "sub/c.txt", "sub/d.txt"]
    lines = "".join(f"{sha256_of(folder / 'raw' / name)}  {name}\n" for name in names)
    assert input_checksums(found, written, checksums) == {
        "raw/a.txt": sha256_of(folder / "raw" / "a.txt"),
        "raw": hashlib.sha256(lines.encode()).hexdigest(),
    }


def test_a_pin_that_does_not_fit_is_refused(folder):
    pinned = [Input("raw/a.txt", sha256=PIN)]
    with pytest.raises(InputError, match=rf"a\.txt: sha256 is [0-9a-f]+, but the config pins {PIN}; restore the file"):
        input_checksums(settled(folder, inputs=pinned), CorpusSettings(inputs=pinned), Checksums(folder / "memory"))


def test_the_catalogue_is_an_input(folder):
    catalog = Catalog(file="raw/a.txt")
    written = CorpusSettings(inputs=[Input("raw/b.txt")], catalog=catalog)
    found = settled(folder, inputs=written.inputs, catalog=catalog)
    assert list(input_checksums(found, written, Checksums(folder / "memory"))) == ["raw/b.txt", "raw/a.txt"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputs": []}, r'\[corpora\.x\] names no inputs; add inputs = \[\{ path = "\.\.\." \}\]'),
        ({"shards": 0}, r"\[corpora\.x\] shards must be at least 1, found 0"),
        ({"inputs": [Input()]}, "inputs item 1 needs either a path or a url"),
        ({"inputs": [Input("a", url="b")]}, "inputs item 1 needs either a path or a url"),
        ({"inputs": [Input(url="http://h/x")]}, "http://h/x has no sha256; what is fetched must be pinned"),
        ({"inputs": [Input("hf://o/n")]}, "hf://o/n names no revision; write hf://owner/name@revision"),
    ],
)
def test_a_wrong_input_is_named(folder, changes, message):
    with pytest.raises(ConfigError, match=message):
        settled(folder, **changes)


def test_two_documents_of_one_id_are_refused(tmp_path, make_document):
    for n, ids in enumerate((["1", "2"], ["3", "1"])):
        documents = [make_document(id=name) for name in ids]
        write_part(tmp_path / f"part-0000{n}.parquet", Document, documents, lambda rows: None)
    with pytest.raises(InputError, match=r"1 document ids occur more than once \(1\); does the config name a file"):
        check_ids(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[corpora."../x"]', r"\[corpora\.\.\./x\] is no name for a folder; use letters"),
        ("", r"names no corpus; add a section \[corpora\.NAME\] with inputs"),
    ],
)
def test_corpora_must_be_named_well(tmp_path, text, message):
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        corpus_names(str(tmp_path / "c.toml"))
