"""Sentence classifiers: what a passage is cited for, why a citation is made, the function of a sentence.

`Classifier` is the contract of the kind ``classifier``; `open_classifier` opens a model folder made by
`citewhy train classifier`. Neither torch nor scikit-learn is needed.
"""

from __future__ import annotations

from citewhy.ranking.classify.classifier import Classifier, Probabilities, answers_of, probabilities_of
from citewhy.ranking.classify.opening import open_classifier

__all__ = ["Classifier", "Probabilities", "answers_of", "open_classifier", "probabilities_of"]
