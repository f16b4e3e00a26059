"""What `gapforge annotate import` does: files of answers to judgements, without a config."""

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from gapforge.annotation.answerfiles import check_kind, read_all
from gapforge.annotation.consensus import agreement_of, asked_of, collect, verdict_on
from gapforge.annotation.export import QUESTIONS
from gapforge.annotation.judgements import judged_answers, pseudonym_prefix, survey
from gapforge.annotation.questions import check, content_hash
from gapforge.corpora.export import check_output, drop, open_output
from gapforge.errors import ConfigError, InputError
from gapforge.records import Judgement, Label, Question, Reject, Standard
from gapforge.storage.files import check_source, read_text, sha256_of
from gapforge.storage.tables import builder


@dataclasses.dataclass(frozen=True, slots=True)
class Consensus:
    """The label that most annotators gave to an instance, or the reason why there is none."""

    instance_id: str
    label: Label | None
    reason: str
    agreement: float
    votes: list[str]
    contradictions: list[str]
    standard: Standard


def import_answers(
    files: list[Path],
    asked: Path,
    output: Path,
    rejects: Path | None,
    consensus: Path | None,
    annotators: int,
    known_right: float,
) -> dict[str, Any]:
    """Write the judgements that the files hold, and what follows from them; the counts come back."""
    settings = asked_of(annotators)
    if not 0 <= known_right <= 1:
        raise ConfigError(f"known-right must be between 0 and 1, found {known_right}")
    for path in files:
        check_source(path)
        check_kind(path)
    asked = asked / QUESTIONS if asked.is_dir() else asked
    targets = [it for it in (output, rejects, consensus) if it]
    if len({it.resolve() for it in targets}) < len(targets):
        raise ConfigError(f"{output}: is named for two outputs; write them to different files")
    if clash := {it.resolve() for it in targets} & {it.resolve() for it in [*files, asked]}:
        raise ConfigError(f"{min(clash).name}: is both input and output; write to another file")
    for target in targets:
        check_output(target)
    questions = {it.instance_id: it for it in read_questions(asked)}

    read = partial(read_all, files)
    found = survey(read, questions, known_right, pseudonym_prefix(map(sha256_of, files)))
    reasons: Counter[str] = Counter()
    aside = open_output(rejects, Reject) if rejects else nullcontext(drop)

    def written() -> Iterator[Judgement]:
        with open_output(output, Judgement) as write, aside as put_aside:
            for item in judged_answers(read, questions, found):
                if isinstance(item, Reject):
                    reasons[item.reason] += 1
                    put_aside(item)
                else:
                    write(item)
                    yield item

    ballots = collect(written())
    verdicts = {id: verdict_on(ballots.get(id), settings.annotators) for id, it in questions.items() if not it.answer}
    standard: Standard = "silver" if any(it.standard == "silver" for it in ballots.values()) else "gold"
    if consensus:
        with open_output(consensus, Consensus) as write:
            for id, verdict in verdicts.items():
                votes = [f"{label}: {n}" for label, n in sorted(ballots[id].votes.items())] if id in ballots else []
                remarks = ballots[id].contradictions if id in ballots else []
                write(Consensus(id, verdict.label, verdict.reason, verdict.agreement, votes, remarks, standard))
    return {
        "answers": found.answers,
        "judgements": found.answers - reasons.total(),
        "rejects": dict(sorted(reasons.items())),
        "annotators": [dataclasses.asdict(it) for it in found.annotators.values()],
        "agreement": dataclasses.asdict(agreement_of((it.votes for it in ballots.values()), settings.annotators)),
        "consensus": dict(sorted(Counter(it.label or it.reason for it in verdicts.values()).items())),
        "standard": standard,
        "contradictions": sum(bool(it.contradictions) for it in ballots.values()),
        "output": str(output),
    }


def read_questions(path: Path) -> list[Question]:
    """The questions that an export asked, from its folder or its `questions.jsonl`."""
    path = path / QUESTIONS if path.is_dir() else path
    build = builder(Question)
    questions: list[Question] = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line:
            try:
                questions.append(build(json.loads(line)))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise InputError(f"{path}: line {number}: not a question; take the export's own file") from error
    check(questions, str(path))
    if changed := [it.instance_id for it in questions if it.content_hash != hash_of(it)]:
        raise InputError(f"{path}: {changed[0]}: was changed after the export; take the export's own file")
    return questions


def hash_of(question: Question) -> str:
    return content_hash(question.text, question.pronoun, question.name_a, question.name_b)
