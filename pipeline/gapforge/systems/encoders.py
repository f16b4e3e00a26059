"""Text encoders of the transformers library: hidden states and attention by subtoken, with offsets into the text.

`gapforge.nlp.neural` says which models there are, how they are named, and how they are loaded.

A small classifier over an encoder's states of the pronoun and the two names, after Yang et al. 2019.

The encoder stays as it is. What it says of the three is concatenated, with the products of each name with the pronoun,
and a regression tells A, B and neither apart. It is given the names: a gold-two-mention system in the sense of GAP 4.3.
Middle layers know more of coreference than the last: which one is read is chosen on the training examples alone.

The candidate that attends most to the pronoun (Webster et al. 2018, 4.4: Transformer-Single and Transformer-Multi).

Which head knows of coreference differs from model to model: it is chosen on examples whose answer is known, the
validation file in the paper. Several heads are combined by extra trees over the choice that each of them makes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gapforge.errors import ConfigError
from gapforge.nlp.neural import DEFAULT_ENCODER, REMEDY, Pretrained, batches, load_pretrained, optional, padded
from gapforge.nlp.reading import DEFAULT_MODEL
from gapforge.plugins import ModelName
from gapforge.records import Instance, Label, Span
from gapforge.systems.antecedents import study
from gapforge.systems.cues import LABELS, alike

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as the encoder sees it; the offsets are into the whole text, empty for special subtokens.

    `states` is layer (the embeddings first), subtoken, width; `attention` layer, head, from, to, and None unless asked
    for.
    """

    tokens: list[str]
    offsets: list[Span]
    states: Floats
    attention: Floats | None

    def within(self, span: Span) -> list[int]:
        """The subtokens of a span; none where the text was too long for the encoder and the span fell outside."""
        return [n for n, it in enumerate(self.offsets) if it.start < span.end and span.start < it.end]


def load_encoder(name: str, device: str = "cpu") -> Pretrained:
    encoder = load_pretrained(name, "encoder", device)
    if not encoder.tokenizer.is_fast:
        raise ConfigError(f"{name}: its tokenizer gives no offsets into the text; choose one with a fast tokenizer")
    return encoder


def encode(
    encoder: Pretrained, instances: Sequence[Instance], attention: bool = False
) -> Iterator[tuple[int, Encoded]]:
    """Each instance by its number, short ones first: what is wanted of one is best taken before the next.

    Of a text that is too long the encoder sees the part around the pronoun, with both names where they fit.
    """
    inputs = [tokenize(encoder, instance) for instance in instances]
    for batch in batches([len(tokens.ids) for tokens in inputs]):
        yield from zip(batch, forward(encoder, [inputs[n] for n in batch], attention), strict=True)


@dataclass(frozen=True, slots=True)
class Tokens:
    ids: list[int]
    texts: list[str]
    offsets: list[Span]


def tokenize(encoder: Pretrained, instance: Instance) -> Tokens:
    whole = subtokens(encoder, instance.text, 0)
    if len(whole.ids) <= encoder.limit:
        return whole
    content = [span for span in whole.offsets if span.end > span.start]
    room = encoder.limit - (len(whole.ids) - len(content))
    pronoun, *names = [
        [n for n, it in enumerate(content) if it.start < span.end and span.start < it.end]
        for span in (instance.pronoun, instance.name_a, instance.name_b)
    ]
    # A text cut in another place may come apart otherwise there: what exceeds the limit once more is left off.
    for spare in range(room):
        first, last = window(len(content), room - spare, pronoun, names)
        start, end = content[first].start, content[last - 1].end
        part = subtokens(encoder, instance.text[start:end], start)
        if len(part.ids) <= encoder.limit:
            return part
    raise ConfigError(f"{encoder.name}: reads {encoder.limit} subtokens at once, too few for any text; {REMEDY}")


def subtokens(encoder: Pretrained, text: str, start: int) -> Tokens:
    found = encoder.tokenizer(text, return_offsets_mapping=True, truncation=False, padding=False, verbose=False)
    ids = list(found["input_ids"])
    offsets = [Span(start + left, start + right) for left, right in found["offset_mapping"]]
    return Tokens(ids, encoder.tokenizer.convert_ids_to_tokens(ids), offsets)


def window(length: int, room: int, pronoun: Sequence[int], names: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Where `room` of `length` subtokens begin and end: around the pronoun and as many names as fit, the nearest first.

    The pronoun and the names are given by their subtokens.
    """
    first, last = (pronoun[0], pronoun[-1] + 1) if pronoun else (0, 0)
    for name in sorted(filter(None, names), key=lambda name: max(first - name[0], name[-1] + 1 - last)):
        wider = min(first, name[0]), max(last, name[-1] + 1)
        if wider[1] - wider[0] <= room:
            first, last = wider
    start = max(0, min(length - room, first - (room - (last - first)) // 2))
    return start, min(length, start + room)


def forward(encoder: Pretrained, inputs: Sequence[Tokens], attention: bool) -> Iterator[Encoded]:
    torch = optional("torch")
    batch = padded(encoder, [tokens.ids for tokens in inputs])
    with torch.inference_mode():
        output = encoder.model(**batch, output_hidden_states=True, output_attentions=attention)
        states = torch.stack(output.hidden_states).cpu().numpy()
        weights = torch.stack(output.attentions).cpu().numpy() if attention else None
    for n, tokens in enumerate(inputs):
        size = len(tokens.ids)
        yield Encoded(
            tokens.texts,
            tokens.offsets,
            states[:, n, :size],
            None if weights is None else weights[:, n, :, :size, :size],
        )


CLASSES: tuple[Label, ...] = ("A", "B", "neither")
STRENGTHS = (1e-3, 1e-4, 1e-2)  # of the regression, small ones for strong regularisation; the first chooses the layer
FOLDS = 5
ITERATIONS = 1000


def encoder(
    instances: Sequence[Instance],
    *,
    seed: int = 0,
    train: Sequence[tuple[Instance, Label]] = (),
    encoder: ModelName = DEFAULT_ENCODER,
    device: str = "cpu",
    layer: int = -1,
) -> list[Label]:
    """One answer an instance; `layer` 0 is the embeddings, and -1 lets cross-validation on `train` choose."""
    known = [(instance, label) for instance, label in train if label in CLASSES]
    labels = [label for _, label in known]
    if len(set(labels)) < 2:
        found = ", ".join(f"{labels.count(name)} {name}" for name in CLASSES)
        raise ConfigError(
            f"the classifier cannot be trained: {len(train)} examples ({found}), wanted two answers or more; "
            "name a file of answered examples to train on"
        )
    states = states_of([instance for instance, _ in known], encoder, device)
    layers = states.shape[1]
    if not -1 <= layer < layers:
        raise ConfigError(f"{encoder} has no layer {layer}; choose from 0 to {layers - 1}, or -1 to have it chosen")
    # Over matrices this small, threads wait for each other thirty times as long as they compute.
    with optional("threadpoolctl").threadpool_limits(1):
        layer, strength = chosen(states, labels, range(layers) if layer < 0 else [layer], seed)
        model = classifier(strength).fit(states[:, layer], labels)
    if not instances:
        return []
    predicted: list[Label] = [
        CLASSES[CLASSES.index(label)] for label in model.predict(states_of(instances, encoder, device)[:, layer])
    ]
    return predicted


def states_of(instances: Sequence[Instance], encoder: str, device: str) -> Floats:
    """The features of every instance in order: instance, layer, feature."""
    found: dict[int, Floats] = {}
    for n, encoded in encode(load_encoder(encoder, device), instances):
        found[n] = state_features(instances[n], encoded)
    return np.stack([found[n] for n in range(len(instances))])


def state_features(instance: Instance, encoded: Encoded) -> Floats:
    """Pronoun, A, B, and the products of the pronoun with each, by layer; a name that was not seen is all zeros."""
    pronoun, a, b = (
        pooled(encoded.states, encoded.within(span)) for span in (instance.pronoun, instance.name_a, instance.name_b)
    )
    return np.concatenate([pronoun, a, b, pronoun * a, pronoun * b], axis=1)


def pooled(states: Floats, places: Sequence[int]) -> Floats:
    """The mean state of some subtokens, by layer."""
    mean: Floats = states[:, list(places)].mean(axis=1) if places else np.zeros_like(states[:, 0])
    return mean


def chosen(states: Floats, labels: Sequence[Label], layers: Sequence[int], seed: int) -> tuple[int, float]:
    """The layer and the strength that are most often right on examples held out, first the one, then the other.

    Where an answer is too rare to be held out, the layer two thirds of the way up is taken, which does well in general.
    """
    folds = min(FOLDS, *(labels.count(label) for label in set(labels)))
    if folds < 2:
        return layers[round(2 / 3 * (len(layers) - 1))], STRENGTHS[0]
    selection = optional("sklearn.model_selection")
    parts = selection.StratifiedKFold(folds, shuffle=True, random_state=seed)

    def accuracy(layer: int, strength: float) -> float:
        return float(selection.cross_val_score(classifier(strength), states[:, layer], labels, cv=parts).mean())

    layer = max(layers, key=lambda layer: accuracy(layer, STRENGTHS[0])) if len(layers) > 1 else layers[0]
    return layer, max(STRENGTHS, key=lambda strength: accuracy(layer, strength))


def classifier(strength: float) -> Any:
    linear, preprocessing = optional("sklearn.linear_model"), optional("sklearn.preprocessing")
    return optional("sklearn.pipeline").make_pipeline(
        preprocessing.StandardScaler(), linear.LogisticRegression(C=strength, max_iter=ITERATIONS)
    )


HEADS = 3  # GAP 4.4
TREES = 100  # the default of the paper's library

Doubles = npt.NDArray[np.floating[Any]]
Bools = npt.NDArray[np.bool_]
Example = tuple[Instance, Label]


@dataclass(frozen=True, slots=True)
class View:
    """The candidates of one instance; `scores` is candidate, layer, head: its attention to the pronoun.

    `overlaps` tells of each two candidates whether the text of one holds that of the other, `names` of each whether it
    answers for A and for B.
    """

    scores: Doubles
    overlaps: Bools
    names: Bools


def attention(
    instances: Sequence[Instance],
    *,
    gold_two_mentions: bool = False,
    model: ModelName = DEFAULT_MODEL,
    seed: int = 0,
    train: Sequence[Example] = (),
    encoder: ModelName = DEFAULT_ENCODER,
    device: str = "cpu",
    multi: bool = False,
) -> list[Label]:
    """One answer an instance by the best head on `train`, or with `multi` by extra trees over all of them."""
    known = answered(train)
    if not instances:
        return []
    views = views_of([instance for instance, _ in known], gold_two_mentions, model, encoder, device)
    wanted = gold_of([label for _, label in known])
    asked = views_of(instances, gold_two_mentions, model, encoder, device)
    head = best_head(scores_by_head(views, wanted))
    likely = learn(views, wanted, seed)(asked) if multi else [np.zeros(len(view.names)) for view in asked]
    return [answer(view, chances, head) for view, chances in zip(asked, likely, strict=True)]


def table_of_heads(
    examples: Sequence[Example],
    *,
    gold_two_mentions: bool = False,
    model: ModelName = DEFAULT_MODEL,
    encoder: ModelName = DEFAULT_ENCODER,
    device: str = "cpu",
) -> list[list[float]]:
    """Table 8: the F1 of every head by itself, from 0 to 1, a list for each layer."""
    known = answered(examples)
    views = views_of([instance for instance, _ in known], gold_two_mentions, model, encoder, device)
    table = scores_by_head(views, gold_of([label for _, label in known]))
    return [[float(score) for score in layer] for layer in table]


def answered(examples: Sequence[Example]) -> list[Example]:
    known: list[Example] = [(instance, label) for instance, label in examples if label != "not sure"]
    if not any(label != "neither" for _, label in known):
        raise ConfigError(
            f"no head can be chosen: {len(examples)} examples to train on, none of them with a true name; "
            "name a file of answered examples to train on"
        )
    return known


def views_of(
    instances: Sequence[Instance], gold_two_mentions: bool, model: str, encoder: str, device: str
) -> list[View]:
    if gold_two_mentions:
        candidates = [[instance.name_a, instance.name_b] for instance in instances]
    else:
        cases = study(instances, False, model)
        candidates = [[mention.span for mention in case.candidates] if case else [] for case in cases]
    views: dict[int, View] = {}
    for n, encoded in encode(load_encoder(encoder, device), instances, attention=True):
        views[n] = view_of(instances[n], encoded, candidates[n], gold_two_mentions)
    return [views[n] for n in range(len(instances))]


def view_of(instance: Instance, encoded: Encoded, candidates: Sequence[Span], gold_two_mentions: bool) -> View:
    """What the heads say of an instance; a candidate outside what the encoder saw is none."""
    assert encoded.attention is not None
    pronoun = encoded.within(instance.pronoun)
    seen = [(span, places) for span in candidates if pronoun and (places := encoded.within(span))]
    scores = attention_to(encoded.attention, encoded.tokens, pronoun, [places for _, places in seen])
    texts = [instance.text[span.start : span.end] for span, _ in seen]
    names = instance.name_a, instance.name_b
    if gold_two_mentions:
        named = [[span == name for name in names] for span, _ in seen]
    else:
        named = [[alike(text, instance.text[name.start : name.end]) for name in names] for text in texts]
    overlaps = [alike(left, right) for left in texts for right in texts]
    return View(scores, np.array(overlaps, bool).reshape(len(seen), -1 if seen else 0), np.array(named, bool))


def attention_to(
    weights: Doubles, tokens: Sequence[str], pronoun: Sequence[int], spans: Sequence[Sequence[int]]
) -> Doubles:
    """How much each span attends to the pronoun, in each head: span, layer, head.

    4.4: the mean over all subtokens of the two spans, where between two subtokens counts the sum over all occurrences
    of the same strings in the text. `weights` is layer, head, from, to.
    """
    if not spans:
        return np.zeros((0, *weights.shape[:2]))
    same = np.array([[left == right for right in tokens] for left in tokens], dtype=weights.dtype)
    to_pronoun = weights @ same[:, list(pronoun)].mean(axis=1)  # layer, head, from
    return np.stack([to_pronoun @ same[list(span)].mean(axis=0) for span in spans])


def gold_of(labels: Sequence[Label]) -> Bools:
    """Whether A and B are true, for each label."""
    return np.array([[label in ("A", "both"), label in ("B", "both")] for label in labels], dtype=bool)


def scores_by_head(views: Sequence[View], gold: Bools) -> Doubles:
    """F1 over the pairs of name and pronoun of each head that chooses by itself: layer, head."""
    if not any(len(view.names) for view in views):
        raise ConfigError("no head can be chosen: no candidate was found in any example; train on other examples")
    true: Doubles = np.zeros(())
    said: Doubles = np.zeros(())
    for view, names in zip(views, gold, strict=True):
        if len(view.names):
            predicted = view.names[view.scores.argmax(axis=0)]  # layer, head, name
            true = true + (predicted & names).sum(axis=-1)
            said = said + predicted.sum(axis=-1)
    scores: Doubles = 2 * true / (said + gold.sum())
    return scores


def best_head(scores: Doubles) -> tuple[int, int]:
    """The layer and the head of the highest score, the first of equals."""
    layer, head = np.unravel_index(int(scores.argmax()), scores.shape)
    return int(layer), int(head)


def attention_features(view: View) -> Bools:
    """4.4: one feature a head for each candidate, whether it overlaps with what the head chooses."""
    return view.overlaps[:, view.scores.argmax(axis=0).ravel()]


def learn(views: Sequence[View], gold: Bools, seed: int) -> Callable[[Sequence[View]], list[Doubles]]:
    """Extra trees over the three heads that say most by chi-squared; they tell how likely each candidate is true."""
    ensemble, selection = optional("sklearn.ensemble"), optional("sklearn.feature_selection")
    seen = [(view, names) for view, names in zip(views, gold, strict=True) if len(view.names)]
    rows = np.concatenate([attention_features(view) for view, _ in seen])
    true = np.concatenate([(view.names & names).any(axis=1) for view, names in seen])
    if true.all() or not true.any():
        raise ConfigError("extra trees need candidates that are true and some that are not; train on more examples")
    heads = selection.SelectKBest(selection.chi2, k=min(HEADS, rows.shape[1])).fit(rows, true)
    trees = ensemble.ExtraTreesClassifier(n_estimators=TREES, random_state=seed).fit(heads.transform(rows), true)

    def likely(asked: Sequence[View]) -> list[Doubles]:
        rows = [attention_features(view) for view in asked if len(view.names)]
        chances = trees.predict_proba(heads.transform(np.concatenate(rows)))[:, 1] if rows else np.zeros(0)
        return np.split(chances, np.cumsum([len(view.names) for view in asked])[:-1])

    return likely


def answer(view: View, chances: Doubles, head: tuple[int, int]) -> Label:
    """The likeliest candidate's name; of equals, and three yes-or-no features leave many, the head decides."""
    order = range(len(view.names))
    chosen = max(order, key=lambda n: (chances[n], view.scores[n][head]), default=None)
    return "neither" if chosen is None else LABELS[bool(view.names[chosen][0]), bool(view.names[chosen][1])]
