"""Coreference systems of other packages as resolvers: they cluster a text, and the pronoun's cluster is the answer.

None of them is a dependency; each is imported when it is named. They find mentions by themselves, so that there is no
gold-two-mention setting. What they download, and in which format their weights are, is theirs to say.

From the clusters of a coreference system to an answer: which of the two names does the pronoun's cluster hold?

GAP 4.2 aligns mentions with the annotated names by their heads: "Mary Smith, the actress" is Mary Smith, and "Mary's
father" is not Mary.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from gapforge.errors import ConfigError, one_line
from gapforge.nlp.neural import optional
from gapforge.nlp.reading import DEFAULT_MODEL, REMEDY, Sentence, parse_texts
from gapforge.plugins import ModelName
from gapforge.records import Instance, Label, Span, overlap
from gapforge.systems.cues import LABELS

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

# One mention of a cluster as text[start:end].
Mention = tuple[int, int]
Cluster = Sequence[Mention]

ENDINGS = ("'s", "’s")


def answers(instances: Sequence[Instance], clusters: Iterable[Sequence[Cluster]], model: str) -> list[Label]:
    """One answer an instance from the clusters of its text; `model` is the spaCy model that tells heads."""
    found = list(clusters)
    parsed = parse_texts([instance.text for instance in instances], model)
    return [answer(*case) for case in zip(instances, found, parsed, strict=True)]


def answer(instance: Instance, clusters: Sequence[Cluster], sentences: Sequence[Sentence]) -> Label:
    mentions = mentions_with(instance, clusters, sentences)
    a, b = (
        any(aligned(instance.text, mention, name, sentences) for mention in mentions)
        for name in (instance.name_a, instance.name_b)
    )
    return LABELS[a, b]


def mentions_with(instance: Instance, clusters: Sequence[Cluster], sentences: Sequence[Sentence]) -> list[Span]:
    """The mentions of the pronoun's cluster: of the one that holds just it, else one that has it as a head."""
    spans = [[trimmed(instance.text, Span(*mention)) for mention in cluster] for cluster in clusters]
    for exactly in (True, False):
        for cluster in spans:
            for mention in cluster:
                if mention == instance.pronoun or (
                    not exactly and aligned(instance.text, mention, instance.pronoun, sentences)
                ):
                    return [it for it in cluster if it is not mention]
    return []


def trimmed(text: str, span: Span) -> Span:
    """A mention without the blanks, marks and possessive ending around it."""
    start, end = max(0, span.start), min(len(text), span.end)
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    return Span(start, end - 2 if text[start:end].endswith(ENDINGS) else end)


def aligned(text: str, mention: Span, name: Span, sentences: Sequence[Sentence]) -> bool:
    """Whether a mention is one of the name: within it, or with its head there."""
    name = trimmed(text, name)
    if not overlap(mention, name):
        return False
    if name.start <= mention.start and mention.end <= name.end:
        return True
    return any(name.start <= place < name.end for place in head_places(mention, sentences))


def head_places(mention: Span, sentences: Sequence[Sentence]) -> list[int]:
    """Where the words begin that the mention as a whole may stand for; none of "Ann and Bea", who are two."""
    for sentence in sentences:
        tokens = sentence.tokens(mention)
        if tokens:
            inside = {token.i for token in tokens}
            head = sentence.doc[tokens[0].i : tokens[-1].i + 1].root
            if any(child.dep_ == "conj" and child.i in inside for child in head.children):
                return []
            return [sentence.start + token.idx for token in same_as(head, inside)]
    return []


def same_as(head: "Token", inside: set[int]) -> list["Token"]:
    """A head with what is set beside it, and with the rest of the person's name that ends in it."""
    found = [head]
    for token in found:
        found += [child for child in token.children if child.dep_ == "appos" and child.i in inside]
    people = [ent for ent in head.doc.ents if ent.label_ == "PERSON"]
    return found + [part for token in found for ent in people if ent.root.i == token.i for part in ent]


PREFIX = "coref_clusters"  # the default of spacy-experimental


def fastcoref(
    instances: Sequence[Instance],
    *,
    model: ModelName = DEFAULT_MODEL,
    weights: ModelName = ModelName("biu-nlp/f-coref"),
    lingmess: bool = False,
    device: str = "cpu",
) -> list[Label]:
    """F-coref, or with `lingmess` LingMess, on all texts at once (Otmazgin et al. 2022 and 2023)."""
    if lingmess and weights == "biu-nlp/f-coref":
        weights = ModelName("biu-nlp/lingmess-coref")
    system = load_fastcoref(weights, lingmess, device)
    predictions = run("fastcoref", lambda: system.predict(texts=[instance.text for instance in instances]))
    # A mention on a special token has no place in the text, and is given as None.
    clusters = [
        [[mention for mention in cluster if mention] for cluster in prediction.get_clusters(as_strings=False)]
        for prediction in predictions
    ]
    return answers(instances, clusters, model)


@cache
def load_fastcoref(weights: str, lingmess: bool, device: str) -> Any:
    package = optional("fastcoref", "pip install fastcoref")
    kind = package.LingMessCoref if lingmess else package.FCoref
    import spacy

    nlp = spacy.blank("en")  # it wants words; its own default is a model that it would download
    return load("fastcoref", weights, lambda: kind(weights, device=device, nlp=nlp, enable_progress_bar=False))


def maverick(
    instances: Sequence[Instance],
    *,
    model: ModelName = DEFAULT_MODEL,
    weights: ModelName = ModelName("sapienzanlp/maverick-mes-ontonotes"),
    device: str = "cpu",
) -> list[Label]:
    """Maverick on one text after another (Martinelli et al. 2024)."""
    system = load_maverick(weights, device)
    parsed = parse_texts([instance.text for instance in instances], model)
    return answers(instances, (maverick_clusters(system, sentences) for sentences in parsed), model)


@cache
def load_maverick(weights: str, device: str) -> Any:
    package = optional("maverick", "pip install maverick-coref")
    return load("maverick", weights, lambda: package.Maverick(hf_name_or_path=weights, device=device))


def maverick_clusters(system: Any, sentences: Sequence[Sentence]) -> list[Cluster]:
    """Clusters by the places of our own tokens.

    The character offsets that Maverick gives for a plain text assume one blank between sentences, and run away from
    the text where there is another number of them. Its token offsets name the last token, not the one behind.
    """
    words = [[token for token in sentence.doc if not token.is_space] for sentence in sentences]
    places = [
        (sentence.start + token.idx, sentence.start + token.idx + len(token))
        for sentence, tokens in zip(sentences, words, strict=True)
        for token in tokens
    ]
    sample = [[token.text for token in tokens] for tokens in words if tokens]
    if not sample:
        return []
    found = run("maverick", lambda: system.predict(sample))["clusters_token_offsets"]
    return [[(places[first][0], places[last][1]) for first, last in cluster] for cluster in found]


def spacy_coref(
    instances: Sequence[Instance],
    *,
    model: ModelName = DEFAULT_MODEL,
    pipeline: ModelName = ModelName(""),
    prefix: str = PREFIX,
) -> list[Label]:
    """A spaCy pipeline with a component that writes clusters to doc.spans, as spacy-experimental's do.

    `pipeline` is that model's name or folder, `model` the one that tells heads.
    """
    if not pipeline:
        raise ConfigError("no spaCy pipeline with coreference is named; give its name or folder as pipeline")
    nlp = load_pipeline(pipeline)
    docs = run(pipeline, lambda: list(nlp.pipe([instance.text for instance in instances])))
    return answers(instances, clusters_in(docs, prefix, pipeline), model)


@cache
def load_pipeline(name: str) -> "Language":
    import spacy

    return load("spaCy", name, lambda: spacy.load(name))  # type: ignore[no-any-return]


def clusters_in(docs: Iterable["Doc"], prefix: str, pipeline: str) -> Iterator[list[Cluster]]:
    """The clusters of every doc, in the order of their numbers; ConfigError where another prefix is in use."""
    wanted = re.compile(rf"{re.escape(prefix)}_(\d+)")
    docs = list(docs)
    keys = {key for doc in docs for key in doc.spans}
    if keys and not any(map(wanted.fullmatch, keys)):
        raise ConfigError(
            f"{pipeline}: no spans {prefix}_1, {prefix}_2 …, found {', '.join(sorted(keys)[:5])}; name their prefix"
        )
    for doc in docs:
        numbered = [(int(match[1]), key) for key in doc.spans if (match := wanted.fullmatch(key))]
        yield [[(span.start_char, span.end_char) for span in doc.spans[key]] for _, key in sorted(numbered)]


def load(package: str, name: str, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except Exception as error:  # Another package's: whatever is missing, it says in its own way.
        raise ConfigError(f"{name}: {package} cannot load it ({one_line(error)}); {REMEDY}") from error


def run(name: str, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        raise ConfigError(f"{name}: failed on these texts ({one_line(error)}); try another version of it") from error
