"""Sizes and training settings of NCN. Imported without torch."""

from __future__ import annotations

from dataclasses import dataclass, field

from citewhy.base.config import DEFAULT_SEED
from citewhy_lab.train.reranking.data import Regime

__all__ = ["NcnSettings", "Shape"]


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes are dimensions of vectors; those of the authors' code."""

    word: int = 64
    state: int = 64
    """Of the GRU."""
    filters: int = 64
    """Of each width of a convolution."""
    widths: tuple[int, ...] = (4, 4, 5)
    """Of the convolutions over a context, in words."""
    author: int = 64
    author_widths: tuple[int, ...] = (1, 2)
    """Of the convolutions over authors."""
    context_tokens: int = 31
    title_tokens: int = 15
    authors: int = 5
    """Authors that are read of a paper, the first ones."""
    vocabulary: int = 20_000
    """At most so many words of contexts, words of titles, and authors, the most frequent ones."""


@dataclass(frozen=True, slots=True)
class NcnSettings:
    """The parameters of training; `Shape` has those of the network."""

    shape: Shape = field(default_factory=Shape)
    regime: Regime = "standard"
    epochs: int = 20
    batches: int = 100
    """Steps of an epoch."""
    pairs: int = 64
    """Pairs of a context and a cited paper in a batch."""
    learning_rate: float = 1e-3
    dropout: float = 0.2
    """On the input of the GRU."""
    clip: float = 5.0
    """Norm that a step's gradients are scaled down to."""
    validate_every: int = 5
    """Epochs between two validations."""
    validated: int = 100
    """Validation contexts that are asked each time, drawn once; all where there are fewer."""
    depth: int = 200
    """Candidates of the first stage, in validation and in use."""
    held_out: bool = True
    """Keep held-out papers (`evaluate.datasets.held_out`) from training."""
    seed: int = DEFAULT_SEED
