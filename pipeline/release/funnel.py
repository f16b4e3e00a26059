"""What became of the rows from stage to stage, and what each stage took."""

from collections.abc import Iterator, Mapping

from pipeline.evaluation.charts import Point, dot_chart, length_chart
from pipeline.evaluation.report import Chart, Section, Table
from pipeline.parts import Manifest

REASONS_SHOWN = 12  # bars beside a chart of all stages that are about as tall; the table has all reasons
MEGABYTE = 1_000_000

Stages = Mapping[str, Manifest]


def funnel_section(stages: Stages) -> Section:
    """Rows in and out of each stage, and what was left out for which reason."""
    rows: dict[str, dict[str, Point]] = {}
    for name, it in stages.items():
        left_out = sum(it.rejects.values())
        rows[name] = {"rows in": (it.rows_in, None), "rows out": (it.rows, None)}
        rows[name] |= {"rejected": (left_out, None)} if left_out else {}
    charts = [Chart(dot_chart(rows, "rows", scale="symlog"), "rows in, rows out and rejected rows of each stage")]
    reasons = sorted(reasons_in(stages), key=lambda it: -it[2])
    if reasons:
        lengths = {f"{stage}: {reason}": count for stage, reason, count in reasons[:REASONS_SHOWN]}
        few = f", the {REASONS_SHOWN} most frequent" if len(reasons) > REASONS_SHOWN else ""
        charts.append(Chart(length_chart(lengths, "rejected rows"), f"reasons for which rows were rejected{few}"))
    note = "Some stages make several rows of one, or count other things than they read: documents in, candidates out."
    return Section(
        "Funnel", [note], [stage_table(stages), *reason_tables(stages), *model_tables(stages)], charts, "funnel"
    )


def reasons_in(stages: Stages) -> Iterator[tuple[str, str, int]]:
    for name, it in stages.items():
        for reason, count in sorted(it.rejects.items(), key=lambda each: (-each[1], each[0])):
            yield name, reason, count


def stage_table(stages: Stages) -> Table:
    rows = [
        [name, f"{it.rows_in:,}", f"{it.rows:,}", f"{sum(it.rejects.values()):,}", it.fingerprint]
        for name, it in stages.items()
    ]
    return Table("stages", ["stage", "rows in", "rows out", "rejected", "fingerprint"], rows)


def reason_tables(stages: Stages) -> Iterator[Table]:
    rows = [
        [name, reason, f"{count:,}", percent(count, sum(stages[name].rejects.values()))]
        for name, reason, count in reasons_in(stages)
    ]
    if rows:
        yield Table("rejected rows by reason", ["stage", "reason", "rows", "of its rejects"], rows, folded=True)


def model_tables(stages: Stages) -> Iterator[Table]:
    rows = [[name, it.identity.model] for name, it in stages.items() if it.identity.model]
    if rows:
        yield Table("models and word lists", ["stage", "models and word lists"], rows, folded=True)


def cost_section(stages: Stages) -> Section:
    """The one section that differs between two runs that made the same."""
    seconds = {name: it.seconds for name, it in stages.items()}
    memory = {name: it.memory / MEGABYTE for name, it in stages.items() if it.memory}
    charts = [Chart(length_chart(seconds, "seconds"), "how long each stage took")]
    if memory:
        charts.append(Chart(length_chart(memory, "MB"), "memory of the largest process of each stage, at its peak"))
    rows = [
        [name, f"{it.seconds:,.1f}", size(it.memory) if it.memory else "unknown", size(it.bytes)]
        for name, it in stages.items()
    ]
    total = sum(seconds.values())
    peak = f", {size(max(it.memory for it in stages.values()))} at most in one process" if memory else ""
    notes = [f"All stages together took {duration(total)}{peak}; what was up to date was not built again."]
    table = Table("time, memory and files", ["stage", "seconds", "memory", "on disk"], rows)
    return Section("Cost", notes, [table], charts, "cost")


def percent(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "undefined"


def size(count: int) -> str:
    """Bytes as people read them, in powers of ten."""
    for unit, power in (("GB", 9), ("MB", 6), ("kB", 3)):
        if count >= 10**power:
            return f"{count / 10**power:,.1f} {unit}"
    return f"{count} B"


def duration(seconds: float) -> str:
    """Seconds as people read them: 12.5 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
