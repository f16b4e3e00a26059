"""`gapforge annotate`: examples to annotators, and their answers back."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from gapforge.errors import ConfigError
from gapforge.records import Judgement
from gapforge.storage.files import check_apart, check_output, check_source, open_output, open_outputs, sha256_of
from gapforge_tasks.cli.console import AsJson, counted, reported, say

annotation = typer.Typer(no_args_is_help=True, help="Put examples to annotators, and take their answers back.")


@annotation.command("export")
@reported
def annotate_export(
    source: Annotated[
        Path,
        typer.Argument(help="The folder of a stage, such as GapExamples; candidates (.parquet, .jsonl); rows (.tsv)."),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="A new folder.")],
    format: Annotated[str, typer.Option(help="label-studio, mturk or html (pages opened from disk).")] = "label-studio",
    mode: Annotated[
        str, typer.Option(help="labels (GAP's five), highlight (names in the text), or auto: by the kind of source.")
    ] = "auto",
    known: Annotated[
        Path | None,
        typer.Option(help="Questions of known answer, in the columns of GAP; default: embedded ones."),
    ] = None,
    no_known: Annotated[bool, typer.Option("--no-known", help="Mix in no questions of known answer.")] = False,
    annotators: Annotated[int, typer.Option(help="Annotators for each question.")] = 3,
    batch_size: Annotated[int, typer.Option(min=0, help="Questions in a batch; 0: 10, and 500 for Label Studio.")] = 0,
    title: Annotated[str, typer.Option(help="The title of the Label Studio project.")] = "gapforge",
    seed: Annotated[int, typer.Option(help="Of the random order.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Write questions for annotators: a Label Studio project, or pages for Mechanical Turk or a browser."""
    from gapforge.annotation.export import ExportSettings, export
    from gapforge.annotation.questions import KNOWN

    if known and no_known:
        raise ConfigError("--known and --no-known contradict each other; choose one")
    settings = ExportSettings(format, mode, title, annotators, batch_size, seed)  # type: ignore[arg-type]
    summary = export(source, output, None if no_known else known or KNOWN, settings)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
        return
    batches = f"{summary['batches']:,} {'batch' if summary['batches'] == 1 else 'batches'}"
    say(f"{counted(summary['questions'], 'question')} and {summary['known']:,} of known answer in {batches}: {output}")
    say(f"keep {output / 'questions.jsonl'}: the import needs it, and annotators must not see it")


@annotation.command("import")
@reported
def annotate_import(
    files: Annotated[
        list[Path], typer.Argument(help="Label Studio's JSON, Mechanical Turk's CSV, or our own .jsonl, .csv or .tsv.")
    ],
    questions: Annotated[Path, typer.Option(help="The folder that the export wrote, or its questions.jsonl.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Judgements: OUT.jsonl or OUT.parquet")],
    rejects: Annotated[
        Path | None, typer.Option(help="Write every answer that is refused, and why, to this .jsonl or .parquet file.")
    ] = None,
    consensus: Annotated[
        Path | None,
        typer.Option(help="Write what most said of each instance to this .jsonl or .parquet file."),
    ] = None,
    annotators: Annotated[int, typer.Option(help="Annotators for each question.")] = 3,
    known_right: Annotated[
        float, typer.Option(help="The share of known answers that an annotator must have right.")
    ] = 0.8,
    as_json: AsJson = False,
) -> None:
    """Take answers back: each becomes a judgement under a pseudonym, or a reject with its reason."""
    from gapforge.annotation.consensus import Agreement, describe_agreement

    summary = import_answers(files, questions, output, rejects, consensus, annotators, known_right)
    if as_json:
        say(json.dumps(summary, ensure_ascii=False))
        return
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in summary["rejects"].items()) or "none"
    say(f"{counted(summary['judgements'], 'judgement')} in {output}; refused: {reasons}")
    for it in summary["annotators"]:
        known = f"{it['right']} of {it['asked']} known answers right"
        say(f"{it['pseudonym']}: {counted(it['judgements'], 'judgement')}, {known}{', removed' * it['removed']}")
    for line in describe_agreement(Agreement(**summary["agreement"])):
        say(line)
    if summary["standard"] == "silver":
        say("labels are silver: resolvers have voted, and no person has judged them")
    say(f"consensus: {', '.join(f'{count:,} {label}' for label, count in summary['consensus'].items())}")


def import_answers(
    files: Sequence[Path],
    asked: Path,
    output: Path,
    rejects: Path | None,
    consensus: Path | None,
    annotators: int,
    known_right: float,
) -> dict[str, Any]:
    """Write the judgements that the files hold, and what follows from them; the counts come back."""
    from gapforge.annotation.answerfiles import read_all
    from gapforge.annotation.consensus import Consensus, agreement_of, asked_of, collect, consensus_on, standard_of
    from gapforge.annotation.export import asked_file, read_asked
    from gapforge.annotation.judgements import judged_answers, pseudonym_prefix, survey

    settings = asked_of(annotators)
    if not 0 <= known_right <= 1:
        raise ConfigError(f"known-right must be between 0 and 1, found {known_right}")
    check_files(files, asked_file(asked), [it for it in (output, rejects, consensus) if it])
    questions = {it.instance_id: it for it in read_asked(asked)}
    read = partial(read_all, files)
    found = survey(read, questions, known_right, pseudonym_prefix(map(sha256_of, files)))

    def accepted() -> Iterator[Judgement]:
        for item in judged_answers(read, questions, found):
            written.take(item)
            if isinstance(item, Judgement):
                yield item

    with open_outputs(output, Judgement, rejects) as written:
        ballots = collect(accepted())
    labels = list(consensus_on(questions.values(), ballots, settings.annotators))
    if consensus:
        with open_output(consensus, Consensus) as write:
            for it in labels:
                write(it)
    return {
        "answers": found.answers,
        "judgements": written.records,
        "rejects": dict(sorted(written.rejects.items())),
        "annotators": [asdict(it) for it in found.annotators.values()],
        "agreement": asdict(agreement_of((it.votes for it in ballots.values()), settings.annotators)),
        "consensus": dict(sorted(Counter(it.label or it.reason for it in labels).items())),
        "standard": standard_of(ballots),
        "contradictions": sum(bool(it.contradictions) for it in ballots.values()),
        "output": str(output),
    }


def check_files(files: Sequence[Path], asked: Path, targets: Sequence[Path]) -> None:
    """Refuse what cannot be read or written, before there is any work."""
    from gapforge.annotation.answerfiles import check_kind

    for path in files:
        check_source(path)
        check_kind(path)
    if len({it.resolve() for it in targets}) < len(targets):
        raise ConfigError(f"{targets[0]}: is named for two outputs; write them to different files")
    check_apart([*files, asked], targets)
    for target in targets:
        check_output(target)
