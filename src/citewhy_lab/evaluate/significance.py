"""The significance tests of papers, to reproduce their tables: Student's t, also where systems were trained
with several seeds, the z-test of two proportions, correlations, and the coefficients of a linear regression.

For experiments only, with SciPy (extra ``train``). CiteWhy's own comparisons use `compare`, whose tests
assume less and need only the core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from citewhy.base.errors import MissingExtraError, QueryError

__all__ = [
    "Coefficient",
    "Correlation",
    "Difference",
    "Regression",
    "crossed",
    "paired_t",
    "pearson",
    "regression",
    "z_test",
]

Doubles = NDArray[numpy.float64]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """The change of the outcome with one unit of a feature, the others being constant."""

    name: str
    value: float
    t: float
    p: float
    """Two-sided."""


@dataclass(frozen=True, slots=True)
class Regression:
    """Ordinary least squares with an intercept, which is not among `coefficients`."""

    coefficients: tuple[Coefficient, ...]
    r_squared: float


def paired_t(first: Sequence[float] | Doubles, second: Sequence[float] | Doubles) -> float:
    """Two-sided p of a paired t-test: is the mean of the differences [n] zero?

    If all differences are equal, p is 1 if they are zero and 0 otherwise. Raises QueryError for lists of
    different lengths, or of fewer than two values.
    """
    if len(first) != len(second) or len(first) < 2:
        raise QueryError(
            f"a paired test needs two values or more a side, not {len(first)} and {len(second)}",
            hint="give the same queries for both systems",
        )
    differences = numpy.asarray(first, dtype=numpy.float64) - numpy.asarray(second, dtype=numpy.float64)
    if numpy.ptp(differences) <= _NOTHING * numpy.abs(differences).max(initial=1):
        return float(abs(differences[0]) <= _NOTHING)
    return float(_stats().ttest_1samp(differences, 0).pvalue)


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference with its 95 % interval."""

    value: float
    low: float
    high: float
    p: float
    """Two-sided."""


def crossed(differences: Doubles) -> Difference:
    """The mean of differences [n ≥ 2 units, s ≥ 1 seeds] of two systems that were trained with several seeds
    and judged on the same units, as if units and seeds were both drawn at random.

    With the mean squares of units, seeds and their interaction, the variance of the mean is
    (MS_u + MS_s − MS_us) / (n · s), on degrees of freedom by Satterthwaite (quasi-F: Clark, The
    language-as-fixed-effect fallacy, 1973). A negative component counts as zero. With one seed it is
    `paired_t`. Raises QueryError for one unit.
    """
    units, seeds = differences.shape
    if units < 2:
        raise QueryError("a paired test needs two values or more a side, not 1", hint="give more queries")
    value = float(differences.mean())
    rows, columns = differences.mean(axis=1), differences.mean(axis=0)
    of_units = seeds * float(rows.var(ddof=1))
    variance, degrees = of_units, units - 1.0
    if seeds > 1:
        rest = differences - rows[:, None] - columns[None, :] + value
        of_seeds = units * float(columns.var(ddof=1))
        of_rest = float((rest**2).sum()) / ((units - 1) * (seeds - 1))
        variance = of_units + of_seeds - of_rest
        if variance < max(of_units, of_seeds):
            variance, degrees = max((of_units, units - 1.0), (of_seeds, seeds - 1.0))
        elif variance:
            spread = of_units**2 / (units - 1) + of_seeds**2 / (seeds - 1)
            degrees = variance**2 / (spread + of_rest**2 / ((units - 1) * (seeds - 1)))
    if variance <= _NOTHING:
        return Difference(value, value, value, float(abs(value) <= _NOTHING))
    error = (variance / differences.size) ** 0.5
    width = float(_stats().t.ppf(0.975, degrees)) * error
    return Difference(
        value, value - width, value + width, float(2 * _stats().t.sf(abs(value) / error, degrees))
    )


_NOTHING = 1e-12
"""Differences up to this size are rounding errors."""


def z_test(first: float, second: float, count: int) -> float:
    """Two-sided p of the z-test of two proportions in [0, 1], each of `count` ≥ 1 trials:

    z = (p₁ - p₂) / √(p (1 - p) · 2 / n), where p is the mean of both. 1 where both are 0, or both 1.
    """
    pooled = (first + second) / 2
    spread = (pooled * (1 - pooled) * 2 / count) ** 0.5
    return float(2 * _stats().norm.sf(abs(first - second) / spread)) if spread else 1.0


@dataclass(frozen=True, slots=True)
class Correlation:
    value: float
    """In [-1, 1]."""
    p: float
    """Two-sided."""


def pearson(first: Doubles, second: Doubles) -> Correlation:
    """Pearson's r of two series [n], with its t-test. Raises QueryError for fewer than three values, and if
    one of the series is constant."""
    if len(first) < 3 or not numpy.ptp(first) or not numpy.ptp(second):
        raise QueryError(
            f"a correlation of {len(first)} values cannot be computed",
            hint="give three values or more, not all of them equal",
        )
    found = _stats().pearsonr(first, second)
    return Correlation(float(found.statistic), float(found.pvalue))


def regression(outcome: Doubles, features: Mapping[str, Doubles]) -> Regression:
    """Regresses outcome [n] on features [n] each. Raises QueryError for too few values, or if the features
    are constant or collinear."""
    design = numpy.column_stack([numpy.ones(len(outcome)), *features.values()])  # [n, 1 + features]
    degrees = design.shape[0] - design.shape[1]
    spread = float(((outcome - outcome.mean()) ** 2).sum())
    if degrees < 1 or spread == 0 or numpy.linalg.matrix_rank(design) < design.shape[1]:
        raise QueryError(
            f"{len(outcome)} values do not tell {len(features)} features apart", hint="give more clusters"
        )
    solution, *_ = numpy.linalg.lstsq(design, outcome, rcond=None)
    residuals = outcome - design @ solution
    variance = float(residuals @ residuals) / degrees
    errors = numpy.sqrt(variance * numpy.diag(numpy.linalg.inv(design.T @ design)))
    ts = solution[1:] / errors[1:]
    ps = 2 * _stats().t.sf(numpy.abs(ts), degrees)
    found = zip(features, solution[1:].tolist(), ts.tolist(), ps.tolist(), strict=True)
    return Regression(tuple(Coefficient(*each) for each in found), 1 - variance * degrees / spread)


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError as error:
        raise MissingExtraError("a test of significance", "lab") from error
    return stats
