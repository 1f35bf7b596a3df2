"""Trained models as linkers: scores of all sentences of a paper for citing sentences.

The source's support vector machine is a regression of 1 on pairs that are meant and 0 on pairs that are not.
Nomoto (2018, section 5) calls it Ranking SVM (SVR), and made it of scikit-learn's `svm.SVR`, trained on the
pairs of the binary network with f the elementwise product. No setting is given there: those of scikit-learn
stand here (a radial kernel, C = 1, ε = .1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.svm import SVR
from torch import Tensor

from citewhy.base.records import FullText
from citewhy_lab.train.systems.linkage_networks.bags import Bags, Vocabulary, Weighting, pair_features
from citewhy_lab.train.systems.linkage_networks.networks import BinaryNetwork, PairNetwork

__all__ = ["NetworkLinker", "SvrLinker", "fit_svr"]


@dataclass(frozen=True, slots=True)
class NetworkLinker:
    """A trained network that scores the sentences of a paper for citing sentences."""

    network: PairNetwork
    vocabulary: Vocabulary
    weighting: Weighting
    by: Literal["G1", "output"] = "G1"
    """What ranks sentences: the sum of G1 (as in the source), or the binary network's own log-odds."""

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
    """The fitted `sklearn.svm.SVR`; its `predict` is higher for pairs that are meant.

    features [rows · width, words] row by row; there [rows, width] says which of the pairs exist, of which the
    first `true` of a row are meant.
    """
    meant = np.zeros(there.shape)
    meant[:, :true] = 1
    kept = there.ravel()
    return SVR().fit(features[kept], meant.ravel()[kept])
