"""The tests of the literature, against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from citewhy.evaluate.significance import t_test, z_test


def test_z() -> None:
    """Half against .4 of 200 each: z = .1 / √(.45 · .55 / 100) = 2.010, two-sided p = .0444."""
    assert z_test(0.5, 0.4, 200) == pytest.approx(
        math.erfc(0.1 / math.sqrt(0.45 * 0.55 / 100) / math.sqrt(2))
    )
    assert z_test(0.5, 0.4, 200) == pytest.approx(0.0444, abs=1e-4)
    assert z_test(0.4, 0.5, 200) == z_test(0.5, 0.4, 200)
    assert z_test(1.0, 1.0, 5) == 1


def test_t() -> None:
    """Differences 1, 2, 3: t = 2 / (1 / √3) = 3.464 with two degrees of freedom, for which
    p = 1 - t / √(t² + 2) = .0742."""
    pytest.importorskip("scipy")
    t = 2 * math.sqrt(3)
    assert t_test([1, 3, 5], [0, 1, 2]) == pytest.approx(1 - t / math.sqrt(t * t + 2))
    assert t_test([1, 2], [1, 2]) == 1


def test_no_pairs() -> None:
    """What is not paired is not tested."""
    with pytest.raises(ValueError, match="2 and 1 values are no pairs"):
        t_test([1, 2], [1])
    with pytest.raises(ValueError, match="1 and 1 values"):
        t_test([1], [1])
