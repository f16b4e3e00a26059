"""The sections of a report on GAP-Subjective, in the order of the paper's Tables 2, 4, 7 and 8 (Pant and Dadu 2022)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gapforge.evaluation.figures import Figure, figures_in, shown, systems_in
from gapforge.evaluation.subjective import TABLE_8
from gapforge.released import ReleasedSubjective
from gapforge.report.charts import Point, bar_chart, length_chart
from gapforge.report.composition import GENDERS, subjective_tally
from gapforge.report.page import Chart, Section, Table, dotted
from gapforge.subjectivity.variants import tables_in

SENTENCES = {
    "sentences": "sentences",
    "within_gleu": "within GLEU",
    "within_perplexity": "within perplexity",
    "objective": "objective",
    "final": "final",
}
NOTE = (
    "Sentences of GAP that are objective are given words of opinion, and each edit is held against thresholds of "
    "fluency and content. The edits are made by rule or by a model, and no person has judged them; the opinions are "
    "invented."
)
PAPER = (
    "In the paper 29.3 % of the sentences are kept (Table 2), 60.6 to 63.9 % of the contexts are converted (Table 4), "
    "and all three offsets are found in 97.6 to 98.7 % (Table 7)."
)
CHANGE = (
    "Both sets have the same rows with the same labels. Their answers are resampled in pairs, so that the interval of "
    "a change is that of the change alone; p is of the change of F1, by paired randomisation. In the paper F1 falls "
    "from 0.796 to 0.789, and Bias rises from 0.984 to 1.007 (Table 8)."
)
NO_CHANGE = (
    "No resolver's answers to these rows count otherwise on the variant: that is why the intervals have no width. It "
    "says little where the rows are few."
)


def subjectivity_section(
    summary: Mapping[str, Any], settings: Sequence[Sequence[str]], rows: Sequence[ReleasedSubjective]
) -> Section:
    """How the variant came about, as `gapforge.subjectivity.variants` tells: what passed, and what was added.

    `settings` are the hooks and thresholds, each with its value and where that comes from.
    """
    *_, whole = summary["sentences"].values()
    tally = subjective_tally(rows)
    charts = [
        Chart(
            length_chart({name: whole[key] for key, name in SENTENCES.items()}, "sentences"),
            "sentences of all splits: how many there are, how many pass each threshold, and how many pass all",
        ),
        Chart(
            bar_chart(list(tally.counts), {gender: tally.of(gender) for gender in GENDERS}, tally.property),
            "GAP-Subjective: rows by whether their text was converted, and gender of the pronoun",
        ),
    ]
    tables = [Table(*it) for it in tables_in(summary)]
    return Section(
        "GAP-Subjective", list(notes_on(summary)), [*tables, *further_tables(summary, settings)], charts, "subjective"
    )


def notes_on(summary: Mapping[str, Any]) -> Iterator[str]:
    yield NOTE
    yield PAPER
    scores, phrases = summary["subjectivity"], summary["phrases"]
    if scores["before"] is not None and scores["after"] is not None:
        yield (
            f"The detector's mean score of the edited sentences is {scores['before']:.3f} before and "
            f"{scores['after']:.3f} after; it rises in {100 * scores['raised']:.1f} % of them."
        )
    if phrases["different"]:
        yield (
            f"{phrases['different']:,} different phrases were added; the most frequent is "
            f"{100 * phrases['largest_share']:.1f} % of all."
        )


def further_tables(summary: Mapping[str, Any], settings: Sequence[Sequence[str]]) -> Iterator[Table]:
    """What the edits are, and why others were refused; folded, and absent where there is nothing to tell."""
    counted = {
        "hooks and thresholds": (["hook or threshold", "value", "source"], settings),
        "sentences that were left, by reason": (["reason", "sentences"], count_rows(summary["refused"])),
        "edits by kind": (["kind", "edits"], count_rows(summary["kinds"])),
        "phrases that were added most often": (
            ["phrase", "edits"],
            [[phrase, f"{count:,}"] for phrase, count in summary["phrases"]["most_common"]],
        ),
    }
    yield from (Table(caption, header, rows, folded=True) for caption, (header, rows) in counted.items() if rows)


def count_rows(counts: Mapping[str, int]) -> list[list[str]]:
    """The most frequent first."""
    return [[name, f"{count:,}"] for name, count in sorted(counts.items(), key=lambda it: (-it[1], it[0]))]


def change_section(
    original: Mapping[str, Any], variant: Mapping[str, Any], resolvers: Sequence[str], split: str
) -> Section:
    """Table 8: each resolver on both sets, and what changes between them."""
    alone = resolvers[0] if resolvers else "resolver"
    before, after = systems_in(original, alone), systems_in(variant, alone)
    rows, changed = [], []
    points: dict[str, dict[str, Point]] = {}
    for system, its in after.items():
        figures = {it.name: it for it in figures_in(its)}
        earlier = {it.name: it for it in figures_in(before[system])}
        changes = {name: figures[f"change.{name}"] for name in TABLE_8}
        rows.append([system, "GAP", *(plain(earlier[name]) for name in TABLE_8)])
        rows.append([system, "GAP-Subjective", *(plain(figures[name]) for name in TABLE_8)])
        changed.append([system, *map(signed, changes.values()), shown(figures["change.p"].value)])
        points[system] = {
            group: (changes[f"{group}.f1"].value, changes[f"{group}.f1"].interval)
            for group in ("overall", "masculine", "feminine")
        }
    charts = dotted(
        points,
        "change of F1",
        "F1 on GAP-Subjective less F1 on GAP, overall and by gender, with 95 % intervals; at the broken line "
        "subjective language makes no difference",
        line_at=0,
    )
    tables = [
        Table(f"both sets{split and f', {split}'} (Table 8)", ["resolver", "set", *TABLE_8.values()], rows),
        Table("changes, with 95 % intervals", ["resolver", *TABLE_8.values(), "p"], changed),
    ]
    notes = [CHANGE, *([NO_CHANGE] if all(is_nothing(it) for its in points.values() for it in its.values()) else [])]
    return Section("From GAP to GAP-Subjective", notes, tables, charts, "subjective-change")


def is_nothing(point: Point) -> bool:
    """Whether no resample has a change."""
    return point[0] == 0 and point[1] is not None and not any(point[1])


def plain(it: Figure) -> str:
    """A figure to three decimals, as the paper has them; its interval is told among all figures of its set."""
    return "undefined" if it.value is None else f"{it.value:.3f}"


def signed(it: Figure) -> str:
    """A change with its sign, and those of the ends of its interval."""
    if it.value is None:
        return "undefined"
    return f"{it.value:+.3f}" + (f" [{it.interval[0]:+.3f}, {it.interval[1]:+.3f}]" if it.interval else "")
