"""A classifier by scores of labels: the common parts of linear models and networks.

Its document, JSON, has ``labels``, ``features`` (`Features`), ``vocabulary`` (names by column, or null) or
``buckets``, ``idf`` by column or null, ``scaling`` (slope and shift), and ``encoder``: the fingerprint of the
encoder whose vectors are features, or null.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import ModelError
from citewhy.base.records import SentenceInContext
from citewhy.models import ModelFolder
from citewhy.models.numbers import bounded
from citewhy.ranking.classify.classifier import Probabilities
from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.scaling import Scaling
from citewhy.ranking.classify.vectorizer import Vectorizer
from citewhy.search.encode import default_encoder
from citewhy.search.encode.encoder import Encoder

DOCUMENT = "classifier.json"
"""The file of a folder that contains the document."""

_AT_ONCE = 1024
"""Number of sentences whose features are in memory at a time."""


class ScoredClassifier(ABC):
    """Classifies by the scores of the labels, which a subclass computes."""

    def __init__(
        self,
        name: str,
        fingerprint: str,
        labels: Sequence[str],
        vectorizer: Vectorizer,
        scaling: Scaling,
    ) -> None:
        """Raises ValueError for parts that do not match."""
        self.name = name
        self.fingerprint = fingerprint
        self.labels = tuple(labels)
        self.vectorizer = vectorizer
        self.scaling = scaling
        if len(self.labels) < 2 or not _distinct_texts(labels):
            raise ValueError("expected two labels or more, each once")
        if len(scaling.shift) != len(self.labels):
            raise ValueError(f"expected {len(self.labels)} shifts, found {len(scaling.shift)}")

    @abstractmethod
    def _scores(self, sentences: Sequence[SentenceInContext]) -> NDArray[np.float64]:
        """[sentences, labels] for a batch of sentences."""

    def scores(self, sentences: Sequence[SentenceInContext]) -> NDArray[np.float64]:
        """[sentences, labels]; the label with the highest score is predicted."""
        firsts = range(0, len(sentences), _AT_ONCE)
        parts = [self._scores(sentences[first : first + _AT_ONCE]) for first in firsts]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.labels)))

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> Probabilities:
        return self.scaling(self.scores(sentences))

    def predict(self, sentences: Sequence[SentenceInContext]) -> list[str]:
        return [self.labels[position] for position in self.scores(sentences).argmax(axis=1).tolist()]


def parts_document(labels: Sequence[str], vectorizer: Vectorizer, scaling: Scaling) -> dict[str, Any]:
    """Returns them as JSON; idf with six digits."""
    encoder, idf = vectorizer.encoder, vectorizer.idf
    return {
        "labels": list(labels),
        "features": vectorizer.features.document(),
        "vocabulary": None if vectorizer.vocabulary is None else list(vectorizer.vocabulary),
        "buckets": vectorizer.columns if vectorizer.vocabulary is None else 0,
        "idf": None if idf is None else [float(f"{value:.6g}") for value in idf.tolist()],
        "scaling": {"slope": scaling.slope, "shift": list(scaling.shift)},
        "encoder": None if encoder is None else encoder.fingerprint,
    }


def read_parts(
    document: Mapping[str, Any], encoder: Encoder | None = None, path: Path | None = None
) -> dict[str, Any]:
    """Labels, vectorizer and scaling of a `ScoredClassifier`.

    `encoder` None: the built-in one; `path` is that of the document. Raises KeyError, TypeError or ValueError
    for an invalid document, ModelError if the classifier was trained with another encoder.
    """
    features = Features.of(document["features"])
    chosen = _encoder(document["encoder"], encoder, path) if features.encoder else None
    idf = finite(document["idf"]) if features.weighting == "tfidf" else None
    vocabulary, buckets = document["vocabulary"], document["buckets"]
    if vocabulary is not None and not _distinct_texts(vocabulary):
        raise ValueError("expected a vocabulary of distinct names")
    if vocabulary is None and (not isinstance(buckets, int) or buckets < 1):
        raise ValueError(f"expected a vocabulary, or a number of buckets, found {buckets!r}")
    scaling = document["scaling"]
    slope, shift = finite(scaling["slope"]), finite(scaling["shift"])
    if slope.shape != () or shift.ndim != 1 or slope <= 0:
        raise ValueError("expected a scaling with a slope above 0 and a shift for each label")
    return {
        "labels": document["labels"],
        "vectorizer": Vectorizer(features, vocabulary, buckets, idf, chosen),
        "scaling": Scaling(float(slope), shift.tolist()),
    }


def finite(values: Any) -> NDArray[np.float32]:
    """Numbers of JSON as an array. Raises TypeError or ValueError for invalid ones, also for those that are
    too large (`models.numbers`)."""
    with np.errstate(over="ignore"):  # too large for 32 bits: not finite
        array = np.array(values, dtype=np.float32)
    if not bounded(array):
        raise ValueError("expected finite numbers that are not too large")
    return array


def fingerprint(folder: ModelFolder) -> str:
    """A fingerprint of the files that determine the answers."""
    files = sorted((name, file["crc32"], file["bytes"]) for name, file in folder.files.items())
    return hashlib.blake2b(repr(files).encode(), digest_size=8).hexdigest()


def _distinct_texts(values: Any) -> bool:
    """Whether it is a list of distinct texts."""
    return (
        isinstance(values, list | tuple)
        and all(isinstance(value, str) for value in values)
        and len(set(values)) == len(values)
    )


def _encoder(fingerprint: str, given: Encoder | None, path: Path | None) -> Encoder:
    encoder = default_encoder() if given is None else given
    if encoder.fingerprint != fingerprint:
        raise ModelError(
            f"this classifier was trained with the encoder {fingerprint}, not with {encoder.name} "
            f"({encoder.fingerprint})",
            path=path,
            hint="open it with that encoder, or train it again",
        )
    return encoder
