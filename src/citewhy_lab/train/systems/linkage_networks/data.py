"""The clusters of a data set as arrays: vocabulary, bags of words, word vectors, training pairs.

Nomoto (2018), sections 3 (ψ) and 4 (supervision).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from citewhy.base.records import FullText
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.train.sampling.targets import NONE, Contrasts, citance_centred, target_centred
from citewhy_lab.train.systems.linkage_networks.bags import Bags, Vocabulary, Weighting, overlaps
from citewhy_lab.train.systems.linkage_networks.learner import Pairs
from citewhy_lab.train.systems.linkage_networks.word2vec import learned_vectors, supplied_vectors

__all__ = ["LinkageData", "Psi", "Supervision"]

Psi = Literal["binary", "tfidf", "embedding", "word2vec", "supplied"]
"""``embedding`` is learned with the network; ``word2vec`` before it, from the clusters; ``supplied`` is read
from a file."""

Supervision = Literal["CCS", "TCS"]
"""Citance-centred (CCS) or target-centred supervision (TCS)."""


@dataclass(eq=False)
class LinkageData:
    """Clusters as arrays, made once for all networks and all folds.

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

    def tf_idf(self, citances: Sequence[str], text: FullText, unit: bool = False) -> NDArray[np.float32]:
        """[citances, sentences] inner products of ψ tf-idf: the source's baseline. `unit`: of rows of length
        1, cosines."""
        second = self.vocabulary.bags([sentence.text for sentence in text.sentences], "tfidf")
        first = self.vocabulary.bags(citances, "tfidf")
        return overlaps(normalize(first), normalize(second)) if unit else overlaps(first, second)

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
        """The training pairs of all clusters; a fold takes the rows of some of them."""
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
