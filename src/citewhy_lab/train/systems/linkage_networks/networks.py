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

The source does not say how weights begin. ``neutral``: on both sides of zero (Glorot and Bengio 2010), as
libraries do. ``counting``: between 0 and `_COUNTING`, so that the similarity of a pair begins as the number
of words that it shares (ψ binary, f the product), before anything is learned.
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

from citewhy_lab.train.systems.linkage_networks.data import Bags, pair_features

TRIPLET_UNITS, BINARY_UNITS, CLASSES = 60, 100, 2
EMBEDDING = 10
"""Dimensions of the learned embedding."""

_COUNTING = 0.1
_TOWER = 0.1
"""Standard deviation of a tower's first weights."""

_SLOTS_AT_ONCE = 128
"""Words whose first weights are drawn together."""

Start = Literal["neutral", "counting"]
"""How the weights of G1 begin."""

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

    def sparse(self) -> list[nn.Parameter]:
        """Matrices that words are looked up in; their gradients are sparse."""
        ...

    def __call__(self, first: Bags, second: Bags) -> Tensor:
        """[pairs, units] for bags [pairs, words] of the citing and of the other sentences."""
        ...


class SparseLayer(nn.Module):  # type: ignore[misc, unused-ignore]
    """ψ binary or tf-idf: features of a pair are words, and stay sparse."""

    def __init__(self, words: int, units: int, joint: Joint, start: Start = "neutral") -> None:
        super().__init__()
        self.units = units
        self._joint: Joint = joint
        self.gathered = _begun(words, units, start)
        self.bias = nn.Parameter(torch.zeros(units))

    def sparse(self) -> list[nn.Parameter]:
        return [self.gathered]

    def forward(self, first: Bags, second: Bags) -> Tensor:
        return _Rows.of(pair_features(first, second, self._joint)).times(self.gathered) + self.bias


class EmbeddedLayer(nn.Module):  # type: ignore[misc, unused-ignore]
    """ψ embedding: a slot of `EMBEDDING` numbers for each word of the vocabulary, which has the word's vector
    where the sentence has the word, and zeros elsewhere; so W is [words · `EMBEDDING`, units] (footnote 3 of
    the source: I·N × K). Bags are binary. The vectors are learned with the network.

    A slot is filled in both sentences by the same vector e. So f is e² in the slots of the words that both
    have (the product), or that one of them has (the squared difference), and zero in all others.
    """

    def __init__(self, words: int, units: int, joint: Joint, start: Start = "neutral") -> None:
        super().__init__()
        self.units = units
        self._joint: Joint = joint
        self.vectors = nn.Parameter(torch.randn(words, EMBEDDING))
        self.gathered = _begun(words, EMBEDDING * units, start, words * EMBEDDING + units)
        self.bias = nn.Parameter(torch.zeros(units))

    def sparse(self) -> list[nn.Parameter]:
        return [self.gathered, self.vectors]

    def forward(self, first: Bags, second: Bags) -> Tensor:
        rows = _Rows.of(pair_features(first, second, self._joint))
        words, positions = torch.unique(rows.words, return_inverse=True)
        slots = functional.embedding(words, self.gathered, sparse=True)
        squares = functional.embedding(words, self.vectors, sparse=True) ** 2
        # [words of the batch, units]: what each word adds to each unit
        added = torch.einsum("ws,wsk->wk", squares, slots.view(len(words), -1, self.units))
        summed: Tensor = functional.embedding_bag(positions, added, rows.starts, mode="sum")
        return summed + self.bias


class FixedSlotsLayer(nn.Module):  # type: ignore[misc, unused-ignore]
    """ψ embedding with vectors that stay as they are, word2vec's: W is [words · size, units] as in
    `EmbeddedLayer`, but only what a word adds to each unit is kept, which is 1 / size of it.

    W adds e² · W_w for each word w of f, W_w being the [size, units] of its slot. The gradient of a number of
    W_w is that of what the word adds, times the number of e² that it is multiplied by. Adam divides a
    gradient by its own running size, so that this factor, which never changes, cancels (but for the 10⁻⁸
    that keeps Adam from dividing by zero): all numbers of a slot move together, by Δ [units], and the word
    adds e² · W_w as it began, and Σe² · Δ. Δ is what is learned here.
    """

    begun: Tensor
    """[words, units] what each word adds at first."""
    lengths: Tensor
    """[words] Σe²."""

    def __init__(
        self,
        words: int,
        units: int,
        joint: Joint,
        vectors: NDArray[np.float32],
        start: Start = "neutral",
    ) -> None:
        """`vectors` [words, size]; a row of zeros never adds anything."""
        super().__init__()
        self.units = units
        self._joint: Joint = joint
        squares = torch.from_numpy(vectors) ** 2
        size = squares.shape[1]
        parts = [
            # As one matrix they would be gigabytes for three hundred numbers of a large vocabulary.
            torch.einsum(
                "ws,wsk->wk",
                some,
                _drawn(len(some), size * units, start, words * size + units).view(len(some), size, units),
            )
            for some in squares.split(_SLOTS_AT_ONCE)
        ]
        self.register_buffer("begun", torch.cat(parts))
        self.register_buffer("lengths", squares.sum(dim=1))
        self.learned = nn.Parameter(torch.zeros(words, units))
        self.bias = nn.Parameter(torch.zeros(units))

    def sparse(self) -> list[nn.Parameter]:
        return [self.learned]

    def forward(self, first: Bags, second: Bags) -> Tensor:
        rows = _Rows.of(pair_features(first, second, self._joint))
        moved = _Rows(rows.words, rows.values * self.lengths[rows.words], rows.starts)
        return rows.times(self.begun) + moved.times(self.learned) + self.bias


class TowerLayer(nn.Module):  # type: ignore[misc, unused-ignore]
    """The other reading: each sentence goes through the rectified layer alone, and the units of the pair are
    the products of theirs."""

    def __init__(self, words: int, units: int) -> None:
        super().__init__()
        self.units = units
        self.gathered = nn.Parameter(torch.randn(words, units) * _TOWER)
        self.bias = nn.Parameter(torch.zeros(units))

    def sparse(self) -> list[nn.Parameter]:
        return [self.gathered]

    def forward(self, first: Bags, second: Bags) -> Tensor:
        return self._tower(first) * self._tower(second)

    def _tower(self, bags: Bags) -> Tensor:
        return functional.relu(_Rows.of(bags).times(self.gathered) + self.bias)


def _begun(words: int, width: int, start: Start, fan: int | None = None) -> nn.Parameter:
    """[words, width] new weights; `fan` is the sum of inputs and outputs, if it is not that of the shape."""
    return nn.Parameter(_drawn(words, width, start, fan or words + width))


def _drawn(words: int, width: int, start: Start, fan: int) -> Tensor:
    """[words, width]; `fan` is the sum of inputs and outputs."""
    bound = (6 / fan) ** 0.5
    low, high = (0.0, _COUNTING) if start == "counting" else (-bound, bound)
    return torch.empty(words, width).uniform_(low, high)


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

    def __init__(self, layer: PairLayer, meant: float = 0.5) -> None:
        """`meant`, in (0, 1): share of the training pairs that are meant, with which the bias of the classes
        begins. Otherwise the share is learned by the words: where one pair of eleven is meant, each word that
        a pair shares would speak against it."""
        super().__init__(layer)
        self.classes = nn.Linear(layer.units, CLASSES)
        with torch.no_grad():
            self.classes.bias.copy_(torch.log(torch.tensor([meant, 1 - meant])))

    def logits(self, first: Bags, second: Bags) -> Tensor:
        """[pairs, 2]: meant, not meant."""
        logits: Tensor = self.classes(self.units(first, second))
        return logits

    def log_odds(self, first: Bags, second: Bags) -> Tensor:
        """[pairs] of being meant: what the network itself says."""
        logits = self.logits(first, second)
        return logits[:, 0] - logits[:, 1]


Similarity = Callable[[Bags, Bags], Tensor]
