import hashlib
import os

import pytest

from gapforge.config import load_settings
from gapforge.corpora.inputs import corpus_names, download_path, find_files, input_checksums, reader_targets, resolve
from gapforge.corpora.source import Catalog, CorpusSettings, Input
from gapforge.errors import ConfigError, InputError
from gapforge.storage.files import Checksums, sha256_of

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
    def names(pattern):
        return [file.name for file in find_files(Input(str(raw_folder / pattern)), "auto")]

    assert names("raw/*.txt") == ["a.txt", "b.txt"]
    assert names("raw/?.txt") == ["a.txt", "b.txt"]
    assert names("raw/*/[cd].txt") == ["sub/c.txt", "sub/d.txt"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none.txt", r"none\.txt: no such file or folder; fix the path"),
        ("none*.txt", r"none\*\.txt: holds no file to read; fix the path"),
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


COMMIT = "0" * 40


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r'names no inputs; add inputs = \[\{ path = "\.\.\." \}\]'),
        ('inputs = [{ path = "a" }]\nshards = 0', "shards must be at least 1, found 0"),
        ("inputs = [{}]", "inputs item 1 needs either a path or a url"),
        ('inputs = [{ path = "a", url = "http://h/b" }]', "inputs item 1 needs either a path or a url"),
        ('inputs = [{ path = "a" }, { path = "a" }]', "names an input twice; remove one of them"),
        ('inputs = [{ url = "http://h/x" }]', "http://h/x has no sha256; what is fetched must be pinned"),
        (
            f'inputs = [{{ url = "ftp://h/x", sha256 = "{PIN}" }}]',
            "url must be http:// or https:// in plain ASCII",
        ),
        ('inputs = [{ path = "a", sha256 = "abc" }]', "sha256 must be 64 hexadecimal digits, found 'abc'"),
        ('inputs = [{ path = "hf://o/n@main" }]', "hf://o/n@main must be pinned by its commit; write hf://owner/name@"),
        (f'inputs = [{{ path = "hf://o/n@{COMMIT}", sha256 = "{PIN}" }}]', "must be pinned by its commit"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, text, message):
    (tmp_path / "c.toml").write_text(f"[corpora.x]\n{text}\n")
    with pytest.raises(ConfigError, match=r"c\.toml: \[corpora\.x\] .*" + message):
        load_settings(str(tmp_path / "c.toml"), "corpora.x", CorpusSettings)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "wikipdia"}, r"c\.toml: \[corpora\.x\] unknown format 'wikipdia'; did you mean 'wikipedia'\?"),
        ({"format": "no_such_package:read"}, r"\[corpora\.x\] cannot load 'no_such_package:read': no module "),
        ({"encoding": "latin-99"}, r"\[corpora\.x\] .*encoding.* found 'latin-99'"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_read(raw_folder, changes, message):
    with pytest.raises(ConfigError, match=message):
        settled(raw_folder, **changes)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://h/a/dump.xml.bz2?x=1", "dump.xml.bz2"),
        ("https://h/%2e%2e%2f%2e%2e%2frows.jsonl", "rows.jsonl"),
        ("https://h/a/%2e%2e", "download"),
        ("https://h/", "download"),
    ],
)
def test_a_download_stays_in_its_folder(tmp_path, url, name):
    assert download_path(Input(url=url, sha256=PIN.upper()), tmp_path) == tmp_path / PIN[:16] / name


def test_two_ways_to_write_one_path_are_one_input(raw_folder):
    with pytest.raises(ConfigError, match=r"c\.toml: \[corpora\.x\] names an input twice"):
        settled(raw_folder, inputs=[Input("raw"), Input("./raw")])


def test_a_file_name_that_is_no_text_is_named(raw_folder):
    (raw_folder / "raw" / os.fsdecode(b"caf\xe9.txt")).touch()
    with pytest.raises(InputError, match=r"raw: the file name 'caf\\udce9\.txt' is not UTF-8; rename the file"):
        find_files(Input(str(raw_folder / "raw")), "auto")


def test_what_begins_with_a_dot_or_an_underscore_is_passed_over_in_folders_only(tmp_path):
    for name in ("a.txt", "_b.txt", ".c.txt", "_d/e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Text.")
    assert [file.name for file in find_files(Input(str(tmp_path)), "auto")] == ["a.txt"]
    assert [file.name for file in find_files(Input(str(tmp_path / "_b.txt")), "auto")] == ["_b.txt"]


def test_of_a_mirror_each_book_is_taken_once(tmp_path):
    for name in ("1/1-0.txt", "1/1-8.txt", "1/1-h.zip", "1/1-0.zip", "2/2.txt", "essay.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Text.")
    files = find_files(Input(str(tmp_path)), "gutenberg")
    assert [file.name for file in files] == ["1/1-0.txt", "2/2.txt", "essay.txt"]


def test_a_reader_of_the_users_own_counts_as_code_and_not_as_an_input(raw_folder):
    own = "gapforge.corpora.textfiles:read_text"
    written = CorpusSettings(format=own, inputs=[Input("raw/a.txt")])
    found = settled(raw_folder, format=own, inputs=written.inputs)
    assert list(input_checksums(found, written, Checksums(raw_folder / "memory"))) == ["raw/a.txt"]
    assert reader_targets(found, written) == [own]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[corpora."../x"]', r"\[corpora\.\.\./x\] is no name for a folder; use letters"),
        (
            '[corpora.x]\ncatalog = { languages = ["en"] }',
            r"\[corpora\.x\] catalog names no file; it selects by",
        ),
        ("", r"names no corpus; add a section \[corpora\.NAME\] with inputs"),
    ],
)
def test_corpora_must_be_named_well(tmp_path, text, message):
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        corpus_names(str(tmp_path / "c.toml"))
