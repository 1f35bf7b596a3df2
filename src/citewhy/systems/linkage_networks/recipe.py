"""Training a linkage network of Nomoto (2018), or the support vector regression that it is compared with.

Nomoto, Resolving Citation Links With Neural Networks, Frontiers in Research Metrics and Analytics 3, 2018.
What the source leaves open (epochs, size of batches, learning rate) is in `LinkageSettings`, the same for all
networks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from citewhy.config import DEFAULT_SEED
from citewhy.systems.linkage_networks.bags import Weighting, pair_features
from citewhy.systems.linkage_networks.data import LinkageData, Psi, Supervision
from citewhy.systems.linkage_networks.learner import LinkageLearner
from citewhy.systems.linkage_networks.linkers import NetworkLinker, SvrLinker
from citewhy.systems.linkage_networks.networks import (
    BINARY_UNITS,
    TRIPLET_UNITS,
    BinaryNetwork,
    EmbeddedLayer,
    Joint,
    PairLayer,
    PairNetwork,
    SparseLayer,
    TowerLayer,
    TripletNetwork,
)
from citewhy.systems.linkage_networks.svr import fit_svr
from citewhy.train.loop import Plan, train_network

__all__ = ["LinkageSettings", "Network", "train", "train_svr"]

Loss = Literal["entropy", "triplet"]

WEIGHTING: dict[Psi, Weighting] = {
    "binary": "binary",
    "tfidf": "tfidf",
    "embedding": "share",
    "word2vec": "share",
    "supplied": "share",
}


@dataclass(frozen=True, slots=True)
class Network:
    """One row of the source's tables."""

    psi: Psi
    loss: Loss
    joint: Joint = "mul"
    towers: bool = False
    """The other reading of the triplet network (`TowerLayer`); ψ is sparse then, and f the product."""

    def build(self, words: int, vectors: NDArray[np.float32] | None) -> PairNetwork:
        """With new weights, from torch's random numbers; `vectors` [words, size] where ψ reads them."""
        units = TRIPLET_UNITS if self.loss == "triplet" else BINARY_UNITS
        layer: PairLayer
        if self.towers:
            layer = TowerLayer(words, units)
        elif self.psi in ("binary", "tfidf"):
            layer = SparseLayer(words, units, self.joint)
        else:
            layer = EmbeddedLayer(words, units, self.joint, vectors)
        return TripletNetwork(layer) if self.loss == "triplet" else BinaryNetwork(layer)


@dataclass(frozen=True, slots=True)
class LinkageSettings:
    """Settings that the source does not specify."""

    epochs: int = 2
    citances: int = 32
    """Rows of a batch: citing sentences, each with its true and false sentences."""
    learning_rate: float = 1e-3
    seed: int = DEFAULT_SEED


def train_svr(data: LinkageData, supervision: Supervision, held_out: int | None) -> SvrLinker:
    """On binary bags and their elementwise product, with all clusters but `held_out`."""
    pairs = data.pairs(supervision)
    first, second, there = pairs.bags(np.flatnonzero(pairs.cluster != held_out), *data.bags("binary"))
    return SvrLinker(fit_svr(pair_features(first, second, "mul"), there, pairs.true), data.vocabulary)


def train(
    network: Network,
    data: LinkageData,
    supervision: Supervision,
    held_out: int | None,
    settings: LinkageSettings,
) -> NetworkLinker:
    """Trains on all clusters but the one with the number `held_out`. One seed, one result.

    The data must have the vectors that the network reads.
    """
    pairs = data.pairs(supervision)
    weighting = WEIGHTING[network.psi]
    rows = np.flatnonzero(pairs.cluster != held_out)
    torch.manual_seed(settings.seed)
    reads = data.vectors[network.psi] if network.psi in ("word2vec", "supplied") else None
    model = network.build(len(data.vocabulary), reads)
    learner = LinkageLearner(
        model, pairs, rows, *data.bags(weighting), settings.citances, settings.learning_rate, settings.seed
    )
    plan = Plan.of_epochs(settings.epochs, learner.batches, settings.seed)
    train_network(learner, plan, lambda _what, _share: None)
    return NetworkLinker(model, data.vocabulary, weighting)
