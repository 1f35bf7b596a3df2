"""A linear classifier beside another one: what its features tell that the other has not learned."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.scaling import Scaling
from citewhy_lab.train.classifier.data import Data, Doubles
from citewhy_lab.train.classifier.quality import cross_entropy
from citewhy_lab.train.requirements import check_modules

__all__ = ["fit_beside"]

_CONSTANT = 1e-9
"""Standard deviations below are those of features that never change."""


def fit_beside(
    data: Data,
    given: Doubles,
    features: Features,
    penalty: float,
    least: int,
    speaks_for: Mapping[str, str],
) -> LinearClassifier:
    """A linear classifier whose scores are to be added to those of another, `given` [n, L], of examples that
    the other was not trained on: W and b that minimise, over examples x_i,

        mean_i −log softmax(g_i + W x_i + b)_label  +  penalty · (‖W S‖² + ‖b‖²)

    with the standard deviations S of the features. A feature that `speaks_for` names changes the score of
    that label only, so that few examples are enough; others change all scores. Features that fewer than
    `least` examples have are left out. Raises MissingExtraError without the extra ``train``.
    """
    check_modules("scipy")
    from scipy.optimize import minimize

    vectorizer = data.vectorizer(features, least, 0)
    rows: Doubles = data.matrix(vectorizer).toarray()
    means, spread = rows.mean(axis=0), rows.std(axis=0)
    units = np.where(spread > _CONSTANT, spread, np.inf)  # a feature that never changes has no weight
    rows = (rows - means) / units
    names = vectorizer.vocabulary or ()
    allowed = np.array([[speaks_for.get(name, label) == label for label in data.labels] for name in names])
    allowed = allowed.reshape(len(names), len(data.labels)).astype(np.float64)
    truth = data.truth
    shape = (len(names) + 1, len(data.labels))

    def loss(parameters: Doubles) -> tuple[float, Doubles]:
        table = parameters.reshape(shape)
        weights, bias = table[:-1] * allowed, table[-1]
        value, wrong = cross_entropy(given + rows @ weights + bias, truth)
        slopes = np.vstack([(rows.T @ wrong) * allowed, wrong.sum(axis=0)]) + 2 * penalty * table
        return value + penalty * float((table**2).sum()), slopes.ravel()

    table = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B").x.reshape(shape)
    weights = table[:-1] * allowed / units[:, None]
    return LinearClassifier(
        weights.astype(np.float32),
        (table[-1] - means @ weights).astype(np.float32),
        name="",
        fingerprint="",
        labels=data.labels,
        vectorizer=vectorizer,
        scaling=Scaling(1.0, [0.0] * len(data.labels)),
    )
