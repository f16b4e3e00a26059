from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.errors import InputError
from gapforge.records import Document, Section, Span
from gapforge.storage import tables
from gapforge.storage.tables import column_bytes, read_records, row_count, schema_of, write_records


@dataclass(frozen=True, slots=True)
class Everything:
    name: str
    count: int
    share: float
    sure: bool
    gender: Literal["feminine", "masculine"]
    span: Span
    spans: list[Span]
    words: list[str]
    note: str | None
    maybe: Span | None


FULL = Everything("n", 3, 0.5, True, "feminine", Span(0, 1), [Span(1, 2), Span(3, 4)], ["a", "NA"], "x", Span(5, 6))
BARE = Everything("", 0, 0.0, False, "masculine", Span(0, 0), [], [], None, None)


def test_records_come_back_as_they_were(tmp_path):
    write_records(tmp_path / "t.parquet", [FULL, BARE], Everything)
    assert list(read_records(tmp_path / "t.parquet", Everything)) == [FULL, BARE]


def test_schema_follows_from_the_type_alone():
    schema = schema_of(Everything)
    assert schema.field("name") == pa.field("name", pa.string(), nullable=False)
    assert schema.field("note") == pa.field("note", pa.string(), nullable=True)
    span = pa.struct([pa.field("start", pa.int64(), nullable=False), pa.field("end", pa.int64(), nullable=False)])
    assert schema.field("spans").type == pa.list_(pa.field("item", span, nullable=False))


def test_a_type_without_an_arrow_type_is_refused():
    @dataclass
    class Loose:
        metadata: dict

    with pytest.raises(TypeError, match="no Arrow type for <class 'dict'>; use str, int"):
        schema_of(Loose)


@given(
    st.lists(st.builds(Document, *[st.text()] * 5, st.lists(st.builds(Section, st.text(), *[st.integers(0, 9)] * 3))))
)
def test_any_text_survives(tmp_path_factory, documents):
    path = tmp_path_factory.mktemp("t") / "t.parquet"
    write_records(path, documents, Document)
    assert list(read_records(path, Document)) == documents


def test_the_same_records_give_the_same_bytes(tmp_path, make_document):
    for name in ("a", "b"):
        write_records(tmp_path / name, (make_document(id=str(n)) for n in range(2500)), Document)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_row_groups_are_cut_by_rows_and_by_characters(tmp_path, make_document, monkeypatch):
    monkeypatch.setattr(tables, "GROUP_ROWS", 4)
    monkeypatch.setattr(tables, "GROUP_CHARACTERS", 1000)
    records = [make_document(text="x" * (600 if n < 2 else 1)) for n in range(10)]
    write_records(tmp_path / "t", records, Document)
    metadata = tables.pq.read_metadata(tmp_path / "t")
    assert [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)] == [2, 4, 4]
    assert row_count(tmp_path / "t") == 10


def test_a_damaged_table_is_named(tmp_path, make_document):
    path = tmp_path / "t.parquet"
    write_records(path, [make_document(text="word " * 5000)], Document)
    data = bytearray(path.read_bytes())
    path.write_bytes(data[:-20])
    with pytest.raises(InputError, match=r"t\.parquet: not a readable Parquet file .*; build it again"):
        row_count(path)
    data[60] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"t\.parquet: not a readable Parquet file"):
        list(read_records(path, Document))


def test_the_bytes_of_a_column_are_told_without_reading_it(tmp_path, make_document):
    """Each string has four bytes of length beside it, and each page a header."""
    texts = [f"{n:04}" * 250 for n in range(299)]
    write_records(tmp_path / "t.parquet", [make_document(id=str(n), text=it) for n, it in enumerate(texts)], Document)
    assert column_bytes(tmp_path / "t.parquet", "text") == pytest.approx(299_000, rel=0.02)
