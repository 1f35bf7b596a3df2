"""F1 of labels."""

from __future__ import annotations

import random

import pytest

from citewhy_lab.evaluate.classification import accuracy, f1_by_label, macro_f1


def test_by_hand() -> None:
    """Of several true labels one is enough, and a label that nobody has does not count.

    a: 1 hit, said once, real twice (the first, which it hit, and the third); b: 1 hit, said twice, real once.
    """
    answers, truth = ["a", "b", "b"], [("a", "b"), ("b",), ("a",)]
    assert f1_by_label(answers, truth) == {"a": 2 / 3, "b": 2 / 3}
    assert macro_f1(answers, truth) == 2 / 3
    assert accuracy(answers, truth) == 2 / 3
    assert f1_by_label(["c"], [("a",)]) == {"a": 0.0}


def test_nothing() -> None:
    """Without examples every measure is 0."""
    assert macro_f1([], []) == accuracy([], []) == 0


def test_of_one_label_each_it_is_scikit_learns() -> None:
    """Where each example has one label, macro-F1 and accuracy are the usual ones."""
    metrics = pytest.importorskip("sklearn.metrics")
    draw = random.Random(7)
    truth, answers = (draw.choices("abcd", [5, 3, 1, 1], k=200) for _ in range(2))
    given = [(each,) for each in truth]
    assert macro_f1(answers, given) == pytest.approx(metrics.f1_score(truth, answers, average="macro"))
    assert accuracy(answers, given) == pytest.approx(metrics.accuracy_score(truth, answers))
