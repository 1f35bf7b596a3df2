"""What stands beside the network of intents."""

from __future__ import annotations

import numpy as np
import pytest

from citewhy.base.records import SentenceInContext
from citewhy_lab.evaluate.datasets.intents import FUNCTIONS
from citewhy_lab.train.classifier.data import Example
from citewhy_lab.train.systems.intent.recipe import cross_fitted, fitted
from citewhy_lab.train.systems.intent.settings import IntentSettings

OWN = FUNCTIONS.index("Extends")


@pytest.fixture
def examples() -> list[Example]:
    """Authors extend their own work, and leave that of others for later."""
    pytest.importorskip("sklearn", reason="needs the extra lab")
    kinds = [
        ("Extends", SentenceInContext("It is TARGETCIT again.", own_work=True)),
        ("Background", SentenceInContext("It is TARGETCIT again.", own_work=False)),
        ("Future", SentenceInContext("It is TARGETCIT again.", next="This is future work.")),
    ]
    return [Example(sentence, (label,), str(number)) for number in range(30) for label, sentence in kinds]


def test_it_completes_scores_that_tell_nothing(examples: list[Example]) -> None:
    """Each fold is labelled by what the others taught; where nobody knows whose work it is, an extension is
    less probable than where it is the author's own, and more than where it is not."""
    settings = IntentSettings(purposes_penalty=1e-4)
    parts = np.arange(len(examples)) // 3 % 5
    found = cross_fitted("function", examples, np.zeros((len(examples), 6)), parts, settings)
    said = [FUNCTIONS[place] for place in found.argmax(axis=1).tolist()]
    assert said == [each.labels[0] for each in examples]
    beside = fitted("function", examples, np.zeros((len(examples), 6)), settings)
    assert beside is not None
    weight, linear = beside
    assert weight == 1
    texts = [SentenceInContext("It is TARGETCIT again.", own_work=own) for own in (True, None, False)]
    yes, unknown, no = linear.scores(texts)[:, OWN].tolist()
    assert yes > unknown > no


def test_nothing_is_beside_the_network(examples: list[Example]) -> None:
    given = np.random.default_rng(3).normal(size=(len(examples), 6))
    settings = IntentSettings(purposes=False, words_weight=0)
    parts = np.arange(len(examples)) % 5
    assert fitted("function", examples, given, settings) is None
    assert fitted("intent", examples, given[:, :3], settings) is None
    assert np.array_equal(cross_fitted("function", examples, given, parts, settings), given)
