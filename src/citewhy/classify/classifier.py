"""What a classifier is: sentences with their context to probabilities of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.records import SentenceInContext

__all__ = ["Classifier", "Probabilities"]

Probabilities = NDArray[np.float32]
"""[sentences, labels], rows that sum to 1."""


class Classifier(Protocol):
    """What a classifier says of a sentence depends on this sentence and its context alone: not on what else
    is asked, nor in which order. Implementations are safe for use by several threads."""

    @property
    def name(self) -> str:
        """For people."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hexadecimal digest of everything that decides the answers: another one, other answers."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Each once, in the order of the columns of `probabilities`."""
        ...

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> Probabilities:
        """[len(sentences), len(labels)], calibrated: of the sentences that are given a label with
        probability p, about the share p has it."""
        ...

    def predict(self, sentences: Sequence[SentenceInContext]) -> list[str]:
        """One of `labels` for each sentence, chosen so that labels count equally, rare ones as much as common
        ones (macro-averaged F1). So it need not be the most probable label."""
        ...
