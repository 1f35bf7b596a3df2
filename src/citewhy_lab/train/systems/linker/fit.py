"""Fits the linker: linear weights and trees, whose scores are added, on lists of a paper's sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.models.trees import Forest
from citewhy.ranking.linkage.commonness import Commonness
from citewhy.ranking.linkage.features import FEATURES, table
from citewhy.ranking.linkage.learned import LearnedLinker
from citewhy.ranking.linkage.view import PaperView
from citewhy_lab.train.trees import LAMBDARANK, RankedList, grow, trees

PENALTY = 0.1
"""Penalty of the squared weights of the linear model, for features of unit variance: there are few papers to
fit it to."""

SAMPLED = 45
"""Sentences of a paper that are not targets, drawn for each citing sentence."""

ROUNDS = 70

TREES: dict[str, Any] = {
    **LAMBDARANK,
    "learning_rate": 0.07,
    "num_leaves": 6,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.4,
    "lambda_l2": 10.0,
    "max_bin": 63,
    "num_threads": 1,
}
"""LightGBM's parameters: small trees, because forty papers are few."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A citing sentence with sentences of the cited paper: all that are meant, and some that are not."""

    cluster: str
    table: NDArray[np.float32]
    """[k, len(FEATURES)] the features of the sentences."""
    right: NDArray[np.bool_]
    """[k] which sentences are meant."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model without the words that are common."""

    weights: NDArray[np.float64]
    """[len(FEATURES)] the linear weights."""
    trees: list[list[list[float]]]

    def linker(self, common: Commonness, margin: float = 0.0) -> LearnedLinker:
        """The model as it is served, with the frequencies of words."""
        return LearnedLinker(common, self.weights, Forest.of(self.trees), margin)


def lessons(
    cluster: str,
    view: PaperView,
    citances: Sequence[tuple[str, NDArray[np.bool_]]],
    common: Commonness,
    seed: int,
) -> list[Lesson]:
    """A lesson for each citing sentence with its targets [n].

    Negatives are drawn at random: with the hardest negatives but all positives, a model would learn that
    positives look easy.
    """
    taught = []
    for number, (text, right) in enumerate(citances):
        wrong = np.flatnonzero(~right)
        drawn = np.random.default_rng([seed, number]).permutation(wrong)[:SAMPLED]
        kept = np.sort(np.concatenate([np.flatnonzero(right), drawn]))
        taught.append(Lesson(cluster, table(text, view, common)[kept], right[kept]))
    return taught


def fit(data: Sequence[Lesson], seed: int) -> Fitted:
    """Linear weights, and trees whose scores spread as much within a list: the two are added."""
    sizes = Counter(each.cluster for each in data)
    # A paper that many cite does not count as many papers.
    importance = np.array([sizes[each.cluster] ** -0.5 for each in data])
    weights = _linear(data, importance)
    return Fitted(weights, _trees(data, importance, weights, seed))


def _linear(data: Sequence[Lesson], importance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that maximise the likelihood of a right sentence among those of the list (conditional logit,
    McFadden 1974) less `PENALTY`."""
    from scipy.optimize import minimize

    table = np.concatenate([each.table for each in data]).astype(np.float64)
    right = np.concatenate([each.right for each in data]).astype(np.float64)
    sizes = np.array([len(each.right) for each in data])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    owner = np.repeat(np.arange(len(data)), sizes)
    share = right / np.add.reduceat(right, starts)[owner]
    spread = table.std(axis=0)
    used = spread > 1e-9
    scaled = (table[:, used] - table[:, used].mean(axis=0)) / spread[used]

    mean = importance.sum()

    def chances(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = scaled @ weights
        each: NDArray[np.float64] = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        each /= np.add.reduceat(each, starts)[owner]
        return each

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        likely = chances(weights)
        likelihood = np.add.reduceat(np.log(likely + 1e-300) * share, starts)
        slope = scaled.T @ ((share - likely) * importance[owner])
        return (
            -float((likelihood * importance).sum() / mean) + PENALTY * float(weights @ weights),
            -slope / mean + 2 * PENALTY * weights,
        )

    def curvature(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        weighed = scaled * chances(weights)[:, None]
        expected = np.add.reduceat(weighed, starts)
        outer = scaled.T @ (weighed * importance[owner][:, None]) - expected.T @ (
            expected * importance[:, None]
        )
        bent: NDArray[np.float64] = outer / mean + 2 * PENALTY * np.eye(len(weights))
        return bent

    start = np.zeros(int(used.sum()))
    solution = minimize(loss, start, jac=True, hess=curvature, method="trust-exact", options={"gtol": 1e-5})
    weights = np.zeros(len(FEATURES))
    weights[used] = solution.x / spread[used]
    return np.array([float(f"{weight:.5g}") for weight in weights])


def _trees(
    data: Sequence[Lesson], importance: NDArray[np.float64], weights: NDArray[np.float64], seed: int
) -> list[list[list[float]]]:
    """Grows trees as `Forest.of` takes them (LambdaMART, Burges 2010)."""
    lists = [
        RankedList(each.table, each.right, float(weight))
        for each, weight in zip(data, importance, strict=True)
    ]
    grown = grow(lists, FEATURES, {**TREES, "seed": seed}, ROUNDS)
    linear = np.mean([(each.table @ weights).std() for each in data])
    spread = np.mean([grown.predict(each.table).std() for each in data])
    return trees(grown, float(linear / max(float(spread), 1e-9)))
