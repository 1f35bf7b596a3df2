"""The linkage networks in the training loop: pairs of sentences, and the loss of a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy_lab.train.loop import Learner
from citewhy_lab.train.losses import pairwise_hinge, two_class_cross_entropy
from citewhy_lab.train.sampling.targets import NONE
from citewhy_lab.train.systems.linkage_networks.bags import Bags
from citewhy_lab.train.systems.linkage_networks.networks import BinaryNetwork, PairNetwork

__all__ = ["LinkageLearner", "Pairs"]

MARGIN = 1.0
"""C."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Contrasts of many clusters; places are rows of the collection."""

    citances: NDArray[np.int64]
    sentences: NDArray[np.int64]
    """[rows, p + n]: true ones first, NONE where there are fewer."""
    true: int
    """p"""
    cluster: NDArray[np.int64]
    """[rows] number of the cluster."""

    def bags(
        self, rows: NDArray[np.int64], citances: Bags, sentences: Bags
    ) -> tuple[Bags, Bags, NDArray[np.bool_]]:
        """The bags of both sides of all pairs, row by row, and [rows, p + n] which of them are there."""
        places = self.sentences[rows]
        first = citances[np.repeat(self.citances[rows], places.shape[1])]
        return first, sentences[np.maximum(places, 0).ravel()], places != NONE


class LinkageLearner(Learner):
    """Learns from the `rows` of `pairs`, `size` of them a batch; in every epoch all of them once, in an order
    of its own."""

    def __init__(
        self,
        network: PairNetwork,
        pairs: Pairs,
        rows: NDArray[np.int64],
        citances: Bags,
        sentences: Bags,
        size: int,
        learning_rate: float,
        seed: int,
        quality: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """`citances` and `sentences` are those of all clusters; `quality` is what a validation finds."""
        super().__init__(network, _optimizers(network, learning_rate))
        self._network = network
        self._pairs = pairs
        self._rows = rows
        self._bags = citances, sentences
        self._quality = quality
        self._random = np.random.default_rng(seed)
        self._orders: list[NDArray[np.int64]] = []
        """Of the epochs so far: each is the next draw of one generator."""
        self.batches = -(-len(rows) // size)
        """Of an epoch."""

    def loss(self, batch: int) -> Tensor:
        epoch, place = divmod(batch, self.batches)
        rows = np.array_split(self._order(epoch), self.batches)[place]
        first, second, there = self._pairs.bags(rows, *self._bags)
        return pair_loss(self._network, first, second, torch.from_numpy(there), self._pairs.true)

    def validate(self) -> float:
        return self._quality()

    def _order(self, epoch: int) -> NDArray[np.int64]:
        while len(self._orders) <= epoch:
            self._orders.append(self._random.permutation(self._rows))
        return self._orders[epoch]


def _optimizers(model: PairNetwork, learning_rate: float) -> list[torch.optim.Optimizer]:
    """Adam; for the rows of words, the form of it that moves those words alone that a batch has."""
    rows = model.layer.sparse()
    apart = {id(each) for each in rows}
    others = [each for each in model.parameters() if id(each) not in apart and each.requires_grad]
    return [torch.optim.Adam(others, learning_rate), torch.optim.SparseAdam(rows, learning_rate)]


def pair_loss(model: PairNetwork, first: Bags, second: Bags, there: Tensor, true: int) -> Tensor:
    """there [rows, p + n], of which the first p = `true` are meant; the pairs lie row by row."""
    if isinstance(model, BinaryNetwork):
        meant = torch.zeros_like(there)
        meant[:, :true] = True
        kept = there.ravel()
        return two_class_cross_entropy(model.logits(first, second)[kept], meant.ravel()[kept])
    scores = model.similarity(first, second).view(there.shape)
    both = there[:, :true, None] & there[:, None, true:]
    return pairwise_hinge(scores[:, :true], scores[:, true:], both, MARGIN)
