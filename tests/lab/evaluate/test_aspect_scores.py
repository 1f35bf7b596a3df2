"""Scores of rankings for an aspect."""

from __future__ import annotations

import numpy as np
import pytest

from citewhy_lab.evaluate.aspects import (
    AnsweredQuestion,
    MeasuredSystem,
    aspect_outcome,
    average_precision,
    pairs_in_order,
)


def test_pairs() -> None:
    """Of the four pairs of {3, 1} and {2, 1}: 3 > 2, 3 > 1, not 1 > 2, and 1 = 1, which counts half."""
    assert pairs_in_order(np.array([3.0, 1.0]), np.array([2.0, 1.0])) == pytest.approx(2.5 / 4)


def test_average_precision() -> None:
    """Relevant papers at ranks 1 and 4, for at equal scores the others come first: (1 + 2/4) / 2."""
    assert average_precision(np.array([1.0, 3.0]), np.array([2.0, 1.0])) == pytest.approx(0.75)


def test_report() -> None:
    """Means are given for each aspect and for all questions, with the difference from the baseline."""
    better = [AnsweredQuestion("q1", "method", {"AP": 1.0}), AnsweredQuestion("q2", "result", {"AP": 0.5})]
    worse = [AnsweredQuestion("q1", "method", {"AP": 0.5}), AnsweredQuestion("q2", "result", {"AP": 0.5})]
    report = aspect_outcome(
        "file", ("method", "result"), MeasuredSystem("one", better), 7, MeasuredSystem("other", worse)
    )
    document = report.document()
    assert document["measures"] == {"AP/method": 1.0, "AP/result": 0.5, "AP": 0.75}
    assert document["by_aspect"] == {"method": 1, "result": 1}
    assert document["difference"]["AP"]["value"] == pytest.approx(0.25)
    assert "+.250" in report.text()
    assert all(len(line) <= 80 for line in report.text().splitlines())
