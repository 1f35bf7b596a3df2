"""NCN in the training loop: the negative log-probability of a batch's titles, and the mean reciprocal rank of
a validation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.base.progress import Progress
from citewhy.base.records import Query
from citewhy_lab.train.reranking.data import Question
from citewhy_lab.train.reranking.learner import RerankingLearner
from citewhy_lab.train.reranking.validation import Scores
from citewhy_lab.train.sampling.citation_graph import CitationGraph
from citewhy_lab.train.sampling.triplets import Pairs
from citewhy_lab.train.systems.ncn.network import Ncn
from citewhy_lab.train.systems.ncn.reading import Reader
from citewhy_lab.train.systems.ncn.scorer import Scorer

__all__ = ["NcnLearner"]


class NcnLearner(RerankingLearner):
    """`network` is on its device; `pairs` refer to `queries` by place."""

    unit = "pairs"
    first_stage_weights = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
    """A title's mean log-probability varies by some units."""

    def __init__(
        self,
        network: Ncn,
        reader: Reader,
        graph: CitationGraph,
        queries: Sequence[Query],
        pairs: Pairs,
        batch: int,
        questions: Sequence[Question],
        progress: Progress,
    ) -> None:
        super().__init__(network, graph, questions, progress)
        self._network = network
        self._device = network.embedding.weight.device
        self._reader = reader
        self._queries = queries
        self._pairs = pairs
        self.units_a_step = batch

    def loss(self, batch: int) -> Tensor:
        """The mean over pairs of the mean over a title's words."""
        pairs = self._pairs[batch]
        contexts = self._reader.contexts([self._queries[place] for place, _ in pairs])
        papers = [self._graph.papers[row] for _, row in pairs]
        titles = self._reader.candidates(papers, torch.arange(len(pairs)))
        scores: Tensor = self._network.scores(contexts.to(self._device), titles.to(self._device))
        return -scores.mean()

    def _scoring(self) -> Scores:
        scorer, graph = Scorer(self._network, self._reader), self._graph

        def scores(question: Question) -> NDArray[np.float32]:
            return scorer.scores(question.query, [graph.papers[row] for row in question.found])

        return scores
