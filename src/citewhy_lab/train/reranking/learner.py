"""Trainings of rerankers have this in common: the loop, validation, the weights of first stages, the
report."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from citewhy.base.progress import Progress
from citewhy.ranking.rank.reranker import ChosenWeight
from citewhy.ranking.rank.reranking import interpolated
from citewhy_lab.evaluate.making import software
from citewhy_lab.train import processes
from citewhy_lab.train.collection import KnownPapers
from citewhy_lab.train.loop import History, Learner, Validation
from citewhy_lab.train.recipe import Trained
from citewhy_lab.train.reranking.data import Asking, Questions, RerankingData, ValidationQuestion
from citewhy_lab.train.sampling.citation_graph import CitationGraph

Scores = Callable[[ValidationQuestion], NDArray[np.float32]]
"""[n] a network's scores of what the first stage found for a question."""


class RerankingLearner(Learner):
    """A network that scores the candidates of a citing sentence."""

    first_stage_weights: ClassVar[tuple[float, ...]]
    """The weights among which validation chooses, ascending."""

    def __init__(
        self,
        network: nn.Module,
        graph: CitationGraph,
        questions: Sequence[ValidationQuestion],
        progress: Progress,
    ) -> None:
        """`network` is on its device; `questions` are those of the validation."""
        # The learning rate is that of the loop's schedule.
        super().__init__(network, [torch.optim.Adam(network.parameters(), fused=True)])
        self._graph = graph
        self._questions = questions
        self._progress = progress

    @abstractmethod
    def _scoring(self) -> Scores:
        """Scores by the network as it is now."""

    def validate(self) -> float:
        """Returns the mean reciprocal rank over pairs of a context and a cited paper; 0 for one that the
        first stage missed."""
        (mrr,) = mean_reciprocal_ranks(
            self._questions, self._scoring(), self._graph, [0.0], "validating", self._progress
        )
        return mrr

    def weights_of(self, data: RerankingData, known: KnownPapers, settings: Asking) -> list[ChosenWeight]:
        """Returns the weight of the first stage's order, and of those of the other pipelines of `data`."""
        weights = [self._weight_of(data.pipeline, self._questions)]
        for name, order in data.others.items():
            asking = Questions(known, self._graph, order, settings, self._progress)
            weights.append(self._weight_of(name, asking.to_validate(data.val)))
        return weights

    def _weight_of(self, pipeline: str, questions: Sequence[ValidationQuestion]) -> ChosenWeight:
        return choose_weight(
            pipeline, questions, self._scoring(), self._graph, self.first_stage_weights, self._progress
        )

    def finish(
        self,
        history: History,
        data: RerankingData,
        known: KnownPapers,
        settings: Asking,
        facts: Mapping[str, Any],
        batches: int,
        write: Callable[[Mapping[str, Any]], None],
    ) -> Trained:
        """Chooses the weights of first stages, and writes the model folder in the first of several processes.

        The model's manifest has `facts`, and how the training went, by epochs of `batches` steps.
        """
        weights = self.weights_of(data, known, settings)
        self._progress("writing the model", None)
        report = {
            **facts,
            "validations": [_by_epoch(validation, batches) for validation in history.validations],
            "best": None if history.best is None else _by_epoch(history.best, batches),
            "weights": [asdict(weight) for weight in weights],
            "losses": [round(loss, 5) for loss in history.means(batches)],
            "software": {**software(), "torch": str(torch.__version__), "threads": torch.get_num_threads()},
        }
        if processes.is_first():
            write(report)
        return Trained(report, tuple(_summary(report, data.until)))


def _by_epoch(validation: Validation, batches: int) -> dict[str, float]:
    return {"epoch": validation.step // batches, "mrr": validation.score}


def _summary(report: Mapping[str, Any], until: int | None) -> Iterator[str]:
    learned, best = report["data"], report["best"]
    years = "" if until is None else f" up to {until}"
    yield f"learned    {learned['pairs']:,} pairs of {learned['contexts']:,} sentences{years}"
    if "missed" in learned:
        yield f"missed     {learned['missed']:,} more pairs that the first stage did not find"
    if best is not None:
        mrr = f"MRR {best['mrr']:.4f} on {learned['validated']} sentences"
        yield f"best       epoch {best['epoch']}: {mrr}"
    for fitted in report["weights"]:
        with_weight = (
            f"{fitted['mrr']:.4f} with weight {fitted['weight']:g} for the order of {fitted['pipeline']}"
        )
        yield f"           {with_weight} ({fitted['before']:.4f} alone)"


# Validation ------------------------------------------------------------------------------------------------


def mean_reciprocal_ranks(
    questions: Sequence[ValidationQuestion],
    scores: Scores,
    graph: CitationGraph,
    weights: Sequence[float],
    what: str,
    progress: Progress,
) -> list[float]:
    """Averages for each weight of the first stage (`rank.reranking.interpolated`), over pairs of a context
    and a cited paper; 0 for a pair that the first stage missed, and if there are none."""
    reciprocal: list[list[float]] = [[] for _ in weights]
    for done, question in enumerate(questions):
        if not set(question.right) & set(question.candidates):
            for values in reciprocal:
                values += [0.0] * len(question.right)
            continue
        own = scores(question)
        for values, weight in zip(reciprocal, weights, strict=True):
            values += _reciprocal_ranks(interpolated(own, weight), graph, question)
        progress(what, (done + 1) / len(questions))
    return [float(np.mean(values)) if values else 0.0 for values in reciprocal]


def choose_weight(
    pipeline: str,
    questions: Sequence[ValidationQuestion],
    scores: Scores,
    graph: CitationGraph,
    weights: Sequence[float],
    progress: Progress,
) -> ChosenWeight:
    """Returns the weight of the order of a pipeline, which found the candidates of `questions`, beside the
    network's scores: the best of `weights`, which ascend, by mean reciprocal rank; of equal ones, the
    smallest."""
    what = f"weighing the order of {pipeline}"
    mrr = mean_reciprocal_ranks(questions, scores, graph, weights, what, progress)
    best = max(range(len(mrr)), key=lambda number: (mrr[number], -number))
    before = [
        1 / (1 + question.candidates.index(row)) if row in question.candidates else 0.0
        for question in questions
        for row in question.right
    ]
    alone = float(np.mean(before)) if before else 0.0
    return ChosenWeight(pipeline, weights[best], mrr[best], alone)


def _reciprocal_ranks(
    scores: NDArray[np.float32], graph: CitationGraph, question: ValidationQuestion
) -> list[float]:
    """Returns one for each right paper: 1 over its own rank among the candidates, ties broken by paper id."""
    ids = [graph.papers[row].id for row in question.candidates]
    order = sorted(range(len(ids)), key=lambda position: (-scores[position], ids[position]))
    rank = {question.candidates[position]: rank for rank, position in enumerate(order, 1)}
    return [1 / rank[row] if row in rank else 0.0 for row in question.right]
