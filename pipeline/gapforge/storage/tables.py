"""Parquet files of records: the Arrow schema follows from the record type, never from the data.

A schema guessed from the first rows fails on a late `None` after hours of work; one
derived from the type cannot. Compression, level and page checksums are fixed here, so
that the same records give the same bytes.
"""

import dataclasses
import re
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from gapforge.errors import InputError, one_line

Record = TypeVar("Record")

SCALARS = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}

COMPRESSION = "zstd"

# A row group is what a reader holds in memory: many short records, or a few whole books.
GROUP_ROWS = 1_000
GROUP_CHARACTERS = 8_000_000


def arrow_type(hint: Any) -> pa.DataType:
    if hint in SCALARS:
        return SCALARS[hint]
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return pa.struct(list(schema_of(hint)))
    if get_origin(hint) is Literal:
        return pa.string()
    if get_origin(hint) is list:
        return pa.list_(pa.field("item", arrow_type(get_args(hint)[0]), nullable=False))
    raise TypeError(f"no Arrow type for {hint!r}; use str, int, float, bool, Literal, list or a dataclass")


@cache
def schema_of(record: type) -> pa.Schema:
    fields = []
    for name, hint in get_type_hints(record).items():
        inner = without_none(hint)
        fields.append(pa.field(name, arrow_type(inner), nullable=inner is not hint))
    return pa.schema(fields)


def without_none(hint: Any) -> Any:
    if get_origin(hint) in (types.UnionType, Union) and type(None) in get_args(hint):
        (hint,) = set(get_args(hint)) - {type(None)}
    return hint


class RecordWriter:
    """Writes records of one type to a Parquet file, row group by row group; close it to complete the file."""

    def __init__(self, path: Path, record: type) -> None:
        self.schema = schema_of(record)
        self.rows: list[dict[str, Any]] = []
        self.characters = 0
        self.writer = pq.ParquetWriter(
            path, self.schema, compression=COMPRESSION, compression_level=3, write_page_checksum=True, store_schema=True
        )

    def write(self, record: Any) -> None:
        row = dataclasses.asdict(record)
        self.rows.append(row)
        self.characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(self.rows) >= GROUP_ROWS or self.characters >= GROUP_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        if self.rows:
            self.writer.write_table(pa.Table.from_pylist(self.rows, self.schema))
        self.rows, self.characters = [], 0

    def close(self) -> None:
        self.flush()
        self.writer.close()


def write_records(path: Path, records: Iterable[Any], record: type) -> None:
    writer = RecordWriter(path, record)
    for item in records:
        writer.write(item)
    writer.close()


def read_records(path: Path, record: type[Record]) -> Iterator[Record]:
    """The records of a Parquet file in order, a row group in memory at a time; a damaged file raises InputError."""
    build = builder(record)
    try:
        file = pq.ParquetFile(path, page_checksum_verification=True)
        for batch in file.iter_batches(batch_size=GROUP_ROWS, columns=schema_of(record).names):  # type: ignore[arg-type]
            for row in batch.to_pylist():
                yield build(row)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: not a readable Parquet file ({one_line(error)}); build it again") from error


def builder(hint: Any) -> Callable[[Any], Any]:
    """The function that turns Arrow's plain value back into the type."""
    hint = without_none(hint)
    if get_origin(hint) is list:
        item = builder(get_args(hint)[0])
        return (lambda values: values) if item is identity else (lambda values: [item(value) for value in values])
    if not (isinstance(hint, type) and dataclasses.is_dataclass(hint)):
        return identity
    parts = {name: builder(part) for name, part in get_type_hints(hint).items()}
    nested = {name: build for name, build in parts.items() if build is not identity}

    def build_record(row: dict[str, Any]) -> Any:
        for name, build in nested.items():
            if row[name] is not None:
                row[name] = build(row[name])
        return hint(**row)

    return build_record


def identity(value: Any) -> Any:
    return value


SPLIT_FILE = re.compile(r"(\w+)-\d{5}-of-\d{5}\.parquet")


def split_files(folder: Path) -> dict[str, Path]:
    """The tables of a released set by split, named as `datasets` names them: test-00000-of-00001.parquet."""
    named = {path: SPLIT_FILE.fullmatch(path.name) for path in sorted(folder.glob("*.parquet"))}
    return {match[1]: path for path, match in named.items() if match}


def row_count(path: Path) -> int:
    return int(metadata_of(path).num_rows)


def metadata_of(path: Path) -> pq.FileMetaData:
    try:
        return pq.read_metadata(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: not a readable Parquet file ({one_line(error)}); build it again") from error


def column_bytes(path: Path, name: str) -> int:
    """The bytes of a column of strings before compression, told without reading it; of English about its characters."""
    metadata = metadata_of(path)
    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    columns = [group.column(n) for group in groups for n in range(group.num_columns)]
    return sum(int(it.total_uncompressed_size) for it in columns if it.path_in_schema == name)


def compressions(path: Path) -> set[str]:
    """How the columns of a file are compressed."""
    metadata = pq.read_metadata(path)
    groups = (metadata.row_group(n) for n in range(metadata.num_row_groups))
    return {str(group.column(n).compression) for group in groups for n in range(group.num_columns)}


def schema_on_disk(path: Path) -> pa.Schema:
    try:
        return pq.read_schema(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: not a readable Parquet file ({one_line(error)}); build it again") from error


def read_column(paths: Sequence[Path], name: str) -> pa.ChunkedArray:
    """One column of several files of the same type, one after another."""
    return pa.concat_tables(pq.read_table(path, columns=[name]) for path in paths).column(name)
