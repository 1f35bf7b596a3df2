"""The mean reciprocal rank on validation contexts, and the weight of a first stage beside a reranker."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from citewhy.base.progress import Progress
from citewhy.ranking.rank.reranker import ChosenWeight
from citewhy.ranking.rank.reranking import interpolated
from citewhy_lab.train.reranking.data import Question
from citewhy_lab.train.sampling.citation_graph import CitationGraph

__all__ = ["Scores", "choose_weight", "mean_reciprocal_ranks"]

Scores = Callable[[Question], NDArray[np.float32]]
"""[n] a network's scores of what the first stage found for a question."""


def mean_reciprocal_ranks(
    questions: Sequence[Question],
    scores: Scores,
    graph: CitationGraph,
    weights: Sequence[float],
    what: str,
    progress: Progress,
) -> list[float]:
    """For each weight of the first stage (`rank.reranking.interpolated`), over pairs of a context and a cited
    paper; 0 for a pair that the first stage missed, and if there are none."""
    reciprocal: list[list[float]] = [[] for _ in weights]
    for done, question in enumerate(questions):
        if not set(question.right) & set(question.found):
            for each in reciprocal:
                each += [0.0] * len(question.right)
            continue
        own = scores(question)
        for each, weight in zip(reciprocal, weights, strict=True):
            each += _reciprocal_ranks(interpolated(own, weight), graph, question)
        progress(what, (done + 1) / len(questions))
    return [float(np.mean(each)) if each else 0.0 for each in reciprocal]


def choose_weight(
    pipeline: str,
    questions: Sequence[Question],
    scores: Scores,
    graph: CitationGraph,
    weights: Sequence[float],
    progress: Progress,
) -> ChosenWeight:
    """The weight of the order of a pipeline, which found the candidates of `questions`, beside the network's
    scores: the best of `weights`, which ascend, by mean reciprocal rank; of equal ones, the smallest."""
    what = f"weighing the order of {pipeline}"
    found = mean_reciprocal_ranks(questions, scores, graph, weights, what, progress)
    best = max(range(len(found)), key=lambda place: (found[place], -place))
    before = [
        1 / (1 + question.found.index(row)) if row in question.found else 0.0
        for question in questions
        for row in question.right
    ]
    alone = float(np.mean(before)) if before else 0.0
    return ChosenWeight(pipeline, weights[best], found[best], alone)


def _reciprocal_ranks(scores: NDArray[np.float32], graph: CitationGraph, question: Question) -> list[float]:
    """One for each right paper: 1 over its own rank among the candidates, ties broken by paper id."""
    ids = [graph.papers[row].id for row in question.found]
    order = sorted(range(len(ids)), key=lambda place: (-scores[place], ids[place]))
    rank = {question.found[place]: rank for rank, place in enumerate(order, 1)}
    return [1 / rank[row] if row in rank else 0.0 for row in question.right]
