"""What `gapforge subjective` does: GAP rows to their subjective variants, without a config."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gapforge.config import hint
from gapforge.corpora.export import check_output, open_output
from gapforge.errors import ConfigError, InputError, listed
from gapforge.groups import GENDERS
from gapforge.progress import progress
from gapforge.records import LabelledExample, Span, SubjectiveExample, SubjectiveProposal, SubjectiveSentence
from gapforge.storage.files import check_source, check_target
from gapforge.storage.tsv import Row, quadruple_of, read_rows, write_like
from gapforge.subjectivity.decisions import decide, read_scored
from gapforge.subjectivity.hooks import (
    NONE,
    SubjectivitySettings,
    Threshold,
    Thresholds,
    check_subjectivity,
    thresholds_of,
)
from gapforge.subjectivity.proposals import BATCH, Sentence, applied, passage_of, score_passages, sentences_of
from gapforge.subjectivity.variants import subjective_examples, summarise

THRESHOLDS = [field.name for field in dataclasses.fields(Thresholds)]


def settings_from(hooks: Mapping[str, Any], options: Sequence[str], thresholds: Sequence[str]) -> SubjectivitySettings:
    """The settings of a command line: hooks by name, "HOOK.NAME=VALUE" and "NAME=VALUE"."""
    given: dict[str, Any] = dict(hooks) | {"options": dict(parted(it, "HOOK.NAME=VALUE", "--option") for it in options)}
    for name, value in (parted(it, "NAME=VALUE", "--threshold") for it in thresholds):
        if name not in THRESHOLDS:
            raise ConfigError(f"--threshold {name}: no such threshold{hint(name, THRESHOLDS)}")
        try:
            given[name] = Threshold(float(value))
        except ValueError as error:
            raise ConfigError(f"--threshold {name} is {value!r}; wanted a number") from error
    try:
        return SubjectivitySettings(**given)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def parted(text: str, form: str, option: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name:
        raise ConfigError(f"{option} {text!r}: wanted {form}")
    return name, value


def subjective(
    source: Path,
    output: Path,
    settings: SubjectivitySettings,
    model: str,
    proposals: Path | None = None,
    scored: Path | None = None,
    sentences: Path | None = None,
) -> dict[str, Any]:
    """Write the variant of each row in the same columns; what became of rows and sentences comes back.

    `proposals` is written with every score, `sentences` with every decision; `scored` is an earlier file of proposals,
    which is decided on anew and nothing else asked. Rows whose words are not where they should be stay as they are.
    """
    check_files(source, [it for it in (output, proposals, sentences) if it], scored)
    if settings.transfer == NONE:
        raise ConfigError("--transfer none would make nothing subjective; name another one")
    check_subjectivity(settings)
    rows = list(read_rows(source))
    if not rows:
        raise InputError(f"{source}: no rows; there is nothing to make subjective")
    if len({row.id for row in rows}) < len(rows):
        raise InputError(f"{source}: ids occur twice; give each row its own")
    lost = {row.id: missing for row in rows if (missing := lost_in(row))}
    examples = [example_of(row) for row in rows if row.id not in lost]
    found = list(read_proposals(scored, examples)) if scored else list(told(examples, settings, model))
    decided = list(decide(found, thresholds_of(settings), settings.seed))
    variants = {it.id: it for it in subjective_examples(examples, decided)}
    for path, record, records in ((proposals, SubjectiveProposal, found), (sentences, SubjectiveSentence, decided)):
        if path:
            with open_output(path, record) as write:
                for it in records:
                    write(it)
    write_like(source, output, (as_row(row, variants[row.id]) if row.id in variants else row for row in rows))
    summary = summarise(decided, list(variants.values()), thresholds_of(settings), list(lost.values()))
    quadruples = sum(quadruple_of(row.id)[1] != "original" for row in rows)
    hooks = {role: getattr(settings, role) for role in settings.roles()}
    return {
        "rows": len(rows),
        "output": str(output),
        "hooks": hooks | settings.options,
        **summary,
        "lost": lost,
        "counterfactuals": quadruples,
    }


def check_files(source: Path, targets: Sequence[Path], scored: Path | None) -> None:
    check_source(source)
    named = [it.resolve() for it in (source, scored) if it]
    for it in targets:
        if it.resolve() in named:
            raise ConfigError(f"{it}: is named twice; inputs and outputs must be different files")
        named.append(it.resolve())
    output, *tables = targets
    if output.suffix != ".tsv":
        raise ConfigError(f"{output}: unknown kind of output {output.suffix!r}; choose from .tsv")
    check_target(output)
    for it in tables:
        check_output(it)


def told(
    examples: Sequence[LabelledExample], settings: SubjectivitySettings, model: str
) -> Iterator[SubjectiveProposal]:
    """The proposals, with a line of progress now and then."""
    count = 0
    with progress("subjective", -(-len(examples) // BATCH), "batches", "proposals") as report:
        for start in range(0, len(examples), BATCH):
            passages = map(passage_of, examples[start : start + BATCH])
            made = list(score_passages(passages, settings, {"spacy_model": model}))
            yield from made
            count += len(made)
            report(start // BATCH + 1, count)


def read_proposals(path: Path, examples: Sequence[LabelledExample]) -> Iterator[SubjectiveProposal]:
    """Proposals of an earlier call; InputError where they are of other texts, or do not fit this one."""
    asked = {(it.id, one.number): one for it in examples for one in sentences_of(passage_of(it))}
    seen: set[tuple[str, int]] = set()
    last = None
    for it in read_scored(path, SubjectiveProposal):
        place, key = f"{path}: {it.instance_id}: sentence {it.number}", (it.instance_id, it.number)
        sentence = asked.get(key)
        if sentence is None or (sentence.span, sentence.text) != (it.span, it.sentence):
            raise InputError(f"{place} is not in the input; score it again")
        if key != last and key in seen:
            raise InputError(f"{place} occurs twice, or its proposals are apart; score it again")
        if it.proposal is not None and made_of(sentence, it, place) != it.proposal:
            raise InputError(f"{place}: the edits do not make the proposal; score it again")
        seen.add(key)
        last = key
        yield it
    if missing := [f"{id} sentence {number}" for id, number in asked if (id, number) not in seen]:
        raise InputError(f"{path}: no scores for {len(missing):,} sentences: {listed(missing)}; score the input again")


def made_of(sentence: Sentence, proposal: SubjectiveProposal, place: str) -> str:
    try:
        return applied(sentence, proposal.edits)
    except ValueError as error:
        raise InputError(f"{place}: {error}; score it again") from error


def lost_in(row: Row) -> str:
    """Which of pronoun, A and B are not where the row says, or the pronoun is none; empty where all is well."""
    places = (("pronoun", row.pronoun, row.pronoun_span), ("A", row.a, row.a_span), ("B", row.b, row.b_span))
    missing = [name for name, words, span in places if not words or row.text[span.start : span.end] != words]
    if "pronoun" not in missing and row.pronoun.lower() not in GENDERS:
        missing.insert(0, "pronoun")
    return " ".join(missing)


def example_of(row: Row) -> LabelledExample:
    """A row as a run has it; what a file does not tell stands empty, and is not written."""
    return LabelledExample(
        id=row.id,
        corpus="",
        document_id="",
        url=row.source,
        start=0,
        text=row.text,
        pattern="FINALPRO",
        gender=GENDERS[row.pronoun.lower()],
        pronoun=row.pronoun_span,
        name_a=row.a_span,
        name_b=row.b_span,
        page_entity=False,
        reading=0,
        label="neither",
        agreement=1.0,
        standard="gold",
        split="test",
    )


def as_row(row: Row, variant: SubjectiveExample) -> Row:
    """The variant in the columns of its row; labels and everything else are the row's own."""

    def words(span: Span) -> str:
        return variant.text[span.start : span.end]

    return dataclasses.replace(
        row,
        text=variant.text,
        pronoun=words(variant.pronoun),
        pronoun_offset=variant.pronoun.start,
        a=words(variant.name_a),
        a_offset=variant.name_a.start,
        b=words(variant.name_b),
        b_offset=variant.name_b.start,
    )
