"""Training the classifier of facets, by the recipe of all classifiers; few examples, strongly smoothed."""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.classify.linear import LinearClassifier
from citewhy.classify.scaling import Scaling
from citewhy.linkage.facets import FACETS, FEATURES
from citewhy.train.classifier.data import Data
from citewhy.train.classifier.examples import Example
from citewhy.train.classifier.linear import fit_linear
from citewhy.train.classifier.settings import ClassifierSettings

__all__ = ["SETTINGS", "facet_data", "fit_facets"]

SETTINGS = ClassifierSettings(features=FEATURES, least=8, balance=0.75, penalties=(0.01,))
"""Features in eight examples or more; rare facets count for more, but not as much as common ones."""


def facet_data(examples: Sequence[Example]) -> Data:
    return Data.of(examples, FEATURES, FACETS)


def fit_facets(examples: Sequence[Example], scaling: Scaling | None = None) -> LinearClassifier:
    """`scaling` makes its probabilities. Raises MissingExtraError without the extra ``train``."""
    return fit_linear(facet_data(examples), SETTINGS, SETTINGS.penalties[0], "facets", scaling)
