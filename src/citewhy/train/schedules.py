"""Learning rates by step. Steps count from 0."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Schedule", "constant", "linear"]

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
