import hashlib

import pytest

from pipeline.corpora.inputs import corpus_names, find_files, input_checksums, resolve
from pipeline.corpora.source import Catalog, CorpusSettings, Input
from pipeline.errors import ConfigError, InputError
from pipeline.files import Checksums, sha256_of

PIN = "ab" * 32


def settled(folder, **changes):
    settings = CorpusSettings(**({"inputs": [Input("raw")]} | changes))
    return resolve(settings, folder, folder / "downloads", "c.toml: [corpora.x]")


def test_a_folder_gives_its_files_in_the_order_of_their_names(raw_folder):
    files = find_files(Input(str(raw_folder / "raw")), "auto")
    assert [(file.name, file.format) for file in files] == [
        ("a.txt", "text"),
        ("b.txt", "text"),
        ("sub/c.txt", "text"),
        ("sub/d.txt", "text"),
    ]


def test_a_pattern_gives_what_fits_it(raw_folder):
    assert [file.name for file in find_files(Input(str(raw_folder / "raw" / "*.txt")), "auto")] == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none.txt", r"none\.txt: no such file or folder; mend inputs in the config"),
        ("none*.txt", r"none\*\.txt: holds no file to read; mend inputs in the config"),
        ("e.png", r"e\.png: cannot tell its format from its name; give the format \(wikipedia, gutenberg"),
    ],
)
def test_what_cannot_be_found_is_named(raw_folder, path, message):
    with pytest.raises(InputError, match=message):
        find_files(Input(str(raw_folder / "raw" / path)), "auto")


def test_checksums_of_a_file_and_of_several(raw_folder):
    checksums = Checksums(raw_folder / "memory")
    one, all_of_them = Input("raw/a.txt"), Input("raw")
    found = settled(raw_folder, inputs=[one, all_of_them])
    written = CorpusSettings(inputs=[one, all_of_them])
    names = ["a.txt", "b.txt", "sub/c.txt", "sub/d.txt"]
    lines = "".join(f"{sha256_of(raw_folder / 'raw' / name)}  {name}\n" for name in names)
    assert input_checksums(found, written, checksums) == {
        "raw/a.txt": sha256_of(raw_folder / "raw" / "a.txt"),
        "raw": hashlib.sha256(lines.encode()).hexdigest(),
    }


def test_a_pin_that_does_not_fit_is_refused(raw_folder):
    pinned = [Input("raw/a.txt", sha256=PIN)]
    with pytest.raises(InputError, match=rf"a\.txt: sha256 is [0-9a-f]+, but the config pins {PIN}; restore the file"):
        input_checksums(
            settled(raw_folder, inputs=pinned), CorpusSettings(inputs=pinned), Checksums(raw_folder / "memory")
        )


def test_the_catalogue_is_an_input(raw_folder):
    catalog = Catalog(file="raw/a.txt")
    written = CorpusSettings(inputs=[Input("raw/b.txt")], catalog=catalog)
    found = settled(raw_folder, inputs=written.inputs, catalog=catalog)
    assert list(input_checksums(found, written, Checksums(raw_folder / "memory"))) == ["raw/b.txt", "raw/a.txt"]


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
def test_a_wrong_input_is_named(raw_folder, changes, message):
    with pytest.raises(ConfigError, match=message):
        settled(raw_folder, **changes)


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
