"""Probabilities against what was right, by hand."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from citewhy_lab.evaluate.calibration import THRESHOLDS, Pair, Silence, calibration

ANSWERS: list[list[Pair]] = [
    [(0.5, True), (0.1, False)],
    [(0.45, False), (0.1, False), (0.1, False), (0.1, False), (0.1, False), (0.1, True)],
    [(0.02, False), (0.0, True)],
    [],
]
"""Four queries: the right paper is first; sixth; second; nowhere."""


def test_bins_by_hand() -> None:
    """Ten candidates: a bin has its upper edge, and the first one zero."""
    found = calibration(ANSWERS)
    assert found is not None
    assert (found.queries, found.pairs) == (4, 10)
    assert [astuple(each) for each in found.bins] == [
        (0.0, 0.1, 8, pytest.approx((6 * 0.1 + 0.02) / 8), 0.25),
        (0.4, 0.5, 2, pytest.approx(0.475), 0.5),
    ]


def test_error_by_hand() -> None:
    """ECE: .8 · |.25 - .0775| + .2 · |.5 - .475|. Brier: the squares of what is left of each candidate."""
    found = calibration(ANSWERS)
    assert found is not None
    assert found.ece == pytest.approx(0.8 * 0.1725 + 0.2 * 0.025)
    squares = 0.5**2 + 5 * 0.1**2 + 0.9**2 + 0.45**2 + 0.02**2 + 1
    assert found.brier == pytest.approx(squares / 10)


def test_silence_by_hand() -> None:
    """A query is answered from the threshold on; one without candidates never is."""
    found = calibration(ANSWERS)
    assert found is not None
    assert tuple(row.threshold for row in found.silence) == THRESHOLDS
    rows = {row.threshold: row for row in found.silence}
    assert astuple(rows[0.02]) == (0.02, 0.75, pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert rows[0.05] == Silence(0.05, 0.5, 0.5, 0.5)  # the sixth is not among the first five
    assert rows[0.5] == Silence(0.5, 0.25, 1.0, 1.0)


def test_nobody_is_answered() -> None:
    """Of no answered query, no share is right."""
    found = calibration([[(0.01, True)]])
    assert found is not None
    assert {(row.answered, row.first_right, row.five_right) for row in found.silence} == {(0.0, None, None)}


def test_perfect_and_worst() -> None:
    """The two ends of both errors."""
    perfect, worst = calibration([[(1.0, True), (0.0, False)]]), calibration([[(1.0, False), (0.0, True)]])
    assert perfect is not None
    assert worst is not None
    assert (perfect.ece, perfect.brier) == (0, 0)
    assert (worst.ece, worst.brier) == (1, 1)


def test_edges_are_decimal() -> None:
    """Each of .1, .2, … is the upper edge of its own bin, whatever binary fractions make of it."""
    found = calibration([[(number / 10, True)] for number in range(1, 11)])
    assert found is not None
    assert [(each.count, each.high) for each in found.bins] == [(1, number / 10) for number in range(1, 11)]


def test_nothing_to_calibrate() -> None:
    """Queries without a single candidate say nothing of probabilities."""
    assert calibration([]) is None
    assert calibration([[], []]) is None
