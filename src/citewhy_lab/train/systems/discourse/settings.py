"""The settings of the discourse tagger. Imported without torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from citewhy.base.config import DEFAULT_SEED
from citewhy.ranking.classify.features import Features

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    features: Features = field(
        default_factory=lambda: Features(
            words={"text": 2},
            cues=("text",),
            markers=("text",),
            position=True,
            citations=True,
        )
    )
    """Of a sentence, beside its vector."""
    least: int = 10
    """Minimum number of sentences with a feature."""
    layers: int = 6
    """Layers of the start encoder that are kept, the first ones."""
    trained: int = 3
    """The last of these, which are trained; what is below stays as it is."""
    tokens: int = 64
    """Maximum number of tokens of a sentence."""
    gain: float = 4.0
    """Factor of the encoder's vectors, which have length 1, before the layer that reads them."""
    hidden: int = 48
    """Units of the layer that reads a sentence's features."""
    units: int = 32
    """Units of the recurrent layer, in each direction."""
    dropout: float = 0.4
    encoder_dropout: float = 0.1
    epochs: int = 4
    batch: int = 8
    """Paragraphs in a step."""
    encoder_rate: float = 1e-4
    """Learning rate of the encoder."""
    learning_rate: float = 2e-3
    """Of everything else. Both rise over a share of `warm_up` of the steps, and fall linearly."""
    warm_up: float = 0.06
    weight_decay: float = 1e-2
    balance: float = 0.5
    """The weight of an example is one over its label's share, to this power."""
    folds: int = 5
    seed: int = DEFAULT_SEED

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "features": self.features.document()}
