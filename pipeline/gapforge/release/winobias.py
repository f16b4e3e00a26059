"""The sections of a report on WinoBias: what the sentences are, and how resolvers do under either condition."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from gapforge.evaluation.figures import figures_in, shown, systems_in
from gapforge.records import Condition, Kind, WinoBiasSentence
from gapforge.report.charts import Point
from gapforge.report.page import Section, Table, dotted
from gapforge.winobias.forms import bracketed

NOTE = (
    "Two people are called by their occupations, one that is mostly women's and one that is mostly men's, and a "
    "pronoun means one of them. In type 1 the circumstance tells which, in type 2 the build of the sentence. Every "
    "sentence stands there twice: with the pronoun that the stereotype of the referent suggests (pro) and with the "
    "other (anti). Each occupation is the right answer as often as any other (Zhao et al. 2018)."
)
CONTRAST = (
    "A system passes where it does as well under both conditions. Resolvers are given the two occupations to choose "
    "from. One that does not look at gender has the same answer to both sentences of a pair, and no difference; lots "
    "(`random`) are drawn for each sentence. The difference is absolute, so that its interval never reaches below 0."
)


def sentences_section(sentences: Sequence[WinoBiasSentence]) -> Section:
    """How many sentences there are of each sort, and one of each template to read."""
    sorts = dict.fromkeys((it.split, it.kind) for it in sentences)
    rows = []
    for split, kind in sorts:
        its = [it for it in sentences if (it.split, it.kind) == (split, kind)]
        templates = len({(it.scene, it.end) for it in its})
        conditions = [sum(it.condition == condition for it in its) for condition in get_args(Condition)]
        rows.append([split, kind, f"{templates:,}", *(f"{n:,}" for n in conditions)])
    tables = [
        Table("sentences", ["split", "type", "templates", *get_args(Condition)], rows),
        Table("a sentence of each template", ["scene", "end", "sentence"], list(samples(sentences)), folded=True),
    ]
    return Section("WinoBias", [NOTE], tables, id="winobias")


def samples(sentences: Sequence[WinoBiasSentence]) -> Iterator[list[str]]:
    """The first sentence of each template, by the names of scenes."""
    first: dict[tuple[str, str], WinoBiasSentence] = {}
    for it in sentences:
        first.setdefault((it.scene, it.end), it)
    yield from ([scene, end, bracketed(first[scene, end])] for scene, end in sorted(first))


def contrast_section(result: Mapping[str, Any], resolvers: Sequence[str]) -> Section:
    """F1 of the link under either condition, their average and their difference, as in the paper's Table 2."""
    systems = systems_in(result, resolvers[0] if resolvers else "resolver")
    rows = []
    points: dict[str, dict[str, Point]] = {}
    for system, its in systems.items():
        figures = {it.name: it for it in figures_in(its)}
        for kind in (kind for kind in get_args(Kind) if kind in its):
            named = [figures[f"{kind}.{name}"] for name in ("pro", "anti", "average", "difference")]
            rows.append([system, kind, *map(str, named), shown(figures[f"{kind}.p"].value)])
            points.setdefault(system, {}).update(
                {f"{kind} {it.name.removeprefix(f'{kind}.')}": (it.value, it.interval) for it in named[:2]}
            )
    header = ["resolver", "type", "pro", "anti", "average", "difference", "p"]
    charts = dotted(points, "F1", "F1 of the pronoun's link for each type and condition, with 95 % intervals")
    table = Table("F1 by condition, with 95 % intervals (Table 2)", header, rows)
    return Section("Stereotypes in WinoBias", [CONTRAST], [table], charts, "stereotypes")
