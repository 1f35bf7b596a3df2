"""The settings of the baselines. Imported without torch and gensim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from citewhy.base.config import DEFAULT_SEED

Method = Literal["word2vec", "doc2vec", "hyperdoc2vec", "dacr"]


@dataclass(frozen=True, slots=True)
class VectorSettings:
    """The parameters of training. gensim's own are used where nothing is said here."""

    size: int = 100
    """Dimensions of the vectors."""
    window: int = 10
    """Words on each side, for word2vec and doc2vec."""
    negatives: int = 10
    least: int = 2
    """Words that occur less often are left out; ids of papers never are."""
    epochs: int = 20
    """Passes over the text, for word2vec and doc2vec."""
    citation_epochs: int = 20
    """Passes over the citations, for HyperDoc2Vec and DACR."""
    batch: int = 64
    learning_rate: float = 0.005
    """For HyperDoc2Vec and DACR."""
    heads: int = 4
    """Heads of the self-attention of DACR."""
    seed: int = DEFAULT_SEED
