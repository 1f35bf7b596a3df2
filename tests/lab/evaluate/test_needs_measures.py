"""Measures of a classifier of sentences that need a citation, worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify import Probabilities
from citewhy_lab.evaluate.datasets.needs import JudgedSentence
from citewhy_lab.evaluate.needs import Scores, average_precision, chances, intervals, measures, precision_at


def scores(found: Sequence[float], cites: Sequence[int], groups: str = "") -> Scores:
    return Scores(np.array(found), np.array(cites, dtype=bool), list(groups or "a" * len(cites)))


def test_average_precision_by_hand() -> None:
    """Citing sentences at ranks 1 and 3: (1/1 + 2/3) / 2."""
    assert math.isclose(average_precision(scores([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0])), 5 / 6)
    assert average_precision(scores([0.5, 0.5], [0, 0])) == 0.0


def test_equal_chances_keep_the_order_of_the_sentences() -> None:
    assert average_precision(scores([0.5, 0.5], [0, 1])) == 0.5
    assert average_precision(scores([0.5, 0.5], [1, 0])) == 1.0


def test_the_surest_are_counted_by_those_that_cite() -> None:
    """Of ten sentences five cite: the surest fifth of five is one, as many as cite are five."""
    ten = scores(np.linspace(1, 0.1, 10).tolist(), [1, 1, 0, 1, 0, 0, 0, 0, 1, 1])
    assert precision_at(ten, 0.2) == 1.0
    assert precision_at(ten, 1.0) == 3 / 5
    assert measures(ten)["P@20%"] == 1.0
    assert measures(ten)["base-rate"] == 0.5


def test_an_interval_is_around_its_measure() -> None:
    found = scores([0.9, 0.4, 0.8, 0.3, 0.7, 0.2], [1, 0, 1, 0, 0, 1], "aabbcc")
    around = intervals(found, seed=7, resamples=50)
    for name, value in measures(found).items():
        assert around[name][0] <= value <= around[name][1]


class Always:
    """Says that every sentence cites."""

    name, fingerprint, labels = "always", "0", ("plain", "cites")

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> Probabilities:
        return np.tile(np.array([0, 1], dtype=np.float32), (len(sentences), 1))

    def predict(self, sentences: Sequence[SentenceInContext]) -> list[str]:
        return ["cites"] * len(sentences)


def test_a_sentence_that_a_review_passes_over_has_no_chance() -> None:
    judged = [
        JudgedSentence(SentenceInContext("A"), True, silent, "p", "A", number)
        for number, silent in enumerate((False, True))
    ]
    assert chances(Always(), judged).chances.tolist() == [1.0, 0.0]
