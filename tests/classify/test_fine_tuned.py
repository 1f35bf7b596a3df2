"""Classifiers with a fine-tuned encoder of their own."""

from __future__ import annotations

import numpy as np
import pytest

from citewhy.assets import intent_folder
from citewhy.classify import open_classifier
from citewhy.classify.fine_tuned import FineTunedClassifier, targets
from citewhy.errors import QueryError
from citewhy.evaluate.datasets.intents import FUNCTIONS
from citewhy.intents.labels import INTENTS
from citewhy.records import SentenceInContext


def test_weights_of_the_citation() -> None:
    """The target's tokens, else those of other citations, else all tokens; each row sums to 1."""
    ids = np.array([[9, 7, 8, 7], [9, 8, 8, 9], [9, 9, 9, 9]])
    assert targets(ids, target=7, other=8).tolist() == [
        [0, 0.5, 0, 0.5],
        [0, 0.5, 0.5, 0],
        [0.25, 0.25, 0.25, 0.25],
    ]


def test_heads() -> None:
    """The first head has the intents, the other one the functions; another name is refused."""
    opened = open_classifier(intent_folder())
    assert isinstance(opened, FineTunedClassifier)
    assert set(opened.labels) == set(INTENTS)
    assert opened.head("function").labels == FUNCTIONS
    with pytest.raises(QueryError, match="its heads: intent, function"):
        opened.head("praise")


def test_plain_cases() -> None:
    """Sentences that say what they do are labelled so, with citations masked or as printed."""
    opened = open_classifier(intent_folder())
    sentences = [
        "We use the Moses toolkit TARGETCIT to train our systems.",
        "We used the Stanford parser (Klein and Manning, 2003) to parse the sentences.",
        "Our results are consistent with those of TARGETCIT.",
    ]
    answers = opened.predict([SentenceInContext(each) for each in sentences])
    assert answers == ["method", "method", "result"]
