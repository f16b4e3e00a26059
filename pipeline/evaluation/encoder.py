"""A small classifier over an encoder's states of the pronoun and the two names, after Yang et al. 2019.

The encoder stays as it is. What it says of the three is concatenated, with the products of each name with the pronoun,
and a regression tells A, B and neither apart. It is given the names: a gold-two-mention system in the sense of GAP 4.3.
Middle layers know more of coreference than the last: which one is read is chosen on the training examples alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.errors import ConfigError
from pipeline.evaluation.encoders import Encoded, Floats, encode, load_encoder
from pipeline.neural import DEFAULT_ENCODER, optional
from pipeline.records import Instance, Label

CLASSES: tuple[Label, ...] = ("A", "B", "neither")
STRENGTHS = (1e-3, 1e-4, 1e-2)  # of the regression, small ones for strong regularisation; the first chooses the layer
FOLDS = 5
ITERATIONS = 1000


def encoder(
    instances: Sequence[Instance],
    *,
    seed: int = 0,
    train: Sequence[tuple[Instance, Label]] = (),
    encoder: str = DEFAULT_ENCODER,
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
        found[n] = features_of(instances[n], encoded)
    return np.stack([found[n] for n in range(len(instances))])


def features_of(instance: Instance, encoded: Encoded) -> Floats:
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
