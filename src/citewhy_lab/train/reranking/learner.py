"""What the trainings of rerankers have in common: validation, the weights of first stages, the report."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import torch
from torch import nn

from citewhy.base.progress import Progress
from citewhy.ranking.rank.reranker import ChosenWeight
from citewhy_lab.evaluate.making import software
from citewhy_lab.train.collection import KnownPapers
from citewhy_lab.train.loop import History, Learner, Validation
from citewhy_lab.train.reranking.data import Asking, Question, Questions, RerankingData
from citewhy_lab.train.reranking.validation import Scores, choose_weight, mean_reciprocal_ranks
from citewhy_lab.train.sampling.citation_graph import CitationGraph

__all__ = ["RerankingLearner", "report_of"]


class RerankingLearner(Learner):
    """A network that scores the candidates of a citing sentence."""

    first_stage_weights: ClassVar[tuple[float, ...]]
    """The weights among which validation chooses, ascending."""

    def __init__(
        self, network: nn.Module, graph: CitationGraph, questions: Sequence[Question], progress: Progress
    ) -> None:
        """`network` is on its device; `questions` are those of the validation."""
        # The learning rate is that of the loop's schedule.
        super().__init__(network, [torch.optim.Adam(network.parameters(), fused=True)])
        self._graph = graph
        self._questions = questions
        self._tell = progress

    @abstractmethod
    def _scoring(self) -> Scores:
        """The scores of the network as it is now."""

    def validate(self) -> float:
        """The mean reciprocal rank over pairs of a context and a cited paper; 0 for one that the first stage
        missed."""
        (mrr,) = mean_reciprocal_ranks(
            self._questions, self._scoring(), self._graph, [0.0], "validating", self._tell
        )
        return mrr

    def weights_of(self, data: RerankingData, known: KnownPapers, settings: Asking) -> list[ChosenWeight]:
        """The weight of the first stage's order, and of those of the other pipelines of `data`."""
        found = [self._weight_of(data.pipeline, self._questions)]
        for name, order in data.others.items():
            asking = Questions(known, self._graph, order, settings, self._tell)
            found.append(self._weight_of(name, asking.to_validate(data.val)))
        return found

    def _weight_of(self, pipeline: str, questions: Sequence[Question]) -> ChosenWeight:
        return choose_weight(
            pipeline, questions, self._scoring(), self._graph, self.first_stage_weights, self._tell
        )


def report_of(
    facts: Mapping[str, Any], history: History, weights: Sequence[ChosenWeight], batches: int
) -> dict[str, Any]:
    """`facts` with how the training went, by epochs of `batches` steps."""

    def by_epoch(each: Validation) -> dict[str, float]:
        return {"epoch": each.step // batches, "mrr": each.score}

    return {
        **facts,
        "validations": [by_epoch(each) for each in history.validations],
        "best": None if history.best is None else by_epoch(history.best),
        "weights": [asdict(each) for each in weights],
        "losses": [round(loss, 5) for loss in history.means(batches)],
        "software": {**software(), "torch": str(torch.__version__), "threads": torch.get_num_threads()},
    }
