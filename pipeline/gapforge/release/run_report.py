"""The report of a run: what was built and how, what it is made of, how resolvers do on it, and the instances.

One file of HTML that asks nothing of a network, the same bytes for the same run but for the section on its cost.

What became of the rows from stage to stage, and what each stage took.

The stage that ends a run: resolvers measured on the sets of the release, every figure as JSON, and a report.
"""

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from markupsafe import Markup

from gapforge.engine.parts import Manifest, read_manifest, read_parts
from gapforge.engine.stages import Table as Records
from gapforge.evaluation.counter_gap import VARIANTS
from gapforge.evaluation.figures import figures_in, shown, systems_in
from gapforge.evaluation.scores import FIGURES
from gapforge.evaluation.settings import EvaluationSettings
from gapforge.evaluation.weights import HEAVY
from gapforge.records import (
    Label,
    Note,
    Pattern,
    Resolution,
    Score,
    SubjectiveExample,
    SubjectiveSentence,
    Weight,
    WinoBiasSentence,
)
from gapforge.release.card import is_silver
from gapforge.release.errata import read_errata
from gapforge.release.layout import ERRATA, read_tables
from gapforge.release.provenance import labelled_by, read_provenance, subjectivity_in
from gapforge.release.subjectivity import change_section, subjectivity_section
from gapforge.release.winobias import contrast_section, sentences_section
from gapforge.released import ReleasedExample, ReleasedInstance, ReleasedRow, ReleasedSubjective, Tables, rows_in
from gapforge.report.browser import as_script, examples_to_browse, quadruples_to_browse, variants_to_browse
from gapforge.report.charts import Point, bar_chart, dot_chart, histogram, length_chart
from gapforge.report.composition import (
    GENDERS,
    Tally,
    counter_gap_tallies,
    crossed,
    gap_tallies,
    means,
    spread,
    weighed_tallies,
)
from gapforge.report.page import Chart, Section, Table, dotted, render
from gapforge.report.tables import evaluation_section
from gapforge.resources import resource
from gapforge.storage.files import write_json, write_text
from gapforge.subjectivity.variants import summarise

REASONS_SHOWN = 12  # bars beside a chart of all stages that are about as tall; the table has all reasons
REPORT = "report.html"
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
    rows = [[name, ", ".join(models)] for name, it in stages.items() if (models := it.identity.models.values())]
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


TEMPLATE = resource("release/report.html.j2")
STYLE, SCRIPT = resource("release/report.css"), resource("release/report.js")  # which the template inlines
NAMES = {"gap": "GAP", "counter-gap": "Counter-GAP", "gap-subjective": "GAP-Subjective"}
TITLES = NAMES | {"winobias": "WinoBias"}
LABELLERS = {
    "annotators": "by annotators",
    "author": "by the author of the texts",
    "panel": "by a panel of resolvers",
}
SILVER = "silver: resolvers have voted, so that figures say how far resolvers agree, not how far they are right"
# The inconsistency of a quadruple (Counter-GAP, equations 2-4), by what the picture calls it.
INCONSISTENCIES = {
    "within masculine": "within.masculine",
    "within feminine": "within.feminine",
    "across M2F": "across.m2f",
    "across F2M": "across.f2m",
}
DELTA = "delta.value"


@dataclass(frozen=True, slots=True)
class Run:
    """All that the report tells of."""

    title: str  # such as "gapforge sample 0.1.0"
    version: str  # of the data
    stages: Mapping[str, Manifest]  # every stage up to the release by name, in order
    gap: Mapping[str, Sequence[ReleasedExample]]  # by split, may be empty
    counter_gap: Sequence[ReleasedInstance]  # may be empty
    subjective: Mapping[str, Sequence[ReleasedSubjective]]  # by split, may be empty
    weights: Sequence[Weight]  # of the weighed split of GAP, may be empty
    summary: Mapping[str, Any]  # of how the subjective variant came about, may be empty
    settings: Sequence[Sequence[str]]  # its hooks and thresholds, each with its value and source
    results: Mapping[str, Mapping[str, Any]]  # figures by kind as score_systems gives them, may be empty
    answers: Mapping[str, Mapping[str, Mapping[str, Label]]]  # kind, resolver, instance id
    resolvers: Sequence[str]
    labelled_by: Mapping[str, str]  # kind: "annotators", "author" or "panel"
    notes: Sequence[str]  # such as that labels are silver
    winobias: Sequence[WinoBiasSentence] = ()

    def splits(self, kind: str) -> Mapping[str, Sequence[ReleasedRow]]:
        """The rows of a set by split; Counter-GAP has one, which is all of it."""
        found = {"gap": self.gap, "counter-gap": {"all": self.counter_gap}, "gap-subjective": self.subjective}
        return dict(found[kind])

    def measured_splits(self, kind: str) -> list[str]:
        """The splits that resolvers were asked about."""
        asked = {id for said in self.answers.get(kind, {}).values() for id in said}
        return [split for split, rows in self.splits(kind).items() if any(row.id in asked for row in rows)]

    def rows(self, kind: str) -> list[ReleasedRow]:
        return [row for rows in self.splits(kind).values() for row in rows]

    def kinds(self) -> list[str]:
        """The sets that have rows."""
        return [kind for kind in NAMES if self.rows(kind)]

    def is_silver(self, kind: str) -> bool:
        return self.labelled_by.get(kind) == "panel" or any(row.standard == "silver" for row in self.rows(kind))


@dataclass(frozen=True, slots=True)
class Card:
    """A number that one wants to see first; `standard` is that of the labels, empty where there are none."""

    number: str
    what: str
    detail: str
    standard: str = ""


def render_report(run: Run) -> str:
    """The page; sections without data are left out."""
    browser = to_browse(run)
    return render(
        run.title,
        sections_of(run, bool(browser["sets"])),
        TEMPLATE,
        version=run.version,
        cards=list(cards_of(run)),
        notices=list(notices_of(run)),
        browser=Markup(as_script(browser)) if browser["sets"] else "",  # noqa: S704
    )


def sections_of(run: Run, browsing: bool) -> Iterator[Section]:
    if run.kinds() or run.winobias or run.notes:
        yield built_section(run)
    if run.stages:
        yield funnel_section(run.stages)
    yield from composition_sections(run)
    if run.summary and run.rows("gap-subjective"):
        yield subjectivity_section(run.summary, run.settings, [row for rows in run.subjective.values() for row in rows])
    if run.weights:
        yield weights_section(run.weights)
    if run.winobias:
        yield sentences_section(run.winobias)
    yield from evaluation_sections(run)
    if run.results.get("counter-gap"):
        yield from inconsistency_sections(run.results["counter-gap"], run.resolvers)
    if run.results.get("gap") and run.results.get("gap-subjective"):
        both = run.results["gap"], run.results["gap-subjective"]
        yield change_section(*both, run.resolvers, " and ".join(run.measured_splits("gap-subjective")))
    if run.results.get("winobias"):
        yield contrast_section(run.results["winobias"], run.resolvers)
    if browsing:
        yield Section("Instances", id="instances")
    if run.stages:
        yield cost_section(run.stages)


def notices_of(run: Run) -> Iterator[str]:
    """What every reader has to know before the figures."""
    if silver := [NAMES[kind] for kind in run.kinds() if run.is_silver(kind)]:
        yield f"The labels of {' and '.join(silver)} are {SILVER}."


def cards_of(run: Run) -> Iterator[Card]:
    if rows := run.rows("gap"):
        splits = " · ".join(f"{len(its):,} {split}" for split, its in run.gap.items())
        yield Card(f"{len(rows):,}", "GAP examples", splits, standard_of(run, "gap"))
    if run.counter_gap:
        quadruples = len({row.quadruple_id for row in run.counter_gap})
        texts = f"{len(run.counter_gap):,} texts, four of each"
        yield Card(f"{quadruples:,}", "Counter-GAP quadruples", texts, standard_of(run, "counter-gap"))
    if variants := [row for rows in run.subjective.values() for row in rows]:
        converted = sum(row.converted for row in variants)
        detail = f"{converted:,} of {len(variants):,} are GAP-Subjective, the rest as they were"
        yield Card(percent(converted, len(variants)), "GAP examples made subjective", detail)
    if rows := [row for kind in ("gap", "counter-gap") for row in run.rows(kind)]:
        feminine = sum(row.gender == "feminine" for row in rows)
        detail = f"{feminine:,} of {len(rows):,} pronouns"
        yield Card(percent(feminine, len(rows)), "feminine", detail)
    if run.winobias:
        pairs = len({it.pair_id for it in run.winobias})
        yield Card(f"{len(run.winobias):,}", "WinoBias sentences", f"{pairs:,} pairs that differ in the pronoun alone")
    if run.results:
        *first, last = [TITLES.get(kind, kind) for kind in run.results]
        sets = f"{', '.join(first)} and {last}" if first else last
        yield Card(f"{len(run.resolvers):,}", "resolvers measured", f"on {sets}")
    if run.stages:
        rejected = sum(sum(it.rejects.values()) for it in run.stages.values())
        yield Card(f"{len(run.stages):,}", "stages", f"{rejected:,} rows rejected, each with a reason")


def standard_of(run: Run, kind: str) -> str:
    return "silver" if run.is_silver(kind) else "gold"


def built_section(run: Run) -> Section:
    """Every set and split with its rows, and whose labels they have."""
    rows = []
    for kind in run.kinds():
        labelled = "as in GAP" if kind == "gap-subjective" else LABELLERS.get(run.labelled_by.get(kind, ""), "unknown")
        for split, its in run.splits(kind).items():
            numbers = [len(its), *(sum(row.gender == gender for row in its) for gender in GENDERS)]
            documents = len({(row.corpus, row.document_id) for row in its})
            counts = [f"{n:,}" for n in (*numbers, documents)]
            rows.append([NAMES[kind], split, *counts, labelled, standard_of(run, kind)])
    for split in dict.fromkeys(it.split for it in run.winobias):
        sentences = [it for it in run.winobias if it.split == split]
        genders = [sum(it.gender == gender for it in sentences) for gender in GENDERS]
        counts = [f"{n:,}" for n in (len(sentences), *genders)]
        rows.append([TITLES["winobias"], split, *counts, "", "by templates", "gold"])
    header = ["set", "split", "rows", *GENDERS, "documents", "labelled", "labels"]
    tables = [Table("sets and splits", header, rows)] if rows else []
    return Section("What was built", run.notes, tables, id="built")


def composition_sections(run: Run) -> Iterator[Section]:
    if "gap" in run.kinds():
        tallies = gap_tallies(run.gap)
        notes = []
        if run.weights:
            tallies += weighed_tallies(run.weights)
            notes.append(
                f"Names in a row and the rank of the referent among them, 1 being the nearest, are counted in the "
                f"{len(run.weights):,} rows of the split that is weighed."
            )
        split_of = {row.id: split for split, rows in run.gap.items() for row in rows}
        whole = crossed_table(run.rows("gap"), "split", lambda it: split_of[it.id], list(run.gap))
        yield composed("GAP", notes, tallies, whole, "composition-gap")
    if "counter-gap" in run.kinds():
        notes = ["Names in a row are all mentions of its four people; the rank of the referent is among these."]
        variant_of = {row.id: row.variant for row in run.counter_gap}
        whole = crossed_table(run.counter_gap, "variant", lambda it: variant_of[it.id], VARIANTS)
        yield composed("Counter-GAP", notes, counter_gap_tallies(run.counter_gap), whole, "composition-counter-gap")


def composed(name: str, notes: Sequence[str], tallies: Sequence[Tally], whole: Table, id: str) -> Section:
    held = [it for it in tallies if it.counts]
    charts = [
        Chart(
            bar_chart(list(it.counts), {gender: it.of(gender) for gender in GENDERS}, it.property),
            f"{name}: rows by {it.property} and gender of the pronoun{without(it)}",
        )
        for it in held
    ]
    rows = []
    for it in held:
        for value, counts in it.counts.items():
            rows.append([f"{it.property}: {value}", *numbers(counts)])
        if any(it.without.values()):
            rows.append([f"{it.property}: none", *numbers(it.without)])
    table = Table("rows by property", ["property", *GENDERS, "all", "feminine share"], rows, folded=True)
    return Section(f"Composition of {name}", notes, [table, whole], charts, id)


def without(tally: Tally) -> str:
    count = sum(tally.without.values())
    return f"; {count:,} rows without a true name are left out" if count else ""


def numbers(counts: Mapping[Any, int]) -> list[str]:
    total = sum(counts.values())
    return [*(f"{counts[gender]:,}" for gender in GENDERS), f"{total:,}", percent(counts["feminine"], total)]


def crossed_table(
    rows: Sequence[ReleasedRow], first: str, value_of: Callable[[ReleasedRow], str], order: Sequence[str]
) -> Table:
    """Every combination of a set's first property with pattern and label."""
    patterns: tuple[Callable[[ReleasedRow], str], Sequence[str]] = (lambda it: it.pattern, get_args(Pattern))
    labels: tuple[Callable[[ReleasedRow], str], Sequence[str]] = (lambda it: it.label, get_args(Label))
    found = crossed(rows, [(value_of, order), patterns, labels])
    header = [first, "pattern", "label", *GENDERS, "all", "feminine share"]
    cells = [[*values, *numbers(counts)] for values, counts in found]
    return Table(f"rows by {first}, pattern, label and gender", header, cells, folded=True)


def weights_section(weights: Sequence[Weight]) -> Section:
    """How weights are spread, and what they do to the two properties that they balance."""
    found = spread(weights)
    notes = [
        "Texts may differ between the genders without bias having a part in it, in how many people they name and how "
        "far the referent is. Weights make up for that (Kocijan et al. 2021).",
        f"Heaviest weight {found.heaviest:.2f}; {found.weightless:,} rows weigh nothing.",
    ]
    if found.above:
        notes.append(f"{found.above:,} rows weigh more than {HEAVY:g} and are not drawn.")
    chart = Chart(
        histogram(found.edges, {gender: found.counts[gender] for gender in GENDERS}, "weight"),
        "how many rows of each gender have which weight, in steps of 0.1",
    )
    rows = [
        [f"{it.property}, {it.gender}", f"{it.rows:,}", shown(it.plain), shown(it.deviation), shown(it.weighted)]
        for it in means(weights)
    ]
    header = ["property", "rows", "mean", "standard deviation", "weighted mean"]
    return Section("Weights", notes, [Table("before and after weighting", header, rows)], [chart], "weights")


def evaluation_sections(run: Run) -> Iterator[Section]:
    """The figures of every resolver on each set that was measured."""
    for kind, result in run.results.items():
        name = TITLES.get(kind, kind)
        splits = run.measured_splits(kind) if kind in ("gap", "gap-subjective") else []
        of = f"{name}, {' and '.join(splits)}" if splits else name
        section = evaluation_section(of, result, run.resolvers[0] if run.resolvers else "resolver")
        silver = [f"Labels are {SILVER}."] if kind in NAMES and run.is_silver(kind) else []
        whole, *further = section.tables
        yield dataclasses.replace(
            section,
            title=f"Resolvers on {name}",
            notes=[*silver, *section.notes],
            tables=[dataclasses.replace(whole, caption="every figure, with 95 % intervals"), *further],
            id=f"resolvers-{kind}",
        )


def inconsistency_sections(result: Mapping[str, Any], resolvers: Sequence[str]) -> Iterator[Section]:
    """How often the answers to the texts of one quadruple are right in one and wrong in another."""
    found = {
        system: {it.name: it for it in figures_in(its)}
        for system, its in systems_in(result, resolvers[0] if resolvers else "resolver").items()
    }

    def points(names: Mapping[str, str]) -> dict[str, dict[str, Point]]:
        return {
            system: {shown_as: (its[name].value, its[name].interval) for shown_as, name in names.items()}
            for system, its in found.items()
        }

    charts = [
        *dotted(
            points(INCONSISTENCIES),
            "inconsistency",
            "inconsistency within a gender, and across genders of quadruples whose original is masculine (M2F) or "
            "feminine (F2M), with 95 % intervals",
        ),
        *dotted(
            points({"delta": DELTA}),
            "inconsistency across genders less within",
            "what a change of gender adds to the inconsistency that a change of names alone has, with 95 % intervals; "
            "at the broken line gender makes no difference",
            line_at=0,
        ),
    ]
    named = INCONSISTENCIES | {"delta": DELTA}
    rows = [[system, *(str(its[name]) for name in named.values())] for system, its in found.items()]
    note = (
        "Two texts of a quadruple are inconsistent where a resolver is right in one and wrong in the other. Within a "
        "gender only names differ; across genders the gender does too (Xie et al. 2023, equations 2 to 4)."
    )
    table = Table("inconsistency, with 95 % intervals", ["resolver", *named], rows)
    yield Section("Inconsistency in quadruples", [note], [table], charts, "inconsistency")


def to_browse(run: Run) -> dict[str, Any]:
    sets = []
    if run.rows("gap"):
        sets.append(examples_to_browse(run.gap, run.answers.get("gap", {}), run.resolvers))
    if run.counter_gap:
        sets.append(quadruples_to_browse(run.counter_gap, run.answers.get("counter-gap", {}), run.resolvers))
    if run.rows("gap-subjective"):
        sets.append(variants_to_browse(run.subjective, run.answers.get("gap-subjective", {}), run.resolvers))
    return {"resolvers": list(run.resolvers), "sets": [it | {"name": NAMES[it["kind"]]} for it in sets]}


METRICS = "metrics.json"
# What an evaluation calls a set, and what a release does.
SETS = {"gap": "gap", "counter-gap": "counter_gap", "gap-subjective": "gap_subjective", "winobias": "winobias"}
NAMED = ("gap", "counter-gap", "gap-subjective")  # whose rows have two names and a label
SILVER_NOTE = "labels are silver: resolvers have voted, and the figures say how far resolvers agree"


def summary_of(stages: Mapping[str, Path]) -> dict[str, Any]:
    """How the subjective variant came about; nothing where there is none."""
    if "SubjectiveSentences" not in stages or "GapSubjective" not in stages:
        return {}
    sentences = read_parts(stages["SubjectiveSentences"], SubjectiveSentence)
    return summarise(sentences, read_parts(stages["GapSubjective"], SubjectiveExample))


def silver_notes(tables: Tables) -> Iterator[str]:
    for kind, name in ((kind, SETS[kind]) for kind in NAMED):
        if is_silver(rows_in(tables, name)):
            yield f"{kind}: {SILVER_NOTE}"


def answers_in(resolutions: Records[Resolution]) -> dict[str, dict[str, Label]]:
    """What each resolver said of each instance."""
    found: dict[str, dict[str, Label]] = {}
    for it in resolutions:
        found.setdefault(it.resolver, {})[it.instance_id] = it.label
    return found


def evaluation(
    release: Path,
    scores: Mapping[str, Path],
    resolutions: Mapping[str, Records[Resolution]],
    stages: Mapping[str, Path],
    settings: EvaluationSettings,
    folder: Path,
) -> Iterator[Score | Note]:
    """The stage Evaluation: figures of all sets as records, as JSON and as a report for people.

    `scores` and `resolutions` are by kind of set; `stages` are all stages before this one, in order.
    """
    tables, provenance = read_tables(release), read_provenance(release)
    results = {
        kind: json.loads(path.read_text("utf-8"))
        for kind, place in scores.items()
        if (path := place / FIGURES).exists()
    }
    yield from (score for place in scores.values() for score in read_parts(place, Score))
    release_told = {key: provenance[key] for key in ("name", "version", "logical_hash")}
    measured = {"split": settings.split, "resamples": settings.resamples, "seed": settings.seed}
    write_json(folder / METRICS, {"release": release_told, "settings": measured, "datasets": results})
    run = Run(
        title=provenance["title"],
        version=provenance["version"],
        stages={name: manifest for name, path in stages.items() if (manifest := read_manifest(path))},
        gap=tables.get("gap", {}),
        counter_gap=rows_in(tables, "counter_gap"),
        subjective=tables.get("gap_subjective", {}),
        winobias=rows_in(tables, "winobias"),
        weights=tables.get("gap_weights", {}).get(settings.split, []),
        summary=summary_of(stages),
        settings=subjectivity_in(provenance),
        results=results,
        answers={kind: answers_in(table) for kind, table in resolutions.items()},
        resolvers=settings.resolvers,
        labelled_by={kind: by for kind, name in SETS.items() if (by := labelled_by(provenance).get(name))},
        notes=[f"Known errors in {ERRATA}: {len(errata):,}."] if (errata := read_errata(release / ERRATA)) else [],
    )
    write_text(folder / REPORT, render_report(run))
    yield from map(Note, silver_notes(tables))
