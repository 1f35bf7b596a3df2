"""The linkage networks of Nomoto (2018): inputs, supervision, training, and a scorer to measure.

Nomoto, Resolving Citation Links With Neural Networks, Frontiers in Research Metrics and Analytics 3, 2018.
What the source leaves open (epochs, batches, rate of learning) is in `Dials`, the same for all networks.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.config import DEFAULT_SEED
from citewhy.evaluate.datasets.linkage import Cluster
from citewhy.records import FullText
from citewhy.systems.linkage_networks.bags import Bags, Vocabulary, Weighting, overlaps, pair_features
from citewhy.systems.linkage_networks.learner import LinkageLearner, Pairs
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
from citewhy.systems.linkage_networks.word2vec import learned_vectors, supplied_vectors
from citewhy.train.loop import Plan, train_network
from citewhy.train.sampling.targets import NONE, Contrasts, citance_centred, target_centred

__all__ = [
    "Collection",
    "Dials",
    "Network",
    "NetworkLinker",
    "Supervision",
    "SvrLinker",
    "train",
    "train_svr",
]

Psi = Literal["binary", "tfidf", "embedding", "word2vec", "supplied"]
"""``embedding`` is learned with the network; ``word2vec`` before it, from the clusters; ``supplied`` is read
from a file."""

Loss = Literal["entropy", "triplet"]
Supervision = Literal["CCS", "TCS"]

_WEIGHTING: dict[Psi, Weighting] = {
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
class Dials:
    """What the source does not say. One pass over the data is `epochs` 1; a batch has `citances` rows of
    contrasts with all their sentences."""

    epochs: int = 2
    citances: int = 32
    learning_rate: float = 1e-3
    seed: int = DEFAULT_SEED


@dataclass(eq=False)
class Collection:
    """Clusters as numbers, made once for all networks and all folds.

    The vocabulary, its frequencies and the word vectors are of all clusters, as in the source, the one that
    is held out too: they know its words, and nothing of its links.
    """

    clusters: Sequence[Cluster]
    vocabulary: Vocabulary = field(init=False)
    vectors: dict[Psi, NDArray[np.float32]] = field(default_factory=dict)
    """[words, size] each, for networks that read them."""

    def __post_init__(self) -> None:
        self.vocabulary = Vocabulary([*self._sentences, *self._citances])

    def learn_vectors(self, size: int, epochs: int, seed: int) -> None:
        """word2vec of the clusters' own sentences, as the source's second kind."""
        texts = [*self._sentences, *self._citances]
        self.vectors["word2vec"] = learned_vectors(texts, self.vocabulary.words, size, epochs, seed)

    def read_vectors(self, path: Path) -> None:
        """Vectors that others have trained, as the source's first kind. Raises InputError."""
        texts = [*self._sentences, *self._citances]
        self.vectors["supplied"] = supplied_vectors(path, texts, self.vocabulary.words)

    def tf_idf(self, citances: Sequence[str], text: FullText) -> NDArray[np.float32]:
        """[citances, sentences] inner products of ψ tf-idf: the source's baseline."""
        second = self.vocabulary.bags([sentence.text for sentence in text.sentences], "tfidf")
        return overlaps(self.vocabulary.bags(citances, "tfidf"), second)

    @functools.cached_property
    def _sentences(self) -> list[str]:
        return [sentence.text for cluster in self.clusters for sentence in cluster.text.sentences]

    @functools.cached_property
    def _citances(self) -> list[str]:
        return [citance.text for cluster in self.clusters for citance in cluster.citances]

    @functools.cache  # noqa: B019 # as long as the collection; four weightings
    def bags(self, weighting: Weighting) -> tuple[Bags, Bags]:
        """[citances, words] and [sentences, words] of all clusters."""
        return tuple(self.vocabulary.bags(texts, weighting) for texts in (self._citances, self._sentences))

    @functools.cache  # noqa: B019 # two
    def pairs(self, supervision: Supervision) -> Pairs:
        """What all clusters have to teach; a fold takes the rows of some of them."""
        found: list[tuple[Contrasts, int, int]] = []
        citance = sentence = 0
        for cluster in self.clusters:
            found.append((self._contrasts(cluster, supervision), citance, sentence))
            citance += len(cluster.citances)
            sentence += len(cluster.text.sentences)
        rows = [np.hstack([each.true, each.false]) for each, _, _ in found]
        starts = [start for _, _, start in found]
        return Pairs(
            np.concatenate([each.citances + start for each, start, _ in found]),
            np.vstack([np.where(r == NONE, NONE, r + start) for r, start in zip(rows, starts, strict=True)]),
            found[0][0].true.shape[1],
            np.repeat(np.arange(len(found)), [len(each) for each, _, _ in found]),
        )

    def _contrasts(self, cluster: Cluster, supervision: Supervision) -> Contrasts:
        sentences = self.vocabulary.bags([each.text for each in cluster.text.sentences], "binary")
        if supervision == "CCS":
            citances = self.vocabulary.bags([each.text for each in cluster.citances], "binary")
            return citance_centred(overlaps(citances, sentences))
        place = {sentence.sid: number for number, sentence in enumerate(cluster.text.sentences)}
        targets = [[place[sid] for sid in citance.target_sids] for citance in cluster.citances]
        return target_centred(overlaps(sentences, sentences), targets)


@dataclass(frozen=True, slots=True)
class NetworkLinker:
    """A trained network that scores the sentences of a paper for citing sentences."""

    network: PairNetwork
    vocabulary: Vocabulary
    weighting: Weighting
    by: Literal["G1", "output"] = "G1"
    """What is ranked by: the sum of G1 (the source), or the binary network's own log-odds."""

    def __call__(self, citances: Sequence[str], text: FullText) -> NDArray[np.float32]:
        """[citances, sentences]"""
        first = self.vocabulary.bags(citances, self.weighting)
        second = self.vocabulary.bags([sentence.text for sentence in text.sentences], self.weighting)
        with torch.no_grad():
            rows = [self._scores(first[[row] * second.shape[0]], second) for row in range(first.shape[0])]
        scores: NDArray[np.float32] = torch.stack(rows).numpy()
        return scores

    def _scores(self, first: Bags, second: Bags) -> Tensor:
        if self.by == "output":
            assert isinstance(self.network, BinaryNetwork)
            return self.network.log_odds(first, second)
        return self.network.similarity(first, second)


@dataclass(frozen=True, slots=True)
class SvrLinker:
    """A support vector regression over the words that two sentences share."""

    model: Any
    """sklearn.svm.SVR, as `fit_svr` returns it."""
    vocabulary: Vocabulary

    def __call__(self, citances: Sequence[str], text: FullText) -> NDArray[np.float32]:
        """[citances, sentences]"""
        first = self.vocabulary.bags(citances, "binary")
        second = self.vocabulary.bags([sentence.text for sentence in text.sentences], "binary")
        one, other = (part.ravel() for part in np.indices((first.shape[0], second.shape[0])))
        scores: NDArray[np.float64] = self.model.predict(pair_features(first[one], second[other], "mul"))
        return scores.reshape(first.shape[0], second.shape[0]).astype(np.float32)


def train_svr(collection: Collection, supervision: Supervision, held_out: int | None) -> SvrLinker:
    """On binary bags and their elementwise product, with all clusters but `held_out`."""
    pairs = collection.pairs(supervision)
    first, second, there = pairs.bags(np.flatnonzero(pairs.cluster != held_out), *collection.bags("binary"))
    return SvrLinker(fit_svr(pair_features(first, second, "mul"), there, pairs.true), collection.vocabulary)


def train(
    network: Network, collection: Collection, supervision: Supervision, held_out: int | None, dials: Dials
) -> NetworkLinker:
    """Trains on all clusters but the one with the number `held_out`. One seed, one result.

    The collection must have the vectors that the network reads.
    """
    pairs = collection.pairs(supervision)
    weighting = _WEIGHTING[network.psi]
    rows = np.flatnonzero(pairs.cluster != held_out)
    torch.manual_seed(dials.seed)
    reads = collection.vectors[network.psi] if network.psi in ("word2vec", "supplied") else None
    model = network.build(len(collection.vocabulary), reads)
    learner = LinkageLearner(
        model, pairs, rows, *collection.bags(weighting), dials.citances, dials.learning_rate, dials.seed
    )
    plan = Plan.of_epochs(dials.epochs, learner.batches, dials.seed)
    train_network(learner, plan, lambda _what, _share: None)
    return NetworkLinker(model, collection.vocabulary, weighting)
