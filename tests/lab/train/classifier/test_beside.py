"""A linear classifier that is fitted beside the scores of another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify.features import Features
from citewhy_lab.train.classifier.data import Data, Example

LABELS = ("Background", "Extends", "Future")
FEATURES = Features(words={}, purposes=("text", "next"), own_work=True, weighting="binary")
SPEAKS_FOR = {"text for:future": "Future", "next for:future": "Future"}


@pytest.fixture
def data() -> Data:
    pytest.importorskip("scipy", reason="needs the extra lab")
    plain, later = SentenceInContext("TARGETCIT parses."), SentenceInContext("TARGETCIT is future work.")
    own = SentenceInContext("TARGETCIT parses.", own_work=True)
    rows = [(plain, "Background")] * 6 + [(later, "Future")] * 4 + [(later, "Background")] * 2
    rows += [(own, "Extends")] * 4 + [(replace(own, own_work=False), "Background")] * 4
    examples = [Example(sentence, (label,), str(place)) for place, (sentence, label) in enumerate(rows)]
    return Data.of(examples, FEATURES, LABELS)


def test_it_learns_what_the_other_lacks(data: Data) -> None:
    """Without a penalty worth mentioning, the probabilities are the shares of the labels."""
    from citewhy_lab.train.classifier.linear import fit_beside

    given = np.zeros((len(data.examples), 3))
    found = fit_beside(data, given, FEATURES, 1e-7, 2, SPEAKS_FOR)
    scores = found.scores([each.sentence for each in data.examples])
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert chances[6, 2] == pytest.approx(4 / 6, abs=0.02)
    assert chances[12, 1] > 0.9
    assert chances[16, 1] < 0.1


def test_a_feature_speaks_for_its_label_only(data: Data) -> None:
    from citewhy_lab.train.classifier.linear import fit_beside

    found = fit_beside(data, np.zeros((len(data.examples), 3)), FEATURES, 1e-3, 2, SPEAKS_FOR)
    names = found.vectorizer.vocabulary or ()
    weights = dict(zip(names, found.weights.tolist(), strict=True))
    assert weights["text for:future"][:2] == [0, 0]
    assert weights["text for:future"][2] > 0
    assert all(weights["own work:yes"])


def test_nothing_is_added_where_the_other_is_right(data: Data) -> None:
    """Scores that are right already leave nothing to learn."""
    from citewhy_lab.train.classifier.linear import fit_beside

    sure = np.log(np.maximum(data.truth, 1e-6)) * 3
    found = fit_beside(data, sure, FEATURES, 1e-2, 2, SPEAKS_FOR)
    assert abs(found.weights).max() < 0.5 < abs(sure).max()


def test_rare_features_are_left_out(data: Data) -> None:
    from citewhy_lab.train.classifier.linear import fit_beside

    found = fit_beside(data, np.zeros((len(data.examples), 3)), FEATURES, 1e-3, 5, SPEAKS_FOR)
    assert set(found.vectorizer.vocabulary or ()) == {"text for:future"}
    none = fit_beside(data, np.zeros((len(data.examples), 3)), FEATURES, 1e-3, 99, SPEAKS_FOR)
    assert none.scores([data.examples[0].sentence]).shape == (1, 3)
