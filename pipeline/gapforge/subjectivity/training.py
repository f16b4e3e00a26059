"""What made the coefficients and counts in resources/subjectivity/, and how well the detector does by cross-validation.

    python -m pipeline.subjectivity.training detector BIASED NEUTRAL      writes detector.json
    python -m pipeline.subjectivity.training grammar FILE...              writes grammar.parquet
    python -m pipeline.subjectivity.training classifier BIASED NEUTRAL ENCODER FOLDER

BIASED and NEUTRAL are line-aligned: a sentence, and what an editor made of it. FILEs are what
`gapforge documents` reads. The last fine-tunes a sequence classifier for the detector "classifier" (GAP-Subjective
3.2.1).
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gapforge.corpora.formats import read_files
from gapforge.corpora.inputs import files_to_read
from gapforge.corpora.source import ReadSettings
from gapforge.errors import ConfigError, InputError, describe
from gapforge.nlp.reading import DEFAULT_MODEL, tagged
from gapforge.nlp.sentences import split_sentences
from gapforge.records import Document, GrammarCount
from gapforge.storage.files import atomic_file, read_text, write_json
from gapforge.storage.tables import write_records
from gapforge.subjectivity.corruption import auc
from gapforge.subjectivity.detector import COEFFICIENTS, Floats, Regression, feature_names, features_of, logistic
from gapforge.subjectivity.fluency import COUNTS, as_records, count_sequences, usual_classes

RIDGE = 100.0  # chosen by cross-validation among 10, 100 and 300; the figures hardly differ
FOLDS = 10
SENTENCES_A_DOCUMENT = 2_000  # of a novel, lest its style be all that is learnt


def fit(subjective: Floats, objective: Floats, names: Sequence[str], ridge: float = RIDGE) -> Regression:
    """A logistic regression with an L2 penalty on the weights of standardised features."""
    from scipy.optimize import minimize

    features = np.concatenate([subjective, objective])
    means, scales = features.mean(axis=0), features.std(axis=0)
    scales[scales == 0] = 1.0
    design = np.column_stack([(features - means) / scales, np.ones(len(features))])
    wanted = np.concatenate([np.ones(len(subjective)), np.zeros(len(objective))])
    penalty = np.append(np.full(len(names), ridge), 0.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        log_odds = design @ weights
        value = (np.logaddexp(0, log_odds) - wanted * log_odds).sum() + (penalty * weights**2).sum() / 2
        return float(value), design.T @ (logistic(log_odds) - wanted) + penalty * weights

    found = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B").x
    return Regression(tuple(names), means, scales, found[:-1], float(found[-1]))


def cross_validate(subjective: Sequence[str], objective: Sequence[str], paired: bool) -> dict[str, float]:
    """Accuracy at 0.5, AUC and, of pairs, how often the subjective one scores higher; a pair is in one fold."""
    scores = [np.zeros(len(subjective)), np.zeros(len(objective))]
    features = [features_of(subjective), features_of(objective)]
    for fold in range(FOLDS):
        held = [np.arange(len(it)) % FOLDS == fold for it in features]
        learnt = fit(features[0][~held[0]], features[1][~held[1]], feature_names())
        for score, it, out in zip(scores, features, held, strict=True):
            score[out] = learnt.score(it[out])
    return measured(scores[0], scores[1], paired)


def measured(subjective: Floats, objective: Floats, paired: bool) -> dict[str, float]:
    right = (subjective > 0.5).sum() + (objective <= 0.5).sum()
    found = {"accuracy": right / (len(subjective) + len(objective)), "auc": auc(list(subjective), list(objective))}
    if paired:
        found["pair accuracy"] = float(((subjective > objective) + (subjective == objective) / 2).mean())
    return {name: round(float(value), 4) for name, value in found.items()}


def read_pairs(biased: Path, neutral: Path) -> tuple[list[str], list[str]]:
    """Line-aligned sentences, without pairs of which one side is blank; InputError where one file is longer."""
    found = [read_text(path).removesuffix("\n").split("\n") for path in (biased, neutral)]
    if len(found[0]) != len(found[1]):
        raise InputError(
            f"{biased} has {len(found[0])} lines, and {neutral} {len(found[1])}; wanted a pair in each line"
        )
    pairs = [pair for pair in zip(*found, strict=True) if all(it.strip() for it in pair)]
    if not pairs:
        raise InputError(f"{biased}: no sentences; there is nothing to learn from")
    return [one for one, _ in pairs], [other for _, other in pairs]


def train_detector(biased: Path, neutral: Path) -> dict[str, Any]:
    """Write the coefficients that come with the project; what they reach by cross-validation comes back."""
    pairs = read_pairs(biased, neutral)
    learnt = fit(features_of(pairs[0]), features_of(pairs[1]), feature_names())
    reached = cross_validate(*pairs, paired=True)
    columns = zip(learnt.names, learnt.means, learnt.scales, learnt.weights, strict=True)
    rounded = {
        name: {"mean": round(float(mean), 6), "scale": round(float(scale), 6), "weight": round(float(weight), 6)}
        for name, mean, scale, weight in columns
    }
    told = {"trained_on": f"{len(pairs[0]):,} pairs of the Wiki Neutrality Corpus", "cross_validated": reached}
    write_json(COEFFICIENTS, told | {"intercept": round(learnt.intercept, 6), "features": rounded})
    return told


def train_grammar(files: Sequence[str]) -> dict[str, Any]:
    """Write the word classes and counts that come with the project."""
    raw = files_to_read(files, "auto", [COUNTS])
    documents = [it for _, it in read_files(raw, ReadSettings(format="auto")) if isinstance(it, Document)]
    sentences = [
        " ".join(document.text[span.start : span.end].split())
        for document in documents
        for span in split_sentences(document.text, document.sections)[:SENTENCES_A_DOCUMENT]
    ]
    classes = usual_classes(tagged(sentences, DEFAULT_MODEL))
    sequences = count_sequences(sentences, classes)
    with atomic_file(COUNTS) as temporary:
        write_records(temporary, as_records(sequences, classes), GrammarCount)
    return {"sentences": len(sentences), "words": len(classes), "sequences": len(sequences)}


def main(arguments: Sequence[str]) -> dict[str, Any]:
    what, *rest = arguments or [""]
    if what == "detector" and len(rest) == 2:
        return train_detector(Path(rest[0]), Path(rest[1]))
    if what == "grammar" and rest:
        return train_grammar(rest)
    if what == "classifier" and len(rest) == 4:
        from gapforge.subjectivity.classifier import train_classifier

        biased, neutral = read_pairs(Path(rest[0]), Path(rest[1]))
        train_classifier(biased, neutral, rest[2], Path(rest[3]))
        return {"model": rest[3]}
    raise SystemExit(__doc__)


if __name__ == "__main__":
    try:
        told = main(sys.argv[1:])
    except (ConfigError, InputError, OSError) as error:
        sys.exit(describe(error))
    sys.stdout.write("".join(f"{name}: {value}\n" for name, value in told.items()))
