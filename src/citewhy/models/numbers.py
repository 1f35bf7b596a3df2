"""Numbers in the files of models: which of them a sum of products can use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST = 1e6
"""Largest magnitude of a weight, or of a value in a tree: far beyond those that are learned, and so small
that sums of their products with features stay finite in 32 bits."""


def bounded(values: NDArray[Any] | float) -> bool:
    """Whether a number, or all of an array, is finite and at most `LARGEST` in magnitude. Raises TypeError
    for what is no number."""
    if isinstance(values, np.ndarray):
        return bool((np.abs(values) <= LARGEST).all())
    return abs(values) <= LARGEST
