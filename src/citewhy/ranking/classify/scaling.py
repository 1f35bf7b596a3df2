"""Calibrated probabilities from scores of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Scaling:
    """Probabilities softmax(slope · z + shift) of scores z [n, labels]: temperature scaling (Guo et al. 2017)
    with a shift for each label, which corrects the shares of labels if training weighted them."""

    slope: float
    shift: Sequence[float]
    """[labels]"""

    def __call__(self, scores: NDArray[np.float64]) -> NDArray[np.float32]:
        """[n, labels], rows that sum to 1."""
        scaled = self.slope * scores + np.asarray(self.shift)
        chances = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        shares: NDArray[np.float32] = (chances / chances.sum(axis=1, keepdims=True)).astype(np.float32)
        return shares
