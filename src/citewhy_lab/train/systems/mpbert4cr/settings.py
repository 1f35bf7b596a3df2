"""Sizes of the network, of the sampled texts and of training. Imported without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from citewhy.base.config import DEFAULT_SEED

__all__ = ["OBJECTIVES", "PRESETS", "Objective", "Preset", "Sampled", "Settings", "Shape"]

Objective = Literal["triplet", "mpt-tgt", "mpt-src", "mpt-src-tgt"]

OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
"""``triplet``: equation 3; ``mpt-tgt``, ``mpt-src``, ``mpt-src-tgt``: equations 4 to 6."""

Preset = Literal["source", "small"]


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the encoders and of the decoder; by default those of the source (table 2)."""

    layers: int = 6
    """Transformer layers of each part: sentences, documents, decoder."""
    size: int = 768
    """Dimensions; divisible by `heads`."""
    heads: int = 12
    inputs: int = 0
    """Dimensions of the sentence vectors of a ready encoder, which replaces the lower level; 0: none, the
    lower level is trained."""
    words: int = 30_000
    """At most so many words of the vocabulary, the most frequent ones."""
    sentence: int = 32
    """Words of a sentence that are read, its end included."""
    sentences: int = 64
    """Sentences of a text that are read."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """Sentences that are sampled of a text (section 4.1.1)."""

    manuscript: int = 27
    """Supplemental sentences of a manuscript, beside the three fundamental ones."""
    abstract: int = 10
    """Fundamental sentences of a cited paper."""
    body: int = 30
    """Supplemental sentences of a cited paper."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of training; by default those of the source for its DBLP data (table 2, section 5.2)."""

    shape: Shape = field(default_factory=Shape)
    sampled: Sampled = field(default_factory=Sampled)
    objective: Objective = "mpt-src-tgt"
    dynamic: bool = True
    """If false, the supplemental sentences are those nearest to the fundamental ones, the same in all
    epochs."""
    positives: int = 3
    """At most so many of the papers that are cited together with the target."""
    negatives: int = 4
    margin: float = 1.0
    """Of the triplet objective."""
    pretraining: int = 10
    """Epochs over the documents; 0: none."""
    pretraining_batch: int = 28
    pretraining_rate: float = 1e-4
    masked: float = 0.15
    """Share of the sentences of a document that are masked; at least one is."""
    epochs: int = 2
    """Epochs over the pairs of a citing sentence and a cited paper."""
    batch: int = 8
    """Pairs in a step."""
    learning_rate: float = 2e-5
    warm_up: int = 2000
    """Steps."""
    weight_decay: float = 0.01
    dropout: float = 0.1
    clip: float = 1.0
    validated: int = 100
    """Validation contexts that are asked after each epoch, drawn once."""
    depth: int = 100
    """Candidates of the first stage, in validation and in use."""
    held_out: bool = True
    """Keep held-out papers (`evaluate.datasets.held_out`) from training."""
    seed: int = DEFAULT_SEED

    @property
    def regime(self) -> Literal["standard"]:
        """Targets are learned from whether or not the first stage finds them."""
        return "standard"


PRESETS: Mapping[Preset, Settings] = {
    "source": Settings(),
    "small": Settings(
        shape=Shape(layers=1, size=192, heads=4, words=5000, sentence=24, sentences=32),
        sampled=Sampled(manuscript=9, abstract=6, body=10),
        pretraining=2,
        pretraining_rate=1e-3,
        epochs=2,
        learning_rate=2e-4,
        warm_up=100,
        validated=50,
    ),
}
"""``small`` is for processors: with the vectors of a ready sentence encoder, minutes an epoch."""
