"""Fitting the ranker: linear weights, trees over them, probabilities over these; and how well cross-fitted
scores order the candidates of questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.linear import linear_scores
from citewhy.ranking.rank.linear_trees import FIRST, SEEN_BY_TREES, tree_table
from citewhy.search.index.arrays import Floats
from citewhy_lab.train.systems.ranker.data import Group
from citewhy_lab.train.trees import LAMBDARANK, RankedList, grow, trees

PENALTY = 1e-3
"""Penalty of the squared weights of the linear model, for features of unit variance."""

SAMPLED = 500
"""Wrong papers of a question that the linear model learns from."""

TREES: dict[str, Any] = {
    **LAMBDARANK,
    "learning_rate": 0.06,
    "num_leaves": 15,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.6,
    "lambda_l2": 5.0,
}
"""LightGBM's parameters; chosen by cross-validation over the questions of the training year."""


def fit_linear(data: Sequence[Group]) -> dict[str, float]:
    """Returns weights by feature that maximise the likelihood of a right paper among the candidates
    (conditional logit, McFadden 1974) less `PENALTY`."""
    from scipy.optimize import minimize

    kept = [_sample(question) for question in data]
    table = np.concatenate([question.table[rows] for question, rows in zip(data, kept, strict=True)]).astype(
        np.float64
    )
    right = np.concatenate([question.right[rows] for question, rows in zip(data, kept, strict=True)])
    sizes = np.array([len(rows) for rows in kept])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    owner = np.repeat(np.arange(len(data)), sizes)
    share = right / np.add.reduceat(right.astype(float), starts)[owner]
    importance = np.array([question.weight for question in data])
    spread = table.std(axis=0)
    used = spread > 1e-9
    scaled = (table[:, used] - table[:, used].mean(axis=0)) / spread[used]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = scaled @ weights
        best = np.maximum.reduceat(scores, starts)
        chances = np.exp(scores - best[owner])
        total = np.add.reduceat(chances, starts)
        likelihood = np.add.reduceat(scores * share, starts) - best - np.log(total)
        slope = scaled.T @ ((share - chances / total[owner]) * importance[owner])
        mean = importance.sum()
        return (
            -float((likelihood * importance).sum() / mean) + PENALTY * float(weights @ weights),
            -slope / mean + 2 * PENALTY * weights,
        )

    solution = minimize(
        loss, np.zeros(int(used.sum())), jac=True, method="L-BFGS-B", options={"maxiter": 500}
    )
    weights = np.zeros(len(FEATURES))
    weights[used] = solution.x / spread[used]
    return {name: round(float(w), 5) for name, w in zip(FEATURES, weights, strict=True)}


def _sample(group: Group) -> NDArray[np.int64]:
    """Returns rows of the right papers and of `SAMPLED` others: the estimate is as consistent as with all of
    them (McFadden 1978), and three times as fast."""
    wrong = np.flatnonzero(~group.right)
    some = np.random.default_rng(len(group.right)).permutation(wrong)[:SAMPLED]
    return np.sort(np.concatenate([np.flatnonzero(group.right), some]))


def listed(group: Group, weights: dict[str, float]) -> Group:
    """Selects what the trees see of a question: the first `FIRST` of its candidates by linear `weights`, with
    the columns `SEEN_BY_TREES`."""
    linear = linear_scores(group.table, weights)
    first = np.lexsort((group.ids, -linear))[:FIRST]
    right = group.right[first]
    return replace(
        group,
        table=tree_table(group.table[first], linear[first], group.name),
        right=right,
        ids=group.ids[first],
        missed=group.missed + int(group.right.sum() - right.sum()),
    )


def fit_trees(data: Sequence[Group], rounds: int, seed: int) -> list[list[list[float]]]:
    """Returns trees as `models.trees.Forest.of` takes them. Lists without a right paper teach nothing."""
    lists = [
        RankedList(question.table, question.right, question.weight)
        for question in data
        if question.right.any()
    ]
    return trees(grow(lists, SEEN_BY_TREES, {**TREES, "seed": seed}, rounds))


def fit_calibration(
    scores: Sequence[Floats], right: Sequence[NDArray[np.bool_]], weights: Sequence[float], shared: bool
) -> Calibration:
    """Returns the slope and the weight of "none" under which the first ten of each list are right as often as
    they say (logistic loss), from lists that the trees did not learn from; `shared` as in `Calibration`."""
    from scipy.optimize import minimize

    tops = [np.argsort(-score, kind="stable")[:10] for score in scores]
    count = max(sum(weight * len(top) for top, weight in zip(tops, weights, strict=True)), 1.0)

    def loss(parameters: NDArray[np.float64]) -> float:
        calibration = Calibration(float(np.exp(parameters[0])), float(parameters[1]), shared)
        total = 0.0
        for of_question, answers, top, weight in zip(scores, right, tops, weights, strict=True):
            chance = np.clip(calibration.probabilities(of_question)[top], 1e-6, 1 - 1e-6)
            total -= weight * float(np.where(answers[top], np.log(chance), np.log(1 - chance)).sum())
        return total / count

    solution = minimize(loss, np.array([0.0, 0.0]), method="Nelder-Mead", options={"maxiter": 200})
    return Calibration(round(float(np.exp(solution.x[0])), 5), round(float(solution.x[1]), 5), shared)


# Quality ---------------------------------------------------------------------------------------------------


class Judged(Protocol):
    """A question with its n candidates."""

    @property
    def right(self) -> NDArray[np.bool_]:
        """[n] which candidates are right."""
        ...

    @property
    def missed(self) -> int:
        """Number of right papers of the library that are not among the n."""
        ...


def quality(judged: Iterable[tuple[str, Judged, Floats]]) -> dict[str, dict[str, float]]:
    """Returns the number of judgements, R@10 and reciprocal rank by source, from the source, the question and
    the scores [n] of each. A source without judgements is left out."""
    ranks: dict[str, list[float]] = defaultdict(list)
    for source, question, scores in judged:
        order = np.argsort(-scores, kind="stable")
        ranks[source] += (np.flatnonzero(question.right[order]) + 1.0).tolist() + [np.inf] * question.missed
    return {
        source: {
            "judgements": len(of_source),
            "R@10": round(float(np.mean(np.array(of_source) <= 10)), 4),
            "RR": round(float(np.mean(1 / np.array(of_source))), 4),
        }
        for source, of_source in sorted(ranks.items())
        if of_source
    }
