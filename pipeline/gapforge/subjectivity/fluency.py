"""How likely a sequence of parts of speech is: the default check of fluency.

A trigram model with Kneser-Ney smoothing over classes of words. The hundred commonest words are classes of their own,
every other word is of its usual part of speech, whatever stands around it: a tagger that looks at the context
finds a reading for a muddled sentence, and so hides that it is one. Word classes and counts that
come with the project are made by `make train-grammar`; a run adds the sequences of the corpus that it has ingested.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from math import log
from pathlib import Path

from gapforge.engine.parts import Stamps, read_parts, stamps_of
from gapforge.engine.stages import Table
from gapforge.nlp.reading import tokenizer
from gapforge.nlp.sentences import split_sentences
from gapforge.records import Document, GrammarCount
from gapforge.resources import resource
from gapforge.storage.tables import read_records
from gapforge.subjectivity.hooks import SubjectivitySettings, passes

COUNTS = resource("subjectivity/grammar.parquet")
ORDER = 3
DISCOUNT = 0.75  # as is usual for absolute discounting
COMMON_WORDS = 100
SEEN = 3  # a word that is rarer in the text that classes are learnt from has none of its own
BEGIN, END, UNKNOWN = "<s>", "</s>", "UNK"
ENDINGS = {
    "ly": "RB",
    "ing": "VBG",
    "ed": "VBN",
    "ous": "JJ",
    "ful": "JJ",
    "ive": "JJ",
    "able": "JJ",
    "al": "JJ",
    "ic": "JJ",
    "s": "NNS",
}
SHORTEST_STEM = 3

Gram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """Counts of sequences by their length less one, with what follows each history: how much, and how many kinds."""

    counts: tuple[Mapping[Gram, int], ...]
    totals: tuple[Mapping[Gram, int], ...]
    kinds: tuple[Mapping[Gram, int], ...]

    def log_perplexity(self, classes: Sequence[str]) -> float:
        """In nats a class, the end of the sentence among them."""
        padded = (*(BEGIN,) * (ORDER - 1), *classes, END)
        steps = range(ORDER - 1, len(padded))
        return -sum(log(self.chance(padded[n - ORDER + 1 : n + 1])) for n in steps) / len(steps)

    def chance(self, gram: Gram) -> float:
        """Of the last class after the others: each order gives what it discounts to the one below."""
        chance = 1 / (len(self.counts[0]) + 1)
        for order in range(ORDER):
            part = gram[ORDER - 1 - order :]
            total = self.totals[order].get(part[:-1], 0)
            if total:
                seen = max(self.counts[order].get(part, 0) - DISCOUNT, 0.0)
                chance = (seen + DISCOUNT * self.kinds[order][part[:-1]] * chance) / total
        return chance


# So many of the changes that people made from neutral to biased, as small as ours have to be, would pass.
@passes(0.125, "calibrated on WNC: 90 % of human edits within the GLEU band pass")
def grammar(sentences: Sequence[str], *, counts: str = "") -> list[float]:
    """The log perplexity of each sentence's word classes; `counts` is a folder of counts to be added to our own."""
    classes, model = load_classes(), load_model(stamps_of(Path(counts)) if counts else None)
    return [round(model.log_perplexity(classes_of(sentence, classes)), 6) for sentence in sentences]


@cache
def load_classes() -> dict[str, str]:
    """The class of every word that has one."""
    return dict(it.key.rsplit(" ", 1) for it in read_records(COUNTS, GrammarCount) if it.kind == "word")


@lru_cache(1)
def load_model(counts: Stamps | None) -> Model:
    own = sequences_in(read_records(COUNTS, GrammarCount))
    return model_of(own + sequences_in(read_parts(counts.folder, GrammarCount)) if counts else own)


def sequences_in(records: Iterable[GrammarCount]) -> Counter[Gram]:
    found: Counter[Gram] = Counter()
    for it in records:
        if it.kind == "sequence":
            found[tuple(it.key.split(" "))] += it.count
    return found


def model_of(sequences: Mapping[Gram, int]) -> Model:
    """The model of counted sequences; below the highest order, in how many different ones a sequence occurs counts."""
    counts: list[Mapping[Gram, int]] = [sequences]
    for _ in range(ORDER - 1):
        counts.insert(0, Counter(gram[1:] for gram in counts[0]))
    totals, kinds = [], []
    for of in counts:
        total: Counter[Gram] = Counter()
        for gram, count in of.items():
            total[gram[:-1]] += count
        totals.append(total)
        kinds.append(Counter(gram[:-1] for gram in of))
    return Model(tuple(counts), tuple(totals), tuple(kinds))


def classes_of(sentence: str, classes: Mapping[str, str]) -> list[str]:
    words = (token.lower_ for token in tokenizer()(sentence) if not token.is_space)
    return [classes.get(word) or guess(word) for word in words]


def guess(word: str) -> str:
    """The class of a word that nobody has counted, by its looks."""
    if re.search(r"\d", word):
        return "CD"
    if not word[0].isalpha():
        return word[:2].replace(" ", "")
    found = (
        tag for ending, tag in ENDINGS.items() if word.endswith(ending) and len(word) >= len(ending) + SHORTEST_STEM
    )
    return next(found, UNKNOWN)


def count_sequences(sentences: Iterable[str], classes: Mapping[str, str]) -> Counter[Gram]:
    counted: Counter[Gram] = Counter()
    for sentence in sentences:
        padded = (*(BEGIN,) * (ORDER - 1), *classes_of(sentence, classes), END)
        counted.update(padded[n : n + ORDER] for n in range(len(padded) - ORDER + 1))
    return counted


def usual_classes(tagged: Iterable[Iterable[tuple[str, str]]]) -> dict[str, str]:
    """The class of each word of tagged sentences: itself if it is very common, else the tag that it mostly has."""
    words: Counter[str] = Counter()
    tags: dict[str, Counter[str]] = {}
    for sentence in tagged:
        for word, tag in sentence:
            words[word] += 1
            tags.setdefault(word, Counter())[tag] += 1
    common = {word for word, _ in words.most_common(COMMON_WORDS)}
    return {
        word: word if word in common else tags[word].most_common(1)[0][0]
        for word in sorted(words)
        if words[word] >= SEEN and " " not in word
    }


def as_records(sequences: Mapping[Gram, int], classes: Mapping[str, str] | None = None) -> Iterator[GrammarCount]:
    for word, kind in sorted((classes or {}).items()):
        yield GrammarCount("word", f"{word} {kind}", 1)
    for gram, count in sorted(sequences.items()):
        yield GrammarCount("sequence", " ".join(gram), count)


def grammar_counts(documents: Table[Document], settings: SubjectivitySettings, shards: int) -> Iterator[GrammarCount]:
    """The stage Grammar: sequences of word classes in the first sentences of each part of the documents."""
    most = -(-settings.sentences // shards)
    yield from as_records(count_sequences(islice(sentences_in(documents), most), load_classes()))


def sentences_in(documents: Iterable[Document]) -> Iterator[str]:
    for document in documents:
        for span in split_sentences(document.text, document.sections):
            yield " ".join(document.text[span.start : span.end].split())
