"""The classifier protocol: sentences with their context to probabilities of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import ModelError
from citewhy.base.records import SentenceInContext
from citewhy.models.numbers import require_probabilities

Probabilities = NDArray[np.float32]
"""[sentences, labels], rows that sum to 1."""


class Classifier(Protocol):
    """The answer for a sentence depends only on this sentence and its context, not on other sentences or
    their order. Implementations are thread-safe."""

    @property
    def name(self) -> str:
        """A name for display."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hexadecimal digest of everything that determines the answers: a different fingerprint means
        different answers."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Distinct labels, in the order of the columns of `probabilities`."""
        ...

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> Probabilities:
        """[len(sentences), len(labels)], calibrated: of the sentences with probability p of a label, about
        the share p has it."""
        ...

    def predict(self, sentences: Sequence[SentenceInContext]) -> list[str]:
        """One of `labels` for each sentence, chosen for macro-averaged F1, which gives rare labels the same
        weight as common ones. So it need not be the most probable label."""
        ...


def probabilities_of(classifier: Classifier, sentences: Sequence[SentenceInContext]) -> Probabilities:
    """What the classifier answers. Raises ModelError for what are no probabilities."""
    table = classifier.probabilities(sentences)
    require_probabilities(
        table, (len(sentences), len(classifier.labels)), f"the classifier {classifier.name}"
    )
    return table


def answers_of(
    classifier: Classifier, sentences: Sequence[SentenceInContext]
) -> tuple[list[str], Probabilities]:
    """What the classifier predicts, and its probabilities. Raises ModelError as `probabilities_of`, and for
    labels that it does not have."""
    labels = classifier.predict(sentences)
    if len(labels) != len(sentences) or not set(labels) <= set(classifier.labels):
        raise ModelError(
            f"the classifier {classifier.name} does not predict one of its labels for each sentence",
            hint="train the model again, or leave it out",
        )
    return labels, probabilities_of(classifier, sentences)
