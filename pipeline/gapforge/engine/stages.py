"""What a stage function is given and what it yields; shards, manifests and processes are not its business.

A stage function is a generator over records. Its parameters have the names of what it takes: a `Table` for each stage
it reads, its settings, the model. It yields records, a `Reject` for each one left out, and `Note`s for people:

    def gap_examples(candidates: Table[Candidate], settings: SamplingSettings) -> Iterator[Candidate | Reject | Note]: …

Functions that read raw files of the config take them as `files`; those that write more than a table (CoNLL, figures,
the release, the report) take the `folder` to write to.

A stage of many parts has one parameter that is different for each part: its shard. `shard` and `shards` tell a function
that asks for them which part it makes, and of how many.
"""

import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic

from gapforge.engine import Tick
from gapforge.engine.parts import part_files, write_part
from gapforge.storage.files import stamp_of
from gapforge.storage.tables import Record, read_records


@dataclass(frozen=True, slots=True)
class Table(Generic[Record]):
    """The records of one or several finished stages, in order. They can be read again."""

    record: type[Record]
    parts: tuple[Path, ...]

    @classmethod
    def of(cls, record: type[Record], folders: Iterable[Path]) -> "Table[Record]":
        return cls(record, tuple(part for folder in folders for part in part_files(folder)))

    def __iter__(self) -> Iterator[Record]:
        for part in self.parts:
            yield from read_records(part, self.record)

    def each_part(self) -> list["Table[Record]"]:
        return [Table(self.record, (part,)) for part in self.parts]

    @property
    def stamps(self) -> tuple[tuple[int, ...], ...]:
        """The state of the files: a worker that outlives a run must not remember what an earlier run read."""
        return tuple(tuple(stamp_of(part)) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Call:
    """A stage function by its name, and all it is given; `shard_by` is the parameter that takes the shard."""

    function: str
    record: type | None
    given: Mapping[str, Any]
    shard_by: str = ""

    def items(self, **more: Any) -> Iterable[Any]:
        """What the function yields; of what is given it gets what it has parameters for."""
        function: Callable[..., Any] = pkgutil.resolve_name(self.function)
        wanted = inspect.signature(function).parameters
        given = {**self.given, **more}
        return function(**{name: value for name, value in given.items() if name in wanted}) or ()

    def for_workers(self) -> "Call":
        """Without the folder, since workers only yield, and without the whole of the table that they get in parts."""
        given = {name: value for name, value in self.given.items() if name not in ("folder", self.shard_by)}
        return replace(self, given=given)


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of a stage: its number, of how many, and what it is made from."""

    number: int
    of: int
    source: Any


def make_part(call: Call, shard: Shard, path: Path, tick: Tick) -> int:
    """Write the part of one shard; returns its number of rows."""
    assert call.record is not None
    more = {"shard": shard.number, "shards": shard.of} | ({call.shard_by: shard.source} if call.shard_by else {})
    return write_part(path, call.record, call.items(**more), tick)


def files_read(call: Call, shard: Shard) -> list[Path]:
    """The files that a part is made from, for machines that do not share them."""
    return list(dict.fromkeys(files_in([call.given, shard.source])))


def files_in(value: Any) -> Iterator[Path]:
    if isinstance(value, Path):
        yield value
    elif isinstance(value, Table):
        yield from value.parts
    elif isinstance(value, Mapping):
        yield from files_in(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for it in value:
            yield from files_in(it)
