"""Converts scores to probabilities. For a query with scores s,

    p(i) = exp(a · s_i) / (exp(c) + Σ_j exp(a · s_j))

a softmax (Bridle 1990) in which exp(c) is the weight of the outcome "none of them", because the papers that
fit a sentence compete with each other. They do not compete for one place alone, which may cite several, and
the best is less sure than its lead says; so where b or d are given, the odds of the softmax q are

    p(i) / (1 − p(i)) = exp(d) · (q(i) / (1 − q(i)))^b

and the probabilities of a question may have a sum above 1. The papers that a whole paper cites do not
compete; for these, p(i) = 1 / (1 + exp(c − a · s_i)) (Platt 1999). Nor do those of a paragraph; there the
rank i tells more than the score does, and p(i) = 1 / (1 + exp(c − a · s_i + b · ln i)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats

_LEAST = 1e-9
"""Share from which odds are computed, so that they are finite."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The parameters of the formulas above: `slope` is a, `none` is c, `power` is b, above 0, and `lift` is
    d. `shared` selects the first two formulas, for papers that compete; otherwise the third one is used."""

    slope: float
    none: float
    shared: bool = True
    power: float = 1.0
    lift: float = 0.0

    def probabilities(self, scores: Floats) -> NDArray[np.float64]:
        """[n] for the scores [n] of all candidates that the trees saw."""
        weighed = self.slope * scores.astype(np.float64)
        if not self.shared:
            chances: NDArray[np.float64] = 1 / (1 + np.exp(np.clip(self.none - weighed, -50, 50)))
            return chances
        best = max(float(weighed.max(initial=self.none)), self.none)
        raised = np.exp(weighed - best)
        shares: NDArray[np.float64] = raised / (raised.sum() + np.exp(self.none - best))
        if self.power == 1 and self.lift == 0:
            return shares
        bounded = shares.clip(_LEAST, 1 - _LEAST)
        odds = self.power * np.log(bounded / (1 - bounded)) + self.lift
        lifted: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
        return lifted


@dataclass(frozen=True, slots=True)
class RankCalibration:
    """The parameters of the last formula above: `slope` is a, `decline` is b, `none` is c; a and b are 0 or
    more, so that probabilities are in the order of the scores."""

    slope: float
    decline: float
    none: float

    def probabilities(self, scores: Floats) -> NDArray[np.float64]:
        """[n] for the scores [n] of all candidates. Equal scores share the best rank."""
        ranks = 1 + np.searchsorted(np.sort(-scores), -scores)
        odds = self.slope * scores.astype(np.float64) - self.decline * np.log(ranks) - self.none
        chances: NDArray[np.float64] = 1 / (1 + np.exp(np.clip(-odds, -50, 50)))
        return chances
