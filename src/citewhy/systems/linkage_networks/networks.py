"""Two networks that score how likely a sentence of the cited paper is the target of a citing one.

Nomoto, Resolving Citation Links With Neural Networks, Frontiers in Research Metrics and Analytics 3, 2018,
section 3 and figure 3. Both read features of a pair, f(ψ(s), ψ(t)): the elementwise product, or the squared
difference, of what ψ makes of the two sentences. Both have a layer of rectified units over them,

    G1(s, t) = max(0, f(ψ(s), ψ(t)) W + b₁)        60 units (triplet), 100 units (binary)

The triplet network learns that the sum of these units, h(s, t) = ‖G1(s, t)‖₁, is higher for a sentence that
is meant than for one that is not. The binary network adds a layer of two units, "meant" and "not meant"; to
rank with it, the source takes neither of them but again the sum of G1.

The source's text also allows another reading of the triplet network, in which each sentence goes through the
layer alone and h is the inner product of what comes out: `TowerLayer`.

Weights of G1 begin between 0 and `_START`, so that the similarity of a pair begins as the number of words
that it shares (ψ binary, f the product), and words that training never meets go on counting like that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from citewhy.systems.linkage_networks.bags import Bags, pair_features

__all__ = [
    "BINARY_UNITS",
    "EMBEDDING",
    "TRIPLET_UNITS",
    "BinaryNetwork",
    "EmbeddedLayer",
    "Joint",
    "PairLayer",
    "PairNetwork",
    "SparseLayer",
    "TowerLayer",
    "TripletNetwork",
]

TRIPLET_UNITS, BINARY_UNITS, CLASSES = 60, 100, 2
EMBEDDING = 10
"""Dimensions of the learned embedding."""

_START = 0.1

Joint = Literal["mul", "sqrd"]
"""f: the elementwise product, or the squared difference."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Sparse rows as a gathering sum reads them: `words` and `values` of all rows, one after another, and
    where each row `starts`."""

    words: Tensor
    values: Tensor
    starts: Tensor

    @classmethod
    def of(cls, bags: Bags) -> Self:
        return cls(
            torch.from_numpy(bags.indices.astype(np.int64)),
            torch.from_numpy(bags.data.astype(np.float32)),
            torch.from_numpy(bags.indptr[:-1].astype(np.int64)),
        )

    def times(self, matrix: Tensor) -> Tensor:
        """[rows, units]: the product with matrix [words, units], from the words that are there alone; its
        gradient has their rows alone, too."""
        product: Tensor = functional.embedding_bag(
            self.words, matrix, self.starts, mode="sum", per_sample_weights=self.values, sparse=True
        )
        return product


class PairLayer(Protocol):
    """The first layer, before the rectifier."""

    units: int
    gathered: nn.Parameter
    """The matrix that words are looked up in; its gradients are sparse."""

    def __call__(self, first: Bags, second: Bags) -> Tensor:
        """[pairs, units] for bags [pairs, words] of the citing and of the other sentences."""
        ...


class SparseLayer(nn.Module):  # type: ignore[misc, unused-ignore]
    """ψ binary or tf-idf: features of a pair are words, and stay sparse."""

    def __init__(self, words: int, units: int, joint: Joint) -> None:
        super().__init__()
        self.units = units
        self._joint: Joint = joint
        self.gathered = nn.Parameter(torch.rand(words, units) * _START)
        self.bias = nn.Parameter(torch.zeros(units))

    def forward(self, first: Bags, second: Bags) -> Tensor:
        return _Rows.of(pair_features(first, second, self._joint)).times(self.gathered) + self.bias


class EmbeddedLayer(nn.Module):  # type: ignore[misc, unused-ignore]
    """ψ embedding: the mean of the vectors of a sentence's words (bags weighted ``share``); features of a
    pair are dimensions. `vectors` [words, size] are kept as they are; without them, `EMBEDDING` dimensions
    are learned."""

    def __init__(
        self, words: int, units: int, joint: Joint, vectors: NDArray[np.float32] | None = None
    ) -> None:
        super().__init__()
        self.units = units
        self._joint: Joint = joint
        start = torch.randn(words, EMBEDDING) if vectors is None else torch.from_numpy(vectors)
        self.gathered = nn.Parameter(start, requires_grad=vectors is None)
        self.project = nn.Linear(start.shape[1], units)

    def forward(self, first: Bags, second: Bags) -> Tensor:
        one, other = _Rows.of(first).times(self.gathered), _Rows.of(second).times(self.gathered)
        features = one * other if self._joint == "mul" else (one - other) ** 2
        projected: Tensor = self.project(features)
        return projected


class TowerLayer(nn.Module):  # type: ignore[misc, unused-ignore]
    """The other reading: each sentence goes through the rectified layer alone, and the units of the pair are
    the products of theirs."""

    def __init__(self, words: int, units: int) -> None:
        super().__init__()
        self.units = units
        self.gathered = nn.Parameter(torch.randn(words, units) * _START)
        self.bias = nn.Parameter(torch.zeros(units))

    def forward(self, first: Bags, second: Bags) -> Tensor:
        return self._tower(first) * self._tower(second)

    def _tower(self, bags: Bags) -> Tensor:
        return functional.relu(_Rows.of(bags).times(self.gathered) + self.bias)


class PairNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """A first layer and its rectifier."""

    def __init__(self, layer: PairLayer) -> None:
        super().__init__()
        self.layer = layer

    def units(self, first: Bags, second: Bags) -> Tensor:
        """[pairs, units] G1, at least 0."""
        return functional.relu(self.layer(first, second))

    def similarity(self, first: Bags, second: Bags) -> Tensor:
        """[pairs] ‖G1‖₁: what the source ranks by."""
        return self.units(first, second).sum(dim=1)


class TripletNetwork(PairNetwork):
    """Learns from the order of similarities."""


class BinaryNetwork(PairNetwork):
    """Learns which pairs are linked."""

    def __init__(self, layer: PairLayer) -> None:
        super().__init__(layer)
        self.classes = nn.Linear(layer.units, CLASSES)

    def logits(self, first: Bags, second: Bags) -> Tensor:
        """[pairs, 2]: meant, not meant."""
        found: Tensor = self.classes(self.units(first, second))
        return found

    def log_odds(self, first: Bags, second: Bags) -> Tensor:
        """[pairs] of being meant: what the network itself says."""
        logits = self.logits(first, second)
        return logits[:, 0] - logits[:, 1]


Similarity = Callable[[Bags, Bags], Tensor]
