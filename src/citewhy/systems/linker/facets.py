"""Fitting the facets: a multinomial logistic model with few signs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.linkage.facets import FACETS, facet_signs

__all__ = ["FacetExample", "fit_facets", "macro_f1"]

PENALTY = 0.01
"""Of the squared weights."""

LEAST = 8
"""Examples that a sign must be in."""

BALANCE = 0.75
"""Power of one over a facet's share that its examples count: rare facets are asked for, too."""


@dataclass(frozen=True, slots=True)
class FacetExample:
    """A citing sentence with a sentence that it means, and the facets that annotators gave."""

    citance: str
    passage: str
    section: str
    position: float
    facets: tuple[str, ...]
    """Of `FACETS`, at least one; they share the example."""

    def signs(self) -> dict[str, float]:
        return facet_signs(self.citance, self.passage, self.section, self.position)


def fit_facets(examples: Sequence[FacetExample]) -> dict[str, Any]:
    """What `FacetModel.of` reads."""
    from scipy.optimize import minimize

    found = [each.signs() for each in examples]
    counts = Counter(sign for signs in found for sign in signs)
    known = {sign: row for row, sign in enumerate(sorted(s for s, n in counts.items() if n >= LEAST))}
    table = np.zeros((len(examples), len(known)))
    for row, signs in enumerate(found):
        for sign, value in signs.items():
            if sign in known:
                table[row, known[sign]] = value
    truth = np.array([[float(facet in each.facets) for facet in FACETS] for each in examples])
    truth /= truth.sum(axis=1, keepdims=True)
    share = np.maximum(truth.mean(axis=0), 1e-6)
    importance = truth @ share**-BALANCE
    importance /= importance.sum()

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(len(known) + 1, len(FACETS))
        scores = table @ weights[:-1] + weights[-1]
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        wrong = (chances - truth) * importance[:, None]
        slope = np.concatenate([table.T @ wrong + 2 * PENALTY * weights[:-1], wrong.sum(axis=0)[None]])
        likelihood = float((importance[:, None] * truth * np.log(chances + 1e-12)).sum())
        return -likelihood + PENALTY * float((weights[:-1] ** 2).sum()), slope.ravel()

    start = np.zeros((len(known) + 1) * len(FACETS))
    weights = minimize(loss, start, jac=True, method="L-BFGS-B").x.reshape(len(known) + 1, len(FACETS))
    rounded = np.round(weights, 3).tolist()
    return {
        "facets": list(FACETS),
        "bias": rounded[-1],
        "weights": {sign: rounded[row] for sign, row in known.items()},
    }


def macro_f1(answers: Sequence[str], truth: Sequence[tuple[str, ...]]) -> dict[str, float]:
    """F1 of each facet that is in `truth`, and their mean as ``macro``.

    Of several true facets one is enough: an answer hits its facet, or else misses all the true ones."""
    from sklearn.metrics import f1_score

    real = [
        [facet in ((answer,) if answer in each else each) for facet in FACETS]
        for answer, each in zip(answers, truth, strict=True)
    ]
    said = [[answer == facet for facet in FACETS] for answer in answers]
    scores = f1_score(np.array(real), np.array(said), average=None, zero_division=0)
    found = {
        facet: float(score)
        for facet, score in zip(FACETS, scores, strict=True)
        if any(facet in each for each in truth)
    }
    return found | {"macro": sum(found.values()) / max(len(found), 1)}
