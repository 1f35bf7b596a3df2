"""The tests of the literature, against values worked out by hand."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

pytest.importorskip("scipy")

from citewhy.base.errors import MissingExtraError, QueryError
from citewhy_lab.experiments.significance import crossed, pearson, regression


def two_degrees(t: float) -> float:
    """Two-sided p of t with two degrees of freedom, for which there is a closed form."""
    return 1 - t / math.sqrt(t**2 + 2)


def test_t() -> None:
    """Differences 1, 2, 3 with one seed, which is the paired t-test: t = 2 / (1 / √3) = 3.464 with two
    degrees of freedom, p = .0742."""
    assert crossed(np.array([[1.0], [2.0], [3.0]])).p == pytest.approx(two_degrees(2 * math.sqrt(3)))
    assert crossed(np.array([[-1.0], [-2.0], [-3.0]])).p == pytest.approx(0.0742, abs=1e-4)


def test_t_without_spread() -> None:
    """No difference: p is 1. The same difference everywhere, but for rounding: p is 0."""
    same = np.array([0.5, 0.25, 0.1])[:, None]
    assert crossed(same - same).p == 1
    assert crossed(same + 0.3 - same).p == 0


def test_no_pairs() -> None:
    """What is not paired is not tested."""
    with pytest.raises(QueryError, match="not 1"):
        crossed(np.array([[1.0]]))


def test_regression() -> None:
    """y = 1, 3, 2, 4 on x = 0, 1, 2, 3: slope 0.8, R² 0.64, t = √(0.64 · 2 / 0.36) with two degrees."""
    found = regression(np.array([1.0, 3.0, 2.0, 4.0]), {"x": np.arange(4.0)})
    (slope,) = found.coefficients
    t = (0.64 * 2 / 0.36) ** 0.5
    assert slope.name == "x"
    assert (slope.value, found.r_squared, slope.t) == pytest.approx((0.8, 0.64, t))
    assert slope.p == pytest.approx(two_degrees(t))


def test_features_that_cannot_be_told_apart() -> None:
    """A feature that is twice another is refused, and so are as many features as values."""
    x = np.arange(5.0)
    with pytest.raises(QueryError, match="do not tell"):
        regression(x, {"a": x, "b": 2 * x})
    with pytest.raises(QueryError, match="do not tell"):
        regression(x[:2], {"a": x[:2]})


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the command that installs what is missing."""
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtraError, match=r"citewhy\[lab\]"):
        crossed(np.array([[0.1], [0.4]]))


def test_crossed_by_hand() -> None:
    """Two units and two seeds without interaction: means of units 1 and 3, of seeds 1 and 3, mean squares of
    4 and 4 and 0. The variance of the mean is 8 / 4, t = 2 / √2 on 8² / (4² + 4²) = 2 degrees of freedom:
    p = 1 − t / √(t² + 2) = 1 − √½."""
    found = crossed(np.array([[0.0, 2.0], [2.0, 4.0]]))
    assert found.value == 2
    assert found.p == pytest.approx(1 - 0.5**0.5)
    assert (found.low, found.high) == pytest.approx((2 - 4.302653 * 2**0.5, 2 + 4.302653 * 2**0.5))


def test_seeds_that_differ_count() -> None:
    """Differences of units are less certain if seeds disagree; where nothing varies, p is 0, or 1."""
    units = np.linspace(-0.05, 0.15, 40)[:, None]
    alike, unlike = np.zeros(5), np.array([-0.2, 0.2, -0.1, 0.1, 0.0])
    assert crossed(units + alike).p < 0.001 < 0.3 < crossed(units + unlike).p
    assert crossed(np.ones((3, 2))).p == 0
    assert crossed(np.zeros((3, 2))).p == 1


def test_pearson() -> None:
    """(1, 2, 3, 4) and (1, 3, 2, 4): r = 4 / 5, t = .8 / √(.36 / 2) with two degrees of freedom."""
    found = pearson(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0]))
    assert found.value == pytest.approx(0.8)
    assert found.p == pytest.approx(two_degrees(0.8 / math.sqrt(0.36 / 2)))
    with pytest.raises(QueryError, match="not all of them equal"):
        pearson(np.ones(4), np.arange(4.0))
