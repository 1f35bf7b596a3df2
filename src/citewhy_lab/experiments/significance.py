"""The significance tests of papers, to reproduce their tables: Student's t, also where systems were trained
with several seeds, correlations, and the coefficients of a linear regression.

They need SciPy (extra ``lab``). CiteWhy's own comparisons use `evaluate.compare`, whose tests assume less and
need only the core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from citewhy.base.errors import MissingExtraError, QueryError

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


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference with its 95 % interval."""

    value: float
    low: float
    high: float
    p: float
    """Two-sided."""


def crossed(differences: Doubles) -> Difference:
    """Tests the mean of differences [n ≥ 2 units, s ≥ 1 seeds] of two systems that were trained with several
    seeds and judged on the same units, as if units and seeds were both drawn at random.

    With the mean squares of units, seeds and their interaction, the variance of the mean is
    (MS_u + MS_s − MS_us) / (n · s), on degrees of freedom by Satterthwaite (quasi-F: Clark, The
    language-as-fixed-effect fallacy, 1973). A negative component counts as zero. With one seed it is
    the paired t-test. Raises QueryError for one unit.
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


@dataclass(frozen=True, slots=True)
class Correlation:
    value: float
    """In [-1, 1]."""
    p: float
    """Two-sided."""


def pearson(first: Doubles, second: Doubles) -> Correlation:
    """Computes Pearson's r of two series [n], with its t-test. Raises QueryError for fewer than three values,
    and if one of the series is constant."""
    if len(first) < 3 or not numpy.ptp(first) or not numpy.ptp(second):
        raise QueryError(
            f"a correlation of {len(first)} values cannot be computed",
            hint="give three values or more, not all of them equal",
        )
    result = _stats().pearsonr(first, second)
    return Correlation(float(result.statistic), float(result.pvalue))


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
    coefficients = zip(features, solution[1:].tolist(), ts.tolist(), ps.tolist(), strict=True)
    return Regression(tuple(Coefficient(*row) for row in coefficients), 1 - variance * degrees / spread)


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError as error:
        raise MissingExtraError("a test of significance", "lab") from error
    return stats
