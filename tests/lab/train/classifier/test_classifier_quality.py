"""Probabilities from scores, and how good they are."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy", reason="needs the extra lab")

from citewhy.ranking.classify.scaling import Scaling
from citewhy_lab.train.classifier.data import calibration_error, fit_scaling


def test_scaling_is_found_again() -> None:
    """Labels drawn with the probabilities of slope 0.5 and shifts 1, 0 and −1 lead back to them."""
    draw = np.random.default_rng(7)
    scores = draw.normal(scale=3, size=(20_000, 3))
    chances = Scaling(0.5, [1.0, 0.0, -1.0])(scores)
    drawn = (draw.random((len(scores), 1)) > np.cumsum(chances, axis=1)).sum(axis=1)
    found = fit_scaling(scores, np.eye(3)[np.minimum(drawn, 2)])
    assert found.slope == pytest.approx(0.5, abs=0.02)
    assert found.shift == pytest.approx([1.0, 0.0, -1.0], abs=0.06)


def test_calibration_error() -> None:
    """Four answers with .75, of which two are right: off by .25; one with .35 that is wrong, by .35.
    Weighted: (4 · .25 + .35) / 5. One bin with a probability of 1 is the last one."""
    chances = np.array([0.75, 0.75, 0.75, 0.75, 0.35])
    hits = np.array([True, True, False, False, False])
    assert calibration_error(chances, hits) == pytest.approx((4 * 0.25 + 0.35) / 5)
    assert calibration_error(np.ones(3), np.ones(3, dtype=bool)) == 0
