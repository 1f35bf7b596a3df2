"""The settings of a trained classifier. Imported without scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from citewhy.base.config import DEFAULT_SEED
from citewhy.ranking.classify.features import Features

__all__ = ["ClassifierSettings"]


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    features: Features = field(default_factory=Features)
    model: Literal["linear", "network", "trees"] = "linear"
    """``trees`` stand on a linear classifier of the same `features`, and are for two labels."""
    least: int = 2
    """Minimum number of sentences with a feature."""
    buckets: int = 0
    """Number of columns to which features are hashed; 0: each feature has its own column, by name."""
    balance: float = 1.0
    """The weight of an example is one over its label's share, to this power. 1: labels have equal weight; 0:
    examples have."""
    folds: int = 5
    seed: int = DEFAULT_SEED

    # Of linear models.
    penalties: Sequence[float] = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
    """Penalties of the squared weights, relative to the mean loss of an example; the best one is chosen."""

    # Of trees.
    beside: Features = field(default_factory=lambda: Features(words={}, weighting="binary"))
    """What the trees compare besides the score of the linear classifier."""
    rising: Sequence[str] = ()
    """Names of features of which more is never a sign of the second label."""
    trees: int = 300
    leaves: int = 15
    """Maximum number of a tree, at least 2 and at most `models.trees.MOST_LEAVES`."""
    least_in_leaf: int = 100
    tree_rate: float = 0.05
    """Learning rate."""

    # Of networks.
    hidden: int = 128
    """Units of the hidden layer."""
    dropout: float = 0.3
    epochs: int = 40
    """Maximum; training ends after `patience` epochs without improvement."""
    patience: int = 5
    batch: int = 64
    """Examples in a step."""
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2

    def document(self) -> dict[str, Any]:
        """As JSON."""
        documents = {"features": self.features.document(), "beside": self.beside.document()}
        return {**asdict(self), **documents}
