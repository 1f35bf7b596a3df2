"""Selects the papers of a set one after another, and stops by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy.models.numbers import require_probabilities
from citewhy.ranking.sets.features import CitationCandidates
from citewhy.ranking.sets.model import SetModel

MOST = 8
"""Maximum number of papers that are chosen for a citation."""

SURE = 0.5
"""Probability of the first paper for a citation that may have all its papers: models learn from citations
that lack some, and most that an author regards as finished lack none."""


@dataclass(frozen=True, slots=True)
class SetChoice:
    """Holds the papers chosen for one citation with n candidates."""

    positions: tuple[int, ...]
    """Positions of the chosen candidates, in the order in which they were chosen."""
    gains: tuple[float, ...]
    """For each of them, the probability that it was right when it was chosen, in [0, 1]."""
    probabilities: NDArray[np.float64]
    """[n] the probabilities of all candidates beside the members alone."""


def choose(model: SetModel, candidates: CitationCandidates, at_least: int = 1, most: int = MOST) -> SetChoice:
    """Greedy selection: the most probable paper beside the members and those chosen before it, as long as its
    probability, which is the expected number of right papers that it adds, reaches the threshold of the
    model. At least `at_least` papers are chosen if there are as many candidates, and at most `most`; if none
    need be, the first must have the probability `SURE`. Of equally probable papers, the first of the ranking
    is chosen."""
    least = model.threshold(len(candidates.members))
    before = _chances(model, candidates, ())
    chances, chosen, gains = before, list[int](), list[float]()
    while len(chosen) < min(most, len(candidates.rows)):
        free = chances.copy()
        free[chosen] = -1.0
        best = int(free.argmax())
        needed = least if chosen or at_least else max(least, SURE)
        if free[best] < needed and len(chosen) >= at_least:
            break
        chosen.append(best)
        gains.append(float(free[best]))
        if len(chosen) < most:
            chances = _chances(model, candidates, candidates.rows[chosen].tolist())
    return SetChoice(tuple(chosen), tuple(gains), before)


def _chances(model: SetModel, candidates: CitationCandidates, chosen: Sequence[int]) -> NDArray[np.float64]:
    """Raises ModelError for what are no probabilities."""
    chances = model.probabilities(candidates.table(chosen))
    require_probabilities(chances, (len(candidates.rows),), f"the set model {model.name}")
    return chances


def most_useful(probabilities: NDArray[np.float64]) -> int:
    """How many papers to propose of a ranking [n] with independent probabilities, best first, 0 if it is
    empty: the number m with the largest expected F1, 2 · Σ_{i ≤ m} p_i / (m + Σ_i p_i), in which expectation
    and quotient are exchanged (Ye, Chai, Lee and Chieu, Optimizing F-measures, ICML 2012)."""
    sizes = np.arange(1, len(probabilities) + 1)
    expected = 2 * np.cumsum(probabilities) / (sizes + probabilities.sum())
    return int(expected.argmax()) + 1 if len(sizes) else 0
