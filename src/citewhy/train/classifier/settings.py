"""What decides a trained classifier beside its examples. Read without scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from citewhy.classify.features import Features
from citewhy.config import DEFAULT_SEED

__all__ = ["ClassifierSettings"]


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    features: Features = field(default_factory=Features)
    model: Literal["linear", "network"] = "linear"
    least: int = 2
    """Sentences that a feature must be in."""
    buckets: int = 0
    """Columns that features are hashed to; 0: each feature has its own, by name."""
    balance: float = 1.0
    """Weight of an example: one over its label's share, to this power. 1: labels count equally; 0: examples
    do."""
    folds: int = 5
    seed: int = DEFAULT_SEED

    # Of linear models.
    penalties: Sequence[float] = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
    """Of the squared weights, beside the mean loss of an example: the best of them is taken."""

    # Of networks.
    hidden: int = 128
    """Units of the hidden layer."""
    dropout: float = 0.3
    epochs: int = 40
    """At most: training ends when `patience` epochs were no better."""
    patience: int = 5
    batch: int = 64
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "features": self.features.document()}
