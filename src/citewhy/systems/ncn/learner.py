"""NCN in the training loop: the negative log-probability of a batch's titles, and the mean reciprocal rank of
a validation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.progress import Tell
from citewhy.rank.reranker import ChosenWeight
from citewhy.records import Query
from citewhy.systems.ncn.network import Ncn
from citewhy.systems.ncn.reading import Reader
from citewhy.systems.ncn.scorer import Scorer
from citewhy.train.loop import Learner
from citewhy.train.reranking.data import Question
from citewhy.train.reranking.validation import Scores, choose_weight, mean_reciprocal_ranks
from citewhy.train.sampling.citation_graph import CitationGraph
from citewhy.train.sampling.triplets import Pairs

__all__ = ["FIRST_STAGE_WEIGHTS", "NcnLearner"]

FIRST_STAGE_WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""The values among which validation chooses; a title's mean log-probability varies by some units."""


class NcnLearner(Learner):
    """`network` is on its device; `pairs` refer to `queries` by place."""

    unit = "pairs"

    def __init__(
        self,
        network: Ncn,
        reader: Reader,
        graph: CitationGraph,
        queries: Sequence[Query],
        pairs: Pairs,
        batch: int,
        questions: Sequence[Question],
        tell: Tell,
    ) -> None:
        # The learning rate is that of the loop's schedule.
        super().__init__(network, [torch.optim.Adam(network.parameters(), fused=True)])
        self._network = network
        self._device = network.embedding.weight.device
        self._reader = reader
        self._graph = graph
        self._queries = queries
        self._pairs = pairs
        self._questions = questions
        self._tell = tell
        self.units_a_step = batch

    def loss(self, batch: int) -> Tensor:
        """The mean over pairs of the mean over a title's words."""
        pairs = self._pairs[batch]
        contexts = self._reader.contexts([self._queries[place] for place, _ in pairs])
        papers = [self._graph.papers[row] for _, row in pairs]
        titles = self._reader.candidates(papers, torch.arange(len(pairs)))
        scores: Tensor = self._network.scores(contexts.to(self._device), titles.to(self._device))
        return -scores.mean()

    def validate(self) -> float:
        """The mean reciprocal rank over pairs of a context and a cited paper; 0 for one that the first stage
        missed."""
        (mrr,) = mean_reciprocal_ranks(
            self._questions, self._scoring(), self._graph, [0.0], "validating", self._tell
        )
        return mrr

    def weight_of(self, pipeline: str, questions: Sequence[Question]) -> ChosenWeight:
        """The weight of the order of a pipeline, which found the candidates of `questions`."""
        return choose_weight(
            pipeline, questions, self._scoring(), self._graph, FIRST_STAGE_WEIGHTS, self._tell
        )

    def _scoring(self) -> Scores:
        """The scores of the network as it is now."""
        scorer, graph = Scorer(self._network, self._reader), self._graph

        def scores(question: Question) -> NDArray[np.float32]:
            return scorer.scores(question.query, [graph.papers[row] for row in question.found])

        return scores
