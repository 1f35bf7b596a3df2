"""Classifiers of sentences: what a passage is cited for, why a citation is made, what a sentence does.

`Classifier` is the contract of the kind ``classifier``; `open_classifier` opens a model folder that
`citewhy train classifier` made. Nothing here needs torch or scikit-learn.
"""

from __future__ import annotations

from citewhy.classify.classifier import Classifier, Probabilities
from citewhy.classify.opening import open_classifier

__all__ = ["Classifier", "Probabilities", "open_classifier"]
