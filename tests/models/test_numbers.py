"""Which numbers of a model can be used."""

from __future__ import annotations

import numpy as np
import pytest

from citewhy.models.numbers import LARGEST, bounded


@pytest.mark.parametrize("value", [0, -LARGEST, LARGEST, np.float32(0.5), np.array([1.0, -2.0]), np.zeros(0)])
def test_numbers_that_are_learned(value: float) -> None:
    """Alone, or in an array."""
    assert bounded(value)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 1e300, -1e7, 10**18, np.array([0, np.nan]), np.array([1e30])]
)
def test_numbers_whose_sums_overflow(value: float) -> None:
    """Also those that are finite."""
    assert not bounded(value)


@pytest.mark.parametrize("value", [None, "0.5", [0.5]])
def test_what_is_no_number(value: object) -> None:
    """A number in quotes is none."""
    with pytest.raises(TypeError):
        bounded(value)  # type: ignore[arg-type]
