"""Logistic regression over the features of sentences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from citewhy.base.progress import Progress
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.scaling import Scaling
from citewhy_lab.evaluate.classification import macro_f1
from citewhy_lab.train.classifier.data import Data, Doubles, Parts, importance
from citewhy_lab.train.classifier.settings import ClassifierSettings
from citewhy_lab.train.requirements import check_modules

__all__ = ["cross_validate_linear", "fit_linear"]

_ABSENT = -30.0
"""Score of a label that no example has."""


def fit_linear(
    data: Data,
    settings: ClassifierSettings,
    penalty: float,
    name: str = "",
    scaling: Scaling | None = None,
) -> LinearClassifier:
    """Multinomial logistic regression: W and b that minimise, over examples x_i with weights a_i of mean 1,

        mean_i −a_i log softmax(W x_i + b)_label  +  penalty · ‖W‖²

    `scaling` None: probabilities are those of the regression, not calibrated. Raises MissingExtraError
    without the extra ``train``.
    """
    check_modules("sklearn", "scipy")
    from sklearn.linear_model import LogisticRegression

    vectorizer = data.vectorizer(settings.features, settings.least, settings.buckets)
    truth = data.truth
    example, label = np.nonzero(truth)  # one row for each true label of an example, which share its weight
    weights = importance(truth, settings.balance)[example] * truth[example, label]
    model = LogisticRegression(C=0.5 / (penalty * len(truth)), tol=1e-6, max_iter=10_000)
    model.fit(data.matrix(vectorizer)[example], label, sample_weight=weights)
    coefficients, bias = model.coef_, model.intercept_
    if (
        len(model.classes_) == 2
    ):  # scikit-learn has one row for both: half for the one, half against the other
        coefficients, bias = np.vstack([-coefficients, coefficients]) / 2, np.hstack([-bias, bias]) / 2
    table = np.zeros((vectorizer.width, len(data.labels)), dtype=np.float32)
    shifts = np.full(len(data.labels), _ABSENT, dtype=np.float32)
    table[:, model.classes_], shifts[model.classes_] = coefficients.T, bias
    return LinearClassifier(
        table,
        shifts,
        name=name,
        fingerprint="",
        labels=data.labels,
        vectorizer=vectorizer,
        scaling=scaling or Scaling(1.0, [0.0] * len(data.labels)),
    )


def cross_validate_linear(
    data: Data, settings: ClassifierSettings, parts: Parts, progress: Progress
) -> tuple[Doubles, float, Mapping[float, float]]:
    """Scores [n, L] of each example by a model fitted without its group; the penalty with the best macro-F1,
    of equal ones the largest; and the macro-F1 of each."""
    count = int(parts.max()) + 1
    found: dict[float, Doubles] = {}
    for penalty in settings.penalties:
        found[penalty] = np.zeros((len(data.examples), len(data.labels)))
        for part in range(count):
            progress(f"cross-validating with penalty {penalty:g}", part / count)
            classifier = fit_linear(data.take(np.flatnonzero(parts != part)), settings, penalty)
            tested = np.flatnonzero(parts == part)
            rows = data.take(tested).matrix(classifier.vectorizer)
            found[penalty][tested] = rows @ classifier.weights.astype(np.float64) + classifier.bias
    f1 = {penalty: macro_f1(data.answers(scores), data.true_labels) for penalty, scores in found.items()}
    best = max(f1, key=lambda penalty: (f1[penalty], penalty))
    return found[best], best, f1
