"""The stages of this room: counts of grammar, scored proposals, decisions, and the subjective variant of GAP."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from gapforge.engine import Tick, part_path
from gapforge.engine.parts import read_parts, write_notes, write_part
from gapforge.errors import ConfigError
from gapforge.nlp.reading import model_identity
from gapforge.nlp.sentences import split_sentences
from gapforge.records import (
    Document,
    GrammarCount,
    LabelledExample,
    SubjectiveExample,
    SubjectiveProposal,
    SubjectiveSentence,
)
from gapforge.resources import resource
from gapforge.storage.files import sha256_of
from gapforge.storage.tables import read_records
from gapforge.subjectivity.decisions import decide
from gapforge.subjectivity.fluency import COUNTS, as_records, count_sequences, load_classes
from gapforge.subjectivity.hooks import (
    SubjectivitySettings,
    default_model,
    hook_identity,
    located,
    takes,
    thresholds_of,
)
from gapforge.subjectivity.proposals import passage_of, score_passages
from gapforge.subjectivity.variants import describe, subjective_examples, summarise


@dataclass(frozen=True, slots=True)
class Scorer:
    """What a worker needs to score the sentences of its part of the examples."""

    settings: SubjectivitySettings
    examples: Path
    grammar: Path | None
    model: str

    @property
    def folders(self) -> list[Path]:
        """What it reads, whichever the part."""
        return [self.examples, *([self.grammar] if self.grammar else [])]


def counts_grammar(settings: SubjectivitySettings) -> bool:
    """Whether the hook of fluency is one that learns from the ingested corpus."""
    return takes("fluency", settings.fluency, "counts")


def sentences_of_each(settings: SubjectivitySettings, parts: int) -> int:
    """How many sentences are counted of each part of the documents."""
    return -(-settings.sentences // max(1, parts))


def write_grammar(most: int, documents: Path, path: Path, tick: Tick) -> int:
    """The sequences of word classes in the first sentences of a part of the documents, at most so many."""
    sentences = islice(sentences_in(documents), most)
    return write_part(path, GrammarCount, as_records(count_sequences(sentences, load_classes())), tick)


def sentences_in(documents: Path) -> Iterator[str]:
    for document in read_records(documents, Document):
        for span in split_sentences(document.text, document.sections):
            yield " ".join(document.text[span.start : span.end].split())


def write_proposals(scorer: Scorer, shard: int, path: Path, tick: Tick) -> int:
    """The scored proposals of every so-manieth part of the examples, in order."""
    examples = list(read_parts(scorer.examples, LabelledExample))
    size = -(-len(examples) // scorer.settings.shards)
    passages = map(passage_of, examples[shard * size : (shard + 1) * size])
    given = {"spacy_model": scorer.model, "counts": str(scorer.grammar) if scorer.grammar else ""}
    return write_part(path, SubjectiveProposal, score_passages(passages, scorer.settings, given), tick)


def write_decisions(proposals: Path, settings: SubjectivitySettings, folder: Path) -> None:
    """What became of every sentence."""
    decided = decide(read_parts(proposals, SubjectiveProposal), thresholds_of(settings), settings.seed)
    write_part(part_path(folder, 0), SubjectiveSentence, decided, lambda rows: None)


def write_subjective(labelled: Path, sentences: Path, settings: SubjectivitySettings, folder: Path) -> None:
    """The subjective variant of every example, and what there is to say of all."""
    decided = list(read_parts(sentences, SubjectiveSentence))
    made = list(subjective_examples(read_parts(labelled, LabelledExample), decided))
    write_part(part_path(folder, 0), SubjectiveExample, made, lambda rows: None)
    write_notes(folder, describe(summarise(decided, made, thresholds_of(settings))))


def proposals_identity(settings: SubjectivitySettings, base: Path, spacy_model: str) -> dict[str, Any]:
    """What decides on the proposals and their scores: hooks, their options, and the state of the models they ask."""
    options = located(settings, base).options
    models = {}
    for role in settings.roles():
        name = getattr(settings, role)
        for option, default in (("model", default_model(role, name)), ("spacy_model", spacy_model)):
            if takes(role, name, option) and (model := options.get(f"{role}.{option}", default)):
                models[f"{role}.{option}"] = f"{Path(model).name} {state_of(model)}"
    return hook_identity(settings) | {"models": models, "shards": settings.shards}


def classes_identity() -> str:
    """What word classes are counted by: those that come with the project, and spaCy's tokenizer."""
    return f"spacy {version('spacy')}, {COUNTS.stem} {sha256_of(COUNTS)[:16]}"


def embedded_identity() -> str:
    """What the embedded hooks are made of, beside the code: their word lists, coefficients and counts."""
    files = sorted(path for path in resource("subjectivity").iterdir() if path.is_file())
    packages = ", ".join(f"{name} {version(name)}" for name in ("nltk", "textblob"))
    return f"{packages}, {', '.join(f'{path.stem} {sha256_of(path)[:16]}' for path in files)}"


def state_of(model: str) -> str:
    """The version of an installed model, or a hash of a folder or file; of a name on the hub nothing is known."""
    if Path(model).is_file():
        return sha256_of(Path(model))[:16]
    try:
        return model_identity(model).rpartition(" ")[2]
    except ConfigError:
        return ""


def decision_identity(settings: SubjectivitySettings) -> dict[str, Any]:
    """What decides which proposals are kept."""
    return {"thresholds": asdict(thresholds_of(settings)), "seed": settings.seed}
