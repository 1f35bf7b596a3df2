"""Student's t, beside textbook values."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy")

from citewhy.errors import QueryError
from citewhy.evaluate.t_tests import paired_t, regression


def test_paired() -> None:
    """Differences 1, 2, 3: mean 2, standard error 1/√3, t = 3.464 with 2 degrees; p from the closed form for
    two degrees, 1 − t / √(t² + 2)."""
    found = paired_t(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    assert (found.mean, found.degrees) == (2, 2)
    assert found.t == pytest.approx(12**0.5)
    assert found.p == pytest.approx(1 - (12 / 14) ** 0.5)


def test_paired_without_spread() -> None:
    """Equal figures: p is 1. One difference everywhere: p is 0. One pair: refused."""
    same = np.array([0.5, 0.25])
    assert (paired_t(same, same).t, paired_t(same, same).p) == (0, 1)
    assert (paired_t(same + 1, same).t, paired_t(same + 1, same).p) == (np.inf, 0)
    with pytest.raises(QueryError, match="two figures"):
        paired_t(same[:1], same[:1])


def test_regression() -> None:
    """y = 1, 3, 2, 4 on x = 0, 1, 2, 3: slope 0.8, R² 0.64, t = √(0.64 · 2 / 0.36); p by the closed form."""
    found = regression(np.array([1.0, 3.0, 2.0, 4.0]), {"x": np.arange(4.0)})
    (slope,) = found.coefficients
    t = (0.64 * 2 / 0.36) ** 0.5
    assert (slope.name, found.degrees) == ("x", 2)
    assert (slope.value, found.r_squared, slope.t) == pytest.approx((0.8, 0.64, t))
    assert slope.p == pytest.approx(1 - (t**2 / (t**2 + 2)) ** 0.5)


def test_features_that_cannot_be_told_apart() -> None:
    """A feature that is twice another is refused, and so are as many features as figures."""
    x = np.arange(5.0)
    with pytest.raises(QueryError, match="do not tell"):
        regression(x, {"a": x, "b": 2 * x})
    with pytest.raises(QueryError, match="do not tell"):
        regression(x[:2], {"a": x[:2]})
