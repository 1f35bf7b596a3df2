"""The two tests by which papers on local citation recommendation tell systems apart (Medić and Šnajder 2020).

Both are here so that their tables can be made again. For our own comparisons `compare` has tests that assume
less, and that know that two systems answer the same questions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["t_test", "z_test"]


def t_test(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided p of a paired t-test: is the mean of the differences zero? 1 where nothing differs.

    Needs scipy. Raises ValueError for lists of different lengths, or of fewer than two values.
    """
    if len(first) != len(second) or len(first) < 2:
        raise ValueError(f"{len(first)} and {len(second)} values are no pairs to test")
    if all(one == other for one, other in zip(first, second, strict=True)):
        return 1.0
    from scipy import stats

    return float(stats.ttest_rel(first, second).pvalue)


def z_test(first: float, second: float, count: int) -> float:
    """Two-sided p of the z-test of two proportions in [0, 1], each of `count` ≥ 1 trials:

    z = (p₁ - p₂) / √(p (1 - p) · 2 / n), where p is the mean of both.
    """
    pooled = (first + second) / 2
    spread = math.sqrt(pooled * (1 - pooled) * 2 / count)
    return math.erfc(abs(first - second) / spread / math.sqrt(2)) if spread else 1.0
