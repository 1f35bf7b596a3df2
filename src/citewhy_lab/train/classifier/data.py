"""Labelled examples as arrays, their weights, and the folds of a cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.vectorizer import Vectorizer
from citewhy.search.encode.encoder import Encoder, Vectors
from citewhy_lab.train.classifier.examples import Example

__all__ = ["Data", "Doubles", "Parts", "folds", "importance"]

Doubles = NDArray[np.float64]

Parts = NDArray[np.int64]
"""[n] the fold in which each example is tested."""


@dataclass(frozen=True, slots=True)
class Data:
    """n examples, L labels."""

    examples: Sequence[Example]
    labels: tuple[str, ...]
    vectors: Vectors
    """[n, d] of the encoder; d is 0 without one. They are computed once for all models."""
    encoder: Encoder | None = None

    @classmethod
    def of(
        cls,
        examples: Sequence[Example],
        features: Features,
        labels: Sequence[str] = (),
        encoder: Encoder | None = None,
    ) -> Data:
        """`labels` in the desired order; by default alphabetical."""
        found = tuple(labels) or tuple(sorted({label for each in examples for label in each.labels}))
        sentences = [each.sentence for each in examples]
        without_names = Vectorizer(features, (), idf=np.zeros(0, dtype=np.float32), encoder=encoder)
        return cls(examples, found, without_names.dense(sentences), encoder)

    @property
    def truth(self) -> Doubles:
        """[n, L] rows that sum to 1: true labels share an example."""
        rows = [[float(label in each.labels) for label in self.labels] for each in self.examples]
        truth: Doubles = np.array(rows).reshape(len(rows), len(self.labels))
        truth /= truth.sum(axis=1, keepdims=True)
        return truth

    @property
    def true_labels(self) -> list[tuple[str, ...]]:
        """[n]"""
        return [each.labels for each in self.examples]

    def answers(self, scores: Doubles) -> list[str]:
        """[n] the labels with the highest of `scores` [n, L]."""
        return [self.labels[place] for place in scores.argmax(axis=1).tolist()]

    def take(self, places: NDArray[np.int64]) -> Data:
        chosen = [self.examples[place] for place in places.tolist()]
        return Data(chosen, self.labels, self.vectors[places], self.encoder)

    def vectorizer(self, features: Features, least: int, buckets: int) -> Vectorizer:
        """A vectorizer fitted to these examples."""
        sentences = [each.sentence for each in self.examples]
        return Vectorizer.learn(features, sentences, least, buckets, self.encoder)

    def matrix(self, vectorizer: Vectorizer) -> Any:
        """[n, width] scipy's sparse matrix of all features."""
        from scipy import sparse

        rows = vectorizer.sparse(each.sentence for each in self.examples)
        shape = (len(self.examples), vectorizer.columns)
        named = sparse.csr_matrix((rows.values.astype(np.float64), rows.columns, rows.starts), shape=shape)
        if not self.vectors.shape[1]:
            return named
        return sparse.hstack([named, sparse.csr_matrix(self.vectors.astype(np.float64))], format="csr")


def importance(truth: Doubles, balance: float) -> Doubles:
    """[n] weights of the examples, of mean 1: one over the share of their labels, to the power `balance`."""
    shares = np.maximum(truth.mean(axis=0), 1e-6)
    weights: Doubles = truth @ shares**-balance
    weights /= weights.mean()
    return weights


def folds(data: Data, count: int, seed: int) -> Parts:
    """Folds 0 to `count` − 1 (fewer if there are fewer groups): examples of one group are in one fold, and
    labels are distributed evenly."""
    from sklearn.model_selection import StratifiedGroupKFold

    groups = [each.group for each in data.examples]
    first = [each.labels[0] for each in data.examples]
    splitter = StratifiedGroupKFold(min(count, len(set(groups))), shuffle=True, random_state=seed)
    parts = np.zeros(len(groups), dtype=np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a label with fewer examples than parts
        for part, (_, tested) in enumerate(splitter.split(np.zeros(len(groups)), first, groups)):
            parts[tested] = part
    return parts
