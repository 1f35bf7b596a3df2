"""The settings of the classifier of intents. Imported without torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from citewhy.base.config import DEFAULT_SEED

__all__ = ["OTHER_TOKEN", "TARGET_TOKEN", "Settings"]

TARGET_TOKEN, OTHER_TOKEN = "§", "@"
"""Tokens of the vocabulary that stand for the citation in question, and for other citations."""


@dataclass(frozen=True, slots=True)
class Settings:
    layers: int = 4
    """Layers of the encoder that are kept, the first ones. The embeddings and the first layer stay as they
    are; the others are trained."""
    tokens: int = 64
    """Maximum number of tokens of a sentence."""
    context: int = 0
    """Maximum number of tokens of the sentence before, and of the sentence after, which the functions are
    read with; 0: without them."""
    scaffold_epochs: int = 1
    """Passes over the sentences of the scaffolds, before those over the citations."""
    scaffold_sentences: int = 8000
    """Maximum number of sentences of full texts for each scaffold."""
    epochs: int = 2
    batch: int = 32
    learning_rate: float = 1e-4
    head_gain: float = 20.0
    """The learning rate of the heads, relative to that of the layers."""
    warm_up: int = 60
    """Steps until the learning rate is reached; then it falls linearly."""
    dropout: float = 0.1
    weight_decay: float = 0.01
    average: float = 0.99
    """The weights that are written are an exponential moving average over the steps, with this decay."""
    words: float = 0.5
    """Weight of the scores of a linear classifier of words beside those of the network, for the intents; 0:
    none."""
    words_penalty: float = 1e-4
    """Penalty of the squared weights of that classifier."""
    purposes: bool = True
    """Whether words for a purpose, and whether authors cite their own work, are used beside the network for
    the functions."""
    purposes_penalty: float = 2e-3
    """Penalty of the squared weights of these, each in units of its feature's standard deviation."""
    purposes_least: int = 20
    """Minimum number of examples with such a feature."""
    repeat_functions: int = 1
    """Number of times that an epoch has each example of ACL-ARC, which has fewer than SciCite."""
    multicite_weight: float = 0.5
    """Weight of an example of MultiCite."""
    folds: int = 5
    """Groups of examples, such as the citations of a paper, are dealt into so many folds. What stands beside
    the network, the calibration, and the figures of the manifest are made of scores by networks that did not
    learn from the fold of an example."""
    seed: int = DEFAULT_SEED

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)
