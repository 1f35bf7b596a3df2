"""The settings of the encoder's training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from citewhy.base.config import DEFAULT_SEED

__all__ = ["TOKENS", "WEIGHTS", "Settings", "Source"]

Source = Literal["context", "citation", "self", "paragraph", "triple", "draft", "field"]

WEIGHTS: Mapping[Source, float] = MappingProxyType(
    {
        "context": 6.0,
        "citation": 3.0,
        "self": 1.0,
        "paragraph": 0.2,
        "triple": 0.1,
        "draft": 5.0,
        "field": 2.0,
    }
)
"""How often a batch is of each source of pairs, relative to each other."""

TOKENS: Mapping[str, int] = MappingProxyType({"query": 72, "paper": 128})
"""Tokens that are read of a text, in training and in use. A whole paper as query is read like a paper."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of training. Checked by the command line that fills them."""

    until: int = 2010
    """Last year of citing papers and of cited ones, inclusive."""
    steps: int = 600
    batch: int = 48
    """Pairs in a step; at least 2, because the positives of the others are the negatives."""
    seed: int = DEFAULT_SEED
    rounds: int = 2
    """Hard negatives are mined at the beginning of each round; rounds are of equal length."""
    learning_rate: float = 5e-5
    warm_up: float = 0.1
    """Share of the steps over which the learning rate rises; then it falls to zero, both linearly."""
    weight_decay: float = 0.01
    clip: float = 1.0
    """Norm that a step's gradients are scaled down to."""
    temperature: float = 0.05
    checkpoint_every: int = 25
    trained_share: float = 1.0
    """In (0, 1]: share of the trained weights in those of the encoder; the rest are those that training
    started from (WiSE-FT: Wortsman et al., 2022). Less than 1 keeps more of what it knew of other fields."""
    weights: Mapping[Source, float] = field(default_factory=lambda: dict(WEIGHTS))

    def round_length(self) -> int:
        """Steps of a round; the last one may be shorter."""
        return max(-(-self.steps // self.rounds), 1)
