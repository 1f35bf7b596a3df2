"""The outcome of a classifier of sentences."""

from __future__ import annotations

import numpy as np
import pytest

from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.classification import label_measures
from citewhy_lab.evaluate.outcome import Outcome
from citewhy_lab.evaluate.tasks.discourse import label_outcome


def report() -> Outcome:
    """Three papers; of four sentences, three are right."""
    return label_outcome(
        task="discourse",
        file="c.jsonl",
        model="tagger",
        labels=("a", "b", "c"),
        answers=["a", "b", "a", "a"],
        truth=["a", "b", "b", "a"],
        groups=["1", "1", "2", "3"],
        seed=7,
    )


def test_measures_by_hand() -> None:
    """a: 2 of 2 found, 3 answers: 4 / 5. b: 1 of 2 found, 1 answer: 2 / 3. c does not occur."""
    found = report().document()["measures"]
    assert found["F1/a"] == pytest.approx(4 / 5)
    assert found["F1/b"] == pytest.approx(2 / 3)
    assert found["F1/c"] == 0
    assert found["macro-F1"] == pytest.approx((4 / 5 + 2 / 3) / 2)
    assert found["accuracy"] == 3 / 4


def test_nothing_at_all() -> None:
    """No sentence: zeros."""
    assert set(label_measures(np.zeros((2, 2)), ("a", "b")).values()) == {0.0}


def test_document() -> None:
    """Sentences and papers are counted; intervals hold the values; what was taken for what is shown."""
    found = report().document()
    assert (found["queries"], found["groups"]) == (4, 3)
    assert found["confusion"]["b"] == {"a": 1, "b": 1, "c": 0}
    for name, (low, high) in found["intervals"].items():
        assert low <= found["measures"][name] <= high


def test_forms() -> None:
    """Text and Markdown have each measure; there is no run."""
    for shown in (report().text(), report().markdown()):
        assert "F1/a" in shown
        assert ".750" in shown
    with pytest.raises(QueryError, match="it ranks no papers"):
        report().run()
