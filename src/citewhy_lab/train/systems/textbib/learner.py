"""TEXTBIB in the training loop: the loss of a batch, and the mean reciprocal rank of a validation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.base.progress import Progress
from citewhy.base.records import Query
from citewhy_lab.train.losses import score_triplet
from citewhy_lab.train.reranking.data import Question
from citewhy_lab.train.reranking.learner import RerankingLearner
from citewhy_lab.train.reranking.validation import Scores
from citewhy_lab.train.sampling.citation_graph import CitationGraph
from citewhy_lab.train.sampling.triplets import Batch, Triplets
from citewhy_lab.train.systems.textbib.network import Candidates, TextBib
from citewhy_lab.train.systems.textbib.reading import Reader
from citewhy_lab.train.systems.textbib.scorer import Scorer
from citewhy_lab.train.systems.textbib.texts import Texts

__all__ = ["TextBibLearner"]


class TextBibLearner(RerankingLearner):
    """`network` is on its device; `triplets` refer to `queries` by place."""

    unit = "triplets"
    first_stage_weights = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
    """Most scores of the network are in [-1, 1]."""

    def __init__(
        self,
        network: TextBib,
        reader: Reader,
        graph: CitationGraph,
        queries: Sequence[Query],
        triplets: Triplets,
        questions: Sequence[Question],
        margin: float,
        progress: Progress,
    ) -> None:
        super().__init__(network, graph, questions, progress)
        self._network = network
        self._device = network.encoder.embedding.weight.device
        self._reader = reader
        self._texts = Texts(reader, queries, graph.papers)
        self._triplets = triplets
        self._margin = margin
        self.units_a_step = triplets.size

    def loss(self, batch: int) -> Tensor:
        return self.loss_of(self._triplets[batch])

    def loss_of(self, batch: Batch) -> Tensor:
        """Of a batch; each distinct paper in it is encoded once."""
        rows, place = np.unique(batch.papers, return_inverse=True)
        tokens, authors = self._texts.papers(rows.tolist())
        pairs, width = batch.papers.shape
        candidates = Candidates(
            tokens=tokens,
            authors=authors,
            context=torch.arange(pairs).repeat_interleave(width),
            paper=torch.from_numpy(place.reshape(-1)),
            cited=torch.from_numpy(self._cited(batch)).reshape(-1, 2),
        )
        contexts = self._texts.contexts(batch.contexts.tolist())
        scores = self._network(contexts.to(self._device), candidates.to(self._device)).final
        scores = scores.reshape(pairs, width)
        return score_triplet(scores[:, 0], scores[:, 1:], self._margin)

    def _cited(self, batch: Batch) -> NDArray[np.float32]:
        """[pairs, 1 + negatives, 2] as of each context's year."""
        found = []
        for place, rows in zip(batch.contexts.tolist(), batch.papers, strict=True):
            year = self._texts.years[place]
            recent = self._graph.times_cited(year, max(year - self._network.shape.recent, 1))
            found.append(np.stack([self._graph.times_cited(year)[rows], recent[rows]], axis=1))
        counts: NDArray[np.float32] = np.log1p(np.stack(found)).astype(np.float32)
        return counts

    def _scoring(self) -> Scores:
        scorer, graph = Scorer(self._network, self._reader), self._graph

        def scores(question: Question) -> NDArray[np.float32]:
            papers = [graph.papers[row] for row in question.found]
            cited_in = [graph.cited_in(row, question.query.year or 0) for row in question.found]
            found: NDArray[np.float32] = scorer.scores(question.query, papers, cited_in).final.numpy()
            return found

        return scores
