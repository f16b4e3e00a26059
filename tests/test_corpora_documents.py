import pytest

from gapforge.corpora.documents import check_documents, documents_of, plan_shards
from gapforge.corpora.source import CorpusSettings, Input, ReadSettings
from gapforge.engine.parts import write_part
from gapforge.errors import InputError
from gapforge.records import Document, Reject


def everything(folder, shards):
    return CorpusSettings(inputs=[Input(str(folder / "raw"))], shards=shards)


@pytest.mark.parametrize(
    ("shards", "cut"),
    [
        (1, [["a.txt", "b.txt", "sub/c.txt", "sub/d.txt"]]),
        (2, [["a.txt", "b.txt"], ["sub/c.txt", "sub/d.txt"]]),
        (4, [["a.txt"], ["b.txt"], ["sub/c.txt"], ["sub/d.txt"]]),
        (99, [["a.txt"], ["b.txt"], ["sub/c.txt"], ["sub/d.txt"]]),
    ],
)
def test_shards_are_of_about_equal_size(raw_folder, shards, cut):
    planned = plan_shards(everything(raw_folder, shards))
    assert [[piece.name for _, piece in shard] for shard in planned] == cut


def test_a_large_file_is_cut_into_as_many_parts_as_shards(tmp_path):
    line = b'{"id": "%07d", "text": "' + b"x" * 1000 + b'"}\n'
    (tmp_path / "rows.jsonl").write_bytes(b"".join(line % n for n in range(5000)))
    settings = CorpusSettings(inputs=[Input(str(tmp_path / "rows.jsonl"))], shards=4)
    shards = plan_shards(settings)
    counts = [sum(1 for _ in documents_of(shard, settings)) for shard in shards]
    assert len(counts) == 4
    assert sum(counts) == 5000
    assert max(counts) < 1.5 * min(counts)


def test_a_shard_gives_its_documents_in_order(raw_folder):
    (shard,) = plan_shards(everything(raw_folder, 1))
    documents = list(documents_of(shard, ReadSettings()))
    assert [(document.id, len(document.text)) for document in documents] == [
        ("a", 10),
        ("b", 40),
        ("sub/c", 30),
        ("sub/d", 20),
    ]


def test_two_documents_of_one_id_are_refused(tmp_path, make_document):
    for n, ids in enumerate((["1", "2"], ["3", "1"])):
        documents = [make_document(id=name) for name in ids]
        write_part(tmp_path / f"part-0000{n}.parquet", Document, documents, lambda rows: None)
    with pytest.raises(InputError, match=r"1 document ids occur more than once \(1\); rename or remove the files"):
        check_documents(tmp_path)


def test_a_corpus_without_documents_is_refused(tmp_path):
    rejects = [Reject("1", "no id", ""), Reject("2", "no id", ""), Reject("3", "empty", "")]
    write_part(tmp_path / "part-00000.parquet", Document, rejects, lambda rows: None)
    with pytest.raises(InputError, match="its inputs give no document; left out: 1 empty, 2 no id; fix its inputs"):
        check_documents(tmp_path)
