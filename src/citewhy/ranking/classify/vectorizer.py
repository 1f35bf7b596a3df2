"""Sentences as vectors: named features by a vocabulary, or hashed, and the vectors of an encoder."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify.features import Features, named_features
from citewhy.search.encode.encoder import Encoder, Vectors

Idf = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sparse:
    """Rows of a matrix [n, columns]: row i has `values[starts[i]:starts[i + 1]]` in `columns`."""

    columns: NDArray[np.int64]
    values: NDArray[np.float32]
    starts: NDArray[np.int64]
    """[n + 1]"""


class Vectorizer:
    """`columns` columns of named features, followed by those of the encoder's vectors for each text."""

    def __init__(
        self,
        features: Features,
        vocabulary: Sequence[str] | None,
        buckets: int = 0,
        idf: Idf | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        """`vocabulary`: names by column; None: names are hashed to `buckets` columns. `idf` [columns], for
        the weighting ``tfidf``.

        Raises ValueError for parts that do not match.
        """
        self.features = features
        self.vocabulary = None if vocabulary is None else tuple(vocabulary)
        self.columns = buckets if vocabulary is None else len(vocabulary)
        self.idf = idf
        self.encoder = encoder
        self._column = {name: column for column, name in enumerate(vocabulary or ())}
        if features.weighting == "tfidf" and (idf is None or len(idf) != self.columns):
            raise ValueError(f"expected {self.columns} inverse document frequencies")
        if features.encoder and encoder is None:
            raise ValueError("these features need an encoder")
        self.width = self.columns
        if encoder is not None:
            self.width += len(features.encoder) * encoder.dimensions

    @classmethod
    def learn(
        cls,
        features: Features,
        sentences: Sequence[SentenceInContext],
        least: int,
        buckets: int = 0,
        encoder: Encoder | None = None,
    ) -> Vectorizer:
        """The features that occur in at least `least` of the sentences, or all of them in `buckets`."""
        seen: Counter[str] = Counter()
        for sentence in sentences:
            seen.update({name for part in named_features(features, sentence) for name in part.values})
        if buckets:
            hashed = np.zeros(buckets)
            for name, count in seen.items():
                hashed[_bucket(name, buckets)] += count
            return cls(features, None, buckets, _idf(features, hashed, len(sentences)), encoder)
        vocabulary = sorted(name for name, count in seen.items() if count >= least)
        counts = np.array([seen[name] for name in vocabulary], dtype=np.float64)
        return cls(features, vocabulary, 0, _idf(features, counts, len(sentences)), encoder)

    def sparse(self, sentences: Iterable[SentenceInContext]) -> Sparse:
        """The named features: a row for each sentence, over `columns` columns."""
        columns: list[int] = []
        values: list[float] = []
        starts = [0]
        for sentence in sentences:
            for part in named_features(self.features, sentence):
                buckets = self._known(part.values)
                if part.grams:
                    buckets = self._weighed(buckets)
                columns += buckets
                values += buckets.values()
            starts.append(len(columns))
        return Sparse(
            np.array(columns, dtype=np.int64),
            np.array(values, dtype=np.float32),
            np.array(starts, dtype=np.int64),
        )

    def dense(self, sentences: Sequence[SentenceInContext]) -> Vectors:
        """[len(sentences), width − columns] vectors of the encoder."""
        if self.encoder is None or not self.features.encoder:
            return np.zeros((len(sentences), 0), dtype=np.float32)
        parts = [
            self.encoder.encode([getattr(sentence, name) for sentence in sentences], "query")
            for name in self.features.encoder
        ]
        return np.concatenate(parts, axis=1)

    def _known(self, values: Mapping[str, float]) -> dict[int, float]:
        """Values by column."""
        if self.vocabulary is not None:
            column = self._column
            return {column[name]: value for name, value in values.items() if name in column}
        buckets: dict[int, float] = {}
        for name, value in values.items():
            bucket = _bucket(name, self.columns)
            buckets[bucket] = buckets.get(bucket, 0.0) + value
        return buckets

    def _weighed(self, times: Mapping[int, float]) -> dict[int, float]:
        if self.features.weighting == "binary" or self.idf is None:
            return dict.fromkeys(times, 1.0)
        weights = {column: (1 + log(n)) * float(self.idf[column]) for column, n in times.items()}
        length = sqrt(sum(weight**2 for weight in weights.values()))
        return {column: weight / length for column, weight in weights.items()}


def _bucket(name: str, buckets: int) -> int:
    """Returns the bucket of a feature: the same on every machine, unlike Python's hash."""
    return zlib.crc32(name.encode()) % buckets


def _idf(features: Features, counts: NDArray[np.float64], sentences: int) -> Idf | None:
    """[columns] ln((1 + sentences) / (1 + sentences with the feature)) + 1; None for other weightings."""
    if features.weighting != "tfidf":
        return None
    return (np.log((1 + sentences) / (1 + counts)) + 1).astype(np.float32)
