"""`gapforge augment`, `gapforge name-pairs` and `gapforge balance` as a user calls them."""

import json
import shutil
from pathlib import Path

import pytest

from gapforge.counterfactuals.augmented import METHODS, check_method, counterpart_for
from gapforge.counterfactuals.matching import name_table
from gapforge.errors import ConfigError
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.storage.conll import read_documents

SAMPLE = Path(__file__).parents[1] / "resources" / "samples" / "training.conll"
# Padded, without tags and names, and with a comment ahead.
SMALL = "# by hand\n#begin document (x); part 000\nx   0   0    He   (1)\nx   0   1  left     -\n\n#end document\n"
COUNTERPART = (
    "#begin document (x-swap); part 000\nx-swap   0   0   She   (1)\nx-swap   0   1  left     -\n\n#end document\n"
)
OPEN = "#begin document (x); part 000\nx 0 0 He (1\n#end document\n"
THERE = "the counterpart would be x-swap, which is there already; augment the file without counterparts"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder to work in, with files to read and files that cannot be read."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(SAMPLE, "sample.conll")
    Path("small.conll").write_bytes(SMALL.encode())
    Path("both.conll").write_bytes((SMALL + COUNTERPART).encode())
    Path("open.conll").write_bytes(OPEN.encode())
    Path("latin.conll").write_bytes(SMALL.replace("left", "é").encode("latin-1"))
    Path("counts.txt").write_bytes(b"nurse\t1 4 0 0\nguard\t2 2 0 0\n")
    Path("bad.txt").write_bytes(b"nurse\t1 4 0 0\nguard 2 2\n")
    return tmp_path


def words_of(path):
    return [" ".join(document.words) for document in read_documents(path)]


def test_augment_for_people_and_for_programs(gapforge, place):
    result = gapforge("augment", "--method", "swap", "small.conll", "-o", "out.conll")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "2 documents, 4 tokens in out.conll, half of them counterparts by swap\n"
    assert (place / "out.conll").read_bytes().decode() == SMALL + COUNTERPART
    result = gapforge("augment", "--method", "swap", "sample.conll", "-o", "out.conll", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == '{"method": "swap", "documents": 6, "tokens": 428, "output": "out.conll"}\n'
    assert (place / "out.conll").read_bytes().startswith(SAMPLE.read_bytes())


def test_anonymised_originals(gapforge_process, place):
    result = gapforge_process(
        "augment", "--method", "a-cda", "sample.conll", "-o", "out.conll", "--anonymise-originals"
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "6 documents, 428 tokens in out.conll, half of them counterparts by a-cda\n"
    begun = [words.split(" .")[0] for words in words_of(place / "out.conll")]
    assert begun == [
        "Mayor E1 E2 opened the new harbour on Monday",
        "E1 E2 is a nurse , and her husband E3 is a baker",
        "Captain E1 E2 wrote to Mrs. E3 E4 every week",
        "Mayor E1 E2 opened the new harbour on Monday",
        "E1 E2 is a nurse , and his wife E3 is a baker",
        "Captain E1 E2 wrote to Mr. E3 E4 every week",
    ]
    for document, original in zip(read_documents(place / "out.conll"), read_documents(SAMPLE), strict=False):
        assert (document.key, document.entities) == (original.key, original.entities)
    text = (place / "out.conll").read_text("utf-8")
    assert [name for name in ("Maria", "Lopez", "Daniel", "Reed", "Helen", "Holt", "Clara") if name in text] == []


@pytest.mark.corpus
def test_name_pairs_are_what_n_cda_exchanges(gapforge, gapforge_process, place):
    """All that needs the table of names, which takes long where it was never made."""
    pairs = name_table()
    counts = {kind: sum(it.kind == kind for it in pairs) for kind in ("always", "mostly")}
    result = gapforge("name-pairs", "-o", "pairs.tsv", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    said = json.loads(result.stdout)
    assert (said["pairs"], said["output"]) == (len(pairs), "pairs.tsv")
    assert {kind: it["pairs"] for kind, it in said["kinds"].items()} == counts == {"always": 18_506, "mostly": 568}
    header, *lines = (place / "pairs.tsv").read_text("utf-8").splitlines()
    assert header == "masculine\tfeminine\tkind\tcost"
    assert lines == [f"{it.masculine}\t{it.feminine}\t{it.kind}\t{it.cost:.6f}" for it in pairs]
    for kind, it in said["kinds"].items():
        costs = [float(line.split("\t")[3]) for line in lines if line.split("\t")[2] == kind]
        assert it["cost"] == pytest.approx(sum(costs), abs=0.01)
    shown = ", ".join(f"{it['pairs']:,} {kind} at {it['cost']:,.2f}" for kind, it in said["kinds"].items())
    result = gapforge_process("name-pairs", "-o", "pairs.tsv")
    assert (result.returncode, result.stdout) == (0, f"19,074 pairs in pairs.tsv: {shown}\n")

    result = gapforge("augment", "--method", "n-cda", "sample.conll", "-o", "out.conll", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {"method": "n-cda", "documents": 6, "tokens": 428, "output": "out.conll"}
    assert (place / "out.conll").read_bytes().startswith(SAMPLE.read_bytes())
    partner = {it.masculine: it.feminine for it in pairs} | {it.feminine: it.masculine for it in pairs}
    assert words_of(place / "out.conll")[4].split(" .")[0] == (
        f"{partner['Maria']} Lopez is a nurse , and his wife {partner['Daniel']} is a baker"
    )
    speakers = {speaker for document in read_documents(place / "out.conll") for speaker in document.speakers}
    assert speakers == {"-", "Maria_Lopez", f"{partner['Maria']}_Lopez"}


def test_balance_for_people_and_for_programs(gapforge, gapforge_process, place):
    result = gapforge_process("balance", "counts.txt", "-o", "out.txt")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "2 phrases in out.txt, 1 of them changed\n"
    assert (place / "out.txt").read_bytes() == b"nurse\t3 3 0 0\nguard\t2 2 0 0\n"
    result = gapforge("balance", "out.txt", "-o", "out.gz", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == '{"phrases": 2, "changed": 0, "output": "out.gz"}\n'


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["augment", "--method", "swp", "small.conll", "-o", "x"], 2, "unknown method 'swp'; did you mean 'swap'?"),
        (["augment", "--method", "cda", "small.conll", "-o", "x"], 2, "unknown method 'cda'; did you mean 'n-cda'?"),
        (
            ["augment", "--method", "x", "small.conll", "-o", "x"],
            2,
            "unknown method 'x'; choose from swap, a-cda, n-cda",
        ),
        (
            ["augment", "--method", "swap", "small.conll", "-o", "x", "--anonymise-originals"],
            2,
            "only a-cda puts placeholders in the places of names, and this is swap; leave it out",
        ),
        (
            ["augment", "--method", "swap", "small.conll", "-o", "../{here}/small.conll"],
            2,
            "small.conll: is both input and output; write to another file",
        ),
        (
            ["augment", "--method", "swap", "small.conll", "-o", "none/x"],
            2,
            "none/x: its folder does not exist; make it first",
        ),
        (["augment", "--method", "swap", "small.conll", "-o", "."], 2, ".: is a folder; name a file"),
        (["augment", "--method", "swap", "lost.conll", "-o", "x"], 1, "lost.conll: no such file; fix the path"),
        (["augment", "--method", "swap", ".", "-o", "x"], 1, ".: is a folder; name a file"),
        (["augment", "--method", "swap", "both.conll", "-o", "x"], 1, f"both.conll: line 2: {THERE}"),
        (
            ["augment", "--method", "a-cda", "open.conll", "-o", "x"],
            1,
            "open.conll: line 2: the mention (1 is never closed in its document",
        ),
        (
            ["augment", "--method", "swap", "latin.conll", "-o", "x"],
            1,
            "latin.conll: line 4: byte 11: not UTF-8; save it as UTF-8",
        ),
        (
            ["augment", "--method", "swap", "small.conll", "-o", "x", "--model", "nonsense"],
            2,
            "'nonsense': no such spaCy model is installed; install it, or name another one or a folder",
        ),
        (["name-pairs", "-o", "none/x.tsv"], 2, "none/x.tsv: its folder does not exist; make it first"),
        (
            ["balance", "bad.txt", "-o", "x"],
            1,
            "bad.txt: line 2: 'guard 2 2'; wanted a phrase, a tab, and the counts of its masculine and feminine uses",
        ),
        (["balance", "lost.txt", "-o", "x"], 1, "lost.txt: no such file; fix the path"),
        (
            ["balance", "counts.txt", "-o", "./counts.txt"],
            2,
            "counts.txt: is both input and output; write to another file",
        ),
    ],
)
def test_a_wrong_call_is_one_line_and_an_exit_code(gapforge, place, arguments, code, message):
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    result = gapforge(*(it.replace("{here}", place.name) for it in arguments))
    assert (result.returncode, result.stdout, result.stderr) == (code, "", f"gapforge: {message}\n")
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before


def test_a_method_must_be_named(gapforge, place):
    result = gapforge("augment", "small.conll", "-o", "x")
    assert result.returncode == 2
    assert "Missing option '--method'" in result.stderr


@pytest.mark.parametrize("method", METHODS)
def test_methods_are_known(method):
    assert check_method(method) == method


def test_only_names_exchanged_need_the_table():
    for method in ("swap", "a-cda"):
        assert counterpart_for(method, False, DEFAULT_MODEL).partners == {}
    with pytest.raises(ConfigError) as caught:
        counterpart_for("n-cda", True, DEFAULT_MODEL)
    assert str(caught.value) == "only a-cda puts placeholders in the places of names, and this is n-cda; leave it out"
