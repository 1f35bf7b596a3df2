"""Alias tables: drawing from any finite distribution in constant time (Walker 1977; Vose 1991)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["AliasTable"]


class AliasTable:
    """Draws numbers from 0 to n − 1 with probabilities proportional to `weights`."""

    def __init__(self, weights: NDArray[np.float64]) -> None:
        """`weights` [n], n ≥ 1, finite and at least 0, not all 0. Raises ValueError for others."""
        weights = np.asarray(weights, dtype=np.float64)
        total = weights.sum()
        if weights.ndim != 1 or not len(weights) or (weights < 0).any() or not 0 < total < np.inf:
            raise ValueError("the weights must be finite, at least 0, and not all 0")
        n = len(weights)
        scaled = weights / total * n
        self._kept = np.ones(n)
        self._alias = np.arange(n)
        small = np.flatnonzero(scaled < 1).tolist()
        large = np.flatnonzero(scaled >= 1).tolist()
        while small and large:
            low, high = small.pop(), large.pop()
            self._kept[low], self._alias[low] = scaled[low], high
            scaled[high] -= 1 - scaled[low]
            (small if scaled[high] < 1 else large).append(high)
        # What is left over differs from 1 by rounding alone; but what has no weight is never drawn.
        for rest in small:
            if weights[rest] == 0:
                self._kept[rest], self._alias[rest] = 0.0, int(weights.argmax())

    def __len__(self) -> int:
        return len(self._kept)

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """[count] independent draws."""
        column = rng.integers(len(self._kept), size=count)
        kept = rng.random(count) < self._kept[column]
        return np.where(kept, column, self._alias[column])

    def probabilities(self) -> NDArray[np.float64]:
        """[n] the exact distribution of `draw`."""
        found = self._kept.copy()
        np.add.at(found, self._alias, 1 - self._kept)
        return found / len(found)
