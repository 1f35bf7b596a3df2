"""Logistic regression over the features of sentences, alone, beside another classifier, or under trees that
see its score and further features (LightGBM)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.progress import Progress
from citewhy.models.trees import Forest, Node
from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.scaling import Scaling
from citewhy.ranking.classify.trees import TreesClassifier, columns
from citewhy.ranking.classify.vectorizer import Vectorizer
from citewhy_lab.evaluate.classification import macro_f1
from citewhy_lab.train.classifier.data import Data, Doubles, Parts, cross_entropy, importance
from citewhy_lab.train.classifier.settings import ClassifierSettings
from citewhy_lab.train.requirements import check_modules
from citewhy_lab.train.trees import lightgbm, trees

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
    scores_by_penalty: dict[float, Doubles] = {}
    for penalty in settings.penalties:
        scores_by_penalty[penalty] = np.zeros((len(data.examples), len(data.labels)))
        for part in range(count):
            progress(f"cross-validating with penalty {penalty:g}", part / count)
            classifier = fit_linear(data.take(np.flatnonzero(parts != part)), settings, penalty)
            tested = np.flatnonzero(parts == part)
            rows = data.take(tested).matrix(classifier.vectorizer)
            scores_by_penalty[penalty][tested] = (
                rows @ classifier.weights.astype(np.float64) + classifier.bias
            )
    f1 = {
        penalty: macro_f1(data.answers(scores), data.true_labels)
        for penalty, scores in scores_by_penalty.items()
    }
    best = max(f1, key=lambda penalty: (f1[penalty], penalty))
    return scores_by_penalty[best], best, f1


def fit_beside(
    data: Data,
    given: Doubles,
    features: Features,
    penalty: float,
    least: int,
    speaks_for: Mapping[str, str],
) -> LinearClassifier:
    """Returns a linear classifier whose scores are to be added to those of another, `given` [n, L], of
    examples that the other was not trained on: W and b that minimise, over examples x_i,

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


# Trees over the scores --------------------------------------------------------------------------------------


def cross_validate_trees(data: Data, settings: ClassifierSettings, linear: Doubles, parts: Parts) -> Doubles:
    """Scores [n, 2] of each example by trees grown without its group. `linear` [n, 2] are such scores of the
    linear classifier. Raises MissingExtraError."""
    vectorizer, table = _table(data, settings, linear)
    scores: Doubles = np.zeros((len(data.examples), 2))
    for part in range(int(parts.max()) + 1):
        grown = _grown(table[parts != part], data.truth[parts != part], vectorizer, settings)
        scores[parts == part, 0] = Forest.of(grown).scores(table[parts == part])
    return scores


def fit_trees(
    data: Data,
    settings: ClassifierSettings,
    penalty: float,
    linear: Doubles,
    name: str = "",
    scaling: Scaling | None = None,
) -> TreesClassifier:
    """Returns a linear classifier fitted to all examples with `penalty`, and trees grown on the scores
    `linear` [n, 2] that each example has from one fitted without its group: scores of examples that were
    learned from would be too good to learn from again. Raises MissingExtraError."""
    vectorizer, table = _table(data, settings, linear)
    return TreesClassifier(
        fit_linear(data, settings, penalty, name),
        _grown(table, data.truth, vectorizer, settings),
        name=name,
        fingerprint="",
        labels=data.labels,
        vectorizer=vectorizer,
        scaling=scaling or Scaling(1.0, [0.0, 0.0]),
    )


def _table(
    data: Data, settings: ClassifierSettings, linear: Doubles
) -> tuple[Vectorizer, NDArray[np.float32]]:
    sentences = [example.sentence for example in data.examples]
    vectorizer = Vectorizer.learn(settings.beside, sentences, settings.least)
    return vectorizer, columns(linear, vectorizer, sentences)


def _grown(
    table: NDArray[np.float32], truth: Doubles, vectorizer: Vectorizer, settings: ClassifierSettings
) -> Sequence[Sequence[Node]]:
    """Returns trees whose sum is the logit of the first label."""
    rising = {*settings.rising}
    parameters: dict[str, Any] = {
        "objective": "binary",
        "learning_rate": settings.tree_rate,
        "num_leaves": settings.leaves,
        "min_data_in_leaf": settings.least_in_leaf,
        "feature_fraction": 0.5,
        "bagging_fraction": 0.8,
        "bagging_freq": 1,
        "lambda_l2": 5.0,
        "monotone_constraints": [1, *(int(word in rising) for word in vectorizer.vocabulary or ())],
        "deterministic": True,
        "force_row_wise": True,
        "seed": settings.seed,
        "verbosity": -1,
    }
    module = lightgbm()
    booster = module.train(parameters, module.Dataset(table, truth[:, 0] > 0), settings.trees)
    return trees(booster)
