"""Student's t: is a mean difference above zero, is a coefficient of a linear regression?

For figures of the literature that were tested so; `compare` has tests that assume less. Needs scipy, which
the core does without.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from citewhy.errors import MissingExtraError, QueryError

__all__ = ["Coefficient", "Regression", "TTest", "paired_t", "regression"]

Floats = NDArray[numpy.float64]


@dataclass(frozen=True, slots=True)
class TTest:
    """Of a difference; `p` is two-sided."""

    mean: float
    t: float
    degrees: int
    p: float


@dataclass(frozen=True, slots=True)
class Coefficient:
    """By how much the outcome changes with one unit of a feature, the others as they are."""

    name: str
    value: float
    t: float
    p: float


@dataclass(frozen=True, slots=True)
class Regression:
    """Ordinary least squares with an intercept, which is left out of `coefficients`."""

    coefficients: tuple[Coefficient, ...]
    r_squared: float
    degrees: int


def paired_t(first: Floats, second: Floats) -> TTest:
    """Differences first − second of the same n units, n − 1 degrees of freedom.

    Where all differences are one, t is infinite, or 0 for no difference, and p is 0 or 1. Raises QueryError
    for fewer than two units.
    """
    if len(first) != len(second) or len(first) < 2:
        raise QueryError(
            f"a paired test needs two figures or more a side, not {len(first)} and {len(second)}"
        )
    differences = first - second
    mean, degrees = float(differences.mean()), len(differences) - 1
    error = float(differences.std(ddof=1)) / len(differences) ** 0.5
    t = mean / error if error > 0 else numpy.copysign(numpy.inf, mean) if mean else 0.0
    return TTest(mean, float(t), degrees, _two_sided(t, degrees))


def regression(outcome: Floats, features: dict[str, Floats]) -> Regression:
    """Regresses outcome [n] on features [n]. Raises QueryError where there are too few figures, where
    all are one, and where a feature follows from the others."""
    design = numpy.column_stack([numpy.ones(len(outcome)), *features.values()])  # [n, 1 + features]
    degrees = design.shape[0] - design.shape[1]
    spread = float(((outcome - outcome.mean()) ** 2).sum())
    if degrees < 1 or spread == 0 or numpy.linalg.matrix_rank(design) < design.shape[1]:
        raise QueryError(
            f"{len(outcome)} figures do not tell {len(features)} features apart", hint="give more clusters"
        )
    solution, *_ = numpy.linalg.lstsq(design, outcome, rcond=None)
    residuals = outcome - design @ solution
    variance = float(residuals @ residuals) / degrees
    errors = numpy.sqrt(variance * numpy.diag(numpy.linalg.inv(design.T @ design)))
    found = []
    for name, value, error in zip(features, solution[1:], errors[1:], strict=True):
        t = float(value / error)
        found.append(Coefficient(name, float(value), t, _two_sided(t, degrees)))
    return Regression(tuple(found), 1 - variance * degrees / spread, degrees)


def _two_sided(t: float, degrees: int) -> float:
    try:
        from scipy import stats
    except ImportError as error:
        raise MissingExtraError("Student's t", "train") from error
    return float(2 * stats.t.sf(abs(t), degrees))
