"""Training a linkage network of Nomoto (2018), or the support vector regression that it is compared with.

Nomoto, Resolving Citation Links With Neural Networks, Frontiers in Research Metrics and Analytics 3, 2018.
What the source leaves open (epochs, size of batches, learning rate) is in `LinkageSettings`, the same for all
networks.

Two networks score how likely a sentence of the cited paper is the target of a citing one (section 3 and
figure 3). Both read features of a pair, f(ψ(s), ψ(t)): the elementwise product, or the squared
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

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.svm import SVR
from torch import Tensor, nn
from torch.nn import functional

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.progress import silent
from citewhy.base.records import FullText
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.evaluate.linkage import average, judge_all
from citewhy_lab.train.loop import History, Learner, Plan, train_network
from citewhy_lab.train.losses import pairwise_hinge, two_class_cross_entropy
from citewhy_lab.train.systems.linkage_networks.data import (
    NONE,
    Bags,
    LinkageData,
    Pairs,
    Vocabulary,
    Weighting,
    pair_features,
)
from citewhy_lab.train.systems.linkage_networks.settings import Joint, Loss, Psi, Start, Supervision

EVERY = 2
"""Epochs between two validations on an inner fold."""

INNER = 3
"""Inner folds on which the number of epochs is chosen."""

MARGIN = 1.0
"""C of the source."""


@dataclass(frozen=True, slots=True)
class Network:
    """One row of the source's tables."""

    psi: Psi
    loss: Loss
    joint: Joint = "mul"
    towers: bool = False
    """The other reading of the triplet network (`TowerLayer`); ψ is sparse then, and f the product."""
    start: Start = "neutral"

    @property
    def weighting(self) -> Weighting:
        """The weighting of the bags that it reads; slots of embeddings are filled or not."""
        return "tfidf" if self.psi == "tfidf" else "binary"

    def build(self, words: int, vectors: NDArray[np.float32] | None, meant: float = 0.5) -> PairNetwork:
        """Makes new weights, from torch's random numbers; `vectors` [words, size] where ψ reads them, `meant`
        as of `BinaryNetwork`."""
        units = TRIPLET_UNITS if self.loss == "triplet" else BINARY_UNITS
        layer: PairLayer
        if self.towers:
            layer = TowerLayer(words, units)
        elif self.psi in ("binary", "tfidf"):
            layer = SparseLayer(words, units, self.joint, self.start)
        elif vectors is None:
            layer = EmbeddedLayer(words, units, self.joint, self.start)
        else:
            layer = FixedSlotsLayer(words, units, self.joint, vectors, self.start)
        return TripletNetwork(layer) if self.loss == "triplet" else BinaryNetwork(layer, meant)


@dataclass(frozen=True, slots=True)
class LinkageSettings:
    """Settings that the source does not specify."""

    epochs: int = 2
    """With `choose_epochs` the largest choice, a multiple of `EVERY`."""
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
    linker, _ = _train(network, data, supervision, frozenset() if held_out is None else {held_out}, settings)
    return linker


def choose_epochs(
    network: Network, data: LinkageData, supervision: Supervision, held_out: int, settings: LinkageSettings
) -> int:
    """Returns the number of epochs, up to `settings.epochs`, with the highest MRR on inner folds: the
    clusters other than `held_out`, dealt to `INNER` folds, each judged by a network that was trained on the
    others. Ties go to the fewest epochs. The data must have two clusters beside `held_out`."""
    others = [number for number in range(len(data.clusters)) if number != held_out]
    mrr = np.zeros(settings.epochs // EVERY)
    for fold in range(min(INNER, len(others))):
        judged = others[fold::INNER]
        _, history = _train(network, data, supervision, {held_out, *judged}, settings, judged)
        mrr += len(judged) * np.array([validation.score for validation in history.validations])
    return EVERY * (1 + int(mrr.argmax()))


def _train(
    network: Network,
    data: LinkageData,
    supervision: Supervision,
    held_out: Collection[int],
    settings: LinkageSettings,
    judged: Sequence[int] = (),
) -> tuple[NetworkLinker, History]:
    """On the clusters that are not held out. The linker has the weights after the last epoch; with `judged`,
    after the epoch with the highest MRR on these clusters."""
    pairs = data.pairs(supervision)
    rows = np.flatnonzero(~np.isin(pairs.cluster, list(held_out)))
    torch.manual_seed(settings.seed)
    reads = data.vectors[network.psi] if network.psi in ("word2vec", "supplied") else None
    there = pairs.sentences[rows] != NONE
    model = network.build(len(data.vocabulary), reads, float(there[:, : pairs.true].sum() / there.sum()))
    linker = NetworkLinker(model, data.vocabulary, network.weighting)
    learner = LinkageLearner(
        model,
        pairs,
        rows,
        data.bags(network.weighting),
        settings,
        lambda: _quality(linker, [data.clusters[number] for number in judged]),
    )
    every = EVERY if judged else 0
    plan = Plan.of_epochs(settings.epochs, learner.batches, settings.seed, validate_every=every)
    return linker, train_network(learner, plan, silent)


def _quality(linker: NetworkLinker, clusters: Sequence[Cluster]) -> float:
    """Returns the MRR over clusters."""
    return average(judge_all(linker, clusters), "clusters").means()["RR"]


# The training loop -----------------------------------------------------------------------------------------


class LinkageLearner(Learner):
    """Learns from the `rows` of `pairs`; in every epoch from all of them once, in an order of its own."""

    def __init__(
        self,
        network: PairNetwork,
        pairs: Pairs,
        rows: NDArray[np.int64],
        bags: tuple[Bags, Bags],
        settings: LinkageSettings,
        quality: Callable[[], float],
    ) -> None:
        """`bags` are the citances and the sentences of all clusters; `quality` is what a validation finds."""
        super().__init__(network, _optimizers(network, settings.learning_rate))
        self._network = network
        self._pairs = pairs
        self._rows = rows
        self._bags = bags
        self._quality = quality
        self._random = np.random.default_rng(settings.seed)
        self._orders: list[NDArray[np.int64]] = []
        """The orders of the epochs so far: each is the next draw of one generator."""
        self.batches = -(-len(rows) // settings.citances)
        """Batches of an epoch."""

    def loss(self, batch: int) -> Tensor:
        epoch, number = divmod(batch, self.batches)
        rows = np.array_split(self._order(epoch), self.batches)[number]
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
    apart = {id(row) for row in rows}
    others = [
        parameter
        for parameter in model.parameters()
        if id(parameter) not in apart and parameter.requires_grad
    ]
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


# Trained models as linkers ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NetworkLinker:
    """A trained network that scores the sentences of a paper for citing sentences."""

    network: PairNetwork
    vocabulary: Vocabulary
    weighting: Weighting
    by: Literal["G1", "output"] = "G1"
    """Says what ranks sentences: the sum of G1 (as in the source), or the binary network's own log-odds."""

    def __call__(self, citances: Sequence[str], text: FullText) -> NDArray[np.float32]:
        """[citances, sentences]"""
        first = self.vocabulary.bags(citances, self.weighting)
        second = self.vocabulary.bags([sentence.text for sentence in text.sentences], self.weighting)
        one, other = (part.ravel() for part in np.indices((first.shape[0], second.shape[0])))
        with torch.no_grad():
            scores: NDArray[np.float32] = self._scores(first[one], second[other]).numpy()
        return scores.reshape(first.shape[0], second.shape[0])

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


def fit_svr(features: Bags, there: NDArray[np.bool_], true: int) -> Any:
    """Returns the fitted `sklearn.svm.SVR`; its `predict` is higher for pairs that are meant.

    features [rows · width, words] row by row; there [rows, width] says which of the pairs exist, of which the
    first `true` of a row are meant.
    """
    meant = np.zeros(there.shape)
    meant[:, :true] = 1
    kept = there.ravel()
    return SVR().fit(features[kept], meant.ravel()[kept])


# The networks --------------------------------------------------------------------------------------------


TRIPLET_UNITS, BINARY_UNITS, CLASSES = 60, 100, 2
EMBEDDING = 10
"""Dimensions of the learned embedding."""

_COUNTING = 0.1
_TOWER = 0.1
"""Standard deviation of a tower's first weights."""

_SLOTS_AT_ONCE = 128
"""Words whose first weights are drawn together."""


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
