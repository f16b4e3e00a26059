"""How many rows of which gender a set holds: the tables of the card, and what `gapforge verify` holds against them."""

from collections.abc import Iterator

from pipeline.release.composition import (
    GENDERS,
    Tally,
    gap_tallies,
    sentence_tallies,
    shared_tallies,
    subjective_tally,
    variant_tally,
)
from pipeline.release.layout import Tables, rows_in

SHOWN = ("split", "label", "pattern", "page entity", "variant")  # the rest is for the report


def balance_tables(tables: Tables) -> Iterator[tuple[str, Tally]]:
    """The balance of each labelled set, by the name of its table; labels of a quadruple are those of its original."""
    if "gap" in tables:
        yield from (("`gap`, gender by", it) for it in gap_tallies(tables["gap"]) if it.property in SHOWN)
    if instances := rows_in(tables, "counter_gap"):
        originals = [row for row in instances if row.variant == "original"]
        yield "`counter_gap`, gender by", variant_tally(instances)
        yield from (("`counter_gap`, originals by", it) for it in shared_tallies(originals) if it.property in SHOWN)
    if variants := rows_in(tables, "gap_subjective"):
        yield "`gap_subjective`, gender by", subjective_tally(variants)
    if sentences := rows_in(tables, "winobias"):
        yield from (("`winobias`, gender by", it) for it in sentence_tallies(sentences))


def markdown(tally: Tally) -> str:
    """The table as a card shows it, with sums at the end of each line and below several."""
    lines = [(value, [counts[gender] for gender in GENDERS]) for value, counts in tally.counts.items()]
    if len(lines) > 1:
        lines.append(("all", [sum(tally.of(gender)) for gender in GENDERS]))
    cells = [[tally.property, *GENDERS, "all"], ["---", *["---:"] * (len(GENDERS) + 1)]]
    cells += [[value, *(f"{count:,}" for count in (*counts, sum(counts)))] for value, counts in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
