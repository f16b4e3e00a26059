"""The modules, embedded files and packages that each stage of the sample rests on: `make closures` writes the table.

A module in many stages that should be in few is a reason to move a function: whoever edits it makes all of them stale.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from gapforge_tasks.base import Stage
from gapforge_tasks.runs import plan

TABLE = Path(__file__).parents[1] / "data" / "closures.tsv"


def closure_rows(stages: Iterable[Stage]) -> list[str]:
    """A line for each kind of stage and each thing that its code is; stages of one function share theirs."""
    return sorted({line for stage in stages for line in lines_of(stage)})


def lines_of(stage: Stage) -> Iterator[str]:
    code = stage.code()
    for kind, names in (("module", code.code), ("file", code.data), ("package", code.packages)):
        yield from (f"{stage.task_family}\t{kind}\t{name}" for name in names)


if __name__ == "__main__":
    rows = closure_rows(plan(None))
    TABLE.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    print(f"{len(rows)} rows in {TABLE}")
