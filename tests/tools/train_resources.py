"""What made the coefficients and counts in resources/subjectivity/, and how well the detector does by cross-validation.

    python tests/tools/train_resources.py detector BIASED NEUTRAL      writes detector.json
    python tests/tools/train_resources.py grammar FILE...              writes grammar.parquet
    python tests/tools/train_resources.py classifier BIASED NEUTRAL ENCODER FOLDER

BIASED and NEUTRAL are line-aligned: a sentence, and what an editor made of it. FILEs are what
`gapforge documents` reads. The last fine-tunes a sequence classifier for the detector "classifier" (GAP-Subjective
3.2.1).
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gapforge.corpora.formats import read_files
from gapforge.corpora.inputs import files_to_read
from gapforge.corpora.source import ReadSettings
from gapforge.errors import ConfigError, InputError, describe
from gapforge.nlp.reading import DEFAULT_MODEL, tagged
from gapforge.nlp.sentences import split_sentences
from gapforge.records import Document, GrammarCount
from gapforge.storage.files import atomic_file, read_text, write_json
from gapforge.storage.tables import write_records
from gapforge.subjectivity.detector import COEFFICIENTS, cross_validate, feature_names, features_of, fit
from gapforge.subjectivity.fluency import COUNTS, as_records, count_sequences, usual_classes

SENTENCES_A_DOCUMENT = 2_000  # of a novel, so that its style is not all that is learned


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
