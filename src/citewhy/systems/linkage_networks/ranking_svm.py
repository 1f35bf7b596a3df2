"""Ranking SVM: a linear order of pairs in which what is meant stands above what is not.

Joachims, Optimizing Search Engines using Clickthrough Data, KDD 2002; solved in the primal with the squared
hinge (Chapelle and Keerthi, Efficient Algorithms for Ranking with SVMs, Information Retrieval 13, 2010):

    min_w  ½ ‖w‖² + C Σ_s mean max(0, 1 − w · (x⁺ − x⁻))²       over the true x⁺ and false x⁻ of each row s

No difference is formed: a step needs two products with the features, which stay sparse.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from citewhy.systems.linkage_networks.bags import Bags

__all__ = ["ranking_svm"]

Floats = NDArray[np.float64]

_STEPS = 100
"""At most; L-BFGS is near its end after a few dozen."""


def ranking_svm(
    features: Bags, there: NDArray[np.bool_], true: int, penalty: float = 1.0
) -> NDArray[np.float32]:
    """[words] weights. features [rows · width, words] row by row, there [rows, width], of which the first
    `true` are the true ones; `penalty` is C."""
    both = there[:, :true, None] & there[:, None, true:]  # [rows, p, n]
    scale = penalty / np.maximum(both.sum(axis=(1, 2), keepdims=True), 1)  # [rows, 1, 1]

    def objective(weights: Floats) -> tuple[float, Floats]:
        scores = (features @ weights).reshape(there.shape)
        short = np.where(both, 1 - scores[:, :true, None] + scores[:, None, true:], 0).clip(min=0)
        pull = 2 * scale * short  # [rows, p, n]
        slope = np.concatenate([-pull.sum(axis=2), pull.sum(axis=1)], axis=1)  # [rows, width]
        value = 0.5 * weights @ weights + (scale * short**2).sum()
        return float(value), weights + features.T @ slope.ravel()

    start = np.zeros(features.shape[1])
    found = optimize.minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    weights: NDArray[np.float32] = found.x.astype(np.float32)
    return weights
