"""The tests of the literature, against values worked out by hand."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

pytest.importorskip("scipy")

from citewhy.errors import MissingExtraError, QueryError
from citewhy.evaluate.significance import paired_t, regression, z_test


def two_degrees(t: float) -> float:
    """Two-sided p of t with two degrees of freedom, for which there is a closed form."""
    return 1 - t / math.sqrt(t**2 + 2)


def test_z() -> None:
    """Half against .4 of 200 each: z = .1 / √(.45 · .55 / 100) = 2.010, two-sided p = .0444."""
    assert z_test(0.5, 0.4, 200) == pytest.approx(
        math.erfc(0.1 / math.sqrt(0.45 * 0.55 / 100) / math.sqrt(2))
    )
    assert z_test(0.5, 0.4, 200) == pytest.approx(0.0444, abs=1e-4)
    assert z_test(0.4, 0.5, 200) == z_test(0.5, 0.4, 200)
    assert z_test(1.0, 1.0, 5) == 1


def test_t() -> None:
    """Differences 1, 2, 3: t = 2 / (1 / √3) = 3.464 with two degrees of freedom, p = .0742."""
    assert paired_t([1, 3, 5], [0, 1, 2]) == pytest.approx(two_degrees(2 * math.sqrt(3)))
    assert paired_t([0, 1, 2], [1, 3, 5]) == pytest.approx(0.0742, abs=1e-4)


def test_t_without_spread() -> None:
    """No difference: p is 1. The same difference everywhere, but for rounding: p is 0."""
    same = np.array([0.5, 0.25, 0.1])
    assert paired_t(same, same) == 1
    assert paired_t(same + 0.3, same) == 0


def test_no_pairs() -> None:
    """What is not paired is not tested."""
    with pytest.raises(QueryError, match="two values or more a side, not 2 and 1"):
        paired_t([1, 2], [1])
    with pytest.raises(QueryError, match="not 1 and 1"):
        paired_t([1], [1])


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
    with pytest.raises(MissingExtraError, match=r"citewhy\[train\]"):
        z_test(0.5, 0.4, 200)
