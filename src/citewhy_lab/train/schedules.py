"""Learning rates by step. Steps count from 0."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["Schedule", "constant", "cosine", "inverse_square_root", "linear"]

Schedule = Callable[[int], float]
"""The learning rate of a step."""


def constant(rate: float) -> Schedule:
    return lambda _step: rate


def linear(peak: float, steps: int, warm_up: float = 0.0) -> Schedule:
    """Rises to `peak` over the share `warm_up` of all `steps`, and falls to zero at their end, both linearly.

    The two overlap: after the rise the rate is that of the fall, slightly below the peak.
    """
    rise = max(int(steps * warm_up), 1)
    return lambda step: peak * min((step + 1) / rise, 1.0) * max(1 - step / steps, 0.0)


def cosine(peak: float, steps: int, warm_up: int = 0) -> Schedule:
    """Rises linearly to `peak` over the first `warm_up` of `steps`, and falls to zero at their end as half a
    cosine. A rise longer than all steps ends with them."""
    rise = min(warm_up, steps)

    def rate(step: int) -> float:
        if step < rise:
            return peak * (step + 1) / rise
        return peak * (1 + math.cos(math.pi * (step - rise) / max(steps - rise, 1))) / 2

    return rate


def inverse_square_root(peak: float, warm_up: int, first: float = 0.0) -> Schedule:
    """Rises linearly from `first` to `peak` over `warm_up` ≥ 1 steps, then falls with the inverse square root
    of the number of the step (Vaswani et al. 2017, as in Fairseq)."""

    def rate(step: int) -> float:
        if step < warm_up:
            return first + (peak - first) * step / warm_up
        return peak * math.sqrt(warm_up / step)

    return rate
