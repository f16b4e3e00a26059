"""Likeness in meaning by any encoder of the transformers library: the cosine of the mean states of two sentences.

The paper asks for shared n-grams alone (GAP-Subjective 3.2.3). Embeddings hardly notice a negation or another name, so
that they are asked beside the invariants, never in their place.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gapforge.nlp.neural import DEFAULT_ENCODER, batches, load_pretrained, optional, padded, subtoken_ids
from gapforge.subjectivity.hooks import passes


@passes(0.8, "chosen")
def embedding(
    sources: Sequence[str], targets: Sequence[str], *, model: str = DEFAULT_ENCODER, device: str = "cpu"
) -> list[float]:
    """The cosine of each source and its target, from -1 to 1; 0 where one of them has no subtoken at all."""
    texts = sorted({*sources, *targets})
    vectors = dict(zip(texts, embeddings(texts, model, device), strict=True))
    return [cosine(vectors[source], vectors[target]) for source, target in zip(sources, targets, strict=True)]


def embeddings(texts: Sequence[str], model: str, device: str) -> list[npt.NDArray[np.float64]]:
    """The mean of the last states of every text in order, special subtokens among them, as sentence encoders do."""
    torch = optional("torch")
    encoder = load_pretrained(model, "encoder", device)
    rows = subtoken_ids(encoder, texts, encoder.limit)
    found = [np.zeros(1)] * len(rows)
    asked = [n for n, row in enumerate(rows) if row]
    for batch in batches([len(rows[n]) for n in asked]):
        inputs = padded(encoder, [rows[asked[n]] for n in batch])
        with torch.inference_mode():
            states = encoder.model(**inputs).last_hidden_state.double()
            mask = inputs["attention_mask"][:, :, None]
            means = ((states * mask).sum(1) / mask.sum(1)).cpu().numpy()
        for n, mean in zip(batch, means, strict=True):
            found[asked[n]] = mean
    return found


def cosine(left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> float:
    lengths = float(np.linalg.norm(left) * np.linalg.norm(right))
    return min(1.0, max(-1.0, float(left @ right) / lengths)) if lengths else 0.0
