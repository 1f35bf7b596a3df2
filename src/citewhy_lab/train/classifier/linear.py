"""Logistic regression over the features of sentences, alone or beside another classifier."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from citewhy.base.progress import Progress
from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.scaling import Scaling
from citewhy_lab.evaluate.classification import macro_f1
from citewhy_lab.train.classifier.data import Data, Doubles, Parts, importance
from citewhy_lab.train.classifier.quality import cross_entropy
from citewhy_lab.train.classifier.settings import ClassifierSettings
from citewhy_lab.train.requirements import check_modules

__all__ = ["cross_validate_linear", "fit_beside", "fit_linear"]

_ABSENT = -30.0
"""Score of a label that no example has."""

_CONSTANT = 1e-9
"""Standard deviations below are those of features that never change."""


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
    without the extra ``lab``.
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
    `least` examples have are left out. Raises MissingExtraError without the extra ``lab``.
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
