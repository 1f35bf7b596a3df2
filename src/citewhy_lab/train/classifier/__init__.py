"""The recipe of sentence classifiers: labelled sentences to a folder that `classify.open_classifier` opens.

The model is a multinomial logistic regression (scikit-learn) or a small network over the features of
`classify.features`. All figures are cross-validated: examples of one group, such as the sentences of a paper,
are either all used for training or all for testing.
"""

from __future__ import annotations

from citewhy_lab.train.classifier.examples import Example, FieldNames, read_examples
from citewhy_lab.train.classifier.recipe import train_classifier
from citewhy_lab.train.classifier.settings import ClassifierSettings

__all__ = ["ClassifierSettings", "Example", "FieldNames", "read_examples", "train_classifier"]
