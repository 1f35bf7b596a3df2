"""Training the classifier of facets, by the recipe of all classifiers; few examples, strongly smoothed."""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.scaling import Scaling
from citewhy.ranking.linkage.facets import FACETS, FEATURES
from citewhy_lab.train.classifier.data import Data
from citewhy_lab.train.classifier.examples import Example
from citewhy_lab.train.classifier.linear import fit_linear
from citewhy_lab.train.classifier.settings import ClassifierSettings

__all__ = ["SETTINGS", "facet_data", "fit_facets"]

SETTINGS = ClassifierSettings(features=FEATURES, least=8, balance=0.75, penalties=(0.01,))
"""Features in eight examples or more; rare facets count for more, but not as much as common ones."""


def facet_data(examples: Sequence[Example]) -> Data:
    return Data.of(examples, FEATURES, FACETS)


def fit_facets(examples: Sequence[Example], scaling: Scaling | None = None) -> LinearClassifier:
    """`scaling` makes its probabilities. Raises MissingExtraError without the extra ``train``."""
    return fit_linear(facet_data(examples), SETTINGS, SETTINGS.penalties[0], "facets", scaling)
