"""Fits the probabilities of the last step to whole questions, as they are asked.

In an author's own library several papers of a place may be right, and the answer is missing less often than
the forests' own calibrations expect; where citing sentences are old, the first papers are right less often
(`rank.calibration`, `rank.last_step`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.last_step import LastStep, familiarity, most_probable
from citewhy.search.index.arrays import Floats
from citewhy_lab.evaluate.calibration import FIRST
from citewhy_lab.train.systems.ranker.questions import RankerQuestion

NO_ROOM = -30.0
"""The weight of "none of them" whose share is nothing."""


@dataclass(frozen=True, slots=True)
class Place:
    """One hidden citation, as the last step has ordered n candidates for it."""

    scores: Floats
    """[n] descending."""
    right: NDArray[np.bool_]
    """[n]."""
    familiarity: float
    answers: int
    """Right papers, whether they were found or not."""
    old: float = 1.0
    """How much the calibration counts that is fitted (`last_step.oldness`)."""
    recent: Calibration | None = None
    """The one that counts beside it."""
    most: float = 1.0
    """The largest probability (`last_step.most_probable`)."""

    def pairs(self, fitted: Calibration) -> list[tuple[float, bool]]:
        """Pairs the probabilities of the first candidates with whether they are right."""
        sure = fitted.probabilities(self.scores)[:FIRST] * self.old
        if self.recent is not None:
            sure = sure + (1 - self.old) * self.recent.probabilities(self.scores)[:FIRST]
        sure = np.minimum(sure, self.most) * self.familiarity
        return list(zip(sure.tolist(), self.right[:FIRST].tolist(), strict=True))


def place_of(question: RankerQuestion, step: LastStep) -> Place:
    """Returns a question as `step` orders it."""
    scores = step.scores(question.table)
    order = np.argsort(-scores, kind="stable")
    right = question.right[order]
    answers = int(right.sum()) + question.missed
    most = most_probable(question.table, scores)
    return Place(scores[order], right, familiarity(question.table), answers, most=most)


def fit(places: Sequence[Place], base: Calibration | None = None) -> Calibration:
    """Returns the calibration under which the first candidates are right as often as they say (logistic
    loss; the first of all counts `FIRST` times, as it is what is read). With `base`, its slope and its weight
    of "none of them" are kept."""
    from scipy.optimize import minimize

    def _of(parameters: NDArray[np.float64]) -> Calibration:
        """Without a base nothing is kept for "none of them": the other two parameters do as much."""
        power, lift = round(float(np.exp(parameters[0])), 5), round(float(parameters[1]), 5)
        if base is not None:
            return replace(base, power=power, lift=lift)
        return Calibration(round(float(np.exp(parameters[2])), 5), NO_ROOM, power=power, lift=lift)

    def loss(parameters: NDArray[np.float64]) -> float:
        pairs = [pair for place in places for pair in place.pairs(_of(parameters))]
        pairs += [pair for place in places for pair in place.pairs(_of(parameters))[:1] * (FIRST - 1)]
        chance, right = np.array(pairs).T
        return float(-np.log(np.clip(np.where(right > 0, chance, 1 - chance), 1e-6, 1)).mean())

    start = np.array([-0.3, 0.0, 0.2] if base is None else [-0.3, -1.0])
    return _of(minimize(loss, start, method="Nelder-Mead", options={"maxiter": 200}).x)
