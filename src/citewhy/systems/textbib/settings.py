"""The settings of TEXTBIB's training. Imported without torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from citewhy.config import DEFAULT_SEED
from citewhy.systems.textbib.shape import Shape
from citewhy.train.sampling.mixes import Mix

__all__ = ["Regime", "TextBibSettings"]

Regime = Literal["standard", "strict"]
"""Learn from all contexts, or only from those whose cited paper the first stage found."""


@dataclass(frozen=True, slots=True)
class TextBibSettings:
    """The parameters of training; `Shape` has those of the network."""

    shape: Shape = field(default_factory=Shape)
    regime: Regime = "strict"
    negatives: Mix = field(default_factory=lambda: Mix.named("prefiltered"))
    epochs: int = 100
    batches: int = 100
    """Steps of an epoch."""
    pairs: int = 30
    """Pairs of a context and a cited paper in a batch; each makes as many triplets as it has negatives."""
    margin: float = 0.2
    learning_rate: float = 2e-3
    """Of the first step; it falls to zero, linearly."""
    dropout: float = 0.4
    train_words: bool = False
    """Whether word vectors are trained, too; with only some thousand pairs, frozen ones do better."""
    clip: float = 1.0
    """Norm that a step's gradients are scaled down to."""
    validate_every: int = 5
    """Epochs between two validations."""
    validated: int = 300
    """Validation contexts that are asked each time, drawn once; all where there are fewer."""
    depth: int = 1000
    """Candidates of the first stage."""
    held_out: bool = True
    """Keep held-out papers (`evaluate.datasets.held_out`) from training, as positives and as negatives."""
    seed: int = DEFAULT_SEED
