"""The stages of this room: judgements from where the config says, and the labelled sets that follow from them."""

import dataclasses
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from gapforge.annotation import balance, consensus
from gapforge.annotation.answerfiles import check_kind, placed, read_all
from gapforge.annotation.answers import Answer
from gapforge.annotation.consensus import (
    Ballot,
    ConsensusSettings,
    agreement_of,
    collect,
    describe_agreement,
    judge_gap,
    label_quadruples,
)
from gapforge.annotation.judgements import (
    author_answers,
    judgements,
    panel_answers,
    pseudonym_prefix,
    read_truths,
    survey,
)
from gapforge.annotation.questions import KNOWN, question_of, read_known
from gapforge.engine import part_path
from gapforge.engine.parts import read_parts, write_notes, write_part
from gapforge.errors import ConfigError
from gapforge.records import (
    Candidate,
    Judgement,
    LabelledExample,
    LabelledInstance,
    QuadrupleInstance,
    Question,
    Reject,
)
from gapforge.storage.files import Checksums
from gapforge.systems import options_of, resolver_versions

JUDGED: dict[str, type[Candidate]] = {"gap": Candidate, "counter-gap": QuadrupleInstance}


@dataclass(frozen=True, slots=True)
class JudgementSettings:
    """The `[judgements]` section: who has judged the examples.

    `file`: the answers of annotators, in the files under `gap` and `counter_gap`. `author`: tables of referents, in the
    same places, for texts whose author marked every pronoun. `panel`: resolvers that vote; their labels are silver.
    `none`: nobody yet, and the run ends with the examples. `known` is a file of questions of known answer, the embedded
    ones where it is left out; who has less than the share `known_right` of them right is removed.
    """

    source: Literal["none", "file", "author", "panel"] = "none"
    gap: list[str] = field(default_factory=list)
    counter_gap: list[str] = field(default_factory=list)
    known: str = ""
    known_right: float = 0.8
    panel: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        files = self.gap + self.counter_gap
        if not 0 <= self.known_right <= 1:
            raise ValueError(f"known_right must be between 0 and 1, found {self.known_right}")
        if self.source in ("file", "author") and not files:
            raise ValueError(f'source is "{self.source}", and neither gap nor counter_gap names a file')
        if self.source in ("none", "panel") and files:
            raise ValueError(f'names {files[0]!r}, which source = "{self.source}" does not read; choose "file"')
        if self.source == "panel" and (len(self.panel) < 3 or len(set(self.panel)) < len(self.panel)):
            raise ValueError(f"panel must name three or more different resolvers, found {self.panel}")
        if self.source != "file" and self.known:
            raise ValueError(f'names known answers, and source is "{self.source}"; only "file" asks for them')
        if self.source != "panel" and self.panel:
            raise ValueError(f'names a panel, and source is "{self.source}"; choose "panel"')

    def files(self, kind: str) -> list[str]:
        return {"gap": self.gap, "counter-gap": self.counter_gap}[kind]

    def known_file(self, base: Path) -> Path:
        return base / self.known if self.known else KNOWN

    def speaks_of(self, kind: str) -> bool:
        return self.source == "panel" or bool(self.files(kind))


def check_judgements(settings: JudgementSettings, annotators: int, kinds: Collection[str], config: str) -> None:
    """Refuse answers that nothing asks for, and a panel of another size than was asked for."""
    for kind in JUDGED:
        if settings.files(kind) and kind not in kinds:
            key = kind.replace("-", "_")
            raise ConfigError(f"{config}: [judgements] {key} names answers, and [candidates] {key} names no corpus")
    if settings.source == "panel" and len(settings.panel) != annotators:
        raise ConfigError(
            f"{config}: [judgements] panel names {len(settings.panel)} resolvers, and [consensus] annotators is "
            f"{annotators}; make them equal"
        )
    for name in settings.panel:
        if "train" in options_of(name):
            raise ConfigError(f"{config}: [judgements] panel: {name} learns from labels; name resolvers that need none")


def judgement_inputs(settings: JudgementSettings, kind: str, base: Path, checksums: Checksums) -> dict[str, str]:
    """The files of answers and of known answers with their checksums, by the names that the config gives them."""
    named = {name: base / name for name in settings.files(kind)}
    if settings.source == "file":
        named[settings.known or "known answers"] = settings.known_file(base)
        for name in settings.files(kind):
            check_kind(Path(name))
    for name, path in named.items():
        if not path.is_file():
            raise ConfigError(f"[judgements] {name}: no such file; paths begin at the config's own folder")
    return {name: checksums.of(path) for name, path in named.items()}


def judgement_identity(settings: JudgementSettings) -> dict[str, Any]:
    """What decides the judgements beside the files, which are known by their checksums."""
    fields: dict[str, Any] = {"source": settings.source}
    if settings.source == "file":
        fields["known_right"] = settings.known_right
    if settings.source == "panel":
        fields["panel"] = resolver_versions(settings.panel)
    return fields


def write_judgements(
    settings: JudgementSettings,
    kind: str,
    inputs: dict[str, str],
    base: Path,
    sources: list[Path],
    model: str,
    folder: Path,
) -> None:
    """Judge every question of the kind by what the settings name; notes say how the annotators did."""
    questions = {it.instance_id: it for it in map(question_of, read_instances(sources, JUDGED[kind]))}
    prefix = ""
    if settings.source == "file":
        prefix = pseudonym_prefix(inputs.values())
        add_known(questions, settings.known_file(base))
    read = partial(answers_of, settings, kind, base, sources, model, questions)
    if settings.source == "panel":
        voted = list(read())  # Resolvers are slow, and every answer is read twice.
        read = partial(iter, voted)
    found = survey(read, questions, settings.known_right, prefix)
    write_part(part_path(folder, 0), Judgement, judgements(read, questions, found), lambda rows: None)
    write_notes(folder, found.notes())


def add_known(questions: dict[str, Question], path: Path) -> None:
    for question in read_known(path):
        if question.instance_id in questions:
            raise ConfigError(f"{path}: {question.instance_id!r} is also an instance to be judged; rename the question")
        questions[question.instance_id] = question


def answers_of(
    settings: JudgementSettings, kind: str, base: Path, sources: list[Path], model: str, questions: dict[str, Question]
) -> Iterator[Answer]:
    if settings.source == "panel":
        yield from panel_answers(list(questions.values()), settings.panel, model)
    paths = [base / name for name in settings.files(kind)]
    if settings.source == "file":
        yield from read_all(paths)
    if settings.source == "author":
        for number, path in enumerate(paths, 1):
            for answer in author_answers(read_instances(sources, JUDGED[kind]), read_truths(path)):
                yield placed(answer, path, number)


def read_instances(folders: Iterable[Path], record: type[Candidate]) -> Iterator[Candidate]:
    for folder in folders:
        yield from read_parts(folder, record)


def write_gap(examples: Path, judged: Path, settings: ConsensusSettings, folder: Path) -> None:
    """GAP's final set: examples with a consensus, in balance and in splits."""
    ballots = collect(read_parts(judged, Judgement))
    write_part(part_path(folder, 0), LabelledExample, label_gap(examples, ballots, settings), lambda rows: None)
    labelled = read_parts(folder, LabelledExample)
    write_notes(folder, [*notes_on(ballots, settings), *balance.describe(labelled)])


def label_gap(
    examples: Path, ballots: dict[str, Ballot], settings: ConsensusSettings
) -> Iterator[LabelledExample | Reject]:
    decided: list[balance.Decided] = []
    for example in read_parts(examples, Candidate):
        verdict = judge_gap(example, ballots, settings.annotators)
        if verdict.label is None:
            yield Reject(example.id, verdict.reason, votes_of(ballots.get(example.id)))
        else:
            decided.append(balance.Decided(example, verdict.label, verdict))
    yield from balance.complete(decided, settings.splits, settings.seed)


def votes_of(ballot: Ballot | None) -> str:
    return ", ".join(f"{count} {label}" for label, count in sorted(ballot.votes.items())) if ballot else ""


def write_counter_gap(quadruples: list[Path], judged: Path, settings: ConsensusSettings, folder: Path) -> None:
    """Counter-GAP's final set: quadruples answered alike by position, as many of either gender."""
    ballots = collect(read_parts(judged, Judgement))
    instances = (it for source in quadruples for it in read_parts(source, QuadrupleInstance))
    labelled = label_quadruples(instances, ballots, settings)
    write_part(part_path(folder, 0), LabelledInstance, labelled, lambda rows: None)
    notes = [*notes_on(ballots, settings), *consensus.describe_quadruples(read_parts(folder, LabelledInstance))]
    write_notes(folder, notes)


def notes_on(ballots: dict[str, Ballot], settings: ConsensusSettings) -> Iterator[str]:
    if any(ballot.standard == "silver" for ballot in ballots.values()):
        yield "labels are silver: resolvers have voted, and no person has judged them"
    yield from describe_agreement(agreement_of((it.votes for it in ballots.values()), settings.annotators))


def consensus_identity(settings: ConsensusSettings, kind: str) -> dict[str, Any]:
    """What decides the labelled set of a kind: only GAP has splits, and only Counter-GAP counts contradictions."""
    fields = dataclasses.asdict(settings)
    del fields["contradictions" if kind == "gap" else "splits"]
    return fields
