"""Trees over the score of a linear classifier and further features, by LightGBM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.models.trees import Forest, Node
from citewhy.ranking.classify.scaling import Scaling
from citewhy.ranking.classify.trees import TreesClassifier, columns
from citewhy.ranking.classify.vectorizer import Vectorizer
from citewhy_lab.train.classifier.data import Data, Doubles, Parts
from citewhy_lab.train.classifier.linear import fit_linear
from citewhy_lab.train.classifier.settings import ClassifierSettings
from citewhy_lab.train.trees import lightgbm, trees

__all__ = ["cross_validate_trees", "fit_trees"]


def cross_validate_trees(data: Data, settings: ClassifierSettings, linear: Doubles, parts: Parts) -> Doubles:
    """Scores [n, 2] of each example by trees grown without its group. `linear` [n, 2] are such scores of the
    linear classifier. Raises MissingExtraError."""
    vectorizer, table = _table(data, settings, linear)
    found: Doubles = np.zeros((len(data.examples), 2))
    for part in range(int(parts.max()) + 1):
        grown = _grown(table[parts != part], data.truth[parts != part], vectorizer, settings)
        found[parts == part, 0] = Forest.of(grown).scores(table[parts == part])
    return found


def fit_trees(
    data: Data,
    settings: ClassifierSettings,
    penalty: float,
    linear: Doubles,
    name: str = "",
    scaling: Scaling | None = None,
) -> TreesClassifier:
    """A linear classifier fitted to all examples with `penalty`, and trees grown on the scores `linear`
    [n, 2] that each example has from one fitted without its group: scores of examples that were learned from
    would be too good to learn from again. Raises MissingExtraError."""
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
    sentences = [each.sentence for each in data.examples]
    vectorizer = Vectorizer.learn(settings.beside, sentences, settings.least)
    return vectorizer, columns(linear, vectorizer, sentences)


def _grown(
    table: NDArray[np.float32], truth: Doubles, vectorizer: Vectorizer, settings: ClassifierSettings
) -> Sequence[Sequence[Node]]:
    """Trees whose sum is the logit of the first label."""
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
        "monotone_constraints": [1, *(int(each in rising) for each in vectorizer.vocabulary or ())],
        "deterministic": True,
        "force_row_wise": True,
        "seed": settings.seed,
        "verbosity": -1,
    }
    module = lightgbm()
    booster = module.train(parameters, module.Dataset(table, truth[:, 0] > 0), settings.trees)
    return trees(booster)
