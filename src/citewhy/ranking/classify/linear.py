"""A linear classifier: a score for each label, the weighted sum of the features.

classifier.json   as in `scored`, with ``weights`` [columns + encoder's dimensions, labels], ``bias`` [labels]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import SentenceInContext
from citewhy.models import ModelFolder
from citewhy.ranking.classify.scored import (
    DOCUMENT,
    ScoredClassifier,
    fingerprint,
    finite,
    parts_document,
    read_parts,
)
from citewhy.search.encode.encoder import Encoder

READER = "linear"


class LinearClassifier(ScoredClassifier):
    """`weights` [width of the vectorizer, labels], `bias` [labels]."""

    def __init__(self, weights: NDArray[np.float32], bias: NDArray[np.float32], **parts: Any) -> None:
        super().__init__(**parts)
        self.weights, self.bias = weights, bias
        expected = (self.vectorizer.width, len(self.labels))
        if weights.shape != expected or bias.shape != expected[1:]:
            raise ValueError(f"expected weights {expected}, found {weights.shape} and {bias.shape}")

    @classmethod
    def of(
        cls,
        document: Mapping[str, Any],
        name: str,
        fingerprint: str = "",
        encoder: Encoder | None = None,
        path: Path | None = None,
    ) -> LinearClassifier:
        """Reads it from a `document`. Raises what `scored.read_parts` raises."""
        parts = read_parts(document, encoder, path)
        width, labels = parts["vectorizer"].width, len(parts["labels"])
        weights = finite(document["weights"]).reshape(width, labels)
        return cls(weights, finite(document["bias"]), name=name, fingerprint=fingerprint, **parts)

    def document(self) -> dict[str, Any]:
        """Returns it as JSON; weights with six digits."""
        weights = [[float(f"{weight:.6g}") for weight in row] for row in self.weights.tolist()]
        bias = [float(f"{weight:.6g}") for weight in self.bias.tolist()]
        parts = parts_document(self.labels, self.vectorizer, self.scaling)
        return {**parts, "weights": weights, "bias": bias}

    def _scores(self, sentences: Sequence[SentenceInContext]) -> NDArray[np.float64]:
        rows = self.vectorizer.sparse(sentences)
        gains = self.weights[rows.columns].astype(np.float64) * rows.values[:, None]
        scores = np.zeros((len(sentences), len(self.labels))) + self.bias
        filled = np.flatnonzero(np.diff(rows.starts))
        if len(filled):
            scores[filled] += np.add.reduceat(gains, rows.starts[filled], axis=0)
        vectors = self.vectorizer.dense(sentences).astype(np.float64)
        # Label by label: the last bits of a matrix product can depend on the number of sentences.
        for label, weights in enumerate(self.weights[self.vectorizer.columns :].T.astype(np.float64)):
            scores[:, label] += (vectors * weights).sum(axis=1)
        return scores


def read_linear(folder: ModelFolder, encoder: Encoder | None = None) -> LinearClassifier:
    """Raises what `scored.read_parts` raises."""
    document, mark = folder.json(DOCUMENT), fingerprint(folder)
    return LinearClassifier.of(document, folder.name, mark, encoder, folder.path)
